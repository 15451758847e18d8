"""The pictures of the course, docs/course/pictures/course-*.svg.

Their content is computed: the corpus and the slow steps are those of docs/course/toy.py, the
tokenizer is bpetite's, and page 13 runs the code on that page.
"""

import contextlib
import io
import json
import re
import runpy
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from bpetite import Tokenizer
from bpetite._patterns import PATTERNS
from bpetite_cli.terminal.visible import visible
from bpetite_compare._letters import BYTE_LETTERS, GPT2_BYTE_ORDER
from drawing import LEFT, WIDTH, Drawing

_COURSE: Final = Path(__file__).parent
_TOY: Final[Any] = SimpleNamespace(**runpy.run_path(str(_COURSE / "toy.py")))
_SIZE: Final = 264
_TOKENIZER: Final = Tokenizer.train(_TOY.CORPUS, _SIZE)
_MERGES: Final = _TOKENIZER._artifact.merges
HUGGING_FACE: Final = (263, 67, 11, 220, 259)
"""Hugging Face's ids for the text of page 11. A test compares them, and rustbpe's, with both."""
_SPECIAL: Final[bytes] = _TOY.END_OF_TEXT.encode("utf-8")
_TOKENS: Final[Sequence[bytes]] = [*_TOY.vocabulary(_MERGES).values(), _SPECIAL]


def files() -> dict[Path, str]:
    """Return the pictures."""
    folder = Path("docs/course/pictures")
    return {folder / f"course-{page}.svg": draw().svg() for page, draw in PICTURES.items()}


def _why_tokens() -> Drawing:
    """Draw a word as letters, as tokens, and as the ids that a model receives."""
    text, drawing = "a towel", Drawing()
    ids = _TOKENIZER.encode(text)
    drawing.say("You see letters:")
    drawing.cells([visible(letter.encode("utf-8")) for letter in text], "cut")
    drawing.next_row()
    drawing.say("The tokenizer makes tokens:")
    _add(drawing, ids)
    drawing.say("The model gets numbers, and no letters:")
    drawing.cells([str(token_id) for token_id in ids], "cut")
    drawing.next_row()
    return drawing


def _bytes() -> Drawing:
    """Draw characters, and below each its bytes."""
    text, drawing, wide = "oöü€", Drawing(), 38
    drawing.say("Characters, and the bytes that UTF-8 stores:")
    ids = Tokenizer.train("", 256).encode(text)
    widths = [len(character.encode("utf-8")) * wide - 3 for character in text]
    drawing.cells(text, "cut", widths)
    drawing.next_row()
    drawing.cells([str(token_id) for token_id in ids], "byte", [wide - 3] * len(ids))
    drawing.next_row()
    return drawing


def _chunks() -> Drawing:
    """Draw the chunks of the corpus."""
    drawing = Drawing()
    for number, document in enumerate(_TOY.CORPUS, 1):
        drawing.say(f"Document {number}, cut into chunks:")
        drawing.cells([visible(chunk) for chunk in _TOY.chunks_of(document)], "cut")
        drawing.next_row()
    return drawing


def _pairs() -> Drawing:
    """Draw the pairs that occur more than once, and mark the first one to merge."""
    drawing, counts = Drawing(), _TOY.count_pairs(_corpus(0))
    drawing.text(LEFT, drawing.y + 14, "pair", "say quiet")
    drawing.text(110, drawing.y + 14, "ids", "say quiet")
    drawing.text(220, drawing.y + 14, "count", "say quiet")
    drawing.y += 26
    shown = sorted((-count, pair) for pair, count in counts.items() if count > 1)
    for minus, pair in shown:
        if pair == _MERGES[0]:
            drawing.frame()
        drawing.text(110, drawing.y + 17, f"{pair[0]}, {pair[1]}")
        drawing.box(240, drawing.y + 4, -minus * 30, 16, "bar")
        drawing.text(220, drawing.y + 17, str(-minus))
        _add(drawing, pair)
    drawing.say(f"and {len(counts) - len(shown)} pairs that occur once")
    return drawing


def _merge() -> Drawing:
    """Draw the chunks that the first merge changes, before and after it."""
    drawing, (left, right) = Drawing(), _MERGES[0]
    drawing.say(f"{left} + {right} is merged and makes 256:")
    for old, new in zip(_corpus(0), _corpus(1), strict=True):
        if old != new:
            _add(drawing, old, "before", ringed=_occurrences(old, (left, right)))
            _add(drawing, new, "after", ringed=_places(new, 256))
            drawing.y += 6
    return drawing


