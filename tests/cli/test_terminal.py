"""One rule for all commands: a terminal gets rows, or the messages and the bytes of a pipe."""

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from cli_tools import (
    bpetite,
    call,
    in_terminal,
    on_screen,
    shown_in_terminal,
    terminal_width,
    without_times,
)
from help_tools import call_of, having

pytestmark = pytest.mark.posix

SUMMARIES: Final = [call_of(command, "--output", "new.json") for command in having("--output")]
UNCHANGED: Final = [
    *(call_of(command, "--json") for command in ("count", "show", "inspect", "sizes")),
    *(call_of(command) for command in ("encode", "decode", "count")),
    call_of("encode", "--format", "text"),
    call_of("inspect", "--tokens", "--json"),
]


def without_output(folder: Path) -> Path:
    """Return the folder, without the output of an earlier call."""
    (folder / "new.json").unlink(missing_ok=True)
    return folder


@pytest.mark.parametrize("words", SUMMARIES, ids=" ".join)
def test_an_object_is_one_line_after_the_messages_on_a_terminal(
    words: list[str], folder: Path
) -> None:
    """A terminal and a pipe get the same line; on a terminal it comes last."""
    piped = bpetite(*words).stdout
    assert piped == json.dumps(json.loads(piped)).encode("ascii") + b"\n"
    status, shown = shown_in_terminal(words, without_output(folder), streams="1")
    assert status == 0
    assert without_times(shown.encode()) == without_times(piped)
    status, shown = shown_in_terminal(words, without_output(folder), columns=200)
    *messages, line = shown.splitlines(keepends=True)
    assert (status, any(message.strip() for message in messages)) == (0, True)
    assert without_times(line.encode()) == without_times(piped)


@pytest.mark.parametrize("words", UNCHANGED, ids=" ".join)
def test_a_terminal_changes_no_ids_no_text_and_no_json_that_is_asked_for(
    words: list[str], folder: Path
) -> None:
    """With `--json`, a terminal gets the bytes of a pipe, and so it does with ids and counts."""
    shown = shown_in_terminal(words, folder, streams="1")
    assert shown == (0, bpetite(*words).stdout.decode())


@pytest.mark.parametrize(("columns", "first"), [(80, "saved: "), (30, "{")])
def test_a_long_object_does_not_hide_the_messages(folder: Path, columns: int, first: str) -> None:
    """An object that fills half of the screen comes before the messages."""
    words = call_of("train", "--force")
    assert 30 * 12 <= len(bpetite(*words).stdout) - 1 < 80 * 12
    _, shown = shown_in_terminal(words, folder, columns=columns)
    assert shown.startswith(first)


def test_a_terminal_gets_the_figures_of_a_training_in_words(folder: Path) -> None:
    """FR-34: the messages of `train` have all figures of the specification, unless it is quiet."""
    (folder / "text").write_text("low lower " * 150)
    words = ["train", "text", "--vocab-size", "1000", "--output", "new.json", "--force"]
    words += ["--special", "<|a|>", "<|b|>"]
    _, shown = shown_in_terminal(words, folder)
    saved, figures, named, printed = shown.splitlines()
    assert named == "special tokens: <|a|> (261), <|b|> (262)"
    data = json.loads(printed)
    assert saved.startswith("saved: new.json, 261 tokens (no pair is left for the 1,000 wanted) ")
    assert figures == (
        "figures: 1,500 bytes; 261 of 1,000 tokens requested; 2 special tokens; "
        f"{data['elapsed_ms']} ms"
    )


