"""`export --base`: the folder of a model with another vocabulary, and all else as it was."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from bpetite._inner import ALL_PATTERNS, Artifact
from bpetite_compare import export
from cli_tools import bpetite, refused
from compare_tools import write_tokenizer
from failures import contents_of
from hugging_face_files import NO_REGEX, SPLIT

# ruff: noqa: ANN401 - the content of JSON
END, USER, THINK, MASK = "<|end|>", "<|user|>", "<think>", "<|mask日|>"
SPECIAL: Final = {END: 300, USER: 301, THINK: 302, MASK: 303}
MERGES: Final = ((116, 104), (256, 101), (32, 257))
TEMPLATE: Final = "{{ messages }} é"
WEIGHTS: Final = ("model.safetensors", "vocab.json", "merges.txt", "tokenizer.model")


def flags(name: str, **more: bool) -> dict[str, Any]:
    """Return the entry of an added token as others write it."""
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"content": name} | plain | {"special": True} | more


def model_in(folder: Path, model: Path) -> Path:
    """Write the folder of a model with this tokenizer, in which nothing is as in an export."""
    export(model, "huggingface", folder)
    content = json.loads((folder / "tokenizer.json").read_bytes())
    added = [flags(END), flags(USER), flags(THINK, special=False), flags(MASK, lstrip=True)]
    content["added_tokens"] = [{"id": SPECIAL[one["content"]]} | one for one in added]
    content["normalizer"] = {"type": "NFC"}
    content["model"] |= {"unk_token": None, "ignore_merges": True}
    begin = {"id": USER, "ids": [SPECIAL[USER]], "tokens": [USER]}
    single = [{"SpecialToken": {"id": USER, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    template = {"type": "TemplateProcessing", "single": single, "pair": single}
    around = {"type": "RobertaProcessing", "sep": [END, 300], "cls": [USER, 301]}
    content["post_processor"] = {
        "type": "Sequence",
        "processors": [template | {"special_tokens": {USER: begin}}, around],
    }
    padding = {"strategy": "BatchLongest", "direction": "Left", "pad_id": 303, "pad_token": MASK}
    content["padding"] = padding | {"pad_to_multiple_of": None, "pad_type_id": 0}
    config = {
        "add_bos_token": True,
        "added_tokens_decoder": {str(SPECIAL[one["content"]]): one for one in added},
        "eos_token": {"__type": "AddedToken"} | flags(END),
        "pad_token": MASK,
        "model_max_length": 1000000000000000019884624838656,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    of_text = {"eos_token_id": [300, 301], "vocab_size": 320, "rms_norm_eps": 1e-06}
    of_images = {"bos_token_id": 1, "vocab_size": 2}
    files: dict[str, Any] = {
        "tokenizer.json": content,
        "tokenizer_config.json": config,
        "special_tokens_map.json": {"eos_token": END, "pad_token": flags(MASK)},
        "added_tokens.json": SPECIAL,
        "config.json": {
            "image_token_index": 302,
            "pad_token_id": -1,
            "with_token_ids": True,
            "text_config": of_text,
            "vision_config": of_images,
        },
        "generation_config.json": {
            "eos_token_id": [300, 301],
            "pad_token_id": None,
            "suppress_tokens": [97, 304],
            "bad_words_ids": [[256, 98], [99]],
        },
    }
    for name, one in files.items():
        text = json.dumps(one, ensure_ascii=False, indent=3)  # not as we would write it
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    (folder / "chat_template.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    for name in WEIGHTS:
        (folder / name).write_text("weights")
    return folder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a tokenizer file with special tokens."""
    ids = [*range(258), 304]
    return write_tokenizer(tmp_path / "m.json", MERGES, special=SPECIAL, ids=ids)


@pytest.fixture
def base(tmp_path: Path, model: Path) -> Path:
    """Return the folder of a model with this tokenizer."""
    return model_in(tmp_path / "base", model)


def objects(folder: Path) -> dict[str, Any]:
    """Return the content of each JSON file of a folder."""
    paths = [path for path in folder.glob("*.json") if path.name not in WEIGHTS]
    return {path.name: json.loads(path.read_bytes()) for path in paths}


