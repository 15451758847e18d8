"""The claims about other libraries in docs/comparison.md, checked by running these libraries."""

import io
import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
import rustbpe
import sentencepiece
import tiktoken
import tokenizers
from bpe_continue import continue_training
from hypothesis import assume, given
from hypothesis import strategies as st
from tokenizers.implementations import ByteLevelBPETokenizer

from artifacts import content_of
from bpetite import Tokenizer
from bpetite_compare import export, import_tokenizer, to_tiktoken
from compare_tools import (
    CORPUS,
    FOR_TRAINING,
    HOSTILE,
    SPLIT_PATTERNS,
    real_texts,
    vocab_of,
    write_tokenizer,
)
from exports import load_back
from nasty import NINE, drift, nasty_texts
from texts import CORPORA, TIES

pytestmark = pytest.mark.thorough

TIED = "ba ab ba ab"
SPECIAL = "<|endoftext|>"
HALF_A_CHARACTER = b"\xe6\x97"


def hugging_face(corpus: Iterable[str], vocab_size: int, *special: str) -> ByteLevelBPETokenizer:
    """Train with Hugging Face on bytes, with GPT-2's pattern."""
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        corpus, vocab_size, min_frequency=1, show_progress=False, special_tokens=[*special]
    )
    return tokenizer


def rust(
    corpus: Iterable[str], vocab_size: int, pattern: str = SPLIT_PATTERNS["gpt2"]
) -> rustbpe.Tokenizer:
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(corpus), vocab_size, pattern=pattern)
    return tokenizer


@cache
def sentence_piece() -> sentencepiece.SentencePieceProcessor:
    """Train with sentencepiece's defaults, except for the model and the size."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the cat sat on the mat"] * 9),
        model_writer=model,
        model_type="bpe",
        vocab_size=20,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


# Training


def test_ties_break_by_bytes_here_and_by_letters_in_hugging_face() -> None:
    """Of " a" and "ab" twice each, bpetite and rustbpe merge the first, Hugging Face the second."""
    assert Tokenizer.train(TIED, 257).decode([256]) == " a"
    assert rust([TIED], 257).get_mergeable_ranks()[256:] == [(b" a", 256)]
    assert hugging_face([TIED], 257).id_to_token(256) == "ab"


def tokens_of_rust(corpus: Iterable[str], vocab_size: int, name: str) -> list[bytes]:
    """Return the tokens that rustbpe learns with a pattern, in order."""
    ranks = rust(corpus, vocab_size, SPLIT_PATTERNS[name]).get_mergeable_ranks()
    assert [rank for _, rank in ranks] == [*range(len(ranks))]
    return [bytes(token) for token, _ in ranks]


@pytest.mark.parametrize("name", FOR_TRAINING)
@given(corpus=st.lists(TIES | st.sampled_from(nasty_texts(500)), max_size=3) | CORPORA)
def test_rustbpe_learns_the_same_merges(name: str, corpus: list[str]) -> None:
    """On texts made of ties, nasty and any other, rustbpe learns bpetite's tokens in its order."""
    assume(drift(name).isdisjoint("".join(corpus)))
    ours = Tokenizer.train(corpus, 500, pattern=name, special_tokens=[])
    assert tokens_of_rust(corpus, 500, name) == [*vocab_of(ours).values()]


@pytest.mark.data
@pytest.mark.parametrize("name", FOR_TRAINING)
def test_real_texts_have_the_same_merges_and_ids(name: str, tmp_path: Path) -> None:
    """On prose, code and many languages, rustbpe learns the same, and ids are equal elsewhere."""
    if not (texts := real_texts()):
        pytest.skip("BPETITE_DATA names no folder with compressed texts")
    for text in texts:
        tokenizer = Tokenizer.train(text, 8192, pattern=name, special_tokens=NINE)
        assert tokens_of_rust([text], 8192, name) == [*vocab_of(tokenizer).values()][:8192]
        tokenizer.save(tmp_path / "model.json", overwrite=True)
        for to in ("tiktoken", "huggingface"):
            assert load_back(tmp_path / "model.json", to, tmp_path)[0](text) == tokenizer.encode(
                text
            )


def test_a_pair_that_occurs_once_is_merged() -> None:
    """All three merge until no pair is left, and return fewer tokens than requested."""
    assert Tokenizer.train("abc", 999).encode(f"abc{SPECIAL}") == [257, 258]
    assert rust(["abc"], 999).vocab_size == 258
    assert hugging_face(["abc"], 999).get_vocab_size() == 258


