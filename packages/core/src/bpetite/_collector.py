"""Pause Python's cyclic garbage collector while much is made and nothing is cyclic.

The collector looks through what has been made each time that there is much more of it,
in vain here: it finds cycles, and lists of tuples of integers have none.
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
