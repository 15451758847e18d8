"""The schema versions: what a tokenizer file holds, and which version can hold it."""

from collections.abc import Sequence
from reprlib import Repr
from typing import Final, NamedTuple, NoReturn

from bpetite._constants import END_OF_TEXT_TOKEN, SCHEMA_VERSION
from bpetite._patterns import GPT2, PATTERNS, Pattern
from bpetite._special_tokens import MOST, checked_special_tokens

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
    """A schema version.

    number: the value of `schema_version`.
    patterns: the patterns that it can hold.
    special_token: the only special token that it can hold; None allows any by `train`'s rules.
    """

    number: int
    patterns: tuple[Pattern, ...]
    special_token: str | None


VERSIONS: Final = {
    SCHEMA_VERSION: Version(SCHEMA_VERSION, (GPT2,), END_OF_TEXT_TOKEN),
    2: Version(2, (*PATTERNS.values(),), None),
}
"""All schema versions, the lowest first."""


def version_of(pattern: Pattern, special_tokens: Sequence[str]) -> Version:
    """Return the lowest schema version that can hold such a tokenizer."""
    lowest, *_ = (
        version
        for version in VERSIONS.values()
        if pattern in version.patterns
        and (version.special_token is None or [*special_tokens] == [version.special_token])
    )
    return lowest


def pattern_of(text: object, version: Version) -> Pattern:
    """Return the pattern with a text, or raise `ValueError`: steps 9 and 10."""
    if not isinstance(text, str):
        refuse("pretokenizer_pattern", "a string", text)
    found = [pattern for pattern in version.patterns if pattern.text == text]
    if not found:
        names = " or ".join(pattern.name for pattern in version.patterns)
        refuse("pretokenizer_pattern", f"the pattern {names} as bpetite writes it", text)
    return found[0]


def special_tokens_of(special: object, size: int, version: Version) -> tuple[str, ...]:
    """Return the special tokens in an object with their ids, or raise `ValueError`.

    In schema version 1 this is step 18; in version 2, steps 18 to 20.
    """
    only = version.special_token
    if not isinstance(special, dict) or (only and special.keys() != {only}):
        expected = f"an object with only the key {only!r}" if only else "an object"
        refuse("special_tokens", expected, special)
    if len(special) > MOST:
        refuse("special_tokens", f"at most {MOST} special tokens", len(special))
    last = size + len(special) - 1
    expected = f"an id of its own from {size} to {last}"
    if only:
        expected = f"{size}, the first id after the mergeable ones"
    names: dict[int, str] = {}
    for name, token_id in special.items():
        if type(token_id) is not int or not size <= token_id <= last or token_id in names:
            refuse(f"special_tokens[{shortened(name)}]", expected, token_id)
        names[token_id] = name
    try:
        return checked_special_tokens([names[token_id] for token_id in range(size, last + 1)])
    except ValueError as error:
        raise ValueError(f"special_tokens: {error}") from None


def refuse(where: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{where}: expected {expected}, found {shortened(found):.60}")


def shortened(value: object) -> str:
    """Return a value for a message."""
    return _SHORT.repr(value)
