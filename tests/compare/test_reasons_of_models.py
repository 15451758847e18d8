"""`diff`, `show --why`, `show --ids`, `head` and `inspect` on real models, merge by merge."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

import oracle
from artifacts import canonical
from cli.test_diff import check_cut, check_difference
from cli.test_head import check_begin
from cli.test_why import Slow, without_token
from cli_tools import call, printed, rows_of
from compare_tools import SPLIT_PATTERNS, real_texts
from download_models import read_models
from nasty import nasty_texts
from numbered import Made

pytestmark = pytest.mark.thorough

MODELS: Final = read_models()
TEN: Final = (
    *("gpt2", "smollm", "gpt4", "llama3", "qwen3", "mistral_nemo", "deepseek_v3", "gpt4o"),
    *("gguf_qwen35", "kimi_k2"),
)
"""Ten tokenizers with nine patterns, in four forms of file; two have whole tokens."""


class Large(Slow):
    """As `Slow`, for many merges: a pass for a pair that is nowhere is left out."""

    def __init__(self, made: Made) -> None:
        super().__init__(made)
        self.rank_of = {pair: rank for rank, pair in [*enumerate(self.merges)][::-1]}
        self.encoded = cache(self.encoded)  # type: ignore[method-assign]

    def passes(self, chunk: bytes, without: int = -1) -> Iterator[tuple[int, list[int]]]:
        """Yield a chunk, then the rank of each merge that it has, and the chunk after its pass."""
        rank, numbers = -1, [*chunk]
        while numbers:
            yield rank, numbers
            found = {self.rank_of.get(pair, -1) for pair in pairwise(numbers)}
            if not (later := [one for one in found if one > rank and one != without]):
                return
            rank = min(later)
            numbers = oracle.merge(numbers, self.merges[rank], 256 + rank)


def made_of(path: Path) -> Made:
    """Return a tokenizer file of schema version 3 or 4 in the oracle's numbers."""
    content: Any = json.loads(path.read_bytes())
    special, vocab = content["special_tokens"], content["vocab"]
    ids = {int(one) for one in vocab} - {*special.values()}
    order = sorted((one for one in ids if len(vocab[str(one)]) == 1), key=lambda n: vocab[str(n)])
    order += [new for _, _, new in content["merges"]]
    whole, names = sorted(ids.difference(order)), sorted(special, key=special.__getitem__)
    index = {one: number for number, one in enumerate(order)}
    order += [*whole, *(special[name] for name in names)]
    content["vocab"] = {str(one): vocab[str(one)] for one in order}
    merges = [(index[left], index[right]) for left, right, _ in content["merges"]]
    return content, merges, [bytes(vocab[str(one)]) for one in whole], names


Opened = Callable[[str], tuple[Path, Made]]


