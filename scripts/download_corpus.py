"""Download TinyShakespeare, the demo corpus, and prove that it is the file that we know.

The only code of the project that touches a network. It needs nothing but Python:

    python scripts/download_corpus.py --output tinyshakespeare.txt

The text goes to a new file beside the destination. That file takes the name of the
destination when its size and its hash are right, and is removed when anything fails, so
a corpus is there whole or not at all. Nothing is resumed: the file is about a megabyte.
"""

import argparse
import hashlib
import http.client
import os
import secrets
import sys
import urllib.error
import urllib.request
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_BLOCK_BYTES: Final = 1 << 16
_TIMEOUT_SECONDS: Final = 30


@dataclass(frozen=True)
class Corpus:
    """A file on the network, and what is known of it."""

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
    options = _parser().parse_args(arguments)
    try:
        download(corpus, options.output, overwrite=options.force)
    except DownloadError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted, and nothing was kept; run it again", file=sys.stderr)
        return 130
    print(f"{options.output}: {corpus.size:,} bytes, with the expected sha256")
    return 0


def download(corpus: Corpus, destination: Path, *, overwrite: bool = False) -> None:
    """Download a corpus to a file.

    Raises:
        DownloadError: something went wrong. Where nothing stood before, nothing stands
            now, and a file that was to be replaced is as it was.
    """
    _check_destination(destination, overwrite=overwrite)
    temporary = destination.with_name(f".download-{secrets.token_hex(8)}.tmp")
    try:
        _save(corpus, temporary)
        _take_name(temporary, destination, overwrite=overwrite)
    except OSError as error:
        message = (
            f"cannot write {str(destination)!r}: {error.strerror or error}; "
            f"name another place with --output"
        )
        raise DownloadError(message) from error
    finally:
        with suppress(OSError):  # no error hides the first one
            temporary.unlink(missing_ok=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Download TinyShakespeare, the demo corpus.")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("tinyshakespeare.txt"),
        metavar="PATH",
        help="where to (default: %(default)s in the current folder)",
    )
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    return parser


def _check_destination(destination: Path, *, overwrite: bool) -> None:
    """Refuse before the download what would be refused after it."""
    if not os.path.lexists(destination):
        return
    if not destination.is_file():
        message = f"{str(destination)!r} is no regular file; name another place with --output"
        raise DownloadError(message)
    if not overwrite:
        raise _already_there(destination)


def _already_there(destination: Path) -> DownloadError:
    return DownloadError(
        f"{str(destination)!r} is there already; "
        f"replace it with --force, or name another place with --output"
    )


def _save(corpus: Corpus, path: Path) -> None:
    """Write the corpus to a new file, and check it on the way."""
    received = 0
    digest = hashlib.sha256()
    with (
        path.open("xb") as file,
        closing(_blocks(corpus.url)) as blocks,
        closing(_shown(blocks, corpus.size)) as shown_blocks,
    ):
        for block in shown_blocks:
            received += len(block)
            if received > corpus.size:
                raise _another_file(corpus, f"it has more than {corpus.size:,} bytes")
            digest.update(block)
            file.write(block)
        if received < corpus.size:
            message = f"only {received:,} of {corpus.size:,} bytes came; run it again"
            raise DownloadError(message)
        if digest.hexdigest() != corpus.sha256:
            raise _another_file(corpus, f"its sha256 is {digest.hexdigest()}")
        file.flush()
        os.fsync(file.fileno())


def _another_file(corpus: Corpus, difference: str) -> DownloadError:
    return DownloadError(
        f"{corpus.url} is not the file with sha256 {corpus.sha256}: {difference}; "
        f"run it again, and if that does not help, use another copy of the corpus"
    )


def _blocks(url: str) -> Generator[bytes]:
    """Yield what stands at a URL, a block at a time."""
    # No user chooses the URL: it is the constant above, or that of a test's own server.
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310 - so
            while block := response.read(_BLOCK_BYTES):
                yield block
    except http.client.IncompleteRead as error:
        yield error.partial  # that it was cut short is seen from the size
    except urllib.error.HTTPError as error:
        error.close()
        message = (
            f"{url} answered {error.code} {error.reason}; "
            f"run it again later, or use another copy of the corpus"
        )
        raise DownloadError(message) from None
    except (OSError, http.client.HTTPException) as error:
        reason = " ".join(str(getattr(error, "reason", error)).split())
        message = f"cannot read {url}: {reason}; check the connection and run it again"
        raise DownloadError(message) from None


def _shown(blocks: Iterator[bytes], size: int) -> Generator[bytes]:
    """Yield the same blocks, and show how many bytes came where a person is watching."""
    if not sys.stderr.isatty():
        yield from blocks
        return
    received = 0
    try:
        for block in blocks:
            received += len(block)
            print(f"\r{received:,} of {size:,} bytes", end="", file=sys.stderr, flush=True)
            yield block
    finally:
        if received:
            print(file=sys.stderr)  # whatever comes next begins a line


def _take_name(temporary: Path, destination: Path, *, overwrite: bool) -> None:
    """Give the finished file its name in one step."""
    if not overwrite:
        try:
            os.link(temporary, destination)
        except FileExistsError:
            raise _already_there(destination) from None
        except OSError:
            # No hard links here, as on FAT: the best that is left is to look first.
            _check_destination(destination, overwrite=False)
        else:
            return
    temporary.replace(destination)


if __name__ == "__main__":
    sys.exit(main())
