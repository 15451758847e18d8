"""The pages of a built site as data, and the faults that the tests look for."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from unicodedata import category
from urllib.parse import unquote, urlsplit

COLUMN: Final = 90
"""How many characters of code fit a line on a screen 1,280 pixels wide."""

_SOURCE: Final = {"coq", "html", "javascript", "js", "json", "python", "sh", "sql", "toml", "yaml"}


class Page(HTMLParser):
    """The parts of a page that the tests need."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.unnamed_pictures: list[str] = []
        self.headings: list[int] = []
        self.buttons: list[str] = []
        self.handlers: list[str] = []
        self.meta: dict[str, str] = {}
        self.tags: set[str] = set()
        self.blocks: list[tuple[str, str]] = []
        self._language = ""
        self._in_block = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        values = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.ids.update(values[name] for name in ("id", "name") if name in values)
        self.handlers += [f"{tag} {name}" for name in values if name.startswith("on")]
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif "href" in values or "src" in values:
            self.loaded.append(values.get("href") or values["src"])
        if tag == "img" and not values.get("alt", "").strip():
            self.unnamed_pictures.append(values["src"])
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "button":
            self.buttons.append(values.get("class", ""))
        if tag == "meta":
            self.meta[values.get("name") or values.get("property", "")] = values.get("content", "")
        if match := re.search(r"\bhighlight-(\w+)", values.get("class", "")):
            self._language = match[1]
        if tag == "pre":
            self.blocks.append((self._language, ""))
            self._in_block = True

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a block of code."""
        self._in_block = self._in_block and tag != "pre"

    def handle_data(self, data: str) -> None:
        """Note the text of a block of code."""
        if self._in_block:
            language, text = self.blocks[-1]
            self.blocks[-1] = (language, text + data)


def faults(page: Page) -> list[str]:
    """Return what prevents reading a page with a screen reader or without JavaScript."""
    found = [f"picture without a description: {source}" for source in page.unnamed_pictures]
    if page.headings.count(1) != 1 or page.headings[:1] != [1]:
        found.append(f"one first heading is expected: {page.headings}")
    found += [
        f"heading {level} follows {last}"
        for last, level in zip(page.headings, page.headings[1:], strict=False)
        if level > last + 1
    ]
    # The theme hides this one if there is no JavaScript.
    found += [f"button: {kind}" for kind in page.buttons if kind != "theme-toggle"]
    found += [f"handler: {handler}" for handler in page.handlers]
    found += [link for link in page.links if link.startswith("javascript:")]
    return found


def _target(site: Path, page: Page, link: str) -> tuple[Path, str] | None:
    """Return the file and the fragment of a link, or None for another host."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = unquote(parts.path)
    folder = site if path.startswith("/") else page.path.parent
    file = folder / path.lstrip("/") if path else page.path
    return file.resolve(), unquote(parts.fragment)


def broken_links(site: Path, pages: dict[Path, Page]) -> list[str]:
    """Return the links, and loaded files, that lead to no file or to no part of a page."""
    found = []
    for page in pages.values():
        for link in (*page.links, *page.loaded):
            target = _target(site, page, link)
            if target is None:
                continue
            file, fragment = target
            # The fragment of the explorer is its state.
            known = fragment == "" or "=" in fragment or file not in pages
            if not file.is_file() or not (known or fragment in pages[file].ids):
                found.append(f"{page.path.relative_to(site)}: {link}")
    return found


def reached(site: Path, pages: dict[Path, Page]) -> set[Path]:
    """Return the pages that plain links reach from the front page."""
    found: set[Path] = set()
    waiting = [site / "index.html"]
    while waiting:
        file = waiting.pop()
        if file in found or file not in pages:
            continue
        found.add(file)
        targets = (_target(site, pages[file], link) for link in pages[file].links)
        waiting += [target[0] for target in targets if target]
    return found


def wide_lines(page: Page) -> Iterator[str]:
    """Yield the lines of code and of commands that do not fit their column.

    The output of a program is wrapped instead.
    """
    for language, text in page.blocks:
        for line in text.splitlines():
            code = language in _SOURCE or (language == "console" and line.startswith("$ "))
            marks = sum(category(character) in {"Mn", "Me"} for character in line)  # zero width
            if code and len(line) - marks > COLUMN:
                yield line


def palettes(css: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the custom properties of a style sheet, in light and in dark.

    The dark ones are those below `prefers-color-scheme: dark`, and light ones that they inherit.
    """
    light, dark = {}, {}
    for rule in re.finditer(r"([^{}]+)\{([^{}]*)\}", css):
        before = css[: rule.start()] + rule[1]
        opened = before.rfind("@media", before.rfind("}}") + 1)
        inside = opened >= 0 and before.count("{", opened) > before.count("}", opened)
        media = css[opened : css.index("{", opened)] if inside else ""
        values = dict(re.findall(r"(--[\w-]+):\s*([^;]+)", rule[2]))
        if "color-scheme" in media and "dark" in media:
            dark.update(values)
        elif "dark" not in rule[1] and "print" not in media:
            light.update(values)
    return light, {**light, **dark}


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors, from 1 to 21, as WCAG 2 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    digits = color.strip().removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
