"""The commands of the comparison, as a person or a script meets them."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpetite import Tokenizer
from bpetite_compare._engines import drift
from cli_tools import bpetite, bpetite_process, in_terminal, lines
from compare_tools import CORPUS, DUPLICATE, HOSTILE, UNREACHABLE, write_artifact

OFFLINE = {"TIKTOKEN_CACHE_DIR": os.devnull}
OTHER_FORMS = ("huggingface", "gpt2")
"""What a library in the group `thorough` reads."""

NOT_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def folder(small_model: Path, tmp_path: Path) -> Path:
    """Return a folder with a model and a text."""
    (tmp_path / "tokenizer.json").write_bytes(small_model.read_bytes())
    (tmp_path / "text.txt").write_bytes(CORPUS.encode())
    return tmp_path


@pytest.fixture
def tiny(register: Callable[..., None]) -> None:
    """Have tiktoken know the encodings "tiny", of a few tokens, and "whole", which cuts nothing."""
    register("tiny", b" z", b"oo", b" zoo", b" [", "é".encode())
    register("whole", b"th", b"the", pattern="(?s:.+)")


def data(output: bytes) -> dict[str, Any]:
    """Return the one JSON object that an output is."""
    assert output.count(b"\n") == 1
    result: dict[str, Any] = json.loads(output)
    return result


# compare-tiktoken


@pytest.mark.parametrize("text", HOSTILE)
def test_the_same_vocabulary_is_compared(text: str, folder: Path) -> None:
    """FR-32, FR-34: ids and counts of both sides are one JSON object, with no network."""
    if "\x00" in text:
        pytest.skip("no argument can hold a NUL")
    result = bpetite(
        *("compare-tiktoken", "--model", "tokenizer.json", f"--text={text}"),
        *("--encoding", "self"),
        cwd=folder,
        env=OFFLINE,
    )
    assert result.returncode == 0
    found = data(result.stdout)
    ids = Tokenizer.load(folder / "tokenizer.json").encode(text)
    assert found["bpetite"]["ids"] == found["tiktoken"]["ids"] == ids
    assert found["bpetite"]["count"] == found["tiktoken"]["count"] == len(ids)
    assert found["difference"] is None
    assert found["engine_characters"] == []
    assert "the tokens are the same" in lines(result.stderr)


def test_a_file_is_its_text(folder: Path) -> None:
    """A file, standard input and an argument of one text give one result."""
    (folder / "t").write_bytes("the cat\r\n日本".encode())
    sources: list[list[str]] = [
        ["--input", "t"],
        ["--input", "-"],
        ["--text", "the cat\r\n日本"],
    ]
    outputs = {
        bpetite(
            *("compare-tiktoken", "--model", "tokenizer.json", "--encoding", "self", *source),
            stdin=(folder / "t").read_bytes(),
            cwd=folder,
        ).stdout
        for source in sources
    }
    assert len(outputs) == 1


@pytest.mark.usefixtures("tiny")
def test_another_vocabulary_is_compared(folder: Path) -> None:
    """FR-35: whatever comes of it, the status is 0, and the first difference is told."""
    result = bpetite(
        *("compare-tiktoken", "--model", "tokenizer.json", "--text", "A zoo Ω"),
        *("--encoding", "tiny"),
        cwd=folder,
    )
    found = data(result.stdout)
    assert result.returncode == 0
    assert found["tiktoken"] == {
        "encoding": "tiny",
        "count": 5,
        "bytes_per_token": 1.6,
        "ids": [65, 258, 32, 206, 169],
    }
    assert found["difference"]["tiktoken"] == {"id": 258, "bytes": [*b" zoo"]}
    assert found["difference"]["bpetite"]["bytes"] == [*b" "]
    ours, theirs, parting, special = lines(result.stderr)
    assert ours.startswith("bpetite: ")
    assert theirs.startswith("tiny: ")
    assert parting.startswith("they part at byte ")
    assert special == "<|endoftext|> is one token on both sides, other special tokens are text"


@pytest.mark.usefixtures("offline")
def test_without_a_network_one_line_says_what_to_do(folder: Path) -> None:
    """FR-33: a download is announced; where it fails, one line names TIKTOKEN_CACHE_DIR."""
    result = bpetite("compare-tiktoken", "--model", "tokenizer.json", "--text", "x", cwd=folder)
    assert (result.returncode, result.stdout) == (1, b"")
    announced, failed = lines(result.stderr)
    assert announced.startswith("tiktoken downloads https://")
    assert failed.startswith("error: tiktoken cannot download the encoding gpt2 (")
    assert "TIKTOKEN_CACHE_DIR" in failed


@pytest.mark.usefixtures("tiny")
def test_a_report_is_a_row_for_each(folder: Path) -> None:
    """A report over files has the model first, then the encodings; the lines say the same."""
    result = bpetite(
        *("compare-tiktoken", "--model", "tokenizer.json", "--report", "--input", "text.txt"),
        *("tokenizer.json", "--encoding", "tiny", "whole"),
        cwd=folder,
    )
    found = data(result.stdout)
    names = ["bpetite", "tiny", "whole"]
    assert (result.returncode, found["files"]) == (0, 2)
    assert [row["name"] for row in found["rows"]] == names
    assert [line.partition(":")[0] for line in lines(result.stderr)] == names


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("columns", [40, 71, 72, 120])
@pytest.mark.parametrize("colour", [{}, {"NO_COLOR": "1"}])
def test_it_is_drawn_on_a_terminal(columns: int, colour: dict[str, str], folder: Path) -> None:
    """On a terminal the tokens are drawn, whitespace visible, in any width, with colour or none."""
    arguments = ["compare-tiktoken", "--model", "tokenizer.json", "--text", "the [b]cat[/b]\té\x1b"]
    env = {"COLUMNS": str(columns), **colour}
    status, output, drawn = in_terminal([*arguments, "--encoding", "tiny"], folder, env)
    shown = drawn.decode()
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert status == 0
    assert data(output)["bpetite"]["count"] > 0
    if columns == 120:
        assert "the·[b]cat[/b]⇥é‹U+001B›" in plain.replace("|", "")
    assert "tiny" in plain
    assert max(map(len, plain.splitlines())) <= columns
    beside = [line for line in plain.splitlines() if " bpetite " in line and " tiny " in line]
    assert any("╭" in line for line in beside) == (columns >= 72)
    assert ("\x1b[30;46m" in shown) == (not colour)
    assert ("|·[" in plain) == bool(colour)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("columns", [40, 100])
def test_a_report_is_drawn_on_a_terminal(columns: int, folder: Path) -> None:
    """On a terminal the report is a table, or lines where a table finds no room."""
    arguments = ["compare-tiktoken", "--model", "tokenizer.json", "--input", "text.txt"]
    env = {"COLUMNS": str(columns)}
    arguments += ["--report", "--encoding", "tiny", "whole"]
    status, output, drawn = in_terminal(arguments, folder, env)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.decode())
    assert (status, len(data(output)["rows"])) == (0, 3)
    assert ("bytes/" in plain) == (columns == 100)
    assert "whole" in plain


def test_a_long_text_is_drawn_where_it_parts(folder: Path) -> None:
    """Of a long text what is around the difference is drawn, and how much is not."""
    write_artifact(folder / "odd.json", UNREACHABLE)
    (folder / "long").write_bytes(b"x y " * 300 + b"abc" + b" x y" * 300)
    arguments = ["compare-tiktoken", "--model", "odd.json", "--input", "long", "--encoding", "self"]
    status, _, drawn = in_terminal(arguments, folder)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.decode())
    assert status == 0
    assert plain.count("(1,160 tokens before)") == 2
    assert plain.count("tokens more)") == 2
    assert "they part at byte 1,200 (character 1,200)" in plain


# parity


def test_parity_of_files(folder: Path) -> None:
    """Where all ids are the same, the status is 0 and the figures say how much was compared."""
    result = bpetite(
        *("parity", "--model", "tokenizer.json", "--input", "text.txt", "-"),
        stdin="日本語 <|endoftext|>".encode(),
        cwd=folder,
        env=OFFLINE,
    )
    found = data(result.stdout)
    size = (folder / "text.txt").stat().st_size + len("日本語 <|endoftext|>".encode())
    assert (result.returncode, found["equal"], found["bytes"]) == (0, True, size)
    assert lines(result.stderr) == [
        f"equal: {found['tokens']:,} tokens, of {size:,} bytes in 2 files"
    ]


def test_a_true_difference_is_an_error(folder: Path) -> None:
    """FR-33: where ids differ, the status is 1, and place, tokens and context are told."""
    write_artifact(folder / "odd.json", UNREACHABLE)
    (folder / "t").write_bytes("é\nx abc\n".encode())
    result = bpetite("parity", "--model", "odd.json", "--input", "t", cwd=folder)
    found = data(result.stdout)
    assert (result.returncode, found["equal"]) == (1, False)
    assert found["difference"] == {
        "path": "t",
        "byte": 5,
        "line": 2,
        "before": "é\nx ",
        "after": "abc",
        "bpetite": {"id": 256, "bytes": [97, 98]},
        "tiktoken": {"id": 258, "bytes": [97, 98, 99]},
    }
    assert lines(result.stderr) == [
        (
            "error: the ids differ in 't', at byte 5 in line 2: "
            "bpetite has 'ab' (id 256), tiktoken 'abc' (id 258)"
        ),
        "before it: é⏎x·",
        "there:     abc",
    ]


def test_the_place_of_a_difference_is_the_same_in_every_locale(folder: Path) -> None:
    """The name of the file with the difference is data, and no locale changes it."""
    write_artifact(folder / "odd.json", UNREACHABLE)
    (folder / "é").write_bytes(b"abc")
    words = ["parity", "--model", "odd.json", "--input", "é"]
    for result in (bpetite(*words, cwd=folder), bpetite_process(*words, cwd=folder, env=NOT_UTF_8)):
        assert data(result.stdout)["difference"]["path"] == "é"


def test_characters_of_the_engines_are_no_error(folder: Path) -> None:
    """Where only the engines' tables differ, the status is 0 and the characters are listed."""
    new = min(drift())
    Tokenizer.train(f"x{new}x " * 3, 270).save(folder / "new.json")
    (folder / "t").write_bytes(f"x{new}x".encode())
    result = bpetite("parity", "--model", "new.json", "--input", "t", cwd=folder)
    found = data(result.stdout)
    assert (result.returncode, found["equal"], found["engine_differences"]) == (0, True, 1)
    assert found["engine_characters"] == {f"U+{ord(new):04X}": 1}
    assert f"differ on 1 characters of this text: U+{ord(new):04X}" in lines(result.stderr)[0]


