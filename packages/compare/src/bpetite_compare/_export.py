"""Write a tokenizer in one of the file formats of `_formats`.

All of them identify a token by its bytes or its text. The ids are the same if a token's bytes
determine its id; `_soundness` checks that first. What the ids do not depend on is an option: roles,
a chat template, a maximum length.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Final

from bpetite import Tokenizer
from bpetite._inner import (
    END_OF_TEXT_TOKEN,
    check_not_an_input,
    quoted,
    write_folder,
    write_parts,
)
from bpetite_compare._formats import FORMATS, has_roles, is_folder
from bpetite_compare._soundness import exportable
from bpetite_compare._to_tiktoken import read_artifact

ROLES: Final = {"bos": "the begin", "eos": "the end", "pad": "padding", "unk": "unknown text"}
"""The roles of special tokens in other libraries, and what each is for."""

_ALSO_READ: Final = ("added_tokens.json", "chat_template.jinja", "special_tokens_map.json")
"""Other files that transformers reads from a folder, in preference to an export's."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    files: the paths of the files written.
    loading: Python code that loads them in their library, from any folder.
    tokens: the number of tokens, special tokens included.
    rows: the number of rows that a model needs: the highest id and one.
    special_tokens: the id of each special token, by its text.
    notes: remarks for people, such as which special token has which role.
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
) -> Exported:
    """Write a tokenizer in the format of another library.

    The ids are the tokenizer's.

    Args:
        model: a tokenizer, or the path of its file.
        to: "tiktoken" for a file of ranks; "huggingface" for a folder that
            `PreTrainedTokenizerFast` of transformers loads, or for one `tokenizer.json` if
            `output` ends in ".json"; "gpt2" for a folder with `vocab.json` and `merges.txt`;
            "gguf" for the vocabulary in llama.cpp's format.
        output: the path of the file or folder.
        overwrite: whether existing files may be replaced.
        special_tokens: more special tokens for the export; their ids follow the last one.
            The tokenizer file does not change.
        max_length: for a transformers folder, the maximum number of tokens. transformers
            warns about longer texts, and truncates them with `truncation=True`.
        chat_template: for a transformers folder, the Jinja template of
            `apply_chat_template`. If transformers and jinja2 are installed, it is compiled.
        bos: for a transformers folder or "gguf", the special token that begins a text. A
            "gguf" file needs this and `eos`.
        eos: the one that ends a text. The default is `<|endoftext|>` if it is the only special
            token of the tokenizer.
        pad: the one for padding.
        unk: the one for what has no token. No text needs it.

    Raises:
        KeyError, ValueError, OSError: the tokenizer file cannot be loaded.
        TypeError: `special_tokens` is a single `str`, one of them is not a `str`, or
            `max_length` is not an integer, or a role or the chat template no `str`.
        ValueError: the format is unknown, lacks an option, or cannot represent the tokenizer;
            a token does not encode to itself (never after training, unless it continued such
            a tokenizer); a special token cannot be used; a role names no special token; the
            chat template has an error; or the output is also an input.
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
    config = {name: value for name, value in settings.items() if value is not None}
    folder = is_folder(to, path)
    check_fits(to, path, {"max_length": length, "chat_template": template, **given})
    artifact = read_artifact(model)
    exported = exportable(artifact, special_tokens, to)
    special = exported.special_tokens
    roles = _roles_of(given, artifact.special_names, special)
    notes = [*_remarks(roles, chat_template)] if has_roles(to, path) else []
    contents, loading = FORMATS[to](exported, path, roles, config)
    files = tuple(os.path.join(path, name) for name in contents) if folder else (path,)
    for file in (path, *files):
        check_not_an_input(file, () if isinstance(model, Tokenizer) else [model])
    if to == "huggingface" and folder:
        _check_folder(path)
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


def _check_folder(path: str) -> None:
    """Reject a folder with files that would change the tokenizer that transformers loads.

    Raises:
        ValueError: the folder has such a file.
    """
    for name in _ALSO_READ:
        if os.path.lexists(os.path.join(path, name)):
            raise ValueError(
                f"{quoted(path)} contains {name}, which transformers would also read; "
                "remove it, or choose another folder"
            )


def check_fits(to: str, output: str, settings: Mapping[str, object]) -> None:
    """Reject settings, which may be None, that the output does not have."""
    for name, value in settings.items():
        fits = has_roles(to, output) and (to != "gguf" or name in ROLES)
        if value is not None and not fits:
            also = ", or gguf" if name in ROLES else ""
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


def _remarks(roles: Mapping[str, str], template: str | None) -> Iterator[str]:
    """Yield remarks about the roles and the chat template of an export, after checking it.

    Raises:
        ValueError: transformers cannot compile the template.
    """
    named = ", ".join(f"{role} {name!r}" for role, name in roles.items())
    yield f"roles: {named or 'none; name them with --bos, --eos, --pad and --unk (bos=, ...)'}"
    if template is None:
        return
    if template.startswith("\ufeff"):
        yield "the byte order mark at the start of the chat template is left out"
    if not _is_compiled(template):
        yield "the chat template was not checked, because transformers or jinja2 is not installed"
    for role in ROLES:
        if f"{role}_token" in template and role not in roles:
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
