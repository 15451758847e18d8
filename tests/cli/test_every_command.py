"""What all commands do with unusable models, inputs, outputs and streams.

How each command handles good input is tested in the file of its name.
"""

import bz2
import gzip
import io
import lzma
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
    about_folder,
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
from help_tools import BUILT_IN, PARSERS, READING, READING_TEXT, TEXTS, call_of, having

SAVING: Final = having("--output")
PRINTING: Final = [command for command in READING if "--output" not in call_of(command)]
NO_ROOM: Final = "error: cannot write to standard output: No space left on device"


@pytest.mark.parametrize("command", BUILT_IN)
def test_short_options_are_accepted(folder: Path, command: str) -> None:
    """`-m`, `-i`, `-o`, `-j` and `-q` are short for the long names, with a space or without."""
    more = ["--output", "new.json"] if command in SAVING else []
    more += ["--jobs", "1"] if command in having("--jobs") else []
    words = call_of(command, "--quiet", *more)
    short = {f"--{name}" for name in ("model", "input", "output", "jobs", "quiet")}
    spaced = [word[1:3] if word in short else word for word in words]
    joined = re.sub(r"(?<= )(-[mioj]) ", r"\1", " ".join(spaced)).split()
    results = []
    for given in (words, spaced, joined):
        result = bpetite(*given)
        assert (result.returncode, result.stderr) == (0, b"")
        saved = (folder / "new.json").read_bytes() if command in SAVING else b""
        (folder / "new.json").unlink(missing_ok=True)
        results.append((saved, without_times(result.stdout)))
    assert results == results[:1] * 3


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
        (b'{"merges": [1', "expected JSON: "),
        (b"[" * 200_000, "expected JSON: more brackets or keys"),
        (b"{}", "missing key 'schema_version'; is this a bpetite tokenizer file?"),
        (b"\xff", "expected UTF-8"),
    ):
        model.write_bytes(content)
        line, *hints = refused(bpetite(*call_of(command)))
        assert line.startswith(
            f"error: cannot use this tokenizer file: tokenizer.json: {complaint}"
        )
        early = ["it ends too early: copy it again, or train it again"]
        assert hints == early * (content in {b"", b'{"merges": [1'})
    for other in ("/", "fifo", "/dev/zero"):
        model.unlink()
        model.symlink_to(other)
        assert len(refused(bpetite(*call_of(command)))) == 1
    assert not (folder / "new.json").exists()


# Inputs


@pytest.mark.parametrize(
    "command",
    [name for name in READING if "[FILE" in PARSERS[name].format_usage()],
)
def test_an_input_is_a_file_or_a_pipe(folder: Path, command: str) -> None:
    """FILE means `--input FILE`, anywhere among the options; without it, a pipe may be read."""
    name = "ids.json" if command == "decode" else "text.txt"
    given = [word for word in call_of(command, "--quiet") if word not in {"--input", name}]
    words = [*given[1:], *(["--force"] if "--output" in given else [])]
    expected = bpetite(command, *words, "--input", name)
    assert (expected.returncode, bool(expected.stdout)) == (0, True)
    for given in ([name, *words], [*words, name], [*words, "--", name]):
        result = bpetite(command, *given)
        assert (without_times(result.stdout), result.stderr) == (
            without_times(expected.stdout),
            b"",
        )
    result = bpetite(command, *words, stdin=(folder / name).read_bytes())
    if command in having("--counts"):  # a corpus must be named
        missing = "error: one of the arguments FILE --input --files-from --counts is required"
        assert refused(result, status=2)[0] == missing
    else:
        unnamed = expected.stdout.replace(b"\ttext.txt", b"")
        assert (result.stdout, result.stderr) == (unnamed, b"")


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
@pytest.mark.parametrize(
    ("command", "doing"),
    [
        ("encode", "encoding"),
        ("decode", "decoding"),
        ("show", "showing"),
        ("count", "counting"),
        ("chunks", "counting"),
        ("train", "training on"),
        ("count --by-token", "counting"),
    ],
)
def test_waiting_for_typed_input_is_announced(folder: Path, command: str, doing: str) -> None:
    """At a terminal a command says that it is waiting, and how to end, and draws no bar."""
    command, *options = command.split()
    words = [word for word in call_of(command) if word not in {*TEXTS, "--input"}] + options
    words += ["--input", "-"] if command in having("--counts") else []
    status, shown = shown_in_terminal(words, folder, typed=b"[72]\n\x04")
    assert status == 0
    assert shown.startswith(f"{doing} what you type; Ctrl-D at the start of a line ends it\n")
    assert "━" not in shown


