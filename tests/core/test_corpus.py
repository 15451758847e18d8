"""A corpus counted in parts, for training that shares the counting among processes."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite import _corpus
from bpetite._boundaries import blocks
from bpetite._corpus import Part, PartCounter, add_up, count_corpus
from bpetite._patterns import GPT2
from texts import TEXTS


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
        parts = [data.draw(st.sampled_from(counting))(batch) for batch in batches]
    assert all(len(each._pieces) <= most for each in counting)
    assert sum(part.characters for part in parts) == sum(map(len, documents))
    assert sum(part.documents for part in parts) == sum(count for _, count in cut)
    parts += [each([]) for each in counting]
    assert add_up(parts) == add_up(count_corpus(documents, GPT2))
    assert [each([]) for each in counting] == [Part()] * 3


def test_too_many_pieces_are_split_at_once() -> None:
    """2^18 distinct pieces are split with the last call; one more, and all are split at once."""
    text = " ".join(map(str, range(1 << 18)))
    few, many = PartCounter(GPT2), PartCounter(GPT2)
    assert few([(text, 1)]) == Part(1, len(text))
    assert len(few([]).chunks) == 1 << 18
    assert len(many([(f"{text} more", 1)]).chunks) == (1 << 18) + 1


def test_only_the_sum_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts emit no record; adding them emits those of the whole."""
    monkeypatch.setattr(_corpus, "_CHARACTERS_PER_RECORD", 10)
    caplog.set_level(logging.INFO, "bpetite")
    counting = PartCounter(GPT2)
    batches = [[("a" * 9, 1)], [("b", 1), ("c", 2)], [("d", 6)], []]
    parts = [counting(batch) for batch in batches]
    assert caplog.records == []
    add_up(parts)
    figures = [vars(record) for record in caplog.records]
    assert [(each["event"], each["documents"], each["characters"]) for each in figures] == [
        ("count", 4, 12),
        ("counted", 10, 18),
    ]
    assert figures[-1]["distinct_chunks"] == 4
