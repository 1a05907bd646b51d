(* Gaussian trade-off curves compose, so adding up mu^2 is a filter: Gaussian DP is private.

   In words: `gauss_curve v a b` is the sum of pos(a P - b Q) for P = N(mu, 1), Q = N(0, 1), mu^2 =
     v;
   at a = 1, b = e^eps it is Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) (`gauss_curve_delta`).
   Take a pair of finite laws below the curve of v; followed by rounds below the curve of u it
   stays below the curve of u + v (`gauss_composes`).
    The curve of u is, up to a tail, an integral of
   positive parts over the outcomes of a Gaussian; sum over the finite outputs first, which gives
   the curve of v at the odds of each outcome, and integrate with GaussCurve.v.

   `gdp_private`: so a filter that runs a round only while the mu_i^2 add up to at most mu^2, with
     the
   curve of mu^2 at most d, is (eps, d)-DP for every pair, adversary and horizon. *)
From Coq Require Import Reals List Bool Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Filterproof Require Import Sums Model Potential Family Gauss GaussCurve.
Import ListNotations.
Open Scope R_scope.

Definition gauss_curve : profile := fun v a b =>
  if Rle_dec v 0 then pos (a - b) else
  if Rle_dec a 0 then 0 else if Rle_dec b 0 then a else a * g (sqrt v) (ln (b / a)).

Lemma curve_inside : forall v a b, 0 < v -> 0 < a -> 0 < b ->
  gauss_curve v a b = a * g (sqrt v) (ln (b / a)).
Proof.
  intros v a b Hv Ha Hb. unfold gauss_curve.
  destruct (Rle_dec v 0), (Rle_dec a 0), (Rle_dec b 0); lra.
Qed.

Theorem gauss_curve_delta : forall v eps, 0 < v -> gauss_curve v 1 (exp eps) =
  Phi (sqrt v / 2 - eps / sqrt v) - exp eps * Phi (- (sqrt v / 2) - eps / sqrt v).
Proof.
  intros v eps Hv. rewrite curve_inside by (try apply exp_pos; lra).
  rewrite Rdiv_1, ln_exp. unfold g. ring.
Qed.

Lemma curve_above : forall v a b, 0 <= v -> 0 <= a -> 0 <= b -> pos (a - b) <= gauss_curve v a b.
Proof.
  intros v a b Hv Ha Hb. unfold gauss_curve. destruct (Rle_dec v 0) as [V|V]; [lra|].
  destruct (Rle_dec a 0) as [A|A]; [apply pos_le; lra|].
  destruct (Rle_dec b 0) as [B|B]; [apply pos_le; lra|].
  assert (Hs : 0 < sqrt v) by (apply sqrt_lt_R0; lra).
  pose proof (g_nonneg (sqrt v) Hs (ln (b / a))).
  pose proof (g_above (sqrt v) Hs (ln (b / a))) as H0.
  rewrite exp_ln in H0 by (apply Rdiv_lt_0_compat; lra).
  assert (a * (1 - b / a) = a - b) by (field; lra). apply pos_le; nra.
Qed.

Lemma curve_scales : forall v p a b, 0 <= v -> 0 <= p -> 0 <= a -> 0 <= b ->
  gauss_curve v (p * a) (p * b) = p * gauss_curve v a b.
Proof.
  intros v p a b Hv [Hp|Hp] Ha Hb.
  - unfold gauss_curve. destruct (Rle_dec v 0).
    { unfold pos, Rmax. destruct (Rle_dec _ _), (Rle_dec _ _); nra. }
    destruct (Rle_dec a 0), (Rle_dec (p * a) 0); try (exfalso; nra); [ring|].
    destruct (Rle_dec b 0), (Rle_dec (p * b) 0); try (exfalso; nra); [ring|].
    replace (p * b / (p * a)) with (b / a) by (field; lra). ring.
  - rewrite <- Hp, !Rmult_0_l. unfold gauss_curve. destruct (Rle_dec v 0).
    + rewrite Rminus_0_r. apply pos_of_nonpos. lra.
    + destruct (Rle_dec 0 0); lra.
