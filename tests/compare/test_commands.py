"""The commands of the comparison, from the command line."""

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from artifacts import FOURTH, canonical
from bpetite import Tokenizer
from cli_tools import (
    bpetite,
    bpetite_process,
    check_result,
    lines,
    refused,
    shown_in_terminal,
    tuned,
)
from compare_tools import CORPUS, CROSSING, HOSTILE, damage_tiktoken, write_tokenizer
from exports import EVERY_FORM
from help_tools import OF_COMPARE, check_help
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


def told(
    words: str, folder: Path, *more: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> list[str]:
    """Return the lines for people of a command that must succeed."""
    text = ("--output-format", "text")
    return lines(done(words, folder, *more, *text, stdin=stdin, env=env).stdout)


def loading(shown: Sequence[str]) -> str:
    return "\n".join(shown).partition("to load it in Python:\n")[2]


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
    assert "all tokens are equal" in told(words, folder, env=OFFLINE)


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
    names, *_, parting, special = told(words, folder, "A zoo Ω", env={"COLUMNS": "200"})
    assert re.search(" bpetite .* tiny ", names)
    assert parting.startswith("first difference at byte ")
    assert special == "only the special tokens of the tokenizer file are special, on both sides"


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("columns", "color"),
    [
        pytest.param(71, {"NO_COLOR": "1"}, id="without color"),
        pytest.param(72, {}, id="side by side"),
        pytest.param(120, {}, id="wide"),
    ],
)
def test_drawing_on_a_terminal(columns: int, color: dict[str, str], folder: Path) -> None:
    """On a terminal the tokens are drawn in any width, with visible whitespace, in color or not."""
    arguments = ["compare-tiktoken", "--model", "tokenizer.json", "--text", "the [b]cat[/b]\té\x1b"]
    words = [*arguments, "--encoding", "tiny"]
    status, shown = shown_in_terminal(words, folder, color, columns=columns)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert status == 0
    if columns == 120:
        assert "the·[b]cat[/b]⇥é‹U+001B›" in plain.replace("|", "")
    assert "tiny" in plain
    assert max(map(len, plain.splitlines())) <= columns
    beside = [line for line in plain.splitlines() if " bpetite " in line and " tiny " in line]
    assert any("╭" in line for line in beside) == (columns >= 72)
    assert len({*re.findall(r"\x1b\[30;4\dm", shown)}) == (0 if color else 4)
    assert ("|·[" in plain) == bool(color)


@pytest.mark.usefixtures("tiny")
def test_a_report_marks_the_best_of_each_row(folder: Path) -> None:
    """FR-34: the JSON has each text and tokenizer, and the table the same figures."""
    (folder / "zoo.txt").write_bytes(b"zoo zoo zoo")
    (folder / "oo").write_bytes("oo é".encode())
    (folder / "none").write_bytes(b"")
    words = "compare -m tiny -m whole zoo.txt oo none"
    result = done(f"{words} --parallel", folder)
    found = data(result.stdout)
    figures = [[text["tokens"] for text in row["per_text"]] for row in found["tokenizers"]]
    assert figures == [[4, 3, 0], [11, 5, 0]]
    ratios = [[text["ratio_to_first"] for text in row["per_text"]] for row in found["tokenizers"]]
    assert ratios == [[1.0, 0.75, 0.0], [1.0, 0.4545, 0.0]]
    assert [text["path"] for text in found["tokenizers"][0]["per_text"]] == [
        "zoo.txt",
        "oo",
        "none",
    ]
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
    assert told(f"{words} --parallel", folder) == expected.splitlines()
    without_ratio = re.sub(r"(?m)^ratio to first\n(  .*\n)+", "", f"{expected}\n")
    assert told(words, folder) == without_ratio.splitlines()
    assert b'"ratio_to_first": 1.0' not in done(words, folder).stdout


def test_a_single_tokenizer_is_compared_with_openais(
    folder: Path, register: Callable[..., None]
) -> None:
    """Three encodings follow it, but not the same one again; --jsonl counts each document."""
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        register(name, pattern="(?s:.+)")
    (folder / "docs").write_bytes(b'{"text": "th"}\n{"text": "e"}\n')
    for model, others in (("tokenizer.json", ["gpt2"]), ("gpt2", [])):
        rows = data(done(f"compare docs --jsonl text -m {model}", folder).stdout)["tokenizers"]
        assert [row["name"] for row in rows] == [model, *others, "cl100k_base", "o200k_base"]
        assert {row["tokens"] for row in rows[1:]} == {3}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("columns", [40, 100])
