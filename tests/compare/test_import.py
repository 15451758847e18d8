"""`import_tokenizer`: ranks, `tekken.json`, GPT-2's two files, and what is common to all forms.

`test_import_huggingface.py` has the rules for a `tokenizer.json`, and `test_import_beside.py` those
for several files in a folder.
"""

import base64
import codecs
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from artifacts import content_of
from bpetite import Tokenizer
from bpetite_compare import Imported, import_tokenizer
from bpetite_compare.reference import recover_merges
from compare_tools import SPLIT_PATTERNS, fewer, write_ranks
from hugging_face_files import MANY, MERGES, TWICE, File

BYTES = {bytes([value]): value for value in range(256)}


def imported(folder: Path, data: bytes, **options: Any) -> Imported:  # noqa: ANN401 - its own
    """Import a file with these bytes as `new.json`."""
    (folder / "theirs").write_bytes(data)
    form = options.pop("form", None)
    return import_tokenizer(folder / "theirs", form, folder / "new.json", overwrite=True, **options)


# Ranks

SPECIAL: Final = {"<s>": 500, "</s>": 400}


def lines(ranks: dict[bytes, int]) -> list[bytes]:
    """Return the lines of a file of ranks."""
    return [base64.b64encode(token) + b" %d" % rank for token, rank in ranks.items()]


def ranks(*more: bytes, end: bytes = b"\n") -> bytes:
    """Return a file of ranks with more lines."""
    tokens = BYTES | {b"th": 256, b"the": 257, b" the": 258, b"ab": 259, b"xyz": 260, b"yz": 261}
    return end.join([*lines(tokens), *more, b""])


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
    """Bytes and tokens in any order give tiktoken's ids; an order of merges can be a fault.

    The merges are those of the reference implementation, if it finds one for each token.
    """
    random.shuffle(tokens)
    ranks = {bytes([value]): rank for rank, value in enumerate(random.sample(range(256), 256))}
    ranks |= {token: 300 + rank for rank, token in enumerate(tokens)}
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


def test_what_tiktokens_reader_skips_changes_nothing(tmp_path: Path) -> None:
    """A byte order mark, CRLF, empty lines and a line twice; an empty token, as Whisper has."""
    plain = imported(tmp_path, ranks(), pattern="gpt2", special_tokens=SPECIAL)
    odd = codecs.BOM_UTF8 + ranks(b"", *lines({b"yz": 261}), b"= 262", end=b"\r\n")
    new = imported(tmp_path, odd, pattern="gpt2", special_tokens=SPECIAL)
    assert new.sha256 == plain.sha256
    assert new.notes[0] == "its token 262 is empty, so no text has it; it is left out"


def test_endless_ranks_are_rejected(tmp_path: Path) -> None:
    """A file is not read beyond the largest possible size of ranks."""
    with (tmp_path / "ranks").open("wb") as file:
        file.truncate((1 << 26) + 1)
    with pytest.raises(ValueError, match=r"ranks is larger than 67108864 bytes"):
        import_tokenizer(tmp_path / "ranks", "tiktoken", tmp_path / "new.json")


NOT_RANKS: Final = "it is not a file of ranks: expected base64, a space and a number on line 263, f"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        pytest.param(b"YWI=", NOT_RANKS, id="no rank"),
        pytest.param(b"@@ 0", NOT_RANKS, id="other characters"),
        pytest.param(b"AQ== 2_5_6", NOT_RANKS, id="underscores"),
        pytest.param(b"YWI= 300", "its token b'ab' has the ranks 259 and 300", id="two ranks"),
        pytest.param(b"PHM+ 300", f"its special token '<s>' {TWICE}", id="a name as a token"),
        pytest.param(b"YWFh 300\nYWE= 301", MANY, id="an order of merges"),
    ],
)
def test_damaged_ranks_are_refused(more: bytes, reason: str, tmp_path: Path) -> None:
    """The error names what a file contradicts, or what a tokenizer file cannot have."""
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        imported(tmp_path, ranks(more), pattern="gpt2", special_tokens=SPECIAL)
    assert not (tmp_path / "new.json").exists()


# tekken.json


