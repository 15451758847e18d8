"""The schema versions: what a tokenizer file holds, and which version can hold it."""

from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn, TypeAlias

from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN, SCHEMA_VERSION
from bpetite._patterns import GPT2, PATTERNS, Pattern
from bpetite._quoting import shortened
from bpetite._special_tokens import SpecialTokenError, checked_special_tokens, is_whitespace

NUMBERED: Final = (3, 4)
"""The schema versions whose files have ids of their own; 4 has special tokens of whitespace."""


Fields: TypeAlias = tuple[
    Sequence[tuple[int, int]], Sequence[bytes], Pattern, tuple[str, ...], tuple[int, ...] | None
]
"""What a file holds: the fields of an `Artifact`, which explains them."""


class Version(NamedTuple):
    """A schema version.

    patterns: the patterns that it can hold.
    special_token: the only special token that it can hold; None allows any by `train`'s rules.
    """

    patterns: tuple[Pattern, ...]
    special_token: str | None


VERSIONS: Final = {
    SCHEMA_VERSION: Version((GPT2,), END_OF_TEXT_TOKEN),
    2: Version((*PATTERNS.values(),), None),
}
"""The schema versions whose ids are in order, the lowest first."""


def lowest_version(
    pattern: Pattern, special_names: tuple[str, ...], numbering: Sequence[int] | None
) -> int:
    """Return the lowest schema version that can hold a tokenizer."""
    if numbering:
        return 4 if any(map(is_whitespace, special_names)) else 3
    lowest, *_ = (
        version
        for version, (patterns, only) in VERSIONS.items()
        if pattern in patterns and (only is None or special_names == (only,))
    )
    return lowest


def needs_numbering(fields: Fields) -> bool:
    """Return whether no version below 3 can hold a tokenizer with these ids."""
    merges, tokens, pattern, special_names, ids = fields
    whole = len(tokens) > BASE_VOCAB_SIZE + len(merges)
    if whole or ids != (*range(len(ids or ())),) or pattern not in PATTERNS.values():
        return True
    try:
        checked_special_tokens(special_names)
    except SpecialTokenError:
        return True
    return False


def refuse(where: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{where}: expected {expected}, found {shortened(found):.60}")
