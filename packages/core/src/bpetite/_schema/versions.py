"""The schema versions: what a tokenizer file holds, and which version can hold it."""

from collections.abc import Container, Sequence
from typing import Final, NamedTuple, NoReturn, TypeAlias

from bpetite._constants import BASE_VOCAB_SIZE, END_OF_TEXT_TOKEN, SCHEMA_VERSION
from bpetite._patterns import GPT2, PATTERNS, Pattern
from bpetite._quoting import shortened
from bpetite._special_tokens import MOST, Origin, SpecialTokenError, checked_special_tokens

NUMBERED: Final = 3
"""The schema version whose files have ids of their own (`numbering`)."""


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
        return NUMBERED
    lowest, *_ = (
        number
        for number, (patterns, only) in VERSIONS.items()
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


def pattern_of(text: object, patterns: Sequence[Pattern]) -> Pattern:
    """Return the pattern with a text, or raise `ValueError`: steps 9 and 10."""
    if not isinstance(text, str):
        refuse("pretokenizer_pattern", "a string", text)
    found = [pattern for pattern in patterns if pattern.text == text]
    if not found:
        names = " or ".join(pattern.name for pattern in patterns)
        refuse("pretokenizer_pattern", f"the pattern {names} as bpetite writes it", text)
    return found[0]


def special_tokens_of(special: object, size: int, version: Version) -> tuple[str, ...]:
    """Return the special tokens in an object with their ids, or raise `ValueError`.

    In schema version 1 this is step 18; in version 2, steps 18 to 20.
    """
    only = version.special_token
    if only and (not isinstance(special, dict) or special.keys() != {only}):
        refuse("special_tokens", f"an object with only the key {only!r}", special)
    ids = range(size, size + len(_checked_object(special)))
    expected = f"an id of its own from {size} to {ids.stop - 1}"
    if only:
        expected = f"{size}, the first id after the mergeable ones"
    return (*in_order_of_ids(special, ids, expected, "trained"),)


def _checked_object(special: object) -> dict[str, object]:
    """Return the object with the special tokens, or raise `ValueError`: step 18."""
    if not isinstance(special, dict):
        refuse("special_tokens", "an object", special)
    if len(special) > MOST:
        refuse("special_tokens", f"at most {MOST} special tokens", len(special))
    return special


def in_order_of_ids(
    special: object, ids: Container[object], expected: str, origin: Origin
) -> dict[str, int]:
    """Return the id of each special token, or raise `ValueError`: steps 18 to 20."""
    names: dict[int, str] = {}
    for name, token_id in _checked_object(special).items():
        if type(token_id) is not int or token_id not in ids or token_id in names:
            refuse(f"special_tokens[{shortened(name)}]", expected, token_id)
        names[token_id] = name
    in_order = {names[token_id]: token_id for token_id in sorted(names)}
    checked_special_tokens([*in_order], origin)
    return in_order


def refuse(where: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{where}: expected {expected}, found {shortened(found):.60}")
