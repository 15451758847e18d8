"""Files of Hugging Face's tokenizers: a valid one, changes of it, and random ones made from a seed.

`EQUIVALENT` changes no id. `ACCEPTED` gives other ids, which an import keeps. `REFUSED` has changes
that an import refuses, with the reason. The library `tokenizers` is the oracle of the first two.
"""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

from bpetite._patterns import GPT2
from bpetite_compare._letters import to_letters
from compare_tools import HOSTILE
from spellings import EXCEPT_AT_THE_END, ONLY_ISOLATED, SPELLINGS

if TYPE_CHECKING:
    import tokenizers  # in the group `thorough`

END: Final = "<|endoftext|>"
PIECES: Final = (
    *("a", "b", "ab", "abc", " a", " ab", "  ", "é", "\n", "1", "11", "he", "'s", "'re", "!!"),
    *("<|", "|>", "endoftext", END, END, f"{END}x", "<s>", " <s> ", "日本", "x y", "Ġa"),
)
"""Parts of texts and merges."""
NAMES: Final = ("<s>", "s>b", "a<s", "<|x|>", "日本", "Ġa", "é!", "|>x", "<|", "x y", "the")
"""The contents of added tokens, of which the last few are often refused."""
FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
NO_REGEX: Final = BYTE_LEVEL | {"use_regex": False}
SPLIT: Final = {
    "type": "Split",
    "pattern": {"Regex": GPT2.text},
    "behavior": "Isolated",
    "invert": False,
}
A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
PLAIN: Final = {"type": "TemplateProcessing", "single": [A], "pair": [A, B], "special_tokens": {}}
TEMPLATE: Final = PLAIN | {
    "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, A],
    "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}},
}
DEEPSEEK: Final = next(splits for _, splits in SPELLINGS.values() if len(splits) == 3)
MERGES: Final = ("h e", "t he", "Ġ the", "a b", "ab c", "Ġ ab", "Ã ©", "1 1", "! !", "Ġ Ġ", "' s")


class File:
    """The content of a `tokenizer.json`: the bytes, a few merges and one special token."""

    def __init__(self, merges: Sequence[str] = MERGES) -> None:
        texts = [
            *map(to_letters, map(bytes, zip(range(256)))),
            *(pair.replace(" ", "") for pair in merges),
            END,
        ]
        vocab = {text: place for place, text in enumerate(texts)}
        self.content: dict[str, Any] = {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": BYTE_LEVEL,
            "decoder": BYTE_LEVEL,
            "model": {"type": "BPE", "vocab": vocab, "merges": [*merges]},
        }
        self.add(END, special=True)

    @property
    def model(self) -> Any:  # noqa: ANN401 - an object of JSON
        """The part that has the tokens and the merges."""
        return self.content["model"]

    def add(self, text: str, **flags: object) -> None:
        """Append an added token with the id that `tokenizers` gives it, which may be taken."""
        vocab, tokens = self.model["vocab"], self.content["added_tokens"]
        known = vocab | {one["content"]: one["id"] for one in tokens}
        token_id = known.get(text, len(vocab) + len(known.keys() - vocab.keys()))
        tokens.append(added(text, token_id, **flags))

    def number(self, random: Random) -> None:
        """Give all tokens other ids, with gaps, and the added ones those that follow from them."""
        size = len(self.model["vocab"])
        ids = random.sample(range(random.choice([1, 1, 4]) * size), size)
        self.model["vocab"] = dict(zip(self.model["vocab"], ids, strict=True))
        tokens, self.content["added_tokens"] = self.content["added_tokens"], []
        for token in tokens:
            self.add(token["content"], **{flag: token[flag] for flag in FLAGS})


Change = Callable[[File], object]


def added(text: str, token_id: object, **flags: object) -> dict[str, object]:
    """Return an added token as `tokenizers` writes it."""
    return {"id": token_id, "content": text, **dict.fromkeys(FLAGS, False), **flags}


def load(content: dict[str, Any]) -> "tokenizers.Tokenizer":
    """Load a file with the library."""
    import tokenizers

    return tokenizers.Tokenizer.from_str(json.dumps(content))


