"""`bpetite show` and `bpetite inspect`: tokens in a text, a tokenizer, and the tree of a token."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import oracle
import texts
from artifacts import artifact_with, canonical, write_artifact
from bpetite import Tokenizer
from cli_tools import (
    bpetite,
    call,
    in_words,
    lines,
    printed,
    refusal,
    rows_of,
    shown_in_terminal,
    terminal_width,
    tuned,
)
from project_tools import ROOT

COLOR: Final = re.compile(r"\x1b\[[\d;]*m")
# show


@pytest.fixture
def worked(here: Path) -> Path:
    """Return the working directory with the tokenizer of the worked example: `ab`, then ` ab`."""
    write_artifact(here / "m.json", [(97, 98), (32, 256)])
    return here


@pytest.mark.usefixtures("worked")
def test_tokens_are_above_their_ids() -> None:
    """Without color a sign separates the tokens, each with its id below; a line sums up."""
    assert in_words("show -m m.json --text", "ab ab\n\nxab<|endoftext|>é") == [
        "ab │·ab│⏎",
        "256│257│10",
        "",
        "⏎",
        "10",
        "",
        "x  │ab │<|endoftext|>│é",
        "120│256│258          │195 169",
        "",
        "9 tokens, 25 bytes, 2.78 bytes per token",
    ]
    assert in_words("show -m m.json --text ''") == ["0 tokens, 0 bytes"]
    assert printed("show -m m.json --text '' --steps") == b""


CHARACTERS: Final[dict[str, tuple[list[tuple[int, int]], str, str, str]]] = {
    "two bytes": ([], "éé", "é      │é", "195 169│195 169"),
    "three bytes": ([], "船", "船", "232 136 185"),
    "four bytes": ([], "🌊", "🌊", "240 159 140 138"),
    "two bytes and one": ([(0xE8, 0x88)], "船", "船", "256 185"),
    "one byte and two": ([(0x88, 0xB9)], "船", "船", "232 256"),
    "a lone begin": ([(0xA9, 97)], "éa", "‹c3›│‹a9›a", "195 │256"),
    "an end inside a character": ([(32, 0xC3)], " é", "·‹c3›│‹a9›", "256  │169"),
}
"""Merges and a text, and what is shown of its tokens and ids."""


@pytest.mark.parametrize(("merges", "text", "above", "below"), CHARACTERS.values(), ids=CHARACTERS)
def test_byte_tokens_of_a_character_are_shown_together(
    here: Path, merges: list[tuple[int, int]], text: str, above: str, below: str
) -> None:
    """The character is above the ids of its tokens, unless one of them has other bytes too."""
    write_artifact(here / "m.json", merges)
    shown, ids, *_ = in_words("show -m m.json --text", text)
    assert (shown.rstrip(), ids.rstrip()) == (above, below)


@example("船夫 船夫 e\u0301\u0301 船夫", 80)
@given(texts.TEXTS.map(lambda text: text.replace("│", "")), st.integers(16, 90))
def test_rows_fit_and_have_all_tokens(model: Path, text: str, width: int) -> None:
    """No line is wider than the screen; all tokens and ids are there, in aligned columns."""
    words = ["show", "-m", str(model), "--ordinary", "--output-format", "text"]
    result = bpetite(*words, stdin=text.encode(), env={"COLUMNS": str(width)})
    *rows, _ = result.stdout.decode().split("\n\n")
    ids: list[int] = []
    for row in rows:
        above, below = row.split("\n")
        assert max(terminal_width(above), terminal_width(below)) <= width
        starts = [
            [terminal_width("│".join(parts[:place])) for place in range(len(parts))]
            for parts in (above.split("│"), below.split("│"))
        ]
        assert starts[0] == starts[1]
        assert visible(above)
        ids += [int(one) for one in below.replace("│", " ").split() if one != "…"]
    assert ids == Tokenizer.load(model).encode(text, ordinary=True)


def visible(shown: str) -> bool:
    """Return whether a line moves no cursor and has no invisible character."""
    return shown.isprintable() and not regex.search(r"\p{Default_Ignorable_Code_Point}", shown)


@pytest.mark.posix
def test_a_terminal_shows_colors(worked: Path) -> None:
    """Neighbors differ in color; special tokens have their own, and so has what a step makes."""
    words = ["show", "-m", "m.json", "--text", "ab ab<|endoftext|>x"]
    status, shown = shown_in_terminal(words, worked)
    assert status == 0
    assert shown == (
        "\x1b[30;46mab\x1b[0m  \x1b[30;42m·ab\x1b[0m "
        "\x1b[1;37;44m<|endoftext|>\x1b[0m \x1b[30;45mx\x1b[0m\n"
        "\x1b[2m256\x1b[0m \x1b[2m257\x1b[0m \x1b[2m258\x1b[0m           \x1b[2m120\x1b[0m\n\n"
        "4 tokens, 19 bytes, 4.75 bytes per token\n"
    )
    _, shown = shown_in_terminal([*words[:-1], "[ab", "--steps"], worked)
    assert "\x1b[1;30;43mab\x1b[0m" in shown
    assert "[ab]" not in COLOR.sub("", shown)


def test_blocks_do_not_change_what_is_shown(small: Path) -> None:
    """Where they end does not affect the picture. Text before an error is shown; JSON is not."""
    text = "Hello 船夫\x1c world\u2003\n  ⛵⛵ <|endoftext|>" * 400
    with tuned(block=1 << 12):
        below = " ".join(in_words("show -m m.json", stdin=text.encode())[1:-1:3])
    ids = [*map(int, below.replace("│", " ").split())]
    assert ids == Tokenizer.load("m.json").encode(text)
    (small / "text").write_bytes(b"Hello words " * 6000 + b"\xff")
    (error, _) = refusal("show -m m.json text --json")
    result = call("show -m m.json text --output-format text")
    assert (result.returncode, result.told[0]) == (1, error)
    assert error.startswith("error: text is not UTF-8: byte 0xff at offset 72000 ")
    assert result.stdout.startswith("Hello│".encode())


@pytest.mark.usefixtures("worked")
def test_steps_of_the_worked_example() -> None:
    """The specification's example comes out chunk by chunk, with the rank of each merge."""
    shown = printed("show -m m.json --text 'ab ab<|endoftext|>ab' --steps").decode()
    assert (
        shown
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
    shown = printed("show -m m.json --text abab --steps").decode()
    assert "  [ab]│[ab]  rank 0: a + b (97 + 98) makes 256, 2 times\n" in shown
    assert shown.endswith(" ids 256 256\n")


TOKENS: Final[dict[str | bytes, str]] = {
    " \n\r\t": "·⏎␍⇥",
    b"\xe2\x82": "‹e282›",
    b"a\xc3b\xff": "a‹c3›b‹ff›",
    "\u202e\u200b\U000e0001": "‹U+202E›‹U+200B›‹U+E0001›",
    "\u0301e\u0301": "◌\u0301e\u0301",
    "\u3164\u2800\u034f": "‹U+3164›‹U+2800›‹U+034F›",
    "\U0001d159\U00016fe4\U00013441": "‹U+1D159›‹U+16FE4›‹U+13441›",
    "\U0001f3fb": "◌\U0001f3fb",
    "\u1161": "◌\u1161",
    "\u11ff\ud7b0": "◌\u11ff\ud7b0",
}
"""Tokens, and what is shown of them."""


def write_whole(tokens: Sequence[bytes]) -> None:
    """Write a tokenizer of schema version 3 with whole tokens, from the id 1000 on."""
    content = artifact_with([]) | {"schema_version": 3, "special_tokens": {}}
    whole = {str(number): list(token) for number, token in enumerate(tokens, 1000)}
    vocab = {str(byte): [byte] for byte in range(256)} | whole
    size = {"mergeable_vocab_size": len(vocab), "vocab": vocab}
    Path("m.json").write_bytes(canonical(content | size))


def shown_tokens(tokens: Sequence[bytes], columns: int) -> list[str]:
    """Return what the rows of tokens on a terminal of some width show."""
    write_whole(tokens)
    words = ["inspect", "-m", "m.json", "--tokens"]
    _, shown = shown_in_terminal(words, Path(), {"NO_COLOR": "1"}, columns=columns)
    rows = shown.splitlines()[256:]
    assert max(map(terminal_width, rows)) <= columns
    return [row.split("  ")[1] for row in rows]


def in_bytes(tokens: Iterable[str | bytes]) -> list[bytes]:
    return [one.encode() if isinstance(one, str) else one for one in tokens]


@pytest.mark.posix
@pytest.mark.usefixtures("here")
def test_a_token_is_shown() -> None:
    """Whitespace becomes signs, incomplete characters bytes, the invisible its code point."""
    assert shown_tokens(in_bytes(TOKENS), 80) == [*TOKENS.values()]


@pytest.mark.posix
@pytest.mark.usefixtures("here")
def test_long_tokens_are_shortened() -> None:
    """A token is cut after a number of cells, however many bytes and characters they have."""
    texts = [one * 30 for one in ("x", "e\u0301", "a\u20dd", "का", "船", "🌊", "🇰🇷", "한")]
    for text, shown in zip(texts, shown_tokens(in_bytes(texts), 28), strict=True):
        assert text.startswith(shown.removesuffix("…"))
        assert terminal_width(shown) in ({22} if terminal_width(text) == 30 else {21, 22})


# inspect


@pytest.fixture
def sample(here: Path) -> Path:
    """Return the file of the tokenizer of the sample text, with 512 tokens."""
    text = (ROOT / "docs" / "sample.txt").read_text("utf-8")
    Tokenizer.train(text, 512).save("tokenizer.json")
    return here / "tokenizer.json"


def test_the_page_describes_the_file(sample: Path) -> None:
    """After the file come the longest tokens, lengths, scripts, and incomplete characters."""
    data, page = sample.read_bytes(), in_words("inspect -m tokenizer.json")
    assert page[:9] == [
        "file            tokenizer.json",
        f"size            {len(data):,} bytes",
        f"sha256          {hashlib.sha256(data).hexdigest()}",
        "schema version  1",
        "vocabulary      512 tokens and 1 special token: 256 bytes, 256 merges",
        "model rows      513",
        "special token   <|endoftext|>, id 512",
        "pattern         gpt2",
        f"pattern text    {oracle.PATTERN}",
    ]
    shown = "\n".join(page)
    assert "\nlongest tokens\n  391  9 bytes  ·ferryman\n  423  8 bytes  ·letters\n" in shown
    assert f"  1  256   50.0%  {'█' * 40}\n" in shown
    assert "  9    1    0.2%  █\n" in shown
    assert f"  Latin                    258   50.4%  {'█' * 40}\n" in shown
    partial = "tokens that are not complete characters: 145\n  128 single bytes, 17 longer\n"
    assert f"\n{partial}" in shown
    assert "  264  2 bytes  ‹e0a4›\n" in shown
    assert page[-1] == "  and 7 more"


SCRIPTS: Final[dict[str | bytes, str]] = {
    " the": "Latin",
    "'s": "Latin",
    "日本": "Han",
    "ि": "Devanagari",
    "日の": "several scripts",
    "ᐁᐂ": "Canadian Aboriginal",
    " ²": "numbers",
    " \n\u2003": "whitespace",
    "\x00\x1b": "unprintable characters",
    "⛵": "punctuation and symbols",
    "\u0301": "punctuation and symbols",
    b"\xe8\x88": "parts of characters",
    b" \xc3": "parts of characters",
}
if regex.match(r"\p{L}", "\U000105c0"):  # this release of regex has Unicode 16
    SCRIPTS["\U000105c0"] = "other scripts"


def scripts_of(tokens: Sequence[bytes]) -> Counter[str]:
    """Return how many tokens, with the bytes, `inspect` finds in each script."""
    write_whole(tokens)
    return Counter(rows_of("inspect -m m.json --json")[0]["scripts"])


@pytest.mark.usefixtures("here")
def test_the_script_of_a_token() -> None:
    """A token belongs to the script of its characters, or to a class without a script."""
    found = scripts_of([b"ab", *in_bytes(SCRIPTS)]) - scripts_of([b"ab"])
    assert found == Counter(SCRIPTS.values())


@pytest.mark.thorough
@pytest.mark.usefixtures("here")
def test_the_list_of_scripts_is_complete() -> None:
    """Every letter of Unicode 15.1 is in a listed script, or shared by many scripts."""
    if tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 1, 0):
        pytest.skip("this Python knows letters that are younger than the list")
    characters = map(chr, range(128, 0x110000))
    letters = [one for one in characters if unicodedata.category(one)[0] == "L"]
    assert not scripts_of(in_bytes(letters))["other scripts"]


