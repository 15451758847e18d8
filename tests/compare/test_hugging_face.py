"""Imports from Hugging Face, offsets and Unicode tables, compared by running its libraries."""

import json
import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

import pytest
import regex
import tiktoken
import tokenizers
import transformers
from hypothesis import given
from tokenizers import Regex
from tokenizers.implementations import ByteLevelBPETokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel, Digits, PreTokenizer, Sequence, Split
from tokenizers.trainers import BpeTrainer

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import export, import_tokenizer
from bpetite_compare._letters import GPT2_FILES
from cli_tools import rows_of
from compare.test_comparison import found_by_tiktoken
from compare.test_spellings import ATOM, NOT_ATOMS, compiled
from compare_tools import CORPUS, HOSTILE, SPLIT_PATTERNS
from hugging_face_files import (
    ACCEPTED,
    END,
    EQUIVALENT,
    KIMI,
    REFUSED,
    File,
    made_by,
    named,
    texts_of_pieces,
)
from nasty import drift, nasty_texts
from texts import TEXTS, every_character, texts_in_every_script

pytestmark = pytest.mark.thorough


def test_the_advised_way_out_works(small_model: Path, tmp_path: Path) -> None:
    """What an error advises makes a file that is imported unchanged."""
    export(small_model, "huggingface", path := tmp_path / "hf.json")
    content = json.loads(path.read_bytes())
    content["added_tokens"][0]["id"] = 5000
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="load and save the file with tokenizers"):
        import_tokenizer(path, None, tmp_path / "new.json")
    tokenizers.Tokenizer.from_file(str(path)).save(str(path))
    import_tokenizer(path, None, tmp_path / "new.json")
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()


# Unicode tables and patterns


def test_hugging_face_and_tiktoken_share_unicode_tables() -> None:
    """The two engines put every code point into the same class, for all classes of all patterns."""
    names = {*regex.findall(r"\\p\{\w+\}|\\s", "".join(SPLIT_PATTERNS.values()))}
    assert names > {r"\p{Lm}", r"\p{M}", r"\p{P}", r"\p{S}", r"\s"}
    for name in names:
        assert found_by_tokenizers(name) == found_by_tiktoken(name, every_character())


def found_by_tokenizers(name: str) -> set[str]:
    """Return the characters that Hugging Face's engine puts into a class."""
    finder = Split(Regex(name), behavior="removed", invert=True)
    return {*"".join(piece for piece, _ in finder.pre_tokenize_str(every_character()))}


def test_digits_are_the_numbers_of_unicode() -> None:
    r"""The part `Digits` cuts out the characters of `\p{N}`, except those new in one table."""
    text = "".join(f"{character}--" for character in every_character())
    pieces = Digits(individual_digits=True).pre_tokenize_str(text)
    digits = {piece for piece, _ in pieces if len(piece) == 1}
    assert len(digits) > 1900
    for found in (found_by_tokenizers(r"\p{N}"), {*regex.findall(r"\p{N}", every_character())}):
        assert digits ^ found <= drift("starcoder")


def test_kimis_classes_have_the_characters_of_its_intersections() -> None:
    """The pattern is the published one, with other classes that have the same characters.

    They are the same of all in Unicode, for each of three engines.
    """
    theirs, ours = (
        [atom for atom in ATOM.findall(NOT_ATOMS.sub("", text)) if "Han" in atom]
        for text in (KIMI, SPLIT_PATTERNS["kimi"])
    )
    text, every = KIMI, every_character()
    for one, other in zip(theirs, ours, strict=True):
        text = text.replace(one, other)
        assert compiled(one).findall(every) == regex.findall(other, every)
        assert found_by_tokenizers(one) == found_by_tokenizers(other)
        assert found_by_tiktoken(one, every) == found_by_tiktoken(other, every)
    assert text == SPLIT_PATTERNS["kimi"]


HARD: Final = "aAǅʰ1٣½'s\u017f\u0301/。字\u3007⺀\n\r\t \u3000\x1c"
"""A character of each class, digits and whitespace of several kinds."""


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("starcoder", [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]),
        (
            "kimi",
            [Split(Regex(KIMI), "isolated"), ByteLevel(add_prefix_space=False, use_regex=False)],
        ),
    ],
)
def test_tokenizers_finds_the_same_chunks(name: str, parts: list[PreTokenizer]) -> None:
    """In all texts of up to four hard characters, the parts of a `tokenizer.json` cut alike."""
    cut, split = Sequence(parts).pre_tokenize_str, ALL_PATTERNS[name].split
    for size in range(1, 5):
        for text in map("".join, product(HARD, repeat=size)):
            assert [text[start:end] for _, (start, end) in cut(text)] == split(text), text


