"""Run the blocks of a page, and compare their output with the page."""

import contextlib
import doctest
import hashlib
import io
import logging
import os
import re
import subprocess
from pathlib import Path

from bpetite import Tokenizer
from cli_tools import BPETITE, on_screen, terminal
from project_tools import run, run_node, run_program


def run_page(page: Path) -> set[str]:
    """Run every block of Python and of commands; return the kinds of blocks found.

    Changes to the logger `bpetite` are undone at the end of the page.
    """
    names: dict[str, object] = {}
    seen, printed = set(), ""
    logger = logging.getLogger("bpetite")
    level, handlers = logger.level, logger.handlers[:]
    try:
        for language, block in blocks(page.read_text("utf-8")):
            if language == "python":
                output = io.StringIO()
                with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                    exec(compile(block, page, "exec"), names)  # noqa: S102
                printed = output.getvalue()
            elif language == "text" and printed:
                check(block, printed)
                printed = ""
            elif language == "console":
                check_commands(block)
            seen.add(language)
    finally:
        logger.setLevel(level)
        logger.handlers = handlers
    return seen


def blocks(text: str, language: str = r"\w+") -> list[tuple[str, str]]:
    """Return the fenced blocks of Markdown in a language, or in any: the language, and the code."""
    return re.findall(rf"^```({language})\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run_blocks(text: str, folder: Path, *, compare: bool = True) -> str:
    """Run each block in a folder, and return what the programs write to standard error.

    All that they print has to be shown, unless nothing is compared.
    """
    printed = messages = ""
    for language, block in blocks(text):
        if language == "text":
            if compare:
                check(block, printed)
            printed = ""
        elif language == "console" and compare:
            with contextlib.chdir(folder):
                check_commands(block)
        elif language in {"console", "sh"}:
            commands = [block] if language == "sh" else [one for one, _ in commands_of(block)]
            differing = re.compile(r"^bpetite diff .*", re.MULTILINE)  # this has status 1
            commands = [differing.sub(r"\g<0> || [ $? = 1 ]", one) for one in commands]
            result = run("bash", "-ec", "\n".join(commands), cwd=folder)
            assert result.returncode == 0, result.stderr
        elif language == "yaml":
            (folder / "config.yaml").write_text(block, "utf-8")
        else:
            result = (run_node if language == "js" else run_program)(folder, block)
            printed, messages = result.stdout, messages + result.stderr
    assert printed == "" or not compare, "the page does not show it"
    return messages


def check_commands(block: str) -> None:
    """Run each line after a `$`, and compare the lines that follow with what a terminal shows."""
    own = {"PATH": f"{Path(BPETITE).parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    for command, expected in commands_of(block):
        with terminal() as (screen, sent):
            # The gate runs these exact commands; here the environment already exists.
            subprocess.run(
                ["bash", "-c", command.replace("uv run ", "")],
                stdout=screen,
                stderr=screen,
                env={**os.environ, "TERM": "xterm-256color", **own},
                check=False,
            )
        check(expected, "\n".join(on_screen(sent.decode().replace("\r\n", "\n"))))


def commands_of(block: str) -> list[tuple[str, str]]:
    """Return the commands after each `$`, which may go on after a backslash, and their output."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    found = (re.split(r"(?<!\\)\n", f"{part}\n", maxsplit=1) for part in parts)
    return [(command, expected) for command, expected in found]


def check(expected: str, found: str) -> None:
    """Compare an output with the one on a page, where `...` matches anything."""
    expected, found = (text.rstrip("\n") + "\n" for text in (expected, found))
    assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), (
        f"the page says\n{expected}\nand the run\n{found}"
    )


def sha256_of_artifact(corpus: Path, vocab_size: int, folder: Path) -> str:
    """Return the hash of a corpus's artifact."""
    path = folder / "artifact.json"
    Tokenizer.train(corpus.read_bytes().decode(), vocab_size).save(path, overwrite=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()
