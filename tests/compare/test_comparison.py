"""`compare` and `parity`: texts tokenized twice, and what counts as a difference."""

from collections.abc import Callable
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import compare, parity
from compare_tools import CORPUS, CROSSING, FOR_TRAINING, SPLIT_PATTERNS, write_tokenizer
from nasty import drift
from texts import every_character


def test_the_first_difference_is_reported(tmp_path: Path, register: Callable[..., None]) -> None:
    """All tokens before it are equal in bytes, those at it are not; ids do not matter."""
    register("swapped", b"bc", b"ab", b"\xa9a")
    crossing = write_tokenizer(tmp_path / "crossing.json", CROSSING)

    @given(st.text("abcé ", max_size=12))
    @example("éa")  # inside a character
    def check(text: str) -> None:
        both = compare(crossing, text, "swapped")
        ours, theirs = both.ours.tokens, both.theirs.tokens
        if (found := both.difference) is None:
            assert ours == theirs
            return
        assert ours[: found.token] == theirs[: found.token]
        assert ours[found.token] != theirs[found.token]
        assert found.byte == len(before := b"".join(ours[: found.token]))
        assert found.character == len(before.decode(errors="ignore"))

    check()
    assert compare(crossing, "ab bc", "swapped").difference is None


def test_lone_surrogate_is_rejected(small_model: Path) -> None:
    """A lone surrogate is an error with its index."""
    with pytest.raises(UnicodeEncodeError) as caught:
        compare(small_model, "ab\ud800", "self")
    assert caught.value.start == 2


# Whole files


@pytest.mark.parametrize(
    ("data", "place"),
    [
        pytest.param(b"abc \xe9t\xe9", "0xe9 at offset 4", id="two bytes"),
        pytest.param("日本".encode() + b"\xe6\x97", "0xe6 at offset 6", id="cut off"),
        pytest.param(
            b"x" * 1048575 + b"\xe6", "0xe6 at offset 1048575", id="at the end of a block"
        ),
        pytest.param(
            b"x" * 1048575 + b"\xe6a", "0xe6 at offset 1048575", id="on both sides of an end"
        ),
    ],
)
def test_invalid_utf_8_is_located(
    data: bytes, place: str, small_model: Path, tmp_path: Path
) -> None:
    """The error gives a wrong byte's offset in the file, wherever a read ends."""
    path = tmp_path / "text"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"{path} is not UTF-8: byte {place};"):
        parity(small_model, [path])


# Unicode tables


def found_by_tiktoken(name: str, text: str) -> set[str]:
    """Return the characters that tiktoken's engine puts into a class."""
    ranks = {bytes([value]): value for value in range(256)}
    encoding = tiktoken.Encoding("", pat_str=name, mergeable_ranks=ranks, special_tokens={})
    return {*bytes(encoding.encode_ordinary(text)).decode()}


@pytest.mark.parametrize("name", FOR_TRAINING)
def test_a_class_matters_if_the_pattern_names_it(name: str, tmp_path: Path) -> None:
    """With the newest releases, U+0295 is Ll in one engine and Lo in the other."""
    Tokenizer.train("", 256, pattern=name).save(model := tmp_path / "model.json")
    text = f"\u0295{min(drift())}a\x1c {CORPUS}"
    classes = {*regex.findall(r"\\p\{\w+\}|\\s", SPLIT_PATTERNS[name])}
    differing = [{*regex.findall(one, text)} ^ found_by_tiktoken(one, text) for one in classes]
    assert compare(model, text, "self").engine_characters == set[str]().union(*differing)


def test_the_engines_disagree_on_some_characters() -> None:
    """The engines classify thousands of characters differently, but no ASCII and no whitespace."""
    assert 0 < len(drift()) < 0x110000 // 10
    assert not any(character.isascii() or character.isspace() for character in drift())


@pytest.mark.thorough
@pytest.mark.parametrize("name", [r"\p{L}", r"\p{N}"])
def test_differences_are_new_in_unicode(name: str) -> None:
    """`regex` knows every character on which they differ, and tiktoken does not."""
    known = {*regex.findall(name, every_character())}
    assert found_by_tiktoken(name, every_character()) < known
