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
    END_OF_TEXT_TOKEN       the special token of a tokenizer, unless others are named
    ID_LIMIT                every id is below it
    checked_special_tokens  the texts of special tokens, after checking the rules for their origin
    SpecialTokenError       what it raises

Training in parts
    training_start          what training begins with: the merges of a start, a pattern, names
    ChunkCounter            counts the chunks of some documents: `count`, and at the end `flush`
    CountedPart             what both return
    total_chunks            the frequency of each chunk in all parts; it logs the progress
    learn_merges            the tokenizer that is learned from parts, and the counts of its pairs

Text
    cut_safely              a text that is read in parts, in parts that end where every pattern cuts

Files
    quoted                  a path in a message, in quotes if it could be misread
    read_file               the bytes of an untrusted file; an error if it is larger than a maximum
    FileError               what is wrong with a file to read: its path, and whether it is not JSON
    parse_json              untrusted JSON
    check_not_an_input      an output is none of the inputs
    check_writable          an output can be written: a file is made there, and deleted
    write_parts             a file, whole or not at all
    write_folder            a folder of files, new and whole, or one after another over old ones

Memory
    garbage_collector_paused  makes a function with many objects, but no cycles, faster
"""

from bpetite._artifact import Artifact
from bpetite._boundaries import cut_safely
from bpetite._collector import garbage_collector_paused
from bpetite._constants import END_OF_TEXT_TOKEN, ID_LIMIT
from bpetite._corpus import ChunkCounter, CountedPart, total_chunks
from bpetite._patterns import ALL_PATTERNS, PATTERNS, Pattern
from bpetite._quoting import quoted
from bpetite._reading import FileError, read_file
from bpetite._special_tokens import SpecialTokenError, checked_special_tokens
from bpetite._strict_json import parse_json
from bpetite._tokenizer import Tokenizer
from bpetite._trainer import learn_merges, training_start
from bpetite._writing import check_not_an_input, check_writable, write_folder, write_parts

__all__ = [
    "ALL_PATTERNS",
    "END_OF_TEXT_TOKEN",
    "ID_LIMIT",
    "PATTERNS",
    "Artifact",
    "ChunkCounter",
    "CountedPart",
    "FileError",
    "Pattern",
    "SpecialTokenError",
    "artifact_of",
    "check_not_an_input",
    "check_writable",
    "checked_special_tokens",
    "cut_safely",
    "garbage_collector_paused",
    "learn_merges",
    "parse_json",
    "quoted",
    "read_file",
    "tokenizer_of",
    "total_chunks",
    "training_start",
    "write_folder",
    "write_parts",
]

tokenizer_of = Tokenizer._of


def artifact_of(tokenizer: Tokenizer) -> Artifact:
    return tokenizer._artifact
