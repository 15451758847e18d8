"""The oracle itself, compared with examples worked out by hand."""

import pytest

import oracle

WIKIPEDIA_MERGES = [
    (97, 97),  # aa: 4 times (overlaps count)  Z  ZabdZabac
    (97, 98),  # ab: 2 times, as Za: smaller   Y  ZYdZYac
    (256, 257),  # ZY: 2 times                 X  XdXac
    (97, 99),  # all once; ac is the smallest  W  XdXW
    (100, 258),  # dX                          V  XVW
    (258, 260),  # XV                          U  UW
    (261, 259),  # UW, and no pair is left
]


def test_the_classic_example_merges_as_by_hand() -> None:
    """The oracle learns from "aaabdaaabac" the seven merges worked out by hand."""
    assert oracle.train(["aaabdaaabac"], 1000) == WIKIPEDIA_MERGES


@pytest.mark.parametrize(
    ("documents", "vocab_size", "merges"),
    [
        ([], 300, []),
        ([""], 300, []),
        (["a b c"], 300, [(32, 98), (32, 99)]),
        (["ab ab ab"], 256, []),
        (["ab ab ab"], 258, [(97, 98), (32, 256)]),
        (["aaaa"], 300, [(97, 97), (256, 256)]),
        (["aaaaa"], 300, [(97, 97), (256, 97), (256, 257)]),
        (["ba", "ab"], 300, [(97, 98), (98, 97)]),
        (["é"], 300, [(0xC3, 0xA9)]),
    ],
)
def test_small_corpora_merge_as_by_hand(
    documents: list[str], vocab_size: int, merges: list[tuple[int, int]]
) -> None:
    """The oracle learns from each small corpus the merges worked out by hand."""
    assert oracle.train(documents, vocab_size) == merges


@pytest.mark.parametrize(
    ("ids", "result"),
    [
        ([], []),
        ([97], [97]),
        ([97, 97, 97], [256, 97]),
        ([97, 97, 97, 97], [256, 256]),
        ([98, 97, 97, 98], [98, 256, 98]),
    ],
)
def test_one_pass_replaces_from_the_left(ids: list[int], result: list[int]) -> None:
    """A pass takes the leftmost of overlapping pairs and continues after it."""
    assert oracle.one_pass(ids, (97, 97), 256) == result


def test_text_encodes_and_decodes_as_by_hand() -> None:
    """The oracle takes out the special token, merges by rank, and decodes to the same text."""
    merges = [(97, 98), (32, 256)]
    assert oracle.encode("ab<|endoftext|> ab<|endo", merges) == [
        *(256, 258, 257),
        *b"<|endo",
    ]
    assert oracle.decode([256, 258, 257], merges) == "ab<|endoftext|> ab"
