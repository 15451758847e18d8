"""Exports to and imports from Hugging Face, offsets and Unicode tables, compared by running it."""

import json
import re
from copy import deepcopy
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import tokenizers
import transformers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex
from tokenizers.implementations import ByteLevelBPETokenizer
from tokenizers.pre_tokenizers import ByteLevel, Split

import oracle
from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_cli.views.scripts import script_of
from bpetite_compare import export, import_tokenizer
from bpetite_compare._engines import _CLASS, _found_by_tiktoken, drift
from bpetite_compare._letters import BYTE_LETTERS
from cli_tools import bpetite
from compare_tools import CORPUS, HOSTILE
from exports import load_back
from hugging_face_files import ACCEPTED, EQUIVALENT, REFUSED, Change, File, load, made_by
from hugging_face_files import texts_of_pieces as texts
from nasty import alike
from texts import CORPORA, KANA, TEXTS, every_character, texts_in_every_script

pytestmark = pytest.mark.thorough

SPECIAL = "<|endoftext|>"
SPLITS = {name: [text] for name, text in oracle.ONLY_VERSION_3.items()} | {
    "deepseek3": [
        r"\p{N}{1,3}",
        "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        (
            r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"""
            "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|"
            "\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
        ),
    ]
}
"""What the `tokenizer.json` of each model splits by, in order; DeepSeek V3 splits three times."""


@pytest.mark.parametrize("to", ["huggingface", "gpt2"])
def test_decode_matches_the_comment(to: str, small_model: Path, tmp_path: Path) -> None:
    """A comment in the loading lines says how `decode` treats special tokens, and it is true."""
    exported = export(small_model, to, tmp_path / ("x.json" if to == "huggingface" else "x"))
    said = "# decode() leaves special tokens out, unless skip_special_tokens=False.\n"
    assert said in exported.loading
    names: dict[str, Any] = {}
    exec(exported.loading, names)  # noqa: S102 - a user runs these lines
    assert names["tokenizer"].decode([97, 323]) == "a"
    assert names["tokenizer"].decode([97, 323], skip_special_tokens=False) == f"a{SPECIAL}"


def check_import(theirs: tokenizers.Tokenizer, texts: list[str]) -> None:
    """Import a file of Hugging Face: all ids are equal."""
    with TemporaryDirectory() as name:
        theirs.save(str(path := Path(name) / "theirs.json"))
        import_tokenizer(path, None, new := Path(name) / "new.json")
        ours = Tokenizer.load(new)
        for text in filter(drift().isdisjoint, texts):
            assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids


@given(CORPORA, st.integers(257, 300), st.booleans())
@example(corpus=[":\U00018d80"], size=260, first=False)  # one chunk in Hugging Face, two here
def test_hugging_face_tokenizers_are_imported(corpus: list[str], size: int, first: bool) -> None:
    """Its ids are kept, whether the special token was added before or after training."""
    theirs = ByteLevelBPETokenizer(add_prefix_space=False)
    specials = [SPECIAL] if first else []
    theirs.train_from_iterator(corpus, size, 1, show_progress=False, special_tokens=specials)
    theirs.add_special_tokens([SPECIAL])
    check_import(theirs, [*corpus, *HOSTILE, CORPUS])


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


def test_the_letters_match_hugging_faces() -> None:
    """The letters for bytes are the alphabet of Hugging Face's byte level."""
    assert sorted(BYTE_LETTERS.values()) == sorted(ByteLevel.alphabet())


def test_a_merge_like_a_comment_can_be_exported(tmp_path: Path) -> None:
    """A tokenizer with a merge like the header of `merges.txt` is read from `tokenizer.json`."""
    merges = [(ord("#"), ord("v"))]
    merges += [(255 + place, ord(letter)) for place, letter in enumerate("ersionx", 1)]
    encode, _ = load_back(write_artifact(tmp_path / "a.json", merges), "huggingface", tmp_path)
    assert encode("version") == oracle.encode("version", merges)


def test_hugging_face_and_tiktoken_share_unicode_tables() -> None:
    """The two engines put every code point into the same class, for all classes of all patterns."""
    names = {name for pattern in ALL_PATTERNS.values() for name in _CLASS.findall(pattern.text)}
    assert names > {r"\p{Lm}", r"\p{M}", r"\p{P}", r"\p{S}", r"\s"}
    for name in names:
        finder = Split(Regex(name), behavior="removed", invert=True)
        found = "".join(piece for piece, _ in finder.pre_tokenize_str(every_character()))
        assert frozenset(found) == _found_by_tiktoken(name, every_character())


@pytest.mark.parametrize("name", SPLITS)
def test_patterns_for_imports_split_as_the_models_file(name: str) -> None:
    """The chunks of some 28,000 texts are those of the model's own pre-tokenizer."""
    splits = [
        {"type": "Split", "pattern": {"Regex": text}, "behavior": "Isolated", "invert": False}
        for text in SPLITS[name]
    ]
    file = {
        "model": {"type": "BPE", "vocab": {}, "merges": []},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": splits},
    }
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file)).pre_tokenizer
    texts = [*alike(name, 5200), *map("".join, product(KANA, repeat=4)), *texts_in_every_script()]
    pattern, unlike = ALL_PATTERNS[name], drift(ALL_PATTERNS[name])
    different = [
        text
        for text in texts
        if unlike.isdisjoint(text)
        and pattern.split(text) != [chunk for chunk, _ in theirs.pre_tokenize_str(text)]
    ]
    assert different == []


