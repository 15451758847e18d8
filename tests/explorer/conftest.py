"""A process of Node that answers questions, for the tests of the explorer's JavaScript."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import regex

from bpetite._patterns import ALL_PATTERNS
from generate.explorer import in_javascript
from project_tools import node
from texts import every_character

DRIVER: Final = Path(__file__).with_name("driver.js")
CLASSES: Final = sorted(
    {name for each in ALL_PATTERNS.values() for name in regex.findall(r"\\s|\\p\{\w+\}", each.text)}
)
"""The classes of characters that patterns name."""

Ask = Callable[..., Any]  # the answer is JSON


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Return a function that passes a question to bpe.js in one process of Node."""
    program = node()
    if program is None:
        pytest.skip("there is no node: neither from `--group node` nor on PATH")
    pipe = subprocess.PIPE
    with subprocess.Popen([program, DRIVER], stdin=pipe, stdout=pipe, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def answer(*question: object) -> Any:  # noqa: ANN401 - it is JSON
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield answer
        process.stdin.close()


@pytest.fixture(scope="module")
def drift(ask: Ask) -> dict[str, frozenset[str]]:
    """Return for each class the characters that only one of Node and `regex` puts into it."""
    text = every_character()
    return {
        name: frozenset(regex.findall(name, text)).symmetric_difference(
            ask("found", in_javascript(name), text)
        )
        for name in CLASSES
    }