def tekken(*special: object, size: object = 260, first: int = 3, **parts: object) -> bytes:
    """Return a `tekken.json` of this size with 262 tokens, in which parts may be changed."""
    config = {"pattern": SPLIT_PATTERNS["tekken"], "default_vocab_size": size}
    vocab = [
        {"rank": rank, "token_bytes": line.split()[0].decode()}
        for rank, line in enumerate(ranks().splitlines())
    ]
    content = {"config": config | {"default_num_special_tokens": first}, "vocab": vocab}
    return json.dumps(content | {"special_tokens": special} | parts).encode()


def name(rank: object, text: object) -> dict[str, object]:
    return {"rank": rank, "token_str": text, "is_control": True}


@pytest.mark.parametrize(
    ("size", "first", "tokens", "ids"),
    [
        pytest.param(260, 3, 257, [3 + 256, 3 + ord("e")], id="a smaller size"),
        pytest.param(9999, 3, 262, [3 + 257], id="a larger size"),
        pytest.param(257, 0, 257, [256, ord("e")], id="no special tokens"),
    ],
)
def test_the_ids_of_tekken_follow_those_of_special_tokens(
    size: int, first: int, tokens: int, ids: list[int], tmp_path: Path
) -> None:
    """Tokens beyond the size do not count; names that the file lacks are gaps."""
    new = imported(tmp_path, tekken(size=size, first=first))
    assert (new.pattern, new.vocab_size, new.special_tokens) == ("tekken", tokens, {})
    note = "3 of the ids from 0 to 2, which are for special tokens, have no name"
    assert any(one.startswith(note) for one in new.notes) == bool(first)
    assert Tokenizer.load(new.path).encode("the") == ids


def test_names_of_tekken_may_be_given(tmp_path: Path) -> None:
    """Those of the file are kept."""
    new = imported(tmp_path, tekken(name(2, "</s>")), form="tekken", special_tokens={"<s>": 1})
    assert new.special_tokens == {"<s>": 1, "</s>": 2}


LACKS: Final = "lacks a rank, its bytes or its name"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(tekken(size="9"), "the default_vocab_size '9'", id="a size as text"),
        pytest.param(tekken(config={}), "its config lacks pattern", id="an empty config"),
        pytest.param(tekken(vocab={}), "expected a config and a vocab", id="a vocabulary"),
        pytest.param(tekken(special_tokens=7), "special_tokens are not a", id="special tokens"),
        pytest.param(tekken(vocab=[{"rank": 1, "token_bytes": "?"}]), LACKS, id="other bytes"),
        pytest.param(tekken(name(3, "<s>")), LACKS, id="a high rank of a name"),
        pytest.param(tekken(name(-1, "<s>")), LACKS, id="a negative rank of a name"),
    ],
)
def test_a_damaged_tekken_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    """The error names what the file contradicts."""
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        imported(tmp_path, data)


# GPT-2's two files


def of_two_files(folder: Path, merges: bytes, **options: Any) -> Imported:  # noqa: ANN401
    """Import GPT-2's two files."""
    (folder / "vocab.json").write_text(json.dumps(File().model["vocab"]))
    (folder / "merges.txt").write_bytes(merges)
    return import_tokenizer(folder, None, folder / "new.json", overwrite=True, **options)


def test_ways_to_write_merges(tmp_path: Path) -> None:
    """The first line, line ends, and the end of the last line do not matter."""
    merges = [*map(str.encode, MERGES)]
    ways = (b"\n".join([b"#version: 0.2", *merges]), b"\r\n".join([*merges, b""]))
    assert len({of_two_files(tmp_path, way).sha256 for way in ways}) == 1
    with pytest.raises(ValueError, match="which has no id"):
        of_two_files(tmp_path, b"\xfeh e\n")
    with pytest.raises(ValueError, match=TWICE):
        of_two_files(tmp_path, ways[0], special_tokens={"<|endoftext|>": 999})


# Any form


