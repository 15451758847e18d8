"""Guess the format of a file that is not a tokenizer file, and suggest how to make one from it."""

import codecs
import os
import re
import shlex
from typing import Final

from bpetite._inner import quoted, read_file

_LARGEST: Final = 1 << 26
_BEGIN: Final = 1 << 16

_OURS: Final = re.compile(rb'"(?:schema_version|mergeable_vocab_size)"')
_GPT2: Final = rb'\s*\{\s*(?:"(?:[^"\\]|\\.)+"\s*:\s*[0-9]+\s*,\s*){2}|#version: '
_BYTE_AND_RANK: Final = rb"[A-Za-z0-9+/]{2}== [0-9]+\r?\n"
_TEXT: Final = rb"\s*[^\s\[{\0-\x08\x0e-\x1f\x7f][^\0-\x08\x0e-\x1f\x7f]*\Z"
_KINDS: Final = (
    (rb'\s*\{.*"added_tokens"\s*:', "a Hugging Face tokenizer.json", "huggingface"),
    (rb'\s*\{.*"token_bytes"\s*:', "a tekken.json", "tekken"),
    (_BYTE_AND_RANK, "a .tiktoken file", "tiktoken"),
    (_GPT2, "part of a GPT-2 tokenizer", "gpt2"),
    (_TEXT, "plain text", ""),  # neither JSON nor control characters
)
"""How a file begins, what it is, and how `import` calls it."""


def other_file_message(path: str) -> str | None:
    """Return a message with the likely format of a file and the command that converts it.

    None means a damaged tokenizer file or an unknown format.
    """
    try:
        begin = read_file(path, _LARGEST)[:_BEGIN]
        codecs.utf_8_decode(begin, "strict")  # its last character may be cut off
    except (OSError, ValueError):
        return None
    for pattern, kind, form in () if _OURS.search(begin) else _KINDS:
        if re.match(pattern, begin, re.DOTALL):
            # GPT-2's two files are found in their folder.
            source = shlex.quote(os.path.dirname(path) or os.curdir if form == "gpt2" else path)
            more = " --pattern NAME" if form == "tiktoken" else ""
            command = f"import --from {form} --input {source}{more}"
            return (
                f"{quoted(path)} is not a tokenizer file; it looks like {kind}\nmake one from it "
                f"with `bpetite {command if form else f'train --input {source} --vocab-size 512'} "
                "--output NEW.json`"
            )
    return None
