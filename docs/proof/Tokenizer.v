(** The tokenizer: it encodes, decodes and trains, and no text is lost.

    A text is a list of code points. [split] is any splitter whose chunks join to the text, [whole]
    are any whole tokens, and [names] any special tokens. [encode] is [tests/oracle.py: encode], and so
    [Tokenizer.encode]. [decode_text] is [Tokenizer.decode]; [decode] leaves out its last step,
    decoding UTF-8. *)
From Coq Require Import List Arith Lia Bool Permutation.
From Bpetite Require Import Passes Encoders Locality Training Pattern Special Utf8.
Import ListNotations.

Definition text_ok (text : list nat) : Prop := Forall (fun n => scalar n = true) text.

Section Tokenizer.
Variables (split : list nat -> list (list nat)) (whole names : list (list nat)).

(** The place of a whole or special token in its list. *)
Fixpoint index (ns : list (list nat)) (name : list nat) : nat :=
  match ns with
  | [] => 0
  | n :: t => if list_eqb n name then 0 else S (index t name)
  end.

(** The ids of a chunk. Those of whole tokens are the first after the merges. *)
Definition chunk_ids (ms : list (nat * nat)) (c : list nat) : list nat :=
  if existsb (list_eqb c) whole then [256 + length ms + index whole c] else passes 0 ms c.

(** The ids of a text without special tokens. *)
Definition ordinary (ms : list (nat * nat)) (s : list nat) : list nat :=
  flat_map (fun c => chunk_ids ms (utf8s c)) (split s).

(** The ids of the special tokens are the first after those. *)
Definition special (ms : list (nat * nat)) (name : list nat) : nat :=
  256 + length ms + length whole + index names name.

Definition encode_parts (ms : list (nat * nat)) (parts : list nat * list (list nat * list nat)) :=
  let (first, others) := parts in
  ordinary ms first ++ flat_map (fun p => special ms (fst p) :: ordinary ms (snd p)) others.
Definition encode (ms : list (nat * nat)) (text : list nat) : list nat :=
  encode_parts ms (cut names text).

(** The bytes of all ids, including whole and special tokens. *)
Definition all_tokens (ms : list (nat * nat)) : list (list nat) := vocab ms ++ whole ++ map utf8s names.

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
  map utf8s (flat_map split documents).
Definition train_text (wanted : nat) (documents : list (list nat)) : list (nat * nat) :=
  train wanted (corpus_chunks documents).

(** * Whole tokens *)

Lemma index_nth ns name : In name ns -> nth_error ns (index ns name) = Some name.
Proof.
  induction ns as [|n t IH]; intro I; [destruct I|]. cbn [index].
  destruct (list_eqb n name) eqn:E; [apply list_eqb_eq in E; subst; reflexivity|].
  destruct I as [->|I]; [|exact (IH I)].
  rewrite (proj2 (list_eqb_eq name name) eq_refl) in E. discriminate.
Qed.

Lemma whole_spec c : existsb (list_eqb c) whole = true <-> In c whole.
Proof.
  rewrite existsb_exists. split; [intros (x & I & E); apply list_eqb_eq in E; congruence|].
  intro I. exists c. split; [exact I|apply list_eqb_eq; reflexivity].
Qed.

(** A chunk with the bytes of a whole token gets only its id. Speaks of [_encoder.Encoder]. *)
Theorem chunk_whole ms c : In c whole ->
  chunk_ids ms c = [256 + length ms + index whole c] /\
  nth_error (all_tokens ms) (256 + length ms + index whole c) = Some c.
Proof.
  intro I. unfold chunk_ids, all_tokens. rewrite (proj2 (whole_spec c) I). split; [reflexivity|].
  rewrite nth_error_app2, vocab_length by (rewrite vocab_length; lia).
  rewrite Nat.add_comm, Nat.add_sub, nth_error_app1; [apply index_nth, I|].
  apply nth_error_Some. rewrite index_nth by exact I. discriminate.
Qed.

(** No other chunk changes. Speaks of [_encoder.Encoder]. *)
Theorem chunk_merged ms c : ~ In c whole -> chunk_ids ms c = passes 0 ms c.
Proof.
  intro I. unfold chunk_ids. destruct (existsb _ _) eqn:E; [|reflexivity].
  destruct I. apply whole_spec, E.
Qed.

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

Lemma special_token ms name : In name names ->
  nth_error (all_tokens ms) (special ms name) = Some (utf8s name).
