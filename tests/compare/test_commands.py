"""The commands of the comparison, from the command line."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_compare._engines import drift
from cli_tools import bpetite, bpetite_process, in_terminal, lines, refused, shown_in_terminal
from compare_tools import CORPUS, HOSTILE, UNREACHABLE
from compressors import COMPRESS, FORMATS
from exports import EVERY_FORM

OFFLINE = {"TIKTOKEN_CACHE_DIR": os.devnull}
NOT_UTF_8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def folder(small_model: Path, tmp_path: Path) -> Path:
    """Return a folder with a model and a text."""
    (tmp_path / "tokenizer.json").write_bytes(small_model.read_bytes())
    (tmp_path / "text.txt").write_bytes(CORPUS.encode())
    return tmp_path


@pytest.fixture
def tiny(register: Callable[..., None]) -> None:
    """Register the encodings "tiny", of a few tokens, and "whole", which cuts nothing."""
    register("tiny", b" z", b"oo", b" zoo", b" [", "é".encode())
    register("whole", b"th", b"the", pattern="(?s:.+)")


def done(
    words: str, folder: Path, *more: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command that must succeed."""
    result = bpetite(*words.split(), *more, stdin=stdin, cwd=folder, env=env)
    assert result.returncode == 0, result.stderr
    return result


def loading(result: subprocess.CompletedProcess[bytes]) -> str:
    return result.stderr.decode().partition("to load it in Python:\n")[2]


def data(output: bytes) -> dict[str, Any]:
    """Return an output's only JSON object."""
    assert output.count(b"\n") == 1
    result: dict[str, Any] = json.loads(output)
    return result


# compare-tiktoken


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\x00" not in text])
def test_the_same_vocabulary_is_compared(text: str, folder: Path) -> None:
    """FR-32, FR-34, FR-35: ids and counts of both sides are one JSON object, with no network."""
    words = "compare-tiktoken --model tokenizer.json --encoding self"
    result = done(words, folder, f"--text={text}", env=OFFLINE)
    found = data(result.stdout)
    ids = Tokenizer.load(folder / "tokenizer.json").encode(text)
    assert found["bpetite"]["ids"] == found["tiktoken"]["ids"] == ids
    assert found["bpetite"]["tokens"] == found["tiktoken"]["tokens"] == len(ids)
    assert (found["equal"], found["difference"]) == (True, None)
    assert found["engine_characters"] == {
        f"U+{ord(char):04X}": text.count(char) for char in sorted(drift().intersection(text))
    }
    assert "all tokens are equal" in lines(result.stderr)


@pytest.mark.usefixtures("tiny")
def test_another_vocabulary_is_compared(folder: Path) -> None:
    """FR-35: whatever the result, the status is 0, and the first difference is reported."""
    words = "compare-tiktoken --model tokenizer.json --encoding tiny --text"
    result = done(words, folder, "A zoo Ω")
    found = data(result.stdout)
    assert found["tiktoken"] == {
        "name": "tiny",
        "bytes": 8,
        "tokens": 5,
        "bytes_per_token": 1.6,
        "ids": [65, 258, 32, 206, 169],
    }
    token = {"id": 258, "hex": b" zoo".hex(), "text": " zoo"}
    assert found["difference"]["tiktoken_token"] == token
    assert found["difference"]["bpetite_token"] == {"id": 32, "hex": "20", "text": " "}
    assert found["equal"] is False
    ours, theirs, parting, special = lines(result.stderr)
    assert ours.startswith("bpetite: ")
    assert theirs.startswith("tiny: ")
    assert parting.startswith("first difference at byte ")
    assert special == "only the special tokens of the tokenizer file are special, on both sides"


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("columns", [40, 71, 72, 120])
@pytest.mark.parametrize("color", [{}, {"NO_COLOR": "1"}])
def test_drawing_on_a_terminal(columns: int, color: dict[str, str], folder: Path) -> None:
    """On a terminal the tokens are drawn in any width, with visible whitespace, in color or not."""
    arguments = ["compare-tiktoken", "--model", "tokenizer.json", "--text", "the [b]cat[/b]\té\x1b"]
    env = {"COLUMNS": str(columns), **color}
    status, output, drawn = in_terminal([*arguments, "--encoding", "tiny"], folder, env)
    shown = drawn.decode()
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert status == 0
    assert data(output)["bpetite"]["tokens"] > 0
    if columns == 120:
        assert "the·[b]cat[/b]⇥é‹U+001B›" in plain.replace("|", "")
    assert "tiny" in plain
    assert max(map(len, plain.splitlines())) <= columns
    beside = [line for line in plain.splitlines() if " bpetite " in line and " tiny " in line]
    assert any("╭" in line for line in beside) == (columns >= 72)
    assert ("\x1b[30;46m" in shown) == (not color)
    assert ("|·[" in plain) == bool(color)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("columns", [40, 100])
