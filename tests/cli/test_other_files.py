"""A file that is not a tokenizer file is described, and its path is quoted if necessary."""

from ast import literal_eval
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpetite._quoting import quoted
from cli_tools import bpetite, refused

OTHERS = [
    (
        b'{\n  "version": "1.0",\n  "truncation": null,\n  "added_tokens": [',
        "a Hugging Face tokenizer.json",
        "import --from huggingface --input other",
    ),
    (
        b"IQ== 0\nIg== 1\n",
        "a .tiktoken file",
        "import --from tiktoken --input other --pattern NAME",
    ),
    (
        b"AA== 0\r\nAQ== 1\r\n",
        "a .tiktoken file",
        "import --from tiktoken --input other --pattern NAME",
    ),
    (b'{"!": 0, "\\"": 1, "#": 2}', "part of a GPT-2 tokenizer", "import --from gpt2 --input ."),
    (b"#version: 0.2\n\xc4\xa0 t\n", "part of a GPT-2 tokenizer", "import --from gpt2 --input ."),
    ("船夫说\r\n\t<|endoftext|>".encode(), "plain text", "train --input other --vocab-size 512"),
    (b"a" + "é".encode() * 40_000, "plain text", "train --input other --vocab-size 512"),
    (b"word 1\nword 2\n", "plain text", "train --input other --vocab-size 512"),
]


@pytest.mark.parametrize(("content", "kind", "command"), OTHERS)
def test_a_file_is_described(here: Path, content: bytes, kind: str, command: str) -> None:
    """FR-33: one line says what the file seems to be, another which command accepts it."""
    (here / "other").write_bytes(content)
    assert refused(bpetite("encode", "--model", "other", "--text", "a")) == [
        f"error: other is not a tokenizer file; it looks like {kind}",
        f"make one from it with `bpetite {command} --output NEW.json`",
    ]


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b" \n", b"[72,101]", b"{}", b"\xff\xfea", b"a\0b", b"\x1f\x8b\x08"),
        b'{"mergeable_vocab_size": 300, "schema_version": 1, "merges": []}',
        b'{"schema_version": 1, "added_tokens": []}',
    ],
)
def test_damaged_or_unknown_files_show_their_first_error(here: Path, content: bytes) -> None:
    """A file that may be one of ours, or anything, is not guessed at."""
    (here / "other").write_bytes(content)
    (line,) = refused(bpetite("inspect", "--model", "other"))
    assert line.startswith("error: cannot use this tokenizer file: other: ")


def test_a_path_with_a_space_is_quoted_in_the_command(here: Path) -> None:
    """The suggested command can be pasted into a shell."""
    (here / "a folder").mkdir()
    (here / "a folder" / "vocab.json").write_text('{"a": 0, "b": 1, "c": 2}')
    first, second = refused(bpetite("inspect", "--model", "a folder/vocab.json"))
    assert first.startswith("error: 'a folder/vocab.json' is not a tokenizer file; ")
    assert "`bpetite import --from gpt2 --input 'a folder' --output NEW.json`" in second


@pytest.mark.posix
@given(st.text() | st.from_regex(r"[a-z./ ]+", fullmatch=True))
def test_only_ambiguous_paths_are_quoted(path: str) -> None:
    """A path is shown as it is, or quoted like a Python string if it could be misread."""
    plain = all(character.isalnum() or character in "_./+@%=~-" for character in path)
    assert quoted(path) == (path if path and plain else repr(path))
    assert quoted(path) == path or literal_eval(quoted(path)) == path
    assert "\n" not in quoted(path)
