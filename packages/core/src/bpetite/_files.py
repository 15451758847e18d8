"""Read a file that may be anything, and replace a file so that nothing is ever half done.

Reading: one open, regular files only, no more than a stated number of bytes.

Writing: the data goes to a new file in the folder of the destination, is synced, and then
takes its name in one step that the kernel makes whole or not at all. A destination that
must not be overwritten is taken by `link`, which fails where something stands already, so
of several processes one wins. The folder is synced last: after that, a power cut finds
the new file. The new file is removed on any failure before its name is taken, whatever
the exception; only a killed process leaves one behind, called `.bpetite-*.tmp`.

Not here: what the bytes mean (`_persistence`).
"""

import errno
import os
import secrets
import stat
from contextlib import suppress

__all__ = ["read_file", "write_file"]


def read_file(path: str, limit: int) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        OSError: it cannot be opened or read, or is a folder.
        ValueError: it is a device, a FIFO or a socket, or holds more than `limit` bytes.
    """
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            message = f"{path!r} is no regular file"
            raise ValueError(message)
        if status.st_size <= limit:
            data = file.read(limit + 1)  # it may have grown since
            if data is None:  # a file that is still to be filled, as some of /proc are
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), path)
            if len(data) <= limit:
                return data
    message = f"{path!r} is larger than {limit} bytes, the most that is read"
    raise ValueError(message)


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file; a FIFO would otherwise wait for somebody to write to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_file(path: str, data: bytes, *, overwrite: bool) -> None:
    """Write a whole file, or leave everything as it was.

    A new file gets the mode that the umask gives; one that is overwritten keeps its own.
    To overwrite a symbolic link is to overwrite its target.

    Raises:
        FileExistsError: something stands at the path, and `overwrite` is false.
        OSError: anything else that the system refuses, or a path that names no file.
    """
    if not os.path.basename(path):
        code = errno.EISDIR if path else errno.ENOENT
        raise OSError(code, os.strerror(code), path)
    destination = os.path.realpath(path) if overwrite and os.path.islink(path) else path
    mode = _mode_of_existing(path, overwrite=overwrite)
    folder = os.path.dirname(destination) or os.curdir
    os.stat(os.path.join(folder, ""))  # a missing folder is named before anything is made
    temporary = os.path.join(folder, f".bpetite-{secrets.token_hex(8)}.tmp")
    try:
        _write_synced(temporary, data, mode)
        if overwrite:
            os.replace(temporary, destination)
        else:
            _take_name(temporary, destination)
    except OSError as error:
        if error.filename in {None, temporary}:
            error.filename, error.filename2 = path, None
        raise
    finally:
        try:  # noqa: SIM105 - `suppress` is Python code, in which Ctrl-C could come first
            os.unlink(temporary)
        except OSError:
            pass  # gone, after `replace`; and no error hides the first one
    _sync_folder(folder)


def _mode_of_existing(path: str, *, overwrite: bool) -> int | None:
    """Return the mode that an overwritten file keeps, or None if there is no file yet."""
    if not overwrite:
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        return None
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "No regular file, so not overwritten", path)
    return stat.S_IMODE(status.st_mode)


def _write_synced(path: str, data: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, 0o666), "wb") as file:
        if mode is not None:
            os.chmod(path, mode)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _take_name(temporary: str, destination: str) -> None:
    """Give a finished file its name, unless something has that name already."""
    try:
        os.link(temporary, destination)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), destination) from None
    except OSError:
        _take_name_without_link(temporary, destination)


def _take_name_without_link(temporary: str, destination: str) -> None:
    """Do the same where there are no hard links: an empty file holds the name meanwhile."""
    may_be_held = True
    try:
        try:
            descriptor = os.open(destination, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except OSError:
            may_be_held = False
            raise
        os.close(descriptor)
        os.replace(temporary, destination)
    except BaseException:
        with suppress(OSError):
            if may_be_held and os.path.getsize(destination) == 0:
                os.unlink(destination)
        raise


def _sync_folder(folder: str) -> None:
    """Make the new name last, where folders can be synced."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows, or a folder that may be written to but not read
    try:
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            reason = f"The file is in place, but may not outlast a power cut: {error.strerror}"
            raise OSError(error.errno, reason, folder) from None
