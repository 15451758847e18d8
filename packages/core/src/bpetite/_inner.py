"""The door of the core: what the command line and compare use of it beside `Tokenizer`.

It is not for others, and may change in any version. Nothing else of the core is imported by its
siblings, and of what it gives they use no private attribute.

A tokenizer as data
    Artifact                a tokenizer: its merges, tokens, pattern, special tokens and ids
    tokenizer_of            the `Tokenizer` of an artifact
    artifact_of             the artifact of a `Tokenizer`
    Pattern                 a split pattern
    PATTERNS                the patterns for training, by name; the first is the default
    ALL_PATTERNS            these, and the patterns for imports
    END_OF_TEXT_TOKEN       the special token, unless a list replaces it
    MOST_IDS                every id is below it
    checked_special_tokens  the rules for the texts of special tokens
    SpecialTokenError       what it raises

Training in parts
    beginning               what training begins with: a start, or the settings
    PartCounter             counts the chunks of some documents, in one of several processes
    Part                    what it returns
    add_up                  the frequencies of the chunks in all parts
    learn                   the merges of a corpus that is counted in parts

Text
    cut_safely              a text in parts that end where every pattern cuts
    blocks                  the same for a text in memory, in parts of about a size

Files
    quoted                  a path in a message
    read_file               the bytes of an untrusted file, up to a maximum
    FileError               what is wrong with a file to read: its path, and whether it is JSON
    parse_json              untrusted JSON
    check_no_input          an output is none of the inputs
    check_writable          an output can be written, before the work
    write_parts             a file, whole or not at all
    write_folder            a folder of files, whole or not at all
"""

from bpetite._artifact import Artifact
from bpetite._boundaries import blocks, cut_safely
from bpetite._constants import END_OF_TEXT_TOKEN, MOST_IDS
from bpetite._corpus import Part, PartCounter, add_up
from bpetite._patterns import ALL_PATTERNS, PATTERNS, Pattern
from bpetite._quoting import quoted
from bpetite._reading import FileError, read_file
from bpetite._special_tokens import SpecialTokenError, checked_special_tokens
from bpetite._strict_json import parse_json
from bpetite._tokenizer import Tokenizer
from bpetite._trainer import beginning, learn
from bpetite._writing import check_no_input, check_writable, write_folder, write_parts

__all__ = [
    "ALL_PATTERNS",
    "END_OF_TEXT_TOKEN",
    "MOST_IDS",
    "PATTERNS",
    "Artifact",
    "FileError",
    "Part",
    "PartCounter",
    "Pattern",
    "SpecialTokenError",
    "add_up",
    "artifact_of",
    "beginning",
    "blocks",
    "check_no_input",
    "check_writable",
    "checked_special_tokens",
    "cut_safely",
    "learn",
    "parse_json",
    "quoted",
    "read_file",
    "tokenizer_of",
    "write_folder",
    "write_parts",
]

tokenizer_of = Tokenizer._of


def artifact_of(tokenizer: Tokenizer) -> Artifact:
    return tokenizer._artifact
