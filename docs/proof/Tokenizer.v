(** The tokenizer: it encodes, decodes and trains, and no text is lost.

    A text is a list of code points. [encode] is [tests/oracle.py: encode], and so
    [Tokenizer.encode]. [decode_text] is [Tokenizer.decode]; [decode] leaves out its last step,
    decoding UTF-8. *)
From Coq Require Import List Arith Lia Bool Permutation.
From Bpetite Require Import Passes Encoders Locality Training Pattern Special Utf8.
Import ListNotations.

(** [_constants.py: END_OF_TEXT_TOKEN], [<|endoftext|>]. *)
Definition end_of_text : list nat := [60; 124; 101; 110; 100; 111; 102; 116; 101; 120; 116; 124; 62].

Section Tokenizer.
Variables letter number space : nat -> bool.

Notation chunks_of := (split_gpt2 letter number space).
Notation pieces_of := (pieces space).

(** The id of the special token: the first after the merges. *)
Definition special (ms : list (nat * nat)) : nat := 256 + length ms.

(** The ids of a text without special tokens. *)
Definition ordinary (ms : list (nat * nat)) (s : list nat) : list nat :=
  flat_map (fun c => passes 0 ms (utf8s c)) (chunks_of s).

Definition encode_by (of_segment : list nat -> list nat) (sp : nat) (text : list nat) : list nat :=
  match split_literal end_of_text text with
  | [] => []
  | first :: others => of_segment first ++ flat_map (fun s => sp :: of_segment s) others
  end.
Definition encode (ms : list (nat * nat)) (text : list nat) : list nat :=
  encode_by (ordinary ms) (special ms) text.

(** The bytes of all ids, including the special token. *)
Definition all_tokens (ms : list (nat * nat)) : list (list nat) := vocab ms ++ [utf8s end_of_text].

Fixpoint join_tokens (tokens : list (list nat)) (ids : list nat) : option (list nat) :=
  match ids with
  | [] => Some []
  | i :: t => match nth_error tokens i, join_tokens tokens t with
              | Some b, Some r => Some (b ++ r)
              | _, _ => None
              end
  end.
(** An unknown id is an error: the result is [None]. *)
Definition decode (ms : list (nat * nat)) (ids : list nat) : option (list nat) :=
  join_tokens (all_tokens ms) ids.
Definition decode_text (ms : list (nat * nat)) (ids : list nat) : option (list nat) :=
  match decode ms ids with Some bytes => decode_utf8 bytes | None => None end.

(** The chunks of a corpus, and the merges that [_trainer.py: train_bpe] learns from them. *)
Definition corpus_chunks (documents : list (list nat)) : list (list nat) :=
  map utf8s (flat_map chunks_of documents).
Definition train_text (wanted : nat) (documents : list (list nat)) : list (nat * nat) :=
  train wanted (corpus_chunks documents).

Definition text_ok (text : list nat) : Prop := Forall (fun n => scalar n = true) text.

(** * Round trip *)

Lemma join_tokens_app tokens u v : join_tokens tokens (u ++ v) =
  match join_tokens tokens u, join_tokens tokens v with
  | Some a, Some b => Some (a ++ b)
  | _, _ => None
  end.
Proof.
  induction u as [|i u IH]; simpl; [destruct (join_tokens tokens v); reflexivity|].
  rewrite IH. destruct (nth_error tokens i), (join_tokens tokens u), (join_tokens tokens v);
    try reflexivity. rewrite app_assoc; reflexivity.
Qed.

Lemma decode_app ms u v a b : decode ms u = Some a -> decode ms v = Some b ->
  decode ms (u ++ v) = Some (a ++ b).
Proof. unfold decode. intros Hu Hv. rewrite join_tokens_app, Hu, Hv. reflexivity. Qed.

Lemma decode_ordinary_ids ms ids : Forall (fun i => i < 256 + length ms) ids ->
  decode ms ids = Some (bytes_of (token ms) ids).
