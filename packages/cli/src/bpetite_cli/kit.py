"""The building blocks of commands.

A command is a module with a function `add_command`, which receives argparse's subparsers.
It adds a parser (`arguments`) and sets the function that does the work with
`set_defaults(run=...)`. That function loads a tokenizer (`models`), reads text (`inputs`),
writes data to standard output (`outputs`), reports its phases (`work`) and its result
(`messages`) on standard error, and raises `Failure` with a message that explains what to
do. It draws pictures on a `Screen`.

Built-in commands also import views and `streams.formats`; the commands of bpetite-compare
import only this module. It is internal, not a plug-in API, and may change in any version.
"""

from bpetite._files import quoted
from bpetite_cli.arguments import (
    Commands,
    add_corpus,
    add_destination,
    add_documents_in_files,
    add_file_argument,
    add_files,
    add_jobs,
    add_model,
    add_output,
    add_parser,
    add_quiet,
    allow_one,
    documents_of,
    jobs_of,
    require,
    require_one,
    vocab_size,
)
from bpetite_cli.jobs.sharing import Sharing
from bpetite_cli.other_packages import Counter, load_counter
from bpetite_cli.streams.destination import check_destination, check_destination_folder
from bpetite_cli.streams.documents import Documents
from bpetite_cli.streams.failure import Failure, explain
from bpetite_cli.streams.fields import ratio, text_fields, token_fields, tokenizer_fields
from bpetite_cli.streams.inputs import (
    STANDARD_INPUT,
    Advance,
    check_inputs,
    name_of,
    read_text,
    total_size,
)
from bpetite_cli.streams.models import about_model, load_artifact, load_model, save_artifact
from bpetite_cli.streams.outputs import (
    check_output,
    hold_output,
    is_terminal,
    json_line,
    send_output,
    stream_output,
    write_json,
    write_output,
)
from bpetite_cli.streams.words import integer, text_argument
from bpetite_cli.terminal.learning import learn
from bpetite_cli.terminal.messages import in_units, on_terminal, say, say_error, say_if_typed
from bpetite_cli.terminal.screen import Screen, look_at_output
from bpetite_cli.terminal.training import Training
from bpetite_cli.terminal.visible import visible
from bpetite_cli.terminal.work import Work

__all__ = [
    "STANDARD_INPUT",
    "Advance",
    "Commands",
    "Counter",
    "Documents",
    "Failure",
    "Screen",
    "Sharing",
    "Training",
    "Work",
    "about_model",
    "add_corpus",
    "add_destination",
    "add_documents_in_files",
    "add_file_argument",
    "add_files",
    "add_jobs",
    "add_model",
    "add_output",
    "add_parser",
    "add_quiet",
    "allow_one",
    "check_destination",
    "check_destination_folder",
    "check_inputs",
    "check_output",
    "documents_of",
    "explain",
    "hold_output",
    "in_units",
    "integer",
    "is_terminal",
    "jobs_of",
    "json_line",
    "learn",
    "load_artifact",
    "load_counter",
    "load_model",
    "look_at_output",
    "name_of",
    "on_terminal",
    "quoted",
    "ratio",
    "read_text",
    "require",
    "require_one",
    "save_artifact",
    "say",
    "say_error",
    "say_if_typed",
    "send_output",
    "stream_output",
    "text_argument",
    "text_fields",
    "token_fields",
    "tokenizer_fields",
    "total_size",
    "visible",
    "vocab_size",
    "write_json",
    "write_output",
]
