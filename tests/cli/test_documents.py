"""Sources of documents: files and lists of them, parts of files, and texts with counts."""

import json
import shlex
import sys
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from cli_tools import BLOCK, call, lines, refusal, refused, rows_of, tuned, without_times
from help_tools import having, run

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
def test_each_line_is_a_document(folder: Path, end: bytes) -> None:
    """Every command reads a document from each line of several files, and skips blank lines."""
    (folder / "1.jsonl").write_bytes(rows(*TEXTS[:2]).replace(b"\n", end))
    (folder / "2.jsonl").write_bytes(end + rows(*TEXTS[2:]).rstrip().replace(b"\n", end))
    (folder / "list").write_text("1.jsonl\n2.jsonl\n")
    check_all_commands("--jsonl", "meta.text", "--files-from", "list")


def test_lines_of_any_length_are_read(folder: Path) -> None:
    """A line may be part of a block, or many blocks long; no token spans two lines."""
    texts = ["船 wor" * BLOCK, "ld", "a " * BLOCK, "", "b\n" * 10]
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
    b'{"text": "'
    + b"a" * 70_000
    + b'\xe9"}': r"is not UTF-8: byte 0xe9 at offset 70010 in the line",
    b"{'text': 'a'}": "is not JSON: Expecting property name enclosed in double quotes: column 2",
    b'\xef\xbb\xbf{"text": "a"}': "begins with a byte order mark; to remove it from the start",
    b'{"text": "a': "is not JSON: Unterminated string starting at: column 10",
    b'{"text": ' + b"[" * 100_000 + b"}": "cannot be read: its JSON is nested too deeply",
    b'{"b": "a", "c.d\\\\": 1}': r"has no field 'text'; the fields there are b, 'c\.d\\'",
    b"{}": "has no field 'text'; the fields there are none",
    b'"text"': "expected an object on the way to the field 'text', found a string",
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


def test_a_line_in_utf_16_is_no_file_in_utf_16(folder: Path) -> None:
    """To convert the whole file would damage the lines before it."""
    good, odd = b'{"text": "good"}\n' * 999, '{"text": "bad"}'.encode("utf-16")
    (folder / "rows").write_bytes(good + odd)
    *_, error, advice = refused(run("train", "--jsonl", "text", "rows"))
    assert error.startswith("error: rows, line 1000 is not UTF-8")
    assert advice.startswith("a part that looks like UTF-16 begins there")


@pytest.mark.parametrize(
    ("field", "row"),
    [
        pytest.param("turns[].text", {"turns": [{"text": text} for text in TEXTS]}, id="objects"),
        pytest.param("texts[]", {"texts": TEXTS}, id="strings"),
        pytest.param(
            "a[].b[].c",
            {"a": [{"b": []}, {"b": [{"c": text} for text in TEXTS]}, {"b": []}]},
            id="nested",
        ),
        pytest.param("[].text", [{"text": text} for text in TEXTS], id="a line that is an array"),
        pytest.param(r"a\.b\[]\\[]", {"a.b[]\\": TEXTS}, id="escaped"),
    ],
)
def test_each_element_of_an_array_is_a_document(folder: Path, field: str, row: object) -> None:
    """No token spans two of them, in every command."""
    (folder / "rows").write_text(f"{json.dumps(row)}\n")
    check_all_commands("--jsonl", field, "rows")


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (
            '{"a": [{"b": "x"}, {"c": 1, "d": 2}]}',
            " has no field 'a[].b'; the fields there are c, d",
        ),
        ('{"a": null}', ": expected an array on the way to the field 'a[].b', found null"),
        ('{"a": [[]]}', ": expected an object on the way to the field 'a[].b', found an array"),
        ('{"a": [{"b": null}]}', ": expected a string in the field 'a[].b', found null"),
    ],
    ids=["missing", "no array", "no object", "no text"],
)
def test_an_element_without_text_is_an_error(folder: Path, row: str, error: str) -> None:
    """It names the line, what is wrong on the way, and the option that skips such documents."""
    told = refused(run("encode", "--jsonl", "a[].b", stdin=f'{{"a": []}}\n{row}'.encode()))
    way_out = "--skip-invalid leaves such documents out"
    assert told == [f"error: standard input, line 2{error}", way_out]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ('{"m": [{"content": "a", "role": "b"}]}', "m[].content"),
        ('{"m": [{"n": 1, "b": "c"}]}', "m[].b"),
        ('{"m": ["a"]}', "m[]"),
    ],
    ids=["chat", "other", "texts"],
)
def test_an_array_has_a_field_to_type(folder: Path, row: str, field: str) -> None:
    """Where the texts are in its elements, the error names the field that finds them."""
    told = refused(run("encode", "--jsonl", "m", stdin=row.encode()))[0]
    assert told.endswith(f"found an array; for its elements, write '{field}'")
    assert run("encode", "--jsonl", field, stdin=row.encode()).returncode == 0


