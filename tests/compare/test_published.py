"""The encodings that OpenAI publishes, and corpora: tests of files that are not downloaded.

TIKTOKEN_CACHE_DIR or BPETITE_DATA names their folder. If a file is missing, a test is skipped.
"""

import hashlib
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
from compare_tools import CORPUS, ENCODINGS, HOSTILE, PATTERNS
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
