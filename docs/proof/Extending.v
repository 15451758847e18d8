(** Extending: a tokenizer learns more tokens, and every token keeps its id.

    A new merge makes a new token, with an id above all others, or completes a whole token that has
    become two numbers: the merge of both gets its id. New special tokens get the ids after those.
    [extends] allows any rule for choosing pairs; [extension] has the rule of [_trainer.py]. *)
From Coq Require Import List Arith Lia Bool Permutation.
From Bpetite Require Import Passes Encoders Locality Training Special Utf8 Tokenizer Numbering.
Import ListNotations.

(** Merges, the ids of bytes and merges, and whole tokens with their ids. *)
Notation model := (list (nat * nat) * list nat * list (nat * list nat))%type.
Definition merges (m : model) := fst (fst m).
Definition ids (m : model) := snd (fst m).
Definition whole (m : model) := let (_, w) := m in w.
(** Special tokens with their ids. *)
Notation specials := (list (nat * list nat)) (only parsing).

(** The id of each number, the bytes of each number, and both. *)
Definition numbering (named : specials) (m : model) := ids m ++ map fst (whole m) ++ map fst named.
Definition tokens (named : specials) (m : model) :=
  all_tokens (map snd (whole m)) (map snd named) (merges m).
Definition entries (named : specials) (m : model) :=
  table (map snd (whole m)) (map snd named) (merges m) (numbering named m).

(** The numbers of a chunk, and the ids of a chunk and of a text. *)
Definition numbers (m : model) (c : list nat) := chunk_ids (map snd (whole m)) (merges m) c.
Definition ids_of named (m : model) c := map (id_of (numbering named m)) (numbers m c).
Definition encoded split named (m : model) :=
  encode_ids split (map snd (whole m)) (map snd named) (merges m) (numbering named m).
Definition encoded_ordinary split named (m : model) :=
  ordinary_ids split (map snd (whole m)) (merges m) (numbering named m).

(** * The algorithm *)

(** The first whole token that has become two numbers, one of them new, and the other whole tokens. *)
Fixpoint ready (first : nat) (ms : list (nat * nat)) (w : list (nat * list nat)) :
  option (nat * nat * nat * list (nat * list nat)) :=
  match w with
  | [] => None
  | (i, c) :: t =>
      let later := match ready first ms t with Some (s, u) => Some (s, (i, c) :: u) | None => None end in
      match passes 0 ms c with
      | [a; b] => if (first <=? a) || (first <=? b) then Some (a, b, i, t) else later
      | _ => later
      end
  end.
(** [_extending.py: Extension.complete]. Whole tokens are in the order of their ids. *)
Fixpoint complete (fuel first : nat) (m : model) : model :=
  match fuel with
  | 0 => m
  | S f => match ready first (merges m) (whole m) with
           | Some (a, b, i, w) => complete f first (merges m ++ [(a, b)], ids m ++ [i], w)
           | None => m
           end
  end.

(** The lowest id above all others. *)
Fixpoint above (l : list nat) : nat :=
  match l with [] => 0 | i :: t => let n := above t in if n <=? i then S i else n end.

