"""The libraries that encode and decode: how each loads a vocabulary of ours.

Imports are inside the functions, so that a library that is not installed does not stop the
others. How libraries train is in `trainers`.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Final, NamedTuple

import bpetite
from bench import workers
from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN, PRETOKENIZER_PATTERN
from bpetite._pretokenizer import blocks
from bpetite_compare import export

Documents = Sequence[str]

CORES: Final = os.cpu_count() or 1
_DOCUMENT_CHARACTERS: Final = 1 << 16
_BATCH: Final = 64


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer file of ours, and the text that it was trained on."""

    path: Path
    text: str

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each token except the special one, whose id is the next."""
        return list(Artifact.read(self.path).tokens)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special token and its id."""
        return {END_OF_TEXT_TOKEN: len(self.tokens)}

    def exported(self, to: str) -> str:
        """Export the tokenizer for another library, and return the path of the file."""
        path = str(self.path.with_suffix(f".{to}.json"))
        export(self.path, to, path, overwrite=True)
        return path


class Coder(NamedTuple):
    """A loaded tokenizer.

    encode: one document, in one thread.
    encode_all: all documents, on all cores.
    encode_each: all documents, in one thread, if that is faster than one by one.
    """

    encode: Callable[[str], list[int]]
    encode_all: Callable[[Documents], list[list[int]]]
    decode: Callable[[list[int]], str]
    encode_each: Callable[[Documents], list[list[int]]] | None = None


def documents_of(text: str) -> list[str]:
    """Cut a text where a chunk begins, into the documents that every library gets."""
    return list(blocks(text, _DOCUMENT_CHARACTERS))


def batches(documents: Documents) -> list[Documents]:
    """Return the documents in lists of a few megabytes."""
    return [documents[start : start + _BATCH] for start in range(0, len(documents), _BATCH)]


def _load_bpetite(vocabulary: Vocabulary) -> Coder:
    tokenizer = bpetite.Tokenizer.load(vocabulary.path)
    encode_all = partial(workers.encode_all, model=vocabulary.path, cores=CORES)
    return Coder(tokenizer.encode, encode_all, tokenizer.decode)


def load_tiktoken(vocabulary: Vocabulary) -> Coder:
    """Load the library whose ids all others are compared with."""
    import tiktoken

    encoding = tiktoken.Encoding(
        "bench",
        pat_str=PRETOKENIZER_PATTERN,
        mergeable_ranks={token: rank for rank, token in enumerate(vocabulary.tokens)},
        special_tokens=vocabulary.special_tokens,
    )
    return Coder(
        partial(encoding.encode, allowed_special="all"),
        lambda documents: encoding.encode_ordinary_batch(list(documents), num_threads=CORES),
        encoding.decode,
    )


def _load_hugging_face(vocabulary: Vocabulary) -> Coder:
    from tokenizers import Tokenizer, pre_tokenizers

    tokenizer = Tokenizer.from_file(vocabulary.exported("huggingface"))
    # The byte level's own pattern is GPT-2's too, and faster than the exported `Split`.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return Coder(
        lambda text: tokenizer.encode(text).ids,
        # What it returns takes 150 to 200 times the memory of the text.
        lambda documents: [
            encoding.ids
            for batch in batches(documents)
            for encoding in tokenizer.encode_batch(batch)
        ],
        partial(tokenizer.decode, skip_special_tokens=False),
    )


def _load_rustbpe(vocabulary: Vocabulary) -> Coder:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()  # it cannot load a vocabulary, so it learns the same again
    size = len(vocabulary.tokens)
    tokenizer.train_from_iterator(documents_of(vocabulary.text), size, pattern=PRETOKENIZER_PATTERN)
    return Coder(tokenizer.encode, tokenizer.batch_encode, tokenizer.decode)


def _load_gigatoken(vocabulary: Vocabulary) -> Coder:
    import gigatoken

    tokenizer = gigatoken.Tokenizer.from_tiktoken(
        vocabulary.exported("tiktoken"),
        pretokenizer="gpt2",
        special_tokens=vocabulary.special_tokens,
    )
    return Coder(
        lambda text: tokenizer.encode_batch_list([text], parallel=False)[0],
        partial(tokenizer.encode_batch_list, parallel=True),
        lambda ids: tokenizer.decode(ids).decode("utf-8"),
        partial(tokenizer.encode_batch_list, parallel=False),
    )


PACKAGES: Final = {
    "bpetite": "bpetite-core",
    "tiktoken": "tiktoken",
    "Hugging Face": "tokenizers",
    "rustbpe": "rustbpe",
    "gigatoken": "gigatoken",
}
"""The package of each library."""

LOADERS: Final[dict[str, Callable[[Vocabulary], Coder]]] = {
    "bpetite": _load_bpetite,
    "tiktoken": load_tiktoken,
    "Hugging Face": _load_hugging_face,
    "rustbpe": _load_rustbpe,
    "gigatoken": _load_gigatoken,
}
"""Make a coder with our vocabulary, which is not timed."""
