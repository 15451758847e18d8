"""Look for inputs that break bpetite, guided by the coverage of its code, with atheris.

    uv run --python 3.12 --group fuzz python scripts/reliability/fuzz.py load --seconds 240
    uv run --python 3.12 --group fuzz python scripts/reliability/fuzz.py text --seconds 600

    load   any bytes as an artifact: `load` raises KeyError, ValueError or OSError with a short
           message, or loads what the file describes, and saving and loading it changes nothing
    text   any corpus and any text: merges and ids equal those of the tests' oracle, and the ids
           decode to the text

It starts from `tests/reliability/findings/`. An input that breaks this is written to `crash-*` in
the folder, and the exit status is not 0. Add it to the findings, whose tests keep the bug from
returning.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

import atheris

_TESTS: Final = Path(__file__).parents[2] / "tests"
sys.path.insert(0, str(_TESTS))

with atheris.instrument_imports(include=["bpetite"]):
    from reliability.fuzz_targets import check_artifact, check_text


def main() -> None:
    """Fuzz a target for a number of seconds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", choices=["load", "text"])
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as new:  # the first folder gets what it finds
        known = str(_TESTS / "reliability" / "findings" / given.target)
        limits = ("-max_len=8192", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1")
        options = [sys.argv[0], f"-max_total_time={given.seconds}", *limits, new, known]
        load = partial(check_artifact, path=Path(new) / "tokenizer.json")
        atheris.Setup(options, load if given.target == "load" else check_text)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
