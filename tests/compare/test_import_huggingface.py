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
from bpetite._patterns import ALL_PATTERNS, GPT2, PATTERNS
from bpetite._schema.numbering import Numbering
from bpetite_compare import Imported, export, import_tokenizer
from bpetite_compare._conversion import _check_ids
from bpetite_compare._from_huggingface import read_huggingface
from bpetite_compare._letters import BYTE_LETTERS, to_letters
from bpetite_compare._spellings import _SPELLINGS

UNKNOWN_PATTERN = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
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
    return import_tokenizer(path, None, folder / "new.json", **options)


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
    {"post_processor": {"type": "RobertaProcessing"}},
    {"post_processor": TEMPLATE | {"single": [{"SpecialToken": {}}, *TEMPLATE["single"]]}},
    {"post_processor": {"type": "Sequence", "processors": [BYTE_LEVEL, TEMPLATE]}},
    {"truncation": {"max_length": 512, "stride": 0}, "padding": {"pad_id": 0}},
]


@pytest.mark.parametrize("change", EQUIVALENT)
def test_equivalent_settings_are_accepted(
    change: dict[str, Any], content: dict[str, Any], small_model: Path, tmp_path: Path
) -> None:
    """Settings that change no id are accepted, and those that are left out are listed."""
    notes = imported(content | change, tmp_path).notes
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()
    adds = [note for note in notes if "adds special tokens to a text; bpetite adds none" in note]
    assert len(adds) == ("Roberta" in str(change) or "SpecialToken" in str(change))
    assert len(notes) - len(adds) == 2 * ("truncation" in change)


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


