"""The files of a tokenizer in the formats of tiktoken, Hugging Face, GPT-2 and llama.cpp."""

import base64
import json
import os
import struct
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bpetite._inner import Artifact
from bpetite_compare._letters import GPT2_FILES, of_letters, to_letters
from bpetite_compare._soundness import ids_by_bytes
from bpetite_compare._spellings import as_published, in_llama_cpp, llama_cpp_differs

_Files: TypeAlias = tuple[Mapping[str, bytes], str]
"""The bytes of each file by its name in a folder, and Python code that loads them.

The name of a file that is not in a folder is empty.
"""

GgufValue: TypeAlias = bool | int | str | Sequence[int] | Sequence[str]

_VERSION: Final = 3
_UINT32, _INT32, _BOOL, _STRING, _ARRAY = 4, 5, 7, 8, 9
"""GGUF's version, and its types of values."""

_NORMAL, _CONTROL, _USER_DEFINED, _UNUSED = 1, 3, 4, 5
"""llama.cpp's types of tokens; it drops control tokens from the text of ids."""

_LONG: Final = {"pad": "padding", "unk": "unknown"}
"""llama.cpp's names of roles, where they differ."""


@dataclass(frozen=True, slots=True)
class GgufBase:
    """What a GGUF file takes from that of a model.

    fields: fields, with the new ids.
    kinds: the kinds of special tokens, by their new ids.
    rows: the number of its ids; 0 if ids moved.
    """

    fields: Mapping[str, Any]
    kinds: Mapping[int, int]
    rows: int


def is_folder(to: str, output: str) -> bool:
    """Return whether the output is a folder: for GPT-2, and for Hugging Face unless *.json."""
    return to == "gpt2" or (to == "huggingface" and not output.endswith(".json"))


def has_roles(to: str, output: str) -> bool:
    """Return whether the output names the special token of each role."""
    return to == "gguf" or (to == "huggingface" and is_folder(to, output))


def _tiktoken(tokenizer: Artifact, path: str, *_: object) -> _Files:
    ranks = ids_by_bytes(tokenizer).items()
    data = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks)
    # Not `tiktoken.load.load_tiktoken_bpe`: its cache may have an older file with this path.
    loading = f"""\
import base64
import tiktoken

with open({_text(path)!r}, "rb") as file:
    ranks = {{base64.b64decode(token): int(rank) for token, rank in map(bytes.split, file)}}
# encode() finds special tokens in a text with allowed_special="all"; decode() writes their text.
encoding = tiktoken.Encoding(
    "bpetite",
    pat_str={tokenizer.pattern.text!r},
    mergeable_ranks=ranks,
    special_tokens={tokenizer.special_tokens!r},
)
"""
    return {"": data}, loading


def _huggingface(
    tokenizer: Artifact, path: str, roles: Mapping[str, str], config: Mapping[str, object]
) -> _Files:
    content = _json(_tokenizer_json(tokenizer))
    if not is_folder("huggingface", path):
        loading = f"""\
from tokenizers import Tokenizer

# decode() leaves special tokens out, unless skip_special_tokens=False.
tokenizer = Tokenizer.from_file({_text(path)!r})
"""
        return {"": content}, loading
    settings = _json({**_tokenizer_config(tokenizer, roles), **config})
    return {"tokenizer.json": content, "tokenizer_config.json": settings}, loading_a_folder(path)


def loading_a_folder(path: str) -> str:
    """Return Python code that loads a folder for transformers."""
    return f"""\
from transformers import PreTrainedTokenizerFast

# AutoTokenizer would split text differently beside the config.json of some models.
# decode() writes the text of special tokens, unless skip_special_tokens=True.
tokenizer = PreTrainedTokenizerFast.from_pretrained({_text(path)!r})
"""


