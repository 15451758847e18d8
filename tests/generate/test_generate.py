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


def test_files_that_differ_or_are_missing_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` lists them and the command that writes them; without it they are written."""
    parts = ["schema", "vectors"]
    assert main(parts, tmp_path) == main(["--check", *parts], tmp_path) == 0
    schema, sample = Path("docs/reference/artifact.schema.json"), Path("tests/vectors/sample.json")
    changed = (tmp_path / sample).read_text().replace('"ids":[32]', '"ids":[33]')
    (tmp_path / sample).write_text(changed)
    (tmp_path / schema).unlink()
    capsys.readouterr()
    assert main(["--check", "version", *parts], tmp_path) == 1
    *listed, fix = capsys.readouterr().out.splitlines()[4:]
    assert listed == [f"{schema}: out of date", f"{sample}: out of date"]
    command = "uv run --group generate python scripts/generate"
    assert fix == f"write them with: {command} version schema vectors"
    assert (tmp_path / sample).read_text() == changed
    assert not (tmp_path / schema).exists()
    assert main(parts, tmp_path) == main(["--check", *parts], tmp_path) == 0


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.svg")), ids=lambda path: path.stem)
def test_a_picture_loads_nothing(path: Path) -> None:
    """Viewing a picture sends no request: it names no host but those of its formats."""
    text = path.read_text(encoding="utf-8")
    hosts = {*re.findall(r"\w+://([^/\"]*)", text)}
    assert hosts <= {"www.w3.org", "purl.org", "creativecommons.org", "matplotlib.org"}
    assert re.findall(r"url\((?!#)|@import|<script|href=\"(?!#)", text) == []
