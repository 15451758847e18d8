"""The check of exercise 10: the special token, and the whole of encoding."""

import re
from collections.abc import Iterator

from answers.exercise_08 import encode_chunk
from answers.exercise_10 import encode, segments
from checks._judge import Misunderstanding, Question, check_function
from checks._learner import Learner
from given import END_OF_TEXT, Pair, chunks_of

_GROUP = f"({re.escape(END_OF_TEXT)})"

_TEXTS = [
    "a<|endoftext|>b c",
    "no special token here",
    "",
    "<|endoftext|>",
    "a<|endoftext|>",
    "<|endoftext|><|endoftext|>",
    " a <|endoftext|> b ",
    "<|endoftext",
    "endoftext|>",
    "either|or <x>",
    "<|ENDOFTEXT|>",
    "<|endo<|endoftext|>text|>",
    "ab\n<|endoftext|>\n\n<|endoftext|>ab ab",
]

_SEGMENTS = Question(
    "segments",
    segments,
    [
        Misunderstanding(
            lambda text: [part for part in text.split(END_OF_TEXT) if part],
            "The special tokens are lost: `split` drops what it splits at. Joined, the segments "
            "are the text.",
        ),
        Misunderstanding(
            lambda text: text.split(END_OF_TEXT),
            "The special tokens are lost: `split` drops what it splits at. Joined, the segments "
            "are the text, and none is empty.",
        ),
        Misunderstanding(
            lambda text: re.split(_GROUP, text),
            "There are empty segments: before, behind or between special tokens. Leave them out.",
        ),
        Misunderstanding(
            lambda text: [part for part in re.split(f"({END_OF_TEXT})", text) if part],
            "In a regular expression | means or: this splits at < and at endoftext and at >. "
            "re.escape makes it mean itself.",
        ),
        Misunderstanding(
            lambda text: re.split(f"({END_OF_TEXT})", text),
            "In a regular expression | means or: this splits at < and at endoftext and at >. "
            "re.escape makes it mean itself.",
        ),
        Misunderstanding(
            lambda text: [part.strip() for part in re.split(_GROUP, text) if part.strip()],
            "Whitespace around the special token was taken away. It belongs to the text.",
        ),
        Misunderstanding(
            lambda text: [part for part in re.split(_GROUP, text, flags=re.IGNORECASE) if part],
            "Only the exact text is the special token, in small letters.",
        ),
    ],
)


def _special_as_text(text: str, merges: list[Pair]) -> list[int]:
    return [token for chunk in chunks_of(text) for token in encode_chunk(chunk, merges)]


def _not_cut(text: str, merges: list[Pair]) -> list[int]:
    ids: list[int] = []
    for segment in segments(text):
        special = segment == END_OF_TEXT
        ids += [256 + len(merges)] if special else encode_chunk(segment.encode("utf-8"), merges)
    return ids


def _with_id(number: int) -> Misunderstanding:
    def wrong(text: str, merges: list[Pair]) -> list[int]:
        right = 256 + len(merges)
        return [right + number if token == right else token for token in encode(text, merges)]

    return Misunderstanding(
        wrong,
        "The special token has the first id behind the merges: with two merges, 256 and 257, it "
        "is 258.",
    )


_ENCODE = Question(
    "encode",
    encode,
    [
        Misunderstanding(
            _special_as_text,
            "The special token was encoded like other text, byte by byte. It has an id of its own.",
        ),
        Misunderstanding(
            _not_cut,
            "The segments were not cut into chunks: a merge went across the edge of one. Call "
            "`chunks_of` on each segment, and encode chunk by chunk.",
        ),
        Misunderstanding(
            lambda text, merges: _special_as_text(text.replace(END_OF_TEXT, ""), merges),
            "The special token was left out, and what stood around it was joined.",
        ),
        _with_id(1),
        _with_id(-1),
        _with_id(-2),
    ],
)


def check(learner: Learner) -> Iterator[str]:
    """Check the segments, then the ids of the same texts by some merges."""
    yield check_function(learner, _SEGMENTS, [(text,) for text in _TEXTS])
    merges: list[list[Pair]] = [[(97, 98), (32, 256)], [], [(98, 32), (97, 256), (257, 97)]]
    texts = ["ab<|endoftext|>ab", "ab ab", "", "ab ab abab", *_TEXTS]
    yield check_function(learner, _ENCODE, [(text, some) for some in merges for text in texts])
