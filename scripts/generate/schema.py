"""The JSON Schema of the artifact, docs/reference/artifact.schema.json.

It is as strict as JSON Schema (2020-12) can be about an artifact. Only `Tokenizer.load` checks
what no schema can express, such as that a token is the two tokens of its merge joined. The test
that compares the schema with the loader lists these checks.
"""

import json
from pathlib import Path
from typing import Final

from bpetite._constants import (
    BASE_VOCAB_SIZE,
    END_OF_TEXT_TOKEN,
    MAX_VOCAB_SIZE,
    PRETOKENIZER_PATTERN,
    SCHEMA_VERSION,
)

_INDENTED: Final = 4
# In some dialects `$` also matches before a newline at the end.
_DECIMAL: Final = r"^(0|[1-9][0-9]{0,6})$(?!\n)"


def schema() -> dict[str, object]:
    """Return the schema."""
    size = {"type": "integer", "minimum": BASE_VOCAB_SIZE, "maximum": MAX_VOCAB_SIZE}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An artifact of bpetite, schema version 1",
        "description": "A byte-level BPE tokenizer: what each merge joins, and what each id is.",
        **_closed(
            {
                "mergeable_vocab_size": {
                    "description": "256 + the number of merges; also the id of the special token.",
                    **size,
                },
                "merges": _merges(),
                "pretokenizer_pattern": {
                    "description": "What cuts a text into chunks.",
                    "const": PRETOKENIZER_PATTERN,
                },
                "schema_version": {"const": SCHEMA_VERSION},
                "special_tokens": {
                    "description": "The id of the one special token: mergeable_vocab_size.",
                    **_closed({END_OF_TEXT_TOKEN: size}),
                },
                "vocab": _vocab(),
            }
        ),
    }


def _closed(properties: dict[str, dict[str, object]]) -> dict[str, object]:
    """Return the schema of an object that has exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _merges() -> dict[str, object]:
    # The last merge's id is one less than the size, and its parts are lower.
    part = {"type": "integer", "minimum": 0, "maximum": MAX_VOCAB_SIZE - 2}
    return {
        "description": "[left id, right id]; the merge at rank r makes the id 256 + r.",
        "type": "array",
        "maxItems": MAX_VOCAB_SIZE - BASE_VOCAB_SIZE,
        "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": part},
    }


def _vocab() -> dict[str, object]:
    return {
        "description": "The bytes of each id; the key is the id in decimal.",
        "type": "object",
        "maxProperties": MAX_VOCAB_SIZE + 1,
        "propertyNames": {"pattern": _DECIMAL},
        "required": [str(token_id) for token_id in range(BASE_VOCAB_SIZE + 1)],
        "properties": {str(value): {"const": [value]} for value in range(BASE_VOCAB_SIZE)},
        "additionalProperties": {
            "description": "A merge joins two tokens, of one byte or more each.",
            "type": "array",
            "minItems": 2,
            "items": {"type": "integer", "minimum": 0, "maximum": 255},
        },
    }


def files() -> dict[Path, str]:
    """Return the schema as ASCII JSON, indented where that helps."""
    return {Path("docs/reference/artifact.schema.json"): indented(schema(), _INDENTED) + "\n"}


def indented(value: object, levels: int, depth: int = 0) -> str:
    """Return JSON with a line for each entry of an object, down to a depth."""
    if not isinstance(value, dict) or depth == levels:
        return json.dumps(value)
    inside, end = "\n" + "  " * (depth + 1), "\n" + "  " * depth
    entries = [
        f"{json.dumps(key)}: {indented(entry, levels, depth + 1)}" for key, entry in value.items()
    ]
    return "{" + inside + f",{inside}".join(entries) + end + "}"
