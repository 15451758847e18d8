"""`--engine tiktoken`: not one byte differs, whatever the tokenizer and the text."""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from bpetite import Tokenizer
from bpetite._inner import artifact_of
from bpetite_compare._engine import make_engine
from bpetite_compare._engines import _drift_of
from cli_tools import bpetite, call, lines, printed, refusal, rows_of, start
from compare_tools import SPLIT_PATTERNS, write_tokenizer
from nasty import KINDS, NINE, OWN, drift, nasty_texts, saved, trained

ENGINE = ("--engine", "tiktoken")
CELLS = [
    pytest.param(kind, name, marks=[] if name in {"gpt4", "kimi"} else [pytest.mark.thorough])
    for name in SPLIT_PATTERNS
    for kind in (OWN, *KINDS)
    if kind == OWN or name not in {"tekken", "deepseek3", "qwen3.5", "starcoder", "kimi"}
]
THOROUGH = settings().max_examples > 100
BLOCK = 1 << 14
"""How many characters tiktoken gets at a time, about."""


def check_bytes(folder: Path, *words: str) -> None:
    """Encode files with a tokenizer, here and with tiktoken: all bytes are the same."""
    command = ["encode", "--model", str(folder / "m.json"), "--format", "u32", *words]
    ours, theirs = bpetite(*command, cwd=folder), bpetite(*command, *ENGINE, cwd=folder)
    assert (ours.returncode, theirs.returncode) == (0, 0), theirs.stderr
    assert ours.stdout == theirs.stdout
    assert b"\nencoded by tiktoken " in b"\n" + theirs.stderr


def write_documents(path: Path, texts: Iterable[str]) -> None:
    path.write_text("".join(f"{json.dumps({'text': text})}\n" for text in texts), "utf-8")


@pytest.mark.parametrize(("kind", "name"), CELLS)
def test_nasty_texts_have_the_same_ids(kind: str, name: str, tmp_path: Path) -> None:
    """20,000 texts, every day 2,000: gaps, whole tokens, special tokens, newer characters."""
    saved(kind, name, "tiktoken", tmp_path / "m.json")
    write_documents(tmp_path / "texts.jsonl", nasty_texts(20_000 if THOROUGH else 2000))
    for more in ([], ["--ordinary"]):
        check_bytes(tmp_path, "texts.jsonl", "--jsonl", "text", *more)


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.thorough), "2"])
def test_every_place_in_a_block_is_safe(tmp_path: Path, jobs: str) -> None:
    """Characters of every kind, special tokens and long runs, where blocks and files end."""
    trained("gpt4o", *NINE).save(tmp_path / "m.json")
    source, parts = Random(9), list[str]()
    odd = sorted(drift("gpt4o"))
    for size in (BLOCK, 4 * BLOCK):
        for near in range(-3, 4):
            filler = "".join(source.choices(["low ", "日本語 ", "é\n"], k=size))[: size + near]
            parts += [filler, source.choice(odd), source.choice(NINE), source.choice(odd), "a1"]
    parts += [" " * 70_000, "x", "\n" * 70_000, "a" * 70_000, "日" * 70_000, " end"]
    text = "".join(parts)
    (tmp_path / "text").write_bytes((text * 6).encode())
    assert (tmp_path / "text").stat().st_size > 8_000_000  # enough for two processes
    check_bytes(tmp_path, "text", "--jobs", jobs)


@pytest.mark.parametrize("is_above", [False, True], ids=["in the first plane", "above it"])
def test_newer_letters_are_encoded_here(tmp_path: Path, is_above: bool) -> None:
    """A merge joins a letter to the byte behind it, if the pattern sees another letter there."""
    letters = sorted(_drift_of(r"\p{L}"))  # to one of the engines
    letter = next(one for one in letters if (one > "\uffff") == is_above)
    write_tokenizer(tmp_path / "m.json", [(97, letter.encode()[0])], pattern="gpt4")
    (tmp_path / "text").write_text(f"é😀a{letter}" * 9)
    check_bytes(tmp_path, "text")
    # The same row of the first plane, in an earlier block.
    start = ord(letter) & 0xFF00
    alike = next(one for one in map(chr, range(start + 1, start + 256)) if one not in drift("gpt4"))
    (tmp_path / "text").write_text(f"é{alike} " * 9000 + f"éa{letter}" * 9)
    check_bytes(tmp_path, "text")


def test_a_million_spaces_are_encoded_here(tmp_path: Path) -> None:
    """Tiktoken's regex engine gives up on them, with a trace on the terminal."""
    write_tokenizer(tmp_path / "m.json", [(97, 98)])
    (tmp_path / "text").write_text(f"ab{' ' * 1_100_000}ab")
    check_bytes(tmp_path, "text")


def test_4096_special_tokens_are_found(tmp_path: Path) -> None:
    """So are names that are others' beginnings, which tiktoken would try in no fixed order."""
    names = [f"<|{number}|>" for number in range(4090)]
    special = {name: 300 + place for place, name in enumerate([*names, " ", "   ", "\n\n"])}
    write_tokenizer(tmp_path / "m.json", [(97, 98), (256, 99)], special=special)
    source = Random(3)
    text = "".join(source.choices([*names, "   ", "\n", " ", "abc", "<|", "1|>"], k=9000))
    (tmp_path / "text").write_text(text)
    check_bytes(tmp_path, "text")
    check_bytes(tmp_path, "text", "--ordinary")


