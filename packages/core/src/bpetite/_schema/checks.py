"""The checks of a tokenizer file, from step 3 of docs/reference/artifact.md on.

A version makes its checks in the order of their numbers, so a file with several faults always
gives the same error. A message contains the position, the expected value and the value found,
shortened.

Not here: steps 1 and 2, UTF-8 and strict JSON (`_strict_json`); opening the file (`_reading`).
"""

import json
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from bpetite._constants import BASE_VOCAB_SIZE, ID_LIMIT, MAX_VOCAB_SIZE
from bpetite._patterns import ALL_PATTERNS, Pattern
from bpetite._quoting import shortened
from bpetite._schema.versions import (
    NUMBERED,
    VERSIONS,
    Fields,
    Version,
    lowest_version,
    needs_numbering,
    refuse,
)
from bpetite._special_tokens import MOST, checked_special_tokens, is_whitespace
from bpetite._strict_json import parse_json

_KEYS: Final = (
    *("mergeable_vocab_size", "merges", "pretokenizer_pattern"),
    *("schema_version", "special_tokens", "vocab"),
)

_DIGITS: Final = 20
"""How many digits of an id are read: with more, it is too high for every version."""
_VOCAB: Final = b',"vocab":{"'
_IN_VOCAB: Final = b'0123456789,[]":'
_BLOCK_BYTES: Final = 1 << 16


class _Tokens(dict[int, bytes]):
    """The bytes of each id, after step 14."""


def parse(data: bytes) -> object:
    """Return the content of a tokenizer file, for `check_content`.

    In the canonical form, the bytes of each id are read in blocks of a few thousand, as lists of
    all their integers take many times their memory. Any other form, and any fault, is left to JSON.
    """
    start = data.find(_VOCAB)
    if start >= 0 and data.endswith(b"]}}"):
        with suppress(KeyError, TypeError, ValueError):
            content = parse_json(data[:start] + b',"vocab":0}')
            if isinstance(content, dict):
                tokens = _canonical_tokens(data, start + len(_VOCAB) - 1)
                return content | {"vocab": tokens}
    return parse_json(data)


def _canonical_tokens(data: bytes, place: int) -> _Tokens:
    tokens, size, end = _Tokens(), 0, len(data) - 2
    while place < end:
        stop = data.find(b'],"', place + _BLOCK_BYTES) + 1 or end
        block = data[place:stop]
        # Each list begins behind a key, so none is inside another. No key is written as 007.
        lists, zeros = block.count(b'":['), block.count(b'"0') - block.count(b'"0":')
        if len(block) > 2 * _BLOCK_BYTES or block.translate(None, _IN_VOCAB) or zeros:
            raise ValueError(place)
        if lists != block.count(b"["):
            raise ValueError(place)
        entries = json.loads(b"{%b}" % block)
        if len(entries) != lists:  # of an integer, `bytes` makes zeros
            raise ValueError(place)
        tokens.update(zip(map(int, entries), map(bytes, entries.values()), strict=True))
        size += lists
        place = stop + 1
    if len(tokens) != size or max(tokens) >= ID_LIMIT:
        raise ValueError(len(tokens))
    return tokens


def check_content(parsed: object) -> Fields:
    """Return what a parsed tokenizer file holds.

    Raises:
        KeyError: a required key is missing.
        ValueError: anything else is wrong.
    """
    file, version = _checked_keys(parsed)
    fields = (
        _check_numbered(file) if version in NUMBERED else _check_in_order(file, VERSIONS[version])
    )
    if version != (lowest := lowest_version(*fields[2:])):  # step 27
        expected = f"{lowest}, the lowest version that can hold this tokenizer"
        refuse("schema_version", expected, version)
    return fields


def _check_in_order(file: Mapping[str, Any], version: Version) -> Fields:
    """Steps 9 to 22, for schema versions 1 and 2, whose ids are in order."""
    pattern = _checked_pattern(file["pretokenizer_pattern"], version.patterns)
    merges = _checked_merges(file["merges"], "two")
    size = BASE_VOCAB_SIZE + len(merges)
    _check_size(file["mergeable_vocab_size"], size, f"256 + {len(merges)} merges")  # steps 12, 13
    vocab = _checked_vocab(file["vocab"])
    try:
        tokens = [vocab[token_id] for token_id in range(size)]
    except KeyError as missing:  # step 15
        refuse("vocab", f"the ids 0 to {size - 1}", f"no {missing.args[0]}")
    _check_tokens(tokens, merges)
    names = _checked_special_tokens(file["special_tokens"], size, vocab, version.special_token)
    if len(vocab) > size + len(names):  # step 22
        others = {*map(str, file["vocab"])} - {*map(str, range(size + len(names)))}
        refuse("vocab", f"only the ids 0 to {size + len(names) - 1}", min(others))
    return merges, tokens, pattern, (*names,), None


