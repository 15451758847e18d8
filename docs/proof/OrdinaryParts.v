(** Ordinary parts: only what overlaps none of them is a special token.

    [cut_outside] is [_special_tokens.py: SpecialTokens.cut] with ordinary parts: the specification, which
    looks at every name at every place. [cut_loop] is its loop, and [joined] the end of [ordinary_parts].
    A part is a pair: the position at which it starts, and the one before which it ends. *)
From Coq Require Import List Arith Lia Bool Permutation Sorted.
From Bpetite Require Import Encoders Special Utf8 Tokenizer Numbering.
Import ListNotations.

(** Whether so many characters from [start] overlap a part. An empty part is between two characters. *)
Definition overlaps (start size : nat) (part : nat * nat) : bool :=
  (start <? snd part) && (fst part <? start + size).
Definition allowed (parts : list (nat * nat)) (start : nat) (name : list nat) : bool :=
  negb (existsb (overlaps start (length name)) parts).

(** The text before the leftmost special token that is allowed, its name, and the text after it. The
    text begins at [start]. *)
Fixpoint partition_outside (parts : list (nat * nat)) (names : list (list nat)) (start : nat)
    (text : list nat) : option (list nat * (list nat * list nat)) :=
  match find (fun name => prefixb name text && allowed parts start name) names with
  | Some name => Some ([], (name, skipn (length name) text))
  | None => match text with
            | [] => None
            | x :: t => match partition_outside parts names (S start) t with
                        | Some (b, found) => Some (x :: b, found)
                        | None => None
                        end
            end
  end.

(** The text before the first special token, and each special token with the text after it. *)
Fixpoint cut_outside_from (fuel : nat) (parts : list (nat * nat)) (names : list (list nat)) (start : nat)
    (text : list nat) : list nat * list (list nat * list nat) :=
  match fuel with
  | 0 => (text, [])
  | S f => match partition_outside parts names start text with
           | Some (b, (name, a)) =>
               let (s, others) := cut_outside_from f parts names (start + length b + length name) a in
               (b, (name, s) :: others)
           | None => (text, [])
           end
  end.
Definition cut_outside (parts : list (nat * nat)) (names : list (list nat)) (text : list nat) :=
  cut_outside_from (length text) parts names 0 text.

Definition beside (start size : nat) (part : nat * nat) : Prop :=
  start + size <= fst part \/ snd part <= start.

Lemma overlaps_false start size part : overlaps start size part = false <-> beside start size part.
Proof. unfold overlaps, beside. rewrite andb_false_iff, !Nat.ltb_ge. lia. Qed.

Lemma allowed_spec parts start name : allowed parts start name = true <->
  forall part, In part parts -> beside start (length name) part.
Proof.
  unfold allowed. rewrite negb_true_iff, <- not_true_iff_false, existsb_exists. split.
  - intros H part I. apply overlaps_false, not_true_iff_false. intro O. apply H. eauto.
  - intros H (part & I & O). apply H, overlaps_false in I. congruence.
Qed.

Lemma join_cons b n s l : join (b, (n, s) :: l) = b ++ n ++ join (s, l).
Proof. unfold join. cbn [fst snd flat_map]. rewrite <- app_assoc. reflexivity. Qed.

Lemma join_cut first n s r : forall l, join (first, l ++ (n, s) :: r) = join (first, l) ++ n ++ join (s, r).
Proof.
  intro l. unfold join. cbn [fst snd]. rewrite flat_map_app. cbn [flat_map fst snd].
  rewrite <- !app_assoc. reflexivity.
Qed.

Section Parts.
Variables (parts : list (nat * nat)) (names : list (list nat)).
Notation search := (partition_outside parts names).
Notation cut_from := (fun f => cut_outside_from f parts names).

(** The text is [b], the allowed special token [n] and [a], and none that is allowed begins before. *)
Definition leftmost_outside (start : nat) (text b n a : list nat) : Prop :=
  text = b ++ n ++ a /\ In n names /\ allowed parts (start + length b) n = true /\
  forall p m q, In m names -> text = p ++ m ++ q -> allowed parts (start + length p) m = true ->
    length b <= length p.

