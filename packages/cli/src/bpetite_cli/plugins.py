"""Commands from other installed packages; what `--model` names, such as an encoding they know.

A package provides them as entry points. Finding entry points is slow, so this happens only
when a command needs it.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from bpetite._inner import Artifact, quoted
from bpetite_cli.errors import Failure
from bpetite_cli.io import models

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

_LONG_SECONDS: Final = 1
"""How long an import takes that is worth a file."""


class Engine(Protocol):
    """Encodes text as a tokenizer does; pickled for other processes.

    name: its name and version.
    """

    name: str

    def encode(self, text: str, *, ordinary: bool) -> list[int]:
        """Return the ids of a text, those of `Tokenizer.encode`."""


Facts: TypeAlias = Mapping[str, list[str]]
"""What is known about a tokenizer of another form, by topic."""


class Model(NamedTuple):
    """What `--model` names.

    artifact: the tokenizer.
    file: the content of its tokenizer file.
    left_out: what is left out of the original, in a few words each.
    command: how to save it.
    facts: what it is; None for a tokenizer file.
    """

    artifact: Artifact
    file: bytes
    left_out: Sequence[str] = ()
    command: str = ""
    facts: Facts | None = None


class NotOpenedError(Failure):
    """A tokenizer of another form does not open."""

    def __init__(self, message: str, facts: Facts) -> None:
        super().__init__(message)
        self.facts = facts


def is_path(word: str) -> bool:
    """Return whether `--model` names a file: one that exists, or a word that looks like one."""
    return os.path.lexists(word) or os.path.basename(word) != word or ".json" in word


def load_model(word: str, *, download: bool, notes: list[str]) -> Model:
    """Return the tokenizer of `--model`.

    Every form that `--model` can have is read here.

    Args:
        word: a path, or a name.
        download: whether a package may download what has this name.
        notes: gets messages for the end, when no bar is in the way.

    Raises:
        Failure: it cannot be opened.
    """
    what = ""
    if is_path(word):
        try:
            return Model(*models.load_file(word))
        except models.OtherFileError as other:
            what = f"{other}; opening it"
    started = time.process_time()  # a busy machine does not count
    model: Model = _provided("bpetite.models", word, what)(word, download)
    seconds = time.process_time() - started
    if model.left_out:
        notes.append(f"{quoted(word)}: {'; '.join(model.left_out)}")
    if seconds > _LONG_SECONDS:
        told = f"importing {word} took {seconds:.0f} s"
        notes.append(f"{told}; `{model.command}` saves the tokenizer")
    return model


def load_encoding(
    name: str, *, ordinary: bool, download: bool
) -> tuple[Callable[[str], int], bool, str]:
    """Return what counts the tokens of a text with an encoding, if in blocks, and its engine.

    The function is pickled for other processes. It raises a `ValueError` if it cannot count. With
    blocks that end at safe boundaries, their tokens add up to those of the text.

    Args:
        name: the name of the encoding, or of a model that has one.
        ordinary: whether special tokens are counted as ordinary text.
        download: whether it may be downloaded.

    Raises:
        ValueError, OSError: the encoding cannot be read.
    """
    found: tuple[Callable[[str], int], bool, str]
    found = _provided("bpetite.encodings", name)(name, ordinary, download)
    return found


def load_engine(artifact: Artifact) -> Engine:
    """Return what encodes in the place of bpetite, with the same ids.

    Raises:
        ValueError: it would have other ids for this tokenizer.
    """
    engine: Engine = _provided("bpetite.engines", "", "--engine tiktoken")(artifact)
    return engine


def _provided(group: str, word: str, what: str = "") -> Callable[..., Any]:
    """Return the function of another package that opens what `--model` names.

    Entry points in the group `bpetite.encodings` have the parameters of `load_encoding`, those in
    `bpetite.models` a word and whether it may be downloaded, those in `bpetite.engines` an
    artifact. They are private to bpetite's packages.

    Raises:
        Failure: no package has such a function, or it cannot be loaded.
    """
    for entry in entries_of(group):
        try:
            function: Callable[..., Any] = entry.load()
        except Exception as error:  # noqa: BLE001 - it is not our code
            raise Failure(f"what {owner_of(entry)} opens cannot be loaded: {error}") from None
        return function
    raise Failure(
        not_installed_message(
            what or f"{quoted(word)} is not a file; the name of a model or an encoding"
        )
    )


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
