"""Imports from Hugging Face, offsets and Unicode tables, compared by running its libraries."""

import json
import re
from pathlib import Path
from random import Random
from typing import Final

import pytest
import regex
import tokenizers
import transformers
from hypothesis import given
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from bpetite import Tokenizer
from bpetite_compare import export, import_tokenizer
from cli_tools import rows_of
from compare.test_comparison import found_by_tiktoken
from compare_tools import CORPUS, HOSTILE, SPLIT_PATTERNS
from hugging_face_files import ACCEPTED, EQUIVALENT, REFUSED, File, made_by, texts_of_pieces
from nasty import drift
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
        finder = Split(Regex(name), behavior="removed", invert=True)
        found = "".join(piece for piece, _ in finder.pre_tokenize_str(every_character()))
        assert {*found} == found_by_tiktoken(name, every_character())


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
