"""`export` to llama.cpp: every field of the file, and what llama.cpp would read otherwise."""

import struct
from pathlib import Path
from typing import Any

import pytest

from artifacts import canonical, with_whitespace
from bpetite import Tokenizer
from bpetite_compare import export
from compare_tools import SPLIT_PATTERNS, vocab_of, write_tokenizer
from hugging_face_files import to_letters
from nasty import NINE, trained

AB = [(97, 98), (256, 99)]
SPECIAL = {"<s>": 3, "</s>": 258, "<pad>": 261}
"""Special tokens between the others, which have other ids, too."""


NUMBERS = {4: "<I", 5: "<i", 7: "<?"}


def read_gguf(path: Path) -> dict[str, Any]:
    """Return the fields of a file in llama.cpp's format, which has no tensors."""
    data, place = path.read_bytes(), 24

    def number(form: str) -> Any:  # noqa: ANN401 - of the file
        nonlocal place
        (found,) = struct.unpack_from(form, data, place)
        place += struct.calcsize(form)
        return found

    def value(kind: int) -> Any:  # noqa: ANN401 - of the file
        nonlocal place
        if kind == 8:
            start = place + 8
            place = start + number("<Q")
            return data[start:place].decode()
        if kind == 9:
            kind, size = number("<I"), number("<Q")
            return [value(kind) for _ in range(size)]
        return number(NUMBERS[kind])

    magic, version, tensors, count = struct.unpack_from("<4sIQQ", data)
    assert (magic, version, tensors) == (b"GGUF", 3, 0)
    fields = {value(8): value(number("<I")) for _ in range(count)}
    assert place == len(data)
    return fields


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
def test_llama_cpps_own_package_reads_the_same_fields(tmp_path: Path) -> None:
    """The package `gguf` finds the fields that the reader of these tests finds, for all roles."""
    gguf = pytest.importorskip("gguf")
    begin, end = names = NINE[:2]
    trained("gpt4", *names).save(model := tmp_path / "m.json")
    export(model, "gguf", tmp_path / "out", bos=begin, eos=end, pad=end, unk=begin)
    fields = gguf.GGUFReader(tmp_path / "out").fields
    found = {name: one.contents() for name, one in fields.items() if not name.startswith("GGUF.")}
    assert found == read_gguf(tmp_path / "out")


@pytest.mark.parametrize(
    ("roles", "missing"),
    [
        pytest.param({}, r"--bos \(bos=\) and --eos \(eos=\)", id="no role"),
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


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        pytest.param([" ", "  ", "   ", "\t", "\t\t"], "", id="runs"),
        pytest.param(["   ", " \t"], "", id="the first is longer"),
        pytest.param(["  ", " \t"], r"'  ' ends as ' \\t' begins", id="as long"),
        pytest.param([" \t\t", "\t\u3000"], r"ends as '\\t\\u3000' begins", id="more bytes"),
    ],
)
def test_llama_cpp_gets_whitespace_that_it_finds(
    names: list[str], refused: str, tmp_path: Path
) -> None:
    """Runs of one character are found alike, and printed, as they are not control tokens."""
    (model := tmp_path / "m.json").write_bytes(canonical(with_whitespace(["<s>", *names])))
    if refused:
        with pytest.raises(ValueError, match=refused):
            export(model, "gguf", tmp_path / "out", bos="<s>", eos="<s>")
        return
    export(model, "gguf", tmp_path / "out", bos="<s>", eos="<s>")
    fields = read_gguf(tmp_path / "out")
    assert fields["tokenizer.ggml.tokens"][256:] == ["<s>", *names]
    assert fields["tokenizer.ggml.token_type"][255:] == [1, 3, *[4] * len(names)]


@pytest.mark.parametrize("name", ["gpt2", "gpt4"])
def test_the_loading_lines_name_texts_with_other_ids(name: str, tmp_path: Path) -> None:
    """They are where llama.cpp's own pattern is another one; GPT-2's is not."""
    Tokenizer.train("", 256, pattern=name, special_tokens=["<s>"]).save(model := tmp_path / "m")
    loading = export(model, "gguf", tmp_path / "out", bos="<s>", eos="<s>").loading
    assert ("U+017F after" in loading) == ("(?i:" in SPLIT_PATTERNS[name])
    assert "Llama(" in loading
