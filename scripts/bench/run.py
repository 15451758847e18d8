"""The command of the benchmark: read the texts, compare results, measure, print the report.

The report goes to standard output as Markdown, progress to standard error. A library that is not
installed is left out, and named. docs/benchmarks.md explains what is measured, and how.
"""

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from bench import sections
from bench.equality import UnequalError
from bench.jobs import JobError, do_job
from bench.libraries import PACKAGES
from bench.report import report
from bench.results import Run, Series, facts, load_runs, merged, save_runs
from bench.sections import Bench, Text

_SECTIONS: Final[dict[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section
    for section in (
        *(sections.small, sections.start, sections.sentence, sections.long),
        *(sections.train, sections.encode, sections.cores, sections.command),
    )
}
_NEED_EQUAL_IDS: Final = {"encode", "cores", "command", "sentence", "long"}


def main() -> int:
    """Run the benchmark and return its exit status."""
    if sys.argv[1:2] == ["--job"]:
        return do_job(sys.argv[2])
    parser = _parser()
    options = parser.parse_args()
    if options.json and not options.json.parent.is_dir():  # said now, not after an hour
        parser.error(f"there is no folder {str(options.json.parent)!r}")
    try:
        run = measure(options)
    except (OSError, ValueError, UnequalError, JobError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(report([run]), end="")
    return 0


def measure(options: argparse.Namespace) -> Run:
    """Measure what the options ask for, and save the samples after each section.

    Raises:
        OSError: a file cannot be written.
        UnequalError: two results that must be equal differ.
        ValueError: the file of samples is not what this program writes.
        JobError: a text cannot be measured, or a job of ours failed.
    """
    found = {name: _version(package) for name, package in PACKAGES.items()}
    installed = {name: number for name, number in found.items() if number}
    missing = ", ".join(PACKAGES[name] for name in found if name not in installed)
    run = Run(
        {
            "command": shlex.join(["python", "scripts/bench", *map(_last_part, sys.argv[1:])]),
            **facts({PACKAGES[name]: number for name, number in installed.items()}),
            **({"not installed": missing} if missing else {}),
        },
        [],
    )
    older = load_runs(options.json) if options.json and options.json.exists() else []
    with tempfile.TemporaryDirectory() as name:
        bench = _prepare(options, Path(name), list(installed))
        run.facts["rounds"] = str(bench.rounds)
        run.facts["texts"] = "; ".join(f"{one.name}: {one.size:,} bytes" for one in bench.texts)
        if _NEED_EQUAL_IDS.intersection(options.only):
            run.series.extend(sections.equal(bench))
        for section in options.only:
            run.series.extend(_SECTIONS[section](bench))
            if options.json:
                save_runs(merged(older, run), options.json)
    return run


def _prepare(options: argparse.Namespace, folder: Path, libraries: list[str]) -> Bench:
    """Check the texts, and train a tokenizer on each."""

    def say(message: str) -> None:
        print(message, file=sys.stderr, flush=True)

    texts = []
    for path in (*options.files, *options.large):
        say(f"{path}: checking the merges, and training a tokenizer")
        large = path in options.large
        texts.append(Text.prepare(path, folder, large=large, quick=options.quick))
    rounds = options.rounds
    return Bench(texts, options.small, rounds, options.quick, libraries, folder, say)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _last_part(word: str) -> str:
    """Leave out the folders of a file."""
    return Path(word).name if os.sep in word else word


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python scripts/bench",
        description="Measure bpetite beside other tokenizers, and print a report as Markdown.",
        epilog="docs/benchmarks.md explains what is measured, and how.",
    )
    names = ", ".join(_SECTIONS)
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    large = "a text for commands only, which learn 65,536 tokens from it"
    add("--large", type=Path, nargs="+", default=[], metavar="FILE", help=large)
    add("--small", type=Path, metavar="FILE", help="a text to learn 512 tokens from")
    add("--only", type=_names, default=list(_SECTIONS), metavar="SECTION,...", help=names)
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")
    add("--quick", action="store_true", help="take a megabyte of each text, to try it out")
    add("--json", type=Path, metavar="PATH", help="save every sample; keep sections not measured")
    return parser


def _names(text: str) -> Sequence[str]:
    names = text.split(",")
    if unknown := set(names) - set(_SECTIONS):
        message = f"there is no section {min(unknown)!r}, only {', '.join(_SECTIONS)}"
        raise argparse.ArgumentTypeError(message)
    return names