def texts_of_pieces(random: Random, number: int) -> list[str]:
    """Return hostile texts, and texts of the parts of merges and added tokens."""
    parts = [*PIECES, "t", "h", "e", "c", "d", "x", "yz", "aaa", "s>b"]
    return [*HOSTILE, *("".join(random.choices(parts, k=8)) for _ in range(number))]


# Changes


def top(**parts: object) -> Change:
    """Return a change of the file's parts."""
    return lambda file: file.content.update(deepcopy(parts))


def model(**parts: object) -> Change:
    """Return a change of the model's settings."""
    return lambda file: file.model.update(deepcopy(parts))


def several(kind: str, *parts: object) -> dict[str, Any]:
    """Return parts in a sequence."""
    return {"type": "Sequence", kind: list(parts)}


def cuts(*parts: object, **split: object) -> Change:
    """Return a change of the pre-tokenizer: these parts, or a changed Split."""
    return top(pre_tokenizer=several("pretokenizers", *(parts or (SPLIT | split, NO_REGEX))))


def tokens(merges: Sequence[str] = (), /, whole: int | None = None, **ids: int) -> Change:
    """Return a change that adds tokens, merges before the others, and ignore_merges."""

    def change(file: File) -> None:
        file.model["vocab"].update({to_letters(text.encode()): one for text, one in ids.items()})
        file.model.update(merges=[*merges, *file.model["merges"]], ignore_merges=whole)

    return change


def named(*names: str, **flags: Any) -> Change:  # noqa: ANN401 - of the file
    """Return a change that appends added tokens."""
    return both(*(partial(File.add, text=name, **flags) for name in names))


def listed(*tokens: object) -> Change:
    """Return a change of all added tokens."""
    return top(added_tokens=list(tokens))


def both(*changes: Change) -> Change:
    return lambda file: [change(file) for change in changes]


def moved(text: str, token_id: object) -> Change:
    return lambda file: file.model["vocab"].update({text: token_id})


def without(*names: str) -> Change:
    """Return a change that removes tokens from the vocabulary."""
    return lambda file: [file.model["vocab"].pop(name) for name in names]


