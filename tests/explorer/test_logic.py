"""The computations of the explorer's page: a text at each step, training, its address."""

import base64
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any, Final
from urllib.parse import quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import oracle
from artifacts import canonical, loaded
from bpetite_cli.terminal.visible import visible
from cli.test_why import Slow
from numbered import ANY, WORDS, Made, ids_by_bytes, numbered, plain
from texts import TIES, merge_lists

pytestmark = pytest.mark.thorough

TEXTS: Final = st.text("abc \né<|", max_size=60).map(
    lambda text: text.replace("<|", "<|endoftext|>")
)

Ask = Callable[..., Any]


@given(
    merges=merge_lists(),
    text=TEXTS,
    pattern=st.sampled_from([*oracle.PATTERNS]),
    names=st.sampled_from([(oracle.END_OF_TEXT,), (), ("<\u00e91>", "<|endo", "oftext|>")]),
)
def test_a_text_after_every_number_of_merges(
    ask: Ask, merges: list[tuple[int, int]], text: str, pattern: str, names: tuple[str, ...]
) -> None:
    """The tokens after r merges are those of a tokenizer with only these merges."""
    text += "".join(names)
    replay = ask("replay", merges, text, {"pattern": pattern, "specialTokens": names})
    assert replay["size"] == len(text.encode())
    for made, shown in enumerate(replay["all"]):
        ids = oracle.encode(text, merges[:made], oracle.PATTERNS[pattern], names)
        assert (shown["ids"], shown["count"]) == (ids, len(ids))
        tokens = [*oracle.vocabulary(merges[:made]).values()][:-1]
        tokens += [name.encode() for name in names]
        lengths = [len(tokens[token_id]) for token_id in ids]
        starts = [0, *accumulate(lengths)]
        assert shown["starts"] == [
            start for start, length in zip(starts, lengths, strict=False) for _ in range(length)
        ]
    for made, after in enumerate(replay["neighbors"]):
        following = [rank + 1 for rank in range(made, len(merges)) if replay["times"][rank]]
        assert after == (following[0] if following else len(merges))
    assert replay["curve"][-1][0] == len(merges)


@given(numbered(), st.text("abc é<", max_size=40))
def test_a_file_after_every_number_of_merges(ask: Ask, made: Made, text: str) -> None:
    """With fewer merges, whole tokens and special tokens stay, and all ids; each kind is named."""
    content, _, whole, names = made
    text = "<s>".join([text, *(token.decode() for token in whole), "".join(names)])
    of_special = {*content["special_tokens"].values()}
    of_whole = {one for token, one in ids_by_bytes(content).items() if token in whole}
    replay = ask("replay_file", canonical(content).decode(), text)
    for made_so_far, shown in enumerate(replay["all"]):
        gone = {str(new) for _, _, new in content["merges"][made_so_far:]}
        fewer = {
            "merges": content["merges"][:made_so_far],
            "mergeable_vocab_size": content["mergeable_vocab_size"] - len(gone),
            "vocab": {key: value for key, value in content["vocab"].items() if key not in gone},
        }
        ids = loaded(content | fewer).encode(text)
        assert (shown["ids"], shown["count"]) == (ids, len(ids))
        kinds = shown["kinds"]
        assert [kind == "whole token" for kind in kinds] == [one in of_whole for one in ids]
        assert [kind == "special token" for kind in kinds] == [one in of_special for one in ids]


