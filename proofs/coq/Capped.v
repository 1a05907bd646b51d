(* The capped compensator: no branch keeps more budget than it can still lose.

   In words: keep a budget B per ordered pair, B_0 = delta; run a round if its charge is at most B
   for every possible pair; after output y the budget is min(lam, 1 - h(l_y)), where the level lam
   solves sum_y p(y) min(lam, 1 - h(l_y)) = B - c, and is 1 if all headroom is covered.

   Theorems: the level exists (`level_exists`); the filter is (eps, delta)-DP for any adversary
   and horizon (`capped_private`); it runs wherever the compensator runs (`capped_dominates`), and
   on a concrete game also where the compensator halts (`capped_runs_more`). *)
From Coq Require Import Reals List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator Recycling.
Import ListNotations.
Open Scope R_scope.

(* ---------- the water level ---------- *)
Lemma lipschitz_continuous : forall f K, 0 <= K ->
  (forall a b, Rabs (f a - f b) <= K * Rabs (a - b)) -> continuity f.
Proof.
  intros f K HK Hf t eta Heta.
  exists (eta / (K + 1)). split.
  { apply Rmult_lt_0_compat; [assumption | apply Rinv_0_lt_compat; lra]. }
  intros y [_ Hd]. change (Rabs (y - t) < eta / (K + 1)) in Hd. change (Rabs (f y - f t) < eta).
  assert ((K + 1) * Rabs (y - t) < eta).
  { apply (Rmult_lt_compat_l (K + 1)) in Hd; [|lra].
    replace ((K + 1) * (eta / (K + 1))) with eta in Hd by (field; lra). exact Hd. }
  pose proof (Hf y t). pose proof (Rabs_pos (y - t)). lra.
Qed.

Section Level.
Context {Y : Type}.
Variable ys : list Y.
Variables p cap : Y -> R.
Hypothesis p_nonneg : forall y, 0 <= p y.

(* what is handed out when every output gets t, but never more than its cap *)
Definition poured (t : R) : R := sumf ys (fun y => p y * Rmin t (cap y)).

Lemma poured_continuous : continuity poured.
Proof.
  apply (lipschitz_continuous _ (sumf ys p)); [apply sumf_nonneg; auto|].
  intros a b. unfold poured. rewrite <- sumf_minus.
  induction ys as [|y l IH].
  - unfold sumf; simpl. rewrite Rabs_R0. lra.
  - rewrite !sumf_cons. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rmult_plus_distr_r. apply Rplus_le_compat; [|exact IH].
    rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_right (p y)) by (apply Rle_ge; auto).
    apply Rmult_le_compat_l; [auto|].
    unfold Rmin. destruct (Rle_dec a (cap y)), (Rle_dec b (cap y));
    unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.

Lemma level_exists : forall left, {t : R | 0 <= t <= 1 /\ (poured 1 <= left -> t = 1) /\
  (0 <= left -> left < poured 1 -> poured t = left)}.
Proof.
  intros left. destruct (Rle_dec (poured 1) left) as [Hall|Hsome].
  { exists 1. repeat split; intros; lra. }
  destruct (Rle_dec 0 left) as [H0|H0].
  2:{ exists 0. repeat split; intros; lra. }
  destruct (IVT_cor (fun t => poured t - left) 0 1) as [t [Ht Hz]].
  - apply (continuity_minus poured (fun _ => left)); [apply poured_continuous|].
    apply continuity_const. intros a b. reflexivity.
  - lra.
  - assert (poured 0 <= 0).
    { apply Rle_trans with (sumf ys (fun _ => 0)); [|rewrite sumf_zero; lra].
      apply sumf_le; intros y _.
      pose proof (p_nonneg y). pose proof (Rmin_l 0 (cap y)). nra. }
    nra.
  - exists t. repeat split; intros; lra.
Qed.
End Level.

(* ---------- the filter ---------- *)
Section Capped.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable e : R.
Variable pairs : list (Db * Db).

