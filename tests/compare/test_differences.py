"""The commands' messages: tokens and characters in words, and warnings of the library."""

import logging
from contextlib import redirect_stderr
from io import StringIO

from bpetite_compare.commands._differences import code_points, described


def test_messages_are_short() -> None:
    """At most eight of many characters are named, and a token is shown by its bytes and id."""
    assert code_points("ba") == "U+0061, U+0062"
    assert code_points(map(chr, range(5000))).endswith("U+0007 and 4,992 more")
    assert described((258, b" \xc3")) == "'·‹c3›' (id 258)"
    assert described(None) == "no more tokens"


def test_a_warning_of_the_library_is_shown() -> None:
    """A warning of the logger `bpetite_compare` is one escaped line on standard error."""
    with redirect_stderr(StringIO()) as shown:
        logging.getLogger("bpetite_compare").warning("beware of %s", "\x1b[2J")
    assert shown.getvalue() == "beware of \\x1b[2J\n"
