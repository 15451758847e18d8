"""The one public class: its five methods and three attributes call the modules that do the work."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Self

from bpetite._artifact import Artifact
from bpetite._collector import garbage_collector_paused
from bpetite._corpus import count_corpus
from bpetite._decoder import Decoder
from bpetite._encoder import Encoder
from bpetite._quoting import shortened
from bpetite._trainer import learn_merges, training_start


class Tokenizer:
    """A byte-level BPE tokenizer, made by `Tokenizer.train` or `Tokenizer.load`.

    After training, the ids 0 to 255 are the bytes, those from 256 on the merges, in the order of
    learning, and the last ones the special tokens. A file of schema version 3 or 4 has other ids.

    A tokenizer never changes. Threads can share it, and it can be pickled and copied.
    """

    __slots__ = ("_artifact", "_decoder", "_encoder")

    _artifact: Artifact
    _encoder: Encoder | None
    _decoder: Decoder | None

    def __init__(self) -> None:
        raise TypeError("a tokenizer is made by Tokenizer.train(...) or Tokenizer.load(...)")

    @classmethod
    def train(  # noqa: PLR0913 - all but two are settings with a default
        cls,
        corpus: str | Iterable[str] | Mapping[str, int],
        vocab_size: int,
        *,
        start: "Tokenizer | None" = None,
        pattern: str | None = None,
        special_tokens: Sequence[str] | None = None,
        keep_ids: bool = False,
    ) -> Self:
        """Learn a tokenizer from text.

        The result depends only on the documents, the arguments and the Unicode tables of the
        package `regex`: not on the order of the documents, the hash seed, the operating system or
        the version of Python. Progress is logged to `bpetite` at level INFO.

        Args:
            corpus: one document, an iterable of documents, which is read once, or a mapping such as
                `collections.Counter` from each document to its repetitions. No token spans two
                documents. Special tokens in them are ordinary text. To train as the command does,
                use `open(path, encoding="utf-8", newline="").read()`, because Python would turn
                CRLF into LF. A path is text, and an open file is an iterable of lines; both are
                logged as a warning.
            vocab_size: the number of mergeable tokens, 256 or more. Special tokens are extra.
            start: a tokenizer to continue, with its pattern, merges and special tokens. On the same
                corpus, the result is that of one long training. Special tokens move behind the new
                tokens, which shifts rows of a model, unless keep_ids is true.
            pattern: the name of the split pattern, such as `gpt4`. By default `gpt2`, or that of
                start.
            special_tokens: at most 4,096 texts, by default `<|endoftext|>` alone; `[]` is none.
                With start, they are added to its own.
            keep_ids: whether special tokens of start keep their ids too, as they do in any case in
                schema version 3 or 4. New tokens get the ids after the highest one, then added
                special tokens. If new merges make the bytes of a whole token, it keeps its id.

        Returns:
            A tokenizer of that size, or a smaller one if the corpus has no pair left.

        Raises:
            TypeError: an argument, a document or a count has a wrong type.
            ValueError: a count is below 1, vocab_size is below 256 or the size of start, the
                pattern is unknown or not that of start, a special token breaks a rule, keep_ids
                lacks start or start has two tokens with the same bytes, or the tokenizer file
                would exceed 1,114,112 mergeable tokens, 64 MiB or the id 2,097,151.
            UnicodeEncodeError: a document contains a lone surrogate; the error has its index.

        >>> Tokenizer.train({"low": 1000, " lower": 200}, vocab_size=258)
        <bpetite.Tokenizer: pattern gpt2, 259 ids, special tokens ['<|endoftext|>']>
        >>> chat = Tokenizer.train("ab ab", 257, pattern="gpt4", special_tokens=["<|user|>"])
        >>> chat.encode("<|user|>ab")
        [257, 256]
        """
        if not isinstance(start, Tokenizer | None):
            raise TypeError(f"start must be a Tokenizer, got {type(start).__name__}")
        artifact = start._artifact if start else None
        begin = training_start(artifact, pattern, special_tokens, keep_ids=keep_ids)
        learned, _ = learn_merges(count_corpus(corpus, begin.pattern), vocab_size, begin)
        return cls._of(learned)

    def encode(self, text: str, *, ordinary: bool | Sequence[tuple[int, int]] = False) -> list[int]:
        """Return the ids of a text.

        Every special token in the text, such as `<|endoftext|>`, becomes its id, unless it overlaps
        an ordinary part. Untrusted text should be ordinary.

        Args:
            text: any text; "" has no ids.
            ordinary: whether special tokens are text like any other; or the parts of the text in
                which they are, as pairs of positions of characters, the end exclusive. Parts may
                overlap and come in any order.

        Returns:
            At most one id for each byte of the text in UTF-8.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a part is not inside the text.
            UnicodeEncodeError: text contains a lone surrogate; the error has its index.

        >>> tokenizer = Tokenizer.train("ab ab ab", vocab_size=258)
        >>> tokenizer.encode("ab ab abc")
        [256, 257, 257, 99]
        >>> typed = "<|endoftext|>"
        >>> len(tokenizer.encode(f"{typed}<|endoftext|>", ordinary=[(0, len(typed))]))
        14
        """
        # Built on first use, as the decoder is. Two threads may build equal ones.
        if (encoder := self._encoder) is None:
            artifact = self._artifact
            with garbage_collector_paused():
                ids_of_chunk = artifact.ids_of_chunks()
                encoder = Encoder(ids_of_chunk, artifact.pattern, artifact.special_tokens)
            self._encoder = encoder
        return encoder.encode(text, ordinary=ordinary)

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of ids: `decode(encode(text)) == text` for every text.

        Args:
            token_ids: a sequence of integers; of a NumPy array, its `tolist()`.

        Raises:
            KeyError: an id is not in the vocabulary.
            TypeError: an id is not an integer, for example `True` or `1.0`, or token_ids is
                `bytes`, a `str`, a set or a mapping.
            UnicodeDecodeError: the joined bytes are not UTF-8; a character may be incomplete.

        >>> Tokenizer.train("ab ab ab", vocab_size=258).decode([256, 257, 258])
        'ab ab<|endoftext|>'
        """
        if (decoder := self._decoder) is None:
            artifact = self._artifact
            decoder = Decoder(artifact.vocab if artifact.numbering else artifact.table)
            self._decoder = decoder
        return decoder.decode(token_ids)

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the tokenizer file: JSON, always with the same bytes for the same tokenizer.

        The file appears only when it is complete, and is on the disk when `save` returns. An
        overwritten file keeps its mode, and an overwritten symbolic link is kept: its target is
        replaced.

        Args:
            path: the path of the file; its folder must exist.
            overwrite: whether an existing file may be replaced.

        Raises:
            FileExistsError: the path exists, even as a dangling link, and `overwrite` is false.
            OSError: the folder does not exist, the system does not allow it, or the path is a
                folder, a device, a FIFO or a socket. An existing file is unchanged.
        """
        self._artifact.write(path, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a tokenizer file, after checking all of it.

        Args:
            path: a regular file of at most 64 MiB.

        Raises:
            KeyError: a required key is missing.
            ValueError: the content is invalid in another way.
            OSError: the file cannot be read.
        """
        return cls._of(Artifact.read(path))

    @classmethod
    def _of(cls, artifact: Artifact) -> Self:
        """Return the tokenizer of an artifact; `_artifact` is the way back."""
        self = cls.__new__(cls)
        self._artifact = artifact
        self._encoder = self._decoder = None
        return self

    @property
    def mergeable_vocab_size(self) -> int:
        """The number of tokens that are not special: what training reached of its `vocab_size`."""
        return len(self._artifact.tokens)

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """The id of each special token, in the order of ids; it cannot be changed.

        >>> Tokenizer.train("ab ab ab", vocab_size=258).special_tokens["<|endoftext|>"]
        258
        """
        return MappingProxyType(self._artifact.special_tokens)

    @property
    def vocab(self) -> Mapping[int, bytes]:
        """The bytes of each id, in the order of ids, with special tokens; it cannot be changed.

        >>> vocab = Tokenizer.train("ab ab ab", vocab_size=258).vocab
        >>> len(vocab), vocab[257]
        (259, b' ab')
        """
        return MappingProxyType(self._artifact.vocab)

    def __reduce__(self) -> tuple[Callable[[Artifact], Self], tuple[Artifact]]:
        # Pickled and copied by its data; the caches of the encoder and of the artifact stay behind.
        return type(self)._of, (replace(self._artifact),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self._artifact == other._artifact

    def __hash__(self) -> int:
        return hash((len(self._artifact.merges), *self._artifact.merges[-1:]))

    def __repr__(self) -> str:
        artifact, special = self._artifact, shortened([*self.special_tokens])
        pattern, ids = artifact.pattern.name, len(artifact.ids)
        return f"<bpetite.Tokenizer: pattern {pattern}, {ids:,} ids, special tokens {special}>"
