"""Whatever `import` accepts from Hugging Face has the ids of `tokenizers`; the rest is refused.

The files are those of `hugging_face_files.py`. The rules of merges and settings are tested in
`test_import_huggingface.py`. The oracle is `tokenizers` itself.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import tokenizers

from bpetite import Tokenizer
from bpetite_compare import import_tokenizer
from bpetite_compare._engines import drift
from bpetite_compare._letters import BYTE_LETTERS
from compare_tools import HOSTILE
from hugging_face_files import END, PIECES, TEMPLATE, File, load, made_by

pytestmark = pytest.mark.thorough

SEEDS: Final = 600


def texts(random: Random) -> Iterator[str]:
    """Return hostile texts, and texts of the parts that merges and added tokens consist of."""
    yield from HOSTILE
    for _ in range(12):
        yield "".join(random.choices(PIECES, k=random.randrange(1, 12)))


def check_ids(file: File, new: Path, original: tuple[int, ...], random: Random) -> None:
    """Check every id, and that dropped tokens changed only texts with their content."""
    theirs = load(file.content)
    added = file.content["added_tokens"]
    has_end = any(one["content"] == END for one in added)
    others = [one["content"] for one in added if one["content"] != END]
    assert original[-1] == theirs.token_to_id(END) or not has_end
    assert [theirs.id_to_token(one) for one in original[:256]] == [
        BYTE_LETTERS[value] for value in range(256)
    ]
    without = load(without_others(file, theirs))
    add = file.content.get("post_processor") != TEMPLATE
    ours = Tokenizer.load(new)
    for text in filter(drift().isdisjoint, texts(random)):
        found = [original[one] for one in ours.encode(text)]
        expected: list[int] = []
        # Without <|endoftext|> there, it is ordinary text there, and special here.
        for place, part in enumerate([text] if has_end else text.split(END)):
            expected += [original[-1]] * (place > 0)
            expected += without.encode(part, add_special_tokens=add).ids
        assert found == expected, (text, file)
        if not any(other in text for other in others) and (has_end or END not in text):
            assert found == theirs.encode(text, add_special_tokens=add).ids, (text, file)


def without_others(file: File, theirs: tokenizers.Tokenizer) -> dict[str, Any]:
    """Return the content without the added tokens that are dropped."""
    content: dict[str, Any] = json.loads(json.dumps(file.content))
    added = [one for one in content["added_tokens"] if one["content"] == END]
    content["added_tokens"] = added
    if added:
        content["model"]["vocab"][END] = theirs.token_to_id(END)
    return content


def test_an_import_has_all_ids_or_names_the_rule(tmp_path: Path) -> None:
    """Of hundreds of files, exactly those with a fault are refused; the others keep every id."""
    accepted = 0
    theirs, new = tmp_path / "theirs.json", tmp_path / "new.json"
    for seed in range(SEEDS):
        file = made_by(seed)
        theirs.write_text(json.dumps(file.content), encoding="utf-8")
        if file.reasons:
            with pytest.raises(ValueError, match="|".join(file.reasons)):
                import_tokenizer(theirs, "huggingface", new, overwrite=True, drop_special=file.drop)
        else:
            imported = import_tokenizer(
                theirs, "huggingface", new, overwrite=True, drop_special=file.drop
            )
            check_ids(file, new, imported.original_ids, Random(seed))
            accepted += 1
    assert accepted > SEEDS // 3
