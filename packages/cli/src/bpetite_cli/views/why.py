"""Why a text does not have a token, at each place where its bytes occur.

A token is a tree of merges. If a chunk makes all of them at a place, the token is there. So the
reason is the first merge that makes something else from these bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Annotated, Final, TypeAlias

from bpetite._inner import Artifact
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.visible import visible
from bpetite_cli.views.steps import merge_line

_REASONS: Final = {
    "token": "the token is there",
    "boundary": "this chunk begins inside the token, and no token is in two chunks",
    "special": "it is a special token",
    "whole": "it is a whole token",
    "unmade": "no merge makes the token",
    "merge": "another merge comes first",
    "longer": "the token becomes part of a longer one",
    "bytes": "these ids are not text",
}


class Place(Token):
    """A token, and what is at a place with its bytes."""

    start: int
    chunk: Annotated[str, "the chunk or special token where the place ends"]
    reason: Annotated[str, ("enum", tuple(_REASONS)), "why the token is not there, or `token`"]
    ranks: Annotated[list[int], "the rank of the merge made instead, and of the needed one"]


_Found: TypeAlias = tuple[int, int, int, str, bool]
"""A token id, and where its bytes are: the offset in the text and in the chunk where they end, this
chunk, and whether it is a special token. In the chunk before, the offset is negative."""


def find(
    artifact: Artifact, token_ids: Sequence[int], chunks: Iterable[tuple[str, bool]]
) -> Iterator[_Found]:
    """Yield each place with the bytes of some equal tokens; `steps.chunks_of` has the chunks."""
    token, before, size = artifact.vocab[token_ids[0]], b"", 0
    for chunk, is_special in chunks:
        data = before + chunk.encode("utf-8")
        place = data.find(token)
        while place >= 0:
            inside = place - len(before)
            yield from ((one, size + inside, inside, chunk, is_special) for one in token_ids)
            place = data.find(token, place + 1)
        size += len(data) - len(before)
        before = data[max(0, len(data) - len(token) + 1) :]  # too short for the token


def locate(
    artifact: Artifact, token_ids: Iterable[int], chunks: Iterator[tuple[str, bool]]
) -> Iterator[_Found]:
    """Yield the place of each token in the text that they are; without chunks, it is no text."""
    end = begin = size = 0
    chunk, is_special = "", False
    for token_id in token_ids:
        start, end = end, end + len(artifact.vocab[token_id])
        while size < end and (found := next(chunks, None)):
            chunk, is_special = found
            begin, size = size, size + len(chunk.encode("utf-8"))
        yield token_id, start, start - begin, chunk, is_special


def explain(artifact: Artifact, places: Iterable[_Found]) -> Iterator[Place]:
    """Yield what is at each place."""
    steps, ids_of_chunk = artifact.steps_of_chunks(), lru_cache(1)(artifact.ids_of_chunks())
    vocab, indexes, end = artifact.vocab, artifact.indexes, 256 + len(artifact.merges)
    for token_id, start, offset, chunk, is_special in places:
        data, ranks = chunk.encode("utf-8"), list[int]()
        ids = [artifact.special_tokens[chunk]] if is_special else ids_of_chunk(data)
        offsets = accumulate((len(vocab[one]) for one in ids), initial=0)
        if not chunk:
            reason = "bytes"
        elif (offset, token_id) in zip(offsets, ids, strict=False):
            reason = "token"
        elif offset < 0:
            reason = "boundary"
        elif indexes[ids[0]] >= end:
            reason = "special" if is_special else "whole"
        elif indexes[token_id] >= end:
            reason = "unmade"
        else:
            ranks = _ranks(artifact, indexes[token_id], offset, steps(data))
            reason = "merge" if ranks[1:] else "longer"
        token = token_fields(token_id, vocab[token_id])
        yield {**token, "start": start, "chunk": chunk, "reason": reason, "ranks": ranks}


def _ranks(
    artifact: Artifact, index: int, start: int, steps: Iterable[tuple[int, Sequence[int]]]
) -> list[int]:
    """Return the ranks of the first merge that makes something else, and of the one it prevents.

    Before this merge, the place of a token has only nodes of its tree. Each needs the merge of the
    node above it, except for the token itself.
    """
    tokens, merges = artifact.tokens, artifact.merges
    above: dict[tuple[int, int], int] = {}  # the rank of the node above each node, by its place
    waiting = [(start, index)]
    while waiting:
        begin, here = waiting.pop()
        if here >= 256:
            left, right = merges[here - 256]
            middle = begin + len(tokens[left])
            above[begin, middle] = above[middle, middle + len(tokens[right])] = here - 256
            waiting += [(begin, left), (middle, right)]
    for new, indexes in steps:
        end = 0
        for one in indexes:
            begin, end = end, end + len(tokens[one])
            if one == new and begin < start + len(tokens[index]) and end > start:
                middle = begin + len(tokens[merges[new - 256][0]])
                needed = [above[x] for x in ((begin, middle), (middle, end)) if x in above]
                if needed != [new - 256] * 2:  # from left to right, such two are of one node
                    return [new - 256, *sorted(needed)[:1]]
    return []


def draw_places(
    artifact: Artifact, places: Iterable[Place], told: str, most: int = 10
) -> Iterator[str]:
    """Yield lines about the first places, and the number of all."""
    number = 0
    for place in places:
        number += 1
        if number <= most:
            chunk = visible(place["chunk"] or place["hex"])
            where = f"id {place['id']} at byte {place['start']:,}, {chunk}"
            yield f"{where}: {_REASONS[place['reason']]}\n"
            for rank in place["ranks"]:
                yield f"  rank {rank} of {len(artifact.merges)}: {merge_line(artifact, rank)}\n"
    yield f"{counted(number, 'place')} {told}\n"
