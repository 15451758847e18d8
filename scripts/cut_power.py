"""Cut the power some time after a save has returned, and look at what the disk holds.

    sudo python scripts/cut_power.py [SECONDS...]

The disk is a file. So many seconds after `save` returned, the file is copied, as it stands;
the copy is mounted, which replays the journal, and read. What `save` promises is the new file,
at every instant, however little has been flushed. Beside it the same is done to a naive save
(write, then rename), to show that the experiment can tell them apart.

Needs root, loop devices and mkfs.ext4. Prints one JSON object; the exit status is 1 if any file
saved by bpetite was not the new one.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bpetite._files import write_file

_SECONDS: Final = (0.0, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_OPTIONS: Final = ("loop", "loop,noauto_da_alloc", "loop,data=writeback")
_OLD: Final = b"the old file"
_NEW: Final = bytes(range(256)) * 3200
_NAME: Final = "tokenizer.json"
_DISK_BYTES: Final = 32 << 20

Save = Callable[[str, bytes], None]


def save_well(path: str, data: bytes) -> None:
    """Save as bpetite does."""
    write_file(path, data, overwrite=Path(path).exists())


def save_naively(path: str, data: bytes) -> None:
    """Save as is often done: write beside, rename, sync nothing."""
    beside = Path(f"{path}.tmp")
    beside.write_bytes(data)
    beside.replace(path)


@contextmanager
def _mounted(disk: Path, options: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    subprocess.run(["mount", "-o", options, disk, folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()


def _found_on(disk: Path, options: str) -> str:
    """Return what a disk holds after the power cut that its copy stands for."""
    with _mounted(disk, options) as folder:
        path = folder / _NAME
        if not path.exists():
            return "absent"
        data = path.read_bytes()
        return {_NEW: "new", _OLD: "old", b"": "wrong: empty"}.get(data, "wrong: torn")


def cut(save: Save, options: str, seconds: list[float], *, old: bool) -> Counter[str]:
    """Save once, and cut the power at each of some instants after it."""
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as work:
        disk = Path(work) / "disk"
        disk.touch()
        os.truncate(disk, _DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", disk], check=True)
        copies: list[Path] = []
        with _mounted(disk, options) as folder:
            if old:
                (folder / _NAME).write_bytes(_OLD)
                os.sync()
            save(str(folder / _NAME), _NEW)
            returned = time.monotonic()
            for number, instant in enumerate(seconds):
                time.sleep(max(0.0, returned + instant - time.monotonic()))
                copies.append(Path(work) / str(number))
                shutil.copyfile(disk, copies[-1])
        for copy in copies:
            seen[_found_on(copy, options)] += 1
    return seen


def main() -> int:
    """Cut the power for each way to mount, new and old, with care and without."""
    seconds = [float(word) for word in sys.argv[1:]] or list(_SECONDS)
    report: dict[str, dict[str, int]] = {}
    for save in (save_well, save_naively):
        total: Counter[str] = Counter()
        for options in _OPTIONS:
            for old in (False, True):
                total += cut(save, options, seconds, old=old)
        report[save.__name__] = dict(total)
    print(json.dumps(report))
    return 0 if set(report["save_well"]) == {"new"} else 1


if __name__ == "__main__":
    sys.exit(main())
