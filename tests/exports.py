"""Load exports as their users do: in Python with the printed lines."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bpetite_compare import export

EVERY_FORM = (
    "tiktoken",
    pytest.param("huggingface", marks=pytest.mark.thorough),
    pytest.param("gpt2", marks=pytest.mark.thorough),
)
"""The forms of an export; the readers of the last two are in the group `thorough`."""


def load_back(
    model: Path, to: str, folder: Path
) -> tuple[Callable[[str], list[int]], Callable[[list[int]], str]]:
    """Export a model, run the lines that load it, and return its encode and decode functions."""
    # Of Hugging Face's two forms, the one that `tokenizers` reads.
    output = folder / ("exported.json" if to == "huggingface" else "exported")
    names: dict[str, Any] = {}
    exec(export(model, to, output, overwrite=True).loading, names)  # noqa: S102 - as users do
    if to == "tiktoken":
        encode, decode = names["encoding"].encode, names["encoding"].decode
        return partial(encode, allowed_special="all"), partial(decode, errors="strict")
    encode, decode = names["tokenizer"].encode, names["tokenizer"].decode
    return lambda text: list(encode(text).ids), partial(decode, skip_special_tokens=False)
