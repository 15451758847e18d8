"""Files of Hugging Face's tokenizers: a valid one, changes of it, and random ones made from a seed.

`EQUIVALENT` changes no id. `ACCEPTED` gives other ids, which an import keeps. `REFUSED` has changes
that an import refuses, with the reason. The library `tokenizers` is the oracle of the first two.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any, Final

from bpetite_compare import GPT2_BYTE_ORDER
from compare_tools import HOSTILE, SPLIT_PATTERNS

END: Final = "<|endoftext|>"
GPT2: Final = SPLIT_PATTERNS["gpt2"]
FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
NO_REGEX: Final = BYTE_LEVEL | {"use_regex": False}
SPLIT: Final = {"type": "Split", "pattern": {"Regex": GPT2}, "behavior": "Isolated"} | {
    "invert": False
}
DEEPSEEK3: Final = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-\u309f\u30a0-ヿ]+",
    (
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
        "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
    ),
)
"""What a `tokenizer.json` of DeepSeek V3 splits by, one after the other."""
KIMI: Final = (
    r"[\p{Han}]+|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The pattern in tokenization_kimi.py, which Kimi K2 and K3 are published with."""
DIGITS: Final = {"type": "Digits", "individual_digits": True}
A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
PLAIN: Final = {"type": "TemplateProcessing", "single": [A], "pair": [A, B], "special_tokens": {}}
TEMPLATE: Final = PLAIN | {
    "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, A],
    "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}},
}
MERGES: Final = ("h e", "t he", "Ġ the", "a b", "ab c", "Ġ ab", "Ã ©", "1 1", "! !", "Ġ Ġ", "' s")
_LETTERS: Final = {
    value: chr(value if place < 188 else place + 68) for place, value in enumerate(GPT2_BYTE_ORDER)
}


def to_letters(token: bytes) -> str:
    """Return a token as in `vocab.json`, where a space is Ġ."""
    return "".join(map(_LETTERS.__getitem__, token))


class File:
    """The content of a `tokenizer.json`: the bytes, a few merges and one special token."""

    def __init__(self, merges: Sequence[str] = MERGES) -> None:
        texts = [to_letters(bytes([value])) for value in range(256)]
        texts += [*(pair.replace(" ", "") for pair in merges), END]
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


_WORDS: Final = ["ab", "abc", " a", " ab", "  ", "11", "he", "'s", "'re", "!!", "日本", "x y", "Ġa"]
_NAMES: Final = ["<|", "|>", "endoftext", END, END, f"{END}x", "<s>", " <s> "]
_SPACES: Final = [" ", "   ", "\t", "\t \t", "\n\n", " \n"]
_PIECES: Final = [*"abé\n1", *_WORDS, *_NAMES]
"""Parts of texts and merges."""


def texts_of_pieces(random: Random, number: int) -> list[str]:
    """Return hostile texts, and texts of the parts of merges and added tokens."""
    parts = [*_PIECES, *_SPACES, *"thecdx", "yz", "aaa", "s>b"]
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


def splits(*patterns: str, **split: object) -> Change:
    """Return a change of the pre-tokenizer: it splits by these patterns in turn."""
    return cuts(*(SPLIT | {"pattern": {"Regex": one}} | split for one in patterns), NO_REGEX)


def tokens(merges: Sequence[str] = (), /, whole: int | None = None, **ids: int) -> Change:
    """Return a change that adds tokens, merges before the others, and ignore_merges."""

    def change(file: File) -> None:
        file.model["vocab"].update({to_letters(text.encode()): one for text, one in ids.items()})
        file.model.update(merges=[*merges, *file.model["merges"]], ignore_merges=whole)

    return change


def named(*names: str, **flags: Any) -> Change:  # noqa: ANN401 - of the file
    """Return a change that appends added tokens."""

    def change(file: File) -> None:
        for name in names:
            file.add(name, **flags)

    return change


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


def with_other_letters(file: File) -> None:
    """Add tokens that no byte makes, and a merge of one of them."""
    file.model["vocab"].update({"\u65e5": 400, "h\u65e5": 401, "\u0120\u2122": 402})
    file.model["merges"].insert(0, "h \u65e5")


