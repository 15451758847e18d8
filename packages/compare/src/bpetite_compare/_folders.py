"""Write a folder of files: a new one completely or not at all.

It works as `bpetite._writing` writes a file: under a temporary name, synced, then renamed.
"""

import errno
import os
import shutil
import sys
from collections.abc import Mapping

from bpetite._writing import (
    existing_folder,
    mode_of_existing,
    naming,
    os_error,
    sync_folder,
    temporary_name,
    write_file,
    write_synced,
)


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
            mode_of_existing(os.path.join(path, name), overwrite=True)
        for name, data in files.items():
            write_file(os.path.join(path, name), data, overwrite=True)
        return
    destination = path.rstrip(os.sep + (os.altsep or ""))
    if not destination:
        raise os_error(errno.EEXIST, path)
    folder = existing_folder(destination)
    temporary = temporary_name(folder)
    try:
        with naming(path, temporary):
            os.mkdir(temporary)
        for name, data in files.items():
            write_synced(os.path.join(temporary, name), [data], None, path)
        with naming(path, temporary):
            sync_folder(temporary)
            _rename_folder(temporary, destination)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sync_folder(folder)


def _rename_folder(temporary: str, destination: str) -> None:
    """Give a finished folder its name, unless the name exists and is not an empty folder."""
    try:
        if sys.platform == "win32" and os.path.isdir(destination):
            os.rmdir(destination)  # fails if it is not empty; `rename` fails if it exists
        os.rename(temporary, destination)
    except OSError as error:
        if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise os_error(errno.EEXIST, destination) from None
        raise
