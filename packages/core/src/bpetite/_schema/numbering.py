"""Schema version 3: ids in any order, and whole tokens, as tokenizers of models have them.

Inside, nothing knows these ids. Byte b has the number b, and the merge at rank r makes the
number 256 + r; whole tokens follow, then special tokens. The ids are put on at the edges: when
those of a chunk enter the encoder's cache, and in the decoder's table.

A whole token is made by no merge. A chunk that equals it becomes this token, before any merge;
in other chunks it does not occur.

The core loads it only with such a tokenizer.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import chain

from bpetite._constants import BASE_VOCAB_SIZE, MOST_IDS
from bpetite._patterns import ALL_PATTERNS, Pattern
from bpetite._quoting import shortened
from bpetite._schema.checks import checked_entries, checked_merges, checked_size
from bpetite._schema.versions import (
    NUMBERED,
    Fields,
    in_order_of_ids,
    needs_numbering,
    pattern_of,
    refuse,
)


def to_json(
    merges: Sequence[tuple[int, int]],
    tokens: Sequence[bytes],
    pattern: Pattern,
    special_names: tuple[str, ...],
    ids: Sequence[int],
) -> bytes:
    """Return the content of the file of a tokenizer with these ids."""
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


def check_numbered(artifact: dict[str, object]) -> Fields:
    """Steps 9 to 21, some in another order: return what a file of schema version 3 holds.

    Raises:
        ValueError: something is wrong.
    """
    pattern = pattern_of(artifact["pretokenizer_pattern"], [*ALL_PATTERNS.values()])
    merges = checked_merges(artifact["merges"], "three")
    tokens = _checked_vocab(artifact["vocab"])
    special = _checked_special_tokens(artifact["special_tokens"], tokens)
    _check_tokens(tokens, special)
    checked_size(artifact["mergeable_vocab_size"], len(tokens), "ids that are not special")
    ids = sorted((one for one in tokens if len(tokens[one]) == 1), key=tokens.__getitem__)
    numbers = {token_id: number for number, token_id in enumerate(ids)}
    for rank, (left, right, new) in enumerate(merges):
        if left not in numbers or right not in numbers:
            refuse(f"merges[{rank}]", "ids of bytes or earlier merges", [left, right, new])
        if new in numbers or tokens.get(new) != tokens[left] + tokens[right]:
            expected = "an id of its own for the joined bytes"
            refuse(f"merges[{rank}]", expected, [left, right, new])
        numbers[new] = len(numbers)
    ids = [*numbers, *sorted(tokens.keys() - numbers.keys())]
    pairs = [(numbers[left], numbers[right]) for left, right, _ in merges]
    in_order, names = [tokens[one] for one in ids], (*special,)
    fields = (pairs, in_order, pattern, names, (*ids, *special.values()))
    return fields if needs_numbering(fields) else (pairs, in_order, pattern, names, None)


def _checked_vocab(vocab: object) -> dict[int, bytes]:
    """Step 14: an object with ids in decimal, and their bytes."""
    tokens = checked_entries(vocab)
    most = len(str(MOST_IDS))
    ids = {int(key) if len(key) <= most else MOST_IDS: token for key, token in tokens.items()}
    if bad := [key for key, token_id in zip(tokens, ids, strict=False) if token_id >= MOST_IDS]:
        refuse("vocab", f"ids below {MOST_IDS}", bad[0])
    return ids


def _checked_special_tokens(special: object, tokens: dict[int, bytes]) -> dict[str, int]:
    """Steps 18 to 21: ids of their own, with the bytes of the texts, which leave the tokens."""
    ids = in_order_of_ids(special, tokens, "an id of its own in vocab", "imported")
    for name, token_id in ids.items():
        token = tokens.pop(token_id)
        if token != name.encode("utf-8"):
            refuse(f"vocab['{token_id}']", f"the bytes of {shortened(name)}", list(token))
    return ids


def _check_tokens(tokens: Mapping[int, bytes], special: Mapping[str, int]) -> None:
    """Steps 15 and 16: each of the 256 bytes, and no bytes twice."""
    seen = {name.encode("utf-8"): token_id for name, token_id in special.items()}
    for token_id, token in tokens.items():
        if not token:
            refuse(f"vocab['{token_id}']", "at least one byte", [])
        if seen.setdefault(token, token_id) != token_id:
            refuse(f"vocab['{token_id}']", f"other bytes than id {seen[token]}", list(token))
    for value in range(BASE_VOCAB_SIZE):
        if bytes([value]) not in seen or seen[bytes([value])] in special.values():
            refuse("vocab", f"an id with the byte [{value}]", "none")
