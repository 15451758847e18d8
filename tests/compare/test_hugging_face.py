"""Imports from Hugging Face, offsets and Unicode tables, compared by running its libraries."""

import json
import re
import unicodedata
from copy import deepcopy
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import regex
import tokenizers
import transformers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex
from tokenizers.implementations import ByteLevelBPETokenizer
from tokenizers.pre_tokenizers import Split

from bpetite import Tokenizer
from bpetite_compare import export, import_tokenizer
from cli_tools import rows_of
from compare.test_comparison import found_by_tiktoken
from compare_tools import CORPUS, HOSTILE, SPLIT_PATTERNS, vocab_of
from hugging_face_files import (
    ACCEPTED,
    END,
    EQUIVALENT,
    REFUSED,
    SPLIT,
    File,
    made_by,
    several,
    texts_of_pieces,
)
from nasty import alike, drift
from spellings import DEEPSEEK3
from texts import CORPORA, KANA, TEXTS, every_character, texts_in_every_script

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("to", ["huggingface", "gpt2"])
def test_decode_matches_the_comment(to: str, small_model: Path, tmp_path: Path) -> None:
    """A comment in the loading lines says how `decode` treats special tokens, and it is true."""
    exported = export(small_model, to, tmp_path / ("x.json" if to == "huggingface" else "x"))
    said = "# decode() leaves special tokens out, unless skip_special_tokens=False.\n"
    assert said in exported.loading
    names: dict[str, Any] = {}
    exec(exported.loading, names)  # noqa: S102 - a user runs these lines
    assert names["tokenizer"].decode([97, 323]) == "a"
    assert names["tokenizer"].decode([97, 323], skip_special_tokens=False) == f"a{END}"


@given(CORPORA, st.integers(257, 300), st.booleans())
@example(corpus=[":\U00018d80"], size=260, first=False)  # one chunk in Hugging Face, two here
def test_hugging_face_tokenizers_are_imported(corpus: list[str], size: int, first: bool) -> None:
    """Its ids are kept, whether the special token was added before or after training."""
    theirs = ByteLevelBPETokenizer(add_prefix_space=False)
    specials = [END] if first else []
    theirs.train_from_iterator(corpus, size, 1, show_progress=False, special_tokens=specials)
    theirs.add_special_tokens([END])
    with TemporaryDirectory() as name:
        theirs.save(str(path := Path(name) / "theirs.json"))
        import_tokenizer(path, None, new := Path(name) / "new.json")
        ours = Tokenizer.load(new)
    for text in filter(drift().isdisjoint, [*corpus, *HOSTILE, CORPUS]):
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids


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
        finder = Split(Regex(name), behavior="removed", invert=True)
        found = "".join(piece for piece, _ in finder.pre_tokenize_str(every_character()))
        assert {*found} == found_by_tiktoken(name, every_character())


OF_MODELS: Final = {
    "tekken": [SPLIT_PATTERNS["tekken"]],
    "qwen3.5": [SPLIT_PATTERNS["qwen3.5"]],
    "deepseek3": DEEPSEEK3,
}
"""What the `tokenizer.json` of each model splits by, in order; DeepSeek V3 splits three times."""


@pytest.mark.parametrize("name", OF_MODELS)
def test_patterns_for_imports_split_as_the_models_file(name: str) -> None:
    """The chunks of some 28,000 texts are those of the model's own pre-tokenizer."""
    splits = [SPLIT | {"pattern": {"Regex": text}} for text in OF_MODELS[name]]
    file = {
        "model": {"type": "BPE", "vocab": {}, "merges": []},
        "pre_tokenizer": several("pretokenizers", *splits),
    }
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file)).pre_tokenizer
    texts = [*alike(name, 5200), *map("".join, product(KANA, repeat=4)), *texts_in_every_script()]
    split = regex.compile(SPLIT_PATTERNS[name]).findall
    for text in filter(drift(name).isdisjoint, texts):
        assert split(text) == [chunk for chunk, _ in theirs.pre_tokenize_str(text)]


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


VALUES: Final[list[Any]] = [None, True, False, 0, 1, 0.5, -1, 1 << 32, "", "x", [], {}, ...]
BYTE_LEVEL_KEYS: Final = ("type", "add_prefix_space", "trim_offsets", "use_regex")


def places_in(content: dict[str, Any]) -> list[list[Any]]:
    """Return the keys to each value in the parts of a file."""
    settings = ["unk_token", "fuse_unk", "dropout", "byte_fallback", "ignore_merges"]
    settings += ["continuing_subword_prefix", "end_of_word_suffix", "type", "merges", "vocab"]
    places: list[list[Any]] = [[key] for key in (*content, "truncation", "padding")]
    places += [["model", key] for key in settings]
    places += [["added_tokens", 0, key] for key in content["added_tokens"][0]]
    for part in ("pre_tokenizer", "decoder", "post_processor"):
        places += [[part, key] for key in BYTE_LEVEL_KEYS]
    return places


def test_types_that_tokenizers_refuses_are_refused(tmp_path: Path) -> None:
    """With a value of any type in any place, or without the key, what opens here opens there."""
    whole = File().content | {"post_processor": File().content["pre_tokenizer"]}
    for place, value in product(places_in(whole), VALUES):
        content: Any = deepcopy(whole)
        part = content
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
            tokenizers.Tokenizer.from_str(json.dumps(content))


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
    for text in (*HOSTILE, CORPUS, EMOJI):
        check_offsets(folder, text)
        mapping = fast(text, return_offsets_mapping=True)["offset_mapping"]
        assert theirs.encode(text).offsets == [tuple(one) for one in mapping]
    given(TEXTS.filter(drift().isdisjoint))(lambda text: check_offsets(folder, text))()


def test_offsets_are_hugging_faces_in_all_scripts(folder: Path) -> None:
    """Every sixteenth character of Unicode: a token is one or more characters, or a part of one."""
    assert len({unicodedata.name(one, "").split(" ")[0] for one in EVERY_SIXTEENTH}) > 150
    for between in ("", " ", "a"):
        check_offsets(folder, between.join(EVERY_SIXTEENTH))
    tokens = vocab_of(Tokenizer.load(folder / "m.json")).values()
    assert any(len(token) > 1 and 0x80 <= token[0] < 0xC0 for token in tokens)
