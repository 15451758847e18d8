"""Download TinyShakespeare, the demo corpus, and check that it is the known file.

    python3 scripts/download_corpus.py --output tinyshakespeare.txt

It needs Python 3.11 or newer, and no package. It is the project's only code that opens a
connection: `benchmarks/build_corpora.py` and `download_models.py` leave that to uv and npm. The
text is checked before anything is written, and gets its name when it is complete.
"""

import argparse
import hashlib
import http.client
import os
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_TIMEOUT_SECONDS: Final = 30


URL: Final = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
)
SHA256: Final = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
_MOST_BYTES: Final = 1 << 21


def main(arguments: Sequence[str] | None = None, url: str = URL, sha256: str = SHA256) -> None:
    """Run the command; an error ends the program with status 1."""
    parser = argparse.ArgumentParser(description="Download TinyShakespeare, the demo corpus.")
    output = parser.add_argument("--output", default="tinyshakespeare.txt", metavar="PATH")
    output.help = "where to (default: %(default)s in the current folder)"
    path = parser.parse_args(arguments).output
    if os.path.lexists(path):  # before the download
        sys.exit(f"error: {path!r} already exists; remove it, or choose another path")
    data = _fetch(url, sha256)
    unfinished = Path(f"{path}.part")
    try:
        unfinished.write_bytes(data)
        unfinished.rename(path)
    except OSError as error:
        sys.exit(f"error: {error}; choose another path")
    print(f"{path}: {len(data):,} bytes, with the expected sha256")


def _fetch(url: str, sha256: str) -> bytes:
    """Return the bytes of a text after checking their hash."""
    # Users cannot choose the URL: it is the constant above, or that of a test's own file.
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310
            data: bytes = response.read(_MOST_BYTES)
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"error: cannot read {url}: {error}; check the connection")
    if hashlib.sha256(data).hexdigest() != sha256:
        sys.exit(f"error: {url} is not the file with sha256 {sha256}; run it again")
    return data


if __name__ == "__main__":
    main()
