(** Three encoders of a chunk that give the same ids, and the bytes of ids.

    [passes] is the specification, [tests/oracle.py: encode_chunk]. [greedy] repeatedly merges every
    occurrence of the pair of lowest rank; [_merges.py: Merges.apply] does this in long chunks, at
    recorded positions. [greedy1] merges only the leftmost occurrence; [_merges.py: Merges.apply]
    does this in short chunks, tiktoken in all. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes.
Import ListNotations.

(** The id that the merge at rank [r] makes. *)
Definition tid (r : nat) : nat := 256 + r.
Arguments tid : simpl never.

(** One pass for each merge, in rank order. *)
Fixpoint passes (r : nat) (ms : list (nat * nat)) (l : list nat) : list nat :=
  match ms with
  | [] => l
  | (a, b) :: t => passes (S r) t (merge_pass a b (tid r) l)
  end.

(** The rank of a pair. Its first merge counts, as in the table of [Merges.__init__]. *)
Fixpoint rank_from (r : nat) (ms : list (nat * nat)) (x y : nat) : option nat :=
  match ms with
  | [] => None
  | (a, b) :: t => if (x =? a) && (y =? b) then Some r else rank_from (S r) t x y
  end.
Definition rank (ms : list (nat * nat)) (x y : nat) : option nat := rank_from 0 ms x y.

(** The lowest rank of the pairs in a list, and the pair that has it. *)
Fixpoint min_rank (lookup : nat -> nat -> option nat) (l : list nat) : option (nat * (nat * nat)) :=
  match l with
  | x :: ((y :: _) as tl) =>
      match lookup x y, min_rank lookup tl with
      | None, m => m
      | Some r, None => Some (r, (x, y))
      | Some r, Some (r', p) =>
          if r' <? r then Some (r', p) else Some (r, (x, y))
      end
  | _ => None
  end.

Lemma min_rank_step lookup x y t : min_rank lookup (x :: y :: t) =
  match lookup x y, min_rank lookup (y :: t) with
  | None, m => m
  | Some r, None => Some (r, (x, y))
  | Some r, Some (r', p) => if r' <? r then Some (r', p) else Some (r, (x, y))
  end.
Proof. reflexivity. Qed.

Lemma min_rank_found lookup l r a b :
  min_rank lookup l = Some (r, (a, b)) -> lookup a b = Some r /\ adj a b l.
Proof.
  induction l as [|u|u v t IH1 IH2] using list_ind2; try (simpl; discriminate).
  rewrite min_rank_step.
  destruct (lookup u v) as [k|] eqn:L; destruct (min_rank lookup (v :: t)) as [[k' p]|];
    try destruct (_ <? _); intro H; try discriminate; injection H as -> ?; subst;
    try (split; [exact L|left; auto]);
    (destruct IH2 as [I A]; [reflexivity|split; [exact I|right; exact A]]).
Qed.

(** Repeatedly merge every occurrence of the pair of lowest rank. *)
Fixpoint greedy_fuel (lookup : nat -> nat -> option nat) (fuel : nat) (l : list nat) : list nat :=
  match fuel with
  | 0 => l
  | S f => match min_rank lookup l with
           | None => l
           | Some (r, (a, b)) => greedy_fuel lookup f (merge_pass a b (tid r) l)
           end
  end.
Definition greedy (lookup : nat -> nat -> option nat) (l : list nat) : list nat :=
  greedy_fuel lookup (length l) l.

(** Repeatedly merge the leftmost occurrence of the pair of lowest rank. *)
Fixpoint greedy1_fuel (lookup : nat -> nat -> option nat) (fuel : nat) (l : list nat) : list nat :=
  match fuel with
  | 0 => l
  | S f => match min_rank lookup l with
           | None => l
           | Some (r, (a, b)) => greedy1_fuel lookup f (merge_first a b (tid r) l)
           end
  end.
Definition greedy1 (lookup : nat -> nat -> option nat) (l : list nat) : list nat :=
  greedy1_fuel lookup (length l) l.

(** The joined bytes of ids: [_decoder.py: Decoder.decode] without its last step. *)
Definition bytes_of (tok : nat -> list nat) (ids : list nat) : list nat := flat_map tok ids.

Definition byte (b : nat) : Prop := b < 256.

(** * Assumptions about merges *)

(** Each merge joins earlier ids. [_persistence.py: load] checks this, and training ensures it. *)
Definition wf_merges (ms : list (nat * nat)) : Prop :=
  forall r a b, nth_error ms r = Some (a, b) -> a < tid r /\ b < tid r.

(** The lookup gives each listed pair the rank of its first merge, and other pairs no rank. A
    handmade file may list a pair twice. *)
Definition lookup_ok (ms : list (nat * nat)) (lookup : nat -> nat -> option nat) : Prop :=
  (forall a b r, lookup a b = Some r -> nth_error ms r = Some (a, b)) /\
  (forall a b k, nth_error ms k = Some (a, b) -> exists r, lookup a b = Some r /\ r <= k).

(** [tok] gives the bytes of ids: a byte is itself, and a merge is its two joined parts. *)
Definition wf_tok (ms : list (nat * nat)) (tok : nat -> list nat) : Prop :=
  (forall b, byte b -> tok b = [b]) /\
  (forall r a b, nth_error ms r = Some (a, b) -> tok (tid r) = tok a ++ tok b).

Lemma rank_from_sound ms : forall k x y r, rank_from k ms x y = Some r ->
  exists i, r = k + i /\ nth_error ms i = Some (x, y).
Proof.
  induction ms as [|[a b] t IH]; intros k x y r H; simpl in H; [discriminate|].
  destruct (Nat.eqb_spec x a), (Nat.eqb_spec y b); simpl in H; subst;
    try (injection H as <-; exists 0; split; [lia|reflexivity]);
    (apply IH in H; destruct H as (i & -> & E); exists (S i); split; [lia|exact E]).
Qed.

Lemma rank_from_first ms : forall k x y i, nth_error ms i = Some (x, y) ->
  exists r, rank_from k ms x y = Some r /\ r <= k + i.
Proof.
  induction ms as [|[a b] t IH]; intros k x y [|i] H; simpl in H; try discriminate; simpl.
  - injection H as -> ->. rewrite !Nat.eqb_refl. exists k; split; [reflexivity|lia].
  - destruct (_ && _); [exists k; split; [reflexivity|lia]|].
    destruct (IH (S k) x y i H) as (r & -> & L). exists r; split; [reflexivity|lia].
Qed.

(** The table of [Merges] is such a lookup, whatever the merges. *)
Lemma rank_ok ms : lookup_ok ms (rank ms).
Proof.
  split.
  - intros a b r H. apply rank_from_sound in H. destruct H as (i & -> & E). exact E.
  - intros a b k H. apply (rank_from_first ms 0) in H. exact H.
Qed.

(** Decode-bytes distributivity: the bytes of a joined list of ids are the joined bytes of its
    parts. Speaks of [_decoder.Decoder.decode]. *)
Theorem bytes_of_app tok l1 l2 : bytes_of tok (l1 ++ l2) = bytes_of tok l1 ++ bytes_of tok l2.
Proof. apply flat_map_app. Qed.

(** Merge preservation: a pass does not change the bytes. Speaks of [oracle.one_pass]. *)
Theorem merge_pass_bytes tok a b n l :
  tok n = tok a ++ tok b -> bytes_of tok (merge_pass a b n l) = bytes_of tok l.
Proof.
  intro E; induction l as [|x|x y t IH1 IH2] using list_ind2; auto.
  simpl in *. pair_case x a y b; simpl in *; rewrite ?E, ?IH1, ?IH2, <- ?app_assoc; auto.
Qed.

(** * The encoders agree *)

Section Encoders.
Variable ms : list (nat * nat).
Variable lookup : nat -> nat -> option nat.
Hypothesis WF : wf_merges ms.
Hypothesis LK : lookup_ok ms lookup.

Lemma min_rank_none l : min_rank lookup l = None -> forall x y, adj x y l -> lookup x y = None.
Proof.
  induction l as [|u|u v t IH1 IH2] using list_ind2; try (intros _ ? ? []; fail).
  intros H x y A.
  rewrite min_rank_step in H.
  destruct (lookup u v) eqn:L; destruct (min_rank lookup (v :: t)) as [[? ?]|];
    try destruct (_ <? _); try discriminate.
  destruct A as [[? ?]|A]; subst; auto.
Qed.

Lemma min_rank_some l r a b :
  min_rank lookup l = Some (r, (a, b)) ->
  nth_error ms r = Some (a, b) /\ adj a b l /\
  (forall x y k, adj x y l -> lookup x y = Some k -> r <= k).
Proof.
  revert r a b. induction l as [|u|u v t IH1 IH2] using list_ind2; try (simpl; discriminate).
  intros r a b. rewrite min_rank_step.
  pose proof (min_rank_none (v :: t)) as N.
  destruct (lookup u v) as [k0|] eqn:L; destruct (min_rank lookup (v :: t)) as [[k1 [a1 b1]]|] eqn:E.
  - destruct (IH2 _ _ _ eq_refl) as (I1 & I2 & I3).
    destruct (Nat.ltb_spec k1 k0) as [C|C]; intro H; inversion H; subst; clear H.
    + split; [auto|split; [right; auto|]]. intros x y k [[? ?]|A] K; subst; [|eauto].
      rewrite L in K; inversion K; lia.
    + split; [apply LK; auto|split; [left; auto|]]. intros x y k [[? ?]|A] K; subst.
      * rewrite L in K; inversion K; lia.
      * specialize (I3 _ _ _ A K); lia.
  - intro H; inversion H; subst; clear H.
    split; [apply LK; auto|split; [left; auto|]]. intros x y k [[? ?]|A] K; subst.
    + rewrite L in K; inversion K; lia.
    + rewrite (N eq_refl _ _ A) in K; discriminate.
  - intro H; inversion H; subst; clear H. destruct (IH2 _ _ _ eq_refl) as (I1 & I2 & I3).
    split; [auto|split; [right; auto|]]. intros x y k [[? ?]|A] K; subst; [congruence|eauto].
  - discriminate.
Qed.

(** No pair of a rank below [r] is present. *)
Definition clean (r : nat) (l : list nat) : Prop :=
  forall x y k, nth_error ms k = Some (x, y) -> k < r -> ~ adj x y l.

Lemma clean_pass r a b l :
  nth_error ms r = Some (a, b) -> clean r l -> clean (S r) (merge_pass a b (tid r) l).
Proof.
  intros E C x y k K Hk A. destruct (WF _ _ _ E) as [Ha Hb]. destruct (WF _ _ _ K) as [Hx Hy].
  unfold tid in *. destruct (Nat.eq_dec k r).
  - subst k. assert (x = a /\ y = b) as [-> ->] by (split; congruence).
    apply merge_pass_gone in A; auto; lia.
  - apply (C x y k K); [lia|]. apply merge_pass_adj in A; auto; lia.
Qed.

Lemma clean_skip r a b l :
  nth_error ms r = Some (a, b) -> clean r l -> ~ adj a b l -> clean (S r) l.
Proof.
  intros E C N x y k K Hk. destruct (Nat.eq_dec k r); [|apply (C x y k K); lia].
  subst k. rewrite E in K; inversion K; subst; auto.
Qed.

Lemma skipn_cons (r : nat) (p : nat * nat) t :
  skipn r ms = p :: t -> nth_error ms r = Some p /\ skipn (S r) ms = t.
Proof.
  clear. revert ms. induction r as [|r IH]; intros [|m q] H; simpl in H; try discriminate.
  - inversion H; subst; auto.
  - apply IH in H. destruct H as [H1 H2]; split; auto.
Qed.

Lemma skipn_nil_none (r : nat) : skipn r ms = [] -> forall k, r <= k -> nth_error ms k = None.
Proof.
  intros H k Hk. apply nth_error_None.
  pose proof (skipn_length r ms) as L; rewrite H in L; simpl in L; lia.
Qed.

(** Termination: after as many rounds as there are bytes, no merge is left. Speaks of
    [_merges.Merges.apply]. *)
Theorem greedy_fuel_normal fuel l :
  length l <= fuel -> min_rank lookup (greedy_fuel lookup fuel l) = None.
Proof.
  revert l. induction fuel as [|f IH]; intros l H; simpl.
  - destruct l; [reflexivity|simpl in H; lia].
  - destruct (min_rank lookup l) as [[r [a b]]|] eqn:E; [|exact E].
    apply IH. apply min_rank_some in E. destruct E as (_ & A & _).
    apply merge_pass_lt with (n := tid r) in A. lia.
Qed.

Lemma greedy_fuel_clean fuel l :
  (forall x y k, nth_error ms k = Some (x, y) -> ~ adj x y l) -> greedy_fuel lookup fuel l = l.
Proof.
  intro C. destruct fuel; [reflexivity|]. simpl.
  destruct (min_rank lookup l) as [[k [a b]]|] eqn:E; [|reflexivity].
  apply min_rank_some in E. destruct E as (K & A & _). destruct (C _ _ _ K A).
Qed.

Lemma greedy_passes_from t : forall r l fuel,
  skipn r ms = t -> clean r l -> length l <= fuel ->
  greedy_fuel lookup fuel l = passes r t l.
Proof.
  induction t as [|[a b] t IH]; intros r l fuel E C F; simpl.
  - apply greedy_fuel_clean. intros x y k K. apply (C x y k K).
    destruct (Nat.lt_ge_cases k r) as [|G]; auto.
    rewrite (skipn_nil_none _ E _ G) in K; discriminate.
  - apply skipn_cons in E. destruct E as [E1 E2].
    destruct (adj_dec a b l) as [A|A].
    + (* the pair is present: its rank is the lowest *)
      destruct fuel as [|f].
      { destruct l; [destruct A|simpl in F; lia]. }
      simpl. destruct (proj2 LK _ _ _ E1) as (r0 & Z & Z').
      destruct (min_rank lookup l) as [[k [x y]]|] eqn:M.
      * apply min_rank_some in M. destruct M as (K & B & Min).
        assert (k = r) as ->.
        { pose proof (Min _ _ _ A Z). destruct (Nat.eq_dec k r); auto.
          exfalso. apply (C x y k K); auto; lia. }
        rewrite E1 in K; inversion K; subst.
        apply IH; auto using clean_pass.
        apply merge_pass_lt with (n := tid r) in A. lia.
      * rewrite (min_rank_none _ M _ _ A) in Z; discriminate.
    + rewrite merge_pass_id by assumption. apply IH; auto. eapply clean_skip; eauto.
Qed.

(** Repeatedly merging the pair of lowest rank gives the ids of one pass for each rank. This is why
    [Merges.apply] is right. *)
Theorem greedy_eq_passes l : greedy lookup l = passes 0 ms l.
Proof.
  unfold greedy. apply greedy_passes_from; auto. intros x y k _ H; lia.
Qed.

Lemma passes_clean_prefix r : forall k t l,
  clean r l -> skipn k ms = t -> k <= r ->
  passes k t l = passes r (skipn r ms) l.
Proof.
  intros k t l C E H. remember (r - k) as d eqn:D. revert k t E H D.
  induction d as [|d IH]; intros k t E H D.
  - assert (k = r) as -> by lia. subst t; reflexivity.
  - destruct t as [|[a b] t].
    + assert (skipn r ms = []) as ->; [|reflexivity].
      apply length_zero_iff_nil. rewrite skipn_length.
      pose proof (skipn_length k ms) as L; rewrite E in L; simpl in L; lia.
    + apply skipn_cons in E. destruct E as [E1 E2]. simpl.
      rewrite merge_pass_id; [|apply (C a b k E1); lia].
      apply IH; auto; lia.
Qed.

(** Merging one occurrence of the pair of lowest rank first does not change the result. *)
Lemma passes_merge_first r a b l : nth_error ms r = Some (a, b) -> clean r l ->
  passes 0 ms (merge_first a b (tid r) l) = passes 0 ms l.
Proof.
  intros K C. destruct (WF _ _ _ K) as [Ha Hb]. unfold tid in Ha, Hb.
  assert (C' : clean r (merge_first a b (tid r) l)).
  { intros x y k E Hk B. destruct (WF _ _ _ E) as [Hx Hy].
    unfold tid in *. apply merge_first_adj in B; try lia. apply (C x y k E Hk B). }
  rewrite (passes_clean_prefix r 0 ms l C eq_refl) by lia.
  rewrite (passes_clean_prefix r 0 ms _ C' eq_refl) by lia.
  destruct (skipn r ms) as [|[a' b'] t] eqn:E.
  { rewrite (skipn_nil_none _ E _ (le_n r)) in K; discriminate. }
  apply skipn_cons in E. destruct E as [E1 E2].
  rewrite K in E1; inversion E1; subst a' b'. simpl.
  rewrite merge_first_absorb; auto; unfold tid; lia.
Qed.

Lemma min_rank_clean l r p : min_rank lookup l = Some (r, p) -> clean r l.
Proof.
  destruct p as [a b]. intro M. apply min_rank_some in M. destruct M as (_ & _ & Min).
  intros x y k E Hk B. destruct (proj2 LK _ _ _ E) as (k0 & Z & Z').
  pose proof (Min _ _ _ B Z). lia.
Qed.

Lemma passes_id_none l : min_rank lookup l = None -> passes 0 ms l = l.
Proof.
  intro M. rewrite <- greedy_eq_passes. apply greedy_fuel_clean.
  intros x y k E B. destruct (proj2 LK _ _ _ E) as (k0 & Z & _).
  rewrite (min_rank_none _ M _ _ B) in Z; discriminate.
Qed.

Lemma greedy1_passes fuel : forall l,
  length l <= fuel -> greedy1_fuel lookup fuel l = passes 0 ms l.
Proof.
  induction fuel as [|f IH]; intros l F.
  - destruct l; [|simpl in F; lia]. simpl. rewrite passes_id_none; reflexivity.
  - simpl. destruct (min_rank lookup l) as [[r [a b]]|] eqn:M.
    + pose proof (min_rank_clean _ _ _ M) as C.
      apply min_rank_some in M. destruct M as (K & A & _).
      pose proof (merge_first_lt a b (tid r) l A) as L.
      rewrite IH by lia. apply passes_merge_first; auto.
    + symmetry. apply passes_id_none, M.
Qed.

(** Merging only the leftmost occurrence each time gives the same ids. Speaks of
    [_merges.Merges.apply] and [oracle.encode_chunk]. *)
Theorem greedy1_eq_passes l : greedy1 lookup l = passes 0 ms l.
Proof. apply greedy1_passes; auto. Qed.

(** After all passes, no merge is left. Speaks of [_merges.Merges.apply]. *)
Theorem passes_normal l : min_rank lookup (passes 0 ms l) = None.
Proof. rewrite <- greedy_eq_passes. apply greedy_fuel_normal; auto. Qed.
End Encoders.

(** * Properties of the ids *)

Lemma passes_app r ms1 ms2 l : passes r (ms1 ++ ms2) l = passes (r + length ms1) ms2 (passes r ms1 l).
Proof.
  revert r l. induction ms1 as [|[a b] t IH]; intros r l; simpl.
  - rewrite Nat.add_0_r; reflexivity.
  - rewrite IH. f_equal. lia.
Qed.

(** The passes up to a merge are the passes before it, then its own. *)
Lemma passes_last k ms a b l : nth_error ms k = Some (a, b) ->
  passes 0 (firstn (S k) ms) l = merge_pass a b (tid k) (passes 0 (firstn k ms) l).
Proof.
  intro E. destruct (nth_error_split _ _ E) as (m1 & m2 & -> & <-).
  assert (F1 : firstn (S (length m1)) (m1 ++ (a, b) :: m2) = m1 ++ [(a, b)]).
  { rewrite firstn_app, firstn_all2, Nat.sub_succ_l, Nat.sub_diag by lia. reflexivity. }
  assert (F0 : firstn (length m1) (m1 ++ (a, b) :: m2) = m1).
  { rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r. reflexivity. }
  rewrite F1, F0, passes_app. reflexivity.
Qed.

(** All passes are the first [k] passes, then the rest. *)
Lemma passes_cut k ms l : k <= length ms ->
  passes 0 ms l = passes k (skipn k ms) (passes 0 (firstn k ms) l).
Proof.
  intro H. rewrite <- (firstn_skipn k ms) at 1. rewrite passes_app, firstn_length_le by exact H.
  reflexivity.
Qed.

Lemma passes_bytes_from tok all : wf_tok all tok -> forall ms r l,
  (forall k p, nth_error ms k = Some p -> nth_error all (r + k) = Some p) ->
  bytes_of tok (passes r ms l) = bytes_of tok l.
Proof.
  intros [_ T]. induction ms as [|[a b] t IH]; intros r l H; simpl; auto.
  rewrite IH.
  - apply merge_pass_bytes, T. specialize (H 0 _ eq_refl). rewrite Nat.add_0_r in H. exact H.
  - intros k p E. rewrite Nat.add_succ_l, <- Nat.add_succ_r. apply H. exact E.
Qed.

Lemma bytes_of_bytes ms tok l : wf_tok ms tok -> Forall byte l -> bytes_of tok l = l.
Proof.
  intros [T _]. induction 1 as [|b l Hb _ IH]; auto.
  unfold bytes_of in *. simpl. rewrite IH, T by auto. reflexivity.
Qed.

(** After any number of passes, the ids of a chunk represent its bytes. *)
Lemma passes_firstn_bytes ms tok k l : wf_tok ms tok -> Forall byte l ->
  bytes_of tok (passes 0 (firstn k ms) l) = l.
Proof.
  intros T H. rewrite (passes_bytes_from tok ms T).
  - apply (bytes_of_bytes ms); auto.
  - intros i p E. rewrite <- (firstn_skipn k ms), nth_error_app1; auto.
    apply nth_error_Some. simpl. congruence.
Qed.

(** The ids of a chunk represent its bytes. Speaks of [oracle.encode_chunk]. *)
Theorem passes_bytes ms tok l : wf_tok ms tok -> Forall byte l -> bytes_of tok (passes 0 ms l) = l.
Proof. intros T H. rewrite <- (firstn_all ms). apply passes_firstn_bytes; auto. Qed.

(** Passes give only ids in the vocabulary. *)
Lemma passes_bound ms : forall r l, Forall (fun i => i < tid r) l ->
  Forall (fun i => i < tid (r + length ms)) (passes r ms l).
Proof.
  induction ms as [|[a b] q IH]; intros r l H; simpl.
  - rewrite Nat.add_0_r; auto.
  - replace (r + S (length q)) with (S r + length q) by lia. apply IH.
    apply merge_pass_bound; [unfold tid; lia|].
    eapply Forall_impl; [|exact H]. unfold tid; simpl; intros; lia.
Qed.

(** Every id of a chunk is in the vocabulary. Speaks of [oracle.encode_chunk]. *)
Theorem passes_ids ms l : Forall byte l -> Forall (fun i => i < 256 + length ms) (passes 0 ms l).
Proof. apply (passes_bound ms 0). Qed.

Lemma passes_adj ms l a b : Forall byte l -> adj a b (passes 0 ms l) ->
  a < tid (length ms) /\ b < tid (length ms).
Proof.
  intros B A. apply (passes_ids ms) in B. apply adj_parts in A. destruct A as (p & q & A).
  rewrite A, Forall_app in B. destruct B as [_ B]. inversion B as [|? ? Ba B']; inversion B'; auto.
Qed.

(** No chunk has more ids than bytes. Speaks of [oracle.encode_chunk]. *)
Theorem passes_len ms : forall r l, length (passes r ms l) <= length l.
Proof.
  induction ms as [|[a b] t IH]; intros r l; simpl; auto.
  etransitivity; [apply IH|apply merge_pass_len].
Qed.

(** New merges whose pairs are not adjacent change nothing. *)
Lemma passes_untouched new : forall r l,
  Forall (fun p => ~ adj (fst p) (snd p) l) new /\ passes r new l = l \/
  ~ Forall (fun p => ~ adj (fst p) (snd p) l) new /\ length (passes r new l) < length l.
Proof.
  induction new as [|[a b] t IH]; intros r l; [auto|]. rewrite Forall_cons_iff. cbn [passes fst snd].
  destruct (adj_dec a b l) as [A|A]; [right|rewrite (merge_pass_id a b _ l A); destruct (IH (S r) l); tauto].
  pose proof (merge_pass_lt a b (tid r) l A). pose proof (passes_len t (S r) (merge_pass a b (tid r) l)).
  split; [tauto|lia].
Qed.

Lemma passes_nonnil ms : forall r l, l <> [] -> passes r ms l <> [].
Proof.
  induction ms as [|[a b] t IH]; intros r l H; simpl; auto using merge_pass_nonnil.
Qed.

Lemma passes_nil ms : forall r, passes r ms [] = [].
Proof. induction ms as [|[a b] t IH]; intro r; simpl; auto. Qed.
