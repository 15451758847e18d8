"""Start from a tokenizer: go on with its merges, or extend it and keep every id."""

import logging
from collections.abc import Sequence
from itertools import count
from logging.handlers import BufferingHandler
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import (
    FOURTH,
    GOOD,
    THIRD,
    artifact_with,
    canonical,
    content_of,
    loaded,
    merges_of,
    saved,
)
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from numbered import WORDS, Made, ids_by_bytes, numbered
from oracle import Pair
from texts import CORPORA, NESTED, RUNS, TIES, TWICE, TWINS, merge_lists

NAMES = ["<|b|>", "<|a|>"]
SPECIAL = [(60, 124), *((255 + place, byte) for place, byte in enumerate(b"endoftext|>", 1))]
"""Merges that make a token with the bytes of the special token."""
DOCUMENTS: Final = st.lists(st.one_of(WORDS, TIES, RUNS), max_size=4)
ADDED: Final = st.sampled_from([[], ["<|a|>", "<|b|é>"]])


def first_tokens(tokenizer: Tokenizer, size: int) -> bytes:
    """Return the file of a tokenizer's first tokens, as `bpetite truncate` writes it."""
    return Artifact.of_bytes(saved(tokenizer), "t").truncated(size).to_bytes()


@given(CORPORA, st.integers(256, 280), st.integers(0, 20), st.sampled_from([*oracle.PATTERNS]))
def test_continuing_on_the_same_corpus_is_one_long_training(
    documents: list[str], small: int, more: int, pattern: str
) -> None:
    """What stops and goes on equals what does not; `start` brings pattern and special tokens."""
    whole = Tokenizer.train(documents, small + more, pattern=pattern, special_tokens=NAMES[:1])
    start = Tokenizer.train(documents, small, pattern=pattern, special_tokens=NAMES[:1])
    assert Tokenizer.train(documents, small + more, start=start) == whole
    assert Tokenizer.train(documents, small + more, start=start, pattern=pattern) == whole
    both = Tokenizer.train(documents, small + more, pattern=pattern, special_tokens=NAMES)
    assert Tokenizer.train(documents, small + more, start=start, special_tokens=NAMES[1:]) == both


@given(
    merge_lists() | CORPORA.map(lambda documents: oracle.train(documents, 280)),
    CORPORA,
    st.integers(0, 30),
)
@example(TWICE, ["aaaabab aab"], 20)
@example(TWINS, ["abcabcbcab abc"], 20)
@example(NESTED, ["aaaabaaaab aaa"], 20)
def test_any_merges_may_be_the_start(merges: list[Pair], documents: list[str], more: int) -> None:
    """The old merges are applied by rank, then all pairs are recounted."""
    size, start = 256 + len(merges) + more, loaded(artifact_with(merges))
    grown = Tokenizer.train(documents, size, start=start)
    assert merges_of(grown) == oracle.train(documents, size, merges)


@given(merge_lists() | CORPORA.map(lambda documents: oracle.train(documents, 262)))
@example([(98, 97), (97, 98), (257, 97)])
@example([(98, 99), (97, 98), (257, 99)])
@example(SPECIAL)
def test_a_token_that_does_not_encode_to_itself_is_a_warning(merges: list[Pair]) -> None:
    """The warning has such tokens of the start, and there is none if all are sound."""
    tokens = [*oracle.vocabulary(merges).values()][:-1]
    wrong = [i for i, token in enumerate(tokens) if oracle.encode_chunk(token, merges) != [i]]
    wrong += [len(tokens) - 1] if merges == SPECIAL else []
    handler, logger = BufferingHandler(99), logging.getLogger("bpetite")
    handler.setLevel(logging.WARNING)
    logger.addHandler(handler)
    Tokenizer.train("xy xy xy abc", 290, start=loaded(artifact_with(merges)))
    logger.removeHandler(handler)
    assert [vars(record)["ids"] for record in handler.buffer] == [wrong][: len(wrong)]
    for record in handler.buffer:
        more = f" (and {len(wrong) - 1} more): " in record.getMessage()
        assert (vars(record)["id"], more) == (wrong[0], len(wrong) > 1)


