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
from bpetite._schema.versions import Fields, lowest_version


def to_json(fields: Fields) -> bytes:
    """Return the content of the file of a tokenizer, in the lowest version that can hold it.

    `json.dumps` writes the same, but takes three times as long. Here each byte is formatted
    once, because the text of a token joins the texts of its two parts.
    """
    merges, tokens, pattern, special_names, numbering = fields
    texts = [str(value) for value in range(BASE_VOCAB_SIZE)]
    for left, right in merges:
        texts.append(f"{texts[left]},{texts[right]}")
    others = chain(tokens[len(texts) :], (name.encode("utf-8") for name in special_names))
    texts += [",".join(map(str, token)) for token in others]
    ids = numbering or range(len(texts))
    triples = enumerate(merges, BASE_VOCAB_SIZE)
    pairs = (
        [f"[{ids[left]},{ids[right]},{ids[new]}]" for new, (left, right) in triples]
        if numbering
        else [f"[{left},{right}]" for left, right in merges]
    )
    special = dict(zip(special_names, ids[len(tokens) :], strict=True))
    # Sorting the entries sorts the keys, because a quote sorts before any digit.
    vocab = sorted([f'"{token_id}":[{of}]' for token_id, of in zip(ids, texts, strict=True)])
    file = (
        f'{{"mergeable_vocab_size":{len(tokens)},'
        f'"merges":[{",".join(pairs)}],'
        f'"pretokenizer_pattern":{json.dumps(pattern.text)},'
        f'"schema_version":{lowest_version(pattern, special_names, numbering)},'
        f'"special_tokens":{json.dumps(special, sort_keys=True, separators=(",", ":"))},'
        f'"vocab":{{{",".join(vocab)}}}}}'
    )
    return file.encode("ascii")


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
        tokens = [bytes([value]) for value in range(BASE_VOCAB_SIZE)]
        self.bytes = len(to_json(([], tokens, pattern, special_tokens, None)))
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
