"""Files of Hugging Face's tokenizers, made from a seed: valid, or with one fault.

`make` writes a valid `tokenizer.json` of any kind. Each of `FAULTS` changes its tokens so that a
rule of the import no longer holds. The library `tokenizers` finds what some settings change.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, Final

import tokenizers
from tokenizers.pre_tokenizers import ByteLevel

from bpetite_compare._letters import BYTE_LETTERS, to_letters
from bpetite_compare._spellings import _SPELLINGS

END: Final = "<|endoftext|>"
PIECES: Final = (
    *("a", "b", "ab", "abc", " a", " ab", "  ", "é", "\n", "1", "11", "he", "'s", "'re", "!!"),
    *("<|", "|>", "endoftext", END, END, f"{END}x", "<s>", " <s> ", "日本", "x y", "Ġa"),
)
"""Parts of texts, of merges, and the contents of added tokens."""
FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
SPLITS: Final = [("Isolated", False), ("Removed", True)]
BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
PLAIN: Final = {"type": "TemplateProcessing", "single": [A], "pair": [A, B], "special_tokens": {}}
TEMPLATE: Final = PLAIN | {
    "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, A],
    "special_tokens": {"a": {"id": "a", "ids": [0], "tokens": ["a"]}},
}


@dataclass
class File:
    """The content of a `tokenizer.json`, whether special tokens are dropped, and the faults."""

    content: dict[str, Any]
    drop: bool = False
    reasons: list[str] = field(default_factory=list)

    @property
    def model(self) -> Any:  # noqa: ANN401, D102 - an object of JSON
        return self.content["model"]

    @property
    def made(self) -> list[str]:
        """The letters of the tokens that merges make."""
        return ["".join(one.split(" ") if isinstance(one, str) else one) for one in self.merges]

    @property
    def merges(self) -> list[Any]:
        """The merges as the file has them."""
        merges: list[Any] = self.model["merges"]
        return merges

    def add(self, text: str, **flags: object) -> None:
        """Append an added token with the id that `tokenizers` gives it, which may be taken."""
        vocab, added = self.model["vocab"], self.content["added_tokens"]
        known = vocab | {one["content"]: one["id"] for one in added}
        token_id = known.get(text, len(vocab) + len(known.keys() - vocab.keys()))
        if token_id in vocab.values() and token_id != vocab.get(text):
            self.reasons.append("contradicts another token")
        added.append({"id": token_id, "content": text, **dict.fromkeys(FLAGS, False), **flags})


def make(random: Random) -> File:
    """Return a valid file: merges, ids, added tokens and settings are random."""
    merges = random_merges(random)
    made = [*BYTE_LETTERS.values(), *map("".join, merges)]
    drop, whole = random.random() < 0.5, random.random() < 0.3
    own = random.choice(["both", "both", "added", "none"])
    unmade = random.sample(["<s>", "x y", "日本", "unused1", ""], random.randrange(4) * drop)
    texts = [*made, *unmade, *[END] * (own == "both")]
    random.shuffle(texts)
    ids = range(random.choice([1, 1, 7]) * len(texts))
    vocab = dict(zip(texts, random.sample(ids, len(texts)), strict=True))
    if random.random() < 0.3:
        vocab = {text: vocab[text] for text in [*made, *vocab]}
    file = File(settings(random), drop)
    file.model.update(
        vocab=vocab,
        merges=merges if random.random() < 0.5 else [" ".join(pair) for pair in merges],
        ignore_merges=random.choice([True] if whole else [False, None]),
    )
    names = random.sample([*PIECES, *unmade, *made[256:]], random.randrange(4)) if drop else []
    for name in [*[END] * (own != "none"), *filter(None, names)]:
        if name != END:
            file.add(name, **{flag: random.random() < 0.3 for flag in FLAGS})
        elif own != "none":
            file.add(END, normalized=random.random() < 0.3, special=random.random() < 0.7)
    random.shuffle(file.content["added_tokens"])
    order_ids(file)
    if drop and random.random() < 0.5:
        file.content["post_processor"] = TEMPLATE
    if whole:
        file.reasons += whole_chunk_faults(file)
    return file


def random_merges(random: Random) -> list[list[str]]:
    """Merge adjacent tokens of a text, though sometimes as if they had not been merged."""
    tokens = list(to_letters("".join(random.choices(PIECES, k=random.randrange(9))).encode()))
    merges: dict[str, list[str]] = {}
    for _ in range(len(tokens) - 1):
        place = random.randrange(len(tokens) - 1)
        pair = tokens[place : place + 2]
        if "".join(pair) != END:
            merges.setdefault("".join(pair), pair)
        if "".join(pair) in merges and len(tokens) > 2 and random.random() < 0.8:
            tokens[place : place + 2] = ["".join(pair)]
    return list(merges.values())


def order_ids(file: File) -> None:
    """Give each added token its id again, as their order has changed."""
    tokens, file.content["added_tokens"] = file.content["added_tokens"], []
    for token in tokens:
        file.add(token["content"], **{flag: token[flag] for flag in FLAGS})


def settings(random: Random) -> dict[str, Any]:
    """Return a file with an empty model and settings that change no id."""
    level = BYTE_LEVEL | random.choice([{}, {"use_regex": True}])
    behavior, invert = random.choice(SPLITS)
    split = {
        "type": "Split",
        "pattern": {"Regex": random.choice(GPT2_SPELLINGS)},
        "behavior": behavior,
        "invert": invert,
        **random.choice([{}, {"use_regex": False, "add_prefix_space": True}]),
    }
    both = {"type": "Sequence", "processors": [BYTE_LEVEL, PLAIN]}
    bytes_only = BYTE_LEVEL | {"use_regex": False}
    optional = {
        "version": "1.0",
        "normalizer": random.choice([None, {"type": "Sequence", "normalizers": []}]),
        "post_processor": random.choice([None, BYTE_LEVEL, PLAIN, both]),
        "decoder": random.choice([None, BYTE_LEVEL]),
    }
    model = {
        "type": "BPE",
        "dropout": random.choice([None, 0, 0.0]),
        "unk_token": random.choice([None, "<unk>", "a", END]),
        "continuing_subword_prefix": random.choice([None, ""]),
        "end_of_word_suffix": random.choice([None, ""]),
        "fuse_unk": random.choice([None, True, False]),
        "byte_fallback": random.choice([None, False]),
    }
    return {
        **some(optional, random),
        "added_tokens": [],
        "pre_tokenizer": random.choice(
            [
                level,
                {"type": "Sequence", "pretokenizers": [level]},
                {"type": "Sequence", "pretokenizers": [split, bytes_only]},
            ]
        ),
        "model": some(model, random),
    }


def some(content: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return most of the settings."""
    return {name: value for name, value in content.items() if random.random() < 0.8}


