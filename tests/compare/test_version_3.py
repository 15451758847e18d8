"""Files of schema version 3 in other libraries: exports, and their way back."""

import re
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from artifacts import THIRD, canonical
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import ALL_PATTERNS, PATTERNS
from bpetite._schema import read
from bpetite_compare import compare, export, import_tokenizer, parity, to_tiktoken
from bpetite_compare._letters import to_letters
from bpetite_compare._soundness import find_duplicate, find_unordered, find_unreachable
from compare_tools import fewer, with_ids_of_its_own
from exports import load_back
from nasty import NINE, alike, nasty_texts, trained
from numbered import numbered as third
from texts import merge_lists


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


def saved(artifact: Artifact, folder: Path) -> tuple[Path, Tokenizer]:
    """Write the file of a tokenizer, and return the tokenizer."""
    artifact.write(path := folder / "third.json", overwrite=False)
    return path, Tokenizer.load(path)


THOROUGH = pytest.mark.thorough


@pytest.mark.parametrize(
    ("to", "name"),
    [
        *(("tiktoken", name) for name in ALL_PATTERNS),
        *(pytest.param("huggingface", name, marks=THOROUGH) for name in ALL_PATTERNS),
        pytest.param("gpt2", "gpt2", marks=THOROUGH),
    ],
)
def test_ids_are_equal_on_nasty_texts(to: str, name: str, tmp_path: Path) -> None:
    """An export has the ids of 4,000 texts: gaps, whole tokens, special tokens anywhere."""
    artifact = renumbered(name, shuffled=to != "tiktoken", whole=to != "gpt2")
    model, ours = saved(artifact, tmp_path)
    theirs, decoded = load_back(model, to, tmp_path)
    texts = alike(name, 5200)
    assert [text for text in texts if theirs(text) != ours.encode(text)] == []
    assert all(decoded(ours.encode(text)) == text for text in nasty_texts(200))
    found = {one for text in texts for one in ours.encode(text)}
    assert {*artifact.special_tokens.values()} <= found
    assert to == "gpt2" or found & {*artifact.ids[256 + len(artifact.merges) : -len(NINE)]}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["gpt4", "tekken"])
def test_ids_are_equal_in_transformers(name: str, tmp_path: Path) -> None:
    """The same in transformers, also after `save_pretrained`."""
    transformers = pytest.importorskip("transformers")
    model, ours = saved(renumbered(name, shuffled=True), tmp_path)
    export(model, "huggingface", tmp_path / "hf")
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path / "hf")
    theirs.save_pretrained(tmp_path / "again")
    again = transformers.AutoTokenizer.from_pretrained(tmp_path / "again")
    texts = alike(name, 5200)
    for tokenizer in (theirs, again):
        ids = tokenizer(texts)["input_ids"]
        assert [a for a, b in zip(texts, ids, strict=True) if ours.encode(a) != b] == []
        assert {*tokenizer.all_special_tokens} == {*NINE}
        assert tokenizer.decode(ids[7]) == texts[7]


@pytest.mark.thorough
def test_a_gguf_file_has_the_tokens_in_the_order_of_ids(tmp_path: Path) -> None:
    """Special tokens inside the vocabulary are control tokens there; whole tokens are normal."""
    gguf = pytest.importorskip("gguf")
    model, ours = saved(renumbered("gpt4", shuffled=True, gaps=0, names=NINE[:3]), tmp_path)
    export(model, "gguf", tmp_path / "vocab")
    fields = gguf.GGUFReader(tmp_path / "vocab").fields
    tokens, kinds = (
        fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "token_type")
    )
    vocab, special = ours._artifact.vocab, ours._artifact.special_tokens
    assert len(tokens) == len(vocab)
    assert [token for token, kind in zip(tokens, kinds, strict=True) if kind == 3] == [*special]
    assert {name: tokens.index(name) for name in special} == special
    letters = {to_letters(token): token_id for token_id, token in vocab.items()}
    assert all(letters[one] == place for place, one in enumerate(tokens) if one not in special)


