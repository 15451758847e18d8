"""Convert a tokenizer trained elsewhere to a tokenizer file: the counterpart of `export`.

The other tokenizer is read (`_from_ranks`, `_from_huggingface`), converted (`_conversion`) and
saved.
"""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._quoting import quoted
from bpetite._writing import check_no_input
from bpetite_compare._conversion import convert
from bpetite_compare._encodings import is_encoding
from bpetite_compare._foreign import Foreign
from bpetite_compare._from_huggingface import read_gpt2, read_huggingface
from bpetite_compare._from_ranks import read_encoding, read_ranks
from bpetite_compare._id_map import write_id_map
from bpetite_compare._letters import GPT2_FILES

_Source: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    path: the tokenizer file.
    mergeable_vocab_size: the number of mergeable tokens, which is the id of the special token.
    sha256: the digest of the tokenizer file, in hex.
    original_ids: at position i, the original id of token i. The special token comes last; if
        the tokenizer had none, it gets the lowest free id.
    changed: the number of tokens whose id changed.
    special_added: whether `<|endoftext|>` was added.
    dropped: the special tokens that were dropped, with their ids.
    notes: other remarks for people.
    """

    path: str
    mergeable_vocab_size: int
    sha256: str
    original_ids: tuple[int, ...]
    changed: int
    special_added: bool
    dropped: Mapping[str, int]
    notes: tuple[str, ...]


def import_tokenizer(  # noqa: PLR0913 - half of them are settings with a default
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    form: str,
    output: str | os.PathLike[str],
    overwrite: bool = False,
    *,
    drop_special: bool = False,
    id_map: str | os.PathLike[str] | None = None,
) -> Imported:
    """Convert a byte-level BPE tokenizer with GPT-2's pattern to a tokenizer file.

    A text keeps its tokens, but their ids may change. The result has the original ids.

    Args:
        source: for "tiktoken", the name of an encoding or the path of a file of ranks; for
            "huggingface", the path of a `tokenizer.json` or of a folder with one; for "gpt2", a
            folder with `vocab.json` and `merges.txt`, or a list of the two paths. A file of
            ranks has no pattern: GPT-2's is assumed if every token fits into one of its chunks.
        form: "tiktoken", "huggingface" or "gpt2".
        output: the path of the new tokenizer file.
        overwrite: whether existing files may be replaced.
        drop_special: whether to drop special tokens other than `<|endoftext|>`; their text
            is then ordinary text.
        id_map: the path for the `original_ids` of the result, as a JSON array.

    Raises:
        ValueError: the form is unknown, the number of paths is wrong, an output is also an
            input, or a tokenizer file cannot represent the tokenizer.
        OSError: tiktoken cannot download the encoding, or a file cannot be read or written.
        FileExistsError: an output exists, and `overwrite` is false.
    """
    if form not in _READERS:
        raise ValueError(f"unknown import format {form[:40]!r}; choose from {', '.join(_READERS)}")
    paths = files_of(source, form)
    outputs = [os.fspath(output), *([] if id_map is None else [os.fspath(id_map)])]
    _check_outputs(outputs, paths, overwrite=overwrite)
    names = _names(source)
    try:
        foreign = _READERS[form](paths or names, drop_special)
        artifact, ids, dropped = convert(foreign, drop_special=drop_special)
    except ValueError as error:
        raise ValueError(f"cannot import {', '.join(map(quoted, names))}: {error}") from None
    if id_map is not None:
        write_id_map(os.fspath(id_map), ids, overwrite=overwrite)
    sha256 = artifact.write(output, overwrite=overwrite)
    return Imported(
        os.fspath(output),
        len(artifact.tokens),
        sha256,
        tuple(ids),
        sum(new != old for new, old in enumerate(ids)),
        END_OF_TEXT_TOKEN not in foreign.special_tokens,
        dropped,
        tuple(foreign.notes),
    )


def files_of(source: _Source, form: str) -> list[str]:
    """Return the paths of the files that an import reads; an encoding has none.

    Raises:
        ValueError: the number of files is wrong.
    """
    names = _names(source)
    if form == "gpt2" and len(names) == 1:
        return [os.path.join(names[0], name) for name in GPT2_FILES]
    if len(names) != (2 if form == "gpt2" else 1):
        raise ValueError(f"expected {_EXPECTED[form]}, found {len(names)} paths")
    if form == "tiktoken" and is_encoding(names[0]):
        return []
    if form == "huggingface" and os.path.isdir(names[0]):
        return [os.path.join(names[0], "tokenizer.json")]
    return names


def _names(source: _Source) -> list[str]:
    paths = [source] if isinstance(source, (str, os.PathLike)) else source
    return [os.fspath(path) for path in paths]


_EXPECTED: Final = {
    "tiktoken": "the name of an encoding or a file of ranks",
    "huggingface": "a tokenizer.json or a folder with one",
    "gpt2": "a folder with vocab.json and merges.txt, or these two files",
}


def _read_tiktoken(paths: Sequence[str], _: bool) -> Foreign:
    return read_encoding(paths[0]) if is_encoding(paths[0]) else read_ranks(paths[0])


_READERS: Final[Mapping[str, Callable[[Sequence[str], bool], Foreign]]] = {
    "tiktoken": _read_tiktoken,
    "huggingface": lambda paths, drop: read_huggingface(paths[0], drop_special=drop),
    "gpt2": lambda paths, _: read_gpt2(*paths),
}

SOURCES: Final = tuple(_READERS)
"""The formats of an import."""


def _check_outputs(outputs: Sequence[str], inputs: Sequence[str], *, overwrite: bool) -> None:
    """Reject outputs that are inputs, equal, or existing, before the work starts."""
    for output in outputs:
        check_no_input(output, inputs)
        if not overwrite and os.path.lexists(output):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), output)
    if len({os.path.realpath(output) for output in outputs}) < len(outputs):
        raise ValueError("the tokenizer file and the id map are the same file; choose another")
