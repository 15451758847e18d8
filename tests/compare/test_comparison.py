"""`compare`, `parity` and `to_tiktoken`: texts tokenized twice, and what counts as a difference."""

import logging
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from artifacts import write_artifact
from bpetite import Tokenizer, _boundaries
from bpetite._boundaries import cut_safely
from bpetite_compare import Tokenization, _text, compare, parity, to_tiktoken
from bpetite_compare._comparison import first_difference
from bpetite_compare._engines import _found_by_regex, _found_by_tiktoken, drift
from bpetite_compare._text import blocks
from bpetite_compare.commands._differences import code_points, described
from compare_tools import CORPUS, CROSSING, HOSTILE, PATTERNS, UNREACHABLE, damage_tiktoken
from texts import every_character


def test_the_encoding_matches_the_artifact(small_model: Path) -> None:
    """The encoding of a model has its pattern, its tokens and its special token."""
    encoding = to_tiktoken(small_model)
    assert (encoding.n_vocab, encoding.eot_token) == (324, 323)
    assert encoding.encode(CORPUS) == Tokenizer.load(small_model).encode(CORPUS)


def test_other_ids_are_refused_before_a_comparison(tmp_path: Path) -> None:
    """A model with other ids in tiktoken is refused, also for texts where they are equal."""
    model = write_artifact(tmp_path / "a.json", UNREACHABLE)
    fault = "^cannot export this tokenizer to tiktoken: the token 258, b'abc', does not encode to "
    with pytest.raises(ValueError, match=fault):
        compare(model, "ab", "self")
    with pytest.raises(ValueError, match=fault):
        parity(model, [write(tmp_path, "ab")])


def test_a_real_difference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tiktoken has another token, its place and both tokens are reported."""
    damage_tiktoken(monkeypatch)
    found = compare(write_artifact(tmp_path / "a.json", CROSSING), "a é abc", "self").difference
    assert found is not None
    assert (found.token, found.byte, found.character) == (5, 5, 4)
    assert (found.ours, found.theirs) == ((256, b"ab"), (97, b"a"))


@given(st.lists(st.sampled_from([b"a", b"b", b"ab"])), st.lists(st.sampled_from([b"a", b"b"])))
def test_the_first_difference_is_reported(ours: list[bytes], theirs: list[bytes]) -> None:
    """All tokens before the first difference are equal, and those at it are not."""
    number = {b"a": 1, b"b": 2, b"ab": 3}
    sides = [
        Tokenization("", [number[token] for token in tokens], tokens) for tokens in (ours, theirs)
    ]
    for by_id in (False, True):
        found = first_difference(*sides, by_id=by_id)
        if found is None:
            assert ours == theirs
            continue
        assert ours[: found.token] == theirs[: found.token]
        assert ours[found.token : found.token + 1] != theirs[found.token : found.token + 1]
        assert found.byte == found.character == len(b"".join(ours[: found.token]))


def test_ids_matter_only_for_equal_vocabularies() -> None:
    """Equal bytes with different ids differ when comparing ids, and not when comparing bytes."""
    ours, theirs = Tokenization("", [1], [b"a"]), Tokenization("", [2], [b"a"])
    assert first_difference(ours, theirs, by_id=False) is None
    found = first_difference(ours, theirs, by_id=True)
    assert found
    assert (found.ours, found.theirs) == ((1, b"a"), (2, b"a"))


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


def write(folder: Path, text: str, name: str = "text") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_hostile_files_are_equal(
    block: int, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of hostile text have the same ids in tiktoken, wherever the blocks end."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", block)
    texts = [*HOSTILE, CORPUS, " ".join(HOSTILE)]
    paths = [write(tmp_path, text, str(place)) for place, text in enumerate(texts)]
    result = parity(small_model, paths)
    assert result.difference is None
    assert (result.files, result.bytes) == (len(texts), sum(len(text.encode()) for text in texts))
    assert result.characters == sum(map(len, texts))
    tokenizer = Tokenizer.load(small_model)
    assert result.tokens == sum(len(tokenizer.encode(text)) for text in texts)


@pytest.mark.parametrize("block", [1, 5, 1 << 20])
def test_a_real_difference_is_located(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first real difference has its file, byte, line, context and both tokens."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", block)
    damage_tiktoken(monkeypatch)
    model = write_artifact(tmp_path / "a.json", CROSSING)
    good = write(tmp_path, "ab bc é\n", "good")
    bad = write(tmp_path, "é ab\nab xabc abc\n ab abc", "bad")
    result = parity(model, [good, bad])
    found = result.difference
    assert found is not None
    assert (found.path, found.byte, found.line) == (str(bad), 10, 2)
    assert (found.ours, found.theirs) == ((256, b"ab"), (97, b"a"))
    assert "é ab\nab x".endswith(found.before)
    assert "abc abc\n ab abc".startswith(found.after)
    assert found.after.startswith("abc")
    assert result.files == 2


def test_engine_differences_hide_no_real_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a character does not hide a real difference in the same section of a text."""
    damage_tiktoken(monkeypatch)
    model = write_artifact(tmp_path / "a.json", CROSSING)
    new = min(drift())
    found = parity(model, [write(tmp_path, f"x{new}!abc")]).difference
    assert found is not None
    assert (found.ours, found.theirs) == ((256, b"ab"), (97, b"a"))
    assert found.byte == len(f"x{new}!".encode())


