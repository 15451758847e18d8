"""Patterns and special tokens of one's own, through every command."""

import json
import random
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

import oracle
from bpetite import Tokenizer
from bpetite._patterns import PATTERNS
from bpetite_cli import pipe
from cli_tools import bpetite, lines, printed, refusal, rows_of

TEXT: Final = "It's 12345 o'clock.\n\nIT'S (lowest)\n/lower camelCase e\u0301 船夫 low low\r\n" * 3
NAMES: Final = (
    *("<|user|>", "<|end|>", "|end|>x>", "er|><|end", "</s>", "\x1cé1.", "a-<|", "|>a-", "B]"),
)
"""Nine special tokens: some are parts of others, or begin where others end."""

MOST: Final = [f"<|{number}|>" for number in range(4096)]


@pytest.fixture
def texts(here: Path) -> Path:
    """Return a folder with a text, and a tokenizer with a pattern and nine special tokens."""
    (here / "text").write_bytes(TEXT.encode())
    make(here / "own.json", NAMES)
    return here


def make(path: Path, names: Sequence[str], size: int = 290) -> None:
    Tokenizer.train(TEXT, size, pattern="gpt4", special_tokens=names).save(path)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_command_knows_the_pattern(texts: Path, pattern: str) -> None:
    """`train` obeys the oracle, and all other commands need no option."""
    own = ("--pattern", pattern, "--special", *NAMES)
    summary = rows_of("train text --vocab-size 290 -o t.json", *own)[0]
    merges = oracle.train([TEXT], 290, pattern=PATTERNS[pattern].text)
    special = {name: 256 + len(merges) + place for place, name in enumerate(NAMES)}
    assert Tokenizer.load("t.json")._artifact.merges == merges
    assert (summary["special_token_count"], summary["pattern"]) == (len(NAMES), pattern)
    shown = rows_of("inspect -m t.json --json")[0]
    for key in ("vocab_size", "pattern", "special_tokens", "sha256"):
        assert shown[key] == summary[key]
    assert (shown["schema_version"], shown["special_tokens"]) == (2, special)
    assert shown["pretokenizer_pattern"] == PATTERNS[pattern].text

    both = zip(NAMES, NAMES[::-1], strict=True)
    text = "".join(f"{name}{TEXT}{name}{other}" for name, other in both)
    (texts / "chat").write_bytes(text.encode())
    ids = oracle.encode(text, merges, PATTERNS[pattern].text, NAMES)
    assert rows_of("encode -m t.json chat")[0] == ids
    assert printed("decode -m t.json", "--ids", *map(str, ids)) == text.encode()
    assert printed("count -m t.json chat") == b"%d\tchat\n" % len(ids)
    frequencies = rows_of("count -m t.json --by-token chat")
    assert Counter({row["id"]: row["count"] for row in frequencies}) == Counter(ids)
    steps = printed("show -m t.json --steps chat").decode()
    assert [int(i) for line in re.findall(r"(?m)^ +ids? (.*)$", steps) for i in line.split()] == ids
    assert steps.startswith(f"pattern {pattern}\n\n")

    proof = rows_of("verify -m t.json text")[0]
    assert (proof["equal"], proof["merges_proved"]) == (True, len(merges))
    printed("truncate -m t.json --vocab-size 270 -o less.json")
    printed("train text --vocab-size 270 -o 270.json", *own)
    assert (texts / "less.json").read_bytes() == (texts / "270.json").read_bytes()
    printed("train text --vocab-size 290 --start less.json -o grown.json")
    assert (texts / "grown.json").read_bytes() == (texts / "t.json").read_bytes()

    printed("chunks text -o rows", "--pattern", pattern)
    printed("train --counts rows --vocab-size 290 -o rows.json", *own)
    printed("train --counts rows --vocab-size 290 --start less.json -o rows2.json")
    assert (texts / "rows.json").read_bytes() == (texts / "t.json").read_bytes()
    assert (texts / "rows2.json").read_bytes() == (texts / "t.json").read_bytes()
    summed = printed("chunks --counts rows", "--pattern", pattern)
    assert summed == (texts / "rows").read_bytes()
    assert {json.loads(row)["pattern"] for row in summed.splitlines()} == {pattern}


def test_special_tokens_are_given_in_order(texts: Path) -> None:
    """Without the option there is `<|endoftext|>`; without values there is none."""
    for words, names in (
        ("", ["<|endoftext|>"]),
        ("--special", []),
        ("--special '<|a|>' '<|b|>'", ["<|a|>", "<|b|>"]),
        ("--special '<|b|>' --special --special '<|a|>'", ["<|b|>", "<|a|>"]),
        ("--special '<|endoftext|>'", ["<|endoftext|>"]),
    ):
        printed(f"train text --vocab-size 270 --force -o new.json {words}")
        assert Tokenizer.load("new.json") == Tokenizer.train(TEXT, 270, special_tokens=names)


def test_a_file_is_not_a_special_token(texts: Path) -> None:
    """A path among the special tokens would silently be no input."""
    (texts / "a.b").touch()
    call = "train text --vocab-size 270 -o new.json --special '<|a|>' a.b"
    advice = "put it before --special, or after --input"
    assert refusal(call, status=2)[0] == f"error: argument --special: 'a.b' is a file; {advice}"


# --start


