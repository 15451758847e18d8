"""What the commands of bpetite-compare use of the command line; they import nothing else of it.

They are modules like those in `commands`. This module is internal, not a plug-in API, and may
change in any version.
"""

from bpetite_cli import fields
from bpetite_cli.arguments import (
    Commands,
    add_destination,
    add_file_argument,
    add_files,
    add_model,
    add_parser,
    advise,
    require_one,
)
from bpetite_cli.errors import Failure
from bpetite_cli.io.destinations import check_destination, check_destination_folder
from bpetite_cli.io.inputs import check_inputs, name_of, read_text
from bpetite_cli.io.models import about_model
from bpetite_cli.terminal.messages import on_terminal, say
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.results import write_result
from bpetite_cli.terminal.visible import visible
from bpetite_cli.values import bounded, output_file, text_argument

__all__ = [
    "Commands",
    "Failure",
    "Work",
    "about_model",
    "add_destination",
    "add_file_argument",
    "add_files",
    "add_model",
    "add_parser",
    "advise",
    "bounded",
    "check_destination",
    "check_destination_folder",
    "check_inputs",
    "fields",
    "name_of",
    "on_terminal",
    "output_file",
    "read_text",
    "require_one",
    "say",
    "text_argument",
    "visible",
    "write_result",
]
