"""Tokenizer files that `load` must reject: for each, the step of the checks and its message.

Each is a change of a valid file of its schema version. The tests of the loader, of the explorer's
reader and of the JSON Schema use them.
"""

import json
from typing import Any, Final, NamedTuple

import oracle
from artifacts import GONE, GOOD, SECOND, THIRD, Place, canonical, changed

END: Final = oracle.END_OF_TEXT
END_BYTES: Final = list(END.encode())
PATTERN: Final = GOOD["pretokenizer_pattern"]
KEYS: Final = (
    "mergeable_vocab_size, merges, pretokenizer_pattern, schema_version, special_tokens, vocab"
)
VALID: Final = {1: GOOD, 2: SECOND, 3: THIRD}


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


def extra(step: int, place: Place, expected: str, *keys: str) -> list[Fault]:
    """Return keys that are errors in an object, with which keys are expected there."""
    return [Fault(step, (*place, key), [97], f"{expected}, found {repr(key)[:12]}") for key in keys]


def gone(step: int, message: str, *places: Place) -> list[Fault]:
    """Return positions whose value is required; the message may have the last key."""
    return [Fault(step, place, GONE, message.format(place[-1])) for place in places]


def special(step: int, message: str, *values: object) -> list[Fault]:
    """Return values of `special_tokens` that are errors."""
    return [Fault(step, ("special_tokens",), value, message) for value in values]


def file(step: int, message: str, *contents: object) -> list[Fault]:
    """Return whole files that are errors."""
    return [Fault(step, (), content, message) for content in contents]


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
LONG: Final = "\U000e0001" * 252
"""Its `repr` is ten times as long, but a message has at most 200 characters."""
DEEP: Final = [[LONG] * 9] * 9
NO_INTEGERS: Final = [True, "258", None, [258], {}, LONG, DEEP, {LONG: {LONG: LONG}}]
NO_LISTS: Final[list[object]] = [{}, None, "ab", 2]
NO_PAIRS: Final = [
    [97],
    [],
    [97, 98, 99],
    "ab",
    {"0": 97, "1": 98},
    None,
    97,
    [97, "98"],
    [None, 98],
    [True, 98],
    [97, False],
    [[97], 98],
    [-1, 98],
    [97, -(10**99)],
]
NO_TOKENS: Final = [97, "a", None, {}, {"0": 97}, [256], [-1], [97, 256], [True], [[97]], ["a"]]
NO_KEYS = ["007", "00", "+7", "-7", "-0", "2_5", "7.0", "7e0", "0x7", "\u0667", "\uff17"]
NO_KEYS += ["²", "Ⅶ", " 7", "7 ", "7\n", "7\0", "seven", "", "\ud800", END, LONG]
NO_NAMES: list[object] = [
    None,
    [],
    258,
    END,
    [END],
    {},
    {END: 258, "<|pad|>": 259},
    {"<|pad|>": 258},
]
NO_NAMES += [{END + " ": 258}, {"": 258}, {LONG: LONG}, DEEP]
PAIR: Final = "a list of two non-negative integers"
BYTES: Final = "a list of integers in 0..255"