@pytest.mark.parametrize(
    "command", [name for name in having("--files-from") if name != "count"]
)  # it counts the others
@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        ("text.txt missing", "missing: No such file or directory; check the path"),
        ("text.txt .", about_folder(".")),
        ("- -", "standard input (-) can be read only once; name it once"),
    ],
)
def test_all_inputs_are_checked_first(
    folder: Path, command: str, inputs: str, complaint: str
) -> None:
    """FR-33: an error in the last input is reported before the first is read."""
    words = " ".join(call_of(command)).replace("text.txt", inputs).split()
    assert refused(bpetite(*words)) == [f"error: {complaint}"]
    assert not (folder / "new.json").exists()


@pytest.mark.parametrize("command", READING)
def test_a_closed_standard_input_is_a_failure(folder: Path, command: str) -> None:
    """A closed standard input is reported as closed."""
    words = ["-" if word in TEXTS else word for word in call_of(command)]
    result = bpetite(*words, closed="stdin")
    assert (result.returncode, result.stdout) == (1, b"")
    assert lines(result.stderr)[-1] == "error: standard input is closed; name a file"


MARK: Final = "\ufeff".encode()
UTF16: Final = {
    "latin": "low lower \u2013 lowest\n" * 9,
    "cyrillic": "Съешь же ещё этих мягких французских булок, да выпей чаю.\n",
    "devanagari": "नमस्ते दुनिया, कैसे हो\n",
    "short": "a b",
}
WARNINGS: Final = {
    "a byte order mark": (
        "warning: text.txt begins with a byte order mark, which becomes tokens; "
        "to remove it from plain text: tail -c +4 FILE"
    ),
    "UTF-16": (
        "warning: text.txt looks like UTF-16, but is read as UTF-8; convert it: "
        "iconv -f UTF-16LE (or UTF-16BE) -t UTF-8 FILE"
    ),
    "JSON Lines": (
        "warning: text.jsonl is read as text, not as JSON; most commands read its documents "
        "with --jsonl FIELD"
    ),
}
ODD: Final = {
    "a byte order mark": ("text.txt", MARK + b"low lower lowest"),
    "UTF-16": ("text.txt", UTF16["latin"].encode("utf-16-le")),
    "JSON Lines": ("text.jsonl", b"low lower lowest"),
}
"""Names and contents of files that can be read, but may be wrong."""


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("command", [name for name in PARSERS if "text.txt" in call_of(name)])
def test_what_is_odd_is_reported_and_read(folder: Path, command: str, odd: str) -> None:
    """A warning comes after the result, which is that of any other text; `--quiet` hides it."""
    name, data = ODD[odd]
    (folder / name).write_bytes(data)
    text = data.decode()
    Tokenizer.train(text, 300).save("tokenizer.json", overwrite=True)
    words = [word.replace("text.txt", name) for word in call_of(command)]
    result = bpetite(*words)
    assert (result.returncode, lines(result.stderr)[-1]) == (0, WARNINGS[odd])
    more = ["--force"] if "--output" in words else []
    quiet = bpetite(*words, "--quiet", *more)
    assert (quiet.returncode, quiet.stderr) == (0, b"")
    assert without_times(quiet.stdout) == without_times(result.stdout)


