"""What all commands share: help, usage, plug-ins, and failures at the start."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from threading import Thread

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import bpetite_cli
from bpetite._inner import PATTERNS
from bpetite_cli.commands import NAMES
from cli_tools import (
    A,
    bpetite,
    bpetite_process,
    call,
    in_terminal,
    printed,
    refusal,
    refused,
    tuned,
    without_times,
)
from help_tools import BUILT_IN, OPTIONS, SUMMARIES, TEXTS, call_of


def test_the_version_names_what_results_depend_on() -> None:
    """`--version`, also of `python -m`, has the versions of the command and what it depends on."""
    for result in (bpetite("--version"), python("-m", "bpetite_cli", "--version")):
        assert result.stdout.decode() == (
            f"bpetite {version('bpetite-cli')} (bpetite-core {version('bpetite-core')}, "
            f"regex {version('regex')}, Python {'.'.join(map(str, sys.version_info[:3]))})\n"
        )


TABLE = (
    Path(__file__)
    .with_name("wrong_usage.txt")
    .read_text(encoding="utf-8")
    .replace("{trained}", ", ".join(PATTERNS))
)
WRONG_USAGE = dict(re.findall(r"^(\S.*)\n    (.*)$", TABLE, re.MULTILINE))


@pytest.mark.parametrize("words", WRONG_USAGE, ids=lambda words: words[:60])
def test_wrong_usage_is_explained(words: str) -> None:
    """FR-9, FR-33: one line explains the mistake and lists valid values, another names the help."""
    first, *others = refused(bpetite(*shlex.split(words)), status=2)
    assert first.startswith("error: ")
    assert WRONG_USAGE[words] in first
    command = " ".join(["bpetite", *(word for word in words.split()[:1] if word in BUILT_IN)])
    assert others == ([] if "`bpetite --help`" in first else [f"see `{command} --help`"])


@pytest.mark.usefixtures("small")
def test_arguments_may_begin_with_a_dash() -> None:
    """Text with a space, a negative number and words after -- are not taken for options."""
    printed("encode -m m.json --text '--a b'")
    printed("encode -m m.json --text=--ab")
    assert call("decode --ids -5 -m m.json").returncode == 1  # it is no id


@pytest.mark.posix
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.text("ab./ ", min_size=1)
)
def test_a_path_is_shown_escaped_and_clear(path: str) -> None:
    """A path is shown as it is, or like a Python string if it could be misread; all is visible."""
    for words in (["count", "-m", "m", "--max", path], ["encode", f"--{path}"]):
        assert bpetite(*words).stderr.decode().replace("\n", "").isprintable()
    told = bpetite("inspect", f"--model={path}").stderr.decode()
    assert told.count("\n") in {1, 2}
    assert told.replace("\n", "").isprintable()
    assert not regex.search(r"\p{Default_Ignorable_Code_Point}", told)
    if path.isascii() and path.isprintable():
        plain = path and all(one.isalnum() or one in "_./+@%=~-" for one in path)
        assert (path if plain else repr(path)) in told


@pytest.mark.parametrize(
    "words",
    [
        "compare-tiktoken --model m.json --text hi",
        "import --from gpt2 --input x --output x",
        "parity --model m.json --input x",
        "count -m o200k_base",
        "encode -m gpt-4o --text hi",
        "compare -m m.json text",
        "sizes -m m.json a.txt --engine tiktoken",
    ],
)
@pytest.mark.usefixtures("small")
def test_compare_commands_say_what_to_install(install: Callable[..., None], words: str) -> None:
    """FR-32, FR-35: without the package that has it, a command says what to install."""
    command = words.partition(" ")[0]
    told = f"the command {command}"
    if command in {"count", "encode"}:
        told = f"{words.split()[2]} is not a file; the name of a model or an encoding"
    if command == "sizes":
        told = "--engine tiktoken"
    install("bpetite_compare")  # an empty package
    ways = (
        "in a clone, with `uv tool install ./packages/cli --with ./packages/compare` or "
        "`pip install ./packages/compare`; from an address, add "
        "`--with git+URL#subdirectory=packages/compare` to the command with uv"
    )
    assert refused(bpetite(*words.split())) == [
        f"error: {told} requires bpetite-compare, which is not installed",
        f"install it from where bpetite-cli came from: {ways}",
    ]


def test_user_files_do_not_shadow_modules(folder: Path) -> None:
    """The command finds its own modules, whatever files the folder contains."""
    for name in ("bpetite", "bpetite_cli", "regex", "rich", "json", "logging"):
        (folder / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    result = bpetite_process(*call_of("train"), cwd=folder)
    assert result.returncode == 0, result.stderr.decode()


TOO_LITTLE = "there is too little memory; raise its limit, such as that of `ulimit -v`"
AT_THE_START = {
    "def (": (
        "SyntaxError",
        "a local file may shadow a Python module; rename it, or run bpetite from another folder",
    ),
    "raise MemoryError()": ("MemoryError()", TOO_LITTLE),
    "raise ImportError('x.so: failed to map segment')": ("failed to map segment", TOO_LITTLE),
}


@pytest.mark.parametrize("content", AT_THE_START)
def test_an_error_at_the_start_is_named(here: Path, content: str) -> None:
    """`python -m` looks in the folder first; a lack of memory, as with `ulimit -v`, is another."""
    (here / "regex.py").write_text(content)
    first, second = refused(python("-m", "bpetite_cli", "--help"))
    assert first.startswith("error: bpetite cannot start: ")
    named, advice = AT_THE_START[content]
    assert (named in first, second) == (True, advice)


def refuse_threads(patch: pytest.MonkeyPatch, after: int) -> None:
    """Have the system allow only some more threads."""
    started = Thread.start
    left = iter(range(after))

    def start(thread: Thread) -> None:
        if next(left, None) is None:
            raise RuntimeError("can't start new thread")
        started(thread)

    patch.setattr(Thread, "start", start)


@pytest.mark.posix
@pytest.mark.parametrize("bar", ["bar_at_once", None])
def test_a_command_needs_no_thread(
    small: Path, monkeypatch: pytest.MonkeyPatch, bar: str | None, request: pytest.FixtureRequest
) -> None:
    """Where the system allows none, for a bar or for drawing it again, there is no bar."""
    if bar is not None:
        request.getfixturevalue(bar)
    refuse_threads(monkeypatch, after=1)  # the one that reads the terminal
    words = "train a.txt --vocab-size 258 --output t.json"
    status, _, drawn = in_terminal(words.split(), small)
    assert (status, b"saved: t.json" in drawn) == (0, True)


@pytest.mark.usefixtures("small")
def test_a_lack_of_threads_is_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where work in processes needs a thread that the system refuses, the way out is named."""
    refuse_threads(monkeypatch, after=0)
    with tuned(worth=0):
        told = refusal("chunks a.txt --jobs 2")
    assert told == [
        "error: the system allows no more threads, or too little memory for one; use --jobs 1"
    ]


