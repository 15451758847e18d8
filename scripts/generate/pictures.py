"""The pictures of ways: of a text, of a corpus, and of a reader through the pages.

What they show is computed from docs/sample.txt. They are drawn as the course's pictures.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from bpetite import Tokenizer
from bpetite._patterns import PATTERNS
from bpetite_cli.terminal.visible import visible
from drawing import LEFT, WIDTH, Drawing, kind_of
from generate.command import ROOT

FOLDER: Final = Path("docs/pictures")
TEXT: Final = "The river, the clerk"
"""The text of docs/first-steps.md."""

_SIZE: Final = 512
_SMALL: Final = 6.7
"""The width of a small letter in any monospaced font."""


class Made(NamedTuple):
    """A token that a merge made of some bytes of a chunk.

    start, end: the bytes.
    rank: the rank of the merge.
    level: how many merges lie one above the other in the token.
    """

    start: int
    end: int
    rank: int
    level: int


def files() -> dict[Path, str]:
    """Return the pictures."""
    return {
        FOLDER / "text-way.svg": _text_way(),
        FOLDER / "corpus-way.svg": _corpus_way(),
        FOLDER / "which-page.svg": _which_page(),
    }


def sample() -> str:
    """Return the text of docs/sample.txt, with its newlines as they are."""
    return (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")


def made_of(chunk: bytes, merges: Sequence[tuple[int, int]]) -> list[Made]:
    """Return what the merges make of a chunk, in their order."""
    found: list[Made] = []
    parts = [(byte, Made(place, place + 1, -1, 0)) for place, byte in enumerate(chunk)]
    for rank, pair in enumerate(merges):
        place = 0
        while place + 1 < len(parts):
            (left, before), (right, after) = parts[place : place + 2]
            if (left, right) == pair:
                level = 1 + max(before.level, after.level)
                found.append(Made(before.start, after.end, rank, level))
                parts[place : place + 2] = [(256 + rank, found[-1])]
            place += 1
    return found


def _text_way() -> str:
    """Draw a text, its chunks, their bytes, the merges that join them, and the ids."""
    tokenizer = Tokenizer.train(sample(), _SIZE)
    ids = tokenizer.encode(TEXT)
    chunks = [chunk.encode("utf-8") for chunk in PATTERNS["gpt2"].split(TEXT)]
    drawing = Drawing()
    _label(drawing, "text")
    drawing.cell(_CELLS, visible(TEXT.encode("utf-8")), "cut")
    drawing.next_row()
    for some in (chunks[:2], chunks[2:]):
        drawing.y += 4
        _draw_chunks(drawing, some, tokenizer._artifact.merges)
    drawing.y += 2
    drawing.say(f"A model reads {' '.join(map(str, ids))}.", "strong")
    drawing.say("Blue: a token that a merge made, with its rank.")
    drawing.say("The lowest rank was learned first and goes first.")
    return drawing.svg(
        "The way of a text to its ids",
        f"The text {TEXT!r} is cut into {len(chunks)} chunks, and each chunk into bytes."
        " Merges join adjacent tokens, the lowest rank first, until each chunk is one token."
        f" The ids are {', '.join(map(str, ids))}.",
    )


_CELLS: Final = 72
_WIDE: Final = 24.4
_APART: Final = 4
_BAR: Final = 22


def _draw_chunks(
    drawing: Drawing, chunks: Sequence[bytes], merges: Sequence[tuple[int, int]]
) -> None:
    """Draw chunks beside each other, from their text down to their ids."""
    made = [made_of(chunk, merges) for chunk in chunks]
    top, deepest = drawing.y, max(one.level for each in made for one in each)
    rows = ("chunks", "bytes", "merges", *[""] * (deepest - 1), "ids")
    for name in rows:
        if name:
            _label(drawing, name)
        drawing.y += _BAR + 4
    bottom = drawing.y - _BAR - 4
    x: float = _CELLS
    for chunk, tokens in zip(chunks, made, strict=True):
        drawing.y = top
        wide = len(chunk) * _WIDE - 2
        _bar(drawing, x, wide, "cut", visible(chunk))
        drawing.y += _BAR + 4
        for place, byte in enumerate(chunk):
            _bar(drawing, x + place * _WIDE, _WIDE - 2, "byte", str(byte))
        for start, end, rank, level in tokens:
            drawing.y = top + (level + 1) * (_BAR + 4)
            token = chunk[start:end]
            left, width = x + start * _WIDE, (end - start) * _WIDE - 2
            _bar(drawing, left, width, kind_of(token), visible(token), str(rank))
        drawing.path([(x + wide / 2, drawing.y + _BAR), (x + wide / 2, bottom)], "flow")
        drawing.y = bottom
        token_id = 256 + tokens[-1].rank if tokens else chunk[0]
        _bar(drawing, x, wide, kind_of(chunk), str(token_id))
        x += len(chunk) * _WIDE + _APART
    drawing.y = bottom + _BAR + 4


def _bar(drawing: Drawing, x: float, width: float, kind: str, text: str, rank: str = "") -> None:
    """Draw a text in a box, with a rank at its right end."""
    drawing.box(x, drawing.y, width, _BAR, kind)
    if rank:
        drawing.text(x + 4, drawing.y + 16, text)
        drawing.text(x + width - 4, drawing.y + 16, rank, "small quiet", "end")
    else:
        size = "small" if kind == "byte" else ""
        drawing.text(x + width / 2, drawing.y + 16, text, size, "middle")


def _label(drawing: Drawing, name: str) -> None:
    drawing.text(LEFT, drawing.y + 16, name, "say quiet")


_SHARDS: Final = 3
_SHARD: Final = 102
_NEXT: Final = 109
_BESIDE: Final = LEFT + _SHARDS * _NEXT + 4
"""Where the line goes that leads the shards past training."""


def _corpus_way() -> str:
    """Draw shards, their counts, the tokenizer, and the shards' ids, with the commands."""
    shards = _shards(sample())
    split = PATTERNS["gpt4"].split
    counts = [Counter(split(shard)) for shard in shards]
    total = sum(counts, Counter[str]())
    shown = [chunk for chunk, _ in sorted(total.items(), key=lambda one: (-one[1], one[0]))[:3]]
    tokenizer = Tokenizer.train(total, _SIZE, pattern="gpt4")
    drawing = Drawing()
    beside = drawing.y + 23
    _files(drawing, [(f"{n}.txt", [_start(shard)]) for n, shard in enumerate(shards)])
    _command(drawing, "bpetite chunks", "each shard on its own machine")
    lines = [[f"{visible(one.encode()):<6}{each[one]:>4}" for one in shown] for each in counts]
    _files(drawing, [(f"counts-{n}.jsonl", each) for n, each in enumerate(lines)])
    _command(drawing, "bpetite train --counts", "one machine, from all counts")
    chunk = shown[0]
    (token_id,) = tokenizer.encode(chunk)
    learned = f"{visible(chunk.encode())}, counted {total[chunk]} times, is token {token_id}"
    _file(drawing, LEFT, _SHARDS * _NEXT - 7, "tokenizer.json", [learned])
    drawing.y += _height(1)
    middle = drawing.y + 21
    _command(drawing, "bpetite encode --output-dir ids", "each shard again")
    end = _BESIDE - 36
    turns = [(LEFT + _SHARDS * _NEXT - 7, beside), (_BESIDE, beside), (_BESIDE, middle)]
    drawing.path([*turns, (end, middle)], "flow")
    drawing.path([(end + 5, middle - 4), (end, middle), (end + 5, middle + 4)], "flow")
    ids = [" ".join(map(str, tokenizer.encode(shard)[:3])) for shard in shards]
    _files(drawing, [(f"ids/{n}.txt.u16", [f"{each} …"]) for n, each in enumerate(ids)])
    return drawing.svg(
        "The way of a corpus to its ids",
        "bpetite chunks counts the chunks of each shard. bpetite train --counts learns one"
        " tokenizer from all counts. bpetite encode --output-dir writes the ids of each shard,"
        " two bytes for each id.",
    )


