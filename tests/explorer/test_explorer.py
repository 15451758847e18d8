"""The explorer's JavaScript gives bpetite's results, and rejects the files that it rejects."""

import base64
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import (
    GOOD,
    ODD_FILES,
    SECOND,
    SPELLINGS,
    THIRD,
    artifact_with,
    canonical,
    content_of,
    loaded,
    saved,
)
from bpetite import Tokenizer
from hostile import FAULTS, TRIPLES, with_faults
from numbered import numbered
from project_tools import ROOT
from texts import CORPORA, PIECES, RUNS, TEXTS, merge_lists

pytestmark = pytest.mark.thorough

SOME_NAMES: Final = ("<|b|>", "<|a|>", "[INST]", "<\u00e91>", "<\U0001f4441>", "<\ufb001>")
VECTORS: Final = sorted((ROOT / "tests" / "vectors").glob("*.json"))

Ask = Callable[..., Any]  # the answer is JSON


def encoded(data: bytes) -> str:
    """Return bytes as base64, for JSON."""
    return base64.b64encode(data).decode("ascii")


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_golden_vectors(ask: Ask, path: Path) -> None:
    """FR-12: the chunks, merges, files, ids, texts and errors are those of the golden vectors."""
    golden = json.loads(path.read_bytes())
    if path.stem == "chunks":
        for vector in golden["vectors"]:
            assert ask("split", vector["text"]) == vector["chunks"]
        return
    trained = ask("train", golden["documents"], golden["vocab_size"])
    assert trained["merges"] == golden["merges"]
    assert len(trained["file"]) == golden["artifact_bytes"]
    texts = [vector["text"] for vector in golden["vectors"]]
    ids = [vector["ids"] for vector in golden["vectors"]]
    wrong = [*golden["unknown_ids"], *golden["ids_of_no_text"]]
    read = ask("load", encoded(trained["file"].encode()), texts, [*ids, *wrong])
    assert (read["file"], read["ids"]) == (trained["file"], ids)
    assert read["decoded"][: len(ids)] == texts
    assert all("error" in one for one in read["decoded"][len(ids) :])


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


@given(merges=merge_lists(), text=st.one_of(st.text("abc ", max_size=60), st.sampled_from(PIECES)))
def test_hand_made_files(ask: Ask, merges: list[tuple[int, int]], text: str) -> None:
    """FR-26: repeated pairs and duplicate tokens load, and encode as specified."""
    data = canonical(artifact_with(merges))
    read = ask("load", encoded(data), [text], [])
    assert read["file"].encode() == data
    assert read["ids"] == [oracle.encode(text, merges)]


@pytest.mark.parametrize("names", [0, 740, 4096])
def test_the_size_of_the_file_is_known_in_advance(ask: Ask, names: int) -> None:
    """Training knows the size of the file also where ids of special tokens get longer."""
    texts = [f"<|{number}|>" for number in range(names)]
    answer = ask("train", ["abcdefghij" * 30], 300, {"specialTokens": texts})
    assert answer["expected_size"] == len(answer["file"])


@pytest.mark.parametrize("size", [255, 0, -1, 256.5, None, True, "300"])
def test_sizes_are_checked(ask: Ask, size: object) -> None:
    """FR-11: the vocabulary size must be an integer of at least 256."""
    assert "vocab_size must be" in ask("train", ["ab"], size)["error"]


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ud83d \udc4d"])
def test_lone_surrogate_is_rejected(ask: Ask, text: str) -> None:
    """FR-16: a lone surrogate cannot be encoded or trained on."""
    read = ask("load", encoded(canonical(GOOD)), [text], [])
    assert "lone surrogate at index" in read["ids"][0]["error"]
    assert "lone surrogate at index" in ask("train", [text], 300)["error"]


@pytest.mark.parametrize("ids", [[259], [-1], [97.5], ["97"], [None], [True], [128], [97, 195]])
def test_bad_ids_are_rejected(ask: Ask, ids: list[object]) -> None:
    """FR-20: unknown ids, non-integers, and half a character are not decoded."""
    (decoded,) = ask("load", encoded(canonical(GOOD)), [], [ids])["decoded"]
    assert "error" in decoded


def test_an_unknown_pattern_is_refused(ask: Ask) -> None:
    """A pattern has one of the names in the list."""
    for name in ("gpt5", "toString", "", None, "tekken"):
        refused = ask("train", ["ab"], 256, {"pattern": name})["error"]
        assert refused.startswith(
            f"RangeError: pattern must be one of {', '.join(oracle.PATTERNS)}, got "
        )


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
    assert len(files) > 300
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


