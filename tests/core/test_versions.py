"""Schema versions 2 and 3: patterns, special tokens, any ids, and what `load` rejects there."""

import copy
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from artifacts import GOOD, SECOND, THIRD, canonical
from bpetite import Tokenizer
from bpetite._patterns import PATTERNS
from bpetite._persistence import load
from bpetite._quoting import shortened
from numbered import Made, numbered, start_of, tokenizer_of
from rejected import check_rejected, faults_of
from texts import ASCII_TEXTS, CORPORA, RUNS, TEXTS, TIES

NAMES = ["<|b|>", "<|a|>"]
MERGEABLE = {key: value for key, value in GOOD["vocab"].items() if key != "258"}


def special(names: object) -> dict[str, Any]:
    return {"special_tokens": names}


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


NAMED = st.sampled_from([*NAMES, "[INST]", oracle.END_OF_TEXT])
SOME_NAMES = st.none() | st.lists(NAMED, unique=True)


@given(CORPORA, st.sampled_from([*PATTERNS]), SOME_NAMES, TEXTS | TIES | RUNS | ASCII_TEXTS)
def test_a_tokenizer_comes_back(
    any_path: Path, documents: list[str], pattern: str, names: list[str] | None, text: str
) -> None:
    """FR-25, FR-26: saved, pickled or copied, it is equal, with the slow way's merges and ids."""
    special = [oracle.END_OF_TEXT] if names is None else names
    text += "".join(names or []) * 2 + text
    documents.append(text)
    tokenizer = Tokenizer.train(documents, 270, pattern=pattern, special_tokens=names)
    merges, text_of_pattern = tokenizer._artifact.merges, PATTERNS[pattern].text
    assert [*merges] == oracle.train(documents, 270, pattern=text_of_pattern)
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


NO_OBJECTS: list[object] = [[], None, "<|a|>", 258]
ERRORS_OF_2: dict[tuple[int, str], list[dict[str, Any]]] = {
    (10, "pretokenizer_pattern: expected the pattern "): [
        *({"pretokenizer_pattern": text} for text in ("", "(a+)+$", "(" * 99_999)),
        {"pretokenizer_pattern": oracle.PATTERNS["gpt4"] + " "},
        *({"pretokenizer_pattern": text} for text in oracle.ONLY_VERSION_3.values()),
    ],
    (18, "special_tokens: expected an object, found "): [
        special(no_object) for no_object in NO_OBJECTS
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
        (20, f"special token {shortened(wrong[-1])}: "): [with_names(wrong)]
        for wrong in ([""], ["<a >"], ["<s>" * 99], ["<a\ud800>"], ["hello"], ["<a>", "<a>b>"])
    },
    (21, "vocab['258']: expected the bytes of '<|a|>'"): [special({"<|a|>": 258})],
    (21, "vocab['259']: expected the bytes of "): [{"vocab": with_names(["<|b|>"])["vocab"]}],
    (22, "vocab: expected only the ids 0 to 25"): [{"vocab": SECOND["vocab"] | {"260": [97, 98]}}],
    (23, "schema_version: expected 1, the lowest version that can "): [
        GOOD | {"schema_version": 2}
    ],
}
"""The beginnings of the errors, after their steps, and files that have them."""


FAULTS_OF_2 = faults_of(ERRORS_OF_2)


def test_the_earlier_of_two_faults_of_version_2_is_named(tmp_path: Path) -> None:
    """With two faults, the error is that of the earlier step."""
    vocab = {"vocab": {**SECOND["vocab"], "258": [97], "260": [97]}}
    for value, message in (
        ({"pretokenizer_pattern": "x"}, "pretokenizer_pattern: expected the pattern "),
        (special([]), "special_tokens: expected an object, found "),
        (
            special({"<|a|>": 7, "hello": 258}),
            f"special_tokens['<|a|>']: expected {ID}, found ",
        ),
        (
            special({"<|a|>": 259, "hello": 258}),
            "special token 'hello': ",
        ),
        ({}, "vocab['258']: expected the bytes of '<|b|>'"),
    ):
        check_rejected(tmp_path, SECOND | value | vocab, message)
    extra = GOOD | {"schema_version": 2, "vocab": {**GOOD["vocab"], "259": [97]}}
    check_rejected(tmp_path, extra, "vocab: expected only the ids 0 to 258, found '259'")


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    """Ids are those of the file; a whole token is one only if it is the whole chunk."""
    tokenizer = tokenizer_of(THIRD, tmp_path)
    assert tokenizer.encode("ab ab aba abab<s>") == [7, 3, 1, 3, 7, 0]
    assert tokenizer.encode("<b<s>", ordinary=True) == [1060, 1098, 1060, 1115, 1062]
    assert tokenizer.decode([7, 3, 1, 0, 5]) == "ab ab aba<s><b"
    tokenizer.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == canonical(THIRD)
    (tmp_path / "other.json").write_text(json.dumps(THIRD, indent=1), encoding="ascii")
    assert Tokenizer.load(tmp_path / "other.json") == tokenizer
    pickled = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301 - our own
    for twin in (pickled, copy.deepcopy(tokenizer)):
        assert (twin, hash(twin)) == (tokenizer, hash(tokenizer))
        assert twin.encode(" aba") == [1]
    assert tokenizer != tokenizer_of(THIRD | {"special_tokens": {"<s>": 0}} | VOCAB, tmp_path)


