"""A tokenizer trained elsewhere, as data, and the check of its import against this data."""

# ruff: noqa: RUF001 - letters that look alike are the point of the text in many scripts

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import regex

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_compare._letters import BYTE_LETTERS, to_letters
from bpetite_compare.reference import Pair, get_stats, merge

_MANY_SCRIPTS: Final = """\
The quick brown fox jumps over the lazy dog. Don't they've we'll I'm she'd IT'S 'twas
  def main(argc: int) -> int:\n\treturn {"key": [0, 1.5e-3, 0xFF]}  // TODO: x += y;\r\n\r\n
12345 67 8 9,876,543.21 1/2 \u00bd \u00b2\u2083 \u2167 50% $3 \u20ac4
#tag @user a_b-c https://example.org/?q=1&r=2
Portez ce vieux whisky au juge blond qui fume.
\u00c5ngstr\u00f6m, na\u00efve, e\u0301t\u0113, \u00df, \u0130stanbul, Ti\u1ebfng Vi\u1ec7t
Jove xof! Zażółć gęślą jaźń. Příliš žluťoučký kůň. Árvíztűrő tükörfúrógép. Þórður. Ŋugi.
Съешь же ещё этих мягких французских булок. Щастям б'єш жук. Ђурађ. Җир.
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ἐν ἀρχῇ ἦν ὁ λόγος. Ⲁⲛⲟⲕ. Բարեւ աշխարհ։ გამარჯობა.
דג סקרן שט בים. שָׁלוֹם ייִדיש. نص حكيم له سر قاطع.
فارسی اردو ۱۲۳ ١٢٣. ܫܠܡܐ. ދިވެހި. ߒߞߏ.
ऋषियों को सताने वाले। हिन्दी १२३। বাংলা ভাষা।
ਪੰਜਾਬੀ। ગુજરાતી। ଓଡ଼ିଆ।
தமிழ் மொழி. తెలుగు. ಕನ್ನಡ. മലയാളം. සිංහල.
ภาษาไทย ๑๒๓ ສະບາຍດີ မြန်မာဘာသာ ភាសាខ្មែរ བོད་སྐད།
ᠮᠣᠩᠭᠣᠯ አማርኛ ᏣᎳᎩ ᐃᓄᒃᑎᑐᑦ ᚠᚢᚦᚨᚱᚲ ꦧꦱꦗꦮ ᮘᮞ
日本語のテキスト、カタカナとひらがな。
中文文本，简体與繁體。ㄅㄆㄇ 한국어 텍스트입니다. ꆈꌠꉙ 一二三 𠮷野家
👋🏽 👩‍👩‍👧 🇩🇪 ☃️ ✓ → ∑∫√ ≤ ≠ ∞ ∀x∈ℝ 𝒳 𐍈 𓀀 ♥ … « » “ ” — ‰ ⁂
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
    for chunk in dict.fromkeys(regex.findall(artifact.pattern.text, _MANY_SCRIPTS)):
        expected = foreign.encode_chunk(chunk.encode("utf-8"))
        found = [ids[token_id] for token_id in tokenizer.encode(chunk)]
        if found != expected:
            raise ValueError(
                f"the ids of {chunk!r:.60} would be {found}, not {expected}; please report it"
            )
