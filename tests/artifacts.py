"""Valid tokenizer files, written out by hand, ways to change them, and files of other merges."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hypothesis import strategies as st

import oracle
from bpetite import Tokenizer

Place = tuple[str | int, ...]

GONE: Final = object()
"""The value that removes a key."""

GOOD: Final[dict[str, Any]] = {
    "mergeable_vocab_size": 258,
    "merges": [[97, 98], [32, 256]],
    "pretokenizer_pattern": oracle.PATTERN,
    "schema_version": 1,
    "special_tokens": {"<|endoftext|>": 258},
    "vocab": {
        **{str(value): [value] for value in range(256)},
        "256": [97, 98],
        "257": [32, 97, 98],
        "258": [60, 124, 101, 110, 100, 111, 102, 116, 101, 120, 116, 124, 62],
    },
}

SECOND: Final[dict[str, Any]] = GOOD | {
    "pretokenizer_pattern": oracle.PATTERNS["gpt4"],
    "schema_version": 2,
    "special_tokens": {"<|a|>": 259, "<|b|>": 258},
    "vocab": {
        **GOOD["vocab"],
        "258": list(b"<|b|>"),
        "259": list(b"<|a|>"),
    },
}
"""The valid file with GPT-4's pattern and two special tokens, written out by hand."""

THIRD: Final[dict[str, Any]] = {
    "mergeable_vocab_size": 259,
    "merges": [[1097, 1098, 7], [1032, 7, 3]],
    "pretokenizer_pattern": oracle.PATTERNS["gpt4"],
    "schema_version": 3,
    "special_tokens": {"<s>": 0, "<b": 5},
    "vocab": {
        **{str(1000 + value): [value] for value in range(256)},
        "7": [97, 98],
        "3": [32, 97, 98],
        "1": list(b" aba"),
        "0": list(b"<s>"),
        "5": list(b"<b"),
    },
}
"""Schema version 3: bytes from 1000 on, two merges, a whole token and two special tokens."""

FOURTH: Final[dict[str, Any]] = THIRD | {
    "mergeable_vocab_size": 260,
    "merges": [*THIRD["merges"], [1032, 1032, 8]],
    "schema_version": 4,
    "special_tokens": {"<s>": 0, "  ": 5, "   ": 6},
    "vocab": THIRD["vocab"] | {"5": [32, 32], "6": [32, 32, 32], "8": [32, 32]},
}
"""Schema version 4: as 3, with special tokens of whitespace, one with the bytes of a merge."""


def with_whitespace(names: Sequence[str]) -> dict[str, Any]:
    """Return the content of a file without merges that has these special tokens from 256 on."""
    ids = {name: token_id for token_id, name in enumerate(names, 256)}
    tokens = {str(ids[name]): list(name.encode()) for name in names}
    return FOURTH | {
        "mergeable_vocab_size": 256,
        "merges": [],
        "special_tokens": ids,
        "vocab": {str(value): [value] for value in range(256)} | tokens,
    }


def artifact_with(
    merges: Sequence[tuple[int, int]],
    pattern: str = "gpt2",
    names: Sequence[str] = (oracle.END_OF_TEXT,),
) -> dict[str, Any]:
    """Return the content of a file of schema version 1 or 2 with these merges."""
    size = 256 + len(merges)
    ids = {name: token_id for token_id, name in enumerate(names, size)}
    tokens = [*oracle.vocabulary(merges).values()][:size] + [name.encode() for name in names]
    return {
        "mergeable_vocab_size": size,
        "merges": [list(pair) for pair in merges],
        "pretokenizer_pattern": oracle.PATTERNS[pattern],
        "schema_version": 1 if pattern == "gpt2" and [*names] == [oracle.END_OF_TEXT] else 2,
        "special_tokens": ids,
        "vocab": {str(token_id): list(token) for token_id, token in enumerate(tokens)},
    }


