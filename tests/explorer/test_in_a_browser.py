"""The explorer in Chromium: each link of the course, the one file, and links that are sent."""

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import pytest

import oracle
from artifacts import THIRD, artifact_with, canonical, loaded, merges_of
from bpetite import Tokenizer
from chromium import Chromium
from project_tools import ROOT

pytestmark = [pytest.mark.thorough, pytest.mark.posix]


EXPLORER: Final = ROOT / "docs" / "explorer"
CORPUS: Final = "tow, tower, towed\nSee, Seeelefant, öde, übel"
WIDTHS: Final = (360, 1280, 1920)
LINKS: Final = sorted(
    {
        link
        for page in (*(ROOT / "docs" / "course").glob("*.md"), ROOT / "docs" / "explorer.md")
        for link in re.findall(r"explorer/index\.html#([^)]*)\)", page.read_text("utf-8"))
    }
)

TESTER: Final = Path(__file__).with_name("tester.js").read_text(encoding="utf-8")
"""What every page gets: `tester`, which acts as a reader does, and returns what the page shows."""

IDS: Final = (
    "[...document.querySelectorAll('#tokens [data-id]')].map((one) => Number(one.dataset.id))"
)
SEEN: Final = "document.body.innerText"
Found = dict[str, Any]
ANY_SPEED: Final = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """Return Chromium, which all tests share."""
    page = Chromium(tmp_path_factory.mktemp("chromium"))
    page.send("Page.addScriptToEvaluateOnNewDocument", source=TESTER)
    yield page
    page.close()


@pytest.fixture
def page(chromium: Chromium, tmp_path: Path) -> Chromium:
    """Return a page as it is at first, which saves files in the folder of the test."""
    chromium.events.clear()
    chromium.send("Emulation.clearDeviceMetricsOverride")
    chromium.send("Emulation.setScriptExecutionDisabled", value=False)
    chromium.send("Network.emulateNetworkConditions", offline=False, **ANY_SPEED)
    chromium.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    return chromium


def resize(page: Chromium, width: int, height: int = 3000, *, mobile: bool = False) -> None:
    """Give the window a size in pixels."""
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    page.send("Emulation.setDeviceMetricsOverride", **screen)


def look(page: Chromium, link: str, width: int = 1280, act: str = "", height: int = 3000) -> Found:
    """Open a link in a window, do what JavaScript says, and return what the page shows then."""
    resize(page, width, height)
    page.open(f"{(EXPLORER / 'index.html').as_uri()}#{link}")
    found: Found = page.run(
        f"(async () => {{ await tester.settled(); {act}; return tester.settled(); }})()"
    )
    assert page.faults() == []
    return found


@pytest.fixture(scope="module")
def shown(chromium: Chromium) -> dict[tuple[str, int], Found]:
    """Return what the explorer shows for each link at each width."""
    found = {}
    for link in LINKS:
        found[link, WIDTHS[0]] = look(chromium, link, WIDTHS[0])
        for width in WIDTHS[1:]:
            resize(chromium, width)
            found[link, width] = chromium.run("tester.settled()")
    return found


def sample(name: str) -> Tokenizer:
    """Return a sample tokenizer, or the one that is trained on the page."""
    if name == "trained":
        return Tokenizer.train(CORPUS, 264)
    return Tokenizer.load(ROOT / "docs" / "samples" / f"{name}.json")


def encode(text: str, merges: list[tuple[int, int]]) -> list[int]:
    return loaded(artifact_with(merges)).encode(text)


def test_links_to_a_text_show_its_tokens(shown: dict[tuple[str, int], Found]) -> None:
    """The page's ids are the core's, after as many merges as the link says."""
    for (link, _), found in shown.items():
        state = {key: values[0] for key, values in parse_qs(link).items()}
        if state["view"] == "train":
            continue
        trained = merges_of(sample(state["tokenizer"]))[: int(state.get("step", 4096))]
        merges = trained[: int(state.get("merges", 4096))]
        if state["tokenizer"] == "code-gpt4":
            ids = sample("code-gpt4").encode(state["text"], ordinary="ordinary" in state)
        else:
            ids = encode(state["text"], merges)
        special = {256 + len(merges): 256 + len(trained)} if len(merges) < len(trained) else {}
        assert found["ids"] == [special.get(token_id, token_id) for token_id in ids]
        assert (found["figure"].split(" | ")[0], found["alerts"]) == (str(len(ids)), [])


