"""Read tokenizers of Hugging Face: a `tokenizer.json`, or `vocab.json` and `merges.txt`.

An import accepts only byte-level BPE. An error names the part that does not fit, in an order in
which the first fault is the one to report.
"""

import itertools
import reprlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._patterns import GPT2
from bpetite_compare._foreign import Foreign
from bpetite_compare._letters import of_letters

_LONGEST_SHOWN: Final = 90
_REMOVED: Final = ("Removed", True)
"""Behavior and inversion of a `Split` that removes all but its matches, which are everything."""

_INSTEAD: Final = "use the libraries tokenizers or transformers for this model"
_UNFIT: Final = {
    "byte_fallback": f"its tokens are characters, not bytes, as in SentencePiece; {_INSTEAD}",
    "dropout": "the ids of a text are random; set it to null",
    "continuing_subword_prefix": f"its tokens have marks; {_INSTEAD}",
    "end_of_word_suffix": f"its tokens have marks; {_INSTEAD}",
}
"""The settings of a model that do not fit, and what they mean."""


def read_huggingface(content: Mapping[str, Any], *, drop_normalizer: bool) -> Foreign:
    """Return the tokenizer in the content of a `tokenizer.json`.

    Raises:
        ValueError: it has another format, or does not fit; the message explains why.
    """
    model = content.get("model")
    if not isinstance(model, dict):
        raise ValueError("it is not a tokenizer.json: no object `model`")  # noqa: TRY004 - a file
    if content.get("version", "1.0") != "1.0":
        raise ValueError(f"its version is {_shown(content['version'])}, not 1.0")
    _check_model(model)
    notes = [
        f"its setting for {name} is not part of a tokenizer file"
        for name in ("truncation", "padding")
        if content.get(name) is not None
    ]
    splits = _splits(_parts(content.get("pre_tokenizer"), "pretokenizers"))
    for decoder in _parts(content.get("decoder"), "decoders"):
        if decoder is not None and _kind(decoder) != "ByteLevel":
            raise ValueError(f"its decoder is {_kind(decoder)}, not ByteLevel; {_INSTEAD}")
    normalizers = _parts(content.get("normalizer"), "normalizers")
    if kinds := _kinds([part for part in normalizers if part is not None]):
        if {*map(_kind, normalizers)} != {"NFC"}:
            raise ValueError(f"its normalizer, {kinds}, changes the text; {_INSTEAD}")
        if not drop_normalizer:
            raise ValueError(
                "its normalizer, NFC, changes the text; --drop-normalizer (drop_normalizer=True) "
                "leaves it out, and then the ids are the model's for text in NFC"
            )
        notes.append("its normalizer, NFC, is left out: the ids are the model's for text in NFC")
    processors = _parts(content.get("post_processor"), "processors")
    if adding := [part for part in processors if not _adds_nothing(part)]:
        notes.append(
            f"its post_processor, {_kinds(adding)}, adds special tokens to a text; bpetite "
            "adds none"
        )
    vocab = _vocab(model.get("vocab"))
    merges = _merges(model.get("merges"), vocab)
    special = _added_tokens(content.get("added_tokens", []), vocab, nfc=any(normalizers))
    rest = Foreign({}, {}, {}, splits, bool(model.get("ignore_merges")), (*notes,))
    return _foreign(vocab, merges, special, rest)


def read_gpt2(vocab: object, merges: bytes, special_tokens: Mapping[str, int] | None) -> Foreign:
    """Return the tokenizer in the contents of GPT-2's two files; the pattern is GPT-2's.

    Without special tokens, `<|endoftext|>` is one if the vocabulary has it.

    Raises:
        ValueError: a file has another format; the message explains why.
    """
    vocab = _vocab(vocab)
    text = merges.decode("utf-8", errors="replace").replace("\r\n", "\n").removesuffix("\n")
    lines = text.split("\n") if text else []
    if text.startswith("#version"):
        del lines[0]
    special = special_tokens
    if special is None:
        special = {name: vocab[name] for name in [END_OF_TEXT_TOKEN] if name in vocab}
    rest = Foreign({}, {}, {}, (GPT2.text,), whole=False)
    return _foreign(vocab, _merges(lines, vocab), special, rest)