def test_a_report_is_drawn_on_a_terminal(columns: int, folder: Path) -> None:
    """On a terminal the report is a table, or lines if a table does not fit."""
    arguments = ["compare-tiktoken", "--model", "tokenizer.json", "--input", "text.txt"]
    env = {"COLUMNS": str(columns)}
    arguments += ["--report", "--encoding", "tiny", "whole"]
    status, output, drawn = in_terminal(arguments, folder, env)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.decode())
    found = data(output)
    assert (status, found["files"]) == (0, 1)
    assert [row["name"] for row in found["rows"]] == ["bpetite", "tiny", "whole"]
    assert ("bytes/" in plain) == (columns == 100)
    assert "whole" in plain
    _, shown = shown_in_terminal(arguments, folder, columns=columns)
    both = [drawn.decode().replace("\r\n", "\n"), output.decode()]
    assert shown == "".join(both if columns == 100 else reversed(both))  # a long object is first


def test_long_texts_show_only_the_difference(folder: Path) -> None:
    """Of a long text, only the part around the difference is drawn, and the rest is counted."""
    write_artifact(folder / "odd.json", UNREACHABLE)
    (folder / "long").write_bytes(b"x y " * 300 + b"abc" + b" x y" * 300)
    arguments = ["compare-tiktoken", "--model", "odd.json", "--input", "long", "--encoding", "self"]
    status, _, drawn = in_terminal(arguments, folder)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn.decode())
    assert status == 0
    assert plain.count("(1,160 tokens before)") == 2
    assert plain.count("tokens more)") == 2
    assert "first difference at byte 1,200 (character 1,200)" in plain


# parity


def test_parity_of_files(folder: Path) -> None:
    """If all ids are equal, the status is 0 and the figures say how much was compared."""
    typed = "日本語 <|endoftext|>".encode()
    words = "parity --model tokenizer.json text.txt -"
    result = done(words, folder, stdin=typed, env=OFFLINE)
    found = data(result.stdout)
    size = (folder / "text.txt").stat().st_size + len(typed)
    assert (found["equal"], found["bytes"]) == (True, size)
    assert lines(result.stderr) == [
        f"equal: {found['tokens']:,} tokens for {size:,} bytes in 2 files"
    ]


def test_a_real_difference_is_an_error(folder: Path) -> None:
    """FR-33: if ids differ, the status is 1, and position, tokens and context are reported."""
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
        "bpetite_token": {"id": 256, "hex": "6162", "text": "ab"},
        "tiktoken_token": {"id": 258, "hex": "616263", "text": "abc"},
    }
    assert lines(result.stderr) == [
        "the text before: é⏎x·",
        "the text there:  abc",
        (
            "error: the ids differ in t, at byte 5 in line 2: "
            "bpetite has 'ab' (id 256), tiktoken has 'abc' (id 258)"
        ),
    ]


