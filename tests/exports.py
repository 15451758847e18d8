"""Load exports as their users do, and compare their ids with those of the tokenizer."""

import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from bpetite import Tokenizer
from bpetite_compare import export
from bpetite_compare._engines import drift
from compare_tools import CORPUS

EVERY_FORM = (
    "tiktoken",
    *(pytest.param(to, marks=pytest.mark.thorough) for to in ("huggingface", "gpt2")),
)
"""The forms of an export; the readers of the last two are in the group `thorough`."""

_ENDING = {"huggingface": ".json"}
Encode = Callable[[str], list[int]]
Decode = Callable[[list[int]], str]


def load_back(model: Path, to: str, folder: Path) -> tuple[Encode, Decode]:
    """Export a model, run the lines that load it, and return its encode and decode functions."""
    # Of Hugging Face's two forms, the one that `tokenizers` reads.
    exported = export(model, to, folder / f"exported{_ENDING.get(to, '')}", overwrite=True)
    names: dict[str, Any] = {}
    exec(exported.loading, names)  # noqa: S102 - a user runs these lines
    if to == "tiktoken":
        encode, decode = names["encoding"].encode, names["encoding"].decode
        return partial(encode, allowed_special="all"), partial(decode, errors="strict")
    encode, decode = names["tokenizer"].encode, names["tokenizer"].decode
    return lambda text: list(encode(text).ids), partial(decode, skip_special_tokens=False)


def _exported(tokenizer: Tokenizer, to: str) -> tuple[Encode, Decode]:
    """Return the export of a tokenizer, loaded by a library."""
    with TemporaryDirectory() as folder:
        tokenizer.save(model := Path(folder) / "model.json")
        return load_back(model, to, Path(folder))


@cache
def _trained(to: str) -> tuple[Tokenizer, Encode, Decode]:
    """Return a tokenizer, and its export loaded by a library."""
    tokenizer = Tokenizer.train(CORPUS, 320)
    return tokenizer, *_exported(tokenizer, to)


def check_ids(to: str, text: str) -> None:
    """Encode and decode a text with an export; if Unicode tables differ, compare only the texts."""
    tokenizer, encode, decode = _trained(to)
    ids = tokenizer.encode(text)
    assert decode(ids) == text
    if drift().isdisjoint(text):
        assert encode(text) == ids


def run_loading_lines(model: Path, to: str, folder: Path) -> None:
    """Run the lines that load an export as a separate program."""
    exported = export(model, to, folder / f'it\'s "odd" \\ é{_ENDING.get(to, "")}')
    done = subprocess.run(
        [sys.executable, "-c", exported.loading], capture_output=True, cwd="/", check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
