"""Schema version 1: a tokenizer as JSON, and the size of the file in advance.

    mergeable_vocab_size   256 + the number of merges
    merges                 [left id, right id] of each merge; the merge at rank r makes
                           the token with the id 256 + r
    pretokenizer_pattern   the pattern of `_constants`
    schema_version         1
    special_tokens         {"<|endoftext|>": mergeable_vocab_size}
    vocab                  the bytes of each id, as integers; the key is the id in decimal

Equal tokenizers give equal bytes: keys are sorted as strings, there are no spaces between
JSON's symbols, everything is ASCII, and the file does not end with a newline.

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

_MERGES: Final = b'"merges":['


def to_json(merges: Sequence[tuple[int, int]]) -> bytes:
    """Return the content of the file with these merges.

    `json.dumps` writes the same, but takes more than twice as long. Here each byte is
    formatted once, because the text of a token joins the texts of its two parts.
    """
    numbers = [str(value) for value in range(BASE_VOCAB_SIZE)]
    for left, right in merges:
        numbers.append(f"{numbers[left]},{numbers[right]}")
    size = len(numbers)
    numbers.append(",".join(map(str, END_OF_TEXT_TOKEN.encode("utf-8"))))
    pairs = ",".join([f"[{left},{right}]" for left, right in merges])
    # Sorting the entries sorts the keys, because a quote sorts before any digit.
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
    """Return the merges and the mergeable tokens of a file that `to_json` wrote.

    The merges determine such a file. So only they are read, and the file must equal what
    they give. This takes less than half the time of parsing and checking the whole file.

    Returns:
        None for any other file, even if it is valid.
    """
    start = data.find(_MERGES) + len(_MERGES)
    merges = data[start : data.find(b"]]", start)]
    # A merge with its token takes at least 18 bytes, and has two of these commas.
    if merges.translate(None, b"0123456789,[]") or 9 * merges.count(b",") > len(data):
        return None
    numbers = merges.translate(None, b"[]").split(b",")
    tokens = [bytes([value]) for value in range(BASE_VOCAB_SIZE)]
    room = len(data)  # more than the tokens need; without it, each merge could double the memory
    try:
        ids = [int(number[:8]) for number in numbers]  # an id has at most seven digits
        pairs = list(zip(ids[::2], ids[1::2], strict=True))
        for left, right in pairs:
            token = tokens[left] + tokens[right]
            room -= len(token)
            if room < 0:
                return None
            tokens.append(token)
    except IndexError:  # a tuple of both would need more stack than small threads have
        return None
    except ValueError:
        return None
    return (pairs, tokens) if len(tokens) <= MAX_VOCAB_SIZE and to_json(pairs) == data else None


class FileSize:
    """The size of a file in advance: each merge adds the size of its entries.

    bytes: the size with the merges so far.

    >>> size = FileSize()
    >>> size.add(97, 98)
    True
    >>> size.bytes == len(to_json([(97, 98)]))
    True
    """

    def __init__(self) -> None:
        self.bytes = _BYTES_WITHOUT_MERGES
        # For each id, the length of the id, and of its bytes with a comma after each.
        self._digits = [len(str(value)) for value in range(BASE_VOCAB_SIZE)]
        self._characters = [digits + 1 for digits in self._digits]

    def add(self, left: int, right: int) -> bool:
        """Add the merge of two ids, and return whether the file could still be read back."""
        digits, characters = self._digits, self._characters
        new_id = len(digits)
        digits.append(len(str(new_id)))
        characters.append(characters[left] + characters[right])
        # A merge is `[left,right]`, with a comma before it unless it is the first. A token is
        # `,"id":[bytes]`, without a comma after the last byte.
        self.bytes += digits[left] + digits[right] + 3 + (new_id > BASE_VOCAB_SIZE)
        self.bytes += digits[new_id] + 6 + characters[new_id] - 1
        if new_id + 1 in _POWERS_OF_TEN:
            self.bytes += 3  # the vocabulary size occurs three times
        return self.bytes <= MAX_FILE_BYTES


_BYTES_WITHOUT_MERGES: Final = len(to_json([]))
_POWERS_OF_TEN: Final = frozenset(10**digits for digits in range(10))
