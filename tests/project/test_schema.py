"""The JSON Schema of the artifact, compared with the loader.

The hostile files come from the loader's tests: each file that `load` must reject is also given
to the schema. A schema cannot express everything, and `CANNOT_SAY` lists what it accepts.
"""

import json
import re
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from artifacts import ODD_FILES, THIRD, canonical, changed
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import PATTERNS
from bpetite._persistence import load
from hostile import hostile_files, hostile_files_of_version
from project_tools import ROOT
from texts import merge_lists

pytestmark = pytest.mark.thorough

SCHEMA: Final = json.loads((ROOT / "docs" / "reference" / "artifact.schema.json").read_bytes())
VALIDATOR: Final = Draft202012Validator(SCHEMA)

CANNOT_SAY: Final = {
    1: {2, 13, 15, 17, 18, 19},
    2: {19, 20, 21, 22},
    3: {13, 15, 16, 17, 19, 20, 21, 23},
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


def test_each_defect_is_rejected_or_listed(tmp_path: Path) -> None:
    """Of the files that the checks of each version reject, it accepts only those listed."""
    files = hostile_files(tmp_path)
    files[19].append(canonical(changed((("vocab", "259"), [97, 98]))))
    # Not those of a million merges, which take half a minute each.
    small = {step: [one for one in found if len(one) < 100_000] for step, found in files.items()}
    assert sum(map(len, small.values())) > 250
    assert all(small.values())
    assert {step for step, found in small.items() if any(map(accepts, found))} == CANNOT_SAY[1]
    for number in (2, 3):
        passed = {step for step, data in hostile_files_of_version(number) if accepts(data)}
        assert passed - {2} == CANNOT_SAY[number]  # step 2 is that of all versions


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("names", [None, [], ["<|a|>"], [f"<{n}>" for n in range(4096)]])
def test_the_schema_accepts_each_version(
    tmp_path: Path, pattern: str, names: list[str] | None
) -> None:
    """What `train` saves, and a file of version 3, match, but with no other number."""
    path = tmp_path / "tokenizer.json"
    Tokenizer.train("ab ab", 258, pattern=pattern, special_tokens=names).save(path)
    for content in (json.loads(path.read_bytes()), THIRD):
        for number in range(1, 5):
            changed = canonical(content | {"schema_version": number})
            assert accepts(changed) == (number == content["schema_version"])


@given(ODD_FILES | merge_lists().map(lambda merges: Artifact.of_merges(merges).to_bytes()))
def test_the_schema_accepts_whatever_loads(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """With odd values anywhere, or merges that no training learns, it accepts whatever loads."""
    path = tmp_path_factory.getbasetemp() / "odd.json"
    path.write_bytes(data)
    try:
        load(path)
    except (KeyError, ValueError):
        return
    assert accepts(path.read_bytes())


def test_the_page_lists_the_checks_of_the_schema() -> None:
    """The table of the checks says "in part" exactly where the schema accepts some."""
    page = (ROOT / "docs" / "reference" / "artifact.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| .+ \| (yes|in part) \|$", page, re.MULTILINE)
    numbers = [int(step) for step, _ in rows]
    of_version_3 = [11, 14, *range(18, 22), 15, 16, 12, 13, 17, 23]
    assert numbers == [*range(1, 20), 6, 10, *range(18, 24), *of_version_3]
    for number, found in enumerate((rows[:19], rows[19:-12], rows[-12:]), 1):
        assert {int(step) for step, said in found if said == "in part"} == CANNOT_SAY[number]
