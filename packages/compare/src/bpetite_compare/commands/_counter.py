"""A tiktoken encoding by its name, for `--model` of the commands of bpetite-cli.

tiktoken itself counts: it is faster than a tokenizer made from the encoding, with the same ids.
"""

from collections.abc import Collection, Mapping
from typing import TypeAlias

import tiktoken

from bpetite._inner import Artifact, quoted
from bpetite_cli import for_compare as cli
from bpetite_compare._conversion import converted
from bpetite_compare._encodings import (
    cuts_safely,
    encode,
    encoding_for,
    get_encoding,
    known_names,
    make_encoding,
    pattern_of,
    ranks_of,
    specials_of,
)
from bpetite_compare._foreign import Options
from bpetite_compare._from_ranks import read_encoding

_Parts: TypeAlias = tuple[str, str, Mapping[bytes, int], Mapping[str, int]]
"""What `make_encoding` takes."""


def encoding_of(name: str) -> str:
    """Return the encoding with this name, or that of the model with this name.

    Raises:
        Failure: tiktoken knows neither.
    """
    encoding = encoding_for(name)
    if encoding is None:
        way_out = cli.tips.meant(name, known_names()) or f"\n{cli.tips.FOR_A_MODEL}"
        raise cli.Failure(
            f"{quoted(name)} is neither a file nor a name that tiktoken knows{way_out}"
        )
    if name not in known_names():  # tiktoken knows some models only by the begin of their names
        cli.messages.say(
            f"{quoted(name)} is unknown; as its name begins, tiktoken takes {encoding}"
        )
    elif encoding != name:
        cli.messages.say(f"{quoted(name)} has the encoding {encoding}")
    return encoding


def make_counter(name: str, ordinary: bool, download: bool) -> "_EncodingCounter":
    """Return an encoding as above; if `ordinary`, no token of a text that it counts is special.

    Raises:
        Failure: tiktoken does not know the name.
        OSError: the encoding cannot be read or downloaded.
    """
    encoding = get_encoding(encoding_of(name), download=download)
    return _EncodingCounter(encoding, () if ordinary else encoding.special_tokens_set)


class _EncodingCounter:
    """Counts the tokens of text with an encoding.

    in_blocks: whether the pattern splits where blocks end.
    """

    def __init__(self, encoding: tiktoken.Encoding, special: Collection[str]) -> None:
        self.in_blocks = cuts_safely(encoding)
        self._encoding = encoding
        self._special = special

    def __call__(self, text: str) -> int:
        """Return the number of tokens of a text.

        Raises:
            ValueError: tiktoken's regex engine fails.
        """
        return len(encode(self._encoding, text, self._special))

    def to_artifact(self) -> Artifact:
        """Return the tokenizer with the ids of the encoding.

        Raises:
            ValueError: a tokenizer file cannot represent it.
        """
        try:
            return converted(read_encoding(self._encoding, Options()))
        except ValueError as error:
            raise ValueError(f"cannot import {self._encoding.name}: {error}") from None

    def __reduce__(self) -> tuple[object, ...]:
        """Send the encoding itself to another process, which otherwise would look for a file."""
        encoding = self._encoding
        parts = encoding.name, pattern_of(encoding), ranks_of(encoding), specials_of(encoding)
        return _counter_of, (parts, self._special)


def _counter_of(parts: _Parts, special: Collection[str]) -> _EncodingCounter:
    return _EncodingCounter(make_encoding(*parts), special)
