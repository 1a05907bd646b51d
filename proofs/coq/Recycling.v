(* Recycling: the compensator wastes what it keeps for branches on which all is lost already.

   In words: where the other database has become impossible a pair can lose nothing more, so its
   unspent budget is shared among the outputs that keep it possible.  The recycling filter is
   (eps, delta)-DP for any adversary and horizon (`recycling_private`), runs wherever the
   compensator runs (`recycling_dominates`), and on a concrete game also a round that the
   compensator halts at (`compensator_is_dominated`: erasure 1/4, then 1/3, delta = 1/2). *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Compensator.
Import ListNotations.
Open Scope R_scope.

Section Recycling.
Context {Db Req Out : Type}.
Variable menu : hist Req Out -> list Req.
Context {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.
Variable e : R.
Variable pairs : list (Db * Db).

Definition alive (x' : Db) (h : hist Req Out) : bool := Rltb 0 (like M x' h).

(* P_x( x' is still possible after this round | r^i, y^(i-1) ) *)
Definition palive (x x' : Db) (h : hist Req Out) (r : Req) : R :=
  sumf (outs h r) (fun y => pr M x h r y * ind (alive x' ((r, Some y) :: h))).

Fixpoint recycled (x x' : Db) (d : R) (h : hist Req Out) : R :=
  match h with
  | [] => d
  | (r, Some _) :: k =>
      if alive x' h then (recycled x x' d k - charge M e x x' k r) / palive x x' k r else 0
  | (_, None) :: k => recycled x x' d k
  end.

Definition recycling_allows (d : R) : hist Req Out -> Req -> bool :=
  covers M e pairs (fun x x' => recycled x x' d).
Definition recycling (d : R) : filter Req Out := gate (recycling_allows d).

Lemma palive_range : forall x x' h r, 0 <= palive x x' h r <= 1.
Proof.
  intros; unfold palive; split.
  - apply sumf_nonneg; intros y _. apply Rmult_le_pos; [apply pr_nonneg | apply ind_range].
  - apply avg_le; [intros; apply pr_nonneg | apply pr_sum | intros; apply ind_range].
Qed.

Lemma palive_pos : forall x x' h r y, In y (outs h r) -> 0 < like M x ((r, Some y) :: h) ->
  alive x' ((r, Some y) :: h) = true -> 0 < palive x x' h r.
Proof.
  intros x x' h r y Hy Hl Ha.
  apply Rlt_le_trans with (pr M x h r y * ind (alive x' ((r, Some y) :: h))).
  - rewrite Ha. simpl ind. simpl in Hl. pose proof (like_nonneg M x h).
    pose proof (pr_nonneg M x h r y). nra.
  - apply (sumf_member _ (outs h r) (fun y => pr M x h r y * ind (alive x' ((r, Some y) :: h)))).
    + intros b _. apply Rmult_le_pos; [apply pr_nonneg | apply ind_range].
    + assumption.
Qed.

Lemma recycled_nonneg : forall x x' d h, In (x, x') pairs -> 0 <= d ->
  reached menu outs (recycling d) h -> 0 < like M x h -> 0 <= recycled x x' d h.
Proof.
  intros x x' d h Hp Hd. destruct h as [|[r o] h]; intros Hr Hl; [simpl; lra|].
  destruct (gate_reached menu outs (recycling_allows d) h r o Hr) as (Hr' & Hin & Hg & y & -> & Hy).
  unfold recycling_allows in Hg. rewrite covers_spec in Hg.
  specialize (Hg x x' Hp (like_parent _ _ _ _ _ Hl)).
  cbn [recycled]. destruct (alive x' ((r, Some y) :: h)) eqn:Ea; [|lra].
  pose proof (palive_pos x x' h r y Hy Hl Ea).
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; assumption].
Qed.

(* the budgets of the outputs add up to what is left *)
Lemma recycled_step : forall x x' d h r, 0 <= e -> charge M e x x' h r <= recycled x x' d h ->
  ucharge M e x x' h r + sumf (outs h r) (fun y =>
    like M x ((r, Some y) :: h) * recycled x x' d ((r, Some y) :: h))
  <= like M x h * recycled x x' d h.
Proof.
  intros x x' d h r He Hg.
  set (k := (recycled x x' d h - charge M e x x' h r) / palive x x' h r).
  rewrite (sumf_ext _ _ _ (fun y =>
    like M x h * k * (pr M x h r y * ind (alive x' ((r, Some y) :: h))))).
  2:{ intros y _. change (recycled x x' d ((r, Some y) :: h)) with
        (if alive x' ((r, Some y) :: h) then k else 0).
      cbn [like chance]. destruct (alive x' ((r, Some y) :: h)); simpl ind; ring. }
  rewrite sumf_scal. fold (palive x x' h r). rewrite <- (charge_spec M e x x' h r He).
  pose proof (like_nonneg M x h) as Hl.
  destruct (palive_range x x' h r) as [[Hq|Hq] _].
  - right. unfold k. field. lra.
  - rewrite <- Hq. nra.
Qed.

Lemma recycling_budget : forall d x x', 0 <= e -> 0 <= d -> In (x, x') pairs ->
  budget_ok (menu := menu) (recycling d) M e x x' d (fun h => like M x h * recycled x x' d h).
Proof.
  intros d x x' He0 Hd Hp.
  assert (Hpos : forall h, reached menu outs (recycling d) h ->
    0 <= like M x h * recycled x x' d h).
  { intros h Hr. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hlt|Heq].
    - pose proof (recycled_nonneg x x' d h Hp Hd Hr Hlt). nra.
    - rewrite <- Heq; lra. }
  split; [simpl; lra|]. split; [exact Hpos|].
  intros h r Hr Hin. unfold toll, replies, recycling.
  destruct (gate_answer (recycling_allows d) h r) as [-> ->].
  destruct (recycling_allows d h r) eqn:Hg; [|rewrite sumf_zero; specialize (Hpos h Hr); lra].
  rewrite sumf_map. destruct (Rle_lt_or_eq_dec _ _ (like_nonneg M x h)) as [Hlt|Heq].
  - apply recycled_step; [assumption|].
    unfold recycling_allows in Hg. rewrite covers_spec in Hg. auto.
  - rewrite ucharge_skipped by (auto; lra).
    rewrite (sumf_ext _ _ _ (fun _ => 0)) by (intros; cbn [like]; rewrite <- Heq; ring).
    rewrite sumf_zero, <- Heq. lra.
Qed.

Theorem recycling_private : forall d x x', 1 <= e -> 0 <= d -> In (x, x') pairs ->
  private menu M (recycling d) e d x x'.
Proof.
  intros. eapply budget_sound; [assumption|]. apply recycling_budget; [lra | |]; assumption.
Qed.

(* ---------- it runs every round that the compensator runs ---------- *)
Lemma recycled_ge : forall x x' d h, 0 <= e -> In (x, x') pairs ->
  reached menu outs (compensator M e pairs d) h -> 0 < like M x h -> alive x' h = true ->
  d - spent M e x x' h <= recycled x x' d h.
Proof.
  intros x x' d h He Hp. induction h as [|[r o] h IH]; intros Hr Hl Ha; [simpl; lra|].
  destruct (gate_reached menu outs (affordable M e pairs d) h r o Hr)
    as (Hr' & Hin & Hg & y & -> & Hy).
  pose proof (like_parent _ _ _ _ _ Hl) as Hl'.
  rewrite affordable_spec in Hg. specialize (Hg x x' Hp Hl').
  assert (Ha' : alive x' h = true).
  { unfold alive in *. rewrite Rltb_true in *. apply (like_parent _ _ _ _ _ Ha). }
  specialize (IH Hr' Hl' Ha').
  pose proof (palive_pos x x' h r y Hy Hl Ha) as Hq.
  pose proof (palive_range x x' h r) as [_ Hq1].
  cbn [recycled spent]. rewrite Ha.
  set (b := recycled x x' d h - charge M e x x' h r).
  assert (b <= b / palive x x' h r).
  { apply (Rmult_le_reg_l (palive x x' h r)); [assumption|].
    replace (palive x x' h r * (b / palive x x' h r)) with b by (field; lra).
    assert (0 <= b) by (unfold b; lra). nra. }
  unfold b in *; lra.
Qed.

Theorem recycling_dominates : forall d, 1 <= e -> 0 <= d -> forall h r,
  reached menu outs (compensator M e pairs d) h -> runs (compensator M e pairs d h r) = true ->
  reached menu outs (recycling d) h /\ runs (recycling d h r) = true.
Proof.
  intros d He Hd. assert (He0 : 0 <= e) by lra. apply gate_dominates.
  intros h r Hr Hc. apply covers_spec. intros x x' Hp Hl. destruct (alive x' h) eqn:Ea.
  - rewrite affordable_spec in Hc. specialize (Hc x x' Hp Hl).
    pose proof (recycled_ge x x' d h He0 Hp Hr Hl Ea). lra.
  - assert (like M x' h = 0)
      by (unfold alive in Ea; apply Rltb_false in Ea; pose proof (like_nonneg M x' h); lra).
    rewrite charge_revealed by assumption.
    destruct h as [|[r' o] h]; [simpl; lra|].
    destruct (gate_reached menu outs (affordable M e pairs d) h r' o Hr)
      as (_ & _ & _ & y & -> & _).
    cbn [recycled]. rewrite Ea; lra.
Qed.
End Recycling.

(* ---------- and somewhere it runs strictly more: erasure 1/4, then erasure 1/3 ---------- *)
Inductive sym := SawT | SawF | Blank.

Definition er_menu (_ : hist unit sym) : list unit := [tt].
Definition er_outs (_ : hist unit sym) (_ : unit) : list sym := [SawT; SawF; Blank].
(* round 1 reveals the database with probability 1/4, every later round with 1/3 *)
Definition er_p (h : hist unit sym) : R := match h with [] => 1/4 | _ => 1/3 end.
Definition er_pr (x : bool) (h : hist unit sym) (_ : unit) (y : sym) : R :=
  match y, x with
  | SawT, true => er_p h | SawT, false => 0
  | SawF, true => 0 | SawF, false => er_p h
  | Blank, _ => 1 - er_p h
  end.

Lemma er_nonneg : forall x h r y, 0 <= er_pr x h r y.
Proof. intros [|] [|a h] r [| |]; simpl; lra. Qed.
Lemma er_sum : forall x h r, sumf (er_outs h r) (er_pr x h r) = 1.
Proof. intros [|] [|a h] r; unfold er_outs; simpl; lra. Qed.

Definition erasure : mechanism bool er_outs :=
  Build_mechanism _ _ bool er_outs er_pr er_nonneg er_sum.
Definition blank1 : hist unit sym := [(tt, Some Blank)].

Lemma er_like : forall x, like erasure x blank1 = 3/4.
Proof. intros x; unfold blank1; destruct x; simpl; lra. Qed.

Lemma er_charge : forall e x, 1 <= e ->
  charge erasure e x (negb x) [] tt = 1/4 /\ charge erasure e x (negb x) blank1 tt = 1/3.
Proof.
  intros e x He.
  assert (U : ucharge erasure e x (negb x) [] tt = 1/4 /\
              ucharge erasure e x (negb x) blank1 tt = 1/4).
  { unfold ucharge, excess, er_outs, blank1, pos, Rmax.
    destruct x; simpl; split; repeat (destruct (Rle_dec _ _)); lra. }
  destruct U as [H1 H2]. unfold charge. rewrite H1, H2, er_like. simpl like.
  split; destruct (Rlt_dec _ _); lra.
Qed.

(* any eps >= 0, one ordered pair or both: at a transcript of probability 3/4 that both filters
   reach, the compensator halts and the recycling filter runs the round *)
Theorem compensator_is_dominated : forall e pairs, 1 <= e ->
  (forall p, In p pairs -> snd p = negb (fst p)) -> In (true, false) pairs ->
  reached er_menu er_outs (compensator erasure e pairs (1/2)) blank1 /\
  reached er_menu er_outs (recycling erasure e pairs (1/2)) blank1 /\
  (forall x, like erasure x blank1 = 3/4) /\
  compensator erasure e pairs (1/2) blank1 tt = Halt /\
  recycling erasure e pairs (1/2) blank1 tt = Continue.
Proof.
  intros e pairs He Hneg Htf.
  assert (H0 : affordable erasure e pairs (1/2) [] tt = true).
  { apply affordable_spec. intros x x' Hp _. specialize (Hneg _ Hp). simpl in Hneg. subst x'.
    destruct (er_charge e x He) as [H _]. simpl spent. rewrite H. lra. }
  assert (Hc : reached er_menu er_outs (compensator erasure e pairs (1/2)) blank1).
  { simpl. unfold replies, compensator, gate. rewrite H0. simpl. auto 8. }
  assert (Hno : affordable erasure e pairs (1/2) blank1 tt = false).
  { apply not_true_iff_false. intros E. rewrite affordable_spec in E. specialize (E true false Htf).
    rewrite er_like in E. destruct (er_charge e true He) as [H1 H2]. simpl negb in *.
    unfold blank1 in E at 1. cbn [spent] in E. rewrite H1, H2 in E. lra. }
  split; [exact Hc|]. split; [|split; [apply er_like|split]].
  - destruct (recycling_dominates er_menu erasure e pairs (1/2) He ltac:(lra) [] tt I) as [_ R0].
    { unfold compensator, gate. rewrite H0. reflexivity. }
    simpl. unfold replies, recycling in *. rewrite R0. rewrite (proj2 (gate_answer _ _ _)) in R0.
    rewrite (proj1 (gate_answer _ _ _)). simpl. auto 8.
  - unfold compensator, gate. rewrite Hno. reflexivity.
  - unfold recycling, gate. replace (recycling_allows erasure e pairs (1/2) blank1 tt) with true;
      [reflexivity|].
    symmetry. apply covers_spec. intros x x' Hp _. specialize (Hneg _ Hp). simpl in Hneg.
    subst x'.
    destruct (er_charge e x He) as [H1 H2]. rewrite H2.
    assert (Ha : alive erasure (negb x) blank1 = true)
      by (unfold alive; rewrite er_like; apply Rltb_true; lra).
    assert (Hq : palive erasure x (negb x) [] tt = 3/4).
    { unfold palive, er_outs, alive, Rltb. destruct x; simpl;
      repeat (destruct (Rlt_dec _ _)); simpl; lra. }
    change (recycled erasure e x (negb x) (1/2) blank1) with
      (if alive erasure (negb x) blank1
       then (1/2 - charge erasure e x (negb x) [] tt) / palive erasure x (negb x) [] tt else 0).
    rewrite Ha, H1, Hq. lra.
Qed.
