"""The download script, against a real server on this machine: a corpus whole, or nothing.

Nothing here leaves the machine. What the script is to fetch is given to it as a `Corpus`.
"""

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest

from project_tools import PACKAGES, ROOT, imported_modules, load_script, sources

pytestmark = pytest.mark.thorough

SCRIPT: Final = ROOT / "scripts" / "download_corpus.py"
NETWORKED: Final = frozenset(
    {"asyncio", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "socketserver"}
    | {"ssl", "urllib", "urllib3", "webbrowser", "xmlrpc"}
)
TEXT: Final = bytes(range(256)) * 1024  # four blocks as the script reads them
SHA256: Final = hashlib.sha256(TEXT).hexdigest()

script: Final[Any] = load_script("download_corpus")


class Handler(BaseHTTPRequestHandler):
    """Answer with the text, or with what can go wrong in place of it."""

    server: "Server"

    def do_GET(self) -> None:
        """Answer a request by its path."""
        self.server.requests.append(self.path)
        with suppress(OSError):  # whoever has heard enough hangs up
            getattr(self, f"answer_{self.path[1:]}")()

    def answer_whole(self) -> None:
        """Send the text, and do what the test asks for when half of it is sent."""
        self.begin(length=len(TEXT))
        self.wfile.write(TEXT[: len(TEXT) // 2])
        self.server.half_way()
        self.wfile.write(TEXT[len(TEXT) // 2 :])

    def answer_short(self) -> None:
        """Send half of what is announced."""
        self.begin(length=len(TEXT))
        self.wfile.write(TEXT[: len(TEXT) // 2])

    def answer_unannounced(self) -> None:
        """Send half of the text, and no length."""
        self.begin(length=None)
        self.wfile.write(TEXT[: len(TEXT) // 2])

    def answer_cut(self) -> None:
        """Send the first half of the text in a chunk, announce the other half, and hang up."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        half = len(TEXT) // 2
        self.wfile.write(b"%x\r\n%b\r\n%x\r\n" % (half, TEXT[:half], half))

    def answer_changed(self) -> None:
        """Send another text of the same length."""
        self.begin(length=len(TEXT))
        self.wfile.write(TEXT[:-1] + b"!")

    def answer_longer(self) -> None:
        """Send one byte after the text."""
        self.begin(length=len(TEXT) + 1)
        self.wfile.write(TEXT + b"!")

    def answer_endless(self) -> None:
        """Send the text for ever."""
        self.begin(length=None)
        while True:
            self.wfile.write(TEXT)

    def answer_missing(self) -> None:
        """Know of no such text."""
        self.send_error(404)

    def answer_garbage(self) -> None:
        """Answer in another protocol."""
        self.wfile.write(b"220 ready\r\n")

    def begin(self, length: int | None) -> None:
        """Send what stands before the text."""
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Keep standard error for the script."""


class Server(ThreadingHTTPServer):
    """A server on this machine that remembers what it was asked for."""

    def __init__(self) -> None:
        """Take a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[str] = []
        self.half_way: Callable[[], object] = lambda: None

    def corpus(self, path: str) -> object:
        """Describe what the script is to fetch from here."""
        return script.Corpus(f"http://127.0.0.1:{self.server_port}/{path}", len(TEXT), SHA256)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server for the time of a test."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def start(corpus: object, folder: Path, before: str = "") -> subprocess.Popen[str]:
    """Start the script in a process of its own, to fetch this corpus."""
    code = f"{before}\nimport download_corpus as it\nit.sys.exit(it.main([], it.{corpus!r}))"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SCRIPT.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def test_the_corpus_is_the_one_that_is_promised() -> None:
    """The script fetches TinyShakespeare over TLS, and knows its size and its hash."""
    corpus = script.TINY_SHAKESPEARE
    assert corpus.url == (
        "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
    )
    assert corpus.size == 1_115_394
    assert re.fullmatch(r"86c4e6aa[0-9a-f]{51}565ed", corpus.sha256)


def test_a_download_leaves_the_whole_file(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text arrives under the default name, and a line says so; nothing else is left."""
    assert script.main([], server.corpus("whole")) == 0
    assert contents(folder) == {"tinyshakespeare.txt": TEXT}
    assert capsys.readouterr() == (
        "tinyshakespeare.txt: 262,144 bytes, with the expected sha256\n",
        "",
    )


def test_a_download_goes_where_it_is_told(server: Server, folder: Path) -> None:
    """The option --output names the file, in another folder too."""
    (folder / "corpora").mkdir()
    assert script.main(["--output", "corpora/plays.txt"], server.corpus("whole")) == 0
    assert contents(folder / "corpora") == {"plays.txt": TEXT}


def test_a_new_file_gets_the_usual_permissions(server: Server, folder: Path) -> None:
    """The file may be read by whom the umask lets read new files."""
    umask = os.umask(0o027)
    try:
        assert script.main([], server.corpus("whole")) == 0
    finally:
        os.umask(umask)
    assert (folder / "tinyshakespeare.txt").stat().st_mode & 0o777 == 0o640


FAILURES: Final = [
    ("short", "only 131,072 of 262,144 bytes came; run it again"),
    ("unannounced", "only 131,072 of 262,144 bytes came; run it again"),
    ("cut", "only 131,072 of 262,144 bytes came; run it again"),
    ("changed", "its sha256 is"),
    ("longer", "it has more than 262,144 bytes"),
    ("endless", "it has more than 262,144 bytes"),
    ("missing", "answered 404 Not Found; run it again later"),
    ("garbage", "check the connection and run it again"),
]


@pytest.mark.parametrize(("path", "reason"), FAILURES)
def test_a_failed_download_leaves_nothing(
    path: str, reason: str, server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever goes wrong, no file is left, and one line says what to do."""
    assert script.main([], server.corpus(path)) == 1
    assert contents(folder) == {}
    output, errors = capsys.readouterr()
    assert output == ""
    assert re.fullmatch(rf"error: .*{reason}.*\n", errors)


@pytest.mark.parametrize(("path", "_reason"), FAILURES)
def test_a_failed_download_replaces_nothing(
    path: str, _reason: str, server: Server, folder: Path
) -> None:
    """With --force too, a file stays as it is until the new one is whole."""
    (folder / "tinyshakespeare.txt").write_text("mine")
    assert script.main(["--force"], server.corpus(path)) == 1
    assert contents(folder) == {"tinyshakespeare.txt": b"mine"}


def test_nobody_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A refused connection is said in one line, and leaves nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    corpus = script.Corpus(f"http://127.0.0.1:{port}/whole", len(TEXT), SHA256)
    assert script.main([], corpus) == 1
    assert contents(folder) == {}
    assert re.fullmatch(r"error: cannot read .*refused.*; check .*\n", capsys.readouterr().err)


def test_an_existing_file_is_kept(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --force a file that is there is kept, and the server is not even asked."""
    (folder / "tinyshakespeare.txt").write_text("mine")
    assert script.main([], server.corpus("whole")) == 1
    assert contents(folder) == {"tinyshakespeare.txt": b"mine"}
    assert server.requests == []
    assert re.fullmatch(r"error: .*there already; .*--force.*\n", capsys.readouterr().err)


def test_a_file_that_came_meanwhile_is_kept(server: Server, folder: Path) -> None:
    """A file that takes the name during the download is kept as well."""
    server.half_way = lambda: (folder / "tinyshakespeare.txt").write_text("mine")
    assert script.main([], server.corpus("whole")) == 1
    assert contents(folder) == {"tinyshakespeare.txt": b"mine"}


def test_an_existing_file_is_replaced_by_force(server: Server, folder: Path) -> None:
    """With --force the new text replaces the old."""
    (folder / "tinyshakespeare.txt").write_text("mine")
    assert script.main(["--force"], server.corpus("whole")) == 0
    assert contents(folder) == {"tinyshakespeare.txt": TEXT}


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(Path.mkdir, id="folder"),
        pytest.param(os.mkfifo, id="FIFO"),
        pytest.param(lambda path: path.symlink_to("nowhere"), id="dangling link"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--force"]], ids=str)
def test_what_is_no_file_is_refused(
    options: list[str], make: Callable[[Path], object], server: Server, folder: Path
) -> None:
    """A folder, a FIFO and a dangling link are neither replaced nor written to."""
    make(folder / "tinyshakespeare.txt")
    before = (folder / "tinyshakespeare.txt").lstat()
    assert script.main(options, server.corpus("whole")) == 1
    assert [path.name for path in folder.iterdir()] == ["tinyshakespeare.txt"]
    assert (folder / "tinyshakespeare.txt").lstat().st_ino == before.st_ino
    assert server.requests == []


def test_a_missing_folder_is_named(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the folder does not exist the line says so, before anything is fetched."""
    assert script.main(["--output", "no/text"], server.corpus("whole")) == 1
    assert contents(folder) == {}
    assert server.requests == []
    assert capsys.readouterr().err == (
        "error: cannot write 'no/text': No such file or directory; "
        "name another place with --output\n"
    )


def test_a_full_disk_leaves_nothing(server: Server, folder: Path) -> None:
    """When the system takes no more bytes, what was written is removed."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    with start(server.corpus("whole"), folder, before=limit) as process:
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert re.fullmatch(r"error: cannot write .*File too large; name another place.*\n", errors)
    assert contents(folder) == {}


def test_an_interrupt_leaves_nothing(server: Server, folder: Path) -> None:
    """Ctrl-C half way removes what was written, and the exit status is that of an interrupt."""
    half_way, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        half_way.set()
        go_on.wait(60)

    server.half_way = wait
    # A test run in the background has the interrupt ignored; the script is in the foreground.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    with start(server.corpus("whole"), folder, before=listen) as process:
        try:
            assert half_way.wait(60)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            go_on.set()
    assert (process.returncode, output) == (130, "")
    assert errors == "error: interrupted, and nothing was kept; run it again\n"
    assert contents(folder) == {}


@pytest.mark.parametrize(
    ("path", "end"),
    [("whole", "262,144 of 262,144 bytes\r\n"), ("short", "131,072 of 262,144 bytes\r\nerror: ")],
)
def test_progress_is_drawn_on_a_terminal(path: str, end: str, server: Server, folder: Path) -> None:
    """A person sees one line that is rewritten, and what comes after it on a line of its own."""
    ours, terminal = os.openpty()
    code = f"import download_corpus as it; it.main([], it.{server.corpus(path)!r})"
    with os.fdopen(ours, "rb", 0) as screen, os.fdopen(terminal, "wb", 0) as stderr:
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(SCRIPT.parent)},
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            check=True,
            timeout=60,
        )
        os.set_blocking(ours, False)  # do not wait for what was never drawn
        drawn = (screen.read(1 << 16) or b"").decode()
    assert re.match(r"(\r[\d,]+ of 262,144 bytes)+\r\n", drawn)
    assert end in drawn


def networked(source: str) -> set[str]:
    """Return the modules that code imports to reach a network."""
    return {name for name in imported_modules(source) if name.partition(".")[0] in NETWORKED}


@pytest.mark.parametrize(
    "source",
    [*sources(PACKAGES), *(path for path in sources(SCRIPT.parent) if path != SCRIPT)],
    ids=lambda source: str(source.relative_to(ROOT)),
)
def test_nothing_else_reaches_a_network(source: Path) -> None:
    """No other file of the packages and scripts imports what could reach a network."""
    assert networked(source.read_text(encoding="utf-8")) == set()


def test_the_script_is_seen_to_reach_a_network() -> None:
    """The check that finds nothing elsewhere finds what the script imports."""
    assert networked(SCRIPT.read_text(encoding="utf-8")) == {
        "http.client",
        "urllib.error",
        "urllib.request",
    }


@pytest.mark.parametrize(
    ("snippet", "found"),
    [
        ("import urllib.request", "urllib.request"),
        ("from http.client import HTTPSConnection", "http.client"),
        ("def f():\n    import socket as s", "socket"),
        ("try:\n    import requests\nexcept ImportError:\n    pass", "requests"),
        ("import os, ssl", "ssl"),
    ],
)
def test_a_planted_networked_import_is_found(snippet: str, found: str) -> None:
    """However a module is imported, it is found."""
    assert networked(snippet) == {found}
