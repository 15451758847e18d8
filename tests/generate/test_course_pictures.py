"""The pictures of the course: two themes, no requests, no overflow, and bpetite's merges."""

import re
from typing import Final
from xml.etree import ElementTree as ET

import pytest
import rustbpe
import tokenizers

import course_pictures
from bpetite import Tokenizer
from course_pictures import PICTURES
from drawing import LEFT, WIDTH, Drawing

pytestmark = pytest.mark.thorough

SVG: Final = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_loads_nothing_and_has_two_themes(name: str) -> None:
    """It names no host; both themes set the same colors, and every class has a rule."""
    text = PICTURES[name]().svg()
    assert len(text.encode()) < 20_000
    assert re.findall(r"\w+://[^\"]*|url\(|@import", text) == ["http://www.w3.org/2000/svg"]
    root = ET.fromstring(text)  # noqa: S314 - our own
    style = root.findtext(f"{SVG}style") or ""
    light, dark = (set(re.findall(r"(--\w+):", part)) for part in style.split("@media"))
    assert light == dark == set(re.findall(r"var\((--\w+)\)", style))
    classes = {one for shape in root.iter() for one in shape.get("class", "").split()}
    assert classes <= set(re.findall(r"\.([a-z]+) ", style))


@pytest.mark.parametrize("name", PICTURES)
def test_every_shape_is_on_the_card(name: str) -> None:
    """No box leaves the card, and no text begins outside it."""
    root = ET.fromstring(PICTURES[name]().svg())  # noqa: S314 - our own
    _, _, width, height = map(float, root.get("viewBox", "").split())
    assert width == WIDTH
    for box in root.iter(f"{SVG}rect"):
        x, y, wide, high = (float(box.get(key, "")) for key in ("x", "y", "width", "height"))
        assert 0 <= x < x + wide <= width
        assert 0 <= y < y + high <= height
    for text in root.iter(f"{SVG}text"):
        assert LEFT <= float(text.get("x", "")) <= width - LEFT
        assert 0 < float(text.get("y", "")) < height


def test_overflow_is_an_error() -> None:
    """A line of words or a row of tokens that is too wide is an error, not cut."""
    with pytest.raises(ValueError, match="has 60 letters, and a line has room for 50"):
        Drawing().say("a" * 60)
    with pytest.raises(ValueError, match="has no room in its row"):
        Drawing().tokens([b"token"] * 9)


def test_the_pictured_heap_gives_the_merges() -> None:
    """Correct entries are merged, in bpetite's order; all others are stale."""
    merges = Tokenizer.train(course_pictures._TOY.CORPUS, 264)._artifact.merges
    popped = course_pictures._popped(len(merges))
    assert [pair for said, pair, true, _ in popped if said == true] == list(merges)
    assert all(said > true for said, _, true, verdict in popped if "merged" not in verdict)


def test_page_11_pictures_the_ids_of_other_libraries() -> None:
    """The ids on page 11 are those of rustbpe and of Hugging Face."""
    corpus, text = course_pictures._TOY.CORPUS, " towed, See"
    rust = rustbpe.Tokenizer()
    rust.train_from_iterator(iter(corpus), 264, pattern=course_pictures._TOY.PATTERN)
    assert rust.encode(text) == Tokenizer.train(corpus, 264).encode(text)
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    hugging_face = tokenizers.Tokenizer(tokenizers.models.BPE())
    hugging_face.pre_tokenizer = byte_level
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=264, show_progress=False, initial_alphabet=byte_level.alphabet()
    )
    hugging_face.train_from_iterator(corpus, trainer)
    assert tuple(hugging_face.encode(text).ids) == course_pictures.HUGGING_FACE
