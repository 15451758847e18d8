"""Read a column of Parquet files: each row is a document.

Only this module uses pyarrow, and loads it when there is such a file to read. The documents of
a batch and a page of the column are in memory at a time.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from typing import TYPE_CHECKING, Final

from bpetite_cli.errors import Failure
from bpetite_cli.io.inputs import Input, open_input
from bpetite_cli.io.kinds import not_utf8
from bpetite_cli.values import some

if TYPE_CHECKING:
    from pyarrow import Array, Scalar, StructArray, StructType
    from pyarrow.parquet import ParquetFile

_ROWS_OF_A_BATCH: Final = 64
_BUFFER_BYTES: Final = 1 << 20
_MAGIC: Final = b"PAR1"
_STRINGS: Final = ("string", "large_string", "string_view")
_LONGEST: Final = 200


def load_pyarrow() -> None:
    """Load pyarrow, or raise an error if it is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401, PLC0415 - an extra of the package, and slow to load
    except ImportError as error:
        if not isinstance(error, ModuleNotFoundError):
            raise Failure(f"pyarrow cannot be loaded: {error}; install it again") from None
        raise Failure(
            "--parquet requires pyarrow, which is not installed\nrun `pip install pyarrow`, or "
            "add `--with pyarrow` to `uvx`, `uv run` or `uv tool install`"
        ) from None


def read_texts(source: Input, column: str) -> Iterator[str]:
    """Yield the text in a column of each row; what is read is its share of the file."""
    name = source.name
    with open_input(source.path) as file:
        table = _open(name, file)
        _check_column(name, table, column)
        size = os.fstat(file.fileno()).st_size
        rows, row = table.metadata.num_rows, 0
        for row, value in enumerate(_values(name, table, column), 1):
            source.read = size * row // max(rows, row)
            place = f"{name}, row {row}"
            try:
                text: str | None = value.as_py()
            except UnicodeDecodeError as error:
                fault = not_utf8(error.object, error.start, error.start)
                raise Failure(
                    f"{place}: the column {column!r} {fault}; "
                    "write the file again in UTF-8, or copy it again if it is damaged"
                ) from None
            if text is None:
                fault = f"{place}: expected a string in the column {column!r}, found null"
                source.skip("null", fault)
            else:
                yield text
        if row != rows:
            raise Failure(f"{name} is damaged: it has {row} rows instead of {rows}; copy it again")


def _open(name: str, file: FileIO) -> "ParquetFile":
    """Open the table in a file."""
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - an extra of the package

    if not file.seekable():
        raise Failure(f"{name} is a pipe, and Parquet is read from its end; name a file instead")
    with _explained(f"{name} cannot be read"):
        begin = file.read(len(_MAGIC))
        if begin != _MAGIC:
            found = f"begins with {begin!r}" if begin else "is empty"
            raise Failure(f"{name} is not a Parquet file: it {found}; check the path")
        return ParquetFile(
            file,
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES,
            page_checksum_verification=True,
            arrow_extensions_enabled=False,
        )


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Report an error of pyarrow or of the system."""
    from pyarrow import ArrowException  # noqa: PLC0415 - an extra of the package

    try:
        yield
    except (ArrowException, OSError, ValueError) as error:
        reason = _short(str(error))
        raise Failure(
            f"{what}: {reason}; check that the file is complete, or copy it again"
        ) from None


def _values(name: str, table: "ParquetFile", column: str) -> "Iterator[Scalar]":
    """Yield the values in a column, one row group after the other."""
    row = 0
    for group in range(table.num_row_groups):
        batches = table.iter_batches(_ROWS_OF_A_BATCH, [group], [column], use_threads=False)
        while True:
            with _explained(f"{name} cannot be read after row {row}"):
                if (batch := next(batches, None)) is None:
                    break
                values = _column_of(batch.to_struct_array(), column)
            row += len(values)
            yield from values


def _column_of(structs: "StructArray", column: str) -> "Array":
    """Return the values of a column, which may be inside other structs."""
    from pyarrow.types import is_dictionary  # noqa: PLC0415 - an extra of the package

    array = structs
    for position in _places(structs.type, column)[0]:
        array = array.field(position)  # null where the struct is null, as Parquet stores it
    return array.dictionary_decode() if is_dictionary(array.type) else array


def _short(text: str) -> str:
    """Return what comes from pyarrow or the file for a message."""
    return text.partition("\n")[0][:_LONGEST]


def _check_column(name: str, table: "ParquetFile", column: str) -> None:
    """Reject a column that a row does not have exactly once, or that has no strings."""
    from pyarrow import struct  # noqa: PLC0415 - an extra of the package
    from pyarrow.types import is_dictionary, is_struct  # noqa: PLC0415 - an extra of the package

    with _explained(f"{name} cannot be read"):
        row = struct(list(table.schema_arrow))
    places = _places(row, column)
    if not places:
        raise Failure(
            f"{name} has no column {column!r}; it has {some(_names(row)) or 'no columns'}"
        )
    if len(places) > 1:
        raise Failure(f"{name} has {len(places)} columns {column!r}; rename all but one")
    kind = row
    for position in places[0]:
        kind = kind[position].type
    if is_struct(kind):
        names = [f"{column}.{inner}" for inner in _names(kind)]
        raise Failure(f"{name}: the column {column!r} is a struct; name {some(names)}")
    if is_dictionary(kind):
        kind = kind.value_type
    if str(kind) not in _STRINGS:
        found = _short(str(kind))
        advice = "; if its bytes are UTF-8, cast it first" if "binary" in found else ""
        raise Failure(f"{name}: expected strings in the column {column!r}, found {found}{advice}")


def _places(row: "StructType", column: str) -> list[list[int]]:
    """Return the places of a column in a row, each as positions in nested structs.

    Columns with this very name count, and otherwise those with this path inside structs.
    """
    from pyarrow.types import is_struct  # noqa: PLC0415 - an extra of the package

    fields = list(enumerate(row))
    return [[position] for position, field in fields if field.name == column] or [
        [position, *place]
        for position, field in fields
        if is_struct(field.type) and column.startswith(f"{field.name}.")
        for place in _places(field.type, column.removeprefix(f"{field.name}."))
    ]


def _names(row: "StructType") -> Iterator[str]:
    """Yield the names of all columns in a row, with those inside structs."""
    from pyarrow.types import is_struct  # noqa: PLC0415 - an extra of the package

    for field in row:
        if is_struct(field.type):
            yield from (f"{field.name}.{inner}" for inner in _names(field.type))
        else:
            yield field.name
