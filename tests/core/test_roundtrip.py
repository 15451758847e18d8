"""Every text decodes to itself after encoding, with a tokenizer and with its saved copy."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import texts
from bpetite import Tokenizer

CORPUS = "The cat sat. It's 12 o'clock! 日本語 العربية 👍👍 <|endoftext|>\n\n" * 4
FIXTURES = [
    *("", " ", " \n\t  \r\n ", texts.WHITESPACE, f"a{texts.SEPARATORS} {texts.SEPARATORS}b"),
    "".join(texts.PIECES),
    *("Hello, world! It's 2026; they'll see.", "".join(map(chr, range(128)))),
    *("?!...--((()))[]{}~@#$%^&*_+=", "naïve Ünïcode e\u0301 ß ﬁ \u212b İıſ a\u200b\xad"),
    *("👍 👩‍👩‍👧 🏳️‍🌈 🇩🇪", "日本語 中文 한국어", "مرحبا بالعالم ١٢٣"),
    *("\u202eabc\u202c \u200f\u200d", "\ufeffa\r\nb\rc\x00", "\U0010ffff\uffff\ue000"),
    *("<|endoftext|>", "a<|endoftext|>b<|endoftext|>", "<|endoftext|><|endoftext|>"),
    *("<|endoftext", "endoftext|>", "<|endo", "a" * 1000 + "日" * 1000),
]


@pytest.fixture(scope="module", params=["untrained", "trained"])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Tokenizer]:
    """Return a tokenizer, and the one loaded from its file."""
    trained = Tokenizer.train(CORPUS, 400 if request.param == "trained" else 256)
    path = tmp_path_factory.mktemp("roundtrip") / "tokenizer.json"
    trained.save(path)
    return [trained, Tokenizer.load(path)]


@pytest.mark.parametrize("text", FIXTURES, ids=lambda text: ascii(text[:20]))
def test_fixture_decodes_to_itself(pair: list[Tokenizer], text: str) -> None:
    """FR-6, FR-24, FR-25, FR-26: any text is restored, also by a loaded tokenizer."""
    ids, ids_of_loaded = (tokenizer.encode(text) for tokenizer in pair)
    assert ids == ids_of_loaded
    assert [tokenizer.decode(ids) for tokenizer in pair] == [text, text]


@given(texts.CORPORA, st.one_of(texts.TEXTS, texts.TIES, texts.RUNS, texts.ASCII_TEXTS, st.text()))
def test_any_text_decodes_to_itself(any_path: Path, documents: list[str], text: str) -> None:
    """FR-25, FR-26: `decode(encode(text)) == text` for any text and training, also once loaded."""
    tokenizer = Tokenizer.train([*documents, text], 280)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    tokenizer.save(any_path, overwrite=True)
    assert Tokenizer.load(any_path).encode(text) == ids


@pytest.mark.thorough
@pytest.mark.parametrize("between", ["", " "])
def test_every_character_decodes_to_itself(pair: list[Tokenizer], between: str) -> None:
    """FR-25: each of the 1,112,064 characters is restored, whatever surrounds it."""
    tokenizer, _ = pair
    text = between.join(texts.every_character())
    assert tokenizer.decode(tokenizer.encode(text)) == text
