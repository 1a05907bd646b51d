(* The tilted filter: realised losses, and what is left over follows a tilt, a Renyi tilt for one.

   In words: keep per ordered pair a number b, b_0 = d, that is never below what is lost already, h(l).
   A round may run if its expected h(l_y) is at most b, for every pair that is still possible.  After y,
   b_y = min(1, max(h(l_y), k t(y))) with k such that the average of b_y is b (or all that t reaches is
   1); t >= 0 may be any function of the past, the request and the output.
     - `tilted_private`: for every tilt the rule is (eps, d)-DP, any adversary and horizon;
     - `tilted_runs`: it runs wherever a test runs whose rounds are paid for by a B that the tilt follows;
     - `purses_private`: several purses, each shared out on its own so that its average does not grow,
       are (eps, d)-DP if together they cover what is lost.
   TiltedOrders.v has the Renyi tilts. *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling Capped Potential.
Import ListNotations.
Open Scope R_scope.

(* ---------- how much there is of a tilt ---------- *)
Section Fill.
Context {Y : Type}.
Variable ys : list Y.
Variables p low tilt : Y -> R.
Hypothesis p_nonneg : forall y, 0 <= p y.
Hypothesis low_range : forall y, 0 <= low y <= 1.
Hypothesis tilt_nonneg : forall y, 0 <= tilt y.

Definition share (k : R) (y : Y) : R := Rmin 1 (Rmax (low y) (k * tilt y)).
Definition filled (k : R) : R := sumf ys (fun y => p y * share k y).

Lemma share_range : forall k y, low y <= share k y <= 1.
Proof.
  intros k y. unfold share. split; [|apply Rmin_l]. apply Rmin_glb; [apply low_range | apply Rmax_l].
Qed.

Lemma share_rises : forall j k y, j <= k -> share j y <= share k y.
Proof.
  intros j k y H. unfold share. apply Rle_min_compat_l, Rle_max_compat_l.
  apply Rmult_le_compat_r; auto.
Qed.

Lemma filled_rises : forall j k, j <= k -> filled j <= filled k.
Proof.
  intros j k H. apply sumf_le; intros y _. apply Rmult_le_compat_l; [auto | apply share_rises; assumption].
Qed.

Lemma share_zero : forall y, share 0 y = low y.
Proof.
  intros y. unfold share. rewrite Rmult_0_l, Rmax_left, Rmin_right by apply low_range. reflexivity.
Qed.

Lemma filled_continuous : continuity filled.
Proof.
  apply (lipschitz_continuous _ (sumf ys (fun y => p y * tilt y)));
    [apply sumf_nonneg; intros; apply Rmult_le_pos; auto|].
  intros a b. unfold filled. rewrite <- sumf_minus. induction ys as [|y l IH].
  - unfold sumf; simpl. rewrite Rabs_R0. lra.
  - rewrite !sumf_cons. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rmult_plus_distr_r. apply Rplus_le_compat; [|exact IH].
    rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_right (p y)) by (apply Rle_ge; auto).
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [auto|].
    rewrite <- (Rabs_right (tilt y)), <- Rabs_mult by (apply Rle_ge; auto).
    replace (tilt y * (a - b)) with (a * tilt y - b * tilt y) by ring.
    unfold share, Rmin, Rmax. pose proof (low_range y).
    repeat (destruct (Rle_dec _ _)); unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.

(* beyond this everything that the tilt reaches is full *)
Definition brim : R := sumf ys (fun y => if Rlt_dec 0 (tilt y) then / tilt y else 0).

Lemma brim_term : forall y, In y ys -> 0 <= (if Rlt_dec 0 (tilt y) then / tilt y else 0).
Proof. intros y _. destruct (Rlt_dec 0 (tilt y)); [left; apply Rinv_0_lt_compat; assumption | lra]. Qed.

