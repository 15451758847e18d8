"""What each schema version holds: patterns, special tokens, any ids, whole tokens."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import FOURTH, GOOD, SECOND, THIRD, canonical, loaded, saved
from bpetite import Tokenizer
from hostile import TRIPLES
from numbered import Made, ids_by_bytes, numbered
from texts import ASCII_TEXTS, CORPORA, RUNS, TEXTS, TIES

NAMES = ["<|b|>", "<|a|>"]


def check_copies(tokenizer: Tokenizer, data: bytes, text: str) -> None:
    """Check that what is loaded, unpickled or copied is equal; use does not change a pickle."""
    pickled = pickle.dumps(tokenizer)
    for twin in (
        loaded(data),
        loaded(json.dumps(json.loads(data), indent=1).encode("ascii")),
        copy.copy(tokenizer),
        copy.deepcopy(tokenizer),
        pickle.loads(pickled),  # noqa: S301 - our own bytes
    ):
        assert twin is not tokenizer
        assert (twin, hash(twin)) == (tokenizer, hash(tokenizer))
        assert twin.encode(text) == tokenizer.encode(text)
        assert pickle.dumps(twin) == pickled


@pytest.mark.parametrize(
    ("content", "options", "ids"),
    [
        pytest.param(GOOD, {}, [256, *b"<|a|><|b|>", 257], id="version 1"),
        pytest.param(
            SECOND,
            {"pattern": "gpt4", "special_tokens": NAMES},
            [256, 259, 258, 257],
            id="version 2",
        ),
    ],
)
def test_the_file_is_as_written_by_hand(
    content: dict[str, Any], options: dict[str, Any], ids: list[int]
) -> None:
    """Training writes the file of its version, which loads as an equal tokenizer."""
    trained = Tokenizer.train("ab ab ab", 258, **options)
    assert saved(trained) == canonical(content)
    assert trained.encode("ab<|a|><|b|> ab") == ids
    check_copies(trained, canonical(content), "ab<|a|><|b|> ab")


@given(
    CORPORA,
    st.sampled_from([*oracle.PATTERNS]),
    st.none() | st.lists(st.sampled_from([*NAMES, "[INST]", oracle.END_OF_TEXT]), unique=True),
    TEXTS | TIES | RUNS | ASCII_TEXTS,
)
def test_a_tokenizer_comes_back(
    documents: list[str], pattern: str, names: list[str] | None, text: str
) -> None:
    """FR-25, FR-26: saved, pickled or copied, it is equal, with the slow way's merges and ids."""
    special = [oracle.END_OF_TEXT] if names is None else names
    text += "".join(special) * 2 + text
    documents.append(text)
    tokenizer = Tokenizer.train(documents, 270, pattern=pattern, special_tokens=names)
    merges = oracle.train(documents, 270, pattern=oracle.PATTERNS[pattern])
    content = json.loads(data := saved(tokenizer))
    assert content["merges"] == [list(pair) for pair in merges]
    assert content["schema_version"] == (
        1 if pattern == "gpt2" and special == [oracle.END_OF_TEXT] else 2
    )
    check_copies(tokenizer, data, text)
    for ordinary, found in (False, special), (True, []):
        ids = tokenizer.encode(text, ordinary=ordinary)
        assert ids == oracle.encode(text, merges, oracle.PATTERNS[pattern], found)
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("name", ["gpt5", *oracle.ONLY_VERSION_3, "(a+)+$" * 999])
def test_a_pattern_has_a_name(name: str) -> None:
    """Patterns are a closed list, without those for imports; an expression is not a name."""
    known = ", ".join(oracle.PATTERNS)
    with pytest.raises(ValueError, match=f"^pattern must be one of {known}, got '") as caught:
        Tokenizer.train("ab", 256, pattern=name)
    assert f"'{name}'"[:40] in str(caught.value)
    assert len(str(caught.value)) < 150


def test_a_pattern_is_text() -> None:
    """Anything but a `str` is no name of a pattern."""
    with pytest.raises(TypeError, match=r"^pattern must be str, got int$"):
        Tokenizer.train("ab", 256, pattern=4)  # type: ignore[arg-type]


def test_a_file_with_ids_of_its_own() -> None:
    """Ids are those of the file; a whole token is one only if it is the whole chunk."""
    tokenizer = loaded(THIRD)
    assert tokenizer.encode("ab ab aba abab<s>") == [7, 3, 1, 3, 7, 0]
    assert tokenizer.encode("<b<s>", ordinary=True) == [1060, 1098, 1060, 1115, 1062]
    assert tokenizer.decode([7, 3, 1, 0, 5]) == "ab ab aba<s><b"
    assert saved(tokenizer) == canonical(THIRD)
    check_copies(tokenizer, canonical(THIRD), "ab ab aba abab<s>")
    vocab = {key: value for key, value in THIRD["vocab"].items() if key != "5"}
    assert tokenizer != loaded(THIRD | {"special_tokens": {"<s>": 0}, "vocab": vocab})


def test_a_file_with_special_tokens_of_whitespace() -> None:
    """The longest is found; where none is, the token with the same bytes may be a chunk's."""
    tokenizer = loaded(FOURTH)
    assert tokenizer.encode("ab  ab     <s> \n  b") == [7, 5, 7, 6, 5, 0, 1032, 1010, 5, 1098]
    assert tokenizer.encode("ab   ab", ordinary=True) == [7, 8, 3]
    assert tokenizer.encode("    ", ordinary=[(2, 2)]) == [5, 5]
    assert tokenizer.decode([7, 5, 8, 6, 1032]) == "ab" + " " * 8
    assert saved(tokenizer) == canonical(FOURTH)
    check_copies(tokenizer, canonical(FOURTH), "ab  ab     <s> \n  b")


@given(numbered(), st.lists(RUNS | TEXTS | st.sampled_from(["<s>", "<|user|><", "é"])).map("".join))
def test_ids_are_those_of_the_oracle(made: Made, text: str) -> None:
    """For any ids and whole tokens, text has the ids of the oracle's numbers, and comes back."""
    content, merges, whole, names = made
    tokenizer, pattern = loaded(content), content["pretokenizer_pattern"]
    assert saved(tokenizer) == canonical(content)
    known = [*oracle.vocabulary(merges).values()][:-1]
    special_ids = [*content["special_tokens"].values()]
    in_order = [*map(ids_by_bytes(content).__getitem__, [*known, *whole]), *special_ids]
    for special in ([], names):
        numbers = oracle.encode(text, merges, pattern, special, whole)
        ids = tokenizer.encode(text, ordinary=not special)
        assert ids == [in_order[number] for number in numbers]
        assert tokenizer.decode(ids) == text


def test_what_no_lower_version_can_hold_loads() -> None:
    """With ids in order, version 3 is for names that `train` refuses."""
    vocab = GOOD["vocab"] | {"258": list(b"user")}
    content = GOOD | TRIPLES | {"special_tokens": {"user": 258}, "vocab": vocab}
    assert loaded(content).encode(" abuser") == [257, 258]
    assert saved(loaded(content)) == canonical(content)
