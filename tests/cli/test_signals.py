"""Signals that come again and again, until the process is gone, do what one does."""

import signal
import subprocess
import time
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path
from typing import Final

import pytest

from cli_tools import bpetite_process, call, printed, start, tuned

pytestmark = pytest.mark.posix

STATUS: Final = {signal.SIGINT: 130, signal.SIGTERM: 143, getattr(signal, "SIGHUP", 1): 129}
COUNT: Final = "count --model tokenizer.json text.txt --jobs 1"
ENCODE: Final = "encode --model tokenizer.json text.txt --output out --jobs 1"
ENCODE_SHARED: Final = "encode --model tokenizer.json text.txt --output out --jobs 2"

SITE: Final = """
import os, sys
moment = os.environ.pop("MOMENT", None)
def tell(event, details):
    global moment
    if details and f"{event} {details[0]}" == moment:
        moment = None
        os.write(2, b"now\\n")
sys.addaudithook(tell)
"""
"""Has a program, but not its workers, tell when it first imports a module or opens a file."""


def flooded(
    words: str, moment: str, number: int, folder: Path, site: Path
) -> subprocess.CompletedProcess[bytes]:
    """Run a command that gets a signal again and again from some moment on, until it is gone."""
    (site / "sitecustomize.py").write_text(SITE)
    env = {"PYTHONPATH": str(site), "MOMENT": moment}
    with start(*words.split(), cwd=folder, env=env) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"now\n"
        until = time.monotonic() + 60
        while process.poll() is None:
            process.send_signal(number)
            assert time.monotonic() < until
        # Its workers write to the same pipes: no orphan is left when these end.
        output, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        pytest.param(COUNT, "import bpetite_cli.app", id="at the start"),
        pytest.param(ENCODE, "open text.txt", id="as it reads, with an output"),
        pytest.param(
            ENCODE_SHARED, "import multiprocessing.popen_spawn_posix", id="as its workers start"
        ),
    ],
)
@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.thorough) for one in [*STATUS][1:])],
)
def test_many_signals_end_a_command_like_one(
    large: Path, here: Path, words: str, moment: str, number: signal.Signals
) -> None:
    """The first one ends it; the others, up to its last instant, change nothing."""
    result = flooded(words, moment, number, large, here)
    told = b"interrupted\n" if number == signal.SIGINT else b""
    assert (result.returncode, result.stdout) == (STATUS[number], b"")
    assert result.stderr in {told, b"" if moment.startswith("import bpetite") else told}
    assert sorted(path.name for path in large.iterdir()) == ["text.txt", "tokenizer.json"]


def test_signals_after_the_result_print_no_error(large: Path, here: Path) -> None:
    """If the result is written, the command ends as usual or with the status of the signal."""
    words = "inspect --model tokenizer.json --json"
    result = flooded(words, "open 1", signal.SIGINT, large, here)
    found = result.returncode, result.stderr
    assert found in {(0, b""), (130, b"interrupted\n"), (130, b"")}
    if result.returncode == 0:
        assert result.stdout == printed(words, cwd=large) != b""


ENDING: Final = """
import os, signal

class Thing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def fail_too(_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        raise AttributeError  # as argparse does, interrupted while it prepares its actions

def destroy(_):
    Thing()  # Python drops an error in a destructor
    os.kill(os.getpid(), signal.SIGTERM)

def add(commands):
    commands.add_parser("end").set_defaults(run={})
"""


@pytest.mark.parametrize(
    ("how", "status", "told"), [("fail_too", 130, b"interrupted\n"), ("destroy", 143, b"")]
)
def test_code_that_a_signal_interrupts_reports_no_error(
    install: Callable[..., None], here: Path, how: str, status: int, told: bytes
) -> None:
    """Interrupted code may fail in its own way, or drop the error: the signal is reported."""
    install("end", ENDING.format(how))
    result = bpetite_process("end", env={"PYTHONPATH": str(here)})
    assert (result.returncode, result.stdout, result.stderr) == (status, b"", told)


@pytest.mark.parametrize(
    ("method", "after"),
    [pytest.param("__init__", 1, id="start"), pytest.param("close", 0, id="end")],
)
def test_ctrl_c_cannot_separate_workers_from_their_end(
    monkeypatch: pytest.MonkeyPatch, small: Path, method: str, after: int
) -> None:
    """If it comes as workers start or end, they are ended, and then it is raised."""
    from bpetite_cli.jobs.workers import Workers

    steps: list[Callable[..., object]] = [getattr(Workers, method)]
    steps.insert(after, lambda *_: signal.raise_signal(signal.SIGINT))

    def interrupted(*given: object) -> None:
        for step in steps:
            step(*given)

    monkeypatch.setattr(Workers, method, interrupted)
    with tuned(worth=0), pytest.raises(KeyboardInterrupt):
        call("count -m m.json a.txt --jobs 2", cwd=small)
    left = active_children()
    for process in left:
        process.kill()  # or the tests would wait for them forever
    assert left == []
