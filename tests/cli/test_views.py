"""`bpetite show` and `bpetite inspect`: tokens in a text, an artifact, and the tree of a token."""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import oracle
import texts
from artifacts import write_artifact
from bpetite import Tokenizer
from bpetite_cli.io.models import Model
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import shortened, visible
from bpetite_cli.views.overview import take_census
from bpetite_cli.views.rows import draw_rows
from bpetite_cli.views.scripts import OTHER, _pattern
from bpetite_cli.views.steps import draw_steps
from bpetite_cli.views.tree import draw_tree, tree_data
from cli_tools import (
    bpetite,
    lines,
    printed,
    refusal,
    refused,
    rows_of,
    shown_in_terminal,
    terminal_process,
    terminal_width,
)
from project_tools import ROOT

COLOR = re.compile(r"\x1b\[[\d;]*m")
PLAIN = Screen(80, colored=False)
HOSTILE = "\x1b[2J\x1b]0;title\x07 [red]x[/red] \x9b31m \u202eabc\u2066 \u0301\u0301 e\u0301 שלום"
HOSTILE += "\x00\r\n\t"


# show


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the artifact of the worked example: `ab`, then ` ab`."""
    path = tmp_path_factory.mktemp("worked") / "tokenizer.json"
    Tokenizer.train("ab ab ab", 258).save(path)
    return path


def test_tokens_are_above_their_ids(worked: Path) -> None:
    """Off a terminal a sign separates the tokens, each with its id below; a line sums up."""
    result = bpetite("show", "--model", worked, "--text", "ab ab\n\nxab<|endoftext|>é")
    assert (result.returncode, result.stderr) == (0, b"")
    assert lines(result.stdout) == [
        "ab │·ab│⏎",
        "256│257│10",
        "",
        "⏎",
        "10",
        "",
        "x  │ab │<|endoftext|>│‹c3›│‹a9›",
        "120│256│258          │195 │169",
        "",
        "9 tokens, 25 bytes, 2.78 bytes per token",
    ]
    assert bpetite("show", "--model", worked, "--text", "").stdout == b"0 tokens, 0 bytes\n"
    assert bpetite("show", "--model", worked, "--text", "", "--steps").stdout == b""


@given(
    st.lists(st.tuples(st.integers(0, 99_999), texts.TEXTS.map(str.encode).filter(bool))),
    st.integers(16, 90),
)
def test_rows_fit_and_have_all_tokens(tokens: list[tuple[int, bytes]], width: int) -> None:
    """No line is wider than the screen; all tokens and ids are there, in aligned columns."""
    tokens = [(token_id, token.replace("│".encode(), b"")) for token_id, token in tokens]
    tokens = [(token_id, token) for token_id, token in tokens if token]
    shown, ids = "", []
    for row in draw_rows(tokens, (-1).__eq__, PLAIN._replace(width=width)):
        above, below, nothing, end = row.split("\n")
        assert (nothing, end) == ("", "")
        assert max(terminal_width(above), terminal_width(below)) <= width
        starts = [
            [terminal_width("│".join(parts[:place])) for place in range(len(parts))]
            for parts in (above.split("│"), below.split("│"))
        ]
        assert starts[0] == starts[1]
        shown += "".join(part.rstrip(" ") for part in above.split("│"))
        ids += [int(part) for part in below.split("│") if part.rstrip(" ") != "…"]
    assert shown == "".join(visible(token) for _, token in tokens)
    assert ids == [token_id for token_id, _ in tokens]


@pytest.mark.posix
def test_a_terminal_shows_colors(worked: Path, here: Path) -> None:
    """Neighbors differ in color; special tokens have their own, and so has what a step makes."""
    words = ["show", "--model", str(worked), "--text", "ab ab<|endoftext|>x"]
    status, shown = terminal_process(words, here)
    assert (status, shown) == shown_in_terminal(words, here)
    assert status == 0
    above, below, _, total, _ = shown.split("\n")
    assert above == (
        "\x1b[30;46mab\x1b[0m  \x1b[30;42m·ab\x1b[0m "
        "\x1b[1;37;44m<|endoftext|>\x1b[0m \x1b[30;45mx\x1b[0m"
    )
    assert COLOR.sub("", below) == "256 257 258           120"
    assert total == "4 tokens, 19 bytes, 4.75 bytes per token"
    _, shown = shown_in_terminal([*words[:-1], "[ab", "--steps"], here)
    assert "\x1b[1;30;43mab\x1b[0m" in shown
    assert "[ab]" not in COLOR.sub("", shown)


@pytest.mark.posix
@pytest.mark.parametrize("form", [[], ["--steps"]])
def test_text_cannot_control_the_terminal(model: Path, here: Path, form: list[str]) -> None:
    """Escape sequences, markup, controls and marks are made visible and have no effect."""
    (here / "text").write_bytes(HOSTILE.encode())
    words = ["show", "--model", str(model), "--input", "text", *form]
    _, shown = shown_in_terminal(words, here)
    printed = bpetite(*words).stdout.decode()
    for picture in (COLOR.sub("", shown), printed):
        assert picture.replace("\n", "").isprintable()
    assert "‹U+001B›" in printed
    assert "]" in printed


@pytest.mark.usefixtures("block")
def test_block_size_does_not_change_rows(model: Path, here: Path) -> None:
    """Where blocks end does not affect the picture."""
    text = "Hello 船夫\x1c world\u2003\n  ⛵⛵ <|endoftext|>" * 400
    (here / "text").write_bytes(text.encode())
    rows = lines(bpetite("show", "--model", model, "--input", "text").stdout)
    assert list(map(int, "│".join(rows[1:-1:3]).split("│"))) == Tokenizer.load(model).encode(text)


@pytest.mark.parametrize("text", ["", "Hello ⛵", "a<|endoftext|>船夫 \r\n\x00", HOSTILE])
def test_json_has_the_span_of_each_token(model: Path, text: str) -> None:
    """The spans tile the text: each token is the bytes from its start to its end.

    In characters, they include every character that the token has bytes of.
    """
    result = bpetite("show", "--model", model, "--input", "-", "--json", stdin=text.encode())
    place, ids = 0, []
    owners = [number for number, character in enumerate(text) for _ in character.encode()]
    for line in result.stdout.splitlines():
        token = json.loads(line)
        assert token["start"] == place
        place = token["end"]
        assert token["start_character"] == owners[token["start"]]
        assert token["end_character"] == owners[place - 1] + 1
        data = text.encode()[token["start"] : place]
        assert bytes.fromhex(token["hex"]) == data
        assert token["text"] in (data.decode(errors="replace"), None)
        assert (token["text"] is None) == ("\ufffd" in data.decode(errors="replace"))
        ids.append(token["id"])
    assert place == len(text.encode())
    assert ids == Tokenizer.load(model).encode(text)


@pytest.mark.usefixtures("block")
def test_text_before_an_error_is_shown(model: Path, here: Path) -> None:
    """The error has its offset; JSON is data: an error half way writes nothing."""
    (here / "text").write_bytes(b"Hello words " * 1000 + b"\xff")
    (error, _) = refused(bpetite("show", "--model", model, "--input", "text", "--json"))
    result = bpetite("show", "--model", model, "--input", "text")
    assert (result.returncode, lines(result.stderr)[0]) == (1, error)
    assert error.startswith("error: text is not UTF-8: byte 0xff at offset 12000 ")
    assert result.stdout.startswith("Hello│".encode())


def test_steps_of_the_worked_example(worked: Path) -> None:
    """The specification's example comes out chunk by chunk, with the rank of each merge."""
    result = bpetite("show", "--model", worked, "--text", "ab ab<|endoftext|>ab", "--steps")
    assert (
        result.stdout.decode()
        == """\
pattern gpt2

chunk 1: ab
  a│b    bytes 97 98
  [ab]   rank 0: a + b (97 + 98) makes 256
         ids 256

chunk 2: ·ab
  ·│a│b    bytes 32 97 98
  ·│[ab]   rank 0: a + b (97 + 98) makes 256
  [·ab]    rank 1: · + ab (32 + 256) makes 257
           ids 257

special token: <|endoftext|>
  id 258

chunk 3: ab, same as chunk 1
  ids 256
"""
    )
    shown = bpetite("show", "--model", worked, "--text", "abab", "--steps").stdout.decode()
    assert "  [ab]│[ab]  rank 0: a + b (97 + 98) makes 256, 2 times\n" in shown
    assert shown.endswith(" ids 256 256\n")


