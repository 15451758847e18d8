"""Read tokenizers of Hugging Face: a `tokenizer.json`, or `vocab.json` and `merges.txt`.

An import accepts only byte-level BPE with GPT-2's pattern. `_faults` yields why
parts of a `tokenizer.json` do not fit, in an order in which the first fault is the one to report.
"""

import itertools
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._patterns import GPT2
from bpetite._reading import read_file
from bpetite._strict_json import parse_json
from bpetite_compare._foreign import Foreign, missing_byte_message, rank_by_rank
from bpetite_compare._id_map import LARGEST_ID, is_id
from bpetite_compare._letters import BYTE_LETTERS
from bpetite_compare._spellings import is_gpt2_pattern

_LARGEST_FILE: Final = 1 << 26
_MOST_OBJECTS: Final = 1 << 17
"""Each added token is an object; Gemma 3 has 6,415."""

_LONGEST_SHOWN: Final = 90
_SETTINGS: Final = ("truncation", "padding")
_MATCHING: Final = ("single_word", "lstrip", "rstrip")
_BYTE_LEVEL_FLAGS: Final = {"add_prefix_space": None, "trim_offsets": None, "use_regex": True}
_MODEL_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "dropout": (float, int),
    **dict.fromkeys(("unk_token", "continuing_subword_prefix", "end_of_word_suffix"), (str,)),
    **dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), (bool,)),
}
"""The settings that `tokenizers` reads, and their types; each may also be null."""


def read_huggingface(path: str, *, drop_special: bool) -> Foreign:
    """Return the tokenizer in a `tokenizer.json`.

    Raises:
        ValueError: the file has another format, or does not fit; the message explains why.
        OSError: the file cannot be read.
    """
    data = read_file(path, _LARGEST_FILE)
    content = parse_json(data, fractions=True, objects=_MOST_OBJECTS)
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        message = "it is not a tokenizer.json: expected a JSON object with an object `model`"
        if isinstance(content, dict) and "schema_version" in content:
            message = "it is already a bpetite tokenizer file; no import is needed"
        raise ValueError(message)  # noqa: TRY004 - the content of a file
    if fault := next(_faults(content, drop_special=drop_special), None):
        raise ValueError(fault)
    model = content["model"]
    vocab, merges = _vocab(model.get("vocab")), _merges(model.get("merges"))
    whole = bool(model.get("ignore_merges"))
    encode_chunk = _encode_chunk(vocab, merges, whole=whole)
    return Foreign(
        vocab,
        merges,
        _added_tokens(content.get("added_tokens", []), vocab),
        encode_chunk,
        takes_whole_chunks=whole,
        notes=[
            f"its setting for {name} is not part of a tokenizer file"
            for name in _SETTINGS
            if content.get(name) is not None
        ],
    )


def read_gpt2(vocab_path: str, merges_path: str) -> Foreign:
    """Return the tokenizer in GPT-2's two files; the pattern is always GPT-2's.

    Raises:
        ValueError: a file has another format; the message explains why.
        OSError: a file cannot be read.
    """
    vocab = _vocab(parse_json(read_file(vocab_path, _LARGEST_FILE)))
    try:
        text = read_file(merges_path, _LARGEST_FILE).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"its merges.txt is not UTF-8: byte offset {error.start}") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    merges = _merges(lines[1:] if lines and lines[0].startswith("#version") else lines)
    # The files do not list special tokens; GPT-2's own is one.
    special = {END_OF_TEXT_TOKEN: vocab[END_OF_TEXT_TOKEN]} if END_OF_TEXT_TOKEN in vocab else {}
    return Foreign(vocab, merges, special, _encode_chunk(vocab, merges))


