"""`report`: the same files, counted by a model and by several encodings."""

from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from tiktoken import registry

from bpetite import Tokenizer
from bpetite_compare import _text, report
from compare_tools import CORPUS, ENCODINGS, HOSTILE


def write_texts(folder: Path) -> list[Path]:
    """Write the hostile texts and the corpus, a file for each."""
    paths = []
    for place, text in enumerate([*HOSTILE, CORPUS]):
        paths.append(folder / f"{place}.txt")
        paths[-1].write_bytes(text.encode())
    return paths


def test_the_row_of_the_model(small_model: Path, tmp_path: Path) -> None:
    """The figures of the model are those of its ids."""
    paths = write_texts(tmp_path)
    result = report(small_model, paths, [])
    tokenizer = Tokenizer.load(small_model)
    ids = [token_id for text in (*HOSTILE, CORPUS) for token_id in tokenizer.encode(text)]
    text = "".join([*HOSTILE, CORPUS])
    (row,) = result.rows
    assert (result.files, result.bytes) == (len(paths), len(text.encode()))
    assert (row.name, row.tokens, row.vocabulary, row.shared) == ("bpetite", len(ids), 323, 323)
    assert row.bytes_per_token == len(text.encode()) / len(ids)
    assert row.tokens_per_character == len(ids) / len(text)
    assert row.single_byte_share == sum(token_id < 256 for token_id in ids) / len(ids)


def test_no_text_has_no_ratios(small_model: Path, tmp_path: Path) -> None:
    """Where nothing is counted there are no ratios."""
    (tmp_path / "empty").write_bytes(b"")
    (row,) = report(small_model, [tmp_path / "empty"], []).rows
    assert (row.tokens, row.bytes_per_token, row.single_byte_share) == (0, None, None)


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_the_rows_of_encodings(
    size: int,
    small_model: Path,
    tmp_path: Path,
    encoding_named: Callable[[str], tiktoken.Encoding],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The figures of an encoding are those of its ids of whole files, wherever blocks end."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", size)
    encodings = list(map(encoding_named, ENCODINGS))
    rows = report(small_model, write_texts(tmp_path), ENCODINGS).rows[1:]
    ours = {bytes([value]) for value in range(256)}
    for row, encoding in zip(rows, encodings, strict=True):
        ids = [
            token_id
            for text in (*HOSTILE, CORPUS)
            for token_id in encoding.encode(
                text, allowed_special={"<|endoftext|>"}, disallowed_special=()
            )
        ]
        assert (row.name, row.tokens) == (encoding.name, len(ids))
        tokens = encoding.decode_tokens_bytes(ids)
        assert row.single_byte_share == sum(len(token) == 1 for token in tokens) / len(tokens)
        assert row.vocabulary == len(encoding._mergeable_ranks)
        assert len(ours) < row.shared < 323


def test_a_pattern_that_is_not_known_has_whole_files(
    small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an encoding whose pattern might cut otherwise, no file is cut."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", 1)
    (tmp_path / "text").write_bytes(b"a b c")
    ranks = {bytes([value]): value for value in range(256)} | {b"a b c": 256}
    parts = {"name": "whole", "pat_str": "(?s:.+)", "mergeable_ranks": ranks, "special_tokens": {}}
    tiktoken.list_encoding_names()
    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS or {}, "whole", lambda: parts)
    monkeypatch.setattr(registry, "ENCODINGS", {})
    result = report(small_model, [tmp_path / "text"], ["whole"])
    assert [row.tokens for row in result.rows] == [
        len(Tokenizer.load(small_model).encode("a b c")),
        1,
    ]
