"""Convert a tokenizer made elsewhere to one of bpetite, with its own ids.

A merge of two parts can apply in a text only if it applies when the bytes of its token are
encoded alone: the same merges come before it, because none crosses the ends of these bytes. So
encoding each token alone finds the one pair that makes it. All other merges that a file lists
for it never apply, and a token that no pair makes is in no text, unless it is a whole chunk.

Encoding 200,000 tokens is slow. Both tokens of the pair are made in the same way, so their own
pairs show whether a merge crosses the place where they meet; see `_is_crossed`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, product
from pathlib import Path
from typing import Final

from bpetite._inner import (
    ID_LIMIT,
    Artifact,
    Pattern,
    SpecialTokenError,
    checked_special_tokens,
    tokenizer_of,
)
from bpetite_compare._foreign import Foreign
from bpetite_compare._spellings import changed_ends, named
from bpetite_compare.reference._model import join_lowest

_Pair = tuple[bytes, bytes]
_Merge = tuple[int, bytes, bytes]
"""A rank and two parts; a byte has -1 and none."""

_BYTES: Final = [bytes([value]) for value in range(256)]
_NOT_IN_UTF8: Final = {0xC0, 0xC1, *range(0xF5, 0x100)}
_MOST_TRIED: Final = 1000
_LONGEST_TRIED: Final = 100
_LONGEST_TEXT: Final = 500
_MOST_STEPS: Final = 1 << 27
"""How many steps encoding may take that is quadratic: about half a minute."""

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


def converted(foreign: Foreign) -> Artifact:
    """Return the tokenizer with its own ids; remarks are added to the notes.

    Raises:
        ValueError: a tokenizer file cannot represent it; the message explains why.
    """
    foreign = _completed(foreign)
    foreign.obstacles.extend(_faults(foreign))
    pattern = foreign.check()  # before what takes long
    made = _made(foreign)
    order, moved = _in_order(made)
    others = sorted(foreign.ids.keys() - made.keys() - {*_BYTES}, key=foreign.ids.__getitem__)
    unmade = [] if foreign.whole else [one for one in others if _is_chunk(one, pattern)]
    if unmade:
        _leave_out_unmade(unmade[0].decode("utf-8"), len(unmade), foreign)
        left_out = {*unmade}
        others = [one for one in others if one not in left_out]
    foreign.obstacles.extend(changed_ends(foreign.splits, foreign.ids, others))
    foreign.check()
    tokens = [*_BYTES, *order, *others]
    index_of = {token: index for index, token in enumerate(tokens)}
    special = dict(sorted(foreign.special_tokens.items(), key=lambda entry: entry[1]))
    ids = [foreign.ids[token] for token in tokens]
    merges = [(index_of[left], index_of[right]) for left, right in map(made.__getitem__, order)]
    artifact = Artifact.of_ids(merges, tokens, pattern, (*special,), (*ids, *special.values()))
    _check_ids(foreign, artifact, made, [*unmade, *others, *moved])
    return artifact


def difference(one: Foreign, other: Foreign) -> str | None:
    """Return the first difference of two tokenizers in words, or None.

    If one of them has no merges, the ids of texts in many scripts are compared instead. Special
    tokens are compared if both have some.
    """
    first, second = (named(*foreign.splits) for foreign in (one, other))
    if first != second:
        return f"the patterns are {first} and {second}"
    ours, theirs, names = dict(one.ids), dict(other.ids), list[str]()
    if one.special_tokens and other.special_tokens:
        names = [*one.special_tokens]
        for ids, foreign in ((ours, one), (theirs, other)):
            ids |= {name.encode(): number for name, number in foreign.special_tokens.items()}
    if differing := min(ours.items() ^ theirs.items(), default=None):
        token = differing[0]
        found = f"{ours.get(token, 'none')} and {theirs.get(token, 'none')}"
        return f"the token {token[:40]!r} has the ids {found}"
    if one.merges is not None and other.merges is not None:
        ranks = [rank for _, rank in one.merges.items() ^ other.merges.items()]
        return f"the merges of rank {min(ranks)} are not equal" if ranks else None
    texts = _texts(names)
    for text, own, their in zip(texts, one.encode(texts), other.encode(texts), strict=True):
        if own != their:
            return f"the ids of {text!r:.60} are not equal"
    return None


def _completed(foreign: Foreign) -> Foreign:
    """Give ids to bytes that lack them, and drop an empty token."""
    ids = dict(foreign.ids)
    taken = [foreign.highest, *ids.values(), *foreign.special_tokens.values()]
    if (empty := ids.pop(b"", None)) is not None:
        foreign.notes.append(f"its token {empty} is empty, so no text has it; it is left out")
    missing = [token for token in _BYTES if token not in ids]
    first = max(taken) + 1
    ids |= {token: token_id for token_id, token in enumerate(missing, first)}
    lost = [f"0x{token.hex()}" for token in missing if token[0] not in _NOT_IN_UTF8]
    others = f" and {len(lost) - 1} others" if len(lost) > 1 else ""
    if lost:
        foreign.leave_out(
            f"its bytes without an id get the ids {first} to {first + len(missing) - 1} in their "
            f"order, for which the model has no rows: {', '.join(lost)}, and "
            f"{len(missing) - len(lost)} that UTF-8 never uses; where a text has such bytes, "
            f"{foreign.without_id}",
            "add_missing_bytes",
            f"it has no token for the byte {lost[0]}{others}, so it cannot encode every text",
        )
    elif missing:
        foreign.notes.append(
            f"it lacks {len(missing)} bytes that UTF-8 never uses; they get the ids from {first} on"
        )
    return replace(foreign, ids=ids)


def _faults(foreign: Foreign) -> Iterator[str]:
    """Yield what is wrong with special tokens and ids: the same as others', or too high."""
    try:
        checked_special_tokens([*foreign.special_tokens], "imported")
    except SpecialTokenError as error:  # the advice is another name, which an import cannot have
        yield f"a tokenizer file cannot represent its {error.reason}"
    for name in foreign.special_tokens:
        if name.encode("utf-8", "surrogatepass") in foreign.ids and not name.isspace():
            yield f"its special token {name[:40]!r} is also an ordinary token"
    tokens, highest = dict[int, bytes | str](), ID_LIMIT - 1
    for token, token_id in chain[tuple[bytes | str, int]](
        foreign.ids.items(), foreign.special_tokens.items()
    ):
        if (other := tokens.setdefault(token_id, token)) != token:
            yield f"its tokens {other!r:.40} and {token!r:.40} have the same id"
        if not 0 <= token_id <= highest:
            yield f"its token {token!r:.40} has the id {token_id!s:.40}, not one of 0 to {highest}"


