"""The tests call `main` in their own process, which behaves like the installed script."""

import logging
import os
import signal
import sys
from pathlib import Path

import pytest

from cli_tools import bpetite, bpetite_process, without_times
from help_tools import BUILT_IN, TEXTS, call_of

NOT_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

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
    """The installed program has the same status and output, and under any locale UTF-8."""
    for name in TEXTS:
        (folder / name).rename(folder / f"{name} é")
    call = [f"{word} é" if word in TEXTS else word for word in words]
    call += ["--force"] if "--output" in words else []
    stdin = "é <|endoftext|>".encode()
    called = bpetite(*call, stdin=stdin)
    encoded = [word.encode() for word in call]
    started = bpetite_process(*encoded, stdin=stdin, cwd=folder, env=NOT_UTF_8)
    assert called.returncode == started.returncode
    assert without_times(called.stdout) == without_times(started.stdout)
    assert without_times(called.stderr) == without_times(started.stderr)


def test_calls_have_no_side_effects(folder: Path) -> None:
    """Streams, descriptors, folder, environment, signals and loggers are unchanged."""

    def state() -> list[object]:
        logger = logging.getLogger("bpetite")
        return [
            (sys.stdin, sys.stdout, sys.stderr, sys.argv, Path.cwd(), dict(os.environ)),
            [os.fstat(number) for number in range(3)],
            [signal.getsignal(number) for number in signal.valid_signals()],
            (logger.level, logger.propagate, logger.handlers[:], logging.root.handlers[:]),
            logging.raiseExceptions,
            sorted(Path("/dev/fd").iterdir()),
        ]

    before = state()
    words = "train --input text.txt --vocab-size 270 --output new.json"
    assert bpetite(*words.split(), env={"COLUMNS": "30"}).returncode == 0
    bpetite("encode", "--model", "none", "--text", "a", closed="stdout")
    bpetite("--version", env={"COLUMNS": "0"})  # the program removes it
    assert state() == before


def test_a_result_does_not_depend_on_logging(folder: Path) -> None:
    """The summary is the same in a program that has turned logging off."""
    words = "train --input text.txt --vocab-size 270 --output new.json --force"
    logging.disable()
    try:
        quiet = bpetite(*words.split()).stdout
    finally:
        logging.disable(logging.NOTSET)
    assert without_times(quiet) == without_times(bpetite(*words.split()).stdout)
