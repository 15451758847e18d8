"""The schema versions: what a tokenizer file holds, and which version can hold it."""

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from bpetite._constants import END_OF_TEXT_TOKEN, SCHEMA_VERSION
from bpetite._patterns import GPT2, PATTERNS, Pattern
from bpetite._quoting import shortened
from bpetite._special_tokens import MOST, RULES, Rules, checked_special_tokens

if TYPE_CHECKING:
    from bpetite._schema.numbering import Numbering

NUMBERED: Final = 3
"""The schema version whose files have ids of their own (`numbering`)."""


class Content(NamedTuple):
    """What a file holds.

    merges: pairs of numbers; the merge at rank r makes the number 256 + r.
    tokens: the bytes of the tokens that are not special; the position of each is its number.
        Those after the merges are whole tokens, which only a numbering allows.
    pattern: the split pattern.
    special_names: the special tokens; their numbers follow those of the tokens.
    numbering: the ids, if they are not these numbers.
    """

    merges: Sequence[tuple[int, int]]
    tokens: Sequence[bytes]
    pattern: Pattern = GPT2
    special_names: tuple[str, ...] = (END_OF_TEXT_TOKEN,)
    numbering: "Numbering | None" = None

    @property
    def table(self) -> list[bytes]:
        """The bytes of all tokens; the position of each is its number."""
        return [*self.tokens, *(name.encode("utf-8") for name in self.special_names)]

    @property
    def schema_version(self) -> int:
        """The lowest schema version that can hold it."""
        if self.numbering:
            return NUMBERED
        lowest, *_ = (
            number
            for number, (patterns, only) in VERSIONS.items()
            if self.pattern in patterns and (only is None or self.special_names == (only,))
        )
        return lowest


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
    return (*in_order_of_ids(special, ids, expected, RULES),)


def _checked_object(special: object) -> dict[str, object]:
    """Return the object with the special tokens, or raise `ValueError`: step 18."""
    if not isinstance(special, dict):
        refuse("special_tokens", "an object", special)
    if len(special) > MOST:
        refuse("special_tokens", f"at most {MOST} special tokens", len(special))
    return special


def in_order_of_ids(
    special: object, ids: Container[object], expected: str, rules: Rules
) -> dict[str, int]:
    """Return the id of each special token, or raise `ValueError`: steps 18 to 20."""
    names: dict[int, str] = {}
    for name, token_id in _checked_object(special).items():
        if type(token_id) is not int or token_id not in ids or token_id in names:
            refuse(f"special_tokens[{shortened(name)}]", expected, token_id)
        names[token_id] = name
    in_order = {names[token_id]: token_id for token_id in sorted(names)}
    checked_special_tokens([*in_order], rules)
    return in_order


def refuse(where: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{where}: expected {expected}, found {shortened(found):.60}")