@pytest.fixture
def moved(tmp_path: Path, model: Path) -> tuple[Path, Path]:
    """Return the same tokenizer with other ids, and the map of them; a space has no token."""
    artifact = Artifact.read(model)
    old_ids: list[int | None] = [*reversed(artifact.ids)]
    old_ids.insert(7, None)
    new = {old: one for one, old in enumerate(old_ids)}
    special = {name: new[one] for name, one in SPECIAL.items()}
    ids = [new[one] for one in artifact.ids[: len(artifact.tokens)]]
    other = write_tokenizer(tmp_path / "moved.json", MERGES, special=special, ids=ids)
    (tmp_path / "map.json").write_text(json.dumps(old_ids))
    return other, tmp_path / "map.json"


def set_in(base: Path, name: str, **values: Any) -> None:
    """Set keys in a JSON file of a folder."""
    content = json.loads((base / name).read_bytes())
    (base / name).write_text(json.dumps(content | values), encoding="utf-8")


def test_the_same_vocabulary_gives_the_same_files(base: Path, model: Path, tmp_path: Path) -> None:
    """Each file comes back byte for byte; weights and other forms of the vocabulary stay behind."""
    exported = export(model, "huggingface", tmp_path / "out", base=base)
    assert {*os.listdir(tmp_path / "out")} == {*os.listdir(base)} - {*WEIGHTS}
    for path in (tmp_path / "out").iterdir():
        assert path.read_bytes() == (base / path.name).read_bytes()
    assert exported.notes == (
        "roles: the base's",
        "changed: nothing",
        f"other ids than in bpetite: text that is not in NFC, text beside {MASK!r}",
    )


def test_new_tokens_are_added(base: Path, model: Path, tmp_path: Path) -> None:
    """New tokens and special tokens get into every list of them, and everything else stays."""
    artifact = Artifact.read(model)
    merges = [*MERGES, (258, 115)]
    ids = [*artifact.ids[:259], 305]
    special = SPECIAL | {"<|new日|>": 306}
    larger = write_tokenizer(tmp_path / "larger.json", merges, special=special, ids=ids)
    export(larger, "huggingface", tmp_path / "out", base=base, special_tokens=["<|more|>"])
    old, new = objects(base), objects(tmp_path / "out")
    more = {"<|new日|>": 306, "<|more|>": 307}
    assert new["added_tokens.json"] == SPECIAL | more
    entries = [flags(name) for name in more]
    assert new["tokenizer_config.json"]["added_tokens_decoder"] == old["tokenizer_config.json"][
        "added_tokens_decoder"
    ] | dict(zip(map(str, more.values()), entries, strict=True))
    was, now = old["tokenizer.json"], new["tokenizer.json"]
    assert now["added_tokens"] == was["added_tokens"] + [
        entry | {"id": one} for entry, one in zip(entries, more.values(), strict=True)
    ]
    assert now["model"]["vocab"] == was["model"]["vocab"] | {"\u0120thes": 305} | more
    assert now["model"]["merges"] == [*was["model"]["merges"], "\u0120the s"]
    for one in (was, now):
        del one["added_tokens"], one["model"]["vocab"], one["model"]["merges"]
    assert now == was
    others = old.keys() - {"added_tokens.json", "tokenizer_config.json", "tokenizer.json"}
    assert [(base / name).read_bytes() for name in others] == [
        (tmp_path / "out" / name).read_bytes() for name in others
    ]
    assert "日" in (tmp_path / "out" / "tokenizer_config.json").read_text(encoding="utf-8")


def test_a_token_of_the_configuration_alone_is_listed(
    base: Path, model: Path, tmp_path: Path
) -> None:
    """A special token that transformers adds, as only a configuration has it, is in all lists."""
    set_in(base, "added_tokens.json", **{"<|more|>": 305})
    names = ["<|more|>"]
    export(model, "huggingface", tmp_path / "out", base=base, special_tokens=names)
    added = objects(tmp_path / "out")["tokenizer.json"]["added_tokens"]
    assert added[-1] == flags("<|more|>") | {"id": 305}
    assert objects(tmp_path / "out")["added_tokens.json"] == SPECIAL | {"<|more|>": 305}


