"""`export` to llama.cpp: every field of the file, and what llama.cpp would read otherwise."""

import json
from pathlib import Path
from typing import Any

import pytest

from bpetite import Tokenizer
from bpetite_compare import export
from compare_tools import SPLIT_PATTERNS, vocab_of, write_tokenizer
from exports import read_gguf
from hugging_face_files import to_letters
from nasty import NINE, saved

AB = [(97, 98), (256, 99)]
SPECIAL = {"<s>": 3, "</s>": 258, "<pad>": 261}
"""Special tokens between the others, which have other ids, too."""


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """Return a tokenizer file with a whole token and ids without gaps in another order."""
    ids = [one for one in reversed(range(262)) if one not in SPECIAL.values()]
    return write_tokenizer(tmp_path / "m.json", AB, [b"xyz"], SPECIAL, ids, "gpt4")


def test_every_field_is_written(numbered: Path, tmp_path: Path) -> None:
    """Tokens in the order of ids, merges in the order of ranks, and only the named roles."""
    roles: dict[str, Any] = {"bos": "</s>", "eos": "<s>", "pad": "<pad>"}
    export(numbered, "gguf", tmp_path / "out", **roles)
    vocab = vocab_of(Tokenizer.load(numbered))
    names = {token_id: name for name, token_id in SPECIAL.items()}
    assert read_gguf(tmp_path / "out") == {
        "general.architecture": "gpt2",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "llama-bpe",
        "tokenizer.ggml.tokens": [names.get(one) or to_letters(vocab[one]) for one in vocab],
        "tokenizer.ggml.token_type": [3 if one in names else 1 for one in vocab],
        "tokenizer.ggml.merges": ["a b", "ab c"],
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.bos_token_id": 258,
        "tokenizer.ggml.eos_token_id": 3,
        "tokenizer.ggml.padding_token_id": 261,
    }
    Tokenizer.train("", 256, special_tokens=["<s>"]).save(model := tmp_path / "bytes.json")
    export(model, "gguf", tmp_path / "bytes", bos="<s>", eos="<s>", unk="<s>")
    fields = read_gguf(tmp_path / "bytes")
    assert fields["tokenizer.ggml.merges"] == []
    assert fields["tokenizer.ggml.unknown_token_id"] == 256


@pytest.mark.thorough
def test_the_file_is_that_of_llama_cpps_own_package(numbered: Path, tmp_path: Path) -> None:
    """The package `gguf` writes the same bytes, also with special tokens among the others."""
    gguf = pytest.importorskip("gguf")
    for model in (numbered, saved("gpt4", tmp_path, NINE[:3])):
        tokenizer = Tokenizer.load(model)
        special = json.loads(model.read_bytes())["special_tokens"]
        bos, eos = min(special), max(special)
        roles: dict[str, Any] = {"bos": bos, "eos": eos, "pad": eos, "unk": bos}
        export(model, "gguf", tmp_path / "ours", overwrite=True, **roles)
        export(model, "huggingface", tmp_path / "hf.json", overwrite=True)
        writer = gguf.GGUFWriter(tmp_path / "theirs", "gpt2")
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("llama-bpe")
        texts = {one: to_letters(token) for one, token in vocab_of(tokenizer).items()}
        texts |= {token_id: name for name, token_id in special.items()}
        writer.add_token_list([*texts.values()])
        normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
        writer.add_token_types([control if name in special else normal for name in texts.values()])
        merges = json.loads((tmp_path / "hf.json").read_bytes())["model"]["merges"]
        writer.add_token_merges(merges)
        writer.add_add_bos_token(value=False)
        writer.add_bos_token_id(special[bos])
        writer.add_eos_token_id(special[eos])
        writer.add_pad_token_id(special[eos])
        writer.add_unk_token_id(special[bos])
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize(
    ("roles", "missing"),
    [
        pytest.param({}, r"--bos \(bos=\) and --eos \(eos=\)", id="no role"),
        pytest.param({"eos": "</s>"}, r"--bos \(bos=\)", id="without bos"),
        pytest.param({"bos": "<s>", "pad": "<s>"}, r"--eos \(eos=\)", id="without eos"),
    ],
)
def test_llama_cpp_gets_no_role_without_a_token(
    roles: dict[str, Any], missing: str, numbered: Path, tmp_path: Path
) -> None:
    """Without bos or eos, llama.cpp would take the id 11, so both are needed."""
    told = f"^gguf needs {missing}; else llama.cpp would take the token 11"
    with pytest.raises(ValueError, match=told):
        export(numbered, "gguf", tmp_path / "out", **roles)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        pytest.param(["<s>", "s>x1>"], True, id="the second is longer"),
        pytest.param(["s>x1>", "<s>"], True, id="in another order"),
        pytest.param(["<s>y1>", "1>x!"], False, id="the first is longer"),
        pytest.param(["<x<s>y1>", "<s>", "</s>", "1!1"], False, id="one inside another"),
    ],
)
def test_llama_cpp_gets_no_overlapping_special_tokens(
    names: list[str], refused: bool, tmp_path: Path
) -> None:
    """Where two overlap, llama.cpp takes the longer one, so a longer second one is an error."""
    Tokenizer.train("", 256, pattern="gpt4", special_tokens=names).save(model := tmp_path / "m")
    if refused:
        with pytest.raises(ValueError, match=r"'<s>' ends as 's>x1>' begins; where they overlap"):
            export(model, "gguf", tmp_path / "out", bos=names[0], eos=names[0])
    else:
        export(model, "gguf", tmp_path / "out", bos=names[0], eos=names[0])


@pytest.mark.parametrize("name", ["gpt2", "gpt4", "gpt4o", "qwen2"])
def test_the_loading_lines_name_texts_with_other_ids(name: str, tmp_path: Path) -> None:
    """They are where llama.cpp's own pattern is another one; GPT-2's is not."""
    Tokenizer.train("", 256, pattern=name, special_tokens=["<s>"]).save(model := tmp_path / "m")
    loading = export(model, "gguf", tmp_path / "out", bos="<s>", eos="<s>").loading
    assert ("U+017F after" in loading) == ("(?i:" in SPLIT_PATTERNS[name])
    assert "Llama(" in loading
