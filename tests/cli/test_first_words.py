"""What people type first: words without options, pipes without names, short spellings."""

from pathlib import Path

import pytest

from cli_tools import bpetite_process, call, lines, printed, refusal, start


def test_a_piped_corpus_needs_no_name(small: Path) -> None:
    """`train`, `verify` and `chunks` read a pipe, or a file as standard input."""
    text = (small / "a.txt").read_bytes()
    printed("train a.txt --vocab-size 260 -o named.json")
    printed("train --vocab-size 260 -o piped.json", stdin=text)
    printed("train --vocab-size 260 -o file.json", stdin=small / "a.txt")
    assert (small / "piped.json").read_bytes() == (small / "named.json").read_bytes()
    assert (small / "file.json").read_bytes() == (small / "named.json").read_bytes()
    assert printed("chunks", stdin=text) == printed("chunks a.txt")
    assert b'"equal": true' in printed("verify -m piped.json", stdin=text)


@pytest.mark.parametrize(
    "command", ["train --vocab-size 260 -o t.json", "chunks", "verify -m m.json"]
)
def test_an_unnamed_corpus_without_a_byte_is_a_mistake(small: Path, command: str) -> None:
    """`train $EMPTY` in a script is an error; an empty file that is named is not."""
    told = refusal(command)[-1]
    assert told == "error: no input is named, and standard input is empty; name a file"


@pytest.mark.posix
def test_waiting_for_a_pipe_is_announced(small: Path) -> None:
    """After two seconds without a byte, a command says that it waits for standard input."""
    process = start("count", "-m", "m.json", cwd=small)
    assert process.stderr is not None
    assert process.stderr.readline() == (
        b"waiting for standard input, which is a pipe without a byte so far\n"
    )
    out, rest = process.communicate(b"low")
    assert (process.returncode, out.strip().isdigit(), rest) == (0, True, b"")


def test_a_tokenizer_file_may_be_the_first_word(small: Path) -> None:
    """`inspect F`, `truncate F` and `export F` need no --model."""
    assert printed("inspect m.json --json") == printed("inspect -m m.json --json")
    printed("truncate m.json --vocab-size 256 -o small.json")
    told = refusal("inspect m.json -m m.json", status=2)[0]
    assert told.startswith("error: argument FILE: not allowed with argument --model; it is the ")


def test_a_token_is_an_id_or_a_text(small: Path) -> None:
    """`inspect --token` takes both; `--token-text` is for texts of digits."""
    assert printed("inspect m.json --token 97") == printed("inspect m.json --token-text a")
    assert printed("inspect m.json --token a") == printed("inspect m.json --token-text a")
    assert printed("inspect m.json --token-text 7") == printed("inspect m.json --token 55")
    assert refusal("inspect m.json --token ''")[0].startswith("error: no token has the text ''")


def test_ids_may_be_the_words(small: Path) -> None:
    """`decode 104 105` decodes ids, unless a file has such a name."""
    assert printed("decode -m m.json 104 105") == b"hi"
    (small / "105").write_bytes(b"[104]")
    told = refusal("decode -m m.json 104 105", status=2)[0]
    assert told == "error: 105 is also a file; write --input or --ids"
    assert printed("decode -m m.json --input 105") == b"h"


@pytest.mark.parametrize("ids", [b"104 105", b"104\n105\n", b"[104,105]", b" [104, 105]"])
def test_piped_ids_are_json_or_text(small: Path, ids: bytes) -> None:
    """Without --format, ids that begin with a digit are text."""
    assert printed("decode -m m.json", stdin=ids) == b"hi"


def test_a_text_can_be_counted(small: Path) -> None:
    """`count --text` prints the number of tokens alone."""
    assert printed("count -m m.json --text", "low lower") == printed(
        "count -m m.json", stdin=b"low lower"
    )
    assert printed("count -m m.json --text", "") == b"0\n"


def test_a_big_v_is_the_version() -> None:
    """`-V` prints what `--version` prints."""
    assert printed("-V") == printed("--version")
    assert bpetite_process("-V").returncode == call("-V").returncode == 0
    assert lines(printed("-V"))[0].startswith("bpetite ")