def test_ids_move_in_every_file(base: Path, moved: tuple[Path, Path], tmp_path: Path) -> None:
    """With a map, all ids of this vocabulary move, and no other number."""
    model, id_map = moved
    old_ids = json.loads(id_map.read_bytes())
    export(model, "huggingface", tmp_path / "out", base=base, id_map=id_map)
    old, new = objects(base), objects(tmp_path / "out")
    expected = {one: place for place, one in enumerate(old_ids)}.__getitem__
    for name, one in SPECIAL.items():
        assert new["added_tokens.json"][name] == expected(one)
        decoder = new["tokenizer_config.json"]["added_tokens_decoder"]
        assert decoder[str(expected(one))]["content"] == name
    config, generation = new["config.json"], new["generation_config.json"]
    assert config == {
        "image_token_index": expected(302),
        "pad_token_id": -1,
        "with_token_ids": True,
        "text_config": {
            "eos_token_id": [expected(300), expected(301)],
            "vocab_size": len(old_ids),
            "rms_norm_eps": 1e-06,
        },
        "vision_config": old["config.json"]["vision_config"],
    }
    assert generation == {
        "eos_token_id": [expected(300), expected(301)],
        "pad_token_id": None,
        "suppress_tokens": [expected(97), expected(304)],
        "bad_words_ids": [[expected(256), expected(98)], [expected(99)]],
    }
    content = new["tokenizer.json"]
    assert {one["content"]: one["id"] for one in content["added_tokens"]} == {
        name: expected(one) for name, one in SPECIAL.items()
    }
    template, around = content["post_processor"]["processors"]
    assert template["special_tokens"][USER]["ids"] == [expected(301)]
    assert (around["sep"], around["cls"]) == ([END, expected(300)], [USER, expected(301)])
    assert content["padding"]["pad_id"] == expected(303)
    vocab = old["tokenizer.json"]["model"]["vocab"]
    assert content["model"]["vocab"] == {text: expected(one) for text, one in vocab.items()}
    for name, one in new.items():  # the order of keys, and what has no ids
        assert list(one) == list(old[name])
    assert (tmp_path / "out" / "special_tokens_map.json").read_bytes() == (
        base / "special_tokens_map.json"
    ).read_bytes()


