"""One rule for all commands: a terminal gets rows, or the messages and the bytes of a pipe."""

import json
from pathlib import Path
from typing import Final

import pytest

from cli_tools import bpetite, result_in_terminal, shown_in_terminal, without_times
from help_tools import call_of, printing

pytestmark = pytest.mark.posix

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


@pytest.mark.parametrize("words", SUMMARIES, ids=" ".join)
def test_an_object_is_one_line_after_the_messages_on_a_terminal(
    words: list[str], folder: Path
) -> None:
    """A terminal, a pipe and a file get the same line; on a terminal it comes last."""
    piped = bpetite(*words).stdout
    assert piped == json.dumps(json.loads(piped)).encode("ascii") + b"\n"
    bpetite(*words, cwd=without_output(folder), stdout=folder / "printed")
    status, shown = result_in_terminal(words, without_output(folder))
    assert status == 0
    for printed in ((folder / "printed").read_bytes(), shown.encode()):
        assert without_times(printed) == without_times(piped)
    status, shown = shown_in_terminal(words, without_output(folder), columns=200)
    *messages, line = shown.splitlines(keepends=True)
    assert (status, any(message.strip() for message in messages)) == (0, True)
    assert without_times(line.encode()) == without_times(piped)


@pytest.mark.parametrize("words", UNCHANGED, ids=" ".join)
def test_a_terminal_changes_no_ids_no_text_and_no_json_that_is_asked_for(
    words: list[str], folder: Path
) -> None:
    """With `--json`, a terminal gets the bytes of a pipe, and so it does with ids and counts."""
    piped = bpetite(*words).stdout
    assert result_in_terminal(words, folder) == (0, piped.decode())


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
    saved, figures, printed = shown.splitlines()
    data = json.loads(printed)
    assert saved.startswith("saved: new.json, 261 tokens (no pair is left for the 1,000 wanted) ")
    assert figures == (
        "figures: 1,500 bytes; 261 of 1,000 tokens requested; 2 special tokens; "
        f"{data['elapsed_ms']} ms"
    )
    _, shown = shown_in_terminal([*words, "--quiet"], folder)
    assert json.loads(shown)["vocab_size"] == 261
