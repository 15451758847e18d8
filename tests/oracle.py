"""The oracle: the reference implementation of bpetite-compare, as functions of a list of merges.

The reference implementation is loaded from its files, so that tests of the core need neither
bpetite-compare nor tiktoken. The patterns are written here once more, and only the oracle has
extensions.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from bpetite_compare.reference._model import Pair, merge
    from bpetite_compare.reference._training import learn
else:
    _FOLDER = Path(__file__).parents[1] / "packages/compare/src/bpetite_compare/reference"
    _SPEC = spec_from_file_location("reference", _FOLDER / "__init__.py")
    sys.modules["reference"] = module_from_spec(_SPEC)
    _SPEC.loader.exec_module(sys.modules["reference"])
    from reference._model import Pair, merge
    from reference._training import learn

__all__ = ["Pair", "merge"]

PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
PATTERNS = {
    "gpt2": PATTERN,
    "gpt4": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "gpt4o": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|"
        r"'t|'re|'ve|'m|'ll|'d)?|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|"
        r"'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|"
        r"\s+(?!\S)|\s+"
    ),
}
PATTERNS["qwen2"] = PATTERNS["gpt4"].replace(r"\p{N}{1,3}", r"\p{N}")
PATTERNS["nanochat"] = PATTERNS["gpt4"].replace(r"\p{N}{1,3}", r"\p{N}{1,2}")
ONLY_VERSION_3 = {
    "tekken": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "deepseek3": (
        r"\p{N}{1,3}|[\u3040\u3097\u3098]?(?:(?=[\u4E00-\u9FA5\u3040-\u30FF])[\p{L}\p{M}])+|"
        r"(?:(?=[\u4E00-\u9FA5\u3040-\u30FF])[\p{P}\p{S}])+|"
        r"[\u3040\u3097\u3098]+(?=[\u3040\u3097\u3098](?:(?=[\u4E00-\u9FA5\u3040-\u30FF])[\p{L"
        r"}\p{M}]))|[\u3040\u3097\u3098]+|[!-/:-@\[-`{-~][A-Za-z]+|"
        r"[^\r\n\p{L}\p{P}\p{S}\p{N}\u4E00-\u9FA5\u3040-\u30FF]?(?:(?![\u4E00-\u9FA5\u3040-\u3"
        r"0FF])[\p{L}\p{M}])+| ?(?:(?![\u4E00-\u9FA5\u3040-\u30FF])[\p{P}\p{S}])+[\r\n]*|"
        r"\s*[\r\n]+|\s+(?![^\s\p{N}\u4E00-\u9FA5\u3040-\u30FF])|\s+|"
        r"[^\s\p{L}\p{M}\p{N}\p{P}\p{S}\u4E00-\u9FA5\u3040-\u30FF]+(?=[^\s\p{L}\p{M}\p{N}\p{P}"
        r"\p{S}\u4E00-\u9FA5\u3040-\u30FF](?:(?![\u4E00-\u9FA5\u3040-\u30FF])[\p{L}\p{M}]))|"
        r"[^\s\p{L}\p{M}\p{N}\p{P}\p{S}\u4E00-\u9FA5\u3040-\u30FF]+"
    ),
    "qwen3.5": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|"
        r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
    "starcoder": (r"\p{N}|'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+"),
    "kimi": (
        r"\p{Han}+|[^\r\n\p{L}\p{N}]?[^\p{Ll}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Han}]*"
        r"[^\p{Lu}\p{Lt}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Han}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"[^\r\n\p{L}\p{N}]?[^\p{Ll}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Han}]+"
        r"[^\p{Lu}\p{Lt}\p{N}\p{P}\p{S}\p{Z}\p{C}\p{Han}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
END_OF_TEXT = "<|endoftext|>"


def chunks_of(text: str, pattern: str = PATTERN) -> list[bytes]:
    """Return the matches of the pattern, in order, as UTF-8."""
    return [match.encode("utf-8") for match in regex.findall(pattern, text)]


def train(
    documents: Iterable[str], vocab_size: int, start: Sequence[Pair] = (), pattern: str = PATTERN
) -> list[Pair]:
    """Return the merges of a corpus; those of `start` come first."""
    counts = Counter(chunk for text in documents for chunk in chunks_of(text, pattern))
    chunks = {chunk: encode_chunk(chunk, start) for chunk in counts}
    size = 256 + len(start)
    return [*start, *learn(chunks, counts, size, vocab_size - size)]


def extend(
    documents: Iterable[str],
    more: int,
    start: Sequence[Pair],
    whole: dict[bytes, int],
    taken: Iterable[bytes] = (),
    pattern: str = PATTERN,
    encode: Callable[[bytes, Sequence[Pair]], list[int]] | None = None,
) -> list[tuple[Pair, int | None]]:
    """Learn merges that keep the ids of a tokenizer.

    Args:
        documents: the corpus.
        more: the number of new tokens.
        start: the merges of the tokenizer.
        whole: the id of each whole token.
        taken: the bytes of its other tokens.
        pattern: the pattern that splits text.
        encode: what makes the passes of `start`, if it is too large for `encode_chunk`.

    Returns:
        The new merges, each with the id of the whole token that it completes, if any.
    """
    vocab, new, left = vocabulary(start), list[tuple[Pair, int | None]](), dict(whole)
    never = {*taken, *whole}
    times = Counter(chunk for text in documents for chunk in chunks_of(text, pattern))
    chunks = {one: (encode or encode_chunk)(one, start) for one in {*times, *whole}}
    two = [token for token in whole if len(chunks[token]) == 2]

    def learn(pair: Pair, token_id: int | None) -> None:
        """Make one more pass over all chunks."""
        number = 256 + len(start) + len(new)
        new.append((pair, token_id))
        vocab[number] = vocab[pair[0]] + vocab[pair[1]]
        for chunk, ids in chunks.items():
            chunks[chunk] = merge(ids, pair, number)

    while more:
        counts = Counter[Pair]()
        for chunk in times.keys() - whole.keys():
            for pair in pairwise(chunks[chunk]):
                counts[pair] += times[chunk]
        found = [pair for pair in counts if vocab[pair[0]] + vocab[pair[1]] not in never]
        if not found:
            break
        learn(min(found, key=lambda pair: (-counts[pair], pair)), None)
        more -= 1
        while ready := {
            token_id: chunks[token]
            for token, token_id in left.items()
            if token not in two and len(chunks[token]) == 2
        }:
            token_id = min(ready)
            learn((ready[token_id][0], ready[token_id][1]), token_id)
            left = {token: other for token, other in left.items() if other != token_id}
    return new


def vocabulary(merges: Sequence[Pair]) -> dict[int, bytes]:
    """Return the bytes of every id: the bytes, the merges, the special token."""
    vocab = {value: bytes([value]) for value in range(256)}
    for left, right in merges:
        vocab[len(vocab)] = vocab[left] + vocab[right]
    vocab[len(vocab)] = END_OF_TEXT.encode("utf-8")
    return vocab


def encode_chunk(chunk: bytes, merges: Sequence[Pair]) -> list[int]:
    """Make one pass for each merge, in the order of learning."""
    ids = list(chunk)
    for new_id, pair in enumerate(merges, 256):
        ids = merge(ids, pair, new_id)
    return ids


def encode(
    text: str,
    merges: Sequence[Pair],
    pattern: str = PATTERN,
    special_tokens: Sequence[str] = (END_OF_TEXT,),
    whole_tokens: Sequence[bytes] = (),
) -> list[int]:
    """Take out the special tokens, the longest first, cut the rest into chunks, and encode each.

    A chunk that is a whole token has its number, the first one after the merges; those of the
    special tokens follow.
    """
    ids: list[int] = []
    ordinary = ""
    while text or ordinary:
        found = sorted(filter(text.startswith, special_tokens), key=len)[-1:]
        if text and not found:
            ordinary, text = ordinary + text[0], text[1:]
            continue
        for chunk in chunks_of(ordinary, pattern):
            if chunk in whole_tokens:
                ids.append(256 + len(merges) + whole_tokens.index(chunk))
            else:
                ids += encode_chunk(chunk, merges)
        ordinary = ""
        for name in found:
            ids.append(256 + len(merges) + len(whole_tokens) + special_tokens.index(name))
            text = text.removeprefix(name)
    return ids


def decode(ids: Sequence[int], merges: Sequence[Pair]) -> str:
    """Join the bytes of the ids, and decode them once, strictly."""
    vocab = vocabulary(merges)
    return b"".join(vocab[token_id] for token_id in ids).decode("utf-8", errors="strict")
