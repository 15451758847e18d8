"""Forms that lack a pattern or special tokens: what lies beside them counts, or a note says so.

One tokenizer is written in the forms in which models are published. Each gives the same ids, or
the import reports what it guessed, or which files disagree.
"""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest
import tiktoken

from bpetite import Tokenizer
from bpetite_compare import Imported, export, import_tokenizer
from cli_tools import bpetite, refused
from compare_tools import CORPUS, HOSTILE, SPLIT_PATTERNS, vocab_of, write_ranks
from hugging_face_files import KIMI, NO_REGEX, SPLIT, added, several, to_letters
from nasty import alike, nasty_texts

TEXT: Final = "IT'S 1234 f(x);\n g(y);\n"
"""Its ids depend on the pattern."""
SPECIAL: Final = {"<|im_start|>": 600, "<think>": 601}
TWO: Final = ("vocab.json", "merges.txt")
RANKS: Final = ("a.tiktoken",)
CONFIG: Final = "tokenizer_config.json"


class Files:
    """The files of a tokenizer with the pattern qwen2, as a model publishes them."""

    def __init__(self, folder: Path, content: Any) -> None:  # noqa: ANN401 - an object of JSON
        self.folder = folder
        self.content = content

    def write(self, *names: str, **changed: object) -> None:
        """Write the files with these names; parts of JSON may be changed."""
        for name in names:
            (self.folder / name).write_bytes(self.made(name, changed))

    def made(self, name: str, changed: dict[str, object]) -> bytes:
        """Return the content of a file."""
        content = self.content | changed
        special = {one["content"]: one["id"] for one in content["added_tokens"]}
        model = content["model"]
        vocab = {text: one for text, one in model["vocab"].items() if text not in special}
        if name == "merges.txt":
            return "\n".join(["#version: 0.2", *model["merges"], ""]).encode()
        if name == "a.tiktoken":
            letters = {to_letters(bytes([value])): value for value in range(256)}
            ranks = {bytes(map(letters.__getitem__, text)): one for text, one in vocab.items()}
            return write_ranks(self.folder / name, ranks).read_bytes()
        if name == "tekken.json":
            lines = map(bytes.split, self.made("a.tiktoken", {}).splitlines())
            entries = [{"rank": int(rank), "token_bytes": one.decode()} for one, rank in lines]
            config = {"pattern": SPLIT_PATTERNS["qwen2"], "default_num_special_tokens": 0}
            config["default_vocab_size"] = len(vocab)
            return json.dumps({"config": config, "vocab": entries}).encode()
        forms: dict[str, object] = {
            "tokenizer.json": content,
            "vocab.json": vocab,
            "added_tokens.json": SPECIAL,
            CONFIG: {
                "tokenizer_class": "Qwen2Tokenizer",
                "added_tokens_decoder": {str(one["id"]): one for one in content["added_tokens"]},
            }
            | changed,
        }
        return json.dumps(forms[name]).encode()

    def imported(self, *names: str, form: str | None = None, **options: Any) -> Imported:  # noqa: ANN401
        """Import files of the folder, or without names the folder."""
        sources = [self.folder / name for name in names] or self.folder
        return import_tokenizer(sources, form, self.folder / "new", overwrite=True, **options)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text with the imported tokenizer."""
        return Tokenizer.load(self.folder / "new").encode(text)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[int]]:
    """Return the content of a `tokenizer.json`, and the ids of TEXT."""
    folder = tmp_path_factory.mktemp("trained")
    corpus = CORPUS + " 1 22 333" * 99 + "f(x);\ng(y);\n" * 50
    tokenizer = Tokenizer.train(corpus, 400, pattern="qwen2", special_tokens=[])
    tokenizer.save(folder / "model")
    export(folder / "model", "huggingface", folder / "exported.json")
    content = json.loads((folder / "exported.json").read_bytes())
    content["added_tokens"] = [
        added(name, token_id, special=name != "<think>") for name, token_id in SPECIAL.items()
    ]
    content["model"]["vocab"] |= SPECIAL
    return content, tokenizer.encode(TEXT)


@pytest.fixture
def files(trained: tuple[Any, list[int]], tmp_path: Path) -> Files:
    return Files(tmp_path, deepcopy(trained[0]))


@pytest.mark.parametrize("source", [TWO, RANKS], ids=["two files", "ranks"])
@pytest.mark.parametrize(
    ("beside", "pattern", "pattern_from", "special"),
    [
        pytest.param([], "qwen2", "--pattern", {}, id="option"),
        pytest.param(["tokenizer.json"], None, "tokenizer.json", SPECIAL, id="tokenizer.json"),
        pytest.param([CONFIG], None, "the class Qwen2Tokenizer", SPECIAL, id="configuration"),
        pytest.param(["added_tokens.json"], "qwen2", "--pattern", SPECIAL, id="added tokens"),
    ],
)
def test_what_a_form_lacks_comes_from_options_or_files_beside(
    source: tuple[str, ...],
    beside: list[str],
    pattern: str | None,
    pattern_from: str,
    special: dict[str, int],
    files: Files,
    trained: tuple[Any, list[int]],
) -> None:
    """The ids are those of the `tokenizer.json`; only a pattern that a file names is checked.

    Without special tokens, a note says which option names them.
    """
    files.write(*source, *beside)
    result = files.imported(*source, pattern=pattern)
    assert (result.pattern, result.pattern_from) == ("qwen2", pattern_from)
    assert result.special_tokens == special
    assert files.encode(TEXT) == trained[1]
    assert files.encode("<think>") == [601] if special else len(files.encode("<think>")) > 1
    notes = "\n".join(result.notes)
    known = pattern_from == "tokenizer.json"
    assert ("pattern of" in result.checked) == known
    assert ("not checked: the pattern qwen2" in notes) != known
    assert ("--special NAME=ID adds them" in notes) == (not special)


def test_a_guess_is_called_a_guess(files: Files, trained: tuple[Any, list[int]]) -> None:
    """GPT-2's pattern is a guess, and the tokens that it cuts speak against it, with the counts.

    People get lines, and programs `pattern_from` and `notes`.
    """
    files.write(*TWO)
    words = ["import", *TWO, "--output", "new"]
    found = json.loads(bpetite(*words, cwd=files.folder).stdout)
    assert files.encode(TEXT) != trained[1]
    shown = bpetite(*words, "--force", "--output-format", "text", cwd=files.folder)
    assert (found["pattern"], found["pattern_from"]) == ("gpt2", "a guess")
    for told in (
        " with their own ids, pattern gpt2, a guess\n",
        "\nchecked: a slow encoder with the merges of vocab.json and merges.txt and this pattern ",
        "\nnot checked: the pattern gpt2, a guess, as no file names it; --pattern NAME n",
        "\nno file lists its special tokens, so it has none; --special NAME=ID adds",
        "\nagainst gpt2: it cuts the model's token ",
    ):
        assert told in shown.stdout.decode()


def test_a_token_speaks_against_a_pattern_that_cuts_the_fewest(tmp_path: Path) -> None:
    """It is named even if each other pattern cuts more tokens; the pattern is not proved."""
    tokens = [*map(bytes, zip(range(256))), b";\n", b"12", b"123", b"1234", b"12345"]
    path = write_ranks(tmp_path / "ranks", {token: rank for rank, token in enumerate(tokens)})
    result = import_tokenizer(path, None, tmp_path / "new", pattern="gpt2")
    unchecked, against, counts = result.notes[-3:]
    assert unchecked.startswith("not checked: the pattern gpt2, which --pattern names; nor whether")
    assert against == "against gpt2: it cuts the model's token ';\\n', and gpt4 does not"
    assert counts == (
        "of its 133 tokens that are text, the patterns cut: gpt2 1, gpt4 2, gpt4o 2, qwen2 4, "
        "nanochat 3, tekken 4, deepseek3 2, qwen3.5 4, starcoder 5, kimi 2; the longest run of "
        "digits in a token: 5"
    )


def test_a_class_without_a_pattern_of_its_own_names_none(files: Files) -> None:
    """Ranks need --pattern then, and two files have a guess."""
    files.write(*TWO, *RANKS, CONFIG, tokenizer_class="LlamaTokenizer")
    assert files.imported(*TWO).pattern_from == "a guess"
    with pytest.raises(ValueError, match="a file of ranks lacks the split pattern; add") as found:
        files.imported(*RANKS)
    assert "starcoder (StarCoder, SmolLM, Granite)" in str(found.value)


def test_a_class_that_normalizes_is_named(files: Files) -> None:
    """Qwen's class normalizes to NFC, with a note unless the option says so."""
    files.write(*TWO, CONFIG)
    note = "Qwen2Tokenizer normalizes text to NFC: the ids are the model's for text in NFC"
    assert note in files.imported().notes
    assert note not in files.imported(drop_normalizer=True).notes


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param(
            "added_tokens.json",
            {"<think>": 9},
            "added_tokens.json gives '<think>' the id"
            " 9, and tokenizer_config.json 601; --special NAME=ID decides",
            id="disagreement",
        ),
        pytest.param(
            "added_tokens.json",
            {"<think>": "9"},
            "added_tokens.json: '<think>' has no id",
            id="no id",
        ),
        pytest.param(
            CONFIG,
            {"add_prefix_space": True},
            "add_prefix_space in tokenizer_config.json adds a space",
            id="a space",
        ),
        pytest.param(
            CONFIG,
            {"added_tokens_decoder": {"x": {"content": "<a>"}}},
            "tokenizer_config.json: its added",
            id="key that is no id",
        ),
        pytest.param(
            CONFIG,
            {"added_tokens_decoder": {"600": "<a>"}},
            "tokenizer_config.json: its added",
            id="token that is no object",
        ),
    ],
)
def test_a_damaged_configuration_is_refused(
    name: str, content: dict[str, object], reason: str, files: Files
) -> None:
    """A configuration that names special tokens in another way is not skipped without a word."""
    files.write(*TWO, CONFIG)
    (files.folder / name).write_text(json.dumps(content))
    with pytest.raises(ValueError, match="cannot import ") as caught:
        files.imported(pattern="qwen2")
    assert reason in str(caught.value)


