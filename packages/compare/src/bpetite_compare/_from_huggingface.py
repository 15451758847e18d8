"""Read tokenizers in GPT-2's letters: `tokenizer.json`, `vocab.json` with `merges.txt`, GGUF.

An import accepts only byte-level BPE. What contradicts the format is an error at once. What does
not fit is an obstacle, and an error names all of them.
"""

import codecs
import itertools
import reprlib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any, Final, NamedTuple

from bpetite._inner import ALL_PATTERNS, PATTERNS
from bpetite_compare._foreign import Foreign, Options
from bpetite_compare._letters import of_letters
from bpetite_compare._spellings import in_llama_cpp, known_pattern, named, with_rest

_LONGEST_SHOWN: Final = 60

_UNFIT: Final = {
    "byte_fallback": "its tokens are characters, not bytes, as in SentencePiece",
    "dropout": "the ids of a text are random (set it to null)",
    "continuing_subword_prefix": "its tokens have marks",
    "end_of_word_suffix": "its tokens have marks",
}
"""The settings of a model that do not fit, and what they mean."""
_KINDS: Final[Mapping[tuple[type, ...], Sequence[str]]] = {
    (str,): ("unk_token", "continuing_subword_prefix", "end_of_word_suffix"),
    (bool,): ("fuse_unk", "byte_fallback", "ignore_merges"),
    (float, int): ("dropout",),
}
"""The settings of a model by their types; they may also be null."""
_GGUF: Final = "tokenizer.ggml."
_CHARACTERS: Final = {"llama": "SentencePiece", "gemma4": "SentencePiece", "bert": "WordPiece"}
"""Other models of llama.cpp, whose tokens are characters."""
_INSTEAD_OF_GGUF: Final = "use llama.cpp, or import the model's tokenizer.json"
_NORMAL, _USER_DEFINED, _UNUSED = 1, 4, 5
_GGUF_KINDS: Final = {_NORMAL, 2, 3, _USER_DEFINED, _UNUSED}
"""llama.cpp's kinds of tokens; unknown, control and user-defined ones are special."""
_HIGHEST: Final = (1 << 32) - 1
ORDINARY: Final = "not special in the source"
"""How the note on added tokens begins that are not special."""
FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
"""The flags of an added token; the first three change the text around it."""


class AddedToken(NamedTuple):
    """A token that is found before a text is split."""

    text: str
    id: int
    flags: Collection[str]


def read_huggingface(content: Mapping[str, Any], options: Options) -> Foreign:
    """Return the tokenizer in the content of a `tokenizer.json`, with what does not fit.

    Raises:
        ValueError: it has another format; the message explains why.
    """
    model = content.get("model")
    if not isinstance(model, dict):
        raise ValueError("it is not a tokenizer.json: no object `model`")  # noqa: TRY004 - a file
    if content.get("version", "1.0") != "1.0":
        raise ValueError(f"its version is {_shown(content['version'])}, not 1.0")
    foreign = _of_settings(content, model, options)
    parts = parts_of(content.get("pre_tokenizer"), "pretokenizers")
    foreign.splits = _splits(parts, foreign.obstacles)
    for decoder in parts_of(content.get("decoder"), "decoders"):
        if decoder is not None and _kind(decoder) != "ByteLevel":
            foreign.obstacles.append(f"its decoder is {_kind(decoder)}, not ByteLevel")
    normalizers = parts_of(content.get("normalizer"), "normalizers")
    _check_normalizers(normalizers, foreign)
    _check_processors(parts_of(content.get("post_processor"), "processors"), foreign)
    added = content.get("added_tokens", [])
    if not isinstance(added, list):
        raise ValueError("its added_tokens are not a list")  # noqa: TRY004 - the content of a file
    tokens = added_tokens(added, foreign)
    if foreign.model != "BPE":
        foreign.special_tokens = {token.text: token.id for token in tokens}
        return foreign
    vocab = _vocab(model.get("vocab"))
    foreign.without_id = _without_id(model.get("unk_token"), vocab)
    merges = _merges(model.get("merges"), vocab)
    foreign.special_tokens = _ids_of(tokens, vocab, foreign.obstacles, nfc=any(normalizers))
    return _with_tokens(foreign, vocab, merges)


