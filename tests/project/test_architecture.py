"""What a package may import: the gate `lint-imports` finds violations of its contracts.

`.ci/run packages` runs each package's tests with only what it declares.
"""

import shutil
from pathlib import Path

from project_tools import MEMBERS, PACKAGES, ROOT, run, tool


def test_a_forbidden_import_is_found(tmp_path: Path) -> None:
    """FR-35: every contract is kept, until the command line imports compare."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for member in MEMBERS:
        shutil.copytree(PACKAGES / member / "src", tmp_path, dirs_exist_ok=True)
    environment = {"PYTHONPATH": str(tmp_path), "COLUMNS": "200", "NO_COLOR": "1"}
    command = (tool("lint-imports"), "--no-cache")
    result = run(*command, cwd=tmp_path, env=environment)
    assert (result.returncode, ", 0 broken." in result.stdout) == (0, True), result.stdout
    (tmp_path / "bpetite_cli" / "commands" / "planted.py").write_text("import bpetite_compare\n")
    result = run(*command, cwd=tmp_path, env=environment)
    assert result.returncode == 1
    assert "bpetite_cli.commands.planted -> bpetite_compare" in result.stdout
