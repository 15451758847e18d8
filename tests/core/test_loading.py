"""Everything that `load` rejects: the checks in their order, and hostile files."""

import errno
import json
import os
import re
import socket
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from artifacts import GONE, GOOD, ODD_FILES, PARTS, VALUES, Place, artifact_with, canonical, changed
from bpetite._artifact import Artifact
from bpetite._persistence import load
from bpetite._quoting import quoted
from bpetite._reading import read_file
from bpetite._strict_json import parse_json
from rejected import check_rejected
from reliability.fuzz_targets import check_artifact

KEYS = "mergeable_vocab_size, merges, pretokenizer_pattern, schema_version, special_tokens, vocab"
SPECIAL = "<|endoftext|>"
SPECIAL_BYTES = list(b"<|endoftext|>")
PATTERN = GOOD["pretokenizer_pattern"]
TOO_DEEP = "expected JSON: brackets nested more than 32 deep, or not closed"
TOO_MANY = "expected JSON: more brackets or keys than a tokenizer file of this size has"
WITHOUT_WAITING = pytest.mark.timeout(60, method="signal")
"""A test that would wait forever fails after a minute, and the others still run."""

ON_A_SMALL_STACK = """
    import sys, threading
    from bpetite import Tokenizer

    def attempt(path):
        try:
            tokenizer = Tokenizer.load(path)
            tokenizer.save("saved")
            tokenizer.decode([999])
        except (KeyError, ValueError) as error:
            print(error)

    threading.stack_size(64 * 1024)
    for path in sys.argv[1:]:
        thread = threading.Thread(target=attempt, args=(path,))
        thread.start()
        thread.join()
"""


def test_step_1_rejects_invalid_utf_8(tmp_path: Path) -> None:
    """FR-29: the file must be UTF-8; the message gives the byte and its offset."""
    for data, found in (
        *((b"\xff", "0xff at offset 0"), (b"{}   \xc3", "0xc3 at offset 5")),
        *((b'{"\x80":1}', "0x80 at offset 2"), (b"\x1f\x8b\x08\x00", "0x8b at offset 1")),
        (b'{"\xed\xa0\x80":1}', "0xed at offset 2"),  # a surrogate
        (b'{"\xc0\xaf":1}', "0xc0 at offset 2"),  # overlong
        (b'{"\xf4\x90\x80\x80":1}', "0xf4 at offset 2"),  # beyond Unicode
        (b"\xff\xfe" + json.dumps(GOOD).encode("utf-16-le"), "0xff at"),
        (b"\xfe\xff" + json.dumps(GOOD).encode("utf-16-be"), "0xfe at"),
    ):
        check_rejected(tmp_path, data, f"expected UTF-8, found byte {found}")


def test_step_2_rejects_invalid_json(tmp_path: Path) -> None:
    """FR-29: the file must be a single JSON document."""
    good = canonical(GOOD)
    numbers = ("[+1]", "[0x1]", "[1_0]", "[\u0661]", "[True]")
    for data in (
        *(b"", b" \n", b"not json", b'{"a\nb":1}', rb'{"\x41":1}', b"\x04K\x01."),
        *(good + end for end in (b"x", b"{}", b"\x00", b"\xc2\xa0", good)),
        *(b"\xef\xbb\xbf" + good, b"// comment\n" + good, good[:-1], good.replace(b'"', b"'")),
        *(json.dumps(GOOD).encode(encoding) for encoding in ("utf-16-le", "utf-32-be")),
        *(good.replace(b"]}", b",]}"), good.replace(b"[0]", b"[00]")),
        *(good.replace(b"[1]", number.encode()) for number in numbers),
    ):
        check_rejected(tmp_path, data, "expected JSON: ")


