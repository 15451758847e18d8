"""Every command with a file of schema version 3: ids in any order, with gaps, and whole tokens."""

import json
import random
import re
import shlex
import struct
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

import oracle
from artifacts import canonical
from bpetite import Tokenizer
from cli_tools import bpetite, lines, printed, refusal, rows_of, shown_in_terminal

TEXT: Final = (
    "It's 12345 o'clock.\n\nIT'S (lowest)\nlower camelCase camelCases 船夫 low low\r\n" * 2
)
HELD_OUT: Final = f"<s>low lower{TEXT}12<|user|> camelCase<s> 夫 lowest<s<s>!"
NAMES: Final = ("<s>", "<|user|>", "</s>")
PATTERN: Final = oracle.PATTERNS["gpt4"]
MERGES: Final = oracle.train([TEXT], 280, pattern=PATTERN)
LEARNED: Final = [*oracle.vocabulary(MERGES).values()][:-1]
WHOLE: Final = (b" camelCase", b" \xe8\x88", b"'clock")
SPECIAL_IDS: Final = (0, 100, 310)
WHOLE_IDS: Final = (1, 200, 305)
FIRST: Final = 256 + len(MERGES)
GAPS: Final = (2, 17, 203)


def ids_of(whole: bool) -> list[int]:
    """Return an id for each number: of bytes, merges, whole tokens and special tokens."""
    free = sorted({*range(309)} - {*SPECIAL_IDS, *WHOLE_IDS, *GAPS})
    random.Random(35).shuffle(free)
    return [*free[:FIRST], *(WHOLE_IDS if whole else ()), *SPECIAL_IDS]


def content_of(whole: bool, merges: int = len(MERGES)) -> dict[str, Any]:
    """Return the content of a file with some merges."""
    ids = ids_of(whole)
    ids[256 + merges : FIRST] = []
    tokens = [*LEARNED[: 256 + merges], *(WHOLE if whole else ())]
    every = [*tokens, *(name.encode() for name in NAMES)]
    return {
        "mergeable_vocab_size": len(tokens),
        "merges": [
            [ids[a], ids[b], ids[256 + rank]] for rank, (a, b) in enumerate(MERGES[:merges])
        ],
        "pretokenizer_pattern": PATTERN,
        "schema_version": 3,
        "special_tokens": dict(zip(NAMES, SPECIAL_IDS, strict=True)),
        "vocab": {str(one): list(token) for one, token in zip(ids, every, strict=True)},
    }


IDS: Final = ids_of(whole=True)
FILE: Final = content_of(whole=True)
VOCAB: Final = {int(key): bytes(token) for key, token in FILE["vocab"].items()}


def encoded(text: str, *, ordinary: bool = False, merges: int = len(MERGES)) -> list[int]:
    """Return the ids of the oracle."""
    names = () if ordinary else NAMES
    ids = [*IDS[: 256 + merges], *IDS[FIRST:]]
    return [ids[n] for n in oracle.encode(text, MERGES[:merges], PATTERN, names, WHOLE)]


@pytest.fixture(autouse=True)
def folder(here: Path) -> Path:
    """Return a folder with a text, the tokenizer, and one without whole tokens as 2 and 3."""
    (here / "text").write_bytes(HELD_OUT.encode())
    (here / "m.json").write_bytes(canonical(content_of(whole=True)))
    (here / "third.json").write_bytes(canonical(content_of(whole=False)))
    Tokenizer.train(TEXT, 280, pattern="gpt4", special_tokens=NAMES).save("second.json")
    return here


@pytest.mark.parametrize(
    ("name", "more"), [("json", ""), ("text", "--ordinary"), ("u16", "--jobs 2"), ("u32", "")]
)
def test_ids_are_those_of_the_file(name: str, more: str) -> None:
    """Text has the ids of the oracle in each format, and they decode to the text."""
    ids = printed(f"encode -m m.json text --format {name} {more}")
    assert printed(f"decode -m m.json --format {name} -i -", stdin=ids) == HELD_OUT.encode()
    expected = encoded(HELD_OUT, ordinary=more == "--ordinary")
    assert rows_of(f"encode -m m.json text {more}") == [expected]
    if more == "--ordinary":
        assert rows_of(f"encode -m m.json {more} --text '<s>'") == [encoded("<s>", ordinary=True)]
        assert [row["id"] for row in rows_of(f"show -m m.json text {more} --json")] == expected
        assert b"special token" not in printed(f"show -m m.json text {more} --steps")
    if name == "u16":
        assert [*struct.unpack(f"<{len(expected)}H", ids)] == expected


