"""The commands of the comparison, from the command line."""

import gzip
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

from bpetite import Tokenizer
from cli_tools import bpetite, bpetite_process, in_terminal, lines, refused
from compare_tools import CORPUS, CROSSING, HOSTILE, damage_tiktoken, write_tokenizer
from exports import EVERY_FORM
from hugging_face_files import added
from nasty import drift

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


def test_the_same_vocabulary_is_compared(folder: Path) -> None:
    """FR-32, FR-34, FR-35: ids and counts of both sides are one JSON object, with no network."""
    text = "\n".join(HOSTILE)
    (folder / "text.txt").write_bytes(text.encode())
    words = "compare-tiktoken --model tokenizer.json --encoding self --input text.txt"
    result = done(words, folder, env=OFFLINE)
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
@pytest.mark.parametrize(
    ("columns", "color"),
    [
        pytest.param(40, {}, id="narrow"),
        pytest.param(71, {"NO_COLOR": "1"}, id="without color"),
        pytest.param(72, {}, id="side by side"),
        pytest.param(120, {}, id="wide"),
    ],
)
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
def test_a_report_marks_the_best_of_each_row(folder: Path) -> None:
    """FR-34: the JSON has each text and tokenizer, and the table the same figures."""
    (folder / "zoo.txt").write_bytes(b"zoo zoo zoo")
    (folder / "oo").write_bytes("oo é".encode())
    (folder / "none").write_bytes(b"")
    words = "compare-tiktoken --report --encoding tiny whole --input zoo.txt oo none"
    found = data(done(f"{words} --parallel", folder).stdout)
    figures = [[text["tokens"] for text in row["per_text"]] for row in found["rows"]]
    assert figures == [[4, 3, 0], [11, 5, 0]]
    ratios = [[text["ratio_to_first"] for text in row["per_text"]] for row in found["rows"]]
    assert ratios == [[1.0, 0.75, 0.0], [1.0, 0.4545, 0.0]]
    assert [text["path"] for text in found["rows"][0]["per_text"]] == ["zoo.txt", "oo", "none"]
    expected = """\
                   tiny   whole
tokens
  zoo.txt             4*     11
  oo                  3*      5
  none                0       0
  total               7*     16
bytes per token
  zoo.txt          2.75*   1.00
  oo               1.67*   1.00
  none                -       -
  total            2.29*   1.00
ratio to first
  zoo.txt          1.00    1.00
  oo               0.75    0.45*
  none             0.00    0.00
vocab size          261     258
shared              261     256
single byte share 28.6%  100.0%"""
    assert lines(done(f"{words} --parallel", folder).stderr) == expected.splitlines()
    plain = done(words, folder)
    assert plain.stderr.decode() == re.sub(r"(?m)^ratio to first\n(  .*\n)+", "", f"{expected}\n")
    assert b'"ratio_to_first": 1.0' not in plain.stdout


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("columns", [40, 100])
def test_a_report_fits_a_terminal(columns: int, folder: Path) -> None:
    """A wide table comes in several parts, and a long name is cut."""
    copy = folder / f"{'long' * 20}.json"
    copy.write_bytes((folder / "tokenizer.json").read_bytes())
    arguments = ["compare-tiktoken", "--input", "text.txt", "--report", "--encoding", "tiny"]
    arguments += ["whole", "--model", "tokenizer.json", copy.name]
    status, output, drawn = in_terminal(arguments, folder, {"COLUMNS": str(columns)})
    assert (status, data(output)["files"]) == (0, 1)
    names = [row["name"] for row in data(output)["rows"]]
    assert names == ["tokenizer.json", copy.name, "tiny", "whole"]
    shown = lines(drawn)
    assert max(map(len, shown)) <= columns
    assert len(shown) == (6 if columns == 100 else 18)


def test_long_texts_show_only_the_difference(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long text, only the part around the difference is drawn, and the rest is counted."""
    damage_tiktoken(monkeypatch)
    write_tokenizer(folder / "odd.json", CROSSING)
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
    result = done("parity --model tokenizer.json text.txt -", folder, stdin=typed, env=OFFLINE)
    found = data(result.stdout)
    size = (folder / "text.txt").stat().st_size + len(typed)
    assert (found["equal"], found["bytes"]) == (True, size)
    assert lines(result.stderr) == [
        f"equal: {found['tokens']:,} tokens for {size:,} bytes in 2 files"
    ]


def test_a_real_difference_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-33: if ids differ, the status is 1, and position, tokens and context are reported."""
    damage_tiktoken(monkeypatch)
    write_tokenizer(folder / "odd.json", CROSSING)
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
        "tiktoken_token": {"id": 97, "hex": "61", "text": "a"},
    }
    assert lines(result.stderr) == [
        "the text before: é⏎x·",
        "the text there:  abc",
        (
            "error: the ids differ in t, at byte 5 in line 2: "
            "bpetite has 'ab' (id 256), tiktoken has 'a' (id 97)"
        ),
    ]


