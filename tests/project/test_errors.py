"""docs/reference/errors.md explains messages that the code has."""

import ast
import re
from itertools import chain
from typing import Final

from project_tools import PACKAGES, ROOT, sources

PAGE: Final = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
_ENTRY: Final = re.compile(r"- (`[^`]+`(?:; `[^`]+`)*)(?: \(`\w+`\))?: \S")
"""One message or several, and what to do."""

_INSERTED: Final = re.compile(r"…|: expected |, found ")
"""What is inserted into a message when the program runs; the core's `refuse` adds the words."""


def test_every_message_on_the_page_is_in_the_code() -> None:
    """Of each message that an entry explains, all parts are constants in the code."""
    nodes = chain.from_iterable(
        ast.walk(ast.parse(path.read_text("utf-8"))) for path in sources(PACKAGES)
    )
    known = "\0".join(str(one.value) for one in nodes if isinstance(one, ast.Constant))
    entries = [line for line in PAGE.splitlines() if line.startswith("- ")]
    heads = [found[1] if (found := _ENTRY.match(line)) else line for line in entries]
    messages = re.findall(r"`([^`]+)`", "\n".join(heads))
    assert len(messages) >= len(entries) > 0
    wrong = [one for one in messages if not all(part in known for part in _INSERTED.split(one))]
    assert wrong == [], "remove or correct these entries of docs/reference/errors.md"
