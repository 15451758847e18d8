"""Exports of extensions, whose new merges complete some whole tokens of the start."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite_compare._soundness import find_duplicate, find_unordered, find_unreachable
from exports import EVERY_FORM, load_back
from numbered import extended


@pytest.mark.parametrize("to", EVERY_FORM[:2])
@given(made=extended(), more=st.lists(st.sampled_from("ab c<é"), max_size=8).map("".join))
def test_an_extension_has_the_same_ids_elsewhere(
    tmp_path_factory: pytest.TempPathFactory, to: str, made: tuple[Artifact, list[str]], more: str
) -> None:
    """The texts are whole tokens of the start, their beginnings, and both with other letters."""
    artifact, whole = made
    assert not find_duplicate(artifact)
    assert not find_unreachable(artifact)
    assume(to != "tiktoken" or not find_unordered(artifact))
    folder = tmp_path_factory.mktemp("extended")
    ours = Tokenizer._of(artifact)
    ours.save(model := folder / "model.json")
    theirs, decoded = load_back(model, to, folder)
    begun = [token[:end] for token in whole for end in range(1, len(token) + 1)]
    for text in [more, *begun, *(f"{one}{more}" for one in begun), *(f"a{one}" for one in begun)]:
        ids = ours.encode(text)
        assert theirs(text) == ids
        assert decoded(ids) == text
