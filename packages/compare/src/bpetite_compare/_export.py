"""Write a tokenizer in the file formats of tiktoken, Hugging Face and GPT-2.

All three identify a token by its bytes or its text. The ids are the same if a token's bytes
determine its id; `_soundness` checks that first.
"""

import base64
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from bpetite._artifact import Artifact
from bpetite._files import check_no_input, quoted, write_file
from bpetite_compare._folders import write_folder
from bpetite_compare._id_map import read_id_map
from bpetite_compare._letters import to_letters
from bpetite_compare._soundness import find_duplicate, find_unreachable
from bpetite_compare._vocabulary import Vocabulary

_PAIR: Final = ("vocab.json", "merges.txt")
"""The files of GPT-2's own format."""

_FOLDER: Final = ("tokenizer.json", "tokenizer_config.json")
"""The files that transformers reads from a folder."""

_ALSO_READ: Final = ("added_tokens.json", "chat_template.jinja", "special_tokens_map.json")
"""Other files that transformers reads from a folder, in preference to an export's."""

_GPT2_MERGES_SHA256: Final = "2fcfd37601610f6537324e6179cc2df7ec5ad6c7c58b218a80a9838ac77b8ea7"
"""The digest of GPT-2's merges as compact JSON, with each byte as its own id."""


_LOGGER: Final = logging.getLogger("bpetite_compare")


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    files: the paths of the files written.
    loading: Python code that loads them in their library, from any folder.
    tokens: the number of tokens, special tokens included.
    special_tokens: the id of each special token, by its text.
    """

    files: tuple[str, ...]
    loading: str
    tokens: int
    special_tokens: Mapping[str, int]


def export(  # noqa: PLR0913 - all but three are settings with a default
    model: str | os.PathLike[str],
    to: str,
    output: str | os.PathLike[str],
    overwrite: bool = False,
    *,
    special_tokens: Iterable[str] = (),
    id_map: str | os.PathLike[str] | None = None,
    max_length: int | None = None,
    chat_template: str | None = None,
) -> Exported:
    """Write a tokenizer in the format of another library.

    The ids are the tokenizer's, or the original ids of an id map. If you export an imported
    GPT-2 without its id map, the logger `bpetite_compare` warns that the first 256 ids
    differ from GPT-2's.

    Args:
        model: the path of a tokenizer file.
        to: "tiktoken" for a file of ranks; "huggingface" for a folder that `AutoTokenizer`
            of transformers loads, or for one `tokenizer.json` if `output` ends in ".json";
            "gpt2" for a folder with `vocab.json` and `merges.txt`.
        output: the path of the file or folder.
        overwrite: whether existing files may be replaced.
        special_tokens: more special tokens for the export; their ids follow the last one.
            The tokenizer file does not change.
        id_map: the path of the original ids, which `import_tokenizer` wrote.
        max_length: for a transformers folder, the maximum number of tokens. transformers
            warns about longer texts, and truncates them with `truncation=True`.
        chat_template: for a transformers folder, the Jinja template of
            `apply_chat_template`.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        TypeError: `special_tokens` is a single `str`, one of them is not a `str`, or
            `max_length` is not an integer.
        ValueError: the format is unknown, lacks an option, or cannot represent the tokenizer;
            a token does not encode to itself (never after training, unless it continued such
            a tokenizer); a special token cannot be used; the id map belongs to another
            tokenizer; or the output is also an input.
        FileExistsError: the output exists, and `overwrite` is false.
        OSError: the system does not allow it. Existing files are unchanged.
    """
    if to not in _WRITERS:
        raise ValueError(f"unknown export format {to[:40]!r}; choose from {', '.join(FORMATS)}")
    path = os.fspath(output)
    config: dict[str, object] = {}
    if max_length is not None:
        config["model_max_length"] = _checked_length(max_length)
    if chat_template is not None:
        config["chat_template"] = chat_template
    if config and not (to == "huggingface" and is_folder(to, path)):
        raise ValueError("max_length and chat_template require a folder for Hugging Face as output")
    artifact = Artifact.read(model)
    if fault := find_duplicate(artifact) or find_unreachable(artifact):
        raise ValueError(f"cannot export this tokenizer: {fault}")
    for file in (path, *(os.path.join(path, name) for name in (*_PAIR, *_FOLDER))):
        check_no_input(file, [model] if id_map is None else [model, id_map])
    size = artifact.highest_id + 1
    ids = range(size) if id_map is None else read_id_map(os.fspath(id_map), size)
    vocabulary = Vocabulary.of(artifact, special_tokens, ids)
    files, loading = _WRITERS[to](vocabulary, path, overwrite, config)
    if id_map is None and _has_gpt2_merges(artifact.merges):
        _LOGGER.warning(
            "the ids 0 to 255 of this export differ from GPT-2's, because the id of a byte is the "
            "byte itself; all other ids are GPT-2's (to restore them all, use import's id map)"
        )
    special = vocabulary.special_tokens
    return Exported(files, loading, len(vocabulary.ranks) + len(special), special)


def is_folder(to: str, output: str) -> bool:
    """Return whether the output is a folder: for GPT-2, and for Hugging Face unless *.json."""
    return to == "gpt2" or (to == "huggingface" and not output.endswith(".json"))


def _checked_length(length: int) -> int:
    if type(length) is not int:
        raise TypeError(f"max_length must be an integer, got {type(length).__name__}")
    if length < 1:
        raise ValueError(f"max_length must be at least 1, got {length}")
    return length


_Written = tuple[tuple[str, ...], str]


def _to_tiktoken(vocabulary: Vocabulary, path: str, overwrite: bool, _: object) -> _Written:
    if vocabulary.out_of_order:
        raise ValueError(
            "tiktoken merges in the order of the ids, but the ids of this id map do not follow the "
            "order of the merges; export to huggingface instead"
        )
    ranks = sorted(vocabulary.ranks.items(), key=itemgetter(1))
    data = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks)
    write_file(path, data, overwrite=overwrite)
    # Not `tiktoken.load.load_tiktoken_bpe`: its cache may have an older file with this path.
    loading = f"""\