(* 1 - h(l): the share of the mass at h that is not yet counted as lost *)
Definition headroom (x x' : Db) (h : hist Req Out) : R :=
  if Rlt_dec 0 (like M x h) then 1 - excess M e x x' h / like M x h else 0.

(* pos changes nothing here: it makes the level a function of the law alone, not of its proofs *)
Definition level (x x' : Db) (h : hist Req Out) (r : Req) (left : R) : R :=
  proj1_sig (level_exists (outs h r) (fun y => pos (pr M x h r y))
    (fun y => headroom x x' ((r, Some y) :: h)) (fun y => proj1 (pos_ge _)) left).

Fixpoint capped_budget (x x' : Db) (d : R) (h : hist Req Out) : R :=
  match h with
  | [] => d
  | (r, Some y) :: k =>
      Rmin (level x x' k r (capped_budget x x' d k - charge M e x x' k r)) (headroom x x' h)
  | (_, None) :: k => capped_budget x x' d k
  end.

Definition capped_allows (d : R) : hist Req Out -> Req -> bool :=
  covers M e pairs (fun x x' => capped_budget x x' d).
Definition capped (d : R) : filter Req Out := gate (capped_allows d).

Lemma headroom_mass : forall x x' h, 0 <= e ->
  like M x h * headroom x x' h = like M x h - excess M e x x' h.
Proof.
  intros x x' h He. unfold headroom. destruct (Rlt_dec 0 (like M x h)) as [H|H]; [field; lra|].
  pose proof (like_nonneg M x h). pose proof (excess_nonneg M e x x' h).
  pose proof (excess_le_like M e x x' h He). lra.
Qed.

Lemma headroom_range : forall x x' h, 0 <= e -> 0 <= headroom x x' h <= 1.
Proof.
  intros x x' h He. pose proof (headroom_mass x x' h He) as E. unfold headroom in *.
  destruct (Rlt_dec 0 (like M x h)) as [H|H]; [|lra].
  pose proof (excess_nonneg M e x x' h). pose proof (excess_le_like M e x x' h He).
  split; apply (Rmult_le_reg_l (like M x h)); lra.
Qed.

Section Round.
Variables x x' : Db.
Variables (h : hist Req Out) (r : Req).
Local Notation pour := (poured (outs h r) (pr M x h r) (fun y => headroom x x' ((r, Some y) :: h))).
Local Notation fill left := (level x x' h r left).

Lemma level_spec : forall left, 0 <= fill left <= 1 /\ (pour 1 <= left -> fill left = 1) /\
  (0 <= left -> left < pour 1 -> pour (fill left) = left).
Proof.
  intros left. assert (E : forall t, poured (outs h r) (fun y => pos (pr M x h r y))
    (fun y => headroom x x' ((r, Some y) :: h)) t = pour t).
  { intros t. apply sumf_ext; intros y _. rewrite pos_of_nonneg by apply pr_nonneg. reflexivity. }
  unfold level. destruct (level_exists _ _ _ _ left) as [t Ht]. cbn [proj1_sig].
  rewrite <- !E. exact Ht.
Qed.

Lemma level_range : forall left, 0 <= fill left <= 1.
Proof. intros left. apply level_spec. Qed.

(* covering all headroom costs exactly the headroom before, less the charge *)
Lemma poured_all : 0 <= e -> 0 < like M x h -> pour 1 = headroom x x' h - charge M e x x' h r.
Proof.
  intros He Hl. apply (Rmult_eq_reg_l (like M x h)); [|lra].
  rewrite Rmult_minus_distr_l, headroom_mass, charge_spec by assumption.
  unfold poured, ucharge. rewrite <- sumf_scal.
  rewrite (sumf_ext _ _ _ (fun y =>
    like M x ((r, Some y) :: h) - excess M e x x' ((r, Some y) :: h))).
  - rewrite sumf_minus, like_outs. ring.
  - intros y _. rewrite <- headroom_mass by assumption. cbn [like chance].
    rewrite Rmin_right by (apply headroom_range; assumption). ring.
Qed.

Lemma level_affordable : forall left, 0 <= left -> pour (fill left) <= left.
Proof.
  intros left H0. destruct (level_spec left) as (_ & H1 & H2).
  destruct (Rlt_le_dec left (pour 1)) as [C|C]; [rewrite (H2 H0 C); lra|].
  rewrite (H1 C). exact C.
Qed.

(* every output gets at least the smaller of its headroom and any uniform share s *)
Lemma level_generous : forall left s y, 0 <= e -> 0 <= left -> s <= left ->
  Rmin s (headroom x x' ((r, Some y) :: h)) <= Rmin (fill left) (headroom x x' ((r, Some y) :: h)).
Proof.
  intros left s y He H0 Hs. destruct (level_spec left) as (Ht & H1 & H2). set (t := fill left) in *.
  set (room := headroom x x' ((r, Some y) :: h)).
  assert (Hroom : 0 <= room <= 1) by (apply headroom_range; assumption).
  destruct (Rlt_le_dec left (pour 1)) as [C|C].
  - assert (s <= t).
    { destruct (Rle_lt_dec s t) as [Q|Q]; [exact Q|]. specialize (H2 H0 C).
      assert (pour t <= t).
      { unfold poured. apply avg_le; [intros; apply pr_nonneg | apply pr_sum |].
        intros; apply Rmin_l. }
      lra. }
    apply Rle_min_compat_r. assumption.
  - rewrite (H1 C), (Rmin_right 1) by lra. apply Rmin_r.
Qed.

Lemma level_full : forall left y, 0 <= e -> pour 1 <= left ->
  Rmin (fill left) (headroom x x' ((r, Some y) :: h)) = headroom x x' ((r, Some y) :: h).
Proof.
  intros left y He H. destruct (level_spec left) as (_ & H1 & _).
  rewrite (H1 H). apply Rmin_right. apply headroom_range; assumption.
Qed.
End Round.

Lemma capped_budget_nonneg : forall x x' d h, 0 <= e -> 0 <= d -> 0 <= capped_budget x x' d h.
Proof.
  intros x x' d h He Hd. induction h as [|[r [y|]] h IH]; simpl; auto.
  apply Rmin_glb; [apply level_range | apply headroom_range; assumption].
Qed.

(* one allowed round: the budgets of the outputs add up to at most what is left *)
Lemma capped_step : forall x x' d h r, 0 <= e ->
  (0 < like M x h -> charge M e x x' h r <= capped_budget x x' d h) ->
  ucharge M e x x' h r + sumf (outs h r) (fun y =>
    like M x ((r, Some y) :: h) * capped_budget x x' d ((r, Some y) :: h))
  <= like M x h * capped_budget x x' d h.
Proof.
  intros x x' d h r He Hg. set (left := capped_budget x x' d h - charge M e x x' h r).
  rewrite (sumf_ext _ _ _ (fun y => like M x h * (pr M x h r y *
    Rmin (level x x' h r left) (headroom x x' ((r, Some y) :: h)))))
    by (intros; cbn [like chance capped_budget]; fold left; ring).
  rewrite sumf_scal, <- (charge_spec M e x x' h r He), <- Rmult_plus_distr_l.
  destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hlt|Heq]; [|rewrite <- Heq; lra].
  apply Rmult_le_compat_l; [lra|]. specialize (Hg Hlt).
  assert (Hleft : 0 <= left) by (unfold left; lra).
  pose proof (level_affordable x x' h r left Hleft) as H. unfold poured in H.
  unfold left in *. lra.
Qed.

Theorem capped_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (capped d) e d x x'.
Proof.
  intros d x x' He Hd Hp. assert (He0 : 0 <= e) by lra.
  set (U := fun h => like M x h * capped_budget x x' d h).
  assert (Hpos : forall h, 0 <= U h)
    by (intros; apply Rmult_le_pos; [apply like_nonneg | apply capped_budget_nonneg; assumption]).
  apply (budget_sound (capped d) M e x x' d U); [assumption|].
  split; [unfold U; simpl; lra|]. split; [auto|].
  intros h r _ _. unfold toll, replies, capped.
  destruct (gate_answer (capped_allows d) h r) as [-> ->].
  destruct (capped_allows d h r) eqn:Hg; [|rewrite sumf_zero; specialize (Hpos h); lra].
  rewrite sumf_map. unfold capped_allows in Hg. rewrite covers_spec in Hg.
  apply capped_step; [assumption | apply Hg; assumption].
Qed.

(* ---------- it runs every round that the compensator runs ---------- *)
Lemma charge_le_headroom : forall x x' h r, 0 <= e -> 0 < like M x h ->
  charge M e x x' h r <= headroom x x' h.
Proof.
  intros x x' h r He Hl. apply (Rmult_le_reg_l (like M x h)); [assumption|].
  rewrite charge_spec, headroom_mass by assumption. apply ucharge_le; assumption.
Qed.

Lemma capped_ge : forall x x' d h, 1 <= e -> 0 <= d -> In (x, x') pairs ->
  reached menu outs (compensator M e pairs d) h -> 0 < like M x h ->
  Rmin (d - spent M e x x' h) (headroom x x' h) <= capped_budget x x' d h.
Proof.
  intros x x' d h He Hd Hp. assert (He0 : 0 <= e) by lra.
  induction h as [|[r o] h IH]; intros Hr Hl.
  { simpl. rewrite Rminus_0_r. apply Rmin_l. }
  destruct (gate_reached menu outs (affordable M e pairs d) h r o Hr)
    as (Hr' & Hin & Hg & y & -> & Hy).
  pose proof (like_parent _ _ _ _ _ Hl) as Hl'. specialize (IH Hr' Hl').
  rewrite affordable_spec in Hg. specialize (Hg x x' Hp Hl').
  pose proof (charge_le_headroom x x' h r He0 Hl') as Hch.
  set (B := capped_budget x x' d h) in *. set (c := charge M e x x' h r) in *.
  change (capped_budget x x' d ((r, Some y) :: h)) with
    (Rmin (level x x' h r (B - c)) (headroom x x' ((r, Some y) :: h))).
  cbn [spent]. fold c.
  destruct (Rle_dec (d - spent M e x x' h) (headroom x x' h)) as [C|C].
  - rewrite Rmin_left in IH by assumption. apply level_generous; [assumption | lra | lra].
  - rewrite Rmin_right in IH by lra.
    rewrite level_full; [apply Rmin_r | assumption |].
    rewrite poured_all by assumption. fold c. lra.
Qed.

Theorem capped_dominates : forall d, 1 <= e -> 0 <= d -> forall h r,
  reached menu outs (compensator M e pairs d) h -> runs (compensator M e pairs d h r) = true ->
  reached menu outs (capped d) h /\ runs (capped d h r) = true.
Proof.
  intros d He Hd. assert (He0 : 0 <= e) by lra. apply gate_dominates.
  intros h r Hr Hc. apply covers_spec. intros x x' Hp Hl.
  rewrite affordable_spec in Hc. specialize (Hc x x' Hp Hl).
  eapply Rle_trans; [|apply (capped_ge x x' d h He Hd Hp Hr Hl)].
  apply Rmin_glb; [lra | apply charge_le_headroom; assumption].
Qed.
End Capped.

(* ---------- and somewhere it runs strictly more: erasure 1/4, then erasure 1/3 ---------- *)
Theorem capped_runs_more : forall e pairs, 1 <= e ->
  (forall p, In p pairs -> snd p = negb (fst p)) -> In (true, false) pairs ->
  compensator erasure e pairs (1/2) blank1 tt = Halt /\
  reached er_menu er_outs (capped erasure e pairs (1/2)) blank1 /\
  capped erasure e pairs (1/2) blank1 tt = Continue.
Proof.
  intros e pairs He Hneg Htf. assert (He0 : 0 <= e) by lra.
  destruct (compensator_is_dominated e pairs He Hneg Htf) as (Hc & _ & _ & Hh & _).
  split; [exact Hh|]. split.
  { destruct (gate_reached _ _ _ _ _ _ Hc) as (_ & _ & Hg & _).
    destruct (capped_dominates er_menu erasure e pairs (1/2) He ltac:(lra) [] tt I) as [_ R0].
    { unfold compensator, gate. rewrite Hg. reflexivity. }
    unfold capped in R0. rewrite (proj2 (gate_answer _ _ _)) in R0.
    simpl. unfold replies, capped, gate. rewrite R0. simpl. auto 8. }
  unfold capped, gate.
  replace (capped_allows erasure e pairs (1/2) blank1 tt) with true; [reflexivity|].
  symmetry. apply covers_spec. intros x x' Hp _. specialize (Hneg _ Hp). simpl in Hneg. subst x'.
  destruct (er_charge e x He) as [H1 H2]. rewrite H2. unfold blank1. cbn [capped_budget].
  rewrite H1. replace (1/2 - 1/4) with (1/4) by lra.
  assert (Hroom : headroom erasure e x (negb x) [(tt, Some Blank)] = 1 /\
                  headroom erasure e x (negb x) [(tt, Some SawT)] = 0 /\
                  headroom erasure e x (negb x) [(tt, Some SawF)] = 0).
  { unfold headroom, excess, pos, Rmax. destruct x; simpl;
    repeat split; repeat (destruct (Rlt_dec _ _)); repeat (destruct (Rle_dec _ _)); lra. }
  destruct Hroom as (R1 & R2 & R3). rewrite R1.
  destruct (level_spec erasure e x (negb x) [] tt (1/4)) as (Ht & Hfull & Hl).
  set (t := level _ _ _ _ _ _ _) in *.
  assert (E : forall s, 0 <= s <= 1 -> poured (er_outs [] tt) (pr erasure x [] tt)
    (fun y => headroom erasure e x (negb x) [(tt, Some y)]) s = 3/4 * s).
  { intros s Hs. unfold poured. change (er_outs [] tt) with [SawT; SawF; Blank].
    rewrite !sumf_cons. cbv beta. rewrite R1, R2, R3.
    rewrite !(Rmin_right s 0), (Rmin_left s 1) by lra.
    destruct x; unfold sumf; simpl; lra. }
  rewrite (E 1), (E t) in Hl by lra. specialize (Hl ltac:(lra) ltac:(lra)).
  apply Rmin_glb; lra.
Qed.
