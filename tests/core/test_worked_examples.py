"""The worked examples of the specification, step by step."""

from pathlib import Path

import pytest

from artifacts import GOOD, canonical
from bpetite import Tokenizer
from bpetite._persistence import load, save
from bpetite._pretokenizer import pretokenize
from bpetite._trainer import train_bpe


def test_training_of_the_example(tmp_path: Path, tokenizer: Tokenizer) -> None:
    """FR-7, FR-8, FR-13, FR-16, FR-18, FR-20, FR-23, FR-24, FR-26: chunks, merges, ids and file."""
    result = train_bpe("ab ab ab", vocab_size=258)
    assert pretokenize("ab ab ab") == [b"ab", b" ab", b" ab"]
    assert result.merges == ((97, 98), (32, 256))
    parts = dict(result.vocab), list(result.merges), dict(result.special_tokens)
    save(tmp_path / "tok.json", *parts)
    assert load(tmp_path / "tok.json") == parts
    assert (tmp_path / "tok.json").read_bytes() == canonical(GOOD)
    assert pretokenize("<|endoftext") == [b"<|", b"endoftext"]
    for text, ids in ("ab<|endoftext|>ab", [256, 258, 256]), ("<|endoftext", [*b"<|endoftext"]):
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == text
    with pytest.raises(UnicodeDecodeError):
        tokenizer.decode([0x80])
