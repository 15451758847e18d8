"""A tokenizer trained elsewhere, as data, and the check of its import against this data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import regex

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_compare._letters import BYTE_LETTERS, to_letters
from bpetite_compare.reference import Pair, get_stats, merge

_MANY_SCRIPTS: Final = Path(__file__).with_name("_many_scripts.txt")
_ODD_TEXT: Final = """\
The quick brown fox jumps over the lazy dog. Don't they've we'll I'm she'd IT'S 'twas
  def main(argc: int) -> int:\n\treturn {"key": [0, 1.5e-3, 0xFF]}  // TODO: x += y;\r\n\r\n
12345 67 8 9,876,543.21 1/2 \u00bd \u00b2\u2083 \u2167 50% $3 \u20ac4
#tag @user a_b-c https://example.org/?q=1&r=2
Portez ce vieux whisky au juge blond qui fume.
\u00c5ngstr\u00f6m, na\u00efve, e\u0301t\u0113, \u00df, \u0130stanbul, Ti\u1ebfng Vi\u1ec7t
\u200b\u200d\ufeff\u00a0\u3000\u2028\x00\x1b\x7f
aaaaaaaaaaaaaaaaaaaaaaaaaa!!!!!!!!????====-----______ \t\t\t \n \n\n   \n        end  """


@dataclass(frozen=True, slots=True)
class Foreign:
    """A byte-level BPE tokenizer with GPT-2's pattern, and with its own ids.

    vocab: the id of each token by its letters (`_letters.to_letters`), maybe special tokens too.
    merges: the letters of the two tokens that each merge joins, in the order of ranks.
    special_tokens: the ids of the special tokens that the file names, by their text.
    encode_chunk: computes the ids of a chunk, slowly, from the file's own data only.
    takes_whole_chunks: whether a chunk that is a token gets its id without any merge.
    notes: other remarks about the file, for a person.
    """

    vocab: Mapping[str, int]
    merges: Sequence[tuple[str, str]]
    special_tokens: Mapping[str, int]
    encode_chunk: Callable[[bytes], list[int]]
    takes_whole_chunks: bool = False
    notes: Sequence[str] = ()


def rank_by_rank(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]], *, whole: bool = False
) -> Callable[[bytes], list[int]]:
    """Return a function that encodes a chunk with one pass per rank, in order.

    It skips ranks whose pair does not occur. The ids are the vocabulary's. If `whole`, a chunk
    in the vocabulary is not merged.
    """
    ranks: dict[Pair, int] = {}
    made: list[int] = []
    for rank, (left, right) in enumerate(merges):
        ranks[vocab[left], vocab[right]] = rank
        made.append(vocab[left + right])

    def encode_chunk(chunk: bytes) -> list[int]:
        if whole and (letters := to_letters(chunk)) in vocab:
            return [vocab[letters]]
        ids = [vocab[BYTE_LETTERS[value]] for value in chunk]
        rank = -1
        while later := {ranks[pair]: pair for pair in get_stats(ids) if ranks.get(pair, -1) > rank}:
            rank = min(later)
            ids = merge(ids, later[rank], made[rank])
        return ids

    return encode_chunk


def missing_byte_message(vocab: Mapping[str, int]) -> str | None:
    """Return a message if a byte has no token."""
    for value, letter in sorted(BYTE_LETTERS.items()):
        if letter not in vocab:
            return f"it has no token for the byte 0x{value:02x}, so it cannot encode every text"
    return None


def check_ids(foreign: Foreign, artifact: Artifact, ids: Sequence[int]) -> None:
    """Check the ids of each chunk of a text in many scripts against the slow encoder.

    Raises:
        ValueError: the ids of a chunk differ.
    """
    tokenizer = Tokenizer._of(artifact)
    text = _ODD_TEXT + _MANY_SCRIPTS.read_text("utf-8") + _ODD_TEXT  # whitespace also at the end
    for chunk in dict.fromkeys(regex.findall(artifact.pattern.text, text)):
        expected = foreign.encode_chunk(chunk.encode("utf-8"))
        found = [ids[token_id] for token_id in tokenizer.encode(chunk)]
        if found != expected:
            raise ValueError(
                f"the ids of {chunk!r:.60} would be {found}, not {expected}; please report it"
            )
