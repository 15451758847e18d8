"""The conditions on merges, vocabulary and shuffle under which the claim is true."""

from collections.abc import Mapping, Sequence

from bpetite_compare.reference._kernel import Pair

__all__ = ["build_vocab", "check_well_formed"]


def build_vocab(merges: Mapping[Pair, int]) -> dict[int, bytes]:
    """Return the vocabulary that merges make: the 256 bytes, and what each merge joins.

    Lemma (construction): it is well formed with these merges, unless two tokens come out
    with the same bytes.

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
    """Check what the round trip is proved from.

    Lemma (well-formedness): what `build_vocab` makes of recovered merges passes, and what
    breaks any one of the four conditions does not.

    Raises:
        ValueError: a condition is broken; the message says which, and by what.
    """
    for value in range(256):
        if vocab.get(value) != bytes([value]):
            message = f"base tokens: id {value} stands for {vocab.get(value)!r}, not for its byte"
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
            message = f"injectivity: ids {ids_of[token]} and {token_id} both stand for {token!r}"
            raise ValueError(message)
    if sorted(byte_shuffle) != list(range(256)):
        message = "shuffle: it is not a permutation of the 256 bytes"
        raise ValueError(message)
