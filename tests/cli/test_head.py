"""`bpetite head`: the first tokens of a text."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from artifacts import canonical
from cli_tools import Result, call, pipeline, printed, refusal, shown_in_terminal, tuned
from numbered import ANY, WORDS, Made, plain


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("most", "begin", "told"),
    [
        (0, "", "cut after 0 tokens, 0 bytes"),
        (2, "Hello world", "cut after 2 tokens, 11 bytes"),
        (7, "Hello world, hello words.\n", "nothing was cut: 7 tokens, 26 bytes"),
    ],
)
def test_what_was_cut_is_told(most: int, begin: str, told: str) -> None:
    """Standard output has the text alone; standard error says whether the text goes on."""
    result = call(f"head -m m.json --tokens {most} a.txt")
    assert (result.returncode, result.stdout.decode(), result.told) == (0, begin, [told])
    assert call(f"head -m m.json -n {most} a.txt --quiet").stderr == b""


def test_one_text_is_cut(small: Path) -> None:
    """Several files are refused. On a terminal, the text ends its last line."""
    assert refusal("head -m m.json -n 1 a.txt b.txt", status=2)[0] == (
        "error: argument FILE: expected one file, found 2; run it for each"
    )
    words = ["head", "-m", "m.json", "-n", "1", "--quiet"]
    assert shown_in_terminal([*words, "a.txt"], small) == (0, "Hello\n")
    assert shown_in_terminal([*words, "--text", "\n"], small) == (0, "\n")


@pytest.mark.posix
def test_no_more_is_read_than_needed(small: Path) -> None:
    """A text without an end is cut, and an error after its beginning is not seen."""
    result = pipeline("yes 'Hello world' | bpetite head -m m.json -n 4; true", small)
    assert (result.stdout, result.told) == (
        b"Hello world\nHello",
        ["cut after 4 tokens, 17 bytes"],
    )
    (small / "wrong").write_bytes(b"Hello " * 99_999 + b"\xff")
    assert printed("head -m m.json -n 1 wrong") == b"Hello"
    assert refusal("head -m m.json -n 999999 wrong")[0].startswith("error: wrong is not UTF-8")


TEXTS: Final = st.lists(
    WORDS | st.sampled_from(["<s>", "abba!", "<|endoftext|>", "'ll", "1234", "    ", "船", "\n"])
).map("".join)
LL: Final = "'ll"
"""One chunk, whose first two bytes alone are two chunks."""


@example(plain([], whole=[b"   "]), "    b", 16, "")
@example(plain([(39, 108)]), LL, 16, "")
@example(plain([(98, 0xC3), (97, 256)]), "abé", 16, "")
@given(ANY, TEXTS, st.integers(4, 64), st.sampled_from(["", "--ordinary"]))
def test_the_beginning_is_that_of_the_oracle(made: Made, text: str, block: int, more: str) -> None:
    """It is the text of the first N tokens, unless that has more than N tokens alone."""
    content, merges, whole, names = made
    pattern = content["pretokenizer_pattern"]
    tokens = [bytes(token) for token in content["vocab"].values()]

    def encoded(text: str) -> list[int]:
        return oracle.encode(text, merges, pattern, [] if more else names, whole)

    ids = encoded(text)
    with TemporaryDirectory() as folder, tuned(block=block):
        (Path(folder) / "m.json").write_bytes(canonical(content))
        for most in range(len(ids) + 2):
            first = b"".join(tokens[one] for one in ids[:most])
            words = f"head -m m.json -n {most} {more}"
            result = call(words, stdin=text.encode(), cwd=Path(folder))
            check_begin(result, most, first, text, encoded)


def check_begin(
    result: Result, most: int, first: bytes, text: str, encoded: Callable[[str], list[int]]
) -> None:
    """Check the beginning of a text, of which these are the first tokens, and its figures."""
    begin, longest = result.stdout.decode(), first.decode("utf-8", "ignore")
    assert longest.startswith(begin)
    assert len(encoded(begin)) <= most
    assert begin == longest or len(encoded(longest)) > most
    how = "nothing was cut:" if begin == text else "cut after"
    figures = (len(encoded(begin)), "token"), (len(begin.encode()), "byte")
    told = [f"{number:,} {one}{'s' * (number != 1)}" for number, one in figures]
    assert result.told == [f"{how} {', '.join(told)}"]
