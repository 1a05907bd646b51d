(* The normal distribution: its integral, its distribution function with a quantile, its rays.

   In words: the integral of exp(-t^2/2) over the line is sqrt(2 pi), so Phi, built from it, is a
   strictly increasing distribution function with limits 0 and 1 (`Phi_increasing`, `Phi_low`,
   `Phi_high`), and Q is its quantile (`Phi_Q`).  A normal density integrates to Phi((b - m) / s)
   below b, to the rest above it, and to 1 over the line; these are improper integrals of Coquelicot
   (`below_ray`, `above_ray`, `whole_line`).

   The value of the integral is found without polar coordinates: with G(x) the integral from 0 to x,
   G(x)^2 plus a second integral K(x) has derivative 0; at 0 the sum is pi/2, and K vanishes far
   out. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums.
Open Scope R_scope.

Local Notation continuous_int := (ex_RInt_continuous (V := R_CompleteNormedModule)).

(* a function with derivative 0 is constant *)
Lemma flat : forall f, (forall y, is_derive f y 0) -> forall x, f x = f 0.
Proof.
  intros f D x. destruct (MVT_gen f 0 x (fun _ => 0)) as [c [_ Hc]].
  - intros; apply D.
  - intros y _. apply continuity_pt_filterlim, (ex_derive_continuous f). eexists; apply D.
  - lra.
Qed.

(* ---------- the bell and its integral from 0 ---------- *)
Definition bell (t : R) : R := exp (- (t * t) / 2).
Definition G (x : R) : R := RInt bell 0 x.

Lemma bell_pos : forall t, 0 < bell t.
Proof. intros; apply exp_pos. Qed.
Lemma bell_continuous : forall t, continuous bell t.
Proof. intros t. apply (ex_derive_continuous bell). unfold bell, Rdiv. auto_derive. exact I. Qed.
Lemma bell_int : forall a b, ex_RInt bell a b.
Proof. intros a b. apply continuous_int. intros; apply bell_continuous. Qed.
Lemma bell_scaled_int : forall x, ex_RInt (fun u => bell (x * u)) 0 1.
Proof.
  intros x. apply continuous_int. intros u _. apply (continuous_comp (fun u => x * u) bell).
  - apply (ex_derive_continuous (fun u => x * u)). auto_derive. exact I.
  - apply bell_continuous.
Qed.

Lemma G_derive : forall x, is_derive G x (bell x).
Proof.
  intros x. apply (is_derive_RInt bell G 0 x); [|apply bell_continuous].
  apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)), bell_int.
Qed.
Lemma G_continuous : forall x, continuity_pt G x.
Proof.
  intros x. apply continuity_pt_filterlim, (ex_derive_continuous G). eexists; apply G_derive.
Qed.
Lemma G_0 : G 0 = 0.
Proof. exact (RInt_point (V := R_CompleteNormedModule) 0 bell). Qed.
Lemma G_increasing : forall a b, a < b -> G a < G b.
Proof.
  intros a b H. apply (incr_function G m_infty p_infty bell); simpl; auto;
  intros; [apply G_derive | apply bell_pos].
Qed.
Lemma G_odd : forall x, G (- x) = - G x.
Proof.
  intros x. assert (E : G (- x) + G x = G (- 0) + G 0).
  { apply (flat (fun y => G (- y) + G y)). intros y. evar_last.
    - apply @is_derive_plus; [|apply G_derive].
      apply is_derive_comp; [apply G_derive|]. apply @is_derive_opp, is_derive_id.
    - unfold scal, opp, plus, one; simpl; unfold mult; simpl.
      replace (bell (- y)) with (bell y) by (unfold bell; f_equal; field). ring. }
  rewrite Ropp_0, G_0 in E. lra.
Qed.

