"""What all commands share: help, usage, plug-ins, and failures at the start."""

import json
import os
import re
import shlex
import subprocess
import sys
from ast import literal_eval
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import bpetite_cli
from bpetite._quoting import quoted
from bpetite_cli.errors import explain
from bpetite_cli.terminal.messages import say
from cli_tools import A, bpetite, bpetite_process, lines, refused, without_times
from help_tools import BUILT_IN, TEXTS, call_of


def test_the_version_names_what_results_depend_on() -> None:
    """`--version`, also of `python -m`, has the versions of the command and what it depends on."""
    for result in (bpetite("--version"), python("-m", "bpetite_cli", "--version")):
        assert result.stdout.decode() == (
            f"bpetite {version('bpetite-cli')} (bpetite-core {version('bpetite-core')}, "
            f"regex {version('regex')}, Python {'.'.join(map(str, sys.version_info[:3]))})\n"
        )


NO_INTEGERS = ("1_0", "٣", "+7", "-0", "1.0", "0x10", "''", "9" * 5000)
NO_IDS = ("72,", "72,,101", "'[72'", "'[72,a]'", "'[[72]]'", "72;101")
NO_JOBS = ("0", "257", "x", "1.0", "''")
NO_SIZES = ("100", "255", "-5", "abc", "1_000", "٣٠٠", "3e2", "9" * 40)
TABLE = Path(__file__).with_name("wrong_usage.txt").read_text(encoding="utf-8")
WRONG_USAGE = {
    **dict(re.findall(r"^(\S.*)\n    (.*)$", TABLE, re.MULTILINE)),
    **{f"decode --model m --ids 72 {n}": "--ids: expected an" for n in (*NO_INTEGERS, *NO_IDS)},
    **{f"train a --output x --vocab-size {n}": "--vocab-size: expected" for n in NO_SIZES},
    **{f"truncate --model m --output x --vocab-size {n}": "size: expected" for n in NO_SIZES},
    **{f"count --model m --jobs {n}": "--jobs: expected" for n in NO_JOBS},
}


@pytest.mark.parametrize("words", WRONG_USAGE, ids=lambda words: words[:60])
def test_wrong_usage_is_explained(words: str) -> None:
    """FR-9, FR-33: one line explains the mistake and lists valid values, another names the help."""
    first, *others = refused(bpetite(*shlex.split(words)), status=2)
    assert first.startswith("error: ")
    assert WRONG_USAGE[words] in first
    command = " ".join(["bpetite", *(word for word in words.split()[:1] if word in BUILT_IN)])
    assert others == ([] if "`bpetite --help`" in first else [f"see `{command} --help`"])


@pytest.mark.parametrize(
    ("words", "status"),
    [
        pytest.param(["--version"], 0, id="success"),
        pytest.param(["encode", "--model", "missing.json", "--text", "a"], 1, id="failure"),
        pytest.param(["count", "--nothing"], 2, id="wrong usage"),
    ],
)
def test_the_process_ends_with_the_status(tmp_path: Path, words: list[str], status: int) -> None:
    """FR-33: the installed command's own process ends with the status, its error on stderr."""
    done = bpetite_process(*words, cwd=tmp_path)
    assert done.returncode == status
    assert done.stderr.startswith(b"error: ") == bool(status)
    assert bool(done.stdout) != bool(status)


def test_arguments_may_begin_with_a_dash(model: Path) -> None:
    """Text with a space, a negative number and words after -- are not taken for options."""
    for words in (["--text", "--a b"], ["--text=--ab"]):
        assert bpetite("encode", *words, "--model", model).returncode == 0
    assert bpetite("decode", "--ids", "-5", "--model", model).returncode == 1  # it is no id


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["count", "--model", "m", "-\x1b]0;pwned\x07"], r"unknown option -\x1b]0;pwned\x07"),
        (["inspect", "--model", "m", "b\x1b[2J\nc"], r"arguments: b\x1b[2J\nc"),
        (["encode", "--model", "m", "--text", "--\u202e"], r"for --\u202e, write --text=--\u202e"),
        (["decode", "--model", "m", "--ids", "\u3164"], r"found '\u3164'"),
        (["\u2800\x1b"], r"unknown command '\u2800\x1b'"),
        (["count", "--model", "\x1b[2J\u2066\n"], r"not found: '\x1b[2J\u2066\n'"),
    ],
)
def test_arguments_are_escaped_for_the_terminal(words: list[str], shown: str) -> None:
    """No argument or file name can control a terminal, in our messages or argparse's."""
    result = bpetite(*words)
    assert (result.returncode, result.stdout) in {(1, b""), (2, b"")}
    assert shown in lines(result.stderr)[0]
    assert all(line.isprintable() for line in result.stderr.decode().split("\n"))