# export and import


@pytest.mark.parametrize("to", ["tiktoken", "huggingface", "gpt2"])
def test_export_prints_the_lines_that_load_it(to: str, folder: Path) -> None:
    """Standard output is what a library's user would type; a second export needs `--force`."""
    words = ["export", "--model", "tokenizer.json", "--to", to, "--output", "out"]
    result = bpetite(*words, cwd=folder)
    assert result.returncode == 0, result.stderr
    assert lines(result.stderr)[-1] == "these lines load it:"
    assert re.search(rb"^tokenizer|^encoding", result.stdout, re.MULTILINE)
    assert b"'out" in result.stdout
    again = bpetite(*words, cwd=folder)
    assert (again.returncode, again.stdout) == (1, b"")
    (told,) = lines(again.stderr)
    assert re.match(r"error: 'out' exists; use --force to replace (it|files in it), or name", told)
    assert bpetite(*words, "--force", cwd=folder).stdout == result.stdout


@pytest.mark.parametrize(
    "to", ["tiktoken", *(pytest.param(to, marks=pytest.mark.thorough) for to in OTHER_FORMS)]
)
def test_the_program_of_an_export_is_the_same_in_every_locale(to: str, folder: Path) -> None:
    """A name that is not ASCII is written as it is, and the program finds the file."""
    words = ["export", "--model", "tokenizer.json", "--to", to, "--output", "é", "--force"]
    program = bpetite(*words, cwd=folder).stdout
    assert bpetite_process(*words, cwd=folder, env=NOT_UTF_8).stdout == program
    assert "'é" in program.decode()
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    ("words", "output", "kind"),
    [
        ("export --model tokenizer.json --to gpt2", "file", "a folder"),
        ("export --model tokenizer.json --to gpt2", "link", "a folder"),
        ("export --model tokenizer.json --to huggingface", "folder", "a regular file"),
        ("export --model tokenizer.json --to tiktoken", "/dev/null", "a regular file"),
        ("import-tiktoken --ranks ranks", "folder", "a regular file"),
    ],
)
def test_what_force_cannot_replace_is_refused_at_once(
    words: str, output: str, kind: str, force: list[str], folder: Path
) -> None:
    """Where a file stands for a folder, or the reverse, no message suggests `--force`."""
    (folder / "file").write_bytes(b"old")
    (folder / "link").symlink_to("nowhere")
    (folder / "folder").mkdir()
    result = bpetite(*words.split(), "--output", output, *force, cwd=folder)
    assert (result.returncode, result.stdout) == (1, b"")
    (line,) = lines(result.stderr)
    assert line.startswith(f"error: '{output}' is not {kind} and cannot be replaced")
    assert (folder / "file").read_bytes() == b"old"