def test_a_folder_has_one_tokenizer(tmp_path: Path) -> None:
    """A `tokenizer.json` comes before a file of ranks, and two files of ranks are an error."""
    with pytest.raises(ValueError, match=r"has no tokenizer: expected tokenizer\.json or tekken"):
        import_tokenizer(tmp_path, None, new := tmp_path / "new.json")
    write_ranks(tmp_path / "a.tiktoken", BYTES)
    with pytest.raises(ValueError, match=r"has no tokenizer: expected tekken\*\.json$"):
        import_tokenizer(tmp_path, "tekken", new)
    assert import_tokenizer(tmp_path, None, new, pattern="gpt4").pattern == "gpt4"
    write_ranks(tmp_path / "b.tiktoken", BYTES)
    with pytest.raises(ValueError, match=r"has several files like \*\.tiktoken; name one"):
        import_tokenizer(tmp_path, None, new, overwrite=True)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match=r"it is not a tokenizer\.json: no object `model`"):
        import_tokenizer(tmp_path, "huggingface", new, overwrite=True)


def test_a_second_file_is_not_left_out(tmp_path: Path) -> None:
    """Two files are one tokenizer only in GPT-2's design."""
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_bytes(b"Zm9v 0\n")
    with pytest.raises(ValueError, match=r"only vocab\.json and merges\.txt, in this order"):
        import_tokenizer(paths, None, tmp_path / "new.json")


NEITHER: Final = (
    "it is not a tokenizer.json, tekken.json, vocab.json with merges.txt, file of ranks"
)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        pytest.param(b"\n\x0e\n\x05<unk>\x15", "a SentencePiece model, whose tokens", id="model"),
        pytest.param(b'{"a": "b"}', NEITHER, id="object"),
        pytest.param(b"\x89PNG\r\n", NEITHER, id="picture"),
        pytest.param(b'{"tokenizer_class": "x"}', "it only configures a tokenizer", id="class"),
        pytest.param(b'{"a": 1}', "a vocabulary needs its merges: name vocab", id="vocabulary"),
        pytest.param(b"[" * 200_000, "expected JSON: more brackets or keys", id="deep"),
        pytest.param(b'{"model": ' + b"9" * 100_000, "found one with 100,000", id="digits"),
        pytest.param(b'{"model": {"vocab": {"a": 1, "a": 2}}}', "'a'", id="key twice"),
    ],
)
def test_other_files_are_rejected(data: bytes, fault: str, tmp_path: Path) -> None:
    """The error says what the file is, or which forms there are; hostile JSON ends as well."""
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(fault)}"):
        imported(tmp_path, data)


@pytest.mark.parametrize(
    ("data", "option", "fault"),
    [
        pytest.param(
            b'{"model": {}}', {"pattern": "gpt2"}, "says what --pattern would", id="pattern"
        ),
        pytest.param(
            b'{"config": {}}',
            {"ignore_merges": True},
            "says what --ignore-merges would",
            id="merges",
        ),
        pytest.param(ranks(), {"drop_normalizer": True}, "no normalizer to drop", id="normalizer"),
    ],
)
def test_options_that_a_form_does_not_have_are_refused(
    data: bytes, option: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    """Nothing is left out without a word."""
    with pytest.raises(ValueError, match=fault):
        imported(tmp_path, data, **option)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_non_files_are_rejected(make: Callable[[Path], None], tmp_path: Path) -> None:
    """A pipe or an endless device is rejected immediately."""
    make(path := tmp_path / "theirs")
    with pytest.raises(ValueError, match="regular file"):
        import_tokenizer(path, "huggingface", tmp_path / "new.json")


def test_inputs_and_existing_files_are_kept(tmp_path: Path) -> None:
    """The output is another file than the input, and is not replaced unless asked."""
    (path := tmp_path / "theirs").write_bytes(before := ranks())
    with pytest.raises(ValueError, match="is also an input and would be overwritten"):
        import_tokenizer(path, None, path, overwrite=True, pattern="gpt2")
    (old := tmp_path / "old.json").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        import_tokenizer(path, None, old, pattern="gpt2")
    assert (path.read_bytes(), old.read_bytes()) == (before, b"old")


def test_unknown_format_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError,
        match="unknown import format 'x'; choose from tiktoken, huggingface, gpt2, tekken, gguf",
    ):
        import_tokenizer("y", "x", tmp_path / "new.json")
