"""`bpetite verify`: train again, and compare a tokenizer file with the result."""

import argparse
from importlib.metadata import version
from typing import Annotated, NamedTuple, TypedDict

from bpetite._artifact import Artifact
from bpetite._files import quoted
from bpetite_cli import arguments, fields
from bpetite_cli.arguments import Commands
from bpetite_cli.errors import Failure
from bpetite_cli.io import inputs, models, outputs
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.results import write_result
from bpetite_cli.terminal.visible import visible
from bpetite_cli.training import Training, learn, load_start


class _Joined(TypedDict):
    """A merge."""

    pair: tuple[int, int]
    hex: fields.Hex


class _DifferenceInMerges(TypedDict):
    rank: int
    id: int
    model_merge: Annotated[_Joined | None, "the merge in the tokenizer file"]
    corpus_merge: Annotated[_Joined | None, "the merge that training makes there"]


class _Verdict(TypedDict):
    equal: Annotated[bool, "whether both agree; for `verify`, byte for byte"]
    difference: Annotated[_DifferenceInMerges | None, "the first difference, or null"]
    merges_proved: Annotated[int, "merges before the first difference"]


class _Verified(_Verdict, fields.Tokenizer):
    sha256_of_training: Annotated[fields.Digest, "the digest of the trained file, in hex"]
    files: int
    bytes: int
    seconds: float
    regex: Annotated[str, "the version of the package `regex`"]


def add_command(commands: Commands) -> None:
    """Add `verify` to the command line."""
    parser = arguments.add_parser(
        commands,
        "verify",
        "prove that a tokenizer comes from a corpus",
        "  bpetite verify --model tokenizer.json --input text.txt\n"
        "  bpetite verify --model tokenizer.json --files-from list.txt\n"
        "  bpetite verify --model big.json --input corpus.gz\n"
        "  bpetite verify --model tokenizer.json --start tokenizer.json --input text.txt",
        "\n\nTrains on the corpus again and compares the merges. Prints a JSON object with the\n"
        "number of proved merges and the first difference. The exit status is 1 if a\n"
        "merge differs, or if the file does not have the exact bytes that bpetite saves.",
    )
    arguments.add_model(parser)
    arguments.add_corpus(parser)
    arguments.add_start(parser)
    arguments.add_jobs(parser)
    parser.set_defaults(run=_run, prints={"": _Verified})


class _Proof(NamedTuple):
    """A tokenizer file and the result of training again.

    model, trained: the two.
    proved: the number of merges before the first difference.
    kept: the number of merges of `--start`.
    """

    model: Artifact
    trained: Artifact
    proved: int
    kept: int

    @property
    def differs(self) -> bool:
        """Whether a merge of the file differs from training."""
        return self.proved < len(self.model.merges)


def _run(options: argparse.Namespace) -> None:
    outputs.check_output()
    documents = arguments.documents_of(options)
    with Work("loading", documents.paths) as work:
        model = models.load_artifact(options.model)
        start = load_start(options.start, model.mergeable)
        work.begin("counting text", inputs.check_inputs(documents.paths))
        jobs = arguments.jobs_of(options)
        tokenizer, training = learn(documents, model.mergeable, jobs, work, start)
        trained = tokenizer._artifact
    kept = 0 if start is None else len(start._artifact.merges)
    proof = _Proof(model, trained, _common(model, trained), kept)
    write_result(_data(proof, len(documents.paths), training))
    if proof.differs:
        for line in _difference(proof):
            messages.say(line)
        raise Failure(_failure_message(proof))
    if model.sha256 != trained.sha256:
        raise Failure(
            f"{quoted(options.model)} is not byte for byte what bpetite saves, although all "
            f"{proof.proved:,} merges come from this corpus\nan editor or formatter may have "
            f"changed it; save it again with `bpetite truncate --vocab-size {model.mergeable}`"
        )
    after = f" after the {proof.kept:,} of --start" if proof.kept else ""
    messages.say(f"proved: all {proof.proved - proof.kept:,} merges{after} come from this corpus")


def _common(model: Artifact, trained: Artifact) -> int:
    """Return the number of equal merges before the first difference."""
    both = zip(model.merges, trained.merges, strict=False)
    differing = (rank for rank, (ours, theirs) in enumerate(both) if ours != theirs)
    return next(differing, min(len(model.merges), len(trained.merges)))


def _data(proof: _Proof, files: int, training: Training) -> _Verified:
    rank = proof.proved
    return {
        "equal": proof.model.sha256 == proof.trained.sha256,
        "difference": {
            "rank": rank,
            "id": 256 + rank,
            "model_merge": _merge_data(proof.model, rank),
            "corpus_merge": _merge_data(proof.trained, rank),
        }
        if proof.differs
        else None,
        "merges_proved": rank,
        **fields.tokenizer_fields(proof.model.mergeable, proof.model.sha256),
        "sha256_of_training": proof.trained.sha256,
        "files": files,
        "bytes": training.corpus_bytes,
        "seconds": round(training.seconds, 3),
        "regex": version("regex"),
    }


def _merge_data(artifact: Artifact, rank: int) -> _Joined | None:
    """Return a merge as JSON, or None if there is none at this rank."""
    if rank == len(artifact.merges):
        return None
    return {"pair": artifact.merges[rank], "hex": artifact.tokens[256 + rank].hex()}


def _difference(proof: _Proof) -> tuple[str, str]:
    """Return the two merges that differ, in words."""
    rank = proof.proved
    other = "the start: " if rank < proof.kept else "the corpus:"
    return (
        f"the file:   {_merge_in_words(proof.model, rank)}",
        f"{other} {_merge_in_words(proof.trained, rank)}; {_learned_later(proof)}",
    )


def _failure_message(proof: _Proof) -> str:
    """Return which merge differs, and what to check."""
    rank = proof.proved
    if rank < proof.kept:
        return (
            f"the merge at rank {rank} is not that of --start; "
            "name the tokenizer that this one continues"
        )
    return (
        f"the merge at rank {rank} does not come from this corpus; "
        f"{rank:,} of {len(proof.model.merges):,} merges are proved\n"
        "check that the files and the version of regex are those used in training (here: "
        f"regex {version('regex')})"
    )


def _merge_in_words(artifact: Artifact, rank: int) -> str:
    if rank == len(artifact.merges):
        return "no pair is left"
    left, right = (
        f"{visible(artifact.tokens[token_id])!r} (id {token_id})"
        for token_id in artifact.merges[rank]
    )
    return f"{left} and {right} make {visible(artifact.tokens[256 + rank])!r}"


def _learned_later(proof: _Proof) -> str:
    """Return where training learns the pair that the file has too early, if it does."""
    later = proof.trained.merges[proof.proved :]
    pair = proof.model.merges[proof.proved]
    if pair not in later:
        return "the file's pair is not learned up to this size"
    return f"the file's pair is learned at rank {proof.proved + later.index(pair)}"
