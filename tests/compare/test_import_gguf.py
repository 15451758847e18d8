"""`import` of GGUF files: their header, llama.cpp's names of the patterns, the kinds of tokens."""

import hashlib
import os
import struct
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import Imported, export, import_tokenizer
from bpetite_compare._formats import to_gguf
from bpetite_compare._gguf import read_header
from cli_tools import bpetite, refused
from compare.test_gguf import read_gguf
from compare_tools import CORPUS, write_tokenizer

GGML: Final = "tokenizer.ggml."
SPECIAL: Final = {"<s>": 700, "</s>": 3, "1|é日": 260}
ROLES: Final[dict[str, Any]] = {"bos": "<s>", "eos": "</s>"}


@pytest.fixture(scope="session")
def fields(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the fields of a small GGUF file with the tokens <s>, </s>, and merges."""
    folder = tmp_path_factory.mktemp("gguf")
    Tokenizer.train(CORPUS, 300, special_tokens=[*ROLES.values()]).save(folder / "m.json")
    export(folder / "m.json", "gguf", folder / "m.gguf", **ROLES)
    return read_gguf(folder / "m.gguf")


def imported(folder: Path, content: bytes, **options: Any) -> Imported:  # noqa: ANN401 - its own
    """Import a GGUF file with this content as `new.json`."""
    (folder / "model.gguf").write_bytes(content)
    new = folder / "new.json"
    return import_tokenizer(folder / "model.gguf", None, new, overwrite=True, **options)


def with_fields(fields: dict[str, Any], **changed: object) -> bytes:
    """Return a file with some of tokenizer.ggml's fields changed, or removed by None."""
    changes = {GGML + name: value for name, value in changed.items()}
    content = {name: one for name, one in (fields | changes).items() if one is not None}
    return to_gguf(content)


@pytest.mark.parametrize(
    "name", [name for name, pattern in ALL_PATTERNS.items() if pattern.llama_cpp]
)
def test_exports_come_back_byte_for_byte(name: str, tmp_path: Path) -> None:
    """Of every pattern that llama.cpp has: gaps, ids in any order, special and whole tokens."""
    merges = [(104, 101), (116, 256), (32, 257), (97, 98)]
    whole = [b"xyz", " дом".encode()] if name == "gpt4" else []
    ids = Random(1).sample(sorted({*range(300)} - {*SPECIAL.values()}), 256 + len(merges))
    new = [290 + 100 * place for place in range(1, 1 + len(whole))]
    path = write_tokenizer(tmp_path / "m.json", merges, whole, SPECIAL, [*ids, *new], name)
    export(path, "gguf", tmp_path / "m.gguf", **ROLES)
    result = imported(tmp_path, (tmp_path / "m.gguf").read_bytes())
    assert result.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (result.pattern, result.pattern_from) == (name, "model.gguf")
    unused = 701 - 263 - len(whole)
    assert result.notes[-1].startswith(f"left out: {unused} unused tokens, such as '[PAD")


@pytest.mark.parametrize(
    ("pre", "pattern", "whole"),
    [
        ("llama-bpe", "gpt4", True),
        ("smaug-bpe", "gpt4", False),
        ("glm4", "gpt4", True),
        ("tekken", "tekken", True),
        ("jina-v2-code", "gpt2", False),
        ("granite-docling", "gpt2", False),
        ("llada-moe", "qwen2", False),
        ("qwen35", "qwen3.5", False),
        ("minerva-7b", "starcoder", False),
        ("joyai-llm", "deepseek3", False),
        ("llama4", "gpt4o", False),
        ("kimi-k2", "kimi", False),
    ],
)
def test_llama_cpps_names_are_patterns(
    pre: str, pattern: str, whole: bool, fields: dict[str, Any], tmp_path: Path
) -> None:
    """A name is that of a pattern, and says whether a whole chunk can be a token."""
    assert imported(tmp_path, with_fields(fields, pre=pre)).pattern == pattern
    tokens, kinds = [*fields[GGML + "tokens"], "xyz"], [*fields[GGML + "token_type"], 1]
    content = with_fields(fields, pre=pre, tokens=tokens, token_type=kinds)
    if whole:
        assert imported(tmp_path, content).whole_tokens == 1
    else:
        with pytest.raises(ValueError, match="its merges never make its token 'xyz'"):
            imported(tmp_path, content)
        assert imported(tmp_path, content, ignore_merges=True).whole_tokens == 1


@pytest.mark.parametrize("pre", [None, "default", "deepseek-llm", 7])
def test_an_unknown_name_needs_a_pattern(
    pre: object, fields: dict[str, Any], tmp_path: Path
) -> None:
    """The error says so; with a pattern, a note says who named it."""
    content = with_fields(fields, pre=pre)
    reason = f"its {GGML}pre, {pre}, names no pattern" if pre else f"it has no {GGML}pre"
    told = rf"^cannot import .*: {reason}.* --pattern \(pa"
    with pytest.raises(ValueError, match=told):
        imported(tmp_path, content)
    shown = refused(bpetite("count", "-m", "model.gguf", "--text", "x", cwd=tmp_path))
    assert shown[1] == "import it with `bpetite import model.gguf --pattern NAME --output NEW.json`"
    result = imported(tmp_path, content, pattern="qwen2")
    assert (result.pattern, result.pattern_from) == ("qwen2", "--pattern")
    assert any(
        "not checked: the pattern qwen2, which --pattern names" in one for one in result.notes
    )


def test_kinds_of_tokens(fields: dict[str, Any], tmp_path: Path) -> None:
    """Unknown, control and user-defined tokens are special; names of gaps are left out."""
    odd = {"<unk>": 2, "<a>": 3, "<think>": 4, "[PAD306]": 4, "[PAD7]": 4, "[PAD308]": 5, "<u>": 5}
    size = len(fields[GGML + "tokens"])
    assert size == 302
    tokens = [*fields[GGML + "tokens"], "xyz", *odd]
    kinds = [*fields[GGML + "token_type"], 1, *odd.values()]
    content = with_fields(fields, pre="llama-bpe", tokens=tokens, token_type=kinds)
    result = imported(tmp_path, content, special_tokens={"<mine>": 309})
    ids = {"<s>": 300, "</s>": 301, "<unk>": 303, "<a>": 304, "<think>": 305, "[PAD7]": 307}
    assert result.special_tokens == {**ids, "<mine>": 309}
    assert result.notes[-1] == "left out: 3 unused tokens, such as '[PAD306]'"
    assert result.whole_tokens == 1


def long_text(size: int) -> bytes:
    return struct.pack("<Q", size)


def one_field(name: bytes, kind: int, value: bytes, version: int = 3) -> bytes:
    """Return a file with one field."""
    header = b"GGUF" + struct.pack("<IQQ", version, 0, 1)
    return header + long_text(len(name)) + name + struct.pack("<I", kind) + value


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        pytest.param(b"", "its begin at byte 0 has 24 bytes, more than are left", id="empty"),
        pytest.param(b"tjgg" + bytes(99), "it begins with b'tjgg', not GGUF; the old", id="GGML"),
        pytest.param(one_field(b"a", 7, b"1", 1), "its version of GGUF is 1, not", id="version"),
        pytest.param(b"GGUF" + bytes([0, 0, 0, 3] * 9), "little-endian order", id="big-endian"),
        pytest.param(one_field(b"a\xff", 7, b"1"), "field 0 is not UTF-8 before b", id="name"),
        pytest.param(one_field(b"a", 13, b"1"), "'a' has values of the type 13", id="type"),
        pytest.param(
            one_field(b"a", 9, struct.pack("<IQ", 9, 1)), "values of the type 9", id="nested lists"
        ),
        pytest.param(
            one_field(b"a", 8, long_text(1 << 60)), "at byte 45 has 1,152,921,504", id="long text"
        ),
        pytest.param(
            one_field(b"a", 9, struct.pack("<IQ", 4, 1 << 63)), "more than are left", id="long list"
        ),
        pytest.param(
            one_field(b"a", 9, struct.pack("<IQ", 8, 1 << 63)), "more than are left", id="texts"
        ),
        pytest.param(
            one_field(b"a", 7, b"1")[:16] + long_text(2) + (one_field(b"a", 7, b"1")[24:] * 2),
            "it has the field 'a' twice",
            id="twice",
        ),
        pytest.param(one_field(b"a", 7, b"1"), "it has no tokens; of a model in", id="no tokens"),
    ],
)
def test_damaged_headers_are_refused(content: bytes, fault: str, tmp_path: Path) -> None:
    """The error names the field and the byte; no size in the file is believed."""
    with pytest.raises(ValueError, match=rf"^cannot import .*model\.gguf: .*{fault}"):
        imported(tmp_path, content)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        pytest.param({"model": "llama"}, "llama \\(SentencePiece, whose tokens", id="llama"),
        pytest.param({"model": "t5"}, "its model is t5, not gpt2", id="t5"),
        pytest.param({"tokens": [7]}, "tokens is missing, or not a list of str", id="tokens"),
        pytest.param({"tokens": "a"}, "tokens is missing, or not a list of str", id="a text"),
        pytest.param({"token_type": None}, "token_type is missing, or not a", id="no kinds"),
        pytest.param({"token_type": [1] * 301}, "not a list of 302 kinds", id="fewer kinds"),
        pytest.param({"token_type": [6] * 302}, "not a list of 302 kinds", id="bytes"),
        pytest.param({"merges": None}, "its merges are not a list", id="no merges"),
        pytest.param({"merges": ["a b", "a b"]}, "token 'ab', which has no id", id="merge"),
        pytest.param(
            {"tokens": ["a", "b", "a"], "token_type": [1, 1, 3]},
            "its tokens 0 and 2 are both 'a'",
            id="token twice",
        ),
    ],
)
def test_fields_that_contradict_each_other(
    changed: dict[str, Any], fault: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    """The error names the field, or what the tokenizer of another model is."""
    with pytest.raises(ValueError, match=rf"^cannot import .*{fault}"):
        imported(tmp_path, with_fields(fields, **changed))


def test_only_the_header_is_read(fields: dict[str, Any], tmp_path: Path) -> None:
    """A file of 50 GB opens as its header does, of version 2 too, and so does a file by its begin.

    A pipe is not read.
    """
    content = bytearray(to_gguf(fields))
    expected = imported(tmp_path, bytes(content)).sha256
    content[4] = 2
    (large := tmp_path / "large").write_bytes(content)
    os.truncate(large, 50 << 30)
    assert import_tokenizer(large, None, tmp_path / "large.json").sha256 == expected
    os.mkfifo(pipe := tmp_path / "pipe.gguf")
    with pytest.raises(ValueError, match="it is not a regular file"):
        import_tokenizer(pipe, None, tmp_path / "pipe.json")


def test_a_header_ends(tmp_path: Path) -> None:
    """A header of more than 64 MiB is refused before it fills the memory."""
    (path := tmp_path / "m.gguf").write_bytes(
        one_field(b"tokenizer.ggml.a", 9, struct.pack("<IQ", 0, 1 << 27))
    )
    os.truncate(path, 1 << 28)
    with pytest.raises(ValueError, match="has 134,217,728 bytes, more than are left"):
        import_tokenizer(path, None, tmp_path / "new.json")


def test_a_folder_with_two_forms(fields: dict[str, Any], tmp_path: Path) -> None:
    """A `tokenizer.json` comes first, and a GGUF file beside it must have the same tokens."""
    (tmp_path / "a").mkdir()
    gguf, folder = tmp_path / "a" / "model.gguf", tmp_path / "a"
    gguf.write_bytes(to_gguf(fields))
    alone = import_tokenizer(folder, None, tmp_path / "alone.json")
    export(tmp_path / "alone.json", "huggingface", folder / "tokenizer.json")
    both = import_tokenizer(folder, None, tmp_path / "both.json")
    assert (both.sha256, both.notes) == (alone.sha256, ())
    gguf.write_bytes(with_fields(fields, pre="qwen2"))
    told = "tokenizer.json and model.gguf in its folder disagree: the patterns are gpt2 and qwen2"
    with pytest.raises(ValueError, match=told):
        import_tokenizer(folder, None, tmp_path / "new.json")
    (folder / "tokenizer.json").unlink()
    export(tmp_path / "alone.json", "gpt2", folder, overwrite=True)  # its pattern is a guess
    with pytest.raises(ValueError, match=told.removeprefix("tokenizer.json and ")):
        import_tokenizer(folder, None, tmp_path / "new.json")


def test_people_read_what_is_left_out(fields: dict[str, Any], tmp_path: Path) -> None:
    """The command names the roles, and where an export takes them from."""
    (tmp_path / "m.gguf").write_bytes(to_gguf(fields))
    result = bpetite("import", "m.gguf", "-o", "m.json", "--json", cwd=tmp_path)
    roles = "add_bos_token False, bos_token_id 300, eos_token_id 301"
    assert (
        f"left out: kinds of tokens, and roles ({roles}); `export --base` takes"
        in result.stdout.decode()
    )
    shown = refused(bpetite("import", "m.gguf", "--drop-normalizer", "-o", "n.json", cwd=tmp_path))
    assert "its form has nothing to drop; leave out --drop-normalizer" in shown[0]


@pytest.mark.thorough
def test_any_header_has_the_fields_that_llama_cpps_package_reads(tmp_path: Path) -> None:
    """For 300 headers with all types of values, lists and empty ones, `gguf` finds the same."""
    gguf = pytest.importorskip("gguf")
    random, path = Random(50), tmp_path / "any.gguf"
    kinds = [one for one in gguf.GGUFValueType if one != gguf.GGUFValueType.ARRAY]

    def value(kind: Any) -> Any:  # noqa: ANN401 - of the package
        name = kind.name.lower()
        if kind == gguf.GGUFValueType.STRING:
            return "".join(random.choices("ab é\0\n日👍", k=random.choice([0, 1, 9, 300])))
        if "float" in name:
            return float(random.randrange(-99, 99)) / 4
        if name == "bool":
            return random.random() < 0.5
        signed, bits = name.startswith("i"), int(name.lstrip("uint"))
        return random.randrange(-(1 << bits - 1) if signed else 0, 1 << bits - signed)

    for _ in range(300):
        writer = gguf.GGUFWriter(path, "gpt2")
        for place in range(random.randrange(9)):
            kind, size = random.choice(kinds), random.choice([0, 1, 2, 50])
            if size == 0 or random.random() < 0.5:
                writer.add_key_value(f"k{place}é", value(kind), kind)
            else:
                values = [value(kind) for _ in range(size)]
                writer.add_key_value(f"k{place}é", values, gguf.GGUFValueType.ARRAY, sub_type=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        expected = {
            name: field.contents()
            for name, field in gguf.GGUFReader(path).fields.items()
            if not name.startswith("GGUF.")
        }
        assert read_header(str(path)) == expected
        wanted = ("k1", "k3", "general.")
        found = {name: one for name, one in expected.items() if name.startswith(wanted)}
        assert read_header(str(path), wanted) == found