(* ---------- the second integral ---------- *)
Definition k (x u : R) : R := 2 * exp (- (x * x) * (1 + u * u) / 2) / (1 + u * u).
Definition K (x : R) : R := RInt (k x) 0 1.
Definition dk (x u : R) : R := - 2 * x * exp (- (x * x) * (1 + u * u) / 2).

Lemma den : forall u, 0 < 1 + u * u.
Proof. intros; nra. Qed.
Lemma k_continuous : forall x u, continuous (k x) u.
Proof.
  intros x u. apply (ex_derive_continuous (k x)). unfold k. pose proof (den u). auto_derive. lra.
Qed.
Lemma k_int : forall x, ex_RInt (k x) 0 1.
Proof. intros. apply continuous_int. intros; apply k_continuous. Qed.

Lemma k_derive : forall x u, is_derive (fun z => k z u) x (dk x u).
Proof.
  intros x u. unfold k, dk. pose proof (den u). auto_derive; [exact I|].
  set (E := exp _). replace (exp (- (x * x) * (1 + u * u) / 2)) with E; [field; lra|].
  unfold E. f_equal.
Qed.
Lemma Derive_k : forall x u, Derive (fun z => k z u) x = dk x u.
Proof. intros; apply is_derive_unique, k_derive. Qed.

Lemma dk_continuous : forall x u, continuity_2d_pt dk x u.
Proof.
  intros x u. unfold dk. apply continuity_2d_pt_mult.
  - apply continuity_2d_pt_mult; [apply continuity_2d_pt_const | apply continuity_2d_pt_id1].
  - apply (continuity_1d_2d_pt_comp exp (fun x u => - (x * x) * (1 + u * u) / 2)).
    + apply derivable_continuous_pt, derivable_pt_exp.
    + unfold Rdiv. apply continuity_2d_pt_mult; [|apply continuity_2d_pt_const].
      apply continuity_2d_pt_mult.
      * apply continuity_2d_pt_opp, continuity_2d_pt_mult; apply continuity_2d_pt_id1.
      * apply continuity_2d_pt_plus; [apply continuity_2d_pt_const|].
        apply continuity_2d_pt_mult; apply continuity_2d_pt_id2.
Qed.

Lemma K_derive : forall x, is_derive K x (RInt (dk x) 0 1).
Proof.
  intros x. unfold K. rewrite <- (RInt_ext (fun u => Derive (fun z => k z u) x)).
  - apply is_derive_RInt_param.
    + apply filter_forall. intros y u _. eexists; apply k_derive.
    + intros u _. apply (continuity_2d_pt_ext dk); [intros; symmetry;
        apply Derive_k | apply dk_continuous].
    + apply filter_forall. intros y. apply k_int.
  - intros u _. apply Derive_k.
Qed.

(* G(x) = x int_0^1 bell(x u) du, and dk is a multiple of the same integrand *)
Lemma G_scaled : forall x, G x = x * RInt (fun u => bell (x * u)) 0 1.
Proof.
  intros x. unfold G. assert (E := RInt_comp_lin bell x 0 0 1).
  rewrite Rmult_0_r, Rmult_1_r, !Rplus_0_r in E. rewrite <- E by apply bell_int.
  rewrite (RInt_ext _ (fun u => scal x (bell (x * u)))) by (intros u _; rewrite Rplus_0_r;
    reflexivity).
  apply (RInt_scal (V := R_CompleteNormedModule)), bell_scaled_int.
Qed.
Lemma dk_int : forall x, RInt (dk x) 0 1 = (- 2 * x * bell x) * RInt (fun u => bell (x * u)) 0 1.
Proof.
  intros x. rewrite (RInt_ext (dk x) (fun u => scal (- 2 * x * bell x) (bell (x * u)))).
  - apply (RInt_scal (V := R_CompleteNormedModule)), bell_scaled_int.
  - intros u _. unfold dk, bell, scal; simpl; unfold mult; simpl.
    replace (- (x * x) * (1 + u * u) / 2) with (- (x * x) / 2 + - (x * u * (x * u)) / 2) by field.
    rewrite exp_plus. ring.
