"""Panels for `compare-tiktoken`, drawn by rich."""

from collections.abc import Iterable
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Column, Table
from rich.text import Text

from bpetite_cli import for_compare as cli
from bpetite_compare._comparison import Comparison, Tokenization

_WIDE: Final = 72
_MOST_TOKENS: Final = 400
_BEFORE: Final = 40
_STYLES: Final = ("black on cyan", "black on green", "black on yellow", "black on magenta")
_PARTING: Final = "bold white on red"


def draw_comparison(comparison: Comparison, lines: Iterable[str]) -> str:
    """Return two tokenizations side by side, or one above the other, with some lines below."""
    console = Console(highlight=False)
    parting = comparison.difference.token if comparison.difference else None
    colored = console.color_system is not None and not console.no_color
    panels = [
        _panel(side, parting, colored=colored) for side in (comparison.ours, comparison.theirs)
    ]
    with console.capture() as drawn:
        if console.width >= _WIDE:
            grid = Table.grid(Column(ratio=1), Column(ratio=1), expand=True)
            grid.add_row(*panels)
            console.print(grid)
        else:
            console.print(Group(*panels))
        for line in lines:
            console.print(Text(line, overflow="fold"))
    return drawn.get()


def _panel(side: Tokenization, parting: int | None, *, colored: bool) -> RenderableType:
    count = len(side.ids)
    begin = max(0, parting - _BEFORE) if parting is not None and count > _MOST_TOKENS else 0
    text = Text(overflow="fold")
    if begin:
        text.append(f"({begin:,} tokens before)\n", style="italic")
    for place, token in enumerate(side.tokens[begin : begin + _MOST_TOKENS], begin):
        if not colored and place > begin:
            text.append("|")
        style = _PARTING if place == parting else _STYLES[place % len(_STYLES)]
        text.append(cli.visible(token), style=style)
    if (rest := count - begin - _MOST_TOKENS) > 0:
        text.append(f"\n({rest:,} tokens more)", style="italic")
    ratio = f", {side.bytes_per_token:.2f} bytes each" if side.bytes_per_token else ""
    return Panel(
        text,
        title=Text(side.name, style="bold"),
        subtitle=Text(f"{count:,} tokens{ratio}"),
        box=box.ROUNDED,
    )
