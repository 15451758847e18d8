"""`import_tokenizer` with Hugging Face's files: valid, unsupported and hostile ones."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2
from bpetite_compare import Imported, export, import_tokenizer
from bpetite_compare._foreign import check_ids
from bpetite_compare._from_huggingface import read_huggingface
from bpetite_compare._letters import to_letters
from compare_tools import UNREACHABLE

GPT_4 = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
TEMPLATE = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}]}
SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}


@pytest.fixture
def content(small_model: Path, tmp_path: Path) -> dict[str, Any]:
    """Return the content of a `tokenizer.json` with the tokens of the small model."""
    export(small_model, "huggingface", tmp_path / "hf.json")
    loaded: dict[str, Any] = json.loads((tmp_path / "hf.json").read_bytes())
    return loaded


def write(content: object, folder: Path) -> Path:
    """Write a `tokenizer.json`."""
    path = folder / "theirs.json"
    path.write_text(json.dumps(content))
    return path


def imported(content: object, folder: Path, **options: Any) -> Imported:  # noqa: ANN401 - its own
    """Import a `tokenizer.json` with this content as `new.json`."""
    path = write(content, folder)
    return import_tokenizer(path, "huggingface", folder / "new.json", **options)


def check_refused(content: object, folder: Path, reason: str) -> None:
    """Check that an import is an error with this reason, and that nothing is written."""
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        imported(content, folder)
    assert not (folder / "new.json").exists()


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    """Return a pre-tokenizer that chains several."""
    return {"type": "Sequence", "pretokenizers": list(parts)}


def split(pattern: str, /, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - a field of the file
    """Return a pre-tokenizer that cuts by a pattern, then turns bytes into letters."""
    cut = SPLIT | {"pattern": {"Regex": pattern}} | options
    return sequence(cut, BYTE_LEVEL | {"use_regex": False})


def added(text: str, token_id: object, **flags: object) -> dict[str, object]:
    """Return an added token as `tokenizers` writes it."""
    others = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": text, **others, "special": True, **flags}


def several(*parts: dict[str, Any] | None) -> dict[str, Any]:
    """Return a normalizer that chains several."""
    return {"type": "Sequence", "normalizers": list(parts)}


END = "<|endoftext|>"
NFC = {"type": "NFC"}


EQUIVALENT: list[dict[str, Any]] = [
    {"pre_tokenizer": BYTE_LEVEL},
    {"pre_tokenizer": sequence(BYTE_LEVEL | {"use_regex": True})},
    {"pre_tokenizer": split(GPT2.text, behavior="Removed", invert=True)},
    {"post_processor": BYTE_LEVEL, "decoder": None},
    {"post_processor": TEMPLATE},
    {"normalizer": several()},
    {"normalizer": several(several())},
    {"post_processor": {"type": "Sequence", "processors": [BYTE_LEVEL, TEMPLATE]}},
    {"truncation": {"max_length": 512, "stride": 0}, "padding": {"pad_id": 0}},
]


@pytest.mark.parametrize("change", EQUIVALENT)
def test_equivalent_settings_are_accepted(
    change: dict[str, Any], content: dict[str, Any], small_model: Path, tmp_path: Path
) -> None:
    """Settings that change no id are accepted, and those that are dropped are listed."""
    notes = imported(content | change, tmp_path).notes
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()
    assert len(notes) == 2 * ("truncation" in change)


@pytest.mark.parametrize(
    "change",
    [{"type": None}, {"unk_token": "<|endoftext|>", "dropout": 0.0, "ignore_merges": True}],
)
def test_settings_of_the_model_that_change_no_id(
    change: dict[str, Any], content: dict[str, Any], small_model: Path, tmp_path: Path
) -> None:
    """Old files have no type; a byte-level vocabulary never needs the unknown token."""
    content["model"].update(change)
    if content["model"]["type"] is None:
        del content["model"]["type"]
    content["model"]["merges"] = [line.split(" ") for line in content["model"]["merges"]]
    imported(content, tmp_path)
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"normalizer": NFC}, "its normalizer, NFC, changes the text"),
    ({"normalizer": several(several(), NFC, NFC)}, "normalizer, NFC and NFC, changes the"),
    ({"normalizer": several(None)}, "its normalizer, None, changes the text"),
    ({"pre_tokenizer": None}, "its pre_tokenizer is None, not ByteLevel with"),
    ({"pre_tokenizer": {"type": "Whitespace"}}, "its pre_tokenizer is Whitespace, not"),
    ({"version": "2.0"}, "its version is 2.0, not 1.0"),
    ({"pre_tokenizer": BYTE_LEVEL | {"add_prefix_space": True}}, "adds a space before"),
    ({"pre_tokenizer": BYTE_LEVEL | {"use_regex": 1}}, "has the use_regex 1, not true or"),
    ({"pre_tokenizer": {"type": "ByteLevel"}}, "has the add_prefix_space None, not true"),
    ({"pre_tokenizer": split(GPT_4)}, "its split pattern is not GPT-2's: '(?i:[sdmt]|ll|ve"),
    ({"pre_tokenizer": split(GPT2.text, behavior="Removed")}, "split pattern is not"),
    ({"pre_tokenizer": split(GPT2.text, behavior=[])}, "split pattern is not GPT-2's"),
    ({"pre_tokenizer": split(GPT2.text, invert=None)}, "split pattern is not GPT-2's"),
    ({"pre_tokenizer": split(GPT2.text, invert=0)}, "split pattern is not GPT-2's"),
    ({"pre_tokenizer": split(GPT2.text, invert=True)}, "split pattern is not GPT-2's"),
    (
        {"pre_tokenizer": split(GPT2.text, pattern={"Regex": GPT2.text, "String": "x"})},
        "pattern is not",
    ),
    ({"pre_tokenizer": split("x", use_regex=False)}, "split pattern is not GPT-2's: x"),
    ({"pre_tokenizer": sequence(SPLIT | {"use_regex": False}, BYTE_LEVEL)}, "exactly once"),
    ({"pre_tokenizer": sequence({"type": "Digits"}, BYTE_LEVEL)}, "is Digits, not ByteLevel"),
    ({"pre_tokenizer": sequence(BYTE_LEVEL, BYTE_LEVEL)}, "text exactly once"),
    ({"pre_tokenizer": sequence()}, "an empty Sequence, does not split"),
    ({"pre_tokenizer": BYTE_LEVEL | {"use_regex": False}}, "text exactly once"),
    ({"pre_tokenizer": "Sequence"}, "its pre_tokenizer is 'Sequence', not"),
    ({"decoder": {"type": "WordPiece"}}, "its decoder is WordPiece, not ByteLevel"),
    ({"post_processor": {"type": "TemplateProcessing"}}, "TemplateProcessing, adds special"),
    (
        {"post_processor": TEMPLATE | {"single": [{"SpecialToken": {}}, *TEMPLATE["single"]]}},
        "TemplateProcessing, adds special",
    ),
    ({"post_processor": TEMPLATE | {"single": [{"Sequence": {"id": "B"}}]}}, "adds special"),
    (
        {"post_processor": {"type": "Sequence", "processors": [BYTE_LEVEL, {"type": "X"}]}},
        "ByteLevel and X, adds special",
    ),
    ({"added_tokens": {"a": 1}}, "its added_tokens are not a list"),
    ({"added_tokens": None}, "its added_tokens are not a list"),
    ({"added_tokens": [added("<s>", 0, id=True)]}, "lacks a content or an id"),
    ({"added_tokens": [added("<s>", 324, lstrip=None)]}, "'<s>' has the lstrip None, not true"),
    ({"added_tokens": [{"content": "<s>", "id": 324}]}, "'<s>' has the single_word None, not"),
    *(
        ({"added_tokens": [added(END, 323, **{flag: True})]}, f"token {END} has {flag}, so text")
        for flag in ("single_word", "lstrip", "rstrip")
    ),
    ({"added_tokens": []}, f"its vocabulary has {END}, but its added_tokens do not"),
    ({"added_tokens": [added(END, 324)]}, "has the id 324, but tokenizers uses 323"),
    ({"added_tokens": [added("<s>", 5000)]}, "has the id 5000, but tokenizers uses 324"),
    ({"added_tokens": [added("<s>", 324), added("<t>", 324)]}, "but tokenizers uses 325"),
    ({"added_tokens": [added("<s>", 324), added("<s>", 325)]}, "but tokenizers uses 324"),
    ({"model": []}, "it is not a tokenizer.json: expected"),
]


@pytest.mark.parametrize(("change", "reason"), SETTINGS)
def test_settings_that_change_ids_are_rejected(
    change: dict[str, Any], reason: str, content: dict[str, Any], tmp_path: Path
) -> None:
    """The error names a part that a tokenizer file cannot have, and nothing is written."""
    check_refused(content | change, tmp_path, reason)


MODELS: list[tuple[dict[str, Any], str]] = [
    ({"type": "Unigram", "vocab": [["a", -1.5]]}, "its model is Unigram, not BPE"),
    ({"byte_fallback": True}, "has byte_fallback, so its tokens are characters"),
    ({"dropout": 0.1}, "has a dropout, so the ids of a text are random"),
    ({"end_of_word_suffix": "</w>"}, "has the end_of_word_suffix </w>"),
    ({"continuing_subword_prefix": "##"}, "has the continuing_subword_prefix ##"),
    ({"end_of_word_suffix": False}, "the end_of_word_suffix False, which tokenizers rejects"),
    ({"dropout": False}, "has the dropout False, which tokenizers rejects"),
    ({"ignore_merges": 0}, "has the ignore_merges 0, which tokenizers rejects"),
    ({"vocab": []}, "its vocabulary is not a JSON object of ids"),
    ({"vocab": {"a": -1}}, "its vocabulary is not a JSON object of ids"),
    ({"vocab": {"a": 1, "b": 1}}, "its tokens 'a' and 'b' have the same id"),
    ({"vocab": {"a": 1}}, "it has no token for the byte 0x00"),
    ({"merges": "a b"}, "its merges are not a list"),
    ({"merges": ["a  b"]}, "its merge 0 is not two tokens: a  b"),
    ({"merges": [["a"]]}, "its merge 0 is not two tokens: ['a']"),
    ({"merges": ["a b"]}, "its merge 0 makes 'ab', which has no id"),
    ({"merges": ["th e"]}, "its merge 0 joins 'th', which no earlier merge makes"),
    ({"merges": ["t h", ["h", "e"]]}, "its merge 1, ['h', 'e'], is written in another way"),
    ({"merges": [["t", "h"], "h e"]}, "its merge 1, h e, is written in another way"),
    ({"merges": ["t h", "t h"]}, "its merge 1 makes 'th', which an earlier merge made"),
    (
        {"merges": ["t h", "th e", "h e", "t he"]},
        "its merge 3 makes 'the', which an earlier merge made",
    ),
]


@pytest.mark.parametrize(("change", "reason"), MODELS)
def test_incompatible_models_are_rejected_by_name(
    change: dict[str, Any], reason: str, content: dict[str, Any], tmp_path: Path
) -> None:
    """The error names a setting of another algorithm, or a contradiction."""
    content["model"]["vocab"] |= {"th": 1000, "he": 1001, "the": 1002}
    content["model"].update(change)
    check_refused(content, tmp_path, reason)


def test_a_missing_special_token_is_added(
    content: dict[str, Any], small_model: Path, tmp_path: Path
) -> None:
    """`<|endoftext|>` gets the lowest free id, whatever else is dropped."""
    del content["model"]["vocab"]["<|endoftext|>"]
    content["added_tokens"] = [added("<s>", 323, lstrip=True), added("<pad>", 324)]
    content["post_processor"] = {"type": "TemplateProcessing"}
    check_refused(content, tmp_path, "--drop-special (drop_special=True) drops them")
    result = imported(content, tmp_path, drop_special=True)
    assert (result.special_added, result.original_ids[-1]) == (True, 325)
    assert result.dropped == {"<s>": 323, "<pad>": 324}
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()


def test_a_list_of_thousands_of_added_tokens_is_read(
    content: dict[str, Any], tmp_path: Path
) -> None:
    """With as many as Gemma 3 has, the error still is that of the settings."""
    content["added_tokens"] += [added(f"<unused{number}>", 324 + number) for number in range(6414)]
    check_refused(content, tmp_path, "'<unused7>' and 6,406 more, but an import keeps only")
    content["model"]["byte_fallback"] = True
    check_refused(content, tmp_path, "its model has byte_fallback, so its tokens are characters")
    check_refused(content | {"padding": [{}] * (1 << 17)}, tmp_path, "expected JSON: more brackets")
    del content["model"]["byte_fallback"]
    assert len(imported(content, tmp_path, drop_special=True).dropped) == 6414


def test_an_added_token_cannot_take_an_id(content: dict[str, Any], tmp_path: Path) -> None:
    """The next id is the number of tokens, even if in a vocabulary with holes it is taken."""
    content["model"]["vocab"][END] = 324
    content["added_tokens"] = [added(END, 324), added("<s>", 324)]
    check_refused(content, tmp_path, "the id of its added token '<s>' contradicts another")


def test_tokens_without_a_merge_can_be_dropped(content: dict[str, Any], tmp_path: Path) -> None:
    """A token without a merge is an error unless dropping it was requested."""
    content["model"]["vocab"]["unused0"] = 1000
    check_refused(content, tmp_path, "it has the special tokens 'unused0', but")


def test_unmade_tokens_forbid_ignore_merges(tmp_path: Path) -> None:
    """A token that is never made is accepted, except with ignore_merges, which changes ids."""
    model = tmp_path / "model.json"
    Tokenizer._of(Artifact.of_merges([(97, 98)])).save(model)
    export(model, "huggingface", tmp_path / "hf.json")
    content = json.loads((tmp_path / "hf.json").read_bytes())
    merges = Artifact.of_merges(UNREACHABLE)
    letters = list(map(to_letters, merges.tokens))
    content["model"]["vocab"] = {one: place for place, one in enumerate(letters)}
    content["model"]["merges"] = [[letters[left], letters[right]] for left, right in UNREACHABLE]
    content["added_tokens"] = []
    imported(content, tmp_path)
    assert Tokenizer.load(tmp_path / "new.json").encode("abc") == [256, 99]
    content["model"]["ignore_merges"] = True
    foreign = read_huggingface(str(write(content, tmp_path)), drop_special=False)
    assert foreign.encode_chunk(b"abc") == [258]  # the check before saving finds it as well
    with pytest.raises(ValueError, match="token 258, b'abc', does not encode to itself"):
        imported(content, tmp_path, overwrite=True)


@pytest.mark.parametrize("chunk", ["xyz", " xyz", "\t\n", "'re", "?!", "é", ":\U00018d80"])
def test_a_chunk_without_a_merge_forbids_ignore_merges(
    chunk: str, content: dict[str, Any], tmp_path: Path
) -> None:
    """With ignore_merges such a chunk gets the token's id; `drop_special` cannot help."""
    content["model"]["vocab"][letters := to_letters(chunk.encode())] = 1000
    imported(content, tmp_path, drop_special=True)
    content["model"]["ignore_merges"] = True
    expected = f"its token {letters!r} is not made by a merge, but with ignore_merges the chunk "
    for drop in (False, True):
        with pytest.raises(ValueError, match=re.escape(f"{expected}{chunk!r} gets its id")):
            imported(content, tmp_path, drop_special=drop, overwrite=True)


