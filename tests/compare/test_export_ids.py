"""Exports in tiktoken and tokenizers: each has the ids of the tokenizer, and comes back."""

import hashlib
import json
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite_compare import compare, export, import_tokenizer, parity, to_tiktoken
from bpetite_compare.reference import Pair, train
from compare_tools import (
    CORPUS,
    FOR_TRAINING,
    HOSTILE,
    SPLIT_PATTERNS,
    content_of,
    fewer,
    vocab_of,
    write_tokenizer,
)
from exports import EVERY_FORM, load_back
from nasty import NINE, alike, drift, nasty_texts, trained
from texts import CORPORA, TEXTS, merge_lists

OWN = "ids of its own"
KINDS = {"nine special tokens": NINE, "none": ()}
THOROUGH = pytest.mark.thorough
CELLS = [
    pytest.param("tiktoken", OWN, "gpt4"),
    pytest.param("tiktoken", "nine special tokens", "gpt4"),
    pytest.param("tiktoken", "none", "gpt4"),
    pytest.param("gpt2", OWN, "gpt2", marks=THOROUGH),
    pytest.param("gpt2", "nine special tokens", "gpt2", marks=THOROUGH),
    pytest.param("gpt2", "none", "gpt2", marks=THOROUGH),
]
CELLS += [
    pytest.param(to, kind, name, marks=THOROUGH)
    for to, kind in product(["tiktoken", "huggingface"], [OWN, *KINDS])
    for name in (SPLIT_PATTERNS if kind == OWN else FOR_TRAINING)
    if (to, name) != ("tiktoken", "gpt4")
]


def saved(kind: str, name: str, to: str, path: Path) -> Tokenizer:
    """Write the file of a trained tokenizer of a kind.

    Of its own are other ids, with gaps, and tokens for whole chunks. The special tokens have the
    lowest id, the highest one, and some between. The other ids are in any order, or for tiktoken in
    that of the merges but for a few that are too low.
    """
    trained_with = name if name in FOR_TRAINING else "gpt4o"
    tokenizer = trained(trained_with, *KINDS.get(kind, NINE))
    if kind != OWN:
        tokenizer.save(path)
        return tokenizer
    merges: list[Pair] = [(left, right) for left, right in content_of(tokenizer)["merges"]]
    alone = Tokenizer.load(write_tokenizer(path, merges, special={}, pattern=name))
    texts = "".join(alike(trained_with, 5200))
    chunks = sorted({*regex.findall(SPLIT_PATTERNS[name], texts)})
    odd = [] if to == "gpt2" else [one for one in chunks if len(alone.encode(one)) > 2][::3]
    source, count = Random(35), 256 + len(merges) + len(odd)
    ids = sorted(source.sample(range(count + 59), count + 9))
    places = (-1, 1000, 700, 500, 300, 100, 10, 1, 0)
    special = {token: ids.pop(place) for token, place in zip(NINE, places, strict=True)}
    if to != "tiktoken":
        source.shuffle(ids)
    whole_ids = sorted(ids.pop(source.randrange(1000, len(ids))) for _ in odd)
    for rank in range(1, 600 if to == "tiktoken" else 0):
        new, onto = 256 + rank, merges[rank + 1]
        if new in onto and {*merges[rank]}.isdisjoint(onto) and ids[new - 1] < ids[new]:
            ids[new], ids[new + 1] = ids[new + 1], ids[new]
    whole = map(str.encode, odd)
    return Tokenizer.load(write_tokenizer(path, merges, whole, special, [*ids, *whole_ids], name))


