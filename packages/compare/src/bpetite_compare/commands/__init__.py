"""The commands of bpetite-compare, which only the command line loads.

Like the built-in commands, they use the command line's kit (`bpetite_cli.kit`). No other
part of this package imports the command line.
"""

import logging

from bpetite_cli.kit import say

__all__: list[str] = []


class _Saying(logging.Handler):
    """Shows the warnings of the library on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message of a record."""
        say(record.getMessage())


logging.getLogger("bpetite_compare").addHandler(_Saying())
