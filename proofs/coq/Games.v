(* Finite games as data, and the computing filters on them: this is what is extracted.

   In words: a game is a tree of requests, outputs, rational laws (one entry per database) and
   sub-games.  The next menu is the union over the outputs of a round; a request that some
   output closes says nothing after it, and so is one whose entries are no law, so every
   tree is a game.  On every tree the computing filters are private, with no further hypothesis:
   `tree_repaired_private`, `tree_compensator_private`.  On the guessing game with four symbols
   they answer as they should (`guess4_answers`). *)
From Coq Require Import QArith Qreals Rbase Rfunctions List Bool Lia Lra Arith.
From Filterproof Require Import Sums Model LookAhead Rational.
Import ListNotations.
Open Scope Q_scope.

(* requests, outputs and databases are numbers; databases run from 0 to `top` *)
Inductive tree : Type := Menu (offers : list (nat * list (nat * list Q * tree))).
Definition row : Type := (nat * list Q * tree)%type.
Definition offers (t : tree) : list (nat * list row) := match t with Menu l => l end.
Definition requests (t : tree) : list nat := map fst (offers t).
Definition output (w : row) : nat := fst (fst w).
Definition entry (top : nat) (x : nat) (w : row) : Q := nth (Nat.min x top) (snd (fst w)) 0.

Section Tree.
Variable top : nat.
Variable t : tree.
Local Notation H := (hist nat nat).

Definition silence : list row := [(0%nat, repeat 1 (S top), Menu [])].

(* are these rows one law per database? *)
Fixpoint distinct (l : list nat) : bool :=
  match l with [] => true | a :: k => negb (existsb (Nat.eqb a) k) && distinct k end.
Definition lawful (rows : list row) : bool :=
  distinct (map output rows) &&
  forallb (fun w => forallb (Qle_bool 0) (snd (fst w))) rows &&
  forallb (fun x => Qeq_bool (sumQ rows (entry top x)) 1) (seq 0 (S top)).

Definition rows (node : tree) (r : nat) : list row :=
  match find (fun o => Nat.eqb (fst o) r) (offers node) with
  | Some o => if lawful (snd o) then snd o else silence
  | None => silence
  end.
Definition child (node : tree) (r y : nat) : tree :=
  match find (fun w => Nat.eqb (output w) y) (rows node r) with
  | Some w => snd w
  | None => Menu []
  end.
Fixpoint walk (h : H) : tree :=
  match h with
  | [] => t
  | (r, Some y) :: k => child (walk k) r y
  | (_, None) :: k => walk k
  end.

Definition tree_offer (h : H) (r : nat) : list nat :=
  nodup Nat.eq_dec (flat_map (fun w => requests (snd w)) (rows (walk h) r)).
Fixpoint tree_menu (h : H) : list nat :=
  match h with
  | [] => nodup Nat.eq_dec (requests t)
  | (r, Some _) :: k => tree_offer k r
  | (_, None) :: k => tree_menu k
  end.
Definition tree_outs (h : H) (r : nat) : list nat := map output (rows (walk h) r).
Definition tree_pr (x : nat) (h : H) (r y : nat) : Q :=
  match find (fun w => Nat.eqb (output w) y) (rows (walk h) r) with
  | Some w => entry top x w
  | None => 0
  end.

(* ---------- every tree is a game ---------- *)
Lemma silence_lawful : lawful silence = true.
Proof.
  unfold lawful, silence. simpl distinct. rewrite andb_true_l. apply andb_true_iff. split.
  - cbn [forallb snd fst]. rewrite andb_true_r. apply forallb_forall. intros q Hq.
    apply repeat_spec in Hq. subst q. reflexivity.
  - apply forallb_forall. intros x Hx. apply Qeq_bool_iff. unfold sumQ, entry.
    cbn [fold_right snd fst].
    replace (nth (Nat.min x top) (repeat 1 (S top)) 0) with 1.
    + reflexivity.
    + symmetry. apply (repeat_spec (S top)). apply nth_In. rewrite repeat_length. lia.
Qed.

Lemma rows_lawful : forall node r, lawful (rows node r) = true.
Proof.
  intros. unfold rows. destruct (find _ _) as [o|]; [|apply silence_lawful].
  destruct (lawful (snd o)) eqn:E; [exact E | apply silence_lawful].
Qed.

Lemma entry_nonneg : forall l w x, lawful l = true -> In w l -> 0 <= entry top x w.
Proof.
  intros l w x Hl Hw. unfold lawful in Hl. rewrite !andb_true_iff in Hl.
  destruct Hl as [[_ Hn] _]. rewrite forallb_forall in Hn. specialize (Hn w Hw).
  rewrite forallb_forall in Hn. unfold entry.
  destruct (nth_in_or_default (Nat.min x top) (snd (fst w)) 0) as [Hi | ->]; [|apply Qle_refl].
  apply Qle_bool_iff. apply Hn. exact Hi.
Qed.

Lemma tree_pr_nonneg : forall x h r y, 0 <= tree_pr x h r y.
Proof.
  intros. unfold tree_pr. destruct (find _ _) as [w|] eqn:E; [|apply Qle_refl].
  apply find_some in E. eapply entry_nonneg; [apply rows_lawful | apply E].