def _tie() -> Drawing:
    """Draw the ties at the first and the fourth step, with a frame around the winner."""
    drawing = Drawing()
    for rank in (0, 3):
        counts = _TOY.count_pairs(_corpus(rank))
        highest = max(counts.values())
        tied = sorted(pair for pair, count in counts.items() if count == highest)
        drawing.say(f"Rank {rank}: {len(tied)} pairs occur {highest} times. Smallest ids win:")
        drawing.y += 4
        for pair in tied:
            wins = pair == _MERGES[rank]
            if wins:
                drawing.frame()
                drawing.text(270, drawing.y + 17, f"makes {256 + rank}", "say accent")
            drawing.text(150, drawing.y + 17, f"({pair[0]}, {pair[1]})", "accent" if wins else "")
            _add(drawing, pair)
        drawing.y += 6
    return drawing


def _encode() -> Drawing:
    """Draw a word after each merge that changes it, and cut by the longest token."""
    drawing, word = Drawing(), b" towel"
    ids = list(word)
    drawing.say("By rank, as bpetite does:")
    _add(drawing, ids, "bytes")
    for rank, pair in enumerate(_MERGES):
        before, ids = ids, _TOY.merge_pair(ids, pair, 256 + rank)
        if ids != before:
            _add(drawing, ids, f"rank {rank}", ringed=_places(ids, 256 + rank))
    _add(drawing, ids, "the ids", labels=True)
    drawing.say("By the longest token, which gives other ids:", "fault")
    _add(drawing, _longest_first(word), labels=True)
    return drawing


def _half() -> Drawing:
    """Draw characters, their bytes and tokens, and each token decoded alone."""
    text = " öd"
    characters = [character.encode("utf-8") for character in text]
    ids = _TOKENIZER.encode(text)
    return _rows(
        56,
        ("characters", [(len(one), visible(one)) for one in characters], "cut"),
        ("bytes", [(1, str(value)) for value in text.encode("utf-8")], "byte"),
        ("tokens", [(len(_TOKENS[one]), visible(_TOKENS[one])) for one in ids], ""),
        ("decoded alone", [(len(_TOKENS[one]), _alone(one)) for one in ids], "out"),
    )


def _special() -> Drawing:
    """Draw how a text is cut at the special token first, and then into tokens."""
    drawing, text = Drawing(), f"towed{_TOY.END_OF_TEXT}See"
    drawing.say("A text of two documents:")
    drawing.cell(LEFT, text, "cut")
    drawing.next_row()
    drawing.say("The special token first, then the text around it:")
    _add(drawing, _TOKENIZER.encode(text), labels=True)
    drawing.say("A part of it is ordinary text:")
    _add(drawing, _TOKENIZER.encode(_TOY.END_OF_TEXT[:8]), labels=True)
    return drawing


def _artifact() -> Drawing:
    """Draw the keys of the file, each with part of its value and its meaning."""
    drawing, content = Drawing(), json.loads(_TOY.tokenizer_file(_MERGES))
    merges, vocab = content["merges"], content["vocab"]
    special = content["special_tokens"]
    labels = {
        "mergeable_vocab_size": f"256 bytes and {len(merges)} merges",
        "merges": "the pairs, by rank: all that was learned",
        "pretokenizer_pattern": "where a text is cut into chunks",
        "schema_version": "the format of this file",
        "special_tokens": f"the last id, {max(special.values())}",
        "vocab": f"the bytes of {len(vocab)} ids; they follow from the merges",
    }
    for key, value in content.items():
        written = json.dumps(value, separators=(",", ":"))
        room = 36 - len(key)
        shown = written if len(written) <= room else f"{written[: room - 1]}…"
        drawing.box(LEFT - 6, drawing.y, WIDTH - 2 * LEFT + 12, 24, "cut")
        drawing.text(LEFT, drawing.y + 17, f'"{key}":{shown}')
        drawing.y += 24
        drawing.say(labels[key])
        drawing.y += 4
    return drawing


