"""`bpetite sizes`, from the command line."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import texts
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import PATTERNS
from bpetite_cli.commands.sizes import default_sizes, totals_of
from bpetite_cli.jobs import sharing
from cli_tools import A, B, lines, printed, refusal, rows_of, shown_in_terminal

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


def figures(*words: str, stdin: bytes = b"") -> dict[str, Any]:
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


def expected(at: Sequence[int], *words: str) -> dict[str, Any]:
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
    assert figures("a.txt", "b.txt", "--at", *map(str, at)) == expected(at, "a.txt", "b.txt")


def test_documents_are_read_as_by_count(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of files, JSON Lines, untrusted text and any number of processes are possible."""
    monkeypatch.setattr(sharing, "_CHARACTERS_OF_A_BATCH", 1)
    (small / "docs").write_text("".join(json.dumps({"text": t}) + "\n" for t in (A, B * 9, "")))
    (small / "list").write_bytes(b"a.txt\0b.txt\0")
    at = (256, 270, SIZE)
    for words in (
        ("docs", "--jsonl", "text"),
        ("--files-from", "list", "-0"),
        ("b.txt", "--ordinary", "--jobs", "2"),
    ):
        assert figures(*words, "--at", *map(str, at)) == expected(at, *words)
    assert figures("--at", "256", stdin=B.encode()) == expected([256], "b.txt")


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
    counts = [ids.count(token_id) for token_id in artifact.ids]
    totals = totals_of(artifact, counts)
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
    once = figures("a.txt", "--at", "256", "260", "279")
    assert figures("--at", "279", "256", "-i", "a.txt", "--at", "260", "279") == once


def test_an_empty_text_has_no_tokens(small: Path) -> None:
    """There is nothing to divide by, and no curve to draw."""
    (small / "empty").touch()
    assert figures("empty", "--at", "256", "257") == expected((256, 257), "empty")
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