Proof.
  intro I. unfold special, all_tokens. rewrite app_assoc.
  rewrite nth_error_app2; rewrite app_length, vocab_length; [|lia].
  rewrite Nat.add_comm, Nat.add_sub. apply map_nth_error, index_nth, I.
Qed.

(** The id of a special token decodes to its bytes. Speaks of [_decoder.Decoder.decode]. *)
Theorem decode_special ms name : In name names -> decode ms [special ms name] = Some (utf8s name).
Proof.
  intro I. unfold decode. cbn [join_tokens]. rewrite (special_token ms name I), app_nil_r. reflexivity.
Qed.

Lemma decode_chunk ms c : wf_merges ms -> Forall byte c -> decode ms (chunk_ids ms c) = Some c.
Proof.
  intros W H. destruct (in_dec (list_eq_dec Nat.eq_dec) c whole) as [I|I].
  - destruct (chunk_whole ms c I) as [-> E]. unfold decode. cbn [join_tokens].
    rewrite E, app_nil_r. reflexivity.
  - rewrite (chunk_merged ms c I), decode_ordinary_ids by (apply passes_ids, H).
    rewrite (passes_bytes ms); auto using token_ok.
Qed.

Lemma text_ok_app u v : text_ok (u ++ v) <-> text_ok u /\ text_ok v.
Proof. apply Forall_app. Qed.

Lemma decode_chunks ms cs : wf_merges ms -> text_ok (concat cs) ->
  decode ms (flat_map (fun c => chunk_ids ms (utf8s c)) cs) = Some (utf8s (concat cs)).
Proof.
  intro W. induction cs as [|c cs IH]; intro H; [reflexivity|].
  cbn [concat flat_map] in *. apply text_ok_app in H. destruct H as [H1 H2].
  rewrite utf8s_app. apply decode_app; [apply decode_chunk, utf8s_bytes, H1; exact W|apply IH, H2].
Qed.