INSTEAD = "; use the libraries tokenizers or transformers for this model"
KNOWN = f"Split or ByteLevel{INSTEAD}"
UNKNOWN = "its split pattern is none that bpetite has: gpt2, gpt4, gpt4o, "
ENDS = "its pre_tokenizer does not end with its only ByteLevel"
SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"normalizer": NFC}, "its normalizer, NFC, changes the text; --drop-normalizer (drop_norma"),
    ({"normalizer": several(several(), NFC, NFC)}, "its normalizer, NFC, changes the text; --dr"),
    (
        {"normalizer": several(NFC, {"type": "X"})},
        f"normalizer, NFC and X, changes the text{INSTEAD}",
    ),
    ({"normalizer": several(None, {"type": "Lowercase"})}, f"Lowercase, changes the text{INSTEAD}"),
    ({"normalizer": "NFC"}, "its normalizer, 'NFC', changes the text"),
    ({"pre_tokenizer": None}, "its pre_tokenizer is None, not Split or ByteLevel"),
    ({"pre_tokenizer": {"type": "Whitespace"}}, "its pre_tokenizer is Whitespace, not"),
    ({"version": "2.0"}, "its version is 2.0, not 1.0"),
    ({"pre_tokenizer": BYTE_LEVEL | {"add_prefix_space": True}}, "adds a space before"),
    ({"pre_tokenizer": BYTE_LEVEL | {"use_regex": 1}}, "has the use_regex 1, not true or"),
    ({"pre_tokenizer": {"type": "ByteLevel"}}, "has the add_prefix_space None, not true"),
    ({"pre_tokenizer": split(UNKNOWN_PATTERN)}, UNKNOWN),
    ({"pre_tokenizer": split(GPT2.text, behavior="Removed")}, UNKNOWN),
    ({"pre_tokenizer": split(GPT2.text, behavior=[])}, UNKNOWN),
    ({"pre_tokenizer": split(GPT2.text, invert=None)}, UNKNOWN),
    ({"pre_tokenizer": split(GPT2.text, invert=0)}, UNKNOWN),
    ({"pre_tokenizer": split(GPT2.text, invert=True)}, UNKNOWN),
    ({"pre_tokenizer": split(GPT2.text, pattern={"Regex": GPT2.text, "String": "x"})}, UNKNOWN),
    ({"pre_tokenizer": split("x", pattern={"String": " "})}, UNKNOWN),
    ({"pre_tokenizer": sequence(SPLIT | {"use_regex": False}, BYTE_LEVEL)}, UNKNOWN),
    (
        {"pre_tokenizer": sequence({"type": "Digits"}, BYTE_LEVEL)},
        f"is Digits, not Split or ByteLevel{INSTEAD}",
    ),
    ({"pre_tokenizer": sequence(BYTE_LEVEL, BYTE_LEVEL)}, ENDS),
    ({"pre_tokenizer": sequence(BYTE_LEVEL, SPLIT)}, ENDS),
    ({"pre_tokenizer": sequence()}, ENDS),
    ({"pre_tokenizer": BYTE_LEVEL | {"use_regex": False}}, UNKNOWN),
    ({"pre_tokenizer": "Sequence"}, "its pre_tokenizer is 'Sequence', not"),
    ({"decoder": {"type": "WordPiece"}}, f"its decoder is WordPiece, not ByteLevel{INSTEAD}"),
    ({"post_processor": {"type": "TemplateProcessing"}}, "TemplateProcessing, changes the ids"),
    ({"post_processor": TEMPLATE | {"single": [{"Sequence": {"id": "A"}}] * 2}}, "changes the ids"),
    (
        {"post_processor": {"type": "Sequence", "processors": [BYTE_LEVEL, {"type": "X"}]}},
        f"its post_processor, X, changes the ids{INSTEAD}",
    ),
    ({"added_tokens": {"a": 1}}, "its added_tokens are not a list"),
    ({"added_tokens": None}, "its added_tokens are not a list"),
    ({"added_tokens": [added("<s>", "324")]}, "lacks a content or an id"),
    ({"added_tokens": [added("<s>", -1)]}, "has the id -1, but tokenizers uses 324"),
    ({"added_tokens": [added("<s>", 324, lstrip=None)]}, "'<s>' has the lstrip None, not true"),
    ({"added_tokens": [{"content": "<s>", "id": 324}]}, "'<s>' has the single_word None, not"),
    *(
        ({"added_tokens": [added(END, 323, **{flag: True})]}, f"token '{END}' has {flag}, so it ")
        for flag in ("single_word", "lstrip", "rstrip")
    ),
    ({"added_tokens": [added(END, 324)]}, "has the id 324, but tokenizers uses 323"),
    ({"added_tokens": [added("<s>", 5000)]}, "has the id 5000, but tokenizers uses 324"),
    ({"added_tokens": [added("<s>", 324), added("<t>", 324)]}, "but tokenizers uses 325"),
    ({"added_tokens": [added("<s>", 324), added("<s>", 325)]}, "but tokenizers uses 324"),
    (
        {"added_tokens": [added(END, 323), added("a b", 324)]},
        "cannot represent its special token 'a b': a ",
    ),
    (
        {"added_tokens": [added(END, 323), added("<|end", 324)]},
        "begins with the special token '<|end'",
    ),
    (
        {"added_tokens": [added(END, 323), added("a", 97)]},
        "its special token 'a' is also an ordinary",
    ),
    (
        {"added_tokens": [added(END, 323), added("the", 257)]},
        "its special token 'the' is also an ordi",
    ),
    (
        {"added_tokens": [added(END, 323), added("x<|", 324, normalized=True)]},
        f"'x<|' and '{END}' overlap, and only one is `normalized`",
    ),
    (
        {"added_tokens": [added(END, 323), added(f"x{END}", 324, normalized=True)]},
        "overlap, and only one is `normalized`",
    ),
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
    ({"dropout": 0.1}, "has dropout, so the ids of a text are random"),
    ({"end_of_word_suffix": "</w>"}, "has end_of_word_suffix, so its tokens have marks; use "),
    (
        {"continuing_subword_prefix": "##"},
        "has continuing_subword_prefix, so its tokens have marks",
    ),
    ({"ignore_merges": 0}, "has the ignore_merges 0, not true or false"),
    ({"vocab": []}, "its vocabulary is not a JSON object of ids"),
    ({"vocab": {"a": True}}, "its vocabulary is not a JSON object of ids"),
    ({"merges": "a b"}, "its merges are not a list"),
    (
        {"merges": ["a  b"]},
        'two tokens, with all merges written as "a b" or all as ["a", "b"]: a  b',
    ),
    ({"merges": [["a"]]}, "its merge 0 is not two tokens, "),
    ({"merges": ["a b"]}, "its merge 0 has the token 'ab', which has no id"),
    ({"merges": ["zz a"]}, "its merge 0 has the token 'zz', which has no id"),
    ({"merges": ["th e"]}, "and without ignore_merges no text has it, which a tokenizer file can"),
    ({"merges": ["t h", ["h", "e"]]}, "its merge 1 is not two tokens, with all merges written as "),
    ({"merges": [["t", "h"], "h e"]}, "its merge 1 is not two tokens, with all merges written as "),
    ({"merges": ["t h", "t h"]}, "its merge 1, t h, occurs twice"),
]


