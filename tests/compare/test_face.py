"""The comparison's public face: its names, its examples, its imports."""

import doctest
import importlib
import pkgutil

import pytest

import bpetite_compare

MODULES = [
    module.name
    for module in pkgutil.walk_packages(bpetite_compare.__path__, f"{bpetite_compare.__name__}.")
]


def test_the_public_names_are_as_documented() -> None:
    """The functions are a handful, and their results are dataclasses."""
    names = bpetite_compare.__all__
    functions = [name for name in names if name[0].islower()]
    importing = ["import_tiktoken", "import_tokenizer"]
    assert functions == ["compare", "export", *importing, "parity", "report", "to_tiktoken"]
    classes = [
        getattr(bpetite_compare, name) for name in names if name[0].isupper() and "_" not in name
    ]
    assert all(hasattr(one, "__dataclass_fields__") and one.__doc__ for one in classes)


def test_every_public_function_is_documented() -> None:
    """Each docstring has the arguments, the result and the errors."""
    for name in bpetite_compare.__all__:
        function = getattr(bpetite_compare, name)
        if name[0].islower():
            assert "Raises:" in function.__doc__, name


@pytest.mark.parametrize("name", [bpetite_compare.__name__, *MODULES])
def test_examples_are_correct(name: str) -> None:
    """Every example in a docstring prints what it shows."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    found = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(found) > 8