Proof.
  unfold decode. induction 1 as [|i t H _ IH]; [reflexivity|]. simpl. rewrite IH.
  unfold all_tokens, token. rewrite nth_error_app1 by (rewrite vocab_length; exact H).
  rewrite (nth_error_nth' (vocab ms) []) by (rewrite vocab_length; exact H). reflexivity.
Qed.

(** The id of the special token decodes to its bytes. Speaks of [_decoder.Decoder.decode]. *)
Lemma decode_special ms : decode ms [special ms] = Some (utf8s end_of_text).
Proof.
  unfold decode, special, all_tokens. cbn [join_tokens].
  rewrite nth_error_app2, vocab_length, Nat.sub_diag by (rewrite vocab_length; lia).
  cbn [nth_error]. rewrite app_nil_r. reflexivity.
Qed.

Lemma text_ok_app u v : text_ok (u ++ v) <-> text_ok u /\ text_ok v.
Proof. apply Forall_app. Qed.

Lemma decode_chunks ms cs : wf_merges ms -> text_ok (concat cs) ->
  decode ms (flat_map (fun c => passes 0 ms (utf8s c)) cs) = Some (utf8s (concat cs)).
Proof.
  intro W. induction cs as [|c cs IH]; intro H; [reflexivity|].
  cbn [concat flat_map] in *. apply text_ok_app in H. destruct H as [H1 H2].
  rewrite utf8s_app. apply decode_app; [|apply IH; exact H2]. apply utf8s_bytes in H1.
  rewrite decode_ordinary_ids by (apply passes_ids; exact H1).
  rewrite (passes_bytes ms); auto using token_ok.
Qed.

Lemma decode_ordinary ms s : wf_merges ms -> text_ok s ->
  decode ms (ordinary ms s) = Some (utf8s s).
Proof.
  intros W H. unfold ordinary. rewrite <- (split_gpt2_join letter number space s) in H.
  rewrite decode_chunks by assumption. rewrite split_gpt2_join. reflexivity.
Qed.

Lemma end_of_text_nonnil : end_of_text <> [].
Proof. discriminate. Qed.

(** The ids of any text decode to the UTF-8 of the text, including special tokens. *)
Theorem roundtrip_bytes ms text : wf_merges ms -> text_ok text ->
  decode ms (encode ms text) = Some (utf8s text).
Proof.
  intros W H. unfold encode, encode_by.
  rewrite <- (split_literal_join end_of_text end_of_text_nonnil text) in H.
  rewrite <- (split_literal_join end_of_text end_of_text_nonnil text) at 2.
  destruct (split_literal end_of_text text) as [|first others]; [reflexivity|].
  revert first H. induction others as [|s others IH]; intros first H.
  - cbn [flat_map join] in *. rewrite app_nil_r. apply decode_ordinary; assumption.
  - change (join end_of_text (first :: s :: others))
      with (first ++ end_of_text ++ join end_of_text (s :: others)) in *.
    apply text_ok_app in H. destruct H as [H1 H]. apply text_ok_app in H. destruct H as [H2 H3].
    rewrite !utf8s_app. apply decode_app; [apply decode_ordinary; assumption|].
    apply (decode_app ms [special ms]); [apply decode_special|].
    apply IH. exact H3.
Qed.

(** The ids of any text decode to the text. Speaks of [_tokenizer.Tokenizer.encode] and
    [_tokenizer.Tokenizer.decode]. *)
Theorem roundtrip ms text : wf_merges ms -> text_ok text ->
  decode_text ms (encode ms text) = Some text.
Proof.
  intros W H. unfold decode_text. rewrite roundtrip_bytes by assumption.
  apply decode_utf8_complete, H.
Qed.

(** The ids of any text, encoded as ordinary text, decode to the text. Speaks of
    [_tokenizer.Tokenizer.encode] and [_tokenizer.Tokenizer.decode]. *)
Theorem ordinary_roundtrip ms text : wf_merges ms -> text_ok text ->
  decode_text ms (ordinary ms text) = Some text.
Proof.
  intros W H. unfold decode_text. rewrite decode_ordinary by assumption.
  apply decode_utf8_complete, H.
Qed.

Lemma chunks_ok s : text_ok s -> Forall text_ok (chunks_of s).
Proof.
  unfold text_ok. rewrite <- (split_gpt2_join letter number space s) at 1. apply Forall_concat.
Qed.

(** None of them is the id of the special token, whatever the text contains. Speaks of
    [_encoder.Encoder.encode]. *)
Theorem ordinary_ids ms text : text_ok text ->
  Forall (fun i => i < special ms) (ordinary ms text).
Proof.
  intro H. apply Forall_flat_map. eapply Forall_impl; [|apply chunks_ok, H].
  intros c K. apply passes_ids, utf8s_bytes, K.
Qed.

(** Different texts have different ids. Speaks of [oracle.encode]. *)
Corollary encode_injective ms s t : wf_merges ms -> text_ok s -> text_ok t ->
  encode ms s = encode ms t -> s = t.
Proof.
  intros W Hs Ht E. apply (roundtrip ms s W) in Hs. apply (roundtrip ms t W) in Ht. congruence.
Qed.

Hypothesis C : classes letter number space.

(** The ids of a text without special tokens, cut at a safe boundary, are the ids of its parts.
    Speaks of [_encoder.Encoder.encode]. *)
Theorem ordinary_app ms s1 s2 : safe space s1 s2 ->
  ordinary ms (s1 ++ s2) = ordinary ms s1 ++ ordinary ms s2.
Proof.
  intro S. unfold ordinary. rewrite (split_gpt2_app _ _ _ C) by exact S. apply flat_map_app.
Qed.

(** * The order of a corpus does not matter *)

Lemma corpus_chunks_perm documents documents' : Permutation documents documents' ->
  Permutation (corpus_chunks documents) (corpus_chunks documents').
Proof. intro H. apply Permutation_map, Permutation_flat_map, H. Qed.

(** Only the number of times that each document occurs matters, so a count of each is enough. Speaks
    of [_trainer.train_bpe]. *)
Theorem train_text_counts wanted documents documents' (dec : forall c d : list nat, {c = d} + {c <> d}) :
  (forall d, count_occ dec documents d = count_occ dec documents' d) ->
  train_text wanted documents = train_text wanted documents'.
Proof.
  intro H. apply train_perm, corpus_chunks_perm, (Permutation_count_occ dec), H.
Qed.

(** A document cut at safe boundaries gives the same merges. Speaks of [_trainer.train_bpe]. *)
Theorem train_text_parts wanted parts others : safe_parts space parts ->
  train_text wanted (concat parts :: others) = train_text wanted (parts ++ others).
Proof.
  intro S. unfold train_text, corpus_chunks. rewrite flat_map_app. cbn [flat_map].
  rewrite (split_parts _ _ _ C parts) by exact S. reflexivity.
Qed.

(** * Training on text *)

Section Trained.
Variables (wanted : nat) (documents : list (list nat)).
Hypothesis D : Forall text_ok documents.
Notation ms := (train_text wanted documents).

Lemma corpus_bytes : Forall (Forall byte) (corpus_chunks documents).
Proof.
  apply Forall_map, Forall_flat_map. eapply Forall_impl; [|exact D]. intros d K.
  eapply Forall_impl; [|apply chunks_ok, K]. exact utf8s_bytes.
Qed.

Lemma train_text_trained : trained (corpus_chunks documents) ms.
Proof. apply train_trained. Qed.

Lemma train_text_wf : wf_merges ms.
Proof. apply (trained_wf (corpus_chunks documents)); auto using corpus_bytes, train_text_trained. Qed.

(** The round trip after training on any corpus, without assumptions about the merges. Speaks of
    [_trainer.train_bpe]. *)
Theorem train_roundtrip text : text_ok text -> decode_text ms (encode ms text) = Some text.
Proof. apply roundtrip, train_text_wf. Qed.

(** The round trip after training that continues from any tokenizer. Speaks of [_trainer.learn]. *)
Theorem grow_roundtrip start more text : wf_merges start -> text_ok text ->
  decode_text (grow start more (corpus_chunks documents))
    (encode (grow start more (corpus_chunks documents)) text) = Some text.
Proof. intro W. apply roundtrip, grow_wf; auto using corpus_bytes. Qed.

(** After training, every token encodes to itself. Speaks of [_trainer.train_bpe]. *)
Theorem train_text_own i : i < 256 + length ms -> passes 0 ms (token ms i) = [i].
Proof.
  apply (trained_own (corpus_chunks documents)); auto using corpus_bytes, train_text_trained.
Qed.

(** ** No other token has the bytes of the special token *)

(** [|] is in none of the three classes. *)
Hypothesis P : letter 124 = false /\ number 124 = false /\ space 124 = false.

Lemma firstn_run p n s : n <= run p s -> Forall (fun x => p x = true) (firstn n s).
Proof.
  revert n. induction s as [|x s IH]; intros [|n] H; simpl in *; auto; try lia.
  destruct (p x) eqn:Px; [|lia]. constructor; [exact Px|apply IH; lia].
Qed.

(** The characters of a chunk: a contraction, or one class, with or without a space before it. *)
Lemma chunk_made s : exists p : nat -> bool,
  Forall (fun x => x = 32 \/ p x = true) (firstn (next_gpt2 letter number space s) s) /\
  (p = letter \/ p = number \/ p = other letter number space \/ p = space \/ p 124 = false).
Proof.
  assert (R : forall p, Forall (fun x => x = 32 \/ p x = true) (firstn (sp_run p s) s)).
  { intro p. destruct s as [|x t]; [constructor|]. unfold sp_run.
    destruct (Nat.eqb_spec x 32) as [->|]; cbn [andb]; [destruct (0 <? run p t)|].
    - cbn [firstn]. constructor; [auto|]. eapply Forall_impl; [|apply firstn_run; auto]. auto.
    - eapply Forall_impl; [|apply firstn_run; auto]. auto.
    - eapply Forall_impl; [|apply firstn_run; auto]. auto. }
  unfold next_gpt2, orelse. destruct (contraction s) eqn:K.
  - destruct (sp_run letter s) eqn:K1; [|exists letter; rewrite <- K1; auto].
    destruct (sp_run number s) eqn:K2; [|exists number; rewrite <- K2; auto].
    destruct (sp_run (other letter number space) s) eqn:K3; [|exists (other letter number space); rewrite <- K3; auto].
    exists space. split; [|auto]. eapply Forall_impl; [|apply (firstn_run space)]; auto.
    unfold ws_run. destruct (skipn _ s); auto. destruct (2 <=? run space s); lia.
  - exists (fun x => negb (x =? 124)). split; [|auto 6]. rewrite <- K. clear R K n.
    destruct s as [|x [|y t]]; [constructor..|]. unfold contraction.
    destruct (Nat.eqb_spec x apostrophe) as [->|]; [|constructor].
    destruct (sdmt y) eqn:M.
    + unfold sdmt in M. rewrite !orb_true_iff, !Nat.eqb_eq in M. cbn [firstn].
      repeat (apply Forall_cons || apply Forall_nil); right;
        apply negb_true_iff, Nat.eqb_neq; unfold apostrophe; lia.
    + destruct t as [|z t]; [constructor|].
      destruct (((y =? 108) && (z =? 108)) || ((y =? 118) && (z =? 101)) || ((y =? 114) && (z =? 101))) eqn:Q;
        [|constructor].
      rewrite !orb_true_iff, !andb_true_iff, !Nat.eqb_eq in Q.
      cbn [firstn]. repeat (apply Forall_cons || apply Forall_nil); right;
        apply negb_true_iff, Nat.eqb_neq; unfold apostrophe; lia.
Qed.

Lemma chunk_not_both s : ~ (In 124 (firstn (next_gpt2 letter number space s) s) /\
                            In 101 (firstn (next_gpt2 letter number space s) s)).
Proof.
  intros [I1 I2]. destruct (chunk_made s) as (p & F & K). rewrite Forall_forall in F.
  apply F in I1, I2. destruct P as (P1 & P2 & P3).
  destruct I1 as [I1|I1]; [discriminate|]. destruct I2 as [I2|I2]; [discriminate|].
  destruct K as [->|[->|[->|[->|K]]]]; try congruence.
  unfold other in I2. rewrite (ascii_letters _ _ _ C 101 eq_refl) in I2. discriminate.
Qed.

Lemma chunks_not_both s : Forall (fun c => ~ (In 124 c /\ In 101 c)) (chunks_of s).
Proof.
  unfold split_gpt2. remember (length s) as n eqn:L. revert s L.
  induction n as [n IH] using lt_wf_ind. intros [|x t] ->; [constructor|].
  rewrite split_step. pose proof (next_gpt2_pos letter number space x t) as K.
  rewrite Nat.max_r by exact K. constructor; [apply chunk_not_both|].
  eapply IH; [|reflexivity]. rewrite skipn_length. cbn [length]. lia.
Qed.

Lemma in_utf8s_ascii b s : b < 128 -> In b (utf8s s) -> In b s.
Proof.
  intros L I. apply in_flat_map in I. destruct I as (x & I & J).
  apply utf8_ascii in J; [subst; exact I|exact L].
Qed.

(** No learned token has the bytes of the special token. Speaks of [_trainer.train_bpe]. *)
Theorem special_apart i : i < 256 + length ms -> token ms i <> utf8s end_of_text.
Proof.
  intros L H. destruct (Nat.lt_ge_cases i 256) as [B|B].
  - rewrite (proj1 (token_ok ms train_text_wf) i B) in H. discriminate.
  - destruct (trained_part _ ms corpus_bytes train_text_trained i (conj B L)) as (c & p & q & I & K).
    apply in_map_iff in I. destruct I as (ch & <- & I). apply in_flat_map in I.
    destruct I as (d & _ & I). pose proof (chunks_not_both d) as F. rewrite Forall_forall in F.
    apply (F ch I). split; apply in_utf8s_ascii; try lia; rewrite K, H; apply in_or_app; right;
      apply in_or_app; left; vm_compute; tauto.
Qed.

(** No two tokens have the same bytes, including the special token. Speaks of
    [_trainer.train_bpe]. *)
Theorem train_text_injective i j b : nth_error (all_tokens ms) i = Some b ->
  nth_error (all_tokens ms) j = Some b -> i = j.
Proof.
  assert (G : forall i b, nth_error (all_tokens ms) i = Some b ->
    (i < 256 + length ms /\ b = token ms i) \/ (i = 256 + length ms /\ b = utf8s end_of_text)).
  { clear i j b. intros i b H. unfold all_tokens in H. pose proof (vocab_length ms) as V.
    destruct (Nat.lt_ge_cases i (256 + length ms)) as [L|L].
    - left. split; [exact L|]. rewrite nth_error_app1 in H by lia.
      symmetry. apply nth_error_nth. exact H.
    - right. rewrite nth_error_app2, V in H by lia.
      destruct (i - (256 + length ms)) as [|k] eqn:K; [|destruct k; discriminate].
      injection H as <-. split; [lia|reflexivity]. }
  intros Hi Hj. destruct (G _ _ Hi) as [[Li ->]|[-> ->]], (G _ _ Hj) as [[Lj Bj]|[-> Bj]]; auto.
  - apply (trained_injective (corpus_chunks documents) ms); auto using corpus_bytes, train_text_trained.
  - destruct (special_apart i Li Bj).
  - destruct (special_apart j Lj (eq_sym Bj)).
Qed.
End Trained.
End Tokenizer.
