"""Tokenizers with ids of their own: any ids, whole tokens and special tokens."""

from pathlib import Path
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

import oracle
from artifacts import canonical
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2
from texts import merge_lists

WORDS: Final = st.lists(
    st.sampled_from(["ab", "abc", "abcd", "bc", "abab", " ", "é", "aa", "b", "c"]), max_size=12
).map("".join)
NAMES: Final = [[], ["<s>"], ["<|user|>", "er|><", "</s>", "abba!", "é"]]

Made: TypeAlias = tuple[dict[str, Any], list[tuple[int, int]], list[bytes], list[str]]


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
    names = [name for name in draw(st.sampled_from(NAMES)) if name.encode() not in whole]
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
        "schema_version": 3,
        "special_tokens": dict(zip(names, ids[first:], strict=True)),
        "vocab": {str(one): list(token) for one, token in zip(ids, every, strict=True)},
    }
    return content, merges, whole, names


def tokenizer_of(content: dict[str, Any], folder: Path) -> Tokenizer:
    (folder / "t.json").write_bytes(canonical(content))
    return Tokenizer.load(folder / "t.json")


@st.composite
def extended(draw: st.DrawFn) -> tuple[Artifact, list[str]]:
    """Return an extension that other engines can have, and the whole tokens of its start."""
    merges = oracle.train(draw(st.lists(WORDS, max_size=3)), 256 + draw(st.integers(0, 6)))
    tokens = [*oracle.vocabulary(merges).values()][:-1]
    found = draw(st.lists(st.text("abcé ", min_size=3, max_size=6), max_size=5, unique=True))
    whole = [one for one in found if len(oracle.encode_chunk(one.encode(), merges)) > 2]
    ids = sorted(draw(st.permutations(range(len(tokens) + len(whole) + 3)))[3:])
    whole_ids = sorted(ids.pop(draw(st.integers(256, len(ids) - 1))) for _ in whole)
    start = Artifact(merges, [*tokens, *map(str.encode, whole)], GPT2, (), (*ids, *whole_ids))
    corpus = [*draw(st.lists(WORDS, max_size=3)), *(f"{one}b" for one in whole)]
    size = len(start.tokens) + draw(st.integers(0, 12))
    return Tokenizer.train(corpus, size, start=Tokenizer._of(start))._artifact, whole