@pytest.mark.parametrize(("change", "reason"), MODELS)
def test_incompatible_models_are_rejected_by_name(
    change: dict[str, Any], reason: str, content: dict[str, Any], tmp_path: Path
) -> None:
    """The error names a setting of another algorithm, or a contradiction."""
    content["model"]["vocab"] |= {"th": 1000, "he": 1001, "the": 1002}
    content["model"].update(change)
    check_refused(content, tmp_path, reason)


def test_special_and_added_tokens_keep_their_ids(content: dict[str, Any], tmp_path: Path) -> None:
    """They may lie before, inside and after the vocabulary, with gaps; `special` may be false."""
    vocab = content["model"]["vocab"]
    content["model"]["vocab"] = {text: 7 * (400 - one) for text, one in vocab.items()} | {"<u>": 3}
    content["added_tokens"] = [
        *(added("<u>", 3), added(END, 7 * (400 - vocab[END]))),
        *(added("<\u2581a>", 325, special=False), added("<b>", 326, normalized=True)),
    ]
    special = imported(content, tmp_path).special_tokens
    assert special == {"<u>": 3, "<\u2581a>": 325, "<b>": 326, END: 7 * (400 - vocab[END])}
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    ids = [7 * (400 - vocab["a"]), 325, 326, special[END], 3]
    assert tokenizer.encode(text := f"a<\u2581a><b>{END}<u>") == ids
    assert tokenizer.decode(ids) == text
    assert Artifact.read(tmp_path / "new.json").schema_version == 3


def test_an_ordinary_token_that_no_chunk_equals(content: dict[str, Any], tmp_path: Path) -> None:
    """`<|endoftext|>` in the vocabulary alone is in no text, as in `tokenizers`; it decodes."""
    content["added_tokens"] = []
    assert imported(content, tmp_path).whole_tokens == 1
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    assert len(tokenizer.encode(END)) > 1
    assert tokenizer.decode([323]) == END


def test_without_special_tokens_there_are_none(content: dict[str, Any], tmp_path: Path) -> None:
    """`<|endoftext|>` is ordinary text where a file does not have it."""
    del content["model"]["vocab"][END]
    content["added_tokens"] = []
    assert imported(content, tmp_path).special_tokens == {}
    assert Artifact.read(tmp_path / "new.json").schema_version == 2
    assert len(Tokenizer.load(tmp_path / "new.json").encode(END)) > 1


def test_a_list_of_thousands_of_added_tokens_is_read(
    content: dict[str, Any], tmp_path: Path
) -> None:
    """With as many as Gemma 3 has, the error still is that of the settings."""
    content["added_tokens"] += [added(f"<unused{number}>", 324 + number) for number in range(6414)]
    check_refused(
        content, tmp_path, "a tokenizer file cannot represent its special_tokens: at most 4,096"
    )
    content["model"]["byte_fallback"] = True
    check_refused(content, tmp_path, "its model has byte_fallback, so its tokens are characters")
    check_refused(content | {"padding": [{}] * (1 << 18)}, tmp_path, "expected JSON: more brackets")


def test_an_added_token_cannot_take_an_id(content: dict[str, Any], tmp_path: Path) -> None:
    """The next id is the number of tokens, even if in a vocabulary with holes it is taken."""
    content["model"]["vocab"][END] = 324
    content["added_tokens"] = [added(END, 324), added("<s>", 324)]
    check_refused(content, tmp_path, f"its tokens '{END}' and '<s>' have the same id")


def test_a_normalizer_to_nfc_is_left_out_on_request(
    content: dict[str, Any], small_model: Path, tmp_path: Path
) -> None:
    """The rest is imported as without it, with a note; a name that NFC changes is refused."""
    content["normalizer"] = NFC
    [note] = imported(content, tmp_path, drop_normalizer=True).notes
    assert note == "its normalizer, NFC, is left out: the ids are the model's for text in NFC"
    assert (tmp_path / "new.json").read_bytes() == small_model.read_bytes()
    content["added_tokens"].append(added("<e\u0301>", 324, normalized=True))
    with pytest.raises(ValueError, match="'<e\u0301>' is changed by its normalizer, NFC"):
        imported(content, tmp_path, drop_normalizer=True, overwrite=True)


DEEPSEEK = [
    {"type": "Split", "behavior": "Isolated", "invert": False, "pattern": {"Regex": text}}
    for text in next(splits for splits in _SPELLINGS if len(splits) == 3)
]
CUTS = [
    ("gpt4", sequence(*split(PATTERNS["gpt4"].text)["pretokenizers"])),
    ("gpt4o", split(PATTERNS["gpt4o"].text, behavior="Removed", invert=True)),
    ("qwen2", split(PATTERNS["qwen2"].text)),
    ("tekken", split(ALL_PATTERNS["tekken"].text)),
    ("qwen3.5", split(ALL_PATTERNS["qwen3.5"].text)),
    ("deepseek3", sequence(*DEEPSEEK, BYTE_LEVEL | {"use_regex": False})),
]


