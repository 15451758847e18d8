"""Whatever `import` accepts from Hugging Face has the ids of `tokenizers`; the rest is refused.

The oracle is `tokenizers` itself. The files are those of `hugging_face_files.py`.
"""

import json
import re
from pathlib import Path
from random import Random
from typing import Final

import pytest

from bpetite import Tokenizer
from bpetite._patterns import ALL_PATTERNS
from bpetite_compare import import_tokenizer
from bpetite_compare._engines import drift
from hugging_face_files import ACCEPTED, EQUIVALENT, REFUSED, Change, File, load, made_by
from hugging_face_files import texts_of_pieces as texts

pytestmark = pytest.mark.thorough

SEEDS: Final = 900


def check_ids(file: File, folder: Path, random: Random) -> None:
    """Import a file; check the ids of texts, and that they decode to the texts."""
    (folder / "theirs.json").write_text(json.dumps(file.content), encoding="utf-8")
    new = import_tokenizer(folder / "theirs.json", None, folder / "new.json", overwrite=True)
    theirs, ours = load(file.content), Tokenizer.load(new.path)
    theirs.no_truncation()
    for text in filter(drift(ALL_PATTERNS[new.pattern]).isdisjoint, texts(random, 50)):
        found = ours.encode(text)
        assert found == theirs.encode(text, add_special_tokens=False).ids, (text, file.content)
        assert ours.decode(found) == text


@pytest.mark.parametrize("change", [*EQUIVALENT, *ACCEPTED])
def test_each_accepted_setting_has_all_ids(change: Change, tmp_path: Path) -> None:
    """The ids of an accepted file are those of the library."""
    change(made := File())
    check_ids(made, tmp_path, Random(60))


def rule(message: str) -> str:
    """Return an error without numbers and names."""
    return re.sub(r"\d+|'[^']*'", "", message)


def test_an_import_has_all_ids_or_names_the_rule(tmp_path: Path) -> None:
    """Of hundreds of random files, each keeps every id or is refused by a rule that has a test."""
    accepted, rules = 0, {rule(reason) for reason, _ in REFUSED}
    for seed in range(SEEDS):
        try:
            check_ids(made_by(seed), tmp_path, Random(seed))
        except ValueError as error:
            assert any(one in rule(str(error)) for one in rules), error  # noqa: PT017
        else:
            accepted += 1
    assert accepted > SEEDS // 5
