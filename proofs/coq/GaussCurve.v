(* One more Gaussian: the curves of Gaussian DP at odds e^l, and how they compose.

   In words: g n l = Phi(n/2 - l/n) - e^l Phi(-n/2 - l/n) is the divergence at odds e^l of two
     normal
   laws whose means differ by n deviations; it is at least 0 and at least 1 - e^l (`g_nonneg`,
   `g_above`).  A Gaussian of difference m, followed by one of difference n, is one of difference
   k = sqrt(m^2 + n^2): the integral over the first one's outcomes t, cut off at any N, of the
     second
   one's divergence at the odds after t is at most g k l (`composed`).  No double integral is
   formed: the difference of both sides falls as l rises, because its derivative is again such a
   difference, whose derivative is a Gaussian integral over part of the line (`two_bells`); and far
   out both differences vanish. *)
From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Gauss.
Open Scope R_scope.

Local Notation continuous_int := (ex_RInt_continuous (V := R_CompleteNormedModule)).

Lemma falls : forall f df, (forall y, is_derive f y (df y)) -> (forall y, df y <= 0) ->
  forall a b, a <= b -> f b <= f a.
Proof.
  intros f df D H a b Hab. destruct (MVT_gen f a b df) as [c [_ Hc]].
  - intros; apply D.
  - intros y _. apply continuity_pt_filterlim, (ex_derive_continuous f). eexists; apply D.
  - specialize (H c). nra.
Qed.

Lemma falls_to_zero : forall f df, (forall y, is_derive f y (df y)) -> (forall y, df y <= 0) ->
  (forall eta, 0 < eta -> exists l0, forall l, l0 <= l -> - eta <= f l) -> forall l, 0 <= f l.
Proof.
  intros f df D H Hlim l. destruct (Rle_lt_dec 0 (f l)) as [C|C]; [exact C|]. exfalso.
  destruct (Hlim (- f l / 2)) as [l0 Hl]; [lra|].
  pose proof (Hl (Rmax l l0) (Rmax_r l l0)).
  pose proof (falls f df D H l (Rmax l l0) (Rmax_l l l0)). lra.
Qed.

(* ---------- the standard normal density ---------- *)
Definition phi (t : R) : R := bell t / (2 * half).
Lemma phi_pos : forall t, 0 < phi t.
Proof. intros t. pose proof half_pos. apply Rdiv_lt_0_compat; [apply bell_pos | lra]. Qed.
Lemma Phi_derive : forall x, is_derive Phi x (phi x).
Proof.
  intros x. pose proof half_pos. apply (is_derive_ext (fun y => / 2 + / (2 * half) * G y)).
  { intros t. pose proof (Phi_G t). apply (Rmult_eq_reg_r (2 * half)); [|lra]. rewrite H0. field.
    lra. }
  evar_last.
  - apply @is_derive_plus; [apply is_derive_const|]. apply is_derive_scal, G_derive.
  - unfold plus, zero; simpl. unfold phi. field. lra.
Qed.
Lemma Phi_continuous : forall x, continuous Phi x.
Proof. intros x. apply (ex_derive_continuous Phi). eexists; apply Phi_derive. Qed.
Lemma phi_continuous : forall x, continuous phi x.
Proof.
  intros x. apply (ex_derive_continuous phi). unfold phi, bell. pose proof half_pos. auto_derive.
  lra.
Qed.
Lemma Phi_le : forall a b, a <= b -> Phi a <= Phi b.
Proof. intros a b [H| ->]; [left; apply Phi_increasing; exact H | lra]. Qed.

Lemma phi_tilt : forall m t, phi (t - m) = phi t * exp (m * t - m * m / 2).
Proof.
  intros. unfold phi, bell. pose proof half_pos.
  replace (- ((t - m) * (t - m)) / 2) with (- (t * t) / 2 + (m * t - m * m / 2)) by field.
  rewrite exp_plus. field. lra.
