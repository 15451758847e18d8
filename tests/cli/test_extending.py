"""`train --start`: the new tokenizer, its proof, and what other commands make of it."""

import json
from pathlib import Path
from typing import Final

import pytest

from artifacts import FOURTH, THIRD, canonical, write_artifact
from bpetite import Tokenizer
from cli_tools import (
    call,
    in_terminal,
    in_words,
    printed,
    refusal,
    rows_of,
    shown_in_terminal,
    verified,
)

START: Final = THIRD | {"mergeable_vocab_size": 260, "vocab": THIRD["vocab"] | {"9": [*b" abcd"]}}
"""Merges that make ab (7) and " ab" (3); the whole tokens " aba" (1) and " abcd" (9)."""

TEXT: Final = "xcd xcd xcd abcd abcd abcde abcde abcde <|new|>"
TRAIN: Final = "train text --start start.json --vocab-size 264 -o new.json"


@pytest.fixture
def folder(here: Path) -> Path:
    """Return a folder with a text, the tokenizer to extend, and its extension."""
    (here / "text").write_text(TEXT)
    (here / "start.json").write_bytes(canonical(START))
    printed(TRAIN)
    return here


def test_new_ids_follow_the_highest_one(folder: Path) -> None:
    """The file is that of `Tokenizer.train`; the summary and one line name the new ids."""
    result = call(f"{TRAIN} --special '<|new|>' --force")
    start = Tokenizer.load("start.json")
    Tokenizer.train(TEXT, 264, start=start, special_tokens=["<|new|>"]).save("expected.json")
    assert (folder / "new.json").read_bytes() == (folder / "expected.json").read_bytes()
    summary = json.loads(result.stdout)
    assert (summary["new_ids"], summary["ids_kept"]) == ([1256, 1259], True)
    assert summary["special_tokens"] == {"<s>": 0, "<b": 5, "<|new|>": 1260}
    assert in_words(f"{TRAIN} --special '<|new|>' --force")[-1] == (
        "kept: all 262 ids of start.json; ids 1256-1259 are new; added: id 1260"
    )


def test_the_ids_of_a_trained_tokenizer_are_kept_on_request(folder: Path) -> None:
    """`--keep-ids` needs `--start`; with it, `<|endoftext|>` stays, and new ids follow it."""
    Tokenizer.train(TEXT, 260).save("small.json")
    words = "train text --start small.json --vocab-size 262 -o grown.json --keep-ids"
    assert in_words(words)[-1] == "kept: all 261 ids of small.json; ids 261-262 are new"
    assert rows_of(f"{words} --force")[0]["special_tokens"] == {"<|endoftext|>": 260}
    printed(words.replace("262", "260"), "--force")
    assert (folder / "grown.json").read_bytes() == (folder / "small.json").read_bytes()
    words = "train text --keep-ids --vocab-size 262 -o other.json"
    assert refusal(words, status=2)[0] == ("error: argument --keep-ids: requires --start")


def test_a_start_with_special_whitespace_is_extended_and_proved(here: Path) -> None:
    """Its ids stay, `verify` proves the new merges, and spaces in the text are no separators."""
    (here / "text").write_text("abc  abc   abc\n" * 9)
    (here / "start.json").write_bytes(canonical(FOURTH))
    words = "train text --start start.json --vocab-size 262 -o new.json"
    assert in_words(words)[-1] == "kept: all 263 ids of start.json; ids 1256-1257 are new"
    assert b"the corpus contains" not in call(f"{words} --force").stderr
    status, data, _ = verified("verify -m new.json text --start start.json")
    assert (status, data["merges_proved"]) == (0, 2)
    printed("truncate -m new.json --vocab-size 260 -o cut.json")
    assert (here / "cut.json").read_bytes() == canonical(FOURTH)
    assert "it has schema version 4, with ids that" in refusal("verify -m new.json text")[0]


@pytest.mark.parametrize("text", [TEXT, "x abcde abcde"], ids=["a chunk", "no chunk"])
def test_sizes_are_those_of_truncate_and_count(folder: Path, text: str) -> None:
    """Also where a completed token is a chunk, and stays one token in every size."""
    (folder / "text").write_text(text)
    (sizes,) = rows_of("sizes -m new.json text --json --at 258 259 260 261 262 263 264")
    for row in sizes["sizes"]:
        printed(f"truncate -m new.json --vocab-size {row['vocab_size']} -o cut.json --force")
        counts = [one["count"] for one in rows_of("count -m cut.json text --by-token")]
        assert (row["tokens"], row["unused"]) == (sum(counts), counts.count(0))


