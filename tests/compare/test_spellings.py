"""Other spellings of split patterns: the same chunks for every text, or refused with the reason.

A spelling replaces alternatives of a pattern. If both match the same wherever they are tried, the
patterns find the same chunks. So there are two tests with all texts over the characters that the
patterns tell apart: of the alternatives, and of whole patterns.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, count, product
from pathlib import Path

import pytest
import regex
import tiktoken
from hypothesis import event, example, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import Imported, import_tokenizer
from bpetite_compare._spellings import _ALTERNATIVES
from compare_tools import SPLIT_PATTERNS, fewer
from hugging_face_files import File, splits
from spellings import (
    DIFFERENT,
    EXCEPT_AT_THE_END,
    NEARLY,
    ONLY_IN_TIKTOKEN,
    ONLY_ISOLATED,
    SPELLINGS,
    Splits,
)
from texts import TEXTS, every_character

POOL = "'stmdlvreaSTMDLVREA字ʰ\u01c51!。/\u0301 \t\n\x1cあア\u30fb\u309b\u3099\u3040é"
"""At least one character of each class that the spellings of a pattern tell apart."""
ALIKE = str.maketrans("", "", "tmdv")
"""In the patterns, t, m and d are at the places of s, and v is at that of r."""
ATOM = regex.compile(r"\[(?:\\.|[^]\\])+\]|\\p\{\w+\}|\\.|[^\\()|?+*$]")
NOT_ATOMS = regex.compile(r"\(\?\w?[:=!]|\{\d+(,\d*)?\}")

FOR_TIKTOKEN = EXCEPT_AT_THE_END | ONLY_IN_TIKTOKEN
TO_THE_END = r"\s++$|\s*[\r\n]+"

up_to = pytest.mark.parametrize(
    "size",
    [4, pytest.param(6, marks=[pytest.mark.thorough, pytest.mark.timeout(1800)])],
)


def classes(characters: str, *patterns: str) -> dict[int, str]:
    """Return the first character of each class that patterns tell apart."""
    found = dict.fromkeys(characters, 0)
    atoms = {
        (atom if len(atom) > 1 else regex.escape(atom), "(?i:" in pattern and "\\" not in atom)
        for pattern in patterns
        for atom in ATOM.findall(NOT_ATOMS.sub("", pattern))
    }
    for place, (atom, ignore_case) in enumerate(sorted(atoms)):
        for character in regex.findall(atom, characters, regex.I if ignore_case else 0):
            found[character] |= 1 << place
    first: dict[int, str] = {}
    for character, kind in found.items():
        first.setdefault(kind, character)
    return first


def texts(size: int, *patterns: str, without: dict[int, int | None] | None = None) -> Iterator[str]:
    """Yield all texts of up to this size over one character of each class."""
    characters = "".join(classes(POOL, *patterns).values()).translate(without or {})
    for length in range(size + 1):
        yield from map("".join, product(characters, repeat=length))


def finder(*patterns: str) -> Callable[[str], list[str]]:
    """Return a function that cuts a text at the matches of each pattern in turn.

    It keeps what is between them.
    """
    if len(patterns) == 1 and not patterns[0].endswith("(?!\\S)"):
        return regex.compile(patterns[0]).findall  # faster; it has no text between matches
    compiled = [regex.compile(f"({pattern})") for pattern in patterns]

    def chunks_of(text: str) -> list[str]:
        chunks = [text]
        for pattern in compiled:
            chunks = [part for chunk in chunks for part in pattern.split(chunk) if part]
        return chunks

    return chunks_of


FINDERS = {name: finder(text) for name, text in SPLIT_PATTERNS.items()}
SAME = {**SPELLINGS, **ONLY_ISOLATED}


def spellings_of(name: str) -> list[Splits]:
    return [patterns for found, patterns in (SAME | FOR_TIKTOKEN).values() if found == name]


@pytest.mark.thorough
@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_the_pool_has_a_character_of_each_class(name: str) -> None:
    """In all of Unicode, the spellings of a pattern, and near ones, tell no more classes apart."""
    near = [patterns for found, patterns, _ in NEARLY.values() if found == name]
    patterns = [*chain(*spellings_of(name), *near)]
    assert classes(POOL, *patterns).keys() == classes(every_character(), *patterns).keys()


@up_to
@pytest.mark.parametrize("ours", _ALTERNATIVES)
def test_alternatives_match_the_same(ours: str, size: int) -> None:
    """Whatever text is left, both match as much of it; only `TO_THE_END` may match all."""
    match_ours = regex.compile(ours).match
    for theirs in _ALTERNATIVES[ours]:
        match_theirs = regex.compile(theirs).match
        for text in texts(size, ours, theirs):
            found, expected = match_theirs(text), match_ours(text)
            if theirs == TO_THE_END and text and text.isspace() and "\x1c" not in text:
                assert found is not None
                assert found[0] == text
            else:
                assert (found and found[0]) == (expected and expected[0]), text


def joined_at_the_end(chunks: list[str]) -> list[str]:
    """Join the last two chunks if they are line ends and the whitespace after them."""
    if regex.fullmatch(r"\s*[\r\n]\0\s+", "\0".join(chunks[-2:])):
        chunks[-2:] = ["".join(chunks[-2:])]
    return chunks


of_spelled = pytest.mark.parametrize("name", ["gpt2", "gpt4", "qwen2", "nanochat", "deepseek3"])


@of_spelled
def test_spellings_find_the_same_chunks(name: str) -> None:
    """In all texts of up to four characters; at the end of a text, tiktoken's may join two."""
    same = [finder(*one) for found, one in SAME.values() if found == name]
    joined = [finder(*one) for found, one in FOR_TIKTOKEN.values() if found == name]
    for text in texts(4, *chain(*spellings_of(name)), without=ALIKE):
        expected = FINDERS[name](text)
        assert all(find(text) == expected for find in same), text
        if joined:
            expected = joined_at_the_end(expected)
            assert all(find(text) == expected for find in joined), text


