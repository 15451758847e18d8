"""Pause Python's garbage collector where many objects are created and none is in a cycle.

The collector looks for cycles whenever many objects have been created. Lists of tuples of
integers have none, so here it would search in vain.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["garbage_collector_paused"]


@contextmanager
def garbage_collector_paused() -> Iterator[None]:
    """Pause the collector, if it is on."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
