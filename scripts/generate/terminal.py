"""The picture of a terminal, docs/terminal.svg, from a real run in a pseudo-terminal.

The picture loads no fonts or other files, and is identical, byte for byte, each time.
"""

import io
import os
import re
import subprocess
import sysconfig
import tempfile
import termios
from pathlib import Path
from typing import Final

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

_SAMPLE: Final = Path(__file__).parents[2] / "docs" / "sample.txt"
_BPETITE: Final = Path(sysconfig.get_path("scripts")) / "bpetite"

_CHAT: Final = ("--pattern", "gpt4", "--special", "<|endoftext|>", "<|user|>", "<|assistant|>")
_TRAIN: Final = ("train", *_CHAT, "--vocab-size", "512", "--output", "chat.json", "--input")
_COMMANDS: Final = (
    ("show", "--model", "chat.json", "--text", "<|user|>The ferryman, 2026?<|assistant|>€"),
    ("show", "--model", "chat.json", "--text", " river 2026", "--steps"),
    ("inspect", "--model", "chat.json", "--token", "389"),
)
_COLUMNS: Final = 88

_WEB_FONTS: Final = re.compile(r"<!--.*?-->|@font-face \{\{.*?\}\}", re.DOTALL)
_FONT: Final = '"DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace'


def files() -> dict[Path, str]:
    console = Console(
        record=True, width=_COLUMNS, file=io.StringIO(), color_system="standard", highlight=False
    )
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([_BPETITE, *_TRAIN, _SAMPLE], cwd=folder, capture_output=True, check=True)
        for command in _COMMANDS:
            console.print(Text.assemble(("$ ", "green"), (_spoken(command), "bold")))
            console.print(Text.from_ansi(_in_terminal(command, folder)))
    form = _WEB_FONTS.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", _FONT)
    drawn = console.export_svg(title="bpetite", code_format=form, unique_id="terminal")
    lines = (line.strip() for line in drawn.splitlines())
    return {Path("docs/terminal.svg"): "".join(f"{line}\n" for line in lines if line)}


def _spoken(command: tuple[str, ...]) -> str:
    """Return a command as a user types it."""
    return " ".join(["bpetite", *(f'"{word}"' if " " in word else word for word in command)])


def _in_terminal(command: tuple[str, ...], folder: str) -> str:
    """Return everything that a command writes to its terminal, error messages included."""
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
    except OSError:  # Linux raises this when the other end is closed
        return b""