def test_step_2_rejects_duplicate_keys(tmp_path: Path) -> None:
    """FR-29: no object may have a key twice, however it is spelled, and wherever it occurs."""
    for old, new, key in (
        (b'"schema_version":1', b'"schema_version":1,"schema_version":1', "schema_version"),
        (b'"schema_version":1', rb'"schema_version":2,"\u0073chema_version":1', "schema_version"),
        (b'"merges":', b'"merges":[],"merges":', "merges"),
        (b'"97":[97]', b'"97":[98],"97":[97]', "97"),
        (b'"97":[97]', rb'"97":[97],"\u0039\u0037":[97]', "97"),
        (b'"<|endoftext|>":', b'"<|endoftext|>":1,"<|endoftext|>":', SPECIAL),
        (b'"vocab":', b'"%s":1,"%s":2,"vocab":' % (b"x" * 99, b"x" * 99), "x" * 40),
        (b'"vocab":', rb'"\ud800":1,"\uD800":2,"vocab":', "\ud800"),
    ):
        message = f"expected distinct keys, found {key!r} more than once"
        check_rejected(tmp_path, canonical(GOOD).replace(old, new), message)


def with_number(place: Place, number: str) -> bytes:
    """Return the valid artifact with a number at a position, however it is written."""
    return canonical(changed((place, "?"))).replace(b'"?"', number.encode("ascii"))


def test_step_2_rejects_non_integers(tmp_path: Path) -> None:
    """FR-29: infinity, NaN and fractions are errors, at any position."""
    for number in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1.0", "1e0", "1E2", "-0.0"]:
        message = f"expected integers as the only numbers, found {number}"
        for place in (("schema_version",), ("merges", 0, 1), ("vocab", "1", 0), ("extra",)):
            check_rejected(tmp_path, with_number(place, number), message)


def test_step_2_rejects_long_integers(tmp_path: Path) -> None:
    """FR-29: an integer of 501 digits is rejected before conversion, whatever Python allows."""
    before = sys.get_int_max_str_digits()
    assert parse_json(b"[" + b"1" * 500 + b"]") == [int("1" * 500)]
    for number in ("1" * 501, "-" + "9" * 700, "1" + "0" * 1_000_000):
        message = f"expected integers of a few digits, found one with {len(number):,}"
        for limit in (0, 640, before):
            sys.set_int_max_str_digits(limit)
            try:
                check_rejected(tmp_path, with_number(("merges", 0, 1), number), message)
            finally:
                sys.set_int_max_str_digits(before)


def test_step_3_rejects_non_objects(tmp_path: Path) -> None:
    """FR-29: the document must be a JSON object."""
    for value in ([], [[1]], "text", 1, None, True):
        check_rejected(tmp_path, value, f"top level: expected a JSON object, found {value!r}")


Fault: TypeAlias = tuple[Place, object, str]


def wrong(place: Place, expected: str, *values: object) -> list[Fault]:
    """Return values that are errors at a position, with what is expected there."""
    named = str(place[0]) + "".join(f"[{key!r}]" for key in place[1:])
    return [
        (place, value, f"{named}: expected {expected}, found {repr(value)[:12]}")
        for value in values
    ]


def extra(place: Place, expected: str, *keys: str) -> list[Fault]:
    """Return keys that are errors in an object, with which keys are expected there."""
    return [((*place, key), [97], f"{expected}, found {repr(key)[:12]}") for key in keys]


def gone(message: str, *places: Place) -> list[Fault]:
    """Return positions whose value is required; the message may have the last key."""
    return [(place, GONE, message.format(place[-1])) for place in places]


