"""Shrink a tokenizer: what a text needs stays, and nothing else does."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import FOURTH, GOOD, SECOND, THIRD, artifact_with, canonical, loaded, saved
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from numbered import ANY, WORDS, plain
from texts import NESTED, RUNS, TIES, TWICE, TWINS, merge_lists

PATTERNS: Final = oracle.PATTERNS | oracle.ONLY_VERSION_3
NAMED: Final = st.sampled_from(["<s>", "er|><", "<|endoftext|>", "  ", " \n", "é"])
TEXTS: Final = st.lists(WORDS | TIES | RUNS | NAMED, max_size=5).map("".join)


@st.composite
def artifacts(draw: st.DrawFn) -> Artifact:
    """Return a tokenizer of any schema version and pattern, some of them extended."""
    chat = merge_lists().map(lambda merges: artifact_with(merges, "gpt4", ["<s>"]))
    content = draw(ANY.map(lambda made: made[0]) | chat)
    if content["schema_version"] > 2:
        content |= {"pretokenizer_pattern": draw(st.sampled_from([*PATTERNS.values()]))}
        if draw(st.booleans()):
            size = content["mergeable_vocab_size"] + draw(st.integers(1, 9))
            start = loaded(content)
            documents = draw(st.lists(WORDS, max_size=3))
            return Artifact.of_bytes(saved(Tokenizer.train(documents, size, start=start)), "t")
    return Artifact.of_bytes(canonical(content), "t")


def chunks_of(artifact: Artifact, text: str) -> list[bytes]:
    """Return the chunks of a text, without special tokens."""
    parts = artifact.cut(text)[::2]
    return [one for part in parts for one in oracle.chunks_of(part, artifact.pattern.text)]


def encode(artifact: Artifact, chunk: bytes, kept: Collection[int]) -> list[int]:
    """Encode a chunk with the tokens that are kept, one pass for each merge."""
    whole = 256 + len(artifact.merges)
    for index, token in enumerate(artifact.whole_tokens, whole):
        if token == chunk and index in kept:
            return [index]
    ids = [*chunk]
    for index, pair in enumerate(artifact.merges, 256):
        if index in kept:
            ids = oracle.merge(ids, pair, index)
    return ids


def counts_of(artifact: Artifact, ids: Sequence[int]) -> list[int]:
    """Return how often each token is among ids, by indexes."""
    counts = Counter(map(artifact.indexes.__getitem__, ids))
    return [counts[index] for index in range(len(artifact.ids))]


def file_of(artifact: Artifact) -> Tokenizer:
    """Return the tokenizer in the file of an artifact."""
    return loaded(artifact.checked_bytes())


def check(artifact: Artifact, text: str) -> None:
    """Compare with the oracle: remove one merge after the other, and encode again."""
    tokenizer, chunks = loaded(artifact.to_bytes()), {*chunks_of(artifact, text)}
    kept = {*range(256, len(artifact.tokens))}
    ids = {chunk: encode(artifact, chunk, kept) for chunk in chunks}
    for index in sorted(kept, reverse=True):
        if all(encode(artifact, one, kept - {index}) == ids[one] for one in chunks):
            kept.remove(index)
    times = artifact.times_needed(counts_of(artifact, tokenizer.encode(text)))
    needed = {index for index, count in enumerate(times) if count}
    assert {one for one in needed if 256 <= one < len(artifact.tokens)} == kept
    small = artifact.shrunk(needed)
    stay = {*range(256), *kept, *range(len(artifact.tokens), len(artifact.ids))}
    assert small.vocab == {artifact.ids[one]: artifact.table[one] for one in stay}
    assert small.special_tokens == artifact.special_tokens
    assert file_of(small).encode(text) == tokenizer.encode(text)
    assert small.unreachable == []
    assert len({*small.tokens}) == len(small.tokens)
    again = small.renumbered()
    old = sorted(small.ids)
    assert sorted(again.ids) == [*range(len(old))]
    assert [old[one] for one in file_of(again).encode(text)] == tokenizer.encode(text)


@given(artifacts(), TEXTS)
@example(Artifact.of_bytes(canonical(plain(TWINS)[0]), "t"), "abc ab bc")
@example(Artifact.of_bytes(canonical(plain(TWICE)[0]), "t"), "aaabaab aab")
@example(Artifact.of_bytes(canonical(plain(NESTED)[0]), "t"), "aaaaaaabaaa a")
def test_what_stays_is_what_cannot_be_removed(artifact: Artifact, text: str) -> None:
    """The ids of the text stay, no token is unreachable, and no two have the same bytes."""
    check(artifact, text)


@pytest.mark.parametrize(
    ("content", "version"),
    [(GOOD, 1), (SECOND, 2), (THIRD, 3), (FOURTH, 4)],
    ids=["version 1", "version 2", "version 3", "version 4"],
)
def test_the_lowest_version_holds_it(content: dict[str, Any], version: int) -> None:
    """Nothing is lost if a text needs all; gaps need version 3, new ids the first one again."""
    artifact = Artifact.of_bytes(canonical(content), "t")
    assert artifact.shrunk(range(999)).to_bytes() == canonical(content)
    less = artifact.shrunk({256})
    assert less.schema_version == max(3, version)
    assert [*less.vocab] == sorted(artifact.ids[one] for one in (*range(257), *_special(artifact)))
    assert less.renumbered().schema_version == version
    check(artifact, "ab aba  <s>   <b <|endoftext|> <|a|>ab")


def _special(artifact: Artifact) -> range:
    return range(len(artifact.tokens), len(artifact.ids))


@given(artifacts(), TEXTS)
def test_a_token_is_needed_as_often_as_it_is_made(artifact: Artifact, text: str) -> None:
    """Each pass is watched, and each byte, whole token and special token is counted."""
    every = range(256, len(artifact.tokens))
    times = Counter[int]()
    for chunk in chunks_of(artifact, text):
        ids = encode(artifact, chunk, every)
        if ids and ids[0] >= 256 + len(artifact.merges):
            times[ids[0]] += 1
            continue
        times.update(ids := [*chunk])
        for index, pair in enumerate(artifact.merges, 256):
            before, ids = len(ids), oracle.merge(ids, pair, index)
            times[index] += before - len(ids)
    for name in artifact.cut(text)[1::2]:
        times[artifact.indexes[artifact.special_tokens[name]]] += 1
    ids = loaded(artifact.to_bytes()).encode(text)
    found = artifact.times_needed(counts_of(artifact, ids))
    assert found == [times[index] for index in range(len(artifact.ids))]


@given(artifacts(), TEXTS, st.integers(2, 6))
def test_rare_tokens_go_with_the_tokens_made_of_them(
    artifact: Artifact, text: str, least: int
) -> None:
    """What stays is reachable, and a chunk whose tokens all stay keeps its ids."""
    tokenizer = loaded(artifact.to_bytes())
    times = artifact.times_needed(counts_of(artifact, tokenizer.encode(text)))
    kept = {index for index, count in enumerate(times) if count >= least}
    small = artifact.shrunk(kept)
    assert small.unreachable == []
    new = file_of(small)
    for chunk in {*chunks_of(artifact, text)}:
        before, after = (one.encode(chunk.decode(), ordinary=True) for one in (tokenizer, new))
        assert (before == after) == ({*before} <= small.indexes.keys())
