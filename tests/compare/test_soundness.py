"""When bytes identify tokens: the check, compared with its definition, and its consequences."""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest
import tiktoken
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from artifacts import write_artifact
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2
from bpetite_compare import compare, export, parity, to_tiktoken
from bpetite_compare._soundness import find_duplicate, find_unordered, find_unreachable
from bpetite_compare._to_tiktoken import of_artifact
from bpetite_compare.reference import Model, Pair, encode_chunk
from compare_tools import DUPLICATE, UNREACHABLE, fewer, with_ids_of_its_own
from numbered import numbered as third
from texts import CHUNKS, CORPORA, merge_lists

RUNS_OF_A = st.lists(st.integers(1, 12), max_size=8).map(
    lambda sizes: [(97, 97), *((255 + min(size, place), 97) for place, size in enumerate(sizes, 1))]
)
"""Merges that make runs of one letter, where pairs overlap."""


def encode_to_themselves(merges: Sequence[Pair]) -> bool:
    """Return whether every token encodes to itself in the reference model."""
    vocab = oracle.vocabulary(merges)
    model = Model.of_merges(merges, oracle.PATTERN, {})
    return all(
        encode_chunk(model, vocab[token_id]) == [token_id] for token_id in range(256 + len(merges))
    )


@given(merge_lists() | RUNS_OF_A)
def test_check_equals_definition(merges: list[Pair]) -> None:
    """The check reports a token if and only if some token does not encode to itself."""
    assert (find_unreachable(Artifact.of_merges(merges)) is None) == encode_to_themselves(merges)


@given(merge_lists())
def test_duplicate_check_equals_definition(merges: list[Pair]) -> None:
    """The check reports two tokens if and only if two have the same bytes."""
    tokens = list(oracle.vocabulary(merges).values())
    assert (find_duplicate(Artifact.of_merges(merges)) is None) == (len(set(tokens)) == len(tokens))


@given(CORPORA, st.integers(256, 300))
def test_trained_models_are_sound(corpus: list[str], vocab_size: int) -> None:
    """In a trained vocabulary no two tokens have the same bytes, and each encodes to itself."""
    artifact = Artifact.of_merges(oracle.train(corpus, vocab_size))
    assert find_duplicate(artifact) is None
    assert find_unreachable(artifact) is None


@given(merge_lists() | RUNS_OF_A, CHUNKS)
def test_sound_models_have_tiktokens_ids(merges: list[Pair], chunk: bytes) -> None:
    """If every token encodes to itself, merging by pairs and by joined bytes agree."""
    artifact = Artifact.of_merges(merges)
    assume(find_unreachable(artifact) is None)
    assert tiktoken_of(artifact).encode(chunk.decode()) == oracle.encode_chunk(chunk, merges)


def test_an_unreachable_token_is_named() -> None:
    """The error names the first token that does not encode to itself, and its bytes."""
    assert find_unreachable(Artifact.of_merges(UNREACHABLE)) == (
        "the token 258, b'abc', does not encode to itself"
    )
    assert find_unreachable(with_ids(UNREACHABLE, [500, 600, 400])) == (
        "the token 400, b'abc', does not encode to itself"
    )


