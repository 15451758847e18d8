"""`shrink`: a tokenizer with the tokens that a text needs, its map, and its proof."""

import gzip
import json
from pathlib import Path
from typing import Final

import pytest

from artifacts import THIRD, canonical
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from cli_tools import (
    A,
    B,
    call,
    in_terminal,
    in_words,
    printed,
    refusal,
    rows_of,
    tuned,
)

SPECIAL: Final = 282
"""The id of the special token of `m.json`."""

CHUNKS: Final = ["Hello", " world", ",", " hello", " words", ".", "\n"]
"""Those of A."""

SHRINK: Final = "shrink -m m.json a.txt -o s.json"


def needed(text: str, least: int = 1, *, ordinary: bool = False) -> Artifact:
    """Return what `shrink` has to make of the tokenizer `m.json`."""
    old = Artifact.read("m.json")
    ids = Tokenizer.load("m.json").encode(text, ordinary=ordinary)
    times = old.times_needed([*map(ids.count, old.ids)])
    return old.shrunk({index for index, count in enumerate(times) if count >= least})


def test_the_text_keeps_its_ids(small: Path) -> None:
    """The tokens that it needs stay, with their ids; the figures are those of the files."""
    (data,) = rows_of(SHRINK)
    made, old = needed(A), Artifact.read("m.json")
    assert Path("s.json").read_bytes() == made.to_bytes()
    assert printed("encode -m s.json a.txt") == printed("encode -m m.json a.txt")
    assert (data["tokens"], data["tokens_before"]) == (
        len(rows_of("encode -m m.json a.txt")[0]),
    ) * 2
    assert (data["vocab_size"], data["vocab_size_before"]) == (len(made.tokens), len(old.tokens))
    assert (data["rows"], data["rows_before"]) == (max(old.ids) + 1,) * 2
    sizes = [Path(name).stat().st_size for name in ("s.json", "m.json")]
    assert [data["file_bytes"], data["file_bytes_before"]] == sizes
    assert (data["bytes"], data["other_ids"], data["outputs"]) == (len(A), 0, ["s.json"])
    kept = f"{len(made.tokens)} tokens and 1 special token, of {len(old.tokens)} tokens"
    saved, proved, rows, *_ = in_words(f"{SHRINK} --force")
    every = f"all {data['distinct_chunks']} distinct chunks"
    assert saved == f"saved: s.json, {kept}"
    assert proved == f"proved: {every} have the same tokens as before"
    same = f"{data['rows']} of {data['rows']}"
    assert rows.startswith(f"rows: {same} ({len(made.ids)} with `shrink --renumber`); file: ")


def test_new_ids_have_a_map_of_the_old_ones(small: Path) -> None:
    """`--renumber` starts at 0 again, in the old order; the list has the old id of each."""
    (data,) = rows_of(f"{SHRINK} --renumber --id-map map.json")
    old_ids = json.loads(Path("map.json").read_bytes())
    assert old_ids == sorted(needed(A).ids)
    assert (data["rows"], data["outputs"]) == (len(old_ids), ["s.json", "map.json"])
    before, after = (rows_of(f"encode -m {name} a.txt")[0] for name in ("m.json", "s.json"))
    assert [old_ids[one] for one in after] == before
    printed(f"{SHRINK} --id-map map.json --force")
    assert "shrink" not in in_words(f"{SHRINK} --renumber --force")[2]
    gaps = json.loads(Path("map.json").read_bytes())
    assert [one for one in gaps if one is not None] == old_ids
    assert all(one in {None, place} for place, one in enumerate(gaps))


def test_special_tokens_are_found_unless_the_text_is_ordinary(small: Path) -> None:
    """As everywhere else."""
    (data,) = rows_of("shrink -m m.json b.txt -o s.json")
    assert (data["other_ids"], data["distinct_chunks"]) == (0, 5)
    printed("shrink -m m.json b.txt -o o.json --ordinary")
    for name, ordinary in (("s.json", False), ("o.json", True)):
        assert Path(name).read_bytes() == needed(B, ordinary=ordinary).to_bytes()


