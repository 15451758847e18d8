"""Measure what docs/pictures.md shows: the vocabularies learned from several texts.

    uv run python scripts/benchmarks/vocabularies.py FILE... --json FOLDER/pictures.json

A text is cut at ends of lines into documents of about 16,000 characters. Every tenth is held out:
it is not trained on, only encoded. Nothing is timed, so the figures are equal on every machine;
25 MB take a minute.

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

_SIZES: Final = tuple(1 << power for power in range(8, 16))  # 256 is the bytes alone
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


def train(documents: Sequence[str]) -> tuple[Artifact, list[tuple[int, int]]]:
    """Learn the largest vocabulary; return it, and the count of each 100th merged pair.

    The smaller vocabularies are its prefixes.
    """
    handler, logger = BufferingHandler(sys.maxsize), logging.getLogger("bpetite")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    artifact = Tokenizer.train(documents, _SIZES[-1])._artifact
    logger.removeHandler(handler)
    merges = [one for one in map(vars, handler.buffer) if one["event"] == "merge"]
    return artifact, [(one["merges"], one["count"]) for one in merges]


def size_of(documents: Sequence[str]) -> int:
    """Return the size of some documents in UTF-8 bytes."""
    return sum(len(document.encode("utf-8")) for document in documents)


def bytes_per_token(tokenizer: Tokenizer, documents: Sequence[str]) -> float:
    """Return the average number of bytes per token of some documents."""
    tokens = sum(len(tokenizer.encode(document)) for document in documents)
    return round(size_of(documents) / tokens, 4)


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


def measure(text: Text, texts: Sequence[Text]) -> dict[str, object]:
    """Return all figures of a text's vocabulary, on this text and on the others."""
    print(f"measuring {text.name}", file=sys.stderr)
    artifact, merge_counts = train(text.learned)
    smaller = (Artifact.of_merges(artifact.merges[: size - 256]) for size in _SIZES)
    tokenizers = list(map(Tokenizer._of, smaller))
    tokens = artifact.tokens[256:]
    ids = Counter(i for document in text.held_out for i in tokenizers[-1].encode(document))
    used = {artifact.bytes_of(token_id): count for token_id, count in ids.items()}
    return {
        "bytes learned from": size_of(text.learned),
        "bytes held out": size_of(text.held_out),
        "bytes per token": {
            other.name: [bytes_per_token(one, other.held_out) for one in tokenizers]
            for other in texts
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
    arguments = parser.parse_args()
    names = " ".join(path.name for path in arguments.files)
    try:
        texts = {path.stem: read_text(path) for path in arguments.files}
        if len(texts) < len(arguments.files):
            parser.error("two texts have the same name; rename one")
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        result = {
            "command": f"python {_SCRIPT} {names} --json {arguments.json}",
            "versions": {
                "Python": f"{python_implementation()} {python_version()}",
                "bpetite-core": version("bpetite-core"),
                "regex": version("regex"),
            },
            "sizes": _SIZES,
            "texts": {name: measure(text, [*texts.values()]) for name, text in texts.items()},
        }
        arguments.json.write_text(lines(result, 3) + "\n", encoding="ascii")
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
