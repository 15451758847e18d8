"""Every command with every kind of tokenizer: each version, pattern, and kind of token and id."""

import hashlib
import json
import random
import re
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import oracle
from artifacts import canonical, with_whitespace
from bpetite import Tokenizer
from cli_tools import in_words, lines, printed, refusal, rows_of, shown_in_terminal, tuned

TEXT: Final = (
    "It's 12345 o'clock.\n\nIT'S (lowest)\n/lower camelCase camelCases e\u0301 船夫 low low\r\n" * 3
)
NAMES: Final = (
    *("<|user|>", "<|end|>", "|end|>x>", "er|><|end", "</s>", "\x1cé1.", "a-<|", "|>a-", "B]"),
)
"""Nine special tokens: some are parts of others, or begin where others end."""

WHITESPACE: Final = ("\n", "\n\n", "\r\n", " ", "  ", "  \t")
WHOLE: Final = (b" camelCase", b" \xe8\x88", b"'clock")
HELD_OUT: Final = TEXT + "".join(
    f"{name} lower{name}{other}夫<|endoftext|>"
    for name, other in zip(NAMES, NAMES[::-1], strict=True)
)


@dataclass(frozen=True)
class Made:
    """A tokenizer: its tokens in the oracle's numbers, and the id of each number."""

    version: int
    pattern: str
    merges: Sequence[tuple[int, int]]
    names: Sequence[str]
    whole: Sequence[bytes]
    ids: Sequence[int]

    def cut(self, number: int) -> "Made":
        """Return the tokenizer with the first merges only; ids of schema version 3 stay."""
        end = 256 + len(self.merges)
        ids = [*self.ids[: 256 + number], *self.ids[end:]]
        if self.version < 3:
            ids = [*range(len(ids))]
        return replace(self, merges=self.merges[:number], ids=ids)

    def vocab(self) -> dict[int, bytes]:
        """Return the bytes of each id, in the order of numbers."""
        learned = [*oracle.vocabulary(self.merges).values()][:-1]
        every = [*learned, *self.whole, *map(str.encode, self.names)]
        return dict(zip(self.ids, every, strict=True))

    def special(self) -> dict[str, int]:
        """Return the id of each special token."""
        return dict(zip(self.names, self.ids[len(self.ids) - len(self.names) :], strict=True))

    def merge(self, rank: int) -> list[int]:
        """Return the ids that a merge joins, and the one that it makes."""
        left, right = self.merges[rank]
        return [self.ids[left], self.ids[right], self.ids[256 + rank]]

    def file(self) -> bytes:
        """Return the tokenizer file."""
        merges = [self.merge(rank) for rank in range(len(self.merges))]
        content = {
            "mergeable_vocab_size": len(self.ids) - len(self.names),
            "merges": merges if self.version > 2 else self.merges,
            "pretokenizer_pattern": oracle.PATTERNS[self.pattern],
            "schema_version": self.version,
            "special_tokens": self.special(),
            "vocab": {str(one): list(token) for one, token in self.vocab().items()},
        }
        return canonical(content)

    def encoded(self, text: str, *, ordinary: bool = False) -> list[int]:
        """Return the ids of a text."""
        names, pattern = () if ordinary else self.names, oracle.PATTERNS[self.pattern]
        found = oracle.encode(text, self.merges, pattern, names, self.whole)
        return [self.ids[number] for number in found]


@cache
def trained(version: int, pattern: str, names: tuple[str, ...], size: int = 290) -> Made:
    """Return a tokenizer as training makes it."""
    merges = oracle.train([TEXT], size, pattern=oracle.PATTERNS[pattern])
    return Made(version, pattern, merges, names, (), range(256 + len(merges) + len(names)))


def with_any_ids(version: int = 3, names: tuple[str, ...] = NAMES) -> Made:
    """Return one of schema version 3 or 4: ids in any order, with gaps, and whole tokens."""
    made = trained(version, "gpt4", names, 280)
    special, whole, gaps = [0, 100, *range(310, 308 + len(names))], [1, 200, 305], {2, 17, 203}
    ids = sorted({*range(309)} - {*special, *whole, *gaps})
    random.Random(35).shuffle(ids)
    return replace(made, whole=WHOLE, ids=[*ids[:280], *whole, *special])


