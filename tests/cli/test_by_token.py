"""`bpetite count --by-token`, from the command line."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given

import texts
from bpetite import Tokenizer
from bpetite_cli.jobs import sharing
from cli_tools import bpetite, lines, refused, shown_in_terminal

A, B = "Hello world, hello words.\n", "船夫 ⛵⛵ and <|endoftext|>\n"
TOKENIZER = Tokenizer.train("Hello world, hello words. 船夫说 船夫 ⛵⛵", 290)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model and two texts."""
    TOKENIZER.save(tmp_path / "m.json")
    (tmp_path / "a.txt").write_bytes(A.encode())
    (tmp_path / "b.txt").write_bytes(B.encode())
    return tmp_path


def by_token(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Count by token with the folder's model, in the folder."""
    return bpetite("count", "--model", "m.json", "--by-token", *words, stdin=stdin, cwd=folder)


def expected(tokenizer: Tokenizer, *documents: str) -> list[dict[str, object]]:
    """Return what the command prints for documents, counted with `encode`."""
    counts = Counter(token_id for text in documents for token_id in tokenizer.encode(text))
    artifact = tokenizer._artifact
    rows: list[dict[str, object]] = []
    for token_id, token in enumerate([*artifact.tokens, b"<|endoftext|>"]):
        shown = token.decode(errors="replace")
        rows.append(
            {
                "id": token_id,
                "hex": token.hex(),
                "text": None if "\ufffd" in shown else shown,
                "count": counts[token_id],
            }
        )
    return sorted(rows, key=lambda row: (-int(str(row["count"])), row["id"]))


def rows_of(result: subprocess.CompletedProcess[bytes]) -> list[dict[str, object]]:
    """Return the lines of a good result."""
    assert (result.returncode, result.stderr) == (0, b"")
    rows = [json.loads(line) for line in lines(result.stdout)]
    assert all(list(row) == ["id", "hex", "text", "count"] for row in rows)
    return rows


@pytest.mark.parametrize("more", [(), ("--json",)])
@pytest.mark.parametrize("batch", [1, 1 << 18])
def test_every_token_of_the_vocabulary_has_a_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], batch: int
) -> None:
    """The counts of files and batches add up; the order is by falling count, then by id."""
    monkeypatch.setattr(sharing, "_CHARACTERS_OF_A_BATCH", batch)
    rows = rows_of(by_token(folder, "a.txt", "b.txt", *more))
    assert rows == expected(TOKENIZER, A, B)
    assert len(rows) == len(TOKENIZER._artifact.ids)
    assert (rows[0]["id"], rows[-1]["count"]) == (10, 0)


@given(corpus=texts.CORPORA, text=texts.TEXTS)
def test_the_counts_are_those_of_encode(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[str], text: str
) -> None:
    """For any tokenizer and text, each id is counted as often as `encode` returns it."""
    folder = tmp_path_factory.mktemp("by-token")
    tokenizer = Tokenizer.train(corpus, 290)
    tokenizer.save(folder / "m.json")
    assert rows_of(by_token(folder, stdin=text.encode())) == expected(tokenizer, text)


@pytest.mark.usefixtures("block")
def test_documents_are_selected_as_in_other_commands(folder: Path) -> None:
    """Files may be listed, and lines of JSON Lines are documents, which no token spans."""
    listed = by_token(folder, "--files-from", "-", "--null", stdin=b"a.txt\0b.txt\0")
    assert rows_of(listed) == expected(TOKENIZER, A, B)
    halves = ["Hel", "lo world", "", B * 999]
    (folder / "docs").write_text("".join(json.dumps({"text": half}) + "\n" for half in halves))
    documents = by_token(folder, "docs", "--jsonl", "text")
    assert rows_of(documents) == expected(TOKENIZER, *halves)
    assert expected(TOKENIZER, *halves) != expected(TOKENIZER, "".join(halves))


def test_the_special_token_may_be_ordinary(folder: Path) -> None:
    """With `--ordinary`, the special token never occurs."""
    rows = rows_of(by_token(folder, "b.txt", "--ordinary"))
    assert rows == expected(TOKENIZER, *B.replace("<|", "<|\0").split("\0"))
    assert {row["text"]: row["count"] for row in rows}["<|endoftext|>"] == 0
    rows = rows_of(by_token(folder, "b.txt"))
    assert {row["text"]: row["count"] for row in rows}["<|endoftext|>"] == 1


@pytest.mark.posix
def test_a_terminal_gets_rows(tmp_path: Path) -> None:
    """A row has the count, the id and the token in visible characters; the last line sums up."""
    Tokenizer.train("ab ab ab", 258).save(tmp_path / "m.json")
    (tmp_path / "text").write_text("ab ab ab<|endoftext|>" + " ab" * 1200)
    words = ["count", "--model", "m.json", "--by-token", "text"]
    status, shown = shown_in_terminal(words, tmp_path, {"NO_COLOR": "1"})
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
    status, shown = shown_in_terminal([*words, "--json"], tmp_path)
    assert shown.splitlines()[0] == '{"id":257,"hex":"206162","text":" ab","count":1202}'


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_a_bar_shows_the_phases(folder: Path) -> None:
    """While it works, a terminal shows the phases; typed input is announced, without a bar."""
    words = ["count", "--model", "m.json", "--by-token"]
    _, shown = shown_in_terminal([*words, "a.txt"], folder)
    assert all(phase in shown for phase in ("loading", "counting"))
    _, shown = shown_in_terminal(words, folder, typed=b"low\n\x04")
    assert shown.startswith("counting what you type; Ctrl-D at the start of a line ends it\n")
    assert "━" not in shown


def test_an_unreadable_file_leaves_no_counts(folder: Path) -> None:
    """Counts without one of the files would be wrong: nothing is printed."""
    assert refused(by_token(folder, "a.txt", "missing")) == [
        "error: missing: No such file or directory; check the path"
    ]
    (folder / "bad.txt").write_bytes(b"caf\xe9 au lait")
    assert refused(by_token(folder, "a.txt", "bad.txt"))[0].startswith("error: bad.txt is not UTF")


@pytest.mark.parametrize("option", [["--encoding", "gpt2"], ["--max", "9"]])
def test_options_about_totals_are_rejected(folder: Path, option: list[str]) -> None:
    """Another encoding has no tokenizer file, and a limit is for the total."""
    model = ["--model", "m.json"] if option[0] == "--max" else []
    result = bpetite("count", *model, "--by-token", "a.txt", *option, cwd=folder)
    assert refused(result, status=2)[0] == (
        f"error: argument {option[0]}: not allowed with argument --by-token"
    )