Qed.

(* ---------- sums of integrals ---------- *)
Lemma sumf_RInt : forall {T} (l : list T) (f : T -> R -> R) a b, (forall y, ex_RInt (f y) a b) ->
  is_RInt (fun t => sumf l (fun y => f y t)) a b (sumf l (fun y => RInt (f y) a b)).
Proof.
  intros T l f a b Hf. induction l as [|y l IH].
  - replace (sumf [] (fun y => RInt (f y) a b)) with (scal (b - a) 0)
      by (unfold scal; simpl; unfold mult; simpl; ring).
    apply (is_RInt_const (V := R_NormedModule)).
  - apply (is_RInt_plus (V := R_NormedModule) (f y)); [|exact IH].
    apply (RInt_correct (V := R_CompleteNormedModule)), Hf.
Qed.

Lemma pos_continuous : forall (f : R -> R) x, continuous f x -> continuous (fun t => pos (f t)) x.
Proof.
  intros f x H. apply (continuous_ext (fun t => / 2 * (f t + Rabs (f t)))).
  { intros t. unfold pos, Rmax, Rabs. destruct (Rle_dec _ _), (Rcase_abs _); lra. }
  apply (continuous_mult (fun _ => / 2)); [apply continuous_const|].
  apply (continuous_plus f); [exact H | apply continuous_Rabs_comp; exact H].
Qed.

(* ---------- the curve as an integral of positive parts, up to a tail ---------- *)
Section Part.
Variables m N : R.
Hypothesis Hm : 0 < m.
Hypothesis HN : 0 < N.

Definition gap (al be t : R) : R := al * phi (t - m) - be * phi t.
Definition part (al be : R) : R := RInt (fun t => pos (gap al be t)) (- N) N.
Definition tails : R := 1 - Phi (N - m) + Phi (- N - m).

Lemma gap_mass : forall al be a b, is_RInt (gap al be) a b
  (al * (Phi (b - m) - Phi (a - m)) - be * (Phi b - Phi a)).
Proof.
  intros. apply (is_RInt_minus (V := R_NormedModule) (fun t => al * phi (t - m)) (fun t =>
    be * phi t)).
  - apply (is_RInt_scal (V := R_NormedModule)), phi_mass.
  - apply (is_RInt_scal (V := R_NormedModule)), phi_mass_0.
Qed.
Lemma gap_continuous : forall al be t, continuous (gap al be) t.
Proof.
  intros al be t. apply (continuous_minus (fun t => al * phi (t - m)) (fun t => be * phi t)).
  - apply (continuous_mult (fun _ => al)); [apply continuous_const|].
    apply (continuous_comp (fun t => t - m) phi); [|apply phi_continuous].
    apply (ex_derive_continuous (fun t => t - m)). auto_derive. exact I.
  - apply (continuous_mult (fun _ => be)); [apply continuous_const | apply phi_continuous].
Qed.
Lemma pos_gap_int : forall al be a b, ex_RInt (fun t => pos (gap al be t)) a b.
Proof.
  intros. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply pos_continuous, gap_continuous.
Qed.

Lemma part_ge : forall al be s, - N <= s <= N ->
  al * (Phi (N - m) - Phi (s - m)) - be * (Phi N - Phi s) <= part al be.
Proof.
  intros al be s Hs. unfold part.
  rewrite <- (RInt_Chasles _ (- N) s N) by apply pos_gap_int. unfold plus; simpl.
  assert (0 <= RInt (fun t => pos (gap al be t)) (- N) s)
    by (apply RInt_ge_0; [lra | apply pos_gap_int | intros; apply pos_ge]).
  rewrite <- (is_RInt_unique _ _ _ _ (gap_mass al be s N)).
  assert (RInt (gap al be) s N <= RInt (fun t => pos (gap al be t)) s N); [|lra].
  apply RInt_le; [lra | eexists; apply gap_mass | apply pos_gap_int | intros; apply pos_ge].
Qed.

