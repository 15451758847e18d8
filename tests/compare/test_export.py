"""`export`: what each form has, what is refused, and folders complete or not there.

`test_export_ids.py` loads exports in their libraries, and `test_gguf.py` has llama.cpp's form.
"""

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from tiktoken.load import load_tiktoken_bpe

from bpetite import Tokenizer
from bpetite_compare import export, to_tiktoken
from compare_tools import write_tokenizer
from failures import FAULTS, contents_of, fail_at_each_call, interrupt_at_each_call

FORMS: Final = ("tiktoken", "huggingface", "gpt2", "gguf")
NEEDED: Final[dict[str, dict[str, Any]]] = {
    "gguf": {"bos": "<|endoftext|>", "eos": "<|endoftext|>"}
}
"""What a form needs besides the path."""


def test_tiktokens_own_reader_reads_the_ranks(
    small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`load_tiktoken_bpe` reads the file, but would not notice a second export to the same path."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "model.tiktoken"
    export(small_model, "tiktoken", path)
    ranks = load_tiktoken_bpe(str(path))
    assert [*ranks.values()] == [*range(323)]
    export(write_tokenizer(tmp_path / "other.json"), "tiktoken", path, overwrite=True)
    assert load_tiktoken_bpe(str(path)) == ranks  # from the cache, which is why we do not use it


def test_the_two_files_match_gpt_2s_format(small_model: Path, tmp_path: Path) -> None:
    """`vocab.json` has every token in letters with its id, `merges.txt` a header and the merges."""
    exported = export(small_model, "gpt2", tmp_path / "folder")
    assert [Path(path).name for path in exported.files] == ["vocab.json", "merges.txt"]
    vocab = json.loads((tmp_path / "folder" / "vocab.json").read_bytes())
    assert sorted(vocab.values()) == list(range(324))
    header, *lines = (tmp_path / "folder" / "merges.txt").read_text("utf-8").split("\n")
    assert (header, lines.pop()) == ("#version: 0.2", "")
    assert [vocab["".join(line.split(" "))] for line in lines] == list(range(256, 323))


@pytest.mark.parametrize(
    "name", ["added_tokens.json", "chat_template.jinja", "special_tokens_map.json"]
)
def test_folders_with_other_settings_are_rejected(
    name: str, small_model: Path, tmp_path: Path
) -> None:
    """Exporting to a folder with another tokenizer's settings is an error and changes nothing."""
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf" / name).write_text("{}")
    with pytest.raises(ValueError, match=rf"hf contains {name}, which transformers would also"):
        export(small_model, "huggingface", tmp_path / "hf", overwrite=True)
    assert os.listdir(tmp_path / "hf") == [name]


@pytest.mark.parametrize(
    ("to", "output", "settings", "fault"),
    [
        pytest.param("gpt2", "x", {"max_length": 8}, "--max-length .* huggingface$", id="gpt2"),
        pytest.param("huggingface", "x.json", {"max_length": 8}, "huggingface$", id="one file"),
        pytest.param("gguf", "x", {"max_length": 8}, "folder for huggingface$", id="gguf"),
        pytest.param("huggingface", "x.json", {"unk": "x"}, "or gguf", id="role of one file"),
        pytest.param("huggingface", "x", {"max_length": 0}, "at least 1, got 0", id="length"),
        pytest.param("huggingface", "x", {"max_length": True}, "integer, got bool", id="true"),
        pytest.param("huggingface", "x", {"pad": 5}, "^pad must be str, got int", id="number"),
        pytest.param(
            "huggingface", "x", {"eos": "the"}, r"--eos \(eos=\) names 'the', which", id="ordinary"
        ),
        pytest.param("gpt4", "x", {}, "unknown export format 'gpt4'; choose from ti", id="form"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    to: str, output: str, settings: dict[str, Any], fault: str, small_model: Path, tmp_path: Path
) -> None:
    """Transformers' settings need a folder, roles one or gguf, and each has its type."""
    with pytest.raises((TypeError, ValueError), match=fault):
        export(small_model, to, tmp_path / output, **settings)
    assert list(tmp_path.iterdir()) == []


NO_ROLES: Final = "none; name them with --bos, --eos, --pad and --unk (bos=, ...)"


@pytest.mark.parametrize(
    ("names", "roles", "told"),
    [
        pytest.param(None, {}, "eos '<|endoftext|>'", id="the default token ends a text"),
        pytest.param(["</s>"], {}, NO_ROLES, id="another token says nothing"),
        pytest.param(["<|endoftext|>", "<s>"], {}, NO_ROLES, id="one of several says nothing"),
        pytest.param(None, {"eos": "<+>"}, "eos '<+>'", id="not the default"),
    ],
)
def test_no_role_is_guessed(
    names: list[str] | None, roles: dict[str, Any], told: str, tmp_path: Path
) -> None:
    """Options name the token of a role; only the default token has one, as its name says."""
    Tokenizer.train("", 256, special_tokens=names).save(model := tmp_path / "m.json")
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<+>"], **roles)
    assert exported.notes == (f"roles: {told}",)


# Special tokens

SPECIALS: Final = {"<|endoftext|>": 323, "<|user|>": 324, "<é 日>": 325}


def test_special_tokens_are_appended_to_every_form(small_model: Path, tmp_path: Path) -> None:
    """Additional special tokens get ids after the last one, and no other id changes."""
    names = ["<|user|>", "<é 日>"]
    for to in FORMS:
        more = {"special_tokens": names, **NEEDED.get(to, {})}
        exported = export(small_model, to, tmp_path / to, **more)
        assert (exported.special_tokens, exported.tokens) == (SPECIALS, 326)
        assert to != "tiktoken" or repr(SPECIALS) in exported.loading
    export(small_model, "gpt2", tmp_path / "plain")
    vocab, plain = (
        json.loads((tmp_path / one / "vocab.json").read_bytes()) for one in ("gpt2", "plain")
    )
    assert vocab == plain | SPECIALS
    added = json.loads((tmp_path / "huggingface" / "tokenizer.json").read_bytes())["added_tokens"]
    assert {one["content"]: one["id"] for one in added if one["special"]} == SPECIALS
    encoding = to_tiktoken(small_model, names)
    ids = encoding.encode("the cat<|user|> <é 日><|endoftext|>", allowed_special="all")
    assert [one for one in ids if one >= 323] == [324, 325, 323]


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        pytest.param(["<|endoftext|>"], "'<|endoftext|>' is given twice; remove one", id="own"),
        pytest.param(
            ["<|a|>", "<|a|>b"], "it begins with the special token '<|a|>'; '<|a_b|>'", id="longer"
        ),
        pytest.param([" the"], "' the' is already the ordinary token 2", id="token"),
        pytest.param(["Ġthe"], "'Ġthe' is already the ordinary token 2", id="its letters"),
        pytest.param("<x>", "must be a list of str, such as ['<x>']", id="text"),
    ],
)
def test_ambiguous_special_tokens_are_rejected(
    names: list[str], fault: str, small_model: Path, tmp_path: Path
) -> None:
    """A special token must not be a prefix of another one, or equal to a token or its letters."""
    with pytest.raises((TypeError, ValueError), match=re.escape(fault)):
        export(small_model, "tiktoken", tmp_path / "out", special_tokens=names)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["huggingface", "gguf"])
