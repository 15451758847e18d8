(** Whether every token encodes to itself: [find_unreachable] in
    [packages/compare/src/bpetite_compare/_soundness.py].

    The bytes of a token encode to it unless a merge crosses its middle before both parts are
    complete. The ids that meet at the middle are on the right edge of the left part's merge tree,
    and on the left edge of the right part's. [is_torn] walks down both edges, from the parts to the
    bytes, and finds such a merge if there is one. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Locality Training.
Import ListNotations.

(** The two ids that a merge joins. For a byte, both are the byte. *)
Definition left_part (ms : list (nat * nat)) (t : nat) : nat :=
  if t <? 256 then t else fst (nth (t - 256) ms (t, t)).
Definition right_part (ms : list (nat * nat)) (t : nat) : nat :=
  if t <? 256 then t else snd (nth (t - 256) ms (t, t)).

(** The id that a pair merges to, or [limit] if it has no merge. Every id is below [limit]. *)
Definition merged (ms : list (nat * nat)) (limit x y : nat) : nat :=
  match rank ms x y with Some r => tid r | None => limit end.

(** One step back in time: the later of the two ids is replaced by its part at the middle. *)
Definition go_back (ms : list (nat * nat)) (next : nat -> nat -> nat -> nat -> bool)
    (x y x_until y_until : nat) : bool :=
  if (x <? 256) && (y <? 256) then false
  else if y <=? x then next (right_part ms x) y x y_until
  else next x (left_part ms y) x_until y.

(** The loop of [is_torn], starting at its test. The fuel never runs out. *)
Fixpoint torn (ms : list (nat * nat)) (limit fuel x y x_until y_until : nat) : bool :=
  match fuel with
  | 0 => true
  | S f =>
      let new := merged ms limit x y in
      if (new <? x_until) && (new <=? y_until) then true
      else go_back ms (torn ms limit f) x y x_until y_until
  end.

(** [is_torn] of a pair. The code looks up only merges up to the pair's own; here all are looked up.
    Later merges change nothing, because they are later than both parts. *)
Definition is_torn (ms : list (nat * nat)) (limit x y : nat) : bool :=
  go_back ms (torn ms limit (x + y)) x y limit limit.

(** The loop of [find_unreachable]: the first token that is torn or whose pair is listed before. *)
Fixpoint first_unreachable (ms : list (nat * nat)) (limit r : nat) (rest : list (nat * nat))
  : option nat :=
  match rest with
  | [] => None
  | (a, b) :: t =>
      if negb (merged ms limit a b =? tid r) || is_torn ms limit a b then Some (tid r)
      else first_unreachable ms limit (S r) t
  end.
Definition find_unreachable (ms : list (nat * nat)) (limit : nat) : option nat :=
  first_unreachable ms limit 0 ms.

(** Distinguish the branches of the walk. *)
Ltac branch W C := lazymatch type of W with (if ?c then _ else _) = _ => destruct c eqn:C end.

Section Reachable.
Variables (ms : list (nat * nat)) (limit : nat).
Hypothesis WF : wf_merges ms.
Hypothesis LIMIT : tid (length ms) <= limit.

Notation encode := (passes 0 ms).
Notation upto k := (passes 0 (firstn k ms)).
Notation tok := (token ms).

(** The bytes of a token encode to it. *)
Definition reachable (t : nat) : Prop := t < tid (length ms) /\ encode (tok t) = [t].

Lemma tok_bytes t : t < tid (length ms) -> Forall byte (tok t).
Proof. apply token_bytes; exact WF. Qed.

Lemma byte_reachable b : b < 256 -> reachable b.
Proof.
  intro B. split; [unfold tid; lia|]. rewrite (proj1 (token_ok ms WF)) by exact B. apply passes_alone.
Qed.

Lemma upto_bytes k l : Forall byte l -> bytes_of tok (upto k l) = l.
Proof. apply passes_firstn_bytes, token_ok, WF. Qed.

(** After the first [k] passes, no pair of these ranks is left. *)
Lemma upto_clean c k : k <= length ms -> clean ms k (upto k c).
Proof.
  induction k as [|k IH]; intro K; [intros ? ? ? _ ?; lia|].
  destruct (nth_error ms k) as [[a b]|] eqn:E; [|apply nth_error_None in E; lia].
  rewrite (passes_last k ms a b) by exact E. apply clean_pass; auto. apply IH; lia.
Qed.

(** A token is complete after the pass of its own merge. *)
Lemma upto_made k t : k <= length ms -> reachable t -> t < tid k -> upto k (tok t) = [t].
Proof.
  intros K [_ E] L. rewrite (passes_cut k) in E by exact K. apply passes_single_low in E; auto.
Qed.

(** Parts that are separate after some passes were separate after fewer. *)
Lemma upto_apart K k u v : k <= K -> K <= length ms -> Forall byte u -> Forall byte v ->
  upto K (u ++ v) = upto K u ++ upto K v -> upto k (u ++ v) = upto k u ++ upto k v.
Proof.
  intros L N Bu Bv E.
  assert (T : wf_tok (firstn K ms) tok).
  { destruct (token_ok ms WF) as [T T']. split; [exact T|]. intros r a b H. apply T'.
    rewrite <- (firstn_skipn K ms), nth_error_app1; [exact H|]. apply nth_error_Some. congruence. }
  pose proof (parts_upto (firstn K ms) tok T k u v) as H.
  rewrite firstn_length_le, firstn_firstn, Nat.min_l in H by assumption. auto.
Qed.

(** If a token encodes to itself, so do its parts, no earlier merge has its pair, and the parts stay
    separate until its merge. *)
Lemma reachable_parts r a b : nth_error ms r = Some (a, b) -> reachable (tid r) ->
  reachable a /\ reachable b /\ rank ms a b = Some r /\
  (forall k, k <= r -> upto k (tok (tid r)) = upto k (tok a) ++ upto k (tok b)).
Proof.
  intros K [L E]. assert (R : r < length ms) by (unfold tid in L; lia).
  destruct (WF _ _ _ K) as [La Lb]. pose proof (proj2 (token_ok ms WF) _ _ _ K) as J.
  apply (decompose_token ms r a b) in E; [|apply tok_bytes, L|exact K].
  assert (Ba : Forall byte (tok a)) by (apply tok_bytes; unfold tid in *; lia).
  assert (Bb : Forall byte (tok b)) by (apply tok_bytes; unfold tid in *; lia).
  destruct (passes_split _ _ _ [a] [b] E) as (s & t & Est & Es & Et).
  assert (Bst : Forall byte (s ++ t)) by (rewrite <- Est, J; apply Forall_app; auto).
  apply Forall_app in Bst. destruct Bst as [Bs Bt].
  pose proof (upto_bytes r s Bs) as Hs. pose proof (upto_bytes r t Bt) as Ht.
  rewrite Es in Hs. rewrite Et in Ht. unfold bytes_of in Hs, Ht. cbn [flat_map] in Hs, Ht.
  rewrite app_nil_r in Hs, Ht. subst s t.
  assert (W : forall i, i < tid r -> upto r (tok i) = [i] -> reachable i).
  { intros i Li Ei. split; [unfold tid in *; lia|].
    rewrite (passes_cut r), Ei by lia. apply passes_alone. }
  split; [auto|split; [auto|split]].
  - destruct (proj2 (rank_ok ms) _ _ _ K) as (k & F & G).
    destruct (Nat.eq_dec k r) as [->|N]; [exact F|].
    pose proof (upto_clean (tok (tid r)) r (Nat.lt_le_incl _ _ R)) as C.
    exfalso. apply (C a b k); [apply (rank_ok ms), F|lia|]. rewrite E. left; auto.
  - intros k G. rewrite J. apply (upto_apart r); auto; [lia|]. rewrite <- J, E, Es, Et. reflexivity.
Qed.

(** * Two tokens *)
Section Two.
Variables x y : nat.
Hypothesis SX : reachable x.
Hypothesis SY : reachable y.

(** The pass at rank [k] does not cross the middle. *)
Definition passes_by (k : nat) : Prop := forall a b, nth_error ms k = Some (a, b) ->
  merge_pass a b (tid k) (upto k (tok x) ++ upto k (tok y)) =
  merge_pass a b (tid k) (upto k (tok x)) ++ merge_pass a b (tid k) (upto k (tok y)).

Lemma apart_iff K : K <= length ms ->
  upto K (tok x ++ tok y) = upto K (tok x) ++ upto K (tok y) <-> (forall k, k < K -> passes_by k).
Proof.
  pose proof (tok_bytes x (proj1 SX)) as Bx. pose proof (tok_bytes y (proj1 SY)) as By.
  intro L. split.
  - intros E k H a b N. rewrite <- (upto_apart K k) by (auto; lia).
    rewrite <- !(passes_last k ms a b) by exact N. apply (upto_apart K); auto.
  - intro P. induction K as [|K IH]; [reflexivity|].
    destruct (nth_error ms K) as [[a b]|] eqn:N; [|apply nth_error_None in N; lia].
    rewrite !(passes_last K ms a b) by exact N. rewrite IH by (intros; try apply P; lia).
    apply P; [lia|exact N].
Qed.

(** [l] is the last id before the middle, from when it is made until the pass of [until]. *)
Definition on_the_left (l until : nat) : Prop :=
  reachable l /\ l <= x /\ l < until /\
  (forall k, k <= length ms -> tid k <= until -> exists u, upto k (tok x) = u ++ upto k (tok l)) /\
  (forall k, k < length ms -> tid k = until -> exists u, upto (S k) (tok x) = u ++ [tid k]).

(** [r] is the first id after the middle, from when it is made until the pass of [until]. *)
Definition on_the_right (r until : nat) : Prop :=
  reachable r /\ r <= y /\ r < until /\
  (forall k, k <= length ms -> tid k <= until -> exists v, upto k (tok y) = upto k (tok r) ++ v).

Lemma parts_of t : 256 <= t -> t < tid (length ms) ->
  exists r, t = tid r /\ r < length ms /\ nth_error ms r = Some (left_part ms t, right_part ms t).
Proof.
  intros G L. unfold tid in L. exists (t - 256). split; [unfold tid; lia|]. split; [lia|].
  unfold left_part, right_part. destruct (Nat.ltb_spec t 256) as [|_]; [lia|].
  rewrite (nth_error_nth' ms (t, t)) by lia. destruct (nth _ ms _); reflexivity.
Qed.

Lemma on_the_left_first : on_the_left x limit.
Proof.
  pose proof (proj1 SX). split; [exact SX|]. split; [lia|]. split; [lia|]. split.
  - intros k _ _. exists []; reflexivity.
  - intros k L E. unfold tid in *. lia.
Qed.

Lemma on_the_right_first : on_the_right y limit.
Proof.
  pose proof (proj1 SY). split; [exact SY|]. split; [lia|]. split; [lia|].
  intros k _ _. exists []; rewrite app_nil_r; reflexivity.
Qed.

Lemma on_the_left_step l until : 256 <= l -> on_the_left l until ->
  on_the_left (right_part ms l) l.
Proof.
  intros G (S & Lx & Lu & H & _). destruct (parts_of l G (proj1 S)) as (r & -> & R & K).
  remember (right_part ms (tid r)) as b eqn:Eb. clear Eb.
  destruct (reachable_parts _ _ _ K S) as (_ & Sb & _ & P). destruct (WF _ _ _ K) as [_ Lb].
  split; [exact Sb|]. split; [lia|]. split; [exact Lb|]. split.
  - intros k Lk Tk. destruct (H k Lk) as (u & ->); [lia|].
    rewrite P by (unfold tid in Tk; lia). eexists. apply app_assoc.
  - intros k Lk Tk. assert (k = r) as -> by (unfold tid in Tk; lia).
    destruct (H (Datatypes.S r)) as (u & E); [lia|unfold tid in *; lia|].
    rewrite (upto_made (Datatypes.S r) (tid r)) in E by (auto; unfold tid; lia).
    exists u. exact E.
Qed.

Lemma on_the_right_step r until : 256 <= r -> on_the_right r until ->
  on_the_right (left_part ms r) r.
Proof.
  intros G (S & Ly & Lu & H). destruct (parts_of r G (proj1 S)) as (i & -> & R & K).
  remember (left_part ms (tid i)) as a eqn:Ea. clear Ea.
  destruct (reachable_parts _ _ _ K S) as (Sa & _ & _ & P). destruct (WF _ _ _ K) as [La _].
  split; [exact Sa|]. split; [lia|]. split; [exact La|].
  intros k Lk Tk. destruct (H k Lk) as (v & ->); [lia|].
  rewrite P by (unfold tid in Tk; lia). eexists. symmetry. apply app_assoc.
Qed.

Lemma merged_some a b r : rank ms a b = Some r -> merged ms limit a b = tid r.
Proof. unfold merged. intros ->. reflexivity. Qed.

Lemma merged_below a b : merged ms limit a b < limit -> exists r, rank ms a b = Some r /\
  merged ms limit a b = tid r /\ nth_error ms r = Some (a, b).
Proof.
  unfold merged. destruct (rank ms a b) as [r|] eqn:E; [|lia].
  intros _. exists r. split; [auto|split; [auto|]]. apply (rank_ok ms), E.
Qed.

(** One test of the walk: if it finds no merge of the two ids at the middle, no pass crosses the
    middle while they are there. *)
Lemma look k l r lu ru : on_the_left l lu -> on_the_right r ru ->
  k < length ms -> l < tid k -> r < tid k -> tid k <= lu -> tid k <= ru ->
  (forall n, merged ms limit l r = tid n -> n <= k -> ~ (tid n < lu /\ tid n <= ru)) ->
  passes_by k.
Proof.
  intros (Sl & _ & _ & Hl & Ul) (Sr & _ & _ & Hr) N Ll Lr Tl Tr Q a b K.
  destruct (Hl k) as (u & Eu); try lia. destruct (Hr k) as (v & Ev); try lia.
  rewrite (upto_made k l) in Eu by (auto; lia). rewrite (upto_made k r) in Ev by (auto; lia).
  destruct (Nat.eq_dec (tid k) lu) as [E|E].
  - destruct (Ul k N E) as (w & Ew). rewrite (passes_last k ms a b) in Ew by exact K.
    apply (merge_pass_used_up _ _ _ _ w); [|exact Ew].
    pose proof (passes_bound (firstn k ms) 0 (tok x) (tok_bytes x (proj1 SX))) as B.
    rewrite firstn_length_le in B by lia. exact B.
  - rewrite Eu, Ev. apply merge_pass_border. intros [-> ->].
    destruct (proj2 (rank_ok ms) _ _ _ K) as (n & F & G).
    apply (Q n); [apply merged_some, F|exact G|]. unfold tid in *. lia.
Qed.

(** If the walk finds nothing, no pass crosses the middle. *)
Lemma go_back_sound next l r lu ru k : on_the_left l lu -> on_the_right r ru ->
  k < length ms -> tid k <= lu -> tid k <= ru ->
  (forall n, merged ms limit l r = tid n -> n <= k -> ~ (tid n < lu /\ tid n <= ru)) ->
  (forall l' r' lu' ru', on_the_left l' lu' -> on_the_right r' ru' ->
     next l' r' lu' ru' = false -> tid k <= lu' -> tid k <= ru' -> passes_by k) ->
  go_back ms next l r lu ru = false -> passes_by k.
Proof.
  intros Hl Hr Lk Tl Tr Q N W. unfold go_back in W. branch W B;
    rewrite ?andb_true_iff, ?andb_false_iff, ?Nat.ltb_lt, ?Nat.ltb_ge in B.
  - apply (look k l r lu ru); auto; unfold tid; lia.
  - branch W M; rewrite ?Nat.leb_le, ?Nat.leb_gt in M.
    + destruct (Nat.le_gt_cases (tid k) l) as [O|O].
      * apply (N _ _ _ _ (on_the_left_step l lu ltac:(lia) Hl) Hr W); auto.
      * apply (look k l r lu ru); auto; lia.
    + destruct (Nat.le_gt_cases (tid k) r) as [O|O].
      * apply (N _ _ _ _ Hl (on_the_right_step r ru ltac:(lia) Hr) W); auto.
      * apply (look k l r lu ru); auto; lia.
Qed.

Lemma torn_sound k fuel : k < length ms -> forall l r lu ru, on_the_left l lu -> on_the_right r ru ->
  torn ms limit fuel l r lu ru = false -> tid k <= lu -> tid k <= ru -> passes_by k.
Proof.
  intro Lk. induction fuel as [|f IH]; intros l r lu ru Hl Hr W Tl Tr; [discriminate|].
  cbn [torn] in W. branch W C; [discriminate|].
  apply (go_back_sound (torn ms limit f) l r lu ru k); auto.
  intros n E Ln [G1 G2]. rewrite E in C.
  rewrite andb_false_iff, ?Nat.ltb_ge, ?Nat.leb_gt in C. unfold tid in *. lia.
Qed.

(** A pass crosses the middle before both parts are complete. *)
Definition crossed : Prop := exists k, k < length ms /\ tid k <= max x y /\ ~ passes_by k.

(** If the walk finds a merge, such a pass exists. *)
Lemma go_back_complete next l r lu ru : on_the_left l lu -> on_the_right r ru -> lu <= limit ->
  (forall l' r' lu' ru', on_the_left l' lu' -> on_the_right r' ru' ->
     lu' <= max x y \/ ru' <= max x y -> lu' <= limit -> l' + r' < l + r ->
     next l' r' lu' ru' = true -> crossed) ->
  go_back ms next l r lu ru = true -> crossed.
Proof.
  intros Hl Hr Lu N W. unfold go_back in W. branch W B; [discriminate|].
  rewrite andb_false_iff, !Nat.ltb_ge in B.
  pose proof Hl as (_ & Lx & Llu & _). pose proof Hr as (_ & Ly & _).
  branch W M; rewrite ?Nat.leb_le, ?Nat.leb_gt in M.
  - pose proof (on_the_left_step l lu ltac:(lia) Hl) as H. pose proof H as (_ & _ & D & _).
    apply (N _ _ _ _ H Hr) in W; auto; lia.
  - pose proof (on_the_right_step r ru ltac:(lia) Hr) as H. pose proof H as (_ & _ & D & _).
    apply (N _ _ _ _ Hl H) in W; auto; lia.
Qed.

Lemma torn_complete fuel : forall l r lu ru, on_the_left l lu -> on_the_right r ru ->
  lu <= max x y \/ ru <= max x y -> lu <= limit -> l + r < fuel ->
  torn ms limit fuel l r lu ru = true -> crossed.
Proof.
  induction fuel as [|f IH]; intros l r lu ru Hl Hr M Lu F W; [lia|].
  cbn [torn] in W. branch W C.
  - clear IH W. rewrite andb_true_iff, ?Nat.ltb_lt, ?Nat.leb_le in C. destruct C as [C1 C2].
    destruct (merged_below l r) as (k & R & E & K); [lia|].
    rewrite E in *. assert (Lk : k < length ms) by (apply nth_error_Some; congruence).
    destruct (WF _ _ _ K) as [Ll Lr]. exists k. split; [exact Lk|]. split; [lia|].
    intro P. destruct Hl as (Sl & _ & _ & Hl & _), Hr as (Sr & _ & _ & Hr).
    destruct (Hl (S k)) as (u & Eu); [lia|unfold tid in *; lia|].
    destruct (Hr k) as (v & Ev); [lia|exact C2|].
    rewrite (upto_made (S k) l), (passes_last k ms l r) in Eu by (auto; unfold tid in *; lia).
    rewrite (upto_made k r) in Ev by (auto; lia).
    specialize (P _ _ K). rewrite Ev in P. cbn [app] in P.
    apply (merge_pass_crosses l r (tid k) (upto k (tok x)) u v) in P; [exact P|lia|lia|exact Eu].
  - apply (go_back_complete (torn ms limit f) l r lu ru); auto.
    intros. eapply IH; eauto; lia.
Qed.

(** The walk finds nothing if and only if no pass before the pair's own crosses the middle. *)
Lemma is_torn_iff K : K < length ms -> rank ms x y = Some K ->
  is_torn ms limit x y = false <-> upto K (tok x ++ tok y) = upto K (tok x) ++ upto K (tok y).
Proof.
  intros L R. rewrite apart_iff by lia. unfold is_torn. split.
  - intros W k Lk. eapply (go_back_sound _ x y limit limit k); try exact W;
      auto using on_the_left_first, on_the_right_first; try (unfold tid in *; lia).
    + intros n E Ln. rewrite (merged_some _ _ _ R) in E. unfold tid in E. lia.
    + intros. eapply torn_sound; eauto. lia.
  - intro P. destruct (go_back _ _ _ _ _ _) eqn:W; [exfalso|reflexivity].
    apply go_back_complete in W; auto using on_the_left_first, on_the_right_first.
    + destruct W as (k & Lk & M & N). apply (rank_ok ms), WF in R.
      apply N, P. unfold tid in *. lia.
    + intros. eapply torn_complete; eauto.
Qed.
End Two.

(** The bytes of a merge encode to it if and only if both parts encode to themselves, no earlier
    merge has its pair, and no merge crosses its middle. Speaks of
    [bpetite_compare._soundness.find_unreachable]. *)
Theorem reachable_iff r a b : nth_error ms r = Some (a, b) ->
  reachable a /\ reachable b /\ rank ms a b = Some r /\ is_torn ms limit a b = false
  <-> reachable (tid r).
Proof.
  intro K. assert (L : r < length ms) by (apply nth_error_Some; congruence).
  destruct (WF _ _ _ K) as [La Lb]. split.
  - intros (Sa & Sb & R & W). split; [unfold tid; lia|].
    apply (is_torn_iff a b Sa Sb r L R) in W. rewrite <- (proj2 (token_ok ms WF) _ _ _ K) in W.
    rewrite (upto_made r a), (upto_made r b) in W by (auto; lia). cbn [app] in W.
    rewrite (passes_cut (S r)), (passes_last r ms a b), W by auto.
    rewrite merge_pass_step, !Nat.eqb_refl. apply passes_alone.
  - intro S. destruct (reachable_parts _ _ _ K S) as (Sa & Sb & R & P). split; [exact Sa|].
    split; [exact Sb|]. split; [exact R|]. apply (is_torn_iff a b Sa Sb r L R).
    rewrite <- (proj2 (token_ok ms WF) _ _ _ K). apply P; auto.
Qed.

Lemma merged_rank r a b : r < length ms -> merged ms limit a b = tid r <-> rank ms a b = Some r.
Proof.
  intro L. split; [|apply merged_some].
  unfold merged, tid in *. destruct (rank ms a b) as [k|]; intro Q; [f_equal|]; lia.
Qed.

Lemma first_unreachable_ok rest : forall r, skipn r ms = rest -> r <= length ms ->
  (forall t, t < tid r -> reachable t) ->
  match first_unreachable ms limit r rest with
  | None => forall t, t < tid (length ms) -> reachable t
  | Some t => t < tid (length ms) /\ ~ reachable t /\ forall i, i < t -> reachable i
  end.
Proof.
  induction rest as [|[a b] rest IH]; intros r E G H; cbn [first_unreachable].
  - pose proof (skipn_length r ms) as N. rewrite E in N. cbn [length] in N.
    assert (r = length ms) as -> by lia. exact H.
  - apply skipn_cons in E. destruct E as [K E].
    assert (Lr : r < length ms) by (apply nth_error_Some; congruence).
    pose proof (reachable_iff r a b K) as R. pose proof (merged_rank r a b Lr) as M.
    destruct (negb _ || _) eqn:C.
    + split; [unfold tid; lia|]. split; [|exact H]. intro S. apply R in S.
      destruct S as (_ & _ & F & T). apply M, Nat.eqb_eq in F. rewrite F, T in C. discriminate.
    + apply orb_false_iff in C. destruct C as [F T]. apply negb_false_iff, Nat.eqb_eq, M in F.
      destruct (WF _ _ _ K) as [La Lb]. apply IH; [exact E|lia|]. intros t Lt.
      destruct (Nat.eq_dec t (tid r)) as [->|N]; [apply R; auto|apply H; unfold tid in *; lia].
Qed.

(** If every token encodes to itself, [find_unreachable] finds nothing. Otherwise it finds the first
    token that does not. Speaks of [bpetite_compare._soundness.find_unreachable]. *)
Theorem find_unreachable_ok : match find_unreachable ms limit with
  | None => forall t, t < tid (length ms) -> reachable t
  | Some t => t < tid (length ms) /\ ~ reachable t /\ forall i, i < t -> reachable i
  end.
Proof.
  apply first_unreachable_ok; [reflexivity|lia|]. intros t L. apply byte_reachable.
  unfold tid in L. lia.
Qed.
End Reachable.
