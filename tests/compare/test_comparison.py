"""`compare` and `to_tiktoken`: one text, tokenized twice."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_compare import Tokenization, compare, to_tiktoken
from bpetite_compare._comparison import first_difference
from bpetite_compare._engines import drift
from compare_tools import CORPUS, UNREACHABLE, fewer
from texts import CORPORA, TEXTS


@fewer()
@given(CORPORA, st.integers(256, 300), TEXTS)
@example(["ab ab"], 258, "ab<|endoftext|> ab")
def test_tiktoken_with_our_vocabulary_has_our_ids(
    corpus: list[str], vocab_size: int, text: str
) -> None:
    """Whatever was trained, tiktoken with our tokens makes equal ids, and decodes ours."""
    tokenizer = Tokenizer.train(corpus, vocab_size)
    with TemporaryDirectory() as folder:
        tokenizer.save(path := Path(folder) / "model.json")
        encoding = to_tiktoken(path)
    ids = tokenizer.encode(text)
    assert encoding.decode(ids, errors="strict") == text
    if drift().isdisjoint(text):
        assert encoding.encode(text, allowed_special="all") == ids


def test_the_encoding_matches_the_artifact(small_model: Path) -> None:
    """The encoding of a model has its pattern, its tokens and its special token."""
    encoding = to_tiktoken(small_model)
    assert (encoding.n_vocab, encoding.eot_token) == (324, 323)
    assert encoding.encode(CORPUS) == Tokenizer.load(small_model).encode(CORPUS)


def test_a_real_difference_is_found(tmp_path: Path) -> None:
    """A hand-made model with a token that its merges never make differs from tiktoken there."""
    path = write_artifact(tmp_path / "a.json", UNREACHABLE)
    found = compare(path, "a é abc", "self").difference
    assert found is not None
    assert (found.token, found.byte, found.character) == (5, 5, 4)
    assert found.ours == (256, b"ab")
    assert found.theirs == (258, b"abc")


@given(st.lists(st.sampled_from([b"a", b"b", b"ab"])), st.lists(st.sampled_from([b"a", b"b"])))
def test_the_first_difference_is_reported(ours: list[bytes], theirs: list[bytes]) -> None:
    """All tokens before the first difference are equal, and those at it are not."""
    number = {b"a": 1, b"b": 2, b"ab": 3}
    sides = [
        Tokenization("", [number[token] for token in tokens], tokens) for tokens in (ours, theirs)
    ]
    for by_id in (False, True):
        found = first_difference(*sides, by_id=by_id)
        if found is None:
            assert ours == theirs
            continue
        assert ours[: found.token] == theirs[: found.token]
        assert ours[found.token : found.token + 1] != theirs[found.token : found.token + 1]
        assert found.byte == found.character == len(b"".join(ours[: found.token]))


def test_ids_matter_only_for_equal_vocabularies() -> None:
    """Equal bytes with different ids differ when comparing ids, and not when comparing bytes."""
    ours, theirs = Tokenization("", [1], [b"a"]), Tokenization("", [2], [b"a"])
    assert first_difference(ours, theirs, by_id=False) is None
    found = first_difference(ours, theirs, by_id=True)
    assert found
    assert (found.ours, found.theirs) == ((1, b"a"), (2, b"a"))


def test_engine_differences_are_named(small_model: Path) -> None:
    """The comparison lists characters that the two engines put into different classes."""
    character = min(drift())
    comparison = compare(small_model, f"x{character}y", "self")
    assert comparison.engine_characters == {character}


def test_lone_surrogate_is_rejected(small_model: Path) -> None:
    """A lone surrogate is an error with its index; tiktoken alone would replace it."""
    with pytest.raises(UnicodeEncodeError) as caught:
        compare(small_model, "ab\ud800", "self")
    assert caught.value.start == 2
    assert to_tiktoken(small_model).encode("\ud800") == to_tiktoken(small_model).encode("\ufffd")


@pytest.mark.thorough
def test_tiktoken_failures_are_reported(small_model: Path) -> None:
    """A million spaces are too much for tiktoken's engine; the error says so."""
    with pytest.raises(ValueError, match="tiktoken failed on this text"):
        compare(small_model, " " * 1_200_000 + "x", "self")
