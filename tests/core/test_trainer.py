"""Training: the fast trainer learns the merges of full recounts, also from parts of a corpus."""

import gc
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer, _corpus
from bpetite._boundaries import blocks
from bpetite._collector import garbage_collector_paused
from bpetite._corpus import Part, PartCounter, add_up, count_corpus
from bpetite._merges import Merges
from bpetite._pairs import Pairs
from bpetite._patterns import GPT2
from bpetite._trainer import TrainerResult, train_bpe
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


def test_ties_and_overlaps_by_hand() -> None:
    """FR-10: the highest count wins, then the smallest pair; pairs are replaced from the left."""
    for corpus, merges in (
        (["aaabdaaabac"], THE_CLASSIC_EXAMPLE),
        (["ba ab"], [(32, 97), (98, 97), (256, 98)]),  # all once
        (["ba", "ab"], [(97, 98), (98, 97)]),  # the smallest left id
        (["ac", "ab"], [(97, 98), (97, 99)]),  # the smallest right id
        (["ba", "ba", "ab"], [(98, 97), (97, 98)]),  # count before size
        (["aaa"], [(97, 97), (256, 97)]),  # a triple from the left
        (["abab"], [(97, 98), (256, 256)]),  # a pair of bytes before one of tokens
        (["abcbc"], [(98, 99), (97, 256), (257, 256)]),  # a count falls
        (["aaaabaaaa"], [(97, 97), (256, 256), (98, 257), (257, 258)]),  # runs
    ):
        assert list(train_bpe(corpus, 1000).merges) == oracle.train(corpus, 1000) == merges
    for count in (1, 256, 257, 70_000):  # a pair made by a merge precedes an older, larger one
        counted = {"cab": count, "xy": count}
        assert train_bpe(counted, 1000).merges == ((97, 98), (99, 256), (120, 121))


def check_tokens_encode_to_themselves(result: TrainerResult) -> None:
    """Check that the merges turn the bytes of every mergeable token into its id."""
    merges, mergeable = Merges(result.merges), range(result.mergeable_vocab_size)
    ids = [merges.apply(result.vocab[token_id]) for token_id in mergeable]
    assert ids == [[token_id] for token_id in mergeable]


@given(CORPORA, st.integers(256, 300))
@example(["<|endoftext|>"], 1000)
@example(["ab\n" * 100], 280)
@example(["aaaa", "ab ab"], 256)
def test_any_text_trains_as_in_the_oracle(documents: list[str], vocab_size: int) -> None:
    """FR-6, FR-7, FR-8, FR-9, FR-10, FR-13, FR-14, FR-15, FR-37: merges are those of recounts.

    Each recount counts the pairs inside chunks only. Each token encodes to itself.
    """
    result = train_bpe(documents, vocab_size)
    merges = oracle.train(documents, vocab_size)
    assert list(result.merges) == merges
    assert {type(part) for pair in result.merges for part in pair} <= {int}
    assert result.vocab == oracle.vocabulary(merges)
    assert {type(token) for token in result.vocab.values()} == {bytes}
    assert result.special_tokens == {"<|endoftext|>": 256 + len(merges)}
    assert result.mergeable_vocab_size == 256 + len(merges)
    check_tokens_encode_to_themselves(result)


@pytest.mark.parametrize("length", range(10))
def test_every_short_word_trains_as_in_the_oracle(length: int) -> None:
    """FR-10: on words of two letters, and runs of one, merges are those of a full recount."""
    words = ["".join(letters) for letters in product("ab", repeat=length)]
    words += ["a" * size for size in (length + 28, 1 << length, (1 << length) + 1)]
    learned = {word: list(train_bpe(word, 1000).merges) for word in words}
    assert learned == {word: oracle.train([word], 1000) for word in words}


def test_vocab_size_below_256_raises() -> None:
    """FR-9: fewer tokens than bytes are a `ValueError`, what is no integer is a `TypeError`."""
    for vocab_size, found in (
        *((255, "255"), (1, "1"), (0, "0"), (-1, "-1"), (1 - 10**60, "-" + "9" * 60)),
        *((-(10**60), "far less"), (-1 << 20_000, "far less")),
    ):
        message = f"vocab_size must be at least 256 (one for each byte), got {found}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            train_bpe("ab", vocab_size)
    wrong: list[Any] = [300.0, "300", None, [300], True]
    for vocab_size, name in zip(wrong, ["float", "str", "NoneType", "list", "True"], strict=True):
        with pytest.raises(TypeError, match=f"^vocab_size must be an integer, got {name}$"):
            train_bpe("ab", vocab_size)


def test_an_integer_may_have_any_type() -> None:
    """FR-9: an object with `__index__` works like an `int`, as a size and as a count."""
    assert train_bpe("ab ab ab", Number(258)) == train_bpe("ab ab ab", 258)  # type: ignore[arg-type]
    counted = cast("dict[str, int]", {"ab ab": Number(3), "ba": 1})
    assert train_bpe(counted, 300) == train_bpe(["ab ab"] * 3 + ["ba"], 300)


