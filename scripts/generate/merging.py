"""The moving picture of the README, docs/merging.svg: how merges turn a sentence into tokens.

The merges are those of the explorer's sample for prose. CSS moves the picture: it plays a few
times and then stands still. Without CSS, or for readers who want less motion, it shows the end.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

_ROOT: Final = Path(__file__).parents[2]
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
.card { fill: var(--card); stroke: var(--rule); }
.byte { fill: var(--plain); } .odd { fill: var(--odd); } .even { fill: var(--even); }
.token { stroke: var(--accent); stroke-width: 2; stroke-opacity: 0; }
.past { visibility: hidden; }
"""


class Token(NamedTuple):
    """A token of the sentence: its id, and where it begins and ends."""

    token_id: int
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its letters, with dots for spaces."""
        return SENTENCE[self.start : self.end].replace(" ", "·")


class Step(NamedTuple):
    """A merge that changes the sentence, or nothing, and the tokens after it."""

    words: str
    tokens: list[Token]


def files() -> dict[Path, str]:
    """Return the picture."""
    return {Path("docs/merging.svg"): draw(replay(read_merges()))}


def read_merges() -> list[tuple[int, int]]:
    """Return the merges of the sample for prose."""
    sample = json.loads((_ROOT / "docs" / "samples" / "prose.json").read_text(encoding="ascii"))
    return [(left, right) for left, right in sample["merges"]]


def replay(merges: Sequence[tuple[int, int]]) -> list[Step]:
    """Return the bytes, then each merge that changes the sentence, then the tokens at the end.

    In this sentence, no merge of the sample joins two chunks, so it need not be split.
    """
    tokens = [Token(byte, place, place + 1) for place, byte in enumerate(SENTENCE.encode("ascii"))]
    steps = [Step("Each byte is a token.", tokens)]
    for rank, pair in enumerate(merges):
        before, tokens = tokens, list(_merged(tokens, pair, 256 + rank))
        if tokens != before:
            new = next(token for token in tokens if token.token_id == 256 + rank)
            left, right = (token.text for token in before if new.start <= token.start < new.end)
            steps.append(Step(f"rank {rank}: {left} + {right} makes {new.text}", tokens))
    return [*steps, Step(f"{len(steps) - 1} merges later: the tokens and their ids.", tokens)]


def _merged(tokens: Sequence[Token], pair: tuple[int, int], new: int) -> Iterator[Token]:
    """Yield the tokens after a merge."""
    waiting = tokens[0]
    for token in tokens[1:]:
        if (waiting.token_id, token.token_id) == pair:
            waiting = Token(new, waiting.start, token.end)
        else:
            yield waiting
            waiting = token
    yield waiting


def draw(steps: Sequence[Step]) -> str:
    """Return the picture; a class names the first and the last step of everything that moves."""
    end = len(steps) - 1
    lives: dict[Token, tuple[int, int]] = {}
    for place, step in enumerate(steps):
        for token in step.tokens:
            lives[token] = lives.get(token, (place, place))[0], place
    shown = f'width="640" height="{640 * _HEIGHT // _WIDTH}"'  # on a page; a phone shrinks it
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {shown}>',
        f"<style>\n{_STYLE}{''.join(_motion(lives.values(), end))}</style>",
        f'<rect x="0.5" y="0.5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="8" class="card"/>',
        *(_words(step, _moving((place, place), end)) for place, step in enumerate(steps)),
        *(_box(token, steps[-1].tokens, _moving(life, end)) for token, life in lives.items()),
        *(_letters(start, stop) for start, stop in ((0, _BREAK), (_BREAK, len(SENTENCE)))),
        f'<g class="{_moving((end, end), end)}">{"".join(map(_id, steps[-1].tokens))}</g>',
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _moving(life: tuple[int, int], end: int) -> str:
    """Return the classes of something that is visible from one step to another."""
    first, last = life
    return f"moving s{first}-{last}" + ("" if last == end else " past")


def _motion(lives: Iterable[tuple[int, int]], end: int) -> Iterator[str]:
    """Yield rules that show and hide everything at its time; a new token has an edge at first."""
    times = [0.0, *(_START_SECONDS + _STEP_SECONDS * step for step in range(end))]
    whole = times[-1] + _END_SECONDS
    at = [f"{100 * time / whole:.2f}%" for time in times]
    steps = [(step, step) for step in range(end + 1)]
    yield "@media (prefers-reduced-motion: no-preference) {\n"
    yield f"  .moving {{ animation: {whole:.1f}s step-end {_TIMES}; }}\n"
    for first, last in sorted({*lives, *steps}):
        name = f"s{first}-{last}"
        frames = "0% { visibility: hidden } " if first else ""
        frames += f"{at[first]} {{ visibility: visible; stroke-opacity: {1 if first else 0} }}"
        if first < last:
            frames += f" {at[first + 1]} {{ visibility: visible; stroke-opacity: 0 }}"
        if last < end:
            frames += f" {at[last + 1]} {{ visibility: hidden }}"
        yield f"  .{name} {{ animation-name: {name}; }} @keyframes {name} {{ {frames} }}\n"
    yield "}\n"


def _words(step: Step, moving: str) -> str:
    """Return the words of a step and the number of its tokens."""
    return (
        f'<g class="{moving}"><text x="{_LEFT}" y="25" class="say">{escape(step.words)}</text>'
        f'<text x="{_WIDTH - _LEFT}" y="25" class="say right">{len(step.tokens)} tokens</text></g>'
    )


def _box(token: Token, tokens: Sequence[Token], moving: str) -> str:
    """Return the box of a token, in the color of the token that it becomes a part of."""
    place = sum(one.start <= token.start for one in tokens)
    color = "byte" if token.token_id < 256 else ("even", "odd")[place % 2]
    x, y = _corner(token.start)
    width = _CELL * (token.end - token.start) - 2
    return (
        f'<rect x="{x + 1}" y="{y}" width="{width}" height="{_BOX}" rx="4" '
        f'class="token {color} {moving}"/>'
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
