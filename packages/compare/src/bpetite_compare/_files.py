"""Write a file, or a folder of files, whole or not at all.

The data goes to a new file beside the destination, is synced, and then takes its name in
one step: by `link`, which fails where something stands already, or by `replace`. The
folder is synced last. What fails leaves no temporary file behind.

The core's saver has the same manner; its modules are private to it, and artifacts are
saved by `Tokenizer.save`. This is for the files of others.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress

__all__ = ["refuse_the_input", "write_file", "write_folder"]


def refuse_the_input(path: str, source: str | os.PathLike[str]) -> None:
    """Refuse to write over the file that is read: it could not be had back from the result.

    Raises:
        ValueError: the path is that of the source, by whatever name.
    """
    with suppress(OSError):
        if os.path.samefile(path, source):
            message = f"{path!r} is also an input and would be lost; name another output"
            raise ValueError(message)


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
    mode = _mode_of_existing(path, overwrite=overwrite)
    destination = os.path.realpath(path) if overwrite else path
    folder = os.path.dirname(destination) or os.curdir
    os.stat(os.path.join(folder, ""))  # a missing folder is named before anything is made
    temporary = _temporary(folder)
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


def write_folder(path: str, files: Mapping[str, bytes], *, overwrite: bool) -> None:
    """Make a folder with these files, all of them or none.

    With `overwrite`, in a folder that is there already, each file is replaced whole, one
    after the other, and other files stay; a failure may leave the first new and the second old.

    Raises:
        FileExistsError: the folder is there and not empty, and `overwrite` is false.
        OSError: anything else that the system refuses.
    """
    if overwrite and os.path.isdir(path):
        for name in files:  # find what stands in the way before the first is replaced
            _mode_of_existing(os.path.join(path, name), overwrite=True)
        for name, data in files.items():
            write_file(os.path.join(path, name), data, overwrite=True)
        return
    destination = path.rstrip("/")
    if not destination:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    folder = os.path.dirname(destination) or os.curdir
    os.stat(os.path.join(folder, ""))
    temporary = _temporary(folder)
    try:
        os.mkdir(temporary)
        for name, data in files.items():
            _write_synced(os.path.join(temporary, name), data, None)
        _sync_folder(temporary)
        os.rename(temporary, destination)  # onto nothing, or onto an empty folder
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR} and os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
        if error.filename in {None, temporary}:
            error.filename, error.filename2 = path, None
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    _sync_folder(folder)


def _temporary(folder: str) -> str:
    return os.path.join(folder, f".bpetite-{secrets.token_hex(8)}.tmp")


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
