"""Generate the Python API page, docs/reference/api.md, from the public docstrings.

The code is parsed, not run: its syntax trees have the signatures and the docstrings. Public are
the names in a package's `__all__`, and the records of the logger `bpetite`.
"""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

from generate.command import ROOT

_LONG_LINE: Final = 84
_LISTS: Final = {"Args:": "Takes", "Raises:": "Raises"}
_ENTRY: Final = re.compile(r"^([\w, ]+): (.*)")
_HEAD: Final = """\
<!-- made by scripts/generate -->

# API reference

This page documents everything public in Python. Everywhere:

- `model` is a tokenizer, or the path of its file, which raises what `Tokenizer.load` raises.
- `overwrite` is whether an existing file may be replaced. If not, it raises `FileExistsError`.
- An argument of a wrong type raises `TypeError`.
- A text with a lone surrogate raises `UnicodeEncodeError`, which has its index.

[Errors](errors.md) explains messages that need it, [Commands](commands.md) `import` and `export`.
"""
_SAID: Final = re.compile(
    r"model: a tokenizer, or the path of its file\.$|overwrite: |FileExistsError: the output |"
    r"KeyError, ValueError, OSError: (the|a) tokenizer file cannot be loaded\.$|"
    r"TypeError: an argument( has|, a document or a count has) a wrong type\.$|UnicodeEncodeError: "
)
"""Entries of docstrings that the page leaves out, because its head says them once."""
_LOGGER: Final = """\
## The logger `bpetite`

Training emits these records at level INFO. Each has a message for people, its `event`, and these
attributes. Nothing else is logged, and nothing is ever printed.
"""
_WARNING: Final = """\
The logger `bpetite_compare` emits a record at level WARNING before tiktoken downloads an encoding.
"""
_LEMMAS: Final = """\
Each docstring also states a lemma of the [proof](../proof/README.md), and most explain the
arguments and have an example: try `help(bpetite_compare.reference.train)`.
"""


