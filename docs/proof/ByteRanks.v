(** Merging by the bytes of tokens, as tiktoken does, and by pairs of ids, as bpetite does.

    [decompose] works like tiktoken: a chunk is a list of byte strings, and it joins two adjacent
    ones if the joined bytes are a token. With handmade merges, this can differ from merging pairs
    of ids. If every token encodes to itself, as after training, both give the same tokens. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Locality Training Utf8.
Import ListNotations.

Section Ranks.
Variable ranks : list nat -> option nat.

(** The lowest rank of two adjacent parts, joined. *)
Fixpoint lowest (parts : list (list nat)) : option nat :=
  match parts with
  | x :: ((y :: _) as tl) =>
      match ranks (x ++ y), lowest tl with
      | None, m => m
      | Some r, None => Some r
      | Some r, Some r' => if r' <? r then Some r' else Some r
      end
  | _ => None
  end.

(** Join the leftmost two adjacent parts that have this rank. *)
Fixpoint join_first (r : nat) (parts : list (list nat)) : list (list nat) :=
  match parts with
  | x :: ((y :: t) as tl) =>
      if match ranks (x ++ y) with Some k => k =? r | None => false end
      then (x ++ y) :: t else x :: join_first r tl
  | _ => parts
  end.

Fixpoint decompose_fuel (fuel : nat) (parts : list (list nat)) : list (list nat) :=
  match fuel with
  | 0 => parts
  | S f => match lowest parts with
           | Some r => decompose_fuel f (join_first r parts)
           | None => parts
           end
  end.
Definition decompose (bytes : list nat) : list (list nat) :=
  decompose_fuel (length bytes) (map (fun b => [b]) bytes).

Lemma join_first_step r x y t : join_first r (x :: y :: t) =
  if match ranks (x ++ y) with Some k => k =? r | None => false end
  then (x ++ y) :: t else x :: join_first r (y :: t).
Proof. reflexivity. Qed.

Lemma join_first_join r parts : concat (join_first r parts) = concat parts.
Proof.
  induction parts as [|x [|y t] IH]; auto. rewrite join_first_step.
  destruct (match ranks (x ++ y) with Some k => k =? r | None => false end).
  - simpl. rewrite app_assoc. reflexivity.
  - change (concat (x :: join_first r (y :: t))) with (x ++ concat (join_first r (y :: t))).
    rewrite IH. reflexivity.
Qed.

(** Decompose round trip: whatever the ranks, the parts join to the bytes. *)
Theorem decompose_join bytes : concat (decompose bytes) = bytes.
Proof.
  assert (G : forall fuel parts, concat (decompose_fuel fuel parts) = concat parts).
  { induction fuel as [|f IH]; intro parts; simpl; auto.
    destruct (lowest parts); auto. rewrite IH. apply join_first_join. }
  unfold decompose. rewrite G. induction bytes as [|b t IH]; simpl; congruence.
Qed.
End Ranks.

(** The rank of a token by its bytes; the lowest, if several tokens have these bytes. *)
Fixpoint find_token (r : nat) (tokens : list (list nat)) (bytes : list nat) : option nat :=
  match tokens with
  | [] => None
  | t :: rest => if list_eqb t bytes then Some r else find_token (S r) rest bytes
  end.
Definition byte_rank (ms : list (nat * nat)) (bytes : list nat) : option nat :=
  find_token 0 (skipn 256 (vocab ms)) bytes.

Lemma find_token_some tokens bytes : forall k r, find_token k tokens bytes = Some r ->
  exists i, r = k + i /\ nth_error tokens i = Some bytes.
Proof.
  induction tokens as [|t rest IH]; intros k r H; simpl in H; [discriminate|].
  destruct (list_eqb t bytes) eqn:E.
  - injection H as <-. apply list_eqb_eq in E. exists 0. subst; split; [lia|reflexivity].
  - apply IH in H. destruct H as (i & -> & H). exists (S i). split; [lia|exact H].
Qed.

Lemma find_token_none tokens bytes : forall k, find_token k tokens bytes = None ->
  forall i, nth_error tokens i <> Some bytes.
Proof.
  induction tokens as [|t rest IH]; intros k H [|i] E; simpl in *; try discriminate;
    destruct (list_eqb t bytes) eqn:Q; try discriminate.
  - injection E as ->. assert (list_eqb bytes bytes = true) by (apply list_eqb_eq; reflexivity).
    congruence.
  - eapply IH; eauto.
Qed.

Lemma nth_error_skipn {A} n : forall (l : list A) i, nth_error (skipn n l) i = nth_error l (n + i).
Proof. induction n as [|n IH]; intros [|x l] i; simpl; auto. destruct i; reflexivity. Qed.

Section Same.
Variable ms : list (nat * nat).
Hypothesis WF : wf_merges ms.
Hypothesis OWN : forall i, i < 256 + length ms -> passes 0 ms (token ms i) = [i].

Notation tok := (token ms).
Notation encode := (passes 0 ms).

Lemma tok_rank r bytes : nth_error (skipn 256 (vocab ms)) r = Some bytes <->
  r < length ms /\ tok (tid r) = bytes.
Proof.
  rewrite nth_error_skipn. unfold token. pose proof (vocab_length ms) as V. split.
  - intro H. assert (256 + r < length (vocab ms)) by (apply nth_error_Some; congruence).
    split; [lia|]. apply nth_error_nth. exact H.
  - intros [L <-]. apply nth_error_nth'. unfold tid; lia.
Qed.

(** A state of encoding: for each part of it, merging on from the ids and encoding their bytes give
    the same ids. *)
Definition state (ids : list nat) : Prop :=
  Forall (fun i => i < 256 + length ms) ids /\
  forall u v w, ids = u ++ v ++ w -> encode v = encode (bytes_of tok v).

Lemma state_bytes l : Forall byte l -> state l.
Proof.
  intro B. split.
  - eapply Forall_impl; [|exact B]. unfold byte; simpl; intros; lia.
  - intros u v w ->. rewrite !Forall_app in B.
    rewrite (bytes_of_bytes ms) by (try apply token_ok; tauto). reflexivity.
Qed.

Lemma state_step ids r a b : min_rank (rank ms) ids = Some (r, (a, b)) -> state ids ->
  state (merge_first a b (tid r) ids).
Proof.
  intros M [L F]. pose proof (min_rank_clean ms _ (rank_ok ms) _ _ _ M) as Cl.
  apply (min_rank_some ms _ (rank_ok ms)) in M. destruct M as (K & A & _).
  assert (R : r < length ms) by (apply nth_error_Some; congruence). split.
  - clear F Cl A. induction ids as [|x|x y t IH1 IH2] using list_ind2; auto.
    rewrite merge_first_step. inversion L as [|? ? Lx L']; inversion L' as [|? ? Ly Lt]; subst.
    destruct (_ && _); constructor; auto. unfold tid; lia.
  - intros u v w E. destruct (merge_first_split _ _ _ _ _ _ E) as (s & t & E1 & _ & Ht).
    assert (G : exists u' v' w', ids = u' ++ v' ++ w' /\ (v = v' \/ v = merge_first a b (tid r) v')).
    { destruct Ht as [Ht|Ht].
      - exists s, v, w. rewrite Ht. auto.
      - symmetry in Ht. destruct (merge_first_split _ _ _ _ _ _ Ht) as (v' & w' & -> & Hv & _).
        exists s, v', w'. auto. }
    destruct G as (u' & v' & w' & G & [-> | ->]); [eapply F; exact G|].
    rewrite (passes_merge_first ms WF r a b v' K).
    + rewrite (F _ _ _ G). f_equal. clear -K WF. destruct (token_ok ms WF) as [_ T].
      specialize (T _ _ _ K).
      induction v' as [|x|x y t IH1 IH2] using list_ind2; auto.
      rewrite merge_first_step. destruct (Nat.eqb_spec x a), (Nat.eqb_spec y b); simpl; subst;
        unfold bytes_of in *; simpl in *; rewrite <- ?IH2; auto.
      rewrite T, <- app_assoc. reflexivity.
    + intros x y k Ex Hk B. apply (Cl x y k Ex Hk). rewrite G.
      apply adj_parts in B. destruct B as (p & q & ->).
      replace (u' ++ (p ++ x :: y :: q) ++ w') with ((u' ++ p) ++ x :: y :: (q ++ w'))
        by (rewrite <- !app_assoc; reflexivity).
      apply adj_app.
Qed.

(** In such a state, looking up two adjacent tokens by their joined bytes or by their ids gives the
    same rank, or none either way. *)
Lemma ranks_agree ids x y : state ids -> adj x y ids -> byte_rank ms (tok x ++ tok y) = rank ms x y.
Proof.
  intros [L F] A. apply adj_parts in A. destruct A as (p & q & ->).
  specialize (F p [x; y] q eq_refl). unfold bytes_of in F. simpl in F. rewrite app_nil_r in F.
  destruct (rank_ok ms) as [R1 R2]. destruct (token_ok ms WF) as [_ T].
  assert (G : forall r, nth_error ms r = Some (x, y) -> byte_rank ms (tok x ++ tok y) = Some r).
  { intros r E. assert (K : r < length ms) by (apply nth_error_Some; congruence).
    unfold byte_rank. destruct (find_token 0 _ _) as [r'|] eqn:B.
    - apply find_token_some in B. destruct B as (i & -> & B). apply tok_rank in B.
      destruct B as [Li B]. rewrite <- (T _ _ _ E) in B. f_equal.
      assert (H1 : encode (tok (tid i)) = [tid i]) by (apply OWN; unfold tid; lia).
      assert (H2 : encode (tok (tid r)) = [tid r]) by (apply OWN; unfold tid; lia).
      rewrite B, H2 in H1. unfold tid in H1. injection H1. lia.
    - exfalso. eapply find_token_none; [exact B|]. apply tok_rank. split; [exact K|apply T, E]. }
  destruct (rank ms x y) as [r|] eqn:Rk.
  - apply G, R1, Rk.
  - destruct (byte_rank ms (tok x ++ tok y)) as [r|] eqn:B; [|reflexivity]. exfalso.
    unfold byte_rank in B. apply find_token_some in B. destruct B as (i & -> & B).
    apply tok_rank in B. destruct B as [Li B].
    rewrite <- B, OWN in F by (unfold tid; lia).
    rewrite (passes_id_none ms (rank ms) WF (rank_ok ms)) in F; [discriminate|].
    simpl. rewrite Rk. reflexivity.
Qed.

Lemma lowest_agrees ids : (forall x y, adj x y ids -> byte_rank ms (tok x ++ tok y) = rank ms x y) ->
  lowest (byte_rank ms) (map tok ids) = option_map fst (min_rank (rank ms) ids).
Proof.
  induction ids as [|x [|y t] IH]; intro H; auto.
  rewrite min_rank_step.
  cbn [map lowest] in *. rewrite IH by (intros u v A; apply H; right; exact A).
  rewrite (H x y) by (left; auto).
  destruct (rank ms x y) as [r|], (min_rank (rank ms) (y :: t)) as [[r' p]|]; simpl; auto.
  destruct (r' <? r); reflexivity.
Qed.

Lemma join_first_agrees r a b ids : nth_error ms r = Some (a, b) -> rank ms a b = Some r ->
  (forall x y, adj x y ids -> byte_rank ms (tok x ++ tok y) = rank ms x y) ->
  join_first (byte_rank ms) r (map tok ids) = map tok (merge_first a b (tid r) ids).
Proof.
  intros K Rk. induction ids as [|x [|y t] IH]; intro H; auto.
  rewrite merge_first_step. change (map tok (x :: y :: t)) with (tok x :: tok y :: map tok t).
  rewrite join_first_step, (H x y) by (left; auto).
  change (tok y :: map tok t) with (map tok (y :: t)).
  destruct (Nat.eqb_spec x a) as [->|Nx], (Nat.eqb_spec y b) as [->|Ny]; cbn [andb];
    try (rewrite Rk, Nat.eqb_refl; cbn [map]; rewrite (proj2 (token_ok ms WF) _ _ _ K); reflexivity);
    match goal with |- context [rank ms ?u ?v] =>
      destruct (rank ms u v) as [k|] eqn:Z; [destruct (Nat.eqb_spec k r) as [->|]|] end;
    try (apply (rank_ok ms) in Z; congruence);
    cbn [map]; f_equal; apply IH; intros u v A; apply H; right; exact A.
Qed.

(** Merging by bytes gives the same tokens as merging by ids. Speaks of [oracle.encode_chunk]. *)
Theorem decompose_encode bytes : Forall byte bytes ->
  decompose (byte_rank ms) bytes = map tok (encode bytes).
Proof.
  intro B. rewrite <- (greedy1_eq_passes ms (rank ms) WF (rank_ok ms)).
  unfold decompose, greedy1. generalize (length bytes). intro fuel.
  assert (E : map (fun b => [b]) bytes = map tok bytes).
  { apply map_ext_in. intros b I. rewrite Forall_forall in B. symmetry.
    apply (token_ok ms WF). auto. }
  rewrite E. clear E. apply state_bytes in B. revert bytes B.
  induction fuel as [|f IH]; intros ids S; simpl; auto.
  pose proof (fun x y => ranks_agree ids x y S) as A.
  rewrite (lowest_agrees ids A). destruct (min_rank (rank ms) ids) as [[r [a b]]|] eqn:M; auto.
  simpl. pose proof (min_rank_clean ms _ (rank_ok ms) _ _ _ M) as Cl.
  pose proof (min_rank_some ms _ (rank_ok ms) _ _ _ _ M) as (K & Ad & Min).
  assert (Rk : rank ms a b = Some r).
  { destruct (proj2 (rank_ok ms) _ _ _ K) as (k & Z & Le). rewrite Z. f_equal.
    pose proof (Min _ _ _ Ad Z). lia. }
  rewrite (join_first_agrees r a b ids K Rk A). apply IH, state_step; auto.
Qed.
End Same.
