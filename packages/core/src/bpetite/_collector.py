"""Hold back Python's cyclic garbage collector while much is made and nothing is cyclic.

The collector looks through what has been made each time that there is much more of it,
in vain here: it finds cycles, and lists of tuples of integers have none.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collector_held_back"]


@contextmanager
def collector_held_back() -> Iterator[None]:
    """Do without the collector for a while, if it is on; then it is on again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
