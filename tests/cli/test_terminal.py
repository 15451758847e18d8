"""One rule for all commands: a terminal gets lines for people, and a program JSON."""

import re
import shlex
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from cli_tools import (
    bpetite,
    call,
    check_result,
    in_terminal,
    on_screen,
    rows_of,
    shown_in_terminal,
    terminal_width,
)
from help_tools import call_of, having

pytestmark = pytest.mark.posix

COLOR: Final = re.compile(r"\x1b\[[\d;]*m")

OBJECTS: Final = [
    *(call_of(command, "--output", "new.json", "--force") for command in having("--output")),
    *(call_of(command) for command in ("chunks", "show", "inspect", "sizes", "verify")),
    *(call_of("inspect", *more.split()) for more in ("--tokens", "--token 258")),
    call_of("count", "--by-token"),
]
"""Calls that print one JSON object, or one for each token or chunk."""

UNCHANGED: Final = [
    *(call_of(command) for command in ("encode", "decode", "count")),
    call_of("count", "--json"),
    call_of("encode", "--format", "text"),
]


@pytest.mark.parametrize("words", OBJECTS, ids=" ".join)
def test_a_terminal_gets_lines_and_a_program_json(words: list[str], folder: Path) -> None:
    """FR-34: either gets the other form on request; what is saved is also told beside a pipe."""
    check_result(words, folder)


@pytest.mark.parametrize("words", UNCHANGED, ids=" ".join)
def test_a_terminal_changes_no_ids_no_text_and_no_counts(words: list[str], folder: Path) -> None:
    """A terminal gets the bytes of a pipe."""
    shown = shown_in_terminal(words, folder, streams="1")
    assert shown == (0, bpetite(*words).stdout.decode())


def test_the_lines_of_a_training_have_all_figures(folder: Path) -> None:
    """FR-34: a terminal and a program get each figure that the specification names."""
    (folder / "text").write_text("low lower " * 150)
    words = ["train", "text", "--vocab-size", "1000", "--output", "new.json", "--force"]
    words += ["--special", "<|a|>", "<|b|>"]
    _, shown = shown_in_terminal(words, folder, columns=100)
    saved, *figures, names, digest = shown.splitlines()
    size = "261 tokens and 2 special tokens (no pair is left for the 1,000 wanted)"
    assert f"{saved} {figures[0]}".startswith(f"saved: new.json, {size} from 1.5 kB in ")
    assert re.search(
        "figures: 1,500 bytes; 261 of 1,000 tokens requested; 2 special tokens; [0-9,]+ ms; "
        "263 rows in a model$",
        " ".join(figures),
    )
    assert names == "special tokens: <|a|> (261), <|b|> (262)"
    assert digest == f"sha256: {sha256((folder / 'new.json').read_bytes()).hexdigest()}"
    (data,) = rows_of(shlex.join(words))
    assert [*data.values()][:4] == [1500, 1000, 261, 2]
    assert isinstance(data["elapsed_ms"], int)


@pytest.mark.parametrize("streams", ["12", "2"])
def test_lines_break_at_spaces(here: Path, streams: str) -> None:
    """No word is cut on a narrow terminal, and a command stays whole, to be copied."""
    _, shown = shown_in_terminal(["inspect", "none.json"], here, columns=40, streams=streams)
    assert COLOR.sub("", shown).splitlines() == [
        "error: tokenizer file not found:",
        "none.json (create one with",
        "`bpetite train`)",
    ]


@pytest.mark.parametrize(
    ("env", "on_terminal", "in_pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else str(value),
)
def test_colors_are_where_they_are_wanted(
    folder: Path, env: dict[str, str], on_terminal: bool, in_pipe: bool
) -> None:
    """Errors and results have them on a terminal; NO_COLOR and FORCE_COLOR win, in this order."""
    env = {"TERM": "xterm-256color", **env}
    for name in ("tokenizer.json", "none.json"):
        words = ["inspect", name, "--output-format", "text"]
        _, shown = shown_in_terminal(words, folder, env)
        assert ("\x1b[" in shown) == on_terminal
        piped = bpetite(*words, env=env)
        assert (b"\x1b[" in piped.stdout + piped.stderr) == in_pipe
    assert (b"\x1b[1;31merror:\x1b[0m " in piped.stderr) == in_pipe


TEXT: Final = (
    "한국어형태소분석은 हिन्दी में देवनागरीलिपि 👩‍👩‍👧 👍🏽👍🏽 🇰🇷🇫🇷 cafe\u0301\u0301 e\u0301 "
    "船夫说船夫说船夫说 ที่นี่ internationalisation "
)
SPECIAL: Final = [f"<|船夫说船夫说船夫说{number}|>" for number in range(30)]
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
    """The columns of the bar keep their widths, and lines replace the bar; it never shows 100 %."""
    status, sent = shown_in_terminal(TRAIN, corpus, columns=columns)
    assert status == 0
    assert phases(sent) == ["counting text", "counting pairs", "merging pairs", "saving"]
    (width,) = {len(frame) for frame in frames(sent)}
    assert width <= columns - 3  # the terminal appends the ^C of Ctrl-C
    assert ("  0 of 20.6 kB " in sent) == (columns >= 80)
    assert "100%" not in sent
    saved, *_ = on_screen(sent)
    assert saved.startswith("saved: t.json, 512 tokens and 1 special token from ")
    if columns == 80:
        known = {" ".join(frame[:-14].split()[-6:]) for frame in frames(sent)}
        assert any(figures.endswith("39% 100 of 256") for figures in known)
        assert "99% 20.6 kB of 20.6 kB" in known


@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(("columns", "shown"), [(16, "merging"), (39, "merging pairs")])
def test_a_narrow_bar_shows_the_percentage_and_the_phase(
    corpus: Path, columns: int, shown: str
) -> None:
    """Columns without room are left out, not squeezed."""
    _, sent = shown_in_terminal(TRAIN, corpus, columns=columns)
    assert f" 39% {shown}" in re.sub(r"\x1b\[[0-9;]*m", "", sent)
    assert not frames(sent)
    assert "\ntext" not in sent.replace("\r", "")  # "counting text" stays one line


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
