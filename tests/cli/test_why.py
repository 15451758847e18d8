"""`bpetite show --why` and `--ids`: why a text does not have a token."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import canonical, write_artifact
from cli_tools import call, in_words, refusal, rows_of, tuned
from numbered import ANY, WORDS, Made, plain
from texts import TWICE, TWINS

MERGES: Final = [(98, 99), (97, 98), (32, 257), (257, 256), (257, 99)]
"""`bc`, which prevents `ab` in `abc`; `ab`, ` ab`, `abbc`, and `abc`, which never happens."""


@pytest.fixture
def model(here: Path) -> Path:
    """Return the working directory with a tokenizer of these merges."""
    write_artifact(here / "m.json", MERGES)
    return here


@pytest.mark.usefixtures("model")
def test_the_merge_that_came_first_is_shown() -> None:
    """A person gets each place, with the merge that took a part, and the one that needed it."""
    assert in_words("show -m m.json --text 'xabc lab c ab<|endoftext|>' --why ab") == [
        "id 257 at byte 1, xabc: another merge comes first",
        "  rank 0 of 5: b + c (98 + 99) makes 256",
        "  rank 1 of 5: a + b (97 + 98) makes 257",
        "id 257 at byte 6, ·lab: the token is there",
        "id 257 at byte 11, ·ab: the token becomes part of a longer one",
        "  rank 2 of 5: · + ab (32 + 257) makes 258",
        "3 places with the bytes of id 257",
    ]
    assert in_words("show -m m.json --text abx --why 256") == ["0 places with the bytes of id 256"]
    never = "1 place with the bytes of id 260, which no text has"
    assert in_words("show -m m.json --text abc --why abc")[-1] == never
    special = in_words("show -m m.json --text '<|endoftext|>' --why '<|endoftext|>'")
    assert special[-1] == "1 place with the bytes of id 261"
    shown = in_words("show -m m.json --why a", stdin=b"a b " * 12)
    assert (len(shown), shown[-1]) == (11, "12 places with the bytes of id 97")
    (told,) = refusal("show -m m.json --text a --why end")
    assert told.startswith("error: no token has the text 'end', as no merge makes it; `bpetite ")


@pytest.mark.usefixtures("model")
def test_the_first_id_that_is_not_there_is_shown() -> None:
    """Ids are drawn as tokens, with the first one that encoding their text does not give."""
    assert in_words("show -m m.json --ids 97 98,99") == [
        "a │b │c",
        "97│98│99",
        "",
        "3 tokens, 3 bytes, 1.00 bytes per token",
        "id 98 at byte 1, abc: the token becomes part of a longer one",
        "  rank 0 of 5: b + c (98 + 99) makes 256",
        "2 places where encoding gives another token",
    ]
    assert in_words("show -m m.json --ids '[97,256]'")[-1] == (
        "0 places where encoding gives another token"
    )
    assert refusal("show -m m.json --ids 97 300") == [
        "error: unknown token id 300 at position 1; the ids are 0 to 261"
    ]


# the oracle


class Slow:
    """A tokenizer in the oracle's numbers, and what it says about a place, merge by merge."""

    def __init__(self, made: Made, text: str = "", *, ordinary: bool = False) -> None:
        content, self.merges, whole, self.special = made
        self.ids = [*map(int, content["vocab"])]
        self.tokens = [bytes(token) for token in content["vocab"].values()]
        self.whole = {token: 256 + len(self.merges) + n for n, token in enumerate(whole)}
        last = len(self.ids) - len(self.special)
        self.names = {name: last + n for n, name in enumerate(self.special)}
        self.pattern = content["pretokenizer_pattern"]
        self.read(text, ordinary=ordinary)

    def read(self, text: str, *, ordinary: bool = False) -> None:
        """Cut a text, and encode its parts."""
        self.parts: list[tuple[int, bytes, bool]] = []  # the chunks and special tokens
        start = 0
        names = [] if ordinary else [name for name in self.special if name in text]
        for part, is_special in self.cut(text, names):
            self.parts.append((start, part, is_special))
            start += len(part)
        self.there = {
            (start + offset, number)
            for start, part, is_special in self.parts
            for offset, number in self.spans(self.encoded(part, is_special=is_special))
        }

    def cut(self, text: str, names: Sequence[str]) -> Iterator[tuple[bytes, bool]]:
        """Yield the chunks and the special tokens of a text, and which of both they are."""
        before = ""
        while text or before:
            found = max(filter(text.startswith, names), key=len, default="")
            if found or not text:
                yield from ((chunk, False) for chunk in oracle.chunks_of(before, self.pattern))
                yield from [(found.encode(), True)] if found else []
            before = "" if found or not text else before + text[0]
            text = text[len(found or "x") :]

    def encoded(self, part: bytes, *, is_special: bool) -> list[int]:
        """Return the tokens of a chunk or a special token."""
        if is_special:
            return [self.names[part.decode()]]
        if part in self.whole:
            return [self.whole[part]]
        return [*self.passes(part)][-1][1]

    def passes(self, chunk: bytes, without: int = -1) -> Iterator[tuple[int, list[int]]]:
        """Yield a chunk, then the rank of each merge but one, and the chunk after its pass."""
        yield -1, (numbers := [*chunk])
        for rank, pair in enumerate(self.merges):
            if rank != without:
                yield rank, (numbers := oracle.merge(numbers, pair, 256 + rank))

    def spans(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Return the offset of each token, and the token."""
        starts = accumulate((len(self.tokens[one]) for one in numbers), initial=0)
        return [*zip(starts, numbers, strict=False)]

    def made_until(self, number: int, rank: int) -> list[int]:
        """Return what a token is after the merges up to a rank, if no other is in the way."""
        if number < 256 or number - 256 <= rank:
            return [number]
        left, right = self.merges[number - 256]
        return [*self.made_until(left, rank), *self.made_until(right, rank)]

    def place(self, number: int, start: int) -> dict[str, Any]:
        """Return what is at a place with the bytes of a token."""
        token = self.tokens[number]
        begin, part, is_special = next(
            one for one in self.parts if one[0] + len(one[1]) >= start + len(token)
        )
        ranks: list[int] = []
        if (start, number) in self.there:
            reason = "token"
        elif start < begin:
            reason = "boundary"
        elif is_special:
            reason = "special"
        elif part in self.whole:
            reason = "whole"
        elif number >= 256 + len(self.merges):
            reason = "unmade"
        else:
            ranks = self.ranks(number, start - begin, part)
            reason = "merge" if len(ranks) > 1 else "longer"
        found = {"id": self.ids[number], "start": start, "chunk": part.decode(), "reason": reason}
        return found | {"ranks": ranks}

    def ranks(self, number: int, start: int, chunk: bytes) -> list[int]:
        """Return the first merge after which a token is in other parts, and what they needed."""

        def inside(numbers: Sequence[int], before: int = 0) -> list[tuple[int, int]]:
            return [
                (before + offset, one)
                for offset, one in self.spans(numbers)
                if before + offset < end and before + offset + len(self.tokens[one]) > start
            ]

        end = start + len(self.tokens[number])
        for rank, now in self.passes(chunk):
            wanted = inside(self.made_until(number, rank), start)
            if inside(now) != wanted:
                break
        left, right = self.merges[rank]
        place = next(offset for offset, one in inside(now) if (offset, one) not in wanted)
        parts = [(place, left), (place + len(self.tokens[left]), right)]
        before = inside(self.made_until(number, rank - 1), start)
        needed = [
            later
            for one in parts
            for later in range(rank, number - 255)
            if one in before and one not in inside(self.made_until(number, later), start)
        ]
        assert [*self.passes(chunk, rank)][-1][1] != [*self.passes(chunk)][-1][1]
        return [rank, *sorted(needed)[:1]]


TEXTS: Final = st.lists(
    WORDS | st.sampled_from(["<s>", "er|><|user|>", "abba!", "<|endoftext|>", "'ll", "12", "  "])
).map("".join)
"""Texts with special tokens, and with chunks that are whole tokens or of two patterns."""


@example(plain([(101, 110)]), "end<|endoftext|>", 16, "")
@example(plain([], whole=[b"abc"]), "abc abcd", 16, "")
@example(plain(TWINS), "abc babcabc", 16, "")
@example(plain(TWICE), "aaaaa ababaaab", 16, "")
@example(plain([(97, 97), (256, 256), (257, 97), (98, 256)]), "aaaaa baaaa", 16, "")
@given(ANY, TEXTS, st.integers(4, 64), st.sampled_from(["", "--ordinary"]))
def test_why_is_that_of_the_oracle(made: Made, text: str, block: int, more: str) -> None:
    """Every place with the bytes is found, also between blocks, with the reason and the ranks."""
    slow, data = Slow(made, text, ordinary=bool(more)), text.encode()
    with TemporaryDirectory() as folder, tuned(block=block):
        (Path(folder) / "m.json").write_bytes(canonical(made[0]))
        for number in [97, 98, 195, *range(256, len(slow.ids))]:
            token = slow.tokens[number]
            places = [at for at in range(len(data)) if data.startswith(token, at)]
            words = f"show -m m.json --why {slow.ids[number]} {more}"
            rows = rows_of(words, stdin=data, cwd=Path(folder))
            assert {row["hex"] for row in rows} <= {token.hex()}
            assert [without_token(row) for row in rows] == [slow.place(number, at) for at in places]


@given(ANY, TEXTS, st.data())
def test_ids_are_compared_as_by_the_oracle(made: Made, text: str, data: st.DataObject) -> None:
    """Each id gets the reason why encoding does not give it at its place, or that it does."""
    slow = Slow(made, text)
    numbers: list[int] = []
    for _, number in sorted(slow.there):
        is_merged = number < 256 + len(slow.merges)
        last = data.draw(st.integers(-1, len(slow.merges)))
        numbers += slow.made_until(number, last) if is_merged else [number]
    with TemporaryDirectory() as folder:
        (Path(folder) / "m.json").write_bytes(canonical(made[0]))
        ids = [str(slow.ids[number]) for number in numbers]
        rows = rows_of("show -m m.json --ids", *ids, cwd=Path(folder))
    expected = [slow.place(number, start) for start, number in slow.spans(numbers)]
    assert [without_token(row) for row in rows] == expected


def without_token(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the bytes and the text of the token."""
    return {name: value for name, value in row.items() if name not in {"hex", "text"}}


@pytest.mark.usefixtures("model")
def test_ids_that_are_not_text_are_shown() -> None:
    """They are drawn all the same, and a warning says which one is wrong."""
    rows = rows_of("show -m m.json --ids 97 195")
    assert [(row["hex"], row["start"], row["reason"]) for row in rows] == [
        ("61", 0, "bytes"),
        ("c3", 1, "bytes"),
    ]
    shown = call("show -m m.json --ids 97 195 --output-format text")
    assert shown.stdout.startswith("a │‹c3›\n97│195\n".encode())
    (told,) = shown.told
    assert told.startswith("warning: the ids are not text: ")
    assert told.endswith(" (token id 195 at position 1)")
