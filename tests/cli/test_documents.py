"""Sources of documents: named files, lists of files, JSON Lines, and texts with counts."""

import json
import sys
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

from bpetite import Tokenizer
from cli_tools import lines, refusal, refused
from help_tools import run

TEXTS = ("Hello world, hello words.\n", "", "船夫 ⛵⛵ and <|endoftext|>\n", "the end")
NAMES = ("a.txt", "empty.txt", "with space.txt", "船.txt")


@pytest.fixture
def folder(here: Path) -> Path:
    """Return a folder with texts, and the model trained on them."""
    for name, text in zip(NAMES, TEXTS, strict=True):
        (here / name).write_bytes(text.encode())
    Tokenizer.train(TEXTS, 300).save("m.json")
    return here


def ids_of(*documents: str) -> list[list[int]]:
    """Return the ids of documents, from the library."""
    tokenizer = Tokenizer.load("m.json")
    return [tokenizer.encode(text) for text in documents]


def check_all_commands(*words: str, stdin: bytes = b"") -> None:
    """Check that each command reads the documents TEXTS, like the library."""
    ids = ids_of(*TEXTS)
    assert run("train", *words, stdin=stdin).returncode == 0
    assert Path("new.json").read_bytes() == Path("m.json").read_bytes()
    assert run("verify", *words, stdin=stdin).returncode == 0
    encoded = run("encode", "--separator-token", *words, stdin=stdin)
    [separator] = ids_of("<|endoftext|>")
    assert json.loads(encoded.stdout) == list(chain(*([*separator, *each] for each in ids)))[1:]
    counted = lines(run("count", *words, stdin=stdin).stdout)
    assert int(counted[-1].partition("\t")[0]) == sum(map(len, ids))


# --files-from


@pytest.mark.parametrize("end", ["\r\n", "\n\n"])
def test_a_list_of_files_works_like_their_names(folder: Path, end: str) -> None:
    """Every command reads the files of a list, in order, and skips blank lines."""
    (folder / "list").write_bytes(end.join(["", *NAMES]).encode())
    check_all_commands("--files-from", "list")


def test_a_piped_list_may_use_nul_bytes(folder: Path) -> None:
    """`find -print0` ends each path with a NUL byte; names may then have any other byte."""
    (folder / "a.txt").rename(folder / "a\n.txt")
    listed = "\0".join(["a\n.txt", *NAMES[1:], ""]).encode()
    check_all_commands("-0", "--files-from", "-", stdin=listed)


def test_named_files_come_before_listed_files(folder: Path) -> None:
    """Named files come before a list, `-` in it is standard input, and no token spans two files."""
    (folder / "list").write_text("\n".join(["empty.txt", "-", NAMES[3]]))
    (folder / "a.txt").write_text("Hello wor")
    ids = [*chain(*ids_of("Hello wor", "ld", TEXTS[3]))]
    result = run("encode", "--files-from", "list", "--input", "a.txt", stdin=b"ld")
    assert json.loads(result.stdout) == ids


@pytest.mark.parametrize(
    ("listed", "fault"),
    [
        (b"\n\r\n\n", "list lists no files; add at least one"),
        (b"a.txt\0", "list, line 1 contains a NUL byte; use --null"),
        (b"a.txt\n\n\xff\n", r"list, entry 3 is not UTF-8: b'\xff'; rename the file"),
        (b"a.txt\nnone\n", "none: No such file or directory; check the path"),
    ],
)
def test_an_unusable_list_is_rejected(folder: Path, listed: bytes, fault: str) -> None:
    """FR-33: an empty list, or a path that cannot be an argument, is reported with its position."""
    (folder / "list").write_bytes(listed)
    assert refused(run("train", "--files-from", "list")) == [f"error: {fault}"]


@pytest.mark.parametrize("option", ["--files-from", "--counts"])
def test_list_is_not_an_output(folder: Path, option: str) -> None:
    """The output cannot be the list, a file that it names, or a file of counts."""
    (folder / "list").write_bytes(b"a.txt\n" if option == "--files-from" else counted(("a", 1)))
    for name in ("list", "a.txt") if option == "--files-from" else ("list",):
        shown = refusal(f"train --vocab-size 256 --output {name} --force {option} list")
        assert f"{name} is also an input and would be overwritten" in shown[-1]


# --jsonl


def rows(*documents: object) -> bytes:
    """Return JSON Lines, each with a document in the field `text` of `meta`."""
    return b"".join(
        json.dumps({"id": number, "meta": {"text": text}}).encode() + b"\n"
        for number, text in enumerate(documents)
    )