def test_engine_differences_are_not_errors(folder: Path) -> None:
    """If only the engines' tables differ, the status is 0 and the characters are listed."""
    new, many = sorted(drift())[:3], sorted(drift())[:20]
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
    (folder / "t").write_bytes("".join(many).encode())
    (first, *_) = lines(done("parity --model new.json --input t", folder).stderr)
    assert first.endswith(f", U+{ord(many[7]):04X} and 12 more")


# export and import


@pytest.mark.parametrize("to", ["tiktoken", "huggingface", "gpt2"])
def test_export_prints_the_loading_code(to: str, folder: Path) -> None:
    """The lines that load the export go to standard error; a second export needs `--force`."""
    words = f"export --model tokenizer.json --to {to} --output out"
    result = done(words, folder)
    assert re.search(r"^tokenizer|^encoding", program := loading(result), re.MULTILINE)
    assert f"'{folder}/out" in program
    found = data(result.stdout)
    assert found.keys() == {"outputs", "vocab_size", "special_tokens", "notes"}
    assert (found["vocab_size"], found["special_tokens"]) == (323, {"<|endoftext|>": 323})
    assert all((folder / path).is_file() for path in found["outputs"])
    (told,) = refused(bpetite(*words.split(), cwd=folder))
    assert re.match(
        r"error: out (already exists|is not empty); use --force to replace (it|files in it)", told
    )
    assert done(words, folder, "--force").stdout == result.stdout


@pytest.mark.parametrize("to", ["tiktoken", "huggingface", "gpt2"])
def test_an_import_of_an_export_is_the_file(to: str, folder: Path) -> None:
    """FR-33: errors about an export, or a file of it, name a command that restores the model."""
    out = folder / ("out.json" if to == "huggingface" else "out")
    done(f"export --model tokenizer.json --to {to} --output", folder, str(out))
    more = "gpt2 --special <|endoftext|>=323"
    calls = [f"import {out} --output NEW.json" + f" --pattern {more}" * (to == "tiktoken")]
    for path in [*out.iterdir()] if out.is_dir() else [out]:
        name = path.relative_to(folder)
        first, second = refused(bpetite("count", "--model", name, cwd=folder))
        assert " is not a tokenizer file; it looks like " in first
        command = re.match("make one from it with `bpetite (.*)`", second)
        assert command
        calls.append(command[1].replace("NAME", more))
    model = (folder / "tokenizer.json").read_bytes()
    for words in calls:
        result = done(words, folder, "--force")
        assert (folder / "NEW.json").read_bytes() == model
        found, shown = data(result.stdout), lines(result.stderr)
        assert bool(found.pop("notes")) == (to != "huggingface")
        assert found == {
            "outputs": ["NEW.json"],
            "vocab_size": 323,
            "merges": 67,
            "pattern": "gpt2",
            "pattern_from": {"tiktoken": "--pattern", "gpt2": "a guess"}.get(to, path.name),
            "special_tokens": {"<|endoftext|>": 323},
            "sha256": hashlib.sha256(model).hexdigest(),
            "whole_tokens": 0,
        }
        assert shown[:2] == [
            "imported: NEW.json, 323 tokens with their own ids, pattern gpt2",
            "special tokens: <|endoftext|> (323)",
        ]
        assert (" and this pattern gives the same ids " in shown[2]) == bool(shown[3:])


@pytest.mark.parametrize("to", EVERY_FORM)
def test_loading_code_does_not_depend_on_the_locale(to: str, folder: Path) -> None:
    """A name that is not ASCII is written unchanged or escaped, and the program finds the file."""
    output = "é.json" if to == "huggingface" else "é"
    words = ["export", "--model", "tokenizer.json", "--to", to, "--output", output, "--force"]
    ours, other = bpetite(*words, cwd=folder), bpetite_process(*words, cwd=folder, env=NOT_UTF_8)
    assert ours.stdout == other.stdout
    assert f"{folder}/é" in loading(ours)
    subprocess.run([sys.executable, "-c", loading(other)], cwd="/", check=True)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("export --model tokenizer.json --to gpt2 --output file", "a folder"),
        ("export --model tokenizer.json --to huggingface --output folder.json", "a regular file"),
        ("export --model tokenizer.json --to tiktoken --output /dev/null", "a regular file"),
        ("import --from tiktoken --input ranks --output folder.json", "a regular file"),
    ],
)
def test_unreplaceable_outputs_are_rejected_early(words: str, kind: str, folder: Path) -> None:
    """If a file is in the way of a folder, or the reverse, no message suggests `--force`."""
    (folder / "file").write_bytes(b"old")
    (folder / "folder.json").mkdir()
    *call, output = words.split()
    for force in ([], ["--force"]):
        (line,) = refused(bpetite(*call, output, *force, cwd=folder))
        assert line.startswith(f"error: {output} is not {kind} and cannot be replaced")
    assert (folder / "file").read_bytes() == b"old"


