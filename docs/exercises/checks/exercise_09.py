"""The check of exercise 9: decode."""

from collections.abc import Iterator

from answers.exercise_09 import decode, vocabulary
from checks._judge import Misunderstanding, Question, check_function
from checks._learner import Learner
from given import Pair


def _swapped(merges: list[Pair]) -> dict[int, bytes]:
    vocab = {value: bytes([value]) for value in range(256)}
    for left, right in merges:
        vocab[len(vocab)] = vocab[right] + vocab[left]
    return vocab


def _characters(merges: list[Pair]) -> dict[int, bytes]:
    vocab = {value: chr(value).encode("utf-8") for value in range(256)}
    for left, right in merges:
        vocab[len(vocab)] = vocab[left] + vocab[right]
    return vocab


def _merges_alone(merges: list[Pair]) -> dict[int, bytes]:
    return {key: token for key, token in vocabulary(merges).items() if key >= 256}


def _ids_for_bytes(merges: list[Pair]) -> dict[int, bytes]:
    vocab = {value: bytes([value]) for value in range(256)}
    for pair in merges:
        vocab[len(vocab)] = bytes(pair)
    return vocab


_MERGES: list[list[Pair]] = [
    [],
    [(97, 98)],
    [(97, 98), (256, 99)],
    [(97, 98), (32, 256), (257, 257)],
    [(195, 169), (256, 33)],
]

_VOCABULARY = Question(
    "vocabulary",
    vocabulary,
    [
        Misunderstanding(
            _characters,
            "chr(...).encode() writes the numbers from 128 on as two bytes. An id below 256 is "
            "the byte itself: `bytes([value])`.",
        ),
        Misunderstanding(
            _merges_alone,
            "The ids 0 to 255 are missing: every single byte is a token.",
        ),
        Misunderstanding(
            _ids_for_bytes,
            "A pair holds ids, and an id may be an earlier merge: look up the bytes of both, and "
            "join those.",
        ),
        Misunderstanding(_swapped, "The left token comes first."),
    ],
)


def _token_by_token(errors: str) -> Misunderstanding:
    return Misunderstanding(
        lambda ids, vocab: "".join(vocab[token].decode("utf-8", errors=errors) for token in ids),
        "Each token was decoded alone. A token may hold part of a character: join the bytes of "
        "all ids first, then decode once.",
    )


def _forgiving(errors: str) -> Misunderstanding:
    return Misunderstanding(
        lambda ids, vocab: b"".join(vocab[token] for token in ids).decode("utf-8", errors=errors),
        "Bytes that are not UTF-8 were replaced or left out, and nobody will know. They must be "
        "an error.",
    )


_DECODE = Question(
    "decode",
    decode,
    [
        _token_by_token("strict"),
        _token_by_token("replace"),
        _token_by_token("ignore"),
        _forgiving("replace"),
        _forgiving("ignore"),
        Misunderstanding(
            lambda ids, vocab: b"".join(vocab.get(token, b"") for token in ids).decode("utf-8"),
            "An unknown id was passed over in silence. It must be an error, which `vocab[...]` "
            "raises by itself.",
        ),
        Misunderstanding(
            lambda ids, vocab: b"".join(vocab[token] for token in ids),
            "These are the right bytes; text is asked for.",
        ),
    ],
)

_VOCAB = {
    72: b"H",
    105: b"i",
    195: b"\xc3",
    169: b"\xa9",
    256: b"i!",
    257: b" H",
    258: b"\xa9e\xcc",
}
_IDS = [
    [72, 105],
    [72, 256, 257, 256],
    [],
    [195, 169],
    [72, 195, 258, 169, 105],
    [195],
    [72, 169],
    [195, 195, 169],
    [999],
    [72, 105, 259],
    [-1],
]


def check(learner: Learner) -> Iterator[str]:
    """Check the vocabulary, then decoding with a small one."""
    yield check_function(learner, _VOCABULARY, [(merges,) for merges in _MERGES])
    yield check_function(learner, _DECODE, [(ids, _VOCAB) for ids in _IDS])
