(* Proposition 1 with the true normal law: kappa is the check of Algorithm 1.

   In words: rounds add normal noise of deviation sigma to answers that differ by 1 between
   neighbours, in either direction; means may depend on everything asked and released.  Then
     - the loss of one round is at most c with probability Phi(sigma c - 1/(2 sigma)), for both
       signs of the difference (`loss_law`): its law is N(1/(2 sigma^2), 1/sigma^2);
     - the check of `eq: better check`, its two probabilities being improper integrals of normal
       densities, holds exactly if every realised loss is at most kappa (`kappa_is_the_check`);
     - the test before the first round is 1/(2 sigma^2) + Q(1 - dt)/sigma <= eps
       (`first_round_normal`);
     - so Algorithm 1 continues exactly if both hold and rounds are left (`algorithm1_normal`).
   Filter, check and transcripts are those of Laws.v, where finite laws give the filter of
   Published.v.  That a filter is private on continuous outputs is not claimed anywhere here. *)
From Coq Require Import Reals List Bool Lia Lra Psatz Arith.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model LookAhead Kappa Gauss Laws.
Import ListNotations.
Open Scope R_scope.

Section Rounds.
Context {Db Req : Type}.
Variable mean : Db -> hist Req R -> Req -> R.
Variable s : R.
Hypothesis Hs : 0 < s.

Definition normal_laws : laws Db Req R := {|
  density := fun x h r => dens s (mean x h r);
  measure := fun x h r S => RInt_gen (fun y => dens s (mean x h r) y * ind (S y))
    (Rbar_locally m_infty) (Rbar_locally p_infty) |}.

