(* The compensator filter: run a round if the charges so far and its own add up to at most delta.

   In words: whatever the adversary, the menus and the horizon, a filter that runs a round only
   if c_1 + ... + c_i <= delta for every ordered pair that is still possible is (eps, delta)-DP;
   what it answers otherwise (Halt, or Refuse and go on), and whether the last round it runs is
   answered Last or Continue, makes no difference (`spending_private`).  The filter itself halts
   (`compensator_private`) or refuses (`refusing_compensator_private`).

   `compensator_at_zero`: with delta = 0 it is the Bayesian filter, which runs a round exactly if
   no output of positive probability takes a possible pair's loss above eps. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity.
Import ListNotations.
Open Scope R_scope.

(* ---------- every filter that respects the sum of charges ---------- *)
Section Spending.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable F : filter Req Out.
Variables e d : R.
Variables x x' : Db.

(* only reached transcripts, requests on offer and possible databases are constrained *)
Definition spends_within : Prop := forall h r, reached menu outs F h -> In r (menu h) ->
  runs (F h r) = true -> 0 < like M x h -> spent M e x x' h + charge M e x x' h r <= d.

Lemma reached_spent : 0 <= d -> spends_within ->
  forall h, reached menu outs F h -> 0 < like M x h -> spent M e x x' h <= d.
Proof.
  intros Hd Hc h. induction h as [|[r o] h IH]; [simpl; lra|].
  intros (Hr & Hin & Ho & Hg) Hl. pose proof (like_parent M x h r o Hl) as Hl'.
  unfold replies in Ho. destruct (runs (F h r)) eqn:Er.
  - apply in_map_iff in Ho. destruct Ho as [y [<- _]]. simpl. apply Hc; auto.
  - destruct Ho as [<-|[]]. simpl. auto.
Qed.

Lemma spending_budget : 0 <= e -> 0 <= d -> spends_within ->
  budget_ok (menu := menu) F M e x x' d (fun h => like M x h * (d - spent M e x x' h)).
