"""Special tokens of the user's own: which texts they may have, and how they are found."""

import re
from itertools import chain, pairwise, product
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import content_of, loaded, with_whitespace
from bpetite import Tokenizer
from bpetite._boundaries import blocks, cut_safely
from texts import TEXTS

NAMES = st.lists(
    st.text("<|ab1_>'\u00e9 ", min_size=1, max_size=5).map(lambda name: f"<{name}1>"), max_size=6
)


def with_names(names: Any) -> Tokenizer:  # noqa: ANN401 - some are wrong
    """Return a tokenizer without merges that has these special tokens."""
    return Tokenizer.train("", 256, special_tokens=names)


def breaks_a_rule(names: list[str]) -> bool:
    """Return whether some names break a rule; slow and obvious."""
    for name in names:
        if any(character in " \t\n\v\f\r\x85\xa0\u3000" for character in name):
            return True
        if not re.search(r"[A-Za-z0-9][!-&(-/:-@\[-`{-~]", name) or len(name) > 256:
            return True
    pairs = [(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if i != j]
    return any(b.startswith(a) for a, b in pairs)


@given(NAMES)
def test_names_are_checked_as_by_hand(names: list[str]) -> None:
    """A list is accepted, or the error names a rule that it breaks, and a name that works."""
    if not breaks_a_rule(names):
        ids = {name: token_id for token_id, name in enumerate(names, 256)}
        assert content_of(with_names(names))["special_tokens"] == ids
        return
    with pytest.raises(ValueError, match="special token") as caught:
        with_names(names)
    if better := re.search(r"; ('.*') would work$", str(caught.value)):
        others = [name for name in {*names} if not breaks_a_rule([name])]
        assert not any(breaks_a_rule([better[1][1:-1], other]) for other in others)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        pytest.param(
            [""], "'': a special token has at least one character; '<|special|>'", id="empty"
        ),
        pytest.param(
            ["<a b>"],
            "'<a b>': a special token has no whitespace, where long texts are cut; '<|a",
            id="space",
        ),
        pytest.param(["<a\u2028>"], "has no whitespace", id="line separator"),
        pytest.param(["<s>" * 99], "has at most 256 characters; ", id="long"),
        pytest.param(["<a\ud800>"], "has no lone surrogate", id="surrogate"),
        pytest.param(
            ["it's"],
            "has an ASCII letter or digit directly before ASCII punctuation, apostrophes aside, ",
            id="apostrophe",
        ),
        pytest.param(["a", "<|a|"], "; '<|special1|>' would work", id="taken"),
        pytest.param(["<a>", "<a>"], "'<a>' is given twice; remove one", id="twice"),
        pytest.param(
            ["<a>", "<a>b>"],
            "'<a>b>': it begins with the special token '<a>'; '<|a_b|>' would work",
            id="the beginning of another",
        ),
    ],
)
def test_a_refused_name_has_its_rule_and_a_way_out(names: list[str], message: str) -> None:
    """The error names the text, the rule that it breaks, and a text that would work."""
    with pytest.raises(ValueError, match=f"^special token .*{re.escape(message)}"):
        with_names(names)


def test_names_are_limited() -> None:
    """A tokenizer has at most 4,096 special tokens."""
    with pytest.raises(ValueError, match=r"^special_tokens: at most 4,096, got 4,097$"):
        with_names([f"<{number}>" for number in range(4097)])


NO_NAMES = {
    "text": "<a>",
    "list of bytes": [b"<a>"],
    "set": {"<a>"},
    "iterator": iter(["<a>"]),
}


@pytest.mark.parametrize("names", NO_NAMES.values(), ids=NO_NAMES)
def test_a_wrong_type_is_refused(names: object) -> None:
    """A `str` alone is no sequence of names."""
    with pytest.raises(TypeError, match=r"^special.tokens must be "):
        with_names(names)


@pytest.mark.parametrize("number", [0, 9, 4096])
def test_names_are_found_as_by_a_slow_search(number: int) -> None:
    """Whatever the names share, and however many they are, the leftmost one is found."""
    source = Random(number)
    names: set[str] = set()
    while len(names) < number:
        middle = "".join(source.choices("|ab", k=source.randrange(9)))
        names.add(f"<{middle}{len(names)}>")
    tokenizer = with_names(sorted(names))
    parts = [*sorted(names)[:40], "<", "|", "a", "1>", "\n"]
    for _ in range(30):
        text = "".join(source.choices(parts, k=12))
        assert tokenizer.encode(text) == oracle.encode(text, [], special_tokens=sorted(names))


