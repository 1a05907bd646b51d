(* delta-hat <= delta-tilde exactly if the "better check" holds, on finite supports.

   In words: delta-hat_{i+1} is the infimum of the levels z in [0, 1] at which every pair and every
   next request is safe with probability at least 1 - th.  As a function of z that probability is a
   right-continuous step function, so the infimum is at most delta-tilde exactly if the check of the
   paper's `eq: better check` holds at delta-tilde (`delta_hat_iff_check`).  The same is true of the
   repaired check, with its own infimum (`repaired_delta_hat_iff_check`). *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model LookAhead Published.
Import ListNotations.
Open Scope R_scope.

Definition is_inf (P : R -> Prop) (m : R) : Prop :=
  (forall z, P z -> m <= z) /\ (forall m', (forall z, P z -> m' <= z) -> m' <= m).

(* ---------- step functions ---------- *)
Section Steps.
Context {K Y : Type}.
Variable ks : list K.
Variable ys : list Y.
Variables w t : K -> Y -> R.
Hypothesis w_nonneg : forall k y, 0 <= w k y.
Variables th dt : R.
Hypothesis Hdt : 0 <= dt <= 1.

Definition mass_below (k : K) (z : R) : R := sumf ys (fun y => w k y * ind (Rleb (t k y) z)).

(* some room to the right of dt contains no value of t *)
Lemma gap_one : forall k, exists eta, 0 < eta /\ forall y, In y ys ->
  t k y <= dt \/ dt + eta <= t k y.
Proof.
  intros k. induction ys as [|y l IH]; [exists 1; split; [lra | intros y []]|].
  destruct IH as [eta [He Hy]]. destruct (Rle_lt_dec (t k y) dt) as [C|C].
  - exists eta. split; [exact He|]. intros y' [<-|I]; [left; exact C | auto].
  - exists (Rmin eta (t k y - dt)). split; [apply Rmin_glb_lt; lra|].
    pose proof (Rmin_l eta (t k y - dt)). pose proof (Rmin_r eta (t k y - dt)).
    intros y' [<-|I]; [right; lra|]. destruct (Hy y' I); [left; assumption | right; lra].
Qed.

Lemma gap : exists eta, 0 < eta /\ forall k, In k ks -> forall y, In y ys ->
  t k y <= dt \/ dt + eta <= t k y.
