"""Turn ids into text: look up their bytes, join these, and decode the result once.

A token may contain part of a character, so ids are decoded together. If the joined bytes
are not UTF-8, that is an error; nothing is replaced.

Looking up the ids finds nearly every invalid one. They are checked one by one only if that
fails, or if one of them may be a boolean.

Not here: the bytes of each id (`_artifact`).
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
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
        ids = token_ids if type(token_ids) is list else _listed(token_ids)
        try:
            array("L", ids)  # rejects negative ids: in a list, -1 would be the last item
            joined = self._join(ids)
        except Exception:  # noqa: BLE001 - a tuple of three would need too much stack in threads
            ids = self._checked(ids)  # as `int`: a mapping knows no other integers
            joined = self._join(ids)
        if (self._one in joined or self._zero in joined) and set(map(type, ids)) != {int}:
            self._checked(ids)
        try:
            return joined.decode("utf-8", errors="strict")
        except UnicodeDecodeError as error:
            ends = accumulate(len(self.tokens[token_id]) for token_id in ids)
            place = next(place for place, end in enumerate(ends) if end > error.start)
            error.reason = f"{error.reason} (token id {index(ids[place])} at position {place})"
            raise

    def _join(self, ids: Sequence[int]) -> bytes:
        tokens = self.tokens
        return b"".join(
            [
                b"".join([tokens[token_id] for token_id in ids[start : start + _BLOCK_IDS]])
                for start in range(0, len(ids), _BLOCK_IDS)
            ]
        )

    def _checked(self, ids: Sequence[object]) -> list[int]:
        """Return ids as `int`; reject the first other object, or else the first unknown id."""
        checked: list[int] = []
        for position, token_id in enumerate(ids):
            integer = _integer(token_id)
            if integer is None:
                kind = type(token_id).__name__
                raise TypeError(f"token ids must be integers, got {kind} at position {position}")
            checked.append(integer)
        for position, wrong in enumerate(checked):
            if wrong not in self._ids:
                first, last = min(self._ids), max(self._ids)
                gaps = ", with gaps" if last - first >= len(self._ids) else ""
                shown = wrong if abs(wrong) < 10**30 else f"of {wrong.bit_length()} bits"
                raise KeyError(
                    f"unknown token id {shown} at position {position}; "
                    f"the ids are {first} to {last}{gaps}"
                )
        return checked


def _listed(token_ids: object) -> list[int]:
    """Return ids as a list, unless what they come in has no order, or other things as items."""
    advice = "pass a list, such as [97, 98]"
    if isinstance(token_ids, (bytes, bytearray, memoryview)):
        advice = (
            "read ids in u16 with numpy.frombuffer(data, '<u2').tolist(), in u32 with '<u4', or "
            "with `bpetite decode --format`"
        )
    elif isinstance(token_ids, Mapping):
        advice = "pass one of its values, such as the one of 'input_ids'"
    elif isinstance(token_ids, Iterable) and not isinstance(token_ids, (str, AbstractSet)):
        return list(token_ids)
    kind = type(token_ids).__name__
    raise TypeError(f"token_ids must be a sequence of integers, got {kind}; {advice}")


def _integer(value: object) -> int | None:
    """Return an integer of any type as an `int`, and None for `bool` and anything else."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return index(value)
    except TypeError:  # an array has `__index__`, but only an array of one item is an integer
        return None
