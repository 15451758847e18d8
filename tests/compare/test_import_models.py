"""Real files of models and of OpenAI: ids, what they learn more, and their libraries."""

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import tiktoken
import tokenizers
from bpe_continue import continue_training
from hypothesis import given
from tokenizers.normalizers import NFC

from artifacts import content_of
from bpetite import Tokenizer
from bpetite_compare import GPT2_BYTE_ORDER, Imported, import_tokenizer
from bpetite_compare.reference import Model, check_well_formed, decode, encode
from compare_tools import CORPUS, ENCODINGS, HOSTILE, PATTERNS, SPLIT_PATTERNS, real_texts, vocab_of
from exports import load_back
from nasty import drift, nasty_texts
from texts import TEXTS, texts_in_every_script

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
    odd = drift(imported.pattern)
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
        ("qwen2_5", "qwen2", 22, 0),
        ("qwen3", "qwen2", 26, 0),
        ("deepseek_v3", "deepseek3", 818, 0),
        ("deepseek_v4", "deepseek3", 1283, 0),
        ("mistral_nemo", "tekken", 1000, 0),
        ("command_r_plus", "starcoder", 37, 0),
    ],
)
def test_folders_of_models_have_the_ids_of_tokenizers(
    family: str, pattern: str, special: int, whole: int, model_files: Path, tmp_path: Path
) -> None:
    """A model's folder opens with its own ids, and text has those of the original library."""
    drop = family.startswith(("qwen", "command"))
    source, model = model_files / family, tmp_path / "model.json"
    imported = import_tokenizer(source, None, model, drop_normalizer=drop)
    assert (imported.pattern, len(imported.special_tokens)) == (pattern, special)
    assert imported.whole_tokens == whole
    theirs = tokenizers.Tokenizer.from_file(str(model_files / family / "tokenizer.json"))
    vocab = theirs.get_vocab(with_added_tokens=True)
    gone = {*vocab.values()} ^ {*vocab_of(Tokenizer.load(imported.path))}
    assert len(gone) == 1403 * (family == "command_r_plus")  # tokens that no byte makes
    assert imported.special_tokens.items() <= vocab.items()
    check(imported, lambda text: theirs.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(
    ("family", "folder", "notes"),
    [
        ("gguf_gpt_2", "gpt2", 1),
        ("gguf_llama_bpe", "llama3", 1),
        ("gguf_qwen2", "qwen1_5", 2),
    ],
)
def test_gguf_files_of_models_are_their_tokenizers(
    family: str, folder: str, notes: int, model_files: Path, tmp_path: Path
) -> None:
    """A file of llama.cpp gives the tokenizer file that the model's own folder gives."""
    [path] = (model_files / family).glob("*.gguf")
    imported = import_tokenizer(path, None, tmp_path / "gguf.json")
    drop = folder.startswith("qwen")
    own = import_tokenizer(model_files / folder, None, tmp_path / "own.json", drop_normalizer=drop)
    assert (imported.sha256, len(imported.notes)) == (own.sha256, notes)


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
    new = tmp_path / "model.json"
    imported = import_tokenizer(path, None, new, pattern=pattern, special_tokens=special)
    assert (imported.special_tokens, imported.whole_tokens) == (special, whole)
    theirs = tiktoken.Encoding(
        "theirs",
        pat_str=SPLIT_PATTERNS[imported.pattern],
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
        (
            "command_r_plus",
            "its normalizer, NFC, changes the text, unless --drop-normalizer",
        ),
        ("gemma", f"has byte_fallback, so its {CHARACTERS}"),
        ("llama2", f"has byte_fallback, so its {CHARACTERS}"),
        ("mistral_v1", f"a SentencePiece model, whose {CHARACTERS}"),
        ("minicpm_v4_5", "its special token '<unk>' is also an ordinary token"),
    ],
)
def test_other_families_get_the_reason_and_the_way_out(
    family: str, reason: str, model_files: Path, tmp_path: Path
) -> None:
    """What cannot be held without loss, or lacks something, is refused with one sentence."""
    source, drop = model_files / family, family == "minicpm_v4_5"
    with pytest.raises(ValueError, match=r"^cannot import ") as caught:
        import_tokenizer(source, None, tmp_path / "model.json", drop_normalizer=drop)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model.json").exists()


