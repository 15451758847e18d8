"""Commands from other installed packages; what `--model` names, such as an encoding they know.

A package provides them as entry points. Finding entry points is slow, so this happens only
when a command needs it.
"""

import os
import shlex
import time
from typing import TYPE_CHECKING, Final, Protocol

from bpetite._inner import Artifact, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io import models

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

_LONG_SECONDS: Final = 1
"""How long an import takes that is worth a file."""


class Encoding(Protocol):
    """A published encoding, which counts the tokens of text; pickled for other processes."""

    @property
    def in_blocks(self) -> bool:
        """Whether the tokens of blocks that end at safe boundaries add up to those of a text."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text.

        Raises:
            ValueError: the tokens cannot be counted.
        """

    def to_artifact(self) -> Artifact:
        """Return the tokenizer with the same ids.

        Raises:
            ValueError: a tokenizer file cannot represent it.
        """


def is_path(word: str) -> bool:
    """Return whether `--model` names a file: one that exists, or a word that looks like one."""
    return os.path.lexists(word) or os.path.basename(word) != word or ".json" in word


def load_model(word: str, *, download: bool, notes: list[str]) -> tuple[Artifact, bytes | None]:
    """Return the tokenizer of `--model`, and the content of its file, if it is one.

    Every form that `--model` can have is read here.

    Args:
        word: the path of a tokenizer file, or a name.
        download: whether a package may download what has this name.
        notes: gets messages for the end, when no bar is in the way.
    """
    if is_path(word):
        return models.load_file(word)
    encoding = load_encoding(word, ordinary=False, download=download)
    started = time.process_time()  # a busy machine does not count
    artifact = encoding.to_artifact()
    seconds = time.process_time() - started
    if seconds > _LONG_SECONDS:
        command = f"bpetite import {shlex.quote(word)} --output NEW.json"
        notes.append(f"importing {word} took {seconds:.0f} s; `{command}` saves the tokenizer")
    return artifact, None


def load_encoding(name: str, *, ordinary: bool, download: bool) -> Encoding:
    """Return the encoding with this name, or that of the model with this name.

    An entry point in the group `bpetite.encodings` is a function with these parameters. The group
    is private to bpetite's packages.

    Args:
        name: the name of the encoding.
        ordinary: whether special tokens are counted as ordinary text.
        download: whether it may be downloaded.

    Raises:
        Failure: no package has such a function, it cannot be loaded, or does not know the name.
        ValueError, OSError: the function cannot read the encoding.
    """
    for entry in entries_of("bpetite.encodings"):
        try:
            make_encoding = entry.load()
        except Exception as error:  # noqa: BLE001 - it is not our code
            raise Failure(f"the encodings of {owner_of(entry)} cannot be loaded: {error}") from None
        encoding: Encoding = make_encoding(name, ordinary, download)
        return encoding
    what = f"{quoted(name)} is not a file; the name of a model or an encoding"
    raise Failure(not_installed_message(what))


def entries_of(group: str) -> "EntryPoints":
    """Return the entry points of a group."""
    from importlib import metadata  # noqa: PLC0415 - it is slow to load

    return metadata.entry_points(group=group)


def owner_of(entry: "EntryPoint") -> str:
    """Return the name of the package that defines an entry point."""
    return entry.dist.name if entry.dist else "another package"


def not_installed_message(what: str) -> str:
    """Return a message that explains how to install bpetite-compare."""
    return (
        f"{what} requires bpetite-compare, which is not installed\n"
        "install it from where bpetite-cli came from: in a clone, with `uv tool install "
        "./packages/cli --with ./packages/compare` or `pip install ./packages/compare`; from an "
        "address, add `--with git+URL#subdirectory=packages/compare` to the command with uv"
    )
