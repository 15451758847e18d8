"""Measure bpetite beside other tokenizers, and print a report as Markdown.

    uv run --group benchmarks python scripts/benchmarks FILE... [--large FILE] [--json PATH]

Progress goes to standard error. docs/benchmarks.md explains what is measured, and how.
`build_corpora.py` builds its texts, and `vocabularies.py` measures what docs/vocabulary-size.md
shows.
"""

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import distributions, version
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from benchmarks import libraries, report  # noqa: E402 - found by the line above
from benchmarks.report import ONE_PROCESS, OURS, Run, Series  # noqa: E402 - as well

_BPETITE: Final = Path(sys.executable).with_name("bpetite")

Result = Mapping[str, float]


class Bench(NamedTuple):
    """The input of every section.

    texts: files to train on, to 32,000 tokens, and to encode.
    large: files to train on only, to 65,536; some libraries keep all ids as integers.
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

    def measure(
        self, section: str, text: Path, jobs: Mapping[str, Callable[[], Result]]
    ) -> Iterator[Series]:
        """Do every job in each round, starting with another one each time."""
        results: dict[str, list[Result]] = {name: [] for name in jobs}
        names = deque(jobs)
        for _ in range(self.rounds):
            for name in names:
                print(f"{section}: {text.stem}, {name}", file=sys.stderr, flush=True)
                results[name].append(jobs[name]())
            names.rotate(-1)
        for name, found in results.items():
            for case in found[0]:
                yield _series(section, text, case, name, [one[case] for one in found])

    def model(self, text: Path) -> Path:
        """Return the place of our tokenizer file for a text."""
        return self.folder / f"{text.stem}.json"


def _series(
    section: str, text: Path, case: str, contestant: str, samples: Sequence[float]
) -> Series:
    # Clocks are no better than four digits, and files stay small.
    return Series(section, text.stem, case, contestant, [float(f"{one:.4g}") for one in samples])


def run(*command: object) -> str:
    """Run a program, and return what it prints."""
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def run_timed(*command: object) -> Result:
    """Run a program, and return its seconds from start to end."""
    begin = perf_counter()
    run(*command)
    return {"seconds": perf_counter() - begin}


def run_job(job: str, library: str, text: Path, *more: object) -> Result:
    """Have a library do a job of `libraries`, and return what it measures."""
    result: Result = json.loads(run(sys.executable, libraries.__file__, job, library, text, *more))
    return result


def _train(path: Path, vocab_size: int, output: Path, pattern: str, jobs: int) -> list[object]:
    words = [_BPETITE, "train", "--input", path, "--output", output, "--force"]
    return [*words, "--vocab-size", vocab_size, "--pattern", pattern, "--jobs", jobs]


def prepare(bench: Bench) -> None:
    """Train a tokenizer for each text; every library must have the ids of the command `encode`."""
    ids = bench.folder / "ids"
    for text in bench.texts:
        model = bench.model(text)
        run(*_train(text, 32_000, model, "gpt2", libraries.CORES))
        words = ("--model", model, "--input", text, "--format", "u16", "--force")
        run(_BPETITE, "encode", *words, "--output", ids)
        for name in bench.libraries:
            run_job("check", name, text, model, ids)


def small(bench: Bench) -> Iterator[Series]:
    """Train on a small file, as a command."""
    if bench.small:
        command = _train(bench.small, 512, bench.folder / OURS, "gpt2", 1)
        yield from bench.measure("small", bench.small, {OURS: partial(run_timed, *command)})


def train(bench: Bench, section: str = "train", pattern: str = "gpt2") -> Iterator[Series]:
    """Whole processes, from a file to saved tokens, on all cores; and bpetite with one process."""
    ours = bench.folder / OURS
    for text in (*bench.texts, *bench.large):
        size = 32_000 if text in bench.texts else 65_536
        jobs = {OURS: partial(run_timed, *_train(text, size, ours, pattern, libraries.CORES))}
        if section == "train":
            alone = _train(text, size, bench.folder / ONE_PROCESS, pattern, 1)
            jobs[ONE_PROCESS] = partial(run_timed, *alone)
        others = [name for name in bench.libraries if name in libraries.TRAINERS]
        if pattern == "gpt4":
            others = [name for name in others if name != "gigatoken"]
        for name in others:
            command = ("train", name, text, size, bench.folder / name, pattern)
            jobs[name] = partial(run_timed, sys.executable, libraries.__file__, *command)
        yield from bench.measure(section, text, jobs)
        model = json.loads(ours.read_bytes())
        learned = [bytes(model["vocab"][str(n)]) for n in range(model["mergeable_vocab_size"])]
        for name in others:
            tokens = [*map(bytes.fromhex, json.loads((bench.folder / name).read_bytes()))]
            same = len({*tokens} & {*learned}) / len({*tokens, *learned})
            moved = sum(map(bytes.__ne__, tokens, learned))
            yield _series(section, text, "same", name, [same])
            yield _series(section, text, "moved", name, [moved])


def gpt4(bench: Bench) -> Iterator[Series]:
    """Train with GPT-4's pattern, on all cores."""
    return train(bench, "gpt4", "gpt4")


