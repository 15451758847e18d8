"""Exercise 1: merge by hand.

The corpus:

    low low low low lower lower newest newest newest newest newest newest

Its chunks, and how often each stands there (the space belongs to the word behind it):

    "low" 1     " low" 3     " lower" 2     " newest" 6
"""

# The first four merges, in order. A merge is a pair of tokens, each written as its text:
# ("a", "b") makes the token "ab", and ("ab", "c") would make "abc" of it.
MERGES: list[tuple[str, str]] = []

# The tokens of "lowest", a word that is not in the corpus, after these four merges.
LOWEST: list[str] = []
