"""Real files of models and of OpenAI: ids, what they learn more, and their libraries."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import tiktoken
import tokenizers
from bpe_continue import continue_training
from hypothesis import given
from tokenizers.normalizers import NFC

import oracle
from bpetite import Tokenizer
from bpetite._merges import Merges
from bpetite_compare import GPT2_BYTE_ORDER, Imported, export, import_tokenizer, parity
from bpetite_compare.reference import (
    Model,
    check_well_formed,
    decode,
    encode,
)
from compare_tools import (
    CORPUS,
    ENCODINGS,
    HOSTILE,
    PATTERNS,
    SPLIT_PATTERNS,
    content_of,
    real_texts,
    vocab_of,
)
from exports import load_back
from help_tools import prepare_files, run_example, with_examples
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
    source, model = model_files / family, tmp_path / "model.json"
    imported = import_tokenizer(source, None, model, drop_normalizer=drop)
    assert (imported.pattern, len(imported.special_tokens)) == (pattern, special)
    assert imported.whole_tokens == whole
    theirs = tokenizers.Tokenizer.from_file(str(model_files / family / "tokenizer.json"))
    vocab = theirs.get_vocab(with_added_tokens=True)
    assert {*vocab_of(Tokenizer.load(imported.path))} == {*vocab.values()}
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


@pytest.mark.parametrize(
    "family", ["gpt35turbo", "gptoss", "llama3", "qwen3", "deepseek_v3", "mistral_tekken_240718"]
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
        (
            "command_r_plus",
            "its pre_tokenizer is Digits, not Split or ByteLevel; its normalizer, NFC, changes",
        ),
        ("gemma", f"has byte_fallback, so its {CHARACTERS}"),
        ("gemma3", f"has byte_fallback, so its {CHARACTERS}"),
        ("llama2", f"has byte_fallback, so its {CHARACTERS}"),
        ("mistral_v1", f"a SentencePiece model, whose {CHARACTERS}"),
        ("mistral_v3", f"a SentencePiece model, whose {CHARACTERS}"),
        ("minicpm_v4_5", "its special token '<unk>' is also an ordinary token"),
        (
            "qwen3",
            "its normalizer, NFC, changes the text, unless --drop-normalizer (drop_normalizer=T",
        ),
        ("llama4_ranks", "a file of ranks lacks the split pattern; add --pattern "),
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


FAMILIES = ("llama3", "qwen3")


@cache
def opened(family: str, models: Path) -> Tokenizer:
    """Import the tokenizer of a model."""
    with TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        import_tokenizer(models / family, None, model, drop_normalizer=family == "qwen3")
        return Tokenizer.load(model)


@cache
def extended(start: Tokenizer, more: int, *corpus: str) -> Tokenizer:
    """Learn more tokens."""
    return Tokenizer.train(corpus, len(start._artifact.tokens) + more, start=start)


def beginnings(tokens: Sequence[bytes]) -> Iterator[str]:
    """Yield each token and its beginnings, alone and before another letter."""
    for token in tokens:
        text = token.decode("utf-8", errors="ignore")
        for end in range(1, len(text) + 1):
            yield text[:end]
            yield f"{text[:end]}x"


def check_export(model: Tokenizer, to: str, texts: list[str], folder: Path) -> None:
    """Check the ids and the texts of an export."""
    text = content_of(model)["pretokenizer_pattern"]
    pattern = next(name for name, one in SPLIT_PATTERNS.items() if one == text)
    model.save(folder / "extended.json", overwrite=True)
    encode, decode = load_back(folder / "extended.json", to, folder)
    odd = drift(pattern)
    for text in filter(odd.isdisjoint, texts):
        ids = model.encode(text)
        assert encode(text) == ids, text
        assert decode(ids) == text


@pytest.mark.parametrize("to", ["huggingface", "tiktoken"])
@pytest.mark.parametrize("family", FAMILIES)
def test_extended_models_have_the_same_ids_elsewhere(
    family: str, to: str, model_files: Path, tmp_path: Path
) -> None:
    """The texts are nasty, those learned from, and whole, completed and new tokens in parts."""
    if not (corpus := real_texts()):
        pytest.skip("BPETITE_DATA names no folder with compressed texts")
    model = opened(family, model_files)
    grown, start = extended(model, 2000, *corpus), model._artifact
    tokens = [*start.whole_tokens, *grown._artifact.tokens[256 + len(start.merges) :]]
    texts = [*nasty_texts(2000), *texts_in_every_script(), *corpus, *beginnings(tokens)]
    check_export(grown, to, texts, tmp_path)
    old, vocab = start.vocab, grown._artifact.vocab
    assert old.items() <= vocab.items()
    assert vocab.keys() - old.keys() == {*range(max(old) + 1, max(old) + 2001)}


def test_completed_tokens_may_be_too_early_for_tiktoken(model_files: Path, tmp_path: Path) -> None:
    """After hundreds of completions, ids are equal in tokenizers; for tiktoken it is an error."""
    start = opened("llama3", model_files)
    texts = [text for text in beginnings([*start._artifact.whole_tokens]) if text.endswith("x")]
    grown = extended(start, 2000, *texts)
    assert len(grown._artifact.completed) > 300
    check_export(grown, "huggingface", [*texts, *nasty_texts(500)], tmp_path)
    with pytest.raises(ValueError, match=r"tiktoken merges the lowest id first, .*huggingface"):
        export(tmp_path / "extended.json", "tiktoken", tmp_path / "ranks")


@pytest.mark.parametrize("family", FAMILIES)
def test_an_extended_model_is_that_of_the_oracle(family: str, model_files: Path) -> None:
    """Merges, completed tokens and ids are those of a naive extension."""
    model = opened(family, model_files)
    start = model._artifact
    corpus = [*nasty_texts(200), *beginnings(start.whole_tokens[::4])]
    first = 256 + len(start.merges)
    whole = dict(zip(start.whole_tokens, start.ids[first:], strict=False))
    taken = [*start.tokens[:first], *map(str.encode, start.special_names)]
    apply = Merges(start.merges).apply
    new = oracle.extend(
        corpus, 100, start.merges, whole, taken, start.pattern.text, lambda one, _: apply(one)
    )
    grown = extended(model, 100, *corpus)._artifact
    assert grown.merges == [*start.merges, *(pair for pair, _ in new)]
    fresh = iter(range(max(start.ids) + 1, 2**21))
    ids = [next(fresh) if completed is None else completed for _, completed in new]
    assert [*grown.ids[first : first + len(new)]] == ids
    assert family != "llama3" or len(new) > 100


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


def gpt2_files(cache: Path) -> list[Path]:
    """Return the two files of GPT-2 in tiktoken's cache."""
    url = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main"
    names = [f"{url}/{name}" for name in ("encoder.json", "vocab.bpe")]
    return [
        cache / hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest() for name in names
    ]


