"""`bpetite count` and `bpetite sizes`, from the command line."""

import json
import math
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import pytest

from artifacts import write_artifact
from bpetite import Tokenizer
from cli_tools import (
    A,
    B,
    call,
    in_words,
    lines,
    printed,
    refusal,
    rows_of,
    shown_in_terminal,
    tuned,
)

MISSING = "missing: No such file or directory (for a text, use --text); check the path"
COUNT: Final = "count -m m.json"


def figures(*texts: str) -> dict[str, Any]:
    """Return the figures of texts, from the library."""
    tokenizer = Tokenizer.load("m.json")
    tokens = sum(len(tokenizer.encode(text)) for text in texts)
    size = len("".join(texts).encode())
    ratio = round(size / tokens, 4) if tokens else None
    return {"bytes": size, "tokens": tokens, "bytes_per_token": ratio}


@pytest.mark.usefixtures("small")
def test_standard_input_prints_only_the_number() -> None:
    """Without a name there is just the number; files have names, and a total, as in `wc`."""
    a, b = (figures(text)["tokens"] for text in (A, B))
    result = call(COUNT, stdin=A.encode())
    assert (result.returncode, result.stdout, result.stderr) == (0, b"%d\n" % a, b"")
    assert printed(COUNT) == b"0\n"
    assert lines(printed(f"{COUNT} -", stdin=A.encode())) == [f"{a}\t-"]
    shown = [f"{a}\ta.txt", f"{b}\tb.txt", f"{a + b}\ttotal"]
    assert lines(printed(f"{COUNT} a.txt b.txt")) == shown


@pytest.mark.usefixtures("small")
def test_json_is_one_object() -> None:
    """`--json` has the figures of each file and the total; without tokens the ratio is null."""
    without: dict[str, object] = {
        "skipped": None,
        "engine": "bpetite",
        "max": None,
        "max_each": None,
        "within": None,
        "per_folder": [],
    }
    totals = {"files": 2, **figures(A, B), **without}
    files = [{"path": f"{name}.txt", **figures(text)} for name, text in (("a", A), ("b", B))]
    (told,) = rows_of(f"{COUNT} --json a.txt b.txt")
    assert told == totals | {"per_file": [file | {"error": None} for file in files]}
    (nothing,) = rows_of(f"{COUNT} --json")
    assert nothing["per_file"] == [{"path": "-", **figures(), "error": None}]
    assert nothing["bytes_per_token"] is None


@pytest.mark.usefixtures("small")
def test_exceeding_the_maximum_is_a_failure() -> None:
    """Above `--max N`, the excess is reported after the counts; N itself is allowed, also 0."""
    tokens = figures(A, B)["tokens"]
    most = tokens - 2
    error = f"error: {tokens} tokens exceed --max {most} by 2; shorten the text, or raise --max"
    result = call(f"{COUNT} a.txt b.txt --max {most}")
    assert (result.returncode, result.told) == (1, [error])
    assert result.stdout == printed(f"{COUNT} a.txt b.txt")
    (within,) = rows_of(f"{COUNT} a.txt --json --max {figures(A)['tokens']}")
    assert within["within"]
    assert printed(f"{COUNT} --max 0") == b"0\n"
    assert call(f"{COUNT} --max 0", stdin=b"a").returncode == 1


def test_unreadable_files_are_named_and_others_counted(small: Path) -> None:
    """As in `wc`: each unreadable file is reported, the rest is counted, the status is 1."""
    (small / "bad.txt").write_bytes(b"caf\xe9 au lait")
    result = call(f"{COUNT} a.txt missing bad.txt b.txt")
    assert (result.returncode, result.stdout) == (1, printed(f"{COUNT} a.txt b.txt"))
    assert result.told == [
        f"error: {MISSING}",
        "error: bad.txt is not UTF-8: byte 0xe9 at offset 3 (around it: 63 61 66 e9 20 61 75)",
        "it looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8",
        "error: 2 of 4 files could not be counted; the total covers the others",
    ]
    assert refusal(f"{COUNT} missing") == [f"error: {MISSING}"]  # without a summary
    for most, within in ("100", None), ("1", False):  # what is missing may exceed the maximum
        result = call(f"{COUNT} missing a.txt --json --max {most}")
        told = json.loads(result.stdout)
        unknown = dict.fromkeys(("bytes", "tokens", "bytes_per_token"))
        assert told["per_file"][0] == {"path": "missing", **unknown, "error": MISSING}
        found = result.returncode, told["files"], told["tokens"], told["within"]
        assert found == (1, 1, figures(A)["tokens"], within)
    # Frequencies without one of the files would be wrong: nothing is printed.
    assert refusal(f"{COUNT} --by-token a.txt bad.txt")[0].startswith("error: bad.txt is not UTF")


