"""What others may rely on, and what our code must not contain.

`tests/core/test_tokenizer.py` tests the methods of the class, and `test_watched.py` what the code
does when it runs. The rules about the code are checked on its syntax tree.
"""

import inspect
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

import bpetite
from bpetite import Tokenizer
from project_tools import MEMBERS, PACKAGES, ROOT, imported_modules, sources

NETWORKED: Final = frozenset(
    {"asyncio", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "socketserver"}
    | {"ssl", "urllib", "urllib3", "webbrowser", "xmlrpc"}
)


def test_the_code_is_in_the_documented_folder() -> None:
    """FR-1, FR-30, FR-31: `bpetite` is packages/core/src/bpetite, and it exports only its class."""
    assert Path(inspect.getfile(bpetite)).resolve().parent == PACKAGES / "core" / "src" / "bpetite"
    assert bpetite.__all__ == ["Tokenizer"]
    assert [name for name in vars(bpetite) if not name.startswith("_")] == ["Tokenizer"]
    assert Tokenizer.__module__.startswith("bpetite.")


def test_tests_import_the_installed_packages() -> None:
    """Nothing in the tests' configuration puts the packages on the path, so they are installed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert settings["pytest"]["ini_options"]["pythonpath"] == [
        *("tests", "scripts", "docs/course", "docs/proof"),
    ]
    assert all(metadata.version(f"bpetite-{member}") for member in MEMBERS)
    for path in [*(ROOT / "tests").glob("*.py"), *(ROOT / "tests").rglob("conftest.py")]:
        puts = r"(sys\.?path(?!\[1:\])|import path|addsitedir|PYTHONPATH)(?!.*(tmp_path|\"docs\"))"
        assert not re.search(puts, path.read_text(encoding="utf-8")), path


def test_only_downloads_use_a_network() -> None:
    """Of all packages and scripts, only the download script imports a network module."""
    files = sources(PACKAGES) + sources(ROOT / "scripts")
    names = {path.name: imported_modules(path.read_text("utf-8")) for path in files}
    roots = {file: {name.partition(".")[0] for name in found} for file, found in names.items()}
    assert [file for file in roots if roots[file] & NETWORKED] == ["download_corpus.py"]
