"""The page of the commands and the man page have every command and every option."""

import re
import shutil
import subprocess
from importlib import import_module
from typing import Final

import pytest

from bpetite_cli.app import make_parser
from cli_tools import bpetite
from generate import manual
from generate.manual import SHARE
from project_tools import ROOT

pytestmark = pytest.mark.thorough

MAN_PAGE: Final = ROOT / SHARE / "man" / "man1" / "bpetite.1"


def options_of(command: str) -> set[str]:
    """Return the options in a command's help."""
    shown = bpetite(command, "--help").stdout.decode()
    return set(re.findall(r"^  (?:-\w[^,\n]*, )?(--[a-z-]+)", shown, re.MULTILINE)) - {"--help"}


@pytest.fixture(scope="module")
def commands() -> dict[str, set[str]]:
    """Return the options of each command that the help lists, which excludes old names."""
    (action,) = (action for action in make_parser([])._actions if action.metavar == "COMMAND")
    listed = [choice.dest for choice in vars(action)["_choices_actions"]]
    return {command: options_of(command) for command in listed}


def test_share_files_are_generated() -> None:
    """The wheel installs into `share` exactly what `scripts/generate` makes."""
    pytest.importorskip("shtab", reason="shtab, which makes the completions, is not installed")
    generated = {*manual.files(), *import_module("generate.completions").files()}
    found = {path.relative_to(ROOT) for path in (ROOT / SHARE).rglob("*") if path.is_file()}
    assert found == {path for path in generated if path.is_relative_to(SHARE)}


def test_the_page_has_every_option(commands: dict[str, set[str]]) -> None:
    """The usage of each command names all its options; its table or the shared one has them."""
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    head, *sections = re.split(r"^### ", page, flags=re.MULTILINE)
    shared = options_in_tables(head)
    assert len(shared) > 5
    found = {}
    for section in sections:
        usage = set(re.findall(r"(?<![\w-])--?[a-z0-9-]+", section.split("```")[1]))
        described = {**shared, **options_in_tables(section)}
        found[section.partition("\n")[0]] = {
            name for name, short in described.items() if {name, short} & usage
        }
        assert usage <= {*described, *described.values()}
    assert found == commands


def options_in_tables(text: str) -> dict[str, str]:
    """Return the options in the tables of a page, each with its short form, or with ""."""
    rows = re.findall(r"^\| `(?:(-\w)[^,`]*, )?(--[a-z-]+)", text, re.MULTILINE)
    return {name: short for short, name in rows}


def test_the_man_page_has_every_option(commands: dict[str, set[str]]) -> None:
    """The man page names each command, and each of its options below it."""
    sections = re.split(r"^\.SS ", MAN_PAGE.read_text(), flags=re.MULTILINE)[1:]
    found = {
        section.partition("\n")[0].replace("\\-", "-"): {
            option.replace("\\-", "-")
            for option in re.findall(
                r"^\.TP\n(?:\\fB\\-\w\\fR[^,\n]*, )?\\fB(\\-\\-\S+)\\fR", section, re.MULTILINE
            )
        }
        for section in sections
    }
    assert found == commands


def test_the_man_page_is_valid() -> None:
    """The program that formats man pages reports no errors."""
    if shutil.which("groff") is None:
        pytest.skip("there is no groff")
    result = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", MAN_PAGE], capture_output=True, check=False
    )
    if b"font" in result.stderr or b"macro file" in result.stderr:
        pytest.skip(f"this groff sets no man pages: {result.stderr.decode()}")
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"a deterministic byte-level BPE tokenizer" in result.stdout