@pytest.mark.parametrize(
    ("merges", "whole", "ids", "fault"),
    [
        pytest.param(
            [(97, 98), (98, 99), (256, 99), (97, 257)],
            [],
            None,
            "the tokens 258 and 259 have the same bytes, b'abc'",
            id="two tokens with the same bytes",
        ),
        pytest.param(
            [(97, 98), (98, 99), (97, 257)],
            [],
            None,
            "the token 258, b'abc', does not encode to itself",
            id="a token that is never made",
        ),
        pytest.param(
            [(97, 98), (98, 99)],
            [],
            [*range(256), 257, 256],
            "tiktoken merges the lowest id first, so it would have the token 256, b'bc', in other "
            "places",
            id="a merge that comes later than its id",
        ),
        pytest.param(
            [(97, 98)],
            [b"abab"],
            None,
            "tiktoken merges the lowest id first, so it would have the token 257, b'abab', in "
            "other places",
            id="a whole token that merging by bytes would make",
        ),
    ],
)
def test_other_ids_are_refused(
    tmp_path: Path, merges: list[tuple[int, int]], whole: list[bytes], ids: list[int], fault: str
) -> None:
    """A tokenizer with other ids in tiktoken is an error that says why; without it, it encodes."""
    path = write_tokenizer(tmp_path / "m.json", merges, whole, {}, ids)
    told = refusal(f"count --model {path} --text abab", *ENGINE)
    assert told[0] == f"error: tiktoken cannot encode with this tokenizer: {fault}"
    assert told[1] == "leave out --engine tiktoken"
    assert printed(f"count --model {path} --text abab")


def test_lone_surrogates_are_never_given_to_it() -> None:
    """Tiktoken would replace them without a word; the error is that of bpetite."""
    engine = make_engine(artifact_of(trained("gpt4")))
    for text in ("a\ud800b", "\udfff"):
        with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
            engine.encode(text)


def test_the_summary_says_what_encoded(tmp_path: Path) -> None:
    """Every command that has the option names the engine and its release, and has equal figures."""
    trained("gpt4", *NINE).save(tmp_path / "m.json")
    write_documents(tmp_path / "texts.jsonl", nasty_texts(2000))
    model, text = tmp_path / "m.json", tmp_path / "texts.jsonl"
    for words in (
        f"encode --model {model} {text} --jsonl text --force --output {tmp_path / 'ids'}",
        f"count --model {model} {text} --jsonl text --json",
        f"sizes --model {model} {text} --jsonl text --json",
    ):
        (ours,), (theirs,) = rows_of(words), rows_of(words, *ENGINE)
        assert ours.pop("engine") == "bpetite"
        assert theirs.pop("engine").startswith("tiktoken 0.")
        assert ours == theirs
    compared = f"compare -m {model} -m {model} {text}"
    (ours,), (theirs,) = rows_of(compared), rows_of(compared, *ENGINE)
    for one, engine in ((ours, "bpetite"), (theirs, "tiktoken 0.")):
        assert all(row.pop("engine").startswith(engine) for row in one["tokenizers"])
    assert ours == theirs
    assert call(compared, *ENGINE).told[0].startswith("encoded by tiktoken 0.")
    by_token = f"count --model {model} {text} --by-token"
    assert printed(by_token) == printed(by_token, *ENGINE)


def test_the_summary_of_a_folder_says_what_encoded_its_files(tmp_path: Path) -> None:
    """Also if all were finished before, when nothing encodes; then nothing says that it does."""
    trained("gpt4").save(tmp_path / "m.json")
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    words = (
        f"encode -m {tmp_path / 'm.json'} {tmp_path / 'a'} {tmp_path / 'b'} "
        f"--output-dir {tmp_path / 'ids'}"
    )
    (first,) = rows_of(words, *ENGINE)
    assert first["engine"].startswith("tiktoken 0.")
    for more in (ENGINE, ()):
        result = call(words, *more)
        assert json.loads(result.stdout) == first
        assert result.told == ["2 of 2 outputs were finished before"]
    (tmp_path / "b").write_text("c")
    (second,) = rows_of(words)
    assert second["engine"] == f"bpetite, {first['engine']}"


def test_a_long_job_names_it(tmp_path: Path) -> None:
    """Before more than a minute of work, one line says what takes less time; a short job is silent.

    Most of the file is a hole, as the line comes before it is read.
    """
    Tokenizer.train("low lower", 260).save(tmp_path / "m.json")
    with (tmp_path / "text").open("wb") as file:
        file.truncate(121_000_000)
    words = ("count", "--model", "m.json", "text", "--jobs")
    with start(*words, "1", cwd=tmp_path) as process:
        assert process.stderr is not None
        told = process.stderr.readline().decode()
        process.kill()
    assert told == (
        "note: this may take more than a minute; with `--engine tiktoken`, which bpetite-compare "
        "provides, the same ids take less\n"
    )
    (tmp_path / "text").write_text("low")
    assert lines(call(f"count --model {tmp_path / 'm.json'} {tmp_path / 'text'}").stderr) == []
