"""The commands of bpetite-compare: a module each, unless its name starts with `_`.

Only the command line loads them. Of the command line, they import only `bpetite_cli.kit`. The
rest of this package does not import the command line.
"""

import logging
from importlib import import_module
from pathlib import Path

from bpetite_cli import kit


def add_commands(commands: kit.Commands) -> None:
    """Add every command to the command line."""
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        import_module(f"{__name__}.{path.stem}").add_command(commands)


class _Saying(logging.Handler):
    """Prints the library's warnings on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message of a record."""
        kit.say(record.getMessage())


logging.getLogger("bpetite_compare").addHandler(_Saying())
