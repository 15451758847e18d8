"""bpetite's commands: one module each, named after the command.

A command is a module with a function `add_command`. It adds a parser with options (`arguments`),
and sets the function that does the work and the objects that it prints (`fields`) with
`set_defaults(run=..., prints=...)`. If the command works through text, that function opens a
`Pipe`, which reads the documents, applies a function to them, and writes the result: data, or a
JSON object with messages for people. `Failure` has a message that explains what to do. A command
with an exit status of its own returns it, and sets that of an error as `trouble`.

Only the module of the requested command is loaded, so no command waits for another's imports;
the help loads all of them.
"""

from importlib import import_module
from typing import Final

from bpetite_cli.strict_parser import Commands

GROUPS: Final = {
    "make a tokenizer": ("train", "shrink", "truncate", "chunks", "import"),
    "use it": ("encode", "decode", "count", "head", "export"),
    "look into it": ("show", "inspect", "diff", "sizes", "compare", "compare-tiktoken"),
    "prove what it is": ("verify", "parity"),
}
"""The commands by purpose, in the order of the help; bpetite-compare adds some of them."""

NAMES: Final = tuple(name for names in GROUPS.values() for name in names)


def add_command(commands: Commands, name: str) -> bool:
    """Load the module of a command and add its parser; return whether there is one."""
    if name not in NAMES:
        return False
    module = f"{__name__}.{name}"
    try:
        command = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return False
    command.add_command(commands)
    return True
