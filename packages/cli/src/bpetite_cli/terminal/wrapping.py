"""Fit the help of a command into a terminal of any width."""

import argparse
import re
import textwrap
from typing import Final

_START_OF_BLOCK: Final = re.compile(r"\n(?=\n| {1,3}\S)")
_TERM: Final = re.compile(r" +\S+ +(?=\S)")
_OPTION_WITH_VALUES: Final = re.compile(
    # A shell command can be broken before an option or an operator; both keep their values.
    r""" +(?:-\S|[|<>])(?:[^\s'"]|'[^']*'|"[^"]*"|\ +(?!-\S|[|<>]))*"""
)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Fills paragraphs and items, and folds the shell commands below `examples:`.

    An item is an indented term and its description, which may continue on deeper lines.
    """

    def format_help(self) -> str:
        """Return the help; indent the usage less if an option would not fit."""
        shown = super().format_help()
        usage, empty, rest = shown.partition("\n\n")
        if max(map(len, usage.splitlines())) > self._width:
            usage = re.sub(r"\n +", "\n  ", usage)
        return usage + empty + rest

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:\n"):
            return "\n".join(_folded(line, width) for line in text.splitlines())
        return "\n".join(_filled(block, width) for block in _START_OF_BLOCK.split(text))


def _filled(block: str, width: int) -> str:
    """Return a filled paragraph, after an empty line, or a filled item."""
    empty = "\n" if block.startswith("\n") else ""
    term = _TERM.match(block)
    text = re.sub(r"\s*\n\s*", " ", block.removeprefix("\n"))
    indent = " " * len(term[0]) if term else ""
    return empty + textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False)


def _folded(line: str, width: int) -> str:
    """Return a shell command; break a long one before options, with backslashes."""
    first = _OPTION_WITH_VALUES.search(line)
    if len(line) <= width or not first:
        return line
    lines = [line[: first.start()]]
    for part in _OPTION_WITH_VALUES.findall(line):
        if len(lines[-1]) + len(part) + len(" \\") > width:
            lines[-1] += " \\"
            lines.append(f"    {part.strip()}")
        else:
            lines[-1] += part.rstrip() if part.endswith(" ") else part
    return "\n".join(lines)
