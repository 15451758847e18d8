r"""Export a tokenizer to tiktoken, Hugging Face or llama.cpp.

Prints the Python code that loads the files.

Examples:
  bpetite export --model tokenizer.json --to tiktoken --output model.tiktoken
  bpetite export --model tokenizer.json --to huggingface --output folder
  bpetite export --model tokenizer.json --to huggingface --output chat \
    --special '<|user|>' '<|assistant|>' --eos '<|endoftext|>'
  bpetite export --model tokenizer.json --to gguf --output vocab.gguf \
    --bos '<|endoftext|>'

Details:
- `tiktoken`: a file of ranks
- `huggingface`: a folder for `PreTrainedTokenizerFast` of transformers, or one `tokenizer.json`
  if PATH ends in `.json`
- `gpt2`: a folder with `vocab.json` and `merges.txt` for `GPT2Tokenizer` of transformers and
  `ByteLevelBPETokenizer` of tokenizers, only with the pattern `gpt2`
- `gguf`: the vocabulary for llama.cpp, no weights, with `--bos` and `--eos`, or with `--base`

The ids of `--special` follow the last one. If `<|endoftext|>` is the only special token, it is the
default of `--eos`. Roles are for a Hugging Face folder or `gguf`, chat template and maximum length
only for the former.

With `--base`, the export is that model's folder, or the tokenizer of its GGUF file, with this
vocabulary. Normalizer, template, roles and all else stay, unless an option says otherwise. Other
bytes for an id are an error; with `--id-map`, ids move in all files.
"""

import argparse
import os
from collections.abc import Mapping
from functools import partial
from typing import Final

from bpetite._inner import check_not_an_input, quoted, read_file, tokenizer_of
from bpetite_cli import for_compare as cli
from bpetite_compare._export import ROLES, check_fits, export
from bpetite_compare._formats import FORMATS, is_folder
from bpetite_compare._letters import GPT2_FILES

_LARGEST_TEMPLATE: Final = 1 << 20
_SETTINGS: Final = ("max_length", "chat_template", "base", "id_map", *ROLES)


class _Summary(cli.fields.Outputs):
    vocab_size: int
    rows: int
    special_tokens: Mapping[str, int]
    notes: list[str]


def add_command(commands: cli.Commands) -> None:
    """Add `export` to the command line."""
    parser = commands.add("export", __doc__)
    parser.add_file_argument(option="--model")
    cli.add_model(parser)
    parser.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        metavar="FORM",
        help=f"{', '.join(FORMATS)}",
    )
    cli.add_destination(parser, "the export")
    parser.add_argument(
        "--base", metavar="MODEL", help="a folder or GGUF file to get this vocabulary"
    )
    parser.add_argument("--id-map", metavar="FILE", help="JSON: the base's id of each id, or null")
    parser.need("--id-map", "--base")
    parser.add_argument(
        "--special",
        nargs="+",
        action="extend",
        metavar="TOKEN",
        help="add special tokens to the export alone",
    )
    parser.add_argument(
        "--max-length",
        type=cli.values.bounded("1 or more", 1),
        metavar="N",
        help="maximum number of tokens with truncation=True",
    )
    parser.add_argument(
        "--chat-template",
        metavar="FILE",
        help="Jinja template for apply_chat_template",
    )
    for role, purpose in ROLES.items():
        told = f"the special token for {purpose}"
        parser.add_argument(f"--{role}", type=cli.values.text_argument, metavar="TOKEN", help=told)
    parser.set_defaults(run=partial(_run, parser), prints={"": _Summary})


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    folder = is_folder(options.to, options.output)
    settings = {one: vars(options)[one] for one in _SETTINGS}
    try:
        check_fits(options.to, options.output, settings)
    except ValueError as error:
        parser.error(str(error))
    if folder:
        cli.check_destination_folder(options.output, force=options.force)
        for name in ("", "tokenizer.json", *GPT2_FILES):
            check_not_an_input(os.path.join(options.output, name), [options.model])
    else:
        inputs = [one for one in (options.model, options.base) if one is not None]
        cli.check_destination(options.output, inputs, force=options.force)
    if options.chat_template is not None:
        settings["chat_template"] = _template(options.chat_template)
    model = cli.load_alone(options.model, download=options.download)
    exported = export(
        tokenizer_of(model.artifact),
        options.to,
        options.output,
        overwrite=options.force,
        special_tokens=map(cli.values.text_argument, options.special or []),
        **settings,
    )
    summary: _Summary = {
        "outputs": list(map(cli.values.text_argument, exported.files)),
        "vocab_size": exported.tokens - len(exported.special_tokens),
        "rows": exported.rows,
        "special_tokens": dict(exported.special_tokens),
        "notes": list(exported.notes),
    }
    special = len(exported.special_tokens)
    size = cli.messages.counted_ids(exported.tokens - special, special)
    cli.messages.report(
        summary,
        *exported.notes,
        "to load it in Python:",
        saved=f"saved: {', '.join(map(quoted, exported.files))}, {size}",
        code=exported.loading,
    )


def _template(path: str) -> str:
    try:
        os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")  # it would miss PyTorch
        return read_file(path, _LARGEST_TEMPLATE).decode("utf-8")
    except UnicodeDecodeError as error:
        raise cli.Failure(
            f"{quoted(path)} is not UTF-8: byte offset {error.start}; convert the file first"
        ) from None