def test_every_form_of_a_text_gives_the_same_file(small: Path) -> None:
    """Those of `count`, in one process or several."""
    (small / "c.txt.gz").write_bytes(gzip.compress((A + B).encode()))
    (small / "c.jsonl").write_text("".join(json.dumps({"t": one}) + "\n" for one in (A, B)))
    (small / "list").write_text("a.txt\nb.txt\n")
    expected = needed(A + B).to_bytes()
    for words in (
        "a.txt b.txt",
        "--input a.txt b.txt",
        "--files-from list",
        "c.txt.gz",
        "c.jsonl --jsonl t",
        "- --document-separator \\n",
        ". --glob '?.txt'",
    ):
        printed(f"shrink -m m.json {words} -o s.json --force", stdin=(A + B).encode())
        assert Path("s.json").read_bytes() == expected, words
    with tuned(worth=0, batch=1):
        printed("shrink -m m.json a.txt b.txt -o s.json --force --jobs 2")
    assert Path("s.json").read_bytes() == expected
    printed("shrink -m m.json -o s.json --force --text", A + B)
    assert Path("s.json").read_bytes() == expected


def test_an_empty_text_needs_the_bytes(small: Path) -> None:
    """And special tokens stay, with a warning; if no input is named, it is an error."""
    assert refusal("shrink -m m.json -o s.json")[0].startswith("error: no input is named")
    (small / "none").touch()
    result = call("shrink -m m.json none -o s.json --output-format text")
    assert result.told == ["warning: the text is empty; check the input"]
    assert b"proved: all 0 distinct chunks have the same tokens as before" in result.stdout
    assert printed("shrink -m m.json --vocab-size 256 -o first.json")
    assert Path("s.json").read_bytes() == needed("").to_bytes()
    printed("shrink -m m.json none -o s.json --force --renumber")
    assert Path("s.json").read_bytes() == Path("first.json").read_bytes()


def test_rare_tokens_are_dropped_and_the_price_is_named(small: Path) -> None:
    """`--min-count`: how many tokens the text has then, and how much of it has other ids."""
    (data,) = rows_of(f"{SHRINK} --min-count 2")
    assert Path("s.json").read_bytes() == needed(A, 2).to_bytes()
    assert data["tokens"] == len(rows_of("encode -m s.json a.txt")[0])
    before, after = (
        [rows_of(f"encode -m {name} --text", chunk)[0] for chunk in CHUNKS]
        for name in ("m.json", "s.json")
    )
    other = sum(
        len(chunk) for chunk, one, two in zip(CHUNKS, before, after, strict=True) if one != two
    )
    assert data["other_ids"] == round(other / len(A), 4) > 0
    more = data["tokens"] / data["tokens_before"] - 1
    assert in_words(f"{SHRINK} --min-count 2 --force")[1] == (
        f"text: {data['tokens']} tokens instead of {data['tokens_before']}, {more:+.2%}; "
        f"{other / len(A):.2%} of its bytes have other ids"
    )


def test_named_tokens_stay(small: Path) -> None:
    """`--keep` takes tokens, with the merges that make them, however rare they are."""
    printed(f"{SHRINK} --min-count 9 --keep ' world' ' hello'")
    kept = Tokenizer.load("s.json")
    for text in (" world", " hello"):
        assert kept.encode(text) == Tokenizer.load("m.json").encode(text)
        assert len(kept.encode(text)) == 1
    assert len(kept.encode(" words")) > 1
    way_out = "(if it is a FILE, name it before --keep)"
    assert refusal(f"{SHRINK} --keep ' world' a.txt --force") == [
        f"error: --keep 'a.txt': expected one token of m.json, found 5 {way_out}"
    ]


