"""Convert a tokenizer made elsewhere to a tokenizer file: the counterpart of `export`.

The form of the other tokenizer is found from its content. It is read (`_from_ranks`,
`_from_huggingface`), converted (`_conversion`) and saved.
"""

import errno
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import escape, glob
from typing import Any, Final

from bpetite._quoting import quoted
from bpetite._reading import read_file
from bpetite._strict_json import parse_json
from bpetite._writing import check_no_input, mode_of_existing, write_file
from bpetite_compare._conversion import convert
from bpetite_compare._encodings import get_encoding, is_encoding
from bpetite_compare._foreign import Foreign
from bpetite_compare._from_huggingface import checked_added_token, read_gpt2, read_huggingface
from bpetite_compare._from_ranks import read_encoding, read_ranks, read_tekken
from bpetite_compare._letters import GPT2_FILES

_LARGEST_FILE: Final = 1 << 26
_MOST_OBJECTS: Final = 1 << 18
"""Each token of a tekken.json is an object; it has 150,000."""

_IN_FOLDERS: Final = {
    "tokenizer.json": "huggingface",
    "tekken*.json": "tekken",
    "vocab.json": "gpt2",
    "*.tiktoken": "tiktoken",
    "*.model*": "tiktoken",
}
"""The names of files in a folder, in the order of looking for them, and their forms."""

SOURCES: Final = ("tiktoken", "huggingface", "gpt2", "tekken")
"""The forms of an import."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    path: the tokenizer file.
    vocab_size: the number of tokens that are not special.
    pattern: the name of the split pattern.
    special_tokens: the id of each special token.
    whole_tokens: the number of tokens that no merge makes: only a whole chunk becomes one.
    sha256: the digest of the tokenizer file, in hex.
    notes: remarks for people.
    """

    path: str
    vocab_size: int
    pattern: str
    special_tokens: Mapping[str, int]
    whole_tokens: int
    sha256: str
    notes: tuple[str, ...]


def import_tokenizer(  # noqa: PLR0913 - most of them are settings with a default
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    form: str | None,
    output: str | os.PathLike[str],
    overwrite: bool = False,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    drop_normalizer: bool = False,
) -> Imported:
    """Convert a byte-level BPE tokenizer to a tokenizer file; it keeps its ids.

    Before saving, the ids of texts in many scripts are compared with those of a slow encoder
    that uses the other file's own data.

    Args:
        source: the path of a `tokenizer.json`, a file of ranks in tiktoken's format, a
            `tekken.json`, or a folder with one of these; a list of the paths of `vocab.json` and
            `merges.txt`, or their folder; or with the form "tiktoken", the name of an encoding.
        form: "tiktoken", "huggingface", "gpt2" or "tekken"; None finds it from the content.
        output: the path of the new tokenizer file.
        overwrite: whether an existing file may be replaced.
        pattern: for a file of ranks, which does not have it, the name of the split pattern.
        special_tokens: the id of each special token, for forms that do not have them all:
            without it, a file of ranks has those of a `tokenizer_config.json` beside it.
        drop_normalizer: whether to leave out a normalizer to NFC. The ids are the
            original's for text in NFC then.

    Raises:
        ValueError: the form is unknown, the number of paths is wrong, the output is also an
            input, or a tokenizer file cannot represent the tokenizer.
        OSError: tiktoken cannot download the encoding, or a file cannot be read or written.
        FileExistsError: the output exists, and `overwrite` is false.
    """
    if form is not None and form not in SOURCES:
        raise ValueError(f"unknown import format {form[:40]!r}; choose from {', '.join(SOURCES)}")
    sources = [source] if isinstance(source, (str, os.PathLike)) else source
    path, names = os.fspath(output), [os.fspath(one) for one in sources]
    given = {"pattern": pattern, "special": special_tokens, "drop_normalizer": drop_normalizer}
    paths = _files_of(names, form)
    check_no_input(path, [*paths, *map(_config_beside, paths)])
    mode_of_existing(path, overwrite=overwrite)  # fail before the work
    try:
        artifact, data, notes = convert(_read(names[0], paths, form, given))
    except ValueError as error:
        raise ValueError(f"cannot import {', '.join(map(quoted, names))}: {error}") from None
    write_file(path, data, overwrite=overwrite)
    return Imported(
        path,
        len(artifact.tokens),
        artifact.pattern.name,
        artifact.special_tokens,
        len(artifact.tokens) - 256 - len(artifact.merges),
        hashlib.sha256(data).hexdigest(),
        tuple(notes),
    )


