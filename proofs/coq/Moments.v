(* A bound for plays by moments, with several orders at once and with a leak.

   In words: take a part P of the law under x and a part Q of the law under x'.  What P leaves out, at
   most `leak` in a round, counts as lost; P and Q are compared by the sums of P^(1+s) Q^(-s) for
   orders a = 1 + s > 1, each with a weight.  If the leaks stay within `leaks`, and with every round
   that runs the product of the sums of some order stays below its weighted share of d, the filter is
   (eps, leaks + d)-DP for the pair (`moments_private`).  The potential is what may still leak, and for
   each order its share of d times the normalised moment.

   The conversion is the tangent of the logarithm (`tight_tangent`):
   1 - e^-t <= e^(s t) / K(s), with K(s) = a^a / (a-1)^(a-1) >= 1.

   Renyi.v (no leak) and Whitehouse.v (delta_i leaks) are its uses. *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential Leak.
Import ListNotations.
Open Scope R_scope.

(* ---------- one summand, and the constant of the conversion ---------- *)
(* p^(1+s) q^(-s); only used where p > 0 implies q > 0 *)
Definition term (s p q : R) : R := if Rlt_dec 0 p then p * Rpower (p / q) s else 0.

Lemma term_nonneg : forall s p q, 0 <= term s p q.
Proof.
  intros. unfold term. destruct (Rlt_dec 0 p); [|lra].
  apply Rmult_le_pos; [lra | left; apply exp_pos].
Qed.

Lemma term_pos : forall s p q, 0 < p -> 0 < term s p q.
Proof.
  intros. unfold term. destruct (Rlt_dec 0 p); [|lra]. apply Rmult_lt_0_compat; [lra | apply exp_pos].
Qed.

Lemma term_one : forall s, term s 1 1 = 1.
Proof.
  intros. unfold term, Rdiv, Rpower. destruct (Rlt_dec 0 1); [|lra].
  rewrite Rinv_1, Rmult_1_r, ln_1, Rmult_0_r, exp_0. ring.
Qed.

Lemma term_mult : forall s p q p' q', 0 <= p -> 0 <= p' -> (0 < p -> 0 < q) -> (0 < p' -> 0 < q') ->
  term s (p * p') (q * q') = term s p q * term s p' q'.
Proof.
  intros s p q p' q' Hp Hp' Hq Hq'. unfold term.
  destruct (Rlt_dec 0 p) as [A|A].
  - destruct (Rlt_dec 0 p') as [B|B].
    + specialize (Hq A). specialize (Hq' B).
      destruct (Rlt_dec 0 (p * p')) as [C|C]; [|exfalso; apply C, Rmult_lt_0_compat; assumption].
      replace (p * p' / (q * q')) with (p / q * (p' / q')) by (field; lra).
      rewrite <- Rpower_mult_distr; [ring | |]; apply Rdiv_lt_0_compat; assumption.
    + replace p' with 0 by lra. rewrite Rmult_0_r. destruct (Rlt_dec 0 0); lra.
  - replace p with 0 by lra. rewrite Rmult_0_l. destruct (Rlt_dec 0 0); lra.
Qed.

(* a^a / (a-1)^(a-1) for a = 1 + s *)
Definition tight (s : R) : R := Rpower (1 + s) (1 + s) / Rpower s s.

Lemma tight_exp : forall s, tight s = exp ((1 + s) * ln (1 + s) - s * ln s).
Proof.
  intros s. unfold tight, Rpower, Rdiv, Rminus. rewrite <- exp_Ropp, <- exp_plus. reflexivity.
Qed.
Lemma tight_pos : forall s, 0 < tight s.
Proof. intros. rewrite tight_exp. apply exp_pos. Qed.

Lemma ln_le : forall z, 0 < z -> ln z <= z - 1.
Proof.
  intros z Hz. destruct (Rle_lt_dec (ln z) (z - 1)) as [H|H]; [assumption|].
  apply exp_increasing in H. rewrite exp_ln in H by assumption.
  pose proof (exp_ineq1_le (z - 1)). lra.
Qed.

(* 1 - e^-t <= e^(s t) / K(s): the tangent of the logarithm *)
Lemma tight_tangent : forall s t, 0 < s -> 1 < t -> tight s * (1 - / t) <= Rpower t s.
Proof.
  intros s t Hs Ht. set (u := / t).
  assert (Hu : 0 < u < 1).
  { unfold u. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  rewrite tight_exp. rewrite <- (exp_ln (1 - u)) by lra. rewrite <- exp_plus. unfold Rpower.
  replace (ln t) with (- ln u) by (unfold u; rewrite ln_Rinv by lra; ring).
  pose proof (ln_le ((1 + s) * (1 - u)) ltac:(nra)) as L1.
  pose proof (ln_le ((1 + s) * u / s) ltac:(apply Rdiv_lt_0_compat; nra)) as L2.
  rewrite ln_mult in L1 by lra. unfold Rdiv in L2. rewrite !ln_mult, ln_Rinv in L2 by
    (try lra; try apply Rmult_lt_0_compat; try lra; apply Rinv_0_lt_compat; lra).
  assert (L3 : s * (ln (1 + s) + ln u + - ln s) <= (1 + s) * u - s).
  { apply Rle_trans with (s * ((1 + s) * u * / s - 1)); [apply Rmult_le_compat_l; lra|].
    right. field. lra. }
  assert (E : (1 + s) * ln (1 + s) - s * ln s + ln (1 - u) <= s * - ln u) by nra.
  destruct E as [E|E]; [left; apply exp_increasing; assumption | right; rewrite E; reflexivity].
Qed.

(* Mironov's constant is 1 *)
Lemma tight_ge_one : forall s, 0 < s -> 1 <= tight s.
Proof.
  intros s Hs. rewrite tight_exp. rewrite <- exp_0 at 1.
  assert (0 <= (1 + s) * ln (1 + s) - s * ln s).
  { assert (0 < ln (1 + s)) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (ln s < ln (1 + s)) by (apply ln_increasing; lra). nra. }
  destruct H as [H|H]; [left; apply exp_increasing; assumption | right; rewrite <- H; reflexivity].
Qed.

(* Bernoulli's inequality, from the tangent of the logarithm *)
Lemma power_tangent : forall s v, 0 < s -> 0 < v -> 1 + (1 + s) * (v - 1) <= Rpower v (1 + s).
Proof.
  intros s v Hs Hv. set (z := 1 + (1 + s) * (v - 1)).
  destruct (Rle_lt_dec z 0) as [C|C]; [pose proof (exp_pos ((1 + s) * ln v)); unfold Rpower; lra|].
  rewrite <- (exp_ln z) by assumption. unfold Rpower.
  assert (ln z <= (1 + s) * ln v).
  { pose proof (ln_le (z / v) ltac:(apply Rdiv_lt_0_compat; assumption)) as L1.
    pose proof (ln_le (/ v) ltac:(apply Rinv_0_lt_compat; assumption)) as L2.
    unfold Rdiv in L1. rewrite ln_mult in L1 by (auto; apply Rinv_0_lt_compat; assumption).
    rewrite ln_Rinv in L1, L2 by assumption.
    assert (z * / v - 1 + s * (/ v - 1) = 0) by (unfold z; field; lra). nra. }
  destruct H as [H|H]; [left; apply exp_increasing; assumption | right; rewrite H; reflexivity].
Qed.

(* K(s) >= 2 a for orders a >= 2 *)
Lemma tight_ge_double : forall s, 1 <= s -> 2 * (1 + s) <= tight s.
Proof.
  intros s Hs. assert (E : tight s = (1 + s) * Rpower (1 + / s) s).
  { unfold tight. rewrite Rpower_plus, Rpower_1 by lra.
    replace (Rpower (1 + s) s) with (Rpower s s * Rpower (1 + / s) s).
    - field. pose proof (exp_pos (s * ln s)). unfold Rpower. lra.
    - assert (0 < / s) by (apply Rinv_0_lt_compat; lra).
      rewrite Rpower_mult_distr by lra. f_equal. field. lra. }
  assert (0 < / s) by (apply Rinv_0_lt_compat; lra).
  rewrite E, (Rmult_comm 2). apply Rmult_le_compat_l; [lra|].
  destruct Hs as [Hs| <-].
  - pose proof (power_tangent (s - 1) (1 + / s) ltac:(lra) ltac:(lra)) as T.
    replace (1 + (s - 1)) with s in T by ring.
    replace (1 + s * (1 + / s - 1)) with 2 in T by (field; lra). exact T.
  - rewrite Rpower_1 by lra. lra.
Qed.

(* ---------- parts of the two laws whose moments are bounded; the rest leaks ---------- *)
(* The part P of P_x and the part Q of P_x' are compared by Renyi sums; what P leaves out of P_x, at
   most leak in each round, counts as lost.  Without a leak P and Q are the laws themselves. *)
Section Moments.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variables e d leaks : R.
Variables x x' : Db.
Variables P Q : hist Req Out -> Req -> Out -> R.
Variable leak : hist Req Out -> Req -> R.
Variable orders : list (R * R).                        (* s = a - 1, and the weight of the order *)
Variable moment : R -> hist Req Out -> Req -> R.

Hypothesis P_part : part_of M x P.
Hypothesis Q_part : part_of M x' Q.
Hypothesis leak_bound : leaks_at_most (outs := outs) P leak.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d.
Hypothesis Hleaks : 0 <= leaks.
Hypothesis orders_ok : forall s w, In (s, w) orders -> 0 < s /\ 0 <= w.
Hypothesis weights : sumf orders snd <= 1.

Definition some_order (bound : R -> R) : Prop :=
  exists s w, In (s, w) orders /\ bound s <= w * tight s * d * Rpower e s.
Definition moments_fit (h : hist Req Out) (r : Req) : Prop :=
  total leak h + leak h r <= leaks /\
  (forall y, In y (outs h r) -> 0 < P h r y -> 0 < Q h r y) /\
  (forall s w, In (s, w) orders -> 0 < moment s h r /\
     sumf (outs h r) (fun y => term s (P h r y) (Q h r y)) <= moment s h r) /\
  some_order (fun s => product (moment s) h * moment s h r).

Hypothesis HF : respects menu outs F moments_fit.

Local Notation range := (mass_range M x P P_part).
Local Notation range' := (mass_range M x' Q Q_part).

Definition part_term (s : R) (h : hist Req Out) : R := term s (mass P h) (mass Q h).
Definition weighed (h : hist Req Out) : R :=
  sumf orders (fun o => snd o * d * (part_term (fst o) h / product (moment (fst o)) h)).
Definition bound_left (h : hist Req Out) : R := leaking M x P leak leaks h + weighed h.

(* what a transcript must satisfy, and every round that runs keeps *)
Definition in_order (h : hist Req Out) : Prop :=
  (0 < mass P h -> 0 < mass Q h) /\
  (forall s w, In (s, w) orders -> 0 < product (moment s) h) /\
  total leak h <= leaks /\
  (pos (mass P h - e * mass Q h) <= 0 \/ some_order (fun s => product (moment s) h)).

Lemma in_order_next : forall h r y, in_order h -> moments_fit h r -> In y (outs h r) ->
  in_order ((r, Some y) :: h).
Proof.
  intros h r y (H1 & H2 & H3 & H4) (T & A & B & C) Hy. split; [|split; [|split]]; simpl.
  - intros H. pose proof (range h). pose proof (P_part h r y).
    assert (0 < mass P h) by nra. apply Rmult_lt_0_compat; [auto|]. apply A; [assumption|]. nra.
  - intros s w Hs. apply Rmult_lt_0_compat; [eapply H2 | eapply B]; exact Hs.
  - exact T.
  - right. exact C.
Qed.

Lemma in_order_reached : forall h, reached menu outs F h -> in_order h.
Proof.
  induction h as [|[r o] h IH]; intros Hr.
  - split; [intros; simpl; lra|]. split; [intros; simpl; lra|]. split; [exact Hleaks|].
    left. simpl. right. apply pos_of_nonpos. lra.
  - destruct Hr as (Hr & Hin & Ho & Hg). unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
    + apply in_map_iff in Ho. destruct Ho as [y [<- Hy]]. apply in_order_next; auto.
    + destruct Ho as [<-|[]]. exact (IH Hr).
Qed.

(* a loss above eps shows in every moment *)
Lemma part_excess : forall s h, 0 < s -> (0 < mass P h -> 0 < mass Q h) ->
  tight s * Rpower e s * pos (mass P h - e * mass Q h) <= part_term s h.
Proof.
  intros s h Hs Hac. pose proof (tight_pos s) as Hk. pose proof (exp_pos (s * ln e)) as Hpos.
  fold (Rpower e s) in Hpos. destruct (range h) as [HP _]. destruct (range' h) as [HQ _].
  pose proof (term_nonneg s (mass P h) (mass Q h)) as Ht. unfold part_term.
  destruct (Rle_lt_dec (mass P h) (e * mass Q h)) as [C|C]; [rewrite pos_of_nonpos by lra; lra|].
  rewrite pos_of_nonneg by lra. assert (Hp : 0 < mass P h) by nra. specialize (Hac Hp).
  set (p := mass P h) in *. set (q := mass Q h) in *. set (t := p / (e * q)).
  assert (Heq : 0 < e * q) by nra.
  assert (Htp : t * (e * q) = p) by (unfold t; field; lra).
  assert (Ht1 : 1 < t) by (apply (Rmult_lt_reg_r (e * q)); lra).
  pose proof (tight_tangent s t Hs Ht1) as K. unfold term. destruct (Rlt_dec 0 p); [|lra].
  replace (p / q) with (e * t) by (unfold t; field; lra).
  rewrite <- Rpower_mult_distr by lra.
  replace (p - e * q) with (p * (1 - / t)) by (unfold t; field; lra).
  apply Rle_trans with (p * (Rpower e s * (tight s * (1 - / t)))); [right; ring|].
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra | exact K].
Qed.

Lemma weighed_term_nonneg : forall h, in_order h -> forall o, In o orders ->
  0 <= snd o * d * (part_term (fst o) h / product (moment (fst o)) h).
Proof.
  intros h (_ & H2 & _) [s w] Ho. simpl. specialize (H2 s w Ho). destruct (orders_ok s w Ho).
  apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
  apply Rmult_le_pos; [apply term_nonneg | left; apply Rinv_0_lt_compat; assumption].
Qed.

Lemma excess_bound : forall h, in_order h -> excess M e x x' h <= bound_left h.
Proof.
  intros h Ho. destruct Ho as (H1 & H2 & H3 & H4) eqn:E; clear E.
  assert (W : pos (mass P h - e * mass Q h) <= weighed h).
  { destruct H4 as [H4|(s & w & Hin & Hfit)].
    - eapply Rle_trans; [exact H4|]. apply sumf_nonneg. apply weighed_term_nonneg; assumption.
    - destruct (orders_ok s w Hin) as [Hs Hw]. specialize (H2 s w Hin) as Hpr.
      pose proof (part_excess s h Hs H1) as X. pose proof (tight_pos s) as Hk.
      pose proof (exp_pos (s * ln e)) as Hpos. fold (Rpower e s) in Hpos.
      pose proof (sumf_member _ orders _ (s, w) (weighed_term_nonneg h Ho) Hin) as Hmem.
      eapply Rle_trans; [|exact Hmem]. cbv beta. simpl.
      set (v := pos (mass P h - e * mass Q h)) in *. set (pi := product (moment s) h) in *.
      pose proof (pos_ge (mass P h - e * mass Q h)) as [Hv _]. fold v in Hv.
      apply (Rmult_le_reg_r pi); [assumption|].
      replace (w * d * (part_term s h / pi) * pi) with (w * d * part_term s h) by (field; lra).
      apply Rle_trans with (w * d * (tight s * Rpower e s * v)).
      + apply Rle_trans with (v * (w * tight s * d * Rpower e s)); [|right; ring].
        apply Rmult_le_compat_l; assumption.
      + apply Rmult_le_compat_l; [apply Rmult_le_pos|]; assumption. }
  unfold bound_left. pose proof (excess_parts M x x' P Q P_part Q_part e h ltac:(lra)).
  pose proof (leaking_ge M x P P_part leak leaks h H3). lra.
Qed.

Lemma weighed_step : forall h r, in_order h -> moments_fit h r ->
  sumf (outs h r) (fun y => weighed ((r, Some y) :: h)) <= weighed h.
Proof.
  intros h r Ho Hf. unfold weighed. rewrite sumf_swap. apply sumf_le; intros [s w] Hin. simpl.
  destruct Ho as (H1 & H2 & _). destruct Hf as (_ & A & B & _).
  specialize (H2 s w Hin). destruct (B s w Hin) as [Hm Hsum]. destruct (orders_ok s w Hin) as [Hs Hw].
  set (c := w * d * (part_term s h / (product (moment s) h * moment s h r))).
  rewrite (sumf_ext _ _ _ (fun y => c * term s (P h r y) (Q h r y))).
  - rewrite sumf_scal. apply Rle_trans with (c * moment s h r).
    + apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos; assumption|].
      apply Rmult_le_pos; [apply term_nonneg|]. left. apply Rinv_0_lt_compat.
      apply Rmult_lt_0_compat; assumption.
    + right. unfold c. field. lra.
  - intros y Hy. unfold c, part_term. simpl mass. destruct (range h) as [HP _].
    rewrite term_mult; [|assumption | apply P_part | assumption | apply A; assumption].
    unfold Rdiv. ring.
Qed.

Lemma bound_step : forall h r, in_order h -> moments_fit h r ->
  sumf (outs h r) (fun y => bound_left ((r, Some y) :: h)) <= bound_left h.
Proof.
  intros h r Ho Hf. pose proof (weighed_step h r Ho Hf) as W. destruct Hf as (T & _).
  unfold bound_left. rewrite sumf_plus. apply Rplus_le_compat; [|exact W].
  apply leaking_step; assumption.
Qed.

Theorem moments_private : private menu M F e (leaks + d) x x'.
Proof.
  apply (majorant_private menu M F e x x' (leaks + d) bound_left); [assumption|].
  split; [|split; [|split]].
  - unfold bound_left, leaking, weighed, part_term. simpl. rewrite (sumf_ext _ _ _ (fun o => d * snd o)).
    + rewrite sumf_scal. nra.
    + intros [s w] _. simpl. rewrite term_one. field.
  - intros h Hr. apply excess_bound, in_order_reached; assumption.
  - intros h r Hr Hin Er. pose proof (in_order_reached h Hr) as Ho. specialize (HF h r Hr Hin Er).
    eapply Rle_trans; [|apply (bound_step h r Ho HF)]. apply sumf_le; intros y Hy.
    destruct (goes_on (F h r)); [apply Rle_refl|]. apply excess_bound, in_order_next; assumption.
  - intros h r _ _ _. unfold bound_left, leaking, weighed, part_term. simpl. rewrite !Rmult_1_r. apply Rle_refl.
Qed.
End Moments.