def python(*words: str | os.PathLike[str]) -> subprocess.CompletedProcess[bytes]:
    """Run Python with these arguments."""
    return subprocess.run([sys.executable, *words], capture_output=True, check=False)


def test_import_loads_no_other_module() -> None:
    """`import bpetite_cli`, before Ctrl-C can be handled, loads no other module."""
    code = (
        "import sys; known = {*sys.modules}; sys.path.append(sys.argv[1]); import bpetite_cli\n"
        "print(*sys.modules.keys() - known)"
    )
    result = python("-I", "-S", "-c", code, Path(bpetite_cli.__file__).parents[1])
    assert result.stdout == b"bpetite_cli\n"


@pytest.mark.usefixtures("folder")
def test_a_command_loads_only_what_it_needs() -> None:
    """It loads no other command; off a terminal only `show`, which needs widths, loads rich."""
    left_out = {"show", "shrink", "truncate"}
    calls = [call_of(command) for command in BUILT_IN if command not in left_out]
    calls += [call_of("inspect", "--token", "256"), call_of("show", "--json")]
    code = (
        "import sys, bpetite_cli as b\n"
        "b.main(['count', '--help'])\n"
        "print(*(name for name in sys.modules if name.startswith('bpetite_cli.commands.')))\n"
        "print('importlib.metadata' in sys.modules)\n"
        f"sys.exit(any(b.main(words) for words in {calls}) or 'rich' in sys.modules)\n"
    )
    result = python("-c", code)
    assert result.returncode == 0, result.stderr.decode()
    assert b"\nbpetite_cli.commands.count\nFalse\n" in result.stdout