@given(
    NAMES.filter(lambda names: not breaks_a_rule(names)),
    TEXTS,
    st.sampled_from([*oracle.PATTERNS]),
)
def test_no_block_ends_inside_a_special_token(names: list[str], text: str, pattern: str) -> None:
    """Cut at every safe boundary, a text with special tokens has the same ids."""
    whole = text.join(["", *names, "\n", *names, " ", *names, ""])
    tokenizer = Tokenizer.train(text, 270, pattern=pattern, special_tokens=names)
    blocks = cut_safely([*whole])
    assert [token_id for block in blocks for token_id in tokenizer.encode(block)] == (
        tokenizer.encode(whole)
    )


# Whitespace alone, which only imports have

ALL_WHITESPACE = "".join(filter(re.compile(r"[^\S\x1c-\x1f]").match, map(chr, range(0x3100))))


@pytest.mark.parametrize("longest", [3, 9, 256])
def test_the_longest_whitespace_is_found_as_by_a_slow_search(longest: int) -> None:
    """Wherever names of whitespace begin or end alike, the leftmost is found, then the longest."""
    source = Random(longest)
    for _ in range(20):
        sizes = (source.randrange(1, longest + 1) for _ in range(40))
        names = [*{"".join(source.choices(" \t", k=size)) for size in sizes}, "<1>"]
        tokenizer, parts = loaded(with_whitespace(names)), [*names, " ", "\t", "\n", "a"]
        for _ in range(10):
            text = "".join(source.choices(parts, k=12))
            assert tokenizer.encode(text) == oracle.encode(text, [], special_tokens=names)


def test_thousands_of_names_are_found_in_whitespace_soon() -> None:
    """4,096 names of up to 256 spaces and tabs take microseconds at each place, whatever fits."""
    long = [" " * size + end for size in range(1, 256) for end in "\t\n\r\v\f\x85\xa0\u2028"]
    names = [
        *(" " * size for size in range(250, 257)),
        *long,
        *(f"\t{name[:200]}\t" for name in long),
    ]
    tokenizer = loaded(with_whitespace([*dict.fromkeys(names)][:4096]))
    before = process_time()
    assert tokenizer.encode(" " * 256_000) == [tokenizer.special_tokens[" " * 256]] * 1000
    assert tokenizer.encode(f"{' ' * 249}x" * 1000) == [*b" " * 249, *b"x"] * 1000
    assert process_time() - before < 30  # about 2 s; with one alternative for each name, minutes


def test_no_boundary_is_inside_whitespace() -> None:
    """In all short texts, and next to any whitespace, a block ends beside another character."""
    assert len(ALL_WHITESPACE) == 25
    short = (map("".join, product(" \t\r\n\u2028a/\x1c", repeat=size)) for size in range(7))
    any_two = (
        f"{start}{one}{other}{end}"
        for one, other, start, end in product(
            ALL_WHITESPACE, ALL_WHITESPACE, ("", "a", "/", "\x1c"), ("", "a", "/", "\x1c")
        )
    )
    for text in chain.from_iterable([*short, any_two]):
        for before, after in pairwise(blocks(text, 1)):
            assert before[-1] not in ALL_WHITESPACE or after[0] not in ALL_WHITESPACE, text


CUTTING = [" ", "   ", "\t ", " \t", "\n", "\r\n", "\n\n", "<1>"]


def check_blocks(size: int) -> None:
    """Check that all texts of this size have the ids of their blocks and of their parts."""
    tokenizer = loaded(with_whitespace(CUTTING))
    for letters in product([" ", "\t", "\r", "\n", "a", "/", "<1>"], repeat=size):
        text = "".join(letters)
        expected = oracle.encode(text, [], oracle.PATTERNS["gpt4"], CUTTING)
        for parts in ([text], blocks(text, 1), cut_safely(letters)):
            assert [*chain.from_iterable(map(tokenizer.encode, parts))] == expected, text


@pytest.mark.parametrize("size", range(5))
def test_no_block_ends_inside_special_whitespace(size: int) -> None:
    """Cut at every safe boundary, all short texts have the ids of the oracle for the whole text."""
    check_blocks(size)


@pytest.mark.thorough
def test_no_block_ends_inside_special_whitespace_in_longer_texts() -> None:
    """So have all texts of six characters or names."""
    check_blocks(6)