Lemma part_nonneg : forall al be, 0 <= part al be.
Proof. intros. apply RInt_ge_0; [lra | apply pos_gap_int | intros; apply pos_ge]. Qed.
Lemma tails_nonneg : 0 <= tails.
Proof. unfold tails. pose proof (Phi_range (N - m)). pose proof (Phi_range (- N - m)). lra. Qed.

Lemma ray_le : forall al be s, 0 <= al -> 0 <= be ->
  al * (1 - Phi (s - m)) - be * (1 - Phi s) <= part al be + al * tails.
Proof.
  intros al be s Ha Hb. unfold tails.
  pose proof (Phi_range (N - m)). pose proof (Phi_range (- N - m)). pose proof (Phi_range N).
  pose proof (Phi_range s). pose proof (Phi_range (s - m)).
  destruct (Rle_lt_dec s N) as [S1|S1]; [destruct (Rle_lt_dec (- N) s) as [S2|S2]|].
  - pose proof (part_ge al be s (conj S2 S1)).
    assert (0 <= be * (1 - Phi N)) by (apply Rmult_le_pos; lra).
    assert (0 <= al * Phi (- N - m)) by (apply Rmult_le_pos; lra). lra.
  - pose proof (part_ge al be (- N) ltac:(lra)).
    pose proof (Phi_le s (- N) ltac:(lra)). pose proof (Phi_range (- N)).
    assert (0 <= be * (1 - Phi N + Phi (- N) - Phi s)) by (apply Rmult_le_pos; lra).
    assert (0 <= al * Phi (s - m)) by (apply Rmult_le_pos; lra). lra.
  - pose proof (part_nonneg al be). pose proof (Phi_le (N - m) (s - m) ltac:(lra)).
    assert (0 <= be * (1 - Phi s)) by (apply Rmult_le_pos; lra).
    assert (0 <= al * (1 - Phi (N - m) + Phi (- N - m) - (1 - Phi (s - m)))) by
      (apply Rmult_le_pos; lra).
    lra.
Qed.

Lemma curve_le_part : forall al be, 0 <= al -> 0 <= be ->
  gauss_curve (m * m) al be <= part al be + al * tails.
Proof.
  intros al be Ha Hb. pose proof (part_nonneg al be). pose proof tails_nonneg.
  unfold gauss_curve. destruct (Rle_dec (m * m) 0); [nra|].
  destruct (Rle_dec al 0); [nra|]. destruct (Rle_dec be 0).
  - pose proof (part_ge al be (- N) ltac:(lra)). replace be with 0 in * by lra. unfold tails. lra.
  - rewrite sqrt_square by lra. rewrite (g_rays m Hm), exp_ln by (apply Rdiv_lt_0_compat; lra).
    set (s := ln (be / al) / m + m / 2). pose proof (ray_le al be s Ha Hb).
    assert (E : al * (be / al) = be) by (field; lra). rewrite <- E in H1 at 1. lra.
Qed.
End Part.

Lemma tails_small : forall m eta, 0 < m -> 0 < eta -> exists N, 0 < N /\ tails m N < eta.
Proof.
  intros m eta Hm He. destruct (Phi_above (1 - eta / 2)) as [x Hx]; [lra|].
  destruct (Phi_below (eta / 2)) as [y Hy]; [lra|].
  exists (Rmax 1 (Rmax (x + m) (- y))). set (N := Rmax 1 (Rmax (x + m) (- y))).
  assert (1 <= N) by apply Rmax_l.
  assert (x + m <= N) by (eapply Rle_trans; [apply Rmax_l | apply Rmax_r]).
  assert (- y <= N) by (eapply Rle_trans; [apply Rmax_r | apply Rmax_r]).
  split; [lra|]. unfold tails.
  pose proof (Phi_le x (N - m) ltac:(lra)). pose proof (Phi_le (- N - m) y ltac:(lra)). lra.
Qed.

(* ---------- composition ---------- *)
Section Compose.
Context {T : Type}.
Variable l : list T.
Variables P Q : T -> R.
Hypothesis HP : forall y, 0 <= P y.
Hypothesis HQ : forall y, 0 <= Q y.
Hypothesis P1 : sumf l P = 1.

