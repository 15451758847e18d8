"""Compare two results: are they equal, which type is wrong, and where do they differ."""

from typing import Final

from checks.learner import Raised

_LONGEST: Final = 300
_LONG: Final = 200


def same(expected: object, result: object) -> bool:
    """Return whether two results are equal and have the same types throughout."""
    if isinstance(expected, Raised):
        return isinstance(result, Raised) and expected.kinds[0] in result.kinds
    return expected == result and not wrong_type(expected, result)


def wrong_type(expected: object, result: object) -> str:
    """Name the wrong type, the outermost first."""
    if isinstance(expected, Raised):
        if isinstance(result, Raised):
            return "An exception is right here, but not one of this kind."
        return "There is no right result here: this case must raise an exception."
    if result is None:
        return "The result is None. Is a `return` missing?"
    wanted, got = type(expected).__name__, type(result).__name__
    if wanted != got:
        return f"The result, or something in it, is of the type {got}; it must be {wanted}."
    one, other = _items(expected), _items(result)
    if wanted == "tuple" and len(one) != len(other):
        return f"A tuple has {len(other)} items; it must have {len(one)}."
    like = [*one, *one[-1:] * len(other)]
    return next(filter(None, map(wrong_type, like, other)), "")


def _items(value: object) -> list[object]:
    """Return the items of a value; those of dicts, but not of sets, match in order."""
    if isinstance(value, dict):
        return sorted(value.items(), key=repr)
    return [*value] if isinstance(value, (list, tuple)) else []


def facing(expected: object, result: object) -> str:
    """Return two results, one below the other, marking the difference in long ones."""
    whole = f"  expected  {short(expected)}\n  got       {short(result)}"
    one, other = (
        dict(enumerate(some)) if isinstance(some, (list, str)) else some
        for some in (expected, result)
    )
    if len(whole) <= _LONG or not (isinstance(one, dict) and isinstance(other, dict)):
        return whole
    for key in [*one, *other]:
        here, there = (short(some[key]) if key in some else "nothing" for some in (one, other))
        if here != there:
            first = f"  the first difference, at {key!r}: expected {here}, got {there}"
            return first if isinstance(expected, dict) else f"{whole}\n{first}"
    return whole


def short(value: object) -> str:
    """Return the repr of a value, cut if it is long."""
    text = f"the exception {value}" if isinstance(value, Raised) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