def test_engine_differences_are_not_errors(folder: Path) -> None:
    """If only the engines' tables differ, the status is 0 and the characters are listed."""
    new = sorted(drift())[:3]
    # The first may be a letter for either engine, with letters or with punctuation around it.
    Tokenizer.train(f"x{new[0]}x !{new[0]}! " * 3, 290).save(folder / "new.json")
    text = f"the {new[0]}cat {new[1]}{new[2]} x{new[0]}x\nthe !{new[0]}!<|endoftext|>{new[0]}"
    (folder / "t").write_bytes(text.encode())
    result = done("parity --model new.json --input t", folder)
    found = data(result.stdout)
    assert (found["equal"], found["engine_differences"]) == (True, 1)
    names = [f"U+{ord(character):04X}" for character in new]
    assert found["engine_characters"] == dict(zip(names, (4, 1, 1), strict=True))
    first, second, _ = lines(result.stderr)
    assert first.endswith(f"differ on 6 characters of this text: {', '.join(names)}")
    assert second.startswith("sections whose ids differ only for this reason: 1; ")


# export and import


@pytest.mark.parametrize("to", ["tiktoken", "huggingface", "gpt2"])
def test_export_prints_the_loading_code(to: str, folder: Path) -> None:
    """The lines that load the export go to standard error; a second export needs `--force`."""
    words = f"export --model tokenizer.json --to {to} --output out"
    result = done(words, folder)
    assert re.search(r"^tokenizer|^encoding", program := loading(result), re.MULTILINE)
    assert f"'{folder}/out" in program
    found = data(result.stdout)
    assert found.keys() == {"outputs", "vocab_size", "special_tokens"}
    assert (found["vocab_size"], found["special_tokens"]) == (323, {"<|endoftext|>": 323})
    assert all((folder / path).is_file() for path in found["outputs"])
    (told,) = refused(bpetite(*words.split(), cwd=folder))
    assert re.match(
        r"error: out (already exists|is not empty); use --force to replace (it|files in it)", told
    )
    assert done(words, folder, "--force").stdout == result.stdout


@pytest.mark.parametrize("to", EVERY_FORM)
def test_loading_code_does_not_depend_on_the_locale(to: str, folder: Path) -> None:
    """A name that is not ASCII is written unchanged or escaped, and the program finds the file."""
    output = "é.json" if to == "huggingface" else "é"
    words = ["export", "--model", "tokenizer.json", "--to", to, "--output", output, "--force"]
    ours, other = bpetite(*words, cwd=folder), bpetite_process(*words, cwd=folder, env=NOT_UTF_8)
    assert ours.stdout == other.stdout
    assert f"{folder}/é" in loading(ours)
    subprocess.run([sys.executable, "-c", loading(other)], cwd="/", check=True)


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize(
    ("words", "output", "kind"),
    [
        ("export --model tokenizer.json --to gpt2", "file", "a folder"),
        ("export --model tokenizer.json --to huggingface", "folder.json", "a regular file"),
        ("export --model tokenizer.json --to tiktoken", "/dev/null", "a regular file"),
        ("import --from tiktoken --input ranks", "folder", "a regular file"),
    ],
)
def test_unreplaceable_outputs_are_rejected_early(
    words: str, output: str, kind: str, force: list[str], folder: Path
) -> None:
    """If a file is in the way of a folder, or the reverse, no message suggests `--force`."""
    (folder / "file").write_bytes(b"old")
    (folder / "folder").mkdir()
    (folder / "folder.json").mkdir()
    (line,) = refused(bpetite(*words.split(), "--output", output, *force, cwd=folder))
    assert line.startswith(f"error: {output} is not {kind} and cannot be replaced")
    assert (folder / "file").read_bytes() == b"old"


def test_an_export_for_transformers(folder: Path) -> None:
    """The folder has the ids of the special tokens, and the given length and template."""
    (folder / "chat.jinja").write_text("{{ messages }}é", encoding="utf-8")
    words = "export --model tokenizer.json --to huggingface --output hf --max-length 1024"
    words += " --chat-template chat.jinja --special <|user|> <|bot|> --special é<"
    result = done(words, folder)
    ids = {"<|endoftext|>": 323, "<|user|>": 324, "<|bot|>": 325, "é<": 326}
    assert data(result.stdout) == {
        "outputs": ["hf/tokenizer.json", "hf/tokenizer_config.json"],
        "vocab_size": 323,
        "special_tokens": ids,
    }
    assert "AutoTokenizer.from_pretrained" in loading(result)
    config = json.loads((folder / "hf" / "tokenizer_config.json").read_bytes())
    assert config["model_max_length"] == 1024
    assert config["chat_template"] == "{{ messages }}é"
    assert config["additional_special_tokens"] == ["<|user|>", "<|bot|>", "é<"]


