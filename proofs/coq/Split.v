(* A mechanism that is (eps, delta)-DP in both directions contains an eps-DP part with small moments.

   In words: let p and q be laws with sum pos(p - o q) <= delta and sum pos(q - o p) <= delta,
   o = exp(eps).  Then there are parts P <= p and Q <= q within a factor o of each other, of which P
   leaves out at most delta and Q has at least the mass of P (`split_spec`).  And parts within a factor o
   of each other have Renyi sums sum P^(1+s) Q^(-s) <= exp(s (1+s) eps^2 / 2) (`moment_bound`): by
   convexity two outputs are worst, whose sum is cosh((s + 1/2) eps) / cosh(eps / 2). *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Moments.
Import ListNotations.
Open Scope R_scope.

(* ---------- cosh u exp(-u^2/2) falls ---------- *)
Lemma sinh_le : forall u, 0 <= u -> sinh u <= u * cosh u.
Proof.
  intros u Hu. destruct (Rle_lt_or_eq_dec _ _ Hu) as [H|<-]; [|rewrite sinh_0; lra].
  set (f := fun t => t * cosh t - sinh t).
  assert (D : forall c, 0 <= c <= u -> derivable_pt_lim f c (1 * cosh c + c * sinh c - cosh c)).
  { intros c _. apply (derivable_pt_lim_minus (fun t => t * cosh t) sinh).
    - apply (derivable_pt_lim_mult (fun t => t) cosh);
        [apply derivable_pt_lim_id | apply derivable_pt_lim_cosh].
    - apply derivable_pt_lim_sinh. }
  destruct (MVT_cor2 f _ 0 u H D) as (c & E & Hc).
  assert (0 < sinh c) by (unfold sinh; pose proof (exp_increasing (- c) c ltac:(lra)); lra).
  unfold f in E. rewrite sinh_0, Rmult_0_l in E.
  assert (0 <= c * sinh c * u) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). nra.
Qed.

Lemma cosh_pos : forall u, 0 < cosh u.
Proof. intros. unfold cosh. pose proof (exp_pos u). pose proof (exp_pos (- u)). lra. Qed.

Lemma cosh_falls : forall v u, 0 <= v <= u ->
  cosh u * exp (- (u * u / 2)) <= cosh v * exp (- (v * v / 2)).
Proof.
  intros v u [Hv Hu]. destruct (Rle_lt_or_eq_dec _ _ Hu) as [H|<-]; [|lra].
  set (g := fun t => exp (- (t * t / 2))).
  assert (Dg : forall c, derivable_pt_lim g c (exp (- (c * c / 2)) * - c)).
  { intros c. apply (derivable_pt_lim_comp (fun t => - (t * t / 2)) exp).
    - replace (- c) with (- ((1 * c + c * 1) * / 2 + c * c * 0)) by field.
      apply (derivable_pt_lim_opp (fun t => t * t / 2)).
      apply (derivable_pt_lim_mult (fun t => t * t) (fun _ => / 2)).
      + apply (derivable_pt_lim_mult (fun t => t) (fun t => t)); apply derivable_pt_lim_id.
      + apply derivable_pt_lim_const.
    - apply derivable_pt_lim_exp. }
  set (f := fun t => cosh t * g t).
  assert (D : forall c, v <= c <= u -> derivable_pt_lim f c (sinh c * g c + cosh c * (g c * - c))).
  { intros c _. apply (derivable_pt_lim_mult cosh g); [apply derivable_pt_lim_cosh | apply Dg]. }
  destruct (MVT_cor2 f _ v u H D) as (c & E & Hc). fold (g u) (g v).
  pose proof (sinh_le c ltac:(lra)). assert (0 < g c) by apply exp_pos.
  unfold f in E. assert ((sinh c * g c + cosh c * (g c * - c)) * (u - v) <= 0); [|lra].
  replace (sinh c * g c + cosh c * (g c * - c)) with (- (g c * (c * cosh c - sinh c))) by ring.
  assert (0 <= g c * (c * cosh c - sinh c)) by (apply Rmult_le_pos; lra). nra.
Qed.

