"""Disturb the saving of a file, and check what is left.

    kill N        N saves of 800 KB, each killed at a random instant
    interrupt N   the same with Ctrl-C
    calls ERRORS  make each system call of a save fail, or send a signal at it (needs strace)

After each save the destination must have the complete old or new content, and the folder must
contain no other file. Only a kill may leave one temporary file, and the next save must then
succeed. `calls` also saves as on a file system without hard links, where a kill may leave an
empty file. Prints the outcomes as one JSON object; the exit status is 1 if any was wrong.

`tests/core/test_saving.py` tests processes that save to one path at the same time.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from bpetite._writing import write_file

_OLD: Final = b"the old file"
_NEW: Final = bytes(range(256)) * 3200
_SMALL: Final = bytes(range(256)) * 256
_NAME: Final = "tokenizer.json"
_TEMPORARY: Final = re.compile(r"\.bpetite-[0-9a-f]{16}\.tmp")
_ERRORS: Final = ("EIO", "ENOSPC", "EINTR", "KILL", "TERM", "INT")
_DEADLY: Final = ("KILL", "TERM")

Seen = Counter[str]


class _Folder:
    """A folder for trying a save, and its files."""

    def __init__(self, place: Path, *, old: bool, links: bool = True) -> None:
        self.place = place
        self.links = links
        self.path = str(place / _NAME)
        if old:
            (place / _NAME).write_bytes(_OLD)
        self.before = {_NAME: _OLD} if old else {}

    def state(self, new: bytes, *, temporary_files: int = 0) -> str:
        """Return what the file has, and whether a temporary file is left; or what is wrong."""
        left = [path for path in self.place.iterdir() if _TEMPORARY.fullmatch(path.name)]
        files = {path.name: path.read_bytes() for path in self.place.iterdir() if path not in left}
        state = "new" if files == {_NAME: new} else "old" if files == self.before else "wrong: torn"
        if files == {_NAME: b""} and not self.links:
            state = "empty"
        if len(left) > temporary_files:
            return f"wrong: {state}, and {len(left)} temporary files"
        return f"{state}, and a temporary file" if left else state


@contextmanager
def _folder(*, old: bool, links: bool = True) -> Iterator[_Folder]:
    with tempfile.TemporaryDirectory() as place:
        yield _Folder(Path(place), old=old, links=links)


def _child(work: Callable[[], object]) -> int:
    """Run some work in a child process, which then exits; return its process id.

    SIGINT is blocked before, so that it cannot arrive while the child is still a copy of this.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    process = os.fork()
    if process:
        return process
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        work()
    finally:
        os._exit(0)


def at_random_instants(number: signal.Signals, runs: int) -> Seen:
    """Send a signal at a random instant of each of many saves; the next save must succeed."""
    seen: Seen = Counter()
    chance = random.Random(0)
    median = sorted(_time_of_a_save() for _ in range(11))[5]
    for run in range(runs):
        with _folder(old=run % 2 == 0) as folder:
            process = _child(partial(write_file, folder.path, _NEW, overwrite=True))
            time.sleep(chance.uniform(0, median))
            os.kill(process, number)
            os.waitpid(process, 0)
            seen[folder.state(_NEW, temporary_files=int(number == signal.SIGKILL))] += 1
            write_file(folder.path, _OLD, overwrite=True)
            if Path(folder.path).read_bytes() != _OLD:
                seen["wrong: the next save failed"] += 1
    return seen


def _time_of_a_save() -> float:
    with _folder(old=True) as folder:
        start = time.perf_counter()
        os.waitpid(_child(partial(write_file, folder.path, _NEW, overwrite=True)), 0)
        return time.perf_counter() - start


def save_once(path: str, *, overwrite: bool) -> None:
    """Save between two marks that are visible in a trace, and print the outcome."""
    outcome = "saved"
    os.access("/begin-of-save", os.F_OK)
    try:
        write_file(path, _SMALL, overwrite=overwrite)
    except OSError as error:
        outcome = "unsynced" if "is saved" in str(error) else "refused"
    except KeyboardInterrupt:
        outcome = "interrupted"
    os.access("/end-of-save", os.F_OK)
    print(outcome)


