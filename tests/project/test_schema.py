"""The JSON Schema of the artifact, compared with the loader.

The hostile files come from the loader's tests: each file that `load` must reject is also given
to the schema. A schema cannot express everything, and `CANNOT_SAY` lists what it accepts.
"""

import json
import re
from typing import Any, Final

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

import oracle
from artifacts import (
    FOURTH,
    GOOD,
    ODD_FILES,
    SECOND,
    THIRD,
    artifact_with,
    canonical,
    loaded,
    saved,
)
from bpetite import Tokenizer
from hostile import FAULTS, with_faults
from project_tools import ROOT
from texts import merge_lists

pytestmark = pytest.mark.thorough

SCHEMA: Final = json.loads((ROOT / "docs" / "reference" / "artifact.schema.json").read_bytes())
VALIDATOR: Final = Draft202012Validator(SCHEMA)

CANNOT_SAY: Final = {
    1: {2, 13, 15, 17, 19, 21, 22},
    2: {19, 20, 21, 22},
    3: {19, 20, 21, 23, 24, 25, 26, 27},
    4: {21, 23, 24},
}
"""The checks of each schema version, by step, that a schema cannot make completely.

It cannot compare two fields or two entries of a list, nor count keys in another field, join tokens
or notice an equal key; and dialects of regular expressions differ in surrogates.
"""


def accepts(data: bytes) -> bool:
    """Return whether the schema accepts a file, read by an ordinary JSON parser."""
    try:
        return bool(VALIDATOR.is_valid(json.loads(data.decode("utf-8"))))
    except ValueError:  # also for an integer of thousands of digits
        return False


@pytest.mark.parametrize("version", FAULTS)
def test_each_defect_is_rejected_or_listed(version: int) -> None:
    """Of the files that the checks of each version reject, it accepts only those listed."""
    passed = {one.step for one in FAULTS[version] if accepts(with_faults(version, one))}
    assert passed - ({2} if version == 3 else set()) == CANNOT_SAY[version]  # as in version 1


@pytest.mark.parametrize("content", [GOOD, SECOND, THIRD, FOURTH], ids=["1", "2", "3", "4"])
def test_the_schema_accepts_each_version(content: dict[str, Any]) -> None:
    """A file of each version matches, but with no other number."""
    numbers = [n for n in range(1, 6) if accepts(canonical(content | {"schema_version": n}))]
    assert numbers == [content["schema_version"]]


@pytest.mark.parametrize("pattern", oracle.ONLY_VERSION_3.values(), ids=oracle.ONLY_VERSION_3)
def test_the_schema_accepts_each_pattern_for_imports(pattern: str) -> None:
    """Versions 3 and 4 have these patterns too."""
    for content in (THIRD, FOURTH):
        assert accepts(canonical(content | {"pretokenizer_pattern": pattern}))


@pytest.mark.parametrize("pattern", oracle.PATTERNS)
@pytest.mark.parametrize("names", [0, 1, 4096])
def test_the_schema_accepts_what_train_saves(pattern: str, names: int) -> None:
    """With any pattern and number of special tokens, a tokenizer file matches."""
    special = [f"<{n}>" for n in range(names)]
    assert accepts(saved(Tokenizer.train("ab ab", 258, pattern=pattern, special_tokens=special)))


@given(ODD_FILES | merge_lists().map(lambda merges: canonical(artifact_with(merges))))
def test_the_schema_accepts_whatever_loads(data: bytes) -> None:
    """With odd values anywhere, or merges that no training learns, it accepts whatever loads."""
    try:
        loaded(data)
    except (KeyError, ValueError):
        return
    assert accepts(data)


PAGE: Final = (ROOT / "docs" / "reference" / "artifact.md").read_text(encoding="utf-8")
CHECKS: Final = {
    int(step): {*map(int, only.split(", "))} if only else {*FAULTS}
    for step, only in re.findall(
        r"^(\d+)\. (?:\*([\d, ]+):\* )?", PAGE.partition("## Schema version 2")[0], re.MULTILINE
    )
}
"""The versions that make each check, by its step on the page."""


def test_the_page_lists_the_checks_of_each_version() -> None:
    """The checks are numbered; those that reject files of a version are checks of that version."""
    assert [*CHECKS] == [*range(1, 28)]
    for version, faults in FAULTS.items():
        steps = [fault.step for fault in faults]
        assert steps == sorted(steps)
        assert [step for step in steps if version not in CHECKS[step]] == []
    rejected = {fault.step for faults in FAULTS.values() for fault in faults}
    assert rejected == CHECKS.keys()


def test_the_page_lists_the_checks_of_the_schema() -> None:
    """The page names exactly the checks of which the schema accepts some."""
    (named,) = re.findall(r"The steps (.+?) are in the schema only in part", PAGE)
    in_part: set[int] = set()
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", named):
        in_part |= {*range(int(first), int(last or first) + 1)}
    assert in_part == set().union(*CANNOT_SAY.values())
