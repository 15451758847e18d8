"""The exercises: right answers pass, wrong ones are explained, and nothing breaks the check.

The checks compare learners with the answers, so these tests compare the answers with bpetite.
"""

import contextlib
import doctest
import hashlib
import importlib
import inspect
import re
import shutil
import sys
import tomllib
from itertools import chain, product
from pathlib import Path
from textwrap import indent
from typing import Final

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from answers.exercise_03 import CHUNKS
from answers.exercise_04 import count_pairs
from answers.exercise_05 import merge_pair
from answers.exercise_06 import best_pair
from answers.exercise_07 import train, vocabulary
from answers.exercise_09 import decode
from answers.exercise_10 import encode
from answers.exercise_11 import index_pairs, merge_step
from answers.exercise_12 import bytes_per_token, learned_tokens
from answers.exercise_13 import gpt2_ids
from answers.exercise_14 import gpt4_split
from bpetite import Tokenizer
from bpetite._constants import END_OF_TEXT_TOKEN, PRETOKENIZER_PATTERN
from bpetite._patterns import PATTERNS
from check import NUMBERS, main
from checks import exercise_13, exercise_14
from checks.compare import same
from checks.judge import MISTAKES, Question, attempt, variant
from given import END_OF_TEXT, PATTERN, PROSE, chunks_of
from project_tools import ROOT, imported_modules, run, sources

pytestmark = pytest.mark.thorough

FOLDER: Final = ROOT / "docs" / "exercises"
LEARNERS: Final = tomllib.loads(Path(__file__).with_name("mistakes.toml").read_text("utf-8"))
WRONG: Final = [
    (number, says, code)
    for number, table in LEARNERS.items()
    for says, codes in table["wrong"].items()
    for code in (codes if isinstance(codes, list) else [codes])
]
BY_TRACE: Final = ("01", "03", "11", "12")
"""The exercises whose mistakes are mostly found by rules; they are in mistakes.toml beside this."""
SHORT_TEXTS: Final = st.text("ab é", max_size=24)


def check(
    number: str, path: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, str]:
    """Check a file, and return the exit status and the output on one line."""
    with contextlib.chdir(path.parent):
        status = main([number, path.name, *more])
    out, err = capsys.readouterr()
    assert (err, "Traceback" in out) == ("", False)
    return status, " ".join(out.split())