def test_a_corpus_is_equal(tiny_shakespeare: Path, tmp_path: Path) -> None:
    """A megabyte of English has the same ids in tiktoken."""
    Tokenizer.train(tiny_shakespeare.read_bytes().decode(), 4096).save(tmp_path / "model.json")
    result = parity(tmp_path / "model.json", [tiny_shakespeare])
    assert (result.difference, result.bytes) == (None, tiny_shakespeare.stat().st_size)
    assert not result.engine_characters


# import


def test_the_files_of_gpt_2_are_imported(
    tmp_path: Path, tiktoken_cache: Path, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """OpenAI's own two files give the same tokenizer as tiktoken's encoding."""
    encoding_named("gpt2")
    by_name = import_tokenizer("gpt2", "tiktoken", tmp_path / "a.json")
    import_tokenizer(gpt2_files(tiktoken_cache), None, tmp_path / "b.json")
    assert by_name.special_tokens == {"<|endoftext|>": 50256}
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


# the patterns


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_patterns_equal_tiktokens(
    name: str, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """The patterns of this test are tiktoken's own, or another spelling of GPT-2's."""
    pattern = encoding_named(name)._pat_str
    assert pattern == PATTERNS.get(name, PATTERNS["gpt2"]) or "{1,3}" not in pattern


# the reference model


@cache
def model_of_encoding(encoding: tiktoken.Encoding) -> Model:
    return Model.of_ranks(encoding._mergeable_ranks, encoding._pat_str, encoding._special_tokens)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_published_encoding_is_well_formed(
    name: str, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """All merges of OpenAI's encodings are recovered, and satisfy the conditions."""
    encoding = encoding_named(name)
    model = model_of_encoding(encoding)
    assert len(model.merges) == len(encoding._mergeable_ranks) - 256
    check_well_formed(model.merges, model.vocab, model.byte_shuffle)
    # All five have GPT-2's order of the bytes.
    assert bytes(model.inverse_byte_shuffle) == GPT2_BYTE_ORDER


@pytest.mark.parametrize("name", ENCODINGS)
def test_its_ids_equal_tiktokens(
    name: str, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """The model gives tiktoken's ids for hostile texts, many scripts and any text."""
    encoding = encoding_named(name)
    model = model_of_encoding(encoding)

    def check(text: str) -> None:
        if drift().isdisjoint(text):
            ids = encoding.encode(text, allowed_special="all")
            assert (text, encode(model, text)) == (text, ids)
            assert decode(model, ids) == text

    some = (text.splitlines(keepends=True)[::40] for text in real_texts())
    for text in (*HOSTILE, CORPUS, *map("".join, some)):
        check(text)
    given(TEXTS)(check)()


def test_no_token_has_whitespace_after_a_newline(
    encoding_named: Callable[[str], tiktoken.Encoding],
) -> None:
    """No whitespace token of cl100k_base has a newline followed by other whitespace."""
    tokens = encoding_named("cl100k_base")._mergeable_ranks
    blank = [token for token in tokens if not token.strip(b" \t\n\v\f\r")]
    assert len(blank) > 100
    assert [token for token in blank if token[:-1].strip(b" \t\v\f") and token[-1:] in b" \t"] == []


# the commands


@pytest.mark.usefixtures("tiktoken_cache")
@with_examples("compare-tiktoken", "import")
def test_help_examples_work(example: str, tmp_path: Path) -> None:
    """Each example in a command's help runs as written."""
    prepare_files(tmp_path / "prepared")
    result = run_example(example, tmp_path / "prepared", tmp_path / "folder")
    assert result.returncode == 0, result.stderr.decode()
