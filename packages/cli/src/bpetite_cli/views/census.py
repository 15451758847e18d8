"""The tokens of a vocabulary by length and script, and those with incomplete characters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final

from bpetite_cli.streams.fields import text_of
from bpetite_cli.views.scripts import script_of

__all__ = ["Census", "take_census"]

_LONGEST: Final = 10


@dataclass(frozen=True, slots=True)
class Census:
    """What mergeable tokens are like.

    longest: the ids of those with the most bytes, the longest first.
    lengths: how many have so many bytes, for each number of bytes, in order.
    scripts: how many are of each script, or of what has none, the most first.
    partial: the ids of those that are not made of whole characters.
    """

    longest: Sequence[int]
    lengths: Mapping[int, int]
    scripts: Mapping[str, int]
    partial: Sequence[int]


def take_census(tokens: Sequence[bytes]) -> Census:
    """Count tokens; the position of each is its id."""
    texts = [text_of(token) for token in tokens]
    scripts = Counter(map(_script, texts))
    return Census(
        longest=nsmallest(_LONGEST, range(len(tokens)), key=lambda place: -len(tokens[place])),
        lengths=dict(sorted(Counter(map(len, tokens)).items())),
        scripts=dict(sorted(scripts.items(), key=lambda item: (-item[1], item[0]))),
        partial=[token_id for token_id, text in enumerate(texts) if text is None],
    )


def _script(text: str | None) -> str:
    if text is None:
        return "parts of characters"
    scripts = set(map(script_of, text)) - {None}
    if scripts:
        return str(*scripts) if len(scripts) == 1 else "several scripts"
    if any(map(str.isnumeric, text)):
        return "numbers"
    if text.isspace():
        return "whitespace"
    if any(map(str.isprintable, text)):
        return "punctuation and symbols"
    return "unprintable characters"
