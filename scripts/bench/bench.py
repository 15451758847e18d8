"""What every section of a run is given: the texts, the contestants, how hard to try."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from artifacts import Artifact, train_artifact
from coders import Coder
from corpora import Corpus
from results import Series, measured
from timing import Sampler, Samples, alternate
from trainers import Trainer


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
    educational: list[Trainer]
    folder: Path
    say: Callable[[str], None]
    _artifacts: dict[str, Artifact] = field(default_factory=dict)

    def artifact(self, corpus: Corpus) -> Artifact:
        """Return the tokenizer that is trained on a corpus, once."""
        if corpus.name not in self._artifacts:
            self.say(f"{corpus.name}: training the tokenizer that encodes")
            self._artifacts[corpus.name] = train_artifact(corpus, self.folder)
        return self._artifacts[corpus.name]

    def measure(
        self,
        section: str,
        corpus: str,
        contestants: Mapping[str, Sampler],
        *,
        unit: str = "s",
        amounts: Mapping[str, int] | None = None,
    ) -> list[Series]:
        """Let contestants take turns, and return their samples as series.

        amounts: for a contestant, the bytes or ids that each of its samples is about.
        """
        samples = alternate(contestants, self.rounds, self.say)
        return series_of(section, corpus, samples, unit=unit, amounts=amounts)


def series_of(
    section: str,
    corpus: str,
    samples: Samples,
    *,
    unit: str = "s",
    amounts: Mapping[str, int] | None = None,
) -> list[Series]:
    """Return samples as series; `Bench.measure` says more."""
    return [
        Series(
            section,
            corpus,
            case,
            name,
            unit,
            [measured(value) for value in values],
            (amounts or {}).get(name, 0),
        )
        for (name, case), values in samples.items()
    ]
