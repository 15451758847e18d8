"""Call `bpetite` in this process, or start it as its users do, and read its output."""

import json
import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from threading import Thread
from types import ModuleType
from typing import IO, Any, Final, Literal, TypeAlias, TypeVar

import pytest
import regex

from bpetite_cli import main

if sys.platform != "win32":
    import resource
    import termios

BPETITE: Final = shutil.which("bpetite", path=sysconfig.get_path("scripts")) or "not installed"

LINE: Final = "Hello world, hello words. 船夫说 船夫 ⛵⛵ the end \n\n<|endoftext|>\n"
LARGE: Final = LINE * 112_000  # more than is read before workers start
A: Final = "Hello world, hello words.\n"
B: Final = "船夫 ⛵⛵ and <|endoftext|>\n"
"""The texts of the fixture `small`."""

Stream: TypeAlias = Literal["stdin", "stdout", "stderr"]
Env: TypeAlias = Mapping[str, str] | None
Found = TypeVar("Found")

_STREAMS: Final[dict[Stream, str]] = {"stdin": "r", "stdout": "w", "stderr": "w"}
_SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_ENDED_BY_SIGNAL: Final = {128 + number for number in _SIGNALS}
_TEMPORARY: Final = gettempdir()
_LAST: Final = b"\0the last bytes of a terminal\0"


class Result(subprocess.CompletedProcess[bytes]):
    """What a command did."""

    @property
    def told(self) -> list[str]:
        """The lines of standard error."""
        return lines(self.stderr)