def _gpt2(tokenizer: Artifact, path: str, *_: object) -> _Files:
    if tokenizer.pattern.name != "gpt2":
        raise ValueError(
            "GPT-2's two files do not name their pattern, which is always gpt2; this tokenizer has "
            f"{tokenizer.pattern.name}, so export to huggingface instead"
        )
    if tokenizer.whole_tokens:
        raise _cannot("GPT-2's two files", "whole tokens")
    merges = merge_lines(tokenizer)
    for rank, line in enumerate(merges):
        if line.startswith("#version"):
            raise ValueError(f"merge {rank}, {line[:40]!r}, would be a comment; use another format")
    lines = ["#version: 0.2", *merges, ""]
    contents = (_json(vocab_json(tokenizer)), "\n".join(lines).encode("utf-8"))
    vocab, merges_txt = (_text(os.path.join(path, name)) for name in GPT2_FILES)
    loading = f"""\
from tokenizers.implementations import ByteLevelBPETokenizer

# decode() leaves special tokens out, unless skip_special_tokens=False.
tokenizer = ByteLevelBPETokenizer({vocab!r}, {merges_txt!r})
tokenizer.add_special_tokens({[*tokenizer.special_names]!r})
"""
    return dict(zip(GPT2_FILES, contents, strict=True)), loading


def _gguf(
    tokenizer: Artifact, path: str, roles: Mapping[str, str], base: GgufBase | None
) -> _Files:
    pattern, special = tokenizer.pattern, tokenizer.special_tokens
    # With some patterns, llama.cpp would begin each text with a special token.
    begun = base or GgufBase({"tokenizer.ggml.add_bos_token": False}, {}, 0)
    more = {**begun.fields}
    if (pre := more.get("tokenizer.ggml.pre", pattern.llama_cpp)) is None:
        raise _cannot("llama.cpp", f"the pattern {pattern.name}")
    _, whole = in_llama_cpp(pre)  # whether it first looks for a whole chunk
    texts = {token_id: text for text, token_id in vocab_json(tokenizer, whole=whole).items()}
    if tokenizer.whole_tokens and not whole:
        raise _cannot("llama.cpp", f"whole tokens with the pattern {pattern.name}")
    # An id without a token gets the name and the kind that llama.cpp's converter gives it.
    rows = max(begun.rows, max(texts) + 1)
    tokens = [texts.get(number, f"[PAD{number}]") for number in range(rows)]
    if len({*tokens}) < len(tokens):
        raise _cannot("llama.cpp", "a gap between ids, as its name is a token, too")
    kinds = dict.fromkeys(texts, _NORMAL)
    for name, number in special.items():
        kinds[number] = _USER_DEFINED if name.isspace() else _CONTROL
    kinds |= begun.kinds
    _check_overlaps(tokenizer.special_names)
    for role, name in roles.items():
        more[f"tokenizer.ggml.{_LONG.get(role, role)}_token_id"] = special[name]
    needed = {one: f"tokenizer.ggml.{one}_token_id" for one in ("bos", "eos")}
    if missing := [f"--{one} ({one}=)" for one, name in needed.items() if name not in more]:
        hint = "" if base else "; --base (base=) takes them from the GGUF file of a model"
        raise ValueError(
            f"gguf needs {' and '.join(missing)}; else llama.cpp would take the token 11{hint}"
        )
    fields: dict[str, GgufValue] = {
        "general.architecture": "gpt2",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [kinds.get(one, _UNUSED) for one in range(rows)],
        "tokenizer.ggml.merges": merge_lines(tokenizer),
        **more,
    }
    other = llama_cpp_differs(pattern)
    differs = f"# llama.cpp has other ids for text with {other}.\n" if other else ""
    loading = f"""\
from llama_cpp import Llama

# tokenize() finds special tokens in a text with special=True.
{differs}tokenizer = Llama({_text(path)!r}, vocab_only=True)
"""
    return {"": to_gguf(fields)}, loading


def _cannot(form: str, represent: str) -> ValueError:
    return ValueError(f"{form} cannot represent {represent}; export to huggingface instead")


def _check_overlaps(names: Collection[str]) -> None:
    """Reject special tokens that may overlap, as llama.cpp finds the longest of all first.

    Two runs of one character are found alike: where the longer one begins later, it begins here.
    """
    beginnings = defaultdict(set)
    for name in names:
        for size in range(1, len(name)):
            beginnings[name[:size]].add(name)
    for name in names:
        for start in range(1, len(name)):
            for other in beginnings.get(name[start:], set()) - {name}:
                longer = len(other.encode("utf-8")) >= len(name.encode("utf-8"))
                if longer and len({*name, *other}) > 1:
                    raise ValueError(
                        f"the special token {name[:40]!r} ends as {other[:40]!r} begins; where "
                        "they overlap, llama.cpp takes the second, and bpetite the first"
                    )


