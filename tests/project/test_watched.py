"""No command opens a socket, starts a program, runs code or writes elsewhere, as a hook sees it.

`watched.py` is the program with the hook, and lists its exceptions.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from artifacts import GOOD
from bpetite_compare import export
from cli_tools import terminal
from compare_tools import CORPUS
from help_tools import BUILT_IN, OF_COMPARE, call_of, prepare_files
from project_tools import MEMBERS, PACKAGES, ROOT

NAME: Final = "named_by_a_file"
"""A module that does not exist. Its name occurs wherever an input can contain text."""

TEXT: Final = f"{NAME} low lower lowest\n" * 20
CALLS: Final = (
    f"train --input docs.jsonl --jsonl {NAME} --vocab-size 300 --output docs.json",
    "train --files-from list.txt --vocab-size 260 --output listed.json",
    "encode --model tokenizer.json --input text.txt --format u16 --output ids.bin",
    "decode --model tokenizer.json --input ids.bin --format u16 --output back",
    "count --model toy text.txt",
    "export --model tokenizer.json --to tiktoken --output ranks",
    "export --model tokenizer.json --to huggingface --output hf",
    "export --model tokenizer.json --to gpt2 --output gpt2",
    "import ranks --pattern gpt2 --special <s>=999 --output of-ranks.json",
    "import toy --output of-toy.json",
    "--completion bash",
)
"""More calls than `every_call` derives; some read what an earlier one writes."""


def every_call() -> list[list[str]]:
    """Return a good call of each command; two, which share their work, also with `--jobs 2`."""
    calls = [call_of(name) for name in (*BUILT_IN, *OF_COMPARE)]
    calls += [call_of(name, "--jobs", "2") for name in ("train", "encode")]
    named = [
        [f"{number}.json" if word == "new.json" else word for word in call]
        for number, call in enumerate(calls)
    ]
    return [*named, *map(str.split, CALLS)]


PLUGIN: Final = """
from tiktoken.load import load_tiktoken_bpe

def toy():
    ranks = load_tiktoken_bpe({url!r}, expected_hash={sha256!r})
    pattern = {pattern!r}
    return dict(name="toy", pat_str=pattern, mergeable_ranks=ranks, special_tokens={{}})

ENCODING_CONSTRUCTORS = {{"toy": toy}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the inputs of the calls, and an encoding in tiktoken's cache."""
    folder = tmp_path_factory.mktemp("watched")
    prepare_files(folder, CORPUS + TEXT)
    row = {NAME: NAME, "text": NAME, "count": 3}
    (folder / "docs.jsonl").write_text(f"{json.dumps(row)}\n")
    export(folder / "tokenizer.json", "tiktoken", folder / "toy.tiktoken")
    write_plugin(folder)
    return folder


def write_plugin(folder: Path) -> None:
    """Register the encoding "toy" in tiktoken, and put its file into a cache."""
    ranks = (folder / "toy.tiktoken").read_bytes()
    url = "https://127.0.0.1:9/toy.tiktoken"
    plugins = folder / "plugins" / "tiktoken_ext"
    plugins.mkdir(parents=True)
    (plugins / "toy.py").write_text(
        PLUGIN.format(
            url=url, sha256=hashlib.sha256(ranks).hexdigest(), pattern=GOOD["pretokenizer_pattern"]
        )
    )
    (folder / "cache").mkdir()
    (folder / "cache" / hashlib.sha1(url.encode()).hexdigest()).write_bytes(ranks)  # noqa: S324 - tiktoken's name


def watched(
    folder: Path, calls: Sequence[Sequence[str]], packages: Path | None = None
) -> list[str]:
    """Run calls in a terminal, with the packages of a folder, and return the report."""
    report = folder / "report"
    report.write_bytes(b"")
    (folder / "calls.json").write_text(json.dumps(calls))
    paths = [folder / "plugins", packages, os.environ.get("PYTHONPATH")]
    environment = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(str(path) for path in paths if path),
        "PYTHONUTF8": "1",
        "TERM": "xterm-256color",
        "TIKTOKEN_CACHE_DIR": str(folder / "cache"),
        "WATCHED_REPORT": str(report),
    }
    with terminal() as (theirs, shown):
        result = subprocess.run(
            [sys.executable, ROOT / "tests" / "watched.py", "calls.json"],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            timeout=120,
            check=False,
        )
    assert result.returncode == 0, shown.decode("utf-8", "replace")[-3000:]
    return report.read_text(encoding="utf-8").splitlines()


def violations(report: list[str]) -> list[str]:
    """Return the lines of a report that are violations."""
    others = ("main: watched", "worker: watched", "main: status ")
    return [line for line in report if not line.startswith(others)]


def test_every_command_keeps_to_its_files(folder: Path) -> None:
    """No command opens a socket, starts a program, runs code or writes anything but its output."""
    calls = every_call()
    report = watched(folder, calls)
    assert violations(report) == []
    statuses = [line for line in report if line.startswith("main: status ")]
    assert statuses == [f"main: status 0: {' '.join(call)}" for call in calls]
    assert report.count("main: watched") == 1
    # One worker does the work; the other may be killed before it has started.
    assert 2 <= report.count("worker: watched") <= 4


IMPORTS: Final = """
import contextlib, ctypes, os, pickle, socket
from importlib import import_module
"""
PLANTS: Final = {
    f"import_module({NAME!r})": f"import: {NAME}",
    "os.system('true')": "process: os.system",
    "os.posix_spawnp('true', ['true'], os.environ)": "process: os.posix_spawn",
    "socket.socket()": "socket: socket.__new__",
    "open('elsewhere', 'w')": "write: elsewhere",
    "os.rename('elsewhere', 'there')": "write: os.rename elsewhere there",
    "eval('1')": "code: exec by bpetite.planted",
    "compile('1', 'planted', 'exec')": "code: compile by bpetite.planted",
    "pickle.loads(b'cos\\ngetpid\\n.')": "code: pickle.find_class by bpetite.planted",
    "ctypes.CDLL(None)": "code: ctypes.dlopen",
}
"""Statements that break each rule, and the violation that is reported."""


def test_a_planted_violation_is_reported(folder: Path, tmp_path: Path) -> None:
    """Each rule sees what breaks it, in the first process and in a worker."""
    for member in MEMBERS:
        shutil.copytree(PACKAGES / member / "src", tmp_path, dirs_exist_ok=True)
    statements = "".join(
        f"    with contextlib.suppress(Exception):\n        {statement}\n" for statement in PLANTS
    )
    (tmp_path / "bpetite" / "planted.py").write_text(f"{IMPORTS}\ndef violate():\n{statements}")
    plant(
        tmp_path / "bpetite" / "_schema" / "checks.py", "    file, version = _checked_keys(parsed)"
    )
    plant(
        tmp_path / "bpetite_cli" / "jobs" / "workers.py", "    with suppress(EOFError, OSError):\n"
    )
    report = watched(
        folder, [["count", "--model", "tokenizer.json", "--jobs", "2", "text.txt"]], tmp_path
    )
    for process in ("main", "worker"):
        found = {line for line in violations(report) if line.startswith(f"{process}: ")}
        assert found == {f"{process}: {violation}" for violation in PLANTS.values()}


def plant(module: Path, before: str) -> None:
    """Have a module commit all violations before a line."""
    text = module.read_text()
    assert text.count(before) == 1
    indent = " " * (len(before) - len(before.lstrip()))
    module.write_text(
        text.replace(before, f"{indent}from bpetite import planted; planted.violate()\n{before}")
    )
