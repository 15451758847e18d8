"""The page of the explorer, as text: it sends nothing, and it can be read."""

import base64
import gzip
import hashlib
import re
from typing import Final

from generate import one_file
from project_tools import ROOT

EXPLORER: Final = ROOT / "docs" / "explorer"
PAGE: Final = (EXPLORER / "index.html").read_text(encoding="utf-8")


def test_the_explorer_sends_no_requests() -> None:
    """Its policy allows its own scripts and styles, and no connection, font, frame or form."""
    (policy,) = re.findall(r'Content-Security-Policy"\s+content="([^"]+)"', PAGE)
    assert dict(rule.split(maxsplit=1) for rule in policy.split("; ")) == {
        "default-src": "'none'",
        "script-src": "'self' file:",
        "style-src": "'self' file:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert re.findall(r"<script(?! src=)|<style| style=| on\w+=", PAGE) == []


def test_the_one_file_is_the_page() -> None:
    """It is up to date and small, allows only its own script and style, and links nowhere."""
    made = one_file.files()
    for path, text in made.items():
        data = (ROOT / path).read_bytes()
        assert data == text.encode(), "run `uv run python scripts/generate one_file`"
    text = made[one_file.ONE_FILE]
    assert len(text.encode()) <= 300_000
    assert len(gzip.compress(text.encode())) <= 120_000
    assert re.findall(r'(?:href|src)="([^"]*)"', text) == ["data:,"]
    footer = text.split("<footer>")[1].split("</footer>")[0]
    assert "This page is from bpetite" in footer  # which leads whoever gets the file home
    assert (ROOT / "docs" / "course").is_dir()
    assert "in docs/course" in footer
    for name in re.findall(r'"(\w+\.(?:css|js))"', PAGE.split("<body>")[0]):
        assert (EXPLORER / name).read_text(encoding="utf-8") in text
    for element in ("script", "style"):
        ((_, content),) = re.findall(rf"<({element})>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f" {element}-src 'sha256-{digest}';" in text


def test_scripts_come_before_those_that_use_them() -> None:
    """A script has the scripts that it names in Node before it on the page."""
    names = re.findall(r'<script src="(.*?)" defer>', PAGE)
    for place, name in enumerate(names):
        source = (EXPLORER / name).read_text(encoding="utf-8")
        assert {*re.findall(r'require\("\./(.*?)"\)', source)} <= {name, *names[:place]}


def test_the_explorer_is_accessible() -> None:
    """It describes itself and its pictures, orders its headings, and says what it needs."""
    assert re.findall(r"<h([1-6])", PAGE) == ["1", *"222222"]
    assert "<noscript>" in PAGE
    assert re.findall(r"<img(?![^>]* alt=\"\w)", PAGE) == []
    (description,) = re.findall(r'name="description" content="([^"]*)"', PAGE)
    assert 40 <= len(description) <= 200