def test_json_lines_are_known_by_their_names(folder: Path) -> None:
    """Also compressed ones; with the option that reads them, or in a pipe, nothing is odd."""
    row = b'{"text": "low"}\n'
    (folder / "TEXT.NDJSON.gz").write_bytes(gzip.compress(row))
    words = "count -m tokenizer.json"
    assert b"is read as text" in call(f"{words} TEXT.NDJSON.gz").stderr
    assert call(f"{words} TEXT.NDJSON.gz --jsonl text").stderr == b""
    assert call(f"{words} -", stdin=row).stderr == b""


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("script", UTF16)
def test_utf16_of_other_scripts_is_reported(folder: Path, script: str, encoding: str) -> None:
    """So is UTF-16 of scripts whose characters have bytes of ASCII only, in either order."""
    (folder / "text.txt").write_bytes(UTF16[script].encode(encoding))
    result = call("count --model tokenizer.json text.txt")
    assert (result.returncode, lines(result.stderr)) == (0, [WARNINGS["UTF-16"]])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
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
        pytest.param(b"", id="nothing"),
        pytest.param(b"\0" * 5000, id="only-nul"),
        pytest.param(b"a\0", id="two-bytes"),
        pytest.param(b"one.txt\0two.txt\0three.txt\0", id="a-list-of-paths"),
        pytest.param(b"abc\0def\0ghi\0" * 9, id="records-of-four-bytes"),
        pytest.param(b"a\nb\nc\nd\n" * 9, id="lines-of-a-letter"),
        pytest.param(bytes(range(128)) * 9, id="all-of-ascii"),
    ],
)
def test_other_text_with_nul_is_not_called_utf16(data: bytes) -> None:
    """Text may contain NUL."""
    result = call("count --model tokenizer.json", stdin=data)
    assert (result.returncode, lines(result.stderr)) == (0, [])


def archive(kind: str) -> bytes:
    """Return an archive with a file of text, in valid UTF-8, if it is not compressed."""
    data = io.BytesIO()
    text = b"low lower lowest\n" * 90
    if kind == "zip":
        with zipfile.ZipFile(data, "w") as packed:
            packed.writestr(zipfile.ZipInfo("a.txt"), b"low")
        return data.getvalue()
    name, _, compression = kind.partition("/")
    formats = {"pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT, "ustar": tarfile.USTAR_FORMAT}
    with tarfile.open(
        fileobj=data, mode="w", format=formats.get(name, tarfile.USTAR_FORMAT)
    ) as tar:
        info = tarfile.TarInfo("déjà.txt" if name == "pax" else "a.txt")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    header = bytearray(data.getvalue())
    if name == "v7":  # without the magic that later formats have
        header[257:265] = bytes(8)
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header[:512])
    modules = {"gz": gzip, "xz": lzma, "bz2": bz2}
    return modules[compression].compress(bytes(header)) if compression else bytes(header)


TAR: Final = "it looks like a tar file; unpack it, and name the files in it: tar -xf"
ZIP: Final = "it looks like a zip file, which is binary; convert it first, with: unzip -p"


@pytest.mark.parametrize("command", READING_TEXT)
@pytest.mark.parametrize("kind", ["ustar/gz", "zip"])
def test_an_archive_is_not_read_as_text(folder: Path, command: str, kind: str) -> None:
    """Every command refuses it by its name, and says what to do."""
    (folder / "text.txt").write_bytes(archive(kind))
    *_, first, second = refused(bpetite(*call_of(command)))
    assert first == "error: text.txt is an archive, not text"
    assert second == (ZIP if kind == "zip" else TAR)


