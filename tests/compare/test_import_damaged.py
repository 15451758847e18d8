"""`bpetite import` of 1,000 damaged files: each is refused briefly, or opens with its ids."""

import json
import re
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import tokenizers

from bpetite import Tokenizer
from cli_tools import bpetite, refused, terminal_width
from compare.test_import import name, ranks, tekken
from compare_tools import HOSTILE
from hugging_face_files import (
    BYTE_LEVEL,
    END,
    MERGES,
    TEMPLATE,
    File,
    both,
    model,
    named,
    several,
    splits,
    top,
)
from nasty import drift
from spellings import DEEPSEEK3

pytestmark = pytest.mark.thorough

NUMBER: Final = 1000
VALUES: Final = [None, True, False, 0, 1, 97, -1, 0.5, -0.0, 1 << 21, 1 << 63, 10**499, 1e308]
TEXTS: Final = ["", "x", "\n", "\ud800", "\x1b[2J\r", "a b", "the", END, "NFC", "BPE"]
LONG: Final = ["{" * 99, "é" * 999, "\n" * 999]
LISTS: Final = [[], [[]], [None], [1, 2], ["t", "h"]]
OBJECTS: Final = [{}, {"": {}}, {"type": []}, {"String": "e"}, {"Regex": "e"}, {"id": "A"}]
TYPES: Final = [{"type": "Sequence"}, {"type": "Lowercase"}, {"type": "NFC"}]
ODD: Final[list[Any]] = [*VALUES, *TEXTS, *LONG, *LISTS, *OBJECTS, *TYPES]
DEEP: Final = ("[" * 40 + "]" * 40, '{"a":' * 40 + "1" + "}" * 40, "[" * 10**5, "9" * 5000, "1e999")


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


CONFIG: Final = {"added_tokens_decoder": {"300": {**huggingface().content["added_tokens"][0]}}}
del CONFIG["added_tokens_decoder"]["300"]["id"]
"""A `tokenizer_config.json`."""
FORMS: Final[list[dict[str, bytes]]] = [
    {"tokenizer.json": json.dumps(huggingface().content).encode()},
    {"tekken.json": tekken(name(1, "<s>"), version="v3")[0]},
    {"a.tiktoken": ranks()[0], "tokenizer_config.json": json.dumps(CONFIG).encode()},
    {
        "vocab.json": json.dumps(huggingface().model["vocab"]).encode(),
        "merges.txt": "\n".join(["#version: 0.2", *MERGES, ""]).encode(),
    },
]


def damaged(data: bytes, random: Random) -> bytes:
    """Return a file with one or two faults."""
    faults = [changed_value, changed_value, bytes_changed] if data[:1] == b"{" else [bytes_changed]
    for _ in range(random.choice([1, 1, 2])):
        with suppress(ValueError, RecursionError, IndexError):  # JSON no more, or {}
            data = random.choice(faults)(data, random)
    return data


def bytes_changed(data: bytes, random: Random) -> bytes:
    """Return data that is cut off, or has a few bytes changed, removed, doubled or moved."""
    start = random.randrange(len(data) or 1)
    end = min(len(data), start + random.choice([1, 1, 2, 9, 500]))
    part = data[start:end]
    odd = random.choice([b"", part * 2, part[::-1], random.randbytes(len(part)), b"9", b"\n", b"="])
    return random.choice([data[:start], data[start:], *[data[:start] + odd + data[end:]] * 8])


def changed_value(data: bytes, random: Random) -> bytes:
    """Return JSON with one value replaced or removed, or one key doubled."""
    content = json.loads(data)
    place: Any = content
    while True:
        key = random.choice([*place] if isinstance(place, dict) else [*range(len(place))])
        inner = place[key]
        if not (isinstance(inner, (dict, list)) and inner) or random.random() < 0.2:
            break
        place = inner
    odd = random.choice([*ODD, *DEEP])
    if random.random() < 0.2:
        del place[key]
    elif random.random() < 0.2 and isinstance(place, dict):
        place[random.choice(["", "id", "\ud800", *map(str, ODD)])] = place.pop(key)
    elif random.random() < 0.1:
        place[key], odd = "HERE", f'0, "{key}": 1'
    else:
        place[key] = "HERE" if odd in DEEP else odd
    return json.dumps(content).replace('"HERE"', str(odd)).encode()


def check_same(theirs: Path, ours: Path) -> None:
    """Check the ids of texts, if the library also reads the damaged file."""
    try:
        library = tokenizers.Tokenizer.from_file(str(theirs))
    except Exception:  # noqa: BLE001 - of any kind
        return
    tokenizer = Tokenizer.load(ours)
    for text in filter(drift().isdisjoint, [*HOSTILE, "the  the abc é the<tool> <s>"]):
        expected = library.encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text) == expected, (text, theirs.read_text())


@pytest.mark.parametrize("files", FORMS, ids=list)
def test_damaged_files_end_in_four_lines(files: dict[str, bytes], tmp_path: Path) -> None:
    """Each error fits four lines of 80 columns; what opens has the ids of the library."""
    random, seen = Random(35), set[bytes]()
    words = ["import", ".", "-o", "new.json", "--force"]
    words += ["--pattern", "tekken"] if "a.tiktoken" in files else []
    while len(seen) < NUMBER // len(FORMS):
        target = random.choice([*files])
        content = damaged(files[target], random)
        for one, whole in files.items():
            (tmp_path / one).write_bytes(content if one == target else whole)
        result = bpetite(*words, cwd=tmp_path)
        if result.returncode:
            check_short(refused(result), content)
            seen.add(content)
        elif target == "tokenizer.json":
            check_same(tmp_path / target, tmp_path / "new.json")


def check_short(shown: list[str], content: bytes) -> None:
    """Check that an error has at most four lines of 80 columns, for people."""
    assert sum(terminal_width(line) // 80 + 1 for line in shown) <= 4, (shown, content[:3000])
    assert not re.search("bug|codec|Traceback", shown[0]), (shown, content[:3000])
