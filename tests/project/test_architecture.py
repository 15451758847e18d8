"""The import contracts of pyproject.toml: all are kept, and each can break.

What a contract cannot express is checked separately: a package imports only what its own
pyproject.toml requires.
"""

import re
import shutil
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement

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

SIBLINGS: Final = "The core knows neither sibling, and the command line does not know compare"
LIBRARY: Final = (
    "As a library, compare needs neither the command line nor rich; its commands use the kit"
)
COMPARE_LAYERS: Final = "The library of compare does not know its commands"
CORE_LAYERS: Final = "The layers of the core, high to low"
REGEX_ALONE: Final = "The core needs nothing but regex"
PRIVATE: Final = "The modules of the core are private to it, but for its friends"
DRAWING: Final = "Only what draws knows rich"
CLI_LAYERS: Final = "The folders of the command line, high to low"
COMMANDS: Final = "No command knows another"
REFERENCE: Final = "The reference model needs nothing but regex"


@dataclass(frozen=True)
class Plant:
    """A line added to the end of a module, and the contracts that it breaks."""

    module: str
    line: str
    broken: frozenset[str]

    def __str__(self) -> str:
        return f"{Path(self.module).stem}: {self.line or 'a new module'}"


# A module called _planted.py is new; the others are existing modules with an added line.
PLANTS: Final = (
    Plant("core/src/bpetite/_trainer.py", "import rich", frozenset({REGEX_ALONE})),
    Plant("core/src/bpetite/_trainer.py", "import tiktoken", frozenset({REGEX_ALONE})),
    Plant(
        "core/src/bpetite/_tokenizer.py",
        "import bpetite_cli",
        frozenset({SIBLINGS, REGEX_ALONE, CLI_LAYERS}),
    ),
    Plant("core/src/bpetite/_planted.py", "", frozenset({CORE_LAYERS})),
    Plant("core/src/bpetite/_encoder.py", "import bpetite._trainer", frozenset({CORE_LAYERS})),
    Plant("core/src/bpetite/_constants.py", "import bpetite._files", frozenset({CORE_LAYERS})),
    Plant(
        "core/src/bpetite/_artifact.py",
        "import bpetite._tokenizer",
        frozenset({CORE_LAYERS}),
    ),
    Plant("cli/src/bpetite_cli/planted.py", "", frozenset({CLI_LAYERS})),
    Plant("cli/src/bpetite_cli/io/inputs.py", "import bpetite._encoder", frozenset({PRIVATE})),
    Plant(
        "cli/src/bpetite_cli/io/outputs.py",
        "import bpetite_cli.terminal.messages",
        frozenset({CLI_LAYERS}),
    ),
    Plant(
        "cli/src/bpetite_cli/views/rows.py",
        "import bpetite_cli.kit",
        frozenset({CLI_LAYERS}),
    ),
    Plant(
        "cli/src/bpetite_cli/commands/count.py",
        "import bpetite_cli.commands.encode",
        frozenset({COMMANDS}),
    ),
    Plant("cli/src/bpetite_cli/errors.py", "import bpetite_compare", frozenset({SIBLINGS})),
    Plant("cli/src/bpetite_cli/commands/show.py", "import rich.console", frozenset({DRAWING})),
    Plant(
        "compare/src/bpetite_compare/_planted.py",
        "import bpetite._trainer",
        frozenset({PRIVATE, COMPARE_LAYERS}),
    ),
    Plant("compare/src/bpetite_compare/_parity.py", "import rich.text", frozenset({LIBRARY})),
    Plant("compare/src/bpetite_compare/_parity.py", "import bpetite_cli.kit", frozenset({LIBRARY})),
    Plant(
        "compare/src/bpetite_compare/commands/parity.py",
        "import bpetite_cli.io.outputs",
        frozenset({LIBRARY}),
    ),
    Plant(
        "compare/src/bpetite_compare/_parity.py",
        "import bpetite_compare._report",
        frozenset({COMPARE_LAYERS}),
    ),
    Plant(
        "compare/src/bpetite_compare/reference/_model.py",
        "import bpetite_compare._gpt2",
        frozenset({COMPARE_LAYERS}),
    ),
    Plant(
        "compare/src/bpetite_compare/reference/_ascii.py", "import tiktoken", frozenset({REFERENCE})
    ),
)