@pytest.mark.parametrize(
    "number",
    [pytest.param(number, marks=[pytest.mark.data] * (number == "13")) for number in NUMBERS],
)
def test_a_right_answer_passes(
    number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """Every answer passes its check, and so does a learner's own."""
    if number == "13":
        request.getfixturevalue("gpt2_merges")
    own = tmp_path / "my.py"
    answer = FOLDER / "answers" / f"exercise_{number}.py"
    code = LEARNERS[number]["right"] if number in LEARNERS else answer.read_text("utf-8")
    own.write_text(code, encoding="utf-8")
    for path in (answer, own):
        status, said = check(number, path, capsys)
        assert (status, said.startswith(f"exercise {number}: right ")) == (0, True), said


@pytest.mark.parametrize("number", NUMBERS)
def test_a_starting_file_is_not_started(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The check of a starting file says that it is not started."""
    status, said = check(number, FOLDER / "start" / f"exercise_{number}.py", capsys)
    assert (status, said.startswith(f"exercise {number}: not started ")) == (1, True)


@pytest.mark.parametrize(("number", "says", "change"), WRONG)
def test_a_wrong_answer_is_explained(
    number: str,
    says: str,
    change: str | dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The check names the mistake in a wrong answer, or what else is wrong with the file."""
    code = change if isinstance(change, str) else LEARNERS[number]["right"]
    for old, new in change.items() if isinstance(change, dict) else ():
        assert old in code
        code = code.replace(old, new)
    (tmp_path / "my.py").write_text(code, encoding="utf-8")
    seconds = "3" if "3 seconds" in says else "60"
    status, said = check(number, tmp_path / "my.py", capsys, "--seconds", seconds)
    assert (status, said.startswith(f"exercise {number}: wrong ")) == (1, True)
    assert says in said


@pytest.mark.parametrize("name", MISTAKES)
def test_every_listed_mistake_is_found_and_named(name: str) -> None:
    """For each likely mistake some case is wrong, and no other mistake explains it better."""
    questions = (
        getattr(one, "__self__", None)
        for number in NUMBERS
        for one in importlib.import_module(f"checks.exercise_{number}").CHECKS
    )
    question = next(one for one in questions if isinstance(one, Question) and one.name == name)
    expected = [question.expected(case) for case in question.cases]
    for words, codes in MISTAKES[name].items():
        for code in codes if isinstance(codes, list) else [codes]:
            wrong = variant(question.answer, code)
            results = [attempt(wrong, case) for case in question.cases]
            failing = (n for n, one in enumerate(expected) if not same(one, results[n]))
            assert question.mistake(next(failing), results) == words


@pytest.mark.parametrize("number", [number for number in NUMBERS if number not in BY_TRACE])
def test_typical_mistakes_are_named(
    number: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five wrong programs of each exercise get the sentence about their mistake."""
    answers = importlib.import_module(f"answers.exercise_{number}")
    source = inspect.getsource(answers)
    checks = importlib.import_module(f"checks.exercise_{number}").CHECKS
    names = [one.__self__.name for one in checks if hasattr(one, "__self__")]
    planted = [
        (words, name, codes[0] if isinstance(codes, list) else codes)
        for name in names
        for words, codes in MISTAKES.get(name, {}).items()
    ]
    for words, name, code in planted[:: max(1, len(planted) // 5)][:5]:
        right = inspect.getsource(getattr(answers, name))
        if isinstance(code, str):
            signature = right.partition('\n    """')[0]
            wrong = f"{signature}\n{indent(code.strip(), '    ')}\n"
        else:
            wrong = right
            for old, new in code.items():
                wrong = wrong.replace(old, new)
        (tmp_path / "my.py").write_text(source.replace(right, wrong), encoding="utf-8")
        status, said = check(number, tmp_path / "my.py", capsys, "--seconds", "60")
        assert (status, words in said) == (1, True), said
    assert len(planted) >= 5


@pytest.mark.parametrize("number", BY_TRACE)
def test_typical_mistakes_are_planted(number: str) -> None:
    """At least five mistakes of the other exercises are among those above that are explained."""
    assert len(LEARNERS[number]["wrong"]) >= 5


def test_the_answer_is_not_given_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first mistakes in 01 and 03 show neither what is expected nor the right value."""
    (tmp_path / "my.py").write_text('MERGES = [("l", "o")]\nCHUNKS = {"x = 10": ["x =", "10"]}\n')
    _, said = check("01", tmp_path / "my.py", capsys)
    assert "MERGES[0] got ('l', 'o') " in said
    assert "expected" not in said
    assert "'w', 'e'" not in said
    assert '"w"' not in said
    _, said = check("03", tmp_path / "my.py", capsys)
    assert "It is missing" in said  # the texts of the starting file are to be kept
    code = LEARNERS["03"]["right"].replace('"x", " ="', '"x ="')
    (tmp_path / "my.py").write_text(code, encoding="utf-8")
    _, said = check("03", tmp_path / "my.py", capsys)
    assert "CHUNKS['x = 10'] got ['x =', ' 10'] Chunk 0 is wrong." in said
    assert "expected" not in said


def test_one_file_for_all_exercises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """my_tokenizer.py is read for each exercise that it has and that has no file of its own."""
    for name in ("my_tokenizer.py", "my_05.py"):
        code = (FOLDER / "answers" / "exercise_05.py").read_text(encoding="utf-8")
        (tmp_path / name).write_text(code, encoding="utf-8")
    with (tmp_path / "my_05.py").open("a") as file:
        file.write("merge_pair = print\n")
    with contextlib.chdir(tmp_path):
        assert main(["05"]) == 1
        (tmp_path / "my_05.py").unlink()
        assert main(["05"]) == 0
        assert main([]) == 1
        with pytest.raises(SystemExit):
            main(["06"])
    found = capsys.readouterr()
    assert "exercise 05: right" in found.out
    assert "exercise 06: open" in found.out
    assert f"there is no file 'my_06.py' in {tmp_path}; to begin:" in found.err
    assert "exercises/start/exercise_06.py my_06.py\n" in found.err


def test_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without arguments, the check shows what is done, what is open, and what is next."""
    for number, name in (("01", "answers"), ("02", "start"), ("04", "answers")):
        code = (FOLDER / name / f"exercise_{number}.py").read_text(encoding="utf-8")
        (tmp_path / f"my_{number}.py").write_text(code, encoding="utf-8")
    with contextlib.chdir(tmp_path):
        assert main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    verdicts = ("01: right", "02: not started", "03: open", "04: right")
    assert lines[:4] == [f"exercise {verdict}" for verdict in verdicts]
    assert lines[-1] == "2 of 14 done. Next: exercise 02."


def test_the_first_command(tmp_path: Path) -> None:
    """Where nothing is, the check names the folder, and the command to begin works from there."""
    shutil.copytree(FOLDER, tmp_path / "docs" / "exercises")
    for folder, start in ((tmp_path, "docs/exercises"), (tmp_path / "docs", "exercises")):
        done = run(sys.executable, tmp_path / "docs" / "exercises" / "check.py", cwd=folder)
        command = f"cp {start}/start/exercise_01.py my_01.py"
        assert done.stdout.endswith(
            "0 of 14 done. Next: exercise 01.\n"
            f"There is no file of an exercise in {folder}.\nTo begin: {command}\n"
        )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("05", "nowhere.py"), "there is no file 'nowhere.py'"),
        (("99", "my.py"), "invalid choice: '99'"),
        (("05", "my.py", "--seconds", "nan"), "argument --seconds: invalid int value: 'nan'"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    """Wrong usage ends with status 2 and an explanation."""
    done = run(sys.executable, FOLDER / "check.py", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_the_exercises_need_only_the_core() -> None:
    """All code of the exercises imports only the standard library, `regex` and bpetite."""
    modules = (imported_modules(source.read_text("utf-8")) for source in sources(FOLDER))
    names = {name.partition(".")[0] for found in modules for name in found}
    assert names - {"answers", "checks", "given"} - sys.stdlib_module_names == {"bpetite", "regex"}


@pytest.mark.parametrize("number", NUMBERS)
def test_starting_file_examples_match_the_answer(number: str) -> None:
    """The examples of a starting file show what the answer does."""
    start, answer = (
        importlib.import_module(f"{folder}.exercise_{number}") for folder in ("start", "answers")
    )
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(start, globs=vars(answer)):
        runner.run(example)
    assert runner.failures == 0
    assert runner.tries > 0 or number in {"01", "03"}


def test_the_recorded_ids_equal_tiktokens(gpt2_merges: Path) -> None:
    """The ids of the last exercise are tiktoken's, using GPT-2's file."""
    assert hashlib.sha256(gpt2_merges.read_bytes()).hexdigest() == exercise_13.SHA256
    name = hashlib.sha1(exercise_13.URL.encode(), usedforsecurity=False).hexdigest()
    assert gpt2_merges.name == name
    gpt2 = tiktoken.get_encoding("gpt2")
    for text, ids in exercise_13.IDS.items():
        assert gpt2.encode(text, allowed_special="all") == ids
    story = Path(PROSE[0]).read_text(encoding="utf-8")
    assert gpt2_ids(str(gpt2_merges), [story]) == [gpt2.encode(story)]


def test_the_pattern_equals_bpetites() -> None:
    """The exercises have the pattern and the special token of bpetite."""
    assert (PATTERN, END_OF_TEXT) == (PRETOKENIZER_PATTERN, END_OF_TEXT_TOKEN)
    for text, chunks in CHUNKS.items():
        assert [chunk.encode("utf-8") for chunk in chunks] == chunks_of(text)


def test_the_splitter_cuts_as_bpetites_pattern() -> None:
    """Exercise 14 cuts every short ASCII text as the pattern `gpt4`, and so do its alternatives."""
    split = PATTERNS["gpt4"].split
    for pair in product(map(chr, range(128)), repeat=2):
        assert gpt4_split("".join(pair)) == split("".join(pair))
    for text in map("".join, chain(product("sT1 .'\n\r\t", repeat=4), product("rE'0 ", repeat=5))):
        assert gpt4_split(text) == split(text)
        assert re.findall("|".join(exercise_14._ALTERNATIVES), text) == split(text)


@given(SHORT_TEXTS, SHORT_TEXTS, st.integers(256, 280))
def test_the_answers_agree_with_bpetite(corpus: str, text: str, vocab_size: int) -> None:
    """The answers learn bpetite's tokens, and encode and decode as it does."""
    merges = train([corpus], vocab_size)
    vocab = vocabulary(merges)
    assert learned_tokens(corpus, vocab_size) == list(vocab.values())[256:]
    text += END_OF_TEXT + text
    ids = Tokenizer.train(corpus, vocab_size).encode(text)
    assert encode(text, merges) == ids
    assert decode(ids, {**vocab, len(vocab): END_OF_TEXT.encode("utf-8")}) == text
    assert bytes_per_token(corpus, text, vocab_size) == len(text.encode("utf-8")) / len(ids)


@given(SHORT_TEXTS)
def test_the_fast_answer_keeps_the_counts(text: str) -> None:
    """After each merge of exercise 11, counts and places equal a recount."""
    chunks = [list(chunk) for chunk in chunks_of(text)]
    times = [1 + number % 3 for number in range(len(chunks))]
    counts, places = index_pairs(chunks, times)
    for new_id in range(256, 262):
        if not (present := {pair: count for pair, count in counts.items() if count}):
            break
        pair = best_pair(present)
        merged = [merge_pair(ids, pair, new_id) for ids in chunks]
        merge_step(chunks, times, counts, places, pair, new_id)
        assert chunks == merged
        again = index_pairs(chunks, times)
        assert {pair: count for pair, count in counts.items() if count} == again[0]
        assert {pair: numbers for pair, numbers in places.items() if numbers} == again[1]
        every = [ids for ids, n in zip(chunks, times, strict=True) for _ in range(n)]
        assert count_pairs(every) == again[0]
