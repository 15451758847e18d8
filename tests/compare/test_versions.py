"""Files of all schema versions: exports, their way back, comparisons and the reference model."""

import hashlib
import json
import re
import struct
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from artifacts import canonical
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import ALL_PATTERNS, GPT2, PATTERNS, Pattern
from bpetite._schema import read
from bpetite_compare import compare, export, import_tokenizer, parity, to_tiktoken
from bpetite_compare._engines import _found_by_regex, _found_by_tiktoken, drift
from bpetite_compare._formats import to_gguf
from bpetite_compare._letters import to_letters
from bpetite_compare._soundness import find_duplicate, find_unordered, find_unreachable
from bpetite_compare.reference import Model, decode, encode, train
from compare_tools import CROSSING, damage_tiktoken, fewer, with_ids_of_its_own
from exports import EVERY_FORM, load_back
from nasty import NINE, alike, nasty_texts, saved, trained
from numbered import extended
from numbered import numbered as third
from texts import CORPORA, TEXTS, merge_lists

EACH = pytest.mark.parametrize("name", PATTERNS)
CLASSES = [r"\s", *(rf"\p{{{name}}}" for name in ("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N"))]


@cache
def renumbered(
    name: str,
    *,
    shuffled: bool,
    whole: bool = True,
    gaps: int = 50,
    names: tuple[str, ...] = NINE,
) -> Artifact:
    """Return a trained tokenizer with ids of its own.

    Its special tokens have the lowest id, the highest one, and some between. The other ids are in
    any order, or in that of the merges but for a few that are too low.
    """
    kind = name if name in PATTERNS else "gpt4o"
    own, pattern = trained(kind, *NINE)._artifact, ALL_PATTERNS[name]
    ids_of, texts = own.ids_of_chunks(), alike(kind, 5200)
    chunks = sorted({chunk.encode() for text in texts for chunk in pattern.split(text)})
    odd = [chunk for chunk in chunks if len(ids_of(chunk)) > 2][::3] if whole else []
    tokens = [*own.tokens, *odd]
    source, count = Random(35), len(tokens) + len(names)
    ids = sorted(source.sample(range(count + gaps), count))
    places = (-1, 1000, 700, 500, 300, 100, 10, 1, 0)[-len(names) :]
    special = dict(zip(names, [ids.pop(place) for place in places][::-1], strict=True))
    if shuffled:
        source.shuffle(ids)
    whole_ids = sorted(ids.pop(source.randrange(len(ids))) for _ in odd)

    def made() -> Artifact:
        return with_ids_of_its_own(own.merges, tokens, pattern, special, [*ids, *whole_ids])

    early = 0
    for first in range(256, 0 if shuffled else 340):
        if first in own.merges[first - 255]:
            ids[first : first + 2] = reversed(before := ids[first : first + 2])
            if find_unordered(made()):
                ids[first : first + 2] = before
            else:
                early += 1
    assert shuffled or early > 8
    return made()


def written(artifact: Artifact, folder: Path) -> tuple[Path, Tokenizer]:
    """Write the file of a tokenizer, and return the tokenizer."""
    artifact.write(path := folder / "third.json", overwrite=False)
    return path, Tokenizer.load(path)


def hand_made(
    folder: Path,
    merges: list[tuple[int, int]],
    tokens: list[bytes],
    special: dict[str, int],
    ids: Iterable[int],
    pattern: Pattern = GPT2,
) -> Path:
    """Write the file of a tokenizer with these tokens after the bytes."""
    every = [*map(bytes, zip(range(256))), *tokens]
    return written(with_ids_of_its_own(merges, every, pattern, special, ids), folder)[0]


THOROUGH = pytest.mark.thorough
NAMES = {"nine special tokens": NINE, "one": ("<|bos|>",), "none": ()}
NASTY = ("nine special tokens", "none")
"""Those that nasty texts have."""
CELLS = [
    *(
        pytest.param("tiktoken", "ids of its own", name, marks=[THOROUGH] * (name != "gpt4"))
        for name in ALL_PATTERNS
    ),
    *(pytest.param("tiktoken", kind, "gpt4") for kind in NASTY),
    *(pytest.param(*cell, marks=THOROUGH) for cell in product(["tiktoken"], NASTY, PATTERNS)),
    *(pytest.param("huggingface", "ids of its own", name, marks=THOROUGH) for name in ALL_PATTERNS),
    *(pytest.param(*cell, marks=THOROUGH) for cell in product(["huggingface"], NASTY, PATTERNS)),
    *(pytest.param("gpt2", kind, "gpt2", marks=THOROUGH) for kind in (*NASTY, "ids of its own")),
]


