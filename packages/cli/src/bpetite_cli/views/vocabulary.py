"""All tokens of a tokenizer, as rows and as JSON: the vocabulary, or how often each occurs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Final, TypeAlias

from bpetite._inner import Artifact, tokenizer_of
from bpetite_cli.errors import Failure
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.terminal.messages import counted, span
from bpetite_cli.terminal.screen import LEAST, Ink, Screen
from bpetite_cli.terminal.visible import cells, shortened
from bpetite_cli.values import short, text_argument

_ROWS_OF_A_PART: Final = 1 << 9
"""The number of rows to write at once; a system call for each would be slow."""


Before: TypeAlias = Mapping[int, list[int]] | None
"""The tokens to show, with the ids that an old tokenizer gives for them; None is all tokens."""


class Entry(Token):
    """A token of the vocabulary; only the result of a merge has a pair and a rank."""

    pair: Annotated[tuple[int, int] | None, "the ids that a merge joins; null if no merge made it"]
    rank: Annotated[int | None, "the rank of the merge, from 0, or null"]


class NewEntry(Entry):
    """A token that another tokenizer lacks."""

    old_ids: Annotated[list[int], "the ids that `--since` gives for its bytes"]


class Frequency(Token):
    """A token and its count."""

    count: int


def ids_before(artifact: Artifact, old: Artifact) -> dict[int, list[int]]:
    """Return the tokens that an old tokenizer lacks, with the ids that it gives for their bytes."""
    known, chunk_ids, encode = {*old.table}, old.ids_of_chunks(), tokenizer_of(old).encode
    return {
        token_id: encode(token.decode("utf-8"), ordinary=True)
        if artifact.is_special(token_id)
        else chunk_ids(token)
        for token_id, token in artifact.vocab.items()
        if token not in known
    }


def vocabulary_data(artifact: Artifact, before: Before) -> Iterator[Entry | NewEntry]:
    """Yield every token, or only those with ids before, in the order of the ids."""
    for token_id in sorted(artifact.ids if before is None else before):
        rank, pair = artifact.merge_of(token_id) or (None, None)
        token = token_fields(token_id, artifact.vocab[token_id])
        entry: Entry = {**token, "pair": pair, "rank": rank}
        yield entry if before is None else {**entry, "old_ids": before[token_id]}


def draw_vocabulary(artifact: Artifact, before: Before, screen: Screen) -> Iterator[str]:
    """Yield rows of the same tokens, many at a time."""
    figures = len(str(max(artifact.ids)))
    chosen = sorted(artifact.ids if before is None else before)
    rows = (_row(artifact, token_id, figures, screen, before) for token_id in chosen)
    while part := "".join(islice(rows, _ROWS_OF_A_PART)):
        yield part


def _row(artifact: Artifact, token_id: int, figures: int, screen: Screen, before: Before) -> str:
    """Return the id of a token, its text, and the ids before or what it joins and the rank."""
    begin, room = screen.beside([f"{token_id:>{figures}}"])
    token = artifact.vocab[token_id]
    shown, origin = shortened(token, room), [origin_of(artifact, token_id)]
    if before:
        origin = [f"was {' '.join(map(str, before[token_id]))}"]
    elif merge := artifact.merge_of(token_id):
        rank, pair = merge
        shared = screen.width - 2 * figures - len("    =   +   rank ")
        left, right = (shortened(artifact.vocab[part], max(LEAST, shared // 4)) for part in pair)
        shown = shortened(token, max(LEAST, shared // 2))
        origin = [f"= {left} + {right}", f"rank {rank}"]
    while origin and cells("  ".join([shown, *origin])) > room:
        origin.pop()
    if not origin:
        shown = shortened(token, room)
    if origin[1:]:
        origin[1] = screen.paint(origin[1], "faint")
    return f"{begin}{'  '.join([screen.paint(shown, ink_of(artifact, token_id)), *origin])}\n"


def ink_of(artifact: Artifact, token_id: int) -> Ink:
    """Return how to paint a token: as special, as a byte, or as a longer token."""
    if artifact.is_special(token_id):
        return "special"
    return "cyan" if artifact.indexes[token_id] < 256 else "green"


def origin_of(artifact: Artifact, token_id: int) -> str:
    """Return what a token is that no merge makes."""
    if artifact.is_special(token_id):
        return "special"
    return "a byte" if artifact.indexes[token_id] < 256 else "whole token"


def ids_of_text(artifact: Artifact, text: str) -> list[int]:
    """Return the ids of the tokens with a text."""
    wanted = text.encode("utf-8")
    return [token_id for token_id, token in artifact.vocab.items() if token == wanted]


def chosen(artifact: Artifact, token: int | str) -> Sequence[int]:
    """Return the ids of the tokens that are named by an id or a text."""
    if isinstance(token, int):
        if token in artifact.ids:
            return [token]
        raise Failure(f"unknown token id {token}; the ids are {span(artifact.ids)}")
    text = text_argument(token)
    if token_ids := ids_of_text(artifact, text):
        return token_ids
    similar = (f" {text}", text.strip(), text.replace("·", " "))
    close = next((other for other in similar if ids_of_text(artifact, other)), None)
    way_out = "`bpetite show --text` cuts it into tokens" if close is None else f"try {close!r}"
    raise Failure(f"no token has the text {short(text)}, as no merge makes it; {way_out}")


def frequency_data(artifact: Artifact, counts: Sequence[int]) -> Iterator[Frequency]:
    """Yield every token, the most frequent first."""
    for token_id, count in _in_order(artifact, counts):
        yield {**token_fields(token_id, artifact.vocab[token_id]), "count": count}


def draw_frequencies(artifact: Artifact, counts: Sequence[int], screen: Screen) -> Iterator[str]:
    """Yield a row for every token in the same order, and a line about all of them."""
    figures = max(len("count"), len(f"{max(counts):,}"))
    digits = len(str(max(artifact.ids)))
    title, _ = screen.beside([f"{'count':>{figures}}", f"{'id':>{digits}}"])
    yield f"{screen.paint(f'{title}token', 'bold')}\n"
    for token_id, count in _in_order(artifact, counts):
        begin, room = screen.beside([f"{count:>{figures},}", f"{token_id:>{digits}}"])
        shown = shortened(artifact.vocab[token_id], room)
        yield f"{begin}{screen.paint(shown, ink_of(artifact, token_id))}\n"
    unused = f"{counts.count(0):,} of {len(counts):,} ids do not occur"
    yield f"{counted(sum(counts), 'token')}; {unused}\n"


def _in_order(artifact: Artifact, counts: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ids with their counts, the highest count first, then the lowest id."""
    return sorted(zip(artifact.ids, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
