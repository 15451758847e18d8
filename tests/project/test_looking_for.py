"""docs/looking-for.md: each row gives what the names on its left give in their libraries."""

import json
import re
import unicodedata
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import tiktoken

from bpetite import Tokenizer
from bpetite_compare import export, to_tiktoken
from cli_tools import bpetite
from pages import blocks
from project_tools import ROOT

pytestmark = pytest.mark.thorough

PAGE: Final = (ROOT / "docs" / "looking-for.md").read_text("utf-8")
ROWS: Final = dict(re.findall(r"^\| ([^-\n].*?) \| (.*) \|$", PAGE, re.MULTILINE)[1:])
TEXT: Final = "the ferry<|a|> landing 船<|b|> 123"

Theirs = Callable[[Any, Any], object]
"""What a row gives in tiktoken or in transformers."""

EXPECTED: Final[dict[str, Theirs]] = {
    'allowed_special="all"': lambda tik, _: tik.encode(TEXT, allowed_special="all"),
    "bare": lambda tik, _: tik.encode(TEXT, disallowed_special=()),
    "`encode_ordinary`": lambda tik, _: tik.encode_ordinary(TEXT),
    "only some": lambda tik, _: tik.encode(TEXT, allowed_special={"<|a|>"}, disallowed_special=()),
    "encode_ordinary_batch": lambda tik, _: tik.encode_ordinary_batch([TEXT, "a"]),
    "`encode_batch": lambda tik, _: tik.encode_batch([TEXT, "a"], allowed_special="all"),
    "encode_to_numpy": lambda tik, _: tik.encode_to_numpy(TEXT, allowed_special="all").tolist(),
    "truncation": lambda _, hf: hf(TEXT, truncation=True, max_length=8)["input_ids"],
    "stride": lambda tik, _: [
        tik.encode(TEXT, allowed_special="all")[start : start + 8]
        for start in range(0, len(tik.encode(TEXT, allowed_special="all")) - 2, 6)
    ],
    "padding": lambda _, hf: hf([TEXT, "a"], padding=True, padding_side="right")["input_ids"],
    "the number of tokens": lambda tik, _: len(tik.encode(TEXT, allowed_special="all")),
    "`decode`": lambda tik, _: tik.decode(tik.encode(TEXT, allowed_special="all")),
    "decode_bytes": lambda tik, _: tik.decode_bytes(tik.encode(TEXT, allowed_special="all")),
    "decode_tokens_bytes": lambda tik, _: tik.decode_tokens_bytes(
        tik.encode(TEXT, allowed_special="all")
    ),
    "decode_batch": lambda tik, _: tik.decode_batch([tik.encode(TEXT, allowed_special="all")] * 2),
    "skip_special_tokens": lambda _, hf: hf.decode(hf(TEXT)["input_ids"], skip_special_tokens=True),
    "n_vocab": lambda tik, _: tik.n_vocab,
    "len(tokenizer)": lambda _, hf: len(hf),
    "token_byte_values": lambda tik, _: tik.token_byte_values(),
    "decode_single_token_bytes": lambda tik, _: tik.decode_single_token_bytes(300),
    "encode_single_token": lambda tik, _: tik.encode_single_token(b" the"),
    "special_tokens_set": lambda tik, _: tik.special_tokens_set,
    "all_special_ids": lambda _, hf: hf.all_special_ids,
    "eot_token": lambda _, hf: hf.eos_token_id,
    "is_special_token": lambda tik, _: tik.is_special_token(300),
    "the bytes of each token": lambda tik, _: [
        0 if tik.is_special_token(one) else len(tik.decode_single_token_bytes(one))
        for one in range(tik.n_vocab)
    ],
}


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Return a tokenizer with two special tokens."""
    text = (ROOT / "docs" / "sample.txt").read_text("utf-8")
    return Tokenizer.train(text, 400, pattern="gpt4", special_tokens=["<|a|>", "<|b|>"])


@pytest.fixture
def names(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    """Return the names that the rows use, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    ids = tokenizer.encode(TEXT)
    modules = {"re": re, "numpy": np, "unicodedata": unicodedata, "Tokenizer": Tokenizer}
    values = {"tokenizer": tokenizer, "text": TEXT, "ids": ids, "texts": [TEXT, "a"]}
    executor = {"ProcessPoolExecutor": ProcessPoolExecutor}
    given = {"pad": 400, "width": len(ids), "bos": "<|a|>", "eos": "<|a|>", "allowed": {"<|a|>"}}
    return modules | values | executor | given


