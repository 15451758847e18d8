"""The explorer in Chromium, from a disk: each link of the course shows what its page describes."""

import html
import json
import re
import shutil
import subprocess
from typing import Any, Final
from urllib.parse import parse_qs

import pytest

from bpetite import Tokenizer
from bpetite._artifact import Artifact
from project_tools import ROOT

pytestmark = pytest.mark.thorough

EXPLORER: Final = ROOT / "docs" / "explorer"
CORPUS: Final = "tow, tower, towed\nSee, Seeelefant, öde, übel"
WIDTHS: Final = (360, 1280, 1920)
LINKS: Final = sorted(
    {
        link
        for page in (ROOT / "docs" / "course").glob("*.md")
        for link in re.findall(r"explorer/index\.html#([^)]*)\)", page.read_text("utf-8"))
    }
)

# Opens each link at each width in a frame, and becomes a list of what the frames show.
FRAMES: Final = """<!doctype html><meta charset="utf-8"><body><script>
const texts = (page, selector) => [...page.querySelectorAll(selector)].map((one) => one.innerText);
const look = async (link, width) => {
  const frame = document.createElement("iframe");
  Object.assign(frame.style, { width: `${width}px`, height: "900px", border: 0 });
  frame.src = `INDEX#${link}`;
  document.body.append(frame);
  await new Promise((loaded) => { frame.onload = loaded; });
  await new Promise((done) => { setTimeout(done, 1000); });
  const page = frame.contentDocument;
  const found = {
    ids: [...page.querySelectorAll("#tokens [data-id]")].map((one) => Number(one.dataset.id)),
    figure: texts(page, "#figure-tokens")[0],
    said: texts(page, "#train-say")[0],
    learned: texts(page, "#learned small"),
    alerts: texts(page, "[role=alert]"),
    wide: page.documentElement.scrollWidth,
  };
  frame.remove();
  return found;
};
(async () => {
  const found = [];
  for (const [link, width] of ASKED) found.push(await look(link, width));
  document.body.textContent = JSON.stringify(found);
})();
</script>"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], dict[str, Any]]:
    """Return what the explorer shows for each link at each width."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("there is no Chromium on PATH")
    folder = tmp_path_factory.mktemp("chromium")
    asked = [(link, width) for link in LINKS for width in WIDTHS]
    script = FRAMES.replace("INDEX", (EXPLORER / "index.html").as_uri())
    frames = folder / "frames.html"
    frames.write_text(script.replace("ASKED", json.dumps(asked)), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    flags += ["--window-size=1920,1000", "--virtual-time-budget=600000"]
    done = subprocess.run(
        [program, *flags, f"--user-data-dir={folder}", "--dump-dom", frames.as_uri()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        check=True,
    )
    (found,) = re.findall(r"<body>(.*)</body>", done.stdout, re.DOTALL)
    return dict(zip(asked, json.loads(html.unescape(found)), strict=True))


def merges_of(name: str) -> list[tuple[int, int]]:
    """Return the merges of a sample tokenizer, or of the one that is trained on the page."""
    if name == "trained":
        return list(Tokenizer.train(CORPUS, 264)._artifact.merges)
    script = (EXPLORER / "samples.js").read_text(encoding="ascii")
    (rows,) = re.findall(rf"^  {name}: \[\n(.*?),\n  \],$", script, re.MULTILINE | re.DOTALL)
    return [(left, right) for left, right in json.loads(f"[{rows}]")]


def test_links_to_a_text_show_its_tokens(shown: dict[tuple[str, int], dict[str, Any]]) -> None:
    """The ids in the page are those of the core, after as many merges as the link says."""
    for (link, _), found in shown.items():
        state = {key: values[0] for key, values in parse_qs(link).items()}
        if state["view"] == "train":
            continue
        trained = merges_of(state["tokenizer"])[: int(state.get("step", 4096))]
        merges = trained[: int(state.get("merges", 4096))]
        ids = Tokenizer._of(Artifact.of_merges(merges)).encode(state["text"])
        special = {256 + len(merges): 256 + len(trained)}
        assert found["ids"] == [special.get(token_id, token_id) for token_id in ids]
        assert (found["figure"], found["alerts"]) == (str(len(ids)), ["", ""])


def test_links_to_training_show_its_step(shown: dict[tuple[str, int], dict[str, Any]]) -> None:
    """The page has made as many merges as the link says, and has learned their tokens."""
    for (link, _), found in shown.items():
        if "view=train" in link:
            made = int(parse_qs(link)["step"][0])
            assert re.match(rf"{made} merges? of 8, {256 + made} tokens, ", found["said"])
            assert [int(token_id) for token_id in found["learned"]] == [*range(256, 256 + made)]


def test_nothing_is_wider_than_the_window(shown: dict[tuple[str, int], dict[str, Any]]) -> None:
    """From a phone to a large screen, no page scrolls sideways."""
    assert {width for _, width in shown} == set(WIDTHS)
    for (_, width), found in shown.items():
        assert found["wide"] <= width
