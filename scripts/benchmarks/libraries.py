"""The libraries that encode and decode, and how each loads our tokenizer files.

Imports are inside the functions, so that a missing library does not stop the others. For how
libraries train, see `trainers`.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import bpetite
from benchmarks import workers
from bpetite._artifact import Artifact
from bpetite._boundaries import blocks
from bpetite._constants import PRETOKENIZER_PATTERN
from bpetite_compare import Exported, export, to_tiktoken

Documents = Sequence[str]

CORES: Final = os.cpu_count() or 1
_DOCUMENT_CHARACTERS: Final = 1 << 16
_BATCH: Final = 64


class Text(NamedTuple):
    """A text, and the files made from it before anything is timed.

    model: our tokenizer file for it, with at most 32,000 tokens.
    ids: tiktoken's ids with that tokenizer, as u16.
    vocab_size: how many tokens to train from it.
    large: too large for libraries that keep all ids as integers; only commands read it.
    """

    name: str
    path: Path
    model: Path
    ids: Path
    vocab_size: int
    large: bool

    def read(self) -> str:
        """Return the whole text."""
        return self.path.read_bytes().decode("utf-8")

    def exported(self, to: str) -> Exported:
        """Export the tokenizer for another library."""
        return export(self.model, to, self.model.with_suffix(f".{to}.json"), overwrite=True)


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
    """Cut a text where chunks begin, into the documents that every library gets."""
    return list(blocks(text, _DOCUMENT_CHARACTERS))


def batches(documents: Documents) -> list[Documents]:
    """Return the documents in lists of a few megabytes."""
    return [documents[start : start + _BATCH] for start in range(0, len(documents), _BATCH)]


def _load_bpetite(text: Text) -> Coder:
    tokenizer = bpetite.Tokenizer.load(text.model)
    encode_all = partial(workers.encode_all, model=text.model, cores=CORES)
    return Coder(tokenizer.encode, encode_all, tokenizer.decode)


def _load_tiktoken(text: Text) -> Coder:
    encoding = to_tiktoken(text.model)
    return Coder(
        partial(encoding.encode, allowed_special="all"),
        lambda documents: encoding.encode_ordinary_batch(list(documents), num_threads=CORES),
        encoding.decode,
    )


def _load_hugging_face(text: Text) -> Coder:
    from tokenizers import Tokenizer, pre_tokenizers

    tokenizer = Tokenizer.from_file(text.exported("huggingface").files[0])
    # The byte level's own pattern is GPT-2's, and faster than the exported `Split`.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return Coder(
        lambda document: tokenizer.encode(document).ids,
        # The result takes some 40 times the memory of the text.
        lambda some: [one.ids for batch in batches(some) for one in tokenizer.encode_batch(batch)],
        partial(tokenizer.decode, skip_special_tokens=False),
    )


def _load_rustbpe(text: Text) -> Coder:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()  # it cannot load a vocabulary, so it trains again
    size = len(Artifact.read(text.model).tokens)
    documents = documents_of(text.read())
    tokenizer.train_from_iterator(documents, size, pattern=PRETOKENIZER_PATTERN)
    return Coder(tokenizer.encode, tokenizer.batch_encode, tokenizer.decode)


def _load_gigatoken(text: Text) -> Coder:
    import gigatoken

    exported = text.exported("tiktoken")
    tokenizer = gigatoken.Tokenizer.from_tiktoken(
        exported.files[0], pretokenizer="gpt2", special_tokens=dict(exported.special_tokens)
    )
    return Coder(
        lambda document: tokenizer.encode_batch_list([document], parallel=False)[0],
        partial(tokenizer.encode_batch_list, parallel=True),
        lambda ids: tokenizer.decode(ids).decode("utf-8"),
        partial(tokenizer.encode_batch_list, parallel=False),
    )


LIBRARIES: Final[dict[str, tuple[str, Callable[[Text], Coder]]]] = {
    "bpetite": ("bpetite-core", _load_bpetite),
    "tiktoken": ("tiktoken", _load_tiktoken),
    "Hugging Face": ("tokenizers", _load_hugging_face),
    "rustbpe": ("rustbpe", _load_rustbpe),
    "gigatoken": ("gigatoken", _load_gigatoken),
}
"""The package of each library, and the untimed function that loads the tokenizer of a text."""


def load(name: str, text: Text) -> Coder:
    return LIBRARIES[name][1](text)
