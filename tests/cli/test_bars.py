"""The bar on a terminal while a command works."""

import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from cli_tools import (
    bpetite,
    in_terminal,
    lines,
    on_screen,
    piped_in_terminal,
    shown_in_terminal,
    terminal_process,
)
from help_tools import call_of

TRAIN: Final = ("train", "-i", "corpus", "--vocab-size", "512", "-o", "t.json")


@pytest.fixture
def corpus(here: Path) -> Path:
    """Return a folder with a text that has more than a hundred merges."""
    (here / "corpus").write_text(" ".join(f"{n:x}" for n in range(5000)))
    return here


def frames(sent: str) -> list[str]:
    """Return the states of the bar that were sent to a terminal, without colors."""
    lines = re.split(r"[\r\n]|\x1b\[[?0-9;]*[A-Zhl]", re.sub(r"\x1b\[[0-9;]*m", "", sent))
    return [line for line in lines if re.fullmatch(r".* (left|so far)", line)]


def phases(sent: str) -> list[str]:
    """Return the phases that a terminal showed, in order."""
    names = [frame[:14].rstrip() for frame in frames(sent)]
    return [name for before, name in pairwise(["", *names]) if name != before]


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize("columns", [60, 80, 200])
def test_one_bar_shows_all_training_phases(corpus: Path, columns: int) -> None:
    """The columns of the bar keep their widths, and a line of summary replaces the bar."""
    status, sent = shown_in_terminal(TRAIN, corpus, columns=columns)
    assert status == 0
    assert phases(sent) == [*("counting text", "counting pairs", "merging pairs", "saving")]
    (width,) = {len(frame) for frame in frames(sent)}
    assert width <= columns - 3  # the terminal appends the ^C of Ctrl-C
    assert ("  0 of 20.6 kB " in sent) == (columns >= 80)
    saved, *_, result = on_screen(sent)
    assert saved.startswith("saved: t.json, 512 tokens from 20.6 kB in ")
    assert json.loads("".join(result))["corpus_bytes"] == 20631


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_the_percentage_is_that_of_the_figures(corpus: Path) -> None:
    """A hundred of 256 merges are 39 percent."""
    _, _, sent = in_terminal(TRAIN, corpus, {"COLUMNS": "80"})
    shown = {tuple(frame[:-14].split()[-7:]) for frame in frames(sent.decode())}
    assert ("39%", "100", "of", "256") in {columns[-4:] for columns in shown}
    assert ("100%", "20.6", "kB", "of", "20.6", "kB") in {columns[-6:] for columns in shown}


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(("columns", "shown"), [(16, "merging"), (39, "merging pairs")])
def test_a_narrow_bar_shows_the_percentage_and_the_phase(
    corpus: Path, columns: int, shown: str
) -> None:
    """Columns without room are left out, not squeezed."""
    _, sent = shown_in_terminal(TRAIN, corpus, columns=columns)
    assert f" 39% {shown}" in re.sub(r"\x1b\[[0-9;]*m", "", sent)
    assert not frames(sent)


@pytest.mark.posix
@pytest.mark.thorough
@pytest.mark.parametrize(
    "words", ["count --model tokenizer.json", "train --vocab-size 300 -o new -i"]
)
def test_an_interrupt_leaves_one_line(folder: Path, words: str) -> None:
    """The bar appears although the job is blocked, and Ctrl-C removes it without a trace."""
    os.mkfifo(folder / "fifo")
    held = os.open(folder / "fifo", os.O_RDWR)  # the command waits for text, not for a writer
    status, sent = terminal_process([*words.split(), "fifo"], folder, typed=b"\x03")
    os.close(held)
    assert status == 130
    assert frames(sent)
    assert "^C" in sent
    assert on_screen(sent) == ["interrupted"]
    assert not (folder / "new").exists()


@pytest.mark.posix
@pytest.mark.parametrize(
    ("words", "shown"), [("72 105", "Hi\n"), ("72 10", "H\n"), ("", ""), ("72 105 --quiet", "Hi")]
)
def test_a_prompt_starts_a_line_of_its_own(folder: Path, words: str, shown: str) -> None:
    """`decode` ends an unfinished line on standard error, so standard output stays the text."""
    arguments = ["decode", "--model", "tokenizer.json", "--ids", *words.split()]
    assert shown_in_terminal(arguments, folder) == (0, shown)
    _, output, drawn = in_terminal(arguments, folder)
    assert (output.decode().strip(), drawn) == (shown.strip(), b"")


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        *(("encode", "loading encoding"), ("decode", "loading decoding")),
        *((f"count{more}", "loading counting") for more in ("", " --by-token")),
        *(("sizes", "loading counting"), ("show --json", "loading encoding")),
        ("verify", "loading counting counting"),
        ("chunks --output out", "counting sorting saving"),
    ],
)
def test_the_bar_is_gone_before_the_result(folder: Path, words: str, shown: str) -> None:
    """A bar names each phase, and nothing of it stays on the screen."""
    status, sent = shown_in_terminal(call_of(*words.split()), folder)
    assert status == 0
    assert " ".join(phase.split()[0] for phase in phases(sent)) == shown
    assert not any("━" in line for line in on_screen(sent))
    assert sent.rfind("\x1b[?25l") < sent.rfind("\x1b[?25h")  # the cursor is shown again


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(
    "words",
    [
        *("chunks", "encode -m tokenizer.json --format text", "decode -m tokenizer.json"),
        *("show -m tokenizer.json --json", "count -m tokenizer.json --by-token"),
    ],
)
def test_the_bar_is_gone_before_a_pipe_to_the_terminal(folder: Path, words: str) -> None:
    """No line of a long result is in the line of the bar, where the bar would remove it."""
    call = [*words.split(), "text.txt"]
    numbers = range(2_000 if "show" in call else 20_000)  # its lines are long
    (folder / "text.txt").write_text("\n".join(f"{n:x}" for n in numbers))
    if "decode" in call:
        encoded = bpetite("encode", "-m", "tokenizer.json", "text.txt")
        (folder / "text.txt").write_bytes(encoded.stdout)
    result = [line for line in lines(bpetite(*call).stdout) if line]
    status, sent = piped_in_terminal(call, folder)
    assert (status, bool(phases(sent))) == (0, True)
    assert on_screen(sent) == result
