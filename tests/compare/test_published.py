"""The encodings that OpenAI publishes, and corpora: tests of files that are not downloaded.

TIKTOKEN_CACHE_DIR or BPETITE_DATA names their folder. If a file is missing, a test is skipped.
"""

import hashlib
import json
import lzma
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import GPT2_BYTE_ORDER, import_tokenizer, parity
from bpetite_compare._engines import drift
from bpetite_compare.reference import (
    Model,
    check_well_formed,
    decode,
    encode,
    encode_chunk,
    pre_tokenize_ascii,
)
from compare_tools import CORPUS, ENCODINGS, HOSTILE, PATTERNS, write_ranks
from exports import load_back
from help_tools import prepare_files, run_example, with_examples
from texts import ASCII_TEXTS, TEXTS

pytestmark = pytest.mark.thorough


def gpt2_files(cache: Path) -> list[Path]:
    """Return the two files of GPT-2 in tiktoken's cache."""
    url = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main"
    names = [f"{url}/{name}" for name in ("encoder.json", "vocab.bpe")]
    return [
        cache / hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest() for name in names
    ]


# parity


def test_a_corpus_is_equal(tiny_shakespeare: Path, tmp_path: Path) -> None:
    """A megabyte of English has the same ids in tiktoken."""
    Tokenizer.train(tiny_shakespeare.read_bytes().decode(), 4096).save(tmp_path / "model.json")
    result = parity(tmp_path / "model.json", [tiny_shakespeare])
    assert (result.difference, result.bytes) == (None, tiny_shakespeare.stat().st_size)
    assert not result.engine_characters


# import


@pytest.mark.parametrize("name", ["gpt2", "r50k_base"])
def test_gpt_2_is_imported(
    name: str, tmp_path: Path, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """GPT-2's ids are kept on hostile and real texts, except for the order of the bytes."""
    encoding = encoding_named(name)
    imported = import_tokenizer(name, "tiktoken", tmp_path / "gpt2.json")
    assert imported.mergeable_vocab_size == 50256
    assert imported.original_ids[:256] == tuple(map(GPT2_BYTE_ORDER.index, range(256)))
    tokenizer = Tokenizer.load(tmp_path / "gpt2.json")
    theirs = imported.original_ids
    for text in (*HOSTILE, CORPUS, *_real_texts()):
        if drift().isdisjoint(text):
            ids = [theirs[token_id] for token_id in tokenizer.encode(text)]
            assert ids == encoding.encode(text, allowed_special="all")
    assert tokenizer.encode("<|endoftext|>") == [50256]


def _real_texts() -> list[str]:
    corpus = Path(os.environ.get("BPETITE_DATA", "")) / "tinyshakespeare.txt"
    return [corpus.read_bytes().decode()] if corpus.is_file() else []


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_other_encoding_is_rejected(
    name: str, tmp_path: Path, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """An encoding that does not fit is an error with the reason, by name or from its file."""
    encoding = encoding_named(name)
    with pytest.raises(ValueError, match=f"^cannot import {name}: it does not have GPT-2's split"):
        import_tokenizer(name, "tiktoken", tmp_path / "model.json")
    ranks = write_ranks(tmp_path / "ranks", encoding._mergeable_ranks)
    with pytest.raises(ValueError, match=r"cannot import .* cannot occur in a chunk"):
        import_tokenizer(ranks, "tiktoken", tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_the_files_of_gpt_2_are_imported(
    tmp_path: Path, tiktoken_cache: Path, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """OpenAI's own two files give the same tokenizer and id map as tiktoken's encoding."""
    encoding_named("gpt2")
    by_name = import_tokenizer("gpt2", "tiktoken", tmp_path / "a.json")
    by_files = import_tokenizer(gpt2_files(tiktoken_cache), "gpt2", tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert by_files.original_ids == by_name.original_ids


@pytest.mark.parametrize("name", ["gpt2", "p50k_base"])
def test_original_ids_are_restored(
    name: str, tmp_path: Path, encoding_named: Callable[[str], tiktoken.Encoding]
) -> None:
    """With its id map, an imported encoding is exported with its own ids, and imported again."""
    encoding = encoding_named(name)
    model, id_map = tmp_path / "model.json", tmp_path / "ids.json"
    imported = import_tokenizer(name, "tiktoken", model, id_map=id_map)
    assert json.loads(id_map.read_bytes()) == list(imported.original_ids)
    encode, _ = load_back(model, "tiktoken", tmp_path, id_map)
    for text in (*HOSTILE, CORPUS, *_real_texts()):
        assert encode(text) == encoding.encode(text, allowed_special="all")
    again = import_tokenizer(tmp_path / "exported", "tiktoken", tmp_path / "again.json")
    assert again.original_ids == imported.original_ids
    assert (tmp_path / "again.json").read_bytes() == model.read_bytes()


# export


def test_an_imported_gpt_2_is_exported_with_a_warning(
    tmp_path: Path,
    encoding_named: Callable[[str], tiktoken.Encoding],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The ids of an imported GPT-2 are GPT-2's except for the bytes, and the export says so."""
    gpt2 = encoding_named("gpt2")
    import_tokenizer("gpt2", "tiktoken", model := tmp_path / "gpt2.json")
    encode, _ = load_back(model, "huggingface", tmp_path)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("bpetite_compare", "WARNING")
    assert record.getMessage().startswith("the ids 0 to 255 of this export differ from GPT-2's")
    text = "Hello, world! 日本\n"
    theirs = [GPT2_BYTE_ORDER[one] if one < 256 else one for one in gpt2.encode(text)]
    assert encode(text) == theirs != gpt2.encode(text)


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


def verses() -> list[str]:
    """Return verses in many languages; skip the test if their file is missing."""
    path = Path(os.environ.get("BPETITE_DATA", "")) / "multilingual.txt.xz"
    if not path.is_file():
        return []
    lines = lzma.decompress(path.read_bytes()).decode("utf-8").splitlines(keepends=True)
    text = "".join(lines[:: max(1, len(lines) // 100)])
    assert len({character for character in text if character > "\u07ff"}) > 100
    return [text]


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

    for text in (*HOSTILE, CORPUS, *verses()):
        check(text)
    given(TEXTS)(check)()


def test_the_state_machine_gives_tiktokens_ids(
    encoding_named: Callable[[str], tiktoken.Encoding],
) -> None:
    """ASCII text cut by the state machine has tiktoken's ids in cl100k_base."""
    encoding = encoding_named("cl100k_base")
    model = model_of_encoding(encoding)

    @given(ASCII_TEXTS | st.text("aS'lL vV1 2\n\r\t.!\x00\x1c\x7f", max_size=16))
    def check(text: str) -> None:
        chunks = pre_tokenize_ascii(text.encode("ascii"))
        ids = [token_id for chunk in chunks for token_id in encode_chunk(model, chunk)]
        assert ids == encoding.encode_ordinary(text)

    check()


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