def test_names_that_break_lines_are_quoted(small: Path) -> None:
    """A name is printed unchanged, after `--` with a dash, unless it would move the cursor."""
    named = ["-x", "--json", "船 夫.txt", "two\nlines", "\x1b[2Jclear"]
    for name in named:
        (small / name).write_text("Hello")
    names = [line.split("\t")[1] for line in lines(printed(COUNT, "--", *named))]
    assert names == ["-x", "--json", "船 夫.txt", "'two\\nlines'", "'\\x1b[2Jclear'", "total"]
    (told,) = rows_of(f"{COUNT} --json --", *named)
    assert [file["path"] for file in told["per_file"]] == named


COUNTER = """
from functools import partial
def add(name, ordinary, download):
    return partial(count, name), False, 'words'
def count(name, text):
    if "?" in text:
        raise ValueError("no questions")
    return text.count(name)
"""


def test_another_package_counts_by_an_encoding(install: Callable[..., None], here: Path) -> None:
    """`--model` passes a name on; a text that cannot be counted is an error for its file."""
    install("bpetite_compare")  # an empty package
    install("words", COUNTER, "bpetite.encodings")
    assert printed("count --model low", stdin=b"low lower") == b"2\n"
    (here / "a").write_text("low?")
    (here / "b").write_text("slow")
    result = call("count --model low a b")
    assert (result.returncode, lines(result.stdout)) == (1, ["1\tb", "1\ttotal"])
    assert result.told[0] == "error: a: no questions"


def test_broken_encodings_are_named(install: Callable[..., None]) -> None:
    """A package whose encodings cannot be loaded is reported in one line."""
    install("bpetite_compare")  # an empty package
    install("broken", "1/0", "bpetite.encodings")
    told = ["error: what broken opens cannot be loaded: division by zero"]
    assert refusal("count --model x") == told


def test_documents_are_selected_as_in_other_commands(small: Path) -> None:
    """Files may be listed, and lines of JSON Lines are documents, which no token spans."""
    tokenizer = Tokenizer.load("m.json")
    halves = ["Hel", "lo world", "", B * 3000]
    (small / "docs").write_text("".join(json.dumps({"text": half}) + "\n" for half in halves))
    (small / "list").write_bytes(b"a.txt\0b.txt\0")
    for words, texts in (
        ("--files-from list --null", [A, B]),
        ("docs --jsonl text --jobs 2", halves),
        ("b.txt --ordinary", B.replace("<|", "<| |").split(" |")),
    ):
        counts = Counter(one for text in texts for one in tokenizer.encode(text))
        with tuned(worth=0) if "--jobs" in words else nullcontext():
            rows = rows_of(f"{COUNT} --by-token {words}")
        assert {row["id"]: row["count"] for row in rows if row["count"]} == counts
        (sizes,) = rows_of(f"sizes -m m.json {words} --json --at 256 282")
        assert sizes["bytes"] == len("".join(texts).encode())
        assert sizes["sizes"][1]["tokens"] == counts.total()


@pytest.mark.usefixtures("small")
def test_a_budget_is_for_each_file() -> None:
    """Each file above `--max-each N` is named with its count after all counts; N is allowed."""
    a, b = (figures(text)["tokens"] for text in (A, B))
    assert a < b
    result = call(f"{COUNT} a.txt b.txt --max-each {a}")
    assert (result.returncode, result.stdout) == (1, printed(f"{COUNT} a.txt b.txt"))
    assert result.told == [f"error: b.txt: {b} tokens exceed --max-each {a} by {b - a}"]
    result = call(f"{COUNT} a.txt b.txt missing --json --max 1 --max-each 0")
    assert json.loads(result.stdout)["max_each"] == 0
    told = [line.partition(" exceed ")[0] for line in result.told if " exceed " in line]
    assert told == [
        f"error: a.txt: {a} tokens",
        f"error: b.txt: {b} tokens",
        f"error: {a + b} tokens",
    ]
    printed(f"{COUNT} a.txt b.txt --max-each {b}")
    error, *_ = refusal(f"{COUNT} a.txt --max-each 1 --by-token", status=2)
    assert error == "error: argument --max-each: not allowed with argument --by-token"


@pytest.mark.posix
def test_a_terminal_gets_rows(here: Path) -> None:
    """A row has the count, the id and the token in visible characters; the last line sums up."""
    Tokenizer.train("ab ab ab", 258).save("m.json")
    (here / "text").write_text("ab ab ab<|endoftext|>" + " ab" * 1200)
    words = [*COUNT.split(), "--by-token", "text"]
    status, shown = shown_in_terminal(words, here, {"NO_COLOR": "1"})
    rows = shown.splitlines()
    assert (status, len(rows)) == (0, 261)
    assert rows[:5] == [
        "count   id  token",
        "1,202  257  ·ab",
        "    1  256  ab",
        "    1  258  <|endoftext|>",
        "    0    0  ‹U+0000›",
    ]
    assert rows[-2:] == ["    0  255  ‹ff›", "1,204 tokens; 256 of 259 ids do not occur"]


# sizes


