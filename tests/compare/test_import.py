"""`import_tokenizer`: other libraries' files keep their ids, or are rejected with the reason.

The files here are exports and changed exports; `test_hugging_face.py` and
`test_import_models.py` import files that the libraries themselves have made.
"""

import base64
import codecs
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import GPT2_BYTE_ORDER, Imported, import_tokenizer
from bpetite_compare._conversion import _made
from bpetite_compare._engines import drift
from bpetite_compare._foreign import Foreign
from bpetite_compare.reference import recover_merges
from compare_tools import CORPUS, HOSTILE, PATTERNS, fewer, write_ranks
from hugging_face_files import MANY, MERGES, SAME, TWICE, UNKNOWN, File, texts_of_pieces
from texts import merge_lists

CHUNKS_OF_RANKS = st.lists(
    st.text("abc", min_size=2, max_size=6).map(str.encode), unique=True, min_size=1, max_size=12
)
BYTES = {bytes([value]): value for value in range(256)}


@pytest.mark.parametrize("order", [GPT2_BYTE_ORDER, bytes(reversed(range(256)))])
def test_the_ids_of_bytes_are_kept(order: bytes, tmp_path: Path) -> None:
    """Whatever ids the bytes have, the file has them, and so has encoded text."""
    vocab = oracle.vocabulary(merges := oracle.train([CORPUS], 300))
    ranks = {bytes([value]): rank for rank, value in enumerate(order)}
    ranks |= {vocab[token_id]: token_id for token_id in range(256, 300)}
    path = write_ranks(tmp_path / "ranks", ranks)
    assert ranks_imported(path, tmp_path, {"<|endoftext|>": 300}).vocab_size == 300
    tokenizer = Tokenizer.load(tmp_path / "model.json")
    for text in HOSTILE:
        ids = oracle.encode(text, merges)
        assert tokenizer.encode(text) == [order.index(one) if one < 256 else one for one in ids]


def ranks_imported(
    path: Path, folder: Path, special_tokens: dict[str, int] | None = None
) -> Imported:
    """Import a file of ranks with GPT-2's pattern."""
    output = folder / "model.json"
    return import_tokenizer(path, None, output, pattern="gpt2", special_tokens=special_tokens)


def test_the_byte_order_of_gpt_2_is_a_permutation() -> None:
    """GPT-2's order has every byte once, and begins with the printable ASCII bytes."""
    assert sorted(GPT2_BYTE_ORDER) == list(range(256))
    assert GPT2_BYTE_ORDER[:94] == bytes(range(0x21, 0x7F))


def test_an_encoding_is_imported_by_its_name(tmp_path: Path, register: Callable[..., None]) -> None:
    """An encoding of tiktoken has its own pattern, ids and special tokens."""
    register("tiny", b"th", b"the", pattern=PATTERNS["cl100k_base"], special="<|end|>")
    imported = import_tokenizer("tiny", "tiktoken", tmp_path / "model.json")
    assert (imported.vocab_size, imported.pattern) == (258, "gpt4")
    assert Tokenizer.load(tmp_path / "model.json").encode("the<|end|>") == [257, 258]


