"""The candidate of Hugging Face's tokenizers 1 loads an export and has its ids, with exceptions.

It needs its own environment; `test_export_ids.py` has version 0.

    uv run --isolated --only-group only-compare --with "tokenizers==1.0.0rc3" \
      pytest -m thorough tests/compare/test_tokenizers_1.py
"""

from pathlib import Path

import pytest
import regex

from bpetite import Tokenizer
from bpetite._inner import ALL_PATTERNS
from bpetite_compare import export
from compare_tools import HOSTILE, write_tokenizer
from nasty import OWN, alike, saved

pytestmark = pytest.mark.thorough
tokenizers = pytest.importorskip("tokenizers", reason="it is not installed")
if tokenizers.__version__ != "1.0.0-rc.3":
    pytest.skip("tokenizers is not 1.0.0rc3", allow_module_level=True)

UNKNOWN = {"kimi", "qwen3.5", "starcoder"}
"""It has no engine for regular expressions, and does not know these."""
WRONG = dict.fromkeys(("gpt4", "gpt4o", "qwen2"), "'\u017f") | {"nanochat": r"'\u017f|\p{N}{3}"}
"""Where it has other ids: numbers of three digits, and this letter, a small s to the patterns."""


@pytest.mark.parametrize("name", ALL_PATTERNS)
def test_an_export_has_the_same_ids(name: str, tmp_path: Path) -> None:
    """It cuts and merges as bpetite does, except where docs/use-with.md says not."""
    ours = saved(OWN, name, "huggingface", model := tmp_path / "model.json")
    export(model, "huggingface", path := tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    if name in UNKNOWN:
        with pytest.raises(ValueError, match="enable the `fancy-regex` feature"):
            theirs.encode("a b")
        return
    texts = [*HOSTILE, *alike(name, 3000)]
    ids = list(map(ours.encode, texts))
    assert [theirs.decode(one, skip_special_tokens=False) for one in ids] == texts
    found = [theirs.encode(text, add_special_tokens=False).ids for text in texts]
    wrong = [text for text, one, other in zip(texts, ids, found, strict=True) if one != other]
    assert [text for text in wrong if not regex.search(WRONG.get(name, "(?!)"), text)] == []


@pytest.mark.parametrize(
    ("name", "text"), [*((name, "x'\u017fa") for name in WRONG), ("nanochat", "123")]
)
def test_where_it_has_other_ids(name: str, text: str, tmp_path: Path) -> None:
    """It joins the apostrophe and all letters, or three digits, into one chunk."""
    merges = [(0xBF, 97), (0xC5, 0xBF), (50, 51)]
    model = write_tokenizer(tmp_path / "model.json", merges, pattern=name)
    export(model, "huggingface", path := tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    assert theirs.encode(text).ids != Tokenizer.load(model).encode(text)
