"""The log records of training, which the logger `bpetite` emits.

Their level is INFO, but for the warnings `File` and `Unreachable`.

Each class is the shape of a record: what it has as attributes beside those of every record.
"""

import logging
from typing import Final, Literal, TypeAlias, TypedDict

_LOGGER: Final = logging.getLogger("bpetite")


class Start(TypedDict):
    """Training starts.

    vocab_size: the number of mergeable tokens requested.
    merges_kept: the merges of the tokenizer that it continues.
    """

    event: Literal["start"]
    vocab_size: int
    merges_kept: int


class Count(TypedDict):
    """About every 16 million characters of the corpus.

    documents, characters: how many so far.
    """

    event: Literal["count"]
    documents: int
    characters: int


class Counted(TypedDict):
    """The corpus is counted.

    documents, characters, distinct_chunks: how many.
    """

    event: Literal["counted"]
    documents: int
    characters: int
    distinct_chunks: int


class Merge(TypedDict):
    """Every 100 merges.

    merges, merges_wanted: how many so far, and in all.
    token: the first 40 bytes of the last token.
    count: the frequency of its pair.
    """

    event: Literal["merge"]
    merges: int
    merges_wanted: int
    token: bytes
    count: int


class End(TypedDict):
    """Training ends.

    vocab_size, mergeable_vocab_size: the number of mergeable tokens requested, and reached.
    """

    event: Literal["end"]
    vocab_size: int
    mergeable_vocab_size: int


class File(TypedDict):
    """At level WARNING: the corpus is an open file, or its first document the path of a file.

    path: the path, or "" for an open file.
    """

    event: Literal["file"]
    path: str


class Unreachable(TypedDict):
    """At level WARNING: tokens of start do not encode to themselves.

    id: the first such token.
    token: its first 40 bytes.
    ids: all of them.
    """

    event: Literal["unreachable"]
    id: int
    token: bytes
    ids: list[int]


Record: TypeAlias = Start | Count | Counted | Merge | End | File | Unreachable


def log(message: str, record: Record, level: int = logging.INFO) -> None:
    """Emit a record, with the event and its figures as attributes."""
    _LOGGER.log(level, message, extra=record)