def first_of(patterns: Splits) -> Callable[[str], str]:
    """Return a function that returns the first chunk of a text: a match, or what is before it."""
    searches = [regex.compile(pattern).search for pattern in patterns]

    def first(text: str) -> str:
        for search in searches:
            if found := search(text):
                text = text[: found.start() or found.end()]
        return text

    return first


@pytest.mark.thorough
@of_spelled
def test_spellings_find_the_same_first_chunk(name: str) -> None:
    """In all texts of up to six characters, so all others too: they are first in shorter texts.

    No pattern looks behind, and each rest of a number or of kana is cut like the whole.
    """
    ours = SPLIT_PATTERNS[name]
    spelled = spellings_of(name)
    assert not any("(?<" in pattern for pattern in chain([ours], *spelled))
    first = first_of((ours,))
    same = [first_of(one) for found, one in SAME.values() if found == name and one != (ours,)]
    joined = [first_of(one) for found, one in FOR_TIKTOKEN.values() if found == name]
    for text in texts(6, *chain(*spelled), without=ALIKE):
        expected = first(text)
        assert all(find(text) == expected for find in same), text
        if joined and text.isspace():
            expected = joined_at_the_end(FINDERS[name](text))[0]
        assert all(find(text) == expected for find in joined), text


@given(TEXTS)
def test_spellings_find_the_same_chunks_in_any_text(text: str) -> None:
    """Also with characters that the short texts do not have."""
    for name, patterns in SAME.values():
        assert finder(*patterns)(text) == FINDERS[name](text)
    for name, patterns in FOR_TIKTOKEN.values():
        assert finder(*patterns)(text) == joined_at_the_end(FINDERS[name](text))


@pytest.mark.parametrize("near", NEARLY)
def test_short_texts_tell_near_patterns_apart(near: str) -> None:
    """The short texts of these tests show a difference of one quantifier or letter."""
    name, patterns, _ = NEARLY[near]
    own, their = FINDERS[name], finder(*patterns)
    assert any(own(text) != their(text) for text in texts(4, SPLIT_PATTERNS[name], *patterns))


@pytest.mark.parametrize("other", [*DIFFERENT, *NEARLY])
def test_different_patterns_are_refused(other: str, tmp_path: Path) -> None:
    """A text shows the difference; the error shows the pattern and the most similar one."""
    name, patterns, text = (DIFFERENT | NEARLY)[other]
    assert finder(*patterns)(text) != FINDERS[name](text)
    with pytest.raises(ValueError, match=f"spelled most like {name}") as caught:
        imported(tmp_path, *patterns)
    message = str(caught.value).partition("theirs.json: ")[2]
    assert message.startswith("its split pattern is none that bpetite has: ")
    assert patterns[0][:9].isprintable() <= (patterns[0][:9] in message)
    assert message.isprintable()
    assert len(message) < 250


def imported(folder: Path, *patterns: str, **split: object) -> Imported:
    """Import a `tokenizer.json` with these patterns."""
    splits(*patterns, **split)(file := File())
    (folder / "theirs.json").write_text(json.dumps(file.content))
    return import_tokenizer(folder / "theirs.json", None, folder / "new.json", overwrite=True)