def test_links_to_training_show_its_step(shown: dict[tuple[str, int], Found]) -> None:
    """The page has made as many merges as the link says, and has learned their tokens."""
    for (link, _), found in shown.items():
        if "view=train" in link:
            made = int(parse_qs(link)["step"][0])
            assert re.match(rf"{made} merges? of 8, {256 + made} tokens, ", found["said"])
            assert [int(token_id) for token_id in found["learned"]] == [*range(256, 256 + made)]


def test_nothing_is_wider_than_the_window(shown: dict[tuple[str, int], Found]) -> None:
    """From a phone to a large screen, no page scrolls sideways."""
    assert {width for _, width in shown} == set(WIDTHS)
    for (_, width), found in shown.items():
        assert found["wide"] <= width


def test_a_phone_shows_the_tokens_first(page: Chromium) -> None:
    """At 360 x 740, nothing large is pinned over the tokens, or cuts the name of a sample."""
    look(page, "", WIDTHS[0], height=740)
    covered = """[...document.querySelectorAll("#tokens .t")].filter((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return !one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }).length"""
    assert page.run(covered) == 0
    assert page.run("window.scrollY") == 0
    page.run("document.querySelector('#tokens .t').click()")
    assert page.run(covered) == 0  # the panel of a token leaves room for all
    page.run("document.querySelector('#tokens .t:last-of-type').click()")
    chosen = covered.replace("#tokens .t", "#tokens [aria-selected=true]")
    assert page.run(chosen) == 0
    top = "document.getElementById('sheet').getBoundingClientRect().top"
    assert page.run(top) >= 740 * 0.6
    controls = "document.querySelector('#view-{} .controls')"
    assert page.run(f"getComputedStyle({controls.format('text')}).position") == "static"
    page.run("tester.click('tab-train'); scrollTo(0, 700)")
    bottom = f"{controls.format('train')}.getBoundingClientRect().bottom"
    assert 0 < page.run(bottom) < 100  # the buttons are pinned, the curve is not
    page.run("tester.click('tab-text'); scrollTo(0, 0)")
    page.run("tester.set('text', 'x')")  # which closes the panel of the token
    page.wait("document.documentElement.style.getPropertyValue('--sheet') === '0px'")
    cut = """["tokenizer", "beside"].flatMap((id) => {
      const list = document.getElementById(id);
      const text = document.createElement("canvas").getContext("2d");
      text.font = getComputedStyle(list).font;
      const room = list.clientWidth - 26; // the arrow, and what is around the text
      return [...list.options].filter((one) => text.measureText(one.text).width > room);
    }).map((one) => one.text)"""
    assert page.run(cut) == []


@pytest.mark.parametrize("name", ["prose", "code", "code-gpt4", "scripts"])
def test_a_sample_says_why_it_cuts_so_much(page: Chromium, name: str) -> None:
    """It says how many tokens it has, and shows its own cut of a word."""
    found = look(page, f"view=text&tokenizer={name}&text=a")
    assert "has only 4,096 tokens, so it cuts many words: " in found["seen"]
    parts = page.run("[...document.querySelectorAll('#small .t')].map((one) => one.innerText)")
    model = sample(name)
    shown = [model.decode([one]).replace(" ", "·") for one in model.encode(" tokens")]
    assert parts == shown
    assert len(shown) > 2
    page.run("tester.click('tab-train'); tester.click('train-end'); tester.click('use')")
    page.wait("document.getElementById('small').hidden")


def test_the_panel_says_why_a_token_is_no_longer(page: Chromium) -> None:
    """It names the longer token, the merge that comes first, and the one that is too late."""
    look(page, "view=text&tokenizer=prose&text=a+cart+came&at=7")
    seen = " ".join(page.run("document.getElementById('token').innerText").split())
    tokens = merges_of(sample("prose"))
    first, needed = tokens.index((97, 109)), tokens.index((273, 97))
    assert (
        "A longer token could begin here, ·ca, but a + m, rank "
        f"{first:,}, is applied before the merge that it needs: ·c + a, rank {needed:,}."
    ) in seen


