"""Files with the original ids of an imported tokenizer.

The file is a JSON array with the original id of id i at position i, so other programs can
use it: `[original[i] for i in ids]`.
"""

import json
from collections.abc import Sequence
from typing import Final

from bpetite._quoting import quoted
from bpetite._reading import read_file
from bpetite._strict_json import parse_json
from bpetite._writing import write_file

LARGEST_ID: Final = (1 << 31) - 1
_LARGEST_FILE: Final = 1 << 26


def write_id_map(path: str, ids: Sequence[int], *, overwrite: bool) -> None:
    """Write the original ids of a tokenizer, in the order of its own ids."""
    data = json.dumps(list(ids), separators=(",", ":")).encode("ascii") + b"\n"
    write_file(path, data, overwrite=overwrite)


def read_id_map(path: str, size: int) -> list[int]:
    """Return the original ids of a tokenizer with this many tokens.

    Raises:
        ValueError: the file has another format, or belongs to another tokenizer.
        OSError: the file cannot be read.
    """
    try:
        ids = parse_json(read_file(path, _LARGEST_FILE))
        if not isinstance(ids, list) or not all(map(is_id, ids)):
            fault = f"expected a JSON array of ids from 0 to {LARGEST_ID}"
        elif len(ids) != size:
            fault = f"expected {size} ids, one per token, found {len(ids)}"
        elif len(set(ids)) != size:
            fault = "expected distinct ids, found a duplicate"
        else:
            return ids
    except ValueError as error:
        fault = str(error)
    raise ValueError(f"{quoted(path)} is not an id map of this tokenizer: {fault}")


def is_id(value: object) -> bool:
    """Return whether a value of JSON is an id."""
    return type(value) is int and 0 <= value <= LARGEST_ID
