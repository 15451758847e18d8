(** Vocabularies that training can produce.

    A corpus is a list of chunks, each a list of bytes. [trained] says only that each chosen pair
    occurs in a chunk after the merges so far, so it covers every rule for choosing. [train] is
    [tests/oracle.py: train] with its rule: the most frequent pair, and of several the smallest. *)
From Coq Require Import List Arith Lia Bool Permutation.
From Bpetite Require Import Passes Encoders Locality.
Import ListNotations.

(** * The vocabulary of merges *)

(** [tests/oracle.py: vocabulary], and [_learn] of [_trainer.py]: tokens are added one by one. *)
Definition joined (vocab : list (list nat)) (a b : nat) : list nat := nth a vocab [] ++ nth b vocab [].
Fixpoint build (ms : list (nat * nat)) (vocab : list (list nat)) : list (list nat) :=
  match ms with
  | [] => vocab
  | (a, b) :: t => build t (vocab ++ [joined vocab a b])
  end.
Definition base_vocab : list (list nat) := map (fun b => [b]) (seq 0 256).
Definition vocab (ms : list (nat * nat)) : list (list nat) := build ms base_vocab.
Definition token (ms : list (nat * nat)) (i : nat) : list nat := nth i (vocab ms) [].

Lemma build_app ms : forall v, exists w, build ms v = v ++ w /\ length w = length ms.
Proof.
  induction ms as [|[a b] t IH]; intro v; simpl.
  - exists []; rewrite app_nil_r; auto.
  - destruct (IH (v ++ [joined v a b])) as (w & -> & L).
    eexists; rewrite <- app_assoc; simpl; split; [reflexivity|simpl; congruence].
Qed.

Lemma vocab_app ms new : exists w, vocab (ms ++ new) = build new (vocab ms) /\
  build new (vocab ms) = vocab ms ++ w /\ length w = length new.
Proof.
  destruct (build_app new (vocab ms)) as (w & E & K). exists w. split; [|auto]. clear. unfold vocab.
  generalize base_vocab. induction ms as [|[a b] t IH]; intro v; [reflexivity|apply IH].
Qed.

Lemma base_vocab_length : length base_vocab = 256.
Proof. reflexivity. Qed.

(** One token for each byte and one for each merge. Speaks of [oracle.vocabulary]. *)
Theorem vocab_length ms : length (vocab ms) = 256 + length ms.
Proof.
  unfold vocab. destruct (build_app ms base_vocab) as (w & -> & L).
  rewrite app_length, base_vocab_length, L. reflexivity.
Qed.

Lemma build_join ms : forall v r a b, nth_error ms r = Some (a, b) ->
  (forall r a b, nth_error ms r = Some (a, b) -> a < length v + r /\ b < length v + r) ->
  nth (length v + r) (build ms v) [] = nth a (build ms v) [] ++ nth b (build ms v) [].
Proof.
  induction ms as [|[a0 b0] t IH]; intros v [|r] a b E H; simpl in E; try discriminate; simpl.
  - injection E as -> ->. destruct (H 0 a b eq_refl) as [Ha Hb].
    destruct (build_app t (v ++ [joined v a b])) as (w & -> & _).
    rewrite <- app_assoc, Nat.add_0_r. rewrite app_nth2, Nat.sub_diag by lia.
    rewrite !(app_nth1 v) by lia. reflexivity.
  - rewrite <- (IH (v ++ [joined v a0 b0]) r a b E).
    + f_equal. rewrite app_length; simpl; lia.
    + intros k x y K. rewrite app_length; simpl. specialize (H (S k) x y K). lia.
Qed.

(** The token of a byte is the byte. The token of a merge is its two joined parts. Speaks of
    [oracle.vocabulary]. *)
