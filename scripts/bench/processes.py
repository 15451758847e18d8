"""What is measured in processes of their own: the start, memory, growth, the command line."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from artifacts import VOCAB_SIZE
from bench import Bench, series_of
from bpetite import Tokenizer
from corpora import write_prefix
from results import OURS, Series, measured
from timing import alternate, seconds

CHARACTERS_VOCAB_SIZE: Final = 65_536
"""How many tokens are wanted in the section `characters`."""

_STARTS_IN_A_ROUND: Final = 4
_PARTS: Final = {"1/8": 8, "1/4": 4, "1/2": 2, "1": 1}
_WORKER: Final = Path(__file__).with_name("worker.py")
_BPETITE: Final = Path(sys.executable).with_name("bpetite")


def start(bench: Bench) -> Iterator[Series]:
    """What a user waits for before the first id."""
    bench.say("start: load, save, import, the command line")
    artifact = bench.artifact(bench.corpora[0]).path
    tokenizer = Tokenizer.load(artifact)
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    python = (sys.executable, "-c")
    jobs = {
        "Tokenizer.load": partial(Tokenizer.load, artifact),
        "save": partial(tokenizer.save, bench.folder / "copy.json", overwrite=True),
        "python -c pass": partial(run, (*python, "pass")),
        "python -c 'import regex'": partial(run, (*python, "import regex")),
        "python -c 'import bpetite'": partial(run, (*python, "import bpetite")),
        "bpetite encode --text hi": partial(
            run, (_BPETITE, "encode", "--model", artifact, "--text", "hi")
        ),
    }

    def sample() -> Mapping[str, float]:
        return {case: seconds(job) for case, job in jobs.items()}

    samples = alternate({OURS: sample}, bench.rounds * _STARTS_IN_A_ROUND, bench.say)
    yield from series_of("start", "", samples)


def memory(bench: Bench) -> Iterator[Series]:
    """The memory of every contestant in training and in encoding, once each."""
    for corpus in bench.corpora:
        artifact = str(bench.artifact(corpus).path)
        jobs = [("train", trainer.name, str(VOCAB_SIZE)) for trainer in bench.trainers]
        jobs += [("encode", maker.name, artifact) for maker in bench.coders]
        samples = {}
        for action, name, what in jobs:
            bench.say(f"{corpus.name}: memory of {name} ({action})")
            job = partial(_work, action, name, corpus.path, what, len(corpus.text))
            result = alternate({name: job}, 1, bench.say)
            samples |= {
                (name, f"{action}: {key}"): values
                for (_, key), values in result.items()
                if key != "seconds"
            }
        yield from series_of("memory", corpus.name, samples, unit="bytes")


def growth(bench: Bench) -> Iterator[Series]:
    """Ours on an eighth of a text, a quarter, a half and the whole."""
    for corpus in bench.corpora:
        artifact = str(bench.artifact(corpus).path)
        for action, what in (("train", str(VOCAB_SIZE)), ("encode", artifact)):
            bench.say(f"{corpus.name}: growth ({action})")
            jobs = {
                part: partial(_work, action, OURS, corpus.path, what, len(corpus.text) // divisor)
                for part, divisor in _PARTS.items()
            }
            samples = alternate(jobs, bench.rounds, bench.say)
            for (part, key), values in samples.items():
                unit = "s" if key == "seconds" else "bytes"
                case = f"{action}: {key} of {part}"
                rounded = [measured(value) for value in values]
                yield Series("growth", corpus.name, case, OURS, unit, rounded)


def characters(bench: Bench) -> Iterator[Series]:
    """The command line on the beginning of a large file, from the file to the artifact."""
    if bench.large is None:
        return
    text, model = bench.folder / "large.txt", bench.folder / "large.json"
    for length in bench.characters:
        bench.say(f"{bench.large.name}: training on {length:,} characters")
        if not write_prefix(bench.large, text, length):
            bench.say(f"{bench.large.name} has fewer than {length:,} characters")
            break
        size = str(CHARACTERS_VOCAB_SIZE)
        paths = ("--input", str(text), "--output", str(model), "--force")
        result = _work("run", str(_BPETITE), "train", *paths, "--vocab-size", size)
        for key, value in result.items():
            unit = "s" if key == "seconds" else "bytes"
            samples = [measured(value)]
            yield Series("characters", bench.large.stem, key, OURS, unit, samples, length)


def _work(action: str, *arguments: object) -> Mapping[str, float]:
    """Let a worker do a job."""
    command = [sys.executable, str(_WORKER), action, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        message = done.stderr.strip().splitlines()[-1]
        raise RuntimeError(message)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result