@pytest.mark.parametrize(
    ("file", "values", "told"),
    [
        pytest.param(
            "config.json", {"eos_token_id": 5}, "config.json: eos_token_id has the id 5,", id="byte"
        ),
        pytest.param(
            "config.json", {"x_token_id": 10**400}, f"the id 1{39 * '0'}, whose", id="400 digits"
        ),
        pytest.param(
            "generation_config.json",
            {"eos_token_id": [300, 5]},
            "generation_config.json: eos_token_id has the id 5,",
            id="in a list",
        ),
        pytest.param(
            "config.json",
            {"text_config": {"boi_token_id": 310}},
            "config.json: text_config: boi_token_id has the id 310,",
            id="a row without a token",
        ),
        pytest.param(
            "generation_config.json",
            {"lang_to_id": {"<|en|>": 5}},
            "generation_config.json: lang_to_id: <|en|> has the id 5,",
            id="in an object",
        ),
        pytest.param(
            "generation_config.json",
            {"forced_decoder_ids": [[1, 300]]},
            "generation_config.json: ids cannot be moved in forced_decoder_ids; remove",
            id="among other numbers",
        ),
    ],
)
def test_an_id_that_is_gone_is_named(
    file: str,
    values: dict[str, Any],
    told: str,
    base: Path,
    moved: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    """With a map, an id whose token went nowhere is an error with its file and key."""
    model, id_map = moved
    old_ids = json.loads(id_map.read_bytes())
    old_ids[old_ids.index(5)] = None
    id_map.write_text(json.dumps(old_ids))
    set_in(base, file, **values)
    with pytest.raises(ValueError, match=re.escape(told)):
        export(model, "huggingface", tmp_path / "out", base=base, id_map=id_map)
    assert not (tmp_path / "out").exists()
    set_in(base, file, **dict.fromkeys(values))
    export(model, "huggingface", tmp_path / "out", base=base, id_map=id_map)


def test_a_spare_id_must_not_become_a_token(base: Path, model: Path, tmp_path: Path) -> None:
    """Without a map, an id that no token had stays, unless a new token has it."""
    set_in(base, "generation_config.json", pad_token_id=310)
    export(model, "huggingface", tmp_path / "out", base=base)
    told = "generation_config.json: pad_token_id has the id 310, whose token is gone or another"
    names = [f"<|{number}|>" for number in range(6)]
    with pytest.raises(ValueError, match=told):
        export(model, "huggingface", tmp_path / "two", base=base, special_tokens=names)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            lambda ids: {"0": ids},
            "expected a list of 264 old ids or null, found no list",
            id="object",
        ),
        pytest.param(lambda ids: ids[:-1], "found 263 elements", id="short"),
        pytest.param(lambda ids: [*ids, None], "found 265 elements", id="long"),
        pytest.param(lambda ids: [True, *ids[1:]], "null at position 0, found True", id="true"),
        pytest.param(lambda ids: [1.0, *ids[1:]], "null at position 0, found 1.0", id="fraction"),
        pytest.param(lambda ids: ["1", *ids[1:]], "null at position 0, found '1'", id="text"),
        pytest.param(lambda ids: [-1, *ids[1:]], "null at position 0, found -1", id="negative"),
        pytest.param(lambda ids: [10**400, *ids[1:]], f"found 1{39 * '0'}", id="400 digits"),
        pytest.param(
            lambda ids: [*ids[:-1], ids[3]], "the id 300 is at the positions 3 and 263", id="twice"
        ),
        pytest.param(
            lambda ids: [305, *ids[1:]],
            "0 has b'<|mask\\xe6\\x97\\xa5|>', and 305 there has None; correct",
            id="high",
        ),
        pytest.param(
            lambda ids: [*ids[:7], 298, *ids[8:]], "7 has None, and 298", id="a row without a token"
        ),
        pytest.param(
            lambda ids: [ids[1], ids[0], *ids[2:]],
            "2 ids have other bytes than in --base (base=): 0 has",
            id="two exchanged",
        ),
    ],
)
def test_a_wrong_map_is_refused(
    change: Callable[[list[Any]], Any],
    told: str,
    base: Path,
    moved: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    """A map is a list of each new id's old one or null, and both have the same bytes."""
    model, id_map = moved
    id_map.write_text(json.dumps(change(json.loads(id_map.read_bytes()))))
    with pytest.raises(ValueError, match=re.escape(told)):
        export(model, "huggingface", tmp_path / "out", base=base, id_map=id_map)
    assert not (tmp_path / "out").exists()


def test_special_tokens_outside_of_the_vocabulary_stay_there(tmp_path: Path) -> None:
    """A model's vocabulary lacks them if it did, and no role is added; then nothing changes."""
    model = write_tokenizer(tmp_path / "m.json", MERGES)
    export(model, "huggingface", base := tmp_path / "base")
    content = json.loads((base / "tokenizer.json").read_bytes())
    del content["model"]["vocab"]["<|endoftext|>"]
    (base / "tokenizer.json").write_text(json.dumps(content))
    set_in(base, "tokenizer_config.json", eos_token=None)
    export(model, "huggingface", tmp_path / "out", base=base, special_tokens=["<+>"])
    new = objects(tmp_path / "out")
    assert new["tokenizer.json"]["model"]["vocab"] == content["model"]["vocab"]
    assert [one["id"] for one in new["tokenizer.json"]["added_tokens"]] == [259, 260]
    assert new["tokenizer_config.json"] == objects(base)["tokenizer_config.json"]
    # With a gap, tokenizers would give it another id.
    gap = write_tokenizer(tmp_path / "gap.json", MERGES, special={"<|endoftext|>": 259, "<+>": 270})
    export(gap, "huggingface", tmp_path / "gap", base=base)
    vocab = objects(tmp_path / "gap")["tokenizer.json"]["model"]["vocab"]
    assert vocab == content["model"]["vocab"] | {"<|endoftext|>": 259, "<+>": 270}


def test_tokens_that_no_byte_makes_stay(base: Path, model: Path, tmp_path: Path) -> None:
    """The model may have rows for them, so they keep their ids, unless a new token has one."""
    content = json.loads((base / "tokenizer.json").read_bytes())
    content["model"]["vocab"] |= {"a日": 305, "日": 310}
    set_in(base, "tokenizer.json", model=content["model"])
    notes = export(model, "huggingface", tmp_path / "out", base=base).notes
    assert "changed: nothing" in notes
    export(model, "huggingface", tmp_path / "two", base=base, special_tokens=["<+>"])
    vocab = objects(tmp_path / "two")["tokenizer.json"]["model"]["vocab"]
    assert (vocab["<+>"], vocab.get("a日"), vocab["日"]) == (305, None, 310)


def test_whole_tokens_are_found_first(base: Path, model: Path, tmp_path: Path) -> None:
    """A model gets `ignore_merges` if the tokenizer needs it; then a name is no chunk's letters."""
    ids = [*range(258), 304, 305]
    whole = write_tokenizer(tmp_path / "w.json", MERGES, [b"xyz"], SPECIAL, ids)
    content = json.loads((base / "tokenizer.json").read_bytes())
    set_in(base, "tokenizer.json", model=content["model"] | {"ignore_merges": False})
    export(whole, "huggingface", tmp_path / "out", base=base)
    assert objects(tmp_path / "out")["tokenizer.json"]["model"]["ignore_merges"]
    set_in(base, "tokenizer.json", model=content["model"])
    with pytest.raises(ValueError, match="the text b' x' would be the special token"):
        export(model, "huggingface", tmp_path / "two", base=base, special_tokens=["\u0120x"])


# What does not fit


def instead_of(path: Path) -> Path:
    """Return the path of a file after removing it."""
    path.unlink()
    return path


def other_pattern(base: Path) -> None:
    content = json.loads((base / "tokenizer.json").read_bytes())
    gpt4 = SPLIT | {"pattern": {"Regex": ALL_PATTERNS["gpt4"].text}}
    content["pre_tokenizer"]["pretokenizers"] = [gpt4, NO_REGEX]
    (base / "tokenizer.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(
            lambda base: (base / "tokenizer.json").unlink(),
            "base has added_tokens.json, chat_template.jinja, chat_template.json, config.json, but "
            "no tokenizer.json",
            id="no tokenizer.json",
        ),
        pytest.param(
            other_pattern,
            "tokenizer.json: its pattern is gpt4, and that of this tokenizer gpt2",
            id="pattern",
        ),
        pytest.param(
            lambda base: set_in(base, "tokenizer.json", normalizer={"type": "NFKC"}),
            "tokenizer.json: its normalizer, NFKC, changes the text",
            id="normalizer",
        ),
        pytest.param(
            lambda base: set_in(base, "tokenizer.json", added_tokens=5),
            "tokenizer.json: its added_tokens are not a list",
            id="damaged",
        ),
        pytest.param(
            lambda base: set_in(base, "added_tokens.json", **{"<|new|>": 310, "<|x|>": 311}),
            "lacks 2 special tokens of --base (base=): '<|new|>', '<|x|>'; --special (special_",
            id="special tokens",
        ),
        pytest.param(
            lambda base: (base / "config.json").write_text("{"),
            "config.json: expected JSON",
            id="JSON",
        ),
        pytest.param(
            lambda base: instead_of(base / "config.json").symlink_to("gone"),
            "No such file or directory",
            id="a link to nothing",
        ),
        pytest.param(
            lambda base: instead_of(base / "tokenizer.json").symlink_to("tokenizer.json"),
            "symbolic links",
            id="a link to itself",
        ),
        pytest.param(
            lambda base: os.mkfifo(instead_of(base / "tokenizer.json")),
            "tokenizer.json is not a regular file",
            id="a pipe",
            marks=pytest.mark.posix,
        ),
        pytest.param(
            lambda base: (base / "tokenizer.json").write_text("{}"),
            "tokenizer.json: it is not a tokenizer.json: no object `model`",
            id="an empty object",
        ),
        pytest.param(
            lambda base: base.rename(base.with_name("old")).with_name("base").write_text("{}"),
            "base is a file; name the model's folder",
            id="a file",
        ),
        pytest.param(
            lambda base: (base / "additional_chat_templates").mkdir(),
            "additional_chat_templates, which is not copied: list them in tokenizer_config.json",
            id="templates in a folder",
        ),
    ],
)
def test_a_base_that_does_not_fit_is_refused(
    change: Callable[[Path], object], told: str, base: Path, model: Path, tmp_path: Path
) -> None:
    """A base has a `tokenizer.json` with this pattern, and no special token that is lacking."""
    change(base)
    with pytest.raises((OSError, ValueError), match=re.escape(told)):
        export(model, "huggingface", tmp_path / "out", base=base)
    assert not (tmp_path / "out").exists()


