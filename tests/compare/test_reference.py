"""The reference model: every lemma, and ids equal to tiktoken's and to the core's."""

import random
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import assume, example, given
from hypothesis import strategies as st

import oracle
from artifacts import THIRD, canonical
from bpetite import Tokenizer
from bpetite_compare import reference, to_tiktoken
from bpetite_compare._engines import drift
from bpetite_compare.reference import (
    Model,
    Pair,
    _ascii,
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
from compare_tools import CORPUS, DUPLICATE
from numbered import numbered, start_of
from texts import ASCII_TEXTS, CHUNKS, CORPORA, TEXTS, merge_lists

SPECIAL = "<|endoftext|>"
IDS = st.lists(st.integers(0, 4), max_size=20)
BYTES = st.binary(max_size=12)


def model_of(merges: list[Pair]) -> Model:
    """Return the model of an artifact with these merges."""
    return Model.of_merges(merges, oracle.PATTERN, {SPECIAL: 256 + len(merges)})


@cache
def trained(seed: int) -> tuple[Model, dict[bytes, int]]:
    """Return a trained model with its bytes in random order, and the ranks it came from."""
    order = list(range(256))
    random.Random(seed).shuffle(order)
    vocab = oracle.vocabulary(oracle.train([CORPUS], 300))
    ranks = {bytes([value]): rank for rank, value in enumerate(order)}
    ranks |= {vocab[token_id]: token_id for token_id in range(256, 300)}
    return Model.of_ranks(ranks, oracle.PATTERN, {SPECIAL: 300}), ranks


TRAINED = st.integers(0, 3).map(trained)


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
    merges = oracle.train(corpus, vocab_size)
    vocab = oracle.vocabulary(merges)
    ranks = {vocab[token_id]: token_id for token_id in range(256 + len(merges))}
    assert list(recover_merges(ranks).items()) == [
        (pair, 256 + rank) for rank, pair in enumerate(merges)
    ]


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
def test_lemma_of_well_formedness(found: tuple[Model, dict[bytes, int]]) -> None:
    """`check_well_formed` accepts recovered merges with the result of `build_vocab`."""
    model, _ = found
    assert model.vocab == build_vocab(model.merges)
    check_well_formed(model.merges, model.vocab, model.byte_shuffle)


GOOD = {(97, 98): 256, (256, 99): 257}
VOCAB = build_vocab(GOOD)


@pytest.mark.parametrize(
    ("condition", "merges", "vocab", "shuffle"),
    [
        ("base tokens", GOOD, VOCAB | {7: b"x"}, range(256)),
        ("base tokens", GOOD, {256: b"ab"}, range(256)),
        ("merges", GOOD, VOCAB | {256: b"ba"}, range(256)),
        ("merges", GOOD | {(1, 999): 258}, VOCAB, range(256)),
        ("merges", {(97, 256): 257}, VOCAB | {256: b"", 257: b"a"}, range(256)),
        ("injectivity", GOOD, VOCAB | {300: b"ab"}, range(256)),
        ("shuffle", GOOD, VOCAB, [0, *range(255)]),
        ("shuffle", GOOD, VOCAB, range(255)),
    ],
)
def test_broken_conditions_are_rejected(
    condition: str, merges: dict[Pair, int], vocab: dict[int, bytes], shuffle: list[int]
) -> None:
    """`check_well_formed` names the broken condition."""
    check_well_formed(GOOD, VOCAB, range(256))
    with pytest.raises(ValueError, match=f"^{condition}: "):
        check_well_formed(merges, vocab, shuffle)


@given(st.one_of(merge_lists().map(model_of), TRAINED.map(lambda found: found[0])), CHUNKS | BYTES)
def test_lemma_of_the_chunk_round_trip(model: Model, chunk: bytes) -> None:
    """`encode_chunk`: `decode_chunk` restores the chunk, and no merge is left to apply."""
    ids = encode_chunk(model, chunk)
    assert decode_chunk(model, ids) == chunk
    assert not get_stats(ids).keys() & model.merges.keys()


@given(st.permutations(range(256)), BYTES)
def test_lemma_of_shuffle_cancellation(shuffle: list[int], data: bytes) -> None:
    """`decode_chunk`: the inverse shuffle restores each byte."""
    model = Model({}, build_vocab({}), shuffle, "", {})
    inverse = model.inverse_byte_shuffle
    assert all(inverse[shuffle[value]] == value for value in range(256))
    assert decode_chunk(model, [shuffle[value] for value in data]) == data


@given(TRAINED, TEXTS)
def test_lemma_of_locality(found: tuple[Model, dict[bytes, int]], text: str) -> None:
    """`encode`: the ids are those of the chunks, one after the other."""
    model, _ = found
    ordinary = text.replace(SPECIAL, "")
    chunks = [chunk.encode() for chunk in regex.findall(model.pattern, ordinary)]
    ids = [token_id for chunk in chunks for token_id in encode_chunk(model, chunk)]
    if SPECIAL not in ordinary:
        assert encode(model, ordinary) == ids


@given(st.one_of(merge_lists().map(model_of), TRAINED.map(lambda found: found[0])), TEXTS)
@example(model_of([]), " a \r\n ")
def test_lemma_of_the_round_trip(model: Model, text: str) -> None:
    """`decode`, the main claim: it restores the encoded text, special tokens included."""
    assert decode(model, encode(model, text)) == text


def test_no_merge_joins_two_chunks() -> None:
    """The ids show the chunks: a merge of a letter and the next word's space is not applied."""
    model = Model.of_merges([(97, 32)], oracle.PATTERN, {"<|a|>": 257})
    assert encode(model, "a b") == list(b"a b")


def test_decoding_is_strict() -> None:
    """No byte is replaced, and no unknown id is left out."""
    model = Model.of_merges([], oracle.PATTERN, {"<|a|>": 256})
    with pytest.raises(UnicodeDecodeError):
        decode(model, [0x80])
    with pytest.raises(KeyError):
        decode(model, [257])


def test_the_shorter_of_two_special_tokens_is_found() -> None:
    """Of two special tokens, the prefix is found first, and any number of them is encoded."""
    model = Model.of_merges([(97, 98)], oracle.PATTERN, {"<|a|>": 257, "<|b|>": 258})
    assert encode(model, "ab" + "<|a|><|b|>" * 50_000 + "a") == [256, *[257, 258] * 50_000, 97]
    model = Model.of_merges([], oracle.PATTERN, {"<.>": 256, "<.>+": 257})
    assert encode(model, "<.>+<!>") == [256, *b"+<!>"]


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


# The state machine


ASCII_PIECES = [
    *("a", "S", "1", "25", " ", "\t", "\v", "\n", "\r", "\r\n", "'", ".", "!", "\x00", "\x1c"),
    *("\x7f", "'s", "'D", "'m", "'T", "'ll", "'lL", "'VE", "'re", "'l", "'v", "r", "e", "l", "v"),
]
ASCII_RUNS = st.lists(
    st.tuples(st.sampled_from(ASCII_PIECES), st.integers(1, 5)).map(lambda run: run[0] * run[1]),
    max_size=12,
).map("".join)
"""Texts with runs: of letters drawn one by one, one text in 2,000 has four digits in a row."""


@given(ASCII_RUNS | ASCII_TEXTS)
def test_state_machine_equals_the_pattern(text: str) -> None:
    """On ASCII the seven branches give the chunks of cl100k_base's published pattern."""
    expected = [chunk.encode() for chunk in regex.findall(reference.GPT4_PATTERN, text)]
    assert pre_tokenize_ascii(text.encode()) == expected


BY_HAND = {
    # seven, in any case, before words
    "contraction": [
        *("I|'s|'d|'m|'t|'ll|'ve|'re", "I|'S|'D|'M|'T|'LL|'VE|'RE", "'lL|'Ve|'rE"),
        *("'s|x|'d|x|'m|x|'t|x", "'ll|x|'ve|x|'re|x", "'t|is| '|ll|."),
    ],
    # at most one character first, which is no letter, digit or end of line
    "word": [
        *("'lx|'vx|'rx|'nx", "aZ| zA", "(a| ((|a", "((|a", "\ta|\vb|\fc|\x00d", " | a|\t| a"),
        *("1|a|\n|a|\r|a", "[a|]", "a|@a|[a|`a|{a"),
    ],
    # at most three, with nothing first
    "digits": ["1| |12| |123", "123|4", "123|456|7", "0|a|9|/|0|:"],
    # at most one space first; ends of lines last
    "punctuation": [
        *("!?| !?", " | !|\t|!", "!\r\n\n", "!\n| !", "!| \n", "!|\t\n", "a|\x00\x1c\x1f\x7f\n"),
        "!a|!|1",
    ],
    # whitespace up to the last end of a line in it
    "newlines": ["a|\r\n|b", "a| \t\n\n|b", "a|\n \r| b", "a|\n|  ", "\n|1|\r|1"],
    # all whitespace at the end of the text, and all but one character of other runs
    "trailing": ["a| \t", "a|  | b", "a|  | !", "a| \t|\v|1"],
    # one character that nothing else takes
    "whitespace": ["a| |1", "\t|!| |\f|1"],
}
"""For each branch, texts with a bar between their chunks."""


@pytest.mark.parametrize(
    ("branch", "cut"), [(branch, text) for branch, texts in BY_HAND.items() for text in texts]
)
def test_each_branch_matches_as_by_hand(branch: str, cut: str) -> None:
    """Each branch takes as much as the pattern's, at each of its limits, and is needed."""
    chunks, text = cut.split("|"), cut.replace("|", "")
    expected = [chunk.encode() for chunk in chunks]
    assert pre_tokenize_ascii(text.encode()) == expected
    assert regex.findall(reference.GPT4_PATTERN, text) == chunks
    used, start = set(), 0
    for chunk in expected:
        used.add(next(b.__name__ for b in _ascii._BRANCHES if b(text.encode(), start) > start))
        start += len(chunk)
    assert f"_{branch}" in used


# Ids equal to those of other implementations


@given(merge_lists(), TEXTS)
def test_its_ids_equal_the_oracles(merges: list[Pair], text: str) -> None:
    """On any artifact the model gives the ids of the specification's own passes."""
    assert encode(model_of(merges), text) == oracle.encode(text, merges)


@given(TRAINED, TEXTS)
def test_its_ids_equal_tiktokens_on_our_own_ranks(
    found: tuple[Model, dict[bytes, int]], text: str
) -> None:
    """With ranks from a small training, the model and tiktoken agree on any byte order."""
    model, ranks = found
    encoding = tiktoken.Encoding(
        "own",
        pat_str=model.pattern,
        mergeable_ranks=ranks,
        special_tokens=dict(model.special_tokens),
    )
    if drift().isdisjoint(text):
        assert encode(model, text) == encoding.encode(text, allowed_special="all")


MODELS = st.one_of(
    numbered().map(start_of),
    st.builds(
        lambda corpus, size, pattern, names: Tokenizer.train(
            corpus, size, pattern=pattern, special_tokens=names
        ),
        *(CORPORA, st.integers(256, 280), st.sampled_from(["gpt2", "gpt4", "gpt4o"])),
        st.sampled_from([None, [], ["<|a|>"], ["<|b|>", "<|a|>"]]),
    ),
)
"""Tokenizers of all schema versions."""


@given(MODELS, TEXTS | st.text("ab é<s>|user", max_size=30), st.data())
def test_it_loads_every_schema_version(
    any_path: Path, tokenizer: Tokenizer, text: str, data: st.DataObject
) -> None:
    """A loaded model has the core's ids, for special and whole tokens too, and its texts."""
    tokenizer.save(any_path, overwrite=True)
    model, artifact = Model.load(str(any_path)), tokenizer._artifact
    pieces = [*artifact.special_names, *(one.decode() for one in artifact.whole_tokens)]
    text = text.join(
        ["", *data.draw(st.lists(st.sampled_from([*pieces, " ", "a"]), max_size=4)), ""]
    )
    ids = tokenizer.encode(text)
    assert encode(model, text) == ids
    assert decode(model, ids) == text
    assert {one: decode_any(model, one) for one in artifact.ids} == artifact.vocab
    for unknown in {-1, 0, 97, 255, 300, 1 << 20} - {*artifact.ids}:
        with pytest.raises(KeyError):
            decode(model, [unknown])


def decode_any(model: Model, token_id: int) -> bytes:
    """Return the bytes of an id, which may be part of a character."""
    try:
        return decode(model, [token_id]).encode()
    except UnicodeDecodeError as error:
        return error.object


def test_a_model_with_ids_of_its_own_is_no_start_and_no_encoding(here: Path) -> None:
    """Its numbers are not its ids, so what would read them as ids refuses it, as with bytes."""
    Path("t.json").write_bytes(canonical(THIRD))
    model = Model.load("t.json")
    assert encode(model, "ab ab aba abab<s>") == [7, 3, 1, 3, 7, 0]
    with pytest.raises(ValueError, match="of schema version 1 or 2"):
        train(["ab"], 300, start=model)
    with pytest.raises(ValueError, match="pass the path of its tokenizer file"):
        to_tiktoken(model)
    for data in (b"a", bytearray(b"a"), memoryview(b"a")):
        with pytest.raises(TypeError, match=f"got {type(data).__name__}$"):
            decode(model, data)


# Training

PATTERNS = [reference.NO_PATTERN, reference.GPT2_PATTERN, reference.GPT4_PATTERN]


@given(CORPORA, CORPORA, st.integers(256, 270), st.integers(0, 12))
def test_it_continues_as_the_core(
    first: list[str], second: list[str], vocab_size: int, more: int
) -> None:
    """With a start, the merges are those of the core, in order."""
    assert reference.GPT2_PATTERN == oracle.PATTERN
    model, start = train(first, vocab_size), Tokenizer.train(first, vocab_size)
    assert list(model.merges) == list(start._artifact.merges)
    assert model.special_tokens == {SPECIAL: len(start._artifact.tokens)}
    size = len(start._artifact.tokens) + more
    grown = Tokenizer.train(second, size, start=start)
    assert list(train(second, size, start=model).merges) == list(grown._artifact.merges)


@given(st.sampled_from(PATTERNS), CORPORA)
def test_lemma_of_learning(pattern: str, corpus: list[str]) -> None:
    """`train`: every merge joins two ids below its own, and an encoded text keeps its bytes."""
    model = train(corpus, 280, pattern)
    assert list(model.merges.values()) == list(range(256, 256 + len(model.merges)))
    assert all(max(pair) < new_id for pair, new_id in model.merges.items())
    for text in corpus:
        assert decode(model, encode(model, text)) == text


@pytest.mark.parametrize("pattern", PATTERNS)
def test_trained_models_work_in_tiktoken(pattern: str) -> None:
    """An encoding of tiktoken has the ids of the model, with the model's own pattern."""
    model = train([CORPUS], 320, pattern)
    encoding = to_tiktoken(model, ["<x>"])
    text = f"{CORPUS} The cat, 12345 times!\n\n{SPECIAL}don't"
    assert encoding.encode(text, allowed_special={SPECIAL}) == encode(model, text)
    assert encoding.encode("<x>", allowed_special="all") == [model.special_tokens[SPECIAL] + 1]
    again = Model.of_ranks(encoding._mergeable_ranks, pattern, model.special_tokens)
    assert (again.merges, again.vocab) == (model.merges, model.vocab)


def test_without_a_pattern_tokens_span_words() -> None:
    """The whole text is then one chunk, so tokens may span words; training ends early."""
    model = train(["to be to be"], 999, reference.NO_PATTERN)
    assert b"to be" in model.vocab.values()
    assert len(encode(model, "to be to be")) == 1


START = Model.of_merges([(97, 98), (97, 98)], reference.GPT2_PATTERN, {})


@pytest.mark.parametrize(
    ("call", "kind", "told"),
    [
        (lambda: train("abc", 256), TypeError, "put a single text into a list"),
        (lambda: train(["a"], 255), ValueError, r"at least 256 \(one for each byte\), got 255"),
        (lambda: train(["ab c"], 256, r"\p{L}"), ValueError, "text: it matches 3 of 4 characters"),
        (lambda: train(["\ud800"], 256), UnicodeEncodeError, "surrogates not allowed"),
        (lambda: train(["a"], 300, start=START), ValueError, "distinct pairs"),
        (lambda: train([], 256, start=train(["ab"], 257)), ValueError, "at least 257 "),
        (lambda: pre_tokenize_ascii("é".encode()), ValueError, "accepts only ASCII"),
        (
            lambda: to_tiktoken(model_of([*DUPLICATE])),
            ValueError,
            "258 and 259 have the same bytes",
        ),
    ],
)
def test_invalid_input_is_rejected(
    call: Callable[[], object], kind: type[Exception], told: str
) -> None:
    """Texts, sizes, patterns, starts and vocabularies that the model cannot have are errors."""
    with pytest.raises(kind, match=told):
        call()
