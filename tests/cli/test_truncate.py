"""`bpetite truncate`, as a person or a script meets it."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given

import oracle
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._trainer import train_bpe
from cli_tools import bpetite, lines
from compare_tools import CORPUS, HOSTILE, write_artifact
from project_tools import ROOT
from texts import CORPORA

SAMPLE = (ROOT / "docs" / "sample.txt").read_bytes().decode("utf-8")

TRAINED: dict[str, tuple[list[str], int]] = {
    "a story": ([SAMPLE], 330),
    "several scripts, up to the last pair": ([CORPUS], 1000),
    "hostile texts": ([*HOSTILE], 330),
    "ties": (["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍"], 300),
    "runs": (["a" * 100, "ab" * 50, "aab" * 33, "   " * 30], 280),
    "nothing": ([], 300),
}
"""The documents of each corpus, and the size of the vocabulary that is asked for."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model."""
    Tokenizer.train(CORPUS, 300).save(tmp_path / "model.json")
    return tmp_path


def truncate(folder: Path, size: object, *more: str, output: str = "small.json") -> list[str]:
    """Truncate the model, and return standard output and the lines of standard error."""
    result = bpetite(
        *("truncate", "--model", "model.json", "--vocab-size", str(size), "--output", output),
        *more,
        cwd=folder,
    )
    assert result.returncode == int(result.stderr.startswith(b"error: "))
    return [result.stdout.decode("utf-8"), *lines(result.stderr)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if wanted <= 300 else pytest.mark.thorough)
        for name, (_, wanted) in TRAINED.items()
    ],
)
def test_every_smaller_tokenizer_is_that_of_training(name: str, tmp_path: Path) -> None:
    """At each size the file is, byte for byte, that of a training at this size."""
    documents, wanted = TRAINED[name]
    Tokenizer.train(documents, wanted).save(tmp_path / "model.json")
    largest = json.loads((tmp_path / "model.json").read_bytes())["mergeable_vocab_size"]
    for size in range(256, largest + 1):
        words = f"truncate --model model.json --vocab-size {size} --output {size}.json"
        assert bpetite(*words.split(), cwd=tmp_path).returncode == 0
        Tokenizer.train(documents, size).save(tmp_path / "trained.json", overwrite=True)
        assert (tmp_path / f"{size}.json").read_bytes() == (tmp_path / "trained.json").read_bytes()


@given(CORPORA)
def test_the_first_merges_are_those_of_training(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str]
) -> None:
    """Whatever the corpus, its first tokens at any size are those of a training at this size."""
    path = tmp_path_factory.getbasetemp() / "model.json"
    model = Artifact.read(write_artifact(path, train_bpe(documents, 290).merges))
    for size in range(256, model.special_id + 1):
        smaller = Artifact.of_merges(model.merges[: size - 256])
        assert smaller.merges == [*train_bpe(documents, size).merges]


def test_the_result_is_told(folder: Path) -> None:
    """Data is on standard output; that the special token has another id is said."""
    output, *told = truncate(folder, 290)
    assert json.loads(output) == {"mergeable_vocab_size": 290, "special_token_id": 290}
    assert told == [
        "saved: 'small.json', 290 of 300 mergeable tokens",
        "<|endoftext|> is now 290, where it was 300",
    ]
    assert Tokenizer.load(folder / "small.json").encode("<|endoftext|>") == [290]


def test_the_size_of_the_model_gives_the_model(folder: Path) -> None:
    """The same size makes a copy in the bytes that bpetite saves, whatever the model's were."""
    saved = (folder / "model.json").read_bytes()
    (folder / "model.json").write_text(json.dumps(json.loads(saved), indent=1) + "\n")
    assert truncate(folder, 300)[1:] == ["saved: 'small.json', 300 of 300 mergeable tokens"]
    assert (folder / "small.json").read_bytes() == saved


def test_a_size_above_that_of_the_model_is_refused(folder: Path) -> None:
    """A larger tokenizer has to be trained, and the message says so."""
    assert truncate(folder, 301) == [
        "",
        (
            "error: 'model.json' has 300 mergeable tokens, fewer than 301; "
            "`bpetite train` makes larger tokenizers"
        ),
    ]
    assert not (folder / "small.json").exists()


