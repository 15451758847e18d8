"""Write a file in llama.cpp's format GGUF, with fields and without tensors.

The package `gguf` would need numpy, and a file to write to; these few lines write the same bytes.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

Value: TypeAlias = bool | int | str | Sequence[int] | Sequence[str]

_VERSION: Final = 3
_UINT32, _INT32, _BOOL, _STRING, _ARRAY = 4, 5, 7, 8, 9


def to_gguf(fields: Mapping[str, Value]) -> bytes:
    """Return the content of a file with these fields; an empty list is one of strings."""
    header = b"GGUF" + struct.pack("<IQQ", _VERSION, 0, len(fields))
    return header + b"".join(_string(name) + _typed(value) for name, value in fields.items())


def _typed(value: Value) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    kind = _INT32 if value and isinstance(value[0], int) else _STRING
    items = (_string(item) if isinstance(item, str) else struct.pack("<i", item) for item in value)
    return struct.pack("<IIQ", _ARRAY, kind, len(value)) + b"".join(items)


def _string(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data
