"""A type checker knows the types of all that is public."""

import json
import os

import pytest

from project_tools import run, tool

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("package", ["bpetite", "bpetite_compare", "bpetite_compare.reference"])
def test_everything_public_has_a_type(package: str) -> None:
    """Pyright knows the complete type of every public name, from the package alone."""
    # It looks for the packages of the first `python` on the path.
    path = f"{tool('python').parent}{os.pathsep}{os.environ['PATH']}"
    options = ("--outputjson", "--ignoreexternal", "--verifytypes", package)
    report = json.loads(run(tool("basedpyright"), *options, env={"PATH": path}).stdout)
    completeness = report["typeCompleteness"]
    assert completeness["pyTypedPath"].endswith("py.typed")
    assert completeness["exportedSymbolCounts"]["withKnownType"] > 0
    assert completeness["completenessScore"] == 1
