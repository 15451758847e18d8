(** One merge pass, and how it changes a list of ids.

    Ids and bytes are natural numbers. A chunk is a list of ids; at first, they are its bytes.
    [merge_pass] is [tests/oracle.py: one_pass], the specification of a merge. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

(** Replace every occurrence of the pair [a, b] by [n], left to right and without overlaps. *)
Fixpoint merge_pass (a b n : nat) (l : list nat) : list nat :=
  match l with
  | x :: ((y :: t) as tl) =>
      if (x =? a) && (y =? b) then n :: merge_pass a b n t
      else x :: merge_pass a b n tl
  | _ => l
  end.

(** Replace only the leftmost occurrence, as tiktoken does. *)
Fixpoint merge_first (a b n : nat) (l : list nat) : list nat :=
  match l with
  | x :: ((y :: t) as tl) =>
      if (x =? a) && (y =? b) then n :: t
      else x :: merge_first a b n tl
  | _ => l
  end.

(** The pair [x, y] occurs in the list. *)
Fixpoint adj (x y : nat) (l : list nat) : Prop :=
  match l with
  | u :: ((v :: _) as tl) => (u = x /\ v = y) \/ adj x y tl
  | _ => False
  end.

(** [P] holds for every two adjacent elements. *)
Fixpoint neighbors {A} (P : A -> A -> Prop) (l : list A) : Prop :=
  match l with
  | x :: ((y :: _) as tl) => P x y /\ neighbors P tl
  | _ => True
  end.

(** * Tools *)

Lemma list_ind2 (P : list nat -> Prop) :
  P [] -> (forall x, P [x]) ->
  (forall x y t, P t -> P (y :: t) -> P (x :: y :: t)) -> forall l, P l.
Proof.
  intros H0 H1 H2. assert (forall l, P l /\ forall x, P (x :: l)) as H.
  { induction l as [|y t [IH1 IH2]]; split; auto. }
  intro l; apply H.
Qed.

Lemma merge_pass_step a b n x y t :
  merge_pass a b n (x :: y :: t) =
  if (x =? a) && (y =? b) then n :: merge_pass a b n t else x :: merge_pass a b n (y :: t).
Proof. reflexivity. Qed.

Lemma merge_first_step a b n x y t :
  merge_first a b n (x :: y :: t) =
  if (x =? a) && (y =? b) then n :: t else x :: merge_first a b n (y :: t).
Proof. reflexivity. Qed.

(** Distinguish whether the ids [x, y] are the pair [a, b]. *)
Ltac pair_case x a y b := destruct (Nat.eqb_spec x a), (Nat.eqb_spec y b); simpl; subst.

Lemma adj_dec x y l : {adj x y l} + {~ adj x y l}.
Proof.
  induction l as [|u [|v t] IH]; try (right; intro H; exact H).
  destruct IH as [IH|IH]; [left; right; exact IH|].
  destruct (Nat.eq_dec u x), (Nat.eq_dec v y);
    try (left; left; split; assumption); right; intros [[]|H]; auto.
Qed.

Lemma adj_parts x y l : adj x y l -> exists p q, l = p ++ x :: y :: q.
Proof.
  induction l as [|u [|v t] IH]; simpl; try tauto. intros [[-> ->]|H].
  - exists [], t; reflexivity.
  - destruct (IH H) as (p & q & E). exists (u :: p), q. rewrite E; reflexivity.
Qed.

Lemma adj_app x y p q : adj x y (p ++ x :: y :: q).
Proof.
  induction p as [|u p IH]; simpl; [left; auto|].
  destruct (p ++ x :: y :: q) eqn:E; [destruct p; discriminate|right; exact IH].
Qed.

(** * Properties of a pass *)

Lemma merge_pass_id a b n l : ~ adj a b l -> merge_pass a b n l = l.
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; auto.
  intro H; simpl in H |- *. pair_case x a y b; try (f_equal; apply IH2; tauto).
  exfalso; auto.
Qed.

Lemma merge_pass_len a b n l : length (merge_pass a b n l) <= length l.
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; auto.
  simpl in *. destruct (_ && _); simpl in *; lia.
Qed.

Lemma merge_pass_lt a b n l : adj a b l -> length (merge_pass a b n l) < length l.
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; try (intros []; fail).
  intro H; pose proof (merge_pass_len a b n t) as L; simpl in H |- *.
  pair_case x a y b; try lia; destruct H as [[? ?]|H]; try congruence;
    specialize (IH2 H); simpl in IH2 |- *; lia.
Qed.

Lemma merge_pass_hd a b n y t z r :
  merge_pass a b n (y :: t) = z :: r -> z = y \/ z = n.
Proof. destruct t as [|w t]; simpl; [|destruct (_ && _)]; intro H; inversion H; auto. Qed.

Lemma merge_pass_nonnil a b n l : l <> [] -> merge_pass a b n l <> [].
Proof.
  destruct l as [|y [|w t]]; simpl; try congruence. destruct (_ && _); discriminate.
Qed.

(** If [P] holds for the new id and for all ids before a pass, it holds for all ids after it. *)
Lemma merge_pass_bound (P : nat -> Prop) a b n l :
  P n -> Forall P l -> Forall P (merge_pass a b n l).
Proof.
  intros Hn; induction l as [|x|x y t IH1 IH2] using list_ind2; auto.
  intro H; inversion H as [|? ? Hx Ht]; inversion Ht; subst; simpl.
  destruct (_ && _); constructor; auto.
Qed.

(** A pair that occurs after a pass occurred before it, or contains the new id. *)
Lemma merge_pass_adj a b n x y l :
  adj x y (merge_pass a b n l) -> x <> n -> y <> n -> adj x y l.
Proof.
  intros H Hx Hy. revert H.
  induction l as [|u|u v t IH1 IH2] using list_ind2; auto.
  rewrite merge_pass_step. destruct ((u =? a) && (v =? b)).
  - destruct (merge_pass a b n t) as [|w q] eqn:E; [intros []|].
    intros [[? _]|H]; [congruence|]. right. specialize (IH1 H).
    destruct t; [destruct IH1|]. right; exact IH1.
  - destruct (merge_pass a b n (v :: t)) as [|w q] eqn:E.
    { exfalso; eapply merge_pass_nonnil; [|exact E]; discriminate. }
    intros [[? ?]|H]; [|right; auto]. subst.
    destruct (merge_pass_hd _ _ _ _ _ _ _ E); subst; [left; auto|congruence].
Qed.

(** After its pass, a pair no longer occurs. *)
Lemma merge_pass_gone a b n l : n <> a -> n <> b -> ~ adj a b (merge_pass a b n l).
Proof.
  intros Ha Hb. induction l as [|u|u v t IH1 IH2] using list_ind2; try (simpl; tauto).
  rewrite merge_pass_step. destruct ((u =? a) && (v =? b)) eqn:M.
  - destruct (merge_pass a b n t) as [|w q] eqn:E; [intros []|].
    intros [[? _]|H]; [congruence|auto].
  - destruct (merge_pass a b n (v :: t)) as [|w q] eqn:E; [intros []|].
    intros [[? ?]|H]; [|auto]. subst u w.
    destruct (merge_pass_hd _ _ _ _ _ _ _ E) as [Q|Q]; [subst v|congruence].
    rewrite !Nat.eqb_refl in M; discriminate.
Qed.

(** ** One occurrence at a time *)

Lemma merge_first_lt a b n l : adj a b l -> length (merge_first a b n l) < length l.
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; try (intros []; fail).
  intro H; simpl in H |- *.
  pair_case x a y b; try lia; destruct H as [[? ?]|H]; try congruence;
    specialize (IH2 H); simpl in IH2 |- *; lia.
Qed.

Lemma merge_first_adj a b n x y l :
  adj x y (merge_first a b n l) -> x <> n -> y <> n -> adj x y l.
Proof.
  intros H Hx Hy. revert H.
  induction l as [|u|u v t IH1 IH2] using list_ind2; auto.
  rewrite merge_first_step. destruct ((u =? a) && (v =? b)).
  - destruct t as [|w q]; [intros []|]. intros [[? _]|H]; [congruence|]. right; right; exact H.
  - destruct (merge_first a b n (v :: t)) as [|w q] eqn:E; [intros []|].
    intros [[? ?]|H]; [|right; auto]. subst u w.
    destruct t; simpl in E; [|destruct (_ && _)]; inversion E; subst; try congruence; left; auto.
Qed.

(** Merging the leftmost occurrence first does not change the result of the pass. *)
Lemma merge_first_absorb a b n l :
  n <> a -> n <> b -> merge_pass a b n (merge_first a b n l) = merge_pass a b n l.
Proof.
  intros Ha Hb. induction l as [|u|u v t IH1 IH2] using list_ind2; auto.
  rewrite merge_first_step, merge_pass_step. destruct ((u =? a) && (v =? b)) eqn:M.
  - destruct t as [|w q]; auto. rewrite merge_pass_step.
    destruct (Nat.eqb_spec n a); [congruence|]; reflexivity.
  - rewrite <- IH2. destruct (merge_first a b n (v :: t)) as [|w q] eqn:E.
    + destruct t; simpl in E; [discriminate|destruct (_ && _); discriminate].
    + assert (w = v \/ w = n) as Hw.
      { destruct t; simpl in E; [|destruct (_ && _)]; inversion E; auto. }
      rewrite merge_pass_step. destruct Hw; subst w; [rewrite M; reflexivity|].
      destruct (Nat.eqb_spec n b); [congruence|]. rewrite andb_false_r; reflexivity.
Qed.

(** ** Locality: a pass over parts of a list *)

(** Wherever the result is cut, the list can be cut so that each part gives its share. *)
Lemma merge_pass_split a b n l : forall u v, merge_pass a b n l = u ++ v ->
  exists s t, l = s ++ t /\ merge_pass a b n s = u /\ merge_pass a b n t = v.
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; intros [|c u] v E;
    try (eexists [], _; split; [reflexivity|split; [reflexivity|exact E]]).
  - discriminate.
  - simpl in E. injection E as <- E. symmetry in E. apply app_eq_nil in E. destruct E; subst.
    exists [x], []; auto.
  - rewrite merge_pass_step in E. destruct ((x =? a) && (y =? b)) eqn:M.
    + injection E as <- E. destruct (IH1 _ _ E) as (s & w & -> & Hs & Hw).
      exists (x :: y :: s), w. split; [reflexivity|split; [|exact Hw]].
      rewrite merge_pass_step, M, Hs; reflexivity.
    + injection E as <- E. destruct (IH2 _ _ E) as (s & w & Hl & Hs & Hw).
      exists (x :: s), w. rewrite Hl. split; [reflexivity|split; [|exact Hw]].
      destruct s as [|z s]; [subst u; reflexivity|].
      injection Hl as <- _. rewrite merge_pass_step, M, Hs; reflexivity.
Qed.

(** The same for [merge_first]: the occurrence was in one of the parts, or there was none. *)
Lemma merge_first_split a b n l : forall u v, merge_first a b n l = u ++ v ->
  exists s t, l = s ++ t /\ (u = s \/ u = merge_first a b n s) /\
                             (v = t \/ v = merge_first a b n t).
Proof.
  induction l as [|x|x y t IH1 IH2] using list_ind2; intros [|c u] v E;
    try (eexists [], _; split; [reflexivity|split; [auto|right; symmetry; exact E]]).
  - discriminate.
  - simpl in E. injection E as <- E. symmetry in E. apply app_eq_nil in E. destruct E; subst.
    exists [x], []; auto.
  - rewrite merge_first_step in E. destruct ((x =? a) && (y =? b)) eqn:M.
    + injection E as <- E. exists (x :: y :: u), v. rewrite E. split; [reflexivity|].
      split; [|auto]. right. rewrite merge_first_step, M. reflexivity.
    + injection E as <- E. destruct (IH2 _ _ E) as (s & w & Hl & Hs & Hw).
      exists (x :: s), w. rewrite Hl. split; [reflexivity|split; [|exact Hw]].
      destruct s as [|z s]; [destruct Hs as [->| ->]; auto|].
      injection Hl as <- _. destruct Hs as [->| ->]; [auto|right].
      rewrite merge_first_step, M. reflexivity.
Qed.

(** A merge across a boundary depends only on the ids before it and the one after it. *)
Lemma merge_pass_ahead a b n s x t t' : n <> a ->
  merge_pass a b n (s ++ x :: t) = merge_pass a b n s ++ merge_pass a b n (x :: t) ->
  merge_pass a b n (s ++ x :: t') = merge_pass a b n s ++ merge_pass a b n (x :: t').
Proof.
  intro Hn. induction s as [|u|u v s IH1 IH2] using list_ind2; auto.
  - cbn [app]. rewrite !merge_pass_step. destruct (Nat.eqb_spec u a); simpl; [|reflexivity].
    destruct (x =? b); [|reflexivity]. intro E. injection E. congruence.
  - cbn [app]. rewrite !merge_pass_step. destruct ((u =? a) && (v =? b)); intro E; injection E as E.
    + cbn [app]. f_equal. apply IH1; exact E.
    + cbn [app]. f_equal. apply IH2; exact E.
Qed.

(** If no two adjacent parts merge across their boundary, the pass merges each part separately. *)
Lemma merge_pass_concat a b n ss : n <> a -> Forall (fun s => s <> []) ss ->
  neighbors (fun s t => merge_pass a b n (s ++ t) = merge_pass a b n s ++ merge_pass a b n t) ss ->
  merge_pass a b n (concat ss) = concat (map (merge_pass a b n) ss).
Proof.
  intros Hn. induction ss as [|s [|t ss] IH]; intros N H; simpl concat.
  - reflexivity.
  - rewrite !app_nil_r. reflexivity.
  - inversion N as [|? ? _ N']; subst. destruct H as [H1 H2]. specialize (IH N' H2).
    inversion N' as [|? ? Ht _]; subst. destruct t as [|x t]; [congruence|].
    cbn [concat app map] in IH |- *.
    rewrite (merge_pass_ahead a b n s x t (t ++ concat ss) Hn H1), IH. reflexivity.
Qed.

Lemma merge_pass_single a b n l t : merge_pass a b n l = [t] ->
  (t <> n /\ l = [t]) \/ (t = n /\ (l = [n] \/ l = [a; b])).
Proof.
  destruct l as [|x [|y q]]; try discriminate.
  - intro H; inversion H; subst. destruct (Nat.eq_dec t n); subst; auto.
  - rewrite merge_pass_step. destruct (Nat.eqb_spec x a), (Nat.eqb_spec y b); cbn [andb];
      intro H; injection H as Ht H;
      try (exfalso; apply (merge_pass_nonnil a b n (y :: q)); [discriminate|exact H]).
    right; split; [congruence|]. right. destruct q as [|z q]; [congruence|].
    exfalso; apply (merge_pass_nonnil a b n (z :: q)); [discriminate|exact H].
Qed.

(** ** A pass at a boundary *)

(** If the pass uses up the last id before the boundary, nothing merges across. *)
Lemma merge_pass_used_up a b n s u t : Forall (fun i => i < n) s ->
  merge_pass a b n s = u ++ [n] ->
  merge_pass a b n (s ++ t) = merge_pass a b n s ++ merge_pass a b n t.
Proof.
  revert u. induction s as [|x|x y q IH1 IH2] using list_ind2; intros u F E.
  - reflexivity.
  - inversion F; subst. destruct u as [|? [|? ?]]; injection E as E; try discriminate; lia.
  - inversion F as [|? ? Fx F']; inversion F' as [|? ? Fy F'']; subst.
    cbn [app]. rewrite !merge_pass_step in *. destruct (_ && _); cbn [app]; f_equal.
    + destruct q as [|z q]; [reflexivity|].
      destruct u as [|c u]; [|injection E as _ E; apply (IH1 u F'' E)].
      exfalso; apply (merge_pass_nonnil a b n (z :: q)); [discriminate|injection E; auto].
    + destruct u as [|c u]; injection E as E E'; [lia|apply (IH2 u F' E')].
Qed.

(** If the two ids at the boundary are not the pair, nothing merges across. *)
Lemma merge_pass_border a b n s x y t : ~ (x = a /\ y = b) ->
  merge_pass a b n ((s ++ [x]) ++ y :: t) = merge_pass a b n (s ++ [x]) ++ merge_pass a b n (y :: t).
Proof.
  intro N. assert (N' : (x =? a) && (y =? b) = false).
  { apply andb_false_iff. rewrite !Nat.eqb_neq. destruct (Nat.eq_dec x a); tauto. }
  induction s as [|u|u v s IH1 IH2] using list_ind2; cbn [app] in *.
  - rewrite merge_pass_step, N'. reflexivity.
  - rewrite !(merge_pass_step a b n u x), (merge_pass_step a b n x y), N'.
    destruct ((u =? a) && (x =? b)); reflexivity.
  - rewrite !(merge_pass_step a b n u v). destruct ((u =? a) && (v =? b)); cbn [app]; congruence.
Qed.

(** If they are the pair, and a pass over the left part keeps the left one, they merge across. *)
Lemma merge_pass_crosses a b n s u t : n <> a -> n <> b -> merge_pass a b n s = u ++ [a] ->
  merge_pass a b n (s ++ b :: t) <> merge_pass a b n s ++ merge_pass a b n (b :: t).
Proof.
  intros Ha Hb E H. apply (merge_pass_ahead a b n s b t [] Ha) in H.
  apply (merge_pass_gone a b n (s ++ [b]) Ha Hb). rewrite H, E, <- app_assoc. apply adj_app.
Qed.
