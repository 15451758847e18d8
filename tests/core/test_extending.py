"""Start from a tokenizer: go on with its merges, or extend it and keep every id."""

import logging
from logging.handlers import BufferingHandler
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import THIRD
from bpetite import Tokenizer, _extending
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2, PATTERNS
from numbered import WORDS, Made, numbered, start_of, tokenizer_of
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


def unreachable_of(merges: list[Pair]) -> list[int]:
    """Return the ids of the merges whose bytes have other ids."""
    tokens = [*oracle.vocabulary(merges).values()][:-1]
    return [i for i, token in enumerate(tokens) if oracle.encode_chunk(token, merges) != [i]]


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


@given(
    merge_lists() | CORPORA.map(lambda documents: oracle.train(documents, 280)),
    CORPORA,
    st.integers(0, 30),
)
@example(TWICE, ["aaaabab aab"], 20)
@example(TWINS, ["abcabcbcab abc"], 20)
@example(NESTED, ["aaaabaaaab aaa"], 20)
def test_any_merges_may_be_the_start(merges: list[Pair], documents: list[str], more: int) -> None:
    """The old merges are applied by rank, then all pairs are recounted, and learned only once.

    If every token of the start encodes to itself, so does every token of the result.
    """
    size = 256 + len(merges) + more
    grown = merges_of(Tokenizer.train(documents, size, start=of_merges(merges)))
    assert grown == oracle.train(documents, size, merges)
    learned = grown[len(merges) :]
    assert len({*learned}) == len(learned)
    assert {*learned}.isdisjoint(merges)
    assert min(unreachable_of(grown), default=0) < 256 + len(merges)


@given(merge_lists() | CORPORA.map(lambda documents: oracle.train(documents, 262)))
@example([(98, 97), (97, 98), (257, 97)])
@example([(98, 99), (97, 98), (257, 99)])
@example(SPECIAL)
def test_a_token_that_does_not_encode_to_itself_is_a_warning(merges: list[Pair]) -> None:
    """The warning has such tokens of the start, and there is none if all are sound."""
    unreachable = unreachable_of(merges) + ([256 + len(merges) - 1] if merges == SPECIAL else [])
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
    with pytest.raises(TypeError, match=r"^documents must be str, got int at position 1; "):
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


ADDED: Final = st.sampled_from([[], ["<|a|>", "<|b|é>"]])
DOCUMENTS: Final = st.lists(st.one_of(WORDS, TIES, RUNS), max_size=4)


def check_kept(start: Tokenizer, grown: Tokenizer) -> None:
    """Check that every id of the start has the same bytes."""
    vocab = grown._artifact.vocab
    assert {one: vocab.get(one) for one in start._artifact.vocab} == start._artifact.vocab


@given(numbered(highest=2**20), DOCUMENTS, st.integers(0, 12), ADDED, st.data())
def test_an_extension_is_that_of_the_oracle(
    made: Made, documents: list[str], more: int, added: list[str], data: st.DataObject
) -> None:
    """Merges, completed tokens and ids are the oracle's, and new tokens encode to themselves.

    Truncated, it is the extension of a smaller size; to the size of the start, the start.
    """
    content, merges, whole, names = made
    start = start_of(made)
    ids, pattern = start._artifact.ids, content["pretokenizer_pattern"]
    documents = [*documents, *(f"{token.decode()}b a{token.decode()}" for token in whole)]
    first = 256 + len(merges)
    whole_ids = dict(zip(whole, ids[first:], strict=False))
    known = [*oracle.vocabulary(merges).values()][:-1]
    taken = [*known, *(name.encode() for name in [*names, *added])]
    new = oracle.extend(documents, more, merges, whole_ids, taken, pattern)
    size = len(start._artifact.tokens) + more
    grown = Tokenizer.train(documents, size, start=start, special_tokens=added)
    artifact = grown._artifact
    assert artifact.merges == [*merges, *(pair for pair, _ in new)]
    fresh = iter(range(max(ids) + 1, 2**22))
    every = [*ids[:first], *(next(fresh) if one is None else one for _, one in new)]
    assert [*artifact.ids[: len(every)]] == every
    added_ids = dict(zip(added, fresh, strict=False))
    assert artifact.special_tokens == start._artifact.special_tokens | added_ids
    assert [*artifact.whole_tokens] == [one for one in whole if whole_ids[one] not in every]
    check_kept(start, grown)
    for number in range(first, 256 + len(artifact.merges)):
        assert oracle.encode_chunk(artifact.tokens[number], artifact.merges) == [number]
    assert Artifact.of_bytes(artifact.to_bytes(), "t") == artifact
    bare = Tokenizer.train(documents, size, start=start)._artifact
    fewer = data.draw(st.integers(size - more, len(bare.tokens)))
    assert bare.truncated(fewer) == Tokenizer.train(documents, fewer, start=start)._artifact
    assert bare.truncated(size - more) == start._artifact


