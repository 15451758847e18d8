"""A tokenizer made elsewhere, as data, and a slow encoder that uses only this data.

The encoder checks an import, so it shares no code with bpetite's encoder or the conversion.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import regex

NEVER: Final = 1 << 62
"""The rank of two tokens that do not merge; all ids are lower."""


TAKE_TOKENIZER_JSON: Final = "import the model's tokenizer.json instead"
"""For forms that lack what a `tokenizer.json` has."""
GUESS: Final = "a guess"
"""What names a pattern that nothing names."""
_LONGEST_LIST: Final = 220


class Obstacles(list[str]):
    """Why a tokenizer cannot be imported: the reasons, for one error.

    `with obstacles:` collects a `ValueError`, so that the next part is checked as well.
    """

    def __init__(self, instead: str) -> None:
        """Begin without reasons; `instead` is what to use for such a tokenizer."""
        super().__init__()
        self.instead = instead

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, ValueError):
            self.append(str(error))
        return isinstance(error, ValueError)

    def check(self) -> None:
        """Raise a `ValueError` with the reasons, and at its end what to use instead."""
        end = f"; {self.instead}"
        reasons = [*dict.fromkeys(one.removesuffix(end) for one in self)]
        shown = "; ".join(reasons[:1])
        for place, reason in enumerate(reasons[1:], 1):
            if len(shown) + len(reason) > _LONGEST_LIST:
                shown += f"; and {len(reasons) - place} more"
                break
            shown += f"; {reason}"
        if reasons:
            raise ValueError(shown + end * any(one.endswith(end) for one in self))


@dataclass(frozen=True, slots=True)
class Foreign:
    """A byte-level BPE tokenizer with its own ids.

    ids: the id of each token that is not special, by its bytes.
    merges: the rank of each merge, by the bytes of its two parts; None if any two tokens whose
        joined bytes are a token merge, with its id as the rank.
    special_tokens: the id of each text that is found before all others.
    splits: the patterns that split text, one after the other.
    whole: whether a chunk that is a token gets its id without any merge.
    notes: remarks for people.
    obstacles: why it cannot be imported.
    named_by: what names the pattern, for people; empty if the tokenizer's own files do.
    """

    ids: Mapping[bytes, int]
    merges: Mapping[tuple[bytes, bytes], int] | None
    special_tokens: Mapping[str, int]
    splits: tuple[str, ...]
    whole: bool = True
    notes: tuple[str, ...] = ()
    obstacles: Obstacles = field(default_factory=lambda: Obstacles("use its own library"))
    named_by: str = ""

    def rank(self, left: bytes, right: bytes) -> int:
        """Return the rank of the merge of two tokens, or `NEVER`."""
        if self.merges is None:
            return self.ids.get(left + right, NEVER)
        return self.merges.get((left, right), NEVER)

    def encode_chunk(self, chunk: bytes) -> list[int]:
        """Return the ids of a chunk: the lowest rank merges first, its leftmost pair first."""
        if self.whole and chunk in self.ids:
            return [self.ids[chunk]]
        parts = [chunk[place : place + 1] for place in range(len(chunk))]
        while ranks := list(map(self.rank, parts, parts[1:])):
            if (lowest := min(ranks)) == NEVER:
                break
            place = ranks.index(lowest)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        return [self.ids[part] for part in parts]

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text with special tokens."""
        ids: list[int] = []
        names = "|".join(map(regex.escape, self.special_tokens))
        for part in regex.split(f"({names})", text) if names else [text]:
            if part in self.special_tokens:
                ids.append(self.special_tokens[part])
            else:
                for chunk in self._chunks(part):
                    ids += self.encode_chunk(chunk.encode("utf-8"))
        return ids

    def _chunks(self, text: str) -> list[str]:
        chunks = [text]
        for split in self.splits:
            parts = (regex.split(f"({split})", chunk) for chunk in chunks)
            chunks = [part for several in parts for part in several if part]
        return chunks


@dataclass(frozen=True, slots=True)
class Settings:
    """What a form does not have.

    splits: the patterns that split text, one after the other; none if nothing names them.
    named_by: what names them, for people.
    special_tokens: the id of each special token; None if nothing names any.
    whole: whether a chunk that is a token gets its id without any merge.
    notes: remarks for people.
    """

    splits: tuple[str, ...]
    named_by: str
    special_tokens: Mapping[str, int] | None
    whole: bool
    notes: tuple[str, ...]
