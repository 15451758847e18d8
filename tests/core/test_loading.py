"""Everything that `load` rejects: the checks in their order, and hostile files."""

import json
import os
import socket
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from artifacts import (
    GONE,
    GOOD,
    ODD_FILES,
    VALUES,
    artifact_with,
    canonical,
    changed,
    content_of,
    loaded,
)
from bpetite import Tokenizer
from bpetite._artifact import Artifact
from bpetite._reading import read_file
from bpetite._schema import checks
from bpetite._strict_json import parse_json
from hostile import END, FAULTS, Fault, with_faults
from reliability.fuzz_targets import check_artifact

TOO_DEEP = "expected JSON: brackets nested more than 32 deep, or not closed"
TOO_MANY = "expected JSON: more brackets or keys than a tokenizer file of this size has"


def check_rejected(folder: Path, content: object, message: str) -> str:
    """Check that a file gives one short line, with the path and the message, and return it."""
    (folder / "t.json").write_bytes(content if isinstance(content, bytes) else canonical(content))
    with pytest.raises((KeyError, ValueError)) as caught:
        Tokenizer.load(folder / "t.json")
    said: str = caught.value.args[0]
    kinds = {kind for kind in (KeyError, ValueError) if issubclass(caught.type, kind)}
    assert kinds == {KeyError if "missing key" in message else ValueError}
    path, _, rest = said.partition(": ")
    assert path.strip("'") == str(folder / "t.json")
    assert rest[: len(message)] == message
    assert len(rest) <= 200
    assert "\n" not in said
    return rest


@pytest.mark.parametrize(
    ("version", "fault"),
    [
        pytest.param(version, fault, id=f"{version}, step {fault.step}, {fault.message[:60]}")
        for version, faults in FAULTS.items()
        for fault in faults
    ],
)
def test_each_fault_is_rejected(tmp_path: Path, version: int, fault: Fault) -> None:
    """FR-29: a fault gives one short line with the position, the rule and the value."""
    check_rejected(tmp_path, with_faults(version, fault), fault.message)


@pytest.mark.parametrize("version", FAULTS)
def test_the_earlier_of_two_faults_is_named(tmp_path: Path, version: int) -> None:
    """FR-29: if two checks would reject a file, the earlier one does; bytes and JSON come first."""
    first = {fault.step: fault for fault in reversed(FAULTS[version]) if fault.place}
    steps = [*first.values()][::-1]
    for number, fault in enumerate(steps):
        for later in steps[number + 1 :]:
            if later.place[: len(fault.place)] != fault.place:  # one file can have both
                check_rejected(tmp_path, with_faults(version, later, fault), fault.message)
    data = with_faults(version, steps[1])
    check_rejected(tmp_path, data + b"x", "expected JSON: Extra data")
    check_rejected(tmp_path, data + b"x\xff", "expected UTF-8, found byte 0xff")


@pytest.mark.parametrize("order", [1, -1], ids=["ascending", "descending"])
def test_the_first_of_several_wrong_keys_is_named(tmp_path: Path, order: int) -> None:
    """FR-29: of missing keys and ids the first is named, of extra ids the smallest string."""
    two: list[Any] = [("vocab", "257"), ("vocab", "3")]
    content = changed(*((place, GONE) for place in two[::order]))
    check_rejected(tmp_path, content, "vocab: expected the ids 0 to 257, found 'no 3'")
    others: list[Any] = [("vocab", str(token_id)) for token_id in (259, 400, 999, 1000)]
    data = json.dumps(changed(*((place, [97]) for place in others[::order]))).encode("ascii")
    check_rejected(tmp_path, data, "vocab: expected only the ids 0 to 258, found '1000'")
    check_rejected(tmp_path, {}, "missing key 'schema_version'; is this a bpetite")
    check_rejected(tmp_path, {"schema_version": 1}, "missing key 'mergeable_vocab_size'")


def test_the_longest_integer_is_read(tmp_path: Path) -> None:
    """FR-29: an integer of 500 digits is converted; a longer one is an error before that."""
    content = changed((("merges", 1), [32, int("1" * 500)]))
    check_rejected(tmp_path, content, "merges[1]: expected two ids below 257, found [32, 1111")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0x110000, "vocab: expected the ids 0 to 1114111, found 'no 259'"),  # the next error
        (0x110001, "mergeable_vocab_size: expected at most 1114112, found 1114113"),
    ],
)
def test_too_many_tokens_are_rejected(tmp_path: Path, size: int, message: str) -> None:
    """FR-29: one merge more than there are ids is rejected before vocab is read."""
    changes = changed((("merges",), "?"), (("mergeable_vocab_size",), size))
    data = canonical(changes).replace(b'"?"', b"[%s[1,1]]" % (b"[1,1]," * (size - 256 - 1)))
    check_rejected(tmp_path, data, message)