@fewer()
@given(CHUNKS_OF_RANKS, st.randoms(use_true_random=False), st.lists(st.text("abc ", max_size=9)))
@example([b"aa", b"aaa"], Random(0), ["aaaa"])
@example([b"ab", b"bc", b"abc"], Random(4), ["abc"])
def test_any_ranks_have_the_ids_of_tiktoken_or_are_refused(
    tokens: list[bytes], random: Random, texts: list[str]
) -> None:
    """Tokens in any order give tiktoken's ids; only an order of merges can be a fault."""
    random.shuffle(tokens)
    ranks = BYTES | {token: 300 + rank for rank, token in enumerate(tokens)}
    theirs = tiktoken.Encoding(
        "theirs", pat_str=oracle.PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    with TemporaryDirectory() as name:
        path = write_ranks(Path(name) / "ranks", ranks)
        try:
            ranks_imported(path, Path(name))
        except ValueError as error:
            assert "a tokenizer file cannot represent its merges" in str(error)  # noqa: PT017
            return
        tokenizer = Tokenizer.load(Path(name) / "model.json")
    for text in [*texts, "abcabccbaaaabbbcccabc", b"".join(tokens).decode()]:
        assert tokenizer.encode(text) == theirs.encode(text)


def test_an_empty_token_is_left_out(tmp_path: Path) -> None:
    """Whisper's ranks end with an empty token, which no text has."""
    path = write_ranks(tmp_path / "ranks", BYTES)
    path.write_bytes(path.read_bytes() + b"= 256\n")
    imported = ranks_imported(path, tmp_path, {"<s>": 257})
    assert imported.notes[0] == ("its token 256 is empty, so no text has it; it is left out")
    assert Tokenizer.load(tmp_path / "model.json").encode("a<s>") == [97, 257]


RANKS: Final = [*map(bytes, zip(range(256))), b"th", b"the", b" the", b"ab", b"xyz", b"yz"]
CONFIG: Final[dict[str, Any]] = {
    "pattern": ALL_PATTERNS["tekken"].text,
    "default_vocab_size": 260,
    "default_num_special_tokens": 3,
}


def accepted_are_thorough(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return rows of parameters; those without a reason are compared with a library."""
    return [pytest.param(*row, marks=() if row[0] else pytest.mark.thorough) for row in rows]


def line(token: bytes, rank: int) -> bytes:
    return base64.b64encode(token) + b" %d" % rank


LINES: Final = [line(token, rank) for rank, token in enumerate(RANKS)]
SPECIAL: Final = {"<s>": 500, "</s>": 400}


def ranks(*more: bytes, end: bytes = b"\n", **options: object) -> tuple[bytes, dict[str, object]]:
    """Return a file of ranks with more lines, and the options of an import."""
    return end.join([*LINES, *more, b""]), {"pattern": "gpt2", "special_tokens": SPECIAL} | options


def lacking(key: str) -> dict[str, object]:
    """Return the configuration of a `tekken.json` without one key."""
    return {name: value for name, value in CONFIG.items() if name != key}


def tekken(
    special: object = (), ranks: Sequence[bytes] = RANKS, /, given: object = None, **config: object
) -> tuple[bytes, dict[str, object]]:
    """Return a `tekken.json`, and the options of an import."""
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
        for rank, token in enumerate(ranks)
    ]
    content = {"config": CONFIG | config, "vocab": vocab, "special_tokens": special}
    return json.dumps(content).encode(), {"special_tokens": given} if given else {}


def name(rank: object, text: object) -> dict[str, object]:
    return {"rank": rank, "token_str": text, "is_control": True}


NOT_RANKS: Final = "it is not a file of ranks: expected base64, a space and a number on line 263, f"
LACKS: Final = "lacks a rank, its bytes or its name"
NOT_TEKKEN: Final = "it is not a tekken.json: expected a config and a vocab"
CLASHES: Final = [("b'a'", "b'zy'", 97), ("b'th'", "b'zy'", 256), ("b'zy'", "'<s>'", 500)]
NOT_LINES: Final = (
    *b" |YWI=|\t1|[]|@@ 0|A 0|\xff 0|= x|AA== x|AA== 0 1|AQ== 0x1|AQ== 2_5_6".split(b"|"),
    *(
        b"AQ== +256",
        b"AQ== -1",
        b"AQ== 01",
        b"AQ== 1.0",
        "AQ== \u0663".encode(),
    ),
)
RANK_TRAPS: Final = [
    *(("", ranks()), ("", ranks(end=b"\r\n")), ("", ranks(line(b"abc", 262), line(b"qqq", 999)))),
    *(("", ranks(pattern=one)) for one in ALL_PATTERNS),
    *(("", ranks(LINES[-1])), ("", ranks(b"= 300")), ("", ranks(special_tokens={}))),
    ("", ranks(line(b"zy", (1 << 21) - 1))),
    *(("not one of 0 to 2097151", ranks(line(b"zy", one))) for one in (1 << 21, 1 << 32, 10**99)),
    *(("", ranks(b"")), ("", ranks(b"", b"")), ("", (codecs.BOM_UTF8 + ranks()[0], ranks()[1]))),
    *((f"{one} and {other} {SAME}", ranks(line(b"zy", number))) for one, other, number in CLASHES),
    ("its token b'ab' has the ranks 259 and 300", ranks(line(b"ab", 300))),
    *((NOT_RANKS, ranks(one)) for one in NOT_LINES),
    *((MANY, ranks(line(b"a" * 3, 300), line(b"aa", 301))), (TWICE, ranks(line(b"<s>", 300)))),
    (f"its special token 'a' {TWICE}", ranks(special_tokens={"a": 300})),
    ("'a b': a special token has no ", ranks(special_tokens={"a b": 300})),
    ("'<s>x': it begins with the special", ranks(special_tokens={"<s>": 300, "<s>x": 301})),
    ("'': a special token has at least one character", ranks(special_tokens={"": 300})),
    ("lacks the split pattern", ranks(pattern=None)),
    ("no normalizer to drop", ranks(drop_normalizer=True)),
    *((SAME, ranks(special_tokens={"<s>": one})) for one in (97, 256)),
    (SAME, ranks(special_tokens={"<s>": 400, "</s>": 400})),
    ("has the id -1", ranks(special_tokens={"<s>": -1})),
    *(
        ("", tekken()),
        ("", tekken([name(0, "<s>"), name(2, "</s>")])),
        ("", tekken(given={"<s>": 1})),
    ),
    *(("", tekken(default_vocab_size=one)) for one in (259, 261, 262, 265, 9999)),
    ("no token for the byte 0xc5", tekken(default_vocab_size=200)),
    ("its special_tokens are not a list", tekken(7)),
    (NOT_TEKKEN, (b'{"config": {}}', {})),
    *(
        (
            f"its config lacks {key}",
            (json.dumps({"config": lacking(key), "vocab": []}).encode(), {}),
        )
        for key in CONFIG
    ),
    ("its config has the default_vocab_size '9'", tekken(default_vocab_size="9")),
    (NOT_TEKKEN, (json.dumps({"config": CONFIG, "vocab": {}}).encode(), {})),
    *(
        (f"its token 0 {LACKS}", (json.dumps({"config": CONFIG, "vocab": [one]}).encode(), {}))
        for one in ({"rank": 1}, {"rank": 1, "token_bytes": "?"})
    ),
    ("", tekken(default_num_special_tokens=0)),
    *((LACKS, tekken([one])) for one in (name(3, "<s>"), name(-1, "<s>"), name("1", "<s>"), {})),
    (SAME, tekken([name(1, "<s>"), name(1, "<t>")])),
    ("has the ranks 1 and 2", tekken([name(1, "<s>"), name(2, "<s>")])),
    ("has the ranks 3 and 259", tekken([], [*RANKS[:256], b"\x00"], default_vocab_size=300)),
    *(("whitespace", tekken([name(1, "a b")])), (TWICE, tekken([name(1, "th")]))),
    *((UNKNOWN, tekken(pattern=one)) for one in ("", " ?", CONFIG["pattern"] + "|.")),
    ("has the id -1", tekken(given={"<s>": -1})),
]


@pytest.mark.parametrize(("reason", "made"), accepted_are_thorough(RANK_TRAPS))
def test_traps_of_ranks(reason: str, made: tuple[bytes, dict[str, Any]], tmp_path: Path) -> None:
    """Each file of ranks or `tekken.json` is refused with the reason, or equals tiktoken."""
    (path := tmp_path / "theirs").write_bytes(made[0])
    if reason:
        with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
            import_tokenizer(path, None, tmp_path / "new.json", **made[1])
        return
    imported = import_tokenizer(path, None, tmp_path / "new.json", **made[1])
    ours, found = Tokenizer.load(tmp_path / "new.json"), dict[bytes, int]()
    if made[0].startswith(b"{"):
        content = json.loads(made[0])
        first = content["config"]["default_num_special_tokens"]
        for entry in content["vocab"][: content["config"]["default_vocab_size"] - first]:
            found[base64.b64decode(entry["token_bytes"])] = first + entry["rank"]
    else:
        pairs = (one.split() for one in made[0].splitlines() if one)
        found = {base64.b64decode(one): int(rank) for one, rank in pairs if one != b"="}
    theirs = tiktoken.Encoding(
        "theirs",
        pat_str=ALL_PATTERNS[imported.pattern].text,
        mergeable_ranks=found,
        special_tokens=dict(imported.special_tokens),
    )
    for text in filter(
        drift(ALL_PATTERNS[imported.pattern]).isdisjoint,
        [*texts_of_pieces(Random(60), 50), "</s><s>"],
    ):
        assert ours.encode(text) == theirs.encode(text, allowed_special="all"), text


def test_the_ids_of_tekken_follow_those_of_special_tokens(tmp_path: Path) -> None:
    """Tokens beyond the size do not count; names that the file lacks are gaps, or are given."""
    (path := tmp_path / "t.json").write_bytes(tekken()[0])
    imported = import_tokenizer(path, None, new := tmp_path / "new.json")
    assert (imported.pattern, imported.vocab_size, imported.special_tokens) == ("tekken", 257, {})
    assert imported.notes[0].startswith("3 of the ids from 0 to 2, which are for special tokens, ")
    assert Tokenizer.load(new).encode("the") == [3 + 256, 3 + ord("e")]
    path.write_bytes(tekken([name(2, "</s>")])[0])
    imported = import_tokenizer(path, "tekken", new, overwrite=True, special_tokens={"<s>": 1})
    assert imported.special_tokens == {"<s>": 1, "</s>": 2}


def test_a_folder_has_one_tokenizer(tmp_path: Path) -> None:
    """A `tokenizer.json` comes before a file of ranks, and two files of ranks are an error."""
    with pytest.raises(ValueError, match=r"has no tokenizer: expected tokenizer\.json or tekken"):
        import_tokenizer(tmp_path, None, new := tmp_path / "new.json")
    write_ranks(tmp_path / "a.tiktoken", BYTES)
    assert import_tokenizer(tmp_path, None, new, pattern="gpt4").pattern == "gpt4"
    write_ranks(tmp_path / "b.tiktoken", BYTES)
    with pytest.raises(ValueError, match=r"has several files like \*\.tiktoken; name one"):
        import_tokenizer(tmp_path, None, new, overwrite=True)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match=r"it is not a tokenizer\.json: no object `model`"):
        import_tokenizer(tmp_path, "huggingface", new, overwrite=True)


@pytest.mark.parametrize("data", [b"Zm9v 0\n", b'{"model": {}}', b'{"config": {}}'])
def test_a_second_file_is_not_left_out(data: bytes, tmp_path: Path) -> None:
    """Two files are one tokenizer only in GPT-2's design."""
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_bytes(data)
    with pytest.raises(ValueError, match=r"only vocab\.json and merges\.txt, in this order"):
        import_tokenizer(paths, None, tmp_path / "new.json")


NEITHER: Final = "it is not a tokenizer.json, a tekken.json, vocab.json with merges.txt, or a file"


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"\n\x0e\n\x05<unk>\x15\x00\x00", "it is a SentencePiece model, whose tokens are charac"),
        *((data, NEITHER) for data in (b"[1, 2]", b'{"a": "b"}', b"\x89PNG\r\n")),
        (b"", "x is empty"),
        (b'{"model": {}}', "its form already says what --pattern would; leave out --pattern"),
        (b'{"config": {}}', "its form already says what --pattern would; leave out --pattern"),
        (b'{"tokenizer_class": "x"}', "it only configures a tokenizer; name the tokenizer.json"),
    ],
)
def test_other_files_are_rejected(data: bytes, fault: str, tmp_path: Path) -> None:
    """The error says what the file is, or which forms there are."""
    (path := tmp_path / "x").write_bytes(data)
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(fault)}"):
        import_tokenizer(path, None, tmp_path / "new.json", pattern="gpt2" if data else None)
    (tmp_path / "v.json").write_text('{"a": 1}')
    with pytest.raises(ValueError, match="a vocabulary needs its merges: name vocab"):
        import_tokenizer(tmp_path / "v.json", None, tmp_path / "new.json")