def test_what_export_prints_loads_it(folder: Path) -> None:
    """The printed lines are a program that runs in the folder of the export."""
    words = ["export", "--model", "tokenizer.json", "--to", "tiktoken", "--output", "out"]
    program = bpetite(*words, cwd=folder).stdout
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)


def test_an_export_that_would_lie_is_refused(folder: Path) -> None:
    """A hand-made model that bytes cannot stand for is refused in one line."""
    write_artifact(folder / "odd.json", DUPLICATE)
    words = "export --model odd.json --to tiktoken --output out"
    result = bpetite(*words.split(), cwd=folder)
    assert (result.returncode, result.stdout) == (1, b"")
    assert lines(result.stderr) == [
        ("error: this model cannot be exported: the tokens 258 and 259 have the same bytes, b'abc'")
    ]


def test_export_and_import_in_a_row(folder: Path) -> None:
    """What was exported as ranks comes back the same, byte for byte."""
    words = "export --model tokenizer.json --to tiktoken --output ranks"
    assert bpetite(*words.split(), cwd=folder).returncode == 0
    result = bpetite(*["import-tiktoken", "--ranks", "ranks", "--output", "back.json"], cwd=folder)
    assert result.returncode == 0, result.stderr
    assert (folder / "back.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
    assert data(result.stdout) == {
        "mergeable_vocab_size": 323,
        "special_token_id": 323,
        "byte_order": list(range(256)),
    }


# What all of them share


@pytest.mark.parametrize(
    "words",
    [
        "compare-tiktoken --model tokenizer.json",
        "compare-tiktoken --text x",
        "compare-tiktoken --model tokenizer.json --text x --input text.txt",
        "compare-tiktoken --model tokenizer.json --text x --report",
        "compare-tiktoken --model tokenizer.json --text x --text y",
        "compare-tiktoken --model tokenizer.json --input text.txt text.txt",
        "compare-tiktoken --model tokenizer.json --text x --encoding gpt2 cl100k_base",
        "parity --model tokenizer.json",
        "parity --modle m",
        "parity --mod tokenizer.json --input text.txt",
        "export --model tokenizer.json --to nowhere --output x",
        "export --model tokenizer.json --to gpt2",
        "import-tiktoken --output x",
        "import-tiktoken --encoding gpt2 --ranks x --output x",
        "import-tiktoken --encoding gpt2 --output -",
        "export --model tokenizer.json --to tiktoken --output -",
    ],
)
def test_wrong_usage_has_status_2(words: str, folder: Path) -> None:
    """FR-33: wrong usage is told on standard error, with status 2."""
    result = bpetite(*shlex.split(words), cwd=folder)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.startswith(b"usage: bpetite ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("parity --model none.json --input text.txt", "'none.json': No such file or directory"),
        ("parity --model text.txt --input text.txt", "'text.txt': expected JSON"),
        ("parity --model tokenizer.json --input none", "'none': No such file or directory"),
        ("parity --model tokenizer.json --input bad", "'bad' is not UTF-8: byte 0xff at offset 1"),
        ("parity --model tokenizer.json --input .", "'.' is a folder; name the files in it"),
        ("compare-tiktoken --model tokenizer.json --input bad", "'bad' is not UTF-8"),
        ("compare-tiktoken --model none --text x", "'none': No such file or directory"),
        ("compare-tiktoken --model tokenizer.json --text x --encoding no", "no encoding 'no'"),
        ("compare-tiktoken --model tokenizer.json --input bad --report --encoding self", "`self`"),
        ("export --model none --to gpt2 --output x", "'none': No such file or directory"),
        ("export --model tokenizer.json --to gpt2 --output no/x", "'no/': No such file"),
        ("export --model tokenizer.json --to tiktoken --output no/x", "'no/x': there is no folder"),
        ("parity --model tokenizer.json --input - -", "standard input (-) can be read only once"),
        (
            "compare-tiktoken --model tokenizer.json --input - - --report",
            "standard input (-) can be read only once",
        ),
        ("import-tiktoken --ranks none --output x", "'none': No such file or directory"),
        ("import-tiktoken --ranks text.txt --output x", "'text.txt' is no file of ranks"),
    ],
)
def test_a_failure_is_told_in_one_line(words: str, told: str, folder: Path) -> None:
    """FR-33: what goes wrong is told on standard error in one line, with status 1."""
    (folder / "bad").write_bytes(b"a\xff")
    result = bpetite(*shlex.split(words), cwd=folder, env=OFFLINE)
    assert (result.returncode, result.stdout) == (1, b"")
    (line,) = lines(result.stderr)
    assert line.startswith("error: ")
    assert told in line


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("parity --model tokenizer.json --input text.txt -\x1b[2J", r"option -\x1b[2J"),
        ("parity --model \u2066 --input text.txt", r"'\u2066': No such file"),
        ("export --model tokenizer.json --to tiktoken --output \u3164", r"'\u3164', 324 tokens"),
        ("import-tiktoken --ranks \u2800\x07 --output x", r"'\u2800\x07': No such file"),
    ],
)
def test_an_argument_reaches_the_terminal_escaped(words: str, shown: str, folder: Path) -> None:
    """No argument or file name can control a terminal or hide in it."""
    result = bpetite(*words.split(" "), cwd=folder)
    assert shown in result.stderr.decode()
    assert all(line.isprintable() for line in result.stderr.decode().split("\n"))


