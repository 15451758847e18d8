"""Measure vocabularies learned from texts, for docs/vocabulary-size.md.

    uv run python scripts/benchmarks/vocabularies.py FILE... --json PATH

A text is cut at ends of lines into documents of about 16,000 characters. Every tenth is held out:
it is not trained on, only encoded. Nothing is timed, so the figures are equal on every machine.
`vocabulary_size.sh` beside this file measures what the page shows.
"""

import argparse
import json
import logging
import shlex
import subprocess
import sys
import tempfile
from importlib.metadata import version
from itertools import takewhile
from logging.handlers import BufferingHandler
from pathlib import Path
from platform import python_implementation, python_version
from typing import Final

from bpetite import Tokenizer

_BPETITE: Final = Path(sys.executable).with_name("bpetite")
_DOCUMENT_CHARACTERS: Final = 1 << 14
_HELD_OUT: Final = slice(9, None, 10)


def read_documents(path: Path) -> list[str]:
    """Read a file of UTF-8, and cut it into documents."""
    documents = [""]
    for line in path.read_bytes().decode("utf-8").splitlines(keepends=True):
        if len(documents[-1]) >= _DOCUMENT_CHARACTERS:
            documents.append("")
        documents[-1] += line
    return documents


def train(documents: list[str], size: int, pattern: str, model: Path) -> list[tuple[int, int]]:
    """Learn the largest vocabulary; return the count of each 100th merged pair.

    The smaller vocabularies are its prefixes.
    """
    handler, logger = BufferingHandler(sys.maxsize), logging.getLogger("bpetite")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    Tokenizer.train(documents, size, pattern=pattern).save(model)
    logger.removeHandler(handler)
    merges = [one for one in map(vars, handler.buffer) if one["event"] == "merge"]
    return [(one["merges"], one["count"]) for one in merges]


def bytes_per_token(model: Path, text: Path, sizes: list[int]) -> list[float]:
    """Return the average number of bytes per token of a text with each size of the vocabulary."""
    words = ("--json", "--model", str(model), "--input", str(text), "--jsonl", "text", "--at")
    command = [str(_BPETITE), "sizes", *words, *map(str, sizes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return [row["bytes_per_token"] for row in json.loads(done.stdout)["sizes"]]


def main() -> None:
    """Measure the texts, and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    add("--json", type=Path, required=True, help="where the figures go")
    add("--vocab-size", type=int, required=True, metavar="N", help="the largest; a power of 2")
    add("--pattern", required=True, help="the split pattern")
    options = parser.parse_args()
    sizes = [*takewhile(lambda size: size <= options.vocab_size, (256 << n for n in range(13)))]
    texts: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as name:
        held_out = {path.stem: Path(name, f"{path.stem}.jsonl") for path in options.files}
        for path in options.files:
            lines = (json.dumps({"text": one}) + "\n" for one in read_documents(path)[_HELD_OUT])
            held_out[path.stem].write_text("".join(lines), encoding="ascii")
        for path in options.files:
            print(f"measuring {path.stem}", file=sys.stderr)
            documents, model = read_documents(path), Path(name, f"{path.stem}.json")
            del documents[_HELD_OUT]
            learned = len("".join(documents).encode("utf-8"))
            merge_counts = train(documents, sizes[-1], options.pattern, model)
            texts[path.stem] = {
                "bytes learned from": learned,
                "bytes held out": path.stat().st_size - learned,
                "bytes per token": {
                    other: bytes_per_token(model, text, sizes) for other, text in held_out.items()
                },
                "merge counts": merge_counts,
            }
    versions = {package: version(package) for package in ("bpetite-core", "regex")}
    result = {
        "command": shlex.join(["python", "scripts/benchmarks/vocabularies.py", *sys.argv[1:]]),
        "versions": {"Python": f"{python_implementation()} {python_version()}", **versions},
        "sizes": sizes,
        "texts": texts,
    }
    options.json.write_text(json.dumps(result) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
