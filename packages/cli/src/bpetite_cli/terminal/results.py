"""Print the result of a command: JSON on one line for a program, indented JSON for a person."""

import json
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from bpetite_cli.io.outputs import is_terminal, write_json, write_output
from bpetite_cli.terminal.screen import shows_color
from bpetite_cli.terminal.visible import is_visible

_Kind: TypeAlias = Literal["key", "text", "null"]

_COLORS: Final[Mapping[_Kind, str]] = {"key": "34;1", "text": "32", "null": "90"}
"""The colors of jq; numbers, true, false and punctuation have none."""


def write_result(data: Mapping[str, object]) -> None:
    """Write one JSON object to standard output; a terminal gets it indented and in color."""
    if is_terminal():
        write_output([draw_json(data, colored=shows_color()).encode("utf-8"), b"\n"])
    else:
        write_json(data)


def draw_json(value: object, *, colored: bool, margin: str = "") -> str:
    """Return a JSON value for a screen: indented, but with arrays of numbers on one line.

    Characters that are invisible or could control a terminal are escaped, as JSON allows.
    """
    inner = f"{margin}  "
    if isinstance(value, Mapping):
        fields = (
            f"{_paint(_quoted(str(key)), 'key', colored=colored)}: "
            f"{draw_json(field, colored=colored, margin=inner)}"
            for key, field in value.items()
        )
        return _lines("{", fields, "}", margin)
    if isinstance(value, (list, tuple)):
        if all(isinstance(item, int) for item in value):
            return json.dumps(value, separators=(",", ":"))
        items = (draw_json(item, colored=colored, margin=inner) for item in value)
        return _lines("[", items, "]", margin)
    if isinstance(value, str):
        return _paint(_quoted(value), "text", colored=colored)
    shown = json.dumps(value)
    return _paint(shown, "null", colored=colored) if value is None else shown


def _lines(opening: str, items: Iterable[str], closing: str, margin: str) -> str:
    inner = f",\n{margin}  ".join(items)
    return f"{opening}\n{margin}  {inner}\n{margin}{closing}" if inner else opening + closing


def _quoted(text: str) -> str:
    """Return a JSON string."""
    return "".join(
        character if is_visible(character) else json.dumps(character)[1:-1]
        for character in json.dumps(text, ensure_ascii=False)
    )


def _paint(text: str, kind: _Kind, *, colored: bool) -> str:
    return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if colored else text