OPEN = b"[" * 200_000
NESTED = {
    "lists": OPEN,
    "closed-lists": OPEN + b"]" * 200_000,
    "both": b'[{"":' * 100_000,
    "brackets-in-strings": b'["]]]]]]]]",' * 100_000,
    "after-empty-strings": b'["","",' * 100_000,
    "after-a-quote": rb'["\"",' + OPEN,
    "after-a-backslash": rb'["\\",' + OPEN,
    "after-both": rb'["\\\"",' + OPEN,
}
ON_A_SMALL_STACK = """
    import sys, threading
    from bpetite import Tokenizer

    def attempt(path):
        try:
            tokenizer = Tokenizer.load(path)
            tokenizer.save("saved")
            tokenizer.decode([999])
        except (KeyError, ValueError) as error:
            print(error.args[0])

    threading.stack_size(64 * 1024)
    for path in sys.argv[1:]:
        thread = threading.Thread(target=attempt, args=(path,))
        thread.start()
        thread.join()
"""


def test_a_small_stack_changes_nothing(tmp_path: Path, run_python: Callable[..., str]) -> None:
    """A hundred thousand nested brackets are a `ValueError`, even in a thread of 64 KiB."""
    files = NESTED | {"good": canonical(GOOD)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    *refused, good = run_python(ON_A_SMALL_STACK, *files, folder=tmp_path).splitlines()
    for name, printed in zip(NESTED, refused, strict=True):
        assert printed in {f"{name}: {TOO_DEEP}", f"{name}: {TOO_MANY}"}
    assert good == "unknown token id 999 at position 0; the ids are 0 to 258"
    assert (tmp_path / "saved").read_bytes() == canonical(GOOD)


KEY = "top level: expected only the keys"
MERGE = "merges[0]: expected a list of"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(changed((("[" * 1000,), 1)), KEY, id="brackets in a key"),
        pytest.param(changed((("\\" * 1001 + "[" * 100,), 1)), KEY, id="backslashes in a key"),
        pytest.param(
            changed((("merges", 0), json.loads("[" * 31 + "]" * 31))), MERGE, id="31 lists"
        ),
        pytest.param(b"[" * 32, "expected JSON: Expecting value", id="32 deep"),
        pytest.param(b"[" * 33, TOO_DEEP, id="33 deep"),
        # A list for every five bytes, a key for every 14, and 4,096 more; 4,096 objects.
        pytest.param(b"[" + b"[]," * 10_237 + b"0]", "top level: expected a", id="lists"),
        pytest.param(b"[" + b"[]," * 10_240 + b"0]", TOO_MANY, id="too many lists"),
        pytest.param(b"[" + b"{}," * 4_096 + b"0]", "top level: expected a", id="objects"),
        pytest.param(b"[" + b"{}," * 4_097 + b"0]", TOO_MANY, id="too many objects"),
        pytest.param({f"{n:04}": 0 for n in range(9_000)}, "missing key", id="keys"),
        pytest.param({f"{n:04}": 0 for n in range(12_000)}, TOO_MANY, id="too many keys"),
    ],
)
def test_brackets_are_counted_before_parsing(tmp_path: Path, content: object, message: str) -> None:
    """Only more brackets or keys than a tokenizer file can have, or deep ones, are rejected."""
    check_rejected(tmp_path, content, message)


def test_the_file_with_the_most_keys_for_its_size_loads() -> None:
    """4,096 special tokens and short merges have fewer keys than are allowed."""
    names = [f"<{number}>" for number in range(4095)]
    start = loaded(artifact_with([(1, 1)] * 6000) | {"special_tokens": {END: 6256}})
    content = content_of(Tokenizer.train("", 6256, start=start, special_tokens=names))
    assert content_of(loaded(json.dumps(content).encode())) == content


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param("x" * 99, f"'{'x' * 17}...{'x' * 18}'", id="string"),
        pytest.param([0] * 99, "[0, 0, 0, 0, ...]", id="list"),
        pytest.param([[[[97]]]], "[[[...]]]", id="levels"),
        pytest.param([["x" * 99] * 9], f"[['{'x' * 17}...{'x' * 18}', '{'x' * 15}", id="parts"),
        pytest.param(10**99, f"1{'0' * 17}...{'0' * 19}", id="integer"),
    ],
)
def test_hostile_values_are_shortened(tmp_path: Path, value: object, shown: str) -> None:
    """A message shows sixty characters of a value, four of its parts, two of its levels."""
    assert check_rejected(tmp_path, value, "").endswith(f", found {shown}")


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


DAMAGES: dict[str, Callable[[bytes, int], bytes]] = {
    "cut off": lambda data, place: data[:place],
    "beginning lost": lambda data, place: data[place + 1 :],
    "byte lost": lambda data, place: data[:place] + data[place + 1 :],
    "byte doubled": lambda data, place: data[: place + 1] + data[place:],
    "neighbors swapped": lambda data, place: (
        data[:place] + data[place : place + 2][::-1] + data[place + 2 :]
    ),
    "zero put in": lambda data, place: data[:place] + b"0" + data[place:],
}


