"""The reference implementation: every lemma, and ids equal to tiktoken's and to the core's."""

import doctest
import importlib
import pkgutil
import random
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
from hypothesis import assume, example, given
from hypothesis import strategies as st

import bpetite_compare
from artifacts import FOURTH, canonical, content_of, with_whitespace
from bpetite import Tokenizer
from bpetite_compare import reference, to_tiktoken
from bpetite_compare.reference import (
    GPT2_PATTERN,
    Model,
    Pair,
    build_vocab,
    check_well_formed,
    decode,
    decode_bytes,
    decode_chunk,
    decompose_token,
    encode,
    encode_chunk,
    get_stats,
    merge,
    pre_tokenize_ascii,
    recover_merges,
    train,
)
from compare.test_export_ids import of_any_version
from compare_tools import CORPUS, FOR_TRAINING, SPLIT_PATTERNS, fewer, vocab_of, write_tokenizer
from nasty import NINE, drift
from texts import ASCII_TEXTS, CHUNKS, CORPORA, TEXTS, merge_lists

SPECIAL = "<|endoftext|>"
IDS = st.lists(st.integers(0, 4), max_size=20)
BYTES = st.binary(max_size=12)


def model_of(merges: list[Pair]) -> Model:
    """Return the model of an artifact with these merges."""
    return Model.of_merges(merges, GPT2_PATTERN, {SPECIAL: 256 + len(merges)})


@cache
def shuffled(seed: int) -> Model:
    """Return a trained model with its bytes in random order."""
    order = list(range(256))
    random.Random(seed).shuffle(order)
    tokens = [*vocab_of(Tokenizer.train(CORPUS, 300)).values()][256:300]
    ranks = {bytes([value]): rank for rank, value in enumerate(order)}
    ranks |= {token: token_id for token_id, token in enumerate(tokens, 256)}
    return Model.of_ranks(ranks, GPT2_PATTERN, {SPECIAL: 300})


TRAINED = st.integers(0, 3).map(shuffled)


# The lemmas, one for each function


@given(IDS)
def test_lemma_of_counting(ids: list[int]) -> None:
    """`get_stats`: the counts add up to the number of adjacent pairs, and each pair is counted."""
    stats = get_stats(ids)
    assert sum(stats.values()) == max(0, len(ids) - 1)
    assert all(stats[pair] == list(pairwise(ids)).count(pair) for pair in stats)


@given(
    IDS, st.tuples(st.integers(0, 4), st.integers(0, 4)), st.lists(BYTES, min_size=5, max_size=5)
)
def test_lemma_of_merge_preservation(ids: list[int], pair: Pair, tokens: list[bytes]) -> None:
    """`merge`: if the new id means both parts, the bytes of the ids do not change."""
    vocab = dict(enumerate(tokens)) | {5: tokens[pair[0]] + tokens[pair[1]]}
    merged = merge(ids, pair, 5)
    assert decode_bytes(vocab, merged) == decode_bytes(vocab, ids)
    assert pair not in get_stats(merged) or pair[0] == pair[1] == 5


@given(IDS, IDS, st.lists(BYTES, min_size=5, max_size=5))
def test_lemma_of_distributivity(left: list[int], right: list[int], tokens: list[bytes]) -> None:
    """`decode_bytes`: the bytes of joined ids are the joined bytes."""
    vocab = dict(enumerate(tokens))
    joined = decode_bytes(vocab, [*left, *right])
    assert joined == decode_bytes(vocab, left) + decode_bytes(vocab, right)


AB = st.lists(st.sampled_from(b"ab"), max_size=6).map(bytes)


@given(AB, st.dictionaries(AB, st.integers(0, 40)), st.none() | st.integers(0, 40))
@example(b"ab", {b"ab": 2}, None)
def test_lemma_of_decomposition(token: bytes, ranks: dict[bytes, int], most: int | None) -> None:
    """`decompose_token`: the parts join to the token, whatever the ranks are."""
    assert b"".join(decompose_token(ranks, token, most)) == token


@given(CORPORA, st.integers(256, 290))
def test_lemma_of_recovery(corpus: list[str], vocab_size: int) -> None:
    """`recover_merges`: the ranks of a trained vocabulary give its merges."""
    content = content_of(Tokenizer.train(corpus, vocab_size))
    size = content["mergeable_vocab_size"]
    ranks = {bytes(content["vocab"][str(token_id)]): token_id for token_id in range(size)}
    assert [[*pair] for pair in recover_merges(ranks)] == content["merges"]
    assert [*recover_merges(ranks).values()] == [*range(256, size)]


