"""Generate the tables of models in docs/models.md, from the list that the tests import."""

from collections import Counter
from pathlib import Path
from typing import Final

from download_models import Model, read_models
from generate.command import filled

_PAGE: Final = Path("docs/models.md")


def files() -> dict[Path, str]:
    """Return the page."""
    every = sorted(read_models().values(), key=lambda model: model.model.lower())
    opened = [model for model in every if model.digest]
    table = "| model | file | options | from |\n|---|---|---|---|\n"
    for model in opened:
        options = f"`{model.options}`".replace("|", r"\|") if model.options else ""
        table += f"| {model.model} | `{_file(model)}` | {options} | {model.package} |\n"
    names: dict[str, list[str]] = {}
    count = Counter(model.model for model in opened)
    for model in opened:
        file = f" (`{_file(model)}`)" if count[model.model] > 1 else ""
        names.setdefault(model.digest, []).append(model.model + file)
    digests = "| sha256 | tokenizer |\n|---|---|\n"
    digests += "".join(f"| `{digest}` | {', '.join(of)} |\n" for digest, of in names.items())
    return {_PAGE: filled(str(_PAGE), {"models": table, "digests": digests})}


def _file(model: Model) -> str:
    """Return the file that is opened; a folder with others is named by it."""
    return model.files[0].rpartition("/")[2]