@pytest.mark.parametrize("token", ["", "xy1", "a b", "<s>", "ÃÃ", "日"])
def test_no_chunk_equals_it(token: str, content: dict[str, Any], tmp_path: Path) -> None:
    """A token that no chunk can equal is dropped in spite of ignore_merges."""
    content["model"]["vocab"][token] = 1000
    content["model"]["ignore_merges"] = True
    assert imported(content, tmp_path, drop_special=True).dropped == {token: 1000}


def test_other_ids_are_mapped(content: dict[str, Any], small_model: Path, tmp_path: Path) -> None:
    """With shuffled ids, the tokenizer file is the same, and the map restores the ids."""
    vocab = content["model"]["vocab"]
    content["model"]["vocab"] = {text: 7 * (323 - one) for text, one in vocab.items()}
    content["added_tokens"][0]["id"] = 0
    original = imported(content, tmp_path, id_map=(id_map := tmp_path / "ids.json")).original_ids
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()
    assert json.loads(id_map.read_bytes()) == list(original) == list(range(2261, -1, -7))
    export(small_model, "huggingface", tmp_path / "back.json", id_map=id_map)
    back = json.loads((tmp_path / "back.json").read_bytes())
    assert back["model"] == content["model"]
    assert back["added_tokens"] == content["added_tokens"]
    with pytest.raises(
        ValueError, match="do not follow the order of the merges; export to huggingface"
    ):
        export(small_model, "tiktoken", tmp_path / "ranks", id_map=id_map)
    export(small_model, "huggingface", tmp_path / "more", id_map=id_map, special_tokens=["<x>"])
    more = json.loads((tmp_path / "more" / "tokenizer.json").read_bytes())
    assert more["added_tokens"][1]["id"] == 2262


