(** Smaller vocabularies: the first merges of a tokenizer, without the later ones.

    Undoing the later merges, the last first, gives the ids of the smaller vocabulary. It also works
    on the number of each id, so [bpetite sizes] encodes a text once for all sizes. *)
From Coq Require Import List Arith Lia.
From Bpetite Require Import Passes Encoders.
Import ListNotations.

(** Undo a merge: split every id [n] into its parts. *)
Definition split_id (a b n : nat) (l : list nat) : list nat :=
  flat_map (fun i => if i =? n then [a; b] else [i]) l.

(** Undo the merges of rank [r] and above, the last first. *)
Fixpoint undo (r : nat) (ms : list (nat * nat)) (l : list nat) : list nat :=
  match ms with
  | [] => l
  | (a, b) :: t => split_id a b (tid r) (undo (S r) t l)
  end.

Definition count (l : list nat) (i : nat) : nat := count_occ Nat.eq_dec l i.

(** The same for the number of each id: that of [n] is added to both parts, then becomes 0. *)
Definition split_counts (a b n : nat) (counts : nat -> nat) (i : nat) : nat :=
  if i =? n then 0
  else counts i + (if i =? a then counts n else 0) + (if i =? b then counts n else 0).
Fixpoint undo_counts (r : nat) (ms : list (nat * nat)) (counts : nat -> nat) (i : nat) : nat :=
  match ms with
  | [] => counts i
  | (a, b) :: t => split_counts a b (tid r) (undo_counts (S r) t counts) i
  end.

(** * The ids *)

Lemma undo_merge_pass a b n l : ~ In n l -> split_id a b n (merge_pass a b n l) = l.
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; auto; intro N.
  - simpl in *. destruct (Nat.eqb_spec x n); tauto.
  - rewrite merge_pass_step. simpl in *. pair_case x a y b; rewrite ?Nat.eqb_refl;
      try (rewrite IH1 by tauto; reflexivity);
      rewrite (proj2 (Nat.eqb_neq _ n)) by auto; simpl; f_equal; tauto.
Qed.

Lemma undo_all ms : forall r l, Forall (fun i => i < tid r) l -> undo r ms (passes r ms l) = l.
Proof.
  induction ms as [|[a b] t IH]; intros r l H; simpl; auto. rewrite IH.
  - apply undo_merge_pass. rewrite Forall_forall in H. intro I. specialize (H _ I). lia.
  - apply merge_pass_bound; [|eapply Forall_impl; [|exact H]]; unfold tid; simpl; intros; lia.
Qed.

(** The merges may be any pairs. Speaks of [bpetite_cli.commands.sizes.totals_of]. *)
Theorem undo_passes ms m l : Forall byte l ->
  undo m (skipn m ms) (passes 0 ms l) = passes 0 (firstn m ms) l.
Proof.
  intro H. destruct (Nat.le_gt_cases m (length ms)) as [L|L].
  - rewrite (passes_cut m) by exact L. apply undo_all.
    apply (passes_ids (firstn m ms)) in H. rewrite firstn_length_le in H; assumption.
  - rewrite skipn_all2, firstn_all2 by lia. reflexivity.
Qed.

Lemma undo_app ms : forall r l k, undo r ms (l ++ k) = undo r ms l ++ undo r ms k.
Proof.
  induction ms as [|[a b] t IH]; intros r l k; simpl; auto. rewrite IH. apply flat_map_app.
Qed.

Lemma undo_chunks ms m chunks : Forall (Forall byte) chunks ->
  undo m (skipn m ms) (flat_map (passes 0 ms) chunks) = flat_map (passes 0 (firstn m ms)) chunks.
Proof.
  induction 1 as [|l chunks H _ IH]; simpl.
  - rewrite <- (passes_nil ms 0) at 1. rewrite undo_passes by auto. apply passes_nil.
  - rewrite undo_app, IH, undo_passes by exact H. reflexivity.
Qed.

(** Undoing a merge adds an id for each that it splits. Speaks of [bpetite_cli.commands.sizes.totals_of]. *)
Theorem split_id_len a b n l : length (split_id a b n l) = length l + count l n.
Proof.
  induction l as [|x l IH]; simpl; auto. unfold count in *.
  destruct (Nat.eq_dec x n), (Nat.eqb_spec x n); simpl; try congruence; lia.
Qed.

(** * The number of each id *)

Lemma split_counts_ok a b n l i : n <> a -> n <> b ->
  count (split_id a b n l) i = split_counts a b n (count l) i.
Proof.
  intros Ha Hb. unfold split_counts, count. induction l as [|x l IH]; simpl.
  - repeat destruct (_ =? _); reflexivity.
  - destruct (Nat.eqb_spec x n); simpl; rewrite IH; repeat destruct (Nat.eq_dec _ _);
      destruct (Nat.eqb_spec i n), (Nat.eqb_spec i a), (Nat.eqb_spec i b); subst; lia || congruence.
Qed.

Lemma undo_counts_from ms l : wf_merges ms -> forall t r i, skipn r ms = t ->
  undo_counts r t (count l) i = count (undo r t l) i.
Proof.
  intro W. induction t as [|[a b] t IH]; intros r i E; simpl; auto.
  apply skipn_cons in E. destruct E as [E1 E2]. destruct (W _ _ _ E1).
  rewrite split_counts_ok by lia. unfold split_counts. rewrite !IH by exact E2. reflexivity.
Qed.

(** Counting the ids of all chunks together is enough. Speaks of [bpetite_cli.commands.sizes.totals_of]. *)
Theorem undo_counts_ok ms m chunks i : wf_merges ms -> Forall (Forall byte) chunks ->
  undo_counts m (skipn m ms) (count (flat_map (passes 0 ms) chunks)) i =
  count (flat_map (passes 0 (firstn m ms)) chunks) i.
Proof. intros W H. rewrite (undo_counts_from ms), undo_chunks by auto. reflexivity. Qed.
