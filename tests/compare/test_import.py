"""`import_tokenizer`: ranks, `tekken.json`, GPT-2's two files, and what is common to all forms.

`test_import_huggingface.py` has the rules for a `tokenizer.json`, and `test_import_beside.py` those
for several files in a folder.
"""

import base64
import codecs
import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import GPT2_BYTE_ORDER, Imported, import_tokenizer
from bpetite_compare.reference import build_vocab, recover_merges, train
from compare_tools import (
    CORPUS,
    HOSTILE,
    PATTERNS,
    SPLIT_PATTERNS,
    content_of,
    fewer,
    vocab_of,
    write_ranks,
)
from hugging_face_files import END, MANY, MERGES, SAME, TWICE, UNKNOWN, File, texts_of_pieces
from nasty import drift

BYTES = {bytes([value]): value for value in range(256)}
Options = dict[str, Any]


def imported(folder: Path, data: bytes, **options: Any) -> Imported:  # noqa: ANN401 - its own
    """Import a file with these bytes as `new.json`."""
    (folder / "theirs").write_bytes(data)
    form = options.pop("form", None)
    return import_tokenizer(folder / "theirs", form, folder / "new.json", overwrite=True, **options)


def lines(ranks: dict[bytes, int]) -> list[bytes]:
    """Return the lines of a file of ranks."""
    return [base64.b64encode(token) + b" %d" % rank for token, rank in ranks.items()]


# Ranks

RANKS: Final = BYTES | {b"th": 256, b"the": 257, b" the": 258, b"ab": 259, b"xyz": 260, b"yz": 261}
SPECIAL: Final = {"<s>": 500, "</s>": 400}


@pytest.mark.parametrize("order", [GPT2_BYTE_ORDER, bytes(reversed(range(256)))])
def test_the_ids_of_bytes_are_kept(order: bytes, tmp_path: Path) -> None:
    """Whatever ids the bytes have, the file has them, and so has encoded text."""
    vocab = build_vocab(train([CORPUS], 300).merges)
    ranks = {bytes([value]): rank for rank, value in enumerate(order)}
    ranks |= {token: token_id for token_id, token in vocab.items() if token_id > 255}
    special = {END: 300}
    path = write_ranks(tmp_path / "ranks", ranks)
    new = import_tokenizer(
        path, None, tmp_path / "new.json", pattern="gpt2", special_tokens=special
    )
    assert new.vocab_size == 300
    ours = Tokenizer.load(new.path)
    theirs = Tokenizer.train(CORPUS, 300)
    for text in HOSTILE:
        ids = theirs.encode(text)
        assert ours.encode(text) == [order.index(one) if one < 256 else one for one in ids]


def test_the_byte_order_of_gpt_2_is_a_permutation() -> None:
    """GPT-2's order has every byte once, and begins with the printable ASCII bytes."""
    assert sorted(GPT2_BYTE_ORDER) == list(range(256))
    assert GPT2_BYTE_ORDER[:94] == bytes(range(0x21, 0x7F))


def test_an_encoding_is_imported_by_its_name(tmp_path: Path, register: Callable[..., None]) -> None:
    """An encoding of tiktoken has its own pattern, ids and special tokens."""
    register("tiny", b"th", b"the", pattern=PATTERNS["cl100k_base"], special="<|end|>")
    new = import_tokenizer("tiny", "tiktoken", tmp_path / "new.json")
    assert (new.vocab_size, new.pattern) == (258, "gpt4")
    assert Tokenizer.load(new.path).encode("the<|end|>") == [257, 258]


