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
from bench.equality import UnequalError, check_merges
from bench.jobs import JobError, do_job
from bench.libraries import PACKAGES
from bench.report import report
from bench.results import Run, Series, facts, save_run, unique
from bench.sections import Bench, Corpus
from bpetite._constants import END_OF_TEXT_TOKEN

_SECTIONS: Final[dict[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section
    for section in (
        *(sections.train, sections.encode, sections.sentence, sections.start),
        *(sections.long, sections.file),
    )
}
_NEED_EQUAL_IDS: Final = {"encode", "sentence", "long"}
_ROUNDS: Final = 5
_SIZES: Final = [512, 8_192, 32_000, 65_536]
_QUICK_ROUNDS: Final = 2
_QUICK_SIZES: Final = [512, 32_000]


def main() -> int:
    """Run the benchmark and return its exit status."""
    if sys.argv[1:2] == ["--job"]:
        return do_job(sys.argv[2])
    parser = _parser()
    options = parser.parse_args()
    if options.json and not options.json.parent.is_dir():  # said now, not after hours
        parser.error(f"there is no folder {str(options.json.parent)!r}")
    try:
        run = measure(options)
    except (OSError, ValueError, UnequalError, JobError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        save_run(run, options.json)
    print(report(run), end="")
    return 0


def measure(options: argparse.Namespace) -> Run:
    """Measure what the options ask for.

    Raises:
        OSError: a file cannot be read.
        UnequalError: two results that must be equal differ.
        ValueError: a file cannot be measured.
        JobError: a job of ours failed.
    """
    machine = facts()
    packages = unique(package for needed in PACKAGES.values() for package in needed)
    versions = {package: found for package in packages if (found := _version(package))}
    missing = [package for package in packages if package not in versions]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(
            corpora=[_corpus(path, folder) for path in options.files],
            rounds=options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS),
            quick=options.quick,
            sizes=options.sizes or (_QUICK_SIZES if options.quick else _SIZES),
            cores=os.cpu_count() or 1,
            libraries=[name for name, needed in PACKAGES.items() if not {*needed} & {*missing}],
            folder=folder,
            say=lambda message: print(message, file=sys.stderr, flush=True),
        )
        if missing:
            bench.say(f"not installed, so left out: {', '.join(missing)}")
        only = options.only or list(_SECTIONS)
        series = list(sections.equal(bench)) if _NEED_EQUAL_IDS.intersection(only) else []
        for section in only:
            series += _SECTIONS[section](bench)
    return Run(
        command=shlex.join(["python", "scripts/bench", *map(_without_folder, sys.argv[1:])]),
        machine=machine,
        versions=versions,
        missing=missing,
        rounds=bench.rounds,
        corpora={corpus.name: (corpus.size, corpus.length) for corpus in bench.corpora},
        series=series,
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _corpus(path: Path, folder: Path) -> Corpus:
    data = path.read_bytes()
    text = data.decode("utf-8")
    if not text or END_OF_TEXT_TOKEN in text:
        # rustbpe and Hugging Face's trainer would read it in another way than the others.
        message = f"{str(path)!r} is empty or contains {END_OF_TEXT_TOKEN}; take another text"
        raise ValueError(message)
    check_merges(text, folder)
    return Corpus(path.stem, path, len(data), len(text))


def _without_folder(word: str) -> str:
    return Path(word).name if os.sep in word else word


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python scripts/bench",
        description="Measure bpetite beside other tokenizers, and print a report as Markdown.",
        epilog="docs/benchmarks.md explains what is measured, and how.",
    )
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    add("--only", type=_names, metavar="SECTION,...", help=f"measure {', '.join(_SECTIONS)}")
    add("--quick", action="store_true", help="show in a few minutes that everything works")
    add("--rounds", type=int, metavar="N", help=f"(default: {_ROUNDS})")
    sizes = ",".join(map(str, _SIZES))
    add("--sizes", type=_numbers, metavar="N,...", help=f"train to these sizes (default: {sizes})")
    add("--json", type=Path, metavar="PATH", help="save every sample")
    return parser


def _names(text: str) -> Sequence[str]:
    names = text.split(",")
    if unknown := set(names) - set(_SECTIONS):
        message = f"there is no section {min(unknown)!r}, only {', '.join(_SECTIONS)}"
        raise argparse.ArgumentTypeError(message)
    return names


def _numbers(text: str) -> Sequence[int]:
    return [int(number) for number in text.split(",")]
