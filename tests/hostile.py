"""Tokenizer files that `load` must reject: for each, the step of the checks and its message.

Each is a change of a valid file of its schema version. The tests of the loader, of the explorer's
reader and of the JSON Schema use them.
"""

import json
from typing import Any, Final, NamedTuple

import oracle
from artifacts import FOURTH, GONE, GOOD, SECOND, THIRD, Place, canonical, changed

END: Final = oracle.END_OF_TEXT
END_BYTES: Final = list(END.encode())
PATTERN: Final = GOOD["pretokenizer_pattern"]
KEYS: Final = (
    "mergeable_vocab_size, merges, pretokenizer_pattern, schema_version, special_tokens, vocab"
)
VALID: Final = {1: GOOD, 2: SECOND, 3: THIRD, 4: FOURTH}


class Fault(NamedTuple):
    """A wrong value at a position of a valid file; with no position, it is the whole content.

    message: the beginning of the error.
    """

    step: int
    place: Place
    value: Any
    message: str


def wrong(step: int, place: Place, expected: str, *values: object) -> list[Fault]:
    """Return values that are errors at a position, with what is expected there."""
    named = str(place[0]) + "".join(f"[{key!r}]" for key in place[1:])
    return [
        Fault(step, place, value, f"{named}: expected {expected}, found {repr(value)[:12]}")
        for value in values
    ]


def faults(step: int, place: Place, message: str, *values: object) -> list[Fault]:
    """Return values that are errors at a position, with the beginning of their message."""
    return [Fault(step, place, value, message) for value in values]


def extra(step: int, place: Place, expected: str, *keys: str) -> list[Fault]:
    """Return keys that are errors in an object, with which keys are expected there."""
    return [Fault(step, (*place, key), [97], f"{expected}, found {repr(key)[:12]}") for key in keys]


def gone(step: int, message: str, *places: Place) -> list[Fault]:
    """Return positions whose value is required; the message may have the last key."""
    return [Fault(step, place, GONE, message.format(place[-1])) for place in places]


def with_names(names: list[str], pattern: str = "gpt4") -> dict[str, Any]:
    """Return the content of a file of schema version 2 with these special tokens."""
    ids = {name: 258 + place for place, name in enumerate(names)}
    mergeable = {key: value for key, value in GOOD["vocab"].items() if key != "258"}
    tokens = {str(i): [*name.encode("utf-8", "surrogatepass")] for name, i in ids.items()}
    return SECOND | {
        "pretokenizer_pattern": oracle.PATTERNS[pattern],
        "special_tokens": ids,
        "vocab": mergeable | tokens,
    }


VERSION: Final = ("schema_version",)
SIZE: Final = ("mergeable_vocab_size",)
TEXT: Final = ("pretokenizer_pattern",)
MERGES: Final = ("merges",)
FIRST: Final = ("merges", 0)
SECOND_MERGE: Final = ("merges", 1)
VOCAB: Final = ("vocab",)
NAMES: Final = ("special_tokens",)
LONG: Final = "\U000e0001" * 252
"""Its `repr` is ten times as long, but a message has at most 200 characters."""
DEEP: Final = [[LONG] * 9] * 9
NO_INTEGERS: Final = [True, "258", None, DEEP]
NO_LISTS: Final[list[object]] = [{}, None, "ab"]
NO_PAIRS: Final = [[97], [97, 98, 99], "ab", None, [97, "98"], [True, 98], [97, -(10**99)]]
NO_TOKENS: Final = [97, None, {"0": 97}, [256], [97, -1], [True], ["a"]]
NO_KEYS: Final = ["007", "+7", "-7", "2_5", "7.0", "\u0667", "²", " 7", "7\n", "", "\ud800", LONG]
NO_NAMES: Final[list[object]] = [None, [END], {}, {END: 258, "<|pad|>": 259}, {END + " ": 258}]
PAIR: Final = "a list of two non-negative integers"
BYTES: Final = "a list of integers in 0..255"
ONLY_KEYS: Final = f"top level: expected only the keys {KEYS}"
OWN_PATTERN: Final = "the pattern gpt2 as bpetite writes it"

