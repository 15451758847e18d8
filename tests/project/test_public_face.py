"""What others may rely on, and what our code must not contain.

`tests/core/test_tokenizer.py` tests the methods of the class, and `test_watched.py` what the code
does when it runs. The rules about the code are checked on its syntax tree.
"""

import ast
import inspect
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest

import bpetite
from bpetite import Tokenizer
from project_tools import MEMBERS, PACKAGES, ROOT, imported_modules, sources

NETWORKED: Final = frozenset(
    {"asyncio", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "socketserver"}
    | {"ssl", "urllib", "urllib3", "webbrowser", "xmlrpc"}
)

_FORBIDDEN_NAMES: Final = frozenset({"__import__", "compile", "eval", "exec", "print"})
_FORBIDDEN_MODULES: Final = frozenset(
    {"builtins", "code", "codeop", "ctypes", "importlib", "importlib.import_module"}
    | {"importlib.machinery", "importlib.util", "marshal", "pickle", "pkgutil", "pty", "runpy"}
    | {"shelve", "subprocess"}
)
_FORBIDDEN_FUNCTIONS: Final = re.compile(
    r"importlib\.import_module|os\.(exec|fork|popen|posix_spawn|spawn|startfile|system)\w*"
)
_ALLOWED: Final = {
    "bpetite_cli/commands/__init__.py": ["importlib.import_module"],  # the names are in GROUPS
    "bpetite_compare/commands/__init__.py": ["importlib.import_module"],  # those of its files
}


def test_the_code_is_in_the_documented_folder() -> None:
    """FR-1, FR-30, FR-31: `bpetite` is packages/core/src/bpetite, and it exports only its class."""
    package = Path(inspect.getfile(bpetite)).resolve().parent
    assert package == PACKAGES / "core" / "src" / "bpetite"
    assert bpetite.__all__ == ["Tokenizer"]
    assert [name for name in vars(bpetite) if not name.startswith("_")] == ["Tokenizer"]
    assert Tokenizer.__module__.startswith("bpetite.")


PATHS: Final = {
    'sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "exercises"))',
    'monkeypatch.syspath_prepend(ROOT / "docs" / folder)',
    "monkeypatch.syspath_prepend(tmp_path)",
}
"""What the tests' own configuration puts on the path: exercises, and plugins that a test writes."""


def test_tests_import_the_installed_packages() -> None:
    """Nothing in the tests' configuration puts the packages on the path, so they are installed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert settings["pytest"]["ini_options"]["pythonpath"] == ["tests", "scripts", "docs/course"]
    assert all(metadata.version(f"bpetite-{member}") for member in MEMBERS)
    found = {
        line.strip()
        for path in (ROOT / "tests").rglob("conftest.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"sys\.path|import path|syspath|addsitedir|PYTHONPATH", line)
    }
    assert found == PATHS


def networked(source: str) -> set[str]:
    """Return the network modules that code imports."""
    return {name for name in imported_modules(source) if name.partition(".")[0] in NETWORKED}


def test_only_downloads_use_a_network() -> None:
    """Of all packages and scripts, only the download script imports a network module."""
    files = sources(PACKAGES) + sources(ROOT / "scripts")
    found = [path.name for path in files if networked(path.read_text("utf-8"))]
    assert found == ["download_corpus.py"]
    planted = "def f():\n    import socket as s, os\n    from ssl import *"
    assert networked(planted) == {"socket", "ssl"}


def violations(source: str) -> list[str]:
    """Return the violations of our rules in some code, each with its line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assert():
                found.append((node.lineno, "assert"))
            case ast.Name(id=name) if name in _FORBIDDEN_NAMES:
                found.append((node.lineno, name))
            case ast.Import(names=aliases):
                found += [(node.lineno, package_of(alias.name)) for alias in aliases]
            case ast.ImportFrom(module="importlib", names=aliases):
                found += [(node.lineno, f"importlib.{alias.name}") for alias in aliases]
            case ast.ImportFrom(module=str(module)):
                found.append((node.lineno, package_of(module)))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                found.append((node.lineno, f"{name}.{attribute}"))
    return [f"line {line}: {what}" for line, what in sorted(found) if is_forbidden(what)]


def package_of(module: str) -> str:
    """Return the package of a module, and for `importlib` the module: some of it is harmless."""
    return module if module.startswith("importlib.") else module.partition(".")[0]


def is_forbidden(what: str) -> bool:
    """Return whether a rule forbids a statement, a name, a module or a function."""
    names = {"assert"} | _FORBIDDEN_NAMES | _FORBIDDEN_MODULES
    return what in names or bool(_FORBIDDEN_FUNCTIONS.fullmatch(what))


@pytest.mark.parametrize(
    "source", sources(PACKAGES), ids=lambda source: str(source.relative_to(ROOT))
)
def test_no_code_is_unsafe_or_noisy(source: Path) -> None:
    """No module asserts, prints, runs text or programs, or imports by name; two have a reason."""
    found = violations(source.read_text(encoding="utf-8"))
    allowed = _ALLOWED.get(source.relative_to(source.parents[2]).as_posix(), [])
    assert [line.partition(": ")[2] for line in found] == allowed


@pytest.mark.parametrize(
    ("snippet", "found"),
    [
        ("assert x, 'y'", "assert"),
        ("call(print)", "print"),
        ("value = eval(x)", "eval"),
        ("import pickle as p\np.loads(data)", "pickle"),
        ("from pickle import Unpickler", "pickle"),
        ("from importlib import metadata, import_module", "importlib.import_module"),
        ("importlib.import_module(x)", "importlib.import_module"),
        ("import ctypes.util as c", "ctypes"),
        ("os.posix_spawnp(x)", "os.posix_spawnp"),
    ],
)
def test_a_planted_violation_is_found(snippet: str, found: str) -> None:
    """Each kind of rule detects its violation inside a function, and no similar code."""
    nested = "def f():\n" + "\n".join(f"    {line}" for line in snippet.splitlines())
    assert violations(nested) == [f"line 2: {found}"]
    assert violations("regex.compile('print(x)'); import importlib.metadata; os.path.join(x)") == []
