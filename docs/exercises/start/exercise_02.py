"""Exercise 2: text to bytes, and back."""


def to_ids(text: str) -> list[int]:
    """Return the UTF-8 bytes of a text, each as an integer from 0 to 255.

    >>> to_ids("Hi")
    [72, 105]
    >>> to_ids("é")
    [195, 169]
    """
    raise NotImplementedError


def to_text(ids: list[int]) -> str:
    """Return the text that has these UTF-8 bytes.

    Raises:
        UnicodeDecodeError: the bytes are not UTF-8. Do not replace or drop any of them.

    >>> to_text([195, 169])
    'é'
    """
    raise NotImplementedError
