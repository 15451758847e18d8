"""Compare two tokenizers, and how they cut text.

The exit status is 0 if the tokenizers are the same, 1 if they are different, and 2 if something
went wrong.

Examples:
  bpetite diff old.json tokenizer.json text.txt
  bpetite diff old.json tokenizer.json

Details:
Two tokenizers are the same if they have the same pattern, merges, special tokens and ids. For each
file, it prints both numbers of tokens, the first place that they cut differently, and why one lacks
the longer token there, as `show --why` does. Without FILE, none is read.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Annotated, Final, TypedDict

from bpetite._inner import Artifact, quoted, tokenizer_of
from bpetite_cli import arguments, fields, values
from bpetite_cli.io import outputs
from bpetite_cli.pipe import Pipe
from bpetite_cli.plugins import Model
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.messages import counted, listed
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.views import why
from bpetite_cli.views.steps import chunks_of, merge_line

_SHOWN: Final = 5
"""How many tokens a line for people names."""

_LONGEST: Final = 40
"""The most cells that such a token takes."""


class _Cut(TypedDict):
    document: Annotated[int, "its number in the file, from 1"]
    start: int
    hex_of_each: Annotated[list[str], "the token that each has there"]
    why: Annotated[why.Place | None, "why one lacks the longer token; null if it has no such token"]


class _Text(TypedDict):
    path: str
    tokens_of_each: Annotated[list[int], "the tokens with each tokenizer"]
    first_cut: Annotated[_Cut | None, "the first place that they cut differently"]


class _Difference(TypedDict):
    same: Annotated[bool, "whether the two tokenizers are the same"]
    digests: Annotated[list[fields.Digest], "the hashes of their files"]
    patterns: Annotated[list[str], "the names of their patterns"]
    special_ids: Annotated[
        Mapping[str, list[int | None]], "the ids of each special token that differs; null if none"
    ]
    first_merge: Annotated[int | None, "the rank of the first merge that differs"]
    only_in_a: Annotated[list[str], "the tokens that only the first has, in hex"]
    only_in_b: Annotated[list[str], "the tokens that only the second has, in hex"]
    moved: Annotated[list[str], "the tokens with other ids, in hex"]
    skipped: Mapping[str, int] | None
    texts: Annotated[list[_Text], "how each file is cut"]


def add_command(commands: Commands) -> None:
    """Add `diff` to the command line."""
    parser = commands.add("diff", __doc__)
    told = "a tokenizer file, a model's folder or file, or a name such as gpt-4o"
    parser.add_argument("a", metavar="A", help=told)
    parser.add_argument("b", metavar="B", help="the other one")
    arguments.add_documents(parser)
    parser.options["--input"].help = "same as FILE: text, also compressed, or folders"
    arguments.add_options(parser, "--ordinary", "--download")
    for name in ("--glob", "--jsonl", "--parquet", "--document-separator", "--ordinary"):
        parser.need(name, "--input", "--files-from")
    parser.set_defaults(run=_run, trouble=2, prints={"": _Difference})


def _run(options: argparse.Namespace) -> int:
    if options.files_from is None:
        options.input = options.input or []  # standard input only if it is named
    with Pipe(options, "comparing") as pipe:
        models = [pipe.load(word) for word in (options.a, options.b)]
        both = [model.artifact for model in models]
        data = _difference(models)
        data["skipped"] = pipe.documents.skipped
        pipe.begin()
        texts = (_in_file(pipe, path, both) for path in pipe.documents.paths)
        if outputs.wants_json():
            data["texts"] = [*texts]
            pipe.report(data)
        else:
            pipe.stream(f"{line}\n" for line in _lines(data, texts, both))
    return int(not data["same"])


def _difference(models: Sequence[Model]) -> _Difference:
    both = [model.artifact for model in models]
    ids = [dict(zip(one.tokens, one.ids, strict=False)) for one in both]
    special = [one.special_tokens for one in both]
    merges = enumerate(zip_longest(*(one.merges for one in both)))
    return {
        "same": models[0].file == models[1].file,
        "digests": [sha256(model.file).hexdigest() for model in models],
        "patterns": [one.pattern.name for one in both],
        "special_ids": {
            name: [own.get(name) for own in special]
            for name in special[0] | special[1]
            if special[0].get(name) != special[1].get(name)
        },
        "first_merge": next((rank for rank, (one, other) in merges if one != other), None),
        "only_in_a": [token.hex() for token in ids[0] if token not in ids[1]],
        "only_in_b": [token.hex() for token in ids[1] if token not in ids[0]],
        "moved": [token.hex() for token, one in ids[0].items() if ids[1].get(token, one) != one],
        "skipped": None,
        "texts": [],
    }


def _in_file(pipe: Pipe, path: str, both: Sequence[Artifact]) -> _Text:
    """Return how many tokens a file has, and the first place where the cuts differ."""
    encoders = [tokenizer_of(one).encode for one in both]
    counts, cut = [0, 0], None
    for number, document in enumerate(pipe.documents.read_file(path), 1):
        size = 0
        for block in pipe.passed([document]):
            ids = [encode(block, ordinary=pipe.options.ordinary) for encode in encoders]
            counts = [before + len(own) for before, own in zip(counts, ids, strict=True)]
            if cut is None and (cut := _first_cut(block, ids, both, pipe.options.ordinary)):
                cut["document"] = number
                cut["start"] += size
                if cut["why"]:
                    cut["why"]["start"] = cut["start"]
            size += len(block.encode("utf-8"))
    return {"path": values.text_argument(path), "tokens_of_each": counts, "first_cut": cut}


def _first_cut(
    block: str, ids: Sequence[Sequence[int]], both: Sequence[Artifact], ordinary: bool
) -> _Cut | None:
    """Return the first place in a block where the tokens end differently."""
    start = 0
    for one, other in zip(*ids, strict=False):  # neither ends before they differ
        tokens = [both[0].vocab[one], both[1].vocab[other]]
        if tokens[0] != tokens[1]:
            longer, lacking = max(tokens, key=len), both[len(tokens[0]) > len(tokens[1])]
            wanted = [token_id for token_id, token in lacking.vocab.items() if token == longer]
            places = why.find(lacking, wanted[:1], chunks_of(lacking, [block], ordinary=ordinary))
            there = (place for place in places if place[1] == start)
            reason = next(why.explain(lacking, there)) if wanted else None
            hexes = [token.hex() for token in tokens]
            return {"document": 1, "start": start, "hex_of_each": hexes, "why": reason}
        start += len(tokens[0])
    return None


def _merges_at(rank: int, both: Sequence[Artifact]) -> Iterator[str]:
    """Yield the two merges of a rank, and where the other tokenizer has each."""
    made = [merge_line(one, rank) if rank < len(one.merges) else "none" for one in both]
    yield f"first merge that differs: rank {rank}, {made[0]} in A, {made[1]} in B"
    for name, one, other in zip("BA", both, both[::-1], strict=True):
        if rank >= len(one.merges):
            continue
        wanted = [one.tokens[part] for part in one.merges[rank]]
        pairs = ([other.tokens[part] for part in pair] for pair in other.merges)
        if (place := next((place for place, pair in enumerate(pairs) if pair == wanted), -1)) >= 0:
            yield f"  {name} has {merge_line(other, place)}, too, but at rank {place}"


def _lines(data: _Difference, texts: Iterator[_Text], both: Sequence[Artifact]) -> Iterator[str]:
    """Yield the differences for people, then those in each text."""
    yield "the same tokenizer" if data["same"] else "different tokenizers"
    yield f"sha256: {' and '.join(dict.fromkeys(data['digests']))}"
    if data["patterns"][0] != data["patterns"][1]:
        yield f"pattern: {' and '.join(data['patterns'])}"
    special = list[str]()
    for name, pair in data["special_ids"].items():
        ids = " and ".join("none" if one is None else str(one) for one in pair)
        special.append(f"{shortened(name.encode(), _LONGEST)} ({ids})")
    if special:
        yield f"special tokens with other ids: {listed(special, _SHOWN)}"
    if (rank := data["first_merge"]) is not None:
        yield from _merges_at(rank, both)
    parts = data["only_in_a"], data["only_in_b"], data["moved"]
    for told, tokens in zip(("only in A", "only in B", "with other ids"), parts, strict=True):
        if tokens:
            shown = [*map(_shown, tokens[:_SHOWN]), *tokens[_SHOWN:]]
            yield f"{told}: {counted(len(tokens), 'token')}: {listed(shown, _SHOWN)}"
    for text in texts:
        counts, cut = text["tokens_of_each"], text["first_cut"]
        yield f"{quoted(text['path'])}: {counts[0]:,} tokens with A, {counts[1]:,} with B"
        if cut is None:
            yield "  cut in the same places"
            continue
        one, other = cut["hex_of_each"]
        where = f"document {cut['document']:,}, byte {cut['start']:,}"
        yield f"  first cut that differs, {where}: {_shown(one)} with A, {_shown(other)} with B"
        in_b = len(one) > len(other)
        if cut["why"] is None:
            yield f"  {'AB'[in_b]} has no token {_shown(max(one, other, key=len))}"
        else:
            *lines, _ = why.draw_places(both[in_b], [cut["why"]], "")
            yield from (f"  {'AB'[in_b]}: {line.rstrip()}" for line in lines)


def _shown(token: str) -> str:
    return shortened(bytes.fromhex(token), _LONGEST)