@given(merge_lists())
def test_lemma_of_construction(merges: list[Pair]) -> None:
    """`build_vocab`: the result is well formed, unless two tokens have the same bytes."""
    assume(len(set(merges)) == len(merges))  # otherwise an id has no merge
    model = model_of(merges)
    vocab = build_vocab(model.merges)
    assert vocab == model.vocab
    if len(set(vocab.values())) == len(vocab):
        check_well_formed(model.merges, vocab, range(256))
    else:
        with pytest.raises(ValueError, match="injectivity"):
            check_well_formed(model.merges, vocab, range(256))


@given(TRAINED)
def test_lemma_of_well_formedness(model: Model) -> None:
    """`check_well_formed` accepts recovered merges with the result of `build_vocab`."""
    assert model.vocab == build_vocab(model.merges)
    check_well_formed(model.merges, model.vocab, model.byte_shuffle)


GOOD = {(97, 98): 256, (256, 99): 257}
VOCAB = build_vocab(GOOD)


@pytest.mark.parametrize(
    ("condition", "merges", "vocab", "shuffle"),
    [
        pytest.param("base tokens", GOOD, VOCAB | {7: b"x"}, range(256), id="another byte"),
        pytest.param("base tokens", GOOD, {256: b"ab"}, range(256), id="no bytes"),
        pytest.param("merges", GOOD, VOCAB | {256: b"ba"}, range(256), id="other bytes"),
        pytest.param("merges", GOOD | {(1, 999): 258}, VOCAB, range(256), id="an unknown part"),
        pytest.param(
            "merges",
            {(97, 256): 257},
            VOCAB | {256: b"", 257: b"a"},
            range(256),
            id="an empty part",
        ),
        pytest.param("injectivity", GOOD, VOCAB | {300: b"ab"}, range(256), id="bytes twice"),
        pytest.param("shuffle", GOOD, VOCAB, [0, *range(255)], id="a byte twice"),
    ],
)
def test_broken_conditions_are_rejected(
    condition: str, merges: dict[Pair, int], vocab: dict[int, bytes], shuffle: list[int]
) -> None:
    """`check_well_formed` names the broken condition."""
    check_well_formed(GOOD, VOCAB, range(256))
    with pytest.raises(ValueError, match=f"^{condition}: "):
        check_well_formed(merges, vocab, shuffle)


@given(st.one_of(merge_lists().map(model_of), TRAINED), CHUNKS | BYTES)
def test_lemma_of_the_chunk_round_trip(model: Model, chunk: bytes) -> None:
    """`encode_chunk`: `decode_chunk` restores the chunk, and no merge is left to apply."""
    ids = encode_chunk(model, chunk)
    assert decode_chunk(model, ids) == chunk
    assert not get_stats(ids).keys() & model.merges.keys()


@fewer()
@given(st.permutations(range(256)), BYTES)
def test_lemma_of_shuffle_cancellation(shuffle: list[int], data: bytes) -> None:
    """`decode_chunk`: the inverse shuffle restores each byte."""
    model = Model({}, build_vocab({}), shuffle, "", {})
    inverse = model.inverse_byte_shuffle
    assert all(inverse[shuffle[value]] == value for value in range(256))
    assert decode_chunk(model, [shuffle[value] for value in data]) == data


@given(TRAINED, TEXTS)
def test_lemma_of_locality(model: Model, text: str) -> None:
    """`encode`: the ids are those of the chunks, one after the other."""
    ordinary = text.replace(SPECIAL, "")
    chunks = [chunk.encode() for chunk in regex.findall(model.pattern, ordinary)]
    ids = [token_id for chunk in chunks for token_id in encode_chunk(model, chunk)]
    if SPECIAL not in ordinary:
        assert encode(model, ordinary) == ids


@given(st.one_of(merge_lists().map(model_of), TRAINED), TEXTS)
@example(model_of([]), " a \r\n ")
def test_lemma_of_the_round_trip(model: Model, text: str) -> None:
    """`decode`, the main claim: it restores the encoded text, special tokens included."""
    assert decode(model, encode(model, text)) == text


def test_no_merge_joins_two_chunks() -> None:
    """The ids show the chunks: a merge of a letter and the next word's space is not applied."""
    model = Model.of_merges([(97, 32)], GPT2_PATTERN, {"<|a|>": 257})
    assert encode(model, "a b") == list(b"a b")


def test_decoding_is_strict() -> None:
    """No byte is replaced, and no unknown id is left out."""
    model = Model.of_merges([], GPT2_PATTERN, {"<|a|>": 256})
    with pytest.raises(UnicodeDecodeError):
        decode(model, [0x80])
    with pytest.raises(KeyError):
        decode(model, [257])


