"""tiktoken's tokenizers, which it calls encodings.

tiktoken downloads an encoding on first use and caches it in the folder TIKTOKEN_CACHE_DIR or
in a temporary folder. It does not report that, so this module logs a warning first. The command
line allows it with `--download`, and otherwise reads the cache alone. bpetite itself opens no
connection.
"""

import logging
import os
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha1
from typing import Final

import tiktoken
import tiktoken.load
import tiktoken.model

from bpetite._inner import quoted, read_file
from bpetite_compare._spellings import known_pattern

_LOCK: Final = threading.Lock()
_LOGGER: Final = logging.getLogger("bpetite_compare")


def is_encoding(name: object) -> bool:
    """Return whether tiktoken has an encoding with this name."""
    return name in tiktoken.list_encoding_names()


def known_names() -> list[str]:
    """Return the names of encodings and of models, without those that only begin as one."""
    return [*tiktoken.list_encoding_names(), *tiktoken.model.MODEL_TO_ENCODING]


def encoding_for(name: str) -> str | None:
    """Return the encoding with this name, or that of OpenAI's model with this name."""
    if is_encoding(name):
        return name
    with suppress(KeyError):
        return tiktoken.encoding_name_for_model(name)
    return None


def get_encoding(name: str, *, download: bool = True) -> tiktoken.Encoding:
    """Return a tiktoken encoding, and log a warning to `bpetite_compare` before a download.

    Raises:
        ValueError: tiktoken has no encoding with this name.
        OSError: the download failed; or without `download`, the encoding is not in tiktoken's
            cache, or damaged there.
    """
    known = tiktoken.list_encoding_names()
    if name not in known:
        way_out = f"choose from {', '.join(known)}, or import the tokenizer.json of the model"
        if encoding := encoding_for(name):
            way_out = f"the model of this name has the encoding {encoding}"
        raise ValueError(f"unknown tiktoken encoding {name[:40]!r}; {way_out}")
    reading = _logging_downloads(name) if download else _reading_cache(name)
    with _LOCK, reading as downloads:
        try:
            return tiktoken.get_encoding(name)
        except (OSError, ValueError) as error:
            if not downloads:
                raise
            reason = type(error).__name__
            raise OSError(
                f"tiktoken cannot download the encoding {name} ({reason}); set TIKTOKEN_CACHE_DIR "
                "to a folder that contains it, or run this once with a network connection"
            ) from None


@contextmanager
def _logging_downloads(name: str) -> Iterator[list[str]]:
    """Log a download before it starts, once per encoding; tiktoken has no hook for that."""
    read_file = tiktoken.load.read_file
    downloads: list[str] = []

    def log_and_read_file(path: str) -> bytes:
        if not downloads:
            _LOGGER.warning("tiktoken will download the encoding %s from %s", name, path)
        downloads.append(path)
        return read_file(path)

    module = vars(tiktoken.load)
    module["read_file"] = log_and_read_file
    try:
        yield downloads
    finally:
        module["read_file"] = read_file


@contextmanager
def _reading_cache(name: str) -> Iterator[list[str]]:
    """Read the files of tiktoken's cache alone; tiktoken would replace a damaged one.

    A path, which an encoding of a plug-in may have in the place of an address, is no download.
    """
    read_file_cached = tiktoken.load.read_file_cached

    def read_cached(path: str, expected_hash: str | None = None) -> bytes:
        if "://" not in path:
            return read_file_cached(path, expected_hash)
        folder = _cache_folder()
        file = os.path.join(folder, sha1(path.encode(), usedforsecurity=False).hexdigest())
        if not folder or not os.path.exists(file):
            off = "an empty TIKTOKEN_CACHE_DIR or DATA_GYM_CACHE_DIR turns it off"
            raise OSError(
                f"the encoding {name} is not in tiktoken's cache "
                f"({quoted(folder) if folder else off}); "
                "add --download to let tiktoken download it"
            )
        data = read_file(file)
        if expected_hash is not None and not tiktoken.load.check_hash(data, expected_hash):
            raise OSError(
                f"{quoted(file)}, the encoding {name} in tiktoken's cache, is damaged; "
                "add --download to replace it"
            )
        return data

    module = vars(tiktoken.load)
    module["read_file_cached"] = read_cached
    try:
        yield []
    finally:
        module["read_file_cached"] = read_file_cached


def _cache_folder() -> str:
    """Return the folder of tiktoken's cache; it is empty if there is no cache."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable]
    return os.path.join(tempfile.gettempdir(), "data-gym-cache")


def make_encoding(
    name: str, pattern: str, ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]
) -> tiktoken.Encoding:
    """Return a tiktoken encoding with these parts; tiktoken needs its own dictionaries."""
    return tiktoken.Encoding(
        name, pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens=dict(special_tokens)
    )


def encode(encoding: tiktoken.Encoding, text: str, special: Collection[str]) -> list[int]:
    """Return the ids of a text; only these texts can be special tokens.

    Raises:
        ValueError: tiktoken's regex engine fails, for example on a million spaces.
    """
    allowed = encoding.special_tokens_set.intersection(special)
    try:
        return encoding.encode(text, allowed_special=allowed, disallowed_special=())
    except ValueError as error:
        raise ValueError(
            "tiktoken failed on this text; its regex engine cannot handle a million whitespace "
            f"characters in a row ({error})"
        ) from None


def cuts_safely(encoding: tiktoken.Encoding) -> bool:
    """Return whether an encoding is known to split text at every safe boundary."""
    return known_pattern(pattern_of(encoding)) is not None


# tiktoken's documentation uses these three attributes to extend an encoding.


def pattern_of(encoding: tiktoken.Encoding) -> str:
    """Return the split pattern."""
    return encoding._pat_str


def ranks_of(encoding: tiktoken.Encoding) -> Mapping[bytes, int]:
    """Return the ids of the mergeable tokens, by their bytes."""
    return encoding._mergeable_ranks


def specials_of(encoding: tiktoken.Encoding) -> Mapping[str, int]:
    """Return the ids of the special tokens, by their text."""
    return encoding._special_tokens
