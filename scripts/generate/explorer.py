"""The explorer's patterns, and the sample tokenizers, trained on large texts.

docs/explorer/patterns.js has the patterns of the core as JavaScript writes them.

The samples are docs/samples/*.json. The explorer has their merges in a script,
docs/explorer/samples.js: a page opened from a disk cannot fetch files.

BPETITE_DATA names the folder of the texts, prose.txt.xz, code.txt.xz and multilingual.txt.xz.
Without them the committed file stays unchanged.
"""

import base64
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
_CHAT: Final = ("<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>")
SAMPLES: Final = {
    "prose": ("prose", "gpt2", _CHAT[:1]),
    "code": ("code", "gpt2", _CHAT[:1]),
    "code-gpt4": ("code", "gpt4", _CHAT),
    "scripts": ("multilingual", "gpt2", _CHAT[:1]),
}
"""The name of each sample, and its text, pattern and special tokens."""

_SCRIPT: Final = """\
"use strict";

// Made by scripts/generate: the tokenizers of docs/samples, with {size:,} mergeable tokens each.
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
    missing = [path for text, *_ in SAMPLES.values() if not (path := _path(text)).is_file()]
    if missing:
        print(
            f"explorer: skipped, because BPETITE_DATA names no folder with {missing[0].name}",
            file=sys.stderr,
        )
        return {}
    made, entries = {}, ""
    for name, (text, pattern, special) in SAMPLES.items():
        with lzma.open(_path(text)) as file:
            corpus = file.read().decode("utf-8")
        tokenizer = Tokenizer.train(corpus, VOCAB_SIZE, pattern=pattern, special_tokens=special)
        made[Path(f"docs/samples/{name}.json")] = tokenizer._artifact.to_bytes().decode("ascii")
        packed = (left << 12 | right for left, right in tokenizer._artifact.merges)
        digits = base64.encodebytes(b"".join(merge.to_bytes(3, "big") for merge in packed))
        entries += (
            f"    {json.dumps(name)}: {{\n      pattern: {json.dumps(pattern)},\n"
            f"      specialTokens: {json.dumps(special)},\n"
            f"      merges: unpacked(`\n{digits.decode()}`),\n    }},\n"
        )
    script = _SCRIPT.format(size=VOCAB_SIZE, entries=entries)
    return {**made, Path("docs/explorer/samples.js"): script}


def _path(text: str) -> Path:
    return Path(os.environ.get("BPETITE_DATA", "")) / f"{text}.txt.xz"