def _tokenizer_json(tokenizer: Artifact) -> dict[str, object]:
    """Return the content of `tokenizer.json`: byte-level BPE with its special tokens.

    The vocabulary has them too, as `tokenizers` would give them the ids after its own. Whitespace
    is not called special, as `skip_special_tokens=True` would remove it from text.
    """
    whole = bool(tokenizer.whole_tokens)
    cuts = [
        {"type": "Split", "pattern": {"Regex": text}, "behavior": "Isolated", "invert": False}
        for text in as_published(tokenizer.pattern)
    ]
    to_bytes = {
        "type": "ByteLevel",
        **dict.fromkeys(("add_prefix_space", "trim_offsets", "use_regex"), False),
    }
    return {
        "version": "1.0",
        **dict.fromkeys(("truncation", "padding")),
        "added_tokens": [
            {"id": token_id} | added_token(text)
            for text, token_id in tokenizer.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*cuts, to_bytes]},
        "post_processor": None,
        "decoder": to_bytes,
        "model": {
            "type": "BPE",
            **dict.fromkeys(("dropout", "unk_token")),
            **dict.fromkeys(("continuing_subword_prefix", "end_of_word_suffix")),
            **dict.fromkeys(("fuse_unk", "byte_fallback"), False),
            "ignore_merges": whole,
            "vocab": vocab_json(tokenizer, whole=whole),
            "merges": merge_lines(tokenizer),
        },
    }


def added_token(text: str) -> dict[str, object]:
    """Return the entry of a special token, without an id."""
    wherever = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"content": text, "special": not text.isspace()} | wherever


def _tokenizer_config(tokenizer: Artifact, roles: Mapping[str, str]) -> dict[str, object]:
    """Return the content of `tokenizer_config.json`, which names the token of each role."""
    names = (name for name in tokenizer.special_names if not name.isspace())
    others = [name for name in names if name not in roles.values()]
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **{f"{role}_token": name for role, name in roles.items()},
        **({"additional_special_tokens": others} if others else {}),
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
    }


def vocab_json(tokenizer: Artifact, *, whole: bool = False) -> Mapping[str, int]:
    """Return the id of each token by its letters, and of each special token by its text.

    If a whole chunk is looked up first, no special token may be the letters of one.
    """
    letters = {to_letters(token): token_id for token, token_id in ids_by_bytes(tokenizer).items()}
    for name in tokenizer.special_names if whole else ():
        if not name.isascii() and (token := of_letters(name)):
            raise ValueError(
                f"the text {token[:40]!r} would be the special token {name[:40]!r}, which is "
                "its letters; export to tiktoken instead"
            )
    return letters | tokenizer.special_tokens


def merge_lines(tokenizer: Artifact) -> list[str]:
    """Return the merges in the order of ranks, each as the letters of its two tokens."""
    letters = list(map(to_letters, tokenizer.tokens))
    return [f"{letters[left]} {letters[right]}" for left, right in tokenizer.merges]


def _text(path: str) -> str:
    """Return an absolute path as text, even if the locale is not UTF-8."""
    return os.fsencode(os.path.abspath(path)).decode("utf-8", "surrogateescape")


def to_gguf(fields: Mapping[str, GgufValue]) -> bytes:
    """Return the content of a file with these fields and no tensors; an empty list has strings.

    The package `gguf` would need numpy, and a file to write to; this writes the same bytes.
    """
    header = b"GGUF" + struct.pack("<IQQ", _VERSION, 0, len(fields))
    return header + b"".join(_string(name) + _typed(value) for name, value in fields.items())


def _typed(value: GgufValue) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    kind = _INT32 if value and isinstance(value[0], int) else _STRING
    items = (_string(item) if isinstance(item, str) else struct.pack("<i", item) for item in value)
    return struct.pack("<IIQ", _ARRAY, kind, len(value)) + b"".join(items)


def _string(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def _json(data: Mapping[str, object]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


_Format: TypeAlias = Callable[[Artifact, str, Mapping[str, str], Any], _Files]

FORMATS: Final[Mapping[str, _Format]] = {
    "tiktoken": _tiktoken,
    "huggingface": _huggingface,
    "gpt2": _gpt2,
    "gguf": _gguf,
}
"""The formats of an export, each a function of the tokenizer, path, roles and more settings.

Those of `gguf` are a `GgufBase`, or none.
"""
