"""`import_tokenizer` with a `tokenizer.json`: what is kept, what is left out, what is refused."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from artifacts import content_of
from bpetite import Tokenizer
from bpetite_compare import Imported, import_tokenizer
from compare_tools import vocab_of
from hugging_face_files import (
    END,
    EQUIVALENT,
    NFC,
    REFUSED,
    Change,
    File,
    added,
    both,
    listed,
    model,
    named,
    several,
    to_letters,
    tokens,
    top,
    with_other_letters,
    without,
)


def imported(folder: Path, *changes: Change, **options: Any) -> Imported:  # noqa: ANN401 - its own
    """Import a `tokenizer.json` with these changes as `new.json`."""
    both(*changes)(file := File())
    (path := folder / "theirs.json").write_text(json.dumps(file.content))
    return import_tokenizer(path, None, folder / "new.json", overwrite=True, **options)


@pytest.fixture(scope="session")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the tokenizer file of an import without changes."""
    return Path(imported(tmp_path_factory.mktemp("unchanged")).path).read_bytes()


@pytest.mark.parametrize("name", EQUIVALENT)
def test_equivalent_settings_are_accepted(name: str, unchanged: bytes, tmp_path: Path) -> None:
    """Settings that change no id are accepted, and those that are left out are listed."""
    notes = imported(tmp_path, EQUIVALENT[name]).notes
    assert (tmp_path / "new.json").read_bytes() == unchanged
    adds = [note for note in notes if "adds special tokens to a text; bpetite adds none" in note]
    assert len(adds) == (name == "a template with a token")
    assert len(notes) - len(adds) == 2 * (name == "padding and truncation")


def test_processors_that_add_tokens_are_left_out(tmp_path: Path) -> None:
    """A note names them."""
    kinds = ({"type": "BertProcessing"}, {"type": "RobertaProcessing"})
    [note] = imported(tmp_path, top(post_processor=several("processors", *kinds))).notes
    assert note.startswith("its post_processor, BertProcessing and RobertaProcessing, adds speci")


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_change_ids_are_rejected(name: str, tmp_path: Path) -> None:
    """The error names what a tokenizer file cannot have, or contradicts, and nothing is written."""
    reason, change = REFUSED[name]
    with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
        imported(tmp_path, change)
    assert not (tmp_path / "new.json").exists()


def test_special_and_added_tokens_keep_their_ids(tmp_path: Path) -> None:
    """They may lie before, inside and after the vocabulary, with gaps; `special` may be false."""

    def change(file: File) -> None:
        vocab = {text: 7 * (400 - one) for text, one in file.model["vocab"].items()}
        file.model["vocab"] = vocab | {"<u>": 3}

    ids = [7 * (400 - 97), 269, 270, 7 * (400 - 267), 3]
    names = [added("<u>", 3), added(END, ids[3]), added("<\u2581a>", 269)]
    names += [added("<b>", 270, normalized=True, special=True)]
    special = imported(tmp_path, change, listed(*names)).special_tokens
    assert special == {"<u>": 3, "<\u2581a>": 269, "<b>": 270, END: ids[3]}
    tokenizer = Tokenizer.load(tmp_path / "new.json")
    assert tokenizer.encode(text := f"a<\u2581a><b>{END}<u>") == ids
    assert tokenizer.decode(ids) == text
    assert content_of(tokenizer)["schema_version"] == 3


def test_runs_of_spaces_are_special_tokens(tmp_path: Path) -> None:
    """They may have the bytes of merges, are not noted as special, and lose only the normalizer."""
    runs = named(*(" " * size for size in range(2, 25)), normalized=True)
    result = imported(tmp_path, runs, top(normalizer=NFC), drop_normalizer=True)
    assert [*result.special_tokens] == [END, *(" " * size for size in range(2, 25))]
    assert result.notes == (
        "its normalizer, NFC, is left out: ids are the model's for text in NFC",
    )
    tokenizer = Tokenizer.load(result.path)
    assert content_of(tokenizer)["schema_version"] == 4
    by_size = {size: result.special_tokens[" " * size] for size in range(2, 25)}
    assert tokenizer.encode(f"ab   ab{' ' * 26}") == [259, by_size[3], 259, by_size[24], by_size[2]]
    assert by_size[2] not in tokenizer.encode("  ", ordinary=True)
    with pytest.raises(ValueError, match=r"'\\u2000' is changed by its normalizer, NFC"):
        imported(tmp_path, named("\u2000", normalized=True), top(normalizer=NFC))


