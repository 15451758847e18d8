"""The artifact: its exact bytes, one read, and every text that comes back."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import texts
from artifacts import GOOD, MERGES, PARTS, SPELLINGS, artifact_with, canonical
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._patterns import GPT2
from bpetite._persistence import load, save
from bpetite._schema.canonical import FileSize, of_json
from bpetite._schema.checks import check_content
from bpetite._strict_json import parse_json
from oracle import Pair
from texts import CORPORA, merge_lists

CHAIN = [(97, 98), *((256 + rank, 97) for rank in range(10_000))]
"""Merges that each lengthen the longest token by one letter."""

DOUBLING = [(97, 97), *((256 + rank, 256 + rank) for rank in range(40))]
"""Merges that each double the longest token: the last would have 2 to the power of 41 bytes."""


@given(merge_lists())
def test_the_file_size_is_known_in_advance(merges: list[Pair]) -> None:
    """After each merge, the size is the number of bytes that the file would have."""
    size = FileSize([], GPT2, (END_OF_TEXT_TOKEN,))
    for rank, (left, right) in enumerate(merges, 1):
        assert size.add(left, right)
        assert size.bytes == len(Artifact.of_merges(merges[:rank]).to_bytes())


def test_the_size_is_exact_beyond_999_tokens() -> None:
    """The size stays exact when ids grow beyond 999, one special token after the other."""
    for names in ((), (END_OF_TEXT_TOKEN,), ("<a>", "<b>", "<c>")):
        size = FileSize([], GPT2, names)
        for rank, (left, right) in enumerate(CHAIN[:800], 1):
            size.add(left, right)
            if rank == 1 or 738 < rank < 748:
                made = Artifact.of_merges(CHAIN[:rank], special_names=names)
                assert size.bytes == len(made.to_bytes())


def test_merges_make_the_tokens() -> None:
    """FR-12, FR-37: merges make what is read from their file: ASCII, without spaces, sorted."""
    artifact = Artifact.of_merges(MERGES)
    assert {type(token) for token in artifact.tokens} == {bytes}
    data = artifact.to_bytes()
    assert data == canonical(GOOD)
    assert data.startswith(b'{"mergeable_vocab_size":258,"merges":[[97,98],[32,256]],')
    assert b'"vocab":{"0":[0],"1":[1],"10":[10],"100":[100],' in data
    assert (artifact.vocab, artifact.merges, artifact.special_tokens) == PARTS
    assert artifact.pattern is GPT2
    assert Artifact.of_merges([(0, 0)]).tokens[256] == b"\0\0"


def test_a_merge_of_unknown_ids_is_rejected() -> None:
    """A merge joins two ids below its own."""
    for pair in [(97, 256), (256, 97), (97, 300), (300, 97), (-1, 97), (97, -1)]:
        message = rf"^merges\[0\]: expected two ids below 256, found \[{pair[0]}, {pair[1]}\]$"
        with pytest.raises(ValueError, match=message):
            Artifact.of_merges([pair])


def test_merges_beyond_the_maximum_size_are_rejected() -> None:
    """No token is made beyond the size limit, so memory is bounded."""
    for merges in (CHAIN, DOUBLING):
        with pytest.raises(ValueError, match="larger than 67108864 bytes, the maximum"):
            Artifact.of_merges(merges)


@given(merge_lists())
@example([(rank % 256, rank // 256) for rank in range(12_000)])
@example([(0, 0)] * 9_000)
@example([(0, 0), *((256 + rank, 0) for rank in range(300))])
@example([(97, 98), (97, 98)])
@example([(0, 255), (256, 256), (257, 257)])
@example([(97, 98), (98, 99), (256, 99), (97, 257)])
@example([])
def test_the_file_is_what_json_writes(any_path: Path, merges: list[Pair]) -> None:
    """FR-27, FR-29: the file is that of `json.dumps`, loads, and the fast reader accepts it.

    Among the merges are ids of five digits, many short merges, long tokens, and equal tokens.
    """
    data = Artifact.of_merges(merges).to_bytes()
    assert data == canonical(artifact_with(merges))
    assert of_json(data) == (check_content(parse_json(data)) if merges else None)
    parts = oracle.vocabulary(merges), merges, {"<|endoftext|>": 256 + len(merges)}
    save(any_path, *parts, overwrite=True)
    assert (any_path.read_bytes(), load(any_path)) == (data, parts)


@given(merge_lists(), st.data())
def test_the_fast_reader_is_for_no_other_bytes(merges: list[Pair], data: st.DataObject) -> None:
    """If a byte is added, removed or changed, the fast reader declines or agrees with the checks.

    It may agree, on other merges: two tokens can have the same bytes.
    """
    good = Artifact.of_merges(merges).to_bytes()
    start = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(start, min(start + 1, len(good))))
    middle = data.draw(st.sampled_from([*(bytes([byte]) for byte in b'0179,[]{}-. "ae'), b""]))
    changed = good[:start] + middle + good[end:]
    found = of_json(changed)
    assert found is None or found == check_content(parse_json(changed))


def test_the_fast_reader_declines_too_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The maximum number of tokens also applies to a file that is otherwise valid."""
    monkeypatch.setattr("bpetite._schema.canonical.MAX_VOCAB_SIZE", 257)
    assert of_json(canonical(GOOD)) is None


