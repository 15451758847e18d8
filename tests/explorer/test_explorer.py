"""The explorer's JavaScript gives bpetite's results, and rejects the files that it rejects."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import (
    FOURTH,
    GOOD,
    ODD_FILES,
    SECOND,
    SPELLINGS,
    THIRD,
    canonical,
    content_of,
    loaded,
    saved,
)
from bpetite import Tokenizer
from hostile import FAULTS, TRIPLES, with_faults
from numbered import numbered
from project_tools import ROOT
from texts import CORPORA, RUNS, TEXTS

pytestmark = pytest.mark.thorough

SOME_NAMES: Final = ("<|b|>", "<|a|>", "[INST]", "<\u00e91>", "<\U0001f4441>", "<\ufb001>")
Ask = Callable[..., Any]  # the answer is JSON


def encoded(data: bytes) -> str:
    """Return bytes as base64, for JSON."""
    return base64.b64encode(data).decode("ascii")


@given(
    documents=CORPORA,
    size=st.integers(256, 320),
    text=TEXTS,
    pattern=st.sampled_from([*oracle.PATTERNS]),
    names=st.none() | st.lists(st.sampled_from(SOME_NAMES), unique=True),
)
def test_generated_corpora_and_texts(
    ask: Ask,
    drift: dict[str, frozenset[str]],
    documents: list[str],
    size: int,
    text: str,
    pattern: str,
    names: list[str] | None,
) -> None:
    """FR-12, FR-16: any corpus gives the same file, and any text the same chunks and ids."""
    unlike = frozenset().union(*drift.values())
    *documents, text = (
        "".join(character for character in one if character not in unlike)
        for one in [*documents, text + "".join(names or []) * 2 + text]
    )
    chunks = oracle.chunks_of(text, oracle.PATTERNS[pattern])
    assert ask("split", text, pattern) == [chunk.decode() for chunk in chunks]
    tokenizer = Tokenizer.train(documents, size, pattern=pattern, special_tokens=names)
    options = {"pattern": pattern} | ({} if names is None else {"specialTokens": names})
    answer = ask("train", documents, size, options)
    trained = answer["file"]
    assert trained.encode() == saved(tokenizer)
    assert answer["expected_size"] == len(trained)  # it bounds training, as in the core
    ids = tokenizer.encode(text)
    read = ask("load", encoded(trained.encode()), [text], [ids])
    assert (read["ids"], read["decoded"]) == ([ids], [text])


@given(numbered(), st.lists(RUNS | st.sampled_from(["<s>", "<|user|>", "é"])).map("".join))
def test_files_with_ids_of_their_own(ask: Ask, made: tuple[dict[str, Any], Any], text: str) -> None:
    """For any ids and whole tokens, texts have the core's ids, and they and the file come back."""
    data = canonical(made[0])
    tokenizer = loaded(data)
    tokens = [bytes(token) for token in made[0]["vocab"].values() if len(token) > 1]
    texts = [text, *(token.decode("utf-8", "ignore") for token in tokens)]
    ids = [tokenizer.encode(one) for one in texts]
    read = ask("load", encoded(data), texts, [*ids, [2**21 - 2]])
    assert read["ordinary"] == [tokenizer.encode(one, ordinary=True) for one in texts]
    assert (read["file"].encode(), read["ids"], read["decoded"][:-1]) == (data, ids, texts)
    assert "unknown id 2097150; the ids are those of its file" in read["decoded"][-1]["error"]


ANY_NAMES: Final = st.lists(
    st.text(max_size=3).map(lambda name: f"{name}1>") | st.text("<a1>'\\ \n", max_size=6),
    max_size=4,
)


@given(ANY_NAMES | st.just([f"<{n}>" for n in range(4097)]) | st.just(["<s>" * 99]))
def test_names_of_special_tokens(ask: Ask, names: list[str]) -> None:
    """A list of names is refused with the core's message, or it gives the core's file."""
    answer = ask("train", ["ab"], 256, {"specialTokens": names})
    if "error" in answer:
        with pytest.raises(ValueError, match="special") as caught:
            Tokenizer.train("ab", 256, special_tokens=names)
        assert same_message(answer["error"].removeprefix("Error: "), str(caught.value))
        return
    tokenizer = Tokenizer.train("ab", 256, special_tokens=names)
    assert answer["file"].encode() == saved(tokenizer)
    wanted = [name for name in reversed(names) for _ in range(2)]
    ids = [content_of(tokenizer)["special_tokens"][name] for name in wanted]
    read = ask("load", encoded(answer["file"].encode()), ["".join(wanted)], [ids])
    assert (read["ids"], read["decoded"]) == ([ids], ["".join(wanted)])