@pytest.mark.parametrize("file", ["bad", "fifo", "/dev/zero", "none"])
def test_a_chat_template_is_a_text_file(file: str, folder: Path) -> None:
    """A template that is not UTF-8, not a regular file or missing is a one-line error."""
    (folder / "bad").write_bytes(b"{{ \xff }}")
    os.mkfifo(folder / "fifo")
    words = "export --model tokenizer.json --to huggingface --output hf --chat-template"
    (line,) = refused(bpetite(*words.split(), file, cwd=folder))
    assert line.startswith("error: ")
    assert not (folder / "hf").exists()


@pytest.mark.parametrize("form", ["tiktoken", "huggingface", "gpt2"])
def test_export_import_round_trips(form: str, folder: Path) -> None:
    """Importing an export restores the file, byte for byte."""
    done(f"export --model tokenizer.json --to {form} --output exported", folder)
    result = done(f"import --from {form} --input exported --output back.json", folder)
    assert (folder / "back.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
    assert data(result.stdout) == {
        "outputs": ["back.json"],
        "vocab_size": 323,
        "merges": 67,
        "pattern": "gpt2",
        "special_tokens": {"<|endoftext|>": 323},
        "changed_ids": 0,
        "dropped_special_tokens": {},
        "sha256": hashlib.sha256((folder / "back.json").read_bytes()).hexdigest(),
    }
    told = lines(result.stderr)
    assert told[0] == "imported: back.json, 323 mergeable tokens, <|endoftext|> is 323"
    assert (len(told) > 2) == (form == "tiktoken")


def test_special_tokens_can_be_dropped(folder: Path) -> None:
    """The error names other special tokens; `import` drops them if asked, and says so."""
    done("export --model tokenizer.json --to huggingface --output hf --special <|a|> <|b|>", folder)
    words = "import --from huggingface --input hf --output back.json --id-map ids.json"
    (line,) = refused(bpetite(*words.split(), cwd=folder))
    assert line == (
        "error: cannot import hf: it has the special tokens '<|a|>', '<|b|>', but an import "
        "keeps only <|endoftext|>; --drop-special (drop_special=True) drops them"
    )
    assert not (folder / "back.json").exists()
    result = done(words, folder, "--drop-special")
    assert data(result.stdout)["dropped_special_tokens"] == {"<|a|>": 324, "<|b|>": 325}
    assert "dropped, now ordinary text: '<|a|>', '<|b|>'" in lines(result.stderr)
    assert (folder / "back.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
    assert json.loads((folder / "ids.json").read_bytes()) == list(range(324))


def test_the_original_ids_are_kept_in_a_file(folder: Path) -> None:
    """An id map has the original ids, and with it `export` restores the file that was read."""
    done("export --model tokenizer.json --to huggingface --output hf.json", folder)
    content = json.loads((folder / "hf.json").read_bytes())
    vocab = {text: (token_id + 1) % 324 for text, token_id in content["model"]["vocab"].items()}
    content["model"]["vocab"] = vocab
    content["added_tokens"][0]["id"] = 0
    (folder / "theirs.json").write_text(json.dumps(content))
    words = "import --from huggingface --input theirs.json --output back.json"
    assert lines(done(words, folder).stderr)[-1] == (
        "324 of 324 ids have changed; --id-map FILE saves the original ones"
    )
    result = done(words, folder, "--force", "--id-map", "ids.json")
    assert lines(result.stderr)[-1].endswith("are in ids.json, for export --id-map")
    assert json.loads((folder / "ids.json").read_bytes()) == [*range(1, 324), 0]
    words = "export --model back.json --to huggingface --output again.json --id-map ids.json"
    assert data(done(words, folder).stdout)["special_tokens"] == {"<|endoftext|>": 0}
    assert json.loads((folder / "again.json").read_bytes()) == content


# Common behavior


@pytest.mark.parametrize(
    "words",
    [
        "compare-tiktoken --model tokenizer.json",
        "compare-tiktoken --model tokenizer.json --text x --report",
        "compare-tiktoken --model tokenizer.json --input text.txt text.txt",
        "compare-tiktoken --model tokenizer.json --text x --encoding gpt2 cl100k_base",
        "export --model tokenizer.json --to gpt2 --output x --max-length 4",
        "export --model tokenizer.json --to huggingface --output x.json --chat-template x",
        "export --model tokenizer.json --to huggingface --output x --max-length 0",
        "import --from gpt2 --input x --output x --id-map -",
        "import --from tiktoken --input gpt2 --output -",
        "parity --model tokenizer.json",
        "parity --model tokenizer.json text.txt --input text.txt",
        "export --model tokenizer.json --to tiktoken --output -",
    ],
)
def test_usage_errors_exit_with_2(words: str, folder: Path) -> None:
    """FR-33: wrong usage is reported on standard error, with status 2."""
    assert refused(bpetite(*words.split(), cwd=folder), status=2)[0].startswith("error: ")


@pytest.mark.parametrize("option", ["--encoding", "--encoding=gpt2"])
def test_parity_points_to_the_comparison_of_vocabularies(option: str) -> None:
    """`parity` has no `--encoding`, and the error names the command that has it."""
    assert refused(bpetite("parity", "--model", "m", "--input", "a", option), status=2) == [
        (
            "error: unknown option --encoding; parity compares equal vocabularies; for another "
            "one, use `bpetite compare-tiktoken --encoding NAME`"
        ),
        "see `bpetite parity --help`",
    ]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("parity --model tokenizer.json --input none", "none: No such file or directory"),
        ("parity --model tokenizer.json --input .", ". is a folder; name files, or list"),
        ("compare-tiktoken --model tokenizer.json --input .", ". is a folder; name files, or"),
        (
            "compare-tiktoken --model tokenizer.json --input bad --report --encoding self",
            "remove self from",
        ),
        ("export --model tokenizer.json --to gpt2 --output no/x", "no/: No such file"),
        ("export --model tokenizer.json --to tiktoken --output no/x", "no/x: folder "),
        ("parity --model tokenizer.json --input - -", "standard input (-) can be read only once"),
        (
            "compare-tiktoken --model tokenizer.json --input - - --report",
            "standard input (-) can be read only once",
        ),
        ("import --from tiktoken --input none --output x", "none: No such file or directory"),
        (
            "import --from huggingface --input tokenizer.json --output x",
            "is already a bpetite tokenizer file",
        ),
        ("import --from gpt2 --input . --output x", "./vocab.json: No such file or directory"),
        ("import --from huggingface --input a b --output x", "with one, found 2 paths"),
        ("import --from tiktoken --input x --output y --id-map no/x", "does not exist; create it"),
    ],
)
def test_failures_are_one_line(words: str, told: str, folder: Path) -> None:
    """FR-33: failures are reported on standard error in one line, with status 1."""
    (line,) = refused(bpetite(*words.split(), cwd=folder, env=OFFLINE))
    assert line.startswith("error: ")
    assert told in line


