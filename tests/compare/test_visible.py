"""Tokens as a person sees them."""

import logging
from contextlib import redirect_stderr
from io import StringIO

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bpetite_compare._terminal import code_points, described
from bpetite_compare._visible import visible


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b" the", "·the"),
        (b"\n\r\t", "⏎␍⇥"),
        (b"\xe2\x82", "‹e282›"),
        (b"a\xc3b\xff", "a‹c3›b‹ff›"),
        ("日本\u00a0é".encode(), "日本‹U+00A0›é"),
        (b"\x1b[31m\x00", "‹U+001B›[31m‹U+0000›"),
        ("\u202e\u200b\U000e0001", "‹U+202E›‹U+200B›‹U+E0001›"),
        (b"", ""),
        ("\u0301e\u0301", "◌\u0301e\u0301"),
        ("\u3164\u2800\u034f", "‹U+3164›‹U+2800›‹U+034F›"),
        ("\U0001d159\U00016fe4\U00013441", "‹U+1D159›‹U+16FE4›‹U+13441›"),
        ("\U0001f3fb", "◌\U0001f3fb"),
        ("\u1161", "◌\u1161"),
        ("❤\ufe0f", "❤‹U+FE0F›"),
        (b"\x80" * 5000, "‹80›" * 5000),
    ],
)
def test_a_token_is_shown(token: bytes | str, shown: str) -> None:
    """Whitespace has its signs, parts of characters their bytes, the invisible its code point."""
    assert visible(token) == shown


@given(st.binary() | st.text(st.characters(codec="utf-8")))
def test_whatever_is_shown_can_be_printed(token: bytes | str) -> None:
    """Nothing that is shown moves the cursor or cannot be seen."""
    shown = visible(token)
    assert shown.isprintable()
    assert " " not in shown
    assert not regex.search(r"\p{Default_Ignorable_Code_Point}", shown)


def test_messages_are_short() -> None:
    """Of many characters eight are named, and of a token its bytes and its id."""
    assert code_points("ba") == "U+0061, U+0062"
    assert code_points(map(chr, range(5000))).endswith("U+0007 and 4,992 more")
    assert described((258, b" \xc3")) == "'·‹c3›' (id 258)"
    assert described(None) == "no more tokens"


def test_a_warning_of_the_library_is_shown() -> None:
    """What the logger `bpetite_compare` warns of is one line on standard error, escaped."""
    with redirect_stderr(StringIO()) as shown:
        logging.getLogger("bpetite_compare").warning("beware of %s", "\x1b[2J")
    assert shown.getvalue() == "beware of \\x1b[2J\n"