def test_new_tokens_are_listed_with_the_ids_before(folder: Path) -> None:
    """`inspect --tokens --since OLD`: JSON Lines in a pipe, rows on a terminal."""
    printed(f"{TRAIN} --special '<|new|>' --force")
    vocab = json.loads((folder / "new.json").read_bytes())["vocab"]
    start = Tokenizer.load("start.json")
    words = "inspect -m new.json --tokens --since start.json"
    found = rows_of(words)
    assert [row["id"] for row in found] == [1256, 1257, 1258, 1259, 1260]
    for row in found:
        token = bytes.fromhex(row["hex"])
        assert [*token] == vocab[str(row["id"])]
        assert start.decode(row["old_ids"]) == token.decode() == row["text"]
        assert start.encode(row["text"], ordinary=True) == row["old_ids"]
    status, shown = shown_in_terminal(words.split(), folder)
    assert status == 0
    assert shown.splitlines()[0] == "1256  \x1b[30;42mcd\x1b[0m  was 1099 1100"
    assert rows_of(words.replace("start.json", "new.json")) == []


def test_an_extension_is_proved(folder: Path) -> None:
    """Each new merge is proved, and those of the start are reported apart."""
    status, data, told = verified("verify -m new.json text --start start.json")
    assert (status, data["equal"], data["merges_proved"], data["merges_kept"]) == (0, True, 5, 2)
    assert told == ["proved: all 5 merges after the 2 of --start come from this corpus"]


@pytest.mark.parametrize(
    ("size", "changed", "ids", "pairs", "fault"),
    [
        (
            261,
            None,
            (9, 9),
            [None, [3, 1256]],
            "the merge at rank 3 is not in the file; 1 of 1 merges",
        ),
        (
            264,
            ("1259", "1300"),
            (1300, 1259),
            [[1032, 1257], [1032, 1257]],
            "the merge at rank 6 has the id 1300, not 1259 as in training; 4 of 5 merges",
        ),
        (
            264,
            ("1260", "6"),
            (6, 1260),
            [None, None],
            "the special token '<|new|>' has the id 6, not 1260 as in training; 5 of 5 merges",
        ),
    ],
    ids=["no merge that completes a token", "the id of a merge", "the id of a special token"],
)
def test_what_differs_is_named(
    folder: Path,
    size: int,
    changed: tuple[str, str] | None,
    ids: tuple[int, int],
    pairs: list[list[int] | None],
    fault: str,
) -> None:
    """A missing merge, another id and another special token are reported, each as what it is."""
    printed(f"{TRAIN} --special '<|new|>' --force".replace("264", str(size)))
    content = (folder / "new.json").read_text()
    file = json.loads(content.replace(*changed) if changed else content)
    if not changed:
        file["merges"].pop()
    (folder / "new.json").write_bytes(canonical(file))
    status, data, told = verified("verify -m new.json text --start start.json")
    found = data["difference"]
    assert (status, data["equal"], (found["id"], found["corpus_id"])) == (1, False, ids)
    merges = [found["model_merge"], found["corpus_merge"]]
    assert [merge and merge["pair"] for merge in merges] == pairs
    assert found["special_token"] == (None if any(pairs) else "<|new|>")
    assert found["rank"] == data["merges_proved"] + 2
    assert told[-2].startswith(f"error: {fault} after the 2 of --start are proved")
    assert "truncate" not in told[-1]
    assert ("the file:   no merge is left" in told) == (not changed)


def test_what_is_no_extension_is_not_trained(folder: Path) -> None:
    """The message says what differs, before the corpus is read."""
    Tokenizer.train(TEXT, 260).save("small.json")
    moved = START | {"merges": [[1097, 1098, 8], [1032, 8, 3]]}
    moved |= {"vocab": {"8" if key == "7" else key: of for key, of in START["vocab"].items()}}
    (folder / "moved.json").write_bytes(canonical(moved))
    for name, special in (("plain", []), ("chat", ["<s>"])):
        Tokenizer.train(TEXT, 262, pattern="gpt4", special_tokens=special).save(f"{name}.json")
    for model, start, fault in (
        ("new.json", "moved.json", "its id 8 is not that of --start"),
        ("small.json", "start.json", "it has the pattern gpt2, --start has gpt4"),
        ("plain.json", "chat.json", "its special tokens do not begin with those of --start"),
    ):
        assert refusal(f"verify -m {model} text --start {start}") == [
            f"error: {model} does not continue {start}: {fault}",
            "name the tokenizer that this one continues, or leave out --start",
        ]
    whole = "it has schema version 3, with ids that training keeps but does not "
    assert whole in refusal("verify -m new.json text")[0]


PROSE: Final = "low lower lowest the cat sat on the mat\n" * 3
CODE: Final = "def lower(text):\n    return text.lower()\n" * 3
CONTINUE: Final = "train --vocab-size 285 --start small.json --input code --output big.json"
VERIFY: Final = "verify --model big.json --start small.json --input code"


@pytest.fixture
def texts(here: Path) -> Path:
    """Return the working directory, with a text, and the tokenizer of another."""
    (here / "code").write_text(CODE)
    Tokenizer.train(PROSE, 270).save("small.json")
    return here