def _check_tokens(tokens: Sequence[bytes], merges: list[Any]) -> None:
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
        merges[token_id - BASE_VOCAB_SIZE] = left, right


def _check_numbered(file: Mapping[str, Any]) -> Fields:
    """Steps 9 to 11, 14, 18 to 21, 23 to 26, for schema versions 3 and 4, with ids of their own."""
    pattern = _checked_pattern(file["pretokenizer_pattern"], [*ALL_PATTERNS.values()])
    merges = _checked_merges(file["merges"], "three")
    tokens = _checked_vocab(file["vocab"])
    if max(tokens, default=0) >= ID_LIMIT:  # step 14
        found = next(key for key in file["vocab"] if int(key[:_DIGITS]) >= ID_LIMIT)
        refuse("vocab", f"ids below {ID_LIMIT}", found)
    names = _checked_special_tokens(file["special_tokens"], None, tokens)
    for token_id in names.values():
        del tokens[token_id]
    indexes = {token_id: index for index, token_id in enumerate(_ids_of_bytes(tokens, names))}
    _check_size(file["mergeable_vocab_size"], len(tokens), "ids that are not special")  # step 25
    index_of, token_of = indexes.get, tokens.get
    for rank, (left, right, new) in enumerate(merges):  # step 26
        pair = index_of(left), index_of(right)
        if None in pair:
            refuse(f"merges[{rank}]", "ids of bytes or earlier merges", [left, right, new])
        if new in indexes or token_of(new) != tokens[left] + tokens[right]:
            expected = "an id of its own for the joined bytes"
            refuse(f"merges[{rank}]", expected, [left, right, new])
        merges[rank] = pair  # in place: many lists take much memory
        indexes[new] = BASE_VOCAB_SIZE + rank
    ids = [*indexes, *sorted(one for one in tokens if one not in indexes)]
    in_order, numbering = [tokens[one] for one in ids], (*ids, *names.values())
    fields: Fields = merges, in_order, pattern, (*names,), numbering
    return fields if needs_numbering(fields) else (*fields[:4], None)


def _ids_of_bytes(tokens: Mapping[int, bytes], names: Mapping[str, int]) -> list[int]:
    """Steps 23 and 24: no bytes twice, and each of the 256 bytes.

    Only special tokens of whitespace may have the bytes of a token: models have them beside runs
    of spaces that they learned.
    """
    id_of = {name.encode("utf-8"): names[name] for name in names if not is_whitespace(name)}
    for token_id, token in tokens.items():
        if not token:
            refuse(f"vocab['{token_id}']", "at least one byte", [])
        if id_of.setdefault(token, token_id) != token_id:
            refuse(f"vocab['{token_id}']", f"other bytes than id {id_of[token]}", list(token))
    ids = [id_of.get(bytes([value]), -1) for value in range(BASE_VOCAB_SIZE)]
    for value, token_id in enumerate(ids):
        if token_id not in tokens:
            refuse("vocab", f"an id with the byte [{value}]", "none")
    return ids


def _checked_keys(file: object) -> tuple[dict[str, Any], int]:
    """Steps 3 to 8: an object with the six keys, of a known schema version."""
    if not isinstance(file, dict):
        refuse("top level", "a JSON object", file)
    if "schema_version" not in file:
        raise KeyError("missing key 'schema_version'; is this a bpetite tokenizer file?")
    version = file["schema_version"]
    if type(version) is not int:  # for `isinstance`, a boolean is an integer
        refuse("schema_version", "an integer", version)
    if version not in (versions := (*VERSIONS, *NUMBERED)):
        known = " or ".join(map(str, versions))
        refuse("schema_version", f"{known}, the versions that this bpetite reads", version)
    for key in _KEYS:
        if key not in file:
            raise KeyError(f"missing key {key!r}")
    for key in file:
        if key not in _KEYS:
            refuse("top level", f"only the keys {', '.join(_KEYS)}", key)
    return file, version


