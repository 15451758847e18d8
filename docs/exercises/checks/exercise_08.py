"""The check of exercise 8: encode a chunk."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product

from answers.exercise_05 import merge_pair
from answers.exercise_07 import train
from answers.exercise_08 import encode_chunk
from answers.exercise_09 import vocabulary
from checks._judge import Case, Misunderstanding, Question, check_function
from checks._learner import Learner
from checks._words import token_text
from given import Pair


def _longest_match(chunk: bytes, merges: list[Pair]) -> list[int]:
    id_of = {token: token_id for token_id, token in vocabulary(merges).items()}
    ids: list[int] = []
    while chunk:
        end = next(end for end in range(len(chunk), 0, -1) if chunk[:end] in id_of)
        ids.append(id_of[chunk[:end]])
        chunk = chunk[end:]
    return ids


def _one_by_one(
    choose: Callable[[list[tuple[int, Pair]]], tuple[int, Pair]],
) -> Callable[[bytes, list[Pair]], list[int]]:
    """Return an encoder that merges one place after another, chosen among (place, pair)."""

    def wrong(chunk: bytes, merges: list[Pair]) -> list[int]:
        ids = list(chunk)
        while found := [(n, pair) for n, pair in enumerate(pairwise(ids)) if pair in merges]:
            place, pair = choose(found)
            ids[place : place + 2] = [256 + merges.index(pair)]
        return ids

    return wrong


def _first_place_only(chunk: bytes, merges: list[Pair]) -> list[int]:
    ids = list(chunk)
    for new_id, pair in enumerate(merges, 256):
        if pair in (pairs := list(pairwise(ids))):
            place = pairs.index(pair)
            ids[place : place + 2] = [new_id]
    return ids


def _passes(chunk: bytes, merges: list[Pair], first_id: int) -> list[int]:
    ids = list(chunk)
    for new_id, pair in enumerate(merges, first_id):
        ids = merge_pair(ids, pair, new_id)
    return ids


def _last_learned_first(chunk: bytes, merges: list[Pair]) -> list[int]:
    ids = list(chunk)
    while present := [pair for pair in pairwise(ids) if pair in merges]:
        rank = max(map(merges.index, present))
        ids = merge_pair(ids, merges[rank], 256 + rank)
    return ids


def _backwards(chunk: bytes, merges: list[Pair]) -> list[int]:
    ids = list(chunk)
    for rank in reversed(range(len(merges))):
        ids = merge_pair(ids, merges[rank], 256 + rank)
    return ids


def _most_frequent_first(chunk: bytes, merges: list[Pair]) -> list[int]:
    ids = list(chunk)
    while present := [pair for pair in pairwise(ids) if pair in merges]:
        pair = min(present, key=lambda pair: (-present.count(pair), pair))
        ids = merge_pair(ids, pair, 256 + merges.index(pair))
    return ids


_MISUNDERSTANDINGS = [
    Misunderstanding(
        lambda chunk, merges: _passes(chunk, merges, 0),
        "The new id was the rank. The ids 0 to 255 are the bytes, so the merge at rank r makes "
        "256 + r.",
    ),
    Misunderstanding(
        lambda chunk, merges: _passes(chunk, merges, 257),
        "The new ids are one too high: the merge at rank 0 makes 256.",
    ),
    Misunderstanding(
        _first_place_only,
        "Each merge was made once. Like in training, a merge is made wherever its pair stands.",
    ),
    Misunderstanding(
        _longest_match,
        "This takes the longest token that fits, from left to right. Encoding repeats training: "
        "the merge that was learned first is made first, even if a longer token is lost by it.",
    ),
    Misunderstanding(
        _one_by_one(min),
        "This goes from left to right and merges the first pair that any merge has. The order of "
        "learning comes first: a merge of a lower rank takes its letters before a later one can.",
    ),
    Misunderstanding(
        _backwards,
        "The merges were gone through backwards. The merge that was learned first is made first.",
    ),
    Misunderstanding(
        _last_learned_first,
        "The pair that was learned last was merged first. It is the other way round.",
    ),
    Misunderstanding(
        _most_frequent_first,
        "The pairs of this chunk were counted. Counting is over: the ranks alone decide.",
    ),
    Misunderstanding(
        lambda chunk, merges: encode_chunk(chunk[::-1], [(b, a) for a, b in merges])[::-1],
        "Each merge was made from the right. Training merged from left to right, and so must "
        "encoding.",
    ),
]


def _explain(arguments: Case, _expected: object, came: object) -> str:
    """Show what each merge makes of the chunk, and what the learner's ids stand for."""
    chunk, merges = arguments
    if not isinstance(chunk, bytes) or not isinstance(merges, list):
        return ""
    vocab = vocabulary(merges)
    ids = list(chunk)
    lines = ["  What each merge makes of it:", f"  {'':<20}  {_tokens(ids, vocab)}"]
    for new_id, (left, right) in enumerate(merges, 256):
        now = merge_pair(ids, (left, right), new_id)
        if now != ids or len(merges) < 4:
            name = f"{token_text(vocab[left])} + {token_text(vocab[right])}"
            lines.append(f"  {name:<20}  {_tokens(now, vocab)}")
        ids = now
    if isinstance(came, list) and all(token_id in vocab for token_id in came):
        lines.append(f"  {'yours':<20}  {_tokens(came, vocab)}")
    return "\n".join(lines)


def _tokens(ids: list[int], vocab: dict[int, bytes]) -> str:
    return " ".join(token_text(vocab[token_id]) for token_id in ids)


_QUESTION = Question("encode_chunk", encode_chunk, _MISUNDERSTANDINGS, _explain)

_A, _B, _C = b"abc"


def _cases() -> list[Case]:
    """Return every short chunk by some merges, the shortest first, and some long ones."""
    merges: list[list[Pair]] = [
        [],
        [(_A, _B)],
        [(_B, _C), (_A, _B)],
        [(_A, _B), (256, _C)],
        [(_B, _C), (_A, _B), (_A, 256)],
        [(_A, _A), (256, _A)],
        [(_A, _A), (256, 256)],
        [(_A, _B), (_B, _C), (_C, 256)],
        [(_C, _A), (_A, _B), (_B, 256), (257, _C)],
        train("abcab bcabca cabcab abccba abcbac", 266),
    ]
    chunks = [bytes(values) for n in range(1, 6) for values in product(b"abc", repeat=n)]
    story = "the river the harvest other weather there whether"
    learned = train(story, 300)
    return [
        *((chunk, list(some)) for chunk in chunks for some in merges),
        *((word.encode("utf-8"), learned) for word in story.split()),
        *((f" {word}".encode(), learned) for word in (*story.split(), "éther", "thethe")),
    ]


def check(learner: Learner) -> Iterator[str]:
    """Check the ids of many short chunks."""
    yield check_function(learner, _QUESTION, _cases())
