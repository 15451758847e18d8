"""Measure bpetite beside its peers, in one run, on texts of yours.

    uv run --group bench python scripts/bench FILE... [--json PATH] [--plot PATH]

First the results of all are compared, and are an error where they differ. The report goes
to standard output as Markdown, and how it is getting on to standard error. A peer that is
not installed is left out, and named. docs/benchmarks.md says what is measured, and how.
"""

import argparse
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bench import Bench
from coders import CODERS
from corpora import read_corpus
from equal import UnequalError, check_merges
from machine import facts, versions
from plot import save_plot
from report import page
from results import Run, Series, save_run, unique
from sections import characters, encode, equal, growth, long, sample, sentence, start, train
from trainers import EDUCATIONAL, TRAINERS
from turns import WorkError

_SECTIONS: Final[dict[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section
    for section in (train, sample, encode, sentence, start, growth, long, characters)
}
_NEED_EQUAL_IDS: Final = {"encode", "sentence", "long"}

_ROUNDS: Final = 5
_SIZES: Final = [512, 8_192, 32_000, 65_536]
_QUICK_ROUNDS: Final = 2
_QUICK_SIZES: Final = [512, 32_000]
_CHARACTERS: Final = [1_000_000, 100_000_000, 1_000_000_000]


def main() -> int:
    """Run the benchmark, and return its exit status."""
    parser = _parser()
    options = parser.parse_args()
    only = options.only or list(_SECTIONS)
    if not options.files and only != ["characters"]:
        parser.error("name a file of text; only --only characters needs none")
    if options.plot and not find_spec("matplotlib"):
        parser.error("--plot needs matplotlib; run this with uv run --group bench")
    for path in filter(None, (options.json, options.plot)):
        if not path.parent.is_dir():  # said now, not after hours
            parser.error(f"no folder {str(path.parent)!r}")
    try:
        run = measure(options, only)
    except (OSError, ValueError, UnequalError, WorkError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        save_run(run, options.json)
    if options.plot:
        save_plot([run], options.plot)
    print(page([run]), end="")
    return 0


def measure(options: argparse.Namespace, only: Sequence[str]) -> Run:
    """Make a run.

    Raises:
        OSError: a file cannot be read.
        UnequalError: two results that must be equal are not.
        ValueError: a file is no text that can be measured.
        WorkError: a worker failed at something of ours.
    """
    machine = facts()
    modules = unique(
        [*(t.module for t in (*TRAINERS, EDUCATIONAL)), *(m for c in CODERS for m in c.modules)]
    )
    missing = [module for module in modules if not find_spec(module)]
    with tempfile.TemporaryDirectory() as folder:
        bench = _bench(options, Path(folder))
        if missing:
            bench.say(f"not installed, so left out: {', '.join(missing)}")
        series: list[Series] = []
        for corpus in bench.corpora:
            bench.say(f"{corpus.name}: comparing merges with the oracle's")
            check_merges(corpus, bench.folder)
        if _NEED_EQUAL_IDS.intersection(only):
            series += equal(bench)
        for name in only:
            series += _SECTIONS[name](bench)
    return Run(
        command=_command(),
        machine=machine,
        versions=versions(modules),
        missing=missing,
        rounds=bench.rounds,
        corpora={corpus.name: (corpus.size, corpus.length) for corpus in bench.corpora},
        series=series,
    )


def _bench(options: argparse.Namespace, folder: Path) -> Bench:
    corpora = [read_corpus(path) for path in options.files]
    if len({corpus.name for corpus in corpora}) < len(corpora):
        message = "two files have the same name, and the report could not tell them apart"
        raise ValueError(message)
    return Bench(
        corpora=corpora,
        rounds=options.rounds or (_QUICK_ROUNDS if options.quick else _ROUNDS),
        quick=options.quick,
        sizes=options.sizes or (_QUICK_SIZES if options.quick else _SIZES),
        characters=options.characters,
        large=options.large,
        trainers=[trainer for trainer in TRAINERS if find_spec(trainer.module)],
        coders=[maker for maker in CODERS if all(map(find_spec, maker.modules))],
        slow_trainers=[EDUCATIONAL] if find_spec(EDUCATIONAL.module) else [],
        folder=folder,
        say=lambda message: print(message, file=sys.stderr, flush=True),
    )


def _command() -> str:
    """Return how this was started, with the names of files and no folders."""
    words = [Path(word).name if os.sep in word else word for word in sys.argv[1:]]
    return shlex.join(["python", "scripts/bench", *words])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python scripts/bench",
        description="Measure bpetite beside its peers, and print a report as Markdown.",
        epilog="docs/benchmarks.md says what is measured, and how.",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="a text in UTF-8")
    parser.add_argument(
        "--only",
        type=_names,
        metavar="SECTION,...",
        help=f"measure these sections: {', '.join(_SECTIONS)}",
    )
    parser.add_argument("--quick", action="store_true", help="see that all works, in a minute")
    parser.add_argument("--rounds", type=_positive, metavar="N", help=f"(default: {_ROUNDS})")
    parser.add_argument(
        "--sizes",
        type=_numbers,
        metavar="N,...",
        help=f"train to these sizes (default: {','.join(map(str, _SIZES))})",
    )
    parser.add_argument(
        "--large",
        type=Path,
        metavar="FILE",
        help="train on the beginning of this file through the command line, streaming it",
    )
    parser.add_argument(
        "--characters",
        type=_numbers,
        default=_CHARACTERS,
        metavar="N,...",
        help="how much of it to take, in rising order (default: 1 M, 100 M and 1 B)",
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="save every sample")
    parser.add_argument("--plot", type=Path, metavar="PATH", help="draw an SVG")
    return parser


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(_SECTIONS):
        message = f"no section {min(unknown)!r}; there are {', '.join(_SECTIONS)}"
        raise argparse.ArgumentTypeError(message)
    return names


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        message = f"{text!r} is no whole number above 0"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _numbers(text: str) -> list[int]:
    return [_positive(number) for number in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
