"""Special tokens: which texts they may have, and finding them in text.

The rules for their texts make sure that

- no text has two readings: the leftmost one is found, and none is the beginning of another;
- reading in blocks never cuts one, as none contains whitespace;
- no learned token has the same bytes: in no pattern, a chunk has an ASCII letter or digit
  directly before ASCII punctuation, except for the apostrophe of "it's".

Imports may also have whitespace alone, such as runs of spaces. Reading in blocks never cuts these
either (`_boundaries`). One may be the beginning of another, and the longest is found.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, groupby, pairwise
from operator import index
from typing import Final, Literal, TypeAlias

from bpetite._quoting import shortened

MOST: Final = 4096
LONGEST: Final = 256

_WHITESPACE: Final = re.compile(r"[^\S\x1c-\x1f]+")
_RULES: Final = (
    (re.compile(r".", re.DOTALL), "has at least one character"),
    (re.compile(rf".{{1,{LONGEST}}}\Z", re.DOTALL), f"has at most {LONGEST} characters"),
    (re.compile(r"(?:[\S\x1c-\x1f])+\Z"), "has no whitespace, where long texts are cut"),
    (re.compile(r"[^\ud800-\udfff]+\Z"), "has no lone surrogate, as UTF-8 has none"),
    (
        re.compile(r".*[A-Za-z0-9][!-&(-/:-@\[-`{-~]", re.DOTALL),
        (
            "has an ASCII letter or digit directly before ASCII punctuation, apostrophes aside, "
            "so that no learned token has its bytes"
        ),
    ),
)

Origin: TypeAlias = Literal["trained", "imported", "exported"]
"""What has the special tokens: a tokenizer to train or of this kind, another one, an export."""

_NOT_MIXED: Final = (
    re.compile(rf"(?:(?:[\S\x1c-\x1f])+|{_WHITESPACE.pattern})\Z"),
    "has no whitespace beside other characters, where long texts are cut",
)

_RULES_OF: Final[dict[Origin, Sequence[tuple[re.Pattern[str], str]]]] = {
    "trained": _RULES,
    "imported": (*_RULES[:2], _NOT_MIXED, _RULES[3]),  # the last is for tokens learned later
    "exported": (_RULES[0], _RULES[3]),  # other libraries take long names, and spaces
}

_NUMBERED: Final = re.compile(r"<\|special[0-9]+\|")
_LEVELS: Final = 8
"""How deep the groups of the pattern nest with one character each, as its compiler is recursive.

Deeper groups take a third of the names or more.
"""


class SpecialTokenError(ValueError):
    """A special token breaks a rule.

    reason: the message without the advice at its end.
    """

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(f"{reason}; {advice}" if advice else reason)
        self.reason = reason


class SpecialTokens:
    """The special tokens of a tokenizer: the id of each exact text."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self.ids = ids
        whitespace = sorted(filter(is_whitespace, ids), reverse=True)  # the longest first
        names = [*sorted(ids.keys() - whitespace), *whitespace]
        self._any = re.compile(f"({_any_of(names)})") if ids else None

    def cut(self, text: str, ordinary: Sequence[tuple[int, int]] = ()) -> list[str]:
        """Return ordinary text and special tokens in turn, beginning and ending with text.

        Args:
            text: the text.
            ordinary: the parts that no special token may overlap, as `ordinary_parts` returns them.

        >>> SpecialTokens({"<|endoftext|>": 256}).cut("a<|endoftext|>")
        ['a', '<|endoftext|>', '']
        """
        if self._any is None:
            return [text]
        if not ordinary:
            return self._any.split(text)
        cut: list[str] = []
        begin = place = 0
        for start, end in (*ordinary, (len(text), len(text))):
            while found := self._any.search(text, place, start):
                cut += [text[begin : found.start()], found[0]]
                begin = place = found.end()
            place = end
        return [*cut, text[begin:]]


def is_whitespace(name: str) -> bool:
    """Return whether a special token is whitespace alone."""
    return _WHITESPACE.fullmatch(name) is not None