def test_tokens_that_were_not_special_are_named(files: Files) -> None:
    """With what an export makes of them: there, all are special."""
    files.write(*TWO, CONFIG)
    [note] = [one for one in files.imported().notes if one.startswith("not special in")]
    assert note.startswith("not special in the source: '<think>'; the tokenizer file has them as s")
    assert "an export marks all of these as special" in note


def test_ignore_merges_is_said_by_an_option(files: Files) -> None:
    """It means what `tokenizer.json` means by this name: a chunk that is a token gets its id."""
    model = files.content["model"]
    model["vocab"]["xyz"] = 500
    files.write(*TWO)
    with pytest.raises(
        ValueError, match=r"'xyz', and without ignore_merges .* --ignore-merges says"
    ):
        files.imported(pattern="qwen2")
    digest = files.imported(pattern="qwen2", ignore_merges=True, special_tokens=SPECIAL).sha256
    assert files.encode("xyz") == [500]
    assert files.encode("xyza") != [500, 97]
    model["ignore_merges"] = True
    files.write("tokenizer.json")
    assert files.imported(*TWO).sha256 == digest
    model["ignore_merges"] = False
    del model["vocab"]["xyz"]
    files.write("tokenizer.json")
    with pytest.raises(ValueError, match=r"does not set ignore_merges; leave out --ignore-merges"):
        files.imported(*TWO, ignore_merges=True)
    assert files.imported(*TWO, pattern="qwen2", ignore_merges=True).sha256 == digest


