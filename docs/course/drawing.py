"""The look of the course's pictures: rows of tokens and words on a card, as SVG.

A picture is 360 units wide, so that its letters are readable on a phone. It has its own
background and colors for light and dark, and needs no particular font. A byte is at most 8.5
units wide in any monospaced font that a reader may have.
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
_LONGEST: Final = 50

_STYLE: Final = """\
:root { --card: #ffffff; --ink: #23262b; --quiet: #5c636d; --rule: #d9d5cd; --on: #ffffff;
  --token: #d5e5f7; --plain: #f1efeb; --accent: #0b63a8; --fault: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --card: #1d2024; --ink: #e6e3dd; --quiet: #a3aab4; --rule: #444a52; --on: #0d1a26;
    --token: #20405f; --plain: #2a2e34; --accent: #7db8ec; --fault: #ff9d8a; }
}
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink);
  white-space: pre; }
.say { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-size: 13px; }
.quiet { fill: var(--quiet); } .accent { fill: var(--accent); } .fault { fill: var(--fault); }
.id { font-size: 12px; fill: var(--quiet); }
.card { fill: var(--card); stroke: var(--rule); }
.token { fill: var(--token); } .plain { fill: var(--plain); }
.special { fill: var(--accent); } .on { fill: var(--on); }
.bar { fill: var(--accent); opacity: .35; }
.ring { fill: none; stroke: var(--accent); stroke-width: 2; }
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
        if len(text) > _LONGEST:
            message = f"{text!r} has {len(text)} letters, and a line has room for {_LONGEST}"
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

    def cells(
        self, texts: Sequence[str], kinds: str | Sequence[str], widths: Sequence[float] = ()
    ) -> None:
        """Add a row of texts in boxes, of one kind or each of its own."""
        x: float = LEFT
        for place, text in enumerate(texts):
            width = widths[place] if widths else 0
            kind = kinds if isinstance(kinds, str) else kinds[place]
            x = self.cell(x, text, kind, width=width)

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

        A single byte is gray, and what was joined is blue. `ringed` are the positions of tokens
        to frame, and `special` is the special token.
        """
        for place, token in enumerate(tokens):
            kind = "special" if token == special else "token" if len(token) > 1 else "plain"
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

    def next_row(self, *, labels: bool = False) -> None:
        """Go below a row of boxes, and below their labels."""
        self.y += _ROW + (20 if labels else 6)

    def svg(self) -> str:
        """Return the picture."""
        height = self.y + 6
        frame = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}"'
            f' width="{WIDTH * 1.3:g}" height="{height * 1.3:g}">'
        )
        ground = (
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="8"'
            ' class="card"/>'
        )
        style = f"<style>\n{_STYLE}</style>"
        return "\n".join([frame, style, ground, *self._shapes, "</svg>", ""])
