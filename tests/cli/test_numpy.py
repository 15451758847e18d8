"""Numpy reads the files of ids that `encode` writes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bpetite import Tokenizer
from cli_tools import bpetite

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(("name", "dtype"), [("u16", "<u2"), ("u32", "<u4")])
def test_numpy_maps_the_file(here: Path, tokenizer: Tokenizer, name: str, dtype: str) -> None:
    """`numpy.memmap` reads the ids of the text from a file."""
    tokenizer.save("m.json")
    text = "ab 船夫 ab\n<|endoftext|>" * 40
    output = ("--format", name, "--output", "ids.bin")
    assert bpetite("encode", "--model", "m.json", "--text", text, *output, cwd=here).returncode == 0
    ids: np.memmap[Any, Any] = np.memmap("ids.bin", dtype=dtype, mode="r")
    assert ids.tolist() == tokenizer.encode(text)