@fewer()
@given(
    st.lists(
        st.text("abc", min_size=2, max_size=6).map(str.encode), unique=True, min_size=1, max_size=12
    ),
    st.randoms(use_true_random=False),
    st.lists(st.text("abc ", max_size=9)),
)
@example([b"aa", b"aaa"], Random(0), ["aaaa"])
@example([b"ab", b"bc", b"abc"], Random(4), ["abc"])
def test_any_ranks_have_the_ids_of_tiktoken_or_are_refused(
    tokens: list[bytes], random: Random, texts: list[str]
) -> None:
    """Tokens in any order give tiktoken's ids; only an order of merges can be a fault.

    The merges are those of the reference model, if it finds one for each token.
    """
    random.shuffle(tokens)
    ranks = BYTES | {token: 300 + rank for rank, token in enumerate(tokens)}
    theirs = tiktoken.Encoding(
        "theirs", pat_str=SPLIT_PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={}
    )
    with TemporaryDirectory() as name:
        try:
            new = imported(Path(name), b"\n".join(lines(ranks)), pattern="gpt2")
        except ValueError as error:
            assert MANY in str(error)  # noqa: PT017
            return
        ours = Tokenizer.load(new.path)
    for text in [*texts, "abcabccbaaaabbbcccabc", b"".join(tokens).decode()]:
        assert ours.encode(text) == theirs.encode(text)
    with suppress(ValueError):  # it finds no merges for some
        expected = [[*pair, made] for pair, made in recover_merges(ranks).items()]
        assert content_of(ours)["merges"] == expected


def test_an_empty_token_is_left_out(tmp_path: Path) -> None:
    """Whisper's ranks end with an empty token, which no text has."""
    data = b"\n".join([*lines(BYTES), b"= 256"])
    new = imported(tmp_path, data, pattern="gpt2", special_tokens={"<s>": 257})
    assert new.notes[0] == "its token 256 is empty, so no text has it; it is left out"
    assert Tokenizer.load(new.path).encode("a<s>") == [97, 257]


def test_endless_ranks_are_rejected(tmp_path: Path) -> None:
    """A file is not read beyond the largest possible size of ranks."""
    with (tmp_path / "ranks").open("wb") as file:
        file.truncate((1 << 26) + 1)
    with pytest.raises(ValueError, match=r"ranks is larger than 67108864 bytes"):
        import_tokenizer(tmp_path / "ranks", "tiktoken", tmp_path / "new.json")


def ranks(*more: bytes, end: bytes = b"\n", **options: object) -> tuple[bytes, Options]:
    """Return a file of ranks with more lines, and the options of an import."""
    given = {"pattern": "gpt2", "special_tokens": SPECIAL} | options
    return end.join([*lines(RANKS), *more, b""]), given


def ranked(token: bytes, rank: int) -> tuple[bytes, Options]:
    """Return a file of ranks with one more token."""
    return ranks(*lines({token: rank}))


NOT_RANKS: Final = "it is not a file of ranks: expected base64, a space and a number on line 263, f"
BAD_RANKS: Final[dict[str, tuple[str, tuple[bytes, Options]]]] = {
    "a high rank": ("not one of 0 to 2097151", ranked(b"zy", 1 << 21)),
    "the rank of a byte": (f"b'a' and b'zy' {SAME}", ranked(b"zy", 97)),
    "the id of a special token": (f"b'zy' and '<s>' {SAME}", ranked(b"zy", 500)),
    "two ranks": ("its token b'ab' has the ranks 259 and 300", ranked(b"ab", 300)),
    "no rank": (NOT_RANKS, ranks(b"YWI=")),
    "other characters": (NOT_RANKS, ranks(b"@@ 0")),
    "underscores": (NOT_RANKS, ranks(b"AQ== 2_5_6")),
    "a zero first": (NOT_RANKS, ranks(b"AQ== 01")),
    "an order of merges": (MANY, ranks(*lines({b"aaa": 300, b"aa": 301}))),
    "a name as a token": (TWICE, ranked(b"<s>", 300)),
    "a space": ("'a b': a special token has no ", ranks(special_tokens={"a b": 300})),
    "a negative id": ("has the id -1", ranks(special_tokens={"<s>": -1})),
    "no pattern": ("lacks the split pattern", ranks(pattern=None)),
    "no normalizer": ("no normalizer to drop", ranks(drop_normalizer=True)),
}
GOOD_RANKS: Final[dict[str, tuple[bytes, Options]]] = {
    **{f"the pattern {name}": ranks(pattern=name) for name in SPLIT_PATTERNS},
    "CRLF": ranks(end=b"\r\n"),
    "more tokens": ranks(*lines({b"abc": 262, b"qqq": 999})),
    "a token twice": ranks(*lines({b"yz": 261})),
    "an empty token": ranks(b"= 300"),
    "no special token": ranks(special_tokens={}),
    "the highest rank": ranked(b"zy", (1 << 21) - 1),
    "empty lines": ranks(b"", b""),
    "a byte order mark": (codecs.BOM_UTF8 + ranks()[0], ranks()[1]),
}