OF_VERSION_1: Final = [
    *gone(4, "missing key 'schema_version'; is this a bpetite tokenizer file", VERSION),
    *wrong(5, VERSION, "an integer", *NO_INTEGERS),
    *wrong(6, VERSION, "1 or 2 or 3, the versions that this bpetite reads", 4, 0, -1, 11, 10**30),
    *gone(7, "missing key {!r}", *((key,) for key in reversed(GOOD) if key != "schema_version")),
    *extra(8, (), f"top level: expected only the keys {KEYS}", "extra", "", "Vocab", "merges "),
    *extra(
        8, (), f"top level: expected only the keys {KEYS}", "schema_version\x00", "\ud800", LONG
    ),
    *wrong(9, TEXT, "a string", None, 1, [PATTERN], {PATTERN: 1}),
    *wrong(10, TEXT, "the pattern gpt2 as bpetite writes it", "", PATTERN + " ", PATTERN[:-1]),
    *wrong(10, TEXT, "the pattern gpt2 as bpetite writes it", "(a+)+$" * 999, "1" * 5000),
    *file(
        10,
        "pretokenizer_pattern: expected the pattern gpt2 as bpetite writes it",
        *(valid | {"schema_version": 1} for valid in (SECOND, THIRD)),
    ),
    *wrong(11, SECOND_MERGE, PAIR, *NO_PAIRS),
    *wrong(11, FIRST, PAIR, [97], [-1, 98]),
    *wrong(11, MERGES, "a list", *NO_LISTS),
    *wrong(12, SIZE, "an integer", *NO_INTEGERS),
    *wrong(13, SIZE, "258 (256 + 2 merges)", 259, 0, 2, 257, -258, 2**64),
    *extra(14, VOCAB, "vocab: expected ids in decimal as keys", *NO_KEYS),
    *wrong(14, VOCAB, "an object", [], None, "x", 259, [[0]]),
    *wrong(14, ("vocab", "97"), BYTES, *NO_TOKENS),
    *wrong(14, ("vocab", "257"), BYTES, 97, [10**30]),
    *wrong(14, ("vocab", "258"), BYTES, None, [True]),
    *wrong(14, ("vocab", "259"), BYTES, [256], [-1]),
    *gone(
        15,
        "vocab: expected the ids 0 to 257, found 'no {}'",
        *(("vocab", token_id) for token_id in ("99", "0", "97", "255", "256", "257")),
    ),
    *wrong(16, ("vocab", "0"), "[0]", [1], [], [0, 0]),
    *wrong(16, ("vocab", "128"), "[128]", [194, 128]),
    *wrong(16, ("vocab", "255"), "[255]", [254]),
    *wrong(17, SECOND_MERGE, "two ids below 257", [32, 257], [257, 256], [32, 10**20]),
    *wrong(17, FIRST, "two ids below 256", [256, 98], [97, 256]),
    *wrong(17, ("vocab", "256"), "the joined bytes of 97 and 98", [], [97], [98, 97]),
    *wrong(17, ("vocab", "256"), "the joined bytes of 97 and 98", [97, 99], [97, 98, 98]),
    *wrong(18, ("special_tokens",), f"an object with only the key {END!r}", *NO_NAMES),
    *file(
        18,
        f"special_tokens: expected an object with only the key {END!r}",
        *(with_names(names, "gpt2") | {"schema_version": 1} for names in ([], ["<|b|>", "<|a|>"])),
    ),
    *wrong(
        19,
        ("special_tokens", END),
        "258, the first id after the mergeable ones",
        *(257, 259, 0, -258, 10**99),
        *NO_INTEGERS,
    ),
    *wrong(21, ("vocab", "258"), f"the bytes of {END!r}", [], [60], END_BYTES[:-1]),
    *wrong(21, ("vocab", "258"), f"the bytes of {END!r}", [*END_BYTES, 32], [*b"<|ENDOFTEXT|>"]),
    *gone(21, f"vocab['258']: expected the bytes of {END!r}, found 'nothing'", ("vocab", "258")),
    *extra(22, VOCAB, "vocab: expected only the ids 0 to 258", "259", "300", "1" + "0" * 4999),
    Fault(22, ("vocab", "259"), [97, 98], "vocab: expected only the ids 0 to 258, found '259'"),
]

A_PATTERN: Final = "pretokenizer_pattern: expected the pattern "
AN_OBJECT: Final = "special_tokens: expected an object, found "
OWN_ID: Final = "special_tokens['<|a|>']: expected an id of its own from 258 to 259, found "
LOWEST: Final = (
    "schema_version: expected {}, the lowest version that can hold this tokenizer, found"
)
NO_OBJECTS: Final[list[object]] = [[], None, "<|a|>", 258]
LONG_NAME: Final = f"{LONG}a>"
NO_IDS: Final = [257, 260, -1, True, "259", None, [259], 10**30]

OF_VERSION_2: Final = [
    *(
        Fault(10, TEXT, text, A_PATTERN + "gpt2 or gpt4")
        for text in ("", "(" * 99_999, PATTERN + " ", *oracle.ONLY_VERSION_3.values())
    ),
    *file(11, "merges[0]: expected a list of two", THIRD | {"schema_version": 2}),
    *special(18, AN_OBJECT, *NO_OBJECTS),
    *file(18, "special_tokens: expected at most 4096", with_names([f"<{n}>" for n in range(4097)])),
    *special(19, OWN_ID, *({"<|a|>": wrong_id, "<|b|>": 258} for wrong_id in NO_IDS)),
    *special(
        19, "special_tokens['<|b|>']: expected an id of its own", {"<|a|>": 258, "<|b|>": 258}
    ),
    *special(19, "special_tokens['", {LONG_NAME: LONG}),
    *file(20, "special token '': ", with_names([""])),
    *file(20, "special token '<a >': ", with_names(["<a >"])),
    *file(20, "special token '<s><s>", with_names(["<s>" * 99])),
    *file(20, r"special token '<a\ud800>': ", with_names(["<a\ud800>"])),
    *file(20, "special token 'hello': ", with_names(["hello"])),
    *file(20, "special token '<a>b>': ", with_names(["<a>", "<a>b>"])),
    *file(
        20,
        "special token '",
        with_names([LONG]),
        with_names([LONG_NAME, f"{LONG_NAME}{LONG}"[:256]]),
    ),
    *wrong(21, ("vocab", "258"), "the bytes of '<|b|>'", [97], [*b"<|a|>"]),
    *file(
        21,
        "vocab['258']: expected the bytes of '",
        with_names([LONG_NAME]) | {"vocab": SECOND["vocab"]},
    ),
    *gone(21, "vocab['259']: expected the bytes of '<|a|>', found 'nothing'", ("vocab", "259")),
    *special(21, "vocab['258']: expected the bytes of '<|a|>'", {"<|a|>": 258}),
    *extra(22, VOCAB, "vocab: expected only the ids 0 to 259", "300"),
    Fault(22, ("vocab", "260"), [97, 98], "vocab: expected only the ids 0 to 259, found '260'"),
    *file(27, LOWEST.format(1), GOOD | {"schema_version": 2}),
]


