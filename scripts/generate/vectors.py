"""The golden vectors in tests/vectors, from what this bpetite does.

They change only if the format or the algorithm does, which makes it another tokenizer.
docs/reference/artifact.md explains them.
"""

import json
from pathlib import Path
from typing import Any, Final

from bpetite import Tokenizer
from bpetite._pretokenizer import pretokenize

_FOLDER: Final = Path("tests/vectors")
_SAMPLE: Final = (Path(__file__).parents[2] / "docs/sample.txt").read_bytes().decode("utf-8")

CORPORA: Final[dict[str, tuple[list[str], int]]] = {
    "untrained": ([], 256),
    "specification": (["ab ab ab"], 258),
    "ties": (["ba ab", "cd dc ab", "aaaa bbbb", "é日👍 é日👍", "", "x\r\ny\u2003 z"], 300),
    "runs": (["a" * 100, "ab" * 50, "aab" * 33, "   " * 30, "\n\n\t" * 20], 280),
    "special": (["<|endoftext|> <|endoftext|>", "<|endo", "text|>"], 270),
    "sample": ([_SAMPLE], 512),
    "exhausted": ([_SAMPLE], 100_000),
}
"""The documents of each corpus, and the size of the vocabulary that is asked for."""

TEXTS: Final = (
    "",
    " ",
    "ab ab abab",
    "The river, the clerk and the merge.",
    "It's 12 o'clock; they'll see we've  3 'S. \u2019s",
    "tabs\tand \n newlines\r\n\r\n  \u2003 \u00a0end  ",
    "naïve e\u0301 ß Straße ŒUVRE",
    "Привет, мир! ١٢٣ مرحبا",
    "日本語 中文 한국어 ไทย हिन्दी",
    "👍 👩\u200d👩\u200d👧 🇩🇪 \U0010ffff",
    "\x00\x1c\x1f\x7f\x85\ufeff",
    "x² Ⅷ ½ _under_score __ -1.5e-3",
    "<|endoftext|>",
    "a<|endoftext|> b<|endoftext|><|endoftext|>",
    "<|endoftext|<|endoftext|>|>endoftext|>",
    "aaaa" * 30 + "b" + "ab" * 20,
    _SAMPLE[:600],
)

NO_TEXT: Final = ([0x80], [97, 0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF])
"""Ids whose bytes are not UTF-8, in every vocabulary."""


def files() -> dict[Path, str]:
    """Return the chunks of each text, and the vectors of each corpus."""
    chunks = [{"text": text, "chunks": _chunks(text)} for text in TEXTS]
    contents: dict[str, dict[str, Any]] = {"chunks": {"vectors": chunks}}
    for name, (documents, vocab_size) in CORPORA.items():
        tokenizer = Tokenizer.train(documents, vocab_size)
        contents[name] = _of_tokenizer(tokenizer, documents, vocab_size)
    return {_FOLDER / f"{name}.json": _lines(content) for name, content in contents.items()}


def _chunks(text: str) -> list[str]:
    return [chunk.decode("utf-8") for chunk in pretokenize(text)]


def _of_tokenizer(tokenizer: Tokenizer, documents: list[str], vocab_size: int) -> dict[str, Any]:
    artifact = tokenizer._artifact
    return {
        "documents": documents,
        "vocab_size": vocab_size,
        "mergeable_vocab_size": artifact.special_id,
        "artifact_bytes": artifact.size,
        "artifact_sha256": artifact.sha256,
        "merges": artifact.merges,
        "vectors": [{"text": text, "ids": tokenizer.encode(text)} for text in TEXTS],
        "unknown_ids": [[artifact.special_id + 1], [-1], [97, 10**9]],
        "ids_of_no_text": list(NO_TEXT),
    }


def _lines(content: dict[str, Any]) -> str:
    """Return JSON in ASCII with a line for each vector, which reads well in a diff."""
    fields = []
    for key, value in content.items():
        text = json.dumps(value, separators=(",", ":"))
        if key == "vectors":
            rows = ",\n  ".join(json.dumps(row, separators=(",", ":")) for row in value)
            text = f"[\n  {rows}\n ]"
        fields.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(fields) + "\n}\n"
