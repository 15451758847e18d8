"""The tree of merges that made a token, down to its bytes."""

from collections import deque
from collections.abc import Iterator
from typing import Annotated, Final, TypedDict

from bpetite._artifact import Artifact
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import shortened, visible

_DEEPEST: Final = 12
"""The most levels in one tree; deeper levels start at the left again."""

_TRUNK: Final = "│   "
_LONGEST: Final = 40


class _Merge(TypedDict):
    rank: int
    pair: tuple[int, int]
    id: int


class Tree(Token):
    """A token and its merges."""

    tree: Annotated[list[_Merge], "the merges that made the token, by rank"]


def tree_data(artifact: Artifact, token_id: int) -> Tree:
    """Return a token and all merges that made it, in the order of ranks."""
    ranks: set[int] = set()
    waiting = [token_id]
    while waiting:
        here = waiting.pop()
        if not _is_leaf(artifact, here) and here - 256 not in ranks:
            ranks.add(here - 256)
            waiting += artifact.merges[here - 256]
    return {
        **token_fields(token_id, artifact.bytes_of(token_id)),
        "tree": [
            {"rank": rank, "pair": artifact.merges[rank], "id": 256 + rank}
            for rank in sorted(ranks)
        ],
    }


def draw_tree(artifact: Artifact, token_id: int, screen: Screen) -> Iterator[str]:
    """Yield the tree of a token, line by line.

    A repeated token is drawn once, and deep levels start at the left again, so n merges take
    at most 4n lines, however they are nested.
    """
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
            line = screen.paint(branch, "faint") + _label(artifact, here, screen)
            if _is_leaf(artifact, here):
                yield f"{line}\n"
            elif here in drawn:
                yield f"{line}, as above\n"
            elif len(trunk) == _DEEPEST * len(_TRUNK):
                yield f"{line}, drawn below\n"
                roots.append(here)
            else:
                yield f"{line}\n"
                drawn.add(here)
                left, right = artifact.merges[here - 256]
                waiting.append((right, f"{trunk}└── ", f"{trunk}    "))
                waiting.append((left, f"{trunk}├── ", trunk + _TRUNK))


def _label(artifact: Artifact, token_id: int, screen: Screen) -> str:
    """Return a token, its id and its origin."""
    token = artifact.bytes_of(token_id)
    if artifact.is_special(token_id):
        return f"{screen.paint(visible(token), 'special')}  id {token_id}, special"
    shown = screen.paint(shortened(token, _LONGEST), "cyan" if token_id < 256 else "green")
    size = counted(len(token), "byte")
    origin = "a byte" if token_id < 256 else f"rank {token_id - 256}, {size}"
    return f"{shown}  id {token_id}, {origin}"


def _is_leaf(artifact: Artifact, token_id: int) -> bool:
    """Return whether no merge made this token: it is a byte or a special token."""
    return token_id < 256 or artifact.is_special(token_id)
