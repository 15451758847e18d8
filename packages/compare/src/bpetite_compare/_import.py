"""Convert a tokenizer made elsewhere to a tokenizer file: the counterpart of `export`.

The form of the other tokenizer is found from its content. It is read (`_from_ranks`,
`_from_huggingface`), converted (`_conversion`) and saved.
"""

import codecs
import errno
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from glob import escape, glob
from typing import Any, Final

from bpetite._inner import (
    ALL_PATTERNS,
    Artifact,
    check_not_an_input,
    check_writable,
    garbage_collector_paused,
    quoted,
    write_parts,
)
from bpetite_compare._beside import (
    BESIDE,
    note_configuration,
    note_doubts,
    parse_source,
    read_source,
    settings_for,
)
from bpetite_compare._conversion import converted, difference
from bpetite_compare._encodings import get_encoding, is_encoding
from bpetite_compare._foreign import Foreign, Options
from bpetite_compare._from_huggingface import read_gguf, read_gpt2, read_huggingface
from bpetite_compare._from_ranks import read_encoding, read_ranks, read_tekken
from bpetite_compare._gguf import is_gguf, read_header
from bpetite_compare._letters import GPT2_FILES

_IN_FOLDERS: Final = {
    "tokenizer.json": "huggingface",
    "tekken*.json": "tekken",
    "vocab.json": "gpt2",
    "*.tiktoken": "tiktoken",
    "*.model*": "tiktoken",
    "*.gguf": "gguf",
}
"""The names of files in a folder, in the order of looking for them, and their forms."""

_UNUSED: Final = {
    "encoding": ("pattern", "special", "ignore_merges", "drop_normalizer", "drop_strip"),
    "tiktoken": ("ignore_merges",),
    "huggingface": ("pattern", "special", "ignore_merges"),
    "tekken": ("pattern", "ignore_merges", "drop_normalizer", "drop_strip"),
    "gpt2": (),
    "gguf": ("drop_normalizer",),
}
"""The options that each form does not take, because it says what they would."""

_READERS: Final = {
    "tekken": "tekken.json is what mistral-common, Mistral's own library, reads",
    "tokenizer.json": "tokenizer.json is what transformers and tokenizers read",
}
"""Which of two files that disagree is the one to choose: the first here."""

_UNKNOWN: Final = (
    "it is not a tokenizer.json, tekken.json, vocab.json with merges.txt, file of ranks, or GGUF"
)

_FILES: Final = {"", "tokenizer.json"}
"""What names a pattern, if a file does: its own, or the one beside it."""

SOURCES: Final = ("tiktoken", "huggingface", "gpt2", "tekken", "gguf")
"""The forms of an import."""


