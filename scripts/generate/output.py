"""Document the commands' JSON: docs/reference/output.schema.json, and the table in output.md.

Each field is described here once. A test compares the schema with the output of every command.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from generate.places import filled
from generate.schema import indented

_ROOT: Final = Path(__file__).parents[2]
_INDENTED: Final = 3
_SCHEMA: Final = Path("docs/reference/output.schema.json")
_PAGE: Final = Path("docs/reference/output.md")

Schema: TypeAlias = Mapping[str, object]

_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_NUMBER: Final[Schema] = {"type": "number", "minimum": 0}
_TEXT: Final[Schema] = {"type": "string"}
_TRUTH: Final[Schema] = {"type": "boolean"}
_DIGEST: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_HEX: Final[Schema] = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
_COUNTS: Final[Schema] = {"type": "object", "additionalProperties": _COUNT}


def _or_null(*schemas: Schema) -> Schema:
    return {"anyOf": [*schemas, {"type": "null"}]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _part(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name.replace(' ', '%20')}"}


_PAIR: Final[Schema] = {**_list(_COUNT), "minItems": 2, "maxItems": 2}


class _Field(NamedTuple):
    """A field: its type, and its meaning with the unit."""

    type: Schema
    meaning: str


_FIELDS: Final = {
    # How much text.
    "files": _Field(_COUNT, "files read; the figures are their sum"),
    "bytes": _Field(
        _or_null(_COUNT), "bytes of the text in UTF-8; with `decode --bytes`, of the tokens"
    ),
    "characters": _Field(_COUNT, "Unicode code points of the text"),
    "tokens": _Field(_or_null(_COUNT), "tokens of the text"),
    "bytes_per_token": _Field(_or_null(_NUMBER), "`bytes` / `tokens`"),
    "tokens_per_character": _Field(_or_null(_NUMBER), "`tokens` / `characters`"),
    "single_byte_share": _Field(
        _or_null(_NUMBER), "the share of tokens that are a single byte, from 0 to 1"
    ),
    "max": _Field(_or_null(_COUNT), "the limit of `--max` in tokens"),
    "within": _Field(_or_null(_TRUTH), "whether `tokens` is at most `max`; null if unknown"),
    "per_file": _Field(_list(_part("file")), "the figures of each file"),
    "path": _Field(_TEXT, "the path of the file; `-` is standard input"),
    "error": _Field(_or_null(_TEXT), "why the file could not be read, or null"),
    # Tokenizers.
    "vocab_size": _Field(_COUNT, "mergeable tokens: 256 bytes and the merges"),
    "merges": _Field(_COUNT, "merges of the tokenizer"),
    "special_tokens": _Field(_COUNTS, "the id of each special token"),
    "sha256": _Field(_DIGEST, "the digest of the tokenizer file, in hex"),
    "schema_version": _Field(
        {"type": "integer", "const": 1}, "the schema version of the tokenizer file"
    ),
    "pretokenizer_pattern": _Field(_TEXT, "the split pattern in the tokenizer file"),
    "mean_token_bytes": _Field(_NUMBER, "the mean length of the mergeable tokens in bytes"),
    "longest": _Field(_list(_part("token")), "the ten tokens with the most bytes"),
    "lengths": _Field(_COUNTS, "the number of mergeable tokens of each length in bytes"),
    "scripts": _Field(_COUNTS, "the number of mergeable tokens of each script"),
    "partial": _Field(_list(_COUNT), "ids of mergeable tokens that are not complete characters"),
    "changed_ids": _Field(_COUNT, "tokens whose id changed"),
    "dropped_special_tokens": _Field(
        _COUNTS, "the special tokens that were dropped, with their ids"
    ),
    "shared": _Field(_COUNT, "mergeable tokens that the tokenizer file also has"),
    # What was written.
    "outputs": _Field(_list(_TEXT), "the paths of the files written"),
    "format": _Field({**_TEXT, "enum": ["json", "text", "u16", "u32"]}, "the format of the ids"),
    "file_bytes": _Field(_COUNT, "the size of the file in bytes"),
    # Tokens.
    "id": _Field(_COUNT, "the id of the token"),
    "hex": _Field(_HEX, "the bytes of the token, in hex"),
    "text": _Field(_or_null(_TEXT), "the text of the token; null for incomplete characters"),
    "start": _Field(_COUNT, "the byte offset in the text where the token begins"),
    "end": _Field(_COUNT, "the byte offset where the token ends"),
    "pair": _Field(
        _or_null(_PAIR), "the ids of the two tokens of a merge; null if no merge made it"
    ),
    "rank": _Field(_or_null(_COUNT), "the rank of the merge, from 0; null if no merge made it"),
    "tree": _Field(_list(_part("merge")), "the merges that made the token, by rank"),
    "name": _Field(_TEXT, "`bpetite`, or the tiktoken encoding"),
    "ids": _Field(_list(_COUNT), "the ids of the text"),
    "bpetite": _Field(_part("tokenization"), "the text in bpetite"),
    "tiktoken": _Field(_part("tokenization"), "the text in the tiktoken encoding"),
    "rows": _Field(_list(_part("row")), "bpetite, then each encoding"),
    # What was compared.
    "equal": _Field(_TRUTH, "whether both agree; for `verify`, byte for byte"),
    "difference": _Field(_or_null({"type": "object"}), "the first difference, or null"),
    "merges_proved": _Field(_COUNT, "merges before the first difference"),
    "model_merge": _Field(_or_null(_part("joined")), "the merge in the tokenizer file"),
    "corpus_merge": _Field(_or_null(_part("joined")), "the merge that training makes there"),
    "token": _Field(_COUNT, "tokens before the difference"),
    "byte": _Field(_COUNT, "the byte offset of the difference"),
    "character": _Field(_COUNT, "complete characters before the difference"),
    "line": _Field(_COUNT, "the line of the difference, from 1"),
    "before": _Field(_TEXT, "some text before the difference"),
    "after": _Field(_TEXT, "some text from the difference on"),
    "bpetite_token": _Field(_or_null(_part("token")), "bpetite's token; null at the end"),
    "tiktoken_token": _Field(_or_null(_part("token")), "tiktoken's token; null at the end"),
    "engine_characters": _Field(
        _COUNTS, "the frequency of each character that `regex` and tiktoken classify differently"
    ),
    "engine_differences": _Field(
        _COUNT, "sections whose ids differ only because of these characters"
    ),
    "sha256_of_training": _Field(_DIGEST, "the digest of the file that training makes, in hex"),
    "regex": _Field(_TEXT, "the version of the package `regex`"),
    # Time.
    "seconds": _Field(_NUMBER, "the seconds for reading and training"),
    # Fields that the specification of `train` names differently.
    "corpus_bytes": _Field(_COUNT, "equal to `bytes`"),
    "requested_vocab_size": _Field(_COUNT, "the value of `--vocab-size`"),
    "actual_mergeable_vocab_size": _Field(_COUNT, "equal to `vocab_size`"),
    "special_token_count": _Field({"type": "integer", "const": 1}, "the number of special tokens"),
    "elapsed_ms": _Field(_COUNT, "`seconds` in milliseconds"),
}

_TEXT_FIGURES: Final = "bytes tokens bytes_per_token"
_TOKENIZER: Final = "vocab_size merges special_tokens sha256"
_TOKEN: Final = "id hex text"  # noqa: S105 - names of fields, no password

OUTPUTS: Final = {
    "train": "corpus_bytes requested_vocab_size actual_mergeable_vocab_size special_token_count "
    f"elapsed_ms files bytes outputs {_TOKENIZER} seconds",
    "truncate": f"outputs {_TOKENIZER}",
    "import": f"outputs {_TOKENIZER} changed_ids dropped_special_tokens",
    "export": "outputs vocab_size special_tokens",
    "encode --output": f"files {_TEXT_FIGURES} outputs format file_bytes",
    "decode --output": f"{_TEXT_FIGURES} outputs",
    "count --json": f"files {_TEXT_FIGURES} max within per_file",
    "show --json": f"{_TOKEN} start end",
    "inspect --json": f"path file_bytes {_TOKENIZER} schema_version pretokenizer_pattern "
    "mean_token_bytes longest lengths scripts partial",
    "inspect --token --json": f"{_TOKEN} tree",
    "inspect --tokens": f"{_TOKEN} pair rank",
    "verify": f"equal difference:merge_difference merges_proved {_TOKENIZER} sha256_of_training "
    "files bytes seconds regex",
    "parity": f"equal difference:file_difference files {_TEXT_FIGURES} characters "
    "engine_characters engine_differences",
    "compare-tiktoken": "equal difference:text_difference bpetite tiktoken engine_characters",
    "compare-tiktoken --report": "files bytes characters rows",
}
"""The fields that each command prints, always and in this order.

