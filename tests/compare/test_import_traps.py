"""Settings that change ids: each is refused with its reason, or exact against the library.

More of them are in `test_import_huggingface.py` (`SETTINGS`, `MODELS`), where all are refused.
"""

import base64
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import tiktoken
import tokenizers

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS, GPT2, PATTERNS
from bpetite_compare import import_tokenizer
from bpetite_compare._engines import drift
from bpetite_compare._letters import BYTE_LETTERS, to_letters
from compare_tools import HOSTILE
from hugging_face_files import BYTE_LEVEL, END, PIECES, PLAIN, TEMPLATE, A, File, load

pytestmark = pytest.mark.thorough

MERGES: Final = ["h e", "t he", "Ġ the", "a b", "ab c", "Ġ ab", "Ã ©", "1 1", "! !", "Ġ Ġ", "' s"]
SPLIT: Final = {
    "type": "Split",
    "pattern": {"Regex": GPT2.text},
    "behavior": "Isolated",
    "invert": False,
}
NO_REGEX: Final = BYTE_LEVEL | {"use_regex": False}
Change = Callable[[File], object]


def file() -> File:
    """Return a `tokenizer.json` with the bytes, a few merges and one special token."""
    texts = [*BYTE_LETTERS.values(), *(pair.replace(" ", "") for pair in MERGES), END]
    content: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": BYTE_LEVEL,
        "decoder": BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "vocab": {text: place for place, text in enumerate(texts)},
            "merges": [*MERGES],
        },
    }
    made = File(content)
    made.add(END)
    return made


def top(**parts: object) -> Change:
    """Return a change of the file's parts."""
    return lambda file: file.content.update(parts)


def model(**parts: object) -> Change:
    """Return a change of the model's settings."""
    return lambda file: file.model.update(parts)


def tokens(merges: Sequence[str] = (), /, whole: int | None = None, **ids: int) -> Change:
    """Return a change that adds tokens, merges before the others, and ignore_merges."""

    def change(file: File) -> None:
        file.model["vocab"].update({to_letters(text.encode()): one for text, one in ids.items()})
        file.model.update(merges=[*merges, *file.merges], ignore_merges=whole)

    return change


def cuts(*parts: dict[str, Any], **split: object) -> Change:
    """Return a change of the pre-tokenizer: these parts, or a changed Split."""
    parts = parts or (SPLIT | split, NO_REGEX)
    return top(pre_tokenizer={"type": "Sequence", "pretokenizers": list(parts)})


def named(*names: str, **flags: Any) -> Change:  # noqa: ANN401 - of the file
    """Return a change that appends added tokens."""
    return both(*(partial(File.add, text=name, **flags) for name in names))


def both(*changes: Change) -> Change:
    return lambda file: [change(file) for change in changes]


def moved(text: str, token_id: int) -> Change:
    return lambda file: file.model["vocab"].update({text: token_id})


def reordered(file: File) -> None:
    """Give all tokens ids in another order, with gaps."""
    vocab = file.model["vocab"]
    ids = Random(1).sample(range(999), len(vocab))
    file.model["vocab"] = dict(zip(vocab, ids, strict=True))
    file.content["added_tokens"][0]["id"] = file.model["vocab"][END]


