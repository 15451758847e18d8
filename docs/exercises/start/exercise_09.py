"""Exercise 9: decode."""

from given import Pair


def vocabulary(merges: list[Pair]) -> dict[int, bytes]:
    """Return the bytes of every id: 256 single bytes, then the bytes that each merge joined.

    >>> vocabulary([(97, 98), (256, 99)])[257]
    b'abc'
    """
    raise NotImplementedError


def decode(ids: list[int], vocab: dict[int, bytes]) -> str:
    """Return the text of ids.

    Raises:
        KeyError: an id is not in vocab.
        UnicodeDecodeError: the bytes of all the ids together are not UTF-8.

    >>> decode([72, 256], {72: b"H", 256: b"i!"})
    'Hi!'
    """
    raise NotImplementedError