def _traced(folder: _Folder, *options: str) -> tuple[str, list[str]]:
    """Run `save_once` under strace; return its output and the lines of the trace."""
    if not folder.links:
        options = ("-e", "inject=/^link:error=EPERM", *options)
    with tempfile.NamedTemporaryFile("r") as trace:
        overwrite = "overwrite" if folder.before else "new"
        command = [sys.executable, "-B", __file__, "once", folder.path, overwrite]
        done = subprocess.run(
            ["strace", "-o", trace.name, *options, *command],
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return done.stdout.strip(), trace.read().splitlines()


def _calls_of_a_save(*, old: bool, links: bool) -> list[tuple[str, int]]:
    """Return the system calls of a save, each as its name and number among calls of that name."""
    with _folder(old=old, links=links) as folder:
        _, lines = _traced(folder)
    seen: Seen = Counter()
    calls: list[tuple[str, int]] = []
    inside = False
    for line in lines:
        name = line.partition("(")[0]
        seen[name] += 1
        inside = inside or "begin-of-save" in line
        if "end-of-save" in line:
            return calls
        # The kernel never fails `brk`, and glibc would crash.
        if inside and "begin-of-save" not in line and name != "brk" and "INJECTED" not in line:
            calls.append((name, seen[name]))
    raise RuntimeError("the trace does not hold the whole save")


def calls(errors: list[str]) -> Seen:
    """Inject each error or signal into each call of new saves, two ways, and of replacing ones."""
    seen: Seen = Counter()
    for old, links in ((False, True), (False, False), (True, True)):
        for name, number in _calls_of_a_save(old=old, links=links):
            for error in errors:
                # The number of earlier calls may vary: if the fault missed the save, try again.
                fault = partial(_with_a_fault, name, number, error, old=old, links=links)
                attempts = (fault() for _ in range(5))
                seen[next(filter(None, attempts), f"wrong: {name}, {error}: not met")] += 1
    return seen


def _with_a_fault(name: str, number: int, error: str, *, old: bool, links: bool) -> str | None:
    """Return the outcome of a fault, marked "wrong" if it is, or None if it missed the save."""
    what = "signal" if error in {"KILL", "TERM", "INT"} else "error"
    with _folder(old=old, links=links) as folder:
        fault = f"inject={name}:{what}={error}:when={number}"
        outcome, lines = _traced(folder, "-e", fault)
        inside = "\n".join(lines).partition("begin-of-save")[2].partition("end-of-save")[0]
        faults = [line for line in inside.splitlines() if "INJECTED" in line]
        if not links:  # `link` has a fault in any case
            faults = [line for line in faults if not line.startswith("link")]
        if not faults and f"SIG{error}" not in inside:
            return None
        outcome = outcome or "died"
        state = folder.state(_SMALL, temporary_files=int(error in _DEADLY or name == "unlink"))
    allowed = {"saved": "new", "unsynced": "new", "refused": "old"}.get(outcome, ("new", "old"))
    good = error in _DEADLY if outcome == "died" else state.startswith(allowed)
    good = good and "wrong" not in state
    return f"{outcome}: {state}" if good else f"wrong: {name}, {error}: {outcome}, {state}"


def main() -> int:
    """Run the section named on the command line; the module's docstring describes them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("section", choices=["kill", "interrupt", "calls", "once"])
    parser.add_argument("arguments", nargs="*")
    given = parser.parse_args()
    if given.section == "once":
        save_once(given.arguments[0], overwrite=given.arguments[1] == "overwrite")
        return 0
    if given.section == "calls":
        if shutil.which("strace") is None:
            parser.error("strace is not on PATH")
        seen = calls(given.arguments or list(_ERRORS))
    else:
        number = signal.SIGKILL if given.section == "kill" else signal.SIGINT
        seen = at_random_instants(number, int(given.arguments[0]))
    print(json.dumps(dict(+seen), sort_keys=True))
    return 1 if any("wrong" in what for what in +seen) else 0


if __name__ == "__main__":
    sys.exit(main())