def _faults(content: Mapping[str, Any], *, drop_special: bool) -> Iterator[str]:
    """Yield what a tokenizer file cannot represent; a check may rely on those before it."""
    if content.get("version", "1.0") != "1.0":
        yield f"its version is {_shown(content['version'])}, not 1.0"
    yield from _faults_of_model(content["model"])
    normalizer, decoder = content.get("normalizer"), content.get("decoder")
    if normalizer is not None and (kinds := _kinds(_parts(normalizer, "normalizers"))):
        yield f"its normalizer, {kinds}, changes the text"
    yield from _faults_of_pre_tokenizer(_parts(content.get("pre_tokenizer"), "pretokenizers"))
    if decoder is not None and _kind(decoder) != "ByteLevel":
        yield f"its decoder is {_kind(decoder)}, not ByteLevel"
    processors = _parts(content.get("post_processor"), "processors")
    if not drop_special and not all(map(_adds_nothing, processors)):
        yield (
            f"its post_processor, {_kinds(processors)}, adds special tokens to each "
            "text; --drop-special (drop_special=True) drops them"
        )


def _faults_of_model(model: Mapping[str, Any]) -> Iterator[str]:
    if model.get("type", "BPE") != "BPE":
        yield f"its model is {_shown(model['type'])}, not BPE"
    for name, types in _MODEL_TYPES.items():
        if model.get(name) is not None and type(model[name]) not in types:
            yield f"its model has the {name} {_shown(model[name])}, which tokenizers rejects"
    if model.get("byte_fallback"):
        yield "its model has byte_fallback, so its tokens are characters, not bytes"
    if model.get("dropout"):
        yield "its model has a dropout, so the ids of a text are random; set it to null"
    for name in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(name):
            yield f"its model has the {name} {_shown(model[name])}"


def _faults_of_pre_tokenizer(parts: Sequence[Any]) -> Iterator[str]:
    """Yield why it does not split text with GPT-2's pattern, exactly once."""
    kinds = list(map(_kind, parts))
    for kind in kinds:
        if kind not in {"ByteLevel", "Split"}:
            yield f"its pre_tokenizer is {kind}, not ByteLevel with GPT-2's split pattern"
    for one in parts:
        for name, default in _BYTE_LEVEL_FLAGS.items() if one["type"] == "ByteLevel" else ():
            if type(flag := one.get(name, default)) is not bool:
                yield f"its ByteLevel has the {name} {_shown(flag)}, not true or false"
        if one["type"] == "ByteLevel" and one["add_prefix_space"]:
            yield "its pre_tokenizer adds a space before the text; train without add_prefix_space"
    cuts = [_pattern(one) for one in parts if one["type"] == "Split" or one.get("use_regex", True)]
    if kinds[-1:] != ["ByteLevel"] or kinds.count("ByteLevel") > 1 or len(cuts) != 1:
        shown = _kinds(parts) or "an empty Sequence"
        yield f"its pre_tokenizer, {shown}, does not split text exactly once with GPT-2's pattern"
    if not is_gpt2_pattern(cuts[0]):
        yield f"its split pattern is not GPT-2's: {_shown(cuts[0])}"


def _pattern(part: Mapping[str, Any]) -> str:
    """Return the pattern of a part; ByteLevel has GPT-2's built in."""
    if part["type"] == "ByteLevel":
        return GPT2.text
    cut = (part.get("behavior"), part.get("invert"))
    match part.get("pattern"), cut:
        case {"Regex": str(pattern), **others}, (_, bool()) if cut in _CUTS and not others:
            return pattern
    return f"{part.get('pattern')}, {', '.join(map(str, cut))}"


def _adds_nothing(processor: object) -> bool:
    """Return whether a post-processor keeps the ids; transformers 5 writes such a template."""
    match processor:
        case None | {"type": "ByteLevel"}:
            return True
        case {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}, **others}]}:
            return not others
    return False


_CUTS: Final = (("Isolated", False), ("Removed", True))
"""Behavior and inversion of a `Split` that keeps every chunk, if every character is in one."""


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


def _vocab(vocab: object) -> dict[str, int]:
    """Return the vocabulary, checked: the ids of texts, all distinct."""
    if not isinstance(vocab, dict) or not all(map(is_id, vocab.values())):
        raise ValueError(f"its vocabulary is not a JSON object of ids from 0 to {LARGEST_ID}")
    texts: dict[int, str] = {}
    for text, token_id in vocab.items():
        if texts.setdefault(token_id, text) != text:
            raise ValueError(
                f"its tokens {texts[token_id][:40]!r} and {text[:40]!r} have the same id"
            )
    if found := missing_byte_message(vocab):
        raise ValueError(found)
    return vocab


