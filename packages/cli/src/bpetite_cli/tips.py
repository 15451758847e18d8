"""Tips for unknown words: what bpetite calls a thing, or what was meant by a near miss of letters.

A wrong tip is worse than none. Names from other programs are in a table; only a few wrong letters
are guessed, and only if one name fits.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_TABLE: Final = Path(__file__).with_name("other_words.txt")
"""Words, and the tips for them: the first one that fits the command is shown.

A tip without spaces is an option of the command. The options in a sentence are the command's own,
unless it names a command between backticks.
"""

_MOST_EDITS: Final = 2
_LETTERS_PER_EDIT: Final = 4
_DIGITS: Final = re.compile("[0-9]")

FOR_A_MODEL: Final = (
    "for a model of OpenAI, `bpetite import gpt-4o --output NEW.json` makes a tokenizer file; for "
    "another, download its tokenizer.json and import that; for a file, check the path"
)
"""The way to the tokenizer of a model, for a word that is not the path of a file."""


def meant(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: a tip, if there is a certain one."""
    return _best(word, {name: f"did you mean {name}?" for name in known})


def called_here(word: str, known: Iterable[str]) -> str:
    """Return the same for an option or a command, which other programs may call differently."""
    own = {name: f"did you mean {name}?" for name in known}
    tips = dict(own)
    for line in _TABLE.read_text("ascii").splitlines():
        words, _, others = line.partition(": ")
        tip = next((tip for tip in others.split(" | ") if _is_usable(tip, own)), "")
        tips = dict.fromkeys(words.split(), own.get(tip, tip)) | tips
    return _best(word, tips)


def _is_usable(tip: str, known: Iterable[str]) -> bool:
    """Return whether a tip names a command, or only options that are known."""
    return "`" in tip or all(name in known for name in re.findall(r"--[\w-]+", tip))


def _best(word: str, tips: Mapping[str, str]) -> str:
    """Return the tip for a word with the fewest wrong letters, or else for its beginning."""
    word = word.lower().replace("_", "-")
    for edits in range(_MOST_EDITS + 1):
        if found := {tip for name, tip in tips.items() if _is_near(word, name, edits)}:
            break
    else:
        found = {tip for name, tip in tips.items() if name.startswith(word)}
    return f"; {found.pop()}" if len(found) == 1 and any(found) else ""


def _is_near(word: str, name: str, edits: int) -> bool:
    """Return whether so few wrong, missing, additional or swapped letters make a word of another.

    Digits are no letters: `gpt5` is not nearly `gpt4`.
    """
    longest = max(len(word.replace("-", "")), len(name.replace("-", "")))
    same_digits = _DIGITS.findall(word) == _DIGITS.findall(name)
    return same_digits and longest >= edits * _LETTERS_PER_EDIT and _can_become(word, name, edits)


def _can_become(word: str, name: str, edits: int) -> bool:
    if not edits or not word or not name:
        return word == name or len(word + name) <= edits
    if word[0] == name[0]:
        return _can_become(word[1:], name[1:], edits)
    left, right = word[1:], name[1:]
    swapped = word[1:2] + word[0] + word[2:]
    cases = (left, right), (left, name), (word, right), (swapped, name)
    return any(_can_become(*case, edits - 1) for case in cases)