OF_VERSION_1: Final = [
    *gone(4, "missing key 'schema_version'; is this a bpetite tokenizer file", VERSION),
    *wrong(5, VERSION, "an integer", *NO_INTEGERS),
    *wrong(6, VERSION, "1 or 2 or 3 or 4, the versions that this bpetite reads", 5, 0, 10**30),
    *gone(7, "missing key {!r}", *((key,) for key in reversed(GOOD) if key != "schema_version")),
    *extra(8, (), ONLY_KEYS, "extra", "Vocab", "merges ", "schema_version\x00", "\ud800", LONG),
    *wrong(9, TEXT, "a string", None, [PATTERN]),
    *wrong(10, TEXT, OWN_PATTERN, "", PATTERN + " ", "(a+)+$" * 999),
    *faults(10, (), f"pretokenizer_pattern: expected {OWN_PATTERN}", SECOND | {VERSION[0]: 1}),
    *wrong(11, SECOND_MERGE, PAIR, *NO_PAIRS),
    *wrong(11, FIRST, PAIR, [-1, 98]),
    *wrong(11, MERGES, "a list", *NO_LISTS),
    *wrong(12, SIZE, "an integer", *NO_INTEGERS),
    *wrong(13, SIZE, "258 (256 + 2 merges)", 259, 0, 2**64),
    *extra(14, VOCAB, "vocab: expected ids in decimal as keys", *NO_KEYS),
    *wrong(14, VOCAB, "an object", [], None),
    *wrong(14, ("vocab", "97"), BYTES, *NO_TOKENS),
    *wrong(14, ("vocab", "257"), BYTES, [10**30]),
    *wrong(14, ("vocab", "258"), BYTES, [True]),
    *wrong(14, ("vocab", "259"), BYTES, [-1]),
    *gone(
        15,
        "vocab: expected the ids 0 to 257, found 'no {}'",
        *(("vocab", token_id) for token_id in ("0", "255", "256", "257")),
    ),
    *wrong(16, ("vocab", "0"), "[0]", [1], [0, 0]),
    *wrong(16, ("vocab", "255"), "[255]", [254]),
    *wrong(17, SECOND_MERGE, "two ids below 257", [32, 257], [257, 256], [32, 10**20]),
    *wrong(17, FIRST, "two ids below 256", [256, 98]),
    *wrong(17, ("vocab", "256"), "the joined bytes of 97 and 98", [], [98, 97], [97, 98, 98]),
    *wrong(18, NAMES, f"an object with only the key {END!r}", *NO_NAMES),
    *wrong(
        19,
        (*NAMES, END),
        "258, the first id after the mergeable ones",
        *(257, 259, 10**99, *NO_INTEGERS),
    ),
    *wrong(21, ("vocab", "258"), f"the bytes of {END!r}", [], END_BYTES[:-1], [*END_BYTES, 32]),
    *gone(21, f"vocab['258']: expected the bytes of {END!r}, found 'nothing'", ("vocab", "258")),
    *extra(22, VOCAB, "vocab: expected only the ids 0 to 258", "1" + "0" * 4999),
    Fault(22, ("vocab", "259"), [97, 98], "vocab: expected only the ids 0 to 258, found '259'"),
]

AN_OBJECT: Final = "special_tokens: expected an object, found "
OWN_ID: Final = "special_tokens['<|a|>']: expected an id of its own from 258 to 259, found "
LOWEST: Final = (
    "schema_version: expected {}, the lowest version that can hold this tokenizer, found"
)
NO_OBJECTS: Final[list[object]] = [[], "<|a|>"]
LONG_NAME: Final = f"{LONG}a>"
NO_IDS: Final = [257, 260, True, "259", 10**30]

OF_VERSION_2: Final = [
    *faults(
        10,
        TEXT,
        "pretokenizer_pattern: expected the pattern gpt2 or gpt4",
        *("", "(" * 99_999, *oracle.ONLY_VERSION_3.values()),
    ),
    *faults(11, (), "merges[0]: expected a list of two", THIRD | {"schema_version": 2}),
    *faults(18, NAMES, AN_OBJECT, *NO_OBJECTS),
    *faults(
        18,
        (),
        "special_tokens: expected at most 4096",
        with_names([f"<{number}>" for number in range(4097)]),
    ),
    *faults(19, NAMES, OWN_ID, *({"<|a|>": wrong_id, "<|b|>": 258} for wrong_id in NO_IDS)),
    *faults(
        19,
        NAMES,
        "special_tokens['<|b|>']: expected an id of its own",
        {"<|a|>": 258, "<|b|>": 258},
    ),
    *faults(20, (), "special token '': ", with_names([""])),
    *faults(20, (), "special token '<a >': ", with_names(["<a >"])),
    *faults(20, (), "special token '<s><s>", with_names(["<s>" * 99])),
    *faults(20, (), r"special token '<a\ud800>': ", with_names(["<a\ud800>"])),
    *faults(20, (), "special token 'hello': ", with_names(["hello"])),
    *faults(20, (), "special token '<a>b>': ", with_names(["<a>", "<a>b>"])),
    *faults(20, (), "special token '", with_names([LONG_NAME, f"{LONG_NAME}{LONG}"[:256]])),
    *wrong(21, ("vocab", "258"), "the bytes of '<|b|>'", [97]),
    *gone(21, "vocab['259']: expected the bytes of '<|a|>', found 'nothing'", ("vocab", "259")),
    Fault(22, ("vocab", "260"), [97, 98], "vocab: expected only the ids 0 to 259, found '260'"),
    *faults(27, (), LOWEST.format(1), GOOD | {"schema_version": 2}),
]

