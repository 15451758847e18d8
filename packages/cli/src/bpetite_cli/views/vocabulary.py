"""All tokens of a tokenizer: as rows, as JSON, and the tokens with a text."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final

from bpetite._artifact import Artifact
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.terminal.paint import Ink
from bpetite_cli.terminal.screen import LEAST, Screen
from bpetite_cli.terminal.visible import cells, shortened

_ROWS_OF_A_PART: Final = 1 << 9
"""The number of rows to write at once; a system call for each would be slow."""


class Entry(Token):
    """A token of the vocabulary; special tokens and bytes have neither a pair nor a rank."""

    pair: Annotated[tuple[int, int] | None, "the ids that a merge joins; null if no merge made it"]
    rank: Annotated[int | None, "the rank of the merge, from 0; null if no merge made it"]


def vocabulary_data(artifact: Artifact) -> Iterator[Entry]:
    """Yield every token in the order of the ids, the special tokens last."""
    for token_id, token in enumerate(artifact.table):
        rank = token_id - 256 if 256 <= token_id < artifact.mergeable else None
        yield {
            **token_fields(token_id, token),
            "pair": None if rank is None else artifact.merges[rank],
            "rank": rank,
        }


def draw_vocabulary(artifact: Artifact, screen: Screen) -> Iterator[str]:
    """Yield rows of tokens in the order of the ids, many at a time."""
    rows = (_row(artifact, token_id, screen) for token_id in range(artifact.highest_id + 1))
    while part := "".join(islice(rows, _ROWS_OF_A_PART)):
        yield part


def _row(artifact: Artifact, token_id: int, screen: Screen) -> str:
    """Return the id of a token, its text, the two tokens that it joins, and the rank."""
    figures = len(str(artifact.highest_id))
    begin, room = screen.beside([f"{token_id:>{figures}}"])
    token = artifact.bytes_of(token_id)
    shown, origin = shortened(token, room), ["a byte" if token_id < 256 else "special"]
    if 256 <= token_id < artifact.mergeable:
        shared = screen.width - 2 * figures - len("    =   +   rank ")
        left, right = (
            shortened(artifact.tokens[part], max(LEAST, shared // 4))
            for part in artifact.merges[token_id - 256]
        )
        shown = shortened(token, max(LEAST, shared // 2))
        origin = [f"= {left} + {right}", f"rank {token_id - 256}"]
    while origin and cells("  ".join([shown, *origin])) > room:
        origin.pop()
    if not origin:
        shown = shortened(token, room)
    if origin[1:]:
        origin[1] = screen.paint(origin[1], "faint")
    return f"{begin}{'  '.join([screen.paint(shown, ink_of(artifact, token_id)), *origin])}\n"


def ink_of(artifact: Artifact, token_id: int) -> Ink:
    """Return how to paint a token: as special, as a byte, or as the result of a merge."""
    if artifact.is_special(token_id):
        return "special"
    return "cyan" if token_id < 256 else "green"


def ids_of_text(artifact: Artifact, text: str) -> list[int]:
    """Return the ids of the tokens with a text."""
    wanted = text.encode("utf-8")
    return [token_id for token_id, token in enumerate(artifact.table) if token == wanted]