def read_gpt2(vocab: object, merges: bytes, rest: Foreign) -> Foreign:
    """Return the tokenizer in the contents of GPT-2's two files; `rest` has what they lack.

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
    return _with_tokens(rest, vocab, _merges(lines, vocab))


def read_gguf(fields: Mapping[str, Any], options: Options) -> Foreign:
    """Return the tokenizer in the fields of a GGUF file; options have what it lacks.

    Raises:
        ValueError: it has another kind of tokenizer, or its fields contradict each other.
    """
    own = {name.removeprefix(_GGUF): value for name, value in fields.items()}
    if "tokens" not in own:
        raise ValueError("it has no tokens; of a model in several files, name the first one")
    if (model := own.get("model")) != "gpt2":
        known = _CHARACTERS.get(str(model))
        meaning = f" ({known}, whose tokens are characters, not bytes)" if known else ""
        raise ValueError(f"its model is {_shown(model)}{meaning}, not gpt2, byte-level BPE")
    pattern, whole = in_llama_cpp(pre := own.get("pre"))
    rest = Foreign(whole=whole or options.ignore_merges, instead=_INSTEAD_OF_GGUF, options=options)
    if options.pattern is not None:
        pattern, rest.named_by = options.pattern, "--pattern"
    if pattern is None:
        key = f"{_GGUF}pre"
        reason = f"its {key}, {_shown(pre)}, names no pattern that bpetite has"
        reason = f"it has no {key}, which would name its pattern" if pre is None else reason
        rest.obstacles.append(f"{reason}; if it is one of bpetite's, --pattern (pattern=) names it")
        rest.named_by = key
    else:
        rest.splits = (ALL_PATTERNS[pattern].text,)
    if pre is not None:
        rest.model += f", {_GGUF}pre {_shown(pre)}"
    roles = [f"{name} {one}" for name, one in own.items() if type(one) in {bool, int}]
    rest.notes.append(
        f"left out: kinds of tokens, and roles ({', '.join(roles) or 'none'}); `export --base` "
        "takes them from this file, which does not say whether the model normalizes text to NFC"
    )
    vocab = _gguf_vocab(own, rest)
    rest.special_tokens = {**rest.special_tokens, **(options.special or {})}
    return _with_tokens(rest, vocab, _merges(own.get("merges"), vocab))


def _gguf_vocab(own: Mapping[str, Any], rest: Foreign) -> dict[str, int]:
    """Return the ids of the tokens of a GGUF file that are used; `rest` gets the special ones.

    llama.cpp's converter names an id without a token `[PAD7]`; old ones made these user-defined.
    """
    tokens, kinds = own["tokens"], own.get("token_type", ())
    for name, values, kind in (("tokens", tokens, str), ("token_type", kinds, int)):
        if type(values) is not list or {*map(type, values)} - {kind}:
            raise ValueError(f"its {_GGUF}{name} is missing, or not a list of {kind.__name__}")
    if len(kinds) != len(tokens) or not {*kinds} <= _GGUF_KINDS:
        raise ValueError(f"its {_GGUF}token_type is not a list of {len(tokens):,} kinds, 1 to 5")
    vocab, unused = dict[str, int](), list[str]()
    for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True)):
        if kind == _UNUSED or (kind == _USER_DEFINED and text == f"[PAD{number}]"):
            unused.append(text)
        elif vocab.setdefault(text, number) != number:
            raise ValueError(f"its tokens {vocab[text]} and {number} are both {text[:40]!r}")
    if unused:
        rest.notes.append(f"left out: {len(unused):,} unused tokens, such as {unused[0][:40]!r}")
    rest.special_tokens = {text: one for text, one in vocab.items() if kinds[one] != _NORMAL}
    return vocab


def _of_settings(content: Mapping[str, Any], model: Mapping[str, Any], options: Options) -> Foreign:
    """Return a tokenizer without tokens, with what its settings say."""
    instead = "use the libraries tokenizers or transformers for this model"
    untyped = "Unigram" if isinstance(model.get("vocab"), list) else "BPE"  # in old files
    for kinds, names in _KINDS.items():
        for name in names:
            if (value := model.get(name)) is not None and type(value) not in kinds:
                fault = f"the {name} {_shown(value)}, not of the type {kinds[0].__name__}"
                raise ValueError(f"its model has {fault}")
    rest = Foreign(whole=bool(model.get("ignore_merges")), instead=instead, options=options)
    rest.says_whole = True
    rest.model = _shown(model.get("type", untyped))
    if rest.model != "BPE":
        rest.obstacles.append(f"its model is {rest.model}, not BPE")
    for name in ("truncation", "padding"):
        if (value := content.get(name)) is not None:
            if not isinstance(value, dict):
                raise ValueError(f"its {name} is {_shown(value)}, not an object or null")
            rest.leave_out(f"its setting for {name} is not part of a tokenizer file")
    for name, meaning in _UNFIT.items():
        if model.get(name):
            rest.obstacles.append(f"its model has {name}, so {meaning}")
    return rest


def _check_normalizers(normalizers: Sequence[object], rest: Foreign) -> None:
    """Note that a normalizer to NFC is left out; any other is an obstacle."""
    rest.normalizers = kinds = [_kind(part) for part in normalizers if part is not None]
    changes = f"its normalizer, {' and '.join(dict.fromkeys(kinds))}, changes the text"
    if {*kinds} == {"NFC"}:
        note = "its normalizer, NFC, is left out: ids are the model's for text in NFC"
        rest.leave_out(note, "drop_normalizer", changes)
    elif kinds:
        rest.obstacles.append(changes)


def _check_processors(processors: Sequence[object], rest: Foreign) -> None:
    """Note which post-processors add tokens around a text; others may only keep the ids."""
    adding: list[str] = []
    for part in processors:
        match part:
            case None | {"type": "ByteLevel"}:
                pass
            case {
                "type": "TemplateProcessing",
                "single": [{"Sequence": {"id": "A"}, **others}],
            } if not others:
                pass  # transformers 5 writes such a template
            case {"type": "BertProcessing" | "RobertaProcessing" as kind}:
                adding.append(kind)
            case {"type": "TemplateProcessing" as kind, "single": list(pieces)} if (
                sum("Sequence" in piece for piece in pieces if isinstance(piece, dict)) == 1
            ):
                adding.append(kind)
            case _:
                rest.obstacles.append(f"its post_processor, {_kind(part)}, changes the ids")
    if adding:
        rest.leave_out(
            f"its post_processor, {' and '.join(adding)}, adds special tokens to a text; bpetite "
            "adds none"
        )


def _splits(parts: Sequence[Any], obstacles: list[str]) -> tuple[str, ...]:
    """Return the patterns of a pre-tokenizer that splits text, then turns bytes into letters."""
    kinds = list(map(_kind, parts))
    for kind in kinds:
        if kind not in {"ByteLevel", "Digits", "Split"}:
            obstacles.append(f"its pre_tokenizer is {kind}, not Split, Digits or ByteLevel")
            return ()
    if kinds[-1:] != ["ByteLevel"] or kinds.count("ByteLevel") > 1:
        obstacles.append("its pre_tokenizer does not end with its only ByteLevel")
        return ()
    *cuts, level = parts
    if level["add_prefix_space"]:
        obstacles.append("add_prefix_space in its pre_tokenizer adds a space that stays")
    again, gpt2 = level.get("use_regex", True), PATTERNS["gpt2"].text
    splits = [_pattern(cut, obstacles, alone=len(cuts) + again == 1) for cut in cuts]
    if again and known_pattern(*splits, gpt2):
        return (*splits, gpt2)
    if again or not cuts:
        way = "splits a second time" if again else "does not split the text"
        obstacles.append(f"its ByteLevel {way} (use_regex is {str(again).lower()})")
    return () if "" in splits else (*splits,)


def _pattern(cut: Mapping[str, Any], obstacles: list[str], *, alone: bool) -> str:
    """Return the pattern of a part that keeps all text and cuts around each match, or ""."""
    if cut["type"] == "Digits":
        return r"\p{N}" if _flag(cut, "individual_digits", "its Digits") else r"\p{N}+"
    match cut.get("pattern"):
        case {"Regex": str(text), **others} if not others:
            pass
        case other:
            obstacles.append(f"its Split has the pattern {_shown(other)}, not a Regex")
            return ""
    if "{1,3}+" in text:  # only in tiktoken it is possessive
        obstacles.append("its split pattern has {1,3}+, which is {1,} for tokenizers")
        return ""
    invert, behavior = _flag(cut, "invert", "its Split"), cut.get("behavior")
    if behavior == "Isolated" and not invert:
        return with_rest(text)
    if behavior == "Removed" and invert and alone:
        return text  # a known pattern leaves nothing to remove
    obstacles.append(
        f"its Split has the behavior {_shown(behavior)} and invert {str(invert).lower()}, not "
        f"Isolated and false; its pattern is {named(text)}"
    )
    return ""


def parts_of(part: object, name: str) -> list[Any]:
    """Return the parts of a `Sequence`, also of one inside another; anything else is one part."""
    match part:
        case {"type": "Sequence", **others} if isinstance(parts := others.get(name), list):
            return [one for inner in parts for one in parts_of(inner, name)]
        case {"type": "ByteLevel", **flags} if name != "normalizers":
            for flag in ("add_prefix_space", "trim_offsets", "use_regex"):
                _flag({"use_regex": True, **flags}, flag, "its ByteLevel")
    return [part]


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


def _merges(merges: object, vocab: Mapping[str, int]) -> dict[tuple[str, str], int]:
    """Return the merges, checked: two tokens each, all as lists or all with a space between."""
    if not isinstance(merges, list):
        raise ValueError("its merges are not a list")  # noqa: TRY004 - the content of a file
    form = str if merges and isinstance(merges[0], str) else list
    if {*map(type, merges)} == {form}:  # all at once; the loop finds what is wrong
        parts = merges if form is list else [entry.split(" ") for entry in merges]
        tokens = [*itertools.chain.from_iterable(parts)]
        if {*map(len, parts)} == {2} and {*map(type, tokens)} == {str}:
            left, right = tokens[::2], tokens[1::2]
            pairs = dict(zip(zip(left, right, strict=True), itertools.count(), strict=False))
            known = all(map(vocab.__contains__, itertools.chain(tokens, map(add, left, right))))
            if known and len(pairs) == len(merges) and "" not in {*tokens}:
                return pairs
    pairs = {}
    for rank, entry in enumerate(merges):
        parts = entry.split(" ") if isinstance(entry, str) else entry
        pair = (*parts,) if type(entry) is form else ()
        if len(pair) != 2 or not all(pair) or {*map(type, pair)} != {str}:
            raise ValueError(
                f"its merge {rank} is not two tokens, with all merges written as "
                f'"a b" or all as ["a", "b"]: {_shown(entry)}'
            )
        left, right = pair
        if not (left in vocab and right in vocab and left + right in vocab):
            missing = next(one for one in (*pair, left + right) if one not in vocab)
            raise ValueError(f"its merge {rank} has the token {missing[:40]!r}, which has no id")
        if pairs.setdefault(pair, rank) != rank:
            raise ValueError(f"its merge {rank}, {_shown(entry)}, occurs twice")
    return pairs


def _without_id(unknown: str | None, vocab: Mapping[str, int]) -> str:
    """Return what `tokenizers` does at bytes that have no id; each byte is a letter there."""
    does = f"gives them the id of {unknown!r:.40}" if unknown in vocab else "fails at them"
    return f"tokenizers {'leaves them out' if unknown is None else does}"


def _with_tokens(
    foreign: Foreign, vocab: Mapping[str, int], merges: Mapping[tuple[str, str], int]
) -> Foreign:
    """Give a tokenizer its tokens, which are written in letters that stand for bytes."""
    special, tokens = foreign.special_tokens, {text: of_letters(text) for text in vocab}
    names = [*filter(tokens.__contains__, special)]
    made = {left + right for left, right in merges} if names else set()
    for name in names:
        letters = tokens.pop(name)
        # tokenizers would find such a token by its letters, too.
        by_letters = foreign.whole and not name.isascii()
        ordinary = name in made or (letters and (len(letters) == 1 or by_letters))
        if ordinary or special[name] != vocab[name]:
            foreign.obstacles.append(f"its special token {name[:40]!r} is also an ordinary token")
    known = {text: token for text, token in tokens.items() if token is not None}
    if unknown := [text for text in tokens if text not in known]:
        foreign.leave_out(
            f"{len(unknown):,} tokens with letters that stand for no byte are left out, as no text "
            f"has them ({some(unknown)})"
        )
    foreign.ids = {token: vocab[text] for text, token in known.items()}
    foreign.highest = max(vocab.values(), default=0)
    if not known.keys() >= {*itertools.chain.from_iterable(merges)}:
        merges = {pair: rank for pair, rank in merges.items() if known.keys() >= {*pair}}
    parts = [*map(known.__getitem__, itertools.chain.from_iterable(merges))]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    foreign.merges = dict(zip(pairs, merges.values(), strict=True))
    return foreign


def added_tokens(entries: Iterable[object], rest: Foreign) -> list[AddedToken]:
    """Return added tokens, checked; flags that bpetite does not have are obstacles or noted."""
    tokens = list(map(_added_token, entries))
    rest.flags = {token.text: token.flags for token in tokens}
    for flag, side in zip(FLAGS[:3], ("", "before", "after"), strict=True):
        if texts := [token.text for token in tokens if flag in token.flags]:
            obstacle = f"{flag} of {some(texts, 1)} changes the text around it"
            note = (
                f"{flag} of {some(texts)} is left out: ids differ only where whitespace is "
                f"directly {side} such a token"
            )
            if side:
                rest.leave_out(note, "drop_strip", obstacle)
            else:
                rest.obstacles.append(obstacle)
    passes = {token.text: "normalized" in token.flags for token in tokens}
    rest.obstacles.extend(itertools.islice(_overlaps(passes), 1))
    texts = [token.text for token in tokens if "special" not in token.flags]
    if ordinary := [text for text in texts if not text.isspace()]:
        rest.notes.append(
            f"{ORDINARY}: {some(ordinary)}; the tokenizer "
            "file has them as special tokens, and an export without --base (base=) marks all of "
            "these as special, so skip_special_tokens=True removes them"
        )
    return tokens


def _added_token(entry: object) -> AddedToken:
    match entry:
        case {"content": str(text), "id": int(number), **others} if type(number) is int:
            owner = f"its added token {text[:40]!r}"
        case _:
            raise ValueError(f"its added token {_shown(entry)} lacks a content or an id")
    if not text or not 0 <= number <= _HIGHEST:
        raise ValueError(f"{owner} has the id {number!s:.40}; it needs a text and a 32-bit id")
    return AddedToken(text, number, {flag for flag in FLAGS if _flag(others, flag, owner)})


def some(texts: Sequence[str], most: int = 4) -> str:
    """Return the first texts for a message, and how many others there are."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return f"{', '.join(repr(text[:40]) for text in texts[:most])}{more}"


