"""Write a tokenizer in one of the file formats of `_formats`.

All of them identify a token by its bytes or its text. The ids are the same if a token's bytes
determine its id; `_soundness` checks that first. What the ids do not depend on is an option: roles,
a chat template, a maximum length.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Final

from bpetite import Tokenizer
from bpetite._inner import (
    END_OF_TEXT_TOKEN,
    check_not_an_input,
    quoted,
    write_folder,
    write_parts,
)
from bpetite_compare._base import MORE_TEMPLATES, of_gguf, on_base, read_id_map
from bpetite_compare._formats import FORMATS, has_roles, is_folder, loading_a_folder
from bpetite_compare._soundness import exportable
from bpetite_compare._to_tiktoken import read_artifact

ROLES: Final = {"bos": "the begin", "eos": "the end", "pad": "padding", "unk": "unknown text"}
"""The roles of special tokens in other libraries, and what each is for."""

_OF_GGUF: Final = (*ROLES, "base", "id_map")
"""The settings that a GGUF file has too."""

_ALSO_READ: Final = (
    "added_tokens.json",
    MORE_TEMPLATES,
    "chat_template.jinja",
    "special_tokens_map.json",
)
"""Other files that transformers reads from a folder, in preference to an export's."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    files: the paths of the files written.
    loading: Python code that loads them in their library, from any folder.
    tokens: how many there are, special tokens included.
    rows: how many a model needs: the highest id plus one.
    special_tokens: the id of each.
    notes: remarks for people, such as the roles of special tokens.
    """

    files: tuple[str, ...]
    loading: str
    tokens: int
    rows: int
    special_tokens: Mapping[str, int]
    notes: tuple[str, ...] = ()


def export(  # noqa: PLR0913 - all but three are settings with a default
    model: str | os.PathLike[str] | Tokenizer,
    to: str,
    output: str | os.PathLike[str],
    overwrite: bool = False,
    *,
    special_tokens: Iterable[str] = (),
    max_length: int | None = None,
    chat_template: str | None = None,
    bos: str | None = None,
    eos: str | None = None,
    pad: str | None = None,
    unk: str | None = None,
    base: str | os.PathLike[str] | None = None,
    id_map: str | os.PathLike[str] | None = None,
) -> Exported:
    """Write a tokenizer in the format of another library, with the same ids.

    Args:
        model: a tokenizer, or the path of its file.
        to: "tiktoken" or "gguf" for a file; "gpt2" for a folder; "huggingface" for a folder, or
            for one file if `output` ends in ".json".
        output: the path of the file or folder.
        overwrite: whether existing files may be replaced.
        special_tokens: more special tokens for the export; their ids follow the last one.
        max_length: for a transformers folder, the most tokens with `truncation=True`.
        chat_template: for a transformers folder, its Jinja template. If transformers and jinja2
            are installed, it is compiled.
        bos: the special token that begins a text.
        eos: the one that ends a text; by default `<|endoftext|>`, if there is no other.
        pad: the one for padding.
        unk: the one for what has no token. No text needs it.
        base: the folder of a model or, for "gguf", its file, to get this vocabulary. Special
            tokens, split pattern and, without `id_map`, ids must be the tokenizer's.
        id_map: with `base`, the path of a JSON list: for each new id, the model's id or null.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        TypeError: an argument has a wrong type.
        ValueError: the format is unknown, lacks an option or cannot represent the tokenizer, a
            special token, a role, the chat template or the base does not fit, or the output is
            also an input.
        FileExistsError: the output exists, and `overwrite` is false.
        OSError: the system does not allow it. Existing files are unchanged.
    """
    if to not in FORMATS:
        raise ValueError(f"unknown export format {to[:40]!r}; choose from {', '.join(FORMATS)}")
    path = os.fspath(output)
    given = {"bos": bos, "eos": eos, "pad": pad, "unk": unk}
    for name, text in (*given.items(), ("chat_template", chat_template)):
        if not isinstance(text, (str, NoneType)):
            raise TypeError(f"{name} must be str, got {type(text).__name__}")
    length = None if max_length is None else _checked_length(max_length)
    template = chat_template and chat_template.removeprefix("\ufeff")  # a byte order mark
    settings = {"model_max_length": length, "chat_template": template}
    config: Any = {name: value for name, value in settings.items() if value is not None}
    folder = is_folder(to, path)
    if id_map is not None and base is None:
        raise ValueError("--id-map (id_map=) requires --base (base=)")
    model_folder = {"base": base, "id_map": id_map}
    check_fits(to, path, {"max_length": length, "chat_template": template, **given, **model_folder})
    artifact = read_artifact(model)
    exported = exportable(artifact, special_tokens, to)
    special = exported.special_tokens
    roles = _roles_of(given, () if base else artifact.special_names, special)
    inputs = [one for one in (model, id_map, base) if isinstance(one, (str, os.PathLike))]
    notes = [*_remarks(roles, chat_template, base=bool(base))] if has_roles(to, path) else []
    old_ids = None if id_map is None else read_id_map(os.fspath(id_map), max(exported.ids) + 1)
    if base is None or to == "gguf":
        if base is not None:
            config, notes = of_gguf(os.fspath(base), exported, old_ids)
        contents, loading = FORMATS[to](exported, path, roles, config)
    else:
        contents, changes = on_base(exported, os.fspath(base), old_ids, roles, config)
        loading, notes = loading_a_folder(path), [*notes, *changes]
        inputs += [os.path.join(base, name) for name in os.listdir(base)]
    files = tuple(os.path.join(path, name) for name in contents) if folder else (path,)
    if to == "huggingface" and folder:
        _check_folder(path, contents, base)
    for file in (path, *files):
        check_not_an_input(file, inputs)
    if folder:
        write_folder(path, contents, overwrite=overwrite)
    else:
        write_parts(path, [contents[""]], overwrite=overwrite)
    rows = max(exported.ids) + 1
    return Exported(files, loading, len(exported.ids), rows, special, tuple(notes))


def _checked_length(length: int) -> int:
    if type(length) is not int:
        raise TypeError(f"max_length must be an integer, got {type(length).__name__}")
    if length < 1:
        raise ValueError(f"max_length must be at least 1, got {length}")
    return length


def _check_folder(
    path: str, contents: Collection[str], base: str | os.PathLike[str] | None
) -> None:
    """Reject a folder with other files that would change the tokenizer that transformers loads.

    Raises:
        ValueError: the folder has such a file, or is in the base.
    """
    if base is not None and Path(path).resolve().is_relative_to(Path(base).resolve()):
        raise ValueError(f"{quoted(path)} is --base (base=) or in it; choose another output")
    for name in _ALSO_READ:
        if name not in contents and os.path.lexists(os.path.join(path, name)):
            raise ValueError(
                f"{quoted(path)} contains {name}, which transformers would also read; "
                "remove it, or choose another folder"
            )


def check_fits(to: str, output: str, settings: Mapping[str, object]) -> None:
    """Reject settings, which may be None, that the output does not have."""
    for name, value in settings.items():
        fits = has_roles(to, output) and (to != "gguf" or name in _OF_GGUF)
        if value is not None and not fits:
            also = ", or gguf" if name in _OF_GGUF else ""
            raise ValueError(
                f"--{name.replace('_', '-')} ({name}=) requires a folder for huggingface{also}"
            )


def _roles_of(
    given: Mapping[str, str | None], own: Collection[str], special_tokens: Collection[str]
) -> dict[str, str]:
    """Return the special token of each role.

    Args:
        given: the special tokens that somebody has named, or None.
        own: the special tokens of the tokenizer.
        special_tokens: those of the export.

    Raises:
        ValueError: a role has something else than a special token.
    """
    roles = {role: name for role, name in given.items() if name is not None}
    for role, name in roles.items():
        if name not in special_tokens:
            raise ValueError(
                f"--{role} ({role}=) names {name[:40]!r}, which is not a special token of this "
                "tokenizer; --special (special_tokens=) adds one"
            )
    if [*own] == [END_OF_TEXT_TOKEN]:  # its name says what it does; other names do not
        roles.setdefault("eos", END_OF_TEXT_TOKEN)
    return roles


def _remarks(roles: Mapping[str, str], template: str | None, *, base: bool) -> Iterator[str]:
    """Yield remarks about the roles and the chat template of an export, after checking it.

    With a base, other roles are the base's.

    Raises:
        ValueError: transformers cannot compile the template.
    """
    named = ["the base's"] if base else []
    named += [f"{role} {name!r}" for role, name in roles.items()]
    none = "none; name them with --bos, --eos, --pad and --unk (bos=, ...)"
    yield f"roles: {', '.join(named) or none}"
    if template is None:
        return
    if template.startswith("\ufeff"):
        yield "the byte order mark at the start of the chat template is left out"
    if not _is_compiled(template):
        yield "the chat template was not checked, because transformers or jinja2 is not installed"
    for role in ROLES:
        if f"{role}_token" in template and role not in roles and not base:
            yield f"the chat template uses {role}_token, which is empty without --{role} ({role}=)"


def _is_compiled(template: str) -> bool:
    """Compile a template as transformers does, and return whether transformers is installed.

    Its environment has tags of its own.

    Raises:
        ValueError: it cannot be compiled.
    """
    try:
        from transformers.utils import chat_template_utils  # noqa: PLC0415 - takes a second

        chat_template_utils._compile_jinja_template(template)
    except ImportError:  # transformers or jinja2 is not installed, or too old
        return False
    except Exception as error:  # noqa: BLE001 - Jinja's, or of Python's own compiler
        line = None if isinstance(error, SyntaxError) else getattr(error, "lineno", None)
        where = f" in line {line}" if line else ""
        # Python names a line of Jinja's code, not of the template.
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(f"the chat template cannot be compiled{where}: {reason}") from None
    return True
