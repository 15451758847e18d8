"""The man page is valid, and the wheel has what was generated."""

import shutil
import subprocess
from importlib import import_module
from typing import Final

import pytest

from cli_tools import bpetite
from generate import manual
from generate.manual import SHARE
from project_tools import ROOT

pytestmark = pytest.mark.thorough

MAN_PAGE: Final = ROOT / SHARE / "man" / "man1" / "bpetite.1"


def test_share_files_are_generated() -> None:
    """The wheel installs into `share` exactly what `scripts/generate` makes."""
    generated = {*manual.files(), *import_module("generate.completions").files()}
    found = {path.relative_to(ROOT) for path in (ROOT / SHARE).rglob("*") if path.is_file()}
    assert found == {path for path in generated if path.is_relative_to(SHARE)}


def test_the_man_page_is_valid() -> None:
    """The program that formats man pages reports no errors, and prints a help as it is."""
    if shutil.which("groff") is None:
        pytest.skip("there is no groff")
    result = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-ww", MAN_PAGE], capture_output=True, check=False
    )
    if b"font" in result.stderr or b"macro file" in result.stderr:
        pytest.skip(f"this groff sets no man pages: {result.stderr.decode()}")
    assert (result.returncode, result.stderr) == (0, b"")
    shown = [line.strip() for line in result.stdout.decode().splitlines()]
    help_lines = bpetite("encode", "--help", env={"COLUMNS": "72"}).stdout.decode().splitlines()
    assert [line for line in help_lines if line.strip() not in shown] == []
