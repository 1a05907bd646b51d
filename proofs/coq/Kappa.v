(* Proposition 1: for i.i.d. Gaussian rounds the check is a threshold on the realised loss.

   In words: let L_i have law N(1/(2 sigma^2), 1/sigma^2), that is,
   P(L_i <= c) = Phi(sigma c - 1/(2 sigma)).
   For i >= 1 the check "the output is good with probability at least 1 - th" holds exactly if the
   realised loss before the round is at most
     kappa = eps - 1/sigma^2 - (Q(1 - dt) + Q(1 - th)) / sigma            (`kappa_iff_check`).
   Only this is used of Phi: it is strictly increasing and Q is its quantile.  `threshold_iff_check`
   is the same for any i.i.d. rounds whose loss has a distribution function with a quantile.

   The display in the paper's appendix with 2/sigma in place of 1/(2 sigma) describes another set
   for every sigma (`appendix_display_differs`).  Continuous laws themselves are not formalised. *)
From Coq Require Import Rbase Rfunctions Lra Psatz.
Open Scope R_scope.

(* ---------- any i.i.d. rounds ---------- *)
Section Threshold.
Variables cdf quantile : R -> R.
Hypothesis galois : forall p c, 0 < p < 1 -> (p <= cdf c <-> quantile p <= c).
Variables eps dt th : R.
Hypothesis Hdt : 0 < dt < 1.
Hypothesis Hth : 0 < th < 1.

(* an output that brings the loss to l is good if the next overshoot has probability <= dt *)
Definition good_loss (l : R) : Prop := 1 - cdf (eps - l) <= dt.
Definition highest_good : R := eps - quantile (1 - dt).
Lemma good_loss_iff : forall l, good_loss l <-> l <= highest_good.
Proof.
  intros l. unfold good_loss, highest_good.
  assert (E : 1 - cdf (eps - l) <= dt <-> 1 - dt <= cdf (eps - l)) by lra.
  rewrite E, galois by lra. lra.
Qed.

(* the check, given the loss l before the round: the good losses are those up to some b, and the
   round ends among them with probability at least 1 - th *)
Definition check (l : R) : Prop :=
  exists b, (forall l', good_loss l' <-> l' <= b) /\ 1 - th <= cdf (b - l).
Definition threshold : R := eps - quantile (1 - dt) - quantile (1 - th).

Theorem threshold_iff_check : forall l, check l <-> l <= threshold.
Proof.
  assert (E : forall l, 1 - th <= cdf (highest_good - l) <-> l <= threshold)
    by (intros l; unfold threshold, highest_good; rewrite galois by lra; lra).
  intros l. rewrite <- E. split.
  - intros [b [Hb Hl]].
    assert (b = highest_good); [|subst b; exact Hl].
    apply Rle_antisym; [apply good_loss_iff, Hb; lra | apply Hb, good_loss_iff; lra].
  - intros Hl. exists highest_good. split; [apply good_loss_iff | exact Hl].
Qed.
End Threshold.

(* ---------- Gaussian rounds ---------- *)
Section Kappa.
Variables Phi Q : R -> R.
Hypothesis Phi_increasing : forall a b, a < b -> Phi a < Phi b.
Hypothesis Phi_Q : forall p, 0 < p < 1 -> Phi (Q p) = p.
Variables eps sigma dt th : R.
Hypothesis Hs : 0 < sigma.
Hypothesis Hdt : 0 < dt < 1.
Hypothesis Hth : 0 < th < 1.

Definition loss_cdf (c : R) : R := Phi (sigma * c - / (2 * sigma)).
Definition loss_quantile (p : R) : R := / sigma * Q p + / (2 * sigma ^ 2).

Lemma Phi_galois : forall p a, 0 < p < 1 -> (p <= Phi a <-> Q p <= a).
Proof.
  intros p a Hp. split; intro K.
  - destruct (Rle_lt_dec (Q p) a) as [C|C]; [exact C|].
    apply Phi_increasing in C. rewrite Phi_Q in C by exact Hp. lra.
  - destruct K as [K|K]; [apply Phi_increasing in K; rewrite Phi_Q in K by exact Hp; lra|].
    rewrite <- K, Phi_Q by exact Hp. lra.
Qed.

Lemma scale : forall q z s, q <= sigma * z - s <-> / sigma * q + / sigma * s <= z.
Proof.
  intros q z s. assert (Hi : 0 < / sigma) by (apply Rinv_0_lt_compat; exact Hs).
  assert (E : / sigma * (sigma * z - s) = z - / sigma * s) by (field; lra).
  split; intro K.
  - apply (Rmult_le_compat_l (/ sigma)) in K; lra.
  - apply (Rmult_le_reg_l (/ sigma)); lra.
Qed.

Lemma loss_galois : forall p c, 0 < p < 1 -> (p <= loss_cdf c <-> loss_quantile p <= c).
Proof.
  intros p c Hp. unfold loss_cdf, loss_quantile. rewrite Phi_galois by exact Hp. rewrite scale.
  replace (/ (2 * sigma ^ 2)) with (/ sigma * / (2 * sigma)) by (field; lra). reflexivity.
Qed.

Definition kappa : R := eps - / sigma ^ 2 - / sigma * (Q (1 - dt) + Q (1 - th)).

Theorem kappa_iff_check : forall l,
  check loss_cdf eps dt th l <-> l <= kappa.
Proof.
  intros l. rewrite (threshold_iff_check loss_cdf loss_quantile loss_galois) by assumption.
  replace (threshold loss_quantile eps dt th) with kappa; [reflexivity|].
  unfold threshold, kappa, loss_quantile. field. lra.
Qed.

(* the appendix: the inner probability as displayed there *)
Definition good_loss_as_displayed (l : R) : Prop := 1 - Phi (sigma * (eps - l) - 2 / sigma) <= dt.

Theorem appendix_display_differs :
  let l := highest_good loss_quantile eps dt in
  good_loss loss_cdf eps dt l /\ ~ good_loss_as_displayed l.
Proof.
  split; [apply (good_loss_iff loss_cdf loss_quantile loss_galois); [assumption | lra]|].
  unfold good_loss_as_displayed, highest_good, loss_quantile. intro K.
  assert (K2 : 1 - dt <= Phi (sigma * (eps - (eps - (/ sigma * Q (1 - dt) + / (2 * sigma ^ 2))))
    - 2 / sigma)) by lra.
  apply Phi_galois in K2; [|lra]. apply scale in K2.
  assert (0 < / (2 * sigma ^ 2)) by (apply Rinv_0_lt_compat; nra).
  replace (/ sigma * (2 / sigma)) with (4 * / (2 * sigma ^ 2)) in K2 by (field; lra). lra.
Qed.
End Kappa.
