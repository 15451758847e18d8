"""Run the examples in the docstrings of the command line."""

import doctest
import importlib
import pkgutil

import pytest

import bpetite_cli

# Importing `__main__` would run the command.
MODULES = [
    module.name
    for module in pkgutil.walk_packages(bpetite_cli.__path__, "bpetite_cli.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_correct(name: str) -> None:
    """Every example in a docstring prints what it shows."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