def test_tiktoken_finds_kimis_chunks() -> None:
    """In all texts of up to four characters; all are tokens, so each chunk has one id."""
    sets = (product("aA1's\u0301/字\u3007⺀\n ", repeat=size) for size in range(1, 5))
    texts = ["".join(some) for several in sets for some in several]
    tokens = dict.fromkeys([*(bytes([value]) for value in range(256)), *map(str.encode, texts)])
    ranks = {token: rank for rank, token in enumerate(tokens)}
    theirs = tiktoken.Encoding("kimi", pat_str=KIMI, mergeable_ranks=ranks, special_tokens={})
    for text in texts:
        chunks = ALL_PATTERNS["kimi"].split(text)
        assert theirs.encode(text) == [ranks[chunk.encode()] for chunk in chunks]


def test_a_tokenizer_with_digits_apart_comes_back(tmp_path: Path) -> None:
    """One that `tokenizers` trained as StarCoder's has its ids here, and in an export."""
    theirs = tokenizers.Tokenizer(BPE())
    theirs.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]
    )
    trainer = BpeTrainer(vocab_size=3000, initial_alphabet=ByteLevel.alphabet())
    theirs.train_from_iterator([CORPUS, *nasty_texts(1500)], trainer)
    theirs.save(str(tmp_path / "theirs.json"))
    new = import_tokenizer(tmp_path / "theirs.json", None, tmp_path / "new.json")
    export(new.path, "huggingface", tmp_path / "again.json")
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "again.json"))
    ours = Tokenizer.load(new.path)
    for text in filter(drift("starcoder").isdisjoint, [*HOSTILE, *nasty_texts(4000)]):
        assert ours.encode(text) == theirs.encode(text).ids == again.encode(text).ids
    assert import_tokenizer(tmp_path / "again.json", None, tmp_path / "2").sha256 == new.sha256


# Random files and settings


def check_ids(file: File, folder: Path, random: Random) -> None:
    """Import a file; check the ids of texts, and that they decode to the texts."""
    (folder / "theirs.json").write_text(json.dumps(file.content), encoding="utf-8")
    new = import_tokenizer(folder / "theirs.json", None, folder / "new.json", overwrite=True)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file.content))
    theirs.no_truncation()
    ours = Tokenizer.load(new.path)
    for text in filter(drift(new.pattern).isdisjoint, texts_of_pieces(random, 50)):
        found = ours.encode(text)
        assert found == theirs.encode(text, add_special_tokens=False).ids, (text, file.content)
        assert ours.decode(found) == text


@pytest.mark.parametrize("name", [*EQUIVALENT, *ACCEPTED])
def test_each_accepted_setting_has_all_ids(name: str, tmp_path: Path) -> None:
    """The ids of an accepted file are those of the library."""
    (EQUIVALENT | ACCEPTED)[name](made := File())
    check_ids(made, tmp_path, Random(60))


WHITESPACE: Final = [
    *(
        " ",
        "  ",
        "    ",
        " " * 7,
        " " * 24,
        "\t",
        "\t\t",
        "\n",
        "\r",
        "\r\n",
        "\x0b",
        "\x85",
        "\xa0",
    ),
    *("\u2003", "\u2028", "\u3000", "\x1c", "a", "he", " ab", "/", "'s", "é", "9", END, "<|", "|>"),
]


def test_runs_of_spaces_have_the_ids_of_tokenizers(tmp_path: Path) -> None:
    """As in GPT-NeoX, runs of spaces are added tokens: all short texts and many long ones agree.

    So do those of its exports.
    """
    named("<|padding|>", special=True)(file := File())
    named(*(" " * size for size in range(24, 1, -1)), normalized=True)(file)
    file.content["normalizer"] = {"type": "NFC"}
    (path := tmp_path / "theirs.json").write_text(json.dumps(file.content))
    import_tokenizer(path, None, new := tmp_path / "new.json", drop_normalizer=True)
    export(new, "huggingface", exported := tmp_path / "hf.json")
    export(new, "gpt2", folder := tmp_path / "gpt2")
    of_two = ByteLevelBPETokenizer(*(str(folder / name) for name in GPT2_FILES))
    of_two.add_special_tokens([*Tokenizer.load(new).special_tokens])
    others = [*map(tokenizers.Tokenizer.from_file, map(str, (path, exported))), of_two]
    random, tokenizer = Random(20), Tokenizer.load(new)
    texts = ["".join(random.choices(WHITESPACE, k=random.randrange(40))) for _ in range(5000)]
    texts += ["".join(some) for size in range(6) for some in product(" \t\n\ra/", repeat=size)]
    for text in texts:
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        for other in others:
            assert other.encode(text, add_special_tokens=False).ids == ids, text


