"""`bpetite import` of 1,500 damaged files: each is refused briefly, or opens with its ids."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any, Final

import gguf as gguf_package
import pytest
import tokenizers

from artifacts import GONE, changed, positions_in
from bpetite import Tokenizer
from bpetite_compare._formats import to_gguf
from bpetite_compare._gguf import read_header
from cli_tools import bpetite, refused, terminal_width
from compare.test_import import name, ranks, tekken
from compare_tools import HOSTILE
from hugging_face_files import (
    BYTE_LEVEL,
    DEEPSEEK3,
    MERGES,
    TEMPLATE,
    File,
    added,
    both,
    model,
    named,
    several,
    splits,
    top,
)
from nasty import drift

pytestmark = pytest.mark.thorough

ODD: Final[tuple[Any, ...]] = (
    *(GONE, None, True, False, 0, 97, -1, 0.5, 1 << 21, 1 << 63, 10**499, 1e308, "", "x", "a b"),
    *("\ud800", "\x1b[2J\r", "the", "{" * 99, "é" * 999, [], [[]], ["t", "h"], {}, {"type": []}),
    *({"Regex": "e"}, {"type": "Sequence"}, {"type": "Lowercase"}),
)


def huggingface() -> File:
    """Return a `tokenizer.json` with all parts."""
    settings = {"unk_token": None, "fuse_unk": False, "continuing_subword_prefix": ""}
    settings |= {"end_of_word_suffix": "", "byte_fallback": False, "ignore_merges": True}
    change = both(
        top(truncation=None, padding=None, normalizer=several("normalizers")),
        top(post_processor=several("processors", BYTE_LEVEL, TEMPLATE)),
        splits(*DEEPSEEK3),
        model(dropout=None, **settings),
        named("<tool>", normalized=True),
    )
    change(file := File())
    return file


VOCAB: Final[list[str]] = [*huggingface().model["vocab"]]
FIELDS: Final[dict[str, Any]] = {
    "general.name": "é" * 9,
    "general.file_type": 7,
    "general.tags": ["a", "b"],
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "llama-bpe",
    "tokenizer.ggml.add_bos_token": True,
    "tokenizer.ggml.bos_token_id": 267,
    "tokenizer.ggml.merges": [*MERGES],
    "tokenizer.ggml.token_type": [1] * (len(VOCAB) - 1) + [3],
    "tokenizer.ggml.tokens": VOCAB,
}
"""The fields of a GGUF file."""


CONFIG: Final = {"added_tokens_decoder": {"300": added("<|endoftext|>", 300, special=True)}}
FORMS: Final[list[dict[str, bytes]]] = [
    {"tokenizer.json": json.dumps(huggingface().content).encode()},
    {"tekken.json": tekken(name(1, "<s>"))},
    {"a.tiktoken": ranks(), "tokenizer_config.json": json.dumps(CONFIG).encode()},
    {
        "vocab.json": json.dumps(huggingface().model["vocab"]).encode(),
        "merges.txt": "\n".join(["#version: 0.2", *MERGES, ""]).encode(),
    },
    {"a.gguf": to_gguf(FIELDS)},
]


def changed_value(data: bytes, random: Random) -> bytes:
    """Return JSON with one value replaced or removed, at any depth."""
    content: dict[str, Any] = json.loads(data)
    places = positions_in(content)[1:]
    depth = random.randint(1, max(map(len, places)))
    place = random.choice([one for one in places if len(one) == depth])
    return json.dumps(changed((place, random.choice(ODD)), valid=content)).encode()


def changed_field(data: bytes, random: Random) -> bytes:
    """Return a GGUF file with another value of one field, or in its list."""
    name = random.choice([*FIELDS])
    value = random.choice([True, 0, 5, "", "x", "é" * 999, [], [3], ["a"], FIELDS[name]])
    if isinstance(value, list) and value:
        odd = random.choice([0, 2, 4, 5, 9, 1 << 30] if isinstance(value[0], int) else VOCAB)
        value = [*value]
        value[random.randrange(len(value))] = odd
        value = value[: random.choice([1, -1, None, None, None])]
    return to_gguf(FIELDS | {name: value})


def changed_bytes(data: bytes, random: Random) -> bytes:
    """Return data that is cut off, or has a few bytes changed, removed or doubled."""
    # Half of them at the begin, where the header of a GGUF file has its sizes.
    start = random.randrange(random.choice([len(data), min(len(data), 700)]))
    end = start + random.choice([1, 1, 2, 9, 500])
    part = data[start:end]
    odd = random.choice([b"", part * 2, random.randbytes(len(part)), b"9", b"\n", b"="])
    return data[:start] + random.choice([b"", odd + data[end:]])


BY_VALUE: Final = {".json": changed_value, ".gguf": changed_field}


def check_same(theirs: Path, ours: Path) -> None:
    """Check that the library reads the damaged file too, and the ids of texts."""
    found: dict[str, Any] = json.loads(theirs.read_bytes())
    # tokenizers refuses any other key, which has no meaning.
    content = {key: value for key, value in found.items() if key in huggingface().content}
    content |= dict.fromkeys(("truncation", "padding", "post_processor"))  # which change no id
    library = tokenizers.Tokenizer.from_str(json.dumps(content))
    tokenizer = Tokenizer.load(ours)
    for text in filter(drift().isdisjoint, [*HOSTILE, "the  the abc é the<tool> <s>"]):
        expected = library.encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text) == expected, (text, theirs.read_text())


def check_fields(path: Path) -> None:
    """Check that llama.cpp's package reads the same fields of the tokenizer."""
    fields = gguf_package.GGUFReader(path).fields
    found = {name: one.contents() for name, one in fields.items() if name.startswith("tokenizer.")}
    assert found == read_header(str(path), ("tokenizer.",))


@pytest.mark.parametrize("files", FORMS, ids=list)
def test_damaged_files_end_in_four_lines(files: dict[str, bytes], tmp_path: Path) -> None:
    """Each error fits four lines of 80 columns; what opens has the ids of the library."""
    random = Random(35)
    words = ["import", ".", "-o", "new.json", "--force"]
    words += ["--pattern", "tekken"] if "a.tiktoken" in files else []
    for _ in range(300):
        target = random.choice([*files])
        by_value = random.random() < 0.7
        change = BY_VALUE.get(target[-5:], changed_bytes) if by_value else changed_bytes
        damaged = files | {target: change(files[target], random)}
        for one, content in damaged.items():
            (tmp_path / one).write_bytes(content)
        result = bpetite(*words, cwd=tmp_path)
        if result.returncode:
            shown = refused(result)
            told = shown, damaged[target][:3000]
            assert sum(terminal_width(line) // 80 + 1 for line in shown) <= 4, told
            assert not re.search("bug|codec|Traceback", shown[0]), told
        elif target == "tokenizer.json":
            check_same(tmp_path / target, tmp_path / "new.json")
        elif target == "a.gguf":
            check_fields(tmp_path / target)
