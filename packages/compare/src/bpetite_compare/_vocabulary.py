"""The ids and special tokens of a tokenizer in another library.

An export may have more special tokens than the tokenizer file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Self

from bpetite._inner import Artifact, checked_special_tokens
from bpetite_compare._letters import of_letters


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A tokenizer with its ids and special tokens in another library.

    artifact: the tokenizer.
    ranks: the id of each token that is not special, by its bytes, in the order of ids.
    special_tokens: the id of each special token by its text, the tokenizer's own first.
    """

    artifact: Artifact
    ranks: Mapping[bytes, int]
    special_tokens: Mapping[str, int]

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
        more = [*special_tokens]
        checked_special_tokens([*artifact.special_names, *more], "exported")
        first = max(artifact.ids) + 1
        special = artifact.special_tokens | {name: one for one, name in enumerate(more, first)}
        ranks = dict(sorted(zip(artifact.tokens, artifact.ids, strict=False), key=itemgetter(1)))
        for name in special:
            _check_token(name, ranks)
        return cls(artifact, ranks, special)


def _check_token(name: str, ranks: Mapping[bytes, int]) -> None:
    """Reject the text of a mergeable token, or its letters, which are its key in `vocab.json`."""
    found = ranks.get(name.encode("utf-8"), ranks.get(of_letters(name) or b""))
    if found is not None:
        raise ValueError(
            f"the special token {name[:40]!r} is already the ordinary token {found}; "
            "choose another name"
        )
