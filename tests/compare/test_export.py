"""`export`: what each form has, what is refused, and folders complete or not there.

`test_export_ids.py` loads exports in their libraries, and `test_gguf.py` has llama.cpp's form.
"""

import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from tiktoken.load import load_tiktoken_bpe

from bpetite import Tokenizer
from bpetite_compare import export, to_tiktoken
from compare_tools import write_tokenizer
from failures import FAULTS, contents_of, fail_at_each_call

FORMS: Final = ("tiktoken", "huggingface", "gpt2", "gguf")
NEEDED: Final[dict[str, dict[str, Any]]] = {
    "gguf": {"bos": "<|endoftext|>", "eos": "<|endoftext|>"}
}
"""What a form needs besides the path."""


def config_in(folder: Path) -> dict[str, Any]:
    """Return the configuration in a folder for transformers."""
    content: dict[str, Any] = json.loads((folder / "tokenizer_config.json").read_bytes())
    return content


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


def test_the_folder_for_transformers(small_model: Path, tmp_path: Path) -> None:
    """The folder has the file of `tokenizers`, and a second one that names the special tokens."""
    exported = export(small_model, "huggingface", tmp_path / "hf", max_length=77)
    single = export(small_model, "huggingface", tmp_path / "hf.json")
    assert single.files == (str(tmp_path / "hf.json"),)
    assert Path(exported.files[0]).read_bytes() == (tmp_path / "hf.json").read_bytes()
    assert config_in(tmp_path / "hf") == {
        "eos_token": "<|endoftext|>",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        "model_max_length": 77,
    }


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
        pytest.param("gpt2", "x", {"max_length": 8}, "folder for huggingface$", id="gpt2"),
        pytest.param("tiktoken", "x", {"chat_template": "x"}, "huggingface$", id="tiktoken"),
        pytest.param("huggingface", "x.json", {"max_length": 8}, "huggingface$", id="one file"),
        pytest.param("gguf", "x", {"max_length": 8}, "folder for huggingface$", id="gguf"),
        pytest.param("gpt2", "x", {"unk": "x"}, "huggingface, or gguf", id="role"),
        pytest.param("huggingface", "x.json", {"unk": "x"}, "or gguf", id="role of one file"),
        pytest.param("huggingface", "x", {"max_length": 0}, "at least 1, got 0", id="length"),
        pytest.param("huggingface", "x", {"max_length": True}, "integer, got bool", id="true"),
        pytest.param("huggingface", "x", {"pad": 5}, "^pad must be str, got int", id="number"),
        pytest.param(
            "huggingface", "x", {"chat_template": 5}, "^chat_template must be str", id="template"
        ),
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


@pytest.mark.parametrize(
    ("names", "roles", "expected"),
    [
        pytest.param(None, {}, {"eos": "<|endoftext|>"}, id="the default token ends a text"),
        pytest.param(["</s>"], {}, {}, id="another token says nothing"),
        pytest.param(["<|endoftext|>", "<s>"], {}, {}, id="one of several says nothing"),
        pytest.param([], {}, {}, id="no special tokens"),
        pytest.param(
            ["<s>", "<p>"],
            {"bos": "<s>", "pad": "<p>", "unk": "<s>"},
            {"bos": "<s>", "pad": "<p>", "unk": "<s>"},
            id="named, one token twice",
        ),
        pytest.param(None, {"pad": "<+>"}, {"pad": "<+>", "eos": "<|endoftext|>"}, id="added"),
        pytest.param(None, {"eos": "<+>"}, {"eos": "<+>"}, id="not the default"),
    ],
)
def test_no_role_is_guessed(
    names: list[str] | None, roles: dict[str, Any], expected: dict[str, str], tmp_path: Path
) -> None:
    """Options name the token of a role; only the default token has one, as its name says."""
    Tokenizer.train("", 256, special_tokens=names).save(model := tmp_path / "m.json")
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<+>"], **roles)
    config = config_in(tmp_path / "hf")
    assert {
        key.removesuffix("_token"): name for key, name in config.items() if key.endswith("_token")
    } == expected
    others = [name for name in exported.special_tokens if name not in expected.values()]
    assert config.get("additional_special_tokens", []) == others
    said = ", ".join(f"{role} {name!r}" for role, name in expected.items())
    none = "none; name them with --bos, --eos, --pad and --unk (bos=, ...)"
    assert exported.notes == (f"roles: {said or none}",)


def test_a_byte_order_mark_is_no_part_of_a_template(small_model: Path, tmp_path: Path) -> None:
    """Each chat would begin with it, so it is left out, and a note says so."""
    template = "\ufeff{{ '\ufeff' }}"
    exported = export(small_model, "huggingface", tmp_path / "hf", chat_template=template)
    assert config_in(tmp_path / "hf")["chat_template"] == template[1:]
    assert "the byte order mark at the start of the chat template is left out" in exported.notes


