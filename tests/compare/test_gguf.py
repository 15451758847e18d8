"""`export` to llama.cpp: every field of the file, and what llama.cpp would read otherwise."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from artifacts import canonical, with_whitespace
from bpetite import Tokenizer
from bpetite_compare import export, import_tokenizer
from bpetite_compare._formats import to_gguf
from bpetite_compare._gguf import read_header
from cli_tools import bpetite, refused
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
    told = f"^gguf needs {missing}; else llama.cpp would take the token 11; --base "
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


def test_ids_without_a_token_are_unused(tmp_path: Path) -> None:
    """They have the names that llama.cpp's converter gives them, and its kind for unused tokens."""
    ids, special = [*range(2, 100), *range(101, 259)], {"<s>": 0, "</s>": 260}
    model = write_tokenizer(tmp_path / "m.json", special=special, ids=ids)
    export(model, "gguf", tmp_path / "out", bos="<s>", eos="</s>")
    fields = read_gguf(tmp_path / "out")
    tokens, kinds = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]
    assert (len(tokens), fields["tokenizer.ggml.eos_token_id"]) == (261, 260)
    unused = {place: tokens[place] for place, kind in enumerate(kinds) if kind == 5}
    assert unused == {1: "[PAD1]", 100: "[PAD100]", 259: "[PAD259]"}


# What comes from the model's own file


@pytest.fixture
def based(tmp_path: Path) -> tuple[Path, Path, dict[str, Any]]:
    """Return a tokenizer with more tokens than a model's, this model's file, and its fields."""
    special = {"<s>": 0, "</s>": 1, "<think>": 2, "<pad>": 3}
    old = write_tokenizer(tmp_path / "old.json", AB, [], special, range(4, 262), "gpt4")
    export(old, "gguf", tmp_path / "plain", bos="<s>", eos="</s>")
    fields = read_gguf(tmp_path / "plain")
    del fields["tokenizer.ggml.add_bos_token"]
    kinds = fields["tokenizer.ggml.token_type"]
    tokens = [*fields["tokenizer.ggml.tokens"], "[PAD262]"]
    fields |= {
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3, 3, 4, 3, *kinds[4:], 5],
        "tokenizer.ggml.pre": "smaug-bpe",
        "tokenizer.ggml.eot_token_id": 1,
        "tokenizer.ggml.fim_pre_token_id": 3,
        "tokenizer.ggml.seperator_token_id": 262,
        "tokenizer.ggml.add_eos_token": True,
        "tokenizer.ggml.add_space_prefix": False,
        "tokenizer.chat_template": "{{ messages }}",
        "tokenizer.chat_templates": ["tool"],
        "tokenizer.huggingface.json": "{}",
    }
    (base := tmp_path / "base.gguf").write_bytes(to_gguf(fields))
    import_tokenizer(base, None, tmp_path / "own.json")
    start = Tokenizer.load(tmp_path / "own.json")
    Tokenizer.train("xyz xyz", 260, start=start).save(new := tmp_path / "new.json")
    return new, base, fields


def test_a_base_gives_all_but_the_vocabulary(
    based: tuple[Path, Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Roles, kinds, flags and templates are the base's, unless an option names a role."""
    new, base, old = based
    exported = export(new, "gguf", tmp_path / "out", base=base, eos="<pad>")
    found = read_gguf(tmp_path / "out")
    changed = ("tokens", "token_type", "merges", "eos_token_id", "seperator_token_id")
    left = {*(f"tokenizer.ggml.{name}" for name in changed), "tokenizer.huggingface.json"}
    kept = {name: value for name, value in found.items() if name not in left}
    assert kept == {name: value for name, value in old.items() if name not in left}
    assert found["tokenizer.ggml.eos_token_id"] == 3
    assert found["tokenizer.ggml.token_type"] == [3, 3, 4, 3, *[1] * 260]
    assert found["tokenizer.ggml.tokens"][260:] == ["ab", "abc", "xy", "xyz"]
    taken = "kinds of tokens, bos_token_id, eos_token_id, eot_token_id, fim_pre_token_id, add_eos"
    assert exported.notes[0].startswith(f"taken from {base}: {taken}")
    lost = "left out, as these ids have no token: tokenizer.ggml.seperator_token_id"
    assert exported.notes[1:] == (lost,)
    plain = import_tokenizer(base, None, tmp_path / "again.json").sha256
    export(tmp_path / "again.json", "gguf", tmp_path / "same.gguf", base=base)
    assert read_gguf(tmp_path / "same.gguf")["tokenizer.ggml.tokens"][-1] == "[PAD262]"
    assert import_tokenizer(tmp_path / "same.gguf", None, tmp_path / "it.json").sha256 == plain


def test_another_models_file_is_no_base(
    based: tuple[Path, Path, dict[str, Any]], tmp_path: Path
) -> None:
    """The error says how many ids have other bytes, and the first of them; an output is no base."""
    new, base, fields = based
    fields["tokenizer.ggml.tokens"][260:262] = ["ba", "bac"]
    fields["tokenizer.ggml.merges"] = ["b a", "ba c"]
    base.write_bytes(to_gguf(fields))
    import_tokenizer(base, None, tmp_path / "plain.json")
    told = (
        r"2 ids have other bytes than in --base \(base=\): 260 has b'ab', and 260 there has b'ba'"
    )
    with pytest.raises(ValueError, match=told):
        export(new, "gguf", tmp_path / "out", base=base)
    with pytest.raises(ValueError, match="is also an input and would be overwritten"):
        export(tmp_path / "plain.json", "gguf", base, overwrite=True, base=base)
    words = ("export", "-m", "new.json", "--to", "gguf", "-o", "out", "--base")
    for name, fault in (
        ("none.gguf", "none.gguf: No such file"),
        ("new.json", "it begins with b'"),
    ):
        assert fault in refused(bpetite(*words, name, cwd=tmp_path))[0]


def test_a_map_says_where_the_ids_of_a_base_went(
    based: tuple[Path, Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Roles and kinds move with their tokens; a role whose token is gone is left out."""
    special = {"<think>": 0, "<s>": 257, "</s>": 260}
    model = write_tokenizer(
        tmp_path / "map.json", special=special, ids=range(1, 257), pattern="gpt4"
    )
    id_map = [2, *range(4, 260), 0, None, None, 1]
    (tmp_path / "ids.json").write_text(json.dumps(id_map))
    path = tmp_path / "moved.gguf"
    export(model, "gguf", path, base=based[1], id_map=tmp_path / "ids.json")
    found = read_header(str(path), ("tokenizer.",))
    kinds = found["tokenizer.ggml.token_type"]
    assert [kinds[one] for one in special.values()] == [4, 3, 3]
    assert len(kinds) == 261  # and not as many as the base has
    ids = {name: value for name, value in found.items() if name.endswith("_id")}
    roles = dict(zip(("bos", "eos", "eot"), (257, 260, 260), strict=True))
    assert ids == {f"tokenizer.ggml.{role}_token_id": one for role, one in roles.items()}