@pytest.mark.parametrize("spelling", [*SAME, *EXCEPT_AT_THE_END])
def test_files_in_other_spellings_open(spelling: str, tmp_path: Path) -> None:
    """The pattern is bpetite's."""
    name, patterns = (SAME | EXCEPT_AT_THE_END)[spelling]
    assert imported(tmp_path, *patterns).pattern == name


IN_ONE = {
    name: one
    for name, one in (SPELLINGS | FOR_TIKTOKEN).items()
    if len(one[1]) == 1 and "in bpetite" not in name
}
"""Those that tiktoken can have, which has one pattern."""


@pytest.mark.parametrize("spelling", IN_ONE)
def test_encodings_in_other_spellings_open(
    spelling: str, tmp_path: Path, register: Callable[..., None]
) -> None:
    """The pattern is bpetite's."""
    name, (pattern,) = IN_ONE[spelling]
    register("other", b" \n", b"\n \n", b"the", pattern=pattern)
    assert import_tokenizer("other", "tiktoken", tmp_path / "new.json").pattern == name


@pytest.mark.parametrize("spelling", ONLY_ISOLATED)
def test_a_pattern_that_loses_text_is_refused(
    spelling: str, tmp_path: Path, register: Callable[..., None]
) -> None:
    """The behavior `Removed`, like tiktoken, drops what no alternative matches."""
    _, (pattern,) = ONLY_ISOLATED[spelling]
    register("other", pattern=pattern)
    assert tiktoken.get_encoding("other").encode("\ta") == [97]
    reason = r"its split pattern is none that bpetite has: "
    with pytest.raises(ValueError, match=reason):
        import_tokenizer("other", "tiktoken", tmp_path / "new.json")
    with pytest.raises(ValueError, match=reason):
        imported(tmp_path, pattern, behavior="Removed", invert=True)


@pytest.mark.parametrize("spelling", ONLY_IN_TIKTOKEN)
def test_a_possessive_count_is_refused_in_a_file(spelling: str, tmp_path: Path) -> None:
    """For tokenizers, `{1,3}+` finds all digits."""
    with pytest.raises(ValueError, match=r"has \{1,3\}\+, which is \{1,\} for tokenizers"):
        imported(tmp_path, *ONLY_IN_TIKTOKEN[spelling][1])


ENDS = st.text(" \n\t\r\u3000", min_size=2, max_size=5)


@pytest.mark.parametrize("spelling", ["gpt4 in tiktoken", "gpt4 in gigatoken, without +"])
def test_whitespace_at_the_end_has_the_ids_of_tiktoken(
    spelling: str, tmp_path: Path, register: Callable[..., None]
) -> None:
    """The ids are equal, or the import is refused because a token crosses bpetite's cut."""
    numbers = count()

    @fewer()
    @given(st.lists(ENDS.map(str.encode), unique=True), st.lists(ENDS))
    @example(tokens=[b"\n "], ends=["\n "])
    @example(tokens=[b"\n\xe3", b"\n\xe3\x80"], ends=["\n\u3000"])
    @example(tokens=[b"\n \n", b"\n\n"], ends=["\n ", "\n \n", "\n \n ", "\n\n  "])
    def check(tokens: list[bytes], ends: list[str]) -> None:
        name = f"other{next(numbers)}"
        register(name, *sorted(tokens, key=len), pattern=FOR_TIKTOKEN[spelling][1][0])
        try:
            import_tokenizer(name, "tiktoken", tmp_path / "new.json", overwrite=True)
        except ValueError as error:
            event(str(error).partition(": ")[2][:25])
            return
        for text in (*ends, *(f"a{end}" for end in ends)):
            ids = tiktoken.get_encoding(name).encode(text)
            assert Tokenizer.load(tmp_path / "new.json").encode(text) == ids

    check()


@pytest.mark.parametrize(
    ("token", "text", "ids"), [("\\n ", "\n ", [256]), ("\\n \\n", "\n \n ", [10, 32, 10, 32])]
)
def test_a_token_with_other_ids_at_the_end_is_named(
    token: str, text: str, ids: list[int], tmp_path: Path, register: Callable[..., None]
) -> None:
    """It crosses the cut of bpetite's pattern, or it is a token only as a whole chunk."""
    _, (pattern,) = FOR_TIKTOKEN["gpt4 in tiktoken"]
    register("other", token.encode().decode("unicode_escape").encode(), pattern=pattern)
    assert tiktoken.get_encoding("other").encode(text) == ids
    reason = f"which changes the ids of its token b'{token}'; use its own"
    with pytest.raises(ValueError, match=re.escape(reason)):
        import_tokenizer("other", "tiktoken", tmp_path / "new.json")
