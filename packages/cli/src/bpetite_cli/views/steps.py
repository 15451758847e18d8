"""How a text becomes tokens, chunk by chunk and merge by merge.

`encode` returns ids without chunks or merges, so this cuts and merges with its own slow code. A
property test compares its ids with those of `encode`.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Final, NamedTuple

from bpetite._inner import Artifact
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import cells, visible

_ROOM_OF_NUMBERS: Final = 36
"""The cells that the words and numbers of a step take, in addition to its tokens."""


def draw_steps(
    artifact: Artifact, chunks: Iterable[tuple[str, bool]], screen: Screen
) -> Iterator[str]:
    """Yield the pattern's name and the steps of each chunk, line by line.

    A repeated chunk gets a short note. The chunks are those of `chunks_of`.
    """
    special_tokens = artifact.special_tokens
    whole = dict(zip(artifact.whole_tokens, count(256 + len(artifact.merges)), strict=False))
    drawing = _Drawing(artifact, screen, artifact.steps_of_chunks(), whole)
    seen: dict[str, tuple[int, Sequence[int]]] = {}
    number = 0
    between = f"pattern {artifact.pattern.name}\n\n"
    for chunk, is_special in chunks:
        yield between
        between = "\n"
        if is_special:
            shown = screen.paint(visible(chunk), "special")
            yield f"special token: {shown}\n  id {special_tokens[chunk]}\n"
            continue
        number += 1
        if chunk in seen:
            yield drawing.again(number, chunk, *seen[chunk])
        else:
            seen[chunk] = (number, (yield from drawing.chunk(number, chunk)))


def chunks_of(
    artifact: Artifact, texts: Iterable[str], *, ordinary: bool
) -> Iterator[tuple[str, bool]]:
    """Yield the chunks and the special tokens of a text, and whether each is a special token."""
    cut = (lambda text: [text]) if ordinary else artifact.cut
    for place, part in chain.from_iterable(enumerate(cut(text)) for text in texts):
        if place % 2:
            yield part, True
        else:
            yield from ((chunk, False) for chunk in artifact.pattern.split(part))


def merge_line(artifact: Artifact, rank: int) -> str:
    """Return the tokens and ids that a merge joins, and the id that it makes."""
    ids, (left, right) = artifact.ids, artifact.merges[rank]
    tokens = " + ".join(visible(artifact.tokens[part]) for part in (left, right))
    return f"{tokens} ({ids[left]} + {ids[right]}) makes {ids[256 + rank]}"


class _Drawing(NamedTuple):
    """Draws the chunks of one tokenizer.

    steps: yields the merges of a chunk.
    whole: the index of each whole token; merges are of indexes, too, and only ids are shown.
    """

    artifact: Artifact
    screen: Screen
    steps: Callable[[bytes], Iterator[tuple[int, list[int]]]]
    whole: Mapping[bytes, int]

    def again(self, number: int, chunk: str, earlier: int, ids: Sequence[int]) -> str:
        return (
            f"{self._title(number, chunk)}, same as chunk {earlier:,}\n  {_id_list('ids', ids)}\n"
        )

    def chunk(self, number: int, chunk: str) -> Generator[str, None, Sequence[int]]:
        """Yield the lines of a chunk and return its ids."""
        data = chunk.encode("utf-8")
        indexes: Sequence[int] = list(data)
        note = _id_list("bytes", indexes)
        steps: Iterable[tuple[int, Sequence[int]]] = self.steps(data)
        if data in self.whole:
            indexes, note, steps = [self.whole[data]], "a whole token, without merges", ()
        beside, column = self._state(indexes, None)[1] + 6, None
        if beside < self.screen.width:
            steps = list(steps)  # few, as the chunk is short
            notes = [note, *(self._merge(new, made.count(new)) for new, made in steps)]
            room = max(cells(visible(chunk)) + _ROOM_OF_NUMBERS, *map(cells, notes))
            column = beside if beside + room <= self.screen.width else None
        yield f"{self._title(number, chunk)}\n"
        yield self._line(indexes, None, note, column)
        for new, indexes in steps:
            yield self._line(indexes, new, self._merge(new, indexes.count(new)), column)
        ids = [self.artifact.ids[index] for index in indexes]
        yield f"{' ' * (column or 4)}{_id_list('ids', ids)}\n"
        return ids

    def _title(self, number: int, chunk: str) -> str:
        return self.screen.paint(f"chunk {number:,}: {visible(chunk)}", "bold")

    def _merge(self, new: int, times: int) -> str:
        """Return a description of a step, which makes a new token some times."""
        often = f", {times:,} times" if times > 1 else ""
        return f"rank {new - 256}: {merge_line(self.artifact, new - 256)}{often}"

    def _line(self, indexes: Sequence[int], new: int | None, note: str, column: int | None) -> str:
        """Return the current state of a chunk, with its description next to it or below."""
        shown, width = self._state(indexes, new)
        if column is None:
            return f"  {shown}\n    {note}\n"
        return f"  {shown}{' ' * max(2, column - 2 - width)}{note}\n"

    def _state(self, indexes: Sequence[int], new: int | None) -> tuple[str, int]:
        """Return the tokens of a chunk, with the new ones marked, and their width in cells."""
        colored, paint = self.screen.colored, self.screen.paint
        tokens = [(index == new, visible(self.artifact.tokens[index])) for index in indexes]
        plain = "│".join(f"[{shown}]" if new and not colored else shown for new, shown in tokens)
        painted = "│".join(paint(shown, "new") if new else shown for new, shown in tokens)
        return painted if colored else plain, cells(plain)


def _id_list(name: str, ids: Sequence[int]) -> str:
    return f"{name} {' '.join(map(str, ids))}"
