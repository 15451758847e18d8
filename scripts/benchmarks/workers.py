"""Encode documents in several processes, as a user of the library would.

Each worker loads the tokenizer file once. Ids are returned as arrays, which are small to send.
"""

from array import array
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from bpetite import Tokenizer

_loaded: list[Tokenizer] = []  # holds one tokenizer in a worker


def encode_all(documents: Sequence[str], model: Path, cores: int) -> list[list[int]]:
    """Start the workers, encode the documents, and return the ids of each in order."""
    spawn = get_context("spawn")
    with ProcessPoolExecutor(cores, spawn, _start, (model,)) as pool:
        return [ids.tolist() for ids in pool.map(_encode, documents, chunksize=8)]


def _start(model: Path) -> None:
    _loaded.append(Tokenizer.load(model))


def _encode(document: str) -> "array[int]":
    return array("I", _loaded[0].encode(document))
