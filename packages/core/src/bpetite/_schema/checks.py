"""The numbered checks of a tokenizer file, from step 3 on.

Each schema version has a fixed order, so a file with several faults always gives the same error.
A message contains the position, the expected value and the value found, shortened.

Not here: steps 1 and 2, UTF-8 and strict JSON (`_strict_json`); opening the file (`_reading`).
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from bpetite._constants import BASE_VOCAB_SIZE, MAX_VOCAB_SIZE
from bpetite._quoting import shortened
from bpetite._schema.versions import (
    NUMBERED,
    VERSIONS,
    Fields,
    Version,
    lowest_version,
    pattern_of,
    refuse,
    special_tokens_of,
)

_KEYS: Final = (
    *("mergeable_vocab_size", "merges", "pretokenizer_pattern"),
    *("schema_version", "special_tokens", "vocab"),
)


def check_content(parsed: object) -> Fields:
    """Return what a parsed tokenizer file holds.

    Raises:
        KeyError: a required key is missing.
        ValueError: anything else is wrong.
    """
    artifact, number = _checked_keys(parsed)
    if number == NUMBERED:
        from bpetite._schema.numbering import check_numbered  # noqa: PLC0415 - only for these

        fields = check_numbered(artifact)
    else:
        fields = _check_in_order(artifact, VERSIONS[number])
    _, _, pattern, special_names, numbering = fields
    lowest = lowest_version(pattern, special_names, numbering)
    if number != lowest:  # step 23
        expected = f"{lowest}, the lowest version that can hold this tokenizer"
        refuse("schema_version", expected, number)
    return fields


def _check_in_order(artifact: Mapping[str, object], version: Version) -> Fields:
    """Steps 9 to 22 of schema versions 1 and 2, whose ids are in order."""
    pattern = pattern_of(artifact["pretokenizer_pattern"], version.patterns)
    merges = [(left, right) for left, right in checked_merges(artifact["merges"], "two")]
    named = f"256 + {len(merges)} merges"
    size = checked_size(artifact["mergeable_vocab_size"], BASE_VOCAB_SIZE + len(merges), named)
    tokens, others = _checked_vocab(artifact["vocab"], size)
    _check_tokens(tokens, merges)
    special_names = special_tokens_of(artifact["special_tokens"], size, version)
    _check_others(others, special_names, size)
    return merges, tokens, pattern, special_names, None


def _checked_keys(artifact: object) -> tuple[dict[str, object], int]:
    """Steps 3 to 8: an object with the six keys, of a known schema version."""
    if not isinstance(artifact, dict):
        refuse("top level", "a JSON object", artifact)
    if "schema_version" not in artifact:
        raise KeyError("missing key 'schema_version'; is this a bpetite tokenizer file?")
    version = artifact["schema_version"]
    if type(version) is not int:  # for `isinstance`, a boolean is an integer
        refuse("schema_version", "an integer", version)
    if version not in (versions := (*VERSIONS, NUMBERED)):
        known = " or ".join(map(str, versions))
        refuse("schema_version", f"{known}, the versions that this bpetite reads", version)
    for key in _KEYS:
        if key not in artifact:
            raise KeyError(f"missing key {key!r}")
    for key in artifact:
        if key not in _KEYS:
            refuse("top level", f"only the keys {', '.join(_KEYS)}", key)
    return artifact, version


def checked_merges(merges: object, numbers: str) -> list[list[int]]:
    """Step 11: a list of lists of non-negative integers, which are "two" or "three"."""
    if not isinstance(merges, list):
        refuse("merges", "a list", merges)
    length = {"two": 2, "three": 3}[numbers]
    if {*map(type, merges)} <= {list} and {*map(len, merges)} <= {length}:
        found = [*chain.from_iterable(merges)]
        if {*map(type, found)} <= {int} and min(found, default=0) >= 0:
            return merges
    for rank, merge in enumerate(merges):
        good = type(merge) is list and len(merge) == length and set(map(type, merge)) == {int}
        if not good or min(merge) < 0:
            refuse(f"merges[{rank}]", f"a list of {numbers} non-negative integers", merge)
    return merges


def checked_size(size: object, expected: int, named: str) -> int:
    """Steps 12 and 13: the number of tokens that are not special."""
    if type(size) is not int:
        refuse("mergeable_vocab_size", "an integer", size)
    if size != expected:
        refuse("mergeable_vocab_size", f"{expected} ({named})", size)
    if size > MAX_VOCAB_SIZE:
        refuse("mergeable_vocab_size", f"at most {MAX_VOCAB_SIZE}", size)
    return size


def _checked_vocab(vocab: object, size: int) -> tuple[list[bytes], dict[str, bytes]]:
    """Step 15, after step 14: every id below the size.

    Returns:
        The tokens with the ids 0 to size - 1, in order; and all others by their ids.
    """
    others = checked_entries(vocab)
    tokens: list[bytes] = []
    for token_id in range(size):
        token = others.pop(str(token_id), None)
        if token is None:
            refuse("vocab", f"the ids 0 to {size - 1}", f"no {token_id}")
        tokens.append(token)
    return tokens, others


def checked_entries(vocab: object) -> dict[str, bytes]:
    """Step 14: an object with ids in canonical decimal, and their bytes."""
    if not isinstance(vocab, dict):
        refuse("vocab", "an object", vocab)
    lists = [values for values in vocab.values() if type(values) is list]
    integers = {*map(type, chain.from_iterable(lists))} <= {int}
    tokens: dict[str, bytes] = {}
    for key, values in vocab.items():
        if not (key.isascii() and key.isdigit()) or (key[0] == "0" and key != "0"):
            refuse("vocab", "ids in decimal as keys", key)
        token = _token(values, integers)
        if token is None:
            refuse(f"vocab[{shortened(key)}]", "a list of integers in 0..255", values)
        tokens[key] = token
    return tokens


def _token(values: object, integers: bool) -> bytes | None:
    """Return a list of integers in 0..255 as bytes, or None for anything else."""
    # `bytes` alone would read an integer as a length, and True as 1.
    if type(values) is not list or not (integers or {*map(type, values)} <= {int}):
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
            refuse(f"vocab['{token_id}']", f"the bytes of {shortened(name)}", found)
    if len(others) > len(special):
        other = min(others.keys() - special)
        refuse("vocab", f"only the ids 0 to {size + len(special) - 1}", other)
