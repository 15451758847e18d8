"""Decoding: ids to bytes to text, strictly."""

import operator
import re
from array import array
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import GOOD, SECOND, THIRD, canonical
from bpetite import Tokenizer
from bpetite._decoder import Decoder
from texts import CORPORA

LETTERS = oracle.vocabulary([(97, 98), (0xC3, 0xA9), (0xA9, 97)])
TOKENS = list(LETTERS.values())


class Number(int):
    """An integer of a subclass of `int`, like those of enumerations."""


class Answer:
    """An object that converts to an integer, like other libraries' integers."""

    def __index__(self) -> int:
        return 97


class Answers:
    """Several numbers with an `__index__` that raises, like a row of an array."""

    def __index__(self) -> int:
        raise TypeError("not one number")


def outcome(decode: Callable[[list[int]], str], ids: list[int]) -> object:
    """Return the text of ids, or the first unknown id, or why their bytes are not UTF-8."""
    try:
        return decode(ids)
    except KeyError as error:
        return re.search(r"-?\d+", str(error))[0]  # type: ignore[index]
    except UnicodeDecodeError as error:
        return error.encoding, error.object, error.start, error.end


@given(CORPORA, st.data())
def test_ids_decode_as_in_the_oracle(documents: list[str], data: st.DataObject) -> None:
    """FR-20, FR-21, FR-22, FR-23: integers give the oracle's text, unknown id or other error."""
    merges = oracle.train(documents, 280)
    decoder = Decoder([*oracle.vocabulary(merges).values()])
    known = st.integers(0, 256 + len(merges))
    any_id = known | st.integers(-600, 600) | st.integers(-(10**29), 10**29)
    ids = data.draw(st.lists(known, max_size=8) | st.lists(any_id, max_size=8))
    assert outcome(decoder.decode, ids) == outcome(partial(oracle.decode, merges=merges), ids)


def test_unknown_ids_raise() -> None:
    """FR-22: an unknown id raises `KeyError`; one of more than thirty digits is described."""
    for ids, found in (
        *(([260], "260 at position 0"), ([97, -1], "-1 at position 1")),
        ([97, 97, 10**9, 10**9], "1000000000 at position 2"),
        *(([0x80, 260], "260 at position 1"), ([Answer(), 260], "260 at position 1")),
        ([10**30 - 1], f"{'9' * 30} at position 0"),
        *(([sign * 10**30], "of 100 bits at position 0") for sign in (1, -1)),
        *(([sign << 20_000], "of 20001 bits at position 0") for sign in (1, -1)),
    ):
        with pytest.raises(KeyError) as caught:
            Decoder(TOKENS).decode(ids)  # type: ignore[arg-type]
        assert caught.value.args == (f"unknown token id {found}; the ids are 0 to 259",)


def test_long_lists_are_decoded_whole() -> None:
    """However many ids there are, the text has the bytes of each, in order."""
    for size in (4095, 4096, 4097, 8192, 10_000):
        ids = [256 if position % 5 else 97 for position in range(size)]
        expected = "".join("ab" if position % 5 else "a" for position in range(size))
        assert Decoder(TOKENS).decode(ids) == expected


def test_invalid_utf_8_is_rejected() -> None:
    """FR-20, FR-23: Python's `UnicodeDecodeError` propagates; its reason also names the id."""
    for ids, byte, reason in (
        ([0x80], 0, "invalid start byte (token id 128 at position 0)"),
        ([97, 0xFF], 1, "invalid start byte (token id 255 at position 1)"),
        ([256, 256, 0xC3, 97], 4, "invalid continuation byte (token id 195 at position 2)"),
        ([97, 0xC3], 1, "unexpected end of data (token id 195 at position 1)"),
        ([97, 258], 1, "invalid start byte (token id 258 at position 1)"),
        ([0xC0, 0x80], 0, "invalid start byte (token id 192 at position 0)"),
        ([0xED, 0xA0, 0x80], 0, "invalid continuation byte (token id 237 at position 0)"),
        ([257, 259, 0xF5], 15, "invalid start byte (token id 245 at position 2)"),
    ):
        with pytest.raises(UnicodeDecodeError, match=f"{re.escape(reason)}$") as caught:
            Decoder(TOKENS).decode(ids)
        assert caught.value.start == byte
        assert caught.value.object == b"".join(LETTERS[token_id] for token_id in ids)
        assert caught.value.__context__ is None  # no other error was raised in its place


