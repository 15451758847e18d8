"""Folders as inputs: which files are read, in which order, and what is said about the others."""

import gzip
import json
import os
from pathlib import Path

import pytest

from cli_tools import call, lines, printed, refusal, rows_of
from help_tools import having

FILES = {
    "b.txt": b"low",
    "a.md": b"lower",
    "sub/c.md": b"lowest",
    "Z.txt": b"new",
    ".hidden": b"hidden",
    ".git/config": b"hidden",
    "image.txt": b"\x89PNG\r\n\x1a\n",
    "data": b"low\0er",
    "page.pdf": b"%PDF-1.7\n",
}
IN_ORDER = ["Z.txt", "a.md", "b.txt", "sub/c.md"]


@pytest.fixture
def docs(small: Path) -> Path:
    """Return a folder with text, hidden, binary and tokenizer files, in one with `m.json`."""
    folder = small / "docs"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "tokenizer.json").write_bytes((small / "m.json").read_bytes())
    return folder


def read_in(words: str) -> list[str]:
    """Return the files that `count` reads, in order."""
    content = json.loads(printed(f"count -m m.json --json {words}"))
    return [one["path"] for one in content["per_file"]]


def test_text_files_are_read_in_the_order_of_names(docs: Path) -> None:
    """Folders are walked in the order of names as bytes; each folder at its own place."""
    assert read_in("docs") == [f"docs/{name}" for name in IN_ORDER]
    (docs / "c").mkdir()
    (docs / "c" / "x").write_bytes(b"x")
    assert read_in("docs/") == [f"docs/{name}" for name in [*IN_ORDER[:3], "c/x", IN_ORDER[3]]]


def test_one_line_says_what_was_read_and_skipped(docs: Path) -> None:
    """Hidden, binary and tokenizer files are counted in one line."""
    result = call("count -m m.json docs")
    (line,) = lines(result.stderr)
    begin, skipped = line.split("; skipped: ")
    assert begin == "docs: 4 files, 17 bytes"
    assert sorted(skipped.split(", ")) == ["1 of tokenizers", "2 hidden", "3 binary"]


def test_count_gives_a_total_for_each_folder(docs: Path) -> None:
    """A folder's total follows its files; a total for all comes only with another input."""
    inside = [int(printed(f"count -m m.json docs/{name}").split()[0]) for name in IN_ORDER]
    rows = [f"{count}\tdocs/{name}" for count, name in zip(inside, IN_ORDER, strict=True)]
    assert lines(printed("count -m m.json docs")) == [*rows, f"{sum(inside)}\tdocs"]
    more = int(printed("count -m m.json a.txt").split()[0])
    assert lines(printed("count -m m.json a.txt docs")) == [
        f"{more}\ta.txt",
        *rows,
        f"{sum(inside)}\tdocs",
        f"{more + sum(inside)}\ttotal",
    ]
    data = json.loads(printed("count -m m.json a.txt docs --json"))
    (folder,) = data["per_folder"]
    assert (folder["path"], folder["files"], folder["tokens"]) == ("docs", 4, sum(inside))


def test_a_glob_narrows(docs: Path) -> None:
    """`--glob` reads the files in folders whose name fits; a named file is read anyway."""
    assert read_in("docs a.txt --glob '*.md'") == ["docs/a.md", "docs/sub/c.md", "a.txt"]
    told = refusal("count -m m.json a.txt --glob '*.md'")[-1]
    assert told == "error: --glob narrows folders, and no input is one; leave it out"
    told = refusal("count -m m.json docs --glob '*.rst'")[-1]
    assert told.startswith("error: docs has no text file to read; skipped: ")
    assert told.endswith("with other names; name files, or another --glob")


@pytest.mark.posix
def test_links_to_folders_are_not_followed(docs: Path) -> None:
    """A link to a folder is no folder, so a circle ends; a link to a file is that file."""
    (docs / "circle").symlink_to(docs)
    (docs / "nothing").symlink_to("gone")
    (docs / "link.txt").symlink_to("b.txt")
    assert read_in("docs") == [f"docs/{name}" for name in IN_ORDER]
    (line,) = lines(call("count -m m.json docs").stderr)
    assert {"2 of other kinds", "1 read already"} <= {*line.partition("skipped: ")[2].split(", ")}


def test_a_file_that_is_reached_twice_is_read_once(docs: Path) -> None:
    """A folder inside another adds nothing; what is named twice counts twice."""
    everything = [f"docs/{name}" for name in IN_ORDER]
    assert read_in("docs docs/sub") == everything
    assert read_in("docs docs") == everything * 2
    assert read_in("docs docs/sub docs docs/sub") == everything * 2
    assert read_in("docs docs/b.txt") == [*everything, "docs/b.txt"]


def test_the_own_output_is_not_read(docs: Path) -> None:
    """An output inside the folder is no input of the same command."""
    words = "encode -m m.json docs --format text --output docs/ids.txt --force"
    printed(words)
    first = (docs / "ids.txt").read_bytes()
    printed(words)
    assert (docs / "ids.txt").read_bytes() == first


