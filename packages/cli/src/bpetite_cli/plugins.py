"""Commands and published encodings from other installed packages.

A package provides them as entry points. Finding entry points is slow, so this happens only
when a command needs it.
"""

from typing import TYPE_CHECKING, Protocol

from bpetite._inner import Artifact
from bpetite_cli.errors import Failure

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


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


def load_encoding(name: str, *, ordinary: bool) -> Encoding:
    """Return the encoding with this name.

    An entry point in the group `bpetite.encodings` is a function with these parameters. The group
    is private to bpetite's packages.

    Args:
        name: the name of the encoding.
        ordinary: whether special tokens are counted as ordinary text.

    Raises:
        Failure: no package has such a function, or it cannot be loaded.
        ValueError, OSError: the function does not know the encoding, or cannot read it.
    """
    for entry in entries_of("bpetite.encodings"):
        try:
            make_encoding = entry.load()
        except Exception as error:  # noqa: BLE001 - it is not our code
            raise Failure(f"the encodings of {owner_of(entry)} cannot be loaded: {error}") from None
        encoding: Encoding = make_encoding(name, ordinary)
        return encoding
    raise Failure(not_installed_message(f"the encoding {name:.40}"))


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