@example(plain([(98, 99), (97, 98), (257, 99)]), "abc abc", 3)
@example(plain([], whole=[b"ab"]), "abc", 0)
@given(ANY, WORDS, st.integers(0, 12))
def test_why_not_is_that_of_the_oracle(ask: Ask, made: Made, text: str, most: int) -> None:
    """The longest token that could begin where a token does has the reason of `show --why`."""
    content, merges, whole, names = made
    text += " " + " ".join(names)
    most = min(most, len(merges))
    slow = Slow(made, text)
    if most < len(merges):
        slow.merges = [*merges[:most], *[(255, 255)] * (len(merges) - most)]
        slow.read(text)
    unnamed = range(len(slow.tokens) - len(names))
    known = [one for one in unnamed if one < 256 + most or one >= 256 + len(merges)]
    for start, size, found in ask("why_not", canonical(content).decode(), text, most):
        begin, part, is_special = next(one for one in slow.parts if start < one[0] + len(one[1]))
        rest = part[start - begin :]
        longer = [number for number in known if rest.startswith(slow.tokens[number])]
        longest = max((len(slow.tokens[number]) for number in longer), default=0)
        if is_special or part in whole or longest <= size:
            assert found is None
            continue
        number = min(number for number in longer if len(slow.tokens[number]) == longest)
        place = slow.place(number, start)
        assert found == [place["id"], place["ranks"]]
        assert place["reason"] == ("merge" if found[1] else "unmade")


@given(documents=st.lists(TIES, max_size=3), size=st.integers(256, 270))
def test_training_shows_the_counts(ask: Ask, documents: list[str], size: int) -> None:
    """The winner, its ties, the top of the table and the changed counts equal a recount."""
    chunks = [list(chunk) for document in documents for chunk in oracle.chunks_of(document)]
    for rank, step in enumerate(ask("lesson", documents, size)):
        counts = Counter(pair for chunk in chunks for pair in pairwise(chunk))
        highest = max(counts.values())
        winner = min(pair for pair, count in counts.items() if count == highest)
        tied = sum(count == highest for count in counts.values())
        assert step["best"] == {"pair": list(winner), "count": highest, "tied": tied}
        top = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:5]
        assert step["top"] == [{"pair": list(pair), "count": count} for pair, count in top]
        chunks = [oracle.merge(chunk, winner, 256 + rank) for chunk in chunks]
        after = Counter(pair for chunk in chunks for pair in pairwise(chunk))
        assert step["changed"] == [
            {"pair": list(pair), "before": counts[pair], "after": after[pair]}
            for pair in sorted({*counts, *after} - {winner})
            if counts[pair] != after[pair]
        ]


KNOWN: Final = st.characters(exclude_categories=["Cs", "Cn", "Co"])
"""The characters that every version of Unicode has that Python and Node may have."""


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=4), KNOWN.map(str.encode), KNOWN.map(lambda one: one.encode()[:-1])
        ),
        max_size=6,
    )
)
def test_bytes_look_as_on_the_terminal(ask: Ask, some: list[bytes]) -> None:
    """A token has one notation: that of `bpetite inspect` and of the other commands."""
    data = b"".join(some)
    text = data.decode("utf-8", "ignore")
    assume(all(unicodedata.category(character) not in {"Cn", "Co"} for character in text))
    assert "".join(part["shown"] for part in ask("visible", list(data))) == visible(data)


TEXT_OF_A_LINK: Final = st.text() | st.integers(1, 5_000).map("é".__mul__)


@given(
    state=st.dictionaries(st.sampled_from(["text", "corpus", "view"]), TEXT_OF_A_LINK),
    refused=st.booleans(),
)
def test_a_link_restores_its_state(ask: Ask, state: dict[str, str], *, refused: bool) -> None:
    """A link is one word of ASCII, names what it has no room for, and restores the rest."""
    state["view"] = state.get("view", "")[:9]
    fragment, without, again = ask("link", state, ["text"] if refused else [])
    assert again.pop("without", "").split() == without
    assert again == {name: value for name, value in state.items() if name not in without}
    assert re.fullmatch(r"#[!-~]{0,4000}", fragment)
    sizes = {name: len(quote_plus(state[name])) for name in ("text", "corpus") if name in state}
    if refused:
        sizes.pop("text", None)
    # Only the longest fields are left out, and only as many as needed.
    left_out = [name for name in without if name in sizes]
    assert all(sizes[name] >= max(sizes.values()) for name in left_out[:1])
    assert not left_out or sum(sizes.values()) > 3_800


@given(st.binary() | st.integers(0, 300).map(bytes))
def test_a_hash(ask: Ask, data: bytes) -> None:
    """The page's own SHA-256 is that of Python."""
    assert ask("sha256", base64.b64encode(data).decode()) == hashlib.sha256(data).hexdigest()
