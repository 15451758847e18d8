"""The download script, with a file instead of a server."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from project_tools import ROOT

TEXT = b"To be, or not to be"


@pytest.mark.parametrize("damage", [b"", b"?"])
def test_the_text_is_written_if_its_hash_is_right(damage: bytes, tmp_path: Path) -> None:
    """Python without packages writes the whole file, or nothing if it is not the known one."""
    (tmp_path / "served").write_bytes(TEXT + damage)
    url = (tmp_path / "served").as_uri()
    program = f"""import sys
sys.path.append({str(ROOT / "scripts")!r})
from download_corpus import main
main(["--output", "text"], {url!r}, {hashlib.sha256(TEXT).hexdigest()!r})
"""
    result = subprocess.run([sys.executable, "-I", "-S", "-c", program], cwd=tmp_path, check=False)
    assert result.returncode == bool(damage)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {"served": TEXT + damage} | ({} if damage else {"text": TEXT})