Qed.

Lemma find_distinct : forall l w, distinct (map output l) = true -> In w l ->
  find (fun v => Nat.eqb (output v) (output w)) l = Some w.
Proof.
  induction l as [|v l IH]; intros w Hd Hw; [destruct Hw|]. simpl in Hd.
  apply andb_true_iff in Hd. destruct Hd as [Hv Hd]. simpl.
  destruct Hw as [->|Hw]; [rewrite Nat.eqb_refl; reflexivity|].
  destruct (Nat.eqb (output v) (output w)) eqn:E; [|auto].
  exfalso. apply negb_true_iff in Hv. apply not_true_iff_false in Hv. apply Hv.
  apply existsb_exists. exists (output w). split; [apply in_map; exact Hw | exact E].
Qed.

Lemma sumQ_map : forall A B (k : A -> B) l f g, (forall a, In a l -> f (k a) = g a) ->
  sumQ (map k l) f = sumQ l g.
Proof.
  induction l as [|a l IH]; intros f g Hfg; [reflexivity|].
  change (Qred (f (k a) + sumQ (map k l) f) = Qred (g a + sumQ l g)).
  rewrite (Hfg a), (IH f g); [reflexivity | | left; reflexivity].
  intros b Hb. apply Hfg. right; exact Hb.
Qed.

Lemma tree_pr_sum : forall x h r, sumQ (tree_outs h r) (tree_pr x h r) == 1.
Proof.
  intros x h r. unfold tree_outs, tree_pr. set (l := rows (walk h) r).
  assert (Hl : lawful l = true) by apply rows_lawful. unfold lawful in Hl.
  rewrite !andb_true_iff in Hl. destruct Hl as [[Hd _] Hs]. rewrite forallb_forall in Hs.
  rewrite (sumQ_map _ _ output l _ (entry top x)).
  - replace (entry top x) with (entry top (Nat.min x top)).
    + apply Qeq_bool_iff. apply Hs. apply in_seq. lia.
    + unfold entry. rewrite <- Nat.min_assoc, Nat.min_id. reflexivity.
  - intros w Hw. rewrite (find_distinct l w Hd Hw). reflexivity.
Qed.

Definition tree_mechanism : mechanism nat tree_outs :=
  real_mechanism tree_outs tree_pr tree_pr_nonneg tree_pr_sum.

(* ---------- the filters ---------- *)
Variable pairs : list (nat * nat).
Definition tree_repaired (q dt th : Q) (N : nat) : filter nat nat :=
  repairedQ tree_menu tree_outs tree_pr pairs q dt th N.
Definition tree_published (q dt th : Q) (N : nat) : filter nat nat :=
  publishedQ tree_menu tree_offer tree_outs tree_pr pairs q dt th N.
Definition tree_compensator (q d : Q) : filter nat nat :=
  compensatorQ tree_outs tree_pr pairs q d.

Theorem tree_repaired_private : forall q dt th N d x x', 1 <= q -> 0 <= dt <= 1 -> 0 <= th <= 1 ->
  (1 - Q2R d <= (1 - Q2R dt) * (1 - Q2R th) ^ (N - 1))%R -> In (x, x') pairs ->
  private tree_menu tree_mechanism (tree_repaired q dt th N) (Q2R q) (Q2R d) x x'.
Proof. intros. apply computed_repaired_private with (offer := tree_offer); auto. Qed.

Theorem tree_compensator_private : forall q d x x', 1 <= q -> 0 <= d -> In (x, x') pairs ->
  private tree_menu tree_mechanism (tree_compensator q d) (Q2R q) (Q2R d) x x'.
Proof. intros. apply computed_compensator_private; auto. Qed.
End Tree.

(* ---------- the guessing game with four symbols: delta = 1/2, theta = 1/4, N = 2 ---------- *)
Definition hush : list row := [(2%nat, [1; 1], Menu [])].
Definition reveal : list row := [(0%nat, [1; 0], Menu []); (1%nat, [0; 1], Menu [])].
Definition second (y : nat) : tree :=
  Menu (map (fun r => (r, if Nat.eqb r y then reveal else hush)) (seq 0 4)).
Definition guess4 : tree :=
  Menu [(0%nat, map (fun y => (y, [1 # 4; 1 # 4], second y)) (seq 0 4))].
Definition both : list (nat * nat) := [(0, 1); (1, 0)]%nat.

Example guess4_answers :
  tree_published 1 guess4 both 3 0 (1 # 4) 2 [] 0%nat = Continue /\
  tree_repaired 1 guess4 both 3 0 (1 # 4) 2 [] 0%nat = Last /\
  tree_compensator 1 guess4 both 3 (1 # 2) [] 0%nat = Continue /\
  tree_compensator 1 guess4 both 3 (1 # 2) [(0%nat, Some 3%nat)] 3%nat = Halt /\
  tree_compensator 1 guess4 both 3 (1 # 2) [(0%nat, Some 3%nat)] 2%nat = Continue.
Proof. repeat split; vm_compute; reflexivity. Qed.
