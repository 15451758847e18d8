"""Schema version 2: another pattern or other special tokens, and what `load` rejects there."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import GOOD, canonical
from bpetite import Tokenizer
from bpetite._patterns import PATTERNS
from rejected import check_rejected, faults_of
from texts import CORPORA, TEXTS

NAMES = ["<|b|>", "<|a|>"]
MERGEABLE = {key: value for key, value in GOOD["vocab"].items() if key != "258"}
SECOND: dict[str, Any] = GOOD | {
    "pretokenizer_pattern": oracle.PATTERNS["gpt4"],
    "schema_version": 2,
    "special_tokens": {"<|a|>": 259, "<|b|>": 258},
    "vocab": MERGEABLE | {"258": list(b"<|b|>"), "259": list(b"<|a|>")},
}
"""The valid file with GPT-4's pattern and two special tokens, written out by hand."""


def with_names(names: list[str], pattern: str = "gpt4") -> dict[str, Any]:
    """Return the content of a file with these special tokens."""
    ids = {name: 258 + place for place, name in enumerate(names)}
    tokens = {str(i): [*name.encode("utf-8", "surrogatepass")] for name, i in ids.items()}
    changes = {"special_tokens": ids, "vocab": MERGEABLE | tokens}
    return SECOND | {"pretokenizer_pattern": PATTERNS[pattern].text} | changes


def test_the_file_is_as_written_by_hand(tmp_path: Path) -> None:
    """Training writes the file of its version; formatted, it loads as an equal tokenizer."""
    path = tmp_path / "tokenizer.json"
    for content, pattern, names in (GOOD, None, None), (SECOND, "gpt4", NAMES):
        trained = Tokenizer.train("ab ab ab", 258, pattern=pattern, special_tokens=names)
        trained.save(path, overwrite=True)
        assert path.read_bytes() == canonical(content)
        path.write_text(json.dumps(content, indent=1), encoding="ascii")
        loaded = Tokenizer.load(path)
        assert (loaded, hash(loaded)) == (trained, hash(trained))
        assert loaded._artifact.to_bytes() == canonical(content)
    assert loaded.encode("ab<|a|><|b|> ab") == [256, 259, 258, 257]


SOME_NAMES = st.lists(st.sampled_from([*NAMES, "[INST]", oracle.END_OF_TEXT]), unique=True)


@given(CORPORA, st.sampled_from([*PATTERNS]), st.none() | SOME_NAMES, TEXTS)
def test_a_tokenizer_comes_back(
    any_path: Path, corpus: list[str], pattern: str, names: list[str] | None, text: str
) -> None:
    """Saved, pickled or copied, it is equal, and merges and ids are those of the slow way."""
    special = [oracle.END_OF_TEXT] if names is None else names
    text += "".join(names or []) * 2 + text
    tokenizer = Tokenizer.train(corpus, 270, pattern=pattern, special_tokens=names)
    merges, text_of_pattern = tokenizer._artifact.merges, PATTERNS[pattern].text
    assert [*merges] == oracle.train(corpus, 270, pattern=text_of_pattern)
    tokenizer.save(any_path, overwrite=True)
    version = json.loads(any_path.read_bytes())["schema_version"]
    assert version == (1 if pattern == "gpt2" and special == [oracle.END_OF_TEXT] else 2)
    ids = oracle.encode(text, merges, text_of_pattern, special)
    pickled = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301 - our own bytes
    for each in (tokenizer, Tokenizer.load(any_path), copy.deepcopy(tokenizer), pickled):
        assert each == tokenizer
        assert each.encode(text) == ids
    ordinary = oracle.encode(text, merges, text_of_pattern, ())
    assert tokenizer.encode(text, ordinary=True) == ordinary
    assert tokenizer.decode(ids) == tokenizer.decode(ordinary) == text


