"""Answers to the exercises as people get them wrong, and what the check must say to each.

They are written as a learner would write them, and not as the checks know them.
"""

from typing import Final

__all__ = ["WRONG"]

_MERGE: Final = "from answers.exercise_05 import merge_pair\n"
_TRAINER: Final = """\
from collections import Counter
from itertools import pairwise
from answers.exercise_05 import merge_pair
from given import chunks_of

def train(text, vocab_size):
    chunks = [list(chunk) for chunk in chunks_of(text)]
    merges = []
    for new_id in range(256, vocab_size):
        counts = Counter(pair for ids in chunks for pair in pairwise(ids))
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        chunks = [merge_pair(ids, pair, new_id) for ids in chunks]
        merges.append(pair)
    return merges
"""
_TIE: Final = "pair = min(counts, key=lambda pair: (-counts[pair], pair))"
_SEGMENTS: Final = "from answers.exercise_10 import segments\n"
_TABLE: Final = """\
CHUNKS = {{
    "The river's end.": ["The", " river", "'s", " end", "."],
    "two  spaces": ["two", " ", " spaces"],
    "x = 10": ["x", " =", " 10"],
    "don't DON'T": ["don", "'t", " DON", "'", "T"],
    "a1b2": ["a", "1", "b", "2"],
    "snake_case": ["snake", "_", "case"],
    "end \\n\\n next": ["end", " \\n\\n", " next"],
    "tab\\there": ["tab", "\\t", "here"],
    "wait...what?!": ["wait", "...", "what", "?!"],
    "'tis": ["'t", "is"],
    "über naïve": ["über", " naïve"],
    "bye  ": ["bye", "  "],
}}
CHUNKS[{text!r}] = {chunks!r}
"""
_STEP: Final = """\
from itertools import pairwise
from answers.exercise_05 import merge_pair
from answers.exercise_11 import index_pairs

def merge_step(chunks, times, counts, places, pair, new_id):
    for n in sorted(places[pair]):
        for old in pairwise(chunks[n]):
            counts[old] -= times[n]
            places[old].discard(n)
        chunks[n] = merge_pair(chunks[n], pair, new_id)
        for new in pairwise(chunks[n]):
            counts[new] = counts.get(new, 0) + times[n]
            places.setdefault(new, set()).add(n)
"""
_NEIGHBOURS: Final = """\
from answers.exercise_05 import merge_pair
from answers.exercise_11 import index_pairs

def merge_step(chunks, times, counts, places, pair, new_id):
    for n in sorted(places[pair]):
        ids = chunks[n]
        for i in range(len(ids) - 1):
            if (ids[i], ids[i + 1]) == pair:
                counts[pair] -= times[n]
                if i > 0:
                    counts[ids[i - 1], ids[i]] -= times[n]
                    new = (ids[i - 1], new_id)
                    counts[new] = counts.get(new, 0) + times[n]
                if i + 2 < len(ids):
                    counts[ids[i + 1], ids[i + 2]] -= times[n]
                    new = (new_id, ids[i + 2])
                    counts[new] = counts.get(new, 0) + times[n]
        chunks[n] = merge_pair(ids, pair, new_id)
    places.clear()
    places.update(index_pairs(chunks, times)[1])
"""

_LEARNED: Final = """\
import json
from bpetite import Tokenizer

def learned_tokens(corpus, vocab_size):
    Tokenizer.train(corpus, vocab_size).save("tokenizer.json", overwrite=True)
    vocab = json.load(open("tokenizer.json"))["vocab"]
"""
_RATIO: Final = """\
from bpetite import Tokenizer
from answers.exercise_12 import learned_tokens

def bytes_per_token(corpus, text, vocab_size):
    ids = Tokenizer.train(corpus, vocab_size).encode(text)
    return {}
"""


