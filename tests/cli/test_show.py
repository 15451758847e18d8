"""`bpetite show`: tokens as a person sees them, in a terminal and elsewhere."""

import json
import re
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import texts
from bpetite import Tokenizer
from bpetite_cli.terminal.screen import Screen
from bpetite_cli.terminal.visible import visible
from bpetite_cli.views.rows import draw_rows
from bpetite_cli.views.steps import draw_steps
from cli_tools import bpetite, lines, refused, shown_in_terminal, terminal_process, terminal_width

HOSTILE = "\x1b[2J\x1b]0;title\x07 [red]x[/red] \x9b31m \u202eabc\u2066 \u0301\u0301 e\u0301 שלום"
HOSTILE += "\x00\r\n\t"
COLOR = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the artifact of the worked example: `ab`, then ` ab`."""
    path = tmp_path_factory.mktemp("worked") / "tokenizer.json"
    Tokenizer.train("ab ab ab", 258).save(path)
    return path


def plain(width: int) -> Screen:
    """Return a screen without colors."""
    return Screen(width, colored=False, paint=lambda text, _: text)


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


def test_empty_text_is_shown(worked: Path) -> None:
    """The empty text has only a total, and no steps."""
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
    for row in draw_rows(tokens, (-1).__eq__, plain(width)):
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


def test_tokens_wider_than_the_screen_wrap() -> None:
    """Its parts are in separate rows; below each part after the first is a `…`."""
    rows = list(draw_rows([(7, b"x" * 40), (8, b"y")], (-1).__eq__, plain(16)))
    assert rows == [f"{'x' * 16}\n7\n\n", f"{'x' * 16}\n…\n\n", f"{'x' * 8}│y\n…       │8\n\n"]


@pytest.mark.posix
def test_a_terminal_shows_colors(worked: Path, here: Path) -> None:
    """Neighbors differ in color, and the special token has its own."""
    text = "ab ab<|endoftext|>x"
    words = ["show", "--model", str(worked), "--text", text]
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
    ids = "│".join(rows[1:-1:3]).split("│")
    assert list(map(int, ids)) == Tokenizer.load(model).encode(text)


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


def test_a_merge_applies_to_all_occurrences(worked: Path) -> None:
    """`abab` is one step: both pairs at once, from the left."""
    shown = bpetite("show", "--model", worked, "--text", "abab", "--steps").stdout.decode()
    assert "  [ab]│[ab]  rank 0: a + b (97 + 98) makes 256, 2 times\n" in shown
    assert shown.endswith(" ids 256 256\n")
    shown = bpetite("show", "--model", worked, "--text", "ab" * 5, "--steps").stdout.decode()
    assert "[ab]│[ab]│[ab]│[ab]│[ab]  rank 0: " in shown


def test_descriptions_wrap_on_a_narrow_screen(worked: Path) -> None:
    """On a narrow screen the description of a step has its own line."""
    words = ("show", "--model", worked, "--text", " ab", "--steps")
    narrow, wide = (bpetite(*words, env={"COLUMNS": n}).stdout.decode() for n in ("40", "80"))
    assert narrow.split() == wide.split()
    described = re.findall(r"(?m)^.*(?:bytes|rank|ids) .*$", narrow)
    assert [line[:8] for line in described] == ["    byte", "    rank", "    rank", "    ids "]


@pytest.mark.posix
def test_steps_highlight_new_tokens_in_color(worked: Path, here: Path) -> None:
    """In color the new token has no brackets, which a text may contain too."""
    words = ["show", "--model", str(worked), "--text", "[ab", "--steps"]
    _, shown = shown_in_terminal(words, here)
    assert "\x1b[1;30;43mab\x1b[0m" in shown
    assert "[ab]" not in COLOR.sub("", shown)


@given(st.lists(texts.TIES | texts.RUNS, max_size=3), texts.TEXTS | texts.RUNS)
def test_the_steps_end_in_the_encoded_ids(corpus: list[str], text: str) -> None:
    """The last ids of each chunk are those of `encode`."""
    tokenizer = Tokenizer.train(corpus, 280)
    shown = "".join(draw_steps(tokenizer._artifact, [text], plain(80), ordinary=False))
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