NO_INTEGERS: list[object] = [True, "258", None, [258], {}]
NO_PAIRS: list[object] = [
    *([97], [], [97, 98, 99], "ab", {"0": 97, "1": 98}, None, 97, [97, "98"], [None, 98]),
    *([True, 98], [97, False], [[97], 98], [-1, 98], [97, -1], [97, -(10**99)]),
]
NO_TOKENS: list[object] = [
    *(97, "a", None, True, {}, {"0": 97}, [256], [-1], [97, 256], [10**30], [True], [[97]]),
    *(["a"], [None]),
]
NO_NAMES: list[object] = [
    *(None, [], 258, SPECIAL, [SPECIAL], {}, {SPECIAL: 258, "<|pad|>": 259}, {"<|pad|>": 258}),
    *({SPECIAL + " ": 258}, {"": 258}),
]
NO_KEYS = [
    *("007", "00", "+7", "-7", "-0", "2_5", "7.0", "7e0", "0x7", "\u0667", "\uff17", "²"),
    *("Ⅶ", " 7", "7 ", "7\n", "7\0", "seven", "", "\ud800", SPECIAL),
]
PAIR, BYTES = "a list of two non-negative integers", "a list of integers in 0..255"
VERSION, MERGEABLE = "schema_version", "mergeable_vocab_size"
TEXT = "pretokenizer_pattern"
IDS_OF_TOKENS = ("0", "97", "257", "258", "259")
STEPS: dict[int, list[Fault]] = {
    4: gone("missing key 'schema_version'; is this a bpetite tokenizer file", (VERSION,)),
    5: wrong((VERSION,), "an integer", *NO_INTEGERS),
    6: wrong(
        *((VERSION,), "1 or 2 or 3, the versions that this bpetite reads", 4, 0, -1, 11, 10**30)
    ),
    7: gone("missing key {!r}", *((key,) for key in reversed(GOOD) if key != VERSION)),
    8: extra(
        *((), f"top level: expected only the keys {KEYS}", "extra", "", "Vocab", "merges "),
        *("schema_version\x00", "\ud800"),
    ),
    9: wrong((TEXT,), "a string", None, 1, [PATTERN], {PATTERN: 1}),
    10: wrong(
        *((TEXT,), "the pattern gpt2 as bpetite writes it", "", PATTERN + " ", PATTERN[:-1]),
        *(PATTERN.replace("|", "", 1), "(a+)+$" * 999, "1" * 5000),
    ),
    11: [
        *(fault for i in (0, 1) for fault in wrong(("merges", i), PAIR, *NO_PAIRS)),
        *wrong(("merges",), "a list", {}, None, "ab", 2),
    ],
    12: wrong((MERGEABLE,), "an integer", "258", *NO_INTEGERS),
    13: wrong((MERGEABLE,), "258 (256 + 2 merges)", 259, 0, 2, 257, -258, 2**64),
    14: [
        *extra(("vocab",), "vocab: expected ids in decimal as keys", *NO_KEYS),
        *wrong(("vocab",), "an object", [], None, "x", 259, [[0]]),
        *(fault for i in IDS_OF_TOKENS for fault in wrong(("vocab", i), BYTES, *NO_TOKENS)),
    ],
    15: gone(
        "vocab: expected the ids 0 to 257, found 'no {}'",
        *(("vocab", token_id) for token_id in ("99", "0", "97", "255", "256", "257")),
    ),
    16: [
        *wrong(("vocab", "0"), "[0]", [1], [], [0, 0]),
        *wrong(("vocab", "97"), "[97]", [98]),
        *wrong(("vocab", "128"), "[128]", [194, 128]),
        *wrong(("vocab", "255"), "[255]", [254]),
    ],
    17: [
        *wrong(("merges", 1), "two ids below 257", [32, 257], [257, 256], [32, 258], [999, 999]),
        *wrong(("merges", 1), "two ids below 257", [32, 10**20]),
        *wrong(("merges", 0), "two ids below 256", [256, 98], [97, 256], [257, 98], [97, 258]),
        *wrong(
            *(("vocab", "256"), "the joined bytes of 97 and 98", [], [97], [98, 97], [97, 99]),
            [97, 98, 98],
        ),
    ],
    18: [
        *wrong(
            *(("special_tokens", SPECIAL), "258, the first id after the mergeable ones", 257, 259),
            *(0, -258, 10**99, *NO_INTEGERS),
        ),
        *wrong(("special_tokens",), f"an object with only the key {SPECIAL!r}", *NO_NAMES),
        *wrong(
            *(("vocab", "258"), f"the bytes of {SPECIAL!r}", [], [60], SPECIAL_BYTES[:-1]),
            *([*SPECIAL_BYTES, 32], [*b"<|ENDOFTEXT|>"]),
        ),
        *gone(
            f"vocab['258']: expected the bytes of {SPECIAL!r}, found 'nothing'", ("vocab", "258")
        ),
    ],
    19: extra(
        *(("vocab",), "vocab: expected only the ids 0 to 258", "259", "300", "1" + "0" * 30),
        "1" + "0" * 4_999,
    ),
}
"""For each step, values that it rejects, and the beginnings of their messages."""


