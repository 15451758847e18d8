"""The numbered checks of a tokenizer file, from step 3 on.

Their order is fixed, so a file with several faults always gives the same error. A message
contains the position, the expected value and the value found, shortened.

Not here: steps 1 and 2, UTF-8 and strict JSON (`_strict_json`); opening the file (`_reading`).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from bpetite._constants import BASE_VOCAB_SIZE, MAX_VOCAB_SIZE
from bpetite._schema.versions import (
    VERSIONS,
    Content,
    Version,
    pattern_of,
    refuse,
    shortened,
    special_tokens_of,
    version_of,
)

_KEYS: Final = (
    *("mergeable_vocab_size", "merges", "pretokenizer_pattern"),
    *("schema_version", "special_tokens", "vocab"),
)


def check_content(parsed: object) -> Content:
    """Return what a parsed tokenizer file holds.

    Raises:
        KeyError: a required key is missing.
        ValueError: anything else is wrong.
    """
    artifact, version = _checked_keys(parsed)
    pattern = pattern_of(artifact["pretokenizer_pattern"], version)
    merges = _checked_merges(artifact["merges"])
    size = _checked_size(artifact["mergeable_vocab_size"], merges)
    tokens, others = _checked_vocab(artifact["vocab"], size)
    _check_tokens(tokens, merges)
    special_tokens = special_tokens_of(artifact["special_tokens"], size, version)
    _check_others(others, special_tokens, size)
    if version != (lowest := version_of(pattern, special_tokens)):  # step 23
        expected = f"{lowest.number}, the lowest version that can hold this tokenizer"
        refuse("schema_version", expected, version.number)
    return Content(merges, tokens, pattern, special_tokens)


def _checked_keys(artifact: object) -> tuple[dict[str, object], Version]:
    """Steps 3 to 8: an object with the six keys, of a known schema version."""
    if not isinstance(artifact, dict):
        refuse("top level", "a JSON object", artifact)
    if "schema_version" not in artifact:
        raise KeyError("missing key 'schema_version'; is this a bpetite tokenizer file?")
    version = artifact["schema_version"]
    if type(version) is not int:  # for `isinstance`, a boolean is an integer
        refuse("schema_version", "an integer", version)
    if version not in VERSIONS:
        known = " or ".join(map(str, VERSIONS))
        refuse("schema_version", f"{known}, the versions that this bpetite reads", version)
    for key in _KEYS:
        if key not in artifact:
            raise KeyError(f"missing key {key!r}")
    for key in artifact:
        if key not in _KEYS:
            refuse("top level", f"only the keys {', '.join(_KEYS)}", key)
    return artifact, VERSIONS[version]


def _checked_merges(merges: object) -> list[tuple[int, int]]:
    """Step 11: a list of pairs of non-negative integers."""
    if not isinstance(merges, list):
        refuse("merges", "a list", merges)
    pairs: list[tuple[int, int]] = []
    for rank, pair in enumerate(merges):
        if type(pair) is list and len(pair) == 2:
            left, right = pair
            if type(left) is int and type(right) is int and left >= 0 and right >= 0:
                pairs.append((left, right))
                continue
        refuse(f"merges[{rank}]", "a list of two non-negative integers", pair)
    return pairs


def _checked_size(size: object, merges: Sequence[tuple[int, int]]) -> int:
    """Steps 12 and 13: 256 plus the number of merges."""
    if type(size) is not int:
        refuse("mergeable_vocab_size", "an integer", size)
    if size != BASE_VOCAB_SIZE + len(merges):
        expected = f"{BASE_VOCAB_SIZE + len(merges)} (256 + {len(merges)} merges)"
        refuse("mergeable_vocab_size", expected, size)
    if size > MAX_VOCAB_SIZE:
        refuse("mergeable_vocab_size", f"at most {MAX_VOCAB_SIZE}", size)
    return size


def _checked_vocab(vocab: object, size: int) -> tuple[list[bytes], dict[str, bytes]]:
    """Steps 14 and 15: every id in canonical decimal, with its bytes.

    Returns:
        The tokens with the ids 0 to size - 1, in order; and all others by their ids.
    """
    if not isinstance(vocab, dict):
        refuse("vocab", "an object", vocab)
    others: dict[str, bytes] = {}
    for key, values in vocab.items():
        if not (key.isascii() and key.isdigit()) or (key[0] == "0" and key != "0"):
            refuse("vocab", "ids in decimal as keys", key)
        token = _token(values)
        if token is None:
            refuse(f"vocab[{shortened(key)}]", "a list of integers in 0..255", values)
        others[key] = token
    tokens: list[bytes] = []
    for token_id in range(size):
        token = others.pop(str(token_id), None)
        if token is None:
            refuse("vocab", f"the ids 0 to {size - 1}", f"no {token_id}")
        tokens.append(token)
    return tokens, others


def _token(values: object) -> bytes | None:
    """Return a list of integers in 0..255 as bytes, or None for anything else."""
    # `bytes` alone would read an integer as a length, and True as 1.
    if type(values) is not list or not set(map(type, values)) <= {int}:
        return None
    try:
        return bytes(values)
    except ValueError:
        return None


def _check_tokens(tokens: Sequence[bytes], merges: Sequence[tuple[int, int]]) -> None:
    """Steps 16 and 17: the first 256 tokens are the bytes; each merge joins two lower ids."""
    for value, token in enumerate(tokens[:BASE_VOCAB_SIZE]):
        if token != bytes([value]):
            refuse(f"vocab['{value}']", f"[{value}]", list(token))
    for token_id, (left, right) in enumerate(merges, BASE_VOCAB_SIZE):
        if left >= token_id or right >= token_id:
            where = f"merges[{token_id - BASE_VOCAB_SIZE}]"
            refuse(where, f"two ids below {token_id}", [left, right])
        if tokens[token_id] != tokens[left] + tokens[right]:
            expected = f"the joined bytes of {left} and {right}"
            refuse(f"vocab['{token_id}']", expected, list(tokens[token_id]))


def _check_others(others: Mapping[str, bytes], special_tokens: Sequence[str], size: int) -> None:
    """Steps 21 and 22, or 18 and 19: the bytes of the special tokens, and no other id."""
    special = {str(token_id): name for token_id, name in enumerate(special_tokens, size)}
    for token_id, name in special.items():
        token = others.get(token_id)
        if token != name.encode("utf-8"):
            found = "nothing" if token is None else list(token)
            refuse(f"vocab['{token_id}']", f"the bytes of {name!r}", found)
    if len(others) > len(special):
        other = min(others.keys() - special)
        refuse("vocab", f"only the ids 0 to {size + len(special) - 1}", other)
