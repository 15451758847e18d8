"""Guess the format of a file that is not what a command expects, and suggest what to do."""

import os
import re
import shlex
from contextlib import suppress
from typing import Final

from bpetite._files import quoted, read_file

_LARGEST: Final = 1 << 26
_BEGIN: Final = 1 << 16

_OURS: Final = re.compile(rb'"(?:schema_version|mergeable_vocab_size)"')
_HUGGING_FACE: Final = re.compile(rb'\s*\{.*"added_tokens"\s*:', re.DOTALL)
_TIKTOKEN: Final = re.compile(rb"[A-Za-z0-9+/]{2}== [0-9]+\r?\n")  # a byte and its rank
_VOCAB_JSON: Final = re.compile(rb'\s*\{\s*(?:"(?:[^"\\]|\\.)+"\s*:\s*[0-9]+\s*,\s*){2}')
_MERGES_TXT: Final = re.compile(rb"#version: ")
_JSON_OR_NOTHING: Final = re.compile(rb"\s*(?:[\[{]|\Z)")
_CONTROL: Final = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")


def other_file_message(path: str) -> str | None:
    """Return a message with the likely format of a file and the command that converts it.

    None means a damaged tokenizer file or an unknown format.
    """
    begin = b""
    with suppress(OSError, ValueError):
        begin = read_file(path, _LARGEST)[:_BEGIN]
    found = _kind_and_command(path, begin)
    if found is None:
        return None
    kind, command = found
    return (
        f"{quoted(path)} is not a tokenizer file; it looks like {kind}\n"
        f"make one from it with `bpetite {command} --output NEW.json`"
    )


def _kind_and_command(path: str, begin: bytes) -> tuple[str, str] | None:
    file, folder = map(shlex.quote, (path, os.path.dirname(path) or os.curdir))
    if _OURS.search(begin):
        return None
    if _HUGGING_FACE.match(begin):
        command = f"import --from huggingface --input {file}"
        return "a Hugging Face tokenizer.json", command
    if _TIKTOKEN.match(begin):
        return "a .tiktoken file", f"import --from tiktoken --input {file}"
    if _VOCAB_JSON.match(begin) or _MERGES_TXT.match(begin):
        return "part of a GPT-2 tokenizer", f"import --from gpt2 --input {folder}"
    if _is_text(begin):
        return "plain text", f"train --input {file} --vocab-size 512"
    return None


def _is_text(begin: bytes) -> bool:
    """Return whether this is the start of a text; its last character may be cut off."""
    if _JSON_OR_NOTHING.match(begin) or _CONTROL.search(begin):
        return False
    try:
        begin.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


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
_LATIN_1: Final = re.compile(rb"(?<![\x80-\xff])[\xa0-\xfd](?![\x80-\xff])")
_WINDOWS_1252: Final = re.compile(rb"(?<![\x80-\xff])[\x82-\x8c\x91-\x9c](?![\x80-\xff])")
_BY_THE_WRONG_BYTE: Final = (
    (_LATIN_1, "Latin-1", "LATIN1"),
    (_WINDOWS_1252, "Windows-1252", "WINDOWS-1252"),
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
