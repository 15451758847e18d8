"""Check the proof of docs/proof with Coq; `check` is the command.

python3 scripts/proof
"""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from proof.check import main  # noqa: E402 - found by the line above

if __name__ == "__main__":
    main()