ODD_CHARACTERS: Final = re.compile(r"\\[uU]|[^ -~]")
"""What one Unicode table may escape although another knows it, so texts are cut elsewhere."""


def same_message(found: str, expected: str) -> bool:
    """Return whether messages are equal; with odd characters, up to the first or the cut."""
    if not ODD_CHARACTERS.search(found + expected):
        return found == expected
    before, other = (
        ODD_CHARACTERS.split(message)[0].partition("...")[0] for message in (found, expected)
    )
    return before.startswith(other) or other.startswith(before)


@pytest.mark.parametrize(
    ("size", "options", "message"),
    [
        pytest.param(255, {}, "vocab_size must be", id="small"),
        pytest.param(256.5, {}, "vocab_size must be", id="fraction"),
        pytest.param("300", {}, "vocab_size must be", id="text"),
        pytest.param(256, {"pattern": "toString"}, "pattern must be one of", id="no pattern"),
        pytest.param(256, {"pattern": "tekken"}, "pattern must be one of", id="for imports"),
    ],
)
def test_options_of_training_are_checked(
    ask: Ask, size: object, options: dict[str, str], message: str
) -> None:
    """FR-11: a size is an integer of at least 256, a pattern one of those for training."""
    assert message in ask("train", ["ab"], size, options)["error"]


@pytest.mark.parametrize(
    "ids",
    [
        pytest.param([259], id="unknown"),
        pytest.param(["97"], id="text"),
        pytest.param([True], id="boolean"),
        pytest.param([97, 195], id="half a character"),
    ],
)
def test_what_is_no_text_is_rejected(ask: Ask, ids: list[object]) -> None:
    """FR-16, FR-20: lone surrogates have no ids, and such ids no text."""
    read = ask("load", encoded(canonical(GOOD)), ["a\udfff"], [ids])
    assert "lone surrogate at index 1" in read["ids"][0]["error"]
    assert "error" in read["decoded"][0]
    assert "lone surrogate at index 1" in ask("train", ["a\udfff"], 300)["error"]


def test_an_opened_file_is_described(ask: Ask) -> None:
    """The page names the pattern and the first special tokens of a file."""
    names = [f"<{number}>" for number in range(5)]
    tokenizer = Tokenizer.train("abab", 258, pattern="qwen2", special_tokens=names)
    note = "Its pattern is qwen2. Its special tokens: <0>, <1>, <2> and 2 more."
    assert ask("open", encoded(saved(tokenizer))) == [note]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"version": "1.0", "model": {"dropout": 0.1}}', id="tokenizer.json"),
        pytest.param(b"IQ== 0\nIg== 1\n", id="ranks"),
        pytest.param(b"\n\x0e\n\x05<unk>\x15\xff", id="SentencePiece"),
    ],
)
def test_files_of_other_libraries_are_refused(ask: Ask, data: bytes) -> None:
    """The page names the command that converts them; a damaged file of bpetite has its reason."""
    message = ask("open", encoded(data))["error"]
    assert message.startswith("Error: it is not a tokenizer file of bpetite. Convert another")
    assert "`bpetite import`" in message
    damaged = ask("open", encoded(canonical(GOOD | {"merges": 1})))["error"]
    assert damaged == "Error: merges: expected a list, found 1"


@pytest.mark.parametrize("name", SPELLINGS)
def test_other_spellings_load(ask: Ask, tmp_path: Path, name: str) -> None:
    """Equivalent JSON in other bytes is the same tokenizer for both loaders."""
    path = tmp_path / "tokenizer.json"
    path.write_bytes(SPELLINGS[name])
    assert Tokenizer.load(path) == loaded(GOOD)
    assert ask("load", encoded(SPELLINGS[name]), [], [])["file"].encode() == canonical(GOOD)


def check_refused(ask: Ask, path: Path, data: bytes) -> None:
    """Check that both loaders reject a file; from step 3 on, with the same message."""
    path.write_bytes(data)
    with pytest.raises((KeyError, ValueError)) as caught:
        Tokenizer.load(path)
    expected = caught.value.args[0].removeprefix(f"{path}: ")
    of_json = re.match("expected (UTF-8|JSON|distinct keys|integers)", expected)
    for message in ask("refused", encoded(data)):
        assert message.startswith("Error: "), (data[:200], message)
        assert len(message) < 300
        if re.search(rb"\d{16}", data):  # JavaScript writes such a number in another way
            expected = expected.partition(", found ")[0]
            message = message.partition(", found ")[0]  # noqa: PLW2901 - as expected
        assert of_json or same_message(message.removeprefix("Error: "), expected), data[:200]


