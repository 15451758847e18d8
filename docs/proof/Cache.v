(** The encoder with its cache of chunks: [_encoder.py: Encoder].

    A cache is a list of chunks with their ids. What it keeps and drops is left open, so the
    theorems cover two generations, a cache without room, and one that threads share. So are the
    splitter and the blocks, if the chunks of the blocks are the chunks of the text, and the
    numbering, which is applied to the ids of a chunk before the cache keeps them. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Training Pattern Special Utf8 Tokenizer.
Import ListNotations.

Notation cache := (list (list nat * list nat)) (only parsing).

(** The ids of a chunk, if the cache contains it. *)
Fixpoint known (c : cache) (chunk : list nat) : option (list nat) :=
  match c with
  | [] => None
  | (t, ids) :: rest => if list_eqb t chunk then Some ids else known rest chunk
  end.

Section Cache.
Variables (split blocks_of : list nat -> list (list nat)) (whole names : list (list nat)).
(** The cache after a lookup of a chunk with these ids. *)
Variable keep : cache -> list nat -> list nat -> cache.
Variable ms : list (nat * nat).
(** The id of each number that [Tokenizer.encode] gives; schema versions 1 and 2 change none. *)
Variable id_of : nat -> nat.

(** The ids of a chunk that the cache does not contain. *)
Definition new_ids (chunk : list nat) : list nat :=
  map id_of (let c := utf8s chunk in
             if existsb (list_eqb c) whole then [256 + length ms + index whole c]
             else greedy1 (rank ms) c).

(** [__getitem__] of the cache: look up a chunk, or compute its ids. *)
Definition get (c : cache) (chunk : list nat) : list nat * cache :=
  let ids := match known c chunk with Some ids => ids | None => new_ids chunk end in
  (ids, keep c chunk ids).

Fixpoint get_all (c : cache) (chunks : list (list nat)) : list nat * cache :=
  match chunks with
  | [] => ([], c)
  | chunk :: t =>
      let (ids, c') := get c chunk in let (rest, c'') := get_all c' t in (ids ++ rest, c'')
  end.

(** [_encoder.py: Encoder._encode_ordinary]. *)
Definition segment (c : cache) (s : list nat) : list nat * cache :=
  get_all c (flat_map split (blocks_of s)).

(** The ids of the special tokens, each with the text after it. *)
Fixpoint others (c : cache) (ss : list (list nat * list nat)) : list nat * cache :=
  match ss with
  | [] => ([], c)
  | (name, s) :: t =>
      let (ids, c') := segment c s in let (rest, c'') := others c' t in
      (id_of (special whole names ms name) :: ids ++ rest, c'')
  end.

(** [Encoder.encode] of a text that is cut at special tokens: the ids, and the cache afterwards. *)
Definition encode_cut (c : cache) (parts : list nat * list (list nat * list nat)) : list nat * cache :=
  let (s, t) := parts in
  let (ids, c') := segment c s in let (rest, c'') := others c' t in (ids ++ rest, c'').
Definition encode_cached (c : cache) (text : list nat) : list nat * cache :=
  encode_cut c (cut names text).

Hypothesis B : forall s, flat_map split (blocks_of s) = split s.
Hypothesis WF : wf_merges ms.
Hypothesis KEEP : forall c chunk ids e, In e (keep c chunk ids) -> e = (chunk, ids) \/ In e c.

Definition ids_of (chunk : list nat) : list nat := map id_of (chunk_ids whole ms (utf8s chunk)).

(** Every entry of a cache has the ids of the specification. *)
Definition right (c : cache) : Prop := forall chunk ids, In (chunk, ids) c -> ids = ids_of chunk.

Lemma known_right c chunk ids : right c -> known c chunk = Some ids -> ids = ids_of chunk.
Proof.
  intros R. induction c as [|[t i] c IH]; simpl; [discriminate|].
  destruct (list_eqb t chunk) eqn:E.
  - intro H. injection H as <-. apply list_eqb_eq in E. subst. apply R. left; reflexivity.
  - apply IH. intros u v H. apply R. right; exact H.
Qed.

(** Whatever the cache keeps and drops, a lookup gives the ids of the specification, and the entries
    stay right. Speaks of [_encoder.Encoder]. *)
Theorem get_ok c chunk : right c -> fst (get c chunk) = ids_of chunk /\ right (snd (get c chunk)).
Proof.
  intro R. unfold get. cbn [fst snd].
  assert (E : match known c chunk with Some ids => ids | None => new_ids chunk end = ids_of chunk).
  { destruct (known c chunk) as [ids|] eqn:K; [apply (known_right c); auto|].
    unfold new_ids, ids_of, chunk_ids. rewrite (greedy1_eq_passes ms); auto using rank_ok. }
  split; [exact E|]. intros t i H. apply KEEP in H. destruct H as [H|H]; [|apply R, H].
  injection H as -> ->. exact E.
Qed.

Lemma get_all_ok chunks : forall c, right c ->
  fst (get_all c chunks) = flat_map ids_of chunks /\ right (snd (get_all c chunks)).
Proof.
  induction chunks as [|chunk t IH]; intros c R; [split; [reflexivity|exact R]|].
  cbn [get_all flat_map]. destruct (get_ok c chunk R) as [E R'].
  destruct (get c chunk) as [ids c']. cbn [fst snd] in *. destruct (IH c' R') as [F R''].
  destruct (get_all c' t) as [rest c'']. cbn [fst snd] in *. split; [congruence|exact R''].
Qed.

(** Ordinary text has the ids of the specification: it is cut into blocks, and each chunk is looked
    up. Speaks of [_encoder.Encoder.encode]. *)
Theorem segment_ok c s : right c ->
  fst (segment c s) = map id_of (ordinary split whole ms s) /\ right (snd (segment c s)).
Proof.
  intro R. unfold segment, ordinary. rewrite B, flat_map_concat_map, concat_map, map_map.
  rewrite <- flat_map_concat_map. apply get_all_ok, R.
Qed.

Lemma others_ok ss : forall c, right c ->
  fst (others c ss) = map id_of (flat_map
    (fun p => special whole names ms (fst p) :: ordinary split whole ms (snd p)) ss) /\
  right (snd (others c ss)).
Proof.
  induction ss as [|[name s] t IH]; intros c R; [split; [reflexivity|exact R]|].
  cbn [others flat_map app map]. rewrite map_app. destruct (segment_ok c s R) as [E R'].
  destruct (segment c s) as [ids c']. cbn [fst snd] in *. destruct (IH c' R') as [F R''].
  destruct (others c' t) as [rest c'']. cbn [fst snd app] in *. split; [congruence|exact R''].
Qed.

(** The whole encoder gives the ids of the specification, whichever special tokens are found. Speaks
    of [_encoder.Encoder.encode]. *)
Theorem encode_cut_ok c parts : right c ->
  fst (encode_cut c parts) = map id_of (encode_parts split whole names ms parts) /\
  right (snd (encode_cut c parts)).
Proof.
  intro R. unfold encode_cut, encode_parts. destruct parts as [s t].
  rewrite map_app. destruct (segment_ok c s R) as [E R']. destruct (segment c s) as [ids c'].
  cbn [fst snd] in *. destruct (others_ok t c' R') as [F R'']. destruct (others c' t) as [rest c''].
  cbn [fst snd] in *. split; [congruence|exact R''].
Qed.

(** So it does with any text. It splits at the special tokens, cuts at
    safe boundaries, and looks up each chunk. In a new chunk, it merges the leftmost occurrence of
    the pair of lowest rank first. Speaks of [_encoder.Encoder.encode]. *)
Theorem encode_cached_ok c text : right c ->
  fst (encode_cached c text) = map id_of (encode split whole names ms text) /\
  right (snd (encode_cached c text)).
Proof. apply encode_cut_ok. Qed.
End Cache.