@pytest.mark.parametrize(
    ("to", "name", "gaps", "reason"),
    [
        (
            "gpt2",
            "gpt2",
            50,
            "GPT-2's two files cannot represent whole tokens; export to huggingface",
        ),
        ("gguf", "gpt4", 50, "llama.cpp cannot represent gaps between ids; export to huggingface"),
        ("gguf", "gpt2", 0, "whole tokens with the pattern gpt2; export to huggingface"),
        ("gguf", "tekken", 0, "llama.cpp cannot represent the pattern tekken; export to "),
        ("tiktoken", "gpt4", 0, "the lowest id first, so it would have the token "),
    ],
)
def test_what_an_engine_lacks_is_refused_by_name(
    to: str, name: str, gaps: int, reason: str, tmp_path: Path
) -> None:
    """The error names it, and a form that has it."""
    model, _ = saved(renumbered(name, shuffled=True, gaps=gaps), tmp_path)
    with pytest.raises(ValueError, match=re.escape(reason)):
        export(model, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["huggingface", "gguf"])
def test_letters_of_a_chunk_are_no_special_token(to: str, tmp_path: Path) -> None:
    """Where whole chunks are looked up by their letters, the name would be found for other text."""
    special = {"Ġnew": 300}
    vocab = {str(byte): [byte] for byte in range(256)} | {
        "256": [*b"xyz"],
        "300": [*"Ġnew".encode()],
    }
    content = THIRD | {"merges": [], "mergeable_vocab_size": 257}
    content |= {"special_tokens": special, "vocab": vocab}
    (tmp_path / "a.json").write_bytes(canonical(content))
    with pytest.raises(
        ValueError, match="the text b' new' would be the special token 'Ġnew', which"
    ):
        export(tmp_path / "a.json", to, tmp_path / "out")
    export(tmp_path / "a.json", "tiktoken", tmp_path / "out")


def test_parity_and_added_special_tokens(tmp_path: Path) -> None:
    """Files are compared by their own ids, and more special tokens follow the highest one."""
    model, ours = saved(renumbered("deepseek3", shuffled=False), tmp_path)
    text = "\n".join(nasty_texts(500))
    (tmp_path / "text").write_bytes(text.encode())
    result = parity(model, [tmp_path / "text"])
    assert (result.difference, result.tokens) == (None, len(ours.encode(text)))
    assert compare(model, "a<s>b", "self").ours.ids == ours.encode("a<s>b")
    highest = max(ours._artifact.ids)
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<new>"])
    assert exported.special_tokens == ours._artifact.special_tokens | {"<new>": highest + 1}
    assert to_tiktoken(model, ["<new>"]).encode("<new>", allowed_special="all") == [highest + 1]


@st.composite
def of_any_version(draw: st.DrawFn) -> Artifact:
    """Return a tokenizer of schema version 1, 2 or 3 that can be exported."""
    if draw(st.booleans()):
        artifact = Artifact(*read(canonical(draw(third())[0])))
    else:
        pattern = draw(st.sampled_from([*PATTERNS.values()]))
        names = draw(st.sampled_from([("<|endoftext|>",), (), NINE[:3], ("1!", "a>b", "Ġ1>")]))
        artifact = Artifact.of_merges(draw(merge_lists()), pattern, names)
    return artifact


@fewer()
@given(of_any_version())
def test_any_version_comes_back_from_hugging_face(
    tmp_path_factory: pytest.TempPathFactory, artifact: Artifact
) -> None:
    """A file of any schema version comes back from `tokenizer.json`, byte for byte."""
    assume(not find_duplicate(artifact) and not find_unreachable(artifact))
    assume(not {"é"} & {*artifact.special_names})
    folder = tmp_path_factory.mktemp("back")
    artifact.write(folder / "a.json", overwrite=False)
    export(folder / "a.json", "huggingface", folder / "hf.json")
    import_tokenizer(folder / "hf.json", None, folder / "new.json")
    assert (folder / "new.json").read_bytes() == artifact.to_bytes()
