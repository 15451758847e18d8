"""Exercise 12: the vocabularies of different corpora.

This exercise uses bpetite's own tokenizer. The texts come from the files that you name. A story,
and Python sources and a JSON file of this project are already listed; any UTF-8 text files will do.
"""

from given import CODE, JSON, PROSE

FILES: dict[str, list[str]] = {"prose": PROSE, "code": CODE, "json": JSON}


def learned_tokens(corpus: str, vocab_size: int) -> list[bytes]:
    """Return the tokens that bpetite learns from a corpus, in the order of learning.

    The 256 bytes and the special token are not learned. `Tokenizer.save` writes a JSON file that
    has the bytes of every id under "vocab": `{"0": [0], ..., "256": [116, 104], ...}`. A small
    corpus gives fewer tokens than asked for; "mergeable_vocab_size" says how many there are.

    >>> learned_tokens("ab ab ab", 258)
    [b'ab', b' ab']
    """
    raise NotImplementedError


def bytes_per_token(corpus: str, text: str, vocab_size: int) -> float:
    """Return the average number of bytes of a text in one token.

    Train the tokenizer on the corpus and encode the text, which is not empty.

    >>> bytes_per_token("ab ab ab", "ab abc", 258)
    2.0
    """
    raise NotImplementedError


# Use the two functions to answer, for your files and a vocabulary of 512:

# Of the tokens learned from the prose, how many are also learned from the code: "fewer than half"
# or "more than half"?
SHARED = ""

# Which text gets the most bytes per token with its own vocabulary: "prose", "code" or "json"?
BEST = ""

# Which text gets the fewest bytes per token, and with the vocabulary of which corpus? For example
# "code by code".
WORST = ""

# Train on the first half of the prose. Does the second half get "more" or "fewer" bytes per token
# than the first half?
UNSEEN = ""

# Use a vocabulary of 1,024 instead of 512, for code trained on code. How many times as many bytes
# per token does that give: "twice", "less than twice" or "more than twice"?
DOUBLED = ""
