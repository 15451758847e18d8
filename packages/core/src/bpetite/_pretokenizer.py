"""`pretokenize` with the signature of the specification, on top of `_patterns`."""

from bpetite._patterns import GPT2


def pretokenize(text: str) -> list[bytes]:
    r"""Return the chunks of a text by GPT-2's pattern, in order, as UTF-8.

    Args:
        text: any text, even "". Nothing is normalized, folded, added or trimmed.

    Returns:
        Chunks of one byte or more; joined, they are the UTF-8 of the text.

    Raises:
        UnicodeEncodeError: the text contains a lone surrogate.

    >>> pretokenize("You'll  see\n")
    [b'You', b"'ll", b' ', b' see', b'\n']
    """
    return [chunk.encode("utf-8") for chunk in GPT2.split(text)]