def contract_names() -> list[str]:
    """Return the names of the contracts, as pyproject.toml lists them."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [contract["name"] for contract in configuration["tool"]["importlinter"]["contracts"]]


def check_contracts(folder: Path) -> dict[str, str]:
    """Return KEPT or BROKEN for every contract, checked on this folder."""
    paths = (str(folder / "packages" / member / "src") for member in MEMBERS)
    result = run(
        tool("lint-imports"),
        "--no-cache",
        "--no-logo",
        cwd=folder,
        env={"PYTHONPATH": ":".join(paths), "COLUMNS": "200", "NO_COLOR": "1"},
    )
    verdicts = dict(re.findall(r"^(.+) (KEPT|BROKEN)", result.stdout, re.MULTILINE))
    assert result.returncode == int("BROKEN" in verdicts.values()), result.stdout + result.stderr
    return verdicts


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy the contracts and the code that they apply to."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for member in MEMBERS:
        shutil.copytree(
            PACKAGES / member / "src",
            tmp_path / "packages" / member / "src",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    return tmp_path


def test_every_contract_is_kept() -> None:
    """FR-35: the command line does not import compare; the other contracts are kept as well."""
    assert check_contracts(ROOT) == dict.fromkeys(contract_names(), "KEPT")


@pytest.mark.thorough
def test_a_copy_keeps_the_contracts(copy: Path) -> None:
    """A copy without a plant breaks nothing, so a plant causes what it breaks."""
    assert check_contracts(copy) == dict.fromkeys(contract_names(), "KEPT")


@pytest.mark.thorough
@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_a_planted_import_breaks_its_contract(plant: Plant, copy: Path) -> None:
    """A forbidden import breaks its own contract, by name, and no other."""
    with (copy / "packages" / plant.module).open("a", encoding="utf-8") as module:
        module.write(f"\n{plant.line}\n")
    verdicts = check_contracts(copy)
    assert {name for name, verdict in verdicts.items() if verdict == "BROKEN"} == plant.broken


def test_every_contract_has_a_plant() -> None:
    """Each contract in pyproject.toml has a plant that breaks it."""
    assert set(contract_names()) == frozenset[str]().union(*(plant.broken for plant in PLANTS))


def undeclared_imports(member: Path) -> set[str]:
    """Return what a package imports, except the standard library, itself and what it declares.

    Only the command line loads compare's commands, so they may import its kit.
    """
    project = tomllib.loads((member / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {Requirement(requirement).name for requirement in project["dependencies"]}
    modules = {
        IMPORT_NAMES.get(name.removeprefix("bpetite-"), name)
        for name in {*declared, project["name"]}
    }
    imported = {
        name.partition(".")[0]
        for source in sources(member / "src")
        if source.parent != PACKAGES / "compare/src/bpetite_compare/commands"
        for name in imported_modules(source.read_text(encoding="utf-8"))
    }
    for_the_type_checker = {"_typeshed"}  # this module does not exist at run time
    return imported - modules - for_the_type_checker - sys.stdlib_module_names


@pytest.mark.parametrize("member", MEMBERS)
def test_a_package_imports_what_it_declares(member: str) -> None:
    """A package imports only the standard library, itself and what it declares."""
    assert undeclared_imports(PACKAGES / member) == set()


def test_an_undeclared_import_is_found(copy: Path) -> None:
    """An undeclared import inside a function is found."""
    member = copy / "packages" / "core"
    shutil.copy(PACKAGES / "core" / "pyproject.toml", member)
    planted = member / "src" / "bpetite" / "_planted.py"
    planted.write_text("def draw():\n    from numpy.random import rand\n", encoding="utf-8")
    assert undeclared_imports(member) == {"numpy"}