NO_TRIPLES: Final = [[1097, 1098], [1097, 1098, 7, 7], [1097, -1, 7], [1097, True, 7], None]
TRIPLES: Final = {"merges": [[97, 98, 256], [32, 256, 257]], "schema_version": 3}
"""What makes the valid file of schema version 1 one of version 3, which it need not be."""
GPT4: Final = {"pretokenizer_pattern": oracle.PATTERNS["gpt4"]}
IDS: Final = "ids of bytes or earlier merges"
OWN: Final = "an id of its own for the joined bytes"
OTHER_IDS: Final = [2, -1, "5", True, 10**30]

OF_VERSION_3: Final = [
    Fault(2, FIRST, [1097, 1.0, 7], "expected integers as the only numbers"),
    *wrong(9, TEXT, "a string", 1),
    Fault(10, TEXT, "(a+)+$", "pretokenizer_pattern: expected the pattern gpt2 or "),
    *wrong(11, MERGES, "a list", *NO_LISTS),
    *wrong(11, FIRST, "a list of three non-negative integers", *NO_TRIPLES),
    *faults(11, (), "merges[0]: expected a list of three", GOOD | {"schema_version": 3}),
    *wrong(14, VOCAB, "an object", []),
    Fault(14, ("vocab", "07"), [97], "vocab: expected ids in decimal as keys"),
    Fault(14, ("vocab", str(2**21)), [97, 99], "vocab: expected ids below 2097152, found '2097152"),
    Fault(14, ("vocab", "9" * 5000), [97, 99], "vocab: expected ids below 2097152, found '999"),
    *wrong(14, ("vocab", "8"), BYTES, [256]),
    *faults(18, NAMES, AN_OBJECT, *NO_OBJECTS),
    *faults(18, NAMES, "special_tokens: expected at most 4096", {f"<{n}>": n for n in range(5000)}),
    *faults(
        19,
        NAMES,
        "special_tokens['<b']: expected an id of its own in vocab, found ",
        *({"<s>": 0, "<b": wrong_id} for wrong_id in OTHER_IDS),
    ),
    *faults(19, NAMES, "special_tokens['<s>']: expected an id of its own in", {"<b": 5, "<s>": 5}),
    *faults(20, NAMES, "special token '': ", {"<s>": 0, "": 5}),
    *faults(20, NAMES, "special token 'a b': ", {"<s>": 0, "a b": 5}),
    *faults(20, NAMES, "special token '<s>a': ", {"<s>": 0, "<s>a": 5}),
    *faults(20, NAMES, "special token 'xxx", {"<s>": 0, "x" * 257: 5}),
    *faults(20, NAMES, r"special token '\ud800': ", {"<s>": 0, "\ud800": 5}),
    *faults(21, NAMES, "vocab['5']: expected the bytes of '<c', found ", {"<s>": 0, "<c": 5}),
    *wrong(23, ("vocab", "9"), "at least one byte", []),
    *wrong(23, ("vocab", "9"), "other bytes than id 7", [97, 98]),
    *wrong(23, ("vocab", "9"), "other bytes than id 5", [60, 98]),
    *gone(24, "vocab: expected an id with the byte [97], found 'none'", ("vocab", "1097")),
    *faults(24, NAMES, "vocab: expected an id with the byte [97]", {"<s>": 0, "<b": 5, "a": 1097}),
    *wrong(25, SIZE, "an integer", *NO_INTEGERS),
    *wrong(25, SIZE, "259 (ids that are not special)", 258),
    *wrong(26, FIRST, IDS, [1097, 9999, 7], [1, 1, 7], [1032, 7, 3]),
    *wrong(26, FIRST, OWN, [1097, 1098, 3], [1060, 1098, 5], [1097, 1098, 99]),
    *wrong(26, SECOND_MERGE, OWN, [1097, 1098, 7]),
    *faults(27, (), LOWEST.format(1), GOOD | TRIPLES),
    *faults(27, (), LOWEST.format(2), GOOD | TRIPLES | GPT4),
    *faults(27, (), LOWEST.format(4), FOURTH | {"schema_version": 3}),
]

