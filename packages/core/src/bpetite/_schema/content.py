"""What a tokenizer file holds, and what a schema version decides for itself."""

from collections.abc import Callable, Sequence
from reprlib import Repr
from typing import Final, NamedTuple, NoReturn

from bpetite._patterns import Pattern

_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 40
_SHORT.maxlist = _SHORT.maxdict = 4
_SHORT.maxlevel = 2


class Content(NamedTuple):
    """What a file holds.

    merges: pairs of ids; the merge at rank r makes the id 256 + r.
    tokens: the bytes of the mergeable tokens; the position of each is its id.
    pattern: the split pattern.
    special_tokens: the special tokens; their ids follow those of the mergeable tokens.
    """

    merges: Sequence[tuple[int, int]]
    tokens: Sequence[bytes]
    pattern: Pattern
    special_tokens: tuple[str, ...]


class Version(NamedTuple):
    """A schema version: what differs between versions.

    number: the value of `schema_version`.
    holds: whether it can hold a tokenizer with this pattern and these special tokens.
    pattern: returns the pattern with a text, or raises `ValueError`.
    special_tokens: returns the special tokens in an object with their ids, for a number of
        mergeable tokens, or raises `ValueError`.
    """

    number: int
    holds: Callable[[Pattern, Sequence[str]], bool]
    pattern: Callable[[str], Pattern]
    special_tokens: Callable[[object, int], tuple[str, ...]]


def refuse(where: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{where}: expected {expected}, found {shortened(found):.60}")


def shortened(value: object) -> str:
    """Return a value for a message."""
    return _SHORT.repr(value)
