"""The modules of the command line that the commands of bpetite-compare use.

They import nothing else of it, and are modules like those in `commands`. This module is
internal, not a plug-in API, and may change in any version.
"""

# ruff: noqa: PLC0414 - an alias with the same name exports it

from bpetite_cli import fields as fields
from bpetite_cli import tips as tips
from bpetite_cli import values as values
from bpetite_cli.arguments import add_destination as add_destination
from bpetite_cli.arguments import add_model as add_model
from bpetite_cli.arguments import add_options as add_options
from bpetite_cli.arguments import add_text_or_documents as add_text_or_documents
from bpetite_cli.errors import Failure as Failure
from bpetite_cli.io.inputs import name_of as name_of
from bpetite_cli.io.outputs import check_destination as check_destination
from bpetite_cli.io.outputs import check_destination_folder as check_destination_folder
from bpetite_cli.io.outputs import wants_json as wants_json
from bpetite_cli.pipe import Pipe as Pipe
from bpetite_cli.pipe import load_alone as load_alone
from bpetite_cli.plugins import Facts as Facts
from bpetite_cli.plugins import Model as Model
from bpetite_cli.plugins import NotOpenedError as NotOpenedError
from bpetite_cli.plugins import is_path as is_path
from bpetite_cli.strict_parser import Commands as Commands
from bpetite_cli.terminal import messages as messages
from bpetite_cli.terminal.progress import Bar as Bar
from bpetite_cli.terminal.visible import visible as visible
