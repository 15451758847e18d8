"""`import_tokenizer` with Hugging Face's files: valid, unsupported and hostile ones."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import PATTERNS
from bpetite_compare import Imported, export, import_tokenizer
from bpetite_compare._conversion import _check_ids
from bpetite_compare._from_huggingface import read_huggingface
from bpetite_compare._letters import to_letters
from hugging_face_files import (
    END,
    EQUIVALENT,
    REFUSED,
    Change,
    File,
    added,
    both,
    listed,
    model,
    named,
    tokens,
    top,
    without,
)

NFC = {"type": "NFC"}


def written(folder: Path, *changes: Change) -> Path:
    """Write a `tokenizer.json` with these changes."""
    both(*changes)(file := File())
    path = folder / "theirs.json"
    path.write_text(json.dumps(file.content))
    return path


def imported(folder: Path, *changes: Change, **options: Any) -> Imported:  # noqa: ANN401 - its own
    """Import a `tokenizer.json` with these changes as `new.json`."""
    path = written(folder, *changes)
    return import_tokenizer(path, None, folder / "new.json", overwrite=True, **options)


@pytest.fixture(scope="session")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tokenizer file of an import without changes."""
    return Path(imported(tmp_path_factory.mktemp("unchanged")).path)


@pytest.mark.parametrize("change", EQUIVALENT)
def test_equivalent_settings_are_accepted(change: Change, unchanged: Path, tmp_path: Path) -> None:
    """Settings that change no id are accepted, and those that are left out are listed."""
    change(file := File())
    notes = imported(tmp_path, change).notes
    assert (tmp_path / "new.json").read_bytes() == unchanged.read_bytes()
    adds = [note for note in notes if "adds special tokens to a text; bpetite adds none" in note]
    assert len(adds) == ("SpecialToken" in str(file.content))
    assert len(notes) - len(adds) == 2 * ("truncation" in file.content)


@pytest.mark.parametrize("kind", ["BertProcessing", "RobertaProcessing"])
def test_processors_that_add_tokens_are_left_out(kind: str, tmp_path: Path) -> None:
    """A note names them."""
    change = top(post_processor={"type": kind})
    assert imported(tmp_path, change).notes[0].startswith(f"its post_processor, {kind}, adds spec")


@pytest.mark.parametrize(("reason", "change"), REFUSED)
def test_settings_that_change_ids_are_rejected(reason: str, change: Change, tmp_path: Path) -> None:
    """The error names what a tokenizer file cannot have, or contradicts, and nothing is written."""
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        imported(tmp_path, change)
    assert not (tmp_path / "new.json").exists()


def test_special_and_added_tokens_keep_their_ids(tmp_path: Path) -> None:
    """They may lie before, inside and after the vocabulary, with gaps; `special` may be false."""

    def change(file: File) -> None:
        vocab = {text: 7 * (400 - one) for text, one in file.model["vocab"].items()}
        file.model["vocab"] = vocab | {"<u>": 3}

    ids = [7 * (400 - 97), 269, 270, 7 * (400 - 267), 3]
    names = [added("<u>", 3), added(END, ids[3]), added("<\u2581a>", 269)]
    names += [added("<b>", 270, normalized=True, special=True)]
    special = imported(tmp_path, change, listed(*names)).special_tokens
    assert special == {"<u>": 3, "<\u2581a>": 269, "<b>": 270, END: ids[3]}
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    assert tokenizer.encode(text := f"a<\u2581a><b>{END}<u>") == ids
    assert tokenizer.decode(ids) == text
    assert Artifact.read(tmp_path / "new.json").schema_version == 3


@pytest.mark.parametrize("known", [True, False])
def test_without_special_tokens_there_are_none(known: bool, tmp_path: Path) -> None:
    """`<|endoftext|>` in the vocabulary alone is in no text, as in `tokenizers`; it decodes."""
    result = imported(tmp_path, listed(), *([] if known else [without(END)]))
    assert (result.whole_tokens, result.special_tokens) == (known, {})
    assert Artifact.read(result.path).schema_version == 2 + known
    tokenizer = Tokenizer.load(result.path)
    assert len(tokenizer.encode(END)) > 1
    assert not known or tokenizer.decode([267]) == END


def test_a_list_of_thousands_of_added_tokens_is_read(tmp_path: Path) -> None:
    """With as many as Gemma 3 has, the error still is that of the settings."""
    many = listed(*(added(f"<unused{number}>", 268 + number) for number in range(6414)))
    for reason, change in (
        ("a tokenizer file cannot represent its special_tokens: at most 4,096", both()),
        ("its model has byte_fallback, so its tokens are characters", model(byte_fallback=True)),
        ("expected JSON: more brackets or keys", top(padding=[{}] * (1 << 18))),
    ):
        with pytest.raises(ValueError, match=reason):
            imported(tmp_path, many, change)


def test_a_normalizer_to_nfc_is_left_out_on_request(unchanged: Path, tmp_path: Path) -> None:
    """The rest is imported as without it, with a note; a name that NFC changes is refused."""
    normalizer = top(normalizer=NFC)
    [note] = imported(tmp_path, normalizer, drop_normalizer=True).notes
    assert note == "its normalizer, NFC, is left out: ids are the model's for text in NFC"
    assert (tmp_path / "new.json").read_bytes() == unchanged.read_bytes()
    with pytest.raises(ValueError, match="'<e\u0301>' is changed by its normalizer, NFC"):
        imported(tmp_path, normalizer, named("<e\u0301>", normalized=True), drop_normalizer=True)


