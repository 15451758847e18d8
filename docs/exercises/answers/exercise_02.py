"""Exercise 2: text to bytes, and back."""


def to_ids(text: str) -> list[int]:
    """Return the UTF-8 bytes of a text, each as an integer from 0 to 255."""
    return list(text.encode("utf-8"))


def to_text(ids: list[int]) -> str:
    """Return the text that has these UTF-8 bytes; other bytes raise an error."""
    return bytes(ids).decode("utf-8")