def test_an_unreachable_token_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """The message has the first bytes of the token, and what follows for other libraries."""
    start = loaded(artifact_with([(98, 99), (97, 98), (257, 99)]))
    grown = Tokenizer.train("abc", 260, start=start)
    assert merges_of(grown)[3:] == [(97, 256)]  # the same bytes again
    (warning,) = (record for record in caplog.records if record.levelno == logging.WARNING)
    assert warning.message == (
        "the token 258 of start, b'abc', does not encode to itself: such a tokenizer cannot be "
        "exported, and other libraries may give other ids"
    )
    assert grown.decode(grown.encode("abc abc")) == "abc abc"


def test_special_whitespace_makes_no_token_unreachable(caplog: pytest.LogCaptureFixture) -> None:
    """The token of a merge with its bytes still encodes to itself, and nothing is learned twice."""
    grown = Tokenizer.train("a  b   c   d" * 9, 270, start=loaded(FOURTH))
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert content_of(grown)["schema_version"] == 4
    assert [*grown.vocab.values()].count(b"   ") == 1


@pytest.mark.parametrize(
    ("size", "options", "message"),
    [
        pytest.param(
            256, {}, "^vocab_size must be at least 257, the size of start, got 256", id="size"
        ),
        pytest.param(
            258,
            {"pattern": "gpt2"},
            "^pattern must be gpt4, that of start, got gpt2$",
            id="pattern",
        ),
        pytest.param(
            258,
            {"special_tokens": ["<|a|>"]},
            r"^special token '<\|a\|>' is given twice; remove one$",
            id="special token",
        ),
    ],
)
def test_a_start_must_fit(size: int, options: dict[str, Any], message: str) -> None:
    """A wrong size, pattern or special token, beside that of the start, is an error."""
    start = Tokenizer.train("ab", 257, pattern="gpt4", special_tokens=NAMES)
    with pytest.raises(ValueError, match=message):
        Tokenizer.train("ab", size, start=start, **options)


def test_a_start_must_be_a_tokenizer() -> None:
    """Another type, and a start without its keyword, are errors."""
    with pytest.raises(TypeError, match=r"^start must be a Tokenizer, got str$"):
        Tokenizer.train("a", 300, start="small.json")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="positional"):
        Tokenizer.train("a", 300, Tokenizer.train("", 256))  # type: ignore[call-arg]


def test_an_equal_size_still_reads_the_corpus(tokenizer: Tokenizer) -> None:
    """With the size of the start, the result equals it, and a wrong document is an error."""
    assert Tokenizer.train("other", 258, start=tokenizer) == tokenizer
    with pytest.raises(TypeError, match=r"^documents must be str, got int at position 1; "):
        Tokenizer.train(["a", 1], 258, start=tokenizer)  # type: ignore[list-item]