TEXT_COMMANDS = (
    "parity --model tokenizer.json --input text.txt",
    "compare-tiktoken --model tokenizer.json --encoding self --input text.txt",
    "compare-tiktoken --model tokenizer.json --encoding tiny whole --report --input text.txt",
)
COMMANDS = (
    *TEXT_COMMANDS,
    "export --model tokenizer.json --to tiktoken --output x --force",
    "import --from tiktoken --input tiny --output x --force",
)


@pytest.mark.usefixtures("tiny")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", COMMANDS)
def test_streams_are_those_of_every_command(words: str, folder: Path) -> None:
    """FR-33: `--quiet` leaves only errors; a closed or full standard output is one."""
    plain, quiet = (bpetite(*words.split(), *more, cwd=folder) for more in ([], ["--quiet"]))
    assert plain.stderr != b""
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, plain.stdout, b"")
    closed = bpetite(*words.split(), cwd=folder, closed="stdout")
    full = bpetite(*words.split(), cwd=folder, stdout=Path("/dev/full"))
    assert closed.returncode == full.returncode == 1
    assert lines(closed.stderr)[-1] == (
        "error: standard output is closed; redirect it to a file or a program"
    )
    no_room = "error: cannot write to standard output: No space left on device"
    assert no_room in lines(full.stderr)[-1]


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("words", COMMANDS[:4])
def test_unusable_files_are_described(words: str, folder: Path) -> None:
    """FR-33: the messages about text and tokenizer files are those of every command."""
    call = words.split()
    if words in TEXT_COMMANDS:
        (folder / "text.txt").write_bytes(b"caf\xe9 au lait")
        first, second = refused(bpetite(*call, cwd=folder, env=OFFLINE))
        assert first.startswith("error: text.txt is not UTF-8: byte 0xe9 at offset 3 ")
        assert second.startswith("it looks like Latin-1; convert it first, with: ")
        (folder / "text.txt").write_bytes("\ufefflow".encode())
        told = lines(done(words, folder).stderr)[-1]
        assert told.startswith("warning: text.txt begins with a byte order mark, ")
    (folder / "text.txt").write_bytes(b"low")
    (folder / "tokenizer.json").write_bytes(CORPUS.encode())
    first, second = refused(bpetite(*call, cwd=folder, env=OFFLINE))
    assert first == "error: tokenizer.json is not a tokenizer file; it looks like plain text"
    assert second.startswith("make one from it with `bpetite train --input tokenizer.json ")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("words", TEXT_COMMANDS)
