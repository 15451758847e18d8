"""The look of the pictures: rows of tokens and words on a card, as SVG.

A picture is 360 units wide, so that its letters are readable on a phone. It has its own
background and colors for light and dark, and needs no particular font. A byte is at most 8.5
units wide in any monospaced font that a reader may have.

A color means one thing: gray is a byte, blue a token that merges made, amber the token that the
step in question makes. What is not a token has an outline alone.
"""

from collections.abc import Collection, Sequence
from html import escape
from typing import Final

from bpetite_cli.terminal.visible import visible

WIDTH: Final = 360
LEFT: Final = 16
_LETTER: Final = 8.5
_PAD: Final = 5
_GAP: Final = 3
_ROW: Final = 24
_LONGEST: Final = {"strong": 43}  # bold letters are wider

_STYLE: Final = """\
:root { --card: #ffffff; --ink: #23262b; --quiet: #5c636d; --rule: #d9d5cd; --on: #ffffff;
  --learned: #d5e5f7; --new: #fbdf9d; --byte: #ebe8e2; --accent: #0b63a8; --fault: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --card: #1d2024; --ink: #e6e3dd; --quiet: #a3aab4; --rule: #444a52; --on: #0d1a26;
    --learned: #20405f; --new: #6b5010; --byte: #343940; --accent: #7db8ec; --fault: #ff9d8a; }
}
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink);
  white-space: pre; }
.say { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 13px; }
.quiet { fill: var(--quiet); } .accent { fill: var(--accent); } .fault { fill: var(--fault); }
.id { font-size: 12px; fill: var(--quiet); } .small { font-size: 11px; }
.strong { font-weight: 600; }
.card { fill: var(--card); stroke: var(--rule); }
.byte { fill: var(--byte); } .learned { fill: var(--learned); } .new { fill: var(--new); }
.cut { fill: none; stroke: var(--quiet); stroke-opacity: .6; }
.special { fill: var(--accent); } .on { fill: var(--on); }
.bar { fill: var(--accent); opacity: .35; } .ours { fill: var(--accent); }
.others { fill: var(--quiet); opacity: .5; }
.ring { fill: none; stroke: var(--accent); stroke-width: 2; }
.rule { fill: none; stroke: var(--rule); } .flow { fill: none; stroke: var(--quiet); }
.curve { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.mark { fill: var(--card); stroke: var(--ink); stroke-width: 1.5; }
.out { fill: none; stroke: var(--fault); stroke-width: 2; }
"""


class Drawing:
    """A picture that grows downwards; `y` is the top of the next row."""

    def __init__(self) -> None:
        self.y = 12.0
        self._shapes: list[str] = []

    def say(self, text: str, kind: str = "quiet") -> None:
        """Add a line of words.

        Raises:
            ValueError: the line is too long for the card.
        """
        longest = _LONGEST.get(kind, 50)
        if len(text) > longest:
            message = f"{text!r} has {len(text)} letters, and a line has room for {longest}"
            raise ValueError(message)
        self.text(LEFT, self.y + 15, text, f"say {kind}")
        self.y += 22

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Add a text that begins at `x`, or has its middle or end there, depending on `anchor`."""
        style = f' class="{kind}"' if kind else ""
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        shape = f'<text x="{x:g}" y="{y:g}"{style}{place}>{escape(text, quote=False)}</text>'
        self._shapes.append(shape)

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """Add a box with round corners."""
        self._shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"'
            f' class="{kind}"/>'
        )

    def cell(self, x: float, text: str, kind: str, *, width: float = 0, label: str = "") -> float:
        """Add a text in a box with a label below it; return where the next box begins.

        Raises:
            ValueError: the box would leave the card.
        """
        width = width or len(text) * _LETTER + 2 * _PAD
        if x + width > WIDTH - LEFT / 2:
            message = f"{text!r} has no room in its row"
            raise ValueError(message)
        self.box(x, self.y, width, _ROW, kind)
        style = "on" if kind == "special" else ""
        self.text(x + width / 2, self.y + 17, text, style, "middle")
        if label:
            self.text(x + width / 2, self.y + _ROW + 14, label, "id", "middle")
        return x + width + _GAP

    def cells(self, texts: Sequence[str], kind: str, widths: Sequence[float] = ()) -> None:
        """Add a row of texts in boxes of one kind."""
        x: float = LEFT
        for place, text in enumerate(texts):
            x = self.cell(x, text, kind, width=widths[place] if widths else 0)

    def tokens(
        self,
        tokens: Sequence[bytes],
        ids: Sequence[int] = (),
        *,
        x: float = LEFT,
        ringed: Collection[int] = (),
        special: bytes = b"",
    ) -> float:
        """Add a row of tokens with their ids below; return where it ends.

        `ringed` are the positions of tokens to frame: bytes, or what a merge has just made.
        `special` is the special token.
        """
        for place, token in enumerate(tokens):
            kind = "special" if token == special else kind_of(token, new=place in ringed)
            label = str(ids[place]) if ids else ""
            width = max(len(visible(token)) * _LETTER, len(label) * 7.5) + 2 * _PAD
            after = self.cell(x, visible(token), kind, width=width, label=label)
            if place in ringed:
                self.box(x, self.y, width, _ROW, "ring")
            x = after
        return x

    def note(self, text: str) -> None:
        """Add a few words at the right end of this row."""
        self.text(WIDTH - LEFT, self.y + 17, text, "say quiet", "end")

    def frame(self) -> None:
        """Add a frame around this row."""
        self.box(LEFT - 6, self.y - 3, WIDTH - 2 * LEFT + 12, _ROW + 6, "ring")

    def path(self, points: Sequence[tuple[float, float]], kind: str, dashes: str = "") -> None:
        """Add a line through some points, with the lengths of its dashes and gaps."""
        drawn = "L".join(f"{x:g} {y:g}" for x, y in points)
        style = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes.append(f'<path d="M{drawn}" class="{kind}"{style}/>')

    def arrow(self, points: Sequence[tuple[float, float]]) -> None:
        """Add a line that ends downwards, in an arrow."""
        x, y = points[-1]
        self.path(points, "flow")
        self.path([(x - 4, y - 5), (x, y), (x + 4, y - 5)], "flow")

    def next_row(self, *, labels: bool = False) -> None:
        """Go below a row of boxes, and below their labels."""
        self.y += _ROW + (20 if labels else 6)

    def svg(self, title: str = "", description: str = "") -> str:
        """Return the picture; one that says what it shows has a title and a description."""
        height = self.y + 6
        role = ' role="img" aria-labelledby="title desc"' if title else ""
        frame = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}"'
            f' width="{WIDTH * 1.3:g}" height="{height * 1.3:g}"{role}>'
        )
        said = [
            f'<{tag} id="{tag}">{escape(text, quote=False)}</{tag}>'
            for tag, text in (("title", title), ("desc", description))
            if text
        ]
        ground = (
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="8"'
            ' class="card"/>'
        )
        style = f"<style>\n{_STYLE}</style>"
        return "\n".join([frame, *said, style, ground, *self._shapes, "</svg>", ""])


def kind_of(token: bytes, *, new: bool = False) -> str:
    """Return the kind of a token, which has a color: "byte", "learned" or "new"."""
    return "byte" if len(token) == 1 else "new" if new else "learned"