@pytest.mark.parametrize(("name", "pre_tokenizer"), CUTS)
def test_each_pattern_is_recognized(
    name: str, pre_tokenizer: dict[str, Any], content: dict[str, Any], tmp_path: Path
) -> None:
    """A pattern is recognized by its spellings; DeepSeek's three splits are one pattern."""
    content |= {"pre_tokenizer": pre_tokenizer}
    assert imported(content, tmp_path).pattern == name
    text = "x = 12345 日本カナ\u0301 don't\n\n  "
    expected = list(content["model"]["vocab"])
    ids = Tokenizer.load(tmp_path / "new.json").encode(text)
    assert len(ids) <= len(text.encode())
    assert {*ids} <= {*range(len(expected))}


def test_tokens_that_no_merge_makes(content: dict[str, Any], tmp_path: Path) -> None:
    """Without ignore_merges such a token is accepted only if its text is never a chunk."""
    content["model"]["vocab"]["unused0"] = 1000
    assert imported(content, tmp_path).whole_tokens == 1
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    assert 1000 not in tokenizer.encode("unused0 unused 0unused0")
    assert tokenizer.decode([1000]) == "unused0"
    content["model"]["vocab"]["unused"] = 1001
    with pytest.raises(ValueError, match="no merge makes its token 'unused', and without ignore"):
        imported(content, tmp_path, overwrite=True)


@pytest.mark.parametrize("chunk", ["xyz", " xyz", "\t\n", "'re", "?!", "é"])
def test_whole_tokens_are_whole_chunks(chunk: str, content: dict[str, Any], tmp_path: Path) -> None:
    """With ignore_merges a chunk that equals a token gets its id, and only such a chunk."""
    content["model"]["vocab"][to_letters(chunk.encode())] = 1000
    check_refused(content, tmp_path, f"no merge makes its token {chunk!r}")
    content["model"]["ignore_merges"] = True
    assert imported(content, tmp_path).whole_tokens == 1
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    assert tokenizer.encode(chunk) == [1000]
    if chunk != "'re":  # a chunk of its own also before a letter
        assert 1000 not in tokenizer.encode(f"{chunk}{chunk[-1]}")


@pytest.mark.parametrize("token", ["a b", "日", "\u0120日"])
def test_letters_of_no_byte_are_refused(
    token: str, content: dict[str, Any], tmp_path: Path
) -> None:
    """A token of the vocabulary is written in letters that stand for bytes."""
    content["model"]["vocab"][token] = 1000
    check_refused(content, tmp_path, f"its token {token!r} has letters that stand for no byte")


def test_a_special_token_in_letters_of_bytes_is_refused(
    content: dict[str, Any], tmp_path: Path
) -> None:
    """With ignore_merges, `tokenizers` gives the chunk with these bytes the special id, too."""
    content["model"]["vocab"]["ÃÃ"] = 324
    content["added_tokens"].append(added("ÃÃ", 324))
    imported(content, tmp_path)
    content["model"]["ignore_merges"] = True
    with pytest.raises(ValueError, match="its special token 'ÃÃ' is also an ordinary token"):
        imported(content, tmp_path, overwrite=True)


def test_an_empty_token_and_unused_bytes(content: dict[str, Any], tmp_path: Path) -> None:
    """No text has an empty token, so it goes; bytes that UTF-8 never uses get the next ids."""
    vocab = content["model"]["vocab"]
    for byte in (0xC0, 0xFF):
        del vocab[to_letters(bytes([byte]))]
    vocab[""] = 2000
    notes = imported(content, tmp_path).notes
    assert notes == (
        "its token 2000 is empty, so no text has it; the file does not have it",
        "it lacks 2 bytes that UTF-8 never uses; they get the ids from 324 on",
    )
    assert Artifact.read(tmp_path / "new.json").vocab[325] == b"\xff"
    del vocab[to_letters(b"\xc3")]
    check = "it has no token for the byte 0xc3, so it cannot encode every text"
    with pytest.raises(ValueError, match=check):
        imported(content, tmp_path, overwrite=True)