@given(CORPORA, DOCUMENTS, st.integers(256, 280), st.integers(0, 12))
def test_keeping_ids_learns_what_continuing_learns(
    first: list[str], second: list[str], small: int, more: int
) -> None:
    """From a start without whole tokens, the merges are the same, and all ids stay."""
    start = Tokenizer.train(first, small, pattern="gpt4", special_tokens=["<|a|>", "<|b|>"])
    size = len(start._artifact.tokens)
    grown = Tokenizer.train(second, size + more, start=start, keep_ids=True)
    moved = Tokenizer.train(second, size + more, start=start)
    assert grown._artifact.merges == moved._artifact.merges
    assert (grown == start) == (len(grown._artifact.tokens) == size)
    check_kept(start, grown)
    new = len(grown._artifact.tokens) - size
    assert [*grown._artifact.ids[size : size + new]] == [*range(size + 2, size + 2 + new)]
    without = Tokenizer.train(first, small, pattern="gpt4", special_tokens=[])
    assert Tokenizer.train(second, size + more, start=without, keep_ids=True) == (
        Tokenizer.train(second, size + more, start=without)
    )


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    """Ids without a start, a start with two equal tokens, and names that it has are errors."""
    start = tokenizer_of(THIRD, tmp_path)
    with pytest.raises(ValueError, match="keep_ids requires start"):
        Tokenizer.train("ab", 300, keep_ids=True)
    for merges in ([(97, 98), (98, 99), (256, 99), (97, 257)], SPECIAL):
        twins = Tokenizer._of(Artifact.of_merges(merges))
        with pytest.raises(ValueError, match="ids of start: 2 of its tokens have the bytes b'"):
            Tokenizer.train("ab", 300, start=twins, keep_ids=True)
    for names in (["<s>"], ["<|a|>", "<|a|>"], ["<s>|>"], ["a"]):
        with pytest.raises(ValueError, match="special token"):
            Tokenizer.train("ab", 300, start=start, special_tokens=names)
    vocab = {**THIRD["vocab"], "8": [*b"<|a|>"]}
    whole = tokenizer_of(THIRD | {"mergeable_vocab_size": 260, "vocab": vocab}, tmp_path)
    with pytest.raises(ValueError, match=r"special token '<\|a\|>': start has such a token"):
        Tokenizer.train("ab", 300, start=whole, special_tokens=["<|a|>"])
    with pytest.raises(ValueError, match="vocab_size must be at least 259, the size of start"):
        Tokenizer.train("ab", 258, start=start)


def of_whole(whole: dict[int, str], merges: tuple[tuple[int, int], ...] = ()) -> Artifact:
    """Return a tokenizer with these ids of whole tokens; the merges have the ids from 300 on."""
    tokens = [*oracle.vocabulary(merges).values()][:-1]
    ids = (*range(256), *range(300, 300 + len(merges)), *sorted(whole))
    every = [*tokens, *(whole[token_id].encode() for token_id in sorted(whole))]
    return Artifact(list(merges), every, GPT2, (), ids)


