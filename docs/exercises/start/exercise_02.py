"""Exercise 2: text to bytes, and back."""


def to_ids(text: str) -> list[int]:
    """Return the bytes of a text in UTF-8, each as an integer from 0 to 255.

    >>> to_ids("Hi")
    [72, 105]
    >>> to_ids("é")
    [195, 169]
    """
    raise NotImplementedError


def to_text(ids: list[int]) -> str:
    """Return the text whose UTF-8 is these bytes.

    Raises:
        UnicodeDecodeError: the bytes are not UTF-8. Nothing is replaced or left out.

    >>> to_text([195, 169])
    'é'
    """
    raise NotImplementedError
