"""Guess the format of a file that is not a tokenizer file, and suggest how to make one from it."""

import codecs
import os
import re
import shlex
from typing import Final

from bpetite._files import quoted, read_file

_LARGEST: Final = 1 << 26
_BEGIN: Final = 1 << 16

_OURS: Final = re.compile(rb'"(?:schema_version|mergeable_vocab_size)"')
_KINDS: Final = (
    (
        rb'\s*\{.*"added_tokens"\s*:',
        "a Hugging Face tokenizer.json",
        "import --from huggingface --input {}",
    ),
    # A byte and its rank.
    (rb"[A-Za-z0-9+/]{2}== [0-9]+\r?\n", "a .tiktoken file", "import --from tiktoken --input {}"),
    (
        rb'\s*\{\s*(?:"(?:[^"\\]|\\.)+"\s*:\s*[0-9]+\s*,\s*){2}|#version: ',
        "part of a GPT-2 tokenizer",
        "import --from gpt2 --input {}",
    ),
    # Neither JSON nor control characters.
    (
        rb"\s*[^\s\[{\0-\x08\x0e-\x1f\x7f][^\0-\x08\x0e-\x1f\x7f]*\Z",
        "plain text",
        "train --input {} --vocab-size 512",
    ),
)
"""How a file begins, what it is, and the command that makes a tokenizer file from it."""


def other_file_message(path: str) -> str | None:
    """Return a message with the likely format of a file and the command that converts it.

    None means a damaged tokenizer file or an unknown format.
    """
    try:
        begin = read_file(path, _LARGEST)[:_BEGIN]
        codecs.utf_8_decode(begin, "strict")  # its last character may be cut off
    except (OSError, ValueError):
        return None
    for pattern, kind, command in () if _OURS.search(begin) else _KINDS:
        if re.match(pattern, begin, re.DOTALL):
            # GPT-2's two files are found in their folder.
            source = os.path.dirname(path) or os.curdir if "gpt2" in command else path
            return (
                f"{quoted(path)} is not a tokenizer file; it looks like {kind}\nmake one from it "
                f"with `bpetite {command.format(shlex.quote(source))} --output NEW.json`"
            )
    return None
