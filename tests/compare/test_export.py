"""`export`: each form, the ids that its library gives, and folders complete or not there."""

import json
import os
import re
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from tiktoken.load import load_tiktoken_bpe

from artifacts import names_in, write_artifact
from bpetite import Tokenizer
from bpetite._inner import write_folder
from bpetite_compare import export, to_tiktoken
from bpetite_compare._formats import FORMATS
from compare_tools import CORPUS, DUPLICATE, HOSTILE, UNREACHABLE
from exports import EVERY_FORM, check_ids, run_loading_lines
from failures import FAULTS, contents_of, fail_at_each_call, interrupt_at_each_call
from texts import TEXTS


@pytest.mark.parametrize("to", EVERY_FORM)
def test_an_export_has_equal_ids_on_any_text(to: str) -> None:
    """Loaded by its library, an export has the ids of the model, special token included."""
    for text in (*HOSTILE, CORPUS):
        check_ids(to, text)
    given(TEXTS)(lambda text: check_ids(to, text))()


@pytest.mark.parametrize("to", EVERY_FORM)
def test_the_loading_code_is_a_program(to: str, small_model: Path, tmp_path: Path) -> None:
    """The lines run by themselves, whatever the name of the file is."""
    run_loading_lines(small_model, to, tmp_path)


def test_tiktokens_own_reader_reads_the_ranks(
    small_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`load_tiktoken_bpe` reads the file, but would not notice a second export to the same path."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "model.tiktoken"
    export(small_model, "tiktoken", path)
    ranks = load_tiktoken_bpe(str(path))
    assert len(ranks) == 323
    assert all(rank == place for place, rank in enumerate(ranks.values()))
    Tokenizer.train("", 256).save(tmp_path / "other.json")
    export(tmp_path / "other.json", "tiktoken", path, overwrite=True)
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
    tokenizer, config = map(Path, exported.files)
    assert single.files == (str(tmp_path / "hf.json"),)
    assert tokenizer.read_bytes() == (tmp_path / "hf.json").read_bytes()
    assert json.loads(config.read_bytes()) == {
        "eos_token": "<|endoftext|>",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_input_names": ["input_ids", "attention_mask"],
        "clean_up_tokenization_spaces": False,
        "model_max_length": 77,
    }


def test_folders_with_other_settings_are_rejected(small_model: Path, tmp_path: Path) -> None:
    """Exporting to a folder with another tokenizer's settings is an error and changes nothing."""
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf" / "special_tokens_map.json").write_text("{}")
    with pytest.raises(ValueError, match=r"hf contains special_tokens_map\.json, which transfor"):
        export(small_model, "huggingface", tmp_path / "hf", overwrite=True)
    assert len(list((tmp_path / "hf").iterdir())) == 1


@pytest.mark.parametrize("output", [("gpt2", "x"), ("tiktoken", "x"), ("huggingface", "x.json")])
def test_transformers_settings_need_a_folder(
    output: tuple[str, str], small_model: Path, tmp_path: Path
) -> None:
    """A length or a template needs a folder for Hugging Face; a length is at least 1."""
    for settings in ({"max_length": 8}, {"chat_template": "x"}):
        with pytest.raises(ValueError, match=r"requires a folder for huggingface$"):
            export(small_model, output[0], tmp_path / output[1], **settings)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        export(small_model, "huggingface", tmp_path / "hf", max_length=0)
    with pytest.raises(TypeError, match="must be an integer, got bool"):
        export(small_model, "huggingface", tmp_path / "hf", max_length=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["bos", "eos", "pad", "unk", "chat_template"])
def test_a_role_and_a_template_are_text(name: str, small_model: Path, tmp_path: Path) -> None:
    """Anything else is an error that names the argument."""
    settings: Any = {name: 5}
    with pytest.raises(TypeError, match=f"^{name} must be str, got int"):
        export(small_model, "huggingface", tmp_path / "hf", **settings)


# Roles

OTHERS = ("<s>", "</s>", "<pad>")


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        pytest.param(None, {}, {"eos": "<|endoftext|>"}, id="the default token ends a text"),
        pytest.param(("<s>",), {}, {}, id="another token says nothing"),
        pytest.param(("<|endoftext|>", "<s>"), {}, {}, id="one of several says nothing"),
        pytest.param(OTHERS, {}, {}, id="no name is understood"),
        pytest.param((), {}, {}, id="no special tokens"),
        pytest.param(
            OTHERS, {"bos": "<s>", "eos": "</s>"}, {"bos": "<s>", "eos": "</s>"}, id="two are named"
        ),
        pytest.param(
            OTHERS,
            {"bos": "<s>", "eos": "</s>", "pad": "<pad>", "unk": "</s>"},
            {"bos": "<s>", "eos": "</s>", "pad": "<pad>", "unk": "</s>"},
            id="all are named, one token twice",
        ),
        pytest.param(
            None, {"pad": "<+>"}, {"eos": "<|endoftext|>", "pad": "<+>"}, id="an added one"
        ),
        pytest.param(None, {"eos": "<+>"}, {"eos": "<+>"}, id="not the default"),
    ],
)
def test_no_role_is_guessed(
    names: tuple[str, ...] | None, given: dict[str, Any], expected: dict[str, str], tmp_path: Path
) -> None:
    """Options name the token of a role; only the default token has one without, as its name says.

    A GGUF file has the ids of these roles, and no others.
    """
    Tokenizer.train("", 256, special_tokens=names).save(model := tmp_path / "m.json")
    exported = export(model, "huggingface", tmp_path / "hf", special_tokens=["<+>"], **given)
    config = json.loads((tmp_path / "hf" / "tokenizer_config.json").read_bytes())
    roles = {
        key.removesuffix("_token"): name for key, name in config.items() if key.endswith("_token")
    }
    others = config.get("additional_special_tokens", [])
    assert roles == expected
    assert others == [name for name in exported.special_tokens if name not in expected.values()]
    (note,) = exported.notes
    if expected:
        assert note.startswith("roles: ")
        assert {*note.removeprefix("roles: ").split(", ")} == {
            f"{role} {name!r}" for role, name in expected.items()
        }
    else:
        assert note == "roles: none; name them with --bos, --eos, --pad and --unk (bos=, ...)"
    if {"bos", "eos"} <= expected.keys():
        export(model, "gguf", tmp_path / "gguf", special_tokens=["<+>"], **given)
        assert roles_in_gguf(tmp_path / "gguf") == {
            role: exported.special_tokens[name] for role, name in expected.items()
        }


