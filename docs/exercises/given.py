r"""What the exercises use: the pattern, the chunks of a text, and files to train on."""

from pathlib import Path
from typing import Final, TypeAlias

import regex

Pair: TypeAlias = tuple[int, int]
"""Two adjacent ids: the left one and the right one."""

PATTERN: Final = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
"""Cuts text into chunks; see exercise 3."""

END_OF_TEXT: Final = "<|endoftext|>"
"""The special token; see exercise 10."""

_REPOSITORY: Final = Path(__file__).resolve().parents[2]
PROSE: Final = [str(_REPOSITORY / "docs" / "sample.txt")]
"""Prose for exercise 12."""
CODE: Final = sorted(map(str, (_REPOSITORY / "packages" / "core" / "src").rglob("*.py")))
"""Python code for exercise 12."""
JSON: Final = [str(_REPOSITORY / "docs" / "reference" / "artifact.schema.json")]
"""JSON for exercise 12."""


def chunks_of(text: str) -> list[bytes]:
    """Return the chunks of a text, in order, as UTF-8.

    >>> chunks_of("low lower")
    [b'low', b' lower']
    """
    return [chunk.encode("utf-8") for chunk in regex.findall(PATTERN, text)]
