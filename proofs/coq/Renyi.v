(* Renyi filters: one order, or several orders with weights, any real order above 1.

   In words: S(h, r) bounds, for every ordered pair, the sum over y of P_x(y)^a P_x'(y)^(1-a) of a
   round, and a round whose sum is infinite does not run.  Write s = a - 1.
     - `rdp_mironov_private`: run only if S_1 ... S_i <= d e^(s eps);
     - `rdp_tight_private`: run only if S_1 ... S_i <= K(s) d e^(s eps), with the constant
       K(s) = a^a / (a-1)^(a-1) of Canonne, Kamath and Steinke;
     - `rdp_weighted_private`: for orders with weights that add up to 1 at most, fixed beforehand, run
       only if some order fits with its weight, S_1 ... S_i <= w K(s) d e^(s eps);
     - `rdp_some_order_private`: accepting whenever some order fits in Mironov's test is
       (eps, d sum of 1/K(s))-DP: sound as it is for sets of orders with sum of 1/K(s) <= 1;
     - `rdp_sparse_orders_private`: for instance for orders from 2 on with sum of 1/a <= 2.
   Each is (eps, d)-DP for every pair of the list, random adaptive adversary, horizon and whatever
   the filter answers where it does not run a round.  Finite sums are asked of rounds that run only. *)
From Coq Require Import Reals Rpower List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential Leak Moments.
Import ListNotations.
Open Scope R_scope.

(* ---------- the filters ---------- *)
Section Filters.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variables e d : R.
Variable moment : R -> hist Req Out -> Req -> R.
Hypothesis He : 1 <= e.
Hypothesis Hd : 0 <= d.

(* the sums are finite: x' explains all that x explains *)
Definition finite (h : hist Req Out) (r : Req) : Prop := forall x x', In (x, x') pairs ->
  forall y, In y (outs h r) -> 0 < pr M x h r y -> 0 < pr M x' h r y.
