"""The completions for bash, zsh and fish, which shtab generates from the parsers.

`bpetite --completion SHELL` prints them.
"""

import re
from pathlib import Path
from typing import Final

import shtab

from bpetite_cli.app import make_parser
from generate.commands import parsers

_FOLDER: Final = Path("packages/cli/src/bpetite_cli/completions")
_FILES: Final = {"FILE", "PATH"}
"""The metavars of options that are files."""

_BASH: Final = """\
# Behind an option that takes several files, another option may follow.
_bpetite_files() {
  if [[ "${COMP_WORDS[COMP_CWORD]}" == -* ]]; then
    compgen -W "${current_option_strings[*]}" -- "${COMP_WORDS[COMP_CWORD]}"
  else
    compgen -f -- "$1"
  fi
}
"""


def files() -> dict[Path, str]:
    """Return the completions of each shell."""
    parser = make_parser([])
    for each in (parser, *parsers(parser).values()):
        each.description = (each.description or "").partition("\n\n")[0]  # a shell shows one line
        for action in each._actions:
            if action.metavar in _FILES:
                vars(action)["complete"] = {**shtab.FILE, "bash": "_bpetite_files"}
    return {
        _FOLDER / shell: _tidy(shtab.complete(parser, shell, preamble={"bash": _BASH}))
        for shell in ("bash", "zsh", "fish")
    }


def _tidy(text: str) -> str:
    """Remove whitespace at the ends of lines, and end the text with a newline."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip("\n") + "\n"
