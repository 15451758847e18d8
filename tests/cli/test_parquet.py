"""Documents in Parquet files, with the real pyarrow: results, errors, damage and memory."""

import json
import os
import random
import re
import signal
from itertools import chain
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bpetite import Tokenizer
from cli_tools import (
    LINE,
    bpetite,
    in_terminal,
    pipeline,
    refused,
    rows_of,
    start,
    tuned,
    wait_for,
    without_times,
)
from help_tools import having, run

pytestmark = pytest.mark.thorough

TEXTS: Final = ("Hello world, hello words.\n", "", "船夫 ⛵⛵ and <|endoftext|>\n", "the end")
TOKENIZER: Final = Tokenizer.train(TEXTS, 290)
SPECIAL: Final = 290
COMMANDS: Final = having("--parquet")


@pytest.fixture
def folder(here: Path) -> Path:
    """Return a folder with a tokenizer."""
    TOKENIZER.save("m.json")
    return here


def strings(*texts: str | None) -> pa.Array:
    return pa.array(texts, pa.string())


def write(path: Path, /, *, group: int = 3, **columns: pa.Array) -> None:
    """Write a file with row groups of a few rows."""
    pq.write_table(pa.table(columns), path, row_group_size=group)


def encoded(*words: str) -> list[int]:
    """Return the ids of documents, each after a separator."""
    options = ("--separator-token", "--separator-at", "before")
    ids: list[int] = rows_of("encode --model m.json", *options, *words)[0]
    return ids


def ids_of(*texts: str) -> list[int]:
    return list(chain.from_iterable([SPECIAL, *TOKENIZER.encode(text)] for text in texts))


# Results


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"diff"}))
def test_parquet_gives_what_json_lines_give(folder: Path, command: str) -> None:
    """With any number of processes, the output and the file are those of equal JSON Lines."""
    texts = [f"{LINE * (number % 300)}{number}" for number in range(1200)]
    rows = [json.dumps({"text": text}) for text in texts]
    (folder / "rows").write_text("\n".join(rows))
    table = pa.table({"id": range(1200), "text": strings(*texts)})
    pq.write_table(table, folder / "docs", compression="none", row_group_size=250)
    Tokenizer.train(texts, 400).save("m.json", overwrite=True)
    results = set()
    for words in ("rows --jsonl text -j2", "docs --parquet text -j1", "docs --parquet text -j3"):
        with tuned(worth=0):
            result = run(command, *words.split())
        assert result.returncode in {0, 1}, result.stderr
        found = without_times(result.stdout).replace(b"rows", b"docs")
        results.add((found, *(path.read_bytes() for path in folder.glob("new.json"))))
    assert len(results) == 1