Qed.
Lemma phi_mass : forall m a b, is_RInt (fun t => phi (t - m)) a b (Phi (b - m) - Phi (a - m)).
Proof.
  intros m a b. apply (is_RInt_derive (fun t => Phi (t - m)) (fun t => phi (t - m))).
  - intros t _. evar_last; [apply (is_derive_comp Phi (fun t => t - m)); [apply Phi_derive|]|].
    + auto_derive; [exact I | reflexivity].
    + unfold scal; simpl; unfold mult; simpl. ring.
  - intros t _. apply (continuous_comp (fun t => t - m) phi); [|apply phi_continuous].
    apply (ex_derive_continuous (fun t => t - m)). auto_derive. exact I.
Qed.
Lemma phi_mass_0 : forall a b, is_RInt phi a b (Phi b - Phi a).
Proof.
  intros a b. apply (is_RInt_derive Phi phi); intros; [apply Phi_derive | apply phi_continuous].
Qed.

(* ---------- the curve at odds e^l ---------- *)
Definition g (n l : R) : R := Phi (n / 2 - l / n) - exp l * Phi (- (n / 2) - l / n).

Section One.
Variable n : R.
Hypothesis Hn : 0 < n.

Lemma g_derive : forall l, is_derive (g n) l (- exp l * Phi (- (n / 2) - l / n)).
Proof.
  intros l. unfold g. evar_last.
  - apply (is_derive_minus (fun l => Phi (n / 2 - l / n)) (fun l =>
      exp l * Phi (- (n / 2) - l / n))).
    + apply (is_derive_comp Phi (fun l => n / 2 - l / n)); [apply Phi_derive|].
      auto_derive; [lra | reflexivity].
    + apply (is_derive_mult exp (fun l => Phi (- (n / 2) - l / n)));
        [apply is_derive_exp | | apply Rmult_comm].
      apply (is_derive_comp Phi (fun l => - (n / 2) - l / n)); [apply Phi_derive|].
      auto_derive; [lra | reflexivity].
  - unfold minus, plus, opp, scal, mult; simpl; unfold mult; simpl.
    assert (E : phi (n / 2 - l / n) = exp l * phi (- (n / 2) - l / n)).
    { replace (- (n / 2) - l / n) with (n / 2 - l / n - n) by (field; lra).
      rewrite (phi_tilt n (n / 2 - l / n)), Rmult_comm, Rmult_assoc, <- exp_plus.
      replace (n * (n / 2 - l / n) - n * n / 2 + l) with 0 by (field; lra). rewrite exp_0. ring. }
    rewrite E. field. lra.
Qed.

Lemma g_rays : forall l, g n l = (1 - Phi (l / n + n / 2 - n)) - exp l * (1 - Phi (l / n + n / 2)).
Proof. intros l. rewrite <- !Phi_opp. unfold g. do 2 f_equal; [|f_equal]; field; lra. Qed.

(* no other ray does better, and none does worse than nothing *)
Lemma g_nonneg : forall l, 0 <= g n l.
Proof.
  intros l. destruct (Rle_lt_dec 0 (g n l)) as [C|C]; [exact C|]. exfalso.
  pose proof (exp_pos l) as He.
  rewrite g_rays in C. set (s := l / n + n / 2) in *.
  destruct (Phi_above (1 - (- ((1 - Phi (s - n)) - exp l * (1 - Phi s)) / exp l) / 2)) as [b Hb].
  { assert (0 < - ((1 - Phi (s - n)) - exp l * (1 - Phi s)) / exp l) by
      (apply Rdiv_lt_0_compat; lra). lra. }
  set (c := Rmax b s). assert (Hc : 1 - (- ((1 - Phi (s - n)) - exp l * (1 - Phi s)) / exp l) / 2 <
    Phi c)
    by (eapply Rlt_le_trans; [exact Hb | apply Phi_le, Rmax_l]).
  assert (I : 0 <= (Phi (c - n) - Phi (s - n)) - exp l * (Phi c - Phi s)).
  { assert (J : is_RInt (fun t => phi (t - n) - exp l * phi t) s c
      ((Phi (c - n) - Phi (s - n)) - exp l * (Phi c - Phi s)))
      by (exact (is_RInt_minus _ _ _ _ _ _ (phi_mass n s c) (is_RInt_scal _ _ _ (exp l) _
        (phi_mass_0 s c)))).
    rewrite <- (is_RInt_unique _ _ _ _ J). apply RInt_ge_0; [apply Rmax_r | eexists; exact J |].
    intros t Ht. rewrite phi_tilt. pose proof (phi_pos t).
    assert (exp l <= exp (n * t - n * n / 2)); [|nra]. left. apply exp_increasing.
    assert (l = n * s - n * n / 2) by (unfold s; field; lra). nra. }
  pose proof (Phi_range (c - n)). pose proof (Phi_range c).
  set (z := - ((1 - Phi (s - n)) - exp l * (1 - Phi s)) / exp l) in *.
  assert (Ez : exp l * z = - ((1 - Phi (s - n)) - exp l * (1 - Phi s))) by (unfold z; field; lra).
  nra.