# Models with more tokens


def beginnings(tokens: Iterable[bytes]) -> Iterator[str]:
    """Yield each token and its beginnings, alone and before another letter."""
    for token in tokens:
        text = token.decode("utf-8", errors="ignore")
        for end in range(1, len(text) + 1):
            yield text[:end]
            yield f"{text[:end]}x"


@pytest.mark.parametrize("family", ["llama3", "qwen3"])
def test_extended_models_have_the_same_ids_elsewhere(
    family: str, model_files: Path, tmp_path: Path
) -> None:
    """The texts are nasty, those learned from, and whole, completed and new tokens in parts."""
    if not (corpus := real_texts()):
        pytest.skip("BPETITE_DATA names no folder with compressed texts")
    source, model = model_files / family, tmp_path / "model.json"
    pattern = import_tokenizer(source, None, model, drop_normalizer=family == "qwen3").pattern
    start = Tokenizer.load(model)
    size = content_of(start)["mergeable_vocab_size"] + 2000
    grown = Tokenizer.train(corpus, size, start=start)
    grown.save(tmp_path / "extended.json")
    old, vocab = vocab_of(start), vocab_of(grown)
    assert old.items() <= vocab.items()
    assert vocab.keys() - old.keys() == {*range(max(old) + 1, max(old) + 2001)}
    unmade = vocab.keys() - {made for _, _, made in content_of(start)["merges"]}
    texts = [*nasty_texts(2000), *texts_in_every_script(), *corpus]
    texts += beginnings(vocab[one] for one in unmade)
    for to in ("huggingface", "tiktoken"):
        encode, decode = load_back(tmp_path / "extended.json", to, tmp_path)
        for text in filter(drift(pattern).isdisjoint, texts):
            ids = grown.encode(text)
            assert encode(text) == ids, text
            assert decode(ids) == text


def test_bpe_continue_extends_gemma(model_files: Path) -> None:
    """All ids stay, and text comes back; with Llama 2, new tokens of bytes decode to other text."""
    text = "മലയാളം ര "
    back = []
    for family in ("gemma", "llama2"):
        old = tokenizers.Tokenizer.from_file(str(model_files / family / "tokenizer.json"))
        vocab = old.get_vocab(with_added_tokens=True)
        new = continue_training(old, texts=[text] * 9, vocab_size=len(vocab) + 9)
        assert vocab.items() < new.get_vocab(with_added_tokens=True).items()
        back.append(new.decode(new.encode(text, add_special_tokens=False).ids))
        assert old.decode(old.encode(text, add_special_tokens=False).ids) == text
    assert back[0] == text
    assert "<0xE0>" in back[1]


# the patterns


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_patterns_equal_tiktokens(
    name: str, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """The patterns of this test are tiktoken's own, or another spelling of GPT-2's."""
    pattern = encoding_named(name)._pat_str
    assert pattern == PATTERNS.get(name, PATTERNS["gpt2"]) or "{1,3}" not in pattern


# the reference model


@pytest.mark.parametrize("name", ENCODINGS)
def test_its_ids_equal_tiktokens(
    name: str, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """The model gives tiktoken's ids for hostile texts, many scripts and any text.

    All merges of OpenAI's encodings are recovered, and satisfy the conditions; the bytes have
    GPT-2's order.
    """
    encoding = encoding_named(name)
    ranks, special = encoding._mergeable_ranks, encoding._special_tokens
    model = Model.of_ranks(ranks, encoding._pat_str, special)
    assert len(model.merges) == len(ranks) - 256
    check_well_formed(model.merges, model.vocab, model.byte_shuffle)
    assert bytes(model.inverse_byte_shuffle) == GPT2_BYTE_ORDER

    def check(text: str) -> None:
        if drift().isdisjoint(text):
            ids = encoding.encode(text, allowed_special="all")
            assert (text, encode(model, text)) == (text, ids)
            assert decode(model, ids) == text

    some = (text.splitlines(keepends=True)[::40] for text in real_texts())
    for text in (*HOSTILE, CORPUS, *map("".join, some)):
        check(text)
    given(TEXTS)(check)()
