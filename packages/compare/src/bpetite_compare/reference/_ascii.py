r"""The pattern of cl100k_base for ASCII, as a state machine without regular expressions.

There are seven branches. At each position, the first that matches takes its bytes:

    1 contraction   '(?i:[sdmt]|ll|ve|re)
    2 word          [^\r\n\p{L}\p{N}]?\p{L}+
    3 digits        \p{N}{1,3}
    4 punctuation    ?[^\s\p{L}\p{N}]+[\r\n]*      (a space may precede it)
    5 newlines      \s*[\r\n]
    6 trailing      \s+(?!\S)
    7 whitespace    \s+

Control characters count as punctuation, as in the pattern: `[^\s\p{L}\p{N}]` contains them.
(The prototype takes each of them in a branch of its own, which gives other chunks than the
pattern.)

The pattern inside tiktoken has one more branch, `\s++$` before 5, which takes all whitespace
at the end of a text, including newlines. That changes a chunk but no id: no token of
cl100k_base contains a newline and ends in other whitespace, so nothing is merged where this
machine splits.
"""

from collections.abc import Callable, Iterator
from typing import Final

_CONTRACTIONS: Final = (b"'s", b"'d", b"'m", b"'t", b"'ll", b"'ve", b"'re")
_MOST_DIGITS: Final = 3


def is_letter(value: int) -> bool:
    """Return whether a byte is in [A-Za-z]."""
    return 65 <= value <= 90 or 97 <= value <= 122


def is_digit(value: int) -> bool:
    """Return whether a byte is in [0-9]."""
    return 48 <= value <= 57


def is_space(value: int) -> bool:
    """Return whether a byte is whitespace: a tab, one of four ends of line, or a space."""
    return 9 <= value <= 13 or value == 32


def is_newline(value: int) -> bool:
    r"""Return whether a byte is what the pattern calls a newline: \n or \r."""
    return value in {10, 13}


def is_punctuation(value: int) -> bool:
    """Return whether a byte is none of these, such as a control character."""
    return not (is_letter(value) or is_digit(value) or is_space(value))


def pre_tokenize_ascii(data: bytes) -> list[bytes]:
    r"""Return the chunks of ASCII text.

    Lemma (partition, Lemma 4): the chunks join to the data, and none is empty.

    Raises:
        ValueError: the data is not ASCII.

    >>> pre_tokenize_ascii(b"You'll see 1234  x\n")
    [b'You', b"'ll", b' see', b' ', b'123', b'4', b' ', b' x', b'\n']
    """
    if not data.isascii():
        raise ValueError("pre_tokenize_ascii accepts only ASCII")
    return list(_chunks(data))


def _chunks(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        # A branch returns the end of its match, or `start` if it does not match.
        ends = (branch(data, start) for branch in _BRANCHES)
        end = next(end for end in ends if end > start)
        yield data[start:end]
        start = end


def _run(data: bytes, start: int, belongs: Callable[[int], bool]) -> int:
    """Return where a run of bytes of one class ends."""
    end = start
    while end < len(data) and belongs(data[end]):
        end += 1
    return end


def _contraction(data: bytes, start: int) -> int:
    for contraction in _CONTRACTIONS:
        end = start + len(contraction)
        if data[start:end].lower() == contraction:
            return end
    return start


def _word(data: bytes, start: int) -> int:
    first = data[start]
    may_lead = is_punctuation(first) or (is_space(first) and not is_newline(first))
    letters = start + 1 if may_lead else start
    end = _run(data, letters, is_letter)
    return end if end > letters else start


def _digits(data: bytes, start: int) -> int:
    return min(_run(data, start, is_digit), start + _MOST_DIGITS)


def _punctuation(data: bytes, start: int) -> int:
    marks = start + 1 if data[start] == 32 else start
    end = _run(data, marks, is_punctuation)
    return _run(data, end, is_newline) if end > marks else start


def _newlines(data: bytes, start: int) -> int:
    end = _run(data, start, is_space)
    while end > start and not is_newline(data[end - 1]):
        end -= 1
    return end


def _trailing(data: bytes, start: int) -> int:
    end = _run(data, start, is_space)
    return end if end == len(data) else max(start, end - 1)


def _whitespace(data: bytes, start: int) -> int:
    return _run(data, start, is_space)


_BRANCHES: Final = (_contraction, _word, _digits, _punctuation, _newlines, _trailing, _whitespace)