TRAINED: Final = ["version 1", *oracle.PATTERNS]


@pytest.fixture
def made(request: pytest.FixtureRequest, here: Path) -> Made:
    """Return a tokenizer, whose file is `t.json`, beside a training text and another one."""
    (here / "text").write_bytes(TEXT.encode())
    (here / "chat").write_bytes(HELD_OUT.encode())
    if request.param == "any ids":
        found = with_any_ids()
    elif request.param == "whitespace":
        found = with_any_ids(4, (*WHITESPACE, *NAMES))
    elif request.param == "version 1":
        found = trained(1, "gpt2", (oracle.END_OF_TEXT,))
    else:
        found = trained(2, request.param, NAMES)
    (here / "t.json").write_bytes(found.file())
    return found


of_every_kind = pytest.mark.parametrize("made", [*TRAINED, "any ids", "whitespace"], indirect=True)
of_any_ids = pytest.mark.parametrize("made", ["any ids"], indirect=True)


@of_every_kind
def test_ids_are_those_of_the_oracle(made: Made) -> None:
    """Text has these ids in each format, and they decode to the text."""
    expected = made.encoded(HELD_OUT)
    formats = {
        "json": json.dumps(expected, separators=(",", ":")).encode() + b"\n",
        "u16": struct.pack(f"<{len(expected)}H", *expected),
    }
    for name, ids in formats.items():
        assert printed(f"encode -m t.json chat --format {name}") == ids
        assert printed(f"decode -m t.json --format {name}", stdin=ids) == HELD_OUT.encode()
    ordinary = made.encoded(HELD_OUT, ordinary=True)
    assert rows_of("encode -m t.json chat --ordinary") == [ordinary]
    assert [row["id"] for row in rows_of("show -m t.json chat --json --ordinary")] == ordinary
    assert b"special token" not in printed("show -m t.json chat --steps --ordinary")
    last = made.names[-1]
    separated = rows_of("encode -m t.json text text --separator", last)
    assert separated == [[*made.encoded(TEXT), made.special()[last], *made.encoded(TEXT)]]


@of_every_kind
@pytest.mark.parametrize("more", ["", "--ordinary"])
def test_tokens_are_counted(made: Made, more: str) -> None:
    """`count` has the number of the oracle, and with `--by-token` a line for each token."""
    counts = Counter(made.encoded(HELD_OUT, ordinary=bool(more)))
    assert printed(f"count -m t.json chat {more}") == b"%d\tchat\n" % counts.total()
    expected: list[dict[str, Any]] = [
        {"id": one, "hex": token.hex(), "text": text_of(token), "count": counts[one]}
        for one, token in made.vocab().items()
    ]
    expected.sort(key=lambda row: (-counts[row["id"]], row["id"]))
    assert rows_of(f"count -m t.json chat --by-token {more}") == expected


def text_of(token: bytes) -> str | None:
    """Return the text of a token, if it has complete characters only."""
    shown = token.decode(errors="replace")
    return None if "\ufffd" in shown else shown


@of_every_kind
def test_the_span_of_each_token_is_shown(made: Made) -> None:
    """The spans tile the text, in bytes and in the characters that the token has bytes of."""
    vocab, place = made.vocab(), 0
    owners = [number for number, character in enumerate(HELD_OUT) for _ in character.encode()]
    for row, one in zip(rows_of("show -m t.json chat --json"), made.encoded(HELD_OUT), strict=True):
        token = vocab[one]
        expected = {"id": one, "hex": token.hex(), "text": text_of(token)}
        expected |= {"start": place, "end": (place := place + len(token))}
        assert row.items() >= expected.items()
        assert row["start_character"] == owners[row["start"]]
        assert row["end_character"] == owners[place - 1] + 1
    assert place == len(HELD_OUT.encode())