def checked_special_tokens(names: Sequence[str], origin: Origin = "trained") -> tuple[str, ...]:
    """Return the texts of special tokens, after checking the rules for their origin.

    Raises:
        TypeError: it is not a sequence of `str`.
        SpecialTokenError: a text breaks a rule, or there are too many.
    """
    if isinstance(names, (str, bytes)) or not isinstance(names, Sequence):  # a set has no order
        raise TypeError(f"special_tokens must be a sequence of str, got {type(names).__name__}")
    checked = (*names,)
    if len(checked) > MOST:
        raise SpecialTokenError(f"special_tokens: at most {MOST:,}, got {len(checked):,}")
    for name in checked:
        if not isinstance(name, str):
            raise TypeError(f"special tokens must be str, got {type(name).__name__}")
        for allowed, rule in _RULES_OF[origin]:
            if not allowed.match(name):
                raise _refused(name, f"a special token {rule}", checked)
    for name, longer in pairwise(sorted(checked)):
        if name == longer:
            raise SpecialTokenError(f"special token {shortened(name)} is given twice", "remove one")
        if longer.startswith(name) and not is_whitespace(longer):
            reason = f"it begins with the special token {shortened(name)}"
            raise _refused(longer, reason, checked)
    return checked


def ordinary_parts(parts: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Return the ordinary parts of a text of some size in order; those that meet become one.

    For the errors, see `Tokenizer.encode`.
    """
    advice = "ordinary must be True, False, or pairs of integers such as [(0, 5)]"
    if isinstance(parts, (str, bytes, Mapping)) or not isinstance(parts, Iterable):
        raise TypeError(f"{advice}; got {type(parts).__name__}")
    checked: list[tuple[int, int]] = []
    for part in parts:
        try:
            start, end = map(index, part)
            are_integers = bool not in map(type, part)
        except (TypeError, ValueError):
            are_integers = False
        if not are_integers:
            raise TypeError(f"{advice}; got {shortened(part)} in it")
        if not 0 <= start <= end <= size:
            rule = f"0 <= start <= end <= {size}, the number of characters"
            raise ValueError(f"ordinary: expected {rule}, got {shortened(part)}")
        checked.append((start, end))
    joined: list[tuple[int, int]] = []
    for start, end in sorted(checked):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _refused(name: str, reason: str, others: Sequence[str]) -> SpecialTokenError:
    """Return the error for a text, with one that would work."""
    words = re.sub("[^A-Za-z0-9]+", "_", name).strip("_")[:24] or "special"
    better = f"<|{words}|>"
    kept = [other for other in others if all(allowed.match(other) for allowed, _ in _RULES)]
    if any(other.startswith(better) or better.startswith(other) for other in kept):
        # One search for each number would take time quadratic in the names.
        taken = {found[0] for other in kept if (found := _NUMBERED.match(other))}
        better = next(f"<|special{n}|>" for n in count(1) if f"<|special{n}|" not in taken)
    return SpecialTokenError(f"special token {shortened(name)}: {reason}", f"{better!r} would work")


def _any_of(names: Sequence[str], level: int = 0) -> str:
    """Return a pattern for sorted names that tries few of them at each position.

    Names that begin as others do are sorted in reverse, so that the longest is tried first.
    """
    if len(names) == 1:
        return re.escape(names[0])
    groups = [[*group] for _, group in groupby(names, lambda name: name[:1])]
    if len(groups) == 1:
        same = _same_beginning(names[0], names[-1])  # all names begin as these two do
        rest = _any_of([name[len(same) :] for name in names], level)
        return f"{re.escape(same)}(?:{rest})"
    third = len(names) // 3
    if level >= _LEVELS and (inner := _same_beginning(names[third], names[-1 - third])):
        groups = [[], []]
        for name in names:
            groups[not name.startswith(inner)].append(name)
    return "|".join(_any_of(group, level + 1) for group in groups)


def _same_beginning(one: str, other: str) -> str:
    both = enumerate(zip(one, other, strict=False))
    return one[: next((end for end, (a, b) in both if a != b), min(len(one), len(other)))]