Qed.

Lemma g_le_Phi : forall l, g n l <= Phi (n / 2 - l / n).
Proof.
  intros l. unfold g. pose proof (exp_pos l). pose proof (Phi_range (- (n / 2) - l / n)). nra.
Qed.

Lemma g_above : forall l, 1 - exp l <= g n l.
Proof.
  intros l. assert (E : g n l - (1 - exp l) = exp l * g n (- l)).
  { unfold g. replace (n / 2 - - l / n) with (- (- (n / 2) - l / n)) by (field; lra).
    replace (- (n / 2) - - l / n) with (- (n / 2 - l / n)) by (field; lra).
    rewrite !Phi_opp, exp_Ropp. field. pose proof (exp_pos l). lra. }
  pose proof (g_nonneg (- l)). pose proof (exp_pos l). nra.
Qed.
End One.

(* ---------- one more Gaussian, on part of the line ---------- *)
Section Two.
Variables m n k N : R.
Hypothesis Hm : 0 < m.
Hypothesis Hn : 0 < n.
Hypothesis Hk : 0 < k.
Hypothesis Hkk : k * k = m * m + n * n.
Hypothesis HN : 0 < N.

(* the odds after outcome t, and the end of the ray they leave *)
Definition c (t l : R) : R := l - m * t + m * m / 2.
Definition z (t l : R) : R := - (n / 2) - c t l / n.

Lemma z_continuous : forall l t, continuity_2d_pt (fun l t => z t l) l t.
Proof.
  intros l t. apply (continuity_2d_pt_ext
    (fun l t => (- (n / 2) - m * m / 2 / n) + ((- / n) * l + (m / n) * t))).
  { intros. unfold z, c. field. lra. }
  apply continuity_2d_pt_plus; [apply continuity_2d_pt_const|].
  apply continuity_2d_pt_plus; apply continuity_2d_pt_mult; auto using continuity_2d_pt_const,
    continuity_2d_pt_id1, continuity_2d_pt_id2.
Qed.
Lemma z_continuous_t : forall l t, continuous (fun t => z t l) t.
Proof. intros l t. apply (ex_derive_continuous (fun t => z t l)). unfold z, c. auto_derive. lra.
Qed.

Lemma pt : forall f x, continuous f x -> continuity_pt f x.
Proof. intros f x H. apply continuity_pt_filterlim, H. Qed.
Lemma second : forall f l t, continuous f t -> continuity_2d_pt (fun _ t => f t) l t.
Proof.
  intros f l t H. apply (continuity_1d_2d_pt_comp f (fun _ t => t)); [apply pt, H|].
  apply continuity_2d_pt_id2.
Qed.

(* ---------- the inner difference ---------- *)
Definition inner (l t : R) : R := phi t * Phi (z t l).
Definition E (l : R) : R := Phi (- (k / 2) - l / k) - RInt (inner l) (- N) N.

Lemma inner_continuous : forall l t, continuous (inner l) t.
Proof.
  intros l t. apply (continuous_mult phi (fun t => Phi (z t l))); [apply phi_continuous|].
  apply (continuous_comp (fun t => z t l) Phi); [apply z_continuous_t | apply Phi_continuous].
Qed.
Lemma inner_int : forall l, ex_RInt (inner l) (- N) N.
Proof. intros l. apply continuous_int. intros; apply inner_continuous. Qed.