def _check_model(model: Mapping[str, Any]) -> None:
    if model.get("type", "BPE") != "BPE":
        raise ValueError(f"its model is {_shown(model['type'])}, not BPE; {_INSTEAD}")
    for name, meaning in _UNFIT.items():
        if model.get(name):
            raise ValueError(f"its model has {name}, so {meaning}")
    if model.get("ignore_merges") is not None:
        _flag(model, "ignore_merges", "its model")


def _splits(parts: Sequence[Any]) -> tuple[str, ...]:
    """Return the patterns of a pre-tokenizer that splits text, then turns bytes into letters."""
    kinds = list(map(_kind, parts))
    for kind in kinds:
        if kind not in {"ByteLevel", "Split"}:
            raise ValueError(f"its pre_tokenizer is {kind}, not Split or ByteLevel; {_INSTEAD}")
    if kinds[-1:] != ["ByteLevel"] or kinds.count("ByteLevel") > 1:
        raise ValueError(f"its pre_tokenizer does not end with its only ByteLevel; {_INSTEAD}")
    *cuts, level = parts
    if _flag(level, "add_prefix_space", "its ByteLevel"):
        raise ValueError(
            "its pre_tokenizer adds a space before the text (add_prefix_space), which decoding "
            f"would not take away; {_INSTEAD}"
        )
    own = (GPT2.text,) if _flag(level, "use_regex", "its ByteLevel", default=True) else ()
    return (*(_pattern(cut, alone=len(cuts) == 1) for cut in cuts), *own)


def _pattern(cut: Mapping[str, Any], *, alone: bool) -> str:
    """Return the pattern of a `Split` that keeps all text, or an empty one."""
    how = (cut.get("behavior"), cut.get("invert"))
    kept = type(how[1]) is bool and (how == ("Isolated", False) or (alone and how == _REMOVED))
    match cut.get("pattern"):
        case {"Regex": str(text), **others} if kept and not others:
            if "{1,3}+" in text:  # only in tiktoken it is possessive
                raise ValueError(
                    f"its split pattern has {{1,3}}+, which is {{1,}} for tokenizers; {_INSTEAD}"
                )
            return text
    return ""


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


def _flag(part: Mapping[Any, Any], name: str, owner: str, *, default: object = None) -> bool:
    flag = part.get(name, default)
    if type(flag) is not bool:
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
    for name in special.keys() & tokens.keys():
        letters = tokens.pop(name)
        # tokenizers would find such a token by its letters, too.
        by_letters = rest.whole and not name.isascii()
        ordinary = name in made or (letters and (len(letters) == 1 or by_letters))
        if ordinary or special[name] != vocab[name]:
            raise ValueError(
                f"its special token {name[:40]!r} is also an ordinary token; {_INSTEAD}"
            )
    known = {text: token for text, token in tokens.items() if token is not None}
    if unknown := next((text for text, token in tokens.items() if token is None), None):
        raise ValueError(f"its token {unknown[:40]!r} has letters that stand for no byte")
    ranks = {
        (known[left], known[right]): rank
        for rank, (left, right) in enumerate(merges)
        if left in known and right in known
    }
    ids = {token: vocab[text] for text, token in known.items()}
    return replace(rest, ids=ids, merges=ranks, special_tokens=special)


def _added_tokens(added: object, vocab: Mapping[str, int], *, nfc: bool) -> dict[str, int]:
    """Return the ids of the tokens that are recognized before a text is split.

    `tokenizers` ignores the ids in the list: a token of the vocabulary has its id there, and
    the others have the next ids after the number of tokens in the vocabulary.
    """
    if not isinstance(added, list):
        raise ValueError("its added_tokens are not a list")  # noqa: TRY004 - the content of a file
    special: dict[str, int] = {}
    first: list[str] = []
    second: list[str] = []
    free = itertools.count(len(vocab))
    for token in added:
        text, written, normalized = checked_added_token(token)
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


def checked_added_token(token: object) -> tuple[str, int, bool]:
    """Return the content and the id of an added token, and whether it is `normalized`."""
    match token:
        case {"content": str(text), "id": int(number), **flags} if text and type(number) is int:
            owner = f"its added token {text[:40]!r}"
        case _:
            raise ValueError(f"its added token {_shown(token)} lacks a content or an id")
    for name in ("single_word", "lstrip", "rstrip"):
        if _flag(flags, name, owner):
            raise ValueError(f"{owner} has {name}, so it changes the text around it; {_INSTEAD}")
    return text, number, _flag(flags, "normalized", owner)
