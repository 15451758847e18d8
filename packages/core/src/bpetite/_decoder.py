"""Turn ids into text: look up the bytes of each, join them, decode once, strictly.

A token may hold part of a character, so ids become text together and never one by one.
What is not UTF-8 when joined is refused; nothing is replaced.

Not here: which bytes an id stands for (`_trainer` and `_persistence` make the vocabulary).
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import index
from typing import SupportsIndex

__all__ = ["Decoder"]


class Decoder:
    """Ids to text, by one vocabulary."""

    def __init__(self, vocab: Mapping[int, bytes]) -> None:
        self._bytes_of = dict(vocab)

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of ids; `Tokenizer.decode` says more."""
        ids = list(token_ids)
        # A dict takes True for 1 and 97.0 for 97, so the types are looked at first.
        if not set(map(type, ids)) <= {int}:
            ids = [_checked_id(token_id, position) for position, token_id in enumerate(ids)]
        try:
            joined = b"".join(map(self._bytes_of.__getitem__, ids))
        except KeyError:
            raise self._unknown_id(ids) from None
        try:
            return joined.decode("utf-8", errors="strict")
        except UnicodeDecodeError as error:
            raise self._located(error, ids) from None

    def _unknown_id(self, ids: Sequence[int]) -> KeyError:
        position, token_id = next(
            (position, token_id)
            for position, token_id in enumerate(ids)
            if token_id not in self._bytes_of
        )
        return KeyError(
            f"unknown token id {_short(token_id)} at position {position}; "
            f"the ids are 0 to {len(self._bytes_of) - 1}"
        )

    def _located(self, error: UnicodeDecodeError, ids: Sequence[int]) -> UnicodeDecodeError:
        """Return the same error, with the id in which the wrong byte stands."""
        ends = accumulate(len(self._bytes_of[token_id]) for token_id in ids)
        position = next(position for position, end in enumerate(ends) if end > error.start)
        reason = f"{error.reason} (token id {ids[position]} at position {position})"
        return UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason)


def _checked_id(token_id: object, position: int) -> int:
    """Return an id of any integer type as an `int`."""
    if isinstance(token_id, bool) or not isinstance(token_id, SupportsIndex):
        message = (
            f"token ids must be integers, got {type(token_id).__name__} at position {position}"
        )
        raise TypeError(message)
    return index(token_id)


def _short(number: int) -> str:
    """Return a number for a message; one of thousands of digits is no help to anyone."""
    return str(number) if abs(number) < 10**30 else f"of {number.bit_length()} bits"