@pytest.mark.parametrize(
    ("pattern", "names", "note"),
    [
        pytest.param(
            "gpt2",
            None,
            "Its pattern is gpt2. Its special tokens: <|endoftext|>.",
            id="version 1",
        ),
        pytest.param(
            "qwen2",
            [f"<{number}>" for number in range(5)],
            "Its pattern is qwen2. Its special tokens: <0>, <1>, <2> and 2 more.",
            id="version 2",
        ),
        pytest.param(
            "gpt4o", [], "Its pattern is gpt4o. Its special tokens: none.", id="no special tokens"
        ),
    ],
)
def test_an_opened_file_is_described(
    ask: Ask, pattern: str, names: list[str] | None, note: str
) -> None:
    """The page names the pattern and the first special tokens of a file."""
    tokenizer = Tokenizer.train("abab", 258, pattern=pattern, special_tokens=names)
    assert ask("open", encoded(saved(tokenizer))) == [note]


NOT_OURS: Final = "Error: it is not a tokenizer file of bpetite. Convert another library's"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"version": "1.0", "model": {"dropout": 0.1}}', id="tokenizer.json"),
        pytest.param(b'{"!": 0, "a": 1}', id="vocab.json"),
        pytest.param(b'{"config": {"pattern": "."}, "vocab": [{"rank": 0}]}', id="tekken.json"),
        pytest.param(b"IQ== 0\nIg== 1\n", id="ranks"),
        pytest.param(b"#version: 0.2\na a\n", id="merges.txt"),
        pytest.param(b"\n\x0e\n\x05<unk>\x15\xff", id="SentencePiece"),
        pytest.param(b"", id="empty"),
    ],
)
def test_files_of_other_libraries_are_refused(ask: Ask, data: bytes) -> None:
    """The page names the command that converts them."""
    message = ask("open", encoded(data))["error"]
    assert message.startswith(NOT_OURS)
    assert "`bpetite import`" in message


def test_damaged_files_have_their_own_message(ask: Ask) -> None:
    """A tokenizer file of bpetite is refused with the reason, not as a file of another library."""
    message = ask("open", encoded(canonical(GOOD | {"merges": 1})))["error"]
    assert message == "Error: merges: expected a list, found 1"


def test_a_large_file_opens_soon(ask: Ask, tmp_path: Path) -> None:
    """Two files as large as Llama 3's open in two seconds each, and block for less than one."""
    merges = [(left, right) for left in range(256) for right in range(256)]
    merges += [(256 + rank, 65_535 - rank) for rank in range(128_000 - 256 - len(merges))]
    tokens = [*oracle.vocabulary(merges).values()][:-1]
    ids = range(len(tokens))[::-1]
    content = THIRD | {
        "mergeable_vocab_size": len(tokens),
        "merges": [[ids[a], ids[b], ids[256 + rank]] for rank, (a, b) in enumerate(merges)],
        "special_tokens": {},
        "vocab": {str(one): list(token) for one, token in zip(ids, tokens, strict=True)},
    }
    data = canonical(content)
    (tmp_path / "large.json").write_bytes(data)
    Tokenizer.load(tmp_path / "large.json")
    for _ in range(2):
        took, longest = ask("open_large", encoded(data))
        assert (took < 2_000, longest < 1_000) == (True, True), (took, longest)


def test_names_that_training_refuses_load(ask: Ask, tmp_path: Path) -> None:
    """With ids in order, a special token that `train` refuses needs schema version 3."""
    other = {"special_tokens": {"user": 258}, "vocab": GOOD["vocab"] | {"258": list(b"user")}}
    assert check_same_verdict(ask, tmp_path / "third.json", canonical(GOOD | TRIPLES | other))


def damaged(data: bytes) -> Iterator[bytes]:
    """Yield a valid file truncated, with a byte lost, doubled, inserted, swapped, or a bit flipped.

    Every position among keys and merges is damaged, and some in the vocabulary.
    """
    vocabulary = data.index(b'"vocab":{') + 30
    for place in [*range(vocabulary), *range(vocabulary, len(data), 17)]:
        before, after = data[:place], data[place + 1 :]
        yield before
        yield before + after
        yield before + data[place : place + 1] + data[place:]
        yield before + b"0" + data[place:]
        yield before + data[place : place + 2][::-1] + data[place + 2 :]
        yield from (before + bytes([data[place] ^ 1 << bit]) + after for bit in range(8))


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


@pytest.mark.parametrize("content", [GOOD, SECOND, THIRD], ids=["1", "2", "3"])
def test_damaged_files(ask: Ask, tmp_path: Path, content: dict[str, Any]) -> None:
    """FR-29: both loaders have the same verdict on a file with any byte damaged."""
    files = damaged(canonical(content))
    verdicts = [check_same_verdict(ask, tmp_path / "damaged.json", data) for data in files]
    assert len(verdicts) > 5_000
    # Two equal bytes may be swapped; in version 3, a whole token may have other bytes.
    assert 0 < sum(verdicts) < (400 if content is THIRD else 100)


def in_version(parts: dict[str, Any], data: bytes) -> bytes:
    """Return a file with these parts where it has those of version 1."""
    content = json.loads(data)
    same = {key: parts[key] for key in {*GOOD} & {*content} if content[key] == GOOD[key]}
    return canonical(content | same)


@given(st.builds(in_version, st.sampled_from([GOOD, SECOND, THIRD]), ODD_FILES))
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
