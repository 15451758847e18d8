"""Fixtures for the tests of every package, and how hard Hypothesis tries."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from bpetite import Tokenizer

PROFILES: Final = {"quick": 200, "thorough": 5_000, "nightly": 20_000}
"""How many examples of each property are tried; BPETITE_PROFILE names the profile."""

for name, max_examples in PROFILES.items():
    settings.register_profile(name, max_examples=max_examples, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("BPETITE_PROFILE", "quick"))

# A shell that puts the tests into the background has them ignore Ctrl-C, and nohup a hangup.
# The programs that they start would ignore it, too, and never end.
for number, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Return the tokenizer with the merges "a" + "b" and " " + "ab"."""
    return Tokenizer.train("ab ab ab", vocab_size=258)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Hold the collector back: it calls Hypothesis, in which a planted interrupt would be lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the test, in which the process then stands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
