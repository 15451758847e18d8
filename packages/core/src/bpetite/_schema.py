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
    MAX_VOCAB_SIZE,
    PRETOKENIZER_PATTERN,
    SCHEMA_VERSION,
)

__all__ = ["FileSize", "of_json", "to_json"]

_MERGES: Final = b'"merges":['


def to_json(merges: Sequence[tuple[int, int]]) -> bytes:
    """Return the content of the file with these merges.

    It is what `json.dumps` writes of the fields above, in less than half the time: the
    numbers of a token are those of its two parts, so each byte is spelled once.
    """
    numbers = [str(value) for value in range(BASE_VOCAB_SIZE)]
    for left, right in merges:
        numbers.append(f"{numbers[left]},{numbers[right]}")
    size = len(numbers)
    numbers.append(",".join(map(str, END_OF_TEXT_TOKEN.encode("utf-8"))))
    pairs = ",".join([f"[{left},{right}]" for left, right in merges])
    # Sorting the entries sorts the keys: the quote after a key comes before any digit.
    vocab = ",".join(sorted([f'"{token_id}":[{of}]' for token_id, of in enumerate(numbers)]))
    content = (
        f'{{"mergeable_vocab_size":{size},'
        f'"merges":[{pairs}],'
        f'"pretokenizer_pattern":{json.dumps(PRETOKENIZER_PATTERN)},'
        f'"schema_version":{SCHEMA_VERSION},'
        f'"special_tokens":{{{json.dumps(END_OF_TEXT_TOKEN)}:{size}}},'
        f'"vocab":{{{vocab}}}}}'
    )
    return content.encode("ascii")


def of_json(data: bytes) -> tuple[list[tuple[int, int]], list[bytes]] | None:
    """Return the merges and the mergeable tokens of a file as `to_json` writes it.

    Such a file follows from its merges. So only they are read, and the file is right if it is
    what they write: this takes less than half the time of parsing and checking all of it.

    Returns:
        None for any other file, which may be right as well.
    """
    start = data.find(_MERGES) + len(_MERGES)
    merges = data[start : data.find(b"]]", start)]
    # A merge takes 18 bytes or more with its token, and has two of these commas.
    if merges.translate(None, b"0123456789,[]") or 9 * merges.count(b",") > len(data):
        return None
    numbers = merges.translate(None, b"[]").split(b",")
    tokens = [bytes([value]) for value in range(BASE_VOCAB_SIZE)]
    room = len(data)  # more than all tokens take; else each merge could double the memory
    try:
        ids = [int(number[:8]) for number in numbers]  # no id has so many digits
        pairs = list(zip(ids[::2], ids[1::2], strict=True))
        for left, right in pairs:
            token = tokens[left] + tokens[right]
            room -= len(token)
            if room < 0:
                return None
            tokens.append(token)
    except (IndexError, ValueError):
        return None
    return (pairs, tokens) if len(tokens) <= MAX_VOCAB_SIZE and to_json(pairs) == data else None


class FileSize:
    """The size of a file before it is made: each merge adds the size of its entries.

    bytes: the size with the merges so far.

    >>> size = FileSize()
    >>> size.add(97, 98)
    True
    >>> size.bytes == len(to_json([(97, 98)]))
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


_BYTES_WITHOUT_MERGES: Final = len(to_json([]))
_POWERS_OF_TEN: Final = frozenset(10**digits for digits in range(10))