@pytest.mark.parametrize("step", STEPS)
def test_each_step_rejects_its_faults(tmp_path: Path, step: int) -> None:
    """FR-29: each key and value must be as documented; the message gives its position."""
    for place, value, message in STEPS[step]:
        check_rejected(tmp_path, changed((place, value)), message)


def test_the_first_of_several_wrong_keys_is_named(tmp_path: Path) -> None:
    """FR-29: of missing keys and ids the first is named, of extra ids the smallest string."""
    for content in ({}, {"Schema_version": 1}, {"model": {VERSION: 1}}):
        check_rejected(tmp_path, content, "missing key 'schema_version'; is this a bpetite")
    check_rejected(tmp_path, {VERSION: 1}, "missing key 'mergeable_vocab_size'")
    two = changed((("vocab", "257"), GONE), (("vocab", "3"), GONE))
    check_rejected(tmp_path, two, "vocab: expected the ids 0 to 257, found 'no 3'")
    others: list[tuple[Place, object]] = [(("vocab", str(i)), [97]) for i in (999, 400, 1000, 259)]
    for order in (others, others[::-1]):
        data = json.dumps(changed(*order)).encode("ascii")
        check_rejected(tmp_path, data, "vocab: expected only the ids 0 to 258, found '1000'")


def test_any_number_of_merges_is_checked(tmp_path: Path) -> None:
    """FR-29: the messages have the required size, and the rank and id of a merge above 256."""
    for count in (0, 255, 256, 257, 301):
        message = f"mergeable_vocab_size: expected {256 + count} (256 + {count} merges), found 258"
        check_rejected(tmp_path, changed((("merges",), [[97, 98]] * count)), message)
    for rank in (255, 256, 300):
        good = artifact_with([(97, 98)] * (rank + 1))
        for pair, message in (
            ([97, 256 + rank], f"merges[{rank}]: expected two ids below {256 + rank}, found [97, "),
            ([98, 97], f"vocab['{256 + rank}']: expected the joined bytes of 98 and 97, found [97"),
        ):
            good["merges"][rank] = pair
            check_rejected(tmp_path, good, message)


@pytest.mark.thorough
def test_too_many_tokens_are_rejected(tmp_path: Path) -> None:
    """FR-29: one merge more than there are ids is rejected before vocab is read."""
    for size, message in (
        (0x110000, "vocab: expected the ids 0 to 1114111, found 'no 259'"),  # the next error
        (0x110001, "mergeable_vocab_size: expected at most 1114112, found 1114113"),
    ):
        changes = changed((("merges",), "?"), (("mergeable_vocab_size",), size))
        data = canonical(changes).replace(b'"?"', b"[%s[1,1]]" % (b"[1,1]," * (size - 256 - 1)))
        check_rejected(tmp_path, data, message)


@pytest.mark.parametrize("first", STEPS)
def test_earlier_of_two_faults_is_named(tmp_path: Path, first: int) -> None:
    """FR-29: if two steps would reject a file, the earlier one does; bytes and JSON come first."""
    place, value, message = STEPS[first][0]
    for second in range(first + 1, max(STEPS) + 1):
        later, other, _ = STEPS[second][0]
        if later[: len(place)] != place:  # one file can have both
            check_rejected(tmp_path, canonical(changed((later, other), (place, value))), message)
    data = canonical(changed((place, value)))
    check_rejected(tmp_path, data + b"x", "expected JSON: Extra data")
    check_rejected(tmp_path, data + b"x\xff", "expected UTF-8, found byte 0xff")


