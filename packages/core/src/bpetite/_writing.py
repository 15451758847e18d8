"""Write files, and folders of files, completely or not at all.

A temporary file in the folder of the destination gets the data, is synced, and
then gets its name in one atomic step. Without `overwrite`, that step is `link`, or `rename`
on Windows. It fails if the name exists, so only one of several processes wins. The folder is
synced last, so that the file survives a power cut. An error before the last step removes the
temporary file; only a killed process leaves it behind, as `.bpetite-*.tmp`.

Exception: on a file system without hard links, an empty file reserves the name of a new file
until the temporary file replaces it. Readers can see it, and a process killed between these
two calls leaves it behind. Python has no call that renames a file unless the name exists.

Not here: the content of a tokenizer file (`_artifact`).
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from bpetite._quoting import quoted


def check_not_an_input(path: str, inputs: Iterable[str | int | os.PathLike[str]]) -> None:
    """Reject an output that is also an input, which may be a descriptor.

    Raises:
        ValueError: both are the same file.
    """
    for source in inputs:
        with suppress(OSError):  # reading reports a missing input
            if os.path.samefile(path, source):
                raise ValueError(
                    f"{quoted(path)} is also an input and would be overwritten; "
                    "choose another output"
                )


def check_writable(path: str, *, overwrite: bool) -> None:
    """Raise the error that `write_parts` would raise now, before the work for its parts.

    Only the system knows whether a folder takes a file, so one is created and deleted.
    """
    _check_names_a_file(path)
    _mode_of_existing(path, overwrite=overwrite)
    temporary = _temporary_name(_existing_folder(os.path.realpath(path)))
    try:
        with _naming(path, temporary):
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    finally:
        try:  # noqa: SIM105 - Ctrl-C could interrupt `suppress`, which is Python code
            os.unlink(temporary)
        except OSError:
            pass


def write_parts(path: str, parts: Iterable[bytes], *, overwrite: bool, keep: bool = False) -> int:
    """Write the parts of a file, completely or not at all.

    A new file gets the mode that the umask allows; an overwritten file keeps its mode.
    Overwriting a symbolic link replaces its target.

    Args:
        path: the file.
        parts: its content.
        overwrite: whether to replace an existing file.
        keep: whether the parts cannot be made again: if the path exists, the file gets another
            name beside it, which the error names.

    Returns:
        The number of bytes written.

    Raises:
        FileExistsError: the path exists, and `overwrite` is false.
        OSError: the system does not allow it, or the path does not name a file.
        Exception: any error from `parts`, unchanged.
    """
    _check_names_a_file(path)
    mode = None if keep and not overwrite else _mode_of_existing(path, overwrite=overwrite)
    destination = os.path.realpath(path) if overwrite and os.path.islink(path) else path
    folder = _existing_folder(destination)
    temporary = _temporary_name(folder)
    try:
        size = _write_synced(temporary, parts, mode, path)
        with _naming(path, temporary):
            if overwrite:
                _replace(temporary, destination, mode)
            else:
                try:
                    _take_name(temporary, destination)
                except FileExistsError as error:
                    if keep:
                        _keep(temporary, destination, error)
                    raise
    finally:
        try:  # noqa: SIM105 - Ctrl-C could interrupt `suppress`, which is Python code
            os.unlink(temporary)
        except OSError:
            pass  # `replace` took it; and an earlier error must stay visible
    _sync_folder(folder)
    return size


def write_folder(path: str, files: Mapping[str, bytes], *, overwrite: bool) -> None:
    """Create a folder with all of these files, or nothing.

    With `overwrite`, the files in an existing folder are replaced one after another, and
    other files stay. So a failure may leave the first file new and the second one old.

    Raises:
        FileExistsError: the folder exists and is not empty, and `overwrite` is false; or
            something else exists at the path.
        OSError: the system does not allow it.
    """
    if overwrite and os.path.isdir(path):
        for name in files:  # fail before the first file is replaced
            _mode_of_existing(os.path.join(path, name), overwrite=True)
        for name, data in files.items():
            write_parts(os.path.join(path, name), [data], overwrite=True)
        return
    destination = path.rstrip(os.sep + (os.altsep or ""))
    if not destination:
        raise _os_error(errno.EEXIST, path)
    folder = _existing_folder(destination)
    temporary = _temporary_name(folder)
    try:
        with _naming(path, temporary):
            os.mkdir(temporary)
        for name, data in files.items():
            _write_synced(os.path.join(temporary, name), [data], None, path)
        with _naming(path, temporary):
            _sync_folder(temporary)
            _rename_folder(temporary, destination)
    finally:
        import shutil  # noqa: PLC0415 - slow to load

        shutil.rmtree(temporary, ignore_errors=True)
    _sync_folder(folder)


def _rename_folder(temporary: str, destination: str) -> None:
    """Give a finished folder its name, unless the name exists and is not an empty folder."""
    try:
        if sys.platform == "win32" and os.path.isdir(destination):
            os.rmdir(destination)  # fails if it is not empty; `rename` fails if it exists
        os.rename(temporary, destination)
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise _os_error(errno.EEXIST, destination) from None
        raise


def _check_names_a_file(path: str) -> None:
    if not os.path.basename(path):
        raise _os_error(errno.EISDIR if path else errno.ENOENT, path)


def _os_error(code: int, path: str) -> OSError:
    """Return the error of the system with this code."""
    return OSError(code, os.strerror(code), path)


def _existing_folder(destination: str) -> str:
    """Return the folder of a destination; raise an error if it does not exist."""
    folder = os.path.dirname(destination) or os.curdir
    os.stat(os.path.join(folder, ""))
    return folder


def _temporary_name(folder: str) -> str:
    """Return a path that nothing else has."""
    return os.path.join(folder, f".bpetite-{os.urandom(8).hex()}.tmp")


@contextmanager
def _naming(path: str, temporary: str) -> Iterator[None]:
    """Put the requested path into errors of the system, instead of the temporary one."""
    try:
        yield
    except OSError as error:
        if error.filename in {None, temporary}:
            error.filename = path
            del error.filename2  # set to None, it would be shown
        raise


def _mode_of_existing(path: str, *, overwrite: bool) -> int | None:
    """Return the mode that an overwritten file keeps, or None for a new file."""
    try:
        # `os.path.lexists` would need more stack than small threads have.
        status = os.stat(path, follow_symlinks=overwrite)
    except FileNotFoundError:
        return None
    if not overwrite:
        raise _os_error(errno.EEXIST, path)
    if stat.S_ISDIR(status.st_mode):
        raise _os_error(errno.EISDIR, path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file, so not overwritten", path)
    return stat.S_IMODE(status.st_mode)


def _write_synced(temporary: str, parts: Iterable[bytes], mode: int | None, path: str) -> int:
    """Write a new file and sync it; errors of the system name `path`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    size = 0
    with _naming(path, temporary):
        descriptor = os.open(temporary, flags, 0o666)
    with open(descriptor, "wb") as file:  # only closes it: `_write_all` goes past its buffer
        if mode is not None and sys.platform != "win32":  # there, `_replace` sets it
            with _naming(path, temporary):
                os.chmod(temporary, mode)
        for part in parts:
            with _naming(path, temporary):
                _write_all(file.fileno(), part)
            size += len(part)
        with _naming(path, temporary):
            _sync(file.fileno())
    return size


