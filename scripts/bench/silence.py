"""Keep what a library prints off standard output, where the report goes."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silence() -> Iterator[None]:
    """Let everything that this process prints fall away, compiled code included."""
    streams = (sys.stdout, sys.stderr)
    for stream in streams:
        stream.flush()
    kept = [os.dup(stream.fileno()) for stream in streams]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in streams:
            os.dup2(nowhere, stream.fileno())
        yield
    finally:
        for stream, descriptor in zip(streams, kept, strict=True):
            stream.flush()
            os.dup2(descriptor, stream.fileno())
            os.close(descriptor)
        os.close(nowhere)