@pytest.mark.parametrize(
    ("merges", "fault"),
    [
        pytest.param(UNREACHABLE, "the token 258, b'abc', does not encode to itself", id="never"),
        pytest.param(DUPLICATE, "the tokens 258 and 259 have the same bytes, b'abc'", id="twice"),
    ],
)
def test_every_claim_of_equal_ids_has_the_same_check(
    merges: Sequence[Pair], fault: str, tmp_path: Path
) -> None:
    """An export, `to_tiktoken`, `parity` and `compare` refuse a tokenizer with the same words."""
    model = write_artifact(tmp_path / "m.json", merges)
    (tmp_path / "text").write_bytes(b"b")
    reference = Model.of_merges(merges, oracle.PATTERN, {"<|endoftext|>": 256 + len(merges)})
    calls: list[Callable[[], object]] = [
        lambda: export(model, "tiktoken", tmp_path / "ranks"),
        lambda: to_tiktoken(model),
        lambda: to_tiktoken(reference),
        lambda: parity(model, [tmp_path / "text"]),
        lambda: compare(model, "b", "self"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"^cannot export this tokenizer to tiktoken: {fault}"):
            call()


def test_a_reference_model_is_checked_by_its_own_ids() -> None:
    """With GPT-2's order of bytes, the fault names the model's id, not the place of the token."""
    order = [*range(255, -1, -1)]
    merges = {(158, 157): 256, (157, 156): 257, (158, 257): 258}
    vocab = {token_id: bytes([token_id]) for token_id in range(256)}
    vocab |= {256: bytes([158, 157]), 257: bytes([157, 156]), 258: bytes([158, 157, 156])}
    model = Model(merges, vocab, order, oracle.PATTERN, {})
    assert encode_chunk(model, b"abc") == [256, 156]
    with pytest.raises(ValueError, match="the token 258, b'abc', does not encode to itself"):
        to_tiktoken(model)


def test_two_tokens_with_the_same_bytes_are_named() -> None:
    """The error names both tokens, and tiktoken does not get them."""
    fault = "the tokens 258 and 259 have the same bytes, b'abc'"
    assert find_duplicate(Artifact.of_merges(DUPLICATE)) == fault
    with pytest.raises(ValueError, match=f"^cannot export this tokenizer to tiktoken: {fault}$"):
        of_artifact(Artifact.of_merges(DUPLICATE), "self")


def test_a_copy_of_the_special_token_is_named() -> None:
    """The special token is one of the tokens that must differ."""
    letters = [*b"<|endoftext|>"]
    merges = [(letters[0], letters[1])]
    merges += [(255 + place, letter) for place, letter in enumerate(letters[2:], 1)]
    assert find_duplicate(Artifact.of_merges(merges)) == (
        "the tokens 267 and 268 have the same bytes, b'<|endoftext|>'"
    )


# Ids of their own


def with_ids(merges: Sequence[Pair], ids: Sequence[int], whole: Sequence[bytes] = ()) -> Artifact:
    """Return a tokenizer with these ids of the merges and whole tokens."""
    tokens = [*[*oracle.vocabulary(merges).values()][:-1], *whole]
    return with_ids_of_its_own(merges, tokens, GPT2, {}, [*range(256), *ids])


@st.composite
def nearly_in_order(draw: st.DrawFn) -> Artifact:
    """Return a tokenizer with some merges whose ids are too low, and perhaps a whole token."""
    _, merges, whole, _ = draw(third())
    whole = [token for token in whole if len(token) > 2][:1]
    items = range(len(merges) + len(whole))
    back = [draw(st.sampled_from([0, 0, 0, 1.5, 3])) for _ in items]
    order = sorted(items, key=lambda item: item - back[item])
    return with_ids(merges, [300 + order.index(item) for item in items], whole)


def tiktoken_of(artifact: Artifact) -> tiktoken.Encoding:
    """Return an encoding with these tokens that takes each text for one chunk."""
    ranks = dict(zip(artifact.tokens, artifact.ids, strict=False))  # special tokens come last
    return tiktoken.Encoding("chunk", pat_str="(?s:.+)", mergeable_ranks=ranks, special_tokens={})


def of_the_oracle(artifact: Artifact, chunk: str) -> list[int]:
    """Return the ids of a chunk by merging pairs in the order of ranks."""
    numbers = oracle.encode(chunk, artifact.merges, r"(?s:.+)", (), artifact.whole_tokens)
    return [artifact.ids[number] for number in numbers]


@fewer()
@given(nearly_in_order(), CHUNKS)
def test_what_passes_has_tiktokens_ids(artifact: Artifact, chunk: bytes) -> None:
    """With ids that are not in the order of ranks, and whole tokens, both ways to merge agree."""
    assume(find_unreachable(artifact) is None)
    assume(find_unordered(artifact) is None)
    assert tiktoken_of(artifact).encode(chunk.decode()) == of_the_oracle(artifact, chunk.decode())


@pytest.mark.parametrize(
    ("merges", "ids", "whole", "chunk"),
    [
        pytest.param([(97, 98), (98, 99)], [309, 305], (), "abc", id="of old tokens"),
        pytest.param(
            [(97, 98), (256, 256), (122, 256)], [309, 305, 306], (), "zabab", id="of new tokens"
        ),
        pytest.param([(97, 98), (256, 99), (122, 256)], [309, 306, 305], (), "zabc", id="order"),
        pytest.param([(97, 98), (122, 256), (256, 122)], [309, 305, 306], (), "abzab", id="sides"),
        pytest.param([(97, 98), (256, 97)], [309, 305], (), "abab", id="the pivot's left part"),
        pytest.param([(97, 98)], [300, 301], (b"abc",), "abcz", id="whole token"),
        pytest.param([(97, 98)], [301, 300], (b"abc",), "abcz", id="whole token with a low id"),
    ],
)
def test_each_condition_is_needed(
    merges: list[Pair], ids: list[int], whole: tuple[bytes, ...], chunk: str
) -> None:
    """Where one is not met, the check names a token, and tiktoken has other ids for a chunk."""
    artifact = with_ids(merges, ids, whole)
    assert find_unreachable(artifact) is None
    assert " in other places; export to huggingface" in str(find_unordered(artifact))
    assert tiktoken_of(artifact).encode(chunk) != of_the_oracle(artifact, chunk)
    with pytest.raises(ValueError, match="cannot export this tokenizer to tiktoken: "):
        of_artifact(artifact, "self")


@pytest.mark.parametrize(
    ("merges", "ids", "whole"),
    [
        ([(97, 98), (256, 99), (257, 100), (122, 256)], [309, 303, 300, 304], (b"xabcdx",)),
        ([(97, 97), (98, 256), (256, 99), (257, 257)], [309, 305, 306, 310], (b"cabbc",)),
    ],
)
def test_what_meets_them_passes(merges: list[Pair], ids: list[int], whole: list[bytes]) -> None:
    """Early merges that cannot get in each other's way, and whole tokens of three parts, pass."""
    artifact = with_ids(merges, [*ids, 1000], whole)
    assert find_unordered(artifact) is None
    encoding = tiktoken_of(artifact)
    for chunk in map("".join, product("abcz", repeat=5)):
        assert encoding.encode(chunk) == of_the_oracle(artifact, chunk)