def _made(foreign: Foreign) -> dict[bytes, _Pair]:
    """Return the pair that makes each token that is made, in the order of ranks."""
    lengths, odd = {*map(len, foreign.ids)}, set[bytes]()
    last: dict[bytes, _Merge] = dict.fromkeys(_BYTES, (-1, b"", b""))
    # The parts of a token, and what is merged across their ends, are shorter than it.
    for length, tokens in groupby(sorted(foreign.ids, key=len), len):
        places = [place for place in lengths if length - place in lengths]
        for token in tokens:
            if merge := _last_merge(token, places, foreign, last, odd):
                last[token] = rank, left, right = merge
                if left in odd or right in odd or rank <= max(last[left][0], last[right][0]):
                    odd.add(token)
    in_order = sorted(last, key=lambda token: last[token][0])[len(_BYTES) :]
    return {token: last[token][1:] for token in in_order}


def _last_merge(
    token: bytes,
    places: Iterable[int],
    foreign: Foreign,
    last: Mapping[bytes, _Merge],
    odd: set[bytes],
) -> _Merge | None:
    """Return the merge that makes a token, or None.

    It joins two tokens that are made, and that no merge crosses before both are complete.

    Args:
        token: the token.
        places: where two parts of a token of this length can meet.
        foreign: the tokenizer.
        last: the last merges of all shorter tokens that are made.
        odd: those whose rank is not above the ranks inside them, and those with such a part. Only
            encoding finds the last merge of the latter.

    Raises:
        ValueError: that would take minutes.
    """
    for place in places:
        if (right := token[place:]) not in last or (left := token[:place]) not in last:
            continue
        if (rank := foreign.rank(left, right)) is None:
            continue
        if odd and (left in odd or right in odd):
            odd.add(token)
            if len(odd) * len(token) ** 2 > _MOST_STEPS:
                raise ValueError(
                    f"its merges are not in the order in which they apply, and following them in "
                    f"its token {token[:40]!r} of {len(token):,} bytes takes too long; "
                    f"{foreign.instead}"
                )
            parts = join_lowest(
                [token[place : place + 1] for place in range(len(token))],
                lambda one, two: None if one + two == token else foreign.rank(one, two),
            )
            rank = foreign.rank(*parts) if len(parts) == 2 else None
            return None if rank is None else (rank, parts[0], parts[1])
        if not _is_crossed(left, right, last):
            return rank, left, right
    return None


