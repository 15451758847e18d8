(** Strict UTF-8: from code points to bytes, and back if the bytes are valid.

    [utf8s] is Python's [text.encode("utf-8")], and [decode_utf8] is
    [data.decode("utf-8", errors="strict")]. The arithmetic divides by 64 step by step, to avoid
    writing large numbers in unary. *)
From Coq Require Import List Arith Lia Bool ZArith ZifyNat.
From Bpetite Require Import Encoders.
Import ListNotations.
Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.

(** Below 0x110000 = 17 * 65,536, and not a surrogate: 27 * 2048 to 28 * 2048 - 1. *)
Definition scalar (n : nat) : bool := (n / 64 / 64 / 16 <? 17) && negb (n / 64 / 32 =? 27).

Definition utf8 (n : nat) : list nat :=
  if n <? 128 then [n]
  else if n / 64 <? 32 then [192 + n / 64; 128 + n mod 64]
  else if n / 64 / 64 <? 16 then [224 + n / 64 / 64; 128 + (n / 64) mod 64; 128 + n mod 64]
  else [240 + n / 64 / 64 / 64; 128 + (n / 64 / 64) mod 64; 128 + (n / 64) mod 64; 128 + n mod 64].

Definition utf8s (text : list nat) : list nat := flat_map utf8 text.

(** The number of bytes of a character, by its first byte; 0 if no character starts with it. *)
Definition width (b : nat) : nat :=
  if b <? 128 then 1 else if b <? 192 then 0 else if b <? 224 then 2
  else if b <? 240 then 3 else if b <? 248 then 4 else 0.

Definition code (w : list nat) : nat :=
  match w with
  | [a] => a
  | [a; b] => (a - 192) * 64 + (b - 128)
  | [a; b; c] => ((a - 224) * 64 + (b - 128)) * 64 + (c - 128)
  | [a; b; c; d] => (((a - 240) * 64 + (b - 128)) * 64 + (c - 128)) * 64 + (d - 128)
  | _ => 0
  end.

Fixpoint list_eqb (u v : list nat) : bool :=
  match u, v with
  | [], [] => true
  | x :: u', y :: v' => (x =? y) && list_eqb u' v'
  | _, _ => false
  end.

(** Accept only the UTF-8 of scalar values, which is unique. *)
Fixpoint decode_utf8_fuel (fuel : nat) (bytes : list nat) : option (list nat) :=
  match bytes with
  | [] => Some []
  | b :: _ =>
      match fuel with
      | 0 => None
      | S f =>
          let w := firstn (width b) bytes in
          let n := code w in
          if scalar n && list_eqb (utf8 n) w
          then match decode_utf8_fuel f (skipn (width b) bytes) with
               | Some text => Some (n :: text)
               | None => None
               end
          else None
      end
  end.
Definition decode_utf8 (bytes : list nat) : option (list nat) :=
  decode_utf8_fuel (length bytes) bytes.

Lemma list_eqb_eq u : forall v, list_eqb u v = true <-> u = v.
Proof.
  induction u as [|x u IH]; intros [|y v]; simpl; split; intro H; try discriminate; auto.
  - apply andb_prop in H. destruct H as [H1 H2]. apply Nat.eqb_eq in H1. apply IH in H2. congruence.
  - injection H as -> ->. rewrite Nat.eqb_refl. apply IH; reflexivity.
Qed.

Lemma scalar_bound n : scalar n = true -> n / 64 / 64 / 64 < 5.
Proof.
  unfold scalar. rewrite andb_true_iff, Nat.ltb_lt. intros [H _].
  replace (n / 64 / 64 / 64) with (n / 64 / 64 / 16 / 4) by (rewrite Nat.div_div by lia; reflexivity).
  lia.
Qed.

Ltac utf8_cases n :=
  unfold utf8; destruct (Nat.ltb_spec n 128);
  [|destruct (Nat.ltb_spec (n / 64) 32); [|destruct (Nat.ltb_spec (n / 64 / 64) 16)]].

Lemma utf8_nonnil n : utf8 n <> [].
Proof. utf8_cases n; discriminate. Qed.

(** UTF-8 consists of bytes. *)
Lemma utf8_bytes n : scalar n = true -> Forall byte (utf8 n).
Proof.
  intro S. apply scalar_bound in S. unfold byte.
  utf8_cases n; repeat (apply Forall_cons || apply Forall_nil); lia.
Qed.

(** A byte below 128 is that character itself, never a part of another. *)
Lemma utf8_ascii n b : In b (utf8 n) -> b < 128 -> n = b.
Proof. utf8_cases n; simpl; lia. Qed.

Lemma code_utf8 n : code (utf8 n) = n.
Proof. utf8_cases n; cbn [code]; lia. Qed.

Lemma width_utf8 n : scalar n = true -> width (hd 0 (utf8 n)) = length (utf8 n).
Proof.
  intro S. apply scalar_bound in S. unfold width.
  utf8_cases n; cbn [hd length];
    remember (n / 64) as p eqn:P; clear P; remember (p / 64) as q eqn:P; clear P;
    remember (q / 64) as r eqn:P; clear P;
    repeat match goal with |- context [?x <? ?y] => destruct (Nat.ltb_spec x y) end; lia.
Qed.

Lemma decode_utf8_fuel_step f n rest : scalar n = true ->
  decode_utf8_fuel (S f) (utf8 n ++ rest) =
  match decode_utf8_fuel f rest with Some text => Some (n :: text) | None => None end.
