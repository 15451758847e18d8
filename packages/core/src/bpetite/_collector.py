"""Pause Python's garbage collector while many objects without cycles are created.

The collector searches for cycles whenever many objects have been created. Lists of tuples
of integers have none, so the search would only cost time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_collector_paused() -> Iterator[None]:
    """Pause the collector if it is enabled."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