def test_the_width_of_ids_is_that_of_the_highest(folder: Path) -> None:
    """u16 is refused if one id does not fit, although there are few, before any text is read."""
    content = content_of(whole=True)
    for before, highest in (("310", 65_535), ("65535", 65_536)):
        content["special_tokens"]["</s>"] = highest
        content["vocab"][str(highest)] = content["vocab"].pop(before)
        (folder / "m.json").write_bytes(canonical(content))
        if highest == 65_535:
            assert printed("encode -m m.json --text '</s>' --format u16") == b"\xff\xff"
    (folder / "text").write_bytes(b"\xff")
    assert refusal("encode -m m.json text --format u16") == [
        "error: u16 holds ids up to 65535, but this tokenizer has ids up to 65536; use --format u32"
    ]
    assert printed("encode -m m.json --text '</s>' --format u32") == b"\0\0\1\0"


def test_separators_have_the_ids_of_the_file(folder: Path) -> None:
    """A separator is the special token with its own id."""
    printed("encode -m m.json --separator '<|user|>' text text -o ids")
    ids = encoded(HELD_OUT)
    assert json.loads((folder / "ids").read_bytes()) == [*ids, 100, *ids]


@pytest.mark.parametrize("wrong", [GAPS[0], 309, 311])
def test_ids_in_gaps_are_unknown(wrong: int) -> None:
    """The errors of `decode` and `inspect` have the range of ids, and that it has gaps."""
    unknown, known = f"error: unknown token id {wrong}", "; the ids are 0 to 310, with gaps"
    assert refusal(f"decode -m m.json --ids 0 {wrong}") == [f"{unknown} at position 1{known}"]
    assert refusal(f"inspect -m m.json --token {wrong}") == [f"{unknown}{known}"]


@pytest.mark.posix
@pytest.mark.parametrize("more", ["", "--ordinary"])
def test_tokens_are_counted(folder: Path, more: str) -> None:
    """`count` has the number of the oracle, and with `--by-token` a line for each token."""
    counts = Counter(encoded(HELD_OUT, ordinary=bool(more)))
    total, words = counts.total(), f"count -m m.json text --by-token {more}"
    assert printed(f"count -m m.json text {more}") == f"{total}\ttext\n".encode()
    by_token = [(row["id"], row["hex"], row["count"]) for row in rows_of(words)]
    expected = [(one, VOCAB[one].hex(), counts[one]) for one in VOCAB]
    assert by_token == sorted(expected, key=lambda row: (-row[2], row[0]))
    _, *listed, last = shown_in_terminal(words.split(), folder)[1].splitlines()
    assert [int(line.split()[1]) for line in listed] == [row[0] for row in by_token]
    unused = len(VOCAB) - len(counts)
    assert last == f"{total} tokens; {unused} of {len(VOCAB)} ids do not occur"


@pytest.mark.parametrize(
    "words",
    [
        "count -m {}.json text --json",
        "sizes -m {}.json text --json --at 256 260 275 280",
        "show -m {}.json text --json",
        "count -m {}.json text --by-token",
        "inspect -m {}.json --tokens",
        "inspect -m {}.json --token-text ' low' --json",
        "inspect -m {}.json --token-text '<|user|>' --json",
    ],
)
def test_only_ids_differ_from_the_same_tokenizer(words: str) -> None:
    """Without whole tokens, all results are those of schema version 2 with other ids."""
    ids = ids_of(whole=False)
    second = [renumbered(row, ids) for row in rows_of(words.format("second"))]
    if "--by-token" in words:
        second.sort(key=lambda row: (-row["count"], row["id"]))
    elif "--tokens" in words:
        second.sort(key=lambda row: row["id"])
    assert rows_of(words.format("third")) == second


