"""The exercises: right answers pass, wrong ones are told what is off, and nothing breaks the check.

The answers are held to bpetite and to the oracle, since the checks hold learners to the answers.
"""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from answers.exercise_02 import to_ids, to_text
from answers.exercise_03 import CHUNKS
from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from answers.exercise_06 import best_pair
from answers.exercise_07 import train
from answers.exercise_08 import encode_chunk
from answers.exercise_09 import decode, vocabulary
from answers.exercise_10 import encode, segments
from answers.exercise_11 import index_pairs, merge_step
from answers.exercise_12 import bytes_per_token, learned_tokens
from bpetite import Tokenizer
from check import CHECKS, main
from given import END_OF_TEXT, PATTERN, chunks_of
from project_tools import ROOT, imported_modules, run, sources
from texts import TEXTS
from wrong_answers import WRONG

pytestmark = pytest.mark.thorough

FOLDER: Final = ROOT / "docs" / "exercises"
SHORT_TEXTS: Final = st.text("ab é", max_size=24)


def check(number: str, path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Check a file, and return the exit status and what was said, on one line."""
    status = main([number, str(path)])
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "Traceback" not in captured.out
    return status, " ".join(captured.out.split())


@pytest.mark.parametrize("number", CHECKS)
def test_an_answer_is_right(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every answer passes its check."""
    answer = FOLDER / "answers" / f"exercise_{number}.py"
    status, said = check(number, answer, capsys)
    assert (status, said.startswith(f"exercise {number}: right ")) == (0, True)


@pytest.mark.parametrize("number", CHECKS)
def test_a_starting_file_is_not_begun(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every starting file is told that it is not begun."""
    status, said = check(number, FOLDER / "start" / f"exercise_{number}.py", capsys)
    assert (status, said.startswith(f"exercise {number}: not begun ")) == (1, True)


@pytest.mark.parametrize(
    ("number", "source", "says"), WRONG, ids=[f"{number}: {says}" for number, _, says in WRONG]
)
def test_a_wrong_answer_is_explained(
    number: str, source: str, says: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a misunderstanding makes is refused, and the message names the misunderstanding."""
    path = here / "my.py"
    path.write_text(source, encoding="utf-8")
    status, said = check(number, path, capsys)
    assert (status, said.startswith(f"exercise {number}: off ")) == (1, True)
    assert says in said


def test_every_exercise_has_wrong_answers() -> None:
    """For each exercise several wrong answers are known."""
    for number in CHECKS:
        assert sum(number == other for other, _, _ in WRONG) >= 4, number


BROKEN: Final = {
    "an exception": (
        "def merge_pair(ids, pair, new_id):\n    return ids[99]\n",
        "IndexError: list index out of range my.py, line 2: return ids[99]",
    ),
    "an exception inside what it imports": (
        "import json\ndef merge_pair(ids, pair, new_id):\n    return json.loads('{')\n",
        "my.py, line 3: return json.loads('{')",
    ),
    "an exception of no known kind": (
        "class Odd(BaseException): pass\ndef merge_pair(ids, pair, new_id):\n    raise Odd\n",
        "Odd my.py, line 3: raise Odd",
    ),
    "an endless loop": (
        "def merge_pair(ids, pair, new_id):\n    while True: pass\n",
        "merge_pair([1, 2], (1, 2), 256) It had not ended after 3 seconds.",
    ),
    "an endless loop in the file": ("while True: pass\n", "my.py had not ended after 3 seconds."),
    "a list without end": (
        "def merge_pair(ids, pair, new_id):\n    return ids * 10**12\n",
        "MemoryError my.py, line 2: return ids * 10**12",
    ),
    "an exit": (
        "import sys\ndef merge_pair(ids, pair, new_id):\n    sys.exit(0)\n",
        "SystemExit: 0 my.py, line 3: sys.exit(0)",
    ),
    "an exit without a word": (
        "import os\ndef merge_pair(ids, pair, new_id):\n    os._exit(0)\n",
        "It ended the program (exit status 0).",
    ),
    "a missing function": ("def merge(ids): pass\n", "There is no merge_pair in the file."),
    "a name that is no function": ("merge_pair = 3\n", "There is no merge_pair in the file."),
    "too few parameters": (
        "def merge_pair(ids, pair):\n    return ids\n",
        "TypeError: merge_pair() takes 2 positional arguments but 3 were given",
    ),
    "a generator": (
        "def merge_pair(ids, pair, new_id):\n    yield 1\n",
        "an object of the class generator",
    ),
    "a tuple": (
        "def merge_pair(ids, pair, new_id):\n    return (256,)\n",
        "is of the type tuple; list is asked for",
    ),
    "numbers that are no integers": (
        (
            "from answers.exercise_05 import merge_pair as right\n"
            "def merge_pair(*arguments):\n    return [float(one) for one in right(*arguments)]\n"
        ),
        "is of the type float; int is asked for",
    ),
    "nothing": ("def merge_pair(ids, pair, new_id):\n    pass\n", "Is a `return` missing?"),
    "no Python": ("def merge_pair(:\n", "the file cannot be run SyntaxError: invalid syntax"),
    "no text": ("\udcff\n", "the file cannot be run SyntaxError"),
    "an import of nothing": (
        "from my_04 import count_pairs\n",
        "ModuleNotFoundError: No module named 'my_04' my.py, line 1",
    ),
    "what is not begun": (
        "def merge_pair(ids, pair, new_id):\n    raise NotImplementedError\n",
        "not begun my.py, line 2",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_nothing_breaks_the_check(
    what: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a file does is told in words, with the learner's line and no other."""
    source, says = BROKEN[what]
    path = here / "my.py"
    path.write_text(source, encoding="utf-8", errors="surrogateescape")
    seconds = "3" if "endless" in what else "60"
    status = main(["05", str(path), "--seconds", seconds])
    said = " ".join(capsys.readouterr().out.split())
    assert (status, says in said, "Traceback" in said) == (1, True, False), said


def command(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the check as a learner does."""
    return run(sys.executable, FOLDER / "check.py", *arguments, cwd=cwd)


def test_the_command(here: Path) -> None:
    """From a folder of the learner's own: a verdict on standard output, and the exit status."""
    path = here / "my_05.py"
    path.write_text("from answers.exercise_05 import merge_pair\n", encoding="utf-8")
    done = command("05", "my_05.py", cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("exercise 05: right\n\nmerge_pair: all ")
    assert [file.name for file in here.iterdir()] == ["my_05.py"]


def test_what_a_learner_prints_is_shown(here: Path) -> None:
    """A `print` in the learner's code writes to standard error, and spoils no result."""
    (here / "my.py").write_text(
        "from answers.exercise_06 import best_pair as right\n"
        "def best_pair(counts):\n    print('looking at', counts)\n    return right(counts)\n",
        encoding="utf-8",
    )
    done = command("06", "my.py", cwd=here)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "exercise 06: right")
    assert "looking at {(1, 2): 1}\n" in done.stderr


def test_a_learner_imports_what_they_have_written(here: Path) -> None:
    """A file may import its neighbours; an exception in one is shown there."""
    (here / "my_05.py").write_text(
        "def merge_pair(ids, pair, new_id):\n    return 1 / 0\n", "utf-8"
    )
    (here / "my_08.py").write_text(
        "from my_05 import merge_pair\n"
        "def encode_chunk(chunk, merges):\n"
        "    for pair in [(97, 98)]:\n        merge_pair(list(chunk), pair, 256)\n",
        "utf-8",
    )
    done = command("08", "my_08.py", cwd=here)
    assert "ZeroDivisionError: division by zero\n  my_05.py, line 2: return 1 / 0" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("05", "nowhere.py"), "there is no file 'nowhere.py'"),
        (("99", "my.py"), "invalid choice: '99'"),
        (("05", str(FOLDER / "README.md")), "README.md' is not called .py"),
        (("05", "my.py", "--seconds", "nan"), "is no number above 0"),
        (("05", "my.py", "--seconds", "inf"), "is no number above 0"),
        (("05",), "the following arguments are required: FILE"),
    ],
)
def test_wrong_usage_is_said(arguments: tuple[str, ...], says: str, here: Path) -> None:
    """Wrong usage ends with status 2, and says what is wrong."""
    done = command(*arguments, cwd=here)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_python_without_bpetite_is_told_what_to_do(here: Path) -> None:
    """Where bpetite is not installed, the check says so, and how to go on."""
    done = subprocess.run(
        [sys.executable, "-S", str(FOLDER / "check.py"), "05", "mine.py"],
        cwd=here,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("the exercises need bpetite")
    assert "Traceback" not in done.stderr


def test_the_exercises_need_what_the_core_needs() -> None:
    """All code of the exercises imports the standard library, `regex` and bpetite alone."""
    own = {"answers", "checks", "given"}
    names = {
        name.partition(".")[0]
        for source in sources(FOLDER)
        for name in imported_modules(source.read_text(encoding="utf-8"))
    }
    assert names - own - sys.stdlib_module_names == {"bpetite", "regex"}


def test_a_reader_who_leaves_is_no_error(here: Path) -> None:
    """When nobody reads standard output any more, nothing is said about it."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    arguments = [sys.executable, str(FOLDER / "check.py"), "01"]
    with os.fdopen(write_end, "wb") as closed:
        done = subprocess.run(
            [*arguments, str(FOLDER / "start" / "exercise_01.py")],
            stdout=closed,
            stderr=subprocess.PIPE,
            cwd=here,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_said(here: Path) -> None:
    """When standard output takes nothing, that is said in a line."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, str(FOLDER / "check.py"), "1", str(FOLDER / "check.py")],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=here,
            check=False,
        )
    assert re.fullmatch(rb"check.py: error: nothing can be written: .*\n", done.stderr)
    assert done.returncode == 1


def test_files_of_their_own_choice(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exercise 12 measures whatever files it names, and says which it cannot read."""
    source = (FOLDER / "answers" / "exercise_12.py").read_text(encoding="utf-8")
    (here / "few.txt").write_text("too little", encoding="utf-8")
    for files, says in (
        ("{'prose': PROSE, 'code': CODE, 'pages': [PAGE]}", "The fewest are"),
        ("{'prose': PROSE}", 'must have the keys "prose" and "code"'),
        ("{'prose': ['nowhere.txt'], 'code': CODE}", "'nowhere.txt', which cannot be read"),
        ("{'prose': ['few.txt'], 'code': CODE}", "is too short to learn much from: 10"),
    ):
        chosen = files.replace("PAGE", repr(str(ROOT / "README.md")))
        (here / "my.py").write_text(f"{source}\nFILES = {chosen}\n", encoding="utf-8")
        _, said = check("12", here / "my.py", capsys)
        assert says in said


def test_the_page_names_every_exercise() -> None:
    """The pages have one section for each exercise, in order, and one of hints."""
    for page in ("tasks.md", "hints.md"):
        text = (FOLDER / page).read_text(encoding="utf-8")
        assert re.findall(r"^## (\d\d) ", text, re.MULTILINE) == list(CHECKS)
    tasks = (FOLDER / "tasks.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", tasks, re.MULTILINE)
    anchors = [heading.lower().replace(" ", "-") for heading in headings]
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\(tasks\.md#([\w-]+)\)", readme) == anchors
    thoughts = (FOLDER / "answers" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*(\d\d)\. ", thoughts, re.MULTILINE) == list(CHECKS)
    assert tasks.count("To think about:") == len(CHECKS)


@pytest.mark.parametrize("number", CHECKS)
def test_the_examples_of_a_starting_file_are_true_of_its_answer(number: str) -> None:
    """What the starting file shows is what the answer does, function by function."""
    start, answer = (
        importlib.import_module(f"{folder}.exercise_{number}") for folder in ("start", "answers")
    )
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(start, globs=vars(answer)):
        runner.run(example)
    assert runner.failures == 0
    assert runner.tries > 0 or number in {"01", "03"}


def test_what_is_given_is_what_bpetite_has() -> None:
    """The pattern and the special token of the exercises are the oracle's."""
    assert (PATTERN, END_OF_TEXT) == (oracle.PATTERN, oracle.END_OF_TEXT)
    for text, chunks in CHUNKS.items():
        assert [chunk.encode("utf-8") for chunk in chunks] == chunks_of(text)


@given(TEXTS)
def test_the_answers_on_text(text: str) -> None:
    """Bytes and segments give the text back."""
    assert to_text(to_ids(text)) == text
    assert "".join(segments(text)) == text


@given(SHORT_TEXTS, st.integers(256, 280))
def test_the_answers_train_as_the_oracle_and_bpetite(text: str, vocab_size: int) -> None:
    """The first trainer learns the merges of the oracle, and the tokens of bpetite."""
    merges = train(text, vocab_size)
    assert merges == oracle.train([text], vocab_size)
    assert learned_tokens(text, vocab_size) == [
        token for token_id, token in vocabulary(merges).items() if token_id >= 256
    ]


@given(SHORT_TEXTS, SHORT_TEXTS, st.integers(256, 280))
def test_the_answers_encode_and_decode_as_bpetite(corpus: str, text: str, vocab_size: int) -> None:
    """The ids are those of bpetite, and their text is the text."""
    text += END_OF_TEXT + text
    merges = train(corpus, vocab_size)
    ids = Tokenizer.train(corpus, vocab_size).encode(text)
    assert encode(text, merges) == ids == oracle.encode(text, merges)
    vocab = {**vocabulary(merges), 256 + len(merges): END_OF_TEXT.encode("utf-8")}
    assert decode(ids, vocab) == text
    assert bytes_per_token(corpus, text, vocab_size) == len(text.encode("utf-8")) / len(ids)
    for chunk in chunks_of(text):
        assert encode_chunk(chunk, merges) == oracle.encode_chunk(chunk, merges)


@given(SHORT_TEXTS)
def test_the_fast_answer_keeps_the_counts_that_are(text: str) -> None:
    """After each merge of exercise 11, counts and places are what they would be if counted."""
    chunks = [list(chunk) for chunk in chunks_of(text)]
    times = [1 + number % 3 for number in range(len(chunks))]
    counts, places = index_pairs(chunks, times)
    for new_id in range(256, 262):
        counts = {pair: count for pair, count in counts.items() if count}
        if not counts:
            break
        pair = best_pair(counts)
        before = [merge_pair(ids, pair, new_id) for ids in chunks]
        merge_step(chunks, times, counts, places, pair, new_id)
        assert chunks == before
        again = index_pairs(chunks, times)
        assert {pair: count for pair, count in counts.items() if count} == again[0]
        assert {pair: numbers for pair, numbers in places.items() if numbers} == again[1]
        assert sum(counts.values()) == sum(
            n * sum(count_pairs({tuple(ids): 1}).values())
            for ids, n in zip(chunks, times, strict=True)
        )
