"""Compare two tokenizers, and the cuts that they make in text.

A and B are tokenizer files, or whatever else --model can name. The exit status is 0
if they are the same, 1 if they are different, and 2 if something went wrong.

Examples:
  bpetite diff tokenizer.json big.json
  bpetite diff tokenizer.json big.json text.txt
  bpetite diff tokenizer.json big.json --json

Details:
Two tokenizers are the same if they have the same pattern, merges, special tokens and ids, and so
the same tokenizer file, whatever files they come from. The exit status says whether they are, also
with texts. For each text, the first place that gets other tokens is shown, and what is behind it:
the pattern, a special token, or the merge that only one of them makes there.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Annotated, Final, TypedDict

from bpetite._inner import Artifact, quoted, tokenizer_of
from bpetite_cli import arguments, fields, values
from bpetite_cli.errors import Failure
from bpetite_cli.pipe import Pipe
from bpetite_cli.plugins import load_model
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.messages import counted, listed
from bpetite_cli.terminal.visible import shortened, visible
from bpetite_cli.views import why
from bpetite_cli.views.steps import chunks_of

_SHOWN: Final = 5
"""How many tokens a line for people names."""

_LONGEST: Final = 40
"""The most cells that such a token takes."""

_TROUBLE: Final = 2
"""The exit status of an error: 1 says that the tokenizers differ."""


class _FirstMerge(TypedDict):
    rank: int
    hex_pairs: Annotated[list[list[str] | None], "the tokens that each joins there; null if none"]


class _Cut(TypedDict):
    start: int
    hex_of_each: Annotated[list[str], "the token that each has there"]
    why: Annotated[why.Place | None, "why one lacks the longer token; null if it has no such token"]


class _Text(TypedDict):
    path: str
    tokens_of_each: Annotated[list[int], "the number of tokens of the text with each"]
    first_cut: Annotated[_Cut | None, "the first place that they cut differently"]


class _Difference(TypedDict):
    equal: bool
    digests: Annotated[list[fields.Digest], "the digests of their tokenizer files, in hex"]
    patterns: Annotated[list[str], "the names of their patterns"]
    special_ids: Annotated[
        Mapping[str, list[int | None]], "the ids of each special token that differs; null if none"
    ]
    first_merge: Annotated[_FirstMerge | None, "the first merge that differs"]
    only: Annotated[list[list[str]], "the tokens that only one has, in hex, by id"]
    moved: Annotated[list[str], "the tokens that both have with other ids, in hex, by id"]
    texts: Annotated[list[_Text], "the cuts in each text"]


def add_command(commands: Commands) -> None:
    """Add `diff` to the command line."""
    parser = commands.add("diff", __doc__)
    parser.add_file_argument()
    arguments.add_documents(parser)
    parser.require_one("--input")
    arguments.add_options(parser, "--ordinary", "--download")
    parser.set_defaults(run=_run, trouble=_TROUBLE, prints={"": _Difference})


def _run(options: argparse.Namespace) -> int:
    names: list[str] = options.input or []
    options.input = names[2:]
    if len(names) < 2:
        raise Failure(f"expected two tokenizers, found {counted(len(names), 'name')}")
    with Pipe(options, "comparing") as pipe:
        both = [
            load_model(name, download=options.download, notes=pipe.warnings)[0]
            for name in names[:2]
        ]
        data = _difference(both)
        pipe.begin()
        for path in pipe.documents.paths:
            text = _in_text(path, pipe.text_of(path), both, ordinary=options.ordinary)
            data["texts"].append(text)
        named = [quoted(values.text_argument(name)) for name in names]
        pipe.report(data, *_lines(data, both, named), *_lines_of_texts(data["texts"], both, named))
    return int(not data["equal"])


def _difference(both: Sequence[Artifact]) -> _Difference:
    files = [one.to_bytes() for one in both]
    ids = [_ids(one) for one in both]
    first, second = ids
    return {
        "equal": files[0] == files[1],
        "digests": [sha256(file).hexdigest() for file in files],
        "patterns": [one.pattern.name for one in both],
        "special_ids": _special_ids(both),
        "first_merge": _first_merge(both),
        "only": [
            [token.hex() for token in first if token not in second],
            [token.hex() for token in second if token not in first],
        ],
        "moved": [token.hex() for token in first if second.get(token, first[token]) != first[token]],
        "texts": [],
    }


def _ids(artifact: Artifact) -> Mapping[bytes, Sequence[int]]:
    """Return the ids of each token that is not special; two tokens may have equal bytes."""
    ids: dict[bytes, list[int]] = {}
    for token_id, token in artifact.vocab.items():
        if not artifact.is_special(token_id):
            ids.setdefault(token, []).append(token_id)
    return ids


def _special_ids(both: Sequence[Artifact]) -> Mapping[str, list[int | None]]:
    first, second = (one.special_tokens for one in both)
    pairs = {name: [first.get(name), second.get(name)] for name in first | second}
    return {name: ids for name, ids in pairs.items() if ids[0] != ids[1]}


def _first_merge(both: Sequence[Artifact]) -> _FirstMerge | None:
    def joined(artifact: Artifact) -> Iterator[list[str]]:
        tokens = artifact.tokens
        return ([tokens[left].hex(), tokens[right].hex()] for left, right in artifact.merges)

    for rank, pairs in enumerate(zip_longest(*map(joined, both))):
        if pairs[0] != pairs[1]:
            return {"rank": rank, "hex_pairs": [*pairs]}
    return None


def _in_text(
    path: str, blocks: Iterable[str], both: Sequence[Artifact], *, ordinary: bool
) -> _Text:
    """Return how many tokens a text has, and the first place where the cuts differ."""
    encoders = [tokenizer_of(one).encode for one in both]
    counts, cut, begin = [0, 0], None, 0
    for block in blocks:
        ids = [encode(block, ordinary=ordinary) for encode in encoders]
        counts = [before + len(own) for before, own in zip(counts, ids, strict=True)]
        cut = cut or _first_cut(block, begin, ids, both, ordinary=ordinary)
        begin += len(block.encode("utf-8"))
    return {"path": values.text_argument(path), "tokens_of_each": counts, "first_cut": cut}


def _first_cut(
    block: str,
    begin: int,
    ids: Sequence[Sequence[int]],
    both: Sequence[Artifact],
    *,
    ordinary: bool,
) -> _Cut | None:
    """Return the first place in a block where the tokens end differently."""
    start = 0
    for own in zip(*ids, strict=False):  # neither is longer, until they differ
        tokens = [one.vocab[token_id] for one, token_id in zip(both, own, strict=True)]
        if tokens[0] != tokens[1]:
            longer, other = max(tokens, key=len), both[len(tokens[0]) > len(tokens[1])]
            wanted = next(iter(_ids(other).get(longer, ())), None)
            place = None
            if wanted is not None:
                chunks = chunks_of(other, [block], ordinary=ordinary)
                places = (one for one in why.find(longer, chunks) if one[0] == start)
                place = next(why.explain(other, wanted, places))
                place["start"] += begin
            return {
                "start": begin + start,
                "hex_of_each": [token.hex() for token in tokens],
                "why": place,
            }
        start += len(tokens[0])
    return None


def _lines(data: _Difference, both: Sequence[Artifact], names: Sequence[str]) -> Iterator[str]:
    """Yield the differences for people, or that there is none."""
    if data["equal"]:
        yield f"the same tokenizer, with the digest {data['digests'][0]}"
        return
    yield "different tokenizers"
    if len({*data["patterns"]}) > 1:
        yield f"patterns: {' and '.join(data['patterns'])}"
    told = [
        f"{visible(name)} ({' and '.join('none' if one is None else str(one) for one in ids)})"
        for name, ids in data["special_ids"].items()
    ]
    if told:
        yield f"special tokens with other ids: {listed(told, _SHOWN)}"
    if merge := data["first_merge"]:
        joined = (
            f"{name} joins {'│'.join(map(_shown, pair))}" if pair else f"{name} has no more"
            for name, pair in zip(names, merge["hex_pairs"], strict=False)
        )
        yield f"merges: the first {merge['rank']:,} are the same; then {', '.join(joined)}"
    for name, only in zip(names, data["only"], strict=False):
        if only:
            yield f"only in {name}: {counted(len(only), 'token')}, {_listed(only)}"
    if data["moved"]:
        yield f"with other ids: {counted(len(data['moved']), 'token')}, {_listed(data['moved'])}"


def _lines_of_texts(
    texts: Iterable[_Text], both: Sequence[Artifact], names: Sequence[str]
) -> Iterator[str]:
    """Yield the number of tokens of each text, and where the cuts differ first."""
    for text in texts:
        counts = text["tokens_of_each"]
        if (cut := text["first_cut"]) is None:
            yield f"{quoted(text['path'])}: {counted(counts[0], 'token')}, cut in the same places"
            continue
        yield f"{quoted(text['path'])}: {counts[0]:,} and {counts[1]:,} tokens"
        tokens = [*map(bytes.fromhex, cut["hex_of_each"])]
        other = len(tokens[0]) > len(tokens[1])
        found = " and ".join(map(_shown, cut["hex_of_each"]))
        yield f"  first at byte {cut['start']:,}: {found}"
        if cut["why"] is None:
            yield f"  {names[other]} has no token {_shown(cut['hex_of_each'][not other])}"
        else:
            yield f"  in {names[other]}, {why.draw_place(both[other], cut['why']).rstrip()}"


def _listed(tokens: Sequence[str]) -> str:
    return listed([*map(_shown, tokens[:_SHOWN]), *tokens[_SHOWN:]], _SHOWN)


def _shown(token: str) -> str:
    return shortened(bytes.fromhex(token), _LONGEST)