def renumbered(data: dict[str, Any], ids: list[int]) -> dict[str, Any]:
    """Return a JSON object with other ids."""
    changed = dict(data)
    if "id" in data:
        changed["id"] = ids[data["id"]]
    if data.get("pair"):
        changed["pair"] = [ids[part] for part in data["pair"]]
    if "tree" in data:
        changed["tree"] = [renumbered(merge, ids) for merge in data["tree"]]
    return changed


def test_tokens_are_shown_with_their_ids() -> None:
    """`show` prints the tokens of the oracle above their ids; offsets add up to the text."""
    ids = encoded(HELD_OUT)
    listed = rows_of("show -m m.json text --json")
    assert [row["id"] for row in listed] == ids
    text = HELD_OUT.encode()
    assert all(text[row["start"] : row["end"]] == VOCAB[row["id"]] for row in listed)
    shown = printed("show -m m.json --text '<s> camelCase low'").decode().splitlines()
    assert shown[0] == "<s>│·camelCase│·low"
    assert shown[1].split("│") == ["0  ", "1         ", str(encoded(" low")[0])]
    assert shown[3] == "3 tokens, 17 bytes, 5.67 bytes per token"


def test_steps_show_ids_and_whole_tokens() -> None:
    """The ids of all steps are those of the file; a whole token has no merges."""
    shown = printed("show -m m.json text --steps").decode()
    ids = " ".join(re.findall(r"(?m)^ +ids? ([\d ]+)$", shown))
    assert [*map(int, ids.split())] == encoded(HELD_OUT)
    merges = re.findall(r"rank (\d+): .*\((\d+) \+ (\d+)\) makes (\d+)", shown)
    assert merges
    for rank, *merge in merges:
        assert FILE["merges"][int(rank)] == [*map(int, merge)]
    assert printed("show -m m.json --text ' camelCase camelCase' --steps").decode() == (
        "pattern gpt4\n\n"
        "chunk 1: ·camelCase\n"
        "  ·camelCase    a whole token, without merges\n"
        "                ids 1\n\n"
        "chunk 2: ·camelCase, same as chunk 1\n"
        "  ids 1\n"
    )


def test_inspect_describes_the_file() -> None:
    """The overview counts each kind of token, and has the ids of the special tokens."""
    (data,) = rows_of("inspect -m m.json --json")
    tokens = {one: token for one, token in VOCAB.items() if one not in SPECIAL_IDS}
    broken = [one for one, token in tokens.items() if "\ufffd" in token.decode(errors="replace")]
    longest = sorted(tokens, key=lambda one: (-len(tokens[one]), one))[:10]
    expected = {
        "vocab_size": FIRST + 3,
        "merges": len(MERGES),
        "whole_tokens": 3,
        "schema_version": 3,
        "special_tokens": dict(zip(NAMES, SPECIAL_IDS, strict=True)),
        "partial": sorted(broken),
    }
    assert data.items() >= expected.items()
    assert [token["id"] for token in data["longest"]] == longest
    shown = lines(printed("inspect -m m.json"))
    assert shown[3:6] == [
        "schema version  3",
        f"tokens          {len(VOCAB)}: 256 bytes, 24 merges, 3 whole tokens, 3 special tokens",
        "ids             0 to 310, with gaps",
    ]
    place = shown.index("special tokens")
    assert shown[place + 1 : place + 4] == [
        "    0  3 bytes  <s>",
        "  100  8 bytes  <|user|>",
        "  310  4 bytes  </s>",
    ]


@pytest.mark.posix
def test_rows_of_tokens(folder: Path) -> None:
    """In the order of ids, each token has a row that says what it is or what it joins."""
    words = ["inspect", "-m", "m.json", "--tokens"]
    _, shown = shown_in_terminal(words, folder, {"NO_COLOR": "1"})
    by_id = {int(row[:3]): row[5:] for row in shown.splitlines()}
    assert list(by_id) == sorted(VOCAB)
    assert (by_id[0], by_id[1]) == ("<s>  special", "·camelCase  whole token")
    assert by_id[IDS[97]] == "a  a byte"
    left, right, new = FILE["merges"][0]
    parts = " + ".join(VOCAB[part].decode().replace(" ", "·") for part in (left, right))
    joined = VOCAB[new].decode().replace(" ", "·")
    assert by_id[new] == f"{joined}  = {parts}  rank 0"
    _, colored = shown_in_terminal(words, folder)
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == shown
    inks = dict(re.findall(r"^ *(\d+)\S*  (\x1b\[[\d;]*m)", colored, re.MULTILINE))
    assert inks[str(IDS[97])] != inks[str(new)] == inks["1"] != inks["0"] != inks[str(IDS[97])]