@given(st.text())
def test_a_message_has_no_control_characters(text: str) -> None:
    """A message contains only newlines and visible characters, whatever is inserted into it."""
    with redirect_stderr(StringIO()) as written:
        say(text)
    assert written.getvalue().count("\n") == text.count("\n") + 1
    assert written.getvalue().replace("\n", "").isprintable()
    assert not regex.search(r"\p{Default_Ignorable_Code_Point}", written.getvalue())


@pytest.mark.parametrize(
    "words",
    [
        "compare-tiktoken --model m.json --text hi",
        "export --model m.json --to gpt2 --output x",
        "import --from gpt2 --input x --output x",
        "parity --model m.json --input x",
        "count --encoding o200k_base",
    ],
)
def test_compare_commands_say_what_to_install(install: Callable[..., None], words: str) -> None:
    """FR-32, FR-35: without the package that has it, a command says what to install."""
    command = words.partition(" ")[0]
    named = "encoding o200k_base" if command == "count" else f"command {command}"
    install("bpetite_compare")  # an empty package
    ways = (
        "in a clone, with `uv tool install ./packages/cli --with ./packages/compare` or "
        "`pip install ./packages/compare`; from an address, add "
        "`--with git+URL#subdirectory=packages/compare` to the command with uv"
    )
    assert refused(bpetite(*words.split())) == [
        f"error: the {named} requires bpetite-compare, which is not installed",
        f"install it from where bpetite-cli came from: {ways}",
    ]


def test_user_files_do_not_shadow_modules(folder: Path) -> None:
    """The command finds its own modules, whatever files the folder contains."""
    for name in ("bpetite", "bpetite_cli", "regex", "rich", "json", "logging"):
        (folder / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    result = bpetite_process(*call_of("train"), cwd=folder)
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("bpetite", "", "No module named 'bpetite._inner'"),
        ("bpetite", "1/0", "ZeroDivisionError"),
        ("bpetite", "def (", "SyntaxError"),
        ("regex", "x = 1", "has no attribute 'compile'"),
    ],
)
def test_a_shadowing_module_is_named(here: Path, name: str, content: str, named: str) -> None:
    """`python -m` looks in the folder first; an error names the file that hides a module."""
    (here / f"{name}.py").write_text(content)
    first, second = refused(python("-m", "bpetite_cli", "--help"))
    assert first.startswith("error: bpetite cannot start: ")
    assert named in first
    assert second == (
        "a local file may shadow a Python module; rename it, or run bpetite from another folder"
    )


@pytest.mark.parametrize(
    "error",
    ["MemoryError()", "ImportError('x.so: failed to map segment from shared object')"],
    ids=["python", "shared library"],
)
def test_a_lack_of_memory_at_the_start_is_no_shadowing_module(here: Path, error: str) -> None:
    """If the modules do not fit into the memory, as with `ulimit -v 20000`, the advice says so."""
    (here / "regex.py").write_text(f"raise {error}")
    first, second = refused(python("-m", "bpetite_cli", "--help"))
    assert first == f"error: bpetite cannot start: {error}"
    assert second == "there is too little memory; raise its limit, such as that of `ulimit -v`"