(* ---------- convexity of powers ---------- *)
Lemma power_chord : forall s o t, 0 < s -> 1 < o -> / o <= t <= o ->
  Rpower t (1 + s) * (o - / o) <=
  (t - / o) * Rpower o (1 + s) + (o - t) * Rpower (/ o) (1 + s).
Proof.
  intros s o t Hs Ho Ht. assert (Hi : 0 < / o) by (apply Rinv_0_lt_compat; lra).
  assert (Ht0 : 0 < t) by lra. pose proof (exp_pos ((1 + s) * ln t)) as Hp. fold (Rpower t (1 + s)) in Hp.
  assert (Tan : forall u, 0 < u ->
    Rpower t (1 + s) * (1 + (1 + s) * (u / t - 1)) <= Rpower u (1 + s)).
  { intros u Hu. replace (Rpower u (1 + s)) with (Rpower t (1 + s) * Rpower (u / t) (1 + s)).
    - apply Rmult_le_compat_l; [lra|]. apply power_tangent; [assumption|].
      apply Rdiv_lt_0_compat; assumption.
    - rewrite Rpower_mult_distr by (auto; apply Rdiv_lt_0_compat; assumption). f_equal. field. lra. }
  pose proof (Tan o ltac:(lra)) as T1. pose proof (Tan (/ o) Hi) as T2.
  apply (Rmult_le_compat_l (t - / o)) in T1; [|lra]. apply (Rmult_le_compat_l (o - t)) in T2; [|lra].
  assert (E : (t - / o) * (Rpower t (1 + s) * (1 + (1 + s) * (o / t - 1)))
    + (o - t) * (Rpower t (1 + s) * (1 + (1 + s) * (/ o / t - 1)))
    = Rpower t (1 + s) * (o - / o)) by (field; lra).
  lra.
Qed.

(* one summand, linear in p and q *)
Lemma term_chord : forall s o p q, 0 < s -> 1 < o -> 0 <= q -> q <= o * p -> p <= o * q ->
  term s p q * (o - / o) <=
  (p - q * / o) * Rpower o (1 + s) + (o * q - p) * Rpower (/ o) (1 + s).
Proof.
  intros s o p q Hs Ho Hq H1 H2. assert (Hi : 0 < / o) by (apply Rinv_0_lt_compat; lra).
  assert (Eo : o * / o = 1) by (apply Rinv_r; lra).
  destruct (Rle_lt_or_eq_dec _ _ Hq) as [Q|Z].
  - assert (Hp : 0 < p) by nra. unfold term. destruct (Rlt_dec 0 p); [|contradiction].
    assert (Et : p = q * (p / q)) by (field; lra).
    assert (Rng : / o <= p / q <= o).
    { split; apply (Rmult_le_reg_r q); try assumption.
      - replace (p / q * q) with p by (field; lra). apply (Rmult_le_reg_l o); [lra|].
        rewrite <- Rmult_assoc, Eo. lra.
      - replace (p / q * q) with p by (field; lra). lra. }
    pose proof (power_chord s o (p / q) Hs Ho Rng) as C.
    apply (Rmult_le_compat_l q) in C; [|lra].
    replace (Rpower (p / q) (1 + s)) with (p / q * Rpower (p / q) s) in C
      by (rewrite Rpower_plus, Rpower_1 by (apply Rdiv_lt_0_compat; assumption); reflexivity).
    eapply Rle_trans; [|eapply Rle_trans; [exact C|]]; right; field; lra.
  - rewrite <- Z in *. assert (p = 0) by nra. subst p. unfold term.
    destruct (Rlt_dec 0 0); [lra|]. rewrite !Rmult_0_l, !Rmult_0_r. lra.
Qed.

(* the sum at two outputs is cosh((s + 1/2) eps) / cosh(eps / 2) *)
Lemma two_outputs : forall s o, 0 < s -> 1 <= o ->
  Rpower o (1 + s) + o * Rpower (/ o) (1 + s) <= (1 + o) * exp (s * (1 + s) * (ln o * ln o) / 2).
