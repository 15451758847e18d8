"""Read the commands' help, and run its examples."""

import gzip
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from typing import Final

import pytest

from bpetite import Tokenizer
from bpetite_cli.app import make_parser
from bpetite_cli.strict_parser import StrictParser
from cli_tools import Result, bpetite, pipeline
from compare_tools import CORPUS

_ACTION: Final = vars(next(a for a in make_parser([])._actions if a.metavar == "COMMAND"))

SUMMARIES: Final[dict[str, str]] = {
    choice.dest: choice.help for choice in _ACTION["_choices_actions"]
}
"""The one-line description of each installed command in the help."""

PARSERS: Final[dict[str, StrictParser]] = _ACTION["choices"]
"""The parser of each installed command."""

BUILT_IN: Final = [
    name
    for name, parser in PARSERS.items()
    if parser.get_default("run").__module__.startswith("bpetite_cli.")
]
OF_COMPARE: Final = [name for name in SUMMARIES if name not in BUILT_IN]
"""The commands of each package."""

TEXTS: Final = ("text.txt", "ids.json")
"""The files with a text and its ids that `prepare_files` makes."""


OPTIONS: Final = {
    name: {*re.findall(r"(?m)^  (?:-[^,-][^,]*, )?(--[a-z-]+)", parser.format_help())}
    for name, parser in PARSERS.items()
}
"""The options of each installed command, by their long names."""


def having(option: str) -> list[str]:
    """Return the built-in commands with an option."""
    return [name for name in BUILT_IN if option in OPTIONS[name]]


def call_of(command: str, *more: str) -> list[str]:
    """Return a good call: the first example in the help that reads a text or ids, or the first.

    It has no output, unless the command requires one: `new.json`. It runs where `prepare_files`
    has made the files.
    """
    calls = [_call_in(example) for example in examples_of(command)]
    words = next((call for call in calls if {*TEXTS} & {*call}), calls[0])
    required = "-o PATH" in PARSERS[command].format_usage()
    if required and "--output" not in more:
        more = (*more, "--output", "new.json")
    return [*words, *more]


def _call_in(example: str) -> list[str]:
    """Return the words after the first `bpetite` of an example, without an output."""
    command = re.sub(r"--output \S+", "", example.partition("bpetite ")[2])
    words = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars="|<>")
    words.whitespace_split = True
    return list(takewhile(lambda word: word not in {"|", ">", "<"}, words))


def examples_of(command: str) -> list[str]:
    """Return the examples in the help of a command."""
    parser = PARSERS[command]
    return list(examples_in("\n".join([parser.epilog or "", *parser.more_examples])))


def examples_in(epilog: str) -> Iterator[str]:
    """Yield the examples at the end of a help, each one or more lines of shell."""
    example = ""
    for line in epilog.removeprefix("examples:\n").splitlines():
        example += f"{line.strip()}\n"
        if not line.endswith(("|", "\\", "&&", "||")):
            yield example
            example = ""


def needs_shell(example: str) -> bool:
    """Return whether an example has a pipe, a redirection or a variable."""
    return not example.startswith("bpetite ") or bool(re.search("[<>|]", example))


def is_thorough(example: str) -> bool:
    """Return whether an example needs a shell, or pyarrow, which everyday tests do not have."""
    return needs_shell(example) or "--parquet" in example


def with_examples(*commands: str) -> pytest.MarkDecorator:
    """Return a decorator that runs a test with each example."""
    examples = [
        pytest.param(
            example,
            id=f"{command} {number}",
            marks=[pytest.mark.thorough] if is_thorough(example) else [],
        )
        for command in commands
        for number, example in enumerate(examples_of(command), 1)
    ]
    return pytest.mark.parametrize("example", examples)


def check_help(command: str) -> None:
    """Check that a help is short, has the first two examples, and fits the screen."""
    examples = examples_of(command)
    assert len(examples) >= 2
    assert all(f"bpetite {command} " in example for example in examples)
    for columns in 60, 80, 200:
        shown = bpetite(command, "--help", env={"COLUMNS": str(columns)}).stdout.decode()
        text, _, epilog = shown.partition("\nexamples:\n")
        assert max(map(len, text.splitlines())) <= columns
        assert max(map(len, epilog.splitlines())) <= 80
        assert [*examples_in(epilog)] == examples[:2]
        assert columns != 80 or len(shown.splitlines()) <= 45
        assert columns != 80 or len(shown.split("\n\n")[0].splitlines()) <= 4


def prepare_files(folder: Path, corpus: str = CORPUS) -> None:
    """Make a folder with the files that the examples name."""
    folder.mkdir(exist_ok=True)
    tokenizer = Tokenizer.train(corpus, 310)
    tokenizer.save(folder / "tokenizer.json")
    for name in ("old.json", "small.json"):  # its own corpus needs all of its tokens
        tokenizer.save(folder / name)
    Tokenizer.train(corpus, 32000).save(folder / "big.json")
    chat = Tokenizer.train(corpus, 310, pattern="gpt4", special_tokens=["<|user|>", "<|end|>"])
    chat.save(folder / "chat.json")
    for name in ("text.txt", "a.txt", "b.txt"):
        (folder / name).write_bytes(corpus.encode())
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes" / "a.txt").write_bytes(corpus.encode())
    (folder / "ids.json").write_text(json.dumps(tokenizer.encode(corpus)))
    (folder / "list.txt").write_text("text.txt\n")
    (folder / "docs.jsonl").write_text('{"text": "Hello world"}\n{"text": "the end"}\n')
    (folder / "counts.jsonl").write_text('{"text": "Hello world", "count": 1000}\n')
    (folder / "corpus.gz").write_bytes(gzip.compress(corpus.encode()))
    if find_spec("pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": ["Hello world", "the end"]}), folder / "docs.parquet")
    if OF_COMPARE:
        from bpetite_compare import export

        export(folder / "tokenizer.json", "tiktoken", folder / "model.tiktoken")
        export(folder / "tokenizer.json", "huggingface", folder / "hf.json")
        export(folder / "tokenizer.json", "huggingface", folder / "model")
        export(folder / "tokenizer.json", "gpt2", folder / "gpt2files")


def run_example(example: str, prepared: Path, folder: Path) -> Result:
    """Run an example in a copy of a folder, without the files that the example makes.

    A pipe or a redirection needs a shell; anything else runs in this process.
    """
    shutil.copytree(prepared, folder)
    for output in re.findall(r"--output (\S+)", example):
        (folder / output).unlink(missing_ok=True)
    if needs_shell(example):
        return pipeline(example, folder)
    _, *words = shlex.split(example.replace("\\\n", " "))
    return bpetite(*words, cwd=folder)


def run(command: str, *words: str | Path, stdin: bytes = b"") -> Result:
    """Run a command with the tokenizer `m.json` and the other options that it requires."""
    own = ["--model", "m.json"] if command in having("--model") else []
    if command in having("--vocab-size"):
        own += [] if command == "shrink" else ["--vocab-size", "300"]
        own += ["--output", "new.json", "--force"]
    return bpetite(command, *own, *words, stdin=stdin)


def trouble(command: str) -> int:
    """Return the status of a command that fails."""
    return PARSERS[command].get_default("trouble") or 1


READING_TEXT: Final = [command for command in BUILT_IN if "text.txt" in call_of(command)]
READING: Final = [command for command in BUILT_IN if {*TEXTS} & {*call_of(command)}]
"""The built-in commands whose good call reads a text, and those that read a text or ids."""