def _stale() -> Drawing:
    """Draw what a heap gives in the first three steps of training, each with its true count."""
    drawing = Drawing()
    for x, name in ((LEFT, "at the top"), (130, "it says"), (195, "true")):
        drawing.text(x, drawing.y + 14, name, "say quiet")
    drawing.y += 22
    for said, pair, true, verdict in _popped(3):
        stale = said != true
        drawing.text(130, drawing.y + 17, str(said))
        drawing.text(195, drawing.y + 17, str(true), "fault" if stale else "")
        drawing.text(235, drawing.y + 17, verdict, f"say {'fault' if stale else 'accent'}")
        _add(drawing, pair)
    return drawing


def _others() -> Drawing:
    """Draw one text with the ids of several tokenizers, all trained on the corpus."""
    drawing, text = Drawing(), " towed, See"
    first = _first_seen()
    ids = _TOKENIZER.encode(text)
    found = {
        "bpetite": ids,
        "rustbpe, which learns the same": ids,
        "Hugging Face, with ids of its own": HUGGING_FACE,
        "the first pair seen wins a tie, as in minbpe": _TOY.encode(text, first),
    }
    for name, row in found.items():
        drawing.say(name)
        drawing.tokens([_TOKENS[token_id] for token_id in ids], row)
        drawing.next_row(labels=True)
    return drawing


def _algorithms() -> Drawing:
    """Draw a word cut by three algorithms, and what each has learned."""
    drawing, page, word = Drawing(), _run_page("13-other-algorithms.md"), b" towel"
    unigram = [token for token in page["unigram"] if len(token) > 1]
    rows: Mapping[str, tuple[Sequence[bytes], Sequence[bytes]]] = {
        "BPE: by rank": (page["bpe"][256:], page["cut_by_bpe"](word)),
        "WordPiece: the longest token first": (
            page["wordpiece"][256:],
            page["longest_first"](word, page["wordpiece"]),
        ),
        "Unigram: the most probable cut": (
            sorted(unigram, key=page["unigram"].get),
            page["best_cut"](word, page["unigram"])[1],
        ),
    }
    for name, (learned, cut) in rows.items():
        drawing.say(name)
        drawing.tokens(cut)
        drawing.next_row()
        drawing.say(f"learned: {', '.join(map(visible, learned[:5]))}{', …' * (len(learned) > 5)}")
        drawing.y += 4
    return drawing


def _letters() -> Drawing:
    """Draw a text, its bytes, the letters of GPT-2's file for them, and GPT-2's ids."""
    characters = [character.encode("utf-8") for character in " aé\n"]
    data = b"".join(characters)
    return _rows(
        44,
        ("characters", [(len(one), visible(one)) for one in characters], "cut"),
        ("bytes", [(1, str(byte)) for byte in data], "byte"),
        ("in the file", [(1, BYTE_LETTERS[byte]) for byte in data], "cut"),
        ("GPT-2's ids", [(1, str(GPT2_BYTE_ORDER.index(byte))) for byte in data], "byte"),
    )


def _puzzles() -> Drawing:
    """Draw a word and the same word backwards, as tokens of one of the explorer's samples."""
    drawing, word = Drawing(), "strawberry"
    prose = Tokenizer.load(_COURSE.parent / "samples" / "prose.json")
    for said, text in (("A word, as a model reads it:", word), ("Backwards:", word[::-1])):
        drawing.say(said)
        ids = prose.encode(f" {text}")
        drawing.tokens([prose._artifact.tokens[token_id] for token_id in ids], ids)
        drawing.next_row(labels=True)
    return drawing


def _since() -> Drawing:
    """Draw one text in the chunks of three patterns."""
    drawing = Drawing()
    for model, name in (("GPT-2", "gpt2"), ("GPT-4", "gpt4"), ("GPT-4o", "gpt4o")):
        drawing.say(f"The chunks of {model}:")
        chunks = PATTERNS[name].split("I'M 12345.\n\nOk")
        drawing.cells([visible(chunk.encode("utf-8")) for chunk in chunks], "cut")
        drawing.next_row()
    return drawing


PICTURES: Final[Mapping[str, Callable[[], Drawing]]] = {
    "00-why-tokens": _why_tokens,
    "01-bytes": _bytes,
    "02-chunks": _chunks,
    "03-pairs": _pairs,
    "04-merge": _merge,
    "05-tie": _tie,
    "06-encode": _encode,
    "07-half": _half,
    "08-special": _special,
    "09-artifact": _artifact,
    "10-stale": _stale,
    "11-others": _others,
    "13-algorithms": _algorithms,
    "15-letters": _letters,
    "16-puzzles": _puzzles,
    "17-since": _since,
}
"""The name of each picture, and the function that draws it."""


