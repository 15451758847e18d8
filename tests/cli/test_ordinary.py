"""`--ordinary`: `<|endoftext|>` in an untrusted text is ordinary text."""

import json
from pathlib import Path

import pytest
from hypothesis import given

import oracle
import texts
from bpetite import Tokenizer
from cli_tools import bpetite

HOSTILE = "a<|endoftext|>b <|endo<|endoftext|>text|>"
TOKENIZER = Tokenizer.train("low lower <|endoftext|> end of text <|endoftext|>", 290)


def ordinary(text: str) -> list[int]:
    """Return the ids of a text without a special token, as the oracle has them."""
    merges = TOKENIZER._artifact.merges
    return [i for chunk in oracle.chunks_of(text) for i in oracle.encode_chunk(chunk, merges)]


@given(texts.TEXTS)
def test_ordinary_text_has_no_special_token(text: str) -> None:
    """`encode(text, ordinary=True)` gives the oracle's ids of the chunks."""
    assert TOKENIZER.encode(text, ordinary=True) == ordinary(text)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder with a hostile text, as a file and as documents, and a tokenizer."""
    TOKENIZER.save(tmp_path / "m.json")
    (tmp_path / "text").write_text(HOSTILE)
    (tmp_path / "docs").write_text(f"{json.dumps({'text': HOSTILE})}\n" * 2)
    return tmp_path


@pytest.mark.parametrize("source", [["text"], ["--text", HOSTILE]])
def test_no_id_of_a_text_is_special(hostile: Path, source: list[str]) -> None:
    """`encode` and `show` give ordinary ids, from a file and from an argument."""
    words = ["--model", "m.json", *source]
    expected = ordinary(HOSTILE)
    encoded = json.loads(bpetite("encode", *words, "--ordinary", cwd=hostile).stdout)
    shown = bpetite("show", *words, "--ordinary", "--json", cwd=hostile).stdout.splitlines()
    assert encoded == [json.loads(line)["id"] for line in shown] == expected
    assert encoded != json.loads(bpetite("encode", *words, cwd=hostile).stdout)
    steps = bpetite("show", *words, "--ordinary", "--steps", cwd=hostile).stdout
    assert b"special token" not in steps


def test_separators_stay_special(hostile: Path) -> None:
    """With `--separator-token`, only the separators are special tokens."""
    words = "encode --model m.json docs --jsonl text --separator-token --ordinary"
    special = len(TOKENIZER._artifact.tokens)
    ids = json.loads(bpetite(*words.split(), cwd=hostile).stdout)
    assert ids == [*ordinary(HOSTILE), special, *ordinary(HOSTILE)]


def test_ordinary_tokens_are_counted(hostile: Path) -> None:
    """`count` counts the ids of ordinary text."""
    result = bpetite(
        *["count", "--model", "m.json", "--ordinary"], stdin=HOSTILE.encode(), cwd=hostile
    )
    assert int(result.stdout) == len(ordinary(HOSTILE))
