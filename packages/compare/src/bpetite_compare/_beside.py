"""What a form of a tokenizer does not have, from options or from the files beside it.

A file of ranks, or `vocab.json` with `merges.txt`, has tokens, but not its split pattern, and not
all special tokens. Only a `tokenizer.json` beside it is knowledge; a class is a hint, because other
models have the same class with another pattern.
"""

import codecs
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from bpetite._inner import ALL_PATTERNS, END_OF_TEXT_TOKEN, parse_json, read_file
from bpetite_compare._foreign import Foreign, Options, number_in
from bpetite_compare._from_huggingface import FLAGS, ORDINARY, added_tokens, read_huggingface, some
from bpetite_compare._spellings import named

BESIDE: Final = ("tokenizer.json", "tokenizer_config.json", "added_tokens.json")
"""The files that `settings_for` reads."""

_INSTEAD: Final = "import the model's tokenizer.json instead"
GUESS: Final = "a guess"
_LARGEST_FILE: Final = 1 << 26
_MOST_OBJECTS: Final = 1 << 18
"""Each token of a tekken.json is an object; it has 150,000."""
_PATTERNS_OF_CLASSES: Final = {
    "GPT2Tokenizer": "gpt2",
    "RobertaTokenizer": "gpt2",
    "BartTokenizer": "gpt2",
    "CodeGenTokenizer": "gpt2",
    "WhisperTokenizer": "gpt2",
    "GPTNeoXTokenizer": "gpt2",
    "ChatGLM4Tokenizer": "gpt4",
    "QWenTokenizer": "qwen2",
    "Qwen2Tokenizer": "qwen2",
    "Qwen3_5Tokenizer": "qwen3.5",
    "TikTokenTokenizer": "kimi",
}
"""The patterns that classes of transformers, and of models that extend it, have by themselves."""
_ROLES: Final = [f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
_DIGITS: Final = re.compile("[0-9]+")
_NOT_FINITE: Final = re.compile(rb"(?:NaN|Infinity)(?=[\s,\]}])")
_LIKE_SPECIAL: Final = re.compile(r"<.+>|\[.+\]")
_TO_NFC: Final = {"GPTNeoXTokenizer", "Qwen2Tokenizer", "Qwen3_5Tokenizer"}


def read_source(path: str) -> bytes:
    """Return the content of a file of another library."""
    data = read_file(path, _LARGEST_FILE)
    halves = data[:4:2], data[1:4:2]  # without a mark, UTF-16 has a NUL in every second byte
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if marked or {half.count(0) for half in halves} == {0, 2}:
        raise ValueError(f"{os.path.basename(path)} is UTF-16; save it as UTF-8")
    return data


def parse_source(data: bytes) -> object:
    """Return the value of JSON from another library."""
    if data.startswith(codecs.BOM_UTF8):
        raise ValueError("it begins with a byte order mark; save it as UTF-8 without one")
    checked = partial(parse_json, fractions=True, objects=_MOST_OBJECTS)
    with suppress(ValueError):
        return checked(data)
    checked(_NOT_FINITE.sub(b"0", data))  # all but these, which Python writes, is as strict
    return json.loads(data)


def settings_for(path: str, options: Options, vocab: Mapping[str, Any] | None = None) -> Foreign:
    """Return what a file does not have: from options, or from the files in its folder.

    With a vocabulary, GPT-2's pattern and its special token are guesses for what nothing names.

    Raises:
        ValueError: a file beside it is damaged, or its tokenizer cannot be imported.
    """
    folder, special = os.path.dirname(path), options.special
    rest = Foreign(whole=options.ignore_merges, instead=_INSTEAD, options=options)
    if vocab is not None:
        rest.without_id = "its library leaves them out or gives an unknown token"
    tokenizer = object_in(folder, "tokenizer.json")
    if "model" in tokenizer:
        rest = _of_tokenizer_json(tokenizer, options)
        if options.pattern is None:
            return rest
        special = rest.special_tokens or special
    config = object_in(folder, "tokenizer_config.json")
    kind = str(config.get("tokenizer_class")).removesuffix("Fast")
    pattern, rest.named_by = _PATTERNS_OF_CLASSES.get(kind), f"the class {kind}"
    if options.pattern is not None:
        pattern, rest.named_by = options.pattern, "--pattern"
    elif pattern is None and vocab is not None:
        pattern, rest.named_by = "gpt2", GUESS
    rest.splits = () if pattern is None else (ALL_PATTERNS[pattern].text,)
    rest.obstacles = []
    if options.everything and rest.named_by == GUESS:
        rest.obstacles.append("no file names its split pattern, and gpt2 would be a guess")
    if config.get("add_prefix_space") is True:
        rest.obstacles.append("add_prefix_space in tokenizer_config.json adds a space that stays")
    if options.drop_normalizer and kind not in _TO_NFC:
        raise ValueError("it has no normalizer to drop; leave out --drop-normalizer")
    if kind in _TO_NFC and not options.drop_normalizer:
        rest.leave_out(f"{kind} normalizes text to NFC: the ids are the model's for text in NFC")
    rest.special_tokens = _found_or_guessed(folder, rest, vocab) if special is None else special
    return rest


def _found_or_guessed(
    folder: str, rest: Foreign, vocab: Mapping[str, Any] | None
) -> Mapping[str, int]:
    """Return the special tokens in a folder's configurations, or GPT-2's, and note the latter."""
    if special := special_tokens_in(folder, rest, vocab or {}):
        return special
    if vocab and END_OF_TEXT_TOKEN in vocab:
        special = {END_OF_TEXT_TOKEN: vocab[END_OF_TEXT_TOKEN]}
    names = ", ".join(special) or "none"
    rest.leave_out(
        f"no file lists its special tokens, so it has {names}; --special NAME=ID adds them",
    )
    return special


def _of_tokenizer_json(content: Mapping[str, Any], options: Options) -> Foreign:
    """Return what a `tokenizer.json` has; options precede it, and a note says where they differ.

    Raises:
        ValueError: it cannot be imported; with --pattern, only if it is damaged.
    """
    with naming("tokenizer.json beside it"):
        theirs = read_huggingface(content, options)
        if options.pattern is None:
            theirs.check()
            if options.ignore_merges and not theirs.whole:
                raise ValueError("it does not set ignore_merges; leave out --ignore-merges")
        elif not theirs.obstacles and (other := named(*theirs.splits)) != options.pattern:
            theirs.notes.append(f"tokenizer.json beside it has the pattern {other}")
    if options.special is not None:
        theirs.special_tokens = options.special
        theirs.notes = [one for one in theirs.notes if not one.startswith(ORDINARY)]
    theirs.whole = theirs.whole or options.ignore_merges
    theirs.named_by, theirs.instead = "tokenizer.json", _INSTEAD
    return theirs


def special_tokens_in(
    folder: str, rest: Foreign, vocab: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, int]:
    """Return the special tokens that configurations in a folder have.

    The role of a token, such as `eos_token`, makes a token of the vocabulary special.

    Raises:
        ValueError: a file is damaged, or two disagree.
    """
    config = object_in(folder, "tokenizer_config.json")
    added = config.get("added_tokens_decoder") or {}
    with naming("tokenizer_config.json"):
        if not isinstance(added, dict) or not all(map(str.isdecimal, added)):
            raise ValueError("its added_tokens_decoder is not an object with ids as keys")
        entries = [
            dict.fromkeys(FLAGS, False) | token | {"id": number_in(token_id)}
            if isinstance(token, dict)
            else token
            for token_id, token in added.items()
        ]
        names = [one.get("content") for one in entries if isinstance(one, dict)]
        for token in map(config.get, _ROLES):
            entry = token if isinstance(token, dict) else {"content": token}
            name = entry.get("content")
            if isinstance(name, str) and name in vocab and name not in names:
                known = {"id": vocab[name], "special": True}
                entries.append(dict.fromkeys(FLAGS, False) | entry | known)
                names.append(name)
        found = {token.text: token.id for token in added_tokens(entries, rest)}
    for name, token_id in object_in(folder, "added_tokens.json").items():
        if type(token_id) is not int:
            raise ValueError(f"added_tokens.json: {name[:40]!r} has no id")
        if found.setdefault(name, token_id) != token_id:
            raise ValueError(
                f"added_tokens.json gives {name[:40]!r} the id {token_id!s:.40}, and "
                f"tokenizer_config.json {found[name]}; --special NAME=ID decides"
            )
    return found


def roles_in(folder: str) -> dict[str, str]:
    """Return the special token, or the id, of each role in the configurations in a folder."""
    roles: dict[str, str] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json", "generation_config.json"):
        with suppress(ValueError):  # a damaged file has none
            for role, token in object_in(folder, name).items():
                if token is not None and (role in _ROLES or role.endswith("_token_id")):
                    roles[role] = str(token.get("content") if isinstance(token, dict) else token)
    return roles


def note_configuration(foreign: Foreign, folder: str) -> None:
    """Note a special token that transformers adds to those of a `tokenizer.json`."""
    with suppress(ValueError):  # a configuration that does not fit adds none
        found = special_tokens_in(folder, Foreign())
        if missing := [name for name in found if name not in foreign.special_tokens]:
            foreign.leave_out(
                f"the configuration beside it also has the special tokens {some(missing)}, which "
                "transformers adds; the tokenizer file does not",
            )


def note_doubts(foreign: Foreign, pattern: str, whole: Iterable[bytes]) -> None:
    """Note what names a pattern that no file names, and which tokens speak against it.

    Of the tokens that no merge makes, those that look like special tokens are named, too.

    Training learns no token that its pattern cuts, but a vocabulary may have tokens from elsewhere.
    """
    said = {
        GUESS: "a guess, as no file names it; --pattern NAME names that of the model",
        "--pattern": "which --pattern names",
    }.get(
        foreign.named_by, f"that of {foreign.named_by}, which models with other patterns have too"
    )
    texts = [text for one in foreign.ids if "\ufffd" not in (text := one.decode(errors="replace"))]
    cut = {
        name: [text for text in texts if len(known.split(text)) > 1]
        for name, known in ALL_PATTERNS.items()
    }
    no_normalizer = "nor whether the model normalizes text, as Qwen does"
    foreign.leave_out(f"not checked: the pattern {pattern}, {said}; {no_normalizer}")
    sets = {name: {*cut[name]} for name in sorted(cut, key=lambda name: len(cut[name]))}
    pairs = ((text, other) for text in cut[pattern] for other in sets if text not in sets[other])
    if witness := next(pairs, None):
        text, other = witness
        foreign.notes.append(
            f"against {pattern}: it cuts the model's token {text[:40]!r}, and {other} does not"
        )
    counts = ", ".join(f"{name} {len(those):,}" for name, those in cut.items())
    digits = max((len(run) for text in texts for run in _DIGITS.findall(text)), default=0)
    foreign.notes.append(
        f"of its {len(texts):,} tokens that are text, the patterns cut: {counts}; the longest run "
        f"of digits in a token: {digits}"
    )
    like_special = [
        text for one in whole if _LIKE_SPECIAL.fullmatch(text := one.decode(errors="replace"))
    ]
    if like_special:
        foreign.notes.append(
            f"{len(like_special):,} of its ordinary tokens, such as {like_special[0][:40]!r}, look "
            "like special tokens; --special NAME=ID makes them such"
        )


def object_in(folder: str, name: str) -> dict[str, Any]:
    """Return the object in a file of a folder, or an empty one without the file."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return {}
    with naming(name):
        content = parse_source(read_source(path))
    return content if isinstance(content, dict) else {}


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name a file in the errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