WRITERS = [
    "parity --model tokenizer.json --input text.txt",
    "export --model tokenizer.json --to tiktoken --output x",
    "import-tiktoken --encoding tiny --output x",
    "compare-tiktoken --model tokenizer.json --text x --encoding self",
]


@pytest.mark.usefixtures("tiny")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", WRITERS)
def test_a_full_output_is_told(words: str, folder: Path) -> None:
    """FR-33: a full standard output is an error in one line."""
    result = bpetite(*words.split(), cwd=folder, stdout=Path("/dev/full"))
    assert result.returncode == 1
    assert (
        "error: standard output cannot be written: No space left on device"
        in lines(result.stderr)[-1]
    )


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("words", WRITERS)
def test_a_closed_output_is_told(words: str, folder: Path) -> None:
    """FR-33: a closed standard output is an error in one line."""
    result = bpetite(*words.split(), cwd=folder, closed="stdout")
    assert result.returncode == 1
    assert lines(result.stderr)[-1] == (
        "error: standard output is closed; send it to a file or to a program"
    )


def test_rich_is_imported_only_to_draw(folder: Path) -> None:
    """Off a terminal nothing of the comparison loads rich."""
    code = (
        "import sys, bpetite_cli as b\n"
        "for line in sys.argv[1:]:\n"
        "    assert b.main(line.split()) == 0\n"
        "sys.exit('rich' in sys.modules)\n"
    )
    words = [
        "compare-tiktoken --model tokenizer.json --text x --encoding self",
        "parity --model tokenizer.json --input text.txt",
        "export --model tokenizer.json --to gpt2 --output out",
    ]
    result = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, cwd=folder, check=False
    )
    assert result.returncode == 0, result.stderr.decode()


def test_an_argument_is_utf_8_whatever_the_locale(folder: Path) -> None:
    """The text of an argument is the same under a locale that is not UTF-8."""
    words = ["compare-tiktoken", "--model", "tokenizer.json", "--encoding", "self", "--text", "日"]
    plain = bpetite(*words, cwd=folder)
    other = bpetite_process(*words, cwd=folder, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert plain.stdout == other.stdout
    assert data(plain.stdout)["engine_characters"] == []