def bpetite(
    *arguments: str | os.PathLike[str] | bytes,
    stdin: bytes | Path = b"",
    env: Env = None,
    cwd: Path | None = None,
    stdout: Path | None = None,
    closed: Stream | None = None,
) -> Result:
    """Run `bpetite` to its end in this process.

    Files replace the descriptors 0, 1 and 2. Everything that the command changes is restored.

    Args:
        *arguments: what follows `bpetite` on the command line.
        stdin: what to read, or a file that `<` would open.
        env: additions to the environment.
        cwd: the folder to run it in.
        stdout: a file that `>` would open; its content is not returned.
        closed: a stream that the shell would close, as `>&-` does.
    """
    words = [BPETITE, *map(os.fsdecode, arguments)]
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile(dir=_TEMPORARY)) for _ in range(3)]
        descriptors: list[int | None] = [file.fileno() for file in files]
        if isinstance(stdin, Path):
            descriptors[0] = stack.enter_context(stdin.open("rb")).fileno()
        else:
            files[0].write(stdin)
            files[0].seek(0)
        if stdout is not None:
            descriptors[1] = stack.enter_context(stdout.open("wb")).fileno()
        if closed is not None:
            descriptors[list(_STREAMS).index(closed)] = None
        status = _call(words, descriptors, env or {}, cwd)
        output, errors = map(_content, files[1:])
    return Result(words, status, output, errors)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _call(
    words: list[str], descriptors: Sequence[int | None], env: Mapping[str, str], cwd: Path | None
) -> int:
    """Call the console script's function with these descriptors as 0, 1 and 2; None is closed."""
    with _process_restored(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        patch.setitem(sys.modules, "__main__", ModuleType("main"))  # workers would load pytest
        os.environ.update(env)
        if cwd is not None:
            patch.chdir(cwd)
        with _standard_streams(descriptors, patch):
            status = main()
    if status in _ENDED_BY_SIGNAL:
        raise KeyboardInterrupt  # the signal was meant for the tests, but the command handled it
    return status


@contextmanager
def _standard_streams(
    descriptors: Sequence[int | None], patch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Replace the descriptors 0, 1 and 2, and Python's streams for them."""
    sys.stdout.flush()
    sys.stderr.flush()
    with ExitStack() as stack:
        for number, kept in enumerate([os.dup(number) for number in range(3)]):
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
        for number, descriptor in enumerate(descriptors):
            if descriptor is None:
                os.close(number)
            else:
                os.dup2(descriptor, number)
        for number, (name, mode) in enumerate(_STREAMS.items()):
            if descriptors[number] is None:
                patch.setattr(sys, name, None)
                continue
            errors = "backslashreplace" if name == "stderr" else "strict"
            stream = stack.enter_context(
                open(number, mode, encoding="utf-8", errors=errors, newline="\n", closefd=False)
            )
            patch.setattr(sys, name, stream)
        yield


@contextmanager
def _process_restored() -> Iterator[None]:
    """Restore signals and environment; meanwhile only own handlers get log records."""
    environment = dict(os.environ)
    handlers = {number: signal.getsignal(number) for number in _SIGNALS}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, []) if sys.platform != "win32" else set()
    hook = sys.unraisablehook
    of_pytest, logging.root.handlers = logging.root.handlers, []
    try:
        yield
    finally:
        logging.root.handlers = of_pytest
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        sys.unraisablehook = hook
        os.environ.clear()
        os.environ.update(environment)


def without_times(output: bytes) -> bytes:
    """Return an output without the duration of the training."""
    return re.sub(
        rb'("elapsed_ms": |"seconds": )[\d.]+|(?<![\d.,])[\d.,]{1,20}(?= m?s\b)', rb"\1", output
    )


def in_terminal(words: Sequence[str], cwd: Path, env: Env = None) -> tuple[int, bytes, bytes]:
    """Return the exit status, standard output, and what a terminal as standard error shows."""
    status, shown, output = _with_terminal("2", words, cwd, {"COLUMNS": "100", **(env or {})})
    return status, output, shown


def shown_in_terminal(
    words: Sequence[str],
    cwd: Path,
    env: Env = None,
    *,
    columns: int = 80,
    typed: bytes = b"",
    streams: str = "12",
) -> tuple[int, str]:
    """Return the exit status, and what a terminal shows.

    `streams` has the descriptors that the terminal is; if something is `typed`, as soon as the
    terminal shows something, it is standard input too.
    """
    streams = "012" if typed else streams
    status, shown, _ = _with_terminal(streams, words, cwd, env, columns, typed)
    return status, shown.decode("utf-8").replace("\r\n", "\n")


def _with_terminal(
    streams: str, words: Sequence[str], cwd: Path, env: Env, columns: int = 80, typed: bytes = b""
) -> tuple[int, bytes, bytes]:
    """Run `bpetite` in this process, with a terminal as some of the descriptors "0", "1", "2".

    Returns:
        The exit status, what was sent to the terminal, and what to a file as standard output.
    """
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.delenv("COLUMNS", raising=False)
        patch.delenv("NO_COLOR", raising=False)
        files = [stack.enter_context(TemporaryFile()) for _ in range(3)]
        with terminal(columns, typed) as (theirs, shown):
            own = [file.fileno() for file in files]
            ends = [theirs if str(number) in streams else own[number] for number in range(3)]
            status = _call([BPETITE, *words], ends, {"TERM": "xterm-256color", **(env or {})}, cwd)
        return status, bytes(shown), _content(files[1])


def terminal_width(text: str) -> int:
    """Return how many cells a text takes in a terminal that knows no sequences, as wcwidth does."""
    return sum(map(_width_of_character, text))


def _width_of_character(character: str) -> int:
    jamo = "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7fb"
    if jamo or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    # Of `regex`: Unicode 16 made U+2630 and others wide, and Python may have older tables.
    return 2 if regex.match(r"[\p{East_Asian_Width=W}\p{East_Asian_Width=F}]", character) else 1


@contextmanager
def terminal(columns: int = 80, typed: bytes = b"") -> Iterator[tuple[int, bytearray]]:
    """Make a terminal; yield its descriptor, and what is sent to it."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    shown = bytearray()

    def watch() -> None:
        left = typed
        with suppress(OSError):  # at its end
            while not shown.endswith(_LAST) and (read := os.read(ours, 65536)):
                shown.extend(read)
                left = left[os.write(ours, left) :] if left else b""

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield theirs, shown
    finally:
        # On Linux, closing our end first would lose data in transit. On macOS, the end of a
        # program that controls the terminal closes their end.
        with suppress(OSError):
            os.write(theirs, _LAST)
        watcher.join(timeout=60)
        assert not watcher.is_alive()
        if shown.endswith(_LAST):
            del shown[-len(_LAST) :]
        os.close(theirs)
        os.close(ours)


@contextmanager
def limited_file_size(size: int) -> Iterator[None]:
    """Limit the size of files to this many bytes, to simulate a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def bpetite_process(
    *arguments: str | os.PathLike[str] | bytes,
    stdin: bytes = b"",
    env: Env = None,
    cwd: Path | None = None,
) -> Result:
    """Run the installed `bpetite` to its end; `env` is added to the environment."""
    with start(*arguments, cwd=cwd, env=env) as process:
        output, errors = process.communicate(stdin, timeout=60)
    errors = errors.replace(os.linesep.encode(), b"\n")  # only messages are text
    return Result(arguments, process.returncode, output, errors)


def start(
    *arguments: str | os.PathLike[str] | bytes,
    cwd: Path | None,
    stdin: int | IO[bytes] = subprocess.PIPE,
    stdout: int | IO[bytes] = subprocess.PIPE,
    env: Env = None,
    before: Sequence[str] = (),
    new_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start the installed `bpetite`, after words that run a command, without waiting for it."""
    return subprocess.Popen(
        [*before, BPETITE, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        start_new_session=new_session,
    )


def wait_for(happened: Callable[[], Found | None]) -> Found:
    """Return the first true result of a function that is called for a minute at most."""
    for _ in range(6_000):
        if result := happened():
            return result
        time.sleep(0.01)
    pytest.fail("it did not happen within a minute")


def on_screen(sent: str) -> list[str]:
    """Return the lines that a terminal shows in the end."""
    rows, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|.", sent, re.DOTALL):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, column = row + 1, 0
            rows += [""] * (row == len(rows))
        elif part.endswith("A") and part[0] == "\x1b":
            row -= int(part[2:-1] or 1)
        elif part == "\x1b[2K":
            rows[row] = ""
        elif part[0] == "\x1b":
            assert re.fullmatch(r"\x1b\[([0-9;]*m|\?25[hl])", part)  # colors, and the cursor
        else:
            rows[row] = f"{rows[row][:column]:<{column}}{part}{rows[row][column + 1 :]}"
            column += 1
    return "\n".join(line.rstrip() for line in rows).rstrip("\n").split("\n")


BLOCK: Final = 1 << 16
"""How many bytes commands read at once."""

FIGURES: Final = {
    "block": "bpetite_cli.io.inputs._BLOCK_BYTES",  # how much is read at once
    "batch": "bpetite_cli.pipe._CHARACTERS_OF_A_BATCH",
    "worth": "bpetite_cli.pipe._WORTH_WORKERS",  # what is read before workers start
    "held": "bpetite_cli.io.outputs._HELD_IN_MEMORY",
}
"""Figures of the command line whose real size would make tests slow, by their names."""


@contextmanager
def tuned(**figures: int) -> Iterator[None]:
    """Run commands with other figures, by their names in FIGURES."""
    with pytest.MonkeyPatch.context() as patch:
        for name, figure in figures.items():
            patch.setattr(FIGURES[name], figure)
        yield


def lines(output: bytes) -> list[str]:
    return output.decode("utf-8").splitlines()


def refused(result: subprocess.CompletedProcess[bytes], status: int = 1) -> list[str]:
    """Check that a command has failed and printed nothing; return the lines of standard error.

    The first line is the error; a second one, if any, is help.
    """
    assert (result.returncode, result.stdout) == (status, b"")
    shown = lines(result.stderr)
    assert [line.startswith("error: ") for line in shown[-2:]].count(True) == 1, shown
    return shown


def call(words: str, *more: str, stdin: bytes | Path = b"", cwd: Path | None = None) -> Result:
    """Run a command line, as it is typed after `bpetite`, and more words as they are."""
    return bpetite(*shlex.split(words), *more, stdin=stdin, cwd=cwd)


def printed(words: str, *more: str, stdin: bytes | Path = b"", cwd: Path | None = None) -> bytes:
    """Return what a command line prints; the command must succeed."""
    result = call(words, *more, stdin=stdin, cwd=cwd)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def rows_of(words: str, *more: str, stdin: bytes = b"", cwd: Path | None = None) -> list[Any]:
    """Return the lines of JSON that a command line prints; the command must succeed."""
    return [json.loads(line) for line in lines(printed(words, *more, stdin=stdin, cwd=cwd))]


def in_words(
    words: str, *more: str, stdin: bytes | Path = b"", cwd: Path | None = None
) -> list[str]:
    """Return the lines for people that a command line prints; the command must succeed."""
    return lines(printed(words, *more, "--output-format", "text", stdin=stdin, cwd=cwd))


def refusal(words: str, *more: str, status: int = 1, stdin: bytes | Path = b"") -> list[str]:
    """Return what `refused` returns for a command line."""
    return refused(call(words, *more, stdin=stdin), status)


def verified(words: str) -> tuple[int, dict[str, Any], list[str]]:
    """Return the status of a `verify`, its figures, and its lines without those of training."""
    result, shown = call(words), call(words, "--output-format", "text")
    assert (result.stdout.count(b"\n"), shown.stderr) == (1, result.stderr)
    (end,) = (place for place, line in enumerate(shown.told) if line.startswith("trained: "))
    told = [*lines(shown.stdout), *shown.told[end + 1 :]]
    return result.returncode, json.loads(result.stdout), told


def check_result(words: Sequence[str], cwd: Path) -> None:
    """Check that a terminal gets lines for people, a program JSON, and either what it asks for."""
    env = {"COLUMNS": "200", "NO_COLOR": "1"}
    piped, text = (
        bpetite(*words, *more, cwd=cwd, env=env) for more in ([], ["--output-format", "text"])
    )
    assert all(isinstance(json.loads(line), dict) for line in lines(piped.stdout))
    shown = lines(text.stdout)
    assert (bool(piped.stdout), [line for line in shown if line.startswith("{")]) == (True, [])
    saved = [line for line in shown if line.startswith("saved: ")]
    assert "saved: " not in (piped.stderr + text.stderr).decode()
    for more, expected, streams in (
        ([], text, "1"),
        ([], text, "12"),
        (["--json"], piped, "1"),
        (["--output-format", "json"], piped, "12"),
        (["--quiet"], text, "12"),
    ):
        status, sent = shown_in_terminal([*words, *more], cwd, env, streams=streams)
        sent = re.sub(r"\x1b\[[01]m", "", sent)  # rich writes bold without color
        assert status == 0
        assert without_times(sent.encode()) == without_times(expected.stdout)
    for more, expected, told in (
        (["--json"], piped, saved),
        (["--quiet"], piped, []),
        (["--output-format", "text"], text, []),
    ):
        status, output, sent_besides = in_terminal([*words, *more], cwd, env)
        assert (status, without_times(output)) == (0, without_times(expected.stdout))
        assert without_times(sent_besides).split(b"\r\n")[:-1] == [
            without_times(line.encode()) for line in told
        ]


def pipeline(command: str, cwd: Path) -> Result:
    """Run a shell command with this environment's `bpetite` first on the path."""
    path = f"{Path(BPETITE).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        capture_output=True,
        env={**os.environ, "PATH": path},
        cwd=cwd,
        timeout=60,
        check=False,
    )
    return Result(done.args, done.returncode, done.stdout, done.stderr)
