"""Folders of chat models come back: imported, then exported onto their folder, in transformers.

Published tokenizers and configurations come from BPETITE_MODELS; what no package has is made here,
with the flags, roles and templates of its family. Each also gets other ids, with a map.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from bpetite._inner import ALL_PATTERNS, Artifact, artifact_of
from bpetite_compare import export, import_tokenizer
from nasty import nasty_texts, trained

# ruff: noqa: ANN401 - the classes of transformers and torch depend on the version
pytestmark = pytest.mark.thorough
transformers = pytest.importorskip("transformers", reason="it is not installed")

PUBLISHED: Final = {
    "llama3": "llama",
    "llama3_1": "llama",
    "qwen2_5": "qwen2",
    "qwen3": "qwen3",
    "deepseek_v3": "deepseek_v3",
    "deepseek_v4": "deepseek_v3",
    "gptoss": "gpt_oss",
    "mistral_nemo": "mistral",
}
"""Models with their own files, and the `model_type` of their configurations."""
PLAIN: Final = (
    "{{ bos_token }}{% for m in messages %}{{ m.role }} {{ m.content }}{{ eos_token }}{% endfor %}"
)
CHAT_ML: Final = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CHAT: Final = [
    {"role": "user", "content": "What is 12345 \u00d7 2? <think>"},
    {"role": "assistant", "content": "<think>\nSo\u2026\n</think>\n\n24690, don't ask"},
    {"role": "user", "content": " \u65e5\u672c\u8a9e e\u0301 \U0001f44d "},
]
MADE: Final[dict[str, dict[str, Any]]] = {
    # Digits before GPT-2's split; special tokens have the first ids.
    "smollm": {
        "pattern": "starcoder",
        "names": {"<|endoftext|>": {}, "<|im_start|>": {}, "<|im_end|>": {}, "<repo_name>": {}},
        "roles": {"bos": "<|im_start|>", "eos": "<|im_end|>", "pad": "<|im_end|>"},
        "config": {"chat_template": CHAT_ML, "unk_token": "<|endoftext|>"},
        "first": True,
    },
    # Two tokens before each text, padding on the left, a thought that is not special.
    "glm": {
        "pattern": "gpt4",
        "names": {
            "<|endoftext|>": {},
            "[gMASK]": {},
            "<sop>": {},
            "<|user|>": {},
            "<think>": {"special": False},
            "</think>": {"special": False},
        },
        "roles": {"eos": "<|endoftext|>", "pad": "<|endoftext|>"},
        "config": {"chat_template": "[gMASK]<sop>" + PLAIN, "padding_side": "left"},
        "before": ["[gMASK]", "<sop>"],
    },
    # Whitespace beside its special tokens is theirs.
    "phi": {
        "pattern": "gpt4",
        "names": {
            "<|endoftext|>": {"rstrip": True, "lstrip": True},
            "<|im_start|>": {"rstrip": True, "lstrip": True},
            "<|im_end|>": {"rstrip": True, "lstrip": True},
        },
        "roles": {"bos": "<|endoftext|>", "eos": "<|im_end|>", "pad": "<|endoftext|>"},
        "config": {"chat_template": CHAT_ML},
    },
}


def make(family: str, folder: Path) -> Path:
    """Write the folder of a made model; return its tokenizer file."""
    parts = MADE[family]
    pattern, names = parts["pattern"], parts["names"]
    known = pattern if pattern == "gpt4" else "gpt2"
    learned, number = artifact_of(trained(known, *names)), len(names)
    numbers = [*range(len(learned.ids))]
    ids = (*numbers[number:], *numbers[:number]) if parts.get("first") else (*numbers,)
    artifact = Artifact.of_ids(
        learned.merges, learned.tokens, ALL_PATTERNS[pattern], learned.special_names, ids
    )
    artifact.write(model := folder.with_suffix(".json"), overwrite=False)
    export(model, "huggingface", folder)
    path = folder / "tokenizer.json"
    content = json.loads(path.read_bytes())
    added = content["added_tokens"]
    content["added_tokens"] = [token | names[token["content"]] for token in added]
    if before := parts.get("before"):
        single = [{"SpecialToken": {"id": name, "type_id": 0}} for name in before]
        single.append({"Sequence": {"id": "A", "type_id": 0}})
        ids_of = artifact.special_tokens
        content["post_processor"] = {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {
                name: {"id": name, "ids": [ids_of[name]], "tokens": [name]} for name in before
            },
        }
    if pattern == "starcoder":
        level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
        digits = {"type": "Digits", "individual_digits": True}
        cuts = [digits, level | {"use_regex": True}]
        content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": cuts}
    path.write_text(json.dumps(content))
    roles = {f"{role}_token": name for role, name in parts["roles"].items()}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 4096}
    (folder / "tokenizer_config.json").write_text(json.dumps(config | roles | parts["config"]))
    return model


@pytest.fixture
def family(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Return the folder of a model with all of its configurations, and its tokenizer file."""
    name, base = request.param, tmp_path / "base"
    if name in MADE:
        model = make(name, base)
    else:
        shutil.copytree(request.getfixturevalue("model_files") / name, base)
        config = json.loads((base / "tokenizer_config.json").read_bytes())
        if "chat_template" not in config:
            (base / "chat_template.jinja").write_text(PLAIN)
        model = tmp_path / "base.json"
        import_tokenizer(base, None, model, drop_normalizer=name.startswith("qwen"))
    artifact = Artifact.read(model)
    ends = [*artifact.special_tokens.values()][:2]
    kind = {"model_type": PUBLISHED.get(name, "llama"), "vocab_size": max(artifact.ids) + 1}
    (base / "config.json").write_text(json.dumps(kind | {"eos_token_id": ends[0]}))
    (base / "generation_config.json").write_text(json.dumps({"eos_token_id": ends}))
    return base, model


