"""A tokenizer as canonical JSON, and the size of the file in advance.

Equal tokenizers give equal bytes: keys are sorted as strings, there are no spaces between
JSON's symbols, everything is ASCII, and the file does not end with a newline.

Not here: reading a file (`checks`).
"""

import json
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from bpetite._constants import BASE_VOCAB_SIZE, MAX_FILE_BYTES
from bpetite._patterns import Pattern
from bpetite._schema.versions import NUMBERED, lowest_version


def to_json(
    merges: Sequence[tuple[int, int]], pattern: Pattern, special_tokens: tuple[str, ...]
) -> bytes:
    """Return the content of the file of this tokenizer, whose ids are in order.

    `json.dumps` writes the same, but takes more than twice as long. Here each byte is
    formatted once, because the text of a token joins the texts of its two parts.
    """
    texts = [str(value) for value in range(BASE_VOCAB_SIZE)]
    for left, right in merges:
        texts.append(f"{texts[left]},{texts[right]}")
    size = len(texts)
    texts += [",".join(map(str, token.encode("utf-8"))) for token in special_tokens]
    special = {token: size + place for place, token in enumerate(special_tokens)}
    pairs = ",".join([f"[{left},{right}]" for left, right in merges])
    # Sorting the entries sorts the keys, because a quote sorts before any digit.
    vocab = ",".join(sorted([f'"{token_id}":[{of}]' for token_id, of in enumerate(texts)]))
    file = (
        f'{{"mergeable_vocab_size":{size},'
        f'"merges":[{pairs}],'
        f'"pretokenizer_pattern":{json.dumps(pattern.text)},'
        f'"schema_version":{lowest_version(pattern, special_tokens, None)},'
        f'"special_tokens":{json.dumps(special, sort_keys=True, separators=(",", ":"))},'
        f'"vocab":{{{vocab}}}}}'
    )
    return file.encode("ascii")


def to_json_with_ids(
    merges: Sequence[tuple[int, int]],
    tokens: Sequence[bytes],
    pattern: Pattern,
    special_names: tuple[str, ...],
    ids: Sequence[int],
) -> bytes:
    """Return the content of the file of a tokenizer with ids of its own, in schema version 3."""
    made = enumerate(merges, BASE_VOCAB_SIZE)
    texts = (name.encode("utf-8") for name in special_names)
    table = zip(ids, chain(tokens, texts), strict=True)
    file = {
        "mergeable_vocab_size": len(tokens),
        "merges": [[ids[left], ids[right], ids[new]] for new, (left, right) in made],
        "pretokenizer_pattern": pattern.text,
        "schema_version": NUMBERED,
        "special_tokens": dict(zip(special_names, ids[len(tokens) :], strict=True)),
        "vocab": {str(token_id): list(token) for token_id, token in table},
    }
    return json.dumps(file, sort_keys=True, separators=(",", ":")).encode("ascii")


class FileSize:
    """The size of a file in advance: each merge adds the size of its entries.

    bytes: the size with the merges so far.
    """

    def __init__(
        self,
        merges: Sequence[tuple[int, int]],
        pattern: Pattern,
        special_tokens: tuple[str, ...],
    ) -> None:
        self.bytes = len(to_json([], pattern, special_tokens))
        # For each id, the length of the id, and of its bytes with a comma after each.
        self._digits = [len(str(value)) for value in range(BASE_VOCAB_SIZE)]
        self._characters = [digits + 1 for digits in self._digits]
        # One more merge raises the size of the vocabulary, and each special id, which occurs
        # twice; some of them get one more digit.
        self._more_digits: Counter[int] = Counter()
        for power in (10**digits for digits in range(3, 8)):
            self._more_digits[power - 1] += 1
            for place in range(len(special_tokens)):
                self._more_digits[power - 1 - place] += 2
        for left, right in merges:
            self.add(left, right)

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
        self.bytes += self._more_digits.get(new_id, 0)
        return self.bytes <= MAX_FILE_BYTES
