"""The entry point by which `bpetite count --encoding` counts for an encoding of tiktoken.

`<|endoftext|>` is one token, as it is for a model; any other special token is ordinary text.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import tiktoken

from bpetite_compare._encodings import (
    cuts_safely,
    encode,
    get_encoding,
    pattern_of,
    ranks_of,
    specials_of,
)
from bpetite_compare._text import cut_safely

__all__ = ["make_counter"]

_SPECIAL_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - a token of text, no password


def make_counter(name: str) -> "_Counter":
    """Return what counts tokens by an encoding of tiktoken.

    Raises:
        ValueError: tiktoken has no encoding of that name.
        OSError: it would have to be downloaded, and cannot be.
    """
    return _Counter(get_encoding(name))


class _Counter:
    """Counts the tokens of text by an encoding."""

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self._encoding = encoding

    def cut(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the same text in blocks, or whole if the pattern might not cut where they end."""
        if cuts_safely(self._encoding):
            yield from cut_safely(texts)
        else:
            yield "".join(texts)

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text.

        Raises:
            ValueError: the engine of tiktoken gives up.
        """
        return len(encode(self._encoding, text, _SPECIAL_TOKEN))

    def __reduce__(self) -> tuple[object, ...]:
        """Give the encoding itself to another process, which by its name would look for a file."""
        encoding = self._encoding
        parts = encoding.name, pattern_of(encoding), ranks_of(encoding), specials_of(encoding)
        return _counter_of_parts, parts


def _counter_of_parts(
    name: str, pattern: str, ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]
) -> _Counter:
    encoding = tiktoken.Encoding(
        name,
        pat_str=pattern,
        mergeable_ranks=dict(ranks),
        special_tokens=dict(special_tokens),
    )
    return _Counter(encoding)
