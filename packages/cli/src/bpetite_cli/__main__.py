"""`python -m bpetite_cli`, for when the console script is not on the path."""

import sys

from bpetite_cli import main

if __name__ == "__main__":
    sys.exit(main())
