"""transformers, version 4 or 5, loads an exported folder and has its ids.

Version 5 is in the group `thorough`. Version 4 conflicts with it, and needs its own environment:

    uv run --isolated --only-group only-compare --with "transformers==4.*" --with jinja2 \
      pytest -m thorough tests/compare/test_transformers.py
"""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from bpetite import Tokenizer
from bpetite_compare import export, import_tokenizer
from compare_tools import CORPUS, HOSTILE, vocab_of
from nasty import drift
from texts import TEXTS

# ruff: noqa: ANN401 - the class of a tokenizer depends on the version
pytestmark = pytest.mark.thorough
transformers = pytest.importorskip("transformers", reason="it is not installed")

SPECIALS = ["<|user|>", "<|assistant|>", "<é 日>"]
ROLES = {"bos": "<|user|>", "pad": "<é 日>"}
TEMPLATE = "{% for m in messages %}<|user|>{{ m.content }}<|endoftext|>{% endfor %}"


@pytest.fixture(scope="module")
def ours() -> Tokenizer:
    return Tokenizer.train(CORPUS, 340)


@pytest.fixture(scope="module")
def folder(ours: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with its export."""
    folder = tmp_path_factory.mktemp("export")
    ours.save(model := folder / "tokenizer.json")
    more: dict[str, Any] = {"max_length": 16, "chat_template": TEMPLATE, **ROLES}
    export(model, "huggingface", folder / "hf", special_tokens=SPECIALS, **more)
    return folder / "hf"


@pytest.fixture(scope="module")
def both(folder: Path) -> list[Any]:
    """Return what the class of the printed code makes of it, also after `save_pretrained`."""
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    theirs.save_pretrained(again := folder.with_name("saved"))
    return [theirs, transformers.PreTrainedTokenizerFast.from_pretrained(again)]


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
    """Those that were named have a role, and the added ones follow the tokenizer's own."""
    own = len(vocab_of(ours)) - 1
    for tokenizer in both:
        roles = ("bos", "eos", "pad", "unk")
        found = [getattr(tokenizer, f"{role}_token_id") for role in roles]
        assert found == [own + 1, own, own + 3, None]
        assert sorted(tokenizer.all_special_ids) == [own, own + 1, own + 2, own + 3]
        assert {*tokenizer.all_special_tokens} == {"<|endoftext|>", *SPECIALS}
        assert len(tokenizer) == own + 4
        ids = tokenizer("the<|user|> cat<é 日>")["input_ids"]
        assert (ids.count(own + 1), ids[-1]) == (1, own + 3)
        assert tokenizer.decode(ids, skip_special_tokens=True) == "the cat"
        assert tokenizer.decode(ids) == "the<|user|> cat<é 日>"


def test_padding_and_truncation(ours: Tokenizer, both: list[Any]) -> None:
    """Short texts are padded with the named token, and long ones cut to the length."""
    own = len(vocab_of(ours)) - 1
    for tokenizer in both:
        padded = tokenizer(["the cat sat", "x"], padding=True)
        assert set(padded) == {"input_ids", "attention_mask"}
        long, short = padded["input_ids"]
        assert long == ours.encode("the cat sat")
        assert short == [ord("x")] + [own + 3] * (len(long) - 1)
        assert padded["attention_mask"][1] == [1] + [0] * (len(long) - 1)
        assert tokenizer.model_max_length == 16
        assert tokenizer(CORPUS, truncation=True)["input_ids"] == ours.encode(CORPUS)[:16]


def test_the_chat_template(ours: Tokenizer, both: list[Any]) -> None:
    """`apply_chat_template` uses the template, whose special tokens are tokens."""
    own = len(vocab_of(ours)) - 1
    chat = [{"role": "user", "content": "the cat"}]
    for tokenizer in both:
        text = tokenizer.apply_chat_template(chat, tokenize=False)
        assert text == "<|user|>the cat<|endoftext|>"
        assert tokenizer(text)["input_ids"] == [own + 1, *ours.encode("the cat"), own]


@pytest.mark.parametrize(
    ("template", "told"),
    [
        pytest.param("a\n\n{% foo %}", r" in line 3: Encountered unknown tag 'foo'", id="a tag"),
        pytest.param("{{ f(a=1, a=2) }}", ": keyword argument repeated", id="Python's own error"),
        pytest.param("{% break %}", ": 'break' outside loop$", id="a line of Jinja's own code"),
        pytest.param(f"{{{{ {'(' * 5000} }}}}", ": maximum recursion depth", id="too deep"),
    ],
)
def test_a_template_with_an_error_is_refused(
    template: str, told: str, folder: Path, tmp_path: Path
) -> None:
    """The message has Jinja's reason and the line, and nothing is written."""
    model = folder.with_name("tokenizer.json")
    with pytest.raises(ValueError, match=f"^the chat template cannot be compiled{told}"):
        export(model, "huggingface", tmp_path / "hf", chat_template=template)
    assert not (tmp_path / "hf").exists()


def test_the_tags_of_transformers_are_known(folder: Path, tmp_path: Path) -> None:
    """`generation` and `break` are no tags of Jinja's own; the template is checked and works."""
    template = (
        "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}"
        "{% break %}{% endfor %}"
    )
    model = folder.with_name("tokenizer.json")
    exported = export(model, "huggingface", tmp_path / "hf", chat_template=template)
    assert exported.notes == ("roles: eos '<|endoftext|>'",)
    names: dict[str, Any] = {}
    exec(exported.loading, names)  # noqa: S102 - a user runs these lines
    chat = [{"role": "user", "content": "the cat"}, {"role": "user", "content": "sat"}]
    assert names["tokenizer"].apply_chat_template(chat, tokenize=False) == "the cat"


def test_the_printed_code_is_right_beside_any_configuration(
    ours: Tokenizer, folder: Path, tmp_path: Path
) -> None:
    """Whatever model's `config.json` lies beside an export, its code gives the tokenizer's ids.

    The texts tell patterns and normalizers apart. `AutoTokenizer` has other ids for some models.
    """
    configurations = transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES
    tokenizers = transformers.models.auto.tokenization_auto.TOKENIZER_MAPPING_NAMES
    kinds = sorted({*configurations, *tokenizers})
    assert len(kinds) > 300
    loading = export(folder.with_name("tokenizer.json"), "huggingface", tmp_path / "hf").loading
    texts = [*HOSTILE, "12345 don't DON'T a\r\n\n  b\t e\u0301 ﬁ é HelloWorld/ !!\n"]
    texts = [*filter(drift().isdisjoint, texts)]
    for kind in kinds:
        beside = {"model_type": kind, "transformers_version": "4.57.0"}
        (tmp_path / "hf" / "config.json").write_text(json.dumps(beside))
        names: dict[str, Any] = {}
        exec(loading, names)  # noqa: S102 - a user runs these lines
        assert names["tokenizer"](texts)["input_ids"] == [*map(ours.encode, texts)], kind


def test_what_transformers_saves_can_be_imported(folder: Path, tmp_path: Path) -> None:
    """The post-processor that version 5 adds changes no id, so no option is needed."""
    model = folder.with_name("tokenizer.json")
    export(model, "huggingface", tmp_path / "hf")
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "hf")
    theirs.save_pretrained(tmp_path / "saved")
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
