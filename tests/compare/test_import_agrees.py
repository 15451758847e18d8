"""Whatever `import` accepts from Hugging Face has the ids of `tokenizers`; the rest is refused.

The files are those of `hugging_face_files.py`. The rules of merges and settings are tested in
`test_import_huggingface.py`. The oracle is `tokenizers` itself.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest

from bpetite import Tokenizer
from bpetite_compare import import_tokenizer
from bpetite_compare._engines import drift
from compare_tools import HOSTILE
from hugging_face_files import PIECES, File, load, made_by

pytestmark = pytest.mark.thorough

SEEDS: Final = 900
REASONS: Final = (
    *("so it changes the text around it", "is also an ordinary token", "have the same id"),
    *("has the id \\d+, but tokenizers uses", "no merge makes its token", "no whitespace"),
    *("begins with the special token", "only one is `normalized`", "stand for no byte"),
)


def texts(random: Random) -> Iterator[str]:
    """Return hostile texts, and texts of the parts that merges and added tokens consist of."""
    yield from HOSTILE
    for _ in range(12):
        yield "".join(random.choices(PIECES, k=random.randrange(1, 12)))


def check_ids(file: File, new: Path, random: Random) -> None:
    """Check the ids of texts, and that they decode to the texts."""
    theirs, ours = load(file.content), Tokenizer.load(new)
    for text in filter(drift().isdisjoint, texts(random)):
        found = ours.encode(text)
        assert found == theirs.encode(text, add_special_tokens=False).ids, (text, file)
        assert ours.decode(found) == text


def test_an_import_has_all_ids_or_names_the_rule(tmp_path: Path) -> None:
    """Of hundreds of files, each keeps every id or is refused; each reason occurs."""
    verdicts: Counter[str] = Counter()
    theirs, new = tmp_path / "theirs.json", tmp_path / "new.json"
    for seed in range(SEEDS):
        file = made_by(seed)
        theirs.write_text(json.dumps(file.content), encoding="utf-8")
        try:
            import_tokenizer(theirs, None, new, overwrite=True)
        except ValueError as error:
            (reason,) = [one for one in REASONS if re.search(one, str(error))] or [str(error)]
            verdicts[reason] += 1
        else:
            check_ids(file, new, Random(seed))
            verdicts[""] += 1
    assert verdicts[""] > SEEDS // 5
    assert {*verdicts} == {"", *REASONS}