# Several files of one folder


def test_files_in_one_folder_that_agree_are_one_tokenizer(files: Files) -> None:
    """A folder with all forms of one tokenizer opens without a remark on them."""
    files.write("tokenizer.json", "tekken.json", *TWO, *RANKS, CONFIG, "added_tokens.json")
    [note] = files.imported().notes
    assert note.startswith("not special in the source")
    (files.folder / "tokenizer.json").unlink()
    assert not any("not compared" in note for note in files.imported().notes)


def test_a_normalizer_is_left_out_of_all_files_of_a_folder(files: Files) -> None:
    """The two files have that of the `tokenizer.json` beside them, so they are compared."""
    files.write("tokenizer.json", *TWO, normalizer={"type": "NFC"})
    assert not any("not compared" in note for note in files.imported(drop_normalizer=True).notes)


@pytest.mark.parametrize(
    ("other", "difference", "chosen"),
    [
        pytest.param(
            "pattern",
            "the patterns are gpt4 and qwen2",
            "tekken.json is",
            id="pattern",
        ),
        pytest.param("id", "has the ids ", "tokenizer.json is", id="id"),
        pytest.param(
            "merge",
            "the merges of rank 0 are not equal",
            "tokenizer.json is",
            id="merge",
        ),
        pytest.param("ranks", "the ids of ", "tekken.json is", id="order of ranks"),
    ],
)
def test_files_in_one_folder_that_disagree_are_named(
    other: str, difference: str, chosen: str, files: Files
) -> None:
    """The error has the first difference and the file to choose; a file or --from decides."""
    model = files.content["model"]
    if other == "pattern":
        files.write("tekken.json")
        gpt4 = SPLIT | {"pattern": {"Regex": SPLIT_PATTERNS["gpt4"]}}
        files.content["pre_tokenizer"] = several("pretokenizers", gpt4, NO_REGEX)
    elif other == "ranks":
        model["vocab"] = {text: one for text, one in model["vocab"].items() if len(text) == 1}
        model["vocab"] |= {"th": 256, "he": 257}
        model["merges"], files.content["added_tokens"] = ["h e", "t h"], []
        files.write("tekken.json")
    else:
        vocab, merges = dict(model["vocab"]), [*model["merges"]]
        if other == "id":
            vocab["a"], vocab["b"] = vocab["b"], vocab["a"]
        else:
            merges[0], merges[1] = merges[1], merges[0]
        files.write(*TWO, model=model | {"vocab": vocab, "merges": merges})
    files.write("tokenizer.json")
    with pytest.raises(ValueError, match=r"tokenizer\.json") as caught:
        files.imported()
    for part in (" in its folder disagree: ", difference, f"name the one to import: {chosen}"):
        assert part in str(caught.value)
    chosen_file = files.imported("tokenizer.json")
    assert files.imported(form="huggingface").sha256 == chosen_file.sha256
    if other == "merge":  # named alone, they get their pattern from it
        with pytest.raises(ValueError, match=r"merges\.txt and tokenizer\.json in its folder"):
            files.imported(*TWO)


