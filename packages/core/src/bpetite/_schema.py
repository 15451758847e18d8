"""Schema version 1: a tokenizer as JSON, and the size of the file before it is made.

    mergeable_vocab_size   256 + the number of merges
    merges                 [left id, right id] of each merge; the merge at rank r makes
                           the token with the id 256 + r
    pretokenizer_pattern   the pattern of `_constants`
    schema_version         1
    special_tokens         {"<|endoftext|>": mergeable_vocab_size}
    vocab                  the bytes of each id, as integers; the key is the id in decimal

The same tokenizer gives the same bytes: keys are sorted as strings, no spaces surround
JSON's symbols, everything is ASCII, and there is no newline at the end.

Not here: checking the content of a file (`_checks`), writing the file (`_files`).
"""

import json
from collections.abc import Sequence
from typing import Final

from bpetite._constants import (
    BASE_VOCAB_SIZE,
    END_OF_TEXT_TOKEN,
    MAX_FILE_BYTES,
    PRETOKENIZER_PATTERN,
    SCHEMA_VERSION,
)

__all__ = ["FileSize", "to_json"]


def to_json(merges: Sequence[tuple[int, int]], tokens: Sequence[bytes]) -> bytes:
    """Return the content of the file with these merges and mergeable tokens."""
    vocab = enumerate([*tokens, END_OF_TEXT_TOKEN.encode("utf-8")])
    content = {
        "mergeable_vocab_size": len(tokens),
        "merges": merges,
        "pretokenizer_pattern": PRETOKENIZER_PATTERN,
        "schema_version": SCHEMA_VERSION,
        "special_tokens": {END_OF_TEXT_TOKEN: len(tokens)},
        "vocab": {str(token_id): list(token) for token_id, token in vocab},
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")


class FileSize:
    """The size of a file before it is made: each merge adds the size of its entries.

    bytes: the size with the merges so far.

    >>> size = FileSize()
    >>> size.add(97, 98)
    True
    >>> size.bytes == len(to_json([(97, 98)], [*map(bytes, zip(range(256))), b"ab"]))
    True
    """

    def __init__(self) -> None:
        self.bytes = _BYTES_WITHOUT_MERGES
        # Of each id: its own digits, and those of its bytes with a comma after each byte.
        self._digits = [len(str(value)) for value in range(BASE_VOCAB_SIZE)]
        self._characters = [digits + 1 for digits in self._digits]

    def add(self, left: int, right: int) -> bool:
        """Add the merge of two ids, and return whether such a file can be read back."""
        digits, characters = self._digits, self._characters
        new_id = len(digits)
        digits.append(len(str(new_id)))
        characters.append(characters[left] + characters[right])
        # A merge is `[left,right]`, with a comma before it unless it is the first. A token is
        # `,"id":[bytes]`, with no comma after its last byte.
        self.bytes += digits[left] + digits[right] + 3 + (new_id > BASE_VOCAB_SIZE)
        self.bytes += digits[new_id] + 6 + characters[new_id] - 1
        if new_id + 1 in _POWERS_OF_TEN:
            self.bytes += 3  # the vocabulary size occurs three times
        return self.bytes <= MAX_FILE_BYTES


_BYTES_WITHOUT_MERGES: Final = len(
    to_json([], [bytes([value]) for value in range(BASE_VOCAB_SIZE)])
)
_POWERS_OF_TEN: Final = frozenset(10**digits for digits in range(10))
