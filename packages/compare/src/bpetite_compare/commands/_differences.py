"""How bpetite and tiktoken differ, in messages and in JSON: their tokens, their regex engines."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from bpetite_cli import for_compare as cli

_Token: TypeAlias = tuple[int, bytes] | None


def described(token: _Token) -> str:
    """Return an id and its token for a message; None means that there are no more."""
    return f"{cli.visible(token[1])!r} (id {token[0]})" if token else "no more tokens"


def code_points(characters: Iterable[str]) -> str:
    """Return the code points of characters for a message, in order, and how many more."""
    return cli.messages.listed([f"U+{ord(one):04X}" for one in sorted(characters)], 8)


def engine_characters(characters: Mapping[str, int]) -> dict[str, int]:
    """Return the number of occurrences of each character the two engines classify differently."""
    return {f"U+{ord(character):04X}": count for character, count in sorted(characters.items())}