Qed.

Lemma squares : forall x, G x * G x + K x = PI / 2.
Proof.
  intros x. transitivity (G 0 * G 0 + K 0).
  - apply (flat (fun y => G y * G y + K y)). intros y. evar_last.
    + apply @is_derive_plus; [|apply K_derive].
      apply (is_derive_mult G G); [apply G_derive | apply G_derive | apply Rmult_comm].
    + unfold plus, mult; simpl; unfold mult; simpl. rewrite dk_int, (G_scaled y). ring.
  - rewrite G_0. unfold K.
    assert (E : is_RInt (k 0) 0 1 (2 * atan 1 - 2 * atan 0)).
    { apply (is_RInt_derive (fun u => 2 * atan u) (k 0)).
      - intros u _. unfold k. pose proof (den u). auto_derive; [exact I|].
        replace (- (0 * 0) * (1 + u * u) / 2) with 0 by field. rewrite exp_0.
        unfold Rsqr in *. field. nra.
      - intros u _. apply k_continuous. }
    rewrite (is_RInt_unique _ _ _ _ E), atan_1, atan_0. field.
Qed.

Lemma K_bounds : forall x, 0 <= K x <= 2 * bell x.
Proof.
  intros x. unfold K. split.
  - apply RInt_ge_0; [lra | apply k_int |]. intros u _. unfold k. pose proof (den u). apply Rlt_le.
    apply Rdiv_lt_0_compat; [|assumption]. pose proof (exp_pos (- (x * x) * (1 + u * u) / 2)). lra.
  - apply Rle_trans with (RInt (fun _ => 2 * bell x) 0 1).
    + apply RInt_le; [lra | apply k_int | apply ex_RInt_const |]. intros u _. unfold k.
      pose proof (den u) as Hd. apply Rle_trans with (2 * exp (- (x * x) * (1 + u * u) / 2)).
      * pose proof (exp_pos (- (x * x) * (1 + u * u) / 2)). apply Rmult_le_reg_r with (1 + u * u);
          [assumption|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
      * apply Rmult_le_compat_l; [lra|]. unfold bell.
        destruct (Req_dec (- (x * x) * (1 + u * u) / 2) (- (x * x) / 2)) as [->|N]; [lra|].
        left. apply exp_increasing. nra.
    + rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. lra.
Qed.

(* ---------- half of the whole ---------- *)
Definition half : R := sqrt (PI / 2).
Lemma half_pos : 0 < half.
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.
Lemma half_sq : half * half = PI / 2.
Proof. apply sqrt_sqrt. pose proof PI_RGT_0. lra. Qed.
Lemma two_halves : sqrt (2 * PI) = 2 * half.
Proof.
  unfold half. pose proof PI_RGT_0. replace (2 * PI) with (2 * 2 * (PI / 2)) by field.
  rewrite sqrt_mult, sqrt_square by lra. reflexivity.
Qed.

Lemma G_range : forall x, - half < G x < half.
Proof.
  assert (U : forall x, G x < half).
  { intros x. destruct (Rle_lt_dec half (G x)) as [C|C]; [|exact C]. exfalso.
    pose proof (G_increasing x (x + 1) ltac:(lra)). pose proof (squares (x + 1)).
    pose proof (K_bounds (x + 1)). pose proof half_pos. pose proof half_sq. nra. }
  intros x. split; [|apply U]. pose proof (U (- x)). rewrite G_odd in H. lra.
Qed.

Lemma bell_small : forall eta, 0 < eta -> exists x, 0 < x /\ bell x < eta.
Proof.
  intros eta He. exists (sqrt (2 / eta)).
  assert (H2 : 0 < 2 / eta) by (apply Rdiv_lt_0_compat; lra).
  split; [apply sqrt_lt_R0; assumption|]. unfold bell.
  rewrite sqrt_sqrt by lra. replace (- (2 / eta) / 2) with (- (/ eta)) by (field; lra).
  rewrite exp_Ropp. pose proof (Rinv_0_lt_compat eta He) as Hi.
  assert (H : 1 + / eta < exp (/ eta)) by (apply exp_ineq1; lra).
  assert (/ exp (/ eta) < / / eta); [|rewrite Rinv_inv in *; assumption].
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; [assumption | apply exp_pos] | lra].
Qed.

