"""Read tiktoken's tokenizers: an encoding by name, a file of ranks, or Mistral's `tekken.json`.

They have tokens and their ranks, but no merges: any two tokens merge if their joined bytes are a
token, and the lowest rank first.
"""

import base64
import codecs
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import tiktoken

from bpetite._inner import ALL_PATTERNS
from bpetite_compare._encodings import pattern_of, ranks_of, specials_of
from bpetite_compare._foreign import Foreign, Options, number_in

_Token = TypeVar("_Token", bytes, str)

_RANK: Final = re.compile(rb"0|[1-9][0-9]*")

_TEKKEN: Final = {"pattern": str, "default_vocab_size": int, "default_num_special_tokens": int}
"""The keys in the config of a `tekken.json` that count, and their types."""


def read_encoding(encoding: tiktoken.Encoding, options: Options) -> Foreign:
    """Return the tokenizer that is a tiktoken encoding."""
    return Foreign(
        ranks_of(encoding),
        special_tokens=specials_of(encoding),
        splits=(pattern_of(encoding),),
        options=options,
    )


def read_ranks(data: bytes, rest: Foreign) -> Foreign:
    """Return the tokenizer in a file of ranks; `rest` has what the file lacks.

    Each line has a token in base64, a space and its rank. As in tiktoken, empty lines and a byte
    order mark do not count.

    Raises:
        ValueError: the file has another format.
    """
    # tiktoken's reader might return an older file with this path from its cache.
    found: list[tuple[bytes, int]] = []
    for number, line in enumerate(data.removeprefix(codecs.BOM_UTF8).splitlines(), 1):
        if not line:
            continue
        words = line.split()
        token = _decoded(words[0]) if len(words) == 2 else None
        # `int` alone would accept +256 and 2_5_6.
        if token is None or not _RANK.fullmatch(words[1]):
            raise ValueError(
                f"it is not a file of ranks: expected base64, a space and a number "
                f"on line {number}, found {line[:40]!r}"
            )
        found.append((token, number_in(words[1])))
    if not rest.splits:
        notes = {
            name: one.note.removeprefix("imports only; ") for name, one in ALL_PATTERNS.items()
        }
        known = (f"{name} ({note.partition(':')[0]})" for name, note in notes.items())
        rest.obstacles.append(
            "a file of ranks lacks the split pattern; add --pattern (pattern=) with that of its "
            f"model: {', '.join(known)}"
        )
    rest.ids, rest.merges, rest.whole = _ids(found), None, True
    return rest


def _decoded(text: bytes | str) -> bytes | None:
    """Return what is written in base64, or None."""
    try:
        # Whisper has an empty token, written as =.
        return base64.b64decode(text, validate=True) if text not in {b"=", "="} else b""
    except ValueError:
        return None


def _ids(found: Iterable[tuple[_Token, int]]) -> dict[_Token, int]:
    ids: dict[_Token, int] = {}
    for token, rank in found:
        if ids.setdefault(token, rank) != rank:
            raise ValueError(
                f"its token {token[:40]!r} has the ranks {ids[token]!s:.40} and {rank!s:.40}"
            )
    return ids


def read_tekken(content: Mapping[str, Any], options: Options) -> Foreign:
    """Return the tokenizer in the content of a `tekken.json`.

    Only as many of its tokens count as its vocabulary has room for. Their ids are their ranks
    after those of the special tokens.

    Raises:
        ValueError: it has another format.
    """
    config, named = content.get("config"), content.get("special_tokens", [])
    if not isinstance(config, dict) or not isinstance(content.get("vocab"), list):
        raise ValueError("it is not a tekken.json: expected a config and a vocab")  # noqa: TRY004
    for key, kind in _TEKKEN.items():
        if type(config.get(key)) is not kind:
            fault = f"has the {key} {config[key]!r:.40}" if key in config else f"lacks {key}"
            raise ValueError(f"its config {fault}")
    if not isinstance(named, list):
        raise ValueError("its special_tokens are not a list")  # noqa: TRY004 - a file
    pattern, entries = config["pattern"], content["vocab"]
    size, first = config["default_vocab_size"], config["default_num_special_tokens"]
    found: list[tuple[bytes, int]] = []
    names: list[tuple[str, int]] = []
    for place, entry in enumerate([*entries, *named]):
        match entry:
            case {"rank": int(rank), "token_bytes": str(text)} if (
                place < len(entries) and (token := _decoded(text)) is not None
            ):
                if 0 <= rank < size - first:
                    found.append((token, first + rank))
            case {"rank": int(rank), "token_str": str(name)} if 0 <= rank < first:
                names.append((name, rank))
            case _:
                raise ValueError(f"its token {place} lacks a rank, its bytes or its name")
    special = _ids(names) | {**(options.special or {})}
    unnamed = first - sum(token_id < first for token_id in special.values())
    ids = _ids(found)
    tokenizer = Foreign(ids, special_tokens=special, splits=(pattern,), options=options)
    if unnamed:
        tokenizer.leave_out(
            f"{unnamed} of the ids from 0 to {first - 1}, which are for special tokens, have no "
            "name; --special NAME=ID gives them one",
        )
    return tokenizer