import base64
import tiktoken

with open({_text(path)!r}, "rb") as file:
    ranks = {{base64.b64decode(token): int(rank) for token, rank in map(bytes.split, file)}}
# encode() finds special tokens in a text with allowed_special="all"; decode() writes their text.
encoding = tiktoken.Encoding(
    "bpetite",
    pat_str={vocabulary.pattern!r},
    mergeable_ranks=ranks,
    special_tokens={dict(vocabulary.special_tokens)!r},
)
"""
    return (path,), loading


def _to_huggingface(
    vocabulary: Vocabulary, path: str, overwrite: bool, config: Mapping[str, object]
) -> _Written:
    tokenizer = _json(_tokenizer_json(vocabulary))
    if not is_folder("huggingface", path):
        write_file(path, tokenizer, overwrite=overwrite)
        loading = f"""\
from tokenizers import Tokenizer

# decode() leaves special tokens out, unless skip_special_tokens=False.
tokenizer = Tokenizer.from_file({_text(path)!r})
"""
        return (path,), loading
    _check_folder(path)
    settings = _json({**_tokenizer_config(vocabulary), **config})
    files = dict(zip(_FOLDER, (tokenizer, settings), strict=True))
    write_folder(path, files, overwrite=overwrite)
    loading = f"""\
from transformers import AutoTokenizer