Lemma brim_full : forall j y, In y ys -> share j y <= share brim y.
Proof.
  intros j y Hy. destruct (Rlt_dec 0 (tilt y)) as [C|C].
  - assert (share brim y = 1); [|pose proof (share_range j y); lra].
    unfold share. apply Rmin_left. eapply Rle_trans; [|apply Rmax_r].
    pose proof (sumf_member _ ys _ y brim_term Hy) as B. cbv beta in B.
    destruct (Rlt_dec 0 (tilt y)); [|contradiction]. fold brim in B.
    apply Rle_trans with (/ tilt y * tilt y); [rewrite Rinv_l; lra|].
    apply Rmult_le_compat_r; auto.
  - unfold share. replace (tilt y) with 0 by (pose proof (tilt_nonneg y); lra). rewrite !Rmult_0_r. lra.
Qed.

Lemma factor_exists : forall left, {k : R | (filled 0 <= left -> filled k <= left) /\
  (forall j y, 0 <= j -> filled j <= left -> In y ys -> 0 < p y -> share j y <= share k y)}.
Proof.
  intros left. assert (B0 : 0 <= brim) by (apply sumf_nonneg; apply brim_term).
  destruct (Rle_dec (filled brim) left) as [Hall|Hsome].
  { exists brim. split; [auto|]. intros j y _ _ Hy _. apply brim_full; assumption. }
  destruct (Rle_dec (filled 0) left) as [H0|H0].
  2:{ exists 0. split; [intros; contradiction|]. intros j y Hj Hf. exfalso.
      pose proof (filled_rises 0 j Hj). lra. }
  destruct (IVT_cor (fun k => filled k - left) 0 brim) as [k [Hk Hz]].
  - apply (continuity_minus filled (fun _ => left)); [apply filled_continuous|].
    apply continuity_const. intros a b. reflexivity.
  - assumption.
  - nra.
  - exists k. split; [intros; lra|]. intros j y Hj Hf Hy Hpos.
    destruct (Rle_lt_dec j k) as [C|C]; [apply share_rises; assumption|].
    destruct (Rle_lt_dec (share j y) (share k y)) as [D|D]; [assumption|]. exfalso.
    assert (filled k < filled j); [|lra].
    apply (sumf_lt _ ys _ _ y); [|assumption | apply Rmult_lt_compat_l; assumption].
    intros z _. apply Rmult_le_compat_l; [auto | apply share_rises; lra].
Qed.
End Fill.

(* ---------- the filter ---------- *)
Section Tilted.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable e : R.
Hypothesis He : 1 <= e.

(* h(l): the share of the mass at h that is lost already *)
Definition lost (x x' : Db) (h : hist Req Out) : R := pos (1 - headroom M e x x' h).

