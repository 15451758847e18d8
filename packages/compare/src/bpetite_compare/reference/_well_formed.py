"""The conditions on merges, vocabulary and shuffle that make the claim true."""

from collections.abc import Mapping, Sequence

from bpetite_compare.reference._kernel import Pair


def build_vocab(merges: Mapping[Pair, int]) -> dict[int, bytes]:
    """Return the vocabulary of merges: the 256 bytes, and the bytes that each merge joins.

    Lemma (construction): merges and vocabulary are well formed unless two tokens have the
    same bytes.

    >>> build_vocab({(97, 98): 256, (256, 99): 257})[257]
    b'abc'
    """
    vocab = {value: bytes([value]) for value in range(256)}
    for (left, right), new_id in sorted(merges.items(), key=lambda item: item[1]):
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


def check_well_formed(
    merges: Mapping[Pair, int], vocab: Mapping[int, bytes], byte_shuffle: Sequence[int]
) -> None:
    """Check the four conditions that the proof of the round trip needs.

    Lemma (well-formedness): recovered merges and the vocabulary that `build_vocab` makes of
    them pass; anything that violates a condition fails.

    Raises:
        ValueError: a condition is violated; the message names it.
    """
    for value in range(256):
        if vocab.get(value) != bytes([value]):
            message = (
                f"base tokens: id {value} has the bytes {vocab.get(value)!r}, not its own byte"
            )
            raise ValueError(message)
    for (left, right), new_id in merges.items():
        parts = vocab.get(left), vocab.get(right)
        if None in parts or not all(parts) or vocab.get(new_id) != b"".join(filter(None, parts)):
            message = (
                f"merges: id {new_id} is not the bytes of {left} and {right}, joined and non-empty"
            )
            raise ValueError(message)
    ids_of: dict[bytes, int] = {}
    for token_id, token in vocab.items():
        if ids_of.setdefault(token, token_id) != token_id:
            message = (
                f"injectivity: ids {ids_of[token]} and {token_id} have the same bytes, {token!r}"
            )
            raise ValueError(message)
    if sorted(byte_shuffle) != list(range(256)):
        message = "shuffle: it is not a permutation of the 256 bytes"
        raise ValueError(message)