WITHOUT_THREADS = """
import _thread, sys, threading
def refuse(*_, **__): raise RuntimeError("can't start new thread")
left = int(sys.argv[1])
name = "_start_joinable_thread"  # since Python 3.13
if not hasattr(threading, name):
    name = "_start_new_thread"
start = getattr(threading, name)
def start_some(*arguments, **options):
    global left
    left -= 1
    return refuse() if left < 0 else start(*arguments, **options)
setattr(threading, name, start_some)
from bpetite_cli import main
from bpetite_cli.terminal import progress
progress._PATIENCE_SECONDS = 0
progress.on_terminal = lambda: True
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("threads", [0, 1])
def test_a_command_needs_no_thread(here: Path, threads: int) -> None:
    """Where the system allows no thread, or one, a command works without a bar."""
    (here / "text.txt").write_text("ab " * 1_000_000)
    words = ["train", "text.txt", "--vocab-size", "258", "--output", "t.json", "--jobs", "1"]
    result = python("-c", WITHOUT_THREADS, str(threads), *words)
    assert (result.returncode, result.stderr.count(b"Traceback")) == (0, 0), result.stderr
    assert b"saved: t.json" in result.stderr


def test_a_lack_of_threads_is_no_bug(here: Path) -> None:
    """Where work in processes needs a thread that the system refuses, the way out is named."""
    (here / "text.txt").write_text("ab " * 3_000_000)
    words = ["train", "text.txt", "--vocab-size", "258", "--output", "t.json", "--jobs", "2", "-q"]
    (line,) = refused(python("-c", WITHOUT_THREADS, "0", *words))
    assert line == (
        "error: the system allows no more threads, or too little memory for one; use --jobs 1"
    )


def python(*words: str | os.PathLike[str]) -> subprocess.CompletedProcess[bytes]:
    """Run Python with these arguments."""
    return subprocess.run([sys.executable, *words], capture_output=True, check=False)


INTERRUPTED = """
import sys
def interrupt(event, details):
    if event == 'import' and details[0] == {!r}:
        raise KeyboardInterrupt
sys.addaudithook(interrupt)
from bpetite_cli import main
sys.exit(main(["encode"]))
"""


@pytest.mark.parametrize("module", ["bpetite_cli.app", "argparse", "regex", "bpetite"])
def test_interrupting_imports_exits_quietly(module: str) -> None:
    """Ctrl-C while modules are still loading ends with status 130 and no traceback."""
    result = python("-c", INTERRUPTED.format(module))
    assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")


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
    calls = [call_of(command) for command in BUILT_IN if command not in {"show", "truncate"}]
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


def test_a_lack_of_memory_is_no_bug() -> None:
    """A command that runs out of memory says so; Python's error has no text."""
    assert explain(MemoryError()) == "not enough memory for this input"


def test_a_bare_call_shows_the_help() -> None:
    """The help goes to standard error, because it was not asked for, and the status is 2."""
    result = bpetite()
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == bpetite("--help").stdout