@pytest.mark.parametrize("group", [1, 3, 100])
def test_each_row_is_a_document(folder: Path, group: int) -> None:
    """Columns of all types of strings are read, in several files and row groups of any size."""
    kinds = [
        strings(*TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        strings(*TEXTS).dictionary_encode(),
    ]
    for number, column in enumerate(kinds):
        write(folder / f"{number}", group=group, number=pa.array(range(4)), text=column)
    assert encoded("--parquet", "text", "--input", *"0123") == ids_of(*TEXTS * 4)


def test_a_folder_gives_its_parquet_files(folder: Path) -> None:
    """With `--parquet`, the Parquet files in a folder are read, and text files are not."""
    (folder / "data").mkdir()
    for name, text in (("b.parquet", TEXTS[2]), ("a.parquet", TEXTS[0])):
        write(folder / "data" / name, text=strings(text))
    (folder / "data" / "README.md").write_text("two files")
    assert encoded("--parquet", "text", "data") == ids_of(TEXTS[0], TEXTS[2])


def test_a_column_inside_structs_is_found(folder: Path) -> None:
    """Dots lead into structs; a name with dots comes first; a value inside a null is null."""
    inner = pa.StructArray.from_arrays([strings(*TEXTS), strings(*"abcd")], ["text", "more"])
    outer = pa.StructArray.from_arrays([strings(*"abcd"), inner], ["id", "meta"])
    write(folder / "nested", doc=outer)
    assert encoded("nested", "--parquet", "doc.meta.text") == ids_of(*TEXTS)
    write(folder / "both", **{"meta": inner, "meta.text": strings(*"abcd")})
    assert encoded("both", "--parquet", "meta.text") == ids_of(*"abcd")
    assert encoded("both", "--parquet", "meta.more") == ids_of(*"abcd")
    write(folder / "docs", meta=pa.array([{"text": "a"}, None]))
    assert refused(run("encode", "--parquet", "meta.text", "docs")) == [
        "error: docs, row 2: expected a string in the column 'meta.text', found null",
        "--skip-invalid leaves such documents out",
    ]


@pytest.mark.posix
def test_standard_input_may_be_a_file(folder: Path) -> None:
    """A file that the shell opens can be read from its end; a pipe cannot, and that is an error."""
    write(folder / "docs", text=strings(*TEXTS))
    words = ("count", "--model", folder / "m.json", "--parquet", "text")
    number = len(ids_of(*TEXTS)) - len(TEXTS)
    assert bpetite(*words, stdin=folder / "docs").stdout == b"%d\n" % number
    result = pipeline("cat docs | bpetite count --model m.json --parquet text", folder)
    assert (result.returncode, result.told) == (
        1,
        ["error: standard input is a pipe, and Parquet is read from its end; name a file instead"],
    )


# Errors


STRUCT: Final = pa.StructArray.from_arrays([strings(*"ab"), strings("a", None)], ["text", "other"])
NO_UTF_8: Final = pa.array([b"a", b"caf\xe9"], pa.binary()).view(pa.string())
HINT: Final = "write the file again in UTF-8, or copy it again if it is damaged"
NO_STRINGS: Final = ": expected strings in the column 'text', found"
FAULTS: Final[dict[str, tuple[dict[str, pa.Array], str]]] = {
    "null": (
        {"text": strings("a", None)},
        ", row 2: expected a string in the column 'text', found null",
    ),
    "no such column": (
        {"a b": strings(*"ab"), "meta": STRUCT},
        " has no column 'text'; it has 'a b', meta.text, meta.other",
    ),
    "many columns": (
        {f"c{number}": strings("a") for number in range(30)},
        f" has no column 'text'; it has {', '.join(f'c{one}' for one in range(20))}, and 10 more",
    ),
    "a struct": ({"text": STRUCT}, ": the column 'text' is a struct; name text.text, text.other"),
    "bytes": (
        {"text": pa.array([b"a"])},
        f"{NO_STRINGS} binary; if its bytes are UTF-8, cast it first",
    ),
    "no UTF-8": (
        {"text": NO_UTF_8},
        f", row 2: the column 'text' is not UTF-8: byte 0xe9 at offset 3; {HINT}",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_invalid_tables_are_rejected(folder: Path, fault: str) -> None:
    """FR-33: an error names the file, the column and the row, and nothing is written."""
    columns, message = FAULTS[fault]
    write(folder / "docs", group=1, **columns)
    assert f"error: docs{message}" in refused(run("train", "--parquet", "text", "docs"))
    assert not (folder / "new.json").exists()


def test_nulls_can_be_skipped(folder: Path) -> None:
    """Each row without a text is left out and counted."""
    write(folder / "docs", text=strings("a", None, "b", None))
    result = run("count", "--parquet", "text", "docs", "--skip-invalid", "--json")
    data = json.loads(result.stdout)
    assert (data["bytes"], data["skipped"]["null"]) == (2, 2)


def test_equal_names_of_columns_are_an_error(folder: Path) -> None:
    """Parquet allows them."""
    pq.write_table(pa.table([strings("a")] * 2, ["text"] * 2), folder / "docs")
    assert refused(run("encode", "--parquet", "text", "docs")) == [
        "error: docs has 2 columns 'text'; rename all but one"
    ]


def test_other_files_are_rejected(folder: Path) -> None:
    """An empty file and a text with the name of a Parquet file are errors."""
    for content, complaint in (
        (b"", "is not a Parquet file: it is empty; check the path"),
        (b'{"text": "a"}\n', "is not a Parquet file: it begins with b'{\"te'; check the path"),
        (b"PAR1 and text", "cannot be read: "),
    ):
        (folder / "docs.parquet").write_bytes(content)
        shown = refused(run("encode", "--parquet", "text", "docs.parquet"))
        assert shown[0].startswith(f"error: docs.parquet {complaint}")


# Damage


def prose(number: int) -> list[str]:
    """Return texts that compress like prose, with invisible and high bytes in UTF-8."""
    source = random.Random(number)
    words = ("the", " river", " and", " clerk", " é船⛵", "\n", " ", " of", " bells")
    return ["".join(source.choices(words, k=source.randrange(60))) for _ in range(number)]


def test_the_rows_are_counted(folder: Path) -> None:
    """The number of rows in the footer is checked, which has no checksum."""
    write(folder / "docs", group=1000, text=strings(*["a"] * 100))
    data = (folder / "docs").read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    place = data.index(b"\x16\xc8\x01", footer)  # the field after the schema: an integer, 100
    (folder / "docs").write_bytes(data[: place + 1] + b"\xca" + data[place + 2 :])
    assert refused(run("encode", "docs", "--parquet", "text")) == [
        "error: docs is damaged: it has 100 rows instead of 101; copy it again"
    ]


def test_rows_before_damage_are_read(folder: Path) -> None:
    """The error has the last row that could be read."""
    path = folder / "docs"
    table = pa.table({"text": strings(*prose(150))})
    pq.write_table(table, path, row_group_size=50, use_dictionary=False, write_page_checksum=True)
    place = pq.read_metadata(path).row_group(2).column(0)
    data = bytearray(path.read_bytes())
    data[place.data_page_offset + place.total_compressed_size // 2] ^= 1
    path.write_bytes(data)
    told = refused(run("encode", "--parquet", "text", "docs"))
    assert told[0].startswith("error: docs cannot be read after row 100: could not verify page")


# Progress and signals


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_progress_is_the_size_of_the_file(folder: Path) -> None:
    """Together, the shares of the rows are the bytes of the file."""
    write(folder / "docs", group=300, text=strings(*prose(1000)))
    status, _, drawn = in_terminal(["chunks", "docs", "--parquet", "text"], folder)
    size = (folder / "docs").stat().st_size / 1000
    assert (status, f"{size:.1f} kB of {size:.1f} kB" in drawn.decode()) == (0, True)


@pytest.mark.posix
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc on this system")
def test_ctrl_c_ends_reading(folder: Path) -> None:
    """A signal reaches the main thread, not those of pyarrow, and the command leaves nothing."""
    write(folder / "docs", group=10**6, text=strings(*["船 word " * 10**6] * 2))
    words = ("encode", "--model", "m.json", "--parquet", "text", "docs", "--output", "ids", "-j1")
    with start(*words, cwd=folder) as process:
        tasks = Path(f"/proc/{process.pid}/task")
        threads = wait_for(lambda: {*os.listdir(tasks)} - {str(process.pid)})
        for task in threads:
            blocked = int(re.findall("SigBlk:\t(.*)", (tasks / task / "status").read_text())[0], 16)
            assert all(blocked >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM))
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (130, b"", b"interrupted\n")
    assert sorted(os.listdir(folder)) == ["docs", "m.json"]
