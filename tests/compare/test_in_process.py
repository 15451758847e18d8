"""The comparison's commands behave the same in the tests' process and in their own."""

from pathlib import Path

import pytest

from bpetite_compare import export
from cli_tools import as_short_option, bpetite, check_matches_script
from compare_tools import CORPUS
from help_tools import OF_COMPARE

CALLS = (
    "compare-tiktoken --model m.json --text é --encoding self",
    "export --model m.json --to tiktoken --output ranks --force",
    "import --from tiktoken --input ranks --output new.json --id-map ids.json --force",
    "import-tiktoken --ranks ranks --output new.json --force",
    "parity --model m.json --input text",
)


@pytest.mark.parametrize("words", CALLS)
def test_calls_match_the_script(words: str, small_model: Path, tmp_path: Path) -> None:
    """The status and the bytes of both streams equal those of the installed program."""
    (tmp_path / "m.json").write_bytes(small_model.read_bytes())
    (tmp_path / "text").write_bytes(CORPUS.encode())
    export(small_model, "tiktoken", tmp_path / "ranks")
    check_matches_script(*words.split(), cwd=tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("words", CALLS)
def test_short_options_are_accepted(words: str, small_model: Path, tmp_path: Path) -> None:
    """`-m`, `-i`, `-o` and `-q` are short for the long names, and `help` for `--help`."""
    (tmp_path / "m.json").write_bytes(small_model.read_bytes())
    (tmp_path / "text").write_bytes(CORPUS.encode())
    export(small_model, "tiktoken", tmp_path / "ranks")
    long = bpetite(*words.split(), "--quiet", cwd=tmp_path)
    short = bpetite(*map(as_short_option, words.split()), "-q", cwd=tmp_path)
    assert (short.returncode, short.stdout, short.stderr) == (0, long.stdout, b"")
    command = words.split(maxsplit=1)[0]
    assert bpetite("help", command).stdout == bpetite(command, "--help").stdout


def test_every_command_is_started_once() -> None:
    assert {words.split()[0] for words in CALLS} == {*OF_COMPARE, "import-tiktoken"}
