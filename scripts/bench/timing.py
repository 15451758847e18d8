"""Time jobs fairly: in turns, with nothing of the job before in the way.

A job is timed by the clock on the wall, from the call to the return. The garbage of
everything before it is collected first, and what it returns is dropped after the clock
has stopped. In each round every contestant comes once, and another one begins.
"""

import gc
from collections.abc import Callable, Mapping
from time import perf_counter

from results import OURS

Sampler = Callable[[], Mapping[str, float]]
"""Measures one or more cases once, and returns a sample for each by its name."""

Samples = dict[tuple[str, str], list[float]]
"""The samples of each contestant in each case."""


def seconds(job: Callable[[], object]) -> float:
    """Return how long a job takes."""
    gc.collect()
    begin = perf_counter()
    result = job()
    end = perf_counter()
    del result
    return end - begin


def alternate(
    contestants: Mapping[str, Sampler], rounds: int, say: Callable[[str], object]
) -> Samples:
    """Let contestants take turns, and return their samples.

    A peer that raises an error is out, with all its samples, and the others go on.
    """
    samples: Samples = {}
    names = list(contestants)
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            try:
                sampled = contestants[name]()
            except Exception as error:  # whatever a peer raises
                if name == OURS:
                    raise
                say(f"{name} is left out: {type(error).__name__}: {str(error)[:200]}")
                names.remove(name)
                samples = {key: kept for key, kept in samples.items() if key[0] != name}
                continue
            for case, sample in sampled.items():
                samples.setdefault((name, case), []).append(sample)
    return samples
