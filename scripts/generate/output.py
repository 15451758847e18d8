"""Document the commands' JSON: docs/reference/output.schema.json, and the lists of output.md.

Each command declares the objects that it prints, as `bpetite_cli.fields` describes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints, is_typeddict

from bpetite_cli.app import make_parser
from generate.command import filled
from generate.commands import parsers

_SCHEMA: Final = Path("docs/reference/output.schema.json")
_PAGE: Final = Path("docs/reference/output.md")
_OR_NULL: Final = " or null"

Schema = Mapping[str, object]
Type = Any
"""A class or an annotation."""

_SIMPLE: Final[Mapping[Type, Schema]] = {
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number", "minimum": 0},
    str: {"type": "string"},
    bool: {"type": "boolean"},
}


def declared() -> dict[str, Type]:
    """Return the objects that commands print, by the command and the options that select it."""
    return {
        f"{name} {options}".rstrip(): printed
        for name, parser in parsers(make_parser([])).items()
        for options, printed in (parser.get_default("prints") or {}).items()
    }


def files() -> dict[Path, str]:
    """Return the schema, any of the outputs with the objects inside them, and the lists."""
    outputs = declared()
    objects = {
        name: get_type_hints(found, include_extras=True)
        for name, found in _with_parts(outputs).items()
    }
    names = sorted({name for fields in objects.values() for name in fields})
    described = {name: _described(name, objects) for name in names}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON that the commands of bpetite print",
        "anyOf": [_reference(name) for name in outputs],
        "$defs": {
            name: {
                "type": "object",
                "properties": {
                    field: {"description": described[field][1], **_schema(annotated)}
                    for field, annotated in fields.items()
                },
                "required": list(fields),
                "additionalProperties": False,
            }
            for name, fields in objects.items()
        },
    }
    owners = _owners(outputs, objects)
    listed = [name for fields in owners for name in fields[len(_begin(fields, owners)) :]]
    shared = [name for name in names if listed.count(name) > 1]
    lists = {
        "fields": "".join(f"- {_field(name, described)}\n" for name in shared),
        "outputs": "".join(
            f"- **{', '.join(who)}**{_listed(fields, owners, shared, described)}\n"
            for fields, who in owners.items()
        ),
    }
    return {
        _SCHEMA: _indented(schema) + "\n",
        _PAGE: filled(str(_PAGE), lists),
    }


Objects = Mapping[str, Mapping[str, Type]]
"""The annotations of each object's fields."""


def _with_parts(outputs: Mapping[str, Type]) -> dict[str, Type]:
    """Return the outputs and the objects inside them, which are named after their classes."""
    objects = dict(outputs)
    waiting = [*outputs.values()]
    for found in waiting:
        for annotated in get_type_hints(found, include_extras=True).values():
            for part in _parts(annotated):
                if objects.setdefault(_name(part), part) is not part:
                    raise ValueError(f"rename {part}: a part of another output has the same name")
                waiting += [] if part in waiting else [part]
    return objects


def _parts(annotated: Type) -> Iterator[Type]:
    """Yield the objects inside a field."""
    if is_typeddict(annotated):
        yield annotated
    for inner in get_args(annotated):
        yield from _parts(inner)


def _name(part: Type) -> str:
    return str(part.__name__).strip("_")


def _described(name: str, objects: Objects) -> tuple[str, str]:
    """Return the type and the meaning of a field.

    Raises:
        ValueError: it has no meaning, or several meanings or types.
    """
    places = {owner: fields[name] for owner, fields in objects.items() if name in fields}
    kinds = {_kind(_schema(annotated)) for annotated in places.values()}
    notes = (note for one in places.values() for note in getattr(one, "__metadata__", ()))
    meanings = {note for note in notes if isinstance(note, str)}
    if len(meanings) != 1 or len({kind.removesuffix(_OR_NULL) for kind in kinds}) != 1:
        raise ValueError(
            f"the field {name!r} has the types {sorted(kinds)} and the meanings "
            f"{sorted(meanings)} in {', '.join(places)}; give it one type, and in "
            'one of them its meaning, as in `Annotated[int, "tokens of the text"]`'
        )
    return max(kinds, key=len), meanings.pop()


