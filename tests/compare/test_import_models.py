"""Imports of the tokenizers of models: the real files, and their original libraries."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import tiktoken
import tokenizers
from tokenizers.normalizers import NFC

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import Imported, import_tokenizer
from bpetite_compare._engines import drift
from exports import load_back
from nasty import nasty_texts
from texts import texts_in_every_script

pytestmark = pytest.mark.thorough

LLAMA_3: Final = {"<|begin_of_text|>": 128000, "<|end_of_text|>": 128001, "<|eot_id|>": 128009}
LLAMA_4: Final = {
    "<|begin_of_text|>": 200000,
    "<|end_of_text|>": 200001,
    "<|python_start|>": 200016,
}
TEKKEN: Final = {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3, "[/INST]": 4}


def check(imported: Imported, theirs: Callable[[str], list[int]]) -> None:
    """Check the ids of nasty texts, texts in every script, and special tokens between them."""
    ours = Tokenizer.load(imported.path)
    names = [*imported.special_tokens] or [""]
    odd = drift(ALL_PATTERNS[imported.pattern])
    every = [*nasty_texts(2000), *texts_in_every_script()]
    nfc = NFC().normalize_str
    every = [*filter(odd.isdisjoint, map(nfc, every))]
    for place in range(0, len(every), 4):
        texts = every[place : place + 4]
        name = names[place // 4 % len(names)]
        for text in map(nfc, (*texts, name.join(texts), "".join(texts))):
            assert (found := ours.encode(text)) == theirs(text), text
            assert ours.decode(found) == text
    assert len(every) > 4000


@pytest.mark.parametrize(
    ("family", "pattern", "special", "whole"),
    [
        ("gpt2", "gpt2", 1, 0),
        ("text_davinci003", "gpt2", 1, 0),
        ("gpt35turbo", "gpt4", 5, 0),
        ("gpt4o", "gpt4o", 2, 0),
        ("gptoss", "gpt4o", 21, 0),
        ("llama3", "gpt4", 256, 588),
        ("llama3_1", "gpt4", 256, 588),
        ("qwen2_5", "qwen2", 22, 0),
        ("qwen3", "qwen2", 26, 0),
        ("deepseek_v3", "deepseek3", 818, 0),
        ("deepseek_v4", "deepseek3", 1283, 0),
        ("mistral_nemo", "tekken", 1000, 0),
    ],
)
def test_folders_of_models_have_the_ids_of_tokenizers(
    family: str, pattern: str, special: int, whole: int, model_files: Path, tmp_path: Path
) -> None:
    """A model's folder opens with its own ids, and text has those of the original library."""
    drop = family.startswith("qwen")
    imported = import_tokenizer(
        model_files / family, None, tmp_path / "model.json", drop_normalizer=drop
    )
    assert (imported.pattern, len(imported.special_tokens)) == (pattern, special)
    assert imported.whole_tokens == whole
    theirs = tokenizers.Tokenizer.from_file(str(model_files / family / "tokenizer.json"))
    vocab = theirs.get_vocab(with_added_tokens=True)
    assert {*Artifact.read(imported.path).ids} == {*vocab.values()}
    assert imported.special_tokens.items() <= vocab.items()
    check(imported, lambda text: theirs.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    ("family", "pattern", "special", "whole"),
    [
        ("llama3_ranks", "gpt4", LLAMA_3, 588),
        ("llama4_ranks", "gpt4o", LLAMA_4, 0),
        ("whisper", "gpt2", {"<|endoftext|>": 50257}, 0),
        ("mistral_tekken_240718", None, TEKKEN, 0),
        ("mistral_tekken_240911", None, TEKKEN, 0),
    ],
)
def test_ranks_of_models_have_the_ids_of_tiktoken(
    family: str,
    pattern: str | None,
    special: dict[str, int],
    whole: int,
    model_files: Path,
    tmp_path: Path,
) -> None:
    """Ranks with what they lack, and `tekken.json`, have the ids of tiktoken with these ranks."""
    [path] = (model_files / family).iterdir()
    imported = import_tokenizer(
        path, None, tmp_path / "model.json", pattern=pattern, special_tokens=special
    )
    assert (imported.special_tokens, imported.whole_tokens) == (special, whole)
    theirs = tiktoken.Encoding(
        "theirs",
        pat_str=ALL_PATTERNS[imported.pattern].text,
        mergeable_ranks=dict(ranks_in(path)),
        special_tokens=special,
    )
    check(imported, lambda text: theirs.encode(text, allowed_special="all"))