Lemma G_near : forall p, p < half -> exists x, p < G x.
Proof.
  intros p Hp. destruct (Rle_lt_dec p 0) as [Z|Z].
  { exists 1. pose proof (G_increasing 0 1 ltac:(lra)). rewrite G_0 in H. lra. }
  pose proof half_pos. pose proof half_sq.
  destruct (bell_small ((half * half - p * p) / 4)) as [x [Hx Hg]]; [nra|].
  exists x. pose proof (squares x). pose proof (K_bounds x).
  pose proof (G_increasing 0 x Hx) as Hi. rewrite G_0 in Hi. nra.
Qed.

(* ---------- Phi and its quantile ---------- *)
Definition Phi (x : R) : R := 1 / 2 + RInt (fun t => exp (- (t * t) / 2)) 0 x / sqrt (2 * PI).

Lemma Phi_G : forall x, Phi x * (2 * half) = half + G x.
Proof.
  intros x. unfold Phi. fold (G x). rewrite two_halves. pose proof half_pos.
  change (RInt (fun t => exp (- (t * t) / 2)) 0 x) with (G x). field. lra.
Qed.
Lemma Phi_increasing : forall a b, a < b -> Phi a < Phi b.
Proof.
  intros a b H. pose proof (Phi_G a). pose proof (Phi_G b). pose proof half_pos.
  pose proof (G_increasing a b H). nra.
Qed.
Lemma Phi_range : forall x, 0 < Phi x < 1.
Proof. intros x. pose proof (Phi_G x). pose proof (G_range x). pose proof half_pos. nra. Qed.
Lemma Phi_opp : forall x, Phi (- x) = 1 - Phi x.
Proof.
  intros x. pose proof (Phi_G x). pose proof (Phi_G (- x)). rewrite G_odd in *.
  pose proof half_pos. nra.
Qed.
Lemma Phi_above : forall p, p < 1 -> exists x, p < Phi x.
Proof.
  intros p Hp. pose proof half_pos. destruct (G_near (p * (2 * half) - half)) as [x Hx]; [nra|].
  exists x. pose proof (Phi_G x). nra.
Qed.
Lemma Phi_below : forall p, 0 < p -> exists x, Phi x < p.
Proof.
  intros p Hp. destruct (Phi_above (1 - p)) as [x Hx]; [lra|]. exists (- x). rewrite Phi_opp. lra.
Qed.

Theorem Phi_low : filterlim Phi (Rbar_locally m_infty) (locally 0).
Proof.
  intros P [eta He]. destruct (Phi_below eta (cond_pos eta)) as [x Hx]. exists x. intros y Hy.
  apply He.
  pose proof (Phi_range y). pose proof (Phi_increasing y x Hy).
  unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl. rewrite Rabs_pos_eq; lra.
Qed.
Theorem Phi_high : filterlim Phi (Rbar_locally p_infty) (locally 1).
Proof.
  intros P [eta He]. destruct (Phi_above (1 - eta)) as [x Hx]; [pose proof (cond_pos eta); lra|].
  exists x. intros y Hy. apply He. pose proof (Phi_range y). pose proof (Phi_increasing x y Hy).
  unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl. rewrite Rabs_left1; lra.
Qed.

