"""Time a job, and sum up what many took."""

import gc
import math
from collections.abc import Callable, Sequence
from time import perf_counter


def seconds(job: Callable[[], object]) -> float:
    """Return how long a job takes by the clock on the wall, from the call to the return.

    The garbage of everything before it is collected first, and what it returns is dropped
    after the clock has stopped.
    """
    gc.collect()
    begin = perf_counter()
    result = job()
    end = perf_counter()
    del result
    return end - begin


def percentile(samples: Sequence[float], percent: int) -> float:
    """Return the sample that so many of a hundred keep within."""
    return sorted(samples)[math.ceil(len(samples) * percent / 100) - 1]
