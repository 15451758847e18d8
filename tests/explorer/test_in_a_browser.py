"""The explorer in Chromium: each link of the course, the one file, and links that are sent."""

import hashlib
import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import pytest

from artifacts import THIRD, canonical
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._patterns import PATTERNS
from bpetite_compare import export
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

FRAMES: Final = Path(__file__).with_name("frames.html").read_text(encoding="utf-8")
"""Opens each link at each width in a frame, does an act there, and returns what the frames show."""


Found = dict[str, Any]
Look = Callable[..., list[Found]]


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Look]:
    """Return what shows a list of link, width and act in the explorer; `files` can be dropped."""
    page = Chromium(folder := tmp_path_factory.mktemp("chromium"), "--allow-file-access-from-files")
    (folder / "frames.html").write_text(FRAMES.replace("FOLDER", EXPLORER.as_uri()), "utf-8")
    page.open((folder / "frames.html").as_uri())
    screen = {"width": 1920, "height": 3000, "deviceScaleFactor": 1, "mobile": False}
    page.send("Emulation.setDeviceMetricsOverride", **screen)

    def look(asked: list[tuple[str, int, str | None]], *files: Path) -> list[Found]:
        given = [(file.name, b64encode(file.read_bytes()).decode("ascii")) for file in files]
        found: list[Found] = page.run(f"lookAll({json.dumps(asked)}, {json.dumps(given)})")
        return found

    yield look
    page.close()
    assert page.faults() == []


@pytest.fixture(scope="module")
def shown(look: Look) -> dict[tuple[str, int], Found]:
    """Return what the explorer shows for each link at each width."""
    asked = [(link, width) for link in LINKS for width in WIDTHS]
    return dict(zip(asked, look([(*one, None) for one in asked]), strict=True))


def merges_of(name: str) -> list[tuple[int, int]]:
    """Return the merges of a sample tokenizer, or of the one that is trained on the page."""
    if name == "trained":
        return list(Tokenizer.train(CORPUS, 264)._artifact.merges)
    return list(sample(name)._artifact.merges)


def sample(name: str) -> Tokenizer:
    return Tokenizer.load(ROOT / "docs" / "samples" / f"{name}.json")


def test_links_to_a_text_show_its_tokens(shown: dict[tuple[str, int], Found]) -> None:
    """The page's ids are the core's, after as many merges as the link says."""
    for (link, _), found in shown.items():
        state = {key: values[0] for key, values in parse_qs(link).items()}
        if state["view"] == "train":
            continue
        trained = merges_of(state["tokenizer"])[: int(state.get("step", 4096))]
        merges = trained[: int(state.get("merges", 4096))]
        if state["tokenizer"] == "code-gpt4":
            ids = sample("code-gpt4").encode(state["text"], ordinary="ordinary" in state)
        else:
            ids = Tokenizer._of(Artifact.of_merges(merges)).encode(state["text"])
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


TWO_LINES: Final = "The ferryman came down to the%0Alanding before the bells."


def test_what_moves_is_in_sight(look: Look) -> None:
    """The text, its tokens, the controls and the curve are on a phone's and a laptop's screen."""
    links = (f"view=text&tokenizer=prose&text={TWO_LINES}", f"view=train&step=3&corpus={TWO_LINES}")
    sizes = {360: 740, 1280: 800}
    asked = [(link, width) for link in links for width in sizes]
    for (_, width), found in zip(asked, look([(*one, None) for one in asked]), strict=True):
        assert 0 < found["bottom"] <= sizes[width]


def test_play_marks_the_merge_in_the_text(look: Look) -> None:
    """While Play shows a merge, each token that it makes is marked in the text."""
    (found,) = look([("view=text&tokenizer=prose&merges=0&text=in+the+tin", 1280, "play")])
    merges = merges_of("prose")[:4]  # of which the last is the first that occurs in the text
    ids = Tokenizer._of(Artifact.of_merges(merges)).encode("in the tin")
    assert found["ids"] == ids
    assert found["marked"] == [259] * ids.count(259) != []