def test_compressed_text_is_read(words: str, name: str, folder: Path) -> None:
    """From a file and from standard input, the result is that of the text."""
    call, text = words.split()[:-1], (folder / "text.txt").read_bytes()
    expected = bpetite(*call, "text.txt", cwd=folder, env=OFFLINE)
    zipped = COMPRESS[name](text)
    (folder / "text.txt").write_bytes(zipped)
    for source, stdin in (("text.txt", b""), ("-", zipped)):
        result = bpetite(*call, source, stdin=stdin, cwd=folder, env=OFFLINE)
        assert (result.returncode, result.stdout) == (0, expected.stdout)
    (folder / "cut").write_bytes(zipped[:-1])
    (line,) = refused(bpetite(*call, "cut", cwd=folder, env=OFFLINE))
    assert line.startswith("error: cut is cut off: ")


@pytest.mark.parametrize("to", ["huggingface", "tiktoken", "gpt2"])
def test_errors_suggest_the_command_that_imports_a_file(to: str, folder: Path) -> None:
    """The command that an error names imports the file as a tokenizer file."""
    out = folder / ("out.json" if to == "huggingface" else "out")
    done(f"export --model tokenizer.json --to {to} --output", folder, str(out))
    for path in [*out.iterdir()] if out.is_dir() else [out]:
        result = bpetite("count", "--model", path.relative_to(folder), cwd=folder)
        first, second = refused(result)
        assert " is not a tokenizer file; it looks like " in first
        command = re.match("make one from it with `bpetite (.*)`", second)
        assert command
        done(command[1], folder, "--force")
        made = (folder / "NEW.json").read_bytes()
        assert made == (folder / "tokenizer.json").read_bytes()


def test_rich_is_imported_only_to_draw(folder: Path) -> None:
    """Off a terminal the comparison does not load rich."""
    code = (
        "import sys, bpetite_cli as b\n"
        "assert [b.main(line.split()) for line in sys.argv[1:]] == [0, 0, 0]\n"
        "sys.exit('rich' in sys.modules)\n"
    )
    calls = [words for words in COMMANDS if "--report" not in words and "import" not in words]
    subprocess.run([sys.executable, "-c", code, *calls], cwd=folder, check=True)
