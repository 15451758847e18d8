(** A numbering: the ids of another tokenizer, in any order and with gaps.

    [Tokenizer.encode] gives the numbers of tokens: bytes, merges, whole tokens and special tokens, in
    this order. In schema versions 1 and 2, these are the ids. Schema version 3 lists the id of each.
    [Cache] applies the numbering to each chunk, and proves that the result is [encode_ids]. *)
From Coq Require Import List Arith Lia.
From Bpetite Require Import Passes Encoders Training Special Utf8 Tokenizer.
From Bpetite Require General.
Import ListNotations.

Definition id_of (numbering : list nat) (number : nat) : nat := nth number numbering 0.

(** The bytes of an id, if the table contains it. *)
Fixpoint find_id (table : list (nat * list nat)) (i : nat) : option (list nat) :=
  match table with
  | [] => None
  | (j, bytes) :: t => if i =? j then Some bytes else find_id t i
  end.
(** The joined bytes of ids. An unknown id is an error: the result is [None]. *)
Definition decode_ids (table : list (nat * list nat)) (ids : list nat) : option (list nat) :=
  General.join_tokens (find_id table) ids.

Section Numbering.
Variables (split : list nat -> list (list nat)) (whole names : list (list nat)).

Definition encode_ids ms numbering text := map (id_of numbering) (encode split whole names ms text).
Definition ordinary_ids ms numbering text := map (id_of numbering) (ordinary split whole ms text).

(** Each id, with its bytes. *)
Definition table (ms : list (nat * nat)) (numbering : list nat) : list (nat * list nat) :=
  combine numbering (all_tokens whole names ms).
Definition decode_ids_text (ms : list (nat * nat)) (numbering ids : list nat) : option (list nat) :=
  match decode_ids (table ms numbering) ids with Some bytes => decode_utf8 bytes | None => None end.

(** * Round trip *)

(** An id that the numbering does not contain is an error. *)
Theorem decode_unknown ms numbering i ids :
  ~ In i numbering -> In i ids -> decode_ids (table ms numbering) ids = None.
Proof.
  intros N I. destruct (decode_ids _ ids) eqn:E; [|reflexivity].
  apply General.join_tokens_known in E. rewrite Forall_forall in E. destruct (E i I).
  unfold table. revert N. generalize (all_tokens whole names ms). clear.
  induction numbering as [|j l IH]; intros [|t tokens] N; simpl in *; auto.
  destruct (Nat.eqb_spec i j); [subst; tauto|apply IH; tauto].
Qed.

Lemma find_id_at tokens : forall numbering n bytes, NoDup numbering ->
  length numbering = length tokens -> nth_error tokens n = Some bytes ->
  find_id (combine numbering tokens) (id_of numbering n) = Some bytes.
