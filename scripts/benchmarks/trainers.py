"""Train another library's tokenizer on a file, and save the tokens as JSON.

    python trainers.py LIBRARY FILE VOCAB_SIZE OUTPUT [PATTERN]

The benchmark times the whole process, as it does for `bpetite train`, so this file imports nothing
else. The libraries in Rust use one thread for each core, or `RAYON_NUM_THREADS`.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from bpetite._boundaries import blocks
from bpetite._patterns import GPT2, Pattern, pattern_named
from bpetite_cli.io.inputs import read_text
from bpetite_cli.terminal.progress import Work

_BLOCK_CHARACTERS: Final = 1 << 14


def _blocks_of(path: str) -> Iterator[str]:
    """Read a file block by block, as `bpetite train` does: the text is never in memory at once."""
    for text in read_text(path, Work("reading")):
        yield from blocks(text, _BLOCK_CHARACTERS)


def train_hugging_face(path: str, vocab_size: int, pattern: Pattern) -> Iterable[bytes]:
    r"""Train with `train_from_iterator`: faster than `train`, which also cuts "\n\n" in two."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    # The byte level's own pattern is GPT-2's, and faster than a `Split`.
    own = pattern is GPT2
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=own)
    cut = pre_tokenizers.Split(Regex(pattern.text), "isolated")
    tokenizer.pre_tokenizer = byte_level if own else pre_tokenizers.Sequence([cut, byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_blocks_of(path), trainer)
    # Printable bytes are their own letters; the others, in order, are U+0100 and following.
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in printable]
    byte_of = {chr(value): value for value in printable}
    byte_of |= {chr(0x100 + place): value for place, value in enumerate(others)}
    return (bytes(map(byte_of.__getitem__, token)) for token in tokenizer.get_vocab())


def train_rustbpe(path: str, vocab_size: int, pattern: Pattern) -> Iterable[bytes]:
    """Train; rustbpe counts the blocks in all threads."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(_blocks_of(path), vocab_size, pattern=pattern.text)
    return (token for token, _ in tokenizer.get_mergeable_ranks())


def train_gigatoken(path: str, vocab_size: int, pattern: Pattern) -> Iterable[bytes]:
    """Train; gigatoken takes bytes and uses GPT-2's pattern."""
    import gigatoken

    if pattern is not GPT2:
        raise ValueError("it has only GPT-2's pattern")
    vocab, _ = gigatoken.train_bpe(Path(path).read_bytes(), vocab_size, [])
    tokens: Iterable[bytes] = vocab.values()
    return tokens


TRAINERS: Final[dict[str, Callable[[str, int, Pattern], Iterable[bytes]]]] = {
    "Hugging Face": train_hugging_face,
    "rustbpe": train_rustbpe,
    "gigatoken": train_gigatoken,
}

if __name__ == "__main__":
    library, source, size, output, *name = sys.argv[1:]
    found = TRAINERS[library](source, int(size), pattern_named(*name) if name else GPT2)
    Path(output).write_text(json.dumps([token.hex() for token in found]), encoding="ascii")