def test_letters_of_a_chunk_are_no_special_token(to: str, tmp_path: Path) -> None:
    """Where whole chunks are looked up by their letters, the name would be found for other text."""
    special = {"Ġnew": 300}
    model = write_tokenizer(tmp_path / "m.json", [], [b"xyz"], special, range(257), "gpt4")
    told = "the text b' new' would be the special token 'Ġnew', which"
    with pytest.raises(ValueError, match=told):
        export(model, to, tmp_path / "out")
    export(model, "tiktoken", tmp_path / "out")


# What a form lacks


@pytest.mark.parametrize(
    ("to", "parts", "reason"),
    [
        pytest.param("gpt2", {"pattern": "gpt4"}, "has gpt4, so export to huggingface", id="gpt4"),
        pytest.param("gpt2", {"whole": [b"xyz"]}, "cannot represent whole tokens; ex", id="whole"),
        pytest.param(
            "gpt2",
            {"merges": [(35, 118), *zip(range(256, 263), b"ersionx", strict=True)]},
            "merge 7, .*, would be a comment",
            id="a merge like the header",
        ),
        pytest.param("gguf", {"pattern": "nanochat"}, "the pattern nanochat; ex", id="nanochat"),
        pytest.param(
            "gguf", {"whole": [b"xyz"]}, "whole tokens with the pattern gpt2; ex", id="gguf whole"
        ),
        pytest.param(
            "gguf",
            {"ids": range(1, 257), "special": {"<|endoftext|>": 300, "[PAD280]": 299}},
            "a gap between ids, as its name is a token, too; ex",
            id="name of a gap",
        ),
    ],
)
def test_what_a_form_lacks_is_refused_by_name(
    to: str, parts: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    """The error names what it lacks, and a form that has it, which works."""
    model = write_tokenizer(tmp_path / "m.json", **parts)
    with pytest.raises(ValueError, match=reason):
        export(model, to, tmp_path / "out", **NEEDED.get(to, {}))
    assert not (tmp_path / "out").exists()
    export(model, "huggingface", tmp_path / "out")


# Files and folders


@pytest.mark.parametrize(
    ("to", "model"), [("tiktoken", "it"), ("huggingface", "it"), ("gpt2", "it/vocab.json")]
)
def test_the_model_is_never_replaced(
    to: str, model: str, small_model: Path, tmp_path: Path
) -> None:
    """An output that is the model, under any name, is an error, and the model is unchanged."""
    path = tmp_path / model
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(small_model.read_bytes())
    (tmp_path / "link").symlink_to(tmp_path / "it")
    for output in ("it", "link"):
        with pytest.raises(ValueError, match="is also an input and would be overwritten"):
            export(path, to, tmp_path / output, overwrite=True)
    assert path.read_bytes() == small_model.read_bytes()


def test_a_file_is_kept_by_default(small_model: Path, tmp_path: Path) -> None:
    """A second export to the same path is an error and changes nothing, unless asked to replace."""
    export(small_model, "tiktoken", output := tmp_path / "out")
    before = output.read_bytes()
    other = write_tokenizer(tmp_path / "other.json", [(97, 98)])
    with pytest.raises(FileExistsError) as caught:
        export(other, "tiktoken", output)
    assert (caught.value.filename, output.read_bytes()) == (str(output), before)
    export(other, "tiktoken", output, overwrite=True)
    assert output.read_bytes() != before


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tokenizer file with one merge."""
    return write_tokenizer(tmp_path_factory.mktemp("model") / "model.json", [(97, 98)])


BOTH: Final = ["merges.txt", "vocab.json"]


def test_folder_gets_both_files(model: Path, tmp_path: Path) -> None:
    """A new or empty folder gets both files; a folder with other content is unchanged."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_bytes(b"mine")
    export(model, "gpt2", tmp_path / "empty")
    export(model, "gpt2", f"{tmp_path / 'new'}/")
    with pytest.raises(FileExistsError):
        export(model, "gpt2", tmp_path / "full")
    assert os.listdir(tmp_path / "full") == ["mine"]
    export(model, "gpt2", tmp_path / "full", overwrite=True)
    assert sorted(os.listdir(tmp_path / "full")) == ["merges.txt", "mine", "vocab.json"]
    for name in ("empty", "new"):
        assert sorted(os.listdir(tmp_path / name)) == BOTH
    assert sorted(os.listdir(tmp_path)) == ["empty", "full", "new"]
    with pytest.raises(FileNotFoundError):
        export(model, "gpt2", tmp_path / "missing" / "new")
    with pytest.raises(FileExistsError):
        export(model, "gpt2", "/")


def test_a_folder_is_checked_before_any_replacement(model: Path, tmp_path: Path) -> None:
    """An obstacle to the second file is found before the first is replaced."""
    (tmp_path / "vocab.json").write_bytes(b"old")
    (tmp_path / "merges.txt").mkdir()
    with pytest.raises(IsADirectoryError):
        export(model, "gpt2", tmp_path, overwrite=True)
    assert (tmp_path / "vocab.json").read_bytes() == b"old"


@pytest.mark.posix
@pytest.mark.usefixtures("synced_by_fsync")
def test_every_file_of_a_folder_is_synced(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files and folder are synced before the folder is renamed, and its parent afterward."""
    steps: list[str] = []

    def observe(call: str, real: Callable[..., None]) -> None:
        def observed(*arguments: object) -> None:
            steps.append(call)
            real(*arguments)

        monkeypatch.setattr(os, call, observed)

    observe("fsync", os.fsync)
    observe("rename", os.rename)
    export(model, "gpt2", tmp_path / "folder")
    assert steps == ["fsync", "fsync", "fsync", "rename", "fsync"]


def test_one_of_several_folders_wins(model: Path, small_model: Path, tmp_path: Path) -> None:
    """If threads write one folder at the same time, one succeeds, and its files stay."""
    barrier = threading.Barrier(4)

    def write(place: Path, source: Path) -> Path | None:
        barrier.wait(timeout=60)
        with suppress(FileExistsError):
            export(source, "gpt2", place)
            return source
        return None

    for source in (model, small_model):
        export(source, "gpt2", tmp_path / source.stem)
    with ThreadPoolExecutor(4) as threads:
        for attempt in range(20):
            place = tmp_path / str(attempt)
            won = threads.map(write, [place] * 4, [model, small_model] * 2)
            [source] = filter(None, won)
            assert contents_of(place) == contents_of(tmp_path / source.stem)


@contextmanager
def writing(model: Path, folder: Path) -> Iterator[Callable[[], object]]:
    """Yield a call that writes a folder; afterward check that it is complete or absent."""
    folder.mkdir()
    yield partial(export, model, "gpt2", folder / "both")
    assert sorted(contents_of(folder)) in ([], ["both", "both/merges.txt", "both/vocab.json"])


@pytest.mark.parametrize(("failing", "after"), FAULTS)
def test_failure_of_any_call_leaves_no_folder(
    failing: Callable[[], BaseException], after: bool, model: Path, tmp_path: Path
) -> None:
    """Whichever call fails, the folder has both files or does not exist."""
    fail_at_each_call(tmp_path, partial(writing, model), failing, after=after)


@pytest.mark.posix
@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_interrupt_at_any_point_leaves_no_folder(model: Path, tmp_path: Path) -> None:
    """Nor does Ctrl-C, at the start or end of any Python call from the first change on."""
    interrupt_at_each_call(tmp_path, partial(writing, model), os.mkdir)