def test_descriptions_wrap_on_a_narrow_screen(worked: Path) -> None:
    """On a narrow screen the description of a step has its own line."""
    words = ("show", "--model", worked, "--text", " ab", "--steps")
    narrow, wide = (bpetite(*words, env={"COLUMNS": n}).stdout.decode() for n in ("40", "80"))
    assert narrow.split() == wide.split()
    described = re.findall(r"(?m)^.*(?:bytes|rank|ids) .*$", narrow)
    assert [line[:8] for line in described] == ["    byte", "    rank", "    rank", "    ids "]


@given(st.lists(texts.TIES | texts.RUNS, max_size=3), texts.TEXTS | texts.RUNS)
def test_the_steps_end_in_the_encoded_ids(corpus: list[str], text: str) -> None:
    """The last ids of each chunk are those of `encode`."""
    tokenizer = Tokenizer.train(corpus, 280)
    shown = "".join(draw_steps(tokenizer._artifact, [text], PLAIN, ordinary=False))
    ids = re.findall(r"^ +ids? ([\d ]+)$", shown, re.MULTILINE)
    assert [int(word) for line in ids for word in line.split()] == tokenizer.encode(text)


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        *((b" the", "·the"), (b"\n\r\t", "⏎␍⇥"), (b"\xe2\x82", "‹e282›")),
        *((b"a\xc3b\xff", "a‹c3›b‹ff›"), ("日本\u00a0é".encode(), "日本‹U+00A0›é")),
        ("\u202e\u200b\U000e0001", "‹U+202E›‹U+200B›‹U+E0001›"),
        *(("\u0301e\u0301", "◌\u0301e\u0301"), ("❤\ufe0f", "❤‹U+FE0F›")),
        ("\u3164\u2800\u034f", "‹U+3164›‹U+2800›‹U+034F›"),
        ("\U0001d159\U00016fe4\U00013441", "‹U+1D159›‹U+16FE4›‹U+13441›"),
        *(("\U0001f3fb", "◌\U0001f3fb"), ("\u1161", "◌\u1161"), ("\u1160", "‹U+1160›")),
        *(("\u11ff\ud7b0", "◌\u11ff\ud7b0"), (b"\x80" * 5000, "‹80›" * 5000)),
    ],
)
def test_a_token_is_shown(token: bytes | str, shown: str) -> None:
    """Whitespace becomes signs, incomplete characters bytes, the invisible its code point."""
    assert visible(token) == shown


