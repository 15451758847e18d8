"""Real files of models and of OpenAI: ids, what they learn more, and their libraries."""

import base64
import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
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
from bpetite_compare import GPT2_BYTE_ORDER, import_tokenizer
from bpetite_compare.reference import Model, check_well_formed, decode, encode
from cli_tools import printed
from compare_tools import CORPUS, ENCODINGS, HOSTILE, PATTERNS, SPLIT_PATTERNS, real_texts, vocab_of
from download_models import read_models
from exports import load_back
from nasty import drift, nasty_texts
from texts import TEXTS, texts_in_every_script

pytestmark = pytest.mark.thorough


MODELS: Final = read_models()


def check(
    path: Path,
    imported: Mapping[str, Any],
    theirs: Callable[[str], list[int]],
    lacking: bytes = b"",
) -> None:
    """Check the ids of nasty texts, texts in every script, and special tokens between them.

    The other library has no token for the lacking bytes.
    """
    ours = Tokenizer.load(path)
    names = [*imported["special_tokens"]] or [""]
    odd = drift(imported["pattern"])
    nfc = NFC().normalize_str
    every = [*map(nfc, [*nasty_texts(2000), *texts_in_every_script()])]
    every = [text for text in every if odd.isdisjoint(text)]
    every = [text for text in every if {*lacking}.isdisjoint(text.encode())]
    for place in range(0, len(every), 4):
        texts = every[place : place + 4]
        name = names[place // 4 % len(names)]
        for text in map(nfc, (*texts, name.join(texts), "".join(texts))):
            assert (found := ours.encode(text)) == theirs(text), text
            assert ours.decode(found) == text
    assert len(every) > 3400


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.digest])
def test_models_open_with_their_own_ids(name: str, model_files: Path, tmp_path: Path) -> None:
    """Each file of the list gives the digest of the list, and the ids of its own library."""
    model, folder, new = MODELS[name], model_files / name, tmp_path / "model.json"
    words = ["import", "--input", str(source := model.source(folder)), *shlex.split(model.options)]
    imported = json.loads(printed(shlex.join([*words, "--output", str(new)])))
    assert (imported["sha256"], imported["pattern"]) == (model.digest, model.pattern)
    ids = vocab_of(Tokenizer.load(new))
    theirs = source / "tokenizer.json" if source.is_dir() else source
    if name.startswith("gguf_") or not theirs.is_file():
        return  # the digest has to do: for GGUF, most are those of a tokenizer.json, too
    if theirs.suffix == ".json" and "tekken" not in theirs.name:
        other = tokenizers.Tokenizer.from_file(str(theirs))
        other.no_padding()
        other.no_truncation()
        lacking = {*ids} - {*other.get_vocab(with_added_tokens=True).values()}
        encode = partial(other.encode, add_special_tokens=False)
        check(new, imported, lambda text: encode(text).ids, b"".join(ids[one] for one in lacking))
        return
    encoding = tiktoken.Encoding(
        "theirs",
        pat_str=SPLIT_PATTERNS[model.pattern],
        mergeable_ranks=dict(ranks_in(theirs)),
        special_tokens=imported["special_tokens"],
    )
    check(new, imported, lambda text: encoding.encode(text, allowed_special="all"))


def test_equal_tokenizers_have_one_digest() -> None:
    """Files of one tokenizer in several forms give one tokenizer file."""
    digest = {name: model.digest for name, model in MODELS.items()}
    for first, *others in (
        ("gpt2", "gguf_gpt_2", "whisper_english", "gpt3"),
        ("llama3", "llama3_1", "gguf_llama_bpe"),
        ("qwen1_5", "qwen1", "gguf_qwen2"),
        ("command_r_plus", "aya_expanse", "gguf_command_r"),
    ):
        assert {digest[one] for one in others} == {digest[first]}


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
    path, found = Path(imported.path), asdict(imported)
    check(path, found, lambda text: theirs.encode(text, allowed_special="all"))


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.reason])
def test_other_families_get_the_reason_and_the_way_out(
    name: str, model_files: Path, tmp_path: Path
) -> None:
    """What cannot be held without loss, or lacks something, is refused with one sentence."""
    source = MODELS[name].source(model_files / name)
    drop = (source / "tokenizer.json").is_file()
    with pytest.raises(ValueError, match=r"^cannot import ") as caught:
        import_tokenizer(source, None, tmp_path / "model.json", drop_normalizer=drop)
    assert MODELS[name].reason in str(caught.value)
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


# the reference implementation


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
