"""Change one small place in the core at a time, and check that a test notices.

    uv run --group mutation python scripts/reliability/mutate.py [MODULE ...]

cosmic-ray makes the mutants of a module and runs the tests of the module, as listed in `TESTS`, on
each, in a copy of the workspace. Tests that failed on earlier mutants run first; the first failing
test kills a mutant. A mutant hangs if it takes twice as long as the unchanged core, and 10 s
more: that counts as killed, and is reported separately.

A mutant that survives must be listed in tests/reliability/mutants.toml, with the reason why no
test can kill it. A listed mutant must survive or hang, and cosmic-ray must still make it. Otherwise
the exit status is 1. The script prints a table in Markdown, and each unlisted survivor in the
format of that file. Hypothesis always uses the same seed.

Two kinds of mutants are left out, because they say nothing about the tests:

    annotations      nothing reads them while the core runs; mypy does
    invalid Python   such as `def save(path, %, overwrite)`

cosmic-ray changes operators, comparisons, numbers, booleans, conditions, loops, decorators and
caught exceptions, but no strings and no arguments.
"""

import argparse
import ast
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from cosmic_ray.work_db import WorkDB
    from cosmic_ray.work_item import WorkResult

ROOT: Final = Path(__file__).resolve().parents[2]
CORE: Final = Path("packages", "core", "src", "bpetite")
LISTED: Final = ROOT / "tests" / "reliability" / "mutants.toml"

TESTS: Final[Mapping[str, str]] = {
    "_artifact": "artifact loading saving tokenizer",
    "_checks": "loading artifact persistence saving",
    "_collector": "collector",
    "_corpus": "corpus trainer logging tokenizer",
    "_constants": "worked_examples vectors trainer artifact loading",
    "_decoder": "decoder roundtrip",
    "_encoder": "encoder tokenizer vectors",
    "_files": "files saving loading windows",
    "_merges": "merges encoder vectors proof_oracle",
    "_pairs": "trainer vectors proof_oracle",
    "_persistence": "persistence loading saving",
    "_pretokenizer": "pretokenizer encoder trainer logging proof_oracle",
    "_records": "logging",
    "_schema": "artifact trainer vectors loading saving",
    "_strict_json": "loading measure_loads",
    "_tokenizer": "tokenizer collector persistence corpus",
    "_trainer": "trainer logging tokenizer collector vectors",
}
"""The tests for each module's mutants, `test_NAME.py`, the most specific first."""

_PYTEST: Final = (
    *(sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "--failed-first"),
    *("--numprocesses=0", "--hypothesis-seed=0", "-m", ""),  # tests of every tier
)
_TIMES_AS_LONG: Final = 2
_SECONDS_MORE: Final = 10
_BYTES: Final = 3 << 30
"""The memory limit of a mutant's process: some would take all there is."""


class Name(NamedTuple):
    """What identifies a mutant, independent of its position in the file."""

    module: str
    function: str
    line: str
    becomes: str
    nth: int = 1
    """Its number among equal changes of equal lines in one function."""


class MutationError(Exception):
    """Why the mutants cannot be tried, in one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(description="Mutate the core, and run its tests.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as _merges; else all")
    parser.add_argument("--workers", type=int, default=2, help="how many modules at a time")
    given = parser.parse_args(arguments)
    try:
        return mutate(given.modules or list(TESTS), given.workers)
    except MutationError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted; nothing was changed", file=sys.stderr)
        return 130


def mutate(modules: Sequence[str], workers: int) -> int:
    """Try every mutant of some modules; return 0 if exactly the listed ones survive."""
    if unknown := set(modules) - TESTS.keys():
        message = f"{min(unknown)} is no module; they are {', '.join(TESTS)}"
        raise MutationError(message)
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    listed = {name for name in read_listed() if name.module in modules}
    tried: dict[Name, str] = {}
    print("| module | mutants | killed | of them hung | listed | not listed |")
    print("|---|---|---|---|---|---|")
    with (
        tempfile.TemporaryDirectory(prefix="bpetite-mutants-") as place,
        ThreadPoolExecutor(workers) as pool,
    ):
        outcomes = pool.map(partial(try_module, ROOT, Path(place)), modules)
        for module, found in zip(modules, outcomes, strict=True):
            print(row(f"`{module}`", found, listed), flush=True)
            tried |= found
    print(row("all", tried, listed))
    return report(tried, listed)


def read_listed() -> Iterator[Name]:
    """Yield the names of the listed mutants, which no test can kill.

    Raises:
        MutationError: one has no reason.
    """
    for entry in tomllib.loads(LISTED.read_text(encoding="utf-8"))["equivalent"]:
        if not entry.get("reason"):
            message = f"{LISTED.name}: no reason for {entry['module']}: {entry['line']}"
            raise MutationError(message)
        for becomes in entry["becomes"]:
            nth = entry.get("nth", 1)
            yield Name(entry["module"], entry["function"], entry["line"], becomes, nth)


def try_module(root: Path, place: Path, module: str) -> dict[Name, str]:
    """Return the fate of each mutant of a module in a copy of the workspace."""
    from cosmic_ray.commands import init
    from cosmic_ray.work_db import WorkDB, use_db

    copy = copy_workspace(root, place / module)
    path, session = copy / CORE / f"{module}.py", copy / "session.sqlite"
    config = copy / "session.toml"
    config.write_text(_configuration(module, copy), encoding="utf-8")
    with use_db(session, WorkDB.Mode.create) as work:
        init([path], work, {})
        names = select(module, path.read_text(encoding="utf-8"), work)
    command = [Path(sys.executable).with_name("cosmic-ray"), Path("exec"), config, session]
    subprocess.run(command, cwd=copy, env=_environment(copy), check=True)
    with use_db(session, WorkDB.Mode.open) as work:
        results = dict(work.results)
    return {name: _fate(results[job]) for job, name in names.items()}


def _fate(result: "WorkResult") -> str:
    if not result.is_killed:
        return "survived"
    return "hung" if result.output == "timeout" else "killed"


def _configuration(module: str, copy: Path) -> str:
    """Return cosmic-ray's configuration; the unchanged core must pass, and sets the time limit."""
    found = [next(copy.glob(f"tests/*/test_{name}.py")) for name in TESTS[module].split()]
    files = [str(path.relative_to(copy)) for path in found]
    command, start = [*_PYTEST, *files], time.monotonic()
    done = subprocess.run(
        command, cwd=copy, env=_environment(copy), capture_output=True, check=False
    )
    if done.returncode:
        message = f"not even the core itself passes {' '.join(files)}"
        raise MutationError(message)
    for cached in (copy / CORE / "__pycache__").glob(f"{module}.*"):
        cached.unlink()  # or Python could take it for a mutant of equal size
    seconds = _TIMES_AS_LONG * (time.monotonic() - start) + _SECONDS_MORE
    return (
        f"[cosmic-ray]\ntimeout = {seconds:.1f}\ndistributor.name = 'local'\n"
        f"module-path = {json.dumps(str(CORE / module))}\n"
        f"test-command = {json.dumps(shlex.join(command))}\n"
    )


