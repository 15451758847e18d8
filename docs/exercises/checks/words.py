"""Build messages for the learner."""

import textwrap
from typing import Final

_WIDTH: Final = 90


class WrongError(Exception):
    """The first mistake, explained in paragraphs."""

    def __str__(self) -> str:
        return "\n\n".join(filter(None, self.args))


class NotStartedError(WrongError):
    """Nothing has been written yet."""


def paragraph(words: str) -> str:
    """Wrap words to a readable width."""
    return textwrap.fill(words, _WIDTH, break_long_words=False, break_on_hyphens=False)


def token_text(token: bytes | str) -> str:
    r"""Return a token as quoted text, with · for a space. Incomplete characters stay bytes.

    >>> token_text(b" the"), token_text(b"\xc3")
    ('"·the"', "b'\\xc3'")
    """
    if isinstance(token, bytes):
        try:
            token = token.decode("utf-8")
        except UnicodeDecodeError:
            return repr(token)
    shown = token.replace(" ", "·").replace("\n", "⏎").replace("\t", "⇥")
    return f'"{shown}"'
