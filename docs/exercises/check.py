"""Check an exercise: confirm that it is right, or show the first mistake.

    python docs/exercises/check.py 05 my_tokenizer.py

Without a file, it reads my_05.py, or my_tokenizer.py if that has what the exercise asks for.
Without arguments, it shows your progress. The exit status is 0 if everything is right, 1 if
something is wrong, and 2 for wrong usage.
"""

import argparse
import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from checks.learner import Learner
from checks.words import NotStartedError, WrongError

NUMBERS: Final = [f"{number:02}" for number in range(1, 15)]
_TOKENIZER: Final = Path("my_tokenizer.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one check, or all of them, and return the exit status."""
    parser = argparse.ArgumentParser(
        description="Check an exercise: say that it is right, or show the first thing that is "
        "wrong. Without arguments, show your progress.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "number",
        nargs="?",
        type=lambda text: text.zfill(2),
        choices=NUMBERS,
        metavar="NUMBER",
        help="1 to 14",
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="what you have written (default: my_NUMBER.py or my_tokenizer.py)",
    )
    parser.add_argument(
        "--seconds", type=int, default=20, metavar="N", help="the time limit (default: 20)"
    )
    asked = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # not every terminal has every letter
    if asked.number is None:
        return _progress(asked.seconds)
    path = asked.file or _file(asked.number)
    if not path.is_file():
        hint = "" if asked.file else f"; to begin:\n\n  {_begin(asked.number)}"
        parser.error(f"there is no file {str(path)!r} in {path.absolute().parent}{hint}")
    if path.suffix != ".py":
        parser.error(f"the name of {str(path)!r} does not end in .py")
    verdict, lines = judged(asked.number, Learner(path.resolve(), asked.seconds))
    print("\n".join([f"exercise {asked.number}: {verdict}", "", *lines]))
    return 0 if verdict == "right" else 1


def judged(number: str, learner: Learner) -> tuple[str, list[str]]:
    """Return the verdict on an exercise and its explanation."""
    lines: list[str] = []
    try:
        for check in import_module(f"checks.exercise_{number}").CHECKS:
            lines.extend(check(learner))
    except WrongError as wrong:
        started = "not finished" if lines else "not started"
        verdict = started if isinstance(wrong, NotStartedError) else "wrong"
        return verdict, [*lines, "", str(wrong)] if lines else [str(wrong)]
    return "right", lines


def _file(number: str) -> Path:
    """Return the file for an exercise, which need not exist."""
    own = Path(f"my_{number}.py")
    if own.is_file() or not _TOKENIZER.is_file():
        return own
    checks = import_module(f"checks.exercise_{number}").CHECKS
    names = "|".join(one.__self__.name for one in checks if hasattr(one, "__self__"))
    written = _TOKENIZER.read_text(encoding="utf-8", errors="replace")
    return _TOKENIZER if re.search(rf"^(def )?({names})\b", written, re.MULTILINE) else own


def _begin(number: str) -> str:
    """Return the command that copies a starting file into the current folder."""
    start = Path(__file__).resolve().parent / "start" / f"exercise_{number}.py"
    with contextlib.suppress(ValueError):  # another drive, on Windows
        start = Path(os.path.relpath(start))
    return f"cp {shlex.quote(start.as_posix())} my_{number}.py"


def _progress(seconds: int) -> int:
    """Show the verdict on each exercise and name the next one."""
    paths = {number: _file(number) for number in NUMBERS}
    verdicts = {
        number: judged(number, Learner(path.resolve(), seconds))[0] if path.is_file() else "open"
        for number, path in paths.items()
    }
    rest = [number for number in NUMBERS if verdicts[number] != "right"]
    lines = [f"exercise {number}: {verdict}" for number, verdict in verdicts.items()]
    next_one = f" Next: exercise {rest[0]}." if rest else ""
    lines += ["", f"{len(NUMBERS) - len(rest)} of {len(NUMBERS)} done.{next_one}"]
    if {*verdicts.values()} == {"open"}:
        lines.append(f"There is no file of an exercise in {Path.cwd()}.")
    if rest and verdicts[rest[0]] == "open":
        lines.append(f"To begin: {_begin(rest[0])}")
    print("\n".join(lines))
    return 1 if rest else 0


if __name__ == "__main__":
    sys.exit(main())
