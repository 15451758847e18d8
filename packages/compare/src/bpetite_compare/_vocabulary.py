"""The ids and special tokens of a tokenizer in another library.

An export may have more special tokens than the tokenizer file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Self

from bpetite._artifact import Artifact
from bpetite._patterns import Pattern
from bpetite_compare._letters import of_letters


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A tokenizer with its ids and special tokens in another library.

    ranks: the id of each token that is not special, by its bytes, in the order of ids.
    merges: the bytes of the two tokens that each merge joins, in the order of ranks.
    special_tokens: the id of each special token by its text, the tokenizer's own first.
    pattern: the split pattern.
    whole: whether some tokens are only whole chunks, made by no merge.
    """

    ranks: Mapping[bytes, int]
    merges: Sequence[tuple[bytes, bytes]]
    special_tokens: Mapping[str, int]
    pattern: Pattern
    whole: bool

    @classmethod
    def of(cls, artifact: Artifact, special_tokens: Iterable[str] = ()) -> Self:
        """Return the vocabulary of a tokenizer whose tokens have distinct bytes.

        Args:
            artifact: the tokenizer.
            special_tokens: more special tokens; their ids follow the last one.

        Raises:
            TypeError: `special_tokens` is a single `str`, or contains something other than `str`.
            ValueError: not every library can use a special token; the message explains why.
        """
        if isinstance(special_tokens, str):
            names = f"[{special_tokens[:40]!r}]"
            raise TypeError(f"special_tokens must be a list of str, such as {names}, got str")
        special = artifact.special_tokens
        for token_id, name in enumerate(special_tokens, max(artifact.ids) + 1):
            _check_name(name)
            for other in special:
                _check_pair(name, other)
            special[name] = token_id
        ranks = dict(sorted(zip(artifact.tokens, artifact.ids, strict=False), key=itemgetter(1)))
        for name in special:
            _check_token(name, ranks)
        return cls(
            ranks,
            [(artifact.tokens[left], artifact.tokens[right]) for left, right in artifact.merges],
            special,
            artifact.pattern,
            bool(artifact.whole_tokens),
        )


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"special tokens must be str, got {type(name).__name__}")
    if not name:
        raise ValueError("special tokens cannot be empty")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            f"the special token {name[:40]!r} has a lone surrogate, which is not text"
        ) from None


def _check_pair(name: str, other: str) -> None:
    """Reject a special token that starts with another: libraries differ on which one wins."""
    if name == other:
        raise ValueError(f"the special token {name[:40]!r} occurs twice, or is the tokenizer's own")
    if name.startswith(other) or other.startswith(name):
        raise ValueError(
            f"one of the special tokens {other[:40]!r} and {name[:40]!r} starts with the other, "
            "so libraries would disagree on which one a text has; rename one"
        )


def _check_token(name: str, ranks: Mapping[bytes, int]) -> None:
    """Reject the text of a mergeable token, or its letters, which are its key in `vocab.json`."""
    found = ranks.get(name.encode("utf-8"), ranks.get(of_letters(name) or b""))
    if found is not None:
        raise ValueError(
            f"the special token {name[:40]!r} is already the ordinary token {found}; "
            "choose another name"
        )
