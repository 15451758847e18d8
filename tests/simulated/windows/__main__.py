"""Run a command on a simulated Windows: `python tests/simulated/windows pytest tests/core`.

For this project's code, `sitecustomize.py` hides names and modules, refuses what Windows
refuses, and writes CRLF. What stays invisible: paths with drives and backslashes (`os.path`
is that of POSIX), names that Windows forbids, code pages, a file that cannot be replaced while
another program reads it, how Ctrl-C reaches processes, what a new process costs, and what
`pathlib`, `shutil`, `subprocess` and `multiprocessing` do on Windows.
"""

import os
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Return the exit status of the command."""
    folders = [str(Path(__file__).parent.resolve()), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    return subprocess.run(sys.argv[1:], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
