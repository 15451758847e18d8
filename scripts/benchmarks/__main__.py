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
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic, perf_counter
from typing import Final, NamedTuple

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/ import each other

from benchmarks import libraries, report  # noqa: E402 - found by the line above
from benchmarks.report import ONE_JOB, OURS, Run, Series  # noqa: E402 - as well

_BPETITE: Final = Path(sys.executable).with_name("bpetite")
_VOCAB_SIZE: Final = 32_000
_LARGE_VOCAB_SIZE: Final = 65_536
_TURNS_SECONDS: Final = 60

Result = Mapping[str, float]
Jobs = Mapping[str, Callable[[], Result]]
"""The job of each contestant."""


class Text(NamedTuple):
    """A text, our tokenizer file for it, and how many tokens to train from it.

    large: too large for libraries that keep all ids as integers; it is only trained on.
    """

    path: Path
    model: Path
    vocab_size: int
    large: bool


class Bench(NamedTuple):
    """The input of every section.

    texts: sorted, with the large ones last.
    small: a file to train 512 tokens from, if any.
    rounds: how often each job is done; two if its turns take more than a minute.
    libraries: the names of the installed libraries.
    folder: a place for files that is removed after the run.
    """

    texts: list[Text]
    small: Path | None
    rounds: int
    libraries: list[str]
    folder: Path

    def take_turns(self, jobs: Jobs) -> dict[str, list[Result]]:
        """Do every job in each round, starting with another one each time.

        A library that fails is excluded, with all its results. A library whose turns have taken
        more than a minute gets no third turn.
        """
        results: dict[str, list[Result]] = {name: [] for name in jobs}
        names, spent = list(jobs), dict.fromkeys(jobs, 0.0)
        for _ in range(self.rounds):
            for name in list(names):
                begin = monotonic()
                try:
                    results[name].append(jobs[name]())
                except JobError as error:
                    if name in {OURS, ONE_JOB}:
                        raise
                    say(f"{name} is left out: {error}")
                    names.remove(name)
                    del results[name]
                    continue
                spent[name] += monotonic() - begin
                if spent[name] > _TURNS_SECONDS and len(results[name]) > 1:
                    names.remove(name)
            names = names[1:] + names[:1]
        return results


class JobError(Exception):
    """A job failed, or two results that must be equal differ."""


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


def run_job(job: str, library: str, text: Text, *more: object) -> Result:
    """Have a library do a job of `libraries`, and return what it measures."""
    done = run(sys.executable, libraries.__file__, job, library, text.path, text.model, *more)
    result: Result = json.loads(done)
    return result


def _train(path: Path, vocab_size: int, output: Path, pattern: str, jobs: int) -> list[object]:
    words = [_BPETITE, "train", "--input", path, "--output", output, "--force"]
    return [*words, "--vocab-size", vocab_size, "--pattern", pattern, "--jobs", jobs]


def _series(
    section: str, text: Path, case: str, results: Mapping[str, list[Result]]
) -> Iterator[Series]:
    """Yield one measurement of each contestant."""
    for contestant, found in results.items():
        # Clocks are no better than four digits, and files stay small.
        samples = [float(f"{one[case]:.4g}") for one in found]
        yield Series(section, text.stem, case, contestant, samples)


def check(bench: Bench) -> Iterator[Series]:
    """Count the ids of each library that differ from those of the command `encode`."""
    ids = bench.folder / "ids"
    for text in bench.texts:
        if not text.large:
            words = ("--model", text.model, "--input", text.path, "--format", "u16", "--force")
            run(_BPETITE, "encode", *words, "--output", ids)
            for name in bench.libraries:
                say(f"{text.path.stem}: comparing the ids of {name}")
                found = {name: [run_job("check", name, text, ids)]}
                yield from _series("equal", text.path, "ids", found)


def small(bench: Bench) -> Iterator[Series]:
    """Train on a small file, as a command."""
    if bench.small:
        say(f"{bench.small.stem}: training to 512")
        command = _train(bench.small, 512, bench.folder / OURS, "gpt2", 1)
        results = bench.take_turns({OURS: partial(run_timed, *command)})
        yield from _series("small", bench.small, "seconds", results)