def test_tokens_are_completed_at_once() -> None:
    """The one with the lowest id is the first, and one may complete another."""
    ab, two = (97, 98, 501), {400: "abc", 401: "cab", 500: "abcab"}
    table: list[tuple[dict[int, str], list[tuple[int, int, int]]]] = [
        ({500: "abc", 400: "zab"}, [ab, (122, 256, 400), (256, 99, 500)]),
        ({400: "abc", 500: "zab"}, [ab, (256, 99, 400), (122, 256, 500)]),
        ({400: "abcd", 500: "abc"}, [ab, (256, 99, 500), (257, 100, 400)]),
        *(({400: "xabcab"}, [(97, 98, 401)]), ({400: "abab"}, [(97, 98, 401), (256, 256, 400)])),
        (two, [ab, (256, 99, 400), (99, 256, 401), (257, 256, 500)]),
    ]
    for whole, expected in table:
        start = of_whole(whole)
        grown = Tokenizer.train("ab", len(start.tokens) + 1, start=Tokenizer._of(start))._artifact
        ids = grown.ids[256 : 256 + len(grown.merges)]
        assert [(*pair, one) for pair, one in zip(grown.merges, ids, strict=True)] == expected
        assert grown.truncated(len(start.tokens)) == start


def test_only_the_merges_of_an_extension_complete_tokens() -> None:
    """Of other merges with an id lower than that of a part, none is a completed token."""
    merges = [(97, 98), (256, 99), (98, 99), (258, 97), (256, 258), (259, 98)]
    tokens = [*oracle.vocabulary(merges).values()][:-1]

    def found(*ids: int) -> set[int]:
        return Artifact(merges, tokens, GPT2, (), (*range(256), *ids)).completed

    assert found(300, 290, 310, 295, 294, 293) == {257, 259, 260, 261}
    assert found(300, 290, 299, 310, 311, 309) == {261}
    assert found(300, 310, 290, 320, 295, 330) == set()


def test_the_highest_id_limits_the_size() -> None:
    """No new token, and no added special token, has an id of 2^21 or more."""
    start = Tokenizer._of(of_whole({2**21 - 5: "zz"}))
    for names, most in ([], 261), (["<|a|>", "<|b|>"], 259):
        grown = Tokenizer.train("abcdefgh", most, start=start, special_tokens=names)
        assert max(grown._artifact.ids) == 2**21 - 1
        with pytest.raises(
            ValueError, match="vocab_size is too large: no id below 2,097,152 is left"
        ):
            Tokenizer.train("abcdefgh", 270, start=start, special_tokens=names)
    names = [f"<|{number}|>" for number in range(5)]
    with pytest.raises(
        ValueError, match="special_tokens: no id below 2,097,152 is left after thos"
    ):
        Tokenizer.train("", 257, start=start, special_tokens=names)


@given(numbered(highest=2**20), DOCUMENTS, ADDED)
def test_the_file_size_is_known_before(made: Made, documents: list[str], added: list[str]) -> None:
    """Training stops with an error before the file is larger than the maximum, and not early."""
    start = start_of(made)
    documents = [*documents, *(f"{token.decode()}b" for token in made[2])]
    size = len(start._artifact.tokens) + 12

    def train() -> int:
        grown = Tokenizer.train(documents, size, start=start, special_tokens=added)
        return len(grown._artifact.to_bytes())

    needed = train()
    with pytest.MonkeyPatch.context() as patch:
        # The size counts with seven digits instead of three, and each merge with a comma.
        patch.setattr(_extending, "MAX_FILE_BYTES", needed + 5)
        assert train() == needed
        patch.setattr(_extending, "MAX_FILE_BYTES", needed - 1)
        if needed > len(start._artifact.to_bytes()) + 80 * len(added):
            with pytest.raises(ValueError, match="vocab_size must be at most"):
                train()
