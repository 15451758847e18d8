"""The picture of the terminal is what the commands draw today."""

import re
from xml.etree import ElementTree as ET

import pytest

from project_tools import ROOT, load_script

pytestmark = pytest.mark.thorough

PICTURE = ROOT / "docs" / "terminal.svg"


def test_the_picture_is_that_of_a_run() -> None:
    """Drawn again, from the same commands, the picture is the same, byte for byte."""
    assert load_script("draw_terminal").picture().encode() == PICTURE.read_bytes()


def test_the_picture_asks_nobody_for_anything() -> None:
    """It is a small SVG that names no host: whoever looks at it is not told on."""
    text = PICTURE.read_text(encoding="utf-8")
    assert len(text.encode()) < 60_000
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own
    assert re.findall(r"\w+://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", text))
