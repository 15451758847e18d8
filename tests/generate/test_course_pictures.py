"""The pictures of the course: two themes, no requests, no overflow, and bpetite's merges."""

import pytest
import rustbpe
import tokenizers

import course_pictures
from bpetite import Tokenizer

pytestmark = pytest.mark.thorough


def test_the_pictured_heap_gives_the_merges() -> None:
    """Correct entries are merged, in bpetite's order; all others are stale."""
    merges = Tokenizer.train(course_pictures._TOY.CORPUS, 264)._artifact.merges
    popped = course_pictures._popped(len(merges))
    assert [pair for said, pair, true, _ in popped if said == true] == list(merges)
    assert all(said > true for said, _, true, verdict in popped if "merged" not in verdict)


def test_page_11_pictures_the_ids_of_other_libraries() -> None:
    """The ids on page 11 are those of rustbpe and of Hugging Face."""
    corpus, text = course_pictures._TOY.CORPUS, " towed, See"
    rust = rustbpe.Tokenizer()
    rust.train_from_iterator(iter(corpus), 264, pattern=course_pictures._TOY.PATTERN)
    assert rust.encode(text) == Tokenizer.train(corpus, 264).encode(text)
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    hugging_face = tokenizers.Tokenizer(tokenizers.models.BPE())
    hugging_face.pre_tokenizer = byte_level
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=264, show_progress=False, initial_alphabet=byte_level.alphabet()
    )
    hugging_face.train_from_iterator(corpus, trainer)
    assert tuple(hugging_face.encode(text).ids) == course_pictures.HUGGING_FACE
