"""The proof in docs/proof: what can be checked without Coq; `scripts/proof` checks the rest."""

import re
import tomllib
from typing import Final

import pytest

from project_tools import ROOT

pytestmark = pytest.mark.thorough

PROOF: Final = ROOT / "docs" / "proof"
STATEMENT: Final = re.compile(r"^\s*(Theorem|Lemma|Corollary|Example) (\w+)", re.MULTILINE)
THEOREMS: Final = (PROOF / "Theorems.v").read_text(encoding="utf-8")
ASKED: Final = frozenset(re.findall(r"^Print Assumptions (\w+\.\w+)\.$", THEOREMS, re.MULTILINE))


def statements(kind: str = "") -> set[str]:
    """Return the names of what is proved, as `File.name`."""
    return {
        f"{path.stem}.{name}"
        for path in PROOF.glob("*.v")
        for found, name in STATEMENT.findall(path.read_text(encoding="utf-8"))
        if found.startswith(kind)
    }


def test_every_theorem_is_asked_about() -> None:
    """Coq is asked for the axioms of every theorem, and of some lemmas."""
    assert statements("Theorem") <= ASKED <= statements()


def test_theorems_on_pages_exist() -> None:
    """Each theorem that a page or a requirement names is asked about."""
    files = {path.stem for path in (ROOT / "docs" / "proof").glob("*.v")} - {"Tokenizer"}
    text = "\n".join(page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md"))
    named = {f"{one}.{name}" for one, name in re.findall(r"`(\w+)\.(\w+)`", text) if one in files}
    requirements = tomllib.loads((ROOT / "tests" / "requirements.toml").read_text(encoding="utf-8"))
    named |= {name for one in requirements["prototype"] for name in one.get("theorems", ())}
    assert {"Ascii.next_ascii_pattern", "Encoders.merge_pass_bytes"} <= named <= ASKED
