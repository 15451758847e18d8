"""The tokenizer file: its exact bytes, its maximum size, and every text that comes back."""

import tracemalloc
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from string import ascii_letters

import pytest
from hypothesis import example, given

import texts
from artifacts import GOOD, SPELLINGS, artifact_with, canonical, loaded, saved
from bpetite import Tokenizer
from bpetite._persistence import save
from oracle import Pair
from texts import merge_lists

MAXIMUM = 64 << 20
DOUBLING = [(97, 97), *((256 + rank, 256 + rank) for rank in range(40))]
"""Merges that each double the longest token: the last would have 2 to the power of 41 bytes."""


@pytest.mark.parametrize("data", [canonical(GOOD), *SPELLINGS.values()], ids=["", *SPELLINGS])
def test_equivalent_json_loads(data: bytes) -> None:
    """FR-37: whatever spells the JSON, it is the same tokenizer, with `int` ids."""
    tokenizer = loaded(data)
    assert saved(tokenizer) == canonical(GOOD)
    assert {type(token_id) for token_id in tokenizer.encode("ab ab<|endoftext|>")} == {int}


def test_merges_make_the_tokens() -> None:
    """FR-12, FR-37: the file is ASCII, without spaces, with sorted keys and bytes as integers."""
    data = saved(Tokenizer.train("ab ab ab", 258))
    assert data.startswith(b'{"mergeable_vocab_size":258,"merges":[[97,98],[32,256]],')
    assert b'"vocab":{"0":[0],"1":[1],"10":[10],"100":[100],' in data
    assert data.endswith(b',"99":[99]}}')
    assert data == canonical(GOOD)


@given(merge_lists())
@example([(rank % 256, rank // 256) for rank in range(12_000)])
@example([(0, 0)] * 9_000)
@example([(0, 0), *((256 + rank, 0) for rank in range(300))])
@example([(0, 255), (256, 256), (257, 257)])
def test_the_file_is_what_json_writes(merges: list[Pair]) -> None:
    """FR-27, FR-29: any merges load, and the file is that of `json.dumps`.

    Among the merges are ids of five digits, many short merges, long tokens, and equal tokens.
    """
    data = canonical(artifact_with(merges))
    tokenizer = loaded(data)
    assert saved(tokenizer) == data
    assert tokenizer == loaded(data + b"\n")


STRANGE = {
    "later id": "[97,256]",
    "nested": "[[97,98]",
    "long number": "[9" + "7" * 5000 + ",98]",
    "too many": ",".join(["[97,98]"] * 20_000),
    "doubling": ",".join(f"[{left},{right}]" for left, right in DOUBLING),
}


@pytest.mark.parametrize("merges", STRANGE.values(), ids=STRANGE)
def test_strange_merges_take_little_memory(merges: str) -> None:
    """Merges that no tokenizer file has are rejected before they take much memory."""
    data = canonical(GOOD).replace(b"[97,98],[32,256]", merges.encode("ascii"))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="expected"):
            loaded(data)
        assert (
            tracemalloc.get_traced_memory()[1] < MAXIMUM + 30 * len(data) + 200_000
        )  # room for any file
    finally:
        tracemalloc.stop()


def test_training_stops_at_a_savable_size() -> None:
    """The largest file that training allows can be saved; it may have exactly the maximum size.

    First some thousand merges lengthen one token, until a token has all letters. Then each adds
    25 bytes. Each special token has an id that grows with the vocabulary.
    """
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 3334)))
    corpus = dict.fromkeys(letters, 3) | {letters[::-1]: 2}
    corpus |= {"".join(pair): 1 for pair in product(ascii_letters, repeat=2)}
    names = [f"<{number}>" for number in range(4096)]
    with pytest.raises(ValueError, match=r"^vocab_size must be at most [0-9,]+ for this") as stop:
        Tokenizer.train(corpus, 30_000, special_tokens=names)
    allowed, _, rest = str(stop.value).removeprefix("vocab_size must be at most ").partition(" ")
    file = "the tokenizer file would be larger than 67,108,864 bytes, the maximum"
    assert rest == f"for this corpus: with more tokens, {file}"
    size = int(allowed.replace(",", ""))
    # One token fewer, and a longer name instead: "a" takes four bytes of the file, "d" five.
    room = MAXIMUM - len(saved(Tokenizer.train(corpus, size - 1, special_tokens=names)))
    for more, fits in (room, True), (room + 1, False):
        name = f"<{'d' * (more % 4)}{'a' * (more // 4 - more % 4)}0>"
        with (
            nullcontext() if fits else pytest.raises(ValueError, match=f"at most {size - 2:,} for")
        ):
            Tokenizer.train(corpus, size - 1, special_tokens=[name, *names[1:]])


def test_a_token_longer_than_the_file_is_an_error(tmp_path: Path) -> None:
    """Merges that double a token end before it takes the memory of the machine."""
    path = tmp_path / "tokenizer.json"
    with pytest.raises(ValueError, match="larger than 67108864 bytes, the maximum, from merge 2"):
        save(path, {}, DOUBLING, {})
    assert not path.exists()


def test_environment_changes_nothing(tmp_path: Path, run_python: Callable[..., str]) -> None:
    """FR-12: a process with another hash seed, locale, zone or optimization writes equal bytes."""
    program = """
        import sys
        from bpetite import Tokenizer
        Tokenizer.train(sys.argv[2:], 300).save(sys.argv[1])
    """
    documents = ["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍", "", "x\r\ny\u2003 z"]
    for name, environment in {
        "first": {"PYTHONHASHSEED": "1", "PYTHONOPTIMIZE": "2", "LC_ALL": "C", "PYTHONUTF8": "1"},
        "second": {"PYTHONHASHSEED": "random", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati"},
    }.items():
        run_python(program, str(tmp_path / name), *documents, **environment)
        assert (tmp_path / name).read_bytes() == saved(Tokenizer.train(documents, 300))


CORPUS = "The cat sat. It's 12 o'clock! 日本語 العربية 👍👍 <|endoftext|>\n\n" * 4
SIZES = pytest.mark.parametrize("size", [256, 400], ids=["untrained", "trained"])
FIXTURES = {
    "empty": "",
    "whitespace": texts.WHITESPACE,
    "ASCII": "".join(map(chr, range(128))),
    "punctuation": "?!...--((()))[]{}~@#$%^&*_+=",
    "accents and case": "naïve Ünïcode e\u0301 ß ﬁ \u212b İıſ a\u200b\xad",
    "emoji": "👍 👩‍👩‍👧 🏳️‍🌈 🇩🇪",
    "CJK": "日本語 中文 한국어",
    "Arabic": "مرحبا بالعالم ١٢٣ \u202eabc\u202c",
    "special tokens": "<|endoftext|>a<|endoftext|>b<|endoftext|><|endoftext|>",
}


@SIZES
@pytest.mark.parametrize("text", FIXTURES.values(), ids=FIXTURES)
def test_fixture_decodes_to_itself(size: int, text: str) -> None:
    """FR-6, FR-24, FR-25: any text is restored."""
    tokenizer = Tokenizer.train(CORPUS, size)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.thorough
@SIZES
@pytest.mark.parametrize("between", ["", " "], ids=["adjacent", "spaced"])
def test_every_character_decodes_to_itself(size: int, between: str) -> None:
    """FR-25: each of the 1,112,064 characters is restored, whatever surrounds it."""
    tokenizer = Tokenizer.train(CORPUS, size)
    text = between.join(texts.every_character())
    assert tokenizer.decode(tokenizer.encode(text)) == text
