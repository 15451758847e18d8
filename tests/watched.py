"""Run calls of bpetite in one process, and write down whatever it must not do.

    WATCHED_REPORT=report python watched.py calls.json

calls.json is an array of calls: the words after `bpetite`. The report, an existing file, gets a
line for each violation, each process and each call.

An audit hook sees what Python and its standard library do, in this process and in workers: each
worker runs this file before it works. It does not see inside `regex` and `tiktoken`, which are
not Python. `importlib.import_module` raises no audit event, so a finder sees the imports.

Exceptions, and why:

    .pyc files       Python writes them next to the modules; the test turns that off.
    workers          `--jobs 2` starts a Python process for each, and one that removes what they
                     leave behind. A worker is connected by a pair of sockets that reaches no
                     network, and gets its work pickled by the process that started it.
    code as text     `dataclasses`, `collections` and `typing` of the standard library make code
                     of the names and types of fields.
    tiktoken         It imports its lists of encodings, the modules of `tiktoken_ext`. It reads
                     an encoding from its cache, and would write there after a download.
"""

import json
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Final, TypeAlias

_Arguments: TypeAlias = tuple[object, ...]

_IN_WORKER: Final = __name__ == "__mp_main__"
_MODULES: Final = sys.stdlib_module_names | {
    *("bpetite", "bpetite_cli", "bpetite_compare", "regex", "rich", "tiktoken", "tiktoken_ext"),
    *("_wmi", "org"),  # the standard library looks for parts of Windows and of Jython
}
_TRUSTED: Final = tuple({str(Path(path).resolve()) for path in sys.path[1:] if Path(path).is_dir()})
_PROCESSES: Final = {
    *("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"),
    *("os.startfile", "os.system", "pty.spawn"),
}
_RENAMES: Final = {"os.link", "os.rename", "os.symlink"}
_CHANGES: Final = {
    *("os.chmod", "os.chown", "os.mkdir", "os.remove", "os.rmdir", "os.setxattr", "os.truncate"),
    *("os.utime", "shutil.rmtree"),
}
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_WRITERS_OF_CODE: Final = {"collections", "dataclasses", "typing"}
_LOADERS: Final = ("_frozen_importlib", "importlib._bootstrap")
_START: Final = ("--multiprocessing-fork", "from multiprocessing.resource_tracker import main")

_report = -1
_outputs: list[re.Pattern[str]] = []
_workers = _IN_WORKER


def _watch(event: str, arguments: _Arguments) -> None:
    """The audit hook: report a violation, and let it happen."""
    for violation in _violations(event, arguments):
        _write(violation)


def _violations(event: str, arguments: _Arguments) -> Iterator[str]:
    if event.startswith("socket.") and not (_workers and arguments[1:2] == (socket.AF_UNIX,)):
        yield f"socket: {event}"
    elif event in _PROCESSES:
        yield f"process: {event}"
    elif event == "watched.fork_exec" and not (_workers and _starts_worker(arguments[0])):
        yield f"process: {arguments[0]}"
    elif event == "open":
        path, _, flags = arguments
        if isinstance(flags, int) and flags & _WRITING and not _may_write(path):
            yield f"write: {path}"
    elif event in _RENAMES | _CHANGES:
        paths = arguments[: 1 + (event in _RENAMES)]
        if not all(map(_may_write, paths)):
            yield f"write: {event} {' '.join(map(str, paths))}"
    elif what := _code(event, arguments):
        yield f"code: {what}"


def _starts_worker(words: object) -> bool:
    """Return whether these are the words that start a worker, or what cleans up after workers."""
    assert isinstance(words, Sequence)
    return any(start in os.fsdecode(word) for word in words for start in _START)


def _may_write(path: object) -> bool:
    """Return whether a path is an output of the call, or its temporary file or folder."""
    if isinstance(path, int):
        return True  # a descriptor: opening it was another event
    assert isinstance(path, str | bytes | os.PathLike)
    name = os.path.abspath(os.fsdecode(path))
    return any(output.fullmatch(name) for output in _outputs)


def _pattern_of(output: str) -> re.Pattern[str]:
    """Return a pattern of an output and its temporary file, and of the files in both.

    To get a file in a folder, `tempfile` opens the folder.
    """
    folder, name = os.path.split(os.path.abspath(output))
    temporary = r"\.bpetite-\w+\.tmp"
    return re.compile(rf"{re.escape(folder)}(/({re.escape(name)}|{temporary})(/[^/]+)?)?")


def _code(event: str, arguments: _Arguments) -> str | None:
    """Return what an event says about running code that is not a module of ours or Python's."""
    if event.startswith("ctypes."):
        return event
    if event not in {"compile", "exec", "marshal.load", "marshal.loads", "pickle.find_class"}:
        return None
    caller = sys._getframe(3).f_globals.get("__name__", "")
    if event == "pickle.find_class":
        allowed = _workers and caller.startswith("multiprocessing.")
    elif caller.startswith(_LOADERS):
        allowed = True
    elif event == "exec" and isinstance(code := arguments[0], CodeType):
        allowed = code.co_filename.startswith(_TRUSTED) or caller in _WRITERS_OF_CODE
    else:
        allowed = event == "compile" and caller in _WRITERS_OF_CODE
    return None if allowed else f"{event} by {caller}"


class _Finder:
    """Finds nothing, and reports the names of modules that are not among ours or Python's."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Report the name of a module that is about to be imported."""
        if name.partition(".")[0] not in _MODULES:
            _write(f"import: {name}")


def _write(line: str) -> None:
    process = "worker" if _IN_WORKER else "main"
    os.write(_report, f"{process}: {line}\n".encode("utf-8", "backslashreplace"))


def _watch_processes() -> None:
    """Make the start of a process an audit event also where Python has none."""
    with suppress(ImportError):  # Windows
        import _posixsubprocess

        start: Callable[..., int] = _posixsubprocess.fork_exec

        def fork_exec(*arguments: object) -> int:
            sys.audit("watched.fork_exec", *arguments)
            return start(*arguments)

        vars(_posixsubprocess)["fork_exec"] = fork_exec


def _install() -> None:
    global _report  # noqa: PLW0603 - a hook has no other place for it
    _report = os.open(os.environ["WATCHED_REPORT"], os.O_WRONLY | os.O_APPEND)
    _watch_processes()
    sys.meta_path.insert(0, _Finder)
    sys.addaudithook(_watch)
    _write("watched")


def _run(calls: Sequence[Sequence[str]]) -> None:
    """Run the calls, and report the status of each."""
    global _workers  # noqa: PLW0603 - the hook reads it
    from bpetite_cli import main, pipe

    worth_workers = pipe._WORTH_WORKERS
    for words in calls:
        _outputs[:] = [
            _pattern_of(path) for option, path in pairwise(words) if option == "--output"
        ]
        _workers = "--jobs" in words
        vars(pipe)["_WORTH_WORKERS"] = 0 if _workers else worth_workers
        sys.argv = ["bpetite", *words]
        _write(f"status {main()}: {' '.join(words)}")


if _IN_WORKER:
    _install()
elif __name__ == "__main__":
    to_run = json.loads(Path(sys.argv[1]).read_bytes())
    _install()
    _run(to_run)
