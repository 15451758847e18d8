"""The libraries that are measured: how each trains, loads a vocabulary, encodes and decodes.

Each takes the number of threads from `RAYON_NUM_THREADS`, which `jobs` sets for a process: the
libraries in Rust read it themselves. Imports are inside the functions, so
that a library that is not installed does not stop the others.
"""

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import bpetite
from bpetite._constants import END_OF_TEXT_TOKEN, PRETOKENIZER_PATTERN
from bpetite._pretokenizer import blocks
from bpetite_compare import GPT2_BYTE_ORDER, export

BLOCK_CHARACTERS: Final = 1 << 14
"""The size of the blocks in which libraries get a text that their threads share."""

CL100K_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""The pattern of tiktoken's cl100k_base, as tiktoken writes it."""

# In Hugging Face's vocabularies printable bytes are themselves, and the others follow U+0100.
_BYTE_OF: Final = {
    chr(value if place < 188 else 68 + place): value for place, value in enumerate(GPT2_BYTE_ORDER)
}

Tokens = Callable[[], set[bytes]]
"""Lists the tokens that were learned, which is not part of training."""


def threads() -> int:
    """Return the number of threads that a library may use in this process."""
    return int(os.environ["RAYON_NUM_THREADS"])


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer file, and the text that it was trained on. Exports are put beside the file."""

    path: Path
    text: str

    @cached_property
    def tokens(self) -> list[bytes]:
        """The bytes of each token except the special one, whose id is the next."""
        vocab = json.loads(self.path.read_bytes())["vocab"]
        return [bytes(vocab[str(token_id)]) for token_id in range(len(vocab) - 1)]

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special token and its id."""
        return {END_OF_TEXT_TOKEN: len(self.tokens)}

    def exported(self, to: str) -> str:
        """Export the tokenizer for another library, and return the path of the file."""
        path = str(self.path.with_suffix(f".{to}"))
        export(self.path, to, path, overwrite=True)
        return path


class Coder(NamedTuple):
    """A loaded tokenizer."""

    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]


def _train_bpetite(text: str, vocab_size: int) -> Tokens:
    tokenizer = bpetite.Tokenizer.train(text, vocab_size)

    def tokens() -> set[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tokenizer.json"
            tokenizer.save(path)
            return set(Vocabulary(path, text).tokens)

    return tokens


def _load_bpetite(vocabulary: Vocabulary) -> Coder:
    tokenizer = bpetite.Tokenizer.load(vocabulary.path)
    return Coder(tokenizer.encode, tokenizer.decode)


def load_tiktoken(vocabulary: Vocabulary, pattern: str = PRETOKENIZER_PATTERN) -> Coder:
    """Make the coder that the ids of all others are compared with."""
    import tiktoken

    encoding = tiktoken.Encoding(
        "bench",
        pat_str=pattern,
        mergeable_ranks={token: rank for rank, token in enumerate(vocabulary.tokens)},
        special_tokens=vocabulary.special_tokens,
    )
    return Coder(lambda text: encoding.encode(text, allowed_special="all"), encoding.decode)


def _train_hugging_face(text: str, vocab_size: int) -> Tokens:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(blocks(text, BLOCK_CHARACTERS), trainer)
    return lambda: {bytes(map(_BYTE_OF.__getitem__, token)) for token in tokenizer.get_vocab()}


def _load_hugging_face(vocabulary: Vocabulary) -> Coder:
    from tokenizers import Tokenizer, pre_tokenizers

    tokenizer = Tokenizer.from_file(vocabulary.exported("huggingface"))
    # The byte level's own pattern is GPT-2's too, and faster than the exported `Split`.
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return Coder(
        lambda text: tokenizer.encode(text).ids,
        lambda ids: tokenizer.decode(ids, skip_special_tokens=False),
    )


def _rustbpe(text: str, vocab_size: int) -> Any:  # noqa: ANN401 - a class that has no types
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    text_blocks = blocks(text, BLOCK_CHARACTERS)
    tokenizer.train_from_iterator(text_blocks, vocab_size, pattern=PRETOKENIZER_PATTERN)
    return tokenizer


def _train_rustbpe(text: str, vocab_size: int) -> Tokens:
    tokenizer = _rustbpe(text, vocab_size)
    return lambda: {bytes(token) for token, _ in tokenizer.get_mergeable_ranks()}


def _load_rustbpe(vocabulary: Vocabulary) -> Coder:
    tokenizer = _rustbpe(vocabulary.text, len(vocabulary.tokens))
    return Coder(tokenizer.encode, tokenizer.decode)


def _load_quicktok(vocabulary: Vocabulary) -> Coder:
    import quicktok
    from tokenizers import Regex, Tokenizer, pre_tokenizers

    folder = vocabulary.path.parent
    if not (folder / "bench.enc").exists():
        path = vocabulary.exported("huggingface")
        exported = Tokenizer.from_file(path)
        exported.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(CL100K_PATTERN), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        exported.save(path)
        quicktok.import_tokenizer(path, "bench", data_dir=str(folder))
    tokenizer = quicktok.Tokenizer("bench", str(folder))
    return Coder(tokenizer.encode_with_special, tokenizer.decode)


def _train_bpeasy(text: str, vocab_size: int) -> Tokens:
    import bpeasy

    longest = len(text) * 4  # tokens as long as they come
    text_blocks = blocks(text, BLOCK_CHARACTERS)
    ranks = bpeasy.train_bpe(text_blocks, PRETOKENIZER_PATTERN, longest, vocab_size)
    return lambda: set(ranks)


def _train_gigatoken(text: str, vocab_size: int) -> Tokens:
    import gigatoken

    vocab, _ = gigatoken.train_bpe(text.encode("utf-8"), vocab_size, [])
    return lambda: set(vocab.values())


def _load_gigatoken(vocabulary: Vocabulary) -> Coder:
    import gigatoken

    tokenizer = gigatoken.Tokenizer.from_tiktoken(
        vocabulary.exported("tiktoken"),
        pretokenizer="gpt2",
        special_tokens=vocabulary.special_tokens,
    )
    return Coder(
        lambda text: tokenizer.encode_batch_list([text], parallel=threads() > 1)[0],
        lambda ids: tokenizer.decode(ids).decode("utf-8"),
    )


PACKAGES: Final = {
    "bpetite": ("bpetite-core",),
    "tiktoken": ("tiktoken",),
    "Hugging Face": ("tokenizers",),
    "rustbpe": ("rustbpe",),
    "quicktok": ("quicktok-v1", "tokenizers"),
    "bpeasy": ("bpeasy",),
    "gigatoken": ("gigatoken",),
}
"""The libraries, and the packages that each needs. tiktoken is what others are compared with."""

TRAINERS: Final[dict[str, Callable[[str, int], Tokens]]] = {
    "bpetite": _train_bpetite,
    "Hugging Face": _train_hugging_face,
    "rustbpe": _train_rustbpe,
    "bpeasy": _train_bpeasy,
    "gigatoken": _train_gigatoken,
}
"""Learn so many tokens from a text."""

LOADERS: Final[dict[str, Callable[[Vocabulary], Coder]]] = {
    "bpetite": _load_bpetite,
    "tiktoken": load_tiktoken,
    "Hugging Face": _load_hugging_face,
    "rustbpe": _load_rustbpe,
    "quicktok": _load_quicktok,
    "gigatoken": _load_gigatoken,
}
"""Make a coder with our vocabulary, which is not timed."""

PATTERNS: Final = {"quicktok": CL100K_PATTERN}
"""The split patterns that are not ours. The ids must be tiktoken's with the same pattern."""