def train(bench: Bench, section: str = "train", pattern: str = "gpt2") -> Iterator[Series]:
    """Whole processes, from a file to saved tokens, on all cores; and bpetite with one job."""
    ours, alone = bench.folder / OURS, bench.folder / ONE_JOB
    for text in bench.texts:
        say(f"{text.path.stem}: training to {text.vocab_size:,} with {pattern}")
        words = (text.path, text.vocab_size)
        todo = {OURS: partial(run_timed, *_train(*words, ours, pattern, libraries.CORES))}
        if section == "train":
            todo[ONE_JOB] = partial(run_timed, *_train(*words, alone, pattern, 1))
        for name in filter(bench.libraries.__contains__, libraries.TRAINERS):
            command = ("train", name, *words, bench.folder / name, pattern)
            todo[name] = partial(run_timed, sys.executable, libraries.__file__, *command)
        results = bench.take_turns(todo)
        if ONE_JOB in todo and not filecmp.cmp(ours, alone, shallow=False):
            raise JobError(f"{text.path.stem}: bpetite learns other tokens with one job")
        yield from _series(section, text.path, "seconds", results)
        model = json.loads(ours.read_bytes())
        learned = [bytes(model["vocab"][str(n)]) for n in range(model["mergeable_vocab_size"])]
        for name in filter(results.__contains__, libraries.TRAINERS):
            tokens = [*map(bytes.fromhex, json.loads((bench.folder / name).read_bytes()))]
            same = len({*tokens} & {*learned}) / len({*tokens, *learned})
            moved = sum(map(bytes.__ne__, tokens, learned))
            for case, found in (("same", same), ("moved", moved)):
                yield from _series(section, text.path, case, {name: [{case: found}]})


def gpt4(bench: Bench) -> Iterator[Series]:
    """Train with GPT-4's pattern, on all cores."""
    return train(bench, "gpt4", "gpt4")


def _coding(bench: Bench, job: str, *cases: str) -> Iterator[Series]:
    """Have each library do a job on each text."""
    for text in bench.texts:
        if not text.large:
            say(f"{text.path.stem}: {job}")
            todo = {name: partial(run_job, job, name, text) for name in bench.libraries}
            results = bench.take_turns(todo)
            for case in cases:
                yield from _series(job, text.path, case, results)


def sentence(bench: Bench) -> Iterator[Series]:
    """Encode fifty words repeatedly, with bpetite and with tiktoken."""
    return _coding(bench._replace(libraries=[OURS, "tiktoken"]), "sentence", "p99")


def encode(bench: Bench) -> Iterator[Series]:
    """Encode one half of the text with a new tokenizer, and decode the ids."""
    return _coding(bench, "encode", "first", "decode")


def cores(bench: Bench) -> Iterator[Series]:
    """Encode the whole text in memory, with a thread or a process for each core."""
    return _coding(bench, "cores", "seconds")


SECTIONS: Final[Mapping[str, Callable[[Bench], Iterator[Series]]]] = {
    section.__name__: section for section in (small, sentence, train, gpt4, encode, cores)
}
"""All sections, in order."""


def prepare(path: Path, folder: Path, *, large: bool) -> Text:
    """Check a text, and train its tokenizer."""
    data = path.read_bytes()
    if not data or b"<|endoftext|>" in data:
        # rustbpe and Hugging Face's trainer read it differently from the others.
        raise JobError(f"{str(path)!r} is empty or contains <|endoftext|>; take another text")
    text = Text(
        path, folder / f"{path.stem}.json", _LARGE_VOCAB_SIZE if large else _VOCAB_SIZE, large
    )
    if not large:
        say(f"{path}: training a tokenizer")
        run(*_train(path, _VOCAB_SIZE, text.model, "gpt2", libraries.CORES))
    return text


def measure(options: argparse.Namespace) -> Run:
    """Measure what the options ask for, and save the samples after each section."""
    facts = _facts()
    older = report.load_runs(options.json) if options.json and options.json.exists() else []
    measured = Run(facts, [])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = [prepare(path, folder, large=False) for path in options.files]
        texts += [prepare(path, folder, large=True) for path in options.large]
        sizes = (f"{text.path.stem}: {text.path.stat().st_size:,} bytes" for text in texts)
        facts["texts"], facts["rounds"] = "; ".join(sizes), str(options.rounds)
        installed = [name for name in libraries.PACKAGES if _version(libraries.PACKAGES[name])]
        bench = Bench(texts, options.small, options.rounds, installed, folder)
        for section in (check, *(SECTIONS[name] for name in options.only)):
            measured.series.extend(section(bench))
            if options.json:
                report.save_runs(older, measured, options.json)
    return measured


def _facts() -> dict[str, str]:
    """Return what a reader must know about the machine and the packages."""
    processor = platform.processor() or platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        name = re.search(r"^model name\s*: (.*)", info.read_text("utf-8"), re.MULTILINE)
        processor = name[1] if name else processor
    describe = ("git", "-C", Path(__file__).parent, "describe", "--always", "--abbrev=12")
    packages = {package: _version(package) for package in (*libraries.PACKAGES.values(), "regex")}
    return {
        "command": shlex.join(["python", "scripts/benchmarks", *sys.argv[1:]]),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor,
        "cores": str(libraries.CORES),
        "load at the start": f"{os.getloadavg()[0]:.2f}",
        "system": f"{platform.system()} {platform.release()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": run(*describe, "--dirty=, with changes", "--exclude=*").strip(),
        "versions": ", ".join(f"{name} {found}" for name, found in packages.items() if found),
    }


def _version(package: str) -> str:
    """Return the installed version, or nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


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
        for title, table in report.sections([measure(options)]).items():
            print(f"## {title.capitalize()}\n\n{table}")
    except (OSError, JobError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
