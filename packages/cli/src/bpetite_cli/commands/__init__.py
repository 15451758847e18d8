"""The commands of bpetite, each a module of that name, thin over the core.

Such a module has a function `add_command`, which is given argparse's subparsers. None is
loaded but for a command that is run: what one needs, the others need not wait for.
"""

from importlib import import_module
from typing import Final

from bpetite_cli.kit import Commands

__all__ = ["BUILT_IN", "add_command"]

BUILT_IN: Final = ("train", "truncate", "encode", "decode", "count", "show", "inspect", "verify")


def add_command(commands: Commands, name: str) -> None:
    """Load the module of a command, and add the command to the command line."""
    import_module(f"{__name__}.{name}").add_command(commands)
