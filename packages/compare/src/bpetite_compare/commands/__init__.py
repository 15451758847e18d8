"""The commands of bpetite-compare: a module each, unless its name starts with `_`.

Only the command line loads them. They import only one of its modules, `bpetite_cli.for_compare`.
The rest of this package does not import the command line.
"""

import logging
from importlib import import_module
from pathlib import Path

from bpetite_cli import for_compare as cli


def add_commands(commands: cli.Commands) -> None:
    """Add every command to the command line."""
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        import_module(f"{__name__}.{path.stem}").add_command(commands)


class _Saying(logging.Handler):
    """Prints the library's warnings on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message of a record."""
        cli.messages.say(record.getMessage())


logging.getLogger("bpetite_compare").addHandler(_Saying())