def entry(step: int, key: str, token: list[int], message: str) -> Fault:
    """Return an entry of the vocabulary that is an error."""
    return Fault(step, ("vocab", key), token, message)


NO_TRIPLES: Final = [[1097, 1098], [1097, 1098, 7, 7], [1097, -1, 7], [1097, True, 7], None, "abc"]
TRIPLES: Final = {"merges": [[97, 98, 256], [32, 256, 257]], "schema_version": 3}
"""What makes the valid file of schema version 1 one of version 3, which it need not be."""
GPT4: Final = {"pretokenizer_pattern": oracle.PATTERNS["gpt4"]}
IDS: Final = "ids of bytes or earlier merges"
OWN: Final = "an id of its own for the joined bytes"

OF_VERSION_3: Final = [
    Fault(2, FIRST, [1097, 1.0, 7], "expected integers as the only numbers"),
    *wrong(9, TEXT, "a string", 1),
    Fault(10, TEXT, "(a+)+$", A_PATTERN + "gpt2 or "),
    *wrong(11, MERGES, "a list", *NO_LISTS),
    *wrong(11, FIRST, "a list of three non-negative integers", *NO_TRIPLES),
    *file(
        11,
        "merges[0]: expected a list of three",
        *(v | {"schema_version": 3} for v in (GOOD, SECOND)),
    ),
    *wrong(14, VOCAB, "an object", []),
    entry(14, "07", [97], "vocab: expected ids in decimal as keys"),
    entry(14, str(2**21), [97, 99], "vocab: expected ids below 2097152, found '2097152'"),
    entry(14, "9" * 5000, [97, 99], "vocab: expected ids below 2097152, found '999"),
    *wrong(14, ("vocab", "8"), BYTES, [256]),
    *special(18, AN_OBJECT, *NO_OBJECTS),
    *special(18, "special_tokens: expected at most 4096", {f"<{n}>": n for n in range(5000)}),
    *special(
        19,
        "special_tokens['<b']: expected an id of its own in vocab, found ",
        *({"<s>": 0, "<b": wrong_id} for wrong_id in (2, -1, "5", None, True, 10**30, [5])),
    ),
    *special(19, "special_tokens['<s>']: expected an id of its own in", {"<b": 5, "<s>": 5}),
    *special(20, "special token '': ", {"<s>": 0, "": 5}),
    *special(20, "special token 'a b': ", {"<s>": 0, "a b": 5}),
    *special(20, "special token '<s>a': ", {"<s>": 0, "<s>a": 5}),
    *special(20, "special token 'xxx", {"<s>": 0, "x" * 257: 5}),
    *special(20, r"special token '\ud800': ", {"<s>": 0, "\ud800": 5}),
    *special(21, "vocab['5']: expected the bytes of '<c', found ", {"<s>": 0, "<c": 5}),
    *wrong(23, ("vocab", "9"), "at least one byte", []),
    *wrong(23, ("vocab", "9"), "other bytes than id 7", [97, 98]),
    *wrong(23, ("vocab", "9"), "other bytes than id 5", [60, 98]),
    *gone(24, "vocab: expected an id with the byte [97], found 'none'", ("vocab", "1097")),
    *special(24, "vocab: expected an id with the byte [97]", {"<s>": 0, "<b": 5, "a": 1097}),
    *wrong(25, SIZE, "an integer", *NO_INTEGERS),
    *wrong(25, SIZE, "259 (ids that are not special)", 258),
    *wrong(26, FIRST, IDS, [1097, 9999, 7], [1, 1, 7], [1032, 7, 3]),
    *wrong(26, FIRST, OWN, [1097, 1098, 3], [1060, 1098, 5], [1097, 1098, 99]),
    *wrong(26, SECOND_MERGE, OWN, [1097, 1098, 7]),
    *file(27, LOWEST.format(1), GOOD | TRIPLES),
    *file(27, LOWEST.format(2), GOOD | TRIPLES | GPT4),
]

# Files that are no change of a valid one: steps 1 to 3, before the schema version is known.


