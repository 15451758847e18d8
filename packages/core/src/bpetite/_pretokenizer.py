"""The specification's `pretokenize`, on top of `_patterns`."""

from bpetite._patterns import GPT2


def pretokenize(text: str) -> list[bytes]:
    r"""Return the chunks of a text by GPT-2's pattern, in order, as UTF-8.

    >>> pretokenize("You'll  see\n")
    [b'You', b"'ll", b' ', b' see', b'\n']
    """
    return [chunk.encode("utf-8") for chunk in GPT2.split(text)]