Lemma inner_derive : forall l t, is_derive (fun l => inner l t) l (phi t * (- / n * phi (z t l))).
Proof.
  intros l t. unfold inner. apply is_derive_scal. evar_last.
  - apply (is_derive_comp Phi (fun l => z t l)); [apply Phi_derive|].
    unfold z, c. auto_derive; [lra | reflexivity].
  - unfold scal; simpl; unfold mult; simpl. field. lra.
Qed.

(* two bells are one bell in t: completing the square *)
Lemma two_bells : forall l t, phi t * phi (z t l) =
  n / k * phi (k / 2 + l / k) * dens (n / k) (m * (l + k * k / 2) / (k * k)) t.
Proof.
  intros l t. unfold phi, bell, dens. rewrite two_halves. pose proof half_pos.
  set (A := l + (m * m + n * n) / 2).
  assert (Hsum : 0 < m * m + n * n) by nra.
  replace (z t l) with (- ((A - m * t) / n)) by (unfold z, c, A; field; lra).
  replace (k / 2 + l / k) with (A / k) by (unfold A; rewrite <- Hkk; field; lra).
  replace (m * (l + k * k / 2) / (k * k)) with (m * A / (k * k)) by
    (unfold A; rewrite Hkk; reflexivity).
  transitivity (exp (- (t * t) / 2 + - (- ((A - m * t) / n) * - ((A - m * t) / n)) / 2)
    / (2 * half) / (2 * half)); [rewrite exp_plus; field; lra|].
  replace (- (t * t) / 2 + - (- ((A - m * t) / n) * - ((A - m * t) / n)) / 2) with
    (- (A / k * (A / k)) / 2 + - ((t - m * A / (k * k)) * (t - m * A / (k * k))) /
      (2 * (n / k) * (n / k))).
  { rewrite exp_plus. field. lra. }
  transitivity (- (A * A / (k * k)) / 2 - (t - m * A / (k * k)) * (t - m * A / (k * k)) * (k * k) /
    (2 * (n * n)));
    [field; lra|].
  rewrite Hkk. field. lra.
Qed.

Lemma E_derive : forall l, exists v, is_derive E l v /\ v <= 0.
Proof.
  intros l. assert (Dk : forall t y, Derive (fun w => inner w t) y = phi t * (- / n * phi (z t y)))
    by (intros; apply is_derive_unique, inner_derive).
  assert (D1 : is_derive (fun l => RInt (inner l) (- N) N) l
    (RInt (fun t => Derive (fun w => inner w t) l) (- N) N)).
  { apply is_derive_RInt_param.
    - apply filter_forall. intros y t _. eexists; apply inner_derive.
    - intros t _. apply (continuity_2d_pt_ext (fun l t => phi t * (- / n * phi (z t l)))).
      { intros. symmetry. apply Dk. }
      apply continuity_2d_pt_mult; [apply second, phi_continuous|].
      apply continuity_2d_pt_mult; [apply continuity_2d_pt_const|].
      apply (continuity_1d_2d_pt_comp phi (fun l t => z t l));
        [apply pt, phi_continuous | apply z_continuous].
    - apply filter_forall. intros y. apply inner_int. }
  set (X := k / 2 + l / k). set (mid := m * (l + k * k / 2) / (k * k)).
  assert (Hnk : 0 < n / k) by (apply Rdiv_lt_0_compat; assumption).
  set (mass := Phi ((N - mid) / (n / k)) - Phi ((- N - mid) / (n / k))).
  assert (V : RInt (fun t => Derive (fun w => inner w t) l) (- N) N = - / k * phi X * mass).
  { rewrite (RInt_ext _ (fun t => scal (- / k * phi X) (dens (n / k) mid t))).
    - apply is_RInt_unique. apply (is_RInt_scal (V := R_NormedModule)).
      exact (dens_is_RInt (n / k) mid Hnk (- N) N).
    - intros t _. rewrite Dk. unfold scal; simpl; unfold mult; simpl.
      replace (phi t * (- / n * phi (z t l))) with (- / n * (phi t * phi (z t l))) by ring.
      rewrite two_bells. fold X mid. field. lra. }
  rewrite V in D1.
  exists (- / k * phi X - - / k * phi X * mass). split.
  - unfold E. apply (is_derive_minus (fun l => Phi (- (k / 2) - l / k))); [|exact D1]. evar_last.
    + apply (is_derive_comp Phi (fun l => - (k / 2) - l / k)); [apply Phi_derive|].
      auto_derive; [lra | reflexivity].
    + unfold scal; simpl; unfold mult; simpl.
      replace (phi (- (k / 2) - l / k)) with (phi X); [field; lra|].
      unfold X, phi, bell. do 3 f_equal. field. lra.
  - pose proof (phi_pos X). assert (0 < / k) by (apply Rinv_0_lt_compat; assumption).
    assert (mass < 1) by (unfold mass; pose proof (Phi_range ((N - mid) / (n / k)));
      pose proof (Phi_range ((- N - mid) / (n / k))); lra).
    assert (0 < / k * phi X) by (apply Rmult_lt_0_compat; assumption). nra.