@pytest.mark.parametrize(("to", "kind", "name"), CELLS)
def test_ids_are_equal_on_nasty_texts(to: str, kind: str, name: str, tmp_path: Path) -> None:
    """An export has the ids of 4,000 texts: gaps, whole tokens, special tokens anywhere or none."""
    ours = saved(kind, name, to, model := tmp_path / "model.json")
    theirs, decoded = load_back(model, to, tmp_path)
    texts, content = alike(name, 5200), content_of(ours)
    assert len(texts) > 4000
    assert [text for text in texts if theirs(text) != ours.encode(text)] == []
    assert all(decoded(ours.encode(text)) == text for text in nasty_texts(200))
    found = {one for text in texts for one in ours.encode(text)}
    assert {*content["special_tokens"].values()} <= found
    if kind == OWN:
        made = [new for _, _, new in content["merges"]]
        special = content["special_tokens"].values()
        whole = {one for one, token in vocab_of(ours).items() if len(token) > 1}
        assert bool(found & whole.difference(made, special)) == (to != "gpt2")
        assert sum(one > two for one, two in pairwise(made)) > 8


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "name"), [*product(KINDS, FOR_TRAINING), (OWN, "gpt4"), (OWN, "tekken")]
)
def test_ids_are_equal_in_transformers(kind: str, name: str, tmp_path: Path) -> None:
    """The same in transformers, also after `save_pretrained`, with tokens for all roles."""
    transformers = pytest.importorskip("transformers")
    ours = saved(kind, name, "huggingface", model := tmp_path / "model.json")
    names = [*content_of(ours)["special_tokens"]]
    roles: dict[str, Any] = dict(zip(("bos", "eos", "pad", "unk"), names * 4, strict=False))
    export(model, "huggingface", tmp_path / "hf", **roles)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "hf")
    theirs.save_pretrained(tmp_path / "again")
    again = transformers.PreTrainedTokenizerFast.from_pretrained(tmp_path / "again")
    for tokenizer in (theirs, again):
        ids = tokenizer(texts := alike(name, 5200))["input_ids"]
        assert [a for a, b in zip(texts, ids, strict=True) if ours.encode(a) != b] == []
        for role in ("bos", "eos", "pad", "unk"):
            assert getattr(tokenizer, f"{role}_token") == roles.get(role)
        assert {*tokenizer.all_special_tokens} == {*names}
        assert tokenizer.decode(ids[7]) == texts[7]


def test_a_comparison_uses_ids_of_its_own(tmp_path: Path) -> None:
    """Files are compared by their own ids, and more special tokens follow the highest one."""
    ours = saved(OWN, "gpt4", "tiktoken", model := tmp_path / "model.json")
    (tmp_path / "text").write_bytes((text := "\n".join(nasty_texts(500))).encode())
    result = parity(model, [tmp_path / "text"])
    assert (result.difference, result.tokens) == (None, len(ours.encode(text)))
    assert compare(model, "a<s>b", "self").ours.ids == ours.encode("a<s>b")
    content = content_of(ours)
    highest = max(map(int, content["vocab"]))
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<new>"])
    assert exported.special_tokens == content["special_tokens"] | {"<new>": highest + 1}
    assert to_tiktoken(model, ["<new>"]).encode("<new>", allowed_special="all") == [highest + 1]


def without_twins(merges: list[Pair]) -> list[Pair]:
    """Return merges that make no two tokens with the same bytes."""
    kept, tokens = list[Pair](), [bytes([value]) for value in range(256)]
    for left, right in merges:
        if max(left, right) < len(tokens) and (token := tokens[left] + tokens[right]) not in tokens:
            kept.append((left, right))
            tokens.append(token)
    return kept


@st.composite
def of_any_version(draw: st.DrawFn) -> dict[str, Any]:
    """Return what `write_tokenizer` takes: learned or any merges, and ids of their own or not."""
    learned = st.builds(lambda *drawn: [*train(*drawn).merges], CORPORA, st.integers(256, 300))
    merges = draw(merge_lists() | learned)
    names = draw(st.sampled_from([["<|endoftext|>"], [], [*NINE[:8]], ["1!", "a>b", "Ġ1>"]]))
    if draw(st.booleans()):
        special = {name: 256 + len(merges) + place for place, name in enumerate(names)}
        pattern = draw(st.sampled_from(FOR_TRAINING))
        return {"merges": merges, "special": special, "pattern": pattern}
    merges = without_twins(merges)
    whole = draw(st.sampled_from([[], [b"xyz", "é!".encode()]]))
    ids = draw(st.permutations(range(len(names) + 256 + len(merges) + len(whole))))
    return {
        "merges": merges,
        "whole": whole,
        "special": dict(zip(names, ids, strict=False)),
        "ids": ids[len(names) :],
        "pattern": draw(st.sampled_from([*SPLIT_PATTERNS])),
    }


