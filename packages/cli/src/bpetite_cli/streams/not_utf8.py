"""Guess the format of a file that is not UTF-8, and suggest how to convert it."""

import re
from typing import Final

_BY_FIRST_BYTES: Final = (
    (b"\xff\xfe\x00\x00", "UTF-32", "iconv -f UTF-32 -t UTF-8"),
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\x1f\x8b", "a gzip file", "gzip -dc"),
    (b"BZh", "a bzip2 file", "bzip2 -dc"),
    (b"\xfd7zXZ\x00", "an xz file", "xz -dc"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "zstd -dc"),
    (b"PK\x03\x04", "a zip file", "unzip -p"),
)

# A single high byte next to plain letters or a space; in UTF-8, none occurs alone.
_LATIN_1: Final = re.compile(rb"(?<![\x80-\xff])[\xa0-\xfd](?![\x80-\xff])")
_WINDOWS_1252: Final = re.compile(rb"(?<![\x80-\xff])[\x82-\x8c\x91-\x9c](?![\x80-\xff])")
_EVERY_OTHER_IS_NUL: Final = re.compile(rb"(?:[^\0]\0){3}|(?:\0[^\0]){3}")


def advice_on_conversion(begin: bytes, data: bytes, error: UnicodeDecodeError) -> str:
    """Return a line of advice.

    Args:
        begin: the first bytes of the file.
        data: the bytes that `error.start` refers to.
        error: the error of the decoder.
    """
    for magic, kind, command in _BY_FIRST_BYTES:
        if begin.startswith(magic):
            return f"it looks like {kind}; convert it first, with: {command}"
    if _EVERY_OTHER_IS_NUL.match(begin):
        return "it looks like UTF-16; convert it first, with: iconv -f UTF-16 -t UTF-8"
    if error.reason == "unexpected end of data":
        return "it ends in the middle of a character; was it cut short, or is it Latin-1?"
    if _LATIN_1.match(data, error.start):
        return "it looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8"
    if _WINDOWS_1252.match(data, error.start):
        return "it looks like Windows-1252; convert it first, with: iconv -f WINDOWS-1252 -t UTF-8"
    return "bpetite reads UTF-8 only; convert the file, or leave it out"