BROKEN = """
def add(commands):
    commands.add_parser('greet').set_defaults(run=lambda options: options.nothing)
"""


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import no", "the commands of greet cannot be loaded: No module named 'no'"),
        (BROKEN, "this is a bug in bpetite; please report it: AttributeError("),
    ],
)
def test_a_broken_plug_in_is_one_line(install: Callable[..., None], code: str, error: str) -> None:
    """An unexpected exception has no traceback, and the other commands still run."""
    install("greet", code)
    (line,) = refused(bpetite("greet"))
    assert line.startswith(f"error: {error}")
    assert bpetite("encode", "--help").returncode == 0


def test_a_bare_call_shows_the_help() -> None:
    """The help goes to standard error, because it was not asked for, and the status is 2."""
    result = bpetite()
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == bpetite("--help").stdout


def test_help_may_be_a_command() -> None:
    """`bpetite help COMMAND` prints what `bpetite COMMAND --help` prints."""
    assert printed("help") == printed("--help")
    assert printed("help encode --text x") == printed("encode --help")
    assert call("help encoed").stderr == call("encoed").stderr


def test_a_program_that_calls_main_keeps_its_state(
    run_python: Callable[..., str], small: Path
) -> None:
    """With arguments, `main` leaves signals and loggers as they are, and needs no logging."""
    program = """
        import logging
        import signal
        from bpetite_cli import main

        def state():
            logger = logging.getLogger("bpetite")
            handlers = [*map(signal.getsignal, sorted(signal.valid_signals()))]
            handlers += [logger.level, logger.propagate, *logger.handlers, *logging.root.handlers]
            return handlers

        before = state()
        main(["train", "a.txt", "--vocab-size", "256", "--output", "new", "--quiet"])
        assert state() == before
        logging.disable()
        main(["train", "a.txt", "--vocab-size", "256", "--output", "other", "--quiet"])
    """
    results = run_python(program, folder=small).splitlines()
    assert [json.loads(line)["corpus_bytes"] for line in results] == [len(A)] * 2


NOT_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

OTHERS = (
    "encode --model tokenizer.json --input -",
    "count --model tokenizer.json text.txt missing",
)


@pytest.mark.parametrize("words", [call_of("train"), *map(str.split, OTHERS)], ids=" ".join)
def test_the_process_ends_with_the_status(words: list[str], folder: Path) -> None:
    """FR-33: the installed program has the same status and output, and under any locale UTF-8."""
    for name in TEXTS:
        (folder / name).rename(folder / f"{name} é")
    given = [f"{word} é" if word in TEXTS else word for word in words]
    given += ["--force"] if "--output" in words else []
    stdin = "é <|endoftext|>".encode()
    called = bpetite(*given, stdin=stdin)
    encoded = [word.encode() for word in given]
    started = bpetite_process(*encoded, stdin=stdin, cwd=folder, env=NOT_UTF_8)
    assert called.returncode == started.returncode
    assert without_times(called.stdout) == without_times(started.stdout)
    assert without_times(called.stderr) == without_times(started.stderr)


FOREIGN = {
    b'{\n  "version": "1.0",\n  "truncation": null,\n  "added_tokens": [': "a file of Hugging Face",
    b'{"config": {}, "vocab": [{"rank": 0, "token_bytes": "AA=="': "a tekken.json",
    b"IQ== 0\nIg== 1\n": "a file of ranks, as tiktoken has",
    b'{"!": 0, "\\"": 1, "#": 2}': "part of a GPT-2 tokenizer",
    b"#version: 0.2\n\xc4\xa0 t\n": "part of a GPT-2 tokenizer",
    b"GGUF\3\0\0\0\xff": "a GGUF file",
    b"\n\x0e\n\5<unk>\x15": "a SentencePiece model",
    b"": "a folder",
}


