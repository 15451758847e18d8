"""The logger `bpetite`: progress of training, as records, and never printed."""

import codecs
import io
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias, get_args, get_origin, get_type_hints

import pytest

from artifacts import artifact_with, loaded
from bpetite import Tokenizer
from bpetite._records import Record

Caplog: TypeAlias = pytest.LogCaptureFixture
STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "event"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MANY_PAIRS = [first + second for first in LETTERS for second in LETTERS[:10]]


def figures_of(record: logging.LogRecord) -> dict[str, object]:
    """Return the figures that a record adds to the standard attributes."""
    return {name: value for name, value in vars(record).items() if name not in STANDARD}


def records_of(
    caplog: Caplog,
    corpus: str | Iterable[str] | Mapping[str, int],
    vocab_size: int,
    start: Tokenizer | None = None,
) -> list[logging.LogRecord]:
    """Return the records of a training."""
    with caplog.at_level(logging.INFO, logger="bpetite"):
        Tokenizer.train(corpus, vocab_size, start=start)
    return caplog.records


def test_training_logs_its_start_counting_and_end(caplog: Caplog) -> None:
    """Each event of a short training has one record, with its figures as attributes."""
    records = records_of(caplog, ["ab ab", "ab é"], 258)
    assert [(vars(record)["event"], figures_of(record)) for record in records] == [
        ("start", {"vocab_size": 258, "merges_kept": 0}),
        ("counted", {"documents": 2, "characters": 9, "distinct_chunks": 3}),
        ("end", {"vocab_size": 258, "mergeable_vocab_size": 258}),
    ]


