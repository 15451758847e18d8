"""The conversion of a foreign tokenizer: its merges, and the comparison of ids that checks them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from bpetite import Tokenizer
from bpetite._inner import ALL_PATTERNS, Artifact, artifact_of
from bpetite_compare._conversion import _check_ids, _in_order, _made, converted
from bpetite_compare._foreign import Foreign
from texts import texts_in_every_script

BYTES = {bytes([value]): value for value in range(256)}


def slow_merge(token: bytes, foreign: Foreign) -> tuple[bytes, bytes] | None:
    """Return the last merge when a token is encoded alone, one merge at a time."""
    parts = [token[place : place + 1] for place in range(len(token))]
    while True:
        ranks = [foreign.rank(*pair) for pair in pairwise(parts)]
        known = [rank for rank in ranks if rank is not None]
        if not known:
            return None
        if len(parts) == 2:
            return parts[0], parts[1]
        place = ranks.index(min(known))
        parts[place : place + 2] = [parts[place] + parts[place + 1]]


def random_foreign(random: Random) -> Foreign:
    """Return tokens of few letters with ranks, or with merges, in an order that may be odd."""
    letters = random.choice([b"a", b"ab", b"abc"])
    tokens = [bytes([letter]) for letter in letters]
    for _ in range(random.randint(1, 25)):
        joined = random.choice(tokens) + random.choice(tokens)
        tokens.append(random.choice([joined, bytes(random.choices(letters, k=5))])[:24])
    longer = [*dict.fromkeys(token for token in tokens if len(token) > 1)]
    if random.random() < 0.7:
        random.shuffle(longer)
    ids = BYTES | {token: rank for rank, token in enumerate(longer, 256)}
    pairs = [(token[:end], token[end:]) for token in longer for end in range(1, len(token))]
    pairs = [pair for pair in pairs if ids.keys() >= {*pair} and random.random() < 0.8]
    if random.random() < 0.5:
        random.shuffle(pairs)
    merges = {pair: rank for rank, pair in enumerate(pairs)}
    return Foreign(ids, random.choice([merges, None]))


@pytest.mark.parametrize("seed", range(4))
def test_the_merge_of_each_token_is_the_last_when_it_is_encoded_alone(seed: int) -> None:
    """Ranks and merges in any order, twins and tokens that are never made have the slow merges."""
    random, unmade = Random(seed), 0
    for _ in range(400):
        foreign = random_foreign(random)
        expected = {token: slow_merge(token, foreign) for token in foreign.ids.keys() - BYTES}
        made = _made(foreign)
        assert made == {token: merge for token, merge in expected.items() if merge}
        ranks = [foreign.rank(*merge) or 0 for merge in made.values()]
        assert ranks == sorted(ranks)
        unmade += len(expected) - len(made)
    assert unmade


# The comparison of ids


def foreign_tokenizer() -> Foreign:
    """Return a tokenizer with ids of its own, whole tokens, and one made before its parts."""
    learned = artifact_of(Tokenizer.train([*texts_in_every_script()][:300], 600))
    ids = {token: (place * 7 + 3) % 1024 for place, token in enumerate(learned.tokens)}
    ids |= {b" whole": 2000, b"chunk": 2001, b"jumps over": 2002}
    pairs = [(learned.tokens[left], learned.tokens[right]) for left, right in learned.merges]
    pairs = [(b"qz", b"x"), (b"q", b"z"), *pairs]
    ids |= {b"qz": 2010, b"qzx": 2011}
    merges = {pair: rank for rank, pair in enumerate(pairs)}
    special = {"<s>": 3000, "</s>": 3001, "<pad>": 3005}
    return Foreign(ids, merges, special, (ALL_PATTERNS["gpt2"].text,))


@cache
def parts_of_a_check() -> tuple[Foreign, Artifact, dict[bytes, tuple[bytes, bytes]], list[bytes]]:
    """Return the tokenizer, its conversion, its merges, and its whole and moved tokens."""
    foreign = foreign_tokenizer()
    made = _made(foreign)
    _, moved = _in_order(made)
    whole = sorted(foreign.ids.keys() - made.keys() - BYTES.keys())
    return foreign, converted(foreign), made, [*whole, *moved]


def with_merges(artifact: Artifact, *changes: tuple[int, tuple[int, int]]) -> Artifact:
    """Return the tokenizer with other pairs at some ranks."""
    merges = [*artifact.merges]
    for rank, pair in changes:
        merges[rank] = pair
    return replace(artifact, merges=merges)


def with_ids(artifact: Artifact, *places: int, shift: int = 0) -> Artifact:
    """Return the tokenizer with the ids at some places in another order, and shifted."""
    ids = [*artifact.ids]
    for place, other in zip(places, [*places[1:], places[0]], strict=True):
        ids[place] = artifact.ids[other] + shift
    return replace(artifact, numbering=(*ids,))


def with_token(artifact: Artifact, place: int, token: bytes) -> Artifact:
    """Return the tokenizer with another token at a place."""
    tokens = [*artifact.tokens]
    tokens[place] = token
    return replace(artifact, tokens=tokens)


NEVER = (0xC0, 0xC1)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(lambda one: replace(one, pattern=ALL_PATTERNS["gpt4"]), id="pattern gpt4"),
        pytest.param(lambda one: replace(one, pattern=ALL_PATTERNS["qwen2"]), id="pattern qwen2"),
        pytest.param(lambda one: with_merges(one, (0, NEVER)), id="first merge missing"),
        pytest.param(lambda one: with_merges(one, (1, NEVER)), id="moved merge missing"),
        pytest.param(lambda one: with_merges(one, (3, NEVER)), id="learned merge missing"),
        pytest.param(lambda one: with_merges(one, (22, NEVER)), id="later merge missing"),
        pytest.param(
            lambda one: with_merges(one, (3, one.merges[4]), (4, one.merges[3])),
            id="two merges swapped",
        ),
        pytest.param(
            lambda one: with_merges(one, (2, one.merges[22]), (22, one.merges[2])),
            id="distant merges swapped",
        ),
        pytest.param(lambda one: with_merges(one, (3, one.merges[3][::-1])), id="merge turned"),
        pytest.param(lambda one: with_token(one, -1, b"jumps under"), id="whole token wrong"),
        pytest.param(lambda one: with_token(one, -3, b" while"), id="first whole token wrong"),
        pytest.param(lambda one: replace(one, pattern=ALL_PATTERNS["tekken"]), id="tekken"),
        pytest.param(lambda one: with_ids(one, 97, 98), id="ids of bytes swapped"),
        pytest.param(lambda one: with_ids(one, 32, shift=9000), id="id of a byte wrong"),
        pytest.param(lambda one: with_ids(one, 260, 261), id="ids of tokens swapped"),
        pytest.param(lambda one: with_ids(one, 257, shift=9000), id="id of a moved token wrong"),
        pytest.param(lambda one: with_ids(one, -1, shift=1), id="last special id off by one"),
        pytest.param(lambda one: with_ids(one, -3, -2), id="special ids swapped"),
        pytest.param(
            lambda one: replace(one, special_names=("<t>", *one.special_names[1:])),
            id="special token wrong",
        ),
        pytest.param(
            lambda one: replace(
                one,
                tokens=one.tokens[: 256 + len(one.merges)],
                numbering=one.ids[:-6] + one.ids[-3:],
            ),
            id="no whole tokens",
        ),
    ],
)
def test_a_fault_of_the_conversion_is_found(fault: Callable[[Artifact], Artifact]) -> None:
    """The comparison finds each of 20 faults in the merges, tokens, ids or names of the result."""
    foreign, good, made, odd = parts_of_a_check()
    with pytest.raises(ValueError, match="a tokenizer file cannot represent its merges: "):
        _check_ids(foreign, fault(good), made, odd)
