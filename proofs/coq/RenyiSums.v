(* A Renyi sum is at least 1, and 1 only where nothing is said.

   In words: a summand P^a Q^(1-a) lies above its tangent P + (a-1)(P - Q), and strictly unless P = Q
   (`term_tangent`); so the sum of a round is at least 1 (`sums_ge`).  `finite_round` decides whether the
   sums of a round are finite for every pair of a list. *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Moments Renyi.
Import ListNotations.
Open Scope R_scope.

Lemma ln_lt : forall z, 0 < z -> z <> 1 -> ln z < z - 1.
Proof.
  intros z Hz Hn. destruct (Rlt_le_dec (ln z) (z - 1)) as [H|H]; [assumption|]. exfalso.
  pose proof (exp_ineq1 (z - 1) ltac:(lra)) as X.
  assert (exp (z - 1) <= exp (ln z))
    by (destruct H as [H|H]; [left; apply exp_increasing; assumption | rewrite H; lra]).
  rewrite exp_ln in H0 by assumption. lra.
Qed.

(* a summand lies above its tangent, and strictly unless p = q *)
Lemma term_tangent : forall s p q, 0 < s -> 0 <= p -> 0 <= q -> (0 < p -> 0 < q) ->
  p + s * (p - q) <= term s p q /\ (term s p q <= p + s * (p - q) -> p <= q).
Proof.
  intros s p q Hs Hp Hq Hac. unfold term. destruct (Rlt_dec 0 p) as [C|C]; [|split; nra].
  specialize (Hac C). set (v := p / q). assert (Hv : 0 < v) by (apply Rdiv_lt_0_compat; assumption).
  assert (Ep : p = v * q) by (unfold v; field; lra).
  assert (T : 1 + s * (1 - / v) <= Rpower v s /\ (v <> 1 -> 1 + s * (1 - / v) < Rpower v s)).
  { unfold Rpower. assert (L : ln (/ v) = - ln v) by (apply ln_Rinv; assumption).
    assert (Hi : 0 < / v) by (apply Rinv_0_lt_compat; assumption).
    pose proof (ln_le (/ v) Hi) as L1. pose proof (exp_ineq1_le (s * ln v)).
    split; [nra|]. intros N. assert (/ v <> 1) by (intros E; apply N; rewrite <- (Rinv_inv v), E; apply Rinv_1).
    pose proof (ln_lt (/ v) Hi H0). nra. }
  assert (E : p + s * (p - q) = p * (1 + s * (1 - / v))) by (rewrite Ep; field; lra).
  rewrite E. split; [apply Rmult_le_compat_l; lra|]. intros H. apply Rmult_le_reg_l in H; [|assumption].
  destruct (Req_dec v 1) as [E1|N]; [rewrite Ep, E1; lra|]. destruct T as [_ T]. specialize (T N). lra.
Qed.

Section Sums.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).

Definition finite_round (h : hist Req Out) (r : Req) : bool :=
  forallb (fun p => forallb (fun y => negb (Rltb 0 (pr M (fst p) h r y)) || Rltb 0 (pr M (snd p) h r y))
    (outs h r)) pairs.
Lemma finite_round_iff : forall h r, finite_round h r = true <-> finite M pairs h r.
Proof.
  intros h r. unfold finite_round, finite. rewrite forallb_forall. split.
  - intros H x x' Hp y Hy Hpos. specialize (H _ Hp). rewrite forallb_forall in H. specialize (H y Hy).
    cbn [fst snd] in H. rewrite (proj2 (Rltb_true _ _) Hpos) in H. apply Rltb_true. exact H.
  - intros H [x x'] Hp. apply forallb_forall. intros y Hy. cbn [fst snd].
    destruct (Rltb 0 (pr M x h r y)) eqn:E; [|reflexivity]. apply Rltb_true in E. simpl.
    apply Rltb_true. exact (H x x' Hp y Hy E).
Qed.
Definition finite_round_spec h r := proj1 (finite_round_iff h r).

Variables x x' : Db.
Hypothesis Hp : In (x, x') pairs.

Lemma sums_ge : forall s h r, 0 < s -> finite_round h r = true ->
  1 <= sumf (outs h r) (fun y => term s (pr M x h r y) (pr M x' h r y)).
Proof.
  intros s h r Hs Hf. rewrite <- (pr_sum M x h r) at 1.
  apply Rle_trans with (sumf (outs h r) (fun y => pr M x h r y + s * (pr M x h r y - pr M x' h r y))).
  - rewrite sumf_plus, sumf_scal, sumf_minus, !pr_sum. lra.
  - apply sumf_le; intros y Hy. apply term_tangent; try apply pr_nonneg; [assumption|].
    apply (finite_round_spec h r Hf x x' Hp y Hy).
Qed.

(* a bound of the sums *)
Lemma moment_ge : forall moment s h r, 0 < s -> bounds_moment M pairs moment s ->
  finite_round h r = true -> 1 <= moment s h r.
Proof.
  intros moment s h r Hs Hb Hf. eapply Rle_trans; [apply (sums_ge s h r Hs Hf)|].
  apply Hb; [apply finite_round_spec|]; assumption.
Qed.
End Sums.
