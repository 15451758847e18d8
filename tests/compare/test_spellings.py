"""Other spellings of split patterns: the same chunks for every text, or refused with the reason.

The texts are all short ones over the characters that the patterns tell apart.
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
from compare_tools import PATTERNS, SPLIT_PATTERNS, fewer
from hugging_face_files import DEEPSEEK3, KIMI, UNKNOWN, File, splits
from texts import every_character

Splits = tuple[str, ...]
"""Patterns that split text, one after the other."""

GPT2_IN_LLAMA_CPP = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"


def minbpe(digits: str) -> str:
    return (
        rf"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{{L}}\p{{N}}]?+\p{{L}}+|\p{{N}}{digits}"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
    )


SAME: dict[str, tuple[str, Splits]] = {
    "gpt2 as published": (
        "gpt2",
        (r"'s|'t|'re|'ve|'m|'ll|'d| ?[\p{L}]+| ?[\p{N}]+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",),
    ),
    "gpt2 in tiktoken": (
        "gpt2",
        (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",),
    ),
    "gpt2 in llama.cpp": ("gpt2", (GPT2_IN_LLAMA_CPP,)),  # what has no match is a chunk
    "gpt4 in minbpe": ("gpt4", (minbpe("{1,3}"),)),
    "nanochat in nanochat": ("nanochat", (minbpe("{1,2}"),)),
    "deepseek3 in models, llama.cpp and gigatoken": ("deepseek3", DEEPSEEK3),
    "starcoder in models": ("starcoder", (r"\p{N}", PATTERNS["gpt2"])),
    "starcoder in llama.cpp": ("starcoder", (r"\p{N}", GPT2_IN_LLAMA_CPP)),
    "kimi as published": ("kimi", (KIMI,)),
}
"""Spellings that find the same chunks in each text, and the name of bpetite's pattern."""

GPT4_IN_TIKTOKEN = PATTERNS["cl100k_base"]
FOR_TIKTOKEN: dict[str, tuple[str, Splits]] = {
    "gpt4 in models": ("gpt4", (GPT4_IN_TIKTOKEN.replace("{1,3}+", "{1,3}"),)),
    "gpt4 in tiktoken": ("gpt4", (GPT4_IN_TIKTOKEN,)),  # for tokenizers, {1,3}+ is any number
}
"""The same, except where a text ends with a line end and other whitespace."""

DIFFERENT: dict[str, tuple[str, Splits, str]] = {
    "gpt4 with up to 4 digits": ("gpt4", (minbpe("{1,4}"),), "1111"),
    "gpt4 without capitals in 's": ("gpt4", (minbpe("{1,3}").replace("?i:", "?:"),), "'Sa"),
    "deepseek3 in another order": ("deepseek3", (*DEEPSEEK3[1:], DEEPSEEK3[0]), "  1"),
    "MiniCPM 5": ("qwen2", (r"\p{N}{1,3}", SPLIT_PATTERNS["gpt4"].replace("{1,3}", "+")), "  1"),
    "starcoder with whitespace as in gpt2": (
        "starcoder",
        (SPLIT_PATTERNS["starcoder"].replace(r"[^\s\p{N}]", r"\S"),),
        "  1",
    ),
    "Gemma 4, Sarvam": ("gpt2", (r"[^\n]+|[\n]+",), "a b"),
}
"""A pattern of bpetite's with a similar text, other patterns, and a text that they cut apart."""

POOL = "'stmdlvreaSTMDLVREA字ʰ\u01c51!。/\u0301 \t\n\x1cあア\u30fb\u309b\u3099\u3040é\u3007⺀"
"""At least one character of each class that the spellings of a pattern tell apart."""
ALIKE = str.maketrans("", "", "tmdv")
"""In the patterns, t, m and d are at the places of s, and v is at that of r."""
ATOM = regex.compile(r"\[(?:\\.|(?<=&&)\[\S+?\]|[^]\\])+\]|\\p\{\w+\}|\\.|[^\\()|?+*$]")
NOT_ATOMS = regex.compile(r"\(\?\w?[:=!]|\{\d+(,\d*)?\}")