Proof.
  intro Sc. pose proof (width_utf8 n Sc) as K. pose proof (code_utf8 n) as D.
  destruct (utf8 n) as [|b w] eqn:E; [destruct (utf8_nonnil _ E)|].
  cbn [app decode_utf8_fuel]. change (hd 0 (b :: w)) with b in K.
  change (b :: w ++ rest) with ((b :: w) ++ rest).
  rewrite K, firstn_app, firstn_all, skipn_app, skipn_all, Nat.sub_diag.
  cbn [firstn skipn app]. rewrite app_nil_r, D, Sc, ?E.
  assert (Q : list_eqb (b :: w) (b :: w) = true) by (apply list_eqb_eq; reflexivity).
  rewrite ?Q. reflexivity.
Qed.

Lemma decode_utf8_fuel_complete text : Forall (fun n => scalar n = true) text ->
  forall fuel, length (utf8s text) <= fuel -> decode_utf8_fuel fuel (utf8s text) = Some text.
Proof.
  induction 1 as [|n text Sc _ IH]; intros fuel L.
  - destruct fuel; reflexivity.
  - change (utf8s (n :: text)) with (utf8 n ++ utf8s text) in *. rewrite app_length in L.
    assert (1 <= length (utf8 n)).
    { destruct (utf8 n) eqn:E; [destruct (utf8_nonnil _ E)|cbn [length]; apply le_n_S, Nat.le_0_l]. }
    destruct fuel as [|f]; [lia|]. rewrite decode_utf8_fuel_step, IH by (auto; lia). reflexivity.
Qed.

(** The UTF-8 of any text decodes to the text. Speaks of [str.encode] and [bytes.decode]. *)
Theorem decode_utf8_complete text : Forall (fun n => scalar n = true) text ->
  decode_utf8 (utf8s text) = Some text.
Proof. intro S. apply decode_utf8_fuel_complete; auto. Qed.

(** Bytes that decode to a text are its UTF-8. Speaks of [str.encode] and [bytes.decode]. *)
Theorem decode_utf8_sound bytes text : decode_utf8 bytes = Some text ->
  utf8s text = bytes /\ Forall (fun n => scalar n = true) text.
Proof.
  unfold decode_utf8. generalize (length bytes). intro fuel. revert bytes text.
  induction fuel as [|f IH]; intros [|b bytes] text E; cbn [decode_utf8_fuel] in E;
    try (injection E as <-; split; [reflexivity|constructor]); [discriminate|].
  set (k := width b) in *. set (w := firstn k (b :: bytes)) in *.
  destruct (scalar (code w) && list_eqb (utf8 (code w)) w) eqn:C; [|discriminate].
  apply andb_prop in C. destruct C as [S Q]. apply list_eqb_eq in Q.
  destruct (decode_utf8_fuel f (skipn k (b :: bytes))) as [rest|] eqn:R; [|discriminate].
  injection E as <-. destruct (IH _ _ R) as [I1 I2]. split; [|constructor; auto].
  change (utf8s (code w :: rest)) with (utf8 (code w) ++ utf8s rest).
  rewrite Q, I1. apply firstn_skipn.
Qed.

Lemma utf8s_app u v : utf8s (u ++ v) = utf8s u ++ utf8s v.
Proof. apply flat_map_app. Qed.

Lemma utf8s_bytes text : Forall (fun n => scalar n = true) text -> Forall byte (utf8s text).
Proof.
  induction 1 as [|n text S _ IH]; simpl; [constructor|]. apply Forall_app; auto using utf8_bytes.
Qed.

Lemma utf8s_cons n text : utf8s (n :: text) = utf8 n ++ utf8s text.
Proof. reflexivity. Qed.

Lemma utf8_one n : n < 128 -> utf8 n = [n].
Proof. intro H. unfold utf8. apply Nat.ltb_lt in H. rewrite H. reflexivity. Qed.

(** Two adjacent bytes below 128 are two adjacent characters. *)
Lemma utf8s_adjacent text : forall a x w b, utf8s text = a ++ x :: w :: b -> x < 128 -> w < 128 ->
  exists p q, text = p ++ x :: w :: q.
Proof.
  induction text as [|n text IH]; intros a x w b E X W; [destruct a; discriminate|].
  rewrite utf8s_cons in E. apply app_eq_app in E. destruct E as [[|y l] [[E F]|[E F]]];
    try (destruct (IH _ x w b F X W) as (p & q & ->); exists (n :: p), q; reflexivity).
  - destruct (IH [] x w b (eq_sym F) X W) as (p & q & ->). exists (n :: p), q. reflexivity.
  - injection F as <- F. assert (n = x) as -> by (apply utf8_ascii; [rewrite E; apply in_elt|exact X]).
    rewrite utf8_one in E by exact X.
    destruct a as [|? [|? ?]]; [|destruct l; discriminate|discriminate]. injection E as <-.
    destruct text as [|m text]; [discriminate|]. rewrite utf8s_cons in F.
    pose proof (utf8_nonnil m) as Z. destruct (utf8 m) as [|c u] eqn:M; [congruence|].
    injection F as <- F. assert (m = w) as -> by (apply utf8_ascii; [rewrite M; left; reflexivity|exact W]).
    exists [], text. reflexivity.
Qed.