def renumber(model: Path, path: Path) -> list[int]:
    """Write the same tokenizer with other ids and without gaps; return the old id of each."""
    artifact = Artifact.read(model)
    numbers = [*range(len(artifact.ids))]
    Random(50).shuffle(numbers)
    first = 256 + len(artifact.merges)
    ids = (
        *numbers[:first],
        *sorted(numbers[first : len(artifact.tokens)]),
        *sorted(numbers[len(artifact.tokens) :]),
    )
    replace(artifact, numbering=ids).write(path, overwrite=False)
    return [old for _, old in sorted(zip(ids, artifact.ids, strict=True))]


def check(base: Path, out: Path, new: Callable[[int], int], names: list[str]) -> None:
    """Compare what transformers makes of two folders; `new` gives the second one's ids."""
    parts = nasty_texts(200)
    texts = [*parts, *(f" {name}\n".join(parts[:3]) for name in names[:60])]
    for kind in (transformers.PreTrainedTokenizerFast, transformers.AutoTokenizer):
        one, two = kind.from_pretrained(base), kind.from_pretrained(out)
        for special in (True, False):
            ids = one(texts, add_special_tokens=special).input_ids
            moved = [[*map(new, each)] for each in ids]
            assert two(texts, add_special_tokens=special).input_ids == moved
        for skipped, (before, after) in product((True, False), zip(ids, moved, strict=True)):
            text = one.decode(before, skip_special_tokens=skipped)
            assert two.decode(after, skip_special_tokens=skipped) == text
        for role in ("bos", "eos", "pad", "unk"):
            was, now = (getattr(each, f"{role}_token_id") for each in (one, two))
            assert now == (was if was is None else new(was))
        if one.pad_token is None:
            one.pad_token, two.pad_token = one.eos_token, two.eos_token
        batch, padded = (each(texts[:9], padding=True) for each in (one, two))
        assert padded["attention_mask"] == batch["attention_mask"]
        assert padded["input_ids"] == [[*map(new, each)] for each in batch["input_ids"]]
        for prompt in (True, False):
            was, now = (
                each.apply_chat_template(CHAT, add_generation_prompt=prompt, tokenize=False)
                for each in (one, two)
            )
            assert now == was
        was, now = (each.apply_chat_template(CHAT, return_dict=False) for each in (one, two))
        assert now == [*map(new, was)]
        for name in ("padding_side", "model_max_length", "special_tokens_map", "chat_template"):
            assert getattr(one, name) == getattr(two, name)
        assert sorted(two.all_special_ids) == sorted(map(new, one.all_special_ids))
        was = {new(number): repr(token) for number, token in one.added_tokens_decoder.items()}
        assert {number: repr(token) for number, token in two.added_tokens_decoder.items()} == was
        vocab = {text: new(number) for text, number in one.get_vocab().items()}
        assert two.get_vocab() == vocab


