"""One job in a process of its own, for the memory that it takes; prints JSON.

    worker.py train NAME FILE VOCAB_SIZE CHARACTERS
    worker.py encode NAME FILE ARTIFACT CHARACTERS
    worker.py run PROGRAM ARGUMENT...

`before` is the memory that the process holds when the text has been read and the peer is
imported, or the tokenizer loaded; `taken` is by how much that grows at most until the job
is done, its result included. On Linux this is the kernel's account of the process, whose
peak is set back before the job. Elsewhere the peak is that of the whole life of the
process, and `taken` may be too small.

`run` starts a program and tells its peak. A process that is started inherits the peak of
the one that starts it, so a small process like this one has to stand in between.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Final

from artifacts import read_artifact
from coders import CODERS
from corpora import Corpus, read_corpus
from trainers import TRAINERS

_STATUS: Final = Path("/proc/self/status")
_RESET: Final = Path("/proc/self/clear_refs")
_RUSAGE_UNIT: Final = 1 if sys.platform == "darwin" else 1024


def main(action: str, *arguments: str) -> dict[str, float]:
    """Do one job."""
    if action == "run":
        return _run(*arguments)
    name, path, what, characters = arguments
    whole = read_corpus(Path(path))
    corpus = Corpus(whole.name, whole.text[: int(characters)], whole.path)
    del whole
    if action == "train":
        trainer = next(trainer for trainer in TRAINERS if trainer.name == name)
        import_module(trainer.module)
        return _measured(lambda: trainer.train(corpus, int(what)))
    coder = next(maker for maker in CODERS if maker.name == name)(
        read_artifact(Path(what), corpus)
    )
    return _measured(lambda: coder.encode(corpus.text))


def _measured(job: Callable[[], object]) -> dict[str, float]:
    if _RESET.exists():
        _RESET.write_text("5", encoding="ascii")  # proc(5): 5 sets the peak to what it is now
    before = _peak_bytes()
    begin = perf_counter()
    result = job()
    taken = perf_counter() - begin
    del result
    return {"seconds": taken, "before": before, "taken": _peak_bytes() - before}


def _peak_bytes() -> int:
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RUSAGE_UNIT


def _run(*command: str) -> dict[str, float]:
    begin = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken = perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _RUSAGE_UNIT
    return {"seconds": taken, "peak": peak}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
