"""What a program can ask a tokenizer: its three attributes, and `repr`."""

import pickle
from collections.abc import Mapping
from typing import Any

import pytest

from artifacts import FOURTH, GOOD, SECOND, THIRD, artifact_with, loaded
from bpetite import Tokenizer

VERSIONS = {"version 1": GOOD, "version 2": SECOND, "version 3": THIRD, "version 4": FOURTH}
NAMES = ("mergeable_vocab_size", "special_tokens", "vocab")


@pytest.mark.parametrize("content", [pytest.param(VERSIONS[one], id=one) for one in VERSIONS])
def test_attributes_are_the_keys_of_the_file(content: Mapping[str, Any]) -> None:
    """FR-11: the attributes have the values of the file's keys, in the order of ids."""
    tokenizer = loaded(content)
    again = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301 - our own
    for copied in (tokenizer, again):
        assert copied.mergeable_vocab_size == content["mergeable_vocab_size"]
        assert copied.special_tokens == content["special_tokens"]
        assert [*copied.special_tokens.values()] == sorted(content["special_tokens"].values())
        assert {str(one): [*token] for one, token in copied.vocab.items()} == content["vocab"]
        assert [*copied.vocab] == sorted(map(int, content["vocab"]))


def test_training_returns_the_size_it_reached() -> None:
    """FR-11: a training that runs out of pairs has a smaller size than it was asked for."""
    assert Tokenizer.train("ab ab ab", 258).mergeable_vocab_size == 258
    assert Tokenizer.train("ab ab ab", 10_000).mergeable_vocab_size == 258


def test_nobody_can_change_them() -> None:
    """No attribute can be set or deleted, and neither can an item of one."""
    tokenizer: Any = Tokenizer.train("ab ab ab", 258)
    ids = tokenizer.encode("ab ab<|endoftext|>")
    for name in NAMES:
        with pytest.raises(AttributeError):
            setattr(tokenizer, name, {})
        with pytest.raises(AttributeError):
            delattr(tokenizer, name)
    for mapping, key in ((tokenizer.vocab, 97), (tokenizer.special_tokens, "<|endoftext|>")):
        with pytest.raises(TypeError):
            mapping[key] = b"x"
        with pytest.raises(TypeError):
            del mapping[key]
    assert tokenizer.encode("ab ab<|endoftext|>") == ids
    assert tokenizer.decode(ids) == "ab ab<|endoftext|>"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        pytest.param(
            GOOD, "gpt2, 259 ids, special tokens ['<|endoftext|>']", id="one special token"
        ),
        pytest.param(SECOND, "gpt4, 260 ids, special tokens ['<|b|>', '<|a|>']", id="two"),
        pytest.param(
            artifact_with([], "gpt4", [f"<|{one}|>" for one in range(2000)]),
            "gpt4, 2,256 ids, special tokens ['<|0|>', '<|1|>', '<|2|>', '<|3|>', ...]",
            id="many",
        ),
        pytest.param(artifact_with([], "gpt4", []), "gpt4, 256 ids, special tokens []", id="none"),
    ],
)
def test_repr_says_what_it_is(content: Mapping[str, Any], shown: str) -> None:
    """`repr` has the pattern, the number of ids, and the special tokens."""
    assert repr(loaded(content)) == f"<bpetite.Tokenizer: pattern {shown}>"