def test_a_pattern_has_a_name() -> None:
    """Patterns are a closed list, without those for imports; an expression is not a name."""
    known = ", ".join(oracle.PATTERNS)
    for name in ("gpt5", *oracle.ONLY_VERSION_3, "(a+)+$" * 999):
        with pytest.raises(ValueError, match=f"^pattern must be one of {known}, got '") as caught:
            Tokenizer.train("ab", 256, pattern=name)
        assert f"'{name}'"[:40] in str(caught.value)
        assert len(str(caught.value)) < 150
    with pytest.raises(TypeError, match=r"^pattern must be str, got int$"):
        Tokenizer.train("ab", 256, pattern=4)  # type: ignore[arg-type]


ID = "an id of its own from 258 to 259"


def special(names: dict[str, Any]) -> dict[str, Any]:
    return SECOND | {"special_tokens": names}


NO_OBJECTS: list[object] = [[], None, "<|a|>", 258]
ERRORS: dict[tuple[int, str], list[dict[str, Any]]] = {
    (10, "pretokenizer_pattern: expected the pattern "): [
        *(SECOND | {"pretokenizer_pattern": text} for text in ("", "(a+)+$", "(" * 99_999)),
        SECOND | {"pretokenizer_pattern": oracle.PATTERNS["gpt4"] + " "},
        *(SECOND | {"pretokenizer_pattern": text} for text in oracle.ONLY_VERSION_3.values()),
    ],
    (18, "special_tokens: expected an object, found "): [
        SECOND | {"special_tokens": no_object} for no_object in NO_OBJECTS
    ],
    (18, "special_tokens: expected at most 4096 special tokens, found 4097"): [
        with_names([f"<{n}>" for n in range(4097)])
    ],
    (19, f"special_tokens['<|a|>']: expected {ID}, found "): [
        special({"<|a|>": wrong, "<|b|>": 258})
        for wrong in (257, 260, -1, True, "259", None, [259], 10**30)
    ],
    (19, f"special_tokens['<|b|>']: expected {ID}, found 258"): [
        special({"<|a|>": 258, "<|b|>": 258})
    ],
    **{
        (20, f"special_tokens: special token {wrong[-1][:40]!r}: "): [with_names(wrong)]
        for wrong in ([""], ["<a >"], ["<s>" * 99], ["<a\ud800>"], ["hello"], ["<a>", "<a>b>"])
    },
    (21, "vocab['258']: expected the bytes of '<|a|>'"): [special({"<|a|>": 258})],
    (21, "vocab['259']: expected the bytes of "): [
        SECOND | {"vocab": with_names(["<|b|>"])["vocab"]}
    ],
    (22, "vocab: expected only the ids 0 to 25"): [
        SECOND | {"vocab": SECOND["vocab"] | {"260": [97, 98]}}
    ],
    (23, "schema_version: expected 1, the lowest version that can "): [
        GOOD | {"schema_version": 2}
    ],
}
"""The beginnings of the errors, after their steps, and files that have them."""


FAULTS = faults_of(ERRORS)


def test_the_earlier_of_two_faults_is_named(tmp_path: Path) -> None:
    """With two faults, the error is that of the earlier step."""
    vocab = {"vocab": {**SECOND["vocab"], "258": [97], "260": [97]}}
    for value, message in (
        ({"pretokenizer_pattern": "x"}, "pretokenizer_pattern: expected the pattern "),
        ({"special_tokens": []}, "special_tokens: expected an object, found "),
        (special({"<|a|>": 7, "hello": 258}), f"special_tokens['<|a|>']: expected {ID}, found "),
        (special({"<|a|>": 259, "hello": 258}), "special_tokens: special token 'hello': "),
        ({}, "vocab['258']: expected the bytes of '<|b|>'"),
    ):
        check_rejected(tmp_path, SECOND | value | vocab, message)
    extra = GOOD | {"schema_version": 2, "vocab": {**GOOD["vocab"], "259": [97]}}
    check_rejected(tmp_path, extra, "vocab: expected only the ids 0 to 258, found '259'")
