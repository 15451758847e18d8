"""Cut the power some time after a save has returned, and check what is on the disk.

    sudo python scripts/reliability/cut_power.py [SECONDS...]

The disk is a file. That many seconds after `save` returned, the file is copied; the copy is
mounted, which replays the journal, and read. `save` promises that it has the new file at every
instant, however little has been flushed. A naive save (write, then rename) goes through the same
test, to show that the experiment can tell them apart.

Needs root, loop devices, and `mkfs` of ext4; xfs and btrfs are tested if installed. All disks are
saved to at the same time. Prints one JSON object; the exit status is 1 if any file saved by
bpetite was not the new one.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bpetite._writing import write_file

_SECONDS: Final = (0.0, 0.02, 0.1, 0.5, 1.0, 5.0, 10.0, 20.0, 35.0)
_DISKS: Final = (
    *(("ext4", "loop"), ("ext4", "loop,noauto_da_alloc"), ("ext4", "loop,data=writeback")),
    *(("xfs", "loop"), ("btrfs", "loop")),
)
"""Each kind of disk, and its mount options."""

_OLD: Final = b"the old file"
_NEW: Final = bytes(range(256)) * 3200
_NAME: Final = "tokenizer.json"
_DISK_BYTES: Final = 512 << 20

Save = Callable[[str, bytes], None]


def save_well(path: str, data: bytes) -> None:
    write_file(path, data, overwrite=Path(path).exists())


def save_naively(path: str, data: bytes) -> None:
    """Save as is often done: write to a temporary file and rename it, without syncing."""
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
        # A process that another thread starts keeps our files open until it runs its program.
        for _ in range(100):
            if not subprocess.run(["umount", "-q", folder], check=False).returncode:
                break
            time.sleep(0.1)
        folder.rmdir()


def _found_on(disk: Path, options: str) -> str:
    """Return the content of a disk after the power cut that its copy simulates."""
    with _mounted(disk, options) as folder:
        path = folder / _NAME
        if not path.exists():
            return "absent"
        data = path.read_bytes()
        return {_NEW: "new", _OLD: "old", b"": "wrong: empty"}.get(data, "wrong: torn")


def cut(save: Save, kind: str, options: str, seconds: list[float], *, old: bool) -> Counter[str]:
    """Save once, and cut the power at several instants after it."""
    with tempfile.TemporaryDirectory() as work:
        disk = Path(work) / "disk"
        disk.touch()
        os.truncate(disk, _DISK_BYTES)
        subprocess.run([f"mkfs.{kind}", "-q", disk], check=True, stdout=subprocess.DEVNULL)
        copies: list[Path] = []
        with _mounted(disk, options) as folder:
            if old:
                save_well(str(folder / _NAME), _OLD)
            save(str(folder / _NAME), _NEW)
            returned = time.monotonic()
            for number, instant in enumerate(seconds):
                time.sleep(max(0.0, returned + instant - time.monotonic()))
                copies.append(Path(work) / str(number))
                subprocess.run(["cp", "--sparse=always", disk, copies[-1]], check=True)
        return Counter(_found_on(copy, options) for copy in copies)


def main() -> int:
    """Cut the power for each kind of disk and both kinds of save, with and without an old file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("seconds", nargs="*", type=float, default=_SECONDS, metavar="SECONDS")
    seconds = parser.parse_args().seconds
    disks = [(kind, options) for kind, options in _DISKS if shutil.which(f"mkfs.{kind}")]
    report: dict[str, dict[str, int]] = {}
    for save in (save_well, save_naively):
        with ThreadPoolExecutor(2 * len(disks)) as pool:
            cuts = [
                pool.submit(cut, save, kind, options, seconds, old=old)
                for kind, options in disks
                for old in (False, True)
            ]
        for (kind, options), first, second in zip(disks, cuts[::2], cuts[1::2], strict=True):
            name = (
                f"{save.__name__}, {kind}, {options.removeprefix('loop').strip(',') or 'default'}"
            )
            report[name] = dict(first.result() + second.result())
    print(json.dumps(report, indent=1))
    careful = [seen for name, seen in report.items() if name.startswith("save_well")]
    return 0 if all(set(seen) == {"new"} for seen in careful) else 1


if __name__ == "__main__":
    sys.exit(main())
