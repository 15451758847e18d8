"""`bpetite count`, from the command line."""

import itertools
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bpetite import Tokenizer
from cli_tools import about_folder, bpetite, lines, refused

A, B = "Hello world, hello words.\n", "船夫 ⛵⛵ and <|endoftext|>\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model and two texts."""
    Tokenizer.train("Hello world, hello words. 船夫说 船夫 ⛵⛵", 290).save(tmp_path / "m.json")
    (tmp_path / "a.txt").write_bytes(A.encode())
    (tmp_path / "b.txt").write_bytes(B.encode())
    return tmp_path


def tokens_of(folder: Path, *texts: str) -> int:
    """Return how many tokens the library makes of each text."""
    tokenizer = Tokenizer.load(folder / "m.json")
    return sum(len(tokenizer.encode(text)) for text in texts)


def count(
    folder: Path, *words: str | os.PathLike[str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Count with the folder's model, in the folder."""
    return bpetite("count", "--model", "m.json", *words, stdin=stdin, cwd=folder)


def test_standard_input_prints_only_the_number(folder: Path) -> None:
    """A script gets just the number, with nothing to strip."""
    result = count(folder, stdin=A.encode())
    expected = b"%d\n" % tokens_of(folder, A)
    assert (result.returncode, result.stdout, result.stderr) == (0, expected, b"")
    assert count(folder).stdout == b"0\n"


def test_a_dash_is_standard_input_with_its_name(folder: Path) -> None:
    """`-` is a FILE like any other."""
    assert count(folder, "-", stdin=A.encode()).stdout == b"%d\t-\n" % tokens_of(folder, A)


def test_each_file_has_a_line_and_several_have_a_total(folder: Path) -> None:
    """As in `wc`: the number, a tab, the name; one file has no total."""
    a, b = tokens_of(folder, A), tokens_of(folder, B)
    assert lines(count(folder, "a.txt").stdout) == [f"{a}\ta.txt"]
    shown = [f"{a}\ta.txt", f"{b}\tb.txt", f"{a + b}\ttotal"]
    assert lines(count(folder, "a.txt", "b.txt").stdout) == shown


def test_json_is_one_object(folder: Path) -> None:
    """`--json` has the figures of each file and the total, and the limit if there is one."""
    result = count(folder, "--json", "a.txt", "b.txt")
    figures = {
        name: {
            "bytes": len(text.encode()),
            "tokens": tokens_of(folder, text),
            "bytes_per_token": round(len(text.encode()) / tokens_of(folder, text), 4),
        }
        for name, text in (("a.txt", A), ("b.txt", B))
    }
    size, tokens = len((A + B).encode()), tokens_of(folder, A, B)
    assert json.loads(result.stdout) == {
        "files": 2,
        "bytes": size,
        "tokens": tokens,
        "bytes_per_token": round(size / tokens, 4),
        "max": None,
        "within": None,
        "per_file": [{"path": name, **told, "error": None} for name, told in figures.items()],
    }
    assert result.stdout.count(b"\n") == 1


def test_json_ratio_may_be_null(folder: Path) -> None:
    """Without tokens, bytes per token is null."""
    told = json.loads(count(folder, "--json").stdout)
    nothing = {"bytes": 0, "tokens": 0, "bytes_per_token": None}
    assert told["per_file"] == [{"path": "-", **nothing, "error": None}]
    assert told["bytes_per_token"] is None


@pytest.mark.parametrize("order", list(itertools.permutations(["a.txt", "--json", "b.txt"])))
@pytest.mark.parametrize("model", [0, 3])
def test_options_go_anywhere(folder: Path, order: tuple[str, ...], model: int) -> None:
    """Options are allowed before, between and after the files."""
    words = [*order[:model], "--model", "m.json", *order[model:]]
    result = bpetite("count", *words, cwd=folder)
    named = [word for word in order if word != "--json"]
    assert [file["path"] for file in json.loads(result.stdout)["per_file"]] == named


def test_a_name_may_begin_with_a_dash(folder: Path) -> None:
    """After `--` all words are names."""
    (folder / "-x").write_text("Hello")
    shown = lines(count(folder, "a.txt", "--json", "--", "-x", "--json").stdout)
    names = [file["path"] for file in json.loads(shown[0])["per_file"]]
    assert names == ["a.txt", "-x", "--json"]
    assert lines(count(folder, "--", "-x").stdout)[0].endswith("\t-x")


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_exceeding_the_maximum_is_a_failure(folder: Path, more: list[str]) -> None:
    """`--max N` prints the counts, reports the excess, and exits with 1."""
    tokens = tokens_of(folder, A, B)
    plain = count(folder, "a.txt", "b.txt", *more)
    limit = str(tokens - 2)
    result = count(folder, "a.txt", "b.txt", "--max", limit, *more)
    assert result.returncode == 1
    assert lines(result.stderr) == [
        f"error: {tokens} tokens exceed --max {limit} by 2; shorten the text, or raise --max"
    ]
    if more:
        told = json.loads(result.stdout)
        assert (told["max"], told["within"]) == (tokens - 2, False)
    else:
        assert result.stdout == plain.stdout


def test_the_maximum_is_inclusive(folder: Path) -> None:
    """The limit itself is allowed, and 0 is a limit."""
    tokens = tokens_of(folder, A)
    result = count(folder, "a.txt", "--max", str(tokens), "--json")
    assert (result.returncode, json.loads(result.stdout)["within"]) == (0, True)
    assert count(folder, "--max", "0").returncode == 0
    assert count(folder, "--max", "0", stdin=b"a").returncode == 1


def test_unreadable_files_are_named_and_others_counted(folder: Path) -> None:
    """As in `wc`: each unreadable file is reported, the rest is counted, the status is 1."""
    (folder / "bad.txt").write_bytes(b"caf\xe9 au lait")
    result = count(folder, "a.txt", "missing", "bad.txt", ".", "b.txt")
    a, b = tokens_of(folder, A), tokens_of(folder, B)
    assert result.returncode == 1
    assert lines(result.stdout) == [f"{a}\ta.txt", f"{b}\tb.txt", f"{a + b}\ttotal"]
    assert lines(result.stderr) == [
        "error: missing: No such file or directory; check the path",
        ("error: bad.txt is not UTF-8: byte 0xe9 at offset 3 (around it: 63 61 66 e9 20 61 75)"),
        "it looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8",
        f"error: {about_folder('.')}",
        "error: 3 of 5 files could not be counted; the total covers the others",
    ]


def test_json_names_the_unreadable_file(folder: Path) -> None:
    """An unreadable file has an error instead of figures; "within limit" is then unknown."""
    result = count(folder, "missing", "a.txt", "--json", "--max", "100")
    told = json.loads(result.stdout)
    assert result.returncode == 1
    assert told["files"] == 1
    assert told["per_file"][0] == {
        "path": "missing",
        **dict.fromkeys(("bytes", "tokens", "bytes_per_token")),
        "error": "missing: No such file or directory; check the path",
    }
    assert told["tokens"] == tokens_of(folder, A)
    assert told["within"] is None
    result = count(folder, "missing", "a.txt", "--json", "--max", "1")
    assert json.loads(result.stdout)["within"] is False
    assert len(lines(result.stderr)) == 3


def test_one_unreadable_file_is_one_line(folder: Path) -> None:
    """A single unreadable file is reported in one line, without a summary."""
    assert refused(count(folder, "missing")) == [
        "error: missing: No such file or directory; check the path"
    ]


def test_names_that_break_lines_are_quoted(folder: Path) -> None:
    """A name is printed unchanged, unless it would end the line or move the cursor."""
    named = ["船 夫.txt", "two\nlines", "\x1b[2Jclear"]
    for name in named:
        (folder / name).write_text("Hello")
    names = [line.split("\t")[1] for line in lines(count(folder, *named).stdout)]
    assert names == ["船 夫.txt", "'two\\nlines'", "'\\x1b[2Jclear'", "total"]
    told = json.loads(count(folder, "--json", *named).stdout)
    assert [file["path"] for file in told["per_file"]] == named


COUNTER = """
class Counter:
    def __init__(self, name, ordinary):
        self.name = name
        self.in_blocks = False
    def __call__(self, text):
        if "?" in text:
            raise ValueError("no questions")
        return text.count(self.name)
add = Counter
"""


def test_another_package_counts_by_an_encoding(install: Callable[..., None], here: Path) -> None:
    """`--encoding` passes the name on; a text that cannot be counted is an error for its file."""
    install("bpetite_compare")  # an empty package
    install("words", COUNTER, "bpetite.encodings")
    assert bpetite("count", "--encoding", "low", stdin=b"low lower").stdout == b"2\n"
    (here / "a").write_text("low?")
    (here / "b").write_text("slow")
    result = bpetite("count", "--encoding", "low", "a", "b")
    assert (result.returncode, lines(result.stdout)) == (1, ["1\tb", "1\ttotal"])
    assert lines(result.stderr)[0] == "error: a: no questions"


def test_broken_encodings_are_named(install: Callable[..., None]) -> None:
    """A package whose encodings cannot be loaded is reported in one line."""
    install("bpetite_compare")  # an empty package
    install("broken", "1/0", "bpetite.encodings")
    assert refused(bpetite("count", "--encoding", "x")) == [
        "error: the encodings of broken cannot be loaded: division by zero"
    ]
