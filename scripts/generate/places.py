"""Fill in tables on handwritten pages, each between two markers.

<!-- made by scripts/generate: NAME -->
<!-- end -->
"""

import re
from collections.abc import Mapping
from typing import Final

_PLACE: Final = re.compile(
    r"(<!-- made by scripts/generate: ([\w-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def filled(page: str, tables: Mapping[str, str]) -> str:
    """Return a page with each table between its markers; other places stay as they are.

    Raises:
        ValueError: the page has no place for a table, or two.
    """
    places = [name for _, name in _PLACE.findall(page)]
    if any(places.count(name) != 1 for name in tables):
        raise ValueError(
            f"the page has places for {sorted(places)}, and the tables are {sorted(tables)}"
        )
    return _PLACE.sub(
        lambda place: f"{place[1]}\n{tables[place[2]]}\n" if place[2] in tables else place[0], page
    )
