"""The download script, with a server on this machine: it writes the whole corpus, or nothing."""

import hashlib
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

import pytest

from download_corpus import TINY_SHAKESPEARE, Corpus, main
from project_tools import PACKAGES, ROOT, imported_modules, sources

pytestmark = pytest.mark.thorough

NETWORKED: Final = frozenset(
    {"asyncio", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "socketserver"}
    | {"ssl", "urllib", "urllib3", "webbrowser", "xmlrpc"}
)
TEXT: Final = bytes(range(256)) * 1024
NAME: Final = "tinyshakespeare.txt"
HEAD: Final = b"HTTP/1.0 200 OK\r\n"
LENGTH: Final = b"Content-Length: 262144\r\n\r\n"
ANSWERS: Final = {
    "whole": HEAD + LENGTH + TEXT,
    "short": HEAD + LENGTH + TEXT[:99],
    "unannounced": HEAD + b"\r\n" + TEXT[:99],
    "changed": HEAD + LENGTH + TEXT[:-1] + b"!",
    "longer": HEAD + b"\r\n" + TEXT + b"!",
    "missing": b"HTTP/1.0 404 Not Found\r\n\r\n",
    "garbage": b"220 ready\r\n",
}
FAILURES: Final = {
    "short": "is not the file with sha256",
    "unannounced": "is not the file with sha256",
    "changed": "is not the file with sha256",
    "longer": "is not the file with sha256",
    "missing": "404: Not Found; check the connection and run it again",
    "garbage": "check the connection and run it again",
}


class Handler(BaseHTTPRequestHandler):
    """Answer a request by its path."""

    def do_GET(self) -> None:
        """Send the bytes that belong to the path."""
        with suppress(OSError):  # a script that has read enough closes the connection
            self.wfile.write(ANSWERS[self.path[1:]])

    def log_message(self, *_: object) -> None:
        """Print nothing: standard error belongs to the script."""


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Corpus]]:
    """Return a function that returns the corpus at a path of a server."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        url, digest = f"http://127.0.0.1:{server.server_port}", hashlib.sha256(TEXT).hexdigest()
        yield lambda path: Corpus(f"{url}/{path}", len(TEXT), digest)
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("options", [[], ["--force"]], ids=str)
def test_a_download_is_complete_and_needs_no_package(
    options: list[str], corpus: Callable[[str], Corpus], tmp_path: Path
) -> None:
    """Python without packages writes the whole file; `--force` replaces one."""
    if "--force" in options:
        (tmp_path / NAME).write_text("mine")
    program = f"""import sys
sys.path.append({str(ROOT / "scripts")!r})
from download_corpus import *
sys.exit(main({options!r}, {corpus("whole")!r}))"""
    subprocess.run([sys.executable, "-I", "-S", "-c", program], cwd=tmp_path, check=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {NAME: TEXT}
    assert TINY_SHAKESPEARE.url.startswith("https://")


@pytest.mark.parametrize("path", [*FAILURES, "whole"])
def test_a_failed_download_changes_nothing(
    path: str,
    corpus: Callable[[str], Corpus],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever fails, even a full disk, the file is unchanged, and one line explains why."""
    (tmp_path / NAME).write_bytes(b"mine")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        assert main(["--force", "--output", str(tmp_path / NAME)], corpus(path)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"mine"]
    message = FAILURES.get(path, "File too large; choose another path")
    assert re.fullmatch(rf"error: .*{message}.*\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--output", NAME], "exists; use --force to replace it"),
    ],
)
def test_destinations_are_checked_before_downloading(
    options: list[str], message: str, tmp_path: Path
) -> None:
    """A path that cannot get the file is an error before any server is asked."""
    (tmp_path / NAME).write_bytes(b"mine")
    command = [sys.executable, "-I", "-S", str(ROOT / "scripts" / "download_corpus.py"), *options]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert message in run.stderr
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"mine"]


def networked(source: str) -> set[str]:
    """Return the network modules that code imports."""
    return {name for name in imported_modules(source) if name.partition(".")[0] in NETWORKED}


def test_only_downloads_use_a_network() -> None:
    """Of all packages and scripts, only this script imports a network module."""
    files = sources(PACKAGES) + sources(ROOT / "scripts")
    found = [path.name for path in files if networked(path.read_text("utf-8"))]
    assert found == ["download_corpus.py"]
    planted = "def f():\n    import socket as s, os\n    from ssl import *"
    assert networked(planted) == {"socket", "ssl"}
