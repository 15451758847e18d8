"""The public class: five methods, their argument checks, and sharing a tokenizer."""

import copy
import inspect
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bpetite
from artifacts import GOOD, canonical
from bpetite import Tokenizer


def test_public_methods_are_five() -> None:
    """FR-30: a tokenizer has train, encode, decode, save and load, and three attributes."""
    public = {name for name in dir(Tokenizer) if not name.startswith("_")}
    attributes = {name for name in public if isinstance(vars(Tokenizer)[name], property)}
    assert attributes == {"mergeable_vocab_size", "special_tokens", "vocab"}
    assert public - attributes == {"train", "encode", "decode", "save", "load"}
    tokenizer = Tokenizer.train("", 256)
    assert public == {name for name in dir(tokenizer) if not name.startswith("_")}
    assert not hasattr(tokenizer, "__dict__")  # so no attribute can be added


@pytest.mark.parametrize(
    ("name", "signature"),
    {
        "train": "(corpus: str | Iterable[str] | Mapping[str, int], vocab_size: int, *, "
        "start: Tokenizer | None = None, pattern: str | None = None, "
        "special_tokens: Sequence[str] | None = None, keep_ids: bool = False) -> Self",
        "encode": "(self, text: str, *, ordinary: bool | Sequence[tuple[int, int]] = False) "
        "-> list[int]",
        "decode": "(self, token_ids: Sequence[int]) -> str",
        "save": "(self, path: str | os.PathLike[str], overwrite: bool = False) -> None",
        "load": "(path: str | os.PathLike[str]) -> Self",
    }.items(),
)
def test_signature_is_as_specified(name: str, signature: str) -> None:
    """FR-27, FR-30: a method has the specified parameters; types are these or wider.

    The keywords after `*` came later.
    """
    found = str(inspect.signature(getattr(Tokenizer, name)))
    assert found.replace("collections.abc.", "").replace("'", "") == signature


def test_modules_are_private() -> None:
    """FR-31: the name of every module of the package begins with an underscore."""
    names = [module.name for module in pkgutil.iter_modules(bpetite.__path__)]
    assert len(names) >= 7
    assert [name for name in names if not name.startswith("_")] == []


def test_calling_the_class_raises() -> None:
    """Calling the class raises `TypeError`, which names the methods to call instead."""
    with pytest.raises(TypeError, match=r"made by Tokenizer\.train\(\.\.\.\) or Tokenizer\.load"):
        Tokenizer()


def test_subclass_is_kept(tmp_path: Path) -> None:
    """Training, loading and copying with a subclass gives an instance of it."""

    class Mine(Tokenizer):
        """A user's own subclass."""

    mine = Mine.train("ab ab ab", 258)
    mine.save(tmp_path / "mine.json")
    assert {type(each) for each in (mine, Mine.load(tmp_path / "mine.json"), copy.copy(mine))} == {
        Mine
    }


@pytest.mark.parametrize("path", [None, 1, 1.5, b"x.json", ["x"]], ids=repr)
def test_path_of_wrong_type_is_rejected(here: Path, tokenizer: Tokenizer, path: Any) -> None:  # noqa: ANN401
    """`save` and `load` raise `TypeError` for anything but a `str` or a path of `str`."""
    message = rf"^path must be str or os\.PathLike\[str\], got {type(path).__name__}$"
    for method in (tokenizer.save, Tokenizer.load):
        with pytest.raises(TypeError, match=message):
            method(path)
    assert list(here.iterdir()) == []


def test_path_may_be_text_or_a_path(tmp_path: Path, tokenizer: Tokenizer) -> None:
    """`save` and `load` accept a `str`, a `Path`, or any other `os.PathLike`."""
    file = tmp_path / "tokenizer.json"
    file.touch()
    for path in (str(file), file, *os.scandir(tmp_path)):
        tokenizer.save(path, overwrite=True)
        assert file.read_bytes() == canonical(GOOD)
        assert Tokenizer.load(path).encode("ab ab") == [256, 257]
        file.write_bytes(b"")


def test_bytes_are_never_taken_for_text(tmp_path: Path) -> None:
    """FR-37: Python's own check for comparing bytes with text (-bb) reports nothing.

    The modules for ids that are not in order are not imported, as no tokenizer has such.
    """
    program = """
import sys
from bpetite import Tokenizer
tokenizer = Tokenizer.train(["ab ab \\u00e9", "<|endoftext|>"], 300)
tokenizer.save("tokenizer.json")
tokenizer.save("tokenizer.json", overwrite=True)
loaded = Tokenizer.train("ab abc", 300, start=Tokenizer.load("tokenizer.json"))
print(loaded.decode(loaded.encode("ab <|endoftext|>\\u00e9")) == "ab <|endoftext|>\\u00e9")
print({"bpetite._schema.numbering", "bpetite._extending"} & {*sys.modules})
"""
    command = [sys.executable, "-bb", "-W", "error", "-X", "dev", "-c", program]
    done = subprocess.run(command, check=False, capture_output=True, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [b"True", b"set()"], b"")