def compiled(pattern: str, flags: int = 0) -> regex.Pattern[str]:
    """Compile a pattern; `&&` intersects sets only in version 1 of `regex`."""
    return regex.compile(pattern, flags | (regex.V1 if "&&" in pattern else regex.V0))


def classes(characters: str, *patterns: str) -> dict[int, str]:
    """Return the first character of each class that patterns tell apart."""
    found = dict.fromkeys(characters, 0)
    atoms = {
        (atom if len(atom) > 1 else regex.escape(atom), "(?i:" in pattern and "\\" not in atom)
        for pattern in patterns
        for atom in ATOM.findall(NOT_ATOMS.sub("", pattern))
    }
    for place, (atom, ignore_case) in enumerate(sorted(atoms)):
        for character in compiled(atom, regex.I if ignore_case else 0).findall(characters):
            found[character] |= 1 << place
    first: dict[int, str] = {}
    for character, kind in found.items():
        first.setdefault(kind, character)
    return first


def texts(size: int, *patterns: str) -> Iterator[str]:
    """Yield all texts of up to this size over one character of each class."""
    characters = "".join(classes(POOL, *patterns).values()).translate(ALIKE)
    for length in range(size + 1):
        yield from map("".join, product(characters, repeat=length))


def finder(*patterns: str) -> Callable[[str], list[str]]:
    """Return a function that cuts a text at the matches of each pattern in turn.

    It keeps what is between them.
    """
    if len(patterns) == 1 and not patterns[0].endswith("(?!\\S)"):
        return compiled(patterns[0]).findall  # faster; it has no text between matches
    cuts = [compiled(f"({pattern})") for pattern in patterns]

    def chunks_of(text: str) -> list[str]:
        chunks = [text]
        for cut in cuts:
            chunks = [part for chunk in chunks for part in cut.split(chunk) if part]
        return chunks

    return chunks_of


FINDERS = {name: finder(text) for name, text in SPLIT_PATTERNS.items()}


def spellings_of(name: str) -> list[Splits]:
    others = [patterns for found, patterns in (SAME | FOR_TIKTOKEN).values() if found == name]
    return [(SPLIT_PATTERNS[name],), *others]


@pytest.mark.thorough
@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_the_pool_has_a_character_of_each_class(name: str) -> None:
    """In all of Unicode, the spellings of a pattern tell no more classes apart."""
    patterns = [*chain(*spellings_of(name))]
    assert classes(POOL, *patterns).keys() == classes(every_character(), *patterns).keys()


def joined_at_the_end(chunks: list[str]) -> list[str]:
    """Join the last two chunks if they are line ends and the whitespace after them."""
    if regex.fullmatch(r"\s*[\r\n]\0\s+", "\0".join(chunks[-2:])):
        chunks[-2:] = ["".join(chunks[-2:])]
    return chunks


SPELLED = ["gpt2", "gpt4", "nanochat", "deepseek3", "starcoder"]


@pytest.mark.parametrize("name", [*SPELLED, "kimi"])
def test_spellings_find_the_same_chunks(name: str) -> None:
    """In all texts of a few characters; at the end of a text, tiktoken's may join two."""
    same = [finder(*one) for found, one in SAME.values() if found == name]
    joined = [finder(*one) for found, one in FOR_TIKTOKEN.values() if found == name]
    for text in texts(3 if name == "kimi" else 4, *chain(*spellings_of(name))):
        expected = FINDERS[name](text)
        assert all(find(text) == expected for find in same), text
        if joined:
            expected = joined_at_the_end(expected)
            assert all(find(text) == expected for find in joined), text


def first_of(patterns: Splits) -> Callable[[str], str]:
    """Return a function that returns the first chunk of a text: a match, or what is before it."""
    searches = [compiled(pattern).search for pattern in patterns]

    def first(text: str) -> str:
        for search in searches:
            if found := search(text):
                text = text[: found.start() or found.end()]
        return text

    return first


