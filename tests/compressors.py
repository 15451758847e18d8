"""Compress bytes in each format that the command line reads."""

import bz2
import gzip
import lzma
import struct
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import pytest

ZSTD: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""The name of the module that reads zstd."""

SKIPPABLE: Final = b"\x50\x2a\x4d\x18" + struct.pack("<I", 5) + b"extra"
"""A frame of zstd without content."""


def compress_zstd(data: bytes, *, checksum: bool = True) -> bytes:
    """Compress as the program does, which adds a checksum; skip if there is no zstd."""
    zstd: Any = pytest.importorskip(ZSTD)
    options = {zstd.CompressionParameter.checksum_flag: int(checksum)}
    compressed: bytes = zstd.compress(data, options=options)
    return compressed


def compress_with_dictionary(data: bytes) -> bytes:
    """Return a zstd file that cannot be read without a dictionary; skip if there is no zstd."""
    zstd: Any = pytest.importorskip(ZSTD)
    samples = [data * number for number in range(1, 100)]
    compressed: bytes = zstd.compress(data, zstd_dict=zstd.train_dict(samples, 1000))
    return compressed


COMPRESS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": partial(gzip.compress, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": compress_zstd,
}

FORMATS: Final = [
    pytest.param(name, marks=[pytest.mark.thorough] * (name == "zstd")) for name in COMPRESS
]
"""The formats; zstd is thorough."""


def gzip_member(content: bytes, name: bytes) -> bytes:
    """Return a member whose header has all optional fields, with a name."""
    header = b"\x1f\x8b\x08" + bytes([0b11111]) + bytes(6)
    header += struct.pack("<H", 4) + b"more" + name + b"\0" + name + b"\0"
    header += struct.pack("<H", zlib.crc32(header) & 0xFFFF)
    body = zlib.compress(content, wbits=-zlib.MAX_WBITS)
    return header + body + struct.pack("<II", zlib.crc32(content), len(content))


def xz_with_dictionary(content: bytes, code: int) -> bytes:
    """Return an xz file that declares a dictionary of a size; 40 is 4 GiB, 26 is 32 MiB."""
    data = bytearray(lzma.compress(content))
    size = 4 * (data[12] + 1)
    data[data.index(b"\x21\x01", 12, 12 + size) + 2] = code
    data[8 + size : 12 + size] = struct.pack("<I", zlib.crc32(bytes(data[12 : 8 + size])))
    return bytes(data)


def zstd_with_window(content: bytes, log: int) -> bytes:
    """Return a zstd file that declares a window of a size, given as a binary logarithm."""
    header = b"\x28\xb5\x2f\xfd\x00" + bytes([(log - 10) << 3])
    return header + (len(content) << 3 | 1).to_bytes(3, "little") + content