@pytest.mark.timeout(900)
@pytest.mark.parametrize("family", [*PUBLISHED, *MADE], indirect=True)
def test_chat_models_come_back(family: tuple[Path, Path], tmp_path: Path) -> None:
    """Ids, templates, roles, padding and what is skipped are the original's, also with a map."""
    base, model = family
    names = [*Artifact.read(model).special_names]
    export(model, "huggingface", tmp_path / "out", base=base)
    check(base, tmp_path / "out", int, names)
    sizes = (transformers.AutoTokenizer.from_pretrained(one) for one in (base, tmp_path / "out"))
    assert len({one.vocab_size for one in sizes}) == 1
    old = renumber(model, tmp_path / "moved.json")
    (tmp_path / "map.json").write_text(json.dumps(old))
    moved = tmp_path / "moved"
    export(tmp_path / "moved.json", "huggingface", moved, base=base, id_map=tmp_path / "map.json")
    new = {number: place for place, number in enumerate(old)}.__getitem__
    check(base, moved, new, names)
    for name in ("config.json", "generation_config.json"):
        was, now = (
            json.loads((each / name).read_bytes())["eos_token_id"] for each in (base, moved)
        )
        assert now == ([*map(new, was)] if isinstance(was, list) else new(was))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("family", ["llama3_1", "qwen3", "glm"], indirect=True)
def test_a_model_stops_where_the_original_stops(family: tuple[Path, Path], tmp_path: Path) -> None:
    """A random model generates the same and ends at the same id, also with moved ids and rows."""
    torch: Any = pytest.importorskip("torch", reason="it is not installed")

    base, model = family
    config = json.loads((base / "config.json").read_bytes())
    sizes = dict.fromkeys(("hidden_size", "intermediate_size"), 16) | {"num_hidden_layers": 1}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8}
    (base / "config.json").write_text(json.dumps(config | sizes | heads))
    auto = transformers.AutoModelForCausalLM
    torch.manual_seed(50)
    original = auto.from_config(transformers.AutoConfig.from_pretrained(base))
    prompt = transformers.AutoTokenizer.from_pretrained(base)("Hello", return_tensors="pt")

    def generated(model: Any, prompt: Any) -> list[int]:
        with torch.no_grad():
            [ids] = model.generate(**prompt, max_new_tokens=40, do_sample=False, pad_token_id=0)
        return [int(one) for one in ids]

    original.generation_config.eos_token_id = None
    endless = generated(original, prompt)
    stop = next(one for one in endless[9:] if one not in endless[:9])
    settings = json.loads((base / "generation_config.json").read_bytes())
    settings["eos_token_id"].append(stop)
    (base / "generation_config.json").write_text(json.dumps(settings))
    original.generation_config = transformers.GenerationConfig.from_pretrained(base)
    expected = generated(original, prompt)
    assert (expected[-1], len(expected) < len(endless)) == (stop, True)

    old = renumber(model, tmp_path / "moved.json")
    (tmp_path / "map.json").write_text(json.dumps(old))
    out = tmp_path / "moved"
    export(tmp_path / "moved.json", "huggingface", out, base=base, id_map=tmp_path / "map.json")
    other = auto.from_config(transformers.AutoConfig.from_pretrained(out))
    weights = original.state_dict()
    for name in [
        name for name in weights if name.endswith(("embed_tokens.weight", "lm_head.weight"))
    ]:
        weights[name] = weights[name][old]
    other.load_state_dict(weights)
    other.generation_config = transformers.GenerationConfig.from_pretrained(out)
    moved = transformers.AutoTokenizer.from_pretrained(out)("Hello", return_tensors="pt")
    assert [old[one] for one in generated(other, moved)] == expected
