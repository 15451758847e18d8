"""What `--model` of the commands of bpetite-cli may be besides a tokenizer file.

It is a tokenizer of another form, or the name of a tiktoken encoding. tiktoken itself counts: it is
faster than a tokenizer made from the encoding, with the same ids.
"""

import os
import shlex
from collections.abc import Callable, Collection, Sequence
from copy import copy
from functools import partial

import tiktoken

from bpetite._inner import quoted
from bpetite_cli import for_compare as cli
from bpetite_compare._beside import GUESS, roles_in
from bpetite_compare._encodings import cuts_safely, encode, encoding_for, get_encoding, known_names
from bpetite_compare._engine import Engine
from bpetite_compare._foreign import Foreign, Options
from bpetite_compare._import import NotOpenedError, files_of, opened
from bpetite_compare._spellings import named


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
    command = f"bpetite import {shlex.quote(word)}"
    try:
        artifact, file, foreign = opened(name, paths, form, Options(everything=True))
    except NotOpenedError as error:
        message, foreign = str(error), error.foreign
        guess = foreign.named_by == GUESS or (foreign.named_by and not foreign.splits)
        if guess and len({*foreign.obstacles}) == 1:
            words = [command, *filter(None, foreign.left_out.values()), "--pattern NAME"]
            message += f"\nimport it with `{' '.join(words)} --output NEW.json`"
        raise cli.NotOpenedError(message, _facts(foreign, paths)) from None
    command = " ".join([command, *filter(None, foreign.left_out.values()), "--output NEW.json"])
    left_out = [note.partition("; ")[0] for note in foreign.left_out]
    return cli.Model(artifact, file, left_out, command, _facts(foreign, paths))


def _facts(foreign: Foreign, paths: Sequence[str]) -> cli.Facts:
    """Return what is known about a tokenizer, for people."""
    roles = roles_in(os.path.dirname(paths[0])) if paths else {}
    facts = {
        "model": [foreign.model],
        "pattern": [named(*foreign.splits), foreign.named_by] if foreign.splits else [],
        "normalizer": [*foreign.normalizers],
        "role": [f"{role} {token!r}" for role, token in roles.items()],
        "left out": [*foreign.left_out],
        "obstacle": [*dict.fromkeys(foreign.obstacles)],
        "special token": [
            " ".join([repr(name), str(token_id), *sorted(foreign.flags.get(name, ()))])
            for name, token_id in foreign.special_tokens.items()
        ],
    }
    return {topic: [*filter(None, found)] for topic, found in facts.items()}


def make_counter(
    name: str, ordinary: bool, download: bool
) -> tuple[Callable[[str], int], bool, str]:
    """Return what counts tokens, whether the pattern splits where blocks end, and its engine.

    If `ordinary`, no token of a text is special.

    Raises:
        Failure: tiktoken does not know the name.
        OSError: the encoding cannot be read or downloaded.
    """
    # tiktoken sends an encoding of its own to another process as a name, and a copy as data.
    encoding = copy(get_encoding(encoding_of(name), download=download))
    special = () if ordinary else encoding.special_tokens_set
    return partial(_count, encoding, special), cuts_safely(encoding), Engine.name


def _count(encoding: tiktoken.Encoding, special: Collection[str], text: str) -> int:
    return len(encode(encoding, text, special))
