"""Read untrusted files safely: opened once, regular files only, with a maximum size."""

import errno
import os
import stat
from typing import Literal

from bpetite._constants import MAX_FILE_BYTES
from bpetite._quoting import quoted


class FileError(Exception):
    """A file cannot be used: the part that its errors share, each of a type that is promised.

    path: the file.
    fault: what is wrong: that it is no regular file or too large, that its content is no JSON
        at all, or something else in its content.
    """

    def __init__(
        self, message: str, path: str = "", fault: Literal["file", "json", "content"] = "content"
    ) -> None:
        super().__init__(message)
        self.path, self.fault = path, fault


class InvalidFileError(FileError, ValueError):
    pass


class MissingKeyError(FileError, KeyError):
    pass


def read_file(path: str, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        OSError: it cannot be opened or read, or is a folder.
        InvalidFileError: it is a device, a FIFO or a socket, or has more than `limit` bytes.
    """
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise InvalidFileError(f"{quoted(path)} is not a regular file", path, "file")
        if status.st_size <= limit:
            data = file.read(limit + 1)  # the file may have grown
            if data is None:  # not ready yet, as some files in /proc
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), path)
            if len(data) <= limit:
                return data
    message = f"{quoted(path)} is larger than {limit} bytes, the maximum"
    raise InvalidFileError(message, path, "file")


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file; by default, opening a FIFO waits for a writer."""
    try:
        return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    except PermissionError:
        if os.path.isdir(path):  # Windows opens no folder
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path) from None
        raise