Proof.
  intros s o Hs Ho. set (E := ln o).
  assert (HE : 0 <= E) by (unfold E; rewrite <- ln_1; destruct Ho as [Ho| <-];
    [left; apply ln_increasing; lra | right; reflexivity]).
  assert (Oe : o = exp E) by (symmetry; apply exp_ln; lra).
  set (u := (s + / 2) * E). set (v := E / 2).
  pose proof (cosh_falls v u ltac:(unfold u, v; nra)) as C.
  assert (X : cosh u <= cosh v * exp (s * (1 + s) * (E * E) / 2)).
  { replace (s * (1 + s) * (E * E) / 2) with (u * u / 2 + - (v * v / 2)) by (unfold u, v; field).
    rewrite exp_plus. apply (Rmult_le_reg_r (exp (- (u * u / 2)))); [apply exp_pos|].
    eapply Rle_trans; [exact C|]. right.
    replace (cosh v * (exp (u * u / 2) * exp (- (v * v / 2))) * exp (- (u * u / 2)))
      with (cosh v * exp (- (v * v / 2)) * (exp (u * u / 2) * exp (- (u * u / 2)))) by ring.
    rewrite <- exp_plus, Rplus_opp_r, exp_0. ring. }
  assert (L : Rpower o (1 + s) + o * Rpower (/ o) (1 + s) = 2 * exp v * cosh u).
  { unfold Rpower, cosh. rewrite ln_Rinv by lra. fold E. rewrite Oe at 1. rewrite <- !exp_plus.
    replace (2 * exp v * ((exp u + exp (- u)) / 2)) with (exp v * exp u + exp v * exp (- u)) by field.
    rewrite <- !exp_plus. f_equal; f_equal; unfold u, v; field. }
  assert (K : 1 + o = 2 * exp v * cosh v).
  { unfold cosh. rewrite Oe.
    replace (2 * exp v * ((exp v + exp (- v)) / 2)) with (exp v * exp v + exp v * exp (- v)) by field.
    rewrite <- !exp_plus, Rplus_opp_r, exp_0. replace (v + v) with E by (unfold v; field). ring. }
  rewrite L, K, Rmult_assoc. pose proof (exp_pos v).
  replace (2 * exp v * cosh v * exp (s * (1 + s) * (E * E) / 2))
    with (2 * exp v * (cosh v * exp (s * (1 + s) * (E * E) / 2))) by ring.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra | exact X].
Qed.

Section Moment.
Context {T : Type}.
Variable l : list T.
Variables P Q : T -> R.
Variable o : R.
Hypothesis Ho : 1 <= o.
Hypothesis close : forall y, In y l -> 0 <= Q y /\ Q y <= o * P y /\ P y <= o * Q y.
Hypothesis masses : sumf l P <= sumf l Q /\ sumf l P <= 1.

Theorem moment_bound : forall s, 0 < s ->
  sumf l (fun y => term s (P y) (Q y)) <= exp (s * (1 + s) * (ln o * ln o) / 2).