NORMALIZERS: Final[list[dict[str, Any]]] = [
    *({"type": name} for name in ("NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")),
    *({"type": "Prepend", "prepend": "_"}, {"type": "ByteLevel"}),
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Replace", "pattern": {"String": " "}, "content": "_"},
    {"type": "BertNormalizer", "lowercase": False},
    {"type": "Precompiled", "precompiled_charsmap": ""},
]
CUTTERS: Final[list[dict[str, Any]]] = [
    *({"type": name} for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
    *({"type": "Digits", "individual_digits": flag} for flag in (False, True)),
    {"type": "Punctuation", "behavior": "Isolated"},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": True},
    *({"type": "UnicodeScripts"}, {"type": "CharDelimiterSplit", "delimiter": "e"}),
    {"type": "FixedLength", "length": 5},
]
DECODERS: Final = ("Fuse", "ByteFallback", "WordPiece", "BPEDecoder", "Metaspace", "Strip", "CTC")
UNKNOWN: Final = "its split pattern is none that bpetite has"
ORDER: Final = "does not end with its only ByteLevel"
UNMADE: Final = "no merge makes its token"
TWICE: Final = "is also an ordinary token"
SAME: Final = "have the same id"
UNKNOWN_TOKEN: Final = {"unk_token": "<unk>", "fuse_unk": True}
TRUNCATION: Final = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
MANY: Final = "a tokenizer file cannot represent its merges"

TRAPS: Final[list[tuple[str, Change]]] = [
    *((f"its normalizer, {one['type']}, changes the", top(normalizer=one)) for one in NORMALIZERS),
    ("its normalizer, NFC, changes the text; --drop-normalizer", top(normalizer={"type": "NFC"})),
    *((f"its pre_tokenizer is {one['type']}, not", cuts(one, BYTE_LEVEL)) for one in CUTTERS),
    *((f"its decoder is {one}, not ByteLevel", top(decoder={"type": one})) for one in DECODERS),
    ("its decoder is Strip", top(decoder={"type": "Sequence", "decoders": [{"type": "Strip"}]})),
    *((f"its model is {one}, not", model(type=one)) for one in ("WordPiece", "WordLevel")),
    # Splits.
    *((UNKNOWN, cuts(behavior=one)) for one in ("MergedWithPrevious", "MergedWithNext")),
    *((UNKNOWN, cuts(behavior=one)) for one in ("Contiguous", "Removed")),
    *((UNKNOWN, cuts(invert=True)), (UNKNOWN, cuts(SPLIT, SPLIT, NO_REGEX))),
    *((UNKNOWN, cuts(SPLIT, BYTE_LEVEL)), (UNKNOWN, cuts(NO_REGEX)), (ORDER, cuts(SPLIT))),
    *((UNKNOWN, cuts(pattern={"Regex": GPT2.text + more})) for more in (" ", "|", "\n")),
    *((UNKNOWN, cuts(pattern={"Regex": flags + GPT2.text})) for flags in ("(?i)", "(?s)")),
    (UNKNOWN, cuts(pattern={"String": GPT2.text})),
    (ORDER, cuts(NO_REGEX, SPLIT)),
    ("add_prefix_space", top(pre_tokenizer=BYTE_LEVEL | {"add_prefix_space": True})),
    *(("", cuts(pattern={"Regex": one.text})) for one in PATTERNS.values()),
    *(("", cuts(invert=True, behavior="Removed")), ("", cuts(BYTE_LEVEL))),
    ("", cuts({"type": "Sequence", "pretokenizers": [SPLIT]}, NO_REGEX | {"trim_offsets": False})),
    # The model.
    ("has dropout", model(dropout=0.1)),
    *(("", model(dropout=one)) for one in (0.0, 0, None)),
    *(("", both(tokens(**{"<unk>": 400}), model(**UNKNOWN_TOKEN))), ("", model(unk_token=END))),
    ("byte_fallback", model(byte_fallback=True, unk_token=END)),
    *((one, model(**{one: "x"})) for one in ("continuing_subword_prefix", "end_of_word_suffix")),
    ("", model(continuing_subword_prefix="", end_of_word_suffix="", byte_fallback=False)),
    *(("", tokens(whole=True, xyz=400, **{" xy": 401})), (UNMADE, tokens(xyz=400))),
    *(("", tokens(["b c", "a bc"], whole=True, bc=400)), ("", tokens(["b c", "a bc"], bc=400))),
    *(("", tokens(["he t", "e t"], whole=True, het=400, et=401)), ("", tokens(unused0=400))),
    (UNMADE, tokens(["e t", "he t"], het=400, et=401)),
    ("", tokens(["e t", "he t"], whole=True, het=400, et=401)),
    ("", tokens(["abc d", "ab cd", "c d"], abcd=400, cd=401)),
    *((MANY, tokens(["aa a", "a a"], aa=400, aaa=401)), ("occurs twice", tokens(["a b"]))),
    *(("which has no id", tokens([one])) for one in ("a zz", "zz a", "a a")),
    *(("is not two tokens", tokens([one])) for one in ("a", "a b c", " a b", "")),
    ("is not two tokens", lambda file: file.merges.append(["a", "b"])),
    # Vocabularies.
    *(("", reordered), (SAME, moved("a", 5)), ("has the id -1", moved("a", -1))),
    *(("", moved("a", (1 << 21) - 1)), ("not one of 0 to 2097151", moved("a", 1 << 21))),
    ("byte 0x61, so it cannot", both(lambda file: file.model["vocab"].pop("a"), model(merges=[]))),
    *(("", lambda file: file.model["vocab"].pop(to_letters(b"\xff"))), ("", tokens(**{"": 400}))),
    ("letters that stand for no byte", moved("\u65e5", 400)),
    # Added tokens.
    *(("whitespace", named("a b")), ("whitespace", named("x\n")), ("whitespace", named("\u3000"))),
    *(("begins with the special token", named(one)) for one in (f"{END}x", "<|end")),
    *(("", named(*pair)) for pair in (("x<s>y", "<s>"), ("a<s", "<s>b"), ("<<", "x<<"))),
    *(("", named(*pair, normalized=True)) for pair in (("x<s>y", "<s>"), ("a<s", "<s>b"))),
    ("only one is `normalized`", both(named("a<s", normalized=True), named("s>", "<s>b"))),
    ("", both(named("a<s"), named("<s>b", normalized=True))),
    *((f"has {one}", named("<s>", **{one: True})) for one in ("lstrip", "rstrip", "single_word")),
    *(("", named("<s>", special=False)), ("", named("caf\xe9", "\u0120a", "\u65e5"))),
    *((TWICE, named(one)) for one in ("a", "the", "ab", "\u0120the", "\u00e9")),
    *(("", both(tokens(zz=400, whole=one), named("zz"))) for one in (True, False)),
    ("", both(named("xy"), named("xy"))),
    (SAME, both(moved("a", 268), named("<x>"))),
    ("has the id 400, but tokenizers", lambda file: file.content["added_tokens"][0].update(id=400)),
    # What stands around the ids.
    *(("", top(post_processor=one)) for one in (PLAIN, TEMPLATE, BYTE_LEVEL)),
    ("changes the ids", top(post_processor=PLAIN | {"single": [A, A]})),
    ("", top(decoder={"type": "Sequence", "decoders": [BYTE_LEVEL]})),
    (
        "",
        top(
            truncation={
                "max_length": 2,
                "direction": "Right",
                "strategy": "LongestFirst",
                "stride": 0,
            }
        ),
    ),
    ("its version is 0.9", top(version="0.9")),
]


def texts() -> list[str]:
    """Return hostile texts, and texts of the parts of merges and added tokens."""
    random, parts = Random(60), [*PIECES, "t", "h", "e", "c", "d", "x", "yz", "aaa", "<s>", "s>b"]
    return [*HOSTILE, *("".join(random.choices(parts, k=8)) for _ in range(200))]


@pytest.mark.parametrize(("reason", "change"), TRAPS)
def test_traps_of_hugging_face(reason: str, change: Change, tmp_path: Path) -> None:
    """Each setting is refused with the reason, or all ids are those of `tokenizers`."""
    change(made := file())
    (path := tmp_path / "theirs.json").write_text(json.dumps(made.content))
    if reason:
        with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
            import_tokenizer(path, None, tmp_path / "new.json")
        return
    import_tokenizer(path, None, tmp_path / "new.json")
    theirs, ours = load(made.content), Tokenizer.load(tmp_path / "new.json")
    theirs.no_truncation()
    for text in filter(drift().isdisjoint, texts()):
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids, text


RANKS: Final = [*map(bytes, zip(range(256))), b"th", b"the", b" the", b"ab", b"xyz", b"yz"]
CONFIG: Final[dict[str, Any]] = {
    "pattern": ALL_PATTERNS["tekken"].text,
    "default_vocab_size": 260,
    "default_num_special_tokens": 3,
}


def line(token: bytes, rank: int) -> bytes:
    return base64.b64encode(token) + b" %d" % rank


LINES: Final = [line(token, rank) for rank, token in enumerate(RANKS)]
SPECIAL: Final = {"<s>": 500, "</s>": 400}


def ranks(*more: bytes, end: bytes = b"\n", **options: object) -> tuple[bytes, dict[str, object]]:
    """Return a file of ranks with more lines, and the options of an import."""
    return end.join([*LINES, *more, b""]), {"pattern": "gpt2", "special_tokens": SPECIAL} | options


def tekken(
    special: object = (), ranks: Sequence[bytes] = RANKS, /, given: object = None, **config: object
) -> tuple[bytes, dict[str, object]]:
    """Return a `tekken.json`, and the options of an import."""
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode()}
        for rank, token in enumerate(ranks)
    ]
    content = {"config": CONFIG | config, "vocab": vocab, "special_tokens": special}
    return json.dumps(content).encode(), {"special_tokens": given} if given else {}


