"""Each command opens its tokenizer file once, so all of its output describes one file."""

import sys
from pathlib import Path

import pytest

from bpetite import Tokenizer
from cli_tools import bpetite

_OPENED: list[object] = []
_WATCHED: set[object] = set()


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and arguments[0] in _WATCHED:
        _OPENED.append(arguments[1])


sys.addaudithook(_note)  # permanently: Python cannot remove a hook


@pytest.mark.parametrize(
    "words",
    [
        "encode --text ab",
        "decode --ids 256",
        "count text",
        "show --text ab",
        "show --text ab --steps",
        "inspect",
        "inspect --json",
        "inspect --token 256",
        "verify --input text",
        "truncate --vocab-size 256 --output smaller.json --force",
    ],
)
def test_a_command_opens_its_tokenizer_file_once(words: str, here: Path) -> None:
    """Ids, bytes, merges, size and sha256 all come from one read."""
    Path("text").write_bytes(b"ab ab ab")
    Tokenizer.train("ab ab ab", 258).save("model.json")
    _WATCHED.add("model.json")
    _OPENED.clear()
    command, *options = words.split()
    result = bpetite(command, "--model", "model.json", *options)
    assert result.returncode == 0, result.stderr
    # Python reports both `open` and the underlying `os.open`, which has no mode.
    assert [mode is None for mode in _OPENED] == [False, True]
