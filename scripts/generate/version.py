"""The version, from pyproject.toml of the workspace to the other files that have to state it.

Wheels and source archives carry metadata that nothing has to compute, so each package states its
version, and that of its siblings, by itself.
"""

import re
import tomllib
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
_PACKAGES: Final = tuple(f"packages/{name}/pyproject.toml" for name in ("core", "cli", "compare"))
_VERSION: Final = r"[0-9][\w.+!-]*"


def files(root: Path = _ROOT) -> dict[Path, str]:
    """Return the files that state the version, each with the one of the workspace."""
    workspace = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    version: str = workspace["project"]["version"]
    return {
        Path(name): _stated(version, (root / name).read_text(encoding="utf-8"))
        for name in (*_PACKAGES, "CITATION.cff")
    }


def _stated(version: str, text: str) -> str:
    text = re.sub(rf'^(version = "){_VERSION}', rf"\g<1>{version}", text, flags=re.MULTILINE)
    text = re.sub(rf"^(version: ){_VERSION}", rf"\g<1>{version}", text, flags=re.MULTILINE)
    return re.sub(rf'("bpetite-\w+==){_VERSION}', rf"\g<1>{version}", text)