# tekken.json

CONFIG: Final[dict[str, Any]] = {
    "pattern": SPLIT_PATTERNS["tekken"],
    "default_vocab_size": 260,
    "default_num_special_tokens": 3,
}


def tekken(
    *special: object, tokens: Sequence[bytes] = [*RANKS], given: object = None, **config: object
) -> tuple[bytes, Options]:
    """Return a `tekken.json`, and the options of an import."""
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
        for rank, token in enumerate(tokens)
    ]
    content = {"config": CONFIG | config, "vocab": vocab, "special_tokens": special}
    return json.dumps(content).encode(), {"special_tokens": given} if given else {}


def name(rank: object, text: object) -> dict[str, object]:
    return {"rank": rank, "token_str": text, "is_control": True}


def with_parts(**parts: object) -> tuple[bytes, Options]:
    """Return a `tekken.json` with other parts."""
    return json.dumps(json.loads(tekken()[0]) | parts).encode(), {}


LACKS: Final = "lacks a rank, its bytes or its name"
NOT_TEKKEN: Final = "it is not a tekken.json: expected a config and a vocab"
BAD_TEKKEN: Final[dict[str, tuple[str, tuple[bytes, Options]]]] = {
    **{
        f"no {key}": (
            f"its config lacks {key}",
            with_parts(config={other: CONFIG[other] for other in CONFIG if other != key}),
        )
        for key in CONFIG
    },
    "a size as text": ("the default_vocab_size '9'", tekken(default_vocab_size="9")),
    "a small size": ("no token for the byte 0xc5", tekken(default_vocab_size=200)),
    "special tokens as a number": ("its special_tokens are not a", with_parts(special_tokens=7)),
    "only a config": (NOT_TEKKEN, (b'{"config": {}}', {})),
    "a vocabulary as an object": (NOT_TEKKEN, with_parts(vocab={})),
    "other bytes": (LACKS, with_parts(vocab=[{"rank": 1, "token_bytes": "?"}])),
    "a high rank of a name": (LACKS, tekken(name(3, "<s>"))),
    "a negative rank of a name": (LACKS, tekken(name(-1, "<s>"))),
    "two ranks of a name": ("has the ranks 1 and 2", tekken(name(1, "<s>"), name(2, "<s>"))),
    "another pattern": (UNKNOWN, tekken(pattern=CONFIG["pattern"] + "|.")),
    "announced as Hugging Face": (
        "it is not a tokenizer.json: no object `model`",
        (tekken()[0], {"form": "huggingface"}),
    ),
}
GOOD_TEKKEN: Final[dict[str, tuple[bytes, Options]]] = {
    "a smaller size": tekken(default_vocab_size=261),
    "the size of the list": tekken(default_vocab_size=265),
    "a larger size": tekken(default_vocab_size=9999),
    "named": tekken(name(0, "<s>"), name(2, "</s>")),
    "given": tekken(given={"<s>": 1}),
    "none special": tekken(default_num_special_tokens=0),
}


def test_the_ids_of_tekken_follow_those_of_special_tokens(tmp_path: Path) -> None:
    """Tokens beyond the size do not count; names that the file lacks are gaps, or are given."""
    new = imported(tmp_path, tekken()[0])
    assert (new.pattern, new.vocab_size, new.special_tokens) == ("tekken", 257, {})
    assert new.notes[0].startswith("3 of the ids from 0 to 2, which are for special tokens, ")
    assert Tokenizer.load(new.path).encode("the") == [3 + 256, 3 + ord("e")]
    data, options = tekken(name(2, "</s>"), given={"<s>": 1})
    new = imported(tmp_path, data, form="tekken", **options)
    assert new.special_tokens == {"<s>": 1, "</s>": 2}


# GPT-2's two files

HEADER: Final = b"#version: 0.2\n"
LINES: Final = [*map(str.encode, MERGES)]
BAD_MERGES: Final[dict[str, tuple[str, tuple[bytes, Options]]]] = {
    "an empty line": ("is not two tokens", (HEADER + b"h e\n\n", {})),
    "no UTF-8": ("which has no id", (b"\xfeh e\n", {})),
    "another id": (TWICE, (HEADER, {"special_tokens": {END: 999}})),
}
GOOD_MERGES: Final[dict[str, tuple[bytes, Options]]] = {
    "no line end": (HEADER + b"\n".join(LINES), {}),
    "a line end": (HEADER + b"\n".join(LINES) + b"\n", {}),
    "CRLF": (b"\r\n".join(LINES), {}),
    "nothing": (b"", {}),
    "the pattern": (HEADER, {"pattern": "gpt2"}),
    "a special token": (HEADER, {"special_tokens": {"<s>": 400}}),
}


