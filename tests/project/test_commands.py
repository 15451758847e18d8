"""docs/reference/commands.md has every option of every command, and explains it once."""

import re
from collections import Counter
from typing import Final

import pytest

from help_tools import OPTIONS, PARSERS, examples_in, examples_of
from project_tools import ROOT

PAGE: Final = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
SECTIONS: Final = {
    section.partition("\n")[0]: section for section in re.split(r"^##+ ", PAGE, flags=re.MULTILINE)
}
LISTS: Final = {
    name: Counter(
        option
        for entry in re.findall(r"^- (.+?): ", listed, re.MULTILINE)
        for option in re.findall("--[a-z-]+", entry)
    )
    for name, listed in re.findall(
        r"^\*\*(.+?)\*\*(.+?)(?=^\*\*|\Z)",
        SECTIONS["Options of many commands"],
        re.MULTILINE | re.DOTALL,
    )
}
"""The options of many commands, by the name of their list."""


def test_each_option_of_many_commands_is_explained_once() -> None:
    """No list has an option twice, and no two lists have the same."""
    every, *_ = LISTS
    assert every == "Every command"
    assert sum(LISTS.values(), Counter()).most_common(1)[0][1] == 1
    assert all({*LISTS[every]} <= options for options in OPTIONS.values())


def test_the_page_has_every_command() -> None:
    """Each command of both packages has a section."""
    assert PARSERS.keys() <= SECTIONS.keys()


@pytest.mark.parametrize("command", PARSERS)
def test_the_page_has_every_option(command: str) -> None:
    """An option is in the command's own list, or one of many commands; never both."""
    section = SECTIONS[command]
    own = {*re.findall(r"(?m)^  (?:-[^,-][^,]*, )?(--[a-z-]+)", section.partition("```\n")[0])}
    (also,) = re.findall(
        r"^\[Also\]\(#options-of-many-commands\): (.+)$", section, re.MULTILINE
    ) or [""]
    many = {*LISTS["Every command"], *re.findall("--[a-z-]+", also)}
    for name in re.findall(r"\*\*(.+?)\*\*", also):
        many |= {*LISTS[name]}
    assert many <= {*sum(LISTS.values(), Counter())}, "explain these at the top of the page"
    assert own | many == OPTIONS[command]
    assert own & many == set()


@pytest.mark.parametrize("command", PARSERS)
def test_the_page_has_what_the_help_begins_with(command: str) -> None:
    """The page has what the help says before the options, its first example and all others."""
    parser = PARSERS[command]
    section = SECTIONS[command]
    assert " ".join((parser.description or "").split()) in " ".join(section.split())
    first, _, *more = examples_of(command)
    assert [*examples_in(section.split("```")[3].partition("\n")[2])] == [first, *more]