Theorem token_ok ms : wf_merges ms -> wf_tok ms (token ms).
Proof.
  intro W. split.
  - intros b B. unfold token, vocab. destruct (build_app ms base_vocab) as (w & -> & _).
    rewrite app_nth1 by (rewrite base_vocab_length; exact B). unfold base_vocab.
    rewrite nth_indep with (d' := [0]) by (rewrite map_length, seq_length; exact B).
    rewrite (map_nth (fun b => [b])), seq_nth by exact B. reflexivity.
  - intros r a b E. apply (build_join ms base_vocab r a b E).
    intros k x y K. apply (W k x y K).
Qed.

Lemma token_bytes_from ms : wf_merges ms -> forall i, i < 256 + length ms ->
  token ms i <> [] /\ Forall byte (token ms i).
Proof.
  intros W i. induction i as [i IH] using lt_wf_ind. intro L.
  destruct (token_ok ms W) as [Tb Tm]. destruct (Nat.lt_ge_cases i 256) as [B|B].
  - rewrite Tb by exact B. split; [discriminate|]. constructor; [exact B|constructor].
  - destruct (nth_error ms (i - 256)) as [[a b]|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (W _ _ _ E) as [Ha Hb]. specialize (Tm _ _ _ E). unfold tid in *.
    replace (256 + (i - 256)) with i in * by lia. rewrite Tm.
    destruct (IH a) as [Na Ba]; try lia. destruct (IH b) as [_ Bb]; try lia.
    split; [destruct (token ms a); [congruence|discriminate]|apply Forall_app; auto].
Qed.

(** No token is empty, and all its elements are bytes. *)
Lemma token_nonnil ms i : wf_merges ms -> i < 256 + length ms -> token ms i <> [].
Proof. intros W L. apply token_bytes_from; auto. Qed.

Lemma token_bytes ms i : wf_merges ms -> i < 256 + length ms -> Forall byte (token ms i).
Proof. intros W L. apply token_bytes_from; auto. Qed.

(** * What training can produce *)

(** Each merge is of a pair that occurs in the corpus after all earlier merges. *)
Definition trained (corpus : list (list nat)) (ms : list (nat * nat)) : Prop :=
  forall r a b, nth_error ms r = Some (a, b) ->
  exists c, In c corpus /\ adj a b (passes 0 (firstn r ms) c).

Section Trained.
Variables (corpus : list (list nat)) (ms : list (nat * nat)).
Hypothesis B : Forall (Forall byte) corpus.
Hypothesis TR : trained corpus ms.

(** Each learned merge joins two earlier ids. Speaks of [_trainer.train_bpe]. *)
Theorem trained_wf : wf_merges ms.
Proof.
  intros r a b E. destruct (TR r a b E) as (c & I & A).
  assert (r < length ms) by (apply nth_error_Some; congruence). rewrite Forall_forall in B.
  apply passes_adj in A; [|auto]. rewrite firstn_length_le in A by lia. exact A.
Qed.

(** No pair is learned twice. Speaks of [_trainer.train_bpe]. *)
Theorem trained_distinct r k p : nth_error ms r = Some p -> nth_error ms k = Some p -> r = k.
Proof.
  assert (G : forall r k a b, nth_error ms r = Some (a, b) -> nth_error ms k = Some (a, b) -> ~ r < k).
  { clear r k p. intros r k a b Er Ek L. destruct (TR k a b Ek) as (c & _ & A).
    assert (C : forall j, j <= k -> clean ms j (passes 0 (firstn j ms) c)).
    { induction j as [|j IH]; intros J; [intros ? ? ? _ ?; lia|].
      destruct (nth_error ms j) as [[x y]|] eqn:Ej.
      - rewrite (passes_last j ms x y) by exact Ej. apply clean_pass; auto using trained_wf.
        apply IH; lia.
      - assert (k < length ms) by (apply nth_error_Some; congruence).
        apply nth_error_None in Ej. lia. }
    exact (C k (le_n k) a b r Er L A). }
  destruct p as [a b]. intros E1 E2. specialize (G r k a b E1 E2) as G1.
  specialize (G k r a b E2 E1) as G2. lia.
Qed.

(** Every token of a trained vocabulary encodes to itself. Speaks of [_trainer.train_bpe]. *)
Theorem trained_own i : i < 256 + length ms -> passes 0 ms (token ms i) = [i].
Proof.
  intro L. pose proof (token_ok ms trained_wf) as T. destruct (Nat.lt_ge_cases i 256) as [H|H].
  - rewrite (proj1 T) by exact H. apply passes_alone.
  - destruct (nth_error ms (i - 256)) as [[a b]|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (TR _ _ _ E) as (c & I & A). apply adj_parts in A. destruct A as (p & q & A).
    destruct (passes_split _ _ _ _ _ A) as (s & t & Ec & _ & Et).
    destruct (passes_split _ 0 t [a; b] q Et) as (u & w & Eu & Hu & _).
    assert (Bu : Forall byte u).
    { rewrite Forall_forall in B. specialize (B c I). rewrite Ec, Eu in B.
      rewrite !Forall_app in B. tauto. }
    assert (token ms i = u) as ->.
    { rewrite <- (passes_firstn_bytes ms (token ms) (i - 256) u T Bu), Hu.
      unfold bytes_of. simpl. rewrite app_nil_r, <- (proj2 T _ _ _ E). unfold tid. f_equal; lia. }
    rewrite (passes_cut (S (i - 256))) by lia. rewrite (passes_last (i - 256) ms a b), Hu by exact E.
    rewrite merge_pass_step, !Nat.eqb_refl. cbn [andb merge_pass]. rewrite passes_alone.
    unfold tid. f_equal; lia.
Qed.

(** No two tokens of a trained vocabulary have the same bytes. Speaks of [_trainer.train_bpe]. *)
Theorem trained_injective i j : i < 256 + length ms -> j < 256 + length ms ->
  token ms i = token ms j -> i = j.
Proof.
  intros I J E. apply trained_own in I, J. rewrite E in I. congruence.
Qed.

(** The bytes of every learned token occur in a chunk of the corpus. *)
Lemma trained_part i : 256 <= i < 256 + length ms ->
  exists c p q, In c corpus /\ c = p ++ token ms i ++ q.
Proof.
  intros [H L]. pose proof (token_ok ms trained_wf) as T.
  destruct (nth_error ms (i - 256)) as [[a b]|] eqn:E; [|apply nth_error_None in E; lia].
  destruct (TR _ _ _ E) as (c & I & A). apply adj_parts in A. destruct A as (p & q & A).
  assert (Bc : Forall byte c) by (rewrite Forall_forall in B; auto).
  exists c, (bytes_of (token ms) p), (bytes_of (token ms) q). split; [exact I|].
  rewrite <- (passes_firstn_bytes ms (token ms) (i - 256) c T Bc), A.
  rewrite bytes_of_app. f_equal. unfold bytes_of. simpl. rewrite app_assoc. f_equal.
  rewrite <- (proj2 T _ _ _ E). unfold tid. f_equal; lia.
Qed.
End Trained.

(** * The trainer *)

(** All pairs of a chunk, including repeated ones: [itertools.pairwise]. *)
Fixpoint pairs_of (l : list nat) : list (nat * nat) :=
  match l with
  | x :: ((y :: _) as tl) => (x, y) :: pairs_of tl
  | _ => []
  end.

Definition pair_eqb (p q : nat * nat) : bool := (fst p =? fst q) && (snd p =? snd q).
Definition pair_ltb (p q : nat * nat) : bool :=
  (fst p <? fst q) || ((fst p =? fst q) && (snd p <? snd q)).

Fixpoint count (p : nat * nat) (l : list (nat * nat)) : nat :=
  match l with
  | [] => 0
  | q :: t => if pair_eqb p q then S (count p t) else count p t
  end.

(** [p] goes before [q]: it occurs more often, or as often and is smaller. *)
Definition before (all : list (nat * nat)) (p q : nat * nat) : bool :=
  (count q all <? count p all) || ((count p all =? count q all) && pair_ltb p q).

(** The pair to merge next. *)
Fixpoint best (all l : list (nat * nat)) : option (nat * nat) :=
  match l with
  | [] => None
  | p :: t => match best all t with
              | None => Some p
              | Some q => if before all p q then Some p else Some q
              end
  end.

Fixpoint train_from (r wanted : nat) (chunks : list (list nat)) : list (nat * nat) :=
  match wanted with
  | 0 => []
  | S w =>
      let all := flat_map pairs_of chunks in
      match best all all with
      | None => []
      | Some (a, b) => (a, b) :: train_from (S r) w (map (merge_pass a b (tid r)) chunks)
      end
  end.
(** Learn as many merges as wanted, or fewer if no pair is left. *)
Definition train (wanted : nat) (corpus : list (list nat)) : list (nat * nat) :=
  train_from 0 wanted corpus.

Lemma pairs_of_adj x y l : In (x, y) (pairs_of l) <-> adj x y l.
Proof.
  induction l as [|u [|v t] IH]; try (simpl; tauto).
  change (pairs_of (u :: v :: t)) with ((u, v) :: pairs_of (v :: t)).
  change (adj x y (u :: v :: t)) with ((u = x /\ v = y) \/ adj x y (v :: t)).
  rewrite <- IH. simpl In at 1. split; intros [H|H]; auto; left; [injection H; auto|].
  destruct H; congruence.
Qed.

Lemma best_in all l p : best all l = Some p -> In p l.
Proof.
  revert p. induction l as [|q t IH]; intros p H; simpl in *; [discriminate|].
  destruct (best all t) as [q'|].
  - destruct (before all q q'); injection H as <-; auto.
  - injection H as <-; auto.
Qed.

Lemma best_none all l : best all l = None -> l = [].
Proof.
  destruct l as [|q t]; simpl; auto. destruct (best all t) as [q'|]; [destruct (before all q q')|]; discriminate.
Qed.

Lemma pair_ltb_trans p q w : pair_ltb p q = true -> pair_ltb q w = true -> pair_ltb p w = true.
Proof.
  unfold pair_ltb. rewrite !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq. lia.
Qed.

Lemma before_trans all p q w : before all p q = true -> before all q w = true -> before all p w = true.
Proof.
  unfold before. rewrite !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq.
  intros [H|[H H']] [K|[K K']]; try (left; lia). right; split; [lia|]. eapply pair_ltb_trans; eauto.
Qed.

Lemma before_total all p q : before all p q = false -> p = q \/ before all q p = true.
Proof.
  unfold before, pair_ltb. destruct p as [a b], q as [c d]. simpl fst; simpl snd.
  rewrite !orb_false_iff, !andb_false_iff, !orb_false_iff, !andb_false_iff,
    !orb_true_iff, !andb_true_iff, !orb_true_iff, !andb_true_iff,
    !Nat.ltb_lt, !Nat.ltb_ge, !Nat.eqb_eq, !Nat.eqb_neq. intro H.
  destruct (Nat.eq_dec a c), (Nat.eq_dec b d); subst; auto; right; lia.
Qed.

(** No pair goes before the chosen one, so it is the smallest of the most frequent pairs. Speaks of
    [oracle.train]. *)
Theorem best_first all l p q : best all l = Some p -> In q l -> q = p \/ before all p q = true.
Proof.
  revert p. induction l as [|w t IH]; intros p H I; [destruct I|]. simpl in H.
  destruct (best all t) as [w'|] eqn:E.
  - destruct (before all w w') eqn:F; injection H as <-.
    + destruct I as [->|I]; auto. destruct (IH _ eq_refl I) as [->|K]; auto.
      right; eapply before_trans; eauto.
    + destruct I as [->|I]; [|auto]. apply before_total in F. destruct F; auto.
  - injection H as <-. apply best_none in E. subst t. destruct I as [->|[]]; auto.
Qed.

Lemma train_from_trained wanted : forall r corpus, forall k a b,
  nth_error (train_from r wanted corpus) k = Some (a, b) ->
  exists c, In c corpus /\ adj a b (passes r (firstn k (train_from r wanted corpus)) c).
Proof.
  induction wanted as [|w IH]; intros r corpus k a b E; cbn [train_from] in *.
  - destruct k; discriminate.
  - destruct (best (flat_map pairs_of corpus) (flat_map pairs_of corpus)) as [[x y]|] eqn:F.
    + destruct k as [|k].
      * injection E as -> ->. apply best_in, in_flat_map in F. destruct F as (c & I & P).
        exists c. split; [exact I|]. apply pairs_of_adj. exact P.
      * cbn [nth_error firstn] in *. destruct (IH _ _ _ _ _ E) as (c & I & A).
        apply in_map_iff in I. destruct I as (c' & <- & I). exists c'. auto.
    + destruct k; discriminate.
Qed.

(** The merges that [train] learns are merges that training can produce. *)
Theorem train_trained wanted corpus : trained corpus (train wanted corpus).
Proof. intros r a b E. apply train_from_trained. exact E. Qed.

(** The trainer learns at most as many merges as wanted, and fewer only if no pair is left. Speaks
    of [oracle.train]. *)
Theorem train_length wanted : forall r corpus,
  length (train_from r wanted corpus) <= wanted /\
  (length (train_from r wanted corpus) < wanted ->
   forall c, In c corpus -> forall x y, ~ adj x y (passes r (train_from r wanted corpus) c)).
Proof.
  induction wanted as [|w IH]; intros r corpus; cbn [train_from]; [simpl; split; lia|].
  destruct (best (flat_map pairs_of corpus) (flat_map pairs_of corpus)) as [[a b]|] eqn:F.
  - destruct (IH (S r) (map (merge_pass a b (tid r)) corpus)) as [L S]. cbn [length passes].
    split; [lia|]. intros Hl c I. apply S; [lia|]. apply in_map, I.
  - split; [simpl; lia|]. intros _ c I x y A. apply best_none in F. simpl in A.
    apply pairs_of_adj in A. assert (In (x, y) (flat_map pairs_of corpus)) as K.
    { apply in_flat_map; eauto. }
    rewrite F in K. destruct K.
Qed.

(** ** Continued training *)

(** [tests/oracle.py: train] with [start]: the chunks are encoded with its merges, and learning goes
    on from there. *)
Definition grow (start : list (nat * nat)) (more : nat) (corpus : list (list nat)) : list (nat * nat) :=
  start ++ train_from (length start) more (map (passes 0 start) corpus).

Lemma train_from_app n m : forall r corpus,
  train_from r (n + m) corpus =
  train_from r n corpus ++
  train_from (r + length (train_from r n corpus)) m (map (passes r (train_from r n corpus)) corpus).
Proof.
  induction n as [|n IH]; intros r corpus; cbn [train_from Nat.add].
  - cbn [length app]. rewrite Nat.add_0_r, map_id. reflexivity.
  - destruct (best (flat_map pairs_of corpus) (flat_map pairs_of corpus)) as [[a b]|] eqn:F.
    + rewrite IH, map_map. cbn [length app]. rewrite Nat.add_succ_r. reflexivity.
    + cbn [length app]. rewrite map_id. destruct m; cbn [train_from]; [reflexivity|].
      rewrite F. reflexivity.
Qed.

(** Continuing from the first merges on the same corpus learns the merges of one long training.
    Speaks of [oracle.train] and [_trainer.learn]. *)
Theorem grow_train n m corpus : grow (train n corpus) m corpus = train (n + m) corpus.
Proof. symmetry. apply (train_from_app n m 0). Qed.

(** Each merge of a continued training joins two earlier ids, if those of the start do. Speaks of
    [_trainer.learn]. *)
Theorem grow_wf start m corpus : wf_merges start -> Forall (Forall byte) corpus ->
  wf_merges (grow start m corpus).
Proof.
  unfold grow. intros W B r a b E. destruct (Nat.lt_ge_cases r (length start)) as [L|L].
  - rewrite nth_error_app1 in E by exact L. exact (W r a b E).
  - rewrite nth_error_app2 in E by exact L.
    set (more := train_from (length start) m (map (passes 0 start) corpus)) in *.
    destruct (train_from_trained _ _ _ _ _ _ E) as (c & I & A). fold more in A.
    apply in_map_iff in I. destruct I as (d & <- & I).
    assert (r - length start < length more) by (apply nth_error_Some; congruence).
    change (length start) with (0 + length start) in A at 1. rewrite <- passes_app in A.
    rewrite Forall_forall in B. apply passes_adj in A; [|auto]. rewrite app_length, firstn_length_le in A by lia.
    replace (length start + (r - length start)) with r in A by lia. exact A.
Qed.

(** ** The order of the corpus does not matter *)

Lemma count_perm l l' p : Permutation l l' -> count p l = count p l'.
Proof.
  induction 1 as [|q l l' _ IH|q w l|l l' l'' _ IH1 _ IH2]; simpl; try congruence.
  - rewrite IH. reflexivity.
  - destruct (pair_eqb p q), (pair_eqb p w); reflexivity.
Qed.

Lemma before_perm all all' p q : Permutation all all' -> before all p q = before all' p q.
Proof. intro H. unfold before. rewrite !(count_perm all all') by exact H. reflexivity. Qed.

Lemma before_not_both all p q : before all p q = true -> before all q p = true -> False.
Proof.
  unfold before, pair_ltb.
  rewrite !orb_true_iff, !andb_true_iff, !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq. lia.
Qed.

(** The pair to merge next does not depend on the order. *)
Lemma best_perm all all' : Permutation all all' -> best all all = best all' all'.
Proof.
  intro H. destruct (best all all) as [p|] eqn:E.
  - destruct (best all' all') as [q|] eqn:F.
    + pose proof (best_first _ _ _ q E (Permutation_in _ (Permutation_sym H) (best_in _ _ _ F))) as [->|P];
        [reflexivity|].
      pose proof (best_first _ _ _ p F (Permutation_in _ H (best_in _ _ _ E))) as [->|Q]; [reflexivity|].
      rewrite <- (before_perm all all') in Q by exact H. destruct (before_not_both _ _ _ P Q).
    + apply best_none in F. subst. apply Permutation_sym, Permutation_nil in H. subst. discriminate.
  - apply best_none in E. subst. apply Permutation_nil in H. subst. reflexivity.
Qed.

Lemma train_from_perm wanted : forall r corpus corpus', Permutation corpus corpus' ->
  train_from r wanted corpus = train_from r wanted corpus'.
Proof.
  induction wanted as [|w IH]; intros r corpus corpus' H; cbn [train_from]; [reflexivity|].
  rewrite (best_perm _ _ (Permutation_flat_map pairs_of H)).
  destruct (best (flat_map pairs_of corpus') (flat_map pairs_of corpus')) as [[a b]|]; [|reflexivity].
  f_equal. apply IH, Permutation_map, H.
Qed.

(** Reordering the chunks changes no merge. Speaks of [_trainer.train_bpe]. *)
Theorem train_perm wanted corpus corpus' : Permutation corpus corpus' ->
  train wanted corpus = train wanted corpus'.
Proof. apply train_from_perm. Qed.

(** Only the number of times that each chunk occurs matters. Speaks of [_trainer.train_bpe] and
    [_corpus.count_chunks]. *)
Theorem train_counts wanted corpus corpus' (dec : forall c d : list nat, {c = d} + {c <> d}) :
  (forall c, count_occ dec corpus c = count_occ dec corpus' c) ->
  train wanted corpus = train wanted corpus'.
Proof. intro H. apply train_perm, (Permutation_count_occ dec), H. Qed.
