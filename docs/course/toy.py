"""The tokenizer of the course, as its pages build it: slow, obvious, and the same as bpetite."""

import json
from itertools import pairwise

import regex

# 01-bytes.md
CORPUS = ["tow, tower, towed", "See, Seeelefant, öde, übel"]


def to_ids(text):
    return list(text.encode("utf-8"))


def to_text(ids):
    return bytes(ids).decode("utf-8")


# 02-pre-tokenization.md
PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def chunks_of(text):
    return [chunk.encode("utf-8") for chunk in regex.findall(PATTERN, text)]


# 03-counting.md
def count_pairs(chunks):
    counts = {}
    for ids in chunks:
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + 1
    return counts


# 04-merging.md
def merge_pair(ids, pair, new_id):
    merged = []
    position = 0
    while position < len(ids):
        if tuple(ids[position : position + 2]) == pair:
            merged.append(new_id)
            position += 2
        else:
            merged.append(ids[position])
            position += 1
    return merged


# 05-ties.md
def best_pair(counts):
    highest = max(counts.values())
    return min(pair for pair, count in counts.items() if count == highest)


def train(documents, vocab_size):
    chunks = [list(chunk) for document in documents for chunk in chunks_of(document)]
    merges = []
    while 256 + len(merges) < vocab_size:
        counts = count_pairs(chunks)
        if not counts:
            break
        pair = best_pair(counts)
        chunks = [merge_pair(ids, pair, 256 + len(merges)) for ids in chunks]
        merges.append(pair)
    return merges


def vocabulary(merges):
    vocab = {value: bytes([value]) for value in range(256)}
    for left, right in merges:
        vocab[len(vocab)] = vocab[left] + vocab[right]
    return vocab


# 06-encoding.md
def encode_chunk(chunk, merges):
    ids = list(chunk)
    for new_id, pair in enumerate(merges, 256):
        ids = merge_pair(ids, pair, new_id)
    return ids


def encode_ordinary(text, merges):
    ids = []
    for chunk in chunks_of(text):
        ids += encode_chunk(chunk, merges)
    return ids


# 07-decoding.md
def decode(ids, vocab):
    return b"".join(vocab[token_id] for token_id in ids).decode("utf-8")


# 08-special-tokens.md
END_OF_TEXT = "<|endoftext|>"


def segments(text):
    found = []
    while text:
        before, special, text = text.partition(END_OF_TEXT)
        found += [part for part in (before, special) if part]
    return found


def encode(text, merges):
    ids = []
    for segment in segments(text):
        if segment == END_OF_TEXT:
            ids.append(256 + len(merges))
        else:
            ids += encode_ordinary(segment, merges)
    return ids


# 09-artifact.md
def tokenizer_file(merges):
    special = 256 + len(merges)
    vocab = {**vocabulary(merges), special: END_OF_TEXT.encode("utf-8")}
    content = {
        "mergeable_vocab_size": special,
        "merges": merges,
        "pretokenizer_pattern": PATTERN,
        "schema_version": 1,
        "special_tokens": {END_OF_TEXT: special},
        "vocab": {str(token_id): list(token) for token_id, token in vocab.items()},
    }
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")