VOCAB: Final = {
    "mergeable_vocab_size": 259,
    "vocab": {key: value for key, value in THIRD["vocab"].items() if key != "5"},
}


def test_unknown_ids_are_errors(tmp_path: Path) -> None:
    """An id in a gap is unknown, and a boolean is not an id, although 0 and 1 are."""
    tokenizer = tokenizer_of(THIRD, tmp_path)
    for wrong in (2, 4, 6, 999, 1256, 2**21, -1, 10**40):
        with pytest.raises(KeyError, match="at position 2; the ids are 0 to 1255, with gaps"):
            tokenizer.decode([7, 1, wrong])
    for other in (True, False, 1.0, "7"):
        with pytest.raises(TypeError, match="at position 2"):
            tokenizer.decode([7, 1, other])  # type: ignore[list-item]
    vocab = {str(byte + 1): [byte] for byte in range(256)}  # no gap before the first id
    more = {"mergeable_vocab_size": 256, "merges": [], "special_tokens": {}, "vocab": vocab}
    with pytest.raises(KeyError, match="the ids are 1 to 256'"):
        tokenizer_of(THIRD | more, tmp_path).decode([0])


@given(numbered(), st.lists(RUNS | TEXTS | st.sampled_from(["<s>", "<|user|><", "é"])).map("".join))
def test_ids_are_those_of_the_oracle(made: Made, text: str) -> None:
    """For any ids and whole tokens, text has the ids of the oracle's numbers, and comes back."""
    content, merges, whole, names = made
    tokenizer = start_of(made)
    pattern, artifact = content["pretokenizer_pattern"], tokenizer._artifact
    assert canonical(content) == artifact.to_bytes()
    assert artifact.merges == merges
    for special in ((), names):
        numbers = oracle.encode(text, merges, pattern, special, whole)
        ids = [artifact.ids[number] for number in numbers]
        assert tokenizer.encode(text, ordinary=not special) == ids
        assert tokenizer.decode(ids) == text
    for token_id, token in artifact.vocab.items():
        assert content["vocab"][str(token_id)] == list(token)
    assert artifact.special_tokens == content["special_tokens"]


def without(place: str, key: str) -> dict[str, Any]:
    return {place: {name: value for name, value in THIRD[place].items() if name != key}}


def entry(key: str, token: list[int]) -> dict[str, Any]:
    return {"vocab": THIRD["vocab"] | {key: token}}


