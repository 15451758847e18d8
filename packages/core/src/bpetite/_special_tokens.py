"""Special tokens: find them in text. No other module does.

Not here: which names a tokenizer file may have (`_schema`).
"""

import re
from collections.abc import Mapping


class SpecialTokens:
    """The special tokens of a tokenizer: the id of each exact text."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self.ids = ids
        self._any = re.compile(f"({'|'.join(map(re.escape, ids))})")

    def cut(self, text: str) -> list[str]:
        """Return ordinary text and special tokens in turn, beginning and ending with text.

        >>> SpecialTokens({"<|endoftext|>": 256}).cut("a<|endoftext|>")
        ['a', '<|endoftext|>', '']
        """
        return self._any.split(text) if self.ids else [text]
