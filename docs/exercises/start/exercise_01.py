"""Exercise 1: merge by hand.

The corpus:

    low low low low lower lower newest newest newest newest newest newest

Its chunks, and how often each occurs (a space belongs to the word after it):

    "low" 1     " low" 3     " lower" 2     " newest" 6

In a tie, merge the pair with the smallest left id, then the smallest right id. The id of a byte is
the byte: 32 for a space, 97 to 122 for "a" to "z". New tokens get the ids 256, 257 and so on.
"""

# The first four merges, in order. A merge is a pair of tokens, each written as its text:
# ("a", "b") makes the token "ab", and then ("ab", "c") would make "abc". Write a space as a space,
# as in (" ", "l").
MERGES: list[tuple[str, str]] = []

# The tokens of "lowest" after these four merges. The word is not in the corpus.
LOWEST: list[str] = []