def made(kind: str, name: str, folder: Path, to: str = "huggingface") -> tuple[Path, Tokenizer]:
    """Return a file of this kind, and its tokenizer."""
    if kind in NAMES:
        return saved(name, folder, NAMES[kind]), trained(name, *NAMES[kind])
    return written(renumbered(name, shuffled=to != "tiktoken", whole=to != "gpt2"), folder)


@pytest.mark.parametrize(("to", "kind", "name"), CELLS)
def test_ids_are_equal_on_nasty_texts(to: str, kind: str, name: str, tmp_path: Path) -> None:
    """An export has the ids of 4,000 texts: gaps, whole tokens, special tokens anywhere or none."""
    model, ours = made(kind, name, tmp_path, to)
    theirs, decoded = load_back(model, to, tmp_path)
    texts, artifact = alike(name, 5200), ours._artifact
    assert len(texts) > 4000
    assert [text for text in texts if theirs(text) != ours.encode(text)] == []
    assert all(decoded(ours.encode(text)) == text for text in nasty_texts(200))
    found = {one for text in texts for one in ours.encode(text)}
    assert {*artifact.special_tokens.values()} <= found
    whole = {*artifact.ids[256 + len(artifact.merges) : len(artifact.tokens)]}
    assert not whole or found & whole


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "name"),
    [*product(NAMES, PATTERNS), ("ids of its own", "gpt4"), ("ids of its own", "tekken")],
)
def test_ids_are_equal_in_transformers(kind: str, name: str, tmp_path: Path) -> None:
    """The same in transformers, also after `save_pretrained`, with tokens for all roles."""
    transformers = pytest.importorskip("transformers")
    model, ours = made(kind, name, tmp_path)
    names = ours._artifact.special_names
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


@EACH
def test_a_class_matters_if_the_pattern_names_it(name: str) -> None:
    """With the newest releases, U+0295 is Ll in one engine and Lo in the other."""
    for character in ("\u0295", min(drift()), "a"):
        differs = any(
            named in PATTERNS[name].text
            and _found_by_regex(named, character) != _found_by_tiktoken(named, character)
            for named in CLASSES
        )
        assert (character in drift(PATTERNS[name])) == differs


@EACH
def test_parity_needs_no_option(name: str, tmp_path: Path) -> None:
    """Files and texts are equal, but for characters that the engines classify differently."""
    model = saved(name, tmp_path)
    found = compare(model, text := "".join(alike(name, 300)), "self")
    assert (found.difference, found.engine_characters) == (None, frozenset())
    assert {*trained(name, *NINE)._artifact.special_tokens.values()} <= {*found.ours.ids}
    odd = compare(model, "a\u0295b", "self").engine_characters
    assert odd == drift(PATTERNS[name]) & {"\u0295"}
    (tmp_path / "text").write_bytes((text := "\n".join(nasty_texts(1000))).encode())
    result = parity(model, [tmp_path / "text"])
    assert result.difference is None
    assert result.engine_characters.keys() == drift(PATTERNS[name]) & {*text}
    assert result.tokens == len(trained(name, *NINE).encode(text))
    assert result.engine_differences > 0