@given(ASCII_TEXTS)
@example("a \r\n!\r'S 1234\x00 ")
def test_lemma_of_partition(text: str) -> None:
    """`pre_tokenize_ascii`: the chunks join to the text, and none is empty."""
    chunks = pre_tokenize_ascii(text.encode("ascii"))
    assert b"".join(chunks) == text.encode("ascii")
    assert all(chunks)


@pytest.mark.parametrize("name", [name for name in reference.__all__ if name.islower()])
def test_every_function_names_its_lemma(name: str) -> None:
    """Each function of the model names one lemma, which has a test."""
    (lemma,) = re.findall(r"Lemma \(([a-z -]+)", getattr(reference, name).__doc__)
    words = lemma.replace(" ", "_").replace("-", "_")
    assert {f"test_lemma_of_{words}", f"test_lemma_of_the_{words}"} & globals().keys()


def test_examples_are_correct() -> None:
    """Every example in a docstring of the package prints what it shows."""
    package = bpetite_compare.__name__
    modules = [one.name for one in pkgutil.walk_packages(bpetite_compare.__path__, f"{package}.")]
    results = [doctest.testmod(importlib.import_module(name)) for name in [package, *modules]]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 8


# The state machine


ASCII_WORDS = ["25", "\r\n", "'s", "'D", "'m", "'T", "'ll", "'lL", "'VE", "'re", "'l", "'v"]
ASCII_RUNS = st.lists(
    st.tuples(
        st.sampled_from([*"aS1 \t\v\n\r'.!\x00\x1c\x7frelv", *ASCII_WORDS]), st.integers(1, 5)
    ).map(lambda run: run[0] * run[1]),
    max_size=12,
).map("".join)
"""Texts with runs: of letters drawn one by one, one text in 2,000 has four digits in a row."""


@given(ASCII_RUNS | ASCII_TEXTS)
def test_state_machine_equals_the_pattern(text: str) -> None:
    """On ASCII the seven branches give the chunks of cl100k_base's published pattern."""
    expected = [chunk.encode() for chunk in regex.findall(reference.GPT4_PATTERN, text)]
    assert pre_tokenize_ascii(text.encode()) == expected


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param("I|'s|'D|'m|'T|'lL|'ve|'RE|x|'l|!", id="contractions in any case"),
        pytest.param("'lx|'vx| zA|(a| ((|a|\ta|\x00d|1|a|\n|a|@a", id="words"),
        pytest.param("1| |12| |123|4|a|9|/|0|:", id="digits"),
        pytest.param("!?|a| !?|a|!\r\n\n|a|!| \n|a|\x1c\x7f\n|1", id="punctuation"),
        pytest.param("a|\r\n|b|1| \t\n\n|b|2|\n|1|\r|1", id="line ends"),
        pytest.param("a|  | b| \t|\v|1| \t", id="whitespace before words, and at the end"),
        pytest.param("a| |1|\t|!| |\f|1", id="one character that nothing else takes"),
    ],
)
def test_each_branch_matches_as_by_hand(cut: str) -> None:
    """Each branch takes as much as the pattern's; a bar is between two chunks."""
    chunks, text = cut.split("|"), cut.replace("|", "")
    assert pre_tokenize_ascii(text.encode()) == [chunk.encode() for chunk in chunks]
    assert regex.findall(reference.GPT4_PATTERN, text) == chunks


# Ids equal to those of other implementations


@given(TRAINED, TEXTS)
def test_its_ids_equal_tiktokens_on_our_own_ranks(model: Model, text: str) -> None:
    """With ranks from a small training, the model and tiktoken agree on any byte order."""
    if drift().isdisjoint(text):
        ids = to_tiktoken(model).encode(text, allowed_special="all")
        assert encode(model, text) == ids


@fewer()
@given(of_any_version(), TEXTS | st.text("ab é<s>|user", max_size=30), st.data())
@example({"merges": [(97, 98), (97, 98), (256, 97), (257, 97)]}, "ab aba", None)
def test_it_loads_every_schema_version(
    any_path: Path, parts: dict[str, Any], text: str, data: st.DataObject | None
) -> None:
    """A loaded model has the core's ids, for special and whole tokens too, and its texts.

    If a file lists a pair twice, the first merge applies.
    """
    tokenizer = Tokenizer.load(write_tokenizer(any_path, **parts))
    model, vocab = Model.load(str(any_path)), vocab_of(tokenizer)
    pieces = [*parts.get("special", ()), *map(bytes.decode, parts.get("whole", ())), " ", "a"]
    more = data.draw(st.lists(st.sampled_from(pieces), max_size=4)) if data else []
    text = text.join(["", *more, ""])
    ids = tokenizer.encode(text)
    assert encode(model, text) == ids
    assert decode(model, ids) == text
    with pytest.raises(KeyError):
        decode(model, [max(vocab) + 1])