Lemma compose_inside : forall m n a b, 0 < m -> 0 < n -> 0 < a -> 0 < b ->
  below gauss_curve (n * n) l P Q ->
  sumf l (fun y => gauss_curve (m * m) (a * P y) (b * Q y)) <= gauss_curve (m * m + n * n) a b.
Proof.
  intros m n a b Hm Hn Ha Hb HB. set (k := sqrt (m * m + n * n)).
  assert (Hs : 0 < m * m + n * n) by nra. assert (Hk : 0 < k) by (apply sqrt_lt_R0; exact Hs).
  assert (Hkk : k * k = m * m + n * n) by (apply sqrt_sqrt; lra).
  rewrite (curve_inside (m * m + n * n)) by assumption. fold k. set (L := ln (b / a)).
  match goal with |- ?s <= ?t => destruct (Rle_lt_dec s t) as [C|C]; [exact C|] end. exfalso.
  match type of C with ?t < ?s => set (S := s) in *; set (G := t) in * end.
  destruct (tails_small m ((S - G) / (2 * a)) Hm) as [N [HN Ht]]; [apply Rdiv_lt_0_compat; lra|].
  assert (H1 : S <= sumf l (fun y => part m N (a * P y) (b * Q y)) + a * tails m N).
  { replace (a * tails m N) with (sumf l (fun y => P y * (a * tails m N))) by
      (rewrite sumf_scal_r, P1; ring).
    unfold S. rewrite <- sumf_plus. apply sumf_le; intros y _.
    pose proof (curve_le_part m N Hm HN (a * P y) (b * Q y)
      (Rmult_le_pos _ _ (Rlt_le _ _ Ha) (HP y)) (Rmult_le_pos _ _ (Rlt_le _ _ Hb) (HQ y))). lra. }
  assert (J := sumf_RInt l (fun y t => pos (gap m (a * P y) (b * Q y) t)) (- N) N
    (fun y => pos_gap_int m (a * P y) (b * Q y) (- N) N)).
  assert (H2 : sumf l (fun y => part m N (a * P y) (b * Q y)) <= a * RInt (outer m n L) (- N) N).
  { unfold part. rewrite <- (is_RInt_unique _ _ _ _ J).
    assert (K : is_RInt (fun t => scal a (outer m n L t)) (- N) N
      (scal a (RInt (outer m n L) (- N) N)))
      by (apply (is_RInt_scal (V := R_NormedModule)), (RInt_correct (V := R_CompleteNormedModule)),
        outer_int; assumption).
    change (a * RInt (outer m n L) (- N) N) with (scal a (RInt (outer m n L) (- N) N)).
    rewrite <- (is_RInt_unique _ _ _ _ K).
    apply RInt_le; [lra | eexists; exact J | eexists; exact K |]. intros t _.
    pose proof (phi_pos t) as Q0. pose proof (phi_pos (t - m)) as Q1.
    specialize (HB (a * phi (t - m)) (b * phi t) ltac:(nra) ltac:(nra)).
    rewrite curve_inside in HB by nra. rewrite sqrt_square in HB by lra.
    assert (Eo : ln (b * phi t / (a * phi (t - m))) = c m t L).
    { rewrite phi_tilt. pose proof (exp_pos (m * t - m * m / 2)).
      replace (b * phi t / (a * (phi t * exp (m * t - m * m / 2)))) with
        (b / a * exp (- (m * t - m * m / 2))) by (rewrite exp_Ropp; field; repeat split; lra).
      rewrite ln_mult by (try apply exp_pos; apply Rdiv_lt_0_compat; assumption).
      rewrite ln_exp. unfold c, L. lra. }
    rewrite Eo in HB. unfold scal; simpl; unfold mult; simpl. unfold outer.
    rewrite (sumf_ext _ _ _ (fun y => pos (a * phi (t - m) * P y - b * phi t * Q y)));
      [lra|]. intros y _. unfold gap. f_equal. ring. }
  pose proof (composed m n k N Hm Hn Hk Hkk HN L) as H3.
  assert (H4 : a * RInt (outer m n L) (- N) N <= G) by (unfold G; apply Rmult_le_compat_l; lra).
  assert (H5 : a * tails m N < (S - G) / 2).
  { replace ((S - G) / 2) with (a * ((S - G) / (2 * a))) by (field; lra). apply Rmult_lt_compat_l;
      assumption. }
  lra.