@pytest.mark.parametrize("end", [b"\n", b"\n \t\r\n\n"])
def test_each_line_is_a_document(folder: Path, block: int, end: bytes) -> None:
    """Every command reads a document from each line of several files, and skips blank lines."""
    (folder / "1.jsonl").write_bytes(rows(*TEXTS[:2]).replace(b"\n", end))
    (folder / "2.jsonl").write_bytes(end + rows(*TEXTS[2:]).rstrip().replace(b"\n", end))
    (folder / "list").write_text("1.jsonl\n2.jsonl\n")
    check_all_commands("--jsonl", "meta.text", "--files-from", "list")


def test_lines_of_any_length_are_read(folder: Path, block: int) -> None:
    """A line may be part of a block, or many blocks long; no token spans two lines."""
    texts = ["船 wor" * block, "ld", "a " * block * 3, "", "b\n" * 10]
    data = rows(*texts)
    ids = ids_of(*texts)
    result = run("encode", "--jsonl", "meta.text", "--input", "-", stdin=data)
    assert json.loads(result.stdout) == list(chain(*ids))
    shown = run("count", "--json", "--jsonl", "meta.text", stdin=data).stdout
    assert json.loads(shown)["bytes"] == sum(len(text.encode()) for text in texts)


def test_the_last_value_of_a_duplicate_key_counts(folder: Path) -> None:
    """As in Python's json, in jq and in JavaScript; other fields may contain anything."""
    digits = b"1" * 5000
    stdin = b'{"text": "a", "more": [NaN, 1e999, -%b, {"text": 1}], "text": "the end"}' % digits
    result = run("encode", "--jsonl", "text", "--input", "-", stdin=stdin)
    assert [json.loads(result.stdout)] == ids_of("the end")


NO_STRING = "expected a string in the field 'text', found"
FAULTS = {
    b'{"text": "\xe9"}': r"is not UTF-8: byte 0xe9 at offset 10 in the line",
    b"{'text': 'a'}": "is not JSON: Expecting property name enclosed in double quotes: column 2",
    b'\xef\xbb\xbf{"text": "a"}': "begins with a byte order mark; to remove it from the start",
    b'{"text": "a': "is not JSON: Unterminated string starting at: column 10",
    b'{"text": ' + b"[" * 100_000 + b"}": "cannot be read: its JSON is nested too deeply",
    b'{"other": "a"}': "has no field 'text'",
    b'"text"': "has no field 'text'",
    b'{"text": null}': f"{NO_STRING} null",
    b'{"text": true}': f"{NO_STRING} true or false",
    b'{"text": ["a"]}': f"{NO_STRING} an array",
    b'{"text": {}}': f"{NO_STRING} an object",
    b'{"text": ' + b"1" * 5000 + b"}": f"{NO_STRING} a number",
    rb'{"text": "a\ud800"}': r"the field 'text' has a lone surrogate, \ud800",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault)[:40])
def test_invalid_document_lines_are_rejected(folder: Path, fault: bytes) -> None:
    """FR-33: any other line is an error with its file and number, and nothing is written."""
    (folder / "rows").write_bytes(b'{"text": "good"}\n\n' + fault + b'\n{"text": "good"}\n')
    told = "\n".join(refused(run("train", "--jsonl", "text", "rows")))
    assert "error: rows, line 3" in told
    assert FAULTS[fault] in told
    assert not (folder / "new.json").exists()