def test_documents_without_a_separator_are_told(folder: Path) -> None:
    """`encode` says that nothing is between documents that it joins, unless a token is."""
    told = "nothing is between the documents; --separator-token puts a special token there"
    words = ["encode", "--document-separator", ","]
    assert told in run(*words, stdin=b"a,b").told
    assert told not in run(*words, "--separator-token", stdin=b"a,b").told


@pytest.mark.parametrize(
    ("content", "filter_"),
    [
        ('[{"text": "a"}, {"text": "b"}]', "'.[]'"),
        ('\n[\n  {"text": "a"}\n]\n', "'.[]'"),
        ('{\r\n  "text": "a"\r\n}\n', "."),
    ],
    ids=["on one line", "on several lines", "an object"],
)
def test_other_json_has_a_way_out(folder: Path, content: str, filter_: str) -> None:
    """A file that is one array, or has an object on several lines, gets the command for it."""
    for words in ("encode --model m.json --jsonl text", "chunks --counts"):
        told = refusal(f"{words} -", stdin=content.encode())
        assert told[0].startswith("error: standard input is not JSON Lines, ")
        assert told[1] == f"convert it first, with: jq -c {filter_}"


INVALID = ['{"text": null}', '{"more": 1}', '{"text": [1]}', '{"text": null}', '{"text": "end"}']


def test_invalid_documents_can_be_skipped(folder: Path) -> None:
    """The number for each reason is told at the end, and in JSON; without the option it is null."""
    (folder / "rows").write_text("\n".join(INVALID))
    result = run("encode", "--jsonl", "text", "--skip-invalid", "rows", "--output", "ids")
    assert json.loads((folder / "ids").read_bytes()) == ids_of("end")[0]
    assert json.loads(result.stdout)["skipped"] == {"null": 2, "missing": 1, "wrong_type": 1}
    assert result.told[-1] == "skipped: 4 documents (2 null, 1 missing, 1 wrong type)"
    rest = INVALID[-1].encode()
    result = run("encode", "--jsonl", "text", "--skip-invalid", "--output", "all", stdin=rest)
    assert json.loads(result.stdout)["skipped"] == {"null": 0, "missing": 0, "wrong_type": 0}
    assert result.told == []
    for command in sorted({*having("--skip-invalid")} - {"encode"}):
        own = {"chunks": ["--output", "c"], "count": ["--json"], "sizes": ["--json"]}
        words = ["m.json", "m.json"] if command == "diff" else []
        words += ["--jsonl", "text", "--skip-invalid", "rows", *own.get(command, [])]
        result = run(command, *words)
        assert json.loads(result.stdout)["skipped"]["null"] == 2


@pytest.mark.parametrize("damage", [b'{"text": ', b'{"text": "\xe9"}', rb'{"text": "\ud800"}'])
def test_damage_is_not_skipped(folder: Path, damage: bytes) -> None:
    """A line that is not JSON, or not UTF-8, is an error also with `--skip-invalid`."""
    assert refused(run("encode", "--jsonl", "text", "--skip-invalid", "-", stdin=damage))


# --document-separator


