"""Those who learn merges from a text: bpetite and its peers, one function each.

A function takes a corpus whose text is in memory, and a number of tokens, and returns
when the tokens are learned. Each peer has its threads as it has them by default, and gets
the text in the form in which it does best: Hugging Face, rustbpe and bpeasy share blocks
among their threads, gigatoken cuts one text itself. What a function returns lists the
tokens; nobody waits for that but the comparison of the results.
"""

import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import bpetite
from corpora import Corpus, blocks
from ours import ALPHABET, read_artifact

PATTERN: Final = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""

Tokens = Callable[[], set[bytes]]


@dataclass(frozen=True)
class Trainer:
    """A contestant in training.

    module: what must be installed for it, by its import name.
    remark: what it does in another way than bpetite, for the report.
    """

    name: str
    module: str
    remark: str
    train: Callable[[Corpus, int], Tokens]


def train_bpetite(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train with the class that users have."""
    tokenizer = bpetite.Tokenizer.train(corpus.text, vocab_size)

    def tokens() -> set[bytes]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "artifact.json"
            tokenizer.save(path)
            return set(read_artifact(path, corpus).tokens)

    return tokens


def train_hugging_face(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train with GPT-2's pattern, which Hugging Face calls the byte level's regex."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(blocks(corpus.text), trainer)
    byte_of = {character: value for value, character in ALPHABET.items()}
    return lambda: {bytes(map(byte_of.__getitem__, token)) for token in tokenizer.get_vocab()}


def train_rustbpe(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train with the pattern of ours."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(blocks(corpus.text), vocab_size, pattern=PATTERN)
    return lambda: {bytes(token) for token, _ in tokenizer.get_mergeable_ranks()}


def train_bpeasy(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train with the pattern of ours, and tokens as long as they come."""
    import bpeasy

    longest = len(corpus.text) * 4
    ranks = bpeasy.train_bpe(blocks(corpus.text), PATTERN, longest, vocab_size)
    return lambda: set(ranks)


def train_sentencepiece(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train a BPE model of characters, as near to ours as it comes."""
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus.text.splitlines()),
        model_writer=model,
        model_type="bpe",
        vocab_size=vocab_size,
        character_coverage=1.0,
        byte_fallback=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        max_sentence_length=1 << 30,
        minloglevel=2,
    )
    return set


def train_gigatoken(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train on the bytes of the text; the pattern is built in."""
    import gigatoken

    vocab, _ = gigatoken.train_bpe(corpus.text.encode("utf-8"), vocab_size, [])
    return lambda: set(vocab.values())


def train_educational(corpus: Corpus, vocab_size: int) -> Tokens:
    """Train with tiktoken's own pure Python, which is there to be read."""
    from tiktoken import _educational

    ranks = _educational.bpe_train(corpus.text, vocab_size, PATTERN, visualise=None)
    return lambda: set(ranks)


TRAINERS: Final = (
    Trainer("bpetite", "bpetite", "takes the text as one `str`", train_bpetite),
    Trainer(
        "Hugging Face",
        "tokenizers",
        "breaks ties by its own order of the bytes, so a few merges differ",
        train_hugging_face,
    ),
    Trainer("rustbpe", "rustbpe", "learns the same merges", train_rustbpe),
    Trainer("bpeasy", "bpeasy", "breaks ties in another way", train_bpeasy),
    Trainer(
        "gigatoken",
        "gigatoken",
        "breaks ties as Hugging Face does; goes on, with pairs that are nowhere, after the "
        "last pair of the corpus",
        train_gigatoken,
    ),
    Trainer(
        "sentencepiece",
        "sentencepiece",
        "another pattern (words at spaces) and another algorithm, on characters and not on "
        "bytes: the nearest that it has",
        train_sentencepiece,
    ),
)
"""Ours first."""

EDUCATIONAL: Final = Trainer(
    "tiktoken `_educational`",
    "tiktoken",
    "pure Python that is written to be read, on a sample of the text",
    train_educational,
)
