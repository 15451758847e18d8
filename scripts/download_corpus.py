"""Download TinyShakespeare, the demo corpus, and check that it is the known file.

    python scripts/download_corpus.py --output tinyshakespeare.txt

It needs nothing but Python, and is the only code of the project that uses a network. The text
is checked before anything is written, and the file appears whole or not at all.
"""

import argparse
import hashlib
import http.client
import os
import secrets
import sys
import urllib.error
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


class DownloadError(Exception):
    """What went wrong, and what to do about it."""


def main(arguments: Sequence[str] | None = None, corpus: Corpus = TINY_SHAKESPEARE) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Download TinyShakespeare, the demo corpus.")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("tinyshakespeare.txt"),
        metavar="PATH",
        help="where to (default: %(default)s in the current folder)",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    options = parser.parse_args(arguments)
    try:
        _check_destination(options.output, overwrite=options.force)
        data = _fetch(corpus)
        _check_destination(options.output, overwrite=options.force)
        _write(data, options.output)
    except DownloadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted, and nothing was kept; run it again", file=sys.stderr)
        return 130
    print(f"{options.output}: {corpus.size:,} bytes, with the expected sha256")
    return 0


def _check_destination(path: Path, *, overwrite: bool) -> None:
    """Refuse a destination that cannot be written, or that must not be replaced."""
    if not os.path.lexists(path):
        if path.parent.is_dir():
            return
        message = f"there is no folder {str(path.parent)!r}; name another place with --output"
    elif not path.is_file():
        message = f"{str(path)!r} is not a regular file; name another place with --output"
    elif not overwrite:
        message = f"{str(path)!r} exists; replace it with --force, or name another with --output"
    else:
        return
    raise DownloadError(message)


def _fetch(corpus: Corpus) -> bytes:
    """Return the bytes of a corpus, whose size and hash are right."""
    # No user chooses the URL: it is the constant above, or that of a test's own server.
    try:
        with urllib.request.urlopen(corpus.url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310 - so
            data: bytes = response.read(corpus.size + 1)
    except http.client.IncompleteRead as error:
        data = error.partial
    except urllib.error.HTTPError as error:
        error.close()
        message = f"{corpus.url} answered {error.code} {error.reason}; run it again later"
        raise DownloadError(message) from None
    except (OSError, http.client.HTTPException) as error:
        reason = " ".join(str(getattr(error, "reason", error)).split())
        message = f"cannot read {corpus.url}: {reason}; check the connection and run it again"
        raise DownloadError(message) from None
    if len(data) < corpus.size:
        message = f"only {len(data):,} of {corpus.size:,} bytes came; run it again"
        raise DownloadError(message)
    if len(data) > corpus.size or hashlib.sha256(data).hexdigest() != corpus.sha256:
        message = f"{corpus.url} is not the file with sha256 {corpus.sha256}; use another copy"
        raise DownloadError(message)
    return data


def _write(data: bytes, destination: Path) -> None:
    """Write a file under another name, and rename it when it is whole."""
    temporary = destination.with_name(f".download-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(destination)
    except OSError as error:
        reason = error.strerror or error
        message = f"cannot write {str(destination)!r}: {reason}; name another with --output"
        raise DownloadError(message) from error
    finally:
        temporary.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