@of_every_kind
def test_the_steps_make_the_ids(made: Made) -> None:
    """The last ids of all chunks are those of the text; each merge has its ids and its rank."""
    shown = printed("show -m t.json chat --steps").decode()
    assert shown.startswith(f"pattern {made.pattern}\n\n")
    ids = " ".join(re.findall(r"(?m)^ +ids? ([\d ]+)$", shown))
    assert [*map(int, ids.split())] == made.encoded(HELD_OUT)
    merges = re.findall(r"rank (\d+): .*\((\d+) \+ (\d+)\) makes (\d+)", shown)
    assert len(merges) > 20
    for rank, *merge in merges:
        assert made.merge(int(rank)) == [*map(int, merge)]


@of_every_kind
def test_the_file_is_described(made: Made) -> None:
    """The overview has the figures of the file, and each token a row with its merge."""
    vocab, special = made.vocab(), made.special()
    tokens = {one: token for one, token in vocab.items() if one not in special.values()}
    (data,) = rows_of("inspect -m t.json --json")
    longest = sorted(tokens, key=lambda one: (-len(tokens[one]), one))[:10]
    expected = {
        "path": "t.json",
        "file_bytes": len(made.file()),
        "sha256": hashlib.sha256(made.file()).hexdigest(),
        "vocab_size": len(tokens),
        "merges": len(made.merges),
        "mean_token_bytes": round(len(b"".join(tokens.values())) / len(tokens), 4),
        "schema_version": made.version,
        "special_tokens": special,
        "pattern": made.pattern,
        "pretokenizer_pattern": oracle.PATTERNS[made.pattern],
        "lengths": {str(n): k for n, k in sorted(Counter(map(len, tokens.values())).items())},
        "partial": sorted(one for one, token in tokens.items() if text_of(token) is None),
        "longest": [
            {"id": one, "hex": tokens[one].hex(), "text": text_of(tokens[one])} for one in longest
        ],
    }
    assert data.items() >= expected.items()
    assert sum(data["scripts"].values()) == len(tokens)
    merge_of = {made.merge(rank)[2]: rank for rank in range(len(made.merges))}
    rows = rows_of("inspect -m t.json --tokens")
    assert rows == rows_of("inspect -m t.json --tokens --json")
    for row, one in zip(rows, sorted(vocab), strict=True):
        rank = merge_of.get(one)
        pair = None if rank is None else made.merge(rank)[:2]
        expected = {"id": one, "hex": vocab[one].hex(), "text": text_of(vocab[one])}
        assert row == expected | {"pair": pair, "rank": rank}


@pytest.mark.parametrize("made", ["version 1", "any ids", "whitespace"], indirect=True)
def test_a_tree_makes_its_token(made: Made) -> None:
    """Applied in order of rank, the listed merges make the token; others are leaves."""
    vocab = made.vocab()
    bytes_of = {made.ids[byte]: bytes([byte]) for byte in range(256)}
    of_merges = made.ids[256 : 256 + len(made.merges)]
    for one in [*of_merges, made.ids[195], *made.ids[256 + len(made.merges) :]]:
        (data,) = rows_of(f"inspect -m t.json --token {one} --json")
        joined = dict(bytes_of)
        for merge in data["tree"]:
            assert [*merge["pair"], merge["id"]] == made.merge(merge["rank"])
            joined[merge["id"]] = b"".join(map(joined.__getitem__, merge["pair"]))
        token = vocab[one]
        assert (data["id"], data["hex"], data["text"]) == (one, token.hex(), text_of(token))
        assert joined[one] == token if one in of_merges else not data["tree"]


@of_every_kind
def test_sizes_are_those_of_smaller_tokenizers(made: Made) -> None:
    """Each has the figures of the tokenizer with so many merges, which `truncate` writes."""
    smallest, numbers = 256 + len(made.whole), (0, 1, 2, 14, len(made.merges))
    at = [str(smallest + number) for number in numbers]
    (found,) = rows_of("sizes -m t.json chat --json --at", *at)
    for row, number in zip(found["sizes"], numbers, strict=True):
        less = made.cut(number)
        ids = less.encoded(HELD_OUT)
        figures = {"vocab_size": smallest + number, "tokens": len(ids)}
        assert row.items() >= (figures | {"unused": len(less.ids) - len({*ids})}).items()
    for number in numbers:
        words = f"truncate -m t.json --vocab-size {smallest + number} -o less.json --force"
        summary = json.loads(printed(words))
        assert Path("less.json").read_bytes() == made.cut(number).file()
        assert (summary["vocab_size"], summary["merges"]) == (smallest + number, number)


