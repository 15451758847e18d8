"""One tokenizer of ours in the forms in which its peers take a vocabulary.

The artifact is read as any program may read it: as the JSON file that is documented in
docs/architecture.md. The peers' files stand beside it in the same folder.
"""

import base64
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from bpetite import Tokenizer
from corpora import SPECIAL_TOKEN, Corpus

VOCAB_SIZE: Final = 32_000
"""How many tokens are wanted of the tokenizers that encode and decode."""

# GPT-2's alphabet: each byte as a character that can be seen, which is itself where it can.
_SEEN: Final = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_UNSEEN: Final = [value for value in range(256) if value not in _SEEN]
ALPHABET: Final = {value: chr(value) for value in _SEEN} | {
    value: chr(256 + place) for place, value in enumerate(_UNSEEN)
}
"""The character that stands for each byte in a vocabulary of Hugging Face."""


@dataclass(frozen=True)
class Artifact:
    """A saved tokenizer, and the text that it was trained on.

    merges: the pairs of ids, in the order in which they were learned.
    tokens: the bytes of each id, in the order of the ids, without the special token, whose
        id is the next.
    """

    path: Path
    corpus: Corpus
    merges: list[tuple[int, int]]
    tokens: list[bytes]

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special token and its id."""
        return {SPECIAL_TOKEN: len(self.tokens)}

    @property
    def ranks(self) -> dict[bytes, int]:
        """The tokens with their ids, as tiktoken has them."""
        return {token: rank for rank, token in enumerate(self.tokens)}

    @cached_property
    def ranks_path(self) -> Path:
        """A file of the ranks in tiktoken's format."""
        lines = [b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in self.ranks.items()]
        path = self.path.with_suffix(".tiktoken")
        path.write_bytes(b"".join(lines))
        return path


def train_artifact(corpus: Corpus, folder: Path, vocab_size: int = VOCAB_SIZE) -> Artifact:
    """Train on a corpus, and save the artifact in a new folder of its own below this one."""
    place = folder / f"{corpus.name}-{vocab_size}"
    place.mkdir()
    path = place / "artifact.json"
    Tokenizer.train(corpus.text, vocab_size).save(path)
    return read_artifact(path, corpus)


def read_artifact(path: Path, corpus: Corpus) -> Artifact:
    """Read an artifact that was trained on a corpus."""
    content = json.loads(path.read_bytes())
    merges = [(left, right) for left, right in content["merges"]]
    vocab = content["vocab"]
    tokens = [bytes(vocab[str(token_id)]) for token_id in range(256 + len(merges))]
    return Artifact(path, corpus, merges, tokens)