@pytest.mark.parametrize(
    "merges",
    [
        *("[97,98],[32]", "[97,256]", "[[97,98]", "[097,98]", "[9" + "7" * 5000 + ",98]"),
        *(",".join(["[97,98]"] * 20_000), ",".join(f"[{a},{b}]" for a, b in DOUBLING)),
    ],
    ids=["odd", "later id", "nested", "leading zero", "long number", "too many", "doubling"],
)
def test_the_fast_reader_declines_strange_merges(merges: str) -> None:
    """The fast reader declines merges that no artifact has, before they take much memory."""
    data = canonical(GOOD).replace(b"[97,98],[32,256]", merges.encode("ascii"))
    tracemalloc.start()
    found = of_json(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found is None
    assert peak < 3 * len(data) + 50_000


TIES = ["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍", "", "x\r\ny\u2003 z"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a test's artifact."""
    return tmp_path / "tokenizer.json"


def artifact_of(tokenizer: Tokenizer, path: Path) -> bytes:
    """Return the bytes that a tokenizer is saved as."""
    tokenizer.save(path, overwrite=True)
    return path.read_bytes()


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


def test_equivalent_json_loads(path: Path) -> None:
    """FR-37: tokens are `bytes`, ids are `int`, merges are tuples, whatever spells the JSON."""
    assert canonical(GOOD) not in SPELLINGS.values()
    for data in (canonical(GOOD), canonical(GOOD) + b"\n", *SPELLINGS.values()):
        path.write_bytes(data)
        vocab, merges, special_tokens = load(path)
        assert (vocab, merges, special_tokens) == PARTS
        assert {type(token) for token in vocab.values()} == {bytes}
        assert {type(token_id) for token_id in [*vocab, *special_tokens.values()]} == {int}
        assert {type(pair) for pair in merges} == {tuple}
        assert list(vocab) == list(range(259))


CORPUS = "The cat sat. It's 12 o'clock! 日本語 العربية 👍👍 <|endoftext|>\n\n" * 4
SIZES = pytest.mark.parametrize("size", [256, 400], ids=["untrained", "trained"])
FIXTURES = [
    *("", " ", " \n\t  \r\n ", texts.WHITESPACE, f"a{texts.SEPARATORS} {texts.SEPARATORS}b"),
    "".join(texts.PIECES),
    *("Hello, world! It's 2026; they'll see.", "".join(map(chr, range(128)))),
    *("?!...--((()))[]{}~@#$%^&*_+=", "naïve Ünïcode e\u0301 ß ﬁ \u212b İıſ a\u200b\xad"),
    *("👍 👩‍👩‍👧 🏳️‍🌈 🇩🇪", "日本語 中文 한국어", "مرحبا بالعالم ١٢٣"),
    *("\u202eabc\u202c \u200f\u200d", "\ufeffa\r\nb\rc\x00", "\U0010ffff\uffff\ue000"),
    *("<|endoftext|>", "a<|endoftext|>b<|endoftext|>", "<|endoftext|><|endoftext|>"),
    *("<|endoftext", "endoftext|>", "<|endo", "a" * 1000 + "日" * 1000),
]


@SIZES
def test_fixture_decodes_to_itself(path: Path, size: int) -> None:
    """FR-6, FR-24, FR-25, FR-26: any text is restored, also by a loaded tokenizer."""
    trained = Tokenizer.train(CORPUS, size)
    trained.save(path)
    loaded = Tokenizer.load(path)
    for text in FIXTURES:
        ids = trained.encode(text)
        assert loaded.encode(text) == ids
        assert trained.decode(ids) == loaded.decode(ids) == text


@pytest.mark.thorough
@SIZES
@pytest.mark.parametrize("between", ["", " "])
def test_every_character_decodes_to_itself(size: int, between: str) -> None:
    """FR-25: each of the 1,112,064 characters is restored, whatever surrounds it."""
    tokenizer = Tokenizer.train(CORPUS, size)
    text = between.join(texts.every_character())
    assert tokenizer.decode(tokenizer.encode(text)) == text