@given(st.binary() | st.text(st.characters(codec="utf-8")))
def test_shown_tokens_are_printable(token: bytes | str) -> None:
    """Nothing that is shown moves the cursor or is invisible."""
    shown = visible(token)
    assert shown.isprintable()
    assert " " not in shown
    assert not regex.search(r"\p{Default_Ignorable_Code_Point}", shown)


# inspect


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the artifact of the sample text, with 512 tokens."""
    path = tmp_path_factory.mktemp("sample") / "tokenizer.json"
    Tokenizer.train((ROOT / "docs" / "sample.txt").read_bytes().decode(), 512).save(path)
    return path


def made_of(merges: Sequence[tuple[int, int]]) -> Model:
    """Return the artifact that a file with these merges is loaded as."""
    vocabulary = oracle.vocabulary(merges)
    return Model(merges, [vocabulary[token_id] for token_id in range(256 + len(merges))])


def chain(length: int) -> list[tuple[int, int]]:
    """Return merges that each append one `a` to the last token."""
    return [(97, 97), *((256 + rank, 97) for rank in range(length - 1))]


def doubling(times: int) -> list[tuple[int, int]]:
    """Return merges that each double the last token: 2 to the power of `times` letters `a`."""
    return [(97, 97), *((256 + rank, 256 + rank) for rank in range(times - 1))]


def test_the_page_describes_the_file(sample: Path) -> None:
    """After the file come the longest tokens, lengths, scripts, and incomplete characters."""
    result = bpetite("inspect", "--model", "tokenizer.json", cwd=sample.parent)
    assert (result.returncode, result.stderr) == (0, b"")
    data, shown = sample.read_bytes(), result.stdout.decode()
    assert shown.splitlines()[:8] == [
        "file            tokenizer.json",
        f"size            {len(data):,} bytes",
        f"sha256          {hashlib.sha256(data).hexdigest()}",
        "schema version  1",
        "tokens          513: 256 bytes, 256 merges, 1 special token",
        "special token   <|endoftext|>, id 512",
        "pattern         gpt2",
        f"pattern text    {oracle.PATTERN}",
    ]
    assert "\nlongest tokens\n  391  9 bytes  ·ferryman\n  423  8 bytes  ·letters\n" in shown
    assert f"  1  256   50.0%  {'█' * 40}\n" in shown
    assert "  9    1    0.2%  █\n" in shown
    assert f"  Latin                    258   50.4%  {'█' * 40}\n" in shown
    partial = "tokens that are not complete characters: 145\n  128 single bytes, 17 longer\n"
    assert f"\n{partial}" in shown
    assert "  264  2 bytes  ‹e0a4›\n" in shown
    assert shown.endswith("  and 7 more\n")


def test_json_is_complete(sample: Path) -> None:
    """The figures are those of the file: every length, every script, every incomplete character."""
    sample.write_text(json.dumps(json.loads(sample.read_bytes()), indent=1))
    data = json.loads(bpetite("inspect", "--model", sample, "--json").stdout)
    file = json.loads(sample.read_bytes())
    tokens = [bytes(file["vocab"][str(token_id)]) for token_id in range(512)]
    expected = {
        "path": str(sample),
        "file_bytes": sample.stat().st_size,
        "sha256": hashlib.sha256(sample.read_bytes()).hexdigest(),
        "vocab_size": file["mergeable_vocab_size"],
        "merges": 256,
        "mean_token_bytes": round(len(b"".join(tokens)) / 512, 4),
        **{key: file[key] for key in ("schema_version", "special_tokens", "pretokenizer_pattern")},
    }
    assert data.items() >= expected.items()
    assert data["lengths"] == {str(n): k for n, k in sorted(Counter(map(len, tokens)).items())}
    assert sum(data["scripts"].values()) == 512
    assert data["partial"] == [
        place for place, token in enumerate(tokens) if "\ufffd" in token.decode(errors="replace")
    ]
    sizes = sorted(map(len, tokens), reverse=True)
    assert [len(token["hex"]) // 2 for token in data["longest"]] == sizes[:10]
    assert data["longest"][0] == {"id": 391, "hex": b" ferryman".hex(), "text": " ferryman"}


needs_unicode_16 = pytest.mark.skipif(
    not regex.match(r"\p{L}", "\U000105c0"), reason="this release of regex has no Unicode 16"
)


@pytest.mark.parametrize(
    ("token", "script"),
    [
        *((" the", "Latin"), ("'s", "Latin"), (" и", "Cyrillic"), ("日本", "Han")),
        *(("ひらがな", "Hiragana"), ("한글", "Hangul"), ("ि", "Devanagari")),
        *(("日の", "several scripts"), ("aя", "several scripts"), ("ᐁᐂ", "Canadian Aboriginal")),
        pytest.param("\U000105c0", "other scripts", marks=needs_unicode_16),
        ("ᚠа", "several scripts"),
        *(("1999", "numbers"), (" ²", "numbers"), (" \n\u2003", "whitespace")),
        ("\x00\x1b", "unprintable characters"),
        *((symbol, "punctuation and symbols") for symbol in (" ...", "⛵", "\u0301")),
        *((part, "parts of characters") for part in (b"\xe8\x88", b" \xc3")),
    ],
)
def test_the_script_of_a_token(token: str | bytes, script: str) -> None:
    """A token belongs to the script of its characters, or to a class without a script."""
    data = token.encode() if isinstance(token, str) else token
    assert take_census({0: data})["scripts"] == {script: 1}


@pytest.mark.thorough
def test_the_list_of_scripts_is_complete() -> None:
    """Every letter of Unicode 15.1 is in a listed script, or shared by many scripts."""
    if tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 1, 0):
        pytest.skip("this Python knows letters that are younger than the list")
    characters = map(chr, range(0x110000))
    letters = "".join(char for char in characters if unicodedata.category(char).startswith("L"))
    assert OTHER not in {match.lastgroup or OTHER for match in _pattern().finditer(letters)}


@pytest.mark.posix
def test_long_tokens_share_the_screen(here: Path) -> None:
    """A histogram has few lines, with no gap; a long token and those it joins are shortened."""
    write_artifact(here / "m.json", doubling(10))
    shown = printed("inspect --model m.json").decode()
    _, _, drawn = shown.partition("\ntokens by length in bytes\n")
    rows = re.findall(r"^  (.*?)  +(\d+)  ", drawn.partition("\n\n")[0], re.MULTILINE)
    names = [str(n) for n in range(1, 17)]
    names += ["17 to 32", "33 to 64", "65 to 128", "129 to 256", "257 to 512", "513 to 1,024"]
    assert [name for name, _ in rows] == names
    assert sum(int(count) for _, count in rows) == 266
    _, shown = shown_in_terminal(["inspect", "--model", "m.json", "--tokens"], here)
    row = COLOR.sub("", shown).splitlines()[265]
    assert row == f"265  {'a' * 27}…  = {'a' * 13}… + {'a' * 13}…  rank 9"


@pytest.mark.usefixtures("here")
def test_bytes_and_special_tokens_are_leaves() -> None:
    """They have no parts, in rows and as JSON; an unknown id is an error."""
    Tokenizer.train("ab ab ab", 258).save("tokenizer.json")
    words = "inspect --model tokenizer.json --token"
    assert printed(f"{words} 195").decode() == "‹c3›  id 195, a byte\n"
    assert printed(f"{words} 258") == b"<|endoftext|>  id 258, special\n"
    special = {"id": 258, "hex": b"<|endoftext|>".hex(), "text": "<|endoftext|>", "tree": []}
    leaf = {"id": 195, "hex": "c3", "text": None, "tree": []}
    assert rows_of(f"{words} 195 --json") + rows_of(f"{words} 258 --json") == [leaf, special]
    for wrong in ("259", "-1", "99999999999"):
        unknown = f"error: unknown token id {wrong}; the ids are 0 to 258"
        assert refusal(f"{words} {wrong} --json") == [unknown]


def test_a_repeated_token_is_drawn_once() -> None:
    """The tree goes down to the bytes; where a token occurs again, it refers to the first one."""
    artifact = made_of([(97, 98), (256, 256), (257, 99), (257, 258)])
    assert "".join(draw_tree(artifact, 259, PLAIN)).splitlines() == [
        "ababababc  id 259, rank 3, 9 bytes",
        "├── abab  id 257, rank 1, 4 bytes",
        "│   ├── ab  id 256, rank 0, 2 bytes",
        "│   │   ├── a  id 97, a byte",
        "│   │   └── b  id 98, a byte",
        "│   └── ab  id 256, rank 0, 2 bytes, as above",
        "└── ababc  id 258, rank 2, 5 bytes",
        "    ├── abab  id 257, rank 1, 4 bytes, as above",
        "    └── c  id 99, a byte",
    ]


@pytest.mark.parametrize("merges", [chain(3000), doubling(20)], ids=["deep", "wide"])
def test_a_tree_stays_small(merges: list[tuple[int, int]]) -> None:
    """Each token's parts are drawn once, and deep ones start again at the left."""
    artifact = made_of(merges)
    screen = PLAIN._replace(width=160)
    drawn = "".join(draw_tree(artifact, len(artifact.tokens) - 1, screen)).splitlines()
    assert len(drawn) <= 4 * len(merges)
    assert max(map(len, drawn)) < 160
    labels = [line.lstrip("│├└─ ") for line in drawn if line]
    whole = [label for label in labels if re.search(r"rank \d+, [\d,]+ bytes$", label)]
    ranks = [int(label.split("rank ")[1].split(",")[0]) for label in whole]
    assert ranks == [*reversed(range(len(merges)))]
    starts = [line for line in drawn if line.startswith("a")][1:]
    below = {label for label in labels if label.endswith(", drawn below")}
    assert {f"{start}, drawn below" for start in starts} == below