@pytest.mark.parametrize("size", ["255", "-1", "3e2", "many"])
def test_a_size_that_is_none_is_wrong_usage(folder: Path, size: str) -> None:
    """A size below 256, or one that is no plain integer, is refused with status 2."""
    command = f"truncate --model model.json --vocab-size {size} --output small.json"
    result = bpetite(*command.split(), cwd=folder)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"argument --vocab-size: expected" in result.stderr


def test_an_existing_output_is_kept_without_force(folder: Path) -> None:
    """An existing file is replaced only with `--force`."""
    (folder / "small.json").write_text("precious")
    _, told = truncate(folder, 290)
    assert told == "error: 'small.json' exists; use --force to replace it, or name another file"
    assert (folder / "small.json").read_text() == "precious"
    assert truncate(folder, 290, "--force")[1].startswith("saved: ")


@pytest.mark.parametrize("output", ["model.json", "link.json"])
def test_the_model_itself_is_never_replaced(folder: Path, output: str) -> None:
    """The larger tokenizer would be lost, so that `--force` does not replace it either."""
    (folder / "link.json").symlink_to("model.json")
    before = (folder / "model.json").read_bytes()
    _, told = truncate(folder, 290, "--force", output=output)
    assert told == f"error: '{output}' is also an input and would be lost; name another output"
    assert (folder / "model.json").read_bytes() == before


@pytest.mark.parametrize(
    ("output", "complaint"),
    [
        ("folder", "'folder' is not a regular file and cannot be replaced; name another file"),
        ("no/small.json", "'no/small.json': there is no folder '{}/no'; make it first"),
    ],
)
def test_the_destination_is_checked(folder: Path, output: str, complaint: str) -> None:
    """What is no place for a file is refused as in training."""
    (folder / "folder").mkdir()
    _, told = truncate(folder, 290, "--force", output=output)
    assert told == f"error: {complaint.format(folder)}"


def test_a_model_that_is_none_is_refused(folder: Path) -> None:
    """FR-33: a missing and a broken model are told in a line."""
    shutil.copy(folder / "model.json", folder / "kept.json")
    (folder / "model.json").write_bytes((folder / "kept.json").read_bytes()[:-9])
    assert truncate(folder, 290)[1].startswith("error: this model cannot be used: 'model.json': ")
    (folder / "model.json").unlink()
    assert truncate(folder, 290)[1].startswith("error: there is no model 'model.json'; ")
    assert sorted(path.name for path in folder.iterdir()) == ["kept.json"]


def test_a_model_that_no_training_made_is_cut_all_the_same(folder: Path) -> None:
    """The first merges of any artifact make an artifact."""
    merges = [(97, 98), (97, 98), (256, 257), (98, 99)]
    write_artifact(folder / "model.json", merges)
    truncate(folder, 259)
    expected = write_artifact(folder / "expected.json", merges[:3])
    assert (folder / "small.json").read_bytes() == expected.read_bytes()


def test_the_published_hash_is_reached_from_above(folder: Path) -> None:
    """A longer training on the sample, cut, has the hash that the documentation gives."""
    Tokenizer.train(SAMPLE, 900).save(folder / "model.json", overwrite=True)
    truncate(folder, 512)
    digest = hashlib.sha256((folder / "small.json").read_bytes()).hexdigest()
    assert (
        f"| `docs/sample.txt` | 512 | `{digest}` |" in (ROOT / "docs/architecture.md").read_text()
    )


@pytest.mark.thorough
def test_the_oracle_says_that_merges_are_a_beginning() -> None:
    """By the specification itself, what is learned at a size begins what is learned at a larger."""
    merges = oracle.train([CORPUS], 330)
    assert all(oracle.train([CORPUS], 256 + count) == merges[:count] for count in range(75))


def test_a_model_of_any_size_that_loads_is_truncated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model just as large as a file may be has smaller ones: nothing larger is written."""
    limit = (folder / "model.json").stat().st_size
    for module in ("_artifact", "_schema"):
        monkeypatch.setattr(f"bpetite.{module}.MAX_FILE_BYTES", limit)
    size = str(Tokenizer.load(folder / "model.json")._artifact.special_id)
    truncated = bpetite(
        *("truncate", "--model", "model.json", "--vocab-size", size, "--output", "same.json"),
        cwd=folder,
    )
    assert truncated.returncode == 0, truncated.stderr
    assert (folder / "same.json").read_bytes() == (folder / "model.json").read_bytes()
