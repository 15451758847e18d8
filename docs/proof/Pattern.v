(** The split pattern, for all of Unicode, and where a text may be cut.

    Characters are code points. The character classes of the pattern are parameters: any [letter],
    [number] and [space] that satisfy [classes]. It assumes only that whitespace is neither a letter
    nor a number, and the classes of a few characters of ASCII. So the theorems apply to every
    version of Unicode.

    [gpt2] is [_constants.py: PRETOKENIZER_PATTERN], [split_gpt2] is [_patterns.py: Pattern.split],
    [pieces] is [_patterns.py: Pattern.pieces], [blocks] is [_boundaries.py: blocks]. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

(** * Splitting, given the length of the next chunk *)

Section Generic.
Variable next : list nat -> nat.

Fixpoint chunks (fuel : nat) (s : list nat) : list (list nat) :=
  match s with
  | [] => []
  | _ :: _ =>
      match fuel with
      | 0 => [s]
      | S f => let k := Nat.max 1 (next s) in firstn k s :: chunks f (skipn k s)
      end
  end.
Definition split (s : list nat) : list (list nat) := chunks (length s) s.

Lemma chunks_join fuel : forall s, concat (chunks fuel s) = s.
Proof.
  induction fuel as [|f IH]; intros [|x s]; try reflexivity.
  - simpl. rewrite app_nil_r; reflexivity.
  - change (concat (chunks (S f) (x :: s))) with
      (firstn (Nat.max 1 (next (x :: s))) (x :: s) ++
       concat (chunks f (skipn (Nat.max 1 (next (x :: s))) (x :: s)))).
    rewrite IH. apply firstn_skipn.
Qed.

(** The chunks join to the text, whatever [next] is. *)
Lemma split_join s : concat (split s) = s.
Proof. apply chunks_join. Qed.

Lemma chunks_nonempty fuel : forall s, Forall (fun c => c <> []) (chunks fuel s).
Proof.
  induction fuel as [|f IH]; intros [|x s]; simpl; constructor; auto; try discriminate.
  destruct (next (x :: s)); discriminate.
Qed.

Lemma chunks_step f x t :
  chunks (S f) (x :: t) =
  firstn (Nat.max 1 (next (x :: t))) (x :: t) :: chunks f (skipn (Nat.max 1 (next (x :: t))) (x :: t)).
Proof. reflexivity. Qed.

Lemma chunks_fuel f1 : forall f2 s, length s <= f1 -> length s <= f2 -> chunks f1 s = chunks f2 s.
Proof.
  induction f1 as [|f1 IH]; intros f2 [|x s] H1 H2; simpl in H1; try lia; try (destruct f2; reflexivity).
  destruct f2 as [|f2]; [simpl in H2; lia|]. cbn [chunks].
  f_equal. apply IH; rewrite skipn_length; cbn [length] in *; lia.
Qed.

Lemma split_step x t : split (x :: t) =
  firstn (Nat.max 1 (next (x :: t))) (x :: t) :: split (skipn (Nat.max 1 (next (x :: t))) (x :: t)).
Proof.
  unfold split. cbn [length]. rewrite chunks_step. f_equal.
  apply chunks_fuel; rewrite ?skipn_length; cbn [length]; lia.
Qed.

Definition suffix (t s : list nat) : Prop := exists p, s = p ++ t.

(** A position that [next] never looks past or reaches past is always between two chunks. *)
Lemma split_app s1 s2 :
  (forall t, suffix t s1 -> t <> [] -> next (t ++ s2) = next t /\ next t <= length t) ->
  split (s1 ++ s2) = split s1 ++ split s2.
Proof.
  unfold split. intro H.
  assert (G : forall f t, suffix t s1 -> length (t ++ s2) <= f ->
              chunks f (t ++ s2) = chunks f t ++ chunks f s2).
  { induction f as [|f IH]; intros t S L.
    - destruct t; [reflexivity|simpl in L; lia].
    - destruct t as [|x t]; [reflexivity|].
      destruct (H (x :: t) S ltac:(discriminate)) as [E B].
      change ((x :: t) ++ s2) with (x :: (t ++ s2)) in *. rewrite !chunks_step.
      rewrite E. set (k := Nat.max 1 (next (x :: t))).
      assert (K : k <= length (x :: t)) by (unfold k; cbn [length] in *; lia).
      assert (K1 : 1 <= k) by (unfold k; lia).
      change (x :: (t ++ s2)) with ((x :: t) ++ s2).
      rewrite firstn_app, skipn_app.
      replace (k - length (x :: t)) with 0 by lia.
      change (firstn 0 s2) with (@nil nat). change (skipn 0 s2) with s2.
      rewrite app_nil_r. cbn [app]. f_equal.
      rewrite IH.
      + f_equal. apply chunks_fuel; cbn [length] in L; rewrite app_length in L; lia.
      + destruct S as [p ->]. exists (p ++ firstn k (x :: t)).
        rewrite <- app_assoc, firstn_skipn. reflexivity.
      + rewrite app_length, skipn_length. cbn [length] in *. rewrite app_length in L. lia. }
  rewrite G; [|exists []; reflexivity|lia].
  f_equal; apply chunks_fuel; rewrite ?app_length; lia.
Qed.
End Generic.

(** The number of characters at the start of a text that are in a class. *)
Fixpoint run (p : nat -> bool) (l : list nat) : nat :=
  match l with x :: t => if p x then S (run p t) else 0 | [] => 0 end.

(** * Patterns, and a backtracking matcher *)

Inductive pattern :=
  | One (p : nat -> bool)         (** one character of a class *)
  | Plus (p : nat -> bool)        (** [p+]: as many as possible, or fewer *)
  | Opt (e : pattern)             (** [e?]: once, or not at all *)
  | Seq (e f : pattern)           (** [ef] *)
  | Alt (e f : pattern)           (** [e|f]: the first that matches *)
  | NotBefore (p : nat -> bool).  (** [(?!p)] *)

(** The lengths of all matches at the start of a text, in the order that a backtracking matcher
    tries them. It takes the first. *)
Fixpoint matches (e : pattern) (s : list nat) : list nat :=
  match e with
  | One p => match s with x :: _ => if p x then [1] else [] | [] => [] end
  | Plus p => rev (seq 1 (run p s))
  | Opt e => matches e s ++ [0]
  | Seq e f => flat_map (fun k => map (Nat.add k) (matches f (skipn k s))) (matches e s)
  | Alt e f => matches e s ++ matches f s
  | NotBefore p => match s with x :: _ => if p x then [] else [0] | [] => [0] end
  end.
Definition first_match (e : pattern) (s : list nat) : nat := hd 0 (matches e s).

(** * The GPT-2 pattern *)

Definition is (c : nat) (x : nat) : bool := x =? c.
Definition apostrophe : nat := 39.
(** [[sdmt]] *)
Definition sdmt (x : nat) : bool := (x =? 115) || (x =? 100) || (x =? 109) || (x =? 116).
(** [[A-Za-z]], [[0-9]], [[\r\n]] *)
Definition is_letter (x : nat) : bool := ((65 <=? x) && (x <=? 90)) || ((97 <=? x) && (x <=? 122)).
Definition is_digit (x : nat) : bool := (48 <=? x) && (x <=? 57).
Definition is_newline (x : nat) : bool := (x =? 10) || (x =? 13).
(** ASCII punctuation other than the apostrophe *)
Definition is_mark (x : nat) : bool :=
  (33 <=? x) && (x <=? 126) && negb (is_letter x || is_digit x || (x =? apostrophe)).

(** It has an ASCII letter or digit directly before ASCII punctuation, except for the apostrophe. *)
Definition broken (s : list nat) : Prop := exists p x w q,
  s = p ++ x :: w :: q /\ is_letter x || is_digit x = true /\ is_mark w = true.

Lemma broken_ascii x w : is_letter x || is_digit x = true -> is_mark w = true -> x < 128 /\ w < 128.
Proof.
  unfold is_mark, is_letter, is_digit. rewrite !andb_true_iff, !orb_true_iff, !andb_true_iff, !Nat.leb_le. lia.
Qed.

Section Classes.
Variables letter number space : nat -> bool.

(** [[^\s\p{L}\p{N}]] *)
Definition other (x : nat) : bool := negb (letter x || number x || space x).

(** ['(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+] *)
Definition gpt2 : pattern :=
  Alt (Seq (One (is apostrophe))
        (Alt (One sdmt)
          (Alt (Seq (One (is 108)) (One (is 108)))
            (Alt (Seq (One (is 118)) (One (is 101))) (Seq (One (is 114)) (One (is 101)))))))
  (Alt (Seq (Opt (One (is 32))) (Plus letter))
  (Alt (Seq (Opt (One (is 32))) (Plus number))
  (Alt (Seq (Opt (One (is 32))) (Plus other))
  (Alt (Seq (Plus space) (NotBefore (fun x => negb (space x))))
       (Plus space))))).

(** ** The pattern without backtracking *)

Definition contraction (s : list nat) : nat :=
  match s with
  | x :: y :: t =>
      if x =? apostrophe then
        if sdmt y then 2
        else match t with
             | z :: _ =>
                 if ((y =? 108) && (z =? 108)) || ((y =? 118) && (z =? 101))
                    || ((y =? 114) && (z =? 101))
                 then 3 else 0
             | [] => 0
             end
      else 0
  | _ => 0
  end.

Definition sp_run (p : nat -> bool) (s : list nat) : nat :=
  match s with
  | x :: t => if (x =? 32) && (0 <? run p t) then S (run p t) else run p s
  | [] => 0
  end.

Definition ws_run (s : list nat) : nat :=
  let n := run space s in
  match skipn n s with
  | [] => n
  | _ :: _ => if 2 <=? n then n - 1 else n
  end.

Definition orelse (a b : nat) : nat := match a with 0 => b | S _ => a end.

(** The length of the first chunk of a text. *)
Definition next_gpt2 (s : list nat) : nat :=
  orelse (contraction s)
    (orelse (sp_run letter s)
      (orelse (sp_run number s)
        (orelse (sp_run other s) (ws_run s)))).

Definition split_gpt2 (s : list nat) : list (list nat) := split next_gpt2 s.

(** The pre-tokenizer partitions its input: it drops, adds and moves nothing. Speaks of
    [_pretokenizer.pretokenize] and [oracle.chunks_of]. *)
Theorem split_gpt2_join s : concat (split_gpt2 s) = s.
Proof. apply split_join. Qed.

(** The assumptions about the classes. *)
Record classes : Prop := {
  letter_not_space : forall x, letter x = true -> space x = false;
  number_not_space : forall x, number x = true -> space x = false;
  ascii_letters : forall x, is_letter x = true -> letter x = true;
  ascii_digits : forall x, is_digit x = true -> number x = true;
  ascii_space : space 10 = true /\ space 13 = true /\ space 32 = true;
  apostrophe_not_space : space apostrophe = false;
  ascii_marks : forall x, is_mark x = true -> letter x = false /\ number x = false /\ space x = false }.

Lemma run_len p l : run p l <= length l.
Proof. induction l as [|x t IH]; simpl; auto. destruct (p x); lia. Qed.

Lemma hd_seq n : hd 0 (rev (seq 1 n)) = n.
Proof. destruct n as [|n]; [reflexivity|]. rewrite seq_S, rev_app_distr. simpl. reflexivity. Qed.

Lemma hd_app (l l' : list nat) : (forall x, In x l -> x <> 0) -> hd 0 (l ++ l') = orelse (hd 0 l) (hd 0 l').
Proof.
  destruct l as [|x l]; simpl; auto. intro H. destruct x; [|reflexivity]. destruct (H 0); auto.
Qed.

Lemma in_matches_plus p s x : In x (matches (Plus p) s) -> 1 <= x <= run p s.
Proof. simpl. rewrite <- in_rev, in_seq. lia. Qed.

Lemma sp_run_matches p s :
  first_match (Seq (Opt (One (is 32))) (Plus p)) s = sp_run p s /\
  (forall x, In x (matches (Seq (Opt (One (is 32))) (Plus p)) s) -> x <> 0).
Proof.
  unfold first_match. cbn [matches]. destruct s as [|x t]; [split; [reflexivity|intros ? []]|].
  unfold is, sp_run. rewrite flat_map_app. cbn [flat_map]. rewrite app_nil_r. cbn [skipn].
  rewrite (map_ext (Nat.add 0) (fun n => n)), map_id by reflexivity.
  destruct (Nat.eqb_spec x 32) as [->|N]; cbn [flat_map app andb]; rewrite ?app_nil_r.
  - split.
    + rewrite hd_app.
      * rewrite hd_seq. cbn [skipn]. destruct (run p t) as [|n] eqn:E.
        { reflexivity. }
        rewrite seq_S, rev_app_distr. simpl. reflexivity.
      * intros y I. apply in_map_iff in I. destruct I as (z & <- & _). lia.
    + intros y I. apply in_app_or in I. destruct I as [I|I].
      * apply in_map_iff in I. destruct I as (z & <- & _). lia.
      * apply in_rev, in_seq in I. lia.
  - split; [apply hd_seq|]. intros y I. apply in_rev, in_seq in I. lia.
Qed.

Lemma contraction_matches s (e := Seq (One (is apostrophe))
        (Alt (One sdmt)
          (Alt (Seq (One (is 108)) (One (is 108)))
            (Alt (Seq (One (is 118)) (One (is 101))) (Seq (One (is 114)) (One (is 101))))))) :
  first_match e s = contraction s /\ (forall x, In x (matches e s) -> x <> 0).
Proof.
  unfold first_match, e, is. cbn [matches]. destruct s as [|x t]; [split; [reflexivity|intros ? []]|].
  destruct (Nat.eqb_spec x apostrophe) as [->|N];
    [|split; [destruct t; simpl; [|destruct (Nat.eqb_spec x apostrophe)]; congruence|intros ? []]].
  split.
  - cbn [flat_map skipn]. rewrite app_nil_r. destruct t as [|y t]; [reflexivity|].
    unfold contraction. rewrite Nat.eqb_refl. destruct (sdmt y) eqn:M; [reflexivity|].
    cbn [app skipn]. destruct t as [|z t].
    + destruct (y =? 108), (y =? 118), (y =? 114); reflexivity.
    + destruct (y =? 108) eqn:E1, (z =? 108) eqn:E2, (y =? 118) eqn:E3, (z =? 101) eqn:E4,
        (y =? 114) eqn:E5; simpl; rewrite ?E2, ?E4; reflexivity.
  - intros y I. cbn [flat_map] in I. rewrite app_nil_r in I.
    apply in_map_iff in I. destruct I as (z & <- & _). lia.
Qed.

Lemma skipn_run_not p s x q : skipn (run p s) s = x :: q -> p x = false.
Proof.
  induction s as [|y s IH]; simpl; [discriminate|].
  destruct (p y) eqn:E; [exact IH|]. simpl. congruence.
Qed.

Lemma skipn_run_in p s : forall k, k < run p s -> exists x q, skipn k s = x :: q /\ p x = true.
Proof.
  induction s as [|y s IH]; intros k H; simpl in H; [lia|].
  destruct (p y) eqn:E; [|lia]. destruct k as [|k]; [exists y, s; auto|]. apply IH. lia.
Qed.

Lemma ws_run_matches s (e := Seq (Plus space) (NotBefore (fun x => negb (space x)))) :
  orelse (first_match e s) (first_match (Plus space) s) = ws_run s /\
  (forall x, In x (matches e s) -> x <> 0).
Proof.
  unfold first_match, e. cbn [matches]. rewrite hd_seq. unfold ws_run. split.
  - destruct (run space s) as [|n] eqn:E; [destruct (skipn 0 s); reflexivity|].
    rewrite seq_S, rev_app_distr. cbn [rev app flat_map Nat.add].
    destruct (skipn (S n) s) as [|x q] eqn:K.
    + simpl. rewrite Nat.add_0_r. reflexivity.
    + rewrite (skipn_run_not space s x q) by (rewrite E; exact K).
      cbn [negb map app]. destruct n as [|n]; [reflexivity|].
      rewrite seq_S, rev_app_distr. cbn [rev app flat_map Nat.add].
      destruct (skipn_run_in space s (S n)) as (y & q' & -> & ->); [lia|].
      simpl. rewrite Nat.add_0_r. reflexivity.
  - intros x I. apply in_flat_map in I. destruct I as (k & I & J).
    apply in_rev, in_seq in I. apply in_map_iff in J. destruct J as (j & <- & _). lia.
Qed.

(** [next_gpt2] finds the first match of the pattern, as a backtracking matcher does. Speaks of
    [_patterns.Pattern.split]. *)
Theorem next_gpt2_pattern s : next_gpt2 s = first_match gpt2 s.
Proof.
  unfold first_match, gpt2, next_gpt2.
  destruct (contraction_matches s) as [C C0].
  destruct (sp_run_matches letter s) as [L L0].
  destruct (sp_run_matches number s) as [N N0].
  destruct (sp_run_matches other s) as [O O0].
  destruct (ws_run_matches s) as [W W0].
  unfold first_match in *.
  assert (A : forall e f, matches (Alt e f) s = matches e s ++ matches f s) by reflexivity.
  rewrite A, hd_app, C by assumption. rewrite A, hd_app, L by assumption.
  rewrite A, hd_app, N by assumption. rewrite A, hd_app, O by assumption.
  rewrite A, hd_app, <- W by assumption. reflexivity.
Qed.

(** ** Every character is in a chunk *)

Lemma orelse_pos a b : 1 <= a \/ 1 <= b -> 1 <= orelse a b.
Proof. destruct a; simpl; lia. Qed.

Lemma sp_run_pos p x t : p x = true -> 1 <= sp_run p (x :: t).
Proof. intro H. unfold sp_run. destruct (_ && _); [lia|]. simpl; rewrite H; lia. Qed.

Lemma ws_run_pos x t : space x = true -> 1 <= ws_run (x :: t).
Proof.
  intro H. unfold ws_run. assert (R : 1 <= run space (x :: t)) by (simpl run; rewrite H; lia).
  destruct (skipn _ _); [lia|]. destruct (Nat.leb_spec 2 (run space (x :: t))); lia.
Qed.

(** The pattern matches at every position, so [findall] skips nothing. Speaks of
    [_pretokenizer.pretokenize] and [oracle.chunks_of]. *)
Theorem next_gpt2_pos x t : 1 <= next_gpt2 (x :: t).
Proof.
  unfold next_gpt2.
  apply orelse_pos; right. apply orelse_pos.
  destruct (letter x) eqn:L; [left; apply sp_run_pos; exact L|right; apply orelse_pos].
  destruct (number x) eqn:D; [left; apply sp_run_pos; exact D|right; apply orelse_pos].
  destruct (space x) eqn:S; [right; apply ws_run_pos; exact S|left; apply sp_run_pos].
  unfold other; rewrite L, D, S; reflexivity.
Qed.

(** * Safe boundaries *)

Hypothesis C : classes.

Lemma run_app p t w s2 : p w = false -> run p (t ++ w :: s2) = run p t.
Proof. intro H; induction t as [|x t IH]; simpl; [rewrite H|rewrite IH]; reflexivity. Qed.

Lemma run_stop p t s2 : (exists x, In x t /\ p x = false) ->
  run p (t ++ s2) = run p t /\ run p t < length t.
Proof.
  intros (x & I & F); induction t as [|y t IH]; [destruct I|]. simpl.
  destruct (p y) eqn:E; [|lia]. destruct I as [->|I]; [congruence|].
  specialize (IH I). lia.
Qed.

Lemma newline_space x : is_newline x = true -> space x = true.
Proof.
  unfold is_newline. rewrite orb_true_iff, !Nat.eqb_eq. destruct (ascii_space C) as (N & R & _).
  intros [-> | ->]; assumption.
Qed.

(** Whitespace is not part of a contraction. *)
Lemma contraction_not w : space w = true ->
  forall c, In c [apostrophe; 115; 100; 109; 116; 108; 118; 101; 114] -> (w =? c) = false.
Proof.
  intros W c I. destruct (Nat.eqb_spec w c) as [->|]; [|reflexivity]. destruct I as [<-|I].
  - rewrite (apostrophe_not_space C) in W. discriminate.
  - rewrite (letter_not_space C c) in W; [discriminate|]. apply (ascii_letters C).
    simpl in I. repeat (destruct I as [<-|I]; [reflexivity|]). destruct I.
Qed.

Lemma contraction_app t w s2 : space w = true -> contraction (t ++ w :: s2) = contraction t.
Proof.
  intro W. pose proof (contraction_not w W) as N. destruct t as [|x [|y [|z t]]]; simpl.
  - destruct s2; [reflexivity|]. unfold apostrophe. rewrite N by (simpl; tauto). reflexivity.
  - unfold sdmt. rewrite !N by (simpl; tauto). cbn [orb andb]. destruct s2, (x =? _); reflexivity.
  - rewrite !N by (simpl; tauto). rewrite !andb_false_r. cbn [orb].
    destruct (x =? _), (sdmt y); reflexivity.
  - reflexivity.
Qed.

Lemma contraction_len l : contraction l <= length l.
Proof.
  destruct l as [|x [|y [|z t]]]; simpl; try lia;
    destruct (x =? apostrophe), (sdmt y); try lia; destruct (_ || _); lia.
Qed.

Lemma sp_run_app p t w s2 : p w = false -> t <> [] -> sp_run p (t ++ w :: s2) = sp_run p t.
Proof.
  intros H N. destruct t as [|x t]; [congruence|]. cbn [app sp_run].
  change (x :: t ++ w :: s2) with ((x :: t) ++ w :: s2).
  rewrite !run_app by assumption. reflexivity.
Qed.

Lemma sp_run_len p l : sp_run p l <= length l.
Proof.
  destruct l as [|x t]; simpl; auto. pose proof (run_len p t).
  destruct (_ && _); [lia|]. destruct (p x); lia.
Qed.

Lemma skipn_ne {A} n (l : list A) : n < length l -> exists x q, skipn n l = x :: q.
Proof.
  intro H. destruct (skipn n l) as [|x q] eqn:E; [|eauto].
  pose proof (skipn_length n l) as L; rewrite E in L; simpl in L; lia.
Qed.

Lemma ws_run_app t s2 : (exists x, In x t /\ space x = false) ->
  ws_run (t ++ s2) = ws_run t.
Proof.
  intro H. destruct (run_stop space t s2 H) as [E L]. unfold ws_run. rewrite E.
  destruct (skipn_ne (run space t) t L) as (x & q & ->).
  destruct (skipn_ne (run space t) (t ++ s2)) as (x' & q' & ->); [rewrite app_length; lia|reflexivity].
Qed.

Lemma ws_run_len l : ws_run l <= length l.
Proof.
  unfold ws_run. pose proof (run_len space l).
  destruct (skipn _ l); [lia|]. destruct (2 <=? run space l); lia.
Qed.

Lemma space_not w : space w = true -> letter w = false /\ number w = false /\ other w = false.
Proof.
  intro W. assert (letter w = false) as L.
  { destruct (letter w) eqn:E; auto. apply C in E. congruence. }
  assert (number w = false) as N.
  { destruct (number w) eqn:E; auto. apply C in E. congruence. }
  unfold other. rewrite L, N, W; auto.
Qed.

Lemma orelse_le a b n : a <= n -> b <= n -> orelse a b <= n.
Proof. destruct a; auto. Qed.

Lemma next_gpt2_len l : next_gpt2 l <= length l.
Proof.
  unfold next_gpt2.
  repeat apply orelse_le; auto using contraction_len, sp_run_len, ws_run_len.
Qed.

Lemma contraction_stop t x s2 : space x = true ->
  contraction ((t ++ [x]) ++ s2) = contraction (t ++ [x]).
Proof.
  intro X. pose proof (contraction_not x X) as E. destruct t as [|y [|z t]]; simpl.
  - destruct s2 as [|? [|? ?]]; try reflexivity; unfold apostrophe; rewrite E by (simpl; tauto); reflexivity.
  - unfold sdmt. rewrite !E by (simpl; tauto). cbn [orb andb]. destruct s2; reflexivity.
  - destruct t; reflexivity.
Qed.

Lemma sp_run_stop p t x s2 : p x = false -> x <> 32 ->
  sp_run p ((t ++ [x]) ++ s2) = sp_run p (t ++ [x]).
Proof.
  intros P X. apply Nat.eqb_neq in X. destruct t as [|y t]; cbn [app sp_run].
  - rewrite X. cbn [andb run]. rewrite P. reflexivity.
  - assert (I : exists z, In z (t ++ [x]) /\ p z = false).
    { exists x. split; [apply in_or_app; right; left; reflexivity|exact P]. }
    destruct (run_stop p (t ++ [x]) s2 I) as [-> _].
    cbn [run]. destruct (run_stop p (t ++ [x]) s2 I) as [-> _]. reflexivity.
Qed.

(** Where this pattern lets a text be cut: before whitespace that follows something else, and after
    a single whitespace character other than the space, if something else follows. *)
Definition safe (s1 s2 : list nat) : Prop :=
  match rev s1, s2 with
  | x :: p, w :: _ =>
      if space x
      then x <> 32 /\ space w = false /\ match p with y :: _ => space y = false | [] => True end
      else space w = true
  | _, _ => True
  end.

Lemma suffix_last t p (x : nat) : suffix t (p ++ [x]) -> t <> [] ->
  exists t', t = t' ++ [x] /\ suffix t' p.
Proof.
  intros [q Q] N. destruct (exists_last N) as (t' & z & ->).
  rewrite app_assoc in Q. apply app_inj_tail in Q. destruct Q as [-> <-].
  exists t'. split; [reflexivity|exists q; reflexivity].
Qed.

(** A text cut there has the chunks of its parts. *)
Theorem split_gpt2_app s1 s2 :
  safe s1 s2 -> split_gpt2 (s1 ++ s2) = split_gpt2 s1 ++ split_gpt2 s2.
Proof.
  unfold safe. intro H. destruct s2 as [|w s2].
  { rewrite app_nil_r. unfold split_gpt2, split. simpl. rewrite app_nil_r; reflexivity. }
  rewrite <- (rev_involutive s1). destruct (rev s1) as [|x p]; [reflexivity|]. cbn [rev].
  apply split_app. intros t T N. split; [|apply next_gpt2_len].
  destruct (suffix_last _ _ _ T N) as (t' & -> & T'). clear T N. unfold next_gpt2.
  destruct (space x) eqn:X.
  - destruct H as (X32 & W & Y), (space_not x X) as (A & B & D).
    rewrite contraction_stop, !sp_run_stop by assumption.
    replace (ws_run ((t' ++ [x]) ++ w :: s2)) with (ws_run (t' ++ [x])); [reflexivity|].
    destruct t' as [|z t']; [unfold ws_run; simpl; rewrite X, W; reflexivity|].
    symmetry. apply ws_run_app. destruct p as [|y p].
    + destruct T' as [q Q]. destruct q; discriminate.
    + cbn [rev] in T'. destruct (suffix_last _ _ _ T' ltac:(discriminate)) as (t & -> & _).
      exists y. split; [|exact Y]. rewrite !in_app_iff. simpl. tauto.
  - destruct (space_not w H) as (A & B & D).
    assert (N : t' ++ [x] <> []) by (destruct t'; discriminate).
    rewrite contraction_app, (sp_run_app letter), (sp_run_app number), (sp_run_app other), ws_run_app by
      (assumption || exists x; auto using in_elt). reflexivity.
Qed.

(** At such a position, the pattern cuts wherever the text begins and ends. *)
Lemma safe_inside a p q b : safe (a ++ p) (q ++ b) -> safe p q.
Proof.
  unfold safe. rewrite rev_app_distr. destruct (rev p) as [|x [|y r]]; [auto| |]; destruct q as [|w q]; auto;
    cbn [app]; destruct (space x); tauto.
Qed.

(** Such a position is between whitespace and another character. *)
Lemma safe_space s x w t : safe (s ++ [x]) (w :: t) -> space x <> space w.
Proof. unfold safe. rewrite rev_unit. destruct (space x), (space w); intuition congruence. Qed.

(** Parts of a text that is cut at safe boundaries. *)
Fixpoint safe_parts (ss : list (list nat)) : Prop :=
  match ss with
  | [] => True
  | s :: t => safe s (concat t) /\ safe_parts t
  end.

(** The same for any number of parts. Speaks of [_boundaries.cut_safely]. *)
Theorem split_parts ss : safe_parts ss -> flat_map split_gpt2 ss = split_gpt2 (concat ss).
Proof.
  induction ss as [|s ss IH]; [reflexivity|]. cbn [flat_map concat safe_parts]. intros [H T].
  rewrite split_gpt2_app, IH by assumption. reflexivity.
Qed.

(** ** The safe boundary of all patterns *)

(** [\s] in Python's [re]: whitespace, and U+001C to U+001F. *)
Definition blank (x : nat) : bool := space x || ((28 <=? x) && (x <=? 31)).

(** [_boundaries.py: _BOUNDARY], before the character [w]. [before] is the text before it, backwards. *)
Definition boundary (before : list nat) (w : nat) : bool :=
  match before with
  | [] => false
  | x :: p =>
      (negb (blank x) && (space w && negb (is_newline w)))
      || ((is_letter x || is_digit x) && is_newline w)
      || (is_newline x && match p with y :: _ => negb (blank y) | [] => false end
          && negb (blank w || (w =? 47)))
  end.

(** It is safe for this pattern, wherever the text begins. Speaks of [_boundaries.cut_safely]. *)
Theorem boundary_safe s1 earlier w s2 : boundary (rev s1 ++ earlier) w = true -> safe s1 (w :: s2).
Proof.
  unfold safe. destruct (rev s1) as [|x p]; [auto|]. cbn [app boundary].
  assert (B : forall c, blank c = false -> space c = false).
  { unfold blank. intro c. rewrite orb_false_iff. tauto. }
  rewrite !orb_true_iff, !andb_true_iff, !negb_true_iff, !orb_false_iff.
  intros [[(X & W & _)|(X & W)]|((X & Y) & W & _)].
  - rewrite (B x X). exact W.
  - assert (S : space x = false).
    { apply orb_true_iff in X. destruct X as [X|X]; [apply C, C, X|].
      apply (number_not_space C), (ascii_digits C), X. }
    rewrite S. apply newline_space, W.
  - rewrite (newline_space x X). split; [intros ->; discriminate|]. split; [apply B, W|].
    destruct p as [|y p]; [exact I|]. apply negb_true_iff in Y. apply B, Y.
Qed.

(** [_boundaries.py: blocks]: each ends at the first boundary after [size] characters. *)
Fixpoint blocks_from (size : nat) (before block s : list nat) : list (list nat) :=
  match s with
  | [] => [rev block]
  | w :: t =>
      if (size <=? length block) && boundary before w
      then rev block :: blocks_from size (w :: before) [w] t
      else blocks_from size (w :: before) (w :: block) t
  end.
Definition blocks (size : nat) (s : list nat) : list (list nat) :=
  match s with [] => [] | x :: t => blocks_from size [x] [x] t end.

Lemma blocks_from_join size s : forall before block,
  concat (blocks_from size before block s) = rev block ++ s.
Proof.
  induction s as [|w t IH]; intros before block; cbn [blocks_from]; [reflexivity|].
  destruct (_ && _); cbn [concat]; rewrite IH; cbn [rev]; rewrite <- ?app_assoc; reflexivity.
Qed.

Lemma blocks_from_safe size s : forall block earlier,
  safe_parts (blocks_from size (block ++ earlier) block s).
Proof.
  induction s as [|w t IH]; intros block earlier; cbn [blocks_from safe_parts concat].
  - split; [unfold safe; destruct (rev (rev block)); exact I|exact I].
  - destruct (size <=? length block); [|apply (IH (w :: block))]. cbn [andb].
    destruct (boundary (block ++ earlier) w) eqn:E; [|apply (IH (w :: block))].
    cbn [safe_parts]. split; [|apply (IH [w])]. rewrite blocks_from_join.
    apply (boundary_safe _ earlier). rewrite rev_involutive. exact E.
Qed.

(** The blocks join to the text. Speaks of [_boundaries.blocks]. *)
Theorem blocks_join size s : concat (blocks size s) = s.
Proof. destruct s; [reflexivity|]. apply blocks_from_join. Qed.

(** The chunks of a text are the chunks of its blocks. Speaks of [_boundaries.blocks]. *)
Theorem split_blocks size s : flat_map split_gpt2 (blocks size s) = split_gpt2 s.
Proof.
  rewrite split_parts, blocks_join; [reflexivity|].
  destruct s as [|x t]; [exact I|]. apply (blocks_from_safe size t [x] []).
Qed.

(** ** Pieces *)

(** The length of the next piece: whitespace, then other characters. *)
Definition next_piece (s : list nat) : nat :=
  let n := run space s in n + run (fun x => negb (space x)) (skipn n s).
Definition pieces (s : list nat) : list (list nat) := split next_piece s.

(** The pieces join to the text. Speaks of [_patterns.Pattern.pieces]. *)
Theorem pieces_join s : concat (pieces s) = s.
Proof. apply split_join. Qed.

Lemma next_piece_pos x t : 1 <= next_piece (x :: t).
Proof.
  unfold next_piece. cbn [run]. destruct (space x) eqn:E; cbn [negb skipn run];
    rewrite ?E; cbn [negb]; lia.
Qed.

Lemma skipn_add {A} n : forall m (l : list A), skipn (n + m) l = skipn m (skipn n l).
Proof.
  induction n as [|n IH]; intros m [|x l]; simpl; auto. destruct m; reflexivity.
Qed.

Lemma firstn_add {A} n : forall m (l : list A), firstn (n + m) l = firstn n l ++ firstn m (skipn n l).
Proof.
  induction n as [|n IH]; intros m [|x l]; simpl; auto. destruct m; reflexivity.
  rewrite IH; reflexivity.
Qed.

Lemma firstn_run_last p s n : run p s = S n -> exists q x, firstn (S n) s = q ++ [x] /\ p x = true.
Proof.
  revert n. induction s as [|y s IH]; intros n H; simpl in H; [discriminate|].
  destruct (p y) eqn:E; [|discriminate]. injection H as H. destruct n as [|n].
  - exists [], y. auto.
  - destruct (IH n H) as (q & x & K & P). exists (y :: q), x. split; [|exact P].
    change (firstn (S (S n)) (y :: s)) with (y :: firstn (S n) s). rewrite K. reflexivity.
Qed.

Lemma piece_safe s : safe (firstn (next_piece s) s) (skipn (next_piece s) s).
Proof.
  unfold next_piece. set (n := run space s). set (p := fun x => negb (space x)).
  rewrite skipn_add, firstn_add. destruct (skipn n s) as [|y q] eqn:E.
  - rewrite skipn_nil. unfold safe. destruct (rev _); exact I.
  - assert (Y : p y = true).
    { unfold p. rewrite (skipn_run_not space s y q E). reflexivity. }
    destruct (run p (y :: q)) as [|m] eqn:R; [simpl in R; rewrite Y in R; discriminate|].
    destruct (firstn_run_last p (y :: q) m R) as (q' & x & -> & X).
    destruct (skipn (S m) (y :: q)) as [|w q''] eqn:K; unfold safe; rewrite app_assoc, rev_unit; [exact I|].
    assert (W : p w = false) by (apply (skipn_run_not p (y :: q) w q''); rewrite R; exact K).
    unfold p in X, W. destruct (space x), (space w); auto; discriminate.
Qed.

Lemma pieces_safe s : safe_parts (pieces s).
Proof.
  remember (length s) as n eqn:L. revert s L.
  induction n as [n IH] using lt_wf_ind. intros [|x t] ->; [exact I|].
  unfold pieces. rewrite split_step. fold pieces.
  pose proof (next_piece_pos x t) as P. rewrite Nat.max_r by exact P. cbn [safe_parts].
  fold (pieces (skipn (next_piece (x :: t)) (x :: t))). rewrite pieces_join.
  split; [apply piece_safe|].
  eapply IH; [|reflexivity]. rewrite skipn_length. cbn [length]. lia.
Qed.

(** The chunks of a text are the chunks of its pieces. [count_chunks] relies on this. Speaks of
    [_patterns.Pattern.pieces]. *)
Theorem split_pieces s : flat_map split_gpt2 (pieces s) = split_gpt2 s.
Proof. rewrite split_parts by apply pieces_safe. rewrite pieces_join. reflexivity. Qed.
(** * No chunk has the bytes of a special token *)

Lemma firstn_run p n s : n <= run p s -> Forall (fun x => p x = true) (firstn n s).
Proof.
  revert n. induction s as [|x s IH]; intros [|n] H; simpl in *; auto; try lia.
  destruct (p x) eqn:Px; [|lia]. constructor; [exact Px|apply IH; lia].
Qed.

(** The characters of a chunk: a contraction, or one class, with or without a space before it. *)
Lemma chunk_made s : exists p : nat -> bool,
  Forall (fun x => x = 32 \/ p x = true) (firstn (next_gpt2 s) s) /\
  (p = letter \/ p = number \/ p = other \/ p = space \/ forall w, is_mark w = true -> p w = false).
Proof.
  assert (R : forall p, Forall (fun x => x = 32 \/ p x = true) (firstn (sp_run p s) s)).
  { intro p. destruct s as [|x t]; [constructor|]. unfold sp_run.
    destruct (Nat.eqb_spec x 32) as [->|]; cbn [andb]; [destruct (0 <? run p t)|].
    - cbn [firstn]. constructor; [auto|]. eapply Forall_impl; [|apply firstn_run; auto]. auto.
    - eapply Forall_impl; [|apply firstn_run; auto]. auto.
    - eapply Forall_impl; [|apply firstn_run; auto]. auto. }
  unfold next_gpt2, orelse. destruct (contraction s) eqn:K.
  - destruct (sp_run letter s) eqn:K1; [|exists letter; rewrite <- K1; auto].
    destruct (sp_run number s) eqn:K2; [|exists number; rewrite <- K2; auto].
    destruct (sp_run other s) eqn:K3; [|exists other; rewrite <- K3; auto].
    exists space. split; [|auto]. eapply Forall_impl; [|apply (firstn_run space)]; auto.
    unfold ws_run. destruct (skipn _ s); auto. destruct (2 <=? run space s); lia.
  - exists (fun x => negb (is_mark x)). split; [|do 4 right; intros w ->; reflexivity].
    rewrite <- K. clear R K n.
    destruct s as [|x [|y t]]; [constructor..|]. unfold contraction.
    destruct (Nat.eqb_spec x apostrophe) as [->|]; [|constructor]. destruct (sdmt y) eqn:M.
    + unfold sdmt in M. rewrite !orb_true_iff, !Nat.eqb_eq in M.
      destruct M as [[[->| ->]| ->]| ->]; cbn; auto.
    + destruct t as [|z t]; [constructor|]. destruct (_ || _ || _) eqn:Q; [|constructor].
      rewrite !orb_true_iff, !andb_true_iff, !Nat.eqb_eq in Q.
      destruct Q as [[[-> ->]|[-> ->]]|[-> ->]]; cbn; auto 6.
Qed.

Lemma chunk_unbroken s : ~ broken (firstn (next_gpt2 s) s).
Proof.
  intros (p & x & w & q & E & X & W). destruct (chunk_made s) as (k & F & K).
  rewrite E, Forall_forall in F. pose proof (F x (in_elt _ _ _)) as Kx.
  assert (Kw : w = 32 \/ k w = true) by (apply F; apply in_or_app; right; right; left; reflexivity).
  destruct Kx as [->|Kx]; [discriminate|]. destruct Kw as [->|Kw]; [discriminate|].
  destruct (ascii_marks C w W) as (L & D & S).
  assert (letter x = true \/ number x = true) as A.
  { apply orb_true_iff in X. destruct X; [left; apply (ascii_letters C)|right; apply (ascii_digits C)]; assumption. }
  destruct K as [->|[->|[->|[->|K]]]]; try congruence.
  - unfold other in Kx. destruct A as [A|A]; rewrite A, ?orb_true_r in Kx; discriminate.
  - rewrite (K w W) in Kw. discriminate.
Qed.

(** No chunk has an ASCII letter or digit directly before ASCII punctuation. Speaks of
    [_special_tokens.checked_special_tokens]. *)
Theorem split_unbroken s : Forall (fun c => ~ broken c) (split_gpt2 s).
Proof.
  unfold split_gpt2. remember (length s) as n eqn:L. revert s L.
  induction n as [n IH] using lt_wf_ind. intros [|x t] ->; [constructor|].
  rewrite split_step. rewrite Nat.max_r by apply next_gpt2_pos. constructor; [apply chunk_unbroken|].
  eapply IH; [|reflexivity]. pose proof (next_gpt2_pos x t). rewrite skipn_length. cbn [length]. lia.
Qed.
End Classes.