@given(texts.merge_lists().filter(bool))
def test_json_has_the_merges_of_a_token_in_order(merges: list[tuple[int, int]]) -> None:
    """Applied in order of rank, the listed merges make the token."""
    artifact = made_of(merges)
    for token_id in range(256, len(artifact.tokens)):
        data = json.loads(json.dumps(tree_data(artifact, token_id)))
        made = {byte: bytes([byte]) for byte in range(256)}
        for merge in data["tree"]:
            left, right = merge["pair"]
            assert merge["id"] == 256 + merge["rank"]
            made[merge["id"]] = made[left] + made[right]
        assert (data["id"], bytes.fromhex(data["hex"])) == (token_id, made[token_id])


@pytest.mark.parametrize("token", ["xx", "éé", "e\u0301" * 2, "का", "船", "⛵", "🌊", "🇰🇷", "한"])
def test_long_tokens_are_shortened(token: str) -> None:
    """A token is cut after a number of cells, however many bytes and characters they have."""
    assert shortened((token * 3).encode(), 6) == token * 3
    for times in (4, 99):
        cut = shortened((token * times).encode(), 7)
        assert (cut, terminal_width(cut)) == (f"{token * 3}…", 7)
    assert shortened(("e" + "\u0301" * 50).encode(), 7) == "e" + "\u0301" * 15 + "…"


