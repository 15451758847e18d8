"""Read tokenizers of Hugging Face: a `tokenizer.json`, or `vocab.json` and `merges.txt`.

An import accepts only byte-level BPE. An error names all parts that do not fit.
"""

import codecs
import itertools
import reprlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any, Final, NamedTuple

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._patterns import GPT2
from bpetite_compare._foreign import GUESS, TAKE_TOKENIZER_JSON, Foreign, Obstacles, Settings
from bpetite_compare._letters import of_letters
from bpetite_compare._spellings import named, with_rest

_LONGEST_SHOWN: Final = 90

_INSTEAD: Final = "use the libraries tokenizers or transformers for this model"
_UNFIT: Final = {
    "byte_fallback": f"its tokens are characters, not bytes, as in SentencePiece; {_INSTEAD}",
    "dropout": "the ids of a text are random; set it to null",
    "continuing_subword_prefix": f"its tokens have marks; {_INSTEAD}",
    "end_of_word_suffix": f"its tokens have marks; {_INSTEAD}",
}
"""The settings of a model that do not fit, and what they mean."""
_KINDS: Final[Mapping[str, type]] = {
    "unk_token": str,
    "continuing_subword_prefix": str,
    "end_of_word_suffix": str,
    "fuse_unk": bool,
    "byte_fallback": bool,
    "ignore_merges": bool,
}
"""The types of a model's settings, which may also be null."""
_HIGHEST: Final = (1 << 32) - 1
ORDINARY: Final = "not special in the source"
"""How the note on added tokens begins that are not special."""
_CHANGING: Final = ("single_word", "lstrip", "rstrip")
"""The flags of an added token that change the text around it."""


class AddedToken(NamedTuple):
    """A token that is found before a text is split."""

    text: str
    id: int
    normalized: bool
    special: bool


def read_huggingface(content: Mapping[str, Any], *, drop_normalizer: bool) -> Foreign:
    """Return the tokenizer in the content of a `tokenizer.json`, with what does not fit.

    Raises:
        ValueError: it has another format, or is not byte-level BPE; the message explains why.
    """
    model = content.get("model")
    if not isinstance(model, dict):
        raise ValueError("it is not a tokenizer.json: no object `model`")  # noqa: TRY004 - a file
    if content.get("version", "1.0") != "1.0":
        raise ValueError(f"its version is {_shown(content['version'])}, not 1.0")
    notes = _about_settings(content, model)
    decoders = _parts(content.get("decoder"), "decoders")
    normalizers = _parts(content.get("normalizer"), "normalizers")
    processors = _parts(content.get("post_processor"), "processors")
    for part in (*decoders, *processors):
        _check_byte_level(part)
    obstacles = Obstacles(_INSTEAD)
    splits: tuple[str, ...] = (GPT2.text,)  # replaced, or there is an obstacle
    for name in filter(model.get, _UNFIT):
        with obstacles:
            raise ValueError(f"its model has {name}, so {_UNFIT[name]}")
    with obstacles:
        splits = _splits(_parts(content.get("pre_tokenizer"), "pretokenizers"))
    for decoder in decoders:
        with obstacles:
            if decoder is not None and _kind(decoder) != "ByteLevel":
                raise ValueError(f"its decoder is {_kind(decoder)}, not ByteLevel; {_INSTEAD}")
    with obstacles:
        notes += _about_normalizers(normalizers, drop=drop_normalizer)
    with obstacles:
        notes += _about_processors(processors)
    vocab = _vocab(model.get("vocab"))
    merges = _merges(model.get("merges"), vocab)
    added = content.get("added_tokens", [])
    if not isinstance(added, list):
        raise ValueError("its added_tokens are not a list")  # noqa: TRY004 - the content of a file
    tokens = checked_added_tokens(added, obstacles)
    special = dict[str, int]()
    with obstacles:
        special = _ids_of(tokens, vocab, nfc=any(normalizers))
    notes += about_ordinary(tokens)
    whole = bool(model.get("ignore_merges"))
    rest = Foreign({}, {}, {}, splits, whole, (*notes,), obstacles)
    return _foreign(vocab, merges, special, rest)


