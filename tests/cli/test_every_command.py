"""What all commands do with unusable models, inputs, outputs and streams.

How each command handles good input is tested in the file of its name.
"""

import gzip
import io
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from cli_tools import (
    BLOCK,
    Stream,
    bpetite,
    call,
    in_terminal,
    lines,
    pipeline,
    refusal,
    refused,
    shown_in_terminal,
    start,
    without_times,
)
from help_tools import BUILT_IN, PARSERS, READING, TEXTS, call_of, having, trouble

SAVING: Final = having("--output")
NO_ROOM: Final = "error: cannot write to standard output: No space left on device"


# Models


@pytest.mark.posix
@pytest.mark.parametrize("command", having("--model"))
def test_a_bad_model_is_rejected_briefly(folder: Path, command: str) -> None:
    """FR-33: there is no traceback, whatever the file contains, and nothing is printed or saved."""
    model = folder / "tokenizer.json"
    model.unlink()
    os.mkfifo(folder / "fifo")
    missing = "error: tokenizer file not found: tokenizer.json (create one with `bpetite train`)"
    assert refused(bpetite(*call_of(command))) == [missing]
    for content, complaint in (
        (b"", "expected JSON: "),
        (b"{}", "missing key 'schema_version'; is this a bpetite tokenizer file?"),
    ):
        model.write_bytes(content)
        line, *hints = refused(bpetite(*call_of(command)))
        assert line.startswith(
            f"error: cannot use this tokenizer file: tokenizer.json: {complaint}"
        )
        assert hints == ["it ends too early: copy it again, or train it again"] * (not content)
    for other in ("/", "fifo", "/dev/zero"):
        model.unlink()
        model.symlink_to(other)
        _, *hints = refused(bpetite(*call_of(command)))
        assert not hints or (other == "/" and hints[0].startswith("install it "))
    assert not (folder / "new.json").exists()


# Inputs


@pytest.mark.parametrize(
    "command",
    [name for name in READING if " [FILE" in PARSERS[name].format_usage() and name != "diff"],
)
def test_an_input_is_a_file(folder: Path, command: str) -> None:
    """FILE means `--input FILE`, anywhere among the options."""
    name = "ids.json" if command == "decode" else "text.txt"
    given = [word for word in call_of(command, "--quiet") if word not in {"--input", name}]
    words = [*given[1:], *(["--force"] if "--output" in given else [])]
    expected = bpetite(command, *words, "--input", name)
    assert (expected.returncode, bool(expected.stdout)) == (0, True)
    for given in ([name, *words], [*words, name], [*words, "--", name]):
        result = bpetite(command, *given)
        assert without_times(result.stdout) == without_times(expected.stdout)
        assert result.stderr == b""


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(
    ("command", "doing"),
    [
        ("encode", "encoding"),
        ("decode", "decoding"),
        ("show", "showing"),
        ("count", "counting"),
        ("train", "training on"),
    ],
)
def test_waiting_for_typed_input_is_announced(folder: Path, command: str, doing: str) -> None:
    """At a terminal a command says that it is waiting, and how to end, and draws no bar."""
    words = [word for word in call_of(command) if word not in {*TEXTS, "--input"}]
    words += ["--input", "-"] if command in having("--counts") else []
    status, shown = shown_in_terminal(words, folder, typed=b"[72]\n\x04")
    assert status == 0
    assert shown.startswith(f"{doing} what you type; Ctrl-D at the start of a line ends it\n")
    assert "━" not in shown


@pytest.mark.parametrize("command", [name for name in having("--files-from") if name != "count"])
@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        ("text.txt missing", "missing: No such file or directory"),
        ("- -", "standard input (-) can be read only once; name it once"),
    ],
)
def test_all_inputs_are_checked_first(
    folder: Path, command: str, inputs: str, complaint: str
) -> None:
    """FR-33: an error in the last input is reported before the first is read."""
    words = " ".join(call_of(command)).replace("text.txt", inputs).split()
    (told,) = refused(bpetite(*words), trouble(command))
    assert told.startswith(f"error: {complaint}")
    assert not (folder / "new.json").exists()


MARK: Final = "\ufeff".encode()