OPEN = b"[" * 200_000
NESTED = {
    str(number): data
    for number, data in enumerate(
        [
            *(OPEN, OPEN + b"]" * 200_000, b'{"a":' * 200_000, b'[{"":' * 100_000),
            b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
            *(b'{"[":"]","a":' * 100_000, b'["]]]]]]]]",' * 100_000, b'["","",' * 100_000),
            *(quotes + OPEN for quotes in (rb'["\"",', rb'["\\",', rb'["\\\"",', rb'["\\\\",')),
            *(rb'["\u0022",' + OPEN, b'{"schema_version":1,"vocab":' + OPEN),
        ]
    )
}
"""Files that nest too deep, also behind strings that have brackets, quotes and backslashes."""


def test_a_small_stack_changes_nothing(tmp_path: Path, run_python: Callable[..., str]) -> None:
    """A hundred thousand nested brackets are a `ValueError`, even in a thread of 64 KiB."""
    for name, data in {**NESTED, "good": canonical(GOOD)}.items():
        (tmp_path / name).write_bytes(data)
    *refused, good = run_python(ON_A_SMALL_STACK, *NESTED, "good", folder=tmp_path).splitlines()
    for name, printed in zip(NESTED, refused, strict=True):
        assert printed in {f"{name}: {message}" for message in (TOO_DEEP, TOO_MANY)}
    assert good == "'unknown token id 999 at position 0; the ids are 0 to 258'"
    assert (tmp_path / "saved").read_bytes() == canonical(GOOD)


def test_harmless_brackets_are_left_to_the_checks(tmp_path: Path) -> None:
    """Brackets in strings, modest nesting and adjacent brackets are rejected for their position."""
    for key in ("[" * 1000, '["' * 1000, "\\" * 1001 + "[" * 100, '"' + "{" * 100):
        check_rejected(tmp_path, changed(((key,), 1)), "top level: expected only the keys")
    for depth in (2, 3, 11, 31):
        value = json.loads("[" * depth + "]" * depth)
        check_rejected(tmp_path, changed((("merges", 0), value)), "merges[0]: expected a list of")
    pairs = changed((("merges",), [[[[97]], [98]]] * 1000))
    check_rejected(tmp_path, pairs, "merges[0]: expected a list of")
    vocab = changed((("vocab",), {"0": {}, "1": [{}] * 1000}))
    check_rejected(tmp_path, vocab, "vocab['0']: expected")


@pytest.mark.parametrize(("one", "most", "more"), [(b"[],", 10_237, 3), (b"{},", 4_096, 1)])
def test_brackets_are_counted(tmp_path: Path, one: bytes, most: int, more: int) -> None:
    """The checks accept a list for every five bytes and 4,096 more, or 4,096 objects, 32 deep."""
    check_rejected(tmp_path, b"[" + one * most + b"0]", "top level: expected a")
    check_rejected(tmp_path, b"[" + one * (most + more) + b"0]", TOO_MANY)
    for depth in (1, 31, 32, 33, 34):
        message = "expected JSON: Expecting value" if depth <= 32 else TOO_DEEP
        check_rejected(tmp_path, b"[" * depth, message)


def test_keys_are_counted(tmp_path: Path) -> None:
    """A file has a key for every 14 bytes and 4,096 more, as its smallest valid file has fewer."""
    for keys, message in ((9_000, "missing key 'schema_version'"), (12_000, TOO_MANY)):
        content = ",".join(f'"{number:04d}":0' for number in range(keys))
        check_rejected(tmp_path, f"{{{content}}}".encode(), message)
    names = [f"<{number}>" for number in range(4096)]
    merges = [(1, 1)] * 6000
    path = tmp_path / "t.json"
    path.write_bytes(Artifact.of_merges(merges, special_names=(*names,)).to_bytes() + b"\n")
    assert Artifact.read(path).special_names == (*names,)


