"""`import_tiktoken`: an encoding becomes an artifact, or is refused with the reason."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer
from bpetite_compare import GPT2_BYTE_ORDER, export, import_tiktoken
from compare_tools import CORPUS, DUPLICATE, HOSTILE, UNREACHABLE, write_ranks
from texts import CORPORA

BYTES = {bytes([value]): value for value in range(256)}


@given(CORPORA, st.integers(256, 300))
def test_what_is_exported_comes_back(corpus: list[str], vocab_size: int) -> None:
    """The artifact, exported as ranks and imported, is the same byte for byte."""
    with TemporaryDirectory() as folder:
        model, ranks, back = (Path(folder) / name for name in ("model", "ranks", "back"))
        Tokenizer.train(corpus, vocab_size).save(model)
        export(model, "tiktoken", ranks)
        imported = import_tiktoken(back, ranks=ranks)
        assert back.read_bytes() == model.read_bytes()
        assert imported.byte_order == bytes(range(256))


@pytest.mark.parametrize("order", [GPT2_BYTE_ORDER, bytes(reversed(range(256)))])
def test_the_order_of_the_bytes_is_undone(order: bytes, tmp_path: Path) -> None:
    """In whatever order the bytes have their ids, the artifact has them in its own."""
    vocab = oracle.vocabulary(merges := oracle.train([CORPUS], 300))
    ranks = {bytes([value]): rank for rank, value in enumerate(order)}
    ranks |= {vocab[token_id]: token_id for token_id in range(256, 300)}
    path = write_ranks(tmp_path / "ranks", ranks)
    imported = import_tiktoken(tmp_path / "model.json", ranks=path)
    assert imported.byte_order == order
    assert imported.mergeable_vocab_size == 300
    tokenizer = Tokenizer.load(tmp_path / "model.json")
    for text in HOSTILE:
        assert tokenizer.encode(text) == oracle.encode(text, merges)


def test_the_byte_order_of_gpt_2_is_a_permutation() -> None:
    """Every byte has one place in GPT-2's order, and the printable ones of ASCII come first."""
    assert sorted(GPT2_BYTE_ORDER) == list(range(256))
    assert GPT2_BYTE_ORDER[:94] == bytes(range(0x21, 0x7F))


def test_an_encoding_is_imported_by_its_name(tmp_path: Path, register: Callable[..., None]) -> None:
    """An encoding with GPT-2's pattern and special token becomes an artifact with its tokens."""
    register("tiny", b"th", b"the")
    assert import_tiktoken(tmp_path / "model.json", encoding="tiny").mergeable_vocab_size == 258
    assert Tokenizer.load(tmp_path / "model.json").encode("the<|endoftext|>") == [257, 258]


def test_an_encoding_that_does_not_fit_is_refused(
    tmp_path: Path, register: Callable[..., None]
) -> None:
    """An encoding with another pattern, or other special tokens, is refused with the reason."""
    register("uncut", pattern="(?s:.+)")
    with pytest.raises(ValueError, match=r"^uncut does not .* its pattern is not GPT-2's"):
        import_tiktoken(tmp_path / "model.json", encoding="uncut")
    register("another", special="<|end|>")
    with pytest.raises(ValueError, match=r"^another does not .* its special tokens are {'<|end|>'"):
        import_tiktoken(tmp_path / "model.json", encoding="another")
    assert not (tmp_path / "model.json").exists()


def trained_by(merges: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> dict[bytes, int]:
    """Return the ranks of the tokens that merges make."""
    vocab = oracle.vocabulary(merges)
    return {vocab[token_id]: token_id for token_id in range(256 + len(merges))}


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        ({}, "no token has the rank 0"),
        (dict(list(BYTES.items())[:-1]), "no token has the rank 255"),
        (BYTES | {b"ab": 257}, "no token has the rank 256"),
        ({**BYTES, b"ab": 255, b"\xff": 256}, "the first 256 tokens are not the 256 bytes"),
        (BYTES | {b"abc": 256}, "token 256, b'abc', is no merge of two tokens of lower rank"),
        (BYTES | {b".\n": 256}, r"its token 256, b'.\\n', stands in no chunk of GPT-2's pattern"),
        (BYTES | {b"a1": 256}, "its token 256, b'a1', stands in no chunk"),
        (trained_by(DUPLICATE), "no token has the rank 258"),
    ],
)
def test_ranks_that_do_not_fit_are_refused(
    ranks: dict[bytes, int], reason: str, tmp_path: Path
) -> None:
    """Ranks with a gap, without the bytes, of no BPE or of another pattern are refused."""
    path = write_ranks(tmp_path / "ranks", ranks)
    with pytest.raises(ValueError, match=f"^'{path}' does not fit into an artifact: {reason}"):
        import_tiktoken(tmp_path / "model.json", ranks=path)
    assert not (tmp_path / "model.json").exists()