def test_a_lone_surrogate_stays_an_escape(base: Path, model: Path, tmp_path: Path) -> None:
    """A file that changes may have a text that UTF-8 has not."""
    set_in(base, "config.json", eos_token_id=300, note="\ud800")
    export(model, "huggingface", tmp_path / "out", base=base, eos="<|user|>")
    assert b'"note": "\\ud800"' in (tmp_path / "out" / "config.json").read_bytes()
    assert objects(tmp_path / "out")["config.json"]["note"] == "\ud800"


def test_numbers_that_only_python_writes_stay(base: Path, model: Path, tmp_path: Path) -> None:
    """NaN and Infinity are no JSON, but a base may have them, in a file that changes, too."""
    odd = {"limits": [0.5, float("inf"), float("-inf")], "x": float("nan"), "note": "a NaN, b"}
    for name in ("config.json", "tokenizer_config.json"):
        set_in(base, name, **odd, eos_token_id=300)
    export(model, "huggingface", tmp_path / "out", base=base, eos="<|user|>")
    found = objects(tmp_path / "out")["config.json"]
    assert found["eos_token_id"] == 301
    assert [repr(found[key]) for key in odd] == [*map(repr, odd.values())]


def test_other_bytes_are_refused(base: Path, tmp_path: Path) -> None:
    """Without a map, an id with other bytes than in the base is an error that shows both."""
    merges = [(116, 104), (97, 110), (32, 97)]
    ids = [*range(258), 304]
    other = write_tokenizer(tmp_path / "other.json", merges, special=SPECIAL, ids=ids)
    told = (
        "2 ids have other bytes than in --base (base=): 257 has b'an', and 257 there has b'the'; "
        "--id-map"
    )
    with pytest.raises(ValueError, match=re.escape(told)):
        export(other, "huggingface", tmp_path / "out", base=base)


