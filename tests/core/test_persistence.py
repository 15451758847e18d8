"""The artifact: its exact bytes, and that reading it restores the tokenizer."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

import oracle
from artifacts import GOOD, PARTS, SPELLINGS, artifact_with, canonical
from bpetite import Tokenizer
from bpetite._persistence import load, save
from texts import CORPORA

TIES = ["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍", "", "x\r\ny\u2003 z"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a test's artifact."""
    return tmp_path / "tokenizer.json"


def artifact_of(tokenizer: Tokenizer, path: Path) -> bytes:
    """Return the bytes that a tokenizer is saved as."""
    tokenizer.save(path, overwrite=True)
    return path.read_bytes()


def test_artifact_is_canonical_json(path: Path) -> None:
    """FR-12: keys are sorted as strings, and there is only ASCII, no space and no final newline."""
    data = artifact_of(Tokenizer.train("ab ab ab", 258), path)
    assert data == canonical(GOOD)
    assert data.startswith(b'{"mergeable_vocab_size":258,"merges":[[97,98],[32,256]],')
    assert b'"vocab":{"0":[0],"1":[1],"10":[10],"100":[100],' in data


@given(CORPORA)
def test_artifact_matches_the_oracle(any_path: Path, documents: list[str]) -> None:
    """FR-14, FR-26: all six fields follow from a full recount's merges; loading changes no byte."""
    expected = canonical(artifact_with(oracle.train(documents, 280)))
    assert artifact_of(Tokenizer.train(documents, 280), any_path) == expected
    assert artifact_of(Tokenizer.load(any_path), any_path) == expected


def test_environment_changes_nothing(path: Path, run_python: Callable[..., str]) -> None:
    """FR-12: a process with any hash seed, locale, zone or optimization writes the same bytes."""
    program = """
        import sys
        from bpetite import Tokenizer
        Tokenizer.train(sys.argv[2:], 300).save(sys.argv[1], overwrite=True)
    """
    expected = artifact_of(Tokenizer.train(TIES, 300), path)
    for environment in (
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "PYTHONUTF8": "1"},
        {"PYTHONHASHSEED": "1", "PYTHONOPTIMIZE": "1"},
        {"PYTHONHASHSEED": "424242", "PYTHONOPTIMIZE": "2", "PYTHONDEVMODE": "1"},
        {"PYTHONHASHSEED": "random", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati"},
    ):
        path.write_bytes(b"")
        run_python(program, str(path), *TIES, **environment)
        assert path.read_bytes() == expected


def test_inconsistent_parts_are_not_saved(path: Path) -> None:
    """Inconsistent parts raise `ValueError` before anything is written."""
    vocab, merges, special_tokens = PARTS
    for parts in (
        ({**vocab, 256: b"ba"}, merges, special_tokens),
        (vocab, merges[:1], special_tokens),
        (vocab, merges, {"<|endoftext|>": 257}),
        (vocab, merges, {"x": 258}),
    ):
        with pytest.raises(ValueError, match="must match the merges"):
            save(path, *parts)
    assert list(path.parent.iterdir()) == []


def test_artifact_of_the_maximum_size_is_saved(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An artifact of exactly the maximum size is saved and loaded; a byte more is an error."""
    for size in (len(canonical(GOOD)), len(canonical(GOOD)) - 1):
        for module in ("_schema.canonical", "_artifact"):
            monkeypatch.setattr(f"bpetite.{module}.MAX_FILE_BYTES", size)
        if size == len(canonical(GOOD)):
            save(path, *PARTS)
            assert load(path) == PARTS
    with pytest.raises(ValueError, match=f"larger than {size} bytes, .* from merge 1 on"):
        save(path, *PARTS, overwrite=True)
    with pytest.raises(ValueError, match=f"is larger than {size} bytes"):
        load(path)


@pytest.mark.parametrize("ending", [b"", b"\n"], ids=["compared", "parsed"])
def test_loaded_parts_have_exact_types(path: Path, ending: bytes) -> None:
    """FR-37: tokens are `bytes`, ids are `int`, merges are tuples, all in the order of ids."""
    path.write_bytes(canonical(GOOD) + ending)
    vocab, merges, special_tokens = load(path)
    assert {type(token) for token in vocab.values()} == {bytes}
    assert {type(token_id) for token_id in [*vocab, *special_tokens.values()]} == {int}
    assert {type(pair) for pair in merges} == {tuple}
    assert list(vocab) == list(range(259))


@pytest.mark.parametrize("data", SPELLINGS.values(), ids=SPELLINGS)
def test_equivalent_json_loads(path: Path, data: bytes) -> None:
    """Equivalent JSON in other bytes is the same tokenizer."""
    assert data != canonical(GOOD)
    path.write_bytes(data)
    assert load(path) == PARTS


def test_hand_made_merges_load(path: Path) -> None:
    """FR-27, FR-29: merges that no training learns are saved, once, and loaded."""
    twice, itself = [(97, 98), (97, 98)], [(0, 255), (256, 256), (257, 257)]
    same_bytes = [(97, 98), (98, 99), (256, 99), (97, 257)]
    for merges in (twice, itself, same_bytes, []):
        parts = oracle.vocabulary(merges), merges, {"<|endoftext|>": 256 + len(merges)}
        save(path, *parts)
        with pytest.raises(FileExistsError):
            save(path, *PARTS)
        assert load(path) == parts
        path.unlink()
