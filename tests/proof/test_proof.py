"""The proof in docs/proof: what can be checked without Coq; `scripts/proof` checks the rest."""

import re
from functools import cached_property
from pkgutil import resolve_name
from typing import Final

import pytest

from project_tools import ROOT

pytestmark = pytest.mark.thorough

PROOF: Final = ROOT / "docs" / "proof"
STATEMENT: Final = re.compile(r"^\s*(Theorem|Lemma|Corollary|Example) (\w+)", re.MULTILINE)
ROW: Final = re.compile(r"^\| (`\w+\.\w+`.*) \| (.+) \| (.+) \|$", re.MULTILINE)


def statements(kind: str = "") -> set[str]:
    """Return the names of what is proved, as `File.name`."""
    return {
        f"{path.stem}.{name}"
        for path in PROOF.glob("*.v")
        for found, name in STATEMENT.findall(path.read_text(encoding="utf-8"))
        if found.startswith(kind)
    }


def rows() -> list[tuple[set[str], set[str]]]:
    """Return each row of the page's tables: its theorems, and the functions they are about."""
    page = (PROOF / "README.md").read_text(encoding="utf-8")
    found = [
        (set(re.findall(r"`(\w+\.\w+)`", theorems)), set(re.findall(r"`(\w+\.[\w.]+)`", subject)))
        for theorems, _, subject in ROW.findall(page)
    ]
    assert found
    return found


def test_every_theorem_on_the_page_is_asked_about() -> None:
    """The page explains each theorem, and Coq is asked for the axioms of exactly these."""
    text = (PROOF / "Theorems.v").read_text(encoding="utf-8")
    asked = re.findall(r"^Print Assumptions (\w+\.\w+)\.$", text, re.MULTILINE)
    assert sorted([name for theorems, _ in rows() for name in theorems]) == sorted(asked)
    assert statements("Theorem") <= set(asked) <= statements()


def test_every_function_on_the_page_exists() -> None:
    """A theorem is about functions of the core or of the oracle."""
    names = {name for _, subjects in rows() for name in subjects}
    assert {"_merges.Merges.apply", "oracle.one_pass"} <= names
    for name in names:
        folder = {"_": "bpetite.", "str": "builtins.", "bytes": "builtins."}
        start = "_" if name[0] == "_" else name.partition(".")[0]
        found = resolve_name(folder.get(start, "") + name)
        assert callable(found) or isinstance(found, cached_property)
