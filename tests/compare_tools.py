"""What the comparison's tests share: corpora, hostile texts, and files made by hand."""

import base64
import lzma
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import settings

from artifacts import canonical, content_of
from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS

ENCODINGS = ("gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base")
SPLIT_PATTERNS: Final = {name: pattern.text for name, pattern in ALL_PATTERNS.items()}
FOR_TRAINING: Final = ("gpt2", "gpt4", "gpt4o", "qwen2", "nanochat")
"""The patterns that a schema version before 3 can have."""

HOSTILE = (
    "",
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
"""Texts that tokenizers often get wrong."""

CORPUS = (
    "the cat sat on the mat, the hat of the cat; don't the cats sit? "
    "日本語 日本 的 的 Ελληνικά ελληνικά 👍👍 \n\n  the the \t\t 2024 2025\r\n"
) * 3
"""A corpus in several scripts, small enough to train on in each test."""

CROSSING = ((97, 98), (98, 99))
"""Merges of "ab" and "bc", of which the first has priority in "abc"."""

PATTERNS = {
    "gpt2": SPLIT_PATTERNS["gpt2"],
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": SPLIT_PATTERNS["gpt4o"],
}
"""The patterns of tiktoken's encodings that allow encoding a text in blocks."""


def damage_tiktoken(patch: pytest.MonkeyPatch) -> None:
    """Make tiktoken merge the second pair of `CROSSING` first, as a faulty release might."""
    import tiktoken  # the tests of the command line use this module without it

    encode = tiktoken.Encoding.encode

    def faulty(encoding: "tiktoken.Encoding", text: str, **options: Any) -> list[int]:  # noqa: ANN401
        ids = encode(encoding, text, **options)
        for place in range(len(ids) if "abc" in text else 0):
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
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    path.write_bytes(b"".join(lines))
    return path


def write_tokenizer(
    path: Path,
    merges: Iterable[tuple[int, int]] = (),
    whole: Iterable[bytes] = (),
    special: Mapping[str, int] | None = None,
    ids: Sequence[int] | None = None,
    pattern: str = "gpt2",
) -> Path:
    """Write a tokenizer file by hand, in the lowest schema version.

    Args:
        path: the file.
        merges: pairs of positions, which are the byte or 256 + rank.
        whole: tokens that no merge makes.
        special: the special tokens; without it, `<|endoftext|>` with the next id.
        ids: the ids of the bytes, merges and whole tokens; without it, they are the positions.
        pattern: the name of the split pattern.
    """
    tokens, pairs = [bytes([value]) for value in range(256)], [*merges]
    for left, right in pairs:
        tokens.append(tokens[left] + tokens[right])
    rows: list[list[int]] = [[*pair] for pair in pairs]
    tokens += whole
    ids = range(len(tokens)) if ids is None else ids
    special = {"<|endoftext|>": len(tokens)} if special is None else special
    every = [*ids, *special.values()]
    in_order = [*ids] == [*range(len(tokens))] and sorted(every) == [*range(len(every))]
    version = 1 if pattern == "gpt2" and [*special] == ["<|endoftext|>"] else 2
    if not in_order or len(tokens) > 256 + len(pairs) or pattern not in FOR_TRAINING:
        rows = [
            [ids[left], ids[right], ids[256 + rank]] for rank, (left, right) in enumerate(pairs)
        ]
        version = 4 if any(map(str.isspace, special)) else 3
    tokens += map(str.encode, special)
    content = {
        "mergeable_vocab_size": len(ids),
        "merges": rows,
        "pretokenizer_pattern": SPLIT_PATTERNS[pattern],
        "schema_version": version,
        "special_tokens": special,
        "vocab": {str(one): [*token] for one, token in zip(every, tokens, strict=True)},
    }
    path.write_bytes(canonical(content))
    return path


def vocab_of(tokenizer: Tokenizer) -> dict[int, bytes]:
    """Return the bytes of each id, special tokens included, in the order of the ids."""
    vocab = content_of(tokenizer)["vocab"]
    return {one: bytes(vocab[str(one)]) for one in sorted(map(int, vocab))}