@pytest.mark.parametrize("chunk", [" xyz", "'re", "é"])
def test_whole_tokens_are_whole_chunks(chunk: str, tmp_path: Path) -> None:
    """With ignore_merges a chunk that equals a token gets its id, and only such a chunk."""
    without_e = both(without("Ã©"), lambda file: file.model["merges"].remove("Ã ©"))
    with pytest.raises(ValueError, match=f"no merge makes its token {chunk!r}, and without"):
        imported(tmp_path, without_e, tokens(**{chunk: 1000}))
    result = imported(tmp_path, without_e, tokens(whole=True, **{chunk: 1000}))
    assert result.whole_tokens == 1
    tokenizer = Tokenizer.load(result.path)
    assert tokenizer.encode(chunk) == [1000]
    if chunk != "'re":  # a chunk of its own also before a letter
        assert 1000 not in tokenizer.encode(f"{chunk}{chunk[-1]}")


def test_tokens_that_no_text_has_still_decode(tmp_path: Path) -> None:
    """Without ignore_merges a token that no merge makes is accepted if it is never a chunk."""
    assert imported(tmp_path, tokens(unused0=1000)).whole_tokens == 1
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    assert 1000 not in tokenizer.encode("unused0 unused 0unused0")
    assert tokenizer.decode([1000]) == "unused0"


def test_an_empty_token_and_unused_bytes(tmp_path: Path) -> None:
    """No text has an empty token, so it goes; bytes that UTF-8 never uses get the next ids."""
    unused = without(*(to_letters(bytes([byte])) for byte in (0xC0, 0xFF)))
    result = imported(tmp_path, unused, tokens(**{"": 2000}))
    assert result.notes == (
        "its token 2000 is empty, so no text has it; it is left out",
        "it lacks 2 bytes that UTF-8 never uses; they get the ids from 268 on",
    )
    assert Artifact.read(result.path).vocab[269] == b"\xff"


def check_encodes(folder: Path, *words: str) -> None:
    """Check that words, with spaces between their tokens, have these tokens."""
    artifact = Artifact.read(folder / "new.json")
    for word in words:
        found = Tokenizer.load(folder / "new.json").encode(word.replace(" ", ""))
        assert [artifact.vocab[one].decode() for one in found] == word.split()


def merged(*pairs: str, **more: int) -> Change:
    """Return a change to these merges alone, and more tokens."""
    made = {pair.replace(" ", ""): 300 + place for place, pair in enumerate(pairs)}
    return both(model(merges=[]), tokens(pairs, whole=True, **made, **more))


def test_of_all_splits_the_ones_that_make_tokens_stay(tmp_path: Path) -> None:
    """A list of all splits of each token gives the merges that really apply."""
    imported(tmp_path, merged("b c", "a bc", "ab c", "a b"))
    assert len(Artifact.read(tmp_path / "new.json").merges) == 3
    check_encodes(tmp_path, "abc", "ab", "bc", "abc bc")
    every = ("a b", "b c", "a bc", "ab c", "abc d", "ab cd", "a bcd")
    imported(tmp_path, merged(*every, cd=900, bcd=901))
    check_encodes(tmp_path, "abcd", "cd", "bcd", "abcd d", "x bc d d")


def test_a_merge_before_those_of_its_parts_goes_behind_them(tmp_path: Path) -> None:
    """Its token is made as before, also if others wait for it in turn."""
    imported(tmp_path, merged("abc d", "ab c", "x y", "a b"))
    artifact = Artifact.read(tmp_path / "new.json")
    assert artifact.tokens[256:260] == [b"xy", b"ab", b"abc", b"abcd"]
    assert [*artifact.ids[256:260]] == [302, 303, 301, 300]
    check_encodes(tmp_path, "abcd abc ab d", "xy abc")


def test_inputs_and_existing_files_are_kept(tmp_path: Path) -> None:
    """The output is another file than the input, and is not replaced unless asked."""
    path = written(tmp_path)
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


def test_wrong_conversions_are_detected(small_model: Path, tmp_path: Path) -> None:
    """The comparison before saving finds a missing merge, a wrong id and another pattern."""
    export(small_model, "huggingface", tmp_path / "hf.json")
    content = json.loads((tmp_path / "hf.json").read_bytes())
    foreign = read_huggingface(content, drop_normalizer=False)
    artifact = Artifact.read(small_model)
    _check_ids(foreign, artifact, {}, [])
    for wrong in (
        replace(artifact, numbering=(*range(84), 85, 84, *range(86, 324))),
        replace(
            artifact,
            merges=artifact.merges[:1],
            tokens=artifact.tokens[:257],
            numbering=(*range(257), 323),
        ),
        replace(artifact, pattern=PATTERNS["gpt4"]),
        replace(artifact, special_names=("<s>",)),
    ):
        with pytest.raises(ValueError, match="would have the ids"):
            _check_ids(foreign, wrong, {}, [])


def test_unknown_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError,
        match="unknown import format 'x'; choose from tiktoken, huggingface, gpt2, tekken",
    ):
        import_tokenizer("y", "x", tmp_path / "new.json")