def merges_as_lists(file: File) -> None:
    file.model["merges"] = [pair.split(" ") for pair in file.model["merges"]]


EQUIVALENT: Final[dict[str, Change]] = {
    "a Split": cuts(),
    "a Split that removes the rest": cuts(invert=True, behavior="Removed"),
    "a list in a list": cuts(several("pretokenizers", SPLIT), NO_REGEX),
    "a processor of offsets": top(post_processor=BYTE_LEVEL),
    "a template without tokens": top(post_processor=PLAIN),
    "a template with a token": top(post_processor=TEMPLATE),
    "no decoder": top(decoder=None),
    "no normalizer in lists": top(normalizer=several("normalizers", several("normalizers"))),
    "no type": lambda file: file.model.pop("type"),
    "merges as lists": merges_as_lists,
    "an unknown token": model(
        unk_token=END, fuse_unk=True, dropout=0.0, ignore_merges=True, end_of_word_suffix=""
    ),
    "padding and truncation": top(
        padding={"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
        | {"pad_id": 0, "pad_type_id": 0, "pad_token": "x"},
        truncation={"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    ),
}
ACCEPTED: Final[dict[str, Change]] = {
    "DeepSeek's splits": splits(*DEEPSEEK3),
    "StarCoder's digits": cuts(DIGITS, BYTE_LEVEL),
    "Kimi's split": splits(KIMI),
    "GPT-4's split": splits(SPLIT_PATTERNS["gpt4"]),
    "an unknown token": both(tokens(**{"<unk>": 400}), model(unk_token="<unk>")),  # noqa: S106
    "whole tokens": tokens(whole=True, xyz=400, **{" xy": 401}),
    "two merges of one token": tokens(["b c", "a bc"], bc=400),
    "a token without a merge": tokens(xyz=400),
    "a token that is never made": tokens(["e t", "he t"], het=400, et=401),
    "a merge that never applies": tokens(["he t", "e t"], whole=True, het=400, et=401),
    "any ids": lambda file: file.number(Random(2)),
    "the highest id": moved("a", (1 << 21) - 1),
    "a byte less": without(to_letters(b"\xff")),
    "tokens that no byte makes": with_other_letters,
    "an ordinary name": listed(),
    "a name in another": named("x<s>y", "<s>"),
    "overlapping names": named("a<s", "<s>b"),
    "the second is normalized": both(named("a<s"), named("<s>b", normalized=True)),
    "names that are not ASCII": named("caf\xe9", "\u0120a", "\u65e5"),
    "an added token without a merge": both(tokens(zz=400), named("zz")),
    "runs of whitespace": named(*(" " * size for size in range(1, 9)), "\t\t", "\n\t", "\n"),
    "runs of whitespace in another pass": named("\t \t", "  ", "\t ", normalized=True),
    "whitespace in two passes": both(named("\n\n", "\t  "), named("\t", " ", normalized=True)),
}

INSTEAD: Final = "; use the libraries tokenizers or transformers for this model"
NFC: Final = {"type": "NFC"}
UNKNOWN: Final = "its split pattern is none that bpetite has: "
TWICE: Final = "is also an ordinary token"
SAME: Final = "have the same id"
MANY: Final = "a tokenizer file cannot represent its merges"
_NOT_FALSE: Final = "and invert false, not Isolated and false"
_ORDER: Final = f"its pre_tokenizer does not end with its only ByteLevel{INSTEAD}"
_NOT_TWO: Final = 'is not two tokens, with all merges written as "a b" or all as ["a", "b"]: '
_OVERLAP: Final = "overlap, and only one is `normalized`"
_NOT_REST: Final = {"behavior": "Removed", "invert": True}
_REGEX_AND_STRING: Final = {"String": " ", "Regex": GPT2}
_MAKING_END: Final = tokens(
    [f"{END[:size]} {END[size]}" for size in range(1, len(END))],
    **{END[:size]: 400 + size for size in range(2, len(END))},
)

REFUSED: Final[dict[str, tuple[str, Change]]] = {
    "version": ("its version is 0.9, not 1.0", top(version="0.9")),
    "NFC": (
        "its normalizer, NFC, changes the text, unless --drop-normalizer (drop_normalizer=True) ",
        top(normalizer=several("normalizers", NFC, NFC)),
    ),
    "NFC and another": (
        "its normalizer, NFC and X, ch",
        top(normalizer=several("normalizers", NFC, {"type": "X"})),
    ),
    "decoder in a list": ("is Strip", top(decoder=several("decoders", {"type": "Strip"}))),
    "text twice": (f"changes the ids{INSTEAD}", top(post_processor=PLAIN | {"single": [A, A]})),
    # Splits.
    "pre-tokenizer": ("is Metaspace, not Split, ", cuts({"type": "Metaspace"}, BYTE_LEVEL)),
    "numbers in one piece": (
        f"{UNKNOWN}\\p{{N}}+ (spelled most like ",
        cuts(DIGITS | {"individual_digits": False}, BYTE_LEVEL),
    ),
    "digits without a flag": ("its Digits lacks individ", cuts({"type": "Digits"}, BYTE_LEVEL)),
    "digits alone": (
        "has the behavior Removed and invert true, not",
        cuts(SPLIT | {"pattern": {"Regex": r"\p{N}"}, **_NOT_REST}, BYTE_LEVEL),
    ),
    "no pre-tokenizer": (
        f"its pre_tokenizer is None, not Split, Digits or ByteLevel{INSTEAD}",
        top(pre_tokenizer=None),
    ),
    "behavior": (
        f"has the behavior Removed {_NOT_FALSE}; its pattern is gpt2",
        cuts(behavior="Removed"),
    ),
    "inverted": ("has the behavior Isolated and invert true, not Isolated and", cuts(invert=True)),
    "several that remove": (
        "has the behavior Removed and invert true, not",
        splits(*DEEPSEEK3, **_NOT_REST),
    ),
    "invert of another type": ("its Split has the invert 0, not true or", cuts(invert=0)),
    "pattern and text": ("its Split has the pattern {", cuts(pattern=_REGEX_AND_STRING)),
    "two splits": ("splits a second time (use_regex is true)", cuts(SPLIT, BYTE_LEVEL)),
    "no split": ("its ByteLevel does not split the text (use_regex is false)", cuts(NO_REGEX)),
    "invisible characters": (
        f"{UNKNOWN}\\n\\x1b[2J\\u202e{GPT2[:50]}",
        splits(f"\n\x1b[2J\u202e{GPT2}"),
    ),
    "Split alone": (_ORDER, cuts(SPLIT)),
    "two ByteLevels": (_ORDER, cuts(BYTE_LEVEL, BYTE_LEVEL)),
    "a space": ("adds a space that", top(pre_tokenizer=BYTE_LEVEL | {"add_prefix_space": True})),
    "no add_prefix_space": (
        "its ByteLevel lacks add_prefix_space",
        top(pre_tokenizer={"type": "ByteLevel"}),
    ),
    # The model.
    "model": ("its model is Unigram, not BPE", model(type="Unigram")),
    "model without a type": (
        "its model is Unigram, not BPE",
        lambda file: file.content.update(model={"vocab": [["a", 0.0]], "unk_id": 0}),
    ),
    "dropout": ("has dropout, so the ids of a text are random", model(dropout=0.1)),
    "byte_fallback": ("has byte_fallback, so its tokens are characters", model(byte_fallback=True)),
    "prefix": (f"prefix, so its tokens have marks{INSTEAD}", model(continuing_subword_prefix="x")),
    "suffix": (f"suffix, so its tokens have marks{INSTEAD}", model(end_of_word_suffix="x")),
    "ignore_merges": ("has the ignore_merges 0, not of the type bool", model(ignore_merges=0)),
    "merges as text": ("its merges are not a list", model(merges="a b")),
    "an empty part": (f"its merge 0 {_NOT_TWO}", tokens([" a"])),
    "one part in a list": (f"its merge 0 {_NOT_TWO}", model(merges=[["a"]])),
    "a list among texts": (f"1 {_NOT_TWO}", lambda file: file.model["merges"].append(["a", "b"])),
    "a left part without an id": ("its merge 0 has the token 'zz', which", tokens(["zz a"])),
    "a merge without an id": ("its merge 0 has the token 'aa', which has no id", tokens(["a a"])),
    "a merge twice": ("its merge 1, a b, occurs twice", tokens(["a b", "a b"])),
    "an order of merges": (MANY, tokens(["aa a", "a a"], aa=400, aaa=401)),
    # Vocabularies.
    "vocabulary as a list": ("its vocabulary is not a JSON object of ids", model(vocab=[])),
    "true as an id": ("its vocabulary is not a JSON object", moved("a", True)),  # noqa: FBT003
    "an id twice": (SAME, moved("a", 5)),
    "a negative id": ("has the id -1", moved("a", -1)),
    "a high id": ("not one of 0 to 2097151", moved("a", 1 << 21)),
    "no byte": ("byte 0x61, so it cannot encode every text", both(without("a"), model(merges=[]))),
    # Added tokens.
    "added tokens as an object": ("its added_tokens are not a list", top(added_tokens={"a": 1})),
    "an id as text": ("lacks a content or an id", listed(added("<s>", "268"))),
    "listed twice": (
        "its added token '<s>' is listed twice, with and without",
        listed(added("<s>", 268), added("<s>", 268, normalized=True)),
    ),
    "no flag": ("'<s>' lacks single_word", listed({"content": "<s>", "id": 268})),
    "lstrip": ("lstrip of '<s>' changes the text", named("<s>", lstrip=True)),
    "rstrip": ("rstrip of '<s>' changes the text", named("<s>", rstrip=True)),
    "single_word": ("single_word of '<s>' changes the", named("<s>", single_word=True)),
    "another id": (
        "has the id 5000, but tokenizers uses 268 (load and save",
        listed(added("<s>", 5000)),
    ),
    "an id above 32 bits": ("it needs a text and a 32-bit id", listed(added("<s>", 1 << 32))),
    "no text": ("it needs a text and a 32-bit id", listed(added("", 268))),
    "one id for two of a vocabulary": (
        f"'{END}' and '<x>' {SAME}",
        both(moved(END, 268), listed(added(END, 268), added("<x>", 268))),
    ),
    "a space in a name": (
        "cannot represent its special token 'a b': a special token has no whitespace beside other ",
        named("a b"),
    ),
    "a longer name": ("begins with the special token", named(f"{END}x")),
    "merges of a name": (TWICE, _MAKING_END),
    "a byte's name": (f"its special token 'a' {TWICE}", named("a")),
    "letters of a chunk": (
        TWICE,
        both(moved("\xc3\xc3", 268), named("\xc3\xc3"), model(ignore_merges=True)),
    ),
    "overlap": (f"'{END}' {_OVERLAP}", named("x<|", normalized=True)),
    "whitespace that a normalized one begins before": (
        f"its added tokens '  ' and '   ' {_OVERLAP}",
        both(named("   "), named("  ", normalized=True)),
    ),
    "whitespace that begins a normalized one": (
        rf"its added tokens '\t ' and '\t' {_OVERLAP}",
        both(named("\t"), named("\t ", normalized=True)),
    ),
    "a name in a normalized one": (f"'{END}' {_OVERLAP}", named(f"x{END}", normalized=True)),
}


def made_by(seed: int) -> File:
    """Return the file of a seed: random merges, ids and changes; every other one has a fault."""
    random = Random(seed)
    unusual = random.sample([*ACCEPTED.values()], random.choice([0, 0, 1, 2]))
    known = MERGES if unusual else ()
    file = File([*known, *random_merges(random, known)])
    for change in [*random.sample([*EQUIVALENT.values()], random.randrange(3)), *unusual]:
        change(file)
    names = ["<s>", "s>b", "a<s", "<|x|>", "日本", "Ġa", "é!", "|>x", "<|", "x y", "the"]
    for text in random.sample(names, random.randrange(3)):
        file.add(text, normalized=random.random() < 0.3, special=random.random() < 0.7)
    if random.random() < 0.5:
        file.model["ignore_merges"] = True
    file.number(random)
    if seed % 2:
        _, fault = [*REFUSED.values()][-(seed // 2) % len(REFUSED)]
        fault(file)
    return file


def random_merges(random: Random, known: Sequence[str]) -> list[str]:
    """Merge adjacent tokens of a text, though sometimes as if they had not been merged."""
    tokens = list(to_letters("".join(random.choices(_PIECES, k=random.randrange(5))).encode()))
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