MIXED: Final = "has no whitespace beside other characters, where long texts are cut"
OF_VERSION_4: Final = [
    *faults(20, NAMES, f"special token ' a': a special token {MIXED}; ", {"<s>": 0, " a": 5}),
    *faults(20, NAMES, r"special token ' \x1c': ", {"<s>": 0, " \x1c": 5}),
    *faults(20, NAMES, "special token '   ", {"<s>": 0, " " * 257: 5}),
    *faults(21, NAMES, "vocab['5']: expected the bytes of ' ', found ", {"<s>": 0, " ": 5}),
    *wrong(23, ("vocab", "9"), "other bytes than id 0", [*b"<s>"]),
    *wrong(23, ("vocab", "9"), "other bytes than id 8", [32, 32]),
    *gone(24, "vocab: expected an id with the byte [32], found 'none'", ("vocab", "1032")),
    *faults(27, (), LOWEST.format(1), GOOD | TRIPLES | {"schema_version": 4}),
    *faults(27, (), LOWEST.format(3), THIRD | {"schema_version": 4}),
]

# Files that are no change of a valid one: steps 1 to 3, before the schema version is known.


def with_number(number: str) -> bytes:
    """Return the valid file with a number in its first merge, however it is written."""
    return canonical(changed((FIRST, "?"))).replace(b'"?"', number.encode("ascii"))


def replaced(old: bytes, new: bytes) -> bytes:
    """Return the valid file with other bytes in place of some."""
    assert canonical(GOOD).count(old) == 1
    return canonical(GOOD).replace(old, new)


NO_UTF_8: Final = {
    b"\xff": "0xff at offset 0",
    b"{}   \xc3": "0xc3 at offset 5",
    b'{"\xed\xa0\x80":1}': "0xed at offset 2",  # a surrogate
    b'{"\xc0\xaf":1}': "0xc0 at offset 2",  # overlong
    b"\xff\xfe" + json.dumps(GOOD).encode("utf-16-le"): "0xff at offset 0",
}
NO_JSON: Final = {
    "nothing": b"",
    "control character": b'{"a\nb":1}',
    "unknown escape": rb'{"\x41":1}',
    "word after": canonical(GOOD) + b"x",
    "byte order mark": b"\xef\xbb\xbf" + canonical(GOOD),
    "cut off": canonical(GOOD)[:-1],
    "single quotes": canonical(GOOD).replace(b'"', b"'"),
    "UTF-16": json.dumps(GOOD).encode("utf-16-le"),
    "comma at the end": replaced(b"[99]", b"[99,]"),
    "leading zero": replaced(b"[0]", b"[00]"),
    "Arabic digit": replaced(b"[1]", "[\u0661]".encode()),
}
TWICE: Final = [
    (b'"schema_version":1', rb'"schema_version":2,"\u0073chema_version":1', "schema_version"),
    (b'"97":[97]', rb'"97":[97],"\u0039\u0037":[97]', "97"),
    (b'"<|endoftext|>":', b'"<|endoftext|>":1,"<|endoftext|>":', END),
    (b'"vocab":', b'"%s":1,"%s":2,"vocab":' % (b"x" * 99, b"x" * 99), "x" * 40),
    (b'"vocab":', rb'"\ud800":1,"\uD800":2,"vocab":', "\ud800"),
]
"""Bytes of the valid file, others that repeat a key, and this key in the message."""
NO_NUMBERS: Final = ["NaN", "-Infinity", "1e999", "1." + "0" * 999, "1E2", "-0.0"]
LONG_INTEGERS: Final = ["1" * 501, "1" + "0" * 1_000_000]
NO_INTEGER: Final = "expected integers as the only numbers, found "
TOO_LONG: Final = "expected integers of a few digits, found one with "
NOT_AN_OBJECT: Final = "top level: expected a JSON object, found "

FILES: Final = [
    *(Fault(1, (), data, f"expected UTF-8, found byte {byte}") for data, byte in NO_UTF_8.items()),
    *faults(2, (), "expected JSON: ", *NO_JSON.values()),
    *(
        Fault(2, (), replaced(old, new), f"expected distinct keys, found {key!r} more than once")
        for old, new, key in TWICE
    ),
    *(Fault(2, (), with_number(number), f"{NO_INTEGER}{number[:40]}") for number in NO_NUMBERS),
    *(Fault(2, (), with_number(one), f"{TOO_LONG}{len(one):,}") for one in LONG_INTEGERS),
    *(Fault(3, (), value, f"{NOT_AN_OBJECT}{value!r}") for value in ([[1]], "text", None, True)),
]

FAULTS: Final = {1: [*FILES, *OF_VERSION_1], 2: OF_VERSION_2, 3: OF_VERSION_3, 4: OF_VERSION_4}
"""The faults of each schema version, in the order of its checks."""


def with_faults(version: int, *faults: Fault) -> bytes:
    """Return the valid file of a schema version with one or more faults."""
    if faults[0].place:
        changes = [(fault.place, fault.value) for fault in faults]
        return canonical(changed(*changes, valid=VALID[version]))
    content = faults[0].value
    return content if isinstance(content, bytes) else canonical(content)
