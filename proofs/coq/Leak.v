(* A part of a law, and what it leaves out.

   In words: let P be a part of the law under x in every round, and let `leak` bound what it leaves out.
   The mass that has leaked so far, and what may still leak while the leaks add up to at most `leaks`,
   is a supermartingale (`leaking_step`).  So where the rest of the play is compared by parts of the two
   laws, delta_i and eps_i are paid for apart (`excess_parts`): the additive filter here, moments in
   Moments.v. *)
From Coq Require Import Rbase Rfunctions List Bool Lia Lra Psatz.
From Filterproof Require Import Sums Model Identity Potential.
Import ListNotations.
Open Scope R_scope.

(* the likelihood of a transcript under parts of a law *)
Fixpoint mass {Req Out : Type} (L : hist Req Out -> Req -> Out -> R) (h : hist Req Out) : R :=
  match h with
  | [] => 1 | (r, Some y) :: k => mass L k * L k r y | (_, None) :: k => mass L k
  end.

Section Leak.
Context {Db Req Out : Type} {outs : hist Req Out -> Req -> list Out}.
Variable M : mechanism Db outs.

Definition part_of (x : Db) (P : hist Req Out -> Req -> Out -> R) : Prop :=
  forall h r y, 0 <= P h r y <= pr M x h r y.

Lemma mass_range : forall x P, part_of x P -> forall h, 0 <= mass P h <= like M x h.
Proof.
  intros x P HP. induction h as [|[r [y|]] h IH]; simpl; [lra | |rewrite Rmult_1_r; exact IH].
  specialize (HP h r y). split; [apply Rmult_le_pos | apply Rmult_le_compat]; lra.
Qed.

Variables x x' : Db.
Variables P Q : hist Req Out -> Req -> Out -> R.
Hypothesis P_part : part_of x P.
Hypothesis Q_part : part_of x' Q.

Lemma excess_parts : forall e h, 0 <= e ->
  excess M e x x' h <= like M x h - mass P h + pos (mass P h - e * mass Q h).
Proof.
  intros e h He. pose proof (mass_range x P P_part h). pose proof (mass_range x' Q Q_part h).
  pose proof (pos_ge (mass P h - e * mass Q h)). unfold excess. apply pos_le; nra.
Qed.

Variable leak : hist Req Out -> Req -> R.
Variable leaks : R.
Definition leaks_at_most : Prop :=
  forall h r, 0 <= leak h r /\ 1 - leak h r <= sumf (outs h r) (P h r).
Hypothesis leak_bound : leaks_at_most.

Definition leaking (h : hist Req Out) : R :=
  like M x h - mass P h + mass P h * (leaks - total leak h).

Lemma leaking_ge : forall h, total leak h <= leaks -> like M x h - mass P h <= leaking h.
Proof.
  intros h H. pose proof (mass_range x P P_part h). unfold leaking.
  assert (0 <= mass P h * (leaks - total leak h)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma leaking_step : forall h r, total leak h + leak h r <= leaks ->
  sumf (outs h r) (fun y => leaking ((r, Some y) :: h)) <= leaking h.
Proof.
  intros h r T. unfold leaking. set (rest := leaks - total leak h).
  destruct (leak_bound h r) as [L0 L1].
  rewrite (sumf_ext _ _ _ (fun y => like M x ((r, Some y) :: h)
    - mass P h * (1 - (rest - leak h r)) * P h r y)) by (intros; unfold rest; simpl; ring).
  rewrite sumf_minus, sumf_scal, like_outs. pose proof (mass_range x P P_part h) as [HP _].
  assert (S1 : sumf (outs h r) (P h r) <= 1)
    by (rewrite <- (pr_sum M x h r); apply sumf_le; intros; apply P_part).
  set (sp := sumf (outs h r) (P h r)) in *. set (l := leak h r) in *.
  assert (Hrest : l <= rest) by (unfold rest; lra).
  assert (K : 1 - rest <= (1 - (rest - l)) * sp); [|nra].
  destruct (Rle_lt_dec 0 (1 - (rest - l))) as [N|N]; nra.
Qed.
End Leak.
