"""Every command with a file of schema version 3: ids in any order, with gaps, and whole tokens."""

import json
import random
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

import oracle
from artifacts import canonical
from bpetite import Tokenizer
from cli_tools import bpetite, lines, refused, shown_in_terminal

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a text, the tokenizer, and one without whole tokens as 2 and 3."""
    (tmp_path / "text").write_bytes(HELD_OUT.encode())
    (tmp_path / "m.json").write_bytes(canonical(content_of(whole=True)))
    (tmp_path / "third.json").write_bytes(canonical(content_of(whole=False)))
    Tokenizer.train(TEXT, 280, pattern="gpt4", special_tokens=NAMES).save(tmp_path / "second.json")
    return tmp_path


def run(words: str, folder: Path, stdin: bytes = b"") -> bytes:
    """Return what a command prints; it must succeed."""
    result = bpetite(*shlex.split(words), cwd=folder, stdin=stdin)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def rows(words: str, folder: Path) -> list[dict[str, Any]]:
    """Return the lines of JSON that a command prints."""
    return [json.loads(line) for line in lines(run(words, folder))]


def told(words: str, folder: Path) -> str:
    """Return the error of a command that fails, which is one line."""
    (error,) = refused(bpetite(*shlex.split(words), cwd=folder))
    return error


@pytest.mark.parametrize("more", ["", "--ordinary", "--jobs 2"])
@pytest.mark.parametrize("name", ["json", "text", "u16", "u32"])
def test_ids_are_those_of_the_file(folder: Path, name: str, more: str) -> None:
    """Text has the ids of the oracle in each format, and they decode to the text."""
    ids = run(f"encode -m m.json text --format {name} {more}", folder)
    assert run(f"decode -m m.json --format {name} -i -", folder, ids) == HELD_OUT.encode()
    listed = run(f"encode -m m.json text {more}", folder)
    assert json.loads(listed) == encoded(HELD_OUT, ordinary=more == "--ordinary")
    if name == "u16":
        found = [
            int.from_bytes(ids[place : place + 2], "little") for place in range(0, len(ids), 2)
        ]
        assert found == json.loads(listed)


def test_the_width_of_ids_is_that_of_the_highest(folder: Path) -> None:
    """u16 is refused if one id does not fit, although there are few."""
    content = content_of(whole=True)
    content["special_tokens"]["</s>"] = 65_536
    content["vocab"]["65536"] = content["vocab"].pop("310")
    (folder / "m.json").write_bytes(canonical(content))
    assert told("encode -m m.json --text '</s>' --format u16", folder) == (
        "error: u16 holds ids up to 65535, but this tokenizer has ids up to 65536; use --format u32"
    )
    assert run("encode -m m.json --text '</s>' --format u32", folder) == b"\0\0\1\0"


def test_separators_have_the_ids_of_the_file(folder: Path) -> None:
    """A separator is the special token with its own id."""
    run("encode -m m.json --separator '<|user|>' text text -o ids", folder)
    ids = encoded(HELD_OUT)
    assert json.loads((folder / "ids").read_bytes()) == [*ids, 100, *ids]
    assert told("encode -m m.json --separator-token text", folder) == (
        "error: m.json has several special tokens; name one with --separator: <s>, <|user|>, </s>"
    )


@pytest.mark.parametrize("wrong", [*GAPS, 309, 311])
def test_ids_in_gaps_are_unknown(folder: Path, wrong: int) -> None:
    """The errors of `decode` and `inspect` have the range of ids, and that it has gaps."""
    known = "the ids are 0 to 310, with gaps"
    assert told(f"decode -m m.json --ids 0 {wrong}", folder) == (
        f"error: unknown token id {wrong} at position 1; {known}"
    )
    assert told(f"inspect -m m.json --token {wrong}", folder) == (
        f"error: unknown token id {wrong}; {known}"
    )


@pytest.mark.parametrize("more", ["", "--ordinary"])
def test_tokens_are_counted(folder: Path, more: str) -> None:
    """`count` has the number of the oracle, and with `--by-token` a line for each token."""
    ids = encoded(HELD_OUT, ordinary=bool(more))
    assert run(f"count -m m.json text {more}", folder) == f"{len(ids)}\ttext\n".encode()
    counts = Counter(ids)
    by_token = [
        (row["id"], row["hex"], row["count"])
        for row in rows(f"count -m m.json text --by-token {more}", folder)
    ]
    expected = [(one, VOCAB[one].hex(), counts[one]) for one in VOCAB]
    assert by_token == sorted(expected, key=lambda row: (-row[2], row[0]))


@pytest.mark.posix
def test_rows_of_counts(folder: Path) -> None:
    """A terminal gets the same order; ids that are not in the file do not count as unused."""
    words = "count -m m.json text --by-token"
    _, shown = shown_in_terminal(words.split(), folder, {"NO_COLOR": "1"})
    _, *listed, last = shown.splitlines()
    in_order = [row["id"] for row in rows(words, folder)]
    assert [int(line.split()[1]) for line in listed] == in_order
    ids = encoded(HELD_OUT)
    unused = len(VOCAB) - len({*ids})
    assert last == f"{len(ids)} tokens; {unused} of {len(VOCAB)} ids do not occur"


@pytest.mark.parametrize(
    "words",
    [
        "count -m {}.json text --json",
        "sizes -m {}.json text --json --at 256 260 275 280",
        "show -m {}.json text --json",
        "show -m {}.json text --json --ordinary",
        "count -m {}.json text --by-token",
        "inspect -m {}.json --tokens",
        "inspect -m {}.json --token-text ' low' --json",
        "inspect -m {}.json --token-text lo --json",
        "inspect -m {}.json --token-text '<|user|>' --json",
    ],
)
def test_only_ids_differ_from_the_same_tokenizer(folder: Path, words: str) -> None:
    """Without whole tokens, all results are those of schema version 2 with other ids."""
    ids = ids_of(whole=False)
    second = [renumbered(row, ids) for row in rows(words.format("second"), folder)]
    if "--by-token" in words:
        second.sort(key=lambda row: (-row["count"], row["id"]))
    elif "--tokens" in words:
        second.sort(key=lambda row: row["id"])
    assert rows(words.format("third"), folder) == second


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


def test_tokens_are_shown_with_their_ids(folder: Path) -> None:
    """`show` prints the tokens of the oracle above their ids; offsets add up to the text."""
    ids = encoded(HELD_OUT)
    listed = rows("show -m m.json text --json", folder)
    assert [row["id"] for row in listed] == ids
    text = HELD_OUT.encode()
    assert all(text[row["start"] : row["end"]] == VOCAB[row["id"]] for row in listed)
    shown = run("show -m m.json --text '<s> camelCase low'", folder).decode().splitlines()
    assert shown[0] == "<s>│·camelCase│·low"
    assert shown[1].split("│") == ["0  ", "1         ", str(encoded(" low")[0])]
    assert shown[3] == "3 tokens, 17 bytes, 5.67 bytes per token"


def test_steps_show_ids_and_whole_tokens(folder: Path) -> None:
    """The ids of all steps are those of the file; a whole token has no merges."""
    shown = run("show -m m.json text --steps", folder).decode()
    ids: list[int] = []
    chunks: dict[str, list[int]] = {}
    for title, last in re.findall(r"^(\S.*)\n(?: .*\n)*? +ids? ([\d ]+)$", shown, re.MULTILINE):
        found = chunks.setdefault(title, [int(word) for word in last.split()])
        ids += found
    assert ids == encoded(HELD_OUT)
    merges = re.findall(r"rank (\d+): .*\((\d+) \+ (\d+)\) makes (\d+)", shown)
    assert merges
    made = FILE["merges"]
    for rank, left, right, new in merges:
        assert made[int(rank)] == [int(left), int(right), int(new)]
    assert run("show -m m.json --text ' camelCase camelCase' --steps", folder).decode() == (
        "pattern gpt4\n\n"
        "chunk 1: ·camelCase\n"
        "  ·camelCase    a whole token, without merges\n"
        "                ids 1\n\n"
        "chunk 2: ·camelCase, same as chunk 1\n"
        "  ids 1\n"
    )


def test_inspect_describes_the_file(folder: Path) -> None:
    """The overview counts each kind of token, and has the ids of the special tokens."""
    data = json.loads(run("inspect -m m.json --json", folder))
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
        "mean_token_bytes": round(sum(map(len, tokens.values())) / len(tokens), 4),
    }
    assert data.items() >= expected.items()
    assert [token["id"] for token in data["longest"]] == longest
    assert all(bytes.fromhex(token["hex"]) == VOCAB[token["id"]] for token in data["longest"])
    shown = lines(run("inspect -m m.json", folder))
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
    longer = sum(len(VOCAB[one]) > 1 for one in broken)
    assert f"  128 single bytes, {longer} longer" in shown
    assert "  200  3 bytes  ·‹e888›" in shown


def test_inspect_lists_the_tokens(folder: Path) -> None:
    """Tokens are in the order of ids; pairs are ids, and whole tokens have none."""
    listed = rows("inspect -m m.json --tokens", folder)
    made = {new: (rank, [a, b]) for rank, (a, b, new) in enumerate(FILE["merges"])}
    assert [row["id"] for row in listed] == sorted(VOCAB)
    for row in listed:
        assert bytes.fromhex(row["hex"]) == VOCAB[row["id"]]
        assert (row["rank"], row["pair"]) == made.get(row["id"], (None, None))


@pytest.mark.posix
def test_rows_of_tokens(folder: Path) -> None:
    """A terminal gets a row for each token, which says what it is or what it joins."""
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
    inks = dict(re.findall(r"^ *(\d+)\S*  (\x1b\[[\d;]*m)", colored, re.MULTILINE))
    assert inks[str(IDS[97])] != inks[str(new)] == inks["1"] != inks["0"] != inks[str(IDS[97])]


def test_trees_have_ids_and_ranks(folder: Path) -> None:
    """A tree has the ids of the file; whole and special tokens and bytes are leaves."""
    lowest, a, b = (
        rows(f"inspect -m m.json --token-text {text} --json", folder)[0]["id"]
        for text in ("lo", "l", "o")
    )
    shown = run("inspect -m m.json --token-text lo", folder).decode()
    rank = FILE["merges"].index([a, b, lowest])
    assert shown == (
        f"lo  id {lowest}, rank {rank}, 2 bytes\n├── l  id {a}, a byte\n└── o  id {b}, a byte\n"
    )
    assert run(f"inspect -m m.json --token {lowest}", folder).decode() == shown
    assert run("inspect -m m.json --token 1", folder).decode() == "·camelCase  id 1, whole token\n"
    assert run("inspect -m m.json --token 310", folder).decode() == "</s>  id 310, special\n"
    (leaf,) = rows("inspect -m m.json --token 1 --json", folder)
    assert (leaf["text"], leaf["tree"]) == (" camelCase", [])


def test_sizes_are_those_of_the_oracle(folder: Path) -> None:
    """Whole tokens are in every size, so the smallest is 256 and their number."""
    at = range(259, FIRST + 4)
    sizes = f"sizes -m m.json text --json --at {' '.join(map(str, at))}"
    data = json.loads(run(sizes, folder))
    before = None
    for size, row in zip(at, data["sizes"], strict=True):
        assert (row.pop("saved_per_doubling") is None) == (before is None)
        ids = encoded(HELD_OUT, merges=size - 259)
        assert row == {
            "vocab_size": size,
            "tokens": len(ids),
            "bytes_per_token": round(len(HELD_OUT.encode()) / len(ids), 4),
            "saved": None if before is None else before - len(ids),
            "unused": size + 3 - len({*ids}),
        }
        before = len(ids)
    found = json.loads(run("sizes -m m.json text --json", folder))["sizes"]
    assert (found[0]["tokens"], found[-1]["vocab_size"]) == (data["sizes"][0]["tokens"], FIRST + 3)
    assert lines(run("sizes -m m.json text", folder))[1].split()[0] == "259"
    assert told("sizes -m m.json text --at 258 280", folder) == (
        "error: cannot count with 258 tokens: m.json keeps its bytes and whole tokens "
        "(the smallest size is 259)"
    )
    assert told(f"sizes -m m.json text --at {FIRST + 4}", folder) == (
        f"error: cannot count with {FIRST + 4} tokens: m.json has {FIRST + 3} (train a larger "
        "tokenizer with `bpetite train`)"
    )


@pytest.mark.parametrize("merges", [0, 1, len(MERGES) - 1, len(MERGES)])
def test_truncating_keeps_ids(folder: Path, merges: int) -> None:
    """The last merges go; all other tokens keep their ids, also whole and special ones."""
    words = f"truncate -m m.json --vocab-size {259 + merges} -o small.json"
    result = bpetite(*shlex.split(words), cwd=folder)
    told = f"saved: small.json, {259 + merges} of {FIRST + 3} mergeable tokens; "
    assert lines(result.stderr) == [f"{told}3 special tokens are ids 0-310, with gaps"]
    assert (folder / "small.json").read_bytes() == canonical(content_of(whole=True, merges=merges))
    summary = json.loads(result.stdout)
    assert (summary["vocab_size"], summary["merges"]) == (259 + merges, merges)
    assert json.loads(run("encode -m small.json text", folder)) == encoded(HELD_OUT, merges=merges)


def test_truncating_stops_at_whole_tokens(folder: Path) -> None:
    """A size without the whole tokens is refused, and nothing is written."""
    assert told("truncate -m m.json --vocab-size 258 -o small.json", folder) == (
        "error: cannot truncate m.json to 258 tokens: it keeps its bytes and whole tokens "
        "(the smallest size is 259)"
    )
    assert not (folder / "small.json").exists()


@pytest.mark.parametrize(("name", "version"), [("<|endoftext|>", 1), ("<s>", 2), ("!!", 3)])
def test_truncating_to_a_lower_version(folder: Path, name: str, version: int) -> None:
    """If a lower version can hold what is left, the file has that version."""
    content: dict[str, Any] = {
        "mergeable_vocab_size": 257,
        "merges": [[97, 98, 257]],
        "pretokenizer_pattern": oracle.PATTERN,
        "schema_version": 3,
        "special_tokens": {name: 256},
        "vocab": {str(value): [value] for value in range(256)} | {"256": list(name.encode())},
    }
    of_merge = {"vocab": content["vocab"] | {"257": [97, 98]}}
    (folder / "m.json").write_bytes(canonical(content | of_merge))
    result = bpetite(*shlex.split("truncate -m m.json --vocab-size 256 -o small.json"), cwd=folder)
    told = f"saved: small.json, 256 of 257 mergeable tokens; {name} is 256"
    assert lines(result.stderr) == [told]
    content |= {"mergeable_vocab_size": 256, "merges": [], "schema_version": version}
    assert (folder / "small.json").read_bytes() == canonical(content)