def test_json_lines_are_known_by_their_names(folder: Path) -> None:
    """Also compressed ones; with the option that reads them, or in a pipe, nothing is odd."""
    row = b'{"text": "low"}\n'
    (folder / "TEXT.NDJSON.gz").write_bytes(gzip.compress(row))
    words = "count -m tokenizer.json"
    assert call(f"{words} TEXT.NDJSON.gz").stderr == (
        b"warning: TEXT.NDJSON.gz is read as text, not as JSON; most commands read its documents "
        b"with --jsonl FIELD\n"
    )
    assert call(f"{words} TEXT.NDJSON.gz --jsonl text").stderr == b""
    assert call(f"{words} -", stdin=row).stderr == b""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("low lower \u2013 lowest\n" * 9, id="latin"),
        pytest.param("Съешь же ещё этих мягких французских булок, да выпей чаю.\n", id="cyrillic"),
        pytest.param("नमस्ते दुनिया, कैसे हो\n", id="devanagari"),
        pytest.param("a b", id="short"),
    ],
)
def test_utf16_is_reported(text: str) -> None:
    """It is known by its NUL and control characters, in either order."""
    for encoding in ("utf-16-le", "utf-16-be"):
        result = call("count --model tokenizer.json", stdin=text.encode(encoding))
        assert result.stderr == (
            b"warning: standard input looks like UTF-16, but is read as UTF-8; convert it: "
            b"iconv -f UTF-16LE (or UTF-16BE) -t UTF-8 FILE\n"
        )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16"])
def test_utf16_is_no_list_of_lines(encoding: str) -> None:
    """JSON Lines and lists of paths in UTF-16, as Windows writes them, are recognized."""
    rows = {"--jsonl text -i -": '{"text": "low"}\n', "--files-from -": "text.txt\n"}
    for options, row in rows.items():
        told = refusal(f"count -m tokenizer.json {options}", stdin=row.encode(encoding))
        assert "looks like UTF-16; convert it" in told[-1]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 5000,
        b"a\0",
        b"one.txt\0two.txt\0three.txt\0",
        b"a\nb\nc\nd\n" * 9,
        bytes(range(128)) * 9,
    ],
    ids=["only NUL", "two bytes", "a list of paths", "lines of a letter", "all of ASCII"],
)
def test_other_text_with_nul_is_not_called_utf16(data: bytes) -> None:
    """Text may contain NUL."""
    result = call("count --model tokenizer.json", stdin=data)
    assert (result.returncode, result.told) == (0, [])


def test_an_archive_is_not_read_as_text(folder: Path) -> None:
    """Archives are known by their content, also compressed, in pipes, and as lists of lines."""
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write("text.txt")
    with tarfile.open(fileobj=tarred, mode="w") as tar:
        tar.add("text.txt")
    for data, advice in (
        (zipped.getvalue(), "a zip file, which is binary; convert it first, with: unzip -p"),
        (tarred.getvalue(), "a tar file; unpack it, and name the files in it: tar -xf"),
        (gzip.compress(tarred.getvalue()), "a tar file; unpack it, and name the files in it: "),
    ):
        for words in ("count -m tokenizer.json", "count -m tokenizer.json --jsonl text", "chunks"):
            first, second = refusal(f"{words} -i -", stdin=data)
            assert first == "error: standard input is an archive, not text"
            assert second.startswith(f"it looks like {advice}")
        (folder / "packed").write_bytes(data)
        result = call("count --model tokenizer.json packed text.txt")
        assert lines(result.stdout)[-1].endswith("total")
        assert result.told[0] == "error: packed is an archive, not text"


def test_only_the_beginning_of_an_input_is_a_byte_order_mark(folder: Path) -> None:
    """The warning names the first input, also standard input, and counts the others."""
    (folder / "a.txt").write_bytes(MARK)
    (folder / "b.txt").write_bytes(b"x" * BLOCK + MARK)
    result = call("count --model tokenizer.json b.txt - a.txt", stdin=MARK + MARK)
    assert lines(result.stdout)[1:3] == ["6\t-", "3\ta.txt"]
    assert result.told == [
        (
            "warning: standard input and 1 more begin with a byte order mark, which becomes "
            "tokens; to remove it from plain text: tail -c +4 FILE"
        )
    ]


@pytest.mark.parametrize("command", having("--counts"))
@pytest.mark.parametrize("option", ["--input", "--counts"])
def test_an_empty_corpus_is_reported(folder: Path, command: str, option: str) -> None:
    """An empty corpus is valid, and a warning comes after the result."""
    Tokenizer.train("", 256).save("tokenizer.json", overwrite=True)
    (folder / "empty").touch()
    given = [word for word in call_of(command) if word not in {"--input", "text.txt"}]
    result = bpetite(*given, option, "empty")
    assert result.returncode == 0
    assert result.told[-1] == "warning: the corpus is empty; check the input"