def _shards(text: str) -> list[str]:
    """Return a text in parts of about the same length, each cut before a space."""
    places = [text.index(" ", len(text) * n // _SHARDS) for n in range(1, _SHARDS)]
    return [text[start:end] for start, end in pairwise([0, *places, len(text)])]


def _start(text: str) -> str:
    return visible(text[:11].encode()) + "…"


def _files(drawing: Drawing, rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    for place, (name, lines) in enumerate(rows):
        _file(drawing, LEFT + place * _NEXT, _SHARD, name, lines)
    drawing.y += _height(len(rows[0][1]))


def _file(drawing: Drawing, x: float, width: float, name: str, lines: Sequence[str]) -> None:
    """Draw a file: its name, and some of what it contains."""
    drawing.box(x, drawing.y, width, _height(len(lines)), "cut")
    drawing.text(x + 5, drawing.y + 15, name, "small strong")
    for place, line in enumerate(lines):
        if len(line) * _SMALL > width - 8:
            raise ValueError(f"{line!r} has no room in {name}")
        drawing.text(x + 5, drawing.y + 31 + 14 * place, line, "small quiet")


def _height(lines: int) -> int:
    return 24 + 14 * lines


def _command(drawing: Drawing, command: str, where: str) -> None:
    """Draw an arrow with the command that makes the next files."""
    drawing.arrow([(LEFT + 12, drawing.y + 3), (LEFT + 12, drawing.y + 39)])
    drawing.text(LEFT + 26, drawing.y + 18, command)
    drawing.text(LEFT + 26, drawing.y + 34, where, "say quiet")
    drawing.y += 43


PAGES: Final[Mapping[str, Mapping[str, str]]] = {
    "Learn": {"watch each merge": "explorer", "write a tokenizer": "course"},
    "Train your own": {
        "from a text to a model": "your-own",
        "on many machines": "large-corpora",
    },
    "Open a model's": {
        "count or show a text with it": "models",
        "add a language": "extend",
        "keep only what you need": "shrink",
    },
    "Use it in a program": {
        "with other tools": "use-with",
        "a name of another library": "looking-for",
        "each command and method": "reference",
    },
    "Trust it": {"beside other libraries": "comparison", "what is proved": "proof"},
}
"""What a reader wants, and the page or the folder in docs/ that has it."""


def _which_page() -> str:
    """Draw the tree of what a reader wants, with a page at the end of each branch."""
    drawing = Drawing()
    drawing.say("What do you want to do?", "strong")
    trunk, forks = drawing.y, []
    for wanted, pages in PAGES.items():
        drawing.y += 6
        forks.append(drawing.y + 10)
        drawing.path([(LEFT + 4, forks[-1]), (LEFT + 16, forks[-1])], "flow")
        drawing.text(LEFT + 20, drawing.y + 15, wanted, "say strong")
        drawing.y += 22
        start = drawing.y - 2
        for need, page in pages.items():
            middle = drawing.y + 11
            drawing.path([(LEFT + 26, middle), (LEFT + 36, middle)], "flow")
            drawing.text(LEFT + 40, drawing.y + 15, need, "say quiet")
            width = len(page) * 8.5 + 12
            drawing.box(WIDTH - LEFT - width, drawing.y, width, 22, "cut")
            drawing.text(WIDTH - LEFT - width / 2, drawing.y + 15.5, page, "accent", "middle")
            drawing.y += 26
        drawing.path([(LEFT + 26, start), (LEFT + 26, middle)], "flow")
    drawing.path([(LEFT + 4, trunk - 4), (LEFT + 4, forks[-1])], "flow")
    said = (
        f"{wanted}: {', '.join(f'{need}: {page}' for need, page in pages.items())}."
        for wanted, pages in PAGES.items()
    )
    return drawing.svg("Which page you need", " ".join(said))