def test_a_real_difference_is_still_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong token of tiktoken is found, also beside special tokens, which end a chunk."""
    damage_tiktoken(monkeypatch)
    special = {"<s>": 258, "1!x": 259}
    tokens = [b"ab", b"bc"]
    model = hand_made(tmp_path, [*CROSSING], tokens, special, range(258), PATTERNS["gpt4"])
    (tmp_path / "text").write_bytes(f"<s>xab\u00e9{min(drift())}1!xabc<s>".encode())
    found = parity(model, [tmp_path / "text"]).difference
    assert found is not None
    assert (found.ours, found.theirs) == ((256, b"ab"), (97, b"a"))


# Exports


@pytest.mark.parametrize(
    ("to", "name"),
    [
        *(("gpt2", name) for name in PATTERNS if name != "gpt2"),
        *(("gguf", name) for name in PATTERNS if PATTERNS[name].llama_cpp is None),
    ],
)
def test_a_form_without_the_pattern_is_refused_by_name(to: str, name: str, tmp_path: Path) -> None:
    """The error names the pattern, and a form that has it, which works."""
    model = saved(name, tmp_path)
    with pytest.raises(ValueError, match=rf"\b{name}\b.*export to (.*)huggingface instead"):
        export(model, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export(model, "huggingface", tmp_path / "out")


LACKS = "cannot represent"
ELSEWHERE = "; export to huggingface"


@pytest.mark.parametrize(
    ("to", "name", "gaps", "reason"),
    [
        ("gpt2", "gpt2", 50, f"GPT-2's two files {LACKS} whole tokens{ELSEWHERE}"),
        ("gguf", "gpt4", 50, f"llama.cpp {LACKS} gaps between ids{ELSEWHERE}"),
        ("gguf", "gpt2", 0, f"whole tokens with the pattern gpt2{ELSEWHERE}"),
        ("gguf", "tekken", 0, f"llama.cpp {LACKS} the pattern tekken; export to "),
        ("tiktoken", "gpt4", 0, "the lowest id first, so it would have the token "),
    ],
)
def test_what_an_engine_lacks_is_refused_by_name(
    to: str, name: str, gaps: int, reason: str, tmp_path: Path
) -> None:
    """The error names it, and a form that has it."""
    model, _ = written(renumbered(name, shuffled=True, gaps=gaps), tmp_path)
    with pytest.raises(ValueError, match=re.escape(reason)):
        export(model, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_special_token_with_the_letters_of_a_token_is_refused(tmp_path: Path) -> None:
    """The bytes of "é1!" are no token, but its letters are those of E9 31 21 in `vocab.json`."""
    merges, tokens = [(0xE9, 0x31), (256, 0x21)], [b"\xe91", b"\xe91!"]
    model = hand_made(tmp_path, merges, tokens, {"\u00e91!": 258}, range(258))
    with pytest.raises(ValueError, match="'é1!' is already the ordinary token 257"):
        export(model, "huggingface", tmp_path / "out")


@pytest.mark.parametrize("to", ["huggingface", "gguf"])
def test_letters_of_a_chunk_are_no_special_token(to: str, tmp_path: Path) -> None:
    """Where whole chunks are looked up by their letters, the name would be found for other text."""
    model = hand_made(tmp_path, [], [b"xyz"], {"Ġnew": 300}, range(257), ALL_PATTERNS["gpt4"])
    with pytest.raises(
        ValueError, match="the text b' new' would be the special token 'Ġnew', which"
    ):
        export(model, to, tmp_path / "out")
    export(model, "tiktoken", tmp_path / "out")


# llama.cpp

FIELDS: dict[str, Any] = {"a": "é", "b": 7, "c": [1, 3], "d": ["x", "yz"], "e": False}


def test_gguf_as_by_hand() -> None:
    """Each kind of field, byte by byte; an empty list is one of strings."""
    begin = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1)
    by_hand = {
        "a": struct.pack("<IQ", 8, 2) + b"\xc3\xa9",
        "b": struct.pack("<II", 4, 7),
        "c": struct.pack("<IIQii", 9, 5, 2, 1, 3),
        "d": struct.pack("<IIQQ", 9, 8, 2, 1) + b"x" + struct.pack("<Q", 2) + b"yz",
        "e": struct.pack("<IB", 7, 0),
    }
    for name, expected in by_hand.items():
        assert to_gguf({name: FIELDS[name]}) == begin + name.encode() + expected
    assert to_gguf({"f": []}) == begin + b"f" + struct.pack("<IIQ", 9, 8, 0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: trained("gpt4", *NINE[:3])._artifact, id="three special tokens"),
        pytest.param(lambda: trained("gpt4", "<s>")._artifact, id="one"),
        pytest.param(
            lambda: renumbered("gpt4", shuffled=True, gaps=0, names=NINE[:3]), id="any ids"
        ),
    ],
)
def test_a_gguf_file_is_that_of_llama_cpps_own_package(
    made: Callable[[], Artifact], tmp_path: Path
) -> None:
    """The package `gguf` writes the same bytes, also with special tokens among the others."""
    gguf = pytest.importorskip("gguf")
    model, special = written(artifact := made(), tmp_path)[0], artifact.special_tokens
    bos, eos = min(special), max(special)
    export(model, "gguf", tmp_path / "ours", bos=bos, eos=eos, pad=eos, unk=bos)
    export(model, "huggingface", tmp_path / "hf.json")
    vocab = json.loads((tmp_path / "hf.json").read_bytes())["model"]
    writer = gguf.GGUFWriter(tmp_path / "theirs", "gpt2")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    tokens = {**{to_letters(token): one for one, token in artifact.vocab.items()}, **special}
    writer.add_token_list(names := sorted(tokens, key=tokens.__getitem__))
    normal, control = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_token_types([control if name in special else normal for name in names])
    writer.add_token_merges(vocab["merges"])
    writer.add_add_bos_token(value=False)
    writer.add_bos_token_id(special[bos])
    writer.add_eos_token_id(special[eos])
    writer.add_pad_token_id(special[eos])
    writer.add_unk_token_id(special[bos])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (["<s>", "s>x1>"], True),
        (["s>x1>", "<s>"], True),
        (["<s>y1>", "1>x!"], False),  # the first is longer
        (["<x<s>y1>", "<s>", "<|a|>", "</s>", "1!1"], False),
    ],
)
def test_llama_cpp_gets_no_overlapping_special_tokens(
    names: list[str], refused: bool, tmp_path: Path
) -> None:
    """Where two overlap, llama.cpp takes the longer one, so a longer second one is an error."""
    model = saved("gpt4", tmp_path, tuple(names))
    if refused:
        with pytest.raises(ValueError, match=r"'<s>' ends as 's>x1>' begins; where they overlap"):
            export(model, "gguf", tmp_path / "out")
    else:
        export(model, "gguf", tmp_path / "out", bos=names[0], eos=names[0])


def test_the_loading_lines_name_texts_with_other_ids(tmp_path: Path) -> None:
    """They are where llama.cpp's own pattern is another one; GPT-2's is not."""
    roles: dict[str, Any] = dict.fromkeys(("bos", "eos"), NINE[0])
    said = {
        name: "U+017F after"
        in export(saved(name, tmp_path, NINE[:1]), "gguf", tmp_path / name, **roles).loading
        for name, pattern in PATTERNS.items()
        if pattern.llama_cpp
    }
    assert said == {name: "(?i:" in PATTERNS[name].text for name in said}
    assert len({*said.values()}) == 2


# The reference model


@pytest.mark.parametrize(
    ("name", "special_tokens"), [*((name, NINE) for name in PATTERNS), ("gpt4", ())]
)
def test_the_reference_model_reads_it(
    name: str, special_tokens: tuple[str, ...], tmp_path: Path
) -> None:
    """Its ids are those of the tokenizer and of tiktoken, and it decodes them."""
    path = saved(name, tmp_path, special_tokens)
    model, encoding = Model.load(str(path)), to_tiktoken(path)
    ours = trained(name, *special_tokens)
    assert (to_tiktoken(model)._pat_str, encoding.n_vocab) == (
        model.pattern,
        len(model.vocab) + len(special_tokens),
    )
    for text in nasty_texts(60):
        assert encode(model, text) == ours.encode(text)
        assert decode(model, ours.encode(text)) == text


@EACH
@fewer()
@given(corpus=CORPORA, size=st.integers(256, 290))
def test_the_reference_model_trains_as_the_core(name: str, corpus: list[str], size: int) -> None:
    """With any pattern and special tokens, the merges are those of the core, in order."""
    model = train(corpus, size, PATTERNS[name].text, special_tokens=NINE)
    ours = Tokenizer.train(corpus, size, pattern=name, special_tokens=NINE)._artifact
    assert [*model.merges] == [*ours.merges]
    assert model.special_tokens == ours.special_tokens


def test_parity_and_added_special_tokens(tmp_path: Path) -> None:
    """Files are compared by their own ids, and more special tokens follow the highest one."""
    model, ours = written(renumbered("deepseek3", shuffled=False), tmp_path)
    text = "\n".join(nasty_texts(500))
    (tmp_path / "text").write_bytes(text.encode())
    result = parity(model, [tmp_path / "text"])
    assert (result.difference, result.tokens) == (None, len(ours.encode(text)))
    assert compare(model, "a<s>b", "self").ours.ids == ours.encode("a<s>b")
    highest = max(ours._artifact.ids)
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<new>"])
    assert exported.special_tokens == ours._artifact.special_tokens | {"<new>": highest + 1}
    assert to_tiktoken(model, ["<new>"]).encode("<new>", allowed_special="all") == [highest + 1]


PRINTED = tuple(name for name in NINE if "\x1c" not in name)


@st.composite
def of_any_version(draw: st.DrawFn) -> Artifact:
    """Return a trained or hand-made tokenizer of schema version 1, 2 or 3."""
    if draw(st.booleans()):
        return Artifact(*read(canonical(draw(third())[0])))
    merges = draw(merge_lists() | st.builds(oracle.train, CORPORA, st.integers(256, 300)))
    pattern = draw(st.sampled_from([*PATTERNS.values()]))
    names = draw(st.sampled_from([("<|endoftext|>",), (), PRINTED, ("1!", "a>b", "Ġ1>")]))
    return Artifact.of_merges(merges, pattern, names)


@pytest.mark.parametrize("to", EVERY_FORM)
@fewer()
@given(artifact=of_any_version(), text=TEXTS)
def test_what_is_exported_has_its_ids_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory, to: str, artifact: Artifact, text: str
) -> None:
    """The library has the ids; the import has the file, byte for byte, whatever its version.

    Two of the forms do not say which pattern and special tokens they have, or have only GPT-2's.
    """
    assume(not find_duplicate(artifact) and not find_unreachable(artifact))
    assume(not {"é"} & {*artifact.special_names})
    if to != "huggingface":
        artifact = Artifact.of_merges(artifact.merges)
    folder, ours = tmp_path_factory.mktemp("back"), Tokenizer._of(artifact)
    artifact.write(folder / "a.json", overwrite=False)
    encode, decode = load_back(folder / "a.json", to, folder)
    assert decode(ids := ours.encode(text)) == text
    assert not drift(artifact.pattern).isdisjoint(text) or encode(text) == ids
    special, name = artifact.special_tokens, artifact.pattern.name
    lacked: dict[str, Any] = {"pattern": name, "special_tokens": special}
    (exported,) = folder.glob("exported*")
    found = import_tokenizer(
        exported, None, folder / "new.json", **(lacked if to == "tiktoken" else {})
    )
    assert (folder / "new.json").read_bytes() == artifact.to_bytes()
    assert (found.pattern, found.special_tokens) == (name, special)
    assert bool(found.notes) == (to != "huggingface")
    assert found.whole_tokens == len(artifact.whole_tokens)
    assert found.sha256 == hashlib.sha256(artifact.to_bytes()).hexdigest()


# Extensions


@pytest.mark.parametrize("to", EVERY_FORM[:2])
@given(made=extended(), more=st.lists(st.sampled_from("ab c<é"), max_size=8).map("".join))
def test_an_extension_has_the_same_ids_elsewhere(
    tmp_path_factory: pytest.TempPathFactory, to: str, made: tuple[Artifact, list[str]], more: str
) -> None:
    """The texts are whole tokens of the start, their beginnings, and both with other letters."""
    artifact, whole = made
    assert not find_duplicate(artifact)
    assert not find_unreachable(artifact)
    assume(to != "tiktoken" or not find_unordered(artifact))
    folder = tmp_path_factory.mktemp("extended")
    ours = Tokenizer._of(artifact)
    ours.save(model := folder / "model.json")
    theirs, decoded = load_back(model, to, folder)
    begun = [token[:end] for token in whole for end in range(1, len(token) + 1)]
    for text in [more, *begun, *(f"{one}{more}" for one in begun), *(f"a{one}" for one in begun)]:
        ids = ours.encode(text)
        assert theirs(text) == ids
        assert decoded(ids) == text