def _is_crossed(left: bytes, right: bytes, last: Mapping[bytes, _Merge]) -> bool:
    """Return whether a merge crosses the ends of two tokens before both are complete.

    Going back in time, the later of the two is replaced by its own part at the other; if both
    have the same rank, the right one, because the leftmost pair is merged first. Each step back
    has a lower rank than the one before. If what is left of both is a token, its own last merge
    decides: it must join these two, and not before the step back.
    """
    (left_rank, _, left_end), (right_rank, right_start, _) = last[left], last[right]
    while left_end or right_start:
        if left_rank > right_rank:
            until, left = left_rank, left_end
            left_rank, _, left_end = last[left]
        else:
            until, right = right_rank + 1, right_start
            right_rank, right_start, _ = last[right]
        if (joined := left + right) in last:
            rank, first, _ = last[joined]
            return rank < until or first != left
    return False


def _in_order(made: Mapping[bytes, _Pair]) -> tuple[list[bytes], list[bytes]]:
    """Return the tokens with each one behind its parts, and those that were moved for that.

    A token that is made before one of its parts goes directly behind it. This could change the
    ids of a text, which `_check_ids` finds.
    """
    placed, order, moved = {*_BYTES}, list[bytes](), list[bytes]()
    waiting: defaultdict[bytes, list[bytes]] = defaultdict(list)
    for token in made:
        ready = [token]
        while ready:
            one = ready.pop()
            left, right = made[one]
            if left in placed and right in placed:
                order.append(one)
                placed.add(one)
                if one in waiting:
                    ready += reversed(waiting.pop(one))
            else:
                moved.append(one)
                waiting[right if left in placed else left].append(one)
    return order, moved


def _is_chunk(token: bytes, pattern: Pattern) -> bool:
    """Return whether a token can be a chunk; each chunk is one when it is split alone."""
    text = token.decode("utf-8", errors="replace")
    return text.encode("utf-8") == token and pattern.split(text) == [text]


def _leave_out_unmade(text: str, count: int, foreign: Foreign) -> None:
    """Leave out tokens that no merge makes; in a tokenizer file, chunks would get their ids.

    Without `whole`, no text has them. A form that does not say so may lack `ignore_merges`.
    """
    if foreign.says_whole:
        foreign.leave_out(
            "left out, as without ignore_merges no text has them: "
            f"{count:,} tokens that its merges never make, such as {text[:40]!r}"
        )
    else:
        foreign.obstacles.append(
            f"its merges never make its token {text[:40]!r}, and without ignore_merges no text has "
            "it, which a tokenizer file cannot represent; --ignore-merges says that it is set"
        )


def _check_ids(
    foreign: Foreign, artifact: Artifact, made: Mapping[bytes, _Pair], odd: list[bytes]
) -> None:
    """Compare the ids of texts, and of odd tokens and their neighbors, with the slow encoder.

    Raises:
        ValueError: the ids of a text differ.
    """
    tokenizer = tokenizer_of(artifact)
    texts = _texts([*foreign.special_tokens])
    texts += [token[:_LONGEST_TEXT].decode("utf-8", errors="ignore") for token in odd[:_MOST_TRIED]]
    found = zip(texts, map(tokenizer.encode, texts), foreign.encode(texts), strict=True)
    ids_of_chunk = artifact.ids_of_chunks()
    # Without ignore_merges, a token that no merge makes is never a chunk.
    odd = [token for token in odd if foreign.whole or token in made]
    for_odd = ((one, ids_of_chunk(one), foreign.encode_chunk(one)) for one in _around(odd, made))
    for text, ours, theirs in chain(found, for_odd):
        if ours != theirs:
            raise ValueError(
                f"a tokenizer file cannot represent its merges: {text!r:.60} would have the ids "
                f"{ours!s:.40}, not {theirs!s:.40}; {foreign.instead}"
            )


def _texts(special_tokens: Sequence[str]) -> list[str]:
    """Return texts in many scripts, with special tokens between them."""
    scripts, names = _MANY_SCRIPTS.read_text("utf-8"), special_tokens or [""]
    texts = [_ODD_TEXT, scripts + _ODD_TEXT, "a".join(names)]  # also with whitespace at the end
    return texts + [
        names[place % len(names)].join(scripts[place:].split(" ", 9)) for place in range(99)
    ]


def _around(tokens: list[bytes], made: Mapping[bytes, _Pair]) -> Iterable[bytes]:
    """Yield tokens between their parts and parts of these, spread over all if there are many.

    Neither encoder makes a token where its bytes are not in the text, so all texts have them. One
    that no merge makes gets a neighbor on one side only.
    """
    for token in tokens[:: len(tokens) // _MOST_TRIED + 1]:
        if len(token) <= _LONGEST_TRIED:
            pair = made.get(token, (token[:1], token[-1:]))
            deeper = chain.from_iterable(made.get(part, ()) for part in pair)
            sides = {b"", token, *pair, *deeper}
            others = sides if token in made else {b""}
            texts = chain(product(sides, [token], others), product(others, [token], sides))
            yield from sorted({*map(b"".join, texts)})
