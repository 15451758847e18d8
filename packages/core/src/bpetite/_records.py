"""The log records of training, which the logger `bpetite` emits at level INFO."""

import logging
from typing import Final

__all__ = ["log"]

_LOGGER: Final = logging.getLogger("bpetite")


def log(event: str, message: str, **figures: object) -> None:
    """Emit a record, with the event and its figures as attributes.

    start     vocab_size, as wanted
    count     documents and characters so far; about every 16 million characters
    counted   documents, characters, distinct_chunks
    merge     merges and merges_wanted; of the last token the first 40 bytes, and its
              count; every 100 merges
    end       vocab_size, as wanted; mergeable_vocab_size, as learned
    """
    _LOGGER.info(message, extra={"event": event, **figures})
