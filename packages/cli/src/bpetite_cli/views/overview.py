"""The contents of a tokenizer file, as a page and as JSON."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import nsmallest
from typing import Annotated, Final, TypedDict

from bpetite._inner import Artifact, quoted
from bpetite_cli.fields import Token, TokenizerFile, text_of, token_fields, tokenizer_fields
from bpetite_cli.plugins import Facts, Model
from bpetite_cli.terminal.messages import counted, counted_ids, span
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import escaped, shortened, visible
from bpetite_cli.values import text_argument
from bpetite_cli.views.scripts import kind_of

_LONGEST_BAR: Final = 40
_SHOWN: Final = 10


class Unopened(TypedDict):
    """What is known about a tokenizer that does not open."""

    path: str
    source: Annotated[
        Facts | None,
        "what is known about another form, by topic; null for a tokenizer file",
    ]


class _File(Unopened):
    file_bytes: int


class Overview(_File, TokenizerFile):
    """Everything about a tokenizer file."""

    schema_version: Annotated[int, "the schema version of the tokenizer file"]
    pretokenizer_pattern: Annotated[str, "the text of the pattern, in the syntax of `regex`"]
    whole_tokens: Annotated[int, "tokens for whole chunks, which no merge makes"]
    mean_token_bytes: Annotated[float, "the mean length of mergeable tokens"]
    longest: Annotated[list[Token], "the ten tokens with the most bytes"]
    lengths: Annotated[Mapping[int, int], "mergeable tokens of each length in bytes"]
    scripts: Annotated[Mapping[str, int], "mergeable tokens of each script"]
    partial: Annotated[list[int], "ids of mergeable tokens that are not complete characters"]


def source_data(path: str, facts: Facts | None) -> Unopened:
    """Return what is known about a tokenizer of another form for JSON."""
    return {"path": text_argument(path), "source": facts}


def draw_source(facts: Facts) -> Iterator[str]:
    """Yield what is known about a tokenizer of another form, a line for each fact."""
    for topic, found in facts.items():
        more = [f"and {len(found) - _SHOWN:,} more"] if len(found) > _SHOWN else []
        yield from (escaped(f"{topic}: {fact}\n") for fact in [*found[:_SHOWN], *more])


def overview_data(path: str, model: Model) -> Overview:
    """Return everything for JSON."""
    artifact, file = model.artifact, model.file
    tokens = dict(sorted(zip(artifact.ids, artifact.tokens, strict=False)))  # none is special
    texts = {token_id: text_of(token) for token_id, token in tokens.items()}
    scripts = Counter(map(kind_of, texts.values()))
    longest = nsmallest(_SHOWN, tokens, key=lambda token_id: -len(tokens[token_id]))
    return {
        **source_data(path, model.facts),
        "file_bytes": len(file),
        **tokenizer_fields(artifact, sha256(file).hexdigest()),
        "schema_version": artifact.schema_version,
        "pretokenizer_pattern": artifact.pattern.text,
        "whole_tokens": len(artifact.whole_tokens),
        "mean_token_bytes": round(sum(map(len, artifact.tokens)) / len(artifact.tokens), 4),
        "longest": [token_fields(token_id, tokens[token_id]) for token_id in longest],
        "lengths": dict(sorted(Counter(map(len, tokens.values())).items())),
        "scripts": dict(sorted(scripts.items(), key=lambda item: (-item[1], item[0]))),
        "partial": [token_id for token_id, text in texts.items() if text is None],
    }


def draw_overview(data: Overview, artifact: Artifact, screen: Screen) -> Iterator[str]:
    """Yield the parts of the page."""
    source, whole = data["source"] or {}, data["whole_tokens"]
    if source:
        yield from [*draw_source(source), "\n"]
    special = [] if source else [*data["special_tokens"].values()]  # those of a source are above
    of_ids = {"ids": span(artifact.ids)} if artifact.numbering else {}
    only = {}
    if len(special) == 1:
        only = {"special token": f"{visible(artifact.special_names[0])}, id {special[0]}"}
    facts = {
        "file": quoted(data["path"]),
        "size": counted(data["file_bytes"], "byte"),
        "sha256": data["sha256"],
        **_not_covered(source),
        "schema version": str(data["schema_version"]),
        "vocabulary": f"{counted_ids(data['vocab_size'], len(data['special_tokens']))}: 256 bytes, "
        f"{counted(data['merges'], 'merge')}"
        f"{', ' + counted(whole, 'whole token') if whole else ''}",
        **of_ids,
        "model rows": f"{data['rows']:,}",
        **only,
        "pattern": data["pattern"],
        "pattern text": data["pretokenizer_pattern"],
    }
    room = max(map(len, facts)) + 2
    for name, fact in facts.items():
        yield f"{screen.paint(name, 'bold')}{' ' * (room - len(name))}{fact}\n"
    if len(special) > 1:
        yield _title("special tokens", screen) + _tokens(artifact, special, screen)
    longest = [token["id"] for token in data["longest"]]
    yield _title("longest tokens", screen) + _tokens(artifact, longest, screen)
    yield _title("tokens by length in bytes", screen) + _bars(_ranges(data["lengths"]), screen)
    yield _title("tokens by script", screen) + _bars(data["scripts"].items(), screen)
    yield _partial(artifact, data["partial"], screen)


def _not_covered(facts: Facts) -> Mapping[str, str]:
    """Return which facts about the source are not in the tokenizer file, so nor in its hash."""
    flags = [one for one in facts.get("special token", ()) if not one[-1].isdigit()]
    topics = [f"{topic}s" for topic in ("normalizer", "role") if facts.get(topic)]
    topics += ["flags of special tokens"] if flags else []
    return {"not in sha256": ", ".join(topics)} if topics else {}


def _title(title: str, screen: Screen) -> str:
    return f"\n{screen.paint(title, 'bold')}\n"


def _tokens(artifact: Artifact, ids: Sequence[int], screen: Screen) -> str:
    """Return a line for each of the first tokens: its id, its number of bytes, and the token."""
    digits = len(str(max(artifact.ids)))
    tokens = {token_id: artifact.vocab[token_id] for token_id in ids[:_SHOWN]}
    size = max((len(f"{len(token):,}") for token in tokens.values()), default=0)
    lines = ""
    for token_id, token in tokens.items():
        begin, room = screen.beside([f"  {token_id:>{digits}}", f"{len(token):>{size},} bytes"])
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
        first = last + 1
        last = first if first <= 16 else last * 2
        name = str(first) if first == last else f"{first:,} to {last:,}"
        count = sum(count for length, count in lengths.items() if first <= length <= last)
        ranges.append((name, count))
    return ranges


def _bars(rows: Collection[tuple[str, int]], screen: Screen) -> str:
    """Return a line for each row: its name, count, share and bar."""
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
    """Return how many tokens are not complete characters, and the longer ones of them."""
    longer = [token_id for token_id in partial if len(artifact.vocab[token_id]) > 1]
    single = len(partial) - len(longer)
    kinds = f"{single:,} single bytes, {len(longer):,} longer" if longer else "all single bytes"
    title = f"tokens that are not complete characters: {len(partial):,}"
    return f"{_title(title, screen)}  {kinds}\n" + _tokens(artifact, longer, screen)
