"""The vocabulary as data for JSON, and counts and tokens in words."""

from collections.abc import Iterator

from bpetite._artifact import Artifact
from bpetite_cli.streams.fields import token_fields
from bpetite_cli.terminal.visible import visible


def vocabulary_data(artifact: Artifact) -> Iterator[dict[str, object]]:
    """Yield every token in the order of the ids, the special token last.

    A token that no merge made has neither a pair nor a rank.
    """
    for token_id, token in enumerate(artifact.table):
        rank = token_id - 256 if 256 <= token_id < artifact.special_id else None
        yield {
            **token_fields(token_id, token),
            "pair": None if rank is None else artifact.merges[rank],
            "rank": rank,
        }


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "token"), counted(1200, "byte")
    ('1 token', '1,200 bytes')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shortened(token: bytes, most: int) -> str:
    """Return a token in visible characters, cut off if it is long.

    >>> shortened(b" " * 1_000_000, 6)
    '·····…'
    """
    shown = visible(token[: 4 * (most + 1)])  # no character has more than four bytes
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
