"""The explorer in Chromium, opened as a file: each link of the course shows what it should."""

import json
import re
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar, Final
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

# Opens each link at each width in a frame, and sends a list of what the frames show.
FRAMES: Final = """<!doctype html><meta charset="utf-8"><body><script>
const texts = (page, selector) => [...page.querySelectorAll(selector)].map((one) => one.innerText);
const state = (page) => ({
  ids: [...page.querySelectorAll("#tokens [data-id]")].map((one) => Number(one.dataset.id)),
  figure: texts(page, "#figure-tokens")[0],
  said: texts(page, "#train-say")[0],
  learned: texts(page, "#learned small"),
  alerts: texts(page, "[role=alert]"),
  wide: page.documentElement.scrollWidth,
});
const look = async (link, width) => {
  const frame = document.createElement("iframe");
  Object.assign(frame.style, { width: `${width}px`, height: "3000px", border: 0 });
  frame.src = `INDEX#${link}`;
  document.body.replaceChildren(frame);
  await new Promise((loaded) => { frame.onload = loaded; });
  // What is in sight is drawn in the next frame, and training goes on in slices.
  let found, before;
  for (let turn = 0; turn < 50; turn++) {
    [before, found] = [JSON.stringify(found), state(frame.contentDocument)];
    const drawn = link.includes("view=train") || found.ids.length;
    if (drawn && JSON.stringify(found) === before) break;
    await new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 30)); });
  }
  return found;
};
(async () => {
  const found = [];
  for (const [link, width] of ASKED) found.push(await look(link, width));
  await fetch("ANSWER", { method: "POST", mode: "no-cors", body: JSON.stringify(found) });
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
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        server.timeout = 120
        script = FRAMES.replace("ASKED", json.dumps(asked))
        script = script.replace("INDEX", (EXPLORER / "index.html").as_uri())
        script = script.replace("ANSWER", f"http://127.0.0.1:{server.server_port}")
        frames = folder / "frames.html"
        frames.write_text(script, encoding="utf-8")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
        flags += ["--window-size=1920,3000", f"--user-data-dir={folder}"]
        nothing = subprocess.DEVNULL
        with subprocess.Popen(
            [program, *flags, frames.as_uri()], stdout=nothing, stderr=nothing
        ) as browser:
            server.handle_request()
            browser.terminate()
    return dict(zip(asked, Answer.found, strict=True))


class Answer(BaseHTTPRequestHandler):
    """Receive what the frames show."""

    found: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        """Receive the list."""
        Answer.found = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Do not log requests."""


def merges_of(name: str) -> list[tuple[int, int]]:
    """Return the merges of a sample tokenizer, or of the one that is trained on the page."""
    if name == "trained":
        return list(Tokenizer.train(CORPUS, 264)._artifact.merges)
    script = (EXPLORER / "samples.js").read_text(encoding="ascii")
    (rows,) = re.findall(rf"^  {name}: \[\n(.*?),\n  \],$", script, re.MULTILINE | re.DOTALL)
    return [(left, right) for left, right in json.loads(f"[{rows}]")]


def test_links_to_a_text_show_its_tokens(shown: dict[tuple[str, int], dict[str, Any]]) -> None:
    """The page's ids are the core's, after as many merges as the link says."""
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
