(** The general round trip: for any byte strings, splitter and vocabulary.

    The vocabulary is a given table, not built from the merges. The bytes may be permuted before
    merging, as in some of OpenAI's vocabularies. bpetite does not permute bytes: its two tables are
    the identity. Any pre-tokenizer works if its chunks join to the bytes. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders.
Import ListNotations.

Record well_formed (ms : list (nat * nat)) (tok : nat -> option (list nat))
  (shuffle unshuffle : nat -> nat) : Prop := {
  wf_earlier : wf_merges ms;
  wf_base : forall b, byte b -> tok b = Some [b];
  wf_join : forall r a b, nth_error ms r = Some (a, b) ->
    exists x y, tok a = Some x /\ tok b = Some y /\ tok (tid r) = Some (x ++ y);
  wf_shuffle : forall b, byte b -> byte (shuffle b) /\ unshuffle (shuffle b) = b }.

Section General.
Variables (ms : list (nat * nat)) (tok : nat -> option (list nat)) (shuffle unshuffle : nat -> nat)
  (split : list nat -> list (list nat)).

Definition encode (s : list nat) : list nat :=
  flat_map (fun c => passes 0 ms (map shuffle c)) (split s).

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

Hypothesis W : well_formed ms tok shuffle unshuffle.
Hypothesis S : forall s, concat (split s) = s.

Definition bytes_or_none (i : nat) : list nat := match tok i with Some b => b | None => [] end.

Lemma tok_ok : wf_tok ms bytes_or_none.
Proof.
  destruct W as [_ Wb Wj _]. unfold bytes_or_none. split.
  - intros b H. rewrite Wb; auto.
  - intros r a b H. destruct (Wj _ _ _ H) as (x & y & -> & -> & ->); reflexivity.
Qed.

Lemma tok_known i : i < 256 + length ms -> tok i <> None.
Proof.
  destruct W as [_ Wb Wj _]. intro H. destruct (Nat.lt_ge_cases i 256) as [L|G].
  - rewrite Wb; [discriminate|exact L].
  - replace i with (tid (i - 256)) by (unfold tid; lia).
    destruct (nth_error ms (i - 256)) as [[a b]|] eqn:E.
    + destruct (Wj _ _ _ E) as (x & y & _ & _ & ->); discriminate.
    + apply nth_error_None in E. lia.
Qed.

Lemma join_tokens_known ids : Forall (fun i => i < 256 + length ms) ids ->
  join_tokens ids = Some (bytes_of bytes_or_none ids).
Proof.
  induction 1 as [|i t Hi _ IH]; [reflexivity|]. simpl. pose proof (tok_known i Hi) as N.
  rewrite IH. unfold bytes_or_none at 2. destruct (tok i); [reflexivity|congruence].
Qed.

(** Shuffle cancellation: permuting the bytes and undoing it changes nothing. *)
Theorem shuffle_cancel s : Forall byte s -> map unshuffle (map shuffle s) = s.
Proof.
  destruct W as [_ _ _ Ws]. induction 1 as [|b s H _ IH]; [reflexivity|].
  simpl. rewrite IH. f_equal. apply Ws; auto.
Qed.

Lemma shuffle_bytes s : Forall byte s -> Forall byte (map shuffle s).
Proof. destruct W as [_ _ _ Ws]. induction 1; constructor; auto; apply Ws; auto. Qed.

(** Every id of the result is in the vocabulary. Speaks of [oracle.encode]. *)
Theorem encode_ids s : Forall byte s -> Forall (fun i => i < 256 + length ms) (encode s).
Proof.
  intro H. rewrite <- (S s) in H. unfold encode.
  induction (split s) as [|c cs IH]; simpl in *; [constructor|].
  apply Forall_app in H. destruct H as [H1 H2]. apply Forall_app; split; auto.
  apply passes_ids, shuffle_bytes, H1.
Qed.

(** For every byte string [s], [decode (encode s)] is [s]. *)
Theorem general_roundtrip s : Forall byte s -> decode (encode s) = Some s.
Proof.
  intro H. unfold decode. rewrite join_tokens_known by (apply encode_ids, H).
  simpl. f_equal. transitivity (map unshuffle (map shuffle (concat (split s)))).
  - f_equal. rewrite <- (S s) in H. unfold encode.
    induction (split s) as [|c cs IH]; [reflexivity|]. simpl in *.
    apply Forall_app in H. destruct H as [H1 H2]. rewrite bytes_of_app, map_app, IH by assumption.
    f_equal. apply (passes_bytes ms); [apply tok_ok|apply shuffle_bytes, H1].
  - rewrite S. apply shuffle_cancel, H.
Qed.
End General.
