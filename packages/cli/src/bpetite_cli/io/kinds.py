"""What file is this? Guess from its bytes, and suggest how to read or convert it."""

import codecs
import os
import re
from contextlib import suppress
from typing import Final

CONVERT: Final = "convert it first, with:"
LIKE_UTF16: Final = f"looks like UTF-16; {CONVERT} iconv -f UTF-16LE (or UTF-16BE) -t UTF-8"
_BINARY_OUT: Final = "which is binary; leave it out"
_CONTROLS: Final = bytes(range(32))
_SPACES: Final = b" " * 8
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NEVER_IN_TEXT: Final = bytes({*range(32)} - {*b"\t\n\v\f\r\x1b"})
_SIGNATURES: Final = (
    (rb"\xff\xfe\0\0", f"UTF-32; {CONVERT} iconv -f UTF-32 -t UTF-8"),
    (rb"\xff\xfe|\xfe\xff", f"UTF-16; {CONVERT} iconv -f UTF-16 -t UTF-8"),
    (rb"7z\xbc\xaf", f"a 7z file; {CONVERT} 7z x -so"),
    (rb"\x04\x22\x4d\x18", f"an lz4 file; {CONVERT} lz4 -dc"),
    (rb"[\x50-\x5f]\x2a\x4d\x18", f"zstd after a skippable frame; {CONVERT} zstd -dc"),
    (rb"\x1f\x8b|BZh|\xfd7zXZ", "compressed data, which is binary; decompress it first"),
    (rb"PAR1", "a Parquet file; commands with --parquet COLUMN read its text"),
    (rb"%PDF-", f"a PDF file, which is binary; {CONVERT} pdftotext"),
    (rb"\x89PNG", f"a PNG image, {_BINARY_OUT}"),
    (rb"\xff\xd8\xff", f"a JPEG image, {_BINARY_OUT}"),
    (rb"GIF8[79]a", f"a GIF image, {_BINARY_OUT}"),
    (rb"SQLite f", f"an SQLite database, {_BINARY_OUT}"),
    (
        rb"\x7fELF|MZ\x90\0|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm",
        f"a program, {_BINARY_OUT}",
    ),
)
_BY_FIRST_BYTES: Final = (
    *_SIGNATURES,
    (rb"(?:[^\0]\0){3}", f"UTF-16; {CONVERT} iconv -f UTF-16LE -t UTF-8"),
    (rb"(?:\0[^\0]){3}", f"UTF-16; {CONVERT} iconv -f UTF-16BE -t UTF-8"),
)

# A single high byte next to plain letters or a space; in UTF-8, none occurs alone.
_ALONE: Final = rb"(?<![\x80-\xff])[%b](?![\x80-\xff])"
_BY_THE_WRONG_BYTE: Final = (
    (re.compile(_ALONE % rb"\xa0-\xfd"), "Latin-1", "LATIN1"),
    (re.compile(_ALONE % rb"\x82-\x8c\x91-\x9c"), "Windows-1252", "WINDOWS-1252"),
)


def advice_on_archive(begin: bytes) -> str | None:
    """Return a line of advice if a file that begins so is an archive, which may be valid UTF-8."""
    if begin.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # the second is empty
        return f"it looks like a zip file, which is binary; {CONVERT} unzip -p"
    # A tar file has the sum of its header's bytes in it, where spaces count instead.
    total = sum(begin[:148] + _SPACES + begin[156:512])
    if len(begin) >= 512 and re.fullmatch(rb"[ 0]*%o[ \0]*" % total, begin[148:156]):
        return "it looks like a tar file; unpack it, and name the files in it: tar -xf"
    return None


def signature(begin: bytes) -> str | None:
    """Return what a file that begins so is, and what to do, if it is in a known format.

    Some signatures are words, such as "SQLite f", with which a text may begin, too.
    """
    with suppress(UnicodeDecodeError):
        codecs.utf_8_decode(begin, "strict")  # its last character may be cut off
        is_plain = begin.translate(None, _NEVER_IN_TEXT) == begin
        if is_plain and not begin.startswith(b"%PDF-"):
            return None
    return next((kind for one, kind in _SIGNATURES if re.match(one, begin, re.DOTALL)), None)