def test_paper_has_the_whole_text(page: Chromium) -> None:
    """Printing draws every token, also of a text that is longer than the screen."""
    look(page, "view=text&tokenizer=prose&text=x", height=740)
    page.run("tester.set('text', 'in the tin\\n'.repeat(900))")
    page.wait("document.getElementById('figure-bytes').textContent === '9,900'")
    count = len(sample("prose").encode("in the tin\n" * 900))
    assert len(page.run(IDS)) < count
    page.run("addEventListener('afterprint', () => { globalThis.drawn = " + IDS + ".length; })")
    paper = base64.b64decode(page.send("Page.printToPDF")["data"])
    assert page.run("drawn") == count
    assert len(re.findall(rb"/Type ?/Page\b", paper)) > 10
    page.send("Emulation.setEmulatedMedia", media="print")
    whole = "({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight"
    assert page.run(f"({whole})(document.getElementById('panes'))")
    printed = "document.querySelector('#view-text .printed').textContent.length"
    assert page.run(printed) == 9_900
    page.send("Emulation.setEmulatedMedia", media="")


def test_play_marks_the_merge_in_the_text(page: Chromium) -> None:
    """While Play shows a merge, each token that it makes is marked in the text."""
    link = "view=text&tokenizer=prose&merges=0&text=in+the+tin"
    until_one = "await tester.until(() => document.getElementById('merges').value !== '0')"
    found = look(page, link, act=f"tester.click('play'); {until_one}; tester.click('play')")
    # The last of these merges is the first that occurs in the text.
    ids = encode("in the tin", merges_of(sample("prose"))[:4])
    assert found["ids"] == ids
    assert found["marked"] == [259] * ids.count(259) != []


def test_a_click_after_typing_acts_on_the_typed_text(page: Chromium) -> None:
    """What was typed is neither lost nor late."""
    act = "tester.set('text', 'in the tin'); tester.click('ids')"
    found = look(page, "view=text&tokenizer=prose&text=x", 360, act)
    assert (found["text"], found["ids"]) == ("in the tin", sample("prose").encode("in the tin"))


@pytest.mark.parametrize("act", ["try-patterns", "try-chat", "try-attack"])
def test_the_examples_of_the_page(page: Chromium, act: str) -> None:
    """An example shows the ids of its tokenizers, and a special token has another shape."""
    found = look(page, "", 360, f"await tester.moved(() => tester.click('{act}'))")
    state = {key: values[0] for key, values in parse_qs(found["hash"][1:]).items()}
    model = sample("code-gpt4")
    if act == "try-patterns":
        assert found["ids"] == sample("code").encode(found["text"])
        assert found["others"] == model.encode(found["text"])
        assert all(found["differ"])
        assert (state["tokenizer"], state["beside"]) == ("code", "code-gpt4")
    else:
        assert (
            found["ids"]
            == model.encode(found["text"])
            != model.encode(found["text"], ordinary=True)
        )
        assert found["special"] == [token_id for token_id in found["ids"] if token_id >= 4096] != []
        special, other = found["looks"]
        assert special[0] != other[0]
        assert special[1] != other[1]
        assert "poses as another speaker" in found["seen"]