def _write_all(descriptor: int, part: bytes) -> None:
    """Write a part; one call may write less, for example when the disk is nearly full."""
    rest = memoryview(part)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync(descriptor: int) -> None:
    """Put what was written on the disk; on macOS, `fsync` leaves it in the disk's own memory."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - Windows has no such module

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno == errno.EIO:  # otherwise the file system does not support it
                raise
        else:
            return
    os.fsync(descriptor)


def _replace(temporary: str, destination: str, mode: int | None) -> None:
    """Replace a file. On Windows, a read-only one must become writable first."""
    if sys.platform != "win32" or mode is None or mode & stat.S_IWRITE:
        os.replace(temporary, destination)
        return
    os.chmod(destination, stat.S_IWRITE)
    try:
        os.replace(temporary, destination)
    finally:
        os.chmod(destination, mode)


def _keep(temporary: str, destination: str, error: OSError) -> None:
    """Give a finished file whose name was taken another one, and add it to the error."""
    begin, end = os.path.splitext(destination)
    other = f"{begin}-{os.urandom(4).hex()}{end}"
    os.replace(temporary, other)
    error.strerror = f"{error.strerror}; the result is in {quoted(other)}"


def _take_name(temporary: str, destination: str) -> None:
    """Give a finished file its name, unless the name exists."""
    take = os.rename if sys.platform == "win32" else os.link  # only there, `rename` fails then
    try:
        take(temporary, destination)
    except FileExistsError:
        raise _os_error(errno.EEXIST, destination) from None
    except OSError:
        if sys.platform == "win32":
            raise
        _take_name_without_link(temporary, destination)


def _take_name_without_link(temporary: str, destination: str) -> None:
    """Do the same without hard links: an empty file reserves the name first."""
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
    """Sync the folder, so that the new name survives a power cut; not all systems can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows, or a folder without permission to read
    try:
        try:
            _sync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            reason = f"The file is saved, but may not survive a power failure: {error.strerror}"
            raise OSError(error.errno, reason, folder) from None