# Random files and settings


SEEDS: Final = 900


def check_ids(file: File, folder: Path, random: Random) -> None:
    """Import a file; check the ids of texts, and that they decode to the texts."""
    (folder / "theirs.json").write_text(json.dumps(file.content), encoding="utf-8")
    new = import_tokenizer(folder / "theirs.json", None, folder / "new.json", overwrite=True)
    theirs, ours = load(file.content), Tokenizer.load(new.path)
    theirs.no_truncation()
    for text in filter(drift(ALL_PATTERNS[new.pattern]).isdisjoint, texts(random, 50)):
        found = ours.encode(text)
        assert found == theirs.encode(text, add_special_tokens=False).ids, (text, file.content)
        assert ours.decode(found) == text


@pytest.mark.parametrize("change", [*EQUIVALENT, *ACCEPTED])
def test_each_accepted_setting_has_all_ids(change: Change, tmp_path: Path) -> None:
    """The ids of an accepted file are those of the library."""
    change(made := File())
    check_ids(made, tmp_path, Random(60))


def rule(message: str) -> str:
    """Return an error without merges, numbers and names."""
    return re.sub(r"merge \d+, .+, |\d+|'[^']*'", "", message)


def test_an_import_has_all_ids_or_names_the_rule(tmp_path: Path) -> None:
    """Of hundreds of random files, each keeps every id or is refused by a rule that has a test."""
    accepted, rules = 0, {rule(reason) for reason, _ in REFUSED}
    for seed in range(SEEDS):
        try:
            check_ids(made_by(seed), tmp_path, Random(seed))
        except ValueError as error:
            assert any(one in rule(str(error)) for one in rules), error  # noqa: PT017
        else:
            accepted += 1
    assert accepted > SEEDS // 5


# Offsets


EVERY_SIXTEENTH: Final = "".join(
    character for character in every_character()[::16] if character not in drift()
)
"""Characters of every script and every plane, which both engines know."""

