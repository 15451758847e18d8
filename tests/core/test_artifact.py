"""The artifact as a value: one read, and everything from the bytes of that read."""

import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from artifacts import GOOD, MERGES, PARTS, artifact_with, canonical
from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._patterns import GPT2
from bpetite._schema.canonical import FileSize, of_json
from bpetite._schema.checks import check_content
from bpetite._strict_json import parse_json
from oracle import Pair
from texts import merge_lists

CHAIN = [(97, 98), *((256 + rank, 97) for rank in range(10_000))]
"""Merges that each lengthen the longest token by one letter."""

DOUBLING = [(97, 97), *((256 + rank, 256 + rank) for rank in range(40))]
"""Merges that each double the longest token: the last would have 2 to the power of 41 bytes."""


@given(merge_lists())
def test_the_file_size_is_known_in_advance(merges: list[Pair]) -> None:
    """After each merge, the size is the number of bytes that the file would have."""
    size = FileSize(GPT2, (END_OF_TEXT_TOKEN,))
    for rank, (left, right) in enumerate(merges, 1):
        assert size.add(left, right)
        assert size.bytes == len(Artifact.of_merges(merges[:rank]).to_bytes())


def test_the_size_is_exact_beyond_999_tokens() -> None:
    """The size stays exact when ids grow beyond 999, one special token after the other."""
    for names in ((), (END_OF_TEXT_TOKEN,), ("<a>", "<b>", "<c>")):
        size = FileSize(GPT2, names)
        for rank, (left, right) in enumerate(CHAIN[:800], 1):
            size.add(left, right)
            if rank == 1 or 738 < rank < 748:
                made = Artifact.of_merges(CHAIN[:rank], special_names=names)
                assert size.bytes == len(made.to_bytes())


def test_merges_make_the_tokens() -> None:
    """FR-37: an artifact made of merges equals the one read from their file, in types as well."""
    artifact = Artifact.of_merges(MERGES)
    assert {type(token) for token in artifact.tokens} == {bytes}
    assert artifact.to_bytes() == canonical(GOOD)
    assert (artifact.vocab, artifact.merges, artifact.special_tokens) == PARTS
    assert artifact.pattern is GPT2
    assert Artifact.of_merges([(0, 0)]).tokens[256] == b"\0\0"


def test_a_merge_of_unknown_ids_is_rejected() -> None:
    """A merge joins two ids below its own."""
    for pair in [(97, 256), (256, 97), (97, 300), (300, 97), (-1, 97), (97, -1)]:
        message = rf"^merges\[0\]: expected two ids below 256, found \[{pair[0]}, {pair[1]}\]$"
        with pytest.raises(ValueError, match=message):
            Artifact.of_merges([pair])


def test_merges_beyond_the_maximum_size_are_rejected() -> None:
    """No token is made beyond the size limit, so memory is bounded."""
    for merges in (CHAIN, DOUBLING):
        with pytest.raises(ValueError, match="larger than 67108864 bytes, the maximum"):
            Artifact.of_merges(merges)


@given(merge_lists())
@example([(rank % 256, rank // 256) for rank in range(12_000)])
@example([(0, 0)] * 9_000)
@example([(0, 0), *((256 + rank, 0) for rank in range(300))])
def test_the_file_is_what_json_writes(merges: list[Pair]) -> None:
    """The content is that of `json.dumps`, and the fast reader accepts it, if it has merges.

    Among them are ids of five digits, many short merges, and long tokens.
    """
    data = Artifact.of_merges(merges).to_bytes()
    assert data == canonical(artifact_with(merges))
    assert of_json(data) == (check_content(parse_json(data)) if merges else None)


@given(merge_lists(), st.data())
def test_the_fast_reader_is_for_no_other_bytes(merges: list[Pair], data: st.DataObject) -> None:
    """If a byte is added, removed or changed, the fast reader declines or agrees with the checks.

    It may agree, on other merges: two tokens can have the same bytes.
    """
    good = Artifact.of_merges(merges).to_bytes()
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(start + 1, len(good))))
    middle = data.draw(st.sampled_from([*(bytes([byte]) for byte in b'0179,[]{}-. "ae'), b""]))
    changed = good[:start] + middle + good[end:]
    found = of_json(changed)
    assert found is None or found == check_content(parse_json(changed))


def test_the_fast_reader_declines_too_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The maximum number of tokens also applies to a file that is otherwise valid."""
    monkeypatch.setattr("bpetite._schema.canonical.MAX_VOCAB_SIZE", 257)
    assert of_json(canonical(GOOD)) is None


@pytest.mark.parametrize(
    "merges",
    [
        *("[97,98],[32]", "[97,256]", "[[97,98]", "[097,98]", "[9" + "7" * 5000 + ",98]"),
        *(",".join(["[97,98]"] * 20_000), ",".join(f"[{a},{b}]" for a, b in DOUBLING)),
    ],
    ids=["odd", "later id", "nested", "leading zero", "long number", "too many", "doubling"],
)
def test_the_fast_reader_declines_strange_merges(merges: str) -> None:
    """The fast reader declines merges that no artifact has, before they take much memory."""
    data = canonical(GOOD).replace(b"[97,98],[32,256]", merges.encode("ascii"))
    tracemalloc.start()
    found = of_json(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found is None
    assert peak < 3 * len(data) + 50_000
