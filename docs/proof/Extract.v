(** The functions that the theorems are about, as JSON, which [scripts/proof/coq_to_python.py]
    prints as Python: [tests/proof/extracted.py]. *)
From Coq Require Import Extraction.
From Bpetite Require Import Encoders Places Training Stay Pattern Special Utf8 Tokenizer Cache ByteRanks.

Extraction Language JSON.
Extraction "oracle.json"
  passes greedy greedy1 rank apply_merges stay tokens_that_stay known_tokens encode_chunk decompose byte_rank
  split_gpt2 pieces split_literal utf8s decode_utf8
  vocab train train_text
  encode encode_fast decode decode_text.