@pytest.mark.parametrize("known", [True, False])
def test_without_special_tokens_there_are_none(known: bool, tmp_path: Path) -> None:
    """`<|endoftext|>` in the vocabulary alone is in no text, as in `tokenizers`; it decodes."""
    result = imported(tmp_path, listed(), *([] if known else [without(END)]))
    assert (result.whole_tokens, result.special_tokens) == (known, {})
    tokenizer = Tokenizer.load(result.path)
    assert content_of(tokenizer)["schema_version"] == 2 + known
    assert len(tokenizer.encode(END)) > 1
    assert not known or tokenizer.decode([267]) == END


def test_a_list_of_thousands_of_added_tokens_is_read(tmp_path: Path) -> None:
    """With as many as Gemma 3 has, the error still is that of the settings."""
    many = listed(*(added(f"<unused{number}>", 268 + number) for number in range(6414)))
    with pytest.raises(ValueError, match="its model has byte_fallback, so its tokens are chara"):
        imported(tmp_path, many, model(byte_fallback=True))


def test_a_normalizer_to_nfc_is_left_out_on_request(unchanged: bytes, tmp_path: Path) -> None:
    """The rest is imported as without it, with a note; a name that NFC changes is refused."""
    normalizer = top(normalizer=NFC)
    [note] = imported(tmp_path, normalizer, drop_normalizer=True).notes
    assert note == "its normalizer, NFC, is left out: ids are the model's for text in NFC"
    assert (tmp_path / "new.json").read_bytes() == unchanged
    with pytest.raises(ValueError, match="'<e\u0301>' is changed by its normalizer, NFC"):
        imported(tmp_path, normalizer, named("<e\u0301>", normalized=True), drop_normalizer=True)


def test_flags_that_take_whitespace_are_left_out_on_request(tmp_path: Path) -> None:
    """The rest is imported as without them, with a note for each; single_word is refused."""
    plain = imported(tmp_path, named("<s>", "<m>")).sha256
    flags = both(named("<s>", lstrip=True), named("<m>", lstrip=True, rstrip=True))
    *notes, _ = (new := imported(tmp_path, flags, drop_strip=True)).notes
    assert new.sha256 == plain
    where = "is left out: ids differ only where whitespace is directly"
    assert notes == [
        f"lstrip of '<s>', '<m>' {where} before such a token",
        f"rstrip of '<m>' {where} after such a token",
    ]
    with pytest.raises(ValueError, match="single_word of '<w>' changes the text around it"):
        imported(tmp_path, named("<w>", single_word=True, lstrip=True), drop_strip=True)


def test_tokens_that_no_byte_makes_are_left_out(tmp_path: Path) -> None:
    """A note has their number and the first ones; their ids are gaps, and no id is below them."""
    notes = imported(tmp_path, with_other_letters, without(to_letters(b"\xff"))).notes
    left_out = (
        "3 tokens with letters that stand for no byte are left out, as no text has them "
        "('\u65e5', 'h\u65e5', '\u0120\u2122')"
    )
    unused = "it lacks 1 bytes that UTF-8 never uses; they get the ids from 403 on"
    assert notes == (left_out, unused)
    assert vocab_of(Tokenizer.load(tmp_path / "new.json")).keys() == {*range(268), 403} - {255}


LACKING: Final = without(*(to_letters(bytes([byte])) for byte in (0x04, 0xF1, 0xFF)))


@pytest.mark.parametrize(
    ("unknown", "does"),
    [
        pytest.param(None, "leaves them out", id="none"),
        pytest.param(END, f"gives them the id of '{END}'", id="known"),
        pytest.param("<nope>", "fails at them", id="without an id"),
    ],
)
def test_bytes_without_an_id_get_one_on_request(
    unknown: str | None, does: str, tmp_path: Path
) -> None:
    """The ids are behind all others; a note has them, and what the library does instead."""
    lacking = both(LACKING, model(unk_token=unknown), tokens(**{"": 2000}))
    with pytest.raises(ValueError, match=r"byte 0x04 and 1 others, .*, unless --add-missing-bytes"):
        imported(tmp_path, lacking)
    new = imported(tmp_path, lacking, add_missing_bytes=True)
    assert new.notes[1] == (
        "its bytes without an id get the ids 2001 to 2003 in their order, for which the model has "
        "no rows: 0x04, 0xf1, and 1 that UTF-8 never uses; where a text has such bytes, "
        f"tokenizers {does}"
    )
    assert Tokenizer.load(new.path).encode("\x04\U00040000")[:2] == [2001, 2002]


