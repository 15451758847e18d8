"""Continued training: the merges of `start` come first, and learning goes on from there."""

import logging
from logging.handlers import BufferingHandler

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import PATTERNS
from oracle import Pair
from texts import CORPORA, NESTED, RUNS, TIES, TWICE, TWINS, merge_lists

NAMES = ["<|b|>", "<|a|>"]
START = Tokenizer.train("low lower lowest", 262)
SPECIAL = [(60, 124), *((255 + place, byte) for place, byte in enumerate(b"endoftext|>", 1))]
"""Merges that make a token with the bytes of the special token."""


def of_merges(merges: list[Pair]) -> Tokenizer:
    """Return the tokenizer with these merges."""
    return Tokenizer._of(Artifact.of_merges(merges))


def merges_of(tokenizer: Tokenizer) -> list[Pair]:
    return list(tokenizer._artifact.merges)


@given(CORPORA, st.integers(256, 280), st.integers(0, 20), st.sampled_from([None, *PATTERNS]))
def test_continuing_on_the_same_corpus_is_one_long_training(
    documents: list[str], small: int, more: int, pattern: str | None
) -> None:
    """What stops and goes on equals what does not; `start` brings pattern and special tokens."""
    whole = Tokenizer.train(documents, small + more, pattern=pattern, special_tokens=NAMES)
    start = Tokenizer.train(documents, small, pattern=pattern, special_tokens=NAMES[:1])
    for again in (None, pattern):
        grown = Tokenizer.train(documents, small + more, start=start, pattern=again)
        assert grown._artifact.special_names == ("<|b|>",)
        assert merges_of(grown) == merges_of(whole)
    assert Tokenizer.train(documents, small + more, start=start, special_tokens=NAMES[1:]) == whole


@given(CORPORA, st.lists(st.one_of(TIES, RUNS), max_size=4), st.integers(0, 30))
def test_another_corpus_is_learned_as_in_the_oracle(
    first: list[str], second: list[str], more: int
) -> None:
    """On another corpus, the old merges are applied by rank, and then all pairs are recounted."""
    start = Tokenizer.train(first, 280)
    size = len(start._artifact.tokens) + more
    grown = Tokenizer.train(second, size, start=start)
    assert merges_of(grown) == oracle.train(second, size, merges_of(start))


@given(merge_lists(), st.lists(st.one_of(TIES, RUNS), max_size=4), st.integers(0, 30))
@example(TWICE, ["aaaabab aab"], 20)
@example(TWINS, ["abcabcbcab abc"], 20)
@example(NESTED, ["aaaabaaaab aaa"], 20)
def test_any_merges_may_be_the_start(merges: list[Pair], documents: list[str], more: int) -> None:
    """Merges that no training learns are continued as in the oracle, and learned only once."""
    size = 256 + len(merges) + more
    grown = merges_of(Tokenizer.train(documents, size, start=of_merges(merges)))
    assert grown == oracle.train(documents, size, merges)
    learned = grown[len(merges) :]
    assert len({*learned}) == len(learned)
    assert {*learned}.isdisjoint(merges)


@given(CORPORA, CORPORA)
def test_tokens_that_encode_to_themselves_stay_so(first: list[str], second: list[str]) -> None:
    """If every token of the start encodes to itself, so does every token of the result."""
    start = Tokenizer.train(first, 270)
    grown = merges_of(Tokenizer.train(second, len(start._artifact.tokens) + 12, start=start))
    tokens = oracle.vocabulary(grown)
    for token_id in range(256 + len(grown)):
        assert oracle.encode_chunk(tokens[token_id], grown) == [token_id]


@given(merge_lists() | CORPORA.map(lambda documents: oracle.train(documents, 262)))
@example([(98, 97), (97, 98), (257, 97)])
@example([(98, 99), (97, 98), (257, 99)])
@example(SPECIAL)
def test_a_token_that_does_not_encode_to_itself_is_a_warning(merges: list[Pair]) -> None:
    """The warning has such tokens of the start, and there is none if all are sound."""
    tokens = oracle.vocabulary(merges)
    unreachable = [
        token_id
        for token_id in range(256 + len(merges))
        if tokens[token_id] == b"<|endoftext|>"
        or oracle.encode_chunk(tokens[token_id], merges) != [token_id]
    ]
    handler, logger = BufferingHandler(100), logging.getLogger("bpetite")
    handler.setLevel(logging.WARNING)
    logger.addHandler(handler)
    Tokenizer.train("xy xy xy abc", 290, start=of_merges(merges))
    logger.removeHandler(handler)
    assert [vars(record)["ids"] for record in handler.buffer] == [unreachable][: len(unreachable)]
    if unreachable:
        (record,) = handler.buffer
        assert vars(record)["id"] == unreachable[0]
        more = len(unreachable) - 1
        assert (f"not encode to itself (and {more} more): " in record.getMessage()) == (more > 0)


def test_an_unreachable_token_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """The message has the first bytes of the token, and what follows for other libraries."""
    grown = Tokenizer.train("abc", 260, start=of_merges([(98, 99), (97, 98), (257, 99)]))
    assert merges_of(grown)[3:] == [(97, 256)]  # the same bytes again
    (warning,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    assert warning.message == (
        "the token 258 of start, b'abc', does not encode to itself: such a tokenizer cannot be "
        "exported, and other libraries may give other ids"
    )
    assert grown.decode(grown.encode("abc abc")) == "abc abc"


def test_a_start_must_be_a_tokenizer_of_at_most_the_size() -> None:
    """A wrong type, size, pattern or special token, beside that of the start, is an error."""
    fixed = Tokenizer.train("ab", 257, pattern="gpt4", special_tokens=NAMES)
    with pytest.raises(TypeError, match=r"^start must be a Tokenizer, got str$"):
        Tokenizer.train("a", 300, start="small.json")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^vocab_size .* least 262, the size of start, got 261$"):
        Tokenizer.train("a", 261, start=START)
    with pytest.raises(ValueError, match=r"^pattern must be gpt4, that of start, got gpt2$"):
        Tokenizer.train("ab", 258, start=fixed, pattern="gpt2")
    with pytest.raises(ValueError, match=r"^special token '<\|a\|>' is given twice; remove one$"):
        Tokenizer.train("ab", 258, start=fixed, special_tokens=["<|a|>"])
    with pytest.raises(TypeError, match="positional"):
        Tokenizer.train("a", 300, START)  # type: ignore[call-arg]


def test_an_equal_size_still_reads_the_corpus() -> None:
    """With the size of the start, the result equals it, and a wrong document is an error."""
    assert merges_of(Tokenizer.train("other", 262, start=START)) == merges_of(START)
    with pytest.raises(TypeError, match=r"^documents must be str, got int at position 1$"):
        Tokenizer.train(["a", 1], 262, start=START)  # type: ignore[list-item]


def test_the_start_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The first record has the number of merges that are kept, and the others count them."""
    caplog.set_level(logging.INFO, "bpetite")
    start = Tokenizer.train("low lower lowest", 258)
    caplog.clear()
    Tokenizer.train(" ".join(map(str, range(500))), 400, start=start)
    first, *_, merge, last = caplog.records
    assert first.message == "training: 400 mergeable tokens wanted, 2 merges kept"
    assert vars(first)["merges_kept"] == 2
    assert (vars(merge)["merges"], vars(merge)["merges_wanted"]) == (100, 144)
    assert vars(last)["mergeable_vocab_size"] == 400
