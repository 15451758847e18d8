"""`bpetite diff`: two tokenizers, and how they cut text."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from artifacts import canonical, write_artifact
from cli.test_why import TEXTS, Slow, without_token
from cli_tools import bpetite_process, call, in_words, lines, refusal, tuned
from numbered import ANY, Made, ids_by_bytes, plain
from texts import TWINS

MADE: Final = "(97 + 98) makes 256"
PAIRS: Final = st.tuples(ANY, ANY) | ANY.map(lambda made: (made, made))


@pytest.fixture
def two(here: Path) -> Path:
    """Return the working directory with two tokenizers, and a text with two places that differ."""
    write_artifact(here / "a.json", [(97, 98), (256, 99)])
    write_artifact(here / "b.json", [(98, 99), (97, 98), (97, 256), (100, 100)])
    (here / "t.txt").write_text("ddd xabc abcd ab")
    return here


@pytest.mark.usefixtures("two")
def test_the_first_differences_are_shown() -> None:
    """A person gets the differences, and for each text the first cut with the merge behind it."""
    shown = call("diff a.json b.json t.txt --output-format text")
    assert (shown.returncode, shown.stderr) == (1, b"")
    first, digests, *told = lines(shown.stdout)
    assert (first, digests[:8]) == ("different tokenizers", "sha256: ")
    assert told == [
        "special tokens with other ids: <|endoftext|> (258 and 260)",
        f"first merge that differs: rank 0, a + b {MADE} in A, b + c (98 + 99) makes 256 in B",
        "  B has a + b (97 + 98) makes 257, too, but at rank 1",
        "only in B: 2 tokens: bc, dd",
        "with other ids: 2 tokens: ab, abc",
        "t.txt: 11 tokens with A, 10 with B",
        "  first cut that differs, document 1, byte 0: d with A, dd with B",
        "  A has no token dd",
    ]
    shown = call("diff a.json b.json - --output-format text", stdin=b"x ab ab")
    assert lines(shown.stdout)[-2:] == ["-: 5 tokens with A, 5 with B", "  cut in the same places"]
    same = in_words("diff a.json a.json -i t.txt")
    assert same[0] == "the same tokenizer"
    assert same[-1] == "  cut in the same places"


@pytest.mark.usefixtures("two")
def test_the_status_says_whether_they_differ() -> None:
    """It is 0 for the same, 1 for different ones, and 2 for whatever goes wrong."""
    assert [call(f"diff a.json {name}.json").returncode for name in "ab"] == [0, 1]
    assert bpetite_process("diff", "a.json", "b.json").returncode == 1
    assert refusal("diff a.json gone.json", status=2)[0].startswith("error: tokenizer file not ")
    assert refusal("diff a.json a.json gone.txt", status=2)[0].startswith("error: gone.txt: No ")
    for words, message in (
        ("", "the following arguments are required: A, B"),
        ("a.json", "the following arguments are required: B"),
        ("a.json b.json --jsonl text", "argument --jsonl: requires --input or --files-from"),
    ):
        assert refusal(f"diff {words}", status=2)[0] == f"error: {message}"
    Path("bad.txt").write_bytes(b"ab \xff")
    assert "bad.txt" in refusal("diff a.json b.json bad.txt", status=2)[0]


@pytest.mark.usefixtures("two")
def test_a_place_is_in_a_document() -> None:
    """The place of a cut is counted in its document, and folders are read file by file."""
    Path("docs").mkdir()
    rows = [json.dumps({"text": text}) for text in ("ab", "ab ddd", "abc")]
    Path("docs/one.jsonl").write_text("\n".join(rows))
    Path("docs/two.jsonl").write_text('{"text": "x"}')
    result = call("diff a.json b.json docs --jsonl text")
    one, two = json.loads(result.stdout)["texts"]
    assert (one["tokens_of_each"], two["tokens_of_each"]) == ([7, 6], [1, 1])
    cut = {name: one["first_cut"][name] for name in ("document", "start", "hex_of_each")}
    assert cut == {"document": 2, "start": 3, "hex_of_each": ["64", "6464"]}
    assert two["first_cut"] is None


# the oracle


@example((plain([(97, 98)]), plain([(98, 99), (97, 98)])), "ab abc", 16, "")
@example((plain([], whole=[b"abc"]), plain([], whole=[b"ab"])), "ab abc", 16, "")
@example((plain(TWINS), plain(TWINS[:-1])), "abc babcabc", 16, "")
@given(PAIRS, TEXTS, st.integers(4, 64), st.sampled_from(["", "--ordinary"]))
def test_differences_are_those_of_the_oracle(
    pair: tuple[Made, Made], text: str, block: int, more: str
) -> None:
    """Whether they are the same, what differs, both counts, and the first cut, are recomputed."""
    files = [canonical(made[0]) for made in pair]
    with TemporaryDirectory() as name, tuned(block=block):
        folder = Path(name)
        for one, file in zip("ab", files, strict=True):
            (folder / f"{one}.json").write_bytes(file)
        (folder / "t.txt").write_text(text, "utf-8")
        result = call(f"diff a.json b.json t.txt {more}", cwd=folder)
    told = json.loads(result.stdout)
    assert (told["same"], result.returncode) == (files[0] == files[1], int(files[0] != files[1]))
    (found,) = told.pop("texts")
    check_difference(told, pair)
    check_cut(found, [Slow(made, text, ordinary=bool(more)) for made in pair])


def check_cut(found: dict[str, Any], slow: Sequence[Slow]) -> None:
    """Check what is said about a text that both have read: the counts, and the first cut."""
    assert found["tokens_of_each"] == [len(one.there) for one in slow]
    cuts = [[(at, one.tokens[number]) for at, number in sorted(one.there)] for one in slow]
    differing = (both for both in zip(*cuts, strict=False) if both[0] != both[1])
    (start, first), (_, second) = next(differing, ((None, b""), (None, b"")))
    if start is None:
        assert found["first_cut"] is None
        return
    cut = found["first_cut"]
    assert (cut["start"], cut["hex_of_each"]) == (start, [first.hex(), second.hex()])
    lacking, token = slow[len(first) > len(second)], max(first, second, key=len)
    if cut["why"] is None:
        assert token not in lacking.tokens
    else:
        number = lacking.ids.index(cut["why"]["id"])
        assert lacking.tokens[number] == token
        assert without_token(cut["why"]) == lacking.place(number, start)


def check_difference(told: dict[str, Any], pair: tuple[Made, Made]) -> None:
    """Check what is said about two tokenizers; if they differ, at least one thing is."""
    contents, merges = [made[0] for made in pair], [made[1] for made in pair]
    ids = [ids_by_bytes(content) for content in contents]
    special = [content["special_tokens"] for content in contents]
    first = 0
    while merges[0][first : first + 1] == merges[1][first : first + 1] != []:
        first += 1
    assert told["first_merge"] == (None if merges[0] == merges[1] else first)
    assert told["special_ids"] == {
        name: [one.get(name) for one in special]
        for name in {*special[0], *special[1]}
        if special[0].get(name) != special[1].get(name)
    }
    only = [{one.hex() for one in ids[n].keys() - ids[1 - n].keys()} for n in (0, 1)]
    assert [{*told["only_in_a"]}, {*told["only_in_b"]}] == only
    both = ids[0].keys() & ids[1].keys()
    assert {*told["moved"]} == {one.hex() for one in both if ids[0][one] != ids[1][one]}
    patterns = [content["pretokenizer_pattern"] for content in contents]
    assert (told["patterns"][0] == told["patterns"][1]) == (patterns[0] == patterns[1])
    reasons = [told["first_merge"] is not None, told["special_ids"], told["moved"], *only]
    assert told["same"] != any([*reasons, patterns[0] != patterns[1]])
