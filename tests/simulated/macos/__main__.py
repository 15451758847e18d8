"""Run a command on a simulated macOS: `python tests/simulated/macos pytest tests/core`.

Python lacks what `sitecustomize.py` hides, PATH has only the programs in `programs.txt`, and
the path of temporary files is long and goes through a link. Differences of the file system
(the case and the normal form of names, F_FULLFSYNC) and of BSD's programs stay invisible.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

_HERE: Final = Path(__file__).parent.resolve()
_TEMPORARY: Final = "folders/zz/zyxvpxvq6csfxvn_n0000000000000/T"
"""Where a user's temporary files are, below /var."""


def main() -> int:
    """Return the exit status of the command."""
    with TemporaryDirectory() as name:
        programs = Path(name) / "programs"
        programs.mkdir()
        for program in (_HERE / "programs.txt").read_text(encoding="utf-8").split():
            if found := shutil.which(program):
                (programs / program).symlink_to(Path(found).resolve())
        (Path(name) / "private/var" / _TEMPORARY).mkdir(parents=True)
        (Path(name) / "var").symlink_to("private/var")
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{programs}",
            "PYTHONPATH": str(_HERE),
            "TMPDIR": f"{name}/var/{_TEMPORARY}",
        }
        return subprocess.run(sys.argv[1:], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
