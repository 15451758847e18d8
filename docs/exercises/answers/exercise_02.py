"""Exercise 2: text to bytes, and back."""


def to_ids(text: str) -> list[int]:
    """Return the bytes of a text in UTF-8, each as an integer from 0 to 255."""
    return list(text.encode("utf-8"))


def to_text(ids: list[int]) -> str:
    """Return the text whose UTF-8 is these bytes; what is no UTF-8 is an error."""
    return bytes(ids).decode("utf-8")