def ranks_in(path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the tokens in a file and their ids."""
    if path.suffix == ".json":
        content: Any = json.loads(path.read_bytes())
        for entry in content["vocab"][: 131_072 - 1000]:
            yield base64.b64decode(entry["token_bytes"]), 1000 + entry["rank"]
        return
    for line in path.read_bytes().splitlines():
        token, rank = line.split()
        if token != b"=":
            yield base64.b64decode(token), int(rank)


@pytest.mark.parametrize(
    "family",
    ["gpt35turbo", "gptoss", "llama3", "qwen3", "deepseek_v3", "mistral_tekken_240718"],
)
def test_exports_have_the_ids_and_come_back(family: str, model_files: Path, tmp_path: Path) -> None:
    """In tokenizers and tiktoken an export has all ids, and its import is the file again."""
    model = tmp_path / "model.json"
    source = model_files / family
    imported = import_tokenizer(source, None, model, drop_normalizer=family == "qwen3")
    ours = Tokenizer.load(model)
    for to in ("tiktoken", "huggingface"):
        encode, decode = load_back(model, to, tmp_path)
        check(imported, encode)
        names = "".join([*imported.special_tokens])
        assert all(decode(ours.encode(text)) == text for text in [names, *nasty_texts(300)])
    import_tokenizer(tmp_path / "exported.json", None, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == model.read_bytes()


@pytest.mark.parametrize("name", ["gpt2", "p50k_base", "cl100k_base", "o200k_base"])
def test_published_encodings_have_the_ids_of_tiktoken(
    name: str, encoding_named: Callable[[str], tiktoken.Encoding], tmp_path: Path
) -> None:
    """An encoding of tiktoken opens by its name, with its own ids and special tokens."""
    theirs = encoding_named(name)
    imported = import_tokenizer(name, "tiktoken", tmp_path / "model.json")
    assert imported.special_tokens.keys() == theirs.special_tokens_set
    check(imported, lambda text: theirs.encode(text, allowed_special="all"))


CHARACTERS: Final = "tokens are characters, not bytes"


@pytest.mark.parametrize(
    ("family", "reason"),
    [
        ("claude", "its normalizer, NFKC, changes the text; use "),
        ("command_r_plus", "its pre_tokenizer is Digits, not Split or ByteLevel; use "),
        *(
            (family, f"has byte_fallback, so its {CHARACTERS}")
            for family in ("gemma", "gemma3", "llama2")
        ),
        *(
            (one, f"a SentencePiece model, whose {CHARACTERS}")
            for one in ("mistral_v1", "mistral_v3")
        ),
        ("minicpm_v4_5", "its special token '<unk>' is also an ordinary token"),
        (
            "qwen3",
            "its normalizer, NFC, changes the text; --drop-normalizer (drop_normalizer=True) ",
        ),
        ("llama4_ranks", "a file of ranks lacks the split pattern; add --pattern "),
    ],
)
def test_other_families_get_the_reason_and_the_way_out(
    family: str, reason: str, model_files: Path, tmp_path: Path
) -> None:
    """What cannot be held without loss, or lacks something, is refused with one sentence."""
    with pytest.raises(ValueError, match=r"^cannot import ") as caught:
        import_tokenizer(
            model_files / family,
            None,
            tmp_path / "model.json",
            drop_normalizer=family == "minicpm_v4_5",
        )
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model.json").exists()
