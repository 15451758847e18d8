"""Check the proof of docs/proof completely, and the Python functions extracted from it.

It needs Coq 8.16, takes some minutes, and works in a temporary folder:

    compile     compile every file, which checks every proof
    assume      ask Coq for the axioms of the theorems: none
    recheck     check the compiled files again with `coqchk`
    break       check that Coq rejects each wrong definition of docs/proof/broken.toml
    extract     compare the proved functions, as Python, with extracted.py

With --write, it writes extracted.py and stops after "assume".

`coq_to_python` converts a function to Python.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proof.coq_to_python import print_functions

ROOT: Final = Path(__file__).resolve().parents[2]
PROOF: Final = ROOT / "docs" / "proof"
EXTRACTED: Final = PROOF / "extracted.py"

_TOOLS: Final = ("coqc", "coqchk", "coqdep")
_VERSION: Final = "8.16"
_LIBRARY: Final = ("-Q", ".", "Bpetite")
_STATEMENT: Final = re.compile(r"^(?:Lemma|Theorem|Corollary|Example) (\w+)", re.MULTILINE)
_UNPROVED: Final = re.compile(
    r"\b(?:Axiom|Axioms|Parameter|Parameters|Conjecture|Admitted|admit|give_up|Abort)\b"
)
_TIMEOUT_SECONDS: Final = 600


@dataclass(frozen=True)
class Broken:
    """A wrong definition, as edits of a file, and the lemma whose proof must fail."""

    what: str
    file: str
    edits: Sequence[tuple[str, str]]
    refused_by: str


def main() -> None:
    """Run the command; a failed check ends the program with an error."""
    parser = argparse.ArgumentParser(
        prog="python3 scripts/proof", description="Check the proof in docs/proof with Coq."
    )
    parser.add_argument("--write", action="store_true", help=f"write {EXTRACTED.name}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bpetite-proof-") as folder:
        check(Path(folder), write=options.write)


def check(folder: Path, *, write: bool = False) -> None:
    """Check everything, in an empty folder."""
    _check_tools()
    for path in PROOF.glob("*.v"):
        shutil.copy(path, folder)
    files = _in_order(folder)
    _check_nothing_is_left_out(folder)
    assumed = ""
    for file in files:
        print(f"compile: {file}", flush=True)
        result = _run(folder, "coqc", *_LIBRARY, file)
        if result.returncode != 0:
            sys.exit(f"error: coqc rejects {file}: {result.stderr.strip()}")
        assumed = result.stdout
    print(f"assume:  {_count_theorems(folder, assumed)} theorems, all without axioms")
    extracted = json.loads((folder / "oracle.json").read_text(encoding="utf-8"))
    source = print_functions(extracted)
    if write:
        EXTRACTED.write_text(source, encoding="utf-8")
        print(f"extract: {EXTRACTED.relative_to(ROOT)} written")
        return
    if EXTRACTED.read_text(encoding="utf-8") != source:
        sys.exit(
            f"error: {EXTRACTED.relative_to(ROOT)} differs from the proof; "
            f"regenerate it with: python3 scripts/proof --write"
        )
    print(f"extract: {EXTRACTED.relative_to(ROOT)} matches the proof")
    _recheck(folder)
    for entry in tomllib.loads((PROOF / "broken.toml").read_text(encoding="utf-8"))["broken"]:
        broken = Broken(**entry)
        if (found := _refusal(folder, files, broken)) != broken.refused_by:
            sys.exit(
                f"error: {broken.what}: expected {broken.refused_by} to reject it, got: {found}"
            )
        print(f"break:   {broken.what}: rejected in {found}", flush=True)


def _check_tools() -> None:
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        sys.exit(f"error: {missing[0]} is not on PATH; install Coq {_VERSION}: apt-get install coq")
    version = _run(Path(), "coqc", "--print-version").stdout.split()[0]
    if not version.startswith(f"{_VERSION}."):
        print(f"warning: this is Coq {version}; the proof was written for {_VERSION}")


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=_TIMEOUT_SECONDS,
    )


def _in_order(folder: Path) -> list[str]:
    """Return the files in order of dependency, with the summary of all theorems last."""
    names = sorted(path.name for path in folder.glob("*.v"))
    sorted_names = _run(folder, "coqdep", *_LIBRARY, "-sort", *names).stdout.split()
    files = [Path(name).name for name in sorted_names]
    if sorted(files) != names:
        sys.exit(f"error: coqdep lists {files}, but the folder contains {names}")
    files.remove("Theorems.v")
    return [*files, "Theorems.v"]


def _check_nothing_is_left_out(folder: Path) -> None:
    """Reject the words that leave something unproved, wherever they occur."""
    for path in sorted(folder.glob("*.v")):
        if found := _UNPROVED.search(path.read_text(encoding="utf-8")):
            sys.exit(f"error: {path.name} contains {found[0]}: every statement needs a proof")


def _count_theorems(folder: Path, assumed: str) -> int:
    """Return how many theorems Coq was asked about; none of them may depend on an axiom."""
    text = (folder / "Theorems.v").read_text(encoding="utf-8")
    asked = text.count("\nPrint Assumptions ")
    closed = assumed.count("Closed under the global context\n")
    if not asked or closed != asked or assumed.count("\n") != asked:
        sys.exit(
            f"error: expected {asked} theorems without axioms, got {closed}: {assumed.strip()}"
        )
    return asked


def _recheck(folder: Path) -> None:
    """Let the independent checker read all compiled files and list their axioms."""
    print("recheck: coqchk reads the compiled files", flush=True)
    result = _run(folder, "coqchk", "-silent", "-o", *_LIBRARY, "Bpetite.Theorems")
    report = result.stdout + result.stderr
    if result.returncode != 0 or not re.search(r"^\* Axioms: <none>$", report, re.MULTILINE):
        sys.exit(f"error: coqchk rejects the compiled files: {report.strip()}")


def _refusal(folder: Path, files: Sequence[str], broken: Broken) -> str:
    """Return the name of the lemma at which Coq rejects a wrong definition."""
    with tempfile.TemporaryDirectory(prefix="bpetite-proof-") as name:
        copy = Path(name)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        path = copy / broken.file
        text = path.read_text(encoding="utf-8")
        for old, new in broken.edits:
            if text.count(old) != 1:
                sys.exit(f"error: {broken.what}: {broken.file} must contain this once: {old!r}")
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
        for file in files[files.index(broken.file) :]:
            result = _run(copy, "coqc", *_LIBRARY, file)
            if result.returncode != 0:
                return _statement_at(copy / file, result.stderr)
    return "none"


def _statement_at(path: Path, complaint: str) -> str:
    """Return the name of the statement whose proof stopped Coq."""
    places = re.findall(r"line (\d+), characters", complaint)  # warnings come first
    lines = path.read_text(encoding="utf-8").splitlines()[: int(places[-1]) if places else 0]
    names = _STATEMENT.findall("\n".join(lines))
    return names[-1] if names else f"no statement ({complaint.strip()})"
