"""Compress bytes in each format that the command line reads."""

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import pytest

ZSTD: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""The name of the module that reads zstd."""


def compress_zstd(data: bytes) -> bytes:
    """Compress as the program does, which adds a checksum; skip if there is no zstd."""
    zstd: Any = pytest.importorskip(ZSTD)
    options = {zstd.CompressionParameter.checksum_flag: 1}
    compressed: bytes = zstd.compress(data, options=options)
    return compressed


COMPRESS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": partial(gzip.compress, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": compress_zstd,
}