CURVE = [
    "bytes/token, 1.00 to 16.00",
    *[f"{'':26}████"] * 3,
    f"{'':19}{'▆' * 7}████",
    f"{'':11}{'▂' * 8}{'█' * 11}",
    f"{'':4}{'▃' * 7}{'█' * 19}",
    "256    257     258    259  260",
]


@pytest.mark.parametrize("size", [256, 513, 4096])
def test_default_sizes_are_about_twelve(here: Path, size: int) -> None:
    """They are doublings and sizes between, from 512, or from 256 for a small vocabulary."""
    write_artifact(here / "m.json", [divmod(number, 256) for number in range(size - 256)])
    sizes = rows_of("sizes -m m.json --json", stdin=b"a")[0]["sizes"]
    found = [row["vocab_size"] for row in sizes]
    first = 512 if size > 512 else 256
    doublings = {first * 2**power for power in range(12) if first * 2**power <= size}
    assert found == sorted({*found})
    assert {first, size, *doublings} <= {*found}
    assert len(found) in ({12, 13} if size >= 4096 else range(1, 9))


def test_figures_of_each_step(small: Path) -> None:
    """What a step saves, and what it would if it were a doubling: the same each time."""
    write_artifact(small / "m.json", [(97, 97), (256, 256), (257, 257)])
    rows = rows_of("sizes -m m.json --json --at 256 257 258 259", stdin=b"a" * 16)[0]["sizes"]
    names = ("tokens", "bytes_per_token", "saved", "unused")
    assert [tuple(row[name] for name in names) for row in rows] == [
        (16, 1.0, None, 256),
        (8, 2.0, 8, 257),
        (4, 4.0, 4, 258),
        (2, 8.0, 2, 259),
    ]
    (row,) = rows_of("sizes -m m.json --json --at 259 256 --at 259", stdin=b"a" * 16)[0]["sizes"][
        1:
    ]
    rate = 1 - (2 / 16) ** (1 / math.log2(259 / 256))
    assert row["saved_per_doubling"] == round(rate, 4)
    _, *table = in_words("sizes -m m.json --at 256 257")  # there is nothing to divide by
    assert [line.split()[:4] for line in table] == [["256", "0", "-", "-"], ["257", "0", "-", "0"]]


def test_what_cannot_be_counted_is_refused(small: Path) -> None:
    """Errors name the size or file, the rule and the way out; no figure is printed."""
    way_out = "train a larger tokenizer with `bpetite train`"
    assert refusal("sizes -m m.json a.txt --at 256 283") == [
        f"error: cannot count with 283 tokens: m.json has 282 ({way_out})"
    ]
    (small / "9lives").touch()
    for word, rule in (
        ("4,000", "expected an integer, found '4,000'; write 4000"),
        ("a.txt", "'a.txt' is no size; put a FILE before --at, or after --input"),
        ("9lives", "'9lives' is no size; put a FILE before --at, or after --input"),
    ):
        told = refusal("sizes -m m.json --at 280", word, status=2)
        assert told[0] == f"error: argument --at: {rule}"


@pytest.mark.posix
@pytest.mark.parametrize("columns", [80, 40, 16])
def test_a_terminal_gets_a_table_and_a_curve(here: Path, columns: int) -> None:
    """Rows have as many columns as fit; below the curve are the sizes that have room."""
    Tokenizer.train("ab ab ab", 258).save("m.json")
    (here / "text").write_text(" ab" * 1200 + "<|endoftext|>")
    words = "sizes --model m.json text --at 256 257 258"
    env = {"NO_COLOR": "1", "COLUMNS": str(columns)}
    status, shown = shown_in_terminal(words.split(), here, env)
    table, curve = shown.split("\n\n")
    full = [
        "size  tokens  bytes/token  saved  per doubling  unused",
        " 256   3,601        1.003      -             -     253",
        " 257   2,401        1.505  1,200        100.0%     255",
        " 258   1,201        3.008  1,200        100.0%     257",
    ]
    end = {80: 54, 40: 32, 16: 12}[columns]
    assert (status, table.splitlines()) == (0, [line[:end] for line in full])
    assert {len(line) for line in curve.splitlines()[1:3]} == {min(columns, 72)}
    assert in_words(words)[:4] == full


@pytest.mark.posix
def test_the_curve_has_the_height_of_each_size(here: Path) -> None:
    """A column is as high as the bytes per token of its size; a single size has no curve."""
    write_artifact(here / "m.json", [(97, 97), (256, 256), (257, 257), (258, 258)])
    (here / "text").write_bytes(b"a" * 16)

    def shown(*at: int) -> str:
        words = ["sizes", "--model", "m.json", "text", "--at", *map(str, at)]
        return shown_in_terminal(words, here, {"NO_COLOR": "1", "COLUMNS": "30"})[1]

    assert shown(*range(256, 261)).partition("\n\n")[2].splitlines() == CURVE
    assert shown(256, 260).partition("\n\n")[2].splitlines()[:-1] == CURVE[:-1]
    assert [line.split()[:2] for line in shown(260).splitlines()] == [
        ["size", "tokens"],
        ["260", "1"],
    ]
