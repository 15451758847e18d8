"""docs/reference/errors.md has exactly the error messages of the packages.

The messages are read from the syntax tree: from a variable `message` or `reason`, the call that
makes or raises an exception, `parser.error`, the core's `refuse`, and the result of a few
functions. A value inserted at run time is `…`.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from project_tools import PACKAGES, ROOT, sources

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
VARIABLES: Final = frozenset({"message", "reason"})
TELLING: Final = frozenset({"Failure", "error"})
"""What is called with an error message: a class, and the method of a parser."""
RETURNING: Final = frozenset({"advice_on_conversion", "find_duplicate", "find_unreachable"})
"""Functions that return part of a message, besides those called `…_message`."""
REFUSAL: Final = "…: expected …, found …"
"""The message that `refuse` makes of its arguments, which are read at its calls."""
_ROW: Final = re.compile(r"^\| (`.+) \| (.+) \| (.+) \|$", re.MULTILINE)
_MESSAGE: Final = re.compile(r"(`+) ?(.+?) ?\1(?:<br>|$)")
"""A message in a row. Messages with the same cause and fix share a row."""


def template(node: ast.expr) -> str:
    """Return a string of the code with `…` for inserted values, or "" if it is not a string."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(template(part) or "…" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (template(left) or "…") + (template(right) or "…")
    return ""


def messages(source: str) -> set[str]:
    """Return the messages of errors in the code of a module."""
    tree = ast.parse(source)
    found = {text for node in ast.walk(tree) for text in _of_node(node)}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            found |= set(_of_function(function))
    shown = {re.sub("…+", "…", text.replace("\n", " ⏎ ")) for text in found}
    return {text for text in shown if re.search(r"\w", text)} - {REFUSAL}


def _of_node(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in VARIABLES:
            yield template(value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[text, *_]):
            told = template(text)
            if name in TELLING or told.startswith("error: "):
                yield told.removeprefix("error: ").rstrip("\n")
        case ast.AnnAssign(target=ast.Name(id="_ADVICE"), value=ast.Dict(values=values)):
            yield from map(template, values)
        case ast.Raise(exc=ast.Call(args=arguments)):
            yield from map(template, arguments)


def _of_function(function: ast.FunctionDef) -> Iterator[str]:
    names = {
        node.targets[0].id: template(node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }

    def text(node: ast.expr) -> str:
        named = names.get(node.id, "") if isinstance(node, ast.Name) else template(node)
        return named or "…"

    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="refuse"), args=[where, expected, found]):
                shown = text(found) if isinstance(found, ast.JoinedStr) else "…"
                yield f"{text(where)}: expected {text(expected)}, found {shown}"
            case ast.Return(value=ast.expr() as value) if (
                function.name in RETURNING or function.name.endswith("_message")
            ):
                yield template(value)


def rows_of(page: str) -> dict[str, tuple[str, str]]:
    """Return the messages on a page, each with its cause and its fix."""
    return {
        text.replace("\\|", "|"): (cause, fix)
        for cell, cause, fix in _ROW.findall(page)
        for _, text in _MESSAGE.findall(cell)
    }


def row(message: str) -> str:
    """Return the line of the page for a message, without its cause and fix."""
    quote, pad = ("``", " ") if "`" in message else ("`", "")
    escaped = message.replace("|", "\\|")
    return f"| {quote}{pad}{escaped}{pad}{quote} | CAUSE | FIX |"


def missing_and_stale(found: set[str], page: str) -> tuple[list[str], list[str]]:
    """Return the lines to add to a page, and the messages to remove from it."""
    rows = rows_of(page)
    return [row(text) for text in sorted(found - rows.keys())], sorted(rows.keys() - found)


def test_the_page_has_exactly_the_messages() -> None:
    """Every error message is on the page; the test prints the line of a missing one."""
    found = {text for source in sources(PACKAGES) for text in messages(source.read_text("utf-8"))}
    missing, stale = missing_and_stale(found, PAGE)
    assert missing == [], "add these lines to docs/reference/errors.md:\n" + "\n".join(missing)
    assert stale == [], "no code has these messages of docs/reference/errors.md:\n" + "\n".join(
        stale
    )


def test_every_message_has_a_cause_and_a_fix() -> None:
    """Each printed line was completed with a cause and a fix."""
    unwritten = [text for text, told in rows_of(PAGE).items() if {"CAUSE", "FIX"} & set(told)]
    assert unwritten == []
    assert all(len(part) > 5 for told in rows_of(PAGE).values() for part in told)


PLANTED: Final = """\
def fail(name, size):
    message = f"{name!r} is wrong" " in two ways"
    raise ValueError(message)
    raise OSError(1, "No such luck", name)
    parser.error("name it | once")
    return Failure(f"lost: {name}\\nlook at `{size}`")
    refuse(f"merges[{size}]", "a pair", name)
    expected = f"{size} at most"
    refuse("size", expected, name)
    sys.stderr.write(f"error: cannot start: {size}\\n")
def find_duplicate(): return f"twice: {0}"
def _error_message(): return "broken"
"""


def test_a_planted_message_is_found() -> None:
    """Each way to report an error is found, and nothing else."""
    assert messages(PLANTED) == {
        "… is wrong in two ways",
        "No such luck",
        "name it | once",
        "lost: … ⏎ look at `…`",
        "merges[…]: expected a pair, found …",
        "size: expected … at most, found …",
        "cannot start: …",
        "twice: …",
        "broken",
    }
    assert messages('say("saved")\ntext = "no message"\nraise error\nraise Failure(text)') == set()


@pytest.mark.parametrize("message", sorted(messages(PLANTED)))
def test_a_missing_and_a_stale_line_are_found(message: str) -> None:
    """A missing message is given as its line, which is then read as the message."""
    missing, stale = missing_and_stale({message}, "| message | cause | fix |\n|---|---|---|\n")
    assert (missing, stale) == ([row(message)], [])
    assert missing_and_stale({message}, row(message)) == ([], [])
    assert missing_and_stale(set(), row(message)) == ([], [message])


def test_messages_can_share_a_row() -> None:
    """Each message in a row has its cause and fix; text beside the messages is an error."""
    page = "| `one … of`<br>`` `two` \\| three `` | CAUSE | FIX |"
    assert rows_of(page) == dict.fromkeys(("one … of", "`two` | three"), ("CAUSE", "FIX"))
    assert missing_and_stale({"one … of"}, page) == ([], ["`two` | three"])
    assert missing_and_stale({"one"}, "| `one` or | CAUSE | FIX |") == ([row("one")], [])