(* the realised loss of a transcript, and of one output *)
Definition loss_at (x x' : Db) (h : hist Req R) : R :=
  ln (weight_at normal_laws x h / weight_at normal_laws x' h).
Definition loss_of (x x' : Db) (h : hist Req R) (r : Req) (y : R) : R :=
  ln (dens s (mean x h r) y / dens s (mean x' h r) y).

Lemma weight_pos : forall x h, 0 < weight_at normal_laws x h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; [lra | |lra].
  apply Rmult_lt_0_compat; [assumption | apply dens_pos; assumption].
Qed.

Lemma loss_adds : forall x x' h r y,
  loss_at x x' ((r, Some y) :: h) = loss_at x x' h + loss_of x x' h r y.
Proof.
  intros. unfold loss_at, loss_of. cbn [weight_at density normal_laws].
  pose proof (weight_pos x h). pose proof (weight_pos x' h).
  pose proof (dens_pos s (mean x h r) y Hs). pose proof (dens_pos s (mean x' h r) y Hs).
  rewrite <- ln_mult by (apply Rdiv_lt_0_compat; assumption). f_equal. field. split; lra.
Qed.

Lemma over_iff : forall eps x x' h,
  over normal_laws (exp eps) x x' h = true <-> eps < loss_at x x' h.
Proof.
  intros eps x x' h. unfold over, loss_at. rewrite Rltb_true.
  pose proof (weight_pos x h) as Hw. pose proof (weight_pos x' h) as Hv.
  set (w := weight_at normal_laws x h) in *. set (v := weight_at normal_laws x' h) in *.
  assert (Hq : 0 < w / v) by (apply Rdiv_lt_0_compat; assumption).
  assert (E : w = exp (ln (w / v)) * v) by (rewrite exp_ln by assumption; field; lra).
  split; intros H.
  - apply exp_lt_inv. apply (Rmult_lt_reg_r v); [assumption|]. lra.
  - rewrite E. apply Rmult_lt_compat_r; [assumption|]. apply exp_increasing. exact H.
Qed.

(* ---------- one pair whose answers differ by 1 ---------- *)
Section Pair.
Variables x x' : Db.
Hypothesis Hunit : forall h r, (mean x h r - mean x' h r) * (mean x h r - mean x' h r) = 1.

Lemma loss_linear : forall h r y, loss_of x x' h r y =
  ((mean x h r - mean x' h r) * (y - mean x h r) + / 2) / (s * s).
Proof.
  intros h r y. unfold loss_of, dens. set (m := mean x h r). set (g := m - mean x' h r).
  replace (mean x' h r) with (m - g) by (unfold g; ring).
  assert (Hg : g * g = 1) by apply Hunit. rewrite two_halves. pose proof half_pos.
  rewrite <- (ln_exp ((g * (y - m) + / 2) / (s * s))). f_equal.
  set (a := - ((y - m) * (y - m)) / (2 * s * s)).
  replace (- ((y - (m - g)) * (y - (m - g))) / (2 * s * s)) with
    (a - (g * (y - m) + / 2) / (s * s)).
  - set (b := (g * (y - m) + / 2) / (s * s)).
    replace (exp (a - b)) with (exp a * / exp b)
      by (unfold Rminus; rewrite exp_plus, exp_Ropp; reflexivity).
    pose proof (exp_pos a). pose proof (exp_pos b). field. repeat split; lra.
  - unfold a. replace (- ((y - (m - g)) * (y - (m - g)))) with
      (- ((y - m) * (y - m)) - 2 * g * (y - m) - g * g) by ring. rewrite Hg. field. lra.
Qed.

Lemma sign : forall h r, mean x h r - mean x' h r = 1 \/ mean x h r - mean x' h r = -1.
Proof. intros h r. specialize (Hunit h r). nra. Qed.

(* P_x(L <= c) = Phi(sigma c - 1/(2 sigma)), and the complement *)
Theorem loss_law : forall h r c,
  (forall S, (forall y, S y = true <-> loss_of x x' h r y <= c) ->
     measure normal_laws x h r S = loss_cdf Phi s c) /\
  (forall S, (forall y, S y = true <-> c < loss_of x x' h r y) ->
     measure normal_laws x h r S = 1 - loss_cdf Phi s c).
Proof.
  intros h r c. set (m := mean x h r). assert (Hss : 0 < s * s) by nra.
  assert (Cut : forall z t, z / (s * s) <= t <-> z <= t * (s * s)).
  { intros z t. split; intros H.
    - apply (Rmult_le_compat_r (s * s)) in H; [|lra]. unfold Rdiv in H.
      rewrite Rmult_assoc, Rinv_l in H by lra. lra.
    - apply Rmult_le_reg_r with (s * s); [assumption|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (One : forall S y, S y = true -> dens s m y * ind (S y) = dens s m y)
    by (intros S y E; rewrite E; simpl; ring).
  assert (Nil : forall S y, S y <> true -> dens s m y * ind (S y) = 0)
    by (intros S y E; apply not_true_is_false in E; rewrite E; simpl; ring).
  assert (Uniq : forall (f : R -> R) l,
    is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) l ->
    RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) = l)
    by (intros; apply is_RInt_gen_unique; assumption).
  assert (Le : forall y, loss_of x x' h r y <= c <->
    (m - mean x' h r) * (y - m) + / 2 <= c * (s * s))
    by (intros y; rewrite loss_linear; fold m; apply Cut).
  assert (Lt : forall y, c < loss_of x x' h r y <-> c * (s * s) < (m - mean x' h r) * (y - m) + / 2)
    by (intros y; pose proof (Le y); lra).
  destruct (sign h r) as [Hd|Hd]; fold m in Hd; rewrite Hd in Le, Lt.
  - set (b := m + c * (s * s) - / 2).
    assert (Eb : loss_cdf Phi s c = Phi ((b - m) / s))
      by (unfold loss_cdf, b; f_equal; field; lra).
    split; intros S HS; cbn [measure normal_laws]; fold m; apply Uniq; rewrite Eb.
    + apply below_ray; [assumption | |]; intros y Hy; [apply One | apply Nil]; rewrite HS, Le;
        unfold b in Hy; lra.
    + apply above_ray; [assumption | |]; intros y Hy; [apply One | apply Nil]; rewrite HS, Lt;
        unfold b in Hy; lra.
  - set (b := m - c * (s * s) + / 2).
    assert (Eb : loss_cdf Phi s c = 1 - Phi ((b - m) / s)).
    { rewrite <- Phi_opp. unfold loss_cdf, b. f_equal. field. lra. }
    split; intros S HS; cbn [measure normal_laws]; fold m; apply Uniq; rewrite Eb.
    + apply above_ray; [assumption | |]; intros y Hy; [apply One | apply Nil]; rewrite HS, Le;
        unfold b in Hy; lra.
    + replace (1 - (1 - Phi ((b - m) / s))) with (Phi ((b - m) / s)) by ring.
      apply below_ray; [assumption | |]; intros y Hy; [apply One | apply Nil]; rewrite HS, Lt;
        unfold b in Hy; lra.
Qed.

Variables eps dt th : R.
Hypothesis Hdt : 0 < dt < 1.
Hypothesis Hth : 0 < th < 1.
Local Notation cdf := (loss_cdf Phi s).
Local Notation quantile := (loss_quantile Q s).
Local Notation galois := (loss_galois Phi Q Phi_increasing Phi_Q s Hs).

Lemma overshoot_normal : forall h r,
  overshoot normal_laws (exp eps) x x' h r = 1 - cdf (eps - loss_at x x' h).
Proof.
  intros h r. unfold overshoot. apply loss_law. intros y. rewrite over_iff, loss_adds. lra.
Qed.

Lemma harmless_normal : forall h r, harmless normal_laws (exp eps) dt x x' h r = true <->
  loss_at x x' h <= highest_good quantile eps dt.
Proof.
  intros h r. unfold harmless. rewrite Rleb_true, overshoot_normal.
  apply (good_loss_iff cdf quantile galois). assumption.
Qed.

Lemma pharmless_normal : forall h r r',
  pharmless normal_laws (exp eps) dt x x' h r r' =
  cdf (highest_good quantile eps dt - loss_at x x' h).
Proof.
  intros h r r'. unfold pharmless. apply loss_law. intros y. rewrite harmless_normal, loss_adds.
  lra.
Qed.

Lemma pair_kappa : forall h r r', 1 - th <= pharmless normal_laws (exp eps) dt x x' h r r' <->
  loss_at x x' h <= kappa Q eps s dt th.
Proof.
  intros h r r'. rewrite pharmless_normal.
  rewrite <- (kappa_iff_check Phi Q Phi_increasing Phi_Q eps s dt th Hs Hdt Hth). split.
  - intros H. exists (highest_good quantile eps dt). split; [|exact H].
    intros l. apply (good_loss_iff cdf quantile galois). assumption.
  - intros [b [Hb H]]. replace (highest_good quantile eps dt) with b; [exact H|].
    assert (Hg := good_loss_iff cdf quantile galois eps dt Hdt).
    apply Rle_antisym; [apply Hg, Hb; lra | apply Hb, Hg; lra].
Qed.

Lemma pair_first : forall r, overshoot normal_laws (exp eps) x x' [] r <= dt <->
  / (2 * s ^ 2) + / s * Q (1 - dt) <= eps.
Proof.
  intros r. pose proof (harmless_normal [] r) as H. unfold harmless in H. rewrite Rleb_true in H.
  rewrite H. unfold loss_at. simpl. rewrite Rdiv_1, ln_1. unfold highest_good, loss_quantile. simpl.
  lra.
Qed.
End Pair.

(* ---------- Algorithm 1 ---------- *)
Variable menu : hist Req R -> list Req.
Variable offer : hist Req R -> Req -> list Req.
Variable pairs : list (Db * Db).
Hypothesis Hunit : forall x x', In (x, x') pairs ->
  forall h r, (mean x h r - mean x' h r) * (mean x h r - mean x' h r) = 1.
Variables eps dt th : R.
Hypothesis Hdt : 0 < dt < 1.
Hypothesis Hth : 0 < th < 1.

Theorem kappa_is_the_check : forall h r, offer h r <> [] ->
  (better_check offer normal_laws pairs (exp eps) dt th h r <->
   forall x x', In (x, x') pairs -> loss_at x x' h <= kappa Q eps s dt th).
Proof.
  intros h r Ho. unfold better_check. split; intros H x x' Hp.
  - destruct (offer h r) as [|r' l] eqn:E; [contradiction|].
    apply (pair_kappa x x' (Hunit x x' Hp) eps dt th Hdt Hth h r r'). apply H; [assumption | left;
      reflexivity].
  - intros r' Hr'. apply (pair_kappa x x' (Hunit x x' Hp) eps dt th Hdt Hth). auto.
Qed.

Theorem first_round_normal : menu [] <> [] -> pairs <> [] ->
  (first_test menu normal_laws pairs (exp eps) dt = true <->
   / (2 * s ^ 2) + / s * Q (1 - dt) <= eps).
Proof.
  intros Hm Hp. rewrite first_test_spec. split.
  - intros H. destruct pairs as [|[x x'] l] eqn:Ep; [contradiction|].
    destruct (menu []) as [|r m] eqn:Em; [contradiction|].
    apply (pair_first x x' (Hunit x x' (or_introl eq_refl)) eps dt Hdt r). apply H; left;
      reflexivity.
  - intros H x x' Hx r _. apply (pair_first x x' (Hunit x x' Hx) eps dt Hdt). exact H.
Qed.

Theorem algorithm1_normal : forall N h r, menu [] <> [] -> pairs <> [] -> offer h r <> [] ->
  (algorithm1 menu offer normal_laws pairs (exp eps) dt th N h r = Continue <->
   (/ (2 * s ^ 2) + / s * Q (1 - dt) <= eps /\ (S (length h) < N)%nat /\
    forall x x', In (x, x') pairs -> loss_at x x' h <= kappa Q eps s dt th)).
Proof.
  intros N h r Hm Hp Ho. rewrite <- (first_round_normal Hm Hp), <- (kappa_is_the_check h r Ho).
  rewrite <- better_test_spec. unfold algorithm1, lookahead.
  destruct (first_test menu normal_laws pairs (exp eps) dt); simpl andb;
    [|split; [discriminate | intros [H _]; discriminate]].
  destruct (length h <? N)%nat eqn:E1.
  - destruct (better_test offer normal_laws pairs (exp eps) dt th h r); simpl andb.
    + destruct (S (length h) <? N)%nat eqn:E2.
      * apply Nat.ltb_lt in E2. tauto.
      * apply Nat.ltb_ge in E2. split; [discriminate | intros (_ & H & _)]. exfalso. lia.
    + split; [discriminate | intros (_ & _ & H); discriminate].
  - apply Nat.ltb_ge in E1. split; [discriminate | intros (_ & H & _)]. exfalso. lia.
Qed.
End Rounds.
