"""Save a smaller tokenizer, or check one: for `shrink`, and for `truncate`, which needs no text."""

import argparse
import json
import os
from collections.abc import Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Annotated, TypeAlias

from bpetite._inner import Artifact, quoted, read_file, write_parts
from bpetite_cli import fields, values
from bpetite_cli.errors import Failure
from bpetite_cli.io import models, outputs
from bpetite_cli.pipe import load_alone
from bpetite_cli.plugins import Model
from bpetite_cli.terminal import messages
from bpetite_cli.terminal.visible import visible

Result: TypeAlias = tuple[Artifact, list[int | None]]
"""A smaller tokenizer, and the old id of each of its ids."""


class Smaller(fields.Outputs, fields.TokenizerFile):
    """The smaller tokenizer, and the sizes of the old one."""

    file_bytes: int
    vocab_size_before: Annotated[int, "the old `vocab_size`"]
    rows_before: Annotated[int, "the old `rows`"]
    file_bytes_before: Annotated[int, "the old `file_bytes`"]


class Checked(Smaller):
    """The same, with what `--check` finds."""

    equal: bool
    difference: fields.Token | None


def keep_first(options: argparse.Namespace) -> None:
    """Do it without a text: keep the first merges."""
    old = load_alone(options.model, download=options.download).artifact
    checked = options.check and load_alone(options.check, download=options.download)
    size = options.vocab_size
    cannot = f"cannot truncate {quoted(options.model)} to {size:,} tokens: it"
    models.check_size(old, size, cannot)
    check_destinations(options, [])
    finish(options, old, checked, numbered(options, old, old.truncated(size)))


def check_destinations(options: argparse.Namespace, texts: Sequence[str]) -> None:
    """Reject outputs that cannot be written, or would overwrite an input or each other."""
    if options.check is None:
        for path in (options.output, options.id_map):
            outputs.check_destination(path, [options.model, *texts], force=options.force)
        if options.id_map and os.path.realpath(options.id_map) == os.path.realpath(options.output):
            raise Failure(f"--output and --id-map are both {quoted(options.output)}; change one")


def numbered(options: argparse.Namespace, old: Artifact, smaller: Artifact) -> Result:
    """Return a smaller tokenizer with the ids that are wanted, and the old id of each."""
    made = smaller.renumbered() if options.renumber else smaller
    old_ids = dict(zip(made.ids, smaller.ids, strict=True))
    old_ids |= {made.special_tokens[name]: one for name, one in old.special_tokens.items()}
    return made, [old_ids.get(one) for one in range(max(old_ids) + 1)]


def finish(
    options: argparse.Namespace,
    old: Artifact,
    checked: Model | None,
    result: Result,
    *lines: str,
    **figures: object,
) -> None:
    """Save the smaller tokenizer and its map, or check those of another time."""
    made, id_map = result
    data, size_before = made.checked_bytes(), len(old.to_bytes())
    content = json.dumps(id_map).encode("ascii") + b"\n"
    kept = messages.counted_ids(len(made.tokens), len(made.special_names))
    summary: Smaller = {
        "outputs": [values.text_argument(one) for one in (options.output, options.id_map) if one],
        **fields.tokenizer_fields(made, sha256(data).hexdigest()),
        "file_bytes": len(data),
        "vocab_size_before": len(old.tokens),
        "rows_before": max(old.ids) + 1,
        "file_bytes_before": size_before,
    }
    more: dict[str, object] = {}
    saved = fault = ""
    if checked is None:
        if options.id_map:
            write_parts(options.id_map, [content], overwrite=options.force, keep=True)
        models.save_artifact(made, options.output, force=options.force)
        saved = f"saved: {quoted(options.output)}, {kept}, of {len(old.tokens):,} tokens"
    else:
        token, fault = _difference(checked.artifact, made)
        if not fault and checked.file != data:
            fault = "it has the same tokens, but its file differs in something else"
        elif not fault and options.id_map and read_file(options.id_map) != content:
            fault = f"{quoted(options.id_map)} is not its map"
        if checked.file == made.renumbered().to_bytes() != data:
            fault = "it is what comes out with --renumber"
        proved = f"proved: {quoted(options.check)}, {kept}, is what comes out here"
        lines = () if fault else (proved, *lines)
        more = {"outputs": [], "equal": not fault, "difference": token}
    rows = f"rows: {summary['rows']:,} of {summary['rows_before']:,}"
    if len(made.ids) < summary["rows"]:
        rows += f" ({len(made.ids):,} with `shrink --renumber`)"
    size = f"{messages.in_units(len(data))} of {messages.in_units(size_before)}"
    special = messages.special_tokens(made.special_tokens)
    report = {**figures, **summary, **more}
    messages.report(report, *lines, f"{rows}; file: {size}", *special, saved=saved)
    if fault:
        raise Failure(
            f"{quoted(options.check)} is not what comes out here: {fault}\n"
            "use the text and the options that it was made with"
        )


def _difference(checked: Artifact, made: Artifact) -> tuple[fields.Token | None, str]:
    """Return the first token that differs, by ranks, and how; its merge and its rank count too."""
    rows = (
        zip(one.ids, one.table, map(one.merge_of, one.ids), strict=False) for one in (checked, made)
    )
    for found, wanted in zip_longest(*rows):
        if found == wanted:
            continue
        token_id, token, _ = found or wanted
        fault = "its token {}, {!r}, is not made here, or not so, or at another rank"
        if wanted and wanted[0] not in checked.indexes:
            token_id, token, _ = wanted
            fault = "it lacks the token {}, {!r}"
        return fields.token_fields(token_id, token), fault.format(token_id, visible(token))
    return None, ""
