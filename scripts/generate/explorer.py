"""The explorer's patterns, and the sample tokenizers, trained on three large texts.

docs/explorer/patterns.js has the patterns of the core as JavaScript writes them.

The samples are docs/samples/*.json. The explorer has their merges in a script,
docs/explorer/samples.js: a page opened from a disk cannot fetch files.

BPETITE_DATA names the folder of the texts, prose.txt.xz, code.txt.xz and multilingual.txt.xz,
which docs/pictures.md also uses. Without them the committed file stays unchanged.
"""

import json
import lzma
import os
import re
import sys
from pathlib import Path
from typing import Final

import regex

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS, PATTERNS

VOCAB_SIZE: Final = 4096
SAMPLES: Final = {"prose": "prose", "code": "code", "scripts": "multilingual"}
"""The name of each sample, and of its text."""

_PAIRS_PER_LINE: Final = 12
_HEAD: Final = """\
"use strict";

// Made by scripts/generate: the merges of three tokenizers with {size:,} mergeable tokens each.
const samples = {{
"""
_PATTERNS: Final = """\
"use strict";

// Made by scripts/generate: each split pattern, as tokenizer files have it and as a regular
// expression. `\\s` of JavaScript lacks U+0085 and has U+FEFF. Not every engine knows (?i:...),
// so a letter is a set of all characters that `regex` takes for it: s becomes [sS\\u017f].
// Only files of schema version 3 have the patterns that are not for training.
const patterns = {{
{entries}}};

if (typeof module !== "undefined") module.exports = patterns;
"""
_ANY_CASE: Final = re.compile(r"\(\?i:([a-z'|]+)\)")


def files() -> dict[Path, str]:
    """Return the scripts, and the tokenizer files."""
    entries = "".join(
        f"  {json.dumps(name)}: {{\n    text: {json.dumps(pattern.text)},\n"
        f"    regExp: /{in_javascript(pattern.text)}/gu,\n"
        f"    forTraining: {json.dumps(name in PATTERNS)},\n  }},\n"
        for name, pattern in ALL_PATTERNS.items()
    )
    return {Path("docs/explorer/patterns.js"): _PATTERNS.format(entries=entries), **_samples()}


def in_javascript(text: str) -> str:
    """Return a pattern in the syntax of JavaScript, between slashes and with the flag `u`."""
    text = _ANY_CASE.sub(lambda group: f"(?:{re.sub('[a-z]', _any_case, group[1])})", text)
    text = text.replace(r"\s", r"\p{White_Space}").replace(r"\S", r"\P{White_Space}")
    return text.replace("/", r"\/")


def _any_case(letter: re.Match[str]) -> str:
    """Return the set of all characters that match a letter in any case."""
    found = regex.findall(f"(?i:{letter[0]})", "".join(map(chr, range(sys.maxunicode + 1))))
    others = [character for character in found if character != letter[0]]
    return f"[{letter[0]}{''.join(others)}]".encode("ascii", "backslashreplace").decode("ascii")


def _samples() -> dict[Path, str]:
    folder = Path(os.environ.get("BPETITE_DATA", ""))
    texts = {name: folder / f"{text}.txt.xz" for name, text in SAMPLES.items()}
    if missing := [path.name for path in texts.values() if not path.is_file()]:
        print(
            f"explorer: skipped, because BPETITE_DATA names no folder with {missing[0]}",
            file=sys.stderr,
        )
        return {}
    made, script = {}, _HEAD.format(size=VOCAB_SIZE)
    for name, path in texts.items():
        with lzma.open(path) as file:
            text = file.read().decode("utf-8")
        artifact = Tokenizer.train(text, VOCAB_SIZE)._artifact
        made[Path(f"docs/samples/{name}.json")] = artifact.to_bytes().decode("ascii")
        merges = artifact.merges
        starts = range(0, len(merges), _PAIRS_PER_LINE)
        pairs = (merges[start : start + _PAIRS_PER_LINE] for start in starts)
        rows = [json.dumps(row, separators=(",", ":"))[1:-1] for row in pairs]
        script += f"  {name}: [\n    " + ",\n    ".join(rows) + ",\n  ],\n"
    return {**made, Path("docs/explorer/samples.js"): script + "};\n"}