def test_the_vocabulary_is_listed_with_its_merges(sample: Path) -> None:
    """Each token's line has its bytes, text, pair and rank, as in the file."""
    result = bpetite("inspect", "--model", sample, "--tokens")
    assert (result.returncode, result.stderr) == (0, b"")
    assert bpetite("inspect", "--model", sample, "--tokens", "--json").stdout == result.stdout
    listed = list(map(json.loads, lines(result.stdout)))
    file = json.loads(sample.read_bytes())
    for token_id, token in enumerate(listed[:-1]):
        data, rank = bytes(file["vocab"][str(token_id)]), token_id - 256
        text = None if "\ufffd" in data.decode(errors="replace") else data.decode()
        merge = (file["merges"][rank], rank) if rank >= 0 else (None, None)
        assert tuple(token.values()) == (token_id, data.hex(), text, *merge)
    special = {"id": 512, "hex": b"<|endoftext|>".hex(), "text": "<|endoftext|>"}
    assert listed[512:] == [special | {"pair": None, "rank": None}]


def test_a_token_is_found_by_its_text(sample: Path, here: Path) -> None:
    """The trees are those of the ids; every token with the text is shown."""
    words = ("inspect", "--model", sample)
    for more in ((), ("--json",)):
        by_id = bpetite(*words, "--token", "257", *more)
        by_text = bpetite(*words, "--token-text", " th", *more)
        assert (by_text.returncode, by_text.stdout) == (0, by_id.stdout)
    write_artifact(here / "m.json", [(97, 98), (98, 99), (256, 99), (97, 257)])
    twice = ("inspect", "--model", here / "m.json", "--token-text", "abc")
    trees = bpetite(*twice).stdout.decode().split("\n\n")
    assert [tree.splitlines()[0] for tree in trees] == [
        "abc  id 258, rank 2, 3 bytes",
        "abc  id 259, rank 3, 3 bytes",
    ]
    found = map(json.loads, lines(bpetite(*twice, "--json").stdout))
    assert [token["id"] for token in found] == [258, 259]
    special = bpetite("inspect", "--model", sample, "--token-text", "<|endoftext|>")
    assert special.stdout == b"<|endoftext|>  id 512, special\n"


