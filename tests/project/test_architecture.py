"""What a package may import: the gate `lint-imports` finds violations of its contracts."""

import ast
import inspect
import re
import shutil
from pathlib import Path

import pytest

from bpetite import _inner
from project_tools import (
    MEMBERS,
    PACKAGES,
    ROOT,
    run,
    sources,
    tool,
)


def test_a_forbidden_import_is_found(tmp_path: Path) -> None:
    """FR-35: if the command line imports compare, one contract is broken, and the others kept."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for member in MEMBERS:
        shutil.copytree(PACKAGES / member / "src", tmp_path, dirs_exist_ok=True)
    environment = {"PYTHONPATH": str(tmp_path), "COLUMNS": "200", "NO_COLOR": "1"}
    (tmp_path / "bpetite_cli" / "commands" / "planted.py").write_text("import bpetite_compare\n")
    result = run(tool("lint-imports"), "--no-cache", cwd=tmp_path, env=environment)
    assert (result.returncode, ", 1 broken." in result.stdout) == (1, True), result.stdout
    assert "bpetite_cli.commands.planted -> bpetite_compare" in result.stdout


def test_the_door_of_the_core_is_narrow() -> None:
    """The siblings get at most 25 names, no modules; the docstring says what each is for."""
    assert len(_inner.__all__) <= 25
    assert not any(inspect.ismodule(getattr(_inner, name)) for name in _inner.__all__)
    lines = [line.split() for line in inspect.cleandoc(_inner.__doc__ or "").splitlines()]
    explained = [words[0] for words in lines if words and words[0] in _inner.__all__]
    assert sorted(explained) == sorted(_inner.__all__)


@pytest.mark.parametrize("member", ["cli", "compare"])
def test_the_siblings_use_no_private_attribute(member: str) -> None:
    """What the door gives is used by its public names alone."""
    classes = [one for one in vars(_inner).values() if inspect.isclass(one)]
    private = {name for one in classes for name in dir(one) if re.match("_[a-z]", name)}
    private -= {
        *dir(_inner.CountedPart)
    }  # a NamedTuple has `_replace`, as others of the siblings do
    for source in sources(PACKAGES / member / "src"):
        nodes = ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        used = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr in private]
        assert [one.attr for one in used if ast.unparse(one.value) != "self"] == [], source