def test_a_report_fits_a_terminal(columns: int, folder: Path) -> None:
    """A wide table comes in several parts, and a long name is cut."""
    copy = folder / f"{'long' * 20}.json"
    copy.write_bytes((folder / "tokenizer.json").read_bytes())
    words = f"compare text.txt -m tokenizer.json -m {copy.name} -m tiny -m whole"
    names = [row["name"] for row in data(done(words, folder).stdout)["tokenizers"]]
    assert names == ["tokenizer.json", copy.name, "tiny", "whole"]
    _, drawn = shown_in_terminal(words.split(), folder, columns=columns)
    shown = drawn.splitlines()
    assert max(map(len, shown)) <= columns
    assert len(shown) == (6 if columns == 100 else 18)


def test_long_texts_show_only_the_difference(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long text, only the part around the difference is drawn, and the rest is counted."""
    damage_tiktoken(monkeypatch)
    write_tokenizer(folder / "odd.json", CROSSING)
    (folder / "long").write_bytes(("x y " * 300 + "é abc" + " x y" * 300).encode())
    arguments = ["compare-tiktoken", "--model", "odd.json", "--input", "long", "--encoding", "self"]
    status, drawn = shown_in_terminal(arguments, folder, columns=100)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", drawn)
    assert status == 0
    assert plain.count("(1,163 tokens before)") == 2
    assert plain.count("tokens more)") == 2
    _, drawn = shown_in_terminal([*arguments[:3], "--text", "x" * 400, *arguments[5:]], folder)
    assert (drawn.count("x"), "more)" in drawn) == (800, False)
    assert "first difference at byte 1,203 (character 1,202): bpetite has " in plain


# parity


def test_parity_of_files(folder: Path) -> None:
    """Wherever a block ends, hostile texts are equal, and the figures say how much was compared."""
    typed, text = "日本語 <|endoftext|>".encode(), "\n".join(HOSTILE)
    (folder / "text.txt").write_bytes(text.encode())
    words = "parity --model tokenizer.json text.txt -"
    with tuned(block=7):
        result = done(words, folder, stdin=typed, env=OFFLINE)
        shown = told(words, folder, stdin=typed, env=OFFLINE)
    encode = Tokenizer.load(folder / "tokenizer.json").encode
    size, tokens = len(text.encode() + typed), len(encode(text) + encode(typed.decode()))
    found = data(result.stdout)
    assert (found["equal"], found["bytes"], found["tokens"]) == (True, size, tokens)
    assert found["characters"] == len(text + typed.decode())
    assert shown[-1] == f"equal: {tokens:,} tokens for {size:,} bytes in 2 files"


@pytest.mark.parametrize("size", [7, 1 << 13])
def test_a_real_difference_is_an_error(
    size: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FR-33: if ids differ, the status is 1, and position, tokens and context are reported.

    Neither a character that the engines classify differently hides it, nor a special token, and it
    may be in a later part of a block.
    """
    damage_tiktoken(monkeypatch)
    special = {"<s>": 258, "1!x": 259}
    write_tokenizer(folder / "odd.json", CROSSING, special=special, pattern="gpt4")
    (folder / "good").write_bytes("ab bc é\n".encode())
    begin = f"é ab\nab <s>xab\u00e9{min(drift('gpt4'))}1!x"
    (folder / "t").write_bytes(f"{begin}abc abc\n ab abc".encode())
    words = ["parity", "--model", "odd.json", "--input", "good", "t"]
    with tuned(block=size):
        result = bpetite(*words, cwd=folder)
        shown = bpetite(*words, "--output-format", "text", cwd=folder)
    found = data(result.stdout)
    assert (result.returncode, found["equal"], found["files"]) == (1, False, 2)
    before, after = (found["difference"].pop(side) for side in ("before", "after"))
    assert begin.endswith(before)
    assert before.endswith("1!x")
    assert "abc abc\n ab abc".startswith(after)
    assert after.startswith("abc")
    assert found["difference"] == {
        "path": "t",
        "byte": len(begin.encode()),
        "line": 2,
        "bpetite_token": {"id": 256, "hex": "6162", "text": "ab"},
        "tiktoken_token": {"id": 97, "hex": "61", "text": "a"},
    }
    before, there = lines(shown.stdout)[-2:]
    (error,) = lines(shown.stderr)
    assert before.startswith("the text before: ")
    assert before.endswith("1!x")
    assert there.startswith("the text there:  abc")
    assert error == (
        f"error: the ids differ in t, at byte {len(begin.encode())} in line 2: "
        "bpetite has 'ab' (id 256), tiktoken has 'a' (id 97)"
    )


def test_engine_differences_are_not_errors(folder: Path) -> None:
    """If only the engines' tables differ, the status is 0 and the characters are listed."""
    new, many = sorted(drift())[:3], sorted(drift())[:20]
    # The first may be a letter for either engine, with letters or with punctuation around it.
    Tokenizer.train(f"x{new[0]}x !{new[0]}! " * 3, 290).save(folder / "new.json")
    text = f"the {new[0]}cat {new[1]}{new[2]} x{new[0]}x\nthe !{new[0]}!<|endoftext|>{new[0]}"
    (folder / "t").write_bytes(text.encode())
    words = "parity --model new.json --input t"
    found = data(done(words, folder).stdout)
    assert (found["equal"], found["engine_differences"]) == (True, 1)
    names = [f"U+{ord(character):04X}" for character in new]
    assert found["engine_characters"] == dict(zip(names, (4, 1, 1), strict=True))
    first, second, _ = told(words, folder)
    assert first.endswith(f"differ on 6 characters of this text: {', '.join(names)}")
    assert second.startswith("parts whose ids differ only for this reason: 1; ")
    (folder / "t").write_bytes("".join(many).encode())
    (first, *_) = told(words, folder)
    assert first.endswith(f", U+{ord(many[7]):04X} and 12 more")


# export and import


def test_a_folder_gets_other_files_only_with_force(folder: Path) -> None:
    """A file is never replaced by a folder, so no message suggests `--force`."""
    words = ["export", "--model", "tokenizer.json", "--to", "gpt2", "--output", "out"]
    saved = lines(bpetite(*words, "--output-format", "text", cwd=folder).stdout)
    assert saved[0] == "saved: out/vocab.json, out/merges.txt, 323 tokens and 1 special token"
    (error,) = refused(bpetite(*words, cwd=folder))
    assert error.startswith("error: out is not empty; use --force to replace files in it")
    assert told(" ".join(words), folder, "--force") == saved
    words[-1] = "text.txt"
    for more in ([], ["--force"]):
        (error,) = refused(bpetite(*words, *more, cwd=folder))
        assert error.startswith("error: text.txt is not a folder and cannot be replaced")


@pytest.mark.parametrize("to", ["tiktoken", "huggingface", "gpt2"])
def test_an_import_of_an_export_is_the_file(to: str, folder: Path) -> None:
    """An export, or a file of it, opens, or the error names a command that restores the model."""
    out = folder / ("out.json" if to == "huggingface" else "out")
    done(f"export --model tokenizer.json --to {to} --output", folder, str(out))
    more = "gpt2 --special <|endoftext|>=323"
    calls = [f"import {out} --output NEW.json" + f" --pattern {more}" * (to == "tiktoken")]
    for path in [*out.iterdir()] if out.is_dir() else [out]:
        name = path.relative_to(folder)
        if to == "huggingface":
            done(f"truncate -m {name} --vocab-size 323 -o again.json", folder)
            assert (folder / "again.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
            continue
        _, second = refused(bpetite("count", "--model", name, cwd=folder))
        command = re.match("import it with `bpetite (.*)`", second)
        assert command
        calls.append(command[1].replace("NAME", more))
    model = (folder / "tokenizer.json").read_bytes()
    for words in calls:
        result = done(words, folder, "--force")
        assert (folder / "NEW.json").read_bytes() == model
        found = data(result.stdout)
        assert bool(found.pop("notes")) == (to != "huggingface")
        guess = to == "gpt2" and "--pattern" not in words
        by = "--pattern" if "--pattern" in words else path.name
        assert found == {
            "outputs": ["NEW.json"],
            "vocab_size": 323,
            "rows": 324,
            "merges": 67,
            "pattern": "gpt2",
            "pattern_from": "a guess" if guess else by,
            "special_tokens": {"<|endoftext|>": 323},
            "sha256": hashlib.sha256(model).hexdigest(),
            "whole_tokens": 0,
        }
        shown = told(words, folder, "--force")
        size = "323 tokens and 1 special token with their own ids"
        assert shown[:2] == [
            f"saved: NEW.json, {size}, pattern gpt2{', a guess' if guess else ''}",
            "special tokens: <|endoftext|> (323)",
        ]
        assert (" and this pattern gives the same ids " in shown[2]) == bool(shown[3:-1])
        assert shown[-1].startswith("not compared: characters that are newer than ")


def test_rows_are_the_highest_id_and_one(folder: Path) -> None:
    """A model needs a row for each id, also for those that the tokenizer leaves out."""
    ids = [*range(1000, 1256), 7, 3, 1]
    write_tokenizer(folder / "third.json", [(97, 98), (32, 256)], [b" aba"], {"<s>": 0}, ids)
    exported = done("export --model third.json --to huggingface --output hf.json", folder)
    imported = done("import hf.json --output new.json", folder)
    assert data(exported.stdout)["rows"] == data(imported.stdout)["rows"] == 1256


@pytest.mark.parametrize("to", EVERY_FORM)
def test_loading_code_does_not_depend_on_the_locale(to: str, folder: Path) -> None:
    """A name that is not ASCII is written unchanged or escaped, and the program finds the file.

    A narrow terminal does not break its lines.
    """
    output = "é.json" if to == "huggingface" else "é"
    words = ["export", "--model", "tokenizer.json", "--to", to, "--output", output, "--force"]
    other = bpetite_process(*words, cwd=folder, env=NOT_UTF_8)
    assert bpetite(*words, cwd=folder).stdout == other.stdout
    assert f"{folder}/é" in loading(told(" ".join(words), folder))
    _, shown = shown_in_terminal(words, folder, columns=40)
    assert loading(shown.splitlines()) == loading(told(" ".join(words), folder))
    words += ["--output-format", "text"]
    code = loading(lines(bpetite_process(*words, cwd=folder, env=NOT_UTF_8).stdout))
    subprocess.run([sys.executable, "-c", code], cwd="/", check=True)


def test_an_export_for_transformers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder has the ids and roles of the special tokens, the length and the template."""
    for name in ("transformers", "transformers.utils"):  # as if it were not installed
        monkeypatch.setitem(sys.modules, name, None)
    template = "{{ messages }}é{{ bos_token }}{{ eos_token }}\ufeff"
    (folder / "chat.jinja").write_text(f"\ufeff{template}", encoding="utf-8")
    words = "export --model tokenizer.json --to huggingface --output hf --max-length 1024"
    words += " --chat-template chat.jinja --special <|user|> <|bot|> --special é< --pad é<"
    result = done(words, folder)
    ids = {"<|endoftext|>": 323, "<|user|>": 324, "<|bot|>": 325, "é<": 326}
    assert data(result.stdout) == {
        "outputs": ["hf/tokenizer.json", "hf/tokenizer_config.json"],
        "vocab_size": 323,
        "rows": 327,
        "special_tokens": ids,
        "notes": [
            "roles: pad 'é<', eos '<|endoftext|>'",
            "the byte order mark at the start of the chat template is left out",
            "the chat template was not checked, because transformers or jinja2 is not installed",
            "the chat template uses bos_token, which is empty without --bos (bos=)",
        ],
    }
    shown = told(words, folder, "--force")
    assert shown[1:5] == data(result.stdout)["notes"]
    assert "\ntokenizer = PreTrainedTokenizerFast.from_pretrained(" in loading(shown)
    assert json.loads((folder / "hf" / "tokenizer_config.json").read_bytes()) == {
        "additional_special_tokens": ["<|user|>", "<|bot|>"],
        "chat_template": template,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|endoftext|>",
        "model_input_names": ["input_ids", "attention_mask"],
        "model_max_length": 1024,
        "pad_token": "é<",
        "tokenizer_class": "PreTrainedTokenizerFast",
    }


def test_an_export_calls_no_whitespace_special(folder: Path) -> None:
    """Then `skip_special_tokens=True` keeps it in a text; it has its id in the vocabulary."""
    (folder / "spaces.json").write_bytes(canonical(FOURTH))
    done("export --model spaces.json --to huggingface --output spaces --bos <s>", folder)
    content = json.loads((folder / "spaces" / "tokenizer.json").read_bytes())
    special = {token["content"]: token["special"] for token in content["added_tokens"]}
    assert special == {"<s>": True, "  ": False, "   ": False}
    assert [content["model"]["vocab"][one] for one in ("  ", "   ", "\u0120\u0120")] == [5, 6, 8]
    config = json.loads((folder / "spaces" / "tokenizer_config.json").read_bytes())
    assert "additional_special_tokens" not in config


def test_special_tokens_are_named_by_an_option(folder: Path) -> None:
    """A name may have =; six are listed, and the configuration beside ranks has them, too."""
    done("export --model tokenizer.json --to tiktoken --output tokenizer.model", folder)
    words = "import tokenizer.model --output back.json --force --pattern gpt2"
    entries = {str(400 + one): added(f"<|{one}|>", 400 + one) for one in range(8)}
    config = json.dumps({"added_tokens_decoder": entries})
    (folder / "tokenizer_config.json").write_text(config)
    shown = told(words, folder)
    assert shown[1].endswith("<|4|> (404), <|5|> (405) and 2 more")
    result = done(f"{words} --special <|a|>=5000 a==4000", folder)
    assert data(result.stdout)["special_tokens"] == {"a=": 4000, "<|a|>": 5000}


# Common behavior


COMPARE = "compare-tiktoken --model tokenizer.json"


MOVED = {
    "parity --model m --input a --encoding=gpt2": "--encoding; parity compares equal vocabularies; "
    "for another one, use `bpetite compare-tiktoken --encoding NAME`",
    "import --encoding gpt2 --output y": "--encoding; name it as the source, as in import "
    "o200k_base; --download fetches it",
    **dict.fromkeys(
        (f"{COMPARE} --input text.txt --report", f"{COMPARE} --report --parallel --input a b"),
        "--report; to count with several, use `bpetite compare -m FILE -m o200k_base TEXT`",
    ),
}
"""Options of other commands, or of another release, and what the error says about them."""


@pytest.mark.parametrize(
    "words",
    [
        *MOVED,
        COMPARE,
        "compare-tiktoken --input text.txt --encoding gpt2",
        "compare text.txt",
        "compare -m gpt2 --text x --parallel",
        f"{COMPARE} tokenizer.json --text x",
        f"{COMPARE} --input text.txt text.txt",
        "export --model tokenizer.json --to gpt2 --output x --max-length 4",
        "import --from gpt2 --output x",
        "import x --special a --output y",
        "parity --model tokenizer.json",
    ],
)
def test_usage_errors_exit_with_2(words: str, folder: Path) -> None:
    """FR-33: wrong usage is reported on standard error, with status 2."""
    told, hint = refused(bpetite(*words.split(), cwd=folder), status=2)
    assert told.startswith("error: ")
    assert hint == f"see `bpetite {words.split(maxsplit=1)[0]} --help`"
    assert words not in MOVED or told == f"error: unknown option {MOVED[words]}"


TEMPLATE = "export --model tokenizer.json --to huggingface --output hf --chat-template"
IN_OTHER_PLACES = "would have the token 1, b' aba', in other places; export to huggingface"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("compare -m gpt2 text.txt --parallel", "first one; name several"),
        ("compare -m gpt2 gpt-4o text.txt", "gpt-4o is not a file; write --model before each"),
        ("export --model tokenizer.json --to gpt2 --output no/x", "no/: No such file"),
        ("compare -m gpt2 - -", "standard input (-) can be read only once"),
        ("import no/x --output x", "no/x: No such file or directory (import downloads no model); "),
        ("import tokenizer.json --output x", "is already a bpetite tokenizer file"),
        ("import --from huggingface --input a b --output x", "merges.txt, found 2"),
        ("import x --special a=1 a=2 --output y", "--special has a name twice"),
        ("export --to tiktoken --output x --model third.json", IN_OTHER_PLACES),
        ("parity --input text.txt --model third.json", IN_OTHER_PLACES),
        (f"{TEMPLATE} bad", "bad is not UTF-8: byte offset 3; convert the file first"),
        (f"{TEMPLATE} fifo", "fifo"),
        (f"{TEMPLATE} none", "none"),
    ],
)
def test_failures_are_one_line(words: str, told: str, folder: Path) -> None:
    """FR-33: failures are reported on standard error in one line, with status 1."""
    ids = [*range(1000, 1256), 7, 3, 1]
    write_tokenizer(folder / "third.json", [(97, 98), (32, 256)], [b" aba"], {"<s>": 0}, ids)
    (folder / "bad").write_bytes(b"{{ \xff }}")
    os.mkfifo(folder / "fifo")
    (line,) = refused(bpetite(*words.split(), cwd=folder, env=OFFLINE))
    assert line.startswith("error: ")
    assert told in line
    assert not (folder / "hf").exists()


COMMANDS = (
    "parity --model tokenizer.json --input text.txt",
    "compare-tiktoken --model tokenizer.json --encoding self --input text.txt",
    "compare --model tokenizer.json --model tiny --input text.txt",
    "export --model tokenizer.json --to tiktoken --output x --force",
    "import --from tiktoken --input tiny --output x --force",
    "compare --model tokenizer.json --model tiny text.txt",
)


@pytest.mark.usefixtures("tiny")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("words", COMMANDS)
def test_streams_are_those_of_every_command(words: str, folder: Path) -> None:
    """FR-33: a terminal gets lines and a program JSON; a full standard output is an error."""
    check_result(words.split(), folder)
    full = bpetite(*words.split(), cwd=folder, stdout=Path("/dev/full"))
    assert full.returncode == 1
    no_room = "error: cannot write to standard output: No space left on device"
    assert no_room in lines(full.stderr)[-1]


@pytest.mark.parametrize("words", COMMANDS[:4])
def test_another_file_is_no_tokenizer_file(words: str, folder: Path) -> None:
    """FR-33: the messages about tokenizer files are those of every command."""
    (folder / "tokenizer.json").write_bytes(CORPUS.encode())
    first, second = refused(bpetite(*words.split(), cwd=folder, env=OFFLINE))
    assert first == "error: tokenizer.json is not a tokenizer file; it looks like plain text"
    assert second.startswith("make one from it with `bpetite train --input tokenizer.json ")


@pytest.mark.parametrize("words", COMMANDS[:2])
def test_text_is_read_as_by_every_command(words: str, folder: Path) -> None:
    """FR-33: compressed text is read, from a file and from a pipe, and other text is refused."""
    call, text = words.split()[:-1], (folder / "text.txt").read_bytes()
    expected = bpetite(*call, "text.txt", cwd=folder, env=OFFLINE)
    (folder / "text.txt").write_bytes(zipped := gzip.compress(text))
    for source, stdin in (("text.txt", b""), ("-", zipped)):
        result = bpetite(*call, source, stdin=stdin, cwd=folder, env=OFFLINE)
        assert (result.returncode, result.stdout) == (0, expected.stdout)
    (folder / "text.txt").write_bytes(b"caf\xe9 au lait")
    first, second = refused(bpetite(*call, "text.txt", cwd=folder, env=OFFLINE))
    assert first.startswith("error: text.txt is not UTF-8: byte 0xe9 at offset 3 ")
    assert second.startswith("it looks like Latin-1; convert it first, with: ")


def test_rich_is_imported_only_to_draw(folder: Path) -> None:
    """Off a terminal the comparison does not load rich."""
    code = "import sys, bpetite_cli as b; sys.exit(b.main(sys.argv[1:]) or 'rich' in sys.modules)"
    subprocess.run([sys.executable, "-c", code, *COMMANDS[1].split()], cwd=folder, check=True)


@pytest.mark.parametrize("command", OF_COMPARE)
def test_every_command_has_examples(command: str) -> None:
    """The help of each command has at least two examples, in lines that fit the screen."""
    check_help(command)


def test_a_folder_does_not_hide_a_default_encoding(folder: Path) -> None:
    """`compare` takes its own encodings by name, also beside a folder such as an export to gpt2."""
    (folder / "gpt2").mkdir()
    result = bpetite("compare", "-m", "tokenizer.json", "text.txt", cwd=folder)
    if b"--download" in result.stderr:
        pytest.skip("TIKTOKEN_CACHE_DIR has no encodings")
    names = [one["name"] for one in json.loads(result.stdout)["tokenizers"]]
    assert names == ["tokenizer.json", "gpt2", "cl100k_base", "o200k_base"]