Qed.
End Compose.

Theorem gauss_composes : forall T, composes gauss_curve T.
Proof.
  intros T. split; [apply curve_above|].
  intros u v l P Q a b Hu Hv Ha Hb HP HQ P1 Q1 HB.
  destruct Hu as [Hu|Hu]; [destruct Hv as [Hv|Hv]|].
  - destruct Ha as [Ha|Ha]; [destruct Hb as [Hb|Hb]|].
    + rewrite <- (sqrt_sqrt u), <- (sqrt_sqrt v) by lra. apply compose_inside;
        auto using sqrt_lt_R0.
      rewrite sqrt_sqrt by lra. exact HB.
    + rewrite (sumf_ext _ _ _ (fun y => a * P y)).
      * rewrite sumf_scal, P1. unfold gauss_curve. rewrite <- Hb.
        destruct (Rle_dec (u + v) 0), (Rle_dec a 0), (Rle_dec 0 0); lra.
      * intros y _. rewrite <- Hb, Rmult_0_l. unfold gauss_curve. specialize (HP y).
        destruct (Rle_dec u 0), (Rle_dec (a * P y) 0), (Rle_dec 0 0); try lra. nra.
    + rewrite (sumf_ext _ _ _ (fun _ => 0)).
      * rewrite sumf_zero. apply Rle_trans with (pos (a - b)); [apply pos_ge | apply curve_above;
          lra].
      * intros y _. rewrite <- Ha, Rmult_0_l. unfold gauss_curve.
        destruct (Rle_dec u 0), (Rle_dec 0 0); lra.
  - (* laws below the curve of 0 are equal *)
    assert (Le : forall y, In y l -> P y = Q y).
    { assert (Z : sumf l (fun y => pos (P y - Q y)) <= 0).
      { specialize (HB 1 1 ltac:(lra) ltac:(lra)). unfold gauss_curve in HB. rewrite <- Hv in HB.
        destruct (Rle_dec 0 0); [|lra]. rewrite pos_of_nonpos in HB by lra.
        rewrite (sumf_ext _ _ _ (fun y => pos (1 * P y - 1 * Q y))); [exact HB|].
        intros y _. f_equal. ring. }
      intros y Hy.
      assert (Pl : forall y, In y l -> P y <= Q y).
      { intros w Hw. pose proof (sumf_member _ l (fun y => pos (P y - Q y)) w (fun b _ =>
          proj1 (pos_ge _)) Hw).
        pose proof (pos_ge (P w - Q w)). cbv beta in *. lra. }
      destruct (Rle_lt_or_eq_dec _ _ (Pl y Hy)) as [Lt|Eq]; [|exact Eq].
      pose proof (sumf_lt _ l P Q y Pl Hy Lt). lra. }
    rewrite (sumf_ext _ _ _ (fun y => P y * gauss_curve u a b)).
    + rewrite sumf_scal_r, P1, <- Hv, Rplus_0_r. lra.
    + intros y Hy. rewrite <- (Le y Hy), !(Rmult_comm _ (P y)). apply curve_scales; auto; lra.
  - rewrite <- Hu, Rplus_0_l. eapply Rle_trans; [|apply HB; assumption].
    apply sumf_le; intros y _. unfold gauss_curve. destruct (Rle_dec 0 0); lra.
Qed.

Section Filter.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req)
        {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.

Theorem gdp_private : forall mu2 e d m, 1 <= e -> 0 <= m -> gauss_curve m 1 e <= d ->
  respects menu outs F (family_fits M pairs gauss_curve mu2 m) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof. intros mu2. apply family_private, gauss_composes. Qed.
End Filter.
