"""Take the pictures of the explorer, docs/explorer*.png, with Chromium.

    uv run python scripts/explorer_pictures.py

Pixels differ between machines, so no test compares them. Look at them before you commit.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_DOCS: Final = Path(__file__).parents[1] / "docs"
_FLAGS: Final = (
    *("--headless", "--no-sandbox", "--hide-scrollbars", "--force-prefers-reduced-motion"),
    "--virtual-time-budget=10000",
)
_FERRY: Final = "The ferryman came down to the landing before the evening bells."
_CODE: Final = "port = 8080; n = 1234567;%0A    if (year == 2026)%0A        wait(1000 * n);"
_PICTURES: Final = {
    "explorer": (720, f"tokenizer=prose&ids=1&at=44&text={_FERRY}"),
    "explorer-patterns": (820, f"tokenizer=code&beside=code-gpt4&at=16&text={_CODE}"),
}
"""The height of each picture, and what it shows."""


def main() -> str | None:
    """Write the pictures; return an error message."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        return "error: install chromium, which takes the pictures"
    page = (_DOCS / "explorer" / "index.html").as_uri()
    for name, (height, shown) in _PICTURES.items():
        address = f"{page}#view=text&{shown}"
        with tempfile.TemporaryDirectory() as profile:
            taken = f"--screenshot={_DOCS / name}.png"
            size = f"--window-size=1060,{height}"
            command = [chromium, *_FLAGS, size, f"--user-data-dir={profile}", taken, address]
            subprocess.run(command, check=True, capture_output=True)
    return None


if __name__ == "__main__":
    sys.exit(main())
