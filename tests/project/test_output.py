"""Every command's JSON has the fields of docs/reference/output.schema.json."""

import argparse
import json
import shlex
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from tiktoken import registry

from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_cli.app import make_parser
from bpetite_compare import export, to_tiktoken
from cli_tools import bpetite
from compare_tools import UNREACHABLE
from project_tools import ROOT

TEXT: Final = "low lower lowest x abc"
SCHEMA: Final = json.loads((ROOT / "docs" / "reference" / "output.schema.json").read_bytes())
OUTPUTS: Final = {
    "train": [
        "train -i text --vocab-size 270 -o new.json",
        "train --counts counts --vocab-size 256 -o x.json",
    ],
    "truncate": ["truncate -m m.json --vocab-size 257 -o new.json"],
    "import": [
        "import --from tiktoken -i ranks -o new.json --id-map map",
        "import-tiktoken --ranks ranks -o x.json",
    ],
    "export": [
        "export -m m.json --to tiktoken -o new --special '<|user|>'",
        "export -m m.json --to huggingface -o hf",
    ],
    "encode --output": ["encode -m m.json -o ids --text é", "encode -m m.json text -o ids --force"],
    "decode --output": ["decode -m m.json --ids 72 -o new", "decode -m m.json --ids -o none"],
    "count --json": ["count -m m.json --json text none --max 1", "count -m m.json --json"],
    "show --json": ["show -m m.json --json text", "show -m m.json --json --text é"],
    "inspect --json": ["inspect -m m.json --json", "inspect -m odd.json --json"],
    "inspect --token --json": ["inspect -m m.json --json --token 257"],
    "inspect --tokens": ["inspect -m m.json --tokens"],
    "verify": ["verify -m m.json -i text", "verify -m odd.json -i text"],
    "parity": ["parity -m m.json -i text", "parity -m odd.json -i text"],
    "compare-tiktoken": [
        "compare-tiktoken -m m.json --text '' --encoding self",
        "compare-tiktoken -m m.json -i text --encoding gpt2",
        "compare-tiktoken -m odd.json --text abc --encoding self",
    ],
    "compare-tiktoken --report": [
        "compare-tiktoken -m m.json -i text --report --encoding gpt2",
        "compare-tiktoken -m m.json -i - --report --encoding gpt2",
    ],
}
"""Calls of every command for each kind of output; some print it with status 1."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the calls' input; tiktoken gets a "gpt2" that needs no download."""
    (tmp_path / "text").write_text(TEXT)
    (tmp_path / "counts").write_text('{"text": "low", "count": 3}\n')
    Tokenizer.train(TEXT, 265).save(tmp_path / "m.json")
    write_artifact(tmp_path / "odd.json", UNREACHABLE)
    export(tmp_path / "m.json", "tiktoken", tmp_path / "ranks")
    Tokenizer.train("abc", 258).save(tmp_path / "other.json")
    monkeypatch.setattr(registry, "ENCODINGS", {"gpt2": to_tiktoken(tmp_path / "other.json")})
    return tmp_path


def objects(call: str, folder: Path) -> list[dict[str, Any]]:
    """Return the objects that a call prints, one in each line."""
    result = bpetite(*shlex.split(call), cwd=folder)
    assert result.returncode in {0, 1}
    assert result.stdout, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def validator(output: str) -> Draft202012Validator:
    """Return the validator of a kind of output."""
    return Draft202012Validator({**SCHEMA["$defs"][output], "$defs": SCHEMA["$defs"]})


def test_every_command_is_listed() -> None:
    """Each installed command has calls above for everything that it prints."""
    (commands,) = (
        action.choices
        for action in make_parser([])._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert {call.split()[0] for calls in OUTPUTS.values() for call in calls} == set(commands)
    wanted = {
        f"{name} {option}"
        for name, parser in commands.items()
        for option in ("--json", "--tokens", "--report")
        if option in parser._option_string_actions
    }
    assert wanted - set(OUTPUTS) == set()
    assert [schema["$ref"] for schema in SCHEMA["anyOf"]] == [
        f"#/$defs/{output.replace(' ', '%20')}" for output in OUTPUTS
    ]


@pytest.mark.parametrize("output", OUTPUTS)
def test_output_has_the_fields_of_the_schema(output: str, folder: Path) -> None:
    """FR-34: exactly these fields are present, in order, with their types."""
    check = validator(output)
    for call in OUTPUTS[output]:
        for found in objects(call, folder):
            check.validate(found)
            assert list(found) == SCHEMA["$defs"][output]["required"]
    for name in found:
        assert not check.is_valid({key: value for key, value in found.items() if key != name})
        assert not check.is_valid({**found, name: [{}]})
    assert not check.is_valid({**found, "other": 1})


@pytest.mark.parametrize(
    ("output", "field"),
    [
        ("count --json", "per_file"),
        ("inspect --json", "longest"),
        ("inspect --token --json", "tree"),
        ("verify", "difference"),
        ("parity", "difference"),
        ("compare-tiktoken", "difference"),
        ("compare-tiktoken", "bpetite"),
        ("compare-tiktoken --report", "rows"),
    ],
)
def test_an_inner_object_is_checked_as_strictly(output: str, field: str, folder: Path) -> None:
    """Inner objects also have exactly their fields."""
    found = objects(OUTPUTS[output][-1], folder)[0]
    validator(output).validate(found)
    inner = found[field][0] if isinstance(found[field], list) else found[field]
    changed = [
        {**inner, "other": 1},
        *({key: inner[key] for key in inner if key != name} for name in inner),
    ]
    for other in changed:
        wrapped = [other] if isinstance(found[field], list) else other
        assert not validator(output).is_valid({**found, field: wrapped})
