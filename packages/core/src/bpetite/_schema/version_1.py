"""Schema version 1, the specification's: GPT-2's pattern and `<|endoftext|>`."""

from collections.abc import Sequence
from typing import Final

from bpetite._constants import END_OF_TEXT_TOKEN, SCHEMA_VERSION
from bpetite._patterns import GPT2, Pattern
from bpetite._schema.content import Version, refuse


def _holds(pattern: Pattern, special_tokens: Sequence[str]) -> bool:
    return pattern is GPT2 and [*special_tokens] == [END_OF_TEXT_TOKEN]


def _pattern(text: str) -> Pattern:
    if text != GPT2.text:
        refuse("pretokenizer_pattern", "the GPT-2 pattern as bpetite writes it", text)
    return GPT2


def _special_tokens(special: object, size: int) -> tuple[str, ...]:
    if not isinstance(special, dict) or special.keys() != {END_OF_TEXT_TOKEN}:
        refuse("special_tokens", f"an object with only the key {END_OF_TEXT_TOKEN!r}", special)
    token_id = special[END_OF_TEXT_TOKEN]
    if type(token_id) is not int or token_id != size:
        where = f"special_tokens[{END_OF_TEXT_TOKEN!r}]"
        refuse(where, f"{size}, the first id after the mergeable ones", token_id)
    return (END_OF_TEXT_TOKEN,)


VERSION_1: Final = Version(SCHEMA_VERSION, _holds, _pattern, _special_tokens)
