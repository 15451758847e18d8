"""Measure bpetite beside other tokenizers, and print a report as Markdown.

    uv run --group benchmarks python scripts/benchmarks FILE... [--large FILE] [--json PATH]

Progress goes to standard error. docs/benchmarks.md explains what is measured, and how.
`build_corpora.py` builds its texts, and `vocabularies.py` measures what docs/vocabulary-size.md
shows.
"""

import argparse
import filecmp
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import distributions, version
from pathlib import Path
from time import perf_counter
from typing import Final

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from benchmarks import libraries, report  # noqa: E402 - found by the line above
from benchmarks.report import ONE_JOB, OURS, Run, Series  # noqa: E402 - as well

_BPETITE: Final = Path(sys.executable).with_name("bpetite")
_VOCAB_SIZE: Final = 32_000
_LARGE_VOCAB_SIZE: Final = 65_536

Result = Mapping[str, float]
Jobs = Mapping[str, Callable[[], Result]]
"""The job of each contestant."""


class JobError(Exception):
    """A job failed, or two results that must be equal differ."""


@dataclass(frozen=True)
class Bench:
    """The input of every section.

    texts: files to train on and to encode.
    large: files to train on only; some libraries keep all ids as integers.
    small: a file to train 512 tokens from, if any.
    rounds: how often each job is done.
    libraries: the names of the installed libraries.
    folder: a place for files that is removed after the run.
    """

    texts: list[Path]
    large: list[Path]
    small: Path | None
    rounds: int
    libraries: list[str]
    folder: Path

    def model(self, text: Path) -> Path:
        """Return the place of our tokenizer file for a text."""
        return self.folder / f"{text.stem}.json"

    def take_turns(self, jobs: Jobs) -> dict[str, list[Result]]:
        """Do every job in each round, starting with another one each time."""
        results: dict[str, list[Result]] = {name: [] for name in jobs}
        names = deque(jobs)
        for _ in range(self.rounds):
            for name in names:
                results[name].append(jobs[name]())
            names.rotate(-1)
        return results

    def run_job(self, job: str, library: str, text: Path, *more: object) -> Result:
        """Have a library do a job of `libraries`, and return what it measures."""
        words = (job, library, text, self.model(text), *more)
        result: Result = json.loads(run(sys.executable, libraries.__file__, *words))
        return result


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def run(*command: object) -> str:
    """Run a program, and return what it prints."""
    done = subprocess.run([*map(str, command)], capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise JobError(lines[-1][:300])
    return done.stdout


def run_timed(*command: object) -> Result:
    """Run a program, and return its seconds from start to end."""
    begin = perf_counter()
    run(*command)
    return {"seconds": perf_counter() - begin}


def _train(path: Path, vocab_size: int, output: Path, pattern: str, jobs: int) -> list[object]:
    words = [_BPETITE, "train", "--input", path, "--output", output, "--force"]
    return [*words, "--vocab-size", vocab_size, "--pattern", pattern, "--jobs", jobs]


def _series(
    section: str, text: Path, case: str, results: Mapping[str, Sequence[Result]]
) -> Iterator[Series]:
    """Yield one measurement of each contestant."""
    for contestant, found in results.items():
        # Clocks are no better than four digits, and files stay small.
        samples = [float(f"{one[case]:.4g}") for one in found]
        yield Series(section, text.stem, case, contestant, samples)


def prepare(bench: Bench) -> None:
    """Train a tokenizer for each text; every library must have the ids of the command `encode`."""
    ids = bench.folder / "ids"
    for text in bench.texts:
        model = bench.model(text)
        run(*_train(text, _VOCAB_SIZE, model, "gpt2", libraries.CORES))
        words = ("--model", model, "--input", text, "--format", "u16", "--force")
        run(_BPETITE, "encode", *words, "--output", ids)
        for name in bench.libraries:
            say(f"{text.stem}: comparing the ids of {name}")
            bench.run_job("check", name, text, ids)


def small(bench: Bench) -> Iterator[Series]:
    """Train on a small file, as a command."""
    if bench.small:
        command = _train(bench.small, 512, bench.folder / OURS, "gpt2", 1)
        results = bench.take_turns({OURS: partial(run_timed, *command)})
        yield from _series("small", bench.small, "seconds", results)


def train(bench: Bench, section: str = "train", pattern: str = "gpt2") -> Iterator[Series]:
    """Whole processes, from a file to saved tokens, on all cores; and bpetite with one job."""
    ours, alone = bench.folder / OURS, bench.folder / ONE_JOB
    for text in (*bench.texts, *bench.large):
        say(f"{text.stem}: training with {pattern}")
        size = _VOCAB_SIZE if text in bench.texts else _LARGE_VOCAB_SIZE
        jobs = {OURS: partial(run_timed, *_train(text, size, ours, pattern, libraries.CORES))}
        if section == "train":
            jobs[ONE_JOB] = partial(run_timed, *_train(text, size, alone, pattern, 1))
        for name in bench.libraries:
            if name in libraries.TRAINERS and (name, pattern) != ("gigatoken", "gpt4"):
                command = ("train", name, text, size, bench.folder / name, pattern)
                jobs[name] = partial(run_timed, sys.executable, libraries.__file__, *command)
        yield from _series(section, text, "seconds", bench.take_turns(jobs))
        if ONE_JOB in jobs and not filecmp.cmp(ours, alone, shallow=False):
            raise JobError(f"{text.stem}: bpetite learns other tokens with one job")
        model = json.loads(ours.read_bytes())
        learned = [bytes(model["vocab"][str(n)]) for n in range(model["mergeable_vocab_size"])]
        for name in filter(libraries.TRAINERS.__contains__, jobs):
            tokens = [*map(bytes.fromhex, json.loads((bench.folder / name).read_bytes()))]
            found = {
                "same": len({*tokens} & {*learned}) / len({*tokens, *learned}),
                "moved": sum(map(bytes.__ne__, tokens, learned)),
            }
            for case in found:
                yield from _series(section, text, case, {name: [found]})


def gpt4(bench: Bench) -> Iterator[Series]:
    """Train with GPT-4's pattern, on all cores."""
    return train(bench, "gpt4", "gpt4")


def sentence(bench: Bench) -> Iterator[Series]:
    """Encode fifty words repeatedly, with bpetite and with tiktoken."""
    return _coding(replace(bench, libraries=[OURS, "tiktoken"]), "sentence", "p99")


def encode(bench: Bench) -> Iterator[Series]:
    """Encode one half of the text with a new tokenizer, and decode the ids."""
    return _coding(bench, "encode", "first", "decode")


def cores(bench: Bench) -> Iterator[Series]:
    """Encode the whole text in memory, with a thread or a process for each core."""
    return _coding(bench, "cores", "seconds")


def _coding(bench: Bench, job: str, *cases: str) -> Iterator[Series]:
    """Have each library do a job on each text."""
    for text in bench.texts:
        say(f"{text.stem}: {job}")
        jobs = {name: partial(bench.run_job, job, name, text) for name in bench.libraries}
        results = bench.take_turns(jobs)
        for case in cases:
            yield from _series(job, text, case, results)


SECTIONS: Final[Mapping[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section for section in (small, sentence, train, gpt4, encode, cores)
}
"""All sections, in order."""


def _facts(texts: Iterable[Path]) -> dict[str, str]:
    """Return what a reader must know about the machine, the packages and the texts."""
    processor = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        name = re.search(r"^model name\s*: (.*)", info.read_text("utf-8"), re.MULTILINE)
        processor = name[1] if name else processor
    describe = ("git", "-C", Path(__file__).parent, "describe", "--always", "--abbrev=12")
    packages = filter(_is_installed, (*libraries.PACKAGES.values(), "regex"))
    return {
        "command": shlex.join(["python", "scripts/benchmarks", *sys.argv[1:]]),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor,
        "cores": str(libraries.CORES),
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": run(*describe, "--dirty=, with changes", "--exclude=*").strip(),
        "versions": ", ".join(f"{package} {version(package)}" for package in packages),
        "texts": "; ".join(f"{text.stem}: {text.stat().st_size:,} bytes" for text in texts),
    }


def _is_installed(package: str) -> bool:
    return any(distributions(name=package))


def main() -> int:
    """Run the benchmark and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python scripts/benchmarks",
        description="Measure bpetite beside other tokenizers, and print a report as Markdown.",
        epilog="docs/benchmarks.md explains what is measured, and how.",
    )
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    large = "a text for training only, to 65,536 tokens"
    add("--large", type=Path, nargs="+", default=[], metavar="FILE", help=large)
    add("--small", type=Path, metavar="FILE", help="a text to learn 512 tokens from")
    only = f"measure only some of {', '.join(SECTIONS)}"
    add("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION", help=only)
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")
    add("--json", type=Path, metavar="PATH", help="save every sample; keep sections not measured")
    options = parser.parse_args()
    if options.json and not options.json.parent.is_dir():  # checked now, not after an hour
        parser.error(f"there is no folder {str(options.json.parent)!r}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # `bpetite` starts as it does for a user
    os.environ["RAYON_NUM_THREADS"] = str(libraries.CORES)
    try:
        measured = measure(options)
    except (OSError, JobError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for title, table in report.sections([measured]).items():
        print(f"## {title.capitalize()}\n\n{table}")
    return 0


def measure(options: argparse.Namespace) -> Run:
    """Measure what the options ask for, and save the samples after each section."""
    measured = Run(_facts([*options.files, *options.large]), [])
    older = report.load_runs(options.json) if options.json and options.json.exists() else []
    installed = [name for name, package in libraries.PACKAGES.items() if _is_installed(package)]
    with tempfile.TemporaryDirectory() as folder:
        given = (options.files, options.large, options.small, options.rounds)
        bench = Bench(*given, installed, Path(folder))
        if {"sentence", "encode", "cores"} & {*options.only}:
            prepare(bench)
        for section in options.only:
            measured.series.extend(SECTIONS[section](bench))
            if options.json:
                report.save_runs(older, measured, options.json)
    return measured


if __name__ == "__main__":
    sys.exit(main())
