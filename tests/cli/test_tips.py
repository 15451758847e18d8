"""Tips for words that other programs use: none is wrong, and none is a guess of a meaning."""

import re
from pathlib import Path
from typing import Final

import pytest

from bpetite_cli import tips
from bpetite_cli.app import make_parser
from bpetite_cli.commands import NAMES
from cli_tools import bpetite, refused

TABLE: Final = tips._TABLE.read_text("ascii")
WORDS: Final = sorted(
    {word for line in TABLE.splitlines() for word in line.partition(": ")[0].split()}
)
OPTIONS: Final = [word for word in WORDS if word.startswith("--")]
COMMANDS: Final = [word for word in WORDS if word.isalpha()]


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    """Return the options of each command, also those of bpetite-compare if it is installed."""
    parser = make_parser(["--help"])
    (commands,) = parser._subparsers._group_actions  # type: ignore[union-attr]
    return {name: {*one._option_string_actions} for name, one in commands.choices.items()}  # type: ignore[union-attr]


def check(tip: str, own: set[str], known: dict[str, set[str]]) -> None:
    """Check that each option in a tip is the command's own, or one of a command that it names."""
    for words in re.findall("`bpetite ([^`]*)`", tip):
        command, *others = words.split()
        options = {word for word in others if word.startswith("--")}
        assert command in NAMES or command in {"--version", "--completion"}
        assert options <= known.get(command, options)
        own = own | known.get(command, set())
    named = re.findall(r"(?<!\S)--[a-z-]+", re.sub("`[^`]*`", "", tip))
    assert own >= {*named}, tip


def test_every_tip_for_an_option_names_what_exists(known: dict[str, set[str]]) -> None:
    """In each command, a tip names options of this command, or says which command has them."""
    if "export" not in known:
        pytest.skip("some rows name commands of bpetite-compare")
    found = set()
    for own in known.values():
        for word in {*OPTIONS} - own:
            if tip := tips.called_here(word, own):
                check(tip, own, known)
                found.add(word)
    if known.keys() >= {*NAMES}:
        assert found == {*OPTIONS}  # no row is without use


def test_every_tip_for_a_command_names_what_exists(known: dict[str, set[str]]) -> None:
    """A tip for a command is a command line that exists."""
    for word in COMMANDS:
        tip = tips.called_here(word, known)
        assert "`" in tip, word
        check(tip, set(), known)


@pytest.mark.parametrize("name", NAMES)
def test_no_word_of_the_table_is_a_name_here(name: str) -> None:
    """A command is no word of the table, and its near misses give the command."""
    assert name not in COMMANDS
    assert tips.called_here(name[:-2] + name[-1] + name[-2], NAMES) == f"; did you mean {name}?"


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        pytest.param("--format", "--force", None, id="three-letters-apart"),
        pytest.param("--vocab", "--jobs", None, id="two-letters-in-common"),
        pytest.param("--dtype", "--text", None, id="other-vowels"),
        pytest.param("version", "verify", None, id="the-same-beginning"),
        pytest.param("convert", "count", None, id="the-same-ends"),
        pytest.param("--max", "--tax", None, id="too-short-to-be-sure"),
        pytest.param("-x", "-i", None, id="one-letter"),
        pytest.param("u8", "u16 u32", None, id="other-digits"),
        pytest.param("--fore", "--force --form", None, id="two-are-as-near"),
        pytest.param("--fo", "--force --format", None, id="two-begin-so"),
        pytest.param("--ouput", "--output", "--output", id="a-missing-letter"),
        pytest.param("--outputt", "--output", "--output", id="an-additional-letter"),
        pytest.param("--oitput", "--output", "--output", id="a-wrong-letter"),
        pytest.param("--outptu", "--output", "--output", id="swapped-letters"),
        pytest.param("--vocb-szie", "--vocab-size", "--vocab-size", id="two-in-a-long-word"),
        pytest.param("--Vocab_Size", "--vocab-size", "--vocab-size", id="an-underscore"),
        pytest.param("--vocabsize", "--vocab-size", "--vocab-size", id="without-the-dash"),
        pytest.param("--outp", "--output --text", "--output", id="a-beginning"),
    ],
)
def test_only_near_misses_are_guessed(word: str, known: str, meant: str | None) -> None:
    """One wrong letter in four to seven, two in more, digits are equal, and one name fits."""
    tip = tips.meant(word, known.split())
    assert tip == (f"; did you mean {meant}?" if meant else "")


@pytest.mark.parametrize(
    ("words", "tip"),
    [
        ("count -m gpt-4o text.txt", "for the model, use `bpetite count --encoding o200k_base`"),
        ("encode -m openai/gpt-4o-mini text.txt", "`bpetite import --encoding o200k_base --output"),
        (
            "show -m openai-community/gpt2 text.txt",
            "`bpetite count --encoding gpt2`, the same with",
        ),
        ("count -m gpt-3.5-turbo text.txt", "`bpetite count --encoding cl100k_base`"),
        ("count -m cl100k_base text.txt", "`bpetite count --encoding cl100k_base`"),
        (
            "show -m llama3 text.txt",
            "for a model, download its tokenizer.json, then use `bpetite import",
        ),
        ("count -m Qwen/Qwen3-8B text.txt", "for a model, download its tokenizer.json, then use"),
        ("count -m gpt-oss-20b text.txt", "for a model, download its tokenizer.json, then use"),
        ("count -m gpt4all text.txt", "for a model, download its tokenizer.json, then use"),
        ("inspect -m o3-mini", "`bpetite count --encoding o200k_base`"),
        ("sizes -m GPT-4 text.txt", "`bpetite count --encoding cl100k_base`"),
        ("verify -m tokenizer.json --start gpt-2 text.txt", "`bpetite count --encoding gpt2`"),
    ],
)
def test_the_name_of_a_model_gets_the_way_that_works(folder: Path, words: str, tip: str) -> None:
    """A name that is not a file may be a model: a tip says how to get its tokenizer."""
    lines = refused(bpetite(*words.split(), cwd=folder))
    assert "train" not in lines[-1]
    assert tip in lines[-1]


@pytest.mark.parametrize(
    ("word", "own", "meant"),
    [
        ("--out", "--output", "; did you mean --output?"),
        ("--eos-token", "--eos", "; did you mean --eos?"),
        ("--eos-token", "--separator-token", "; did you mean --separator-token?"),
        ("--bos_token", "--bos", "; did you mean --bos?"),
        ("--pad-token", "--pad", "; did you mean --pad?"),
        ("--unk-token", "--unk", "; did you mean --unk?"),
    ],
)
def test_a_word_has_the_name_that_the_command_has(word: str, own: str, meant: str) -> None:
    """The roles of an export are options of their own."""
    assert tips.called_here(word, [own]) == meant
