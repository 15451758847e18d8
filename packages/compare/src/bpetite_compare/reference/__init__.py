"""The reference implementation: byte-level BPE as in a proof, deliberately slow and obvious.

One program runs gpt2, p50k_base, cl100k_base, o200k_base and bpetite's tokenizer files, because
they differ only in data: the merges, the vocabulary, the order of the 256 byte ids, the
pattern and the special tokens.

The claim is `decode(encode(text)) == text`. It follows from lemmas: the docstring of each
function states one. `tests/compare/test_reference.py` tests each lemma as a property:

    text
      -> bytes            UTF-8, which `decode` undoes at the end
      -> chunks           partition: the chunks join to the text
      -> shuffled bytes   shuffle cancellation, in `decode_chunk`
      -> ids              merge preservation: no merge changes the joined bytes
      -> shuffled bytes   distributivity: the bytes of joined ids are the joined bytes
      -> bytes -> text

Glossary
    ids       a chunk during encoding, or the result: a list of integers
    merges    pair of ids -> the id that replaces it; lower ids merge first
    vocab     id -> its bytes, shuffled
    shuffle   byte -> its id. In bpetite this is the identity; in OpenAI's encodings the
              printable bytes come first.
    ranks     bytes -> id, the only content of a tiktoken file

`train` learns a model with any pattern, and `bpetite_compare.to_tiktoken` converts it.

Not here: speed. `Tokenizer` returns the same ids, only faster.
"""

from ._ascii import pre_tokenize_ascii
from ._model import (
    Model,
    Pair,
    build_vocab,
    check_well_formed,
    decode,
    decode_bytes,
    decode_chunk,
    decompose_token,
    encode,
    encode_chunk,
    get_stats,
    merge,
    recover_merges,
)
from ._training import GPT2_PATTERN, GPT4_PATTERN, NO_PATTERN, train

__all__ = [
    "GPT2_PATTERN",
    "GPT4_PATTERN",
    "NO_PATTERN",
    "Model",
    "Pair",
    "build_vocab",
    "check_well_formed",
    "decode",
    "decode_bytes",
    "decode_chunk",
    "decompose_token",
    "encode",
    "encode_chunk",
    "get_stats",
    "merge",
    "pre_tokenize_ascii",
    "recover_merges",
    "train",
]