def merged(*pairs: str, **settings: object) -> dict[str, Any]:
    """Return a `tokenizer.json` with the bytes and these merges."""
    texts = dict.fromkeys([*BYTE_LETTERS.values(), *(pair.replace(" ", "") for pair in pairs)])
    vocab = {text: place for place, text in enumerate(texts)}
    model = {"type": "BPE", "vocab": vocab, "merges": list(pairs), **settings}
    return {"pre_tokenizer": BYTE_LEVEL, "added_tokens": [], "model": model}


def check_encodes(folder: Path, *words: str) -> None:
    """Check that words, with spaces between their tokens, have these tokens."""
    artifact = Artifact.read(folder / "new.json")
    tokenizer = Tokenizer.load(folder / "new.json")
    for word in words:
        found = tokenizer.encode(word.replace(" ", ""))
        assert [artifact.vocab[one].decode() for one in found] == word.split()


def test_of_all_splits_the_ones_that_make_tokens_stay(tmp_path: Path) -> None:
    """A list of all splits of each token gives the merges that really apply."""
    imported(merged("b c", "a bc", "ab c", "a b"), tmp_path)
    assert len(Artifact.read(tmp_path / "new.json").merges) == 3
    check_encodes(tmp_path, "abc", "ab", "bc", "abc bc")
    all_splits = merged("a b", "b c", "a bc", "ab c", "abc d", "ab cd", "a bcd", ignore_merges=True)
    all_splits["model"]["vocab"] |= {"cd": 900, "bcd": 901}
    imported(all_splits, tmp_path, overwrite=True)
    check_encodes(tmp_path, "abcd", "cd", "bcd", "abcd d", "x bc d d")


def test_a_merge_before_those_of_its_parts_goes_behind_them(tmp_path: Path) -> None:
    """Its token is made as before, also if others wait for it in turn."""
    imported(merged("abc d", "ab c", "x y", "a b"), tmp_path)
    artifact = Artifact.read(tmp_path / "new.json")
    assert artifact.tokens[256:] == [b"xy", b"ab", b"abc", b"abcd"]
    assert [*artifact.ids[256:260]] == [258, 259, 257, 256]
    check_encodes(tmp_path, "abcd abc ab d", "xy abc")


def test_a_merge_that_must_stand_before_its_parts_is_refused(tmp_path: Path) -> None:
    """Four letters are three and one here, but two and two if the order of ranks is that of parts.

    The comparison before saving finds it.
    """
    check_refused(merged("aa a", "a a"), tmp_path, "a tokenizer file cannot represent its merges")


def test_inputs_and_existing_files_are_kept(content: dict[str, Any], tmp_path: Path) -> None:
    """The output is another file than the input, and is not replaced unless asked."""
    path = write(content, tmp_path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="is also an input and would be overwritten"):
        import_tokenizer(path, None, path, overwrite=True)
    (old := tmp_path / "old.json").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        import_tokenizer(path, None, old)
    assert (path.read_bytes(), old.read_bytes()) == (before, b"old")
    import_tokenizer(path, None, old, overwrite=True)
    assert Tokenizer.load(old).encode("a") == [97]


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200_000,
        b'{"model": {"vocab": {"a": ' + b"9" * 100_000 + b"}}}",
        b'{"model": {"vocab": {"a": 1, "a": 2}}}',
        b"\xff\xfe{}",
    ],
)
@pytest.mark.parametrize("form", ["huggingface", "gpt2", "tekken", None])
def test_hostile_json_fails(form: str | None, data: bytes, tmp_path: Path) -> None:
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
        (b"\xff", "its merge 0 is not two tokens"),
        (b"#version: 0.2\n\n", "its merge 0 is not two tokens"),
        (b"t h e\n", ": t h e"),
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


def test_wrong_conversions_are_detected(content: dict[str, Any], small_model: Path) -> None:
    """The comparison before saving finds a missing merge, a wrong id and another pattern."""
    foreign = read_huggingface(content, drop_normalizer=False)
    artifact = Artifact.read(small_model)
    _check_ids(foreign, artifact, {}, [])
    for wrong in (
        artifact._replace(numbering=Numbering((*range(84), 85, 84, *range(86, 324)))),
        artifact._replace(
            merges=artifact.merges[:1],
            tokens=artifact.tokens[:257],
            numbering=Numbering((*range(257), 323)),
        ),
        artifact._replace(pattern=PATTERNS["gpt4"]),
        artifact._replace(special_names=("<s>",)),
    ):
        with pytest.raises(ValueError, match="would have the ids"):
            _check_ids(foreign, wrong, {}, [])


def test_unknown_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError,
        match="unknown import format 'x'; choose from tiktoken, huggingface, gpt2, tekken",
    ):
        import_tokenizer("y", "x", tmp_path / "new.json")
