(* The additive filter: what the mechanisms declare is added up.

   In words: every mechanism declares a true (eps_i, delta_i), carried as odds exp(eps_i).  A filter
   that runs a round only if the product of the odds so far and its own is at most exp(eps), and the
   sum of the delta_i at most d, is (eps, d)-DP for every pair of the list, every random adaptive
   adversary, horizon and whatever it answers otherwise (`additive_private`).

   The proof follows both laws of the play at once: what is left of the odds and of d bounds the
   rest of the play, and a mechanism's promise extends from events to tests with values in [0, 1].
   `per_round_delta_refuted`: comparing each delta_i with d alone is not private. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Controls Potential.
Import ListNotations.
Open Scope R_scope.

(* ---------- what is declared, and its sums over the rounds that ran ---------- *)
Section Declared.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variables odds del : hist Req Out -> Req -> R.

(* (log odds, del)-DP of every mechanism, for every ordered pair *)
Definition declared : Prop := forall h r, 1 <= odds h r /\ 0 <= del h r /\
  forall x x', In (x, x') pairs ->
    sumf (outs h r) (fun y => pos (pr M x h r y - odds h r * pr M x' h r y)) <= del h r.

Fixpoint prod_odds (h : hist Req Out) : R :=
  match h with
  | [] => 1
  | (r, Some _) :: k => prod_odds k * odds k r
  | (_, None) :: k => prod_odds k
  end.
Fixpoint sum_del (h : hist Req Out) : R :=
  match h with
  | [] => 0
  | (r, Some _) :: k => sum_del k + del k r
  | (_, None) :: k => sum_del k
  end.

Definition additive_fits (e d : R) (h : hist Req Out) (r : Req) : Prop :=
  prod_odds h * odds h r <= e /\ sum_del h + del h r <= d.
End Declared.

Section Additive.
Context {Db Req Out : Type} (menu : hist Req Out -> list Req) {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variables e d : R.
Variables x x' : Db.
Variables odds del : hist Req Out -> Req -> R.
Hypothesis odds_ge : forall h r, 1 <= odds h r.
Hypothesis del_ge : forall h r, 0 <= del h r.
Hypothesis true_pair : forall h r,
  sumf (outs h r) (fun y => pos (pr M x h r y - odds h r * pr M x' h r y)) <= del h r.
Local Notation prod_odds := (prod_odds odds).
Local Notation sum_del := (sum_del del).

Lemma prod_ge : forall h, 1 <= prod_odds h.
Proof. induction h as [|[r [y|]] h IH]; simpl; try lra. pose proof (odds_ge h r). nra. Qed.

(* privacy extends from events to tests *)
Lemma tests : forall h r t, (forall y, 0 <= t y <= 1) ->
  sumf (outs h r) (fun y => pr M x h r y * t y)
  <= odds h r * sumf (outs h r) (fun y => pr M x' h r y * t y) + del h r.
Proof.
  intros h r t Ht. rewrite <- sumf_scal.
  apply Rle_trans with (sumf (outs h r) (fun y => odds h r * (pr M x' h r y * t y)
    + pos (pr M x h r y - odds h r * pr M x' h r y))).
  - apply sumf_le; intros y _. specialize (Ht y).
    pose proof (pos_ge (pr M x h r y - odds h r * pr M x' h r y)). nra.
  - rewrite sumf_plus. pose proof (true_pair h r). lra.
Qed.

Variable A : adversary menu.
Variable S0 : hist Req Out -> bool.
Local Notation f := (fun h => ind (S0 h)).
Hypothesis He : 1 <= e.
Hypothesis Hadd : respects menu outs F (additive_fits odds del e d).

Lemma law_range : forall z n h, 0 <= law A F M z n h f <= 1.
Proof.
  intros z n. induction n as [|n IH]; intros h; [apply ind_range|]. cbn [law].
  assert (V : forall r, In r (menu h) -> 0 <= sumf (replies outs F h r) (fun o => chance M z h r o *
    (if goes_on (F h r) then law A F M z n ((r, o) :: h) f else f ((r, o) :: h))) <= 1).
  { intros r _. assert (Hv : forall o, 0 <= (if goes_on (F h r) then law A F M z n ((r, o) :: h) f else f ((r, o) :: h)) <= 1)
      by (intros o; destruct (goes_on (F h r)); [apply IH | apply ind_range]). split.
    - apply sumf_nonneg; intros o _. apply Rmult_le_pos; [apply chance_nonneg | apply Hv].
    - apply avg_le; [intros; apply chance_nonneg | apply chance_sum | intros; apply Hv]. }
  pose proof (ind_range (S0 h)). pose proof (stops_nonneg A h). split.
  - apply Rplus_le_le_0_compat; [apply Rmult_le_pos; lra|].
    apply sumf_nonneg; intros r Hr. apply Rmult_le_pos; [apply adv_nonneg | apply V; assumption].
  - unfold stops. apply avg_rest_le; [intros; apply adv_nonneg | apply adv_sum | apply ind_range|].
    intros r Hr. apply V; assumption.
Qed.

(* e / (product so far) and d - (sum so far) bound what is still to come *)
Lemma step : forall n h, reached menu outs F h -> prod_odds h <= e -> sum_del h <= d ->
  law A F M x n h f <= e / prod_odds h * law A F M x' n h f + (d - sum_del h).
Proof.
  assert (Stop : forall h k, prod_odds h <= e -> sum_del h <= d ->
            f k <= e / prod_odds h * f k + (d - sum_del h)).
  { intros h k Hp Hs. pose proof (prod_ge h). pose proof (ind_range (S0 k)).
    assert (1 <= e / prod_odds h); [|nra].
    apply (Rmult_le_reg_l (prod_odds h)); [lra|]. unfold Rdiv.
    replace (prod_odds h * (e * / prod_odds h)) with e by (field; lra). lra. }
  induction n as [|n IH]; intros h Hr Hp Hs; [apply Stop; assumption|]. cbn [law].
  pose proof (prod_ge h) as Hge. set (c := e / prod_odds h). set (b := d - sum_del h).
  assert (Hc : 0 <= c) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  set (v := fun z o r => if goes_on (F h r) then law A F M z n ((r, o) :: h) f else f ((r, o) :: h)).
  assert (Turn : forall r, In r (menu h) ->
    sumf (replies outs F h r) (fun o => chance M x h r o * v x o r)
    <= c * sumf (replies outs F h r) (fun o => chance M x' h r o * v x' o r) + b).
  { intros r Hin. unfold replies. destruct (runs (F h r)) eqn:Er.
    - destruct (Hadd h r Hr Hin Er) as [Ho Hd]. rewrite !sumf_map. simpl.
      pose proof (odds_ge h r) as Hog. pose proof (del_ge h r) as Hdg.
      set (c' := e / (prod_odds h * odds h r)).
      assert (Hpo : 0 < prod_odds h * odds h r) by (apply Rmult_lt_0_compat; lra).
      assert (Hc' : 0 <= c') by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
      assert (Ecc : odds h r * c' = c) by (unfold c', c; field; lra).
      set (b' := b - del h r). assert (Hb' : 0 <= b') by (unfold b', b; lra).
      assert (Each : forall y, In y (outs h r) -> v x (Some y) r <= Rmin 1 (c' * v x' (Some y) r) + b').
      { intros y Hy. assert (V1 : v x (Some y) r <= 1)
          by (unfold v; destruct (goes_on (F h r)); [apply law_range | apply ind_range]).
        assert (V2 : v x (Some y) r <= c' * v x' (Some y) r + b').
        { unfold v. destruct (goes_on (F h r)) eqn:Eg.
          - assert (Hr' : reached menu outs F ((r, Some y) :: h))
              by (simpl; unfold replies; rewrite Er; auto using in_map).
            pose proof (IH ((r, Some y) :: h) Hr' Ho ltac:(simpl; lra)) as H.
            cbn [Additive.prod_odds Additive.sum_del] in H. fold c' in H.
            replace b' with (d - (sum_del h + del h r)) by (unfold b', b; ring). exact H.
          - pose proof (Stop ((r, Some y) :: h) ((r, Some y) :: h) Ho ltac:(simpl; lra)) as H.
            cbn [Additive.prod_odds Additive.sum_del] in H. fold c' in H.
            replace b' with (d - (sum_del h + del h r)) by (unfold b', b; ring). exact H. }
        unfold Rmin. destruct (Rle_dec 1 (c' * v x' (Some y) r)); lra. }
      set (t := fun y => Rmin 1 (c' * v x' (Some y) r)).
      assert (Ht : forall y, 0 <= t y <= 1).
      { intros y. unfold t. split; [|apply Rmin_l]. apply Rmin_glb; [lra|].
        apply Rmult_le_pos; [assumption|]. unfold v. destruct (goes_on (F h r)); [apply law_range | apply ind_range]. }
      apply Rle_trans with (sumf (outs h r) (fun y => pr M x h r y * t y + pr M x h r y * b')).
      { apply sumf_le; intros y Hy. pose proof (pr_nonneg M x h r y). specialize (Each y Hy). fold (t y) in Each.
        rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; assumption. }
      rewrite sumf_plus, sumf_scal_r, pr_sum. pose proof (tests h r t Ht) as T.
      assert (U : sumf (outs h r) (fun y => pr M x' h r y * t y)
        <= c' * sumf (outs h r) (fun y => pr M x' h r y * v x' (Some y) r)).
      { rewrite <- sumf_scal. apply sumf_le; intros y _. pose proof (pr_nonneg M x' h r y).
        pose proof (Rmin_r 1 (c' * v x' (Some y) r)). fold (t y) in H0. nra. }
      unfold b'. rewrite <- Ecc. nra.
    - rewrite !sumf_cons. simpl. unfold v. destruct (goes_on (F h r)) eqn:Eg.
      + assert (Hr' : reached menu outs F ((r, None) :: h))
          by (simpl; unfold replies; rewrite Er; simpl; auto).
        pose proof (IH ((r, None) :: h) Hr' Hp Hs) as H. cbn [Additive.prod_odds Additive.sum_del] in H. fold c b in H. lra.
      + pose proof (Stop h ((r, None) :: h) Hp Hs) as H. fold c b in H. lra. }
  apply Rle_trans with (stops A h * (c * f h + b) + sumf (menu h) (fun r => adv A h r *
    (c * sumf (replies outs F h r) (fun o => chance M x' h r o * v x' o r) + b))).
  - apply Rplus_le_compat.
    + apply Rmult_le_compat_l; [apply stops_nonneg | apply (Stop h h Hp Hs)].
    + apply sumf_le; intros r Hin. apply Rmult_le_compat_l; [apply adv_nonneg | apply Turn; assumption].
  - rewrite (sumf_ext _ (menu h) _ (fun r => c * (adv A h r *
      sumf (replies outs F h r) (fun o => chance M x' h r o * v x' o r)) + adv A h r * b)) by (intros; ring).
    rewrite sumf_plus, sumf_scal, sumf_scal_r. unfold stops, v. right. cbv beta. ring.
Qed.
End Additive.

Theorem additive_private : forall {Db Req Out : Type} (menu : hist Req Out -> list Req)
    {outs : hist Req Out -> Req -> list Out} (M : mechanism Db outs) pairs (F : filter Req Out)
    e d odds del,
  1 <= e -> 0 <= d -> declared M pairs odds del ->
  respects menu outs F (additive_fits odds del e d) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros Db Req Out menu outs M pairs F e d odds del He Hd Hdec Hadd x x' Hp A n S.
  pose proof (step menu M F e d x x' odds del (fun h r => proj1 (Hdec h r))
    (fun h r => proj1 (proj2 (Hdec h r))) (fun h r => proj2 (proj2 (Hdec h r)) x x' Hp)
    A S He Hadd n [] I He Hd) as H.
  simpl in H. unfold prob. unfold Rdiv in H. rewrite Rinv_1, Rmult_1_r, Rminus_0_r in H. exact H.
Qed.

(* ---------- twin: each delta_i on its own ---------- *)
Definition per_round_delta (odds del : hist unit sym -> unit -> R) (e d : R) : filter unit sym :=
  gate (fun h r => Rleb (prod_odds odds h * odds h r) e && Rleb (del h r) d).

(* erasure p is (0, p)-DP, and so a promise that holds *)
Lemma erasure_declared : declared erasure [(true, false); (false, true)] (fun _ _ => 1) (fun h _ => er_p h).
Proof.
  assert (P : forall h, 0 <= er_p h <= 1) by (intros [|a h]; simpl; lra).
  intros h r. specialize (P h). split; [lra|]. split; [lra|].
  intros x x' [E|[E|[]]]; inversion E; subst; unfold er_outs; unfold sumf; simpl;
  unfold er_pr, pos, Rmax; repeat (destruct (Rle_dec _ _)); lra.
Qed.

Theorem per_round_delta_refuted : forall e, 1 <= e ->
  declared erasure [(true, false); (false, true)] (fun _ _ => 1) (fun h _ => er_p h) /\
  ~ private er_menu erasure (per_round_delta (fun _ _ => 1) (fun h _ => er_p h) e (1/3)) e (1/3) true false.
Proof.
  intros e He. split; [apply erasure_declared|].
  apply two_erasures_refuted; [assumption | |]; unfold per_round_delta, gate; simpl;
  rewrite (proj2 (Rleb_true _ _)), (proj2 (Rleb_true _ _)); try reflexivity; lra.
Qed.
