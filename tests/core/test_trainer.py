"""Training: the fast trainer learns the merges of full recounts, also from parts of a corpus."""

import gc
import logging
import re
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer
from bpetite._boundaries import blocks
from bpetite._corpus import ChunkCounter, CountedPart, count_corpus, total_chunks
from bpetite._pairs import Pairs
from bpetite._patterns import GPT2
from bpetite._trainer import train_bpe
from texts import CORPORA, RUNS, TEXTS, TIES

THE_CLASSIC_EXAMPLE = [
    (97, 97),  # aa: 4 times (overlaps count)  Z  ZabdZabac
    (97, 98),  # ab: 2 times, as Za: smaller   Y  ZYdZYac
    (256, 257),  # ZY: 2 times                 X  XdXac
    (97, 99),  # all once; ac is the smallest  W  XdXW
    (100, 258),  # dX                          V  XVW
    (258, 260),  # XV                          U  UW
    (261, 259),  # UW, and no pair is left
]


class Number:
    """An integer of another type, like numpy's."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.parametrize(
    ("corpus", "merges"),
    [
        pytest.param(["aaabdaaabac"], THE_CLASSIC_EXAMPLE, id="classic"),
        pytest.param(["ba", "ab"], [(97, 98), (98, 97)], id="the smallest left id"),
        pytest.param(["ac", "ab"], [(97, 98), (97, 99)], id="the smallest right id"),
        pytest.param(["ba", "ba", "ab"], [(98, 97), (97, 98)], id="count before size"),
        pytest.param(["abab"], [(97, 98), (256, 256)], id="bytes before tokens"),
        pytest.param(["abcbc"], [(98, 99), (97, 256), (257, 256)], id="a count falls"),
        pytest.param(
            {"cab": 70_000, "xy": 70_000}, [(97, 98), (99, 256), (120, 121)], id="new before larger"
        ),
    ],
)
def test_ties_and_overlaps_by_hand(
    corpus: list[str] | dict[str, int], merges: list[tuple[int, int]]
) -> None:
    """FR-10: the highest count wins, then the smallest pair; pairs are replaced from the left."""
    assert list(train_bpe(corpus, 1000).merges) == merges


@given(CORPORA, st.integers(256, 300))
@example(["<|endoftext|>"], 1000)
@example(["ab\n" * 100], 280)
@example(["aaaa", "ab ab"], 256)
def test_any_text_trains_as_in_the_oracle(documents: list[str], vocab_size: int) -> None:
    """FR-6, FR-7, FR-8, FR-9, FR-10, FR-13, FR-14, FR-15, FR-37: merges are those of recounts.

    Each recount counts the pairs inside chunks only.
    """
    result = train_bpe(documents, vocab_size)
    merges = oracle.train(documents, vocab_size)
    assert list(result.merges) == merges
    assert {type(part) for pair in result.merges for part in pair} <= {int}
    assert result.vocab == oracle.vocabulary(merges)
    assert {type(token) for token in result.vocab.values()} == {bytes}
    assert result.special_tokens == {"<|endoftext|>": 256 + len(merges)}
    assert result.mergeable_vocab_size == 256 + len(merges)


SHORT_WORDS = {
    **{f"{n} letters": ["".join(letters) for letters in product("ab", repeat=n)] for n in range(9)},
    "runs": ["a" * size for size in (*range(28, 38), 64, 65, 256, 257, 512, 513)],
}


@pytest.mark.parametrize("words", SHORT_WORDS.values(), ids=SHORT_WORDS)
def test_every_short_word_trains_as_in_the_oracle(words: list[str]) -> None:
    """FR-10: on words of two letters, and runs of one, merges are those of a full recount."""
    learned = {word: list(train_bpe(word, 1000).merges) for word in words}
    assert learned == {word: oracle.train([word], 1000) for word in words}


@pytest.mark.parametrize(
    ("vocab_size", "found"),
    [
        pytest.param(255, "255", id="255"),
        pytest.param(1 - 10**60, "-" + "9" * 60, id="60 digits"),
        pytest.param(-(10**60), "far less", id="61 digits"),
    ],
)
def test_vocab_size_below_256_raises(vocab_size: int, found: str) -> None:
    """FR-9: fewer tokens than bytes are a `ValueError`."""
    message = f"vocab_size must be at least 256 (one for each byte), got {found}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Tokenizer.train("ab", vocab_size)


@pytest.mark.parametrize(
    ("vocab_size", "found"),
    [(300.0, "float"), ("300", "str"), (None, "NoneType"), ([300], "list"), (True, "True")],
)
def test_vocab_size_of_wrong_type_raises(vocab_size: Any, found: str) -> None:  # noqa: ANN401
    """FR-9: what is not an integer is a `TypeError`."""
    with pytest.raises(TypeError, match=f"^vocab_size must be an integer, got {found}$"):
        Tokenizer.train("ab", vocab_size)


def test_an_integer_may_have_any_type() -> None:
    """FR-9: an object with `__index__` works like an `int`, as a size and as a count."""
    assert train_bpe("ab ab ab", Number(258)) == train_bpe("ab ab ab", 258)  # type: ignore[arg-type]
    counted = cast("dict[str, int]", {"ab ab": Number(3), "ba": 1})
    assert train_bpe(counted, 300) == train_bpe(["ab ab"] * 3 + ["ba"], 300)


@pytest.mark.parametrize(
    ("corpus", "merges"),
    [
        pytest.param("", (), id="empty"),
        pytest.param([], (), id="no documents"),
        pytest.param(["", ""], (), id="empty documents"),
        pytest.param("a b 1 !", ((32, 33), (32, 49), (32, 98)), id="short chunks"),
        pytest.param("abc", ((97, 98), (256, 99)), id="one chunk"),
    ],
)
def test_training_stops_when_no_pair_is_left(
    corpus: str | list[str], merges: tuple[tuple[int, int], ...]
) -> None:
    """FR-11: pairs that occur once are merged too; training ends early for any larger size."""
    for size in (1000, 2**20_000):
        result = train_bpe(corpus, size)
        assert (result.merges, result.mergeable_vocab_size) == (merges, 256 + len(merges))


def test_running_out_of_ids_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running out of pairs ends training early, but running out of ids is an error."""
    # Reaching the real limit would take a corpus of more than a million merges.
    monkeypatch.setattr("bpetite._trainer.MAX_VOCAB_SIZE", 258)
    assert train_bpe("abc", 9999).mergeable_vocab_size == 258
    with pytest.raises(ValueError, match=r"^vocab_size must be at most 258 for this corpus$"):
        train_bpe("abcd", 9999)


