"""The texts that are measured: whole, in part, and in blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SPECIAL_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - a token of text, no password

_BLOCK_CHARACTERS: Final = 1 << 14
_COPIED_CHARACTERS: Final = 1 << 20
_LINE_END: Final = re.compile(r"(?<=\S)(?=\n)")


@dataclass(frozen=True)
class Corpus:
    """A text, by the name that the report gives it."""

    name: str
    text: str
    path: Path

    @property
    def size(self) -> int:
        """How many bytes its UTF-8 has."""
        return len(self.text.encode("utf-8"))

    @property
    def length(self) -> int:
        """How many characters it has."""
        return len(self.text)

    def prefix(self, characters: int) -> "Corpus":
        """Return the same corpus, cut off after so many characters."""
        text = self.text[:characters]
        return Corpus(f"{self.name}, first {len(text):,} characters", text, self.path)


def read_corpus(path: Path) -> Corpus:
    """Read a file of UTF-8, with the newlines that it has.

    Raises:
        OSError: it cannot be read.
        ValueError: it is empty or no UTF-8, or holds the special token.
    """
    text = path.read_bytes().decode("utf-8")
    if not text or SPECIAL_TOKEN in text:
        # rustbpe and Hugging Face's trainer would read it in another way than the others.
        message = f"{str(path)!r} is empty, or holds {SPECIAL_TOKEN}; take another text"
        raise ValueError(message)
    return Corpus(path.stem, text, path)


def blocks(text: str, characters: int = _BLOCK_CHARACTERS) -> Iterator[str]:
    """Cut a text into blocks, each of at least so many characters, at ends of lines.

    A line break after a character that is no whitespace always begins a chunk, so the
    chunks of the blocks are those of the text.
    """
    start = 0
    while start < len(text):
        line_end = _LINE_END.search(text, start + characters)
        end = line_end.start() if line_end else len(text)
        yield text[start:end]
        start = end


def write_prefix(source: Path, destination: Path, characters: int) -> bool:
    """Copy the beginning of a large file of UTF-8, and say whether it was long enough."""
    missing = characters
    with (
        source.open(encoding="utf-8", newline="") as text,
        destination.open("w", encoding="utf-8", newline="") as prefix,
    ):
        while missing and (block := text.read(min(missing, _COPIED_CHARACTERS))):
            prefix.write(block)
            missing -= len(block)
    return not missing
