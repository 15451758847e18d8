"""`--ordinary`: `<|endoftext|>` in an untrusted text is ordinary text."""

import json
from pathlib import Path

import pytest
from hypothesis import given

import oracle
import texts
from bpetite import Tokenizer
from cli_tools import printed, rows_of

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


@pytest.mark.parametrize("source", ["text", f"--text '{HOSTILE}'"])
def test_no_id_of_a_text_is_special(here: Path, source: str) -> None:
    """The ids are ordinary in a file and an argument; only separators are special tokens."""
    TOKENIZER.save("m.json")
    (here / "text").write_text(HOSTILE)
    (here / "docs").write_text(f"{json.dumps({'text': HOSTILE})}\n" * 2)
    words = f"-m m.json {source}"
    ids = ordinary(HOSTILE)
    assert rows_of(f"encode {words} --ordinary") == [ids] != rows_of(f"encode {words}")
    assert [row["id"] for row in rows_of(f"show {words} --ordinary --json")] == ids
    assert b"special token" not in printed(f"show {words} --ordinary --steps")
    assert printed("count -m m.json --ordinary", stdin=HOSTILE.encode()) == b"%d\n" % len(ids)
    joined = "encode -m m.json docs --jsonl text --separator-token --ordinary"
    assert rows_of(joined) == [[*ids, len(TOKENIZER._artifact.tokens), *ids]]
