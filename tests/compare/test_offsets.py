"""`show --json` has the offsets in characters that Hugging Face gives for an export."""

import json
from pathlib import Path
from typing import Final

import pytest
import tokenizers
import transformers
from hypothesis import given

from bpetite import Tokenizer
from bpetite_cli.views.scripts import script_of
from bpetite_compare import export
from bpetite_compare._engines import drift
from cli_tools import bpetite
from compare_tools import CORPUS, HOSTILE
from texts import TEXTS, every_character

pytestmark = pytest.mark.thorough

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


@pytest.mark.parametrize("text", [*HOSTILE, CORPUS, EMOJI])
def test_offsets_are_hugging_faces_on_hostile_texts(
    folder: Path, theirs: tokenizers.Tokenizer, text: str
) -> None:
    """Offsets of `tokenizers`, and the `offset_mapping` of transformers."""
    check(folder, theirs, text)
    fast = transformers.AutoTokenizer.from_pretrained(folder / "hf")
    mapping = fast(text, return_offsets_mapping=True)["offset_mapping"]
    assert [offsets for _, offsets in shown(folder, text)] == [tuple(one) for one in mapping]


@given(text=TEXTS)
def test_offsets_are_hugging_faces_on_any_text(
    folder: Path, theirs: tokenizers.Tokenizer, text: str
) -> None:
    if drift().isdisjoint(text):
        check(folder, theirs, text)


def test_offsets_are_hugging_faces_in_all_scripts(
    folder: Path, theirs: tokenizers.Tokenizer
) -> None:
    """Every sixteenth character of Unicode: a token is one or more characters, or a part of one."""
    assert len({*map(script_of, EVERY_SIXTEENTH)}) > 150
    for between in ("", " ", "a"):
        check(folder, theirs, between.join(EVERY_SIXTEENTH))
    artifact = Tokenizer.load(folder / "m.json")._artifact
    assert any(0x80 <= token[0] < 0xC0 for token in artifact.tokens[256:])
