"""Inputs that the fuzzer found: each reached code that no smaller input before it had reached."""

from pathlib import Path
from typing import Final

import pytest

from bpetite._persistence import load
from reliability.fuzz_targets import check_artifact, check_text

FINDINGS: Final = Path(__file__).parent / "findings"
ARTIFACTS: Final = sorted((FINDINGS / "load").iterdir())
TEXTS: Final = sorted((FINDINGS / "text").iterdir())
CHECKS: Final = (
    *("expected UTF-8", "expected JSON", "top level: expected a JSON object"),
    *("missing key 'schema_version'", "schema_version: expected an integer"),
    *("schema_version: expected 1", "missing key 'merges'", "top level: expected only the keys"),
    *("pretokenizer_pattern: expected a string", "pretokenizer_pattern: expected the GPT-2"),
    *("merges: expected a list", "mergeable_vocab_size: expected an integer"),
    *("mergeable_vocab_size: expected 2", "a list of integers in 0..255", "found 'no "),
    *("']: expected [", "joined", "special_tokens", "expected only the ids"),
)
"""The beginnings of the checks' messages, from the first to the nineteenth."""


@pytest.mark.parametrize("finding", ARTIFACTS, ids=lambda path: path.name[:8])
def test_finding_is_rejected_or_loads_correctly(tmp_path: Path, finding: Path) -> None:
    """FR-29: the fuzzer's files raise the right error, or load as what they describe."""
    check_artifact(finding.read_bytes(), tmp_path / "tokenizer.json")


@pytest.mark.parametrize("finding", TEXTS, ids=lambda path: path.name[:8])
def test_finding_trains_and_encodes_as_in_the_oracle(finding: Path) -> None:
    """FR-10, FR-16: the fuzzer's texts train and encode as the specification says."""
    check_text(finding.read_bytes())


def test_findings_reach_every_check(tmp_path: Path) -> None:
    """FR-29: each of the nineteen checks rejects at least one finding."""
    path = tmp_path / "tokenizer.json"
    refusals = []
    for finding in ARTIFACTS:
        path.write_bytes(finding.read_bytes())
        with pytest.raises((KeyError, ValueError)) as caught:
            load(path)
        refusals.append(caught.value.args[0].removeprefix(f"{str(path)!r}: "))
    assert [start for start in CHECKS if not any(start in said for said in refusals)] == []
