"""What people type first: 60 commands by somebody who did not know bpetite.

They come from the manuals of other tools, each with the line of the manual. `guesses.toml` has
the answer to a command that does not work: a part of the message that says what to type.
"""

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from bpetite_compare import export
from cli_tools import BPETITE
from project_tools import ROOT

pytestmark = [pytest.mark.thorough, pytest.mark.posix]

GUESSES: Final = tomllib.loads(Path(__file__).with_name("guesses.toml").read_text("utf-8"))["guess"]
ANSWERED: Final = [guess for guess in GUESSES if "answer" in guess]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the files that the commands name."""
    text = (ROOT / "docs" / "sample.txt").read_text("utf-8")
    tokenizer = Tokenizer.train(text, 512)
    tokenizer.save(tmp_path / "tokenizer.json")
    export(tmp_path / "tokenizer.json", "huggingface", tmp_path / "model")
    export(tmp_path / "tokenizer.json", "tiktoken", tmp_path / "gpt2.tiktoken")
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    for name in ("text.txt", "a.txt", "b.txt", "docs/notes.md", "docs/sub/more.txt"):
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "docs" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (tmp_path / "docs.jsonl").write_text('{"text": "Hello world"}\n')
    (tmp_path / "ids.json").write_text(json.dumps(tokenizer.encode("The ferryman")))
    return tmp_path


@pytest.mark.parametrize("guess", ANSWERED, ids=lambda guess: guess["command"])
def test_a_guess_works_or_is_answered(guess: dict[str, str], folder: Path) -> None:
    """What people type first works, or the message says what to type instead."""
    path = f"{Path(BPETITE).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-c", guess["command"]],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert guess["answer"] in result.stderr
    if not guess["answer"]:
        assert (result.returncode, result.stderr) == (0, "")


def test_most_guesses_work_or_are_answered() -> None:
    """At least 50 of the 60 commands do."""
    assert (len(ANSWERED), len(GUESSES)) == (51, 60)