def roles_in_gguf(path: Path) -> dict[str, int]:
    """Return the id of each role in a file, by llama.cpp's names of the fields."""
    content, found = path.read_bytes(), {}
    for role, name in {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}.items():
        _, key, rest = content.partition(f"tokenizer.ggml.{name}_token_id".encode())
        if key:
            kind, found[role] = struct.unpack_from("<II", rest)
            assert kind == 4  # an unsigned number of 32 bits
    return found


@pytest.mark.parametrize(
    ("names", "given", "missing"),
    [
        pytest.param(None, {}, r"--bos \(bos=\)", id="only the default token"),
        pytest.param(OTHERS, {"eos": "</s>"}, r"--bos \(bos=\)", id="without bos"),
        pytest.param(OTHERS, {"bos": "<s>", "pad": "<s>"}, r"--eos \(eos=\)", id="without eos"),
        pytest.param((), {}, r"--bos \(bos=\) and --eos \(eos=\)", id="no special tokens"),
    ],
)
def test_llama_cpp_gets_no_gap(
    names: tuple[str, ...] | None, given: dict[str, Any], missing: str, tmp_path: Path
) -> None:
    """Without bos or eos, llama.cpp would take the id 11, so both are needed."""
    Tokenizer.train("", 256, special_tokens=names).save(model := tmp_path / "m.json")
    with pytest.raises(
        ValueError, match=f"^gguf needs {missing}; else llama.cpp would take the token 11"
    ):
        export(model, "gguf", tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_a_role_names_a_special_token(small_model: Path, tmp_path: Path) -> None:
    """An ordinary token, or no token, is an error with the way out; so is a form without roles."""
    for name in ("the", "<s>", "", "x" * 300):
        with pytest.raises(ValueError, match=rf"--eos \(eos=\) names '{name[:40]}', which is n"):
            export(small_model, "huggingface", tmp_path / "hf", eos=name)
    for to, output in (("tiktoken", "x"), ("gpt2", "x"), ("huggingface", "x.json")):
        with pytest.raises(
            ValueError, match=r"--unk \(unk=\) requires a folder for huggingface, or gguf"
        ):
            export(small_model, to, tmp_path / output, unk="<|endoftext|>")
        assert export(small_model, to, tmp_path / f"{to}.json").notes == ()


# The chat template


def test_a_byte_order_mark_is_no_part_of_a_template(small_model: Path, tmp_path: Path) -> None:
    """Each chat would begin with it, so it is left out, and a note says so."""
    template = "\ufeff{{ '\ufeff' }}"
    exported = export(small_model, "huggingface", tmp_path / "hf", chat_template=template)
    config = json.loads((tmp_path / "hf" / "tokenizer_config.json").read_bytes())
    assert config["chat_template"] == template[1:]
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
    config = json.loads((tmp_path / "hf" / "tokenizer_config.json").read_bytes())
    assert config["chat_template"] == template


NEEDED: dict[str, dict[str, Any]] = {"gguf": {"bos": "<|endoftext|>"}}
"""What a form needs besides the path."""

SPECIALS = {"<|endoftext|>": 323, "<|user|>": 324, "<é 日>": 325}


def test_special_tokens_are_appended_to_every_form(small_model: Path, tmp_path: Path) -> None:
    """Additional special tokens get ids after the last one, and no other id changes."""
    names = ["<|user|>", "<é 日>"]
    before = small_model.read_bytes()
    for to in FORMATS:
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


def test_tiktoken_has_the_special_tokens(small_model: Path, tmp_path: Path) -> None:
    """`to_tiktoken` and the lines of an export give the same encoding, special tokens included."""
    exported = export(small_model, "tiktoken", tmp_path / "x", special_tokens=list(SPECIALS)[1:])
    names: dict[str, Any] = {}
    exec(exported.loading, names)  # noqa: S102 - a user runs these lines
    text = "the cat<|user|> <é 日><|endoftext|>"
    for encoding in (names["encoding"], to_tiktoken(small_model, list(SPECIALS)[1:])):
        ids = encoding.encode(text, allowed_special="all")
        assert [one for one in ids if one >= 323] == [324, 325, 323]
        assert encoding.decode(ids) == text
        assert encoding.n_vocab == 326


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        ([""], "special token '': a special token has at least one character"),
        (["<|endoftext|>"], "special token '<|endoftext|>' is given twice; remove one"),
        (["a>", "a>"], "special token 'a>' is given twice"),
        (
            ["<|a|>", "<|a|>b"],
            "'<|a|>b': it begins with the special token '<|a|>'; '<|a_b|>' would",
        ),
        (["<|end"], "'<|endoftext|>': it begins with the special token '<|end'"),
        (["\udc80"], "has no lone surrogate"),
        (["the"], "'the' is already the ordinary token 2"),
        ([" the"], "' the' is already the ordinary token 2"),
        (["Ġthe"], "'Ġthe' is already the ordinary token 2"),
        (["é"], "'é' is already the ordinary token 233"),  # the letter of the byte 0xE9
    ],
)
def test_ambiguous_special_tokens_are_rejected(
    names: list[str], fault: str, small_model: Path, tmp_path: Path
) -> None:
    """A special token must not be a prefix of another one, or equal to a token or its letters."""
    with pytest.raises(ValueError, match=re.escape(fault)):
        export(small_model, "tiktoken", tmp_path / "out", special_tokens=names)
    with pytest.raises(ValueError, match=re.escape(fault)):
        to_tiktoken(small_model, special_tokens=names)
    assert not (tmp_path / "out").exists()