def _ids_of(
    tokens: Sequence[AddedToken], vocab: Mapping[str, int], obstacles: list[str], *, nfc: bool
) -> dict[str, int]:
    """Return the ids of the tokens that are recognized before a text is split.

    `tokenizers` ignores the ids in the list: a token of the vocabulary has its id there, and
    the others have the next ids after the number of tokens in the vocabulary.
    """
    special: dict[str, int] = {}
    passes: dict[str, bool] = {}
    free = itertools.count(len(vocab))
    for text, written, flags in tokens:
        normalized = "normalized" in flags
        if text not in special:
            special[text] = vocab[text] if text in vocab else next(free)
        token = f"its added token {text[:40]!r}"
        if passes.setdefault(text, normalized) != normalized:
            obstacles.append(f"{token} is listed twice, with and without `normalized`")
        if written != special[text]:
            obstacles.append(
                f"{token} has the id {written!s:.40}, but tokenizers uses {special[text]!s:.40} "
                "(load and save the file with tokenizers)"
            )
        if normalized and nfc and not unicodedata.is_normalized("NFC", text):
            obstacles.append(f"{token} is changed by its normalizer, NFC")
    return special


def _overlaps(passes: Mapping[str, bool]) -> Iterator[str]:
    """Yield obstacles: names where two passes find other tokens than one.

    `tokenizers` first finds the names with `normalized` false. One pass finds the same, unless
    one of the others starts before one of these and overlaps it, or begins with it.
    """
    first = [name for name, normalized in passes.items() if not normalized]
    for name in [name for name, normalized in passes.items() if normalized]:
        for place in range(len(name)):
            rest = name[place:]
            for other in first:
                if rest.startswith(other) or (place and other.startswith(rest)):
                    yield (
                        f"its added tokens {name[:40]!r} and {other[:40]!r} overlap, and only one "
                        "is `normalized`, so which one a text has depends on more than its place"
                    )
