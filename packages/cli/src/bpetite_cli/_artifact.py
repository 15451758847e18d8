"""An artifact of bpetite as data: what `Tokenizer.load` accepts, read as the JSON that it is."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from bpetite import Tokenizer

__all__ = ["Artifact"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A tokenizer, and what is in its file.

    tokenizer: the tokenizer, made by `Tokenizer.load`, which has checked all of the file.
    pattern: what cuts text into chunks.
    merges: pairs of ids; the one at rank r makes the id 256 + r.
    tokens: the bytes of the mergeable tokens; the place of each is its id.
    special_token, special_id: the text of the one special token, and its id.
    """

    tokenizer: Tokenizer
    pattern: str
    merges: Sequence[tuple[int, int]]
    tokens: Sequence[bytes]
    special_token: str
    special_id: int

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read an artifact.

        Raises:
            KeyError, ValueError, OSError: what `Tokenizer.load` raises.
        """
        tokenizer = Tokenizer.load(path)
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - `Path` drops a trailing slash
            data = json.load(file)
        ((special_token, special_id),) = data["special_tokens"].items()
        return cls(
            tokenizer=tokenizer,
            pattern=data["pretokenizer_pattern"],
            merges=[(left, right) for left, right in data["merges"]],
            tokens=[bytes(data["vocab"][str(token_id)]) for token_id in range(special_id)],
            special_token=special_token,
            special_id=special_id,
        )

    def bytes_of(self, token_id: int) -> bytes:
        """Return the bytes of an id, the special token's too."""
        if token_id == self.special_id:
            return self.special_token.encode("utf-8")
        return self.tokens[token_id]
