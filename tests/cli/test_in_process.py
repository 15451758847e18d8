"""The tests call `main` in their own process, which behaves like the installed script."""

import logging
from pathlib import Path

import pytest

from cli_tools import bpetite, bpetite_process, without_times
from help_tools import BUILT_IN, call_of

OTHERS = (
    "--help",
    "encode --model tokenizer.json --txt a",
    "encode --model tokenizer.json --input -",
    "decode --model tokenizer.json --ids 72 999",
    "count --model tokenizer.json text.txt missing",
    "show --model tokenizer.json --input text.txt --steps",
)


@pytest.mark.parametrize("words", [*map(call_of, BUILT_IN), *map(str.split, OTHERS)], ids=" ".join)
def test_calls_match_the_script(words: list[str], folder: Path) -> None:
    """The status and the bytes of both streams equal those of the installed program."""
    force = ["--force"] if "--output" in words else []
    stdin = "é <|endoftext|>".encode()
    called, started = (
        run(*words, *force, stdin=stdin, cwd=folder) for run in (bpetite, bpetite_process)
    )
    assert called.returncode == started.returncode
    assert without_times(called.stdout) == without_times(started.stdout)
    assert without_times(called.stderr) == without_times(started.stderr)


def test_a_result_does_not_depend_on_logging(folder: Path) -> None:
    """The summary is the same in a program that has turned logging off."""
    words = "train --input text.txt --vocab-size 270 --output new.json --force"
    logging.disable()
    try:
        quiet = bpetite(*words.split(), cwd=folder).stdout
    finally:
        logging.disable(logging.NOTSET)
    assert without_times(quiet) == without_times(bpetite(*words.split(), cwd=folder).stdout)