@pytest.fixture(scope="session")
def opened(model_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Return a function that imports a model, and gives its file and what is in it."""

    @cache
    def opened(name: str) -> tuple[Path, Made]:
        path = tmp_path_factory.mktemp("models") / f"{name}.json"
        words = f"import {MODELS[name].options} --output {path} --input"
        printed(words, str(MODELS[name].source(model_files / name)))
        return path, made_of(path)

    return opened


@cache
def pieces(number: int) -> list[str]:
    """Return random pieces of real texts and nasty ones, the same in each run."""
    if not (corpus := real_texts()):
        pytest.skip("BPETITE_DATA names no folder with compressed texts")
    source = Random(51)
    nasty = [text for text in nasty_texts(2000) if "\0" not in text]  # else, a file is not text
    found = source.sample(nasty, number // 4)
    while len(found) < number:
        text = source.choice(corpus)
        start = source.randrange(len(text) - 300)
        found.append(text[start : start + source.randrange(50, 300)])
    return found


def text_for(made: Made, source: Random, number: int) -> str:
    """Return some pieces in another order, with special tokens of a model between some."""
    names = ["", " ", *source.choices(made[3] or [""], k=3)]
    return "".join(piece + source.choice(names) for piece in source.sample(pieces(100), number))


@pytest.mark.parametrize("name", TEN)
def test_why_is_recomputed(name: str, opened: Opened) -> None:
    """Each place with the bytes of a token has the reason and the ranks that slow merging gives."""
    path, made = opened(name)
    source, slow = Random(name), Large(made)
    text = text_for(made, source, 90)
    slow.read(text)
    data, reasons = text.encode(), set[str]()
    numbers = {token: number for number, token in enumerate(slow.tokens)}
    for _ in range(20):  # tokens that the text lacks at one place or more
        start, token = 0, b""
        while token not in numbers or (start, numbers[token]) in slow.there:
            start, size = source.randrange(len(data)), source.randrange(2, 10)
            token = data[start : start + size]
        places = [at for at in range(len(data)) if data.startswith(token, at)]
        rows = rows_of(f"show -m {path} --why {slow.ids[numbers[token]]}", stdin=data)
        expected = [slow.place(numbers[token], at) for at in places]
        assert [without_token(row) for row in rows] == expected
        reasons |= {row["reason"] for row in rows}
    assert reasons >= {"merge", "longer"}


@pytest.mark.parametrize("name", TEN)
def test_ids_are_recomputed(name: str, opened: Opened) -> None:
    """Random tokens that make a text have the reasons that slow merging gives."""
    path, made = opened(name)
    source, slow = Random(name), Large(made)
    slow.read(text := text_for(made, source, 40))
    data, found, end = text.encode(), list[int](), 0
    numbers = {token: number for number, token in enumerate(slow.tokens)}
    while end < len(data):
        sizes = [size for size in range(1, 9) if data[end : end + size] in numbers]
        size = source.choice(sizes)
        found.append(numbers[data[end : end + size]])
        end += size
    rows = rows_of(f"show -m {path} --ids", *(str(slow.ids[number]) for number in found))
    expected = [slow.place(number, start) for start, number in slow.spans(found)]
    assert [without_token(row) for row in rows] == expected
    assert {row["reason"] for row in rows} >= {"token", "merge", "longer"}


@pytest.mark.parametrize("name", TEN)
def test_beginnings_are_recomputed(name: str, opened: Opened) -> None:
    """`head` prints the text of the first tokens, unless that has more tokens alone."""
    path, made = opened(name)
    source, slow = Random(name), Large(made)
    text = text_for(made, source, 16)

    def encoded(text: str) -> list[int]:
        slow.read(text)
        return [number for _, number in sorted(slow.there)]

    numbers = encoded(text)
    for most in (0, len(numbers), *source.sample(range(1, len(numbers)), 10)):
        first = b"".join(slow.tokens[number] for number in numbers[:most])
        result = call(f"head -m {path} -n {most}", stdin=text.encode())
        check_begin(result, most, first, text, encoded)


@pytest.mark.parametrize("name", TEN)
def test_differences_are_recomputed(name: str, opened: Opened, here: Path) -> None:
    """A model, the one before it, and itself with other first merges, differ as they do."""
    path, made = opened(name)
    other, others = opened(TEN[TEN.index(name) - 1])
    for number, piece in enumerate(pieces(100)):
        file = here / "texts" / f"{number:03}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(piece, "utf-8", newline="")
    content = json.loads(path.read_bytes())
    merges = content["merges"]
    early = [rank for rank in range(20, 200) if max(made[1][rank]) < 256]
    merges[:0] = [merges[rank] for rank in early]
    for rank in reversed(early):
        merges.pop(rank + len(early))
    (here / "moved.json").write_bytes(canonical(content))
    for second, both in ((other, others), (here / "moved.json", made_of(here / "moved.json"))):
        result = call(f"diff {path} {second} texts --json")
        assert result.returncode == 1
        told = json.loads(result.stdout)
        texts = told.pop("texts")
        check_difference(told, (made, both))
        slow = [Large(made), Large(both)]
        assert len(texts) == 100
        for piece, found in zip(pieces(100), texts, strict=True):
            for one in slow:
                one.read(piece)
            check_cut(found, slow)
        assert any(found["first_cut"] for found in texts)


# digests


def last_pair(token: str, rank_of: Mapping[tuple[str, str], int]) -> tuple[str, ...]:
    """Return what a token is before its last merge, or after it, if it gets no token."""
    parts = [*token]
    while len(parts) > 2 and (known := rank_of.keys() & {*pairwise(parts)}):
        place = [*pairwise(parts)].index(min(known, key=rank_of.__getitem__))
        parts[place : place + 2] = ["".join(parts[place : place + 2])]
    return (*parts,)


def file_of(source: Path, pattern: str) -> bytes:
    """Return the tokenizer file of a `tokenizer.json`, from the specification."""
    content: Any = json.loads(source.read_bytes())
    model = content["model"]
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (byte for byte in range(256) if byte not in printable)
    letters = {chr(byte): byte for byte in printable}
    letters |= {chr(256 + number): byte for number, byte in enumerate(others)}
    special = names_of(source)
    vocab = model["vocab"]
    pairs = [(*(one.split(" ") if isinstance(one, str) else one),) for one in model["merges"]]
    rank_of = {pair: rank for rank, pair in enumerate(pairs)}
    made = {"".join(pair): pair for pair in pairs}
    if len(made) < len(pairs):  # the file has all pairs that make a token
        made = {new: pair for new in made if (pair := last_pair(new, rank_of)) in rank_of}
    kept = {*vocab} if model.get("ignore_merges") else {*letters, *made}

    @cache
    def place(token: str) -> tuple[int, ...]:
        """Return a key for sorting: a merge that is listed before one of its parts follows it."""
        if len(token) == 1:
            return ()
        own, last = (rank_of[made[token]],), max(map(place, made[token]))
        return own if last < own else (*last, *own)

    kept -= special.keys()
    tokens = {str(vocab[text]): [letters[one] for one in text] for text in kept}
    spaces = any(name.isspace() for name in special)
    return canonical(
        {
            "mergeable_vocab_size": len(tokens),
            "merges": [
                [vocab[one] for one in (*made[new], new)] for new in sorted(made, key=place)
            ],
            "pretokenizer_pattern": SPLIT_PATTERNS[pattern],
            "schema_version": 4 if spaces else 3,
            "special_tokens": special,
            "vocab": tokens | {str(one): [*name.encode()] for name, one in special.items()},
        }
    )


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, model in MODELS.items()
        if model.digest and any(file.endswith("tokenizer.json") for file in model.files)
        if "--add-missing-bytes" not in model.options
    ],
)
def test_digests_are_recomputed(name: str, model_files: Path) -> None:
    """`inspect` prints the digest of the tokenizer file that is written by hand."""
    folder, model = model_files / name, MODELS[name]
    (row,) = rows_of("inspect --json", str(folder))
    written = file_of(folder / "tokenizer.json", model.pattern)
    assert row["sha256"] == sha256(written).hexdigest() == model.digest


# two files of one model


def test_files_of_one_model_that_disagree_are_found(model_files: Path, here: Path) -> None:
    """Mistral has published a `tokenizer.json` with GPT-4's pattern beside its `tekken.json`.

    Here, the real `tokenizer.json` of Mistral NeMo gets this pattern. Every command names the
    difference, `diff` of the two files too, and the real two differ in special tokens alone.
    """
    real = model_files / "mistral_nemo/tokenizer.json"
    tekken = model_files / "mistral_tekken_240718/tekken_240718.json"
    content: Any = json.loads(real.read_bytes())
    (split, _) = content["pre_tokenizer"]["pretokenizers"]
    split["pattern"] = {"Regex": SPLIT_PATTERNS["gpt4"]}
    folder = here / "model"
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    shutil.copy(tekken, folder / "tekken.json")
    text = "".join(pieces(100)) + "हिन्दी में " * 9  # GPT-4's pattern cuts before marks
    (here / "t.txt").write_text(text, "utf-8", newline="")
    for words in ("inspect model", "count -m model t.txt", "import model --output new.json"):
        *_, error = call(words).told
        assert error.startswith("error: cannot import model/tokenizer.json: tokenizer.json and ")
        assert "tekken.json in its folder disagree: the patterns are gpt4 and tekken" in error
    special = [f"{name}={number}" for name, number in names_of(real).items()]
    printed(f"import {tekken} --output named.json --special", *special)
    assert call(f"diff {real} named.json").returncode == 0
    found = json.loads(call("diff model/tokenizer.json named.json t.txt").stdout)
    (of_text,) = found.pop("texts")
    assert found.pop("patterns") == ["gpt4", "tekken"]
    assert not any(found[key] for key in ("special_ids", "first_merge", "only_in_a", "moved"))
    assert of_text["tokens_of_each"][0] != of_text["tokens_of_each"][1]
    assert of_text["first_cut"]["why"]["reason"] == "boundary"


def names_of(path: Path) -> dict[str, int]:
    """Return the special tokens of a `tokenizer.json`."""
    content: Any = json.loads(path.read_bytes())
    return {token["content"]: token["id"] for token in content["added_tokens"]}