@pytest.mark.parametrize("to", EVERY_FORM)
@fewer()
@given(parts=of_any_version(), text=TEXTS)
def test_what_is_exported_has_its_ids_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory, to: str, parts: dict[str, Any], text: str
) -> None:
    """The library has the ids; the import has the file, byte for byte, whatever its version.

    Two of the forms do not say which pattern and special tokens they have, or have only GPT-2's.
    """
    if to == "gpt2":
        parts = {"merges": parts["merges"]}
    folder = tmp_path_factory.mktemp("back")
    model = write_tokenizer(folder / "a.json", **parts)
    try:
        encode, decode = load_back(model, to, folder)
    except ValueError:  # as `test_soundness.py` has it
        assume(False)  # noqa: FBT003 - of Hypothesis
    ours, content = Tokenizer.load(model), json.loads(model.read_bytes())
    pattern = parts.get("pattern", "gpt2")
    for one in (text, "\n".join([*filter(drift().isdisjoint, HOSTILE), CORPUS])):
        assert decode(ids := ours.encode(one)) == one
        assert not drift(pattern).isdisjoint(one) or encode(one) == ids
    special = content["special_tokens"]
    lacked: dict[str, Any] = {"pattern": pattern, "special_tokens": special}
    (exported,) = folder.glob("exported*")
    found = import_tokenizer(
        exported, None, folder / "new.json", **(lacked if to == "tiktoken" else {})
    )
    assert (folder / "new.json").read_bytes() == model.read_bytes()
    assert (found.pattern, found.special_tokens) == (pattern, special)
    assert bool(found.notes) == (to != "huggingface")
    assert found.whole_tokens == len(parts.get("whole", []))
    assert found.sha256 == hashlib.sha256(model.read_bytes()).hexdigest()


WORDS = st.lists(
    st.sampled_from(["ab", "abc", "abcd", "bc", "abab", " ", "é", "aa", "b", "c"]), max_size=12
).map("".join)


@pytest.mark.parametrize("to", EVERY_FORM[:2])
@given(
    learned=st.lists(WORDS, max_size=3),
    names=st.lists(st.text("abcé ", min_size=3, max_size=6), max_size=5, unique=True),
    source=st.randoms(use_true_random=False),
    more=st.lists(WORDS, max_size=3),
    text=st.text("ab c<é", max_size=8),
)
def test_an_extension_has_the_same_ids_elsewhere(
    tmp_path_factory: pytest.TempPathFactory,
    to: str,
    learned: list[str],
    names: list[str],
    source: Random,
    more: list[str],
    text: str,
) -> None:
    """The texts are whole tokens of the start, their beginnings, and both with other letters."""
    folder, base = tmp_path_factory.mktemp("extended"), train(learned, 260)
    alone = Tokenizer.load(write_tokenizer(folder / "alone.json", base.merges, special={}))
    whole = [one for one in names if len(alone.encode(one)) > 2 and " " not in one]
    count = 256 + len(base.merges)
    ids = sorted(source.sample(range(count + len(whole) + 3), count + len(whole)))
    whole_ids = sorted(ids.pop(source.randrange(256, len(ids))) for _ in whole)
    start = Tokenizer.load(
        write_tokenizer(
            folder / "start.json", base.merges, map(str.encode, whole), {}, [*ids, *whole_ids]
        )
    )
    size = count + len(whole) + source.randrange(13)
    corpus = [*more, *(f"{one}b" for one in whole)]
    ours = Tokenizer.train(corpus, size, start=start)
    ours.save(model := folder / "model.json")
    try:
        theirs, decoded = load_back(model, to, folder)
    except ValueError as error:
        assert "merges the lowest id first" in str(error)  # noqa: PT017
        return
    begun = [token[:end] for token in whole for end in range(1, len(token) + 1)]
    for one in [text, *begun, *(f"{one}{text}" for one in begun), *(f"a{one}" for one in begun)]:
        ids = ours.encode(one)
        assert (theirs(one), decoded(ids)) == (ids, one)


def test_a_special_token_with_the_letters_of_a_token_is_refused(tmp_path: Path) -> None:
    """The bytes of "é1!" are no token, but its letters are those of E9 31 21 in `vocab.json`."""
    model = write_tokenizer(
        tmp_path / "m.json", [(0xE9, 0x31), (256, 0x21)], special={"\u00e91!": 258}
    )
    with pytest.raises(ValueError, match="'é1!' is already the ordinary token 257"):
        export(model, "huggingface", tmp_path / "out")
