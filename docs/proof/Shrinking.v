(** Shrinking: without the tokens that a text does not need, it has the same ids.

    A chunk needs a token that it has at any time while the passes are made. [shrunk] is
    [_artifact.py: Artifact.shrunk]: the other merges are gone, and each number is as much lower as tokens
    below it are gone. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Special Utf8 Tokenizer Numbering.
Import ListNotations.

(** The token [n] is in the list at the beginning, or after one of the passes. *)
Fixpoint needs (r : nat) (ms : list (nat * nat)) (l : list nat) (n : nat) : Prop :=
  In n l \/ match ms with
            | [] => False
            | (a, b) :: t => needs (S r) t (merge_pass a b (tid r) l) n
            end.

Section Shrinking.
(** The numbers of the tokens that stay. *)
Variable stays : nat -> bool.

(** The new number of a token: how many of those below it stay. *)
Fixpoint place (n : nat) : nat :=
  match n with
  | 0 => 0
  | S m => (if stays m then 1 else 0) + place m
  end.

Lemma place_next n : place (S n) = (if stays n then 1 else 0) + place n.
Proof. reflexivity. Qed.
Local Opaque place.

(** What stays of a list whose first element has the number [n]. *)
Fixpoint select {A} (n : nat) (l : list A) : list A :=
  match l with
  | [] => []
  | x :: t => if stays n then x :: select (S n) t else select (S n) t
  end.

(** The merges that stay, with the new numbers of their parts. *)
Definition shrunk (ms : list (nat * nat)) : list (nat * nat) :=
  map (fun p => (place (fst p), place (snd p))) (select 256 ms).

(** Bytes stay, and both parts of each merge that stays. *)
Definition closed (ms : list (nat * nat)) : Prop :=
  (forall n, byte n -> stays n = true) /\
  forall r a b, nth_error ms r = Some (a, b) -> stays (tid r) = true -> stays a = true /\ stays b = true.

Lemma place_bytes n : (forall m, byte m -> stays m = true) -> n <= 256 -> place n = n.
Proof.
  intro B. induction n as [|n IH]; intro L; [reflexivity|]. rewrite place_next, B, IH by (unfold byte; lia).
  reflexivity.
Qed.

Lemma place_le m n : m <= n -> place m <= place n.
Proof. induction 1 as [|n _ IH]; [lia|]. rewrite place_next. lia. Qed.

Lemma place_lt m n : stays m = true -> m < n -> place m < place n.
Proof.
  intros S L. apply (Nat.lt_le_trans _ (place (Datatypes.S m))); [|apply place_le, L].
  rewrite place_next, S. lia.
Qed.

Lemma place_injective m n : stays m = true -> stays n = true -> place m = place n -> m = n.
Proof.
  intros M N E. destruct (Nat.lt_trichotomy m n) as [L|[L|L]]; [|exact L|];
    apply place_lt in L; auto; lia.
Qed.

(** A pass over new numbers. *)
Lemma merge_pass_map a b n l : stays a = true -> stays b = true -> Forall (fun i => stays i = true) l ->
  merge_pass (place a) (place b) (place n) (map place l) = map place (merge_pass a b n l).
Proof.
  intros A B. induction l as [|x|x y t IH1 IH2] using list_ind2; intro F; auto.
  inversion F as [|? ? X F1]; subst. inversion F1 as [|? ? Y F2]; subst.
  cbn [map]. rewrite !merge_pass_step.
  assert (E : forall u v, stays u = true -> stays v = true -> (place u =? place v) = (u =? v)).
  { intros u v U V. destruct (Nat.eqb_spec u v) as [->|N]; [apply Nat.eqb_refl|].
    apply Nat.eqb_neq. intro P. apply N, place_injective; assumption. }
  rewrite !E by assumption. destruct ((x =? a) && (y =? b)); cbn [map].
  - rewrite IH1 by exact F2. reflexivity.
  - f_equal. apply (IH2 F1).
Qed.

Lemma merge_pass_makes a b n l : adj a b l -> In n (merge_pass a b n l).
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; try contradiction.
  rewrite merge_pass_step. intros [[-> ->]|H].
  - rewrite !Nat.eqb_refl. left. reflexivity.
  - destruct ((x =? a) && (y =? b)); [left; reflexivity|right; apply IH2, H].
Qed.

(** A pass whose token is not needed finds nothing. *)
Lemma needless_pass r a b t l : ~ needs (S r) t (merge_pass a b (tid r) l) (tid r) ->
  merge_pass a b (tid r) l = l.
Proof.
  intro N. apply merge_pass_id. intro H. apply N. destruct t; left; apply merge_pass_makes, H.
Qed.

Section Chunks.
Variable ms : list (nat * nat).
Hypothesis C : closed ms.

Lemma needs_self r t l n : In n l -> needs r t l n.
Proof. destruct t; left; assumption. Qed.

Lemma shrunk_from t : forall r l, skipn r ms = t -> (forall n, needs r t l n -> stays n = true) ->
  passes (place (tid r) - 256) (map (fun p => (place (fst p), place (snd p))) (select (tid r) t)) (map place l) =
  map place (passes r t l).
Proof.
  induction t as [|[a b] t IH]; intros r l E N; [reflexivity|].
  apply skipn_cons in E. destruct E as [E1 E2].
  assert (F : Forall (fun i => stays i = true) l)
    by (apply Forall_forall; intros i I; apply N, needs_self, I).
  assert (N' : forall n, needs (S r) t (merge_pass a b (tid r) l) n -> stays n = true)
    by (intros n H; apply N; right; exact H).
  specialize (IH (S r) (merge_pass a b (tid r) l) E2 N'). cbn [select passes].
  replace (S (tid r)) with (tid (S r)) in * by (unfold tid; lia).
  assert (P : place (tid (S r)) = (if stays (tid r) then 1 else 0) + place (tid r))
    by (replace (tid (S r)) with (S (tid r)) by (unfold tid; lia); apply place_next).
  assert (L : 256 <= place (tid r)).
  { rewrite <- (place_bytes 256 (proj1 C)) by lia. apply place_le. unfold tid. lia. }
  rewrite P in IH. destruct (stays (tid r)) eqn:S.
  - destruct (proj2 C _ _ _ E1 S) as [A B]. cbn [map passes fst snd].
    assert (Q : forall k, 256 <= k -> tid (k - 256) = k) by (intros k K; unfold tid; lia).
    rewrite (Q _ L), merge_pass_map by assumption. rewrite <- IH. f_equal. lia.
  - rewrite <- IH. f_equal. rewrite needless_pass with (t := t); [reflexivity|].
    intro H. apply N' in H. congruence.
Qed.

(** A chunk that needs only tokens that stay makes the same passes. Speaks of
    [_artifact.Artifact.shrunk]. *)
Theorem shrunk_chunk c : Forall byte c -> (forall n, needs 0 ms c n -> stays n = true) ->
  passes 0 (shrunk ms) c = map place (passes 0 ms c).
Proof.
  intros B N. assert (P : map place c = c).
  { rewrite <- map_id. apply map_ext_Forall. eapply Forall_impl; [|exact B]. cbn. intros i I.
    apply place_bytes; [apply C|unfold byte in I; lia]. }
  rewrite <- (shrunk_from ms 0 c eq_refl N), P. unfold shrunk. f_equal.
  change (tid 0) with 256. rewrite place_bytes; [reflexivity|apply C|lia].
Qed.
End Chunks.

Lemma select_from {A} (d : A) l : forall n i, stays (n + i) = true ->
  nth (place (n + i) - place n) (select n l) d = nth i l d.
Proof.
  induction l as [|x t IH]; intros n i S; [destruct i, (place _ - _); reflexivity|].
  destruct i as [|i]; cbn [select].
  - rewrite Nat.add_0_r in S. rewrite S, Nat.add_0_r, Nat.sub_diag. reflexivity.
  - rewrite Nat.add_succ_r in *. specialize (IH (Datatypes.S n) i S). rewrite place_next in IH.
    cbn [nth]. destruct (stays n) eqn:T.
    + pose proof (place_lt n (Datatypes.S (n + i)) T ltac:(lia)) as L.
      replace (place (Datatypes.S (n + i)) - place n)
        with (Datatypes.S (place (Datatypes.S (n + i)) - (1 + place n))) by lia. exact IH.
    + exact IH.
Qed.

(** A token that stays has the same id. Speaks of [_artifact.Artifact.shrunk]. *)
Theorem shrunk_id numbering n : stays n = true ->
  id_of (select 0 numbering) (place n) = id_of numbering n.
Proof.
  intro S. unfold id_of. rewrite <- (select_from 0 numbering 0 n S). cbn [plus].
  change (place 0) with 0. rewrite Nat.sub_0_r. reflexivity.
Qed.
Lemma needs_last ms : forall r l n, In n (passes r ms l) -> needs r ms l n.
Proof. induction ms as [|[a b] t IH]; intros r l n I; [left; exact I|right; apply IH, I]. Qed.

(** A text whose chunks need only tokens that stay has the same ids. Speaks of
    [_artifact.Artifact.shrunk]. *)
Theorem text_kept ms numbering chunks : closed ms -> Forall (Forall byte) chunks ->
  (forall c n, In c chunks -> needs 0 ms c n -> stays n = true) ->
  map (id_of (select 0 numbering)) (flat_map (passes 0 (shrunk ms)) chunks) =
  map (id_of numbering) (flat_map (passes 0 ms) chunks).
Proof.
  intros C. induction 1 as [|c chunks B _ IH]; intro N; [reflexivity|]. cbn [flat_map].
  rewrite !map_app, IH by (intros d n I; apply N; right; exact I). f_equal.
  rewrite (shrunk_chunk ms C c B) by (intros n; apply N; left; reflexivity). rewrite map_map.
  apply map_ext_in. intros n I. apply shrunk_id, (N c); [left; reflexivity|apply needs_last, I].
Qed.
End Shrinking.