def test_records_are_as_documented(
    caplog: Caplog, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    """A record has its level and, with their types, the attributes documented for its event."""
    shapes = {get_args(get_type_hints(shape)["event"]): shape for shape in get_args(Record)}
    monkeypatch.setattr("bpetite._corpus._CHARACTERS_PER_RECORD", 100)  # instead of 16 million
    start = loaded(artifact_with([(98, 99), (97, 98), (257, 99)]))
    (here / "aa").touch()
    records = records_of(caplog, MANY_PAIRS, 256 + 100, start)
    assert {(vars(record)["event"],) for record in records} == set(shapes)
    for record in records:
        warns = vars(record)["event"] in {"file", "unreachable"}
        level = logging.WARNING if warns else logging.INFO
        assert (record.name, record.levelno) == ("bpetite", level)
        hints = get_type_hints(shapes[vars(record)["event"],])
        types = {name: get_origin(hint) or hint for name, hint in hints.items()}
        del types["event"]
        assert {name: type(figure) for name, figure in figures_of(record).items()} == types


def test_messages_are_for_people(caplog: Caplog) -> None:
    """FR-11: each message has its figures in words; the last one explains an early stop."""
    records = [*records_of(caplog, "ab " * 1000 + "c", 3000)]
    assert figures_of(records[-1]) == {"vocab_size": 3000, "mergeable_vocab_size": 259}
    records += records_of(caplog, "ab", 257)[-1:]
    assert [record.getMessage() for record in records] == [
        "training: 3,000 mergeable tokens wanted",
        "counted: 3,001 characters, 3 distinct chunks",
        "trained: 259 mergeable tokens, fewer than the 3,000 wanted: no pair is left",
        "trained: 257 mergeable tokens",
    ]


def test_logs_every_hundredth_merge(caplog: Caplog) -> None:
    """FR-10: every hundredth merge has a record with its number, token and count."""
    records = records_of(caplog, MANY_PAIRS, 256 + 1000)
    assert [vars(record)["event"] for record in records[-3:]] == ["merge", "merge", "end"]
    assert [figures_of(record) for record in records[-3:-1]] == [
        {"merges": 100, "merges_wanted": 1000, "token": b"jj", "count": 1},
        {"merges": 200, "merges_wanted": 1000, "token": b"tj", "count": 1},
    ]
    assert records[-3].getMessage() == "merge 100 of 1,000: b'jj', 1 times"


def test_a_long_token_is_shortened(caplog: Caplog) -> None:
    """A record has the first 40 bytes of a long token, and its message the number of the others."""
    corpus = "".join(map(chr, range(0x4E00, 0x4E00 + 152)))  # one chunk, learned from its start
    record = records_of(caplog, corpus, 256 + 500)[-2]
    assert vars(record)["token"] == corpus.encode("utf-8")[:40]
    assert record.getMessage().endswith(" and 55 bytes more, 1 times")


@pytest.mark.parametrize("corpus", ["", "100% %s %d {} {0} \n\r\x1b[31m" * 40, "é日👍" * 200])
def test_message_is_one_line_of_ascii(caplog: Caplog, corpus: str) -> None:
    """Whatever is learned, a message is one line of visible ASCII."""
    messages = [record.getMessage() for record in records_of(caplog, corpus, 600)]
    assert len(messages) >= 3
    assert [m for m in messages if not (m.isascii() and m.isprintable())] == []


TEXT_OF_A_FILE = 'the text of a file is open(path, encoding="utf-8", newline="").read()'
PATHS: dict[str, Callable[[str], str | Iterable[str] | Mapping[str, int]]] = {
    "a str": lambda path: path,
    "a list": lambda path: [path, "ab"],
    "a generator": lambda path: (one for one in [path, path]),
    "a counter": lambda path: Counter([path, "ab", path]),
}


@pytest.mark.parametrize("form", PATHS)
@pytest.mark.parametrize("path", ["a.txt", "\u00e9 b.txt", "c" * 255])
def test_a_path_for_a_text_is_a_warning(caplog: Caplog, here: Path, form: str, path: str) -> None:
    """If the first document is the path of a file, the log says that its letters are trained."""
    (here / path).write_text("ab ab")
    assert [one.levelname for one in records_of(caplog, [".", path], 300)] == ["INFO"] * 3
    caplog.clear()
    warning = records_of(caplog, PATHS[form](path), 300)[1]
    assert figures_of(warning) == {"path": path}
    shown = repr(path) if len(path) < 39 else f"'{'c' * 17}...{'c' * 18}'"
    assert warning.getMessage() == (
        f"the document {shown} is the path of a file; its letters are trained; {TEXT_OF_A_FILE}"
    )


@pytest.mark.posix
@pytest.mark.parametrize(
    "document",
    [
        pytest.param("", id="empty"),
        pytest.param(".", id="this folder"),
        "folder/",
        "fifo",
        "loop",
        pytest.param("a\0", id="NUL"),
        pytest.param("a" * 256, id="too long"),
        pytest.param("a.txt\n", id="line end"),
        "locked/a.txt",
        r"\\localhost\a.txt",
        r"/\localhost\a",
    ],
)
def test_other_documents_give_no_warning(caplog: Caplog, here: Path, document: str) -> None:
    """A text that is no path of a file, or has a line end, or is longer, is trained in silence."""
    (here / "a.txt").touch()
    for name in ("folder", "locked"):
        (here / name).mkdir()
    os.mkfifo("fifo")
    (here / "loop").symlink_to("loop")
    (here / "locked").chmod(0)
    assert {record.levelname for record in records_of(caplog, document, 300)} == {"INFO"}
    (here / "locked").chmod(0o700)


OPENED = codecs.getreader("utf-8")(io.BytesIO(b"a.txt\na b\n"))
"""An open file that is no instance of the classes of `io`."""


@pytest.mark.parametrize(
    ("corpus", "events"),
    [
        pytest.param(OPENED, ["start", "file", "counted", "end"], id="open file"),
        pytest.param(iter(["a b", "c"]), ["start", "counted", "end"], id="iterator"),
    ],
)
def test_an_open_file_is_a_warning(
    caplog: Caplog, corpus: Iterable[str], events: list[str]
) -> None:
    """An open file gives its lines as documents, and the log says so; an iterator gives none."""
    records = records_of(caplog, corpus, 300)
    assert [vars(record)["event"] for record in records] == events
    if "file" in events:
        assert figures_of(records[1]) == {"path": ""}
        assert records[1].getMessage() == (
            "the corpus is an open file, so each of its lines is a document of its own; "
            f"{TEXT_OF_A_FILE}"
        )


def test_encoding_decoding_saving_and_loading_are_silent(
    caplog: Caplog, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Only training emits records."""
    path = tmp_path_factory.mktemp("silent") / "tokenizer.json"
    with caplog.at_level(logging.DEBUG):
        tokenizer.save(path)
        Tokenizer.load(path).decode(tokenizer.encode("ab<|endoftext|>"))
    assert caplog.records == []
