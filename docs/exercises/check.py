"""Check an exercise: say that it is right, or what is off first.

    python docs/exercises/check.py 05 my_05.py

The exit status is 0 if all is right, 1 if something is off, and 2 for wrong usage.
"""

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from checks import (
    exercise_01,
    exercise_02,
    exercise_03,
    exercise_04,
    exercise_05,
    exercise_06,
    exercise_07,
    exercise_08,
    exercise_09,
    exercise_10,
    exercise_11,
    exercise_12,
)
from checks._learner import Learner
from checks._words import NotBegunError, OffError

_MOST_SECONDS: Final = 86_400

CHECKS: Final[dict[str, Callable[[Learner], Iterator[str]]]] = {
    "01": exercise_01.check,
    "02": exercise_02.check,
    "03": exercise_03.check,
    "04": exercise_04.check,
    "05": exercise_05.check,
    "06": exercise_06.check,
    "07": exercise_07.check,
    "08": exercise_08.check,
    "09": exercise_09.check,
    "10": exercise_10.check,
    "11": exercise_11.check,
    "12": exercise_12.check,
}
"""Each yields what is right, and raises OffError with the first thing that is not."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one check, and return the exit status."""
    parser = argparse.ArgumentParser(
        description="Check an exercise: say that it is right, or what is off first.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "number", type=lambda text: text.zfill(2), choices=CHECKS, metavar="NUMBER", help="1 to 12"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="what you have written")
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=20,
        metavar="N",
        help="how long it may run (default: 20)",
    )
    asked = parser.parse_args(arguments)
    if not asked.file.is_file():
        parser.error(f"there is no file {str(asked.file)!r}")
    if asked.file.suffix != ".py":
        parser.error(f"{str(asked.file)!r} is not called .py")
    verdict, lines = _judged(CHECKS[asked.number], Learner(asked.file.resolve(), asked.seconds))
    _say("\n".join([f"exercise {asked.number}: {verdict}", "", *lines]))
    return 0 if verdict == "right" else 1


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) <= _MOST_SECONDS:
            return seconds
    message = f"{text!r} is no number above 0, and {_MOST_SECONDS} at most"
    raise argparse.ArgumentTypeError(message)


def _judged(check: Callable[[Learner], Iterator[str]], learner: Learner) -> tuple[str, list[str]]:
    """Return the verdict, and the lines that give its reasons."""
    lines: list[str] = []
    try:
        lines.extend(check(learner))
    except OffError as off:
        begun = "not finished" if lines else "not begun"
        verdict = begun if isinstance(off, NotBegunError) else "off"
        return verdict, [*lines, "", str(off)] if lines else [str(off)]
    return "right", lines


def _say(text: str) -> None:
    """Print, whatever standard output can show, and whether or not anyone still reads it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            sys.exit(f"check.py: error: nothing can be written: {error.strerror}")


if __name__ == "__main__":
    sys.exit(main())
