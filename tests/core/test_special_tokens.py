"""Special tokens of the user's own: which texts they may have, and how they are found."""

import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite._boundaries import cut_safely
from bpetite._patterns import PATTERNS
from bpetite._special_tokens import SpecialTokens, checked_special_tokens
from texts import TEXTS

NAMES = st.lists(
    st.text("<|ab1_>'\u00e9 ", min_size=1, max_size=5).map(lambda name: f"<{name}1>"), max_size=6
)


def rule_of(names: list[str]) -> str | None:
    """Return which rule some names break, or None; slow and obvious."""
    for name in names:
        if not 1 <= len(name) <= 256:
            return "characters"
        if any(character in " \t\n\v\f\r\x85\xa0\u3000" for character in name):
            return "whitespace"
        if not re.search(r"[A-Za-z0-9][!-&(-/:-@\[-`{-~]", name):
            return "directly before"
    pairs = [(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if i != j]
    if any(a == b for a, b in pairs):
        return "twice"
    return "begins with" if any(b.startswith(a) for a, b in pairs) else None


@given(NAMES)
def test_names_are_checked_as_by_hand(names: list[str]) -> None:
    """A list is accepted, or the error names a rule that it breaks, and a name that works."""
    rule = rule_of(names)
    if rule is None:
        assert checked_special_tokens(names) == tuple(names)
        return
    with pytest.raises(ValueError, match="special token") as caught:
        checked_special_tokens(names)
    if better := re.search(r"; ('.*') would work$", str(caught.value)):
        others = [name for name in {*names} if rule_of([name]) is None]
        for other in others:
            assert rule_of([better[1][1:-1], other]) is None


def test_a_refused_name_has_its_rule_and_a_way_out() -> None:
    """The error names the text, the rule that it breaks, and a text that would work."""
    rule, before = "a special token has", "ASCII letter or digit directly before ASCII punctuation"
    for names, message in (
        ([""], f"special token '': {rule} at least one character; '<|special|>'"),
        (["<a b>"], f"special token '<a b>': {rule} no whitespace; '<|a_b|>' would"),
        *((["<s>" * 99], "has at most 256 characters; "), (["<a\u2028>"], "no whitespace")),
        *((["<a\ud800>"], "no lone surrogate"), (["it's"], "directly before ASCII punctuation")),
        (["hello"], f"{before}, apostrophes aside; "),
        (["a", "<|a|"], "special token 'a': a special token has an ASCII letter or digit directly"),
        (["a", "<|a|"], "; '<|special1|>' would work"),
        (["<a>", "<a>"], "special token '<a>' is given twice; remove one"),
        (["<a>", "<a>b>"], "'<a>b>': it begins with the special token '<a>'; '<|a_b|>' would work"),
        ([f"<{n}>" for n in range(4097)], "special_tokens: at most 4,096, got 4,097"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            Tokenizer.train("ab", 256, special_tokens=names)


def test_a_wrong_type_is_refused() -> None:
    """A `str` alone is no sequence of names."""
    wrong: list[Any] = ["<a>", b"<a>", 7, [b"<a>"], [7], {"<a>"}, iter(["<a>"])]
    for names in wrong:
        with pytest.raises(TypeError, match=r"^special.tokens must be "):
            Tokenizer.train("ab", 256, special_tokens=names)


def cut_slowly(text: str, names: list[str]) -> list[str]:
    """Find the leftmost name, again and again."""
    parts = [""]
    while text:
        found = next((name for name in names if text.startswith(name)), "")
        if found:
            parts += [found, ""]
        else:
            parts[-1] += text[0]
        text = text[len(found) or 1 :]
    return parts


@pytest.mark.parametrize("number", [0, 1, 2, 9, 300, 4096])
def test_names_are_found_as_by_a_slow_search(number: int) -> None:
    """Whatever the names share, and however many they are, the leftmost one is found."""
    source = Random(number)
    names: set[str] = set()
    while len(names) < number:
        names.add("<" + "".join(source.choices("|ab", k=source.randrange(9))) + f"{len(names)}>")
    cutter = SpecialTokens({name: 256 + place for place, name in enumerate(sorted(names))})
    for _ in range(30):
        text = "".join([*source.choices([*sorted(names)[:40], "<", "|", "a", "1>", "\n"], k=12)])
        assert cutter.cut(text) == cut_slowly(text, sorted(names))


@given(NAMES.filter(lambda names: rule_of(names) is None), TEXTS, st.sampled_from([*PATTERNS]))
def test_no_block_ends_inside_a_special_token(names: list[str], text: str, pattern: str) -> None:
    """Cut at every safe boundary, a text with special tokens has the same ids."""
    whole = text.join(["", *names, "\n", *names, " ", *names, ""])
    tokenizer = Tokenizer.train(text, 270, pattern=pattern, special_tokens=names)
    blocks = cut_safely([*whole])
    assert [token_id for block in blocks for token_id in tokenizer.encode(block)] == (
        tokenizer.encode(whole)
    )
