(** Extracts the functions that tests compare with bpetite's, as JSON. [scripts/proof/coq_to_python.py]
    converts them to Python, in [tests/proof/extracted.py]. *)
From Coq Require Import Extraction.
From Bpetite Require Import Encoders Sizes Training Reachable Pattern Special Utf8 Tokenizer Numbering OrdinaryParts Extending.
From Bpetite Require General Ascii.

Extraction Language JSON.
Extraction "oracle.json"
  passes undo_counts find_unreachable is_torn split_gpt2 blocks pieces utf8s decode_utf8
  vocab train train_text
  cut encode ordinary decode decode_text
  encode_ids ordinary_ids decode_ids_text extension
  encode_outside encode_ids_outside
  General.encode_chunk Ascii.split_ascii.
