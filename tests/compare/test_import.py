"""`import_tokenizer`: other libraries' files are imported exactly, or rejected with the reason.

The files here are exports and changed exports; `test_hugging_face.py` and `test_published.py`
import files that the libraries themselves have made.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer
from bpetite_compare import GPT2_BYTE_ORDER, export, import_tokenizer
from bpetite_compare._from_ranks import recover
from bpetite_compare._import import SOURCES
from bpetite_compare.reference import recover_merges
from compare_tools import CORPUS, HOSTILE, UNREACHABLE, write_ranks
from texts import CORPORA, merge_lists

BYTES = {bytes([value]): value for value in range(256)}


@pytest.mark.thorough
@given(CORPORA, st.integers(256, 300), st.sampled_from(SOURCES))
def test_exports_import_unchanged(corpus: list[str], vocab_size: int, form: str) -> None:
    """Exporting a tokenizer file in any form and importing it gives the same bytes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        Tokenizer.train(corpus, vocab_size).save(folder / "model")
        export(folder / "model", form, folder / "exported")
        imported = import_tokenizer(folder / "exported", form, folder / "back")
        assert (folder / "back").read_bytes() == (folder / "model").read_bytes()
        assert imported.changed == len(imported.dropped) == len(imported.notes) == 0
        assert imported.special_added == (form == "tiktoken")
        assert imported.sha256 == hashlib.sha256((folder / "back").read_bytes()).hexdigest()


@pytest.mark.parametrize("order", [GPT2_BYTE_ORDER, bytes(reversed(range(256)))])
def test_the_byte_order_is_normalized(order: bytes, tmp_path: Path) -> None:
    """Whatever ids the bytes have, the artifact numbers them in its own order."""
    vocab = oracle.vocabulary(merges := oracle.train([CORPUS], 300))
    ranks = {bytes([value]): rank for rank, value in enumerate(order)}
    ranks |= {vocab[token_id]: token_id for token_id in range(256, 300)}
    path = write_ranks(tmp_path / "ranks", ranks)
    imported = import_tokenizer(path, "tiktoken", tmp_path / "model.json")
    assert imported.original_ids[:256] == tuple(map(order.index, range(256)))
    assert imported.mergeable_vocab_size == 300
    tokenizer = Tokenizer.load(tmp_path / "model.json")
    for text in HOSTILE:
        assert tokenizer.encode(text) == oracle.encode(text, merges)


def test_the_byte_order_of_gpt_2_is_a_permutation() -> None:
    """GPT-2's order has every byte once, and begins with the printable ASCII bytes."""
    assert sorted(GPT2_BYTE_ORDER) == list(range(256))
    assert GPT2_BYTE_ORDER[:94] == bytes(range(0x21, 0x7F))


def test_an_encoding_is_imported_by_its_name(tmp_path: Path, register: Callable[..., None]) -> None:
    """An encoding with GPT-2's pattern and special token becomes an artifact with its tokens."""
    register("tiny", b"th", b"the")
    assert import_tokenizer("tiny", "tiktoken", tmp_path / "model.json").mergeable_vocab_size == 258
    assert Tokenizer.load(tmp_path / "model.json").encode("the<|endoftext|>") == [257, 258]


