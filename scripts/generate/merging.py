"""The moving picture of the README, docs/merging.svg: how merges turn a sentence into tokens.

The merges are those of the explorer's sample for prose. Each step is drawn on the one before, and
CSS shows it at its time: the picture plays a few times and then stands still. Without CSS, or for
readers who want less motion, it shows the end.
"""

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from generate.command import ROOT

SENTENCE: Final = "The ferryman came down to the landing before the evening bells."
_BREAK: Final = len("The ferryman came down to the")
"""The number of letters in the first line."""

_LEFT: Final = 18
_CELL: Final = 13
_BOX: Final = 30
_TOP: Final = 42
_LINE: Final = 58
_WIDTH: Final = 2 * _LEFT + _CELL * (len(SENTENCE) - _BREAK)
_HEIGHT: Final = _TOP + 2 * _LINE + 2
_START_SECONDS: Final = 1.2
_STEP_SECONDS: Final = 0.2
_END_SECONDS: Final = 5.0
_TIMES: Final = 3

_STYLE: Final = """\
:root { --card: #ffffff; --ink: #23262b; --quiet: #5c636d; --rule: #d9d5cd; --plain: #f1efeb;
  --odd: #d5e5f7; --even: #fbeccb; --accent: #0b63a8; }
@media (prefers-color-scheme: dark) {
  :root { --card: #1d2024; --ink: #e6e3dd; --quiet: #a3aab4; --rule: #444a52; --plain: #2a2e34;
    --odd: #20405f; --even: #554319; --accent: #7db8ec; }
}
text { font: 19px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink);
  text-anchor: middle; }
.say { font: 14px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--quiet);
  text-anchor: start; }
.right { text-anchor: end; }
.id { font-size: 12px; fill: var(--quiet); }
.card { fill: var(--card); stroke: var(--rule); } .cover { fill: var(--card); }
.byte { fill: var(--plain); } .odd { fill: var(--odd); } .even { fill: var(--even); }
.step { stroke-opacity: 0; }
.token { stroke: var(--accent); stroke-width: 2; }
"""


class Token(NamedTuple):
    """A token of the sentence: its id, and where it begins and ends."""

    token_id: int
    start: int
    end: int


class Step(NamedTuple):
    """A merge that changes the sentence, or nothing, and the tokens after it."""

    words: str
    tokens: list[Token]


def files() -> dict[Path, str]:
    """Return the picture."""
    return {Path("docs/merging.svg"): draw(replay(read_merges()))}


def read_merges() -> list[tuple[int, int]]:
    """Return the merges of the sample for prose."""
    sample = json.loads((ROOT / "docs" / "samples" / "prose.json").read_text(encoding="ascii"))
    return [(left, right) for left, right in sample["merges"]]


def replay(merges: Sequence[tuple[int, int]]) -> list[Step]:
    """Return the bytes, then each merge that changes the sentence, then the tokens at the end.

    In this sentence, no merge of the sample joins two chunks, so it need not be split.
    """
    tokens = [Token(byte, place, place + 1) for place, byte in enumerate(SENTENCE.encode("ascii"))]
    steps = [Step("Each byte is a token.", tokens)]
    for rank, pair in enumerate(merges):
        merged: list[Token] = []
        words = ""
        for token in tokens:
            if merged and (merged[-1].token_id, token.token_id) == pair:
                left = merged.pop()
                merged.append(Token(256 + rank, left.start, token.end))
                parts = f"{_text(left)} + {_text(token)} makes {_text(merged[-1])}"
                words = words or f"rank {rank}: {parts}"
            else:
                merged.append(token)
        tokens = merged
        if words:
            steps.append(Step(words, tokens))
    return [*steps, Step(f"{len(steps) - 1} merges later: the tokens and their ids.", tokens)]


def _text(token: Token) -> str:
    """Return the letters of a token, with dots for spaces."""
    return SENTENCE[token.start : token.end].replace(" ", "·")


def draw(steps: Sequence[Step]) -> str:
    """Return the picture: a group for each step, with what is new in it, then the letters."""
    groups = []
    end, drawn = steps[-1].tokens, set[Token]()
    for number, (words, tokens) in enumerate(steps):
        boxes = [_box(token, end) for token in tokens if token not in drawn]
        drawn.update(tokens)
        groups.append(
            f'<g class="step s{number}">'
            f'<rect x="{_LEFT}" y="8" width="{_WIDTH - 2 * _LEFT}" height="24" class="cover"/>'
            f'<text x="{_LEFT}" y="25" class="say">{escape(words)}</text>'
            f'<text x="{_WIDTH - _LEFT}" y="25" class="say right">{len(tokens)} tokens</text>'
            f"{''.join(boxes)}</g>"
        )
    shown = f'width="640" height="{640 * _HEIGHT // _WIDTH}"'  # on a page; a phone shrinks it
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {shown}>',
        f"<style>\n{_STYLE}{_motion(len(steps))}</style>",
        f'<rect x="0.5" y="0.5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="8" class="card"/>',
        *groups,
        f'<g class="step s{len(steps) - 1}">{"".join(map(_id, end))}</g>',
        *(_letters(start, stop) for start, stop in ((0, _BREAK), (_BREAK, len(SENTENCE)))),
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _motion(count: int) -> str:
    """Return rules that show each step at its time; its new tokens have an edge at first."""
    times = [_START_SECONDS + _STEP_SECONDS * number for number in range(count)]
    whole = times[-1] + _END_SECONDS
    rules = f"  .step {{ animation: {whole:.1f}s step-end {_TIMES}; }}\n"
    for number in range(1, count):
        begin, end = (f"{100 * time / whole:.2f}%" for time in times[number - 1 : number + 1])
        rules += (
            f"  .s{number} {{ animation-name: s{number}; }} @keyframes s{number} {{ "
            f"0% {{ visibility: hidden }} {begin} {{ visibility: visible; stroke-opacity: 1 }} "
            f"{end} {{ visibility: visible; stroke-opacity: 0 }} }}\n"
        )
    return f"@media (prefers-reduced-motion: no-preference) {{\n{rules}}}\n"


def _box(token: Token, end: Sequence[Token]) -> str:
    """Return the box of a token, in the color of the token that it becomes a part of."""
    place = sum(one.start <= token.start for one in end)
    color = "byte" if token.token_id < 256 else ("even", "odd")[place % 2]
    x, y = _corner(token.start)
    width = _CELL * (token.end - token.start) - 2
    return (
        f'<rect x="{x + 1}" y="{y}" width="{width}" height="{_BOX}" rx="4" class="token {color}"/>'
    )


def _letters(start: int, stop: int) -> str:
    """Return a line of the sentence, letter by letter: no font changes their places."""
    places = " ".join(str(_corner(place)[0] + _CELL / 2) for place in range(start, stop))
    text = escape(SENTENCE[start:stop].replace(" ", "·"))
    return f'<text x="{places}" y="{_corner(start)[1] + 21}">{text}</text>'


def _id(token: Token) -> str:
    """Return an id below its token."""
    x, y = _corner(token.start)
    middle = x + _CELL * (token.end - token.start) / 2
    return f'<text x="{middle}" y="{y + _BOX + 14}" class="id">{token.token_id}</text>'


def _corner(place: int) -> tuple[int, int]:
    """Return the upper left corner of a letter."""
    row, column = (0, place) if place < _BREAK else (1, place - _BREAK)
    return _LEFT + _CELL * column, _TOP + _LINE * row