# Outputs


@pytest.mark.parametrize("command", SAVING)
def test_an_existing_output_is_kept_without_force(folder: Path, command: str) -> None:
    """FR-27, FR-33: an existing file is replaced only with `--force`, which the error names."""
    (folder / "out").write_bytes(b"precious")
    assert refused(bpetite(*call_of(command, "--output", "out"))) == [
        "error: out already exists; use --force to replace it, or choose another file"
    ]
    assert (folder / "out").read_bytes() == b"precious"
    assert bpetite(*call_of(command, "--output", "out", "--force")).returncode == 0
    assert (folder / "out").read_bytes() != b"precious"


@pytest.mark.posix
@pytest.mark.parametrize("command", ["encode", "train"])
def test_the_loser_of_two_writers_keeps_its_result(folder: Path, command: str) -> None:
    """If another program takes the name meanwhile, the result gets one beside it, in the error."""
    words = call_of(command, "--output", "new.json")
    content = (folder / "text.txt").read_bytes()
    assert bpetite(*words).returncode == 0
    (folder / "new.json").replace(folder / "expected")
    (folder / "text.txt").unlink()
    os.mkfifo(folder / "text.txt")
    with start(*words, cwd=folder) as process:
        with (folder / "text.txt").open("wb") as pipe:  # waits until it is read
            (folder / "new.json").write_bytes(b"precious")
            pipe.write(content)
        output, errors = process.communicate()
    assert (process.returncode, output) == (1, b"")
    (name,) = re.findall(
        r"new\.json: File exists; the result is in (new-\w{8}\.json)$", lines(errors)[-1]
    )
    assert (folder / name).read_bytes() == (folder / "expected").read_bytes()
    assert (folder / "new.json").read_bytes() == b"precious"
    assert not [*folder.glob(".bpetite*")]