def of_two_files(folder: Path, vocab: dict[str, int], merges: bytes, options: Options) -> Imported:
    """Import GPT-2's two files."""
    (folder / "vocab.json").write_text(json.dumps(vocab))
    (folder / "merges.txt").write_bytes(merges)
    return import_tokenizer(folder, None, folder / "new.json", **options)


@pytest.mark.parametrize("row", [*BAD_RANKS, *BAD_TEKKEN])
def test_a_damaged_file_is_refused_with_the_reason(row: str, tmp_path: Path) -> None:
    """The error names what a file contradicts, or what a tokenizer file cannot have."""
    reason, (data, options) = (BAD_RANKS | BAD_TEKKEN)[row]
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        imported(tmp_path, data, **options)
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize("row", BAD_MERGES)
def test_damaged_merges_are_refused_with_the_reason(row: str, tmp_path: Path) -> None:
    """The same for GPT-2's two files."""
    reason, (merges, options) = BAD_MERGES[row]
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        of_two_files(tmp_path, File().model["vocab"], merges, options)
    assert not (tmp_path / "new.json").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("row", [*GOOD_RANKS, *GOOD_TEKKEN])
def test_accepted_ranks_have_the_ids_of_tiktoken(row: str, tmp_path: Path) -> None:
    """An import of ranks or a `tekken.json` equals tiktoken with these ranks."""
    data, options = (GOOD_RANKS | GOOD_TEKKEN)[row]
    new = imported(tmp_path, data, **options)
    ours, theirs = Tokenizer.load(new.path), dict[bytes, int]()
    if data.startswith(b"{"):
        content = json.loads(data)
        first = content["config"]["default_num_special_tokens"]
        for entry in content["vocab"][: content["config"]["default_vocab_size"] - first]:
            theirs[base64.b64decode(entry["token_bytes"])] = first + entry["rank"]
    else:
        pairs = (one.split() for one in data.splitlines() if one)
        theirs = {base64.b64decode(one): int(rank) for one, rank in pairs if one != b"="}
    encoding = tiktoken.Encoding(
        "theirs",
        pat_str=SPLIT_PATTERNS[new.pattern],
        mergeable_ranks=theirs,
        special_tokens=dict(new.special_tokens),
    )
    for text in [*texts_of_pieces(Random(60), 50), "</s><s>"]:
        if drift(new.pattern).isdisjoint(text):
            assert ours.encode(text) == encoding.encode(text, allowed_special="all"), text


@pytest.mark.thorough
@pytest.mark.parametrize("row", GOOD_MERGES)
def test_accepted_merges_have_the_ids_of_tokenizers(row: str, tmp_path: Path) -> None:
    """All ids of two files are those of `tokenizers`."""
    tokenizers = pytest.importorskip("tokenizers")
    merges, options = GOOD_MERGES[row]
    made = {one.replace(" ", "") for one in merges.decode().splitlines()}  # others are refused
    vocab = {
        text: one
        for text, one in File().model["vocab"].items()
        if len(text) == 1 or text in {*made, END}
    }
    new = of_two_files(tmp_path, vocab, merges, options)
    paths = [str(tmp_path / one) for one in ("vocab.json", "merges.txt")]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*paths))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = Tokenizer.load(new.path)
    for text in filter(drift().isdisjoint, texts_of_pieces(Random(60), 200)):
        if not any(special in text for special in new.special_tokens):
            assert ours.encode(text) == theirs.encode(text).ids, text


# Any form


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


def test_a_form_chooses_a_file_of_a_folder(tmp_path: Path) -> None:
    """With a form, only files with the names of this form are looked for."""
    (tmp_path / "tekken.json").write_bytes(tekken()[0])
    with pytest.raises(ValueError, match=r"has no tokenizer: expected tokenizer\.json$"):
        import_tokenizer(tmp_path, "huggingface", tmp_path / "new.json")
    assert import_tokenizer(tmp_path, "tekken", tmp_path / "new.json").pattern == "tekken"


