"""The tokenizer of the course, as its pages build it: slow, obvious, and the same as bpetite."""

import json
from collections import Counter
from itertools import pairwise

import regex

# 01-bytes.md
CORPUS = ["tow, tower, towed", "See, Seeelefant, öde, übel"]


# 02-pre-tokenization.md
PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def chunks_of(text):
    return [chunk.encode("utf-8") for chunk in regex.findall(PATTERN, text)]


# 03-counting.md
def count_pairs(chunks):
    counts = Counter()
    for chunk in chunks:
        counts.update(pairwise(chunk))
    return counts


# 04-merging.md
def merge(ids, pair, new_id):
    result = []
    for token_id in ids:
        if result and (result[-1], token_id) == pair:
            result[-1] = new_id
        else:
            result.append(token_id)
    return result


# 05-ties.md
def best_pair(counts):
    highest = max(counts.values())
    return min(pair for pair, count in counts.items() if count == highest)


# 04-merging.md
def train(documents, size, best=best_pair):
    chunks = [list(chunk) for document in documents for chunk in chunks_of(document)]
    merges = []
    while 256 + len(merges) < size and (counts := count_pairs(chunks)):
        pair = best(counts)
        chunks = [merge(chunk, pair, 256 + len(merges)) for chunk in chunks]
        merges.append(pair)
    return merges


def tokens_of(merges):
    tokens = [bytes([value]) for value in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return tokens


# 06-encoding.md
def encode_chunk(chunk, merges):
    ids = list(chunk)
    for new_id, pair in enumerate(merges, 256):
        ids = merge(ids, pair, new_id)
    return ids


def encode_ordinary(text, merges):
    chunks = chunks_of(text)
    return [token_id for chunk in chunks for token_id in encode_chunk(chunk, merges)]


# 07-decoding.md
SPECIAL = "<|endoftext|>"


def decode(ids, merges):
    tokens = [*tokens_of(merges), SPECIAL.encode("utf-8")]
    return b"".join(tokens[token_id] for token_id in ids).decode("utf-8")


# 08-special-tokens.md
def encode(text, merges):
    ids = []
    for number, part in enumerate(text.split(SPECIAL)):
        if number:
            ids.append(256 + len(merges))
        ids += encode_ordinary(part, merges)
    return ids


# 09-artifact.md
def artifact_of(merges):
    size = 256 + len(merges)
    tokens = [*tokens_of(merges), SPECIAL.encode("utf-8")]
    content = {
        "mergeable_vocab_size": size,
        "merges": merges,
        "pretokenizer_pattern": PATTERN,
        "schema_version": 1,
        "special_tokens": {SPECIAL: size},
        "vocab": {str(token_id): list(token) for token_id, token in enumerate(tokens)},
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
