"""Guess the format of a file that is not UTF-8 text, and suggest how to convert it."""

import re
from typing import Final

_CONVERT: Final = "convert it first, with:"
_BINARY_OUT: Final = "which is binary; leave it out"
_BY_FIRST_BYTES: Final = (
    (rb"\xff\xfe\0\0", f"UTF-32; {_CONVERT} iconv -f UTF-32 -t UTF-8"),
    (rb"\xff\xfe|\xfe\xff", f"UTF-16; {_CONVERT} iconv -f UTF-16 -t UTF-8"),
    (rb"PK\x03\x04", f"a zip file, which is binary; {_CONVERT} unzip -p"),
    (rb"7z\xbc\xaf", f"a 7z file; {_CONVERT} 7z x -so"),
    (rb"\x04\x22\x4d\x18", f"an lz4 file; {_CONVERT} lz4 -dc"),
    (rb"[\x50-\x5f]\x2a\x4d\x18", f"zstd after a skippable frame; {_CONVERT} zstd -dc"),
    (rb"\x1f\x8b|BZh|\xfd7zXZ", "compressed data, which is binary; decompress it first"),
    (rb"PAR1", "a Parquet file; commands with --parquet COLUMN read its text"),
    (rb"%PDF-", f"a PDF file, which is binary; {_CONVERT} pdftotext"),
    (rb"\x89PNG", f"a PNG image, {_BINARY_OUT}"),
    (rb"\xff\xd8\xff", f"a JPEG image, {_BINARY_OUT}"),
    (rb"GIF8[79]a", f"a GIF image, {_BINARY_OUT}"),
    (rb"SQLite f", f"an SQLite database, {_BINARY_OUT}"),
    (
        rb"\x7fELF|MZ\x90\0|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm",
        f"a program, {_BINARY_OUT}",
    ),
    (rb"(?:[^\0]\0){3}|(?:\0[^\0]){3}", f"UTF-16; {_CONVERT} iconv -f UTF-16 -t UTF-8"),
)

# A single high byte next to plain letters or a space; in UTF-8, none occurs alone.
_ALONE: Final = rb"(?<![\x80-\xff])[%b](?![\x80-\xff])"
_BY_THE_WRONG_BYTE: Final = (
    (re.compile(_ALONE % rb"\xa0-\xfd"), "Latin-1", "LATIN1"),
    (re.compile(_ALONE % rb"\x82-\x8c\x91-\x9c"), "Windows-1252", "WINDOWS-1252"),
)


def advice_on_conversion(begin: bytes, data: bytes, error: UnicodeDecodeError) -> str:
    """Return a line of advice.

    Args:
        begin: the first bytes of the file.
        data: the bytes that `error.start` refers to.
        error: the error of the decoder.
    """
    for magic, advice in _BY_FIRST_BYTES:
        if re.match(magic, begin, re.DOTALL):
            return f"it looks like {advice}"
    if b"\0" in data:
        return "it has NUL bytes: it is binary, or UTF-16; leave it out, or convert it"
    if error.reason == "unexpected end of data":
        return "it ends in the middle of a character; was it cut short, or is it Latin-1?"
    for pattern, kind, name in _BY_THE_WRONG_BYTE:
        if pattern.match(data, error.start):
            return f"it looks like {kind}; {_CONVERT} iconv -f {name} -t UTF-8"
    return "bpetite reads UTF-8 only; convert the file, or leave it out"
