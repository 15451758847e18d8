"""Show the tokens of a text with their ids.

Examples:
  bpetite show --model tokenizer.json --text "Hello world"
  bpetite show --model tokenizer.json --text "Hello world" --steps
  bpetite show --model tokenizer.json --text "In the end" --why ' the'
  bpetite show --model tokenizer.json --ids 72 101 108 108 111
  bpetite show --model tokenizer.json text.txt > tokens.jsonl

Details:
`--why` gives a reason for each place of a text with the bytes of a token. People see at most ten.

- `token`: the token is there
- `merge`: another merge comes first and takes a part of it. Its rank is shown, then that of the
  merge which the part needs to become the token
- `longer`: a merge, whose rank is shown, makes it part of a longer token
- `boundary`: the place is in two chunks, or a special token begins or ends inside it
- `special`, `whole`: it is part of a special token, or of a chunk that is a whole token
- `unmade`: no merge makes the token, which is a special or a whole token

`--ids` shows tokens, then the first one that encoding their text does not give, with the reason. If
the ids are not text, the reason is `bytes`.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Annotated

from bpetite._inner import Artifact, tokenizer_of
from bpetite_cli import arguments, fields, values
from bpetite_cli.io import outputs
from bpetite_cli.pipe import Pipe
from bpetite_cli.strict_parser import Commands
from bpetite_cli.terminal.screen import look_at_output
from bpetite_cli.views import vocabulary, why
from bpetite_cli.views.rows import draw_rows
from bpetite_cli.views.steps import chunks_of, draw_steps


class _Shown(fields.Token):
    start: Annotated[int, "the byte offset where the token begins"]
    end: Annotated[int, "the byte offset where the token ends"]
    start_character: Annotated[int, "in characters, where the character with its first byte begins"]
    end_character: Annotated[int, "in characters, where the character with its last byte ends"]


def add_command(commands: Commands) -> None:
    """Add `show` to the command line."""
    parser = commands.add("show", __doc__)
    arguments.add_model(parser)
    arguments.add_text(parser, "show", "same as FILE: text, also a folder")
    arguments.add_options(parser, "--glob")
    parser.add_argument(
        "--steps", action="store_true", help="show the merges in each chunk, in order, with ranks"
    )
    parser.add_argument(
        "--why", type=values.id_or_text, metavar="TOKEN", help="why this id or text is not there"
    )
    arguments.add_options(parser, "--ids", help="show these ids, and where their text has others")
    parser.allow_one(["--input", "--text", "--glob"], "--ids")
    parser.allow_one("--steps", "--why", "--ids")
    parser.allow_one("--steps", ["--json", "--output-format"])
    parser.set_defaults(run=_run, prints={"": _Shown, "--why": why.Place, "--ids": why.Place})


def _run(options: argparse.Namespace) -> None:
    with Pipe(options, "encoding", "showing") as pipe:
        artifact, tokenizer, screen = pipe.model, tokenizer_of(pipe.model), look_at_output()
        pipe.begin()
        texts: Iterable[str] = pipe.passed(pipe.documents.read())
        ids: Sequence[int] = [*chain.from_iterable(options.ids or ())]
        if options.ids is not None:
            try:
                texts = [tokenizer.decode(ids)]
            except UnicodeDecodeError as error:  # then there is no text to look into
                pipe.warnings.append(f"warning: the ids are not text: {error}")
        chunks = chunks_of(artifact, texts, ordinary=options.ordinary)
        if options.steps:
            pipe.stream(draw_steps(artifact, chunks, screen))
        elif options.why is not None:
            ids = vocabulary.chosen(artifact, options.why)
            places = why.explain(artifact, why.find(artifact, ids, chunks))
            alone = artifact.ids_of_chunks()(artifact.vocab[ids[0]])
            never = alone != [ids[0]] and not artifact.is_special(ids[0])
            told = f"with the bytes of id {ids[0]}{', which no text has' if never else ''}"
            lines = why.draw_places(artifact, places, told)
            _write(pipe, places, lines)
        elif options.ids is not None:
            places = why.explain(artifact, why.locate(artifact, ids, chunks))
            others = (place for place in places if place["reason"] != "token")
            lines = why.draw_places(artifact, others, "where encoding gives another token", most=1)
            _write(pipe, places, chain(draw_rows(artifact, ids, screen), lines))
        else:
            encode = partial(tokenizer.encode, ordinary=options.ordinary)
            encoded = chain.from_iterable(map(encode, texts))
            _write(pipe, _rows(artifact, encoded), draw_rows(artifact, encoded, screen))


def _write(pipe: Pipe, data: Iterable[Mapping[str, object]], lines: Iterable[str]) -> None:
    """Write JSON Lines, or lines for people as they come."""
    if outputs.wants_json():
        pipe.write(map(outputs.json_line, data))
    else:
        pipe.stream(lines)


def _rows(artifact: Artifact, ids: Iterable[int]) -> Iterator[_Shown]:
    end = end_character = 0
    for token_id in ids:
        token = artifact.vocab[token_id]
        start, start_character = end, end_character
        if token[0] in fields.CONTINUING:
            start_character -= 1
        end += len(token)
        end_character += len(token.translate(None, fields.CONTINUING))
        yield {
            **fields.token_fields(token_id, token),
            "start": start,
            "end": end,
            "start_character": start_character,
            "end_character": end_character,
        }
