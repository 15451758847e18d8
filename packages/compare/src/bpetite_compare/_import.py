"""Turn an encoding of tiktoken into a tokenizer file of bpetite.

tiktoken has the tokens of an encoding and their ranks, but not the merges that made them.
These are recovered (`reference.recover_merges`). The schema requires the rest: GPT-2's
pattern, the 256 bytes first, no missing id, and `<|endoftext|>` as the last one. Any other
encoding raises an error that says what is different.

Only the ids of the 256 bytes change: in a tokenizer file the id of a byte is the byte.
"""

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import regex

from bpetite._artifact import Artifact
from bpetite._files import read_file
from bpetite_compare._encodings import get_encoding, pattern_of, ranks_of, specials_of
from bpetite_compare._gpt2 import GPT2_PATTERN, is_gpt2_pattern
from bpetite_compare._same_file import refuse_the_input
from bpetite_compare._soundness import find_unreachable
from bpetite_compare.reference import Pair, recover_merges

__all__ = ["Imported", "import_tiktoken"]

_SPECIAL_TOKEN: Final = "<|endoftext|>"  # noqa: S105 - a token of text, no password
_LARGEST_FILE: Final = 1 << 26
"""How many bytes of ranks are read: larger ones would not fit into an artifact."""

_RANK: Final = re.compile(rb"0|[1-9][0-9]{0,8}")
_CHUNK: Final = regex.compile(GPT2_PATTERN)

# The only tokens of a chunk that are two chunks by themselves: the beginnings of 'll, 've, 're.
_BEGINNINGS: Final = frozenset({"'l", "'v", "'r"})


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an encoding.

    path: the artifact.
    mergeable_vocab_size: how many mergeable tokens there are; the id of the special token.
    byte_order: at place i the byte for which id i of the encoding stands, for the ids 0 to
        255. The artifact has the byte itself as its id; all other ids are the same.
    """

    path: str
    mergeable_vocab_size: int
    byte_order: bytes


def import_tiktoken(
    output: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    ranks: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> Imported:
    """Write the artifact of an encoding that has GPT-2's pattern.

    Args:
        output: where the artifact goes.
        encoding: the name of an encoding of tiktoken: "gpt2", or "r50k_base", which is the same.
        ranks: or a file of ranks, as tiktoken has them. It holds no pattern; it is taken to
            be GPT-2's if every token could stand in one of its chunks.
        overwrite: whether an existing file may be replaced.

    Raises:
        TypeError: not just one of `encoding` and `ranks` is given.
        ValueError: the artifact cannot hold the encoding; the message says why. Or the output
            is the file of ranks.
        OSError: tiktoken cannot get the encoding, a file cannot be read, or the artifact
            cannot be written.
        FileExistsError: something is there, and `overwrite` is false.
    """
    if (encoding is None) == (ranks is None):
        message = "give the name of an encoding or a file of ranks, and not both"
        raise TypeError(message)
    if encoding is not None:
        table = _ranks_of_encoding(encoding)
    else:
        refuse_the_input(os.fspath(output), ranks or "")
        table = _ranks_of_file(os.fspath(ranks or ""))
    name = encoding or repr(os.fspath(ranks or ""))
    try:
        tokens = _in_order(table)
        _check_chunks(tokens)
        merges = recover_merges(table)
        byte_order = b"".join(tokens[:256])
        artifact = _artifact(merges, byte_order)
    except ValueError as error:
        message = f"{name} does not fit into an artifact: {error}"
        raise ValueError(message) from None
    if fault := find_unreachable(artifact):
        message = f"{name} does not fit into an artifact: {fault}"
        raise ValueError(message)
    artifact.write(output, overwrite=overwrite)
    return Imported(os.fspath(output), len(tokens), byte_order)


def _ranks_of_encoding(name: str) -> Mapping[bytes, int]:
    encoding = get_encoding(name)
    if not is_gpt2_pattern(pattern_of(encoding)):
        message = (
            f"{name} does not fit into an artifact: its pattern is not GPT-2's, "
            "so it cuts text into other chunks; gpt2 and r50k_base fit"
        )
        raise ValueError(message)
    ranks, specials = ranks_of(encoding), specials_of(encoding)
    if specials != {_SPECIAL_TOKEN: len(ranks)}:
        message = (
            f"{name} does not fit into an artifact: its special tokens are {dict(specials)}, "
            f"and an artifact has {_SPECIAL_TOKEN} alone, at the first id after the "
            f"mergeable ones, here {len(ranks)}"
        )
        raise ValueError(message)
    return ranks


def _ranks_of_file(path: str) -> Mapping[bytes, int]:
    """Read a file of ranks: a token in base64, a space and its rank on each line.

    tiktoken's own reader would take an older file of the same path from its cache.
    """
    ranks: dict[bytes, int] = {}
    taken: set[int] = set()
    for number, line in enumerate(read_file(path, _LARGEST_FILE).splitlines(), 1):
        try:
            token, rank = _token_and_rank(line)
        except ValueError:
            message = (
                f"{path!r} is no file of ranks: expected base64, a space and a number "
                f"on line {number}, found {line[:40]!r}"
            )
            raise ValueError(message) from None
        if token in ranks:
            message = f"{path!r} lists the token {token[:40]!r} a second time, on line {number}"
            raise ValueError(message)
        if rank in taken:
            message = f"{path!r} gives the rank {rank} to a second token, on line {number}"
            raise ValueError(message)
        ranks[token] = rank
        taken.add(rank)
    return ranks


def _token_and_rank(line: bytes) -> tuple[bytes, int]:
    """Read a line; `int` alone would take +256 and 2_5_6."""
    word, rank = line.split()
    token = base64.b64decode(word, validate=True)
    if not token or not _RANK.fullmatch(rank):
        raise ValueError
    return token, int(rank)


def _in_order(ranks: Mapping[bytes, int]) -> list[bytes]:
    """Return the tokens by their ids, all of which must be there, the bytes first."""
    token_of = {rank: token for token, rank in ranks.items()}
    for rank in range(max(len(ranks), 256)):
        if rank not in token_of:
            message = f"no token has the rank {rank}"
            raise ValueError(message)
    tokens = [token_of[rank] for rank in range(len(ranks))]
    if sorted(tokens[:256]) != [bytes([value]) for value in range(256)]:
        message = "the first 256 tokens are not the 256 bytes"
        raise ValueError(message)
    return tokens


def _check_chunks(tokens: list[bytes]) -> None:
    """Refuse a token that no chunk of GPT-2's pattern can hold.

    Whatever part of a chunk is text by itself is one chunk by itself, but for the
    beginnings of three contractions. Part of a character says nothing, and passes.
    """
    for rank, token in enumerate(tokens):
        try:
            text = token.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(_CHUNK.findall(text)) != 1 and text not in _BEGINNINGS:
            message = (
                f"its token {rank}, {token[:40]!r}, stands in no chunk of GPT-2's pattern, "
                "so it was made with another"
            )
            raise ValueError(message)


def _artifact(merges: Mapping[Pair, int], byte_order: bytes) -> Artifact:
    """Return the artifact with these merges, in which the ids of the bytes are the bytes."""

    def new_id(token_id: int) -> int:
        return byte_order[token_id] if token_id < 256 else token_id

    return Artifact.of_merges((new_id(left), new_id(right)) for left, right in merges)
