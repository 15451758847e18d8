"""What the command line says of itself: the help, its examples, the completion of its words."""

import argparse
import gzip
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from bpetite_cli._parser import GROUPS, make_parser
from bpetite_compare import export
from cli_tools import BPETITE, bpetite, lines, pipeline
from compare_tools import CORPUS

NO_NETWORK: Final = {
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
    "NO_PROXY": "",
    "no_proxy": "",
    "TIKTOKEN_CACHE_DIR": os.devnull,
}
"""The environment of a program that can get nothing of tiktoken's."""


def subparsers() -> argparse.Action:
    """Return what argparse knows of the commands."""
    (action,) = (action for action in make_parser([])._actions if action.metavar == "COMMAND")
    return action


COMMANDS: Final[dict[str, str]] = {
    choice.dest: choice.help for choice in vars(subparsers())["_choices_actions"]
}
"""What the help says in a line of each command."""


def listed(shown: str) -> dict[str, list[tuple[str, str]]]:
    """Return the commands of each group in a help, with what is said of them."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for title, name, summary in re.findall(r"^(.{7})(\S+) {2,}(\S.*)$", shown, re.MULTILINE):
        if title.strip():
            assert title.strip() not in groups
            group = groups[title.strip()] = []
        group.append((name, summary))
    return groups


def test_every_command_is_in_the_help() -> None:
    """FR-32: `--help` lists each command once, by what it is for, with a line on it."""
    result = bpetite("--help", env={"COLUMNS": "80"})
    assert (result.returncode, result.stderr) == (0, b"")
    groups = listed(result.stdout.decode().partition("options:")[0])
    assert list(groups) == ["make", "use", "look", "prove"]
    assert {name: said for group in groups.values() for name, said in group} == COMMANDS
    assert sum(map(len, groups.values())) == len(COMMANDS)
    for group, names in GROUPS.items():
        assert [name for name, _ in groups[group]] == [name for name in names if name in COMMANDS]


def test_the_help_stays_on_one_screen() -> None:
    """On a terminal of 80 columns and 24 lines there is room for the prompt below the help."""
    shown = lines(bpetite("--help", env={"COLUMNS": "80"}).stdout)
    assert len(shown) <= 23
    assert max(map(len, shown)) <= 80


@pytest.mark.parametrize("columns", [40, 59, 60, 200])
def test_the_help_is_as_wide_as_the_terminal(columns: int) -> None:
    """A narrow terminal breaks what is said of a command, and loses none of it."""
    shown = bpetite("--help", env={"COLUMNS": str(columns)}).stdout.decode()
    list_of_commands = shown.split("\n\n")[2]
    assert max(map(len, list_of_commands.splitlines())) <= columns
    words = " ".join(list_of_commands.split())
    separator = " " if columns >= 60 else ": "
    assert all(f"{name}{separator}{said}" in words for name, said in COMMANDS.items())


def hide(package: str, folder: Path) -> Mapping[str, str]:
    """Return the environment in which a package seems to have no commands."""
    info = folder / f"{package}-0.dist-info"  # in front of the one that is installed
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0\n")
    return {"PYTHONPATH": str(folder), "COLUMNS": "80"}


def test_what_is_not_installed_is_in_no_group(tmp_path: Path) -> None:
    """Without the comparison its commands are named in a line of their own."""
    shown = bpetite("--help", env=hide("bpetite_compare", tmp_path)).stdout.decode()
    names = [name for group in listed(shown).values() for name, _ in group]
    assert {"export", "parity", "import-tiktoken", "compare-tiktoken"}.isdisjoint(names)
    assert lines(shown.partition("\n\noptions:")[0].encode())[-1] == (
        "with bpetite-compare also import-tiktoken, export, compare-tiktoken, parity"
    )


def test_a_command_of_another_package_is_in_a_group_of_its_own(tmp_path: Path) -> None:
    """FR-32: what other packages add stands in the help under `more`."""
    (tmp_path / "greeter.py").write_text(
        "def add(commands):\n    commands.add_parser('greet', help='say hello')\n"
    )
    info = tmp_path / "greeter-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[bpetite.commands]\ngreet = greeter:add\n")
    shown = bpetite("--help", env={"PYTHONPATH": str(tmp_path), "COLUMNS": "80"}).stdout.decode()
    assert listed(shown)["more"] == [("greet", "say hello")]


# the examples


def examples_in(epilog: str) -> Iterator[str]:
    """Yield the examples at the end of a help, each a line of the shell or several."""
    example = ""
    for line in epilog.removeprefix("example:\n").splitlines():
        example += f"{line.strip()}\n"
        if not line.endswith(("|", "\\", "&&", "||")):
            yield example
            example = ""


EXAMPLES: Final[dict[str, list[str]]] = {
    command: list(examples_in(parser.epilog))
    for command, parser in vars(subparsers())["choices"].items()
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the examples speak of."""
    folder = tmp_path_factory.mktemp("prepared")
    tokenizer = Tokenizer.train(CORPUS, 310)
    tokenizer.save(folder / "tokenizer.json")
    Tokenizer.train(CORPUS, 290).save(folder / "other.json")
    Tokenizer.train(CORPUS, 32000).save(folder / "big.json")
    for name in ("text.txt", "corpus.txt", "a.txt", "b.txt"):
        (folder / name).write_bytes(CORPUS.encode())
    (folder / "corpus.gz").write_bytes(gzip.compress(CORPUS.encode()))
    ids = tokenizer.encode(CORPUS)
    (folder / "ids.json").write_text(str(ids))
    (folder / "ids.txt").write_text("".join(f"{token_id}\n" for token_id in ids))
    (folder / "ids.bin").write_bytes(b"".join(token_id.to_bytes(2, "little") for token_id in ids))
    export(folder / "tokenizer.json", "tiktoken", folder / "model.tiktoken")
    return folder


