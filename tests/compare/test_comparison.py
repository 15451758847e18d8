"""`compare` and `parity`: texts tokenized twice, and what counts as a difference."""

from collections.abc import Callable
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import compare, parity, to_tiktoken
from compare_tools import (
    CORPUS,
    CROSSING,
    FOR_TRAINING,
    HOSTILE,
    SPLIT_PATTERNS,
    damage_tiktoken,
    write_tokenizer,
)
from nasty import NINE, alike, drift, nasty_texts, saved, trained
from texts import every_character

AB = ((256, b"ab"), (97, b"a"))
"""The tokens where bpetite and a damaged tiktoken differ in "abc"."""


@pytest.fixture
def crossing(tmp_path: Path) -> Path:
    """Return a tokenizer file with merges of "ab" and "bc"."""
    return write_tokenizer(tmp_path / "crossing.json", CROSSING)


def write(folder: Path, text: str, name: str = "text") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_a_real_difference_is_found(crossing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tiktoken has another token, its place and both tokens are reported."""
    damage_tiktoken(monkeypatch)
    found = compare(crossing, "a é abc", "self").difference
    assert found is not None
    assert (found.token, found.byte, found.character) == (5, 5, 4)
    assert (found.ours, found.theirs) == AB


def test_the_first_difference_is_reported(crossing: Path, register: Callable[..., None]) -> None:
    """All tokens before it are equal in bytes, those at it are not; ids do not matter."""
    register("swapped", b"bc", b"ab")

    @given(st.text("abcé ", max_size=12))
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
    """A lone surrogate is an error with its index; tiktoken alone would replace it."""
    with pytest.raises(UnicodeEncodeError) as caught:
        compare(small_model, "ab\ud800", "self")
    assert caught.value.start == 2
    assert to_tiktoken(small_model).encode("\ud800") == to_tiktoken(small_model).encode("\ufffd")


@pytest.mark.thorough
def test_tiktoken_failures_are_reported(small_model: Path) -> None:
    """A million spaces are too much for tiktoken's engine; the error says so."""
    with pytest.raises(ValueError, match="tiktoken failed on this text"):
        compare(small_model, " " * 1_200_000 + "x", "self")


# Whole files


def test_files_are_equal_wherever_their_blocks_end(small_model: Path, tmp_path: Path) -> None:
    """Files of hostile text have the same ids in tiktoken; a megabyte is read at once."""
    filler = "the cat " * (1 << 17)
    texts = [*(filler[: 2 - size] + "a \n\r\n é日本 ⛵\n" for size in range(8)), *HOSTILE]
    paths = [write(tmp_path, text, str(place)) for place, text in enumerate(texts)]
    result = parity(small_model, paths)
    assert result.difference is None
    assert (result.files, result.bytes) == (len(texts), sum(len(text.encode()) for text in texts))
    assert result.characters == sum(map(len, texts))
    tokenizer = Tokenizer.load(small_model)
    assert result.tokens == sum(len(tokenizer.encode(text)) for text in texts)


def test_a_real_difference_is_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first real difference has its file, byte, line, context and both tokens.

    Neither a character that the engines classify differently hides it, nor a special token.
    """
    damage_tiktoken(monkeypatch)
    special = {"<s>": 258, "1!x": 259}
    model = write_tokenizer(tmp_path / "m.json", CROSSING, special=special, pattern="gpt4")
    good = write(tmp_path, "ab bc é\n", "good")
    new = min(drift("gpt4"))
    for begin in (f"é ab\nab <s>xab\u00e9{new}1!x", "é ab\n" * 200_000 + "x"):
        bad = write(tmp_path, f"{begin}abc abc\n ab abc", "bad")
        result = parity(model, [good, bad])
        found = result.difference
        assert found is not None
        assert (found.path, found.byte) == (str(bad), len(begin.encode()))
        assert found.line == begin.count("\n") + 1
        assert (found.ours, found.theirs) == AB
        assert begin.endswith(found.before)
        assert found.after.startswith("abc")
        assert "abc abc\n ab abc".startswith(found.after)
        assert result.files == 2


@pytest.mark.parametrize("name", ["gpt2", "gpt4", "gpt4o"])
def test_parity_needs_no_option(name: str, tmp_path: Path) -> None:
    """Files and texts are equal, but for characters that the engines classify differently."""
    model, tokenizer = saved(name, tmp_path), trained(name, *NINE)
    found = compare(model, "".join(alike(name, 300)), "self")
    assert (found.difference, found.engine_characters) == (None, frozenset())
    special = {tokenizer.encode(special)[0] for special in NINE}
    assert special <= {*found.ours.ids}
    path = write(tmp_path, text := "\n".join(nasty_texts(1000)))
    result = parity(model, [path])
    assert result.difference is None
    assert result.engine_characters.keys() == drift(name) & {*text}
    assert result.tokens == len(tokenizer.encode(text))
    assert result.engine_differences > 0


@pytest.mark.parametrize(
    ("data", "place"),
    [
        pytest.param(b"\xff", "0xff at offset 0", id="the first byte"),
        pytest.param(b"abc \xe9t\xe9", "0xe9 at offset 4", id="two bytes"),
        pytest.param("日本".encode() + b"\xe6\x97", "0xe6 at offset 6", id="cut off"),
        pytest.param(b"a \xed\xa0\x80", "0xed at offset 2", id="a surrogate"),
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
