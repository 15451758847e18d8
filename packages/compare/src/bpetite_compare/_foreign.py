"""A tokenizer made elsewhere, as data, and a slow encoder that uses only this data.

The encoder checks an import. It merges as the reference implementation does, and shares no code
with bpetite's encoder or the conversion.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Final

import regex

from bpetite._inner import Pattern
from bpetite_compare._spellings import known_pattern, named
from bpetite_compare.reference._model import join_lowest

_LONGEST_LIST: Final = 210
_MOST_DIGITS: Final = 20


def number_in(digits: str | bytes) -> int:
    """Return a decimal number; if it has more digits than any id, only its first ones."""
    return int(digits[:_MOST_DIGITS])


@dataclass(frozen=True, slots=True)
class Options:
    """What is given with a file that does not say it; None or false if it is not.

    pattern: the name of the split pattern.
    special: the id of each special token.
    ignore_merges: whether a chunk that is a token gets its id without any merge.
    drop_normalizer: whether to leave out a normalizer to NFC.
    drop_strip: whether to leave out the flags lstrip and rstrip of added tokens.
    add_missing_bytes: whether bytes without an id get one.
    everything: whether to leave out all that can be, but to take no guess.
    """

    pattern: str | None = None
    special: Mapping[str, int] | None = None
    ignore_merges: bool = False
    drop_normalizer: bool = False
    drop_strip: bool = False
    add_missing_bytes: bool = False
    everything: bool = False


@dataclass(slots=True)
class Foreign:
    """A byte-level BPE tokenizer with its own ids. What reads it fills in its fields.

    ids: the id of each token that is not special, by its bytes.
    merges: the rank of each merge, by the bytes of its two parts; None if any two tokens whose
        joined bytes are a token merge, with its id as the rank.
    special_tokens: the id of each text that is found before all others.
    splits: the patterns that split text, one after the other.
    whole: whether a chunk that is a token gets its id without any merge.
    says_whole: whether its form says so.
    model: the kind of model.
    normalizers: the kinds of normalizers.
    flags: the flags of each special token.
    named_by: what names the pattern, for people; empty if the tokenizer's own files do.
    highest: at least the highest id, also of tokens that are left out.
    without_id: what its own library does at bytes that have no id.
    instead: what to use if it cannot be imported.
    options: what is given with it.
    left_out: the notes on what it is converted without, and the options that this takes.
    notes: remarks for people; whatever reads or converts it adds to them.
    obstacles: why it cannot be imported; likewise.
    """

    ids: Mapping[bytes, int] = field(default_factory=dict)
    merges: Mapping[tuple[bytes, bytes], int] | None = None
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    splits: tuple[str, ...] = ()
    whole: bool = True
    says_whole: bool = False
    model: str = "BPE"
    normalizers: Sequence[str] = ()
    flags: Mapping[str, Collection[str]] = field(default_factory=dict)
    named_by: str = ""
    highest: int = 0
    without_id: str = "tiktoken fails at them"
    instead: str = "use its own library"
    options: Options = Options()
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    obstacles: list[str] = field(default_factory=list)

    def check(self) -> Pattern:
        """Return the split pattern.

        Raises:
            ValueError: it cannot be imported; the message has all reasons.
        """
        pattern = known_pattern(*self.splits)
        if pattern is None and self.splits:
            self.obstacles.append(
                f"its split pattern is none that bpetite has: {named(*self.splits)}"
            )
        reasons = [*dict.fromkeys(self.obstacles)]
        if pattern and not reasons:
            return pattern
        sizes = accumulate(map(len, reasons))
        fitting = sum(size <= _LONGEST_LIST for size in sizes) or 1
        more = [f"and {len(reasons) - fitting} more"] if fitting < len(reasons) else []
        raise ValueError("; ".join([*reasons[:fitting], *more, self.instead]))

    def leave_out(self, note: str, option: str = "", obstacle: str = "") -> None:
        """Leave out a part, with a note; if it needs an option, it may be an obstacle instead."""
        flag = option and f"--{option.replace('_', '-')}"
        if not option or self.options.everything or getattr(self.options, option):
            self.left_out[note] = flag
            self.notes.append(note)
        else:
            self.obstacles.append(f"{obstacle}, unless {flag} ({option}=True) is given")

    def rank(self, left: bytes, right: bytes) -> int | None:
        """Return the rank of the merge of two tokens, or None if they do not merge."""
        if self.merges is None:
            return self.ids.get(left + right)
        return self.merges.get((left, right))

    def encode_chunk(self, chunk: bytes) -> list[int]:
        """Return the ids of a chunk."""
        if self.whole and chunk in self.ids:
            return [self.ids[chunk]]
        parts = join_lowest([bytes([value]) for value in chunk], self.rank)
        return [self.ids.get(part, -1) for part in parts]  # a byte may lack an id

    def encode(self, texts: Iterable[str]) -> Iterator[list[int]]:
        """Yield the ids of each text with special tokens; each distinct chunk is encoded once."""
        encode_chunk = cache(self.encode_chunk)
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        names = "|".join(map(regex.escape, longest_first))
        for text in texts:
            ids: list[int] = []
            for part in regex.split(f"({names})", text) if names else [text]:
                if part in self.special_tokens:
                    ids.append(self.special_tokens[part])
                else:
                    for chunk in self._chunks(part):
                        ids += encode_chunk(chunk.encode("utf-8"))
            yield ids

    def _chunks(self, text: str) -> list[str]:
        chunks = [text]
        for split in self.splits:
            # In this version of `regex`, `&&` intersects sets, as in other engines.
            parts = (regex.split(f"({split})", chunk, flags=regex.VERSION1) for chunk in chunks)
            chunks = [part for several in parts for part in several if part]
        return chunks
