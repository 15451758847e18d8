"""Every text decodes to itself after encoding, with a tokenizer and with its saved copy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpetite import Tokenizer
from texts import (
    ASCII_TEXTS,
    CORPORA,
    PIECES,
    RUNS,
    SEPARATORS,
    TEXTS,
    TIES,
    WHITESPACE,
    every_character,
)

CORPUS = "The cat sat. It's 12 o'clock! 日本語 العربية 👍👍 <|endoftext|>\n\n" * 4
FIXTURES = [
    *("", " ", " \n\t  \r\n ", WHITESPACE, f"a{SEPARATORS} {SEPARATORS}b", "".join(PIECES)),
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


@given(CORPORA, st.one_of(TEXTS, TIES, RUNS, ASCII_TEXTS))
def test_any_text_decodes_to_itself(documents: list[str], text: str) -> None:
    """FR-25: `decode(encode(text)) == text` for any text, whatever the training."""
    tokenizer = Tokenizer.train([*documents, text], 280)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(CORPORA, st.one_of(TEXTS, TIES, RUNS))
def test_file_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str], text: str
) -> None:
    """FR-26: saved and loaded, any tokenizer encodes any text to the same ids."""
    path = tmp_path_factory.getbasetemp() / "any-tokenizer.json"
    tokenizer = Tokenizer.train(documents, 280)
    tokenizer.save(path, overwrite=True)
    assert Tokenizer.load(path).encode(text) == tokenizer.encode(text)


@pytest.mark.thorough
@pytest.mark.parametrize("between", ["", " "])
def test_every_character_decodes_to_itself(pair: list[Tokenizer], between: str) -> None:
    """FR-25: each of the 1,112,064 characters is restored, whatever surrounds it."""
    tokenizer, _ = pair
    text = between.join(every_character())
    assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.fixture(scope="module")
def trained() -> Tokenizer:
    """Return a tokenizer trained on many scripts."""
    return Tokenizer.train([CORPUS, *PIECES], 400)


@settings(max_examples=5 * settings().max_examples)
@given(text=st.text())
def test_all_kinds_of_text_decode_to_themselves(trained: Tokenizer, text: str) -> None:
    """FR-25: Hypothesis's own texts are restored, with five times as many examples."""
    assert trained.decode(trained.encode(text)) == text