def test_play_keeps_the_merge_in_view(look: Look) -> None:
    """On a phone, Play scrolls the tokens to one that the merge makes, and the page stays."""
    words = (
        bytes(vocab).decode()
        for vocab in sample("prose")._artifact.vocab.values()
        if vocab.isalpha() and len(vocab) > 3
    )
    text = "\n".join(Random(2).sample([*words], 60))
    link = urlencode({"view": "text", "tokenizer": "prose", "merges": 0, "text": text})
    (found,) = look([(link, 360, "play and watch")])
    in_view, places = zip(*found["watched"], strict=True)
    assert in_view == (True,) * 30
    assert len({*places}) == 1


def test_a_click_after_typing_acts_on_the_typed_text(look: Look) -> None:
    """What was typed is neither lost nor late."""
    (found,) = look([("view=text&tokenizer=prose&text=x", 360, "type, then ids")])
    assert (found["text"], found["ids"]) == ("in the tin", sample("prose").encode("in the tin"))


def test_the_first_screen(look: Look) -> None:
    """Words of its first sentence are tokens, no line strikes a label, an end has no next pair."""
    links = ("", "view=text&tokenizer=prose&text=~", "view=text&merges=2900", "view=train&step=9")
    for width in (360, 1280):
        found = look([(link, width, None) for link in links])
        assert [one["struck"] for one in found] == [[]] * len(links)
        assert [word in found[-1]["seen"] for word in ("no pair is", "underlined")] == [True, False]
        sentence = found[0]["text"].splitlines()[0]
        chunks = PATTERNS["gpt2"].split(sentence)
        assert len(chunks) > 9
        assert sample("prose").encode(sentence) == found[0]["ids"][: len(chunks)]


def test_a_long_text_scrolls_in_its_field(look: Look) -> None:
    """The field of a text of 100 lines has a height of at most 200 pixels."""
    link = urlencode({"view": "text", "tokenizer": "prose", "text": "line\n" * 100})
    for found in look([(link, width, None) for width in (360, 1280)]):
        height, whole = found["field"]
        assert height <= 200 < whole


@pytest.mark.parametrize("act", ["try-patterns", "try-chat", "try-attack"])
def test_the_examples_of_the_page(look: Look, act: str) -> None:
    """An example shows the ids of its tokenizers, and a special token has another shape."""
    (found,) = look([("", 360, act)])
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


def test_the_switch_for_ordinary_text(look: Look) -> None:
    """With it, both tokenizers have the ids of ordinary text, and so does a link to them."""
    text = "Hi<|user|><|endoftext|> x = 1234"
    link = urlencode({"view": "text", "tokenizer": "code-gpt4", "beside": "code", "text": text})
    (found,) = look([(link, 360, "ordinary")])
    assert "&ordinary=1" in found["hash"]
    (again,) = look([(found["hash"][1:], 1280, None)])
    for one in (found, again):
        assert one["ids"] == sample("code-gpt4").encode(text, ordinary=True)
        assert (one["others"], one["special"]) == (sample("code").encode(text, ordinary=True), [])


@pytest.mark.parametrize(
    ("tokenizer", "text"), [("prose", "a\n" * 40 + " information"), ("scripts", "щоденний " * 9)]
)
def test_a_tap_opens_the_panel_on_the_screen(look: Look, tokenizer: str, text: str) -> None:
    """On a phone, the panel is at the bottom, the token above it, and no box inside scrolls."""
    link = urlencode({"view": "text", "tokenizer": tokenizer, "text": text.strip()})
    found, train = look([(link, 360, "tap"), ("view=train&step=3", 360, None)])
    (top, bottom), (above, below) = found["sheet"], found["chosen"]
    assert bottom == 740
    assert found["controls"][1] <= above < below <= top
    assert found["nodes"] > 2
    assert found["scrolled"] == train["scrolled"] == 0
    assert found["wide"] <= 360


