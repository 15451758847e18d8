r"""Cut text at safe boundaries: where a chunk ends, whatever the split pattern.

Glossary
    whitespace     the 25 characters that `regex` calls `\s`
    safe boundary  a position between two chunks of every pattern, wherever the text begins
                   and ends: before whitespace other than CR and LF that follows something
                   else; before CR or LF that follows an ASCII letter or digit; after a
                   single CR or LF, unless whitespace or `/` follows
    block          the text between two safe boundaries, processed at a time

Why the chunks of the blocks are the chunks of the text, for every pattern in `_patterns`: in
a chunk with other characters, whitespace is its first character, except for CR and LF, which
follow punctuation, at the end or before `/`. A chunk without other characters is part of a
run of whitespace. No pattern looks behind. A pattern looks ahead only within such a run and
at the next character, and no run ends at a boundary, except for a single CR or LF, which is
a chunk, or ends one, in any case. `deepseek3` also looks ahead at two characters: one
of Unicode's category Other, such as a control character, and a letter or mark; no boundary
separates them.

Each boundary has a character other than whitespace on one side, so none is inside a run of
whitespace. So no block ends inside a special token of whitespace alone.

Not here: the chunks (`_patterns`).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

# In `re`, `\s` includes U+001C to U+001F; in `regex`, these match like punctuation. So a
# boundary is next to neither.
_BOUNDARY: Final = re.compile(
    r"(?<=\S)(?=[^\S\x1c-\x1f\r\n])|(?<=[A-Za-z0-9])(?=[\r\n])|(?<=\S[\r\n])(?=[^\s/])"
)
_WHITESPACE: Final = re.compile(r"\s")
_LOOKS_BACK: Final = 2
_UP_TO_LAST_BOUNDARY: Final = re.compile(rf".*(?:{_BOUNDARY.pattern})", re.DOTALL)


def blocks(text: str, size: int) -> Iterator[str]:
    """Cut a text into blocks: each ends at the first safe boundary after `size` characters."""
    start = 0
    while start < len(text):
        boundary = _BOUNDARY.search(text, start + size)
        end = boundary.start() if boundary else len(text)
        yield text[start:end]
        start = end


def cut_safely(texts: Iterable[str]) -> Iterator[str]:
    """Yield the same text in parts that end at safe boundaries, except the last one.

    Args:
        texts: a text in parts, as it is read; none is empty.
    """
    held: list[str] = []
    last = ""
    for text in texts:
        # The boundary may lie between two texts, so the last characters are checked again.
        rest = text
        # A text without whitespace has no boundary; to look for one backwards is slow.
        seen = last + text
        if _WHITESPACE.search(seen) and (found := _UP_TO_LAST_BOUNDARY.match(seen)):
            end = found.end() - len(last)
            yield "".join([*held, text[:end]])
            held, rest, last = [], text[end:], ""
        held.append(rest)
        last = (last + rest)[-_LOOKS_BACK:]
    if held_to_end := "".join(held):
        yield held_to_end