(** The search finds the leftmost special token that overlaps no ordinary part. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem partition_outside_some text : forall start b n a,
  search start text = Some (b, (n, a)) -> leftmost_outside start text b n a.
Proof.
  unfold leftmost_outside. induction text as [|x t IH]; intros start b n a E; cbn [partition_outside] in E;
    destruct (find _ names) as [name|] eqn:F; try discriminate.
  1, 2: apply find_some in F; destruct F as [I P]; apply andb_prop in P; destruct P as [P O];
    apply prefixb_skip in P; injection E as <- <- <-;
    split; [exact P|]; split; [exact I|]; rewrite Nat.add_0_r; split; [exact O|simpl; lia].
  destruct (search (S start) t) as [[b' [n' a']]|] eqn:G; [|discriminate]. injection E as <- <- <-.
  destruct (IH _ _ _ _ G) as (-> & I & O & L). split; [reflexivity|]. split; [exact I|].
  cbn [length]. rewrite Nat.add_succ_r. split; [exact O|]. intros [|y p] m q M H K; cbn [length app] in *.
  - assert (prefixb m (x :: b' ++ n' ++ a') = true) as P by (apply prefixb_spec; eauto).
    pose proof (find_none _ _ F m M) as Q. cbn beta in Q. rewrite Nat.add_0_r in K.
    rewrite P, K in Q. discriminate.
  - injection H as _ H. rewrite Nat.add_succ_r in K. apply (L p m q M H) in K. lia.
Qed.

(** If it finds nothing, every special token overlaps an ordinary part. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem partition_outside_none text : forall start, search start text = None ->
  forall p n q, In n names -> text = p ++ n ++ q -> allowed parts (start + length p) n = false.
Proof.
  induction text as [|x t IH]; intros start E p n q I H; cbn [partition_outside] in E;
    destruct (find _ names) as [name|] eqn:F; try discriminate;
    pose proof (find_none _ _ F n I) as P; cbn beta in P.
  - symmetry in H. apply app_eq_nil in H. destruct H as [-> H]. apply app_eq_nil in H.
    destruct H as [-> _]. rewrite Nat.add_0_r. exact P.
  - destruct (search (S start) t) as [[b [n' a]]|] eqn:G; [discriminate|].
    destruct p as [|y p]; cbn [app length] in *.
    + rewrite Nat.add_0_r. rewrite (proj2 (prefixb_spec n (x :: t))) in P by eauto. exact P.
    + injection H as _ H. rewrite Nat.add_succ_r. apply (IH (S start) G p n q I H).
Qed.

(** Of those that begin there, it is the first of the list, so the longest if the list begins with the
    longest. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem partition_outside_first text : forall start b n a,
  search start text = Some (b, (n, a)) -> exists l r, names = l ++ n :: r /\
  forall m q, In m l -> n ++ a = m ++ q -> allowed parts (start + length b) m = false.
Proof.
  assert (G : forall (f : list nat -> bool) ns n, find f ns = Some n ->
    exists l r, ns = l ++ n :: r /\ forall m, In m l -> f m = false).
  { intros f ns n. induction ns as [|m ns IH]; intro F; cbn [find] in F; [discriminate|].
    destruct (f m) eqn:E; [injection F as <-; exists [], ns; split; [reflexivity|contradiction]|].
    destruct (IH F) as (l & r & -> & H). exists (m :: l), r. split; [reflexivity|].
    intros k [<-|I]; auto. }
  assert (Z : forall start t n, find (fun n => prefixb n t && allowed parts start n) names = Some n ->
    exists l r, names = l ++ n :: r /\ forall m q, In m l -> n ++ skipn (length n) t = m ++ q ->
      allowed parts (start + 0) m = false).
  { intros start t n F. destruct (G _ _ _ F) as (l & r & E & H). exists l, r. split; [exact E|].
    intros m q I K. apply find_some in F. destruct F as [_ P]. apply andb_prop in P. destruct P as [P _].
    apply prefixb_skip in P. rewrite <- P in K. specialize (H m I). rewrite Nat.add_0_r.
    rewrite (proj2 (prefixb_spec m t)) in H by eauto. exact H. }
  induction text as [|x t IH]; intros start b n a E; cbn [partition_outside] in E;
    destruct (find _ names) as [name|] eqn:F; try discriminate.
  1, 2: injection E as <- <- <-; apply (Z _ _ _ F).
  destruct (search (S start) t) as [[b' [n' a']]|] eqn:K; [|discriminate]. injection E as <- <- <-.
  cbn [length]. rewrite Nat.add_succ_r. apply (IH _ _ _ _ K).
Qed.

Lemma cut_outside_from_join f : forall start text, join (cut_from f start text) = text.
Proof.
  induction f as [|f IH]; intros start text; cbn [cut_outside_from]; [apply app_nil_r|].
  destruct (search start text) as [[b [n a]]|] eqn:E; [|apply app_nil_r].
  apply partition_outside_some in E. destruct E as [-> _]. specialize (IH (start + length b + length n) a).
  destruct (cut_outside_from f _ _ _ a) as [s others]. rewrite join_cons, IH. reflexivity.
Qed.

(** Nothing is lost: the cut joins to the text. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_outside_join text : join (cut_outside parts names text) = text.
Proof. apply cut_outside_from_join. Qed.

Lemma cut_from_beside f n s r : forall start text first l,
  cut_from f start text = (first, l ++ (n, s) :: r) ->
  In n names /\ allowed parts (start + length (join (first, l))) n = true.
Proof.
  induction f as [|f IH]; intros start text first l E; cbn [cut_outside_from] in E;
    [destruct l; discriminate|].
  destruct (search start text) as [[b [m a]]|] eqn:F; [|destruct l; discriminate].
  destruct (cut_outside_from f _ _ _ a) as [s' others] eqn:G. injection E as <- E.
  destruct l as [|p l].
  - injection E as <- <- <-. apply partition_outside_some in F. destruct F as (_ & I & O & _).
    unfold join. cbn [fst snd flat_map]. rewrite app_nil_r. auto.
  - injection E as <- ->. apply IH in G. rewrite join_cons, !app_length, !Nat.add_assoc. exact G.
Qed.

(** A special token that is found overlaps no ordinary part: it ends before each, or begins after it.
    Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_outside_beside text first l n s r :
  cut_outside parts names text = (first, l ++ (n, s) :: r) ->
  In n names /\ forall part, In part parts -> beside (length (join (first, l))) (length n) part.
Proof.
  intro E. apply cut_from_beside in E. destruct E as [I O]. split; [exact I|]. apply allowed_spec, O.
Qed.

Lemma cut_outside_names text : Forall (fun p => In (fst p) names) (snd (cut_outside parts names text)).
Proof.
  destruct (cut_outside parts names text) as [first others] eqn:E. apply Forall_forall. intros [n s] I.
  apply in_split in I. destruct I as (l & r & I). cbn [snd] in I. subst others.
  apply cut_outside_beside in E. apply E.
Qed.

Hypothesis N : ~ In [] names.

Lemma cut_from_covers f n q : In n names -> forall start text p,
  length text <= f -> text = p ++ n ++ q -> allowed parts (start + length p) n = true ->
  exists first l m s r, cut_from f start text = (first, l ++ (m, s) :: r) /\
    length (join (first, l)) <= length p < length (join (first, l)) + length m.
Proof.
  intro I. induction f as [|f IH]; intros start text p L E O; cbn [cut_outside_from].
  - rewrite E, !app_length in L. destruct n; [contradiction|simpl in L; lia].
  - destruct (search start text) as [[b [m a]]|] eqn:F;
      [|rewrite (partition_outside_none _ _ F p n q I E) in O; discriminate].
    apply partition_outside_some in F. destruct F as (F & J & _ & M). specialize (M p n q I E O).
    destruct (Nat.lt_ge_cases (length p) (length b + length m)) as [K|K].
    + destruct (cut_outside_from f _ _ _ a) as [s others]. exists b, [], m, s, others.
      split; [reflexivity|]. unfold join. cbn [fst snd flat_map]. rewrite app_nil_r. lia.
    + rewrite F, app_assoc in E. destruct (app_shorter _ _ _ _ E) as [w ->]; [rewrite app_length; exact K|].
      rewrite <- !app_assoc in E. do 2 apply app_inv_head in E.
      rewrite !app_length, !Nat.add_assoc in O.
      assert (length m <> 0) by (destruct m; [contradiction|discriminate]).
      destruct (IH (start + length b + length m) a w) as (first & l & k & s & r & G & B); auto.
      { rewrite F, !app_length in L. lia. }
      rewrite G. exists b, ((m, first) :: l), k, s, r. split; [reflexivity|].
      rewrite join_cons, !app_length. lia.
Qed.

(** Nothing else is missed: whatever overlaps no ordinary part begins at or in a special token that is
    found. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_outside_covers text p n q : In n names -> text = p ++ n ++ q ->
  (forall part, In part parts -> beside (length p) (length n) part) ->
  exists first l m s r, cut_outside parts names text = (first, l ++ (m, s) :: r) /\
    length (join (first, l)) <= length p < length (join (first, l)) + length m.
Proof. intros I E O. apply (cut_from_covers _ n q I 0); auto. apply allowed_spec, O. Qed.

Lemma cut_from_enough f1 : forall f2 start text, length text <= f1 -> length text <= f2 ->
  cut_from f1 start text = cut_from f2 start text.
Proof.
  assert (Z : forall start, search start [] = None).
  { intro start. destruct (search start []) as [[b [n a]]|] eqn:E; [|reflexivity].
    apply partition_outside_some in E. destruct E as (E & I & _). symmetry in E.
    apply app_eq_nil in E. destruct E as [_ E]. apply app_eq_nil in E. destruct E as [-> _]. contradiction. }
  induction f1 as [|f1 IH]; intros [|f2] start text L1 L2; cbn [cut_outside_from]; auto;
    try (destruct text; [rewrite Z; reflexivity|simpl in *; lia]).
  destruct (search start text) as [[b [n a]]|] eqn:E; auto. apply partition_outside_some in E.
  destruct E as (-> & I & _). rewrite !app_length in *. destruct n; [contradiction|].
  cbn [length] in *. rewrite (IH f2) by lia. reflexivity.
Qed.

(** Where no allowed special token begins is text. *)
Lemma cut_from_skip f u v : forall start, length (u ++ v) <= f ->
  (forall p m q, In m names -> u ++ v = p ++ m ++ q -> length p < length u ->
    allowed parts (start + length p) m = false) ->
  cut_from f start (u ++ v) = let (s, others) := cut_from f (start + length u) v in (u ++ s, others).
Proof.
  induction u as [|x u IH]; intros start L H.
  - cbn [app length]. rewrite Nat.add_0_r. destruct (cut_outside_from f _ _ start v); reflexivity.
  - rewrite <- app_comm_cons in *. cbn [length] in *. rewrite Nat.add_succ_r, <- Nat.add_succ_l.
    transitivity (let (s, others) := cut_from f (S start) (u ++ v) in (x :: s, others)).
    + destruct f as [|f]; [lia|]. cbn [cut_outside_from partition_outside].
      destruct (find _ names) as [n|] eqn:F.
      { apply find_some in F. destruct F as [I P]. apply andb_prop in P. destruct P as [P O].
        apply prefixb_spec in P. destruct P as [q P]. specialize (H [] n q I P ltac:(simpl; lia)).
        cbn [length] in H. rewrite Nat.add_0_r in H. congruence. }
      destruct (search (S start) (u ++ v)) as [[b [n a]]|]; [|reflexivity].
      cbn [length]. rewrite Nat.add_succ_r, <- Nat.add_succ_l.
      destruct (cut_outside_from f _ _ _ a); reflexivity.
    + rewrite IH; [|lia|].
      * destruct (cut_outside_from f _ _ _ v); reflexivity.
      * intros p m q I E K. rewrite Nat.add_succ_l, <- Nat.add_succ_r.
        apply (H (x :: p) m q I); [rewrite E; reflexivity|simpl; lia].
Qed.
End Parts.

Lemma partition_outside_nothing names text : forall start,
  partition_outside [] names start text = partition names text.
Proof.
  assert (F : forall start t ns, find (fun n => prefixb n t && allowed [] start n) ns =
    find (fun n => prefixb n t) ns).
  { intros start t ns. induction ns as [|n ns IH]; [reflexivity|]. cbn [find]. rewrite IH, andb_true_r.
    reflexivity. }
  induction text as [|x t IH]; intro start; cbn [partition_outside partition]; rewrite F; [reflexivity|].
  rewrite IH. reflexivity.
Qed.

(** Without ordinary parts, it is the cut without them. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_outside_nothing names text : cut_outside [] names text = cut names text.
Proof.
  unfold cut_outside, cut. generalize 0 (length text). intros start f. revert start text.
  induction f as [|f IH]; intros start text; cbn [cut_outside_from cut_fuel]; [reflexivity|].
  rewrite partition_outside_nothing. destruct (partition names text) as [[b [n a]]|]; [|reflexivity].
  rewrite IH. reflexivity.
Qed.

(** If the whole text is an ordinary part, nothing is found. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_outside_all names text : ~ In [] names ->
  cut_outside [(0, length text)] names text = (text, []).
Proof.
  intro N. pose proof (cut_outside_join [(0, length text)] names text) as J.
  destruct (cut_outside _ names text) as [first [|[n s] r]] eqn:E.
  - unfold join in J. cbn in J. rewrite app_nil_r in J. rewrite J. reflexivity.
  - destruct (cut_outside_beside _ _ _ first [] n s r E) as [I B].
    specialize (B _ (or_introl eq_refl)). unfold beside in B. cbn [fst snd] in B.
    apply (f_equal (@length nat)) in J. change ((n, s) :: r) with ([] ++ (n, s) :: r) in J.
    rewrite join_cut, !app_length in J. destruct n; [contradiction|simpl in *; lia].
Qed.

(** * The loop *)

(** The parts in order, without those that end before a special token. *)
Fixpoint passed (start : nat) (parts : list (nat * nat)) : list (nat * nat) :=
  match parts with
  | [] => []
  | part :: t => if snd part <=? start then passed start t else parts
  end.
Definition first_overlaps (stop : nat) (parts : list (nat * nat)) : bool :=
  match parts with
  | [] => false
  | part :: _ => fst part <? stop
  end.

(** It finds any special token, from [start] on, and compares it with one part: the first that ends
    after its start. If they overlap, the search continues at the next character. *)
Fixpoint cut_loop (fuel : nat) (names : list (list nat)) (parts : list (nat * nat)) (start : nat)
    (text : list nat) : list nat * list (list nat * list nat) :=
  match fuel with
  | 0 => (text, [])
  | S f =>
      match partition names text with
      | Some (b, (name, a)) =>
          let place := start + length b in
          let left := passed place parts in
          if first_overlaps (place + length name) left
          then let size := S (length b) in
               let (s, others) := cut_loop f names left (S place) (skipn size text) in
               (firstn size text ++ s, others)
          else let (s, others) := cut_loop f names left (place + length name) a in (b, (name, s) :: others)
      | None => (text, [])
      end
  end.

(** Parts in the order of their starts, and those that meet become one. *)
Fixpoint joined_from (part : nat * nat) (parts : list (nat * nat)) : list (nat * nat) :=
  match parts with
  | [] => [part]
  | next :: t => if fst next <=? snd part
                 then joined_from (fst part, Nat.max (snd part) (snd next)) t
                 else part :: joined_from next t
  end.
Definition joined (parts : list (nat * nat)) : list (nat * nat) :=
  match parts with
  | [] => []
  | part :: t => joined_from part t
  end.

Definition ascending : list (nat * nat) -> Prop := StronglySorted (fun p q => fst p <= fst q).

Lemma joined_from_ascending parts : forall part, ascending (part :: parts) ->
  ascending (joined_from part parts) /\ Forall (fun q => fst part <= fst q) (joined_from part parts).
Proof.
  induction parts as [|next t IH]; intros part A; cbn [joined_from]; [repeat constructor|].
  inversion A as [|? ? A' F]; subst. inversion A' as [|? ? A'' G]; subst.
  inversion F as [|? ? K F']; subst. destruct (fst next <=? snd part).
  - apply (IH (fst part, _)). constructor; assumption.
  - destruct (IH next A') as (J & M).
    repeat split; constructor; auto; (eapply Forall_impl; [|exact M]); cbn beta; intros; lia.
Qed.

Lemma joined_from_overlaps start size parts : 0 < size -> forall part, ascending (part :: parts) ->
  existsb (overlaps start size) (joined_from part parts) = existsb (overlaps start size) (part :: parts).
Proof.
  intro Z. induction parts as [|next t IH]; intros part A; cbn [joined_from]; [reflexivity|].
  inversion A as [|? ? A' F]; subst. inversion A' as [|? ? A'' G]; subst.
  inversion F as [|? ? K F']; subst. destruct (fst next <=? snd part) eqn:E.
  - rewrite IH by (constructor; assumption). cbn [existsb]. rewrite orb_assoc. f_equal.
    apply Nat.leb_le in E. apply eq_true_iff_eq. unfold overlaps. cbn [fst snd].
    rewrite orb_true_iff, !andb_true_iff, !Nat.ltb_lt. lia.
  - cbn [existsb]. rewrite (IH next A'). reflexivity.
Qed.

(** Joining the parts that meet allows the same special tokens, and keeps the order. Speaks of
    [_special_tokens.ordinary_parts]. *)
Theorem joined_ok parts : ascending parts -> ascending (joined parts) /\
  forall start name, name <> [] -> allowed (joined parts) start name = allowed parts start name.
Proof.
  intro A. destruct parts as [|part t]; [split; [constructor|reflexivity]|]. cbn [joined].
  split; [apply joined_from_ascending, A|]. intros start name Z. unfold allowed. f_equal.
  apply joined_from_overlaps; [|exact A]. destruct name; [congruence|simpl; lia].
Qed.

(** In this order, one part is enough to compare with. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem first_overlaps_ok parts start size : ascending parts ->
  first_overlaps (start + size) (passed start parts) = existsb (overlaps start size) parts.
Proof.
  unfold overlaps. induction parts as [|part t IH]; intro A; [reflexivity|]. cbn [passed existsb].
  inversion A as [|? ? A' F]; subst.
  rewrite Nat.leb_antisym. destruct (start <? snd part); cbn [negb first_overlaps andb orb];
    [|apply IH, A'].
  destruct (fst part <? start + size) eqn:K; [reflexivity|]. cbn [orb]. symmetry.
  apply not_true_is_false. rewrite existsb_exists. intros (q & I & O). rewrite Forall_forall in F.
  specialize (F q I). apply andb_prop in O. destruct O as [_ O]. apply Nat.ltb_lt in O.
  apply Nat.ltb_ge in K. lia.
Qed.

Lemma passed_ok start parts : ascending parts -> ascending (passed start parts) /\
  forall place name, start <= place -> allowed (passed start parts) place name = allowed parts place name.
Proof.
  intro A. induction parts as [|part t IH]; [split; auto|]. cbn [passed].
  destruct (snd part <=? start) eqn:E; [|split; auto]. inversion A; subst.
  destruct IH as [IA I]; auto. split; [exact IA|]. intros place name L. rewrite I by exact L.
  unfold allowed, overlaps at 2. cbn [existsb]. apply Nat.leb_le in E.
  rewrite (proj2 (Nat.ltb_ge place (snd part))) by lia. reflexivity.
Qed.

Section Loop.
Variables (names : list (list nat)) (parts : list (nat * nat)).
Hypothesis N : ~ In [] names.
Hypothesis Sep : separate names.
Notation cut_from := (fun f => cut_outside_from f parts names).

Lemma cut_loop_from f : forall g left start text, length text <= f -> length text <= g ->
  ascending left ->
  (forall place name, start <= place -> name <> [] -> allowed left place name = allowed parts place name) ->
  cut_loop f names left start text = cut_from g start text.
Proof.
  induction f as [|f IH]; intros g left start text Lf Lg A O.
  { destruct text; [|simpl in Lf; lia]. apply (cut_from_enough parts names N 0 g start []); auto. }
  cbn [cut_loop]. destruct (partition names text) as [[b [n a]]|] eqn:E.
  - pose proof (partition_short names N _ _ _ _ E) as S. apply partition_some in E.
    assert (Z : n <> []) by (destruct E as (_ & I & _); intros ->; contradiction).
    pose proof (first_overlaps_ok left (start + length b) (length n) A) as K.
    destruct (passed_ok (start + length b) left A) as [A' O'].
    assert (Same : forall place name, start + length b <= place -> name <> [] ->
      allowed (passed (start + length b) left) place name = allowed parts place name).
    { intros place name L W. rewrite O' by exact L. apply O; [lia|exact W]. }
    pose proof (O (start + length b) n ltac:(lia) Z) as Q. unfold allowed at 1 in Q. rewrite <- K in Q.
    destruct (first_overlaps _ _).
    + set (size := Datatypes.S (length b)) in *.
      assert (L : size <= length text) by (destruct E as (-> & _); rewrite !app_length; subst size;
        destruct n; [congruence|simpl; lia]).
      assert (U : length (firstn size text) = size) by (apply firstn_length_le, L).
      assert (V : length (skipn size text) < length text) by (rewrite skipn_length; subst size; lia).
      transitivity (cut_from g start (firstn size text ++ skipn size text));
        [|rewrite firstn_skipn; reflexivity]. rewrite cut_from_skip, U.
      * rewrite (IH g); auto; try (subst size; lia).
        { subst size. rewrite Nat.add_succ_r. reflexivity. }
        intros place name W. apply Same. lia.
      * rewrite firstn_skipn. exact Lg.
      * rewrite firstn_skipn, U. intros p m q I H W. destruct E as (E & J & M).
        pose proof (M p m q I H) as R. subst size.
        assert ((b, (n, a)) = (p, (m, q))) as D.
        { eapply leftmost_unique; eauto; [split; eauto|]. split; [exact H|]. split; [exact I|].
          intros p' m' q' I' H'. specialize (M p' m' q' I' H'). lia. }
        injection D as -> -> _. rewrite <- Q. reflexivity.
    + destruct g as [|g]; [lia|]. cbn [cut_outside_from]. destruct E as (E & J & M).
      destruct (partition_outside parts names start text) as [[b' [n' a']]|] eqn:F.
      * apply partition_outside_some in F. destruct F as (F & J' & _ & M').
        specialize (M' b n a J E (eq_sym Q)). assert ((b', (n', a')) = (b, (n, a))) as D.
        { apply (leftmost_unique names text); auto; [|split; auto]. split; [exact F|]. split; [exact J'|].
          intros p m q I H. specialize (M p m q I H). lia. }
        injection D as -> -> ->. rewrite (IH g); auto; try lia.
        intros place name W. apply Same. lia.
      * rewrite (partition_outside_none parts names _ _ F b n a J E) in Q. discriminate.
  - destruct g as [|g]; [reflexivity|]. cbn [cut_outside_from].
    destruct (partition_outside parts names start text) as [[b [n a]]|] eqn:F; [|reflexivity].
    apply partition_outside_some in F. destruct F as (F & J & _).
    destruct (partition_none _ _ E b n a J F).
Qed.

(** The loop and [ordinary_parts] are the specification, with the parts in any order, if no name is the
    beginning of another. Speaks of [_special_tokens.SpecialTokens.cut] and
    [_special_tokens.ordinary_parts]. *)
Theorem cut_loop_ok sorted text : Permutation parts sorted -> ascending sorted ->
  cut_loop (length text) names (joined sorted) 0 text = cut_outside parts names text.
Proof.
  intros S A. destruct (joined_ok sorted A) as [J Same]. apply cut_loop_from; auto.
  intros place name _ Z. rewrite Same by exact Z. apply eq_true_iff_eq. rewrite !allowed_spec.
  split; intros H part I; apply H; [apply (Permutation_in _ S), I|].
  apply (Permutation_in _ (Permutation_sym S)), I.
Qed.
End Loop.

(** * Ids *)

Section Ids.
Variables (split : list nat -> list (list nat)) (whole names : list (list nat)).
Notation ordinary := (ordinary split whole).
Notation special := (special whole names).
Notation encode_cut := (encode_parts split whole names).

Definition encode_outside ms (parts : list (nat * nat)) text := encode_cut ms (cut_outside parts names text).

(** Without ordinary parts, these are the ids of any text. Speaks of [_encoder.Encoder.encode]. *)
Theorem encode_outside_nothing ms text : encode_outside ms [] text = encode split whole names ms text.
Proof. unfold encode_outside. rewrite cut_outside_nothing. reflexivity. Qed.

(** If the whole text is an ordinary part, they are those of ordinary text. Speaks of
    [_encoder.Encoder.encode]. *)
Theorem encode_outside_all ms text : ~ In [] names ->
  encode_outside ms [(0, length text)] text = ordinary ms text.
Proof. intro N. unfold encode_outside. rewrite cut_outside_all by exact N. apply app_nil_r. Qed.

Hypothesis J : forall s, concat (split s) = s.

Lemma decode_cut ms others : wf_merges ms -> Forall (fun p => In (fst p) names) others ->
  forall first, text_ok (join (first, others)) ->
  decode whole names ms (encode_cut ms (first, others)) = Some (utf8s (join (first, others))).
Proof.
  intro W. induction 1 as [|[n s] others I _ IH]; intros first T.
  - unfold join, encode_parts in *. cbn [fst snd flat_map] in *. rewrite !app_nil_r in *.
    apply decode_ordinary; assumption.
  - rewrite join_cons in *. apply text_ok_app in T. destruct T as [T1 T].
    apply text_ok_app in T. destruct T as [_ T]. rewrite !utf8s_app.
    unfold encode_parts. cbn [flat_map fst snd].
    apply (decode_app _ _ ms (ordinary ms first)); [apply decode_ordinary; assumption|].
    apply (decode_app _ _ ms [special ms n]); [apply decode_special; assumption|apply (IH s T)].
Qed.

(** The ids of any text, with any ordinary parts, decode to the UTF-8 of the text. *)
Theorem outside_bytes ms parts text : wf_merges ms -> text_ok text ->
  decode whole names ms (encode_outside ms parts text) = Some (utf8s text).
Proof.
  intros W T. pose proof (cut_outside_names parts names text) as I. unfold encode_outside.
  rewrite <- (cut_outside_join parts names text) in T |- * at 2.
  destruct (cut_outside parts names text) as [first others]. apply decode_cut; assumption.
Qed.

(** The ids of any text, with any ordinary parts, decode to the text. Speaks of
    [_tokenizer.Tokenizer.encode] and [_tokenizer.Tokenizer.decode]. *)
Theorem outside_roundtrip ms parts text : wf_merges ms -> text_ok text ->
  decode_text whole names ms (encode_outside ms parts text) = Some text.
Proof.
  intros W T. unfold decode_text. rewrite outside_bytes by assumption. apply decode_utf8_complete, T.
Qed.

Lemma after_smaller x (l : list nat) : Forall (fun i => i < x) l -> forall y r u v,
  l ++ y :: r = u ++ x :: v -> (u = l /\ y = x) \/ exists w, u = l ++ y :: w /\ r = w ++ x :: v.
Proof.
  induction 1 as [|i l L _ IH]; intros y r [|j u] v E; injection E as -> E.
  - auto.
  - right. exists u. auto.
  - lia.
  - destruct (IH _ _ _ _ E) as [[-> ->]|(w & -> & ->)]; [auto|].
    right. exists w. auto.
Qed.

Lemma special_injective ms m n : In m names -> In n names -> special ms m = special ms n -> m = n.
Proof.
  intros I K E. apply index_nth in I, K. unfold Tokenizer.special in E.
  replace (index names m) with (index names n) in I by lia. congruence.
Qed.

Lemma special_in_cut ms name : In name names -> forall others first u v,
  Forall (fun p => In (fst p) names) others -> text_ok (join (first, others)) ->
  encode_cut ms (first, others) = u ++ special ms name :: v ->
  exists l s r, others = l ++ (name, s) :: r /\ u = encode_cut ms (first, l).
Proof.
  intro K. induction others as [|[n s] others IH]; intros first u v I T E.
  - unfold join, encode_parts in *. cbn [fst snd flat_map] in *. rewrite app_nil_r in *.
    pose proof (Tokenizer.ordinary_ids split whole names J ms first name T) as F. rewrite E in F.
    apply Forall_app in F. destruct F as [_ F]. inversion F. lia.
  - rewrite join_cons in T. apply text_ok_app in T. destruct T as [T1 T].
    apply text_ok_app in T. destruct T as [_ T]. inversion I as [|? ? I1 I']; subst. cbn [fst] in I1.
    pose proof (Tokenizer.ordinary_ids split whole names J ms first name T1) as F.
    apply (after_smaller _ _ F (special ms n)) in E. clear F.
    destruct E as [[-> E]|(w & -> & E)].
    + apply special_injective in E; auto. subst n. exists [], s, others. split; [reflexivity|].
      symmetry. apply app_nil_r.
    + destruct (IH s w v I' T E) as (l & s' & r & -> & ->). exists ((n, s) :: l), s', r. auto.
Qed.

(** Among the ids of any text, the id of a special token stands for characters of no ordinary part: the
    ids before it decode to the text before these characters. Speaks of [_encoder.Encoder.encode]. *)
Theorem special_outside ms parts text name u v : wf_merges ms -> text_ok text -> In name names ->
  encode_outside ms parts text = u ++ special ms name :: v ->
  exists before after, text = before ++ name ++ after /\ decode_text whole names ms u = Some before /\
    forall part, In part parts -> beside (length before) (length name) part.
Proof.
  intros W T K E. unfold encode_outside in E. pose proof (cut_outside_names parts names text) as I.
  rewrite <- (cut_outside_join parts names text) in T |- *.
  destruct (cut_outside parts names text) as [first others] eqn:C.
  destruct (special_in_cut ms name K others first u v I T E) as (l & s & r & -> & ->).
  apply cut_outside_beside in C. rewrite join_cut in *. exists (join (first, l)), (join (s, r)).
  split; [reflexivity|]. split; [|apply C]. apply text_ok_app in T. destruct T as [T _].
  cbn [snd] in I. apply Forall_app in I. unfold decode_text.
  rewrite decode_cut by (assumption || apply I). apply decode_utf8_complete, T.
Qed.

(** * Other ids *)

Section Numbered.
Variables (ms : list (nat * nat)) (numbering : list nat).
Hypothesis D : NoDup numbering.
Hypothesis L : length numbering = length (all_tokens whole names ms).
Hypothesis W : wf_merges ms.

Definition encode_ids_outside parts text := map (id_of numbering) (encode_outside ms parts text).

(** The same round trip, with any ids. Speaks of [_tokenizer.Tokenizer.encode] and
    [_tokenizer.Tokenizer.decode]. *)
Theorem numbered_outside_roundtrip parts text : text_ok text ->
  decode_ids_text whole names ms numbering (encode_ids_outside parts text) = Some text.
Proof.
  intro T. unfold decode_ids_text, encode_ids_outside.
  rewrite (decode_numbered _ _ _ _ D L _ (utf8s text)) by (apply outside_bytes; assumption).
  apply decode_utf8_complete, T.
Qed.

(** And the id of a special token stands for characters of no ordinary part. Speaks of
    [_encoder.Encoder.encode]. *)
Theorem numbered_special_outside parts text name u v : text_ok text -> In name names ->
  encode_ids_outside parts text = u ++ id_of numbering (special ms name) :: v ->
  exists before after, text = before ++ name ++ after /\
    decode_ids_text whole names ms numbering u = Some before /\
    forall part, In part parts -> beside (length before) (length name) part.
Proof.
  intros T K E. unfold encode_ids_outside in E. apply map_eq_app in E. destruct E as (u' & r & E & <- & F).
  apply map_eq_cons in F. destruct F as (x & v' & -> & X & _).
  pose proof (outside_bytes ms parts text W T) as B. unfold decode in B.
  rewrite E, join_tokens_app in B. destruct (join_tokens _ u') as [bytes|] eqn:U; [|discriminate].
  cbn [join_tokens] in B. destruct (nth_error _ x) eqn:Q; [|discriminate].
  assert (x = special ms name) as ->.
  { rewrite NoDup_nth in D. apply (D x _) in X; rewrite ?L; auto; apply nth_error_Some; [congruence|].
    rewrite (special_token split whole _ ms _ K). discriminate. }
  destruct (special_outside ms parts text name u' v' W T K E) as (before & after & H & Y & M).
  exists before, after. split; [exact H|]. split; [|exact M]. unfold decode_text, decode in Y.
  rewrite U in Y. unfold decode_ids_text. rewrite (decode_numbered _ _ _ _ D L u' bytes U). exact Y.
Qed.
End Numbered.
End Ids.
