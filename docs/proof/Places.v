(** The encoder that records the positions of pairs: [_merges.py: Merges.apply] in long chunks.

    The remaining symbols are in a list, each with the position of its first byte. This is the
    linked list of the code, read from its first node. When a merge creates a pair, its position is
    noted. The next pass is for the lowest noted rank; the code finds it with a heap. The pass
    visits the noted positions from left to right, and skips those where the pair is gone. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders.
Import ListNotations.

Notation symbols := (list (nat * nat)) (only parsing).
Notation notes := (list (nat * nat)) (only parsing).

(** Merge at a position, if the pair is still there. *)
Fixpoint merge_at (a b n p : nat) (l : symbols) : symbols :=
  match l with
  | (q, x) :: (((_, y) :: t) as tl) =>
      if q =? p then (if (x =? a) && (y =? b) then (q, n) :: t else l)
      else (q, x) :: merge_at a b n p tl
  | _ => l
  end.

(** The note of a pair at a position, if the pair has a merge. *)
Definition note (lookup : nat -> nat -> option nat) (q x y : nat) : notes :=
  match lookup x y with Some r => [(r, q)] | None => [] end.

(** The notes of the two pairs that a merge at a position creates. *)
Fixpoint notes_at (lookup : nat -> nat -> option nat) (a b n p : nat) (before : option (nat * nat))
    (l : symbols) : notes :=
  match l with
  | (q, x) :: (((_, y) :: t) as tl) =>
      if q =? p then
        if (x =? a) && (y =? b) then
          match before with Some (q', x') => note lookup q' x' n | None => [] end ++
          match t with (_, z) :: _ => note lookup q n z | [] => [] end
        else []
      else notes_at lookup a b n p (Some (q, x)) tl
  | _ => []
  end.

(** Visit positions, one after the other. *)
Fixpoint visit (lookup : nat -> nat -> option nat) (a b n : nat) (ps : list nat) (l : symbols)
    (noted : notes) : symbols * notes :=
  match ps with
  | [] => (l, noted)
  | p :: t => visit lookup a b n t (merge_at a b n p l) (notes_at lookup a b n p None l ++ noted)
  end.

Fixpoint insert (p : nat) (ps : list nat) : list nat :=
  match ps with
  | [] => [p]
  | q :: t => if p <=? q then p :: ps else q :: insert p t
  end.
Definition sorted (ps : list nat) : list nat := fold_right insert [] ps.

(** The lowest noted rank. *)
Fixpoint lowest_noted (noted : notes) : option nat :=
  match noted with
  | [] => None
  | (r, _) :: t => match lowest_noted t with Some k => Some (min r k) | None => Some r end
  end.

(** Make one pass after the other, until no notes are left. *)
Fixpoint run_passes (ms : list (nat * nat)) (lookup : nat -> nat -> option nat) (fuel : nat)
    (l : symbols) (noted : notes) : list nat :=
  match fuel with
  | 0 => map snd l
  | S f =>
      match lowest_noted noted with
      | None => map snd l
      | Some r =>
          let (a, b) := nth r ms (0, 0) in
          let places := sorted (map snd (filter (fun e => fst e =? r) noted)) in
          let (l', noted') :=
            visit lookup a b (tid r) places l (filter (fun e => negb (fst e =? r)) noted) in
          run_passes ms lookup f l' noted'
      end
  end.

(** The notes of a chunk before the first pass. *)
Fixpoint first_notes (lookup : nat -> nat -> option nat) (l : symbols) : notes :=
  match l with
  | (q, x) :: (((_, y) :: _) as tl) => note lookup q x y ++ first_notes lookup tl
  | _ => []
  end.

(** [Merges.apply] for a long chunk. *)
Definition apply_merges (ms : list (nat * nat)) (chunk : list nat) : list nat :=
  let l := combine (seq 0 (length chunk)) chunk in
  run_passes ms (rank ms) (length ms) l (first_notes (rank ms) l).

(** The pair [x, y] is at position [q]. *)
Fixpoint stands (q x y : nat) (l : symbols) : Prop :=
  match l with
  | (q', x') :: (((_, y') :: _) as tl) => (q' = q /\ x' = x /\ y' = y) \/ stands q x y tl
  | _ => False
  end.

(** Positions increase from left to right. *)
Fixpoint grows (l : symbols) : Prop :=
  match l with [] => True | (q, _) :: t => Forall (fun e => q < fst e) t /\ grows t end.

Fixpoint ascends (ps : list nat) : Prop :=
  match ps with [] => True | p :: t => Forall (fun q => p <= q) t /\ ascends t end.

Lemma symbols_ind2 (P : symbols -> Prop) :
  P [] -> (forall q x, P [(q, x)]) ->
  (forall q x q' y t, P t -> P ((q', y) :: t) -> P ((q, x) :: (q', y) :: t)) -> forall l, P l.
Proof.
  intros H0 H1 H2. assert (forall l, P l /\ forall e, P (e :: l)) as H.
  { induction l as [|[q' y] t [IH1 IH2]]; split; auto; intros [q x]; auto. }
  intro l; apply H.
Qed.

Lemma in_insert p ps q : In q (insert p ps) <-> q = p \/ In q ps.
Proof.
  induction ps as [|r t IH]; simpl; [firstorder congruence|].
  destruct (_ <=? _); simpl; [|rewrite IH]; firstorder congruence.
Qed.

Lemma insert_ascends p ps : ascends ps -> ascends (insert p ps).
Proof.
  induction ps as [|q t IH]; simpl; [auto|]. intros [F A].
  destruct (_ <=? _) eqn:E; [apply Nat.leb_le in E|apply Nat.leb_gt in E]; simpl.
  - split; [|auto]. constructor; [lia|]. eapply Forall_impl; [|exact F]. simpl; intros; lia.
  - split; [|auto]. rewrite Forall_forall in *. intros r I. apply in_insert in I.
    destruct I as [->|I]; [lia|auto].
Qed.

Lemma sorted_ok ps : ascends (sorted ps) /\ forall q, In q (sorted ps) <-> In q ps.
Proof.
  induction ps as [|p t [A I]]; simpl; [tauto|]. split; [apply insert_ascends, A|].
  intro q. rewrite in_insert, I. firstorder congruence.
Qed.

Lemma lowest_noted_ok noted : match lowest_noted noted with
  | None => noted = []
  | Some r => (exists q, In (r, q) noted) /\ forall k q, In (k, q) noted -> r <= k
  end.
Proof.
  induction noted as [|[r q] t IH]; simpl; [reflexivity|].
  destruct (lowest_noted t) as [k|].
  - destruct IH as [[q' I] M]. split.
    + destruct (Nat.min_spec r k) as [[_ ->]|[_ ->]]; eauto.
    + intros k' p [H|H]; [injection H as <- _; lia|]. specialize (M _ _ H). lia.
  - subst t. split; [eauto|]. intros k p [H|[]]. injection H as <- _. lia.
Qed.

Section Pass.
Variables (lookup : nat -> nat -> option nat) (a b n : nat).
Hypothesis NA : n <> a.
Hypothesis NB : n <> b.

Notation merge_at := (merge_at a b n).

Lemma merge_at_step p q x q' y t : merge_at p ((q, x) :: (q', y) :: t) =
  if q =? p then (if (x =? a) && (y =? b) then (q, n) :: t else (q, x) :: (q', y) :: t)
  else (q, x) :: merge_at p ((q', y) :: t).
Proof. reflexivity. Qed.

Lemma notes_at_step p before q x q' y t :
  notes_at lookup a b n p before ((q, x) :: (q', y) :: t) =
  if q =? p then
    if (x =? a) && (y =? b) then
      match before with Some (i, w) => note lookup i w n | None => [] end ++
      match t with (_, z) :: _ => note lookup q n z | [] => [] end
    else []
  else notes_at lookup a b n p (Some (q, x)) ((q', y) :: t).
Proof. reflexivity. Qed.

Lemma merge_at_absent p l : Forall (fun e => p <> fst e) l -> merge_at p l = l.
Proof.
  induction l as [|q x|q x q' y t IH1 IH2] using symbols_ind2; auto.
  intro F. inversion F; subst. rewrite merge_at_step. cbn [fst] in *.
  destruct (Nat.eqb_spec q p); [congruence|]. f_equal. auto.
Qed.

Lemma merge_at_places (P : nat -> Prop) p l :
  Forall (fun e => P (fst e)) l -> Forall (fun e => P (fst e)) (merge_at p l).
Proof.
  induction l as [|q x|q x q' y t IH1 IH2] using symbols_ind2; auto.
  intro F. inversion F as [|? ? Fq F']; inversion F' as [|? ? Fq' F'']; subst.
  rewrite merge_at_step. destruct (q =? p); [destruct (_ && _)|]; auto.
Qed.

Lemma merge_at_grows p l : grows l -> grows (merge_at p l).
Proof.
  induction l as [|q x|q x q' y t IH1 IH2] using symbols_ind2; auto.
  intros [F [F' G]]. rewrite merge_at_step. destruct (q =? p); [destruct (_ && _)|].
  - split; [inversion F; auto|exact G].
  - repeat split; auto.
  - split; [apply (merge_at_places (fun i => q < i)), F|apply IH2; split; auto].
Qed.

(** The id [x] before a list is not the left part of the pair, now or after merges in the list. *)
Definition no_pair (x : nat) (l : symbols) : Prop :=
  x <> a \/ match l with (_, y) :: _ => y <> b | [] => True end.

Lemma merge_at_no_pair x p l : no_pair x l -> no_pair x (merge_at p l).
Proof.
  intros [H|H]; [left; exact H|]. right. destruct l as [|[q y] [|[q' z] t]]; auto.
  rewrite merge_at_step. destruct (q =? p); [destruct (_ && _)|]; auto.
Qed.

Notation visited ps l := (fst (visit lookup a b n ps l [])).

Lemma visited_any ps : forall l noted, fst (visit lookup a b n ps l noted) = visited ps l.
Proof.
  induction ps as [|p ps IH]; intros l noted; simpl; auto.
  rewrite IH, (IH _ (notes_at _ _ _ _ _ _ _ ++ [])). reflexivity.
Qed.

Lemma visited_step p ps l : visited (p :: ps) l = visited ps (merge_at p l).
Proof. simpl. apply visited_any. Qed.

Lemma visited_head ps : forall q x l, Forall (fun e => q < fst e) l -> no_pair x l ->
  visited ps ((q, x) :: l) = (q, x) :: visited ps l.
Proof.
  induction ps as [|p ps IH]; intros q x l F H; [reflexivity|].
  rewrite !visited_step.
  assert (E : merge_at p ((q, x) :: l) = (q, x) :: merge_at p l).
  { destruct l as [|[q' y] t]; [reflexivity|]. rewrite merge_at_step.
    destruct (Nat.eqb_spec q p) as [->|]; [|reflexivity].
    rewrite (merge_at_absent p ((q', y) :: t)).
    - destruct (Nat.eqb_spec x a), (Nat.eqb_spec y b); try reflexivity. destruct H; congruence.
    - eapply Forall_impl; [|exact F]. simpl; intros; lia. }
  rewrite E. apply IH; [apply (merge_at_places (fun i => q < i)), F|apply merge_at_no_pair, H].
Qed.

Lemma visited_below ps : forall q l ps', Forall (fun p => p < q) ps ->
  Forall (fun e => q <= fst e) l -> visited (ps ++ ps') l = visited ps' l.
Proof.
  induction ps as [|p ps IH]; intros q l ps' B F; [reflexivity|].
  inversion B; subst. cbn [app]. rewrite visited_step, merge_at_absent.
  - apply (IH q); auto.
  - eapply Forall_impl; [|exact F]. simpl; intros; lia.
Qed.

Lemma ascends_cut q ps : ascends ps -> In q ps -> exists ps1 ps2,
  ps = ps1 ++ q :: ps2 /\ Forall (fun p => p < q) ps1 /\ ascends ps2.
Proof.
  induction ps as [|p t IH]; intros A I; [destruct I|]. destruct A as [F A].
  destruct (Nat.eq_dec p q) as [->|N].
  - exists [], t. auto.
  - destruct I as [I|I]; [congruence|]. destruct (IH A I) as (u & v & -> & B & C).
    exists (p :: u), v. split; [reflexivity|]. split; [|exact C]. constructor; [|exact B].
    rewrite Forall_forall in F. specialize (F q I). lia.
Qed.

(** Visiting every position of the pair, and possibly others, gives the result of the pass. *)
Lemma visit_pass l : forall ps, grows l -> ascends ps -> (forall q, stands q a b l -> In q ps) ->
  map snd (visited ps l) = merge_pass a b n (map snd l).
Proof.
  induction l as [|q x|q x q' y t IH1 IH2] using symbols_ind2; intros ps G A S.
  - assert (visited ps [] = []) as ->; [|reflexivity].
    clear. induction ps; [reflexivity|]. rewrite visited_step. exact IHps.
  - rewrite (visited_head ps q x []); [|constructor|right; exact I].
    assert (visited ps [] = []) as ->; [|reflexivity].
    clear. induction ps; [reflexivity|]. rewrite visited_step. exact IHps.
  - destruct G as [F G]. cbn [map snd] in *. rewrite merge_pass_step.
    destruct (Nat.eqb_spec x a) as [Ex|Ex]; cbn [andb].
    1: destruct (Nat.eqb_spec y b) as [Ey|Ey].
    + subst x y. destruct (ascends_cut q ps A) as (u & v & -> & B & C); [apply S; left; auto|].
      assert (L : Forall (fun e => q <= fst e) ((q, a) :: (q', b) :: t)).
      { constructor; [simpl; lia|]. eapply Forall_impl; [|exact F]. simpl; intros; lia. }
      rewrite (visited_below u q _ _ B L).
      rewrite visited_step. rewrite merge_at_step. rewrite !Nat.eqb_refl. cbn [andb].
      inversion F as [|? ? Fq Ft]; subst.
      rewrite visited_head by (auto; left; exact NA). cbn [map snd]. f_equal.
      destruct G as [Fq' G]. apply IH1; auto. intros p St. cbn [fst] in Fq.
      assert (P : q < p).
      { clear - St Ft. induction t as [|[i z] [|[j w] t] IH]; simpl in St; try tauto.
        inversion Ft; subst. destruct St as [(-> & _)|St]; auto. }
      assert (I : In p (u ++ q :: v)).
      { apply S. right. destruct t as [|[i z] t]; [destruct St|]. right. exact St. }
      apply in_app_or in I. destruct I as [I|[I|I]]; [|lia|exact I].
      rewrite Forall_forall in B. specialize (B p I). lia.
    + rewrite visited_head by (auto; right; exact Ey). cbn [map snd]. f_equal. apply IH2; auto.
      intros p St. apply S. right. exact St.
    + rewrite visited_head by (auto; left; exact Ex). cbn [map snd]. f_equal. apply IH2; auto.
      intros p St. apply S. right. exact St.
Qed.

Lemma visit_grows ps : forall l noted, grows l -> grows (fst (visit lookup a b n ps l noted)).
Proof.
  induction ps as [|p ps IH]; intros l noted G; simpl; auto. apply IH, merge_at_grows, G.
Qed.

(** * Notes *)

Definition after (before : option (nat * nat)) (l : symbols) : symbols :=
  match before with Some e => e :: l | None => l end.

Lemma in_note q x y k : lookup x y = Some k -> In (k, q) (note lookup q x y).
Proof. unfold note. intros ->. left; reflexivity. Qed.

(** A pair at a position after a merge was there before, or it is noted. *)
Lemma stands_noted q x y k p l : forall before, lookup x y = Some k ->
  stands q x y (after before (merge_at p l)) ->
  stands q x y (after before l) \/ In (k, q) (notes_at lookup a b n p before l).
Proof.
  induction l as [|q0 x0|q0 x0 q1 y0 t IH1 IH2] using symbols_ind2; intros before K St; auto.
  rewrite merge_at_step in St. rewrite notes_at_step. destruct (q0 =? p) eqn:Ep.
  - destruct ((x0 =? a) && (y0 =? b)) eqn:M; [|auto].
    assert (T : stands q x y ((q0, n) :: t) -> stands q x y (after before ((q0, x0) :: (q1, y0) :: t)) \/
                In (k, q) (match t with (_, z) :: _ => note lookup q0 n z | [] => [] end)).
    { destruct t as [|[q2 z] t]; [intros []|]. intros [(-> & -> & ->)|H].
      - right. apply in_note, K.
      - left. destruct before as [[? ?]|]; [right|]; right; right; exact H. }
    destruct before as [[qb xb]|]; cbn [after] in St.
    + destruct St as [(-> & -> & ->)|St].
      * right. apply in_or_app. left. apply in_note, K.
      * destruct (T St); [left|right; apply in_or_app; right]; assumption.
    + destruct (T St); [left|right; apply in_or_app; right]; assumption.
  - assert (T : stands q x y ((q0, x0) :: merge_at p ((q1, y0) :: t)) ->
      stands q x y ((q0, x0) :: (q1, y0) :: t) \/
      In (k, q) (notes_at lookup a b n p (Some (q0, x0)) ((q1, y0) :: t))).
    { apply (IH2 (Some (q0, x0)) K). }
    destruct before as [[qb xb]|]; cbn [after] in *; [|apply T, St].
    destruct St as [H|St]; [left; left; exact H|].
    destruct (T St); [left; right|right]; assumption.
Qed.

(** Every new note is for a pair that contains the new id. *)
Lemma notes_at_new k q p l : forall before, In (k, q) (notes_at lookup a b n p before l) ->
  exists x y, lookup x y = Some k /\ (x = n \/ y = n).
Proof.
  assert (N : forall q' x y, In (k, q) (note lookup q' x y) -> lookup x y = Some k).
  { intros q' x y. unfold note. destruct (lookup x y); [|intros []].
    intros [H|[]]. injection H as -> _. reflexivity. }
  induction l as [|q0 x0|q0 x0 q1 y0 t IH1 IH2] using symbols_ind2; intros before I; try (destruct I; fail).
  rewrite notes_at_step in I. destruct (q0 =? p); [|apply IH2 in I; exact I].
  destruct ((x0 =? a) && (y0 =? b)); [|destruct I].
  apply in_app_or in I. destruct I as [I|I].
  - destruct before as [[qb xb]|]; [|destruct I]. apply N in I. eauto.
  - destruct t as [|[q2 z] t]; [destruct I|]. apply N in I. eauto.
Qed.

Lemma visit_noted ps : forall l noted,
  (forall q x y k, stands q x y l -> lookup x y = Some k -> (x, y) = (a, b) \/ In (k, q) noted) ->
  forall q x y k, stands q x y (fst (visit lookup a b n ps l noted)) -> lookup x y = Some k ->
  (x, y) = (a, b) \/ In (k, q) (snd (visit lookup a b n ps l noted)).
Proof.
  induction ps as [|p ps IH]; intros l noted H; simpl; auto.
  apply IH. intros q x y k St K.
  destruct (stands_noted q x y k p l None K St) as [St'|I].
  - destruct (H _ _ _ _ St' K); [left|right; apply in_or_app; right]; assumption.
  - right. apply in_or_app. left. exact I.
Qed.

Lemma visit_new k q ps : forall l noted, In (k, q) (snd (visit lookup a b n ps l noted)) ->
  In (k, q) noted \/ exists x y, lookup x y = Some k /\ (x = n \/ y = n).
Proof.
  induction ps as [|p ps IH]; intros l noted I; simpl in *; auto.
  apply IH in I. destruct I as [I|I]; auto. apply in_app_or in I.
  destruct I as [I|I]; auto. right. eapply notes_at_new, I.
Qed.
End Pass.

(** * All passes *)
Section Run.
Variable ms : list (nat * nat).
Variable lookup : nat -> nat -> option nat.
Hypothesis WF : wf_merges ms.
Hypothesis LK : lookup_ok ms lookup.

(** Every pair that has a merge is noted at its position. *)
Definition all_noted (l : symbols) (noted : notes) : Prop :=
  forall q x y k, stands q x y l -> lookup x y = Some k -> In (k, q) noted.

(** Every note is for rank [r] or a later one. *)
Definition noted_from (r : nat) (noted : notes) : Prop :=
  forall k q, In (k, q) noted -> r <= k /\ exists x y, lookup x y = Some k.

Lemma adj_stands x y l : adj x y (map snd l) <-> exists q, stands q x y l.
Proof.
  induction l as [|q0 x0|q0 x0 q1 y0 t _ IH] using symbols_ind2.
  - split; [intros []|intros [? []]].
  - split; [intros []|intros [? []]].
  - change (adj x y (map snd ((q0, x0) :: (q1, y0) :: t)))
      with ((x0 = x /\ y0 = y) \/ adj x y (map snd ((q1, y0) :: t))). rewrite IH. split.
    + intros [[-> ->]|[q H]]; [exists q0; left; auto|exists q; right; exact H].
    + intros [q [(_ & -> & ->)|H]]; [left; auto|right; exists q; exact H].
Qed.

Lemma noted_clean r l noted : all_noted l noted -> noted_from r noted -> clean ms r (map snd l).
Proof.
  intros A N x y k K L H. apply adj_stands in H. destruct H as [q H].
  destruct (proj2 LK _ _ _ K) as (k0 & F & G). specialize (A q x y k0 H F).
  destruct (N _ _ A). lia.
Qed.

Lemma run_passes_ok fuel : forall r l noted, grows l -> all_noted l noted -> noted_from r noted ->
  r <= length ms -> length ms - r <= fuel ->
  run_passes ms lookup fuel l noted = passes r (skipn r ms) (map snd l).
Proof.
  induction fuel as [|f IH]; intros r l noted G A N L F; cbn [run_passes].
  - assert (r = length ms) as -> by lia. rewrite skipn_all. reflexivity.
  - pose proof (lowest_noted_ok noted) as M. destruct (lowest_noted noted) as [r0|].
    + destruct M as [[q I] Min]. destruct (N _ _ I) as (Lr & a & b & K).
      assert (E : nth_error ms r0 = Some (a, b)) by (apply LK, K).
      assert (R : r0 < length ms) by (apply nth_error_Some; congruence).
      rewrite (nth_error_nth ms r0 (0, 0) E).
      assert (N0 : noted_from r0 noted).
      { intros k p J. split; [eapply Min, J|apply (N _ _ J)]. }
      rewrite (passes_clean_prefix ms r0 r _ _ (noted_clean _ _ _ A N0) eq_refl Lr).
      destruct (WF _ _ _ E) as [La Lb].
      assert (SK : skipn r0 ms = (a, b) :: skipn (S r0) ms).
      { rewrite <- (firstn_skipn r0 ms) in E at 1. rewrite nth_error_app2 in E
          by (rewrite firstn_length; lia).
        rewrite firstn_length_le, Nat.sub_diag in E by lia.
        destruct (skipn r0 ms) as [|m t] eqn:D; [discriminate|]. injection E as ->.
        apply (skipn_cons ms) in D. destruct D as [_ D]. rewrite D. reflexivity. }
      rewrite SK. cbn [passes].
      set (ps := sorted (map snd (filter (fun e => fst e =? r0) noted))).
      set (rest := filter (fun e => negb (fst e =? r0)) noted).
      destruct (sorted_ok (map snd (filter (fun e => fst e =? r0) noted))) as [As Is].
      assert (V : map snd (fst (visit lookup a b (tid r0) ps l rest)) =
                  merge_pass a b (tid r0) (map snd l)).
      { rewrite (visited_any lookup). apply visit_pass; auto; try lia. intros p St. apply Is.
        apply in_map_iff. exists (r0, p). split; [reflexivity|]. apply filter_In.
        split; [apply (A p a b r0 St K)|apply Nat.eqb_refl]. }
      pose proof (visit_grows lookup a b (tid r0) ps l rest G) as G'.
      assert (VN : forall p x y k, stands p x y (fst (visit lookup a b (tid r0) ps l rest)) ->
        lookup x y = Some k ->
        (x, y) = (a, b) \/ In (k, p) (snd (visit lookup a b (tid r0) ps l rest))).
      { apply visit_noted; try lia. intros p x y k St J. destruct (Nat.eq_dec k r0) as [->|Nk].
        - left. apply LK in J. congruence.
        - right. apply filter_In. split; [apply (A p x y k St J)|].
          apply negb_true_iff, Nat.eqb_neq. exact Nk. }
      assert (VW : forall k p, In (k, p) (snd (visit lookup a b (tid r0) ps l rest)) ->
        In (k, p) rest \/ exists x y, lookup x y = Some k /\ (x = tid r0 \/ y = tid r0)).
      { intros k p. apply visit_new; lia. }
      destruct (visit lookup a b (tid r0) ps l rest) as [l' noted']. cbn [fst snd] in *.
      rewrite <- V. apply IH; auto; try lia.
      * intros p x y k St J. destruct (VN p x y k St J) as [H|H]; [|exact H].
        injection H as -> ->. exfalso. apply (merge_pass_gone a b (tid r0) (map snd l)); try lia.
        rewrite <- V. apply adj_stands. exists p. exact St.
      * intros k p J. apply VW in J. destruct J as [J|(x & y & J & Q)].
        -- apply filter_In in J. destruct J as [J Nk]. destruct (N0 _ _ J) as [Lk H].
           split; [|exact H]. cbn [fst] in Nk. apply negb_true_iff, Nat.eqb_neq in Nk. lia.
        -- split; [|eauto]. apply LK, WF in J. unfold tid in *. lia.
    + subst noted. assert (C : clean ms (length ms) (map snd l)).
      { apply (noted_clean _ _ [] A). intros ? ? []. }
      rewrite (passes_clean_prefix ms _ r _ _ C eq_refl L), skipn_all. reflexivity.
Qed.

Lemma first_notes_all l : all_noted l (first_notes lookup l).
Proof.
  intros q x y k. induction l as [|q0 x0|q0 x0 q1 y0 t _ IH] using symbols_ind2; try (intros []; fail).
  intros St K. change (first_notes lookup ((q0, x0) :: (q1, y0) :: t))
    with (note lookup q0 x0 y0 ++ first_notes lookup ((q1, y0) :: t)).
  apply in_or_app. destruct St as [(-> & -> & ->)|St]; [left; apply in_note, K|right; auto].
Qed.

Lemma first_notes_from l : noted_from 0 (first_notes lookup l).
Proof.
  intros k q I. split; [lia|].
  induction l as [|q0 x0|q0 x0 q1 y0 t _ IH] using symbols_ind2; try (destruct I; fail).
  change (first_notes lookup ((q0, x0) :: (q1, y0) :: t))
    with (note lookup q0 x0 y0 ++ first_notes lookup ((q1, y0) :: t)) in I.
  apply in_app_or in I. destruct I as [I|I]; [|auto]. unfold note in I.
  destruct (lookup x0 y0) as [r|] eqn:K; [|destruct I].
  destruct I as [I|[]]. injection I as -> _. eauto.
Qed.
End Run.

Lemma placed_ok chunk : forall s, map snd (combine (seq s (length chunk)) chunk) = chunk /\
  grows (combine (seq s (length chunk)) chunk) /\
  Forall (fun e => s <= fst e) (combine (seq s (length chunk)) chunk).
Proof.
  induction chunk as [|x t IH]; intro s; [simpl; auto|]. cbn [length seq combine map snd grows].
  destruct (IH (S s)) as (E & G & F). rewrite E. split; [reflexivity|]. split.
  - split; [exact F|exact G].
  - constructor; [simpl; lia|]. eapply Forall_impl; [|exact F]. simpl; intros; lia.
Qed.

(** [Merges.apply] in long chunks gives the ids of one pass for each merge. *)
Theorem apply_merges_ok ms chunk : wf_merges ms -> apply_merges ms chunk = passes 0 ms chunk.
Proof.
  intro W. unfold apply_merges. destruct (placed_ok chunk 0) as (E & G & _).
  rewrite (run_passes_ok ms (rank ms) W (rank_ok ms) _ 0); auto using first_notes_all, first_notes_from;
    [|lia|lia]. rewrite E. reflexivity.
Qed.
