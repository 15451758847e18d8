"""What the comparison's tests share: hand-made artifacts, and hostile texts."""

import base64
import lzma
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import oracle
from bpetite._artifact import Artifact
from bpetite._patterns import Pattern

ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base")

HOSTILE = (
    *("", " ", "\n", " \n\t  x", "a\r\n\r\nb \r\n "),
    *("don't DON'T I'll we've they're 's 'S ' '' 'll'", "12345 1 2 34567890 ²³ Ⅷ ١٢٣ 一二三"),
    "<|endoftext|>",
    "a<|endoftext|><|endoftext|> b <|endoftext <|endo<|endoftext|>text|> |>",
    "<|fim_prefix|>x<|endofprompt|>",
    "\ufeffa BOM is text",
    "NUL \x00 and \x1c\x1d\x1e\x1f\x7f\x85\xa0\u2028\u2029\u3000",
    "e\u0301 é ﬁ \u017f '\u017f İ ß \u212a",
    "日本語と中文 and 한국어, العربية, עברית, हिन्दी, ไทย, Ελληνικά, Русский, ქართული",
    "👩‍👩‍👧 👍🏽 🇩🇪 \U0001f9ff",
    "#version 330 // shader\n#version",
    "Ġ Ċ ĉ look like GPT-2's letters",
    "W" * 300 + " " * 300 + "\n" * 300 + "ab" * 300 + "!" * 300,
    "\U0010ffff\U000e0001\u200b\u202e",
)
"""Texts that tokenizers often get wrong."""

CORPUS = (
    "the cat sat on the mat, the hat of the cat; don't the cats sit? "
    "日本語 日本 的 的 Ελληνικά ελληνικά 👍👍 \n\n  the the \t\t 2024 2025\r\n"
) * 3
"""A corpus in several scripts, small enough to train on in each test."""

UNREACHABLE = ((97, 98), (98, 99), (97, 257))
"""The last of these tokens, "abc", is never made: "ab" is merged before "bc" can be."""

CROSSING = ((97, 98), (98, 99))
"""Merges of "ab" and "bc", of which the first has priority in "abc"."""

DUPLICATE = ((97, 98), (98, 99), (256, 99), (97, 257))
"""Merges that make "abc" twice."""


PATTERNS = {
    "gpt2": oracle.PATTERN,
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
"""The patterns of tiktoken's encodings that allow encoding a text in blocks."""


def damage_tiktoken(patch: pytest.MonkeyPatch) -> None:
    """Make tiktoken merge the second pair of `CROSSING` first, as a faulty release might."""
    import tiktoken  # the tests of the command line use this module without it

    encode = tiktoken.Encoding.encode

    def faulty(encoding: "tiktoken.Encoding", text: str, **options: Any) -> list[int]:  # noqa: ANN401
        ids = encode(encoding, text, **options)
        for place in range(len(ids)):
            if ids[place : place + 2] == [256, 99]:
                ids[place : place + 2] = [97, 257]
        return ids

    patch.setattr(tiktoken.Encoding, "encode", faulty)


def fewer() -> settings:
    """Return settings with a third of the examples every day, and all in the other tiers."""
    number = settings().max_examples
    return settings(max_examples=number if number >= 100 else number // 3)


def real_texts() -> list[str]:
    """Return a tenth of the lines of each compressed text in BPETITE_DATA; without it, none."""
    texts = []
    for path in sorted(Path(os.environ.get("BPETITE_DATA", os.devnull)).glob("*.txt.xz")):
        lines = lzma.decompress(path.read_bytes()).decode("utf-8").splitlines(keepends=True)
        texts.append("".join(lines[::10]))
    return texts


def write_ranks(path: Path, ranks: Mapping[bytes, int]) -> Path:
    """Write a file of ranks in tiktoken's format."""
    path.write_bytes(
        b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    )
    return path


def with_ids_of_its_own(
    merges: Sequence[tuple[int, int]],
    tokens: Sequence[bytes],
    pattern: Pattern,
    special: Mapping[str, int],
    ids: Iterable[int],
) -> Artifact:
    """Return a tokenizer whose tokens have these ids, in the lowest schema version."""
    return Artifact.of_ids(merges, tokens, pattern, (*special,), (*ids, *special.values()))
