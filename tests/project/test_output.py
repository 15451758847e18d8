"""Every command prints the JSON that it declares, as docs/reference/output.schema.json says."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from tiktoken import registry

from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_compare import to_tiktoken
from compare_tools import CROSSING, ENCODINGS, damage_tiktoken
from generate.output import declared
from help_tools import PARSERS, examples_of, is_thorough, prepare_files, run_example
from project_tools import ROOT

SCHEMA: Final = json.loads((ROOT / "docs" / "reference" / "output.schema.json").read_bytes())
OUTPUTS: Final = declared()

EXAMPLES: Final = [
    re.sub(r" > \S+\n$", "", example) for name in PARSERS for example in examples_of(name)
]
"""The examples in the help of every command; what a file would get is printed."""

EDGES: Final = """
bpetite shrink --model tokenizer.json --vocab-size 310 --check tokenizer.json
bpetite train --counts counts.jsonl --vocab-size 256 --output x.json
bpetite encode --model tokenizer.json --output ids --text é
bpetite decode --model tokenizer.json --ids --output none
bpetite count --model tokenizer.json --json text.txt none --max 1
bpetite count --model tokenizer.json --json
bpetite show --model tokenizer.json --json --text é
bpetite diff tokenizer.json chat.json text.txt --json
bpetite inspect --model odd.json --json
bpetite inspect --model odd.json --tokens
bpetite inspect --model hf.json --json
bpetite inspect --model unigram.json --json
bpetite verify --model odd.json --input text.txt
bpetite parity --model odd.json --input text.txt
bpetite compare-tiktoken --model tokenizer.json --text '' --encoding self
bpetite compare-tiktoken --model odd.json --text abc --encoding self
bpetite compare --model tokenizer.json --model gpt2 -
"""
"""Calls with results that no example has, such as null; some end with status 1."""


def declared_for(call: str) -> type | None:
    """Return the object that a call prints: the declared one with the most of its options."""
    words = shlex.split(call.replace("\\\n", " ").rpartition("bpetite ")[2])
    if "--steps" in words:  # it is drawn for people alone
        return None
    prints: dict[str, type] = PARSERS[words[0]].get_default("prints") or {}
    if "unigram.json" in words:
        return prints["if it does not open"]
    fitting = [options for options in prints if {*options.split()} <= {*words}]
    return prints[max(fitting, key=len)] if fitting else None


def objects_in(output: bytes) -> Iterator[dict[str, Any]]:
    """Yield the lines that are JSON objects."""
    for line in output.splitlines():
        with suppress(ValueError):
            if isinstance(found := json.loads(line), dict):
                yield found


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the calls use."""
    folder = tmp_path_factory.mktemp("prepared")
    prepare_files(folder)
    write_artifact(folder / "odd.json", CROSSING)
    Tokenizer.train("abc", 258).save(folder / "other.json")
    (folder / "unigram.json").write_text('{"model": {"type": "Unigram", "vocab": []}}')
    return folder


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, marks=[pytest.mark.thorough] if is_thorough(call) else [])
        for call in (*EXAMPLES, *EDGES.strip().splitlines())
    ],
)
def test_output_has_the_fields_of_the_schema(
    call: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FR-34: a call prints exactly the declared fields, in order, with their types."""
    other = to_tiktoken(prepared / "other.json")  # needs no download
    other.name = "o200k_base"  # that of gpt-4o, which an example imports
    monkeypatch.setattr(registry, "ENCODINGS", dict.fromkeys(ENCODINGS, other))
    if "odd.json" in call:
        damage_tiktoken(monkeypatch)
    result = run_example(call, prepared, tmp_path / "folder")
    assert result.returncode in {0, 1}, result.stderr.decode()
    found = list(objects_in(result.stdout))
    printed = declared_for(call)
    if printed is None:
        assert not found, "declare this object with `parser.set_defaults(prints=...)`"
        return
    definition = next(SCHEMA["$defs"][name] for name in OUTPUTS if OUTPUTS[name] is printed)
    assert found, result.stderr.decode()
    for data in found:
        Draft202012Validator({**definition, "$defs": SCHEMA["$defs"]}).validate(data)
        assert list(data) == definition["required"], f"reorder the bases of {printed.__name__}"


def test_every_declared_output_is_shown() -> None:
    """An example prints each object that a command declares."""
    shown = [*map(declared_for, [*EXAMPLES, *EDGES.strip().splitlines()])]
    missing = [name for name, printed in OUTPUTS.items() if printed not in shown]
    assert not missing, f"add an example to the help for each of {missing}"
