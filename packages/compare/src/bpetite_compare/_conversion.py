"""Convert a tokenizer trained elsewhere to one of bpetite.

An import makes a file of schema version 1, which requires GPT-2's pattern, the 256 bytes first,
each merge with the next id, and `<|endoftext|>` last. If a tokenizer differs in more than its
ids, the error explains how. The ids of each chunk of a text in many scripts are checked against
a slow encoder that uses the other file's own merges.
"""

from collections.abc import Collection
from typing import Final

import regex

from bpetite._artifact import Artifact
from bpetite._constants import END_OF_TEXT_TOKEN
from bpetite._patterns import GPT2
from bpetite_compare._engines import drift
from bpetite_compare._foreign import Foreign, check_ids
from bpetite_compare._letters import BYTE_LETTERS, of_letters
from bpetite_compare._soundness import find_unreachable

_MOST_NAMES: Final = 8


def convert(foreign: Foreign, *, drop_special: bool) -> tuple[Artifact, list[int], dict[str, int]]:
    """Return the tokenizer, the original id of each of its ids, and the dropped special tokens.

    Raises:
        ValueError: a tokenizer file cannot represent it; the message explains why.
    """
    _check_whole_chunks(foreign)
    special, dropped = _special_token(foreign, drop_special=drop_special)
    artifact, ids = _converted(foreign, special)
    check_ids(foreign, artifact, ids)
    return artifact, ids, dropped


def some_names(names: Collection[str]) -> str:
    """Return the first names for a message, and how many more there are."""
    shown = ", ".join(f"{name!r:.40}" for name in list(names)[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _unmade(foreign: Foreign) -> dict[str, int]:
    """Return the tokens of the vocabulary that are neither bytes nor made by a merge."""
    made = set(BYTE_LETTERS.values())
    made.update(left + right for left, right in foreign.merges)
    return {text: token_id for text, token_id in foreign.vocab.items() if text not in made}


def _check_whole_chunks(foreign: Foreign) -> None:
    """Reject a token that no merge makes if a chunk that equals it would get its id.

    A chunk alone is one chunk. Characters that the regex engines classify differently may be
    part of any.
    """
    for text in _unmade(foreign) if foreign.takes_whole_chunks else ():
        try:
            chunk = (of_letters(text) or b"").decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(regex.findall(GPT2.text, chunk)) == 1 or not drift().isdisjoint(chunk):
            raise ValueError(
                f"its token {text[:40]!r} is not made by a merge, but with ignore_merges the "
                f"chunk {chunk[:40]!r} gets its id, which a tokenizer file cannot represent"
            )


def _special_token(foreign: Foreign, *, drop_special: bool) -> tuple[int, dict[str, int]]:
    """Return the original id of `<|endoftext|>`, and the special tokens to drop.

    If the tokenizer does not have it, the id is the lowest free one.
    """
    dropped = {**_unmade(foreign), **foreign.special_tokens}
    taken = {*foreign.vocab.values(), *dropped.values()}
    special = dropped.pop(END_OF_TEXT_TOKEN, None)
    if dropped and not drop_special:
        raise ValueError(
            f"it has the special tokens {some_names(dropped)}, but an import keeps only "
            f"{END_OF_TEXT_TOKEN}; --drop-special (drop_special=True) drops them"
        )
    if special is None:
        special = next(free for free in range(len(taken) + 1) if free not in taken)
    return special, dropped


def _converted(foreign: Foreign, special: int) -> tuple[Artifact, list[int]]:
    """Return the converted tokenizer, and the original id of each of its ids."""
    new_ids = {letter: value for value, letter in BYTE_LETTERS.items()}
    pairs: list[tuple[int, int]] = []
    for new_id, (left, right) in enumerate(foreign.merges, 256):
        pairs.append((new_ids[left], new_ids[right]))
        new_ids[left + right] = new_id
    artifact = Artifact.of_merges(pairs)
    if foreign.takes_whole_chunks and (fault := find_unreachable(artifact)):
        raise ValueError(fault)
    ids = [0] * len(artifact.tokens)
    for text, new_id in new_ids.items():
        ids[new_id] = foreign.vocab[text]
    if special in ids:
        raise ValueError(f"its special token {END_OF_TEXT_TOKEN} is also an ordinary token")
    return artifact, [*ids, special]