def test_hostile_values_are_shortened(tmp_path: Path) -> None:
    """A message shows sixty characters of a value, four of its parts, two of its levels."""
    cut, astral = f"'{'x' * 17}...{'x' * 18}'", rb"\udb40\udc01" * 99
    for content, ending in (
        (b'{"a":1.%s}' % (b"0" * 99), "found 1." + "0" * 38),
        (b'{"%s":1,"%s":2}' % (b"x" * 99, b"x" * 99), f"found {'x' * 40!r} more than once"),
        (b'{"%s":1,"%s":2}' % (astral, astral), r"\U000e0001\U000e000 more than once"),
        *(("x" * 99, f"found {cut}"), ([0] * 99, "found [0, 0, 0, 0, ...]")),
        (10**99, f"found 1{'0' * 17}...{'0' * 19}"),
        (changed((("merges", 0), [[[[97]]]])), "found [[[...]]]"),
        (changed((("vocab",), [["x" * 99] * 9] * 9)), f"{cut}, '{'x' * 15}"),
        (changed((("x" * 99,), 1)), f"found {cut}"),
    ):
        assert check_rejected(tmp_path, content, "").endswith(ending)


JSON_PARTS = [*'[]{}"\\,:1a ', r"\"", r"\\", '""', '"a":', "null", "1e9", "-0"]


@given(VALUES, st.booleans())
def test_any_json_is_parsed(value: object, ascii_only: bool) -> None:
    """JSON of integers and strings is parsed, whatever brackets and quotes the strings contain."""
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")) == value


@given(st.lists(st.sampled_from(JSON_PARTS)).map("".join))
@example("")
def test_any_text_is_parsed_like_json_or_rejected(text: str) -> None:
    """Whatever is parsed has the value that `json` gives it; anything else is a `ValueError`."""
    try:
        value = parse_json(text.encode("utf-8"))
    except ValueError:
        return
    assert json.dumps(value) == json.dumps(json.loads(text))


@given(ODD_FILES)
def test_odd_artifact_is_rejected_or_the_same_tokenizer(any_path: Path, data: bytes) -> None:
    """Odd values anywhere raise `KeyError` or `ValueError`, or load as the same tokenizer."""
    check_artifact(data, any_path)


def flipped(bit: int, data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :]


DAMAGES: dict[str, Callable[[bytes, int], bytes]] = {
    "cut-off": lambda data, place: data[:place],
    "beginning-lost": lambda data, place: data[place + 1 :],
    "byte-lost": lambda data, place: data[:place] + data[place + 1 :],
    "byte-doubled": lambda data, place: data[: place + 1] + data[place:],
    "neighbors-swapped": lambda data, place: (
        data[:place] + data[place : place + 2][::-1] + data[place + 2 :]
    ),
    "zero-put-in": lambda data, place: data[:place] + b"0" + data[place:],
    **{f"bit-{bit}-flipped": partial(flipped, bit) for bit in range(8)},
}


@pytest.mark.thorough
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_at_any_byte_is_rejected(tmp_path: Path, damage: str) -> None:
    """FR-29: truncation, a lost, moved, doubled or inserted byte, and a flipped bit, are errors."""
    data, path = canonical(GOOD), tmp_path / "damaged.json"
    files = [DAMAGES[damage](data, place) for place in range(len(data))]
    damaged = [file for file in files if file != data]  # two equal neighbors may be swapped
    assert len(damaged) > len(data) / 2
    with path.open("w+b", buffering=0) as file:
        for data in damaged:
            os.pwrite(file.fileno(), data, 0)
            file.truncate(len(data))
            with pytest.raises((KeyError, ValueError)):
                load(path)


