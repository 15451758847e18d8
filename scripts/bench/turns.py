"""Start workers: each job in a new process, and contestants in turns.

What one contestant leaves in a process (threads, a heap in pieces) slows the next one down,
so none shares a process with another. In each round every contestant comes once, and
another one begins.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any, Final

from results import OURS

Sampler = Callable[[], Mapping[str, float]]
"""Measures one case or more once, and returns the sample of each by its name."""

Samples = dict[tuple[str, str], list[float]]
"""The samples of each contestant in each case."""

_VERY_LONG_SECONDS: Final = 120
_WORKER: Final = Path(__file__).with_name("worker.py")


class WorkError(Exception):
    """A worker did not do its job."""


def work(*job: object) -> dict[str, Any]:
    """Let a worker do a job, an action and its arguments, and return what it says."""
    command = [sys.executable, str(_WORKER), *map(str, job)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise WorkError(lines[-1][:300])
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def alternate(
    contestants: Mapping[str, Sampler], rounds: int, say: Callable[[str], object]
) -> Samples:
    """Let contestants take turns, and return their samples.

    A peer that raises an error is out, with all its samples, and the others go on. Who takes
    very long has one turn.
    """
    samples: Samples = {}
    names = list(contestants)
    for turn in range(rounds):
        for name in _rotated(names, turn):
            begin = monotonic()
            try:
                sampled = contestants[name]()
            except WorkError as error:
                if name == OURS:
                    raise
                say(f"{name} is left out: {error}")
                names.remove(name)
                samples = {key: kept for key, kept in samples.items() if key[0] != name}
                continue
            for case, sample in sampled.items():
                samples.setdefault((name, case), []).append(sample)
            if monotonic() - begin > _VERY_LONG_SECONDS:
                names.remove(name)
    return samples


def _rotated(names: list[str], turn: int) -> list[str]:
    """Return the names, from another one on in every turn."""
    first = turn % len(names) if names else 0
    return names[first:] + names[:first]
