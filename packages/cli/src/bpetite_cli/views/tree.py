"""The tree of merges that made a token, down to its bytes."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, TypedDict

from bpetite._inner import Artifact
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.screen import LEAST, Screen
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.views.vocabulary import ink_of, origin_of

_DEEPEST: Final = 12
"""The most levels in one tree; deeper levels start at the left again."""

_TRUNK: Final = "│   "
_LONGEST: Final = 40
_ROOM_OF_A_LABEL: Final = 35
"""The cells that the deepest level leaves for a short token with its id and a note."""


class _Merge(TypedDict):
    rank: int
    pair: tuple[int, int]
    id: int


class Tree(Token):
    """A token and its merges."""

    tree: Annotated[list[_Merge], "the merges that made the token, by rank"]


def tree_data(artifact: Artifact, token_id: int) -> Tree:
    """Return a token and all merges that made it, in the order of ranks."""
    merges: dict[int, _Merge] = {}
    waiting = [token_id]
    while waiting:
        here = waiting.pop()
        if (merge := artifact.merge_of(here)) and merge[0] not in merges:
            rank, pair = merge
            merges[rank] = {"rank": rank, "pair": pair, "id": here}
            waiting += pair
    return {
        **token_fields(token_id, artifact.vocab[token_id]),
        "tree": [merges[rank] for rank in sorted(merges)],
    }


def draw_tree(artifact: Artifact, token_id: int, screen: Screen) -> Iterator[str]:
    """Yield the tree of a token, line by line.

    A repeated token is drawn once, and deep levels start at the left again, so n merges take
    at most 4n lines, however they are nested.
    """
    levels = (screen.width - _ROOM_OF_A_LABEL) // len(_TRUNK)
    deepest = max(1, min(_DEEPEST, levels)) * len(_TRUNK)
    drawn: set[int] = set()
    roots = deque([token_id])
    while roots:
        root = roots.popleft()
        if root in drawn:
            continue
        yield "\n" if drawn else ""
        waiting = [(root, "", "")]
        while waiting:
            here, branch, trunk = waiting.pop()
            merge, notes = artifact.merge_of(here), []
            if merge and here in drawn:
                notes = ["as above"]
            elif merge and len(trunk) == deepest:
                notes = ["drawn below"]
                roots.append(here)
            elif merge:
                drawn.add(here)
                _, (left, right) = merge
                waiting.append((right, f"{trunk}└── ", f"{trunk}    "))
                waiting.append((left, f"{trunk}├── ", trunk + _TRUNK))
            label = _label(artifact, here, notes, screen, screen.width - len(branch))
            yield f"{screen.paint(branch, 'faint')}{label}\n"


def _label(
    artifact: Artifact, token_id: int, notes: Sequence[str], screen: Screen, room: int
) -> str:
    """Return a token, its id, its origin and notes; on a narrow screen, only some of them."""
    token = artifact.vocab[token_id]
    origin = [origin_of(artifact, token_id)]
    if merge := artifact.merge_of(token_id):
        origin = [f"rank {merge[0]}", counted(len(token), "byte")]
    words = [f"id {token_id}", *origin, *notes]
    while len(more := "  " + ", ".join(words)) > room - LEAST and len(words) > 1:
        words.pop(1)
    shown = shortened(token, min(_LONGEST, max(LEAST, room - len(more))))
    return f"{screen.paint(shown, ink_of(artifact, token_id))}{more}"
