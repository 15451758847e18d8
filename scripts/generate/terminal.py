"""Draw `docs/terminal.svg`, the picture of the terminal, from a real run.

    uv run python scripts/draw_terminal.py           write it
    uv run python scripts/draw_terminal.py --check   compare, and exit with 1 if it differs

The commands run in a pseudo-terminal. The picture asks no host for a font, or for
anything else, and is the same, byte for byte, each time it is drawn.
"""

import io
import os
import subprocess
import sys
import sysconfig
import tempfile
import termios
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

_ROOT: Final = Path(__file__).parent.parent
PICTURE: Final = _ROOT / "docs" / "terminal.svg"
_BPETITE: Final = Path(sysconfig.get_path("scripts")) / "bpetite"

TRAIN: Final = ("train", "--vocab-size", "512", "--output", "tokenizer.json", "--input")
COMMANDS: Final = (
    ("show", "--model", "tokenizer.json", "--text", "The ferryman, the river<|endoftext|>船"),
    ("show", "--model", "tokenizer.json", "--text", "the river", "--steps"),
    ("inspect", "--model", "tokenizer.json", "--token", "351"),
)
_COLUMNS: Final = 88

_THEME: Final = TerminalTheme(
    background=(30, 33, 43),
    foreground=(220, 223, 228),
    normal=[
        (46, 51, 64),
        (224, 108, 117),
        (152, 195, 121),
        (229, 192, 123),
        (69, 115, 200),
        (207, 150, 222),
        (110, 190, 208),
        (240, 242, 245),
    ],
)

_FORMAT: Final = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" xml:space="preserve">
<style>
.{unique_id}-matrix {{
font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
font-size: {char_height}px;
line-height: {line_height}px;
}}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> int:
    """Draw the picture, or compare it."""
    drawn = picture()
    if "--check" in sys.argv[1:]:
        return int(drawn != PICTURE.read_text(encoding="utf-8"))
    PICTURE.write_text(drawn, encoding="utf-8")
    print(f"{PICTURE}: {len(drawn.encode()):,} bytes")
    return 0


def picture() -> str:
    """Return the picture, as SVG."""
    console = Console(
        record=True, width=_COLUMNS, file=io.StringIO(), color_system="standard", highlight=False
    )
    with tempfile.TemporaryDirectory() as folder:
        sample = _ROOT / "docs" / "sample.txt"
        subprocess.run([_BPETITE, *TRAIN, sample], cwd=folder, capture_output=True, check=True)
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "green"), (_spoken(command), "bold")))
            console.print(Text.from_ansi(_in_terminal(command, folder)))
    drawn = console.export_svg(
        title="bpetite", theme=_THEME, code_format=_FORMAT, unique_id="terminal"
    )
    return "".join(f"{line.strip()}\n" for line in drawn.splitlines() if line.strip())


def _spoken(command: tuple[str, ...]) -> str:
    """Return a command as it is typed."""
    return " ".join(["bpetite", *(f'"{word}"' if " " in word else word for word in command)])


def _in_terminal(command: tuple[str, ...], folder: str) -> str:
    """Return what a terminal is sent by a command, its failures included."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (50, _COLUMNS))
    environment = {
        name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}
    }
    with subprocess.Popen(
        [_BPETITE, *command],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**environment, "TERM": "xterm"},
    ):
        os.close(theirs)
        sent = b""
        while read := _read(ours):
            sent += read
    os.close(ours)
    return sent.decode("utf-8").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so when the other end is closed
        return b""


if __name__ == "__main__":
    sys.exit(main())
