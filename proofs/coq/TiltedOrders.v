(* Renyi tilts: the tilted filter runs wherever Renyi filters run, with all of delta.

   In words: let t(y) = (P_x(y)/P_x'(y))^s.  The tilted filter runs wherever the Renyi filter of order
   a = 1 + s runs, with the tight conversion and the whole of d (`tilted_dominates`).  With t the weighted
   sum of the normalised moments of several orders it runs wherever the filter runs that accepts if some
   order fits with its weight (`purses_dominates`).

   Why: h(l) <= e^(s (l - eps)) / K(s), so that d e^(s l) / (S_1 ... S_i), which does not grow on average,
   is above h(l) wherever S_1 ... S_i <= K(s) d e^(s eps). *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Capped Potential Leak Moments
  Renyi RenyiSums Tilted.
Import ListNotations.
Open Scope R_scope.

(* ---------- Renyi tilts ---------- *)
Section Orders.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables e d : R.
Variable moment : R -> hist Req Out -> Req -> R.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d.

(* (P_x(y)/P_x'(y))^s; where x' is impossible all is lost and no tilt is needed *)
Definition order_tilt (s : R) (x x' : Db) (h : hist Req Out) (r : Req) (y : Out) : R :=
  if Rltb 0 (pr M x' h r y) then Rpower (pr M x h r y / pr M x' h r y) s else 0.

(* the weighted sum of normalised moments *)
Definition moments_left (orders : list (R * R)) (x x' : Db) (h : hist Req Out) : R :=
  sumf orders (fun o => snd o * d * (Rpower (like M x h / like M x' h) (fst o) / product (moment (fst o)) h)).
Definition purses_tilt (orders : list (R * R)) (x x' : Db) (h : hist Req Out) (r : Req) (y : Out) : R :=
  moments_left orders x x' ((r, Some y) :: h).

Variable passes : hist Req Out -> Req -> bool.
Variable orders : list (R * R).
Hypothesis orders_ok : forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment M pairs moment s.
Hypothesis fits : forall h r, passes h r = true -> weighted_fits M pairs e d moment orders h r.
Local Notation gone := (reached menu outs (gate passes)).
Local Notation left := (moments_left orders).

Section Pair.
Variables x x' : Db.
Hypothesis Hp : In (x, x') pairs.

Lemma gone_inv : forall h, gone h -> (0 < like M x h -> 0 < like M x' h) /\
  forall s w, In (s, w) orders -> 1 <= product (moment s) h.
Proof.
  induction h as [|[r o] h IH]; intros Hr; [simpl; split; intros; lra|].
  destruct (gate_reached menu outs passes h r o Hr) as (Hr' & _ & Ht & y & -> & Hy).
  destruct (IH Hr') as [I1 I2]. destruct (fits h r Ht) as [Hf _]. split.
  - intros Hl. pose proof (like_parent M x h r _ Hl) as Hl'. simpl in *. pose proof (pr_nonneg M x h r y).
    apply Rmult_lt_0_compat; [auto|]. apply (Hf x x' Hp y Hy). nra.
  - intros s w Hin. cbn [product]. specialize (I2 s w Hin). destruct (orders_ok s w Hin) as (Hs & _ & Hb).
    pose proof (moment_ge M pairs x x' Hp moment s h r Hs Hb (proj2 (finite_round_iff M pairs h r) Hf)). nra.
Qed.

Lemma power_pos : forall v s, 0 < Rpower v s.
Proof. intros. apply exp_pos. Qed.

Lemma ratio_step : forall s h r y, 0 < like M x h -> 0 < like M x' h -> 0 < pr M x h r y -> 0 < pr M x' h r y ->
  Rpower (like M x ((r, Some y) :: h) / like M x' ((r, Some y) :: h)) s =
  Rpower (like M x h / like M x' h) s * Rpower (pr M x h r y / pr M x' h r y) s.
Proof.
  intros s h r y H1 H2 H3 H4. simpl.
  replace (like M x h * pr M x h r y / (like M x' h * pr M x' h r y))
    with (like M x h / like M x' h * (pr M x h r y / pr M x' h r y)) by (field; lra).
  symmetry. apply Rpower_mult_distr; apply Rdiv_lt_0_compat; assumption.
Qed.

Lemma left_average : forall h r, gone h -> passes h r = true -> 0 < like M x h ->
  sumf (outs h r) (fun y => pr M x h r y * left x x' ((r, Some y) :: h)) <= left x x' h.
Proof.
  intros h r Hr Ht Hl. destruct (gone_inv h Hr) as [I1 I2]. specialize (I1 Hl).
  destruct (fits h r Ht) as [Hf _]. unfold moments_left.
  rewrite (sumf_ext _ _ _ (fun y => sumf orders (fun o => pr M x h r y * (snd o * d *
    (Rpower (like M x ((r, Some y) :: h) / like M x' ((r, Some y) :: h)) (fst o) /
     product (moment (fst o)) ((r, Some y) :: h)))))) by (intros; symmetry; apply sumf_scal).
  rewrite sumf_swap. apply sumf_le; intros [s w] Hin. cbn [fst snd].
  destruct (orders_ok s w Hin) as (Hs & Hw & Hb). specialize (I2 s w Hin).
  pose proof (moment_ge M pairs x x' Hp moment s h r Hs Hb (proj2 (finite_round_iff M pairs h r) Hf)) as G.
  specialize (Hb h r Hf x x' Hp). pose proof (power_pos (like M x h / like M x' h) s) as P0.
  set (c := w * d * (Rpower (like M x h / like M x' h) s / (product (moment s) h * moment s h r))).
  apply Rle_trans with (sumf (outs h r) (fun y => c * term s (pr M x h r y) (pr M x' h r y))).
  - right. apply sumf_ext; intros y Hy. unfold term. destruct (Rlt_dec 0 (pr M x h r y)) as [C|C].
    + rewrite ratio_step by (auto; apply (Hf x x' Hp y Hy C)). unfold c. cbn [product]. field. lra.
    + replace (pr M x h r y) with 0 by (pose proof (pr_nonneg M x h r y); lra). ring.
  - rewrite sumf_scal. apply Rle_trans with (c * moment s h r); [|right; unfold c; field; lra].
    apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; nra].
Qed.

Lemma mass_like : forall z h, mass (pr M z) h = like M z h.
Proof.
  induction h as [|[r [y|]] h IH]; simpl; [reflexivity | |]; rewrite IH; ring.
Qed.

Lemma lost_below : forall h r y, gone h -> passes h r = true -> 0 < like M x h -> In y (outs h r) ->
  0 < pr M x h r y -> lost M e x x' ((r, Some y) :: h) <= left x x' ((r, Some y) :: h).
Proof.
  intros h r y Hr Ht Hl Hy Hpos. destruct (gone_inv h Hr) as [I1 I2]. specialize (I1 Hl).
  destruct (fits h r Ht) as [Hf (s & w & Hin & Hfit)]. destruct (orders_ok s w Hin) as (Hs & Hw & Hb).
  pose proof (moment_ge M pairs x x' Hp moment s h r Hs Hb (proj2 (finite_round_iff M pairs h r) Hf)) as G.
  specialize (I2 s w Hin) as I2s. set (k := (r, Some y) :: h).
  assert (Lk : 0 < like M x k) by (simpl; apply Rmult_lt_0_compat; assumption).
  assert (Lk' : 0 < like M x' k) by (simpl; apply Rmult_lt_0_compat; [|apply (Hf x x' Hp y)]; assumption).
  assert (True_part : forall z, part_of M z (pr M z))
    by (intros z h' r' y'; pose proof (pr_nonneg M z h' r' y'); lra).
  pose proof (part_excess M e x x' (pr M x) (pr M x') (True_part x) (True_part x') He s k Hs) as X.
  rewrite !mass_like in X. specialize (X ltac:(intros; assumption)). fold (excess M e x x' k) in X.
  unfold part_term, term in X. rewrite !mass_like in X. destruct (Rlt_dec 0 (like M x k)); [|contradiction].
  rewrite <- (lost_mass M e He) in X.
  pose proof (tight_pos s) as K0. pose proof (power_pos e s) as E0.
  assert (X' : tight s * Rpower e s * lost M e x x' k <= Rpower (like M x k / like M x' k) s).
  { apply (Rmult_le_reg_l (like M x k)); [assumption|]. lra. }
  set (all := fun o : R * R => snd o * d * (Rpower (like M x k / like M x' k) (fst o) / product (moment (fst o)) k)).
  assert (Pos : forall o, In o orders -> 0 <= all o).
  { intros [s' w'] Ho. unfold all. cbn [fst snd]. destruct (orders_ok s' w' Ho) as (Hs' & Hw' & Hb').
    pose proof (moment_ge M pairs x x' Hp moment s' h r Hs' Hb' (proj2 (finite_round_iff M pairs h r) Hf)) as G'.
    specialize (I2 s' w' Ho). pose proof (power_pos (like M x k / like M x' k) s').
    apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
    apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. unfold k. cbn [product]. nra. }
  apply Rle_trans with (all (s, w)); [|apply (sumf_member _ orders all (s, w) Pos Hin)].
  unfold all. cbn [fst snd]. unfold order_fits in Hfit. change (product (moment s) k) with
    (product (moment s) h * moment s h r). set (pi := product (moment s) h * moment s h r) in *.
  assert (0 < pi) by (unfold pi; nra). pose proof (lost_range M e He x x' k) as [L0 _].
  apply (Rmult_le_reg_r pi); [assumption|].
  apply Rle_trans with (w * d * Rpower (like M x k / like M x' k) s); [|right; field; lra].
  apply Rle_trans with (w * d * (tight s * Rpower e s * lost M e x x' k)).
  - apply Rle_trans with (lost M e x x' k * (w * tight s * d * Rpower e s)); [|right; ring].
    apply Rmult_le_compat_l; assumption.
  - apply Rmult_le_compat_l; [apply Rmult_le_pos|]; assumption.
Qed.
End Pair.

Hypothesis weights : sumf orders snd <= 1.

Lemma left_start : forall x x', left x x' [] <= d.
Proof.
  intros. unfold moments_left. rewrite (sumf_ext _ _ _ (fun o => d * snd o)).
  - rewrite sumf_scal. nra.
  - intros [s w] _. simpl. replace (1 / 1) with 1 by field. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. field.
Qed.

Theorem purses_dominates : forall h r, gone h -> runs (gate passes h r) = true ->
  reached menu outs (tilted M pairs e He (purses_tilt orders) d) h /\
  runs (tilted M pairs e He (purses_tilt orders) d h r) = true.
Proof.
  apply (tilted_runs menu M pairs e He (purses_tilt orders) passes d left); [intros; apply left_start|].
  intros h r Hr Ht x x' Hp Hl. split; [apply left_average; assumption|]. exists 1. split; [lra|].
  intros y Hy Hpos. pose proof (lost_below x x' Hp h r y Hr Ht Hl Hy Hpos) as L. split; [|exact L].
  unfold tilts, purses_tilt. pose proof (lost_range M e He x x' ((r, Some y) :: h)).
  rewrite pos_of_nonneg by lra. ring.
Qed.
End Orders.

Theorem tilted_dominates : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) pairs e d moment s
    (He : 1 <= e) passes, 0 <= d -> 0 < s -> bounds_moment M pairs moment s ->
  (forall h r, passes h r = true -> finite M pairs h r /\ order_fits e d moment (tight s) s h r) ->
  forall h r, reached menu outs (gate passes) h -> runs (gate passes h r) = true ->
  reached menu outs (tilted M pairs e He (order_tilt M s) d) h /\
  runs (tilted M pairs e He (order_tilt M s) d h r) = true.
Proof.
  intros Db Req Out menu outs M pairs e d moment s He passes Hd Hs Hb Hfit.
  set (orders := [(s, 1)]).
  assert (Ok : forall s' w, In (s', w) orders -> 0 < s' /\ 0 <= w /\ bounds_moment M pairs moment s').
  { intros s' w [E|[]]. inversion E; subst. repeat split; auto; lra. }
  assert (Fits : forall h r, passes h r = true -> weighted_fits M pairs e d moment orders h r).
  { intros h r Ht. destruct (Hfit h r Ht) as [H1 H2]. split; [assumption|]. exists s, 1.
    split; [left; reflexivity|]. rewrite Rmult_1_l. assumption. }
  apply (tilted_runs menu M pairs e He (order_tilt M s) passes d (moments_left M d moment orders)).
  { intros. apply left_start; [assumption | simpl; lra]. }
  intros h r Hr Ht x x' Hp Hl.
  split; [apply (left_average menu M pairs e d moment Hd passes orders Ok Fits x x' Hp h r); assumption|].
  destruct (gone_inv menu M pairs e d moment passes orders Ok Fits x x' Hp h Hr) as [I1 I2].
  specialize (I1 Hl). specialize (I2 s 1 (or_introl eq_refl)). destruct (Hfit h r Ht) as [Hf _].
  pose proof (moment_ge M pairs x x' Hp moment s h r Hs Hb (proj2 (finite_round_iff M pairs h r) Hf)) as G.
  pose proof (power_pos (like M x h / like M x' h) s).
  exists (d * (Rpower (like M x h / like M x' h) s / (product (moment s) h * moment s h r))). split.
  - apply Rmult_le_pos; [assumption|]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; nra].
  - intros y Hy Hpos. split;
      [|apply (lost_below menu M pairs e d moment He Hd passes orders Ok Fits x x' Hp h r y); assumption].
    pose proof (Hf x x' Hp y Hy Hpos) as Hq. unfold tilts, order_tilt. rewrite (proj2 (Rltb_true _ _) Hq).
    rewrite pos_of_nonneg by (left; apply power_pos). unfold moments_left, orders, sumf. cbn [fold_right fst snd].
    rewrite ratio_step by assumption. cbn [product]. field. lra.
Qed.