@pytest.mark.parametrize("kind", ["pax", "gnu", "v7", "pax/xz", "gnu/bz2", "zip"])
def test_an_archive_is_known_by_its_content(folder: Path, kind: str) -> None:
    """All forms of tar, compressed or not, also from a pipe and for options that read lines."""
    data = archive(kind)
    for more in ("", "--jsonl text"):
        first, second = refusal(f"count --model tokenizer.json - {more}", stdin=data)
        assert first == "error: standard input is an archive, not text"
        assert second == (ZIP if kind == "zip" else TAR)
    (folder / "a.tar").write_bytes(data)
    result = call("count --model tokenizer.json a.tar text.txt")
    assert result.returncode == 1
    assert lines(result.stdout)[-1].endswith("total")
    assert lines(result.stderr)[0] == "error: a.tar is an archive, not text"


def test_only_the_beginning_of_an_input_is_a_byte_order_mark(folder: Path, block: int) -> None:
    """The warning names the first input, also standard input, and counts the others."""
    (folder / "a.txt").write_bytes(MARK)
    (folder / "b.txt").write_bytes(b"x" * block + MARK)
    result = call("count --model tokenizer.json b.txt - a.txt", stdin=MARK + MARK)
    assert lines(result.stdout)[1:3] == ["6\t-", "3\ta.txt"]
    assert lines(result.stderr) == [
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
    assert lines(result.stderr)[-1] == "warning: the corpus is empty; check the input"


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
    for name in read:
        (folder / f"link to {name}").symlink_to(name)
    before = {path: path.is_file() and path.read_bytes() for path in folder.iterdir()}
    regular = "is not a regular file and cannot be replaced; choose another file"
    lost = "is also an input and would be overwritten; choose another output"
    for output, complaint in {
        "": "'' does not name a file; add a file name",
        "new/": "new/ does not name a file; add a file name",
        "no/new": f"no/new: folder {folder}/no does not exist; create it first",
        "text.txt/new": f"text.txt/new: folder {folder}/text.txt does not exist; create it first",
        "lost": f"lost: folder {folder}/nowhere does not exist; create it first",
        "x" * 300: f"{folder}/{'x' * 300}: File name too long; choose a shorter name",
        ".": f". {regular}",
        "fifo": f"fifo {regular}",
        "/dev/null": f"/dev/null {regular}",
        **{name: f"{name} {lost}" for name in read},
        **{f"link to {name}": f"'link to {name}' {lost}" for name in read},
    }.items():
        shown = refused(bpetite(*call_of(command, "--output", output, "--force")))
        assert shown == [f"error: {complaint}"]
    assert {path: path.is_file() and path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", SAVING)
def test_standard_output_is_not_replaced(folder: Path, command: str) -> None:
    """The file that standard output or standard error goes to stays, under whatever name."""
    shown = folder / "shown"
    (folder / "link").symlink_to("shown")
    for name in ("/dev/stdout", "/dev/fd/1", "/dev/stderr", "shown", "link"):
        stream = "standard error" if name == "/dev/stderr" else "standard output"
        words = call_of(command, "--output", name, "--force")
        result = bpetite(*words, stdout=shown)
        complaint = f"{name} is also {stream} and would be overwritten; choose another output"
        assert (result.returncode, lines(result.stderr)) == (1, [f"error: {complaint}"])
        assert shown.read_bytes() == b""


@pytest.mark.parametrize("command", SAVING)
def test_dash_is_not_output(folder: Path, command: str) -> None:
    """`-` is not a file name for `--output`, unless it is written as a path."""
    result = bpetite(*call_of(command, "--output", "-"))
    assert (result.returncode, result.stdout) == (2, b"")
    assert lines(result.stderr)[0].endswith(
        "expected a file, found - (for a file named -, write ./-)"
    )
    assert bpetite(*call_of(command, "--output", "./-")).returncode == 0
    assert (folder / "-").exists()


# Standard output and the terminal


@pytest.mark.parametrize("command", BUILT_IN)
def test_a_closed_standard_output_is_a_failure(folder: Path, command: str) -> None:
    """A closed standard output is reported before anything is computed for it."""
    more = ["--output", "new.json"] if command in SAVING else []
    result = bpetite(*call_of(command, *more), closed="stdout")
    assert result.returncode == 1
    assert lines(result.stderr) == [
        "error: standard output is closed; redirect it to a file or a program"
    ]
    assert not (folder / "new.json").exists()


FORMS: Final = {
    "encode": ("--format u16", "--format text", "--output new.json"),
    "count": ("--by-token",),
    "show": ("--steps", "--json"),
    "inspect": ("--json", "--token 256", "--token 256 --json", "--tokens"),
}
"""Options that make a command write to standard output in other ways."""


@pytest.mark.posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", [*BUILT_IN, "--help"])
def test_a_full_standard_output_is_a_failure(folder: Path, command: str) -> None:
    """Status 0 means that all of it was written, including the summary of a saved file."""
    for form in ("", *FORMS.get(command, ())):
        words = call_of(command, *form.split()) if command in BUILT_IN else [command]
        result = bpetite(*words, stdout=Path("/dev/full"))
        assert (result.returncode, lines(result.stderr)[-1]) == (1, NO_ROOM)
        saved = [line for line in lines(result.stderr) if line.startswith("saved: new.json, ")]
        assert bool(saved) == ("new.json" in words)
        (folder / "new.json").unlink(missing_ok=True)


@pytest.mark.posix
@pytest.mark.parametrize("command", ["encode", "show"])
def test_a_closed_pipe_is_not_an_error(folder: Path, command: str) -> None:
    """A closed pipe ends the command silently, with a result that is held or streamed."""
    (folder / "text.txt").write_bytes(b"low lower " * 20_000)  # results exceed a pipe's buffer
    result = pipeline(f"bpetite {' '.join(call_of(command))} | head -c 1", folder)
    assert (result.returncode, len(result.stdout), result.stderr) == (1, 1, b"")


@pytest.mark.posix
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("command", PRINTING)
def test_a_short_job_draws_nothing(folder: Path, command: str) -> None:
    """A short job draws nothing on a terminal; it may print a line."""
    status, output, drawn = in_terminal(call_of(command), folder)
    assert (status, bool(output), b"\x1b" in drawn) == (0, True, False)


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
    assert failed.returncode == 1
    assert failed.stderr == bpetite(*call_of(command, *more)).stderr != b""


@pytest.mark.posix
def test_a_shell_closes_standard_streams(folder: Path) -> None:
    """The installed program finds a stream closed, and needs no standard error."""
    closed = "error: standard {} is closed; {}\n".format
    for words, status, told in (
        ("encode -m tokenizer.json -i - <&-", 1, closed("input", "name a file")),
        (
            "encode -m tokenizer.json < text.txt >&-",
            1,
            closed("output", "redirect it to a file or a program"),
        ),
        ("encode 2>&-", 2, ""),  # the usage is not printed on standard output
        ("train --input text.txt --vocab-size 300 --output new.json 2>&-", 0, ""),
    ):
        result = pipeline(f"bpetite {words}", folder)
        assert (result.returncode, result.stderr.decode()) == (status, told)
        assert bool(result.stdout) == (status == 0)


# The tokenizer file is opened once, so all output describes one file


_OPENED: list[object] = []
_WATCHED: set[object] = set()


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and arguments[0] in _WATCHED:
        _OPENED.append(arguments[1])


sys.addaudithook(_note)  # permanently: Python cannot remove a hook


CALLS = [*having("--model"), "show --steps", "inspect --json", "inspect --token 256"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", CALLS)
def test_a_command_opens_its_tokenizer_file_once(words: str) -> None:
    """Ids, bytes, merges, size and sha256 all come from one read."""
    _WATCHED.add("tokenizer.json")
    _OPENED.clear()
    result = bpetite(*call_of(*words.split()))
    assert result.returncode == 0, result.stderr
    # Python reports both `open` and the underlying `os.open`, which has no mode.
    assert [mode is None for mode in _OPENED] == [False, True]
