"""The explorer as one file, docs/explorer/bpetite-explorer.html: its page with all parts inside.

The file is written as a browser writes it, so that a copy that the page saves has the same bytes.

docs/explorer/one-file.js has it as a string: index.html saves it too, and can read only scripts.
"""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Final

from generate.command import ROOT

FOLDER: Final = Path("docs/explorer")
ONE_FILE: Final = FOLDER / "bpetite-explorer.html"
AS_SCRIPT: Final = FOLDER / "one-file.js"

_STYLE: Final = re.compile(r'<link rel="stylesheet" href="(.*?)">\n')
_SCRIPT: Final = re.compile(r'<script src="(.*?)" defer></script>\n')
_OTHER_PAGES: Final = re.compile(r'<a href="[^"]*">[^<]*</a> ·\s*')
_HOME: Final = (
    "<p>This page is from bpetite, a tokenizer in Python. Its repository has a course that builds"
    " one, in docs/course, and begins with README.md. "
)
"""What leads from a saved page to the project, without an address."""

_DEAD: Final = re.compile(r'(?<=<p class="refusal" id="dead">).*?(?=</p>)', re.DOTALL)
_NO_PARTS: Final = "The explorer did not start. Open this file in a newer browser."
_ENDS: Final = re.compile("<!--|</?(script|style)", re.IGNORECASE)
_BOOLEAN: Final = re.compile(r" (hidden|readonly)(?=[ >])")


def files() -> dict[Path, str]:
    """Return the one file, and the script that has it."""
    page = _read("index.html")
    style = "\n".join(map(_inside, _STYLE.findall(page)))
    script = "\n".join(map(_inside, _SCRIPT.findall(page)))
    page = _SCRIPT.sub("", _STYLE.sub("", page))
    for kind, content in ("style", style), ("script", script):
        page = page.replace(f"{kind}-src 'self' file:", f"{kind}-src '{_hash(content)}'")
    head, footer = _DEAD.sub(_NO_PARTS, page).split("<footer>")
    page = f"{head}<footer>{_HOME}{_OTHER_PAGES.sub('', footer).removeprefix('<p>')}"
    page = re.sub(r"<[a-z][^>]*>", lambda tag: _BOOLEAN.sub(r' \1=""', tag[0]), page)
    page = page.replace("\n content=", " content=").replace("\n<head>", "<head>")
    page = page.replace("</head>", f"<style>{style}</style>\n</head>")
    start = page.removesuffix("\n</body>\n</html>\n")
    whole = f"{start}\n<script>{script}</script></body></html>\n"
    as_script = (
        f"// Made by scripts/generate: {ONE_FILE.name}.\nvar oneFile = {json.dumps(whole)};\n"
    )
    return {ONE_FILE: whole, AS_SCRIPT: as_script}


def _read(name: str) -> str:
    return (ROOT / FOLDER / name).read_text(encoding="utf-8")


def _inside(name: str) -> str:
    """Return a part that can be inside an element."""
    content = _read(name)
    if found := _ENDS.search(content):
        raise ValueError(f"{name} contains {found[0]!r}, which would end the element around it")
    return content


def _hash(content: str) -> str:
    """Return the hash by which a policy allows an element."""
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
