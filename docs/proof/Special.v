(** The special tokens: a text is split at every occurrence of one of several names.

    [partition] is the search for the first of them: [re.search] with their names as alternatives.
    [cut] is [_special_tokens.py: SpecialTokens.cut]: ordinary text and special tokens in turn. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

Fixpoint prefixb (p l : list nat) : bool :=
  match p, l with
  | [], _ => true
  | x :: p', y :: l' => (x =? y) && prefixb p' l'
  | _ :: _, [] => false
  end.

(** The text before the leftmost special token, its name, and the text after it. *)
Fixpoint partition (names : list (list nat)) (text : list nat) :
  option (list nat * (list nat * list nat)) :=
  match find (fun name => prefixb name text) names with
  | Some name => Some ([], (name, skipn (length name) text))
  | None => match text with
            | [] => None
            | x :: t => match partition names t with
                        | Some (b, found) => Some (x :: b, found)
                        | None => None
                        end
            end
  end.

(** The text before the first special token, and each special token with the text after it. *)
Fixpoint cut_fuel (fuel : nat) (names : list (list nat)) (text : list nat) :
  list nat * list (list nat * list nat) :=
  match fuel with
  | 0 => (text, [])
  | S f => match partition names text with
           | Some (b, (name, a)) => let (s, others) := cut_fuel f names a in (b, (name, s) :: others)
           | None => (text, [])
           end
  end.
Definition cut (names : list (list nat)) (text : list nat) := cut_fuel (length text) names text.

Definition join (parts : list nat * list (list nat * list nat)) : list nat :=
  fst parts ++ flat_map (fun p => fst p ++ snd p) (snd parts).

Lemma prefixb_spec p : forall l, prefixb p l = true <-> exists q, l = p ++ q.
Proof.
  induction p as [|x p IH]; intros [|y l]; simpl; split; intro H; eauto.
  - discriminate.
  - destruct H; discriminate.
  - apply andb_prop in H. destruct H as [E H]. apply Nat.eqb_eq in E. apply IH in H.
    destruct H as [q ->]. subst; eauto.
  - destruct H as [q H]. injection H as -> ->. rewrite Nat.eqb_refl. apply IH; eauto.
Qed.

Lemma prefixb_skip p l : prefixb p l = true -> l = p ++ skipn (length p) l.
Proof.
  intro P. apply prefixb_spec in P. destruct P as [q ->].
  rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity.
Qed.

(** The text is [b], the special token [n] and [a], and no special token begins before [n]. *)
Definition leftmost (names : list (list nat)) (text b n a : list nat) : Prop :=
  text = b ++ n ++ a /\ In n names /\
  forall p m q, In m names -> text = p ++ m ++ q -> length b <= length p.

(** The search finds the leftmost special token. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem partition_some names text : forall b n a,
  partition names text = Some (b, (n, a)) -> leftmost names text b n a.
Proof.
  unfold leftmost. induction text as [|x t IH]; intros b n a E; cbn [partition] in E;
    destruct (find _ names) as [name|] eqn:F; try discriminate.
  1, 2: apply find_some in F; destruct F as [I P]; apply prefixb_skip in P; injection E as <- <- <-;
    split; [exact P|]; split; [exact I|simpl; lia].
  destruct (partition names t) as [[b' [n' a']]|] eqn:G; [|discriminate]. injection E as <- <- <-.
  destruct (IH _ _ _ eq_refl) as (-> & I & L). split; [reflexivity|]. split; [exact I|].
  intros [|y p] m q M H; simpl in H.
  - assert (prefixb m (x :: b' ++ n' ++ a') = true) by (apply prefixb_spec; eauto).
    pose proof (find_none _ _ F m M). simpl in *. congruence.
  - injection H as _ H. apply L in H; [simpl; lia|exact M].
Qed.

(** If it finds nothing, no special token occurs. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem partition_none names text : partition names text = None ->
  forall p n q, In n names -> text <> p ++ n ++ q.
Proof.
  induction text as [|x t IH]; cbn [partition]; intros E p n q I H;
    destruct (find _ names) as [name|] eqn:F; try discriminate;
    pose proof (find_none _ _ F n I) as P; simpl in P.
  - symmetry in H. apply app_eq_nil in H. destruct H as [_ H]. apply app_eq_nil in H.
    destruct H as [-> _]. discriminate.
  - destruct (partition names t) as [[b [n' a]]|]; [discriminate|].
    destruct p as [|y p]; simpl in H.
    + assert (prefixb n (x :: t) = true) by (apply prefixb_spec; eauto). congruence.
    + injection H as _ H. eapply IH; eauto.
Qed.

Lemma cut_fuel_join names f : forall text, join (cut_fuel f names text) = text.
Proof.
  induction f as [|f IH]; intro text; cbn [cut_fuel]; [apply app_nil_r|].
  destruct (partition names text) as [[b [n a]]|] eqn:E; [|apply app_nil_r].
  apply partition_some in E. destruct E as [-> _]. specialize (IH a).
  destruct (cut_fuel f names a) as [s others]. unfold join in *. cbn [fst snd flat_map] in *.
  rewrite <- app_assoc, IH. reflexivity.
Qed.

(** Nothing is lost: the parts join to the text. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_join names text : join (cut names text) = text.
Proof. apply cut_fuel_join. Qed.

(** * One reading *)

(** No special token is the beginning of another. *)
Definition separate (names : list (list nat)) : Prop :=
  forall m n q, In m names -> In n names -> n = m ++ q -> m = n.

Lemma app_shorter (u : list nat) : forall v s t, u ++ s = v ++ t -> length u <= length v ->
  exists w, v = u ++ w.
Proof.
  induction u as [|x u IH]; intros [|y v] s t E L; simpl in *; try lia; eauto.
  injection E as -> E. destruct (IH v s t E ltac:(lia)) as [w ->]. eauto.
Qed.

(** Then the leftmost special token is clear. Speaks of [_special_tokens.checked_special_tokens]. *)
Theorem leftmost_unique names text b n a b' n' a' : separate names ->
  leftmost names text b n a -> leftmost names text b' n' a' -> (b, (n, a)) = (b', (n', a')).
Proof.
  intros Sep (E & I & L) (E' & I' & L'). pose proof (L _ _ _ I' E') as H. pose proof (L' _ _ _ I E) as H'.
  rewrite E in E'. clear L L' E text.
  destruct (app_shorter _ _ _ _ E' H) as [w ->]. rewrite app_length in H'.
  destruct w; [|simpl in H'; lia]. rewrite app_nil_r in *. apply app_inv_head in E'.
  assert (n = n') as <-.
  { destruct (Nat.le_ge_cases (length n) (length n')) as [K|K].
    - destruct (app_shorter _ _ _ _ E' K) as [w W]. eapply Sep; eauto.
    - destruct (app_shorter _ _ _ _ (eq_sym E') K) as [w W]. symmetry. eapply Sep; eauto. }
  apply app_inv_head in E'. congruence.
Qed.

(** So their order does not matter. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_order names names' text : separate names -> (forall n, In n names <-> In n names') ->
  cut names text = cut names' text.
Proof.
  intros Sep Same. assert (P : forall t, partition names t = partition names' t).
  { intro t. destruct (partition names t) as [[b [n a]]|] eqn:E, (partition names' t) as [[b' [n' a']]|] eqn:E'; auto.
    - f_equal. apply partition_some in E. apply partition_some in E'.
      eapply leftmost_unique; eauto. destruct E' as (H & I & L). split; [exact H|].
      split; [apply Same, I|]. intros p m q M. apply L, Same, M.
    - apply partition_some in E. destruct E as (-> & I & _). apply Same in I.
      destruct (partition_none _ _ E' b n a I eq_refl).
    - apply partition_some in E'. destruct E' as (-> & I & _). apply Same in I.
      destruct (partition_none _ _ E b' n' a' I eq_refl). }
  assert (G : forall f t, cut_fuel f names t = cut_fuel f names' t).
  { induction f as [|f IH]; intro t; cbn [cut_fuel]; [reflexivity|].
    rewrite P. destruct (partition names' t) as [[b [n a]]|]; [|reflexivity]. rewrite IH. reflexivity. }
  apply G.
Qed.

(** * Every occurrence is found *)

Section Names.
Variable names : list (list nat).
Hypothesis N : ~ In [] names.

Lemma partition_short text b n a : partition names text = Some (b, (n, a)) -> length a < length text.
Proof.
  intro E. apply partition_some in E. destruct E as (-> & I & _). rewrite !app_length.
  destruct n; [contradiction|simpl; lia].
Qed.

Lemma partition_nil : partition names [] = None.
Proof.
  destruct (partition names []) as [[b [n a]]|] eqn:E; auto. apply partition_short in E. simpl in E; lia.
Qed.

Lemma cut_enough f1 : forall f2 text, length text <= f1 -> length text <= f2 ->
  cut_fuel f1 names text = cut_fuel f2 names text.
Proof.
  induction f1 as [|f1 IH]; intros [|f2] text L1 L2; cbn [cut_fuel]; auto;
    try (destruct text; [rewrite partition_nil; reflexivity|simpl in *; lia]).
  destruct (partition names text) as [[b [n a]]|] eqn:E; auto.
  apply partition_short in E. rewrite (IH f2 a) by lia. reflexivity.
Qed.

(** The search continues after each special token, so they do not overlap. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_step text : cut names text =
  match partition names text with
  | Some (b, (name, a)) => let (s, others) := cut names a in (b, (name, s) :: others)
  | None => (text, [])
  end.
Proof.
  unfold cut. destruct text as [|x t]; cbn [length cut_fuel]; [rewrite partition_nil; reflexivity|].
  destruct (partition names (x :: t)) as [[b [n a]]|] eqn:E; auto.
  apply partition_short in E. rewrite (cut_enough (length t) (length a)); cbn [length] in E; auto; lia.
Qed.

Definition free (text : list nat) : Prop := forall p n q, In n names -> text <> p ++ n ++ q.

(** No ordinary part contains a special token, and nothing else is one. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem cut_parts text : free (fst (cut names text)) /\
  Forall (fun p => In (fst p) names /\ free (snd p)) (snd (cut names text)).
Proof.
  remember (length text) as k eqn:L. revert text L. induction k as [k IH] using lt_wf_ind.
  intros text ->. rewrite cut_step. destruct (partition names text) as [[b [n a]]|] eqn:E.
  - destruct (IH _ (partition_short _ _ _ _ E) a eq_refl) as [F O].
    apply partition_some in E. destruct E as (E & I & M).
    destruct (cut names a) as [s others]. cbn [fst snd] in *. split; [|constructor; auto].
    intros p m q J ->. specialize (M p m (q ++ n ++ a) J). rewrite E, <- !app_assoc in M.
    specialize (M eq_refl). rewrite !app_length in M. destruct m; [contradiction|simpl in M; lia].
  - split; [exact (partition_none _ _ E)|constructor].
Qed.

(** * Text in two parts *)

(** No special token crosses from [s1] to [s2]. *)
Definition uncrossed (s1 s2 : list nat) : Prop := forall p n q, In n names ->
  s1 ++ s2 = p ++ n ++ q -> length p < length s1 -> length p + length n <= length s1.

Lemma uncrossed_tail u s1 s2 : uncrossed (u ++ s1) s2 -> uncrossed s1 s2.
Proof.
  intros H p n q I E L. specialize (H (u ++ p) n q I). rewrite <- !app_assoc, E in H.
  specialize (H eq_refl). rewrite !app_length in H. lia.
Qed.

Lemma prefixb_app n : forall s1 s2, length n <= length s1 -> prefixb n (s1 ++ s2) = prefixb n s1.
Proof.
  induction n as [|x n IH]; intros [|y s1] s2 L; simpl in *; auto; [lia|]. rewrite IH by lia. reflexivity.
Qed.

Lemma find_app s1 s2 : uncrossed s1 s2 -> s1 <> [] ->
  find (fun name => prefixb name (s1 ++ s2)) names = find (fun name => prefixb name s1) names.
Proof.
  intros U Z. assert (G : forall ns, incl ns names ->
    find (fun name => prefixb name (s1 ++ s2)) ns = find (fun name => prefixb name s1) ns).
  { induction ns as [|n ns IH]; intro I; [reflexivity|]. cbn [find].
    assert (Q : prefixb n (s1 ++ s2) = prefixb n s1).
    { destruct (prefixb n (s1 ++ s2)) eqn:P.
      - pose proof P as Q. apply prefixb_spec in Q. destruct Q as [q Q].
        rewrite <- P. apply prefixb_app. apply (U [] n q); [apply I; left; reflexivity|exact Q|].
        destruct s1; [congruence|simpl; lia].
      - destruct (prefixb n s1) eqn:Q; [|reflexivity]. apply prefixb_spec in Q. destruct Q as [q ->].
        rewrite <- P. apply prefixb_spec. rewrite <- app_assoc. eauto. }
    rewrite Q, IH; [reflexivity|]. intros m M. apply I. right; exact M. }
  apply G, incl_refl.
Qed.

(** The search in both parts is the search in the first, then in the second. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem partition_app s1 s2 : uncrossed s1 s2 -> partition names (s1 ++ s2) =
  match partition names s1, partition names s2 with
  | Some (b, (n, a)), _ => Some (b, (n, a ++ s2))
  | None, Some (b, found) => Some (s1 ++ b, found)
  | None, None => None
  end.
Proof.
  induction s1 as [|x s1 IH]; intro U.
  - rewrite partition_nil. cbn [app]. destruct (partition names s2) as [[b f]|]; reflexivity.
  - pose proof (find_app (x :: s1) s2 U ltac:(discriminate)) as F. cbn [app] in *.
    cbn [partition]. rewrite F. clear F. destruct (find _ names) as [n|] eqn:G.
    + apply find_some in G. destruct G as [_ P]. apply prefixb_spec in P. destruct P as [q P].
      change (x :: s1 ++ s2) with ((x :: s1) ++ s2). rewrite P, <- app_assoc.
      rewrite !skipn_app, !skipn_all, !Nat.sub_diag. reflexivity.
    + rewrite IH by (apply (uncrossed_tail [x]); exact U).
      destruct (partition names s1) as [[b [n a]]|]; [reflexivity|].
      destruct (partition names s2) as [[b f]|]; reflexivity.
Qed.

(** Names without whitespace, or of whitespace alone, cross no position between whitespace and another
    character. Speaks of [_special_tokens.checked_special_tokens]. *)
Theorem space_uncrossed (space : nat -> bool) s x w t :
  Forall (fun n => exists b, Forall (fun c => space c = b) n) names ->
  space x <> space w -> uncrossed (s ++ [x]) (w :: t).
Proof.
  intros B S p n q I E L. rewrite app_length in *. cbn [length] in *.
  destruct (Nat.le_gt_cases (length p + length n) (length s + 1)) as [|K]; auto.
  rewrite Forall_forall in B. destruct (B n I) as [b F]. rewrite Forall_forall in F.
  assert (G : forall i c, nth_error ((s ++ [x]) ++ w :: t) i = Some c ->
    length p <= i < length p + length n -> space c = b).
  { intros i c H R. apply F. rewrite E, nth_error_app2, nth_error_app1 in H by lia.
    apply nth_error_In in H. exact H. }
  rewrite <- app_assoc in G.
  pose proof (G (length s) x) as X. rewrite nth_error_app2, Nat.sub_diag in X by lia.
  pose proof (G (length s + 1) w) as W. rewrite nth_error_app2 in W by lia.
  replace (length s + 1 - length s) with 1 in W by lia. cbn [nth_error app] in X, W.
  specialize (X eq_refl ltac:(lia)). specialize (W eq_refl ltac:(lia)). congruence.
Qed.
End Names.

(** Names that do not occur in a text change nothing in it. *)
Lemma cut_more names added text : free added text -> cut (names ++ added) text = cut names text.
Proof.
  assert (Q : forall t, free added t ->
    find (fun n => prefixb n t) (names ++ added) = find (fun n => prefixb n t) names).
  { intros t F. induction names as [|n l IH]; simpl; [|rewrite IH; reflexivity].
    destruct (find _ added) as [n|] eqn:E; [|reflexivity]. apply find_some in E. destruct E as [I E].
    apply prefixb_spec in E. destruct E as [q ->]. destruct (F [] n q I eq_refl). }
  assert (P : forall t, free added t -> partition (names ++ added) t = partition names t).
  { induction t as [|x t IH]; intro F; cbn [partition]; rewrite Q by exact F; [reflexivity|].
    rewrite IH; [reflexivity|]. intros p n q I ->. apply (F (x :: p) n q I eq_refl). }
  unfold cut. generalize (length text). intro f. revert text. induction f as [|f IH]; intros t F; [reflexivity|].
  cbn [cut_fuel]. rewrite P by exact F. destruct (partition names t) as [[b [n a]]|] eqn:E; [|reflexivity].
  rewrite IH; [reflexivity|]. apply partition_some in E. destruct E as (-> & _). intros p m q I ->.
  apply (F (b ++ n ++ p) m q I). rewrite <- !app_assoc. reflexivity.
Qed.