def name(rank: object, text: object) -> dict[str, object]:
    return {"rank": rank, "token_str": text, "is_control": True}


NOT_RANKS: Final = "it is not a file of ranks: expected base64"
LACKS: Final = "lacks a rank, its bytes or its name"
RANK_TRAPS: Final = [
    *(("", ranks()), ("", ranks(end=b"\r\n")), ("", ranks(line(b"abc", 262), line(b"qqq", 999)))),
    *(("", ranks(pattern=one)) for one in ALL_PATTERNS),
    *(("", ranks(LINES[-1])), ("", ranks(b"= 300")), ("", ranks(special_tokens={}))),
    ("", ranks(line(b"zy", (1 << 21) - 1))),
    ("not one of 0 to 2097151", ranks(line(b"zy", 1 << 21))),
    *((SAME, ranks(line(b"zy", one))) for one in (97, 256, 500)),
    ("has the ranks 259 and 300", ranks(line(b"ab", 300))),
    *(
        (NOT_RANKS, ranks(one))
        for one in (b"", b" ", b"YWI=", b"YWI= -1", b"YWI= 1 1", b"\t1", b"[]")
    ),
    *((MANY, ranks(line(b"a" * 3, 300), line(b"aa", 301))), (TWICE, ranks(line(b"<s>", 300)))),
    *(("lacks the split pattern", ranks(pattern=one)) for one in (None, "GPT2")),
    ("no normalizer to drop", ranks(drop_normalizer=True)),
    *((SAME, ranks(special_tokens={"<s>": one})) for one in (97, 256)),
    (SAME, ranks(special_tokens={"<s>": 400, "</s>": 400})),
    ("has the id -1", ranks(special_tokens={"<s>": -1})),
    *(
        ("", tekken()),
        ("", tekken([name(0, "<s>"), name(2, "</s>")])),
        ("", tekken(given={"<s>": 1})),
    ),
    *(("", tekken(default_vocab_size=one)) for one in (259, 261, 262, 265, 9999)),
    ("no token for the byte 0xc5", tekken(default_vocab_size=200)),
    ("", tekken(default_num_special_tokens=0)),
    *((LACKS, tekken([one])) for one in (name(3, "<s>"), name(-1, "<s>"), name("1", "<s>"), {})),
    (SAME, tekken([name(1, "<s>"), name(1, "<t>")])),
    ("has the ranks 1 and 2", tekken([name(1, "<s>"), name(2, "<s>")])),
    ("has the ranks 3 and 259", tekken([], [*RANKS[:256], b"\x00"], default_vocab_size=300)),
    *(("whitespace", tekken([name(1, "a b")])), (TWICE, tekken([name(1, "th")]))),
    *((UNKNOWN, tekken(pattern=one)) for one in ("", " ?", CONFIG["pattern"] + "|.")),
    ("has the id -1", tekken(given={"<s>": -1})),
]