def run_example(example: str, prepared: Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run an example in a copy of the prepared folder, without the files that it makes."""
    shutil.copytree(prepared, folder)
    for output in re.findall(r"--output (\S+)", example):
        (folder / output).unlink(missing_ok=True)
    return pipeline(example, folder)


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, id=f"{command} {number}")
        for command, examples in EXAMPLES.items()
        for number, example in enumerate(examples, 1)
    ],
)
def test_an_example_in_the_help_works(
    example: str,
    prepared: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """What stands in the help of a command as an example runs as it stands there.

    One that needs a file of tiktoken's is run once without any, which it must say.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name, value in NO_NETWORK.items():
            patch.setenv(name, value)
        result = run_example(example, prepared, tmp_path / "first")
    if result.returncode and b"set TIKTOKEN_CACHE_DIR" in result.stderr:
        request.getfixturevalue("tiktoken_cache")
        result = run_example(example, prepared, tmp_path / "second")
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples(command: str) -> None:
    """The help of each command has two examples or more, below lines that fit the screen."""
    shown = bpetite(command, "--help", env={"COLUMNS": "80"}).stdout.decode()
    above, _, _ = shown.partition("\nexample:\n")
    assert max(map(len, above.splitlines())) <= 80
    assert len(EXAMPLES[command]) >= 2
    assert all(f"bpetite {command} " in example for example in EXAMPLES[command])
    assert list(examples_in(shown.partition("\nexample:\n")[2])) == EXAMPLES[command]


@pytest.mark.parametrize("example", ["bpetite nonsense", "false | cat", "bpetite encode"])
def test_an_example_that_fails_is_found(example: str, prepared: Path, tmp_path: Path) -> None:
    """The status of an example is that of any of its programs."""
    assert run_example(example, prepared, tmp_path / "folder").returncode != 0


# the completion


def completed(words: str, folder: Path) -> list[str]:
    """Return what bash makes of the last word of a command line when the tab key is pressed."""
    program = f"""
        eval "$(bpetite --completion bash)"
        COMP_WORDS=({words}) COMP_CWORD={len(shlex.split(words)) - 1}
        function=$(complete -p bpetite | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        $function 2>/dev/null
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    result = pipeline(program, folder)
    assert result.returncode == 0, result.stderr.decode()
    return sorted(line for line in lines(result.stdout) if line)


@pytest.fixture
def some_files(tmp_path: Path) -> Path:
    """Return a folder with files to choose from."""
    for name in ("text.txt", "tokenizer.json", "my text.txt"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("bpetite ver", ["verify"]),
        ("bpetite --comp", ["--completion"]),
        ("bpetite --completion ''", ["bash", "fish", "zsh"]),
        ("bpetite verify --mo", ["--model"]),
        ("bpetite verify --model to", ["tokenizer.json"]),
        ("bpetite verify --model tokenizer.json --in", ["--input"]),
        ("bpetite train --input te", ["text.txt"]),
        ("bpetite train --input 'my t'", ["my text.txt"]),
        ("bpetite train --input text.txt to", ["tokenizer.json"]),
        ("bpetite train --input text.txt --vo", ["--vocab-size"]),
        ("bpetite export --to ''", ["gpt2", "huggingface", "tiktoken"]),
        ("bpetite parity --model to", ["tokenizer.json"]),
    ],
)
def test_bash_completes(words: str, expected: list[str], some_files: Path) -> None:
    """In bash the tab key completes commands, options, choices and the names of files."""
    assert completed(words, some_files) == expected


def test_bash_completes_every_command(tmp_path: Path) -> None:
    """What the help lists is what the tab key offers."""
    assert completed("bpetite ''", tmp_path) == sorted(COMMANDS)


def test_fish_completes(some_files: Path) -> None:
    """In fish the tab key completes, too."""
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    program = (
        "bpetite --completion fish | source;"
        "complete -C 'bpetite ver'; complete -C 'bpetite train --input text.txt --vo';"
        "complete -C 'bpetite verify --model to'"
    )
    result = pipeline(f"fish --no-config -c {shlex.quote(program)}", some_files)
    found = [line.partition("\t")[0] for line in lines(result.stdout)]
    assert found == ["verify", "--vocab-size", "tokenizer.json"]


def test_zsh_takes_the_completion(tmp_path: Path) -> None:
    """In zsh the words of `bpetite` are completed by a function of ours."""
    if shutil.which("zsh") is None:
        pytest.skip("there is no zsh")
    program = (
        "autoload -Uz compinit; compinit -u -D;"
        'eval "$(bpetite --completion zsh)"; print $_comps[bpetite]; whence -w $_comps[bpetite]'
    )
    result = pipeline(f"zsh -f -c {shlex.quote(program)}", tmp_path)
    assert result.stderr == b""
    assert lines(result.stdout) == ["_shtab_bpetite", "_shtab_bpetite: function"]


def test_another_shell_is_wrong_usage() -> None:
    """A shell for which there is no completion is refused, and those there are, are named."""
    result = bpetite("--completion", "tcsh")
    assert (result.returncode, result.stdout) == (2, b"")
    assert (
        b"choose from 'bash', 'zsh', 'fish'" in result.stderr or b"bash, zsh, fish" in result.stderr
    )


def test_the_completion_needs_no_installed_package(tmp_path: Path) -> None:
    """A shell that is starting is not held up by a package with a broken command."""
    (tmp_path / "broken.py").write_text("1/0")
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[bpetite.commands]\nbroken = broken:add\n")
    result = bpetite("--completion", "bash", env={"PYTHONPATH": str(tmp_path)})
    assert (result.returncode, result.stderr) == (0, b"")


def test_the_man_page_is_where_man_looks(tmp_path: Path) -> None:
    """Where the folder of `bpetite` is on the path, `man bpetite` finds its page."""
    if shutil.which("man") is None:
        pytest.skip("there is no man")
    path = f"{Path(BPETITE).parent}{os.pathsep}{os.environ['PATH']}"
    found = subprocess.run(
        ["man", "-w", "bpetite"],
        capture_output=True,
        env={**os.environ, "PATH": path, "MANPATH": ""},
        cwd=tmp_path,
        check=False,
    )
    share = Path(BPETITE).parent.parent / "share"
    found_at = Path(found.stdout.decode().strip()).resolve()
    assert found_at == (share / "man" / "man1" / "bpetite.1").resolve()