def test_special_tokens_are_a_list_of_texts(small_model: Path) -> None:
    """A single string, or bytes, is the wrong type."""
    with pytest.raises(TypeError, match=r"must be a list of str, such as \['<x>'\]"):
        to_tiktoken(small_model, "<x>")
    with pytest.raises(TypeError, match="special tokens must be str, got bytes"):
        to_tiktoken(small_model, [b"x"])  # type: ignore[list-item]


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(
    ("merges", "fault"),
    [
        (UNREACHABLE, "the token 258, b'abc', does not encode to itself"),
        (DUPLICATE, "the tokens 258 and 259 have the same bytes, b'abc'"),
        ([(97, 98), (97, 98)], "the tokens 256 and 257 have the same bytes, b'ab'"),
    ],
)
def test_ambiguous_or_unreachable_tokens_are_rejected(
    to: str, merges: list[tuple[int, int]], fault: str, tmp_path: Path
) -> None:
    """A hand-made model with ambiguous or unreachable tokens is an error with the reason."""
    model = write_artifact(tmp_path / "a.json", merges)
    with pytest.raises(ValueError, match=f"^cannot export this tokenizer to {to}: {fault}$"):
        export(model, to, tmp_path / "out", **NEEDED.get(to, {}))
    assert not (tmp_path / "out").exists()


