"""What all commands share: help, usage, plug-ins, and failures at the start."""

import os
import re
import shlex
import subprocess
import sys
from argparse import Namespace
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
from bpetite_cli.errors import explain
from bpetite_cli.strict_parser import StrictParser
from bpetite_cli.terminal.messages import say
from cli_tools import bpetite, bpetite_process, lines, refused
from help_tools import BUILT_IN, call_of


def test_the_version_names_what_results_depend_on() -> None:
    """`--version` prints the versions of the command, the core, `regex` and Python."""
    result = bpetite("--version")
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
        ("encode --text '--a b'", 0),
        ("encode --text=--ab", 0),
        ("decode --ids -5", 1),  # a number, but not an id
    ],
)
def test_arguments_may_begin_with_a_dash(model: Path, words: str, status: int) -> None:
    """Text with a space, a negative number and words after -- are not taken for options."""
    assert bpetite(*shlex.split(words), "--model", model).returncode == status


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["count", "--model", "m", "-\x1b]0;pwned\x07"], r"unknown option -\x1b]0;pwned\x07"),
        (["-\x9bn"], r"unknown option -\x9bn"),
        (["inspect", "--model", "m", "b\x1b[2J\nc"], r"arguments: b\x1b[2J\nc"),
        (["encode", "--model", "m", "--text", "--\u202e"], r"for --\u202e, write --text=--\u202e"),
        (["encode", "--model", "m", "--text", "a", "--format", "\x1bc"], r"choice: '\x1bc'"),
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
    ("words", "named"),
    [
        ("compare-tiktoken --model m.json --text hi", "command compare-tiktoken"),
        ("export --model m.json --to gpt2 --output x", "command export"),
        ("import --from gpt2 --input x --output x", "command import"),
        ("parity --model m.json --input x", "command parity"),
        ("count --encoding o200k_base", "encoding o200k_base"),
    ],
)
def test_compare_commands_say_what_to_install(
    install: Callable[..., None], words: str, named: str
) -> None:
    """FR-32, FR-35: without the package that has it, a command says what to install."""
    install("bpetite_compare")  # an empty package
    requirements = (
        "`bpetite-cli[compare]` from where you got bpetite-cli; with uv, that is "
        "`./packages/cli[compare]` in a clone, and from an address "
        "`bpetite-cli[compare] @ git+URL#subdirectory=packages/cli`"
    )
    assert refused(bpetite(*words.split())) == [
        f"error: the {named} requires bpetite-compare, which is not installed",
        f"install {requirements}",
    ]


PLUG_IN = """
def add(commands):
    parser = commands.add_parser("greet", help="say hello")
    parser.set_defaults(run=lambda options: print("hello"))
"""


def test_another_package_can_add_a_command(install: Callable[..., None], here: Path) -> None:
    """FR-32: a package adds a command by declaring an entry point for it."""
    install("greet", PLUG_IN)
    assert bpetite_process("greet", env={"PYTHONPATH": str(here)}).stdout == b"hello\n"
    assert bpetite("greet").stdout == b"hello\n"


def test_user_files_do_not_shadow_modules(folder: Path) -> None:
    """The command finds its own modules, whatever files the folder contains."""
    for name in ("bpetite", "bpetite_cli", "regex", "rich", "json", "logging"):
        (folder / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    result = bpetite_process(*call_of("train"), cwd=folder)
    assert result.returncode == 0, result.stderr.decode()


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("bpetite", "", "No module named 'bpetite._patterns'"),
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


def python(*words: str | os.PathLike[str]) -> subprocess.CompletedProcess[bytes]:
    """Run Python with these arguments."""
    return subprocess.run([sys.executable, *words], capture_output=True, check=False)


def test_python_m_is_the_same_command() -> None:
    """`python -m bpetite_cli` works if the script is not on the path."""
    assert python("-m", "bpetite_cli", "--version").stdout == bpetite("--version").stdout


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
def test_rich_is_imported_only_to_draw() -> None:
    """Off a terminal only `show` loads a part of rich, the character widths."""
    calls = [call_of(command) for command in BUILT_IN if command not in {"show", "truncate"}]
    calls += [call_of("inspect", "--token", "256"), call_of("show", "--json")]
    code = (
        "import sys, bpetite_cli as b\n"
        f"assert not any(b.main(words) for words in {calls})\n"
        "assert 'rich' not in sys.modules\n"
        f"assert b.main({call_of('show')}) == 0  # takes widths of it\n"
        "sys.exit('rich.console' in sys.modules)\n"
    )
    result = python("-c", code)
    assert result.returncode == 0, result.stderr.decode()


def test_only_the_command_that_is_run_is_loaded() -> None:
    """A command does not load what only other commands need; the help loads them all."""
    code = (
        "import sys, bpetite_cli as b\n"
        "b.main(sys.argv[1:])\n"
        "print(*(name for name in sys.modules if name.startswith('bpetite_cli.commands.')))\n"
        "print(*{'rich', 'importlib.metadata'} & sys.modules.keys())\n"
    )
    loaded = lines(python("-c", code, "count", "--help").stdout)[-2:]
    assert loaded == ["bpetite_cli.commands.count", ""]
    assert len(lines(python("-c", code, "-h").stdout)[-2].split()) == len(BUILT_IN)


BROKEN = """
def add(commands):
    commands.add_parser('greet').set_defaults(run=lambda options: options.nothing)
"""


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "import nothing_of_that_name",
            "the commands of greet cannot be loaded: No module named 'nothing_of_that_name'",
        ),
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


def test_a_program_that_calls_main_keeps_its_signals(run_python: Callable[..., str]) -> None:
    """With arguments, `main` leaves handlers and blocked signals as they are."""
    program = """
        import signal
        from bpetite_cli import main

        def signals():
            handlers = [*map(signal.getsignal, sorted(signal.valid_signals()))]
            if hasattr(signal, "pthread_sigmask"):
                handlers.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))
            return handlers

        before = signals()
        main(["--version"])
        assert signals() == before
    """
    assert run_python(program).startswith("bpetite ")


def parse(words: str) -> Namespace:
    """Parse with a parser that no command has."""
    parser = StrictParser(prog="print")
    parser.add_argument("page", nargs="*", action="same as", option="--pages", metavar="PAGE")
    parser.add_argument("--pages", nargs="+", action="paths")
    parser.add_argument("--all", action="store_true")
    parser.set_defaults(alternatives=(["--pages"], ["--all"]))
    return parser.parse_args(words.split())


def test_the_parser_knows_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    """An argument names the option that it stands for; the parser has no names of its own."""
    assert parse("a -- -b").pages == ["a", "-b"]
    for words in ("a --all", "a --pages b", ""):
        with pytest.raises(SystemExit):
            parse(words)
    assert capsys.readouterr().err.splitlines()[::2] == [
        "error: argument --all: not allowed with argument PAGE",
        "error: argument PAGE: not allowed with argument --pages",
        "error: one of the arguments PAGE --pages --all is required",
    ]