def read_gpt2(vocab: object, merges: bytes, settings: Settings) -> Foreign:
    """Return the tokenizer in the contents of GPT-2's two files, given what they do not have.

    Without a pattern, GPT-2's is a guess. Without special tokens, `<|endoftext|>` is one if the
    vocabulary has it.

    Raises:
        ValueError: a file has another format; the message explains why.
    """
    vocab = _vocab(vocab)
    if merges.startswith(codecs.BOM_UTF8):
        raise ValueError("merges.txt begins with a byte order mark; save it as UTF-8 without one")
    text = merges.decode("utf-8", errors="replace").replace("\r\n", "\n").removesuffix("\n")
    lines = text.split("\n") if text else []
    if text.startswith("#version"):
        del lines[0]
    special, notes = settings.special_tokens, [*settings.notes]
    if special is None:
        special = {name: vocab[name] for name in [END_OF_TEXT_TOKEN] if name in vocab}
        notes.append(
            "no file lists its special tokens, so it has "
            f"{END_OF_TEXT_TOKEN if special else 'none'}; --special NAME=ID adds them"
        )
    splits, named_by = settings.splits, settings.named_by
    if not splits:
        splits, named_by = (GPT2.text,), GUESS
    rest = Foreign(
        {}, {}, {}, splits, settings.whole, (*notes,), Obstacles(TAKE_TOKENIZER_JSON), named_by
    )
    return _foreign(vocab, _merges(lines, vocab), special, rest)


def _about_settings(content: Mapping[str, Any], model: Mapping[str, Any]) -> list[str]:
    """Return remarks on settings that are left out; types that tokenizers refuses are errors."""
    if (kind := model.get("type", "BPE")) != "BPE":
        raise ValueError(f"its model is {_shown(kind)}, not BPE; {_INSTEAD}")
    for name, expected in _KINDS.items():
        if (value := model.get(name)) is not None and type(value) is not expected:
            fault = f"the {name} {_shown(value)}, not of the type {expected.__name__}"
            raise ValueError(f"its model has {fault}")
    if type(dropout := model.get("dropout")) not in {NoneType, int, float}:
        raise ValueError(f"its model has the dropout {_shown(dropout)}, not a number")
    notes: list[str] = []
    for name in ("truncation", "padding"):
        if (value := content.get(name)) is not None:
            if not isinstance(value, dict):
                raise ValueError(f"its {name} is {_shown(value)}, not an object or null")
            notes.append(f"its setting for {name} is not part of a tokenizer file")
    return notes


def _check_byte_level(part: object) -> None:
    """Reject a ByteLevel that tokenizers refuses; other parts pass."""
    if isinstance(part, dict) and _kind(part) == "ByteLevel":
        for name in ("add_prefix_space", "trim_offsets"):
            _flag(part, name, "its ByteLevel")
        _flag({"use_regex": True, **part}, "use_regex", "its ByteLevel")


def _about_normalizers(normalizers: Sequence[object], *, drop: bool) -> list[str]:
    """Return a note on a normalizer that is left out; any but NFC is an error."""
    kinds = _kinds([part for part in normalizers if part is not None])
    if not kinds:
        return []
    if {*map(_kind, normalizers)} != {"NFC"}:
        raise ValueError(f"its normalizer, {kinds}, changes the text; {_INSTEAD}")
    if not drop:
        raise ValueError(
            "its normalizer, NFC, changes the text; --drop-normalizer (drop_normalizer=True) "
            "leaves it out"
        )
    return ["its normalizer, NFC, is left out: the ids are the model's for text in NFC"]


def _about_processors(processors: Sequence[object]) -> list[str]:
    """Return a note on post-processors that add tokens around a text."""
    adding = [part for part in processors if not _adds_nothing(part)]
    if not adding:
        return []
    return [
        f"its post_processor, {_kinds(adding)}, adds special tokens to a text; bpetite adds none"
    ]


def _splits(parts: Sequence[Any]) -> tuple[str, ...]:
    """Return the patterns of a pre-tokenizer that splits text, then turns bytes into letters."""
    kinds = list(map(_kind, parts))
    for kind in kinds:
        if kind not in {"ByteLevel", "Split"}:
            raise ValueError(f"its pre_tokenizer is {kind}, not Split or ByteLevel; {_INSTEAD}")
    if kinds[-1:] != ["ByteLevel"] or kinds.count("ByteLevel") > 1:
        raise ValueError(f"its pre_tokenizer does not end with its only ByteLevel; {_INSTEAD}")
    *cuts, level = parts
    _check_byte_level(level)
    if level["add_prefix_space"]:
        raise ValueError(
            "its pre_tokenizer adds a space before the text (add_prefix_space), which decoding "
            f"would not take away; {_INSTEAD}"
        )
    if (again := level.get("use_regex", True)) == bool(cuts):
        way = "splits a second time" if again else "does not split the text"
        raise ValueError(f"its ByteLevel {way} (use_regex is {str(again).lower()}); {_INSTEAD}")
    return (*(_pattern(cut, alone=len(cuts) == 1) for cut in cuts),) or (GPT2.text,)


