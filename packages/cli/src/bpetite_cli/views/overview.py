"""The contents of a tokenizer file, as a page and as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Annotated, Final, TypedDict

from bpetite._artifact import Artifact
from bpetite._quoting import quoted
from bpetite._schema.versions import version_of
from bpetite_cli.fields import Token, Tokenizer, text_of, token_fields, tokenizer_fields
from bpetite_cli.terminal.messages import counted
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import shortened, visible
from bpetite_cli.values import text_argument
from bpetite_cli.views.scripts import kind_of

_LONGEST_BAR: Final = 40
_SHOWN: Final = 10


class Census(TypedDict):
    """Statistics of the mergeable tokens."""

    longest: Annotated[list[Token], "the ten tokens with the most bytes"]
    lengths: Annotated[Mapping[int, int], "mergeable tokens of each length in bytes"]
    scripts: Annotated[Mapping[str, int], "mergeable tokens of each script"]
    partial: Annotated[list[int], "ids of mergeable tokens that are not complete characters"]


class _File(TypedDict):
    path: str
    file_bytes: int


class _Content(_File, Tokenizer):
    schema_version: Annotated[int, "the schema version of the tokenizer file"]
    pretokenizer_pattern: Annotated[str, "the text of the pattern in the tokenizer file"]
    mean_token_bytes: Annotated[float, "the mean length of the mergeable tokens in bytes"]


class Overview(_Content, Census):
    """Everything about a tokenizer file."""


def overview_data(path: str, artifact: Artifact) -> Overview:
    """Return everything for JSON."""
    return {
        "path": text_argument(path),
        "file_bytes": artifact.file_bytes,
        **tokenizer_fields(artifact, artifact.sha256),
        "schema_version": _schema_version(artifact),
        "pretokenizer_pattern": artifact.pattern.text,
        "mean_token_bytes": round(sum(map(len, artifact.tokens)) / len(artifact.tokens), 4),
        **take_census(artifact.tokens),
    }


def _schema_version(artifact: Artifact) -> int:
    # A file has the lowest version that can hold it; `Artifact.read` rejects others.
    return version_of(artifact.pattern, artifact.special_names).number


def draw_overview(path: str, artifact: Artifact, screen: Screen) -> Iterator[str]:
    """Yield the parts of the page."""
    census = take_census(artifact.tokens)
    longest = [token["id"] for token in census["longest"]]
    special = [*artifact.special_tokens.values()]
    only = (f"{visible(name)}, id {special[0]}" for name in artifact.special_names[:1])
    facts = {
        "file": quoted(text_argument(path)),
        "size": counted(artifact.file_bytes, "byte"),
        "sha256": artifact.sha256,
        "schema version": str(_schema_version(artifact)),
        "tokens": f"{artifact.highest_id + 1:,}: 256 bytes, "
        f"{counted(len(artifact.merges), 'merge')}, {counted(len(special), 'special token')}",
        "special token": next(only, ""),
        "pattern": artifact.pattern.name,
        "pattern text": artifact.pattern.text,
    }
    if len(special) != 1:
        del facts["special token"]
    room = max(map(len, facts)) + 2
    for name, fact in facts.items():
        yield f"{screen.paint(name, 'bold')}{' ' * (room - len(name))}{fact}\n"
    if len(special) > 1:
        yield _title("special tokens", screen) + _tokens(artifact, special, screen)
    yield _title("longest tokens", screen) + _tokens(artifact, longest, screen)
    yield _title("tokens by length in bytes", screen) + _bars(_ranges(census["lengths"]), screen)
    yield _title("tokens by script", screen) + _bars(census["scripts"].items(), screen)
    yield _partial(artifact, census["partial"], screen)


def _title(title: str, screen: Screen) -> str:
    return f"\n{screen.paint(title, 'bold')}\n"


def _tokens(artifact: Artifact, ids: Sequence[int], screen: Screen) -> str:
    """Return a line for each of the first tokens: its id, its number of bytes, and the token."""
    number = len(str(artifact.highest_id))
    tokens = {token_id: artifact.bytes_of(token_id) for token_id in ids[:_SHOWN]}
    size = max((len(f"{len(token):,}") for token in tokens.values()), default=0)
    lines = ""
    for token_id, token in tokens.items():
        begin, room = screen.beside([f"  {token_id:>{number}}", f"{len(token):>{size},} bytes"])
        shown = shortened(token, room)
        special = artifact.is_special(token_id)
        lines += f"{begin}{screen.paint(shown, 'special' if special else 'green')}\n"
    more = f"  and {len(ids) - _SHOWN:,} more\n" if len(ids) > _SHOWN else ""
    return lines + more


def _ranges(lengths: Mapping[int, int]) -> list[tuple[str, int]]:
    """Return the number of tokens of each length up to 16, then of 17 to 32, and so on."""
    ranges: list[tuple[str, int]] = []
    last = 0
    while last < max(lengths):
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
    room = min(room, screen.width - figures - 4)
    longest = max(0, min(_LONGEST_BAR, screen.width - room - figures - 14))
    lines = []
    for name, count in rows:
        bar = "█" * -(-longest * count // max(counts))  # rounded up, so that every count is visible
        share = f"{count / sum(counts):.1%}"
        name = name if len(name) <= room else f"{name[: room - 1]}…"  # noqa: PLW2901
        line = f"  {name:<{room}}  {count:>{figures},}"
        if len(line) + 8 <= screen.width:
            line = f"{line}  {share:>6}  {screen.paint(bar, 'bar')}".rstrip()
        lines.append(f"{line}\n")
    return "".join(lines)


def _partial(artifact: Artifact, partial: Sequence[int], screen: Screen) -> str:
    """Return how many tokens are not complete characters, and the merged ones of them."""
    merged = [token_id for token_id in partial if token_id >= 256]
    single = len(partial) - len(merged)
    kinds = f"{single:,} single bytes, {len(merged):,} merged" if merged else "all single bytes"
    title = f"tokens that are not complete characters: {len(partial):,}"
    return f"{_title(title, screen)}  {kinds}\n" + _tokens(artifact, merged, screen)


def take_census(tokens: Sequence[bytes]) -> Census:
    """Return the statistics of tokens; the position of a token is its id."""
    texts = [text_of(token) for token in tokens]
    scripts = Counter(map(kind_of, texts))
    longest = nsmallest(_SHOWN, range(len(tokens)), key=lambda place: -len(tokens[place]))
    return {
        "longest": [token_fields(token_id, tokens[token_id]) for token_id in longest],
        "lengths": dict(sorted(Counter(map(len, tokens)).items())),
        "scripts": dict(sorted(scripts.items(), key=lambda item: (-item[1], item[0]))),
        "partial": [token_id for token_id, text in enumerate(texts) if text is None],
    }
