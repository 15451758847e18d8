"""Prove that a tokenizer comes from a corpus.

Trains on the corpus again and compares the merges. The exit status is 1 if they
differ.

Examples:
  bpetite verify --model tokenizer.json --input text.txt
  bpetite verify --model tokenizer.json --files-from list.txt
  bpetite verify --model big.json --start tokenizer.json --input text.txt

Details:
The exit status is also 1 if an id or a byte of the file differs, or if all merges are those of
`--start`, because then any corpus would do. The first difference is printed.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from itertools import takewhile
from typing import Annotated, NamedTuple, TypedDict

from bpetite._inner import Artifact, quoted
from bpetite_cli import arguments, fields
from bpetite_cli.counting import CountedCorpus
from bpetite_cli.errors import Failure
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.visible import visible
from bpetite_cli.training import check_start, learn


class _Joined(TypedDict):
    """A merge."""

    pair: tuple[int, int]
    hex: fields.Hex


class _DifferenceInMerges(TypedDict):
    rank: int
    id: int
    corpus_id: Annotated[int | None, "the id that training gives instead of `id`, or null"]
    special_token: Annotated[str | None, "the special token that differs; null for a merge"]
    model_merge: Annotated[_Joined | None, "the merge in the tokenizer file"]
    corpus_merge: Annotated[_Joined | None, "the merge that training makes instead"]


class _Verdict(TypedDict):
    equal: Annotated[bool, "whether both agree; for `verify`, byte for byte"]
    difference: Annotated[_DifferenceInMerges | None, "the first difference"]
    merges_proved: Annotated[int, "merges of the corpus before the first difference"]


class _Trained(_Verdict, fields.TokenizerFile):
    sha256_of_training: Annotated[fields.Digest, "the hash of the trained file"]


class _Verified(_Trained, fields.InputSize):
    seconds: Annotated[float, "seconds for reading and training"]
    regex: Annotated[str, "the version of `regex`"]


class _Continued(_Verified):
    merges_kept: int


def add_command(commands: Commands) -> None:
    """Add `verify` to the command line."""
    parser = commands.add("verify", __doc__)
    arguments.add_model(parser)
    arguments.add_corpus(parser)
    arguments.add_options(parser, "--start", "--jobs")
    parser.set_defaults(run=_run, prints={"": _Verified, "--start": _Continued})


class _Proof(NamedTuple):
    """A tokenizer file and the result of training again.

    model, file: the tokenizer, and the content of its file.
    trained: the result.
    same: the number of merges before the first one that differs, also in its id.
    start: the number of merges of `--start`.
    """

    model: Artifact
    file: bytes
    trained: Artifact
    same: int
    start: int

    @property
    def is_equal(self) -> bool:
        """Whether the file is byte for byte what training gives."""
        return self.file == self.trained.to_bytes()

    @property
    def kept(self) -> int:
        """How many of the same merges are those of the start; the others are proved."""
        return min(self.same, self.start)

    @property
    def difference(self) -> _DifferenceInMerges | None:
        """The first merge or special token of which file and training do not have the same."""
        rank, name = self.same, None
        model_merge, corpus_merge = _merge_data(self.model, rank), _merge_data(self.trained, rank)
        ours = self.model.ids[256 + rank] if model_merge else None
        theirs = self.trained.ids[256 + rank] if corpus_merge else None
        if not model_merge and not corpus_merge:
            special, trained = self.model.special_tokens, self.trained.special_tokens
            names = (one for one in trained | special if special.get(one) != trained.get(one))
            if (name := next(names, None)) is None:
                return None
            ours, theirs = special.get(name), trained.get(name)
        return {
            "rank": rank,
            "id": next(one for one in (ours, theirs) if one is not None),
            "corpus_id": theirs,
            "special_token": name,
            "model_merge": model_merge,
            "corpus_merge": corpus_merge,
        }

    @property
    def in_words(self) -> str:
        """The number of merges that the corpus has to prove."""
        after = f" after the {self.start:,} of --start" if self.start else ""
        return f"{len(self.model.merges) - self.start:,} merges{after}"


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "counting text", "counting") as pipe:
        model, file, *_ = pipe.load(options.model)
        if model.numbering and options.start is None:
            raise Failure(
                f"cannot verify {quoted(options.model)}: it has schema version "
                f"{model.schema_version}, with ids that training keeps but does not give (name the "
                "tokenizer that it extends: --start)"
            )
        start = None if options.start is None else pipe.load(options.start).artifact
        if start is not None:
            check_start(options.start, start, len(model.tokens))
        begin = _begin(model, start, options)
        corpus = CountedCorpus(pipe, begin.pattern)
        trained, _, seconds = learn(pipe, corpus, len(model.tokens), begin)
        proof = _Proof(model, file, trained, _same(model, trained), len(begin.merges))
        fault = _fault(proof, options)
        data: _Verified | _Continued = {
            "equal": proof.is_equal,
            "difference": proof.difference,
            "merges_proved": proof.same - proof.kept,
            **fields.tokenizer_fields(model, sha256(file).hexdigest()),
            "sha256_of_training": sha256(trained.to_bytes()).hexdigest(),
            **pipe.documents.figures,
            "bytes": corpus.size,
            "seconds": round(seconds, 3),
            "regex": version("regex"),
        }
        if start is not None:
            data = {**data, "merges_kept": proof.kept}
        lines = [] if fault else [f"proved: all {proof.in_words} come from this corpus"]
        pipe.report(data, *_difference(proof), *lines)
    if fault:
        raise Failure(fault)


def _begin(model: Artifact, start: Artifact | None, options: argparse.Namespace) -> Artifact:
    """Return what training begins with, after checking that the tokenizer can continue it."""
    fault = None
    if start is None:
        return Artifact.of_merges([], model.pattern, model.special_names)
    begin = start.keeping_ids() if model.numbering and not start.numbering else start
    names = tuple(dict.fromkeys((*start.special_names, *model.special_names)))
    if start.pattern is not model.pattern:
        fault = f"it has the pattern {model.pattern.name}, --start has {start.pattern.name}"
    elif names != model.special_names and not model.numbering:
        fault = "its special tokens do not begin with those of --start"
    elif begin.numbering and (moved := start.vocab.items() - model.vocab.items()):
        fault = f"its id {min(moved)[0]} is not that of --start"
    if fault:
        raise Failure(
            f"{quoted(options.model)} does not continue {quoted(options.start)}: {fault}\n"
            "name the tokenizer that this one continues, or leave out --start"
        )
    return replace(begin, special_names=names)


def _fault(proof: _Proof, options: argparse.Namespace) -> str | None:
    """Return why the file is not proved, and what to check."""
    if proof.same < proof.start:
        return (
            f"the merge at rank {proof.same} is not that of --start: {proof.same:,} of "
            f"{proof.start:,} merges are the same, and none is proved\n"
            "name the tokenizer that this one continues"
        )
    if found := proof.difference:
        fault, way_out = f"the merge at rank {proof.same}", "the file was changed; train it again"
        if name := found["special_token"]:
            fault = f"the special token {name!r}"
        if found["model_merge"] == found["corpus_merge"]:
            fault += f" has the id {found['id']}, not {found['corpus_id']} as in training"
        else:
            missing = found["model_merge"] is None
            fault += " is not in the file" if missing else " does not come from this corpus"
            way_out = (
                "check that the files and the version of regex are those used in training (here: "
                f"regex {version('regex')})"
            )
        proved = f"{proof.same - proof.kept:,} of {proof.in_words} are proved"
        return f"{fault}; {proved}\n{way_out}"
    if options.start is not None and proof.kept == proof.same:
        return (
            f"this corpus proves nothing: all {proof.kept:,} merges are those of --start\n"
            "name the smaller tokenizer that this one continues, or leave out --start"
        )
    if not proof.is_equal:
        return (
            f"{quoted(options.model)} is not byte for byte what bpetite saves, although all "
            f"{proof.in_words} come from this corpus\nan editor or formatter may have changed "
            f"it; save it again with `bpetite truncate --vocab-size {len(proof.model.tokens)}`"
        )
    return None


def _same(model: Artifact, trained: Artifact) -> int:
    """Return the number of merges before the first one that differs, also in its id."""
    both = zip(model.merges, model.ids[256:], trained.merges, trained.ids[256:], strict=False)
    return sum(1 for _ in takewhile(lambda row: row[:2] == row[2:], both))


def _merge_data(artifact: Artifact, rank: int) -> _Joined | None:
    """Return a merge as JSON, or None if there is none at this rank."""
    if rank >= len(artifact.merges):
        return None
    left, right = map(artifact.ids.__getitem__, artifact.merges[rank])
    return {"pair": (left, right), "hex": artifact.tokens[256 + rank].hex()}


def _difference(proof: _Proof) -> Iterator[str]:
    """Yield the two merges that differ, in words."""
    found = proof.difference
    if not found or found["special_token"]:
        return
    rank, ours, theirs = proof.same, "", ""
    other = "the start: " if rank < proof.start else "the corpus:"
    if found["model_merge"] == found["corpus_merge"]:
        ours, theirs = f" (id {found['id']})", f" (id {found['corpus_id']})"
    elif found["model_merge"]:
        pair, later = proof.model.merges[rank], proof.trained.merges[rank:]
        theirs = "; the file's pair is not learned up to this size"
        if pair in later:
            theirs = f"; the file's pair is learned at rank {rank + later.index(pair)}"
    yield f"the file:   {_merge_in_words(proof.model, rank) or 'no merge is left'}{ours}"
    yield f"{other} {_merge_in_words(proof.trained, rank) or 'no pair is left'}{theirs}"


def _merge_in_words(artifact: Artifact, rank: int) -> str:
    if rank == len(artifact.merges):
        return ""
    left, right = (
        f"{visible(artifact.tokens[index])!r} (id {artifact.ids[index]})"
        for index in artifact.merges[rank]
    )
    return f"{left} and {right} make {visible(artifact.tokens[256 + rank])!r}"