Proof.
  induction tokens as [|t tokens IH]; intros [|i l] [|n] b D L E; simpl in *; try discriminate.
  - rewrite Nat.eqb_refl. exact E.
  - inversion D as [|? ? N D']; subst. injection L as L. change (id_of (i :: l) (S n)) with (id_of l n).
    destruct (Nat.eqb_spec (id_of l n) i) as [K|_]; [|apply IH; assumption].
    destruct N. rewrite <- K. apply nth_In. rewrite L. apply nth_error_Some. congruence.
Qed.

Section Numbers.
Variables (ms : list (nat * nat)) (numbering : list nat).
(** Each number has an id of its own. *)
Hypothesis D : NoDup numbering.
Hypothesis L : length numbering = length (all_tokens whole names ms).

(** The ids of numbers decode to the bytes of the numbers. *)
Theorem decode_numbered numbers bytes : decode whole names ms numbers = Some bytes ->
  decode_ids (table ms numbering) (map (id_of numbering) numbers) = Some bytes.
Proof.
  unfold decode, decode_ids. revert bytes. induction numbers as [|n t IH]; intros bytes E; [exact E|].
  simpl in *. destruct (nth_error _ n) as [b|] eqn:F; [|discriminate].
  destruct (join_tokens _ t); [|discriminate]. rewrite (IH _ eq_refl). unfold table.
  rewrite (find_id_at _ _ _ b) by assumption. exact E.
Qed.

(** The id of a special token decodes to its bytes. *)
Theorem numbered_special name : In name names ->
  decode_ids (table ms numbering) [id_of numbering (special whole names ms name)] = Some (utf8s name).
Proof. intro I. apply (decode_numbered [_] _ (decode_special split _ _ _ _ I)). Qed.

Hypothesis J : forall s, concat (split s) = s.

(** The ids of any text decode to the text, with special tokens or as ordinary text. *)
Theorem numbered_roundtrip text : wf_merges ms -> text_ok text ->
  decode_ids_text ms numbering (encode_ids ms numbering text) = Some text /\
  decode_ids_text ms numbering (ordinary_ids ms numbering text) = Some text.
Proof.
  intros W H. unfold decode_ids_text, encode_ids, ordinary_ids.
  rewrite !(fun numbers => decode_numbered numbers (utf8s text))
    by auto using roundtrip_bytes, decode_ordinary. auto using decode_utf8_complete.
Qed.

(** Different texts have different ids. *)
Corollary numbered_injective s t : wf_merges ms -> text_ok s -> text_ok t ->
  encode_ids ms numbering s = encode_ids ms numbering t -> s = t.
Proof.
  intros W Hs Ht E. apply (numbered_roundtrip s W) in Hs. apply (numbered_roundtrip t W) in Ht.
  destruct Hs, Ht. congruence.
Qed.

(** No ordinary text has the id of a special token. *)
Theorem numbered_apart text name : In name names -> text_ok text ->
  ~ In (id_of numbering (special whole names ms name)) (ordinary_ids ms numbering text).
Proof.
  intros I H M. apply in_map_iff in M. destruct M as (n & E & M).
  pose proof (Tokenizer.ordinary_ids split whole names J ms text name H) as F.
  rewrite Forall_forall in F. specialize (F n M). pose proof (special_token split whole _ ms _ I) as Q.
  assert (special whole names ms name < length numbering).
  { rewrite L. apply nth_error_Some. congruence. }
  rewrite NoDup_nth in D. apply D in E; lia.
Qed.
End Numbers.

(** * Truncation *)

(** The merges [first] and [last], with the ids of bytes and [first], of [last], and of the others. *)
Section Truncation.
Variables (first last : list (nat * nat)) (stay gone others : list nat).
Hypothesis S : length stay = 256 + length first.
Hypothesis G : length gone = length last.
Notation before := (stay ++ gone ++ others).
Notation after := (stay ++ others).

Lemma combine_app {A B} (l : list A) : forall (m : list B) l' m', length l = length m ->
  combine (l ++ l') (m ++ m') = combine l m ++ combine l' m'.
Proof.
  induction l as [|x l IH]; intros [|y m] l' m' E; try discriminate; [reflexivity|].
  injection E as E. simpl. rewrite IH by exact E. reflexivity.
Qed.

(** Without [last], only its ids are unknown; every other id has its bytes. *)
Theorem truncate_table : exists t bytes u, table first after = t ++ u /\
  table (first ++ last) before = t ++ combine gone bytes ++ u.
Proof.
  destruct (vocab_app first last) as (w & E & E' & K). rewrite E' in E.
  exists (combine stay (vocab first)), w, (combine others (whole ++ map utf8s names)).
  unfold table, all_tokens. rewrite E, <- app_assoc, !combine_app; rewrite ?vocab_length; auto.
  congruence.
Qed.

(** Bytes, the merges [first], whole tokens and special tokens keep their ids. *)
Theorem truncate_ids :
  (forall n, n < 256 + length first -> id_of after n = id_of before n) /\
  (forall c, In c whole -> map (id_of after) (chunk_ids whole first c) =
                           map (id_of before) (chunk_ids whole (first ++ last) c)) /\
  (forall name, id_of after (special whole names first name) =
                id_of before (special whole names (first ++ last) name)).
Proof.
  assert (T : forall n,
    id_of after (256 + length first + n) = id_of before (256 + length (first ++ last) + n)).
  { intro n. unfold id_of. rewrite app_length, !app_nth2 by lia. f_equal. lia. }
  split; [|split].
  - intros n N. unfold id_of. rewrite !app_nth1 by lia. reflexivity.
  - intros c I. rewrite !(fun m => proj1 (chunk_whole split whole names m c I)). cbn [map].
    f_equal. apply T.
  - intro name. unfold special. rewrite <- !(Nat.add_assoc (256 + _)). apply T.
Qed.
End Truncation.
End Numbering.