@pytest.mark.parametrize("command", sorted({*having("--document-separator")} - {"diff"}))
def test_a_separator_gives_what_json_lines_give(folder: Path, command: str) -> None:
    """With any number of processes, each part of a text file is a document, if it is not empty."""
    documents = [f"船 {TEXTS[0] * (number % 90)}{number}\n" for number in range(300)]
    (folder / "rows").write_text("\n".join(json.dumps({"text": text}) for text in documents))
    (folder / "text").write_text("<|end|>".join(["", *documents[:200], ""]))
    (folder / "more").write_text("<|end|>" * 2 + "<|end|>".join(documents[200:]))
    Tokenizer.train(documents, 300).save("m.json", overwrite=True)
    more = ["--separator-token"] if command == "encode" else []
    results = set()
    for words in (
        "rows --jsonl text -j1",
        "text more --document-separator <|end|> -j2",
    ):
        with tuned(worth=0):
            result = run(command, *words.split(), *more)
        assert result.returncode == 0, result.stderr
        found = without_times(result.stdout).replace(b'"files": 2', b'"files": 1')
        found = found.splitlines()[-1].replace(b"rows", b"total")
        results.add((found, *(path.read_bytes() for path in folder.glob("new.json"))))
    assert len(results) == 1


@given(
    text=st.text("ab+\n ü", max_size=30),
    separator=st.text("ab+\n", min_size=1, max_size=4),
    block=st.integers(1, 5),
)
@example("++a+++b", "++", 1)
@example("aabaab", "aab", 2)
def test_a_separator_is_found_leftmost(
    model: Path, tmp_path_factory: pytest.TempPathFactory, text: str, separator: str, block: int
) -> None:
    """However small blocks are, the documents are the parts between separators that have text."""
    folder = tmp_path_factory.getbasetemp()
    (folder / "text").write_bytes(text.encode())
    typed = separator.replace("\n", r"\n")
    words = f"encode text --model {shlex.quote(str(model))} --separator-token --separator-at after"
    with tuned(block=block):
        result = call(words, f"--document-separator={typed}", cwd=folder)
    tokenizer = Tokenizer.load(model)
    documents = [part for part in text.split(separator) if part]
    end = tokenizer.special_tokens["<|endoftext|>"]
    expected = [one for part in documents for one in [*tokenizer.encode(part), end]]
    assert json.loads(result.stdout) == expected


def test_escapes_in_a_separator_are_read(folder: Path) -> None:
    r"""`\n` and a newline are the same; two backslashes are one."""
    (folder / "text").write_bytes(b"a\n\nb\\c")
    for typed, documents in ((r"\n\n", 2), ("\n\n", 2), (r"\\", 2), (r"\n", 2), ("c", 1)):
        words = "encode -m m.json --separator-token --separator-at after text --document-separator"
        (ids,) = rows_of(words, typed)
        assert ids.count(ids_of("<|endoftext|>")[0][0]) == documents


@pytest.mark.parametrize(
    ("words", "names", "contained"),
    [
        ("train a.txt --vocab-size 260 -o t.json", "<|endoftext|>", True),
        ("train b.txt --vocab-size 260 -o t.json --special '<|c|>' '<|b|>'", "<|b|>", True),
        ("train b.txt --vocab-size 260 -o t.json", "<|endoftext|>", False),
        ("train a.txt --vocab-size 260 -o t.json --document-separator '<|endoftext|>'", "", False),
    ],
    ids=["default", "named", "absent", "separated"],
)
def test_a_special_token_in_the_corpus_is_a_warning(
    here: Path, words: str, names: str, contained: bool
) -> None:
    """Its name is learned as text, so one line names the option; the result is the same."""
    (here / "a.txt").write_text("船" * BLOCK + "<|endoftext|>" + "ab " * BLOCK + "<|endoftext|>")
    (here / "b.txt").write_text("ab <|b|> <|endoftex|> " + "ab " * BLOCK + "<|c|>")
    shown = (
        f"warning: the corpus contains {names}, which is learned as ordinary text; if it separates "
        f"the documents of text files, use --document-separator '{names}'"
    )
    assert [line for line in call(words).told if "warning" in line] == [shown] * contained


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