def test_a_shrunk_tokenizer_is_proved(small: Path) -> None:
    """`--check` with the same arguments; any other byte is an error with the first token."""
    options = "--min-count 2 --keep ' world' --renumber --id-map map.json"
    printed(f"{SHRINK} {options}")
    words = SHRINK.replace("-o", "--check")
    (data,) = rows_of(f"{words} {options}")
    assert (data["equal"], data["difference"], data["outputs"]) == (True, None, [])
    assert in_words(f"{words} {options}")[0].startswith("proved: s.json, ")
    Path("map.json").write_text("[]")
    assert told(f"{words} {options}") == "map.json is not its map"
    forgotten = f"{words} {options.split(' --renumber', maxsplit=1)[0]}"
    assert told(forgotten) == "it is what comes out with --renumber"
    assert b"proved" not in call(forgotten, "--output-format", "text").stdout
    printed(f"{SHRINK} --force")
    content = json.loads(Path("s.json").read_bytes())
    Path("s.json").write_text(json.dumps(content))
    assert told(words) == "it has the same tokens, but its file differs in something else"
    made = needed(A)
    last = max(made.ids[256 : len(made.tokens)])
    token = Tokenizer.load("s.json").vocab[last].decode()
    less = made.truncated(len(made.tokens) - 1)
    less.write("s.json", overwrite=True)
    assert told(words) == f"it lacks the token {last}, {token.replace(' ', '·')!r}"
    Path("s.json").write_bytes(Path("m.json").read_bytes())
    assert told(words).endswith(", is not made here, or not so, or at another rank")
    result = call(words)
    data = json.loads(result.stdout)
    assert (result.returncode, data["equal"]) == (1, False)
    extra = min({*Artifact.read("m.json").ids} - {*made.ids})
    assert data["difference"]["id"] == extra


def told(words: str) -> str:
    """Return what differs, in words."""
    result = call(words)
    begin, advice = result.stderr.decode().splitlines()[-2:]
    assert (result.returncode, advice) == (1, "use the text and the options that it was made with")
    return begin.removeprefix("error: s.json is not what comes out here: ")


def test_the_first_merges_are_those_of_truncate(small: Path) -> None:
    """`--vocab-size` needs no text, and is `truncate` with ids, a map and a check."""
    truncated = rows_of("truncate m.json --vocab-size 270 -o t.json")
    data = rows_of("shrink -m m.json --vocab-size 270 -o s.json --id-map map.json")
    assert Path("s.json").read_bytes() == Path("t.json").read_bytes()
    assert data[0] | {"outputs": 0} == truncated[0] | {"outputs": 0}
    assert json.loads(Path("map.json").read_bytes()) == [*range(270), SPECIAL]
    assert rows_of("shrink -m m.json --vocab-size 270 --check s.json")[0]["equal"]
    (Path("third.json")).write_bytes(canonical(THIRD))
    printed("shrink -m third.json --vocab-size 258 -o s.json --renumber --id-map map.json --force")
    assert [*Tokenizer.load("s.json").vocab] == [*range(260)]
    old = json.loads(Path("map.json").read_bytes())
    assert old == [0, 1, 5, 7, *range(1000, 1256)]
    assert refusal("shrink -m m.json --vocab-size 270 a.txt -o n.json", status=2)[0] == (
        "error: argument --vocab-size: not allowed with argument FILE"
    )


def test_outputs_are_checked_first(small: Path) -> None:
    """Neither may be an input, exist, or be the other one."""
    words = f"{SHRINK} --id-map"
    both = "--output and --id-map are both s.json; change one"
    assert refusal(f"{words} ./s.json") == [f"error: {both}"]
    assert refusal(f"{words} a.txt --force")[0].startswith("error: a.txt is also an input")
    assert refusal(f"{words} a.txt")[0].startswith("error: a.txt already exists; use --force")
    assert not Path("s.json").exists()


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_the_bar_shows_both_phases(small: Path) -> None:
    """The text is counted, then each chunk is proved."""
    status, output, shown = in_terminal(SHRINK.split(), small)
    assert (status, json.loads(output)["bytes"]) == (0, len(A))
    assert b"counting" in shown
    assert b"proving" in shown
