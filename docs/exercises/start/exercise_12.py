"""Exercise 12: the vocabularies of different corpora.

Here the tokenizer is bpetite's. The texts are the files that you name: a story and Python
sources of this project stand there already; any files of UTF-8 text will do.
"""

from given import CODE, PROSE

FILES: dict[str, list[str]] = {"prose": PROSE, "code": CODE}


def learned_tokens(corpus: str, vocab_size: int) -> list[bytes]:
    """Return the tokens that bpetite learns from a corpus, in the order of learning.

    The 256 bytes and the special token were not learned. `Tokenizer.save` writes a JSON file
    with the bytes of every id under "vocab": `{"0": [0], ..., "256": [116, 104], ...}`.

    >>> learned_tokens("ab ab ab", 258)
    [b'ab', b' ab']
    """
    raise NotImplementedError


def bytes_per_token(corpus: str, text: str, vocab_size: int) -> float:
    """Return how many bytes of a text a token stands for, on average.

    The tokenizer is trained on the corpus and encodes the text, which is not empty.

    >>> bytes_per_token("ab ab ab", "ab abc", 258)
    2.0
    """
    raise NotImplementedError


# Use the two functions to answer, for your files and a vocabulary of 512:

# Which corpus gives more tokens of two bytes and more: "prose", "code" or "the same"?
MORE_LONG_TOKENS = ""

# Which text gets the fewest bytes per token, and by the vocabulary of which corpus? For example
# "code by code".
WORST = ""

# Train on the first half of the prose. Is the second half encoded in more bytes per token than
# the first half, or in fewer? "more" or "fewer"
UNSEEN = ""

# Take a vocabulary of 1,024 instead of 512, of code for code. How many times as many bytes per
# token is that: "twice", "less than twice" or "more than twice"?
DOUBLED = ""
