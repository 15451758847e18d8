"""What other installed packages add: commands, and functions that count tokens.

A package provides them as entry points. Looking for these takes a while, so it is done only
where a command line needs it.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Protocol

from bpetite_cli.streams.failure import Failure

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

__all__ = ["Counter", "entries_of", "load_counter", "not_installed_message", "owner_of"]

_COUNTERS: Final = "bpetite.counters"


class Counter(Protocol):
    """Counts the tokens of text; other processes get it by pickle."""

    def cut(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the same text in parts whose tokens can be counted one after the other."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text.

        Raises:
            ValueError: they cannot be counted.
        """


def load_counter(name: str) -> Counter:
    """Return what counts tokens by the encoding of this name.

    An entry point of the group `bpetite.counters` is a function from the name to a counter.
    The group is private to the packages of bpetite.

    Raises:
        Failure: no package has such a function, or it cannot be loaded.
        ValueError, OSError: the function knows no such encoding, or cannot read it.
    """
    for entry in entries_of(_COUNTERS):
        try:
            make_counter = entry.load()
        except Exception as error:  # noqa: BLE001 - it is not our code
            message = f"the encodings of {owner_of(entry)} cannot be loaded: {error}"
            raise Failure(message) from None
        counter: Counter = make_counter(name)
        return counter
    raise Failure(not_installed_message(f"the encoding {name:.40}"))


def entries_of(group: str) -> "EntryPoints":
    """Return the entry points of a group."""
    from importlib import metadata  # noqa: PLC0415 - it is slow to load

    return metadata.entry_points(group=group)


def owner_of(entry: "EntryPoint") -> str:
    """Return the name of the package that an entry point is in."""
    return entry.dist.name if entry.dist else "another package"


def not_installed_message(what: str) -> str:
    """Return where to get what bpetite-compare adds."""
    return (
        f"no installed package has {what}\n"
        "it comes with bpetite-compare: in a clone of bpetite, run "
        "`uv tool install ./packages/cli --with ./packages/compare`"
    )
