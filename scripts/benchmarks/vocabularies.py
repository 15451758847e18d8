"""Measure vocabularies learned from texts, for docs/pictures.md and docs/vocabulary-size.md.

    uv run python scripts/benchmarks/vocabularies.py FILE... --json FOLDER/pictures.json

A text is cut at ends of lines into documents of about 16,000 characters. Every tenth is held out:
it is not trained on, only encoded. Nothing is timed, so the figures are equal on every machine;
25 MB take ten seconds.

`scripts/generate/own_pictures.py FOLDER` turns the figures into tables and pictures;
`scripts/generate` does so for docs/pictures.json.
"""

import argparse
import json
import logging
import sys
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from logging.handlers import BufferingHandler
from pathlib import Path
from platform import python_implementation, python_version
from typing import Final, NamedTuple

import regex

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import GPT2, PATTERNS
from bpetite_cli.commands.sizes import totals_of

_LARGEST: Final = 1 << 15
_MOST: Final = 1 << 20
_SCRIPT: Final = "scripts/benchmarks/vocabularies.py"
_DOCUMENT_CHARACTERS: Final = 1 << 14
_HELD_OUT_ONE_IN: Final = 10
_EXAMPLES: Final = 8
_NO_WORDS: Final = frozenset({"digits", "part of a character", "punctuation", "whitespace"})
_NO_SCRIPTS: Final = frozenset({"Caron", "Combining", "Micro", "Modifier", "Superscript"})


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


def size_of(documents: Sequence[str]) -> int:
    """Return the size of some documents in UTF-8 bytes."""
    return sum(len(document.encode("utf-8")) for document in documents)


def count_ids(artifact: Artifact, documents: Sequence[str]) -> list[int]:
    """Return how often each id occurs in some documents."""
    encode = Tokenizer._of(artifact).encode
    counts = Counter(token_id for document in documents for token_id in encode(document))
    return [counts[token_id] for token_id in artifact.ids]


def bytes_per_token(artifact: Artifact, counts: Sequence[int], sizes: Sequence[int]) -> list[float]:
    """Return the average number of bytes per token with each size of the vocabulary."""
    text, most = totals_of(artifact, counts), len(artifact.tokens)
    return [round(text.size / text.tokens_at(min(size, most)), 4) for size in sizes]


def class_of(token: bytes) -> str:
    """Return the class of a token: the script of its letters, or another kind of character.

    No token mixes letters, digits, punctuation and whitespace, except for a space in front, because
    no chunk does. A script is the first word of the Unicode names of its letters.
    """
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return "part of a character"
    if letter := regex.search(r"\p{L}", text) or regex.search(r"\p{M}", text):
        script = unicodedata.name(letter[0], "?").partition(" ")[0].capitalize()
        return "marks and modifiers" if script in _NO_SCRIPTS else script
    if not text.strip():
        return "whitespace"
    return "digits" if regex.search(r"\p{N}", text) else "punctuation"


def shares(tokens: Mapping[bytes, int]) -> dict[str, dict[str, int]]:
    """Return how many of some tokens have each length in bytes, and each class."""
    lengths: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for token, count in tokens.items():
        lengths[str(len(token))] += count
        classes[class_of(token)] += count
    return {"lengths": dict(sorted(lengths.items(), key=lambda item: int(item[0])))} | {
        "classes": dict(sorted(classes.items()))
    }


def examples(tokens: Sequence[bytes], used: Mapping[bytes, int]) -> dict[str, list[str]]:
    """Return the first tokens that were learned, the most used, and the longest words."""
    words = [token for token in tokens if class_of(token) not in _NO_WORDS]
    orders = {
        "first": tokens,
        "most used": sorted(tokens, key=lambda token: (-used.get(token, 0), token)),
        "longest words": sorted(words, key=lambda token: (-len(token), token)),
    }
    return {
        name: [token.decode("utf-8", errors="backslashreplace") for token in order[:_EXAMPLES]]
        for name, order in orders.items()
    }


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
    tokens = artifact.tokens[256:]
    used = {token: n for token, n in zip(artifact.table, counts[text.name], strict=True) if n}
    return {
        "bytes learned from": size_of(text.learned),
        "bytes held out": size_of(text.held_out),
        "bytes per token": {
            name: bytes_per_token(artifact, found, sizes) for name, found in counts.items()
        },
        "merge counts": merge_counts,
        "vocabulary": shares(dict.fromkeys(tokens, 1)),
        "held-out text": shares(used),
        "examples": examples(tokens, used),
    }


def main() -> int:
    """Measure the texts, and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a text in UTF-8")
    parser.add_argument("--json", type=Path, required=True, help="where the figures go")
    parser.add_argument(
        "--vocab-size", type=int, default=_LARGEST, metavar="N", help="a power of 2"
    )
    parser.add_argument("--pattern", choices=PATTERNS, default=GPT2.name, help="the split pattern")
    arguments = parser.parse_args()
    size, pattern = arguments.vocab_size, arguments.pattern
    sizes = [1 << power for power in range(8, size.bit_length())]  # 256 is the bytes alone
    if size not in sizes[1:] or size > _MOST:
        parser.error(f"--vocab-size must be a power of 2 from 512 to {_MOST}")
    names = " ".join(path.name for path in arguments.files)
    options = f"--json {arguments.json}"
    if (size, pattern) != (_LARGEST, GPT2.name):
        options += f" --vocab-size {size} --pattern {pattern}"
    try:
        texts = {path.stem: read_text(path) for path in arguments.files}
        if len(texts) < len(arguments.files):
            parser.error("two texts have the same name; rename one")
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        result = {
            "command": f"python {_SCRIPT} {names} {options}",
            "versions": {
                "Python": f"{python_implementation()} {python_version()}",
                "bpetite-core": version("bpetite-core"),
                "regex": version("regex"),
            },
            "sizes": sizes,
            "texts": {
                name: measure(text, [*texts.values()], sizes, pattern)
                for name, text in texts.items()
            },
        }
        arguments.json.write_text(lines(result, 3) + "\n", encoding="ascii")
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