def test_non_integers_are_rejected() -> None:
    """A boolean, a float or any other non-integer raises `TypeError` with the position."""
    wrong: list[tuple[Any, str]] = [
        *(([True], "bool at position 0"), ([97, False], "bool at position 1")),
        *(([97.0], "float at position 0"), ([97, 97, "97"], "str at position 2")),
        *((["97"], "str at position 0"), ([None], "NoneType at position 0")),
        *(([[97]], "list at position 0"), ([1 + 0j], "complex at position 0")),
        *(([300, True], "bool at position 1"), ([97, Answers()], "Answers at position 1")),
    ]
    for ids, found in wrong:
        with pytest.raises(TypeError, match=f"^token ids must be integers, got {found}$"):
            Decoder(TOKENS).decode(ids)


@pytest.mark.parametrize(
    ("ids", "kind", "advice"),
    [
        pytest.param(ids, type(ids).__name__, advice, id=f"{type(ids).__name__}-{len(str(ids))}")
        for advice, every in {
            "pass a list, such as [97, 98]": (
                *("", "97", {97}, frozenset({97}), {97: 97}.keys(), set(), None, 97, 97.0, Answer),
            ),
            "pass one of its values, such as the one of 'input_ids'": (
                *({}, {97: 98}, {"input_ids": [97]}, Counter([97]), MappingProxyType({97: 97})),
            ),
            "read ids in u16 with numpy.frombuffer(data, '<u2').tolist(), in u32 with '<u4', or "
            "with `bpetite decode --format`": (b"", b"aa", bytearray(b"aa"), memoryview(b"aa")),
        }.items()
        for ids in every
    ],
)
def test_what_is_no_sequence_of_ids_is_rejected(ids: object, kind: str, advice: str) -> None:
    """FR-20: bytes, which would be read as ids, and what has no order, raise `TypeError`."""
    message = f"token_ids must be a sequence of integers, got {kind}; {advice}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        Decoder(TOKENS).decode(ids)  # type: ignore[arg-type]


@pytest.mark.parametrize("file", [GOOD, SECOND, THIRD], ids=["version 1", "version 2", "version 3"])
def test_integers_of_any_type_are_ids(tmp_path: Path, file: dict[str, Any]) -> None:
    """FR-20: in any sequence, and with any type that has `__index__`, an id is an id."""
    (tmp_path / "t.json").write_bytes(canonical(file))
    tokenizer = Tokenizer.load(tmp_path / "t.json")
    (token_id,) = tokenizer.encode("a")

    class Answer:
        """An object that converts to an integer, like other libraries' integers."""

        def __index__(self) -> int:
            return token_id

    sequences: list[Any] = [
        *(
            (token_id, token_id),
            range(token_id, token_id + 1),
            [Number(token_id)],
            [Answer(), token_id],
        ),
        *(deque([token_id, token_id]), array("H", [token_id]), {"a": token_id}.values()),
    ]
    for ids in sequences:
        before = list(ids)
        assert tokenizer.decode(ids) == "a" * len(ids)
        assert all(map(operator.eq, ids, before))  # the caller's list is unchanged
    assert tokenizer.decode(number for number in [token_id]) == "a"  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got bool at position 1$"):
        tokenizer.decode([Answer(), True])  # type: ignore[list-item]
    (broken,) = (one for one, token in tokenizer._artifact.vocab.items() if token == b"\xff")
    with pytest.raises(UnicodeDecodeError, match=rf"token id {broken} at position 1\)$"):
        tokenizer.decode([Answer(), Number(broken)])  # type: ignore[list-item]