def is_tokenizer_file(begin: bytes) -> bool:
    """Return whether a file that begins so is a tokenizer file."""
    keys = b'"mergeable_vocab_size"', b'"merges"'
    return begin.lstrip().startswith(b"{") and all(key in begin for key in keys)


def is_utf16(data: bytes) -> bool:
    """Return whether data may be UTF-16, which may be valid UTF-8 without a byte order mark.

    Then nearly every second byte is NUL or another control character, and the others are not.
    """
    is_marked = data.startswith(_UTF16_MARKS)
    if is_marked or b"\0" not in data:
        return is_marked
    halves = (half.translate(None, _CONTROLS) for half in (data[::2], data[1::2]))
    high, low = sorted(map(len, halves))
    return len(data) > 5 and high * 8 <= len(data) <= low * 4


def advice_on_conversion(begin: bytes, data: bytes, error: UnicodeDecodeError) -> str:
    """Return a line of advice.

    Args:
        begin: the first bytes of the file, unless they are valid.
        data: the bytes that `error.start` refers to.
        error: the error of the decoder.
    """
    for magic, advice in _BY_FIRST_BYTES:
        if re.match(magic, begin, re.DOTALL):
            return f"it looks like {advice}"
    if data.startswith(_UTF16_MARKS, error.start):
        return (
            "a part that looks like UTF-16 begins there; convert it before you join it, with: "
            "iconv -f UTF-16 -t UTF-8"
        )
    if b"\0" in data:
        return "it has NUL bytes: it is binary, or UTF-16; leave it out, or convert it"
    if error.reason == "unexpected end of data":
        return "it ends in the middle of a character; was it cut short, or is it Latin-1?"
    for pattern, kind, name in _BY_THE_WRONG_BYTE:
        if pattern.match(data, error.start):
            return f"it looks like {kind}; {CONVERT} iconv -f {name} -t UTF-8"
    return "bpetite reads UTF-8 only; convert the file, or leave it out"


def not_utf8(data: bytes, place: int, offset: int) -> str:
    """Return what is wrong with data whose byte at some place is not UTF-8."""
    return f"is not UTF-8: byte 0x{data[place]:02x} at offset {offset}"


_BEGIN: Final = 1 << 16

PLAIN_TEXT: Final = "plain text"
_OURS: Final = re.compile(rb'"(?:schema_version|mergeable_vocab_size)"')
_GPT2: Final = rb'\s*\{\s*(?:"(?:[^"\\]|\\.)+"\s*:\s*[0-9]+\s*,\s*){2}|#version: '
_BYTE_AND_RANK: Final = rb"[A-Za-z0-9+/]{2}== [0-9]+\r?\n"
_TEXT: Final = rb"\s*[^\s\[{\0-\x08\x0e-\x1f\x7f][^\0-\x08\x0e-\x1f\x7f]*\Z"
_KINDS: Final = (
    (rb"GGUF", "a GGUF file"),
    (rb"\n.{,9}<unk>", "a SentencePiece model"),
    (rb'\s*\{.*"(?:added_tokens|model|tokenizer_class)"\s*:', "a file of Hugging Face"),
    (rb'\s*\{.*"token_bytes"\s*:', "a tekken.json"),
    (_BYTE_AND_RANK, "a file of ranks, as tiktoken has"),
    (_GPT2, "part of a GPT-2 tokenizer"),
    (_TEXT, PLAIN_TEXT),  # neither JSON nor control characters
)
"""How a file begins, and what it is."""


def other_kind(path: str) -> str | None:
    """Return what a file seems to be that is no tokenizer file.

    None means a damaged tokenizer file, an unknown format, or no regular file.
    """
    if not os.path.isfile(path):
        return None
    with suppress(OSError, ValueError), open(path, "rb") as file:
        begin = file.read(_BEGIN)
        for pattern, kind in () if _OURS.search(begin) else _KINDS:
            if kind == PLAIN_TEXT:
                codecs.utf_8_decode(begin, "strict")  # its last character may be cut off
            if re.match(pattern, begin, re.DOTALL):
                return kind
    return None
