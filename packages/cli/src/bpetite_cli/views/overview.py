"""The contents of a tokenizer file, as a page and as JSON."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bpetite._artifact import Artifact
from bpetite._files import quoted
from bpetite_cli.streams.fields import ratio, token_fields, tokenizer_fields
from bpetite_cli.streams.words import text_argument
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import visible
from bpetite_cli.views.census import Census, take_census
from bpetite_cli.views.tokens import counted, shortened

_SCHEMA_VERSION: Final = 1  # `Tokenizer.load` accepts no other
_LONGEST_BAR: Final = 40
_SHOWN: Final = 10


def overview_data(path: str, artifact: Artifact) -> dict[str, object]:
    """Return everything for JSON."""
    census = take_census(artifact.tokens)
    return {
        "path": text_argument(path),
        "file_bytes": artifact.size,
        **tokenizer_fields(artifact.special_id, artifact.sha256),
        "schema_version": _SCHEMA_VERSION,
        "pretokenizer_pattern": artifact.pattern,
        "mean_token_bytes": ratio(sum(map(len, artifact.tokens)), len(artifact.tokens)),
        "longest": [token_fields(place, artifact.tokens[place]) for place in census.longest],
        "lengths": census.lengths,
        "scripts": census.scripts,
        "partial": census.partial,
    }


def draw_overview(path: str, artifact: Artifact, screen: Screen) -> Iterator[str]:
    """Yield the parts of the page."""
    census = take_census(artifact.tokens)
    yield _facts(
        {
            "file": quoted(text_argument(path)),
            "size": counted(artifact.size, "byte"),
            "sha256": artifact.sha256,
            "schema version": str(_SCHEMA_VERSION),
            "tokens": f"{len(artifact.tokens) + 1:,}: 256 bytes, "
            f"{counted(len(artifact.merges), 'merge')}, 1 special token",
            "special token": f"{visible(artifact.special_token)}, id {artifact.special_id}",
            "pattern": artifact.pattern,
        },
        screen,
    )
    yield _title("longest tokens", screen) + _tokens(artifact, census.longest, screen)
    yield _title("tokens by length in bytes", screen) + _bars(_ranges(census.lengths), screen)
    yield _title("tokens by script", screen) + _bars(census.scripts.items(), screen)
    yield _partial(artifact, census, screen)


def _facts(facts: Mapping[str, str], screen: Screen) -> str:
    room = max(map(len, facts)) + 2
    return "".join(
        f"{screen.paint(name, 'bold')}{' ' * (room - len(name))}{fact}\n"
        for name, fact in facts.items()
    )


def _title(title: str, screen: Screen) -> str:
    return f"\n{screen.paint(title, 'bold')}\n"


def _tokens(artifact: Artifact, ids: Iterable[int], screen: Screen) -> str:
    """Return a line for each token: its id, its number of bytes, and the token."""
    rows = [(token_id, artifact.tokens[token_id]) for token_id in ids]
    number = len(str(artifact.special_id))
    size = max((len(f"{len(token):,}") for _, token in rows), default=0)
    room = max(1, screen.width - number - size - 13)
    return "".join(
        f"  {token_id:>{number}}  {len(token):>{size},} bytes  "
        f"{screen.paint(shortened(token, room), 'green')}\n"
        for token_id, token in rows
    )


def _ranges(lengths: Mapping[int, int]) -> list[tuple[str, int]]:
    """Return the number of tokens of each length up to 16, then of 17 to 32, and so on."""
    ranges: list[tuple[str, int]] = []
    last = 0
    longest = max(lengths)
    while last < longest:
        first, last = last + 1, last + 1 if last < 16 else last * 2
        name = str(first) if first == last else f"{first:,} to {last:,}"
        count = sum(count for length, count in lengths.items() if first <= length <= last)
        ranges.append((name, count))
    return ranges


def _bars(rows: Iterable[tuple[str, int]], screen: Screen) -> str:
    """Return a line for each row: its name, count, share and bar."""
    rows = list(rows)
    counts = [count for _, count in rows]
    room, figures = max(len(name) for name, _ in rows), len(f"{max(counts):,}")
    longest = max(0, min(_LONGEST_BAR, screen.width - room - figures - 14))
    lines = []
    for name, count in rows:
        bar = "█" * -(-longest * count // max(counts))  # rounded up, so that every count is visible
        share = f"{count / sum(counts):.1%}"
        line = f"  {name:<{room}}  {count:>{figures},}  {share:>6}  {screen.paint(bar, 'bar')}"
        lines.append(f"{line.rstrip()}\n")
    return "".join(lines)


def _partial(artifact: Artifact, census: Census, screen: Screen) -> str:
    """Return how many tokens are not complete characters, and the merged ones of them."""
    merged = [token_id for token_id in census.partial if token_id >= 256]
    single = len(census.partial) - len(merged)
    kinds = f"{single:,} single bytes, {len(merged):,} merged" if merged else "all single bytes"
    title = f"tokens that are not complete characters: {len(census.partial):,}"
    more = f"  and {len(merged) - _SHOWN:,} more\n" if len(merged) > _SHOWN else ""
    return f"{_title(title, screen)}  {kinds}\n" + _tokens(artifact, merged[:_SHOWN], screen) + more
