"""A deterministic byte-level BPE tokenizer in pure Python.

>>> from bpetite import Tokenizer
>>> tokenizer = Tokenizer.train("ab ab ab", vocab_size=258)
>>> tokenizer.encode("ab<|endoftext|>ab")
[256, 258, 256]
"""

from bpetite._tokenizer import Tokenizer

__all__ = ["Tokenizer"]