@pytest.mark.parametrize(("reason", "made"), RANK_TRAPS)
def test_traps_of_ranks(reason: str, made: tuple[bytes, dict[str, Any]], tmp_path: Path) -> None:
    """Each file of ranks or `tekken.json` is refused with the reason, or equals tiktoken."""
    (path := tmp_path / "theirs").write_bytes(made[0])
    if reason:
        with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
            import_tokenizer(path, None, tmp_path / "new.json", **made[1])
        return
    imported = import_tokenizer(path, None, tmp_path / "new.json", **made[1])
    ours, found = Tokenizer.load(tmp_path / "new.json"), dict[bytes, int]()
    if made[0].startswith(b"{"):
        content = json.loads(made[0])
        first = content["config"]["default_num_special_tokens"]
        for entry in content["vocab"][: content["config"]["default_vocab_size"] - first]:
            found[base64.b64decode(entry["token_bytes"])] = first + entry["rank"]
    else:
        pairs = (one.split() for one in made[0].splitlines())
        found = {base64.b64decode(one): int(rank) for one, rank in pairs if one != b"="}
    theirs = tiktoken.Encoding(
        "theirs",
        pat_str=ALL_PATTERNS[imported.pattern].text,
        mergeable_ranks=found,
        special_tokens=dict(imported.special_tokens),
    )
    for text in filter(drift(ALL_PATTERNS[imported.pattern]).isdisjoint, [*texts(), "</s><s>"]):
        assert ours.encode(text) == theirs.encode(text, allowed_special="all"), text