def select(module: str, source: str, work: "WorkDB") -> dict[str, Name]:
    """Return the name of each mutant by its job, and skip the kinds that are left out."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    seen, names = {_meaning(source), None}, {}
    times: Counter[Name] = Counter()
    made = {item.job_id: item.mutations[0] for item in work.work_items}
    for job, one in sorted(
        made.items(), key=lambda item: (item[1].operator_name, item[1].occurrence)
    ):
        mutated = mutate_code(source, get_operator(one.operator_name)(), one.occurrence)
        if (meaning := _meaning(mutated)) in seen:
            work.set_result(job, WorkResult(WorkerOutcome.SKIPPED))
            continue
        seen.add(meaning)
        name = name_of(module, source, mutated)
        times[name] += 1
        names[job] = name._replace(nth=times[name])
    return names


def _meaning(source: str) -> str | None:
    """Return the syntax tree without annotations, as text; None if the source is invalid."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def name_of(module: str, source: str, mutated: str) -> Name:
    """Return the name of a change: its function, and the lines before and after it."""
    before, after = source.splitlines(), mutated.splitlines()
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    return Name(module, function_at(source, len(before) - last), _one_line(old), _one_line(new))


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    """Return the length of the common prefix of two sequences."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))


def _one_line(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def function_at(source: str, number: int) -> str:
    """Return the function or class that contains a line, as `Class.method`, or ""."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [
        node.name
        for node in ast.walk(ast.parse(source))  # from the outside to the inside
        if isinstance(node, kinds)
        and min([node.lineno, *(item.lineno for item in node.decorator_list)]) <= number
        and number <= (node.end_lineno or 0)
    ]
    return ".".join(around)


def copy_workspace(root: Path, place: Path) -> Path:
    """Copy a workspace, and check that its tests will import the copy."""
    shutil.copytree(root, place, ignore=shutil.ignore_patterns(".*", "__pycache__", "dist"))
    (place / ".tmp").mkdir()
    ask = "import bpetite; print(bpetite.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", ask], env=_environment(place), stdout=subprocess.PIPE, check=True
    )
    if os.fsdecode(found.stdout).strip() != str(place / CORE / "__init__.py"):
        message = f"not the copy is imported, but {os.fsdecode(found.stdout).strip()}"
        raise MutationError(message)
    return place


def _environment(copy: Path) -> dict[str, str]:
    packages = (copy / "packages" / name / "src" for name in ("core", "cli", "compare"))
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, packages)),
        "BPETITE_PROFILE": "thorough",
        "TMPDIR": str(copy / ".tmp"),
    }


def row(title: str, outcomes: Mapping[Name, str], listed: set[Name]) -> str:
    """Return a row of the table."""
    survived = survivors(outcomes)
    hung = sum(outcome == "hung" for outcome in outcomes.values())
    figures = (
        *(len(outcomes), len(outcomes) - len(survived), hung),
        *(len(survived & listed), len(survived - listed)),
    )
    return f"| {title} | {' | '.join(f'{figure:,}' for figure in figures)} |"


def report(outcomes: Mapping[Name, str], listed: set[Name]) -> int:
    """Print unlisted survivors, and listed mutants that should not be; return the exit status."""
    unlisted = survivors(outcomes) - listed
    rotten = {name for name in listed if outcomes.get(name, "not made") in {"killed", "not made"}}
    for name in sorted(unlisted):
        print(f"\n{entry(name)}")
    for name in sorted(rotten):
        why = outcomes.get(name, "not made")
        print(f"\nlisted, but {why}: {name.module}: {name.function}: {name.becomes}")
    return 1 if unlisted or rotten else 0


def survivors(outcomes: Mapping[Name, str]) -> set[Name]:
    """Return the names of the mutants that no test noticed."""
    return {name for name, outcome in outcomes.items() if outcome == "survived"}


def entry(name: Name) -> str:
    """Return a mutant as an entry of the list, without its reason."""
    values = {**name._asdict(), "becomes": [name.becomes], "reason": ""}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join(["[[equivalent]]", *lines])


if __name__ == "__main__":
    sys.exit(main())