def sentence(bench: Bench) -> Iterator[Series]:
    """Encode fifty words repeatedly, with bpetite and with tiktoken."""
    return _coding(bench._replace(libraries=[OURS, "tiktoken"]), "sentence")


def encode(bench: Bench) -> Iterator[Series]:
    """Encode one half of the text with a new tokenizer, and decode the ids."""
    return _coding(bench, "encode")


def cores(bench: Bench) -> Iterator[Series]:
    """Encode the whole text in memory, with a thread or a process for each core."""
    return _coding(bench, "cores")


def _coding(bench: Bench, job: str) -> Iterator[Series]:
    """Have each library do a job on each text."""
    for text in bench.texts:
        jobs = {
            name: partial(run_job, job, name, text, bench.model(text)) for name in bench.libraries
        }
        yield from bench.measure(job, text, jobs)


SECTIONS: Final[Mapping[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section for section in (small, sentence, train, gpt4, encode, cores)
}
"""All sections, in order."""


def _facts() -> dict[str, str]:
    """Return what a reader must know about the machine and the packages."""
    name = None
    if (info := Path("/proc/cpuinfo")).exists():
        name = re.search(r"^model name\s*: (.*)", info.read_text("utf-8"), re.MULTILINE)
    describe = ("git", "-C", Path(__file__).parent, "describe", "--always", "--abbrev=12")
    packages = filter(_is_installed, (*libraries.PACKAGES.values(), "regex"))
    return {
        "command": shlex.join(["python", "scripts/benchmarks", *sys.argv[1:]]),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": name[1] if name else platform.machine(),
        "cores": str(libraries.CORES),
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": run(*describe, "--dirty=, with changes", "--exclude=*").strip(),
        "versions": ", ".join(f"{package} {version(package)}" for package in packages),
    }


def _is_installed(package: str) -> bool:
    return any(distributions(name=package))


def main() -> None:
    """Run the benchmark, save the samples after each section, and print the tables."""
    parser = argparse.ArgumentParser(description="docs/benchmarks.md explains what is measured.")
    add = parser.add_argument
    add("files", nargs="+", type=Path, help="a text in UTF-8")
    add("--large", type=Path, nargs="+", default=[], help="a text for training only")
    add("--small", type=Path, help="a text to learn 512 tokens from")
    add("--only", nargs="+", choices=SECTIONS, default=SECTIONS)
    add("--rounds", type=int, default=3)
    add("--json", type=Path, help="save every sample; keep sections not measured")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # `bpetite` starts as it does for a user
    os.environ["RAYON_NUM_THREADS"] = str(libraries.CORES)
    measured = Run(_facts(), [])
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
    for title, table in report.sections([measured]).items():
        print(f"## {title.capitalize()}\n\n{table}")


if __name__ == "__main__":
    main()
