"""bpetite's commands: one module each, named after the command.

A command is a module with a function `add_command`, which receives argparse's subparsers. It
adds a parser (`arguments`) and sets the function that does the work with
`set_defaults(run=...)`. That function loads a tokenizer (`models`), reads text (`inputs`),
writes data to standard output (`outputs`), reports its phases (`work`) and its result
(`messages`) on standard error, and raises `Failure` with a message that explains what to do.

Only the module of the requested command is loaded, so no command waits for another's imports;
the help loads all of them.
"""

from importlib import import_module
from pathlib import Path
from typing import Final

from bpetite_cli.arguments import Commands

GROUPS: Final = {
    "make": ("train", "truncate", "import"),
    "use": ("encode", "decode", "count", "export"),
    "look": ("show", "inspect", "compare-tiktoken"),
    "prove": ("verify", "parity"),
}
"""The commands by purpose, in the order of the help."""

_MODULES: Final = {path.stem for path in Path(__file__).parent.glob("*.py")}

BUILT_IN: Final = tuple(name for names in GROUPS.values() for name in names if name in _MODULES)

OF_COMPARE: Final = frozenset(name for names in GROUPS.values() for name in names) - {*BUILT_IN}
"""The commands of bpetite-compare: those that have no module here."""


def add_command(commands: Commands, name: str) -> None:
    """Load the module of a command and add its parser."""
    import_module(f"{__name__}.{name}").add_command(commands)
