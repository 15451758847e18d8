"""The tokenizers of models with more tokens: the oracle's, and the same ids in other engines."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tokenizers
from bpe_continue import continue_training

import oracle
from bpetite import Tokenizer
from bpetite._extending import completed_numbers
from bpetite._merges import Merges
from bpetite_compare import export, import_tokenizer
from bpetite_compare._engines import drift
from compare_tools import real_texts
from exports import load_back
from nasty import nasty_texts
from texts import texts_in_every_script

pytestmark = pytest.mark.thorough

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


def check(model: Tokenizer, to: str, texts: list[str], folder: Path) -> None:
    """Check the ids and the texts of an export."""
    model.save(folder / "extended.json", overwrite=True)
    encode, decode = load_back(folder / "extended.json", to, folder)
    odd = drift(model._artifact.pattern)
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
    check(grown, to, texts, tmp_path)
    old, vocab = start.vocab, grown._artifact.vocab
    assert old.items() <= vocab.items()
    assert vocab.keys() - old.keys() == {*range(max(old) + 1, max(old) + 2001)}


def test_completed_tokens_may_be_too_early_for_tiktoken(model_files: Path, tmp_path: Path) -> None:
    """After hundreds of completions, ids are equal in tokenizers; for tiktoken it is an error."""
    start = opened("llama3", model_files)
    texts = [text for text in beginnings([*start._artifact.whole_tokens]) if text.endswith("x")]
    grown = extended(start, 2000, *texts)
    assert len(completed_numbers(grown._artifact)) > 300
    check(grown, "huggingface", [*texts, *nasty_texts(500)], tmp_path)
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
