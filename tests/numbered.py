"""Tokenizers with ids of their own: any ids, whole tokens and special tokens."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

import oracle
from artifacts import artifact_with
from texts import merge_lists

WORDS: Final = st.lists(
    st.sampled_from(["ab", "abc", "abcd", "bc", "abab", " ", "é", "aa", "b", "c"]), max_size=12
).map("".join)
WHITESPACE: Final = [" ", "  ", " \n", "<s>", "\n "]
NAMES: Final = [[], ["<s>"], ["<|user|>", "er|><", "</s>", "abba!", "é"], WHITESPACE]

Made: TypeAlias = tuple[dict[str, Any], list[tuple[int, int]], list[bytes], list[str]]


def ids_by_bytes(content: Mapping[str, Any]) -> dict[bytes, int]:
    """Return the id of each token of a file that is not special, by its bytes."""
    ids, special = map(int, content["vocab"]), content["special_tokens"].values()
    return {bytes(content["vocab"][str(one)]): one for one in ids if one not in special}


def plain(merges: Sequence[tuple[int, int]], whole: Sequence[bytes] = ()) -> Made:
    """Return a tokenizer with ids in order: the merges may make equal tokens, or there are none."""
    if not whole:
        return artifact_with(merges), [*merges], [], [oracle.END_OF_TEXT]
    vocab = {str(byte): [byte] for byte in range(256)}
    vocab |= {str(number): list(token) for number, token in enumerate(whole, 256)}
    content = artifact_with([]) | {"schema_version": 3, "special_tokens": {}, "vocab": vocab}
    return content | {"mergeable_vocab_size": len(vocab)}, [], [*whole], []


@st.composite
def numbered(draw: st.DrawFn, highest: int = 2**21 - 1) -> Made:
    """Return a file, and its merges, whole tokens and special tokens in the oracle's numbers."""
    merges: list[tuple[int, int]] = []
    for pair in draw(merge_lists()):
        if max(pair) < 256 + len(merges):
            tokens = [*oracle.vocabulary([*merges, pair]).values()]
            merges += [pair] if len({*tokens}) == len(tokens) else []
    known = [*oracle.vocabulary(merges).values()][:-1]
    pieces = st.lists(
        st.sampled_from([b"a", b"b", b" ", "é".encode(), b"c"]), min_size=2, max_size=5
    )
    found = draw(st.lists(pieces.map(b"".join), max_size=4, unique=True))
    whole = [token for token in found if token not in known]
    names = draw(st.sampled_from(NAMES))
    if names is not WHITESPACE:  # only these may have the bytes of a token
        names = [name for name in names if name.encode() not in whole]
    every = [*known, *whole, *(name.encode() for name in names)]
    # The last byte has an id beyond all others, so no lower version can hold it.
    ids = draw(st.permutations([*range(len(every) + 3)]))[: len(every)]
    ids[255] = highest
    first = len(known) + len(whole)
    # Numbers of whole and special tokens follow the order of their ids.
    ids = [*ids[: len(known)], *sorted(ids[len(known) : first]), *sorted(ids[first:])]
    content = {
        "mergeable_vocab_size": first,
        "merges": [[ids[a], ids[b], ids[256 + rank]] for rank, (a, b) in enumerate(merges)],
        "pretokenizer_pattern": oracle.PATTERNS[draw(st.sampled_from(["gpt2", "gpt4"]))],
        "schema_version": 4 if names is WHITESPACE else 3,
        "special_tokens": dict(zip(names, ids[first:], strict=True)),
        "vocab": {str(one): list(token) for one, token in zip(ids, every, strict=True)},
    }
    return content, merges, whole, names


ANY: Final = merge_lists().map(plain) | numbered(highest=9999)
"""Tokenizers of both kinds."""