def test_an_option_replaces_only_what_it_names(files: Files) -> None:
    """The rest still comes from the `tokenizer.json`, which may have another pattern."""
    files.write("tokenizer.json", *TWO)
    for pattern in ("gpt2", "qwen2"):
        result = files.imported(*TWO, pattern=pattern)
        assert result.special_tokens == SPECIAL
        disagrees = "tokenizer.json beside it has the pattern qwen2" in result.notes
        assert disagrees == (pattern == "gpt2")
        assert not any("lists its special tokens" in note for note in result.notes)
    result = files.imported(*TWO, special_tokens={"<|x|>": 700})
    assert result.special_tokens == {"<|x|>": 700}
    assert "<think>" not in "".join(result.notes)


def test_special_tokens_in_the_configuration_alone_are_named(files: Files) -> None:
    """Transformers adds them to those of a `tokenizer.json`, whose ids it keeps."""
    more = {"650": {"content": "<|im_start|>"}, "651": {"content": "<new>"}}
    files.write("tokenizer.json", CONFIG, added_tokens_decoder=more)
    result = files.imported("tokenizer.json")
    assert result.special_tokens == SPECIAL
    note = "the configuration beside it also has the special token '<new>', which transformers"
    assert any(one.startswith(note) for one in result.notes)


def test_the_role_of_a_token_makes_it_special(files: Files) -> None:
    """A configuration may name a token of the vocabulary by its roles alone, or by several."""
    files.content["model"]["vocab"] |= {"</s>": 700, "<pad>": 701}
    files.write(*TWO)
    roles = {"bos_token": "</s>", "eos_token": "</s>", "pad_token": {"content": "<pad>"}}
    files.write(CONFIG, added_tokens_decoder={}, **roles | {"sep_token": "<nowhere>"})
    result = files.imported(*TWO)
    assert result.special_tokens == {"</s>": 700, "<pad>": 701}
    assert not any("special" in note for note in result.notes)
    assert files.encode("</s><pad>") == [700, 701]
    files.write(CONFIG, added_tokens_decoder={"700": added("</s>", 700)}, **roles)
    assert files.imported(*TWO).special_tokens == {"</s>": 700, "<pad>": 701}
    files.write(CONFIG, added_tokens_decoder={}, mask_token={"content": "<pad>", "lstrip": True})
    with pytest.raises(ValueError, match="its added token '<pad>' has lstrip"):
        files.imported(*TWO)


def test_ordinary_tokens_that_look_special_are_named(files: Files) -> None:
    """A list of added tokens may lack those that the vocabulary has, such as `</s>`."""
    files.content["model"]["vocab"]["</s>"] = 700
    files.write(*TWO, "added_tokens.json")
    note = "1 of its ordinary tokens, such as '</s>', look like special tokens; --special NAME=ID "
    notes = files.imported(*TWO, pattern="gpt4o", ignore_merges=True).notes
    assert any(one.startswith(note) for one in notes)


