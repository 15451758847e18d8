"""The commands of bpetite: a module for each, with the name of the command.

`kit` describes such a module. Only the module of the requested command is loaded, so no
command waits for what another needs; the help needs all of them.
"""

from importlib import import_module
from typing import Final

from bpetite_cli.kit import Commands

__all__ = ["BUILT_IN", "add_command"]

BUILT_IN: Final = ("train", "truncate", "encode", "decode", "count", "show", "inspect", "verify")


def add_command(commands: Commands, name: str) -> None:
    """Load the module of a command, and add the command to the command line."""
    import_module(f"{__name__}.{name}").add_command(commands)
