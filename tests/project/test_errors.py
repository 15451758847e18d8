"""docs/reference/errors.md explains messages that the code has."""

import ast
import re
from typing import Final

from project_tools import PACKAGES, ROOT, sources

PAGE: Final = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
_ROW: Final = re.compile(r"^\| (`.+) \| .+ \| .+ \|$", re.MULTILINE)
_INSERTED: Final = re.compile(r"…|: expected |, found ")
"""What is inserted into a message when the program runs; the core's `refuse` adds the words."""


def constants(source: str) -> list[str]:
    """Return the constant texts of some code: strings, and the parts between inserted values."""
    values = [one.value for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Constant)]
    return [value for value in values if isinstance(value, str)]


def unknown(page: str, texts: list[str]) -> list[str]:
    """Return the messages in a page's rows with a part that no text contains."""
    messages = re.findall(r"`([^`]+)`", "\n".join(_ROW.findall(page)).replace("\\|", "|"))
    assert messages
    known = "\0".join(texts)
    return [one for one in messages if not all(part in known for part in _INSERTED.split(one))]


def test_every_message_on_the_page_is_in_the_code() -> None:
    """Each message that a row explains exists, and a message without one would be found."""
    texts = [text for path in sources(PACKAGES) for text in constants(path.read_text("utf-8"))]
    wrong = unknown(PAGE, texts)
    assert wrong == [], "remove or correct these rows of docs/reference/errors.md"
    planted = "| `corpus must be str, got …` | b | c |\n| `text must be str, got …` | b | c |"
    assert unknown(planted, texts) == ["corpus must be str, got …"]
