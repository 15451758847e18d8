"""The figures of a training: collected while it runs, and summarized at the end."""

import logging

__all__ = ["Training"]


class Training(logging.Handler):
    """What is known of a training, from what is read and from the records of the core."""

    def __init__(self) -> None:
        super().__init__()
        self.corpus_bytes = 0  # of the texts, in UTF-8
        self.mergeable_vocab_size = 0
        self.ending = ""
        self.seconds = 0.0

    def advance(self, size: int) -> None:
        """Take note of bytes that have been read."""

    def note(self, text: str, count: int = 1) -> None:
        """Take note of a text that is read."""
        self.corpus_bytes += len(text.encode("utf-8")) * count

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a record of the core."""
        match vars(record):
            case {"event": "end", "mergeable_vocab_size": int(size)}:
                self.mergeable_vocab_size = size
                self.ending = record.getMessage()
