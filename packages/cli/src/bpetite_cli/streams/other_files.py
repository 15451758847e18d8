"""Guess the format of a file that is not a tokenizer file, and suggest a command for it."""

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