def test_training_stops_when_no_pair_is_left() -> None:
    """FR-11: pairs that occur once are merged too; training ends early for any larger size."""
    corpora: list[str | list[str]] = ["", [], ["", ""], "a b 1 !", "abc"]
    expected = [*[()] * 3, ((32, 33), (32, 49), (32, 98)), ((97, 98), (256, 99))]
    for corpus, merges in zip(corpora, expected, strict=True):
        for size in (1000, 2**20, 2**21, 2**64, 2**20_000):
            result = train_bpe(corpus, size)
            assert (result.merges, result.mergeable_vocab_size) == (merges, 256 + len(merges))


def test_running_out_of_ids_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Running out of pairs ends training early, but running out of ids is an error."""
    # Reaching the real limit would take a corpus of more than a million merges.
    monkeypatch.setattr("bpetite._trainer.MAX_VOCAB_SIZE", 258)
    assert train_bpe("abc", 9999).mergeable_vocab_size == 258
    with pytest.raises(ValueError, match=r"^vocab_size must be at most 258 for this corpus$"):
        train_bpe("abcd", 9999)


def test_training_stops_at_a_savable_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tokenizer of the largest size that the error names can be saved and loaded."""
    limit = 200_000
    for module in ("_schema.canonical", "_artifact", "_trainer"):
        monkeypatch.setattr(f"bpetite.{module}.MAX_FILE_BYTES", limit)
    corpus = growing_tokens(600)
    with pytest.raises(ValueError, match="larger than 200,000 bytes, the maximum") as stop:
        Tokenizer.train(corpus, 30_000)
    (allowed,) = re.findall(
        r"^vocab_size must be at most ([\d,]+) for this corpus", str(stop.value)
    )
    largest = Tokenizer.train(corpus, int(allowed.replace(",", "")))
    largest.save(path := tmp_path / "tokenizer.json")
    assert limit - 10_000 < path.stat().st_size <= limit
    assert Tokenizer.load(path)._artifact.merges == list(largest._artifact.merges)
    monkeypatch.setattr("bpetite._schema.canonical.MAX_FILE_BYTES", limit * 2)
    next_larger = Tokenizer.train(corpus, int(allowed.replace(",", "")) + 1)
    assert len(next_larger._artifact.to_bytes()) > limit


def growing_tokens(letters: int) -> str:
    """Return a corpus whose merges each lengthen one token, until it has all letters.

    Each letter occurs three times by itself, so that it becomes a token; the chunk of all
    letters has them in descending order, so that the smallest pair is always at its end.
    """
    alphabet = [chr(0x4E00 + number) for number in range(letters)]
    return "".join(f"{letter}\n" * 3 for letter in alphabet) + "".join(reversed(alphabet))


def test_long_chunk_trains(run_python: Callable[..., str]) -> None:
    """A chunk of a million letters trains in seconds: the work is not quadratic."""
    program = """
        from bpetite import Tokenizer
        print(Tokenizer.train("a" * (17 << 16), vocab_size=1000))
    """
    assert run_python(program) == f"<bpetite.Tokenizer with {256 + 16 + 5} mergeable tokens>\n"


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


def test_corpus_is_read_once_and_lazily() -> None:
    """An iterable yields each document once, after the previous one was processed."""
    served: list[int] = []

    def documents() -> Iterator[str]:
        for number in range(3):
            served.append(number)
            yield "ab"

    assert train_bpe(documents(), 1000).merges == ((97, 98),)
    assert served == [0, 1, 2]


@pytest.mark.thorough
def test_ids_beyond_the_surrogates_train_and_encode() -> None:
    """Ids equal to surrogate code points, and higher ones, are ids like any other."""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
    words = ["".join(letters) for letters in product(alphabet, repeat=3)]
    result = train_bpe(words, 100_000)
    assert result.mergeable_vocab_size > 0xE000
    assert {word.encode("utf-8") for word in words} <= set(result.vocab.values())
    check_tokens_encode_to_themselves(result)


def test_bytes_are_rejected() -> None:
    """FR-37: bytes of any type, and other corpora and documents that are not text, are errors."""
    rule = "corpus must be str, an iterable of str, or a mapping .* int, got"
    wrong: list[tuple[Any, str]] = [
        *((b"ab", f"{rule} bytes"), (bytearray(b"ab"), f"{rule} bytearray"), (1, f"{rule} int")),
        *((memoryview(b"ab"), f"{rule} memoryview"), (None, f"{rule} NoneType")),
        *((1.5, f"{rule} float"), (True, f"{rule} bool")),
        ([b"ab"], "documents must be str, got bytes at position 0"),
        (["ab", None], "documents must be str, got NoneType at position 1"),
        (["ab", "ab", ["ab"]], "documents must be str, got list at position 2"),
        ([1], "documents must be str, got int at position 0"),
        (Path("a.txt"), f"{rule} {type(Path()).__name__}"),
        ([Path("a.txt")], f"documents must be str, got {type(Path()).__name__} at position 0"),
    ]
    for corpus, message in wrong:
        with pytest.raises(TypeError, match=rf"^{message}; the text of a file is open\(.*\)$"):
            train_bpe(corpus, 300)


