"""Exercise 9: decode."""


def decode(ids: list[int], vocab: dict[int, bytes]) -> str:
    """Return the text of ids.

    Args:
        ids: what `encode` returned, or other ids.
        vocab: the bytes of every id, as `vocabulary` of exercise 7 returns them.

    Raises:
        KeyError: an id is not in vocab.
        UnicodeDecodeError: the bytes of all the ids together are not UTF-8.

    >>> decode([72, 256], {72: b"H", 256: b"i!"})
    'Hi!'
    """
    raise NotImplementedError
