(** A new chunk from parts that are known: [_encoder.py: Encoder], and the cache.

    A cache is a list of texts with their ids. It may hold whatever it likes and forget what it
    likes, as long as what it holds is right: then what is put together from it is right. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Locality Training Stay Utf8 Tokenizer.
Import ListNotations.

Notation cache := (list (list nat * list nat)) (only parsing).

(** The ids that are known of a text: [dict.get] of the cache. *)
Fixpoint known (c : cache) (text : list nat) : option (list nat) :=
  match c with
  | [] => None
  | (t, ids) :: rest => if list_eqb t text then Some ids else known rest text
  end.

(** [__getitem__] of the cache, which keeps the texts that are worked out, if they are not longer
    than [longest], and [tidy], which may make room: its [__missing__]. *)
Definition get (work_out : cache -> list nat -> list nat * cache) (tidy : cache -> cache)
    (longest : nat) (c : cache) (text : list nat) : list nat * cache :=
  match known c text with
  | Some ids => (ids, c)
  | None =>
      let (ids, c') := work_out c text in
      (ids, if length text <=? longest then (text, ids) :: tidy c' else c')
  end.

(** The loop over the parts in front of a chunk: the longest that is known, and fits. *)
Fixpoint by_parts (ms : list (nat * nat)) (limit : nat)
    (look_up : cache -> list nat -> list nat * cache) (chunk : list nat) (stop : nat) (c : cache)
    : list nat * cache :=
  match stop with
  | 0 => (greedy (rank ms) (utf8s chunk), c)
  | S before =>
      match known c (firstn stop chunk) with
      | None => by_parts ms limit look_up chunk before c
      | Some front =>
          let (rest, c') := look_up c (skipn stop chunk) in
          if stay ms limit (last front 0) (hd 0 rest) 0 then (front ++ rest, c')
          else by_parts ms limit look_up chunk before c'
      end
  end.

(** The ids of a new chunk: the rest of a [short] chunk is worked out in the same way. *)
Fixpoint work_out (ms : list (nat * nat)) (limit short longest : nat) (tidy : cache -> cache)
    (fuel : nat) (c : cache) (chunk : list nat) : list nat * cache :=
  match fuel with
  | 0 => (greedy (rank ms) (utf8s chunk), c)
  | S f =>
      if length chunk <=? short then
        by_parts ms limit (get (work_out ms limit short longest tidy f) tidy longest)
          chunk (length chunk - 1) c
      else (greedy (rank ms) (utf8s chunk), c)
  end.

(** The cache of chunks, looked up: of a chunk, its ids, and the cache after that. *)
Definition encode_chunk (ms : list (nat * nat)) (limit short longest : nat) (tidy : cache -> cache)
    (c : cache) (chunk : list nat) : list nat * cache :=
  get (work_out ms limit short longest tidy (length chunk)) tidy longest c chunk.

(** The tokens that stay, with their texts, with which the cache begins. *)
Definition known_tokens (ms : list (nat * nat)) (limit : nat) : cache :=
  let tokens := vocab ms in
  flat_map
    (fun t => match decode_utf8 (nth t tokens []) with Some text => [(text, [t])] | None => [] end)
    (tokens_that_stay ms limit).

Section Cache.
Variables (ms : list (nat * nat)) (limit short longest : nat) (tidy : cache -> cache).
Hypothesis WF : wf_merges ms.
Hypothesis LIMIT : tid (length ms) <= limit.
Hypothesis TIDY : forall c e, In e (tidy c) -> In e c.

Definition ids_of (text : list nat) : list nat := passes 0 ms (utf8s text).

(** All that a cache holds is right. *)
Definition right (c : cache) : Prop := forall text ids, In (text, ids) c -> ids = ids_of text.

Lemma known_right c text ids : right c -> known c text = Some ids -> ids = ids_of text.
Proof.
  intros R. induction c as [|[t i] c IH]; simpl; [discriminate|].
  destruct (list_eqb t text) eqn:E.
  - intro H. injection H as <-. apply list_eqb_eq in E. subst. apply R. left; reflexivity.
  - apply IH. intros u v H. apply R. right; exact H.
Qed.

(** The two ways to encode a chunk are one. *)
Lemma apply_ids text : greedy (rank ms) (utf8s text) = ids_of text.
Proof. apply (greedy_eq_passes ms); [exact WF|apply rank_ok]. Qed.

Lemma ids_of_nonnil text : text_ok text -> text <> [] -> ids_of text <> [].
Proof.
  intros T N H. pose proof (token_ok ms WF) as K. pose proof (utf8s_bytes text T) as B.
  pose proof (passes_bytes ms (token ms) _ K B) as E. unfold ids_of in H. rewrite H in E.
  cbn in E. pose proof (decode_utf8_complete text T) as D. rewrite <- E in D.
  cbn in D. congruence.
Qed.

(** Two texts, joined, have their ids, joined, if the tokens at the border stay. Speaks of
    [_encoder.Encoder.encode]. *)
Theorem texts_join u v : text_ok u -> text_ok v -> u <> [] -> v <> [] ->
  stay ms limit (last (ids_of u) 0) (hd 0 (ids_of v)) 0 = true <->
  ids_of (u ++ v) = ids_of u ++ ids_of v.
Proof.
  intros Tu Tv Nu Nv. pose proof (ids_of_nonnil u Tu Nu) as Iu. pose proof (ids_of_nonnil v Tv Nv) as Iv.
  unfold ids_of in *. rewrite utf8s_app.
  apply (stay_join ms limit WF LIMIT _ _ (removelast (passes 0 ms (utf8s u))) _ _
           (tl (passes 0 ms (utf8s v)))); auto using utf8s_bytes, app_removelast_last.
  destruct (passes 0 ms (utf8s v)); [congruence|reflexivity].
Qed.

(** What is asked of a way to look a text up. *)
Definition looks_up (f : cache -> list nat -> list nat * cache) : Prop := forall c text,
  right c -> text_ok text -> fst (f c text) = ids_of text /\ right (snd (f c text)).

Lemma get_ok f : looks_up f -> looks_up (get f tidy longest).
Proof.
  intros F c text R T. unfold get. destruct (known c text) as [ids|] eqn:K.
  - split; [apply (known_right c); auto|exact R].
  - specialize (F c text R T). destruct (f c text) as [ids c']. cbn [fst snd] in *.
    destruct F as [-> R']. split; [reflexivity|]. destruct (_ <=? _); [|exact R'].
    intros t i [H|H]; [injection H as <- <-; reflexivity|apply R', TIDY, H].
Qed.

Lemma by_parts_ok f chunk stop : looks_up f -> text_ok chunk -> stop < length chunk ->
  forall c, right c -> fst (by_parts ms limit f chunk stop c) = ids_of chunk /\
                       right (snd (by_parts ms limit f chunk stop c)).
Proof.
  intros F T. induction stop as [|stop IH]; intros L c R; cbn [by_parts].
  - split; [apply apply_ids|exact R].
  - assert (Tu : text_ok (firstn (S stop) chunk) /\ text_ok (skipn (S stop) chunk)).
    { apply text_ok_app. rewrite firstn_skipn. exact T. }
    destruct Tu as [Tu Tv].
    destruct (known c (firstn (S stop) chunk)) as [front|] eqn:K; [|apply IH; [lia|exact R]].
    apply known_right in K; [|exact R]. specialize (F c (skipn (S stop) chunk) R Tv).
    destruct (f c (skipn (S stop) chunk)) as [rest c']. cbn [fst snd] in F. destruct F as [-> R'].
    destruct (stay _ _ _ _ _) eqn:W; [|apply IH; [lia|exact R']]. cbn [fst snd]. subst front.
    split; [|exact R']. apply texts_join in W; auto.
    + rewrite firstn_skipn in W. congruence.
    + intro E. apply (f_equal (@length nat)) in E. rewrite firstn_length in E. cbn [length] in E. lia.
    + intro E. apply (f_equal (@length nat)) in E. rewrite skipn_length in E. cbn [length] in E. lia.
Qed.

Lemma work_out_ok fuel : looks_up (work_out ms limit short longest tidy fuel).
Proof.
  induction fuel as [|f IH]; intros c text R T; cbn [work_out].
  - split; [apply apply_ids|exact R].
  - destruct (_ <=? _); [|split; [apply apply_ids|exact R]].
    destruct text as [|x text]; [split; [apply apply_ids|exact R]|].
    apply by_parts_ok; auto using get_ok. cbn [length]. lia.
Qed.

(** Whatever the cache holds and forgets, a chunk has the ids of the specification, and what the
    cache holds stays right. Speaks of [_encoder.Encoder.encode]. *)
Theorem encode_chunk_ok c chunk : right c -> text_ok chunk ->
  fst (encode_chunk ms limit short longest tidy c chunk) = ids_of chunk /\
  right (snd (encode_chunk ms limit short longest tidy c chunk)).
Proof. apply get_ok, work_out_ok. Qed.

(** And the cache begins with what is right. Speaks of [_encoder.Encoder.encode]. *)
Theorem known_tokens_right : right (known_tokens ms limit).
Proof.
  intros text ids H. unfold known_tokens in H. apply in_flat_map in H. destruct H as (t & I & H).
  apply tokens_that_stay_iff in I; auto. destruct I as [_ I].
  change (nth t (vocab ms) []) with (token ms t) in H.
  destruct (decode_utf8 (token ms t)) as [s|] eqn:D; [|destruct H].
  destruct H as [H|[]]. injection H as <- <-. apply decode_utf8_sound in D. destruct D as [D _].
  unfold ids_of. rewrite D, I. reflexivity.
Qed.
End Cache.
