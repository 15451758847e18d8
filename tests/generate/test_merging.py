"""The README's moving picture: real merges, whole at every moment, and readable without motion."""

import re
from typing import Final
from xml.etree import ElementTree as ET

import pytest

import project_tools
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from generate.merging import SENTENCE, draw, read_merges, replay

SVG: Final = "{http://www.w3.org/2000/svg}"
MERGES: Final = read_merges()
STEPS: Final = replay(MERGES)
PICTURE: Final = draw(STEPS)
ROOT: Final = ET.fromstring(PICTURE)  # noqa: S314 - our own


def shown(element: ET.Element) -> range:
    """Return the steps at which an element is visible."""
    found = re.search(r"\bs(\d+)-(\d+)\b", element.get("class", ""))
    assert found
    return range(int(found[1]), int(found[2]) + 1)


def texts(element: ET.Element) -> list[str]:
    return [text.text or "" for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("size", [256, 300, 1000, 256 + len(MERGES)])
def test_the_merges_are_those_of_the_encoder(size: int) -> None:
    """With the first merges of the sample, the picture ends with the ids that bpetite gives."""
    merges = MERGES[: size - 256]
    tokens = replay(merges)[-1].tokens
    ids = Tokenizer._of(Artifact.of_merges(merges)).encode(SENTENCE)
    assert [token.token_id for token in tokens] == ids


def test_each_moment_shows_the_tokens_of_its_step() -> None:
    """The visible boxes are as wide as the tokens after each merge, and cover the sentence."""
    boxes = [box for box in ROOT.iter(f"{SVG}rect") if "token" in box.get("class", "").split()]
    words = [group for group in ROOT.iter(f"{SVG}g") if len(texts(group)) == 2]
    for place, step in enumerate(STEPS):
        visible = [box for box in boxes if place in shown(box)]
        places = sorted((float(box.get("y", "")), float(box.get("x", ""))) for box in visible)
        assert len(places) == len({*places}) == len(step.tokens)
        letters = sum((float(box.get("width", "")) + 2) / 13 for box in visible)
        assert letters == len(SENTENCE)
        (said,) = (texts(group) for group in words if place in shown(group))
        assert said == [step.words, f"{len(step.tokens)} tokens"]


def test_the_picture_stands_still_on_its_end() -> None:
    """Without motion, exactly the last step is visible, with the ids; motion is opt-in."""
    last = len(STEPS) - 1
    moving = [one for one in ROOT.iter() if "moving" in one.get("class", "").split()]
    for one in moving:
        assert ("past" in one.get("class", "").split()) == (last not in shown(one))
    (ids,) = (texts(one) for one in moving if len(texts(one)) > 2)
    assert ids == [str(token.token_id) for token in STEPS[-1].tokens]
    before, _, motion = PICTURE.partition("@media (prefers-reduced-motion: no-preference) {\n")
    assert "animation" not in before
    assert "animation" not in motion.partition("\n}\n")[2]


def test_everything_appears_and_disappears_at_its_time() -> None:
    """The frames of each class begin when its first step does, and end with its last."""
    times = dict[int, float]()
    for first, frames in re.findall(r"@keyframes s(\d+)-\1 \{(.*)\}", PICTURE):
        times[int(first)] = float(re.findall(r"([\d.]+)% \{ visibility: visible", frames)[0])
    assert sorted(times) == [*range(len(STEPS))]
    assert [*times.values()] == sorted(times.values())
    for first, last, frames in re.findall(r"@keyframes s(\d+)-(\d+) \{(.*)\}", PICTURE):
        at = [
            (float(time), how)
            for time, how in re.findall(r"([\d.]+)% \{ visibility: (\w+)", frames)
        ]
        assert at == sorted(at)
        assert min(time for time, how in at if how == "visible") == times[int(first)]
        ends = [time for time, how in at if how == "hidden" and time]
        assert ends == ([times[int(last) + 1]] if int(last) + 1 in times else [])


def test_the_readme_describes_the_picture() -> None:
    """The text for those who do not see the picture has its numbers."""
    page = (project_tools.ROOT / "README.md").read_text(encoding="utf-8")
    merges, tokens = len(STEPS) - 2, len(STEPS[-1].tokens)
    assert f"![A sentence of {len(SENTENCE)} bytes: {merges} merges, " in page
    assert f", turn it into {tokens} tokens, each with its id](docs/merging.svg)" in page


def test_the_picture_loads_nothing_fits_and_has_two_themes() -> None:
    """It names no host, both themes set the same colors, and no box leaves the card."""
    assert re.findall(r"\w+://[^\"]*|url\(|@import|<script", PICTURE) == [
        "http://www.w3.org/2000/svg"
    ]
    style = PICTURE.partition("text {")[0]
    light, dark = (set(re.findall(r"(--\w+):", part)) for part in style.split("@media"))
    assert light == dark == set(re.findall(r"var\((--\w+)\)", PICTURE))
    _, _, width, height = map(float, ROOT.get("viewBox", "").split())
    for box in ROOT.iter(f"{SVG}rect"):
        x, y, wide, high = (float(box.get(key, "")) for key in ("x", "y", "width", "height"))
        assert 0 <= x < x + wide <= width
        assert 0 <= y < y + high <= height