def files() -> dict[Path, str]:
    """Return the page."""
    core = ROOT / "packages" / "core" / "src" / "bpetite"
    compare = ROOT / "packages" / "compare" / "src" / "bpetite_compare"
    model = compare / "reference"
    parts = [
        _HEAD,
        *_package(core, "##"),
        _LOGGER,
        _events(core / "_records.py"),
        "## `bpetite_compare`\n",
        _WARNING,
        *_package(compare, "###"),
        "## `bpetite_compare.reference`\n",
        _text(str(ast.get_docstring(_tree(model / "__init__.py"))).partition("\n")[0]),
        _LEMMAS,
        *_brief(model, "###"),
    ]
    return {Path("docs/reference/api.md"): "\n".join(parts)}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _public(folder: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Yield the definitions of a package's public names, in the order of its modules.

    A constant comes with its docstring, or else its value.
    """
    for imported in _tree(folder / "__init__.py").body:
        if isinstance(imported, ast.ImportFrom):
            names = {name.name for name in imported.names}
            module = _tree(folder / f"{(imported.module or '').rpartition('.')[2]}.py")
            for node, following in pairwise([*module.body, ast.Pass()]):
                match node:
                    case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name in names:
                        yield node, ""
                    case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                        name in names
                    ):
                        docstring = ast.get_docstring(ast.Module([following], []))
                        yield node, _text(docstring) if docstring else f"`{ast.unparse(value)}`\n"


def _package(folder: Path, level: str) -> Iterator[str]:
    """Yield the definitions of a package."""
    for node, said in _public(folder):
        match node:
            case ast.FunctionDef():
                yield from _function(node, level)
            case ast.ClassDef():
                yield from _class(node, level)
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield f"{level} `{name}`\n\n{said}"


def _brief(folder: Path, level: str) -> Iterator[str]:
    """Yield the same: a list of constants and functions, then what needs more than a line."""
    entries, rest = [], list[str]()
    for node, said in _public(folder):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)):
                entries.append(f"- `{name}`: {said}")
            case ast.FunctionDef() if "Args:" in (ast.get_docstring(node) or ""):
                rest += _function(node, level, brief=True)
            case ast.FunctionDef():
                entries.append(_in_a_line(node))
            case ast.ClassDef(name=name):
                rest += _class(node, level, methods=False)
                rest += ["".join(_in_a_line(method, f"{name}.") for method in _methods(node))]
    yield "".join(entries)
    yield from rest


def _in_a_line(node: ast.FunctionDef, owner: str = "") -> str:
    """Return a function or a method as an entry of a list, without its example."""
    text = (ast.get_docstring(node) or "").partition("\n\n>>>")[0]
    text, _, raised = text.partition("\n\nRaises:\n")
    errors = _entries(textwrap.dedent(raised), {}).removeprefix("- ").replace(".\n- ", "; ")
    raises = f" Raises {errors}" if errors else ""
    return f"- `{_signature(node, owner, long=True)}`: {_line(_text(text))}{raises}\n"


def _function(
    node: ast.FunctionDef, level: str, owner: str = "", *, brief: bool = False
) -> Iterator[str]:
    """Yield the heading, signature and docstring of a function or a method; brief: no lists."""
    signature = _signature(node, owner)
    if _is_property(node):
        yield f"{level} `{signature}`\n"
    else:
        yield f"{level} `{owner}{node.name}`\n"
        yield f"```python\n{signature}\n```\n"
    yield _text(ast.get_docstring(node) or "", skipped=("Lemma (", *(_LISTS if brief else ())))


def _class(node: ast.ClassDef, level: str, *, methods: bool = True) -> Iterator[str]:
    """Yield the heading and docstring of a class, its fields and its methods."""
    docstring, types = ast.get_docstring(node) or "", _types(node.body)
    yield f"{level} `{node.name}`\n"
    yield _text(docstring, types)
    if types and not re.search(rf"^{next(iter(types))}\b.*:", docstring, re.MULTILINE):
        yield "".join(f"- `{field}` (`{kind}`)\n" for field, kind in types.items())
    for method in _methods(node) if methods else ():
        yield from _function(method, f"{level}#", f"{node.name}.")


def _methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    """Yield the public methods of a class."""
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
            yield method


def _types(body: Iterable[ast.stmt]) -> dict[str, str]:
    """Return the types of the public fields of a class."""
    return {
        node.target.id: ast.unparse(node.annotation)
        for node in body
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and not node.target.id.startswith("_")
    }


def _signature(function: ast.FunctionDef, owner: str, *, long: bool = False) -> str:
    """Return the signature of a function; a property has no brackets."""
    returned = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    name = f"{owner}{function.name}"
    if _is_property(function):
        return f"{name}: {returned.removeprefix(' -> ')}"
    parameters = re.sub(r"^(self|cls)(, |$)", "", ast.unparse(function.args))
    parameters = re.sub(r"(?<=\S)=(?=\S)", " = ", parameters)
    line = f"{name}({parameters}){returned}"
    if long or len(line) <= _LONG_LINE:
        return line
    parts = re.split(r", (?![^\[]*\])", parameters)
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returned}"


def _is_property(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == "property" for one in function.decorator_list
    )


def _text(
    docstring: str,
    types: Mapping[str, str] | None = None,
    skipped: tuple[str, ...] = ("Lemma (",),
) -> str:
    """Return a docstring as Markdown: paragraphs, lists of entries, code, and examples."""
    parts = [part for part in docstring.split("\n\n") if not part.startswith(skipped)]
    return "\n\n".join(filter(None, (_paragraph(part, types or {}) for part in parts))) + "\n"


def _paragraph(text: str, types: Mapping[str, str]) -> str:
    first, _, rest = text.partition("\n")
    if first == "Returns:":
        return f"**Returns** {_line(rest)}"
    if title := _LISTS.get(first):
        entries = _entries(textwrap.dedent(rest), types)
        if "\n" not in entries:
            return f"**{title}** {entries.removeprefix('- ')}" if entries else ""
        return f"**{title}**\n\n{entries}"
    if first.startswith("    "):
        return f"```python\n{textwrap.dedent(text)}\n```"
    if first.startswith(">>>"):
        return f"```pycon\n{text}\n```"
    return _entries(text, types) if types and _ENTRY.match(first) else _line(text)


def _entries(text: str, types: Mapping[str, str]) -> str:
    """Return entries, each one or several names with a description, as a list."""
    entries = [_line(entry) for entry in re.split(r"\n(?! )", text)]
    entries = [entry for entry in entries if not _SAID.match(entry)]
    return "\n".join(f"- {_ENTRY.sub(lambda entry: _entry(entry, types), one)}" for one in entries)


def _entry(entry: re.Match[str], types: Mapping[str, str]) -> str:
    names = entry[1].split(", ")
    kinds = sorted({types[name] for name in names if name in types})
    kind = f" ({', '.join(f'`{kind}`' for kind in kinds)})" if kinds else ""
    return f"{', '.join(f'`{name}`' for name in names)}{kind}: {entry[2]}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _events(records: Path) -> str:
    """Return the list of the records that training emits, from their types."""
    rows = []
    for node in _tree(records).body:
        match node:
            case ast.ClassDef(body=body, bases=[ast.Name(id="TypedDict")]):
                when, entries = (ast.get_docstring(node) or "").split("\n\n")
                types = _types(body)
                event = types.pop("event").removeprefix("Literal['").removesuffix("']")
                figures = "; ".join(
                    _ENTRY.sub(partial(_entry, types=types), line).removesuffix(".")
                    for line in entries.splitlines()
                )
                rows.append(f"- `{event}`: {when} {figures}")
    return "\n".join([*rows, ""])