@pytest.mark.parametrize("config", [{}, {"added_tokens_decoder": {}}], ids=["empty", "no tokens"])
def test_a_configuration_without_tokens_gives_none(config: object, tmp_path: Path) -> None:
    """Other configurations beside a file of ranks are ignored."""
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert ranks_imported(write_ranks(tmp_path / "ranks", BYTES), tmp_path).special_tokens == {}


def test_endless_ranks_are_rejected(tmp_path: Path) -> None:
    """A file is not read beyond the largest possible size of ranks."""
    with (tmp_path / "ranks").open("wb") as file:
        file.truncate((1 << 26) + 1)
    with pytest.raises(ValueError, match=r"ranks is larger than 67108864 bytes"):
        import_tokenizer(tmp_path / "ranks", "tiktoken", tmp_path / "model.json")


HEADER: Final = b"#version: 0.2\n"
GPT2_TRAPS: Final[list[tuple[str, bytes, dict[str, Any]]]] = [
    *(("", HEADER + b"\n".join([*map(str.encode, MERGES)]) + one, {}) for one in (b"", b"\n")),
    *(("", b"\r\n".join([*map(str.encode, MERGES)]), {}), ("", b"", {}), ("", HEADER, {})),
    *(("is not two tokens", HEADER + one, {}) for one in (b"\n", b"h e\n\n", b"h  e", b"h e\n \n")),
    *(("is not two tokens", one, {}) for one in (b"h e" + HEADER * 2, b"h e f")),
    ("which has no id", b"\xfeh e\n", {}),
    ("merges.txt begins with a byte order mark", b"\xef\xbb\xbf" + HEADER, {}),
    ("merges.txt is UTF-16", HEADER.decode().encode("utf-16"), {}),
    ("", HEADER, {"pattern": "gpt2"}),
    (SAME, HEADER, {"special_tokens": {"<s>": 97}}),
    (TWICE, HEADER, {"special_tokens": {"<|endoftext|>": 999}}),
    ("", HEADER, {"special_tokens": {"<s>": 400}}),
]


