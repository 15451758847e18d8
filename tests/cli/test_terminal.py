"""One rule for all commands: a terminal gets rows or indented JSON, anything else gets bytes."""

import json
import re
from pathlib import Path
from typing import Final

import pytest

from bpetite_cli.terminal.results import draw_json
from cli_tools import bpetite, result_in_terminal, shown_in_terminal, without_times
from help_tools import call_of, printing

pytestmark = pytest.mark.posix

COLOR: Final = re.compile(r"\x1b\[[\d;]*m")
SUMMARIES: Final = [words for words in printing("") if words[0] != "chunks" or "--output" in words]
UNCHANGED: Final = [
    *printing("--json"),
    *(call_of(command) for command in ("encode", "decode", "count")),
    call_of("encode", "--format", "text"),
    call_of("inspect", "--tokens", "--json"),
]


def without_output(folder: Path) -> Path:
    """Return the folder, without the output of an earlier call."""
    (folder / "new.json").unlink(missing_ok=True)
    return folder


def timeless(output: str | bytes) -> dict[str, object]:
    """Return an object without the duration of a training."""
    data: dict[str, object] = json.loads(output)
    return {name: value for name, value in data.items() if name not in {"elapsed_ms", "seconds"}}


@pytest.mark.parametrize("words", SUMMARIES, ids=" ".join)
def test_only_a_terminal_gets_an_indented_object(words: list[str], folder: Path) -> None:
    """A pipe and a file get the object on one line, a terminal the same object in color."""
    piped = bpetite(*words, cwd=folder).stdout
    data = json.loads(piped)
    assert piped == json.dumps(data).encode("ascii") + b"\n"
    bpetite(*words, cwd=without_output(folder), stdout=folder / "printed")
    assert without_times((folder / "printed").read_bytes()) == without_times(piped)
    status, shown, _ = result_in_terminal(words, without_output(folder))
    plain = COLOR.sub("", shown)
    assert (status, shown != plain, plain[:5]) == (0, True, '{\n  "')
    assert timeless(plain) == timeless(piped)
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        _, shown, _ = result_in_terminal(words, without_output(folder), env)
        assert without_times(shown.encode()) == without_times(plain.encode())


@pytest.mark.parametrize("words", UNCHANGED, ids=" ".join)
def test_a_terminal_changes_no_ids_no_text_and_no_json_that_is_asked_for(
    words: list[str], folder: Path
) -> None:
    """With `--json`, a terminal gets the bytes of a pipe, and so it does with ids and counts."""
    piped = bpetite(*words, cwd=folder).stdout
    assert result_in_terminal(words, folder)[:2] == (0, piped.decode())


@pytest.mark.parametrize("words", SUMMARIES, ids=" ".join)
def test_the_line_for_people_comes_last(words: list[str], folder: Path) -> None:
    """On a terminal, the messages about a result are below its JSON."""
    status, shown = shown_in_terminal(words, folder)
    assert status == 0
    assert not shown.endswith("}\n")
    assert "\n}\n" in shown


def test_json_is_drawn_for_people() -> None:
    """Numbers in an array share a line; text is readable, but controls no terminal."""
    data = {
        "ids": [1, 22, 3],
        "none": [],
        "rows": [{"pair": (1, 2)}, {}],
        "text": 'é船"\n\x1b\x9b\u202e\u3164😀',
        "null": None,
        "ok": [True],
    }
    plain = draw_json(data, colored=False)
    assert plain.splitlines() == [
        "{",
        '  "ids": [1,22,3],',
        '  "none": [],',
        '  "rows": [',
        "    {",
        '      "pair": [1,2]',
        "    },",
        "    {}",
        "  ],",
        r'  "text": "é船\"\n\u001b\u009b\u202e\u3164😀",',
        '  "null": null,',
        '  "ok": [true]',
        "}",
    ]
    assert json.loads(plain) == json.loads(json.dumps(data))
    colored = draw_json(data, colored=True)
    assert COLOR.sub("", colored) == plain
    assert '\x1b[34;1m"text"\x1b[0m: \x1b[32m"é' in colored
    assert "\x1b[90mnull\x1b[0m" in colored
