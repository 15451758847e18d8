"""How often each token of a vocabulary occurs in documents: the work of `count --by-token`."""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from bpetite import Tokenizer
from bpetite._inner import tokenizer_of
from bpetite_cli import arguments
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.io import inputs, outputs
from bpetite_cli.io.documents import Documents
from bpetite_cli.io.models import Model, load_artifact
from bpetite_cli.jobs.sharing import Sharing
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.progress import Work
from bpetite_cli.terminal.screen import Screen, look_at_output
from bpetite_cli.terminal.visible import shortened
from bpetite_cli.views.vocabulary import ink_of


class Frequency(Token):
    """A token and its count."""

    count: int


def print_frequencies(documents: Documents, options: argparse.Namespace) -> None:
    """Count the tokens of all documents, and print rows or JSON Lines."""
    size = inputs.check_inputs(documents.paths)
    with Work("loading", documents.paths) as work:
        artifact = load_artifact(options.model)
        work.begin_reading("counting", size)
        counts = count_ids(artifact, documents, options, work)
        work.hide()
        rows = draw_frequencies(artifact, counts, look_at_output())
        outputs.write_rows(rows, frequency_data(artifact, counts), in_json=options.json)


def count_ids(
    artifact: Model, documents: Documents, options: argparse.Namespace, work: Work
) -> list[int]:
    """Return how often each token occurs in all documents, in the order of numbers."""
    counts = [0] * len(artifact.ids)
    tally = partial(_tally, tokenizer_of(artifact), options.ordinary)
    with Sharing(tally, arguments.jobs_of(options), len, work) as sharing:
        texts = chain.from_iterable(documents.read(sharing))
        for frequencies in sharing.results(texts, in_order=False):
            for token_id, count in frequencies.items():
                counts[artifact.numbers[token_id]] += count
    return counts


def _tally(tokenizer: Tokenizer, ordinary: bool, batch: list[str]) -> Counter[int]:
    """Count each id of some texts."""
    frequencies: Counter[int] = Counter()
    for text in batch:
        frequencies.update(tokenizer.encode(text, ordinary=ordinary))
    return frequencies


def frequency_data(artifact: Model, counts: Sequence[int]) -> Iterator[Frequency]:
    """Yield every token, the most frequent first."""
    for token_id, count in _in_order(artifact, counts):
        yield {**token_fields(token_id, artifact.by_id[token_id]), "count": count}


def draw_frequencies(artifact: Model, counts: Sequence[int], screen: Screen) -> Iterator[str]:
    """Yield a row for every token in the same order, and a line about all of them."""
    figures = max(len("count"), len(f"{max(counts):,}"))
    number = len(str(max(artifact.ids)))
    title, _ = screen.beside([f"{'count':>{figures}}", f"{'id':>{number}}"])
    yield f"{screen.paint(f'{title}token', 'bold')}\n"
    for token_id, count in _in_order(artifact, counts):
        begin, room = screen.beside([f"{count:>{figures},}", f"{token_id:>{number}}"])
        shown = shortened(artifact.by_id[token_id], room)
        yield f"{begin}{screen.paint(shown, ink_of(artifact, token_id))}\n"
    unused = f"{counts.count(0):,} of {len(counts):,} ids do not occur"
    yield f"{counted(sum(counts), 'token')}; {unused}\n"


def _in_order(artifact: Model, counts: Sequence[int]) -> list[tuple[int, int]]:
    """Return the ids with their counts, the highest count first, then the lowest id."""
    return sorted(zip(artifact.ids, counts, strict=True), key=lambda pair: (-pair[1], pair[0]))
