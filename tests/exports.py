"""Load exports as their users do: in Python with the printed lines, or as llama.cpp's fields."""

import struct
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


_GGUF_NUMBERS = {4: "<I", 5: "<i", 7: "<?"}


def read_gguf(path: Path) -> dict[str, Any]:
    """Return the fields of a file in llama.cpp's format, which has no tensors."""
    data, place = path.read_bytes(), 24

    def number(form: str) -> Any:  # noqa: ANN401 - of the file
        nonlocal place
        (found,) = struct.unpack_from(form, data, place)
        place += struct.calcsize(form)
        return found

    def value(kind: int) -> Any:  # noqa: ANN401 - of the file
        nonlocal place
        if kind == 8:
            start = place + 8
            place = start + number("<Q")
            return data[start:place].decode()
        if kind == 9:
            kind, size = number("<I"), number("<Q")
            return [value(kind) for _ in range(size)]
        return number(_GGUF_NUMBERS[kind])

    magic, version, tensors, count = struct.unpack_from("<4sIQQ", data)
    assert (magic, version, tensors) == (b"GGUF", 3, 0)
    fields = {value(8): value(number("<I")) for _ in range(count)}
    assert place == len(data)
    return fields
