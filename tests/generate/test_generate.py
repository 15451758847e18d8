"""Generated files are up to date, and an outdated file is found."""

import re
from pathlib import Path

import pytest

from generate.command import main
from project_tools import ROOT

pytestmark = pytest.mark.thorough


def test_generated_files_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    """Every generated file equals the output of its part, byte for byte."""
    status = main(["--check"])
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.svg")), ids=lambda path: path.stem)
def test_a_picture_loads_nothing(path: Path) -> None:
    """Viewing a picture sends no request: it names no host but those of its formats."""
    text = path.read_text(encoding="utf-8")
    hosts = {*re.findall(r"\w+://([^/\"]*)", text)}
    assert hosts <= {"www.w3.org", "purl.org", "creativecommons.org", "matplotlib.org"}
    assert re.findall(r"url\((?!#)|@import|<script|href=\"(?!#)", text) == []
