"""The download scripts, with files and archives instead of servers."""

import hashlib
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from download_models import Model, main, read_models
from failures import contents_of
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


FILES = {"package/models/tokenizer.json": b"{}", "package/models/more/vocab.json": b"[]"}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """Return a model whose package is already in the folder for packages."""
    monkeypatch.setenv("BPETITE_MODELS", str(tmp_path))
    archive = tmp_path / "packages" / "@some/tokenizer@1.0" / "tokenizer-1.0.tgz"
    archive.parent.mkdir(parents=True)
    with tarfile.open(archive, "w:gz") as package:
        for name, data in {**FILES, "package/models/tokenizer.json.map": b"0"}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            package.addfile(member, BytesIO(data))
    return Model("@some/tokenizer@1.0", hashlib.sha256(archive.read_bytes()).hexdigest(), [*FILES])


def test_a_model_gets_a_folder_with_its_files(model: Model, tmp_path: Path) -> None:
    """The folder has the files of the list and no others; a second run needs no package."""
    for _ in range(2):
        main({"some": model})
        found = contents_of(tmp_path)
        assert found.pop("some") == b""
        assert found == {"some/tokenizer.json": b"{}", "some/vocab.json": b"[]"}


def test_a_repository_out_of_reach_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git says why, and the program what to do; no folder looks finished."""
    monkeypatch.setenv("BPETITE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{tmp_path.as_uri()}/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    with pytest.raises(SystemExit, match="git could not download some/model; run this again"):
        main({"some": Model("some/model", 40 * "0", ["tokenizer.json"])})
    assert not (tmp_path / "models" / "some").exists()


def test_the_models_are_there(model_files: Path) -> None:
    """The folder has every file that models.toml lists."""
    for name, model in read_models().items():
        files = model.written(model_files / name).values()
        assert [str(file) for file in files if not file.is_file()] == []