def test_the_start_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The first record has the number of merges that are kept, and the others count them."""
    start = Tokenizer.train("low lower lowest", 258)
    caplog.set_level(logging.INFO, "bpetite")
    Tokenizer.train(" ".join(map(str, range(500))), 400, start=start)
    first, *_, merge, last = caplog.records
    assert first.message == "training: 400 mergeable tokens wanted, 2 merges kept"
    assert vars(first)["merges_kept"] == 2
    assert (vars(merge)["merges"], vars(merge)["merges_wanted"]) == (100, 144)
    assert vars(last)["mergeable_vocab_size"] == 400


# Extensions, which keep ids


@given(numbered(highest=2**20), DOCUMENTS, st.integers(0, 12), ADDED, st.data())
def test_an_extension_is_that_of_the_oracle(
    made: Made, documents: list[str], more: int, added: list[str], data: st.DataObject
) -> None:
    """Merges, completed tokens and ids are the oracle's, and all ids of the start stay.

    Truncated, it is the extension of a smaller size; to the size of the start, the start.
    """
    content, merges, whole, names = made
    start, size = loaded(content), content["mergeable_vocab_size"] + more
    documents = [*documents, *(f"{token.decode()}b a{token.decode()}" for token in whole)]
    id_of = ids_by_bytes(content)
    tokens = [*oracle.vocabulary(merges).values()][:-1]
    ids, fresh = [id_of[token] for token in tokens], count(max(id_of.values()) + 1)
    taken = [*tokens, *(name.encode() for name in [*names, *added])]
    pattern = content["pretokenizer_pattern"]
    whole_ids = {token: id_of[token] for token in whole}
    expected = content | {"merges": [*content["merges"]], "vocab": {**content["vocab"]}}
    for (left, right), done in oracle.extend(documents, more, merges, whole_ids, taken, pattern):
        ids.append(next(fresh) if done is None else done)
        tokens.append(tokens[left] + tokens[right])
        expected["merges"].append([ids[left], ids[right], ids[-1]])
        expected["vocab"][str(ids[-1])] = list(tokens[-1])
    expected["mergeable_vocab_size"] = len(expected["vocab"]) - len(names)
    expected["special_tokens"] = content["special_tokens"] | dict(zip(added, fresh, strict=False))
    for name in added:
        expected["vocab"][str(expected["special_tokens"][name])] = list(name.encode())
    grown = Tokenizer.train(documents, size, start=start, special_tokens=added)
    assert content_of(grown) == expected
    bare = Tokenizer.train(documents, size, start=start)
    fewer = data.draw(st.integers(size - more, content_of(bare)["mergeable_vocab_size"]))
    assert first_tokens(bare, fewer) == saved(Tokenizer.train(documents, fewer, start=start))
    assert first_tokens(bare, size - more) == canonical(content)


@given(CORPORA, DOCUMENTS, st.integers(256, 280), st.integers(1, 12))
def test_keeping_ids_learns_what_continuing_learns(
    first: list[str], second: list[str], small: int, more: int
) -> None:
    """From a start without whole tokens, the merges are the same, and all ids stay."""
    start = Tokenizer.train(first, small, pattern="gpt4", special_tokens=NAMES)
    size = len(merges_of(start)) + 256
    grown = Tokenizer.train(second, size + more, start=start, keep_ids=True)
    moved = content_of(Tokenizer.train(second, size + more, start=start))
    if moved["mergeable_vocab_size"] == size:
        assert grown == start
        return
    for left, right, new in content_of(grown)["merges"]:
        numbers = [one if one < size else one - 2 for one in (left, right, new)]
        assert moved["merges"][numbers[2] - 256] == numbers[:2]
    assert content_of(grown)["special_tokens"] == content_of(start)["special_tokens"]
    without = Tokenizer.train(first, small, special_tokens=[])
    options: dict[str, Any] = {"vocab_size": size + more, "start": without}
    assert Tokenizer.train(second, **options, keep_ids=True) == Tokenizer.train(second, **options)


def with_whole(whole: dict[int, str]) -> Tokenizer:
    """Return a tokenizer without merges that has these whole tokens."""
    vocab = {str(token_id): list(token.encode()) for token_id, token in whole.items()}
    vocab |= {str(byte): [byte] for byte in range(256)}
    names = {"merges": [], "schema_version": 3, "special_tokens": {}}
    return loaded(GOOD | names | {"mergeable_vocab_size": len(vocab), "vocab": vocab})


@pytest.mark.parametrize(
    ("start", "options", "message"),
    [
        pytest.param(None, {}, "keep_ids requires start", id="nothing to keep"),
        pytest.param(
            loaded(artifact_with([(97, 98), (98, 99), (256, 99), (97, 257)])),
            {},
            "ids of start: 2 of its tokens have the bytes b'abc'",
            id="equal tokens",
        ),
        pytest.param(
            loaded(artifact_with(SPECIAL)), {}, "have the bytes b'<|endo", id="special token twice"
        ),
        pytest.param(
            loaded(THIRD), {"special_tokens": ["<s>"]}, "special token", id="a name of it"
        ),
        pytest.param(
            with_whole({300: "<|a|>"}),
            {"special_tokens": ["<|a|>"]},
            r"special token '<\|a\|>': start has such a token",
            id="a whole token",
        ),
        pytest.param(
            loaded(THIRD), {"vocab_size": 258}, "must be at least 259, the size of start", id="size"
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(
    start: Tokenizer | None, options: dict[str, Any], message: str
) -> None:
    """Ids without a start, a start with two equal tokens, and names that it has are errors."""
    options = {"vocab_size": 300, "start": start, "keep_ids": True} | options
    with pytest.raises(ValueError, match=message):
        Tokenizer.train("ab", **options)


@pytest.mark.parametrize(
    ("whole", "merges"),
    [
        pytest.param(
            {500: "abc", 400: "zab"},
            [[97, 98, 501], [122, 501, 400], [501, 99, 500]],
            id="the lowest id first",
        ),
        pytest.param(
            {400: "abc", 401: "cab", 500: "abcab"},
            [[97, 98, 501], [501, 99, 400], [99, 501, 401], [400, 501, 500]],
            id="a choice",
        ),
    ],
)
def test_tokens_are_completed_at_once(whole: dict[int, str], merges: list[list[int]]) -> None:
    """A whole token that has two symbols left is the next merge; truncating undoes it."""
    start = with_whole(whole)
    grown = Tokenizer.train("ab", 257 + len(whole), start=start)
    assert content_of(grown)["merges"] == merges
    assert first_tokens(grown, 256 + len(whole)) == saved(start)


@pytest.mark.parametrize(
    ("ids", "completed"),
    [
        ((300, 290, 310, 295, 294, 293), {290, 295, 294, 293}),
        ((300, 290, 299, 310, 311, 309), {309}),
        ((300, 310, 290, 320, 295, 330), set()),
    ],
)
def test_only_the_merges_of_an_extension_complete_tokens(
    ids: Sequence[int], completed: set[int]
) -> None:
    """Of other merges with an id lower than that of a part, none is a completed token."""
    merges = [(97, 98), (256, 99), (98, 99), (258, 97), (256, 258), (259, 98)]
    content, every = artifact_with(merges), [*range(256), *ids]
    tokens = zip(every, [*oracle.vocabulary(merges).values()], strict=False)
    triples = [[every[a], every[b], new] for (a, b), new in zip(merges, ids, strict=True)]
    content |= {"merges": triples, "schema_version": 3, "special_tokens": {}}
    content["vocab"] = {str(token_id): list(token) for token_id, token in tokens}
    left = first_tokens(loaded(content), 256 + len(completed))
    assert {*map(int, content_of(loaded(left))["vocab"])} == {*range(256), *completed}


@pytest.mark.parametrize(("names", "most"), [([], 261), (["<|a|>", "<|b|>"], 259)])
def test_the_highest_id_limits_the_size(names: list[str], most: int) -> None:
    """No new token, and no added special token, has an id of 2^21 or more."""
    options: dict[str, Any] = {"start": with_whole({2**21 - 5: "zz"}), "special_tokens": names}
    grown = Tokenizer.train("abcdefgh", most, **options)
    assert max(map(int, content_of(grown)["vocab"])) == 2**21 - 1
    for size in (most + 1, 270):
        with pytest.raises(ValueError, match="too large: no id below 2,097,152 is left"):
            Tokenizer.train("abcdefgh", size, **options)


def test_the_highest_id_limits_special_tokens() -> None:
    """If too many are added, none gets an id."""
    names = [f"<|{number}|>" for number in range(5)]
    with pytest.raises(ValueError, match="special_tokens: no id below 2,097,152 is left after"):
        Tokenizer.train("", 257, start=with_whole({2**21 - 5: "zz"}), special_tokens=names)


@given(numbered(highest=2**20), DOCUMENTS, ADDED)
def test_the_file_size_is_known_before(made: Made, documents: list[str], added: list[str]) -> None:
    """Training stops with an error before the file is larger than the maximum, and not early."""
    content, _, whole, _ = made
    start, size = loaded(content), content["mergeable_vocab_size"] + 12
    documents = [*documents, *(f"{token.decode()}b" for token in whole)]

    def train() -> int:
        return len(saved(Tokenizer.train(documents, size, start=start, special_tokens=added)))

    needed = train()
    with pytest.MonkeyPatch.context() as patch:
        # The size counts with seven digits instead of three, and each merge with a comma.
        patch.setattr("bpetite._extending.MAX_FILE_BYTES", needed + 5)
        assert train() == needed
        patch.setattr("bpetite._extending.MAX_FILE_BYTES", needed - 1)
        if needed > len(canonical(content)) + 80 * len(added):
            with pytest.raises(ValueError, match="vocab_size must be at most"):
                train()
