"""Tokenizer files: their schema versions, and a tokenizer as the bytes of such a file.

    mergeable_vocab_size   256 + the number of merges
    merges                 [left id, right id] of each merge; the merge at rank r makes
                           the token with the id 256 + r
    pretokenizer_pattern   the text of the split pattern
    schema_version         the number of the version
    special_tokens         the id of each special token
    vocab                  the bytes of each id, as integers; the key is the id in decimal

The modules, in the order of reading:

    versions    what a file holds, and what differs between versions
    checks      reading: the numbered checks
    canonical   writing, and the size of a file in advance

A tokenizer is written in the lowest version that can hold it.

Not here: JSON itself (`_strict_json`), opening the file (`_reading`).
"""
