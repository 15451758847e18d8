"""How often each token of a vocabulary occurs, as rows and as JSON."""

from collections.abc import Iterator, Sequence

from bpetite._artifact import Artifact
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.views.vocabulary import ink_of


class Frequency(Token):
    """A token and its count."""

    count: int


def frequency_data(artifact: Artifact, counts: Sequence[int]) -> Iterator[Frequency]:
    """Yield every token, the most frequent first; the position of a count is the id."""
    table = artifact.table
    for token_id in _in_order(counts):
        yield {**token_fields(token_id, table[token_id]), "count": counts[token_id]}


def draw_frequencies(artifact: Artifact, counts: Sequence[int], screen: Screen) -> Iterator[str]:
    """Yield a row for every token in the same order, and a line about all of them."""
    table = artifact.table
    figures = max(len("count"), len(f"{max(counts):,}"))
    number = len(str(artifact.highest_id))
    title, _ = screen.beside([f"{'count':>{figures}}", f"{'id':>{number}}"])
    yield f"{screen.paint(f'{title}token', 'bold')}\n"
    for token_id in _in_order(counts):
        begin, room = screen.beside([f"{counts[token_id]:>{figures},}", f"{token_id:>{number}}"])
        shown = shortened(table[token_id], room)
        yield f"{begin}{screen.paint(shown, ink_of(artifact, token_id))}\n"
    unused = f"{counts.count(0):,} of {len(counts):,} ids do not occur"
    yield f"{counted(sum(counts), 'token')}; {unused}\n"


def _in_order(counts: Sequence[int]) -> list[int]:
    """Return the ids by falling count; ids with equal counts stay in order."""
    return sorted(range(len(counts)), key=lambda token_id: -counts[token_id])
