"""The libraries: how each trains, and how each loads our tokenizer files. A job is a process.

    python libraries.py train LIBRARY FILE VOCAB_SIZE OUTPUT PATTERN
    python libraries.py check|encode|cores|sentence LIBRARY FILE MODEL [IDS]

No library slows another one down, because each job has its own process. The benchmark times the
whole process of `train`, as it does for `bpetite train`, and so each function imports its library.
The other jobs time a part of their work and print what they measured as JSON.
"""

import json
import os
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

from bpetite import Tokenizer
from bpetite._boundaries import blocks
from bpetite._patterns import GPT2, pattern_named

CORES: Final = os.cpu_count() or 1
PACKAGES: Final = {
    "bpetite": "bpetite-core",
    "tiktoken": "tiktoken",
    "Hugging Face": "tokenizers",
    "rustbpe": "rustbpe",
    "gigatoken": "gigatoken",
}
"""The package of each library."""

_READ_CHARACTERS: Final = 1 << 20
_BLOCK_CHARACTERS: Final = 1 << 14
_DOCUMENT_CHARACTERS: Final = 1 << 16

Ids = list[int]
_loaded: list[Tokenizer] = []  # holds one tokenizer in a worker


class Coder(NamedTuple):
    """A loaded tokenizer.

    encode: one document, in one thread.
    encode_all: all documents, on all cores.
    decode: the ids of a document.
    encode_each: all documents, in one thread, if that is faster than one by one.
    """

    encode: Callable[[str], Ids]
    encode_all: Callable[[Sequence[str]], Sequence[Ids]]
    decode: Callable[[Ids], str]
    encode_each: Callable[[Sequence[str]], Sequence[Ids]] | None = None


def read_documents(path: str) -> list[str]:
    """Cut a text where chunks begin, into the documents that every library gets."""
    return list(blocks(Path(path).read_bytes().decode("utf-8"), _DOCUMENT_CHARACTERS))


def _read_blocks(path: str) -> Iterator[str]:
    """Read a file block by block, as `bpetite train` does: the text is never in memory at once."""
    rest = ""
    with Path(path).open(encoding="utf-8", newline="") as file:
        while text := file.read(_READ_CHARACTERS):
            *whole, rest = blocks(rest + text, _BLOCK_CHARACTERS)
            yield from whole
    yield rest


def load(library: str, path: str, model: str) -> Coder:
    """Load our tokenizer file, without being timed."""
    if library == "bpetite":
        tokenizer = Tokenizer.load(model)
        return Coder(tokenizer.encode, partial(_encode_all, model), tokenizer.decode)
    if library == "tiktoken":
        from bpetite_compare import to_tiktoken

        encoding = to_tiktoken(model)
        return Coder(
            partial(encoding.encode, allowed_special="all"),
            lambda documents: encoding.encode_ordinary_batch(list(documents), num_threads=CORES),
            encoding.decode,
        )
    if library == "rustbpe":
        import rustbpe

        # It cannot load a vocabulary, so it trains again.
        size = json.loads(Path(model).read_bytes())["mergeable_vocab_size"]
        trained = rustbpe.Tokenizer()
        trained.train_from_iterator(read_documents(path), size, pattern=GPT2.text)
        return Coder(trained.encode, trained.batch_encode, trained.decode)
    from bpetite_compare import export

    form = "huggingface" if library == "Hugging Face" else "tiktoken"
    exported = export(model, form, f"{model}.{form}", overwrite=True)
    if library == "Hugging Face":
        import tokenizers

        theirs = tokenizers.Tokenizer.from_file(exported.files[0])
        if tokenizers.__version__.startswith("0."):
            from tokenizers.pre_tokenizers import ByteLevel

            # The byte level's own pattern is GPT-2's, and faster than the exported `Split`.
            theirs.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=True)

        def encode_all(documents: Sequence[str]) -> list[Ids]:
            # The result takes some 40 times the memory of the text.
            parts = (documents[start : start + 64] for start in range(0, len(documents), 64))
            return [one.ids for part in parts for one in theirs.encode_batch(part)]

        decode = partial(theirs.decode, skip_special_tokens=False)
        return Coder(lambda document: list(theirs.encode(document).ids), encode_all, decode)
    import gigatoken

    special = dict(exported.special_tokens)
    giga = gigatoken.Tokenizer.from_tiktoken(
        exported.files[0], pretokenizer="gpt2", special_tokens=special
    )
    encode_each = partial(giga.encode_batch_list, parallel=False)
    return Coder(
        lambda document: list(encode_each([document])[0]),
        partial(giga.encode_batch_list, parallel=True),
        lambda ids: str(giga.decode(ids), "utf-8"),
        encode_each,
    )


