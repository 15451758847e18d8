"""Convert a tokenizer trained elsewhere to a tokenizer file: the counterpart of `export`.

The schema requires GPT-2's pattern, the 256 bytes first, each merge with the next id, and
`<|endoftext|>` last. If a tokenizer differs in more than its ids, the error explains how.
Before saving, the ids of each chunk of a text in many scripts are checked against a slow
encoder that uses the other file's own merges.
"""

import errno
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import regex

from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._files import check_no_input, quoted
from bpetite._patterns import GPT2
from bpetite_compare._encodings import is_encoding
from bpetite_compare._engines import drift
from bpetite_compare._foreign import Foreign, check_ids
from bpetite_compare._from_huggingface import read_gpt2, read_huggingface
from bpetite_compare._from_ranks import read_encoding, read_ranks
from bpetite_compare._id_map import write_id_map
from bpetite_compare._letters import BYTE_LETTERS, GPT2_FILES
from bpetite_compare._soundness import find_unreachable

_Source: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_MOST_NAMES: Final = 8


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
        _check_whole_chunks(foreign)
        special, dropped = _special_token(foreign, drop_special=drop_special)
        artifact, ids = _converted(foreign, special)
        check_ids(foreign, artifact, ids)
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


def _unmade(foreign: Foreign) -> dict[str, int]:
    """Return the tokens of the vocabulary that are neither bytes nor made by a merge."""
    made = set(BYTE_LETTERS.values())
    made.update(left + right for left, right in foreign.merges)
    return {text: token_id for text, token_id in foreign.vocab.items() if text not in made}


def _check_whole_chunks(foreign: Foreign) -> None:
    """Reject a token that no merge makes if a chunk that equals it would get its id.

    A chunk alone is one chunk. Characters that the regex engines classify differently may be
    part of any.
    """
    values = {letter: value for value, letter in BYTE_LETTERS.items()}
    for text in _unmade(foreign) if foreign.takes_whole_chunks else ():
        if not values.keys() >= set(text):
            continue
        try:
            chunk = bytes(values[letter] for letter in text).decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(regex.findall(GPT2.text, chunk)) == 1 or not drift().isdisjoint(chunk):
            raise ValueError(
                f"its token {text[:40]!r} is not made by a merge, but with ignore_merges the "
                f"chunk {chunk[:40]!r} gets its id, which a tokenizer file cannot represent"
            )


def _special_token(foreign: Foreign, *, drop_special: bool) -> tuple[int, dict[str, int]]:
    """Return the original id of `<|endoftext|>`, and the special tokens to drop.

    If the tokenizer does not have it, the id is the lowest free one.
    """
    dropped = {**_unmade(foreign), **foreign.special_tokens}
    taken = {*foreign.vocab.values(), *dropped.values()}
    special = dropped.pop(END_OF_TEXT_TOKEN, None)
    if dropped and not drop_special:
        raise ValueError(
            f"it has the special tokens {some_names(dropped)}, but a tokenizer file has only "
            f"{END_OF_TEXT_TOKEN}; --drop-special (drop_special=True) drops them"
        )
    if special is None:
        special = next(free for free in range(len(taken) + 1) if free not in taken)
    return special, dropped


def some_names(names: Collection[str]) -> str:
    """Return the first names for a message, and how many more there are."""
    shown = ", ".join(f"{name!r:.40}" for name in list(names)[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _converted(foreign: Foreign, special: int) -> tuple[Artifact, list[int]]:
    """Return the converted tokenizer, and the original id of each of its ids."""
    new_ids = {letter: value for value, letter in BYTE_LETTERS.items()}
    pairs: list[tuple[int, int]] = []
    for new_id, (left, right) in enumerate(foreign.merges, 256):
        pairs.append((new_ids[left], new_ids[right]))
        new_ids[left + right] = new_id
    artifact = Artifact.of_merges(pairs)
    if foreign.takes_whole_chunks and (fault := find_unreachable(artifact)):
        raise ValueError(fault)
    ids = [0] * len(artifact.tokens)
    for text, new_id in new_ids.items():
        ids[new_id] = foreign.vocab[text]
    if special in ids:
        raise ValueError(f"its special token {END_OF_TEXT_TOKEN} is also an ordinary token")
    return artifact, [*ids, special]
