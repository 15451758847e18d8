"""Read untrusted files safely: opened once, regular files only, with a maximum size."""

import errno
import os
import stat

from bpetite._constants import MAX_FILE_BYTES
from bpetite._quoting import quoted


def read_file(path: str, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        OSError: it cannot be opened or read, or is a folder.
        ValueError: it is a device, a FIFO or a socket, or has more than `limit` bytes.
    """
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(f"{quoted(path)} is not a regular file")
        if status.st_size <= limit:
            data = file.read(limit + 1)  # the file may have grown
            if data is None:  # not ready yet, as some files in /proc
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), path)
            if len(data) <= limit:
                return data
    raise ValueError(f"{quoted(path)} is larger than {limit} bytes, the maximum")


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file; by default, opening a FIFO waits for a writer."""
    try:
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except PermissionError:
        if os.path.isdir(path):  # Windows opens no folder
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path) from None
        raise
