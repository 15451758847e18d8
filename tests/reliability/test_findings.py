"""Inputs that the fuzzer found: each reached code that no smaller input before it had reached."""

from pathlib import Path
from typing import Final

import pytest

from reliability.fuzz_targets import check_artifact, check_text

FINDINGS: Final = Path(__file__).parent / "findings"
ARTIFACTS: Final = sorted((FINDINGS / "load").iterdir())
TEXTS: Final = sorted((FINDINGS / "text").iterdir())


@pytest.mark.parametrize("finding", ARTIFACTS, ids=lambda path: path.name[:8])
def test_finding_is_rejected_or_loads_correctly(tmp_path: Path, finding: Path) -> None:
    """FR-29: the fuzzer's files raise the right error, or load as what they describe."""
    check_artifact(finding.read_bytes(), tmp_path / "tokenizer.json")


@pytest.mark.parametrize("finding", TEXTS, ids=lambda path: path.name[:8])
def test_finding_trains_and_encodes_as_in_the_oracle(finding: Path) -> None:
    """FR-10, FR-16: the fuzzer's texts train and encode as the specification says."""
    check_text(finding.read_bytes())