# Files that do not open


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        pytest.param("tokenizer.json", b"", "tokenizer.json is empty", id="empty"),
        pytest.param("tokenizer.json", b"\xef\xbb\xbf{}", "byte order mark", id="mark"),
        pytest.param(
            "merges.txt",
            b"\xef\xbb\xbfa b",
            "merges.txt begins with a byte order ma",
            id="mark of merges",
        ),
        pytest.param("merges.txt", "a b".encode("utf-16"), "merges.txt is UTF-16", id="UTF-16"),
        pytest.param(
            "vocab.json",
            "{}".encode("utf-16-le"),
            "is UTF-16; save it as UTF-8",
            id="UTF-16 without a mark",
        ),
    ],
)
def test_a_file_in_another_encoding_is_named(
    name: str, data: bytes, told: str, files: Files
) -> None:
    """An empty file, a byte order mark and UTF-16 are called by their names."""
    files.write(*TWO)
    (files.folder / name).write_bytes(data)
    with pytest.raises(ValueError, match=told):
        files.imported()


def test_a_file_beside_that_does_not_open_is_named(files: Files) -> None:
    """It cannot be compared, and a note says why; the tokenizer opens."""
    files.write("tokenizer.json")
    (files.folder / "tokenizer.model").write_bytes(b"\n\x0e\n\x05<unk>\x15\x00\x00")
    told = "tokenizer.model beside it was not compared: it is a SentencePiece model"
    assert files.imported().notes[-1].startswith(told)


def test_all_obstacles_are_named_at_once(files: Files) -> None:
    """In at most four lines of 80 columns, with what to use instead at the end, once."""
    files.content["added_tokens"][0] |= {"lstrip": True, "rstrip": True}
    files.content["added_tokens"][1]["lstrip"] = True
    normalizer = {"type": "Lowercase"}
    files.write("tokenizer.json", normalizer=normalizer, pre_tokenizer={"type": "Metaspace"})
    [shown] = refused(bpetite("import", "tokenizer.json", "-o", "new.json", cwd=files.folder))
    assert len(shown) <= 4 * 80
    for part in ("its pre_tokenizer is Metaspace", "its normalizer, Lowercase", " more; use the "):
        assert part in shown
    assert shown.endswith("; use the libraries tokenizers or transformers for this model")
    assert shown.count("use the libraries") == 1


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("GPT2TokenizerFast", "gpt2"),
        ("ChatGLM4Tokenizer", "gpt4"),
        ("QWenTokenizer", "qwen2"),
        ("Qwen3_5Tokenizer", "qwen3.5"),
        ("TikTokenTokenizer", "kimi"),
    ],
)
def test_a_class_names_its_pattern(kind: str, pattern: str, tmp_path: Path) -> None:
    """Also with the ending of its fast version; a note says that the class is only a hint."""
    path = write_ranks(tmp_path / "ranks", {bytes([value]): value for value in range(256)})
    (tmp_path / CONFIG).write_text(json.dumps({"tokenizer_class": kind}))
    result = import_tokenizer(path, None, tmp_path / "new")
    assert result.pattern == pattern
    note = f"{pattern}, that of the class {kind.removesuffix('Fast')}, which models with other"
    assert note in "\n".join(result.notes)


@pytest.mark.thorough
def test_a_folder_of_kimi_has_the_ids_of_tiktoken(tmp_path: Path) -> None:
    """The class names the pattern of its ranks, which tiktoken runs as it was published."""
    trained = Tokenizer.train(nasty_texts(900), 3000, pattern="gpt4o", special_tokens=["[BOS]"])
    special = {"[BOS]": trained.mergeable_vocab_size}
    ranks = {
        token: rank for rank, token in vocab_of(trained).items() if rank not in special.values()
    }
    write_ranks(tmp_path / "tiktoken.model", ranks)
    decoder = {str(one): {"content": name, "special": True} for name, one in special.items()}
    config = {"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": decoder}
    (tmp_path / CONFIG).write_text(json.dumps(config))
    result = import_tokenizer(tmp_path, None, tmp_path / "new")
    assert (result.pattern, result.special_tokens) == ("kimi", special)
    theirs = tiktoken.Encoding("kimi", pat_str=KIMI, mergeable_ranks=ranks, special_tokens=special)
    ours = Tokenizer.load(result.path)
    for text in [*HOSTILE, "中文English混合\u30071⺀!⺀", *alike("kimi", 1500)]:
        assert ours.encode(text) == theirs.encode(text, allowed_special="all")
