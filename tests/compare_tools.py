"""What the tests of the comparison share: artifacts made by hand, and hostile texts."""

from collections.abc import Sequence
from pathlib import Path

import oracle
from artifacts import canonical

ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base")

HOSTILE = (
    "",
    " ",
    "\n",
    " \n\t  x",
    "a\r\n\r\nb \r\n ",
    "don't DON'T I'll we've they're 's 'S ' '' 'll'",
    "12345 1 2 34567890 ²³ Ⅷ ١٢٣ 一二三",
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
"""Texts that tokenizers get wrong."""

CORPUS = (
    "the cat sat on the mat, the hat of the cat; don't the cats sit? "
    "日本語 日本 的 的 Ελληνικά ελληνικά 👍👍 \n\n  the the \t\t 2024 2025\r\n"
) * 3
"""A corpus small enough to train on in each test, in several scripts."""

UNREACHABLE = ((97, 98), (98, 99), (97, 257))
"""Merges of which the last token, "abc", is never made: "ab" is merged before "bc" can be."""

DUPLICATE = ((97, 98), (98, 99), (256, 99), (97, 257))
"""Merges that make "abc" twice."""


def write_artifact(path: Path, merges: Sequence[tuple[int, int]]) -> Path:
    """Write the artifact that has these merges, by hand."""
    vocab = oracle.vocabulary(merges)
    artifact = {
        "mergeable_vocab_size": 256 + len(merges),
        "merges": [list(pair) for pair in merges],
        "pretokenizer_pattern": oracle.PATTERN,
        "schema_version": 1,
        "special_tokens": {oracle.END_OF_TEXT: 256 + len(merges)},
        "vocab": {str(token_id): list(token) for token_id, token in vocab.items()},
    }
    path.write_bytes(canonical(artifact))
    return path