def test_other_encodings_are_errors(docs: Path) -> None:
    """UTF-16 is named; any other file that is not UTF-8 is an error, too."""
    (docs / "utf16.txt").write_bytes("low".encode("utf-16"))
    assert (
        "docs/utf16.txt looks like UTF-16" in refusal("train docs --vocab-size 256 -o t.json")[-1]
    )
    (docs / "utf16.txt").write_bytes("caf\xe9 noir".encode("latin-1"))
    told = refusal("train docs --vocab-size 256 -o t.json")
    assert any("docs/utf16.txt is not UTF-8" in line for line in told)


def test_count_counts_the_other_files(docs: Path) -> None:
    """A file in a folder that cannot be read is an error; the others are counted."""
    expected = lines(printed("count -m m.json docs"))
    (docs / "utf16.txt").write_bytes("low".encode("utf-16-le"))
    (docs / "cut.gz").write_bytes(gzip.compress(b"low")[:-4])
    result = call("count -m m.json docs")
    assert (result.returncode, lines(result.stdout)) == (1, expected)
    assert [line.split()[1] for line in result.told[:2]] == ["docs/cut.gz", "docs/utf16.txt"]
    assert result.told[-1].startswith("error: 2 of 6 files could not be counted")


def test_all_bad_files_are_named_together(docs: Path) -> None:
    """Before anything is read, with what is wrong with each, and ten of them at most."""
    (docs / "latin").write_bytes(b"caf\xe9 noir")
    (docs / "z").write_bytes("low".encode("utf-16-le"))
    (docs.parent / "p.gz").write_bytes(gzip.compress(b"%PDF-1.7"))
    (docs.parent / "cut").write_bytes(b"a" * 4095 + "é".encode())
    (docs.parent / "end").write_bytes(b"a\xc3")
    result = call("train --vocab-size 256 -o t.json docs a.txt p.gz cut end none docs/image.txt")
    told = result.told
    assert (result.returncode, result.stdout) == (1, b"")
    assert [line.split()[0] for line in told] == [
        "error:",
        *("docs/latin", "docs/z", "p.gz", "end", "none:", "docs/image.txt"),
    ]
    assert told[0] == "error: 6 files cannot be read"
    assert "it looks like Latin-1; convert it first, with" in told[1]
    assert "p.gz is not text; it looks like a PDF file" in told[3]
    told = call("train --vocab-size 256 -o t.json", *map(str, range(12))).told
    assert (len(told), told[-1]) == (12, "and 2 more")


def test_compressed_text_is_text(docs: Path) -> None:
    """A compressed file is read if its content is text."""
    (docs / "d.gz").write_bytes(gzip.compress(b"newest"))
    (docs / "e.gz").write_bytes(gzip.compress(b"%PDF-1.7"))
    assert "docs/d.gz" in read_in("docs")
    assert "docs/e.gz" not in read_in("docs")


@pytest.mark.parametrize("command", having("--glob"))
def test_every_command_that_reads_text_takes_folders(docs: Path, command: str) -> None:
    """A folder with one file gives what the file gives."""
    more = {"train": "--vocab-size 260 -o t.json --force", "verify": "-m t.json"}
    more["shrink"] = "-o t.json --force"
    model = "" if command in {"train", "chunks", "verify"} else "-m m.json"
    model = "m.json m.json" if command == "diff" else model
    if command == "verify":
        printed("train docs/a.md --vocab-size 260 -o t.json --force")
    words = f"{command} {model} {more.get(command, '')} --input"
    of_folder = printed(f"{words} docs --glob a.md")
    of_file = printed(f"{words} docs/a.md")
    if command == "count":
        assert of_folder.startswith(of_file)
    elif command not in {"train", "verify"}:
        assert of_folder == of_file


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"SQLite for beginners", id="sqlite"),
        pytest.param(b"BZh is how bzip2 begins", id="bzip2"),
        pytest.param("GIF89a und Ähnliches".encode(), id="gif"),
        pytest.param(b"PAR1 \x1b[1mis bold\x1b[0m", id="colors"),
    ],
)
def test_a_text_about_a_format_is_text(docs: Path, content: bytes) -> None:
    """A text that begins as a binary format is read, not skipped."""
    (docs / "about").write_bytes(content)
    assert "docs/about" in read_in("docs")


def test_a_folder_is_no_file_of_ids(docs: Path) -> None:
    """`decode` needs a file; the error says so."""
    told = refusal("decode -m m.json docs")
    assert told == ["error: docs is a folder; name a file in it"]


@pytest.mark.posix
@pytest.mark.usefixtures("small")
def test_odd_names_in_a_folder_have_a_way_out(here: Path) -> None:
    """A link to itself is no file; a name that is not UTF-8 is an error that shows it."""
    (here / "d").mkdir()
    (here / "d" / "a.txt").write_text("a")
    (here / "d" / "loop").symlink_to("loop")
    (here / "d" / "lines.jsonl").write_text('{"schema_version": 2, "text": "b"}\n')
    assert rows_of("encode -m m.json d --jsonl text --glob *.jsonl") == [[98]]
    assert printed("count -m m.json d").splitlines()[-1].endswith(b"\td")
    try:
        Path(os.fsdecode(os.fsencode(here / "d") + b"/bad\xff")).write_text("c")
    except OSError:
        pytest.skip("the system allows only names in UTF-8")
    (told,) = refusal("count -m m.json d")
    assert told == r"error: 'd/bad\udcff': its name is not UTF-8; rename it"