(** Every pattern's chunks join to the text. *)
Hypothesis J : forall s, concat (split s) = s.

Lemma decode_ordinary ms s : wf_merges ms -> text_ok s ->
  decode ms (ordinary ms s) = Some (utf8s s).
Proof.
  intros W H. unfold ordinary. rewrite <- (J s) in H. rewrite decode_chunks, J by assumption. reflexivity.
Qed.

(** The ids of any text decode to the UTF-8 of the text, including special tokens. *)
Theorem roundtrip_bytes ms text : wf_merges ms -> text_ok text ->
  decode ms (encode ms text) = Some (utf8s text).
Proof.
  intro W. unfold encode, cut. generalize (length text). intro f. revert text.
  induction f as [|f IH]; intros text H; cbn [cut_fuel];
    [cbn; rewrite app_nil_r; apply decode_ordinary; assumption|].
  destruct (partition names text) as [[b [n a]]|] eqn:E;
    [|cbn; rewrite app_nil_r; apply decode_ordinary; assumption].
  apply partition_some in E. destruct E as (-> & I & _).
  apply text_ok_app in H. destruct H as [H1 H]. apply text_ok_app in H. destruct H as [_ H].
  specialize (IH a H). destruct (cut_fuel f names a) as [s others]. rewrite !utf8s_app.
  apply decode_app; [apply decode_ordinary; assumption|].
  apply (decode_app ms [special ms n]); [apply decode_special, I|exact IH].
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

Lemma chunks_ok s : text_ok s -> Forall text_ok (split s).
Proof. unfold text_ok. rewrite <- (J s) at 1. apply Forall_concat. Qed.

(** None of them is the id of a special token, whatever the text contains. Speaks of
    [_encoder.Encoder.encode]. *)
Theorem ordinary_ids ms text name : text_ok text ->
  Forall (fun i => i < special ms name) (ordinary ms text).
Proof.
  intro H. apply Forall_flat_map. eapply Forall_impl; [|apply chunks_ok, H].
  intros c K. unfold special. destruct (in_dec (list_eq_dec Nat.eq_dec) (utf8s c) whole) as [I|I].
  - rewrite (proj1 (chunk_whole ms _ I)). apply index_nth in I.
    assert (index whole (utf8s c) < length whole) by (apply nth_error_Some; congruence).
    constructor; [lia|constructor].
  - rewrite chunk_merged by exact I. eapply Forall_impl; [|apply passes_ids, utf8s_bytes, K]. cbn. lia.
Qed.

(** Different texts have different ids. Speaks of [oracle.encode]. *)
Corollary encode_injective ms s t : wf_merges ms -> text_ok s -> text_ok t ->
  encode ms s = encode ms t -> s = t.
Proof.
  intros W Hs Ht E. apply (roundtrip ms s W) in Hs. apply (roundtrip ms t W) in Ht. congruence.
Qed.

(** * Text in two parts *)

(** Between [s1] and [s2] the splitter cuts, wherever the text begins and ends. *)
Definition cuts (s1 s2 : list nat) : Prop := forall a p q b, s1 = a ++ p -> s2 = q ++ b ->
  split (p ++ q) = split p ++ split q.

Lemma cuts_ordinary ms s1 s2 a p q b : cuts s1 s2 -> s1 = a ++ p -> s2 = q ++ b ->
  ordinary ms (p ++ q) = ordinary ms p ++ ordinary ms q.
Proof. intros K A B. unfold ordinary. rewrite (K a p q b) by assumption. apply flat_map_app. Qed.

Lemma encode_step ms text : ~ In [] names -> encode ms text =
  match partition names text with
  | Some (b, (n, a)) => ordinary ms b ++ special ms n :: encode ms a
  | None => ordinary ms text
  end.
Proof.
  intro N. unfold encode. rewrite cut_step by exact N.
  destruct (partition names text) as [[b [n a]]|]; [|apply app_nil_r].
  destruct (cut names a). reflexivity.
Qed.

(** The ids of a text cut there, and inside no special token, are the ids of its parts. Speaks of
    [_encoder.Encoder.encode]. *)
Theorem encode_app ms s1 s2 : ~ In [] names -> uncrossed names s1 s2 -> cuts s1 s2 ->
  encode ms (s1 ++ s2) = encode ms s1 ++ encode ms s2.
Proof.
  intros N. remember (length s1) as k eqn:L. revert s1 L. induction k as [k IH] using lt_wf_ind.
  intros s1 -> U K. rewrite (encode_step ms (s1 ++ s2)), (encode_step ms s1) by exact N.
  rewrite (partition_app _ N) by exact U.
  destruct (partition names s1) as [[b [n a]]|] eqn:E.
  - pose proof (partition_short _ N _ _ _ _ E) as S. apply partition_some in E.
    destruct E as (-> & _). rewrite app_assoc in U, K. rewrite (IH _ S a eq_refl).
    + rewrite <- app_assoc. reflexivity.
    + apply (uncrossed_tail names _ _ _ U).
    + intros c p q d -> ->. apply (K ((b ++ n) ++ c) p q d); [apply app_assoc|reflexivity].
  - rewrite (encode_step ms s2) by exact N.
    destruct (partition names s2) as [[b [n a]]|] eqn:F.
    + apply partition_some in F. destruct F as (F & _).
      rewrite (cuts_ordinary ms _ _ [] s1 b (n ++ a) K eq_refl F). symmetry. apply app_assoc.
    + apply (cuts_ordinary ms _ _ [] s1 s2 [] K eq_refl). symmetry. apply app_nil_r.
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

(** A document in parts that have its chunks gives the same merges. Speaks of
    [_trainer.train_bpe]. *)
Theorem train_text_parts wanted parts others : flat_map split parts = split (concat parts) ->
  train_text wanted (concat parts :: others) = train_text wanted (parts ++ others).
Proof.
  intro S. unfold train_text, corpus_chunks. rewrite flat_map_app, S. reflexivity.
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

(** ** No other token has the bytes of a special token *)

(** No chunk has an ASCII letter or digit directly before ASCII punctuation; each special token does. *)
Hypothesis B : forall s, Forall (fun c => ~ broken c) (split s).
Hypothesis S : Forall broken names.

(** No learned token has the bytes of a special token. Speaks of [_trainer.train_bpe]. *)
Theorem special_apart i name : In name names -> i < 256 + length ms -> token ms i <> utf8s name.
Proof.
  intros M L H. rewrite Forall_forall in S. destruct (S name M) as (p & x & w & q & -> & X & W).
  assert (x < 128 /\ w < 128) as [X' W'] by (apply broken_ascii; assumption).
  rewrite utf8s_app, !utf8s_cons, !utf8_one in H by assumption. cbn [app] in H.
  destruct (Nat.lt_ge_cases i 256) as [K|K].
  - rewrite (proj1 (token_ok ms train_text_wf) i K) in H. destruct (utf8s p) as [|? [|? ?]]; discriminate.
  - destruct (trained_part _ ms corpus_bytes train_text_trained i (conj K L)) as (c & u & v & I & E).
    apply in_map_iff in I. destruct I as (ch & <- & I). apply in_flat_map in I.
    destruct I as (d & _ & I). pose proof (B d) as F. rewrite Forall_forall in F. apply (F ch I).
    rewrite H, <- app_assoc, app_assoc in E. cbn [app] in E.
    destruct (utf8s_adjacent _ _ _ _ _ E X' W') as (p' & q' & ->). exists p', x, w, q'. auto.
Qed.

(** No two tokens have the same bytes, including the special tokens. Training makes no whole tokens.
    Speaks of [_trainer.train_bpe]. *)
Theorem train_text_injective i j b : whole = [] -> NoDup names -> Forall text_ok names ->
  nth_error (all_tokens ms) i = Some b -> nth_error (all_tokens ms) j = Some b -> i = j.
Proof.
  intros E U T.
  assert (G : forall i b, nth_error (all_tokens ms) i = Some b ->
    (i < 256 + length ms /\ b = token ms i) \/
    exists k name, i = 256 + length ms + k /\ nth_error names k = Some name /\ b = utf8s name).
  { clear i j b. intros i b H. unfold all_tokens in H. rewrite E in H. cbn [app] in H. pose proof (vocab_length ms) as V.
    destruct (Nat.lt_ge_cases i (256 + length ms)) as [L|L].
    - left. split; [exact L|]. rewrite nth_error_app1 in H by lia.
      symmetry. apply nth_error_nth. exact H.
    - right. rewrite nth_error_app2, V in H by lia. exists (i - (256 + length ms)).
      rewrite nth_error_map in H. destruct (nth_error names _) as [name|]; [|discriminate].
      injection H as <-. exists name. split; [lia|auto]. }
  intros Hi Hj. destruct (G _ _ Hi) as [[Li ->]|(k & n & -> & K & ->)],
    (G _ _ Hj) as [[Lj Bj]|(k' & n' & -> & K' & Bj)].
  - apply (trained_injective (corpus_chunks documents) ms); auto using corpus_bytes, train_text_trained.
  - destruct (special_apart i n' (nth_error_In _ _ K') Li Bj).
  - destruct (special_apart j n (nth_error_In _ _ K) Lj (eq_sym Bj)).
  - f_equal. rewrite NoDup_nth_error in U. rewrite Forall_forall in T. apply U.
    + apply nth_error_Some. congruence.
    + pose proof (decode_utf8_complete n (T n (nth_error_In _ _ K))) as Q.
      rewrite Bj, (decode_utf8_complete n' (T n' (nth_error_In _ _ K'))) in Q. congruence.
Qed.
End Trained.
End Tokenizer.

(** * GPT-2's pattern *)

Section Gpt2.
Variables letter number space : nat -> bool.
Hypothesis C : classes letter number space.
Variables whole names : list (list nat).
Hypothesis N : ~ In [] names.
Hypothesis B : Forall (fun n => exists b, Forall (fun c => space c = b) n) names.

Notation gpt2_encode := (encode (split_gpt2 letter number space) whole names).

(** The ids of a text cut at safe boundaries are the ids of its parts, including special tokens,
    as these have no whitespace, or nothing else. Speaks of [_boundaries.cut_safely]. *)
Theorem encode_safely ms ss : safe_parts space ss ->
  flat_map (gpt2_encode ms) ss = gpt2_encode ms (concat ss).
Proof.
  induction ss as [|s ss IH]; cbn [safe_parts flat_map concat].
  { intros _. rewrite encode_step, partition_nil by exact N. reflexivity. }
  intros [H T]. rewrite (IH T). symmetry. apply encode_app; [exact N| |].
  - destruct s as [|y s] using rev_ind; [intros p n q _ _ L; simpl in L; lia|].
    destruct (concat ss) as [|w t]; [|apply (space_uncrossed _ space); auto; apply (safe_space _ _ _ _ _ H)].
    intros p n q _ E _. rewrite app_nil_r in E. rewrite E, !app_length. lia.
  - intros a p q b -> Q. rewrite Q in H. apply (split_gpt2_app _ _ _ C), (safe_inside _ _ _ _ _ H).
Qed.
End Gpt2.
