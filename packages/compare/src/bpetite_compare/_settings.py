"""Settings of an export that change no id: roles, a maximum length, a chat template."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from bpetite._constants import END_OF_TEXT_TOKEN

ROLES: Final = {"bos": "the begin", "eos": "the end", "pad": "padding", "unk": "unknown text"}
"""The roles of special tokens in other libraries, and what each is for."""


def is_folder(to: str, output: str) -> bool:
    """Return whether the output is a folder: for GPT-2, and for Hugging Face unless *.json."""
    return to == "gpt2" or (to == "huggingface" and not output.endswith(".json"))


def has_roles(to: str, output: str) -> bool:
    """Return whether the output names the special token of each role."""
    return to == "gguf" or (to == "huggingface" and is_folder(to, output))


def check_fits(to: str, output: str, settings: Mapping[str, object]) -> None:
    """Reject settings, which may be None, that the output does not have."""
    for name, value in settings.items():
        fits = has_roles(to, output) and (to != "gguf" or name in ROLES)
        if value is not None and not fits:
            also = ", or gguf" if name in ROLES else ""
            raise ValueError(
                f"--{name.replace('_', '-')} ({name}=) requires a folder for huggingface{also}"
            )


def roles_of(
    given: Mapping[str, str | None], own: Collection[str], special_tokens: Collection[str]
) -> dict[str, str]:
    """Return the special token of each role.

    Args:
        given: the special tokens that somebody has named, or None.
        own: the special tokens of the tokenizer.
        special_tokens: those of the export.

    Raises:
        ValueError: a role has something else than a special token.
    """
    roles = {role: name for role, name in given.items() if name is not None}
    for role, name in roles.items():
        if name not in special_tokens:
            raise ValueError(
                f"--{role} ({role}=) names {name[:40]!r}, which is not a special token of this "
                "tokenizer; --special (special_tokens=) adds one"
            )
    if [*own] == [END_OF_TEXT_TOKEN]:  # its name says what it does; other names do not
        roles.setdefault("eos", END_OF_TEXT_TOKEN)
    return roles


def remarks(roles: Mapping[str, str], template: str | None) -> Iterator[str]:
    """Yield remarks about the roles and the chat template of an export, after checking it.

    Raises:
        ValueError: transformers cannot compile the template.
    """
    named = ", ".join(f"{role} {name!r}" for role, name in roles.items())
    yield f"roles: {named or 'none; name them with --bos, --eos, --pad and --unk (bos=, ...)'}"
    if template is None:
        return
    if template.startswith("\ufeff"):
        yield "the byte order mark at the start of the chat template is left out"
    if not _is_compiled(template):
        yield "the chat template was not checked, because transformers or jinja2 is not installed"
    for role in ROLES:
        if f"{role}_token" in template and role not in roles:
            yield f"the chat template uses {role}_token, which is empty without --{role} ({role}=)"


def _is_compiled(template: str) -> bool:
    """Compile a template as transformers does, and return whether transformers is installed.

    Its environment has tags of its own.

    Raises:
        ValueError: it cannot be compiled.
    """
    try:
        from transformers.utils import chat_template_utils  # noqa: PLC0415 - takes a second

        chat_template_utils._compile_jinja_template(template)
    except ImportError:  # transformers or jinja2 is not installed, or too old
        return False
    except Exception as error:  # noqa: BLE001 - Jinja's, or of Python's own compiler
        line = None if isinstance(error, SyntaxError) else getattr(error, "lineno", None)
        where = f" in line {line}" if line else ""
        # Python names a line of Jinja's code, not of the template.
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(f"the chat template cannot be compiled{where}: {reason}") from None
    return True
