"""Numpy: its integers are accepted like Python's, its floats and booleans are errors."""

import re

import numpy as np
import pytest

import oracle
from bpetite._decoder import Decoder
from bpetite._trainer import train_bpe

pytestmark = pytest.mark.thorough

TOKENS = list(oracle.vocabulary([(97, 98), (0xC3, 0xA9), (0xA9, 97)]).values())


@pytest.mark.parametrize(
    "ids", [[97, np.int8(97)], np.array([97, 97], dtype=np.uint16)], ids=["integer", "array"]
)
def test_numpy_integers_are_ids(ids: list[int]) -> None:
    """FR-20: a numpy integer is an id, and a numpy array is a sequence of them."""
    assert Decoder(TOKENS).decode(ids) == "aa"


@pytest.mark.parametrize(
    ("token_id", "name"),
    [(np.float64(97), "float64"), (np.True_, "bool"), (np.array([97, 97]), "ndarray")],
)
def test_other_numpy_types_raise(token_id: int, name: str) -> None:
    """A numpy float, boolean or row of a batch raises `TypeError` with its type and position."""
    message = re.escape(f"token ids must be integers, got {name} at position 0")
    with pytest.raises(TypeError, match=f"^{message}$"):
        Decoder(TOKENS).decode([token_id])


@pytest.mark.parametrize("integer", [np.int16, np.uint64])
def test_vocab_size_may_be_a_numpy_integer(integer: type[int]) -> None:
    """FR-9: a numpy integer is a `vocab_size`."""
    assert train_bpe("ab ab ab", integer(258)) == train_bpe("ab ab ab", 258)
