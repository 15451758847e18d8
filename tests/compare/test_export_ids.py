"""Exports in tiktoken and tokenizers: each has the ids of the tokenizer, and comes back."""

import hashlib
import json
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from artifacts import content_of
from bpetite import Tokenizer
from bpetite_compare import compare, export, import_tokenizer, parity, to_tiktoken
from bpetite_compare.reference import train
from compare_tools import (
    CORPUS,
    FOR_TRAINING,
    HOSTILE,
    SPLIT_PATTERNS,
    fewer,
    vocab_of,
    write_tokenizer,
)
from exports import EVERY_FORM, load_back
from hugging_face_files import DEEPSEEK3, NO_REGEX, File, splits
from nasty import KINDS, NINE, OWN, alike, drift, nasty_texts, saved
from texts import CORPORA, TEXTS, merge_lists

THOROUGH = pytest.mark.thorough
CELLS = [
    pytest.param(to, kind, name, marks=[THOROUGH] if (to, name) != ("tiktoken", "gpt4") else [])
    for to, kind in product(["tiktoken", "huggingface", "gpt2"], [OWN, *KINDS])
    for name in (SPLIT_PATTERNS if kind == OWN else FOR_TRAINING)
    if to != "gpt2" or name == "gpt2"
]


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


def test_a_comparison_uses_ids_of_its_own(tmp_path: Path) -> None:
    """Files are equal, but for characters that the engines classify differently.

    More special tokens follow the highest id.
    """
    ours = saved(OWN, "gpt4", "tiktoken", model := tmp_path / "model.json")
    (tmp_path / "text").write_bytes((text := "\n".join(nasty_texts(500))).encode())
    result = parity(model, [tmp_path / "text"])
    assert (result.difference, result.tokens) == (None, len(ours.encode(text)))
    assert result.engine_characters.keys() == drift("gpt4") & {*text}
    assert result.engine_differences > 0
    found = compare(model, plain := "".join(alike("gpt4", 300)), "self")
    assert (found.difference, found.engine_characters) == (None, frozenset())
    assert found.ours.ids == ours.encode(plain)
    content = content_of(ours)
    highest = max(map(int, content["vocab"]))
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<new>"])
    assert exported.special_tokens == content["special_tokens"] | {"<new>": highest + 1}
    assert to_tiktoken(model, ["<new>"]).encode("<new>", allowed_special="all") == [highest + 1]


@st.composite
def of_any_version(draw: st.DrawFn) -> dict[str, Any]:
    """Return what `write_tokenizer` takes: learned or any merges, and ids of their own or not."""
    learned = st.builds(lambda *drawn: [*train(*drawn).merges], CORPORA, st.integers(256, 300))
    names = draw(st.sampled_from([["<|endoftext|>"], [], [*NINE[:8]], ["1!", "a>b", "Ġ1>"]]))
    if draw(st.booleans()):
        merges = draw(merge_lists() | learned)
        special = {name: 256 + len(merges) + place for place, name in enumerate(names)}
        pattern = draw(st.sampled_from(FOR_TRAINING))
        return {"merges": merges, "special": special, "pattern": pattern}
    merges = draw(learned)  # with ids of their own, no two tokens have the same bytes
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


def test_a_special_token_with_the_letters_of_a_token_is_refused(tmp_path: Path) -> None:
    """The bytes of "é1!" are no token, but its letters are those of E9 31 21 in `vocab.json`."""
    model = write_tokenizer(
        tmp_path / "m.json", [(0xE9, 0x31), (256, 0x21)], special={"\u00e91!": 258}
    )
    with pytest.raises(ValueError, match="'é1!' is already the ordinary token 257"):
        export(model, "huggingface", tmp_path / "out")


@pytest.mark.parametrize(
    "patterns",
    [
        pytest.param(
            [r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
            id="gpt2",
        ),
        pytest.param([SPLIT_PATTERNS["gpt4"]], id="gpt4"),
        pytest.param(DEEPSEEK3, id="deepseek3"),
    ],
)
def test_a_pattern_is_written_as_its_models_write_it(patterns: list[str], tmp_path: Path) -> None:
    """Hugging Face's next release knows patterns by their spelling alone."""
    splits(*patterns)(file := File())
    (source := tmp_path / "source.json").write_text(json.dumps(file.content))
    import_tokenizer(source, None, model := tmp_path / "model.json")
    export(model, "huggingface", path := tmp_path / "export.json")
    parts = json.loads(path.read_bytes())["pre_tokenizer"]["pretokenizers"]
    assert parts == [*file.content["pre_tokenizer"]["pretokenizers"][:-1], parts[-1]]
    assert parts[-1] == NO_REGEX | {"trim_offsets": False}
