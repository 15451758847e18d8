"""`bpetite count` and `bpetite sizes`, from the command line."""

import json
import math
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import texts
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import PATTERNS
from bpetite_cli import pipe
from bpetite_cli.commands.sizes import default_sizes, totals_of
from cli_tools import (
    A,
    B,
    about_folder,
    bpetite,
    lines,
    printed,
    refusal,
    refused,
    rows_of,
    shown_in_terminal,
)

MISSING = "missing: No such file or directory; check the path"


def tokens_of(*texts: str) -> int:
    """Return how many tokens the library makes of each text."""
    tokenizer = Tokenizer.load("m.json")
    return sum(len(tokenizer.encode(text)) for text in texts)


def figures(*texts: str) -> dict[str, Any]:
    """Return the figures of texts."""
    size, tokens = len("".join(texts).encode()), tokens_of(*texts)
    ratio = round(size / tokens, 4) if tokens else None
    return {"bytes": size, "tokens": tokens, "bytes_per_token": ratio}


def count(*words: str | os.PathLike[str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Count with the folder's model."""
    return bpetite("count", "--model", "m.json", *words, stdin=stdin)


@pytest.mark.usefixtures("small")
def test_standard_input_prints_only_the_number() -> None:
    """Without a name there is just the number; files have names, and a total, as in `wc`."""
    result = count(stdin=A.encode())
    assert (result.returncode, result.stdout, result.stderr) == (0, b"%d\n" % tokens_of(A), b"")
    assert count().stdout == b"0\n"
    a, b = tokens_of(A), tokens_of(B)
    assert lines(count("-", stdin=A.encode()).stdout) == [f"{a}\t-"]
    shown = [f"{a}\ta.txt", f"{b}\tb.txt", f"{a + b}\ttotal"]
    assert lines(count("a.txt", "b.txt").stdout) == shown


@pytest.mark.usefixtures("small")
def test_json_is_one_object() -> None:
    """`--json` has the figures of each file and the total; without tokens the ratio is null."""
    result = count("--json", "a.txt", "b.txt")
    told = {"files": 2, **figures(A, B), "max": None, "within": None}
    files = [{"path": f"{name}.txt", **figures(text)} for name, text in (("a", A), ("b", B))]
    assert json.loads(result.stdout) == told | {"per_file": [f | {"error": None} for f in files]}
    assert result.stdout.count(b"\n") == 1
    nothing = json.loads(count("--json").stdout)
    assert nothing["per_file"] == [{"path": "-", **figures(), "error": None}]
    assert nothing["bytes_per_token"] is None


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_exceeding_the_maximum_is_a_failure(more: list[str]) -> None:
    """Above `--max N`, the excess is reported after the counts; N itself is allowed, also 0."""
    tokens = tokens_of(A, B)
    plain = count("a.txt", "b.txt", *more)
    result = count("a.txt", "b.txt", "--max", str(tokens - 2), *more)
    error = f"error: {tokens} tokens exceed --max {tokens - 2} by 2; shorten the text, or raise "
    assert (result.returncode, lines(result.stderr)) == (1, [f"{error}--max"])
    if more:
        limit = {"max": tokens - 2, "within": False}
        assert json.loads(result.stdout) == json.loads(plain.stdout) | limit
    else:
        assert result.stdout == plain.stdout
    within = count("a.txt", "--max", str(tokens_of(A)), "--json")
    assert (within.returncode, json.loads(within.stdout)["within"]) == (0, True)
    assert (count("--max", "0").returncode, count("--max", "0", stdin=b"a").returncode) == (0, 1)


def test_unreadable_files_are_named_and_others_counted(small: Path) -> None:
    """As in `wc`: each unreadable file is reported, the rest is counted, the status is 1."""
    (small / "bad.txt").write_bytes(b"caf\xe9 au lait")
    result = count("a.txt", "missing", "bad.txt", ".", "b.txt")
    assert (result.returncode, result.stdout) == (1, count("a.txt", "b.txt").stdout)
    assert lines(result.stderr) == [
        f"error: {MISSING}",
        "error: bad.txt is not UTF-8: byte 0xe9 at offset 3 (around it: 63 61 66 e9 20 61 75)",
        "it looks like Latin-1; convert it first, with: iconv -f LATIN1 -t UTF-8",
        f"error: {about_folder('.')}",
        "error: 3 of 5 files could not be counted; the total covers the others",
    ]
    assert refused(count("missing")) == [f"error: {MISSING}"]  # without a summary
    for most, within in ("100", None), ("1", False):  # what is missing may exceed the maximum
        result = count("missing", "a.txt", "--json", "--max", most)
        told = json.loads(result.stdout)
        unknown = dict.fromkeys(("bytes", "tokens", "bytes_per_token"))
        assert told["per_file"][0] == {"path": "missing", **unknown, "error": MISSING}
        found = result.returncode, told["files"], told["tokens"], told["within"]
        assert found == (1, 1, tokens_of(A), within)
    assert len(lines(result.stderr)) == 3


def test_names_that_break_lines_are_quoted(small: Path) -> None:
    """A name is printed unchanged, after `--` with a dash, unless it would move the cursor."""
    named = ["-x", "--json", "船 夫.txt", "two\nlines", "\x1b[2Jclear"]
    for name in named:
        (small / name).write_text("Hello")
    names = [line.split("\t")[1] for line in lines(count("--", *named).stdout)]
    assert names == ["-x", "--json", "船 夫.txt", "'two\\nlines'", "'\\x1b[2Jclear'", "total"]
    told = json.loads(count("--json", "--", *named).stdout)
    assert [file["path"] for file in told["per_file"]] == named


COUNTER = """
class add:
    def __init__(self, name, ordinary):
        self.name, self.in_blocks = name, False
    def __call__(self, text):
        if "?" in text:
            raise ValueError("no questions")
        return text.count(self.name)
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


# --by-token


CALL: Final = "count --model m.json --by-token"


def expected(tokenizer: Tokenizer, *documents: str) -> list[dict[str, Any]]:
    """Return what the command prints for documents, counted with `encode`."""
    counts = Counter(token_id for text in documents for token_id in tokenizer.encode(text))
    rows: list[dict[str, Any]] = []
    for token_id, token in enumerate([*tokenizer._artifact.tokens, b"<|endoftext|>"]):
        shown = token.decode(errors="replace")
        text = None if "\ufffd" in shown else shown
        rows.append({"id": token_id, "hex": token.hex(), "text": text, "count": counts[token_id]})
    return sorted(rows, key=lambda row: (-row["count"], row["id"]))


@given(corpus=texts.CORPORA, text=texts.TEXTS)
def test_the_counts_are_those_of_encode(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[str], text: str
) -> None:
    """For any tokenizer and text, each id is counted as often as `encode` returns it."""
    folder = tmp_path_factory.getbasetemp()
    tokenizer = Tokenizer.train(corpus, 290)
    tokenizer.save(folder / "m.json", overwrite=True)
    assert rows_of(CALL, stdin=text.encode(), cwd=folder) == expected(tokenizer, text)


@pytest.mark.usefixtures("block")
def test_documents_are_selected_as_in_other_commands(small: Path) -> None:
    """Files may be listed, and lines of JSON Lines are documents, which no token spans."""
    tokenizer = Tokenizer.load("m.json")
    listed = rows_of(f"{CALL} --files-from - --null", stdin=b"a.txt\0b.txt\0")
    assert listed == expected(tokenizer, A, B)
    halves = ["Hel", "lo world", "", B * 999]
    (small / "docs").write_text("".join(json.dumps({"text": half}) + "\n" for half in halves))
    assert rows_of(f"{CALL} docs --jsonl text") == expected(tokenizer, *halves)
    assert expected(tokenizer, *halves) != expected(tokenizer, "".join(halves))
    ordinary = rows_of(f"{CALL} b.txt --ordinary")
    assert ordinary == expected(tokenizer, *B.replace("<|", "<|\0").split("\0"))
    assert ordinary != expected(tokenizer, B)


@pytest.mark.posix
def test_a_terminal_gets_rows(here: Path) -> None:
    """A row has the count, the id and the token in visible characters; the last line sums up."""
    Tokenizer.train("ab ab ab", 258).save("m.json")
    (here / "text").write_text("ab ab ab<|endoftext|>" + " ab" * 1200)
    words = [*CALL.split(), "text"]
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
    status, shown = shown_in_terminal([*words, "--json"], here)
    assert shown.splitlines()[0] == '{"id":257,"hex":"206162","text":" ab","count":1202}'


def test_an_unreadable_file_leaves_no_counts(small: Path) -> None:
    """Counts without one of the files would be wrong: nothing is printed."""
    assert refusal(f"{CALL} a.txt missing") == [f"error: {MISSING}"]
    (small / "bad.txt").write_bytes(b"caf\xe9 au lait")
    assert refusal(f"{CALL} a.txt bad.txt")[0].startswith("error: bad.txt is not UTF")


# sizes


NAMES = ("<|user|>", "er|><", "</s>")
CURVE = [
    "bytes/token, 1.00 to 16.00",
    *[f"{'':26}████"] * 3,
    f"{'':19}{'▆' * 7}████",
    f"{'':11}{'▂' * 8}{'█' * 11}",
    f"{'':4}{'▃' * 7}{'█' * 19}",
    "256    257     258    259  260",
]
SIZE = 280


def sizes_of(*words: str, stdin: bytes = b"") -> dict[str, Any]:
    """Return the JSON object that the command prints."""
    data: dict[str, Any] = rows_of("sizes --model m.json --json", *words, stdin=stdin)[0]
    return data


def trained(corpus: list[str]) -> list[tuple[int, int]]:
    """Return merges as training makes them; they merge a text far more."""
    return [*Tokenizer.train(corpus, 320)._artifact.merges]


def saved_since(before: dict[str, Any], size: int, tokens: int) -> dict[str, object]:
    """Return what a step saves, and what it would if it were a doubling: the same each time."""
    if not before:
        return {"saved": None, "saved_per_doubling": None}
    if not before["tokens"]:
        return {"saved": 0, "saved_per_doubling": None}
    doublings = math.log2(size / before["vocab_size"])
    rate = 1 - math.exp(math.log(tokens / before["tokens"]) / doublings)
    return {"saved": before["tokens"] - tokens, "saved_per_doubling": pytest.approx(rate, abs=1e-4)}


def expected_of(at: Sequence[int], *words: str) -> dict[str, Any]:
    """Return what `truncate` and `count` say about each size."""
    rows: list[dict[str, Any]] = []
    counted: dict[str, Any] = {}
    for size in at:
        printed(f"truncate --model m.json --vocab-size {size} --output small.json --force")
        (counted,) = rows_of("count --model small.json --json", *words)
        tokens = rows_of("count --model small.json --by-token", *words)
        rows.append(
            {
                "vocab_size": size,
                "tokens": counted["tokens"],
                "bytes_per_token": counted["bytes_per_token"],
                **saved_since(rows[-1] if rows else {}, size, counted["tokens"]),
                "unused": sum(token["count"] == 0 for token in tokens),
            }
        )
    return {"files": counted["files"], "bytes": counted["bytes"], "sizes": rows}


@pytest.mark.parametrize(("pattern", "names"), [(None, None), ("gpt4", NAMES)])
def test_every_size_is_that_of_truncate_and_count(
    small: Path, pattern: str | None, names: Sequence[str] | None
) -> None:
    """The figures of each size are those of a tokenizer of that size, of any schema version."""
    (small / "a.txt").write_text("123456<|user|> and </s>er|><|user|>")
    tokenizer = Tokenizer.train([A, B], SIZE, pattern=pattern, special_tokens=names)
    tokenizer.save("m.json", overwrite=True)
    at = range(256, SIZE + 1)
    assert sizes_of("a.txt", "b.txt", "--at", *map(str, at)) == expected_of(at, "a.txt", "b.txt")


def test_documents_are_read_as_by_count(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of files, JSON Lines, untrusted text and any number of processes are possible."""
    monkeypatch.setattr(pipe, "_CHARACTERS_OF_A_BATCH", 1)
    (small / "docs").write_text("".join(json.dumps({"text": t}) + "\n" for t in (A, B * 9, "")))
    (small / "list").write_bytes(b"a.txt\0b.txt\0")
    at = (256, 270, SIZE)
    for words in (
        ("docs", "--jsonl", "text"),
        ("--files-from", "list", "-0"),
        ("b.txt", "--ordinary", "--jobs", "2"),
    ):
        assert sizes_of(*words, "--at", *map(str, at)) == expected_of(at, *words)
    assert sizes_of("--at", "256", stdin=B.encode()) == expected_of([256], "b.txt")


@given(
    merges=texts.merge_lists() | texts.CORPORA.map(trained),
    text=st.lists(texts.RUNS | texts.TEXTS | st.sampled_from(NAMES)).map("".join),
    name=st.sampled_from(sorted(PATTERNS)),
    names=st.sampled_from([(), ("<|endoftext|>",), NAMES]),
)
@example(texts.TWICE, "aab aaab ab", "gpt2", ())
@example(texts.TWINS, "abcabcabc", "gpt4", NAMES)
@example([(97, 97), (256, 256), (257, 257)], "a" * 15 + "<|user|>", "gpt2", NAMES)
def test_the_totals_are_those_of_the_oracle(
    merges: list[tuple[int, int]], text: str, name: str, names: tuple[str, ...]
) -> None:
    """For any merges and text, undoing merges gives the specification's figures of all sizes."""
    artifact = Artifact.of_merges(merges, PATTERNS[name], names)
    ids = Tokenizer._of(artifact).encode(text)
    totals = totals_of(artifact, [ids.count(token_id) for token_id in artifact.ids])
    assert totals.size == len(text.encode())
    assert len(totals.tokens) == len(totals.unused) == len(merges) + 1
    for rank in range(len(merges) + 1):
        found = oracle.encode(text, merges[:rank], PATTERNS[name].text, names)
        unused = 256 + rank + len(names) - len({*found})
        assert (totals.tokens[rank], totals.unused[rank]) == (len(found), unused)


@pytest.mark.parametrize("size", [256, 257, 300, 512, 513, 1000, 4096, 32_000, 65_536, 1_114_112])
def test_default_sizes_are_about_twelve(size: int) -> None:
    """They are doublings and sizes between, from 512, or from 256 for a small vocabulary."""
    found = default_sizes(size)
    first = 512 if size > 512 else 256
    doublings = {first * 2**power for power in range(12) if first * 2**power <= size}
    assert found == sorted({*found})
    assert {first, size, *doublings} <= {*found}
    assert len(found) in ({12, 13} if size >= 4096 else range(1, 9))


@pytest.mark.usefixtures("small")
def test_sizes_are_sorted_and_distinct() -> None:
    """The order of `--at` does not matter, and it may be repeated."""
    once = sizes_of("a.txt", "--at", "256", "260", "279")
    assert sizes_of("--at", "279", "256", "-i", "a.txt", "--at", "260", "279") == once


def test_an_empty_text_has_no_tokens(small: Path) -> None:
    """There is nothing to divide by, and no curve to draw."""
    (small / "empty").touch()
    assert sizes_of("empty", "--at", "256", "257") == expected_of((256, 257), "empty")
    _, *rows = lines(printed("sizes --model m.json --at 256 257 -i empty"))
    assert [row.split()[:4] for row in rows] == [["256", "0", "-", "-"], ["257", "0", "-", "0"]]


def test_what_cannot_be_counted_is_refused(small: Path) -> None:
    """Errors name the size or file, the rule and the way out; no figure is printed."""
    (error,) = refusal("sizes --model m.json a.txt --at 256 283")
    assert error == (
        "error: cannot count with 283 tokens: m.json has 282 (train a larger tokenizer with "
        "`bpetite train`)"
    )
    (small / "9lives").touch()
    for word, rule in (
        ("255", "expected at least 256 (one for each byte), found 255"),
        ("4k", "expected an integer, found '4k'; write 4000 or 4096"),
        ("4,000", "expected an integer, found '4,000'; write 4000"),
        *(
            (word, f"{word!r} is no size; put a FILE before --at, or after --input")
            for word in ("a.txt", "-", "9lives")
        ),
    ):
        found = refusal("sizes --model m.json --at 280", word, status=2)
        assert found[0] == f"error: argument --at: {rule}"
    assert refusal("sizes --model m.json a.txt missing") == [
        "error: missing: No such file or directory; check the path"
    ]


@pytest.mark.posix
@pytest.mark.parametrize("columns", [80, 56, 40, 25, 16])
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
    ends = [end for end in (4, 12, 25, 32, 46, 54) if end <= columns]
    assert (status, table.splitlines()) == (0, [line[: ends[-1]] for line in full])
    width = min(columns, 72)
    title, *rows, axis = curve.splitlines()
    assert title == "bytes/token, 1.00 to 3.01"[:columns]
    assert (len(rows), {len(row) for row in rows[:2]}) == (6, {width})
    assert (axis.split()[0], axis.split()[-1], len(axis)) == ("256", "258", width)
    assert lines(printed(words)) == full


@pytest.mark.posix
def test_the_curve_has_the_height_of_each_size(here: Path) -> None:
    """A column is as high as the bytes per token of its size; a single size has no curve."""
    artifact = Artifact.of_merges([(97, 97), (256, 256), (257, 257), (258, 258)])
    artifact.write("m.json", overwrite=False)
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