def test_a_token_that_tiktoken_makes_otherwise_is_recovered(tmp_path: Path) -> None:
    """A token is recovered as tiktoken makes it, by bytes, which is a merge of its own."""
    path = write_ranks(tmp_path / "ranks", trained_by(UNREACHABLE))
    import_tiktoken(tmp_path / "model.json", ranks=path)
    assert Tokenizer.load(tmp_path / "model.json").encode("abc") == [258]


@pytest.mark.parametrize("beginning", ["'l", "'v", "'r"])
def test_the_beginning_of_a_contraction_fits(beginning: str, tmp_path: Path) -> None:
    """Part of a contraction is two chunks by itself, and yet a token that training can make."""
    ranks = BYTES | {beginning.encode(): 256}
    import_tiktoken(tmp_path / "model.json", ranks=write_ranks(tmp_path / "ranks", ranks))
    corpus = "'ll" if beginning == "'l" else f"{beginning}e"
    assert Tokenizer.load(tmp_path / "model.json").encode(corpus)[0] == 256


@pytest.mark.parametrize(
    "line",
    [
        *(b"AA==", b"AA== x", b"AA== 0 1", b"@@ 0", b"A 0", b"\xff 0", b"AA== 0x1", b"==== 1"),
        *(b"AQ== 2_5_6", b"AQ== +256", b"AQ== -1", b"AQ== 01", b"AQ== 1.0", b"AQ== 9999999999"),
        "AQ== ٣".encode(),
    ],
)
def test_a_file_of_something_else_is_refused(line: bytes, tmp_path: Path) -> None:
    """A line that is no token and rank is named with its number."""
    path = tmp_path / "ranks"
    path.write_bytes(b"AA== 0\n" + line + b"\n")
    with pytest.raises(ValueError, match=r"no file of ranks: expected .* on line 2, found b'"):
        import_tiktoken(tmp_path / "model.json", ranks=path)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (b"YWI= 256\nYWI= 257\n", "lists the token b'ab' a second time, on line 258"),
        (b"YWI= 256\nYWI= 256\n", "lists the token b'ab' a second time, on line 258"),
        (b"YWI= 256\nYWM= 256\n", "gives the rank 256 to a second token, on line 258"),
        (b"YWI= 97\n", "gives the rank 97 to a second token, on line 257"),
    ],
)
def test_lines_that_contradict_each_other_are_refused(
    lines: bytes, fault: str, tmp_path: Path
) -> None:
    """A token or a rank on a second line is named with that line, and neither is chosen."""
    path = write_ranks(tmp_path / "ranks", BYTES)
    path.write_bytes(path.read_bytes() + lines)
    with pytest.raises(ValueError, match=f"^'{path}' {fault}$"):
        import_tiktoken(tmp_path / "model.json", ranks=path)
    assert not (tmp_path / "model.json").exists()


def test_ranks_from_a_pipe_are_refused(tmp_path: Path) -> None:
    """Ranks are read from a regular file; a pipe, from which they may never come, is refused."""
    ranks = write_ranks(tmp_path / "ranks", BYTES)
    os.mkfifo(fifo := tmp_path / "fifo")
    with subprocess.Popen(["cp", ranks, fifo]) as writer:
        try:
            with pytest.raises(ValueError, match=r"fifo' is no.* regular file"):
                import_tiktoken(tmp_path / "model.json", ranks=fifo)
        finally:
            writer.kill()


def test_ranks_without_end_are_refused(tmp_path: Path) -> None:
    """No more is read of a file than ranks can be."""
    with (tmp_path / "ranks").open("wb") as file:
        file.truncate((1 << 26) + 1)
    with pytest.raises(ValueError, match=r"ranks' is larger than 67108864 bytes"):
        import_tiktoken(tmp_path / "model.json", ranks=tmp_path / "ranks")


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    """The artifact is saved by the core: nothing is overwritten unasked."""
    path = write_ranks(tmp_path / "ranks", BYTES)
    (tmp_path / "model.json").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        import_tiktoken(tmp_path / "model.json", ranks=path)
    assert (tmp_path / "model.json").read_bytes() == b"old"
    import_tiktoken(tmp_path / "model.json", ranks=path, overwrite=True)
    assert Tokenizer.load(tmp_path / "model.json").encode("a") == [97]


def test_the_ranks_are_never_replaced(tmp_path: Path) -> None:
    """An output that is the file of ranks is refused, and the file is as it was."""
    path = write_ranks(tmp_path / "ranks", BYTES)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="is also an input and would be lost"):
        import_tiktoken(path, ranks=path, overwrite=True)
    assert path.read_bytes() == before


def test_one_source_is_asked_for(tmp_path: Path) -> None:
    """A name and a file are one too many, and neither is one too few."""
    with pytest.raises(TypeError, match="the name of an encoding or a file of ranks"):
        import_tiktoken(tmp_path / "model.json")
    with pytest.raises(TypeError, match="the name of an encoding or a file of ranks"):
        import_tiktoken(tmp_path / "model.json", encoding="gpt2", ranks="x")
