"""Download TinyShakespeare, the demo corpus, and check that it is the known file.

    python3 scripts/download_corpus.py --output tinyshakespeare.txt

It needs Python 3.11 or newer, and no package. It is the project's only code that opens a
connection: `benchmarks/build_corpora.py` leaves that to uv and npm. The text is checked before
anything is written, and the file is written completely or not at all.
"""

import argparse
import hashlib
import http.client
import os
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_TIMEOUT_SECONDS: Final = 30


@dataclass(frozen=True)
class Corpus:
    """A file on the network, with its size in bytes and its hash."""

    url: str
    size: int
    sha256: str


TINY_SHAKESPEARE: Final = Corpus(
    url="https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
    size=1_115_394,
    sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
)


class Failure(Exception):  # noqa: N818 - a failure of the download, not of the program
    """The download failed; the message explains why, and what to do."""


def main(arguments: Sequence[str] | None = None, corpus: Corpus = TINY_SHAKESPEARE) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Download TinyShakespeare, the demo corpus.")
    parser.add_argument(
        "--output",
        default="tinyshakespeare.txt",
        metavar="PATH",
        help="where to (default: %(default)s in the current folder)",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    options = parser.parse_args(arguments)
    try:
        _check_destination(options.output, force=options.force)
        _write(options.output, _fetch(corpus), force=options.force)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {options.output!r}: {error}; choose another path", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted, and nothing was kept; run it again", file=sys.stderr)
        return 130
    print(f"{options.output}: {corpus.size:,} bytes, with the expected sha256")
    return 0


def _check_destination(path: str, *, force: bool) -> None:
    """Keep an existing file, before the download."""
    if os.path.lexists(path) and not force:
        message = f"{path!r} already exists; use --force to replace it, or choose another file"
        raise Failure(message)


def _write(path: str, data: bytes, *, force: bool) -> None:
    """Write a file completely or not at all: a temporary file beside it takes its name."""
    temporary = Path(f"{path}.{os.urandom(8).hex()}.tmp")
    try:
        temporary.write_bytes(data)
        if force:
            temporary.replace(path)
        else:
            os.link(temporary, path)  # fails if the name was taken meanwhile
    finally:
        temporary.unlink(missing_ok=True)


def _fetch(corpus: Corpus) -> bytes:
    """Return the bytes of a corpus after checking their size and hash."""
    # Users cannot choose the URL: it is the constant above, or that of a test's own file.
    try:
        with urllib.request.urlopen(corpus.url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310
            data: bytes = response.read(corpus.size + 1)
    except (OSError, http.client.HTTPException) as error:
        reason = " ".join(str(error).split())
        message = f"cannot read {corpus.url}: {reason}; check the connection and run it again"
        raise Failure(message) from None
    if hashlib.sha256(data).hexdigest() != corpus.sha256:
        message = f"{corpus.url} is not the file with sha256 {corpus.sha256}; run it again"
        raise Failure(message)
    return data


if __name__ == "__main__":
    sys.exit(main())
