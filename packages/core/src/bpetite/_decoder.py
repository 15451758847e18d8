"""Turn ids into text: look up their bytes, join these, and decode the result once.

A token may contain part of a character, so ids are decoded together. If the joined bytes
are not UTF-8, that is an error; nothing is replaced.

Looking up the ids finds nearly every invalid one. They are checked one by one only if that
fails, or if one of them may be a boolean.

Not here: the bytes of each id (`_artifact`).
"""

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import index
from typing import Final, SupportsIndex

_BLOCK_IDS: Final = 1 << 12
"""Few enough that what `bytes.join` touches fits into the processor's cache."""


class Decoder:
    """Decodes ids with one vocabulary.

    tokens: the bytes of each id: at its position, or of each key if there are gaps.
    """

    def __init__(self, tokens: Sequence[bytes] | Mapping[int, bytes]) -> None:
        self.tokens = tokens
        self._ids = tokens if isinstance(tokens, Mapping) else range(len(tokens))
        # Python reads True and False as 1 and 0. In a gap, no bytes are part of every text.
        self._one, self._zero = (tokens[i] if i in self._ids else b"" for i in (1, 0))

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of ids; see `Tokenizer.decode`."""
        ids = token_ids if type(token_ids) is list else list(token_ids)
        try:
            array("L", ids)  # rejects negative ids: in a list, -1 would be the last item
            joined = self._join(ids)
        except Exception:  # a tuple of three would need more stack than small threads have
            self._check(ids)
            raise
        if (self._one in joined or self._zero in joined) and set(map(type, ids)) != {int}:
            self._check(ids)
        try:
            return joined.decode("utf-8", errors="strict")
        except UnicodeDecodeError as error:
            self._locate(error, ids)
            raise

    def _join(self, ids: Sequence[int]) -> bytes:
        tokens = self.tokens
        return b"".join(
            [
                b"".join([tokens[token_id] for token_id in ids[start : start + _BLOCK_IDS]])
                for start in range(0, len(ids), _BLOCK_IDS)
            ]
        )

    def _check(self, ids: Sequence[object]) -> None:
        """Reject the first id that is not an integer, or else the first unknown id."""
        numbers: list[int] = []
        for position, token_id in enumerate(ids):
            number = _integer(token_id)
            if number is None:
                kind = type(token_id).__name__
                raise TypeError(f"token ids must be integers, got {kind} at position {position}")
            numbers.append(number)
        for position, number in enumerate(numbers):
            if number not in self._ids:
                first, last = min(self._ids), max(self._ids)
                gaps = ", with gaps" if last - first >= len(self._ids) else ""
                raise KeyError(
                    f"unknown token id {_short(number)} at position {position}; "
                    f"the ids are {first} to {last}{gaps}"
                )

    def _locate(self, error: UnicodeDecodeError, ids: Sequence[int]) -> None:
        """Add the id that contains the invalid byte to the reason of the error."""
        ends = accumulate(len(self.tokens[token_id]) for token_id in ids)
        position = next(position for position, end in enumerate(ends) if end > error.start)
        error.reason = f"{error.reason} (token id {ids[position]} at position {position})"


def _integer(value: object) -> int | None:
    """Return an integer of any type as an `int`, and None for `bool` and anything else."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return index(value)
    except TypeError:  # an array has `__index__`, but only an array of one item is an integer
        return None


def _short(number: int) -> str:
    """Return a number for a message, or its size if it has more than 30 digits."""
    return str(number) if abs(number) < 10**30 else f"of {number.bit_length()} bits"