HEADER: Final = b"#version: 0.2\n"
GPT2_TRAPS: Final[list[tuple[str, bytes, dict[str, Any]]]] = [
    *(("", HEADER + b"\n".join([*map(str.encode, MERGES)]) + one, {}) for one in (b"", b"\n")),
    *(("", b"\r\n".join([*map(str.encode, MERGES)]), {}), ("", b"", {}), ("", HEADER, {})),
    *(("is not two tokens", HEADER + one, {}) for one in (b"\n", b"h e\n\n", b"h  e", b"h e\n \n")),
    *(("is not two tokens", one, {}) for one in (b"h e" + HEADER * 2, b"h e f")),
    *(("which has no id", one, {}) for one in (b"\xfeh e\n", b"\xef\xbb\xbf" + HEADER)),
    ("its own split pattern", HEADER, {"pattern": "gpt2"}),
    (SAME, HEADER, {"special_tokens": {"<s>": 97}}),
    ("", HEADER, {"special_tokens": {"<s>": 400}}),
]


@pytest.mark.parametrize(("reason", "merges", "options"), GPT2_TRAPS)
def test_traps_of_gpt_2(
    reason: str, merges: bytes, options: dict[str, Any], tmp_path: Path
) -> None:
    """Each pair of files is refused with the reason, or all ids are those of `tokenizers`."""
    vocab = file().model["vocab"]
    if not reason:  # tokens that no merge makes are refused
        lines = merges.decode().splitlines()
        made = {one.replace(" ", "") for one in lines}
        vocab = {text: one for text, one in vocab.items() if len(text) == 1 or text in {*made, END}}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.txt").write_bytes(merges)
    if reason:
        with pytest.raises(ValueError, match=f"^cannot import .*{re.escape(reason)}"):
            import_tokenizer(tmp_path, None, tmp_path / "new.json", **options)
        return
    imported = import_tokenizer(tmp_path, None, tmp_path / "new.json", **options)
    paths = [str(tmp_path / one) for one in ("vocab.json", "merges.txt")]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(*paths))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = Tokenizer.load(tmp_path / "new.json")
    found = [one for one in texts() if drift().isdisjoint(one)]
    for text in found:
        if not any(special in text for special in imported.special_tokens):
            assert ours.encode(text) == theirs.encode(text).ids, text