def test_what_is_left_out_changes_only_such_texts(tmp_path: Path) -> None:
    """Ids are the library's but for whitespace beside a stripped token, and for missing bytes."""
    vocab = (file := File()).model["vocab"]
    vocab["\u65e5"] = vocab.pop("\u0104")  # the byte 0x04
    file.add("<s>", lstrip=True, rstrip=True)
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(file.content), encoding="utf-8")
    new = import_tokenizer(
        path, None, tmp_path / "new.json", drop_strip=True, add_missing_bytes=True
    )
    ours, theirs = Tokenizer.load(new.path), tokenizers.Tokenizer.from_file(str(path))
    beside = re.compile(r"\s<s>|<s>\s")
    stripped = 0
    for text in filter(drift().isdisjoint, texts_of_pieces(Random(3), 2000)):
        same = theirs.encode(text).ids == ours.encode(text)
        assert same or beside.search(text), text
        stripped += not same
    assert stripped > 20
    assert theirs.encode("!\x04!").ids == theirs.encode("!!").ids  # it leaves the byte out
    assert ours.decode(ours.encode("!\x04!")) == "!\x04!"


def rule(message: str) -> str:
    """Return an error without merges, numbers and names."""
    return re.sub(r"merge \d+, .+, |\d+|'[^']*'", "", message)


def test_an_import_has_all_ids_or_names_the_rule(tmp_path: Path) -> None:
    """Of hundreds of random files, each keeps every id or is refused by a rule that has a test."""
    accepted, rules = 0, {rule(reason) for reason, _ in REFUSED.values()}
    for seed in range(900):
        try:
            check_ids(made_by(seed), tmp_path, Random(seed))
        except ValueError as error:
            assert any(one in rule(str(error)) for one in rules), error  # noqa: PT017
        else:
            accepted += 1
    assert accepted > 180


# Offsets

EMOJI: Final = "👩‍👩‍👧 👍🏽👍🏽 🇩🇪🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ⛵️ 1️⃣ ❤️‍🔥 🧑🏿‍🚀"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a tokenizer whose tokens cut characters, and its export."""
    folder = tmp_path_factory.mktemp("offsets")
    Tokenizer.train([CORPUS, EMOJI, *texts_in_every_script()], 2000).save(folder / "m.json")
    export(folder / "m.json", "huggingface", folder / "hf")
    return folder


def check_offsets(folder: Path, text: str) -> None:
    """Compare the ids and offsets that `show --json` prints with those of the libraries."""
    rows = rows_of("show --model m.json --json", stdin=text.encode(), cwd=folder)
    shown = [(row["id"], (row["start_character"], row["end_character"])) for row in rows]
    path = str(folder / "hf" / "tokenizer.json")
    encoded = tokenizers.Tokenizer.from_file(path).encode(text)
    assert shown == list(zip(encoded.ids, encoded.offsets, strict=True))


def test_offsets_are_hugging_faces_on_any_text(folder: Path) -> None:
    """Offsets of `tokenizers`, and the `offset_mapping` of transformers."""
    fast = transformers.PreTrainedTokenizerFast.from_pretrained(folder / "hf")
    theirs = tokenizers.Tokenizer.from_file(str(folder / "hf" / "tokenizer.json"))
    texts = [*HOSTILE, CORPUS, EMOJI, *texts_in_every_script()[::20]]
    for text in filter(drift().isdisjoint, texts):
        check_offsets(folder, text)
        mapping = fast(text, return_offsets_mapping=True)["offset_mapping"]
        assert theirs.encode(text).offsets == [tuple(one) for one in mapping]
    given(TEXTS.filter(drift().isdisjoint))(lambda text: check_offsets(folder, text))()