def _merges(merges: object) -> list[tuple[str, str]]:
    """Return the merges, checked: two texts each, all as lists or all with a space between."""
    if not isinstance(merges, list):
        raise ValueError("its merges are not a list")  # noqa: TRY004 - the content of a file
    pairs: list[tuple[str, str]] = []
    for rank, entry in enumerate(merges):
        pair = entry.split(" ") if isinstance(entry, str) else entry
        if not (
            isinstance(pair, list)
            and len(pair) == 2
            and all(isinstance(part, str) and part for part in pair)
        ):
            raise ValueError(f"its merge {rank} is not two tokens: {_shown(entry)}")
        if type(entry) is not type(merges[0]):
            raise ValueError(
                f"its merge {rank}, {_shown(entry)}, is written in another way than merge 0: "
                'tokenizers needs either only "a b" or only ["a", "b"]'
            )
        pairs.append((pair[0], pair[1]))
    return pairs


def _encode_chunk(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]], *, whole: bool = False
) -> Callable[[bytes], list[int]]:
    """Check that each merge joins two earlier tokens, and return the slow encoder."""
    made = set(BYTE_LETTERS.values())
    for rank, (left, right) in enumerate(merges):
        for part in (left, right):
            if part not in made:
                raise ValueError(
                    f"its merge {rank} joins {part[:40]!r}, which no earlier merge makes"
                )
        token = left + right
        if token in made:
            raise ValueError(f"its merge {rank} makes {token[:40]!r}, which an earlier merge made")
        if token not in vocab:
            raise ValueError(f"its merge {rank} makes {token[:40]!r}, which has no id")
        made.add(token)
    return rank_by_rank(vocab, merges, whole=whole)


def _added_tokens(added: object, vocab: Mapping[str, int]) -> dict[str, int]:
    """Return the ids of the tokens that are recognized before a text is split.

    `tokenizers` ignores the ids in the list: a token of the vocabulary has its id there, and
    the others have the next ids after the number of tokens in the vocabulary.
    """
    if not isinstance(added, list):
        raise ValueError("its added_tokens are not a list")  # noqa: TRY004 - the content of a file
    special: dict[str, int] = {}
    texts = {token_id: text for text, token_id in vocab.items()}
    free = itertools.count(len(vocab))
    for token in added:
        text, written = _added_token(token)
        if text not in special:
            special[text] = vocab[text] if text in vocab else next(free)
        token_id = special[text]
        if written != token_id:
            raise ValueError(
                f"its added token {text[:40]!r} has the id {written}, but tokenizers uses "
                f"{token_id}; load and save the file with tokenizers"
            )
        if texts.setdefault(token_id, text) != text:
            raise ValueError(f"the id of its added token {text[:40]!r} contradicts another token")
    if END_OF_TEXT_TOKEN in vocab and END_OF_TEXT_TOKEN not in special:
        raise ValueError(
            f"its vocabulary has {END_OF_TEXT_TOKEN}, but its added_tokens do not, so tokenizers "
            f"encodes it as ordinary text; add it with add_special_tokens(['{END_OF_TEXT_TOKEN}'])"
        )
    return special


def _added_token(token: object) -> tuple[str, int]:
    """Return the content and the id of an added token; `<|endoftext|>` must match everywhere."""
    match token:
        case {"content": str(text), "id": int(token_id), **flags} if text and is_id(token_id):
            pass
        case _:
            raise ValueError(f"its added token {_shown(token)} lacks a content or an id")
    for name in (*_MATCHING, "normalized", "special"):
        if type(flag := flags.get(name)) is not bool:
            raise ValueError(
                f"its added token {text[:40]!r} has the {name} {_shown(flag)}, not true or false"
            )
        if flag and text == END_OF_TEXT_TOKEN and name in _MATCHING:
            raise ValueError(
                f"its special token {END_OF_TEXT_TOKEN} has {name}, so text is split differently"
            )
    return text, token_id
