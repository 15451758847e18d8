"""The examples in the docstrings of the comparison print what they show."""

import doctest
import importlib
import pkgutil

import pytest

import bpetite_compare

MODULES = [
    module.name
    for module in pkgutil.walk_packages(bpetite_compare.__path__, f"{bpetite_compare.__name__}.")
]


@pytest.mark.parametrize("name", [bpetite_compare.__name__, *MODULES])
def test_examples_are_correct(name: str) -> None:
    """Every example in a docstring prints what it shows."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    found = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(found) > 8