(* where they are, the filter's number bounds them *)
Definition bounds_moment (s : R) : Prop := forall h r, finite h r -> forall x x', In (x, x') pairs ->
  sumf (outs h r) (fun y => term s (pr M x h r y) (pr M x' h r y)) <= moment s h r.

Definition order_fits (constant s : R) (h : hist Req Out) (r : Req) : Prop :=
  product (moment s) h * moment s h r <= constant * d * Rpower e s.

(* orders (a - 1, weight), fixed before the play: some order fits with its weight *)
Definition weighted_fits (orders : list (R * R)) (h : hist Req Out) (r : Req) : Prop :=
  finite h r /\ exists s w, In (s, w) orders /\ order_fits (w * tight s) s h r.

Theorem rdp_weighted_private : forall orders,
  (forall s w, In (s, w) orders -> 0 < s /\ 0 <= w /\ bounds_moment s) -> sumf orders snd <= 1 ->
  respects menu outs F (weighted_fits orders) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros orders Hor Hw HF x x' Hp. replace d with (0 + d) by ring.
  apply (moments_private menu M F e d 0 x x' (pr M x) (pr M x') (fun _ _ => 0) orders moment);
    try assumption; try lra.
  - intros h r y. pose proof (pr_nonneg M x h r y). lra.
  - intros h r y. pose proof (pr_nonneg M x' h r y). lra.
  - intros h r. rewrite pr_sum. lra.
  - intros s w Hin. destruct (Hor s w Hin) as (H1 & H2 & _). auto.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [Hf Hs].
    assert (T0 : forall k : hist Req Out, total (fun _ _ => 0) k = 0)
      by (induction k as [|[? [?|]] k IH]; simpl; lra).
    split; [rewrite T0; lra|]. split; [apply Hf; assumption|]. split; [|exact Hs].
    intros s w Hsw. destruct (Hor s w Hsw) as (_ & _ & Hb). specialize (Hb h r Hf x x' Hp).
    split; [|assumption]. eapply Rlt_le_trans; [|exact Hb].
    assert (Some_y : exists y, In y (outs h r) /\ 0 < pr M x h r y).
    { destruct (existsb (fun y => Rltb 0 (pr M x h r y)) (outs h r)) eqn:Ex.
      - apply existsb_exists in Ex. destruct Ex as [y [Hy E]]. apply Rltb_true in E. eauto.
      - exfalso. assert (sumf (outs h r) (pr M x h r) <= 0); [|rewrite pr_sum in H; lra].
        rewrite <- (sumf_zero _ (outs h r)). apply sumf_le; intros y Hy.
        destruct (Rle_lt_dec (pr M x h r y) 0) as [C|C]; [exact C|].
        apply not_true_iff_false in Ex. exfalso. apply Ex, existsb_exists. exists y.
        split; [assumption | apply Rltb_true; assumption]. }
    destruct Some_y as [y [Hy Hpos]].
    eapply Rlt_le_trans; [apply (term_pos s _ (pr M x' h r y) Hpos)|].
    apply (sumf_member _ (outs h r) (fun y => term s (pr M x h r y) (pr M x' h r y)));
      [intros; apply term_nonneg | assumption].
Qed.

Theorem rdp_tight_private : forall s, 0 < s -> bounds_moment s ->
  respects menu outs F (fun h r => finite h r /\ order_fits (tight s) s h r) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros s Hs Hb HF. apply (rdp_weighted_private [(s, 1)]).
  - intros s' w [E|[]]. inversion E; subst. repeat split; auto; lra.
  - simpl. lra.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [H1 H2]. split; [assumption|].
    exists s, 1. split; [left; reflexivity|]. rewrite Rmult_1_l. assumption.
Qed.

Theorem rdp_mironov_private : forall s, 0 < s -> bounds_moment s ->
  respects menu outs F (fun h r => finite h r /\ order_fits 1 s h r) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros s Hs Hb HF. apply (rdp_tight_private s Hs Hb).
  intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [H1 H2]. split; [assumption|].
  unfold order_fits in *. eapply Rle_trans; [exact H2|]. pose proof (tight_ge_one s Hs).
  pose proof (exp_pos (s * ln e)) as Hpos. fold (Rpower e s) in Hpos.
  apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; assumption.
Qed.
End Filters.

(* accepting whenever some order fits in Mironov's test *)
Theorem rdp_some_order_private : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) pairs (F : filter Req Out)
    e d moment ss, 1 <= e -> 0 <= d ->
  (forall s, In s ss -> 0 < s /\ bounds_moment M pairs moment s) ->
  respects menu outs F (fun h r => finite M pairs h r /\
    exists s, In s ss /\ order_fits e d moment 1 s h r) ->
  forall x x', In (x, x') pairs -> private menu M F e (d * sumf ss (fun s => / tight s)) x x'.
Proof.
  intros Db Req Out menu outs M pairs F e d moment ss He Hd Hss HF.
  set (all := sumf ss (fun s => / tight s)).
  assert (Inv : forall s, 0 < / tight s) by (intros; apply Rinv_0_lt_compat, tight_pos).
  assert (Hall : 0 <= all) by (apply sumf_nonneg; intros; left; apply Inv).
  assert (Pos : forall s, In s ss -> 0 < all).
  { intros s Hin. apply (Rlt_le_trans _ (/ tight s)); [apply Inv|].
    apply (sumf_member _ ss (fun s => / tight s)); [intros; left; apply Inv | assumption]. }
  apply (rdp_weighted_private menu M pairs F e (d * all) moment He ltac:(apply Rmult_le_pos; assumption)
    (map (fun s => (s, / tight s / all)) ss)).
  - intros s w Hin. apply in_map_iff in Hin. destruct Hin as [s' [E Hin]]. inversion E; subst.
    destruct (Hss s Hin) as [H1 H2]. split; [assumption|]. split; [|assumption].
    apply Rmult_le_pos; [left; apply Inv | left; apply Rinv_0_lt_compat; eauto].
  - rewrite sumf_map. simpl. destruct ss as [|s ss']; [simpl; lra|].
    unfold Rdiv. rewrite sumf_scal_r. fold all. right. apply Rinv_r.
    specialize (Pos s (or_introl eq_refl)). lra.
  - intros h r Hr Hin Er. destruct (HF h r Hr Hin Er) as [H1 (s & Hs & H2)]. split; [assumption|].
    exists s, (/ tight s / all). split; [apply in_map_iff; eauto|].
    unfold order_fits in *. eapply Rle_trans; [exact H2|]. right.
    specialize (Pos s Hs). pose proof (tight_pos s). field. lra.
Qed.

(* orders from 2 on whose reciprocals add up to at most 2, powers of two for example *)
Theorem rdp_sparse_orders_private : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) pairs (F : filter Req Out)
    e d moment ss, 1 <= e -> 0 <= d ->
  (forall s, In s ss -> 1 <= s /\ bounds_moment M pairs moment s) -> sumf ss (fun s => / (1 + s)) <= 2 ->
  respects menu outs F (fun h r => finite M pairs h r /\
    exists s, In s ss /\ order_fits e d moment 1 s h r) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros Db Req Out menu outs M pairs F e d moment ss He Hd Hss Hsum HF x x' Hp A n S.
  pose proof (rdp_some_order_private menu M pairs F e d moment ss He Hd) as P.
  specialize (P (fun s Hin => conj (Rlt_le_trans _ _ _ Rlt_0_1 (proj1 (Hss s Hin))) (proj2 (Hss s Hin)))
    HF x x' Hp A n S).
  assert (sumf ss (fun s => / tight s) <= 1); [|nra].
  apply Rle_trans with (sumf ss (fun s => / 2 * / (1 + s))); [|rewrite sumf_scal; lra].
  apply sumf_le; intros s Hin. destruct (Hss s Hin) as [Hs _]. pose proof (tight_ge_double s Hs).
  rewrite <- Rinv_mult. apply Rinv_le_contravar; lra.
Qed.