def test_an_export_for_transformers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder has the ids and roles of the special tokens, the length and the template."""
    for name in ("transformers", "transformers.utils"):  # as if it were not installed
        monkeypatch.setitem(sys.modules, name, None)
    (folder / "chat.jinja").write_text("{{ messages }}é", encoding="utf-8")
    words = "export --model tokenizer.json --to huggingface --output hf --max-length 1024"
    words += " --chat-template chat.jinja --special <|user|> <|bot|> --special é< --pad é<"
    result = done(words, folder)
    ids = {"<|endoftext|>": 323, "<|user|>": 324, "<|bot|>": 325, "é<": 326}
    assert data(result.stdout) == {
        "outputs": ["hf/tokenizer.json", "hf/tokenizer_config.json"],
        "vocab_size": 323,
        "special_tokens": ids,
        "notes": [
            "roles: pad 'é<', eos '<|endoftext|>'",
            "the chat template was not checked, because transformers or jinja2 is not installed",
        ],
    }
    assert lines(result.stderr)[2:4] == data(result.stdout)["notes"]
    assert "\ntokenizer = PreTrainedTokenizerFast.from_pretrained(" in loading(result)
    config = json.loads((folder / "hf" / "tokenizer_config.json").read_bytes())
    assert (config["model_max_length"], config["chat_template"]) == (1024, "{{ messages }}é")
    assert (config["eos_token"], config["pad_token"]) == ("<|endoftext|>", "é<")
    assert config["additional_special_tokens"] == ["<|user|>", "<|bot|>"]


def test_special_tokens_are_named_by_an_option(folder: Path) -> None:
    """A name may have =; six are listed, and the configuration beside ranks has them, too."""
    done("export --model tokenizer.json --to tiktoken --output tokenizer.model", folder)
    words = "import tokenizer.model --output back.json --force --pattern gpt2"
    entries = {str(400 + one): added(f"<|{one}|>", 400 + one) for one in range(8)}
    config = json.dumps({"added_tokens_decoder": entries})
    (folder / "tokenizer_config.json").write_text(config)
    shown = lines(done(words, folder).stderr)
    assert shown[1].endswith("<|4|> (404), <|5|> (405) and 2 more")
    result = done(f"{words} --special <|a|>=5000 a==4000", folder)
    assert data(result.stdout)["special_tokens"] == {"a=": 4000, "<|a|>": 5000}


# Common behavior


COMPARE = "compare-tiktoken --model tokenizer.json"


@pytest.mark.parametrize(
    "words",
    [
        COMPARE,
        f"{COMPARE} --text x --report",
        "compare-tiktoken --input text.txt --report",
        "compare-tiktoken --input text.txt --encoding gpt2",
        "compare-tiktoken --input text.txt text.txt --encoding gpt2 --parallel",
        "compare-tiktoken --input text.txt --encoding gpt2 --report --parallel",
        f"{COMPARE} tokenizer.json --text x",
        f"{COMPARE} --input text.txt text.txt",
        f"{COMPARE} --text x --encoding gpt2 cl100k_base",
        "export --model tokenizer.json --to gpt2 --output x --max-length 4",
        "export --model tokenizer.json --to huggingface --output x --max-length 0",
        "export --model tokenizer.json --to huggingface --output x.json --pad <|endoftext|>",
        "export --model tokenizer.json --to tiktoken --output -",
        "import --from gpt2 --output x",
        "import x --encoding gpt2 --output y",
        "import --from tiktoken --encoding gpt2 --output y",
        "import x --special a --output y",
        "import x --special a=b --output y",
        "import x --pattern x --output y",
        "import --from tiktoken --input gpt2 --output -",
        "parity --model tokenizer.json",
        "parity --model tokenizer.json text.txt --input text.txt",
        "parity --model m --input a --encoding",
        "parity --model m --input a --encoding=gpt2",
    ],
)
def test_usage_errors_exit_with_2(words: str, folder: Path) -> None:
    """FR-33: wrong usage is reported on standard error, with status 2."""
    told, hint = refused(bpetite(*words.split(), cwd=folder), status=2)
    assert told.startswith("error: ")
    assert hint == f"see `bpetite {words.split(maxsplit=1)[0]} --help`"
    assert "parity --model m" not in words or told == (
        "error: unknown option --encoding; parity compares equal vocabularies; for another "
        "one, use `bpetite compare-tiktoken --encoding NAME`"
    )


TEMPLATE = "export --model tokenizer.json --to huggingface --output hf --chat-template"
IN_OTHER_PLACES = "would have the token 1, b' aba', in other places; export to huggingface"
ONLY_ONCE = "standard input (-) can be read only once"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("parity --model tokenizer.json --input none", "none: No such file or directory"),
        ("parity --model tokenizer.json --input .", ". is a folder; name files, or list"),
        (f"{COMPARE} --input .", ". is a folder; name files, or"),
        (f"{COMPARE} --input bad --report --encoding self", "remove self from"),
        ("export --model tokenizer.json --to gpt2 --output no/x", "no/: No such file"),
        ("export --model tokenizer.json --to tiktoken --output no/x", "no/x: folder "),
        ("parity --model tokenizer.json --input - -", ONLY_ONCE),
        (f"{COMPARE} --input - - --report", ONLY_ONCE),
        ("import none --output x", "none: No such file or directory (import downloads no model); "),
        ("import tokenizer.json --output x", "is already a bpetite tokenizer file"),
        ("import --from huggingface --input a b --output x", "merges.txt, found 2"),
        ("import x --special a=1 a=2 --output y", "--special has a name twice"),
        ("export --to tiktoken --output x --model third.json", IN_OTHER_PLACES),
        ("parity --input text.txt --model third.json", IN_OTHER_PLACES),
        ("compare-tiktoken --text abc --encoding self --model third.json", IN_OTHER_PLACES),
        (f"{TEMPLATE} chat --unk <s>", "--unk (unk=) names '<s>', which is not a special token of"),
        (f"{TEMPLATE} bad", "bad is not UTF-8: byte offset 3; convert the file first"),
        (f"{TEMPLATE} fifo", "fifo"),
        (f"{TEMPLATE} /dev/zero", "/dev/zero"),
        (f"{TEMPLATE} none", "none"),
    ],
)
def test_failures_are_one_line(words: str, told: str, folder: Path) -> None:
    """FR-33: failures are reported on standard error in one line, with status 1."""
    ids = [*range(1000, 1256), 7, 3, 1]
    write_tokenizer(folder / "third.json", [(97, 98), (32, 256)], [b" aba"], {"<s>": 0}, ids)
    (folder / "bad").write_bytes(b"{{ \xff }}")
    (folder / "chat").write_bytes(b"{{ messages }}")
    os.mkfifo(folder / "fifo")
    (line,) = refused(bpetite(*words.split(), cwd=folder, env=OFFLINE))
    assert line.startswith("error: ")
    assert told in line
    assert not (folder / "hf").exists()


COMMANDS = (
    "parity --model tokenizer.json --input text.txt",
    "compare-tiktoken --model tokenizer.json --encoding self --input text.txt",
    "compare-tiktoken --model tokenizer.json --encoding tiny whole --report --input text.txt",
    "export --model tokenizer.json --to tiktoken --output x --force",
    "import --from tiktoken --input tiny --output x --force",
)


TEXT_COMMANDS = COMMANDS[:3]


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
@pytest.mark.parametrize("words", TEXT_COMMANDS)
def test_compressed_text_is_read(words: str, folder: Path) -> None:
    """From a file and from standard input, the result is that of the text."""
    call, text = words.split()[:-1], (folder / "text.txt").read_bytes()
    expected = bpetite(*call, "text.txt", cwd=folder, env=OFFLINE)
    zipped = gzip.compress(text)
    (folder / "text.txt").write_bytes(zipped)
    for source, stdin in (("text.txt", b""), ("-", zipped)):
        result = bpetite(*call, source, stdin=stdin, cwd=folder, env=OFFLINE)
        named = result.stdout.replace(b'"path": "-"', b'"path": "text.txt"')
        assert (result.returncode, named) == (0, expected.stdout)
    (folder / "cut").write_bytes(zipped[:-1])
    (line,) = refused(bpetite(*call, "cut", cwd=folder, env=OFFLINE))
    assert line.startswith("error: cut is cut off: ")


def test_rich_is_imported_only_to_draw(folder: Path) -> None:
    """Off a terminal the comparison does not load rich."""
    code = (
        "import sys, bpetite_cli as b\n"
        "assert [b.main(line.split()) for line in sys.argv[1:]] == [0, 0, 0]\n"
        "sys.exit('rich' in sys.modules)\n"
    )
    calls = (COMMANDS[0], COMMANDS[1], COMMANDS[3])
    subprocess.run([sys.executable, "-c", code, *calls], cwd=folder, check=True)
