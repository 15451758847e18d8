"""The tokens of a text in two tokenizers, and the first position at which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokenization:
    """The tokens of a text in one tokenizer.

    name: the name of the tokenizer.
    ids: the ids, in order.
    tokens: the bytes of each token; joined, they are the UTF-8 of the text.
    """

    name: str
    ids: Sequence[int]
    tokens: Sequence[bytes]

    @property
    def bytes_per_token(self) -> float | None:
        """The average number of bytes per token; None if there are no tokens."""
        return sum(map(len, self.tokens)) / len(self.tokens) if self.tokens else None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between two tokenizations of a text.

    token: the number of tokens before it, equal on both sides.
    byte: the number of UTF-8 bytes before it.
    character: the number of complete characters before it.
    ours, theirs: the id and the bytes of the token there on each side, or None at the end.
    """

    token: int
    byte: int
    character: int
    ours: tuple[int, bytes] | None
    theirs: tuple[int, bytes] | None


def first_difference(ours: Tokenization, theirs: Tokenization, *, by_id: bool) -> Difference | None:
    """Return the first difference between two tokenizations, or None.

    Args:
        ours: one side.
        theirs: the other side.
        by_id: whether ids must be equal, and not only the bytes of the tokens, because the
            vocabulary is the same.
    """
    our_pairs = list(zip(ours.ids, ours.tokens, strict=True))
    their_pairs = list(zip(theirs.ids, theirs.tokens, strict=True))
    token = 0
    for our, their in zip(our_pairs, their_pairs, strict=False):
        if our[1] != their[1] or (by_id and our[0] != their[0]):
            break
        token += 1
    if token == len(our_pairs) == len(their_pairs):
        return None
    before = b"".join(ours.tokens[:token])
    return Difference(
        token=token,
        byte=len(before),
        character=len(before.decode("utf-8", errors="ignore")),
        ours=our_pairs[token] if token < len(our_pairs) else None,
        theirs=their_pairs[token] if token < len(their_pairs) else None,
    )
