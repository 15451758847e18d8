"""`to_tiktoken` of a tokenizer in memory."""

from pathlib import Path

import pytest

from artifacts import canonical, with_whitespace
from bpetite import Tokenizer
from bpetite_compare import compare, export, parity, to_tiktoken


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


def test_tiktoken_gets_no_special_token_that_begins_another(tmp_path: Path) -> None:
    """It tries names in no fixed order; whitespace that begins no other name has the same ids."""
    path = tmp_path / "t.json"
    path.write_bytes(canonical(with_whitespace(["  ", "\t\t", "<s>", "\n "])))
    tokenizer, text = Tokenizer.load(path), "a   \t\t\t<s>\n  b"
    assert to_tiktoken(tokenizer).encode(text, allowed_special="all") == tokenizer.encode(text)
    path.write_bytes(canonical(with_whitespace(["   ", "<s>", "  "])))
    reason = "^cannot export this tokenizer to tiktoken: its special token '  ' begins another one"
    for refused in (
        lambda: to_tiktoken(path),
        lambda: export(path, "tiktoken", tmp_path / "out"),
        lambda: compare(path, "a", "self"),
        lambda: parity(path, []),
    ):
        with pytest.raises(ValueError, match=reason):
            refused()