@pytest.mark.posix
def test_long_tokens_share_the_screen(here: Path) -> None:
    """A histogram has few lines, with no gap; a long token and those it joins are shortened."""
    write_artifact(here / "m.json", DOUBLING[:10])
    shown = "\n".join(in_words("inspect --model m.json"))
    _, _, drawn = shown.partition("\ntokens by length in bytes\n")
    rows = re.findall(r"^  (.*?)  +(\d+)  ", drawn.partition("\n\n")[0], re.MULTILINE)
    names = [str(n) for n in range(1, 17)]
    names += ["17 to 32", "33 to 64", "65 to 128", "129 to 256", "257 to 512", "513 to 1,024"]
    assert [name for name, _ in rows] == names
    assert sum(int(count) for _, count in rows) == 266


def test_a_repeated_token_is_drawn_once(here: Path) -> None:
    """The tree goes down to the bytes; where a token occurs again, it refers to the first one."""
    write_artifact(here / "m.json", [(97, 98), (256, 256), (257, 99), (257, 258)])
    assert refusal("inspect -m m.json --token 261 --json") == [
        "error: unknown token id 261; the ids are 0 to 260"
    ]
    assert in_words("inspect -m m.json --token 259") == [
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


CHAIN: Final = [(97, 97), *((256 + rank, 97) for rank in range(599))]
DOUBLING: Final = [(97, 97), *((256 + rank, 256 + rank) for rank in range(15))]
"""Merges that each append one `a` to the last token, or that double it."""


@pytest.mark.parametrize("merges", [CHAIN, DOUBLING], ids=["deep", "wide"])
def test_a_tree_stays_small(here: Path, merges: list[tuple[int, int]]) -> None:
    """Each token's parts are drawn once, and deep ones start again at the left."""
    write_artifact(here / "m.json", merges)
    words = f"inspect -m m.json --output-format text --token {255 + len(merges)}".split()
    drawn = lines(bpetite(*words, env={"COLUMNS": "160"}).stdout)
    assert len(drawn) <= 4 * len(merges)
    assert max(map(len, drawn)) < 160
    labels = [line.lstrip("│├└─ ") for line in drawn if line]
    ranks = re.findall(r"rank (\d+), [\d,]+ bytes$", "\n".join(labels), re.MULTILINE)
    assert [*map(int, ranks)] == [*reversed(range(len(merges)))]
    starts = [line for line in drawn if line.startswith("a")][1:]
    below = {label for label in labels if label.endswith(", drawn below")}
    assert {f"{start}, drawn below" for start in starts} == below


def test_a_token_is_found_by_its_text(sample: Path) -> None:
    """The trees are those of the ids; every token with the text is shown, or a similar one."""
    for more in ("--output-format text", "--json"):
        by_id = printed(f"inspect -m tokenizer.json --token 257 {more}")
        assert printed(f"inspect -m tokenizer.json --token-text ' th' {more}") == by_id
    special = in_words("inspect -m tokenizer.json --token-text '<|endoftext|>'")
    assert special == ["<|endoftext|>  id 512, special"]
    assert in_words("inspect -m tokenizer.json --token-text 7") == ["7  id 55, a byte"]
    ways = {
        "ferryman": "try ' ferryman'",
        "·ferryman": "try ' ferryman'",
        " th ": "try 'th'",
        "": "try ' '",
        "\x1b[2J": "`bpetite show --text` cuts it into tokens",
    }
    for text, way_out in ways.items():
        told = refusal("inspect -m tokenizer.json --token-text", text)
        assert told == [f"error: no token has the text {text!r}, as no merge makes it; {way_out}"]
    write_artifact(sample.parent / "m.json", [(97, 98), (98, 99), (256, 99), (97, 257)])
    trees = in_words("inspect -m m.json --token-text abc")
    assert [trees[0], trees[trees.index("") + 1]] == [
        "abc  id 258, rank 2, 3 bytes",
        "abc  id 259, rank 3, 3 bytes",
    ]
    assert [one["id"] for one in rows_of("inspect -m m.json --token-text abc --json")] == [258, 259]


@pytest.mark.posix
@pytest.mark.parametrize("words", [[], ["--token", "351"], ["--token-text", " clerk"]])
def test_a_terminal_shows_the_page_in_color(sample: Path, words: list[str]) -> None:
    """A terminal gets colors; without them the page is what `--output-format text` prints."""
    command = ["inspect", "--model", "tokenizer.json", *words]
    status, shown = shown_in_terminal(command, sample.parent)
    piped = bpetite(*command, "--output-format", "text").stdout.decode()
    assert status == 0
    assert shown != piped
    assert COLOR.sub("", shown) == piped
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert shown_in_terminal(command, sample.parent, env) == (0, piped)
