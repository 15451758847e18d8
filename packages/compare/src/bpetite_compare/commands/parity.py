"""Compare token ids for whole files with tiktoken's.

Loads the vocabulary of the tokenizer file into tiktoken, without a network. The
exit status is 1 if the ids differ.

Examples:
  bpetite parity --model tokenizer.json text.txt
  bpetite parity --model tokenizer.json --input corpus.gz

Details:
Differences that come from the Unicode tables of the two regex engines do not count; they are
reported.
"""

import argparse
from collections.abc import Iterator
from typing import Annotated, TypedDict

from bpetite_cli import for_compare as cli
from bpetite_compare._parity import Parity, parity_of_texts
from bpetite_compare.commands._differences import code_points, described, engine_characters


class _DifferenceInFile(TypedDict):
    path: str
    byte: Annotated[int, "the byte offset of the difference"]
    line: Annotated[int, "the line of the difference, from 1"]
    before: Annotated[str, "some text before the difference"]
    after: Annotated[str, "some text from the difference on"]
    bpetite_token: Annotated[cli.fields.Token | None, "bpetite's token; null at the end"]
    tiktoken_token: Annotated[cli.fields.Token | None, "tiktoken's token; null at the end"]


class _Verdict(TypedDict):
    equal: bool
    difference: _DifferenceInFile | None


class _Compared(_Verdict, cli.fields.Files, cli.fields.TextSize):
    characters: Annotated[int, "Unicode code points of the text"]
    engine_characters: Annotated[
        dict[str, int], "occurrences of each character that the regex engines classify differently"
    ]
    engine_differences: Annotated[int, "parts that differ only because of these characters"]


def add_command(commands: cli.Commands) -> None:
    """Add `parity` to the command line."""
    parser = commands.add("parity", __doc__)
    cli.add_model(parser)
    parser.add_file_argument()
    cli.add_options(parser, "--input", "--glob")
    parser.require_one("--input")
    parser.advice["--encoding"] = (
        "parity compares equal vocabularies; for another one, use "
        "`bpetite compare-tiktoken --encoding NAME`"
    )
    parser.set_defaults(run=_run, prints={"": _Compared})


def _run(options: argparse.Namespace) -> None:
    with cli.Pipe(options, "comparing") as pipe:
        artifact = pipe.model
        pipe.begin()
        read_file = pipe.documents.read_file
        texts = ((path, pipe.passed(read_file(path))) for path in pipe.documents.paths)
        result = parity_of_texts(artifact, texts)
        pipe.report(_data(result), *_lines(result))
    if found := result.difference:
        raise cli.Failure(
            f"the ids differ in {cli.name_of(found.path)}, at byte {found.byte:,} in line "
            f"{found.line:,}: bpetite has {described(found.ours)}, "
            f"tiktoken has {described(found.theirs)}"
        )


def _lines(result: Parity) -> Iterator[str]:
    if odd := result.engine_characters:
        yield (
            f"the Unicode tables of the two regex engines differ on {odd.total():,} characters of "
            f"this text: {code_points(odd)}"
        )
        yield (
            f"parts whose ids differ only for this reason: {result.engine_differences:,}; "
            "with the same chunks, their ids are equal"
        )
    if found := result.difference:
        yield f"the text before: {cli.visible(found.before)}"
        yield f"the text there:  {cli.visible(found.after)}"
    else:
        yield (
            f"equal: {result.tokens:,} tokens for {result.bytes:,} bytes "
            f"in {cli.messages.counted(result.files, 'file')}"
        )


def _data(result: Parity) -> _Compared:
    found = result.difference
    return {
        "equal": found is None,
        "difference": None
        if found is None
        else {
            "path": cli.values.text_argument(found.path),
            "byte": found.byte,
            "line": found.line,
            "before": found.before,
            "after": found.after,
            "bpetite_token": found.ours and cli.fields.token_fields(*found.ours),
            "tiktoken_token": found.theirs and cli.fields.token_fields(*found.theirs),
        },
        "files": result.files,
        **cli.fields.text_fields(result.bytes, result.tokens),
        "characters": result.characters,
        "engine_characters": engine_characters(result.engine_characters),
        "engine_differences": result.engine_differences,
    }
