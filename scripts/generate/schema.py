"""The JSON Schema of the artifact, docs/reference/artifact.schema.json.

It is as strict as JSON Schema (2020-12) can be about an artifact. Only `Tokenizer.load` checks
what no schema can express, such as that a token is the two tokens of its merge joined. The test
that compares the schema with the loader lists these checks.
"""

from pathlib import Path
from typing import Final

from bpetite._constants import BASE_VOCAB_SIZE, ID_LIMIT, MAX_VOCAB_SIZE
from bpetite._patterns import ALL_PATTERNS, PATTERNS
from bpetite._schema.versions import NUMBERED, VERSIONS
from bpetite._special_tokens import LONGEST, MOST
from generate.command import indented

_INDENTED: Final = 5
# In some dialects `$` also matches before a newline at the end.
_DECIMAL: Final = r"^(0|[1-9][0-9]{0,6})$(?!\n)"
# Spelled out: `\s` has other characters in other dialects.
_WHITESPACE: Final = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ID: Final = (
    "^(0|[1-9][0-9]{0,5}|1[0-9]{6}|20[0-8][0-9]{4}|209[0-6][0-9]{3}|20970[0-9]{2}|"
    r"20971[0-4][0-9]|209715[01])$(?!\n)"
)
"""The ids of schema version 3, which are below 2^21."""

_CUT: Final = r"[A-Za-z0-9][!-&(-/:-@\[-`{-~]"


def schema() -> dict[str, object]:
    """Return the schema."""
    first = VERSIONS[1]
    lowest = {
        "pretokenizer_pattern": {"const": first.patterns[0].text},
        "special_tokens": {"required": [first.special_token], "maxProperties": 1},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An artifact of bpetite, schema versions 1 to 3",
        "description": "A byte-level BPE tokenizer: what each merge joins, and what each id is.",
        **closed(
            {
                "mergeable_vocab_size": {
                    "description": "256 + the merges and whole tokens.",
                    **_integer(BASE_VOCAB_SIZE, MAX_VOCAB_SIZE),
                },
                "merges": {"type": "array", "maxItems": MAX_VOCAB_SIZE - BASE_VOCAB_SIZE},
                "pretokenizer_pattern": {
                    "description": "What cuts a text into chunks.",
                    "enum": [pattern.text for pattern in ALL_PATTERNS.values()],
                },
                "schema_version": {"enum": [*VERSIONS, NUMBERED]},
                "special_tokens": {
                    "description": "The id of each special token.",
                    "type": "object",
                    "maxProperties": MOST,
                },
                "vocab": {
                    "description": "The bytes of each id; the key is the id in decimal.",
                    "type": "object",
                },
            }
        ),
        "if": {"properties": {"schema_version": {"const": NUMBERED}}},
        "then": {"properties": _numbered()},
        "else": {
            "properties": _in_order(),
            "if": {"properties": {"schema_version": {"const": 1}}},
            "then": {"properties": lowest},
            "else": {"not": {"properties": lowest}},
        },
    }


def _numbered() -> dict[str, object]:
    """Return the properties that only schema version 3 has."""
    one = _integer(0, ID_LIMIT - 1)
    return {
        "merges": {
            "description": "[left id, right id, new id], in the order of ranks.",
            "items": {**_array(3), "maxItems": 3, "items": one},
        },
        "special_tokens": {
            "propertyNames": {"maxLength": LONGEST, "pattern": rf"^[^{_WHITESPACE}]+$(?!\n)"},
            "additionalProperties": one,
        },
        "vocab": {
            "minProperties": BASE_VOCAB_SIZE,
            "propertyNames": {"pattern": _ID},
            "additionalProperties": {**_array(1), "items": _integer(0, 255)},
        },
    }


def _integer(least: int, most: int) -> dict[str, object]:
    return {"type": "integer", "minimum": least, "maximum": most}


def _array(least: int) -> dict[str, object]:
    return {"type": "array", "minItems": least}


def closed(properties: dict[str, dict[str, object]]) -> dict[str, object]:
    """Return the schema of an object that has exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _in_order() -> dict[str, object]:
    """Return the properties of schema versions 1 and 2, whose ids follow the order of merges."""
    # The last merge's id is one less than the size, and its parts are lower.
    part = _integer(0, MAX_VOCAB_SIZE - 2)
    return {
        "merges": {
            "description": "[left id, right id]; the merge at rank r makes the id 256 + r.",
            "items": {**_array(2), "maxItems": 2, "items": part},
        },
        "pretokenizer_pattern": {"enum": [pattern.text for pattern in PATTERNS.values()]},
        "special_tokens": {
            "description": "The ids follow the others, from mergeable_vocab_size on.",
            "propertyNames": {
                "maxLength": LONGEST,
                "pattern": rf"^[^{_WHITESPACE}]*{_CUT}[^{_WHITESPACE}]*$(?!\n)",
            },
            "additionalProperties": _integer(BASE_VOCAB_SIZE, MAX_VOCAB_SIZE + MOST - 1),
        },
        "vocab": {
            "maxProperties": MAX_VOCAB_SIZE + MOST,
            "propertyNames": {"pattern": _DECIMAL},
            "required": [str(token_id) for token_id in range(BASE_VOCAB_SIZE)],
            "properties": {str(value): {"const": [value]} for value in range(BASE_VOCAB_SIZE)},
            "additionalProperties": {
                "description": "Two bytes or more: a merge joins two tokens.",
                **_array(2),
                "items": _integer(0, 255),
            },
        },
    }


def files() -> dict[Path, str]:
    """Return the schema as ASCII JSON, indented where that helps."""
    return {Path("docs/reference/artifact.schema.json"): indented(schema(), _INDENTED) + "\n"}
