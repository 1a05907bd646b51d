(* Ledgers in rho: concentrated differential privacy (zCDP), added up and converted.

   In words: a round is rho_i-zCDP if for every order a > 1 the Renyi divergence of every ordered pair
   is at most a rho_i, that is, with s = a - 1, sum over y of P_x(y)^a P_x'(y)^(1-a) <= e^(s (1+s) rho_i).
     - `zcdp_private`: a filter that runs a round only while the rho_i add up to rho at most is
       (eps, d)-DP for every eps, d and s > 0 with e^(s (1+s) rho) <= K(s) d e^(s eps), where
       K(s) = a^a / (a-1)^(a-1) is the constant of the Renyi filter (Renyi.v);
     - `zcdp_usual_private`: so it is for eps >= rho + 2 sqrt(rho log(1/d)), the conversion of Bun and
       Steinke, the case s = sqrt(log(1/d) / rho).
   Every pair of the list, random adaptive adversary, horizon, and whatever the filter answers where it
   does not run a round. *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential Leak Moments Renyi.
Import ListNotations.
Open Scope R_scope.

Section Concentrated.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variable rhos : hist Req Out -> Req -> R.

(* rho_i is true where x' explains all that x explains; other rounds have no rho_i, and do not run *)
Definition concentrated : Prop := forall s, 0 < s -> bounds_moment M pairs
  (fun s h r => exp (s * (1 + s) * rhos h r)) s.

Definition zcdp_fits (rho : R) (h : hist Req Out) (r : Req) : Prop :=
  finite M pairs h r /\ total rhos h + rhos h r <= rho.

Lemma product_exp : forall c h, product (fun h r => exp (c * rhos h r)) h = exp (c * total rhos h).
Proof.
  intros c. induction h as [|[r [y|]] h IH]; simpl; [rewrite Rmult_0_r, exp_0; reflexivity | |assumption].
  rewrite IH, <- exp_plus. f_equal. ring.
Qed.

Theorem zcdp_private : forall e d rho s, 1 <= e -> 0 <= d -> 0 < s -> concentrated ->
  exp (s * (1 + s) * rho) <= tight s * d * Rpower e s ->
  respects menu outs F (zcdp_fits rho) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d rho s He Hd Hs Hc Hfit HF.
  apply (rdp_tight_private menu M pairs F e d (fun s h r => exp (s * (1 + s) * rhos h r)) He Hd s Hs (Hc s Hs)).
  intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Hf Ht]. split; [assumption|].
  unfold order_fits. rewrite (product_exp (s * (1 + s)) h), <- exp_plus.
  eapply Rle_trans; [|exact Hfit].
  assert (L : s * (1 + s) * total rhos h + s * (1 + s) * rhos h r <= s * (1 + s) * rho).
  { replace (s * (1 + s) * total rhos h + s * (1 + s) * rhos h r)
      with (s * (1 + s) * (total rhos h + rhos h r)) by ring.
    apply Rmult_le_compat_l; [nra | assumption]. }
  destruct L as [L|L]; [left; apply exp_increasing; assumption | rewrite L; lra].
Qed.

Theorem zcdp_usual_private : forall e d rho, 1 <= e -> 0 < d < 1 -> 0 < rho -> concentrated ->
  rho + 2 * sqrt (rho * ln (/ d)) <= ln e -> respects menu outs F (zcdp_fits rho) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros e d rho He Hd Hrho Hc Hfit HF.
  assert (Hl : 0 < ln (/ d)).
  { rewrite <- ln_1. apply ln_increasing; [lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  set (s := sqrt (ln (/ d) / rho)).
  assert (Hs : 0 < s) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; assumption).
  assert (Hq : s * s * rho = ln (/ d)).
  { unfold s. rewrite sqrt_sqrt by (left; apply Rdiv_lt_0_compat; assumption). field. lra. }
  assert (Hr : sqrt (rho * ln (/ d)) = s * rho).
  { rewrite <- Hq. replace (rho * (s * s * rho)) with ((s * rho) * (s * rho)) by ring.
    apply sqrt_square. left. apply Rmult_lt_0_compat; assumption. }
  apply (zcdp_private e d rho s He ltac:(lra) Hs Hc); [|assumption].
  assert (Ed : d = exp (- ln (/ d))).
  { rewrite ln_Rinv by lra. rewrite Ropp_involutive, exp_ln; lra. }
  pose proof (tight_ge_one s Hs) as Hk. pose proof (exp_pos (s * ln e)) as Hpos.
  apply Rle_trans with (d * Rpower e s).
  - unfold Rpower. rewrite Ed at 1. rewrite <- exp_plus.
    assert (L : s * (1 + s) * rho <= - ln (/ d) + s * ln e) by (rewrite Hr in Hfit; nra).
    destruct L as [L|L]; [left; apply exp_increasing; assumption | rewrite L; lra].
  - unfold Rpower. rewrite <- (Rmult_1_l (d * _)), <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; lra.
Qed.
End Concentrated.