def with_number(place: Place, number: str) -> bytes:
    """Return the valid file with a number at a position, however it is written."""
    return canonical(changed((place, "?"))).replace(b'"?"', number.encode("ascii"))


def replaced(old: bytes, new: bytes) -> bytes:
    """Return the valid file with other bytes in place of some."""
    assert canonical(GOOD).count(old) == 1
    return canonical(GOOD).replace(old, new)


NO_UTF_8: Final = {
    b"\xff": "0xff at offset 0",
    b"{}   \xc3": "0xc3 at offset 5",
    b"\x1f\x8b\x08\x00": "0x8b at offset 1",
    b'{"\xed\xa0\x80":1}': "0xed at offset 2",  # a surrogate
    b'{"\xc0\xaf":1}': "0xc0 at offset 2",  # overlong
    b"\xff\xfe" + json.dumps(GOOD).encode("utf-16-le"): "0xff at offset 0",
}
NO_JSON: Final = {
    "nothing": b"",
    "words": b"not json",
    "control character": b'{"a\nb":1}',
    "unknown escape": rb'{"\x41":1}',
    "word after": canonical(GOOD) + b"x",
    "object after": canonical(GOOD) + b"{}",
    "byte order mark": b"\xef\xbb\xbf" + canonical(GOOD),
    "comment": b"// comment\n" + canonical(GOOD),
    "cut off": canonical(GOOD)[:-1],
    "single quotes": canonical(GOOD).replace(b'"', b"'"),
    "UTF-16": json.dumps(GOOD).encode("utf-16-le"),
    "comma at the end": replaced(b"[99]", b"[99,]"),
    "leading zero": replaced(b"[0]", b"[00]"),
    "plus sign": replaced(b"[1]", b"[+1]"),
    "Arabic digit": replaced(b"[1]", "[\u0661]".encode()),
    "Python's True": replaced(b"[1]", b"[True]"),
}
TWICE: Final = [
    (b'"schema_version":1', b'"schema_version":1,"schema_version":1', "schema_version"),
    (b'"schema_version":1', rb'"schema_version":2,"\u0073chema_version":1', "schema_version"),
    (b'"merges":', b'"merges":[],"merges":', "merges"),
    (b'"97":[97]', rb'"97":[97],"\u0039\u0037":[97]', "97"),
    (b'"<|endoftext|>":', b'"<|endoftext|>":1,"<|endoftext|>":', END),
    (b'"vocab":', b'"%s":1,"%s":2,"vocab":' % (b"x" * 99, b"x" * 99), "x" * 40),
    (b'"vocab":', rb'"\ud800":1,"\uD800":2,"vocab":', "\ud800"),
]
"""Bytes of the valid file, others that repeat a key, and this key in the message."""
NO_NUMBERS: Final = {
    "NaN": ("schema_version",),
    "Infinity": ("merges", 0, 1),
    "-Infinity": ("vocab", "1", 0),
    "1e999": ("extra",),
    "1." + "0" * 999: ("merges", 0, 1),
    "1E2": ("vocab", "1", 0),
    "-0.0": ("schema_version",),
}
LONG_INTEGERS: Final = ["1" * 501, "-" + "9" * 700, "1" + "0" * 1_000_000]
NO_FILE: Final = [[], [[1]], "text", 1, None, True]

FILES: Final = [
    *(Fault(1, (), data, f"expected UTF-8, found byte {byte}") for data, byte in NO_UTF_8.items()),
    *(Fault(2, (), data, "expected JSON: ") for data in NO_JSON.values()),
    *(
        Fault(2, (), replaced(old, new), f"expected distinct keys, found {key!r} more than once")
        for old, new, key in TWICE
    ),
    *(
        Fault(
            2,
            (),
            with_number(place, number),
            f"expected integers as the only numbers, found {number[:40]}",
        )
        for number, place in NO_NUMBERS.items()
    ),
    *(
        Fault(
            2,
            (),
            with_number(FIRST, number),
            f"expected integers of a few digits, found one with {len(number):,}",
        )
        for number in LONG_INTEGERS
    ),
    *(
        Fault(3, (), value, f"top level: expected a JSON object, found {value!r}")
        for value in NO_FILE
    ),
]

FAULTS: Final = {1: [*FILES, *OF_VERSION_1], 2: OF_VERSION_2, 3: OF_VERSION_3}
"""The faults of each schema version, in the order of its checks."""


def with_faults(version: int, *faults: Fault) -> bytes:
    """Return the valid file of a schema version with one or more faults."""
    if faults[0].place:
        changes = [(fault.place, fault.value) for fault in faults]
        return canonical(changed(*changes, valid=VALID[version]))
    content = faults[0].value
    return content if isinstance(content, bytes) else canonical(content)