def test_trees_have_ids_and_ranks() -> None:
    """A tree has the ids of the file; whole and special tokens and bytes are leaves."""
    lowest, a, b = (
        rows_of(f"inspect -m m.json --token-text {text} --json")[0]["id"]
        for text in ("lo", "l", "o")
    )
    shown = printed("inspect -m m.json --token-text lo").decode()
    rank = FILE["merges"].index([a, b, lowest])
    assert shown == (
        f"lo  id {lowest}, rank {rank}, 2 bytes\n├── l  id {a}, a byte\n└── o  id {b}, a byte\n"
    )
    assert printed("inspect -m m.json --token 1").decode() == "·camelCase  id 1, whole token\n"
    assert printed("inspect -m m.json --token 310").decode() == "</s>  id 310, special\n"
    (leaf,) = rows_of("inspect -m m.json --token 1 --json")
    assert (leaf["text"], leaf["tree"]) == (" camelCase", [])


def test_sizes_begin_with_the_whole_tokens() -> None:
    """Whole tokens are in every size, so the smallest is 256 and their number."""
    (found,) = rows_of("sizes -m m.json text --json")
    assert found["sizes"][0]["tokens"] == len(encoded(HELD_OUT, merges=0))
    sizes = [row["vocab_size"] for row in found["sizes"]]
    assert (sizes[0], sizes[-1]) == (259, FIRST + 3)
    (error,) = refusal("sizes -m m.json text --at 258 280")
    assert error == (
        "error: cannot count with 258 tokens: m.json keeps its bytes and whole tokens "
        "(the smallest size is 259)"
    )


@pytest.mark.parametrize("merges", [0, 1, len(MERGES)])
def test_truncating_keeps_ids(folder: Path, merges: int) -> None:
    """The last merges go; all other tokens keep their ids, also whole and special ones."""
    result = bpetite(*shlex.split(f"truncate -m m.json --vocab-size {259 + merges} -o small.json"))
    told = f"saved: small.json, {259 + merges} of {FIRST + 3} mergeable tokens; "
    assert lines(result.stderr) == [f"{told}3 special tokens are ids 0-310, with gaps"]
    assert (folder / "small.json").read_bytes() == canonical(content_of(whole=True, merges=merges))
    summary = json.loads(result.stdout)
    assert (summary["vocab_size"], summary["merges"]) == (259 + merges, merges)
    assert json.loads(printed("encode -m small.json text")) == encoded(HELD_OUT, merges=merges)


@pytest.mark.parametrize(("name", "version"), [("<|endoftext|>", 1), ("<s>", 2), ("!!", 3)])
def test_truncating_to_a_lower_version(folder: Path, name: str, version: int) -> None:
    """If a lower version can hold what is left, the file has that version."""
    vocab = {str(value): [value] for value in range(256)} | {"256": list(name.encode())}
    content: dict[str, Any] = {"special_tokens": {name: 256}, "vocab": vocab}
    content["pretokenizer_pattern"] = oracle.PATTERN
    whole = {"mergeable_vocab_size": 257, "merges": [[97, 98, 257]], "schema_version": 3}
    of_merge = {"vocab": vocab | {"257": [97, 98]}}
    (folder / "m.json").write_bytes(canonical(content | whole | of_merge))
    result = bpetite(*shlex.split("truncate -m m.json --vocab-size 256 -o small.json"))
    told = f"saved: small.json, 256 of 257 mergeable tokens; {name} is 256"
    assert lines(result.stderr) == [told]
    less = {"mergeable_vocab_size": 256, "merges": [], "schema_version": version}
    assert (folder / "small.json").read_bytes() == canonical(content | less)