Definition Q (p : R) : R := real (Lub_Rbar (fun x => Phi x <= p)).
Theorem Phi_Q : forall p, 0 < p < 1 -> Phi (Q p) = p.
Proof.
  intros p Hp. pose proof half_pos as Hc.
  destruct (Phi_above p) as [b Hb]; [lra|]. destruct (Phi_below p) as [a Ha]; [lra|].
  destruct (IVT_gen G a b (p * (2 * half) - half)) as [q [_ Hq]].
  - intros y. apply G_continuous.
  - pose proof (Phi_G a). pose proof (Phi_G b). unfold Rmin, Rmax. destruct (Rle_dec (G a) (G b));
      nra.
  - assert (E : Phi q = p) by (pose proof (Phi_G q); nra). unfold Q.
    replace (Lub_Rbar (fun x => Phi x <= p)) with (Finite q); [exact E|].
    symmetry. apply is_lub_Rbar_unique. split.
    + intros x Hx. simpl. destruct (Rle_lt_dec x q) as [L|L]; [exact L|].
      apply Phi_increasing in L. lra.
    + intros c Hb'. apply Hb'. lra.
Qed.

(* ---------- the normal law with mean m and deviation s ---------- *)
Definition dens (s m y : R) : R := exp (- ((y - m) * (y - m)) / (2 * s * s)) / (s * sqrt (2 * PI)).

Lemma dens_pos : forall s m y, 0 < s -> 0 < dens s m y.
Proof.
  intros s m y Hs. unfold dens. rewrite two_halves. pose proof half_pos.
  apply Rdiv_lt_0_compat; [apply exp_pos | nra].
Qed.

Section Normal.
Variables s m : R.
Hypothesis Hs : 0 < s.
Local Notation F y := (Phi ((y - m) / s)).

Lemma dens_is_RInt : forall a b, is_RInt (dens s m) a b (F b - F a).
Proof.
  intros a b. pose proof half_pos. apply (is_RInt_derive (fun y => F y) (dens s m)).
  - intros y _. apply (is_derive_ext (fun y => / 2 + / (2 * half) * G ((y - m) / s))).
    { intros t. pose proof (Phi_G ((t - m) / s)). apply (Rmult_eq_reg_r (2 * half)); [|lra].
      rewrite H0. field. lra. }
    unfold dens. rewrite two_halves. evar_last.
    + apply @is_derive_plus; [apply is_derive_const|]. apply is_derive_scal.
      apply (is_derive_comp G (fun y => (y - m) / s)); [apply G_derive|]. auto_derive;
        [exact I | reflexivity].
    + unfold plus, zero, scal; simpl; unfold mult, plus; simpl. unfold bell.
      replace (- ((y - m) / s * ((y - m) / s)) / 2) with (- ((y - m) * (y - m)) / (2 * s * s))
        by (field; lra). field. lra.
  - intros y _. apply (ex_derive_continuous (dens s m)). unfold dens. auto_derive. exact I.
Qed.

Lemma scaled_low : filterlim (fun y => F y) (Rbar_locally m_infty) (locally 0).
Proof.
  apply (filterlim_comp _ _ _ (fun y => (y - m) / s) Phi _ (Rbar_locally m_infty));
    [|apply Phi_low].
  intros P [c Hc]. exists (c * s + m). intros y Hy. apply Hc.
  apply Rmult_lt_reg_r with s; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma scaled_high : filterlim (fun y => F y) (Rbar_locally p_infty) (locally 1).
Proof.
  apply (filterlim_comp _ _ _ (fun y => (y - m) / s) Phi _ (Rbar_locally p_infty));
    [|apply Phi_high].
  intros P [c Hc]. exists (c * s + m). intros y Hy. apply Hc.
  apply Rmult_lt_reg_r with s; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* a density cut off at b: what happens at b itself does not matter *)
Theorem below_ray : forall f b, (forall y, y < b -> f y = dens s m y) ->
  (forall y, b < y -> f y = 0) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) (F b).