@pytest.mark.parametrize("missing", ["transformers", "jinja2"])
def test_a_template_is_checked_if_possible(
    missing: str, small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without transformers or jinja2 a template is written as it is, and a note says so."""
    for module in [name for name in sys.modules if name.partition(".")[0] == "transformers"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)
    template = "{% foo %}{{ bos_token }}{{ eos_token }}"
    exported = export(small_model, "huggingface", tmp_path / "hf", chat_template=template)
    assert exported.notes == (
        "roles: eos '<|endoftext|>'",
        "the chat template was not checked, because transformers or jinja2 is not installed",
        "the chat template uses bos_token, which is empty without --bos (bos=)",
    )
    assert config_in(tmp_path / "hf")["chat_template"] == template


# Special tokens

SPECIALS: Final = {"<|endoftext|>": 323, "<|user|>": 324, "<é 日>": 325}


def test_special_tokens_are_appended_to_every_form(small_model: Path, tmp_path: Path) -> None:
    """Additional special tokens get ids after the last one, and no other id changes."""
    names = ["<|user|>", "<é 日>"]
    before = small_model.read_bytes()
    for to in FORMS:
        plain = export(small_model, to, tmp_path / to, **NEEDED.get(to, {}))
        more = {"special_tokens": names, **NEEDED.get(to, {})}
        exported = export(small_model, to, tmp_path / f"{to} more", **more)
        assert (exported.special_tokens, exported.tokens) == (SPECIALS, plain.tokens + 2)
    vocab = json.loads((tmp_path / "gpt2 more" / "vocab.json").read_bytes())
    assert vocab == json.loads((tmp_path / "gpt2" / "vocab.json").read_bytes()) | SPECIALS
    hf = json.loads((tmp_path / "huggingface more" / "tokenizer.json").read_bytes())
    assert {one["content"]: one["id"] for one in hf["added_tokens"]} == SPECIALS
    assert all(one["special"] for one in hf["added_tokens"])
    assert (tmp_path / "tiktoken more").read_bytes() == (tmp_path / "tiktoken").read_bytes()
    assert small_model.read_bytes() == before
    loading: dict[str, Any] = {}
    exec(export(small_model, "tiktoken", tmp_path / "x", special_tokens=names).loading, loading)  # noqa: S102
    for encoding in (loading["encoding"], to_tiktoken(small_model, names)):
        ids = encoding.encode("the cat<|user|> <é 日><|endoftext|>", allowed_special="all")
        assert [one for one in ids if one >= 323] == [324, 325, 323]
        assert encoding.n_vocab == 326


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        pytest.param([""], "special token '': a special token has at least one", id="empty"),
        pytest.param(["<|endoftext|>"], "'<|endoftext|>' is given twice; remove one", id="own"),
        pytest.param(
            ["<|a|>", "<|a|>b"], "it begins with the special token '<|a|>'; '<|a_b|>'", id="longer"
        ),
        pytest.param(["<|end"], "it begins with the special token '<|end'", id="shorter"),
        pytest.param(["\udc80"], "has no lone surrogate", id="surrogate"),
        pytest.param([" the"], "' the' is already the ordinary token 2", id="token"),
        pytest.param(["Ġthe"], "'Ġthe' is already the ordinary token 2", id="its letters"),
        pytest.param(["é"], "'é' is already the ordinary token 233", id="the letter of a byte"),
        pytest.param("<x>", "must be a list of str, such as ['<x>']", id="text"),
        pytest.param([b"x"], "special tokens must be str, got bytes", id="bytes"),
    ],
)
def test_ambiguous_special_tokens_are_rejected(
    names: list[str], fault: str, small_model: Path, tmp_path: Path
) -> None:
    """A special token must not be a prefix of another one, or equal to a token or its letters."""
    for call in (
        lambda: export(small_model, "tiktoken", tmp_path / "out", special_tokens=names),
        lambda: to_tiktoken(small_model, special_tokens=names),
    ):
        with pytest.raises((TypeError, ValueError), match=re.escape(fault)):
            call()
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
        pytest.param("gguf", {"pattern": "tekken"}, "the pattern tekken; export", id="tekken"),
        pytest.param(
            "gguf", {"whole": [b"xyz"]}, "whole tokens with the pattern gpt2; ex", id="gguf whole"
        ),
        pytest.param(
            "gguf",
            {"ids": range(1, 257), "special": {"<|endoftext|>": 300}},
            "llama.cpp cannot represent gaps between ids; ex",
            id="gaps",
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


@pytest.mark.parametrize("to", FORMS)
def test_files_are_kept_by_default(to: str, small_model: Path, tmp_path: Path) -> None:
    """A second export to the same path is an error and changes nothing, unless asked to replace."""
    output = tmp_path / "out"
    needed = NEEDED.get(to, {})
    files = export(small_model, to, output, **needed).files
    before = [Path(path).read_bytes() for path in files]
    other = write_tokenizer(tmp_path / "other.json", [(97, 98)])
    with pytest.raises(FileExistsError) as caught:
        export(other, to, output, **needed)
    assert caught.value.filename == str(output)
    assert [Path(path).read_bytes() for path in files] == before
    export(other, to, output, overwrite=True, **needed)
    assert Path(files[0]).read_bytes() != before[0]
    export(small_model, to, output, overwrite=True, **needed)
    assert [Path(path).read_bytes() for path in files] == before


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
    number, left, begun = 0, 0, False

    def count_down(_frame: FrameType, event: str, called: object) -> None:
        nonlocal left, begun
        begun = begun or called is os.mkdir
        left -= begun and event in {"call", "c_return"}
        if begun and left == 0:
            raise KeyboardInterrupt

    while left <= 0:
        number += 1
        with writing(model, tmp_path / str(number)) as save:
            left, begun = number, False
            with suppress(KeyboardInterrupt):
                sys.setprofile(count_down)
                save()
                sys.setprofile(None)  # an exception that leaves `save` also removes the hook
    assert number > 40