NO_VERSION: Final = GOOD | {"pretokenizer_pattern": oracle.PATTERNS["gpt4"]}
TRIPLES: Final = {"merges": [[97, 98, 256], [32, 256, 257]], "schema_version": 3}
IDS: Final = "merges[0]: expected ids of bytes or earlier merges, found ["
SIZE: Final = "mergeable_vocab_size"
OWN: Final = "merges[0]: expected an id of its own for the joined bytes"
TRIPLE: Final = "merges[0]: expected a list of three non-negative integers, found "
NO_LISTS: Final[list[Any]] = [None, {}, "[]", 1]
AB: Final = [1097, 1098]
NO_TRIPLES: Final[list[Any]] = [AB, [*AB, 7, 7], [1097, -1, 7], [1097, True, 7], None, "abc"]
ERRORS: Final[dict[tuple[int, str], list[dict[str, Any]]]] = {
    (9, "pretokenizer_pattern: expected a string"): [{"pretokenizer_pattern": 1}],
    (10, "pretokenizer_pattern: expected the pattern gpt2 or "): [
        {"pretokenizer_pattern": "(a+)+$"}
    ],
    (11, "merges: expected a list, found "): [{"merges": no_list} for no_list in NO_LISTS],
    (11, TRIPLE): [{"merges": [wrong]} for wrong in NO_TRIPLES],
    (2, "expected integers as the only numbers"): [{"merges": [[1097, 1.0, 7]]}],
    (14, "vocab: expected an object"): [{"vocab": []}],
    (14, "vocab: expected ids in decimal as keys"): [entry("07", [97])],
    (14, "vocab: expected ids below 2097152, found '2097152'"): [entry(str(2**21), [97, 99])],
    (14, "vocab: expected ids below 2097152, found '999"): [entry("9" * 5000, [97, 99])],
    (14, "vocab['8']: expected a list of integers in 0..255"): [entry("8", [256])],
    (18, "special_tokens: expected an object"): [{"special_tokens": []}],
    (18, "special_tokens: expected at most 4096"): [special({f"<{n}>": n for n in range(5000)})],
    (19, "special_tokens['<b']: expected an id of its"): [
        special({"<s>": 0, "<b": wrong}) for wrong in (2, -1, "5", None, True, 10**30, [5])
    ],
    (19, "special_tokens['<s>']: expected an id of its own"): [special({"<b": 5, "<s>": 5})],
    (20, "special token "): [
        special({"<s>": 0, wrong: 5}) for wrong in ("", "a b", "<s>a", "x" * 257, "\ud800")
    ],
    (21, "vocab['5']: expected the bytes of '<c', found "): [special({"<s>": 0, "<c": 5})],
    (15, "vocab['9']: expected at least one byte"): [entry("9", [])],
    (15, "vocab['9']: expected other bytes than id 7, found [97, 98]"): [entry("9", [97, 98])],
    (15, "vocab['9']: expected other bytes than id 5, found [60, 98]"): [entry("9", [60, 98])],
    (16, "vocab: expected an id with the byte [97], found 'none'"): [
        *(without("vocab", "1097"), special({"<s>": 0, "<b": 5, "a": 1097}))
    ],
    (13, f"{SIZE}: expected 259 (ids that are not special), found 258"): [{SIZE: 258}],
    (13, f"{SIZE}: expected an integer, found True"): [{SIZE: True}],
    (17, IDS): [
        *({"merges": [[1032, 7, 3], [1097, 1098, 7]]}, {"merges": [[1097, 9999, 7]]}),
        {"merges": [[1, 1, 7]]},
    ],
    (17, OWN): [{"merges": [merge]} for merge in ([*AB, 3], [1060, 1098, 5], [*AB, 99])],
    (17, OWN.replace("0", "1")): [{"merges": [[1097, 1098, 7]] * 2}],
    (23, "schema_version: expected 1, the lowest version that can hold "): [GOOD | TRIPLES],
    (23, "schema_version: expected 2, the lowest version that can hold "): [NO_VERSION | TRIPLES],
}
"""The beginnings of the errors, in the order of the checks, and changes of the valid file."""


FAULTS = faults_of(ERRORS)


@pytest.mark.parametrize("valid", [SECOND, THIRD], ids=["2", "3"])
def test_each_fault_is_refused(tmp_path: Path, valid: dict[str, Any]) -> None:
    """FR-29: a fault gives one short line with the place, the rule and the value."""
    for _, fault, message in FAULTS if valid is THIRD else FAULTS_OF_2:
        check_rejected(tmp_path, valid | fault, message)


def test_the_earlier_of_two_faults_is_named(tmp_path: Path) -> None:
    """The order of the checks is fixed."""
    order = [FAULTS[0], FAULTS[6], FAULTS[13], FAULTS[18], FAULTS[-11], FAULTS[-9]]
    assert [step for step, *_ in order] == [9, 11, 14, 18, 13, 17]
    for number, (_, fault, message) in enumerate(order):
        content = dict(THIRD)
        for _, later, _ in reversed(order[number:]):
            content |= later
        check_rejected(tmp_path, content | fault, message)


def test_there_is_one_version_for_each_tokenizer(tmp_path: Path) -> None:
    """A file that a lower version can hold is refused, and so is the number of another version."""
    for content, message in (
        *((body | {"schema_version": 3}, TRIPLE) for body in (GOOD, SECOND)),
        *(
            (body | {"schema_version": 1}, "pretokenizer_pattern: expected the pattern gpt2 as ")
            for body in (THIRD, SECOND, with_names(["<|endoftext|>"]))
        ),
        *(
            (
                with_names(names, "gpt2") | {"schema_version": 1},
                "special_tokens: expected ",
            )
            for names in ([], ["<|b|>", "<|a|>"])
        ),
        (THIRD | {"schema_version": 2}, "merges[0]: expected a list of two non-negative "),
    ):
        check_rejected(tmp_path, content, message)


def test_what_no_lower_version_can_hold_loads(tmp_path: Path) -> None:
    """With ids in order, version 3 is for whole tokens, and for names that `train` refuses."""
    other = {"special_tokens": {"user": 258}, "vocab": GOOD["vocab"] | {"258": list(b"user")}}
    whole = {"special_tokens": {}, "vocab": GOOD["vocab"] | {"258": list(b"abc")}}
    for change, text, ids in (
        (other, " abuser", [257, 258]),
        (whole | {"mergeable_vocab_size": 259}, "abc abc", [258, 257, 99]),
    ):
        tokenizer = tokenizer_of(GOOD | TRIPLES | change, tmp_path)
        assert tokenizer.encode(text) == ids
        assert tokenizer._artifact.to_bytes() == canonical(GOOD | TRIPLES | change)


