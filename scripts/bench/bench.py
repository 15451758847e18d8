"""What every section of a run is given: the texts, the contestants, how hard to try."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from coders import Coder
from corpora import Corpus
from ours import Artifact, train_artifact
from trainers import Trainer
from turns import Samples, alternate, work


@dataclass(frozen=True)
class Bench:
    """A run that is being made.

    quick: whether to show that all works rather than to measure.
    sizes: the sizes of vocabularies to train.
    characters: how much of the large file to train on through the command line.
    folder: a place for files, which is gone after the run.
    say: tells a person how it is going.
    """

    corpora: list[Corpus]
    rounds: int
    quick: bool
    sizes: list[int]
    characters: list[int]
    large: Path | None
    trainers: list[Trainer]
    coders: list[type[Coder]]
    slow_trainers: list[Trainer]
    folder: Path
    say: Callable[[str], None]
    _artifacts: dict[str, Artifact] = field(default_factory=dict)

    def artifact(self, corpus: Corpus) -> Artifact:
        """Return the tokenizer that is trained on a corpus, once."""
        if corpus.name not in self._artifacts:
            self.say(f"{corpus.name}: training the tokenizer that encodes")
            self._artifacts[corpus.name] = train_artifact(corpus, self.folder)
        return self._artifacts[corpus.name]

    def take_turns(
        self, jobs: Mapping[str, tuple[object, ...]], rounds: int | None = None
    ) -> Samples:
        """Let each contestant's worker do its job in every round."""
        contestants = {name: partial(work, *job) for name, job in jobs.items()}
        return alternate(contestants, rounds or self.rounds, self.say)