Proof.
  intros s Hs. assert (P0 : 0 <= sumf l P).
  { apply sumf_nonneg; intros y Hy. destruct (close y Hy) as (A & B & _). nra. }
  destruct (Rle_lt_or_eq_dec _ _ Ho) as [Ho1|E1].
  - assert (Hi : 0 < / o) by (apply Rinv_0_lt_compat; lra).
    assert (Hi1 : / o < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
    set (hi := Rpower o (1 + s)). set (lo := Rpower (/ o) (1 + s)).
    assert (Hlo : 0 < lo) by apply exp_pos. assert (Hhi : 0 < hi) by apply exp_pos.
    assert (Slope : o * lo <= hi * / o).
    { apply Rle_trans with 1.
      - unfold lo. rewrite Rpower_plus, Rpower_1 by assumption.
        rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. unfold Rpower. rewrite <- exp_0.
        left. apply exp_increasing. rewrite ln_Rinv by lra.
        assert (0 < ln o) by (rewrite <- ln_1; apply ln_increasing; lra). nra.
      - unfold hi. rewrite Rpower_plus, Rpower_1 by lra.
        replace (o * Rpower o s * / o) with (Rpower o s) by (field; lra).
        rewrite <- (Rpower_O o) by lra. apply Rle_Rpower; lra. }
    assert (S : sumf l (fun y => term s (P y) (Q y)) * (o - / o)
      <= (sumf l P - sumf l Q * / o) * hi + (o * sumf l Q - sumf l P) * lo).
    { rewrite <- sumf_scal_r. eapply Rle_trans.
      - apply sumf_le; intros y Hy. destruct (close y Hy) as (A & B & C). apply term_chord; eassumption.
      - right. fold hi lo. rewrite sumf_plus, !sumf_scal_r, !sumf_minus, sumf_scal, sumf_scal_r. ring. }
    pose proof (two_outputs s o Hs Ho) as W. fold hi lo in W.
    set (b := exp (s * (1 + s) * (ln o * ln o) / 2)) in *.
    assert (Hgap : 0 < o - / o) by lra.
    apply (Rmult_le_reg_r (o - / o)); [assumption|]. eapply Rle_trans; [exact S|].
    apply Rle_trans with (sumf l P * ((1 - / o) * (hi + o * lo))).
    + assert ((sumf l Q - sumf l P) * (o * lo) <= (sumf l Q - sumf l P) * (hi * / o))
        by (apply Rmult_le_compat_l; lra).
      replace ((1 - / o) * (hi + o * lo)) with (hi - hi * / o + o * lo - lo) by (field; lra). lra.
    + replace (o - / o) with ((1 - / o) * (1 + o)) by (field; lra).
      apply Rle_trans with (1 * ((1 - / o) * (hi + o * lo))).
      * apply Rmult_le_compat_r; [apply Rmult_le_pos; nra | lra].
      * rewrite Rmult_1_l, (Rmult_comm b), Rmult_assoc. apply Rmult_le_compat_l; lra.
  - subst o. rewrite ln_1, Rmult_0_l, Rmult_0_r. unfold Rdiv. rewrite Rmult_0_l, exp_0.
    apply Rle_trans with (sumf l P); [|lra]. apply sumf_le; intros y Hy.
    destruct (close y Hy) as (A & B & C). unfold term. destruct (Rlt_dec 0 (P y)); [|lra].
    replace (P y / Q y) with 1 by (replace (Q y) with (P y) by lra; field; lra).
    unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. lra.
Qed.
End Moment.

(* ---------- the parts ---------- *)
Section Parts.
Context {T : Type}.
Variable l : list T.
Variables p q : T -> R.
Variable o : R.

Definition near (a b : R) : R := Rmin a (o * b).
Definition near_p (y : T) : R := near (p y) (q y).
Definition near_q (y : T) : R := near (q y) (p y).
(* where P has too much mass it is mixed with the least that is still near *)
Definition mix : R :=
  if Rle_dec (sumf l near_p) (sumf l near_q) then 1
  else (sumf l near_q - sumf l near_q * / o) / (sumf l near_p - sumf l near_q * / o).
Definition part_p (y : T) : R := mix * near_p y + (1 - mix) * (near_q y * / o).

Hypothesis Ho : 1 <= o.
Hypothesis p_nonneg : forall y, 0 <= p y.
Hypothesis q_nonneg : forall y, 0 <= q y.

Lemma near_range : forall a b, 0 <= a -> 0 <= b ->
  0 <= near a b <= a /\ near a b <= o * b /\ near a b <= o * near b a.
Proof.
  intros a b Ha Hb. assert (Up : forall c, 0 <= c -> c <= o * c) by (intros; nra).
  pose proof (Up a Ha). pose proof (Up (o * a) ltac:(lra)). pose proof (Up b Hb).
  unfold near, Rmin. destruct (Rle_dec a (o * b)); destruct (Rle_dec b (o * a)); repeat split; lra.
Qed.

Lemma near_mass : forall f g d, (forall y, 0 <= f y) -> (forall y, 0 <= g y) -> sumf l f = 1 ->
  sumf l (fun y => pos (f y - o * g y)) <= d -> 1 - d <= sumf l (fun y => near (f y) (g y)).
Proof.
  intros f g d _ _ H1 Hd.
  assert (E : sumf l (fun y => near (f y) (g y)) = sumf l f - sumf l (fun y => pos (f y - o * g y))).
  { rewrite <- sumf_minus. apply sumf_ext; intros y _. unfold near, pos, Rmin, Rmax.
    destruct (Rle_dec (f y) (o * g y)); destruct (Rle_dec 0 (f y - o * g y)); lra. }
  rewrite E, H1. lra.
Qed.

Lemma mix_range : 0 <= mix <= 1 /\ sumf l part_p <= sumf l near_q /\
  (sumf l part_p = sumf l near_p \/ sumf l part_p = sumf l near_q).
Proof.
  assert (Hi : 0 < / o <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (Q0 : 0 <= sumf l near_q)
    by (apply sumf_nonneg; intros; apply near_range; auto).
  assert (E : sumf l part_p = mix * sumf l near_p + (1 - mix) * (sumf l near_q * / o))
    by (unfold part_p; rewrite sumf_plus, !sumf_scal, sumf_scal_r; reflexivity).
  rewrite E. unfold mix. destruct (Rle_dec (sumf l near_p) (sumf l near_q)) as [C|C];
    [split; [lra | split; [lra | left; ring]]|].
  set (a := sumf l near_p) in *. set (b := sumf l near_q) in *. set (c := b * / o).
  assert (c <= b) by (unfold c; nra). assert (Hac : 0 < a - c) by lra.
  assert (Em : (b - c) / (a - c) * a + (1 - (b - c) / (a - c)) * c = b) by (field; lra).
  rewrite Em. split; [|split; [lra | right; reflexivity]]. split.
  - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; assumption].
  - apply (Rmult_le_reg_r (a - c)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Theorem split_spec : forall d, sumf l p = 1 -> sumf l q = 1 ->
  sumf l (fun y => pos (p y - o * q y)) <= d -> sumf l (fun y => pos (q y - o * p y)) <= d ->
  (forall y, 0 <= part_p y <= p y) /\ (forall y, 0 <= near_q y <= q y) /\
  (forall y, near_q y <= o * part_p y /\ part_p y <= o * near_q y) /\
  1 - d <= sumf l part_p <= sumf l near_q /\ sumf l part_p <= 1.
Proof.
  intros d Hp Hq Hpd Hqd. destruct mix_range as ([M0 M1] & Hle & Hmass).
  assert (Hi : 0 < / o <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (Eo : o * / o = 1) by (apply Rinv_r; lra).
  assert (N : forall y, 0 <= near_p y <= p y /\ near_p y <= o * near_q y /\
    0 <= near_q y <= q y /\ near_q y <= o * near_p y /\ near_q y * / o <= p y
    /\ near_q y * / o <= near_p y /\ near_q y * / o <= o * near_q y /\ 0 <= near_q y * / o).
  { intros y. destruct (near_range (p y) (q y) (p_nonneg y) (q_nonneg y)) as (A & B & C).
    destruct (near_range (q y) (p y) (q_nonneg y) (p_nonneg y)) as (A' & B' & C').
    fold (near_p y) (near_q y) in *.
    assert (Div : forall a b, a <= o * b -> a * / o <= b).
    { intros a b H. apply (Rmult_le_reg_l o); [lra|].
      rewrite <- Rmult_assoc, (Rmult_comm o a), Rmult_assoc, Eo. lra. }
    assert (near_q y * / o <= near_q y) by nra.
    repeat split; try lra; try (apply Div; assumption); try nra. }
  assert (Part : forall y, near_q y * / o <= part_p y <= near_p y).
  { intros y. destruct (N y) as (_ & _ & _ & _ & _ & H & _). unfold part_p. split; nra. }
  split; [|split; [|split; [|split; [split|]]]].
  - intros y. destruct (N y) as (A & _ & _ & _ & _ & _ & _ & H). specialize (Part y). lra.
  - intros y. apply N.
  - intros y. destruct (N y) as (A & B & C & D & _). specialize (Part y). split; [|lra].
    apply Rle_trans with (o * (near_q y * / o)); [|apply Rmult_le_compat_l; lra].
    right. rewrite (Rmult_comm (near_q y)), <- Rmult_assoc, Eo. ring.
  - destruct Hmass as [E|E]; rewrite E; apply near_mass; assumption.
  - exact Hle.
  - eapply Rle_trans; [exact Hle|]. rewrite <- Hq. apply sumf_le; intros. apply N.
Qed.
End Parts.