@pytest.mark.parametrize("content", FOREIGN, ids=lambda content: repr(content[:20]))
def test_a_file_is_described(here: Path, content: bytes, install: Callable[..., None]) -> None:
    """FR-33: without bpetite-compare, the error says what the file is, and how to install it."""
    install("bpetite_compare")  # an empty package
    (here / "other").write_bytes(content) if content else (here / "other").mkdir()
    told, way_out = refusal("encode --model other --text a")
    missing = "opening it requires bpetite-compare, which is not installed"
    assert told == f"error: other is not a tokenizer file but {FOREIGN[content]}; {missing}"
    assert way_out.startswith("install it from where bpetite-cli came from: ")


@pytest.mark.parametrize(
    "content", ["船夫说\r\n\t<|endoftext|>".encode(), b"a" + "é".encode() * 40_000]
)
def test_a_text_is_no_tokenizer(here: Path, content: bytes) -> None:
    """FR-33: one line says what the file seems to be, another which command reads it."""
    (here / "my text").write_bytes(content)
    told, way_out = refusal("encode --model 'my text' --text a")
    assert told == "error: 'my text' is not a tokenizer file; it looks like plain text"
    command = "train --input 'my text' --vocab-size 512 --output NEW.json"
    assert way_out == f"make one from it with `bpetite {command}`"


@pytest.mark.parametrize(
    "content",
    [b" \n", b"[72,101]", b"\xffa", b"a\0b", b'{"schema_version": 1, "added_tokens": []}'],
)
def test_damaged_or_unknown_files_show_their_first_error(here: Path, content: bytes) -> None:
    """A file that may be one of ours, or anything, is not guessed at."""
    (here / "other").write_bytes(content)
    line, *hints = refusal("inspect --model other")
    assert line.startswith("error: cannot use this tokenizer file: other: ")
    assert len(hints) == (content == b" \n")  # such a file ends too early


# Tips for words that other programs use


def test_every_tip_names_what_exists() -> None:
    """A tip that names a command has only options of that command."""
    if {*NAMES} - {*SUMMARIES}:
        pytest.skip("some tips name commands of bpetite-compare")
    (table,) = Path(bpetite_cli.__file__).parent.rglob("other_words.txt")
    for words in re.findall("`bpetite ([^`]*)`", table.read_text("ascii")):
        command, *others = words.split()
        assert command in {*NAMES, "--version", "--completion"}
        assert {word for word in others if word.startswith("--")} <= OPTIONS.get(command, {*others})


MISSES = {
    "encode --farca": "",  # two letters apart
    "encode --seporatar-tokan": "",  # three letters apart
    "count --tax": "",  # too short to be sure
    "encode --fo": "",  # two begin so
    "encode --outptu": "; did you mean --output?",
    "encode --outp": "; did you mean --output?",
    "truncate --Vocb-Szie": "; did you mean --vocab-size?",
    "truncate --vocabsize": "; did you mean --vocab-size?",
}


@pytest.mark.parametrize("words", MISSES)
def test_only_near_misses_are_guessed(words: str) -> None:
    """One wrong letter in four to seven, two in more, and one name fits."""
    (error, _) = refusal(words, status=2)
    assert error == f"error: unknown option {words.split()[1]}{MISSES[words]}"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words",
    [
        "encode -m openai/gpt-4o-mini text.txt",
        "verify -m tokenizer.json --start openai/gpt-2 text.txt",
        "truncate -m some/gpt4all --vocab-size 256 -o new.json",
    ],
)
def test_the_name_of_a_model_gets_the_way_that_works(words: str) -> None:
    """For a path that does not exist, a tip says how to get the tokenizer of a model."""
    line, told = refusal(words)
    assert line.startswith("error: tokenizer file not found: ")
    assert told.startswith("for a model of OpenAI, `bpetite import gpt-4o --output NEW.json` makes")


@pytest.mark.posix
def test_help_without_standard_output_is_an_error() -> None:
    """FR-33: the help is a result, which needs a place to go."""
    (told,) = refused(bpetite("train", "--help", closed="stdout"))
    assert told == "error: standard output is closed; redirect it to a file or a program"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("word", ["--text=--", "-m=--", "--document-separator=--"])
def test_two_dashes_are_no_value(word: str) -> None:
    """Argparse would lose them, so they are refused."""
    first, _ = refusal(f"count {word}", status=2)
    assert "cannot have the value --, which ends the options" in first