Proof.
  intros He0 Hd Hc.
  assert (Hpos : forall h, reached menu outs F h -> 0 <= like M x h * (d - spent M e x x' h)).
  { intros h Hr. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hlt|Heq].
    - pose proof (reached_spent Hd Hc h Hr Hlt). nra.
    - rewrite <- Heq; lra. }
  split; [simpl; lra|]. split; [exact Hpos|].
  intros h r Hr Hin.
  assert (E : sumf (replies outs F h r) (fun o =>
      like M x ((r, o) :: h) * (d - spent M e x x' ((r, o) :: h)))
      = like M x h * (d - spent M e x x' h) - toll F M e x x' h r).
  { rewrite (sumf_ext _ _ _ (fun o => (d - spent M e x x' h) * like M x ((r, o) :: h)
      - toll F M e x x' h r * chance M x h r o)).
    - rewrite sumf_minus, !sumf_scal, like_replies, chance_sum. ring.
    - intros o Ho. pose proof (spent_step F M e x x' h r o Ho He0). lra. }
  destruct (goes_on (F h r)); [rewrite E; lra|].
  rewrite sumf_zero, Rplus_0_r. unfold toll. destruct (runs (F h r)) eqn:Er; [|auto].
  destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hlt|Heq].
  - rewrite <- (charge_spec M e x x' h r He0). specialize (Hc h r Hr Hin Er Hlt).
    apply Rmult_le_compat_l; lra.
  - rewrite <- Heq, ucharge_skipped by (auto; lra). lra.
Qed.

Theorem spending_private : 1 <= e -> 0 <= d -> spends_within -> private menu M F e d x x'.
Proof.
  intros He Hd Hc. eapply budget_sound; [assumption|]. apply spending_budget; [lra | |]; assumption.
Qed.
End Spending.

(* ---------- a filter that runs a round where a test allows it, and halts elsewhere ---------- *)
Section Gate.
Context {Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Variable outs : hist Req Out -> Req -> list Out.

Definition gate (test : hist Req Out -> Req -> bool) : filter Req Out :=
  fun h r => if test h r then Continue else Halt.

Lemma gate_answer : forall test h r,
  goes_on (gate test h r) = test h r /\ runs (gate test h r) = test h r.
Proof. intros. unfold gate. destruct (test h r); auto. Qed.

(* a reached transcript ends in an output of a round that was allowed *)
Lemma gate_reached : forall test h r o, reached menu outs (gate test) ((r, o) :: h) ->
  reached menu outs (gate test) h /\ In r (menu h) /\ test h r = true /\
  exists y, o = Some y /\ In y (outs h r).
Proof.
  intros test h r o (Hr & Hin & Ho & Hg). destruct (gate_answer test h r) as [E1 E2].
  rewrite E1 in Hg. unfold replies in Ho. rewrite E2, Hg in Ho.
  apply in_map_iff in Ho. destruct Ho as [y [<- Hy]]. eauto 6.
Qed.

(* a test that allows what another one allows wherever that one leads *)
Lemma gate_dominates : forall test wider,
  (forall h r, reached menu outs (gate test) h -> test h r = true -> wider h r = true) ->
  forall h r, reached menu outs (gate test) h -> runs (gate test h r) = true ->
  reached menu outs (gate wider) h /\ runs (gate wider h r) = true.
Proof.
  intros test wider Hgo h r Hr Hc. rewrite (proj2 (gate_answer test h r)) in Hc.
  rewrite (proj2 (gate_answer wider h r)). split; [|auto].
  clear r Hc. induction h as [|[r o] h IH]; [exact I|].
  destruct (gate_reached test h r o Hr) as (Hr' & Hin & Hg & y & -> & Hy).
  destruct (gate_answer wider h r) as [E1 E2]. specialize (Hgo h r Hr' Hg).
  simpl. unfold replies. rewrite E1, E2, Hgo. repeat split; auto. apply in_map; assumption.
Qed.
End Gate.

(* ---------- the filter itself, for a finite list of ordered pairs ---------- *)
Section Compensator.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable e : R.
Variable pairs : list (Db * Db).

(* a test of every pair that is still possible *)
Definition each_live (test : Db -> Db -> bool) (h : hist Req Out) : bool :=
  forallb (fun p => negb (Rltb 0 (like M (fst p) h)) || test (fst p) (snd p)) pairs.

Lemma each_live_spec : forall test h, each_live test h = true <->
  (forall x x', In (x, x') pairs -> 0 < like M x h -> test x x' = true).
Proof.
  intros test h. unfold each_live. rewrite forallb_forall. split.
  - intros H x x' Hp Hl. specialize (H (x, x') Hp). simpl in H.
    apply Rltb_true in Hl. rewrite Hl in H. exact H.
  - intros H [x x'] Hp. simpl. destruct (Rltb 0 (like M x h)) eqn:E; [|reflexivity].
    apply Rltb_true in E. simpl. auto.
Qed.

(* the charge fits what is left for every such pair *)
Definition covers (left : Db -> Db -> hist Req Out -> R) (h : hist Req Out) (r : Req) : bool :=
  each_live (fun x x' => Rleb (charge M e x x' h r) (left x x' h)) h.

Lemma covers_spec : forall left h r, covers left h r = true <->
  (forall x x', In (x, x') pairs -> 0 < like M x h -> charge M e x x' h r <= left x x' h).
Proof.
  intros left h r. unfold covers. rewrite each_live_spec.
  split; intros H x x' Hp Hl; specialize (H x x' Hp Hl); apply Rleb_true; assumption.
Qed.

Definition affordable (d : R) (h : hist Req Out) (r : Req) : bool :=
  each_live (fun x x' => Rleb (spent M e x x' h + charge M e x x' h r) d) h.

Definition compensator (d : R) : filter Req Out := gate (affordable d).
Definition refusing_compensator (d : R) : filter Req Out :=
  fun h r => if affordable d h r then Continue else Refuse.

Lemma affordable_spec : forall d h r, affordable d h r = true <->
  (forall x x', In (x, x') pairs -> 0 < like M x h ->
     spent M e x x' h + charge M e x x' h r <= d).
Proof.
  intros d h r. unfold affordable. rewrite each_live_spec.
  split; intros H x x' Hp Hl; specialize (H x x' Hp Hl); apply Rleb_true; assumption.
Qed.

Lemma compensator_spends : forall d x x', In (x, x') pairs ->
  spends_within menu M (compensator d) e d x x'.
Proof.
  intros d x x' Hp h r _ _ Hg Hl. unfold compensator in Hg.
  rewrite (proj2 (gate_answer (affordable d) h r)), affordable_spec in Hg. auto.
Qed.

Theorem compensator_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (compensator d) e d x x'.
Proof. intros. apply spending_private; auto using compensator_spends. Qed.

Theorem refusing_compensator_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (refusing_compensator d) e d x x'.
Proof.
  intros d x x' He Hd Hp. apply spending_private; auto.
  intros h r _ _ Hg Hl. unfold refusing_compensator in Hg.
  destruct (affordable d h r) eqn:E; [|discriminate]. rewrite affordable_spec in E. auto.
Qed.

(* ---------- delta = 0 ---------- *)
(* no output of positive probability takes a possible pair's loss above eps *)
Definition bayesian_allows (h : hist Req Out) (r : Req) : bool :=
  each_live (fun x x' => forallb (fun y =>
    negb (Rltb 0 (pr M x h r y)) || negb (exceed M e x x' ((r, Some y) :: h))) (outs h r)) h.

Definition bayesian : filter Req Out := gate bayesian_allows.

Lemma safe_iff : forall x x' h, exceed M e x x' h = false <-> excess M e x x' h = 0.
Proof.
  intros x x' h. unfold exceed, excess. rewrite Rltb_false. split; intros H.
  - apply pos_of_nonpos; lra.
  - pose proof (pos_ge (like M x h - e * like M x' h)). lra.
Qed.

Lemma bayesian_spec : forall h r, 0 <= e -> bayesian_allows h r = true <->
  (forall x x', In (x, x') pairs -> 0 < like M x h ->
     forall y, In y (outs h r) -> excess M e x x' ((r, Some y) :: h) = 0).
Proof.
  intros h r He. unfold bayesian_allows. rewrite each_live_spec.
  split; intros H x x' Hp Hl; specialize (H x x' Hp Hl).
  - intros y Hy. rewrite forallb_forall in H. specialize (H y Hy).
    apply orb_true_iff in H. destruct H as [H|H]; apply negb_true_iff in H; [|apply safe_iff; auto].
    apply Rltb_false in H. pose proof (pr_nonneg M x h r y).
    assert (Z : like M x ((r, Some y) :: h) = 0)
      by (simpl; replace (pr M x h r y) with 0 by lra; ring).
    pose proof (excess_le_like M e x x' ((r, Some y) :: h) He).
    pose proof (excess_nonneg M e x x' ((r, Some y) :: h)). lra.
  - apply forallb_forall. intros y Hy. apply orb_true_iff. right.
    apply negb_true_iff, safe_iff. auto.
Qed.

(* where nothing is lost yet, a charge is zero exactly if nothing can be lost *)
Lemma free_iff : forall x x' h r, 0 < like M x h -> excess M e x x' h = 0 ->
  (charge M e x x' h r <= 0 <->
   forall y, In y (outs h r) -> excess M e x x' ((r, Some y) :: h) = 0).
Proof.
  intros x x' h r Hl Hz.
  assert (E : charge M e x x' h r =
    sumf (outs h r) (fun y => excess M e x x' ((r, Some y) :: h)) / like M x h).
  { unfold charge, ucharge. rewrite Hz. destruct (Rlt_dec 0 (like M x h)); [|contradiction].
    f_equal. ring. }
  rewrite E. split.
  - intros H y Hy.
    assert (S0 : sumf (outs h r) (fun y => excess M e x x' ((r, Some y) :: h)) <= 0).
    { apply (Rmult_le_reg_r (/ like M x h)); [apply Rinv_0_lt_compat; assumption|].
      unfold Rdiv in H. lra. }
    pose proof (sumf_member _ (outs h r) (fun y => excess M e x x' ((r, Some y) :: h)) y
      (fun b _ => excess_nonneg M e x x' _) Hy).
    pose proof (excess_nonneg M e x x' ((r, Some y) :: h)). cbv beta in *. lra.
  - intros H. rewrite (sumf_ext _ _ _ (fun _ => 0)) by (intros; apply H; assumption).
    rewrite sumf_zero. unfold Rdiv. lra.
Qed.

Lemma zero_invariant : 1 <= e -> forall h, reached menu outs (compensator 0) h ->
  forall x x', In (x, x') pairs -> 0 < like M x h ->
  excess M e x x' h = 0 /\ spent M e x x' h = 0.
Proof.
  intros He. induction h as [|[r o] h IH]; intros Hr x x' Hp Hl.
  - split; [apply excess_nil; assumption | reflexivity].
  - destruct (gate_reached menu outs (affordable 0) h r o Hr) as (Hr' & _ & Hg & y & -> & Hy).
    pose proof (like_parent M x h r _ Hl) as Hl'. destruct (IH Hr' x x' Hp Hl') as [I1 I2].
    rewrite affordable_spec in Hg. specialize (Hg x x' Hp Hl'). rewrite I2, Rplus_0_l in Hg.
    split; [apply (free_iff x x' h r Hl' I1); assumption|].
    simpl. pose proof (charge_nonneg M e x x' h r). lra.
Qed.

Lemma zero_agrees : 1 <= e -> forall h r, reached menu outs (compensator 0) h ->
  affordable 0 h r = bayesian_allows h r.
Proof.
  intros He h r Hr. assert (He0 : 0 <= e) by lra.
  apply eq_true_iff_eq. rewrite affordable_spec, (bayesian_spec h r He0).
  split; intros H x x' Hp Hl; specialize (H x x' Hp Hl);
  destruct (zero_invariant He h Hr x x' Hp Hl) as [I1 I2].
  - apply (free_iff x x' h r Hl I1). lra.
  - rewrite I2, Rplus_0_l. apply (free_iff x x' h r Hl I1). assumption.
Qed.

(* both filters reach the same transcripts and give the same answers there *)
Theorem compensator_at_zero : 1 <= e -> forall h,
  (reached menu outs (compensator 0) h <-> reached menu outs bayesian h) /\
  (reached menu outs (compensator 0) h -> forall r, compensator 0 h r = bayesian h r).
Proof.
  intros He. assert (Same : forall h, reached menu outs (compensator 0) h ->
    forall r, compensator 0 h r = bayesian h r).
  { intros h Hr r. unfold compensator, bayesian, gate. rewrite zero_agrees by assumption.
    reflexivity. }
  intros h. split; [|apply Same].
  induction h as [|[r o] h [IH1 IH2]]; [tauto|].
  split; intros (Hr & Hin & Ho & Hg); [pose proof Hr as Hc | pose proof (IH2 Hr) as Hc];
  pose proof (Same h Hc r) as E; simpl; unfold replies in *.
  - rewrite <- E. auto.
  - rewrite E. auto.
Qed.

Corollary bayesian_private : forall x x', 1 <= e -> In (x, x') pairs ->
  private menu M bayesian e 0 x x'.
Proof.
  intros x x' He Hp. apply spending_private; [assumption | lra |].
  intros h r Hr _ Hg Hl.
  destruct (compensator_at_zero He h) as [[_ H2] H3]. specialize (H2 Hr).
  rewrite <- (H3 H2 r) in Hg. unfold compensator in Hg.
  rewrite (proj2 (gate_answer (affordable 0) h r)), affordable_spec in Hg. auto.
Qed.
End Compensator.
