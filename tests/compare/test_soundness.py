"""Which tokenizers tiktoken can have: the check, compared with its definition, and its words."""

import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import pytest
import tiktoken
from hypothesis import assume, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import compare, export, parity, to_tiktoken
from bpetite_compare.reference import NO_PATTERN, Model, Pair, encode, encode_chunk
from compare_tools import fewer, write_tokenizer
from texts import CHUNKS, merge_lists

RUNS_OF_A = st.lists(st.integers(1, 12), max_size=8).map(
    lambda sizes: [(97, 97), *((255 + min(size, place), 97) for place, size in enumerate(sizes, 1))]
)
"""Merges that make runs of one letter, where pairs overlap."""

UNREACHABLE = ((97, 98), (98, 99), (97, 257))
"""The last of these tokens, "abc", is never made: "ab" is merged before "bc" can be."""

DUPLICATE = ((97, 98), (98, 99), (256, 99), (97, 257))
"""Merges that make "abc" twice."""

NEVER = "the token 258, b'abc', does not encode to itself"
TWICE = "the tokens 258 and 259 have the same bytes, b'abc'"


def fault_of(model: Path | Model) -> str | None:
    """Return why tiktoken cannot have a tokenizer."""
    try:
        to_tiktoken(model)
    except ValueError as error:
        return str(error).removeprefix("cannot export this tokenizer to tiktoken: ")
    return None


@given(merge_lists() | RUNS_OF_A, CHUNKS)
def test_the_check_equals_its_definition(merges: list[Pair], chunk: bytes) -> None:
    """It passes if tokens differ and encode to themselves; then merging by bytes is the same."""
    model = Model.of_merges(merges, NO_PATTERN, {})
    tokens = [*model.vocab.values()]
    differ = len({*tokens}) == len(tokens)
    sound = differ and all(encode_chunk(model, model.vocab[one]) == [one] for one in model.vocab)
    fault = fault_of(model)
    assert (fault is None) == sound
    assert differ == ("have the same bytes" not in str(fault))
    if sound and chunk:
        assert to_tiktoken(model).encode(chunk.decode()) == encode_chunk(model, chunk)


@pytest.mark.parametrize(
    ("merges", "fault"),
    [
        pytest.param(UNREACHABLE, NEVER, id="never made"),
        pytest.param(DUPLICATE, TWICE, id="made twice"),
        pytest.param(
            [(60, 124), *((255 + place, one) for place, one in enumerate(b"endoftext|>", 1))],
            "the tokens 267 and 268 have the same bytes, b'<|endoftext|>'",
            id="the special token",
        ),
    ],
)
def test_every_claim_of_equal_ids_has_the_same_check(
    merges: Sequence[Pair], fault: str, tmp_path: Path
) -> None:
    """Exports in all forms, `to_tiktoken`, `parity` and `compare` refuse with the same words."""
    model = write_tokenizer(tmp_path / "m.json", merges)
    (tmp_path / "text").write_bytes(b"b")
    reference = Model.load(str(model))
    calls: list[tuple[str, Callable[[], object]]] = [
        ("huggingface", lambda: export(model, "huggingface", tmp_path / "out")),
        ("gpt2", lambda: export(model, "gpt2", tmp_path / "out")),
        ("gguf", lambda: export(model, "gguf", tmp_path / "out")),
        ("tiktoken", lambda: export(model, "tiktoken", tmp_path / "out")),
        ("tiktoken", lambda: to_tiktoken(model)),
        ("tiktoken", lambda: to_tiktoken(reference)),
        ("tiktoken", lambda: parity(model, [tmp_path / "text"])),
        ("tiktoken", lambda: compare(model, "b", "self")),
    ]
    for form, call in calls:
        told = f"^cannot export this tokenizer to {form}: {re.escape(fault)}"
        with pytest.raises(ValueError, match=told):
            call()
    assert not (tmp_path / "out").exists()


# Ids of their own


