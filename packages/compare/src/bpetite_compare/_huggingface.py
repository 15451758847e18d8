"""Hugging Face's files as data: `tokenizer.json`, `tokenizer_config.json` and GPT-2's two.

`tokenizers` reads the first. `AutoTokenizer` of transformers also needs the second: without
it, version 4 does not know which class to use, and version 5 has no special token for padding.
"""

import os
from collections.abc import Mapping
from typing import Final

from bpetite._files import quoted
from bpetite_compare._gpt2 import to_letters
from bpetite_compare._vocabulary import Vocabulary

_ALSO_READ: Final = ("added_tokens.json", "chat_template.jinja", "special_tokens_map.json")
"""Other files that transformers reads from a folder, in preference to an export's."""


def tokenizer_json(vocabulary: Vocabulary) -> dict[str, object]:
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
            "vocab": vocab_json(vocabulary),
            "merges": merge_lines(vocabulary),
        },
    }


def tokenizer_config(vocabulary: Vocabulary) -> dict[str, object]:
    """Return the content of `tokenizer_config.json`, which names a token for each purpose.

    As in GPT-2, one special token serves all purposes. No text produces the unknown token.
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


def vocab_json(vocabulary: Vocabulary) -> Mapping[str, int]:
    """Return the id of each token by its letters, and of each special token by its text."""
    letters = {to_letters(token): token_id for token, token_id in vocabulary.ranks.items()}
    return letters | dict(vocabulary.special_tokens)


def merge_lines(vocabulary: Vocabulary) -> list[str]:
    """Return the merges in the order of ranks, each as the letters of its two tokens."""
    return [f"{to_letters(left)} {to_letters(right)}" for left, right in vocabulary.merges]


def check_folder(path: str) -> None:
    """Reject a folder with files that would change the tokenizer that transformers loads.

    Raises:
        ValueError: the folder has such a file.
    """
    for name in _ALSO_READ:
        if os.path.lexists(os.path.join(path, name)):
            message = (
                f"{quoted(path)} contains {name}, which transformers would also read; "
                "remove it, or choose another folder"
            )
            raise ValueError(message)
