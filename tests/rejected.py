"""Check that `load` rejects a file, with a message of its own shape."""

import json
from pathlib import Path
from typing import Any

import pytest

from artifacts import canonical
from bpetite import Tokenizer


def check_rejected(folder: Path, content: object, message: str) -> str:
    """Check that bytes, or JSON in two spellings, give one short line, and return it.

    The line begins with the path and the message. A missing key is a `KeyError`.
    """
    path, kind = folder / "tokenizer.json", KeyError if "missing key" in message else ValueError
    spellings = (canonical, lambda value: json.dumps(value, indent=0).encode("ascii"))
    for data in (
        [content] if isinstance(content, bytes) else [write(content) for write in spellings]
    ):
        path.write_bytes(data)
        with pytest.raises(kind) as caught:
            Tokenizer.load(path)
        said: str = caught.value.args[0]
        assert type(caught.value) is kind
        assert said[: len(f"{path}: {message}")] == f"{path}: {message}"
        assert len(said) <= len(f"{path}: ") + 200
        assert "\n" not in said
    return said


def faults_of(
    errors: dict[tuple[int, str], list[dict[str, Any]]],
) -> list[tuple[int, dict[str, Any], str]]:
    """Return each file, or change of one, with the step that rejects it and the message."""
    return [(step, fault, message) for (step, message), each in errors.items() for fault in each]
