"""What repeats the parsers of the command line says what they say."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from bpetite_cli._parser import make_parser
from cli_tools import bpetite
from project_tools import ROOT, load_script

pytestmark = pytest.mark.thorough

SHARE: Final = "packages/cli/src/bpetite_cli/installed/share"
MAN_PAGE: Final = ROOT / SHARE / "man" / "man1" / "bpetite.1"


def options_of(command: str) -> set[str]:
    """Return the options that the help of a command names."""
    shown = bpetite(command, "--help").stdout.decode()
    return set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", shown, re.MULTILINE)) - {"--help"}


@pytest.fixture(scope="module")
def commands() -> dict[str, set[str]]:
    """Return the options of each command."""
    (action,) = (action for action in make_parser([])._actions if action.metavar == "COMMAND")
    return {command: options_of(command) for command in vars(action)["choices"]}


def test_the_manual_is_what_the_parsers_say() -> None:
    """The page, the man page and the completions are those that `make_manual.py` makes today."""
    made = load_script("make_manual").manual()
    assert len(made) == 5
    assert [str(path) for path, text in made.items() if (ROOT / path).read_text() != text] == []


def test_there_is_nothing_else_in_the_environment() -> None:
    """The wheel puts into `share` what `make_manual.py` makes, and nothing else."""
    made = {ROOT / path for path in load_script("make_manual").manual()}
    found = {path for path in (ROOT / SHARE).rglob("*") if path.is_file()}
    assert found == {path for path in made if path.is_relative_to(ROOT / SHARE)}


def test_a_stale_manual_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make_manual.py --check` names the files that say anything else, or are missing."""
    script = load_script("make_manual")
    monkeypatch.setattr(script, "_ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["make_manual.py"])
    assert script.main() == 0
    monkeypatch.setattr("sys.argv", ["make_manual.py", "--check"])
    assert script.main() == 0
    page, man_page = tmp_path / "docs" / "reference" / "commands.md", tmp_path / SHARE / "man"
    page.write_text(page.read_text().replace("--force", "--forces", 1))
    shutil.rmtree(man_page)
    capsys.readouterr()
    assert script.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{path} is not what the parsers say; run scripts/make_manual.py"
        for path in (f"{SHARE}/man/man1/bpetite.1", "docs/reference/commands.md")
    ]


def test_the_page_has_every_option(commands: dict[str, set[str]]) -> None:
    """The page names each command, and each of its options in its own section."""
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    sections = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    found = {
        section.partition("\n")[0]: set(re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE))
        for section in sections
    }
    assert found == commands


def test_the_man_page_has_every_option(commands: dict[str, set[str]]) -> None:
    """The man page names each command, and each of its options below it."""
    sections = re.split(r"^\.SS ", MAN_PAGE.read_text(), flags=re.MULTILINE)[1:]
    found = {
        section.partition("\n")[0].replace("\\-", "-"): {
            option.replace("\\-", "-")
            for option in re.findall(r"^\.TP\n\\fB(\\-\S+)\\fR", section, re.MULTILINE)
        }
        for section in sections
    }
    assert found == commands


def test_the_man_page_is_sound() -> None:
    """What sets man pages has nothing to complain of."""
    if shutil.which("groff") is None:
        pytest.skip("there is no groff")
    result = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", MAN_PAGE], capture_output=True, check=False
    )
    if b"font" in result.stderr or b"macro file" in result.stderr:
        pytest.skip(f"this groff sets no man pages: {result.stderr.decode()}")
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"a deterministic byte-level BPE tokenizer" in result.stdout
