"""Several processes: the result is the same for any number of them, and nothing is left behind."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from multiprocessing import resource_tracker, util
from pathlib import Path

import pytest

from artifacts import write_artifact
from bpetite_cli.jobs import available_cores
from cli_tools import (
    BPETITE,
    LARGE,
    LINE,
    bpetite_process,
    in_terminal,
    lines,
    pipeline,
    printed,
    refusal,
    refused,
    start,
    tuned,
    wait_for,
    without_times,
)
from help_tools import call_of, having

OUT = ("--output", "out", "--force")
COMMANDS = {
    name: call_of(name, *(OUT if name in having("--output") else ()))[1:]
    for name in having("--jobs")
}
"""The arguments of a call of each command that shares its work."""

EVERYDAY = ("train", "encode")
needs_ps = pytest.mark.skipif(shutil.which("ps") is None, reason="there is no ps")
"""Checked before a test starts a process, whose output a later test would find."""


# The number of processes


WAYS = (
    "encode -m tokenizer.json text.txt",
    "encode -m tokenizer.json --format u16 -",
    "encode -m tokenizer.json docs --jsonl text --separator-token --output out --force",
    "count -m tokenizer.json nothing text.txt short docs",
    "count -m tokenizer.json --by-token docs --jsonl text",
    "chunks --input -",
    "train --vocab-size 400 --output out --force text.txt short docs",
    "train --vocab-size 400 --output out --force --counts docs",
    "verify -m tokenizer.json docs --jsonl text",
)
"""Calls with files, a pipe, JSON Lines, texts with counts, an output and a missing file."""


@pytest.mark.thorough
@pytest.mark.parametrize("words", WAYS)
def test_results_do_not_depend_on_the_process_count(large: Path, here: Path, words: str) -> None:
    """The status, the standard output and the saved file are the same, whatever `--jobs` is."""
    shutil.copytree(large, here, dirs_exist_ok=True)
    (here / "short").write_text(LINE)
    rows = ({"text": f"{LINE * 99}{number}", "count": number + 1} for number in range(1400))
    (here / "docs").write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = set()
    for jobs in 1, 2, 8:
        result = bpetite_process(*words.split(), f"-j{jobs}", stdin=LARGE.encode(), cwd=here)
        saved = (here / "out").read_bytes() if "--output" in words else None
        results.add((result.returncode, without_times(result.stdout), saved))
    assert len(results) == 1
    assert result.returncode == 0 or "verify" in words or "nothing" in words


@pytest.mark.usefixtures("small")
def test_training_counts_in_processes() -> None:
    """The file is that of one process."""
    for jobs in ("1", "2"):
        with tuned(worth=0, batch=10):
            printed(f"train a.txt b.txt --vocab-size 270 --output {jobs} -j{jobs}")
    assert Path("1").read_bytes() == Path("2").read_bytes()


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_results_are_in_order(here: Path) -> None:
    """Ids come in the order of the text, although the first takes much longer than all others.

    The bar shows all of them.
    """
    write_artifact(here / "m.json", [(97, 98)])
    texts = ["ab" * 100_000, *(f"{number}" for number in range(40))]
    (here / "docs").write_text("".join(f"{json.dumps({'text': text})}\n" for text in texts))
    words = ["encode", "-m", "m.json", "docs", "--jsonl", "text", "--jobs", "2"]
    with tuned(worth=0, batch=1):
        status, ids, drawn = in_terminal(words, here)
    assert json.loads(ids) == [256] * 100_000 + [*"".join(texts[1:]).encode()]
    assert (status, b" 99%" in drawn) == (0, True)


@pytest.mark.posix
def test_the_number_of_processes_is_that_of_the_cores(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is that of the cores that the system allows, and at most 8."""
    started: list[Sequence[object]] = []
    start_program = util.spawnv_passfds

    def start_another(_: bytes, words: Sequence[object], kept: Sequence[int]) -> int:
        started.append(words)
        return start_program(os.fsencode(shutil.which("true") or ""), [b"true"], kept)

    resource_tracker.ensure_running()
    monkeypatch.setattr(util, "spawnv_passfds", start_another)
    (here / "text").write_text("low " * 1000)
    for cores in 64, 2:
        started.clear()
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, n=cores: {*range(n)}, raising=False)
        with tuned(worth=0):
            told = refusal("chunks text")
        assert told[0] == "error: a worker process ended unexpectedly: exit status 0"
        assert len(started) == min(available_cores(), 8)