Lemma lost_range : forall x x' h, 0 <= lost x x' h <= 1.
Proof.
  intros. unfold lost. pose proof (headroom_range M e x x' h ltac:(lra)).
  rewrite pos_of_nonneg by lra. lra.
Qed.

Lemma lost_mass : forall x x' h, like M x h * lost x x' h = excess M e x x' h.
Proof.
  intros. unfold lost. pose proof (headroom_range M e x x' h ltac:(lra)).
  rewrite pos_of_nonneg, Rmult_minus_distr_l, headroom_mass by lra. ring.
Qed.

(* pos changes nothing where the tilt is not negative *)
Variable tilt : Db -> Db -> hist Req Out -> Req -> Out -> R.
Section Round.
Variables (x x' : Db) (h : hist Req Out) (r : Req).
Definition floors (y : Out) : R := lost x x' ((r, Some y) :: h).
Definition tilts (y : Out) : R := pos (tilt x x' h r y).
Definition factor (left : R) : R :=
  proj1_sig (factor_exists (outs h r) (pr M x h r) floors tilts (pr_nonneg M x h r)
    (fun y => lost_range x x' _) (fun y => proj1 (pos_ge _)) left).
Definition expected : R := sumf (outs h r) (fun y => pr M x h r y * floors y).

Lemma factor_spec : forall left,
  (expected <= left -> filled (outs h r) (pr M x h r) floors tilts (factor left) <= left) /\
  (forall j y, 0 <= j -> filled (outs h r) (pr M x h r) floors tilts j <= left -> In y (outs h r) ->
     0 < pr M x h r y -> share floors tilts j y <= share floors tilts (factor left) y).
Proof.
  intros left. unfold factor. destruct (factor_exists _ _ _ _ _ _ _ left) as [k [H1 H2]]. cbn [proj1_sig].
  split; [|exact H2]. intros H. apply H1. eapply Rle_trans; [|exact H]. right. apply sumf_ext; intros y _.
  rewrite share_zero by (intros; apply lost_range). reflexivity.
Qed.
End Round.

Fixpoint tilted_budget (d : R) (x x' : Db) (h : hist Req Out) : R :=
  match h with
  | [] => d
  | (r, Some y) :: k => share (floors x x' k r) (tilts x x' k r) (factor x x' k r (tilted_budget d x x' k)) y
  | (_, None) :: k => tilted_budget d x x' k
  end.

Definition tilted_allows (d : R) (h : hist Req Out) (r : Req) : bool :=
  each_live M pairs (fun x x' => Rleb (expected x x' h r) (tilted_budget d x x' h)) h.
Definition tilted (d : R) : filter Req Out := gate (tilted_allows d).

Lemma tilted_spec : forall d h r, tilted_allows d h r = true <->
  (forall x x', In (x, x') pairs -> 0 < like M x h -> expected x x' h r <= tilted_budget d x x' h).
Proof.
  intros. unfold tilted_allows. rewrite each_live_spec.
  split; intros H x x' Hp Hl; specialize (H x x' Hp Hl); apply Rleb_true; assumption.
Qed.

Lemma budget_covers : forall d x x' h, 0 <= d ->
  excess M e x x' h <= like M x h * tilted_budget d x x' h.
Proof.
  intros d x x' h Hd. induction h as [|[r [y|]] h IH].
  - rewrite excess_nil by assumption. simpl. lra.
  - rewrite <- lost_mass. apply Rmult_le_compat_l; [apply like_nonneg|].
    apply (share_range (floors x x' h r)). intros z. apply lost_range.
  - rewrite excess_unreleased. simpl. rewrite Rmult_1_r. exact IH.
Qed.

Theorem tilted_private : forall F d, 0 <= d ->
  respects menu outs F (fun h r => tilted_allows d h r = true) ->
  forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros F d Hd HF x x' Hp.
  apply (majorant_private menu M F e x x' d (fun h => like M x h * tilted_budget d x x' h)); [assumption|].
  split; [simpl; lra|]. split; [intros; apply budget_covers; assumption|]. split.
  - intros h r Hr Hin Er. specialize (HF h r Hr Hin Er). rewrite tilted_spec in HF.
    apply Rle_trans with (sumf (outs h r) (fun y => like M x ((r, Some y) :: h) *
      tilted_budget d x x' ((r, Some y) :: h))).
    { apply sumf_le; intros y _. destruct (goes_on (F h r)); [lra | apply budget_covers; assumption]. }
    rewrite (sumf_ext _ _ _ (fun y => like M x h * (pr M x h r y * share (floors x x' h r) (tilts x x' h r)
      (factor x x' h r (tilted_budget d x x' h)) y))) by (intros; cbn [like chance tilted_budget]; ring).
    rewrite sumf_scal. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [C|C];
      [|rewrite <- C; lra].
    apply Rmult_le_compat_l; [lra|]. apply factor_spec. apply HF; assumption.
  - intros h r _ _ _. simpl. rewrite Rmult_1_r. lra.
Qed.

(* ---------- where it runs ---------- *)
(* B does not grow on average, and is above what is lost wherever the test passes; the tilt is B's *)
Definition leads (B : Db -> Db -> hist Req Out -> R) (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h ->
    sumf (outs h r) (fun y => pr M x h r y * B x x' ((r, Some y) :: h)) <= B x x' h /\
    exists c, 0 <= c /\ forall y, In y (outs h r) -> 0 < pr M x h r y ->
      B x x' ((r, Some y) :: h) = c * tilts x x' h r y /\ lost x x' ((r, Some y) :: h) <= B x x' ((r, Some y) :: h).

Lemma tilted_runs : forall passes d B, (forall x x', In (x, x') pairs -> B x x' [] <= d) ->
  (forall h r, reached menu outs (gate passes) h -> passes h r = true -> leads B h r) ->
  forall h r, reached menu outs (gate passes) h -> runs (gate passes h r) = true ->
  reached menu outs (tilted d) h /\ runs (tilted d h r) = true.
Proof.
  intros passes d B B0 Lead.
  (* one round: what the outputs would get from B fits *)
  assert (Round : forall h r x x', reached menu outs (gate passes) h -> passes h r = true ->
    In (x, x') pairs -> 0 < like M x h -> Rmin 1 (B x x' h) <= tilted_budget d x x' h ->
    expected x x' h r <= tilted_budget d x x' h /\
    forall y, In y (outs h r) -> 0 < pr M x h r y ->
      Rmin 1 (B x x' ((r, Some y) :: h)) <= tilted_budget d x x' ((r, Some y) :: h)).
  { intros h r x x' Hr Ht Hp Hl Hb. destruct (Lead h r Hr Ht x x' Hp Hl) as [Avg (c & Hc & Eq)].
    assert (Sh : forall y, In y (outs h r) -> 0 < pr M x h r y ->
      share (floors x x' h r) (tilts x x' h r) c y = Rmin 1 (B x x' ((r, Some y) :: h))).
    { intros y Hy Hpos. destruct (Eq y Hy Hpos) as [E L]. unfold share, floors. rewrite <- E, Rmax_right by exact L.
      reflexivity. }
    assert (Fit : filled (outs h r) (pr M x h r) (floors x x' h r) (tilts x x' h r) c <= tilted_budget d x x' h).
    { eapply Rle_trans; [|exact Hb]. apply Rmin_glb.
      - apply avg_le; [intros; apply pr_nonneg | apply pr_sum |]. intros; apply Rmin_l.
      - eapply Rle_trans; [|exact Avg]. apply sumf_le; intros y Hy.
        destruct (Rle_lt_or_eq_dec _ _ (pr_nonneg M x h r y)) as [C|C]; [|rewrite <- C; lra].
        apply Rmult_le_compat_l; [lra|]. rewrite (Sh y Hy C). apply Rmin_r. }
    split.
    - eapply Rle_trans; [|exact Fit]. apply sumf_le; intros y _. apply Rmult_le_compat_l; [apply pr_nonneg|].
      apply (share_range (floors x x' h r)). intros z. apply lost_range.
    - intros y Hy Hpos. rewrite <- (Sh y Hy Hpos). cbn [tilted_budget].
      apply factor_spec; assumption. }
  assert (Kept : forall h x x', reached menu outs (gate passes) h -> In (x, x') pairs -> 0 < like M x h ->
    Rmin 1 (B x x' h) <= tilted_budget d x x' h).
  { induction h as [|[r o] h IH]; intros x x' Hr Hp Hl.
    - simpl. eapply Rle_trans; [apply Rmin_r | apply B0; assumption].
    - destruct (gate_reached menu outs passes h r o Hr) as (Hr' & Hin & Ht & y & -> & Hy).
      pose proof (like_parent M x h r _ Hl) as Hl'. simpl in Hl. pose proof (pr_nonneg M x h r y).
      apply (Round h r x x' Hr' Ht Hp Hl' (IH x x' Hr' Hp Hl')); [assumption | nra]. }
  apply gate_dominates. intros h r Hr Ht. apply tilted_spec. intros x x' Hp Hl.
  apply (Round h r x x' Hr Ht Hp Hl). apply Kept; assumption.
Qed.
End Tilted.

(* ---------- several purses ---------- *)
Section Purses.
Context {Db Req Out Purse : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable pairs : list (Db * Db).
Variable F : filter Req Out.
Variables e d : R.
Variable purses : list Purse.
Variable b : Purse -> Db -> Db -> hist Req Out -> R.
Local Notation together x x' h := (sumf purses (fun i => b i x x' h)).

(* no purse grows on average, and together they cover what is lost after every possible output *)
Definition purses_fit (h : hist Req Out) (r : Req) : Prop :=
  forall x x', In (x, x') pairs -> 0 < like M x h ->
    (forall i, In i purses ->
       sumf (outs h r) (fun y => pr M x h r y * b i x x' ((r, Some y) :: h)) <= b i x x' h) /\
    forall y, In y (outs h r) -> excess M e x x' ((r, Some y) :: h) <=
      like M x ((r, Some y) :: h) * together x x' ((r, Some y) :: h).

Theorem purses_private : 1 <= e -> 0 <= d -> (forall x x', In (x, x') pairs -> together x x' [] <= d) ->
  (forall x x' i h r, In (x, x') pairs -> In i purses -> b i x x' ((r, None) :: h) = b i x x' h) ->
  (forall x x' i h, In (x, x') pairs -> In i purses -> 0 <= b i x x' h) ->
  respects menu outs F purses_fit -> forall x x', In (x, x') pairs -> private menu M F e d x x'.
Proof.
  intros He Hd H0 Hn Hpos HF x x' Hp.
  apply (majorant_private menu M F e x x' d (fun h => like M x h * together x x' h)); [assumption|].
  assert (Dead : forall h, like M x h = 0 -> excess M e x x' h = 0).
  { intros h Z. pose proof (excess_le_like M e x x' h ltac:(lra)). pose proof (excess_nonneg M e x x' h). lra. }
  assert (Next : forall h r y, reached menu outs F h -> In r (menu h) -> runs (F h r) = true ->
    In y (outs h r) -> excess M e x x' ((r, Some y) :: h) <=
      like M x ((r, Some y) :: h) * together x x' ((r, Some y) :: h)).
  { intros h r y Hr Hin Er Hy. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [C|C].
    - apply (HF h r Hr Hin Er x x' Hp C); assumption.
    - assert (Z : like M x ((r, Some y) :: h) = 0) by (simpl; rewrite <- C; ring).
      rewrite (Dead _ Z), Z. lra. }
  split; [simpl; rewrite Rmult_1_l; apply H0; assumption|]. split; [|split].
  - induction h as [|[r o] h IH]; intros Hr.
    + rewrite excess_nil by assumption. apply Rmult_le_pos; [simpl; lra|]. apply sumf_nonneg; intros; auto.
    + destruct Hr as (Hr & Hin & Ho & _). unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
      * apply in_map_iff in Ho. destruct Ho as [y [<- Hy]]. apply Next; assumption.
      * destruct Ho as [<-|[]]. rewrite excess_unreleased. simpl. rewrite Rmult_1_r.
        rewrite (sumf_ext _ _ _ (fun i => b i x x' h)) by (intros; apply Hn; assumption). apply IH; exact Hr.
  - intros h r Hr Hin Er. apply Rle_trans with (sumf (outs h r) (fun y =>
      like M x ((r, Some y) :: h) * together x x' ((r, Some y) :: h))).
    { apply sumf_le; intros y Hy. destruct (goes_on (F h r)); [lra | apply Next; assumption]. }
    rewrite (sumf_ext _ _ _ (fun y => like M x h * sumf purses (fun i =>
      pr M x h r y * b i x x' ((r, Some y) :: h))))
      by (intros; cbn [like chance]; rewrite sumf_scal; ring).
    rewrite sumf_scal, sumf_swap. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [C|C];
      [|rewrite <- C; lra].
    apply Rmult_le_compat_l; [lra|]. apply sumf_le; intros i Hi.
    apply (HF h r Hr Hin Er x x' Hp C); assumption.
  - intros h r _ _ _. simpl. rewrite Rmult_1_r.
    rewrite (sumf_ext _ _ _ (fun i => b i x x' h)) by (intros; apply Hn; assumption). lra.
Qed.
End Purses.
