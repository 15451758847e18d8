"""Those who encode and decode: bpetite and its peers, one small class each.

A coder is made from an artifact of ours, which nobody times. All of them run in one
thread, look for the special token where they can, and give and take lists of integers.
"""

from typing import Final, Protocol

import bpetite
from corpora import SPECIAL_TOKEN, blocks
from ours import ALPHABET, Artifact
from trainers import PATTERN

CL100K_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""The pattern of tiktoken's cl100k_base, as tiktoken writes it."""


class Coder(Protocol):
    """A contestant in encoding and decoding.

    modules: what must be installed for it, by import names.
    pattern: the one by which it cuts; its ids are tiktoken's for the same pattern.
    remark: what it does in another way than bpetite, for the report.
    """

    name: str
    modules: tuple[str, ...]
    pattern: str
    remark: str

    def __init__(self, artifact: Artifact) -> None: ...

    def encode(self, text: str) -> list[int]: ...

    def decode(self, ids: list[int]) -> str: ...


class Bpetite(Coder):
    """Ours, as users have it."""

    name = "bpetite"
    modules = ("bpetite",)
    pattern = PATTERN
    remark = "keeps the ids of the words that it has seen"

    def __init__(self, artifact: Artifact) -> None:
        self._tokenizer = bpetite.Tokenizer.load(artifact.path)

    def encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text)

    def decode(self, ids: list[int]) -> str:
        return self._tokenizer.decode(ids)


class Tiktoken(Coder):
    """The reference for speed and for ids."""

    name = "tiktoken"
    modules = ("tiktoken",)
    pattern = PATTERN
    remark = "keeps nothing, so it has no first pass and no warm one"

    def __init__(self, artifact: Artifact) -> None:
        import tiktoken

        self._encoding = tiktoken.Encoding(
            "bench",
            pat_str=self.pattern,
            mergeable_ranks=artifact.ranks,
            special_tokens=artifact.special_tokens,
        )

    def encode(self, text: str) -> list[int]:
        return self._encoding.encode(text, allowed_special="all")

    def decode(self, ids: list[int]) -> str:
        return self._encoding.decode(ids)


class TiktokenCl100k(Tiktoken):
    """The same vocabulary with another pattern: no contestant, but what quicktok must equal."""

    pattern = CL100K_PATTERN


class HuggingFace(Coder):
    """The tokenizers library, by itself."""

    name = "Hugging Face"
    modules = ("tokenizers",)
    pattern = PATTERN
    remark = "also works out the place of each token in the text"

    def __init__(self, artifact: Artifact) -> None:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers

        tokens = ["".join(map(ALPHABET.__getitem__, token)) for token in artifact.tokens]
        vocab = {token: token_id for token_id, token in enumerate(tokens)}
        merges = [(tokens[left], tokens[right]) for left, right in artifact.merges]
        self.tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
        self.tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
            add_prefix_space=False, use_regex=True
        )
        self.tokenizer.decoder = decoders.ByteLevel()
        self.tokenizer.add_special_tokens([SPECIAL_TOKEN])

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text).ids
        return ids

    def decode(self, ids: list[int]) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=False)
        return text


class RustBpe(Coder):
    """Trained by itself on the same text, as it loads no vocabulary."""

    name = "rustbpe"
    modules = ("rustbpe",)
    pattern = PATTERN
    remark = "cannot load a vocabulary, so it is trained on the same text; has no special token"

    def __init__(self, artifact: Artifact) -> None:
        import rustbpe

        self._tokenizer = rustbpe.Tokenizer()
        self._tokenizer.train_from_iterator(
            blocks(artifact.corpus.text), len(artifact.tokens), pattern=PATTERN
        )

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text)
        return ids

    def decode(self, ids: list[int]) -> str:
        text: str = self._tokenizer.decode(ids)
        return text


class Quicktok(Coder):
    """A tokenizer with one scanner for each pattern that it knows; GPT-2's is none of them."""

    name = "quicktok"
    modules = ("quicktok", "tokenizers")
    pattern = CL100K_PATTERN
    remark = "does not know GPT-2's pattern: our vocabulary with the pattern of cl100k_base"

    def __init__(self, artifact: Artifact) -> None:
        import quicktok

        folder = artifact.path.parent
        if not (folder / "bench.enc").exists():
            quicktok.import_tokenizer(self._exported(artifact), "bench", data_dir=str(folder))
        self._tokenizer = quicktok.Tokenizer("bench", str(folder))

    @staticmethod
    def _exported(artifact: Artifact) -> str:
        """Save the vocabulary in the one form that can be imported; return the path."""
        from tokenizers import Regex, pre_tokenizers

        exported = HuggingFace(artifact).tokenizer
        exported.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(CL100K_PATTERN), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        path = str(artifact.path.with_name("quicktok.json"))
        exported.save(path)
        return path

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode_with_special(text)
        return ids

    def decode(self, ids: list[int]) -> str:
        text: str = self._tokenizer.decode(ids)
        return text


class Gigatoken(Coder):
    """The fastest there is; its ids come as a list here, as everybody's do."""

    name = "gigatoken"
    modules = ("gigatoken",)
    pattern = PATTERN
    remark = "its own form for ids is an array, which is faster still"

    def __init__(self, artifact: Artifact) -> None:
        import gigatoken

        self._tokenizer = gigatoken.Tokenizer.from_tiktoken(
            artifact.ranks_path, pretokenizer="gpt2", special_tokens=artifact.special_tokens
        )

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode_batch_list([text], parallel=False)[0]
        return ids

    def decode(self, ids: list[int]) -> str:
        data: bytes = self._tokenizer.decode(ids)
        return data.decode("utf-8")


CODERS: Final[tuple[type[Coder], ...]] = (
    Bpetite,
    Tiktoken,
    HuggingFace,
    RustBpe,
    Quicktok,
    Gigatoken,
)
"""Ours first, then the one that the others are compared with."""
