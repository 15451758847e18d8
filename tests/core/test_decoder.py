"""Decoding: ids to bytes to text, strictly."""

import operator
import re
from array import array
from collections import deque
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import GOOD, SECOND, THIRD, artifact_with, loaded
from bpetite import Tokenizer
from texts import CORPORA

VOCAB = oracle.vocabulary([(97, 98), (0xC3, 0xA9), (0xA9, 97)])


@pytest.fixture(scope="module")
def decode() -> Callable[[Any], str]:
    """Return the `decode` of a tokenizer with "ab", "é", and a token that begins inside "é"."""
    return loaded(artifact_with([(97, 98), (0xC3, 0xA9), (0xA9, 97)])).decode


class Answer:
    """An object that converts to an integer, like other libraries' integers."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


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
    known = st.integers(0, 256 + len(merges))
    any_id = known | st.integers(-600, 600) | st.integers(-(10**29), 10**29)
    ids = data.draw(st.lists(known, max_size=8) | st.lists(any_id, max_size=8))
    decode = Tokenizer.train(documents, 280).decode
    assert outcome(decode, ids) == outcome(partial(oracle.decode, merges=merges), ids)


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        pytest.param([260], "260 at position 0", id="the next one"),
        pytest.param([97, -1], "-1 at position 1", id="negative"),
        pytest.param([0x80, 260], "260 at position 1", id="after invalid UTF-8"),
        pytest.param([Answer(97), 260], "260 at position 1", id="after another type"),
        pytest.param([10**30 - 1], f"{'9' * 30} at position 0", id="30 digits"),
        pytest.param([-(10**30)], "of 100 bits at position 0", id="31 digits"),
    ],
)
def test_unknown_ids_raise(decode: Callable[[Any], str], ids: list[Any], found: str) -> None:
    """FR-22: an unknown id raises `KeyError`; one of more than thirty digits is described."""
    with pytest.raises(KeyError) as caught:
        decode(ids)
    assert caught.value.args == (f"unknown token id {found}; the ids are 0 to 259",)


def test_ids_in_gaps_are_unknown() -> None:
    """An id in a gap is unknown, and a boolean is not an id, although 0 and 1 are."""
    decode = loaded(THIRD).decode
    for wrong in (2, 999, 1256, -1, 10**40):
        with pytest.raises(KeyError, match="at position 2; the ids are 0 to 1255, with gaps"):
            decode([7, 1, wrong])
    for other in (True, False):
        with pytest.raises(TypeError, match="got bool at position 2"):
            decode([7, 1, other])
    vocab = {str(byte + 1): [byte] for byte in range(256)}  # no gap but before the first id
    more = {"mergeable_vocab_size": 256, "merges": [], "special_tokens": {}, "vocab": vocab}
    with pytest.raises(KeyError, match="the ids are 1 to 256'"):
        loaded(THIRD | more).decode([0])


@pytest.mark.parametrize("size", [4095, 4096, 4097, 8193])
def test_long_lists_are_decoded_whole(decode: Callable[[Any], str], size: int) -> None:
    """However many ids there are, the text has the bytes of each, in order."""
    ids = [256 if position % 5 else 97 for position in range(size)]
    assert decode(ids) == "".join("ab" if position % 5 else "a" for position in range(size))


@pytest.mark.parametrize(
    ("ids", "byte", "reason"),
    [
        ([0x80], 0, "invalid start byte (token id 128 at position 0)"),
        ([256, 256, 0xC3, 97], 4, "invalid continuation byte (token id 195 at position 2)"),
        ([97, 0xC3], 1, "unexpected end of data (token id 195 at position 1)"),
        ([97, 258], 1, "invalid start byte (token id 258 at position 1)"),
        ([0xED, 0xA0, 0x80], 0, "invalid continuation byte (token id 237 at position 0)"),
        ([257, 259, 0xF5], 15, "invalid start byte (token id 245 at position 2)"),
    ],
)
def test_invalid_utf_8_is_rejected(
    decode: Callable[[Any], str], ids: list[int], byte: int, reason: str
) -> None:
    """FR-20, FR-23: Python's `UnicodeDecodeError` propagates; its reason also names the id."""
    with pytest.raises(UnicodeDecodeError, match=f"{re.escape(reason)}$") as caught:
        decode(ids)
    assert caught.value.start == byte
    assert caught.value.object == b"".join(VOCAB[token_id] for token_id in ids)
    assert caught.value.__context__ is None  # no other error was raised in its place


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        ([True], "bool at position 0"),
        ([97, False], "bool at position 1"),
        ([97, 97, "97"], "str at position 2"),
        ([300, True], "bool at position 1"),  # an unknown id before it is not named
        ([97, Answers()], "Answers at position 1"),
    ],
)
def test_non_integers_are_rejected(
    decode: Callable[[Any], str], ids: list[Any], found: str
) -> None:
    """A boolean, a float or any other non-integer raises `TypeError` with the position."""
    with pytest.raises(TypeError, match=f"^token ids must be integers, got {found}$"):
        decode(ids)


LIST = "pass a list, such as [97, 98]"
VALUE = "pass one of its values, such as the one of 'input_ids'"
READ = (
    "read ids in u16 with numpy.frombuffer(data, '<u2').tolist(), in u32 with '<u4', or "
    "with `bpetite decode --format`"
)


@pytest.mark.parametrize(
    ("ids", "advice"),
    [
        ("97", LIST),
        ({97}, LIST),
        (97, LIST),
        ({"input_ids": [97]}, VALUE),
        (MappingProxyType({97: 97}), VALUE),
        (b"aa", READ),
        (bytearray(b"aa"), READ),
        (memoryview(b"aa"), READ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_sequence_of_ids_is_rejected(
    decode: Callable[[Any], str], ids: object, advice: str
) -> None:
    """FR-20: bytes, which would be read as ids, and what has no order, raise `TypeError`."""
    kind = type(ids).__name__
    message = f"token_ids must be a sequence of integers, got {kind}; {advice}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        decode(ids)


@pytest.mark.parametrize("file", [GOOD, SECOND, THIRD], ids=["version 1", "version 2", "version 3"])
def test_integers_of_any_type_are_ids(file: dict[str, Any]) -> None:
    """FR-20: in any sequence, and with any type that has `__index__`, an id is an id."""
    tokenizer = loaded(file)
    (a,) = tokenizer.encode("a")
    sequences: list[Any] = [
        (a, a),
        range(a, a + 1),
        [Answer(a), a],
        deque([a, a]),
        array("H", [a]),
        {"a": a}.values(),
    ]
    for ids in sequences:
        before = list(ids)
        assert tokenizer.decode(ids) == "a" * len(ids)
        assert all(map(operator.eq, ids, before))  # the caller's list is unchanged
    assert tokenizer.decode(number for number in [a]) == "a"  # type: ignore[arg-type]
    (broken,) = (int(key) for key, token in file["vocab"].items() if token == [0xFF])
    with pytest.raises(UnicodeDecodeError, match=rf"token id {broken} at position 1\)$"):
        tokenizer.decode([Answer(a), broken])  # type: ignore[list-item]