def test_vocabulary_size_definitions() -> None:
    """It includes special tokens in Hugging Face and in tiktoken's n_vocab, but not in bpetite."""
    assert Tokenizer.train(CORPUS, 260).encode(SPECIAL) == [260]
    assert hugging_face([CORPUS], 260, SPECIAL).get_vocab_size() == 260
    assert hugging_face([CORPUS], 260, SPECIAL).token_to_id(SPECIAL) == 0


# Extending


def exported(model: Tokenizer, path: Path) -> tokenizers.Tokenizer:
    model.save(path.with_suffix(".model"), overwrite=True)
    export(path.with_suffix(".model"), "huggingface", path, overwrite=True)
    return tokenizers.Tokenizer.from_file(str(path))


def both(
    start: Tokenizer, corpus: list[str], folder: Path, more: int = 20
) -> tuple[tokenizers.Tokenizer, tokenizers.Tokenizer]:
    """Extend a tokenizer with bpetite, and its export with bpe-continue."""
    content = content_of(start)
    size = content["mergeable_vocab_size"] + more
    ours = Tokenizer.train(corpus, size, start=start, keep_ids=True)
    base = exported(start, folder / "start.json")
    every = len(content["vocab"]) + more
    theirs = continue_training(base, texts=corpus, vocab_size=every, show_progress=False)
    return exported(ours, folder / "ours.json"), theirs


@given(
    name=st.sampled_from(FOR_TRAINING),
    first=CORPORA,
    corpus=st.lists(TIES | st.sampled_from(nasty_texts(500)), max_size=3) | CORPORA,
)
def test_bpe_continue_learns_the_same_tokens(
    tmp_path_factory: pytest.TempPathFactory, name: str, first: list[str], corpus: list[str]
) -> None:
    """Given texts, it learns the merges of `--keep-ids`, in order, with the same ids."""
    assume(drift(name).isdisjoint("".join(corpus)))
    start = Tokenizer.train(first, 270, pattern=name)
    ours, theirs = both(start, corpus, tmp_path_factory.mktemp("extended"))
    models = [json.loads(one.to_str())["model"] for one in (ours, theirs)]
    for part in ("vocab", "merges"):
        assert models[0][part] == models[1][part]


def test_bpe_continue_reads_lines(tmp_path: Path) -> None:
    """Given files, it learns no token that goes on after a line end; bpetite does."""
    text = "one\n\n\n\ntwo" * 9
    (tmp_path / "text").write_text(text, encoding="utf-8", newline="")
    start = Tokenizer.train("", 256)
    for theirs in both(start, [text], tmp_path):
        assert theirs.token_to_id("\u010a\u010a\u010a") is not None
    base = tmp_path / "start.json"
    lines = continue_training(base, files=tmp_path / "text", vocab_size=300, show_progress=False)
    assert not any("\u010a\u010a" in token for token in lines.get_vocab())


def test_bpe_continue_leaves_whole_tokens(tmp_path: Path) -> None:
    """It learns "ab" and leaves the whole token "abc", which tiktoken then finds in "abcd"."""
    start = Tokenizer.load(write_tokenizer(tmp_path / "abc", [], [b"abc"], {}))
    ours, theirs = both(start, ["abd abd abcd"], tmp_path, 1)
    assert ours.encode("abcd").ids == [256, 100]
    assert theirs.encode("abcd").ids == [257, 99, 100]
    assert load_back(tmp_path / "ours.model", "tiktoken", tmp_path)[0]("abcd") == [256, 100]
    theirs.save(str(tmp_path / "theirs.json"))
    import_tokenizer(tmp_path / "theirs.json", None, tmp_path / "theirs.model")
    with pytest.raises(ValueError, match="tiktoken merges the lowest id first"):
        export(tmp_path / "theirs.model", "tiktoken", tmp_path / "ranks")


# Patterns


def test_rustbpe_has_another_default_pattern() -> None:
    """By default rustbpe cuts numbers, which GPT-2's pattern leaves whole."""
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(["1234567"] * 9), 300)
    assert len(tokenizer.encode("1234567")) > 1
    assert "{1," in tokenizer.get_pattern()
    assert len(Tokenizer.train("1234567", 300).encode("1234567")) == 1


# Special tokens


