"""A valid artifact, written out by hand, ways to damage it, and artifacts of other merges."""

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

import oracle

Place = tuple[str | int, ...]

GONE: Final = object()
"""The value that removes a key."""

MERGES: Final = [(97, 98), (32, 256)]
PARTS: Final = (oracle.vocabulary(MERGES), MERGES, {"<|endoftext|>": 258})
"""The parts of the valid artifact after loading."""

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


def artifact_with(merges: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return the content of a file with these merges."""
    vocab = oracle.vocabulary(merges)
    return GOOD | {
        "mergeable_vocab_size": 256 + len(merges),
        "merges": [list(pair) for pair in merges],
        "special_tokens": {oracle.END_OF_TEXT: 256 + len(merges)},
        "vocab": {str(token_id): list(token) for token_id, token in vocab.items()},
    }


def write_artifact(path: Path, merges: Sequence[tuple[int, int]]) -> Path:
    """Write a file with these merges."""
    path.write_bytes(canonical(artifact_with(merges)))
    return path


def canonical(artifact: object) -> bytes:
    """Return JSON in the format of an artifact: keys sorted, no spaces, ASCII, no newline."""
    return json.dumps(artifact, sort_keys=True, separators=(",", ":")).encode("ascii")


def changed(*changes: tuple[Place, object]) -> dict[str, Any]:
    """Return the valid artifact with some values replaced or removed."""
    artifact = deepcopy(GOOD)
    for place, value in changes:
        holder: Any = artifact
        for key in place[:-1]:
            holder = holder[key]
        if value is GONE:
            del holder[place[-1]]
        else:
            holder[place[-1]] = value
    return artifact


PLACES: Final[list[Place]] = [
    *((key,) for key in GOOD),
    *(("merges", rank) for rank in range(2)),
    *(("merges", rank, side) for rank in range(2) for side in range(2)),
    ("special_tokens", "<|endoftext|>"),
    *(("vocab", token_id) for token_id in ("0", "97", "256", "257", "258", "259", "007")),
    *(("vocab", token_id, 0) for token_id in ("0", "97", "256", "257", "258")),
]
ODD: Final[list[object]] = [
    *(None, True, -1, 0, 1, 32, 60, 97, 255, 256, 257, 258, 259, 10**30),
    *("", "97", [], {}, [97], [97, 98], [32, 256]),
]
# From the last place to the first, so that no change moves the position of another.
ODD_FILES: Final = st.dictionaries(
    st.sampled_from(PLACES), st.sampled_from(ODD), min_size=1, max_size=3
).map(
    lambda changes: canonical(
        changed(*((place, changes[place]) for place in reversed(PLACES) if place in changes))
    )
)
"""The valid artifact with odd values anywhere."""


def names_in(folder: Path) -> list[str]:
    """Return the names of everything in a folder."""
    return sorted(entry.name for entry in folder.iterdir())