# Blocks of files

WHITESPACE = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000"
PARTS = st.lists(
    st.text(
        st.sampled_from(WHITESPACE + "ab1'!/.sS船⛵") | st.characters(codec="utf-8"), min_size=1
    )
)


def chunks(pattern: str, text: str) -> list[str]:
    return [match[0] for match in regex.finditer(pattern, text)]


@pytest.mark.parametrize("name", PATTERNS)
@given(PARTS)
def test_every_pattern_cuts_where_a_block_ends(name: str, parts: list[str]) -> None:
    """The chunks of the blocks are the chunks of the text, however small the blocks are."""
    pattern, text = PATTERNS[name], "".join(parts)
    for cut in (cut_safely(parts), _boundaries.blocks(text, 1)):
        assert [chunk for block in cut for chunk in chunks(pattern, block)] == chunks(pattern, text)


@pytest.mark.parametrize("size", [1, 2, 3, 1 << 20])
@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff", "0xff at offset 0"),
        (b"abc \xe9t\xe9", "0xe9 at offset 4"),
        ("日本".encode() + b"\xe6\x97", "0xe6 at offset 6"),
        (b"a \xed\xa0\x80", "0xed at offset 2"),
    ],
)
def test_invalid_utf_8_is_located(
    data: bytes, place: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error gives a wrong byte's offset in the file, wherever a read ends."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", size)
    path = tmp_path / "text"
    path.write_bytes(data)
    message = rf"{path} is not UTF-8: byte {place};"
    with pytest.raises(ValueError, match=message):
        list(blocks(path))


# Unicode tables


def test_the_engines_disagree_on_some_characters() -> None:
    """The engines classify thousands of characters differently, but no ASCII and no whitespace."""
    assert 0 < len(drift()) < 0x110000 // 10
    assert not any(character.isascii() for character in drift())
    assert _found_by_regex(r"\s", every_character()) == _found_by_tiktoken(r"\s", every_character())
    assert len(_found_by_regex(r"\s", every_character())) == 25


@pytest.mark.thorough
def test_differences_are_new_in_unicode() -> None:
    """`regex` knows every character on which they differ, and tiktoken does not."""
    for name in (r"\p{L}", r"\p{N}"):
        theirs = _found_by_tiktoken(name, every_character())
        assert theirs < _found_by_regex(name, every_character())


# Messages


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
