"""Garbage collection is off where it would find nothing, and only there."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpetite import Tokenizer
from bpetite._collector import garbage_collector_paused


@pytest.fixture(autouse=True)
def _collector_is_on_again() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.parametrize("enabled", [True, False])
def test_collector_state_is_restored(tmp_path: Path, *, enabled: bool) -> None:
    """Training and loading, even if they fail, leave the collector as it was, even meanwhile."""
    if not enabled:
        gc.disable()
    seen = []

    def documents() -> Iterator[str]:
        seen.append(gc.isenabled())
        yield "ab"
        seen.append(gc.isenabled())

    Tokenizer.train(documents(), 258).save(tmp_path / "tokenizer.json")
    assert seen == [enabled] * 2
    Tokenizer.load(tmp_path / "tokenizer.json")
    assert gc.isenabled() == enabled
    (tmp_path / "broken.json").write_bytes(b"{}")
    with pytest.raises(KeyError):
        Tokenizer.load(tmp_path / "broken.json")
    assert gc.isenabled() == enabled


def test_collector_is_paused() -> None:
    """Inside, the collector is off, and stays off after a nested use ends."""
    with garbage_collector_paused():
        assert not gc.isenabled()
        with garbage_collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
