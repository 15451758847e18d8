"""The worked examples of the specification, step by step."""

from pathlib import Path

import pytest

from artifacts import GOOD, canonical
from bpetite import Tokenizer
from bpetite._persistence import load, save
from bpetite._pretokenizer import pretokenize
from bpetite._trainer import train_bpe

CORPUS = "ab ab ab"


def test_training_of_the_example() -> None:
    """FR-7, FR-8, FR-13: the chunks, the two merges and the ids are those of the example."""
    result = train_bpe(CORPUS, vocab_size=258)
    assert pretokenize(CORPUS) == [b"ab", b" ab", b" ab"]
    assert result.merges == ((97, 98), (32, 256))
    assert (result.vocab[256], result.vocab[257]) == (b"ab", b" ab")
    assert result.mergeable_vocab_size == 258
    assert result.special_tokens == {"<|endoftext|>": 258}


def test_encoding_and_decoding_of_the_example(tokenizer: Tokenizer) -> None:
    """FR-13, FR-16, FR-20, FR-24: the special token between two merged chunks is restored."""
    ids = tokenizer.encode("ab<|endoftext|>ab")
    assert ids == [256, 258, 256]
    assert tokenizer.decode(ids) == "ab<|endoftext|>ab"


def test_partial_special_token_of_the_example(tokenizer: Tokenizer) -> None:
    """FR-18: a part of the special token is the chunks `<|` and `endoftext`, byte for byte."""
    assert pretokenize("<|endoftext") == [b"<|", b"endoftext"]
    assert tokenizer.encode("<|endoftext") == list(b"<|endoftext")
    for partial in ("<|endoftext", "endoftext|>", "<|endo"):
        assert tokenizer.decode(tokenizer.encode(partial)) == partial


def test_lone_continuation_byte_of_the_example(tokenizer: Tokenizer) -> None:
    """FR-23: no character begins with 0x80."""
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode([0x80])


def test_saving_and_loading_of_the_example(tmp_path: Path) -> None:
    """FR-26: loading restores the tokenizer, and the file is the one in the example."""
    result = train_bpe(CORPUS, vocab_size=258)
    path = str(tmp_path / "tok.json")
    save(path, dict(result.vocab), list(result.merges), dict(result.special_tokens))
    vocab, merges, special_tokens = load(path)
    assert vocab == dict(result.vocab)
    assert merges == list(result.merges)
    assert special_tokens == dict(result.special_tokens)
    assert Path(path).read_bytes() == canonical(GOOD)