@pytest.mark.parametrize(("reason", "merges", "options"), accepted_are_thorough(GPT2_TRAPS))
def test_traps_of_gpt_2(
    reason: str, merges: bytes, options: dict[str, Any], tmp_path: Path
) -> None:
    """Each pair of files is refused with the reason, or all ids are those of `tokenizers`."""
    vocab = File().model["vocab"]
    if not reason:  # tokens that no merge makes are refused
        lines = merges.decode().splitlines()
        made = {one.replace(" ", "") for one in lines}
        vocab = {
            text: one
            for text, one in vocab.items()
            if len(text) == 1 or text in {*made, oracle.END_OF_TEXT}
        }
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.txt").write_bytes(merges)
    if reason:
        with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
            import_tokenizer(tmp_path, None, tmp_path / "new.json", **options)
        return
    imported = import_tokenizer(tmp_path, None, tmp_path / "new.json", **options)
    tokenizers = pytest.importorskip("tokenizers")
    paths = [str(tmp_path / one) for one in ("vocab.json", "merges.txt")]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*paths))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = Tokenizer.load(tmp_path / "new.json")
    for text in filter(drift().isdisjoint, texts_of_pieces(Random(60), 200)):
        if not any(special in text for special in imported.special_tokens):
            assert ours.encode(text) == theirs.encode(text).ids, text


@given(merge_lists(), st.binary(max_size=12))
def test_recovered_merges_match_the_reference_model(
    merges: list[tuple[int, int]], other: bytes
) -> None:
    """The pairs that make tokens are those of the slow way, if it finds one for each."""
    vocab = oracle.vocabulary(merges)
    ranks = {vocab[token_id]: token_id for token_id in range(256 + len(merges))}
    ranks |= {other: 9999} if other else {}
    token_of = {rank: token for token, rank in ranks.items()}
    found = _made(Foreign(ranks, None, {}, ()))
    try:
        expected = [(token_of[left], token_of[right]) for left, right in recover_merges(ranks)]
    except ValueError:
        assert len(found) <= len(ranks) - 256
    else:
        assert [*found.values()] == expected


def test_long_tokens_are_recovered_fast() -> None:
    """Recovering a token of 4 KiB takes a moment; the slow way takes seconds."""
    ranks = BYTES | {b"a" * (2 << power): 256 + power for power in range(12)}
    found = _made(Foreign(ranks, None, {}, ()))
    assert [*found.values()] == [(b"a" * (1 << power),) * 2 for power in range(12)]