@pytest.mark.parametrize("output", ["base", "base/new", "base/a/b", "link"])
def test_the_base_is_never_changed(output: str, base: Path, model: Path, tmp_path: Path) -> None:
    """The base, a link to it and a folder in it are no output; nor is a link to a file of it."""
    (tmp_path / "link").symlink_to(base)
    (base / "a").mkdir()
    before = contents_of(base)
    with pytest.raises(ValueError, match=r"is --base .* or in it; choose another output"):
        export(model, "huggingface", tmp_path / output, overwrite=True, base=base)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "config.json").symlink_to(base / "config.json")
    with pytest.raises(ValueError, match=r"config\.json is also an input"):
        export(model, "huggingface", tmp_path / "out", overwrite=True, base=base)
    assert contents_of(base) == before


def test_a_folder_with_other_templates_is_no_output(
    base: Path, model: Path, tmp_path: Path
) -> None:
    """A file that transformers reads must be one of those that are written."""
    export(model, "huggingface", tmp_path / "out", base=base)
    export(model, "huggingface", tmp_path / "out", overwrite=True, base=base)
    (base / "chat_template.jinja").unlink()
    with pytest.raises(ValueError, match=r"out contains chat_template\.jinja, which transformers"):
        export(model, "huggingface", tmp_path / "out", overwrite=True, base=base)


# Options


def test_options_precede_the_base(base: Path, model: Path, tmp_path: Path) -> None:
    """The command's roles, template and length replace the base's, roles also as ids."""
    (tmp_path / "t.jinja").write_text("{{ bos_token }}")
    words = (
        "--bos <|user|> --eos <|user|> --max-length 9 --chat-template t.jinja --base base -o out"
    )
    result = bpetite("export", "m.json", "--to", "huggingface", *words.split(), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["notes"][0] == "roles: the base's, bos '<|user|>', eos '<|user|>'"
    old, new = objects(base), objects(tmp_path / "out")
    config = old["tokenizer_config.json"]
    assert new["tokenizer_config.json"] == config | {
        "bos_token": USER,
        "eos_token": USER,
        "model_max_length": 9,
        "chat_template": "{{ bos_token }}",
    }
    assert new["special_tokens_map.json"] == old["special_tokens_map.json"] | {"eos_token": USER}
    assert new["config.json"]["text_config"]["eos_token_id"] == 301
    generation = old["generation_config.json"]
    assert new["generation_config.json"] == generation | {"eos_token_id": 301}
    assert not {*os.listdir(tmp_path / "out")} & {"chat_template.jinja", "chat_template.json"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(
            "--to huggingface --base base -o x.json", "--base (base=) requires", id="file"
        ),
        pytest.param(
            "--to huggingface --id-map map.json -o x",
            "argument --id-map: requires --base",
            id="map",
        ),
    ],
)
def test_a_base_is_for_a_folder(words: str, told: str, base: Path, tmp_path: Path) -> None:
    """`--base` needs a folder for Hugging Face, and `--id-map` a base."""
    result = bpetite("export", "m.json", *words.split(), cwd=tmp_path)
    assert told in refused(result, 2)[-2]
