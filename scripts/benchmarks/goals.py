"""The goals for speed, and the measured results."""

import re
from collections.abc import Iterable
from typing import Final

from benchmarks.results import Series
from benchmarks.tables import figure

_GOALS: Final = """
train TinyShakespeare, 1.1 MB, to 512 tokens, ms
    <= 60000 of small seconds bpetite: tinyshakespeare
encode the same 50 words again and again, p99, ms
    <= 100 of sentence p99 bpetite: prose, code, scripts
train from a file on all cores, time over Hugging Face's
    <= 0.333 of train seconds bpetite / train seconds Hugging Face: code-large
    <= 0.6 of train seconds bpetite / train seconds Hugging Face: prose, scripts
train from a file on all cores, time over rustbpe's
    <= 0.7 of train seconds bpetite / train seconds rustbpe: code-large
encode the first half in one process, speed over tiktoken's
    >= 0.45 of encode first tiktoken / encode first bpetite: prose
    >= 0.7 of encode first tiktoken / encode first bpetite: code
    >= 0.35 of encode first tiktoken / encode first bpetite: scripts
encode the second half, speed over that of the first
    >= 1 of encode first bpetite / encode second bpetite: prose, code, scripts
the command `encode` on half of the text, speed on all cores over one job's
    >= 1.6 of command half bpetite, one job / command half bpetite: prose, code, scripts
the command `encode` on the whole text, speed on all cores over one job's
    >= 1.6 of command whole bpetite, one job / command whole bpetite: prose, code, scripts
    >= 1.75 of command whole bpetite, one job / command whole bpetite: code-large
encode in memory on all cores, speed over Hugging Face's `encode_batch`
    >= 3 of cores seconds Hugging Face / cores seconds bpetite: prose, code, scripts
encode in memory on all cores, speed over tiktoken's `encode_ordinary_batch`
    >= 0.45 of cores seconds tiktoken / cores seconds bpetite: prose, code
decode, speed over tiktoken's
    >= 0.6 of encode decode tiktoken / encode decode bpetite: prose, code, scripts
`bpetite encode --text hi` with 512 tokens, ms
    <= 100 of start seconds bpetite: 512 tokens
`bpetite encode --text hi` with 32,000 tokens, ms
    <= 200 of start seconds bpetite: 32,000 tokens
"""
"""Each goal and its limits: a number, a section, a case, a contestant, and its texts.

A limit is in milliseconds, or a ratio of times.
"""


_LIMIT: Final = re.compile(r"    ([<>])= (\S+) of (.*?)(?: / (.*))?: (.*)")


def goals(series: Iterable[Series]) -> list[list[str]]:
    """Return the measured goals as rows; every text of a limit must meet it."""
    seconds = {
        (one.corpus, f"{one.section} {one.case} {one.contestant}"): one.median / (one.amount or 1)
        for one in series
    }
    rows, words = [], ""
    for line in _GOALS.strip().split("\n"):
        if not (parts := _LIMIT.fullmatch(line)):
            words = line
            continue
        sign, limit, over, under, texts = parts.groups()
        found = {
            text: seconds[text, over] / (seconds[text, under] if under else 1e-3)
            for text in texts.split(", ")
            if {(text, over), (text, under or over)} <= seconds.keys()
        }
        if found:
            bound, most = float(limit), sign == "<"
            reached = all(value <= bound if most else value >= bound for value in found.values())
            shown = ", ".join(f"{text} {figure(value)}" for text, value in found.items())
            goal = f"{'at most' if most else 'at least'} {figure(bound)}"
            rows.append([words, goal, shown, "reached" if reached else "missed"])
    return rows
