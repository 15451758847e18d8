"""Counts the tokens of a vocabulary by length and script, and finds incomplete characters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import Final, NamedTuple

from bpetite_cli.streams.fields import text_of
from bpetite_cli.views.scripts import script_of

_LONGEST: Final = 10


class Census(NamedTuple):
    """Statistics of the mergeable tokens.

    longest: the ids of the longest tokens, the longest first.
    lengths: the number of tokens for each length in bytes, in order.
    scripts: the number of tokens for each script or kind, the highest first.
    partial: the ids of tokens that are not complete characters.
    """

    longest: Sequence[int]
    lengths: Mapping[int, int]
    scripts: Mapping[str, int]
    partial: Sequence[int]


def take_census(tokens: Sequence[bytes]) -> Census:
    """Return the statistics of tokens; the position of a token is its id."""
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
