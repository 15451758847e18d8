"""The modules of the command line that the commands of bpetite-compare use.

They import nothing else of it, and are modules like those in `commands`. This module is
internal, not a plug-in API, and may change in any version.
"""

from bpetite_cli import arguments, fields, values
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, models, outputs
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.results import write_result
from bpetite_cli.terminal.visible import visible

__all__ = [
    "Failure",
    "Work",
    "arguments",
    "fields",
    "inputs",
    "messages",
    "models",
    "outputs",
    "values",
    "visible",
    "write_result",
]
