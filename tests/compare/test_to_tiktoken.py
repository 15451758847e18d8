"""`to_tiktoken` of a tokenizer in memory."""

from pathlib import Path

import pytest

from bpetite import Tokenizer
from bpetite_compare import to_tiktoken


def test_a_tokenizer_gives_the_encoding_of_its_file(tmp_path: Path) -> None:
    """A tokenizer and its file give the same encoding, also with more special tokens."""
    tokenizer = Tokenizer.train("lower lowest newer", 300, pattern="gpt4", special_tokens=["<1>"])
    tokenizer.save(tmp_path / "tokenizer.json")
    for more in ([], ["<2>"]):
        encoding = to_tiktoken(tokenizer, more)
        of_file = to_tiktoken(tmp_path / "tokenizer.json", more)
        assert encoding.n_vocab == of_file.n_vocab == len(tokenizer.vocab) + len(more)
        assert encoding._mergeable_ranks == of_file._mergeable_ranks
        assert encoding._special_tokens == of_file._special_tokens
        assert encoding._pat_str == of_file._pat_str
        text = "the lowest newer <1>"
        assert encoding.encode(text, allowed_special="all") == tokenizer.encode(text)


def test_what_is_neither_a_tokenizer_nor_a_path_is_a_type_error() -> None:
    """Anything else is a `TypeError`."""
    with pytest.raises(TypeError, match="path must be str"):
        to_tiktoken(7)  # type: ignore[arg-type]