@pytest.mark.timeout(60)
def test_long_chunk_trains() -> None:
    """A long chunk trains at once: with quadratic work, it would take hours."""
    assert train_bpe("a" * (17 << 14), 1000).mergeable_vocab_size == 256 + 14 + 5


class Compared(str):
    """A pair that counts the comparisons of pairs."""

    __slots__ = ()
    comparisons = 0

    def __lt__(self, other: str) -> bool:
        Compared.comparisons += 1
        return str.__lt__(self, other)


def test_the_next_pair_is_found_without_looking_at_all() -> None:
    """Pairs come from a priority queue: in a tie of n pairs, one takes log n comparisons, not n."""
    letters = [chr(code) for code in range(64)]
    pairs = Pairs((left + right, 1) for left, right in product(letters, repeat=2))
    ((count, waiting),) = pairs._waiting.items()
    pairs._waiting[count] = [Compared(pair) for pair in waiting]
    taken = [pairs.take_most_frequent()[0] for _ in waiting]
    assert 0 < Compared.comparisons < 20 * len(waiting)  # the logarithm is 12
    assert taken == sorted(waiting)


@given(
    st.dictionaries(st.one_of(TIES, RUNS, TEXTS), st.integers(1, 4), max_size=4),
    st.integers(1, 9),
    st.integers(256, 300),
    st.randoms(use_true_random=False),
)
def test_order_of_documents_changes_nothing(
    counted: dict[str, int], block: int, size: int, source: Random
) -> None:
    """FR-12: documents in any order, as an iterator, counted, or in safe blocks train alike."""
    documents = [document for document, count in counted.items() for _ in range(count)]
    expected = train_bpe(documents, size)
    assert list(expected.merges) == oracle.train(documents, size)
    shuffled = source.sample(documents, len(documents))
    parts = [part for document in shuffled for part in blocks(document, block)]
    for same in (shuffled, iter(documents), counted, Counter(shuffled), parts, Counter(parts)):
        assert train_bpe(same, size) == expected
    assert all(train_bpe(document, size) == train_bpe([document], size) for document in counted)


