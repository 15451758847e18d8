(** Examples of the definitions, and of classes that satisfy the assumptions of the theorems. *)
From Coq Require Import List Arith Lia Bool.
From Bpetite Require Import Passes Encoders Locality Training Pattern Special Utf8 Tokenizer OrdinaryParts Ascii.
Import ListNotations.

(** Some classes satisfy all the assumptions about classes. Speaks of
    [_patterns.Pattern.split]. *)
Example ascii_classes : classes is_letter is_digit is_space.
Proof.
  split.
  - intros x L. destruct (is_space x) eqn:S; auto. apply space_apart in S. destruct S; congruence.
  - intros x D. destruct (is_space x) eqn:S; auto. apply space_apart in S. destruct S; congruence.
  - auto.
  - auto.
  - repeat split.
  - reflexivity.
  - intro x. unfold is_mark. rewrite !andb_true_iff, negb_true_iff, !orb_false_iff, !Nat.leb_le.
    intros [[M _] [[L D] _]]. repeat split; [exact L|exact D|]. apply not_true_is_false.
    unfold is_space. rewrite orb_true_iff, andb_true_iff, !Nat.leb_le, Nat.eqb_eq. lia.
Qed.

Notation ascii f := (f is_letter is_digit is_space).

(** "aaabdaaabac", the example in every article on byte-pair encoding. *)
Example the_classic :
  train 100 [[97; 97; 97; 98; 100; 97; 97; 97; 98; 97; 99]] =
  [(97, 97); (97, 98); (256, 257); (97, 99); (100, 258); (258, 260); (261, 259)].
Proof. vm_compute. reflexivity. Qed.

(** "You'll  see" and a newline. *)
Example the_pattern :
  ascii split_gpt2 [89; 111; 117; 39; 108; 108; 32; 32; 115; 101; 101; 10] =
  [[89; 111; 117]; [39; 108; 108]; [32]; [32; 115; 101; 101]; [10]].
Proof. vm_compute. reflexivity. Qed.

(** With GPT-4's pattern: "You'll see 1234", and a newline after whitespace. *)
Example the_seven_branches :
  split_ascii [89; 111; 117; 39; 76; 108; 32; 115; 101; 101; 32; 49; 50; 51; 52; 32; 32; 33; 10; 9; 10] =
  [[89; 111; 117]; [39; 76; 108]; [32; 115; 101; 101]; [32]; [49; 50; 51]; [52]; [32]; [32; 33; 10]; [9; 10]].
Proof. vm_compute. reflexivity. Qed.

(** Learn from "ab ab ab"; with the special tokens "<b>" and "<|", encode "ab<|<b>ab". *)
Example the_tokenizer (gpt2 := ascii split_gpt2) (names := [[60; 98; 62]; [60; 124]])
    (text := [97; 98; 60; 124; 60; 98; 62; 97; 98]) (ms := [(97, 98); (32, 256)]) :
  train_text gpt2 2 [[97; 98; 32; 97; 98; 32; 97; 98]] = ms /\
  encode gpt2 [] names ms text = [256; 259; 258; 256] /\
  ordinary gpt2 [] ms text = [256; 60; 124; 60; 98; 62; 256] /\
  decode_text [] names ms [256; 259; 258; 256] = Some text /\
  decode_text [] names ms [260] = None /\ decode_text [] names [] [128] = None.
Proof. vm_compute. repeat split. Qed.

(** The whole token "aab" is a chunk, not a part of one. *)
Example the_whole_token (ids_of := chunk_ids [[97; 97; 98]] [(97, 97)]) :
  ids_of [97; 97; 98] = [257] /\ ids_of [97; 97; 98; 98] = [256; 98; 98].
Proof. split; reflexivity. Qed.

(** "<a" is the beginning of "<a>", so their order would matter. *)
Example not_separate (a := [60; 97]) (b := [60; 97; 62]) : cut [a; b] b <> cut [b; a] b.
Proof. discriminate. Qed.

(** If ">" is an ordinary part, or an empty part is before it, "<a" is found where "<a>" is not. *)
Example the_next_shorter (a := [60; 97]) (b := [60; 97; 62]) :
  cut_outside [(2, 3)] [b; a] b = ([], [(a, [62])]) /\ cut_outside [(2, 2)] [b; a] b = ([], [(a, [62])]) /\
  cut_outside [(1, 1)] [b; a] b = (b, []) /\ cut_outside [(0, 0); (3, 3)] [b; a] b = ([], [(b, [])]).
Proof. vm_compute. repeat split. Qed.

(** With handmade merges, a token may not encode to itself: [bc] comes before [ab] and [(ab)c]. *)
Example not_own (ms := [(98, 99); (97, 98); (257, 99)]) :
  token ms 258 = [97; 98; 99] /\ passes 0 ms [97; 98; 99] = [97; 256].
Proof. vm_compute. split; reflexivity. Qed.

(** Why tokens must fit: [a] and [aa] are tokens, but "aaa" does not encode to [a] then [aa]. *)
Example not_fit : passes 0 [(97, 97)] [97; 97; 97] = [256; 97].
Proof. reflexivity. Qed.