@pytest.mark.thorough
@pytest.mark.parametrize("name", SPELLED)
def test_spellings_find_the_same_first_chunk(name: str) -> None:
    """In all texts of up to six characters, so all others too: they are first in shorter texts.

    Kimi's are compared class by class in `test_hugging_face.py`.
    No pattern looks behind, and each rest of a number or of kana is cut like the whole.
    """
    ours = SPLIT_PATTERNS[name]
    spelled = spellings_of(name)
    assert not any("(?<" in pattern for pattern in chain([ours], *spelled))
    first = first_of((ours,))
    same = [first_of(one) for found, one in SAME.values() if found == name and one != (ours,)]
    joined = [first_of(one) for found, one in FOR_TIKTOKEN.values() if found == name]
    for text in texts(6, *chain(*spelled)):
        expected = first(text)
        assert all(find(text) == expected for find in same), text
        if joined and text.isspace():
            expected = joined_at_the_end(FINDERS[name](text))[0]
        assert all(find(text) == expected for find in joined), text


@pytest.mark.parametrize("other", DIFFERENT)
def test_different_patterns_are_refused(other: str, tmp_path: Path) -> None:
    """A text shows the difference; the error shows the pattern and the most similar one."""
    name, patterns, text = DIFFERENT[other]
    assert finder(*patterns)(text) != FINDERS[name](text)
    with pytest.raises(ValueError, match=f"spelled most like {name}") as caught:
        imported(tmp_path, *patterns)
    message = str(caught.value).partition("theirs.json: ")[2]
    assert message.startswith(f"{UNKNOWN}{patterns[0][:3]}")
    assert len(message) < 250


def imported(folder: Path, *patterns: str, **split: object) -> Imported:
    """Import a `tokenizer.json` with these patterns."""
    splits(*patterns, **split)(file := File())
    (folder / "theirs.json").write_text(json.dumps(file.content))
    return import_tokenizer(folder / "theirs.json", None, folder / "theirs.new")


@pytest.mark.parametrize("spelling", [*SAME, "gpt4 in models"])
def test_files_in_other_spellings_open(spelling: str, tmp_path: Path) -> None:
    """The pattern is bpetite's."""
    name, patterns = (SAME | FOR_TIKTOKEN)[spelling]
    assert imported(tmp_path, *patterns).pattern == name


def test_an_encoding_in_another_spelling_opens(
    tmp_path: Path, register: Callable[..., None]
) -> None:
    """Tiktoken has a possessive count; for tokenizers, `{1,3}+` finds all digits."""
    register("other", b" \n", b"\n \n", b"the", pattern=GPT4_IN_TIKTOKEN)
    assert import_tokenizer("other", "tiktoken", tmp_path / "new.json").pattern == "gpt4"
    with pytest.raises(ValueError, match=r"has \{1,3\}\+, which is \{1,\} for tokenizers"):
        imported(tmp_path, GPT4_IN_TIKTOKEN)


def test_a_pattern_that_loses_text_is_refused(
    tmp_path: Path, register: Callable[..., None]
) -> None:
    """The behavior `Removed`, like tiktoken, drops what no alternative matches."""
    register("other", pattern=GPT2_IN_LLAMA_CPP)
    assert tiktoken.get_encoding("other").encode("\ta") == [97]
    with pytest.raises(ValueError, match=UNKNOWN):
        import_tokenizer("other", "tiktoken", tmp_path / "new.json")
    with pytest.raises(ValueError, match=UNKNOWN):
        imported(tmp_path, GPT2_IN_LLAMA_CPP, behavior="Removed", invert=True)


ENDS = st.text(" \n\t\r\u3000", min_size=2, max_size=5)


def test_whitespace_at_the_end_has_the_ids_of_tiktoken(
    tmp_path: Path, register: Callable[..., None]
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
        register(name, *sorted(tokens, key=len), pattern=GPT4_IN_TIKTOKEN)
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
    register("other", token.encode().decode("unicode_escape").encode(), pattern=GPT4_IN_TIKTOKEN)
    assert tiktoken.get_encoding("other").encode(text) == ids
    reason = f"which changes the ids of its token b'{token}'; use its own"
    with pytest.raises(ValueError, match=re.escape(reason)):
        import_tokenizer("other", "tiktoken", tmp_path / "new.json")