@pytest.mark.parametrize("made", TRAINED, indirect=True)
def test_training_makes_the_file(made: Made) -> None:
    """From texts, counts or a smaller tokenizer; `verify` proves it."""
    own = ["--pattern", made.pattern, *(["--special", *NAMES] if made.version == 2 else [])]
    files = {
        "text": rows_of("train text --vocab-size 290 -o new.json", *own)[0],
        "less": rows_of("truncate -m t.json --vocab-size 270 -o less.json")[0],
        "grown": rows_of("train text --vocab-size 290 --start less.json -o grown.json")[0],
        "chunks": rows_of("chunks text -o rows --pattern", made.pattern)[0],
        "rows": rows_of("train --counts rows --vocab-size 290 -o rows.json", *own)[0],
        "both": rows_of("train --counts rows --vocab-size 290 --start less.json -o both.json")[0],
    }
    for name in ("new", "grown", "rows", "both"):
        assert Path(f"{name}.json").read_bytes() == made.file()
    expected = (len(made.names), made.pattern, made.special())
    summary = files["text"]
    found = summary["special_token_count"], summary["pattern"], summary["special_tokens"]
    assert found == expected
    (proof,) = rows_of("verify -m t.json text")
    assert (proof["equal"], proof["merges_proved"]) == (True, len(made.merges))
    summed = printed("chunks --counts rows --pattern", made.pattern)
    assert summed == Path("rows").read_bytes()
    assert {json.loads(row)["pattern"] for row in lines(summed)} == {made.pattern}


# What only ids in any order have


@of_any_ids
def test_only_some_ids_exist(made: Made) -> None:
    """The errors of `decode` and `inspect` have the range of ids, and that it has gaps."""
    for wrong in (2, 309, 317):
        unknown, known = f"error: unknown token id {wrong}", "; the ids are 0 to 316, with gaps"
        assert refusal(f"decode -m t.json --ids 0 {wrong}") == [f"{unknown} at position 1{known}"]
        assert refusal(f"inspect -m t.json --token {wrong}") == [f"{unknown}{known}"]


@of_any_ids
def test_the_width_of_ids_is_that_of_the_highest(made: Made, here: Path) -> None:
    """u16 is refused if one id does not fit, although there are few, before any text is read."""
    for highest in (65_535, 65_536):
        (here / "t.json").write_bytes(replace(made, ids=[*made.ids[:-1], highest]).file())
        if highest == 65_535:
            assert printed("encode -m t.json --text B] --format u16") == b"\xff\xff"
    (here / "text").write_bytes(b"a " * 4096 + b"\xff")
    assert refusal("encode -m t.json text --format u16") == [
        "error: u16 holds ids up to 65535, but this tokenizer has ids up to 65536; use --format u32"
    ]
    assert printed("encode -m t.json --text B] --format u32") == b"\0\0\1\0"