@pytest.mark.parametrize("data", [b"Zm9v 0\n", b'{"model": {}}', b'{"config": {}}'])
def test_a_second_file_is_not_left_out(data: bytes, tmp_path: Path) -> None:
    """Two files are one tokenizer only in GPT-2's design."""
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_bytes(data)
    with pytest.raises(ValueError, match=r"only vocab\.json and merges\.txt, in this order"):
        import_tokenizer(paths, None, tmp_path / "new.json")


NEITHER: Final = "it is not a tokenizer.json, a tekken.json, vocab.json with merges.txt, or a file"
BY_FORM: Final = "its form already says what --pattern would; leave out --pattern"


@pytest.mark.parametrize(
    ("data", "options", "fault"),
    [
        pytest.param(
            b"\n\x0e\n\x05<unk>\x15\x00", {}, "a SentencePiece model, whose tokens", id="model"
        ),
        pytest.param(b"[1, 2]", {}, NEITHER, id="list"),
        pytest.param(b'{"a": "b"}', {}, NEITHER, id="object"),
        pytest.param(b"\x89PNG\r\n", {}, NEITHER, id="picture"),
        pytest.param(b"", {}, "theirs is empty", id="empty"),
        pytest.param(b'{"model": {}}', {"pattern": "gpt2"}, BY_FORM, id="pattern of tokenizer"),
        pytest.param(b'{"config": {}}', {"pattern": "gpt2"}, BY_FORM, id="pattern of tekken"),
        pytest.param(
            b'{"tokenizer_class": "x"}', {}, "it only configures a tokenizer; name", id="class"
        ),
        pytest.param(b'{"schema_version": 1}', {}, "it is already a bpetite", id="tokenizer file"),
        pytest.param(b'{"a": 1}', {}, "a vocabulary needs its merges: name vocab", id="vocabulary"),
    ],
)
def test_other_files_are_rejected(
    data: bytes, options: Options, fault: str, tmp_path: Path
) -> None:
    """The error says what the file is, or which forms there are."""
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(fault)}"):
        imported(tmp_path, data, **options)


@pytest.mark.parametrize("form", ["huggingface", "gpt2", "tekken", None])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"[" * 200_000, id="deep"),
        pytest.param(b'{"model": {"vocab": {"a": ' + b"9" * 100_000 + b"}}}", id="digits"),
        pytest.param(b'{"model": {"vocab": {"a": 1, "a": 2}}}', id="key twice"),
        pytest.param(b"\xff\xfe{}", id="UTF-16"),
    ],
)
def test_hostile_json_fails(form: str | None, data: bytes, tmp_path: Path) -> None:
    """Deep, huge or ambiguous JSON is an error, as in a tokenizer file."""
    path = tmp_path / "theirs"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="cannot import "):
        import_tokenizer([path] * (2 if form == "gpt2" else 1), form, tmp_path / "new.json")


@pytest.mark.parametrize("form", ["huggingface", "gpt2", "tiktoken"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_non_files_are_rejected(form: str, make: Callable[[Path], None], tmp_path: Path) -> None:
    """A pipe or an endless device is rejected immediately."""
    make(path := tmp_path / "theirs")
    with pytest.raises(ValueError, match="regular file"):
        import_tokenizer([path] * (2 if form == "gpt2" else 1), form, tmp_path / "new.json")


def test_inputs_and_existing_files_are_kept(tmp_path: Path) -> None:
    """The output is another file than the input, and is not replaced unless asked."""
    (path := tmp_path / "theirs").write_bytes(before := ranks()[0])
    with pytest.raises(ValueError, match="is also an input and would be overwritten"):
        import_tokenizer(path, None, path, overwrite=True, pattern="gpt2")
    (old := tmp_path / "old.json").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        import_tokenizer(path, None, old, pattern="gpt2")
    assert (path.read_bytes(), old.read_bytes()) == (before, b"old")
    import_tokenizer(path, None, old, overwrite=True, pattern="gpt2")
    assert vocab_of(Tokenizer.load(old))[256] == b"th"


def test_unknown_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError,
        match="unknown import format 'x'; choose from tiktoken, huggingface, gpt2, tekken",
    ):
        import_tokenizer("y", "x", tmp_path / "new.json")
