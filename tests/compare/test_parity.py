"""`parity`: whole files, and what counts as a difference."""

from pathlib import Path

import pytest

from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_compare import _text, parity
from bpetite_compare._engines import drift
from compare_tools import CORPUS, HOSTILE, UNREACHABLE


def write(folder: Path, text: str, name: str = "text") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_hostile_files_are_equal(
    block: int, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of hostile text have the same ids in tiktoken, wherever the blocks end."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", block)
    texts = [*HOSTILE, CORPUS, " ".join(HOSTILE)]
    paths = [write(tmp_path, text, str(place)) for place, text in enumerate(texts)]
    result = parity(small_model, paths)
    assert result.difference is None
    assert result.files == len(texts)
    assert result.bytes == sum(len(text.encode()) for text in texts)
    assert result.characters == sum(map(len, texts))
    tokenizer = Tokenizer.load(small_model)
    assert result.tokens == sum(len(tokenizer.encode(text)) for text in texts)


@pytest.mark.parametrize("block", [1, 5, 1 << 20])
def test_a_real_difference_is_located(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first real difference has its file, byte, line, context and both tokens."""
    monkeypatch.setattr(_text, "_BLOCK_BYTES", block)
    model = write_artifact(tmp_path / "a.json", UNREACHABLE)
    good = write(tmp_path, "ab bc é\n", "good")
    bad = write(tmp_path, "é ab\nab xabc abc\n ab abc", "bad")
    result = parity(model, [good, bad])
    found = result.difference
    assert found is not None
    assert (found.path, found.byte, found.line) == (str(bad), 10, 2)
    assert (found.ours, found.theirs) == ((256, b"ab"), (258, b"abc"))
    assert "é ab\nab x".endswith(found.before)
    assert "abc abc\n ab abc".startswith(found.after)
    assert found.after.startswith("abc")
    assert result.files == 2


def test_engine_differences_hide_no_real_ones(tmp_path: Path) -> None:
    """Such a character does not hide a real difference in the same section of a text."""
    model = write_artifact(tmp_path / "a.json", UNREACHABLE)
    new = min(drift())
    found = parity(model, [write(tmp_path, f"x{new}!abc")]).difference
    assert found is not None
    assert (found.ours, found.theirs) == ((256, b"ab"), (258, b"abc"))
    assert found.byte == len(f"x{new}!".encode())