Qed.

Lemma z_far : forall x0, exists l0, forall l, l0 <= l -> forall t, t <= N -> z t l <= x0.
Proof.
  intros x0. exists (m * N - m * m / 2 - n * (x0 + n / 2)). intros l Hl t Ht.
  apply (Rmult_le_reg_l n); [assumption|].
  replace (n * z t l) with (- (n * n / 2) - (l - m * t + m * m / 2)) by (unfold z, c; field; lra).
  nra.
Qed.

Lemma E_nonneg : forall l, 0 <= E l.
Proof.
  assert (D : forall l, is_derive E l (Derive E l) /\ Derive E l <= 0).
  { intros l. destruct (E_derive l) as [v [Hv Hneg]]. rewrite (is_derive_unique _ _ _ Hv). auto. }
  apply (falls_to_zero E (Derive E)); [intros; apply D | intros; apply D |].
  intros eta Heta. destruct (Phi_below eta Heta) as [x0 Hx]. destruct (z_far x0) as [l0 Hl].
  exists l0. intros l Hle. unfold E. pose proof (Phi_range (- (k / 2) - l / k)).
  assert (RInt (inner l) (- N) N <= eta); [|lra].
  apply Rle_trans with (RInt (fun t => scal (Phi x0) (phi t)) (- N) N).
  - apply RInt_le; [lra | apply inner_int | eexists;
      apply (is_RInt_scal (V := R_NormedModule)), phi_mass_0 |].
    intros t Ht. unfold inner, scal; simpl; unfold mult; simpl. pose proof (phi_pos t).
    pose proof (Phi_le (z t l) x0 (Hl l Hle t ltac:(lra))). nra.
  - assert (J : is_RInt (fun t => scal (Phi x0) (phi t)) (- N) N
      (scal (Phi x0) (Phi N - Phi (- N))))
      by (apply (is_RInt_scal (V := R_NormedModule)), phi_mass_0).
    rewrite (is_RInt_unique _ _ _ _ J). unfold scal; simpl; unfold mult; simpl.
    pose proof (Phi_range N). pose proof (Phi_range (- N)). pose proof (Phi_range x0). nra.
Qed.

(* ---------- the outer difference ---------- *)
Definition outer (l t : R) : R := phi (t - m) * g n (c t l).
Definition D (l : R) : R := g k l - RInt (outer l) (- N) N.

Lemma outer_continuous : forall l t, continuous (outer l) t.
Proof.
  intros l t. apply (continuous_mult (fun t => phi (t - m)) (fun t => g n (c t l))).
  - apply (continuous_comp (fun t => t - m) phi); [|apply phi_continuous].
    apply (ex_derive_continuous (fun t => t - m)). auto_derive. exact I.
  - apply (continuous_comp (fun t => c t l) (g n)).
    + apply (ex_derive_continuous (fun t => c t l)). unfold c. auto_derive. exact I.
    + apply (ex_derive_continuous (g n)). eexists; apply g_derive; assumption.
Qed.
Lemma outer_int : forall l, ex_RInt (outer l) (- N) N.
Proof. intros l. apply continuous_int. intros; apply outer_continuous. Qed.

