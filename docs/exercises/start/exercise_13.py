"""Exercise 13: GPT-2's tokenizer.

Read GPT-2's merges, and encode as tiktoken does with its encoding "gpt2". The page
docs/course/15-gpt-2.md shows where the file comes from, and what is in it.

Import what you wrote before, or the answers: `merge_pair` of exercise 5, `segments` of 10.
"""

from given import Pair


def byte_letters() -> list[tuple[str, int]]:
    """Return each letter of GPT-2's file with the byte it means, in the order of GPT-2's ids.

    First the 188 bytes that are printable in Latin-1: 0x21 to 0x7E, 0xA1 to 0xAC and 0xAE to
    0xFF. The letter of each is `chr(byte)`. Then the other 68 bytes in ascending order. Their
    letters are `chr(256)`, `chr(257)` and so on.

    >>> letters = byte_letters()
    >>> len(letters), letters[0], letters[220]
    (256, ('!', 33), ('Ġ', 32))
    """
    raise NotImplementedError


def read_merges(text: str) -> list[Pair]:
    r"""Return the merges in the text of GPT-2's file.

    The first line is a version. Each other line has the two tokens of a merge, with a space
    between them. Return their ids as in the other exercises: a byte is its own id, and the first
    merge makes 256.

    >>> read_merges("#version: 0.2\nĠ t\nh e\nĠt he\n")
    [(32, 116), (104, 101), (256, 257)]
    """
    raise NotImplementedError


def gpt2_encode(text: str, merges: list[Pair]) -> list[int]:
    """Return GPT-2's ids of a text.

    It is `encode` of exercise 10 with two differences. The id of a byte is its position in
    `byte_letters()`. And it must be fast: GPT-2 has 50,000 merges, but a chunk has few pairs.

    >>> gpt2_encode(" the!<|endoftext|>", [(32, 116), (104, 101), (256, 257)])
    [258, 0, 259]
    """
    raise NotImplementedError


def gpt2_ids(path: str, texts: list[str]) -> list[list[int]]:
    """Return the ids of some texts, using the merges in the file at `path`, which is UTF-8."""
    raise NotImplementedError
