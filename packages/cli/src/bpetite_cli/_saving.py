"""Write a file as it is made, whole or not at all.

The parts go to a new file beside the destination, which is synced when all of them are
there, and then takes its name in one step: by `link`, which fails where something stands
already, or by `replace`. The folder is synced last. What fails leaves no file behind.

The core's saver has the same manner; its modules are private to it, and artifacts are
saved by `Tokenizer.save`. This is for results that may be larger than memory.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["save_parts"]


def save_parts(path: str, parts: Iterable[bytes], *, overwrite: bool) -> int:
    """Write a file of all the parts, or leave everything as it was.

    A new file gets the mode that the umask gives; one that is overwritten keeps its own.
    To overwrite a symbolic link is to overwrite its target.

    Returns:
        How many bytes were written.

    Raises:
        FileExistsError: something stands at the path, and `overwrite` is false.
        OSError: anything else that the system refuses, or a path that names no file.
        Exception: what the parts raise, as it is.
    """
    if not os.path.basename(path):
        code = errno.EISDIR if path else errno.ENOENT
        raise OSError(code, os.strerror(code), path)
    mode = _mode_of_existing(path, overwrite=overwrite)
    destination = os.path.realpath(path) if overwrite and os.path.islink(path) else path
    folder = os.path.dirname(destination) or os.curdir
    os.stat(os.path.join(folder, ""))  # a missing folder is named before anything is made
    temporary = os.path.join(folder, f".bpetite-{secrets.token_hex(8)}.tmp")
    try:
        size = _write_synced(temporary, parts, mode, path)
        with _told_of(path, temporary):
            if overwrite:
                os.replace(temporary, destination)
            else:
                _take_name(temporary, destination)
    finally:
        try:  # noqa: SIM105 - `suppress` is Python code, in which Ctrl-C could come first
            os.unlink(temporary)
        except OSError:
            pass  # gone, after `replace`; and no error hides the first one
    _sync_folder(folder)
    return size


@contextmanager
def _told_of(path: str, temporary: str) -> Iterator[None]:
    """Have an error of the system name the file that was asked for."""
    try:
        yield
    except OSError as error:
        if error.filename in {None, temporary}:
            error.filename, error.filename2 = path, None
        raise


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


def _write_synced(temporary: str, parts: Iterable[bytes], mode: int | None, path: str) -> int:
    """Write a new file; an error that the parts raise is not one of writing it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    size = 0
    with _told_of(path, temporary):
        descriptor = os.open(temporary, flags, 0o666)
    # No buffer: it would be written at the end, also after an error, and fail once more.
    with open(descriptor, "wb", buffering=0) as file:
        if mode is not None:
            with _told_of(path, temporary):
                os.chmod(temporary, mode)
        for part in parts:
            with _told_of(path, temporary):
                _write_all(file.fileno(), part)
            size += len(part)
        with _told_of(path, temporary):
            os.fsync(file.fileno())
    return size


def _write_all(descriptor: int, part: bytes) -> None:
    """Write a part; the system may take less of it at once, as before a disk is full."""
    rest = memoryview(part)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


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
        return  # a folder that may be written to but not read
    try:
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            reason = f"The file is in place, but may not outlast a power cut: {error.strerror}"
            raise OSError(error.errno, reason, folder) from None