def whole_chunk_faults(file: File) -> Iterator[str]:
    """Find with `tokenizers` what ignore_merges changes."""
    content = json.loads(json.dumps(file.content))
    whole = load(content).model
    content["model"]["ignore_merges"] = False
    merging = load(content).model
    texts = {to_letters(text.encode()) for text in TEXTS_OF_LETTERS}
    for text in file.model["vocab"].keys() - set(file.made) - set(BYTE_LETTERS.values()):
        if text in texts:
            yield "with ignore_merges the chunk "
    for text in file.made:
        if [one.id for one in whole.tokenize(text)] != [one.id for one in merging.tokenize(text)]:
            yield "does not encode to itself"


GPT2_SPELLINGS: Final = [
    splits[0] for splits, pattern in _SPELLINGS.items() if pattern.name == "gpt2"
]
TEXTS_OF_LETTERS: Final = [
    text for text in PIECES if len(ByteLevel(add_prefix_space=False).pre_tokenize_str(text)) == 1
]
"""The parts of texts that are one chunk."""


def load(content: dict[str, Any]) -> tokenizers.Tokenizer:
    """Load a file."""
    return tokenizers.Tokenizer.from_str(json.dumps(content))


# Each fault


def only_in_the_vocabulary(file: File, random: Random) -> str:
    added = file.content["added_tokens"]
    file.content["added_tokens"] = [one for one in added if one["content"] != END]
    file.model["vocab"].setdefault(END, 9000)
    order_ids(file)
    return r"its vocabulary has <\|endoftext\|>, but its added_tokens do not"


def wrong_id(file: File, random: Random) -> str:
    if not file.content["added_tokens"]:
        file.add(END)
    random.choice(file.content["added_tokens"])["id"] += random.choice([1, 4737])
    return r"has the id \d+, but tokenizers uses \d+; load and save"


def unmade_chunk(file: File, random: Random) -> str:
    file.drop, file.model["ignore_merges"], file.model["merges"] = True, True, []
    free = [text for text in TEXTS_OF_LETTERS if to_letters(text.encode()) not in file.made]
    letters = to_letters(random.choice([text for text in free if len(text.encode()) > 1]).encode())
    file.model["vocab"].setdefault(letters, 9000)
    order_ids(file)
    return "with ignore_merges the chunk .* gets its id"


def taken_id(file: File, random: Random) -> str:
    """Move a token of the vocabulary to the id that the next added token gets."""
    file.drop, file.content["added_tokens"] = True, []
    file.model["vocab"].pop(END, None)
    vocab = {text: token_id for token_id, text in enumerate(file.model["vocab"])}
    file.model["vocab"] = vocab | {"a": len(vocab)}
    file.add(END)
    return r"the id of its added token '<\|endoftext\|>' contradicts another token"


def made_end(file: File, random: Random) -> str:
    file.content["added_tokens"] = []
    file.drop, file.model["ignore_merges"] = True, False
    vocab, merges = file.model["vocab"], [[END[:place], END[place]] for place in range(1, len(END))]
    taken = count(max(vocab.values()) + 1)
    for left, right in merges:
        vocab.setdefault(left + right, next(taken))
    file.model["merges"] = merges
    file.add(END)
    return r"its special token <\|endoftext\|> is also an ordinary token"


def other_special(file: File, random: Random) -> str:
    file.drop = False
    if random.random() < 0.5:
        file.add("<t>", special=random.random() < 0.5)
    else:
        file.model["vocab"]["<t>"] = 9000
        order_ids(file)
    return "it has the special tokens .*--drop-special|its post_processor"


FAULTS: Final[list[Callable[[File, Random], str]]] = [
    *(only_in_the_vocabulary, wrong_id, unmade_chunk, taken_id, made_end, other_special)
]


def made_by(seed: int) -> File:
    """Return the file of a seed: every other one has a fault, and each fault occurs often."""
    random = Random(seed)
    file = make(random)
    if seed % 2:
        file.reasons.append(FAULTS[seed // 2 % len(FAULTS)](file, random))
    return file
