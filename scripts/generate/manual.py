r"""Make from the parsers of the command line all that repeats what they say.

    uv run python scripts/make_manual.py           write it
    uv run python scripts/make_manual.py --check   compare, and exit with 1 if a file differs

That is the page `docs/reference/commands.md`, the man page, and the completions of bash, zsh
and fish. The last four go into the wheel, below `installed`, and from there into `share` of
the environment, where `man` and the shells look.
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import shtab

from bpetite_cli._parser import GROUPS, OF_COMPARE, make_parser

_ROOT: Final = Path(__file__).parent.parent
_SHARE: Final = Path("packages/cli/src/bpetite_cli/installed/share")
_FILES: Final = {"FILE", "PATH"}
"""What stands in the help for the value of an option that is a file."""

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

_INTRODUCTION: Final = """\
# Commands

<!-- made by scripts/make_manual.py -->

What `bpetite COMMAND --help` says, of all commands. Four of them come with `bpetite-compare`:
{of_compare}.
Data goes to standard output, and what is for a person to standard error. The exit status is 0,
1 for a failure, 2 for wrong usage, or 130 when interrupted. A failure leaves standard output
empty, but for three commands whose answer may be no: `count --max`, `parity` and `verify` print
what they found, and their status is 1.

The shell completes the words after `eval "$(bpetite --completion bash)"`, the same with `zsh`
after `compinit`, and in fish after `bpetite --completion fish | source`. `man bpetite` finds its
page if the folder of `bpetite` is on `PATH`.
"""

_EXIT_STATUS: Final = (
    "0, 1 for a failure, 2 for wrong usage, or 130 when interrupted. "
    "It is 1 also where the answer of count, parity or verify is no, which is then printed."
)


def manual() -> dict[Path, str]:
    """Return the content of each file by its path in the repository."""
    parser = make_parser([])
    commands = _commands(parser)
    for each in (parser, *commands.values()):
        # Versions of Python differ in where they break a usage into lines.
        each.formatter_class = partial(argparse.HelpFormatter, width=1000)
    files = {
        _SHARE / "man/man1/bpetite.1": "\n".join(_man_page(parser, commands)) + "\n",
        Path("docs/reference/commands.md"): "\n".join(_page(commands)),
    }
    for each in (parser, *commands.values()):
        each.description, _ = _description(each)  # a shell shows one line
        for action in each._actions:
            if action.metavar in _FILES:
                vars(action)["complete"] = {**shtab.FILE, "bash": "_bpetite_files"}
    completions = {
        "bash-completion/completions/bpetite": shtab.complete(parser, "bash", preamble=_BASH),
        "zsh/site-functions/_bpetite": shtab.complete(parser, "zsh"),
        "fish/vendor_completions.d/bpetite.fish": shtab.complete(parser, "fish"),
    }
    return {**files, **{_SHARE / path: _tidy(text) for path, text in completions.items()}}


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by their names, in the order of the help."""
    (action,) = (action for action in parser._actions if action.metavar == "COMMAND")
    found: dict[str, argparse.ArgumentParser] = vars(action)["choices"]
    return {name: found[name] for names in GROUPS.values() for name in names if name in found}


def _tidy(text: str) -> str:
    """Return a text without whitespace at the ends of lines, and with a newline at its end."""
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip("\n") + "\n"


def _usage(parser: argparse.ArgumentParser) -> str:
    return parser.format_usage().removeprefix("usage: ").replace("[-h] ", "").strip()


def _description(parser: argparse.ArgumentParser) -> tuple[str, str]:
    """Return the summary of a command, and what its help says below that, in lines."""
    summary, _, more = (parser.description or "").partition("\n\n")
    return summary, more


def _examples(parser: argparse.ArgumentParser) -> str:
    return textwrap.dedent((parser.epilog or "").removeprefix("example:\n")).rstrip("\n")


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """Yield each argument with its value, and what the help says of it."""
    formatter = parser._get_formatter()
    for action in parser._actions:
        if action.metavar != "COMMAND" and "--help" not in action.option_strings:
            yield formatter._format_action_invocation(action), formatter._expand_help(action)


def _page(commands: Mapping[str, argparse.ArgumentParser]) -> Iterator[str]:
    """Yield the lines of the page in Markdown."""
    of_compare = ", ".join(f"`{name}`" for name in sorted(OF_COMPARE))
    yield _INTRODUCTION.format(of_compare=of_compare)
    for group, names in GROUPS.items():
        yield f"## {group.capitalize()}\n"
        for name in names:
            if name in commands:
                yield from _section(name, commands[name])


def _section(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    summary, more = _description(parser)
    # An option stays with its value.
    usage = re.sub(r"(--[a-z-]+) ", "\\1\u00a0", _usage(parser))
    lines = textwrap.fill(usage, 80, subsequent_indent="    ", break_on_hyphens=False)
    yield f"### {name}\n\n{summary}\n\n```text\n{lines}\n```\n".replace("\u00a0", " ")
    if more:
        yield f"```text\n{more}\n```\n"
    yield "| argument | |\n| --- | --- |"
    for argument, told in _arguments(parser):
        yield "| `{}` | {} |".format(*(cell.replace("|", r"\|") for cell in (argument, told)))
    yield f"\n```sh\n{_examples(parser)}\n```\n"


def _man_page(
    parser: argparse.ArgumentParser, commands: Mapping[str, argparse.ArgumentParser]
) -> Iterator[str]:
    """Yield the lines of the man page."""
    yield r".\" made by scripts/make_manual.py"
    yield f'.TH BPETITE 1 "" "bpetite {version("bpetite-cli")}"'
    yield ".SH NAME\n" + _roff("bpetite - a deterministic byte-level BPE tokenizer")
    yield ".SH SYNOPSIS\n" + _roff(_usage(parser))
    yield ".SH OPTIONS"
    yield from _man_arguments(parser)
    yield ".SH COMMANDS"
    for name, command in commands.items():
        summary, more = _description(command)
        yield f".SS {_roff(name)}\n{_roff(summary)}"
        yield f".PP\n{_roff(_usage(command))}"
        if more:
            yield _as_it_is(more)
        yield from _man_arguments(command)
        yield ".PP\nFor example:\n" + _as_it_is(_examples(command))
    yield f".SH EXIT STATUS\n{_roff(_EXIT_STATUS)}"


def _man_arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    for option, told in _arguments(parser):
        name, *value = option.split(" ", 1)
        yield f".TP\n\\fB{_roff(name)}\\fR {_roff(' '.join(value))}".rstrip()
        yield _roff(told)


def _as_it_is(text: str) -> str:
    """Return lines that roff prints as they are."""
    lines = "\n".join(map(_escaped, text.splitlines()))
    return f".PP\n.EX\n{lines}\n.EE"


def _roff(text: str) -> str:
    """Return a paragraph in lines as roff takes them."""
    return "\n".join(map(_escaped, textwrap.wrap(text, 72, break_on_hyphens=False)))


def _escaped(line: str) -> str:
    """Return a line as roff prints it: no letter a command, each hyphen a minus."""
    guard = r"\&" if line.startswith((".", "'")) else ""
    return guard + line.replace("\\", "\\e").replace("-", "\\-")


def main() -> int:
    """Write the files, or compare them."""
    check = sys.argv[1:] == ["--check"]
    differing = 0
    for path, text in manual().items():
        place = _ROOT / path
        if not check:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        elif not place.is_file() or place.read_text(encoding="utf-8") != text:
            print(f"{path} is not what the parsers say; run scripts/make_manual.py")
            differing += 1
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