@pytest.mark.posix
def test_missing_file_is_an_os_error(here: Path) -> None:
    """A missing file raises `OSError`, which names the path."""
    (here / "loop").symlink_to("loop")
    unsupported = errno.EOPNOTSUPP if sys.platform == "darwin" else errno.ENXIO
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name, error in (
            *(("missing", errno.ENOENT), (".", errno.EISDIR), ("loop", errno.ELOOP)),
            *(("socket", unsupported), ("", errno.ENOENT), ("x" * 300, errno.ENAMETOOLONG)),
        ):
            with pytest.raises(OSError, match=re.escape(repr(name))) as caught:
                load(name)
            assert (caught.value.errno, caught.value.filename) == (error, name)


def test_file_within_the_limit_is_read_whole(tmp_path: Path) -> None:
    """A file at the size limit is read; one byte more raises `ValueError`."""
    path = tmp_path / "file"
    for size in (0, 1, 9, 10):
        path.write_bytes(b"x" * size)
        assert read_file(str(path), 10) == b"x" * size
    path.write_bytes(b"x" * 11)
    message = f"{quoted(path)} is larger than 10 bytes, the maximum"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_file(str(path), 10)


def test_a_too_large_file_is_not_read(tmp_path: Path) -> None:
    """Its size alone is enough to reject a file over the limit: none of it is read."""
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)  # sparse: it takes no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is larger than 67108864 bytes, the maximum"):
            read_file(str(path), 64 << 20)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc on this system")
@pytest.mark.parametrize("limit", [0, 1, 10, 11])
def test_file_longer_than_stated_is_rejected(limit: int) -> None:
    """A file that claims to be empty is read no further than the limit."""
    assert Path("/proc/self/status").stat().st_size == 0
    with pytest.raises(ValueError, match=rf"is larger than {limit} bytes, the maximum$"):
        read_file("/proc/self/status", limit)


@pytest.mark.posix
def test_file_that_would_block_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A regular file with nothing to read yet, like /proc/kmsg, raises `OSError`."""
    path = tmp_path / "file"
    path.write_bytes(b"")
    regular = path.stat()
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", lambda *_: reader)
        patched.setattr(os, "fstat", lambda _: regular)
        with pytest.raises(OSError, match=r"."):
            read_file(str(path), 10)
    os.close(writer)


@pytest.mark.posix
@WITHOUT_WAITING
def test_fifo_and_device_are_never_read(here: Path) -> None:
    """They are errors at once; a link is followed; each file that is opened is closed."""
    (here / "folder").mkdir()
    os.mkfifo("fifo")
    (here / "too-large").touch()
    os.truncate("too-large", 1 << 30)
    (here / "bad").write_bytes(b"{")
    (here / "good").write_bytes(canonical(GOOD))
    (here / "link").symlink_to("good")
    before = {*os.listdir("/dev/fd")}
    no_file, large = "^{} is not a regular file$", "maximum"
    for path, message in (
        *((name, no_file) for name in ("fifo", "/dev/zero", "/dev/null", "/dev/urandom")),
        *(("folder", "folder"), ("too-large", large), ("bad", "JSON")),
    ):
        with pytest.raises((OSError, ValueError), match=message.format(path)):
            load(path)
        assert {*os.listdir("/dev/fd")} == before
    assert load("link") == PARTS
    assert {*os.listdir("/dev/fd")} == before


def test_fractions_are_read_on_demand() -> None:
    """Other libraries' files may have fractions; tokenizer files may not. No file may have NaN."""
    assert parse_json(b"[0.5, 1e2]", fractions=True) == [0.5, 100.0]
    with pytest.raises(ValueError, match=r"integers as the only numbers, found 0\.5"):
        parse_json(b"[0.5]")
    with pytest.raises(ValueError, match="integers as the only numbers, found NaN"):
        parse_json(b"[NaN]", fractions=True)
