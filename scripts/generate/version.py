"""Copy the version from the workspace's pyproject.toml to the other files that state it.

Wheels and source archives have static metadata, so each package states its own version and those
of its siblings.
"""

import re
import tomllib
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
_PACKAGES: Final = tuple(f"packages/{name}/pyproject.toml" for name in ("core", "cli", "compare"))
_STATED: Final = re.compile(r'(^version(?: = "|: )|"bpetite-\w+==)[0-9][\w.+!-]*', re.MULTILINE)


def files(root: Path = _ROOT) -> dict[Path, str]:
    """Return the files that state the version, with the workspace's version."""
    workspace = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    version: str = workspace["project"]["version"]
    return {
        Path(name): _STATED.sub(rf"\g<1>{version}", (root / name).read_text(encoding="utf-8"))
        for name in (*_PACKAGES, "CITATION.cff")
    }
