"""What `--model` of the commands of bpetite-cli may be besides a tokenizer file.

It is a tokenizer of another form, or the name of a tiktoken encoding. tiktoken itself counts: it is
faster than a tokenizer made from the encoding, with the same ids.
"""

import re
from collections.abc import Collection, Mapping
from typing import TypeAlias

import tiktoken

from bpetite._inner import quoted
from bpetite_cli import for_compare as cli
from bpetite_compare._beside import GUESS
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
from bpetite_compare._import import NotOpenedError, files_of, opened

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


def open_model(word: str, download: bool) -> cli.Model:
    """Return the tokenizer that a path or a name stands for, without what it can do without.

    Raises:
        Failure: tiktoken does not know the name.
        OSError: a file or an encoding cannot be read.
    """
    name, form, paths = word, None, list[str]()
    if cli.is_path(word):
        paths = files_of([word], None)
    else:
        name, form = encoding_of(word), "tiktoken"
        get_encoding(name, download=download)  # tiktoken keeps it in memory
    try:
        artifact, file, foreign = opened(name, paths, form, Options(everything=True))
    except NotOpenedError as error:
        foreign = error.foreign
        unnamed = foreign.named_by == GUESS or (foreign.named_by and not foreign.splits)
        return cli.Model(None, b"", options=["--pattern NAME"] if unnamed else [], error=str(error))
    left_out = [re.split("[;:] ", note)[0] for note in foreign.left_out]
    return cli.Model(artifact, file, left_out, [*filter(None, foreign.left_out.values())])


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

    def __reduce__(self) -> tuple[object, ...]:
        """Send the encoding itself to another process, which otherwise would look for a file."""
        encoding = self._encoding
        parts = encoding.name, pattern_of(encoding), ranks_of(encoding), specials_of(encoding)
        return _counter_of, (parts, self._special)


def _counter_of(parts: _Parts, special: Collection[str]) -> _EncodingCounter:
    return _EncodingCounter(make_encoding(*parts), special)