EQUIVALENT: Final[list[Change]] = [
    *(cuts(), cuts(invert=True, behavior="Removed"), cuts(BYTE_LEVEL | {"use_regex": True})),
    cuts(several("pretokenizers", SPLIT), NO_REGEX | {"trim_offsets": False}),
    *(top(post_processor=one) for one in (BYTE_LEVEL, PLAIN, TEMPLATE)),
    top(post_processor=several("processors", BYTE_LEVEL, PLAIN)),
    top(decoder=None),
    top(normalizer=several("normalizers", several("normalizers"))),
    lambda file: file.model.pop("type"),
    lambda file: model(merges=[pair.split(" ") for pair in file.model["merges"]])(file),
    model(unk_token=END, fuse_unk=True, dropout=0.0, ignore_merges=True),
    model(dropout=0, byte_fallback=False, continuing_subword_prefix="", end_of_word_suffix=""),
    top(
        padding={"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
        | {"pad_id": 0, "pad_type_id": 0, "pad_token": "x"},
        truncation={"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    ),
]
SPLITS: Final[list[Change]] = [
    cuts(*(SPLIT | {"pattern": {"Regex": one}} for one in splits), NO_REGEX)
    for _, splits in (SPELLINGS | ONLY_ISOLATED | EXCEPT_AT_THE_END).values()
]
ACCEPTED: Final[list[Change]] = [
    top(decoder=several("decoders", BYTE_LEVEL)),
    *SPLITS,
    both(tokens(**{"<unk>": 400}), model(unk_token="<unk>", fuse_unk=True)),  # noqa: S106 - a name
    *(tokens(whole=True, xyz=400, **{" xy": 401}), tokens(["b c", "a bc"], whole=True, bc=400)),
    *(tokens(["b c", "a bc"], bc=400), tokens(["he t", "e t"], whole=True, het=400, et=401)),
    *(tokens(unused0=400), tokens(["e t", "he t"], whole=True, het=400, et=401)),
    tokens(["abc d", "ab cd", "c d"], abcd=400, cd=401),
    *(lambda file: file.number(Random(2)), moved("a", (1 << 21) - 1)),
    *(without(to_letters(b"\xff")), tokens(**{"": 400}), listed(), both(without(END), listed())),
    *(named(*pair) for pair in (("x<s>y", "<s>"), ("a<s", "<s>b"), ("<<", "x<<"), ("xy", "xy"))),
    *(named(*pair, normalized=True) for pair in (("x<s>y", "<s>"), ("a<s", "<s>b"))),
    both(named("a<s"), named("<s>b", normalized=True)),
    *(named("<s>", special=True), named("caf\xe9", "\u0120a", "\u65e5")),
    *(both(tokens(zz=400, whole=one), named("zz")) for one in (True, False)),
]

INSTEAD: Final = "; use the libraries tokenizers or transformers for this model"
NORMALIZERS: Final = (
    *("NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "Prepend", "ByteLevel", "Strip"),
    *("Replace", "BertNormalizer", "Precompiled"),
)
CUTTERS: Final = (
    *("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "Digits", "Punctuation", "Metaspace"),
    *("UnicodeScripts", "CharDelimiterSplit", "FixedLength"),
)
DECODERS: Final = ("Fuse", "ByteFallback", "WordPiece", "BPEDecoder", "Metaspace", "Strip", "CTC")
NFC: Final = {"type": "NFC"}
DROP: Final = (
    "its normalizer, NFC, changes the text, unless --drop-normalizer (drop_normalizer=True) "
)
REMOVED: Final = [
    SPLIT | {"behavior": "Removed", "invert": True, "pattern": {"Regex": one}} for one in DEEPSEEK
]
UNKNOWN: Final = "its split pattern is none that bpetite has: "
FALSE: Final = "and invert false, not Isolated and false"
WAYS: Final = ("MergedWithPrevious", "MergedWithNext", "Contiguous", "Removed")
ODD: Final = {" ": " ", "|": "|", "\\n": "\n", "\\x1b[2J": "\x1b[2J", "\\u202e": "\u202e"}
ORDER: Final = f"its pre_tokenizer does not end with its only ByteLevel{INSTEAD}"
NOT_TWO: Final = 'is not two tokens, with all merges written as "a b" or all as ["a", "b"]: '
UNMADE: Final = "and without ignore_merges no text has it, which a tokenizer file cannot"
TWICE: Final = "is also an ordinary token"
SAME: Final = "have the same id"
MANY: Final = "a tokenizer file cannot represent its merges"
NO_BYTE: Final = "has letters that stand for no byte"
RANGE: Final = "not one of 0 to 2097151"
OVERLAP: Final = "overlap, and only one is `normalized`"

MAKING_END: Final = tokens(
    [f"{END[:size]} {END[size]}" for size in range(1, len(END))],
    **{END[:size]: 400 + size for size in range(2, len(END))},
)
"""A change that adds merges which make the special token."""

REFUSED: Final[list[tuple[str, Change]]] = [
    ("its version is 0.9, not 1.0", top(version="0.9")),
    *((f"{one}, changes the text{INSTEAD}", top(normalizer={"type": one})) for one in NORMALIZERS),
    *((DROP, top(normalizer=one)) for one in (NFC, several("normalizers", NFC, NFC))),
    ("its normalizer, NFC and X, ch", top(normalizer=several("normalizers", NFC, {"type": "X"}))),
    ("its normalizer, 'NFC', changes the text", top(normalizer="NFC")),
    *((f"its decoder is {one}, not ByteLevel", top(decoder={"type": one})) for one in DECODERS),
    ("its decoder is Strip", top(decoder=several("decoders", {"type": "Strip"}))),
    ("TemplateProcessing, changes the ids", top(post_processor={"type": "TemplateProcessing"})),
    (f"changes the ids{INSTEAD}", top(post_processor=PLAIN | {"single": [A, A]})),
    ("its post_processor, X, cha", top(post_processor=several("processors", PLAIN, {"type": "X"}))),
    # Splits.
    *((f"is {one}, not Split or ByteLevel", cuts({"type": one}, BYTE_LEVEL)) for one in CUTTERS),
    (f"its pre_tokenizer is None, not Split or ByteLevel{INSTEAD}", top(pre_tokenizer=None)),
    ("its pre_tokenizer is 'Sequence', not", top(pre_tokenizer="Sequence")),
    *((f"has the behavior {one} {FALSE}; its pattern is gpt2", cuts(behavior=one)) for one in WAYS),
    (f"has the behavior [] {FALSE}", cuts(behavior=[])),
    (f"has the behavior None {FALSE}", cuts({**SPLIT, "behavior": None}, NO_REGEX)),
    ("has the behavior Isolated and invert true, not Isolated and false", cuts(invert=True)),
    ("has the behavior Removed and invert true, not", cuts(*REMOVED, NO_REGEX)),
    (
        "not Isolated and false; its pattern is x (spelled most like ",
        cuts(behavior="Contiguous", pattern={"Regex": "x"}),
    ),
    *((f"its Split has the invert {one}, not true or", cuts(invert=one)) for one in (None, 0)),
    ("its Split has the pattern {'String': ' '}, not a Regex", cuts(pattern={"String": " "})),
    (
        "its Split has the pattern {'Regex':",
        cuts(pattern={"String": " ", "Regex": GPT2.text}),
    ),
    ("its Split has the pattern {'Regex': 1}, not a Regex", cuts(pattern={"Regex": 1})),
    ("its Split has the pattern None, not a Regex", cuts({"type": "Split"}, NO_REGEX)),
    ("its ByteLevel splits a second time (use_regex is true)", cuts(SPLIT, BYTE_LEVEL)),
    ("its ByteLevel does not split the text (use_regex is false)", cuts(NO_REGEX)),
    (f"{UNKNOWN}{GPT2.text} then {GPT2.text[:9]}", cuts(SPLIT, SPLIT, NO_REGEX)),
    *(
        (f"{UNKNOWN}{GPT2.text}{shown} (spelled most like gpt2)", cuts(pattern={"Regex": text}))
        for shown, text in ((one, GPT2.text + more) for one, more in ODD.items())
    ),
    *(
        (f"{UNKNOWN}{flags}{GPT2.text} (spelled", cuts(pattern={"Regex": flags + GPT2.text}))
        for flags in ("(?i)", "(?s)")
    ),
    (
        "its split pattern has {1,3}+, which is {1,} for tokenizers",
        cuts(pattern={"Regex": r"\p{N}{1,3}+"}),
    ),
    *((ORDER, cuts(*one)) for one in ([SPLIT], (NO_REGEX, SPLIT), (BYTE_LEVEL, BYTE_LEVEL))),
    (ORDER, top(pre_tokenizer=several("pretokenizers"))),
    ("adds a space that stays", top(pre_tokenizer=BYTE_LEVEL | {"add_prefix_space": True})),
    ("has the use_regex 1, not true or", top(pre_tokenizer=BYTE_LEVEL | {"use_regex": 1})),
    ("its ByteLevel lacks add_prefix_space", top(pre_tokenizer={"type": "ByteLevel"})),
    # The model.
    *((f"its model is {one}, not BPE", model(type=one)) for one in ("WordPiece", "Unigram")),
    ("has dropout, so the ids of a text are random", model(dropout=0.1)),
    ("has byte_fallback, so its tokens are characters", model(byte_fallback=True, unk_token=END)),
    *(
        (f"has {one}, so its tokens have marks{INSTEAD}", model(**{one: "x"}))
        for one in ("continuing_subword_prefix", "end_of_word_suffix")
    ),
    ("has the ignore_merges 0, not of the type bool", model(ignore_merges=0)),
    ("its merges are not a list", model(merges="a b")),
    *((f"its merge 0 {NOT_TWO}", tokens([one])) for one in ("a", "a  b", "a b c", " a b", "")),
    (f"its merge 0 {NOT_TWO}", model(merges=[["a"]])),
    (f"its merge 11 {NOT_TWO}", lambda file: file.model["merges"].append(["a", "b"])),
    (f"its merge 1 {NOT_TWO}", model(merges=[["a", "b"], "h e"])),
    *(
        (f"its merge 0 has the token {text!r}, which has no id", tokens([pair]))
        for text, pair in (("zz", "a zz"), ("zz", "zz a"), ("aa", "a a"))
    ),
    ("its merge 1, a b, occurs twice", tokens(["a b", "a b"])),
    *((MANY, tokens(["aa a", "a a"], aa=400, aaa=401)), (UNMADE, tokens(xyz=400))),
    (UNMADE, tokens(["e t", "he t"], het=400, et=401)),
    # Vocabularies.
    ("its vocabulary is not a JSON object of ids", model(vocab=[])),
    ("its vocabulary is not a JSON object of ids", moved("a", True)),  # noqa: FBT003 - an id
    *((SAME, moved("a", 5)), ("has the id -1", moved("a", -1)), (RANGE, moved("a", 1 << 21))),
    ("byte 0x61, so it cannot encode every text", both(without("a"), model(merges=[]))),
    *(
        (f"its token {one!r} {NO_BYTE}", moved(one, 400))
        for one in ("\u65e5", "a b", "\u0120\u65e5")
    ),
    # Added tokens.
    *(("its added_tokens are not a list", top(added_tokens=one)) for one in ({"a": 1}, None)),
    ("lacks a content or an id", listed(added("<s>", "268"))),
    (
        "its added token '<s>' is listed twice, with and without",
        listed(added("<s>", 268), added("<s>", 268, normalized=True)),
    ),
    ("'<s>' has the lstrip None, not true", listed(added("<s>", 268, lstrip=None))),
    ("'<s>' lacks single_word", listed({"content": "<s>", "id": 268})),
    *(
        (f"token '<s>' has {one}, so it changes the text", named("<s>", **{one: True}))
        for one in ("lstrip", "rstrip", "single_word")
    ),
    *(
        (f"has the id {one}, but tokenizers uses 268 (load and save", listed(added("<s>", one)))
        for one in (0, 5000)
    ),
    *(("it needs a text and a 32-bit id", listed(added("<s>", one))) for one in (-1, 1 << 32)),
    ("it needs a text and a 32-bit id", listed(added("", 268))),
    ("has the id 268, but tokenizers uses 267", listed(added(END, 268))),
    ("but tokenizers uses 269", listed(added("<s>", 268), added("<t>", 268))),
    ("but tokenizers uses 268", listed(added("<s>", 268), added("<s>", 269))),
    (
        f"'{END}' and '<x>' {SAME}",
        both(moved(END, 268), listed(added(END, 268), added("<x>", 268))),
    ),
    *((f"cannot represent its special token {one!r}", named(one)) for one in ("a b", "x\n")),
    ("a special token has no whitespace", named("\u3000")),
    *(("begins with the special token", named(one)) for one in (f"{END}x", "<|end")),
    (TWICE, MAKING_END),
    *(
        (f"its special token '{one}' {TWICE}", named(one))
        for one in ("a", "the", "ab", "\u0120the", "\u00e9")
    ),
    (TWICE, both(moved("\xc3\xc3", 268), named("\xc3\xc3"), model(ignore_merges=True))),
    *((f"'{END}' {OVERLAP}", named(one, normalized=True)) for one in ("x<|", f"x{END}")),
    (OVERLAP, both(named("a<s", normalized=True), named("s>", "<s>b"))),
]


def made_by(seed: int, accepted: Sequence[Change] = ACCEPTED) -> File:
    """Return the file of a seed: random merges, ids and changes; every other one has a fault."""
    random = Random(seed)
    unusual = random.sample(accepted, random.choice([0, 0, 1, 2]))
    known = MERGES if unusual else ()
    file = File([*known, *random_merges(random, known)])
    for change in [*random.sample(EQUIVALENT, random.randrange(3)), *unusual]:
        change(file)
    for text in random.sample(NAMES, random.randrange(3)):
        file.add(text, normalized=random.random() < 0.3, special=random.random() < 0.7)
    if random.random() < 0.5:
        file.model["ignore_merges"] = True
    file.number(random)
    if seed % 2:
        REFUSED[-(seed // 2) % len(REFUSED)][1](file)
    return file


def random_merges(random: Random, known: Sequence[str]) -> list[str]:
    """Merge adjacent tokens of a text, though sometimes as if they had not been merged."""
    tokens = list(to_letters("".join(random.choices(PIECES, k=random.randrange(5))).encode()))
    taken = {pair.replace(" ", "") for pair in known} | {END}
    merges: dict[str, str] = {}
    for _ in range(len(tokens) - 1):
        place = random.randrange(len(tokens) - 1)
        pair = tokens[place : place + 2]
        if (made := "".join(pair)) not in taken:
            merges.setdefault(made, " ".join(pair))
        if made in merges and len(tokens) > 2 and random.random() < 0.9:
            tokens[place : place + 2] = [made]
    return list(merges.values())
