(** The special token: a text is split at every occurrence of a literal.

    [partition] is Python's [str.partition]. [split_literal] is what
    [_special_tokens.py: SpecialTokens.cut] leaves between the special tokens, if there is one. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

Fixpoint prefixb (p l : list nat) : bool :=
  match p, l with
  | [], _ => true
  | x :: p', y :: l' => (x =? y) && prefixb p' l'
  | _ :: _, [] => false
  end.

(** The text before the first occurrence, and the text after it. *)
Fixpoint partition (literal text : list nat) : option (list nat * list nat) :=
  if prefixb literal text then Some ([], skipn (length literal) text)
  else match text with
       | [] => None
       | x :: t => match partition literal t with
                   | Some (b, a) => Some (x :: b, a)
                   | None => None
                   end
       end.

Fixpoint segments (fuel : nat) (literal text : list nat) : list (list nat) :=
  match fuel with
  | 0 => [text]
  | S f => match partition literal text with
           | Some (b, a) => b :: segments f literal a
           | None => [text]
           end
  end.
Definition split_literal (literal text : list nat) : list (list nat) :=
  segments (length text) literal text.

Fixpoint join (literal : list nat) (parts : list (list nat)) : list nat :=
  match parts with
  | [] => []
  | [p] => p
  | p :: t => p ++ literal ++ join literal t
  end.

Lemma prefixb_spec p : forall l, prefixb p l = true <-> exists q, l = p ++ q.
Proof.
  induction p as [|x p IH]; intros [|y l]; simpl; split; intro H; eauto.
  - discriminate.
  - destruct H; discriminate.
  - apply andb_prop in H. destruct H as [E H]. apply Nat.eqb_eq in E. apply IH in H.
    destruct H as [q ->]. subst; eauto.
  - destruct H as [q H]. injection H as -> ->. rewrite Nat.eqb_refl. apply IH; eauto.
Qed.

(** The search finds the leftmost occurrence of the literal. Speaks of [oracle.encode]. *)
Theorem partition_some literal text : forall b a, partition literal text = Some (b, a) ->
  text = b ++ literal ++ a /\ (forall p q, text = p ++ literal ++ q -> length b <= length p).
Proof.
  induction text as [|x t IH]; intros b a E; cbn [partition] in E.
  - destruct (prefixb literal []) eqn:P; [|discriminate]. injection E as <- <-.
    apply prefixb_spec in P. destruct P as [q P]. symmetry in P. apply app_eq_nil in P.
    destruct P as [-> ->]. split; [reflexivity|]. simpl; lia.
  - destruct (prefixb literal (x :: t)) eqn:P.
    + injection E as <- <-. apply prefixb_spec in P. destruct P as [q P].
      split; [|simpl; lia]. rewrite P, skipn_app, skipn_all, Nat.sub_diag. reflexivity.
    + destruct (partition literal t) as [[b' a']|] eqn:F; [|discriminate].
      injection E as <- <-. destruct (IH _ _ eq_refl) as [-> L]. split; [reflexivity|].
      intros [|y p] q H; simpl in H.
      * assert (prefixb literal (x :: b' ++ literal ++ a') = true) by (apply prefixb_spec; eauto).
        congruence.
      * injection H as _ H. apply L in H. simpl; lia.
Qed.

(** If the search finds nothing, the literal does not occur. Speaks of [oracle.encode]. *)
Theorem partition_none literal text : partition literal text = None ->
  forall p q, text <> p ++ literal ++ q.
Proof.
  induction text as [|x t IH]; cbn [partition]; intros E p q H.
  - destruct (prefixb literal []) eqn:P; [discriminate|].
    symmetry in H. apply app_eq_nil in H. destruct H as [_ H]. apply app_eq_nil in H.
    destruct H as [-> _]. discriminate.
  - destruct (prefixb literal (x :: t)) eqn:P; [discriminate|].
    destruct (partition literal t) as [[b a]|]; [discriminate|].
    destruct p as [|y p]; simpl in H.
    + assert (prefixb literal (x :: t) = true) by (apply prefixb_spec; eauto). congruence.
    + injection H as _ H. eapply IH; eauto.
Qed.

Section Literal.
Variable literal : list nat.
Hypothesis N : literal <> [].

Lemma literal_pos : 0 < length literal.
Proof. destruct literal; [congruence|simpl; lia]. Qed.

Lemma partition_short text b a : partition literal text = Some (b, a) -> length a < length text.
Proof.
  intro E. apply partition_some in E. destruct E as [-> _].
  rewrite !app_length. pose proof literal_pos. lia.
Qed.

Lemma segments_fuel f1 : forall f2 text, length text <= f1 -> length text <= f2 ->
  segments f1 literal text = segments f2 literal text.
Proof.
  assert (Z : partition literal [] = None).
  { destruct (partition literal []) as [[b a]|] eqn:E; auto. apply partition_short in E. simpl in E; lia. }
  induction f1 as [|f1 IH]; intros [|f2] text L1 L2; simpl; auto;
    try (destruct text; [rewrite Z; reflexivity|simpl in *; lia]).
  all: destruct (partition literal text) as [[b a]|] eqn:E; auto.
  all: apply partition_short in E; f_equal; apply IH; lia.
Qed.

(** The search continues after the first occurrence, so occurrences do not overlap. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem split_literal_step text : split_literal literal text =
  match partition literal text with
  | Some (b, a) => b :: split_literal literal a
  | None => [text]
  end.
Proof.
  unfold split_literal. destruct text as [|x t]; cbn [length segments].
  - destruct (partition literal []) as [[b a]|] eqn:E; auto. apply partition_short in E. simpl in E; lia.
  - destruct (partition literal (x :: t)) as [[b a]|] eqn:E; auto.
    apply partition_short in E. f_equal. apply segments_fuel; cbn [length] in E; lia.
Qed.

Lemma split_literal_nonnil text : split_literal literal text <> [].
Proof. rewrite split_literal_step. destruct (partition literal text) as [[b a]|]; discriminate. Qed.

(** Nothing is lost: the parts joined by the literal are the text. Speaks of
    [_special_tokens.SpecialTokens.cut]. *)
Theorem split_literal_join text : join literal (split_literal literal text) = text.
Proof.
  remember (length text) as n eqn:L. revert text L. induction n as [n IH] using lt_wf_ind.
  intros text ->. rewrite split_literal_step. destruct (partition literal text) as [[b a]|] eqn:E; auto.
  pose proof (partition_short _ _ _ E) as S. apply partition_some in E. destruct E as [E _].
  specialize (IH _ S a eq_refl). simpl. destruct (split_literal literal a) eqn:F.
  - destruct (split_literal_nonnil _ F).
  - rewrite IH. auto.
Qed.

(** Every occurrence is found: no part contains the literal. Speaks of [_special_tokens.SpecialTokens.cut]. *)
Theorem split_literal_absent text :
  Forall (fun part => forall p q, part <> p ++ literal ++ q) (split_literal literal text).
Proof.
  remember (length text) as n eqn:L. revert text L. induction n as [n IH] using lt_wf_ind.
  intros text ->. rewrite split_literal_step. destruct (partition literal text) as [[b a]|] eqn:E.
  - pose proof (partition_short _ _ _ E) as S. apply partition_some in E. destruct E as [E M].
    constructor; [|apply (IH _ S); reflexivity]. intros p q ->.
    rewrite E in M. specialize (M p (q ++ literal ++ a)).
    rewrite <- !app_assoc in M. specialize (M eq_refl). rewrite !app_length in M.
    pose proof literal_pos. lia.
  - constructor; [|constructor]. apply partition_none, E.
Qed.
End Literal.