@pytest.mark.parametrize("row", [pytest.param(way, id=names) for names, way in ROWS.items()])
def test_the_code_of_a_row_runs(row: str, names: dict[str, object]) -> None:
    """Each expression and each call on the right works as it is written."""
    for code in re.findall(r"`([^`]+)`", row):
        if not code.startswith(("bpetite ", ".decode")) and code != "Tokenizer.load":
            eval(code, names)  # noqa: S307 - our own page


@pytest.mark.parametrize("name", EXPECTED)
def test_a_row_gives_what_the_other_library_gives(
    name: str, tokenizer: Tokenizer, names: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first expression of a row has the value that the name on the left has."""
    monkeypatch.setenv("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    from transformers import PreTrainedTokenizerFast

    tokenizer.save("own.json")
    export("own.json", "huggingface", "own", eos="<|a|>", pad="<|a|>")
    theirs = EXPECTED[name](to_tiktoken(tokenizer), PreTrainedTokenizerFast.from_pretrained("own"))
    (row,) = (way for names_, way in ROWS.items() if name in names_)
    ours = eval(re.findall(r"`([^`]+)`", row)[0], names)  # noqa: S307 - our own page
    assert getattr(ours, "tolist", lambda: ours)() == theirs


def test_offsets_are_those_of_others(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function on the page gives the characters that tiktoken and transformers give."""
    monkeypatch.setenv("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    from transformers import PreTrainedTokenizerFast

    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    (code,) = (code for language, code in blocks(PAGE) if "def offsets" in code)
    exec(code[: code.index("\ntokenizer =")], names)  # noqa: S102 - our own page
    text = "the ferry 船 naïve, 👍🏽 end"
    ids = tokenizer.encode(text)
    tokenizer.save("own.json")
    export("own.json", "huggingface", "own")
    own = PreTrainedTokenizerFast.from_pretrained("own")
    found = [*names["offsets"](tokenizer, ids)]
    assert found == own(text, return_offsets_mapping=True)["offset_mapping"]
    assert [start for start, _ in found] == to_tiktoken(tokenizer).decode_with_offsets(ids)[1]
    assert "".join(names["stream"](tokenizer, ids)) == text


CALLS: Final = {
    "bpetite encode": "bpetite encode -m own.json text",
    "bpetite count": "bpetite count -m own.json text",
    "bpetite head --tokens 8": "bpetite head -m own.json --tokens 8 text",
    "bpetite diff old new text": "bpetite diff own.json own.json text",
    "bpetite show --json": "bpetite show --json -m own.json text",
    "bpetite export": "bpetite export own.json --to huggingface -o own",
    "bpetite import gpt-4o -o gpt-4o.json": "bpetite import gpt-4o -o gpt-4o.json",
}
"""The commands of the page, as a reader would call them."""


def test_the_commands_of_the_page_give_the_same(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command on the right has the ids, the number of tokens, the offsets of the left."""
    monkeypatch.setenv("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    from transformers import PreTrainedTokenizerFast

    monkeypatch.chdir(tmp_path)
    assert {code for code in re.findall("`([^`]+)`", PAGE) if code[:8] == "bpetite "} == {*CALLS}
    tokenizer.save("own.json")
    (tmp_path / "text").write_text(TEXT, "utf-8")
    encode, count, head, diff, show, write, download = (call.split()[1:] for call in CALLS.values())
    assert bpetite(*write).returncode == 0
    theirs = PreTrainedTokenizerFast.from_pretrained("own")(TEXT, return_offsets_mapping=True)
    assert json.loads(bpetite(*encode).stdout) == theirs["input_ids"]
    assert bpetite(*count).stdout == f"{len(theirs['input_ids'])}\ttext\n".encode()
    first = b"".join(map(tokenizer.vocab.__getitem__, theirs["input_ids"][:8]))
    assert json.loads(bpetite(*diff).stdout)["same"]
    assert bpetite(*head).stdout.decode() == first.decode("utf-8", "ignore")
    shown = map(json.loads, bpetite(*show).stdout.splitlines())
    offsets = [(one["start_character"], one["end_character"]) for one in shown]
    assert offsets == theirs["offset_mapping"]
    result = bpetite(*download)
    if b"--download" in result.stderr:
        pytest.skip("TIKTOKEN_CACHE_DIR has no o200k_base")
    expected = tiktoken.encoding_for_model("gpt-4o").encode_ordinary(TEXT)
    assert Tokenizer.load("gpt-4o.json").encode(TEXT) == expected
