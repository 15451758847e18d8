"""Read tiktoken's tokenizers: an encoding by name, a file of ranks, or Mistral's `tekken.json`.

They have tokens and their ranks, but no merges: any two tokens merge if their joined bytes are a
token, and the lowest rank first.
"""

import base64
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import tiktoken

from bpetite._patterns import ALL_PATTERNS, PATTERNS
from bpetite_compare._encodings import pattern_of, ranks_of, specials_of
from bpetite_compare._foreign import Foreign

_Token = TypeVar("_Token", bytes, str)

_RANK: Final = re.compile(rb"0|[1-9][0-9]{0,8}")


def read_encoding(encoding: tiktoken.Encoding) -> Foreign:
    """Return the tokenizer that is a tiktoken encoding."""
    return Foreign(ranks_of(encoding), None, specials_of(encoding), (pattern_of(encoding),))


def read_ranks(
    data: bytes, pattern: str | None, special_tokens: Mapping[str, int] | None
) -> Foreign:
    """Return the tokenizer in a file of ranks, given what the file does not have.

    Each line has a token in base64, a space and its rank.

    Raises:
        ValueError: the file has another format, or the pattern is missing.
    """
    # tiktoken's reader might return an older file with this path from its cache.
    found: list[tuple[bytes, int]] = []
    for number, line in enumerate(data.splitlines(), 1):
        words = line.split()
        token = _decoded(words[0]) if len(words) == 2 else None
        # `int` alone would accept +256 and 2_5_6.
        if token is None or not _RANK.fullmatch(words[1]):
            raise ValueError(
                f"it is not a file of ranks: expected base64, a space and a number "
                f"on line {number}, found {line[:40]!r}"
            )
        found.append((token, int(words[1])))
    ids = _ids(found)
    if pattern not in ALL_PATTERNS:
        known = (f"{name} ({one.note.partition(':')[0]})" for name, one in PATTERNS.items())
        raise ValueError(
            "a file of ranks lacks the split pattern; add --pattern (pattern=) with that of its "
            f"model: {', '.join(known)}"
        )
    notes = _doubts(ids, pattern)
    if not special_tokens:
        notes.append("a file of ranks has no special tokens; --special NAME=ID adds them")
    splits = (ALL_PATTERNS[pattern].text,)
    return Foreign(ids, None, special_tokens or {}, splits, notes=(*notes,))


def _doubts(ids: Iterable[bytes], pattern: str) -> list[str]:
    """Return a note if a pattern cuts many of the tokens: another one made them."""
    texts = [text for one in ids if "\ufffd" not in (text := one.decode(errors="replace"))]

    def cut(name: str) -> int:
        return sum(len(ALL_PATTERNS[name].split(text)) > 1 for text in texts)

    if (count := cut(pattern)) <= len(texts) // 50:
        return []
    best = min(ALL_PATTERNS, key=cut)
    return [
        (
            f"the pattern {pattern} cuts {count:,} of its {len(texts):,} tokens, {best} cuts "
            f"{cut(best):,}; is --pattern that of the model?"
        )
    ]


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


def read_tekken(content: Mapping[str, Any], special_tokens: Mapping[str, int] | None) -> Foreign:
    """Return the tokenizer in the content of a `tekken.json`.

    Only as many of its tokens count as its vocabulary has room for. Their ids are their ranks
    after those of the special tokens.

    Raises:
        ValueError: it has another format.
    """
    match content:
        case {
            "config": {
                "pattern": str(pattern),
                "default_vocab_size": int(size),
                "default_num_special_tokens": int(first),
            },
            "vocab": list(entries),
        }:
            named = content.get("special_tokens", [])
            if not isinstance(named, list):
                raise ValueError("its special_tokens are not a list")  # noqa: TRY004 - a file
        case _:
            raise ValueError("it is not a tekken.json: expected a config and a vocab")
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
    special = _ids(names) | {**(special_tokens or {})}
    unnamed = first - sum(token_id < first for token_id in special.values())
    note = (
        f"{unnamed} of the ids from 0 to {first - 1}, which are for special tokens, have no name; "
        "--special NAME=ID gives them one"
    )
    return Foreign(_ids(found), None, special, (pattern,), notes=(note,) if unnamed else ())