EMOJI: Final = "👩‍👩‍👧 👍🏽👍🏽 🇩🇪🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ⛵️ 1️⃣ ❤️‍🔥 🧑🏿‍🚀"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a tokenizer whose tokens cut characters, and its export."""
    folder = tmp_path_factory.mktemp("offsets")
    characters = EVERY_SIXTEENTH[:20_000:8]
    corpus = [CORPUS, EMOJI, characters, *(f"{one}{one} {one}" for one in characters)]
    Tokenizer.train(corpus, 2000).save(folder / "m.json")
    export(folder / "m.json", "huggingface", folder / "hf")
    return folder


@pytest.fixture(scope="module")
def theirs(folder: Path) -> tokenizers.Tokenizer:
    """Return the export in `tokenizers`."""
    return tokenizers.Tokenizer.from_file(str(folder / "hf" / "tokenizer.json"))


def shown(folder: Path, text: str) -> list[tuple[int, tuple[int, int]]]:
    """Return the ids of a text with their offsets, as `show --json` prints them."""
    result = bpetite("show", "--model", "m.json", "--json", stdin=text.encode(), cwd=folder)
    rows = map(json.loads, result.stdout.splitlines())
    return [(row["id"], (row["start_character"], row["end_character"])) for row in rows]


def check(folder: Path, theirs: tokenizers.Tokenizer, text: str) -> None:
    """Compare the ids and offsets of a text."""
    encoded = theirs.encode(text)
    assert shown(folder, text) == list(zip(encoded.ids, encoded.offsets, strict=True))


def test_offsets_are_hugging_faces_on_any_text(folder: Path, theirs: tokenizers.Tokenizer) -> None:
    """Offsets of `tokenizers`, and the `offset_mapping` of transformers."""
    fast = transformers.PreTrainedTokenizerFast.from_pretrained(folder / "hf")
    for text in (*HOSTILE, CORPUS, EMOJI):
        check(folder, theirs, text)
        mapping = fast(text, return_offsets_mapping=True)["offset_mapping"]
        assert [offsets for _, offsets in shown(folder, text)] == [tuple(one) for one in mapping]
    given(TEXTS.filter(drift().isdisjoint))(lambda text: check(folder, theirs, text))()


def test_offsets_are_hugging_faces_in_all_scripts(
    folder: Path, theirs: tokenizers.Tokenizer
) -> None:
    """Every sixteenth character of Unicode: a token is one or more characters, or a part of one."""
    assert len({*map(script_of, EVERY_SIXTEENTH)}) > 150
    for between in ("", " ", "a"):
        check(folder, theirs, between.join(EVERY_SIXTEENTH))
    artifact = Tokenizer.load(folder / "m.json")._artifact
    assert any(0x80 <= token[0] < 0xC0 for token in artifact.tokens[256:])


VALUES: Final[tuple[Any, ...]] = (*(None, True, False, 0, 1, 0.5, -1, 1 << 32, "", "x", [], {}),)
PLACES: Final[dict[str, list[Any]]] = {
    **{f"model {key}": ["model", key] for key in (
        "unk_token", "fuse_unk", "dropout", "byte_fallback", "ignore_merges",
        "continuing_subword_prefix", "end_of_word_suffix", "type", "merges", "vocab",
    )},
    **{f"top {key}": [key] for key in (
        "version", "truncation", "padding", "normalizer", "pre_tokenizer", "decoder",
        "post_processor", "added_tokens", "model",
    )},
    **{f"added token {key}": ["added_tokens", 0, key] for key in (
        "id", "content", "single_word", "lstrip", "rstrip", "normalized", "special",
    )},
    **{f"{part} {key}": [part, key] for part in ("pre_tokenizer", "decoder", "post_processor")
       for key in ("type", "add_prefix_space", "trim_offsets", "use_regex")},
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_types_that_tokenizers_refuses_are_refused(place: list[Any], tmp_path: Path) -> None:
    """With a value of any type in any place, or without the key, what opens here opens there."""
    for value in (*VALUES, ...):
        content = deepcopy(File().content)
        content["post_processor"] = deepcopy(content["pre_tokenizer"])
        part: Any = content
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = value
        if value is ...:
            del part[place[-1]]
        (path := tmp_path / "theirs.json").write_text(json.dumps(content))
        try:
            import_tokenizer(path, None, tmp_path / "new.json", overwrite=True)
        except ValueError:
            continue
        # The parts of these two change no id.
        if value != {} or place[-1] not in {"truncation", "padding"}:
            load(content)