def _checked_pattern(text: object, patterns: Sequence[Pattern]) -> Pattern:
    """Steps 9 and 10: the text of a pattern."""
    if not isinstance(text, str):
        refuse("pretokenizer_pattern", "a string", text)
    found = [pattern for pattern in patterns if pattern.text == text]
    if not found:
        names = " or ".join(pattern.name for pattern in patterns)
        refuse("pretokenizer_pattern", f"the pattern {names} as bpetite writes it", text)
    return found[0]


def _checked_merges(merges: object, many: str) -> list[Any]:
    """Step 11: a list of lists of non-negative integers, which are "two" or "three"."""
    if not isinstance(merges, list):
        refuse("merges", "a list", merges)
    length = {"two": 2, "three": 3}[many]
    if {*map(type, merges)} <= {list} and {*map(len, merges)} <= {length}:
        found = [*chain.from_iterable(merges)]
        if {*map(type, found)} <= {int} and min(found, default=0) >= 0:
            return merges
    for rank, merge in enumerate(merges):
        good = type(merge) is list and len(merge) == length and set(map(type, merge)) == {int}
        if not good or min(merge) < 0:
            refuse(f"merges[{rank}]", f"a list of {many} non-negative integers", merge)
    return merges


def _check_size(size: object, expected: int, named: str) -> None:
    """Steps 12 and 13, or 25: the number of tokens that are not special; nothing else reads it."""
    if type(size) is not int:
        refuse("mergeable_vocab_size", "an integer", size)
    if size != expected:
        refuse("mergeable_vocab_size", f"{expected} ({named})", size)
    if size > MAX_VOCAB_SIZE:
        refuse("mergeable_vocab_size", f"at most {MAX_VOCAB_SIZE}", size)


def _checked_vocab(vocab: object) -> dict[int, bytes]:
    """Step 14: an object with ids in canonical decimal, and their bytes."""
    if isinstance(vocab, _Tokens):
        return vocab
    if not isinstance(vocab, dict):
        refuse("vocab", "an object", vocab)
    lists = [values for values in vocab.values() if type(values) is list]
    integers = {*map(type, chain.from_iterable(lists))} <= {int}
    tokens: dict[int, bytes] = {}
    for key, values in vocab.items():
        if not (key.isascii() and key.isdigit()) or (key[0] == "0" and key != "0"):
            refuse("vocab", "ids in decimal as keys", key)
        try:
            # `bytes` alone would read an integer as a length, and True as 1.
            if type(values) is not list or not (integers or {*map(type, values)} <= {int}):
                raise ValueError  # noqa: TRY301 - the error is the same for both
            tokens[int(key[:_DIGITS])] = bytes(values)
        except ValueError:
            refuse(f"vocab[{shortened(key)}]", "a list of integers in 0..255", values)
    return tokens


def _checked_special_tokens(
    special: object, first: int | None, vocab: Mapping[int, bytes], only: str | None = None
) -> dict[str, int]:
    """Steps 18 to 21: the special tokens with their ids, in the order of these.

    Args:
        special: the object with the special tokens.
        first: the id that the lowest of theirs must be; the others follow it. None is any id.
        vocab: the bytes of all ids.
        only: the only special token that the version can hold, if there is one.
    """
    if only and (not isinstance(special, dict) or special.keys() != {only}):
        refuse("special_tokens", f"an object with only the key {only!r}", special)
    if not isinstance(special, dict):
        refuse("special_tokens", "an object", special)
    if len(special) > MOST:
        refuse("special_tokens", f"at most {MOST} special tokens", len(special))
    ids: Container[int] = vocab
    expected = "an id of its own in vocab"
    if first is not None:
        ids = range(first, first + len(special))
        expected = f"an id of its own from {first} to {first + len(special) - 1}"
    if only:
        expected = f"{first}, the first id after the mergeable ones"
    names: dict[int, str] = {}
    for name, token_id in special.items():
        if type(token_id) is not int or token_id not in ids or token_id in names:
            refuse(f"special_tokens[{shortened(name)}]", expected, token_id)
        names[token_id] = name
    in_order = {names[token_id]: token_id for token_id in sorted(names)}
    checked_special_tokens([*in_order], "imported" if first is None else "trained")
    for name, token_id in in_order.items():
        token = vocab.get(token_id)
        if token != name.encode("utf-8"):
            found = "nothing" if token is None else list(token)
            refuse(f"vocab['{token_id}']", f"the bytes of {shortened(name)}", found)
    return in_order
