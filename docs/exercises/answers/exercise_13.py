"""Exercise 13: GPT-2's tokenizer."""

from itertools import pairwise
from pathlib import Path

from answers.exercise_05 import merge_pair
from answers.exercise_10 import segments
from given import END_OF_TEXT, Pair, chunks_of


def byte_letters() -> list[tuple[str, int]]:
    """Return the letters of the file and the bytes they mean, in the order of the ids."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = [(chr(byte), byte) for byte in printable]
    return letters + [(chr(code), byte) for code, byte in enumerate(others, 256)]


def read_merges(text: str) -> list[Pair]:
    """Return the merges in GPT-2's file. The id of a byte is its value."""
    id_of = dict(byte_letters())
    merges: list[Pair] = []
    for line in text.splitlines()[1:]:
        left, right = line.split(" ")
        id_of[left + right] = 256 + len(merges)
        merges.append((id_of[left], id_of[right]))
    return merges


def gpt2_encode(text: str, merges: list[Pair]) -> list[int]:
    """Return the ids of a text, with GPT-2's ids of the bytes."""
    new_ids = {pair: new_id for new_id, pair in enumerate(merges, 256)}
    gpt2_id = {byte: place for place, (_, byte) in enumerate(byte_letters())}
    ids: list[int] = []
    for segment in segments(text):
        if segment == END_OF_TEXT:
            ids.append(256 + len(merges))
        else:
            for chunk in chunks_of(segment):
                ids += [gpt2_id.get(one, one) for one in encode_fast(chunk, new_ids)]
    return ids


def encode_fast(chunk: bytes, new_ids: dict[Pair, int]) -> list[int]:
    """Merge the pair with the smallest new id until no pair is a merge."""
    ids = list(chunk)
    while present := [pair for pair in pairwise(ids) if pair in new_ids]:
        pair = min(present, key=new_ids.__getitem__)
        ids = merge_pair(ids, pair, new_ids[pair])
    return ids


def gpt2_ids(path: str, texts: list[str]) -> list[list[int]]:
    """Return the ids of some texts, using GPT-2's file."""
    merges = read_merges(Path(path).read_text(encoding="utf-8"))
    return [gpt2_encode(text, merges) for text in texts]
