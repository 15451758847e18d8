"""The page of the Python API names everything public, and its examples are right."""

import doctest
import re
from typing import Final

import pytest

import bpetite
from bpetite_compare import reference
from project_tools import ROOT

pytestmark = pytest.mark.thorough

PAGE: Final = ROOT / "docs" / "reference" / "api.md"


def test_page_examples_are_correct() -> None:
    """Every example prints what the page shows, using only public names."""
    blocks = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names = {name: getattr(reference, name) for name in reference.__all__}
    names["Tokenizer"] = bpetite.Tokenizer
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for block in blocks:
        runner.run(parser.get_doctest(block, names, "api.md", str(PAGE), 0))
    assert runner.summarize().failed == 0
    assert runner.summarize().attempted >= len(blocks) > 5
