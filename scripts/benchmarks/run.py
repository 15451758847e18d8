"""The benchmark command: read the texts, compare results, measure, print the report.

The report goes to standard output as Markdown, progress to standard error. The report names
libraries that are not installed. docs/benchmarks.md explains the measurements.
"""

import argparse
import os
import shlex
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from benchmarks.jobs import BenchError
from benchmarks.libraries import CORES, LIBRARIES
from benchmarks.report import report
from benchmarks.results import Run, facts, load_runs, merged, save_runs
from benchmarks.sections import SECTIONS, Bench, equal, prepare

_MISSING: Final = "not installed"
_NEED_EQUAL_IDS: Final = {"encode", "cores", "command", "sentence", "long"}


def main() -> int:
    """Run the benchmark and return its exit status."""
    parser = _parser()
    options = parser.parse_args()
    if options.json and not options.json.parent.is_dir():  # checked now, not after an hour
        parser.error(f"there is no folder {str(options.json.parent)!r}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # `bpetite` starts as it does for a user
    os.environ["RAYON_NUM_THREADS"] = str(CORES)
    try:
        run = measure(options)
    except (OSError, ValueError, BenchError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(report([run]), end="")
    return 0


def measure(options: argparse.Namespace) -> Run:
    """Measure what the options ask for, and save the samples after each section."""
    versions = {package: _version(package) for package, _ in LIBRARIES.values()}
    words = [Path(word).name for word in sys.argv[1:]]
    command = shlex.join(["python", "scripts/benchmarks", *words])
    run = Run({"command": command, **facts(versions)}, [])
    older = load_runs(options.json) if options.json and options.json.exists() else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = [prepare(path, folder, large=False) for path in options.files]
        texts += [prepare(path, folder, large=True) for path in options.large]
        installed = [name for name in LIBRARIES if versions[LIBRARIES[name][0]] != _MISSING]
        bench = Bench(texts, options.small, options.rounds, installed, folder)
        run.facts["rounds"] = str(bench.rounds)
        run.facts["texts"] = "; ".join(
            f"{text.name}: {text.path.stat().st_size:,} bytes" for text in texts
        )
        if _NEED_EQUAL_IDS.intersection(options.only):
            run.series.extend(equal(bench))
        for section in options.only:
            run.series.extend(SECTIONS[section](bench))
            if options.json:
                save_runs(merged(older, run), options.json)
    return run


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return _MISSING


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python scripts/benchmarks",
        description="Measure bpetite beside other tokenizers, and print a report as Markdown.",
        epilog="docs/benchmarks.md explains what is measured, and how.",
    )
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    large = "a text for commands only, which learn 65,536 tokens from it"
    add("--large", type=Path, nargs="+", default=[], metavar="FILE", help=large)
    only = f"measure only some of {', '.join(SECTIONS)}"
    add("--small", type=Path, metavar="FILE", help="a text to learn 512 tokens from")
    add("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION", help=only)
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")
    add("--json", type=Path, metavar="PATH", help="save every sample; keep sections not measured")
    return parser