Proof.
  intros f b Hlo Hhi P HP.
  assert (HL : filterlim (fun a => F b - F a) (Rbar_locally m_infty) (locally (F b))).
  { apply (filterlim_comp _ _ _ (fun a => F a) (fun z => F b - z) _ (locally 0));
      [apply scaled_low|].
    replace (locally (F b)) with (locally (F b - 0)) by (f_equal; ring).
    apply (ex_derive_continuous (fun z : R => F b - z)). auto_derive. exact I. }
  specialize (HL P HP). destruct HL as [A HA].
  apply (Filter_prod _ _ _ (fun a => a < A /\ a < b) (fun c => b < c)).
  - exists (Rmin A b). intros a Ha. pose proof (Rmin_l A b). pose proof (Rmin_r A b). split; lra.
  - exists b. auto.
  - intros a c [Ha Hab] Hc. exists (F b - F a). split; [|apply HA; exact Ha]. simpl.
    replace (F b - F a) with (plus (F b - F a) (scal (c - b) 0)).
    2:{ unfold plus, scal; simpl; unfold mult; simpl. ring. }
    apply (is_RInt_Chasles f a b c).
    + apply (is_RInt_ext (dens s m)); [|apply dens_is_RInt].
      intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. symmetry. apply Hlo. lra.
    + apply (is_RInt_ext (fun _ => 0)); [|apply (is_RInt_const (V := R_NormedModule))].
      intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. symmetry. apply Hhi. lra.
Qed.

Theorem above_ray : forall f b, (forall y, b < y -> f y = dens s m y) ->
  (forall y, y < b -> f y = 0) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) (1 - F b).
Proof.
  intros f b Hhi Hlo P HP.
  assert (HL : filterlim (fun c => F c - F b) (Rbar_locally p_infty) (locally (1 - F b))).
  { apply (filterlim_comp _ _ _ (fun c => F c) (fun z => z - F b) _ (locally 1));
      [apply scaled_high|].
    apply (ex_derive_continuous (fun z : R => z - F b)). auto_derive. exact I. }
  specialize (HL P HP). destruct HL as [A HA].
  apply (Filter_prod _ _ _ (fun a => a < b) (fun c => A < c /\ b < c)).
  - exists b. auto.
  - exists (Rmax A b). intros c Hc. pose proof (Rmax_l A b). pose proof (Rmax_r A b). split; lra.
  - intros a c Ha [Hc Hbc]. exists (F c - F b). split; [|apply HA; exact Hc]. simpl.
    replace (F c - F b) with (plus (scal (b - a) 0) (F c - F b)).
    2:{ unfold plus, scal; simpl; unfold mult; simpl. ring. }
    apply (is_RInt_Chasles f a b c).
    + apply (is_RInt_ext (fun _ => 0)); [|apply (is_RInt_const (V := R_NormedModule))].
      intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. symmetry. apply Hlo. lra.
    + apply (is_RInt_ext (dens s m)); [|apply dens_is_RInt].
      intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. symmetry. apply Hhi. lra.
Qed.

(* it is a density: the whole line has probability 1 *)
Theorem whole_line : is_RInt_gen (dens s m) (Rbar_locally m_infty) (Rbar_locally p_infty) 1.
Proof.
  set (lo := fun y => if Rle_dec y 0 then dens s m y else 0).
  set (hi := fun y => if Rle_dec y 0 then 0 else dens s m y).
  replace 1 with (plus (F 0) (1 - F 0)) by (unfold plus; simpl; ring).
  apply (is_RInt_gen_ext (fun y => plus (lo y) (hi y))).
  - apply filter_forall. intros ab y _. unfold lo, hi, plus; simpl. destruct (Rle_dec y 0); ring.
  - apply (is_RInt_gen_plus lo hi).
    + apply below_ray; intros y Hy; unfold lo; destruct (Rle_dec y 0); lra.
    + apply above_ray; intros y Hy; unfold hi; destruct (Rle_dec y 0); lra.
Qed.
End Normal.