A colon names the object in a field, or null, if that depends on the command.
"""

_PARTS: Final = {
    "file": f"path {_TEXT_FIGURES} error",
    "token": _TOKEN,
    "merge": "rank pair id",
    "joined": "pair hex",
    "tokenization": f"name {_TEXT_FIGURES} ids",
    "row": f"name {_TEXT_FIGURES} tokens_per_character single_byte_share vocab_size shared",
    "merge_difference": "rank id model_merge corpus_merge",
    "text_difference": "token byte character bpetite_token tiktoken_token",
    "file_difference": "path byte line before after bpetite_token tiktoken_token",
}
"""The objects inside other objects."""


def schema() -> dict[str, object]:
    """Return the schema: the output of any command, with each command's in `$defs`."""
    fields = {name: {"description": field.meaning, **field.type} for name, field in _FIELDS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON that the commands of bpetite print",
        "anyOf": [_part(name) for name in OUTPUTS],
        "$defs": {
            **{name: _object(fields) for name, fields in {**OUTPUTS, **_PARTS}.items()},
            "fields": {"properties": fields},
        },
    }


def _object(fields: str) -> dict[str, object]:
    """Return the schema of an object that has exactly these fields."""
    properties = dict(map(_property, fields.split()))
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(field: str) -> tuple[str, Schema]:
    name, _, part = field.partition(":")
    general = {"$ref": f"#/$defs/fields/properties/{name}"}
    return name, _or_null(_part(part)) if part else general


