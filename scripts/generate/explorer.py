"""The explorer's patterns and sample tokenizers, as scripts.

docs/explorer/patterns.js has the patterns of the core as JavaScript writes them.

docs/explorer/samples.js has the merges of docs/samples/*.json: a page opened from a disk cannot
fetch files. Each sample is what `bpetite train --vocab-size 4096` learned from a large text.
"""

import base64
import json
import re
import sys
from pathlib import Path
from typing import Final

import regex

from bpetite._patterns import ALL_PATTERNS, PATTERNS
from generate.command import ROOT

SAMPLES: Final = {"prose": "gpt2", "code": "gpt2", "code-gpt4": "gpt4", "scripts": "gpt2"}
"""The pattern of each sample."""

_SCRIPT: Final = """\
"use strict";

// Made by scripts/generate: the tokenizers of docs/samples, with 4,096 mergeable tokens each.
// A merge is two ids, each in two digits of base 64: the first of all digits is 0, the last 63.
const samples = (() => {{
  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const idOf = ([high, low]) => 64 * DIGITS.indexOf(high) + DIGITS.indexOf(low);
  const unpacked = (packed) =>
    packed.match(/\\S{{4}}/g).map((merge) => [idOf(merge.slice(0, 2)), idOf(merge.slice(2))]);
  return {{
{entries}  }};
}})();

if (typeof module !== "undefined") module.exports = samples;
"""
_PATTERNS: Final = """\
"use strict";

// Made by scripts/generate: each split pattern, as tokenizer files have it and as a regular
// expression. `\\s` of JavaScript lacks U+0085 and has U+FEFF. Not every engine knows (?i:...),
// so a letter is a set of all characters that `regex` takes for it: s becomes [sS\\u017f].
// Only files from schema version 3 on have the patterns that are not for training.
const patterns = {{
{entries}}};

if (typeof module !== "undefined") module.exports = patterns;
"""
_ANY_CASE: Final = re.compile(r"\(\?i:([a-z'|]+)\)")


def files() -> dict[Path, str]:
    """Return the scripts."""
    entries = "".join(
        f"  {json.dumps(name)}: {{\n    text: {json.dumps(pattern.text)},\n"
        f"    regExp: /{in_javascript(pattern.text)}/gu,\n"
        f"    forTraining: {json.dumps(name in PATTERNS)},\n  }},\n"
        for name, pattern in ALL_PATTERNS.items()
    )
    return {
        Path("docs/explorer/patterns.js"): _PATTERNS.format(entries=entries),
        Path("docs/explorer/samples.js"): _samples(),
    }


def in_javascript(text: str) -> str:
    """Return a pattern in the syntax of JavaScript, between slashes and with the flag `u`."""
    text = _ANY_CASE.sub(lambda group: f"(?:{re.sub('[a-z]', _any_case, group[1])})", text)
    text = text.replace(r"\s", r"\p{White_Space}").replace(r"\S", r"\P{White_Space}")
    return text.replace(r"\p{Han}", r"\p{Script=Han}").replace("/", r"\/")


def _any_case(letter: re.Match[str]) -> str:
    """Return the set of all characters that match a letter in any case."""
    found = regex.findall(f"(?i:{letter[0]})", "".join(map(chr, range(sys.maxunicode + 1))))
    others = [character for character in found if character != letter[0]]
    return f"[{letter[0]}{''.join(others)}]".encode("ascii", "backslashreplace").decode("ascii")


def _samples() -> str:
    """Return the script that has the samples."""
    entries = ""
    for name, pattern in SAMPLES.items():
        sample = json.loads((ROOT / "docs" / "samples" / f"{name}.json").read_bytes())
        special = sorted(sample["special_tokens"], key=sample["special_tokens"].__getitem__)
        packed = (left << 12 | right for left, right in sample["merges"])
        digits = base64.encodebytes(b"".join(merge.to_bytes(3, "big") for merge in packed))
        entries += (
            f"    {json.dumps(name)}: {{\n      pattern: {json.dumps(pattern)},\n"
            f"      specialTokens: {json.dumps(special)},\n"
            f"      merges: unpacked(`\n{digits.decode()}`),\n    }},\n"
        )
    return _SCRIPT.format(entries=entries)
