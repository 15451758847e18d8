(** The theorems, and the axioms that they use: none. Coq reports this by printing "Closed under the
    global context" for every line below. *)
From Bpetite Require Import
  Passes Encoders Sizes Places Locality Training Reachable Pattern Special Utf8 Tokenizer Cache Numbering OrdinaryParts Extending Shrinking ByteRanks General Ascii Examples.

(** Round trip. *)
Print Assumptions Tokenizer.roundtrip.
Print Assumptions Tokenizer.roundtrip_bytes.
Print Assumptions Tokenizer.train_roundtrip.
Print Assumptions Tokenizer.grow_roundtrip.
Print Assumptions Tokenizer.encode_injective.
Print Assumptions Tokenizer.ordinary_roundtrip.
Print Assumptions Tokenizer.ordinary_ids.
Print Assumptions Tokenizer.chunk_whole.
Print Assumptions Tokenizer.chunk_merged.
Print Assumptions Numbering.numbered_roundtrip.
Print Assumptions Numbering.numbered_injective.
Print Assumptions Numbering.decode_numbered.
Print Assumptions Numbering.decode_unknown.
Print Assumptions General.general_roundtrip.
Print Assumptions General.shuffle_cancel.
Print Assumptions General.encode_ids.
Print Assumptions General.encode_chunk_normal.
Print Assumptions Ascii.ascii_bpe_roundtrip.
Print Assumptions Encoders.merge_pass_bytes.
Print Assumptions Encoders.bytes_of_app.
Print Assumptions Encoders.passes_bytes.
Print Assumptions Encoders.passes_ids.
Print Assumptions Encoders.passes_len.
Print Assumptions Utf8.decode_utf8_complete.
Print Assumptions Utf8.decode_utf8_sound.

(** Fast encoders. *)
Print Assumptions Encoders.greedy_eq_passes.
Print Assumptions Encoders.greedy1_eq_passes.
Print Assumptions Encoders.greedy_fuel_normal.
Print Assumptions Encoders.passes_normal.
Print Assumptions Encoders.rank_ok.
Print Assumptions Places.apply_merges_ok.
Print Assumptions Cache.get_ok.
Print Assumptions Cache.segment_ok.
Print Assumptions Cache.encode_cut_ok.
Print Assumptions Cache.encode_cached_ok.

(** Smaller vocabularies. *)
Print Assumptions Sizes.undo_passes.
Print Assumptions Sizes.undo_counts_ok.
Print Assumptions Sizes.split_id_len.
Print Assumptions Numbering.truncate_table.
Print Assumptions Numbering.truncate_ids.

(** Shrinking. *)
Print Assumptions Shrinking.shrunk_chunk.
Print Assumptions Shrinking.shrunk_id.
Print Assumptions Shrinking.text_kept.

(** Extending. *)
Print Assumptions Extending.extension_extends.
Print Assumptions Extending.extended_table.
Print Assumptions Extending.extended_roundtrip.
Print Assumptions Extending.chunk_kept.
Print Assumptions Extending.whole_kept.
Print Assumptions Extending.ordinary_kept.
Print Assumptions Extending.text_kept.
Print Assumptions Extending.new_or_completed.

(** Chunks and safe boundaries. *)
Print Assumptions Pattern.next_gpt2_pattern.
Print Assumptions Pattern.next_gpt2_pos.
Print Assumptions Pattern.split_gpt2_join.
Print Assumptions Pattern.split_gpt2_app.
Print Assumptions Pattern.split_parts.
Print Assumptions Pattern.boundary_safe.
Print Assumptions Pattern.blocks_join.
Print Assumptions Pattern.split_blocks.
Print Assumptions Pattern.pieces_join.
Print Assumptions Pattern.split_pieces.
Print Assumptions Tokenizer.encode_app.
Print Assumptions Tokenizer.encode_safely.
Print Assumptions Ascii.next_ascii_pattern.
Print Assumptions Ascii.next_ascii_pos.
Print Assumptions Ascii.split_ascii_join.
Print Assumptions Ascii.split_ascii_nonempty.

(** Special tokens. *)
Print Assumptions Special.partition_some.
Print Assumptions Special.partition_none.
Print Assumptions Special.leftmost_unique.
Print Assumptions Special.cut_order.
Print Assumptions Special.cut_step.
Print Assumptions Special.cut_join.
Print Assumptions Special.cut_parts.
Print Assumptions Special.partition_app.
Print Assumptions Special.space_uncrossed.
Print Assumptions Tokenizer.decode_special.
Print Assumptions Numbering.numbered_special.
Print Assumptions Numbering.numbered_apart.
Print Assumptions Pattern.split_unbroken.

(** Ordinary parts. *)
Print Assumptions OrdinaryParts.special_outside.
Print Assumptions OrdinaryParts.numbered_special_outside.
Print Assumptions OrdinaryParts.outside_bytes.
Print Assumptions OrdinaryParts.outside_roundtrip.
Print Assumptions OrdinaryParts.numbered_outside_roundtrip.
Print Assumptions OrdinaryParts.encode_outside_nothing.
Print Assumptions OrdinaryParts.encode_outside_all.
Print Assumptions OrdinaryParts.cut_outside_join.
Print Assumptions OrdinaryParts.cut_outside_beside.
Print Assumptions OrdinaryParts.cut_outside_covers.
Print Assumptions OrdinaryParts.cut_outside_nothing.
Print Assumptions OrdinaryParts.cut_outside_all.
Print Assumptions OrdinaryParts.partition_outside_some.
Print Assumptions OrdinaryParts.partition_outside_none.
Print Assumptions OrdinaryParts.partition_outside_first.
Print Assumptions OrdinaryParts.joined_ok.
Print Assumptions OrdinaryParts.first_overlaps_ok.
Print Assumptions OrdinaryParts.cut_loop_ok.

(** Trained vocabularies. *)
Print Assumptions Training.token_ok.
Print Assumptions Training.vocab_length.
Print Assumptions Training.trained_wf.
Print Assumptions Training.trained_distinct.
Print Assumptions Training.trained_own.
Print Assumptions Training.trained_injective.
Print Assumptions Training.best_first.
Print Assumptions Training.train_trained.
Print Assumptions Training.train_length.
Print Assumptions Training.grow_train.
Print Assumptions Training.grow_wf.
Print Assumptions Training.train_perm.
Print Assumptions Training.train_counts.
Print Assumptions Tokenizer.train_text_counts.
Print Assumptions Tokenizer.train_text_parts.
Print Assumptions Tokenizer.train_text_own.
Print Assumptions Tokenizer.train_text_injective.
Print Assumptions Tokenizer.special_apart.

(** Parts of a chunk. *)
Print Assumptions Locality.encode_parts.
Print Assumptions Locality.fit_encodes.
Print Assumptions Locality.encode_factor.
Print Assumptions Locality.encoding_fits.
Print Assumptions Locality.encoding_owns.
Print Assumptions Locality.decompose_token.

(** Self-encoding tokens. *)
Print Assumptions Reachable.reachable_iff.
Print Assumptions Reachable.find_unreachable_ok.

(** Merging by bytes. *)
Print Assumptions ByteRanks.decompose_join.
Print Assumptions ByteRanks.decompose_encode.

(** The assumptions about classes can be satisfied. *)
Print Assumptions Examples.ascii_classes.