@pytest.mark.thorough
@pytest.mark.parametrize("damage", [*DAMAGES, *range(8)], ids=str)
def test_damage_at_any_byte_is_rejected(tmp_path: Path, damage: str | int) -> None:
    """FR-29: truncation, a lost, moved, doubled or inserted byte, and a flipped bit, are errors."""
    data, path, damaged = canonical(GOOD), tmp_path / "damaged.json", 0
    for place in range(len(data)):
        if isinstance(damage, str):
            changed = DAMAGES[damage](data, place)
        else:
            changed = data[:place] + bytes([data[place] ^ 1 << damage]) + data[place + 1 :]
        if changed != data:  # two equal neighbors may be swapped
            damaged += 1
            path.write_bytes(changed)
            with pytest.raises((KeyError, ValueError)):
                Tokenizer.load(path)
    assert damaged > len(data) / 2


@pytest.mark.parametrize("size", [8, 24, 1 << 16], ids="blocks of {} bytes".format)
def test_tokens_in_blocks_are_those_of_json(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a vocabulary has, its tokens or its error are those of reading it as JSON."""
    monkeypatch.setattr(checks, "_BLOCK_BYTES", size)
    bad = [
        '"07":[1]',
        '"1":5,"2":[1]',
        '"3":[[1]]',
        '"3":[1,[2],3]',
        '"4":["],"]',
        '"5":[300]',
        '"6":[-1]',
    ]
    bad += ['"x":[1]', '"257":[9]', '"8":[1 ]', '"8":[1.0]', '"8":[1],', '"":[2],"1":[3]']
    bad += [
        '" 8":[1]',
        '"8":[true]',
        '"8":99999999999999,"9":[1]',
        '"8":' + "[" * 9999 + "]",
        f'"{9**30}":[1]',
    ]
    for more in ['"8":[]', '"8":[10]', f'"9{"0" * 5000}":[1]', *bad]:
        data = f'{{"merges":[],"vocab":{{"256":[97,98],"257":[99],{more}}}}}'.encode()
        outcomes: list[object] = []
        for parse in (checks.parse, parse_json):
            try:
                content: Any = parse(data)
                outcomes.append(checks._checked_vocab(content["vocab"]))
            except ValueError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1], more


# The file itself


@pytest.mark.posix
@pytest.mark.timeout(60, method="signal")  # one that waits forever fails, and the others run
@pytest.mark.parametrize(
    ("name", "message"),
    {
        "missing": "No such file or directory: 'missing'$",
        "folder": "Is a directory: 'folder'$",
        "loop": "evels of symbolic links: 'loop'$",
        "socket": "socket",
        "fifo": "^fifo is not a regular file$",
        "/dev/zero": "^/dev/zero is not a regular file$",
        "link": "expected JSON",
    }.items(),
)
def test_what_is_no_regular_file_is_never_read(here: Path, name: str, message: str) -> None:
    """It is an error that names the path, at once; each file that is opened is closed."""
    (here / "folder").mkdir()
    os.mkfifo("fifo")
    (here / "bad").write_bytes(b"{")
    (here / "link").symlink_to("bad")
    (here / "loop").symlink_to("loop")
    before = {*os.listdir("/dev/fd")}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises((OSError, ValueError), match=message):
            Tokenizer.load(name)
    assert {*os.listdir("/dev/fd")} == before


def test_a_too_large_file_is_not_read(tmp_path: Path) -> None:
    """Its size alone is enough to reject a file over the limit: none of it is read."""
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, (64 << 20) + 1)  # sparse: it takes no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"large is larger than 67108864 bytes, the maximum$"):
            Tokenizer.load(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_long_token_takes_little_memory() -> None:
    """Many bytes for one id are refused, or read, without an object for each."""
    data = b'{"merges":[],"vocab":{"0":[' + b"97," * 500_000 + b"97]}}"
    tracemalloc.start()
    try:
        with pytest.raises(KeyError, match="missing key 'schema_version'"):
            Artifact.of_bytes(data, "long")
        assert tracemalloc.get_traced_memory()[1] < 10 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["regular", "/proc/version"])
def test_file_is_read_up_to_the_limit(here: Path, name: str) -> None:
    """A file at the limit is read whole, also one that claims to be empty; one more is an error."""
    (here / "regular").write_bytes(b"ten bytes.")
    if not Path(name).exists():
        pytest.skip("no /proc on this system")
    data = Path(name).read_bytes()
    assert read_file(name, len(data)) == data
    with pytest.raises(ValueError, match=rf"is larger than {len(data) - 1} bytes, the maximum$"):
        read_file(name, len(data) - 1)


@pytest.mark.posix
def test_file_that_would_block_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A regular file with nothing to read yet, like /proc/kmsg, raises `OSError`."""
    path = tmp_path / "file"
    path.touch()
    regular = path.stat()
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    monkeypatch.setattr(os, "open", lambda *_: reader)
    monkeypatch.setattr(os, "fstat", lambda _: regular)
    with pytest.raises(BlockingIOError):
        Tokenizer.load(path)
    os.close(writer)