(** [_trainer.py: _learn]. No new token has the bytes of another, or of a special token to be added. *)
Fixpoint learn (wanted first : nat) (named : specials) (taken corpus : list (list nat)) (m : model) :
  model :=
  match wanted with
  | 0 => m
  | S n =>
      let v := vocab (merges m) in let known := tokens named m ++ taken in
      let new := fun p => let bytes := joined v (fst p) (snd p) in negb (existsb (list_eqb bytes) known) in
      let all := filter new (flat_map (fun c => pairs_of (numbers m c)) corpus) in
      match best all all with
      | None => m
      | Some p =>
          let m' := (merges m ++ [p], ids m ++ [above (numbering named m)], whole m) in
          learn n first named taken corpus (complete (length (whole m)) first m')
      end
  end.
Fixpoint call (named : specials) (m : model) (names : list (list nat)) : specials :=
  match names with
  | [] => []
  | n :: t => let new := (above (numbering named m), n) in new :: call (named ++ [new]) m t
  end.
(** [Tokenizer.train] with a start whose ids are kept. *)
Definition extension (wanted : nat) (names corpus : list (list nat)) (named : specials) (m : model) :=
  let m' := learn wanted (256 + length (merges m)) named (map utf8s names) corpus m in
  (named ++ call named m' names, m').

(** * Tables *)

Definition below (i : nat) (l : list nat) : Prop := Forall (fun j => j < i) l.

(** Each merge joins earlier numbers. No id occurs twice, and no bytes; [taken] are bytes of no token. *)
Definition sound (named : specials) (taken : list (list nat)) (m : model) : Prop :=
  wf_merges (merges m) /\ length (ids m) = 256 + length (merges m) /\
  NoDup (numbering named m) /\ NoDup (tokens named m ++ taken).

Lemma entries_eq named m : length (ids m) = 256 + length (merges m) ->
  length (numbering named m) = length (tokens named m) /\
  map fst (entries named m) = numbering named m /\ map snd (entries named m) = tokens named m /\
  entries named m =
    combine (ids m) (vocab (merges m)) ++ whole m ++ combine (map fst named) (map utf8s (map snd named)).
Proof.
  intro L. assert (E : length (numbering named m) = length (tokens named m)).
  { unfold numbering, tokens, all_tokens. rewrite !app_length, vocab_length, !map_length. lia. }
  assert (B : forall (l : list nat) (l' : list (list nat)), length l = length l' ->
    map fst (combine l l') = l /\ map snd (combine l l') = l').
  { clear. induction l; intros [|] E; try discriminate; [auto|]. injection E as E.
    simpl. destruct (IHl _ E). split; f_equal; auto. }
  destruct (B _ _ E) as [F S]. do 3 (split; [assumption|]). unfold entries, table, numbering, all_tokens.
  rewrite !combine_app by (rewrite ?vocab_length, ?map_length; lia).
  do 2 f_equal. clear. induction (whole m) as [|[]]; simpl; congruence.
Qed.

Lemma entry_of named m n w : length (ids m) = 256 + length (merges m) ->
  nth_error (tokens named m) n = Some w -> In (id_of (numbering named m) n, w) (entries named m).
Proof.
  intros L E. apply (entries_eq named) in L. destruct L as (L & _). unfold entries, table, id_of.
  fold (tokens named m). revert n E L. generalize (numbering named m).
  induction (tokens named m) as [|t l IH]; intros [|j k] [|n] E L; simpl in *; try discriminate; auto.
  left. congruence.
Qed.

Lemma one_entry named taken m i j w : sound named taken m ->
  In (i, w) (entries named m) -> In (j, w) (entries named m) -> i = j.
Proof.
  intros (_ & L & _ & D). destruct (entries_eq named m L) as (_ & _ & <- & _) in D. revert D. clear.
  induction (entries named m) as [|[k t] l IH]; simpl; [tauto|]. intro D. inversion D as [|? ? N D']; subst.
  rewrite in_app_iff in N. intros [E|I] [F|J]; auto; try congruence; destruct N; left;
    [injection E as <- <-; apply (in_map snd _ _ J)|injection F as <- <-; apply (in_map snd _ _ I)].
Qed.

(** * What extending can produce *)

Section Extending.
Variables (first : nat) (named : specials) (taken : list (list nat)).

(** One more merge; [first] is the first new number. The pair of a new token occurs in a chunk. *)
Inductive step : model -> model -> Prop :=
| learned ms is w c a b i : Forall byte c -> adj a b (passes 0 ms c) ->
    below i (numbering named (ms, is, w)) ->
    ~ In (token ms a ++ token ms b) (tokens named (ms, is, w) ++ taken) ->
    step (ms, is, w) (ms ++ [(a, b)], is ++ [i], w)
| completed ms is u v c a b i : Forall byte c -> passes 0 ms c = [a; b] -> first <= a \/ first <= b ->
    step (ms, is, u ++ (i, c) :: v) (ms ++ [(a, b)], is ++ [i], u ++ v).
Inductive extends (m : model) : model -> Prop :=
| unchanged : extends m m
| extended m1 m2 : extends m m1 -> step m1 m2 -> extends m m2.

Lemma step_form m m' : step m m' -> incl (whole m') (whole m) /\ exists a b i,
  merges m' = merges m ++ [(a, b)] /\ ids m' = ids m ++ [i] /\
  (a < tid (length (merges m)) /\ b < tid (length (merges m))) /\
  (below i (numbering named m) \/ In i (map fst (whole m)) /\ (first <= a \/ first <= b)).
Proof.
  destruct 1 as [ms is w c a b i B A F _|ms is u v c a b i B E N]; cbn [merges ids whole fst snd].
  - split; [intros x; simpl; tauto|]. exists a, b, i. repeat split; auto; apply passes_adj in A; tauto.
  - split; [intros x; rewrite !in_app_iff; simpl; tauto|]. exists a, b, i.
    do 2 (split; [reflexivity|]). rewrite map_app, in_app_iff. split; [apply (passes_adj ms c); [|rewrite E]|]; simpl; auto.
Qed.

Lemma step_sound m m' : sound named taken m -> step m m' -> sound named taken m' /\ exists new,
  Permutation (entries named m') (new ++ entries named m) /\
  Forall (fun e => below (fst e) (numbering named m)) new.
Proof.
  intros (W & L & D & D') S. destruct (step_form m m' S) as (_ & a & b & i & M & I & A & _).
  assert (W' : wf_merges (merges m')).
  { rewrite M. intros r x y E. destruct (Nat.lt_ge_cases r (length (merges m))) as [K|K];
      [rewrite nth_error_app1 in E by exact K; eauto|rewrite nth_error_app2 in E by exact K].
    destruct (r - length (merges m)) as [|[|]] eqn:R; try discriminate. injection E as <- <-.
    unfold tid in *. lia. }
  assert (L' : length (ids m') = 256 + length (merges m')) by (rewrite M, I, !app_length; simpl; lia).
  destruct (entries_eq named m L) as (_ & K1 & K2 & K), (entries_eq named m' L') as (_ & K1' & K2' & K').
  assert (exists new, Permutation (entries named m') (new ++ entries named m) /\
    Forall (fun e => below (fst e) (numbering named m)) new /\
    NoDup (map fst new ++ numbering named m) /\ NoDup (map snd new ++ tokens named m ++ taken))
    as (new & P & F & N1 & N2).
  { rewrite K, K'. clear - L W D D' S. destruct S as [ms is w c a b i B A F N|ms is u v c a b i B E _];
      cbn [merges ids whole fst snd] in *; destruct (vocab_app ms [(a, b)]) as (_ & -> & _);
      change (build [(a, b)] _) with (vocab ms ++ [token ms a ++ token ms b]);
      rewrite combine_app, <- app_assoc by (rewrite vocab_length; exact L).
    - exists [(i, token ms a ++ token ms b)]. cbn [combine app]. split; [symmetry; apply Permutation_middle|].
      split; [auto|]. split; constructor; auto. intro I.
      pose proof (proj1 (Forall_forall _ _) F _ I) as X. cbn in X. lia.
    - exists []. cbn [combine app]. split; [|auto]. pose proof (passes_bytes _ _ c (token_ok _ W) B) as J.
      rewrite E in J. cbn in J. rewrite app_nil_r in J. rewrite J, <- !app_assoc.
      apply Permutation_app_head, Permutation_middle. }
  split; [|eauto]. do 2 (split; [assumption|]). rewrite <- K1', <- K2'. split.
  - rewrite P, map_app, K1. exact N1.
  - apply (Permutation_NoDup' (Permutation_app_tail taken (Permutation_map snd P))).
    rewrite map_app, K2, <- app_assoc. exact N2.
Qed.

(** In an extension, no id and no token occurs twice. Its table is the start's, and other ids, above all
    of the start's. Speaks of [_tokenizer.Tokenizer.train]. *)
Theorem extended_table m m' : sound named taken m -> extends m m' -> sound named taken m' /\ exists new,
  Permutation (entries named m') (new ++ entries named m) /\
  Forall (fun e => below (fst e) (numbering named m)) new.
Proof.
  intros G H. induction H as [|m1 m2 E (G1 & new & P & F) S]; [split; [exact G|exists []; auto]|].
  destruct (step_sound m1 m2 G1 S) as (G2 & new' & P' & F'). split; [exact G2|]. exists (new' ++ new).
  split; [rewrite P', P, app_assoc; auto|]. apply Forall_app. split; [|exact F].
  eapply Forall_impl; [|exact F']. unfold below. intros e X. destruct G as (_ & L & _), G1 as (_ & L1 & _).
  destruct (entries_eq named m1 L1) as (_ & <- & _) in X. destruct (entries_eq named m L) as (_ & <- & _).
  rewrite P, map_app, Forall_app in X. apply X.
Qed.

Lemma extends_form m m' : extends m m' ->
  incl (whole m') (whole m) /\ exists new, merges m' = merges m ++ new.
Proof.
  induction 1 as [|m1 m2 _ (J & new & M) S]; [split; [apply incl_refl|exists []; rewrite app_nil_r; auto]|].
  destruct (step_form m1 m2 S) as (K & a & b & _ & -> & _). rewrite M, <- app_assoc.
  split; [eapply incl_tran|]; eauto.
Qed.

(** ** Truncating *)

(** The numbers in the tree of a number. *)
Inductive inside (ms : list (nat * nat)) (k : nat) : nat -> Prop :=
| itself : inside ms k k
| on_the_left r a b : nth_error ms r = Some (a, b) -> inside ms k a -> inside ms k (tid r)
| on_the_right r a b : nth_error ms r = Some (a, b) -> inside ms k b -> inside ms k (tid r).

Section New.
Variables m m' : model.
Hypothesis G : sound named taken m.
Hypothesis F : first = 256 + length (merges m).
Hypothesis H : extends m m'.
Notation id := (id_of (ids m')).
Notation new k := (below (id k) (numbering named m)).

Lemma new_merge n : first <= n < length (ids m') -> exists r a b,
  n = tid r /\ nth_error (merges m') r = Some (a, b) /\ (a < n /\ b < n) /\
  (new n /\ (forall k, k < n -> id k < id n) \/ In (id n) (map fst (whole m)) /\ (first <= a \/ first <= b)).
Proof.
  pose proof (proj1 (proj2 G)) as L. revert n. induction H as [|m1 m2 E IH S]; intros n N; [lia|].
  destruct (extended_table m m1 G E) as ((_ & L1 & _) & t & P & _).
  destruct (step_form m1 m2 S) as (_ & a & b & i & M & I & A & D). rewrite I, app_length in N. cbn in N.
  assert (X : forall k, k < length (ids m1) -> id_of (ids m2) k = id_of (ids m1) k).
  { intros k K. unfold id_of. rewrite I. apply app_nth1, K. }
  destruct (Nat.eq_dec n (length (ids m1))) as [->|N'].
  - exists (length (merges m1)), a, b. rewrite M, nth_error_app2, Nat.sub_diag by lia.
    replace (id_of (ids m2) (length (ids m1))) with i
      by (unfold id_of; rewrite I, app_nth2, Nat.sub_diag; auto).
    rewrite L1 at 1 2 3. do 3 (split; [auto|]). destruct D as [D|[D K]]; [left|right; split; [|exact K]].
    + split; [unfold below in *; destruct (entries_eq named m1 L1) as (_ & <- & _) in D;
        destruct (entries_eq named m L) as (_ & <- & _); rewrite P, map_app, Forall_app in D; apply D|].
      intros k K. rewrite X by exact K.
      apply (proj1 (Forall_forall _ _) D), in_app_iff. left. apply nth_In, K.
    + apply (incl_map fst (proj1 (extends_form m m1 E)) _ D).
  - destruct (IH E n) as (r & x & y & -> & K & Y & U); [lia|]. exists r, x, y. rewrite M, X by lia.
    do 3 (split; [auto; rewrite nth_error_app1; auto; apply nth_error_Some; congruence|]).
    destruct U as [[U V]|U]; [left|auto]. split; [exact U|]. intros k Hk. rewrite X by lia. auto.
Qed.

(** The id of a new merge is above all others before, or that of a whole token: then a new id is in its
    tree. So truncating knows which tokens to make whole again. Speaks of [_extending.truncated]. *)
Theorem new_or_completed n : first <= n < length (ids m') ->
  new n /\ (forall k, k < n -> id k < id n) \/
  In (id n) (map fst (whole m)) /\ exists k, inside (merges m') k n /\ new k.
Proof.
  induction n as [n IH] using lt_wf_ind. intro N.
  destruct (new_merge n N) as (r & a & b & -> & K & [A B] & [U|[U V]]); [auto|right]. split; [exact U|].
  assert (X : forall x, x < tid r -> first <= x -> exists k, inside (merges m') k x /\ new k).
  { intros x Hx Fx. destruct (IH x Hx) as [[Z _]|[_ Z]]; [lia| |exact Z]. exists x. split; [apply itself|exact Z]. }
  destruct V as [V|V]; apply X in V; auto; destruct V as (k & T & Z); exists k; split; auto;
    [apply (on_the_left _ _ _ a b K T)|apply (on_the_right _ _ _ a b K T)].
Qed.
End New.

(** ** Chunks *)

Notation is_whole m c := (In c (map snd (whole m))).

Lemma whole_dec (m : model) c : {is_whole m c} + {~ is_whole m c}.
Proof. apply in_dec, list_eq_dec, Nat.eq_dec. Qed.

Lemma whole_one m c : is_whole m c -> exists n, numbers m c = [n].
Proof. intro I. unfold numbers. rewrite (proj1 (chunk_whole (fun _ => []) _ [] _ c I)). eauto. Qed.

Lemma merged_numbers m c : ~ is_whole m c -> numbers m c = passes 0 (merges m) c.
Proof. apply chunk_merged. Qed.

(** A whole token stays whole, or is completed: its chunk becomes the number of its merge. *)
Lemma stays_one m m' c : extends m m' -> is_whole m c -> exists n, numbers m' c = [n].
Proof.
  intros H I. induction H as [|m1 m2 _ [n E] S]; [apply whole_one, I|].
  destruct (whole_dec m2 c) as [J|J]; [apply whole_one, J|]. rewrite merged_numbers by exact J.
  destruct (whole_dec m1 c) as [K|K].
  - destruct S as [|ms is u v w a b i _ P _]; [contradiction|]. cbn [whole merges fst snd] in *.
    rewrite map_app in *. rewrite in_app_iff in J. apply in_app_iff in K. cbn in K.
    destruct K as [K|[<-|K]]; [tauto| |tauto]. rewrite passes_app, P.
    cbn [passes merge_pass]. rewrite !Nat.eqb_refl. cbn. eauto.
  - destruct (step_form m1 m2 S) as (_ & a & b & i & -> & _). rewrite merged_numbers in E by exact K.
    rewrite passes_app, E, passes_alone. eauto.
Qed.

(** No pair of the new merges is adjacent in a chunk, as the start encodes it. *)
Definition untouched (m m' : model) (c : list nat) : Prop :=
  Forall (fun p => ~ adj (fst p) (snd p) (numbers m c)) (skipn (length (merges m)) (merges m')).

Lemma untouched_cases m m' c : extends m m' ->
  untouched m m' c /\ (is_whole m c \/ ~ is_whole m c /\ numbers m' c = numbers m c) \/
  ~ untouched m m' c /\ length (numbers m' c) < length (numbers m c).
Proof.
  intro H. unfold untouched. destruct (extends_form m m' H) as (J & new & M).
  rewrite M, skipn_app, skipn_all, Nat.sub_diag. cbn [app skipn]. destruct (whole_dec m c) as [I|I].
  - left. split; [|auto]. destruct (whole_one m c I) as [n ->]. apply Forall_forall. intros p _ [].
  - assert (I' : ~ is_whole m' c) by (intro K; apply I, (incl_map snd J), K).
    rewrite !merged_numbers, M, passes_app by assumption.
    destruct (passes_untouched new (0 + length (merges m)) (passes 0 (merges m) c)); tauto.
Qed.

Section Texts.
Variables (m m' : model) (added : specials).
Hypothesis G : sound named taken m.
Hypothesis H : extends m m'.
(** The special tokens of the start, and those that are added. *)
Hypothesis G' : sound (named ++ added) [] m'.

(** Numbers of the same tokens have the same ids. *)
Lemma same_ids ns : forall ns',
  map (nth_error (tokens named m)) ns = map (nth_error (tokens (named ++ added) m')) ns' ->
  map (id_of (numbering (named ++ added) m')) ns' = map (id_of (numbering named m)) ns.
Proof.
  pose proof (proj1 (proj2 G)) as L. pose proof (proj1 (proj2 G')) as L'.
  destruct (entries_eq (named ++ added) m' L') as (K' & _ & _ & X).
  induction ns as [|n ns IH]; intros [|n' ns'] E; try discriminate; [reflexivity|].
  injection E as E E'. cbn [map]. f_equal; [|auto]. destruct (nth_error (tokens named m) n) as [w|] eqn:F.
  - apply (one_entry _ _ _ _ _ w G'); [apply entry_of; auto|]. apply entry_of in F; [|exact L].
    destruct (extended_table m m' G H) as [_ (new & P & _)].
    pose proof (in_or_app new _ _ (or_intror F)) as I. rewrite <- P in I.
    destruct (entries_eq named m' L') as (_ & _ & _ & Y). rewrite Y in I.
    rewrite X, !map_app, combine_app by (rewrite !map_length; reflexivity).
    rewrite !in_app_iff in *. clear - I. tauto.
  - symmetry in E. apply nth_error_None in E, F. unfold id_of. destruct (entries_eq named m L) as (K & _).
    rewrite !nth_overflow by lia. reflexivity.
Qed.

Lemma same_tokens c : Forall byte c -> untouched m m' c ->
  map (nth_error (tokens named m)) (numbers m c) =
  map (nth_error (tokens (named ++ added) m')) (numbers m' c).
Proof.
  intros B U. destruct (untouched_cases m m' c H) as [[_ [I|(I & ->)]]|[]]; [| |contradiction].
  - assert (X : forall named taken m n, sound named taken m -> numbers m c = [n] ->
      nth_error (tokens named m) n = Some c).
    { clear - B. intros named taken m n (W & _) E.
      pose proof (decode_chunk (fun _ => []) (map snd (whole m)) (map snd named) (merges m) c W B) as D.
      unfold numbers in E. rewrite E in D. unfold decode in D. cbn in D. fold (tokens named m) in D.
      destruct (nth_error (tokens named m) n); [rewrite app_nil_r in D|]; exact D. }
    destruct (whole_one m c I) as [n E], (stays_one m m' c H I) as [n' E']. rewrite E, E'. cbn [map].
    rewrite (X _ _ _ _ G E), (X _ _ _ _ G' E'). reflexivity.
  - apply map_ext_in. intros n N. rewrite merged_numbers in N by exact I.
    apply (proj1 (Forall_forall _ _) (passes_ids (merges m) c B)) in N.
    destruct (extends_form m m' H) as (_ & new & M). unfold tokens, all_tokens.
    rewrite M, !nth_error_app1 by (rewrite vocab_length, ?app_length; lia).
    destruct (vocab_app (merges m) new) as (w & -> & -> & _).
    rewrite nth_error_app1 by (rewrite vocab_length; lia). reflexivity.
Qed.

(** A chunk keeps its ids if and only if no new pair is adjacent in it. Speaks of
    [_tokenizer.Tokenizer.train]. *)
Theorem chunk_kept c : Forall byte c ->
  ids_of (named ++ added) m' c = ids_of named m c <-> untouched m m' c.
Proof.
  intro B. split; [|intro U; apply same_ids, same_tokens; assumption].
  intro E. apply (f_equal (@length nat)) in E. unfold ids_of in E. rewrite !map_length in E.
  destruct (untouched_cases m m' c H) as [[U _]|[_ U]]; [exact U|lia].
Qed.

(** A whole token keeps its id, completed or not. Speaks of [_tokenizer.Tokenizer.train]. *)
Theorem whole_kept i c : In (i, c) (whole m) -> Forall byte c -> ids_of (named ++ added) m' c = [i].
Proof.
  intros I B. pose proof (in_map snd _ _ I) as J. transitivity (ids_of named m c).
  - apply chunk_kept; [exact B|]. unfold untouched. destruct (whole_one m c J) as [n ->].
    apply Forall_forall. intros p _ [].
  - destruct (chunk_whole (fun _ => []) _ (map snd named) (merges m) c J) as [E F].
    unfold ids_of, numbers. rewrite E. cbn [map]. f_equal. apply (one_entry named taken m _ _ c G).
    + apply entry_of; [apply G|exact F].
    + rewrite (proj2 (proj2 (proj2 (entries_eq named m (proj1 (proj2 G)))))), !in_app_iff. auto.
Qed.

(** ** Texts *)

Variable split : list nat -> list (list nat).
Hypothesis J : forall s, concat (split s) = s.
Notation untouched_in s := (Forall (fun c => untouched m m' (utf8s c)) (split s)).

Lemma ordinary_tokens s : text_ok s -> untouched_in s ->
  map (nth_error (tokens named m)) (ordinary split (map snd (whole m)) (merges m) s) =
  map (nth_error (tokens (named ++ added) m')) (ordinary split (map snd (whole m')) (merges m') s).
Proof.
  intros K U. apply (chunks_ok split J) in K. unfold ordinary. induction K as [|c cs B _ IH]; [reflexivity|].
  inversion U as [|? ? U1 U2]; subst. cbn [flat_map]. rewrite !map_app, (IH U2). f_equal.
  apply same_tokens; [apply utf8s_bytes, B|exact U1].
Qed.

(** An ordinary text keeps its ids if no new pair is adjacent in its chunks. Speaks of
    [_tokenizer.Tokenizer.train]. *)
Theorem ordinary_kept s : text_ok s -> untouched_in s ->
  encoded_ordinary split (named ++ added) m' s = encoded_ordinary split named m s.
Proof. intros K U. apply same_ids, ordinary_tokens; assumption. Qed.

(** So does a text with special tokens, if it contains none of those that are added. Speaks of
    [_tokenizer.Tokenizer.train]. *)
Theorem text_kept text : text_ok text -> ~ In [] (map snd named) -> free (map snd added) text ->
  (let (s, others) := cut (map snd named) text in
   untouched_in s /\ Forall (fun p => untouched_in (snd p)) others) ->
  encoded split (named ++ added) m' text = encoded split named m text.
Proof.
  intros K N F U. apply same_ids. unfold encode. rewrite map_app, cut_more by exact F.
  pose proof (proj2 (cut_parts _ N text)) as I. rewrite <- (cut_join (map snd named) text) in K.
  unfold join in K. destruct (cut (map snd named) text) as [s others]. destruct U as [U U'].
  apply text_ok_app in K. destruct K as [K K']. cbn [snd encode_parts] in *. rewrite !map_app.
  f_equal; [apply ordinary_tokens; assumption|]. clear F K U.
  induction U' as [|[n p] others U _ IH]; [reflexivity|]. inversion I as [|? ? [I1 _] I2]; subst.
  cbn [flat_map fst snd map app] in *. apply text_ok_app in K'. destruct K' as [K K'].
  apply text_ok_app in K. rewrite !map_app. f_equal; [|f_equal; [apply ordinary_tokens; tauto|auto]].
  unfold tokens. rewrite map_app, !special_token; auto. apply in_app_iff. auto.
Qed.

(** The ids of any text decode to the text, with special tokens or as ordinary text. Speaks of
    [_tokenizer.Tokenizer.train]. *)
Theorem extended_roundtrip text : text_ok text ->
  let decoded := decode_ids_text (map snd (whole m')) (map snd (named ++ added)) (merges m')
                                 (numbering (named ++ added) m') in
  decoded (encoded split (named ++ added) m' text) = Some text /\
  decoded (encoded_ordinary split (named ++ added) m' text) = Some text.
Proof.
  intros K decoded. destruct G' as (W & L & D & _). apply numbered_roundtrip; auto. apply entries_eq, L.
Qed.
End Texts.
End Extending.

(** * The algorithm extends *)

Lemma above_all l : below (above l) l.
Proof.
  induction l as [|i t IH]; constructor; cbn [above]; destruct (Nat.leb_spec (above t) i); try lia;
    [eapply Forall_impl; [|exact IH]; cbv beta; lia|exact IH].
Qed.

Section Algorithm.
Variables (named : specials) (taken : list (list nat)) (m : model).
Notation first := (256 + length (merges m)).
Notation extends := (extends first named taken m).
Notation bytes_in m := (Forall byte (concat (map snd (whole m)))).

Lemma ready_some ms w : forall a b i l, ready first ms w = Some (a, b, i, l) -> exists u c v,
  w = u ++ (i, c) :: v /\ l = u ++ v /\ passes 0 ms c = [a; b] /\ (first <= a \/ first <= b).
Proof.
  induction w as [|[j c] t IH]; intros a b i l E; [discriminate|]. cbn [ready] in E.
  destruct (ready first ms t) as [[[[x y] k] u]|]; destruct (passes 0 ms c) as [|x' [|y' [|]]] eqn:Q;
    try destruct (_ || _) eqn:F; try discriminate; injection E as -> -> -> <-;
    try (rewrite orb_true_iff, !Nat.leb_le in F; exists [], c, t; auto; fail);
    destruct (IH _ _ _ _ eq_refl) as (u' & z & v & -> & -> & X); exists ((j, c) :: u'), z, v; auto.
Qed.

Lemma complete_extends f : forall m', extends m' -> bytes_in m' ->
  extends (complete f first m') /\ bytes_in (complete f first m').
Proof.
  induction f as [|f IH]; intros m' E B; [auto|]. cbn [complete].
  destruct (ready first (merges m') (whole m')) as [[[[a b] i] w]|] eqn:R; [|auto].
  apply ready_some in R. destruct R as (u & c & v & W & -> & P & F).
  destruct m' as [[ms is] w]. cbn [merges ids whole fst snd] in *. subst w.
  rewrite map_app, concat_app, Forall_app in B. cbn [map concat snd] in B. rewrite Forall_app in B.
  apply IH; [|cbn [whole snd]; rewrite map_app, concat_app, Forall_app; tauto].
  eapply extended; [exact E|]. apply (completed _ _ _ _ _ _ _ c); tauto.
Qed.

Lemma learn_extends corpus n : Forall (Forall byte) corpus -> forall m', extends m' -> bytes_in m' ->
  extends (learn n first named taken corpus m').
Proof.
  intro C. rewrite Forall_forall in C. induction n as [|n IH]; intros m' E B; [exact E|]. cbn [learn].
  destruct (best _ _) as [[a b]|] eqn:K; [|exact E]. apply best_in, filter_In in K. destruct K as [K F].
  apply in_flat_map in K. destruct K as (c & I & K). apply pairs_of_adj in K. cbv zeta.
  set (m2 := (merges m' ++ [(a, b)], ids m' ++ [above (numbering named m')], whole m')).
  destruct (complete_extends (length (whole m')) m2); [eapply extended; [exact E|]|exact B|auto].
  destruct m' as [[ms is] w]. apply (learned _ _ _ _ _ _ c); auto using above_all.
  - destruct (whole_dec (ms, is, w) c) as [W|W]; [|rewrite merged_numbers in K by exact W; exact K].
    destruct (whole_one _ c W) as [x X]. rewrite X in K. destruct K.
  - intro X. rewrite (proj2 (existsb_exists _ _)) in F; [discriminate|].
    eexists. split; [exact X|]. apply list_eqb_eq. reflexivity.
Qed.
End Algorithm.

Lemma call_sound m names : forall named, map snd (call named m names) = names /\
  (sound named (map utf8s names) m -> sound (named ++ call named m names) [] m).
Proof.
  induction names as [|n t IH]; intro named; cbn [call map] in *; [rewrite app_nil_r; auto|].
  set (new := (above (numbering named m), n)). destruct (IH (named ++ [new])) as [E X].
  split; [rewrite E; reflexivity|]. intros (W & L & D & D'). change (new :: ?l) with ([new] ++ l).
  rewrite app_assoc. apply X. do 2 (split; [assumption|]). split.
  - unfold numbering. rewrite map_app, !app_assoc, <- (app_assoc (ids m)).
    apply (Permutation_NoDup (Permutation_cons_append _ _)). constructor; [|exact D]. intro I.
    pose proof (proj1 (Forall_forall _ _) (above_all (numbering named m)) _ I) as A. cbn in A. lia.
  - unfold tokens, all_tokens in *. rewrite !map_app, <- !app_assoc in *. exact D'.
Qed.

(** So all this is true after training. Speaks of [_tokenizer.Tokenizer.train] and
    [_extending.Extension.complete]. *)
Theorem extension_extends wanted names corpus named m : sound named (map utf8s names) m ->
  Forall (Forall byte) corpus -> Forall byte (concat (map snd (whole m))) ->
  let (named', m') := extension wanted names corpus named m in
  extends (256 + length (merges m)) named (map utf8s names) m m' /\
  exists added, named' = named ++ added /\ map snd added = names /\ sound named' [] m'.
Proof.
  intros G C B. pose proof (learn_extends named _ m corpus wanted C m (unchanged _ _ (map utf8s names) m) B) as E.
  split; [exact E|]. eexists. split; [reflexivity|].
  split; apply call_sound. apply (extended_table _ _ _ _ _ G E).
Qed.
