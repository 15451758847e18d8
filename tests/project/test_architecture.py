"""What a package may import: the gate `lint-imports` finds violations of its contracts.

What a contract cannot express is checked here: a package imports only what its own
pyproject.toml requires.
"""

import ast
import inspect
import re
import shutil
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from bpetite import _inner
from project_tools import (
    IMPORT_NAMES,
    MEMBERS,
    PACKAGES,
    ROOT,
    imported_modules,
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


def undeclared_imports(member: Path) -> set[str]:
    """Return what a package imports, except the standard library, itself and what it declares.

    Extras are declared, except for the other packages. Only the command line loads compare's
    commands, so they may import its module `for_compare`.
    """
    project = tomllib.loads((member / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = chain.from_iterable(project.get("optional-dependencies", {}).values())
    others = {f"bpetite-{other}" for other in MEMBERS}
    declared = {
        *(Requirement(requirement).name for requirement in project["dependencies"]),
        *({Requirement(requirement).name for requirement in extras} - others),
    }
    modules = {
        IMPORT_NAMES.get(name.removeprefix("bpetite-"), name.partition(".")[0])
        for name in {*declared, project["name"]}
    }
    imported = {
        name.partition(".")[0]
        for source in sources(member / "src")
        if source.parent != PACKAGES / "compare/src/bpetite_compare/commands"
        for name in imported_modules(source.read_text(encoding="utf-8"))
    }
    for_the_type_checker = {"_typeshed"}  # this module does not exist at run time
    newer = {"compression"}  # from Python 3.14 on
    optional = {"transformers"}  # a chat template is compiled if it is installed
    return imported - modules - for_the_type_checker - newer - optional - sys.stdlib_module_names


@pytest.mark.parametrize("member", MEMBERS)
def test_a_package_imports_what_it_declares(member: str) -> None:
    """A package imports only the standard library, itself and what it declares."""
    assert undeclared_imports(PACKAGES / member) == set()


def test_an_undeclared_import_is_found(tmp_path: Path) -> None:
    """An undeclared import inside a function is found."""
    shutil.copy(PACKAGES / "core" / "pyproject.toml", tmp_path)
    (tmp_path / "src").mkdir()
    planted = "def draw():\n    from numpy.random import rand\n"
    (tmp_path / "src" / "planted.py").write_text(planted, encoding="utf-8")
    assert undeclared_imports(tmp_path) == {"numpy"}