def write_artifact(path: Path, merges: Sequence[tuple[int, int]]) -> Path:
    """Write a file with these merges."""
    path.write_bytes(canonical(artifact_with(merges)))
    return path


def canonical(artifact: object) -> bytes:
    """Return JSON in the format of an artifact: keys sorted, no spaces, ASCII, no newline."""
    return json.dumps(artifact, sort_keys=True, separators=(",", ":")).encode("ascii")


def loaded(content: object) -> Tokenizer:
    """Return the tokenizer in a file with this content: bytes, or what its JSON says."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_bytes(content if isinstance(content, bytes) else canonical(content))
        return Tokenizer.load(path)


def saved(tokenizer: Tokenizer) -> bytes:
    """Return the file that a tokenizer is saved as."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        tokenizer.save(path)
        return path.read_bytes()


def content_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return what the file of a tokenizer says."""
    content: dict[str, Any] = json.loads(saved(tokenizer))
    return content


def merges_of(tokenizer: Tokenizer) -> list[tuple[int, int]]:
    """Return the merges in the file of a tokenizer whose ids are in order."""
    return [(left, right) for left, right in content_of(tokenizer)["merges"]]


def changed(*changes: tuple[Place, object], valid: Mapping[str, Any] = GOOD) -> dict[str, Any]:
    """Return a valid file with some values replaced or removed."""
    content: dict[str, Any] = deepcopy({**valid})
    for place, value in changes:
        holder: Any = content
        for key in place[:-1]:
            holder = holder[key]
        if value is not GONE:
            holder[place[-1]] = deepcopy(value)
        elif isinstance(holder, dict):
            holder.pop(place[-1], None)
        else:
            holder.pop(place[-1])
    return content


def positions_in(value: object, here: Place = ()) -> list[Place]:
    """Return the position of a value and of everything inside it, from the first to the last."""
    held = dict(enumerate(value)) if type(value) is list else value
    parts = held.items() if isinstance(held, dict) else ()
    return [here, *(place for key, part in parts for place in positions_in(part, (*here, key)))]


PLACES: Final = [*positions_in(GOOD)[1:], ("vocab", "259"), ("vocab", "007")]
TANGLED: Final = st.text('[]{}"\\ab,:')
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | TANGLED,
    lambda values: st.lists(values) | st.dictionaries(st.text() | TANGLED, values),
    max_leaves=8,
)
"""Any JSON without fractions."""

ODD: list[Any] = [GONE, None, True, -1, 0, 1, 32, 60, 97, 255, 256, 257, 258, 259, 10**30]
ODD += ["", "97", "<|endoftext|>", [], {}, [97], [97, 98], [32, 256], [[]]]
ODD += [GOOD["vocab"], GOOD["merges"], GOOD["special_tokens"]]
# From the last place to the first, so that no change moves the position of another.
ODD_FILES: Final = st.dictionaries(
    st.sampled_from(PLACES), st.sampled_from(ODD) | VALUES, min_size=1, max_size=3
).map(
    lambda changes: canonical(
        changed(*((place, changes[place]) for place in reversed(PLACES) if place in changes))
    )
)
"""The valid artifact with odd values anywhere."""

SPELLINGS: Final = {
    "indented": json.dumps(GOOD, indent=2).encode(),
    "other order": json.dumps(dict(reversed(GOOD.items()))).encode(),
    "whitespace": b" \t\r\n" + canonical(GOOD).replace(b'":', b'" \t:\n\r ') + b"\n \n",
    "escaped": canonical(GOOD).replace(b"vocab", rb"\u0076oc\u0061b").replace(b"|>", rb"\u007C>"),
    "minus zero": canonical(GOOD).replace(b'"0":[0]', b'"0":[-0]'),
}
"""The valid artifact as JSON in other bytes."""


def names_in(folder: Path) -> list[str]:
    """Return the names of everything in a folder."""
    return sorted(entry.name for entry in folder.iterdir())
