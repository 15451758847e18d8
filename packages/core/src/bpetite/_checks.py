"""The checks of a tokenizer file: steps 3 to 19 of the specification.

Their order is fixed, so a file with several faults always gives the same error. A message
contains the position, the expected value and the value found, shortened.

Not here: steps 1 and 2, UTF-8 and strict JSON (`_strict_json`); opening the file (`_files`).
"""

from collections.abc import Mapping, Sequence
from reprlib import Repr
from typing import Final, NoReturn

from bpetite._constants import (
    BASE_VOCAB_SIZE,
    END_OF_TEXT_TOKEN,
    MAX_VOCAB_SIZE,
    PRETOKENIZER_PATTERN,
    SCHEMA_VERSION,
)

_KEYS: Final = (
    "mergeable_vocab_size",
    "merges",
    "pretokenizer_pattern",
    "schema_version",
    "special_tokens",
    "vocab",
)
_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 40
_SHORT.maxlist = _SHORT.maxdict = 4
_SHORT.maxlevel = 2


def check_content(content: object) -> tuple[list[tuple[int, int]], list[bytes]]:
    """Return the merges and the mergeable tokens of a parsed tokenizer file.

    Raises:
        KeyError: a required key is missing.
        ValueError: anything else is wrong.
    """
    artifact = _checked_keys(content)
    _check_pattern(artifact["pretokenizer_pattern"])
    merges = _checked_merges(artifact["merges"])
    size = _checked_size(artifact["mergeable_vocab_size"], merges)
    tokens, others = _checked_vocab(artifact["vocab"], size)
    _check_base(tokens)
    _check_derived(tokens, merges)
    _check_special(artifact["special_tokens"], others, size)
    _check_no_other_ids(others, size)
    return merges, tokens


def refuse(where: str, expected: str, found: object) -> NoReturn:
    raise ValueError(f"{where}: expected {expected}, found {_SHORT.repr(found):.60}")


def _checked_keys(artifact: object) -> dict[str, object]:
    """Steps 3 to 8: an object with the six keys, of schema version 1."""
    if not isinstance(artifact, dict):
        refuse("top level", "a JSON object", artifact)
    if "schema_version" not in artifact:
        raise KeyError("missing key 'schema_version'; is this a bpetite tokenizer file?")
    version = artifact["schema_version"]
    if type(version) is not int:  # for `isinstance`, a boolean is an integer
        refuse("schema_version", "an integer", version)
    if version != SCHEMA_VERSION:
        refuse(
            "schema_version", f"{SCHEMA_VERSION}, the only version that this bpetite reads", version
        )
    for key in _KEYS:
        if key not in artifact:
            raise KeyError(f"missing key {key!r}")
    for key in artifact:
        if key not in _KEYS:
            refuse("top level", f"only the keys {', '.join(_KEYS)}", key)
    return artifact


def _check_pattern(pattern: object) -> None:
    """Steps 9 and 10: the only pattern."""
    if not isinstance(pattern, str):
        refuse("pretokenizer_pattern", "a string", pattern)
    if pattern != PRETOKENIZER_PATTERN:
        refuse("pretokenizer_pattern", "the GPT-2 pattern as bpetite writes it", pattern)


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
            refuse(f"vocab[{_SHORT.repr(key)}]", "a list of integers in 0..255", values)
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


def _check_base(tokens: Sequence[bytes]) -> None:
    """Step 16: the first 256 ids are the bytes."""
    for value, token in enumerate(tokens[:BASE_VOCAB_SIZE]):
        if token != bytes([value]):
            refuse(f"vocab['{value}']", f"[{value}]", list(token))


def _check_derived(tokens: Sequence[bytes], merges: Sequence[tuple[int, int]]) -> None:
    """Step 17: each merge joins two tokens with lower ids than its own."""
    for token_id, (left, right) in enumerate(merges, BASE_VOCAB_SIZE):
        if left >= token_id or right >= token_id:
            where = f"merges[{token_id - BASE_VOCAB_SIZE}]"
            refuse(where, f"two ids below {token_id}", [left, right])
        if tokens[token_id] != tokens[left] + tokens[right]:
            expected = f"the joined bytes of {left} and {right}"
            refuse(f"vocab['{token_id}']", expected, list(tokens[token_id]))


def _check_special(special: object, others: Mapping[str, bytes], size: int) -> None:
    """Step 18: the special token, its id and its bytes."""
    if not isinstance(special, dict) or special.keys() != {END_OF_TEXT_TOKEN}:
        refuse("special_tokens", f"an object with only the key {END_OF_TEXT_TOKEN!r}", special)
    token_id = special[END_OF_TEXT_TOKEN]
    if type(token_id) is not int or token_id != size:
        where = f"special_tokens[{END_OF_TEXT_TOKEN!r}]"
        refuse(where, f"{size}, the first id after the mergeable ones", token_id)
    token = others.get(str(size))
    if token != END_OF_TEXT_TOKEN.encode("utf-8"):
        found = "nothing" if token is None else list(token)
        refuse(f"vocab['{size}']", f"the bytes of {END_OF_TEXT_TOKEN!r}", found)


def _check_no_other_ids(others: Mapping[str, bytes], size: int) -> None:
    """Step 19: no id after the special token's."""
    if len(others) > 1:
        other = min(others.keys() - {str(size)})
        refuse("vocab", f"only the ids 0 to {size}", other)