def test_finding_the_special_token(small_model: Path) -> None:
    """Both bpetite and Hugging Face find it in any text; tiktoken raises; rustbpe has none."""
    text = f"a{SPECIAL}"
    encoding = to_tiktoken(small_model)
    assert Tokenizer.load(small_model).encode(text) == [97, 323]
    with pytest.raises(ValueError, match="disallowed special token"):
        encoding.encode(text)
    assert encoding.encode(text, allowed_special="all") == [97, 323]
    ordinary = [97, *b"<|", *encoding.encode_ordinary("endoftext"), *b"|>"]
    assert encoding.encode(text, disallowed_special=()) == ordinary
    hf = hugging_face([CORPUS], 300, SPECIAL)
    assert hf.encode(text).ids[-1] == hf.token_to_id(SPECIAL)
    assert len(rust([CORPUS], 300).encode(SPECIAL)) > 1


# Round trip


def test_decoding_half_a_character(small_model: Path) -> None:
    """Ids that are not text are an error in bpetite; the others replace them, or can be strict."""
    ids = list(HALF_A_CHARACTER)
    with pytest.raises(UnicodeDecodeError):
        Tokenizer.load(small_model).decode(ids)
    encoding = to_tiktoken(small_model)
    assert encoding.decode(ids) == "\ufffd"
    with pytest.raises(UnicodeDecodeError):
        encoding.decode(ids, errors="strict")
    hf = hugging_face([], 256)
    assert hf.decode([hf.get_vocab()[letter] for letter in "æĹ"]) == "\ufffd"


def test_lossless_round_trips(small_model: Path) -> None:
    """Byte-level tokenizers return every hostile text; sentencepiece changes and loses some."""
    tokenizer, encoding = Tokenizer.load(small_model), to_tiktoken(small_model)
    ranks = rust([CORPUS], 300)
    hf = hugging_face([CORPUS], 300)
    for text in HOSTILE:
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert encoding.decode(encoding.encode(text, allowed_special="all")) == text
        assert ranks.decode(ranks.encode(text)) == text
        assert hf.decode(hf.encode(text).ids) == text
    others = sentence_piece()
    assert others.decode(others.encode("the  cat\n")) == "the cat"
    assert others.decode(others.encode("日")).strip() == "⁇"


def test_text_that_a_pattern_skips_is_lost() -> None:
    """With a custom pattern, rustbpe loses what it does not match; bpetite's patterns match all."""
    tokenizer = rust(["hello world"], 260, pattern=r"\w+")
    assert tokenizer.decode(tokenizer.encode("hello, world!")) == "helloworld"


# Errors


def test_accepting_a_lone_surrogate(small_model: Path) -> None:
    """A lone surrogate is an error in bpetite; tiktoken encodes another character instead."""
    with pytest.raises(UnicodeEncodeError):
        Tokenizer.load(small_model).encode("\ud800")
    encoding = to_tiktoken(small_model)
    assert encoding.decode(encoding.encode("\ud800")) == "\ufffd"
    with pytest.raises(TypeError, match="must be str"):
        hugging_face([], 256).encode("\ud800")


def test_accepting_an_unknown_id(small_model: Path) -> None:
    """For an unknown id bpetite and tiktoken raise `KeyError`; Hugging Face drops the id."""
    with pytest.raises(KeyError):
        Tokenizer.load(small_model).decode([97, 9999])
    with pytest.raises(KeyError):
        to_tiktoken(small_model).decode([97, 9999])
    hf = hugging_face([], 256)
    assert hf.decode([hf.get_vocab()["a"], 9999]) == "a"


def test_accepting_true_as_an_id(small_model: Path) -> None:
    """An id `True` is an error in bpetite; tiktoken takes it for 1."""
    with pytest.raises(TypeError):
        Tokenizer.load(small_model).decode([True])
    assert to_tiktoken(small_model).decode([True]) == "\x01"


# Ids


def test_gpt_2_numbers_bytes_differently(
    encoding_named: Callable[[str], tiktoken.Encoding],
) -> None:
    """An "A" is 65 in bpetite and 32 in GPT-2, where the printable bytes come first."""
    assert Tokenizer.train("", 256).encode("A") == [65]
    assert encoding_named("gpt2").encode("A") == [32]


# The page


@pytest.mark.parametrize(
    "name", ["tiktoken", "tokenizers", "transformers", "rustbpe", "sentencepiece", "bpe-continue"]
)
def test_the_page_names_the_tested_versions(name: str) -> None:
    """The versions in docs/comparison.md are the installed ones."""
    page = (Path(__file__).parents[2] / "docs" / "comparison.md").read_text(encoding="utf-8")
    assert re.findall(rf"\b{name} (\d[\d.]+)\b", page) == [version(name)]
