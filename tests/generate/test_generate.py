"""Generated files are up to date, and an outdated file is found."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.report import sections, short
from generate.benchmarks import read_runs
from generate.command import PARTS, main
from generate.places import filled
from project_tools import ROOT

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_up_to_date(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each generated file equals the output of its part, byte for byte."""
    status, (out, err) = main(["--check", part]), capsys.readouterr()
    if "skipped" in err:
        pytest.skip(err)
    assert (status, out) == (0, "")


def test_files_that_differ_or_are_missing_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` lists them, writes nothing and exits with 1; without it they are written."""
    parts = ["schema", "vectors"]
    assert main(parts, tmp_path) == main(["--check", *parts], tmp_path) == 0
    schema, sample = Path("docs/reference/artifact.schema.json"), Path("tests/vectors/sample.json")
    changed = (tmp_path / sample).read_text().replace('"ids":[32]', '"ids":[33]')
    (tmp_path / sample).write_text(changed)
    (tmp_path / schema).unlink()
    capsys.readouterr()
    assert main(["--check", *parts], tmp_path) == 1
    assert capsys.readouterr().out == f"{schema}: out of date\n{sample}: out of date\n"
    assert (tmp_path / sample).read_text() == changed
    assert not (tmp_path / schema).exists()
    assert main(parts, tmp_path) == main(["--check", *parts], tmp_path) == 0


@pytest.mark.parametrize(
    ("part", "package"),
    [
        ("course_pictures", "rustbpe"),
        ("course_pictures", "tokenizers"),
        ("completions", "shtab"),
        ("plots", "matplotlib"),
    ],
)
def test_a_part_without_a_package_is_skipped(
    part: str, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If any package that a part imports is not installed, one line says so."""
    monkeypatch.delitem(sys.modules, f"generate.{part}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    assert main(["--check", part]) == 0
    assert capsys.readouterr() == ("", f"{part}: skipped, because {package} is not installed\n")


def test_a_missing_module_of_ours_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part is skipped only for a package, not for a module that the part names wrongly."""
    monkeypatch.delitem(sys.modules, "generate.schema", raising=False)
    monkeypatch.setitem(sys.modules, "bpetite._constants", None)
    with pytest.raises(ModuleNotFoundError, match=r"bpetite\._constants"):
        main(["--check", "schema"])


def test_unknown_parts_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown part is wrong usage."""
    with pytest.raises(SystemExit, match="2"):
        main(["scheme"])
    assert "there is no part 'scheme', only version, " in capsys.readouterr().err


def test_changed_samples_make_files_outdated() -> None:
    """Other samples make another page and another table, so outdated ones are found."""
    runs = read_runs()
    others = [
        replace(
            run,
            series=[
                replace(one, samples=[sample / 2 for sample in one.samples])
                if (one.section, one.case, one.contestant) == ("train", "seconds", "bpetite")
                else one
                for one in run.series
            ],
        )
        for run in runs
    ]
    for table in ("summary", "goals", "train"):
        assert sections(others)[table] != sections(runs)[table]
    assert short(others) != short(runs)


def test_a_page_without_table_markers_is_an_error() -> None:
    """Tables go between two markers, and nowhere else."""
    page = "# Page\n\n<!-- made by scripts/generate: speed -->\nold\n<!-- end -->\n"
    assert filled(page, {"speed": "new\n"}) == page.replace("old", "\nnew\n")
    for broken in (page.replace("<!-- end -->", ""), page.replace("speed", "sped"), page * 2):
        with pytest.raises(ValueError, match=r"^the page has places for \["):
            filled(broken, {"speed": "new\n"})


def test_the_terminal_picture_loads_nothing() -> None:
    """It is a small SVG that names no host, so viewing it sends no request."""
    text = (ROOT / "docs" / "terminal.svg").read_text(encoding="utf-8")
    assert len(text.encode()) < 60_000
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own
    assert re.findall(r"\w+://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", text))