def test_a_training_is_continued(texts: Path) -> None:
    """The file is that of `Tokenizer.train`, and a line names both special ids."""
    result = call(CONTINUE)
    Tokenizer.train(CODE, 285, start=Tokenizer.load("small.json")).save("expected.json")
    assert (texts / "big.json").read_bytes() == (texts / "expected.json").read_bytes()
    summary = json.loads(result.stdout)
    assert (summary["merges_kept"], summary["merges"]) == (14, 29)
    assert (summary["new_ids"], summary["ids_kept"]) == ([270, 284], False)
    assert result.told[0] == "training: 285 mergeable tokens wanted, 14 merges kept"
    moved = "<|endoftext|> moves from id 270 to id 285 (to keep all ids, use --keep-ids)"
    assert in_words(f"{CONTINUE} --force")[-1] == f"kept: 14 merges; {moved}"


def test_a_continued_training_is_verified(texts: Path) -> None:
    """`verify --start` tells the merges that the corpus proves from those of the start."""
    printed(CONTINUE)
    status, data, told = verified(VERIFY)
    assert (status, data["merges_proved"], data["merges_kept"]) == (0, 15, 14)
    assert told == ["proved: all 15 merges after the 14 of --start come from this corpus"]

    Tokenizer.train("zz", 257).save("other.json")
    status, data, told = verified(VERIFY.replace("small", "other"))
    assert (status, data["merges_proved"], data["merges_kept"]) == (1, 0, 0)
    assert [line[:12] for line in told[:2]] == ["the file:   ", "the start:  "]
    same = "0 of 1 merges are the same, and none is proved"
    assert told[2] == f"error: the merge at rank 0 is not that of --start: {same}"
    assert told[3:] == ["name the tokenizer that this one continues"]


@pytest.mark.usefixtures("texts")
def test_a_corpus_that_proves_nothing_is_not_called_proved() -> None:
    """If all merges are those of the start, any corpus gives the same file: the status is 1."""
    for merges in (0, 14):
        Tokenizer.train(PROSE, 256 + merges).save("small.json", overwrite=True)
        status, data, told = verified(VERIFY.replace("big", "small"))
        assert (status, data["merges_proved"], data["merges_kept"]) == (1, 0, merges)
        assert told == [
            f"error: this corpus proves nothing: all {merges} merges are those of --start",
            "name the smaller tokenizer that this one continues, or leave out --start",
        ]


@pytest.mark.usefixtures("texts")
def test_the_start_is_checked_first() -> None:
    """A start that is too large, and one that is the output, are errors."""
    (line,) = refusal(CONTINUE.replace("285", "269"))
    assert line.startswith("error: cannot continue small.json to 269 tokens: it has 270 (")
    assert refusal(f"{CONTINUE} --force".replace("big", "small")) == [
        "error: small.json is also an input and would be overwritten; choose another output"
    ]


@pytest.mark.posix
@pytest.mark.usefixtures("bar_at_once")
def test_an_unreachable_token_is_reported_once(texts: Path) -> None:
    """A token of the start that does not encode to itself is a warning, also under a bar."""
    write_artifact(texts / "small.json", [(98, 97), (97, 98), (257, 97)])
    (texts / "code").write_text("xy xy xy")
    warning = "the token 258 of start, b'aba', does not encode to itself: "
    assert call(CONTINUE).stderr.decode().count(warning) == 1
    for words in (f"{CONTINUE} --force", VERIFY):
        status, _, drawn = in_terminal(words.split(), texts)
        assert (status, drawn.decode().count(warning)) == (0, 1)


def test_a_message_names_the_moved_ids(here: Path) -> None:
    """`--special` adds behind the special tokens of the start, and these move."""
    (here / "code").write_text(CODE)
    chat = [f"<|{number}|>" for number in range(9)]
    for names, size, said in (
        ([], 285, ""),
        (["<|a|>"], 285, "; <|a|> moves from id 270 to id 285"),
        (["<|a|>"], 270, "; <|a|> stays id 270, as no merge is new"),
        (chat, 285, "; 9 special tokens move from ids 270-278 to ids 285-293"),
        (chat, 270, "; 9 special tokens stay ids 270-278, as no merge is new"),
    ):
        start = Tokenizer.train(PROSE, 270, pattern="gpt4", special_tokens=names)
        start.save("small.json", overwrite=True)
        words = f"{CONTINUE.replace('285', str(size))} --special '<|new|>' --force"
        way_out = " (to keep all ids, use --keep-ids)" if " to id" in said else ""
        assert in_words(words)[-1] == f"kept: 14 merges{said}{way_out}"
        assert list(rows_of(words)[0]["special_tokens"]) == [*names, "<|new|>"]
    for words, error in (
        ("--pattern gpt2", "cannot continue small.json with the pattern gpt2: it has gpt4 "),
        ("--special '<|3|>'", "cannot add the special token '<|3|>': small.json has it "),
    ):
        assert refusal(f"{CONTINUE} --force {words}")[0].startswith(f"error: {error}")


def test_a_new_token_may_be_part_of_a_character(here: Path) -> None:
    """Its ids before are those of its bytes."""
    Tokenizer.train("", 256).save("start.json")
    Tokenizer.train("日日", 258).save("new.json")
    rows = rows_of("inspect -m new.json --tokens --since start.json")
    assert [row["old_ids"] for row in rows] == [[0x97, 0xA5], [0xE6, 0x97, 0xA5]]