def spans(ids: list[int], merges: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the start and the end of each token."""
    vocab = Artifact.of_merges(merges).vocab
    ends = list(accumulate(len(vocab[token_id]) for token_id in ids))
    return set(pairwise([0, *ends]))


@pytest.mark.parametrize("names", [("prose", "code"), ("scripts", "trained"), ("trained", "prose")])
def test_two_tokenizers_show_both_cuts(look: Look, names: tuple[str, str]) -> None:
    """A link with two shows the tokens of each, how many, and which differ, and keeps both."""
    text = "The tower, über 日本!\nfor (i = 0; i < n; i++)"
    fields = {"view": "text", "tokenizer": names[0], "beside": names[1], "text": text, "step": 8}
    link = urlencode(fields)
    (found,) = look([(link, 1280, "wait for the address")])
    merges = [merges_of(name) for name in names]
    ids = [Tokenizer._of(Artifact.of_merges(one)).encode(text) for one in merges]
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


def test_files_can_be_dropped(look: Look, tmp_path: Path) -> None:
    """Two files that are dropped on the page are one tokenizer, with the ids that they have."""
    Tokenizer.train(CORPUS, 264).save(tmp_path / "model")
    export(tmp_path / "model", "gpt2", tmp_path / "pair")
    link = "view=text&tokenizer=prose&text=tower, See <|endoftext|>"
    (found,) = look([(link, 1280, "drop")], *(tmp_path / "pair").iterdir())
    assert found["ids"] == Tokenizer.load(tmp_path / "model").encode("tower, See <|endoftext|>")


def test_a_file_of_schema_version_2(look: Look, tmp_path: Path) -> None:
    """The page names its pattern, and each of its special tokens is one, with its id."""
    model = Tokenizer.train(CORPUS, 264, pattern="gpt4", special_tokens=["<|b|>", "<|a|>"])
    model.save(tmp_path / "chat.json")
    text = "tower, 12345 <|a|><|b|><|endoftext|>"
    link = f"view=text&tokenizer=prose&text={text}"
    (found,) = look([(link, 1280, "drop")], tmp_path / "chat.json")
    assert found["ids"] == model.encode(text)
    assert "Its pattern is gpt4. Its special tokens: <|b|>, <|a|>." in found["seen"]
    assert found["special"] == model.encode("<|a|><|b|>")


def test_a_file_of_schema_version_3(look: Look, tmp_path: Path) -> None:
    """The page has the ids of the file, and says that one token is a whole token."""
    (tmp_path / "third.json").write_bytes(canonical(THIRD))
    link = "view=text&tokenizer=prose&text=ab ab aba abab<s>"
    (found,) = look([(link, 1280, "drop")], tmp_path / "third.json")
    assert (found["ids"], found["special"]) == ([7, 3, 1, 3, 7, 0], [0])
    assert "Its special tokens: <s>, <b. It has 1 whole token." in found["seen"]


def test_next_and_back_stop_at_the_merges_of_both(look: Look) -> None:
    """With two tokenizers, a step goes to the nearest merge that occurs in one of the cuts."""
    text = "in the tin"
    names = ("code", "prose")
    counts = set()
    for merges in map(merges_of, names):
        tokenizers = [Tokenizer._of(Artifact.of_merges(merges[:made])) for made in range(40)]
        sizes = [len(tokenizer.encode(text)) for tokenizer in tokenizers]
        counts |= {made for made in range(1, 40) if sizes[made] < sizes[made - 1]}
    link = urlencode(
        {"view": "text", "tokenizer": names[0], "beside": names[1], "text": text, "merges": 0}
    )
    after, back = look([(link, 1280, "next, next"), (link, 1280, "next, next, back")])
    assert [back["merges"], after["merges"]] == sorted(counts)[:2]


def test_the_last_merge_that_occurs_is_described(look: Look) -> None:
    """After all merges, the line has the last one that occurs in the text."""
    text = "The tower, über the ferryman"
    link = urlencode({"view": "text", "tokenizer": "prose", "text": text})
    none = "view=text&tokenizer=prose&text=~&merges=9"
    found, nothing = look([(link, 1280, None), (none, 1280, None)])
    last = max(Tokenizer._of(Artifact.of_merges(merges_of("prose"))).encode(text))
    assert f"rank {last - 256:,}: " in found["merge"][0]
    assert f" → {last}, once" in found["merge"][0]
    assert nothing["merge"] == ["None of these merges occurs in this text."]


def test_the_parts_of_a_character_are_joined(look: Look) -> None:
    """Tokens that share a character are drawn as one, in the notation of the terminal."""
    link = "view=text&tokenizer=prose&merges=0&text=a日b"
    (found,) = look([(link, 360, None)])
    assert found["joined"] == ["‹e6›", "‹97›", "‹a5›"]


TEXT_LINK: Final = "view=text&tokenizer=prose&text=hello+world&at=3"
TOO_LONG: Final = "This text is longer than 102,400 bytes, the most shown here."


def test_a_refused_text_leaves_nothing_of_another(look: Look) -> None:
    """Too long a text, or half a surrogate pair, shows the reason, and no tokens or figures."""
    long, half, short, code, corpus, link = look(
        [
            (TEXT_LINK, 1280, "long text"),
            (TEXT_LINK, 360, "half a pair"),
            (TEXT_LINK, 1280, "long, then short"),
            (TEXT_LINK, 1280, "long, then code"),
            ("view=train&step=3", 1280, "long corpus"),
            (f"view=text&tokenizer=prose&text={'x' * 102_401}", 1280, None),
        ],
    )
    for found in (long, half, code, link):
        assert (found["ids"], found["figure"], found["nodes"]) == ([], None, 0)
        assert "bytes per token" not in found["seen"]
    assert long["alerts"] == code["alerts"] == link["alerts"] == [TOO_LONG]
    assert half["alerts"] == ["This text contains half of a surrogate pair."]
    assert len(code["text"]) == len(link["text"]) == 102_401  # the reader's text stays
    assert (short["ids"], short["figure"], short["alerts"]) == ([120, 113], "2", [])
    assert (corpus["said"], corpus["learned"], corpus["alerts"]) == (None, [], [TOO_LONG])


def test_a_link_trains_in_slices(look: Look) -> None:
    """A long training from a link shows how far it is, can be stopped, or ends in its tokens."""
    letters = "".join(Random(1).choices("abcdefghij", k=102_000))
    trained = {"view": "text", "tokenizer": "trained", "text": letters[:90]}
    far = urlencode(trained | {"corpus": letters, "size": 50_000, "step": 49_744})
    near = urlencode(trained | {"corpus": letters[:20_000], "size": 400, "step": 99})
    long, short = look([(far, 1280, "stop"), (near, 1280, None)])
    made = re.match(r"([\d,]+) merges? of 49,744, ", long["said"])
    assert made
    assert 0 < int(made[1].replace(",", "")) < 49_744
    assert long["learned"]
    assert "Done" not in long["said"]
    assert short["said"] is None
    assert short["ids"] == Tokenizer.train(letters[:20_000], 355).encode(letters[:90])


@pytest.mark.parametrize(("size", "used"), [("99999999", "50000"), ("0", "256"), ("1e9x", "264")])
def test_a_size_out_of_range_is_explained(look: Look, size: str, used: str) -> None:
    """A link with a size that cannot be trained shows its value, the range, and the size used."""
    (found,) = look([(f"view=train&size={size}", 1280, None)])
    (message,) = found["alerts"]
    expected = "expected an integer from 256 to 50,000; it is now"
    assert message == f'Vocabulary size "{size}": {expected} {int(used):,}.'
    assert found["size"] == used


def test_large_tokens_are_shortened(look: Look) -> None:
    """A token of 2 MiB, and one with 3,000 nested merges, are drawn in part."""
    link = "view=text&tokenizer=prose&text="
    double, nest = look(
        [(f"{link}{'a' * 65_536}", 1280, "double"), (f"{link}b{'a' * 3_000}", 1280, "nest")],
    )
    assert (double["ids"], nest["ids"]) == ([256 + 15], [256 + 2999])
    for found in (double, nest):
        assert 60 < found["nodes"] <= 160
        assert "bytes more" in found["seen"]
        assert len(found["seen"]) < 80_000  # the text itself is in the field, not in this


ONE_FILE: Final = ROOT / "docs" / "explorer" / "bpetite-explorer.html"
TEXT: Final = "tower, See"
IDS: Final = (
    "[...document.querySelectorAll('#tokens [data-id]')].map((one) => Number(one.dataset.id))"
)
SEEN: Final = "document.body.innerText"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Chromium]:
    """Return a page in Chromium, beside a folder that has the one file and nothing else."""
    (tmp_path / "sent").mkdir()
    shutil.copy(ONE_FILE, tmp_path / "sent")
    chromium = Chromium(tmp_path)
    yield chromium
    chromium.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """Return the address of that folder on a host without TLS, where `crypto` has no hashes."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "sent"))
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


def test_one_file_saves_itself(page: Chromium, tmp_path: Path) -> None:
    """Alone in a folder, it works, asks for nothing, and saves its own bytes; so does a blob."""
    sent = (tmp_path / "sent" / ONE_FILE.name).as_uri()
    ready(page, f"{sent}#view=text&tokenizer=prose&text=the+memory")
    assert page.run(IDS)
    page.run("document.getElementById('save').click()")
    page.wait(f"{SEEN}.includes('Saved as {ONE_FILE.name}')")
    saved = tmp_path / ONE_FILE.name
    page.until(saved.is_file)
    assert saved.read_bytes() == ONE_FILE.read_bytes()
    ids = page.run(IDS)
    blob = page.run("URL.createObjectURL(new Blob([share.source], { type: 'text/html' }))")
    page.send("Page.navigate", url=f"{blob}#view=text&tokenizer=prose&text=the+memory")
    page.wait(f"location.protocol === 'blob:' && {IDS}.length > 0")
    assert page.run(IDS) == ids
    assert copied(page) == "#view=text&tokenizer=prose&merges=3840&text=the+memory"
    assert "behind the address of the receiver's page" in page.run(SEEN)
    assert page.faults() == []
    assert {address.split("#")[0] for address in page.requests()} <= {"about:blank", sent, blob}


def test_a_link_asks_for_its_file(page: Chromium, site: str, tmp_path: Path) -> None:
    """The sender sees which file it needs; the receiver has to open it, whatever its name."""
    corpus = "tow, tower, towed\nSee, Seeelefant"
    Tokenizer.train(corpus, 264).save(tmp_path / "tower.json")
    shutil.copy(tmp_path / "tower.json", tmp_path / "tower (1).json")
    (tmp_path / "other").mkdir()
    Tokenizer.train("another", 260).save(tmp_path / "other" / "tower.json")
    ready(page, f"{site}#view=text&tokenizer=prose&text={TEXT}")
    page.choose("#file", tmp_path / "tower.json")
    page.wait(f"{SEEN}.includes('A link to this also needs your tower.json.')")
    page.run(
        "const slider = document.getElementById('merges'); slider.value = 3;"
        "slider.dispatchEvent(new Event('input'))"
    )
    link = copied(page)
    digest = hashlib.sha256((tmp_path / "tower.json").read_bytes()).hexdigest()[:16]
    address, fragment = link.split("#")
    assert address == site
    assert parse_qs(fragment)["tokenizer"] == ["file:tower.json"]
    assert parse_qs(fragment)["sha256"] == [digest]

    ready(page, f"{(tmp_path / 'sent' / ONE_FILE.name).as_uri()}#{fragment}")
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
    page.run(
        "const text = document.getElementById('text'); text.value = '日'.repeat(700);"
        "text.dispatchEvent(new Event('input'))"
    )
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
    page: Chromium, tmp_path: Path, *, scripts: bool
) -> None:
    """Without its parts, or with scripts turned off, the page has no dead controls, but advice."""
    shutil.copy(ONE_FILE.with_name("index.html"), tmp_path / "sent")
    page.send("Emulation.setScriptExecutionDisabled", value=not scripts)
    page.send("Page.navigate", url=(tmp_path / "sent" / "index.html").as_uri())
    advice = f"get the one file {ONE_FILE.name}" if scripts else "Allow them for this page"
    page.until(lambda: advice in page.spoken())
    assert "Play" not in page.spoken()
    assert "Copy link" not in page.spoken()