@pytest.mark.parametrize(
    "text", ["{}", "[0, 0]", "[0.5]", "[true]", "[-1]", "[2147483648]", "[", "[0]", "\udcff"]
)
def test_invalid_id_maps_are_rejected(text: str, small_model: Path, tmp_path: Path) -> None:
    """An id map has one id for each token, all distinct."""
    (tmp_path / "ids.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=r"ids.json is not an id map of this tokenizer: "):
        export(small_model, "tiktoken", tmp_path / "ranks", id_map=tmp_path / "ids.json")
    (tmp_path / "ids.json").write_text(json.dumps([*range(323), 0]))
    with pytest.raises(ValueError, match="expected distinct ids, found a duplicate"):
        export(small_model, "tiktoken", tmp_path / "ranks", id_map=tmp_path / "ids.json")


def test_inputs_and_existing_files_are_kept(content: dict[str, Any], tmp_path: Path) -> None:
    """Input, tokenizer file and id map are three files; none is replaced unless asked."""
    path = write(content, tmp_path)
    before = path.read_bytes()
    new = tmp_path / "new.json"
    for output, id_map in ((path, None), (new, path)):
        with pytest.raises(ValueError, match="is also an input and would be overwritten"):
            import_tokenizer(path, "huggingface", output, overwrite=True, id_map=id_map)
    with pytest.raises(ValueError, match="the tokenizer file and the id map are the same file"):
        import_tokenizer(path, "huggingface", new, overwrite=True, id_map=new)
    (old := tmp_path / "old.json").write_bytes(b"old")
    for output, id_map in ((old, None), (new, old), (old, new)):
        with pytest.raises(FileExistsError):
            import_tokenizer(path, "huggingface", output, id_map=id_map)
    assert (path.read_bytes(), old.read_bytes()) == (before, b"old")
    assert not new.exists()
    import_tokenizer(path, "huggingface", new, overwrite=True, id_map=old)
    assert json.loads(old.read_bytes()) == list(range(324))


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"model": {"vocab": {"a": ' + b"9" * 100_000 + b"}}}",
        b'{"model": {"vocab": {"a": 1, "a": 2}}}',
        b"\xff\xfe{}",
    ],
)
@pytest.mark.parametrize("form", ["huggingface", "gpt2"])
def test_hostile_json_fails(form: str, data: bytes, tmp_path: Path) -> None:
    """Deep, huge or ambiguous JSON is an error, as in a tokenizer file."""
    (tmp_path / "theirs").write_bytes(data)
    source = ["theirs", "theirs"] if form == "gpt2" else ["theirs"]
    with pytest.raises(ValueError, match="cannot import "):
        import_tokenizer([tmp_path / name for name in source], form, tmp_path / "new.json")


@pytest.mark.parametrize("form", ["huggingface", "gpt2", "tiktoken"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_non_files_are_rejected(form: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    """A pipe or an endless device is rejected immediately."""
    make(tmp_path / "theirs")
    source = [tmp_path / "theirs"] * (2 if form == "gpt2" else 1)
    with pytest.raises(ValueError, match="regular file"):
        import_tokenizer(source, form, tmp_path / "new.json")


@pytest.mark.parametrize(
    ("merges", "reason"),
    [
        (b"\xff", "its merges.txt is not UTF-8: byte offset 0"),
        (b"#version: 0.2\nt h\n\n", "its merge 1 is not two tokens"),
        (b"t h e\n", "its merge 0 is not two tokens: t h e"),
    ],
)
def test_malformed_merges_are_rejected(
    merges: bytes, reason: str, small_model: Path, tmp_path: Path
) -> None:
    """The error names a line of `merges.txt` that is not two tokens."""
    export(small_model, "gpt2", tmp_path / "folder")
    path = tmp_path / "folder" / "merges.txt"
    windows = path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(merges)
    with pytest.raises(ValueError, match="cannot import ") as caught:
        import_tokenizer(tmp_path / "folder", "gpt2", tmp_path / "new.json")
    assert reason in str(caught.value)
    path.write_bytes(windows)
    import_tokenizer(tmp_path / "folder", "gpt2", tmp_path / "new.json")
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()


def test_wrong_conversions_are_detected(small_model: Path, tmp_path: Path) -> None:
    """The comparison before saving finds a missing merge and a wrong id."""
    export(small_model, "huggingface", tmp_path / "hf.json")
    foreign = read_huggingface(str(tmp_path / "hf.json"), drop_special=False)
    artifact = Artifact.read(small_model)
    check_ids(foreign, artifact, range(324))
    with pytest.raises(ValueError, match="the ids of ' over' would be"):
        check_ids(foreign, Artifact.of_merges(artifact.merges[:1]), range(324))
    with pytest.raises(ValueError, match="the ids of 'The' would be"):
        check_ids(foreign, artifact, [*range(84), 85, 84, *range(86, 324)])


def test_unknown_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="unknown import format 'x'; choose from tiktoken, huggingface"
    ):
        import_tokenizer("y", "x", tmp_path / "new.json")
