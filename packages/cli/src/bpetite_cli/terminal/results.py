"""Print the result of a command: a line of JSON for programs, and messages for people."""

import json
from collections.abc import Callable, Mapping
from shutil import get_terminal_size

from bpetite_cli.io.outputs import is_terminal, write_json
from bpetite_cli.terminal.messages import say


def write_result(data: Mapping[str, object], *lines: str, tell: Callable[..., None] = say) -> None:
    """Write one JSON object to standard output; `tell` prints the lines for people.

    On a terminal, these come first, unless a long object would push them out of sight. The
    object has the same bytes everywhere. The lines are printed even if it cannot be
    written: what they name is saved.
    """
    columns, rows = get_terminal_size()
    told_first = is_terminal() and len(json.dumps(data)) < columns * rows // 2
    if told_first:
        tell(*lines)
    try:
        write_json(data)
    finally:
        if not told_first:
            tell(*lines)
