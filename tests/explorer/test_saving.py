"""The explorer as one file, and its links, in Chromium: saved, sent and opened by a receiver."""

import hashlib
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final
from urllib.parse import parse_qs

import pytest

from bpetite import Tokenizer
from chromium import Chromium
from project_tools import ROOT

pytestmark = [pytest.mark.thorough, pytest.mark.posix]

ONE_FILE: Final = ROOT / "docs" / "explorer" / "bpetite-explorer.html"
TEXT: Final = "tower, See"
IDS: Final = (
    "[...document.querySelectorAll('#tokens [data-id]')].map((one) => Number(one.dataset.id))"
)
SEEN: Final = "document.body.innerText"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Chromium]:
    """Return a page in Chromium, beside a folder that has the one file and nothing else."""
    (tmp_path / "sent").mkdir()
    shutil.copy(ONE_FILE, tmp_path / "sent")
    chromium = Chromium(tmp_path)
    yield chromium
    chromium.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Return the address of that folder on a host without TLS, where `crypto` has no hashes."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "sent"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://explorer.test:{server.server_port}/{ONE_FILE.name}"
        server.shutdown()


def ready(page: Chromium, address: str) -> None:
    """Open an address, and wait until the page has started and has an address of its own."""
    page.open(address)
    page.wait("document.querySelector('main:not([hidden])') && location.hash.includes('view=')")


def copied(page: Chromium) -> str:
    """Return what "Copy link" gives by keyboard: in the clipboard or, without one, selected."""
    page.run("document.getElementById('copy').focus()")
    page.press("Enter")
    page.wait("document.getElementById('said').textContent !== ''")
    selected = page.run("document.activeElement.id === 'link' && getSelection().toString()")
    return str(selected or page.run("navigator.clipboard.readText()"))


def test_one_file_saves_itself(page: Chromium, tmp_path: Path) -> None:
    """Alone in a folder, it works, asks for nothing, and saves its own bytes; so does a blob."""
    sent = (tmp_path / "sent" / ONE_FILE.name).as_uri()
    ready(page, f"{sent}#view=text&tokenizer=prose&text=the+memory")
    assert page.run(IDS)
    page.run("document.getElementById('save').click()")
    page.wait(f"{SEEN}.includes('Saved as {ONE_FILE.name}')")
    saved = tmp_path / ONE_FILE.name
    page.until(saved.is_file)
    assert saved.read_bytes() == ONE_FILE.read_bytes()
    ids = page.run(IDS)
    blob = page.run("URL.createObjectURL(new Blob([share.source], { type: 'text/html' }))")
    page.send("Page.navigate", url=f"{blob}#view=text&tokenizer=prose&text=the+memory")
    page.wait(f"location.protocol === 'blob:' && {IDS}.length > 0")
    assert page.run(IDS) == ids
    assert copied(page) == "#view=text&tokenizer=prose&merges=3840&text=the+memory"
    assert "behind the address of the receiver's page" in page.run(SEEN)
    assert page.faults() == []
    assert {address.split("#")[0] for address in page.requests()} <= {"about:blank", sent, blob}


def test_a_link_asks_for_its_file(page: Chromium, site: str, tmp_path: Path) -> None:
    """The sender sees which file it needs; the receiver has to open it, whatever its name."""
    corpus = "tow, tower, towed\nSee, Seeelefant"
    Tokenizer.train(corpus, 264).save(tmp_path / "tower.json")
    shutil.copy(tmp_path / "tower.json", tmp_path / "tower (1).json")
    (tmp_path / "other").mkdir()
    Tokenizer.train("another", 260).save(tmp_path / "other" / "tower.json")
    ready(page, f"{site}#view=text&tokenizer=prose&text={TEXT}")
    page.choose("#file", tmp_path / "tower.json")
    page.wait(f"{SEEN}.includes('A link to this also needs your tower.json.')")
    page.run(
        "const slider = document.getElementById('merges'); slider.value = 3;"
        "slider.dispatchEvent(new Event('input'))"
    )
    link = copied(page)
    digest = hashlib.sha256((tmp_path / "tower.json").read_bytes()).hexdigest()[:16]
    address, fragment = link.split("#")
    assert address == site
    assert parse_qs(fragment)["tokenizer"] == ["file:tower.json"]
    assert parse_qs(fragment)["sha256"] == [digest]

    ready(page, f"{(tmp_path / 'sent' / ONE_FILE.name).as_uri()}#{fragment}")
    asked = f"This link needs tower.json (SHA-256 {digest}…)."
    page.wait(f"{SEEN}.includes('{asked}')")
    assert page.run(IDS) == []
    page.choose("#file", tmp_path / "other" / "tower.json")
    page.wait(f"{SEEN}.includes('You opened another file, tower.json (SHA-256 ')")
    assert asked in page.run(SEEN)
    assert page.run(IDS) == []
    assert copied(page) == f"#{fragment}"
    page.choose("#file", tmp_path / "tower (1).json")
    page.wait(f"{IDS}.length > 0")
    assert page.run(IDS) == Tokenizer.train(corpus, 256 + 3).encode(TEXT)
    assert asked not in page.run(SEEN)
    assert page.faults() == []


def test_a_long_text_is_not_in_a_link(page: Chromium, site: str) -> None:
    """The page says so before the link is copied, and the receiver's page says what is missing."""
    ready(page, f"{site}#view=text&tokenizer=code&text=x")
    page.run(
        "const text = document.getElementById('text'); text.value = '日'.repeat(700);"
        "text.dispatchEvent(new Event('input'))"
    )
    page.wait(f"{SEEN}.includes('This text is too long for a link: send it separately.')")
    link = copied(page)
    assert "text=" not in link.replace("without=text", "").replace("view=text", "")
    assert "tokenizer=code" in link
    ready(page, link)
    assert "The text here is an example: the sender's text was too long" in page.run(SEEN)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_that_cannot_start_says_what_to_do(
    page: Chromium, tmp_path: Path, *, scripts: bool
) -> None:
    """Without its parts, or with scripts turned off, the page has no dead controls, but advice."""
    shutil.copy(ONE_FILE.with_name("index.html"), tmp_path / "sent")
    page.send("Emulation.setScriptExecutionDisabled", value=not scripts)
    page.send("Page.navigate", url=(tmp_path / "sent" / "index.html").as_uri())
    advice = f"get the one file {ONE_FILE.name}" if scripts else "Allow them for this page"
    page.until(lambda: advice in page.spoken())
    assert "Play" not in page.spoken()
    assert "Copy link" not in page.spoken()