def test_it_rejects_what_the_core_rejects(ask: Ask, tmp_path: Path) -> None:
    """FR-29: it rejects each file that the core's loader must reject; of two faults, one is named.

    Each has the core's message.
    """
    files = [with_faults(number, fault) for number in FAULTS for fault in FAULTS[number]]
    assert len(files) > 150
    files += [json.dumps(json.loads(with_faults(2, one)), indent=0).encode() for one in FAULTS[2]]
    changes = [fault for fault in FAULTS[3] if fault.place]
    files += [
        with_faults(3, one, other)
        for one in changes
        for other in changes[::3]
        if one.place[0] != other.place[0]
    ]
    contents = [THIRD | {"special_tokens": wrong} for wrong in ({"": 5, "a b": 0}, {"": 3})]
    contents += [GOOD | TRIPLES | {"special_tokens": {"user": 258}}]
    for data in (*files, *map(canonical, contents)):
        check_refused(ask, tmp_path / "refused.json", data)


def test_names_that_training_refuses_load(ask: Ask, tmp_path: Path) -> None:
    """With ids in order, a special token that `train` refuses needs schema version 3."""
    other = {"special_tokens": {"user": 258}, "vocab": GOOD["vocab"] | {"258": list(b"user")}}
    assert check_same_verdict(ask, tmp_path / "third.json", canonical(GOOD | TRIPLES | other))


def check_same_verdict(ask: Ask, path: Path, data: bytes) -> bool:
    """Check that both loaders reject a file, or both load it; return whether they load it."""
    path.write_bytes(data)
    try:
        tokenizer = Tokenizer.load(path)
    except (KeyError, ValueError):
        check_refused(ask, path, data)
        return False
    assert ask("load", encoded(data), [], [])["file"].encode() == saved(tokenizer)
    return True


def in_version(parts: dict[str, Any], data: bytes) -> bytes:
    """Return a file with these parts where it has those of version 1."""
    content = json.loads(data)
    same = {key: parts[key] for key in {*GOOD} & {*content} if content[key] == GOOD[key]}
    return canonical(content | same)


@given(st.builds(in_version, st.sampled_from([GOOD, SECOND, THIRD, FOURTH]), ODD_FILES))
def test_odd_values(ask: Ask, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """FR-29: both loaders have the same verdict on a file with odd values anywhere."""
    check_same_verdict(ask, tmp_path_factory.getbasetemp() / "odd.json", data)


JSON_PARTS: Final = [*'[]{}"\\,:1a ', r"\"", r"\\", '""', '"a":', "null", "1e9", "-0", r"\ud800"]


@given(
    place=st.sampled_from([b"258", b"[[97,98]", b'"merges"', b'"0":[0]', b"[97,98]}", b":1,"]),
    text=st.lists(st.sampled_from(JSON_PARTS), max_size=6).map("".join),
)
def test_odd_json(
    ask: Ask, tmp_path_factory: pytest.TempPathFactory, place: bytes, text: str
) -> None:
    """FR-29: both loaders have the same verdict on a file with odd JSON inserted."""
    data = canonical(GOOD).replace(place, place + text.encode(), 1)
    check_same_verdict(ask, tmp_path_factory.getbasetemp() / "odd.json", data)


def test_the_maximum_file_size(ask: Ask) -> None:
    """FR-29: a byte more than 64 MiB is rejected for its size; deep nesting is rejected."""
    (message, _) = ask("refused", encoded(canonical(GOOD) + b" " * (64 << 20)))
    assert "larger than 67108864 bytes" in message
    for data in (b"[" * 1_000_000, b'{"a":' * 1_000_000, b"[" + b"[]," * 1_000_000 + b"0]"):
        for message in ask("refused", encoded(data)):
            assert message.startswith("Error: expected JSON")


def test_the_example_on_the_reference_page(ask: Ask, tmp_path: Path) -> None:
    """Each line of the page's JavaScript gives the result in its comment."""
    page = (ROOT / "docs" / "reference" / "artifact.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```js\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    Tokenizer.train("ab ab ab", vocab_size=258).save(tmp_path / "small.json")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    lines = [line.partition("; // ") for line in block.splitlines()]
    program = "".join(
        f"console.log(JSON.stringify({code}));" if said else code for code, _, said in lines
    )
    assert ask("run", program, str(tmp_path)).splitlines() == [
        json.dumps(json.loads(said), separators=(",", ":")) for _, _, said in lines if said
    ]