def test_the_shapes_of_the_specification_are_for_version_1(tmp_path: Path) -> None:
    """`_persistence.load` would lose the pattern of version 2, and the ids of version 3."""
    second = NO_VERSION | {"schema_version": 2}
    for content, version in (second, 2), (THIRD, 3):
        tokenizer_of(content, tmp_path)
        message = rf"^schema_version: expected 1; Tokenizer\.load reads the others, found {version}"
        with pytest.raises(ValueError, match=message):
            load(tmp_path / "t.json")


def test_the_other_versions_need_nothing_of_it(
    run_python: Callable[..., str], tmp_path: Path
) -> None:
    """Versions 1 and 2 never import the modules for numbering and extending."""
    program = """
        import sys
        from bpetite import Tokenizer
        for more in ({}, {"pattern": "gpt4", "special_tokens": ["<s>"]}):
            Tokenizer.train("ab ab", 258, **more).save("t.json", overwrite=True)
            loaded = Tokenizer.load("t.json")
            assert loaded.decode(loaded.encode("ab abc<s>")) == "ab abc<s>"
            Tokenizer.train("ab ab abc", 259, start=loaded)
        print(*{"bpetite._schema.numbering", "bpetite._extending"} & {*sys.modules})
    """
    assert run_python(program, folder=tmp_path) == "\n"


LONG_NAME = "\U000e0001" * 252
HOSTILE: list[object] = [
    *(LONG_NAME, f"{LONG_NAME}a>", "\x1b" * 999, "x" * 999, "'\"" * 999, "\ud800" * 99),
    *([[LONG_NAME] * 9] * 9, {LONG_NAME: {LONG_NAME: LONG_NAME}}, [10**400] * 9, -(10**400)),
    *(
        [],
        {},
        None,
        [255] * 999,
        {f"{LONG_NAME}a>": 258},
        {f"{LONG_NAME}{n}>": n for n in range(9)},
    ),
]
NAMES_OF_252 = [f"{LONG_NAME}a>", f"{LONG_NAME}b", f"{LONG_NAME}a>{LONG_NAME}"[:256], "a" * 250]


@pytest.mark.parametrize("file", [GOOD, SECOND, THIRD], ids=["version 1", "version 2", "version 3"])
def test_a_message_about_a_hostile_file_is_short(tmp_path: Path, file: dict[str, Any]) -> None:
    """Whatever is wrong, and however long, the message is one line of at most 200 characters."""
    path, messages = tmp_path / "t.json", set[str]()
    special_tokens, vocab = file["special_tokens"], file["vocab"]
    changes: list[dict[str, Any]] = [{key: value} for key in GOOD for value in HOSTILE]
    for value in HOSTILE:
        changes += [{"vocab": {**vocab, key: value}} for key in ("1000", "256", "3", LONG_NAME)]
        changes += [{"merges": [value, *file["merges"]]}, {str(value): value}]
        changes += [{"special_tokens": {name: value}} for name in (*special_tokens, LONG_NAME)]
    for name in NAMES_OF_252:
        names = dict(zip([name, "<s>x>"], special_tokens.values(), strict=False))
        changes += [{"special_tokens": names}, {"special_tokens": {**special_tokens, name: 259}}]
        tokens = {str(one): list(name.encode()) for name, one in names.items()}
        changes += [{"special_tokens": names, "vocab": vocab | tokens | {"259": [1]}}]
        both = {name: 258, f"{name}>"[:256]: 259}
        changes += [{"special_tokens": both, "vocab": vocab | {"258": [1], "259": [1]}}]
    for change in changes:
        path.write_bytes(canonical(file | change))
        try:
            load_any(path)
        except (KeyError, ValueError) as error:
            messages.add(str(error.args[0]).split(": ", 1)[1])
    assert len(messages) > 60
    assert [message for message in messages if len(message) > 200 or "\n" in message] == []


def load_any(path: Path) -> None:
    """Load a file, and continue it with its ids."""
    start = Tokenizer.load(path)
    start = Tokenizer.train("ab", 300, start=start, keep_ids=True)


def test_a_name_that_works_is_found_in_one_search() -> None:
    """However many names are taken, suggesting another takes few comparisons for each name."""
    names = [f"<|special{number}|>" for number in range(4094, 0, -1)]
    calls = 0

    def count_calls(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "c_call"

    sys.setprofile(count_calls)
    try:
        with pytest.raises(ValueError, match=r"; '<\|special4095\|>' would work$"):
            Tokenizer.train("ab", 256, special_tokens=[*names, "<|special|>", " "])
    finally:
        sys.setprofile(None)
    assert calls < 40 * len(names)
