"""The examples in the docstrings of the comparison print what they show."""

import doctest
import importlib
import pkgutil

import bpetite_compare


def test_examples_are_correct() -> None:
    """Every example in a docstring prints what it shows."""
    package = bpetite_compare.__name__
    modules = [one.name for one in pkgutil.walk_packages(bpetite_compare.__path__, f"{package}.")]
    results = [doctest.testmod(importlib.import_module(name)) for name in [package, *modules]]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 8