def _pattern(cut: Mapping[str, Any], *, alone: bool) -> str:
    """Return the pattern of a `Split` that keeps all text and cuts around each match."""
    match cut.get("pattern"):
        case {"Regex": str(text), **others} if not others:
            pass
        case other:
            raise ValueError(f"its Split has the pattern {_shown(other)}, not a Regex; {_INSTEAD}")
    if "{1,3}+" in text:  # only in tiktoken it is possessive
        raise ValueError(
            f"its split pattern has {{1,3}}+, which is {{1,}} for tokenizers; {_INSTEAD}"
        )
    invert, behavior = _flag(cut, "invert", "its Split"), cut.get("behavior")
    if behavior == "Isolated" and not invert:
        return with_rest(text)
    if behavior == "Removed" and invert and alone:
        return text  # a known pattern leaves nothing to remove
    raise ValueError(
        f"its Split has the behavior {_shown(behavior)} and invert {str(invert).lower()}, not "
        f"Isolated and false; its pattern is {named(text)}; {_INSTEAD}"
    )


def _adds_nothing(processor: object) -> bool:
    """Return whether a post-processor keeps the ids; transformers 5 writes such a template."""
    match processor:
        case None | {"type": "ByteLevel"}:
            return True
        case {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}, **others}]}:
            return not others
        case {"type": "TemplateProcessing", "single": list(pieces)}:
            if sum("Sequence" in piece for piece in pieces if isinstance(piece, dict)) == 1:
                return False
        case {"type": "BertProcessing" | "RobertaProcessing"}:
            return False
    raise ValueError(f"its post_processor, {_kind(processor)}, changes the ids; {_INSTEAD}")


def _parts(part: object, name: str) -> list[Any]:
    """Return the parts of a `Sequence`, also of one inside another; anything else is one part."""
    match part:
        case {"type": "Sequence", **others} if isinstance(parts := others.get(name), list):
            return [one for inner in parts for one in _parts(inner, name)]
    return [part]


def _kinds(parts: Sequence[object]) -> str:
    return " and ".join(map(_kind, parts))


def _kind(part: object) -> str:
    """Return the type of a part for a message."""
    return _shown(part.get("type")) if isinstance(part, dict) else reprlib.repr(part)


def _shown(value: object) -> str:
    """Return a value for a message: names without quotes, anything long shortened."""
    return value if isinstance(value, str) and len(value) <= _LONGEST_SHOWN else reprlib.repr(value)


def _flag(part: Mapping[Any, Any], name: str, owner: str) -> bool:
    if name not in part:
        raise ValueError(f"{owner} lacks {name}")
    if type(flag := part[name]) is not bool:
        raise ValueError(f"{owner} has the {name} {_shown(flag)}, not true or false")
    return flag


def _vocab(vocab: object) -> dict[str, int]:
    """Return the vocabulary, checked: the ids of texts."""
    if not isinstance(vocab, dict) or not {*map(type, vocab.values())} <= {int}:
        raise ValueError("its vocabulary is not a JSON object of ids")
    return vocab