def spans(ids: list[int], merges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the start and the end of each token."""
    vocab = oracle.vocabulary(merges)
    ends = list(accumulate(len(vocab[token_id]) for token_id in ids))
    return set(pairwise([0, *ends]))


@pytest.mark.parametrize("names", [("prose", "code"), ("trained", "prose")])
def test_two_tokenizers_show_both_cuts(page: Chromium, names: tuple[str, str]) -> None:
    """A link with two shows the tokens of each, how many, and which differ, and keeps both."""
    text = "The tower, über 日本!\nfor (i = 0; i < n; i++)"
    fields = {"view": "text", "tokenizer": names[0], "beside": names[1], "text": text, "step": 8}
    link = urlencode(fields)
    found = look(page, link, act="await tester.until(() => location.hash.includes('merges='))")
    merges = [merges_of(sample(name)) for name in names]
    ids = [sample(name).encode(text) for name in names]
    assert [found["ids"], found["others"]] == ids
    assert found["figure"] == f"{len(ids[0])} | {len(ids[1])}"
    assert [name.split(": ")[1] for name in found["names"]] == [f"{len(one)} tokens" for one in ids]
    one, other = map(spans, ids, merges)
    assert found["differ"] == [
        sorted(start for start, _ in cut) for cut in (one - other, other - one)
    ]
    kept = {key: values[0] for key, values in parse_qs(found["hash"][1:]).items()}
    assert (
        kept.items() >= {key: str(fields[key]) for key in ("tokenizer", "beside", "text")}.items()
    )
    if "trained" in names:
        assert (kept["corpus"], kept["size"], kept["step"]) == (CORPUS, "264", "8")


def test_a_dropped_file(page: Chromium, tmp_path: Path) -> None:
    """The page names its pattern, and each of its special tokens is one, with its id."""
    model = Tokenizer.train(CORPUS, 264, pattern="gpt4", special_tokens=["<|b|>", "<|a|>"])
    model.save(tmp_path / "chat.json")
    text = "tower, 12345 <|a|><|b|><|endoftext|>"
    link = f"view=text&tokenizer=prose&text={text}"
    content = json.dumps((tmp_path / "chat.json").read_text("ascii"))
    act = f"tester.click('tab-train'); await tester.drop('chat.json', {content})"
    found = look(page, link, act=act)
    assert found["ids"] == model.encode(text)
    assert "Its pattern is gpt4. Its special tokens: <|b|>, <|a|>." in found["seen"]
    assert found["special"] == model.encode("<|a|><|b|>")


TEXT_LINK: Final = "view=text&tokenizer=prose&text=hello+world&at=3"
TOO_LONG: Final = "This text is longer than 102,400 bytes, the most shown here."


def test_a_refused_text_leaves_nothing_of_another(page: Chromium) -> None:
    """Too long a text, or half a surrogate pair, shows the reason, and no tokens or figures."""
    long_one = "await tester.type('text', 'x'.repeat(102401));"
    long = look(page, TEXT_LINK, act=long_one)
    half = look(page, TEXT_LINK, 360, r"await tester.type('text', 'a\ud800')")
    short = look(page, TEXT_LINK, act=f"{long_one} await tester.type('text', 'xq')")
    code = look(page, TEXT_LINK, act=f"{long_one} tester.set('tokenizer', 'code', 'change')")
    corpus = look(page, "view=train&step=3", act=long_one.replace("text", "corpus"))
    link = look(page, f"view=text&tokenizer=prose&text={'x' * 102_401}")
    for found in (long, half, code, link):
        assert (found["ids"], found["figure"], found["nodes"]) == ([], None, 0)
        assert "bytes per token" not in found["seen"]
    assert long["alerts"] == code["alerts"] == link["alerts"] == [TOO_LONG]
    assert half["alerts"] == ["This text contains half of a surrogate pair."]
    assert len(code["text"]) == len(link["text"]) == 102_401  # the reader's text stays
    assert (short["ids"], short["figure"], short["alerts"]) == ([120, 113], "2", [])
    assert (corpus["said"], corpus["learned"], corpus["alerts"]) == (None, [], [TOO_LONG])


def test_a_link_trains_in_slices(page: Chromium) -> None:
    """A long training from a link shows how far it is, can be stopped, or ends in its tokens."""
    letters = "".join(Random(1).choices("abcdefghij", k=102_000))
    trained = {"view": "text", "tokenizer": "trained", "text": letters[:90]}
    far = urlencode(trained | {"corpus": letters, "size": 50_000, "step": 49_744})
    near = urlencode(trained | {"corpus": letters[:20_000], "size": 400, "step": 99})
    # The page goes on training in slices, so it settles only after it was stopped.
    page.open(f"{(EXPLORER / 'index.html').as_uri()}#{far}")
    pause = "document.getElementById('train-play').innerText === 'Pause'"
    stop = f"await tester.until(() => {pause}); tester.click('train-play')"
    long = page.run(f"(async () => {{ {stop}; return tester.settled(); }})()")
    short = look(page, near)
    made = re.match(r"([\d,]+) merges? of 49,744, ", long["said"])
    assert made
    assert 0 < int(made[1].replace(",", "")) < 49_744
    assert long["learned"]
    assert "Done" not in long["said"]
    assert short["said"] is None
    assert short["ids"] == Tokenizer.train(letters[:20_000], 355).encode(letters[:90])


ONE_FILE: Final = ROOT / "docs" / "explorer" / "bpetite-explorer.html"
TEXT: Final = "tower, See"


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    """Return the one file, which is alone in its folder."""
    (tmp_path / "sent").mkdir()
    return Path(shutil.copy(ONE_FILE, tmp_path / "sent"))


@pytest.fixture
def site(sent: Path) -> Iterator[str]:
    """Return its address on a host without TLS, where `crypto` has no hashes."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(sent.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://explorer.test:{server.server_port}/{ONE_FILE.name}"
        server.shutdown()


def ready(page: Chromium, address: str) -> None:
    """Open an address, and wait until the page has started and has an address of its own."""
    page.open(address)
    page.wait("document.querySelector('main:not([hidden])') && location.hash.includes('view=')")


def copied(page: Chromium) -> str:
    """Return what "Copy link" gives by keyboard: in the clipboard or, without one, selected."""
    page.run("document.getElementById('copy').focus()")
    page.press("Enter")
    page.wait("document.getElementById('said').textContent !== ''")
    selected = page.run("document.activeElement.id === 'link' && getSelection().toString()")
    return str(selected or page.run("navigator.clipboard.readText()"))


def saved(page: Chromium, folder: Path, name: str) -> Path:
    """Save the page; return the file."""
    path = folder / name
    path.unlink(missing_ok=True)
    page.run("document.getElementById('save').click()")
    page.wait(f"document.getElementById('said').textContent.includes('Saved as {name}')")
    page.until(path.is_file)
    return path


def choose(page: Chromium, field: str, name: str) -> None:
    """Choose a tokenizer by its label."""
    options = f"[...document.getElementById('{field}').options]"
    value = page.run(f"{options}.find(({{ text }}) => text === '{name}').value")
    page.run(f"tester.set('{field}', '{value}', 'change')")


def test_one_file_saves_itself(page: Chromium, sent: Path, tmp_path: Path) -> None:
    """Alone in a folder, it works, asks for nothing, and saves its own bytes; so does a blob."""
    ready(page, f"{sent.as_uri()}#view=text&tokenizer=prose&text=the+memory")
    assert page.run(IDS)
    page.run("tester.click('ids')")  # a change that the address has later
    assert saved(page, tmp_path, ONE_FILE.name).read_bytes() == ONE_FILE.read_bytes()
    page.wait(f"location.hash.includes('ids=1') && {SEEN}.includes('Saved as')")
    ids = page.run(IDS)
    made = "new Blob([page], { type: 'text/html' })"
    blob = page.run(f"share.page([]).then((page) => URL.createObjectURL({made}))")
    page.send("Page.navigate", url=f"{blob}#view=text&tokenizer=prose&text=the+memory")
    page.wait(f"location.protocol === 'blob:' && {IDS}.length > 0")
    assert page.run(IDS) == ids
    assert copied(page) == "#view=text&tokenizer=prose&merges=3840&text=the+memory"
    assert "behind the address of the receiver's page" in page.run(SEEN)
    assert page.faults() == []
    assert {address.split("#")[0] for address in page.requests()} <= {
        "about:blank",
        sent.as_uri(),
        blob,
    }


@pytest.mark.parametrize("parts", [False, True], ids=["one file", "page in parts"])
def test_a_saved_page_keeps_its_tokenizer(
    page: Chromium, sent: Path, tmp_path: Path, *, parts: bool
) -> None:
    """Offline on a phone, it has the tokenizers that were chosen, and saves itself again."""
    (tmp_path / "third.json").write_bytes(canonical(THIRD))
    ready(page, (EXPLORER / "index.html" if parts else sent).as_uri())
    page.choose("#file", tmp_path / "third.json")
    page.wait(f"{SEEN}.includes('It has 1 whole token.')")
    choose(page, "beside", "Code")
    first = saved(page, tmp_path, "third-explorer.html")
    assert "It contains third.json." in page.run(SEEN)
    data = first.read_bytes()
    first.rename(sent)

    resize(page, 360, 740, mobile=True)
    page.send("Network.emulateNetworkConditions", offline=True, **ANY_SPEED)
    ready(page, sent.as_uri())
    assert "Its special tokens: <s>, <b. It has 1 whole token." in page.run(SEEN)
    names = (
        "['tokenizer', 'beside'].map((id) => document.getElementById(id).selectedOptions[0].text)"
    )
    assert page.run(names) == ["third.json", "Code"]
    text = "ab ab aba abab<s>"
    page.run(f"location.hash += '&text={text}'")
    page.wait(f"{IDS}.at(-1) === 0")
    assert page.run(IDS) == [7, 3, 1, 3, 7, 0]
    assert page.run("tester.settled()")["special"] == [0]
    assert page.run("document.documentElement.scrollWidth") <= 360
    assert saved(page, tmp_path, "third-explorer.html").read_bytes() == data
    ready(page, f"{page.run('location.href')}&beside=")
    page.wait(f"{IDS}.at(-1) === 0")
    assert page.run(IDS) == [7, 3, 1, 3, 7, 0]  # a link to the file needs no other copy of it
    choose(page, "tokenizer", "Prose")
    choose(page, "beside", "no other")
    assert saved(page, tmp_path, ONE_FILE.name).read_bytes() == ONE_FILE.read_bytes()
    assert "It does not contain third.json" in page.run(SEEN)
    assert page.faults() == []
    assert all(address.startswith(("file:", "blob:", "about:")) for address in page.requests())


def test_a_damaged_tokenizer_in_a_page_is_refused(page: Chromium, sent: Path) -> None:
    """What a saved page contains is read as strictly as a file, and the page opens without it."""
    content = base64.b64encode(canonical(THIRD | {"merges": [[1097, 1098, 3]]})).decode()
    box = f'<script type="text/plain" data-kept="a.json" data-link="#">{content}</script>'
    sent.write_text(ONE_FILE.read_text("utf-8").replace("</main>", f"</main>{box}", 1), "utf-8")
    ready(page, sent.as_uri())
    assert "a.json in this page: merges[0]: expected" in page.run(SEEN)
    assert page.run(IDS)


def test_a_link_asks_for_its_file(page: Chromium, sent: Path, site: str, tmp_path: Path) -> None:
    """The sender sees which file it needs; the receiver has to open it, whatever its name."""
    corpus = "tow, tower, towed\nSee, Seeelefant"
    Tokenizer.train(corpus, 264).save(tmp_path / "tower.json")
    shutil.copy(tmp_path / "tower.json", tmp_path / "tower (1).json")
    (tmp_path / "other").mkdir()
    Tokenizer.train("another", 260).save(tmp_path / "other" / "tower.json")
    ready(page, f"{site}#view=text&tokenizer=prose&text={TEXT}")
    page.choose("#file", tmp_path / "tower.json")
    page.wait(f"{SEEN}.includes('A link to this also needs your tower.json, or a saved page')")
    page.run("tester.set('merges', 3)")
    link = copied(page)
    digest = hashlib.sha256((tmp_path / "tower.json").read_bytes()).hexdigest()[:16]
    address, fragment = link.split("#")
    assert address == site
    assert parse_qs(fragment)["tokenizer"] == ["file:tower.json"]
    assert parse_qs(fragment)["sha256"] == [digest]

    ready(page, f"{sent.as_uri()}#{fragment}")
    asked = f"This link needs tower.json (SHA-256 {digest}…)."
    page.wait(f"{SEEN}.includes('{asked}')")
    assert page.run(IDS) == []
    page.choose("#file", tmp_path / "other" / "tower.json")
    page.wait(f"{SEEN}.includes('You opened another file, tower.json (SHA-256 ')")
    assert asked in page.run(SEEN)
    assert page.run(IDS) == []
    assert copied(page) == f"#{fragment}"
    page.choose("#file", tmp_path / "tower (1).json")
    page.wait(f"{IDS}.length > 0")
    assert page.run(IDS) == Tokenizer.train(corpus, 256 + 3).encode(TEXT)
    assert asked not in page.run(SEEN)
    assert page.faults() == []


def test_a_long_text_is_not_in_a_link(page: Chromium, site: str) -> None:
    """The page says so before the link is copied, and the receiver's page says what is missing."""
    ready(page, f"{site}#view=text&tokenizer=code&text=x")
    page.run("tester.set('text', '日'.repeat(700))")
    page.wait(f"{SEEN}.includes('This text is too long for a link: send it separately.')")
    link = copied(page)
    assert "text=" not in link.replace("without=text", "").replace("view=text", "")
    assert "tokenizer=code" in link
    page.send("Page.reload")
    page.wait("document.getElementById('text')?.value.length === 700")
    assert "The text here is an example" not in page.run(SEEN)
    page.run("document.getElementById('none').focus()")
    page.press("Enter")  # which turns the button off
    assert page.run("document.activeElement.id") == "merges"
    ready(page, link)
    assert "The text here is an example: the sender's text was too long" in page.run(SEEN)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_that_cannot_start_says_what_to_do(
    page: Chromium, sent: Path, *, scripts: bool
) -> None:
    """Without its parts, or with scripts turned off, the page has no dead controls, but advice."""
    alone = Path(shutil.copy(EXPLORER / "index.html", sent.parent))
    page.send("Emulation.setScriptExecutionDisabled", value=not scripts)
    page.send("Page.navigate", url=alone.as_uri())
    advice = f"get the one file {ONE_FILE.name}" if scripts else "Allow them for this page"
    page.until(lambda: advice in page.spoken())
    assert "Play" not in page.spoken()
    assert "Copy link" not in page.spoken()