@pytest.mark.parametrize("chunk", [" xyz", "é"])
def test_whole_tokens_are_whole_chunks(chunk: str, tmp_path: Path) -> None:
    """With ignore_merges a chunk that equals a token gets its id, and only such a chunk."""
    without_e = both(without("Ã©"), lambda file: file.model["merges"].remove("Ã ©"))
    result = imported(tmp_path, without_e, tokens(whole=True, **{chunk: 1000}))
    assert result.whole_tokens == 1
    tokenizer = Tokenizer.load(result.path)
    assert tokenizer.encode(chunk) == [1000]
    assert 1000 not in tokenizer.encode(f"{chunk}{chunk[-1]}")


def test_tokens_that_no_text_has_still_decode(tmp_path: Path) -> None:
    """Of those that no merge makes, without ignore_merges, only what could be a chunk is gone."""
    result = imported(tmp_path, tokens(unused0=1000, xyz=1001, éé=1002))
    told = "left out, as without ignore_merges no text has them"
    assert result.notes == (f"{told}: 2 tokens that its merges never make, such as 'xyz'",)
    assert result.whole_tokens == 1
    tokenizer = Tokenizer.load(result.path)
    assert {1001, 1002}.isdisjoint(tokenizer.encode(" xyz xyzéé éé"))
    assert 1000 not in tokenizer.encode("unused0 unused 0unused0")
    assert tokenizer.decode([1000]) == "unused0"


def test_an_empty_token_and_unused_bytes(tmp_path: Path) -> None:
    """No text has an empty token, so it goes; bytes that UTF-8 never uses get ids behind all."""
    unused = without(*(to_letters(bytes([byte])) for byte in (0xC0, 0xFF)))
    result = imported(tmp_path, unused, tokens(**{"": 2000}))
    assert result.notes == (
        "its token 2000 is empty, so no text has it; it is left out",
        "it lacks 2 bytes that UTF-8 never uses; they get the ids from 2001 on",
    )
    assert vocab_of(Tokenizer.load(result.path))[2002] == b"\xff"
    with pytest.raises(ValueError, match="its merge 0 is not two tokens"):
        imported(tmp_path, tokens([" a"], **{"": 2000}))


@pytest.mark.parametrize(
    ("merges", "kept", "words"),
    [
        pytest.param(
            ["a b", "b c", "a bc", "ab c", "abc d", "ab cd", "a bcd"],
            {"ab": 300, "bc": 301, "abc": 303, "abcd": 306},
            ["abcd", "cd", "bcd", "abcd d", "x bc d d"],
            id="all splits of a token",
        ),
        pytest.param(
            ["abc d", "ab c", "x y", "a b"],
            {"xy": 302, "ab": 303, "abc": 301, "abcd": 300},
            ["abcd abc ab d", "xy abc"],
            id="before those of its parts",
        ),
    ],
)
def test_the_merges_that_apply_stay_behind_those_of_their_parts(
    merges: list[str], kept: dict[str, int], words: list[str], tmp_path: Path
) -> None:
    """A list of all splits of each token gives the merges that really apply, in their order.

    Words have spaces between their tokens.
    """
    made = {"cd": 900, "bcd": 901} | {
        pair.replace(" ", ""): 300 + place for place, pair in enumerate(merges)
    }
    result = imported(tmp_path, model(merges=[]), tokens(merges, whole=True, **made))
    tokenizer = Tokenizer.load(result.path)
    vocab = vocab_of(tokenizer)
    for word in words:
        found = tokenizer.encode(word.replace(" ", ""))
        assert [vocab[one].decode() for one in found] == word.split()
    learned = [new for _, _, new in content_of(tokenizer)["merges"]]
    assert {vocab[new].decode(): new for new in learned} == kept
    assert learned == [*kept.values()]