class NotOpenedError(ValueError):
    """A tokenizer of another form cannot be converted; `foreign` is what is known about it."""

    foreign: Foreign


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    path: the tokenizer file.
    vocab_size: how many tokens are not special.
    rows: as in `Exported`.
    pattern: the name of the split pattern.
    pattern_from: what names it: the file, "--pattern", the class in a configuration, or "a guess".
    special_tokens: the id of each.
    whole_tokens: how many tokens no merge makes.
    sha256: the hash of the tokenizer file, in hex.
    checked: what was compared with what, for people.
    notes: remarks for people.
    """

    path: str
    vocab_size: int
    rows: int
    pattern: str
    pattern_from: str
    special_tokens: Mapping[str, int]
    whole_tokens: int
    sha256: str
    checked: str
    notes: tuple[str, ...]


def import_tokenizer(  # noqa: PLR0913 - most of them are settings with a default
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    form: str | None,
    output: str | os.PathLike[str],
    overwrite: bool = False,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
    ignore_merges: bool = False,
    drop_normalizer: bool = False,
    drop_strip: bool = False,
    add_missing_bytes: bool = False,
) -> Imported:
    """Convert a byte-level BPE tokenizer to a tokenizer file; it keeps its ids.

    Before saving, texts in many scripts are encoded with the result and with a slow encoder that
    uses the other file's own data: the ids must be equal.

    Args:
        source: the path of a file or folder that `bpetite import` reads; a list of the paths of
            `vocab.json` and `merges.txt`; or, with the form "tiktoken", the name of an encoding.
        form: "tiktoken", "huggingface", "gpt2", "tekken" or "gguf"; None finds it from the content.
        output: the path of the new tokenizer file.
        overwrite: whether an existing file may be replaced.
        pattern: for ranks, `vocab.json` or GGUF, the name of the split pattern. Without it, a file
            beside the source names it; for `vocab.json`, GPT-2's is a guess.
        special_tokens: the id of each. Without it, they come from the source or a file beside it.
        ignore_merges: for `vocab.json`, whether a chunk that is a token gets its id at once.
        drop_normalizer: whether to leave out a normalizer to NFC.
        drop_strip: whether to leave out `lstrip` and `rstrip` of added tokens.
        add_missing_bytes: whether bytes without an id get one, behind all others. Those that UTF-8
            never uses get one in any case.

    Raises:
        ValueError: the form is unknown, the paths do not fit it or each other, the output is also
            an input, or a tokenizer file cannot represent the tokenizer.
        OSError: tiktoken cannot download the encoding, or a file cannot be read or written.
        FileExistsError: the output exists, and `overwrite` is false.
    """
    if form is not None and form not in SOURCES:
        raise ValueError(f"unknown import format {form[:40]!r}; choose from {', '.join(SOURCES)}")
    if pattern is not None and pattern not in ALL_PATTERNS:
        raise ValueError(f"unknown pattern {pattern!r:.40}; choose from {', '.join(ALL_PATTERNS)}")
    sources = [source] if isinstance(source, (str, os.PathLike)) else source
    path, names = os.fspath(output), [os.fspath(one) for one in sources]
    options = Options(
        pattern, special_tokens, ignore_merges, drop_normalizer, drop_strip, add_missing_bytes
    )
    paths = files_of(names, form)
    beside = (os.path.join(os.path.dirname(paths[0]), name) for name in BESIDE if paths)
    check_not_an_input(path, [*paths, *beside])
    check_writable(path, overwrite=overwrite)
    artifact, data, foreign = opened(names[0], paths, form, options)
    write_parts(path, [data], overwrite=overwrite, keep=True)
    files = _base_names(paths) or names[0]
    merges = "ranks" if foreign.merges is None else "merges"
    named = foreign.named_by in _FILES
    used = f"{merges} and pattern of {files}" if named else f"{merges} of {files} and this pattern"
    return Imported(
        path=path,
        vocab_size=len(artifact.tokens),
        rows=max(artifact.ids) + 1,
        pattern=artifact.pattern.name,
        pattern_from=foreign.named_by or files,
        special_tokens=artifact.special_tokens,
        whole_tokens=len(artifact.whole_tokens),
        sha256=hashlib.sha256(data).hexdigest(),
        checked=f"a slow encoder with the {used} gives the same ids for texts in many scripts",
        notes=tuple(foreign.notes),
    )


@garbage_collector_paused()
def opened(
    name: str, paths: Sequence[str], form: str | None, options: Options
) -> tuple[Artifact, bytes, Foreign]:
    """Return a tokenizer of another form, its tokenizer file, and what it was made from.

    Raises:
        NotOpenedError: a tokenizer file cannot represent it.
    """
    foreign = Foreign(model="")
    try:
        foreign = _read(name, paths, form, options)
        artifact = converted(foreign)
        data = artifact.checked_bytes()
        if foreign.named_by not in _FILES:
            note_doubts(foreign, artifact.pattern.name, artifact.whole_tokens)
        if foreign.named_by == "tokenizer.json" or (form is None and os.path.isdir(name)):
            own = foreign if options.special is None else replace(foreign, special_tokens={})
            _compare(own, paths, replace(options, special=None, pattern=artifact.pattern.name))
    except ValueError as error:
        shown = ", ".join(map(quoted, paths or [name]))
        failure = NotOpenedError(f"cannot import {shown}: {error}")
        failure.foreign, foreign.obstacles = foreign, foreign.obstacles or [str(error)]
        raise failure from None
    return artifact, data, foreign


def files_of(names: list[str], form: str | None) -> list[str]:
    """Return the paths of the files that an import reads; an encoding has none."""
    exist = [*map(os.path.lexists, names)]
    if form == "tiktoken" and exist == [False] and is_encoding(names[0]):
        return []
    if len(names) == 1 and os.path.isdir(names[0]):
        names = _files_in(names[0], form)
    if len(names) == 1 and (os.path.basename(names[0]) in GPT2_FILES or form == "gpt2"):
        return [os.path.join(os.path.dirname(names[0]), name) for name in GPT2_FILES]
    if not 1 <= len(names) <= (2 if form in {None, "gpt2"} else 1):
        raise ValueError(f"expected one path, or vocab.json and merges.txt, found {len(names)}")
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
    os.listdir(folder)  # `glob` finds nothing in a folder that cannot be read
    raise ValueError(f"{quoted(folder)} has no tokenizer: expected {' or '.join(expected)}")


def _compare(foreign: Foreign, paths: Sequence[str], options: Options) -> None:
    """Compare a tokenizer with the others in its folder; note those that do not open.

    The options name its pattern, for those that do not name one.

    Raises:
        ValueError: one of them is another tokenizer.
    """
    folder = os.path.dirname(paths[0])
    if os.path.isfile(os.path.join(folder, "tokenizer.json")):
        options = replace(options, pattern=None)
    for name, form in _IN_FOLDERS.items():
        given = {key: one for key, one in asdict(options).items() if key not in _UNUSED[form]}
        if form == "gguf":
            given["pattern"] = None  # it names its own
        for other in sorted({*glob(os.path.join(escape(folder), name))}.difference(paths)):
            files = files_of([other], form)
            try:
                theirs = _read(other, files, form, Options(**given))
                theirs.check()
                differing = difference(foreign, theirs)
            except (OSError, ValueError) as error:
                foreign.notes.append(f"{_base_names(files)} beside it was not compared: {error}")
                continue
            if differing:
                names = f"{_base_names(paths)} and {_base_names(files)}"
                reader = next((f": {_READERS[one]}" for one in _READERS if one in names), "")
                raise ValueError(
                    f"{names} in its folder disagree: {differing}; name the one to import{reader}"
                )


def _base_names(paths: Sequence[str]) -> str:
    return " and ".join(map(os.path.basename, paths))


def _read(name: str, paths: Sequence[str], form: str | None, options: Options) -> Foreign:
    """Read files of any form or of this one, or without files, the encoding with this name."""
    if not paths:
        _check_unused(options, "encoding")
        return read_encoding(get_encoding(name), options)
    if form == "gguf" or (form is None and is_gguf(paths[0])):
        _check_unused(options, "gguf")
        return read_gguf(read_header(paths[0], ("tokenizer.ggml.",)), options)
    data, *more = map(read_source, paths)
    if not data.strip():
        raise ValueError(f"{os.path.basename(paths[0])} is empty")
    form, content = _recognized(data, form)
    if more and form != "gpt2":
        raise ValueError("only vocab.json and merges.txt, in this order, are one tokenizer")
    _check_unused(options, form)
    if form == "tiktoken":
        return read_ranks(data, settings_for(paths[0], options))
    if form == "tekken":
        return read_tekken(content, options)
    if form == "huggingface":
        foreign = read_huggingface(content, options)
        note_configuration(foreign, os.path.dirname(paths[0]))
        return foreign
    if not more:
        raise ValueError("a vocabulary needs its merges: name vocab.json and merges.txt")
    return read_gpt2(content, more[0], settings_for(paths[0], options, content))


def _check_unused(options: Options, form: str) -> None:
    """Reject options that a form does not take."""
    for name in _UNUSED[form]:
        if getattr(options, name):
            option = f"--{name.replace('_', '-')}"
            says = f"already says what {option} would"
            reason = "has nothing to drop" if name.startswith("drop_") else says
            raise ValueError(f"its form {reason}; leave out {option}")


def _recognized(data: bytes, form: str | None) -> tuple[str, Any]:
    """Return the form of a file, or the one that is given, and its content if that is JSON."""
    begin = data.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if form == "tiktoken" or (form is None and begin not in {b"{", b"["}):
        if b"<unk>" in data[:64]:
            raise ValueError(
                "it is a SentencePiece model, whose tokens are characters, not bytes; use the "
                "libraries sentencepiece or transformers for it"
            )
        if form or data.partition(b"\n")[0].split(b" ")[-1].strip().isdigit():
            return "tiktoken", None
        raise ValueError(_UNKNOWN)
    content: Any = parse_source(data)
    match content:
        case dict() if form:
            return form, content
        case {"schema_version": int()}:
            raise ValueError("it is already a bpetite tokenizer file; no import is needed")
        case {"model": dict()}:
            return "huggingface", content
        case {"config": dict()}:
            return "tekken", content
        case {**tokens} if {*map(type, tokens.values())} == {int}:
            return "gpt2", content
        case {"tokenizer_class": _}:
            raise ValueError("it only configures a tokenizer; name the tokenizer.json beside it")
    raise ValueError(_UNKNOWN)