def test_incompatible_encodings_are_rejected(tmp_path: Path, register: Callable[..., None]) -> None:
    """An encoding with another pattern, or other special tokens, is an error with the reason."""
    register("uncut", pattern="(?s:.+)")
    with pytest.raises(
        ValueError, match=r"^cannot import uncut: it does not have GPT-2's split pattern"
    ):
        import_tokenizer("uncut", "tiktoken", tmp_path / "model.json")
    register("another", special="<|end|>")
    with pytest.raises(
        ValueError, match=r"^cannot import another: it has the special tokens '<\|end\|>', "
    ):
        import_tokenizer("another", "tiktoken", tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def trained_by(merges: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> dict[bytes, int]:
    """Return the ranks of the tokens that merges make."""
    vocab = oracle.vocabulary(merges)
    return {vocab[token_id]: token_id for token_id in range(256 + len(merges))}


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        ({}, "it has no token for the byte 0x00"),
        (dict(list(BYTES.items())[:-1]), "it has no token for the byte 0xff"),
        (BYTES | {b"ab": 258}, "no token has the rank 257"),
        (BYTES | {b"ab": 257, b"cd": 259}, "no token has the rank 258"),
        (BYTES | {b"abc": 256}, "token 256, b'abc', is not a merge of two lower-ranked tokens"),
        (
            BYTES | {b".\n": 256},
            r"its token 256, b'.\\n', cannot occur in a chunk of GPT-2's pattern",
        ),
        (BYTES | {b"a1": 256}, "its token 256, b'a1', cannot occur in a chunk"),
    ],
)
def test_incompatible_ranks_are_rejected(
    ranks: dict[bytes, int], reason: str, tmp_path: Path
) -> None:
    """Ranks with a gap, without the bytes, or not from BPE or this pattern are errors."""
    path = write_ranks(tmp_path / "ranks", ranks)
    with pytest.raises(ValueError, match=f"^cannot import {path}: {reason}"):
        import_tokenizer(path, "tiktoken", tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_merges_are_recovered_as_tiktoken_makes_them(tmp_path: Path) -> None:
    """The recovered merge is the one of tiktoken, which merges by bytes."""
    path = write_ranks(tmp_path / "ranks", trained_by(UNREACHABLE))
    import_tokenizer(path, "tiktoken", tmp_path / "model.json")
    assert Tokenizer.load(tmp_path / "model.json").encode("abc") == [258]


@pytest.mark.parametrize("beginning", ["'l", "'v", "'r"])
def test_part_of_a_contraction_is_accepted(beginning: str, tmp_path: Path) -> None:
    """A part of a contraction alone is two chunks, and yet training can make it a token."""
    ranks = BYTES | {beginning.encode(): 256}
    import_tokenizer(write_ranks(tmp_path / "ranks", ranks), "tiktoken", tmp_path / "model.json")
    corpus = "'ll" if beginning == "'l" else f"{beginning}e"
    assert Tokenizer.load(tmp_path / "model.json").encode(corpus)[0] == 256


@pytest.mark.parametrize(
    "line",
    [
        *(b"AA==", b"AA== x", b"AA== 0 1", b"@@ 0", b"A 0", b"\xff 0", b"AA== 0x1", b"= x"),
        *(b"AQ== 2_5_6", b"AQ== +256", b"AQ== -1", b"AQ== 01", b"AQ== 1.0", b"AQ== 9999999999"),
        "AQ== ٣".encode(),
    ],
)
def test_unrelated_files_are_rejected(line: bytes, tmp_path: Path) -> None:
    """The error gives the number of a line that is not a token and a rank."""
    path = tmp_path / "ranks"
    path.write_bytes(b"AA== 0\n" + line + b"\n")
    with pytest.raises(
        ValueError, match=r"it is not a file of ranks: expected .* on line 2, found b'"
    ):
        import_tokenizer(path, "tiktoken", tmp_path / "model.json")


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (b"YWI= 256\nYWI= 257\n", "the token b'ab' occurs a second time, on line 258"),
        (b"YWI= 256\nYWI= 256\n", "the token b'ab' occurs a second time, on line 258"),
        (b"YWI= 256\nYWM= 256\n", "the rank 256 occurs a second time, on line 258"),
        (b"YWI= 97\n", "the rank 97 occurs a second time, on line 257"),
        *(
            (token + b" 256\n", "its token 256, on line 257, is empty, which .* cannot represent")
            for token in (b"=", b"====")
        ),
    ],
)
def test_contradictory_lines_are_rejected(lines: bytes, fault: str, tmp_path: Path) -> None:
    """A repeated token or rank, or an empty token, is an error with the number of its line."""
    path = write_ranks(tmp_path / "ranks", BYTES)
    path.write_bytes(path.read_bytes() + lines)
    with pytest.raises(ValueError, match=f"^cannot import {path}: {fault}$"):
        import_tokenizer(path, "tiktoken", tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_endless_ranks_are_rejected(tmp_path: Path) -> None:
    """A file is not read beyond the largest possible size of ranks."""
    with (tmp_path / "ranks").open("wb") as file:
        file.truncate((1 << 26) + 1)
    with pytest.raises(ValueError, match=r"ranks is larger than 67108864 bytes"):
        import_tokenizer(tmp_path / "ranks", "tiktoken", tmp_path / "model.json")


@given(merge_lists(), st.binary(max_size=12))
def test_recovered_merges_match_the_reference_model(
    merges: list[tuple[int, int]], other: bytes
) -> None:
    """The fast way gives the merges of the slow one, or the same error."""
    ranks = trained_by(merges) | ({other: 9999} if other else {})
    token_of = {rank: token for token, rank in ranks.items()}
    try:
        expected = [(token_of[left], token_of[right]) for left, right in recover_merges(ranks)]
    except ValueError as error:
        with pytest.raises(ValueError, match=f"^{re.escape(str(error))}$"):
            recover(ranks)
    else:
        assert recover(ranks) == expected


def test_long_tokens_are_recovered_fast(tmp_path: Path) -> None:
    """Recovering a token of 4 KiB takes a moment; the slow way takes seconds."""
    ranks = BYTES | {b"a" * (2 << power): 256 + power for power in range(12)}
    assert recover(ranks) == [(b"a" * (1 << power),) * 2 for power in range(12)]