def _files_of(names: list[str], form: str | None) -> list[str]:
    """Return the paths of the files that an import reads; an encoding has none."""
    if form == "tiktoken" and len(names) == 1 and is_encoding(names[0]):
        return []
    if len(names) == 1 and os.path.isdir(names[0]):
        names = _files_in(names[0], form)
    if len(names) == 1 and (os.path.basename(names[0]) in GPT2_FILES or form == "gpt2"):
        return [os.path.join(os.path.dirname(names[0]), name) for name in GPT2_FILES]
    if not 1 <= len(names) <= (2 if form in {None, "gpt2"} else 1):
        raise ValueError(
            f"expected one file or folder, or vocab.json and merges.txt, found {len(names)} paths"
        )
    for name in names:
        if not os.path.lexists(name):
            reason = f"{os.strerror(errno.ENOENT)} (import downloads no model)"
            raise FileNotFoundError(errno.ENOENT, reason, name)
    return names


def _files_in(folder: str, form: str | None) -> list[str]:
    """Return the one file in a folder that is looked for first."""
    expected = [name for name, found in _IN_FOLDERS.items() if form in {None, found}]
    for name in expected:
        if files := glob(os.path.join(escape(folder), name)):
            if len(files) > 1:
                raise ValueError(f"{quoted(folder)} has several files like {name}; name one")
            return files
    raise ValueError(f"{quoted(folder)} has no tokenizer: expected {' or '.join(expected)}")


def _read(name: str, paths: Sequence[str], form: str | None, given: Mapping[str, Any]) -> Foreign:
    """Read files of any form or of this one, or without files, the encoding with this name."""
    if not paths:
        _check_unused(given, *given)
        return read_encoding(get_encoding(name))
    data, *more = (read_file(path, _LARGEST_FILE) for path in paths)
    special = given["special"]
    if form == "tiktoken" or (form is None and not data.lstrip().startswith((b"{", b"["))):
        _check_alone(form, more)
        if b"<unk>" in data[:64]:
            raise ValueError(
                "it is a SentencePiece model, whose tokens are characters, not bytes; use the "
                "libraries sentencepiece or transformers for it"
            )
        if form is None and not data.partition(b"\n")[0].split(b" ")[-1].strip().isdigit():
            raise ValueError(_UNKNOWN)
        _check_unused(given, "drop_normalizer")
        return read_ranks(
            data, given["pattern"], _special_tokens_beside(paths[0]) if special is None else special
        )
    content = parse_json(data, fractions=True, objects=_MOST_OBJECTS)
    if not isinstance(content, dict):
        raise ValueError(_UNKNOWN)  # noqa: TRY004 - the content of a file
    if type(content.get("schema_version")) is int:
        raise ValueError("it is already a bpetite tokenizer file; no import is needed")
    form = form or _form_of(content)
    _check_alone(form, more)
    if form == "huggingface":
        _check_unused(given, "pattern", "special")
        return read_huggingface(content, drop_normalizer=given["drop_normalizer"])
    _check_unused(given, "pattern", "drop_normalizer")
    if form == "tekken":
        return read_tekken(content, special)
    if not more:
        raise ValueError("a vocabulary needs its merges: name vocab.json and merges.txt")
    return read_gpt2(content, more[0], special)


def _check_alone(form: str | None, more: Sequence[bytes]) -> None:
    """Reject a second file of any other form than GPT-2's."""
    if more and form != "gpt2":
        raise ValueError("only vocab.json and merges.txt, in this order, are one tokenizer")


def _check_unused(given: Mapping[str, Any], *names: str) -> None:
    """Reject options that this form does not take."""
    for name in names:
        if given[name]:
            raise ValueError(f"it has {_UNUSED[name]}; leave out --{name.replace('_', '-')}")


_UNUSED: Final = {
    "pattern": "its own split pattern",
    "special": "its own special tokens",
    "drop_normalizer": "no normalizer to drop",
}
_UNKNOWN: Final = (
    "it is not a tokenizer.json, a tekken.json, vocab.json with merges.txt, or a file of ranks"
)


def _form_of(content: Mapping[str, Any]) -> str:
    """Return the form of an object; the vocabulary of GPT-2 has tokens as keys."""
    if isinstance(content.get("model"), dict):
        return "huggingface"
    if isinstance(content.get("config"), dict):
        return "tekken"
    if {*map(type, content.values())} == {int}:
        return "gpt2"
    if "tokenizer_class" in content:
        raise ValueError("it only configures a tokenizer; name the tokenizer.json beside it")
    raise ValueError(_UNKNOWN)


def _config_beside(path: str) -> str:
    return os.path.join(os.path.dirname(path), "tokenizer_config.json")


def _special_tokens_beside(path: str) -> Mapping[str, int] | None:
    """Return the special tokens in the `tokenizer_config.json` beside a file, if it has them."""
    config = _config_beside(path)
    if not os.path.isfile(config):
        return None
    try:
        data = read_file(config, _LARGEST_FILE)
        match parse_json(data, fractions=True, objects=_MOST_OBJECTS):
            case {"added_tokens_decoder": dict(added)} if all(map(str.isdecimal, added)):
                tokens = [
                    checked_added_token(token | {"id": int(one[:9])})
                    for one, token in added.items()
                    if isinstance(token, dict)
                ]
                return {name: token_id for name, token_id, _ in tokens}
    except ValueError as error:
        raise ValueError(f"tokenizer_config.json: {error}") from None
    return None