def _merges(merges: object, vocab: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the merges, checked: two tokens each, all as lists or all with a space between."""
    if not isinstance(merges, list):
        raise ValueError("its merges are not a list")  # noqa: TRY004 - the content of a file
    pairs: dict[tuple[str, str], None] = {}
    for rank, entry in enumerate(merges):
        match entry.split(" ") if isinstance(entry, str) else entry:
            case [str(left), str(right)] if left and right and type(entry) is type(merges[0]):
                pair = left, right
            case _:
                raise ValueError(
                    f"its merge {rank} is not two tokens, with all merges written as "
                    f'"a b" or all as ["a", "b"]: {_shown(entry)}'
                )
        if not (left in vocab and right in vocab and left + right in vocab):
            missing = next(one for one in (*pair, left + right) if one not in vocab)
            raise ValueError(f"its merge {rank} has the token {missing[:40]!r}, which has no id")
        if pair in pairs:
            raise ValueError(f"its merge {rank}, {_shown(entry)}, occurs twice")
        pairs[pair] = None
    return [*pairs]


def _foreign(
    vocab: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    special: Mapping[str, int],
    rest: Foreign,
) -> Foreign:
    """Return a tokenizer whose tokens are written in letters that stand for bytes.

    `rest` has what does not depend on the tokens.
    """
    made = {left + right for left, right in merges}
    tokens = {text: of_letters(text) for text in vocab}
    for name in filter(tokens.__contains__, special):
        letters = tokens.pop(name)
        # tokenizers would find such a token by its letters, too.
        by_letters = rest.whole and not name.isascii()
        ordinary = name in made or (letters and (len(letters) == 1 or by_letters))
        with rest.obstacles:
            if ordinary or special[name] != vocab[name]:
                raise ValueError(
                    f"its special token {name[:40]!r} is also an ordinary token; "
                    f"{rest.obstacles.instead}"
                )
    known = {text: token for text, token in tokens.items() if token is not None}
    if unknown := [text for text in tokens if text not in known]:
        with rest.obstacles:
            raise ValueError(f"{_first_of(unknown, 'token')} letters that stand for no byte")
    ranks = {
        (known[left], known[right]): rank
        for rank, (left, right) in enumerate(merges)
        if left in known and right in known
    }
    ids = {token: vocab[text] for text, token in known.items()}
    return replace(rest, ids=ids, merges=ranks, special_tokens=special)


def checked_added_tokens(tokens: Iterable[object], obstacles: Obstacles) -> list[AddedToken]:
    """Return added tokens, checked; flags that bpetite does not have are obstacles."""
    checked: list[AddedToken] = []
    changing: dict[str, list[str]] = {flag: [] for flag in _CHANGING}
    for token in tokens:
        match token:
            case {"content": str(text), "id": int(number), **flags} if type(number) is int:
                owner = f"its added token {text[:40]!r}"
            case _:
                raise ValueError(f"its added token {_shown(token)} lacks a content or an id")
        if not text or not 0 <= number <= _HIGHEST:
            raise ValueError(f"{owner} has the id {number!s:.40}; it needs a text and a 32-bit id")
        for flag in _CHANGING:
            if _flag(flags, flag, owner):
                changing[flag].append(text)
        special = _flag(flags, "special", owner)
        checked.append(AddedToken(text, number, _flag(flags, "normalized", owner), special))
    for flag, texts in changing.items():
        if texts:
            with obstacles:
                raise ValueError(
                    f"{_first_of(texts, 'added token')} {flag}, so it changes the text around "
                    f"it; {obstacles.instead}"
                )
    return checked


def _first_of(texts: Sequence[str], noun: str) -> str:
    """Return the beginning of a sentence on what one token has, and how many others have it."""
    others = f", as {len(texts) - 1:,} others have," if len(texts) > 1 else ""
    return f"its {noun} {texts[0][:40]!r}{others} has"


def about_ordinary(tokens: Sequence[AddedToken]) -> list[str]:
    """Return a note on added tokens that are not special where they come from."""
    names = [token.text for token in tokens if not token.special]
    if not names:
        return []
    more = f" and {len(names) - 4:,} more" if len(names) > 4 else ""
    note = (
        f"{ORDINARY}: {', '.join(map(repr, names[:4]))}{more}; the tokenizer file "
        "has them as special tokens, and an export marks all of these as special, so "
        "skip_special_tokens=True removes them"
    )
    return [note]


def _ids_of(tokens: Sequence[AddedToken], vocab: Mapping[str, int], *, nfc: bool) -> dict[str, int]:
    """Return the ids of the tokens that are recognized before a text is split.

    `tokenizers` ignores the ids in the list: a token of the vocabulary has its id there, and
    the others have the next ids after the number of tokens in the vocabulary.
    """
    special: dict[str, int] = {}
    first: list[str] = []
    second: list[str] = []
    free = itertools.count(len(vocab))
    for text, written, normalized, _ in tokens:
        if text not in special:
            special[text] = vocab[text] if text in vocab else next(free)
            (second if normalized else first).append(text)
        elif normalized != (text in second):
            raise ValueError(
                f"its added token {text[:40]!r} is listed twice, with and without `normalized`"
            )
        if written != special[text]:
            raise ValueError(
                f"its added token {text[:40]!r} has the id {written!s:.40}, but tokenizers uses "
                f"{special[text]!s:.40}; load and save the file with tokenizers"
            )
        if normalized and nfc and not unicodedata.is_normalized("NFC", text):
            raise ValueError(f"its added token {text[:40]!r} is changed by its normalizer, NFC")
    _check_passes(first, second)
    return special


def _check_passes(first: Sequence[str], second: Sequence[str]) -> None:
    """Reject names where two passes find other tokens than one.

    `tokenizers` first finds the names with `normalized` false. One pass finds the same, unless
    one of the others starts before one of these and overlaps it.
    """
    for name in second:
        for place in range(1, len(name)):
            rest = name[place:]
            for other in first:
                if rest.startswith(other) or other.startswith(rest):
                    raise ValueError(
                        f"its added tokens {name[:40]!r} and {other[:40]!r} overlap, and only one "
                        "is `normalized`, so which one a text has depends on more than its place"
                    )