def _questions(
    more: str = "the same",
    worst: str = "code by prose",
    unseen: str = "fewer",
    doubled: str = "less than twice",
) -> str:
    return f"""\
from answers.exercise_12 import FILES, bytes_per_token, learned_tokens
MORE_LONG_TOKENS = {more!r}
WORST = {worst!r}
UNSEEN = {unseen!r}
DOUBLED = {doubled!r}
"""


def _hand(merges: str, lowest: str = "['lo', 'we', 's', 't']") -> str:
    return f"MERGES = {merges}\nLOWEST = {lowest}\n"


def _table(text: str, chunks: list[str]) -> str:
    return _TABLE.format(text=text, chunks=chunks)


def _trainer(old: str, new: str) -> str:
    assert old in _TRAINER
    return _TRAINER.replace(old, new)


def _step(old: str, new: str) -> str:
    assert old in _STEP
    return _STEP.replace(old, new)


_FOUR: Final = "('w','e'), (' ','n'), ('e','we'), ('l','o')"

WRONG: Final[list[tuple[str, str, str]]] = [
    # exercise 1: by hand
    ("01", _hand("[('l','o')]"), '"l" + "o" stands 6 times at this point, "w" + "e" 8 times'),
    ("01", _hand("[('e','w')]"), '"e" + "w" stands 6 times at this point'),
    ("01", _hand("[('w','e'), ('l','o')]"), "(32, 110) is smaller than (108, 111)"),
    ("01", _hand("[('w','e'), ('e','w')]"), 'the merge that made "we" took it all'),
    (
        "01",
        _hand("[('w','e'), ('w',' ')]"),
        "the two meet where one ends and the next begins",
    ),
    ("01", _hand("[('w','e'), ('n',' ')]"), "It is there the other way round"),
    ("01", _hand("[('w','e'), ('n','ew')]"), '"ew" is no token at this point'),
    ("01", _hand("[('w','e'), (' ','n'), ('n','e')]"), 'the merge that made "·n" took it all'),
    ("01", _hand("[('w','e'), ('o','w')]"), 'It stood 6 times before "we" was made'),
    ("01", _hand("['we']"), "A merge is a tuple of two tokens"),
    ("01", _hand("[('w','e')]"), "Right so far: four merges are asked for, and MERGES has 1"),
    ("01", _hand(f"[{_FOUR}]", "['low', 'est']"), '"low" is no token'),
    ("01", _hand(f"[{_FOUR}]", "[' ', 'lo', 'we', 's', 't']"), "with no space in front"),
    ("01", _hand(f"[{_FOUR}]", "['l', 'o', 'we', 's', 't']"), "did to the corpus"),
    # exercise 2: bytes
    ("02", "def to_ids(text):\n    return [ord(c) for c in text]\n", "These are code points"),
    ("02", "def to_ids(text):\n    return text.encode()\n", "a list of integers is asked for"),
    ("02", "def to_ids(text):\n    list(text.encode())\n", "Is a `return` missing?"),
    (
        "02",
        (
            "from answers.exercise_02 import to_ids\n"
            "def to_text(ids):\n    return ''.join(chr(i) for i in ids)\n"
        ),
        "Each byte was made a character of its own",
    ),
    (
        "02",
        (
            "from answers.exercise_02 import to_ids\n"
            "def to_text(ids):\n    return bytes(ids).decode(errors='replace')\n"
        ),
        "The wrong bytes were replaced",
    ),
    # exercise 3: chunks
    ("03", _table("The river's end.", ["The ", "river", "'s ", "end", "."]), "A space belongs to"),
    ("03", _table("The river's end.", ["The", " river's", " end", "."]), "A contraction is"),
    ("03", _table("The river's end.", ["The", "river", "'s", "end", "."]), "whitespace is missing"),
    ("03", _table("two  spaces", ["two", "  ", "spaces"]), "Rule 5 leaves the last whitespace"),
    ("03", _table("don't DON'T", ["don", "'t", " DON", "'T"]), "in small letters are rule 1's"),
    ("03", _table("a1b2", ["a1", "b2"]), "never share a chunk"),
    ("03", _table("snake_case", ["snake_case"]), "never share a chunk"),
    ("03", _table("tab\there", ["tab", "\there"]), "Only a space in front can belong"),
    ("03", _table("wait...what?!", ["wait", ".", ".", ".", "what", "?!"]), "as much as it can"),
    ("03", _table("'tis", ["'", "tis"]), "rule 1: a contraction"),
    ("03", _table("bye  ", ["bye"]), "whitespace is missing"),
    # exercise 4: counting
    (
        "04",
        (
            "from collections import Counter\nfrom itertools import pairwise\n"
            "def count_pairs(chunks):\n"
            "    return Counter(pair for ids in chunks for pair in pairwise(ids))\n"
        ),
        "counted once, however often it stands",
    ),
    (
        "04",
        (
            "def count_pairs(chunks):\n"
            "    counts = {}\n"
            "    for ids, n in chunks.items():\n"
            "        for i in range(0, len(ids) - 1, 2):\n"
            "            counts[ids[i], ids[i + 1]] = counts.get((ids[i], ids[i + 1]), 0) + n\n"
            "    return counts\n"
        ),
        "Every other pair was passed over",
    ),
    (
        "04",
        (
            "def count_pairs(chunks):\n"
            "    counts = {}\n"
            "    for ids, n in chunks.items():\n"
            "        i = 0\n"
            "        while i < len(ids) - 1:\n"
            "            pair = ids[i], ids[i + 1]\n"
            "            counts[pair] = counts.get(pair, 0) + n\n"
            "            i += 2 if ids[i:i + 3] == (ids[i],) * 3 else 1\n"
            "    return counts\n"
        ),
        "Pairs that overlap were counted once",
    ),
    (
        "04",
        (
            "def count_pairs(chunks):\n"
            "    counts = {}\n"
            "    for ids, n in chunks.items():\n"
            "        for i in range(len(ids)):\n"
            "            pair = ids[i], ids[i + 1]\n"
            "            counts[pair] = counts.get(pair, 0) + n\n"
            "    return counts\n"
        ),
        "line 5: pair = ids[i], ids[i + 1]",
    ),
    # exercise 5: merging
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    for i in range(len(ids) - 1):\n"
            "        if (ids[i], ids[i + 1]) == pair:\n"
            "            ids[i:i + 2] = [new_id]\n"
            "    return ids\n"
        ),
        "The function changed what it was given",
    ),
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    out = []\n"
            "    for i in range(len(ids)):\n"
            "        if tuple(ids[i:i + 2]) == pair:\n"
            "            out.append(new_id)\n"
            "        elif i > 0 and (ids[i - 1], ids[i]) == pair:\n"
            "            continue\n"
            "        else:\n"
            "            out.append(ids[i])\n"
            "    return out\n"
        ),
        "An id was used for two merged pairs",
    ),
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    for i in range(len(ids) - 1):\n"
            "        if (ids[i], ids[i + 1]) == pair:\n"
            "            return ids[:i] + [new_id] + ids[i + 2:]\n"
            "    return list(ids)\n"
        ),
        "Only the first place was merged",
    ),
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    out = []\n"
            "    for i in range(len(ids)):\n"
            "        out.append(new_id if tuple(ids[i:i + 2]) == pair else ids[i])\n"
            "    return out\n"
        ),
        "the right one stayed",
    ),
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    out, i = [], 0\n"
            "    while i < len(ids) - 1:\n"
            "        if (ids[i], ids[i + 1]) == pair:\n"
            "            out.append(new_id)\n"
            "            i += 2\n"
            "        else:\n"
            "            out.append(ids[i])\n"
            "            i += 1\n"
            "    return out\n"
        ),
        "The last id was lost",
    ),
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    out = list(ids)\n"
            "    i = len(out) - 2\n"
            "    while i >= 0:\n"
            "        if (out[i], out[i + 1]) == pair:\n"
            "            out[i:i + 2] = [new_id]\n"
            "        i -= 1\n"
            "    return out\n"
        ),
        "This merges from the right",
    ),
    (
        "05",
        (
            "def merge_pair(ids, pair, new_id):\n"
            "    out, i = [], 0\n"
            "    while i < len(ids):\n"
            "        if (ids[i], ids[i + 1]) == pair:\n"
            "            out.append(new_id)\n"
            "            i += 2\n"
            "        else:\n"
            "            out.append(ids[i])\n"
            "            i += 1\n"
            "    return out\n"
        ),
        "IndexError: list index out of range",
    ),
    # exercise 6: ties
    (
        "06",
        "def best_pair(counts):\n    return max(counts, key=counts.get)\n",
        "into the dict first",
    ),
    (
        "06",
        "def best_pair(counts):\n    return max(counts, key=lambda p: (counts[p], p))\n",
        "takes the largest",
    ),
    (
        "06",
        "def best_pair(counts):\n    return min(counts, key=lambda p: (-counts[p], p[0]))\n",
        "then the right id decides",
    ),
    ("06", "def best_pair(counts):\n    return min(counts, key=counts.get)\n", "the lowest count"),
    (
        "06",
        (
            "def best_pair(counts):\n"
            "    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[0]\n"
        ),
        "the pair alone is asked for",
    ),
    # exercise 7: the trainer
    ("07", _trainer(_TIE, "pair = max(counts, key=counts.get)"), "stands first in the text"),
    ("07", _trainer(_TIE, "pair = max(counts, key=lambda p: (counts[p], p))"), "takes the largest"),
    ("07", _trainer("not counts", "not counts or max(counts.values()) < 2"), "no pair stood twice"),
    ("07", _trainer("range(256, vocab_size)", "range(256, 256 + vocab_size)"), "number of merges"),
    ("07", _trainer("range(256, vocab_size)", "range(256, vocab_size + 1)"), "One merge too many"),
    ("07", _trainer("range(256, vocab_size)", "range(257, vocab_size)"), "One merge too few"),
    ("07", _trainer("pair, new_id)", "pair, new_id + 1)"), "The ids are one too high"),
    ("07", _trainer("        if not counts:\n            break\n", ""), "had no pair left"),
    (
        "07",
        _trainer("[list(chunk) for chunk in chunks_of(text)]", "[list(text.encode())]"),
        "where one chunk ends and the next begins",
    ),
    (
        "07",
        _trainer("for ids in chunks for pair", "for ids in set(map(tuple, chunks)) for pair"),
        "Each distinct chunk was counted once",
    ),
    (
        "07",
        _trainer("        chunks = [merge_pair(ids, pair, new_id) for ids in chunks]\n", ""),
        "The same pair is chosen again and again",
    ),
    (
        "07",
        _trainer("[list(chunk) for chunk in chunks_of(text)]", "[list(text.encode())]").replace(
            _TIE, "pair = max(counts, key=counts.get)"
        ),
        "The text was not cut",
    ),
    (
        "07",
        _trainer("    merges = []\n", "    merges, counts = [], Counter()\n").replace(
            "counts = Counter(pair for", "counts.update(pair for"
        ),
        "The same pair is chosen again and again",
    ),
    # exercise 8: encoding
    (
        "08",
        (
            "from answers.exercise_09 import vocabulary\n"
            "def encode_chunk(chunk, merges):\n"
            "    tokens = {token: i for i, token in vocabulary(merges).items()}\n"
            "    ids = []\n"
            "    while chunk:\n"
            "        best = max((t for t in tokens if chunk.startswith(t)), key=len)\n"
            "        ids.append(tokens[best])\n"
            "        chunk = chunk[len(best):]\n"
            "    return ids\n"
        ),
        "This takes the longest token that fits",
    ),
    (
        "08",
        (
            "def encode_chunk(chunk, merges):\n"
            "    ids, i = list(chunk), 0\n"
            "    while i < len(ids) - 1:\n"
            "        pair = ids[i], ids[i + 1]\n"
            "        if pair in merges:\n"
            "            ids[i:i + 2] = [256 + merges.index(pair)]\n"
            "            i = 0\n"
            "        else:\n"
            "            i += 1\n"
            "    return ids\n"
        ),
        "This goes from left to right",
    ),
    (
        "08",
        _MERGE + "def encode_chunk(chunk, merges):\n"
        "    ids = list(chunk)\n"
        "    for i, pair in enumerate(merges):\n"
        "        ids = merge_pair(ids, pair, i)\n"
        "    return ids\n",
        "The new id was the rank",
    ),
    (
        "08",
        _MERGE + "def encode_chunk(chunk, merges):\n"
        "    ids = list(chunk)\n"
        "    for i in range(len(merges) - 1, -1, -1):\n"
        "        ids = merge_pair(ids, merges[i], 256 + i)\n"
        "    return ids\n",
        "gone through backwards",
    ),
    (
        "08",
        (
            "def encode_chunk(chunk, merges):\n"
            "    ids = list(chunk)\n"
            "    for rank, pair in enumerate(merges):\n"
            "        for i in range(len(ids) - 1):\n"
            "            if (ids[i], ids[i + 1]) == pair:\n"
            "                ids[i:i + 2] = [256 + rank]\n"
            "                break\n"
            "    return ids\n"
        ),
        "Each merge was made once",
    ),
    # exercise 9: decoding
    (
        "09",
        (
            "def vocabulary(merges):\n"
            "    vocab = {i: chr(i).encode() for i in range(256)}\n"
            "    for i, (a, b) in enumerate(merges):\n"
            "        vocab[256 + i] = vocab[a] + vocab[b]\n"
            "    return vocab\n"
        ),
        "writes the numbers from 128 on as two bytes",
    ),
    (
        "09",
        (
            "def vocabulary(merges):\n"
            "    vocab = {i: bytes([i]) for i in range(256)}\n"
            "    for i, pair in enumerate(merges):\n"
            "        vocab[256 + i] = bytes(pair)\n"
            "    return vocab\n"
        ),
        "an id may be an earlier merge",
    ),
    (
        "09",
        (
            "from answers.exercise_09 import vocabulary\n"
            "def decode(ids, vocab):\n"
            "    return ''.join(vocab[i].decode() for i in ids)\n"
        ),
        "Each token was decoded alone",
    ),
    (
        "09",
        (
            "from answers.exercise_09 import vocabulary\n"
            "def decode(ids, vocab):\n"
            "    return b''.join(vocab[i] for i in ids).decode(errors='replace')\n"
        ),
        "replaced or left out",
    ),
    (
        "09",
        (
            "from answers.exercise_09 import vocabulary\n"
            "def decode(ids, vocab):\n"
            "    return b''.join(vocab[i] for i in ids if i in vocab).decode()\n"
        ),
        "An unknown id was passed over in silence",
    ),
    (
        "09",
        (
            "from answers.exercise_09 import vocabulary\n"
            "def decode(ids, vocab):\n"
            "    if not all(i in vocab for i in ids):\n"
            "        raise ValueError('unknown id')\n"
            "    return b''.join(vocab[i] for i in ids).decode()\n"
        ),
        "An exception is right here, but it is of another kind",
    ),
    # exercise 10: the special token
    (
        "10",
        "def segments(text):\n    return [part for part in text.split('<|endoftext|>') if part]\n",
        "The special tokens are lost",
    ),
    (
        "10",
        (
            "import re\ndef segments(text):\n"
            "    return [part for part in re.split('(<|endoftext|>)', text) if part]\n"
        ),
        "| means or",
    ),
    (
        "10",
        "import re\ndef segments(text):\n    return re.split(r'(<\\|endoftext\\|>)', text)\n",
        "There are empty segments",
    ),
    (
        "10",
        _SEGMENTS + "from answers.exercise_08 import encode_chunk\n"
        "def encode(text, merges):\n"
        "    ids = []\n"
        "    for segment in segments(text):\n"
        "        if segment == '<|endoftext|>':\n"
        "            ids.append(256 + len(merges))\n"
        "        else:\n"
        "            ids += encode_chunk(segment.encode(), merges)\n"
        "    return ids\n",
        "The segments were not cut into chunks",
    ),
    (
        "10",
        _SEGMENTS + "from answers.exercise_10 import encode as right\n"
        "def encode(text, merges):\n"
        "    last = 256 + len(merges)\n"
        "    return [255 + len(merges) if i == last else i for i in right(text, merges)]\n",
        "the first id behind the merges",
    ),
    # exercise 11: fast
    (
        "11",
        _step("sorted(places[pair])", "range(len(chunks))"),
        "it read 2 chunks of 2, and the pair stands in 1",
    ),
    ("11", _step("            counts[old] -= times[n]\n", ""), "The merged pair is gone"),
    ("11", _step("            places[old].discard(n)\n", ""), "must be empty"),
    ("11", _step("+ times[n]", "+ 1"), "Was times[n] added for each place, or 1?"),
    ("11", _NEIGHBOURS, "the place between them is easily taken away twice"),
    (
        "11",
        """\
from itertools import pairwise
from answers.exercise_05 import merge_pair
from answers.exercise_11 import index_pairs

def merge_step(chunks, times, counts, places, pair, new_id):
    for n in list(places[pair]):
        merged = merge_pair(chunks[n], pair, new_id)
        for old in pairwise(chunks[n]):
            if pair[0] in old or pair[1] in old:
                counts[old] -= times[n]
                places[old].discard(n)
        for new in pairwise(merged):
            if new_id in new:
                counts[new] = counts.get(new, 0) + times[n]
                places.setdefault(new, set()).add(n)
        chunks[n] = merged
""",
        "The merge took no place of this pair",
    ),
    (
        "11",
        (
            "def index_pairs(chunks, times):\n"
            "    counts, places = {}, {}\n"
            "    for n, ids in enumerate(chunks):\n"
            "        for pair in zip(ids, ids[1:]):\n"
            "            counts[pair] = counts.get(pair, 0) + 1\n"
            "            places.setdefault(pair, set()).add(n)\n"
            "    return counts, places\n"
        ),
        "Each chunk was counted once",
    ),
    # exercise 12: vocabularies
    (
        "12",
        _LEARNED + "    return [bytes(values) for values in vocab.values()]\n",
        "There are single bytes among them",
    ),
    (
        "12",
        _LEARNED + "    return [bytes(vocab[key]) for key in sorted(vocab)[256:-1]]\n",
        "10 before 2",
    ),
    (
        "12",
        _LEARNED
        + "    return [bytes(vocab[str(i)]).decode() for i in range(256, len(vocab) - 1)]\n",
        "A token is bytes",
    ),
    ("12", _RATIO.format("len(text) / len(ids)"), "These are characters per token"),
    ("12", _RATIO.format("len(ids) / len(text.encode())"), "divide the other way round"),
    ("12", _questions(more="prose"), "How many tokens does one merge make"),
    ("12", _questions(worst="prose by code"), "The fewest are"),
    ("12", _questions(worst="code"), 'Write it like "code by code"'),
    ("12", _questions(unseen="more"), "Does the second half have the same words?"),
    ("12", _questions(doubled="twice"), "what do later ones save?"),
    ("12", _questions(doubled=""), "This question is not answered yet"),
]
