"""The sample tokenizers, docs/samples/*.json, trained on three large texts.

The explorer has their merges in a script, docs/explorer/samples.js: a page opened from a disk
cannot fetch files.

BPETITE_DATA names the folder of the texts, prose.txt.xz, code.txt.xz and multilingual.txt.xz,
which docs/pictures.md also uses. Without them the committed file stays unchanged.
"""

import json
import lzma
import os
import sys
from pathlib import Path
from typing import Final

from bpetite import Tokenizer

VOCAB_SIZE: Final = 4096
SAMPLES: Final = {"prose": "prose", "code": "code", "scripts": "multilingual"}
"""The name of each sample, and of its text."""

_PAIRS_PER_LINE: Final = 12
_HEAD: Final = """\
"use strict";

// Made by scripts/generate: the merges of three tokenizers with {size:,} mergeable tokens each.
const samples = {{
"""


def files() -> dict[Path, str]:
    """Return the tokenizer files, and the script."""
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
