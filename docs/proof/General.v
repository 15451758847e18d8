(** The round trip of the reference model: any merges, vocabulary, splitter and byte permutation.

    The merges are a table from pairs to ids, in any order, and the vocabulary is a given table. The
    bytes may be permuted before merging, as in some of OpenAI's vocabularies. Any pre-tokenizer
    works if its chunks join to the bytes. bpetite is a special case: its merges are numbered in
    order, and it does not permute bytes. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders.
Import ListNotations.

(** The conditions that the round trip needs. The specification also requires that no two tokens
    have the same bytes; the round trip holds without that. *)
Record well_formed (merges : nat -> nat -> option nat) (tok : nat -> option (list nat))
  (shuffle unshuffle : nat -> nat) : Prop := {
  wf_base : forall b, byte b -> tok b = Some [b];
  wf_join : forall a b i, merges a b = Some i ->
    exists x y, tok a = Some x /\ tok b = Some y /\ tok i = Some (x ++ y);
  wf_shuffle : forall b, byte b -> byte (shuffle b) /\ unshuffle (shuffle b) = b }.

Section General.
Variables (merges : nat -> nat -> option nat) (tok : nat -> option (list nat))
  (shuffle unshuffle : nat -> nat) (split : list nat -> list (list nat)).

(** Merge every occurrence of the pair with the lowest id, as long as there is one. *)
Fixpoint merge_lowest (rounds : nat) (ids : list nat) : list nat :=
  match rounds with
  | 0 => ids
  | S n => match min_rank merges ids with
           | None => ids
           | Some (i, (a, b)) => merge_lowest n (merge_pass a b i ids)
           end
  end.
Definition encode_chunk (chunk : list nat) : list nat :=
  merge_lowest (length chunk) (map shuffle chunk).
Definition encode (s : list nat) : list nat := flat_map encode_chunk (split s).

Fixpoint join_tokens (ids : list nat) : option (list nat) :=
  match ids with
  | [] => Some []
  | i :: t => match tok i, join_tokens t with
              | Some b, Some r => Some (b ++ r)
              | _, _ => None
              end
  end.
Definition decode (ids : list nat) : option (list nat) :=
  option_map (map unshuffle) (join_tokens ids).

(** There are enough rounds: no merge is left. Speaks of [reference.encode_chunk]. *)
Theorem encode_chunk_normal chunk : min_rank merges (encode_chunk chunk) = None.
Proof.
  unfold encode_chunk. rewrite <- (map_length shuffle). generalize (map shuffle chunk). intro l.
  assert (G : forall n ids, length ids <= n -> min_rank merges (merge_lowest n ids) = None).
  { induction n as [|n IH]; intros ids H; simpl; [destruct ids; [reflexivity|simpl in H; lia]|].
    destruct (min_rank merges ids) as [[i [a b]]|] eqn:E; [|exact E].
    apply min_rank_found, proj2, (merge_pass_lt a b i) in E. apply IH. lia. }
  apply G, le_n.
Qed.

Hypothesis W : well_formed merges tok shuffle unshuffle.
Hypothesis S : forall s, concat (split s) = s.

Lemma join_tokens_app u v : join_tokens (u ++ v) =
  match join_tokens u, join_tokens v with Some a, Some b => Some (a ++ b) | _, _ => None end.
Proof.
  induction u as [|i u IH]; simpl; [destruct (join_tokens v); reflexivity|]. rewrite IH.
  destruct (tok i), (join_tokens u), (join_tokens v); try reflexivity. rewrite app_assoc; reflexivity.
Qed.

Lemma join_tokens_known ids r : join_tokens ids = Some r -> Forall (fun i => tok i <> None) ids.
Proof.
  revert r. induction ids as [|i ids IH]; intros r H; [constructor|]. simpl in H.
  destruct (tok i) eqn:E; [|discriminate]. destruct (join_tokens ids); [|discriminate].
  constructor; [congruence|eauto].
Qed.

(** Merge preservation, also if an id is unknown. *)
Lemma merge_pass_tokens a b i l : merges a b = Some i ->
  join_tokens (merge_pass a b i l) = join_tokens l.
Proof.
  intro M. destruct W as [_ Wj _]. destruct (Wj _ _ _ M) as (x & y & A & B & I). clear Wj M.
  induction l as [|u|u v t IH1 IH2] using list_ind2; try reflexivity.
  rewrite merge_pass_step.
  destruct (Nat.eqb_spec u a), (Nat.eqb_spec v b); cbn [andb]; subst;
    cbn [join_tokens] in *; rewrite ?IH2; try reflexivity.
  rewrite IH1, A, B, I. destruct (join_tokens t); [rewrite app_assoc|]; reflexivity.
Qed.

Lemma merge_lowest_tokens n : forall ids, join_tokens (merge_lowest n ids) = join_tokens ids.
Proof.
  induction n as [|n IH]; intro ids; simpl; [reflexivity|].
  destruct (min_rank merges ids) as [[i [a b]]|] eqn:E; [|reflexivity].
  rewrite IH. apply merge_pass_tokens. apply (proj1 (min_rank_found _ _ _ _ _ E)).
Qed.

Lemma join_tokens_bytes s : Forall byte s -> join_tokens s = Some s.
Proof.
  destruct W as [Wb _ _]. induction 1 as [|b s H _ IH]; [reflexivity|].
  simpl. rewrite Wb, IH by exact H. reflexivity.
Qed.

(** Shuffle cancellation: permuting the bytes and undoing it changes nothing. Speaks of
    [reference.decode_chunk]. *)
Theorem shuffle_cancel s : Forall byte s -> map unshuffle (map shuffle s) = s.
Proof.
  destruct W as [_ _ Ws]. induction 1 as [|b s H _ IH]; [reflexivity|].
  simpl. rewrite IH. f_equal. apply Ws, H.
Qed.

Lemma shuffle_bytes s : Forall byte s -> Forall byte (map shuffle s).
Proof. destruct W as [_ _ Ws]. induction 1; constructor; auto. apply Ws; assumption. Qed.

Lemma encode_tokens s : Forall byte s -> join_tokens (encode s) = Some (map shuffle s).
Proof.
  intro H. transitivity (Some (map shuffle (concat (split s)))); [|rewrite S; reflexivity].
  rewrite <- (S s) in H. unfold encode.
  induction (split s) as [|c cs IH]; [reflexivity|]. cbn [concat flat_map] in *.
  apply Forall_app in H. destruct H as [H1 H2]. rewrite join_tokens_app, (IH H2), map_app.
  unfold encode_chunk at 1. rewrite merge_lowest_tokens, join_tokens_bytes by (apply shuffle_bytes, H1).
  reflexivity.
Qed.

(** Every id of the result is in the vocabulary. Speaks of [reference.encode]. *)
Theorem encode_ids s : Forall byte s -> Forall (fun i => tok i <> None) (encode s).
Proof. intro H. apply join_tokens_known with (map shuffle s), encode_tokens, H. Qed.

(** For every byte string [s], [decode (encode s)] is [s]. Speaks of [reference.encode] and
    [reference.decode]. *)
Theorem general_roundtrip s : Forall byte s -> decode (encode s) = Some s.
Proof.
  intro H. unfold decode. rewrite encode_tokens by exact H. simpl. f_equal. apply shuffle_cancel, H.
Qed.
End General.
