"""Look for inputs that break bpetite, guided by the coverage of its code, with atheris.

    uv run --python 3.12 --group fuzz python scripts/reliability/fuzz.py load --seconds 60
    uv run --python 3.12 --group fuzz python scripts/reliability/fuzz.py text --seconds 600

    load   any bytes as an artifact: `load` raises KeyError, ValueError or OSError with a short
           message, or loads what the file describes, and saving and loading it changes nothing
    text   any corpus and any text: merges and ids equal those of the tests' oracle, and the ids
           decode to the text

An input that breaks this is written to `crash-*` in the folder, and the exit status is not 0. Add
it to `tests/reliability/findings/`, whose tests keep the bug from returning. That folder also has
inputs that were the first to reach some code; `--corpus` names a folder for such inputs.
"""

import argparse
import json
import random
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, Final

import atheris

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

with atheris.instrument_imports(include=["bpetite"]):
    from reliability.fuzz_targets import check_artifact, check_text

from artifacts import GOOD, ODD, canonical

_ODD: Final = [*ODD[1:], False, -(10**30), "\ud800", {"97": [97]}]  # the first removes a key
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - in memory, so nothing waits for a disk


def mutate_artifact(data: bytes, max_size: int, seed: int) -> bytes:
    """Change some bytes, or replace a value if the input is JSON."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        try:
            mutated = json.dumps(_spoiled(json.loads(data), chance), separators=(",", ":"))
            return mutated.encode("ascii")[:max_size]
        except (ValueError, RecursionError):
            pass
    changed: bytes = atheris.Mutate(data, max_size)
    return changed


def _spoiled(value: object, chance: random.Random) -> object:
    """Return a value with one of its parts changed, removed or duplicated."""
    if not isinstance(value, (dict, list)) or not value or chance.random() < 0.1:
        return chance.choice([*_ODD, value])
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    holder: Any = value
    key, other = chance.choice(keys), chance.choice(keys)
    holder[key] = chance.choice([_spoiled(holder[key], chance), holder[other]])
    if chance.random() < 0.1:
        del holder[key]
    elif isinstance(holder, dict) and chance.random() < 0.1:
        holder[chance.choice(["", "00", "259", "merges ", str(chance.randrange(300))])] = [97]
    return holder


def main() -> None:
    """Fuzz a target for a number of seconds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", choices=["load", "text"])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--corpus", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as place:
        seeds = Path(place) / "seeds"
        seeds.mkdir()
        (seeds / "good").write_bytes(canonical(GOOD))
        (seeds / "text").write_bytes("ab abab é日👍\nab <|endoftext|> abab's".encode())
        options = [
            *(sys.argv[0], f"-max_total_time={given.seconds}"),
            *("-max_len=8192", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"),
            *([str(given.corpus)] if given.corpus else []),
            str(seeds),
        ]
        if given.target == "load":
            target = partial(check_artifact, path=Path(place) / "tokenizer.json")
            atheris.Setup(options, target, custom_mutator=mutate_artifact)
        else:
            atheris.Setup(options, check_text)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
