"""The check of exercise 13: GPT-2's tokenizer, compared with tiktoken's ids.

The small cases need no file. The last ones need GPT-2's merges, a file that tiktoken downloads:
the check looks beside the learner's file, in the course and in tiktoken's folder.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from answers.exercise_13 import byte_letters, gpt2_encode, gpt2_ids, read_merges
from checks.judge import Question
from checks.learner import Learner
from checks.words import NotStartedError, WrongError, paragraph
from given import END_OF_TEXT, PROSE, Pair

FILE: Final = "vocab.bpe"
URL: Final = f"https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/{FILE}"
SHA256: Final = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"

IDS: Final = {
    "a": [64],
    " the": [262],
    "hello": [31373],
    "é": [2634],
    "  \n": [220, 220, 198],
    "日本": [33768, 98, 17312, 105],
    "\x00\x7f\xad🙂": [188, 221, 3907, 8582, 25081],
    "SolidGoldMagikarp": [46933, 42202],
    "a towel<|endoftext|>": [64, 24808, 50256],
    "You'll see  2 Seen.\n": [1639, 1183, 766, 220, 362, 34310, 13, 198],
    "See, Seeelefant, öde": [6214, 11, 1001, 26213, 69, 415, 11, 6184, 114, 2934],
}
"""Texts, and their ids in tiktoken's encoding "gpt2"."""

_COURSE: Final = Path(__file__).resolve().parents[2] / "course"
_SMALL: Final = [
    "#version: 0.2\n",
    "#version: 0.2\nh e\n",
    "#version: 0.2\nĠ t\nh e\nĠt he\n",
    "#version: 0.2\nÃ ©\nĠ Ã©\nĊ Ċ\n# #\n",
]
_MERGES: Final[list[list[Pair]]] = [
    [],
    [(104, 101)],
    [(116, 104), (104, 101), (256, 101)],
    [(98, 99), (97, 98), (97, 256), (32, 258)],
    [(32, 116), (104, 101), (256, 257), (195, 169)],
    [(97, 32)],
]
_TEXTS: Final = ["!", "a", "he", "abc", "a a", " the the", "\né", END_OF_TEXT, f"he{END_OF_TEXT}"]


def _right(path: str, texts: list[str]) -> list[list[int]]:
    """Return the recorded ids, and for the long text the ids that the answer gives."""
    return [IDS[text] if text in IDS else gpt2_ids(path, [text])[0] for text in texts]


def _with_the_file(learner: Learner) -> Iterator[str]:
    """Compare the ids of real texts with tiktoken's.

    Raises:
        WrongError: the ids of a text differ, or GPT-2's file is missing.
    """
    path = _find(learner.path.parent)
    story = Path(PROSE[0]).read_text(encoding="utf-8")
    cases = [(str(path), [text]) for text in (*IDS, story * 3)]
    yield from Question("gpt2_ids", _right, cases).check(learner)
    yield "These are the ids that tiktoken gives. You rebuilt GPT-2's tokenizer."


def _find(folder: Path) -> Path:
    """Return the path of GPT-2's file, in a folder or among tiktoken's downloads."""
    downloads = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    name = hashlib.sha1(URL.encode("ascii"), usedforsecurity=False).hexdigest()
    cache = Path(downloads or Path(tempfile.gettempdir(), "data-gym-cache"))
    for path in (folder / FILE, _COURSE / FILE, cache / name):
        if path.is_file():
            if hashlib.sha256(path.read_bytes()).hexdigest() == SHA256:
                return path
            words = f"{path} is not GPT-2's file: its SHA-256 differs. Download it again."
            raise WrongError(paragraph(words))
    words = f"The rest needs GPT-2's file, {FILE}, in {folder}. Get it with:"
    raise NotStartedError(paragraph(words), f"  curl -O {URL}")


CHECKS = (
    Question("byte_letters", byte_letters, [()]).check,
    Question("read_merges", read_merges, [(text,) for text in _SMALL]).check,
    Question(
        "gpt2_encode",
        gpt2_encode,
        [(text, merges) for merges in _MERGES for text in _TEXTS],
    ).check,
    _with_the_file,
)
