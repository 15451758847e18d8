"""transformers, version 4 or 5, loads an exported folder and has its ids.

Version 5 is in the group `thorough`. Version 4 conflicts with it, and needs its own environment:

    uv run --isolated --only-group only-compare --with "transformers==4.*" --with jinja2 \
      pytest -m thorough tests/compare/test_transformers.py
"""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from bpetite import Tokenizer
from bpetite_compare import export, import_tokenizer
from bpetite_compare._engines import drift
from compare_tools import CORPUS, HOSTILE
from texts import TEXTS

# ruff: noqa: ANN401 - the class of a tokenizer depends on the version
pytestmark = pytest.mark.thorough
transformers = pytest.importorskip("transformers", reason="it is not installed")

SPECIALS = ["<|user|>", "<|assistant|>", "<é 日>"]
TEMPLATE = "{% for m in messages %}<|user|>{{ m.content }}<|endoftext|>{% endfor %}"


@pytest.fixture(scope="module")
def ours() -> Tokenizer:
    return Tokenizer.train(CORPUS, 340)


@pytest.fixture(scope="module")
def folder(ours: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with its export."""
    folder = tmp_path_factory.mktemp("export")
    ours.save(model := folder / "tokenizer.json")
    more: dict[str, Any] = {"max_length": 16, "chat_template": TEMPLATE}
    export(model, "huggingface", folder / "hf", special_tokens=SPECIALS, **more)
    return folder / "hf"


@pytest.fixture(scope="module")
def both(folder: Path) -> list[Any]:
    """Return what `AutoTokenizer` makes of it, and that after a round trip by `save_pretrained`."""
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    theirs.save_pretrained(again := folder.with_name("saved"))
    return [theirs, transformers.AutoTokenizer.from_pretrained(again)]


def check_ids(text: str, ours: Tokenizer, theirs: Any) -> None:
    """Compare the ids of a text; if Unicode tables differ, check only the round trip."""
    ids = ours.encode(text)
    assert theirs.decode(ids) == text
    if drift().isdisjoint(text):
        assert theirs(text)["input_ids"] == ids


def test_its_ids_are_ours_on_any_text(ours: Tokenizer, both: list[Any]) -> None:
    """The ids are the tokenizer's, and decode to the text, also after `save_pretrained`."""
    for tokenizer, text in product(both, (*HOSTILE, CORPUS)):
        check_ids(text, ours, tokenizer)
    given(TEXTS)(lambda text: check_ids(text, ours, both[0]))()


def test_its_special_tokens(ours: Tokenizer, both: list[Any]) -> None:
    """The special token has every role, and the added ones follow it."""
    own = len(ours._artifact.tokens)
    for tokenizer in both:
        purposes = ("bos", "eos", "pad", "unk")
        assert {getattr(tokenizer, f"{name}_token_id") for name in purposes} == {own}
        assert tokenizer.all_special_ids == [own, own + 1, own + 2, own + 3]
        assert tokenizer.all_special_tokens == ["<|endoftext|>", *SPECIALS]
        assert len(tokenizer) == own + 4
        ids = tokenizer("the<|user|> cat<é 日>")["input_ids"]
        assert (ids.count(own + 1), ids[-1]) == (1, own + 3)
        assert tokenizer.decode(ids, skip_special_tokens=True) == "the cat"
        assert tokenizer.decode(ids) == "the<|user|> cat<é 日>"


def test_padding_and_truncation(ours: Tokenizer, both: list[Any]) -> None:
    """Short texts are padded with the special token, and long ones cut to the length."""
    own = len(ours._artifact.tokens)
    for tokenizer in both:
        padded = tokenizer(["the cat sat", "x"], padding=True)
        assert set(padded) == {"input_ids", "attention_mask"}
        long, short = padded["input_ids"]
        assert long == ours.encode("the cat sat")
        assert short == [ord("x")] + [own] * (len(long) - 1)
        assert padded["attention_mask"][1] == [1] + [0] * (len(long) - 1)
        assert tokenizer.model_max_length == 16
        assert tokenizer(CORPUS, truncation=True)["input_ids"] == ours.encode(CORPUS)[:16]


@pytest.mark.parametrize("text", [CORPUS, "  a é\n\n日本<|endoftext|> don't  "])
def test_offsets(text: str, ours: Tokenizer, both: list[Any]) -> None:
    """A token's offsets are those of the characters that contain its bytes."""
    encoded = both[0](text, return_offsets_mapping=True)
    place = 0
    for token_id, (start, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
        after = place + len(ours._artifact.vocab[token_id])
        assert start == len(text.encode()[:place].decode(errors="ignore"))
        assert end == len(text.encode()[:after].decode(errors="replace"))
        place = after
    assert place == len(text.encode())


def test_the_chat_template(ours: Tokenizer, both: list[Any]) -> None:
    """`apply_chat_template` uses the template, whose special tokens are tokens."""
    own = len(ours._artifact.tokens)
    chat = [{"role": "user", "content": "the cat"}]
    for tokenizer in both:
        text = tokenizer.apply_chat_template(chat, tokenize=False)
        assert text == "<|user|>the cat<|endoftext|>"
        assert tokenizer(text)["input_ids"] == [own + 1, *ours.encode("the cat"), own]


def test_what_transformers_saves_can_be_imported(folder: Path, tmp_path: Path) -> None:
    """The post-processor that version 5 adds changes no id, so no option is needed."""
    model = folder.with_name("tokenizer.json")
    export(model, "huggingface", tmp_path / "hf")
    transformers.AutoTokenizer.from_pretrained(tmp_path / "hf").save_pretrained(tmp_path / "saved")
    import_tokenizer(tmp_path / "saved", "huggingface", tmp_path / "new.json")
    assert (tmp_path / "new.json").read_bytes() == model.read_bytes()


def test_gpt_2s_own_classes_read_its_two_files(
    ours: Tokenizer, folder: Path, tmp_path: Path
) -> None:
    """As the help of `--to gpt2` says, they load the folder, with equal ids; others reject it."""
    export(folder.with_name("tokenizer.json"), "gpt2", tmp_path / "gpt2")
    for name, text in product(("GPT2Tokenizer", "GPT2TokenizerFast"), (*HOSTILE, CORPUS)):
        check_ids(text, ours, getattr(transformers, name).from_pretrained(tmp_path / "gpt2"))
    with pytest.raises(ValueError, match=r"tokenizer|model"):
        transformers.AutoTokenizer.from_pretrained(tmp_path / "gpt2")
