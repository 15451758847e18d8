"""The three packages on a simulation of Windows; its docstring says what it cannot see."""

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Final, TypeAlias

import pytest

from artifacts import names_in
from bpetite import Tokenizer
from cli_tools import about_folder, bpetite_process, refused

_FOLDERS: Final = [str(Path(__file__).parent / "windows"), os.environ.get("PYTHONPATH", "")]
Run: TypeAlias = Callable[..., str]
WINDOWS: Final = {"PYTHONPATH": os.pathsep.join(filter(None, _FOLDERS))}
TEXT: Final = "low lower lowest é⛵\n"
LARGE: Final = ("lower" * 6 + " ") * 270_000
"""More than is read before workers start."""

on_windows = partial(bpetite_process, env=WINDOWS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a text and a tokenizer."""
    (tmp_path / "text").write_bytes(TEXT.encode())
    Tokenizer.train(TEXT, 260).save(tmp_path / "m.json")
    return tmp_path


def succeeded(*words: str, cwd: Path, stdin: bytes = b"") -> bytes:
    """Run a command, which has to succeed, and return its output."""
    done = on_windows(*words, cwd=cwd, stdin=stdin)
    assert (done.returncode, b"error" in done.stderr) == (0, False), done.stderr
    return done.stdout


@pytest.mark.parametrize("mode", [0o644, 0o444], ids=["writable", "read-only"])
def test_a_file_is_replaced_or_stays(run_python: Run, tmp_path: Path, mode: int) -> None:
    """Also a read-only file is replaced; if another program has it open, it stays as it is."""
    (tmp_path / "m.json").write_bytes(b"old")
    (tmp_path / "m.json").chmod(mode)
    program = """
        import os
        from bpetite import Tokenizer

        def refuse(source, destination):
            raise PermissionError(13, "in use", source, None, destination)

        trained, before = Tokenizer.train("low lower lowest", 260), os.stat("m.json").st_mode
        replace, os.replace = os.replace, refuse
        try:
            trained.save("m.json", overwrite=True)
        except PermissionError as error:
            print(error, os.listdir(), open("m.json").read(), os.stat("m.json").st_mode == before)
        os.replace = replace
        trained.save("m.json", overwrite=True)
        print(os.listdir(), Tokenizer.load("m.json") == trained, os.stat("m.json").st_mode & 0o222)
    """
    refused, replaced = run_python(program, folder=tmp_path, **WINDOWS).splitlines()
    assert refused == "[Errno 13] in use: 'm.json' ['m.json'] old True"
    assert replaced == f"['m.json'] True {mode & 0o222}"


def test_ids_go_there_and_back(folder: Path) -> None:
    """`train` gives the same tokenizer file, and `decode` the text that `encode --jobs 2` read."""
    train = ["train", "--input", "text", "--vocab-size", "260", "--output", "new.json"]
    succeeded(*train, cwd=folder)
    assert (folder / "new.json").read_bytes() == (folder / "m.json").read_bytes()
    Tokenizer.train(LARGE[:1000], 300).save(folder / "long.json")
    (folder / "large").write_bytes(LARGE.encode())
    encode = ["encode", "--model", "long.json", "--format", "u16", "--jobs", "2", "large"]
    ids = succeeded(*encode, cwd=folder)
    decode = ["decode", "--model", "long.json", "--format", "u16", "--output", "decoded"]
    succeeded(*decode, cwd=folder, stdin=ids)
    assert (folder / "decoded").read_bytes() == LARGE.encode()


def test_workers_ignore_ctrl_c(run_python: Run, tmp_path: Path) -> None:
    """A worker that gets Ctrl-C goes on; the first process ends it."""
    program = """
        import signal
        from bpetite_cli.jobs.workers import Workers
        if __name__ == '__main__':
            workers = Workers(signal.raise_signal, 1)
            print(workers.submit(signal.SIGINT).result())
            workers.close()
    """
    (tmp_path / "program.py").write_text(dedent(program))
    program = "import runpy; runpy.run_path('program.py', run_name='__main__')"
    assert run_python(program, folder=tmp_path, **WINDOWS) == "None\n"


@pytest.mark.parametrize("output", ["new\\", "empty"])
def test_a_folder_is_exported(folder: Path, output: str) -> None:
    """`export` makes a folder, also in place of an empty one; a folder with files stays."""
    (folder / "empty").mkdir()
    export = ["export", "--model", "m.json", "--to", "gpt2", "--output", output]
    succeeded(*export, cwd=folder)
    exported = folder / output.rstrip("/\\")
    assert names_in(exported) == ["merges.txt", "vocab.json"]
    assert set(names_in(folder)) == {"empty", "m.json", "text", exported.name}
    export[-1] = exported.name
    assert "is not empty" in refused(on_windows(*export, cwd=folder))[-1]
    succeeded(*export, "--force", cwd=folder)


def test_errors_explain_themselves(folder: Path) -> None:
    """A folder is called a folder, a backslash is written once, and a pattern must match."""
    (folder / "folder").mkdir()
    inspect, count = (["inspect", "--model"], ["count", "--model", "m.json"])
    no_model = "error: not a tokenizer file but a folder: folder (create one with `bpetite import`)"
    lost = r"error: tokenizer file not found: 'a b\nope.json' (create one with `bpetite train`)"
    for arguments, message in (
        *(([*inspect, "folder"], no_model), ([*inspect, r"a b\nope.json"], lost)),
        ([*count, "folder"], f"error: {about_folder('folder')}"),
        ([*count, "*.md"], "error: no file matches '*.md'; check the pattern"),
    ):
        assert refused(on_windows(*arguments, cwd=folder))[-1] == message


@pytest.mark.parametrize("option", [[], ["--files-from", "list"]])
def test_patterns_name_files(folder: Path, option: list[str]) -> None:
    """A pattern stands for the files that match, unless a file has that name."""
    for name in ("b.txt", "a.txt", "[c].txt", "?.md", "a.md"):
        (folder / name).write_bytes(TEXT.encode())
    (folder / "list").write_bytes(b"text")
    words = ["count", "--model", "m.json", *option, "*.txt", "[c]*", "?.md"]
    counted = succeeded(*words, cwd=folder).decode().splitlines()
    named = ["[c].txt", "a.txt", "b.txt", "[c].txt", "?.md", *(["text"] if option else [])]
    assert [line.split("\t")[1] for line in counted] == [*named, "total"]
    train = ["train", "--vocab-size", "260", "--output", "new.json", "--input", "*.txt"]
    assert json.loads(succeeded(*train, cwd=folder))["files"] == 3
