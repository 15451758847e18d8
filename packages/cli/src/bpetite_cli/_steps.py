"""How a text becomes its tokens: chunk by chunk, merge by merge."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from bpetite_cli._artifact import Artifact
from bpetite_cli._replay import Ranks, Step, cut, ranks_of, replay
from bpetite_cli._screen import Screen
from bpetite_cli._visible import visible

__all__ = ["draw_steps"]

_ROOM_OF_NUMBERS: Final = 36
"""What the words and the numbers of a step take beside its tokens."""


def draw_steps(artifact: Artifact, texts: Iterable[str], screen: Screen) -> Iterator[str]:
    """Yield what happens to each chunk, line by line; to one that comes again, in short."""
    pencil = _Pencil(artifact, screen)
    seen: dict[str, tuple[int, Sequence[int]]] = {}
    number = 0
    for text in texts:
        for chunk in cut(text, artifact.pattern, artifact.special_token):
            if chunk == artifact.special_token:
                yield pencil.special_token()
                continue
            number += 1
            if chunk in seen:
                yield pencil.again(number, chunk, *seen[chunk])
            else:
                seen[chunk] = (number, (yield from pencil.chunk(number, chunk)))


@dataclass
class _Pencil:
    """What draws the chunks of one artifact.

    indent: how far what is told of a step stands from the left.
    """

    artifact: Artifact
    screen: Screen
    ranks: Ranks = field(init=False)
    indent: int = 0

    def __post_init__(self) -> None:
        self.ranks = ranks_of(self.artifact.merges)

    def special_token(self) -> str:
        shown = self.screen.paint(visible(self.artifact.special_token), "special")
        return f"special token: {shown}\n  id {self.artifact.special_id}\n\n"

    def again(self, number: int, chunk: str, earlier: int, ids: Sequence[int]) -> str:
        return f"{self._title(number, chunk)}, as chunk {earlier}\n  {_ids('ids', ids)}\n\n"

    def chunk(self, number: int, chunk: str) -> Generator[str, None, Sequence[int]]:
        """Yield the lines of a chunk, and return its ids."""
        data = chunk.encode("utf-8")
        ids: Sequence[int] = list(data)
        told = _ids("bytes", ids)
        yield f"{self._title(number, chunk)}\n"
        self.indent = self._indent_of(ids, max(len(told), len(chunk) + _ROOM_OF_NUMBERS))
        yield self._line(ids, None, told)
        for step in replay(data, self.ranks):
            ids = step.ids
            yield self._line(ids, 256 + step.rank, self._told(step))
        yield f"{' ' * self.indent}{_ids('ids', ids)}\n\n"
        return ids

    def _title(self, number: int, chunk: str) -> str:
        return self.screen.paint(f"chunk {number:,}: {visible(chunk)}", "bold")

    def _indent_of(self, ids: Sequence[int], room: int) -> int:
        """Return where to tell of steps: beside the chunk, or below it if there is no room."""
        beside = self._width(ids, None) + 6
        return beside if beside + room <= self.screen.width else 4

    def _told(self, step: Step) -> str:
        left, right = self.artifact.merges[step.rank]
        shown = " + ".join(visible(self.artifact.tokens[part]) for part in (left, right))
        times = step.ids.count(256 + step.rank)
        return f"rank {step.rank}: {shown} ({left} + {right}) makes {256 + step.rank}" + (
            f", {times} times" if times > 1 else ""
        )

    def _line(self, ids: Sequence[int], new: int | None, told: str) -> str:
        """Return the chunk as it is now, and what is told of it."""
        shown = "│".join(self._shown(token_id, new) for token_id in ids)
        if self.indent == 4:
            return f"  {shown}\n    {told}\n"
        return f"  {shown}{' ' * (self.indent - 2 - self._width(ids, new))}{told}\n"

    def _shown(self, token_id: int, new: int | None) -> str:
        shown = visible(self.artifact.tokens[token_id])
        if token_id != new:
            return shown
        return self.screen.paint(shown, "new") if self.screen.coloured else f"[{shown}]"

    def _width(self, ids: Sequence[int], new: int | None) -> int:
        from bpetite_cli._painting import cell_len  # noqa: PLC0415 - rich is slow to load

        marks = 0 if self.screen.coloured or new is None else 2 * list(ids).count(new)
        tokens = (cell_len(visible(self.artifact.tokens[token_id])) for token_id in ids)
        return sum(tokens) + len(ids) - 1 + marks


def _ids(name: str, ids: Sequence[int]) -> str:
    return f"{name} {' '.join(map(str, ids))}"
