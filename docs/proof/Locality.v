(** How parts of a chunk are encoded.

    The main theorem is [encode_parts]: if every two adjacent parts of a chunk encode separately,
    all parts do. So a list of tokens is the encoding of its bytes if and only if each token encodes
    to itself and every two adjacent tokens encode to themselves. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders.
Import ListNotations.

(** Wherever the ids are cut, the bytes can be cut so that each part gives its ids. *)
Lemma passes_split ms : forall r l u v, passes r ms l = u ++ v ->
  exists s t, l = s ++ t /\ passes r ms s = u /\ passes r ms t = v.
Proof.
  induction ms as [|[a b] ms IH]; intros r l u v E; simpl in *.
  - exists u, v; auto.
  - destruct (IH _ _ _ _ E) as (s & t & Hl & Hs & Ht).
    destruct (merge_pass_split _ _ _ _ _ _ Hl) as (s' & t' & -> & Hs' & Ht').
    exists s', t'. rewrite Hs', Ht'. auto.
Qed.

(** If the result is a single id, and older than all these merges, it was there before them. *)
Lemma passes_single_low ms : forall r l t, t < tid r -> passes r ms l = [t] -> l = [t].
Proof.
  induction ms as [|[a b] q IH]; intros r l t H E; simpl in E; auto.
  apply IH in E; [|unfold tid in *; lia].
  apply merge_pass_single in E. unfold tid in *. destruct E as [[_ ?]|[? _]]; auto; lia.
Qed.

(** A single id stays as it is. *)
Lemma passes_alone ms : forall r t, passes r ms [t] = [t].
Proof. induction ms as [|[a b] q IH]; intros r t; simpl; auto. Qed.

(** Decompose-token: if the bytes of a token encode to it, the merges of lower ranks turn them into
    its two parts. Speaks of [oracle.encode_chunk]. *)
Theorem decompose_token ms r a b bytes :
  Forall byte bytes -> nth_error ms r = Some (a, b) ->
  passes 0 ms bytes = [tid r] -> passes 0 (firstn r ms) bytes = [a; b].
Proof.
  intros B K E. assert (R : r < length ms) by (apply nth_error_Some; congruence).
  rewrite (passes_cut (S r)) in E by lia. apply passes_single_low in E; [|unfold tid; lia].
  rewrite (passes_last r ms a b) in E by exact K.
  apply merge_pass_single in E. destruct E as [[N _]|[_ [E|E]]]; auto; [lia|].
  exfalso. pose proof (passes_bound (firstn r ms) 0 bytes B) as P.
  rewrite E, firstn_length_le in P by lia. inversion P; subst. unfold tid in *; lia.
Qed.

Section Parts.
Variables (ms : list (nat * nat)) (tok : nat -> list nat).
Hypothesis WF : wf_merges ms.
Hypothesis T : wf_tok ms tok.

Notation encode := (passes 0 ms).
Notation upto k := (passes 0 (firstn k ms)).

(** If two parts encode separately, they are also separate after every pass. *)
Lemma parts_upto k u v : k <= length ms -> Forall byte u -> Forall byte v ->
  encode (u ++ v) = encode u ++ encode v -> upto k (u ++ v) = upto k u ++ upto k v.
Proof.
  intros K Bu Bv E. rewrite (passes_cut k ms (u ++ v) K) in E.
  destruct (passes_split _ _ _ _ _ E) as (p & q & Hpq & Hp & _).
  destruct (passes_split _ _ _ _ _ Hpq) as (s & t & Hst & Hs & Ht).
  assert (s = u) as ->.
  { assert (Bs : Forall byte s /\ Forall byte t).
    { apply Forall_app. rewrite <- Hst. apply Forall_app; auto. }
    rewrite <- (passes_bytes ms tok s T), <- (passes_bytes ms tok u T) by tauto.
    rewrite (passes_cut k ms s K), Hs, Hp. reflexivity. }
  apply app_inv_head in Hst. subst t. congruence.
Qed.

Lemma encode_parts_upto ws : Forall (Forall byte) ws -> Forall (fun w => w <> []) ws ->
  neighbors (fun u v => encode (u ++ v) = encode u ++ encode v) ws ->
  forall k, k <= length ms -> upto k (concat ws) = concat (map (upto k) ws).
Proof.
  intros B N H. induction k as [|k IH]; intro K.
  - simpl. rewrite map_id; reflexivity.
  - destruct (nth_error ms k) as [[a b]|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (WF _ _ _ E) as [Ha _].
    rewrite (passes_last k ms a b) by exact E. rewrite IH by lia.
    rewrite merge_pass_concat; [| lia | |].
    + rewrite map_map. f_equal. apply map_ext. intro w. symmetry. apply passes_last, E.
    + apply Forall_map. eapply Forall_impl; [|exact N]. intros w Hw. apply passes_nonnil, Hw.
    + clear IH N. induction ws as [|u [|v ws] IHw]; simpl; auto.
      destruct H as [H H']. inversion B as [|? ? Bu B']; subst. split; [|apply IHw; auto].
      inversion B' as [|? ? Bv _]; subst.
      rewrite <- (parts_upto k u v), <- !(passes_last k ms a b) by (auto; lia).
      apply parts_upto; auto.
Qed.

(** If every two adjacent parts encode separately, all parts do. Speaks of [oracle.encode_chunk]. *)
Theorem encode_parts ws : Forall (Forall byte) ws -> Forall (fun w => w <> []) ws ->
  neighbors (fun u v => encode (u ++ v) = encode u ++ encode v) ws ->
  encode (concat ws) = concat (map encode ws).
Proof.
  intros B N H. pose proof (encode_parts_upto ws B N H (length ms) (le_n _)) as E.
  rewrite firstn_all in E. exact E.
Qed.

(** A token is its own encoding: its bytes encode to it. *)
Definition own (t : nat) : Prop := tok t <> [] /\ Forall byte (tok t) /\ encode (tok t) = [t].

(** Two tokens fit: their joined bytes encode to these two tokens. *)
Definition fit (t t' : nat) : Prop := encode (tok t ++ tok t') = [t; t'].

(** If each token encodes to itself and every two adjacent tokens fit, the tokens are the encoding
    of their bytes. So any way to find such tokens is an encoder. *)
Theorem fit_encodes ts : Forall own ts -> neighbors fit ts -> encode (bytes_of tok ts) = ts.
Proof.
  intros O F. unfold bytes_of. rewrite flat_map_concat_map, encode_parts.
  - clear F. induction O as [|t ts (_ & _ & E) _ IH]; simpl in *; auto. rewrite E, IH; reflexivity.
  - apply Forall_map. eapply Forall_impl; [|exact O]. intros t (_ & B & _); exact B.
  - apply Forall_map. eapply Forall_impl; [|exact O]. intros t (N & _); exact N.
  - induction ts as [|t [|t' ts] IH]; simpl; auto. inversion O as [|? ? Ot O']; subst.
    destruct F as [F F']. split; [|apply IH; auto]. inversion O' as [|? ? Ot' _]; subst.
    destruct Ot as (_ & _ & ->), Ot' as (_ & _ & ->). exact F.
Qed.

(** Each part of an encoding is the encoding of its own bytes. Speaks of [oracle.encode_chunk]. *)
Theorem encode_factor l u v w : Forall byte l -> encode l = u ++ v ++ w ->
  encode (bytes_of tok v) = v.
Proof.
  intros B E. destruct (passes_split _ _ _ _ _ E) as (p & q & -> & _ & E').
  destruct (passes_split _ _ _ _ _ E') as (s & t & -> & Hs & _).
  apply Forall_app in B. destruct B as [_ B]. apply Forall_app in B. destruct B as [B _].
  rewrite <- Hs at 1. rewrite (passes_bytes ms tok); auto.
Qed.

(** Conversely, every two adjacent tokens of an encoding fit. Speaks of [oracle.encode_chunk]. *)
Theorem encoding_fits l : Forall byte l -> neighbors fit (encode l).
Proof.
  intro B. assert (G : forall v u, encode l = u ++ v -> neighbors fit v).
  { induction v as [|t [|t' v] IH]; intros u E; simpl; auto. split.
    - pose proof (encode_factor l u [t; t'] v B E) as F.
      unfold bytes_of in F. simpl in F. rewrite app_nil_r in F. exact F.
    - apply (IH (u ++ [t])). rewrite <- app_assoc. exact E. }
  apply (G _ []); reflexivity.
Qed.

(** Each token of an encoding encodes to itself. Speaks of [oracle.encode_chunk]. *)
Theorem encoding_owns l : Forall byte l -> Forall (fun t => encode (tok t) = [t]) (encode l).
Proof.
  intro B. apply Forall_forall. intros t I. apply in_split in I. destruct I as (u & v & E).
  pose proof (encode_factor l u [t] v B E) as F.
  unfold bytes_of in F. simpl in F. rewrite app_nil_r in F. exact F.
Qed.
End Parts.