def _add(
    drawing: Drawing,
    ids: Sequence[int],
    note: str = "",
    *,
    labels: bool = False,
    ringed: Sequence[int] = (),
) -> None:
    """Add a row of tokens, with ids below if requested, and a note at its end."""
    tokens = [_TOKENS[token_id] for token_id in ids]
    drawing.tokens(tokens, ids if labels else (), ringed=ringed, special=_SPECIAL)
    if note:
        drawing.note(note)
    drawing.next_row(labels=labels)


def _rows(wide: int, *rows: tuple[str, Sequence[tuple[int, str]], str]) -> Drawing:
    """Return rows with a name at the end; a cell is as wide as its bytes. No kind is for tokens."""
    drawing = Drawing()
    for name, cells, kind in rows:
        drawing.note(name)
        x: float = LEFT
        for count, shown in cells:
            of_token = "byte" if count == 1 else "learned"
            x = drawing.cell(x, shown, kind or of_token, width=count * wide - 3)
        drawing.next_row()
    return drawing


def _run_page(name: str) -> dict[str, Any]:
    """Run the Python blocks of a page, and return what they define."""
    page = (_COURSE / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    code = re.sub(r"^from toy import .*$", "", "\n".join(blocks), flags=re.MULTILINE)
    names = dict(vars(_TOY))
    with contextlib.chdir(_COURSE), contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)  # noqa: S102 - our own page
    return names


def _corpus(merges: int) -> list[list[int]]:
    """Return the chunks of the corpus after some merges."""
    chunks = [list(chunk) for document in _TOY.CORPUS for chunk in _TOY.chunks_of(document)]
    for rank, pair in enumerate(_MERGES[:merges]):
        chunks = [_TOY.merge_pair(chunk, pair, 256 + rank) for chunk in chunks]
    return chunks


def _places(ids: Sequence[int], wanted: int) -> list[int]:
    return [place for place, token_id in enumerate(ids) if token_id == wanted]


def _occurrences(ids: Sequence[int], pair: tuple[int, int]) -> list[int]:
    """Return the positions where a merge applies: from left to right, without overlaps."""
    places: list[int] = []
    for place, found in enumerate(pairwise(ids)):
        if found == pair and place not in places:
            places += [place, place + 1]
    return places


def _longest_first(chunk: bytes) -> list[int]:
    """Return the ids of a chunk by always taking the longest token, the mistake on page 6."""
    ids = []
    while chunk:
        longest = max((one for one in _TOKENS if chunk.startswith(one)), key=len)
        ids.append(_TOKENS.index(longest))
        chunk = chunk[len(longest) :]
    return ids


def _first_seen() -> list[tuple[int, int]]:
    """Return the merges if the first pair of a tie wins."""
    chunks = _corpus(0)
    merges: list[tuple[int, int]] = []
    while 256 + len(merges) < _SIZE:
        counts: Mapping[tuple[int, int], int] = _TOY.count_pairs(chunks)
        pair = max(counts, key=counts.__getitem__)
        chunks = [_TOY.merge_pair(ids, pair, 256 + len(merges)) for ids in chunks]
        merges.append(pair)
    return merges


def _alone(token_id: int) -> str:
    return _TOKENS[token_id].decode("utf-8", errors="replace").replace(" ", "·")


def _popped(merges: int) -> list[tuple[int, tuple[int, int], int, str]]:
    """Return each entry that a heap gives until some merges are made.

    Each row has the entry's count, its pair, the true count, and what happens to it.
    """
    popped, made = [], 0
    counts: Mapping[tuple[int, int], int] = _TOY.count_pairs(_corpus(0))
    heap = [(-count, pair) for pair, count in counts.items()]
    heapify(heap)
    while made < merges:
        minus, pair = heappop(heap)
        true = counts.get(pair, 0)
        if -minus == true:
            made += 1
            counts = _TOY.count_pairs(_corpus(made))
            for other, count in counts.items():
                if 255 + made in other:
                    heappush(heap, (-count, other))
            verdict = f"merged: {255 + made}"
        elif true:
            heappush(heap, (-true, pair))
            verdict = "put back"
        else:
            verdict = "thrown away"
        popped.append((-minus, pair, true, verdict))
    return popped