def test_a_merge_like_a_comment_is_rejected(tmp_path: Path) -> None:
    """A merge that begins like the header of `merges.txt` would be skipped, so it is an error."""
    merges = [(ord("#"), ord("v"))]
    merges += [(255 + place, ord(letter)) for place, letter in enumerate("ersionx", 1)]
    model = write_artifact(tmp_path / "a.json", merges)
    with pytest.raises(ValueError, match="would be a comment"):
        export(model, "gpt2", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_unknown_format_is_rejected(small_model: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="unknown export format 'x'; choose from tiktoken, huggingface, gpt2"
    ):
        export(small_model, "x", tmp_path / "out")


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


@pytest.mark.parametrize("to", FORMATS)
def test_files_are_kept_by_default(to: str, small_model: Path, tmp_path: Path) -> None:
    """A second export to the same path is an error and changes nothing, unless asked to replace."""
    output = tmp_path / "out"
    needed = NEEDED.get(to, {})
    files = export(small_model, to, output, **needed).files
    before = [Path(path).read_bytes() for path in files]
    Tokenizer.train("other words", 260).save(other := tmp_path / "other.json")
    with pytest.raises(FileExistsError) as caught:
        export(other, to, output, **needed)
    assert caught.value.filename == str(output)
    assert [Path(path).read_bytes() for path in files] == before
    export(other, to, output, overwrite=True, **needed)
    assert Path(files[0]).read_bytes() != before[0]
    export(small_model, to, output, overwrite=True, **needed)
    assert [Path(path).read_bytes() for path in files] == before


PAIR = {"one": b"1", "two": b"2"}
OLD = b"old"


def test_folder_gets_both_files(tmp_path: Path) -> None:
    """A new or empty folder gets both files; a folder with other content is unchanged."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_bytes(OLD)
    write_folder(str(tmp_path / "empty"), PAIR, overwrite=False)
    write_folder(f"{tmp_path / 'new'}/", PAIR, overwrite=False)
    with pytest.raises(FileExistsError):
        write_folder(str(tmp_path / "full"), PAIR, overwrite=False)
    assert names_in(tmp_path / "full") == ["mine"]
    write_folder(str(tmp_path / "full"), PAIR, overwrite=True)
    assert names_in(tmp_path / "full") == ["mine", "one", "two"]
    for name in ("empty", "new", "full"):
        assert {key: (tmp_path / name / key).read_bytes() for key in PAIR} == PAIR
    assert names_in(tmp_path) == ["empty", "full", "new"]
    with pytest.raises(FileNotFoundError):
        write_folder(str(tmp_path / "missing" / "new"), PAIR, overwrite=False)
    with pytest.raises(FileExistsError):
        write_folder("/", PAIR, overwrite=False)


def test_a_folder_is_checked_before_any_replacement(tmp_path: Path) -> None:
    """An obstacle to the second file is found before the first is replaced."""
    (tmp_path / "one").write_bytes(OLD)
    (tmp_path / "two").mkdir()
    with pytest.raises(IsADirectoryError):
        write_folder(str(tmp_path), PAIR, overwrite=True)
    assert (tmp_path / "one").read_bytes() == OLD


@pytest.mark.posix
@pytest.mark.usefixtures("synced_by_fsync")
def test_every_file_of_a_folder_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folder are synced before the folder is renamed, and its parent afterward."""
    steps: list[str] = []

    def observe(call: str, real: Callable[..., None]) -> None:
        def observed(*arguments: object) -> None:
            steps.append(call)
            real(*arguments)

        monkeypatch.setattr(os, call, observed)

    observe("fsync", os.fsync)
    observe("rename", os.rename)
    write_folder(str(tmp_path / "folder"), PAIR, overwrite=False)
    assert steps == ["fsync", "fsync", "fsync", "rename", "fsync"]


def test_one_of_several_folders_wins(tmp_path: Path) -> None:
    """If threads write one folder at the same time, one succeeds, and its files stay."""
    barrier = threading.Barrier(4)

    def write(place: Path, content: bytes) -> bytes | None:
        barrier.wait(timeout=60)
        with suppress(FileExistsError):
            write_folder(str(place), {"one": content}, overwrite=False)
            return content
        return None

    with ThreadPoolExecutor(4) as threads:
        for attempt in range(20):
            place = tmp_path / str(attempt)
            won = threads.map(write, [place] * 4, [b"0", b"1", b"2", b"3"])
            assert [*filter(None, won)] == [(place / "one").read_bytes()]


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[], None]]:
    """Yield a call that writes a folder; afterward check that it is complete or absent."""
    folder.mkdir()
    yield partial(write_folder, str(folder / "pair"), PAIR, overwrite=False)
    assert contents_of(folder) in ({}, {"pair": b"", "pair/one": b"1", "pair/two": b"2"})


@pytest.mark.parametrize(("failing", "after"), FAULTS)
def test_failure_of_any_call_leaves_no_folder(
    tmp_path: Path, failing: Callable[[], BaseException], after: bool
) -> None:
    """Whichever call fails, the folder has both files or does not exist."""
    fail_at_each_call(tmp_path, writing, failing, after=after)


@pytest.mark.posix
@pytest.mark.usefixtures("uncollected")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_interrupt_at_any_point_leaves_no_folder(tmp_path: Path) -> None:
    """Nor does Ctrl-C, at the start or end of any Python call."""
    interrupt_at_each_call(tmp_path, writing)