@fewer()
@given(st.text(" \t\nab<s>1", max_size=30))
@example("ab    \t   <s>\n\n\n")
def test_it_finds_the_longest_special_whitespace(any_path: Path, text: str) -> None:
    """A model of schema version 4 has the core's ids."""
    for content in (FOURTH, with_whitespace([" ", "\t", "  ", " \t", "\n\n", "<1>"])):
        any_path.write_bytes(canonical(content))
        model = Model.load(str(any_path))
        assert encode(model, text) == Tokenizer.load(any_path).encode(text)
        assert decode(model, encode(model, text)) == text


def test_a_model_with_ids_of_its_own_is_no_start_and_no_encoding(here: Path) -> None:
    """Its numbers are not its ids, so what would read them as ids refuses it, as with bytes."""
    ids = [*range(1000, 1256), 7, 3, 1]
    merges, special = [(97, 98), (32, 256)], {"<s>": 0, "<b": 5}
    write_tokenizer(here / "t.json", merges, [b" aba"], special, ids)
    model = Model.load("t.json")
    assert encode(model, "ab ab aba abab<s>") == [7, 3, 1, 3, 7, 0]
    with pytest.raises(ValueError, match="of schema version 1 or 2"):
        train(["ab"], 300, start=model)
    with pytest.raises(ValueError, match="pass the path of its tokenizer file"):
        to_tiktoken(model)
    with pytest.raises(TypeError, match=r"got memoryview$"):
        decode(model, memoryview(b"a"))


# Training

PATTERNS = [reference.NO_PATTERN, reference.GPT2_PATTERN, reference.GPT4_PATTERN]


@pytest.mark.parametrize("name", FOR_TRAINING)
@fewer()
@given(CORPORA, CORPORA, st.integers(256, 290), st.integers(0, 12))
def test_it_trains_and_continues_as_the_core(
    name: str, first: list[str], second: list[str], vocab_size: int, more: int
) -> None:
    """With any pattern, special tokens and a start, the merges are those of the core, in order."""
    pattern = SPLIT_PATTERNS[name]
    model = train(first, vocab_size, pattern, special_tokens=NINE)
    ours = Tokenizer.train(first, vocab_size, pattern=name, special_tokens=NINE)
    content = content_of(ours)
    assert [[*pair] for pair in model.merges] == content["merges"]
    assert model.special_tokens == content["special_tokens"]
    size = content["mergeable_vocab_size"] + more
    grown = content_of(Tokenizer.train(second, size, start=ours))
    assert [[*pair] for pair in train(second, size, pattern, model).merges] == grown["merges"]


@given(st.sampled_from(PATTERNS), CORPORA)
def test_lemma_of_learning(pattern: str, corpus: list[str]) -> None:
    """`train`: every merge joins two ids below its own, and an encoded text keeps its bytes."""
    model = train(corpus, 280, pattern)
    assert list(model.merges.values()) == list(range(256, 256 + len(model.merges)))
    assert all(max(pair) < new_id for pair, new_id in model.merges.items())
    for text in corpus:
        assert decode(model, encode(model, text)) == text


START = Model.of_merges([(97, 98), (97, 98)], reference.GPT2_PATTERN, {})


@pytest.mark.parametrize(
    ("call", "kind", "told"),
    [
        pytest.param(
            lambda: train(["a"], 255),
            ValueError,
            r"at least 256 \(one for each byte\), got 255",
            id="size",
        ),
        pytest.param(
            lambda: train(["ab c"], 256, r"\p{L}"),
            ValueError,
            "text: it matches 3 of 4 characters",
            id="pattern",
        ),
        pytest.param(
            lambda: train(["a"], 300, start=START), ValueError, "distinct pairs", id="pair twice"
        ),
        pytest.param(
            lambda: pre_tokenize_ascii("é".encode()), ValueError, "only ASCII", id="ASCII"
        ),
    ],
)
def test_invalid_input_is_rejected(
    call: Callable[[], object], kind: type[Exception], told: str
) -> None:
    """Texts, sizes, patterns, starts and vocabularies that the model cannot have are errors."""
    with pytest.raises(kind, match=told):
        call()
