"""Measure vocabularies learned from texts, for docs/vocabulary-size.md.

    uv run python scripts/benchmarks/vocabularies.py FILE... --json PATH

A text is cut at ends of lines into documents of about 16,000 characters. Every tenth is held out:
it is not trained on, only encoded. Nothing is timed, so the figures are equal on every machine;
25 MB take ten seconds. `vocabulary_size.sh` beside this file measures what the page shows.
"""

import argparse
import json
import logging
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from logging.handlers import BufferingHandler
from pathlib import Path
from platform import python_implementation, python_version
from typing import Final, NamedTuple

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2, PATTERNS
from bpetite_cli.commands.sizes import totals_of

_LARGEST: Final = 1 << 15
_DOCUMENT_CHARACTERS: Final = 1 << 14
_HELD_OUT_ONE_IN: Final = 10


class Text(NamedTuple):
    """The documents of a text to learn from, and the held-out ones."""

    name: str
    learned: Sequence[str]
    held_out: Sequence[str]


def read_text(path: Path) -> Text:
    """Read a file of UTF-8, and cut it into documents.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not UTF-8, or is too short to hold out a document.
    """
    documents = [""]
    for line in path.read_bytes().decode("utf-8").splitlines(keepends=True):
        if len(documents[-1]) >= _DOCUMENT_CHARACTERS:
            documents.append("")
        documents[-1] += line
    every_tenth = slice(_HELD_OUT_ONE_IN - 1, None, _HELD_OUT_ONE_IN)
    held_out = documents[every_tenth]
    if not held_out:
        raise ValueError(f"{str(path)!r} is too short: a tenth of its documents is held out")
    del documents[every_tenth]
    return Text(path.stem, documents, held_out)


def train(
    documents: Sequence[str], size: int, pattern: str
) -> tuple[Artifact, list[tuple[int, int]]]:
    """Learn the largest vocabulary; return it, and the count of each 100th merged pair.

    The smaller vocabularies are its prefixes.
    """
    handler, logger = BufferingHandler(sys.maxsize), logging.getLogger("bpetite")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    artifact = Tokenizer.train(documents, size, pattern=pattern)._artifact
    logger.removeHandler(handler)
    merges = [one for one in map(vars, handler.buffer) if one["event"] == "merge"]
    return artifact, [(one["merges"], one["count"]) for one in merges]


def count_ids(artifact: Artifact, documents: Sequence[str]) -> list[int]:
    """Return how often each id occurs in some documents."""
    encode = Tokenizer._of(artifact).encode
    counts = Counter(token_id for document in documents for token_id in encode(document))
    return [counts[token_id] for token_id in artifact.ids]


def bytes_per_token(artifact: Artifact, counts: Sequence[int], sizes: Sequence[int]) -> list[float]:
    """Return the average number of bytes per token with each size of the vocabulary."""
    text, most = totals_of(artifact, counts), len(artifact.tokens)
    return [round(text.size / text.tokens_at(min(size, most)), 4) for size in sizes]


def lines(value: object, depth: int) -> str:
    """Return JSON with a line for each entry down to a depth, for readable diffs."""
    if not isinstance(value, dict) or not depth:
        return json.dumps(value)
    entries = (f"{json.dumps(key)}: {lines(entry, depth - 1)}" for key, entry in value.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def measure(
    text: Text, texts: Sequence[Text], sizes: Sequence[int], pattern: str
) -> dict[str, object]:
    """Return all figures of a text's vocabulary, on this text and on the others."""
    print(f"measuring {text.name}", file=sys.stderr)
    artifact, merge_counts = train(text.learned, sizes[-1], pattern)
    counts = {other.name: count_ids(artifact, other.held_out) for other in texts}
    return {
        "bytes learned from": len("".join(text.learned).encode("utf-8")),
        "bytes held out": len("".join(text.held_out).encode("utf-8")),
        "bytes per token": {
            name: bytes_per_token(artifact, found, sizes) for name, found in counts.items()
        },
        "merge counts": merge_counts,
    }


def main() -> None:
    """Measure the texts, and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    add("--json", type=Path, required=True, help="where the figures go")
    add("--vocab-size", type=int, default=_LARGEST, metavar="N", help="a power of 2")
    add("--pattern", choices=PATTERNS, default=GPT2.name, help="the split pattern")
    arguments = parser.parse_args()
    sizes = [1 << power for power in range(8, 21)]  # 256 is the bytes alone
    if arguments.vocab_size not in sizes[1:]:
        parser.error(f"--vocab-size must be a power of 2 from {sizes[1]} to {sizes[-1]}")
    sizes = sizes[: sizes.index(arguments.vocab_size) + 1]
    try:
        texts = {path.stem: read_text(path) for path in arguments.files}
        if len(texts) < len(arguments.files):
            parser.error("two texts have the same name; rename one")
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        result = {
            "command": shlex.join(["python", "scripts/benchmarks/vocabularies.py", *sys.argv[1:]]),
            "versions": {
                "Python": f"{python_implementation()} {python_version()}",
                **{name: version(name) for name in ("bpetite-core", "regex")},
            },
            "sizes": sizes,
            "texts": {
                name: measure(text, [*texts.values()], sizes, arguments.pattern)
                for name, text in texts.items()
            },
        }
        arguments.json.write_text(lines(result, 3) + "\n", encoding="ascii")
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