def test_a_message_names_the_moved_ids(texts: Path) -> None:
    """`--special` adds behind the special tokens of the start, and these move."""
    for names, size, said in (
        ([], 290, ""),
        (["<|a|>"], 290, "; <|a|> moves from id 270 to id 290"),
        (["<|a|>"], 270, "; <|a|> stays id 270, as no merge is new"),
        (NAMES, 290, "; 9 special tokens move from ids 270-278 to ids 290-298"),
        (NAMES, 270, "; 9 special tokens stay ids 270-278, as no merge is new"),
    ):
        start, new = f"{len(names)}-{size}.json", f"new-{len(names)}-{size}.json"
        make(texts / start, names, 270)
        words = f"train text --start {start} --vocab-size {size} --special '<|new|>' -o {new}"
        result = bpetite(*shlex.split(words))
        way_out = " (to keep all ids, use --keep-ids)" if " to id" in said else ""
        assert lines(result.stderr)[-1] == f"kept: 14 merges{said}{way_out}"
        assert list(json.loads(result.stdout)["special_tokens"]) == [*names, "<|new|>"]
        printed(f"verify -m {new} --start {start} text") if size > 270 else None


def test_what_a_start_does_not_allow_is_explained(texts: Path) -> None:
    """Another pattern, and special tokens that it has already, are refused with the way out."""
    way_out = "(leave out --pattern, or train without --start)"
    has = "own.json has it (leave it out of --special)"
    begins = "it begins with the special token '</s>'; '<|s_1|>' would work"
    for words, error in (
        (
            "--pattern gpt2",
            f"cannot continue own.json with the pattern gpt2: it has gpt4 {way_out}",
        ),
        ("--special '<|new|>' '</s>'", f"cannot add the special token '</s>': {has}"),
        ("--special '</s>1.'", f"special token '</s>1.': {begins}"),
    ):
        call = f"train text --start own.json --vocab-size 300 -o new.json {words}"
        assert refusal(call) == [f"error: {error}"]


# Separators


def test_the_separator_is_clear_or_named(texts: Path) -> None:
    """It is the only special token, or `<|endoftext|>`, or the one of `--separator`."""
    (texts / "docs").write_text('{"text": "<|a|>"}\n{"text": "b"}\n')
    one, two = ([*text.encode()] for text in ("<|a|>", "b"))
    for number, (other, option, ids) in enumerate(
        (
            ([], "--separator-token", [*one, 290, *two]),
            (["<|endoftext|>"], "--separator-token", [*one, 291, *two]),
            (["<|endoftext|>"], "--separator '<|a|>'", [*one, 290, *two]),
            (["<|b|>"], "--separator '<|b|>' --separator-at after", [*one, 291, *two, 291]),
        )
    ):
        make(texts / f"{number}.json", ["<|a|>", *other])
        assert rows_of(f"encode -m {number}.json docs --jsonl text --ordinary {option}") == [ids]


def test_an_unclear_separator_is_an_error(texts: Path) -> None:
    """The error lists the special tokens, but not thousands of them."""
    none = "has no special token to separate documents; `bpetite train` and `bpetite import` add"
    several = "has several special tokens; name one with --separator:"
    other = "has no special token '<|b|>'; name one with --separator: <|a|>"
    for names, option, error in (
        ([], "--separator-token", f"{none} some with --special"),
        (["<|a|>", "<|b|>"], "--separator-token", f"{several} <|a|>, <|b|>"),
        (["<|a|>"], "--separator '<|b|>'", other),
        (MOST, "--separator-token", f"{several} {', '.join(MOST[:10])} and 4,086 more"),
    ):
        make(texts / f"{len(names)}.json", names)
        (line,) = refusal(f"encode -m {len(names)}.json text text {option}")
        assert line == f"error: {len(names)}.json {error}"


# What a terminal shows


def test_inspect_lists_the_special_tokens(texts: Path) -> None:
    """Each has a row with its id, but thousands do not flood the screen."""
    page = printed("inspect -m own.json").decode()
    tokens = "299: 256 bytes, 34 merges, 9 special tokens"
    assert f"\nschema version  2\ntokens          {tokens}\n" in page
    assert f"\npattern         gpt4\npattern text    {oracle.PATTERNS['gpt4']}\n" in page
    make(texts / "many.json", MOST)
    page = printed("inspect -m many.json").decode()
    assert "\n  4386  8 bytes  <|4096|>\n" not in page
    assert "\n   299  5 bytes  <|9|>\n  and 4,086 more\n" in page
    assert len(rows_of("inspect -m many.json --json")[0]["special_tokens"]) == 4096
    make(texts / "none.json", [])
    page = printed("inspect -m none.json").decode()
    assert page.count("special") == page.count("34 merges, 0 special tokens") == 1


# Several blocks and processes


@pytest.mark.parametrize("pattern", PATTERNS)
def test_blocks_and_processes_cut_no_special_token(
    here: Path, block: int, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    """The ids are those of the whole text, wherever blocks and batches end."""
    jobs = 2 if pattern == "gpt4o" else 1  # the batches are the same
    monkeypatch.setattr(pipe, "_WORTH_WORKERS", 2 * block)
    monkeypatch.setattr(pipe, "_CHARACTERS_OF_A_BATCH", 1000)
    source = random.Random(33)
    pieces = [*NAMES, *NAMES, " ", "\n", "\r\n", "\n/", "a", " lower", "12", "船", "<|", "\x1c"]
    text = "".join(source.choices(pieces, k=3 * block))
    tokenizer = Tokenizer.train(TEXT, 270, pattern=pattern, special_tokens=NAMES)
    tokenizer.save("t.json")
    (here / "text").write_bytes(text.encode())
    rows = [text[start : start + 999] for start in range(0, len(text), 999)]
    (here / "docs").write_text("".join(f"{json.dumps({'text': row})}\n" for row in rows))
    assert rows_of(f"encode -m t.json text --jobs {jobs}")[0] == tokenizer.encode(text)
    separated = [i for row in rows for i in (*tokenizer.encode(row), 271)][:-1]
    words = f"encode -m t.json docs --jsonl text --separator '<|end|>' --jobs {jobs}"
    assert rows_of(words)[0] == separated