@pytest.mark.thorough
def test_ids_beyond_the_surrogates_train_and_encode() -> None:
    """Ids equal to surrogate code points, and higher ones, are ids like any other."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
    words = ["".join(letters) for letters in product(alphabet, repeat=3)]
    tokenizer = Tokenizer.train(words, 100_000)
    ids = [tokenizer.encode(word) for word in words]
    assert {len(each) for each in ids} == {1}
    assert max(ids) > [0xE000]
    assert [tokenizer.decode(each) for each in ids] == words


RULE = "corpus must be str, an iterable of str, or a mapping from str to int, got"
A_PATH = type(Path()).__name__


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        pytest.param(b"ab", f"{RULE} bytes", id="bytes"),
        pytest.param(bytearray(b"ab"), f"{RULE} bytearray", id="bytearray"),
        pytest.param(memoryview(b"ab"), f"{RULE} memoryview", id="memoryview"),
        pytest.param(None, f"{RULE} NoneType", id="None"),
        pytest.param(Path("a.txt"), f"{RULE} {A_PATH}", id="path"),
        pytest.param(
            [b"ab"], "documents must be str, got bytes at position 0", id="bytes in a list"
        ),
        pytest.param(
            {"ab": 1, 7: 1}, "documents must be str, got int at position 1", id="key of a mapping"
        ),
    ],
)
def test_bytes_are_rejected(corpus: Any, message: str) -> None:  # noqa: ANN401
    """FR-37: bytes of any type, and other corpora and documents that are not text, are errors."""
    with pytest.raises(TypeError, match=rf"^{message}; the text of a file is open\(.*\)$"):
        Tokenizer.train(corpus, 300)


@pytest.mark.parametrize(
    ("count", "message"),
    [
        pytest.param(0, "at least 1, got 0", id="none"),
        pytest.param(1 - 10**30, f"at least 1, got -{'9' * 30}", id="30 digits"),
        pytest.param(-(10**30), "at least 1, got far less", id="31 digits"),
        pytest.param(True, "integers, got bool", id="bool"),
        pytest.param(1.0, "integers, got float", id="float"),
    ],
)
def test_invalid_counts_are_rejected(count: Any, message: str) -> None:  # noqa: ANN401
    """A count must be an integer of at least 1; the message has the ends of the document."""
    shown = r"'abcdefghijabcdefg\.\.\.cdefghijabcdefghij'"
    with pytest.raises(
        (TypeError, ValueError), match=f"^counts must be {message} for the document {shown}$"
    ) as caught:
        Tokenizer.train({"ba": 1, "abcdefghij" * 99: count}, 300)
    assert caught.type is (TypeError if "integers" in message else ValueError)


def test_lone_surrogate_in_a_document_raises() -> None:
    """A lone surrogate raises `UnicodeEncodeError` with its index in the document."""
    with pytest.raises(UnicodeEncodeError, match="position 9") as caught:
        Tokenizer.train(["ab", "é" * 9 + "\ud83d\ude00"], 300)
    assert caught.value.start == 9


# Counting in parts, as the command line does in several processes


@given(rows=st.lists(st.tuples(TEXTS, st.integers(1, 5))), data=st.data())
def test_parts_add_up_to_the_whole(rows: list[tuple[str, int]], data: st.DataObject) -> None:
    """However documents are divided and ordered, the chunks have the same counts."""
    documents = [text for text, count in rows for _ in range(count)]
    size = data.draw(st.integers(1, 9))
    cut = [(block, count) for text, count in rows for block in blocks(text, size)]
    shuffled = data.draw(st.permutations(cut))
    step = data.draw(st.integers(1, 4))
    batches = [shuffled[start : start + step] for start in range(0, len(cut), step)]
    counting = [ChunkCounter(GPT2), ChunkCounter(GPT2), ChunkCounter(GPT2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bpetite._corpus._MOST_PIECES", data.draw(st.integers(1, 9)))
        parts = [data.draw(st.sampled_from(counting)).count(batch) for batch in batches]
    assert sum(part.characters for part in parts) == sum(map(len, documents))
    assert sum(part.documents for part in parts) == sum(count for _, count in cut)
    parts += [each.flush() for each in counting]
    assert total_chunks(parts) == total_chunks(count_corpus(documents, GPT2))
    assert [each.flush() for each in counting] == [CountedPart()] * 3


def test_too_many_pieces_are_split_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """Up to 2^18 distinct pieces are split with the last call; one more, and all are split at once.

    Parts emit no record; adding them up emits that of the whole.
    """
    caplog.set_level(logging.INFO, "bpetite")
    text, counter = " ".join(map(str, range(1 << 18))), ChunkCounter(GPT2)
    parts = [*map(counter.count, ([(text, 1)], [("more", 2)], [("most", 1)]))]
    assert [len(part.chunks) for part in parts] == [0, (1 << 18) + 1, 0]
    assert caplog.records == []
    chunks = total_chunks([*parts, counter.flush()])
    figures = vars(caplog.records[-1])
    assert (figures["documents"], figures["characters"]) == (4, len(text) + 12)
    assert (len(chunks), figures["distinct_chunks"]) == ((1 << 18) + 2, (1 << 18) + 2)


# The garbage collector


class Nested(logging.Handler):
    """A handler that loads a tokenizer, and notes whether the collector is on then."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.INFO)
        self.path, self.seen = path, set[tuple[str, bool]]()

    def emit(self, record: logging.LogRecord) -> None:
        """Load, and note the state after that."""
        Tokenizer.load(self.path)
        self.seen.add((vars(record)["event"], gc.isenabled()))


@pytest.mark.parametrize("enabled", [True, False])
def test_collector_state_is_restored(
    request: pytest.FixtureRequest, tmp_path: Path, *, enabled: bool
) -> None:
    """While merges are learned the collector is off; loading inside of that leaves it off.

    Training and loading, even if they fail, leave it as it was.
    """
    if not enabled:
        request.getfixturevalue("uncollected")
    Tokenizer.train("ab", 257).save(tmp_path / "tokenizer.json")
    handler, logger = Nested(tmp_path / "tokenizer.json"), logging.getLogger("bpetite")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        Tokenizer.train(" ".join(map(str, range(500))), 400)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    others = {("start", enabled), ("counted", enabled), ("end", enabled)}
    assert handler.seen == {("merge", False), *others}
    (tmp_path / "broken.json").write_bytes(b"{}")
    with pytest.raises(KeyError):
        Tokenizer.load(tmp_path / "broken.json")
    assert gc.isenabled() == enabled
