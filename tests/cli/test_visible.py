"""Tokens in visible characters."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bpetite_cli.terminal.visible import visible


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
        ("\u1160", "‹U+1160›"),
        ("\u11ff\ud7b0", "◌\u11ff\ud7b0"),
        ("❤\ufe0f", "❤‹U+FE0F›"),
        (b"\x80" * 5000, "‹80›" * 5000),
    ],
)
def test_a_token_is_shown(token: bytes | str, shown: str) -> None:
    """Whitespace becomes signs, incomplete characters bytes, the invisible its code point."""
    assert visible(token) == shown


@given(st.binary() | st.text(st.characters(codec="utf-8")))
def test_shown_tokens_are_printable(token: bytes | str) -> None:
    """Nothing that is shown moves the cursor or is invisible."""
    shown = visible(token)
    assert shown.isprintable()
    assert " " not in shown
    assert not regex.search(r"\p{Default_Ignorable_Code_Point}", shown)