Lemma outer_derive : forall l t, is_derive (fun l => outer l t) l (- exp l * inner l t).
Proof.
  intros l t. unfold outer. evar_last.
  - apply is_derive_scal. apply (is_derive_comp (g n) (fun l => c t l)); [apply g_derive;
      assumption|].
    unfold c. auto_derive; [exact I | reflexivity].
  - unfold scal; simpl; unfold mult; simpl. fold (z t l). unfold inner.
    rewrite phi_tilt. replace (exp (c t l)) with (exp l * exp (- (m * t - m * m / 2)))
      by (rewrite <- exp_plus; f_equal; unfold c; field).
    rewrite exp_Ropp. field. pose proof (exp_pos (m * t - m * m / 2)). lra.
Qed.

Lemma D_derive : forall l, is_derive D l (- exp l * E l).
Proof.
  intros l. assert (Dk : forall t y, Derive (fun w => outer w t) y = - exp y * inner y t)
    by (intros; apply is_derive_unique, outer_derive).
  assert (D1 : is_derive (fun l => RInt (outer l) (- N) N) l
    (RInt (fun t => Derive (fun w => outer w t) l) (- N) N)).
  { apply is_derive_RInt_param.
    - apply filter_forall. intros y t _. eexists; apply outer_derive.
    - intros t _. apply (continuity_2d_pt_ext (fun l t => - exp l * (phi t * Phi (z t l)))).
      { intros. symmetry. apply Dk. }
      apply continuity_2d_pt_mult.
      + apply continuity_2d_pt_opp. apply (continuity_1d_2d_pt_comp exp (fun l _ => l));
          [apply derivable_continuous_pt, derivable_pt_exp | apply continuity_2d_pt_id1].
      + apply continuity_2d_pt_mult; [apply second, phi_continuous|].
        apply (continuity_1d_2d_pt_comp Phi (fun l t => z t l));
          [apply pt, Phi_continuous | apply z_continuous].
    - apply filter_forall. intros y. apply outer_int. }
  evar_last; [apply (is_derive_minus (g k)); [apply g_derive; assumption | exact D1]|].
  rewrite (RInt_ext _ (fun t => scal (- exp l) (inner l t))) by (intros t _; apply Dk).
  rewrite (RInt_scal (V := R_CompleteNormedModule)) by apply inner_int.
  unfold minus, plus, opp, scal, E; simpl; unfold mult; simpl. ring.
Qed.

(* composing with one more Gaussian, cut off at N *)
Theorem composed : forall l, RInt (outer l) (- N) N <= g k l.
Proof.
  intros l. assert (0 <= D l); [|unfold D in *; lra].
  apply (falls_to_zero D (fun l => - exp l * E l)); [apply D_derive | |].
  - intros y. pose proof (exp_pos y). pose proof (E_nonneg y). nra.
  - intros eta Heta. destruct (Phi_below eta Heta) as [x0 Hx]. destruct (z_far (x0 - n)) as [l0 Hl].
    exists l0. intros y Hy. unfold D. pose proof (g_nonneg k Hk y).
    assert (RInt (outer y) (- N) N <= eta); [|lra].
    apply Rle_trans with (RInt (fun t => scal (Phi x0) (phi (t - m))) (- N) N).
    + apply RInt_le; [lra | apply outer_int | eexists;
        apply (is_RInt_scal (V := R_NormedModule)), phi_mass |].
      intros t Ht. unfold outer, scal; simpl; unfold mult; simpl. pose proof (phi_pos (t - m)).
      pose proof (g_le_Phi n (c t y)). pose proof (Hl y Hy t ltac:(lra)) as Hz.
      assert (Phi (n / 2 - c t y / n) <= Phi x0); [|nra].
      apply Phi_le. unfold z in Hz. lra.
    + assert (J : is_RInt (fun t => scal (Phi x0) (phi (t - m))) (- N) N
        (scal (Phi x0) (Phi (N - m) - Phi (- N - m))))
        by (apply (is_RInt_scal (V := R_NormedModule)), phi_mass).
      rewrite (is_RInt_unique _ _ _ _ J). unfold scal; simpl; unfold mult; simpl.
      pose proof (Phi_range (N - m)). pose proof (Phi_range (- N - m)). pose proof (Phi_range x0).
      nra.
Qed.
End Two.
