"""`report`: the same texts, counted by several tokenizer files and by several encodings."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from unicodedata import is_normalized

import pytest
import tiktoken

from bpetite import Tokenizer
from bpetite_compare import _text, import_tokenizer, report
from cli_tools import BPETITE
from compare_tools import CORPUS, HOSTILE
from project_tools import ROOT

TEXTS = (*HOSTILE, CORPUS)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Return the paths of some texts."""
    found = [tmp_path / str(number) for number in range(len(TEXTS))]
    for path, text in zip(found, TEXTS, strict=True):
        path.write_bytes(text.encode())
    return found


def test_each_tokenizer_counts_each_text(
    small_model: Path, paths: list[Path], tmp_path: Path, register: Callable[..., None]
) -> None:
    """The figures are those of the ids, also of an import with ids of its own."""
    register("gaps", b"th", b"the", "é".encode(), special="<|fim_prefix|>")
    imported = import_tokenizer("gaps", "tiktoken", tmp_path / "gaps.json").path
    theirs = tiktoken.get_encoding("gaps")
    ours = [Tokenizer.load(small_model), Tokenizer.load(imported)]
    result = report([small_model, imported], paths, ["gaps"])
    assert [row.name for row in result.rows] == [str(small_model), imported, "gaps"]
    assert result.sizes == tuple(len(text.encode()) for text in TEXTS)
    assert result.characters == sum(map(len, TEXTS))
    encoders: list[Callable[[str], list[int]]] = [one.encode for one in ours]
    encoders.append(lambda text: theirs.encode(text, allowed_special="all"))
    for row, encode in zip(result.rows, encoders, strict=True):
        assert row.per_text == tuple(len(encode(text)) for text in TEXTS)
    first, second, third = result.rows
    for row, tokenizer in zip(result.rows, ours, strict=False):
        ids = [token_id for text in TEXTS for token_id in tokenizer.encode(text)]
        vocab = tokenizer._artifact.vocab
        assert row.single_bytes == sum(len(vocab[token_id]) == 1 for token_id in ids)
    assert (second.per_text, second.single_bytes) == (third.per_text, third.single_bytes)
    assert [row.vocab_size for row in result.rows] == [323, 259, 259]
    common = len({*ours[0]._artifact.tokens} & {*ours[1]._artifact.tokens})
    assert (first.shared, second.shared, third.shared) == (323, common, common)


def test_unknown_patterns_get_whole_files(
    small_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    register: Callable[..., None],
) -> None:
    """An encoding whose pattern might cut differently gets each file as a whole."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", 1)
    (tmp_path / "text").write_bytes(b"a b c")
    register("whole", b"a b c", pattern="(?s:.+)")
    result = report(small_model, [tmp_path / "text"], ["whole"])
    ours, theirs = result.rows
    assert (ours.name, ours.per_text) == (
        "bpetite",
        (len(Tokenizer.load(small_model).encode("a b c")),),
    )
    assert (theirs.per_text, theirs.single_bytes) == ((1,), 0)
    assert (theirs.vocab_size, theirs.shared) == (257, 256)


@pytest.mark.thorough
def test_the_page_on_languages_has_what_its_commands_print(
    model_files: Path, encoding_named: Callable[[str], tiktoken.Encoding], tmp_path: Path
) -> None:
    """The tables of docs/languages.md are those of the report; the texts are in NFC."""
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        encoding_named(name)
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    _, commands = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    path = f"{Path(BPETITE).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "BPETITE_MODELS": str(model_files), "COLUMNS": "200", "PATH": path},
        capture_output=True,
        check=True,
    )
    _, table = done.stderr.decode().split("\n" + " " * 10, 1)
    names, *lines = table.splitlines()
    expected = ""
    for line in lines[: lines.index(next(line for line in lines if line.startswith("vocab")))]:
        label, *cells = re.split(r"  +", line.strip())
        if not cells:
            expected += f"\n{'|'.join(['', label, *names.split(), ''])}\n|---|{'--:|' * 5}\n"
            continue
        if (text := tmp_path / label).is_file():
            assert is_normalized("NFC", text.read_text(encoding="utf-8"))
            html = (model_files / "udhr" / f"{text.stem}.html").read_text(encoding="utf-8")
            label = re.findall(r"<title>(\w+)", html)[0]
        bold = (f"**{cell[:-1]}**" if cell.endswith("*") else cell for cell in cells)
        expected += f"{'|'.join(['', label, *bold, ''])}\n"
    assert expected in page