@pytest.mark.posix
@pytest.mark.parametrize("command", SAVING)
def test_the_destination_is_checked_first(folder: Path, command: str) -> None:
    """An output that cannot be saved is reported before the work, even with `--force`."""
    os.mkfifo(folder / "fifo")
    (folder / "lost").symlink_to("nowhere/new")
    read = [word for word in call_of(command) if word in {*TEXTS, "tokenizer.json"}]
    (folder / "link").symlink_to(read[-1])
    before = {path: path.is_file() and path.read_bytes() for path in folder.iterdir()}
    regular = "is not a regular file and cannot be replaced; choose another file"
    lost = "is also an input and would be overwritten; choose another output"
    for output, complaint in {
        "": "'' does not name a file; add a file name",
        "new/": "new/ does not name a file; add a file name",
        "no/new": f"no/new: folder {folder}/no does not exist; create it first",
        "lost": f"lost: folder {folder}/nowhere does not exist; create it first",
        "x" * 300: f"{folder}/{'x' * 300}: File name too long; choose a shorter name",
        ".": f". {regular}",
        "fifo": f"fifo {regular}",
        "link": f"link {lost}",
        **{name: f"{name} {lost}" for name in read},
    }.items():
        shown = refused(bpetite(*call_of(command, "--output", output, "--force")))
        assert shown == [f"error: {complaint}"]
    assert {path: path.is_file() and path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", SAVING)
def test_standard_output_is_not_replaced(folder: Path, command: str) -> None:
    """The file that standard output or standard error goes to stays, under whatever name."""
    shown = folder / "shown"
    (folder / "link").symlink_to("shown")
    for name in ("/dev/stdout", "/dev/stderr", "link"):
        stream = "standard error" if name == "/dev/stderr" else "standard output"
        words = call_of(command, "--output", name, "--force")
        result = bpetite(*words, stdout=shown)
        complaint = f"{name} is also {stream} and would be overwritten; choose another output"
        assert (result.returncode, result.told) == (1, [f"error: {complaint}"])
        assert shown.read_bytes() == b""


# Standard output and the terminal


NO_INPUT: Final = "error: standard input is closed; name a file"
NO_OUTPUT: Final = "error: standard output is closed; redirect it to a file or a program"


@pytest.mark.parametrize(
    ("words", "closed", "status", "told"),
    [
        ("encode -m tokenizer.json -i -", "stdin", 1, [NO_INPUT]),
        ("train text.txt --vocab-size 300 --output new.json", "stdout", 1, [NO_OUTPUT]),
        ("encode", "stderr", 2, []),  # the usage is not printed on standard output
        ("encode -m tokenizer.json text.txt", "stderr", 0, []),
    ],
)
def test_a_closed_stream_is_reported(
    folder: Path, words: str, closed: Stream, status: int, told: list[str]
) -> None:
    """It is a failure before anything is computed; standard error is not needed."""
    result = bpetite(*words.split(), closed=closed)
    assert (result.returncode, result.told) == (status, told)
    assert bool(result.stdout) == (status == 0)
    assert not (folder / "new.json").exists()


FORMS: Final = {
    "encode": ("--output new.json",),
    "count": ("--by-token",),
    "show": ("--json",),
    "inspect": ("--tokens",),
}
"""Options that make a command write to standard output in other ways."""


@pytest.mark.posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", [*BUILT_IN, "--help"])
def test_a_full_standard_output_is_a_failure(folder: Path, command: str) -> None:
    """Status 0 means that all of it was written, including the summary of a saved file."""
    for form in ("", "--output-format text", *FORMS.get(command, ())):
        words = call_of(command, *form.split()) if command in BUILT_IN else [command]
        result = bpetite(*words, stdout=Path("/dev/full"))
        no_room = "error: cannot write to standard output: No space left on device"
        status = trouble(command) if command in BUILT_IN else 1
        assert (result.returncode, result.told[-1]) == (status, no_room)
        saved = [line for line in result.told if line.startswith("saved: new.json, ")]
        assert bool(saved) == ("new.json" in words)
        (folder / "new.json").unlink(missing_ok=True)


@pytest.mark.posix
@pytest.mark.parametrize("command", ["encode", "show"])
def test_a_closed_pipe_is_not_an_error(folder: Path, command: str) -> None:
    """A closed pipe ends the command silently, with a result that is held or streamed."""
    (folder / "text.txt").write_bytes(b"low lower " * 10_000)  # results exceed a pipe's buffer
    result = pipeline(f"bpetite {' '.join(call_of(command))} | head -c 1", folder)
    assert (result.returncode, len(result.stdout), result.stderr) == (1, 1, b"")


@pytest.mark.posix
@pytest.mark.parametrize("form", ["json", "text"])
def test_what_is_saved_is_told_beside_a_closed_pipe(folder: Path, form: str) -> None:
    """The file is there although nobody reads the result, so standard error names it."""
    words = call_of("truncate", "--output", "new.json", "--output-format", form)
    ours, theirs = os.pipe()
    os.close(ours)
    with open(theirs, "wb") as closed, start(*words, cwd=folder, stdout=closed) as process:
        _, errors = process.communicate()
    saved = b"saved: new.json, 300 tokens and 1 special token, of 310 tokens\n"
    assert (process.returncode, errors) == (1, saved)


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize("command", BUILT_IN)
def test_quiet_leaves_only_errors(folder: Path, command: str) -> None:
    """`--quiet` draws and reports nothing, and changes neither result nor errors."""
    more = ("--output", "new.json", "--force") if command in SAVING else ()
    plain = bpetite(*call_of(command, *more), env={"COLUMNS": "100"})
    status, output, drawn = in_terminal(call_of(command, *more, "--quiet"), folder)
    assert (status, drawn) == (plain.returncode, b"")
    assert without_times(output) == without_times(plain.stdout)
    (folder / ("ids.json" if command == "decode" else "text.txt")).unlink()
    (folder / "tokenizer.json").write_text("{}")
    failed = bpetite(*call_of(command, *more, "-q"))
    assert failed.returncode == trouble(command)
    assert failed.stderr == bpetite(*call_of(command, *more)).stderr != b""


# The tokenizer file is opened once, so all output describes one file


_OPENED: list[object] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and arguments[0] == "tokenizer.json":
        _OPENED.append(arguments[1])


sys.addaudithook(_note)  # permanently: Python cannot remove a hook


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", having("--model"))
def test_a_command_opens_its_tokenizer_file_once(command: str) -> None:
    """Ids, bytes, merges, size and sha256 all come from one read."""
    _OPENED.clear()
    result = bpetite(*call_of(command))
    assert result.returncode == 0, result.stderr
    # Python reports both `open` and the underlying `os.open`, which has no mode.
    assert [mode is None for mode in _OPENED] == [False, True]
