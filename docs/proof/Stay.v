(** Whether two tokens side by side stay what they are: [_merges.py: Merges.keep_apart].

    The bytes of two tokens that encode to themselves, joined, encode to the two unless some
    merge takes an id from both. The ids that ever meet at the border are on the right edge
    of the left token's tree of merges and on the left edge of the right one's. The walk goes
    down both edges, from the end back to the bytes, and finds such a merge if there is one. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Locality Training.
Import ListNotations.

(** The two ids that a merge joins, of a byte the byte: [Merges.__init__], [_left] and [_right]. *)
Definition left_part (ms : list (nat * nat)) (t : nat) : nat :=
  if t <? 256 then t else fst (nth (t - 256) ms (t, t)).
Definition right_part (ms : list (nat * nat)) (t : nat) : nat :=
  if t <? 256 then t else snd (nth (t - 256) ms (t, t)).

(** The id that a pair merges to, or a [limit] that no id reaches: [id_of_pair] in [Merges.keep_apart]. *)
Definition merged (ms : list (nat * nat)) (limit x y : nat) : nat :=
  match rank ms x y with Some r => tid r | None => limit end.

(** The loop of [Merges.keep_apart]. *)
Fixpoint walk (ms : list (nat * nat)) (limit token fuel x y x_used_up y_used_up : nat) : bool :=
  match fuel with
  | 0 => false
  | S f =>
      let new := merged ms limit x y in
      if (new <? x_used_up) && (new <=? y_used_up) && negb (new =? token) then false
      else if (x <? 256) && (y <? 256) then true
      else if y <=? x then walk ms limit token f (right_part ms x) y x y_used_up
      else walk ms limit token f x (left_part ms y) x_used_up y
  end.

(** [Merges.keep_apart]. For "but for making [token]", if there is none, stands 0: no merge makes it. *)
Definition stay (ms : list (nat * nat)) (limit x y token : nat) : bool :=
  walk ms limit token (S (x + y)) x y limit limit.

(** The list [stays] in [Merges.self_encoding_tokens]: of each token, whether its bytes become it. *)
Fixpoint staying (ms : list (nat * nat)) (limit r : nat) (rest : list (nat * nat)) (known : list bool)
  : list bool :=
  match rest with
  | [] => known
  | (a, b) :: t =>
      staying ms limit (S r) t
        (known ++ [nth a known false && nth b known false &&
                   (merged ms limit a b =? tid r) && stay ms limit a b (tid r)])
  end.

(** [Merges.self_encoding_tokens]. *)
Definition tokens_that_stay (ms : list (nat * nat)) (limit : nat) : list nat :=
  let known := staying ms limit 0 ms (repeat true 256) in
  filter (fun t => nth t known false) (seq 0 (length known)).

(** The branch that the walk takes. *)
Ltac branch W C := lazymatch type of W with (if ?c then _ else _) = _ => destruct c eqn:C end.

Section Stay.
Variables (ms : list (nat * nat)) (limit : nat).
Hypothesis WF : wf_merges ms.
Hypothesis LIMIT : tid (length ms) <= limit.

Notation encode := (passes 0 ms).
Notation upto k := (passes 0 (firstn k ms)).
Notation tok := (token ms).

(** A token whose bytes encode to it. *)
Definition stays (t : nat) : Prop := t < tid (length ms) /\ encode (tok t) = [t].

Lemma tok_bytes t : t < tid (length ms) -> Forall byte (tok t).
Proof. apply token_bytes; exact WF. Qed.

Lemma byte_stays b : b < 256 -> stays b.
Proof.
  intro B. split; [unfold tid; lia|]. rewrite (proj1 (token_ok ms WF)) by exact B. apply passes_alone.
Qed.

Lemma upto_bytes k l : Forall byte l -> bytes_of tok (upto k l) = l.
Proof. apply passes_firstn_bytes, token_ok, WF. Qed.

(** No pair of a rank that has had its pass is present. *)
Lemma upto_clean c k : k <= length ms -> clean ms k (upto k c).
Proof.
  induction k as [|k IH]; intro K; [intros ? ? ? _ ?; lia|].
  destruct (nth_error ms k) as [[a b]|] eqn:E; [|apply nth_error_None in E; lia].
  rewrite (passes_last k ms a b) by exact E. apply clean_pass; auto. apply IH; lia.
Qed.

(** A token is there as soon as its own merge has been made. *)
Lemma upto_made k t : k <= length ms -> stays t -> t < tid k -> upto k (tok t) = [t].
Proof.
  intros K [_ E] L. rewrite (passes_cut k) in E by exact K. apply passes_single_low in E; auto.
Qed.

(** What is apart after some passes was apart after fewer. *)
Lemma upto_apart K k u v : k <= K -> K <= length ms -> Forall byte u -> Forall byte v ->
  upto K (u ++ v) = upto K u ++ upto K v -> upto k (u ++ v) = upto k u ++ upto k v.
Proof.
  intros L N Bu Bv E.
  assert (T : wf_tok (firstn K ms) tok).
  { destruct (token_ok ms WF) as [T T']. split; [exact T|]. intros r a b H. apply T'.
    rewrite <- (firstn_skipn K ms), nth_error_app1; [exact H|]. apply nth_error_Some. congruence. }
  pose proof (parts_upto (firstn K ms) tok T k u v) as H.
  rewrite firstn_length_le, firstn_firstn, Nat.min_l in H by assumption. auto.
Qed.

(** The parts of a token that encodes to itself do so too, its pair is listed first for it, and
    up to its merge the parts are worked out apart. *)
Lemma stays_parts r a b : nth_error ms r = Some (a, b) -> stays (tid r) ->
  stays a /\ stays b /\ rank ms a b = Some r /\
  (forall k, k <= r -> upto k (tok (tid r)) = upto k (tok a) ++ upto k (tok b)).
Proof.
  intros K [L E]. assert (R : r < length ms) by (unfold tid in L; lia).
  destruct (WF _ _ _ K) as [La Lb]. pose proof (proj2 (token_ok ms WF) _ _ _ K) as J.
  apply (decompose_token ms r a b) in E; [|apply tok_bytes, L|exact K].
  assert (Ba : Forall byte (tok a)) by (apply tok_bytes; unfold tid in *; lia).
  assert (Bb : Forall byte (tok b)) by (apply tok_bytes; unfold tid in *; lia).
  destruct (passes_split _ _ _ [a] [b] E) as (s & t & Est & Es & Et).
  assert (Bst : Forall byte (s ++ t)) by (rewrite <- Est, J; apply Forall_app; auto).
  apply Forall_app in Bst. destruct Bst as [Bs Bt].
  pose proof (upto_bytes r s Bs) as Hs. pose proof (upto_bytes r t Bt) as Ht.
  rewrite Es in Hs. rewrite Et in Ht. unfold bytes_of in Hs, Ht. cbn [flat_map] in Hs, Ht.
  rewrite app_nil_r in Hs, Ht. subst s t.
  assert (W : forall i, i < tid r -> upto r (tok i) = [i] -> stays i).
  { intros i Li Ei. split; [unfold tid in *; lia|].
    rewrite (passes_cut r), Ei by lia. apply passes_alone. }
  split; [auto|split; [auto|split]].
  - destruct (proj2 (rank_ok ms) _ _ _ K) as (k & F & G).
    destruct (Nat.eq_dec k r) as [->|N]; [exact F|].
    pose proof (upto_clean (tok (tid r)) r (Nat.lt_le_incl _ _ R)) as C.
    exfalso. apply (C a b k); [apply (rank_ok ms), F|lia|]. rewrite E. left; auto.
  - intros k G. rewrite J. apply (upto_apart r); auto; [lia|]. rewrite <- J, E, Es, Et. reflexivity.
Qed.

(** * Two tokens *)
Section Two.
Variables x y : nat.
Hypothesis SX : stays x.
Hypothesis SY : stays y.

(** The pass at rank [k] takes no id from both. *)
Definition passes_by (k : nat) : Prop := forall a b, nth_error ms k = Some (a, b) ->
  merge_pass a b (tid k) (upto k (tok x) ++ upto k (tok y)) =
  merge_pass a b (tid k) (upto k (tok x)) ++ merge_pass a b (tid k) (upto k (tok y)).

Lemma apart_iff K : K <= length ms ->
  upto K (tok x ++ tok y) = upto K (tok x) ++ upto K (tok y) <-> (forall k, k < K -> passes_by k).
Proof.
  pose proof (tok_bytes x (proj1 SX)) as Bx. pose proof (tok_bytes y (proj1 SY)) as By.
  intro L. split.
  - intros E k H a b N. rewrite <- (upto_apart K k) by (auto; lia).
    rewrite <- !(passes_last k ms a b) by exact N. apply (upto_apart K); auto.
  - intro P. induction K as [|K IH]; [reflexivity|].
    destruct (nth_error ms K) as [[a b]|] eqn:N; [|apply nth_error_None in N; lia].
    rewrite !(passes_last K ms a b) by exact N. rewrite IH by (intros; try apply P; lia).
    apply P; [lia|exact N].
Qed.

(** [l] is the last id left of the border from when it is made until [used_up] is. *)
Definition on_the_left (l used_up : nat) : Prop :=
  stays l /\ l <= x /\ l < used_up /\
  (forall k, k <= length ms -> tid k <= used_up -> exists u, upto k (tok x) = u ++ upto k (tok l)) /\
  (forall k, k < length ms -> tid k = used_up -> exists u, upto (S k) (tok x) = u ++ [tid k]).

(** [r] is the first id right of the border from when it is made until [used_up] is. *)
Definition on_the_right (r used_up : nat) : Prop :=
  stays r /\ r <= y /\ r < used_up /\
  (forall k, k <= length ms -> tid k <= used_up -> exists v, upto k (tok y) = upto k (tok r) ++ v).

Lemma parts_of t : 256 <= t -> t < tid (length ms) ->
  exists r, t = tid r /\ r < length ms /\ nth_error ms r = Some (left_part ms t, right_part ms t).
Proof.
  intros G L. unfold tid in L. exists (t - 256). split; [unfold tid; lia|]. split; [lia|].
  unfold left_part, right_part. destruct (Nat.ltb_spec t 256) as [|_]; [lia|].
  rewrite (nth_error_nth' ms (t, t)) by lia. destruct (nth _ ms _); reflexivity.
Qed.

Lemma on_the_left_first : on_the_left x limit.
Proof.
  pose proof (proj1 SX). split; [exact SX|]. split; [lia|]. split; [lia|]. split.
  - intros k _ _. exists []; reflexivity.
  - intros k L E. unfold tid in *. lia.
Qed.

Lemma on_the_right_first : on_the_right y limit.
Proof.
  pose proof (proj1 SY). split; [exact SY|]. split; [lia|]. split; [lia|].
  intros k _ _. exists []; rewrite app_nil_r; reflexivity.
Qed.

Lemma on_the_left_step l used_up : 256 <= l -> on_the_left l used_up ->
  on_the_left (right_part ms l) l.
Proof.
  intros G (S & Lx & Lu & H & _). destruct (parts_of l G (proj1 S)) as (r & -> & R & K).
  remember (right_part ms (tid r)) as b eqn:Eb. clear Eb.
  destruct (stays_parts _ _ _ K S) as (_ & Sb & _ & P). destruct (WF _ _ _ K) as [_ Lb].
  split; [exact Sb|]. split; [lia|]. split; [exact Lb|]. split.
  - intros k Lk Tk. destruct (H k Lk) as (u & ->); [lia|].
    rewrite P by (unfold tid in Tk; lia). eexists. apply app_assoc.
  - intros k Lk Tk. assert (k = r) as -> by (unfold tid in Tk; lia).
    destruct (H (Datatypes.S r)) as (u & E); [lia|unfold tid in *; lia|].
    rewrite (upto_made (Datatypes.S r) (tid r)) in E by (auto; unfold tid; lia).
    exists u. exact E.
Qed.

Lemma on_the_right_step r used_up : 256 <= r -> on_the_right r used_up ->
  on_the_right (left_part ms r) r.
Proof.
  intros G (S & Ly & Lu & H). destruct (parts_of r G (proj1 S)) as (i & -> & R & K).
  remember (left_part ms (tid i)) as a eqn:Ea. clear Ea.
  destruct (stays_parts _ _ _ K S) as (Sa & _ & _ & P). destruct (WF _ _ _ K) as [La _].
  split; [exact Sa|]. split; [lia|]. split; [exact La|].
  intros k Lk Tk. destruct (H k Lk) as (v & ->); [lia|].
  rewrite P by (unfold tid in Tk; lia). eexists. symmetry. apply app_assoc.
Qed.

Lemma merged_some a b r : rank ms a b = Some r -> merged ms limit a b = tid r.
Proof. unfold merged. intros ->. reflexivity. Qed.

Lemma merged_below a b : merged ms limit a b < limit -> exists r, rank ms a b = Some r /\
  merged ms limit a b = tid r /\ nth_error ms r = Some (a, b).
Proof.
  unfold merged. destruct (rank ms a b) as [r|] eqn:E; [|lia].
  intros _. exists r. split; [auto|split; [auto|]]. apply (rank_ok ms), E.
Qed.

(** One look: two ids that meet do not merge across, or the walk says no. *)
Lemma look k l r lu ru : on_the_left l lu -> on_the_right r ru ->
  k < length ms -> l < tid k -> r < tid k -> tid k <= lu -> tid k <= ru ->
  (forall n, merged ms limit l r = tid n -> n <= k -> ~ (tid n < lu /\ tid n <= ru)) ->
  passes_by k.
Proof.
  intros (Sl & _ & _ & Hl & Ul) (Sr & _ & _ & Hr) N Ll Lr Tl Tr Q a b K.
  destruct (Hl k) as (u & Eu); try lia. destruct (Hr k) as (v & Ev); try lia.
  rewrite (upto_made k l) in Eu by (auto; lia). rewrite (upto_made k r) in Ev by (auto; lia).
  destruct (Nat.eq_dec (tid k) lu) as [E|E].
  - destruct (Ul k N E) as (w & Ew). rewrite (passes_last k ms a b) in Ew by exact K.
    apply (merge_pass_used_up _ _ _ _ w); [|exact Ew].
    pose proof (passes_bound (firstn k ms) 0 (tok x) (tok_bytes x (proj1 SX))) as B.
    rewrite firstn_length_le in B by lia. exact B.
  - rewrite Eu, Ev. apply merge_pass_border. intros [-> ->].
    destruct (proj2 (rank_ok ms) _ _ _ K) as (n & F & G).
    apply (Q n); [apply merged_some, F|exact G|]. unfold tid in *. lia.
Qed.

(** If the walk says yes, no pass takes an id from both. *)
Lemma walk_sound K token fuel : K <= length ms -> (forall k, k < K -> tid k <> token) ->
  forall l r lu ru, on_the_left l lu -> on_the_right r ru ->
  walk ms limit token fuel l r lu ru = true ->
  forall k, k < K -> tid k <= lu -> tid k <= ru -> passes_by k.
Proof.
  intros LK TK. induction fuel as [|f IH]; intros l r lu ru Hl Hr W k Lk Tl Tr; [discriminate|].
  simpl in W. branch W C; [discriminate|].
  assert (Q : forall n, merged ms limit l r = tid n -> n <= k -> ~ (tid n < lu /\ tid n <= ru)).
  { intros n E Ln [G1 G2]. rewrite E in C. rewrite !andb_false_iff, negb_false_iff in C.
    rewrite ?Nat.ltb_ge, ?Nat.leb_gt, Nat.eqb_eq in C.
    destruct C as [[C|C]|C]; try (unfold tid in *; lia). apply (TK n); [lia|exact C]. }
  branch W B; rewrite ?andb_true_iff, ?orb_true_iff, ?andb_false_iff, ?orb_false_iff,
    ?Nat.ltb_lt, ?Nat.ltb_ge in B.
  - apply (look k l r lu ru); auto; unfold tid; lia.
  - branch W M; rewrite ?Nat.leb_le, ?Nat.leb_gt in M.
    + destruct (Nat.le_gt_cases (tid k) l) as [O|O].
      * apply (IH _ _ _ _ (on_the_left_step l lu ltac:(lia) Hl) Hr W k); auto.
      * apply (look k l r lu ru); auto; lia.
    + destruct (Nat.le_gt_cases (tid k) r) as [O|O].
      * apply (IH _ _ _ _ Hl (on_the_right_step r ru ltac:(lia) Hr) W k); auto.
      * apply (look k l r lu ru); auto; lia.
Qed.

(** If the walk says no, some pass does. *)
Lemma walk_complete token fuel : forall l r lu ru, on_the_left l lu -> on_the_right r ru ->
  (l = x /\ r = y) \/ lu <= max x y \/ ru <= max x y -> lu <= limit -> l + r < fuel ->
  walk ms limit token fuel l r lu ru = false ->
  exists k, k < length ms /\ tid k <> token /\ ~ passes_by k /\
            (rank ms x y = Some k \/ tid k <= max x y).
Proof.
  induction fuel as [|f IH]; intros l r lu ru Hl Hr M Lu F W; [lia|].
  simpl in W. branch W C.
  - clear IH W.
    rewrite !andb_true_iff, negb_true_iff, ?Nat.ltb_lt, ?Nat.leb_le, Nat.eqb_neq in C.
    destruct C as [[C1 C2] C3]. destruct (merged_below l r) as (k & R & E & K); [lia|].
    rewrite E in *. assert (Lk : k < length ms) by (apply nth_error_Some; congruence).
    destruct (WF _ _ _ K) as [Ll Lr]. exists k. split; [exact Lk|]. split; [exact C3|]. split.
    + intro P. destruct Hl as (Sl & _ & _ & Hl & _), Hr as (Sr & _ & _ & Hr).
      destruct (Hl (S k)) as (u & Eu); [lia|unfold tid in *; lia|].
      destruct (Hr k) as (v & Ev); [lia|exact C2|].
      rewrite (upto_made (S k) l), (passes_last k ms l r) in Eu by (auto; unfold tid in *; lia).
      rewrite (upto_made k r) in Ev by (auto; lia).
      specialize (P _ _ K). rewrite Ev in P. cbn [app] in P.
      apply (merge_pass_crosses l r (tid k) (upto k (tok x)) u v) in P; [exact P|lia|lia|exact Eu].
    + destruct M as [[-> ->]|M]; [left; exact R|right; lia].
  - destruct ((l <? 256) && (r <? 256)) eqn:B; [discriminate|].
    rewrite andb_false_iff, !Nat.ltb_ge in B.
    pose proof Hl as (_ & Lx & Llu & _). pose proof Hr as (_ & Ly & _).
    destruct (Nat.leb_spec r l) as [O|O].
    + pose proof (on_the_left_step l lu ltac:(lia) Hl) as H. pose proof H as (_ & _ & D & _).
      apply (IH _ _ _ _ H Hr); auto; lia.
    + pose proof (on_the_right_step r ru ltac:(lia) Hr) as H. pose proof H as (_ & _ & D & _).
      apply (IH _ _ _ _ Hl H); auto; lia.
Qed.

Lemma stay_yes K token : K <= length ms -> (forall k, k < K -> tid k <> token) ->
  stay ms limit x y token = true -> forall k, k < K -> passes_by k.
Proof.
  intros L T W k Lk. apply (walk_sound K token _ L T _ _ _ _ on_the_left_first on_the_right_first W);
    unfold tid in *; lia.
Qed.

Lemma stay_not token : stay ms limit x y token = false ->
  exists k, k < length ms /\ tid k <> token /\ ~ passes_by k /\
            (rank ms x y = Some k \/ tid k <= max x y).
Proof.
  intro W. exact (walk_complete token _ _ _ _ _ on_the_left_first on_the_right_first
    (or_introl (conj eq_refl eq_refl)) (le_n _) (le_n _) W).
Qed.

(** [Merges.keep_apart] is right: it says yes if, and only if, the bytes of the two tokens, joined,
    encode to the two. *)
Theorem stay_iff : stay ms limit x y 0 = true <-> encode (tok x ++ tok y) = [x; y].
Proof.
  pose proof (apart_iff (length ms) (le_n _)) as A. rewrite firstn_all in A.
  rewrite (proj2 SX), (proj2 SY) in A. cbn [app] in A. rewrite A. clear A. split.
  - apply stay_yes; [lia|]. intros k _. unfold tid. lia.
  - intro P. destruct (stay ms limit x y 0) eqn:W; [reflexivity|].
    apply stay_not in W. destruct W as (k & L & _ & N & _). destruct (N (P k L)).
Qed.

(** With a token, the same of the passes before its own. *)
Lemma stay_but_for K : K < length ms -> rank ms x y = Some K ->
  stay ms limit x y (tid K) = true <-> upto K (tok x ++ tok y) = upto K (tok x) ++ upto K (tok y).
Proof.
  intros L R. rewrite apart_iff by lia. split.
  - apply stay_yes; [lia|]. intros k Lk. unfold tid. lia.
  - intro P. destruct (stay ms limit x y (tid K)) eqn:W; [reflexivity|].
    apply stay_not in W. destruct W as (k & Lk & T & N & [Q|Q]); [congruence|].
    apply (rank_ok ms), WF in R. destruct (N (P k ltac:(unfold tid in *; lia))).
Qed.
End Two.

(** What [Merges.self_encoding_tokens] asks of a merge is right: all of it holds if, and only if, the
    bytes of the token encode to it. *)
Theorem stay_token r a b : nth_error ms r = Some (a, b) ->
  stays a /\ stays b /\ rank ms a b = Some r /\ stay ms limit a b (tid r) = true <-> stays (tid r).
Proof.
  intro K. assert (L : r < length ms) by (apply nth_error_Some; congruence).
  destruct (WF _ _ _ K) as [La Lb]. split.
  - intros (Sa & Sb & R & W). split; [unfold tid; lia|].
    apply stay_but_for in W; auto. rewrite <- (proj2 (token_ok ms WF) _ _ _ K) in W.
    rewrite (upto_made r a), (upto_made r b) in W by (auto; lia). cbn [app] in W.
    rewrite (passes_cut (S r)), (passes_last r ms a b), W by auto.
    rewrite merge_pass_step, !Nat.eqb_refl. apply passes_alone.
  - intro S. destruct (stays_parts _ _ _ K S) as (Sa & Sb & R & P). split; [exact Sa|].
    split; [exact Sb|]. split; [exact R|]. apply stay_but_for; auto.
    rewrite <- (proj2 (token_ok ms WF) _ _ _ K). apply P; auto.
Qed.

(** The walk says no of a merge whose pair is listed before it: that the pair is listed first
    need not be asked apart. Speaks of [_merges.Merges.self_encoding_tokens]. *)
Theorem stay_listed r a b : nth_error ms r = Some (a, b) ->
  stay ms limit a b (tid r) = true -> rank ms a b = Some r.
Proof.
  intros K W. destruct (proj2 (rank_ok ms) _ _ _ K) as (k & F & G).
  assert (L : r < length ms) by (apply nth_error_Some; congruence).
  unfold stay in W. cbn [walk] in W. rewrite (merged_some _ _ _ F) in W. branch W C; [discriminate|].
  rewrite !andb_false_iff, negb_false_iff, Nat.ltb_ge, Nat.leb_gt, Nat.eqb_eq in C.
  rewrite F. f_equal. unfold tid in *. lia.
Qed.

Lemma staying_ok rest : forall r known, skipn r ms = rest -> r <= length ms ->
  length known = tid r -> (forall t, t < tid r -> nth t known false = true <-> stays t) ->
  length (staying ms limit r rest known) = tid (length ms) /\
  forall t, t < tid (length ms) -> nth t (staying ms limit r rest known) false = true <-> stays t.
Proof.
  induction rest as [|[a b] rest IH]; intros r known E G L H.
  - pose proof (skipn_length r ms) as N. rewrite E in N. cbn [length] in N.
    assert (r = length ms) as -> by lia. split; [exact L|exact H].
  - apply skipn_cons in E. destruct E as [K E].
    assert (Lr : r < length ms) by (apply nth_error_Some; congruence).
    destruct (WF _ _ _ K) as [La Lb]. cbn [staying]. apply IH; [exact E|lia| |].
    + rewrite app_length, L. unfold tid. simpl. lia.
    + intros t Lt. destruct (Nat.eq_dec t (tid r)) as [->|N].
      * rewrite app_nth2, L, Nat.sub_diag by lia. cbn [nth].
        rewrite !andb_true_iff, (H a La), (H b Lb), Nat.eqb_eq, <- (stay_token r a b K).
        assert (M : merged ms limit a b = tid r <-> rank ms a b = Some r).
        { unfold merged, tid in *. destruct (rank ms a b) as [k|]; split; intro Q; try lia.
          - f_equal; lia.
          - injection Q as ->. reflexivity.
          - discriminate. }
        rewrite M. tauto.
      * unfold tid in *. rewrite app_nth1 by lia. apply H. lia.
Qed.

(** [Merges.self_encoding_tokens] is right: it yields the tokens whose bytes encode to them. *)
Theorem tokens_that_stay_iff t : In t (tokens_that_stay ms limit) <-> stays t.
Proof.
  destruct (staying_ok ms 0 (repeat true 256) eq_refl (Nat.le_0_l _) (repeat_length _ _)) as [L H].
  { intros i Li. rewrite (nth_indep _ false true), nth_repeat by (rewrite repeat_length; exact Li).
    split; [intros _; apply byte_stays; exact Li|reflexivity]. }
  unfold tokens_that_stay. rewrite filter_In, in_seq, L. split.
  - intros [[_ I] N]. apply H; [exact I|exact N].
  - intro S. pose proof (proj1 S) as I. split; [lia|]. apply H; [exact I|exact S].
Qed.

(** * Two parts of a chunk *)

Lemma encoding_stays l : Forall byte l -> Forall stays (encode l).
Proof.
  intro B. pose proof (passes_ids ms l B) as I. pose proof (encoding_owns ms tok (token_ok ms WF) l B) as O.
  rewrite Forall_forall in *. intros t H. split; [apply I, H|apply O, H].
Qed.

Lemma stays_own t : stays t -> own ms tok t.
Proof.
  intros [L E]. split; [apply token_nonnil; auto|split; [apply tok_bytes, L|exact E]].
Qed.

Lemma neighbours_join {A} (P : A -> A -> Prop) us x y vs : P x y ->
  neighbours P (us ++ [x]) -> neighbours P (y :: vs) -> neighbours P ((us ++ [x]) ++ y :: vs).
Proof.
  intros H. induction us as [|u [|w us] IH]; cbn [app]; intros N M.
  - split; auto.
  - destruct N as [N _]. split; [exact N|]. split; auto.
  - destruct N as [N N']. split; [exact N|]. apply IH; auto.
Qed.

(** Two parts of a chunk encode one by one if, and only if, the last token of the first and the
    first token of the second stay. Speaks of [_encoder.Encoder._encode_chunk]. *)
Theorem stay_join u v us x y vs : Forall byte u -> Forall byte v ->
  encode u = us ++ [x] -> encode v = y :: vs ->
  stay ms limit x y 0 = true <-> encode (u ++ v) = encode u ++ encode v.
Proof.
  intros Bu Bv Eu Ev. pose proof (token_ok ms WF) as T.
  pose proof (encoding_stays u Bu) as Su. pose proof (encoding_stays v Bv) as Sv.
  pose proof (encoding_fits ms tok T u Bu) as Fu. pose proof (encoding_fits ms tok T v Bv) as Fv.
  rewrite Eu in Su, Fu. rewrite Ev in Sv, Fv.
  assert (Sx : stays x) by (apply Forall_app in Su; destruct Su as [_ Su]; inversion Su; auto).
  assert (Sy : stays y) by (inversion Sv; auto).
  rewrite (stay_iff x y Sx Sy). split; intro H.
  - transitivity (encode (bytes_of tok (encode u ++ encode v))).
    { rewrite bytes_of_app, !(passes_bytes ms tok) by assumption. reflexivity. }
    apply (fit_encodes ms tok WF T); rewrite Eu, Ev.
    + apply Forall_app. split; (eapply Forall_impl; [exact stays_own|assumption]).
    + apply neighbours_join; auto.
  - pose proof (encode_factor ms tok T (u ++ v) us [x; y] vs) as F.
    unfold bytes_of in F. cbn [flat_map] in F. rewrite app_nil_r in F. apply F.
    + apply Forall_app; auto.
    + rewrite H, Eu, Ev, <- app_assoc. reflexivity.
Qed.
End Stay.
