"""The modules of the command line that the commands of bpetite-compare use.

They import nothing else of it, and are modules like those in `commands`. This module is
internal, not a plug-in API, and may change in any version.
"""

# ruff: noqa: PLC0414 - an alias with the same name exports it

from bpetite_cli import arguments as arguments
from bpetite_cli import fields as fields
from bpetite_cli import values as values
from bpetite_cli.errors import Failure as Failure
from bpetite_cli.io import destinations as destinations
from bpetite_cli.io import inputs as inputs
from bpetite_cli.io import models as models
from bpetite_cli.terminal import messages as messages
from bpetite_cli.terminal.progress import Work as Work
from bpetite_cli.terminal.results import write_result as write_result
from bpetite_cli.terminal.visible import visible as visible
