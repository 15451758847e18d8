r"""What the exercises stand on: the pattern, the chunks of a text, and files to train on."""

from pathlib import Path
from typing import Final, TypeAlias

import regex

__all__ = ["CODE", "END_OF_TEXT", "PATTERN", "PROSE", "Pair", "chunks_of"]

Pair: TypeAlias = tuple[int, int]
"""Two ids side by side: the left one and the right one."""

PATTERN: Final = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""What cuts text into chunks; exercise 3 is about it."""

END_OF_TEXT: Final = "<|endoftext|>"
"""The special token; exercise 10 is about it."""

_REPOSITORY: Final = Path(__file__).resolve().parents[2]
PROSE: Final = [str(_REPOSITORY / "docs" / "sample.txt")]
"""Files of prose, for exercise 12."""
CODE: Final = sorted(map(str, (_REPOSITORY / "packages" / "core" / "src").rglob("*.py")))
"""Files of Python, for the same."""


def chunks_of(text: str) -> list[bytes]:
    """Return the chunks of a text, in order, as UTF-8.

    >>> chunks_of("low lower")
    [b'low', b' lower']
    """
    return [chunk.encode("utf-8") for chunk in regex.findall(PATTERN, text)]
