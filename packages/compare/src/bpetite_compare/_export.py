"""Write a tokenizer in the file formats of tiktoken, Hugging Face and GPT-2.

All three identify a token by its bytes or its text, and give the special token the id that
it has here. So the ids are the same if the bytes of a token determine its id, which
`_soundness` checks first.
"""

import base64
import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bpetite._artifact import Artifact
from bpetite._files import write_file, write_folder
from bpetite_compare._gpt2 import has_gpt2_merges, to_letters
from bpetite_compare._same_file import refuse_the_input
from bpetite_compare._soundness import find_duplicate, find_unreachable

__all__ = ["FORMATS", "Exported", "export"]

_PAIR: Final = ("vocab.json", "merges.txt")
"""The files of GPT-2's own form."""

_LOGGER: Final = logging.getLogger("bpetite_compare")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    files: the paths of the files.
    loading: the lines of Python that load them, with the library whose files they are.
    tokens: how many tokens there are, the special token included.
    """

    files: tuple[str, ...]
    loading: str
    tokens: int


def export(
    model: str | os.PathLike[str],
    to: str,
    output: str | os.PathLike[str],
    overwrite: bool = False,
) -> Exported:
    """Write a model in the form that another library reads.

    The ids are the model's. For an imported GPT-2 the logger `bpetite_compare` warns that
    the first 256 ids differ from GPT-2's own.

    Args:
        model: the path of an artifact.
        to: "tiktoken", a file of ranks; "huggingface", a `tokenizer.json`; or "gpt2", a
            folder with `vocab.json` and `merges.txt`.
        output: the path of the file or the folder.
        overwrite: whether existing files may be replaced.

    Raises:
        KeyError, ValueError, OSError: the model cannot be loaded.
        ValueError: there is no such form; or it cannot hold this vocabulary, as two tokens
            have the same bytes, or one does not encode to itself. No training makes such.
            Or the output is the model.
        FileExistsError: something is there, and `overwrite` is false.
        OSError: the system refuses. What was there is untouched.
    """
    if to not in _WRITERS:
        message = f"there is no export to {to[:40]!r}, only to {', '.join(FORMATS)}"
        raise ValueError(message)
    artifact = Artifact.read(model)
    if fault := find_duplicate(artifact) or find_unreachable(artifact):
        message = f"this model cannot be exported: {fault}"
        raise ValueError(message)
    path = os.fspath(output)
    for file in (path, *(os.path.join(path, name) for name in _PAIR)):
        refuse_the_input(file, model)
    exported = _WRITERS[to](artifact, path, overwrite)
    if has_gpt2_merges(artifact.merges):
        _LOGGER.warning(
            "the ids 0 to 255 of this export differ from GPT-2's: the id of each byte is the "
            "byte itself; all other ids are GPT-2's (GPT2_BYTE_ORDER maps the first 256)"
        )
    return exported


def _to_tiktoken(artifact: Artifact, path: str, overwrite: bool) -> Exported:
    data = b"".join(
        base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(artifact.tokens)
    )
    write_file(path, data, overwrite=overwrite)
    # Not `tiktoken.load.load_tiktoken_bpe`: it takes an older file of this path from its cache.
    loading = f"""\
import base64
import tiktoken

with open({_text(path)!r}, "rb") as file:
    ranks = {{base64.b64decode(token): int(rank) for token, rank in map(bytes.split, file)}}
encoding = tiktoken.Encoding(
    "bpetite",
    pat_str={artifact.pattern!r},
    mergeable_ranks=ranks,
    special_tokens={{{artifact.special_token!r}: {artifact.special_id}}},
)
"""
    return Exported((path,), loading, artifact.special_id + 1)


def _to_huggingface(artifact: Artifact, path: str, overwrite: bool) -> Exported:
    write_file(path, _json(_tokenizer_json(artifact)), overwrite=overwrite)
    loading = f"""\
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file({_text(path)!r})
"""
    return Exported((path,), loading, artifact.special_id + 1)


def _tokenizer_json(artifact: Artifact) -> dict[str, object]:
    cut = {"type": "Split", "pattern": {"Regex": artifact.pattern}}
    to_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    special = {"id": artifact.special_id, "content": artifact.special_token, "special": True}
    wherever = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [special | wherever],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                cut | {"behavior": "Isolated", "invert": False},
                to_bytes | {"use_regex": False},
            ],
        },
        "post_processor": None,
        "decoder": to_bytes | {"use_regex": False},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": _vocab(artifact),
            "merges": _merges(artifact),
        },
    }


def _to_gpt2(artifact: Artifact, path: str, overwrite: bool) -> Exported:
    merges = _merges(artifact)
    for rank, line in enumerate(merges):
        if line.startswith("#version"):
            message = f"merge {rank}, {line[:40]!r}, would be read as a comment of merges.txt"
            raise ValueError(message)
    lines = ["#version: 0.2", *merges, ""]
    vocab = _json(_vocab(artifact))
    files = dict(zip(_PAIR, (vocab, "\n".join(lines).encode("utf-8")), strict=True))
    write_folder(path, files, overwrite=overwrite)
    vocab_path, merges_path = (os.path.join(path, name) for name in files)
    loading = f"""\
from tokenizers.implementations import ByteLevelBPETokenizer

tokenizer = ByteLevelBPETokenizer({_text(vocab_path)!r}, {_text(merges_path)!r})
tokenizer.add_special_tokens([{artifact.special_token!r}])
"""
    return Exported((vocab_path, merges_path), loading, artifact.special_id + 1)


def _text(path: str) -> str:
    """Return the text of a path, which Python may have read by a locale that is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def _vocab(artifact: Artifact) -> Mapping[str, int]:
    vocab = {to_letters(token): token_id for token_id, token in enumerate(artifact.tokens)}
    return vocab | {artifact.special_token: artifact.special_id}


def _merges(artifact: Artifact) -> list[str]:
    return [
        f"{to_letters(artifact.tokens[left])} {to_letters(artifact.tokens[right])}"
        for left, right in artifact.merges
    ]


def _json(data: Mapping[str, object]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


_WRITERS: Final[dict[str, Callable[[Artifact, str, bool], Exported]]] = {
    "tiktoken": _to_tiktoken,
    "huggingface": _to_huggingface,
    "gpt2": _to_gpt2,
}

FORMATS: Final = tuple(_WRITERS)
"""What a model can be exported to."""