def test_invalid_counts_are_rejected() -> None:
    """A count must be an integer of at least 1; the message has the ends of the document."""
    long = "abcdefghij" * 99, r"abcdefghijabcdefg\.\.\.cdefghijabcdefghij"
    wrong: list[tuple[Any, str]] = [
        *((0, "0"), (-1, "-1"), (1 - 10**30, "-" + "9" * 30), (-(10**30), "far less")),
        *((-(10**99), "far less"), (True, "bool"), (1.0, "float"), ("1", "str")),
        (None, "NoneType"),
    ]
    for (count, found), (document, shown) in product(wrong, [("ab", "ab"), long]):
        error, rule = (ValueError, "at least 1") if type(count) is int else (TypeError, "integers")
        message = f"^counts must be {rule}, got {found} for the document '{shown}'$"
        with pytest.raises(error, match=message):
            train_bpe({"ba": 1, document: count}, 300)


def test_lone_surrogate_in_a_document_raises() -> None:
    """A lone surrogate raises `UnicodeEncodeError` with its index in the document."""
    for text, start in ("\ud800", 0), ("ab \udfff", 3), ("é" * 9 + "\ud83d\ude00", 9):
        with pytest.raises(UnicodeEncodeError, match=f"position {start}") as caught:
            train_bpe(["ab", text], 300)
        assert caught.value.start == start


@given(rows=st.lists(st.tuples(TEXTS, st.integers(1, 5))), data=st.data())
def test_parts_add_up_to_the_whole(rows: list[tuple[str, int]], data: st.DataObject) -> None:
    """However documents are divided and ordered, the chunks have the same counts."""
    documents = [text for text, count in rows for _ in range(count)]
    size = data.draw(st.integers(1, 9))
    cut = [(block, count) for text, count in rows for block in blocks(text, size)]
    shuffled = data.draw(st.permutations(cut))
    step = data.draw(st.integers(1, 4))
    batches = [shuffled[start : start + step] for start in range(0, len(cut), step)]
    counting = [PartCounter(GPT2), PartCounter(GPT2), PartCounter(GPT2)]
    with pytest.MonkeyPatch.context() as patch:
        most = data.draw(st.integers(1, 9))
        patch.setattr(_corpus, "_MOST_PIECES", most)
        parts = [data.draw(st.sampled_from(counting)).count(batch) for batch in batches]
    assert all(len(each._pieces) <= most for each in counting)
    assert sum(part.characters for part in parts) == sum(map(len, documents))
    assert sum(part.documents for part in parts) == sum(count for _, count in cut)
    parts += [each.flush() for each in counting]
    assert add_up(parts) == add_up(count_corpus(documents, GPT2))
    assert [each.flush() for each in counting] == [Part()] * 3


def test_too_many_pieces_are_split_at_once() -> None:
    """2^18 distinct pieces are split at the end; one more, and all are split at once."""
    text = " ".join(map(str, range(1 << 18)))
    few, many = PartCounter(GPT2), PartCounter(GPT2)
    assert few.count([(text, 1)]) == Part(1, len(text))
    assert len(few.flush().chunks) == 1 << 18
    assert len(many.count([(f"{text} more", 1)]).chunks) == (1 << 18) + 1


def test_only_the_sum_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts emit no record; adding them emits those of the whole."""
    monkeypatch.setattr(_corpus, "_CHARACTERS_PER_RECORD", 10)
    caplog.set_level(logging.INFO, "bpetite")
    counting = PartCounter(GPT2)
    batches = [[("a" * 9, 1)], [("b", 1), ("c", 2)], [("d", 6)]]
    parts = [*map(counting.count, batches), counting.flush()]
    assert caplog.records == []
    add_up(parts)
    figures = [vars(record) for record in caplog.records]
    assert [(each["event"], each["documents"], each["characters"]) for each in figures] == [
        ("count", 4, 12),
        ("counted", 10, 18),
    ]
    assert figures[-1]["distinct_chunks"] == 4


@pytest.mark.parametrize("enabled", [True, False])
def test_collector_state_is_restored(
    request: pytest.FixtureRequest, tmp_path: Path, *, enabled: bool
) -> None:
    """Training and loading, even if they fail, leave the collector as it was, even meanwhile."""
    if not enabled:
        request.getfixturevalue("uncollected")
    seen = []

    def documents() -> Iterator[str]:
        seen.append(gc.isenabled())
        yield "ab"
        seen.append(gc.isenabled())

    Tokenizer.train(documents(), 258).save(tmp_path / "tokenizer.json")
    assert seen == [enabled] * 2
    Tokenizer.load(tmp_path / "tokenizer.json")
    assert gc.isenabled() == enabled
    (tmp_path / "broken.json").write_bytes(b"{}")
    with pytest.raises(KeyError):
        Tokenizer.load(tmp_path / "broken.json")
    assert gc.isenabled() == enabled


def test_collector_is_paused() -> None:
    """Inside, the collector is off, and stays off after a nested use ends."""
    with garbage_collector_paused():
        assert not gc.isenabled()
        with garbage_collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
