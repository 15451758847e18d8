"""Hugging Face's tokenizers, version 0 or 1, loads an export of each pattern and has its ids.

Version 0 is in the group `thorough`. Version 1, a release candidate, needs its own environment:

    uv run --isolated --only-group only-compare --with "tokenizers==1.0.0rc3" \
      pytest -m thorough tests/compare/test_tokenizers_1.py
"""

from pathlib import Path

import pytest
import regex

from bpetite._inner import ALL_PATTERNS
from bpetite_compare import export
from compare_tools import HOSTILE
from nasty import OWN, alike, saved

pytestmark = pytest.mark.thorough
tokenizers = pytest.importorskip("tokenizers", reason="it is not installed")

UNKNOWN_IN_1 = {"kimi", "qwen3.5", "starcoder"}
"""Version 1 has no engine for regular expressions, and does not know these."""
WRONG_IN_1 = {"nanochat": r"'\u017f|\p{N}{3}"}
"""Where version 1 has other ids: numbers of three digits, and this letter, a small s to them."""


@pytest.mark.parametrize("name", ALL_PATTERNS)
def test_an_export_has_the_same_ids(name: str, tmp_path: Path) -> None:
    """The library cuts and merges as bpetite does, and decodes the ids to the text."""
    ours = saved(OWN, name, "huggingface", model := tmp_path / "model.json")
    export(model, "huggingface", path := tmp_path / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(path))
    texts = [*HOSTILE, *alike(name, 3000)]
    candidate = tokenizers.__version__ == "1.0.0-rc.3"
    if candidate and name in UNKNOWN_IN_1:
        with pytest.raises(ValueError, match="enable the `fancy-regex` feature"):
            theirs.encode("a b")
        return
    if candidate:
        wrong = WRONG_IN_1.get(name, "'\u017f")
        texts = [text for text in texts if not regex.search(wrong, text)]
    for text in texts:
        ids = ours.encode(text)
        assert theirs.encode(text, add_special_tokens=False).ids == ids, text
        assert theirs.decode(ids, skip_special_tokens=False) == text