def files() -> dict[Path, str]:
    """Return the schema, and the page with its tables."""
    tables = {"fields": _fields_table(), "outputs": _outputs_table()}
    page = (_ROOT / _PAGE).read_text(encoding="utf-8")
    return {
        _SCHEMA: indented(schema(), _INDENTED) + "\n",
        _PAGE: filled(page, tables),
    }


def _fields_table() -> str:
    rows = [
        f"| `{name}` | {_kind(field.type)} | {field.meaning} |" for name, field in _FIELDS.items()
    ]
    head = ["| field | type | meaning |", "|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def _outputs_table() -> str:
    parts = {_users(part): fields for part, fields in _PARTS.items()}
    commands = {f"`{name}`": fields for name, fields in OUTPUTS.items()}
    rows = [
        f"| {name} | {_code(name for name, _ in map(_property, fields.split()))} |"
        for name, fields in {**commands, **parts}.items()
    ]
    return "\n".join(["| command or field | fields |", "|---|---|", *rows, ""])


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _kind(schema: Schema) -> str:
    match schema:
        case {"anyOf": [dict(first), _]}:
            return f"{_kind(first)} or null"
        case {"items": dict(items)}:
            return f"list of {_kind(items)}s"
    return str(schema.get("type", "object"))


def _users(part: str) -> str:
    """Return the fields that contain an object, each with its command if that matters."""
    reference = json.dumps(_part(part))
    general = [
        f"`{name}`" for name, field in _FIELDS.items() if reference in json.dumps(field.type)
    ]
    special = [
        f"`{field.partition(':')[0]}` of `{name}`"
        for name, fields in OUTPUTS.items()
        for field in fields.split()
        if field.endswith(f":{part}")
    ]
    return ", ".join(general + special)