def _encode_all(model: str, documents: Sequence[str]) -> list[Ids]:
    """Encode in a process for each core, as a user of the library would.

    Each worker loads the tokenizer file once. Ids are returned as arrays, which are small to send.
    """
    with ProcessPoolExecutor(CORES, get_context("spawn"), _start_worker, (model,)) as pool:
        return [ids.tolist() for ids in pool.map(_encode_in_worker, documents, chunksize=8)]


def _start_worker(model: str) -> None:
    _loaded.append(Tokenizer.load(model))


def _encode_in_worker(document: str) -> "array[int]":
    return array("I", _loaded[0].encode(document))


def check(library: str, path: str, model: str, ids: str) -> dict[str, float]:
    """Compare the ids with those in a file of the format u16."""
    right = array("H", Path(ids).read_bytes())
    check_ids(library, load(library, path, model), read_documents(path), right)
    return {}


def check_ids(library: str, coder: Coder, documents: Sequence[str], right: Sequence[int]) -> None:
    """Raise ValueError if a library does not decode what it encodes, or has other ids."""
    ids = coder.encode_all(documents)
    if any(map(str.__ne__, map(coder.decode, ids), documents)):
        raise ValueError(f"{library} does not decode what it encodes")
    if list(chain.from_iterable(ids)) != list(right):
        raise ValueError(f"the ids of {library} differ from those of `bpetite encode`")


def encode(library: str, path: str, model: str) -> dict[str, float]:
    """Time encoding the documents of the first half, and decoding them, in one thread."""
    coder, documents = load(library, path, model), read_documents(path)
    half = documents[: len(documents) // 2]
    each = coder.encode_each or (lambda some: list(map(coder.encode, some)))
    each(["one-time setup"])
    first, ids = _timed(lambda: each(half))
    decode, _ = _timed(lambda: list(map(coder.decode, ids)))
    return {"first": first, "decode": decode}


def cores(library: str, path: str, model: str) -> dict[str, float]:
    """Time encoding all documents on all cores."""
    coder, documents = load(library, path, model), read_documents(path)
    coder.encode("one-time setup")
    return {"seconds": _timed(lambda: coder.encode_all(documents))[0]}


def sentence(library: str, path: str, model: str) -> dict[str, float]:
    """Encode the first words of a text many times; return the 99th percentile."""
    coder = load(library, path, model)
    words = " ".join(read_documents(path)[0].split()[:50])
    coder.encode(words)
    return {"p99": sorted(_timed(lambda: coder.encode(words))[0] for _ in range(1_000))[989]}


def _timed(job: Callable[[], Any]) -> tuple[float, Any]:
    begin = perf_counter()
    result = job()
    return perf_counter() - begin, result


def train(library: str, path: str, vocab_size: str, output: str, pattern: str) -> dict[str, float]:
    """Train, and save the tokens as JSON. The libraries in Rust use `RAYON_NUM_THREADS` threads."""
    tokens = TRAINERS[library](path, int(vocab_size), pattern)
    Path(output).write_text(json.dumps([token.hex() for token in tokens]), encoding="ascii")
    return {}


def _train_hugging_face(path: str, vocab_size: int, pattern: str) -> list[bytes]:
    r"""Train with `train_from_iterator`: faster than `train`, which also cuts "\n\n" in two."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    from bpetite_compare._letters import of_letters

    tokenizer = Tokenizer(models.BPE())
    # The byte level's own pattern is GPT-2's, and faster than a `Split`.
    own = pattern == GPT2.name
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=own)
    cut = pre_tokenizers.Split(Regex(pattern_named(pattern).text), "isolated")
    tokenizer.pre_tokenizer = byte_level if own else pre_tokenizers.Sequence([cut, byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_read_blocks(path), trainer)
    return [of_letters(token) or b"" for token in tokenizer.get_vocab()]


def _train_rustbpe(path: str, vocab_size: int, pattern: str) -> list[bytes]:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    text = pattern_named(pattern).text
    tokenizer.train_from_iterator(_read_blocks(path), vocab_size, pattern=text)
    return [token for token, _ in tokenizer.get_mergeable_ranks()]


def _train_gigatoken(path: str, vocab_size: int, _pattern: str) -> list[bytes]:
    import gigatoken  # it has only GPT-2's pattern

    vocab, _ = gigatoken.train_bpe(Path(path).read_bytes(), vocab_size, [])
    return list(vocab.values())


TRAINERS: Final = {
    "Hugging Face": _train_hugging_face,
    "rustbpe": _train_rustbpe,
    "gigatoken": _train_gigatoken,
}

JOBS: Final = {job.__name__: job for job in (check, cores, encode, sentence, train)}

if __name__ == "__main__":
    job, *arguments = sys.argv[1:]
    results = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what a library prints is no result
    json.dump(JOBS[job](*arguments), results)
    results.close()
