"""`bpetite count --by-token`, from the command line."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given

import texts
from bpetite import Tokenizer
from bpetite_cli.jobs import sharing
from cli_tools import A, B, refusal, rows_of, shown_in_terminal

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


@pytest.mark.parametrize(("more", "batch"), [("", 1), ("--json", 1 << 18)])
def test_every_token_of_the_vocabulary_has_a_line(
    small: Path, monkeypatch: pytest.MonkeyPatch, more: str, batch: int
) -> None:
    """The counts of files and batches add up; the order is by falling count, then by id."""
    monkeypatch.setattr(sharing, "_CHARACTERS_OF_A_BATCH", batch)
    rows = rows_of(f"{CALL} a.txt b.txt {more}")
    assert rows == expected(Tokenizer.load("m.json"), A, B)
    assert {tuple(row) for row in rows} == {("id", "hex", "text", "count")}
    assert (rows[0]["id"], rows[-1]["count"]) == (10, 0)


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
    missing = "error: missing: No such file or directory; check the path"
    assert refusal(f"{CALL} a.txt missing") == [missing]
    (small / "bad.txt").write_bytes(b"caf\xe9 au lait")
    assert refusal(f"{CALL} a.txt bad.txt")[0].startswith("error: bad.txt is not UTF")
