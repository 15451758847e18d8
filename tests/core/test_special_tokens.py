"""Special tokens of the user's own: which texts they may have, and how they are found."""

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import content_of
from bpetite import Tokenizer
from bpetite._boundaries import cut_safely
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