@of_any_ids
def test_whole_tokens_have_no_parts(made: Made) -> None:
    """They are counted apart, shown with their ids, without merges, and in every size."""
    counts = "283 tokens and 9 special tokens: 256 bytes, 24 merges, 3 whole tokens"
    assert in_words("inspect -m t.json")[3:7] == [
        "schema version  3",
        f"vocabulary      {counts}",
        "ids             0 to 316, with gaps",
        "model rows      317",
    ]
    assert in_words("inspect -m t.json --token 1") == ["·camelCase  id 1, whole token"]
    assert in_words("inspect -m t.json --token 310") == ["|end|>x>  id 310, special"]
    assert printed("show -m t.json --text ' camelCase camelCase' --steps").decode() == (
        "pattern gpt4\n\n"
        "chunk 1: ·camelCase\n"
        "  ·camelCase    a whole token, without merges\n"
        "                ids 1\n\n"
        "chunk 2: ·camelCase, same as chunk 1\n"
        "  ids 1\n"
    )
    keeps = "t.json keeps its bytes and whole tokens (the smallest size is 259)"
    assert refusal("sizes -m t.json chat --at 258 280") == [
        f"error: cannot count with 258 tokens: {keeps}"
    ]
    for words in ("inspect -m t.json", "truncate -m t.json --vocab-size 260 -o less.json"):
        assert rows_of(words)[0]["rows"] == 317  # the highest id and one, whatever is missing
    saved, _, names = in_words("truncate -m t.json --vocab-size 260 -o less.json --force")
    assert saved == "saved: less.json, 260 tokens and 9 special tokens, of 283 tokens"
    assert names.startswith("special tokens: ")
    assert names.endswith(" and 3 more")


@pytest.mark.posix
@of_any_ids
def test_a_terminal_gets_rows_of_tokens(made: Made, here: Path) -> None:
    """In the order of ids, each token has a row that says what it is or what it joins."""
    vocab, words = made.vocab(), ["inspect", "-m", "t.json", "--tokens"]
    _, shown = shown_in_terminal(words, here, {"NO_COLOR": "1"})
    by_id = {int(row[:3]): row[5:] for row in shown.splitlines()}
    assert list(by_id) == sorted(vocab)
    assert (by_id[0], by_id[1]) == ("<|user|>  special", "·camelCase  whole token")
    byte, (left, right, new) = made.ids[97], made.merge(0)
    assert by_id[byte] == "a  a byte"
    joined, *parts = (vocab[one].decode().replace(" ", "·") for one in (new, left, right))
    assert by_id[new] == f"{joined}  = {' + '.join(parts)}  rank 0"
    _, colored = shown_in_terminal(words, here)
    inks = dict(re.findall(r"^ *(\d+)\S*  (\x1b\[[\d;]*m)", colored, re.MULTILINE))
    assert inks[str(byte)] != inks[str(new)] == inks["1"] != inks["0"] != inks[str(byte)]


@pytest.mark.parametrize(("name", "version"), [("<|endoftext|>", 1), ("<s>", 2), ("!!", 3)])
def test_truncating_to_a_lower_version(here: Path, name: str, version: int) -> None:
    """If a lower version can hold what is left, the file has that version."""
    made = Made(3, "gpt2", [(97, 98)], [name], (), [*range(256), 257, 256])
    (here / "m.json").write_bytes(made.file())
    words = "truncate -m m.json --vocab-size 256 -o small.json"
    assert in_words(words) == [
        "saved: small.json, 256 tokens and 1 special token, of 257 tokens",
        "rows: 257 of 258; file: 3.1 kB of 3.1 kB",
        f"special tokens: {name} (256)",
    ]
    (data,) = rows_of(f"{words} --force")
    saved = (here / "small.json").read_bytes()
    assert saved == replace(made.cut(0), version=version).file()
    assert (data["rows"], data["sha256"]) == (257, hashlib.sha256(saved).hexdigest())


@pytest.mark.posix
def test_no_read_cuts_special_whitespace(here: Path) -> None:
    """In small parts, from a file or a pipe, and in processes, text has the ids of the whole."""
    (here / "m.json").write_bytes(
        canonical(with_whitespace(["  ", "   ", "\n", "\n\n", "\t ", "<1>"]))
    )
    text = "".join(random.Random(4).choices([" ", "\t", "\r", "\n", "a", "/", "<1>"], k=600))
    ids, data = Tokenizer.load("m.json").encode(text), text.encode()
    (here / "text").write_bytes(data)
    for block, more in (1, "-j1"), (2, "-j1"), (5, "-j1"), (5, "-j2"):
        with tuned(block=block, worth=0, batch=20):
            assert rows_of(f"encode -m m.json text {more}") == [ids]
            assert json.loads(printed(f"encode -m m.json {more}", stdin=data)) == ids
            assert printed(f"count -m m.json {more} text") == b"%d\ttext\n" % len(ids)