TEXT: Final = (
    "한국어형태소분석은 हिन्दी में देवनागरीलिपि 👩‍👩‍👧 👍🏽👍🏽 🇰🇷🇫🇷 cafe\u0301\u0301 e\u0301 "
    "船夫说船夫说船夫说 ที่นี่ internationalisation "
)
SPECIAL: Final = [f"<|船夫说船夫说船夫说{number}|>" for number in range(30)]
COLOR: Final = re.compile(r"\x1b\[[\d;]*m")
ROWS: Final = {
    "chunks --counts many": r" *[\d,]+  (.*)",
    "count -m m --by-token text": r" *\d+  (.*)",
    "inspect -m chat": r"  (?!\d+ single|and )(\S.*)",
    "inspect -m chat --tokens": r" *\d+  (.*)",
    "inspect -m m --token-text 한국어형태소분석은": r"(.*)  id \d+.*",
}
"""Commands that print rows, each with what a row looks like and the place of its token."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("widths")
    (folder / "text").write_text(f"{TEXT}{SPECIAL[0]}" * 20, encoding="utf-8")
    (folder / "many").write_text(f'{{"text": "{TEXT}", "count": 12345678}}', encoding="utf-8")
    words = "train text --vocab-size 999 --output"
    assert call(f"{words} m", cwd=folder).returncode == 0
    own = ("--pattern", "gpt4", "--special", *SPECIAL)
    assert call(f"{words} chat", *own, cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("columns", [16, 28, 80])
@pytest.mark.parametrize("words", ROWS)
def test_rows_fit(files: Path, words: str, columns: int) -> None:
    """No row is wider than the screen, and none hides its token."""
    status, shown = shown_in_terminal(shlex.split(words), files, columns=columns)
    assert status == 0
    lines = COLOR.sub("", shown).splitlines()
    rows = [found for line in lines if (found := re.fullmatch(ROWS[words], line))]
    assert len(rows) >= 10
    for row in rows:
        assert terminal_width(row[0]) <= columns
        assert row[1].rstrip() != "…"


@pytest.mark.parametrize("columns", [16, 80])
def test_descriptions_of_steps_are_aligned(files: Path, columns: int) -> None:
    """A description beside the tokens begins in the same cell in each line, and fits."""
    words = ["show", "-m", "m", "--steps", "--text", "한 하 船 🇰 e\u0301 प"]
    _, shown = shown_in_terminal(words, files, columns=columns)
    found = 0
    for chunk in COLOR.sub("", shown).split("\n\n"):
        beside = re.findall(r"(?m)^(  \S.*  )((?:bytes|rank) .*)$", chunk)
        assert len({terminal_width(begin) for begin, _ in beside}) <= 1
        assert all(terminal_width(begin + end) <= columns for begin, end in beside)
        found += len(beside)
    assert found or columns == 16


# The bar


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


@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize("columns", [60, 80])
def test_one_bar_shows_all_training_phases(corpus: Path, columns: int) -> None:
    """The columns of the bar keep their widths, and a line of summary replaces the bar."""
    status, sent = shown_in_terminal(TRAIN, corpus, columns=columns)
    assert status == 0
    assert phases(sent) == ["counting text", "counting pairs", "merging pairs", "saving"]
    (width,) = {len(frame) for frame in frames(sent)}
    assert width <= columns - 3  # the terminal appends the ^C of Ctrl-C
    assert ("  0 of 20.6 kB " in sent) == (columns >= 80)
    saved, *_, result = on_screen(sent)
    assert saved.startswith("saved: t.json, 512 tokens from 20.6 kB in ")
    assert json.loads("".join(result))["corpus_bytes"] == 20631
    if columns == 80:
        known = {" ".join(frame[:-14].split()[-6:]) for frame in frames(sent)}
        assert any(figures.endswith("39% 100 of 256") for figures in known)
        assert "100% 20.6 kB of 20.6 kB" in known


@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(("columns", "shown"), [(16, "merging"), (39, "merging pairs")])
def test_a_narrow_bar_shows_the_percentage_and_the_phase(
    corpus: Path, columns: int, shown: str
) -> None:
    """Columns without room are left out, not squeezed."""
    _, sent = shown_in_terminal(TRAIN, corpus, columns=columns)
    assert f" 39% {shown}" in re.sub(r"\x1b\[[0-9;]*m", "", sent)
    assert not frames(sent)


@pytest.mark.parametrize(("words", "shown"), [("72 105", "Hi\n"), ("72 10", "H\n"), ("", "")])
def test_a_prompt_starts_a_line_of_its_own(folder: Path, words: str, shown: str) -> None:
    """`decode` ends an unfinished line if standard output is a terminal."""
    arguments = ["decode", "--model", "tokenizer.json", "--ids", *words.split()]
    assert shown_in_terminal(arguments, folder) == (0, shown)
    assert shown_in_terminal(arguments, folder, streams="1") == (0, shown)
    _, output, drawn = in_terminal(arguments, folder)
    assert (output.decode().strip(), drawn) == (shown.strip(), b"")


@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("encode", "loading encoding"),
        ("decode", "loading decoding"),
        ("count", "loading counting"),
        ("sizes", "loading counting"),
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


@pytest.mark.usefixtures("bar_at_once")
def test_the_bar_is_gone_before_an_error(folder: Path) -> None:
    """Nothing of it stays on the screen."""
    status, sent = shown_in_terminal(
        ["decode", "-m", "tokenizer.json", "--ids", "72", "999"], folder
    )
    assert (status, phases(sent)) == (1, ["loading", "decoding"])
    assert on_screen(sent) == ["error: unknown token id 999 at position 1; the ids are 0 to 310"]
