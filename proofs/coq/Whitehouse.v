(* Fully adaptive composition: sums of eps_i^2 under a root, at the cost of some delta.

   In words: every mechanism declares a true (eps_i, delta_i), in both directions of every pair.  A
   filter that runs a round only if sqrt(2 log(1/d') v) + v/2 <= eps for v the sum of the eps_i^2 with
   its own, and the sum of the delta_i is at most d - d', 0 < d' <= d, is (eps, d)-DP for every pair of
   the list, random adaptive adversary, horizon and whatever it answers otherwise
   (`whitehouse_private`).

   The proof splits off what the delta_i allow to leak (Split.v) and bounds one moment of the rest
   (Moments.v), at the order a = 1 + s that makes the test tight: s = sqrt(2 log(1/d') / v) at the largest
   v that passes.  At eps = 0 only rounds with eps_i = 0 pass, and a large order does.

   `advanced_rogers_private`: the test of Rogers et al. (Theorem 5.1) implies this one at d' = d/2, since
   eps_i (exp(eps_i) - 1) / 2 >= eps_i^2 / 2 and its root is at least sqrt(2 log(2/d) v). *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential Additive Leak Moments Split.
Import ListNotations.
Open Scope R_scope.

(* ---------- the order ---------- *)
(* at L = log(1/d') and eps, an order that proves every v which passes the test *)
Lemma order_exists : forall d' eps, 0 < d' < 1 -> 0 <= eps -> exists s, 0 < s /\
  forall v, 0 <= v -> sqrt (2 * ln (/ d') * v) + v / 2 <= eps ->
  exp (s * (1 + s) * v / 2) <= 1 * tight s * d' * exp (s * eps).
Proof.
  intros d' eps [Hd0 Hd1] Heps. set (L := ln (/ d')).
  assert (HL : 0 < L).
  { unfold L. rewrite ln_Rinv by assumption. pose proof (ln_increasing d' 1 Hd0 Hd1) as H.
    rewrite ln_1 in H. lra. }
  assert (Ed : d' = exp (- L)) by (unfold L; rewrite ln_Rinv, Ropp_involutive, exp_ln; auto).
  destruct (Rle_lt_or_eq_dec _ _ Heps) as [Pos|Zero].
  - set (a := sqrt (2 * L)). set (b := sqrt (2 * L + 2 * eps)). set (z := b - a).
    assert (Ha : a * a = 2 * L) by (apply sqrt_sqrt; lra).
    assert (Hb : b * b = 2 * L + 2 * eps) by (apply sqrt_sqrt; lra).
    assert (Ha0 : 0 < a) by (apply sqrt_lt_R0; lra).
    assert (Hz : 0 < z) by (unfold z, a, b; pose proof (sqrt_lt_1 (2 * L) (2 * L + 2 * eps)
      ltac:(lra) ltac:(lra) ltac:(lra)); lra).
    assert (Hzz : z * z + 2 * a * z = 2 * eps) by (unfold z; nra).
    exists (a / z). assert (Hs : 0 < a / z) by (apply Rdiv_lt_0_compat; assumption).
    split; [exact Hs|]. intros v Hv Hfit. set (s := a / z) in *.
    assert (Esz : s * z = a) by (unfold s; field; lra).
    assert (Hvz : v <= z * z).
    { set (w := sqrt v) in *. assert (Hw : w * w = v) by (apply sqrt_sqrt; assumption).
      assert (Hw0 : 0 <= w) by apply sqrt_pos.
      rewrite sqrt_mult in Hfit by lra. fold a w in Hfit.
      destruct (Rle_lt_dec w z) as [C|C]; [nra|]. exfalso. nra. }
    assert (K : s * (1 + s) * v / 2 <= - L + s * eps).
    { assert (s * (1 + s) * v <= s * (1 + s) * (z * z))
        by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption]).
      assert (s * (1 + s) * (z * z) = a * z + a * a)
        by (rewrite <- Esz; ring).
      assert (2 * (s * eps) = a * z + 2 * (a * a)).
      { replace (2 * (s * eps)) with (s * (2 * eps)) by ring. rewrite <- Hzz.
        replace (s * (z * z + 2 * a * z)) with (s * z * z + 2 * a * (s * z)) by ring. rewrite Esz. ring. }
      lra. }
    apply Rle_trans with (1 * 1 * d' * exp (s * eps)).
    + rewrite !Rmult_1_l, Ed, <- exp_plus.
      destruct K as [K|K]; [left; apply exp_increasing; assumption | right; rewrite K; reflexivity].
    + rewrite !Rmult_1_l, Rmult_assoc. rewrite <- (Rmult_1_l (d' * exp (s * eps))) at 1.
      apply Rmult_le_compat_r; [|apply tight_ge_one; assumption].
      apply Rmult_le_pos; [lra | left; apply exp_pos].
  - subst eps. exists (/ d'). assert (Hs : 0 < / d') by (apply Rinv_0_lt_compat; assumption).
    split; [exact Hs|]. intros v Hv Hfit. pose proof (sqrt_pos (2 * L * v)).
    assert (v = 0) by lra. subst v. unfold Rdiv.
    rewrite !Rmult_0_r, Rmult_0_l, exp_0, !Rmult_1_l, Rmult_1_r.
    assert (T : 1 + / d' <= tight (/ d')).
    { rewrite tight_exp, <- (exp_ln (1 + / d')) at 1 by lra.
      assert (ln (/ d') < ln (1 + / d')) by (apply ln_increasing; lra).
      left. apply exp_increasing. nra. }
    apply Rle_trans with ((1 + / d') * d'); [|apply Rmult_le_compat_r; lra].
    replace ((1 + / d') * d') with (d' + 1) by (field; lra). lra.
Qed.

(* ---------- the filter ---------- *)
Section Whitehouse.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variables odds del : hist Req Out -> Req -> R.

(* eps_i^2 *)
Definition square (h : hist Req Out) (r : Req) : R := ln (odds h r) * ln (odds h r).

Definition whitehouse_fits (e d d' : R) (h : hist Req Out) (r : Req) : Prop :=
  sqrt (2 * ln (/ d') * (total square h + square h r)) + (total square h + square h r) / 2 <= ln e /\
  total del h + del h r <= d - d'.

Lemma square_total : forall h, 0 <= total square h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; try lra. pose proof (Rle_0_sqr (ln (odds h r))) as S.
  unfold Rsqr in S. unfold square at 2. lra.
Qed.

Lemma moments_multiply : forall c h,
  product (fun k r => exp (c * square k r)) h = exp (c * total square h).
Proof.
  induction h as [|[r [y|]] h IH]; simpl; [rewrite Rmult_0_r, exp_0; reflexivity | |assumption].
  rewrite IH, <- exp_plus. f_equal. ring.
Qed.

Theorem whitehouse_private : forall e d d', 1 <= e -> 0 < d' <= d ->
  (forall x x', In (x, x') pairs -> In (x', x) pairs) -> declared M pairs odds del ->
  respects menu outs F (whitehouse_fits e d d') ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d d' He Hd Hsym Hdec HF x x' Hp.
  destruct (Rlt_le_dec d' 1) as [Hd1|Hd1]; [|apply trivially_private; [assumption | lra]].
  assert (Heps : 0 <= ln e).
  { rewrite <- ln_1. destruct He as [He| <-]; [left; apply ln_increasing; lra | right; reflexivity]. }
  destruct (order_exists d' (ln e) ltac:(lra) Heps) as (s & Hs & Horder).
  set (P := fun h r => part_p (outs h r) (pr M x h r) (pr M x' h r) (odds h r)).
  set (Q := fun h r => near_q (pr M x h r) (pr M x' h r) (odds h r)).
  assert (Sp : forall h r, _) by exact (fun h r => split_spec (outs h r) (pr M x h r) (pr M x' h r)
    (odds h r) (proj1 (Hdec h r)) (pr_nonneg M x h r) (pr_nonneg M x' h r) (del h r)
    (pr_sum M x h r) (pr_sum M x' h r) (proj2 (proj2 (Hdec h r)) x x' Hp)
    (proj2 (proj2 (Hdec h r)) x' x (Hsym x x' Hp))).
  assert (Leq : d = d - d' + d') by ring. rewrite Leq.
  apply (moments_private menu M F e d' (d - d') x x' P Q del [(s, 1)]
    (fun s h r => exp (s * (1 + s) / 2 * square h r))); try lra.
  - intros h r y. destruct (Sp h r) as (A & _). apply A.
  - intros h r y. destruct (Sp h r) as (_ & A & _). apply A.
  - intros h r. destruct (Sp h r) as (_ & _ & _ & A & _). split; [apply (Hdec h r) | apply A].
  - intros s' w [E|[]]. inversion E; subst. lra.
  - simpl. lra.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Hsq Hdel].
    destruct (Sp h r) as (S1 & S2 & S3 & S4 & S5).
    pose proof (proj1 (Hdec h r)) as Hodds.
    split; [assumption|]. split; [|split].
    + intros y _ HP. destruct (S3 y) as [_ H]. fold (P h r y) (Q h r y) in H.
      destruct (S2 y) as [H0 _]. fold (Q h r y) in H0. nra.
    + intros s' w [E|[]]. inversion E; subst s' w. split; [apply exp_pos|].
      replace (s * (1 + s) / 2 * square h r) with (s * (1 + s) * (ln (odds h r) * ln (odds h r)) / 2)
        by (unfold square; field).
      apply moment_bound; [assumption | | | assumption].
      * intros y _. split; [apply S2 | apply S3].
      * split; [apply S4 | exact S5].
    + exists s, 1. split; [left; reflexivity|]. rewrite moments_multiply, <- exp_plus.
      replace (s * (1 + s) / 2 * total square h + s * (1 + s) / 2 * square h r)
        with (s * (1 + s) * (total square h + square h r) / 2) by field.
      apply Horder; [|assumption]. pose proof (square_total h).
      pose proof (Rle_0_sqr (ln (odds h r))) as S0. unfold Rsqr in S0. unfold square at 2. lra.
Qed.

(* ---------- the filter of Rogers et al. ---------- *)
(* eps_i (exp(eps_i) - 1) / 2 *)
Definition drift (h : hist Req Out) (r : Req) : R := ln (odds h r) * (odds h r - 1) / 2.

(* Theorem 5.1 for 0 < d < 1/e and eps > 0; outside of that nothing runs *)
Definition rogers_fits (e d : R) (h : hist Req Out) (r : Req) : Prop :=
  let v := total square h + square h r in
  let scale := 28.04 * ln (/ d) / (ln e * ln e) in
  0 < d < exp (-1) /\ 0 < ln e /\ 2 * (total del h + del h r) <= d /\
  total drift h + drift h r
    + sqrt (2 * (v + / scale) * (1 + ln (scale * v + 1) / 2) * ln (2 / d)) <= ln e.

Lemma rogers_implies : forall e d h r, (forall k q, 1 <= odds k q) ->
  rogers_fits e d h r -> whitehouse_fits e d (d / 2) h r.
Proof.
  intros e d h r Hodds ((Hd0 & Hd1) & He & Hdel & Hfit). split; [|lra].
  set (v := total square h + square h r) in *.
  set (scale := 28.04 * ln (/ d) / (ln e * ln e)) in *.
  assert (Drift : forall k q, square k q / 2 <= drift k q).
  { intros k q. specialize (Hodds k q). unfold square, drift.
    assert (0 <= ln (odds k q)) by (rewrite <- ln_1; destruct Hodds as [H| <-];
      [left; apply ln_increasing; lra | right; reflexivity]).
    pose proof (ln_le (odds k q) ltac:(lra)). nra. }
  assert (DriftTotal : forall k : hist Req Out, total square k / 2 <= total drift k).
  { induction k as [|[q [y|]] k IH]; simpl; try lra. specialize (Drift k q). lra. }
  assert (Hv : 0 <= v).
  { unfold v. pose proof (square_total h). pose proof (Rle_0_sqr (ln (odds h r))) as S.
    unfold Rsqr in S. unfold square at 2. lra. }
  assert (Hln : 0 < ln (/ d)).
  { rewrite ln_Rinv by assumption. pose proof (ln_increasing d (exp (-1)) Hd0 Hd1) as L.
    rewrite ln_exp in L. lra. }
  assert (Hscale : 0 < scale).
  { unfold scale. apply Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat; assumption]. lra. }
  assert (Hinv : 0 < / scale) by (apply Rinv_0_lt_compat; assumption).
  assert (Hlog : 0 <= ln (scale * v + 1)).
  { assert (0 <= scale * v) by (apply Rmult_le_pos; lra).
    rewrite <- ln_1. destruct (Rle_lt_or_eq_dec _ _ H) as [H'|<-];
      [left; apply ln_increasing; lra | right; f_equal; ring]. }
  assert (Hl2 : ln (/ (d / 2)) = ln (2 / d)) by (f_equal; field; lra).
  assert (Hl0 : 0 <= ln (2 / d)).
  { assert (1 < 2 / d); [|rewrite <- ln_1; left; apply ln_increasing; lra].
    apply (Rmult_lt_reg_r d); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    pose proof (exp_increasing (-1) 0 ltac:(lra)) as X. rewrite exp_0 in X. lra. }
  assert (Root : sqrt (2 * ln (/ (d / 2)) * v)
    <= sqrt (2 * (v + / scale) * (1 + ln (scale * v + 1) / 2) * ln (2 / d))).
  { apply sqrt_le_1_alt. rewrite Hl2.
    replace (2 * ln (2 / d) * v) with (2 * ln (2 / d) * (v * 1)) by ring.
    replace (2 * (v + / scale) * (1 + ln (scale * v + 1) / 2) * ln (2 / d))
      with (2 * ln (2 / d) * ((v + / scale) * (1 + ln (scale * v + 1) / 2))) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra. }
  pose proof (DriftTotal h). pose proof (Drift h r). unfold v at 2. lra.
Qed.
End Whitehouse.

Theorem advanced_rogers_private : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) pairs (F : filter Req Out)
    odds del e d, 1 <= e -> 0 <= d ->
  (forall x x', In (x, x') pairs -> In (x', x) pairs) -> declared M pairs odds del ->
  respects menu outs F (rogers_fits odds del e d) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros Db Req Out menu outs M pairs F odds del e d He Hd Hsym Hdec HF x x' Hp.
  destruct (Rle_lt_or_eq_dec _ _ Hd) as [Hd0|Hz].
  - apply (whitehouse_private menu M pairs F odds del e d (d / 2) He ltac:(lra) Hsym Hdec); [|assumption].
    intros h r Hr Hin Er. apply rogers_implies; [apply Hdec | apply HF; assumption].
  - apply idle_private; [assumption | lra |]. intros h r Hr Hin Er.
    destruct (HF h r Hr Hin Er) as ((Hd0 & _) & _). lra.
Qed.