def test_a_text_that_no_token_has_is_an_error(sample: Path) -> None:
    """The error suggests a similar token, such as one with a space before the text."""
    similar = {"ferryman": " ferryman", "·ferryman": " ferryman", " th ": "th", "": " "}
    ways = {text: f"try {token!r}" for text, token in similar.items()}
    ways |= dict.fromkeys(("xyzzy", "\x1b[2J"), "`bpetite show --text` cuts it into tokens")
    for text, way_out in ways.items():
        result = bpetite("inspect", "--model", sample, "--token-text", text)
        assert refused(result) == [f"error: no token has the text {text!r}; {way_out}"]


def test_unusual_vocabularies_are_inspected(here: Path) -> None:
    """There may be only bytes, and tokens of any bytes, of which none controls the terminal."""
    Tokenizer.train("", 256).save("bytes.json")
    shown = printed("inspect --model bytes.json").decode()
    assert "tokens          257: 256 bytes, 0 merges, 1 special token\n" in shown
    assert shown.endswith("\ntokens that are not complete characters: 128\n  all single bytes\n")
    merges = [(27, 91), (128, 128), *((257 + n, 257 + n) for n in range(12)), (155, 51)]
    write_artifact(here / "m.json", merges)
    for words in ("--token 256", "--token 268", ""):
        assert printed(f"inspect --model m.json {words}").decode().replace("\n", "").isprintable()


@pytest.mark.posix
@pytest.mark.parametrize("words", [[], ["--token", "351"], ["--token-text", " clerk"]])
def test_a_terminal_shows_the_page_in_color(sample: Path, words: list[str]) -> None:
    """A terminal gets colors; without them the page is that of a pipe."""
    command = ["inspect", "--model", "tokenizer.json", *words]
    status, shown = shown_in_terminal(command, sample.parent)
    printed = bpetite(*command, cwd=sample.parent).stdout.decode()
    assert status == 0
    assert shown != printed
    assert COLOR.sub("", shown) == printed
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert shown_in_terminal(command, sample.parent, env) == (0, printed)