@pytest.mark.parametrize(
    "words", [(), ("encode", "--text", "x"), *((command,) for command in BUILT_IN)]
)
def test_help_may_be_a_command(words: tuple[str, ...]) -> None:
    """`bpetite help COMMAND` prints what `bpetite COMMAND --help` prints."""
    result = bpetite("help", *words)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout == bpetite(*words[:1], "--help").stdout
    assert bpetite("help", "encoed").stderr == bpetite("encoed").stderr


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
            if hasattr(signal, "pthread_sigmask"):
                handlers.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))
            return handlers

        before = state()
        main(["--version"])
        main(["train", "a.txt", "--vocab-size", "256", "--output", "new", "--quiet"])
        assert state() == before
        logging.disable()
        main(["train", "a.txt", "--vocab-size", "256", "--output", "other", "--quiet"])
    """
    version, *results = run_python(program, folder=small).splitlines()
    assert version.startswith("bpetite ")
    assert [json.loads(line)["corpus_bytes"] for line in results] == [len(A)] * 2


NOT_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

OTHERS = (
    "--help",
    "encode --model tokenizer.json --txt a",
    "encode --model tokenizer.json --input -",
    "decode --model tokenizer.json --ids 72 999",
    "count --model tokenizer.json text.txt missing",
    "show --model tokenizer.json --input text.txt --steps",
)


@pytest.mark.parametrize("words", [*map(call_of, BUILT_IN), *map(str.split, OTHERS)], ids=" ".join)
def test_calls_match_the_script(words: list[str], folder: Path) -> None:
    """The installed program has the same status and output, and under any locale UTF-8."""
    for name in TEXTS:
        (folder / name).rename(folder / f"{name} é")
    call = [f"{word} é" if word in TEXTS else word for word in words]
    call += ["--force"] if "--output" in words else []
    stdin = "é <|endoftext|>".encode()
    called = bpetite(*call, stdin=stdin)
    encoded = [word.encode() for word in call]
    started = bpetite_process(*encoded, stdin=stdin, cwd=folder, env=NOT_UTF_8)
    assert called.returncode == started.returncode
    assert without_times(called.stdout) == without_times(started.stdout)
    assert without_times(called.stderr) == without_times(started.stderr)


TIKTOKEN = ("a .tiktoken file", "import --from tiktoken --input other --pattern NAME")
GPT2 = ("part of a GPT-2 tokenizer", "import --from gpt2 --input .")
PLAIN = ("plain text", "train --input other --vocab-size 512")
HUGGING_FACE = ("a Hugging Face tokenizer.json", "import --from huggingface --input other")
FOREIGN = [
    (b'{\n  "version": "1.0",\n  "truncation": null,\n  "added_tokens": [', *HUGGING_FACE),
    *((content, *TIKTOKEN) for content in (b"IQ== 0\nIg== 1\n", b"AA== 0\r\nAQ== 1\r\n")),
    *(
        (content, *GPT2)
        for content in (b'{"!": 0, "\\"": 1, "#": 2}', b"#version: 0.2\n\xc4\xa0 t\n")
    ),
    *(("船夫说\r\n\t<|endoftext|>".encode(), *PLAIN), (b"a" + "é".encode() * 40_000, *PLAIN)),
    (b"word 1\nword 2\n", *PLAIN),
]


@pytest.mark.parametrize(("content", "kind", "command"), FOREIGN)
def test_a_file_is_described(here: Path, content: bytes, kind: str, command: str) -> None:
    """FR-33: one line says what the file seems to be, another which command accepts it."""
    (here / "other").write_bytes(content)
    assert refused(bpetite("encode", "--model", "other", "--text", "a")) == [
        f"error: other is not a tokenizer file; it looks like {kind}",
        f"make one from it with `bpetite {command} --output NEW.json`",
    ]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b" \n", b"[72,101]", b"{}", b"\xff\xfea", b"a\0b", b"\x1f\x8b\x08"),
        b'{"mergeable_vocab_size": 300, "schema_version": 1, "merges": []}',
        b'{"schema_version": 1, "added_tokens": []}',
    ],
)
def test_damaged_or_unknown_files_show_their_first_error(here: Path, content: bytes) -> None:
    """A file that may be one of ours, or anything, is not guessed at."""
    (here / "other").write_bytes(content)
    line, *hints = refused(bpetite("inspect", "--model", "other"))
    assert line.startswith("error: cannot use this tokenizer file: other: ")
    assert len(hints) == (not content.strip())  # such a file ends too early


def test_a_path_with_a_space_is_quoted_in_the_command(here: Path) -> None:
    """The suggested command can be pasted into a shell."""
    (here / "a folder").mkdir()
    (here / "a folder" / "vocab.json").write_text('{"a": 0, "b": 1, "c": 2}')
    first, second = refused(bpetite("inspect", "--model", "a folder/vocab.json"))
    assert first.startswith("error: 'a folder/vocab.json' is not a tokenizer file; ")
    assert "`bpetite import --from gpt2 --input 'a folder' --output NEW.json`" in second


@pytest.mark.posix
@given(st.text() | st.from_regex(r"[a-z./ ]+", fullmatch=True))
def test_only_ambiguous_paths_are_quoted(path: str) -> None:
    """A path is shown as it is, or quoted like a Python string if it could be misread."""
    plain = all(character.isalnum() or character in "_./+@%=~-" for character in path)
    assert quoted(path) == (path if path and plain else repr(path))
    assert quoted(path) == path or literal_eval(quoted(path)) == path
    assert "\n" not in quoted(path)