def test_a_container_limits_the_number_of_cores(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest quota counts, of the own group and of those around it; parts are rounded up."""
    (here / "own").write_text("3:cpu,cpuacct:/x\n0::/a/b\n")
    (here / "a/b").mkdir(parents=True)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {*range(6)}, raising=False)
    for name, quota, expected in (
        ("cpu.max", "max 100000", 6),
        ("cpu.max", "250000 100000", 3),
        ("a/b/cpu.max", "max 100000", 3),
        ("a/cpu.max", "180000 100000", 2),
    ):
        (here / name).write_text(f"{quota}\n")
        assert available_cores(str(here), "own") == expected
    # A platform without cgroups, and one without affinity.
    assert available_cores(str(here), "nothing") == 6
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert available_cores(str(here), "nothing") == 5


NO_MEMORY = """
def add(name, ordinary, download): return count, True, ""
def count(text): raise MemoryError
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_lack_of_memory_is_no_bug(install: Callable[..., None], here: Path, jobs: str) -> None:
    """A command that runs out of memory says so, in any of its processes."""
    install("bpetite_compare")  # an empty package
    install("words", NO_MEMORY, "bpetite.encodings")
    (here / "text").write_text("low")
    with tuned(worth=0):
        told = refusal("count --model x text --jobs", jobs)
    assert told == ["error: not enough memory for this input"]


# How it ends


@needs_ps
@pytest.mark.posix
@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=[pytest.mark.thorough][one in EVERYDAY :]) for one in COMMANDS],
)
def test_a_killed_worker_is_an_error(large: Path, command: str) -> None:
    """The command fails, explains why, suggests a way out, and writes nothing."""
    (large / "out").unlink(missing_ok=True)
    with start(command, *COMMANDS[command], "--jobs", "2", cwd=large) as process:
        os.kill(first_worker(process), signal.SIGKILL)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, b"")
    *_, first, second = lines(errors)
    assert first.startswith("error: a worker process ended unexpectedly: killed ")
    assert second == "if memory ran out, use fewer processes: --jobs 1"
    check_cleaned_up(large)


@needs_ps
@pytest.mark.posix
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143)],
)
def test_a_signal_ends_all_processes(large: Path, number: signal.Signals, status: int) -> None:
    """A signal to the whole group, as a terminal sends it, is reported once and leaves nothing."""
    (large / "out").unlink(missing_ok=True)
    words = ("encode", *COMMANDS["encode"], "--jobs", "3")
    with start(*words, cwd=large, new_session=True) as process:
        worker = first_worker(process)
        os.killpg(process.pid, number)
        output, errors = process.communicate(timeout=60)
    told = b"interrupted\n" if number == signal.SIGINT else b""
    assert (process.returncode, output, errors) == (status, b"", told)
    assert worker not in workers()
    check_cleaned_up(large)


ORPHAN = """
import os, pathlib, time
PARENT = os.getppid()
def add(name, ordinary, download): return count, True, ""
def count(text):
    pathlib.Path("begun").touch()
    while os.getppid() == PARENT: time.sleep(0.01)
"""


@needs_ps
@pytest.mark.posix
def test_workers_end_if_the_parent_is_killed(
    install: Callable[..., None], large: Path, here: Path
) -> None:
    """No process survives a first process that was killed without cleaning up, or complains."""
    install("bpetite_compare")  # an empty package
    install("orphan", ORPHAN, "bpetite.encodings")
    words = ("count", "--model", "x", large / "text.txt", "--jobs", "3")
    with start(*words, cwd=here, env={"PYTHONPATH": str(here)}) as process:
        worker = first_worker(process)
        wait_for(Path("begun").exists)
        process.kill()
        assert process.communicate(timeout=60) == (b"", b"")
    wait_for(lambda: worker not in workers())


@pytest.mark.posix
def test_a_failed_process_start_is_explained(large: Path) -> None:
    """The error has the reason, and suggests a way that needs no process."""
    limited = f"ulimit -n 7; exec {BPETITE} count --model tokenizer.json text.txt --jobs 8"
    assert refused(pipeline(limited, large)) == [
        "error: cannot start another process: Too many open files; use --jobs 1"
    ]


def first_worker(process: subprocess.Popen[bytes]) -> int:
    """Wait for the first worker of a command and return it; fail if the command ends before."""

    def found() -> list[int]:
        assert process.poll() is None
        return workers(process.pid)

    return wait_for(found)[0]


def workers(parent: int | None = None) -> list[int]:
    """Return the worker processes that run, of one command or of all."""
    listed = subprocess.run(
        [*("ps", "-A", "-ww"), *("-o", "pid="), *("-o", "ppid="), *("-o", "command=")],
        capture_output=True,
        timeout=60,
        check=True,
    )
    rows = [line.split(maxsplit=2) for line in lines(listed.stdout) if "spawn_main" in line]
    return [int(number) for number, above, _ in rows if parent in {None, int(above)}]


def check_cleaned_up(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["text.txt", "tokenizer.json"]
