(** GPT-4's split pattern on ASCII, in seven branches, and the specification's round trip with it.

    [split_ascii] is
    [packages/compare/src/bpetite_compare/reference/_ascii.py: pre_tokenize_ascii]. Each branch is
    the function of that name there. It returns the length of its match, or 0 if it does not
    match. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Encoders Pattern Utf8 General.
Import ListNotations.

(** * The classes of ASCII *)

Definition is_space (x : nat) : bool := ((9 <=? x) && (x <=? 13)) || (x =? 32).
Definition is_punctuation (x : nat) : bool := negb (is_letter x || is_digit x || is_space x).
Definition to_lower (x : nat) : nat := if (65 <=? x) && (x <=? 90) then x + 32 else x.

(** * The seven branches *)

(** ['(?i:[sdmt]|ll|ve|re)] *)
Definition contraction_branch (s : list nat) : nat := contraction (map to_lower (firstn 3 s)).

(** A branch after a byte of a class. It may also match without one, but not instead of one. *)
Definition after (leads : nat -> bool) (branch : list nat -> nat) (s : list nat) : nat :=
  match s with
  | x :: t => if leads x then match branch t with 0 => 0 | S n => 2 + n end else branch s
  | [] => 0
  end.

(** [[^\r\n\p{L}\p{N}]?\p{L}+] *)
Definition may_lead (x : nat) : bool := is_punctuation x || (is_space x && negb (is_newline x)).
Definition word_branch (s : list nat) : nat := after may_lead (run is_letter) s.

(** [\p{N}{1,3}] *)
Definition digits_branch (s : list nat) : nat := run is_digit (firstn 3 s).

(** [[^\s\p{L}\p{N}]+[\r\n]*], and a space may precede it. *)
Definition marks (s : list nat) : nat :=
  match run is_punctuation s with
  | 0 => 0
  | S n => S n + run is_newline (skipn (S n) s)
  end.
Definition punctuation_branch (s : list nat) : nat := after (fun x => x =? 32) marks s.

(** [\s*[\r\n]]: up to the last newline of the whitespace. *)
Fixpoint newlines_branch (s : list nat) : nat :=
  match s with
  | x :: t => if is_space x
              then match newlines_branch t with
                   | 0 => if is_newline x then 1 else 0
                   | S n => 2 + n
                   end
              else 0
  | [] => 0
  end.

(** [\s+(?!\S)]: without its last byte, unless the text ends there. *)
Definition trailing_branch (s : list nat) : nat :=
  let n := run is_space s in match skipn n s with [] => n | _ :: _ => n - 1 end.

(** [\s+] *)
Definition whitespace_branch (s : list nat) : nat := run is_space s.

(** The length of the first chunk: the first branch that matches takes its bytes. *)
Definition next_ascii (s : list nat) : nat :=
  orelse (contraction_branch s)
    (orelse (word_branch s)
      (orelse (digits_branch s)
        (orelse (punctuation_branch s)
          (orelse (newlines_branch s)
            (orelse (trailing_branch s) (whitespace_branch s)))))).

Definition split_ascii (s : list nat) : list (list nat) := split next_ascii s.

(** Partition, the specification's Lemma 4: the chunks join to the bytes. Speaks of
    [reference.pre_tokenize_ascii]. *)
Theorem split_ascii_join s : concat (split_ascii s) = s.
Proof. apply split_join. Qed.

(** No chunk is empty. Speaks of [reference.pre_tokenize_ascii]. *)
Theorem split_ascii_nonempty s : Forall (fun chunk => chunk <> []) (split_ascii s).
Proof. apply chunks_nonempty. Qed.

(** A byte is in one class only. *)
Lemma space_apart x : is_space x = true -> is_letter x = false /\ is_digit x = false.
Proof.
  unfold is_space, is_letter, is_digit. intro H.
  rewrite orb_true_iff, andb_true_iff, !Nat.leb_le, Nat.eqb_eq in H.
  rewrite <- !not_true_iff_false, !orb_true_iff, !andb_true_iff, !Nat.leb_le. lia.
Qed.

Lemma newline_is_space x : is_newline x = true -> is_space x = true.
Proof.
  unfold is_newline, is_space.
  rewrite !orb_true_iff, !andb_true_iff, !Nat.leb_le, !Nat.eqb_eq. lia.
Qed.

Lemma letter_not_lead x : is_letter x = true -> may_lead x = false.
Proof.
  intro L. destruct (is_space x) eqn:S; [apply space_apart in S; destruct S; congruence|].
  unfold may_lead, is_punctuation. rewrite L, S. reflexivity.
Qed.

Lemma run_pos p x t : p x = true -> 1 <= run p (x :: t).
Proof. intro H. simpl. rewrite H. lia. Qed.

(** Some branch matches at every position, so no byte needs a branch of its own. Speaks of
    [reference.pre_tokenize_ascii]. *)
Theorem next_ascii_pos x t : 1 <= next_ascii (x :: t).
Proof.
  unfold next_ascii. apply orelse_pos; right. apply orelse_pos. destruct (is_letter x) eqn:L.
  { left. unfold word_branch, after. rewrite letter_not_lead by exact L. apply run_pos, L. }
  right. apply orelse_pos. destruct (is_digit x) eqn:D.
  { left. apply (run_pos _ x _ D). }
  right. apply orelse_pos. destruct (is_space x) eqn:S.
  { right. apply orelse_pos; right. apply orelse_pos; right. apply run_pos, S. }
  left. assert (P : is_punctuation x = true) by (unfold is_punctuation; rewrite L, D, S; reflexivity).
  unfold punctuation_branch, after. destruct (Nat.eqb_spec x 32) as [->|_]; [discriminate|].
  unfold marks. pose proof (run_pos _ x t P). destruct (run is_punctuation (x :: t)); lia.
Qed.

(** * The branches are the pattern *)

Definition Star (p : nat -> bool) : pattern := Opt (Plus p).
(** A letter of either case. *)
Definition either (c : nat) (x : nat) : bool := to_lower x =? c.

Definition contraction_pattern : pattern :=
  Seq (One (is apostrophe))
    (Alt (One (fun x => sdmt (to_lower x)))
      (Alt (Seq (One (either 108)) (One (either 108)))
        (Alt (Seq (One (either 118)) (One (either 101)))
             (Seq (One (either 114)) (One (either 101)))))).

(** ['(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|]
    [\s+(?!\S)|\s+] *)
Definition gpt4 : pattern :=
  Alt contraction_pattern
  (Alt (Seq (Opt (One (fun x => negb (is_newline x || is_letter x || is_digit x)))) (Plus is_letter))
  (Alt (Seq (One is_digit) (Opt (Seq (One is_digit) (Opt (One is_digit)))))
  (Alt (Seq (Opt (One (is 32))) (Seq (Plus is_punctuation) (Star is_newline)))
  (Alt (Seq (Star is_space) (One is_newline))
  (Alt (Seq (Plus is_space) (NotBefore (fun x => negb (is_space x))))
       (Plus is_space)))))).

(** Every match of the pattern takes at least one character. *)
Fixpoint takes (e : pattern) : bool :=
  match e with
  | One _ | Plus _ => true
  | Opt _ | NotBefore _ => false
  | Seq e f => takes e || takes f
  | Alt e f => takes e && takes f
  end.

Lemma takes_pos e : takes e = true -> forall s n, In n (matches e s) -> n <> 0.
Proof.
  induction e as [p|p|e _|e IHe f IHf|e IHe f IHf|p]; intros T s n I; try discriminate.
  - cbn [matches] in I. destruct s as [|x s]; [destruct I|]. destruct (p x); [|destruct I].
    destruct I as [<-|[]]. discriminate.
  - apply in_matches_plus in I. lia.
  - cbn [matches] in I. apply in_flat_map in I. destruct I as (k & K & I).
    apply in_map_iff in I. destruct I as (j & <- & J). cbn [takes] in T. apply orb_prop in T.
    destruct T as [T|T]; [apply (IHe T) in K|apply (IHf T) in J]; lia.
  - cbn [matches] in I. cbn [takes] in T. apply andb_prop in T. destruct T as [T1 T2].
    apply in_app_or in I. destruct I as [I|I]; [apply (IHe T1 s n I)|apply (IHf T2 s n I)].
Qed.

Lemma first_alt e f s : takes e = true ->
  first_match (Alt e f) s = orelse (first_match e s) (first_match f s).
Proof. intro T. apply hd_app. intros n I. apply (takes_pos e T s n I). Qed.

Lemma contraction_first s : first_match contraction_pattern s = contraction_branch s.
Proof.
  assert (A : forall x, (to_lower x =? apostrophe) = (x =? apostrophe)).
  { intro x. unfold to_lower, apostrophe. destruct (Nat.leb_spec 65 x), (Nat.leb_spec x 90);
      cbn [andb]; try reflexivity.
    destruct (Nat.eqb_spec (x + 32) 39), (Nat.eqb_spec x 39); lia || reflexivity. }
  unfold first_match, contraction_pattern, contraction_branch, contraction, either, is.
  cbn [matches]. destruct s as [|x [|y t]]; [reflexivity| |].
  - cbn. destruct (x =? apostrophe); reflexivity.
  - destruct t as [|z t]; cbn [firstn map]; rewrite A;
      destruct (x =? apostrophe); try reflexivity; cbn [flat_map skipn];
      destruct (sdmt (to_lower y)); try reflexivity; cbn [map app flat_map skipn].
    + destruct (to_lower y =? 108), (to_lower y =? 118), (to_lower y =? 114); reflexivity.
    + destruct (to_lower y =? 108) eqn:E1, (to_lower z =? 108) eqn:E2, (to_lower y =? 118) eqn:E3,
        (to_lower z =? 101) eqn:E4, (to_lower y =? 114) eqn:E5; simpl; rewrite ?E2, ?E4; reflexivity.
Qed.

(** A class that leads, and may be left out: no match of the rest starts with it. *)
Lemma after_first p q f branch s : takes f = true ->
  (forall x, p x = q x) -> (forall s, first_match f s = branch s) ->
  (forall x t, p x = true -> branch (x :: t) = 0) -> branch [] = 0 ->
  first_match (Seq (Opt (One q)) f) s = after p branch s.
Proof.
  intros T Q F Z E. unfold first_match in *. cbn [matches].
  assert (K : forall k l, (forall n, In n l -> n <> 0) ->
    hd 0 (map (Nat.add k) l) = match hd 0 l with 0 => 0 | S n => k + S n end).
  { intros k [|n l] H; [reflexivity|]. simpl. destruct n; [destruct (H 0); [left|]; reflexivity|].
    reflexivity. }
  assert (Z0 : forall l, map (Nat.add 0) l = l) by (intro l; apply map_id).
  destruct s as [|x t]; [cbn [app flat_map skipn after]; rewrite Z0, app_nil_r, F; exact E|].
  cbn [after]. rewrite <- Q. destruct (p x) eqn:P; cbn [app flat_map skipn]; rewrite Z0, app_nil_r;
    [|apply F].
  rewrite hd_app by (intros n I; apply in_map_iff in I; destruct I as (m & <- & _); lia).
  rewrite F, Z by exact P. rewrite K by (intros n I; apply (takes_pos f T t n I)). rewrite F.
  destruct (branch t); reflexivity.
Qed.

Lemma word_first s : first_match
  (Seq (Opt (One (fun x => negb (is_newline x || is_letter x || is_digit x)))) (Plus is_letter)) s =
  word_branch s.
Proof.
  apply after_first; try reflexivity.
  - intro x. unfold may_lead, is_punctuation. pose proof (newline_is_space x) as N.
    destruct (is_space x) eqn:S.
    + destruct (space_apart x S) as [-> ->]. destruct (is_newline x); reflexivity.
    + destruct (is_newline x); [discriminate (N eq_refl)|].
      destruct (is_letter x), (is_digit x); reflexivity.
  - intro t. apply hd_seq.
  - intros x t H. simpl. destruct (is_letter x) eqn:L; [|reflexivity].
    rewrite letter_not_lead in H by exact L. discriminate.
Qed.

Lemma digits_first s : first_match
  (Seq (One is_digit) (Opt (Seq (One is_digit) (Opt (One is_digit))))) s = digits_branch s.
Proof.
  unfold first_match, digits_branch. destruct s as [|x [|y [|z t]]]; simpl; try reflexivity;
    repeat (destruct (is_digit _); simpl; try reflexivity).
Qed.

Lemma punctuation_first s : first_match
  (Seq (Opt (One (is 32))) (Seq (Plus is_punctuation) (Star is_newline))) s = punctuation_branch s.
Proof.
  apply after_first; try reflexivity.
  - clear s. intro s. unfold first_match, marks, Star. cbn [matches].
    destruct (run is_punctuation s) as [|n]; [reflexivity|].
    rewrite seq_S, rev_app_distr. cbn [rev app flat_map Nat.add].
    set (r := run is_newline (skipn (S n) s)). destruct r as [|m].
    + simpl. rewrite Nat.add_0_r. reflexivity.
    + rewrite seq_S, rev_app_distr. reflexivity.
  - intros x t H. apply Nat.eqb_eq in H. subst. reflexivity.
Qed.

Lemma newlines_first s : first_match (Seq (Star is_space) (One is_newline)) s = newlines_branch s.
Proof.
  unfold first_match, Star.
  assert (R : forall n, rev (seq 1 n) ++ [0] = rev (seq 0 (S n))) by reflexivity.
  assert (Q : forall n, rev (seq 0 (S n)) = map S (rev (seq 0 n)) ++ [0])
    by (intro n; rewrite map_rev, seq_shift; reflexivity).
  induction s as [|x t IH]; [reflexivity|]. cbn [matches newlines_branch run].
  destruct (is_space x) eqn:Sx.
  - cbn [matches] in IH. rewrite R in *. rewrite Q, flat_map_app. cbn [flat_map skipn].
    rewrite app_nil_r, <- IH.
    set (l := rev (seq 0 (S (run is_space t)))). clearbody l.
    set (g := fun (s : list nat) k => map (Nat.add k)
      match skipn k s with [] => [] | x :: _ => if is_newline x then [1] else [] end).
    change (hd 0 (flat_map (g (x :: t)) (map S l) ++ g (x :: t) 0) =
            match hd 0 (flat_map (g t) l) with 0 => if is_newline x then 1 else 0 | S n => 2 + n end).
    assert (G : flat_map (g (x :: t)) (map S l) = map S (flat_map (g t) l)).
    { induction l as [|k l IHl]; [reflexivity|]. cbn [map flat_map]. rewrite map_app, <- IHl.
      f_equal. unfold g. cbn [skipn]. rewrite map_map. reflexivity. }
    rewrite G. destruct (flat_map (g t) l) as [|n rest] eqn:E.
    + unfold g. simpl. destruct (is_newline x); reflexivity.
    + assert (P : n <> 0).
      { assert (I : In n (flat_map (g t) l)) by (rewrite E; left; reflexivity).
        apply in_flat_map in I. destruct I as (k & _ & I). unfold g in I.
        apply in_map_iff in I. destruct I as (j & <- & J). destruct (skipn k t) as [|y q]; [destruct J|].
        destruct (is_newline y); [destruct J as [<-|[]]; lia|destruct J]. }
      cbn [map app hd]. destruct n; [congruence|reflexivity].
  - cbn [seq rev app flat_map skipn map]. destruct (is_newline x) eqn:N; [|reflexivity].
    apply newline_is_space in N. congruence.
Qed.

(** The seven branches find the first match of the pattern, as a backtracking matcher does. Speaks
    of [reference.pre_tokenize_ascii]. *)
Theorem next_ascii_pattern s : next_ascii s = first_match gpt4 s.
Proof.
  unfold gpt4. rewrite !first_alt by reflexivity.
  rewrite contraction_first, word_first, digits_first, punctuation_first, newlines_first.
  rewrite (proj1 (ws_run_matches is_space s)). unfold next_ascii. do 5 f_equal.
  unfold ws_run, trailing_branch, whitespace_branch. cbv zeta.
  destruct (skipn (run is_space s) s) as [|x t];
    destruct (run is_space s) as [|[|n]]; reflexivity.
Qed.

(** * The specification's round trip *)

Definition ascii_text (text : list nat) : Prop := Forall (fun x => x < 128) text.

(** UTF-8 does not change ASCII text. *)
Lemma utf8s_ascii text : ascii_text text -> utf8s text = text.
Proof.
  induction 1 as [|x text A _ IH]; [reflexivity|]. change (utf8s (x :: text)) with (utf8 x ++ utf8s text).
  unfold utf8. rewrite (proj2 (Nat.ltb_lt x 128) A), IH. reflexivity.
Qed.

Lemma scalar_ascii x : x < 128 -> scalar x = true.
Proof.
  intro A. unfold scalar.
  rewrite (Nat.div_small (x / 64) 64) by (apply Nat.lt_le_trans with 2; [apply Nat.div_lt_upper_bound|]; lia).
  rewrite Nat.div_0_l by lia. rewrite (Nat.div_small (x / 64) 32)
    by (apply Nat.lt_le_trans with 2; [apply Nat.div_lt_upper_bound|]; lia).
  reflexivity.
Qed.

Section RoundTrip.
Variables (merges : nat -> nat -> option nat) (tok : nat -> option (list nat))
  (shuffle unshuffle : nat -> nat).

Definition encode_ascii (text : list nat) : list nat :=
  encode merges shuffle split_ascii (utf8s text).
Definition decode_ascii (ids : list nat) : option (list nat) :=
  match decode tok unshuffle ids with Some bytes => decode_utf8 bytes | None => None end.

(** The specification's theorem: with any well-formed model and any byte permutation, the ids of an
    ASCII text decode to the text. Speaks of [reference.encode_chunk],
    [reference.pre_tokenize_ascii] and [reference.decode]. *)
Theorem ascii_bpe_roundtrip text : well_formed merges tok shuffle unshuffle -> ascii_text text ->
  decode_ascii (encode_ascii text) = Some text.
Proof.
  intros W A. unfold decode_ascii, encode_ascii.
  rewrite (general_roundtrip merges tok shuffle unshuffle split_ascii W split_ascii_join).
  - apply decode_utf8_complete. eapply Forall_impl; [|exact A]. exact scalar_ascii.
  - rewrite utf8s_ascii by exact A. eapply Forall_impl; [|exact A]. unfold byte. intros x H.
    apply Nat.lt_le_trans with 128; [exact H|]. lia.
Qed.
End RoundTrip.