def test_a_missing_pyarrow_is_explained(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, `--parquet` says how to install it; a broken one is reported as such."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "pyarrow.parquet", raising=False)
    uv = "add `--with pyarrow` to `uvx`, `uv run` or `uv tool install`"
    assert refused(run("encode", "--parquet", "text", "a.txt")) == [
        "error: --parquet requires pyarrow, which is not installed",
        f"run `pip install pyarrow`, or {uv}",
    ]
    monkeypatch.delitem(sys.modules, "pyarrow")
    (folder / "pyarrow.py").write_text("raise ImportError('no library')")
    monkeypatch.syspath_prepend(folder)
    assert refused(run("count", "--parquet", "text", "a.txt")) == [
        "error: pyarrow cannot be loaded: no library; install it again"
    ]


def test_damage_to_a_page_of_parquet_is_looked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The options of the reader ask for its checksums; here it only says them."""
    pyarrow, parquet = ModuleType("pyarrow"), ModuleType("pyarrow.parquet")

    def say(_: object, **options: object) -> None:
        raise OSError(repr(options))

    vars(pyarrow).update(ArrowException=OSError, parquet=parquet)
    vars(parquet).update(ParquetFile=say)
    for module in (pyarrow, parquet):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    (folder / "docs").write_bytes(b"PAR1")
    (told,) = refused(run("encode", "--parquet", "text", "docs"))
    assert "'page_checksum_verification': True" in told


# --separator-at


def encoded(*words: str) -> bytes:
    """Return the ids in two bytes each."""
    result = run("encode", "--format", "u16", "--separator-token", *words)
    assert result.returncode == 0
    return result.stdout


@pytest.mark.parametrize(("place", "number"), [("between", 3), ("before", 4), ("after", 4)])
def test_separators_are_counted_apart(folder: Path, place: str, number: int) -> None:
    """The figures are those of the text; nothing is separated where there are no documents."""
    words = ("--separator-token", "--separator-at", place, "--format", "u16", "--output", "ids")
    result = run("encode", *words, "--input", *NAMES)
    tokens = len([*chain(*ids_of(*TEXTS))])
    data = json.loads(result.stdout)
    found = data["tokens"], data["separators"], data["file_bytes"]
    assert found == (tokens, number, 2 * (tokens + number))
    saved = f"saved: ids, {tokens} tokens and {number} separators as u16, {found[2]} bytes"
    told = run("encode", *words, "--force", "--output-format", "text", "--input", *NAMES).stdout
    assert lines(told)[-1] == saved
    (folder / "rows").write_bytes(b"\n\n")
    assert encoded("--separator-at", place, "--jsonl", "text", "--input", "rows") == b""


@pytest.mark.parametrize("place", ["before", "after"])
def test_shards_can_be_joined(folder: Path, place: str) -> None:
    """Joining shards with a separator before or after each document gives the undivided ids."""
    (folder / "1.jsonl").write_bytes(rows(*TEXTS[:3]))
    (folder / "2.jsonl").write_bytes(rows(*TEXTS[3:]))
    words = ("--separator-at", place, "--jsonl", "meta.text", "--input")
    [separator] = ids_of("<|endoftext|>")
    before, after = (separator, []) if place == "before" else ([], separator)
    flat = chain(*([*before, *each, *after] for each in ids_of(*TEXTS)))
    expected = b"".join(token_id.to_bytes(2, "little") for token_id in flat)
    assert encoded(*words, "1.jsonl", "2.jsonl") == expected
    assert encoded(*words, "1.jsonl") + encoded(*words, "2.jsonl") == expected


# --counts


def counted(*pairs: tuple[str, int]) -> bytes:
    """Return JSON Lines of texts with counts."""
    return b"".join(
        json.dumps({"text": text, "count": count}).encode() + b"\n" for text, count in pairs
    )


def test_counts_train_like_repeated_documents(folder: Path) -> None:
    """Counts, of one text on several lines too, train and verify like the repeated documents."""
    pairs = (("ab", 2), *((text, 3) for text in TEXTS), ("ab", 2))
    repeated = [text for text, count in pairs for _ in range(count)]
    Tokenizer.train(repeated, 300).save("m.json", overwrite=True)
    stdin = counted(*pairs).replace(b"}\n", b', "more": []}\r\n\n')
    result = run("train", "--counts", "-", stdin=stdin)
    assert (folder / "new.json").read_bytes() == (folder / "m.json").read_bytes()
    assert json.loads(result.stdout)["corpus_bytes"] == len("".join(repeated).encode())
    assert run("verify", "--counts", "-", stdin=stdin).returncode == 0


MOST = 2**63 - 1
RANGE = f": expected a count from 1 to {MOST}, found"
NO_INTEGER = ": expected an integer in the field 'count', found"
COUNT_FAULTS = {
    '{"text": "a"}': " has no field 'count'",
    '{"count": 1}': " has no field 'text'",
    '{"text": 1, "count": 1}': ": expected a string in the field 'text', found a number",
    '{"text": "a", "count": 1.0}': f"{NO_INTEGER} 1.0",
    '{"text": "a", "count": true}': f"{NO_INTEGER} true or",
    '{"text": "a", "count": 0}': f"{RANGE} 0",
    f'{{"text": "a", "count": {MOST + 1}}}': f"{RANGE} {MOST + 1}",
    f'{{"text": "a", "count": -{"7" * 5000}}}': f"{RANGE} -{'7' * 29}\n",
}


@pytest.mark.parametrize("fault", COUNT_FAULTS, ids=lambda fault: fault[:40])
def test_invalid_count_lines_are_rejected(folder: Path, fault: str) -> None:
    """FR-33: an error names the file and the line, and nothing is saved."""
    (folder / "counts").write_bytes(counted(("a", 1)) + b"\n" + fault.encode())
    shown = "\n".join([*refused(run("train", "--counts", "counts")), ""])
    assert f"error: counts, line 3{COUNT_FAULTS[fault]}" in shown
    assert not (folder / "new.json").exists()