# decode() writes the text of special tokens, unless skip_special_tokens=True.
tokenizer = AutoTokenizer.from_pretrained({_text(path)!r})
"""
    return tuple(os.path.join(path, name) for name in files), loading


def _to_gpt2(vocabulary: Vocabulary, path: str, overwrite: bool, _: object) -> _Written:
    merges = _merge_lines(vocabulary)
    for rank, line in enumerate(merges):
        if line.startswith("#version"):
            raise ValueError(
                f"merge {rank}, {line[:40]!r}, would be a comment in merges.txt; use another format"
            )
    lines = ["#version: 0.2", *merges, ""]
    vocab = _json(_vocab_json(vocabulary))
    files = dict(zip(_PAIR, (vocab, "\n".join(lines).encode("utf-8")), strict=True))
    write_folder(path, files, overwrite=overwrite)
    paths = tuple(os.path.join(path, name) for name in files)
    vocab_path, merges_path = map(_text, paths)
    loading = f"""\
from tokenizers.implementations import ByteLevelBPETokenizer

# decode() leaves special tokens out, unless skip_special_tokens=False.
tokenizer = ByteLevelBPETokenizer({vocab_path!r}, {merges_path!r})
tokenizer.add_special_tokens({list(vocabulary.special_tokens)!r})
"""
    return paths, loading


def _tokenizer_json(vocabulary: Vocabulary) -> dict[str, object]:
    """Return the content of `tokenizer.json`: byte-level BPE with its special tokens."""
    cut = {"type": "Split", "pattern": {"Regex": vocabulary.pattern}}
    to_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False}
    wherever = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": text, "special": True} | wherever
            for text, token_id in vocabulary.special_tokens.items()
        ],
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
            "vocab": _vocab_json(vocabulary),
            "merges": _merge_lines(vocabulary),
        },
    }


def _tokenizer_config(vocabulary: Vocabulary) -> dict[str, object]:
    """Return the content of `tokenizer_config.json`, which names a token for each purpose.

    Without it, transformers 4 does not know which class to use, and version 5 has no special
    token for padding. As in GPT-2, one special token serves all purposes. No text produces the
    unknown token.
    """
    own, *others = vocabulary.special_tokens
    purposes = dict.fromkeys(("bos_token", "eos_token", "pad_token", "unk_token"), own)
    more = {"additional_special_tokens": others} if others else {}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **purposes,
        **more,
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
    }


def _vocab_json(vocabulary: Vocabulary) -> Mapping[str, int]:
    """Return the id of each token by its letters, and of each special token by its text."""
    letters = {to_letters(token): token_id for token, token_id in vocabulary.ranks.items()}
    return letters | dict(vocabulary.special_tokens)


def _merge_lines(vocabulary: Vocabulary) -> list[str]:
    """Return the merges in the order of ranks, each as the letters of its two tokens."""
    return [f"{to_letters(left)} {to_letters(right)}" for left, right in vocabulary.merges]


def _check_folder(path: str) -> None:
    """Reject a folder with files that would change the tokenizer that transformers loads.

    Raises:
        ValueError: the folder has such a file.
    """
    for name in _ALSO_READ:
        if os.path.lexists(os.path.join(path, name)):
            raise ValueError(
                f"{quoted(path)} contains {name}, which transformers would also read; "
                "remove it, or choose another folder"
            )


def _text(path: str) -> str:
    """Return an absolute path as text, even if the locale is not UTF-8."""
    return os.fsencode(os.path.abspath(path)).decode("utf-8", "surrogateescape")


def _json(data: Mapping[str, object]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


_WRITERS: Final[dict[str, Callable[[Vocabulary, str, bool, dict[str, object]], _Written]]] = {
    "tiktoken": _to_tiktoken,
    "huggingface": _to_huggingface,
    "gpt2": _to_gpt2,
}

FORMATS: Final = tuple(_WRITERS)
"""The formats of an export."""


def _has_gpt2_merges(merges: Sequence[tuple[int, int]]) -> bool:
    """Return whether these are GPT-2's merges, as `import_tokenizer` writes them."""
    data = json.dumps(merges, separators=(",", ":")).encode("ascii")
    return hashlib.sha256(data).hexdigest() == _GPT2_MERGES_SHA256
