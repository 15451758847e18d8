"""How often each token of a vocabulary occurs in documents: the work of `count --by-token`."""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_cli import arguments
from bpetite_cli.fields import Token, token_fields
from bpetite_cli.io import inputs, models, outputs
from bpetite_cli.io.documents import Documents
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
        artifact = models.load_artifact(options.model)
        work.begin_reading("counting", size)
        counts = count_ids(artifact, documents, options, work)
        if outputs.is_terminal() and not options.json:
            work.stream(draw_frequencies(artifact, counts, look_at_output()))
        else:
            lines = map(outputs.json_line, frequency_data(artifact, counts))
            work.send(outputs.complete(lines))


def count_ids(
    artifact: Artifact, documents: Documents, options: argparse.Namespace, work: Work
) -> list[int]:
    """Return how often each id occurs in all documents; the position of a count is the id."""
    counts = [0] * (artifact.highest_id + 1)
    tally = partial(_tally, Tokenizer._of(artifact), options.ordinary)
    with Sharing(tally, arguments.jobs_of(options), len, work) as sharing:
        texts = chain.from_iterable(documents.read(sharing))
        for frequencies in sharing.results(texts, in_order=False):
            for token_id, count in frequencies.items():
                counts[token_id] += count
    return counts


def _tally(tokenizer: Tokenizer, ordinary: bool, batch: list[str]) -> Counter[int]:
    """Count each id of some texts."""
    frequencies: Counter[int] = Counter()
    for text in batch:
        frequencies.update(tokenizer.encode(text, ordinary=ordinary))
    return frequencies


def frequency_data(artifact: Artifact, counts: Sequence[int]) -> Iterator[Frequency]:
    """Yield every token, the most frequent first; the position of a count is the id."""
    table = artifact.table
    for token_id in _in_order(counts):
        yield {**token_fields(token_id, table[token_id]), "count": counts[token_id]}


def draw_frequencies(artifact: Artifact, counts: Sequence[int], screen: Screen) -> Iterator[str]:
    """Yield a row for every token in the same order, and a line about all of them."""
    table = artifact.table
    figures = max(len("count"), len(f"{max(counts):,}"))
    number = len(str(artifact.highest_id))
    title, _ = screen.beside([f"{'count':>{figures}}", f"{'id':>{number}}"])
    yield f"{screen.paint(f'{title}token', 'bold')}\n"
    for token_id in _in_order(counts):
        begin, room = screen.beside([f"{counts[token_id]:>{figures},}", f"{token_id:>{number}}"])
        shown = shortened(table[token_id], room)
        yield f"{begin}{screen.paint(shown, ink_of(artifact, token_id))}\n"
    unused = f"{counts.count(0):,} of {len(counts):,} ids do not occur"
    yield f"{counted(sum(counts), 'token')}; {unused}\n"


def _in_order(counts: Sequence[int]) -> list[int]:
    """Return the ids by falling count; ids with equal counts stay in order."""
    return sorted(range(len(counts)), key=lambda token_id: -counts[token_id])