Proof.
  induction ks as [|k l IH]; [exists 1; split; [lra | intros k []]|].
  destruct IH as [e1 [H1 G1]]. destruct (gap_one k) as [e2 [H2 G2]].
  exists (Rmin e1 e2). split; [apply Rmin_glb_lt; lra|].
  pose proof (Rmin_l e1 e2). pose proof (Rmin_r e1 e2).
  intros k' [<-|I] y Iy.
  - destruct (G2 y Iy); [left; assumption | right; lra].
  - destruct (G1 k' I y Iy); [left; assumption | right; lra].
Qed.

Lemma mass_flat : forall k eta z, (forall y, In y ys -> t k y <= dt \/ dt + eta <= t k y) ->
  dt <= z < dt + eta -> mass_below k z = mass_below k dt.
Proof.
  intros k eta z Hg Hz. unfold mass_below. apply sumf_ext; intros y Hy. f_equal. f_equal.
  destruct (Hg y Hy).
  - rewrite !(proj2 (Rleb_true _ _)); [reflexivity | lra | lra].
  - rewrite !(proj2 (Rleb_false _ _)); [reflexivity | lra | lra].
Qed.

Lemma mass_mono : forall k z z', z <= z' -> mass_below k z <= mass_below k z'.
Proof.
  intros. unfold mass_below. apply sumf_le; intros y _. apply Rmult_le_compat_l; [auto|].
  destruct (Rleb (t k y) z) eqn:E; [|apply ind_range].
  apply Rleb_true in E. rewrite (proj2 (Rleb_true _ _)); lra.
Qed.

Definition level_ok (z : R) : Prop :=
  0 <= z <= 1 /\ forall k, In k ks -> 1 - th <= mass_below k z.

Lemma inf_iff : forall dh, is_inf level_ok dh ->
  (dh <= dt <-> forall k, In k ks -> 1 - th <= mass_below k dt).
Proof.
  intros dh [Hlb Hglb]. split.
  - intros Hle k Hk. destruct (Rle_lt_dec (1 - th) (mass_below k dt)) as [C|C]; [exact C|].
    exfalso. destruct gap as [eta [He Hg]].
    assert (dt + eta <= dh); [|lra].
    apply Hglb. intros z [Hz Hgz]. destruct (Rle_lt_dec (dt + eta) z) as [A|A]; [exact A|].
    exfalso. specialize (Hgz k Hk). destruct (Rle_lt_dec dt z) as [B|B].
    + rewrite (mass_flat k eta z (Hg k Hk)) in Hgz by lra. lra.
    + pose proof (mass_mono k z dt ltac:(lra)). lra.
  - intros Hc. apply Hlb. split; assumption.
Qed.
End Steps.

(* ---------- the paper's quantities ---------- *)
Section DeltaHat.
Context {Db Req Out : Type}.
Variable offer : hist Req Out -> Req -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables e th : R.

(* the set whose infimum is delta-hat_{i+1}, at transcript h and request r *)
Definition allowed_level (h : hist Req Out) (r : Req) (z : R) : Prop :=
  0 <= z <= 1 /\ check_published offer M pairs e z th h r.

Theorem delta_hat_iff_check : forall dt h r delta_hat, 0 <= dt <= 1 ->
  is_inf (allowed_level h r) delta_hat ->
  (delta_hat <= dt <-> check_published offer M pairs e dt th h r).
Proof.
  intros dt h r dh Hdt [Hlb Hglb].
  set (ks := list_prod pairs (offer h r)).
  set (w := fun (k : Db * Db * Req) (y : Out) => pr M (fst (fst k)) h r y).
  set (t := fun (k : Db * Db * Req) (y : Out) =>
    tail M e (fst (fst k)) (snd (fst k)) ((r, Some y) :: h) (snd k)).
  assert (Same : forall z, check_published offer M pairs e z th h r <->
    forall k, In k ks -> 1 - th <= mass_below (outs h r) w t k z).
  { intros z. split.
    - intros Hc [[x x'] r'] Hk. apply in_prod_iff in Hk. destruct Hk as [Hp Hr].
      exact (Hc x x' Hp r' Hr).
    - intros Hc x x' Hp r' Hr. apply (Hc (x, x', r')). apply in_prod; assumption. }
  rewrite Same. apply (inf_iff ks (outs h r) w t); [intros; apply pr_nonneg | assumption |].
  split; [intros z [Hz Hc] | intros m' Hm'].
  - apply Hlb. split; [exact Hz | apply Same; exact Hc].
  - apply Hglb. intros z [Hz Hc]. apply Hm'. split; [exact Hz | apply Same; exact Hc].
Qed.

(* the set is never empty: the infimum exists *)
Theorem delta_hat_exists : forall h r, 0 <= th -> allowed_level h r 1.
Proof.
  intros h r Hth. split; [lra|]. intros x x' _ r' _. unfold psafe, safe.
  rewrite (sumf_ext _ _ _ (fun y => pr M x h r y)); [rewrite pr_sum; lra|].
  intros y _. rewrite (proj2 (Rleb_true _ _)); [simpl; ring|]. unfold tail.
  apply avg_le; [intros; apply pr_nonneg | apply pr_sum | intros; apply ind_range].
Qed.
End DeltaHat.

Section RepairedDeltaHat.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables e th : R.

(* the largest overshoot that a request on offer at h can have *)
Definition worst_tail (x x' : Db) (h : hist Req Out) : R :=
  fold_right (fun r m => Rmax (tail M e x x' h r) m) 0 (menu h).

Lemma good_iff_worst_tail : forall z x x' h, 0 <= z ->
  good menu M e z x x' h = Rleb (worst_tail x x' h) z.
Proof.
  intros z x x' h Hz. unfold good, worst_tail.
  induction (menu h) as [|r l IH]; simpl; [symmetry; apply Rleb_true; assumption|].
  rewrite IH. unfold safe. apply eq_true_iff_eq. rewrite andb_true_iff, !Rleb_true.
  unfold Rmax. destruct (Rle_dec _ _); lra.
Qed.

Definition allowed_repaired (h : hist Req Out) (r : Req) (z : R) : Prop :=
  0 <= z <= 1 /\ check_repaired menu M e z pairs th h r.

Theorem repaired_delta_hat_iff_check : forall dt h r delta_hat, 0 <= dt <= 1 ->
  is_inf (allowed_repaired h r) delta_hat ->
  (delta_hat <= dt <-> check_repaired menu M e dt pairs th h r).
Proof.
  intros dt h r dh Hdt [Hlb Hglb].
  set (w := fun (k : Db * Db) (y : Out) => pr M (fst k) h r y).
  set (t := fun (k : Db * Db) (y : Out) => worst_tail (fst k) (snd k) ((r, Some y) :: h)).
  assert (Same : forall z, 0 <= z <= 1 -> check_repaired menu M e z pairs th h r <->
    forall k, In k pairs -> 1 - th <= mass_below (outs h r) w t k z).
  { intros z Hz. assert (E : forall x x',
      pgood menu M e z x x' h r = mass_below (outs h r) w t (x, x') z).
    { intros x x'. apply sumf_ext; intros y _. unfold w, t.
      rewrite good_iff_worst_tail by apply Hz. reflexivity. }
    split.
    - intros Hc [x x'] Hk. rewrite <- E. apply Hc; assumption.
    - intros Hc x x' Hk. rewrite E. apply Hc; assumption. }
  rewrite (Same dt Hdt).
  apply (inf_iff pairs (outs h r) w t); [intros; apply pr_nonneg | assumption |].
  split; [intros z [Hz Hc] | intros m' Hm'].
  - apply Hlb. split; [exact Hz | apply Same; assumption].
  - apply Hglb. intros z [Hz Hc]. apply Hm'. split; [exact Hz | apply Same; assumption].
Qed.
End RepairedDeltaHat.