def with_ids(
    folder: Path, merges: Sequence[Pair], ids: Sequence[int], whole: Sequence[bytes] = ()
) -> Path:
    """Write a tokenizer with these ids of the merges and whole tokens."""
    return write_tokenizer(folder / "own.json", merges, whole, {}, [*range(256), *ids])


def by_bytes(path: Path) -> tiktoken.Encoding:
    """Return an encoding with the tokens of a file, without any check."""
    model = Model.load(str(path))
    indexes = model.indexes or {one: one for one in model.vocab}
    ranks = {model.vocab[index]: one for one, index in indexes.items()}
    return tiktoken.Encoding("chunk", pat_str=NO_PATTERN, mergeable_ranks=ranks, special_tokens={})


def test_an_unreachable_token_is_named_by_its_id(tmp_path: Path) -> None:
    fault = fault_of(with_ids(tmp_path, UNREACHABLE, [500, 600, 400]))
    assert fault == "the token 400, b'abc', does not encode to itself"


@fewer()
@given(merge_lists(), st.booleans(), st.data(), CHUNKS)
def test_what_passes_has_tiktokens_ids(
    tmp_path_factory: pytest.TempPathFactory,
    merges: list[Pair],
    whole: bool,
    data: st.DataObject,
    chunk: bytes,
) -> None:
    """With ids that are not in the order of ranks, and whole tokens, both ways to merge agree."""
    tokens = [*Model.of_merges(merges, NO_PATTERN, {}).vocab.values()]
    assume(len({*tokens}) == len(tokens))
    found = [b"abcab"] if whole and b"abcab" not in tokens else []
    items = range(len(merges) + len(found))
    back = [data.draw(st.sampled_from([0, 0, 0, 1.5, 3])) for _ in items]
    order = sorted(items, key=lambda item: item - back[item])
    ids = [300 + order.index(item) for item in items]
    path = with_ids(tmp_path_factory.mktemp("own"), merges, ids, found)
    assume(fault_of(path) is None)
    assert by_bytes(path).encode(chunk.decode()) == encode(Model.load(str(path)), chunk.decode())


@pytest.mark.parametrize(
    ("merges", "ids", "whole", "chunk"),
    [
        pytest.param([(97, 98), (98, 99)], [309, 305], [], "abc", id="of old tokens"),
        pytest.param(
            [(97, 98), (256, 256), (122, 256)], [309, 305, 306], [], "zabab", id="of new tokens"
        ),
        pytest.param([(97, 98), (256, 99), (122, 256)], [309, 306, 305], [], "zabc", id="order"),
        pytest.param([(97, 98), (122, 256), (256, 122)], [309, 305, 306], [], "abzab", id="sides"),
        pytest.param([(97, 98), (256, 97)], [309, 305], [], "abab", id="the pivot's left part"),
        pytest.param([(97, 98)], [300, 301], [b"abc"], "abcz", id="whole token"),
        pytest.param([(97, 98)], [301, 300], [b"abc"], "abcz", id="whole token with a low id"),
    ],
)
def test_each_condition_is_needed(
    merges: list[Pair], ids: list[int], whole: list[bytes], chunk: str, tmp_path: Path
) -> None:
    """Where one is not met, the check names a token, and tiktoken has other ids for a chunk."""
    path = with_ids(tmp_path, merges, ids, whole)
    assert " in other places; export to huggingface" in str(fault_of(path))
    assert by_bytes(path).encode(chunk) != Tokenizer.load(path).encode(chunk)
    export(path, "huggingface", tmp_path / "hf.json")


def test_what_meets_them_passes(tmp_path: Path) -> None:
    """Early merges on both sides of different pivots, and whole tokens of three parts, pass."""
    merges = [(97, 97), (98, 256), (256, 99), (257, 257)]
    path = with_ids(tmp_path, merges, [309, 305, 306, 310, 1000], [b"cabbc"])
    encoding, tokenizer = to_tiktoken(path), Tokenizer.load(path)
    for chunk in map("".join, product("abcz", repeat=5)):
        assert encoding.encode(chunk) == tokenizer.encode(chunk)