def _schema(annotated: Type) -> Schema:
    """Return the schema of a type."""
    if is_typeddict(annotated):
        return _reference(_name(annotated))
    if annotated in _SIMPLE:
        return _SIMPLE[annotated]
    origin: Type = get_origin(annotated)
    first, *more = get_args(annotated)
    if origin is Annotated:
        return {**_schema(first), **dict(note for note in more if isinstance(note, tuple))}
    if origin in {Union, UnionType}:
        return {"anyOf": [_schema(first), {"type": "null"}]}
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(*more)}
    size = 1 + len(more)
    limits = {"minItems": size, "maxItems": size} if origin is tuple else {}
    return {"type": "array", "items": _schema(first), **limits}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name.replace(' ', '%20')}"}


def _kind(schema: Schema) -> str:
    """Return the type of a field in words."""
    match schema:
        case {"anyOf": [dict(first), _]}:
            return f"{_kind(first)}{_OR_NULL}"
        case {"items": dict(items)}:
            return f"list of {_kind(items)}s"
    return str(schema.get("type", "object"))


Described = Mapping[str, tuple[str, str]]
"""The type and the meaning of each field."""

Owners = Mapping[tuple[str, ...], list[str]]
"""The fields of each output and object, in order, with those who have just these."""


def _owners(outputs: Mapping[str, Type], objects: Objects) -> Owners:
    owners: dict[tuple[str, ...], list[str]] = {}
    for name, fields in objects.items():
        who = [f"`{name}`"] if name in outputs else [*_users(name, objects)]
        owners.setdefault((*fields,), []).extend(who)
    return owners


def _field(name: str, described: Described) -> str:
    """Return a field with its type, unless it is an integer, and its meaning."""
    kind, meaning = described[name]
    kind = kind.removeprefix("list of ")
    return f"`{name}`{'' if kind == 'integer' else f' ({kind})'}: {meaning}"


def _begin(fields: tuple[str, ...], owners: Owners) -> tuple[str, ...]:
    """Return the fields of the earlier object whose fields these begin with, if there is one."""
    earlier = [*owners][: [*owners].index(fields)]
    same = [one for one in earlier if len(one) > 2 and fields[: len(one)] == one]
    return max(same, key=len, default=())


def _listed(
    fields: tuple[str, ...], owners: Owners, shared: Sequence[str], described: Described
) -> str:
    """Return the fields in order, with a line for each that no other object has."""
    begin = _begin(fields, owners)
    head = f"those of {owners[begin][0]}" if begin else ""
    lines = [head] if begin else []
    own = not begin
    for name in fields[len(begin) :]:
        if name not in shared:
            lines.append(_field(name, described))
        elif own:
            lines.append(f"`{name}`")
        else:
            lines[-1] += f", then `{name}`" if lines == [head] else f", `{name}`"
        own = name not in shared
    return f": {lines[0]}" if len(lines) == 1 else "".join(f"\n  - {line}" for line in lines)


def _users(part: str, objects: Objects) -> dict[str, None]:
    """Return the fields that contain an object, each with its command if others have another.

    If the command has several, it is the output instead.
    """
    uses = [
        (field, owner, _name(found))
        for owner, fields in objects.items()
        for field, annotated in fields.items()
        for found in _parts(annotated)
    ]
    users: dict[str, None] = {}
    for field, owner, found in uses:
        if found == part:
            command = owner.partition(" ")[0]
            same = [(one.partition(" ")[0], name) for other, one, name in uses if other == field]
            if all(name == part for _, name in same):
                where = ""
            elif all(name == part for one, name in same if one == command):
                where = f" of `{command}`"
            else:
                where = f" of `{owner}`"
            users[f"`{field}`{where}"] = None
    return users


def _indented(value: object, depth: int = 0) -> str:
    """Return JSON with a line for each entry of an object, down to a depth of four."""
    if not isinstance(value, dict) or depth == 4:
        return json.dumps(value)
    margin = "\n" + "  " * depth
    entries = (f"{json.dumps(key)}: {_indented(one, depth + 1)}" for key, one in value.items())
    return "{" + ",".join(f"{margin}  {entry}" for entry in entries) + margin + "}"
