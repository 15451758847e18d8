"""`report`: the same files, counted by a model and by several encodings."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bpetite import Tokenizer
from bpetite_compare import _text, report
from compare_tools import CORPUS, HOSTILE


def test_the_row_of_the_model(small_model: Path, tmp_path: Path) -> None:
    """The figures of the model are those of its ids."""
    paths = [tmp_path / str(place) for place in range(len(HOSTILE) + 1)]
    for path, text in zip(paths, (*HOSTILE, CORPUS), strict=True):
        path.write_bytes(text.encode())
    result = report(small_model, paths, [])
    tokenizer = Tokenizer.load(small_model)
    ids = [token_id for text in (*HOSTILE, CORPUS) for token_id in tokenizer.encode(text)]
    text = "".join([*HOSTILE, CORPUS])
    (row,) = result.rows
    assert (result.files, result.bytes) == (len(paths), len(text.encode()))
    assert (row.name, row.tokens, row.vocab_size, row.shared) == ("bpetite", len(ids), 323, 323)
    assert row.bytes_per_token == len(text.encode()) / len(ids)
    assert row.tokens_per_character == len(ids) / len(text)
    assert row.single_byte_share == sum(token_id < 256 for token_id in ids) / len(ids)


def test_ratios_may_be_none(small_model: Path, tmp_path: Path) -> None:
    """Without tokens there are no ratios."""
    (tmp_path / "empty").write_bytes(b"")
    (row,) = report(small_model, [tmp_path / "empty"], []).rows
    assert (row.tokens, row.bytes_per_token, row.single_byte_share) == (0, None, None)


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
    assert (ours.tokens, theirs.tokens) == (len(Tokenizer.load(small_model).encode("a b c")), 1)
    assert (theirs.single_byte_share, theirs.vocab_size, theirs.shared) == (0, 257, 256)
